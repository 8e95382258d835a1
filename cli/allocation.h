/* allocation.h - the program's own allocation, and the test hook that makes it fail
 *
 * SPDX-License-Identifier: MIT
 *
 * ISINGLASS_FAIL_ALLOCATION=n makes the n-th allocation of the whole program fail, those of the
 * library and of the JSON writer included; n+ makes all later ones fail too.
 */
#ifndef CLI_ALLOCATION_H
#define CLI_ALLOCATION_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/failure.h"

/* Obeys the variable above. Before any other allocation. */
exit_code memory_start(void);

/* Whether memory ran out in the JSON library, whose reader takes that for an error of the text. Reader and writer
   may also go on, with something left out. */
bool memory_lacked_for_json(void);

/* `count` zeroed objects of `size` bytes, at least one byte; NULL if there is no memory. */
void *memory_allocate(size_t count, size_t size);

/* Moves the block to one of `bytes` bytes, the first `old_bytes` kept. NULL if there is no memory,
   and then the old block is untouched. */
void *memory_resize(void *pointer, size_t old_bytes, size_t bytes);

/* A text like printf writes it; NULL if there is no memory. */
char *memory_format(const char *format, ...) CLI_PRINTF(1, 2);

void memory_release(void *pointer); /* NULL is fine */

#endif
