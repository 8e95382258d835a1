/* hdf5_type.c - HDF5 files: types, dimensions, texts and attributes
 *
 * SPDX-License-Identifier: MIT
 *
 * A variable text is an item of 16 bytes: its length, and the address of a collection of the global
 * heap with the number of an object in it.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "io/hdf5_format.h"

/* ---- types ------------------------------------------------------------------------------------ */

enum {
    INTEGER,
    FLOAT,
    TIME,
    STRING,
    BIT_FIELD,
    OPAQUE,
    COMPOUND,
    REFERENCE,
    ENUM,
    VARIABLE,
    ARRAY
};

static const char *const class_names[] = {
    [TIME] = "times",         [BIT_FIELD] = "bit fields", [OPAQUE] = "opaque bytes",
    [COMPOUND] = "compounds", [REFERENCE] = "references", [ARRAY] = "arrays"};

enum { TYPE_BYTES = 8, VARIABLE_BYTES = 16 };

static void parse_integer(const uint8_t *body, isg_h5_type *out) {
    static const isg_dtype dtypes[2][9] = {
        {[1] = ISG_UINT8, [2] = ISG_UINT16, [4] = ISG_UINT32, [8] = ISG_UINT64},
        {[1] = ISG_INT8, [2] = ISG_INT16, [4] = ISG_INT32, [8] = ISG_INT64}};
    const size_t bytes = out->array.item_bytes;
    const bool is_signed = body[1] & 8;
    const bool is_usual = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    if (!is_usual || isg_load16(body + 8) != 0 || isg_load16(body + 10) != 8 * bytes) {
        out->what = "integers of an unusual size";
        return;
    }
    out->kind = ISG_H5_NUMBER;
    out->array.dtype = dtypes[is_signed][bytes];
    out->array.is_big_endian = body[1] & 1;
}

/* IEEE 754 of 2, 4 or 8 bytes; the fields say where sign, exponent and mantissa are. */
static void parse_float(const uint8_t *body, isg_h5_type *out) {
    static const struct {
        isg_dtype dtype;
        uint8_t bytes, exponent, mantissa;
        uint32_t bias;
    } usual[] = {
        {ISG_FLOAT16, 2, 5, 10, 15}, {ISG_FLOAT32, 4, 8, 23, 127}, {ISG_FLOAT64, 8, 11, 52, 1023}};
    for (size_t k = 0; k < sizeof usual / sizeof usual[0]; k++) {
        const unsigned bits = 8u * usual[k].bytes;
        if (out->array.item_bytes == usual[k].bytes && (body[1] & ~1u) == 0x20 &&
            body[2] == bits - 1 && isg_load16(body + 8) == 0 && isg_load16(body + 10) == bits &&
            body[12] == usual[k].mantissa && body[13] == usual[k].exponent && body[14] == 0 &&
            body[15] == usual[k].mantissa && isg_load32(body + 16) == usual[k].bias) {
            out->kind = ISG_H5_NUMBER;
            out->array.dtype = usual[k].dtype;
            out->array.is_big_endian = body[1] & 1;
        }
    }
    out->what = "floating-point numbers of an unusual form";
}

/* The names of the members follow the type of their values: h5py's bool has FALSE and TRUE. */
static isg_status parse_enum(const char *name, const uint8_t *body, size_t size, isg_h5_type *out) {
    const size_t count = isg_load16(body + 1), bytes = out->array.item_bytes;
    const size_t base = TYPE_BYTES + 4; /* of an integer type */
    out->what = "enumerations of an unusual form";
    if (size < TYPE_BYTES + base || (body[8] & 15) != INTEGER ||
        isg_load32(body + 12) != out->array.item_bytes)
        return ISG_OK;
    parse_integer(body + TYPE_BYTES, out);
    const bool is_padded = body[0] >> 4 < 3;
    const char *words[] = {"FALSE", "TRUE"};
    size_t at = TYPE_BYTES + base;
    bool is_bool = count == 2 && bytes == 1;
    for (size_t k = 0; k < 2 && is_bool; k++) {
        const size_t length = strlen(words[k]) + 1;
        is_bool = size - at >= length && memcmp(body + at, words[k], length) == 0;
        at += is_padded ? 8 : length;
        if (at > size)
            return isg_h5_damaged(name, "its type is cut off");
    }
    out->is_bool = is_bool && size - at >= 2 && body[at] == 0 && body[at + 1] == 1;
    return ISG_OK;
}

isg_status isg_h5_parse_type(const char *name, const uint8_t *body, size_t size, isg_h5_type *out) {
    static const uint8_t least[] = {[INTEGER] = 12, [FLOAT] = 20, [ENUM] = 16};
    const unsigned class = size > 0 ? body[0] & 15u : 0;
    *out = (isg_h5_type){.kind = ISG_H5_OTHER, .what = "an unknown type"};
    if (size < TYPE_BYTES || (class < sizeof least && size < least[class]))
        return isg_h5_damaged(name, "its type is cut off");
    out->array.item_bytes = isg_load32(body + 4);
    if (out->array.item_bytes == 0)
        return isg_h5_damaged(name, "its items have no bytes");
    switch (class) {
    case INTEGER:
        parse_integer(body, out);
        break;
    case FLOAT:
        parse_float(body, out);
        break;
    case ENUM:
        return parse_enum(name, body, size, out);
    case STRING:
        out->kind = ISG_H5_FIXED_TEXT;
        out->pads_with_space = (body[1] & 15) == 2;
        break;
    case VARIABLE:
        out->what = "sequences";
        if ((body[1] & 15) == 1 && out->array.item_bytes == VARIABLE_BYTES)
            out->kind = ISG_H5_VARIABLE_TEXT;
        break;
    default:
        if (class < sizeof class_names / sizeof class_names[0])
            out->what = class_names[class];
    }
    return ISG_OK;
}

isg_status isg_h5_parse_space(const char *name, const uint8_t *body, size_t size, isg_h5_type *type,
                              size_t *count) {
    const size_t start = size > 0 && body[0] == 1 ? 8 : 4;
    if (size < start || (body[0] != 1 && body[0] != 2))
        return isg_h5_damaged(name, "its dimensions are in an unknown form");
    const size_t n_dims = body[1];
    if (n_dims > 2)
        return isg_fail(ISG_ERR_UNSUPPORTED, "%s: expected 1 or 2 dimensions, found %zu", name,
                        n_dims);
    if (size - start < 8 * n_dims)
        return isg_h5_damaged(name, "its dimensions are cut off");
    const bool is_null = body[0] == 2 && body[3] == 2;
    type->array.n_dims = n_dims ? n_dims : 1;
    type->array.dims[0] = is_null ? 0 : 1;
    type->array.dims[1] = 1;
    size_t bytes = type->array.item_bytes;
    bool is_empty = is_null;
    for (size_t d = 0; d < n_dims; d++) {
        const uint64_t length = isg_load64(body + start + 8 * d);
        is_empty = is_empty || length == 0;
        if (length > SIZE_MAX || (length > 0 && !isg_multiply(&bytes, bytes, (size_t)length)))
            return isg_h5_damaged(name, "its dimensions promise more data than can exist");
        type->array.dims[d] = (size_t)length;
    }
    *count = is_empty ? 0 : bytes / type->array.item_bytes;
    return ISG_OK;
}

/* ---- texts ------------------------------------------------------------------------------------ */

/* The collection at the address, read again unless it was among the last. */
static isg_status heap_at(isg_h5 *h5, const char *name, uint64_t address, isg_h5_heap **out) {
    isg_h5_heap *heap = &h5->heaps[address / 4096 % ISG_H5_HEAPS]; /* 4096 is the usual size */
    uint8_t header[16];
    *out = heap;
    if (heap->size > 0 && heap->address == address)
        return ISG_OK;
    heap->size = 0;
    ISG_TRY(isg_h5_read_at(h5, name, address, header, sizeof header, "the heap of its texts"));
    const uint64_t size = isg_load64(header + 8);
    if (memcmp(header, "GCOL", 4) != 0 || size < 16 || size > h5->end - address)
        return isg_h5_damaged(name, "there is no heap where its texts should be");
    ISG_TRY(isg_grow(&heap->bytes, &heap->capacity, (size_t)size, 1));
    ISG_TRY(isg_h5_read_at(h5, name, address, heap->bytes, (size_t)size, "the heap of its texts"));
    heap->address = address;
    heap->size = (size_t)size;
    heap->next = 16;
    return ISG_OK;
}

/* Finds object `index` from where the last was found, then from the beginning. */
static isg_status find_in_heap(isg_h5_heap *heap, const char *name, unsigned index,
                               const char **text, uint64_t *length) {
    const uint8_t *bytes = heap->bytes;
    for (size_t turn = 0, at = heap->next; turn < 2; turn++, at = 16)
        while (heap->size - at >= 16) {
            const unsigned found = isg_load16(bytes + at);
            const uint64_t size = isg_load64(bytes + at + 8);
            if (found == 0 || size > heap->size - at - 16)
                break; /* free space */
            *text = (const char *)bytes + at + 16;
            *length = size;
            const size_t left = heap->size - at - 16, step = ((size_t)size + 7) / 8 * 8;
            at += 16 + (step < left ? step : left);
            if (found != index)
                continue;
            heap->next = at;
            return ISG_OK;
        }
    return isg_h5_damaged(name, "a text is not in its heap");
}

isg_status isg_h5_text_of(isg_h5 *h5, const char *name, const isg_h5_type *type,
                          const uint8_t *item, const char **text, size_t *length) {
    if (type->kind == ISG_H5_VARIABLE_TEXT) {
        isg_h5_heap *heap = NULL;
        uint64_t room = 0;
        *length = isg_load32(item);
        *text = "";
        if (*length > 0) {
            ISG_TRY(heap_at(h5, name, isg_load64(item + 4), &heap));
            ISG_TRY(find_in_heap(heap, name, isg_load32(item + 12), text, &room));
        }
        if (*length > room)
            return isg_h5_damaged(name, "a text is longer than its place in the heap");
    } else if (type->kind == ISG_H5_FIXED_TEXT) {
        *text = (const char *)item;
        *length = type->array.item_bytes;
    } else {
        return isg_fail(ISG_ERR_FORMAT, "%s: expected texts, found %s", name,
                        type->kind == ISG_H5_NUMBER ? "numbers" : type->what);
    }
    const char *end = memchr(*text, '\0', *length);
    *length = end ? (size_t)(end - *text) : *length;
    while (type->pads_with_space && *length > 0 && (*text)[*length - 1] == ' ')
        --*length;
    for (size_t i = 0, step; i < *length; i += step)
        if ((step = isg_utf8_length(*text + i, *length - i)) == 0)
            return isg_fail(ISG_ERR_FORMAT, "%s: expected texts in UTF-8, found \"%.*s\"", name,
                            (int)(*length < 40 ? *length : 40), *text);
    return ISG_OK;
}

/* ---- attributes ------------------------------------------------------------------------------- */

typedef struct attribute {
    isg_h5_type type;
    size_t count;
    const uint8_t *items; /* all of them are there */
} attribute;

/* Moves past one of the three parts before the items. */
static bool skip(const uint8_t **at, size_t *left, size_t size, bool is_padded) {
    if (is_padded)
        size = (size + 7) / 8 * 8;
    if (size > *left)
        return false;
    *at += size;
    *left -= size;
    return true;
}

/* Reads the message if it is the attribute of this name. */
static isg_status parse_attribute(const isg_h5_object *object, const isg_h5_message *message,
                                  const char *name, attribute *out, bool *found) {
    const uint8_t *body = message->body;
    const unsigned version = message->size > 0 ? body[0] : 0;
    const size_t start = version == 3 ? 9 : 8;
    if (message->size < start || version < 1 || version > 3)
        return isg_h5_damaged(object->name, "an attribute is in an unknown form");
    const size_t sizes[] = {isg_load16(body + 2), isg_load16(body + 4), isg_load16(body + 6)};
    const uint8_t *at = body + start, *parts[3];
    size_t left = message->size - start;
    for (size_t k = 0; k < 3; k++) {
        parts[k] = at;
        if (!skip(&at, &left, sizes[k], version == 1))
            return isg_h5_damaged(object->name, "an attribute is cut off");
    }
    if (sizes[0] != strlen(name) + 1 || memcmp(parts[0], name, sizes[0]) != 0)
        return ISG_OK;
    *found = true;
    if (version > 1 && (body[1] & 3))
        return isg_fail(ISG_ERR_UNSUPPORTED,
                        "%s: the type of its attribute %s is elsewhere" ISG_H5_REWRITE,
                        object->name, name);
    ISG_TRY(isg_h5_parse_type(object->name, parts[1], sizes[1], &out->type));
    ISG_TRY(isg_h5_parse_space(object->name, parts[2], sizes[2], &out->type, &out->count));
    out->items = at;
    return out->count > left / out->type.array.item_bytes
               ? isg_h5_damaged(object->name, "an attribute is cut off")
               : ISG_OK;
}

static isg_status find_attribute(const isg_h5_object *object, const char *name, attribute *out,
                                 bool *found) {
    isg_h5_message message;
    *found = false;
    for (size_t at = 0; !*found && isg_h5_next_message(object, &at, &message);)
        if (message.type == ISG_H5_ATTRIBUTE && !(message.flags & ISG_H5_SHARED))
            ISG_TRY(parse_attribute(object, &message, name, out, found));
    return ISG_OK;
}

isg_status isg_h5_text_attribute(const isg_h5_object *object, const char *name, char *out,
                                 size_t room) {
    attribute about;
    bool found = false;
    const char *text = "";
    size_t length = 0;
    ISG_TRY(find_attribute(object, name, &about, &found));
    if (found && about.count == 1)
        ISG_TRY(isg_h5_text_of(object->h5, object->name, &about.type, about.items, &text, &length));
    if (length >= room || (found && about.count != 1))
        return isg_fail(ISG_ERR_FORMAT, "%s: its attribute %s is not one short text", object->name,
                        name);
    memcpy(out, text, length);
    out[length] = '\0';
    return ISG_OK;
}

isg_status isg_h5_whole_attribute(const isg_h5_object *object, const char *name, size_t count,
                                  int64_t *out, bool *found) {
    attribute about;
    ISG_TRY(find_attribute(object, name, &about, found));
    if (*found && (about.count != count || about.type.kind != ISG_H5_NUMBER ||
                   !isg_dtype_is_whole(about.type.array.dtype) ||
                   !isg_array_decode_whole(&about.type.array, about.items, count, out)))
        return isg_fail(ISG_ERR_FORMAT, "%s: its attribute %s is not %zu whole numbers",
                        object->name, name, count);
    return ISG_OK;
}
