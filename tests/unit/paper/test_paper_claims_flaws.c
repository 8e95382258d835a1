/* test_paper_claims_flaws.c - a number that is none, has no error or is not trusted decides nothing
 *
 * SPDX-License-Identifier: MIT
 *
 * Every number that a judge reads, in a world in which the paper is right, is spoiled in turn: the
 * claim must neither hold nor differ then. Where the others decide alone it may; such cases are in
 * a list with reasons, and there no other value of the number may change the verdict either.
 */
#include "helper_claims.h"

#include <fnmatch.h>

/* ---- numbers and answers --------------------------------------------------------------------- */

static void flaws_of_numbers(void **state) {
    (void)state;
    static const struct {
        double value, error;
        bool is_trusted;
        const char *flaw;
    } cases[] = {
        {1, 2, true, ""},
        {1, 0, true, ""},
        {(double)NAN, 1, true, "x is not a finite number"},
        {HUGE_VAL, 1, true, "x is not a finite number"},
        {-HUGE_VAL, 1, true, "x is not a finite number"},
        {1, (double)NAN, true, "x has no error"},
        {1, HUGE_VAL, true, "x has no error"},
        {1, -HUGE_VAL, true, "x has no error"},
        {1, -1, true, "x has no error"},
        {1, 2, false, "x is not trusted"},
        {1, (double)NAN, false, "x is not trusted"},
    };
    const measured sound = measure(0, 1e-3, true, "sound");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const measured one = measure(cases[k].value, cases[k].error, cases[k].is_trusted, "x");
        const measured gaps[] = {less(&one, &sound), less(&sound, &one), shift(&one, 5),
                                 minus(&one)};
        assert_string_equal(one.flaw, cases[k].flaw);
        for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++) {
            ruling out = {.flaw = ""};
            assert_string_equal(gaps[g].flaw, cases[k].flaw);
            if (!cases[k].flaw[0])
                continue;
            assert_int_equal(positive(&out, &gaps[g], 1), OPEN);
            assert_int_equal(not_positive(&out, &gaps[g], 1, 10), OPEN);
            assert_int_equal(no_difference(&out, &gaps[g], 1, 10), OPEN);
            decide(&out, positive(&out, &gaps[g], 1), 1, 1);
            assert_int_equal(out.verdict, VERDICT_NOT_TESTABLE);
            assert_string_equal(out.flaw, cases[k].flaw);
        }
    }
    const measured large = measure(1e308, 1, true, "x"), small = measure(-1e308, 1, true, "y");
    assert_true(less(&large, &small).flaw[0] != '\0');
}

static void answers(void **state) {
    (void)state;
    ruling out = {.flaw = ""};
    const measured above = measure(3, 1, true, "x"), within = measure(1, 1, true, "x");
    const measured below = minus(&above);
    assert_int_equal(positive(&out, &above, 1), YES);
    assert_int_equal(positive(&out, &within, 1), OPEN);
    assert_int_equal(positive(&out, &below, 1), NO);
    assert_int_equal(not_positive(&out, &above, 1, 5), NO);
    assert_int_equal(not_positive(&out, &within, 1, 0.5), OPEN);
    assert_int_equal(not_positive(&out, &within, 1, 2), YES);
    assert_int_equal(not_positive(&out, &below, 1, 2), YES);
    assert_int_equal(no_difference(&out, &below, 1, 2), NO);
    assert_int_equal(no_difference(&out, &within, 1, 2), YES);
    assert_int_equal(all_of(YES, OPEN), OPEN);
    assert_int_equal(all_of(NO, OPEN), NO);
    assert_int_equal(any_of(YES, OPEN), YES);
    assert_int_equal(any_of(NO, OPEN), OPEN);
    assert_int_equal(out.flaw[0], '\0');
    rule(&out, VERDICT_HOLDS, HUGE_VAL, 0);
    assert_int_equal(out.verdict, VERDICT_NOT_TESTABLE);
}

/* ---- every number of every judge ------------------------------------------------------------- */

/* Claims that the other numbers decide alone: whatever one that is not trusted may be, it cannot
   matter, and the test holds them to that. Numbers that cannot be missing are not excepted. */
static const struct {
    const char *id, *reason;
} exceptions[] = {
    {"monotone-ais", "is about AIS"},
    {"sustained", "is about the smallest and the largest k, and about how far L falls at least"},
    {"start-*", "is about epoch 0"},
    {"early-*", "is about the first epoch"},
    {"*-catches-up", "ends where the start has caught up, and is about two of four"},
    {"random-moderate", "is about the random start, in the first 5 epochs"},
    {"mild-training", "compares two points"},
    {"same-end-*", "is about the last stop"},
    {"pca-between", "needs one stop, and neither the first nor the last"},
    {"random-slow", "is about AIS"},
    {"others-sooner", "is about AIS"},
    {"*-error", "is about one point, or two"},
    {"untrained-against-random", "compares two points"},
    {"hopfield-first", "is about k = 10 and 20, until 1 epoch"},
    {"pca-then", "is about k = 10 and 20, after 1 epoch"},
    {"hopfield-large", "is about Hopfield and PCA at k = 100, not about 10 and 20 epochs"},
    {"ten-against-hundred", "is about k = 10, and random weights with k = 100"},
    {"benefit-at-fixed-size", "is about the Hopfield and the random start"},
    {"more-sub-patterns", "is about the Hopfield start at epoch 0"},
    {"more-hidden-units", "is about epoch 50"},
    {"beyond-fifty", "is about epochs 50 and 100"},
    {"hebbian-worse", "is about the Hopfield and the Hebbian start"},
    {"hebbian-lags", "needs most of the epochs, and is about the Hebbian start"},
};
enum { N_EXCEPTIONS = sizeof exceptions / sizeof exceptions[0], NO_ERROR = 99 };

static bool is_excepted(const claim *of) {
    for (size_t x = 0; x < N_EXCEPTIONS; x++)
        if (fnmatch(exceptions[x].id, of->id, 0) == 0)
            return true;
    return false;
}

/* Numbers that may be missing or not trusted in a piece that is there, and between which bounds the
   value is if nothing is known of it. L is -ln Z here, since the data term is zero. */
typedef struct estimate {
    const char *keys;
    size_t value, error, flag;
    double least, most;
} estimate;
static const estimate estimates[] = {{"fig2 * better", 0, 1, 3, 0, 1e6},
                                     {"fig4 *", 3, 4, 6, -1e6, 0},
                                     {"experts *", 0, NO_ERROR, 2, 0, 1}};

/* The estimate whose error or flag this is, or whose value if that may be missing; else NULL. */
static const estimate *estimate_of(const char *key, size_t index) {
    for (size_t e = 0; e < sizeof estimates / sizeof estimates[0]; e++)
        if (fnmatch(estimates[e].keys, key, 0) == 0 &&
            (index == estimates[e].error || index == estimates[e].flag ||
             (index == estimates[e].value && index > 0)))
            return &estimates[e];
    return NULL;
}

/* Whether the verdict is the same at the bounds, trusted and without an error worth speaking of. */
static bool cannot_matter(const facts *in, const claim *of, const char *key, const estimate *what,
                          verdict found) {
    json_t *its = json_object_get(in->pieces, key);
    json_t *kept = json_incref(json_object_get(its, "values"));
    bool is_same = true;
    for (size_t side = 0; side < 2; side++) {
        json_object_set_new(its, "values", json_copy(kept));
        set_value(in->pieces, key, what->value, side ? what->most : what->least);
        if (what->error == NO_ERROR)
            set_value(in->pieces, key, 1,
                      side ? what->most : what->least); /* of the training set */
        else
            set_value(in->pieces, key, what->error, 1e-3);
        set_value(in->pieces, key, what->flag, 1);
        is_same = is_same && judge_by(in, of).verdict == found;
    }
    json_object_set_new(its, "values", kept);
    return is_same;
}

/* Spoils one number, in every way; returns whether the verdict stayed, which it may if the
   number can be missing. */
static bool spoil(const facts *in, const claim *of, const char *key, size_t index, verdict before) {
    const estimate *what = estimate_of(key, index);
    json_t *values = json_object_get(json_object_get(in->pieces, key), "values");
    json_t *kept = json_incref(json_array_get(values, index));
    bool stayed = false;
    /* No number; and zero where it means "not trusted". */
    for (size_t k = 0; k < (what && index == what->flag ? 2 : 1); k++) {
        json_array_set_new(values, index, json_number(k == 0 ? (double)NAN : 0));
        const ruling found = judge_by(in, of);
        if (found.verdict == before && what)
            stayed = true;
        else if (found.verdict != VERDICT_NOT_TESTABLE)
            stop_at("%s: %s without number %zu of %s", of->id, verdict_names[found.verdict], index,
                    key);
        else if (strncmp(found.why, "not testable here: ", 19) != 0)
            stop_at("%s without number %zu of %s gives no reason: %s", of->id, index, key,
                    found.why);
    }
    json_array_set_new(values, index, kept);
    return stayed;
}

/* Every number that the claim reads; returns in how many pieces it did not matter, and how many
   numbers were read. */
static size_t spoil_all(json_t *pieces, const claim *of, size_t *n) {
    facts in = facts_of(pieces);
    json_t *read = json_object(), *numbers, *ignored;
    const char *key, *number;
    size_t n_stayed = 0;
    in.read = read;
    const verdict before = judge_by(&in, of).verdict;
    in.read = NULL;
    *n = 0;
    json_object_foreach(read, key, numbers) {
        const estimate *what = NULL;
        json_object_foreach(numbers, number, ignored) {
            const size_t index = strtoul(number, NULL, 10);
            if (spoil(&in, of, key, index, before))
                what = estimate_of(key, index);
            ++*n;
        }
        if (what && !cannot_matter(&in, of, key, what, before))
            stop_at("%s: %s without numbers of %s, which may matter", of->id, verdict_names[before],
                    key);
        n_stayed += what != NULL;
    }
    json_decref(read);
    return n_stayed;
}

/* What is not finite does not get into pieces, and not out of the comparisons: see above. */
static void infinities_are_kept_as_nothing(void **state) {
    (void)state;
    static const double none[] = {(double)NAN, HUGE_VAL, -HUGE_VAL};
    for (size_t k = 0; k < 3; k++) {
        json_t *kept = json_number(none[k]);
        assert_true(json_is_null(kept));
        json_decref(kept);
    }
    json_error_t problem;
    assert_null(json_loads("[1e999]", 0, &problem));
}

/* Best estimates at every stop of Fig. 4, all trusted. */
static json_t *full_world(void) {
    json_t *pieces = paper_world(50), *its;
    const char *key;
    json_object_foreach(pieces, key, its) {
        if (strncmp(key, "fig4 ", 5) != 0)
            continue;
        const json_t *values = json_object_get(its, "values");
        set_value(pieces, key, 3, json_number_value(json_array_get(values, 1)));
        set_value(pieces, key, 4, 0.01);
        set_value(pieces, key, 5, 2);
        set_value(pieces, key, 6, 1);
    }
    return pieces;
}

/* The numbers of other figures, which no judge looks at, only take time. */
static void keep_figure(json_t *pieces, const claim *of) {
    const char *key;
    json_t *its;
    void *next;
    const char *name = of->figure ? of->figure : "";
    char prefix[KEY_BYTES] = "";
    if (strcmp(name, "fig5") == 0 || strcmp(name, "figE1") == 0)
        snprintf(prefix, sizeof prefix, "experts ");
    else if (strcmp(name, "fig4") == 0)
        snprintf(prefix, sizeof prefix, "fig4 p=%g ", of->numbers[0]);
    else if (strcmp(name, "fig2") == 0)
        snprintf(prefix, sizeof prefix, "fig2 ");
    json_object_foreach_safe(pieces, next, key, its) {
        if (strncmp(key, prefix, strlen(prefix)) != 0)
            json_object_del(pieces, key);
    }
}

static void no_number_decides_that_is_none(void **state) {
    (void)state;
    size_t judged = 0;
    for (size_t list = 0; claim_lists[list]; list++)
        for (const claim *of = claim_lists[list]; of->id; of++) {
            json_t *pieces = full_world();
            size_t n = 0;
            keep_figure(pieces, of);
            if (judge(pieces, of).verdict == VERDICT_HOLDS) {
                const size_t stayed = spoil_all(pieces, of, &n);
                if (n == 0 || (stayed > 0) != is_excepted(of))
                    stop_at("%s stayed %zu times, with %zu numbers", of->id, stayed, n);
                judged++;
            }
            json_decref(pieces);
        }
    assert_int_equal(judged, 71); /* all but the four that are vague, and bounds of recall */
}

/* One that refutes is enough, whatever the others may be; but it has to be a number. */
static void nor_refutes(void **state) {
    (void)state;
    for (size_t list = 0; claim_lists[list]; list++)
        for (const claim *of = claim_lists[list]; of->id; of++) {
            json_t *pieces = paper_world(50);
            size_t n = 0;
            keep_figure(pieces, of);
            if (refute(pieces, of) > 0) {
                assert_int_equal(judge(pieces, of).verdict, VERDICT_DIFFERS);
                spoil_all(pieces, of, &n);
                assert_true(n > 0);
            }
            json_decref(pieces);
        }
}

/* Counts of images that are none: every share of them is without an error. */
static void no_images(void **state) {
    (void)state;
    static const double counts[] = {0, (double)NAN};
    json_t *pieces = paper_world(50);
    for (size_t k = 0; k < 2; k++) {
        facts in = facts_of(pieces);
        in.test_samples = in.train_samples = counts[k];
        in.class_samples[0] = (double)NAN;
        for (const claim *of = claims_experts; of->id; of++)
            assert_int_equal(judge_by(&in, of).verdict, VERDICT_NOT_TESTABLE);
        refute(pieces, claim_called("recall-as-printed"));
        assert_int_equal(judge_by(&in, claim_called("recall-as-printed")).verdict,
                         VERDICT_NOT_TESTABLE);
    }
    json_decref(pieces);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flaws_of_numbers),
        cmocka_unit_test(answers),
        cmocka_unit_test(infinities_are_kept_as_nothing),
        slow_unit_test(no_number_decides_that_is_none),
        slow_unit_test(nor_refutes),
        cmocka_unit_test(no_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
