/* test_projections.c - projections of samples against the normal equations, term by term
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "helper_allocation.h"
#include "helper_progress.h"
#include "test.h"

enum { N = 130, P = 5, M = 700 };

typedef struct problem {
    isg_dataset *data;
    double x[N * P]; /* the first two columns are samples 0 and 1, the others real-valued */
    double out[M * P];
    const isg_progress *progress;
} problem;

static void create(problem *my) {
    static int8_t spins[M * N];
    isg_cursor random = isg_cursor_at(isg_stream_at(3, ISG_PURPOSE_TEST, 0, 0));
    for (size_t k = 0; k < M * N; k++)
        spins[k] = isg_next_uniform(&random) < 0.2 ? 1 : -1;
    for (size_t i = 0; i < N; i++)
        for (size_t mu = 0; mu < P; mu++)
            my->x[i * P + mu] = mu < 2 ? spins[mu * N + i] : 2 * isg_next_uniform(&random) - 1;
    assert_ok(isg_dataset_create(&my->data, M, N, spins, NULL));
}

static isg_matd_view columns(const problem *my) {
    return (isg_matd_view){my->x, N, P, P};
}

static isg_status project(void *user) {
    problem *my = user;
    return isg_projections((isg_matd){my->out, M, P, P}, my->data, columns(my), false,
                           my->progress);
}

/* x^T x a = x^T s for every sample. */
static void solve_the_normal_equations(void **state) {
    (void)state;
    static problem my;
    create(&my);
    patience watching = {.last_call = 0};
    const isg_progress progress = {lose_patience, &watching};
    my.progress = &progress;
    assert_ok(project(&my));
    assert_true(watching.calls > 0 && watching.fraction == 1);
    for (size_t a = 0; a < M; a++) {
        const uint64_t *spins = isg_dataset_row(my.data, a);
        double residual[N]; /* x a - s, at a right angle to every column */
        for (size_t i = 0; i < N; i++) {
            residual[i] = -(double)isg_spin(spins, i);
            for (size_t mu = 0; mu < P; mu++)
                residual[i] += my.x[i * P + mu] * my.out[a * P + mu];
        }
        for (size_t mu = 0; mu < P; mu++) {
            double dot = 0;
            for (size_t i = 0; i < N; i++)
                dot += residual[i] * my.x[i * P + mu];
            assert_true(fabs(dot) < 1e-11);
        }
        for (size_t mu = 0; a < 2 && mu < P; mu++) /* a column itself: a 1 and zeros */
            assert_true(fabs(my.out[a * P + mu] - (mu == a)) < 1e-13);
    }
    isg_dataset_free(my.data);
}

/* The network's own projections, one sample at a time, and with any number of threads. */
static void agree_with_the_network(void **state) {
    (void)state;
    static problem my;
    static double again[M * P];
    int8_t xi[N * P];
    isg_patterns *patterns = NULL;
    isg_hopfield *network = NULL;
    create(&my);
    for (size_t k = 0; k < N * P; k++) {
        xi[k] = my.x[k] > 0 ? 1 : -1;
        my.x[k] = xi[k];
    }
    assert_ok(isg_patterns_create(&patterns, N, P, xi, NULL));
    assert_ok(isg_hopfield_create(&network, patterns, NULL));
    assert_ok(project(&my));
    for (size_t a = 0; a < M; a++) {
        double one[P];
        assert_ok(isg_hopfield_projections(network, isg_dataset_row(my.data, a), one));
        for (size_t mu = 0; mu < P; mu++)
            assert_true(fabs(one[mu] - my.out[a * P + mu]) < 1e-12);
    }
    memcpy(again, my.out, sizeof again);
    const size_t threads = isg_threads();
    for (size_t n = 1; n <= 5; n += 2) {
        isg_set_threads(n);
        assert_ok(project(&my));
        assert_memory_equal(again, my.out, sizeof again);
    }
    isg_set_threads(threads);
    isg_hopfield_free(network);
    isg_patterns_free(patterns);
    isg_dataset_free(my.data);
}

/* Equal columns share what one of them would get. */
static void dependent_columns(void **state) {
    (void)state;
    static problem my;
    create(&my);
    for (size_t i = 0; i < N; i++)
        my.x[i * P + 4] = my.x[i * P];
    assert_fails(project(&my), ISG_ERR_DEPENDENT, "rank 4");
    assert_ok(isg_projections((isg_matd){my.out, M, P, P}, my.data, columns(&my), true, NULL));
    assert_true(fabs(my.out[0] - 0.5) < 1e-13 && fabs(my.out[4] - 0.5) < 1e-13);
    isg_dataset_free(my.data);
}

static void refuse_nonsense(void **state) {
    (void)state;
    static problem my;
    create(&my);
    const isg_matd room = {my.out, M, P, P}, small = {my.out, M - 1, P, P};
    const isg_matd_view wrong = {my.x, N - 1, P, P};
    assert_fails(isg_projections(room, my.data, wrong, false, NULL), ISG_ERR_SHAPE, "130 units");
    assert_fails(isg_projections(small, my.data, columns(&my), false, NULL), ISG_ERR_SHAPE,
                 "700 x 5");
    const isg_progress progress = {cancel_at_once, NULL};
    my.progress = &progress;
    assert_fails(project(&my), ISG_ERR_CANCELLED, "cancelled");
    my.progress = NULL;
    assert_true(sweep_allocations(project, &my) > 3);
    isg_dataset_free(my.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solve_the_normal_equations),
        cmocka_unit_test(agree_with_the_network),
        cmocka_unit_test(dependent_columns),
        cmocka_unit_test(refuse_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
