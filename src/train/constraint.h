/* constraint.h - weights that keep to a constraint while they are trained
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_CONSTRAINT_H
#define ISG_CONSTRAINT_H

#include "isinglass/train.h"
#include "rbm/rbm.h"

/* All zero: none. */
typedef struct isg_keeping {
    isg_constraint constraint;
    size_t rank;   /* of the patterns */
    double *basis; /* (n_visible, rank): an orthonormal basis of their span */
    double *room;  /* scratch */
} isg_keeping;

/* For the sizes and the patterns of the RBM, whose W is not changed. Release after a failure too. */
isg_status isg_keeping_start(isg_keeping *keeping, isg_constraint constraint, const isg_rbm *rbm);
void isg_keeping_release(isg_keeping *keeping);

/* Moves W to where the constraint holds; allocates nothing. What is not finite stays as it is.
   ISG_ERR_DIVERGED if no such W is near. */
isg_status isg_keep(const isg_keeping *keeping, isg_matd weights);

#endif
