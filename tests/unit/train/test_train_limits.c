/* test_train_limits.c - training: refusals, divergence, memory
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <string.h>

#include "helper_allocation.h"
#include "helper_train.h"

/* ---- refusals and divergence ----------------------------------------------------------------------- */

static void test_refusals(void **state) {
    (void)state;
    const isg_rate bad[] = {{0, 0}, {-1, 0}, {(double)NAN, 0}, {HUGE_VAL, 0}, {1, 1}};
    const isg_rate falling[] = {{1, 0}, {1, 3}, {1, 3}};
    isg_dataset *data = make_data(SAMPLES), *narrow = NULL;
    isg_rbm *rbm = make_rbm();
    isg_trainer *trainer = NULL;
    isg_train_options options = small_options();
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        options.rates = bad + k;
        options.n_rates = 1;
        assert_fails(isg_trainer_create(&trainer, rbm, data, &options), ISG_ERR_ARGUMENT,
                     k < 4 ? "rates: expected a positive" : "from epoch 0, found 1");
    }
    options.rates = falling;
    options.n_rates = 3;
    assert_fails(isg_trainer_create(&trainer, rbm, data, &options), ISG_ERR_ARGUMENT,
                 "ascending epochs, found 3 after 3");
    options.n_rates = 0;
    assert_fails(isg_trainer_create(&trainer, rbm, data, &options), ISG_ERR_ARGUMENT, "found none");
    options = small_options();
    options.batch_size = 0;
    assert_fails(isg_trainer_create(&trainer, rbm, data, &options), ISG_ERR_ARGUMENT,
                 "batch_size: expected 1 to 2^31 samples, found 0");
    options.batch_size = SIZE_MAX;
    assert_fails(isg_trainer_create(&trainer, rbm, data, &options), ISG_ERR_ARGUMENT, "batch_size");
    options = small_options();
    options.gibbs_steps = 0;
    assert_fails(isg_trainer_create(&trainer, rbm, data, &options), ISG_ERR_ARGUMENT,
                 "gibbs_steps: expected 1 to 2^31 sweeps, found 0");
    options = small_options();
    options.estimator = (isg_estimator)2;
    assert_fails(isg_trainer_create(&trainer, rbm, data, &options), ISG_ERR_ARGUMENT, "estimator");
    options = small_options();
    assert_ok(isg_dataset_create(&narrow, 1, 3, (const int8_t[]){1, -1, 1}, NULL));
    assert_fails(isg_trainer_create(&trainer, rbm, narrow, &options), ISG_ERR_SHAPE,
                 "data: expected 70 columns, as the RBM has visible units, found 3");
    rbm->weights[3] = (double)NAN;
    assert_fails(isg_trainer_create(&trainer, rbm, data, &options), ISG_ERR_DIVERGED, "unit 3");
    assert_null(trainer);
    isg_trainer_free(NULL);
    isg_rbm_free(rbm);
    isg_dataset_free(narrow);
    isg_dataset_free(data);
}

static void test_defaults(void **state) {
    (void)state;
    const isg_train_options options = isg_train_defaults();
    assert_true(options.batch_size == 100 && options.gibbs_steps == 20 && options.seed == 1);
    assert_true(options.n_rates == 1 && options.rates[0].rate == 1e-4);
    assert_true(options.rates[0].from_epoch == 0 && options.estimator == ISG_ESTIMATOR_SAMPLED);
    assert_true(!options.persistent && !options.fields && !options.shuffle);
}

/* Good updates, then one that diverges; it leaves everything unchanged, chains included. */
static void test_divergence_changes_nothing(void **state) {
    (void)state;
    const isg_rate last_too_fast[] = {{0.01, 0}, {1e30, 1}};
    isg_dataset *data = make_data(SAMPLES);
    for (size_t kind = 0; kind < KINDS; kind++) {
        isg_train_options options = kind_of_training(kind);
        isg_rbm *rbm = make_rbm();
        isg_trainer *trainer = NULL;
        result before, after;
        options.rates = last_too_fast;
        assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
        assert_ok(isg_trainer_epoch(trainer, NULL, NULL));
        take(&before, rbm);
        const isg_train_state at = isg_trainer_describe(trainer);
        char message[1024] = "";
        for (size_t attempt = 0; attempt < 2; attempt++) {
            assert_fails(isg_trainer_update(trainer), ISG_ERR_DIVERGED,
                         "diverged in update 1 of epoch 2: the weight");
            assert_non_null(strstr(isg_error_message(), "below 1e+30"));
            if (attempt > 0) /* the same draws from the same states */
                assert_string_equal(message, isg_error_message());
            strcpy(message, isg_error_message());
            take(&after, rbm);
            assert_memory_equal(&before, &after, sizeof before);
            const isg_train_state now = isg_trainer_describe(trainer);
            assert_memory_equal(&at, &now, sizeof at);
        }
        assert_fails(isg_trainer_epoch(trainer, NULL, NULL), ISG_ERR_DIVERGED, "epoch 2");
        isg_trainer_free(trainer);
        options.rates = small_options().rates; /* a slower training can take it from here */
        assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
        assert_ok(isg_trainer_epoch(trainer, NULL, NULL));
        isg_trainer_free(trainer);
        isg_rbm_free(rbm);
    }
    isg_dataset_free(data);
}

/* Weights that grow a billionfold in every update are detected before they are infinite. */
static void test_divergence_is_noticed(void **state) {
    (void)state;
    const isg_rate too_fast = {1e9, 0};
    isg_dataset *data = make_data(SAMPLES);
    for (size_t kind = 0; kind < KINDS; kind++) {
        isg_train_options options = kind_of_training(kind);
        isg_rbm *rbm = make_rbm();
        isg_trainer *trainer = NULL;
        isg_status status = ISG_OK;
        options.rates = &too_fast;
        options.n_rates = 1;
        assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
        for (size_t k = 0; k < 20 && status == ISG_OK; k++)
            status = isg_trainer_update(trainer);
        /* Spins without temperature may stop moving, and with them the weights. */
        if (status != ISG_OK)
            assert_int_equal(status, ISG_ERR_DIVERGED);
        else
            assert_true(options.estimator == ISG_ESTIMATOR_MEAN);
        for (size_t k = 0; k < N * P; k++)
            assert_true(isfinite(rbm->weights[k]));
        isg_trainer_free(trainer);
        isg_rbm_free(rbm);
    }
    isg_dataset_free(data);
}

/* ---- memory ---------------------------------------------------------------------------------------- */

typedef struct long_run {
    const isg_dataset *data;
    isg_rbm *rbm;
    isg_train_options options;
    size_t epochs;
} long_run;

static isg_status run_epochs(void *user) {
    const long_run *plan = user;
    isg_trainer *trainer = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_trainer_create(&trainer, plan->rbm, plan->data, &plan->options));
    for (size_t k = 0; k < plan->epochs && status == ISG_OK; k++)
        status = isg_trainer_epoch(trainer, NULL, NULL);
    isg_trainer_free(trainer);
    return status;
}

static void test_only_creating_allocates(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES);
    long_run plan = {.data = data, .rbm = make_rbm(), .options = kind_of_training(KINDS - 1)};
    const size_t to_create = sweep_allocations(run_epochs, &plan);
    assert_true(to_create > 10);
    plan.epochs = 2;
    assert_int_equal(sweep_allocations(run_epochs, &plan), to_create);
    isg_rbm_free(plan.rbm);
    isg_dataset_free(data);
}

static void test_thousand_epochs_take_no_more_memory(void **state) {
    (void)state;
    isg_dataset *data = make_data(2 * BATCH);
    long_run plan = {.data = data, .rbm = make_rbm(), .options = kind_of_training(KINDS - 1)};
    plan.options.gibbs_steps = 1;
    const size_t at_first = peak_allocation(run_epochs, &plan);
    plan.epochs = 1000;
    assert_int_equal(peak_allocation(run_epochs, &plan), at_first);
    isg_rbm_free(plan.rbm);
    isg_dataset_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_divergence_changes_nothing),
        cmocka_unit_test(test_divergence_is_noticed),
        cmocka_unit_test(test_only_creating_allocates),
        cmocka_unit_test(test_thousand_epochs_take_no_more_memory),
    };
    isg_set_threads(1); /* faster for so little work */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
