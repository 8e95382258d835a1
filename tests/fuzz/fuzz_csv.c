/* fuzz_csv.c - any bytes as a CSV or TSV file
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "io/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte chooses packing and separator; the rest is the file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    const isg_packing packing = data[0] & 1 ? ISG_GZIP : ISG_PLAIN;
    const char separator = data[0] & 2 ? '\t' : ',';
    isg_file *file = NULL;
    isg_source *source = NULL;
    isg_csv *csv = NULL;
    bool has_row = true;
    size_t last_line = 0;
    if (isg_file_from_memory(&file, "fuzz", data + 1, size - 1) != ISG_OK ||
        isg_source_create(&source, file, packing, 0, size - 1) != ISG_OK ||
        isg_csv_create(&csv, source, separator) != ISG_OK)
        has_row = false;
    while (has_row && isg_csv_next(csv, &has_row) == ISG_OK && has_row) {
        if (isg_csv_count(csv) == 0 || isg_csv_line(csv) <= last_line)
            abort();
        last_line = isg_csv_line(csv);
        for (size_t k = 0; k < isg_csv_count(csv); k++) {
            double value = 0.0, back = 0.0;
            char text[ISG_NUMBER_ROOM];
            if (isg_parse_number(isg_csv_field(csv, k), &value) != ISG_NUMBER_OK)
                continue;
            isg_format_number(text, sizeof text, value);
            if (isg_parse_number(text, &back) != ISG_NUMBER_OK ||
                memcmp(&value, &back, sizeof back) != 0)
                abort();
        }
    }
    isg_csv_free(csv);
    isg_source_free(source);
    isg_file_close(file);
    return 0;
}
