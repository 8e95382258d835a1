/* model_input.h - a model on the command line: a file, or a run directory that holds one
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_MODEL_INPUT_H
#define CLI_MODEL_INPUT_H

#include "cli/failure.h"

/* Loads M.npz, or RUN/model.npz if `name` is a directory. */
exit_code model_load(isg_rbm **out, const char *name);

#endif
