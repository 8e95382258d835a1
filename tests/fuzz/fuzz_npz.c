/* fuzz_npz.c - any bytes as a .npz file
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/memory.h"
#include "io/npz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Reads the member in all ways: as bytes, as an array, as a text. */
static void read_member(isg_zip *zip, size_t index) {
    static uint8_t buffer[1 << 16];
    const char *name = isg_zip_name(zip, index);
    const size_t length = strlen(name);
    isg_source *source = NULL;
    double *numbers = NULL;
    int64_t *wholes = NULL;
    char *text = NULL, array[64] = "";
    size_t got = sizeof buffer;
    if (isg_zip_member(&source, zip, index) == ISG_OK) {
        while (got == sizeof buffer)
            if (isg_source_read_some(source, buffer, sizeof buffer, &got) != ISG_OK)
                break;
        (void)isg_source_end(source);
    }
    if (length > 4 && length - 4 < sizeof array) {
        memcpy(array, name, length - 4);
        (void)isg_npz_read_doubles(zip, array, NULL, &numbers);
        (void)isg_npz_read_whole(zip, array, NULL, &wholes);
    }
    (void)isg_npz_read_text(zip, name, &text);
    isg_release(text);
    isg_release(wholes);
    isg_release(numbers);
    isg_source_free(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    isg_file *file = NULL;
    isg_zip *zip = NULL;
    double *numbers = NULL;
    if (isg_file_from_memory(&file, "fuzz", bytes, size) == ISG_OK &&
        isg_zip_open(&zip, file) == ISG_OK) {
        for (size_t k = 0; k < isg_zip_count(zip); k++)
            read_member(zip, k);
        (void)isg_npz_read_doubles(zip, "not there", NULL, &numbers);
    }
    isg_release(numbers);
    isg_zip_close(zip);
    isg_file_close(file);
    return 0;
}
