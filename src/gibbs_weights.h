/* gibbs_weights.h - an RBM in the form that the Gibbs kernels read
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_GIBBS_WEIGHTS_H
#define ISG_GIBBS_WEIGHTS_H

#include "kernels/kernels.h"

/* All zero. Release the parts with isg_gibbs_weights_release(), after a failure too. */
isg_status isg_gibbs_weights_create(isg_gibbs_weights *w, size_t n_visible, size_t n_hidden);
void isg_gibbs_weights_release(isg_gibbs_weights *w);

/* W (n_visible, n_hidden), b and c as they are now. ISG_ERR_DIVERGED if one of them is not finite
   or a column of W adds up to more than 2^100 in size; then `w` has no meaning. Allocates nothing. */
isg_status isg_gibbs_weights_set(isg_gibbs_weights *w, const double *weights, const double *b,
                                 const double *c);

/* The same in steps, for a team of threads with a barrier between them. Any thread sets any panel;
   then one thread finds the scale; if that succeeds, any thread sets the rows of any panel, and one
   thread ends it. */
void isg_gibbs_weights_set_panel(isg_gibbs_weights *w, size_t panel, const double *weights,
                                 const double *b);
isg_status isg_gibbs_weights_scale(isg_gibbs_weights *w, const double *weights, const double *b,
                                   const double *c);
void isg_gibbs_weights_set_rows(isg_gibbs_weights *w, size_t panel, const double *weights);
void isg_gibbs_weights_end(isg_gibbs_weights *w);

/* h + c of one row of input (stride), in double: the mean of lambda given the spins. */
static inline double isg_gibbs_hidden_mean(const isg_gibbs_weights *w, const int32_t *input,
                                           size_t mu) {
    return (double)input[mu] * (double)w->unit + (double)w->hidden_field[mu];
}

#endif
