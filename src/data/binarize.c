/* binarize.c - spins from values
 *
 * SPDX-License-Identifier: MIT
 *
 * The rule for grey levels is in isinglass/data.h, at isg_dataset_load().
 */
#include "data/binarize.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

static unsigned carry_addend(double cut);

/* With a negative threshold even a zero is +1. */
static isg_status find_zeros(isg_binarizer *binarizer) {
    const isg_encoding *encoding = binarizer->encoding;
    for (size_t i = 0; i < encoding->info.n_visible; i++) {
        if (!(0 > encoding->thresholds[i]))
            continue;
        if (!binarizer->zeros)
            ISG_TRY(ISG_ALLOCATE(binarizer->zeros, binarizer->words));
        isg_bit_assign(binarizer->zeros, i, true);
    }
    return ISG_OK;
}

isg_status isg_binarizer_start(isg_binarizer *binarizer, const isg_encoding *encoding,
                               double grey_cut) {
    const double common = isg_encoding_describe(encoding).threshold;
    *binarizer = (isg_binarizer){
        .encoding = encoding,
        .grey_cut = grey_cut,
        .words = isg_words(encoding->info.n_visible),
        .has_common = !isnan(common),
        .byte_addend = isnan(common) ? 0 : carry_addend(common),
        .smallest = HUGE_VAL,
        .largest = -HUGE_VAL,
    };
    return find_zeros(binarizer);
}

/* By doubling, but the first time exactly: many readers know the number of rows. */
static isg_status grow_plane(uint64_t **plane, size_t *capacity, size_t n_rows, size_t words) {
    const size_t row_bytes = words * sizeof **plane;
    void *grown = *plane ? *plane : isg_allocate(n_rows, row_bytes);
    if (!grown)
        return ISG_ERR_MEMORY;
    *capacity = *plane ? *capacity : n_rows;
    const isg_status status = isg_grow(&grown, capacity, n_rows, row_bytes);
    *plane = grown;
    return status;
}

isg_status isg_binarizer_extend(isg_binarizer *binarizer, size_t n_rows) {
    const size_t words = binarizer->words;
    if (n_rows <= binarizer->n_rows)
        return ISG_OK;
    ISG_TRY(grow_plane(&binarizer->spins, &binarizer->capacity, n_rows, words));
    if (!isnan(binarizer->grey_cut))
        ISG_TRY(grow_plane(&binarizer->grey, &binarizer->grey_capacity, n_rows, words));
    if (binarizer->missing)
        ISG_TRY(grow_plane(&binarizer->missing, &binarizer->missing_capacity, n_rows, words));
    for (size_t a = binarizer->n_rows; binarizer->zeros && a < n_rows; a++)
        memcpy(binarizer->spins + a * words, binarizer->zeros, words * sizeof *binarizer->spins);
    binarizer->n_rows = n_rows;
    return ISG_OK;
}

static void see(isg_binarizer *binarizer, double value) {
    binarizer->smallest = value < binarizer->smallest ? value : binarizer->smallest;
    binarizer->largest = value > binarizer->largest ? value : binarizer->largest;
}

static isg_status put_missing(isg_binarizer *binarizer, size_t row, size_t column) {
    ISG_TRY(grow_plane(&binarizer->missing, &binarizer->missing_capacity, binarizer->capacity,
                       binarizer->words));
    isg_bit_assign(binarizer->missing + row * binarizer->words, column, true);
    return ISG_OK;
}

isg_status isg_binarizer_put(isg_binarizer *binarizer, size_t row, size_t column, double value) {
    if (isnan(value))
        return put_missing(binarizer, row, column);
    see(binarizer, value);
    isg_bit_assign(binarizer->spins + row * binarizer->words, column,
                   value > binarizer->encoding->thresholds[column]);
    if (binarizer->grey)
        isg_bit_assign(binarizer->grey + row * binarizer->words, column,
                       value > binarizer->grey_cut);
    return ISG_OK;
}

/* ---- whole rows -------------------------------------------------------------------------------- */

/* Up to 64 spins: bit k is set if value k is above its cut, which is cuts[0] for all if they have one
   in common. */
static uint64_t above(const double *values, const double *cuts, size_t count, bool has_common) {
    uint64_t bits = 0;
    for (size_t k = 0; k < count; k++)
        bits |= (uint64_t)(values[k] > cuts[has_common ? 0 : k]) << k;
    return bits;
}

bool isg_binarizer_put_row(isg_binarizer *binarizer, size_t row, const double *values) {
    const size_t n = binarizer->encoding->info.n_visible, offset = row * binarizer->words;
    double smallest = HUGE_VAL, largest = -HUGE_VAL;
    bool are_finite = true;
    for (size_t i = 0; i < n; i++) {
        smallest = values[i] < smallest ? values[i] : smallest;
        largest = values[i] > largest ? values[i] : largest;
        are_finite &= fabs(values[i]) <= DBL_MAX;
    }
    if (!are_finite)
        return false;
    see(binarizer, smallest);
    see(binarizer, largest);
    for (size_t i = 0; i < n; i += 64) {
        const size_t count = n - i < 64 ? n - i : 64;
        binarizer->spins[offset + i / 64] =
            above(values + i, binarizer->encoding->thresholds + i, count, false);
        if (binarizer->grey)
            binarizer->grey[offset + i / 64] = above(values + i, &binarizer->grey_cut, count, true);
    }
    return true;
}

/* ---- bytes, eight at a time ---------------------------------------------------------------- */

/* Adding it to a byte carries out of the byte if and only if the byte is above the cut; 256, which
   is not a byte, if all bytes are. */
static unsigned carry_addend(double cut) {
    return cut < 0 ? 256 : cut >= 255 ? 0 : 255 - (unsigned)cut;
}

/* One bit for each of eight bytes, the first one lowest: whether `byte + addend` carries. */
static uint64_t carries(uint64_t bytes, uint64_t addends) {
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f), top = ~low;
    const uint64_t sums = (bytes & low) + (addends & low);
    const uint64_t carry = ((bytes & addends) | ((bytes | addends) & sums)) & top;
    return (carry >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

/* Up to eight bytes as a word, the first one lowest. */
static uint64_t load_bytes(const uint8_t *bytes, size_t count) {
    uint64_t word = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (count == 8) {
        memcpy(&word, bytes, sizeof word);
        return word;
    }
#endif
    for (size_t k = 0; k < count; k++)
        word |= (uint64_t)bytes[k] << 8 * k;
    return word;
}

static void pack_row(uint64_t *out, const uint8_t *values, size_t n, unsigned addend) {
    const uint64_t addends = (addend & 0xff) * UINT64_C(0x0101010101010101);
    for (size_t i = 0; i < n; i += 8) {
        const size_t count = n - i < 8 ? n - i : 8;
        const uint64_t bytes = load_bytes(values + i, count);
        uint64_t bits = addend == 256 ? 0xff : addend == 0 ? 0 : carries(bytes, addends);
        bits &= 0xffu >> (8 - count);
        out[i / 64] = (i % 64 ? out[i / 64] : 0) | bits << i % 64;
    }
}

void isg_binarizer_put_bytes(isg_binarizer *binarizer, size_t row, const uint8_t *values) {
    const size_t n = binarizer->encoding->info.n_visible, offset = row * binarizer->words;
    for (size_t i = 0; i < n; i++)
        binarizer->byte_seen[values[i]] = true;
    pack_row(binarizer->spins + offset, values, n, binarizer->byte_addend);
    if (binarizer->grey)
        pack_row(binarizer->grey + offset, values, n, carry_addend(binarizer->grey_cut));
}

void isg_binarizer_see_zero(isg_binarizer *binarizer) {
    see(binarizer, 0);
}

void isg_binarizer_finish(isg_binarizer *binarizer, isg_dataset *data, bool *is_grey) {
    for (size_t byte = 0; byte < 256; byte++)
        if (binarizer->byte_seen[byte])
            see(binarizer, (double)byte);
    *is_grey = !isnan(binarizer->grey_cut) && binarizer->smallest >= 0 && binarizer->largest > 2 &&
               binarizer->largest <= ISG_GREY_SCALE;
    isg_dataset_info *info = &data->info;
    info->n_samples = binarizer->n_rows;
    info->n_visible = binarizer->encoding->info.n_visible;
    info->has_values = true;
    info->smallest = binarizer->smallest + 0.0; /* not -0 */
    info->largest = binarizer->largest + 0.0;
    data->words = binarizer->words;
    uint64_t **taken = *is_grey ? &binarizer->grey : &binarizer->spins;
    data->spins = *taken;
    *taken = NULL;
    data->missing = binarizer->missing;
    binarizer->missing = NULL;
    isg_binarizer_clear(binarizer);
}

void isg_binarizer_clear(isg_binarizer *binarizer) {
    isg_release(binarizer->spins);
    isg_release(binarizer->grey);
    isg_release(binarizer->missing);
    isg_release(binarizer->zeros);
    *binarizer = (isg_binarizer){0};
}
