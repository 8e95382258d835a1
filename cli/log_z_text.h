/* log_z_text.h - an estimate of ln Z in words and in JSON, and the options it comes from
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_LOG_Z_TEXT_H
#define CLI_LOG_Z_TEXT_H

#include <math.h>

#include "cli/command.h"

typedef struct log_z_settings {
    size_t method; /* an isg_log_z_choice */
    size_t chains, steps, repeats;
    size_t weights; /* an isg_ais_weights */
    bool hmc;
    double target; /* of an adaptive schedule; 0 for an even one */
    size_t samples;
} log_z_settings;

extern const char *const log_z_methods[]; /* auto, exact, ais, mixture */
extern const char *const ais_weights[];

#define LOG_Z_OPTION(type, member, field) .offset = offsetof(type, member.field)

/* clang-format off */
#define LOG_Z_OPTIONS(type, member)                                                                \
    {.name = "method", .kind = OPTION_CHOICE, .metavar = "HOW", .choices = log_z_methods,          \
     .initial = "auto", LOG_Z_OPTION(type, member, method),                                        \
     .help = "How to find ln Z: exactly, by annealed importance sampling, by a mixture of "        \
             "Gaussians, or by what suits the model"},                                             \
    {.name = "chains", .kind = OPTION_SIZE, .metavar = "C", .initial = "500", .low = 1,            \
     .high = 1e9, LOG_Z_OPTION(type, member, chains), .help = "Annealing: chains"},                \
    {.name = "steps", .kind = OPTION_SIZE, .metavar = "K", .initial = "1000", .low = 1,            \
     .high = 1e9, LOG_Z_OPTION(type, member, steps),                                               \
     .help = "Annealing: steps; auto takes up to 16 times the default if few chains count"},       \
    {.name = "repeats", .kind = OPTION_SIZE, .metavar = "R", .initial = "1", .low = 1,             \
     .high = 1e6, LOG_Z_OPTION(type, member, repeats),                                             \
     .help = "Annealing: repeats, to see how far they spread"},                                    \
    {.name = "weights", .kind = OPTION_CHOICE, .metavar = "OF", .choices = ais_weights,            \
     .initial = "spin", LOG_Z_OPTION(type, member, weights),                                       \
     .help = "Annealing: weigh the spins, the hidden units (as the paper does) or both"},          \
    {.name = "hmc", .kind = OPTION_FLAG, LOG_Z_OPTION(type, member, hmc),                          \
     .help = "Annealing by hidden units: move them by Hamiltonian trajectories"},                  \
    {.name = "adaptive", .kind = OPTION_DOUBLE, .metavar = "SHARE", .low = 0, .high = 0.999999,    \
     .is_above_low = true, LOG_Z_OPTION(type, member, target), .otherwise = "even steps",          \
     .help = "Annealing: space the steps so that each keeps this share of the chains, "            \
             "effectively, such as 0.99; replaces --steps"},                                       \
    {.name = "samples", .kind = OPTION_SIZE, .metavar = "S", .initial = "100000", .low = 100,      \
     .high = 1e9, LOG_Z_OPTION(type, member, samples), .help = "Mixture: draws"}
/* clang-format on */

/* EXIT_MISUSED if the options contradict each other. */
exit_code log_z_check(const log_z_settings *settings);

/* The options as the library takes them; `data` may be NULL. */
isg_log_z_options log_z_options(const invocation *call, const log_z_settings *settings,
                                const isg_dataset *data);

/* With progress on the terminal, and an adaptive schedule if one is wanted. */
exit_code log_z_find(const invocation *call, const log_z_settings *settings, const isg_rbm *rbm,
                     const isg_dataset *data, isg_log_z *out);

const char *log_z_method_name(const isg_log_z *found);

/* The results of an isg_log_z: ln Z and what is to be known about it. */
extern const result_entry log_z_results[];

#endif
