/* fuzz_json.c - any bytes as a JSON text
 *
 * SPDX-License-Identifier: MIT
 */
#include "io/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const char *const keys[] = {"version", "seed", "beta", ""};
    isg_json *json = NULL;
    if (isg_json_parse(&json, "fuzz", (const char *)bytes, size) == ISG_OK)
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            const char *text = NULL;
            int64_t integer = 0;
            double number = 0;
            (void)isg_json_has(json, keys[k]);
            (void)isg_json_text(json, keys[k], &text);
            (void)isg_json_integer(json, keys[k], &integer);
            (void)isg_json_number(json, keys[k], &number);
        }
    isg_json_free(json);
    return 0;
}
