/* test_gibbs_law.c - the Gibbs sampler leaves p(s) invariant, and broken samplers do not
 *
 * SPDX-License-Identifier: MIT
 *
 * Chains start from exact samples of p(s), found by enumeration, so that any number of sweeps must
 * leave them distributed as p(s): a sampler that is slow passes, one that is wrong does not. The
 * same chi-square judges a sampler written out plainly, right and with one mistake at a time.
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "helper_hopfield.h"
#include "helper_statistics.h"

/* In all, over the four models, under the best instruction set; the others are slower, and are
   compared with it bit by bit elsewhere. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { CHAINS = 100000 };
#else
enum { CHAINS = 1000000 };
#endif
enum { FEWER_CHAINS = 40000, TWIN_CHAINS = 60000, FORGETFUL_CHAINS = 20000, FORGETTING = 40 };

/* ---- models and what is exact about them --------------------------------------------------------- */

typedef struct model {
    size_t n, p;
    double beta;     /* of p(s) */
    double rbm_beta; /* that the RBM has, for chains that are swept at another */
    double weights;  /* normal, of this size */
    double b;        /* of about this size, every other negative */
    double c;        /* normal */
} model;

static const model models[] = {
    {4, 2, 1.0, 1.0, 0.7, 0.4, 0.4},
    {6, 3, 2.0, 0.3, 0.5, 0.3, 0.3},
    {8, 2, 0.7, 0.7, 0.6, 0.5, 0.5},
    {18, 3, 1.5, 4.0, 0.3, 0.2, 0.3}, /* more than one panel of 16 */
};

enum { MODELS = sizeof models / sizeof models[0], RARE_CELLS = 32 };

/* A distribution over 2^n states, and cells of states that are not too rare to be counted. */
typedef struct law {
    isg_rbm *rbm;
    size_t n, states, cells;
    double beta;
    double *cumulative; /* (states) */
    uint32_t *cell_of;  /* (states) */
    double *share;      /* (cells) probability of each */
} law;

static isg_rbm *build(const model *m, double beta, uint64_t seed) {
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_create(&rbm, m->n, m->p, beta));
    isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_TEST, 0, 0));
    const isg_matd w = isg_rbm_weights(rbm);
    for (size_t k = 0; k < m->n * m->p; k++)
        w.data[k] = m->weights * isg_next_normal(&random);
    for (size_t i = 0; i < m->n; i++)
        isg_rbm_visible_field(rbm)[i] =
            (i % 2 ? -1 : 1) * m->b * (1 + 0.1 * isg_next_normal(&random));
    for (size_t mu = 0; mu < m->p; mu++)
        isg_rbm_hidden_field(rbm)[mu] = m->c * isg_next_normal(&random);
    return rbm;
}

static uint32_t scramble(uint64_t state) {
    return (uint32_t)(state * UINT64_C(0x9E3779B97F4A7C15) >> 32);
}

/* States with enough of `chains` in expectation have a cell each; the others share a few, or one. */
static void make_cells(law *out, const double *p, size_t chains) {
    double rare = 0;
    for (size_t s = 0; s < out->states; s++)
        rare += (double)chains * p[s] < 20 ? p[s] : 0;
    const uint32_t rare_cells = rare * (double)chains < 50 * RARE_CELLS ? 1 : RARE_CELLS;
    out->cells = rare_cells;
    for (size_t s = 0; s < out->states; s++) {
        const bool is_rare = (double)chains * p[s] < 20;
        out->cell_of[s] = is_rare ? scramble(s) % rare_cells : (uint32_t)out->cells++;
        out->share[out->cell_of[s]] += p[s];
    }
}

/* The model's p(s), given that the spins in `units` are as in `fixed`. */
static law law_create(const model *m, uint64_t seed, size_t chains, uint64_t units,
                      uint64_t fixed) {
    law out = {.n = m->n, .states = (size_t)1 << m->n, .beta = m->beta};
    isg_rbm *at_beta = build(m, m->beta, seed);
    double *p = malloc(out.states * sizeof *p), sum = 0;
    out.cumulative = malloc(out.states * sizeof *out.cumulative);
    out.cell_of = malloc(out.states * sizeof *out.cell_of);
    out.share = calloc(out.states + RARE_CELLS, sizeof *out.share);
    assert_true(p && out.cumulative && out.cell_of && out.share);
    assert_ok(isg_exact_probabilities(at_beta, p));
    for (size_t s = 0; s < out.states; s++) {
        p[s] = ((s ^ fixed) & units) == 0 ? p[s] : 0;
        sum += p[s];
    }
    double up_to = 0;
    for (size_t s = 0; s < out.states; s++) {
        p[s] /= sum;
        out.cumulative[s] = up_to += p[s];
    }
    make_cells(&out, p, chains);
    free(p);
    isg_rbm_free(at_beta);
    out.rbm = build(m, m->rbm_beta, seed);
    return out;
}

static void law_release(law *l) {
    isg_rbm_free(l->rbm);
    free(l->cumulative);
    free(l->cell_of);
    free(l->share);
}

static uint64_t law_sample(const law *l, isg_cursor *random) {
    const double u = isg_next_uniform(random) * l->cumulative[l->states - 1];
    size_t low = 0, high = l->states - 1; /* the first state whose sum exceeds u */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (l->cumulative[middle] > u)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* How many standard deviations too far the chi-square of the counts lies. */
static double surprise(const law *l, const size_t *counts, size_t chains) {
    double *expected = malloc(l->cells * sizeof *expected);
    size_t *kept = malloc(l->cells * sizeof *kept), cells = 0;
    assert_true(expected && kept);
    for (size_t cell = 0; cell < l->cells; cell++) {
        assert_true(l->share[cell] > 0 || counts[cell] == 0);
        if (l->share[cell] * (double)chains < 1e-3) /* no rare states */
            continue;
        expected[cells] = l->share[cell] * (double)chains;
        kept[cells++] = counts[cell];
    }
    const double score = chi_square_score(kept, expected, cells);
    free(expected);
    free(kept);
    return score;
}

/* ---- the library's sampler ----------------------------------------------------------------------- */

/* The largest surprise after 1, 5 and 21 sweeps, with units clamped if any are given. */
static double stationarity(const law *l, size_t count, uint64_t seed, uint64_t clamped) {
    isg_chains *chains = NULL;
    assert_ok(isg_chains_create(&chains, l->rbm, count, seed));
    isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_TEST, 1, 0));
    uint64_t *starts = malloc(count * sizeof *starts);
    assert_non_null(starts);
    for (size_t k = 0; k < count; k++) {
        starts[k] = law_sample(l, &random);
        isg_chains_set_spins(chains, k, &starts[k]);
    }
    isg_chains_clamp(chains, clamped ? &clamped : NULL);
    double worst = -HUGE_VAL;
    size_t *counts = calloc(l->cells, sizeof *counts);
    assert_non_null(counts);
    static const size_t sweeps[] = {0, 1, 4, 16}; /* the first for the test itself */
    for (size_t part = 0; part < 4; part++) {
        assert_ok(isg_chains_sweep(chains, sweeps[part], l->beta));
        memset(counts, 0, l->cells * sizeof *counts);
        for (size_t k = 0; k < count; k++) {
            const uint64_t s = *isg_chains_spins(chains, k);
            assert_true(s < l->states && ((s ^ starts[k]) & clamped) == 0);
            counts[l->cell_of[s]]++;
        }
        worst = fmax(worst, surprise(l, counts, count));
    }
    free(counts);
    free(starts);
    isg_chains_free(chains);
    return worst;
}

static void test_sampler_keeps_the_distribution(void **state) {
    (void)state;
    const char *isa_before = isg_isa();
    const char *best = isg_isa();
    for (size_t isa = 0; isg_isa_name(isa); isa++) {
        if (isg_set_isa(isg_isa_name(isa)) != ISG_OK)
            continue;
        const bool is_best = strcmp(isg_isa(), best) == 0;
        const size_t count = (is_best ? CHAINS : FEWER_CHAINS) / MODELS;
        for (size_t m = 0; m < MODELS; m++) {
            law l = law_create(&models[m], 100 + m, count, 0, 0);
            const double score = stationarity(&l, count, test_seed(10 * isa + m), 0);
            if (score > 5)
                fail_msg("%s, %zu units: %g standard deviations", isg_isa(), l.n, score);
            law_release(&l);
        }
    }
    assert_ok(isg_set_isa(isa_before));
}

/* How surprising the states are that FORGETTING sweeps lead to from the state of all spins -1. */
static double forgetting(const law *l, size_t count, uint64_t seed) {
    isg_chains *chains = NULL;
    const uint64_t start = 0;
    size_t *counts = calloc(l->cells, sizeof *counts);
    assert_non_null(counts);
    assert_ok(isg_chains_create(&chains, l->rbm, count, seed));
    for (size_t k = 0; k < count; k++)
        isg_chains_set_spins(chains, k, &start);
    assert_ok(isg_chains_sweep(chains, FORGETTING, l->beta));
    for (size_t k = 0; k < count; k++)
        counts[l->cell_of[*isg_chains_spins(chains, k)]]++;
    const double score = surprise(l, counts, count);
    free(counts);
    isg_chains_free(chains);
    return score;
}

/* Whatever the clamped spins are, the others follow p(s) given them: so the joint law stays if they
   start from it, and the conditional one if they are the same in all chains. */
static void test_clamped_spins_stay_and_the_rest_follows(void **state) {
    (void)state;
    for (size_t m = 0; m < MODELS; m++) {
        const uint64_t units = m == 3 ? 0x20415 : 0xA, fixed = m == 3 ? 0x20010 : 0x2;
        law joint = law_create(&models[m], 200 + m, FEWER_CHAINS / 2, 0, 0);
        law given = law_create(&models[m], 200 + m, FEWER_CHAINS / 2, units, fixed);
        assert_true(stationarity(&joint, FEWER_CHAINS / 2, test_seed(50 + m), units) < 5);
        assert_true(stationarity(&given, FEWER_CHAINS / 2, test_seed(60 + m), units) < 5);
        law_release(&joint);
        law_release(&given);
    }
}

/* ---- a sampler written out, and its broken twins --------------------------------------------------- */

typedef enum mistake {
    NO_MISTAKE,
    UNIT_VARIANCE,  /* 1 for 1 / beta */
    NO_FACTOR_TWO,  /* 1 / (1 + exp(-beta x)) */
    NO_B,           /* the field on the spins dropped */
    NO_C,           /* and that on the hidden units */
    SHARED_NORMAL,  /* one for all hidden units */
    COARSE_UNIFORM, /* of 8 bits */
    CLIPPED_NORMAL, /* at 2 standard deviations */
    IGNORED_CLAMP,  /* clamped spins move, and are put back when someone looks */
    SAME_STREAM     /* in every sweep */
} mistake;

static double plain_normal(isg_cursor *random, mistake wrong) {
    const double z = isg_next_normal(random);
    return wrong == CLIPPED_NORMAL ? fmax(-2, fmin(2, z)) : z;
}

static uint64_t plain_sweep(const law *l, mistake wrong, isg_cursor *random, uint64_t s,
                            uint64_t clamped) {
    const isg_matd w = isg_rbm_weights(l->rbm);
    const double *b = isg_rbm_visible_field(l->rbm), *c = isg_rbm_hidden_field(l->rbm);
    const double deviation = wrong == UNIT_VARIANCE ? 1 : 1 / sqrt(l->beta);
    const double steepness = (wrong == NO_FACTOR_TWO ? 1 : 2) * l->beta;
    double lambda[8] = {0}, z = 0;
    uint64_t next = s & clamped;
    for (size_t mu = 0; mu < w.cols; mu++) {
        if (mu == 0 || wrong != SHARED_NORMAL)
            z = plain_normal(random, wrong);
        lambda[mu] = deviation * z + (wrong == NO_C ? 0 : c[mu]);
        for (size_t i = 0; i < l->n; i++)
            lambda[mu] += plain_spin(s, i) * w.data[i * w.stride + mu];
    }
    for (size_t i = 0; i < l->n; i++) {
        double x = wrong == NO_B ? 0 : b[i], u = isg_next_uniform(random);
        for (size_t mu = 0; mu < w.cols; mu++)
            x += w.data[i * w.stride + mu] * lambda[mu];
        if (wrong == COARSE_UNIFORM)
            u = (floor(256 * u) + 0.5) / 256;
        if (!(clamped >> i & 1) && u * (1 + exp(-steepness * x)) < 1)
            next |= UINT64_C(1) << i;
    }
    return next;
}

/* forgetting() for that sampler. */
static double plain_forgetting(const law *l, mistake wrong, uint64_t seed) {
    size_t *counts = calloc(l->cells, sizeof *counts);
    assert_non_null(counts);
    for (size_t k = 0; k < FORGETFUL_CHAINS; k++) {
        uint64_t spins = 0;
        for (size_t t = 0; t < FORGETTING; t++) {
            const uint64_t step = wrong == SAME_STREAM ? 2 : 2 + t;
            isg_cursor random =
                isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_TEST, step, (uint32_t)k));
            spins = plain_sweep(l, wrong, &random, spins, 0);
        }
        counts[l->cell_of[spins]]++;
    }
    const double score = surprise(l, counts, FORGETFUL_CHAINS);
    free(counts);
    return score;
}

/* stationarity() for that sampler; gives up once it is plainly wrong. */
static double plain_stationarity(const law *l, mistake wrong, uint64_t seed, uint64_t clamped) {
    uint64_t *starts = malloc(2 * TWIN_CHAINS * sizeof *starts), *spins = starts + TWIN_CHAINS;
    size_t *counts = malloc(l->cells * sizeof *counts);
    assert_true(starts && counts);
    const uint64_t held = wrong == IGNORED_CLAMP ? 0 : clamped;
    isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_TEST, 2, 0));
    for (size_t k = 0; k < TWIN_CHAINS; k++)
        starts[k] = spins[k] = law_sample(l, &random);
    double worst = -HUGE_VAL;
    for (size_t t = 1; t <= 21 && worst < 10; t++) {
        memset(counts, 0, l->cells * sizeof *counts);
        for (size_t k = 0; k < TWIN_CHAINS; k++) {
            random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_TEST, 3 + t, (uint32_t)k));
            spins[k] = plain_sweep(l, wrong, &random, spins[k], held);
            counts[l->cell_of[(spins[k] & ~clamped) | (starts[k] & clamped)]]++;
        }
        if (t == 1 || t == 5 || t == 21)
            worst = fmax(worst, surprise(l, counts, TWIN_CHAINS));
    }
    free(starts);
    free(counts);
    return worst;
}

static void test_broken_samplers_are_noticed(void **state) {
    (void)state;
    /* The second is so cold that the tails of the normals matter, the third has fields so strong
       that those of the uniforms do. */
    static const model three[] = {{6, 3, 2.0, 2.0, 0.4, 0.1, 0.3},
                                  {6, 3, 2.0, 2.0, 0.6, 0.25, 0.6},
                                  {8, 2, 2.0, 2.0, 0.03, 1.65, 0.3}};
    static const uint64_t seeds[] = {310, 300, 301};
    law laws[3];
    for (size_t m = 0; m < 3; m++)
        laws[m] = law_create(&three[m], seeds[m], TWIN_CHAINS, 0, 0);
    for (mistake wrong = NO_MISTAKE; wrong < SAME_STREAM; wrong++) {
        const uint64_t clamped = wrong == NO_MISTAKE || wrong == IGNORED_CLAMP ? 0x5 : 0;
        const size_t m = wrong == CLIPPED_NORMAL ? 1 : wrong == COARSE_UNIFORM ? 2 : 0;
        const double score = plain_stationarity(&laws[m], wrong, test_seed(70 + m), clamped);
        if (wrong == NO_MISTAKE ? score > 5 : score < 10)
            fail_msg("mistake %d: %g standard deviations", (int)wrong, score);
    }
    for (size_t m = 0; m < 3; m++) {
        assert_true(plain_stationarity(&laws[m], NO_MISTAKE, test_seed(80 + m), 0) < 5);
        assert_true(stationarity(&laws[m], TWIN_CHAINS, test_seed(90 + m), 0) < 5);
        law_release(&laws[m]);
    }
}

/* A sampler that draws the same numbers in every sweep seems to keep p(s): spins that rise with
   their input either stay or go where they would go anyway. But it never leaves its start. */
static void test_chains_forget_where_they_started(void **state) {
    (void)state;
    law l = law_create(&models[0], 100, FORGETFUL_CHAINS, 0, 0);
    assert_true(forgetting(&l, FORGETFUL_CHAINS, test_seed(40)) < 5);
    assert_true(plain_forgetting(&l, NO_MISTAKE, test_seed(95)) < 5);
    assert_true(plain_forgetting(&l, SAME_STREAM, test_seed(95)) > 10);
    law_release(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        slow_unit_test(test_sampler_keeps_the_distribution),
        cmocka_unit_test(test_clamped_spins_stay_and_the_rest_follows),
        slow_unit_test(test_broken_samplers_are_noticed),
        cmocka_unit_test(test_chains_forget_where_they_started),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
