/* helper_scratch.h - a directory for the files of one test program
 *
 * SPDX-License-Identifier: MIT
 *
 *     return cmocka_run_group_tests(tests, make_directory, remove_directory);
 *
 * As numpy_helper.h, to be included by a file that asks for POSIX.
 */
#ifndef HELPER_SCRATCH_H
#define HELPER_SCRATCH_H

#include "numpy_helper.h"

extern char *directory;

int make_directory(void **state);

/* In memory where that can be, for tests of many files that are not about the patience of the disk. */
int make_directory_in_memory(void **state);

/* With all that is in it; and the number of threads is the usual one again. */
int remove_directory(void **state);

/* How many names in the directory have `part` in them. */
size_t count_files(const char *part);

#endif
