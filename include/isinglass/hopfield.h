/* isinglass/hopfield.h - Hopfield networks and their dynamics
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_HOPFIELD_H
#define ISINGLASS_HOPFIELD_H

#include "isinglass/patterns.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Hopfield networks ----------------------------------------------------------------------- */

/* Spins s (n_visible) with couplings J and a field b:
       H(s) = -s^T J s / 2 - b.s
   J = u u^T is kept as its factor u, never as a matrix: everything takes O(n_visible n_patterns)
   time and memory. The patterns are copied. isg_rbm_from_hopfield() gives the RBM that is the same,
   isg_hopfield_from_rbm() the network that an RBM is. */
typedef struct isg_hopfield isg_hopfield;

typedef enum isg_rule {
    ISG_RULE_PROJECTION, /* J = xi (xi^T xi)^-1 xi^T: every pattern is a fixed point */
    ISG_RULE_HEBBIAN,    /* J = xi xi^T / n_visible */
    ISG_RULE_WEIGHTS     /* J = W W^T of an RBM; only isg_hopfield_from_rbm() makes these */
} isg_rule;

/* Start from isg_hopfield_defaults(); defaults are in brackets. */
typedef struct isg_hopfield_options {
    isg_rule rule;             /* [ISG_RULE_PROJECTION] */
    bool keep_diagonal;        /* false takes J_ii = 0, which adds tr(J) / 2 to H [true] */
    bool allow_rank_deficient; /* projection: take dependent patterns too, as their span [false] */
    const double *field;       /* b (n_visible) [NULL: zero] */
} isg_hopfield_options;

ISG_API isg_hopfield_options isg_hopfield_defaults(void);

/* ISG_ERR_DEPENDENT, naming the combination, if the rule is projection and the patterns are
   linearly dependent without being allowed to. */
ISG_API isg_status isg_hopfield_create(isg_hopfield **out, const isg_patterns *patterns,
                                       const isg_hopfield_options *options);
ISG_API void isg_hopfield_free(isg_hopfield *network); /* NULL is fine */

typedef struct isg_hopfield_info {
    size_t n_visible;
    size_t n_patterns; /* 0 if it was made from an RBM that knows none */
    size_t rank;       /* of the patterns */
    isg_rule rule;
    bool keeps_diagonal;
    bool has_field;
    double trace; /* tr(J) with its diagonal: the rank for projection, n_patterns for Hebbian */
} isg_hopfield_info;

ISG_API isg_hopfield_info isg_hopfield_describe(const isg_hopfield *network);
ISG_API const isg_patterns *isg_hopfield_patterns(const isg_hopfield *network); /* or NULL */

/* m (n_patterns) = xi^T s / n_visible, exact up to the division; none without patterns. */
ISG_API void isg_hopfield_overlaps(const isg_hopfield *network, const uint64_t *spins, double *m);

/* a (n_patterns) = (xi^T xi)^-1 xi^T s: xi a is s projected on the span of the patterns. Of
   dependent patterns, the shortest such a. For projection without field, diagonal kept,
   H = -n_visible m.a / 2. ISG_ERR_ARGUMENT if the network has no patterns. */
ISG_API isg_status isg_hopfield_projections(const isg_hopfield *network, const uint64_t *spins,
                                            double *a);

/* x (n_visible) = J s + b, without J_ii s_i if the diagonal was removed. */
ISG_API isg_status isg_hopfield_local_field(const isg_hopfield *network, const uint64_t *spins,
                                            double *x);

/* Where a state stands in the landscape. Flipping spin i raises H by 2 s_i times the local field
   without J_ii s_i, with the diagonal or without. A field that rounding cannot tell from zero
   counts as zero. */
typedef struct isg_hopfield_state {
    double energy;       /* H(s) */
    double least_rise;   /* the smallest rise of H by a single flip; negative if one lowers H */
    size_t n_unstable;   /* units whose flip does not raise H */
    bool is_stable;      /* no such unit: a strict local minimum of H */
    bool is_fixed_point; /* s = sgn(J s + b), where sgn(0) keeps the spin. With the diagonal kept
                            there are fixed points that are not stable; not the other way round */
} isg_hopfield_state;

ISG_API isg_status isg_hopfield_energy(const isg_hopfield *network, const uint64_t *spins,
                                       double *energy);
ISG_API isg_status isg_hopfield_examine(const isg_hopfield *network, const uint64_t *spins,
                                        isg_hopfield_state *out);

/* How states move. A sweep is one step for every unit. */
typedef enum isg_dynamics {
    ISG_DYNAMICS_ASYNCHRONOUS, /* s_i <- sgn((J s + b)_i), one unit after another; ends when a
                                  sweep changes nothing; never raises H */
    ISG_DYNAMICS_SYNCHRONOUS,  /* s <- sgn(J s + b), all at once; ends in a fixed point or, with
                                  the diagonal removed, possibly in a cycle of two states */
    ISG_DYNAMICS_GLAUBER,      /* at beta, a unit drawn at random, n_visible times; keeps the law
                                  exp(-beta H) / Z, and does not depend on the diagonal */
    ISG_DYNAMICS_PARALLEL,     /* at beta, all at once (Little); keeps the law proportional to
                                  exp(beta b.s) prod_i 2 cosh(beta (J s + b)_i) */
    ISG_DYNAMICS_GIBBS         /* at beta, blockwise through the RBM with weights u; keeps the law
                                  exp(-beta H) / Z; the diagonal must be kept */
} isg_dynamics;

/* Start from isg_dynamics_defaults(); defaults are in brackets. */
typedef struct isg_dynamics_options {
    isg_dynamics kind;    /* [ISG_DYNAMICS_ASYNCHRONOUS] */
    double beta;          /* where there is a temperature [2] */
    size_t sweeps;        /* this many; at zero temperature at most [100] */
    bool fixed_order;     /* asynchronous: units in their order, not a new random one each sweep */
    uint64_t seed;        /* [1] */
    uint64_t first_sweep; /* number of the first sweep: a run of 5 and one of 16 more from 5 on
                             draw and do what one of 21 does, bit for bit [0] */
    const uint64_t *clamped; /* packed; set for units that stay as they are [NULL: none] */
} isg_dynamics_options;

ISG_API isg_dynamics_options isg_dynamics_defaults(void);

/* What became of one state. */
typedef struct isg_dynamics_report {
    isg_hopfield_state state; /* at the end */
    size_t sweeps;            /* done; at zero temperature those that changed something */
    size_t flips;             /* spins changed, over all sweeps */
    bool is_two_cycle;        /* synchronous: it ended by coming back to the state before last */
} isg_dynamics_report;

/* Moves states (n_states, words of a row as in isg_dataset_row()), each by itself and in place;
   `options`, `reports` (n_states) and `progress` may be NULL. The outcome of a state depends on
   the seed and its number, not on the number of threads. ISG_ERR_ARGUMENT if beta is not
   positive, ISG_ERR_UNSUPPORTED for block Gibbs on a network without its diagonal. */
ISG_API isg_status isg_hopfield_run(const isg_hopfield *network, uint64_t *states, size_t n_states,
                                    const isg_dynamics_options *options,
                                    isg_dynamics_report *reports, const isg_progress *progress);

#ifdef __cplusplus
}
#endif

#endif
