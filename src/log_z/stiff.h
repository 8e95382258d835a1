/* stiff.h - spins that sweeps hardly ever flip
 *
 * SPDX-License-Identifier: MIT
 *
 * A sweep draws lambda around W^T s, which contains s_i w_i, and then s_i given lambda: against its own part of the
 * field, beta |w_i|^2 s_i, although p(s) does not depend on that part at all. Where it is large, chains stay in
 * one of many states that differ by single flips, and nothing that they show tells so. Such spins are drawn
 * given all others, each for itself.
 */
#ifndef ISG_STIFF_H
#define ISG_STIFF_H

#include "log_z/ais.h"
#include "rbm/rbm.h"

typedef struct isg_stiff {
    const isg_spin_model *model; /* borrowed, with the beta */
    size_t count;
    size_t *units;   /* (count) */
    double *squares; /* (count): |w_i|^2 */
} isg_stiff;

/* Those of the model at its beta. Release after a failure too. */
isg_status isg_stiff_find(isg_stiff *out, const isg_spin_model *model);
void isg_stiff_release(isg_stiff *stiff);

/* Whether a state with this h = W^T s is one that a chain may be in. */
typedef bool isg_may_be(const void *user, const double *h);

/* Draws every stiff spin of chain k given all others, as long as that leads nowhere where the chain may not be, which
   leaves the distribution restricted to that invariant; `may_be` NULL: anywhere. h (p) is room. */
void isg_stiff_draw(const isg_stiff *stiff, const isg_anneal *a, isg_anneal_group *g, size_t k,
                    uint64_t step, double *h, isg_may_be *may_be, const void *user);

#endif
