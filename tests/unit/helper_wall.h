/* helper_wall.h - memory that ends at a page which may not be touched
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef HELPER_WALL_H
#define HELPER_WALL_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/kernels.h"

enum { ROOM = 1 << 20 };

typedef struct wall {
    uint8_t *start;
    size_t bytes, page;
} wall;

wall wall_create(void);
void *ending_at(const wall *w, size_t bytes); /* at most ROOM */
void wall_free(wall *w);

/* The sets of kernels this machine can run, the reference first; how many. */
size_t runnable(const isg_kernels *sets[8]);

#endif
