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
} data_settings;

data_settings data_defaults(void);

extern const char *const header_choices[];
#define DATA_NAMES "mnist:train", "mnist:test", "fashion:train", "fashion:test"
extern const char *const data_names[]; /* these: for arguments called DATA */

#define DATA_OPTION(type, member, field) .offset = offsetof(type, member.field)

/* clang-format off */
#define DATA_OPTIONS(type, member)                                                                 \
    {.name = "labels", .kind = OPTION_FILE, .metavar = "FILE", DATA_OPTION(type, member, how.labels_path), \
     .otherwise = "those in the data file, if any",                                                \
     .help = "Read the labels from FILE (IDX, .npy, array y of an .npz, or text with one label "   \
             "per line)"},                                                                         \
    {.name = "label-column", .kind = OPTION_TEXT, .metavar = "COLUMN",                             \
     DATA_OPTION(type, member, how.label_column), .otherwise = "none",                                 \
     .help = "Column of DATA, or of --labels, with the labels: its name in the header, or its "    \
             "number, counted from 1 (-1 is the last)"},                                           \
    {.name = "header", .kind = OPTION_CHOICE, .metavar = "WHETHER", .choices = header_choices,     \
     DATA_OPTION(type, member, how.header),                                                        \
     .help = "Whether the first row of a .csv or .tsv is a header"},                               \
    {.name = "threshold", .kind = OPTION_DOUBLE, .metavar = "T",                                   \
     DATA_OPTION(type, member, how.threshold), .otherwise = "0.01 for images, else 0",                 \
     .help = "A value above T is +1, any other -1; T is a fraction of full scale, which is 255 "   \
             "for 8-bit grey levels, else 1"},                                                     \
    {.name = "shape", .kind = OPTION_TEXT, .metavar = "HxW", DATA_OPTION(type, member, shape),     \
     .otherwise = "that of the file",                                                              \
     .help = "Treat samples as images of H rows and W columns, such as 28x28"},                    \
    {.name = "class", .kind = OPTION_TEXT, .metavar = "C", DATA_OPTION(type, member, how.only_class),  \
     .otherwise = "all", .help = "Keep only the samples of class C"},                              \
    {.name = "limit", .kind = OPTION_SIZE, .metavar = "M", .low = 1, .high = HUGE_VAL,             \
     DATA_OPTION(type, member, how.limit), .otherwise = "all",                                         \
     .help = "Keep only the first M samples (of class C, if --class is given)"}
/* clang-format on */

/* Loads what the argument names, with progress on the terminal. */
exit_code data_load(isg_dataset **out, const invocation *call, const char *name,
                    const data_settings *settings);

/* For check_image(). */
#define SHAPE_ADVICE "; if they are, give their shape with --shape HxW"

/* "28x28", as --shape takes it. */
exit_code shape_parse(const char *text, size_t *height, size_t *width);

/* What DATA can be, for the help of an argument. */
#define DATA_HELP                                                                                  \
    "mnist:train, mnist:test, fashion:train, fashion:test, or a file: IDX, .npy, .npz (arrays X "  \
    "and y), .csv, .tsv or .mtx; all but .npz may end in .gz"

/* Refuses the options for reading `what`, which was not given: all but --shape, which may be for
   pictures. */
exit_code data_refuse_options(const invocation *call, const char *what);

#endif
