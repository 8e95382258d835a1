/* traits.c - what must agree for a training to be continued
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <string.h>

#include "train/train.h"

isg_status isg_traits_check_format(const isg_json *json, const char *file, int64_t oldest,
                                   int64_t newest) {
    int64_t format = 0;
    ISG_TRY(isg_json_integer(json, "format", &format));
    if (format > newest)
        return isg_fail(ISG_ERR_VERSION,
                        "%s: was written by a later version, in format %" PRId64 "; this is %s",
                        file, format, ISG_VERSION);
    if (format >= oldest)
        return ISG_OK;
    return oldest == newest
               ? isg_fail(ISG_ERR_FORMAT, "%s: expected format %" PRId64 ", found %" PRId64, file,
                          oldest, format)
               : isg_fail(ISG_ERR_FORMAT,
                          "%s: expected format %" PRId64 " or %" PRId64 ", found %" PRId64, file,
                          oldest, newest, format);
}

static isg_status compare_text(const isg_json *json, const char *file, const char *key,
                               const char *expected) {
    const char *found = NULL;
    ISG_TRY(isg_json_text(json, key, &found));
    if (strcmp(found, expected) == 0)
        return ISG_OK;
    if (strcmp(key, "data_sha256") == 0)
        return isg_fail(ISG_ERR_SHAPE, "%s: was written for other data, of SHA-256 %s, not %s",
                        file, found, expected);
    return isg_fail(ISG_ERR_SHAPE, "%s: was written for %s %s, this training has %s", file, key,
                    found, expected);
}

static isg_status compare(const isg_json *json, const char *file, const isg_json_pair *expected) {
    const char *key = expected->key;
    int64_t integer = 0;
    double number = 0;
    switch (expected->kind) {
    case ISG_JSON_TEXT:
        return compare_text(json, file, key, expected->text);
    case ISG_JSON_INTEGER:
        ISG_TRY(isg_json_integer(json, key, &integer));
        if (integer != expected->integer)
            return isg_fail(ISG_ERR_SHAPE,
                            "%s: was written for %s %" PRId64 ", this training has %" PRId64, file,
                            key, integer, expected->integer);
        return ISG_OK;
    case ISG_JSON_NUMBER:
        ISG_TRY(isg_json_number(json, key, &number));
        if (number != expected->number)
            return isg_fail(ISG_ERR_SHAPE, "%s: was written for %s %.17g, this training has %.17g",
                            file, key, number, expected->number);
        return ISG_OK;
    }
    return ISG_OK;
}

isg_status isg_traits_compare(const isg_json *json, const char *file, const isg_json_pair *traits,
                              size_t count) {
    for (size_t k = 0; k < count; k++)
        ISG_TRY(compare(json, file, traits + k));
    return ISG_OK;
}
