/* fuzz_csv.c - any bytes as a CSV or TSV file
 *
 * SPDX-License-Identifier: MIT
 *
 * The first byte chooses packing and separators; the rest is the file.
 */
#include <string.h>

#include "base/number.h"
#include "io/csv.h"
#include "mutator.h"
#include "target.h"

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed) {
    if (size < 2 || seed % 16 == 0)
        return mutate_as(FORM_PLAIN, bytes, size, room, seed);
    return 1 + mutate_as(bytes[0] & 1 ? FORM_GZIP : FORM_TEXT, bytes + 1, size - 1, room - 1,
                         seed / 16);
}

/* What is a number reads back from what we write for it. */
static void check_field(const char *field) {
    double value = 0.0, back = 0.0;
    char text[ISG_NUMBER_ROOM];
    if (isg_parse_number(field, &value) != ISG_NUMBER_OK)
        return;
    isg_format_number(text, sizeof text, value);
    if (isg_parse_number(text, &back) != ISG_NUMBER_OK || memcmp(&value, &back, sizeof back) != 0)
        abort();
}

static depth read_rows(isg_csv *csv) {
    size_t last_line = 0;
    for (;;) {
        bool has_row = false;
        if (isg_csv_next(csv, &has_row) != ISG_OK)
            return last_line > 0 ? BEGUN : REFUSED;
        if (!has_row)
            return last_line > 0 ? ACCEPTED : REFUSED;
        if (isg_csv_count(csv) == 0 || isg_csv_line(csv) <= last_line)
            abort();
        last_line = isg_csv_line(csv);
        for (size_t k = 0; k < isg_csv_count(csv); k++)
            check_field(isg_csv_field(csv, k));
    }
}

depth attack(const uint8_t *bytes, size_t size) {
    if (size == 0)
        return REFUSED;
    const isg_packing packing = bytes[0] & 1 ? ISG_GZIP : ISG_PLAIN;
    isg_file *file = NULL;
    isg_source *source = NULL;
    isg_csv *csv = NULL;
    depth how_far = REFUSED;
    if (isg_file_from_memory(&file, "fuzz", bytes + 1, size - 1) == ISG_OK &&
        isg_source_create(&source, file, packing, 0, size - 1) == ISG_OK &&
        isg_csv_create(&csv, source, bytes[0] & 2 ? '\t' : ',') == ISG_OK &&
        ((bytes[0] & 6) != 4 || isg_csv_allow_semicolons(csv) == ISG_OK))
        how_far = read_rows(csv);
    isg_csv_free(csv);
    isg_source_free(source);
    isg_file_close(file);
    return how_far;
}
