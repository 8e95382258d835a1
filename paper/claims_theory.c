/* claims_theory.c - Section 2: the mapping, its relatives, and the partition function
 *
 * SPDX-License-Identifier: MIT
 *
 * Checked on the class patterns of the training set, with 1000 random states where not all can be
 * tried, and on small random networks, where all states are summed.
 */
#include <math.h>

#include "paper/claims.h"

/* Holds if every pattern is a strict minimum with the lowest possible energy, -N / 2. */
static void judge_minima(const claim *of, const facts *in, ruling *out) {
    const double stable = fact(in, of->key, MAPPING_STABLE);
    const double all = fact(in, of->key, MAPPING_PATTERNS);
    const double depth = fact(in, of->key, MAPPING_DEPTH);
    rule(out, stable >= all && depth < 1e-9 ? VERDICT_HOLDS : VERDICT_DIFFERS, stable, 0);
    say_ours(out, "%g of %g patterns are minima", stable, all);
    say_why(
        out,
        "H(xi) differs from -N/2, the lowest energy of a projector, by at most %.1e; every single "
        "flip raises H at %g of %g patterns",
        depth, stable, all);
}

/* Holds if some pattern is not a fixed point of the Hebbian rule. */
static void judge_hebbian(const claim *of, const facts *in, ruling *out) {
    const double fixed = fact(in, of->key, MAPPING_HEBB_FIXED);
    const double all = fact(in, of->key, MAPPING_PATTERNS);
    rule(out, fixed < all ? VERDICT_HOLDS : VERDICT_DIFFERS, fixed, 0);
    say_ours(out, "%g of %g patterns are fixed points", fixed, all);
    say_why(out, "sgn(J xi), J = xi xi^T / N, changes %g of the %g class patterns", all - fixed,
            all);
}

/* Holds if J is the same up to rounding errors of numbers[1] although W differs. */
static void judge_order(const claim *of, const facts *in, ruling *out) {
    const double couplings = fact(in, of->key, FAMILY_ORDER);
    const double weights = fact(in, of->key, FAMILY_ORDER_WEIGHTS);
    const bool is_fine = couplings <= of->numbers[1] && weights > 1e-3;
    rule(out, is_fine ? VERDICT_HOLDS : VERDICT_DIFFERS, couplings, of->numbers[1]);
    say_ours(out, "J changes by %.1e, W by %.2g", couplings, weights);
    say_why(out, "patterns in reverse order, one of them negated: largest change of an entry");
}

/* Holds if both other decompositions give J up to rounding errors of numbers[1]. */
static void judge_decompositions(const claim *of, const facts *in, ruling *out) {
    const double svd = fact(in, of->key, FAMILY_SVD), root = fact(in, of->key, FAMILY_SQRT);
    const bool is_fine = svd <= of->numbers[1] && root <= of->numbers[1];
    rule(out, is_fine ? VERDICT_HOLDS : VERDICT_DIFFERS, fmax(svd, root), of->numbers[1]);
    say_ours(out, "J differs by %.1e (svd) and %.1e (root)", svd, root);
    say_why(out, "largest entry of W W^T - xi (xi^T xi)^-1 xi^T; bound for rounding errors: %.0e",
            of->numbers[1]);
}

/* Holds if the rules agree on orthogonal patterns up to rounding errors. */
static void judge_orthogonal(const claim *of, const facts *in, ruling *out) {
    judge_rounding(of, in, out);
    say_why(out, "; for the class patterns the largest entry of the difference is %.2g",
            fact(in, of->key, FAMILY_CORRELATED));
}

/* Holds if int exp(-F0) dlambda is Z, to a part in a million. */
static void judge_printed_integral(const claim *of, const facts *in, ruling *out) {
    const double off = fact(in, of->key, PARTITION_PRINTED);
    const double right = fact(in, of->key, PARTITION_FREE);
    rule(out, fabs(off) < 1e-6 ? VERDICT_HOLDS : VERDICT_DIFFERS, off, 0);
    say_ours(out, "ln of the integral is ln Z %+.3g", off);
    say_why(
        out,
        "N = 12, p = 1, beta = 2; with beta in the exponent and the factor 2^N (beta/2 pi)^(p/2) "
        "it is ln Z to %.1e",
        right);
}

/* Holds if F0 never rises in a step of the mean dynamics, up to rounding errors of 1e-12 of it. */
static void judge_lyapunov(const claim *of, const facts *in, ruling *out) {
    const double rise = fact(in, of->key, LANDSCAPE_RISE);
    rule(out, rise <= 1e-12 ? VERDICT_HOLDS : VERDICT_DIFFERS, rise, 1e-12);
    say_ours(out, "largest rise of F0 in a step, by its size: %.1e", rise);
    say_why(out,
            "lambda <- W^T tanh(beta W lambda) from 100 test images lowers F0 by %.3g on average, "
            "until "
            "its gradient is at most %.1e",
            fact(in, of->key, LANDSCAPE_FALL), fact(in, of->key, LANDSCAPE_SLOPE));
}

/* Holds if W has fewer entries than J has couplings. */
static void judge_size(const claim *of, const facts *in, ruling *out) {
    const double n = fact(in, of->key, MAPPING_UNITS), p = fact(in, of->key, MAPPING_PATTERNS);
    const double ratio = n * (n - 1) / 2 / (n * p);
    rule(out, ratio > 1 ? VERDICT_HOLDS : VERDICT_DIFFERS, ratio, 0);
    say_ours(out, "%.3g times smaller", ratio);
    say_why(out,
            "N p = %g weights, N (N - 1) / 2 = %g couplings at p = %g; smaller as long as p < %g",
            n * p, n * (n - 1) / 2, p, (n - 1) / 2);
}

/* clang-format off */
const claim claims_theory[] = {
    {"exact-energy", "Sec. 2.1, Eq. 6", NULL,
     "The RBM with weights Q gives every state of the spins the same energy as the Hopfield network",
     "exact", false, judge_rounding, "claims mapping", {MAPPING_ENERGY, 1e-11}},
    {"exact-couplings", "Sec. 2.1, Eq. 3", NULL,
     "The couplings of the projection rule are J = Q Q^T with Q from xi = Q R",
     "exact", false, judge_rounding, "claims mapping", {MAPPING_COUPLINGS, 1e-12}},
    {"exact-basis", "Sec. 2.1, Eq. 2", NULL,
     "The columns of Q are an orthonormal basis",
     "exact", false, judge_rounding, "claims mapping", {MAPPING_ORTHOGONALITY, 1e-12}},
    {"exact-partition", "Sec. 2.1, Eq. 5", NULL,
     "Network and RBM have the same partition function",
     "exact", false, judge_rounding, "claims partition", {PARTITION_ENUMERATED, 1e-10}},
    {"lambda-representation", "Sec. 2.1, Eq. 7", NULL,
     "With the spins summed out, the integral over the p hidden variables is the same Z",
     "exact", false, judge_rounding, "claims partition", {PARTITION_LAMBDA, 1e-9}},
    {"free-energy-integral", "Sec. 2.1, at Eq. 8", NULL,
     "Z is the integral of exp(-F0) over lambda",
     "Z = int exp(-F0) dlambda", true, judge_printed_integral, "claims partition", {0}},
    {"field-carries", "Sec. 2.1", NULL,
     "The mapping leaves a field on the spins unchanged",
     "exact", false, judge_rounding, "claims family", {FAMILY_FIELD, 1e-11}},
    {"order-irrelevant", "Sec. 2.1", NULL,
     "Another order or sign of the patterns gives another Q, but the same network",
     "2^p p! choices of Q", false, judge_order, "claims family", {0, 1e-12}},
    {"orthogonal-limit", "Sec. 2", NULL,
     "For orthogonal patterns the projection rule is the Hebbian rule",
     "exact", false, judge_orthogonal, "claims family", {FAMILY_ORTHOGONAL, 1e-13}},
    {"patterns-are-minima", "Sec. 2", NULL,
     "The projection rule makes all patterns, however correlated, global minima of H",
     "all p patterns", false, judge_minima, "claims mapping", {0}},
    {"hebbian-fails", "Sec. 2, App. A", NULL,
     "The Hebbian rule stores only (nearly) orthogonal patterns; correlated ones need the projection rule",
     "not all p patterns", false, judge_hebbian, "claims mapping", {0}},
    {"lyapunov", "Sec. 2.1, Eq. 8", NULL,
     "F0 is a Lyapunov function of the mean dynamics of lambda",
     "approximately", false, judge_lyapunov, "claims landscape", {0}},
    {"integrate-hidden", "Sec. 2.2, Eq. 10; App. D.1", NULL,
     "Integrating out Gaussian hidden units leaves spins with couplings W W^T and no others",
     "exact", false, judge_rounding, "claims partition", {PARTITION_HIDDEN, 1e-10}},
    {"other-decompositions", "App. B", NULL,
     "W from the singular value decomposition or from the square root of xi^T xi gives the same network",
     "exact", false, judge_decompositions, "claims family", {0, 1e-12}},
    {"fewer-weights", "Sec. 4", NULL,
     "The RBM has far fewer weights than the network has couplings",
     "N p instead of N (N - 1) / 2", false, judge_size, "claims mapping", {0}},
    {.id = NULL},
};
/* clang-format on */
