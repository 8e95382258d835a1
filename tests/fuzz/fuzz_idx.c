/* fuzz_idx.c - any bytes as an IDX file, plain and gzip
 *
 * SPDX-License-Identifier: MIT
 */
#include <stddef.h>
#include <stdint.h>

#include "isinglass.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    const bool is_gzip = size > 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
    isg_dataset *data = NULL;
    if (isg_dataset_load_memory(&data, is_gzip ? "x.idx.gz" : "x.idx", bytes, size, NULL) == ISG_OK)
        isg_dataset_free(data);
    return 0;
}
