/* commands.c - the list of verbs, in the order in which a user meets them
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/command.h"

extern const command command_bench;
extern const command command_classify;
extern const command command_data_get;
extern const command command_data_info;
extern const command command_data_list;
extern const command command_deepen;
extern const command command_impute;
extern const command command_info;
extern const command command_map;
extern const command command_patterns;
extern const command command_recall;
extern const command command_reproduce;
extern const command command_sample;
extern const command command_score;
extern const command command_states;
extern const command command_train;
extern const command command_transform;
extern const command command_unmap;
extern const command command_verify;

/* clang-format off */
const command *const commands[] = {
    &command_data_list,
    &command_data_get,
    &command_data_info,
    &command_patterns,
    &command_map,
    &command_verify,
    &command_train,
    &command_sample,
    &command_score,
    &command_transform,
    &command_impute,
    &command_unmap,
    &command_recall,
    &command_states,
    &command_classify,
    &command_deepen,
    &command_reproduce,
    &command_bench,
    &command_info,
    NULL,
};
/* clang-format on */
