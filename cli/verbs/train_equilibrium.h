/* train_equilibrium.h - --equilibrium of isinglass train: chains that change modes
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_TRAIN_EQUILIBRIUM_H
#define CLI_TRAIN_EQUILIBRIUM_H

#include "cli/command.h"
#include "cli/common.h"
#include "cli/result.h"

/* What jumped. */
typedef struct equilibrium_result {
    isg_equilibrium_info found;
    double share;      /* of the updates */
    double acceptance; /* NaN if there were no jumps */
    bool has_jumped, has_fallen_back;
    const char *reason; /* why the last mixture was refused, or NULL */
} equilibrium_result;

/* Refuses options without the one that they belong to. */
exit_code equilibrium_check(const invocation *call, const isg_train_options *options);

equilibrium_result equilibrium_of(const isg_run_info *info);

extern const result_entry equilibrium_results[];

/* clang-format off */
#define EQUILIBRIUM_OPTIONS(type, field)                                                           \
    {.name = "chains", .kind = OPTION_SIZE, .metavar = "C", .low = 1, .high = HUGE_VAL,            \
     .offset = offsetof(type, field.chains),                                                       \
     .otherwise = "as many as samples in a batch; 1000 with --equilibrium",                        \
     .help = "With --pcd or --equilibrium: number of persistent chains"},                          \
    {.name = "equilibrium", .kind = OPTION_FLAG, .offset = offsetof(type, field.equilibrium),      \
     .help = "Use persistent chains that also jump between the modes of the model, as those of "   \
             "'isinglass sample --jump' do, so that training learns how much each mode holds; "    \
             "takes a small --rate. Where no mixture of Gaussians fits the model, they do not jump"}, \
    {.name = "jumps", .kind = OPTION_SIZE, .metavar = "J", .low = 1, .high = HUGE_VAL,             \
     .offset = offsetof(type, field.jumps),                                                        \
     .help = "With --equilibrium: jumps of every chain per update, each after a sweep"},           \
    {.name = "refit-every", .kind = OPTION_SIZE, .metavar = "U", .low = 1, .high = HUGE_VAL,       \
     .offset = offsetof(type, field.refit_every),                                                  \
     .help = "With --equilibrium: fit the mixture every U updates; after a failure, try again after twice " \
             "as many, after the next four times, up to 32 times"}
/* clang-format on */

#endif
