/* fuzz_cli_convert.c - any bytes as the file of a package that a data set is converted from
 *
 * SPDX-License-Identifier: MIT
 *
 * The first byte chooses the converter. Those of one file of R read any other one as well.
 */
#include <string.h>

#include "convert.h"
#include "mutator.h"
#include "target.h"

static converter *const converters[] = {convert_splice,  convert_leukaemia,   convert_pbmc,
                                        convert_tissues, convert_senate,      convert_mushrooms,
                                        convert_votes,   convert_supermarket, convert_glyphs,
                                        convert_ccle,    convert_spam};
enum { CONVERTERS = sizeof converters / sizeof converters[0], FIRST_TEXT = 6 };

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed) {
    if (size < 2 || seed % 16 == 0 || bytes[0] % CONVERTERS < FIRST_TEXT)
        return mutate_as(FORM_PLAIN, bytes, size, room, seed);
    return 1 + mutate_as(FORM_TEXT, bytes + 1, size - 1, room - 1, seed / 16);
}

/* What is accepted has a label for every sample, and a name for every unit or for none. */
depth attack(const uint8_t *bytes, size_t size) {
    converted table = {0};
    if (size == 0)
        return REFUSED;
    const converter_input input = {"fuzz", bytes + 1, size - 1};
    const isg_status status = converters[bytes[0] % CONVERTERS](&table, &input);
    const bool has_begun = table.labels.count || table.units.count || table.ids.count;
    if (status == ISG_OK) {
        if (table.labels.count != table.rows ||
            (table.units.count && table.units.count != table.cols) ||
            (table.ids.count && table.ids.count != table.rows))
            abort();
        if (is_chosen(bytes, size, 16) && converted_save(&table, scratch_file()) != ISG_OK)
            abort();
    }
    converted_clear(&table);
    return status == ISG_OK ? ACCEPTED : has_begun ? BEGUN : REFUSED;
}
