/* claims.h - the claims of the paper, one by one, and how they are checked
 *
 * SPDX-License-Identifier: MIT
 *
 * A claim is an entry of the table at the end of one of claims_*.c. It names a judge, a function
 * that decides from the numbers saved in pieces.json and from nothing else. To add a claim, add an
 * entry, with one of the judges there or a new one above the table; if it needs numbers that no
 * figure computes, add a piece to the table in claims_pieces.c and name its values below.
 *
 * Rules that all judges share:
 *
 * - A difference counts if it exceeds two standard errors, those of both sides combined, or more
 *   where one of many comparisons decides.
 * - A claim that there is no difference ("the same", "is 4.4 %", "no worse") does not hold just
 *   because errors are large: the difference has to be within a tolerance as well. Beyond that, but
 *   within two errors, it is not testable. The errors assume independent test images, although both
 *   sides of most comparisons have the same images: only rates are saved, so the error of the pair
 *   is unknown, and these are too large rather than too small.
 * - What is exact in theory may be off by rounding; the bound is part of the claim.
 * - Without its figure, with a part of it, or with fewer epochs or patterns than the statement is
 *   about, a claim is not computed, unless the numbers there already refute it.
 * - What the errors leave open, or the paper says too vaguely to be measured, is not testable: "not
 *   significant" neither supports nor refutes.
 * - Nothing follows from a number that is missing, has no error or is not trusted. Comparisons
 *   return an `answer` of three values, OPEN for such a number. Claims about all or some of many
 *   numbers combine answers, so that a flaw is ignored exactly where it cannot matter: one other
 *   number refutes a statement about all, and one shows a statement about some.
 * - Numbers that a piece always has are read by fact(): if one is not finite all the same, the claim
 *   is not testable.
 *
 * What is left in DIR/SCALE:
 *   claims.json   scale, seed, version, summary{verdict: count}, claims[]{id, section, figure,
 *                 statement, paper, ours, value, error, verdict, why, erratum}
 *   claims.csv    id, section, verdict, paper, ours, why
 */
#ifndef PAPER_CLAIMS_H
#define PAPER_CLAIMS_H

#include "paper/paper.h"

typedef enum verdict {
    VERDICT_HOLDS,
    VERDICT_DIFFERS,
    VERDICT_NOT_TESTABLE,
    VERDICT_NOT_COMPUTED,
    N_VERDICTS
} verdict;
extern const char *const verdict_names[N_VERDICTS];   /* of one claim: "holds" */
extern const char *const verdict_plurals[N_VERDICTS]; /* of several: "hold" */

/* Everything a judge sees. */
enum { FACT_CLASSES = 20, FLAW_BYTES = 80 };
typedef struct facts {
    json_t *pieces;       /* as pieces.json has them */
    double test_samples;  /* behind every test error */
    double train_samples; /* ... and every training error */
    size_t n_classes;     /* of the test set; those beyond FACT_CLASSES are left out */
    double class_samples[FACT_CLASSES];
    char *broken; /* (FLAW_BYTES) which number fact() found missing, or empty; for claim_judge() */
    json_t *read; /* {KEY: {INDEX: null}} of all that was read, for tests; or NULL */
} facts;

typedef struct ruling {
    verdict verdict;
    double value, error; /* NaN if there is none */
    char ours[240], why[480];
    char flaw[FLAW_BYTES]; /* the first reason why a comparison was impossible, or empty */
} ruling;

typedef struct claim {
    const char *id, *section;
    const char *figure; /* whose numbers it needs; NULL: none */
    const char *statement, *paper;
    bool is_erratum; /* a known error of the paper, listed in docs/errata.md */
    void (*judge)(const struct claim *of, const facts *in, ruling *out);
    const char *key;   /* a piece that it needs, or NULL */
    double numbers[4]; /* what distinguishes claims with the same judge */
} claim;

/* Each ends with a NULL id. */
extern const claim claims_theory[], claims_temperature[], claims_training[], claims_experts[],
    claims_appendix[];
extern const claim *const claim_lists[]; /* in the order of the paper; ends with NULL */

void claim_judge(const claim *of, const facts *in, ruling *out);

/* All claims with their verdicts, in the order of the paper. */
typedef struct finding {
    const claim *claim;
    ruling ruling;
} finding;

typedef struct findings {
    finding *at; /* (n) */
    size_t n;
    size_t counts[N_VERDICTS];
} findings;

/* Computes the pieces that are missing, judges every claim, and writes claims.json and claims.csv.
   Call findings_free() afterwards, even if it fails. */
exit_code claims_write(experiment *my, findings *out);
void findings_free(findings *of);

/* Whether claims_write() needs my->printed. */
bool claims_need_printed(const experiment *my);

/* ---- for judges ------------------------------------------------------------------------------- */

bool has_piece(const facts *in, const char *key);

/* Value `index` of a piece; NaN if there is none. If the piece is there but its number is not, the
   claim is not testable; peek() is for numbers that may be missing. */
double fact(const facts *in, const char *key, size_t index);
double peek(const facts *in, const char *key, size_t index);

/* The verdict; a value that is not finite makes the claim not testable. */
void rule(ruling *out, verdict what, double value, double error);
/* The same for a stop of the training; NaN if it did not happen up to the last stop. */
void rule_stop(ruling *out, verdict what, double epoch);
void say_ours(ruling *out, const char *format, ...) CLI_PRINTF(2, 3);
/* "12.3 +- 4.5 nats", with two digits of the error. `has_sign`: with a plus sign, too. */
void say_measured(ruling *out, bool has_sign, double value, double error, const char *unit);
void say_why(ruling *out, const char *format, ...) CLI_PRINTF(2, 3);
void not_computed(ruling *out, const char *format, ...) CLI_PRINTF(2, 3);

/* ---- claims_measured.c: what may be concluded from numbers ----------------------------------- */

/* Whether both of two statements hold, the smaller answer; whether either does, the larger. */
typedef enum answer { NO = -1, OPEN = 0, YES = 1 } answer;
answer all_of(answer one, answer two);
answer any_of(answer one, answer two);

/* A number with its standard error. */
typedef struct measured {
    double value, error;
    char flaw[FLAW_BYTES]; /* why nothing follows from it, as a clause; or empty */
} measured;

/* `name` is what the clause begins with: "k = 5, beta = 2". */
measured measure(double value, double error, bool is_trusted, const char *name);
measured less(const measured *one, const measured *two); /* one - two */
measured shift(const measured *one, double by);
measured minus(const measured *one);

/* -1 or 1 if the difference exceeds two standard errors, else 0; 0 if either is not finite. If any
   one of several comparisons would decide, each has to be farther out, so that chance is as rare for
   all of them together as two standard errors are for one (Bonferroni). */
int significant(double difference, double error);
int significant_among(double difference, double error, size_t comparisons);

/* Whether the difference is positive; it is one of so many. */
answer positive(ruling *out, const measured *difference, size_t comparisons);

/* Tolerances of claims that there is no difference: in L, what can be told apart by eye in Fig. 4,
   and in shares of the test images. */
#define TOLERANCE_NATS   5
#define TOLERANCE_ERROR  0.003
#define TOLERANCE_RECALL 0.01

/* Whether the difference is not positive, or, for no_difference(), zero: NO if it is significant,
   YES if it is within the tolerance. */
answer not_positive(ruling *out, const measured *difference, size_t comparisons, double tolerance);
answer no_difference(ruling *out, const measured *difference, size_t comparisons, double tolerance);

/* Turns an answer into a verdict: OPEN is not testable, because of the flaw that was found or, if
   there is none, because the errors are too large. */
void decide(ruling *out, answer found, double value, double error);

/* ---- shared by judges ------------------------------------------------------------------------ */

/* Holds if value numbers[0] of piece `key` is zero up to rounding errors of numbers[1]. */
void judge_rounding(const claim *of, const facts *in, ruling *out);

/* ---- claims_pieces.c: numbers that no figure needs -------------------------------------------- */

extern const figure figure_claims; /* pieces alone; nothing to finish */

/* The values of each piece. */
enum {
    MAPPING_ENERGY,        /* largest |H_RBM(s) - H(s)| / |H(s)| over random states */
    MAPPING_COUPLINGS,     /* largest entry of W W^T - xi A^-1 xi^T */
    MAPPING_ORTHOGONALITY, /* of W^T W - I */
    MAPPING_RECOVERED,     /* of W R - xi */
    MAPPING_DEPTH,         /* of H(xi) + N / 2 */
    MAPPING_STABLE,        /* patterns whose energy every single flip raises */
    MAPPING_HEBB_FIXED,    /* patterns that are fixed points of the Hebbian rule */
    MAPPING_PATTERNS,
    MAPPING_UNITS,
    MAPPING_VALUES
};
enum {
    FAMILY_SVD, /* largest entry of J - xi A^-1 xi^T for other decompositions */
    FAMILY_SQRT,
    FAMILY_ORDER,         /* likewise after the patterns were reordered and one negated */
    FAMILY_ORDER_WEIGHTS, /* largest change of W then */
    FAMILY_FIELD,         /* largest relative difference of energies with a field */
    FAMILY_ORTHOGONAL,    /* of the projection J - Hebbian J for orthogonal patterns */
    FAMILY_CORRELATED,    /* ... and for the class patterns */
    FAMILY_VALUES
};
enum {
    MACHINE_OVERLAP, /* largest relative difference of H(s) from that of the network */
    MACHINE_PROJECTION,
    MACHINE_LAYERS, /* the paper's three layers, tau integrated first */
    MACHINE_NEAR, /* Re H of the three layers at tau = 0 and some lambda, and at 1000 times that */
    MACHINE_FAR,
    MACHINE_VALUES
};
enum {
    PARTITION_ENUMERATED, /* |ln Z of the RBM - ln Z of the network|, both over all states */
    PARTITION_LAMBDA,     /* Eq. 7, by quadrature */
    PARTITION_FREE,       /* ln of 2^N (beta/2pi)^1/2 int exp(-beta F0) - ln Z */
    PARTITION_PRINTED,    /* ln of int exp(-F0) - ln Z */
    PARTITION_HIDDEN,     /* largest |H(s) by integration - H(s)|, with fields */
    PARTITION_VALUES
};
enum {
    SLOPE_RIGHT,      /* largest |dln p / dW - difference quotient|, second term over the model */
    SLOPE_PRINTED,    /* ... and as printed */
    SLOPE_SIZE,       /* largest difference quotient */
    BINARIZE_RIGHT,   /* |G - difference quotient| / |difference quotient| with sech^2(alpha W X) */
    BINARIZE_PRINTED, /* ... and as printed */
    GRADIENT_VALUES
};
enum {
    LANDSCAPE_RISE,  /* largest rise of F0 in a step of the mean dynamics, relative to F0 */
    LANDSCAPE_FALL,  /* mean fall from start to end */
    LANDSCAPE_SLOPE, /* largest entry of the gradient at the end */
    LANDSCAPE_VALUES
};
enum {
    PROJECTION_LARGEST, /* |a_mu| over all 2^N states */
    PROJECTION_IMAGES,  /* ... over the test images */
    PROJECTION_OVERLAP, /* |m_mu| over the test images */
    PROJECTION_FACTOR,  /* |a| / |A^-1 m| */
    PROJECTION_PRODUCT, /* largest |-(N/2) m.a - H| / |H| */
    PROJECTION_FORMS,   /* ... of the forms I and II */
    PROJECTION_UNITS,
    PROJECTION_VALUES
};
enum {
    PIXELS_CHANGED, /* share of pixels that are +1 by the printed rule but not by ours */
    PIXELS_OURS,    /* share of +1 */
    PIXELS_PRINTED,
    PIXELS_BITS, /* of the class patterns that change */
    PIXELS_ALL_BITS,
    PIXELS_VALUES
};
enum {
    TIME_MAPPING,    /* seconds to average the classes and decompose */
    TIME_CLUSTERING, /* seconds to find sub-classes, if all classes were as large as the largest */
    TIME_EPOCH,      /* seconds of CD-20 with as many hidden units as patterns */
    TIME_UPDATES,    /* in an epoch of batches of 100 */
    TIME_SAMPLES,
    TIME_VALUES
};
enum { WEIGHTS_EPOCHS, WEIGHTS_LEAST_COSINE, WEIGHTS_MEAN_COSINE, WEIGHTS_VALUES };
enum {
    BACK_EPOCHS,
    BACK_PATTERNS,
    BACK_FIXED, /* points of sgn(J s), J the projector onto the columns of W */
    BACK_STABLE,
    BACK_MET,              /* patterns that meet the conditions of the appendix at every unit ... */
    BACK_MET_FIXED,        /* ... and are fixed points */
    BACK_ROOT_MEAN_SQUARE, /* of E = W X - sgn(W X) */
    BACK_RANDOM,           /* ... from random X0 */
    BACK_BITS,             /* share of the bits that changed from the patterns before training */
    BACK_VALUES
};

#endif
