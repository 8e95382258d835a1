/* test_train.c - training: the same bytes however it runs, one step at a time
 *
 * SPDX-License-Identifier: MIT
 *
 * What an update is on average is the matter of test_train_exact.c.
 */
#include "test.h"

#include <math.h>
#include <string.h>

#include "helper_progress.h"
#include "helper_train.h"
#include "sample/sample.h"

/* ---- the same bytes -------------------------------------------------------------------------------- */

static void test_threads_and_instructions_do_not_matter(void **state) {
    (void)state;
    static result results[KINDS];
    isg_dataset *data = make_data(SAMPLES);
    for (size_t kind = 0; kind < KINDS; kind++) {
        const isg_train_options options = kind_of_training(kind);
        assert_ok(isg_set_isa("ref"));
        isg_set_threads(1);
        train(&results[kind], data, &options, 2);
        for (size_t isa = 0; isg_isa_name(isa); isa++)
            for (size_t run = 0; run < 4; run++) {
                /* each once in a while; in the last kind, which has it all, every one */
                if ((kind != KINDS - 1 && (kind + isa) % 4 != run) ||
                    isg_set_isa(isg_isa_name(isa)) != ISG_OK)
                    continue;
                result found;
                isg_set_threads((size_t[]){1, 2, 3, 7}[run]);
                train(&found, data, &options, 2);
                assert_memory_equal(&found, &results[kind], sizeof found);
            }
        for (size_t other = 0; other < kind; other++) /* and every option does something */
            assert_memory_not_equal(results[kind].weights, results[other].weights,
                                    sizeof results[kind].weights);
    }
    assert_ok(isg_set_isa(NULL));
    isg_set_threads(1);
    isg_dataset_free(data);
}

/* A trainer that was made with one thread, and is used with more and fewer. */
static void test_threads_may_change(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES);
    for (size_t kind = 0; kind < KINDS; kind++) {
        const isg_train_options options = kind_of_training(kind);
        result expected, found;
        isg_rbm *rbm = make_rbm();
        isg_trainer *trainer = NULL;
        train(&expected, data, &options, 4);
        isg_set_own_threads(kind % 4 < 2 ? 1 : 3);
        assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
        for (size_t k = 0; k < 4; k++) {
            isg_set_own_threads((size_t[]){7, 2, 0, 5}[k]);
            assert_ok(isg_trainer_epoch(trainer, NULL, NULL));
        }
        isg_set_own_threads(0);
        take(&found, rbm);
        found.report = expected.report;
        assert_memory_equal(&found, &expected, sizeof found);
        isg_trainer_free(trainer);
        isg_rbm_free(rbm);
    }
    isg_dataset_free(data);
}

static void test_seed_and_sweeps_matter(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES);
    isg_train_options options = small_options();
    result first, other;
    train(&first, data, &options, 1);
    options.seed = 2;
    train(&other, data, &options, 1);
    assert_memory_not_equal(first.weights, other.weights, sizeof first.weights);
    options.seed = 1;
    options.gibbs_steps++;
    train(&other, data, &options, 1);
    assert_memory_not_equal(first.weights, other.weights, sizeof first.weights);
    /* The first sweep is the same one; only what came of it in later batches is not. */
    options.batch_size = SAMPLES;
    train(&first, data, &options, 1);
    options.gibbs_steps = 1;
    train(&other, data, &options, 1);
    assert_true(first.report.reconstruction_error == other.report.reconstruction_error);
    isg_dataset_free(data);
}

static void test_fields_stay_unless_trained(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES);
    isg_train_options options = small_options();
    isg_rbm *rbm = make_rbm();
    result before, after;
    take(&before, rbm);
    train(&after, data, &options, 1);
    assert_memory_equal(before.b, after.b, sizeof before.b);
    assert_memory_equal(before.c, after.c, sizeof before.c);
    options.fields = true;
    train(&after, data, &options, 1);
    for (size_t mu = 0; mu < P; mu++)
        assert_true(before.c[mu] != after.c[mu]);
    isg_rbm_free(rbm);
    isg_dataset_free(data);
}

/* Two shuffled epochs equal one epoch of the data in both orders, one after the other. */
static void test_order_of_samples(void **state) {
    (void)state;
    enum { WHOLE = 4 * BATCH };
    isg_dataset *data = make_data(WHOLE), *twice = NULL;
    isg_train_options options = small_options();
    size_t order[2 * WHOLE];
    result shuffled, in_order;
    options.shuffle = true;
    options.n_rates = 1;
    train(&shuffled, data, &options, 2);
    for (size_t epoch = 0; epoch < 2; epoch++)
        isg_dataset_shuffle(data, options.seed, epoch, order + epoch * WHOLE);
    assert_memory_not_equal(order, order + WHOLE, WHOLE * sizeof *order);
    assert_ok(isg_dataset_select(&twice, data, order, 2 * WHOLE));
    options.shuffle = false;
    train(&in_order, twice, &options, 1);
    assert_memory_equal(shuffled.weights, in_order.weights, sizeof shuffled.weights);
    isg_dataset_free(twice);
    isg_dataset_free(data);
}

/* A batch larger than the data is all of the data; only for persistent chains does its size
   matter. */
static void test_batch_larger_than_data(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES);
    isg_train_options options = small_options();
    result exact, larger;
    options.batch_size = SAMPLES;
    train(&exact, data, &options, 2);
    options.batch_size = 100 * SAMPLES;
    train(&larger, data, &options, 2);
    assert_int_equal(larger.report.updates, 2);
    assert_memory_equal(exact.weights, larger.weights, sizeof exact.weights);
    isg_dataset_free(data);
}

/* ---- in plain loops ------------------------------------------------------------------------------- */

/* Sums over one row of states, each in double. */
static void add_row(result *sums, const uint64_t *spins, const double *lambda, double share) {
    for (size_t i = 0; i < N; i++) {
        for (size_t mu = 0; mu < P; mu++)
            sums->weights[i * P + mu] += share * isg_spin(spins, i) * lambda[mu];
        sums->b[i] += share * isg_spin(spins, i);
    }
    for (size_t mu = 0; mu < P; mu++)
        sums->c[mu] += share * lambda[mu];
}

/* One update over more than one word and panel, from the chains that it must have had. */
static void test_update_in_plain_loops(void **state) {
    (void)state;
    const isg_rate rate = {0.5, 0};
    isg_dataset *data = make_data(SAMPLES);
    isg_train_options options = small_options();
    options.batch_size = SAMPLES;
    options.rates = &rate;
    options.n_rates = 1;
    options.fields = true;
    for (isg_estimator e = ISG_ESTIMATOR_SAMPLED; e <= ISG_ESTIMATOR_MEAN; e++) {
        isg_rbm *rbm = make_rbm();
        isg_gibbs_weights w;
        isg_states chains;
        result expected, found;
        double h[P];
        take(&expected, rbm);
        assert_ok(isg_gibbs_weights_create(&w, N, P));
        assert_ok(isg_gibbs_weights_set(&w, rbm->weights, rbm->b, rbm->c));
        assert_ok(isg_states_create(&chains, &w, SAMPLES));
        memcpy(chains.spins, isg_dataset_row(data, 0), SAMPLES * w.words * sizeof(uint64_t));
        isg_states_set_input(&chains, &w);
        const isg_sweeps sweeps = {.beta = rbm->info.beta,
                                   .gain = 1,
                                   .seed = options.seed,
                                   .purpose = ISG_PURPOSE_TRAIN,
                                   .count = SWEEPS};
        isg_states_sweep(&chains, &w, &sweeps);
        for (size_t a = 0; a < SAMPLES; a++) {
            isg_rbm_hidden_input(rbm, isg_dataset_row(data, a), h);
            add_row(&expected, isg_dataset_row(data, a), h, rate.rate / SAMPLES);
            const uint64_t *spins = chains.spins + a * w.words;
            isg_rbm_hidden_input(rbm, spins, h);
            for (size_t mu = 0; e == ISG_ESTIMATOR_SAMPLED && mu < P; mu++)
                h[mu] = (double)chains.lambda[a * w.stride + mu];
            add_row(&expected, spins, h, -rate.rate / SAMPLES);
        }
        options.estimator = e;
        train(&found, data, &options, 1);
        for (size_t k = 0; k < N * P; k++)
            assert_true(fabs(found.weights[k] - expected.weights[k]) < 1e-5);
        for (size_t i = 0; i < N; i++)
            assert_true(fabs(found.b[i] - expected.b[i]) < 1e-14);
        for (size_t mu = 0; mu < P; mu++)
            assert_true(fabs(found.c[mu] - expected.c[mu]) < 1e-5);
        isg_states_release(&chains);
        isg_gibbs_weights_release(&w);
        isg_rbm_free(rbm);
    }
    isg_dataset_free(data);
}

/* ---- one step at a time ---------------------------------------------------------------------------- */

static void test_counts(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES);
    const isg_train_options options = small_options();
    isg_rbm *rbm = make_rbm();
    isg_trainer *trainer = NULL;
    isg_epoch_report report;
    assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
    isg_train_state at = isg_trainer_describe(trainer);
    assert_true(at.epochs == 0 && at.updates == 0 && at.batch == 0 && at.n_batches == 3);
    for (size_t k = 0; k < 2; k++)
        assert_ok(isg_trainer_update(trainer));
    at = isg_trainer_describe(trainer);
    assert_true(at.epochs == 0 && at.updates == 2 && at.batch == 2);
    assert_ok(isg_trainer_epoch(trainer, &report, NULL)); /* what is left of it */
    assert_true(report.epoch == 1 && report.updates == 3 && report.rate == 0.02);
    assert_true(report.reconstruction_error > 0 && report.reconstruction_error < 0.6);
    result whole, steps;
    take(&steps, rbm);
    steps.report = report;
    train(&whole, data, &options, 1);
    assert_memory_equal(&whole, &steps, sizeof whole);
    assert_ok(isg_trainer_epoch(trainer, &report, NULL));
    assert_true(report.epoch == 2 && report.updates == 6 && report.rate == 0.005);
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
    isg_dataset_free(data);
}

/* Twice the rate moves the weights twice as far, from its epoch on. */
static void test_rates(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES);
    isg_train_options options = small_options();
    isg_rate slow[] = {{0.01, 0}, {0.001, 1}}, fast[] = {{0.01, 0}, {0.002, 1}};
    result one, two, after[2];
    options.batch_size = SAMPLES;
    options.rates = slow;
    train(&one, data, &options, 1);
    train(&after[0], data, &options, 2);
    options.rates = fast;
    train(&two, data, &options, 1);
    train(&after[1], data, &options, 2);
    assert_memory_equal(&one, &two, sizeof one);
    for (size_t k = 0; k < N * P; k++) {
        const double step = after[0].weights[k] - one.weights[k];
        assert_true(fabs(after[1].weights[k] - one.weights[k] - 2 * step) < 1e-15);
        assert_true(fabs(step) < 0.001 * 20);
    }
    isg_dataset_free(data);
}

static void test_cancelling(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES);
    const isg_train_options options = small_options();
    result whole, parts;
    train(&whole, data, &options, 1);
    for (size_t stop_at = 1; stop_at <= 3; stop_at++) {
        isg_rbm *rbm = make_rbm();
        isg_trainer *trainer = NULL;
        patience count = {.last_call = stop_at};
        const isg_progress progress = {lose_patience, &count};
        isg_epoch_report report = {0};
        assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
        if (stop_at < 3) {
            assert_fails(isg_trainer_epoch(trainer, &report, &progress), ISG_ERR_CANCELLED,
                         "epoch 1");
            assert_int_equal(report.updates, 0);
        }
        assert_ok(isg_trainer_epoch(trainer, &report, &progress)); /* the end is not to be missed */
        assert_true(count.calls == 3 && count.fraction == 1);
        take(&parts, rbm);
        parts.report = report;
        assert_memory_equal(&whole, &parts, sizeof whole);
        isg_trainer_free(trainer);
        isg_rbm_free(rbm);
    }
    isg_dataset_free(data);
}

/* ---- what stays put is not changed ----------------------------------------------------------------- */

/* Spins that practically never flip, all samples equal: paired with their means, data and chains
   cancel to the last bit. Drawing hidden units in the positive phase would show. */
static void test_frozen_data_change_nothing(void **state) {
    (void)state;
    int8_t spins[SAMPLES * N];
    isg_dataset *data = NULL;
    isg_rbm *rbm = NULL;
    memset(spins, 1, sizeof spins);
    assert_ok(isg_dataset_create(&data, SAMPLES, N, spins, NULL));
    assert_ok(isg_rbm_create(&rbm, N, 1, 10));
    for (size_t i = 0; i < N; i++)
        rbm->weights[i] = 1 + (double)i / 7;
    rbm->c[0] = 1.0 / 3;
    isg_train_options options = small_options();
    options.fields = true;
    for (int kind = 0; kind < 4; kind++) {
        double before[N];
        isg_trainer *trainer = NULL;
        isg_epoch_report report;
        options.estimator = kind & 1 ? ISG_ESTIMATOR_SAMPLED : ISG_ESTIMATOR_MEAN;
        options.persistent = kind >> 1;
        memcpy(before, rbm->weights, sizeof before);
        assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
        assert_ok(isg_trainer_epoch(trainer, &report, NULL));
        assert_true(report.reconstruction_error == 0);
        if (kind == 0) {
            assert_memory_equal(before, rbm->weights, sizeof before);
            assert_true(rbm->c[0] == 1.0 / 3);
        }
        for (size_t i = 0; i < N; i++)
            assert_true(rbm->b[i] == 0 && fabs(rbm->weights[i] - before[i]) < 0.1);
        if (options.estimator == ISG_ESTIMATOR_SAMPLED)
            assert_true(rbm->weights[0] != before[0]);
        isg_trainer_free(trainer);
    }
    isg_rbm_free(rbm);
    isg_dataset_free(data);
}

/* ---- patterns -------------------------------------------------------------------------------------- */

/* A mapped model keeps its patterns and R when W moves away from them, but is no longer extended. */
static void test_training_keeps_the_patterns(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES);
    isg_patterns *patterns = NULL;
    isg_rbm *rbm = NULL;
    isg_trainer *trainer = NULL;
    const isg_train_options options = small_options();
    const isg_mapping_options mapping = isg_mapping_defaults();
    assert_ok(isg_patterns_from_data(&patterns, data, NULL, NULL));
    assert_ok(isg_rbm_from_patterns(&rbm, patterns, &mapping, NULL));
    const double *weights = isg_rbm_weights(rbm).data, first = weights[0];
    assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
    assert_ok(isg_trainer_epoch(trainer, NULL, NULL));
    assert_ptr_equal(weights, isg_rbm_weights(rbm).data);
    assert_true(weights[0] != first);
    assert_non_null(isg_rbm_patterns(rbm));
    assert_non_null(isg_rbm_coefficients(rbm).data);
    assert_fails(isg_rbm_append_pattern(rbm, isg_dataset_row(data, 0), NULL), ISG_ERR_ARGUMENT,
                 "via qr");
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
    isg_dataset_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_and_instructions_do_not_matter),
        cmocka_unit_test(test_threads_may_change),
        cmocka_unit_test(test_seed_and_sweeps_matter),
        cmocka_unit_test(test_fields_stay_unless_trained),
        cmocka_unit_test(test_order_of_samples),
        cmocka_unit_test(test_batch_larger_than_data),
        cmocka_unit_test(test_update_in_plain_loops),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_cancelling),
        cmocka_unit_test(test_frozen_data_change_nothing),
        cmocka_unit_test(test_training_keeps_the_patterns),
    };
    isg_set_threads(1); /* faster for so little work; one test tries others */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
