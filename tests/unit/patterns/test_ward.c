/* test_ward.c - Ward's clustering against the simplest form of the same algorithm
 *
 * SPDX-License-Identifier: MIT
 *
 * The reference keeps the whole distance matrix and updates it at every merge. The data have few
 * units and repeated rows, so that nearly everything ties; trees must agree to the last bit.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "helper_allocation.h"
#include "helper_progress.h"
#include "patterns/ward.h"
#include "test.h"

enum { MAX_N = 64 };

/* ---- the reference ------------------------------------------------------------------------------- */

typedef struct plain_merge {
    size_t x, y; /* slots, x < y; y goes on */
    double height;
} plain_merge;

static void plain_distances(const int8_t *spins, size_t n, size_t units, double d[MAX_N][MAX_N]) {
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            size_t different = 0;
            for (size_t i = 0; i < units; i++)
                different += (spins[a * units + i] > 0) != (spins[b * units + i] > 0);
            d[a][b] = sqrt((double)different);
        }
}

/* The nearest of x, the previous element of the chain (or n) preferred. */
static size_t plain_nearest(double d[MAX_N][MAX_N], const size_t *size, size_t n, size_t x,
                            size_t previous) {
    size_t y = previous;
    double least = previous < n ? d[x][previous] : HUGE_VAL;
    for (size_t i = 0; i < n; i++)
        if (size[i] > 0 && i != x && d[x][i] < least) {
            least = d[x][i];
            y = i;
        }
    return y;
}

static void plain_join(double d[MAX_N][MAX_N], size_t *size, size_t n, size_t x, size_t y) {
    const double nx = (double)size[x], ny = (double)size[y], dxy = d[x][y];
    for (size_t i = 0; i < n; i++)
        if (size[i] > 0 && i != x && i != y) {
            const double ni = (double)size[i], t = 1.0 / (nx + ny + ni);
            d[i][y] = sqrt((ni + nx) * t * d[i][x] * d[i][x] + (ni + ny) * t * d[i][y] * d[i][y] -
                           ni * t * dxy * dxy);
            d[y][i] = d[i][y];
        }
    size[y] += size[x];
    size[x] = 0;
}

static void plain_chain(const int8_t *spins, size_t n, size_t units, plain_merge *merges) {
    static double d[MAX_N][MAX_N];
    size_t size[MAX_N], chain[MAX_N + 1], length = 0;
    plain_distances(spins, n, units, d);
    for (size_t a = 0; a < n; a++)
        size[a] = 1;
    for (size_t k = 0; k + 1 < n; k++) {
        for (size_t a = 0; length == 0; a++)
            if (size[a] > 0)
                chain[length++] = a;
        for (;;) {
            const size_t x = chain[length - 1], previous = length > 1 ? chain[length - 2] : n;
            const size_t y = plain_nearest(d, size, n, x, previous);
            if (y == previous)
                break;
            chain[length++] = y;
        }
        const size_t a = chain[length - 1], b = chain[length - 2];
        length -= 2;
        merges[k] = (plain_merge){a < b ? a : b, a < b ? b : a, d[a][b]};
        plain_join(d, size, n, merges[k].x, merges[k].y);
    }
}

/* Sorts stably and names the clusters. */
static void plain_tree(const int8_t *spins, size_t n, size_t units, isg_merge *tree) {
    plain_merge merges[MAX_N];
    uint32_t cluster[MAX_N], sizes[2 * MAX_N]; /* cluster of a sample; size of a cluster */
    plain_chain(spins, n, units, merges);
    for (size_t k = 1; k + 1 < n; k++)
        for (size_t j = k; j > 0 && merges[j].height < merges[j - 1].height; j--) {
            const plain_merge moved = merges[j];
            merges[j] = merges[j - 1];
            merges[j - 1] = moved;
        }
    for (size_t a = 0; a < n; a++) {
        cluster[a] = (uint32_t)a;
        sizes[a] = 1;
    }
    for (size_t k = 0; k + 1 < n; k++) {
        const uint32_t one = cluster[merges[k].x], other = cluster[merges[k].y];
        tree[k].first = one < other ? one : other;
        tree[k].second = one < other ? other : one;
        tree[k].size = sizes[n + k] = sizes[one] + sizes[other];
        tree[k].height = merges[k].height;
        for (size_t a = 0; a < n; a++)
            if (cluster[a] == one || cluster[a] == other)
                cluster[a] = (uint32_t)(n + k);
    }
}

/* ---- comparing ------------------------------------------------------------------------------------ */

static isg_dataset *dataset_of(const int8_t *spins, size_t n, size_t units) {
    isg_dataset *data = NULL;
    assert_ok(isg_dataset_create(&data, n, units, spins, NULL));
    return data;
}

static void identity(size_t *rows, size_t n) {
    for (size_t a = 0; a < n; a++)
        rows[a] = a;
}

static void assert_trees_equal(const isg_ward *tree, const isg_merge *expected, size_t n) {
    const isg_merge *merges = isg_ward_merges(tree);
    assert_int_equal(isg_ward_count(tree), n);
    for (size_t k = 0; k + 1 < n; k++) {
        assert_int_equal(merges[k].first, expected[k].first);
        assert_int_equal(merges[k].second, expected[k].second);
        assert_int_equal(merges[k].size, expected[k].size);
        assert_true(merges[k].height == expected[k].height);
    }
}

/* Samples with few units, and some of them repeated, or grouped around a few centers. */
static void draw_samples(int8_t *spins, size_t n, size_t units, isg_cursor *random) {
    const uint64_t kind = isg_next_below(random, 3);
    int8_t centers[4 * 100];
    for (size_t k = 0; k < sizeof centers; k++)
        centers[k] = isg_next_below(random, 2) ? 1 : -1;
    for (size_t a = 0; a < n; a++) {
        const size_t source = a > 0 ? (size_t)isg_next_below(random, a) : 0;
        const bool is_copy = kind == 1 && a > 0 && isg_next_below(random, 2);
        const size_t center = (size_t)isg_next_below(random, 4);
        for (size_t i = 0; i < units; i++) {
            const int8_t drawn = isg_next_below(random, 2) ? 1 : -1;
            const int8_t near = isg_next_below(random, 8) ? centers[center * 100 + i] : drawn;
            spins[a * units + i] = is_copy ? spins[source * units + i] : kind == 2 ? near : drawn;
        }
    }
}

static void trees_equal_the_reference(void **state) {
    (void)state;
    isg_cursor random = isg_cursor_at(isg_stream_at(1, ISG_PURPOSE_TEST, 0, 0));
    size_t n_ties = 0, n_merges = 0;
    for (size_t trial = 0; trial < 1500; trial++) {
        static int8_t spins[MAX_N * 100];
        const size_t n = 1 + (size_t)isg_next_below(&random, 60);
        const size_t units = 1 + (size_t)isg_next_below(&random, trial % 3 == 0 ? 100 : 12);
        size_t rows[MAX_N];
        isg_merge expected[MAX_N];
        isg_ward *tree = NULL;
        draw_samples(spins, n, units, &random);
        plain_tree(spins, n, units, expected);
        isg_dataset *data = dataset_of(spins, n, units);
        identity(rows, n);
        for (size_t s = 0; isg_isa_name(s); s++) {
            if (isg_set_isa(isg_isa_name(s)) != ISG_OK)
                continue;
            assert_ok(isg_ward_create(&tree, data, rows, n, NULL));
            assert_trees_equal(tree, expected, n);
            isg_ward_free(tree);
        }
        assert_ok(isg_set_isa(NULL));
        isg_dataset_free(data);
        for (size_t k = 1; k + 1 < n; k++, n_merges++)
            n_ties += expected[k].height == expected[k - 1].height;
    }
    assert_true(n_ties > n_merges / 3); /* the data tie as they should */
}

/* A selection of rows in another order gives the same tree as a data set of just these rows. */
static void rows_are_taken_in_the_given_order(void **state) {
    (void)state;
    int8_t spins[40 * 7], chosen[25 * 7];
    size_t rows[40], all[25];
    isg_cursor random = isg_cursor_at(isg_stream_at(2, ISG_PURPOSE_TEST, 0, 0));
    draw_samples(spins, 40, 7, &random);
    identity(rows, 40);
    isg_shuffle(isg_stream_at(2, ISG_PURPOSE_TEST, 1, 0), rows, 40);
    for (size_t a = 0; a < 25; a++)
        memcpy(chosen + a * 7, spins + rows[a] * 7, 7);
    isg_dataset *whole = dataset_of(spins, 40, 7), *part = dataset_of(chosen, 25, 7);
    isg_ward *one = NULL, *other = NULL;
    identity(all, 25);
    assert_ok(isg_ward_create(&one, whole, rows, 25, NULL));
    assert_ok(isg_ward_create(&other, part, all, 25, NULL));
    assert_trees_equal(one, isg_ward_merges(other), 25);
    isg_ward_free(one);
    isg_ward_free(other);
    isg_dataset_free(whole);
    isg_dataset_free(part);
}

/* ---- cutting --------------------------------------------------------------------------------------- */

/* The parts of a cut, by undoing merges: two samples are together unless parted by the last k - 1. */
static bool are_together(const isg_merge *merges, size_t n, size_t k, size_t a, size_t b) {
    uint32_t one = (uint32_t)a, other = (uint32_t)b;
    for (size_t m = 0; m + k < n; m++) {
        if (merges[m].first == one || merges[m].second == one)
            one = (uint32_t)(n + m);
        if (merges[m].first == other || merges[m].second == other)
            other = (uint32_t)(n + m);
    }
    return one == other;
}

static void cuts_are_nested_partitions(void **state) {
    (void)state;
    isg_cursor random = isg_cursor_at(isg_stream_at(3, ISG_PURPOSE_TEST, 0, 0));
    for (size_t trial = 0; trial < 12; trial++) {
        static int8_t spins[MAX_N * 9];
        const size_t n = 1 + (size_t)isg_next_below(&random, 40);
        size_t rows[MAX_N];
        uint32_t cluster[MAX_N], coarser[MAX_N] = {0};
        isg_ward *tree = NULL;
        draw_samples(spins, n, 9, &random);
        isg_dataset *data = dataset_of(spins, n, 9);
        identity(rows, n);
        assert_ok(isg_ward_create(&tree, data, rows, n, NULL));
        for (size_t k = 1; k <= n; k++) {
            uint32_t seen = 0;
            assert_ok(isg_ward_cut(tree, k, cluster));
            for (size_t a = 0; a < n; a++) {
                assert_true(cluster[a] <= seen); /* numbered by first sample */
                seen += cluster[a] == seen;
                for (size_t b = 0; b < a; b++) {
                    const bool is_same = cluster[a] == cluster[b];
                    assert_int_equal(is_same, are_together(isg_ward_merges(tree), n, k, a, b));
                    assert_true(!is_same || coarser[a] == coarser[b]);
                }
            }
            assert_int_equal(seen, k);
            memcpy(coarser, cluster, sizeof coarser);
        }
        isg_ward_free(tree);
        isg_dataset_free(data);
    }
}

/* ---- corners ---------------------------------------------------------------------------------------- */

static void one_and_two_samples(void **state) {
    (void)state;
    const int8_t spins[] = {1, -1, -1, 1, 1, 1};
    const size_t rows[] = {0, 1};
    uint32_t cluster[2] = {9, 9};
    isg_ward *tree = NULL;
    isg_dataset *data = dataset_of(spins, 2, 3);
    assert_ok(isg_ward_create(&tree, data, rows + 1, 1, NULL));
    assert_int_equal(isg_ward_count(tree), 1);
    assert_ok(isg_ward_cut(tree, 1, cluster));
    assert_int_equal(cluster[0], 0);
    isg_ward_free(tree);
    assert_ok(isg_ward_create(&tree, data, rows, 2, NULL));
    const isg_merge *merge = isg_ward_merges(tree);
    assert_true(merge->first == 0 && merge->second == 1 && merge->size == 2);
    assert_true(merge->height == sqrt(2.0));
    assert_ok(isg_ward_cut(tree, 1, cluster));
    assert_true(cluster[0] == 0 && cluster[1] == 0);
    assert_ok(isg_ward_cut(tree, 2, cluster));
    assert_true(cluster[0] == 0 && cluster[1] == 1);
    isg_ward_free(tree);
    isg_ward_free(NULL);
    isg_dataset_free(data);
}

static void equal_rows_merge_at_height_zero(void **state) {
    (void)state;
    enum { N = 50 };
    int8_t spins[N * 3];
    size_t rows[N];
    isg_merge expected[MAX_N];
    isg_ward *tree = NULL;
    for (size_t k = 0; k < N * 3; k++)
        spins[k] = k % 3 == 1 ? 1 : -1;
    plain_tree(spins, N, 3, expected);
    identity(rows, N);
    isg_dataset *data = dataset_of(spins, N, 3);
    assert_ok(isg_ward_create(&tree, data, rows, N, NULL));
    assert_trees_equal(tree, expected, N);
    for (size_t k = 0; k + 1 < N; k++)
        assert_true(isg_ward_merges(tree)[k].height == 0);
    isg_ward_free(tree);
    isg_dataset_free(data);
}

/* ---- progress and memory ------------------------------------------------------------------------------ */

enum { MANY = 300 };

static isg_dataset *many_samples(size_t *rows) {
    static int8_t spins[MANY * 70];
    isg_cursor random = isg_cursor_at(isg_stream_at(4, ISG_PURPOSE_TEST, 0, 0));
    draw_samples(spins, MANY, 70, &random);
    identity(rows, MANY);
    return dataset_of(spins, MANY, 70);
}

static void clustering_can_be_cancelled(void **state) {
    (void)state;
    size_t rows[MANY];
    isg_dataset *data = many_samples(rows);
    isg_ward *tree = NULL;
    patience p = {.last_call = 3};
    const isg_progress progress = {lose_patience, &p};
    assert_fails(isg_ward_create(&tree, data, rows, MANY, &progress), ISG_ERR_CANCELLED,
                 "clustering was cancelled");
    assert_null(tree);
    assert_int_equal(p.calls, 3);
    p = (patience){.last_call = 0};
    assert_ok(isg_ward_create(&tree, data, rows, MANY, &progress));
    assert_true(p.calls > 3);
    isg_ward_free(tree);
    isg_dataset_free(data);
}

typedef struct ward_work {
    isg_dataset *data;
    size_t rows[MANY], count;
} ward_work;

static isg_status cluster_and_cut(void *user) {
    const ward_work *work = user;
    uint32_t cluster[MANY];
    isg_ward *tree = NULL;
    isg_status status = isg_ward_create(&tree, work->data, work->rows, work->count, NULL);
    assert_true((status == ISG_OK) == (tree != NULL));
    if (status == ISG_OK)
        status = isg_ward_cut(tree, 3, cluster);
    isg_ward_free(tree);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    ward_work work;
    work.data = many_samples(work.rows);
    work.count = 40;
    assert_true(sweep_allocations(cluster_and_cut, &work) > 20);
    isg_dataset_free(work.data);
}

/* The header's promise: 8 n^2 bytes, plus terms that grow as n. */
static void memory_stays_below_a_full_matrix(void **state) {
    (void)state;
    ward_work work;
    work.data = many_samples(work.rows);
    work.count = MANY;
    assert_true(peak_allocation(cluster_and_cut, &work) < 8 * MANY * MANY + 200 * MANY);
    isg_dataset_free(work.data);
}

/* ---- a part of the samples ------------------------------------------------------------------------- */

/* The squared distance of a sample from the mean of a cluster of some of the others. */
static double apart(const int8_t *spins, size_t units, size_t a, const size_t *some,
                    const uint32_t *cluster, size_t part, uint32_t wanted) {
    double sum = 0;
    for (size_t i = 0; i < units; i++) {
        double mean = 0, size = 0;
        for (size_t b = 0; b < part; b++)
            if (cluster[b] == wanted) {
                mean += spins[some[b] * units + i];
                size++;
            }
        sum += (spins[a * units + i] - mean / size) * (spins[a * units + i] - mean / size);
    }
    return sum;
}

/* Those chosen are clustered as if there were no others, and each of the others is in the cluster
   whose mean is nearest. */
static void others_join_the_nearest_mean(void **state) {
    (void)state;
    isg_cursor random = isg_cursor_at(isg_stream_at(5, ISG_PURPOSE_TEST, 0, 0));
    for (size_t trial = 0; trial < 300; trial++) {
        static int8_t spins[MAX_N * 70];
        const size_t n = 2 + (size_t)isg_next_below(&random, 60);
        const size_t units = 1 + (size_t)isg_next_below(&random, 70);
        const size_t part = 1 + (size_t)isg_next_below(&random, n);
        const size_t k = 1 + (size_t)isg_next_below(&random, part);
        size_t rows[MAX_N], some[MAX_N], next = 0;
        uint32_t cluster[MAX_N], of_some[MAX_N], name[MAX_N], seen = 0;
        isg_ward *tree = NULL;
        draw_samples(spins, n, units, &random);
        isg_dataset *data = dataset_of(spins, n, units);
        identity(rows, n);
        for (size_t a = 0; a < part; a++)
            some[a] = a * n / part;
        assert_ok(isg_ward_create(&tree, data, some, part, NULL));
        assert_ok(isg_ward_cut(tree, k, of_some));
        assert_ok(isg_ward_clusters(data, rows, n, part, k, cluster, NULL));
        for (size_t a = 0; a < part; a++)
            name[of_some[a]] = cluster[some[a]];
        for (size_t a = 0; a < n; a++) {
            assert_true(cluster[a] <= seen); /* numbered by first sample */
            seen += cluster[a] == seen;
            if (next < part && some[next] == a) {
                assert_int_equal(cluster[a], name[of_some[next++]]);
                continue;
            }
            double least = HUGE_VAL, own = HUGE_VAL;
            for (uint32_t j = 0; j < k; j++) {
                const double d = apart(spins, units, a, some, of_some, part, j);
                least = d < least ? d : least;
                own = name[j] == cluster[a] ? d : own;
            }
            assert_true(own <= least + 1e-9);
        }
        assert_int_equal(seen, k);
        isg_ward_free(tree);
        isg_dataset_free(data);
    }
}

/* Rows long enough to be computed by all threads are the same. */
static void long_rows_do_not_depend_on_threads(void **state) {
    (void)state;
    enum { N = 600, UNITS = 16000 };
    int8_t *spins = malloc((size_t)N * UNITS);
    size_t rows[N];
    isg_ward *trees[2] = {NULL};
    isg_cursor random = isg_cursor_at(isg_stream_at(6, ISG_PURPOSE_TEST, 0, 0));
    assert_non_null(spins);
    for (size_t k = 0; k < (size_t)N * UNITS; k++)
        spins[k] = isg_next_word(&random) >> 28 ? -1 : 1;
    isg_dataset *data = dataset_of(spins, N, UNITS);
    identity(rows, N);
    for (size_t t = 0; t < 2; t++) {
        isg_set_threads(1 + 2 * t);
        assert_ok(isg_ward_create(&trees[t], data, rows, N, NULL));
    }
    isg_set_threads(0);
    assert_trees_equal(trees[1], isg_ward_merges(trees[0]), N);
    isg_ward_free(trees[0]);
    isg_ward_free(trees[1]);
    isg_dataset_free(data);
    free(spins);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_equal_the_reference),
        cmocka_unit_test(rows_are_taken_in_the_given_order),
        cmocka_unit_test(cuts_are_nested_partitions),
        cmocka_unit_test(one_and_two_samples),
        cmocka_unit_test(equal_rows_merge_at_height_zero),
        cmocka_unit_test(clustering_can_be_cancelled),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(memory_stays_below_a_full_matrix),
        cmocka_unit_test(others_join_the_nearest_mean),
        cmocka_unit_test(long_rows_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
