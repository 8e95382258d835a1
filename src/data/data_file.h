/* data_file.h - the format of an input file, from its name
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_DATA_FILE_H
#define ISG_DATA_FILE_H

#include "data/data.h"
#include "io/array.h"
#include "io/csv.h"
#include "io/zip.h"

struct isg_loader;

/* A format, recognized by the end of a file's name. The list is in dataset_load.c. */
typedef struct isg_format {
    const char *ending; /* ".npy"; NULL for IDX, whose names have other rules; "" ends the list */
    bool is_archive;    /* has members, opened one by one; never packed again */
    bool is_hdf5;       /* such an archive, which its reader opens */
    char separator;     /* between the fields of a table; else 0 */
    isg_status (*read_header)(isg_source *source, isg_array_type *out); /* arrays; else NULL */
    isg_status (*read_samples)(struct isg_loader *load);
} isg_format;

extern const isg_format isg_formats[];

/* An open input file. `source` is at the first byte; .npz has `zip` instead, and the caller opens
   the members it wants; HDF5 has neither. */
typedef struct isg_data_file {
    const isg_format *format;
    isg_file *file;
    isg_source *source;
    isg_zip *zip;
    isg_packing packing;
    isg_sha256 hash; /* of everything read from source */
    const char *expected_sha256;
} isg_data_file;

isg_status isg_data_file_open(isg_data_file *out, const char *path, const char *expected_sha256);

/* The same for a file already open, which it takes over even if it fails. */
isg_status isg_data_file_take(isg_data_file *out, isg_file *file, const char *expected_sha256);

/* Begins again at the first byte. */
isg_status isg_data_file_rewind(isg_data_file *input);

/* Call this after the last byte: nothing may follow, and the checksum must match. */
isg_status isg_data_file_end(isg_data_file *input);

void isg_data_file_close(isg_data_file *input);

/* Appends the labels of a label file of any format: one-dimensional IDX or .npy, the array y of an
   .npz, or text with one label per line. `label_column` is as in isg_dataset_options. `n_samples`,
   the number of labels expected, serves to tell a heading from a label; it is not checked. */
isg_status isg_labels_read(isg_labels *labels, isg_data_file *input, size_t n_samples,
                           const char *label_column);

/* The field of a row that `label_column` means: a name, if the current row of `csv` is a heading,
   else a number from 1, or from -1 backwards. `name` is the file's, for the error sentence. */
bool isg_is_column_number(const char *label_column);
isg_status isg_find_column(const isg_csv *csv, bool is_heading, const char *label_column,
                           const char *name, size_t *out);

#endif
