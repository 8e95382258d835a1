/* held_out.h - --validation and --hold-out: data that are not trained on, to choose the best epoch by
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_HELD_OUT_H
#define CLI_HELD_OUT_H

#include "cli/data_input.h"

/* clang-format off */
#define VALIDATION_OPTIONS(type, file, share)                                                      \
    {.name = "validation", .kind = OPTION_FILE, .metavar = "DATA", .choices = data_names,          \
     .offset = offsetof(type, file), .otherwise = "none",                                          \
     .help = "Data that are not trained on, to tell the best epoch by; read as the training "      \
             "data are"},                                                                          \
    {.name = "hold-out", .kind = OPTION_DOUBLE, .metavar = "SHARE", .low = 0, .high = 0.5,         \
     .is_above_low = true, .offset = offsetof(type, share), .otherwise = "nothing",                \
     .help = "Take this share of every class, drawn with the seed, out of the training data, for " \
             "validation"}
/* clang-format on */

/* Refuses what does not go together, once the options of a run are restored. */
exit_code validation_check(const invocation *call, size_t patience);

/* The validation data, from the file or as a part of `data` that is taken out of it; NULL if neither
   is asked for. `name` is what the user calls the data. */
exit_code validation_load(isg_dataset **out, isg_dataset **data, const invocation *call,
                          const char *name, const data_settings *settings, const char *file,
                          double share);

#endif
