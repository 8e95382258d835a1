/* fuzz_arff.c - any bytes as an ARFF file
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/number.h"
#include "io/arff.h"
#include "mutator.h"
#include "target.h"

static bool is_gzip(const uint8_t *bytes, size_t size) {
    return size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed) {
    return mutate_as(is_gzip(bytes, size) ? FORM_GZIP : FORM_TEXT, bytes, size, room, seed);
}

static bool is_declared(const isg_arff *arff, size_t k, const char *field) {
    for (size_t v = 0; v < isg_arff_value_count(arff, k); v++)
        if (strcmp(isg_arff_value(arff, k, v), field) == 0)
            return true;
    return false;
}

static depth read_rows(isg_arff *arff) {
    size_t last_line = 0;
    for (;;) {
        bool has_row = false;
        if (isg_arff_next(arff, &has_row) != ISG_OK)
            return BEGUN;
        if (!has_row)
            return ACCEPTED;
        if (isg_arff_line(arff) <= last_line)
            abort();
        last_line = isg_arff_line(arff);
        for (size_t k = 0; k < isg_arff_count(arff); k++) {
            const char *field = isg_arff_field(arff, k);
            const isg_arff_kind kind = isg_arff_kind_of(arff, k);
            double number = 0;
            if (!isg_arff_name(arff, k)[0])
                abort();
            if (field && kind == ISG_ARFF_NUMBER &&
                isg_parse_number(field, &number) != ISG_NUMBER_OK)
                abort();
            if (field && kind == ISG_ARFF_NOMINAL && !is_declared(arff, k, field))
                abort();
        }
    }
}

depth attack(const uint8_t *bytes, size_t size) {
    isg_file *file = NULL;
    isg_source *source = NULL;
    isg_arff *arff = NULL;
    depth how_far = REFUSED;
    if (isg_file_from_memory(&file, "fuzz", bytes, size) == ISG_OK &&
        isg_source_create(&source, file, is_gzip(bytes, size) ? ISG_GZIP : ISG_PLAIN, 0, size) ==
            ISG_OK &&
        isg_arff_create(&arff, source) == ISG_OK)
        how_far = read_rows(arff);
    isg_arff_free(arff);
    isg_source_free(source);
    isg_file_close(file);
    return how_far;
}
