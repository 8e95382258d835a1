/* binarize.h - spins from values: the threshold and the full scale
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_BINARIZE_H
#define ISG_BINARIZE_H

#include "data/data.h"

/* Takes values in any order and keeps one bit of each. Whether they are grey levels is known only
   at the end, so it keeps the bits for both cases until then. */
typedef struct isg_binarizer {
    const char *name; /* the file's name, for error sentences; borrowed */
    size_t n_visible, words;
    size_t n_rows, capacity; /* rows present, rows allocated */
    size_t grey_capacity;
    uint64_t *plain, *grey;     /* the spins for full scale 1 and 255 */
    double plain_cut, grey_cut; /* value > cut is +1 */
    double threshold;           /* as the user gave it, or NaN */
    bool is_image;              /* the file or the user says so */
    bool is_whole;              /* every value so far is a whole number */
    double smallest, largest;
    bool byte_seen[256]; /* by isg_binarizer_put_bytes() */
} isg_binarizer;

void isg_binarizer_start(isg_binarizer *binarizer, const char *name, size_t n_visible,
                         double threshold, bool is_image);

/* Makes room for `n_rows` rows; the values of new ones are zero. */
isg_status isg_binarizer_extend(isg_binarizer *binarizer, size_t n_rows);

/* One value. ISG_ERR_FORMAT, with row and column, if it is not finite. */
isg_status isg_binarizer_put(isg_binarizer *binarizer, size_t row, size_t column, double value);

/* A whole row of bytes. */
void isg_binarizer_put_bytes(isg_binarizer *binarizer, size_t row, const uint8_t *values);

/* Values that were never put count as zeros. Call this before finish if there may be any. */
void isg_binarizer_see_zero(isg_binarizer *binarizer);

/* Decides on the full scale and moves the spins into `data`. */
void isg_binarizer_finish(isg_binarizer *binarizer, isg_dataset *data);

void isg_binarizer_clear(isg_binarizer *binarizer);

#endif
