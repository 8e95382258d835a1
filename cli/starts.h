/* starts.h - --init on the command line: the RBM from which training starts
 *
 * SPDX-License-Identifier: MIT
 *
 * A verb that trains has a start_settings in its settings and START_OPTIONS in its table.
 */
#ifndef CLI_STARTS_H
#define CLI_STARTS_H

#include <math.h>

#include "cli/command.h"

typedef struct start_settings {
    const char *init; /* a name of start_names, or a model file */
    isg_start_options how;
} start_settings;

start_settings start_defaults(void);

extern const char *const start_names[];
extern const char start_help[]; /* explains them */

#define START_OPTION(type, member, field) .offset = offsetof(type, member.field)

/* clang-format off */
#define START_OPTIONS(type, member)                                                                \
    {.name = "init", .kind = OPTION_FILE, .metavar = "START", .choices = start_names,              \
     START_OPTION(type, member, init),                                                             \
     .help = start_help},                                                                          \
    {.name = "hidden", .kind = OPTION_SIZE, .metavar = "P", .low = 1, .high = HUGE_VAL,            \
     START_OPTION(type, member, how.n_hidden), .otherwise = "classes x --per-class",                     \
     .help = "Number of hidden units; only for --init pca, axes and normal"},                      \
    {.name = "per-class", .kind = OPTION_SIZE, .metavar = "K", .low = 1, .high = HUGE_VAL,         \
     START_OPTION(type, member, how.per_class),                                               \
     .help = "Patterns, and thus hidden units, per class; more than one come from Ward "           \
             "clustering, and a class with fewer samples gets one for each of them"},               \
    {.name = "sd", .kind = OPTION_DOUBLE, .metavar = "SD", .low = 0,                               \
     .high = HUGE_VAL, .is_above_low = true, START_OPTION(type, member, how.deviation),                \
     .help = "Standard deviation of the weights of --init normal"},                                \
    {.name = "beta", .kind = OPTION_DOUBLE, .metavar = "B", .low = 1e-30,                          \
     .high = 1e30, START_OPTION(type, member, how.beta),                                       \
     .otherwise = "2, or that of M.npz", .help = "Inverse temperature"}
/* clang-format on */

/* Checks --init and the options that go with it; call it before any work. */
exit_code start_check(const invocation *call, const start_settings *settings);

/* The number of patterns that `per_class` gives for every class with as many samples, and one for
   each sample of the others; these are remarked on. */
size_t start_patterns(const invocation *call, const isg_dataset *data, const char *name,
                      size_t per_class);

/* The model of --init M.npz, which also says how to read the data; NULL if training starts in another
   way. */
exit_code start_load(isg_rbm **out, const start_settings *settings);

/* The RBM to start from. Its number of hidden units and beta go back to `settings`. `name` is what
   the user calls the data. */
exit_code start_make(isg_rbm **out, const invocation *call, start_settings *settings,
                     const isg_dataset *data, const char *name);

#endif
