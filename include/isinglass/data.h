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

/* The rule by which a value becomes a spin: +1 above its unit's threshold, else -1. */
typedef enum isg_binarize {
    ISG_BINARIZE_AUTO,      /* VALUE 0.01 for image files and a full scale of 255, else ZERO */
    ISG_BINARIZE_ZERO,      /* above zero */
    ISG_BINARIZE_VALUE,     /* above `at` times the full scale */
    ISG_BINARIZE_MEAN,      /* above the mean of the unit */
    ISG_BINARIZE_MEDIAN,    /* above its median */
    ISG_BINARIZE_MIDPOINT,  /* above the middle between its smallest and largest value */
    ISG_BINARIZE_QUANTILE,  /* above its quantile `at`, interpolated linearly */
    ISG_BINARIZE_OTSU,      /* in the upper of two groups with the least variance within them */
    ISG_BINARIZE_MIXTURE,   /* more likely in the upper of two normal distributions */
    ISG_BINARIZE_SPINS,     /* the values were spins already: files written by isinglass itself */
    ISG_BINARIZE_THRESHOLDS /* above thresholds that somebody gave, isg_encoding_from_thresholds() */
} isg_binarize;

/* What to do with a sample of which some values are missing. */
typedef enum isg_missing {
    ISG_MISSING_REFUSE,       /* refuse the file, naming the first one */
    ISG_MISSING_DROP_SAMPLES, /* leave out the sample */
    ISG_MISSING_MAJORITY,     /* the more frequent spin of the unit in the training data */
    ISG_MISSING_IMPUTE        /* mark it, for the model to fill in; see isg_dataset_impute() */
} isg_missing;

/* How a file became spins, and what the units are called. It never changes, and is shared by the
   data and everything made from them: patterns, RBMs, classifiers and their files. */
typedef struct isg_encoding isg_encoding;

/* How a file becomes spins. Start from isg_dataset_defaults(); defaults are in brackets. */
typedef struct isg_dataset_options {
    const char *labels_path;  /* file with the labels [NULL: those in the data file] */
    const char *label_column; /* of the file with the labels, a table: a name, or a number
                                 from 1, -1 the last [NULL: none] */
    const char *id_column;    /* of tables: names the samples; as label_column [NULL: a first column
                                 without a name in the heading, if any] */
    const char *ignore_columns; /* of a table, separated by commas; as label_column [NULL: none] */
    isg_header header;          /* CSV, TSV: is the first row a header? [ISG_HEADER_AUTO] */
    bool transpose; /* the samples are the columns of the file; not for 10x files, where the format
                       says so [false] */
    bool one_hot;   /* a column of words becomes one unit per word, "column=word" [false] */
    const isg_encoding *encoding; /* of the model or training data: decides on columns, thresholds
                                     and fill [NULL: the file decides] */
    bool use_own_rule;            /* take only the columns and names from `encoding` [false] */
    isg_binarize binarize;        /* [ISG_BINARIZE_AUTO] */
    double binarize_at;           /* parameter of ISG_BINARIZE_VALUE and ISG_BINARIZE_QUANTILE */
    double full_scale;            /* [0: 255 for image files of 8-bit grey levels, else 1] */
    isg_missing missing;          /* [ISG_MISSING_REFUSE] */
    bool drop_constant;           /* leave out units that are the same in all samples [false] */
    size_t image_height; /* treat each row as an image of this shape [0: as the file says] */
    size_t image_width;
    const char *only_class; /* keep the rows of this class [NULL: all] */
    size_t limit;           /* then keep the first rows, and all classes [0: all] */
    bool keep_unlabelled;   /* keep samples without a label among others that have one [false] */
    const char *expected_sha256; /* refuse a data file whose unpacked content has another hash */
    const char *expected_labels_sha256;
} isg_dataset_options;

ISG_API isg_dataset_options isg_dataset_defaults(void);

/* Reads a data file; its name tells the format: IDX (a name with "idx" in it or without an
   extension), .npy, .npz (arrays X and, if present, y, units and ids; or a matrix saved by
   scipy.sparse.save_npz()), .csv, .tsv, .arff, .mtx, .h5ad (AnnData: X; a column of obs is a
   label_column), .h5 (10x Genomics, or AnnData); all but .npz and the last two may also end in .gz. A
   directory is one of 10x: matrix.mtx, barcodes.tsv and features.tsv or genes.tsv, whose cells are
   the samples. Infinite values are refused, with their row and column, and so are missing
   ones unless options->missing says otherwise.

   Values above 0 are +1 unless the options say otherwise. An image file (3 dimensions) whose values
   lie in 0..255 and exceed 2 has 8-bit grey levels: its full scale is 255, and values above 1 % of
   it are +1. Thresholds that depend on the values are learned from all rows of the file. */
ISG_API isg_status isg_dataset_load(isg_dataset **out, const char *path,
                                    const isg_dataset_options *options,
                                    const isg_progress *progress);

/* A building block: the same for a file whose bytes are in memory; `name` tells the format. */
ISG_API isg_status isg_dataset_load_memory(isg_dataset **out, const char *name, const void *bytes,
                                           size_t size, const isg_dataset_options *options,
                                           const isg_progress *progress);

/* The type of a number in memory, in this machine's byte order. */
typedef enum isg_number {
    ISG_NUMBER_BOOL, /* a byte, 0 or 1 */
    ISG_NUMBER_INT8,
    ISG_NUMBER_UINT8,
    ISG_NUMBER_INT16,
    ISG_NUMBER_UINT16,
    ISG_NUMBER_INT32,
    ISG_NUMBER_UINT32,
    ISG_NUMBER_INT64,
    ISG_NUMBER_UINT64,
    ISG_NUMBER_FLOAT32,
    ISG_NUMBER_FLOAT64
} isg_number;

/* A table of values in memory, all of it borrowed: dense, with any strides, or compressed by rows
   (CSR). Start from {0}; defaults are in brackets. */
typedef struct isg_values {
    const char *name;     /* begins error sentences [NULL: "X"] */
    size_t rows, columns; /* before options->transpose */
    size_t image_height;  /* of a row, if rows are images, as in a file of three dimensions [0] */
    size_t image_width;
    isg_number type; /* of data */
    /* Dense: value (i, k) is at data + i * row_stride + k * column_stride, in bytes; strides may be
       negative, and nothing need be aligned. CSR: the values that are stored (n_stored). */
    const void *data;
    ptrdiff_t row_stride, column_stride;
    /* CSR alone: row i has the values from indptr[i] to before indptr[i + 1], in any order of their
       columns. An entry that is stored twice is refused, as in a file. */
    const void *indices;   /* (n_stored) the column of each value [NULL: dense] */
    const void *indptr;    /* (rows + 1) */
    isg_number index_type; /* of both: ISG_NUMBER_INT32 or ISG_NUMBER_INT64 */
    size_t n_stored;
    /* One for each sample, or unit: row and column, or with options->transpose column and row. A
       label is NULL, or a word for it such as "nan", if the sample has none; labels that are whole
       numbers are ordered as numbers. */
    const char *const *labels;     /* [NULL: none] */
    const char *const *unit_names; /* [NULL: none] */
    const char *const *ids;        /* [NULL: none] */
} isg_values;

/* The same from values in memory: equal, bit for bit, to what isg_dataset_load() gives for a file of
   them. They are not copied. ISG_ERR_ARGUMENT where a file would be ISG_ERR_FORMAT, and for options
   that say how to read a file: labels_path, label_column, id_column, ignore_columns, header, one_hot
   and the expected hashes. */
ISG_API isg_status isg_dataset_from_values(isg_dataset **out, const isg_values *values,
                                           const isg_dataset_options *options,
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
    bool has_values; /* whether the spins came from values, described by the next four */
    double smallest;
    double largest;
    double full_scale;        /* 255 for 8-bit grey levels, else 1 */
    double threshold;         /* as a fraction of full scale; NaN if units have their own */
    size_t n_constant;        /* units that were the same in all samples; gone if drop_constant */
    size_t n_unused_columns;  /* of the file, that are not units of options->encoding */
    size_t n_missing;         /* values missing in the samples kept, before they were filled */
    size_t n_missing_samples; /* samples with missing values; dropped if options->missing says so */
    size_t n_unlabelled;      /* samples without a label, left out unless keep_unlabelled */
    size_t n_unmatched_labels; /* labels of samples that the data lack */
    bool columns_by_position;  /* columns lack the names that the units of options->encoding have */
    bool joined_by_id;         /* labels were joined to the samples by id, not by position */
} isg_dataset_info;

ISG_API isg_dataset_info isg_dataset_describe(const isg_dataset *data);

/* Classes are in ascending order: by number if all are numbers, else bytewise by name. */
ISG_API const char *isg_dataset_class_name(const isg_dataset *data, size_t class_index);
ISG_API size_t isg_dataset_class_size(const isg_dataset *data, size_t class_index);

/* In place of a class index, for a sample without a label. */
#define ISG_UNLABELLED UINT32_MAX

/* The class index of every sample (n_samples); NULL without labels. */
ISG_API const uint32_t *isg_dataset_labels(const isg_dataset *data);

/* The spins of one sample, packed: spin i is bit i % 64 of word i / 64, set for +1; the bits past
   n_visible are clear. */
ISG_API const uint64_t *isg_dataset_row(const isg_dataset *data, size_t row);

/* The name of a sample; NULL if the file has none. */
ISG_API const char *isg_dataset_sample_id(const isg_dataset *data, size_t row);

/* The values that are still missing, to be imputed, packed like isg_dataset_row(); NULL if none is
   in this row. The row holds the majority in their place. */
ISG_API const uint64_t *isg_dataset_missing(const isg_dataset *data, size_t row);

/* The units that are the same in all samples: their number, and which (n_visible), unless NULL. */
ISG_API isg_status isg_dataset_constant_units(const isg_dataset *data, size_t *units,
                                              size_t *count);

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

/* Writes numbers of the samples, values (n_samples, columns) without gaps between rows, as an .npz:
   the array of that name, columns (their names; NULL if they have none), called units if the array is X,
   ids and y where the data
   have them; `command` is recorded in its meta.json. */
ISG_API isg_status isg_dataset_save_table(const isg_dataset *data, const char *path,
                                          const char *array, isg_matd_view values,
                                          const char *const *columns, uint64_t seed,
                                          const char *command);

/* A building block: the order (n_samples) in which epoch `epoch` of a run with this seed visits the
   samples. */
ISG_API void isg_dataset_shuffle(const isg_dataset *data, uint64_t seed, uint64_t epoch,
                                 size_t *order);

/* A building block: two parts drawn at random, class by class. `first` gets the share `fraction` of
   every class (rounded to the nearest), `second` the rest; each part keeps the file's order.
   ISG_ERR_ARGUMENT if a part would be empty. */
ISG_API isg_status isg_dataset_split(isg_dataset **first, isg_dataset **second,
                                     const isg_dataset *data, double fraction, uint64_t seed);

/* ---- Bytes: data sets in memory, as a whole ---------------------------------------------------- */

/* All that a data set is, as an .npz that only isg_dataset_from_bytes() reads; *bytes, of *size bytes, is
   released by isg_bytes_free(). Reading restores every spin, missing value, label, class (also those
   without a sample), id, threshold and number of isg_dataset_describe(). `name` begins error sentences
   [NULL: "bytes"]; bytes of anything else, or damaged ones, are ISG_ERR_FORMAT or ISG_ERR_SHAPE. */
ISG_API isg_status isg_dataset_to_bytes(const isg_dataset *data, uint64_t seed, const char *command,
                                        void **bytes, size_t *size);
ISG_API isg_status isg_dataset_from_bytes(isg_dataset **out, const char *name, const void *bytes,
                                          size_t size);

/* ---- Encodings: how values became spins ------------------------------------------------------ */

/* NULL if unknown: data and models made from spins in memory or by other programs. */
ISG_API const isg_encoding *isg_dataset_encoding(const isg_dataset *data);

/* An encoding stays as long as it has users: data and models, and whoever retains it, which is to be
   released. NULL is fine for both. */
ISG_API const isg_encoding *isg_encoding_retain(const isg_encoding *encoding);
ISG_API void isg_encoding_release(const isg_encoding *encoding);

/* An encoding for values above `thresholds` (n_visible), all finite, to be released. Its rule is
   ISG_BINARIZE_VALUE or ISG_BINARIZE_ZERO if all are equal, else ISG_BINARIZE_THRESHOLDS. `unit_names`
   (n_visible) may be NULL. */
ISG_API isg_status isg_encoding_from_thresholds(const isg_encoding **out, size_t n_visible,
                                                const double *thresholds,
                                                const char *const *unit_names);

typedef struct isg_encoding_info {
    size_t n_visible;
    size_t
        n_columns; /* of the file they were taken from; more than n_visible if some were dropped */
    isg_binarize rule; /* never ISG_BINARIZE_AUTO */
    double at;         /* its parameter */
    double full_scale;
    double threshold; /* value > threshold is +1; NaN if units have their own */
    bool has_names;
    double smallest, largest; /* of the values of the training data; NaN if unknown */
} isg_encoding_info;

ISG_API isg_encoding_info isg_encoding_describe(const isg_encoding *encoding);
ISG_API double isg_encoding_threshold(const isg_encoding *encoding, size_t unit);

/* The name of a unit; NULL if it has none. `encoding` may be NULL. */
ISG_API const char *isg_encoding_unit_name(const isg_encoding *encoding, size_t unit);

/* "mean", "value:3", "quantile:0.9" and so on, as text and back. ISG_ERR_ARGUMENT, listing the
   rules, for any other text, and for "thresholds", which is no rule without them. */
enum { ISG_BINARIZE_ROOM = 48 };
ISG_API void isg_binarize_text(isg_binarize rule, double at, char text[ISG_BINARIZE_ROOM]);
ISG_API isg_status isg_binarize_parse(const char *text, isg_binarize *rule, double *at);

#ifdef __cplusplus
}
#endif

#endif
