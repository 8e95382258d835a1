/* binarize.c - spins from values: the threshold and the full scale
 *
 * SPDX-License-Identifier: MIT
 *
 * value > threshold * full scale is +1. The rule for the full scale stands in isinglass.h, at
 * isg_dataset_load().
 */
#include "binarize.h"

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
        .smallest = INFINITY,
        .largest = -INFINITY,
    };
}

/* Below a negative threshold even a zero is +1. */
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

/* The largest byte that is not above the cut; -1 if all are. */
static int byte_cut(double cut) {
    return cut < 0 ? -1 : cut >= 255 ? 255 : (int)cut;
}

static uint64_t pack(const uint8_t *values, size_t count, int cut) {
    uint64_t word = 0;
    for (size_t k = 0; k < count; k++)
        word |= (uint64_t)(values[k] > cut) << k;
    return word;
}

void isg_binarizer_put_bytes(isg_binarizer *binarizer, size_t row, const uint8_t *values) {
    const int plain_cut = byte_cut(binarizer->plain_cut), grey_cut = byte_cut(binarizer->grey_cut);
    uint64_t *plain = binarizer->plain + row * binarizer->words;
    uint64_t *grey = binarizer->grey + row * binarizer->words;
    uint8_t smallest = 255, largest = 0;
    for (size_t i = 0; i < binarizer->n_visible; i++) {
        smallest = values[i] < smallest ? values[i] : smallest;
        largest = values[i] > largest ? values[i] : largest;
    }
    see(binarizer, smallest);
    see(binarizer, largest);
    for (size_t w = 0; w < binarizer->words; w++) {
        const size_t left = binarizer->n_visible - 64 * w;
        const size_t count = left < 64 ? left : 64;
        plain[w] = pack(values + 64 * w, count, plain_cut);
        grey[w] = pack(values + 64 * w, count, grey_cut);
    }
}

void isg_binarizer_see_zero(isg_binarizer *binarizer) {
    see(binarizer, 0);
}

static bool is_grey(const isg_binarizer *binarizer) {
    if (binarizer->smallest < 0 || binarizer->largest > grey_scale)
        return false;
    return binarizer->is_image ? binarizer->largest > 1
                               : binarizer->is_whole && binarizer->largest == grey_scale;
}

void isg_binarizer_finish(isg_binarizer *binarizer, isg_dataset *data) {
    const bool grey = is_grey(binarizer);
    isg_dataset_info *info = &data->info;
    info->n_samples = binarizer->n_rows;
    info->n_visible = binarizer->n_visible;
    info->has_values = true;
    info->smallest = binarizer->smallest;
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
