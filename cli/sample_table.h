/* sample_table.h - numbers of every sample of a data set as a file
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_SAMPLE_TABLE_H
#define CLI_SAMPLE_TABLE_H

#include "cli/command.h"

/* A .csv has the columns row, id, class, then one of words and the number behind it, if there are
   answers, then the values. What is unknown is an empty cell. */
typedef struct sample_table {
    const isg_dataset *data;
    isg_matd_view values;       /* (n_samples, columns) */
    const char *const *columns; /* their names */
    const char *prefix;         /* of these in a .csv: "p_" */
    int digits;                 /* of a value in a .csv; negative: so many after the point */
    const uint32_t *answers;    /* (n_samples) the column of each sample's answer; NULL for none */
    const char *const *labels;  /* (columns) the answers in words; NULL: as the columns */
    const char *answer, *value; /* what these two columns are called */
    const char *array;          /* name of the values in an .npz */
} sample_table;

/* For help: a file of this kind, the first columns of a .csv, the arrays of an .npz. */
#define TABLE_METAVAR  "FILE.csv|.npz"
#define SAMPLE_COLUMNS "row (of the samples kept, from 0), id and class (both empty if unknown)"
#define TABLE_ARRAYS   "An .npz has ids, y and columns, where known, and"

/* Whether a table may be written to `path`; call it before the work. */
exit_code sample_table_may_write(const common_settings *common, const char *path);

exit_code sample_table_write(const invocation *call, const char *path, const sample_table *table);

/* The class of a sample, or NULL. */
const char *sample_class(const isg_dataset *data, size_t row);

#endif
