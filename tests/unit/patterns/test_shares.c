/* test_shares.c - shares of +1 by group, and the patterns that samples are nearest to
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "helper_allocation.h"
#include "test.h"

enum { N = 75, M = 40, GROUPS = 4 };

typedef struct problem {
    isg_dataset *data;
    int8_t spins[M * N];
    int64_t labels[M];
    double shares[N * GROUPS];
} problem;

static void create(problem *my) {
    isg_cursor random = isg_cursor_at(isg_stream_at(5, ISG_PURPOSE_TEST, 0, 0));
    for (size_t a = 0; a < M; a++) {
        my->labels[a] = (int64_t)(3 * isg_next_uniform(&random));
        for (size_t i = 0; i < N; i++)
            my->spins[a * N + i] = isg_next_uniform(&random) < 0.4 ? 1 : -1;
    }
    assert_ok(isg_dataset_create(&my->data, M, N, my->spins, my->labels));
}

static isg_status share(void *user) {
    problem *my = user;
    return isg_group_shares((isg_matd){my->shares, N, GROUPS, GROUPS}, my->data, NULL);
}

static void expect_shares(const problem *my, const uint32_t *groups) {
    for (size_t k = 0; k < GROUPS; k++)
        for (size_t i = 0; i < N; i++) {
            size_t ups = 0, size = 0;
            for (size_t a = 0; a < M; a++) {
                size += groups[a] == k;
                ups += groups[a] == k && my->spins[a * N + i] > 0;
            }
            const double found = my->shares[i * GROUPS + k];
            if (size == 0)
                assert_true(isnan(found));
            else
                assert_true(found == (double)ups / (double)size);
        }
}

static void shares_are_counted(void **state) {
    (void)state;
    problem my;
    create(&my);
    assert_ok(share(&my)); /* three classes, and a group that has no sample */
    expect_shares(&my, isg_dataset_labels(my.data));
    uint32_t groups[M];
    for (size_t a = 0; a < M; a++)
        groups[a] = a % 7 == 0 ? UINT32_MAX : (uint32_t)(a % GROUPS);
    assert_ok(isg_group_shares((isg_matd){my.shares, N, GROUPS, GROUPS}, my.data, groups));
    expect_shares(&my, groups);
    const isg_matd low = {my.shares, N - 1, GROUPS, GROUPS};
    assert_fails(isg_group_shares(low, my.data, NULL), ISG_ERR_SHAPE, "75 units");
    assert_true(sweep_allocations(share, &my) > 0);
    isg_dataset_free(my.data);
}

static void nearest_patterns_are_of_the_class(void **state) {
    (void)state;
    problem my;
    uint32_t nearest[M];
    isg_patterns *patterns = NULL, *other = NULL;
    create(&my);
    isg_pattern_options options = isg_pattern_defaults();
    for (options.per_class = 1; options.per_class <= 3; options.per_class++) {
        assert_ok(isg_patterns_from_data(&patterns, my.data, &options, NULL));
        assert_ok(isg_patterns_nearest(patterns, my.data, nearest));
        for (size_t a = 0; a < M; a++) {
            size_t best = SIZE_MAX, least = SIZE_MAX;
            for (size_t mu = 0; mu < isg_patterns_describe(patterns).n_patterns; mu++) {
                size_t distance = 0;
                for (size_t i = 0; i < N; i++)
                    distance += isg_spin(isg_patterns_row(patterns, mu), i) != my.spins[a * N + i];
                if (mu / options.per_class == isg_dataset_labels(my.data)[a] && distance < least) {
                    least = distance;
                    best = mu;
                }
            }
            assert_int_equal(nearest[a], best);
        }
        isg_patterns_free(patterns);
        patterns = NULL;
    }
    /* A class without a pattern; patterns without labels, any of which may be the nearest. */
    static const char *const names[] = {"0", "1"};
    assert_ok(isg_patterns_create(&other, N, 2, my.spins, names));
    assert_ok(isg_patterns_nearest(other, my.data, nearest));
    for (size_t a = 0; a < M; a++)
        assert_int_equal(nearest[a], my.labels[a] < 2 ? (uint32_t)my.labels[a] : UINT32_MAX);
    isg_patterns_free(other);
    assert_ok(isg_patterns_create(&other, N, 1, my.spins, NULL));
    assert_ok(isg_patterns_nearest(other, my.data, nearest));
    assert_int_equal(nearest[M - 1], 0);
    isg_patterns_free(other);
    assert_ok(isg_patterns_create(&other, N - 1, 1, my.spins, NULL));
    assert_fails(isg_patterns_nearest(other, my.data, nearest), ISG_ERR_SHAPE, "75 units");
    isg_patterns_free(other);
    isg_dataset_free(my.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_counted),
        cmocka_unit_test(nearest_patterns_are_of_the_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
