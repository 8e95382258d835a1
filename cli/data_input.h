/* data_input.h - DATA on the command line: a name of the catalog or a file, and how to read it
 *
 * SPDX-License-Identifier: MIT
 *
 * A verb that takes DATA has a data_settings in its settings and DATA_OPTIONS in its table.
 */
#ifndef CLI_DATA_INPUT_H
#define CLI_DATA_INPUT_H

#include <math.h>

#include "cli/command.h"

typedef struct data_settings {
    isg_dataset_options how;
    const char *shape;
    const char *binarize;
    double threshold; /* an older way to say --binarize value:T; NaN if not given */
} data_settings;

data_settings data_defaults(void);

extern const char *const header_choices[], *const missing_choices[], *const binarize_choices[];
#define DATA_NAMES                                                                                 \
    "mnist:train", "mnist:test", "fashion:train", "fashion:test", "votes", "supermarket",          \
        "splice", "mushrooms", "senate", "pbmc", "myoblasts", "leukaemia", "tissues", "ccle",      \
        "spam", "glyphs"
extern const char *const data_names[]; /* these: for arguments called DATA */

#define DATA_OPTION(type, member, field) .offset = offsetof(type, member.field)

/* clang-format off */
#define DATA_OPTIONS(type, member)                                                                 \
    {.name = "labels", .kind = OPTION_FILE, .metavar = "FILE", DATA_OPTION(type, member, how.labels_path), \
     .otherwise = "those in the data file, if any",                                                \
     .help = "Read the labels from FILE: IDX, .npy, array y of an .npz, text with one label "      \
             "per line, or a table, joined by id where the samples have ids"},                     \
    {.name = "label-column", .kind = OPTION_TEXT, .metavar = "COLUMN",                             \
     DATA_OPTION(type, member, how.label_column), .otherwise = "none",                                 \
     .help = "Column of DATA, or of --labels, with the labels: its name in the header, or its "    \
             "number, counted from 1 (-1 is the last)"},                                           \
    {.name = "id-column", .kind = OPTION_TEXT, .metavar = "COLUMN",                                \
     DATA_OPTION(type, member, how.id_column), .otherwise = "a first column without a name",       \
     .help = "Column of a table with the names of the samples"},                                   \
    {.name = "ignore-columns", .kind = OPTION_TEXT, .metavar = "COLUMNS",                          \
     DATA_OPTION(type, member, how.ignore_columns), .otherwise = "none",                           \
     .help = "Columns of a table to leave out, separated by commas"},                              \
    {.name = "header", .kind = OPTION_CHOICE, .metavar = "WHETHER", .choices = header_choices,     \
     DATA_OPTION(type, member, how.header),                                                        \
     .help = "Whether the first row of a .csv or .tsv is a header"},                               \
    {.name = "transpose", .kind = OPTION_FLAG, DATA_OPTION(type, member, how.transpose),           \
     .help = "The columns of the file are the samples, not its rows"},                             \
    {.name = "one-hot", .kind = OPTION_FLAG, DATA_OPTION(type, member, how.one_hot),               \
     .help = "Make one unit of every word in a column of words, called column=word"},              \
    {.name = "binarize", .kind = OPTION_TEXT, .metavar = "RULE", .choices = binarize_choices,      \
     DATA_OPTION(type, member, binarize), .otherwise = "that of the model; else value:0.01 for image files, zero for others", \
     .help = "A value above its threshold is +1, any other -1. The threshold is: zero; value:T, "  \
             "T times the full scale; or for each unit its mean, median, midpoint (of smallest "   \
             "and largest value), quantile:Q, otsu or mixture (of two normal distributions)"},     \
    {.name = "threshold", .kind = OPTION_DOUBLE, .metavar = "T",                                   \
     DATA_OPTION(type, member, threshold), .otherwise = "see --binarize",                          \
     .help = "The same as --binarize value:T"},                                                    \
    {.name = "scale", .kind = OPTION_DOUBLE, .metavar = "S", .low = 0, .high = HUGE_VAL,           \
     .is_above_low = true, DATA_OPTION(type, member, how.full_scale),                              \
     .otherwise = "255 for image files of 8-bit grey levels, else 1",                              \
     .help = "Full scale of the values, for value:T"},                                             \
    {.name = "missing", .kind = OPTION_CHOICE, .metavar = "RULE", .choices = missing_choices,      \
     DATA_OPTION(type, member, how.missing),                                                       \
     .help = "What to do with missing values: refuse them, leave out the sample, take the "        \
             "majority of the unit in the training data, or draw them from the model"},            \
    {.name = "drop-constant", .kind = OPTION_FLAG, DATA_OPTION(type, member, how.drop_constant),   \
     .help = "Leave out units that are the same in all samples"},                                  \
    {.name = "shape", .kind = OPTION_TEXT, .metavar = "HxW", DATA_OPTION(type, member, shape),     \
     .otherwise = "that of the file",                                                              \
     .help = "Treat samples as images of H rows and W columns, such as 28x28"},                    \
    {.name = "class", .kind = OPTION_TEXT, .metavar = "C", DATA_OPTION(type, member, how.only_class),  \
     .otherwise = "all", .help = "Keep only the samples of class C"},                              \
    {.name = "limit", .kind = OPTION_SIZE, .metavar = "M", .low = 1, .high = HUGE_VAL,             \
     DATA_OPTION(type, member, how.limit), .otherwise = "all",                                         \
     .help = "Keep only the first M samples (of class C, if --class is given)"}
/* clang-format on */

/* Loads what the argument names, with progress on the terminal. `encoding` is that of the model, or
   of the training data, which decides what is +1; NULL if the data decide for themselves. Whatever
   was done to the data is said on stderr. */
exit_code data_load(isg_dataset **out, const invocation *call, const char *name,
                    const data_settings *settings, const isg_encoding *encoding);

/* Fills in the values that --missing impute left to the model, in place: by a draw, or with `marginal`
   by what is more probable. */
exit_code data_impute(isg_dataset **data, const invocation *call, const isg_rbm *rbm,
                      bool marginal);

/* Refuses --missing impute where there is no model yet. */
exit_code data_refuse_impute(const data_settings *settings);

/* `encoding`, which is the model's, with a remark if it is NULL and no rule was typed: the data are then
   read by the default rule, which need not be the one that the model was made with. `model` is its
   file. */
const isg_encoding *model_encoding(const invocation *call, const char *model,
                                   const isg_encoding *encoding);

/* For check_image(). */
#define SHAPE_ADVICE "; if they are, give their shape with --shape HxW"

/* "28x28", as --shape takes it. */
exit_code shape_parse(const char *text, size_t *height, size_t *width);

/* What DATA can be, for the help of an argument. */
#define DATA_HELP                                                                                  \
    "mnist:train, mnist:test, fashion:train, fashion:test, another set of 'isinglass data list', " \
    "or a file: IDX, .npy, .npz (arrays X and y, or of scipy.sparse), .csv, .tsv, .arff, .mtx "    \
    "(all "                                                                                        \
    "but .npz may end in .gz), .h5ad, .h5, or a directory of 10x Genomics"

/* Refuses the options for reading `what`, which was not given: all but --shape, which may be for
   pictures; the latter all but `except`, too. */
exit_code data_refuse_options(const invocation *call, const char *what);
exit_code data_refuse_most(const invocation *call, const char *what, const char *except);

#endif
