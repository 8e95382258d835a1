/* loader.h - a data set while it is being read
 *
 * SPDX-License-Identifier: MIT
 *
 * A reader (isg_format.read_samples) describes the file as it is, a table of rows and columns:
 *
 *     fill load->row_names and load->column_names, where the file has names
 *     isg_loader_start(load, name, rows, columns, height, width);
 *     isg_loader_extend(load, rows so far);             as rows arrive, if their number is unknown
 *     isg_loader_put(load, row, column, value);         NaN for a missing value
 *
 * What is a sample and what a unit, which columns are left out, what is +1: all this is decided
 * here. A reader may be called twice, the first time to learn thresholds, and must leave nothing
 * behind but what it gave to the loader. Values that are not put are zero.
 */
#ifndef ISG_LOADER_H
#define ISG_LOADER_H

#include "data/binarize.h"
#include "data/data_file.h"
#include "data/thresholds.h"

/* The files of a 10x directory: a matrix of genes x cells, and the names of both. */
typedef struct isg_cells {
    char *matrix, *barcodes, *features; /* paths */
} isg_cells;

/* The files that a directory, or a matrix.mtx among such files, stands for; none for other files.
   ISG_ERR_FORMAT if some are missing or stand there twice. */
isg_status isg_cells_find(isg_cells *out, const char *path);
void isg_cells_clear(isg_cells *cells);

typedef struct isg_loader {
    const isg_dataset_options *options;
    const isg_progress *progress;
    isg_data_file input;
    const isg_cells *cells;            /* the input is the matrix of these; else NULL */
    const isg_values *values;          /* the input is in memory; else NULL */
    isg_names row_names, column_names; /* of the file; given by the reader */
    bool
        columns_are_samples; /* options->transpose, or the other way round in files of genes x cells */
    bool are_spins;          /* the file says that its values are spins */

    /* Set by isg_loader_start(): */
    isg_encoding *encoding;
    size_t n_samples,
        n_columns;   /* SIZE_MAX samples if unknown; n_columns before some were left out */
    size_t *unit_of; /* (n_columns) or SIZE_MAX for a column left out; NULL if all are units */
    bool is_image;   /* the file holds images, whatever shape the options give */

    bool is_learning; /* the first of two passes: values go to the learner */
    size_t n_passes, pass;
    isg_learner learner;
    isg_binarizer binarizer;
    isg_dataset *data;
    uint64_t reported; /* position of the last progress report */
} isg_loader;

/* `rows` is SIZE_MAX if it becomes known only as rows arrive; images have a height and a width. */
isg_status isg_loader_start(isg_loader *load, const char *name, size_t rows, size_t columns,
                            size_t height, size_t width);

/* Makes room for this many rows of the file; their values are zero. */
isg_status isg_loader_extend(isg_loader *load, size_t rows);

isg_status isg_loader_put(isg_loader *load, size_t row, size_t column, double value);

/* Whether samples to be classified, or the like, may lack the label column of the training data; units
   that have names tell that the rest of the file is what it should be. */
bool isg_loader_may_lack_labels(const isg_loader *load);

/* A whole row of bytes at once, where isg_loader_takes_bytes(). */
bool isg_loader_takes_bytes(const isg_loader *load);
void isg_loader_put_bytes(isg_loader *load, size_t row, const uint8_t *values);

/* A whole row of numbers at once, with the same result as isg_loader_put() for each of them. */
isg_status isg_loader_put_row(isg_loader *load, size_t row, const double *values);

/* Call this at the end if some values may not have been put. */
void isg_loader_see_zero(isg_loader *load);

/* Refuses a size from a header that is out of proportion to the bytes that can still be read. */
isg_status isg_loader_check_size(const isg_loader *load, const char *name, size_t rows,
                                 size_t columns, uint64_t most_bytes);

/* Reports progress from time to time: the position in a source, or so many of all values. */
isg_status isg_loader_report(isg_loader *load, const isg_source *source);
isg_status isg_loader_report_part(isg_loader *load, size_t done, size_t all);

/* Reads the rows of a CSV, TSV or ARFF file, and its labels if they are in a column. */
isg_status isg_loader_read_table(isg_loader *load);

isg_status isg_loader_read_matrix_market(isg_loader *load);

/* A matrix as scipy.sparse.save_npz() writes it. */
bool isg_is_scipy(const isg_zip *zip);
isg_status isg_loader_read_scipy(isg_loader *load);

/* Reads AnnData (.h5ad) and the files of 10x Genomics (.h5). */
isg_status isg_loader_read_hdf5(isg_loader *load);

/* Reads load->values, after isg_values_check(), which refuses what cannot be read. */
#define ISG_VALUES_NAME "X" /* if they have none */
isg_status isg_values_check(const isg_values *values, const isg_dataset_options *options);
isg_status isg_loader_read_values(isg_loader *load);

#endif
