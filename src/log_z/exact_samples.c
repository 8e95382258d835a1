/* exact_samples.c - independent samples of models small or regular enough to list
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/bits.h"
#include "base/memory.h"
#include "base/rng.h"
#include "log_z/exact.h"

/* Beyond that, listing all states takes more memory than a sample is worth. */
enum { MAX_LISTED = 20 };

static isg_status sample_listed(const isg_rbm *rbm, size_t count, uint64_t seed, uint64_t *spins) {
    const size_t states = (size_t)1 << rbm->info.n_visible;
    double *cumulated = NULL;
    ISG_TRY(ISG_ALLOCATE(cumulated, states));
    const isg_status status = isg_exact_probabilities(rbm, cumulated);
    if (status != ISG_OK) {
        isg_release(cumulated);
        return status;
    }
    for (size_t s = 1; s < states; s++)
        cumulated[s] += cumulated[s - 1];
    for (size_t k = 0; k < count; k++) {
        isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_EXACT, 0, (uint32_t)k));
        spins[k] = isg_next_of(&random, cumulated, states);
    }
    isg_release(cumulated);
    return ISG_OK;
}

isg_status isg_exact_samples(const isg_rbm *rbm, size_t count, uint64_t seed, uint64_t *spins) {
    if (count > UINT32_MAX)
        return isg_fail(ISG_ERR_ARGUMENT, "expected at most 2^32 - 1 samples, found %zu", count);
    if (rbm->info.n_visible <= MAX_LISTED)
        return sample_listed(rbm, count, seed, spins);
    return isg_exact_class_samples(rbm, count, seed, spins);
}
