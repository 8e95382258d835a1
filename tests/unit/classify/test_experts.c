/* test_experts.c - experts: their starts, their training, and continuing from a file
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <math.h>

#include "base/rng.h"
#include "classify/experts.h"
#include "helper_allocation.h"
#include "helper_experts.h"
#include "helper_progress.h"
#include "helper_scratch.h"
#include "rbm/rbm.h"

static const isg_rate rates[] = {{0.01, 0}};

static isg_expert_options small_options(void) {
    isg_expert_options options = isg_expert_defaults();
    options.per_class = 4;
    options.train.batch_size = 10;
    options.train.gibbs_steps = 3;
    options.train.rates = rates;
    options.train.seed = 5;
    return options;
}

static isg_experts *make(const isg_expert_options *options) {
    isg_dataset *data = make_classes(1);
    isg_experts *experts = NULL;
    assert_ok(isg_experts_create(&experts, data, options, NULL));
    isg_dataset_free(data); /* it was copied */
    return experts;
}

static void step(isg_experts *experts, size_t steps) {
    for (size_t k = 0; k < steps; k++)
        assert_ok(isg_experts_step(experts, NULL));
}

static void assert_same_rbm(const isg_rbm *a, const isg_rbm *b) {
    const size_t n = a->info.n_visible, p = a->info.n_hidden;
    assert_true(n == b->info.n_visible && p == b->info.n_hidden);
    assert_memory_equal(a->weights, b->weights, n * p * sizeof(double));
    assert_memory_equal(a->b, b->b, n * sizeof(double));
    assert_memory_equal(a->c, b->c, p * sizeof(double));
}

static void assert_same(const isg_experts *a, const isg_experts *b) {
    assert_int_equal(a->n_experts, b->n_experts);
    for (size_t k = 0; k < a->n_experts; k++)
        assert_same_rbm(a->expert[k].rbm, b->expert[k].rbm);
}

/* ---- starts ------------------------------------------------------------------------------------- */

/* The samples of one class, taken by hand. */
static isg_dataset *class_alone(const isg_dataset *data, size_t k) {
    size_t rows[CLASS_SAMPLES], count = 0;
    isg_dataset *part = NULL;
    for (size_t a = 0; a < CLASS_SAMPLES; a++)
        if (isg_dataset_labels(data)[a] == k)
            rows[count++] = a;
    assert_ok(isg_dataset_select(&part, data, rows, count));
    return part;
}

static isg_rbm *from_patterns(const isg_dataset *data, isg_decomposition via) {
    isg_pattern_options how = isg_pattern_defaults();
    isg_mapping_options mapping = isg_mapping_defaults();
    isg_patterns *patterns = NULL;
    isg_rbm *rbm = NULL;
    how.per_class = 4;
    mapping.via = via;
    assert_ok(isg_patterns_from_data(&patterns, data, &how, NULL));
    assert_ok(isg_rbm_from_patterns(&rbm, patterns, &mapping, NULL));
    isg_patterns_free(patterns);
    return rbm;
}

static void test_starts_from_the_class_alone(void **state) {
    (void)state;
    isg_dataset *data = make_classes(1);
    for (isg_start start = ISG_START_HOPFIELD; start <= ISG_START_PCA; start++) {
        isg_expert_options options = small_options();
        options.start = start;
        isg_experts *experts = make(&options);
        const isg_experts_info info = isg_experts_describe(experts);
        assert_int_equal(info.n_experts, CLASS_COUNT);
        assert_int_equal(info.n_hidden, 4 * CLASS_COUNT);
        assert_int_equal(info.n_visible, CLASS_UNITS);
        for (size_t k = 0; k < CLASS_COUNT; k++) {
            isg_dataset *part = class_alone(data, k);
            isg_rbm *rbm = NULL;
            if (start == ISG_START_PCA)
                assert_ok(isg_rbm_start_pca(&rbm, part, ISG_AXES_OF_COVARIANCE, 4, 2));
            else
                rbm =
                    from_patterns(part, start == ISG_START_HOPFIELD ? ISG_VIA_QR : ISG_VIA_HEBBIAN);
            assert_same_rbm(rbm, isg_experts_rbm(experts, k));
            isg_rbm_free(rbm);
            isg_dataset_free(part);
        }
        assert_null(isg_experts_rbm(experts, CLASS_COUNT));
        isg_experts_free(experts);
    }
    isg_dataset_free(data);
}

/* The first weights of two experts with random starts: a different pair for every seed. */
static void test_random_numbers_are_their_own(void **state) {
    (void)state;
    isg_expert_options options = small_options();
    options.start = ISG_START_NORMAL;
    options.deviation = 0.3;
    isg_experts *experts = make(&options), *again = make(&options);
    assert_same(experts, again);
    options.train.seed++;
    isg_experts *other = make(&options);
    for (size_t k = 0; k < CLASS_COUNT; k++)
        for (size_t l = 0; l < CLASS_COUNT; l++) {
            const double mine = experts->expert[k].rbm->weights[0];
            assert_true(mine != other->expert[l].rbm->weights[0]);
            assert_true(k == l || mine != experts->expert[l].rbm->weights[0]);
        }
    isg_experts_free(experts);
    isg_experts_free(again);
    isg_experts_free(other);
}

/* Two equal samples give equal clusters: one hidden unit fewer. */
static void test_dependent_patterns_make_fewer_hidden_units(void **state) {
    (void)state;
    const int8_t spins[] = {1, 1, -1, 1, -1, 1, 1, 1, 1, -1, -1, 1};
    const int64_t labels[] = {0, 0, 1, 1};
    const int8_t same[] = {1, 1, -1, 1, 1, -1, 1, 1, 1, -1, -1, 1};
    isg_expert_options options = small_options();
    options.per_class = 2;
    isg_dataset *data = NULL;
    isg_experts *experts = NULL;
    assert_ok(isg_dataset_create(&data, 4, 3, spins, labels));
    assert_ok(isg_experts_create(&experts, data, &options, NULL));
    assert_int_equal(isg_experts_describe(experts).n_hidden, 4);
    isg_experts_free(experts);
    isg_dataset_free(data);
    assert_ok(isg_dataset_create(&data, 4, 3, same, labels));
    assert_ok(isg_experts_create(&experts, data, &options, NULL));
    assert_int_equal(isg_experts_describe(experts).n_hidden, 3);
    step(experts, 2);
    isg_experts_free(experts);
    isg_dataset_free(data);
}

/* ---- training ----------------------------------------------------------------------------------- */

static void test_each_is_trained_as_if_alone(void **state) {
    (void)state;
    const isg_expert_options options = small_options();
    isg_dataset *data = make_classes(1);
    isg_experts *experts = make(&options);
    step(experts, 2 * CLASS_COUNT);
    assert_int_equal(isg_experts_describe(experts).epochs, 2);
    for (size_t k = 0; k < CLASS_COUNT; k++) {
        isg_cursor random = isg_cursor_at(isg_stream_at(5, ISG_PURPOSE_EXPERTS, 0, (uint32_t)k));
        isg_dataset *part = class_alone(data, k);
        isg_rbm *rbm = from_patterns(part, ISG_VIA_QR);
        isg_train_options train = options.train;
        isg_trainer *trainer = NULL;
        train.seed = isg_next_word64(&random);
        assert_true(train.shuffle);
        assert_ok(isg_trainer_create(&trainer, rbm, part, &train));
        assert_ok(isg_trainer_epoch(trainer, NULL, NULL));
        assert_ok(isg_trainer_epoch(trainer, NULL, NULL));
        assert_same_rbm(rbm, isg_experts_rbm(experts, k));
        isg_trainer_free(trainer);
        isg_rbm_free(rbm);
        isg_dataset_free(part);
    }
    isg_experts_free(experts);
    isg_dataset_free(data);
}

static void test_takes_turns(void **state) {
    (void)state;
    const isg_expert_options options = small_options();
    isg_experts *experts = make(&options);
    for (size_t k = 0; k < 3 * CLASS_COUNT; k++) {
        const isg_experts_info info = isg_experts_describe(experts);
        assert_int_equal(info.epochs, k / CLASS_COUNT);
        assert_int_equal(info.next, k % CLASS_COUNT);
        step(experts, 1);
    }
    isg_experts_free(experts);
}

static void test_threads_change_nothing(void **state) {
    (void)state;
    isg_expert_options options = small_options();
    options.train.fields = options.train.persistent = true;
    isg_set_threads(1);
    isg_experts *one = make(&options);
    step(one, 5);
    const size_t counts[] = {2, 7};
    for (size_t k = 0; k < 2; k++) {
        isg_set_threads(counts[k]);
        isg_experts *many = make(&options);
        step(many, 5);
        assert_same(one, many);
        isg_experts_free(many);
    }
    isg_set_threads(0);
    isg_experts_free(one);
}

static void test_divergence_names_the_class(void **state) {
    (void)state;
    const isg_rate huge[] = {{1e200, 0}};
    isg_expert_options options = small_options();
    options.train.rates = huge;
    isg_experts *experts = make(&options);
    assert_fails(isg_experts_step(experts, NULL), ISG_ERR_DIVERGED, "class '3': training diverged");
    isg_experts_free(experts);
}

/* ---- files -------------------------------------------------------------------------------------- */

/* Stopped in the middle of an epoch of the second expert, with every part that a state can have. */
static void test_goes_on_from_a_file(void **state) {
    (void)state;
    const isg_progress cancel = {cancel_at_once, NULL};
    for (int joint = 0; joint < 2; joint++) {
        isg_expert_options options = small_options();
        options.joint = joint;
        options.train.fields = options.train.persistent = true;
        isg_experts *whole = make(&options), *first = make(&options), *second = make(&options);
        const size_t steps = 2 * whole->n_experts;
        step(whole, steps);
        step(first, 1);
        assert_int_equal(isg_experts_step(first, &cancel), ISG_ERR_CANCELLED);
        assert_ok(isg_experts_save(first, in(directory, "e.npz")));
        assert_ok(isg_experts_load(second, in(directory, "e.npz")));
        assert_int_equal(isg_experts_describe(second).next, isg_experts_describe(first).next);
        step(second, steps - 1);
        assert_same(whole, second);
        isg_experts_free(whole);
        isg_experts_free(first);
        isg_experts_free(second);
    }
}

static void refuse(const isg_expert_options *options, isg_status status, const char *part) {
    isg_experts *experts = make(options);
    assert_fails(isg_experts_load(experts, in(directory, "e.npz")), status, part);
    isg_experts_free(experts);
}

static void test_other_experts_are_refused(void **state) {
    (void)state;
    const isg_expert_options options = small_options();
    isg_experts *experts = make(&options), *other = NULL;
    isg_dataset *data = make_classes(2);
    assert_ok(isg_experts_save(experts, in(directory, "e.npz")));
    isg_expert_options changed = small_options();
    changed.train.seed = 6;
    refuse(&changed, ISG_ERR_SHAPE, "seed");
    changed = small_options();
    changed.per_class = 3;
    refuse(&changed, ISG_ERR_SHAPE, "n_hidden");
    changed = small_options();
    changed.joint = true;
    refuse(&changed, ISG_ERR_SHAPE, "n_visible");
    assert_ok(isg_experts_create(&other, data, &options, NULL));
    assert_fails(isg_experts_load(other, in(directory, "e.npz")), ISG_ERR_SHAPE, "other data");
    assert_fails(isg_experts_load(other, in(directory, "lost.npz")), ISG_ERR_IO, "lost.npz");
    isg_experts_free(other);
    isg_experts_free(experts);
    isg_dataset_free(data);
}

/* One that ran ahead, and an archive without the last. */
static void test_mixed_files_are_refused(void **state) {
    (void)state;
    const isg_expert_options options = small_options();
    isg_experts *experts = make(&options);
    step(experts, 1);
    assert_ok(isg_trainer_epoch(experts->expert[2].trainer, NULL, NULL));
    assert_ok(isg_experts_save(experts, in(directory, "e.npz")));
    refuse(&options, ISG_ERR_FORMAT, "not from one training");
    experts->n_experts--;
    assert_ok(isg_experts_save(experts, in(directory, "e.npz")));
    experts->n_experts++;
    refuse(&options, ISG_ERR_FORMAT, "expert-2.training.json");
    isg_experts_free(experts);
}

/* ---- runs --------------------------------------------------------------------------------------- */

static isg_expert_options run_options(void) {
    isg_expert_options options = small_options();
    options.train.fields = options.train.persistent = true;
    return options;
}

static isg_run *open_run(const char *name) {
    isg_run *run = NULL;
    assert_ok(isg_run_open(&run, in(directory, name), true));
    return run;
}

/* As many updates in an epoch as all experts have together; stopped at every one of the second. */
static void test_run_is_resumed_anywhere(void **state) {
    (void)state;
    const isg_expert_options options = run_options();
    isg_experts *whole = make(&options);
    size_t n_batches = 0;
    for (size_t k = 0; k < CLASS_COUNT; k++)
        n_batches += whole->expert[k].trainer->state.n_batches;
    step(whole, 2 * CLASS_COUNT);
    for (size_t stop = n_batches; stop <= 2 * n_batches; stop++) {
        char name[32];
        snprintf(name, sizeof name, "run-%zu", stop);
        isg_experts *first = make(&options), *second = make(&options);
        isg_run *run = open_run(name);
        assert_ok(isg_run_begin_experts(run, "{}", first, 30));
        assert_null(isg_run_rbm(run));
        assert_ok(isg_run_train(run, 1, NULL));
        assert_ok(isg_run_train_updates(run, stop, NULL));
        assert_fails(isg_run_set_score(run, 1, 1), ISG_ERR_ARGUMENT, "of one RBM");
        isg_run_close(run);
        run = open_run(name);
        assert_true(isg_run_describe(run).has_checkpoint);
        assert_ok(isg_run_resume_experts(run, second, 30));
        const isg_train_state state_found = isg_run_describe(run).state;
        assert_int_equal(state_found.updates, stop);
        assert_int_equal(state_found.n_batches, n_batches);
        assert_int_equal(state_found.batch, stop % n_batches);
        assert_int_equal(state_found.epochs, stop / n_batches);
        assert_ok(isg_run_train(run, 2, NULL));
        assert_same(whole, second);
        isg_run_close(run);
        isg_experts_free(first);
        isg_experts_free(second);
    }
    isg_experts_free(whole);
}

static void cut(const char *name) {
    FILE *stream = fopen(in(directory, name), "w");
    assert_non_null(stream);
    fputs("no archive", stream);
    assert_int_equal(fclose(stream), 0);
}

static void test_run_with_damage(void **state) {
    (void)state;
    const isg_expert_options options = run_options();
    isg_experts *whole = make(&options), *experts = make(&options);
    isg_run *run = open_run("damaged");
    step(whole, 2 * CLASS_COUNT);
    assert_ok(isg_run_begin_experts(run, "{}", experts, 30));
    assert_ok(isg_run_train(run, 1, NULL));
    assert_ok(isg_run_train(run, 2, NULL));
    cut("damaged/checkpoint-1.npz"); /* the third */
    assert_ok(isg_run_resume_experts(run, experts, 30));
    assert_non_null(strstr(isg_run_describe(run).remark, "resuming from the other checkpoint"));
    assert_int_equal(isg_run_describe(run).state.epochs, 1);
    assert_ok(isg_run_train(run, 2, NULL));
    assert_same(whole, experts);
    cut("damaged/checkpoint-1.npz");
    cut("damaged/checkpoint-2.npz");
    assert_fails(isg_run_resume_experts(run, experts, 30), ISG_ERR_FORMAT, "neither checkpoint");
    assert_fails(isg_run_resume_experts(run, experts, -1), ISG_ERR_ARGUMENT, "save_every_s");
    isg_run_close(run);
    isg_experts_free(experts);
    isg_experts_free(whole);
}

/* A checkpoint with only the members that isg_experts_save() writes, as from earlier versions. */
static void test_run_without_a_count(void **state) {
    (void)state;
    const isg_expert_options options = run_options();
    isg_experts *whole = make(&options), *experts = make(&options);
    isg_run *run = open_run("early");
    step(experts, 1);
    assert_ok(isg_experts_save(experts, in(directory, "early/checkpoint-1.npz")));
    step(experts, 1);
    step(whole, 2 * CLASS_COUNT);
    assert_ok(isg_experts_save(experts, in(directory, "early/checkpoint-2.npz")));
    const uint64_t updates = isg_trainer_describe(experts->expert[0].trainer).updates +
                             isg_trainer_describe(experts->expert[1].trainer).updates;
    assert_ok(isg_run_resume_experts(run, experts, 30));
    assert_true(isg_run_describe(run).seconds == 0);
    assert_true(isg_run_describe(run).state.updates == updates); /* the newer of the two */
    assert_ok(isg_run_train(run, 2, NULL));
    assert_same(whole, experts);
    assert_ok(isg_run_resume_experts(run, experts, 30));
    assert_int_equal(isg_run_describe(run).state.epochs, 2);
    isg_run_close(run);
    isg_experts_free(experts);
    isg_experts_free(whole);
}

/* ---- refusals ----------------------------------------------------------------------------------- */

static void test_bad_input(void **state) {
    (void)state;
    const int8_t spins[] = {1, 1, -1, 1, -1, 1, 1, 1, 1};
    const int64_t one[] = {4, 4, 4}, two[] = {4, 4, 5};
    isg_expert_options options = small_options();
    isg_dataset *data = NULL;
    isg_experts *experts = NULL;
    assert_ok(isg_dataset_create(&data, 3, 3, spins, NULL));
    assert_fails(isg_experts_create(&experts, data, &options, NULL), ISG_ERR_ARGUMENT, "no labels");
    options.joint = true;
    assert_fails(isg_experts_create(&experts, data, &options, NULL), ISG_ERR_ARGUMENT, "no labels");
    isg_dataset_free(data);
    options.joint = false;
    assert_ok(isg_dataset_create(&data, 3, 3, spins, one));
    assert_fails(isg_experts_create(&experts, data, &options, NULL), ISG_ERR_ARGUMENT, "only '4'");
    isg_dataset_free(data);
    assert_ok(isg_dataset_create(&data, 3, 3, spins, two));
    options.per_class = 2;
    assert_fails(isg_experts_create(&experts, data, &options, NULL), ISG_ERR_ARGUMENT,
                 "class 5 has 1");
    options.cap = true;
    assert_ok(isg_experts_create(&experts, data, &options, NULL));
    assert_int_equal(isg_experts_rbm(experts, 0)->info.n_hidden, 2);
    assert_int_equal(isg_experts_rbm(experts, 1)->info.n_hidden, 1);
    isg_experts_free(experts);
    experts = NULL;
    options.start = ISG_START_PCA;
    assert_fails(isg_experts_create(&experts, data, &options, NULL), ISG_ERR_ARGUMENT, "class '4'");
    options.start = (isg_start)5;
    assert_fails(isg_experts_create(&experts, data, &options, NULL), ISG_ERR_ARGUMENT, "number 5");
    options.start = ISG_START_NORMAL;
    options.train.batch_size = 0;
    assert_fails(isg_experts_create(&experts, data, &options, NULL), ISG_ERR_ARGUMENT,
                 "batch_size");
    options.train.batch_size = 1;
    options.train.learn_beta = true;
    assert_fails(isg_experts_create(&experts, data, &options, NULL), ISG_ERR_ARGUMENT,
                 "share one beta");
    options.train.learn_beta = false;
    options.train.constraint = ISG_CONSTRAINT_SPAN;
    assert_fails(isg_experts_create(&experts, data, &options, NULL), ISG_ERR_ARGUMENT, "not span");
    options.train.constraint = ISG_CONSTRAINT_STIEFEL;
    assert_ok(isg_experts_create(&experts, data, &options, NULL));
    isg_experts_free(experts);
    experts = NULL;
    options.train.constraint = ISG_CONSTRAINT_NONE;
    options.per_class = 0;
    assert_fails(isg_experts_create(&experts, data, &options, NULL), ISG_ERR_ARGUMENT, "per_class");
    options.per_class = SIZE_MAX / 2;
    assert_int_equal(isg_experts_create(&experts, data, &options, NULL), ISG_ERR_MEMORY);
    assert_null(experts);
    isg_experts_free(NULL);
    isg_dataset_free(data);
}

typedef struct work {
    isg_dataset *data;
    isg_expert_options options;
} work;

static isg_status all_of_it(void *user) {
    const work *my = user;
    isg_experts *experts = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_experts_create(&experts, my->data, &my->options, NULL));
    ISG_TRY_GOTO(isg_experts_step(experts, NULL));
    ISG_TRY_GOTO(isg_experts_save(experts, in(directory, "m.npz")));
    status = isg_experts_load(experts, in(directory, "m.npz"));
done:
    isg_experts_free(experts);
    return status;
}

static void test_no_memory(void **state) {
    (void)state;
    work my = {make_classes(1), small_options()};
    my.options.per_class = 2;
    isg_set_threads(1);
    assert_true(sweep_allocations(all_of_it, &my) > 100);
    my.options.joint = true;
    my.options.train.persistent = true;
    assert_true(sweep_allocations(all_of_it, &my) > 50);
    isg_set_threads(0);
    isg_dataset_free(my.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_starts_from_the_class_alone),
        cmocka_unit_test(test_random_numbers_are_their_own),
        cmocka_unit_test(test_dependent_patterns_make_fewer_hidden_units),
        cmocka_unit_test(test_each_is_trained_as_if_alone),
        cmocka_unit_test(test_takes_turns),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_divergence_names_the_class),
        cmocka_unit_test(test_goes_on_from_a_file),
        cmocka_unit_test(test_other_experts_are_refused),
        cmocka_unit_test(test_mixed_files_are_refused),
        cmocka_unit_test(test_run_is_resumed_anywhere),
        cmocka_unit_test(test_run_with_damage),
        cmocka_unit_test(test_run_without_a_count),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
