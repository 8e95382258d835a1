/* convert.h - files of packages become tables of samples and units, in one .npz each
 *
 * SPDX-License-Identifier: MIT
 *
 * A converter sees verified bytes, but trusts them no more than any reader does. What it makes depends
 * on these bytes alone, and the .npz is the same byte for byte on every machine, so that the catalog can
 * hold its SHA-256.
 */
#ifndef CLI_CONVERT_H
#define CLI_CONVERT_H

#include "src/base/names.h"

typedef struct converter_input {
    const char *name; /* begins error sentences */
    const uint8_t *bytes;
    size_t size;
} converter_input;

/* Samples (rows, cols); either `bits`, 0 or 1, or `values`, NaN where missing. Start from {0}. */
typedef struct converted {
    size_t rows, cols;
    size_t height, width; /* of images; 0, 0 if the samples are none */
    uint8_t *bits;
    double *values;
    isg_names labels, units, ids; /* (rows), (cols), (rows); empty if unknown */
} converted;

/* `inputs` are the files of the catalog entry, unpacked, in its order. On failure the caller still
   clears `out`. */
typedef isg_status converter(converted *out, const converter_input *inputs);

converter convert_votes, convert_supermarket, convert_glyphs, convert_ccle, convert_spam;
converter convert_splice, convert_mushrooms, convert_senate, convert_pbmc, convert_tissues,
    convert_leukaemia, convert_myoblasts;

/* Writes X in the smallest type that holds every value exactly, y, units and ids. */
isg_status converted_save(const converted *table, const char *path);
void converted_clear(converted *table);

/* Zeros of this shape. */
isg_status converted_set_bits(converted *out, size_t rows, size_t cols);
isg_status converted_set_values(converted *out, size_t rows, size_t cols);

#endif
