/* claims_appendix.c - the appendices: other machines, from weights back to patterns, recall, formulas
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "paper/claims.h"
#include "src/base/elementary.h"

/* ---- App. A: overlaps and projections --------------------------------------------------------- */

/* Holds if no |a_mu| exceeds 1. */
static void judge_range(const claim *of, const facts *in, ruling *out) {
    const double largest = fact(in, of->key, PROJECTION_LARGEST);
    rule(out, largest <= 1 + 1e-12 ? VERDICT_HOLDS : VERDICT_DIFFERS, largest, 0);
    say_ours(out, "up to %.3f in size", largest);
    say_why(out,
            "largest |a_mu| over all states, %.3f over the test images; a_mu is a coordinate in a "
            "basis "
            "that is not orthogonal; the overlaps m stay within 1 (%.3f)",
            fact(in, of->key, PROJECTION_IMAGES), fact(in, of->key, PROJECTION_OVERLAP));
}

/* Holds if |a| = |A^-1 m|, to a part in a million. */
static void judge_factor(const claim *of, const facts *in, ruling *out) {
    const double factor = fact(in, of->key, PROJECTION_FACTOR);
    rule(out, fabs(factor - 1) < 1e-6 ? VERDICT_HOLDS : VERDICT_DIFFERS, factor, 0);
    say_ours(out, "|a| / |A^-1 m| = %.6g", factor);
    say_why(out, "with m = xi^T s / N and A = xi^T xi a factor N = %g is missing: a = N A^-1 m",
            fact(in, of->key, PROJECTION_UNITS));
}

/* Holds if -(N/2) m.a and the forms I and II are H up to rounding errors of numbers[1]. */
static void judge_forms(const claim *of, const facts *in, ruling *out) {
    const double product = fact(in, of->key, PROJECTION_PRODUCT);
    const double forms = fact(in, of->key, PROJECTION_FORMS);
    const bool is_fine = product <= of->numbers[1] && forms <= of->numbers[1];
    rule(out, is_fine ? VERDICT_HOLDS : VERDICT_DIFFERS, fmax(product, forms), of->numbers[1]);
    say_ours(out, "largest relative difference %.1e", fmax(product, forms));
    say_why(out,
            "over all test images: %.1e for -(N/2) m.a, %.1e for the forms I and II, with "
            "a = N A^-1 m",
            product, forms);
}

/* ---- App. C: the three layers ----------------------------------------------------------------- */

/* Holds if the energy does not fall as lambda grows: then exp(-beta H) could be summed. */
static void judge_layers(const claim *of, const facts *in, ruling *out) {
    const double near = fact(in, of->key, MACHINE_NEAR), far = fact(in, of->key, MACHINE_FAR);
    rule(out, far >= near ? VERDICT_HOLDS : VERDICT_DIFFERS, far, 0);
    say_ours(out, "Re H = %.4g at |lambda| = 1, %.4g at 1000", near, far);
    say_why(out,
            "at fixed tau the real part of H is linear in lambda, so exp(-beta H) grows without "
            "bound: it is a formal expression, not a distribution");
}

/* ---- App. D: the way back --------------------------------------------------------------------- */

/* Holds if the printed gradient agrees with the difference quotient to 1e-4 of its size. */
static void judge_gradient(const claim *of, const facts *in, ruling *out) {
    const double printed = fact(in, of->key, BINARIZE_PRINTED);
    rule(out, printed < 1e-4 ? VERDICT_HOLDS : VERDICT_DIFFERS, printed, 0);
    say_ours(out, "off by %.2g of its size", printed);
    say_why(out,
            "difference quotients, N = 12, p = 3, alpha = 3; with sech^2(alpha W X) it is off "
            "by %.0e",
            fact(in, of->key, BINARIZE_RIGHT));
}

/* Holds if the root mean square of E is below 1/2: most entries are closer to +-1 than to 0. */
static void judge_binary(const claim *of, const facts *in, ruling *out) {
    const double size = fact(in, of->key, BACK_ROOT_MEAN_SQUARE);
    const double epochs = fact(in, of->key, BACK_EPOCHS);
    rule(out, size < 0.5 ? VERDICT_HOLDS : VERDICT_DIFFERS, size, 0);
    say_ours(out, "entries of W X miss +-1 by %.3f (rms)", size);
    if (epochs < 10)
        not_computed(out, "needs 10 epochs of training, found %g", epochs);
    else
        say_why(out,
                "after %g epochs; %.2g %% of the signs differ from the patterns before training",
                epochs, 100 * fact(in, of->key, BACK_BITS));
}

/* Holds if every pattern that meets (a) or (b) at each unit is a fixed point, and there is one. */
static void judge_conditions(const claim *of, const facts *in, ruling *out) {
    const double met = fact(in, of->key, BACK_MET), fixed = fact(in, of->key, BACK_MET_FIXED);
    rule(out,
         fixed < met ? VERDICT_DIFFERS
         : met > 0   ? VERDICT_HOLDS
                     : VERDICT_NOT_TESTABLE,
         fixed, 0);
    say_ours(out, "%g of %g such patterns", fixed, met);
    say_why(out,
            "%g of %g patterns found after %g epochs meet the conditions at every unit, and %g of "
            "these are fixed points of sgn(J s), J the projector onto the columns of W; of all "
            "patterns, %g are fixed points and %g minima",
            met, fact(in, of->key, BACK_PATTERNS), fact(in, of->key, BACK_EPOCHS), fixed,
            fact(in, of->key, BACK_FIXED), fact(in, of->key, BACK_STABLE));
}

/* The paper says neither how X0 is drawn nor what it calls high. */
static void judge_random_start(const claim *of, const facts *in, ruling *out) {
    const double random = fact(in, of->key, BACK_RANDOM);
    rule(out, VERDICT_NOT_TESTABLE, random, 0);
    say_ours(out, "entries of W X miss +-1 by %.3f (rms)", random);
    say_why(out,
            "from X0 = W^+ b for random states b, compared with %.3f from X0 = R; the paper says "
            "neither how it draws X0 nor what it calls high",
            fact(in, of->key, BACK_ROOT_MEAN_SQUARE));
}

/* ---- App. D: recall --------------------------------------------------------------------------- */

/* Values of a piece of Fig. D2. The last is the table, shares of each digit by outcome: the classes and
   four others. */
enum {
    FIGD2_SAMPLES = 2,
    FIGD2_PATTERNS = 7,
    FIGD2_NEAREST = 11,
    FIGD2_TABLE = 13,
    FIGD2_OTHERS = 4
};

/* Holds if the accuracy of piece `key` is numbers[0], within the tolerance and two standard errors,
   binomial with equally many images on both sides. */
static void judge_recall(const claim *of, const facts *in, ruling *out) {
    const double accuracy = fact(in, of->key, 0), error = fact(in, of->key, 1);
    const double expected = of->numbers[0], samples = fact(in, of->key, 2);
    const measured off =
        measure(accuracy - expected, isg_hypot(error, sqrt(expected * (1 - expected) / samples)),
                true, "the difference");
    decide(out, no_difference(out, &off, 1, TOLERANCE_RECALL), 100 * accuracy, 100 * error);
    say_ours(out, "%.2f +- %.2f %%", 100 * accuracy, 100 * error);
    say_why(out,
            "%+.2f +- %.2f %% from the paper, tolerance %g %%; the nearest pattern without a "
            "network has %.2f %%",
            100 * off.value, 100 * off.error, 100 * TOLERANCE_RECALL,
            100 * fact(in, of->key, FIGD2_NEAREST));
}

/* Holds if recall falls significantly, by numbers[0] within the tolerance and two standard errors. */
static void judge_recall_cost(const claim *of, const facts *in, ruling *out) {
    const char *const before = "figD2 xi0 published", *const after = "figD2 xi10 published";
    const measured cost =
        measure(fact(in, before, 0) - fact(in, after, 0),
                isg_hypot(fact(in, before, 1), fact(in, after, 1)), true, "the difference");
    if (!has_piece(in, before)) {
        not_computed(out, "figD2 has not been computed here");
        return;
    }
    const measured off = shift(&cost, -of->numbers[0]);
    decide(out, all_of(positive(out, &cost, 1), no_difference(out, &off, 1, TOLERANCE_RECALL)),
           100 * cost.value, 100 * cost.error);
    say_ours(out, "%.2f +- %.2f %% worse", 100 * cost.value, 100 * cost.error);
    say_why(
        out,
        "%.2f %% before training, %.2f %% with the patterns of the reverse map; %+.2f %% from the "
        "paper, tolerance %g %%",
        100 * fact(in, before, 0), 100 * fact(in, after, 0), 100 * off.value,
        100 * TOLERANCE_RECALL);
}

/* The protocol of the caption cannot be computed, as it does not say whether units are updated all at
   once or in turn, whether J has its diagonal, and where the trajectories of the remaining images
   start. But there are bounds: images whose attractor is a pattern count fully, the others count at
   most 1 each. Differs if the paper's numbers[0] is significantly outside, else not testable. */
static void judge_as_printed(const claim *of, const facts *in, ruling *out) {
    const double samples = fact(in, of->key, FIGD2_SAMPLES), expected = of->numbers[0];
    const double left = 1 - fact(in, of->key, FIGD2_PATTERNS) / samples;
    const size_t columns = in->n_classes + FIGD2_OTHERS;
    double right = 0;
    for (size_t c = 0; c < in->n_classes; c++)
        right += in->class_samples[c] / samples * fact(in, of->key, FIGD2_TABLE + c * columns + c);
    const double error = sqrt(2 * expected * (1 - expected) / samples);
    const bool is_out =
        significant(right - expected, error) > 0 || significant(expected - right - left, error) > 0;
    rule(out, is_out ? VERDICT_DIFFERS : VERDICT_NOT_TESTABLE, 100 * right, 100 * error);
    say_ours(out, "between %.1f and %.1f %%", 100 * right, 100 * (right + left));
    say_why(out,
            "images that end in the pattern of their digit, without and with the %g that end in no "
            "pattern; %s. The result for these depends on what the caption does not say: whether "
            "units are updated all at once or in turn, J has its diagonal, and trajectories start "
            "from the end or from the image",
            round(left * samples),
            is_out ? "the paper's value is outside these bounds, by more than two errors"
                   : "the paper's value lies within");
}

/* ---- App. E ----------------------------------------------------------------------------------- */

/* Holds if the printed derivative of ln p agrees with the difference quotient to 1e-4 of its size. */
static void judge_slope(const claim *of, const facts *in, ruling *out) {
    const double printed = fact(in, of->key, SLOPE_PRINTED), size = fact(in, of->key, SLOPE_SIZE);
    rule(out, printed < 1e-4 * size ? VERDICT_HOLDS : VERDICT_DIFFERS, printed, 0);
    say_ours(out, "off by %.3g where entries reach %.3g", printed, size);
    say_why(
        out,
        "difference quotients of ln p(s_a), N = 12, p = 3; the weight exp(-beta H(s_a, lambda)) "
        "makes the second term zero; with H(s, lambda) the formula is off by %.0e",
        fact(in, of->key, SLOPE_RIGHT));
}

/* clang-format off */
const claim claims_appendix[] = {
    {"projection-range", "App. A", NULL,
     "The projections a_mu of a state on the patterns lie between -1 and 1",
     "a_mu in [-1, 1]", true, judge_range, "claims projections", {0}},
    {"projection-definition", "App. A", NULL,
     "The projection is a = A^-1 m", "a = A^-1 m", true, judge_factor, "claims projections", {0}},
    {"quadratic-forms", "App. A, Eq. A.1", NULL,
     "H is -(N/2) m.a, and the quadratic forms I and II in m and in a",
     "exact", false, judge_forms, "claims projections", {0, 1e-10}},
    {"overlap-machine", "App. C", NULL,
     "The overlap Boltzmann machine has the p(s) of the network",
     "exact", false, judge_rounding, "claims machines", {MACHINE_OVERLAP, 1e-10}},
    {"projection-machine", "App. C", NULL,
     "The projection Boltzmann machine has the p(s) of the network",
     "exact", false, judge_rounding, "claims machines", {MACHINE_PROJECTION, 1e-10}},
    {"three-layers-energy", "App. C", NULL,
     "With tau integrated out first, the three complex layers have the p(s) of the network",
     "exact", false, judge_rounding, "claims machines", {MACHINE_LAYERS, 1e-10}},
    {"three-layers-machine", "App. C", NULL,
     "The three layers with complex couplings are an RBM",
     "a three-layer RBM", true, judge_layers, "claims machines", {0}},
    {"binarization-start", "App. D.3", NULL,
     "Before training X = R solves the binarization exactly: W R = xi",
     "exact", false, judge_rounding, "claims mapping", {MAPPING_RECOVERED, 1e-12}},
    {"binarization-gradient", "App. D.3", NULL,
     "The gradient of the softened binarization error is 2 W^T (E - alpha E o sech^2(W X))",
     "sech^2(W X)", true, judge_gradient, "claims gradients", {0}},
    {"nearly-binary", "App. D.3, Fig. D.1", "figD1",
     "After ten epochs of training, descent from X = R still finds a nearly binary W X",
     "nearly binary", false, judge_binary, "claims back", {0}},
    {"sufficient-conditions", "App. D.2", "figD1",
     "Patterns with a small or compatible error at every unit are fixed points",
     "all of them", false, judge_conditions, "claims back", {0}},
    {"random-binarization", "App. D.3", "figD1",
     "From a random X the binarization error stays high",
     "high error", false, judge_random_start, "claims back", {0}},
    {"recall-before", "App. D.3, Fig. D.2", "figD2",
     "Share of test images recalled as their digit by the patterns before training",
     "76.8 %", false, judge_recall, "figD2 xi0 published", {0.7678}},
    {"recall-after", "App. D.3, Fig. D.2", "figD2",
     "Share of test images recalled by the patterns of the reverse map after ten epochs",
     "73.7 %", false, judge_recall, "figD2 xi10 published", {0.7371}},
    {"recall-cost", "App. D.3", "figD2",
     "Recall with the patterns of the reverse map is about 3 % worse",
     "about 3 %", false, judge_recall_cost, "figD2 xi10 published", {0.03}},
    {"recall-as-printed", "App. D.3, caption of Fig. D.2", "figD2",
     "The table was made by following every image to a fixed point first",
     "76.8 %", false, judge_as_printed, "figD2 xi0 attractor", {0.7678}},
    {"likelihood-gradient", "App. E.1", NULL,
     "In the derivative of ln p, the term of the model has the weight exp(-beta H(s_a, lambda))",
     "H(s_a, lambda)", true, judge_slope, "claims gradients", {0}},
    {.id = NULL},
};
/* clang-format on */
