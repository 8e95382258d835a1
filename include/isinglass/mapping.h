/* isinglass/mapping.h - the bridge between Hopfield networks and RBMs
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_MAPPING_H
#define ISINGLASS_MAPPING_H

#include "isinglass/hopfield.h"
#include "isinglass/rbm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- From a Hopfield network to an RBM ------------------------------------------------------- */

/* Which W: all but the last have orthonormal columns and give the projection rule
   J = W W^T = xi (xi^T xi)^-1 xi^T, the last gives the Hebbian rule J = xi xi^T / N. */
typedef enum isg_decomposition {
    ISG_VIA_QR,     /* W = Q of xi = QR with a positive diagonal of R */
    ISG_VIA_SVD,    /* W = U of xi = U S V^T, singular values falling */
    ISG_VIA_SQRT,   /* W = xi (xi^T xi)^-1/2, the orthonormal matrix nearest to xi */
    ISG_VIA_HEBBIAN /* W = xi / sqrt(N) */
} isg_decomposition;

/* How exact a mapping is, J = W W^T; each error is the largest entry in size. J is not formed,
   but asking for the projector error costs n_visible^2 n_hidden multiplications. */
typedef struct isg_mapping_report {
    isg_decomposition via;
    size_t n_hidden;
    size_t rank;                 /* number of independent patterns */
    double orthogonality_error;  /* W^T W - I */
    double reconstruction_error; /* W R - xi */
    double projector_error;      /* J^2 - J */
    double fixed_point_error; /* J xi - xi: below 1, every pattern is a fixed point of sgn(J s) */
    double trace;             /* of J: n_hidden, for all four */
    double energy_shift; /* H(s) of the network less that of the RBM, the same for every s: zero,
                                 or tr(J) / 2 if the network has no diagonal */
} isg_mapping_report;

/* The RBM whose distribution over the spins is that of the network at `beta`, exactly: W W^T = J, b is
   the network's field, c = 0, and H(s) is the same function. An RBM cannot do without J's diagonal;
   but since s_i^2 = 1 it adds nothing to H but a constant, so that a network without its diagonal has
   the same distribution too, and only ln Z differs, by beta tr(J) / 2 (see energy_shift). The RBM
   gets a copy of the patterns. `via` chooses among the W of a projection network; a Hebbian one has
   W = xi / sqrt(N), and one made from an RBM gets that W back, whatever `via` is. `report` may be
   NULL. ISG_ERR_ARGUMENT for ISG_VIA_HEBBIAN of a projection network, and for a report on a network
   made from an RBM, which is no rule of patterns to be compared with. */
ISG_API isg_status isg_rbm_from_hopfield(isg_rbm **out, const isg_hopfield *network,
                                         isg_decomposition via, double beta,
                                         isg_mapping_report *report);

/* Start from isg_mapping_defaults(); defaults are in brackets. */
typedef struct isg_mapping_options {
    isg_decomposition via;     /* [ISG_VIA_QR] */
    double beta;               /* inverse temperature [2] */
    const double *field;       /* b (n_visible) of the network, carried over [NULL: zero] */
    bool allow_rank_deficient; /* map dependent patterns with fewer hidden units [false] */
} isg_mapping_options;

ISG_API isg_mapping_options isg_mapping_defaults(void);

/* isg_hopfield_create() and isg_rbm_from_hopfield() in one: the RBM of the network that stores the
   patterns. `options` and `report` may be NULL. ISG_ERR_DEPENDENT for dependent patterns, with a
   sentence that names the combination, except by ISG_VIA_HEBBIAN, which does not mind. If allowed, the
   network gets one hidden unit per independent pattern: qr and sqrt then decompose the best
   conditioned choice of such patterns, in their order, and svd drops the singular values that are
   zero. */
ISG_API isg_status isg_rbm_from_patterns(isg_rbm **out, const isg_patterns *patterns,
                                         const isg_mapping_options *options,
                                         isg_mapping_report *report);

/* R (n_hidden, n_patterns) with W R = xi, the patterns in terms of the hidden units: the triangle
   of qr, S V^T of svd, (xi^T xi)^1/2 of sqrt, sqrt(N) times the identity of hebbian. Its data are
   NULL if unknown. */
ISG_API isg_matd_view isg_rbm_coefficients(const isg_rbm *rbm);

/* One pattern more (packed; `label` as the others have, NULL if they have none) or less in an RBM
   mapped via qr, in O(N p) without decomposing again: the same RBM as a new mapping gives, up to
   rounding. Pointers to its weights, fields and patterns become invalid. Other hidden fields than
   zero turn with the weights. ISG_ERR_DEPENDENT if the pattern depends on those that are there,
   ISG_ERR_ARGUMENT if the RBM is not as ISG_VIA_QR made it, or if the last one would go. */
ISG_API isg_status isg_rbm_append_pattern(isg_rbm *rbm, const uint64_t *pattern, const char *label);
ISG_API isg_status isg_rbm_remove_pattern(isg_rbm *rbm, size_t mu);

/* ---- Where training starts ------------------------------------------------------------------- */

typedef enum isg_start {
    ISG_START_HOPFIELD, /* the projection rule of the patterns, mapped by QR */
    ISG_START_HEBBIAN,  /* the Hebbian rule: xi / sqrt(n_visible) */
    ISG_START_PCA,      /* the principal axes of the data, as unit columns */
    ISG_START_NORMAL    /* independent normal weights */
} isg_start;

/* Start from isg_start_defaults(); defaults are in brackets. */
typedef struct isg_start_options {
    isg_start kind;   /* [ISG_START_HOPFIELD] */
    size_t per_class; /* patterns, and so hidden units, of every class [1] */
    size_t n_hidden;  /* PCA and normal: hidden units [0: as many as patterns there were] */
    bool allow_rank_deficient; /* Hopfield: as in isg_mapping_options [false] */
    double beta;               /* [2] */
    double deviation;          /* normal: standard deviation of the weights [0.1] */
    uint64_t seed;             /* normal [1] */
} isg_start_options;

ISG_API isg_start_options isg_start_defaults(void);

/* An RBM to train on the data, with fields of zero; it takes the shape of their images. `patterns` are
   those to start from, NULL: isg_patterns_from_data(), which `progress` is about. `options` and
   `progress` may be NULL. ISG_ERR_ARGUMENT, naming the class, if one has too few samples, or if the
   data vary in fewer directions than axes are wanted; ISG_ERR_DEPENDENT for dependent patterns. */
ISG_API isg_status isg_rbm_start(isg_rbm **out, const isg_start_options *options,
                                 const isg_patterns *patterns, const isg_dataset *data,
                                 const isg_progress *progress);

/* ---- From an RBM to a Hopfield network ------------------------------------------------------- */

/* The Hopfield network that an RBM is with its hidden layer integrated out, exactly: J = W W^T with its
   diagonal, field b + W c, the same H(s). It has the patterns that the RBM was made of, if these are
   known; after training they need no longer be what J stores. ISG_ERR_ARGUMENT if a weight or field
   is not finite. */
ISG_API isg_status isg_hopfield_from_rbm(isg_hopfield **out, const isg_rbm *rbm);

/* The spins alone, lambda integrated out: H(s) = -s^T J s / 2 - (b + W c).s with J = W W^T. */
typedef struct isg_integrated {
    size_t n_visible;
    size_t n_hidden;
    size_t rank;                /* of W, and so of J */
    double orthogonality_error; /* largest entry of W^T W - I: zero if J is a projector */
    double orthogonal_distance; /* |W - L|_F from the nearest orthonormal L = U V^T (Loewdin) */
    double correction;          /* |C - U U^T| = largest |sigma^-2 - 1|, where
                                   J = W X (X^T W^T C W X)^-1 X^T W^T with C = U Sigma^-2 U^T would be
                                   the projection rule of W X if C were U U^T; infinite if the
                                   rank is not full */
    bool is_binary;             /* every column of W is a number times a pattern of +1 and -1 ... */
    bool is_hebbian;            /* ... the same one for all: J is N w^2 times xi xi^T / N */
    double hebbian_beta;        /* then N w^2 beta, at which the Hebbian network is this RBM;
                                   else NaN */
    bool has_field;             /* whether b + W c is not zero */
} isg_integrated;

/* `singular_values` (the smaller of n_visible and n_hidden, falling) and `field` (n_visible) b + W c
   may be NULL. ISG_ERR_ARGUMENT if a weight is not finite. */
ISG_API isg_status isg_rbm_integrate(const isg_rbm *rbm, isg_integrated *out,
                                     double *singular_values, double *field);

/* The RBM with the orthonormal weights nearest to W, L = U V^T for W = U Sigma V^T, and the rest as
   it is: its J is a projector. ISG_ERR_DEPENDENT if the columns of W are linearly dependent. */
ISG_API isg_status isg_rbm_orthonormalize(isg_rbm **out, const isg_rbm *rbm);

/* Binarization: X that makes W X nearly binary, so that B = sgn(W X) may be the patterns of a
   Hopfield network. For given B the best X is W^+ B, and what is left, the residual of a pattern b,
   is |b - P b|^2 = N - b^T P b with P = W W^+: twice the energy of b in the projection network of
   W's columns, plus N. */
typedef struct isg_unmapping isg_unmapping;

typedef enum isg_unmap_method {
    ISG_UNMAP_DESCENT,  /* the paper's: gradient descent on |W X - tanh(alpha W X)|^2 */
    ISG_UNMAP_RELAX,    /* b <- sgn(P b), which lowers the residual until b is a fixed point: from
                           sgn(W X0) and from the end of descent, whichever goes lower */
    ISG_UNMAP_ENUMERATE /* relax all 2^(p-1) states that a binary vector in the span of W can have
                           on p well-chosen units, and choose p patterns of small residual that are
                           far from dependent; if p > 24, relax data, patterns and random states */
} isg_unmap_method;

/* Where descent and relax start from. */
typedef enum isg_unmap_start {
    ISG_UNMAP_FROM_MODEL,    /* X0 = R, if the RBM knows it; else W's columns, if they are binary;
                                else as from random */
    ISG_UNMAP_FROM_PATTERNS, /* X0 = W^+ xi for the given patterns */
    ISG_UNMAP_FROM_RANDOM    /* many random states; patterns are then chosen as by enumeration */
} isg_unmap_start;

/* Start from isg_unmap_defaults(); defaults are in brackets. */
typedef struct isg_unmap_options {
    isg_unmap_method method;      /* [ISG_UNMAP_RELAX] */
    isg_unmap_start start;        /* [ISG_UNMAP_FROM_MODEL] */
    const isg_patterns *patterns; /* to start from, one per hidden unit; to enumerate, only what
                                     the result is compared with [NULL: the RBM's own] */
    size_t restarts;              /* random states, per pattern to be found [50] */
    const isg_dataset *data;      /* rows to relax as well, where states are random [NULL] */
    double alpha;                 /* descent: steepness of tanh [200] */
    double gamma;                 /* descent: step size, below 1 / sigma_max^2 [0.05] */
    size_t steps;                 /* descent: number of steps [50] */
    bool flip;                    /* then flip single spins while that lowers the residual, so that
                                     every pattern becomes a minimum of H [false] */
    uint64_t seed;                /* same seed, same patterns, on any number of threads [1] */
} isg_unmap_options;

ISG_API isg_unmap_options isg_unmap_defaults(void);

/* How good it is, by the residual that the same search finds in random subspaces. */
typedef enum isg_binarization {
    ISG_BINARIZATION_EXACT,       /* W X = B up to rounding */
    ISG_BINARIZATION_APPROXIMATE, /* clearly better than chance */
    ISG_BINARIZATION_NONE         /* more than 0.8 of what a random W of the same shape gives */
} isg_binarization;

/* A pattern in a network, with J's diagonal and without. */
typedef struct isg_unmapped_state {
    bool is_fixed_point;                  /* b = sgn(J b + field), where sgn(0) keeps */
    bool is_fixed_point_without_diagonal; /* the same with J_ii = 0 */
    bool is_stable;                       /* every single flip raises H */
} isg_unmapped_state;

typedef struct isg_unmapped_pattern {
    double residual;              /* |b - P b|^2 */
    double error;                 /* |W x - b|^2 at the x that was found: at least the residual */
    size_t known;                 /* the known pattern next to it; SIZE_MAX if there is none */
    size_t bits_changed;          /* from that; SIZE_MAX likewise */
    size_t same_as;               /* the first pattern that equals it up to sign; often itself */
    isg_unmapped_state projector; /* in the network of J = P */
    isg_unmapped_state model;     /* in that of J = W W^T and field b + W c */
    /* The appendix' conditions, E = W x - b and J = P: units at which (a) |J E| < |W x|, or
       (b) J E has the other sign than W x. If none is left over, b is a fixed point. */
    size_t n_small, n_compatible, n_left_over;
} isg_unmapped_pattern;

typedef struct isg_unmap_report {
    isg_unmap_method method;
    isg_unmap_start start; /* as it was in the end; for enumeration, from random */
    size_t n_visible;
    size_t n_hidden;
    size_t n_patterns;
    size_t n_distinct;      /* of them, up to sign */
    size_t rank;            /* of them */
    size_t n_starts;        /* states relaxed or descended from */
    size_t n_candidates;    /* different results, up to sign, that the patterns were chosen from;
                                at most 8192, the best. 0 if each start has its own pattern */
    bool is_exhaustive;     /* whether all 2^(p-1) starts were tried */
    double residual;        /* sum over the patterns */
    double error;           /* |W X - sgn(W X)|_F, as the paper has it */
    double residual_before; /* at X0; NaN if each pattern has no start of its own */
    double error_before;
    double sign_baseline;   /* residual of as many random patterns, on average: (N - p) each */
    double random_baseline; /* residual found in the same way for a random W */
    isg_binarization verdict;
} isg_unmap_report;

/* `options` and `progress` may be NULL. Patterns from starts of their own keep their order; others stand in the
   order of the known patterns they are nearest to and take their sign and label, or, if none are known,
   by residual, with fewer +1 than -1. ISG_ERR_DEPENDENT if the columns of W are linearly dependent,
   ISG_ERR_SHAPE if patterns or data do not fit. */
ISG_API isg_status isg_unmap(isg_unmapping **out, const isg_rbm *rbm,
                             const isg_unmap_options *options, const isg_progress *progress);
ISG_API void isg_unmapping_free(isg_unmapping *unmapping); /* NULL is fine */
ISG_API isg_unmap_report isg_unmapping_describe(const isg_unmapping *unmapping);
ISG_API const isg_patterns *isg_unmapping_patterns(const isg_unmapping *unmapping);
ISG_API isg_unmapped_pattern isg_unmapping_pattern(const isg_unmapping *unmapping, size_t mu);
ISG_API isg_matd_view isg_unmapping_coefficients(const isg_unmapping *unmapping); /* X (p, count) */

#ifdef __cplusplus
}
#endif

#endif
