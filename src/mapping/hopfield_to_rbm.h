/* hopfield_to_rbm.h - what the parts of the mapping share
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_HOPFIELD_TO_RBM_H
#define ISG_HOPFIELD_TO_RBM_H

#include "hopfield/hopfield.h"
#include "isinglass/mapping.h"
#include "rbm/rbm.h"

/* Fills everything except `via`, `rank` and `energy_shift`, from W, R and the patterns of the RBM,
   which must be known. Memory is O(p (N + p)); time O(N p (N + p)). */
isg_status isg_mapping_check(const isg_rbm *rbm, isg_mapping_report *report);

#endif
