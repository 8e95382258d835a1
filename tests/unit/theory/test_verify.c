/* test_verify.c - correct mappings pass every check, whatever the patterns
 *
 * SPDX-License-Identifier: MIT
 *
 * That wrong ones are not is for tests/mutants: a dozen deliberate errors in the mapping, each of which
 * this test must notice.
 */
#include "test.h"

#include <stdlib.h>

#include "base/rng.h"

/* Patterns with a share of +1; the second half, if they are near, is the first with one unit flipped. */
static isg_patterns *make_patterns(size_t n, size_t p, double share, bool are_near) {
    isg_cursor random = isg_cursor_at(isg_stream_at(n * 1000 + p, ISG_PURPOSE_TEST, are_near, 0));
    int8_t *xi = malloc(n * p);
    isg_patterns *patterns = NULL;
    assert_non_null(xi);
    for (size_t k = 0; k < n * p; k++)
        xi[k] = isg_next_uniform(&random) < share ? 1 : -1;
    for (size_t mu = p / 2; are_near && mu < p; mu++) {
        for (size_t i = 0; i < n; i++)
            xi[i * p + mu] = xi[i * p + mu - p / 2];
        const size_t i = (size_t)isg_next_below(&random, n);
        xi[i * p + mu] = (int8_t)-xi[i * p + mu];
    }
    assert_ok(isg_patterns_create(&patterns, n, p, xi, NULL));
    free(xi);
    return patterns;
}

static void assert_all_hold(isg_checks *checks, const char *what) {
    assert_true(isg_checks_count(checks) >= 27);
    for (size_t k = 0; k < isg_checks_count(checks); k++) {
        const isg_check *check = isg_checks_get(checks, k);
        if (!check->ok || !(check->value <= check->bound))
            fail_msg("%s, %s: %g, beyond %g", what, check->name, check->value, check->bound);
    }
    isg_checks_free(checks);
}

typedef struct kind {
    const char *name;
    size_t n, p;
    double share;
    bool are_near;
} kind;

static void assert_kinds_hold(const kind *kinds, size_t count) {
    for (size_t k = 0; k < count; k++) {
        isg_patterns *patterns =
            make_patterns(kinds[k].n, kinds[k].p, kinds[k].share, kinds[k].are_near);
        isg_checks *checks = NULL;
        assert_ok(isg_verify(&checks, patterns, 1, NULL));
        assert_all_hold(checks, kinds[k].name);
        isg_patterns_free(patterns);
    }
}

static void few_units_hold(void **state) {
    (void)state;
    static const kind kinds[] = {{"one pattern", 30, 1, 0.5, false},
                                 {"few units", 9, 4, 0.5, false},
                                 {"as many as units", 40, 40, 0.5, false}};
    assert_kinds_hold(kinds, sizeof kinds / sizeof *kinds);
}

/* Sanitizers make it six times slower; smaller sizes are fine, since the bounds scale with n and
   p. */
#ifdef __SANITIZE_ADDRESS__
enum { SHARE = 4, SEEDS = 2 };
#else
enum { SHARE = 1, SEEDS = 5 };
#endif

static void many_units_hold(void **state) {
    (void)state;
    static const kind kinds[] = {{"digits", 784 / SHARE, 10, 0.3, false},
                                 {"biased", 3000 / SHARE, 8, 0.1, false},
                                 {"nearly dependent", 784 / SHARE, 12, 0.1, true},
                                 {"many", 500 / SHARE, 100 / SHARE, 0.5, false}};
    assert_kinds_hold(kinds, sizeof kinds / sizeof *kinds);
}

static void small_networks_hold_for_every_seed(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        isg_checks *checks = NULL;
        assert_ok(isg_verify(&checks, NULL, seed, NULL));
        assert_all_hold(checks, "built in");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_units_hold),
        slow_unit_test(many_units_hold),
        slow_unit_test(small_networks_hold_for_every_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
