/* binarize.c - spins from values: the threshold and the full scale
 *
 * SPDX-License-Identifier: MIT
 *
 * value > threshold * full scale is +1. The rule for the full scale is in isinglass/data.h, at
 * isg_dataset_load().
 */
#include "data/binarize.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static const double grey_scale = 255;
static const double image_threshold = 0.01;

void isg_binarizer_start(isg_binarizer *binarizer, const char *name, size_t n_visible,
                         double threshold, bool is_image) {
    const bool is_default = isnan(threshold);
    *binarizer = (isg_binarizer){
        .name = name,
        .n_visible = n_visible,
        .words = isg_words(n_visible),
        .plain_cut = !is_default ? threshold
                     : is_image  ? image_threshold
                                 : 0,
        .grey_cut = (is_default ? image_threshold : threshold) * grey_scale,
        .threshold = threshold,
        .is_image = is_image,
        .is_whole = true,
        .smallest = HUGE_VAL,
        .largest = -HUGE_VAL,
    };
}

/* With a negative threshold even a zero is +1. */
static void fill_with_zeros(const isg_binarizer *binarizer, uint64_t *spins, double cut,
                            size_t from, size_t to) {
    if (!(0 > cut))
        return;
    for (size_t a = from; a < to; a++)
        for (size_t i = 0; i < binarizer->n_visible; i++)
            isg_bit_assign(spins + a * binarizer->words, i, true);
}

isg_status isg_binarizer_extend(isg_binarizer *binarizer, size_t n_rows) {
    if (n_rows <= binarizer->n_rows)
        return ISG_OK;
    const size_t row_bytes = binarizer->words * sizeof *binarizer->plain;
    void *plain = binarizer->plain, *grey = binarizer->grey;
    isg_status status = isg_grow(&plain, &binarizer->capacity, n_rows, row_bytes);
    binarizer->plain = plain;
    if (status == ISG_OK)
        status = isg_grow(&grey, &binarizer->grey_capacity, n_rows, row_bytes);
    binarizer->grey = grey;
    ISG_TRY(status);
    fill_with_zeros(binarizer, plain, binarizer->plain_cut, binarizer->n_rows, n_rows);
    fill_with_zeros(binarizer, grey, binarizer->grey_cut, binarizer->n_rows, n_rows);
    binarizer->n_rows = n_rows;
    return ISG_OK;
}

static void see(isg_binarizer *binarizer, double value) {
    binarizer->smallest = value < binarizer->smallest ? value : binarizer->smallest;
    binarizer->largest = value > binarizer->largest ? value : binarizer->largest;
}

isg_status isg_binarizer_put(isg_binarizer *binarizer, size_t row, size_t column, double value) {
    if (!isfinite(value))
        return isg_fail(ISG_ERR_FORMAT, "%s: row %zu, column %zu: expected a number, found %g",
                        binarizer->name, row + 1, column + 1, value);
    see(binarizer, value);
    binarizer->is_whole = binarizer->is_whole && value == floor(value);
    isg_bit_assign(binarizer->plain + row * binarizer->words, column, value > binarizer->plain_cut);
    isg_bit_assign(binarizer->grey + row * binarizer->words, column, value > binarizer->grey_cut);
    return ISG_OK;
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

static void pack_row(uint64_t *out, const uint8_t *values, size_t n, double cut) {
    const unsigned addend = carry_addend(cut);
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
    const size_t n = binarizer->n_visible, offset = row * binarizer->words;
    for (size_t i = 0; i < n; i++)
        binarizer->byte_seen[values[i]] = true;
    pack_row(binarizer->plain + offset, values, n, binarizer->plain_cut);
    pack_row(binarizer->grey + offset, values, n, binarizer->grey_cut);
}

void isg_binarizer_see_zero(isg_binarizer *binarizer) {
    see(binarizer, 0);
}

static bool is_grey(const isg_binarizer *binarizer) {
    if (binarizer->smallest < 0 || binarizer->largest > grey_scale)
        return false;
    return binarizer->is_image ? binarizer->largest > 2
                               : binarizer->is_whole && binarizer->largest == grey_scale;
}

void isg_binarizer_finish(isg_binarizer *binarizer, isg_dataset *data) {
    for (size_t byte = 0; byte < 256; byte++)
        if (binarizer->byte_seen[byte])
            see(binarizer, (double)byte);
    const bool grey = is_grey(binarizer);
    isg_dataset_info *info = &data->info;
    info->n_samples = binarizer->n_rows;
    info->n_visible = binarizer->n_visible;
    info->has_values = true;
    info->smallest = binarizer->smallest + 0.0; /* not -0 */
    info->largest = binarizer->largest;
    info->full_scale = grey ? grey_scale : 1;
    info->threshold = !isnan(binarizer->threshold)  ? binarizer->threshold
                      : grey || binarizer->is_image ? image_threshold
                                                    : 0;
    data->words = binarizer->words;
    data->spins = grey ? binarizer->grey : binarizer->plain;
    *(grey ? &binarizer->grey : &binarizer->plain) = NULL;
    isg_binarizer_clear(binarizer);
}

void isg_binarizer_clear(isg_binarizer *binarizer) {
    isg_release(binarizer->plain);
    isg_release(binarizer->grey);
    *binarizer = (isg_binarizer){0};
}
