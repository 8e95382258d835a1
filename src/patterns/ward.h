/* ward.h - Ward's hierarchical clustering of binary samples
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_WARD_H
#define ISG_WARD_H

#include "data/data.h"

/* One step of the clustering. Clusters 0 to n - 1 are the single samples, cluster n + k is the
   result of merge k, first < second: the linkage matrix of SciPy, row by row. */
typedef struct isg_merge {
    uint32_t first, second;
    uint32_t size; /* samples in the merged cluster */
    double height;
} isg_merge;

typedef struct isg_ward isg_ward;

/* Clusters the samples `rows` (count >= 1) of `data`. The tree is SciPy's, bit for bit, ties
   included. Takes O(count^2) time and at most 8 count^2 bytes, in practice about a quarter of that. */
isg_status isg_ward_create(isg_ward **out, const isg_dataset *data, const size_t *rows,
                           size_t count, const isg_progress *progress);

size_t isg_ward_count(const isg_ward *tree);
const isg_merge *isg_ward_merges(const isg_ward *tree); /* (count - 1), heights ascending */

/* cluster (count): which of the k clusters each sample is in, numbered by their first samples.
   1 <= k <= count. */
isg_status isg_ward_cut(const isg_ward *tree, size_t k, uint32_t *cluster);

/* The same without the tree, of at most `most` samples, k <= most: of more, that many evenly spaced ones
   are clustered, and each of the others joins the cluster whose mean is nearest to it, the first of
   several. */
isg_status isg_ward_clusters(const isg_dataset *data, const size_t *rows, size_t count, size_t most,
                             size_t k, uint32_t *cluster, const isg_progress *progress);

void isg_ward_free(isg_ward *tree); /* NULL is fine */

#endif
