/* run_settings.h - the options of a run, as its run.json keeps them
 *
 * SPDX-License-Identifier: MIT
 *
 * The table of the verb says what there is to keep, so that an option added there is kept, compared
 * and restored without more ado.
 */
#ifndef CLI_RUN_SETTINGS_H
#define CLI_RUN_SETTINGS_H

#include "cli/command.h"

/* Marks an option that was not typed as typed. */
void settings_mark(invocation *call, const char *name);

/* The values of all options of the verb but those named in `except` (ends with NULL): an object, or
   NULL if memory ran out. Options that have no value are null. */
json_t *settings_record(const invocation *call, const char *const *except);

/* Options that were typed must have their value in `record`, unless named in `may_change`:
   otherwise EXIT_CHECKPOINT, naming the option. Options not typed get that value and then count as
   typed. Texts are borrowed from the record. `run` is the directory, for the message. */
exit_code settings_restore(invocation *call, const json_t *record, const char *const *may_change,
                           const char *run);

/* The text of run.json, or of another such file, to be released; NULL if memory ran out. It ends
   with a checksum of its content, since a flipped bit could change a number of epochs or a test
   error. */
char *settings_text(json_t *record);

/* EXIT_CHECKPOINT if the record does not match its checksum. A record without one, from an earlier
   version, passes. */
exit_code settings_check_text(json_t *record, const char *directory, const char *name);

/* EXIT_CHECKPOINT: run.json in `directory` is unusable, and `what` says why; or EXIT_NO_MEMORY if
   jansson ran out of memory. */
exit_code settings_refuse(const char *directory, const char *what);

/* Whether a run may be started in the directory `out`, as it was found. `is_resumed` if --resume
   was given anyway; `missing` names an argument that a start needs and that is missing, or is NULL. */
exit_code run_may_start(const isg_run_info *found, const char *out, bool is_resumed,
                        const char *missing, const common_settings *common);

/* The command that resumes the run in `out`, as a line for the shell, to be released; NULL if memory ran out. */
char *run_resume_line(const invocation *call, const char *out);

#endif
