/* fuzz_json.c - any bytes as a JSON text
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/json.h"
#include "mutator.h"
#include "target.h"

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed) {
    return mutate_as(FORM_TEXT, bytes, size, room, seed);
}

static const char *const keys[] = {"version", "seed", "beta", ""};

enum { N_KEYS = sizeof keys / sizeof keys[0] };

/* What is written again reads the same. */
static void write_back(const isg_json_pair *pairs, size_t count) {
    char *text = NULL;
    isg_json *again = NULL;
    if (isg_json_write(&text, pairs, count) != ISG_OK ||
        isg_json_parse(&again, "again", text, strlen(text)) != ISG_OK)
        abort();
    for (size_t k = 0; k < count; k++) {
        const char *found = NULL;
        int64_t integer = 0;
        double number = 0;
        bool is_same = false;
        switch (pairs[k].kind) {
        case ISG_JSON_TEXT:
            is_same = isg_json_text(again, pairs[k].key, &found) == ISG_OK &&
                      strcmp(found, pairs[k].text) == 0;
            break;
        case ISG_JSON_INTEGER:
            is_same = isg_json_integer(again, pairs[k].key, &integer) == ISG_OK &&
                      integer == pairs[k].integer;
            break;
        case ISG_JSON_NUMBER:
            is_same = isg_json_number(again, pairs[k].key, &number) == ISG_OK &&
                      number == pairs[k].number;
            break;
        }
        if (!is_same)
            abort();
    }
    isg_json_free(again);
    isg_release(text);
}

depth attack(const uint8_t *bytes, size_t size) {
    isg_json_pair pairs[N_KEYS];
    isg_json *json = NULL;
    size_t count = 0;
    if (isg_json_parse(&json, "fuzz", (const char *)bytes, size) != ISG_OK)
        return REFUSED;
    for (size_t k = 0; k < N_KEYS; k++) {
        isg_json_pair pair = {.key = keys[k], .kind = ISG_JSON_TEXT};
        bool is_found = isg_json_text(json, keys[k], &pair.text) == ISG_OK;
        if (isg_json_integer(json, keys[k], &pair.integer) == ISG_OK) {
            is_found = true;
            pair.kind = ISG_JSON_INTEGER;
        } else if (isg_json_number(json, keys[k], &pair.number) == ISG_OK) {
            is_found = true;
            pair.kind = ISG_JSON_NUMBER;
        }
        if (is_found && !isg_json_has(json, keys[k]))
            abort();
        if (is_found)
            pairs[count++] = pair;
    }
    write_back(pairs, count);
    isg_json_free(json);
    return count > 0 ? ACCEPTED : BEGUN;
}
