/* unit_columns.c - data by units, for second moments that are exact
 *
 * SPDX-License-Identifier: MIT
 */
#include "patterns/unit_columns.h"

#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "kernels/kernels.h"

enum {
    UNITS = 256,
    PORTION = 1 << 20
}; /* units compared at a time; words that are worth a thread */

/* The 64 x 64 bits with rows and columns exchanged (Warren, Hacker's Delight 7-3). */
static void transpose_bits(uint64_t bits[64]) {
    uint64_t mask = UINT64_C(0x00000000FFFFFFFF);
    for (unsigned half = 32; half > 0; half /= 2, mask ^= mask << half)
        for (unsigned row = 0; row < 64; row = ((row | half) + 1) & ~half) {
            const uint64_t swap = ((bits[row] >> half) ^ bits[row | half]) & mask;
            bits[row] ^= swap << half;
            bits[row | half] ^= swap;
        }
}

void isg_unit_block(const isg_dataset *data, size_t first, size_t word, uint64_t bits[64]) {
    const size_t left = data->info.n_samples - first, rows = left < 64 ? left : 64;
    memset(bits + rows, 0, (64 - rows) * sizeof *bits);
    for (size_t row = 0; row < rows; row++)
        bits[row] = data->spins[(first + row) * data->words + word];
    transpose_bits(bits);
}

isg_status isg_unit_columns_create(isg_unit_columns *out, const isg_dataset *data) {
    const size_t n = data->info.n_visible, m = data->info.n_samples, words = isg_words(m);
    if (m > INT32_MAX)
        return isg_fail(ISG_ERR_UNSUPPORTED, "expected fewer than 2^31 samples, found %zu", m);
    uint64_t *columns = isg_allocate(n, words * sizeof *columns);
    if (!columns)
        return ISG_ERR_MEMORY;
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
    for (size_t word = 0; word < data->words; word++) {
        const size_t left = n - 64 * word, units = left < 64 ? left : 64;
        uint64_t bits[64];
        for (size_t k = 0; k < words; k++) {
            isg_unit_block(data, 64 * k, word, bits);
            for (size_t i = 0; i < units; i++)
                columns[(64 * word + i) * words + k] = bits[i];
        }
    }
    *out = (isg_unit_columns){n, m, words, columns};
    return ISG_OK;
}

void isg_unit_columns_free(isg_unit_columns *columns) {
    isg_release(columns->bits);
    columns->bits = NULL;
}

void isg_unit_columns_distances(const isg_unit_columns *columns, size_t i, uint32_t *distances) {
    const isg_kernels *kernels = isg_kernels_get();
    const size_t n = columns->n_visible, words = columns->words;
#pragma omp parallel for schedule(static) num_threads((int)isg_team_for(1 + n * words / PORTION))
    for (size_t first = 0; first < n; first += UNITS)
        kernels->hamming(n - first < UNITS ? n - first : UNITS, words, isg_unit_column(columns, i),
                         isg_unit_column(columns, first), words, distances + first);
}
