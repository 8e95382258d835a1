/* ais.h - what the ways to estimate ln Z by annealing share
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_AIS_H
#define ISG_AIS_H

#include "log_z/anneal.h"

/* ISG_ERR_ARGUMENT if they have no meaning. */
isg_status isg_ais_check(const isg_ais_options *options);

/* What log_weights (repeats, chains) say of ln Z; sign is 1, or -1 for the way back. */
isg_status isg_ais_conclude(isg_log_z *out, const isg_ais_options *options, size_t n_visible,
                            const double *log_weights, double sign);

/* Lambda weights, in double: log_weights (repeats, chains) for alphas (steps + 1). */
isg_status isg_ais_lambda(const isg_rbm *rbm, const isg_ais_options *options, const double *alphas,
                          double *log_weights);

#endif
