/* fuzz_matrix_market.c - any bytes as a Matrix Market file
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>

#include "io/matrix_market.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const bool is_gzip = size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
    isg_file *file = NULL;
    isg_source *source = NULL;
    isg_matrix_market *market = NULL;
    isg_matrix_market_shape shape;
    bool has_entry = true;
    size_t row = 0, col = 0, count = 0;
    double value = 0.0;
    if (isg_file_from_memory(&file, "fuzz", data, size) != ISG_OK ||
        isg_source_create(&source, file, is_gzip ? ISG_GZIP : ISG_PLAIN, 0, size) != ISG_OK ||
        isg_matrix_market_create(&market, source, &shape) != ISG_OK)
        has_entry = false;
    isg_status status = ISG_OK;
    while (has_entry) {
        status = isg_matrix_market_next(market, &row, &col, &value, &has_entry);
        if (status != ISG_OK || !has_entry)
            break;
        if (row >= shape.rows || col >= shape.cols || !isfinite(value))
            abort();
        count += !shape.is_symmetric || row >= col;
    }
    if (market && status == ISG_OK && count != shape.entries)
        abort();
    isg_matrix_market_free(market);
    isg_source_free(source);
    isg_file_close(file);
    return 0;
}
