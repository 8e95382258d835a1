/* test_ais_limits.c - annealing that is refused, cancelled or out of memory
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "helper_allocation.h"
#include "log_z/ais.h"
#include "test.h"

enum { N = 64, P = 3, CHAINS = 20 };

/* A full word of spins, and all fields. */
static isg_rbm *make_rbm(double size) {
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_create(&rbm, N, P, 1));
    for (size_t k = 0; k < (size_t)N * P; k++)
        rbm->weights[k] = size * ((double)(k * 7 % 11) - 5);
    for (size_t i = 0; i < N; i++)
        rbm->b[i] = size * ((double)(i % 3) - 1);
    rbm->c[1] = size;
    return rbm;
}

static isg_ais_options few(void) {
    isg_ais_options options = isg_ais_defaults();
    options.chains = CHAINS;
    options.steps = 4;
    return options;
}

/* ---- every allocation fails in turn ------------------------------------------------------------- */

typedef struct job {
    const isg_rbm *rbm;
    isg_ais_options options;
} job;

static const isg_log_z untouched = {.value = 42};

static isg_status forward(void *user) {
    const job *j = user;
    isg_log_z found = untouched;
    double log_weights[2 * CHAINS] = {42};
    const isg_status status = isg_ais_log_z(j->rbm, &j->options, &found, log_weights, NULL);
    assert_true((found.value == 42) == (status != ISG_OK));
    assert_true((log_weights[0] == 42) == (status != ISG_OK));
    return status;
}

static isg_status backward(void *user) {
    const job *j = user;
    const uint64_t spins[2 * CHAINS] = {0};
    isg_log_z found = untouched;
    const isg_status status = isg_ais_reverse(j->rbm, spins, &j->options, &found, NULL, NULL);
    assert_true((found.value == 42) == (status != ISG_OK));
    return status;
}

static isg_status at_betas(void *user) {
    const job *j = user;
    isg_log_z found[2] = {untouched, untouched};
    const isg_status status =
        isg_ais_log_z_betas(j->rbm, &j->options, (const double[]){1, 0.5}, 2, found, NULL);
    for (size_t k = 0; k < 2; k++)
        assert_true((found[k].value == 42) == (status != ISG_OK));
    return status;
}

static isg_status schedule(void *user) {
    const job *j = user;
    double *alphas = NULL;
    size_t steps = 0;
    const isg_status status = isg_ais_schedule(j->rbm, &j->options, 0.999, &alphas, &steps, NULL);
    assert_true((alphas == NULL) == (status != ISG_OK));
    if (status == ISG_OK)
        assert_true(steps >= 64); /* so that the list had to grow */
    isg_release(alphas);
    return status;
}

static void every_allocation(void **state) {
    (void)state;
    isg_rbm *rbm = make_rbm(0.05);
    job j = {rbm, few()};
    j.options.repeats = 2;
    isg_set_threads(1);
    /* The weights are 8 allocations and a table, a group of chains 4, a walker 7, averages 3. */
    assert_true(sweep_allocations(forward, &j) >= 16);
    assert_true(sweep_allocations(backward, &j) >= 16);
    assert_true(sweep_allocations(at_betas, &j) >= 20);
    j.options.weights = ISG_AIS_JOINT;
    assert_true(sweep_allocations(forward, &j) >= 16);
    j.options.weights = ISG_AIS_LAMBDA;
    assert_true(sweep_allocations(forward, &j) >= 11);
    j.options = few();
    assert_true(sweep_allocations(schedule, &j) >= 16);
    isg_set_threads(0);
    isg_rbm_free(rbm);
}

/* ---- refusals ----------------------------------------------------------------------------------- */

static void refused(const isg_rbm *rbm, isg_ais_options options, const char *part) {
    isg_log_z found = untouched;
    double log_weights[CHAINS] = {42}, *alphas = NULL;
    size_t steps = 42;
    assert_fails(isg_ais_log_z(rbm, &options, &found, log_weights, NULL), ISG_ERR_ARGUMENT, part);
    assert_true(found.value == 42 && log_weights[0] == 42);
    const double beta = 1;
    assert_int_equal(isg_ais_log_z_betas(rbm, &options, &beta, 1, &found, NULL), ISG_ERR_ARGUMENT);
    assert_true(found.value == 42);
    if (!options.schedule) /* which is what is looked for */
        assert_fails(isg_ais_schedule(rbm, &options, 0.9, &alphas, &steps, NULL), ISG_ERR_ARGUMENT,
                     part);
    assert_true(alphas == NULL && steps == 42);
}

static void refused_options(void **state) {
    (void)state;
    isg_rbm *rbm = make_rbm(0.05);
    isg_ais_options none[] = {few(), few(), few()};
    none[0].chains = none[1].steps = none[2].repeats = 0;
    for (size_t k = 0; k < 3; k++)
        refused(rbm, none[k], "at least one chain, step and repeat");

    isg_ais_options many[] = {few(), few()};
    many[0].chains = SIZE_MAX / 2;
    many[0].repeats = 3; /* more than size_t holds */
    many[1].chains = (size_t)1 << 31;
    many[1].repeats = 2;
    for (size_t k = 0; k < 2; k++)
        refused(rbm, many[k], "at most 2^32 - 1");

    isg_ais_options hmc = few();
    hmc.move = ISG_AIS_HMC;
    refused(rbm, hmc, "need lambda weights");
    hmc.weights = ISG_AIS_LAMBDA;
    isg_ais_options still[] = {hmc, hmc, hmc, hmc};
    still[0].hmc_step = 0;
    still[1].hmc_step = (double)INFINITY;
    still[2].hmc_step = (double)NAN;
    still[3].hmc_leapfrogs = 0;
    for (size_t k = 0; k < 4; k++)
        refused(rbm, still[k], "a positive step and at least one leapfrog");
    isg_rbm_free(rbm);
}

static void refused_schedules(void **state) {
    (void)state;
    isg_rbm *rbm = make_rbm(0.05);
    static const struct {
        double alphas[5];
        const char *part;
    } wrong[] = {
        {{0.1, 0.25, 0.5, 0.75, 1}, "found 0.1 as number 0"},
        {{0, 0.5, 0.5, 0.75, 1}, "found 0.5 as number 2"},
        {{0, 0.25, 1.5, 1.75, 2}, "found 1.5 as number 2"},
        {{0, 0.25, (double)NAN, 0.75, 1}, "found nan as number 2"},
        {{0, 0.25, 0.5, 0.75, 0.9}, "found 0.9 as number 4"},
    };
    isg_ais_options options = few();
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        options.schedule = wrong[k].alphas;
        refused(rbm, options, wrong[k].part);
    }
    options.schedule = (const double[]){0, 0.1, 0.3, 0.6, 1};
    isg_log_z found;
    assert_ok(isg_ais_log_z(rbm, &options, &found, NULL, NULL));

    options.schedule = NULL;
    double *alphas = NULL;
    size_t steps = 42;
    const double targets[] = {-1, 0, 1, 2, (double)NAN};
    for (size_t k = 0; k < 5; k++)
        assert_fails(isg_ais_schedule(rbm, &options, targets[k], &alphas, &steps, NULL),
                     ISG_ERR_ARGUMENT, "target: expected a share between 0 and 1");
    isg_rbm_free(rbm);
    /* Energies of 1e33: the smallest step tried leaves a single chain. */
    rbm = make_rbm(1e15);
    assert_fails(isg_ais_schedule(rbm, &options, 0.9, &alphas, &steps, NULL), ISG_ERR_UNSUPPORTED,
                 "needs more than 1000000 steps");
    assert_true(alphas == NULL && steps == 42);
    isg_rbm_free(rbm);
}

/* Only spin weights with Gibbs sweeps support the way back and many betas. */
static void refused_weights(void **state) {
    (void)state;
    isg_rbm *rbm = make_rbm(0.05);
    const uint64_t spins[CHAINS] = {0};
    isg_log_z found = untouched;
    isg_ais_options joint = few(), hmc = few();
    joint.weights = ISG_AIS_JOINT;
    hmc.move = ISG_AIS_HMC;
    assert_fails(isg_ais_reverse(rbm, spins, &joint, &found, NULL, NULL), ISG_ERR_ARGUMENT,
                 "way back");
    assert_fails(isg_ais_reverse(rbm, spins, &hmc, &found, NULL, NULL), ISG_ERR_ARGUMENT,
                 "way back");
    assert_fails(isg_ais_log_z_betas(rbm, &joint, (const double[]){1}, 1, &found, NULL),
                 ISG_ERR_ARGUMENT, "spin weights");
    assert_true(found.value == 42);
    isg_rbm_free(rbm);
}

/* ---- progress ----------------------------------------------------------------------------------- */

typedef struct watcher {
    size_t reports, strangers; /* by threads other than the caller's */
    double last;
    size_t most; /* reports until it is enough */
} watcher;

static bool watch(void *user, double fraction) {
    watcher *w = user;
    w->strangers += omp_get_thread_num() != 0;
    w->last = fraction;
    return ++w->reports < w->most;
}

static void progress_of_all_threads(void **state) {
    (void)state;
    isg_rbm *rbm = make_rbm(0.05);
    isg_ais_options options = few();
    options.steps = 128;
    options.repeats = 60; /* work enough for the caller's thread, too, wherever the others are */
    isg_set_threads(3);
    const isg_ais_weights weights[] = {ISG_AIS_SPIN, ISG_AIS_LAMBDA};
    for (size_t k = 0; k < 2; k++) {
        options.weights = weights[k];
        watcher all = {.most = SIZE_MAX}, some = {.most = 2};
        const isg_progress patient = {watch, &all}, tired = {watch, &some};
        isg_log_z watched, alone, found = untouched;
        assert_ok(isg_ais_log_z(rbm, &options, &watched, NULL, &patient));
        assert_true(all.reports > 1 && all.last == 1);
        assert_int_equal(all.strangers, 0);
        assert_ok(isg_ais_log_z(rbm, &options, &alone, NULL, NULL));
        assert_true(watched.value == alone.value && watched.error == alone.error);
        assert_fails(isg_ais_log_z(rbm, &options, &found, NULL, &tired), ISG_ERR_CANCELLED,
                     "annealing was cancelled");
        assert_true(found.value == 42);
        assert_int_equal(some.reports, 2);
    }
    watcher all = {.most = SIZE_MAX};
    const isg_progress patient = {watch, &all};
    options.weights = ISG_AIS_SPIN;
    double *alphas = NULL;
    size_t steps = 0;
    assert_ok(isg_ais_schedule(rbm, &options, 0.9, &alphas, &steps, &patient));
    assert_int_equal(all.reports, steps);
    assert_true(all.last == 1);
    isg_release(alphas);
    isg_set_threads(0);
    isg_rbm_free(rbm);
}

/* ---- one chain ------------------------------------------------------------------------------- */

static void one_chain_has_no_error(void **state) {
    (void)state;
    isg_rbm *rbm = make_rbm(0.05);
    isg_ais_options options = isg_ais_defaults();
    isg_log_z found = {0};
    options.chains = 1;
    options.steps = 10;
    assert_ok(isg_ais_log_z(rbm, &options, &found, NULL, NULL));
    assert_true(isnan(found.error) && !found.is_trusted);
    assert_non_null(strstr(found.reason, "a single chain has no error estimate"));
    assert_true(strlen(found.reason) + 1 < sizeof found.reason);
    isg_rbm_free(rbm);
}

/* ---- marks -------------------------------------------------------------------------------------- */

/* The weights on the way are those of chains that stop there. */
static void marks_before_the_end(void **state) {
    (void)state;
    isg_rbm *rbm = make_rbm(0.05);
    const double positions[] = {0, 0.2, 0.5, 0.8, 1};
    double marked[2 * CHAINS], stopped[CHAINS];
    isg_anneal a;
    assert_ok(isg_anneal_create(&a, rbm, 1, ISG_PURPOSE_AIS));
    a.positions = positions;
    a.steps = 4;
    assert_ok(isg_anneal_run(
        &a,
        &(isg_anneal_job){
            .chains = CHAINS, .marks = (const size_t[]){1, 3}, .n_marks = 2, .log_weights = marked},
        NULL));
    for (size_t k = 0; k < 2; k++) {
        a.steps = k == 0 ? 1 : 3;
        assert_ok(
            isg_anneal_run(&a, &(isg_anneal_job){.chains = CHAINS, .log_weights = stopped}, NULL));
        assert_memory_equal(marked + k * CHAINS, stopped, sizeof stopped);
    }
    isg_anneal_release(&a);
    isg_rbm_free(rbm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation),        cmocka_unit_test(refused_options),
        cmocka_unit_test(refused_schedules),       cmocka_unit_test(refused_weights),
        cmocka_unit_test(progress_of_all_threads), cmocka_unit_test(marks_before_the_end),
        cmocka_unit_test(one_chain_has_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
