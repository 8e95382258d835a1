/* fuzz_matrix_market.c - any bytes as a Matrix Market file
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "io/matrix_market.h"
#include "mutator.h"
#include "target.h"

static bool is_gzip(const uint8_t *bytes, size_t size) {
    return size > 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed) {
    return mutate_as(is_gzip(bytes, size) ? FORM_GZIP : FORM_TEXT, bytes, size, room, seed);
}

/* All entries are inside and finite, and as many as the head says. */
static depth read_entries(isg_matrix_market *market, const isg_matrix_market_shape *shape) {
    size_t row = 0, col = 0, count = 0;
    double value = 0.0;
    for (;;) {
        bool has_entry = false;
        if (isg_matrix_market_next(market, &row, &col, &value, &has_entry) != ISG_OK)
            return BEGUN;
        if (!has_entry)
            break;
        if (row >= shape->rows || col >= shape->cols || !isfinite(value))
            abort();
        count += !shape->is_symmetric || row >= col;
    }
    if (count != shape->entries)
        abort();
    return ACCEPTED;
}

depth attack(const uint8_t *bytes, size_t size) {
    isg_file *file = NULL;
    isg_source *source = NULL;
    isg_matrix_market *market = NULL;
    isg_matrix_market_shape shape;
    depth how_far = REFUSED;
    if (isg_file_from_memory(&file, "fuzz", bytes, size) == ISG_OK &&
        isg_source_create(&source, file, is_gzip(bytes, size) ? ISG_GZIP : ISG_PLAIN, 0, size) ==
            ISG_OK &&
        isg_matrix_market_create(&market, source, &shape) == ISG_OK)
        how_far = read_entries(market, &shape);
    isg_matrix_market_free(market);
    isg_source_free(source);
    isg_file_close(file);
    return how_far;
}
