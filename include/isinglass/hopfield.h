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
   J = u u^T is stored as its factor u, never as a matrix, so every operation takes
   O(n_visible n_patterns) time and memory. The patterns are copied. isg_rbm_from_hopfield() gives
   the equivalent RBM, isg_hopfield_from_rbm() the network equivalent to an RBM. */
typedef struct isg_hopfield isg_hopfield;

typedef enum isg_rule {
    ISG_RULE_PROJECTION, /* J = xi (xi^T xi)^-1 xi^T: every pattern is a fixed point */
    ISG_RULE_HEBBIAN,    /* J = xi xi^T / n_visible */
    ISG_RULE_WEIGHTS     /* J = W W^T of an RBM; made only by isg_hopfield_from_rbm() */
} isg_rule;

/* Start from isg_hopfield_defaults(); defaults are in brackets. */
typedef struct isg_hopfield_options {
    isg_rule rule;             /* [ISG_RULE_PROJECTION] */
    bool keep_diagonal;        /* false sets J_ii = 0, which adds tr(J) / 2 to H [true] */
    bool allow_rank_deficient; /* projection: accept dependent patterns and store their span
                                  [false] */
    const double *field;       /* b (n_visible) [NULL: zero] */
} isg_hopfield_options;

ISG_API isg_hopfield_options isg_hopfield_defaults(void);

/* `options` may be NULL. ISG_ERR_DEPENDENT, naming the combination, if the rule is projection and
   the patterns are linearly dependent, unless allow_rank_deficient. */
ISG_API isg_status isg_hopfield_create(isg_hopfield **out, const isg_patterns *patterns,
                                       const isg_hopfield_options *options);
ISG_API void isg_hopfield_free(isg_hopfield *network); /* NULL is fine */

typedef struct isg_hopfield_info {
    size_t n_visible;
    size_t n_patterns; /* 0 if made from an RBM without patterns */
    size_t rank;       /* of the patterns */
    isg_rule rule;
    bool keeps_diagonal;
    bool has_field;
    double trace; /* tr(J), diagonal included: the rank for projection, n_patterns for Hebbian */
} isg_hopfield_info;

/* Building blocks; the patterns are NULL if the network has none. */
ISG_API isg_hopfield_info isg_hopfield_describe(const isg_hopfield *network);
ISG_API const isg_patterns *isg_hopfield_patterns(const isg_hopfield *network);

/* m (n_patterns) = xi^T s / n_visible, exact up to the division. Writes nothing if the network has
   no patterns. */
ISG_API void isg_hopfield_overlaps(const isg_hopfield *network, const uint64_t *spins, double *m);

/* a (n_patterns) = (xi^T xi)^-1 xi^T s: xi a is s projected onto the span of the patterns. For
   dependent patterns, the shortest such a. For the projection rule with its diagonal and no field,
   H = -n_visible m.a / 2. ISG_ERR_ARGUMENT if the network has no patterns. */
ISG_API isg_status isg_hopfield_projections(const isg_hopfield *network, const uint64_t *spins,
                                            double *a);

/* The same for all samples of a data set and any real-valued x (n_visible, p) in place of xi, such as
   the means of classes: out (n_samples, p) = (x^T x)^-1 x^T s. A sample that equals column mu has a 1
   there and zeros elsewhere. ISG_ERR_DEPENDENT if the columns are linearly dependent, unless that is
   allowed. `progress` may be NULL. */
ISG_API isg_status isg_projections(isg_matd out, const isg_dataset *data, isg_matd_view x,
                                   bool allow_rank_deficient, const isg_progress *progress);

/* A building block: x (n_visible) = J s + b, without J_ii s_i if the diagonal was removed. */
ISG_API isg_status isg_hopfield_local_field(const isg_hopfield *network, const uint64_t *spins,
                                            double *x);

/* A state in the energy landscape. Flipping spin i raises H by 2 s_i times the local field without
   J_ii s_i, whether or not J keeps its diagonal. A field that rounding cannot tell from zero counts
   as zero. */
typedef struct isg_hopfield_state {
    double energy;       /* H(s) */
    double least_rise;   /* smallest rise of H over all single flips; negative if one lowers H */
    size_t n_unstable;   /* units whose flip does not raise H */
    bool is_stable;      /* there are no such units: a strict local minimum of H */
    bool is_fixed_point; /* s = sgn(J s + b), where sgn(0) keeps the spin. Every stable state is a
                            fixed point; with the diagonal kept, not conversely */
} isg_hopfield_state;

ISG_API isg_status isg_hopfield_energy(const isg_hopfield *network, const uint64_t *spins,
                                       double *energy);
ISG_API isg_status isg_hopfield_examine(const isg_hopfield *network, const uint64_t *spins,
                                        isg_hopfield_state *out);

/* How states move. A sweep is one update per unit. */
typedef enum isg_dynamics {
    ISG_DYNAMICS_ASYNCHRONOUS, /* s_i <- sgn((J s + b)_i), one unit after another; stops when a
                                  sweep changes nothing; never raises H */
    ISG_DYNAMICS_SYNCHRONOUS,  /* s <- sgn(J s + b), all units at once; ends in a fixed point or,
                                  with the diagonal removed, possibly in a cycle of two states */
    ISG_DYNAMICS_GLAUBER,      /* at beta, a randomly drawn unit, n_visible times; leaves
                                  exp(-beta H) / Z invariant and does not depend on the diagonal */
    ISG_DYNAMICS_PARALLEL,     /* at beta, all units at once (Little); leaves the law proportional
                                  to exp(beta b.s) prod_i 2 cosh(beta (J s + b)_i) invariant */
    ISG_DYNAMICS_GIBBS         /* at beta, blockwise through the RBM with weights u; leaves
                                  exp(-beta H) / Z invariant; requires the diagonal */
} isg_dynamics;

/* Start from isg_dynamics_defaults(); defaults are in brackets. */
typedef struct isg_dynamics_options {
    isg_dynamics kind;    /* [ISG_DYNAMICS_ASYNCHRONOUS] */
    double beta;          /* for dynamics at a temperature [2] */
    size_t sweeps;        /* number of sweeps; at zero temperature, the most [100] */
    bool fixed_order;     /* asynchronous: units in ascending order, not in a new random order each
                             sweep [false] */
    uint64_t seed;        /* [1] */
    uint64_t first_sweep; /* number of the first sweep: 5 sweeps and then 16 more from sweep 5
                             give the same bits as 21 at once [0] */
    const uint64_t *clamped; /* packed; set for units to hold fixed [NULL: none] */
} isg_dynamics_options;

ISG_API isg_dynamics_options isg_dynamics_defaults(void);

/* The outcome for one state. */
typedef struct isg_dynamics_report {
    isg_hopfield_state state; /* at the end */
    size_t sweeps;            /* done; at zero temperature, those that changed a spin */
    size_t flips;             /* spins changed, over all sweeps */
    bool is_two_cycle;        /* synchronous: it ended by returning to the state before last */
} isg_dynamics_report;

/* Moves states (n_states, words of a row as in isg_dataset_row()) in place and independently;
   `options`, `reports` (n_states) and `progress` may be NULL. The outcome for a state depends on
   the seed and its index, not on the number of threads. ISG_ERR_ARGUMENT if beta is not positive,
   ISG_ERR_UNSUPPORTED for block Gibbs on a network without its diagonal. */
ISG_API isg_status isg_hopfield_run(const isg_hopfield *network, uint64_t *states, size_t n_states,
                                    const isg_dynamics_options *options,
                                    isg_dynamics_report *reports, const isg_progress *progress);

#ifdef __cplusplus
}
#endif

#endif
