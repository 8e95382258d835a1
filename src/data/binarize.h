/* binarize.h - spins from values
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_BINARIZE_H
#define ISG_BINARIZE_H

#include "data/data.h"

/* Takes values in any order and keeps one bit of each. Whether an image file has grey levels is
   known only at the end, so then it keeps the bits for both cases until that is known. */
typedef struct isg_binarizer {
    const isg_encoding *encoding; /* value > threshold is +1; borrowed */
    double grey_cut;              /* the threshold, should the file have grey levels; else NaN */
    size_t words;
    size_t n_rows, capacity; /* rows present, rows allocated */
    size_t grey_capacity, missing_capacity;
    uint64_t *spins, *grey; /* for the thresholds, and for 8-bit grey levels */
    uint64_t *missing;      /* NULL until a value is */
    uint64_t *zeros;        /* (words) the spins of zeros; NULL if all are -1 */
    unsigned byte_addend;   /* for rows of bytes, if all thresholds are equal; see binarize.c */
    bool has_common;        /* all thresholds are equal */
    double smallest, largest;
    bool byte_seen[256]; /* by isg_binarizer_put_bytes() */
} isg_binarizer;

isg_status isg_binarizer_start(isg_binarizer *binarizer, const isg_encoding *encoding,
                               double grey_cut);

/* Makes room for `n_rows` rows; the values of new ones are zero. */
isg_status isg_binarizer_extend(isg_binarizer *binarizer, size_t n_rows);

/* One value; NaN is a missing one. */
isg_status isg_binarizer_put(isg_binarizer *binarizer, size_t row, size_t column, double value);

/* A whole row of numbers; false, and nothing has happened, if one of them is not finite. */
bool isg_binarizer_put_row(isg_binarizer *binarizer, size_t row, const double *values);

/* A whole row of bytes, if isg_binarizer.has_common. */
void isg_binarizer_put_bytes(isg_binarizer *binarizer, size_t row, const uint8_t *values);

/* Values that were never put count as zeros. Call this before finish if there may be any. */
void isg_binarizer_see_zero(isg_binarizer *binarizer);

/* Moves the spins into `data`; `is_grey` if the values were grey levels. */
void isg_binarizer_finish(isg_binarizer *binarizer, isg_dataset *data, bool *is_grey);

void isg_binarizer_clear(isg_binarizer *binarizer);

/* Of grey levels, as the paper does it: a full scale of 255, and a threshold of 1 % of it. */
#define ISG_GREY_SCALE      255.0
#define ISG_IMAGE_THRESHOLD 0.01

#endif
