/* helper_run.h - options of a run with all that a checkpoint must hold
 *
 * SPDX-License-Identifier: MIT
 *
 * Inline, for tests/faults/flip_bits.c has no part in cmocka.
 */
#ifndef HELPER_RUN_H
#define HELPER_RUN_H

#include "isinglass.h"

/* Chains, fields, an order and a change of rate. */
static inline isg_run_options full_run_options(size_t batch_size, const char *command) {
    static const isg_rate rates[] = {{0.01, 0}, {0.005, 1}};
    isg_run_options out = isg_run_defaults();
    out.train.batch_size = batch_size;
    out.train.gibbs_steps = 2;
    out.train.rates = rates;
    out.train.n_rates = 2;
    out.train.persistent = out.train.fields = out.train.shuffle = true;
    out.command = command;
    return out;
}

#endif
