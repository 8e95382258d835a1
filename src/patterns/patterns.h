/* patterns.h - what is inside an isg_patterns
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_PATTERNS_H
#define ISG_PATTERNS_H

#include "base/bits.h"
#include "base/matrix.h"
#include "data/data.h"
#include "io/npz.h"
#include "isinglass/patterns.h"

struct isg_patterns {
    isg_patterns_info info;
    size_t words;           /* of one pattern */
    uint64_t *spins;        /* (n_patterns, words) */
    isg_labels labels;      /* finished; count is n_patterns, or 0 without labels */
    size_t *members;        /* (n_patterns) samples each was made from; zeros if unknown */
    isg_encoding *encoding; /* of the data; NULL if unknown */
};

static inline uint64_t *isg_patterns_spins(const isg_patterns *patterns, size_t mu) {
    return patterns->spins + mu * patterns->words;
}

/* Patterns of -1 everywhere, without labels, for the caller to fill in. */
isg_status isg_patterns_allocate(isg_patterns **out, size_t n_visible, size_t n_patterns);

/* A copy of the patterns without pattern `skip`, if it exists, and with `extra` (packed) appended,
   unless it is NULL; `label` is its label, NULL if the patterns have none. */
isg_status isg_patterns_copy(isg_patterns **out, const isg_patterns *from, size_t skip,
                             const uint64_t *extra, const char *label);

/* xi (n_visible, n_patterns) as doubles, and the overlap matrix A = xi^T xi, exactly. */
void isg_patterns_fill(const isg_patterns *patterns, isg_matd xi);
void isg_patterns_gram(const isg_patterns *patterns, isg_matd gram);

/* The rank, as isg_patterns_rank() finds it; ISG_ERR_DEPENDENT, naming the combination, if the
   patterns are dependent, unless may_depend. */
isg_status isg_patterns_find_rank(const isg_patterns *patterns, bool may_depend, size_t *rank);

/* The directions of the data: eigenvectors of the covariance of the spins (divided by n_samples), or
   of their second moments <s s^T>, from which no means are removed. */
typedef enum isg_axes { ISG_AXES_OF_COVARIANCE, ISG_AXES_OF_MOMENTS } isg_axes;

/* The axes as unit columns of `components` (n_visible, n_components), the largest eigenvalue first; the
   largest entry of each is positive. ISG_ERR_ARGUMENT if the data have fewer directions. */
isg_status isg_pca_check(const isg_dataset *data, size_t n_components); /* before making room */
isg_status isg_pca(const isg_dataset *data, isg_axes of, size_t n_components, isg_matd components,
                   double *variances);

/* Write xi (N, p) as int8 and the labels to any archive, and read them from one. */
isg_status isg_patterns_write(const isg_patterns *patterns, isg_npz_writer *writer);
isg_status isg_patterns_read(isg_patterns **out, isg_zip *zip);

#endif
