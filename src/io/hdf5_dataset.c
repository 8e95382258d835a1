/* hdf5_dataset.c - HDF5 files: the items of a data set, piece by piece
 *
 * SPDX-License-Identifier: MIT
 *
 * The items are in the header itself (compact), in one place of the file (contiguous), or in chunks
 * of one size, which a tree lists row by row. Chunks may be packed by a pipeline of filters. All
 * chunks must be there: what was never written would have to be made up.
 */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "io/hdf5_format.h"

enum { COMPACT, CONTIGUOUS, CHUNKED };
enum { DEFLATE = 1, SHUFFLE = 2, LZF = 32000, MOST_FILTERS = 4 };

/* A bit of deflated data stands for at most this many bytes per byte, and lzf for fewer. */
enum { MOST_EXPANSION = 1032 };

struct isg_h5_dataset {
    isg_h5_object *object;
    isg_h5 *h5;
    const char *name;
    isg_h5_type type;
    size_t rows, columns, pitch; /* pitch: bytes of a whole row */
    unsigned layout;
    const uint8_t *compact;
    uint64_t address; /* of the items, or of the tree of chunks */
    size_t chunk[2], chunk_bytes;
    unsigned filters[MOST_FILTERS];
    size_t n_filters;
    isg_h5_tree tree;
    z_stream zip;
    bool has_zip;
    void *buffers[2]; /* of bytes that are read, and what a filter makes of them */
    size_t capacities[2];
    size_t row, column; /* where the next block begins */
    isg_h5_block block; /* for reading in sequence; its first `taken` rows have been read */
    size_t taken;
    void *text; /* the last, with a zero at its end */
    size_t text_capacity;
    uint64_t text_bytes; /* of all texts so far */
};

/* ---- opening ---------------------------------------------------------------------------------- */

static isg_status find_part(isg_h5_dataset *data, unsigned type, const char *what,
                            isg_h5_message *out) {
    if (!isg_h5_find_message(data->object, type, out))
        return isg_fail(ISG_ERR_FORMAT, "%s: the HDF5 file is damaged: it has no %s", data->name,
                        what);
    if (out->flags & ISG_H5_SHARED)
        return isg_fail(ISG_ERR_UNSUPPORTED, "%s: its %s is shared with others" ISG_H5_REWRITE,
                        data->name, what);
    return ISG_OK;
}

static isg_status unknown_filter(const isg_h5_dataset *data, unsigned id) {
    static const struct {
        unsigned id;
        const char *name;
    } known[] = {{3, "fletcher32 checksums"},
                 {4, "szip"},
                 {5, "nbit"},
                 {6, "scale-offset"},
                 {32001, "blosc"},
                 {32004, "lz4"},
                 {32015, "zstd"},
                 {32026, "blosc2"}};
    char other[32];
    const char *name = other;
    snprintf(other, sizeof other, "filter %u", id);
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (known[k].id == id)
            name = known[k].name;
    return isg_fail(ISG_ERR_UNSUPPORTED,
                    "%s: expected items that are packed with gzip or lzf or not at all, found "
                    "%s" ISG_H5_REWRITE,
                    data->name, name);
}

static isg_status parse_filters(isg_h5_dataset *data) {
    isg_h5_message message;
    if (!isg_h5_find_message(data->object, ISG_H5_FILTERS, &message))
        return ISG_OK;
    const uint8_t *body = message.body;
    const bool is_first = message.size >= 2 && body[0] == 1;
    if (message.size < (is_first ? 8 : 2) || (!is_first && body[0] != 2) ||
        (message.flags & ISG_H5_SHARED))
        return isg_h5_damaged(data->name, "its filters are in an unknown form");
    size_t at = is_first ? 8 : 2, n_packed = 0;
    for (size_t k = 0; k < body[1]; k++) {
        if (message.size - at < 8)
            return isg_h5_damaged(data->name, "its filters are cut off");
        const unsigned id = isg_load16(body + at);
        const bool has_name = is_first || id >= 256;
        const size_t name = has_name ? isg_load16(body + at + 2) : 0;
        const size_t n_values = isg_load16(body + at + (has_name ? 6 : 4));
        const size_t padded = is_first ? (name + 7) / 8 * 8 : name;
        const size_t bytes =
            (has_name ? 8 : 6) + padded + 4 * (n_values + (is_first && n_values % 2));
        if (bytes > message.size - at)
            return isg_h5_damaged(data->name, "its filters are cut off");
        at += bytes;
        n_packed += id != SHUFFLE;
        if (id != DEFLATE && id != SHUFFLE && id != LZF)
            return unknown_filter(data, id);
        if (k == MOST_FILTERS || n_packed > 1)
            return isg_fail(ISG_ERR_UNSUPPORTED, "%s: is packed more than once" ISG_H5_REWRITE,
                            data->name);
        data->filters[data->n_filters++] = id;
    }
    return ISG_OK;
}

/* The sizes of a chunk: rows, columns unless there is one dimension, and the bytes of an item. */
static isg_status parse_chunk(isg_h5_dataset *data, const uint8_t *sizes, size_t n_sizes) {
    const size_t n_dims = data->type.array.n_dims;
    if (n_sizes != n_dims + 1 || isg_load32(sizes + 4 * n_dims) != data->type.array.item_bytes)
        return isg_h5_damaged(data->name, "its chunks do not have its dimensions");
    data->chunk[1] = 1;
    data->chunk_bytes = data->type.array.item_bytes;
    for (size_t d = 0; d < n_dims; d++) {
        data->chunk[d] = isg_load32(sizes + 4 * d);
        if (data->chunk[d] == 0 ||
            !isg_multiply(&data->chunk_bytes, data->chunk_bytes, data->chunk[d]))
            return isg_h5_damaged(data->name, "its chunks have an impossible size");
    }
    data->tree = (isg_h5_tree){
        .h5 = data->h5, .name = data->name, .kind = 1, .key_bytes = 8 + 8 * (n_dims + 1)};
    return ISG_OK;
}

static isg_status parse_layout(isg_h5_dataset *data, size_t bytes) {
    isg_h5_message message;
    ISG_TRY(find_part(data, ISG_H5_LAYOUT, "layout", &message));
    const uint8_t *body = message.body;
    uint64_t held = 0; /* bytes of items */
    if (message.size < 4)
        return isg_h5_damaged(data->name, "its layout is cut off");
    if (body[0] != 3 || body[1] > CHUNKED)
        return isg_fail(ISG_ERR_UNSUPPORTED,
                        "%s: its items are laid out in a way (version %u, class %u) that this "
                        "reader does not know" ISG_H5_REWRITE ", but without libver",
                        data->name, body[0], body[1]);
    data->layout = body[1];
    if (data->layout == COMPACT) {
        held = isg_load16(body + 2);
        data->compact = body + 4;
        if (held > message.size - 4)
            return isg_h5_damaged(data->name, "its items are cut off");
    } else if (data->layout == CONTIGUOUS) {
        if (message.size < 18)
            return isg_h5_damaged(data->name, "its layout is cut off");
        const uint64_t size = isg_load64(body + 10), end = data->h5->end;
        data->address = isg_load64(body + 2);
        if (size > 0 && data->address != ISG_H5_NOWHERE &&
            (data->address > end || size > end - data->address))
            return isg_h5_damaged(data->name, "its items are outside of it");
        held = size;
    } else {
        const size_t n_sizes = body[2];
        if (message.size < 11 + 4 * n_sizes)
            return isg_h5_damaged(data->name, "its layout is cut off");
        data->address = isg_load64(body + 3);
        ISG_TRY(parse_filters(data));
        ISG_TRY(parse_chunk(data, body + 11, n_sizes));
        held = data->h5->end;
        if (data->n_filters > 0)
            held = held > UINT64_MAX / MOST_EXPANSION ? UINT64_MAX : held * MOST_EXPANSION;
    }
    if (bytes > 0 && data->address == ISG_H5_NOWHERE)
        return isg_fail(ISG_ERR_FORMAT, "%s: its items were never written", data->name);
    if (bytes > held)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: its dimensions promise %zu bytes, but the file has room for %llu",
                        data->name, bytes, (unsigned long long)held);
    return bytes > 0 && data->layout == CHUNKED ? isg_h5_tree_start(&data->tree, data->address)
                                                : ISG_OK;
}

static isg_status start(isg_h5_dataset *data) {
    isg_h5_message type, space, external;
    isg_array_type *array = &data->type.array;
    size_t count = 0;
    if (isg_h5_is_group(data->object))
        return isg_fail(ISG_ERR_FORMAT, "%s: expected a data set, found a group", data->name);
    ISG_TRY(find_part(data, ISG_H5_DATATYPE, "type", &type));
    ISG_TRY(find_part(data, ISG_H5_DATASPACE, "dimensions", &space));
    ISG_TRY(isg_h5_parse_type(data->name, type.body, type.size, &data->type));
    ISG_TRY(isg_h5_parse_space(data->name, space.body, space.size, &data->type, &count));
    if (isg_h5_find_message(data->object, ISG_H5_EXTERNAL, &external))
        return isg_fail(ISG_ERR_UNSUPPORTED, "%s: its items are in another file" ISG_H5_REWRITE,
                        data->name);
    data->rows = count ? array->dims[0] : 0;
    data->columns = array->n_dims > 1 ? array->dims[1] : 1;
    data->pitch = data->columns * array->item_bytes; /* a product that fits if there are items */
    return parse_layout(data, count * array->item_bytes);
}

isg_status isg_h5_dataset_open(isg_h5_dataset **out, isg_h5 *h5, const char *path) {
    isg_h5_dataset *data = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(data, 1));
    ISG_TRY_GOTO(isg_h5_find(&data->object, h5, path));
    if (!data->object)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: there is no data set %s in it",
                              isg_file_name(h5->file), path));
    data->h5 = h5;
    data->name = data->object->name;
    ISG_TRY_GOTO(start(data));
    *out = data;
    data = NULL;
done:
    isg_h5_dataset_close(data);
    return status;
}

void isg_h5_dataset_close(isg_h5_dataset *data) {
    if (!data)
        return;
    if (data->has_zip)
        inflateEnd(&data->zip);
    isg_release(data->text);
    isg_release(data->buffers[0]);
    isg_release(data->buffers[1]);
    isg_h5_release(data->object);
    isg_release(data);
}

const char *isg_h5_dataset_name(const isg_h5_dataset *data) {
    return data->name;
}

const isg_h5_type *isg_h5_dataset_type(const isg_h5_dataset *data) {
    return &data->type;
}

/* ---- filters ---------------------------------------------------------------------------------- */

static isg_status unpack_deflate(isg_h5_dataset *data, const uint8_t *in, size_t size,
                                 uint8_t *out) {
    z_stream *zip = &data->zip;
    if (!data->has_zip) {
        *zip = (z_stream){.zalloc = isg_zlib_allocate, .zfree = isg_zlib_release};
        if (inflateInit(zip) != Z_OK)
            return isg_fail(ISG_ERR_MEMORY, "%s: out of memory", data->name);
        data->has_zip = true;
    } else if (inflateReset(zip) != Z_OK) {
        return isg_h5_damaged(data->name, "a chunk cannot be unpacked");
    }
    zip->next_in = (z_const Bytef *)(uintptr_t)in;
    zip->avail_in = (uInt)size;
    zip->next_out = out;
    zip->avail_out = (uInt)data->chunk_bytes;
    return inflate(zip, Z_FINISH) == Z_STREAM_END && zip->avail_out == 0
               ? ISG_OK
               : isg_h5_damaged(data->name, "a chunk cannot be unpacked");
}

/* A byte below 32 is followed by one literal more than it says. Any other says in its upper bits how
   many bytes to repeat (7: the next byte says how many more) and in its lower ones, with the next
   byte, how far back they are. */
static isg_status unpack_lzf(isg_h5_dataset *data, const uint8_t *in, size_t size, uint8_t *out) {
    const size_t room = data->chunk_bytes;
    size_t at = 0, done = 0;
    while (at < size) {
        const size_t control = in[at++];
        if (control < 32) {
            if (control >= size - at || control >= room - done)
                break;
            memcpy(out + done, in + at, control + 1);
            at += control + 1;
            done += control + 1;
            continue;
        }
        size_t length = (control >> 5) + 2;
        if (length == 9 && at < size)
            length += in[at++];
        if (at == size)
            break;
        const size_t back = ((control & 31) << 8 | in[at++]) + 1;
        if (back > done || length > room - done)
            break;
        for (; length > 0; length--, done++)
            out[done] = out[done - back];
    }
    return done == room && at == size ? ISG_OK
                                      : isg_h5_damaged(data->name, "a chunk cannot be unpacked");
}

/* The first bytes of all items came first, then the second ones, and so on; what is left over is as
   it was. */
static void unshuffle(const uint8_t *in, size_t size, size_t item_bytes, uint8_t *out) {
    const size_t count = size / item_bytes;
    for (size_t b = 0; b < item_bytes; b++)
        for (size_t k = 0; k < count; k++)
            out[k * item_bytes + b] = in[b * count + k];
    memcpy(out + count * item_bytes, in + count * item_bytes, size - count * item_bytes);
}

/* Reads the chunk and undoes its filters, except those that the mask says were not applied. Leaves
   the items in buffers[0]. */
static isg_status read_chunk(isg_h5_dataset *data, uint64_t address, size_t size, uint32_t mask) {
    if (size > data->h5->end || (data->chunk_bytes > size && data->n_filters == 0) ||
        data->chunk_bytes / MOST_EXPANSION > size || data->chunk_bytes > UINT32_MAX)
        return isg_h5_damaged(data->name, "a chunk has an impossible size");
    const size_t room = size > data->chunk_bytes ? size : data->chunk_bytes;
    for (size_t k = 0; k < 2; k++)
        ISG_TRY(isg_grow(&data->buffers[k], &data->capacities[k], room, 1));
    ISG_TRY(isg_h5_read_at(data->h5, data->name, address, data->buffers[0], size, "a chunk"));
    for (size_t k = data->n_filters; k-- > 0;) {
        if (mask >> k & 1)
            continue;
        if (data->filters[k] == SHUFFLE) {
            unshuffle(data->buffers[0], size, data->type.array.item_bytes, data->buffers[1]);
        } else {
            ISG_TRY(data->filters[k] == DEFLATE
                        ? unpack_deflate(data, data->buffers[0], size, data->buffers[1])
                        : unpack_lzf(data, data->buffers[0], size, data->buffers[1]));
            size = data->chunk_bytes;
        }
        void *other = data->buffers[0];
        data->buffers[0] = data->buffers[1];
        data->buffers[1] = other;
        const size_t capacity = data->capacities[0];
        data->capacities[0] = data->capacities[1];
        data->capacities[1] = capacity;
    }
    return size == data->chunk_bytes ? ISG_OK
                                     : isg_h5_damaged(data->name, "a chunk has the wrong size");
}

/* ---- blocks ----------------------------------------------------------------------------------- */

static size_t at_most(size_t a, size_t b) {
    return a < b ? a : b;
}

static isg_status next_chunk(isg_h5_dataset *data, isg_h5_block *out) {
    uint8_t key[ISG_H5_MOST_KEY] = {0};
    uint64_t address = 0;
    bool has_chunk = false;
    const size_t n_dims = data->type.array.n_dims;
    ISG_TRY(isg_h5_tree_next(&data->tree, key, &address, &has_chunk));
    const uint64_t row = isg_load64(key + 8), column = n_dims > 1 ? isg_load64(key + 16) : 0;
    if (!has_chunk || row > data->row || (row == data->row && column > data->column))
        return isg_fail(ISG_ERR_FORMAT, "%s: a part of its items was never written", data->name);
    if (row != data->row || column != data->column)
        return isg_h5_damaged(data->name, "its chunks are out of order");
    ISG_TRY(read_chunk(data, address, isg_load32(key), isg_load32(key + 4)));
    *out = (isg_h5_block){.row = data->row,
                          .column = data->column,
                          .rows = at_most(data->chunk[0], data->rows - data->row),
                          .columns = at_most(data->chunk[1], data->columns - data->column),
                          .items = data->buffers[0],
                          .pitch = data->chunk[1] * data->type.array.item_bytes};
    return ISG_OK;
}

/* Whole rows as far as they fit into a buffer, or a part of one that does not. */
static isg_status next_piece(isg_h5_dataset *data, isg_h5_block *out) {
    const size_t item_bytes = data->type.array.item_bytes;
    const uint64_t offset = (uint64_t)data->row * data->pitch + data->column * item_bytes;
    const bool fits = data->pitch <= ISG_BUFFER_BYTES;
    size_t rows = fits ? ISG_BUFFER_BYTES / data->pitch : 1;
    size_t columns = fits                             ? data->columns
                     : item_bytes <= ISG_BUFFER_BYTES ? ISG_BUFFER_BYTES / item_bytes
                                                      : 1;
    rows = at_most(rows, data->rows - data->row);
    columns = at_most(columns, data->columns - data->column);
    *out = (isg_h5_block){.row = data->row,
                          .column = data->column,
                          .rows = rows,
                          .columns = columns,
                          .pitch = columns * item_bytes};
    if (data->layout == COMPACT) {
        out->items = data->compact + offset;
        return ISG_OK;
    }
    const size_t bytes = rows * out->pitch;
    ISG_TRY(isg_grow(&data->buffers[0], &data->capacities[0], bytes, 1));
    out->items = data->buffers[0];
    return isg_h5_read_at(data->h5, data->name, data->address + offset, data->buffers[0], bytes,
                          "a part of its items");
}

isg_status isg_h5_next_block(isg_h5_dataset *data, isg_h5_block *out) {
    *out = (isg_h5_block){0};
    if (data->row >= data->rows)
        return ISG_OK;
    ISG_TRY(data->layout == CHUNKED ? next_chunk(data, out) : next_piece(data, out));
    data->column += out->columns;
    if (data->column == data->columns) {
        data->column = 0;
        data->row += out->rows;
    }
    return ISG_OK;
}

/* ---- in sequence ------------------------------------------------------------------------------ */

/* The next items, at least one and at most `count`, of a data set of one column. */
static isg_status take(isg_h5_dataset *data, size_t count, const uint8_t **items, size_t *got) {
    if (data->columns != 1)
        return isg_fail(ISG_ERR_FORMAT, "%s: expected one dimension, found %zu x %zu items",
                        data->name, data->rows, data->columns);
    if (data->taken == data->block.rows) {
        ISG_TRY(isg_h5_next_block(data, &data->block));
        data->taken = 0;
    }
    if (data->block.rows == 0)
        return isg_fail(ISG_ERR_FORMAT, "%s: has only %zu items", data->name, data->rows);
    *items = data->block.items + data->taken * data->block.pitch;
    *got = data->block.pitch == data->type.array.item_bytes
               ? at_most(count, data->block.rows - data->taken)
               : 1; /* a chunk is wider than its one column */
    data->taken += *got;
    return ISG_OK;
}

static isg_status expect_numbers(const isg_h5_dataset *data, bool are_whole) {
    const char *found = data->type.kind == ISG_H5_OTHER    ? data->type.what
                        : data->type.kind != ISG_H5_NUMBER ? "texts"
                        : are_whole && !isg_dtype_is_whole(data->type.array.dtype)
                            ? isg_dtype_name(data->type.array.dtype)
                            : NULL;
    return found ? isg_fail(ISG_ERR_FORMAT, "%s: expected %snumbers, found %s", data->name,
                            are_whole ? "whole " : "", found)
                 : ISG_OK;
}

isg_status isg_h5_read_numbers(isg_h5_dataset *data, size_t count, double *out) {
    ISG_TRY(expect_numbers(data, false));
    for (size_t got = 0; count > 0; count -= got, out += got) {
        const uint8_t *items = NULL;
        ISG_TRY(take(data, count, &items, &got));
        isg_array_decode(&data->type.array, items, got, out);
    }
    return ISG_OK;
}

isg_status isg_h5_read_wholes(isg_h5_dataset *data, size_t count, int64_t *out) {
    ISG_TRY(expect_numbers(data, true));
    for (size_t got = 0; count > 0; count -= got, out += got) {
        const uint8_t *items = NULL;
        ISG_TRY(take(data, count, &items, &got));
        if (!isg_array_decode_whole(&data->type.array, items, got, out))
            return isg_fail(ISG_ERR_FORMAT, "%s: a number is beyond 2^63", data->name);
    }
    return ISG_OK;
}

isg_status isg_h5_read_text(isg_h5_dataset *data, const char **out) {
    const uint8_t *item = NULL;
    const char *text = NULL;
    size_t length = 0, got = 0;
    ISG_TRY(take(data, 1, &item, &got));
    ISG_TRY(isg_h5_text_of(data->h5, data->name, &data->type, item, &text, &length));
    /* Each variable text has a place of its own in the file, unless somebody wants to fill memory. */
    data->text_bytes += data->type.kind == ISG_H5_VARIABLE_TEXT ? length : 0;
    if (length > ISG_BUFFER_BYTES || data->text_bytes > data->h5->end)
        return isg_fail(ISG_ERR_FORMAT, "%s: its texts are too long", data->name);
    ISG_TRY(isg_grow(&data->text, &data->text_capacity, length + 1, 1));
    memcpy(data->text, text, length);
    ((char *)data->text)[length] = '\0';
    *out = data->text;
    return ISG_OK;
}
