/* test_tuner_file.c - fine-tuning goes on from a file, and in a run
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "classify/tuner.h"
#include "helper_experts.h"
#include "helper_progress.h"
#include "helper_scratch.h"
#include "helper_tuner.h"

enum { UPDATES = 12 }; /* in all three epochs */

static isg_tuner *begin(const isg_dataset *data, const isg_tune_options *options) {
    isg_classifier *start = tuner_start(ISG_FEATURES_ENERGY);
    isg_tuner *tuner = NULL;
    assert_ok(isg_tuner_create(&tuner, start, data, options));
    isg_classifier_free(start);
    return tuner;
}

static isg_dataset *images(void) {
    isg_dataset *data = make_classes(1);
    make_images(data);
    return data;
}

static isg_tune_options full_options(void) {
    isg_tune_options options = tuner_options();
    options.shift = 1;
    options.balanced = true;
    return options;
}

static void advance(isg_tuner *tuner, uint64_t until) {
    while (tuner->state.updates < until)
        assert_ok(isg_tuner_advance(tuner, until - tuner->state.updates, NULL));
}

static void assert_same(const isg_tuner *a, const isg_tuner *b) {
    assert_same_tuned(a, b);
    assert_true(a->loss_sum == b->loss_sum && a->wrong == b->wrong);
    assert_true(a->model->tuned_epochs == b->model->tuned_epochs);
}

/* Stopped after every update. Such a file is a classifier, too. */
static void test_goes_on_from_a_file(void **state) {
    (void)state;
    const isg_tune_options options = full_options();
    isg_dataset *data = images();
    isg_tuner *whole = begin(data, &options);
    advance(whole, UPDATES);
    for (uint64_t stop = 0; stop <= UPDATES; stop++) {
        isg_tuner *first = begin(data, &options), *second = NULL;
        isg_classifier *classifier = NULL;
        advance(first, stop);
        assert_ok(isg_tuner_save(first, in(directory, "t.npz")));
        assert_ok(isg_tuner_load(&second, in(directory, "t.npz"), data, &options));
        assert_same(first, second);
        assert_ok(isg_classifier_load(&classifier, in(directory, "t.npz")));
        assert_int_equal(isg_classifier_describe(classifier).tuned_epochs, stop / 4);
        advance(second, UPDATES);
        assert_same(whole, second);
        isg_classifier_free(classifier);
        isg_tuner_free(first);
        isg_tuner_free(second);
    }
    isg_tuner_free(whole);
    isg_dataset_free(data);
}

static isg_run *open_run(const char *name) {
    isg_run *run = NULL;
    assert_ok(isg_run_open(&run, in(directory, name), true));
    return run;
}

static void test_run_is_resumed_anywhere(void **state) {
    (void)state;
    const isg_tune_options options = full_options();
    isg_dataset *data = images();
    isg_tuner *whole = begin(data, &options);
    advance(whole, UPDATES);
    for (uint64_t stop = 0; stop <= UPDATES; stop += 3) {
        char name[32];
        snprintf(name, sizeof name, "run-%u", (unsigned)stop);
        isg_tuner *first = begin(data, &options), *second = NULL;
        isg_run *run = open_run(name);
        assert_ok(isg_run_begin_tuner(run, "{}", first, 30));
        assert_null(isg_run_rbm(run));
        assert_ok(isg_run_train_updates(run, stop, NULL));
        isg_run_close(run);
        run = open_run(name);
        assert_true(isg_run_describe(run).has_checkpoint);
        assert_ok(isg_run_resume_tuner(run, &second, data, &options, 30));
        const isg_train_state found = isg_run_describe(run).state;
        assert_true(found.updates == stop && found.n_batches == 4 && found.epochs == stop / 4);
        assert_ok(isg_run_train(run, 3, NULL));
        assert_same(whole, second);
        isg_run_close(run);
        isg_tuner_free(first);
        isg_tuner_free(second);
    }
    isg_tuner_free(whole);
    isg_dataset_free(data);
}

static void cut(const char *name) {
    FILE *stream = fopen(in(directory, name), "w");
    assert_non_null(stream);
    fputs("no archive", stream);
    assert_int_equal(fclose(stream), 0);
}

static void test_run_with_damage(void **state) {
    (void)state;
    const isg_tune_options options = full_options();
    isg_dataset *data = images();
    isg_tuner *whole = begin(data, &options), *first = begin(data, &options), *again = NULL;
    isg_run *run = open_run("damaged");
    advance(whole, UPDATES);
    assert_fails(isg_run_resume_tuner(run, &again, data, &options, 30), ISG_ERR_IO,
                 "no checkpoint to resume from");
    assert_ok(isg_run_begin_tuner(run, "{}", first, 30));
    assert_ok(isg_run_train_updates(run, 4, NULL));
    assert_ok(isg_run_train_updates(run, 9, NULL));
    cut("damaged/checkpoint-1.npz"); /* the third */
    assert_ok(isg_run_resume_tuner(run, &again, data, &options, 30));
    assert_non_null(strstr(isg_run_describe(run).remark, "resuming from the other checkpoint"));
    assert_int_equal(isg_run_describe(run).state.updates, 4);
    assert_ok(isg_run_train(run, 3, NULL));
    assert_same(whole, again);
    cut("damaged/checkpoint-1.npz");
    cut("damaged/checkpoint-2.npz");
    isg_tuner *none = NULL;
    assert_fails(isg_run_resume_tuner(run, &none, data, &options, 30), ISG_ERR_FORMAT,
                 "neither checkpoint");
    assert_null(none);
    isg_run_close(run);
    isg_tuner_free(again);
    isg_tuner_free(first);
    isg_tuner_free(whole);
    isg_dataset_free(data);
}

static void refuse(const isg_dataset *data, const isg_tune_options *options, isg_status status,
                   const char *part) {
    isg_tuner *tuner = NULL;
    assert_fails(isg_tuner_load(&tuner, in(directory, "t.npz"), data, options), status, part);
    assert_null(tuner);
}

static void test_others_are_refused(void **state) {
    (void)state;
    const isg_tune_options options = full_options();
    isg_dataset *data = images(), *other = make_classes(2);
    isg_tuner *tuner = begin(data, &options);
    advance(tuner, 5);
    assert_ok(isg_tuner_save(tuner, in(directory, "t.npz")));
    isg_tune_options changed = options;
    changed.seed++;
    refuse(data, &changed, ISG_ERR_SHAPE, "seed 5");
    changed = options;
    changed.epochs++;
    refuse(data, &changed, ISG_ERR_SHAPE, "epochs_in_all 3");
    changed = options;
    changed.batch_size++;
    refuse(data, &changed, ISG_ERR_SHAPE, "batch_size 20");
    changed = options;
    changed.rate *= 2;
    refuse(data, &changed, ISG_ERR_SHAPE, "rate");
    changed = options;
    changed.logits_rate *= 2;
    refuse(data, &changed, ISG_ERR_SHAPE, "logits_rate");
    changed = options;
    changed.shift = 0;
    refuse(data, &changed, ISG_ERR_SHAPE, "shift 1");
    changed = options;
    changed.balanced = false;
    refuse(data, &changed, ISG_ERR_SHAPE, "balanced yes");
    changed.rate = 0;
    refuse(data, &changed, ISG_ERR_ARGUMENT, "rate");
    make_images(other);
    refuse(other, &options, ISG_ERR_SHAPE, "other data");
    for (size_t a = 0; a < CLASS_SAMPLES; a++)
        data->labels.index[a] = (data->labels.index[a] + 1) % CLASS_COUNT;
    isg_dataset *relabelled = NULL;
    size_t rows[CLASS_SAMPLES];
    for (size_t a = 0; a < CLASS_SAMPLES; a++)
        rows[a] = a;
    assert_ok(isg_dataset_select(&relabelled, data, rows, CLASS_SAMPLES));
    make_images(relabelled);
    refuse(relabelled, &options, ISG_ERR_SHAPE, "labels_sha256");
    isg_tuner *lost = NULL;
    assert_fails(isg_tuner_load(&lost, in(directory, "lost.npz"), data, &options), ISG_ERR_IO,
                 "lost.npz");
    isg_tuner_free(tuner);
    isg_dataset_free(relabelled);
    isg_dataset_free(data);
    isg_dataset_free(other);
}

static void test_damage_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *change, *part;
    } cases[] = {
        {"d['first.W'][0, 0] = np.nan", "first.W, number 1: nan"},
        {"d['second.W'][0, 1] = -1", "second.W, number 2: -1"},
        {"d['first.W'] = d['first.W'].T", "first.W: its shape"},
        {"d['second.intercepts'] = d['second.intercepts'][1:]", "second.intercepts: its shape"},
        {"del d['first.coefficients']", "first.coefficients"},
        {"d['means'][0] = 1", "scales: not those of fine-tuning"},
        {"d['scales'][1] = 2", "scales: not those of fine-tuning"},
        {"d['W'][0, 0] = np.inf", "W, number 1"},
        {"t['updates'] = 6", "update 6 cannot be number 1 of epoch 1"},
        {"t['batch'] = 4", "cannot be number 4"},
        {"t['epochs'] = 3; t['updates'] = 13", "update 13 cannot be"},
        {"t['wrong'] = 76", "76 samples wrong"},
        {"t['wrong'] = -1", "-1 samples wrong"},
        {"t['format'] = 2", "later version"},
        {"del t['loss_sum']", "loss_sum"},
        {"u['rate'] = 0", "rate: expected a positive"},
        {"u['epochs_done'] = 4", "4 epochs cannot be done of 3"},
        {"u['shift'] = -1", "shift: expected a number from 0 on"},
        {"u['seed'] = 'x'", "seed: expected a whole number"},
        {"del u['balanced']", "balanced"},
    };
    enum { COUNT = sizeof cases / sizeof cases[0] };
    const isg_tune_options options = full_options();
    isg_dataset *data = images();
    isg_tuner *tuner = begin(data, &options);
    advance(tuner, 5);
    assert_ok(isg_tuner_save(tuner, in(directory, "t.npz")));
    FILE *script = python_begin(directory);
    fputs("import json, zipfile\n"
          "def change(name, what):\n"
          "    with np.load('t.npz') as found:\n"
          "        d = {key: found[key].copy() for key in found.files if key[-5:] != '.json'}\n"
          "    with zipfile.ZipFile('t.npz') as whole:\n"
          "        texts = {key: json.loads(whole.read(key)) for key in whole.namelist()\n"
          "                 if key[-5:] == '.json'}\n"
          "    exec(what, dict(d=d, t=texts['tuner.json'], u=texts['tuning.json'], np=np))\n"
          "    np.savez(name, **d)\n"
          "    with zipfile.ZipFile(name, 'a') as out:\n"
          "        for key, value in texts.items():\n"
          "            out.writestr(key, json.dumps(value))\n"
          "change('fine.npz', '')\n",
          script);
    for (size_t k = 0; k < COUNT; k++)
        fprintf(script, "change('t%zu.npz', \"%s\")\n", k, cases[k].change);
    python_end(directory, script);
    isg_tuner *again = NULL;
    assert_ok(isg_tuner_load(&again, in(directory, "fine.npz"), data, &options));
    assert_same(tuner, again);
    isg_tuner_free(again);
    for (size_t k = 0; k < COUNT; k++) {
        char name[32];
        isg_tuner *none = NULL;
        snprintf(name, sizeof name, "t%zu.npz", k);
        const isg_status status = isg_tuner_load(&none, in(directory, name), data, &options);
        if ((status != ISG_ERR_FORMAT && status != ISG_ERR_VERSION) ||
            !strstr(isg_error_message(), cases[k].part) || none)
            fail_msg("%s: %d, %s", cases[k].change, (int)status, isg_error_message());
    }
    isg_tuner_free(tuner);
    isg_dataset_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goes_on_from_a_file), cmocka_unit_test(test_run_is_resumed_anywhere),
        cmocka_unit_test(test_run_with_damage),     cmocka_unit_test(test_others_are_refused),
        cmocka_unit_test(test_damage_is_refused),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
