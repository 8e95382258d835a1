/* target.h - what the fuzz targets share
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "io/zip.h"

/* How far an input came. Told at the end of a run, since executions that all end at the first check
   try nothing. */
typedef enum depth {
    REFUSED, /* at the first check: no archive, no header */
    BEGUN,   /* refused later */
    ACCEPTED
} depth;

/* Every target defines this. A promise that is broken is an abort(). */
depth attack(const uint8_t *bytes, size_t size);

/* An attack on a reader of archives: `read` is called if the bytes can be opened as one. */
depth attack_zip(const uint8_t *bytes, size_t size,
                 depth (*read)(isg_zip *zip, const uint8_t *bytes, size_t size));

/* Makes what all inputs share; a target may have one. */
void prepare(void);

/* One input in so many has costly promises checked; always the same ones. */
bool is_chosen(const uint8_t *bytes, size_t size, unsigned in_so_many);

/* The name of a file in memory with these bytes, for readers that open their files themselves. `slot`
   is 0 to 2; a later call replaces the file of the same slot. */
const char *file_with(unsigned slot, const uint8_t *bytes, size_t size);

/* A name that a writer may create, for files to be read again. */
const char *scratch_file(void);

#endif
