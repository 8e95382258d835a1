/* test_impute.c - missing values follow the law of the model given the known ones
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "base/status.h"
#include "helper_allocation.h"
#include "helper_progress.h"
#include "helper_statistics.h"
#include "rbm/rbm.h"

static isg_rbm *build(size_t n, size_t p, double beta, double size) {
    isg_rbm *rbm = NULL;
    isg_cursor random = isg_cursor_at(isg_stream_at(1, ISG_PURPOSE_TEST, n, (uint32_t)p));
    assert_ok(isg_rbm_create(&rbm, n, p, beta));
    for (size_t k = 0; k < n * p; k++)
        isg_rbm_weights(rbm).data[k] = size * isg_next_normal(&random);
    for (size_t i = 0; i < n; i++)
        isg_rbm_visible_field(rbm)[i] = 0.3 * isg_next_normal(&random);
    for (size_t mu = 0; mu < p; mu++)
        isg_rbm_hidden_field(rbm)[mu] = 0.3 * isg_next_normal(&random);
    return rbm;
}

/* Rows of '+', '-' and '?', each `times` times, by way of an .npy file, where NaN is missing. */
static isg_dataset *data_of(const char *const *rows, size_t count, size_t times) {
    const size_t n = strlen(rows[0]), total = count * times * n;
    enum { HEADER = 128 };
    char *bytes = malloc(HEADER + total * sizeof(double));
    isg_dataset_options options = isg_dataset_defaults();
    isg_dataset *data = NULL;
    assert_non_null(bytes);
    memcpy(bytes, "\x93NUMPY\1\0\x76\0", 10);
    const int used = snprintf(bytes + 10, HEADER - 10,
                              "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, %zu), }",
                              count * times, n);
    memset(bytes + 10 + used, ' ', (size_t)(HEADER - 10 - used));
    bytes[HEADER - 1] = '\n';
    for (size_t k = 0; k < total; k++) {
        const char c = rows[k / n / times][k % n];
        const double value = c == '+' ? 1 : c == '-' ? -1 : (double)NAN;
        memcpy(bytes + HEADER + k * sizeof value, &value, sizeof value);
    }
    options.missing = ISG_MISSING_IMPUTE;
    assert_ok(isg_dataset_load_memory(&data, "rows.npy", bytes, HEADER + total * sizeof(double),
                                      &options, NULL));
    free(bytes);
    return data;
}

/* ---- the right law ----------------------------------------------------------------------------- */

enum { UNITS = 7, STATES = 1 << UNITS, ROWS = 5 };

static const char *const small[ROWS] = {"+-+-+-+", "?-+-+-?", "?????+-", "+-??+??", "???????"};

/* p(s | known) of all states, by enumeration; 0 for states that contradict what is known. */
static void exact_law(const isg_rbm *rbm, const char *row, double p[STATES]) {
    double sum = 0;
    for (uint64_t s = 0; s < STATES; s++) {
        double energy = 0;
        bool fits = true;
        for (size_t i = 0; i < UNITS; i++)
            fits = fits && (row[i] == '?' || (row[i] == '+') == (int)(s >> i & 1));
        assert_ok(isg_rbm_spin_energy(rbm, &s, &energy));
        p[s] = fits ? exp(-isg_rbm_describe(rbm).beta * energy) : 0;
        sum += p[s];
    }
    for (size_t s = 0; s < STATES; s++)
        p[s] /= sum;
}

static void test_draws_follow_the_conditional(void **state) {
    (void)state;
    enum { TIMES = 4000 };
    isg_rbm *rbm = build(UNITS, 2, 1.2, 0.5);
    isg_dataset *data = data_of(small, ROWS, TIMES), *full = NULL;
    assert_ok(isg_dataset_impute(&full, data, rbm, NULL, NULL));
    for (size_t r = 0; r < ROWS; r++) {
        double p[STATES], expected[STATES];
        size_t counts[STATES] = {0}, seen[STATES], cells = 0;
        exact_law(rbm, small[r], p);
        for (size_t a = r * TIMES; a < (r + 1) * TIMES; a++) {
            assert_null(isg_dataset_missing(full, a));
            counts[*isg_dataset_row(full, a)]++;
        }
        for (size_t s = 0; s < STATES; s++) {
            if (p[s] == 0)
                assert_int_equal(counts[s], 0); /* known spins stay */
            if (p[s] * TIMES < 5)
                continue;
            seen[cells] = counts[s];
            expected[cells++] = p[s] * TIMES;
        }
        if (cells > 1)
            assert_true(chi_square_score(seen, expected, cells) < 5);
    }
    isg_dataset_free(data);
    isg_dataset_free(full);
    isg_rbm_free(rbm);
}

/* The plain sampler, with the known spins put back after every sweep. */
static void plain_shares(const isg_rbm *rbm, const char *row, double shares[UNITS]) {
    enum { SWEEPS = 20000 };
    isg_cursor random = isg_cursor_at(isg_stream_at(3, ISG_PURPOSE_TEST, 1, 0));
    uint64_t spins = 0;
    double lambda[2], input[UNITS];
    memset(shares, 0, UNITS * sizeof *shares);
    for (size_t t = 0; t <= SWEEPS; t++) {
        if (t > 0)
            isg_rbm_sweep(rbm, &random, &spins, lambda, input);
        for (size_t i = 0; i < UNITS; i++) {
            if (row[i] != '?')
                isg_bit_assign(&spins, i, row[i] == '+');
            if (t > 0)
                shares[i] += isg_bit(&spins, i) / (double)SWEEPS;
        }
    }
}

static void test_probabilities_are_exact_and_plain(void **state) {
    (void)state;
    isg_rbm *rbm = build(UNITS, 2, 1.2, 0.3); /* which mixes fast */
    isg_dataset *data = data_of(small, ROWS, 1), *likely = NULL;
    double found[ROWS * UNITS];
    isg_impute_options options = isg_impute_defaults();
    options.measured = 20000;
    options.marginal = true;
    const isg_matd out = {found, ROWS, UNITS, UNITS};
    assert_ok(isg_impute_probabilities(out, data, rbm, &options, NULL));
    assert_ok(isg_dataset_impute(&likely, data, rbm, &options, NULL));
    for (size_t r = 0; r < ROWS; r++) {
        double p[STATES], plain[UNITS];
        exact_law(rbm, small[r], p);
        plain_shares(rbm, small[r], plain);
        for (size_t i = 0; i < UNITS; i++) {
            double share = 0;
            for (size_t s = 0; s < STATES; s++)
                share += s >> i & 1 ? p[s] : 0;
            assert_true(fabs(found[r * UNITS + i] - share) < (small[r][i] == '?' ? 0.02 : 1e-9));
            assert_true(fabs(plain[i] - share) < 0.03);
            assert_int_equal(isg_bit(isg_dataset_row(likely, r), i), found[r * UNITS + i] > 0.5);
        }
    }
    isg_dataset_free(data);
    isg_dataset_free(likely);
    isg_rbm_free(rbm);
}

/* ---- the same bits ------------------------------------------------------------------------------ */

enum { WIDE = 70, MANY = 500 };

static isg_dataset *wide_data(size_t count) {
    static char rows[MANY][WIDE + 1];
    static const char *list[MANY];
    isg_cursor random = isg_cursor_at(isg_stream_at(7, ISG_PURPOSE_TEST, 0, 0));
    for (size_t a = 0; a < count; a++) {
        const bool is_whole = isg_next_below(&random, 3) == 0;
        for (size_t i = 0; i < WIDE; i++)
            rows[a][i] = "+-?"[isg_next_below(&random, is_whole ? 2 : 3)];
        list[a] = rows[a];
    }
    return data_of(list, count, 1);
}

static void test_bits_depend_on_seed_and_row_only(void **state) {
    (void)state;
    const char *isa_before = isg_isa();
    isg_rbm *rbm = build(WIDE, 18, 1, 0.2);
    isg_dataset *data = wide_data(MANY), *expected = NULL, *found = NULL, *few = NULL;
    double *p = calloc(2 * MANY, WIDE * sizeof *p);
    assert_non_null(p);
    assert_ok(isg_set_isa("ref"));
    isg_set_threads(1);
    isg_impute_options options = isg_impute_defaults();
    options.sweeps = 5;
    options.measured = 4;
    assert_ok(isg_dataset_impute(&expected, data, rbm, &options, NULL));
    assert_ok(isg_impute_probabilities((isg_matd){p, MANY, WIDE, WIDE}, data, rbm, &options, NULL));
    for (size_t isa = 0; isg_isa_name(isa); isa++)
        for (size_t threads = 1; threads <= 3; threads++) {
            if (isg_set_isa(isg_isa_name(isa)) != ISG_OK)
                continue;
            isg_set_threads(threads);
            assert_ok(isg_dataset_impute(&found, data, rbm, &options, NULL));
            assert_memory_equal(isg_dataset_row(found, 0), isg_dataset_row(expected, 0),
                                2 * MANY * sizeof(uint64_t));
            isg_dataset_free(found);
            const isg_matd other = {p + MANY * WIDE, MANY, WIDE, WIDE};
            assert_ok(isg_impute_probabilities(other, data, rbm, &options, NULL));
            assert_memory_equal(p, other.data, MANY * WIDE * sizeof *p);
        }
    isg_set_threads(0);
    assert_ok(isg_set_isa(isa_before));
    size_t rows[100];
    for (size_t a = 0; a < 100; a++)
        rows[a] = a;
    assert_ok(isg_dataset_select(&few, data, rows, 100));
    assert_ok(isg_dataset_impute(&found, few, rbm, &options, NULL));
    assert_memory_equal(isg_dataset_row(found, 0), isg_dataset_row(expected, 0),
                        2 * 100 * sizeof(uint64_t));
    isg_dataset_free(found);
    options.seed = 2;
    assert_ok(isg_dataset_impute(&found, few, rbm, &options, NULL));
    assert_memory_not_equal(isg_dataset_row(found, 0), isg_dataset_row(expected, 0),
                            2 * 100 * sizeof(uint64_t));
    for (size_t a = 0; a < 100; a++)
        for (size_t word = 0; word < 2; word++) {
            const uint64_t *missing = isg_dataset_missing(data, a);
            assert_int_equal((isg_dataset_row(found, a)[word] ^ isg_dataset_row(data, a)[word]) &
                                 ~(missing ? missing[word] : 0),
                             0);
        }
    isg_dataset_free(found);
    isg_dataset_free(few);
    isg_dataset_free(expected);
    isg_dataset_free(data);
    isg_rbm_free(rbm);
    free(p);
}

/* ---- what is refused ---------------------------------------------------------------------------- */

static void test_misuse_and_cancelling(void **state) {
    (void)state;
    isg_rbm *rbm = build(UNITS, 2, 1, 0.5), *other = build(UNITS + 1, 2, 1, 0.5);
    isg_dataset *data = data_of(small, ROWS, 1), *whole = NULL, *out = NULL;
    isg_impute_options options = isg_impute_defaults();
    double p[UNITS];
    assert_fails(isg_dataset_impute(&out, data, other, NULL, NULL), ISG_ERR_SHAPE, "8 units");
    assert_fails(isg_impute_probabilities((isg_matd){p, 1, UNITS, UNITS}, data, rbm, NULL, NULL),
                 ISG_ERR_SHAPE, "5 x 7");
    options.sweeps = 0;
    assert_fails(isg_dataset_impute(&out, data, rbm, &options, NULL), ISG_ERR_ARGUMENT, "sweep");
    assert_fails(isg_dataset_impute(&out, data, rbm, NULL, &(isg_progress){cancel_at_once, NULL}),
                 ISG_ERR_CANCELLED, "cancelled");
    assert_null(out);
    assert_ok(isg_dataset_create(&whole, 1, UNITS, (const int8_t[]){1, 1, -1, 1, -1, 1, 1}, NULL));
    assert_ok(isg_dataset_impute(&out, whole, rbm, NULL, NULL)); /* nothing to do: a copy */
    assert_int_equal(*isg_dataset_row(out, 0), *isg_dataset_row(whole, 0));
    isg_dataset_free(out);
    isg_dataset_free(whole);
    isg_dataset_free(data);
    isg_rbm_free(rbm);
    isg_rbm_free(other);
}

typedef struct memory_case {
    const isg_rbm *rbm;
    const isg_dataset *data;
} memory_case;

static isg_status impute_all(void *user) {
    const memory_case *my = user;
    static double p[ROWS * UNITS];
    isg_impute_options options = isg_impute_defaults();
    isg_dataset *full = NULL;
    options.sweeps = options.measured = 1;
    options.marginal = true;
    ISG_TRY(isg_dataset_impute(&full, my->data, my->rbm, &options, NULL));
    isg_dataset_free(full);
    return isg_impute_probabilities((isg_matd){p, ROWS, UNITS, UNITS}, my->data, my->rbm, &options,
                                    NULL);
}

static void test_without_memory(void **state) {
    (void)state;
    isg_rbm *rbm = build(UNITS, 2, 1, 0.5);
    isg_dataset *data = data_of(small, ROWS, 1);
    assert_true(sweep_allocations(impute_all, &(memory_case){rbm, data}) > 10);
    isg_dataset_free(data);
    isg_rbm_free(rbm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draws_follow_the_conditional),
        cmocka_unit_test(test_probabilities_are_exact_and_plain),
        cmocka_unit_test(test_bits_depend_on_seed_and_row_only),
        cmocka_unit_test(test_misuse_and_cancelling),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
