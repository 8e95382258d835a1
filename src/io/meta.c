/* meta.c - meta.json: where one of our files comes from
 *
 * SPDX-License-Identifier: MIT
 */
#include "io/meta.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/json.h"

static const char member[] = "meta.json";

isg_status isg_meta_write(const isg_meta *meta, isg_npz_writer *writer) {
    char seed[24], *text = NULL; /* text, since a seed may exceed the integers of JSON readers */
    snprintf(seed, sizeof seed, "%" PRIu64, meta->seed);
    const isg_json_pair pairs[] = {
        {.key = "program", .kind = ISG_JSON_TEXT, .text = "isinglass"},
        {.key = "version", .kind = ISG_JSON_TEXT, .text = ISG_VERSION},
        {.key = "kind", .kind = ISG_JSON_TEXT, .text = meta->kind},
        {.key = "seed", .kind = ISG_JSON_TEXT, .text = seed},
        {.key = "command", .kind = ISG_JSON_TEXT, .text = meta->command ? meta->command : ""},
        {.key = "image_height", .kind = ISG_JSON_INTEGER, .integer = (int64_t)meta->image_height},
        {.key = "image_width", .kind = ISG_JSON_INTEGER, .integer = (int64_t)meta->image_width},
    };
    ISG_TRY(isg_json_write(&text, pairs, sizeof pairs / sizeof pairs[0]));
    const isg_status status = isg_npz_writer_add_text(writer, member, text);
    isg_release(text);
    return status;
}

static isg_status read_members(isg_meta *out, const isg_json *json, const char *file) {
    const char *version = NULL;
    int64_t height = 0, width = 0;
    if (isg_json_has(json, "version")) {
        ISG_TRY(isg_json_text(json, "version", &version));
        if (strtol(version, NULL, 10) > ISG_VERSION_MAJOR)
            return isg_fail(ISG_ERR_VERSION,
                            "%s: was written by version %s, but this is version %s", file, version,
                            ISG_VERSION);
    }
    if (isg_json_has(json, "image_height") && isg_json_has(json, "image_width")) {
        ISG_TRY(isg_json_integer(json, "image_height", &height));
        ISG_TRY(isg_json_integer(json, "image_width", &width));
        if (height < 0 || width < 0 || height > INT32_MAX || width > INT32_MAX)
            return isg_fail(ISG_ERR_FORMAT, "%s: %s has an image of impossible size", file, member);
    }
    out->image_height = (size_t)height;
    out->image_width = (size_t)width;
    return ISG_OK;
}

isg_status isg_meta_read(isg_meta *out, isg_zip *zip) {
    size_t index = 0;
    char *text = NULL;
    isg_json *json = NULL;
    isg_status status = ISG_OK;
    *out = (isg_meta){0};
    if (!isg_zip_find(zip, member, &index))
        return ISG_OK;
    ISG_TRY(isg_npz_read_text(zip, member, &text));
    ISG_TRY_GOTO(isg_json_parse(&json, isg_zip_file_name(zip), text, strlen(text)));
    status = read_members(out, json, isg_zip_file_name(zip));
done:
    isg_json_free(json);
    isg_release(text);
    return status;
}

void isg_meta_take_shape(const isg_meta *meta, size_t n_visible, size_t *height, size_t *width) {
    size_t pixels = 0;
    if (isg_multiply(&pixels, meta->image_height, meta->image_width) && pixels == n_visible) {
        *height = meta->image_height;
        *width = meta->image_width;
    }
}
