/* back.h - the way back from the trained RBM, which figures D1 and D2 share
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PAPER_BACK_H
#define PAPER_BACK_H

#include "paper/paper.h"

extern const training_design back_design; /* before it; 10 epochs in the paper */

/* The RBM after training, and its patterns by the given method from X0 = R. */
exit_code back_unmap(experiment *my, isg_unmap_method method, isg_rbm **rbm, isg_unmapping **out);

#endif
