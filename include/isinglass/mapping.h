/* isinglass/mapping.h - the bridge between Hopfield networks and RBMs
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_MAPPING_H
#define ISINGLASS_MAPPING_H

#include "isinglass/hopfield.h"
#include "isinglass/sample.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- From a Hopfield network to an RBM ------------------------------------------------------- */

/* How W is found. All but the last give orthonormal columns and the projection rule
   J = W W^T = xi (xi^T xi)^-1 xi^T; the last gives the Hebbian rule J = xi xi^T / N. */
typedef enum isg_decomposition {
    ISG_VIA_QR,     /* W = Q of xi = QR with a positive diagonal of R */
    ISG_VIA_SVD,    /* W = U of xi = U S V^T, singular values descending */
    ISG_VIA_SQRT,   /* W = xi (xi^T xi)^-1/2, the orthonormal matrix nearest to xi */
    ISG_VIA_HEBBIAN /* W = xi / sqrt(N) */
} isg_decomposition;

/* How exact the mapping J = W W^T is; each error is the largest absolute entry. J is never formed,
   but a report costs n_visible^2 n_hidden multiplications, for the projector error. */
typedef struct isg_mapping_report {
    isg_decomposition via;
    size_t n_hidden;
    size_t rank;                 /* number of independent patterns */
    double orthogonality_error;  /* W^T W - I */
    double reconstruction_error; /* W R - xi */
    double projector_error;      /* J^2 - J */
    double fixed_point_error; /* J xi - xi: below 1, every pattern is a fixed point of sgn(J s) */
    double trace;             /* of J: n_hidden, for all four */
    double energy_shift; /* H(s) of the network minus that of the RBM, the same for every s: zero,
                            or tr(J) / 2 if the network has no diagonal */
} isg_mapping_report;

/* The RBM whose distribution over the spins is exactly that of the network at `beta`. W W^T = J, b
   is the network's field, c = 0, and H(s) is the same function. An RBM always has J's diagonal;
   since s_i^2 = 1, the diagonal only adds a constant to H, so a network without it has the same
   distribution, and only ln Z differs, by beta tr(J) / 2 (see energy_shift). The RBM gets a copy of
   the patterns. `via` selects W for a projection network; a Hebbian network always gives
   W = xi / sqrt(N), and a network made from an RBM gives back that RBM's W. `report` may be NULL.
   ISG_ERR_ARGUMENT for ISG_VIA_HEBBIAN with a projection network, and for a report on a network
   made from an RBM, which has no pattern rule to compare with. */
ISG_API isg_status isg_rbm_from_hopfield(isg_rbm **out, const isg_hopfield *network,
                                         isg_decomposition via, double beta,
                                         isg_mapping_report *report);

/* Start from isg_mapping_defaults(); defaults are in brackets. */
typedef struct isg_mapping_options {
    isg_decomposition via;     /* [ISG_VIA_QR] */
    double beta;               /* inverse temperature [2] */
    const double *field;       /* b (n_visible) of the network and of the RBM [NULL: zero] */
    bool allow_rank_deficient; /* map dependent patterns with fewer hidden units [false] */
} isg_mapping_options;

ISG_API isg_mapping_options isg_mapping_defaults(void);

/* isg_hopfield_create() and isg_rbm_from_hopfield() in one: the RBM of the network that stores the
   patterns. `options` and `report` may be NULL. ISG_ERR_DEPENDENT, naming the combination, for
   dependent patterns, which only ISG_VIA_HEBBIAN accepts by default. With allow_rank_deficient the
   RBM gets one hidden unit per independent pattern: qr and sqrt then decompose the best conditioned
   subset of independent patterns, in their order, and svd drops the zero singular values. */
ISG_API isg_status isg_rbm_from_patterns(isg_rbm **out, const isg_patterns *patterns,
                                         const isg_mapping_options *options,
                                         isg_mapping_report *report);

/* R (n_hidden, n_patterns) with W R = xi, the patterns in terms of the hidden units: the triangle
   for qr, S V^T for svd, (xi^T xi)^1/2 for sqrt, sqrt(N) times the identity for hebbian. Its data
   pointer is NULL if R is unknown. */
ISG_API isg_matd_view isg_rbm_coefficients(const isg_rbm *rbm);

/* Building blocks: add a pattern (packed; `label` is NULL if the others have none) to an RBM mapped
   via qr, or remove one, in O(N p) and without a new decomposition. The result equals that of a new
   mapping up to rounding. Pointers to the RBM's weights, fields and patterns become invalid. A
   nonzero hidden field is rotated with the weights. ISG_ERR_DEPENDENT if the pattern depends on the
   existing ones, ISG_ERR_ARGUMENT if the RBM is not as ISG_VIA_QR made it, or if no pattern would
   remain. */
ISG_API isg_status isg_rbm_append_pattern(isg_rbm *rbm, const uint64_t *pattern, const char *label);
ISG_API isg_status isg_rbm_remove_pattern(isg_rbm *rbm, size_t mu);

/* ---- Where training starts ------------------------------------------------------------------- */

typedef enum isg_start {
    ISG_START_HOPFIELD, /* the projection rule of the patterns, mapped by QR */
    ISG_START_HEBBIAN,  /* the Hebbian rule: xi / sqrt(n_visible) */
    ISG_START_PCA,      /* the principal axes of the data, as unit columns */
    ISG_START_NORMAL,   /* independent normal weights */
    ISG_START_AXES /* as PCA, but of the second moments <s s^T>, no means removed: of all orthonormal
                      weights those that capture most of the data, but not those of the largest
                      likelihood, since ln Z depends on W as well */
} isg_start;

/* Start from isg_start_defaults(); defaults are in brackets. */
typedef struct isg_start_options {
    isg_start kind;            /* [ISG_START_HOPFIELD] */
    size_t per_class;          /* patterns, and so hidden units, per class [1] */
    bool cap;                  /* patterns: as in isg_pattern_options [false] */
    size_t n_hidden;           /* PCA, axes and normal: hidden units [0: one per pattern] */
    bool allow_rank_deficient; /* Hopfield: as in isg_mapping_options [false] */
    double beta;               /* [2] */
    double deviation;          /* normal: standard deviation of the weights [0.1] */
    uint64_t seed;             /* normal [1] */
} isg_start_options;

ISG_API isg_start_options isg_start_defaults(void);

/* An RBM to train on the data, with fields of zero and the image shape of the data. `patterns` are
   the patterns to start from; NULL takes them from isg_patterns_from_data(), and `progress` reports
   on that. `options` and `progress` may be NULL. ISG_ERR_ARGUMENT if a class, which is named, has
   too few samples, or if the data have fewer principal axes than hidden units; ISG_ERR_DEPENDENT
   for dependent patterns. */
ISG_API isg_status isg_rbm_start(isg_rbm **out, const isg_start_options *options,
                                 const isg_patterns *patterns, const isg_dataset *data,
                                 const isg_progress *progress);

/* ---- From an RBM to a Hopfield network ------------------------------------------------------- */

/* A building block: the Hopfield network that exactly equals an RBM with its hidden layer
   integrated out: J = W W^T with its diagonal, field b + W c, the same H(s). It keeps the patterns
   that the RBM was made from, if known; after training, J may no longer store them.
   ISG_ERR_ARGUMENT if a weight or field is not finite. */
ISG_API isg_status isg_hopfield_from_rbm(isg_hopfield **out, const isg_rbm *rbm);

/* The spins alone, with lambda integrated out: H(s) = -s^T J s / 2 - (b + W c).s with J = W W^T. */
typedef struct isg_integrated {
    size_t n_visible;
    size_t n_hidden;
    size_t rank;                /* of W, and so of J */
    double orthogonality_error; /* largest entry of W^T W - I: zero if J is a projector */
    double orthogonal_distance; /* |W - L|_F to the nearest orthonormal L = U V^T (Loewdin) */
    double correction;          /* |C - U U^T| = largest |sigma^-2 - 1|, where
                                   J = W X (X^T W^T C W X)^-1 X^T W^T with C = U Sigma^-2 U^T would be
                                   the projection rule of W X if C were U U^T; infinite if the
                                   rank is not full */
    bool is_binary;             /* every column of W is a multiple of a pattern of +1 and -1 ... */
    bool is_hebbian;            /* ... with one factor w for all: J is N w^2 times xi xi^T / N */
    double hebbian_beta;        /* if so, N w^2 beta, at which the Hebbian network equals this RBM;
                                   else NaN */
    bool has_field;             /* whether b + W c is not zero */
} isg_integrated;

/* `singular_values` (the smaller of n_visible and n_hidden, descending) and `field` (n_visible),
   b + W c, may be NULL. ISG_ERR_ARGUMENT if a weight is not finite. */
ISG_API isg_status isg_rbm_integrate(const isg_rbm *rbm, isg_integrated *out,
                                     double *singular_values, double *field);

/* A building block: a copy of the RBM with the orthonormal weights nearest to W, L = U V^T for
   W = U Sigma V^T, so that its J is a projector. ISG_ERR_DEPENDENT if the columns of W are linearly
   dependent. */
ISG_API isg_status isg_rbm_orthonormalize(isg_rbm **out, const isg_rbm *rbm);

/* Binarization: finds X that makes W X nearly binary, so that B = sgn(W X) can be the patterns of a
   Hopfield network. For given B the best X is W^+ B; the residual of a pattern b is then
   |b - P b|^2 = N - b^T P b with P = W W^+: N plus twice the energy of b in the projection network
   of W's columns. */
typedef struct isg_unmapping isg_unmapping;

typedef enum isg_unmap_method {
    ISG_UNMAP_DESCENT,   /* the paper's: gradient descent on |W X - tanh(alpha W X)|^2 */
    ISG_UNMAP_RELAX,     /* b <- sgn(P b), which lowers the residual until b is a fixed point: from
                           sgn(W X0) and from the end of descent, keeping the lower of the two */
    ISG_UNMAP_ENUMERATE, /* relax all 2^(p-1) states that a binary vector in the span of W can have
                           on p well-chosen units, then choose p patterns with small residuals that
                           are far from dependent; if p > 24, relax data, patterns and random states
                           instead */
    ISG_UNMAP_CAPTURE /* the network nearest to the RBM: patterns learned from samples of the RBM, from
                         those of relax, or of as many clusters of the samples as patterns are wanted */
} isg_unmap_method;

/* Where descent and relax start from. */
typedef enum isg_unmap_start {
    ISG_UNMAP_FROM_MODEL,    /* X0 = R, if the RBM has it; else W's columns, if they are binary;
                                else as ISG_UNMAP_FROM_RANDOM */
    ISG_UNMAP_FROM_PATTERNS, /* X0 = W^+ xi for the given patterns */
    ISG_UNMAP_FROM_RANDOM,   /* many random states; patterns are then chosen as for enumeration */
    ISG_UNMAP_FROM_CLUSTERS  /* reported, not chosen: of the samples of a capture */
} isg_unmap_start;

/* Start from isg_unmap_defaults(); defaults are in brackets. */
typedef struct isg_unmap_options {
    isg_unmap_method method;      /* [ISG_UNMAP_RELAX] */
    isg_unmap_start start;        /* [ISG_UNMAP_FROM_MODEL] */
    const isg_patterns *patterns; /* to start from, one per hidden unit; for enumeration, only
                                     compared with the result [NULL: the RBM's own] */
    size_t restarts;              /* random states per pattern to find [50] */
    const isg_dataset *data;      /* rows to relax along with random states [NULL: none] */
    double alpha;                 /* descent: steepness of tanh [200] */
    double gamma;                 /* descent: step size, below 1 / sigma_max^2 [0.05] */
    size_t steps;                 /* descent: number of steps [50] */
    size_t samples;               /* capture: to be drawn from the RBM [10000] */
    bool stay;                    /* capture: draw them by chains that stay near `data`, instead of
                                     chains that change modes [false] */
    size_t count;                 /* capture: patterns [0: as relax finds] */
    bool flip;                    /* finally flip single spins while that lowers the residual, so
                                     that every pattern becomes a minimum of H [false] */
    uint64_t seed;                /* same seed, same patterns, on any number of threads [1] */
} isg_unmap_options;

ISG_API isg_unmap_options isg_unmap_defaults(void);

/* The verdict, relative to the residual that the same search finds in random subspaces. */
typedef enum isg_binarization {
    ISG_BINARIZATION_EXACT,       /* W X = B up to rounding */
    ISG_BINARIZATION_APPROXIMATE, /* clearly better than chance */
    ISG_BINARIZATION_NONE         /* over 0.8 of the residual for a random W of the same shape */
} isg_binarization;

/* A pattern in a network, with and without J's diagonal. */
typedef struct isg_unmapped_state {
    bool is_fixed_point;                  /* b = sgn(J b + field), sgn(0) keeps the spin */
    bool is_fixed_point_without_diagonal; /* the same with J_ii = 0 */
    bool is_stable;                       /* every single flip raises H */
} isg_unmapped_state;

typedef struct isg_unmapped_pattern {
    double residual;              /* |b - P b|^2 */
    double error;                 /* |W x - b|^2 at the x found: at least the residual */
    size_t known;                 /* the nearest known pattern; SIZE_MAX if there is none */
    size_t bits_changed;          /* relative to that; SIZE_MAX likewise */
    size_t same_as;               /* the first pattern equal to it up to sign; often itself */
    isg_unmapped_state projector; /* in the network of J = P */
    isg_unmapped_state model;     /* in the network of J = W W^T and field b + W c */
    /* The appendix' conditions, E = W x - b and J = P: units where (a) |J E| < |W x|, or (b) J E
       and W x have opposite signs. If no unit is left over, b is a fixed point. */
    size_t n_small, n_compatible, n_left_over;
} isg_unmapped_pattern;

typedef struct isg_unmap_report {
    isg_unmap_method method;
    isg_unmap_start start; /* the start used; for enumeration, from random */
    size_t n_visible;
    size_t n_hidden;
    size_t n_patterns;
    size_t n_distinct;      /* distinct patterns, up to sign */
    size_t rank;            /* of the patterns */
    size_t n_starts;        /* states relaxed or descended from */
    size_t n_candidates;    /* distinct results, up to sign, that the patterns were chosen from: the
                               best, at most 8192. 0 if each pattern has its own start */
    bool is_exhaustive;     /* whether all 2^(p-1) starts were tried */
    double residual;        /* sum over the patterns */
    double error;           /* |W X - sgn(W X)|_F, as in the paper */
    double residual_before; /* at X0; NaN unless each pattern has its own start */
    double error_before;
    double sign_baseline;   /* mean residual of as many random patterns: (N - p) each */
    double random_baseline; /* residual that the same search finds for a random W */
    isg_binarization verdict;
    double capture_before, capture; /* of the samples of the RBM; NaN for other methods */
    size_t flips;                   /* of single units in learning */
    isg_mixing mixing;              /* how the samples were drawn */
} isg_unmap_report;

/* `options` and `progress` may be NULL. Patterns with their own starts keep that order; others
   follow the order of the nearest known patterns and take their signs and labels or, if none are
   known, are sorted by residual, with fewer +1 than -1. ISG_ERR_DEPENDENT if the columns of W are
   linearly dependent, ISG_ERR_SHAPE if sizes disagree. */
ISG_API isg_status isg_unmap(isg_unmapping **out, const isg_rbm *rbm,
                             const isg_unmap_options *options, const isg_progress *progress);
ISG_API void isg_unmapping_free(isg_unmapping *unmapping); /* NULL is fine */
ISG_API isg_unmap_report isg_unmapping_describe(const isg_unmapping *unmapping);
/* They stand for J; the field b + W c, of isg_rbm_integrate(), goes with them (see isg_mapping_options). */
ISG_API const isg_patterns *isg_unmapping_patterns(const isg_unmapping *unmapping);
ISG_API isg_unmapped_pattern isg_unmapping_pattern(const isg_unmapping *unmapping, size_t mu);
ISG_API isg_matd_view isg_unmapping_coefficients(const isg_unmapping *unmapping); /* X (p, count) */

#ifdef __cplusplus
}
#endif

#endif
