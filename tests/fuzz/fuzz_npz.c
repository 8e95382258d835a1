/* fuzz_npz.c - any bytes as a .npz file
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/memory.h"
#include "io/npz.h"
#include "mutator.h"
#include "target.h"

MUTATE_ZIPS

/* All bytes of the member; false if it is damaged. */
static bool read_bytes(isg_zip *zip, size_t index) {
    static uint8_t buffer[1 << 12];
    isg_source *source = NULL;
    size_t got = sizeof buffer;
    bool is_whole = isg_zip_member(&source, zip, index) == ISG_OK;
    while (is_whole && got == sizeof buffer)
        is_whole = isg_source_read_some(source, buffer, sizeof buffer, &got) == ISG_OK;
    is_whole = is_whole && isg_source_end(source) == ISG_OK;
    isg_source_free(source);
    return is_whole;
}

/* Reads the member in all ways: as bytes, as an array, as a text. Numbers and texts are whole. */
static bool read_member(isg_zip *zip, size_t index) {
    const char *name = isg_zip_name(zip, index);
    const size_t length = strlen(name);
    double *numbers = NULL;
    int64_t *wholes = NULL;
    char *text = NULL, array[64] = "";
    isg_array_type type = {.n_dims = 0}, whole_type = {.n_dims = 0};
    const bool is_whole = read_bytes(zip, index);
    bool has_numbers = false, has_wholes = false;
    if (length > 4 && length - 4 < sizeof array && strcmp(name + length - 4, ".npy") == 0) {
        memcpy(array, name, length - 4);
        has_numbers = isg_npz_read_doubles(zip, array, &type, &numbers) == ISG_OK;
        has_wholes = isg_npz_read_whole(zip, array, &whole_type, &wholes) == ISG_OK;
    }
    const bool has_text = isg_npz_read_text(zip, name, &text) == ISG_OK;
    if ((has_numbers || has_text) && !is_whole)
        abort();
    if (has_wholes && !has_numbers)
        abort();
    for (size_t k = 0; has_wholes && k < isg_array_count(&type); k++)
        if ((double)wholes[k] != numbers[k])
            abort();
    isg_release(text);
    isg_release(wholes);
    isg_release(numbers);
    return has_numbers || has_text;
}

static depth read_archive(isg_zip *zip, const uint8_t *bytes, size_t size) {
    (void)bytes, (void)size;
    double *numbers = NULL;
    bool is_whole = true;
    for (size_t k = 0; k < isg_zip_count(zip); k++)
        is_whole = read_member(zip, k) && is_whole;
    (void)isg_npz_read_doubles(zip, "not there", NULL, &numbers);
    isg_release(numbers);
    return is_whole ? ACCEPTED : BEGUN;
}

depth attack(const uint8_t *bytes, size_t size) {
    return attack_zip(bytes, size, read_archive);
}
