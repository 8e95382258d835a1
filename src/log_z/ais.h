/* ais.h - annealed importance sampling of ln Z
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_AIS_H
#define ISG_AIS_H

#include "log_z/anneal.h"

isg_ais_options isg_ais_defaults(void);

/* ln Z, which comes out too low on average. `log_weights` (repeats, chains) receives the logarithms
   of the weights, whose mean is Z / 2^n_visible; it may be NULL, as may `options` here and below. */
isg_status isg_ais_log_z(const isg_rbm *rbm, const isg_ais_options *options, isg_log_z *out,
                         double *log_weights, const isg_progress *progress);

/* The other way, from states `spins` (repeats, chains; packed) of the RBM to free spins, by spin
   weights and Gibbs sweeps: too high on average if the states are exact samples, meaningless if they
   are not. */
isg_status isg_ais_reverse(const isg_rbm *rbm, const uint64_t *spins,
                           const isg_ais_options *options, isg_log_z *out, double *log_weights,
                           const isg_progress *progress);

/* ln Z at each of betas (n) in place of the RBM's own, into out (n), from a single annealing by spin
   weights that stops at all of them. */
isg_status isg_ais_log_z_betas(const isg_rbm *rbm, const isg_ais_options *options,
                               const double *betas, size_t n, isg_log_z *out,
                               const isg_progress *progress);

/* A schedule for options->adaptive = target, from a pilot of options->chains chains: schedule
   (steps + 1), which the caller releases. */
isg_status isg_ais_schedule(const isg_rbm *rbm, const isg_ais_options *options, double target,
                            double **schedule, size_t *steps, const isg_progress *progress);

/* Lambda weights, in double: log_weights (repeats, chains) for options->schedule. */
isg_status isg_ais_lambda(const isg_rbm *rbm, const isg_ais_options *options, double *log_weights,
                          const isg_progress *progress);

#endif
