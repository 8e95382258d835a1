/* isinglass/data.h - labelled samples of +1 and -1
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_DATA_H
#define ISINGLASS_DATA_H

#include "isinglass/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Data: labelled samples of +1 and -1 ----------------------------------------------------- */

/* Samples as spins, one bit each, with the classes they belong to. */
typedef struct isg_dataset isg_dataset;

typedef enum isg_header { ISG_HEADER_AUTO, ISG_HEADER_YES, ISG_HEADER_NO } isg_header;

/* How a file becomes spins. Start from isg_dataset_defaults(); defaults are in brackets. */
typedef struct isg_dataset_options {
    const char *labels_path;  /* file with one label per row [NULL: those in the data file] */
    const char *label_column; /* of the file with the labels, a CSV or TSV: a name, or a number
                                 from 1, -1 the last [NULL: none] */
    isg_header header;        /* CSV, TSV: is the first row a header? [ISG_HEADER_AUTO] */
    double threshold;    /* value > threshold * full scale is +1 [NaN: 0.01 for images, or 0] */
    size_t image_height; /* treat each row as an image of this shape [0: as the file says] */
    size_t image_width;
    const char *only_class;      /* keep the rows of this class [NULL: all] */
    size_t limit;                /* then keep the first rows, and all classes [0: all] */
    const char *expected_sha256; /* refuse a data file whose unpacked content has another hash */
    const char *expected_labels_sha256;
} isg_dataset_options;

ISG_API isg_dataset_options isg_dataset_defaults(void);

/* Reads a data file; its name tells the format: IDX (a name with "idx" in it or without an
   extension), .npy, .npz (arrays X and, if present, y), .csv, .tsv, .mtx; all but .npz may also end
   in .gz. Missing or non-finite values are refused, with their row and column.

   Full scale is 255 for 8-bit grey levels, else 1. Values count as grey levels if they lie in
   0..255 and either the file holds images (3 dimensions, or a shape was given) and some value
   exceeds 2, or all values are whole and the largest is exactly 255. */
ISG_API isg_status isg_dataset_load(isg_dataset **out, const char *path,
                                    const isg_dataset_options *options,
                                    const isg_progress *progress);

/* A building block: the same for a file whose bytes are in memory; `name` tells the format. */
ISG_API isg_status isg_dataset_load_memory(isg_dataset **out, const char *name, const void *bytes,
                                           size_t size, const isg_dataset_options *options,
                                           const isg_progress *progress);

/* From an array (n_samples, n_visible), row-major, where > 0 is +1; `labels` (n_samples) may be
   NULL. */
ISG_API isg_status isg_dataset_create(isg_dataset **out, size_t n_samples, size_t n_visible,
                                      const int8_t *spins, const int64_t *labels);

ISG_API void isg_dataset_free(isg_dataset *data); /* NULL is fine */

typedef struct isg_dataset_info {
    size_t n_samples;
    size_t n_visible;
    size_t n_classes;    /* 0 without labels */
    size_t image_height; /* 0 if the rows are not images */
    size_t image_width;
    bool has_values; /* whether the spins came from values, described by the rest */
    double smallest;
    double largest;
    double full_scale; /* 255 for 8-bit grey levels, else 1 */
    double threshold;  /* as a fraction of full scale */
} isg_dataset_info;

ISG_API isg_dataset_info isg_dataset_describe(const isg_dataset *data);

/* Classes are in ascending order: by number if all are numbers, else bytewise by name. */
ISG_API const char *isg_dataset_class_name(const isg_dataset *data, size_t class_index);
ISG_API size_t isg_dataset_class_size(const isg_dataset *data, size_t class_index);

/* The class index of every sample (n_samples); NULL without labels. */
ISG_API const uint32_t *isg_dataset_labels(const isg_dataset *data);

/* The spins of one sample, packed: spin i is bit i % 64 of word i / 64, set for +1; the bits past
   n_visible are clear. */
ISG_API const uint64_t *isg_dataset_row(const isg_dataset *data, size_t row);

ISG_API double isg_dataset_positive_fraction(const isg_dataset *data); /* share of +1 */

/* How many rows equal an earlier row. */
ISG_API isg_status isg_dataset_count_duplicates(const isg_dataset *data, size_t *out);

/* SHA-256 of the spins: row after row, packed to bytes, first unit = highest bit. The same spins
   give the same checksum whatever file they came from. */
ISG_API void isg_dataset_checksum(const isg_dataset *data, char hex[65]);

/* SHA-256 of the labels: the class name of every row, each with its terminating zero. */
ISG_API void isg_dataset_label_checksum(const isg_dataset *data, char hex[65]);

/* A new data set of the given rows in the given order; classes left without a row are dropped. */
ISG_API isg_status isg_dataset_select(isg_dataset **out, const isg_dataset *data,
                                      const size_t *rows, size_t count);

/* A building block: the order (n_samples) in which epoch `epoch` of a run with this seed visits the
   samples. */
ISG_API void isg_dataset_shuffle(const isg_dataset *data, uint64_t seed, uint64_t epoch,
                                 size_t *order);

/* A building block: two parts drawn at random, class by class. `first` gets the share `fraction` of
   every class (rounded to the nearest), `second` the rest; each part keeps the file's order.
   ISG_ERR_ARGUMENT if a part would be empty. */
ISG_API isg_status isg_dataset_split(isg_dataset **first, isg_dataset **second,
                                     const isg_dataset *data, double fraction, uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif
