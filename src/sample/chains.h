/* chains.h - what is inside an isg_chains, for what moves chains in other ways than by sweeps
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_CHAINS_H
#define ISG_CHAINS_H

#include "sample/sample.h"

struct isg_chains {
    isg_gibbs_weights weights;
    isg_states states;
    uint64_t seed, next_sweep;
    size_t image_height, image_width;
    uint64_t *clamped; /* (words) */
    bool has_clamped;
};

/* ISG_ERR_ARGUMENT unless there are random numbers for so many more sweeps. */
isg_status isg_chains_check(const isg_chains *chains, size_t sweeps);

#endif
