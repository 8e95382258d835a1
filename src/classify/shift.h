/* shift.h - images of packed spins moved by whole pixels
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_SHIFT_H
#define ISG_SHIFT_H

#include "base/status.h"

typedef struct isg_shifts {
    size_t width, words;
    size_t most;    /* pixels in either direction */
    uint64_t *kept; /* (2 most + 1, words): the pixels that a shift by x - most columns fills */
} isg_shifts;

/* For images of height x width pixels, both of which exceed `most`. Release it after a failure too. */
isg_status isg_shifts_create(isg_shifts *shifts, size_t height, size_t width, size_t most);
void isg_shifts_release(isg_shifts *shifts);

/* The pixel in row y and column x of `in` (words) goes to row y + down and column x + right of `out`
   (words); what leaves the image is lost, and what enters it is -1. Neither exceeds `most`. */
void isg_shift(const isg_shifts *shifts, ptrdiff_t down, ptrdiff_t right, const uint64_t *in,
               uint64_t *out);

#endif
