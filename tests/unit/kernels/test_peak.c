/* test_peak.c - the clock, and the arithmetic speed of the machine, as far as one can know it
 *
 * SPDX-License-Identifier: MIT
 *
 * How fast the machine is, nobody knows; but not how the answer may come out.
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "test.h"

static void the_clock_goes_forward(void **state) {
    (void)state;
    const double start = isg_clock_s();
    double last = start, now = start;
    for (int k = 0; k < 1000 || now == start; k++) {
        now = isg_clock_s();
        assert_true(now >= last);
        last = now;
    }
}

static void times_without_a_meaning_are_refused(void **state) {
    (void)state;
    const double wrong[] = {0, -1, (double)NAN, HUGE_VAL, -HUGE_VAL};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        double out = 7;
        assert_fails(isg_peak(wrong[k], &out), ISG_ERR_ARGUMENT, "seconds: expected a positive");
        assert_true(out == 7);
    }
}

/* Between a pocket calculator and a petaflop. */
static void check_plausible(double peak) {
    if (!(isfinite(peak) && peak > 1e6 && peak < 1e15))
        fail_msg("%g operations per second", peak);
}

static void every_instruction_set_has_a_speed(void **state) {
    (void)state;
    for (size_t i = 0; isg_isa_name(i); i++) {
        const isg_status status = isg_set_isa(isg_isa_name(i));
        double peak = 0;
        if (status == ISG_ERR_UNSUPPORTED)
            continue;
        assert_ok(status);
        assert_ok(isg_peak(0.01, &peak));
        check_plausible(peak);
    }
    assert_ok(isg_set_isa("best"));
}

static void any_number_of_threads_will_do(void **state) {
    (void)state;
    const size_t threads[] = {1, 2, 7};
    for (size_t k = 0; k < 3; k++) {
        double peak = 0;
        isg_set_threads(threads[k]);
        assert_ok(isg_peak(1e-9, &peak)); /* over before it has begun: one round each */
        check_plausible(peak);
    }
    isg_set_threads(0);
}

/* The time asked for is a lower bound, and only the loads of other programs are above it. */
static void it_takes_the_time_it_was_given(void **state) {
    (void)state;
    double peak = 0;
    const double start = isg_clock_s();
    assert_ok(isg_peak(0.05, &peak));
    assert_true(isg_clock_s() - start >= 0.05);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clock_goes_forward),
        cmocka_unit_test(times_without_a_meaning_are_refused),
        cmocka_unit_test(every_instruction_set_has_a_speed),
        cmocka_unit_test(any_number_of_threads_will_do),
        cmocka_unit_test(it_takes_the_time_it_was_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
