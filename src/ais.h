/* ais.h - what the kinds of annealed importance sampling share
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_AIS_H
#define ISG_AIS_H

#include <stdatomic.h>

#include "base/rng.h"
#include "rbm.h"

/* One annealing of many chains: options checked, alphas at hand. */
typedef struct isg_anneal {
    const isg_rbm *rbm;
    const isg_ais_options *options;
    const double *alphas; /* (options->steps + 1) */
    size_t chains;        /* of all repeats */
    double *log_weights;  /* (chains) */
} isg_anneal;

/* Lambda weights, in double: ais_lambda.c. */
isg_status isg_anneal_lambda(const isg_anneal *job);

/* Progress of work that threads do in pieces: counted by all, reported by the calling one, which
   is thread 0 of the team. */
typedef struct isg_team_progress {
    const isg_progress *progress; /* may be NULL */
    double total;
    atomic_size_t done;
    atomic_bool is_cancelled;
} isg_team_progress;

/* `count` more pieces are done. False if the work is to stop. */
bool isg_team_advance(isg_team_progress *team, size_t count);

#endif
