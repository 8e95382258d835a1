/* unit_columns.h - data by units, for second moments that are exact
 *
 * SPDX-License-Identifier: MIT
 *
 * Two units are equal in all samples but those in which their columns differ, so that
 *
 *     M <s_i s_j> = M - 2 d_ij
 *
 * is an integer, found by counting bits.
 */
#ifndef ISG_UNIT_COLUMNS_H
#define ISG_UNIT_COLUMNS_H

#include "base/bits.h"
#include "data/data.h"

/* 64 units of 64 samples: bit k of row i is spin 64 word + i of sample first + k; zero past the last
   sample. */
void isg_unit_block(const isg_dataset *data, size_t first, size_t word, uint64_t bits[64]);

typedef struct isg_unit_columns {
    size_t n_visible, n_samples, words; /* of one column */
    uint64_t *bits; /* (n_visible, words): bit a of row i is spin i of sample a */
} isg_unit_columns;

/* ISG_ERR_UNSUPPORTED for 2^31 samples or more. To be released by isg_unit_columns_free(). */
isg_status isg_unit_columns_create(isg_unit_columns *out, const isg_dataset *data);
void isg_unit_columns_free(isg_unit_columns *columns);

static inline const uint64_t *isg_unit_column(const isg_unit_columns *columns, size_t i) {
    return columns->bits + i * columns->words;
}

/* distances (n_visible) of all columns to column i. */
void isg_unit_columns_distances(const isg_unit_columns *columns, size_t i, uint32_t *distances);

#endif
