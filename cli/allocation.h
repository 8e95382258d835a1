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

/* Reads the variable above. Call it before any other allocation. */
exit_code memory_start(void);

/* Whether memory ran out in the JSON library, whose reader reports that as a syntax error. Reader
   and writer may also continue with incomplete data. */
bool memory_lacked_for_json(void);

/* `count` zeroed objects of `size` bytes, at least one byte; NULL if there is no memory. */
void *memory_allocate(size_t count, size_t size);

/* Resizes the block to `bytes` bytes, keeping the first `old_bytes`. NULL if there is no memory;
   the old block is then unchanged. */
void *memory_resize(void *pointer, size_t old_bytes, size_t bytes);

/* A text formatted as by printf; NULL if there is no memory. */
char *memory_format(const char *format, ...) CLI_PRINTF(1, 2);

void memory_release(void *pointer); /* NULL is fine */

#endif
