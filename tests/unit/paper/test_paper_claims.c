/* test_paper_claims.c - for every claim there are numbers that make it hold and numbers that refute it
 *
 * SPDX-License-Identifier: MIT
 *
 * Pieces are made up here such that the paper is right in everything; then one or two of their
 * numbers are changed, claim by claim. For the exact mapping it is the computation that is broken.
 * The rules that claims share are in test_paper_claims_rules.c.
 */
#include "helper_claims.h"

/* ---- every claim can go either way ------------------------------------------------------------ */

static void every_claim_goes_either_way(void **state) {
    (void)state;
    size_t n = 0, vague = 0;
    for (size_t list = 0; claim_lists[list]; list++)
        for (const claim *of = claim_lists[list]; of->id; of++, n++) {
            json_t *pieces = paper_world(50);
            const verdict right = judge(pieces, of).verdict;
            const size_t changes = refute(pieces, of);
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

static bool is_figure(const char *name) {
    for (size_t k = 0; figures[k]; k++)
        if (strcmp(figures[k]->name, name) == 0)
            return true;
    return false;
}

/* Identifiers differ, and can be part of an address; figures exist. The report relies on it. */
static void claims_are_well_formed(void **state) {
    (void)state;
    for (size_t list = 0; claim_lists[list]; list++)
        for (const claim *of = claim_lists[list]; of->id; of++) {
            assert_ptr_equal(claim_called(of->id), of);
            assert_true(*of->id && !of->id[strspn(of->id, "abcdefghijklmnopqrstuvwxyz-")]);
            assert_true(*of->section && *of->statement && *of->paper);
            assert_true(!of->figure || is_figure(of->figure));
        }
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
        cmocka_unit_test(claims_are_well_formed),
        cmocka_unit_test(one_wrong_weight_is_noticed),
        cmocka_unit_test(another_network_is_noticed),
        cmocka_unit_test(small_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
