/* test_minimize.c - L-BFGS on functions with known minima, at its limits, and to the bit
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/minimize.h"
#include "helper_allocation.h"

enum { MOST = 1000 };

typedef enum shape { ROSENBROCK, QUADRATIC, FLOOR, FLAT, WALL, KINK, FALLING } shape;

typedef struct problem {
    shape function;
    size_t n;
    double tolerance;  /* go_on() ends below this gradient */
    size_t stop_after; /* and after so many iterations; 0: never */
    double x[MOST];    /* start, then result */
    double last[MOST]; /* x after the last iteration */
    size_t evaluations, iterations;
    double value, gradient; /* after the last iteration; gradient: its largest entry */
    double lowest;          /* of all values of KINK */
    bool is_monotone;       /* no iteration raised the value */
    uint64_t hash;          /* of all points after iterations */
    isg_minimize_end end;
} problem;

/* sum (1 - x_i)^2 + 100 (x_i+1 - x_i^2)^2, with its minimum 0 at ones. */
static double rosenbrock(size_t n, const double *x, double *gradient) {
    double sum = 0;
    memset(gradient, 0, n * sizeof *gradient);
    for (size_t i = 0; i + 1 < n; i++) {
        const double a = 1 - x[i], b = x[i + 1] - x[i] * x[i];
        sum += a * a + 100 * b * b;
        gradient[i] -= 2 * a + 400 * b * x[i];
        gradient[i + 1] += 200 * b;
    }
    return sum;
}

/* 1/2 sum c_i (x_i - 1)^2, c from 1 to 2^10. */
static double quadratic(size_t n, const double *x, double *gradient) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const double c = ldexp(1, (int)(n > 1 ? 10 * i / (n - 1) : 0)), off = x[i] - 1;
        sum += c * off * off / 2;
        gradient[i] = c * off;
    }
    return sum;
}

static double evaluate(void *user, const double *x, double *gradient) {
    problem *p = user;
    p->evaluations++;
    switch (p->function) {
    case ROSENBROCK:
        return rosenbrock(p->n, x, gradient);
    case QUADRATIC:
        return quadratic(p->n, x, gradient);
    case FLOOR: /* the last bit of the value is 2^-12 */
        return 0x1p40 + rosenbrock(p->n, x, gradient);
    case FLAT:
        return 0x1p40 + quadratic(p->n, x, gradient);
    case WALL: /* -ln x is nothing at and beyond 0: here the slope is that of x - ln x */
        gradient[0] = 1 - 1 / x[0];
        return x[0] > 0 ? x[0] - log(x[0]) : (double)NAN;
    case KINK: /* slopes of -1 and 1 and nothing in between */
        gradient[0] = x[0] < 1 ? -1 : 1;
        p->lowest = fmin(p->lowest, fabs(x[0] - 1));
        return fabs(x[0] - 1);
    case FALLING: /* no minimum at all */
        gradient[0] = -1;
        return -x[0];
    }
    return 0;
}

static bool go_on(void *user, const double *x, const double *gradient, double value) {
    problem *p = user;
    p->iterations++;
    p->is_monotone = p->is_monotone && value <= p->value;
    p->value = value;
    memcpy(p->last, x, p->n * sizeof *x);
    p->gradient = 0;
    for (size_t i = 0; i < p->n; i++) {
        uint64_t bits = 0;
        memcpy(&bits, &x[i], sizeof bits);
        p->hash = (p->hash ^ bits) * UINT64_C(1099511628211);
        p->hash ^= p->hash >> 29;
        p->gradient = fmax(p->gradient, fabs(gradient[i]));
    }
    return p->gradient > p->tolerance && p->iterations != p->stop_after;
}

static problem start(shape which, size_t n, double even, double odd) {
    problem p = {.function = which,
                 .n = n,
                 .tolerance = 1e-9,
                 .is_monotone = true,
                 .value = HUGE_VAL,
                 .lowest = HUGE_VAL};
    for (size_t i = 0; i < n; i++)
        p.x[i] = i % 2 == 0 ? even : odd;
    p.hash = UINT64_C(14695981039346656037);
    return p;
}

static isg_status run(problem *p, size_t max_iterations) {
    const isg_smooth function = {evaluate, go_on, p};
    return isg_minimize(p->n, p->x, &function, max_iterations, &p->end);
}

static double farthest_from_one(const problem *p) {
    double largest = 0;
    for (size_t i = 0; i < p->n; i++)
        largest = fmax(largest, fabs(p->x[i] - 1));
    return largest;
}

/* ---- minima -------------------------------------------------------------------------------------- */

/* The evaluations that liblbfgs needs, with the same memory and conditions, and a fifth more. */
static void test_rosenbrock(void **state) {
    (void)state;
    const struct { size_t n, theirs; } cases[] = {{2, 46}, {10, 89}, {100, 609}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        problem p = start(ROSENBROCK, cases[c].n, -1.2, 1);
        p.tolerance = 1e-8;
        assert_ok(run(&p, 5000));
        assert_int_equal(p.end, ISG_MINIMIZE_STOPPED);
        assert_true(p.is_monotone && p.gradient <= 1e-8 && p.value < 1e-15);
        assert_true(farthest_from_one(&p) < 1e-7);
        if (5 * p.evaluations > 6 * cases[c].theirs)
            fail_msg("%zu variables: %zu evaluations", p.n, p.evaluations);
    }
}

static void test_ill_conditioned(void **state) {
    (void)state;
    problem p = start(QUADRATIC, 50, 0, 3);
    assert_ok(run(&p, 5000));
    assert_int_equal(p.end, ISG_MINIMIZE_STOPPED);
    assert_true(p.is_monotone && p.gradient <= 1e-9 && farthest_from_one(&p) <= 1e-9);
}

static void test_one_variable(void **state) {
    (void)state;
    problem p = start(QUADRATIC, 1, -1000, 0);
    assert_ok(run(&p, 100));
    assert_int_equal(p.end, ISG_MINIMIZE_STOPPED);
    assert_true(fabs(p.x[0] - 1) <= 1e-9 && p.iterations < 10);
}

/* ---- ends ---------------------------------------------------------------------------------------- */

static void test_start_at_the_minimum(void **state) {
    (void)state;
    problem p = start(ROSENBROCK, 10, 1, 1);
    p.tolerance = -1;
    assert_ok(run(&p, 100));
    assert_int_equal(p.end, ISG_MINIMIZE_STOPPED);
    assert_true(p.evaluations == 1 && p.iterations == 0 && farthest_from_one(&p) == 0);
}

/* Where the gradient vanishes later, the search ends though go_on() would have more. */
static void test_gradient_vanishes(void **state) {
    (void)state;
    problem p = start(QUADRATIC, 1, 3, 0);
    p.tolerance = -1;
    assert_ok(run(&p, 100));
    assert_int_equal(p.end, ISG_MINIMIZE_STOPPED);
    assert_true(p.gradient == 0 && p.x[0] == 1);
}

/* Where values are known to 2^-12 only the search ends on its own near the minimum, and soon: not in
   circles of points that are equal to the last bit. */
static void test_rounding(void **state) {
    (void)state;
    problem p = start(FLOOR, 20, -1.2, 1);
    p.tolerance = 0;
    assert_ok(run(&p, 5000));
    assert_int_equal(p.end, ISG_MINIMIZE_ROUNDING);
    assert_true(p.is_monotone && p.value <= 0x1p40 + 0x1p-10 && p.evaluations < 500);
    assert_memory_equal(p.x, p.last, p.n * sizeof *p.x);
    p = start(FLAT, 20, 0, 3);
    p.tolerance = -1;
    assert_ok(run(&p, 5000));
    assert_int_not_equal(p.end, ISG_MINIMIZE_LIMIT);
    assert_true(p.is_monotone && p.evaluations < 500 && farthest_from_one(&p) < 0x1p-6);
}

static void test_limit(void **state) {
    (void)state;
    for (size_t limit = 1; limit <= 30; limit += 7) {
        problem p = start(ROSENBROCK, 2, -1.2, 1);
        assert_ok(run(&p, limit));
        assert_int_equal(p.end, ISG_MINIMIZE_LIMIT);
        assert_int_equal(p.iterations, limit);
        assert_memory_equal(p.x, p.last, p.n * sizeof *p.x);
    }
}

static void test_told_to_stop(void **state) {
    (void)state;
    problem p = start(ROSENBROCK, 2, -1.2, 1);
    p.stop_after = 3;
    assert_ok(run(&p, 100));
    assert_int_equal(p.end, ISG_MINIMIZE_STOPPED);
    assert_int_equal(p.iterations, 3);
}

/* The first step, of length 1, lands on the wall or beyond it. */
static void test_wall(void **state) {
    (void)state;
    for (double x = 0.25; x < 200; x *= 2) {
        problem p = start(WALL, 1, x, 0);
        assert_ok(run(&p, 1000));
        assert_int_equal(p.end, ISG_MINIMIZE_STOPPED);
        assert_true(fabs(p.x[0] - 1) < 1e-8);
    }
}

/* No step meets the second condition: the lowest point of the line is taken all the same. */
static void test_kink(void **state) {
    (void)state;
    for (double x = 1.5; x < 50; x *= 1.3) {
        problem p = start(KINK, 1, x, 0);
        assert_ok(run(&p, 1));
        assert_int_equal(p.end, ISG_MINIMIZE_LIMIT);
        assert_true(p.value == p.lowest && p.value == fabs(p.x[0] - 1) && p.value < 1e-9);
    }
}

/* Without a minimum the search ends all the same. */
static void test_no_minimum(void **state) {
    (void)state;
    problem p = start(FALLING, 1, 0, 0);
    assert_ok(run(&p, 10));
    assert_true(p.is_monotone && p.x[0] > 1e6 && p.evaluations <= 1000);
}

/* ---- bits and memory ----------------------------------------------------------------------------- */

/* Only +, -, *, / and sqrt, each rounded once: every machine and compiler goes the same way, in all
   digits. A sum in another order, or a multiplication fused with an addition, goes another. */
static void test_bits(void **state) {
    (void)state;
    const struct {
        size_t n;
        uint64_t hash;
    } cases[] = {{2, UINT64_C(0x50e8000421ddf762)},
                 {13, UINT64_C(0xd8fa74a35465b567)},
                 {100, UINT64_C(0xe7c3e3131cb487dd)}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        problem p = start(ROSENBROCK, cases[c].n, -1.25, 1);
        assert_ok(run(&p, 60));
        if (p.hash != cases[c].hash)
            fail_msg("%zu variables: expected %016jx, found %016jx", p.n, (uintmax_t)cases[c].hash,
                     (uintmax_t)p.hash);
    }
}

static isg_status run_some(void *user) {
    problem *p = user;
    *p = start(ROSENBROCK, 10, -1.2, 1);
    const isg_status status = run(p, 30);
    if (status != ISG_OK)
        assert_true(p->evaluations == 0 && p->x[0] == -1.2);
    return status;
}

/* Everything is allocated before the first evaluation. */
static void test_allocations(void **state) {
    (void)state;
    static problem p;
    assert_int_equal(sweep_allocations(run_some, &p), 6);
}

static isg_status run_huge(void *user) {
    const isg_smooth function = {evaluate, go_on, user};
    isg_minimize_end end;
    return isg_minimize(SIZE_MAX / 4, NULL, &function, 1, &end);
}

static void test_too_many_variables(void **state) {
    (void)state;
    assert_fails(run_huge(NULL), ISG_ERR_MEMORY, "memory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rosenbrock),
        cmocka_unit_test(test_ill_conditioned),
        cmocka_unit_test(test_one_variable),
        cmocka_unit_test(test_start_at_the_minimum),
        cmocka_unit_test(test_gradient_vanishes),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_told_to_stop),
        cmocka_unit_test(test_wall),
        cmocka_unit_test(test_kink),
        cmocka_unit_test(test_no_minimum),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_too_many_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
