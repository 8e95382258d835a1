/* committor.c - which patterns a state leads to, and with what probability
 *
 * SPDX-License-Identifier: MIT
 *
 * The committor of pattern mu at s is the probability that a trajectory from s comes within the
 * threshold of mu before it comes within that of another pattern. At a watershed of the landscape
 * it is split among patterns, where zero temperature would have to choose.
 */
#include "base/memory.h"
#include "recall/recall.h"

isg_committor_options isg_committor_defaults(void) {
    return (isg_committor_options){.dynamics = ISG_DYNAMICS_GIBBS,
                                   .beta = 2,
                                   .threshold = 0.9,
                                   .max_updates = 100,
                                   .trajectories = 20,
                                   .seed = 1};
}

isg_status isg_committor(const isg_hopfield *network, const uint64_t *states, size_t n_states,
                         const isg_committor_options *options, double *shares,
                         const isg_progress *progress) {
    const isg_committor_options defaults = isg_committor_defaults();
    options = options ? options : &defaults;
    ISG_TRY(isg_hopfield_need_patterns(network));
    ISG_TRY(isg_passages_check("committor", options->dynamics, options->threshold,
                               options->trajectories));
    const isg_dynamics_options how = {.kind = options->dynamics,
                                      .beta = options->beta,
                                      .sweeps = options->max_updates,
                                      .seed = options->seed};
    const size_t columns = network->info.n_patterns + 1, each = options->trajectories;
    const uint64_t **starts = NULL;
    isg_passages passages = {.network = network,
                             .n_starts = n_states,
                             .trajectories = each,
                             .threshold = options->threshold,
                             .purpose = ISG_PURPOSE_COMMITTOR};
    size_t count = 0;
    isg_status status = ISG_OK;
    if (!isg_multiply(&count, n_states, each))
        return isg_fail(ISG_ERR_MEMORY, "%zu trajectories do not fit in memory", each);
    ISG_TRY_GOTO(ISG_ALLOCATE(starts, n_states));
    ISG_TRY_GOTO(ISG_ALLOCATE(passages.out, count));
    for (size_t a = 0; a < n_states; a++)
        starts[a] = states + a * network->words;
    passages.starts = starts;
    ISG_TRY_GOTO(isg_passages_run(&passages, &how, progress));
    for (size_t k = 0; k < n_states * columns; k++)
        shares[k] = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t arrival = passages.out[k].arrival;
        shares[k / each * columns + (arrival == SIZE_MAX ? columns - 1 : arrival)] += 1;
    }
    for (size_t k = 0; k < n_states * columns; k++)
        shares[k] /= (double)each;
done:
    isg_release(starts);
    isg_release(passages.out);
    return status;
}
