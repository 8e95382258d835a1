/* rbm_to_hopfield.h - an RBM with its hidden layer integrated out
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_RBM_TO_HOPFIELD_H
#define ISG_RBM_TO_HOPFIELD_H

#include "hopfield/hopfield.h"
#include "isinglass/mapping.h"
#include "rbm/rbm.h"

/* field (n_visible) = b + W c, which acts on the spins besides J. */
void isg_rbm_effective_field(const isg_rbm *rbm, double *field);

/* isg_hopfield_from_rbm() without the patterns. */
isg_status isg_rbm_network(isg_hopfield **out, const isg_rbm *rbm);

/* Whether every column of W is a multiple of a binary pattern, with all its absolute values equal
   up to rounding; `scales` (n_hidden) receives the factors. */
bool isg_weights_are_binary(const isg_rbm *rbm, double *scales);

#endif
