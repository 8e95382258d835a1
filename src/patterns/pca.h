/* pca.h - principal axes of data with many units
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_PCA_H
#define ISG_PCA_H

#include "patterns/patterns.h"

/* The k leading axes as rows of axes (k, n_visible), the largest variance first, of arbitrary sign;
   *rank is how many have a nonzero variance: k, unless the data vary in fewer directions. Memory
   grows with (n_visible + n_samples) k, not with n_visible^2. */
isg_status isg_pca_iterate(const isg_dataset *data, isg_axes of, size_t k, isg_matd axes,
                           double *variances, size_t *rank);

/* The size of its basis; n_visible must be larger. */
size_t isg_pca_basis(size_t k);

#endif
