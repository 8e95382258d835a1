/* test_cli_claims.c - for every claim there are numbers that make it hold and numbers that refute it
 *
 * SPDX-License-Identifier: MIT
 *
 * Pieces are made up here such that the paper is right in everything; then one or two of their
 * numbers are changed, claim by claim. For the exact mapping it is the computation that is broken.
 * The rules that claims share are in test_cli_claims_rules.c.
 */
#include "helper_claims.h"

/* ---- every claim can go either way ------------------------------------------------------------ */

typedef struct edit {
    const char *id, *key;
    size_t index;
    double value;
} edit;

/* Those of one claim stand together and are made together. */
static const edit edits[] = {
    {"exact-energy", "claims mapping", MAPPING_ENERGY, 1e-6},
    {"exact-couplings", "claims mapping", MAPPING_COUPLINGS, 1e-6},
    {"exact-basis", "claims mapping", MAPPING_ORTHOGONALITY, (double)NAN},
    {"exact-partition", "claims partition", PARTITION_ENUMERATED, 1e-3},
    {"lambda-representation", "claims partition", PARTITION_LAMBDA, 1e-3},
    {"free-energy-integral", "claims partition", PARTITION_PRINTED, -9},
    {"field-carries", "claims family", FAMILY_FIELD, 1e-3},
    {"order-irrelevant", "claims family", FAMILY_ORDER, 1e-3},
    {"orthogonal-limit", "claims family", FAMILY_ORTHOGONAL, 1e-3},
    {"patterns-are-minima", "claims mapping", MAPPING_STABLE, 9},
    {"hebbian-fails", "claims mapping", MAPPING_HEBB_FIXED, 10},
    {"lyapunov", "claims landscape", LANDSCAPE_RISE, 1e-6},
    {"integrate-hidden", "claims partition", PARTITION_HIDDEN, 1e-3},
    {"other-decompositions", "claims family", FAMILY_SQRT, 1e-3},
    {"fewer-weights", "claims mapping", MAPPING_PATTERNS, 500},
    {"nonzero-pixels", "claims pixels", PIXELS_CHANGED, 0.001},
    {"monotone-ais", "fig2 k=10 beta=2 ais", 1, -245},
    {"monotone", "fig2 k=10 beta=2 better", 0, 245},
    {"peak", "fig2 k=2 beta=4 better", 0, 200},
    {"both-ends", "fig2 k=1 beta=4 better", 0, 200},
    {"sustained", "fig2 k=10 beta=4 better", 0, 450},
    {"annealing", "fig2 k=2 beta=4 ais", 1, -400},
    {"one-shot-time", "claims times", TIME_MAPPING, 20},
    {"clustering-time", "claims times", TIME_CLUSTERING, 200},
    {"updates", "claims times", TIME_UPDATES, 600},
    {"weights-stay", "claims weights", WEIGHTS_LEAST_COSINE, 0.5},
    {"start-small", "fig4 p=10 pca run=1 epoch=0", 1, -100},
    {"start-small", "fig4 p=10 pca run=2 epoch=0", 1, -100},
    {"start-large", "fig4 p=50 hebbian run=1 epoch=0", 1, -100},
    {"start-large", "fig4 p=50 hebbian run=2 epoch=0", 1, -100},
    {"early-small", "fig4 p=10 pca run=1 epoch=0.5", 1, -100},
    {"early-small", "fig4 p=10 pca run=2 epoch=0.5", 1, -100},
    {"early-large", "fig4 p=50 pca run=1 epoch=0.5", 1, -100},
    {"early-large", "fig4 p=50 pca run=2 epoch=0.5", 1, -100},
    {"pca-catches-up", "fig4 p=10 pca run=1 epoch=0.5", 1, -220},
    {"pca-catches-up", "fig4 p=10 pca run=2 epoch=0.5", 1, -220},
    {"hebbian-catches-up", "fig4 p=10 hebbian run=1 epoch=0", 1, -250},
    {"hebbian-catches-up", "fig4 p=10 hebbian run=2 epoch=0", 1, -250},
    {"random-catches-up", "fig4 p=10 normal run=1 epoch=3", 1, -191},
    {"random-catches-up", "fig4 p=10 normal run=2 epoch=3", 1, -191},
    {"same-end-small", "fig4 p=10 normal run=1 epoch=50", 1, -180},
    {"same-end-small", "fig4 p=10 normal run=2 epoch=50", 1, -180},
    {"same-end-large", "fig4 p=50 hopfield run=1 epoch=50", 1, -130},
    {"same-end-large", "fig4 p=50 hopfield run=2 epoch=50", 1, -130},
    {"pca-between", "fig4 p=10 hopfield run=1 epoch=3", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=2 epoch=3", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=1 epoch=5", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=2 epoch=5", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=1 epoch=10", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=2 epoch=10", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=1 epoch=15", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=2 epoch=15", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=1 epoch=25", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=2 epoch=25", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=1 epoch=40", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=2 epoch=40", 1, -160},
    {"random-slow", "fig4 p=10 normal run=1 epoch=25", 1, -163},
    {"random-slow", "fig4 p=10 normal run=2 epoch=25", 1, -163},
    {"others-sooner", "fig4 p=10 hebbian run=1 epoch=40", 1, -180},
    {"others-sooner", "fig4 p=10 hebbian run=2 epoch=40", 1, -180},
    {"random-moderate", "fig4 p=10 normal run=1 epoch=5", 1, -254},
    {"random-moderate", "fig4 p=10 normal run=2 epoch=5", 1, -254},
    {"mild-training", "fig4 p=10 normal run=1 epoch=15", 1, -170},
    {"mild-training", "fig4 p=10 normal run=2 epoch=15", 1, -170},
    {"untrained-error", "experts k=100 hopfield run=1 epoch=0", 0, 0.052},
    {"hopfield-error", "experts k=100 hopfield run=1 epoch=50", 0, 0.036},
    {"pca-error", "experts k=100 pca run=1 epoch=50", 0, 0.024},
    {"random-error", "experts k=100 normal run=1 epoch=50", 0, 0.056},
    {"training-error", "experts k=100 hopfield run=1 epoch=50", 1, 0.02},
    {"untrained-against-random", "experts k=100 normal run=1 epoch=50", 0, 0.036},
    {"hopfield-first", "experts k=20 pca run=1 epoch=1", 0, 0.04},
    {"pca-then", "experts k=10 pca run=1 epoch=20", 0, 0.06},
    {"hopfield-large", "experts k=100 pca run=1 epoch=1", 0, 0.04},
    {"ten-against-hundred", "experts k=10 hopfield run=1 epoch=50", 0, 0.06},
    {"benefit-at-fixed-size", "experts k=20 normal run=1 epoch=20", 0, 0.04},
    {"more-sub-patterns", "experts k=20 hopfield run=1 epoch=0", 0, 0.08},
    {"more-hidden-units", "experts k=100 normal run=1 epoch=50", 0, 0.07},
    {"beyond-fifty", "experts k=10 pca run=1 epoch=100", 0, 0.03},
    {"hebbian-worse", "experts k=10 hebbian run=1 epoch=100", 0, 0.044},
    /* three stops of eight, and 85 epochs of 100 */
    {"hebbian-lags", "experts k=10 hebbian run=1 epoch=20", 0, 0.2},
    {"hebbian-lags", "experts k=10 hebbian run=1 epoch=50", 0, 0.2},
    {"hebbian-lags", "experts k=10 hebbian run=1 epoch=100", 0, 0.2},
    {"projection-range", "claims projections", PROJECTION_LARGEST, 1.34},
    {"projection-definition", "claims projections", PROJECTION_FACTOR, 784},
    {"quadratic-forms", "claims projections", PROJECTION_FORMS, 1e-3},
    {"overlap-machine", "claims machines", MACHINE_OVERLAP, 1e-3},
    {"projection-machine", "claims machines", MACHINE_PROJECTION, 1e-3},
    {"three-layers-energy", "claims machines", MACHINE_LAYERS, 1e-3},
    {"three-layers-machine", "claims machines", MACHINE_FAR, -1000},
    {"binarization-start", "claims mapping", MAPPING_RECOVERED, 0.5},
    {"binarization-gradient", "claims gradients", BINARIZE_PRINTED, 4},
    {"nearly-binary", "claims back", BACK_ROOT_MEAN_SQUARE, 0.7},
    {"sufficient-conditions", "claims back", BACK_MET_FIXED, 9},
    {"recall-before", "figD2 xi0 published", 0, 0.70},
    {"recall-after", "figD2 xi10 published", 0, 0.77},
    {"recall-cost", "figD2 xi10 published", 0, 0.7678},
    {"recall-as-printed", "figD2 xi0 attractor", 7, 10000}, /* 73 % then, and none is left */
    {"likelihood-gradient", "claims gradients", SLOPE_PRINTED, 4},
};
enum { N_EDITS = sizeof edits / sizeof edits[0] };

static void every_claim_goes_either_way(void **state) {
    (void)state;
    size_t n = 0, vague = 0;
    for (size_t list = 0; claim_lists[list]; list++)
        for (const claim *of = claim_lists[list]; of->id; of++, n++) {
            json_t *pieces = paper_world(50);
            const verdict right = judge(pieces, of).verdict;
            size_t changes = 0;
            for (size_t k = 0; k < N_EDITS; k++)
                if (strcmp(edits[k].id, of->id) == 0) {
                    set_value(pieces, edits[k].key, edits[k].index, edits[k].value);
                    changes++;
                }
            const verdict wrong = judge(pieces, of).verdict;
            const bool may_hold = strcmp(of->id, "recall-as-printed") != 0; /* has bounds alone */
            json_decref(pieces);
            if (right == VERDICT_NOT_TESTABLE && changes == 0)
                vague++;
            else if (right != (may_hold ? VERDICT_HOLDS : VERDICT_NOT_TESTABLE) ||
                     wrong != VERDICT_DIFFERS)
                stop_at("%s: %s, and after the change %s", of->id, verdict_names[right],
                        verdict_names[wrong]);
        }
    assert_true(n >= 25);
    assert_int_equal(vague, 4); /* melting, sample-quality, single-rbm, random-binarization */
    for (size_t k = 0; k < N_EDITS; k++)
        assert_non_null(claim_called(edits[k].id));
}

static void identifiers_differ(void **state) {
    (void)state;
    for (size_t list = 0; claim_lists[list]; list++)
        for (const claim *of = claim_lists[list]; of->id; of++)
            assert_ptr_equal(claim_called(of->id), of);
}

/* ---- the mapping, whole and broken ------------------------------------------------------------ */

static void one_wrong_weight_is_noticed(void **state) {
    (void)state;
    static const char *const ids[] = {"exact-energy", "exact-couplings", "exact-basis",
                                      "binarization-start"};
    isg_patterns *patterns = NULL;
    isg_rbm *rbm = NULL;
    double values[MAPPING_VALUES];
    assert_int_equal(random_patterns(&patterns, 40, 4, 1), EXIT_DONE);
    assert_int_equal(isg_rbm_from_patterns(&rbm, patterns, NULL, NULL), ISG_OK);
    for (size_t broken = 0; broken < 2; broken++) {
        if (broken)
            isg_rbm_weights(rbm).data[3] *= 1 + 1e-6;
        json_t *pieces = json_object();
        assert_int_equal(exact_mapping(patterns, rbm, 1, values), EXIT_DONE);
        put(pieces, "claims mapping", values, MAPPING_VALUES);
        for (size_t k = 0; k < sizeof ids / sizeof ids[0]; k++)
            if (judge(pieces, claim_called(ids[k])).verdict !=
                (broken ? VERDICT_DIFFERS : VERDICT_HOLDS))
                stop_at("%s, %s: %g", ids[k], broken ? "broken" : "whole", values[k]);
        json_decref(pieces);
    }
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
}

/* The dependence on the patterns: held against those of another network, the RBM is not it. */
static void another_network_is_noticed(void **state) {
    (void)state;
    isg_patterns *patterns = NULL, *others = NULL;
    isg_rbm *rbm = NULL;
    double values[MAPPING_VALUES];
    assert_int_equal(random_patterns(&patterns, 40, 4, 1), EXIT_DONE);
    assert_int_equal(random_patterns(&others, 40, 4, 2), EXIT_DONE);
    assert_int_equal(isg_rbm_from_patterns(&rbm, patterns, NULL, NULL), ISG_OK);
    assert_int_equal(exact_mapping(others, rbm, 1, values), EXIT_DONE);
    assert_true(values[MAPPING_ENERGY] > 1e-3 && values[MAPPING_COUPLINGS] > 1e-3);
    assert_true(values[MAPPING_DEPTH] > 1e-3);
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
    isg_patterns_free(others);
}

static void small_networks(void **state) {
    (void)state;
    json_t *pieces = json_object();
    double values[MOST_VALUES];
    for (uint64_t seed = 1; seed <= 3; seed++) {
        assert_int_equal(exact_partition(seed, values), EXIT_DONE);
        put(pieces, "claims partition", values, PARTITION_VALUES);
        assert_int_equal(exact_gradients(seed, values), EXIT_DONE);
        put(pieces, "claims gradients", values, GRADIENT_VALUES);
        assert_true(values[BINARIZE_RIGHT] < 1e-6 && values[SLOPE_RIGHT] < 1e-5);
        static const char *const holding[] = {"exact-partition", "lambda-representation",
                                              "integrate-hidden"};
        static const char *const wrong[] = {"free-energy-integral", "binarization-gradient",
                                            "likelihood-gradient"};
        for (size_t k = 0; k < 3; k++) {
            assert_int_equal(judge(pieces, claim_called(holding[k])).verdict, VERDICT_HOLDS);
            assert_int_equal(judge(pieces, claim_called(wrong[k])).verdict, VERDICT_DIFFERS);
        }
    }
    json_decref(pieces);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_claim_goes_either_way),
        cmocka_unit_test(identifiers_differ),
        cmocka_unit_test(one_wrong_weight_is_noticed),
        cmocka_unit_test(another_network_is_noticed),
        cmocka_unit_test(small_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
