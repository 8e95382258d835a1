/* test_adam.c - Adam by its definition
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>

#include "classify/adam.h"

enum { COUNT = 5, STEPS = 40 };

/* Against the published recursion, with pow() for the corrections. */
static void test_follows_its_definition(void **state) {
    (void)state;
    isg_adam now = {.values = NULL}, next = {.values = NULL};
    double theta[COUNT] = {0}, m[COUNT] = {0}, v[COUNT] = {0};
    assert_ok(isg_adam_create(&now, COUNT, 1));
    assert_ok(isg_adam_create(&next, COUNT, 1));
    for (size_t t = 1; t <= STEPS; t++) {
        const double rate = 0.1 * (1 - (double)(t - 1) / STEPS);
        const isg_adam_step step = isg_adam_step_of(rate, t);
        double gradient[COUNT];
        for (size_t k = 0; k < COUNT; k++) {
            gradient[k] = sin((double)(t * (k + 1))) * pow(10, (double)k - 2);
            const double g = 0.25 * gradient[k];
            m[k] = 0.9 * m[k] + 0.1 * g;
            v[k] = 0.999 * v[k] + 0.001 * g * g;
            theta[k] -= rate * (m[k] / (1 - pow(0.9, (double)t))) /
                        (sqrt(v[k] / (1 - pow(0.999, (double)t))) + 1e-8);
        }
        isg_adam_move(&step, &now, &next, 0, 2, gradient, 0.25); /* in two parts */
        isg_adam_move(&step, &now, &next, 2, COUNT - 2, gradient + 2, 0.25);
        const isg_adam old = now;
        now = next;
        next = old;
        for (size_t k = 0; k < COUNT; k++)
            assert_true(fabs(now.values[k] - theta[k]) < 1e-12);
    }
    isg_adam_release(&now);
    isg_adam_release(&next);
}

/* The first step goes as far as the rate, whatever the size of the gradient. */
static void test_first_step(void **state) {
    (void)state;
    isg_adam now = {.values = NULL}, next = {.values = NULL};
    const double gradient[COUNT] = {1, -1e-3, 1e3, -7, 0};
    const isg_adam_step step = isg_adam_step_of(0.5, 1);
    assert_ok(isg_adam_create(&now, 1, COUNT));
    assert_ok(isg_adam_create(&next, 1, COUNT));
    isg_adam_move(&step, &now, &next, 0, COUNT, gradient, 1);
    for (size_t k = 0; k < COUNT; k++) {
        const double expected = gradient[k] > 0 ? -0.5 : gradient[k] < 0 ? 0.5 : 0;
        assert_true(fabs(next.values[k] - expected) < 1e-5);
    }
    isg_adam_release(&now);
    isg_adam_release(&next);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_follows_its_definition),
        cmocka_unit_test(test_first_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
