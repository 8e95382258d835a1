/* loader.h - a data set while it is being read
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_LOADER_H
#define ISG_LOADER_H

#include "data/binarize.h"
#include "data/data_file.h"

typedef struct isg_loader {
    const isg_dataset_options *options;
    const isg_progress *progress;
    isg_data_file input;
    isg_binarizer binarizer;
    isg_dataset *data;
    uint64_t reported; /* position of the last progress report */
} isg_loader;

/* The rows have n_visible values and, if height > 0, are images; the options may override the
   shape. */
isg_status isg_loader_start(isg_loader *load, const char *name, size_t n_visible, size_t height,
                            size_t width);

/* Reports progress from time to time. */
isg_status isg_loader_report(isg_loader *load, const isg_source *source);

/* Reads the rows of a CSV or TSV file, and its labels if they are in a column. */
isg_status isg_loader_read_csv(isg_loader *load);

#endif
