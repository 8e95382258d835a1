/* test_moves.c - jumps and tempering keep p(s) and change modes; sweeps alone do not
 *
 * SPDX-License-Identifier: MIT
 *
 * The models have a few deep modes of unequal weight, so that sweeps stay where they started. Two
 * questions are asked of states counted against the exact probabilities: do chains that start from
 * p(s) keep it, and do chains that all start from one state find it? A chi-square of more than five
 * standard deviations has a probability below 1e-6 where all is right; the seeds are fixed, unless
 * ISINGLASS_TEST_SEED gives others.
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "helper_allocation.h"
#include "helper_statistics.h"
#include "sample/sample.h"

enum { CHAINS = 10000, TEMPERED = 2000 };

static uint64_t test_seed(uint64_t seed) {
    const char *given = getenv("ISINGLASS_TEST_SEED");
    return seed + (given ? 1000 * strtoull(given, NULL, 10) : 0);
}

/* ---- models and what is exact about them --------------------------------------------------------- */

typedef struct model {
    size_t n, p;
    double beta, depth; /* depth: beta times the squared size of a column of W */
    double b, c;        /* size of the fields */
} model;

/* Even; with both fields; the same, colder and with more units than a word of a panel has. */
static const model models[] = {
    {12, 2, 1, 3, 0, 0}, {12, 2, 1, 3, 0.05, 0.3}, {18, 3, 2, 2.5, 0.02, 0.1}};

enum { MODELS = sizeof models / sizeof *models };

typedef struct law {
    isg_rbm *rbm;
    size_t n, states;
    double *p;          /* (states) */
    double *cumulative; /* (states) */
} law;

static law law_create(const model *m) {
    law out = {.n = m->n, .states = (size_t)1 << m->n};
    isg_cursor random = isg_cursor_at(isg_stream_at(7, ISG_PURPOSE_TEST, m->n, 0));
    assert_ok(isg_rbm_create(&out.rbm, m->n, m->p, m->beta));
    const isg_matd w = isg_rbm_weights(out.rbm);
    for (size_t k = 0; k < m->n * m->p; k++)
        w.data[k] = sqrt(m->depth / m->beta / (double)m->n) * (isg_next_word(&random) & 1 ? 1 : -1);
    for (size_t i = 0; i < m->n; i++)
        isg_rbm_visible_field(out.rbm)[i] = m->b * isg_next_normal(&random);
    for (size_t mu = 0; mu < m->p; mu++)
        isg_rbm_hidden_field(out.rbm)[mu] = m->c * isg_next_normal(&random);
    out.p = malloc(out.states * sizeof *out.p);
    out.cumulative = malloc(out.states * sizeof *out.cumulative);
    assert_true(out.p && out.cumulative);
    assert_ok(isg_exact_probabilities(out.rbm, out.p));
    double sum = 0;
    for (size_t s = 0; s < out.states; s++)
        out.cumulative[s] = sum += out.p[s];
    return out;
}

static void law_release(law *l) {
    isg_rbm_free(l->rbm);
    free(l->p);
    free(l->cumulative);
}

static uint64_t law_sample(const law *l, isg_cursor *random) {
    const double u = isg_next_uniform(random) * l->cumulative[l->states - 1];
    size_t low = 0, high = l->states - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (l->cumulative[middle] > u)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The surprise of so many states, each a word; those expected less than ten times are counted together. */
static double surprise_of(const law *l, const uint64_t *states, size_t count) {
    size_t *counts = calloc(l->states + 1, sizeof *counts), cells = 1;
    double *expected = calloc(l->states + 1, sizeof *expected);
    size_t *cell = calloc(l->states, sizeof *cell);
    assert_true(counts && expected && cell);
    for (size_t s = 0; s < l->states; s++) {
        cell[s] = (double)count * l->p[s] < 10 ? 0 : cells++;
        expected[cell[s]] += (double)count * l->p[s];
    }
    for (size_t k = 0; k < count; k++)
        counts[cell[states[k]]]++;
    const size_t first = expected[0] < 1e-3;
    const double score = chi_square_score(counts + first, expected + first, cells - first);
    free(counts);
    free(expected);
    free(cell);
    return score;
}

static double surprise(const law *l, const isg_chains *chains) {
    const size_t count = isg_chains_describe(chains).count;
    uint64_t *states = malloc(count * sizeof *states);
    assert_non_null(states);
    for (size_t k = 0; k < count; k++)
        states[k] = *isg_chains_spins(chains, k);
    const double score = surprise_of(l, states, count);
    free(states);
    return score;
}

/* ---- moves --------------------------------------------------------------------------------------- */

typedef enum kind { SWEEPS, JUMPS, TEMPERING } kind;

static isg_jumps *jumps_of(const law *l) {
    isg_jump_options options = isg_jump_defaults();
    options.mixture.samples = 4000;
    options.mixture.witnesses = 64;
    options.mixture.seed = test_seed(5);
    isg_jumps *jumps = NULL;
    assert_ok(isg_jumps_create(&jumps, l->rbm, &options, NULL));
    const isg_jumps_info info = isg_jumps_describe(jumps);
    if (!info.is_usable)
        fail_msg("%s", info.reason);
    return jumps;
}

static isg_tempering *replicas_of(const law *l, const isg_chains *chains) {
    const double beta = isg_rbm_describe(l->rbm).beta;
    const isg_tempering_options options = {.temperatures = 6, .lowest = 0.3 * beta};
    isg_tempering *tempering = NULL;
    assert_ok(isg_tempering_create(&tempering, chains, beta, &options));
    return tempering;
}

/* The surprise after `steps` of these moves, from p(s) or else all from one state. */
static double after(const law *l, kind how, size_t steps, bool from_law, uint64_t seed) {
    const size_t count = how == TEMPERING ? TEMPERED : CHAINS;
    isg_chains *chains = NULL;
    isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_TEST, 1, 0));
    assert_ok(isg_chains_create(&chains, l->rbm, count, seed));
    uint64_t deepest = 0;
    for (uint64_t s = 0; s < l->states; s++)
        deepest = l->p[s] > l->p[deepest] ? s : deepest;
    for (size_t k = 0; k < count; k++) {
        const uint64_t start = from_law ? law_sample(l, &random) : deepest;
        isg_chains_set_spins(chains, k, &start);
    }
    isg_moves moves = {.jumps = how == JUMPS ? jumps_of(l) : NULL};
    if (how == TEMPERING)
        moves.tempering = replicas_of(l, chains);
    assert_ok(isg_chains_move(chains, &moves, steps, isg_rbm_describe(l->rbm).beta));
    const double score = surprise(l, chains);
    isg_jumps_free(moves.jumps);
    isg_tempering_free(moves.tempering);
    isg_chains_free(chains);
    return score;
}

static void test_jumps_keep_the_law(void **state) {
    (void)state;
    for (size_t m = 0; m < MODELS; m++) {
        law l = law_create(&models[m]);
        for (size_t steps = 1; steps <= 16; steps *= 4) {
            const double score = after(&l, JUMPS, steps, true, test_seed(10 + m));
            if (score > 5)
                fail_msg("model %zu, %zu steps: %g standard deviations", m, steps, score);
        }
        law_release(&l);
    }
}

static void test_jumps_find_the_law(void **state) {
    (void)state;
    for (size_t m = 0; m < MODELS; m++) {
        law l = law_create(&models[m]);
        const double score = after(&l, JUMPS, 40, false, test_seed(20 + m));
        if (score > 5)
            fail_msg("model %zu: %g standard deviations", m, score);
        assert_true(after(&l, SWEEPS, 40, false, test_seed(20 + m)) > 10);
        law_release(&l);
    }
}

/* Replicas that all start from states of the coldest law are not in equilibrium, so that it is found
   again rather than kept; where it was is forgotten. */
static void test_tempering_finds_the_law(void **state) {
    (void)state;
    for (size_t m = 0; m < MODELS; m++) {
        law l = law_create(&models[m]);
        for (int from_law = 0; from_law < 2; from_law++) {
            const double score = after(&l, TEMPERING, 120, from_law, test_seed(30 + m));
            if (score > 5)
                fail_msg("model %zu: %g standard deviations", m, score);
        }
        law_release(&l);
    }
}

/* A mixture that is older than the weights: the law is that of the weights. */
static void test_an_old_mixture_keeps_the_new_law(void **state) {
    (void)state;
    law old = law_create(&models[1]);
    isg_jumps *jumps = jumps_of(&old);
    model changed = models[1];
    changed.depth *= 0.8;
    changed.b *= 2;
    changed.c *= -0.5;
    law now = law_create(&changed);
    isg_chains *chains = NULL;
    const uint64_t zero = 0;
    assert_ok(isg_chains_create(&chains, old.rbm, CHAINS, test_seed(40)));
    for (size_t k = 0; k < CHAINS; k++)
        isg_chains_set_spins(chains, k, &zero);
    assert_ok(isg_chains_jump(chains, jumps, 3));
    assert_ok(isg_chains_set_rbm(chains, now.rbm));
    assert_ok(isg_jumps_set_rbm(jumps, now.rbm));
    assert_ok(isg_chains_jump(chains, jumps, 40));
    assert_true(surprise(&now, chains) < 5);
    assert_true(surprise(&old, chains) > 10);
    assert_int_equal(isg_jumps_describe(jumps).fits, 1);
    assert_ok(isg_jumps_refit(jumps, now.rbm, NULL));
    assert_int_equal(isg_jumps_describe(jumps).fits, 2);
    assert_ok(isg_chains_jump(chains, jumps, 5));
    assert_true(surprise(&now, chains) < 5);
    isg_jumps_free(jumps);
    isg_chains_free(chains);
    law_release(&old);
    law_release(&now);
}

/* The saved hidden units belong to the saved spins: s_i tends to have the sign of its input. */
static void test_hidden_units_are_those_the_spins_were_drawn_from(void **state) {
    (void)state;
    law l = law_create(&models[1]);
    isg_jumps *jumps = jumps_of(&l);
    isg_chains *chains = NULL;
    const isg_matd w = isg_rbm_weights(l.rbm);
    assert_ok(isg_chains_create(&chains, l.rbm, CHAINS, test_seed(41)));
    assert_ok(isg_chains_jump(chains, jumps, 3));
    double off = 0, variance = 0;
    for (size_t k = 0; k < CHAINS; k++)
        for (size_t i = 0; i < l.n; i++) {
            double x = isg_rbm_visible_field(l.rbm)[i];
            for (size_t mu = 0; mu < w.cols; mu++)
                x += w.data[i * w.stride + mu] * (double)isg_chains_hidden(chains, k)[mu];
            const double mean = tanh(models[1].beta * x);
            const double s = *isg_chains_spins(chains, k) >> i & 1 ? 1 : -1;
            off += (s - mean) * x; /* of mean zero, if s was drawn from x */
            variance += (1 - mean * mean) * x * x;
        }
    assert_true(fabs(off) < 5 * sqrt(variance));
    isg_jumps_free(jumps);
    isg_chains_free(chains);
    law_release(&l);
}

/* Given the spins, hidden units are Normal(W^T s + c, 1 / beta), after a jump as after a sweep. The mixture
   is that of another model, since where it fits well, all places are as good. */
static void test_hidden_units_have_their_field(void **state) {
    (void)state;
    double worst = 0; /* if the field were missing, in standard errors */
    for (size_t m = 1; m < MODELS; m++) {
        model strong = models[m];
        strong.c = 2;
        strong.depth *= 0.7;
        law old = law_create(&models[m]), l = law_create(&strong);
        isg_jumps *jumps = jumps_of(&old);
        isg_chains *chains = NULL;
        isg_cursor random = isg_cursor_at(isg_stream_at(test_seed(2), ISG_PURPOSE_TEST, m, 0));
        const size_t p = models[m].p;
        const double beta = models[m].beta, error = sqrt(1 / beta / CHAINS);
        double mean[3] = {0}, square[3] = {0}, without[3] = {0}, h[3];
        assert_ok(isg_chains_create(&chains, l.rbm, CHAINS, test_seed(43)));
        for (size_t k = 0; k < CHAINS; k++) {
            const uint64_t start = law_sample(&l, &random);
            isg_chains_set_spins(chains, k, &start);
        }
        assert_ok(isg_jumps_set_rbm(jumps, l.rbm));
        assert_ok(isg_chains_jump(chains, jumps, 12));
        for (size_t k = 0; k < CHAINS; k++) {
            isg_rbm_hidden_input(l.rbm, isg_chains_spins(chains, k), h);
            for (size_t mu = 0; mu < p; mu++) {
                const double off = (double)isg_chains_hidden(chains, k)[mu] - h[mu];
                mean[mu] += off / CHAINS;
                square[mu] += off * off / CHAINS;
                without[mu] += (off + isg_rbm_hidden_field(l.rbm)[mu]) / CHAINS;
            }
        }
        for (size_t mu = 0; mu < p; mu++) {
            if (!(fabs(mean[mu]) < 5 * error))
                fail_msg("model %zu: hidden unit %zu is off by %g +- %g", m, mu, mean[mu], error);
            assert_true(fabs(square[mu] - 1 / beta) < 5 * sqrt(2.0 / CHAINS) / beta);
            worst = fmax(worst, fabs(without[mu]) / error);
        }
        assert_true(surprise(&l, chains) < 5);
        isg_jumps_free(jumps);
        isg_chains_free(chains);
        law_release(&old);
        law_release(&l);
    }
    assert_true(worst > 10);
}

/* ---- the fit ------------------------------------------------------------------------------------- */

static void test_expected_acceptance(void **state) {
    (void)state;
    for (size_t m = 0; m < MODELS; m++) {
        law l = law_create(&models[m]);
        isg_jumps *jumps = jumps_of(&l);
        isg_chains *chains = NULL;
        isg_cursor random = isg_cursor_at(isg_stream_at(test_seed(1), ISG_PURPOSE_TEST, 2, 0));
        assert_ok(isg_chains_create(&chains, l.rbm, CHAINS, test_seed(42)));
        for (size_t k = 0; k < CHAINS; k++) {
            const uint64_t start = law_sample(&l, &random);
            isg_chains_set_spins(chains, k, &start);
        }
        assert_ok(isg_chains_jump(chains, jumps, 4));
        const isg_jumps_info info = isg_jumps_describe(jumps);
        assert_int_equal(info.proposed, 4 * CHAINS);
        const double found = (double)info.accepted / (double)info.proposed;
        if (fabs(found - info.expected) > 0.02)
            fail_msg("accepted %g, expected %g", found, info.expected);
        isg_jumps_free(jumps);
        isg_chains_free(chains);
        law_release(&l);
    }
}

/* Where the mixture is not wanted, chains are swept: the same bits, and a reason. */
static void test_falls_back_to_sweeps(void **state) {
    (void)state;
    law l = law_create(&models[1]);
    isg_jump_options options = isg_jump_defaults();
    options.mixture.samples = 4000;
    options.least_acceptance = 1;
    isg_jumps *jumps = NULL;
    isg_chains *swept = NULL, *jumped = NULL;
    assert_ok(isg_jumps_create(&jumps, l.rbm, &options, NULL));
    const isg_jumps_info info = isg_jumps_describe(jumps);
    assert_false(info.is_usable);
    assert_non_null(strstr(info.reason, "of the jumps would be accepted"));
    assert_ok(isg_chains_create(&swept, l.rbm, 50, 3));
    assert_ok(isg_chains_create(&jumped, l.rbm, 50, 3));
    assert_ok(isg_chains_sweep(swept, 7, 1));
    assert_ok(isg_chains_jump(jumped, jumps, 7));
    for (size_t k = 0; k < 50; k++)
        assert_int_equal(*isg_chains_spins(swept, k), *isg_chains_spins(jumped, k));
    assert_int_equal(isg_jumps_describe(jumps).proposed, 0);
    isg_chains_free(swept);
    isg_chains_free(jumped);
    isg_jumps_free(jumps);
    /* Weights that a mixture cannot bear. */
    for (size_t k = 0; k < 24; k++)
        isg_rbm_weights(l.rbm).data[k] *= 1e155;
    jumps = NULL;
    const isg_status status = isg_jumps_create(&jumps, l.rbm, &options, NULL);
    assert_true(status == ISG_OK || status == ISG_ERR_DIVERGED);
    assert_true(status != ISG_OK || !isg_jumps_describe(jumps).is_usable);
    isg_jumps_free(jumps);
    law_release(&l);
}

static void test_misuse(void **state) {
    (void)state;
    law l = law_create(&models[0]), other = law_create(&models[2]);
    isg_jumps *jumps = jumps_of(&l);
    isg_chains *chains = NULL, *fewer = NULL;
    isg_tempering *tempering = NULL;
    const uint64_t clamped = 1;
    assert_ok(isg_chains_create(&chains, l.rbm, 20, 1));
    assert_ok(isg_chains_create(&fewer, l.rbm, 19, 1));
    assert_fails(isg_jumps_set_rbm(jumps, other.rbm), ISG_ERR_SHAPE, "18 x 3");
    assert_fails(isg_chains_set_rbm(chains, other.rbm), ISG_ERR_SHAPE, "18 x 3");
    isg_jump_options options = isg_jump_defaults();
    options.least_acceptance = 2;
    isg_jumps *none = NULL;
    assert_fails(isg_jumps_create(&none, l.rbm, &options, NULL), ISG_ERR_ARGUMENT, "0 to 1");
    isg_chains_clamp(chains, &clamped);
    assert_fails(isg_chains_jump(chains, jumps, 1), ISG_ERR_UNSUPPORTED, "clamped");
    isg_chains_clamp(chains, NULL);
    isg_tempering_options how = {.temperatures = 1};
    assert_fails(isg_tempering_create(&tempering, chains, 1, &how), ISG_ERR_ARGUMENT, "2 to 1000");
    how = (isg_tempering_options){.temperatures = 3, .lowest = 1};
    assert_fails(isg_tempering_create(&tempering, chains, 1, &how), ISG_ERR_ARGUMENT, "below 1");
    assert_ok(isg_tempering_create(&tempering, chains, 1, NULL));
    const isg_matd w = isg_rbm_weights(l.rbm);
    double across = 0;
    for (size_t i = 0; i < l.n; i++)
        across += w.data[i * w.stride] * w.data[i * w.stride + 1];
    const double expected = 0.9 / (models[0].depth + fabs(across));
    assert_true(fabs(isg_tempering_beta(tempering, 19) - expected) < 1e-6);
    assert_fails(isg_chains_temper(fewer, tempering, 1), ISG_ERR_SHAPE, "20 chains");
    const isg_moves both = {.jumps = jumps, .tempering = tempering};
    assert_fails(isg_chains_move(chains, &both, 1, 1), ISG_ERR_ARGUMENT, "both");
    const isg_moves jump = {.jumps = jumps};
    assert_fails(isg_chains_move(chains, &jump, 1, 2), ISG_ERR_ARGUMENT, "expected 1");
    isg_tempering_free(tempering);
    isg_jumps_free(jumps);
    isg_chains_free(chains);
    isg_chains_free(fewer);
    law_release(&l);
    law_release(&other);
}

/* Pairs take turns, and none has one in the first step: what was not tried has no rate. */
static void test_rates_are_of_pairs_that_were_tried(void **state) {
    (void)state;
    law l = law_create(&models[0]);
    isg_chains *chains = NULL;
    isg_tempering *tempering = NULL;
    const isg_tempering_options options = {.temperatures = 4, .lowest = 0.5};
    assert_ok(isg_chains_create(&chains, l.rbm, 20, 1));
    assert_ok(isg_tempering_create(&tempering, chains, 1, &options));
    const size_t untried[] = {3, 2, 0};
    for (size_t step = 0; step < 3; step++) {
        assert_ok(isg_chains_temper(chains, tempering, 1));
        const isg_tempering_info info = isg_tempering_describe(tempering);
        double sum = 0, least = 1;
        size_t tried = 0;
        for (size_t t = 0; t < 3; t++) {
            const double rate = isg_tempering_rate(tempering, t);
            if (isnan(rate))
                continue;
            tried++;
            sum += rate;
            least = fmin(least, rate);
        }
        assert_int_equal(info.untried, untried[step]);
        assert_int_equal(tried, 3 - untried[step]);
        assert_true(tried > 0 ? fabs(info.mean_rate - sum / (double)tried) < 1e-15 &&
                                    info.least_rate == least
                              : isnan(info.mean_rate) && isnan(info.least_rate));
    }
    isg_tempering_free(tempering);
    isg_chains_free(chains);
    law_release(&l);
}

/* ---- clamped spins in tempering ------------------------------------------------------------------ */

static void test_tempering_keeps_clamped_spins(void **state) {
    (void)state;
    law l = law_create(&models[0]);
    const uint64_t clamped = 0x11, fixed = 0x10;
    double sum = 0;
    for (size_t s = 0; s < l.states; s++)
        sum += l.p[s] = (s & clamped) == fixed ? l.p[s] : 0;
    for (size_t s = 0; s < l.states; s++)
        l.p[s] /= sum;
    isg_chains *chains = NULL;
    assert_ok(isg_chains_create(&chains, l.rbm, TEMPERED, test_seed(43)));
    for (size_t k = 0; k < TEMPERED; k++)
        isg_chains_set_spins(chains, k, &fixed);
    isg_chains_clamp(chains, &clamped);
    isg_tempering *tempering = replicas_of(&l, chains);
    assert_ok(isg_chains_temper(chains, tempering, 120));
    for (size_t k = 0; k < TEMPERED; k++)
        assert_int_equal(*isg_chains_spins(chains, k) & clamped, fixed);
    assert_true(surprise(&l, chains) < 5);
    isg_tempering_free(tempering);
    isg_chains_free(chains);
    law_release(&l);
}

/* ---- labels -------------------------------------------------------------------------------------- */

/* The states nearest to two patterns and to their mirror images, by enumeration. */
static void test_labels(void **state) {
    (void)state;
    enum { STEPS = 200, COUNT = 400 };
    law l = law_create(&models[1]);
    uint64_t rows[2] = {0, 0};
    const isg_matd w = isg_rbm_weights(l.rbm);
    for (size_t k = 0; k < 2 * l.n; k++)
        rows[k % 2] |= (uint64_t)(w.data[k] > 0) << k / 2;
    int8_t spins[2 * 12];
    for (size_t k = 0; k < 2 * 12; k++)
        spins[k] = rows[k % 2] >> k / 2 & 1 ? 1 : -1;
    isg_patterns *patterns = NULL;
    assert_ok(isg_patterns_create(&patterns, l.n, 2, spins, NULL));
    double expected[4] = {0}, shares[4] = {0};
    for (size_t s = 0; s < l.states; s++) {
        size_t nearest = 0, least = SIZE_MAX;
        for (size_t label = 0; label < 4; label++) {
            const size_t apart = (size_t)__builtin_popcountll(s ^ rows[label / 2]);
            const size_t distance = label % 2 ? l.n - apart : apart;
            if (distance < least) {
                least = distance;
                nearest = label;
            }
        }
        expected[nearest] += l.p[s];
    }
    isg_chains *chains = NULL;
    isg_decorrelation found;
    isg_label_times times;
    const isg_moves moves = {.jumps = jumps_of(&l), .patterns = patterns},
                    sweeps = {.patterns = patterns};
    assert_ok(isg_chains_create(&chains, l.rbm, COUNT, test_seed(44)));
    assert_ok(isg_chains_measure_moves(chains, &moves, 20, STEPS, 1, &found, &times, shares, NULL));
    for (size_t label = 0; label < 4; label++) {
        const double error =
            sqrt(expected[label] * (1 - expected[label]) * times.time.time / (STEPS * COUNT));
        if (fabs(shares[label] - expected[label]) > 5 * error)
            fail_msg("label %zu: %g, expected %g +- %g", label, shares[label], expected[label],
                     error);
    }
    assert_true(times.time.is_reliable && times.time.time > 1 && times.time.time < 3);
    assert_true(times.rhat < 1.02 && times.changes > 0.2 && times.changes < 0.8);
    assert_ok(isg_chains_measure_moves(chains, &sweeps, 0, STEPS, 1, &found, &times, NULL, NULL));
    assert_true(times.changes < 0.05 && times.rhat > 1.1 && times.time.time > 10);
    isg_jumps_free(moves.jumps);
    isg_patterns_free(patterns);
    isg_chains_free(chains);
    law_release(&l);
}

/* Two modes that no sweep leaves: labels differ among chains, but that is no decay in time. */
static void test_labels_that_never_change_have_no_time(void **state) {
    (void)state;
    enum { N = 16, COUNT = 10, STEPS = 30 };
    int8_t spins[N];
    for (size_t i = 0; i < N; i++)
        spins[i] = i % 3 == 0 ? -1 : 1;
    isg_patterns *pattern = NULL;
    isg_rbm *rbm = NULL;
    isg_chains *chains = NULL;
    isg_decorrelation found;
    isg_label_times times;
    double shares[2];
    isg_mapping_options options = isg_mapping_defaults();
    options.beta = 20;
    assert_ok(isg_patterns_create(&pattern, N, 1, spins, NULL));
    assert_ok(isg_rbm_from_patterns(&rbm, pattern, &options, NULL));
    assert_ok(isg_chains_create(&chains, rbm, COUNT, 1));
    const isg_moves moves = {.patterns = pattern};
    assert_ok(isg_chains_measure_moves(chains, &moves, STEPS, STEPS, options.beta, &found, &times,
                                       shares, NULL));
    assert_true(shares[0] > 0 && shares[1] > 0 && times.changes == 0);
    assert_true(isnan(times.time.time) && isnan(times.time.error) && !times.time.is_reliable);
    isg_chains_free(chains);
    isg_rbm_free(rbm);
    isg_patterns_free(pattern);
}

/* ---- bits, and what may go wrong ----------------------------------------------------------------- */

typedef struct bits {
    uint64_t spins[2][37];
    float hidden[2][37][3];
} bits;

static void run_both(const law *l, bits *out) {
    memset(out, 0, sizeof *out);
    isg_chains *chains[2] = {NULL, NULL};
    for (size_t q = 0; q < 2; q++)
        assert_ok(isg_chains_create(&chains[q], l->rbm, 37, 9));
    isg_jumps *jumps = jumps_of(l);
    isg_tempering *tempering = replicas_of(l, chains[1]);
    assert_ok(isg_chains_jump(chains[0], jumps, 6));
    assert_ok(isg_chains_temper(chains[1], tempering, 6));
    for (size_t q = 0; q < 2; q++)
        for (size_t k = 0; k < 37; k++) {
            out->spins[q][k] = *isg_chains_spins(chains[q], k);
            memcpy(out->hidden[q][k], isg_chains_hidden(chains[q], k), sizeof out->hidden[q][k]);
        }
    isg_jumps_free(jumps);
    isg_tempering_free(tempering);
    isg_chains_free(chains[0]);
    isg_chains_free(chains[1]);
}

static void test_same_bits(void **state) {
    (void)state;
    law l = law_create(&models[2]);
    const char *before = isg_isa();
    bits first, other;
    run_both(&l, &first);
    for (size_t isa = 0; isg_isa_name(isa); isa++) {
        if (isg_set_isa(isg_isa_name(isa)) != ISG_OK)
            continue;
        for (int threads = 1; threads <= 5; threads += 2) {
            isg_set_threads(threads);
            run_both(&l, &other);
            assert_memory_equal(&first, &other, sizeof first);
        }
    }
    isg_set_threads(0);
    assert_ok(isg_set_isa(before));
    law_release(&l);
}

static isg_status everything(void *user) {
    const law *l = user;
    isg_jump_options options = isg_jump_defaults();
    options.mixture.samples = 1000;
    options.mixture.witnesses = 32;
    isg_jumps *jumps = NULL;
    isg_tempering *tempering = NULL;
    isg_chains *chains = NULL;
    isg_status status = isg_chains_create(&chains, l->rbm, 8, 1);
    if (status == ISG_OK)
        status = isg_jumps_create(&jumps, l->rbm, &options, NULL);
    if (status == ISG_OK)
        status = isg_chains_jump(chains, jumps, 2);
    if (status == ISG_OK)
        status = isg_tempering_create(&tempering, chains, 1, NULL);
    if (status == ISG_OK)
        status = isg_chains_temper(chains, tempering, 2);
    isg_jumps_free(jumps);
    isg_tempering_free(tempering);
    isg_chains_free(chains);
    return status;
}

static void test_allocations(void **state) {
    (void)state;
    law l = law_create(&models[0]);
    assert_true(sweep_allocations(everything, &l) > 30);
    law_release(&l);
}

static bool refuse(void *user, double fraction) {
    (void)fraction;
    return --*(int *)user > 0;
}

static void test_cancel(void **state) {
    (void)state;
    law l = law_create(&models[0]);
    for (int after_reports = 1; after_reports < 6; after_reports++) {
        int left = after_reports;
        const isg_progress progress = {refuse, &left};
        isg_jumps *jumps = NULL;
        assert_int_equal(isg_jumps_create(&jumps, l.rbm, NULL, &progress), ISG_ERR_CANCELLED);
        assert_null(jumps);
    }
    law_release(&l);
}

/* ---- samples as data ---------------------------------------------------------------------------- */

static double surprise_of_draw(const law *l, const isg_dataset *start, isg_mixing *how) {
    enum { SAMPLES = 10000 };
    isg_dataset *drawn = NULL;
    assert_ok(isg_rbm_draw(&drawn, l->rbm, SAMPLES, start, test_seed(50), how, NULL));
    assert_int_equal(isg_dataset_describe(drawn).n_samples, SAMPLES);
    const double score = surprise_of(l, isg_dataset_spins(drawn, 0), SAMPLES);
    isg_dataset_free(drawn);
    return score;
}

/* Samples between which chains hardly moved are alike, and chi-square would tell. */
static void test_drawn_samples_follow_the_law(void **state) {
    (void)state;
    for (size_t m = 0; m < MODELS; m++) {
        law l = law_create(&models[m]);
        isg_mixing how = ISG_MIXING_DATA;
        const double score = surprise_of_draw(&l, NULL, &how);
        if (score > 5)
            fail_msg("model %zu: %g standard deviations", m, score);
        assert_int_equal(how, ISG_MIXING_JUMPS);
        law_release(&l);
    }
}

/* All of the data lie in one mode, and so do the samples. */
static void test_samples_near_data_stay_there(void **state) {
    (void)state;
    law l = law_create(&models[0]);
    const int8_t one[12] = {0};
    isg_dataset *data = NULL, *longer = NULL, *out = NULL;
    isg_mixing how = ISG_MIXING_JUMPS;
    assert_ok(isg_dataset_create(&data, 1, l.n, one, NULL));
    assert_true(surprise_of_draw(&l, data, &how) > 10);
    assert_int_equal(how, ISG_MIXING_DATA);
    const int8_t more[13] = {0};
    assert_ok(isg_dataset_create(&longer, 1, l.n + 1, more, NULL));
    assert_fails(isg_rbm_draw(&out, l.rbm, 10, longer, 1, NULL, NULL), ISG_ERR_SHAPE,
                 "start: expected 12 units");
    assert_fails(isg_rbm_draw(&out, l.rbm, 0, NULL, 1, NULL, NULL), ISG_ERR_ARGUMENT, "samples");
    assert_null(out);
    isg_dataset_free(data);
    isg_dataset_free(longer);
    law_release(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jumps_keep_the_law),
        cmocka_unit_test(test_jumps_find_the_law),
        slow_unit_test(test_tempering_finds_the_law),
        cmocka_unit_test(test_an_old_mixture_keeps_the_new_law),
        cmocka_unit_test(test_hidden_units_are_those_the_spins_were_drawn_from),
        cmocka_unit_test(test_hidden_units_have_their_field),
        cmocka_unit_test(test_expected_acceptance),
        cmocka_unit_test(test_falls_back_to_sweeps),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_rates_are_of_pairs_that_were_tried),
        cmocka_unit_test(test_tempering_keeps_clamped_spins),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_labels_that_never_change_have_no_time),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_drawn_samples_follow_the_law),
        cmocka_unit_test(test_samples_near_data_stay_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
