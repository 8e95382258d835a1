/* log_z_text.h - an estimate of ln Z in words and in JSON, and the options it comes from
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_LOG_Z_TEXT_H
#define CLI_LOG_Z_TEXT_H

#include <math.h>

#include "cli/command.h"

typedef struct log_z_settings {
    isg_log_z_options how;
    bool hmc;
    double target; /* of an adaptive schedule; 0 for an even one */
} log_z_settings;

extern const char *const log_z_methods[]; /* of every isg_log_z_method */
extern const char *const ais_weights[];

#define LOG_Z_OPTION(type, member, field) .offset = offsetof(type, member.field)

/* clang-format off */
#define LOG_Z_OPTIONS(type, member)                                                                \
    {.name = "method", .kind = OPTION_CHOICE, .metavar = "HOW", .choices = log_z_methods,          \
     LOG_Z_OPTION(type, member, how.method),                                                       \
     .help = "How to compute ln Z: exactly; by wells of deep states and a population of all "      \
             "other states; by population annealing alone; by annealed importance sampling; by "   \
             "a mixture of Gaussians; or whichever suits the model"},                              \
    {.name = "particles", .kind = OPTION_SIZE, .metavar = "P", .low = 100, .high = 1e9,            \
     LOG_Z_OPTION(type, member, how.population.particles),                                         \
     .help = "Wells and populations: states in one population"},                                   \
    {.name = "chains", .kind = OPTION_SIZE, .metavar = "C", .low = 1, .high = 1e9,                 \
     LOG_Z_OPTION(type, member, how.ais.chains), .help = "Annealing: number of chains"},           \
    {.name = "steps", .kind = OPTION_SIZE, .metavar = "K", .low = 1, .high = 1e9,                  \
     LOG_Z_OPTION(type, member, how.ais.steps),                                                    \
     .help = "Annealing: steps; by default, auto takes up to 16 times as many while the "          \
             "effective sample size is small"},                                                    \
    {.name = "repeats", .kind = OPTION_SIZE, .metavar = "R", .low = 1, .high = 1e6,                \
     LOG_Z_OPTION(type, member, how.ais.repeats),                                                  \
     .otherwise = "1, of populations 5",                                                           \
     .help = "Independent repeats, which show the spread; of populations at least 2"},             \
    {.name = "weights", .kind = OPTION_CHOICE, .metavar = "OF", .choices = ais_weights,            \
     LOG_Z_OPTION(type, member, how.ais.weights),                                                  \
     .help = "Annealing: weight the spins, the hidden units (as the paper does) or both"},         \
    {.name = "hmc", .kind = OPTION_FLAG, LOG_Z_OPTION(type, member, hmc),                          \
     .help = "Annealing of the hidden units: move them along Hamiltonian trajectories"},           \
    {.name = "adaptive", .kind = OPTION_DOUBLE, .metavar = "SHARE", .low = 0, .high = 0.999999,    \
     .is_above_low = true, LOG_Z_OPTION(type, member, target), .otherwise = "even steps",          \
     .help = "Annealing: space the steps so that each keeps this effective share of the "          \
             "chains, such as 0.99; replaces --steps"},                                            \
    {.name = "samples", .kind = OPTION_SIZE, .metavar = "S", .low = 1000, .high = 1e9,             \
     LOG_Z_OPTION(type, member, how.mixture.samples), .help = "Mixture: number of draws"},         \
    {.name = "draws", .kind = OPTION_SIZE, .metavar = "D", .low = 1000, .high = 1e9,               \
     LOG_Z_OPTION(type, member, how.well_draws), .help = "Wells: draws in one repeat"}
/* clang-format on */

/* The first of LOG_Z_OPTIONS that the user typed, or NULL. */
const char *log_z_option_given(const invocation *call);

/* EXIT_MISUSED if the options contradict each other, or if the method reads another one's. */
exit_code log_z_check(const invocation *call, const log_z_settings *settings);

/* The options as the library takes them; `data` may be NULL. */
isg_log_z_options log_z_options(const invocation *call, const log_z_settings *settings,
                                const isg_dataset *data);

/* With progress on the terminal. */
exit_code log_z_find(const invocation *call, const log_z_settings *settings, const isg_rbm *rbm,
                     const isg_dataset *data, isg_log_z *out);

const char *log_z_method_name(const isg_log_z *found);

/* The results of an isg_log_z: ln Z, its error and how far to trust it. */
extern const result_entry log_z_results[];

#endif
