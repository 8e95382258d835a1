/* hopfield_to_rbm.h - what the parts of the mapping share
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_HOPFIELD_TO_RBM_H
#define ISG_HOPFIELD_TO_RBM_H

#include "isinglass/mapping.h"
#include "rbm/rbm.h"

/* Fills everything but `via` and `rank`, from W, R and the patterns of the RBM, all known. Memory
   is O(p (N + p)); time O(N p (N + p)). */
isg_status isg_mapping_check(const isg_rbm *rbm, isg_mapping_report *report);

/* A copy of the patterns without number `skip`, if there is one, and with `extra` (packed) at the
   end, unless it is NULL; `label` is its label, NULL if the patterns have none. */
isg_status isg_patterns_copy(isg_patterns **out, const isg_patterns *from, size_t skip,
                             const uint64_t *extra, const char *label);

#endif
