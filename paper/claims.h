/* claims.h - what the paper says, sentence by sentence, and what the numbers say to it
 *
 * SPDX-License-Identifier: MIT
 *
 * A claim is a row of a table in one of claims_*.c with a judge: a function of numbers that were
 * kept in pieces.json, and of nothing else. Numbers that no figure needs are pieces of their own
 * (claims_pieces.c), computed after the figures.
 *
 * Rules that all judges share. A difference counts if it exceeds two standard errors, those of both
 * sides combined, or more where one of many comparisons decides. A claim that there is none ("the
 * same", "is 4.4 %", "no worse") does not hold because errors are large: the difference itself has
 * to be within a tolerance, too; beyond it, but within two errors, the claim is not testable. This
 * is because the errors are those of independent test images, though both sides of most comparisons
 * have the same ones: only rates are kept, so that the error of the pair is not known, and these are
 * too large rather than too small. What is exact in theory may be off by rounding, and the bound
 * stands beside the claim. Without the figure, with a part of it, or with fewer epochs or patterns
 * than the sentence is about, a claim is not computed, unless what is there already refutes it.
 * What the errors leave open, and what the paper says too vaguely to be measured, is not testable:
 * "not significant" neither supports nor refutes.
 *
 * Nor does a number that is none, that has no error or that is not trusted. Comparisons return an
 * `answer` of three values, and a number with a flaw makes that OPEN; claims about all or some of
 * many numbers combine answers, so that such a number is left out exactly where it cannot matter: a
 * sentence about all is refuted by one of the others, and one about some is shown by one of them.
 * Numbers that cannot be missing, in a piece that is there, are read by fact(): if one is not a
 * finite number all the same, nothing that was read along with it is believed.
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

/* All that judges see. */
enum { FACT_CLASSES = 20, FLAW_BYTES = 80 };
typedef struct facts {
    json_t *pieces;       /* as pieces.json has them */
    double test_samples;  /* behind every test error */
    double train_samples; /* ... and every training error */
    size_t n_classes;     /* of the test set; those beyond FACT_CLASSES are left out */
    double class_samples[FACT_CLASSES];
    char
        *broken; /* (FLAW_BYTES) what fact() found that is no number, or empty; for claim_judge() */
    json_t *read; /* {KEY: {INDEX: null}} of all that was read, for tests; or NULL */
} facts;

typedef struct ruling {
    verdict verdict;
    double value, error; /* NaN if there is none */
    char ours[240], why[480];
    char flaw[FLAW_BYTES]; /* what made a comparison impossible, the first; empty if nothing did */
} ruling;

typedef struct claim {
    const char *id, *section;
    const char *figure; /* whose numbers it needs; NULL: pieces of its own */
    const char *statement, *paper;
    bool is_erratum; /* docs/errata.md has it: a known error of the paper */
    void (*judge)(const struct claim *of, const facts *in, ruling *out);
    const char *key;   /* a piece it cannot do without, or NULL */
    double numbers[4]; /* what several claims with one judge differ in */
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

/* {verdict: count}, as claims.json has it; NULL if memory ran out. */
json_t *findings_summary(const findings *of);

/* Whether claims_write() will look at my->printed. */
bool claims_need_printed(const experiment *my);

/* ---- for judges ------------------------------------------------------------------------------- */

bool has_piece(const facts *in, const char *key);

/* Value `index` of a piece; NaN if it is not there. If the piece is, but the number is none, the
   claim is not testable. peek() is for numbers that may be missing. */
double fact(const facts *in, const char *key, size_t index);
double peek(const facts *in, const char *key, size_t index);

/* A value that is not finite makes the claim not testable. */
void rule(ruling *out, verdict what, double value, double error);
/* For a stop of the training: NaN if nothing happened up to the last. */
void rule_stop(ruling *out, verdict what, double epoch);
void say_ours(ruling *out, const char *format, ...) CLI_PRINTF(2, 3);
/* "12.3 +- 4.5 nats": as many digits as make two of the error. With a sign if it may be either. */
void say_measured(ruling *out, bool has_sign, double value, double error, const char *unit);
void say_why(ruling *out, const char *format, ...) CLI_PRINTF(2, 3);
void not_computed(ruling *out, const char *format, ...) CLI_PRINTF(2, 3);

/* ---- claims_measured.c: what may be concluded from numbers ----------------------------------- */

/* Of two statements, whether all hold: the smaller answer; any: the larger. */
typedef enum answer { NO = -1, OPEN = 0, YES = 1 } answer;
answer all_of(answer one, answer two);
answer any_of(answer one, answer two);

/* A number with its standard error. */
typedef struct measured {
    double value, error;
    char flaw[FLAW_BYTES]; /* why nothing follows from it, as a clause; empty if something may */
} measured;

/* `name` is what a flaw is said of: "k = 5, beta = 2". */
measured measure(double value, double error, bool is_trusted, const char *name);
measured less(const measured *one, const measured *two); /* one - two */
measured shift(const measured *one, double by);
measured minus(const measured *one);

/* -1 or 1 if the difference is beyond two of its standard errors, else 0; 0 if either is not
   finite. Of so many comparisons, any of which would decide, each has to be farther out, so that
   chance alone is as rare for all together as two standard errors are for one (Bonferroni). */
int significant(double difference, double error);
int significant_among(double difference, double error, size_t comparisons);

/* Whether the difference is positive: one of so many. */
answer positive(ruling *out, const measured *difference, size_t comparisons);

/* The tolerances of claims that there is no difference: in L, what the eye can tell apart in Fig. 4,
   and in shares of test images. */
#define TOLERANCE_NATS   5
#define TOLERANCE_ERROR  0.003
#define TOLERANCE_RECALL 0.01

/* Whether the difference is not positive, or, for no_difference(), zero: NO if it is beyond its
   errors, and YES within the tolerance. */
answer not_positive(ruling *out, const measured *difference, size_t comparisons, double tolerance);
answer no_difference(ruling *out, const measured *difference, size_t comparisons, double tolerance);

/* The verdict that an answer is: OPEN is not testable, with the flaw that was met as the reason, or
   else with the errors. */
void decide(ruling *out, answer found, double value, double error);

/* ---- shared by judges ------------------------------------------------------------------------ */

/* Value numbers[0] of piece `key` is zero but for rounding, which may leave numbers[1]. */
void judge_rounding(const claim *of, const facts *in, ruling *out);

/* ---- claims_pieces.c: numbers that no figure needs -------------------------------------------- */

extern const figure figure_claims; /* pieces alone; nothing to finish */

/* Where the numbers of a piece stand. */
enum {
    MAPPING_ENERGY,        /* largest |H_RBM(s) - H(s)| / |H(s)| over random states */
    MAPPING_COUPLINGS,     /* largest entry of W W^T - xi A^-1 xi^T */
    MAPPING_ORTHOGONALITY, /* of W^T W - I */
    MAPPING_RECOVERED,     /* of W R - xi */
    MAPPING_DEPTH,         /* of H(xi) + N / 2 */
    MAPPING_STABLE,        /* patterns that every single flip would raise */
    MAPPING_HEBB_FIXED,    /* patterns that are fixed points of the Hebbian rule */
    MAPPING_PATTERNS,
    MAPPING_UNITS,
    MAPPING_VALUES
};
enum {
    FAMILY_SVD, /* largest entry of J - xi A^-1 xi^T for other decompositions */
    FAMILY_SQRT,
    FAMILY_ORDER,         /* likewise after patterns were put in another order and one turned */
    FAMILY_ORDER_WEIGHTS, /* largest change of W by that */
    FAMILY_FIELD,         /* largest relative difference of energies with a field */
    FAMILY_ORTHOGONAL,    /* of the projection J - Hebbian J for orthogonal patterns */
    FAMILY_CORRELATED,    /* ... and for the class patterns */
    FAMILY_VALUES
};
enum {
    MACHINE_OVERLAP, /* largest relative difference of H(s) from that of the network */
    MACHINE_PROJECTION,
    MACHINE_LAYERS, /* the paper's three layers, tau integrated first */
    MACHINE_NEAR, /* Re H of the three layers at tau = 0 and a lambda, and a thousand times further */
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
    LANDSCAPE_RISE,  /* largest rise of F0 in a step of the mean dynamics, by its size */
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
    PIXELS_CHANGED, /* share of pixels that the printed rule makes +1 and ours does not */
    PIXELS_OURS,    /* share of +1 */
    PIXELS_PRINTED,
    PIXELS_BITS, /* of the class patterns that change */
    PIXELS_ALL_BITS,
    PIXELS_VALUES
};
enum {
    TIME_MAPPING,    /* seconds to average the classes and decompose */
    TIME_CLUSTERING, /* seconds to find sub-classes, all classes as large as the largest */
    TIME_EPOCH,      /* seconds of CD-20 with as many hidden units as patterns */
    TIME_UPDATES,    /* in an epoch of batches of 100 */
    TIME_SAMPLES,
    TIME_VALUES
};
enum { WEIGHTS_EPOCHS, WEIGHTS_LEAST_COSINE, WEIGHTS_MEAN_COSINE, WEIGHTS_VALUES };
enum {
    BACK_EPOCHS,
    BACK_PATTERNS,
    BACK_FIXED, /* points of sgn(J s), J the projector on the columns of W */
    BACK_STABLE,
    BACK_MET,              /* patterns that meet the conditions of the appendix at every unit ... */
    BACK_MET_FIXED,        /* ... and are fixed points */
    BACK_ROOT_MEAN_SQUARE, /* of E = W X - sgn(W X) */
    BACK_RANDOM,           /* ... from random X0 */
    BACK_BITS,             /* share of the bits that changed from the patterns before training */
    BACK_VALUES
};

#endif
