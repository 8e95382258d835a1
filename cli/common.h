/* common.h - the options that every verb takes, and what they do
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_COMMON_H
#define CLI_COMMON_H

#include "cli/failure.h"

typedef struct common_settings {
    uint64_t seed;
    size_t threads;  /* 0 if not given */
    const char *isa; /* NULL if not given */
    bool json, quiet, force;
    const char *data_dir; /* NULL if not given: ask data_directory() */
    bool short_help, full_help, version, print_man, print_completion;
} common_settings;

/* What they are without any option. */
common_settings common_defaults(void);

/* The variables of the environment the program reads; ends with a NULL name. */
typedef struct environment_variable {
    const char *name, *what;
} environment_variable;
extern const environment_variable environment_variables[];

/* Hands the number of threads and the instruction set to the library. */
exit_code common_apply(const common_settings *common);

/* The directory of data sets, which need not exist; the caller releases the text. Fails if neither
   the options nor the environment specify it. */
exit_code data_directory(char **out, const common_settings *common);

bool ends_in(const char *path, const char *ending);

/* Whether a result may be written to `path`; call it before the work. EXIT_MISUSED if the name does
   not have this ending (".png"): a user who mixes up two names would otherwise lose the other file; or
   if an earlier call named the same file. EXIT_FILE if its directory cannot be written, or the file
   exists and --force was not given. `path` stays, as arguments of the program do. */
exit_code may_write(const common_settings *common, const char *path, const char *ending);

/* The same for a picture, whose name ends in .png or .svg. */
exit_code may_write_picture(const common_settings *common, const char *path);

#endif
