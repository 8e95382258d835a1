/* kernels.h - the hot loops of libisinglass, as one table of functions per instruction set
 *
 * SPDX-License-Identifier: MIT
 *
 * A kernel computes; it never allocates, fails, locks, prints or starts a thread. Shapes are
 * written (rows, cols), row-major. A kernel reads and writes exactly the elements named, which
 * need no more alignment than their type; outputs never overlap inputs. ref.c defines what each
 * kernel means; the others agree with it bit for bit where marked [exact].
 */
#ifndef ISG_KERNELS_H
#define ISG_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct isg_kernels {
    const char *name; /* "ref", "avx2", ...: the names isg_set_isa() accepts */

    /* out (n, 4): row i is Philox4x32-10 of the counter with i added to its word 0. The stream
       ends where that word does: counter[0] + n <= 2^32 [exact] */
    void (*random_words)(size_t n, const uint32_t key[2], const uint32_t counter[4], uint32_t *out);

    /* distances (m): the number of bits in which `row` (words) differs from each of
       rows (m, words), whose rows start `stride` words apart; words < 2^26 [exact] */
    void (*hamming)(size_t m, size_t words, const uint64_t *row, const uint64_t *rows,
                    size_t stride, uint32_t *distances);

    /* The first index of the smallest of values (n >= 1), none of which is NaN [exact] */
    size_t (*nearest)(size_t n, const double *values);

    /* Ward's update: kept[i] becomes the distance between cluster i, of sizes[i] samples, and the
       union of two clusters of size_a and size_b samples that are `apart` from each other, whose
       distances to i are dropped[i] and kept[i]. Slots without a cluster (size 0) come out as
       anything [exact] */
    void (*ward_distances)(size_t n, double size_a, double size_b, double apart,
                           const double *sizes, const double *dropped, double *kept);
} isg_kernels;

extern const isg_kernels isg_kernels_ref;

/* Tuned without asking for more than every processor of the architecture has. */
extern const isg_kernels isg_kernels_baseline;

/* NULL where the compiler was not asked for AVX2, FMA and POPCNT: a build for another
   architecture, or by a plain `cc`. */
extern const isg_kernels *const isg_kernels_avx2;

/* The best table this processor can run, or the one isg_set_isa() named. Never NULL. */
const isg_kernels *isg_kernels_get(void);

/* What isg_set_isa() does, apart from asking the processor and keeping the answer: `has_avx2` says
   whether AVX2, FMA and POPCNT are there. */
isg_status isg_kernels_choose(const isg_kernels **out, const char *name, bool has_avx2);

#endif
