/* commands.c - the list of verbs, in the order in which a user meets them
 *
 * SPDX-License-Identifier: MIT
 */
#include "command.h"

extern const command command_info;

const command *const commands[] = {
    &command_info,
    NULL,
};
