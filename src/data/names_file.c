/* names_file.c - names and labels as arrays of an archive
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/data.h"

/* Whether the name is a number in its usual form; 007 is not, and must stay distinct from 7. */
static bool is_whole(const char *name) {
    const char *first = name + (*name == '-');
    const size_t digits = strspn(first, "0123456789");
    const bool is_plain = *first != '0' || (digits == 1 && first == name);
    return digits > 0 && digits < 19 && first[digits] == '\0' && is_plain;
}

static int64_t whole_of(const char *name) {
    int64_t value = 0;
    for (const char *c = name + (*name == '-'); *c; c++)
        value = 10 * value + (*c - '0');
    return *name == '-' ? -value : value;
}

/* Reads the character at *text and advances past it. Names are UTF-8, or the bytes of a file in
   another encoding; a byte that is not UTF-8 is taken as Latin-1. */
static uint32_t next_character(const unsigned char **text) {
    const unsigned char *c = *text;
    const size_t length = isg_utf8_length((const char *)c, 4);
    uint32_t code = length > 1 ? *c & (0x7fU >> length) : *c;
    for (size_t k = 1; k < length; k++)
        code = code << 6 | (c[k] & 0x3f);
    *text = c + (length ? length : 1);
    return code;
}

/* NumPy's text arrays have room for the longest item, four bytes a character. */
static void decode_utf8(const char *text, uint32_t *out) {
    const unsigned char *next = (const unsigned char *)text;
    while (*next)
        *out++ = next_character(&next);
}

/* Texts, of which text_at() gives number k. */
static isg_status write_texts(isg_npz_writer *writer, const char *array, size_t count,
                              const char *(*text_at)(const void *list, size_t k),
                              const void *list) {
    isg_array_type type = isg_array_type_of(ISG_INT64, 1, &count);
    size_t longest = 1;
    for (size_t k = 0; k < count; k++) {
        const size_t length = strlen(text_at(list, k));
        longest = length > longest ? length : longest;
    }
    type.dtype = ISG_UNICODE;
    type.item_bytes = longest * sizeof(uint32_t);
    uint32_t *texts = isg_allocate(count, type.item_bytes);
    if (!texts)
        return ISG_ERR_MEMORY;
    for (size_t k = 0; k < count; k++)
        decode_utf8(text_at(list, k), texts + k * longest);
    const isg_status status = isg_npz_writer_add_array(writer, array, &type, texts);
    isg_release(texts);
    return status;
}

static const char *label_at(const void *list, size_t k) {
    const isg_labels *labels = list;
    return labels->names[labels->index[k]];
}

static const char *name_at(const void *list, size_t k) {
    return isg_names_at(list, k);
}

isg_status isg_labels_write(const isg_labels *labels, isg_npz_writer *writer, const char *name) {
    if (labels->count == 0)
        return ISG_OK;
    bool are_whole = true;
    for (size_t c = 0; c < labels->n_classes; c++)
        are_whole = are_whole && is_whole(labels->names[c]);
    if (!are_whole)
        return write_texts(writer, name, labels->count, label_at, labels);
    const isg_array_type type = isg_array_type_of(ISG_INT64, 1, &labels->count);
    int64_t *numbers = NULL;
    ISG_TRY(ISG_ALLOCATE(numbers, labels->count));
    for (size_t k = 0; k < labels->count; k++)
        numbers[k] = whole_of(labels->names[labels->index[k]]);
    const isg_status status = isg_npz_writer_add_array(writer, name, &type, numbers);
    isg_release(numbers);
    return status;
}

isg_status isg_names_write(const isg_names *names, isg_npz_writer *writer, const char *array) {
    return names->count ? write_texts(writer, array, names->count, name_at, names) : ISG_OK;
}

/* Longer names are refused. */
enum { MOST_NAME_BYTES = 4096 };

isg_status isg_names_read(isg_names *names, isg_zip *zip, const char *array) {
    isg_source *member = NULL;
    isg_array_type type;
    uint8_t *raw = NULL;
    char text[MOST_NAME_BYTES + 1];
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_open(&member, &type, zip, array));
    const char *name = isg_source_name(member);
    if (type.n_dims != 1 || !isg_dtype_is_text(type.dtype) || type.item_bytes > MOST_NAME_BYTES)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT,
                              "%s: expected texts of at most %d bytes in one dimension", name,
                              MOST_NAME_BYTES));
    ISG_TRY_GOTO(ISG_ALLOCATE(raw, type.item_bytes));
    for (size_t k = 0; k < type.dims[0]; k++) {
        ISG_TRY_GOTO(isg_array_read(member, &type, 1, "the names", raw));
        if (!isg_array_decode_text(&type, raw, 0, text, sizeof text))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: name %zu is not valid text", name, k + 1));
        ISG_TRY_GOTO(isg_names_add(names, text, strlen(text)));
    }
    ISG_TRY_GOTO(isg_source_end(member));
done:
    isg_release(raw);
    isg_source_free(member);
    return status;
}
