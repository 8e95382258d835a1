/* test_gibbs_kernels.c - the Gibbs kernels of every instruction set against the reference
 *
 * SPDX-License-Identifier: MIT
 *
 * The tuned kernels look at floats and few random bits first, so it is the hard cases that count:
 * sums that cancel, spins near the edge, weights so large or small that floats end.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "helper_wall.h"
#include "kernels/gibbs_draws.h"
#include "sample/sample.h"
#include "test.h"

static isg_cursor inputs(uint64_t step) {
    return isg_cursor_at(isg_stream_at(20260704, ISG_PURPOSE_TEST, step, 0));
}

/* ---- models of all sizes, in memory that ends at a wall ------------------------------------------- */

/* How large the weights are. CANCELING ones come in pairs of columns that are opposite up to a
   thousandth, with large hidden fields: the sums of floats are then mostly rounding. */
typedef enum scale { SMALL, MIDDLE, LARGE, HUGE_ONES, TINY, CANCELING, SCALES } scale;

typedef struct model {
    isg_gibbs_weights w, at_wall;
    wall walls[9];
    double *weights, *b, *c;
} model;

static void fill(model *m, scale kind, isg_cursor *random) {
    static const double sizes[SCALES] = {0.05, 0.5, 30, 1e20, 1e-30, 1};
    const size_t n = m->w.n_visible, p = m->w.n_hidden;
    for (size_t i = 0; i < n; i++)
        for (size_t mu = 0; mu < p; mu++) {
            double *weight = &m->weights[i * p + mu];
            *weight = sizes[kind] * isg_next_normal(random);
            if (kind == CANCELING && mu % 2 == 1)
                *weight = -m->weights[i * p + mu - 1] * (1 + 1e-3 * isg_next_normal(random));
        }
    for (size_t i = 0; i < n; i++)
        m->b[i] = 0.3 * sizes[kind] * isg_next_normal(random);
    for (size_t mu = 0; mu < p; mu++)
        m->c[mu] = kind == CANCELING ? 3e3 : 0.3 * sizes[kind] * isg_next_normal(random);
}

/* The same arrays once more, each with its last element before a wall. */
static void move_to_walls(model *m) {
    const isg_gibbs_weights *w = &m->w;
    m->at_wall = *w;
    const size_t floats = w->panels * ISG_PANEL * w->n_hidden * sizeof(float);
    m->at_wall.weights = ending_at(&m->walls[0], floats);
    memcpy(m->at_wall.weights, w->weights, floats);
    m->at_wall.field = ending_at(&m->walls[1], w->panels * ISG_PANEL * sizeof(float));
    memcpy(m->at_wall.field, w->field, w->panels * ISG_PANEL * sizeof(float));
    m->at_wall.hidden_field = ending_at(&m->walls[2], w->stride * sizeof(float));
    memcpy(m->at_wall.hidden_field, w->hidden_field, w->stride * sizeof(float));
    m->at_wall.rows = ending_at(&m->walls[3], w->n_visible * w->stride * sizeof(int32_t));
    memcpy(m->at_wall.rows, w->rows, w->n_visible * w->stride * sizeof(int32_t));
    m->at_wall.all_down = ending_at(&m->walls[4], w->stride * sizeof(int32_t));
    memcpy(m->at_wall.all_down, w->all_down, w->stride * sizeof(int32_t));
}

static void model_create(model *m, size_t n, size_t p, scale kind, isg_cursor *random) {
    for (size_t k = 0; k < 9; k++)
        m->walls[k] = wall_create();
    assert_ok(isg_gibbs_weights_create(&m->w, n, p));
    m->weights = calloc(n * p, sizeof(double));
    m->b = calloc(n, sizeof(double));
    m->c = calloc(p, sizeof(double));
    assert_true(m->weights && m->b && m->c);
    fill(m, kind, random);
    assert_ok(isg_gibbs_weights_set(&m->w, m->weights, m->b, m->c));
    move_to_walls(m);
}

static void model_free(model *m) {
    for (size_t k = 0; k < 9; k++)
        wall_free(&m->walls[k]);
    isg_gibbs_weights_release(&m->w);
    free(m->weights);
    free(m->b);
    free(m->c);
}

static void random_spins(const isg_gibbs_weights *w, size_t rows, isg_cursor *random,
                         uint64_t *spins) {
    for (size_t k = 0; k < rows; k++)
        for (size_t i = 0; i < w->n_visible; i++)
            isg_bit_assign(spins + k * w->words, i, isg_next_word(random) & 1);
}

/* ---- gibbs_sweep and hidden_input ---------------------------------------------------------------- */

/* What some sweeps leave behind. */
typedef struct outcome {
    uint64_t *spins;
    int32_t *input;
    float *lambda;
} outcome;

static outcome outcome_at(const model *m, size_t chains) {
    const isg_gibbs_weights *w = &m->w;
    return (outcome){ending_at(&m->walls[5], chains * w->words * sizeof(uint64_t)),
                     ending_at(&m->walls[6], chains * w->stride * sizeof(int32_t)),
                     ending_at(&m->walls[7], chains * w->stride * sizeof(float))};
}

static void sweep(const isg_kernels *kernels, const model *m, size_t chains, const uint64_t *start,
                  isg_gibbs_step step, outcome out) {
    const isg_gibbs_weights *w = &m->at_wall;
    void *scratch = ending_at(&m->walls[8], isg_gibbs_scratch_bytes(w));
    memcpy(out.spins, start, chains * w->words * sizeof(uint64_t));
    kernels->hidden_input(w, chains, out.spins, out.input);
    for (size_t t = 0; t < 4; t++, step.counter[2]++)
        kernels->gibbs_sweep(w, &step, chains, out.spins, out.input, out.lambda, scratch);
}

static void assert_same(const isg_kernels *kernels, const isg_gibbs_weights *w, size_t chains,
                        outcome a, outcome b) {
    for (size_t k = 0; k < chains; k++) {
        const size_t s = k * w->words, h = k * w->stride;
        if (memcmp(a.lambda + h, b.lambda + h, w->n_hidden * sizeof(float)) != 0)
            fail_msg("%s: other hidden units, N = %zu, p = %zu", kernels->name, w->n_visible,
                     w->n_hidden);
        if (memcmp(a.spins + s, b.spins + s, w->words * sizeof(uint64_t)) != 0)
            fail_msg("%s: other spins, N = %zu, p = %zu", kernels->name, w->n_visible, w->n_hidden);
        if (memcmp(a.input + h, b.input + h, w->stride * sizeof(int32_t)) != 0)
            fail_msg("%s: other sums, N = %zu, p = %zu", kernels->name, w->n_visible, w->n_hidden);
    }
}

static void one_size(size_t n, size_t p, scale kind, size_t chains, isg_cursor *random) {
    const isg_kernels *sets[8];
    const size_t n_sets = runnable(sets);
    model m;
    model_create(&m, n, p, kind, random);
    const isg_gibbs_weights *w = &m.w;
    uint64_t *start = calloc(2 * chains, w->words * sizeof *start),
             *mask = start + chains * w->words;
    outcome expected = {calloc(chains * w->words, 8), calloc(chains * w->stride, 4),
                        calloc(chains * w->stride, 4)};
    assert_true(start && expected.spins && expected.input && expected.lambda);
    random_spins(w, 2 * chains, random, start);
    isg_gibbs_step step = {.beta = 0.3 + 3 * isg_next_uniform(random),
                           .gain = isg_next_below(random, 2) ? 1 : isg_next_uniform(random),
                           .clamped = isg_next_below(random, 3) ? NULL : mask,
                           .clamped_stride = isg_next_below(random, 2) ? w->words : 0};
    const isg_stream stream =
        isg_stream_at(isg_next_word64(random), ISG_PURPOSE_TEST, 5, isg_next_word(random) >> 8);
    memcpy(step.key, stream.key, sizeof step.key);
    memcpy(step.counter, stream.counter, sizeof step.counter);
    for (size_t s = 0; s < n_sets; s++) {
        const outcome out = outcome_at(&m, chains);
        sweep(sets[s], &m, chains, start, step, out);
        if (s == 0) {
            memcpy(expected.spins, out.spins, chains * w->words * 8);
            memcpy(expected.input, out.input, chains * w->stride * 4);
            memcpy(expected.lambda, out.lambda, chains * w->stride * 4);
        } else {
            assert_same(sets[s], w, chains, expected, out);
        }
    }
    free(start);
    free(expected.spins);
    free(expected.input);
    free(expected.lambda);
    model_free(&m);
}

static void test_sweeps_are_the_reference(void **state) {
    (void)state;
    isg_cursor random = inputs(1);
    /* Around the sizes of a panel, a word and a tile; then anything. */
    const size_t edges[] = {1, 2, 15, 16, 17, 63, 64, 65, 112, 128, 129};
    enum { EDGES = sizeof edges / sizeof *edges };
    for (size_t k = 0; k < 400; k++) {
        const bool is_edge = k < (size_t)EDGES * EDGES;
        const size_t n = is_edge ? edges[k % EDGES] : 1 + isg_next_below(&random, 300);
        const size_t p = is_edge ? edges[k / EDGES] : 1 + isg_next_below(&random, 140);
        one_size(n, p, (scale)(k % SCALES), 1 + isg_next_below(&random, ISG_GIBBS_CHAINS), &random);
    }
}

/* The counter that Philox makes these words of: every round can be taken back. */
static void counter_of(const uint32_t key[2], const uint32_t words[4], uint32_t counter[4]) {
    uint32_t a = words[0], b = words[1], c = words[2], d = words[3];
    for (uint32_t round = 10; round-- > 0;) {
        const uint32_t key_0 = key[0] + round * UINT32_C(0x9E3779B9);
        const uint32_t key_1 = key[1] + round * UINT32_C(0xBB67AE85);
        const uint32_t old_a = d * UINT32_C(0x991A7CDB); /* times D2511F53, 1 modulo 2^32 */
        const uint32_t old_c = b * UINT32_C(0x6D7CAE67); /* times CD9E8D57 */
        b = a ^ (uint32_t)(UINT64_C(0xCD9E8D57) * old_c >> 32) ^ key_0;
        d = c ^ (uint32_t)(UINT64_C(0xD2511F53) * old_a >> 32) ^ key_1;
        a = old_a;
        c = old_c;
    }
    memcpy(counter, (const uint32_t[]){a, b, c, d}, 4 * sizeof *counter);
}

/* Words that nobody will ever draw by chance: normals at the far end, and spins against a field that
   only the last bits decide. Draws 0 and 1 of 16 units are for spins, 2 and 3 for the radius of
   pairs of normals. */
static void test_rare_words_are_the_reference(void **state) {
    (void)state;
    static const uint32_t rare[][4] = {{0, 0, 0, 0},
                                       {0, 1, 2, 0x10000},
                                       {0x10001, 0x20000, 2, 0xFFFF},
                                       {UINT32_MAX, UINT32_MAX - 1, 0xFFFF0000, 0x80000000}};
    enum { UNITS = 16, RARE = sizeof rare / sizeof *rare };
    const isg_kernels *sets[8];
    const size_t n_sets = runnable(sets);
    isg_cursor random = inputs(6);
    model m;
    model_create(&m, UNITS, UNITS, TINY, &random);
    void *scratch = ending_at(&m.walls[8], isg_gibbs_scratch_bytes(&m.w));
    for (size_t i = 0; i < UNITS; i++) /* p(+1) is around 2^-16 */
        m.at_wall.field[i] = -5.2F - 0.04F * (float)i;
    m.at_wall.field_size = 6;
    for (size_t k = 0; k < 4 * RARE * 32; k++) {
        const uint32_t draw = (uint32_t)(k % 4), *words = rare[k / 4 % RARE];
        isg_gibbs_step step = {.beta = 1, .gain = 1, .key = {isg_next_word(&random), 7}};
        counter_of(step.key, words, step.counter);
        uint32_t check[4];
        isg_philox(step.key, step.counter, check);
        assert_memory_equal(check, words, sizeof check);
        step.counter[0] -= draw;
        uint64_t spins[8];
        float lambda[8][UNITS];
        for (size_t s = 0; s < n_sets; s++) {
            int32_t input[UNITS];
            spins[s] = 0;
            sets[s]->hidden_input(&m.at_wall, 1, &spins[s], input);
            sets[s]->gibbs_sweep(&m.at_wall, &step, 1, &spins[s], input, lambda[s], scratch);
            assert_int_equal(spins[s], spins[0]);
            assert_memory_equal(lambda[s], lambda[0], sizeof lambda[0]);
        }
        for (size_t q = 4 * (draw % 2); draw >= 2 && words[3] == 0 && q < 4 * (draw % 2) + 4; q++) {
            const double radius = hypot((double)lambda[0][q], (double)lambda[0][q + 8]);
            assert_true(radius > 6.65 && radius < 7.46);
        }
    }
    model_free(&m);
}

/* Sums over spins are those of W to half a unit per spin, and the unit is a fine one. */
static void test_sums_over_spins(void **state) {
    (void)state;
    isg_cursor random = inputs(2);
    for (size_t k = 0; k < 60; k++) {
        const size_t n = 1 + isg_next_below(&random, 300), p = 1 + isg_next_below(&random, 40);
        model m;
        model_create(&m, n, p, (scale)(k % SCALES), &random);
        const isg_gibbs_weights *w = &m.w;
        uint64_t spins[8] = {0};
        int32_t *input = calloc(w->stride, sizeof *input);
        assert_non_null(input);
        random_spins(w, 1, &random, spins);
        isg_kernels_ref.hidden_input(w, 1, spins, input);
        double largest = 0;
        for (size_t mu = 0; mu < p; mu++) {
            double sum = 0, size = 0;
            for (size_t i = 0; i < n; i++) {
                sum += isg_spin(spins, i) * m.weights[i * p + mu];
                size += fabs(m.weights[i * p + mu]);
            }
            largest = fmax(largest, size);
            const double off = fabs((double)input[mu] * (double)w->unit - sum);
            assert_true(off <= (double)n * (double)w->unit / 2 + 1e-13 * size);
        }
        assert_true((double)w->unit <= largest * 0x1p-28);
        free(input);
        model_free(&m);
    }
}

static void test_weights_that_are_refused(void **state) {
    (void)state;
    isg_gibbs_weights w;
    assert_ok(isg_gibbs_weights_create(&w, 20, 3));
    double weights[60] = {0}, b[20] = {0}, c[3] = {0};
    assert_ok(isg_gibbs_weights_set(&w, weights, b, c));
    weights[3 * 17 + 2] = (double)NAN;
    assert_fails(isg_gibbs_weights_set(&w, weights, b, c), ISG_ERR_DIVERGED,
                 "visible unit 17 and hidden unit 2 is ");
    weights[3 * 17 + 2] = HUGE_VAL;
    assert_fails(isg_gibbs_weights_set(&w, weights, b, c), ISG_ERR_DIVERGED, "unit 2 is inf");
    weights[3 * 17 + 2] = -1e40;
    assert_fails(isg_gibbs_weights_set(&w, weights, b, c), ISG_ERR_DIVERGED, "unit 2 is -1e+40");
    for (size_t i = 0; i < 20; i++)
        weights[3 * i + 1] = 1e30;
    weights[3 * 17 + 2] = 0;
    assert_fails(isg_gibbs_weights_set(&w, weights, b, c), ISG_ERR_DIVERGED, "add up to more");
    memset(weights, 0, sizeof weights);
    b[19] = (double)NAN;
    assert_fails(isg_gibbs_weights_set(&w, weights, b, c), ISG_ERR_DIVERGED, "visible unit 19");
    b[19] = 0;
    c[1] = -HUGE_VAL;
    assert_fails(isg_gibbs_weights_set(&w, weights, b, c), ISG_ERR_DIVERGED,
                 "hidden unit 1 is -inf");
    isg_gibbs_weights_release(&w);
    assert_fails(isg_gibbs_weights_create(&w, SIZE_MAX / 2, 3), ISG_ERR_MEMORY, "units");
    isg_gibbs_weights_release(&w);
}

/* ---- spin_moments -------------------------------------------------------------------------------- */

static void test_moments_are_the_reference(void **state) {
    (void)state;
    const isg_kernels *sets[8];
    const size_t n_sets = runnable(sets);
    isg_cursor random = inputs(3);
    for (size_t k = 0; k < 60; k++) {
        const size_t n = 1 + isg_next_below(&random, 100), p = 1 + isg_next_below(&random, 70);
        const size_t samples = k < 5 ? k : isg_next_below(&random, 200);
        model m;
        model_create(&m, n, p, MIDDLE, &random);
        const isg_gibbs_weights *w = &m.w;
        uint64_t *spins = ending_at(&m.walls[5], samples * w->words * 8);
        float *lambda = ending_at(&m.walls[7], samples * w->stride * 4);
        double *sums = ending_at(&m.walls[8], ISG_PANEL * w->stride * sizeof(double));
        double *expected = calloc(ISG_PANEL * w->stride, sizeof *expected);
        assert_non_null(expected);
        memset(spins, 0, samples * w->words * 8);
        random_spins(w, samples, &random, spins);
        for (size_t a = 0; a < samples * w->stride; a++)
            lambda[a] = (float)(5 * isg_next_normal(&random));
        const size_t panel = isg_next_below(&random, w->panels);
        for (size_t s = 0; s < n_sets; s++) {
            for (size_t a = 0; a < ISG_PANEL * w->stride; a++)
                sums[a] = (double)a;
            sets[s]->spin_moments(&m.at_wall, panel, samples, spins, lambda, -1, sums);
            for (size_t q = 0; q < ISG_PANEL && panel * ISG_PANEL + q < n; q++)
                for (size_t mu = 0; mu < p; mu++)
                    if (s == 0)
                        expected[q * w->stride + mu] = sums[q * w->stride + mu];
                    else
                        assert_memory_equal(&expected[q * w->stride + mu],
                                            &sums[q * w->stride + mu], sizeof(double));
        }
        free(expected);
        model_free(&m);
    }
}

/* ---- the functions behind a draw ------------------------------------------------------------------ */

/* Against the formula in double; a radius of 2^-40 and of 1 as well. */
static void test_normals(void **state) {
    (void)state;
    isg_cursor random = inputs(5);
    const double pi = acos(-1);
    double worst = 0, largest = 0;
    for (size_t k = 0; k < 300000; k++) {
        uint32_t high = isg_next_word(&random), low = isg_next_word(&random);
        if (k % 3 == 1) /* far out */
            high >>= isg_next_below(&random, 33) % 32;
        if (k % 30 == 2)
            high = k % 60 == 2 ? 0 : UINT32_MAX;
        if (k % 60 == 2)
            low &= 0xFFFFFF;
        const double fraction = ((double)high * 256 + (double)(low >> 24) + 1) * 0x1p-40;
        const double angle = 2 * pi * ((double)(low & 0xFFFFFF) + 0.5) * 0x1p-24;
        const double radius = sqrt(-2 * log(fraction));
        float z[2];
        isg_gibbs_normals(high, low, z);
        /* A fraction near 1 is rounded to 2^-25, which moves radius^2 / 2 by that much. */
        const double allowed = 5e-7 * radius + fmin(0x1p-25 / radius, 0x1p-12);
        worst = fmax(worst, fabs((double)z[0] - radius * cos(angle)) / allowed);
        worst = fmax(worst, fabs((double)z[1] - radius * sin(angle)) / allowed);
        largest = fmax(largest, hypot((double)z[0], (double)z[1]));
    }
    if (!(worst < 1))
        fail_msg("off by %.2f times what is allowed", worst);
    assert_true(largest > 7.44 && largest < 7.45);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweeps_are_the_reference),
        cmocka_unit_test(test_rare_words_are_the_reference),
        cmocka_unit_test(test_sums_over_spins),
        cmocka_unit_test(test_weights_that_are_refused),
        cmocka_unit_test(test_moments_are_the_reference),
        cmocka_unit_test(test_normals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
