/* shift.c - images of packed spins moved by whole pixels
 *
 * SPDX-License-Identifier: MIT
 *
 * In a row of bits, moving an image is moving all bits by down * width + right places: those that
 * leave at the top or the bottom leave the row of bits. Those that leave at the side would come back
 * on the other, one line further, and are taken out by a mask.
 */
#include "classify/shift.h"

#include "base/bits.h"
#include "base/memory.h"

isg_status isg_shifts_create(isg_shifts *shifts, size_t height, size_t width, size_t most) {
    const size_t n = height * width;
    *shifts = (isg_shifts){.width = width, .words = isg_words(n), .most = most};
    ISG_TRY(ISG_ALLOCATE_MATRIX(shifts->kept, 2 * most + 1, shifts->words));
    for (size_t k = 0; k <= 2 * most; k++) {
        const size_t begin = k > most ? k - most : 0, end = k < most ? width - (most - k) : width;
        for (size_t i = 0; i < n; i++)
            if (i % width >= begin && i % width < end)
                isg_bit_assign(shifts->kept + k * shifts->words, i, true);
    }
    return ISG_OK;
}

void isg_shifts_release(isg_shifts *shifts) {
    isg_release(shifts->kept);
    *shifts = (isg_shifts){.kept = NULL};
}

/* A word of the row; zero outside. */
static uint64_t word_of(const isg_shifts *shifts, const uint64_t *row, ptrdiff_t w) {
    return w >= 0 && w < (ptrdiff_t)shifts->words ? row[w] : 0;
}

void isg_shift(const isg_shifts *shifts, ptrdiff_t down, ptrdiff_t right, const uint64_t *in,
               uint64_t *out) {
    const uint64_t *kept = shifts->kept + (size_t)((ptrdiff_t)shifts->most + right) * shifts->words;
    const ptrdiff_t by = down * (ptrdiff_t)shifts->width + right;
    const ptrdiff_t bits = (by % 64 + 64) % 64, whole = (by - bits) / 64;
    for (ptrdiff_t w = 0; w < (ptrdiff_t)shifts->words; w++) {
        const uint64_t here = word_of(shifts, in, w - whole);
        const uint64_t before = bits > 0 ? word_of(shifts, in, w - whole - 1) >> (64 - bits) : 0;
        out[w] = (here << bits | before) & kept[w];
    }
}
