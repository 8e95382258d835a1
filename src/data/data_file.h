/* data_file.h - the format of an input file, from its name
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_DATA_FILE_H
#define ISG_DATA_FILE_H

#include "data/data.h"
#include "io/array.h"
#include "io/zip.h"

struct isg_loader;

/* A format, recognized by the end of a file's name. The list is in dataset_load.c. */
typedef struct isg_format {
    const char *ending; /* ".npy"; NULL for IDX, whose names have other rules; "" ends the list */
    bool is_archive;    /* has members, opened one by one; never packed again */
    bool is_hdf5;       /* such an archive, which its reader opens */
    bool is_table;      /* has columns with names */
    char separator;     /* between the fields of a table; 0 for ARFF */
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

/* The samples that labels are for, and what joining them found. */
typedef struct isg_join {
    size_t n_samples;      /* serves to tell a heading from a label; it is not checked */
    const isg_names *ids;  /* of the samples; NULL if unknown */
    const char *id_column; /* as in isg_dataset_options */
    bool is_by_id;         /* found: there is one label per sample now, in their order */
    size_t n_unmatched;    /* found: labels of no sample */
} isg_join;

/* Appends the labels of a label file of any format: IDX or .npy of one dimension or column, the array
   y of an .npz, or a table. Where ids are known on both sides, labels are joined by them, and
   `labels`, which must then be empty, gets one per sample; else they stay in the order of the file.
   `label_column` is as in isg_dataset_options. */
isg_status isg_labels_read(isg_labels *labels, isg_data_file *input, const char *label_column,
                           isg_join *join);

/* Whether a text stands for a label that is missing. */
bool isg_means_unlabelled(const char *text);

#endif
