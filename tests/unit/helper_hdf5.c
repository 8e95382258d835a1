/* helper_hdf5.c - small HDF5 files, put together byte by byte
 *
 * SPDX-License-Identifier: MIT
 */
#include "helper_hdf5.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MOST_CHUNKS = 4096, MOST_CHUNK_BYTES = 1 << 16 };

/* ---- bytes ------------------------------------------------------------------------------------ */

static size_t add(h5_maker *maker, const void *bytes, size_t count) {
    if (count > H5_ROOM - maker->size)
        abort();
    const size_t at = maker->size;
    if (count > 0)
        memcpy(maker->bytes + at, bytes, count);
    maker->size += count;
    return at;
}

static void put(h5_maker *maker, size_t at, uint64_t value, size_t count) {
    for (size_t k = 0; k < count; k++)
        maker->bytes[at + k] = (uint8_t)(value >> 8 * k);
}

static size_t number(h5_maker *maker, uint64_t value, size_t count) {
    uint8_t bytes[8] = {0};
    for (size_t k = 0; k < count; k++)
        bytes[k] = (uint8_t)(value >> 8 * k);
    return add(maker, bytes, count);
}

static void zeros(h5_maker *maker, size_t count) {
    for (; count > 0; count--)
        number(maker, 0, 1);
}

/* Zeros up to a multiple of 8 bytes after `start`. */
static void pad(h5_maker *maker, size_t start) {
    zeros(maker, (8 - (maker->size - start) % 8) % 8);
}

/* ---- types and dimensions --------------------------------------------------------------------- */

static size_t item_bytes(const char *type) {
    const char *letter = type + (type[0] == '>');
    return letter[0] == 'b' ? 1 : letter[0] == 'v' ? 16 : (size_t)atoi(letter + 1);
}

static size_t count_of(const h5_array *array) {
    size_t count = 1;
    for (size_t d = 0; d < array->n_dims; d++)
        count *= array->dims[d];
    return count;
}

static void type_head(h5_maker *maker, unsigned class, uint64_t bits, size_t size) {
    number(maker, 0x10 | class, 1);
    number(maker, bits, 3);
    number(maker, size, 4);
}

static void add_type(h5_maker *maker, const char *type) {
    const size_t bytes = item_bytes(type);
    const unsigned big = type[0] == '>';
    switch (type[big]) {
    case 'b':
        type_head(maker, 8, 2, 1);
        add_type(maker, "i1");
        add(maker, "FALSE\0\0\0TRUE\0\0\0\0\0\1", 18);
        break;
    case 'i':
    case 'u':
        type_head(maker, 0, big | (type[big] == 'i' ? 8 : 0), bytes);
        number(maker, 0, 2);
        number(maker, 8 * bytes, 2);
        break;
    case 'f': {
        const unsigned exponent = bytes == 8 ? 11 : bytes == 4 ? 8 : 5;
        const unsigned mantissa = (unsigned)(8 * bytes) - 1 - exponent;
        type_head(maker, 1, big | 0x20 | (uint64_t)(8 * bytes - 1) << 8, bytes);
        number(maker, 0, 2);
        number(maker, 8 * bytes, 2);
        number(maker, mantissa, 1);
        number(maker, exponent, 1);
        number(maker, 0, 1);
        number(maker, mantissa, 1);
        number(maker, (1u << (exponent - 1)) - 1, 4);
        break;
    }
    case 'S':
        type_head(maker, 3, 1, bytes);
        break;
    case 'v':
        type_head(maker, 9, 0x0101, bytes);
        type_head(maker, 0, 0, 1);
        number(maker, 8 << 16, 4);
        break;
    default:
        type_head(maker, 6, 0, bytes);
    }
}

static void add_space(h5_maker *maker, const h5_array *array) {
    number(maker, 1, 1);
    number(maker, array->n_dims, 1);
    zeros(maker, 6);
    for (size_t d = 0; d < array->n_dims; d++)
        number(maker, array->dims[d], 8);
}

/* ---- texts ------------------------------------------------------------------------------------ */

/* The items as the file has them; texts go to a collection of the global heap. The caller frees
   them. */
static uint8_t *raw_items(h5_maker *maker, const h5_array *array, size_t *size) {
    const size_t count = count_of(array);
    *size = count * item_bytes(array->type);
    uint8_t *raw = calloc(*size + 1, 1);
    if (!raw)
        abort();
    if (array->type[0] != 'v') {
        if (*size > 0)
            memcpy(raw, array->items, *size);
        return raw;
    }
    h5_maker *items = calloc(1, sizeof *items); /* the same functions write them */
    if (!items)
        abort();
    const char *const *texts = array->items;
    const size_t start = add(maker, "GCOL\1\0\0\0", 8);
    const size_t size_at = number(maker, 0, 8);
    for (size_t k = 0; k < count; k++) {
        const size_t length = strlen(texts[k]);
        number(items, length, 4);
        number(items, length ? start : 0, 8);
        number(items, length ? k + 1 : 0, 4);
        if (length == 0)
            continue;
        number(maker, k + 1, 2);
        zeros(maker, 6);
        number(maker, length, 8);
        add(maker, texts[k], length);
        pad(maker, start);
    }
    zeros(maker, 16); /* object 0: no free space */
    put(maker, size_at, maker->size - start, 8);
    memcpy(raw, items->bytes, *size);
    free(items);
    return raw;
}

/* ---- trees ------------------------------------------------------------------------------------ */

/* A node over the `count` children with their keys, or nodes over nodes. */
static uint64_t add_tree(h5_maker *maker, unsigned kind, size_t key_bytes, size_t count,
                         const uint8_t *keys, const uint64_t *children) {
    uint64_t here[MOST_CHUNKS];
    static uint8_t first_keys[MOST_CHUNKS][40];
    if (count > 0) {
        memcpy(here, children, count * sizeof *here);
        for (size_t k = 0; k < count; k++)
            memcpy(first_keys[k], keys + k * key_bytes, key_bytes);
    }
    const size_t most = maker->per_node ? maker->per_node : MOST_CHUNKS;
    for (unsigned level = 0;; level++) {
        size_t n_nodes = 0;
        for (size_t k = 0; k < count || (k == 0 && count == 0); k += most, n_nodes++) {
            const size_t used = count - k < most ? count - k : most;
            const size_t node = add(maker, "TREE", 4);
            number(maker, kind, 1);
            number(maker, level, 1);
            number(maker, used, 2);
            number(maker, UINT64_MAX, 8);
            number(maker, UINT64_MAX, 8);
            for (size_t i = 0; i < used; i++) {
                add(maker, first_keys[k + i], key_bytes);
                number(maker, here[k + i], 8);
            }
            zeros(maker, key_bytes);
            here[n_nodes] = node;
            memmove(first_keys[n_nodes], first_keys[k], key_bytes);
        }
        if (n_nodes == 1)
            return here[0];
        count = n_nodes;
    }
}

/* ---- chunks ----------------------------------------------------------------------------------- */

static size_t shuffle(const uint8_t *in, size_t size, size_t bytes, uint8_t *out) {
    const size_t count = size / bytes;
    for (size_t b = 0; b < bytes; b++)
        for (size_t k = 0; k < count; k++)
            out[b * count + k] = in[k * bytes + b];
    return size;
}

/* Literals, and repetitions of the last byte. */
static size_t pack_lzf(const uint8_t *in, size_t size, uint8_t *out) {
    size_t made = 0;
    for (size_t at = 0; at < size;) {
        size_t same = 0;
        while (at > 0 && at + same < size && same < 264 && in[at + same] == in[at - 1])
            same++;
        if (same >= 3) {
            const size_t length = same - 2;
            out[made++] = (uint8_t)(length < 7 ? length << 5 : 7 << 5);
            if (length >= 7)
                out[made++] = (uint8_t)(length - 7);
            out[made++] = 0; /* one back */
            at += same;
        } else {
            out[made++] = 0;
            out[made++] = in[at++];
        }
    }
    return made;
}

static size_t apply(const char *filters, const uint8_t *chunk, size_t size, size_t bytes,
                    uint8_t *out) {
    static uint8_t other[2 * MOST_CHUNK_BYTES];
    memcpy(out, chunk, size);
    for (; filters && *filters; filters++) {
        memcpy(other, out, size);
        if (*filters == 's') {
            size = shuffle(other, size, bytes, out);
        } else if (*filters == 'l') {
            size = pack_lzf(other, size, out);
        } else if (*filters == 'z') {
            uLongf packed = 2 * MOST_CHUNK_BYTES;
            if (compress(out, &packed, other, size) != Z_OK)
                abort();
            size = packed;
        }
    }
    return size;
}

static uint64_t add_chunks(h5_maker *maker, const h5_array *array, const uint8_t *raw) {
    static uint8_t chunk[MOST_CHUNK_BYTES], packed[2 * MOST_CHUNK_BYTES], keys[MOST_CHUNKS * 40];
    uint64_t children[MOST_CHUNKS];
    const size_t bytes = item_bytes(array->type), key_bytes = 8 + 8 * (array->n_dims + 1);
    const size_t columns = array->n_dims > 1 ? array->dims[1] : 1;
    const size_t wide = array->n_dims > 1 ? array->chunk[1] : 1, high = array->chunk[0];
    size_t count = 0;
    for (size_t row = 0; row < array->dims[0]; row += high)
        for (size_t column = 0; column < columns; column += wide, count++) {
            memset(chunk, 0, sizeof chunk);
            for (size_t i = 0; i < high && row + i < array->dims[0]; i++)
                for (size_t j = 0; j < wide && column + j < columns; j++)
                    memcpy(chunk + (i * wide + j) * bytes,
                           raw + ((row + i) * columns + column + j) * bytes, bytes);
            const size_t size = apply(array->filters, chunk, high * wide * bytes, bytes, packed);
            uint8_t *key = keys + count * key_bytes;
            memset(key, 0, key_bytes);
            for (size_t k = 0; k < 4; k++) {
                key[k] = (uint8_t)(size >> 8 * k);
                key[8 + k] = (uint8_t)(row >> 8 * k);
                if (array->n_dims > 1)
                    key[16 + k] = (uint8_t)(column >> 8 * k);
            }
            children[count] = add(maker, packed, size);
        }
    return count > 0 ? add_tree(maker, 1, key_bytes, count, keys, children) : UINT64_MAX;
}

/* ---- object headers --------------------------------------------------------------------------- */

static size_t begin_header(h5_maker *maker) {
    const size_t header = number(maker, 1, 2);
    zeros(maker, 14);
    return header;
}

static size_t begin_message(h5_maker *maker, unsigned type) {
    const size_t message = number(maker, type, 2);
    zeros(maker, 6);
    return message;
}

static void end_message(h5_maker *maker, size_t message) {
    pad(maker, message);
    put(maker, message + 2, maker->size - message - 8, 2);
}

static void end_header(h5_maker *maker, size_t header) {
    put(maker, header + 4, 1, 4);
    put(maker, header + 8, maker->size - header - 16, 4);
}

/* What precedes the items of the attributes: their texts. */
static void raw_attributes(h5_maker *maker, const h5_array *attributes, uint8_t **raw,
                           size_t *sizes) {
    for (size_t k = 0; attributes && attributes[k].name; k++)
        raw[k] = raw_items(maker, &attributes[k], &sizes[k]);
}

/* The later attributes are in a second block, which a continuation leads to. */
static void add_attributes(h5_maker *maker, const h5_array *attributes, uint8_t **raw,
                           const size_t *sizes, size_t *header) {
    for (size_t k = 0; attributes && attributes[k].name; k++) {
        if (k == 1) {
            const size_t message = begin_message(maker, 0x10);
            const size_t address = number(maker, 0, 8);
            number(maker, 0, 8);
            end_message(maker, message);
            end_header(maker, *header);
            put(maker, address, maker->size, 8);
            *header = address;
        }
        const size_t message = begin_message(maker, 0xc);
        const h5_array *a = &attributes[k];
        const size_t name_bytes = strlen(a->name) + 1;
        number(maker, 1, 2);
        const size_t sizes_at = number(maker, name_bytes, 2);
        number(maker, 0, 4);
        add(maker, a->name, name_bytes);
        pad(maker, message);
        size_t part = maker->size;
        add_type(maker, a->type);
        put(maker, sizes_at + 2, maker->size - part, 2);
        pad(maker, message);
        part = maker->size;
        add_space(maker, a);
        put(maker, sizes_at + 4, maker->size - part, 2);
        pad(maker, message);
        add(maker, raw[k], sizes[k]);
        free(raw[k]);
        end_message(maker, message);
        if (k > 0) /* `header` is the field of the continuation; its block grows */
            put(maker, *header + 8,
                maker->size - (size_t)maker->bytes[*header] -
                    ((size_t)maker->bytes[*header + 1] << 8) -
                    ((size_t)maker->bytes[*header + 2] << 16),
                8);
    }
}

static void add_filters(h5_maker *maker, const char *filters) {
    const size_t message = begin_message(maker, 0xb);
    number(maker, 1, 1);
    number(maker, strlen(filters), 1);
    zeros(maker, 6);
    for (; *filters; filters++) {
        number(maker,
               *filters == 'z'   ? 1u
               : *filters == 's' ? 2u
               : *filters == 'f' ? 3u
               : *filters == 'l' ? 32000u
                                 : 32001u,
               2);
        number(maker, 8, 2); /* a name */
        number(maker, 1, 2);
        number(maker, 1, 2); /* a value */
        add(maker, "filter\0", 8);
        zeros(maker, 8);
    }
    end_message(maker, message);
}

uint64_t h5_dataset(h5_maker *maker, const h5_array *array) {
    uint8_t *attributes[H5_MOST];
    size_t sizes[H5_MOST], size = 0, message = 0;
    raw_attributes(maker, array->attributes, attributes, sizes);
    uint8_t *raw = raw_items(maker, array, &size);
    const uint64_t address = array->chunk[0]     ? add_chunks(maker, array, raw)
                             : array->is_compact ? 0
                                                 : add(maker, raw, size);
    size_t header = begin_header(maker);
    const uint64_t here = header;
    message = begin_message(maker, 1);
    add_space(maker, array);
    end_message(maker, message);
    message = begin_message(maker, 3);
    add_type(maker, array->type);
    end_message(maker, message);
    message = begin_message(maker, 8);
    number(maker, 3, 1);
    number(maker, array->chunk[0] ? 2 : !array->is_compact, 1);
    if (array->chunk[0]) {
        number(maker, array->n_dims + 1, 1);
        number(maker, address, 8);
        for (size_t d = 0; d < array->n_dims; d++)
            number(maker, array->chunk[d], 4);
        number(maker, item_bytes(array->type), 4);
    } else if (array->is_compact) {
        number(maker, size, 2);
        add(maker, raw, size);
    } else {
        number(maker, address, 8);
        number(maker, size, 8);
    }
    end_message(maker, message);
    if (array->filters)
        add_filters(maker, array->filters);
    const size_t first = header;
    add_attributes(maker, array->attributes, attributes, sizes, &header);
    if (header == first)
        end_header(maker, header);
    free(raw);
    return here;
}

uint64_t h5_group(h5_maker *maker, size_t count, const char *const *names, const uint64_t *members,
                  const h5_array *attributes) {
    uint8_t *raw[H5_MOST];
    size_t sizes[H5_MOST], offsets[MOST_CHUNKS];
    raw_attributes(maker, attributes, raw, sizes);
    const size_t text = maker->size;
    zeros(maker, 8);
    for (size_t k = 0; k < count; k++)
        offsets[k] = add(maker, names[k], strlen(names[k]) + 1) - text;
    const size_t text_bytes = maker->size - text;
    const size_t heap = add(maker, "HEAP\0\0\0", 8);
    number(maker, text_bytes, 8);
    number(maker, UINT64_MAX, 8);
    number(maker, text, 8);
    const size_t most = maker->per_node ? maker->per_node : count;
    static uint8_t keys[MOST_CHUNKS * 8]; /* which the reader does not look at */
    uint64_t leaves[MOST_CHUNKS];
    size_t n_leaves = 0;
    for (size_t k = 0; k < count; n_leaves++) {
        const size_t used = count - k < most ? count - k : most;
        leaves[n_leaves] = add(maker, "SNOD\1\0", 6);
        number(maker, used, 2);
        for (const size_t end = k + used; k < end; k++) {
            number(maker, offsets[k], 8);
            number(maker, members[k], 8);
            zeros(maker, 24);
        }
    }
    const uint64_t tree = add_tree(maker, 0, 8, n_leaves, keys, leaves);
    size_t header = begin_header(maker);
    const uint64_t here = header;
    const size_t message = begin_message(maker, 0x11);
    number(maker, tree, 8);
    number(maker, heap, 8);
    end_message(maker, message);
    const size_t first = header;
    add_attributes(maker, attributes, raw, sizes, &header);
    if (header == first)
        end_header(maker, header);
    return here;
}

/* ---- files ------------------------------------------------------------------------------------ */

void h5_begin(h5_maker *maker) {
    maker->size = 0;
    add(maker, "\x89HDF\r\n\x1a\n\0\0\0\0\0\x8\x8\0\4\0\x10\0\0\0\0\0", 24);
    number(maker, 0, 8);
    number(maker, UINT64_MAX, 8);
    number(maker, 0, 8);
    number(maker, UINT64_MAX, 8);
    zeros(maker, 40);
}

void h5_end(h5_maker *maker, uint64_t root) {
    put(maker, 40, maker->size, 8);
    put(maker, 64, root, 8);
}

void h5_make_sample(h5_maker *maker) {
    static const int32_t whole[] = {-3, 0, 5, 7, 1 << 20};
    static const float table[] = {0, 1.5f, 2, 3, 4, 5, 0, 0, 0, 0, -6, 7};
    static const char *const texts[] = {"B", "", "Zo\xc3\xab", "NK"};
    static const int64_t shape[] = {3, 4};
    static const uint8_t yes[] = {1, 0, 1};
    const h5_array attributes[] = {
        {.name = "encoding-type", .type = "v", .items = (const char *const[]){"csr_matrix"}},
        {.name = "shape", .type = "i8", .n_dims = 1, .dims = {2}, .items = shape},
        {.name = "fixed", .type = "S6", .items = "abc\0\0\0"},
        {.name = NULL}};
    const h5_array arrays[] = {
        {.type = "b", .n_dims = 1, .dims = {3}, .items = yes, .is_compact = true},
        {.type = "i4", .n_dims = 1, .dims = {5}, .items = whole, .chunk = {2}, .filters = "sl"},
        {.type = "f4",
         .n_dims = 2,
         .dims = {3, 4},
         .items = table,
         .chunk = {2, 3},
         .filters = "sz"},
        {.type = "v", .n_dims = 1, .dims = {4}, .items = texts},
    };
    static const char *const names[] = {"bool", "packed", "table", "texts"};
    uint64_t members[4];
    h5_begin(maker);
    for (size_t k = 0; k < 4; k++)
        members[k] = h5_dataset(maker, &arrays[k]);
    const uint64_t group = h5_group(maker, 4, names, members, attributes);
    h5_end(maker, h5_group(maker, 1, (const char *const[]){"group"}, &group, NULL));
}

/* 4 cells, 3 genes, 7 counts, 2 types */
void h5_make_cells(h5_maker *maker, char form) {
    static const float dense[] = {1, 0, 2, 0, 0, 3, 4, 5, 0, 0, 6, 7};
    static const int32_t by_cell[] = {0, 2, 2, 0, 1, 1, 2}, cell_starts[] = {0, 2, 3, 5, 7};
    static const int32_t by_gene[] = {0, 2, 2, 3, 0, 1, 3}, gene_starts[] = {0, 2, 4, 7};
    static const float cell_counts[] = {1, 2, 3, 4, 5, 6, 7}, gene_counts[] = {1, 4, 5, 6, 2, 3, 7};
    static const int64_t shape[] = {4, 3}, turned[] = {3, 4};
    static const int8_t codes[] = {0, 1, -1, 0};
    static const char *const cells[] = {"AAAC-1", "AAAG-1", "AACT-1", "AAGG-1"};
    static const char *const genes[] = {"CD3E", "LYZ", "NKG7"};
    static const char *const types[] = {"T", "mono"};
    const h5_array frame[] = {
        {.name = "_index", .type = "v", .items = (const char *const[]){"index"}}, {.name = NULL}};
    const bool is_sparse = form != 'd', is_csc = form == 'c';
    const h5_array matrix[] = {
        {.name = "encoding-type",
         .type = "v",
         .items = (const char *const[]){is_csc ? "csc_matrix" : "csr_matrix"}},
        {.name = "shape", .type = "i8", .n_dims = 1, .dims = {2}, .items = shape},
        {.name = NULL}};
    const h5_array index = {.type = "v", .n_dims = 1, .dims = {4}, .items = cells};
    const h5_array names = {.type = "v", .n_dims = 1, .dims = {3}, .items = genes};
    const h5_array gene_ids = {.type = "S5", .n_dims = 1, .dims = {3}, .items = "ENSG1ENSG2ENSG3"};
    h5_begin(maker);
    const uint64_t cell_names = h5_dataset(maker, &index), gene_names = h5_dataset(maker, &names);
    uint64_t x = 0, parts[8];
    if (is_sparse) {
        parts[0] = h5_dataset(maker, &(h5_array){.type = "f4",
                                                 .n_dims = 1,
                                                 .dims = {7},
                                                 .items = is_csc ? gene_counts : cell_counts,
                                                 .chunk = {4},
                                                 .filters = "z"});
        parts[1] = h5_dataset(maker, &(h5_array){.type = "i4",
                                                 .n_dims = 1,
                                                 .dims = {7},
                                                 .items = is_csc ? by_gene : by_cell,
                                                 .chunk = {3}});
        parts[2] = h5_dataset(maker, &(h5_array){.type = "i4",
                                                 .n_dims = 1,
                                                 .dims = {is_csc ? 4 : 5},
                                                 .items = is_csc ? gene_starts : cell_starts});
    }
    if (form == '1' || form == '2') {
        const uint64_t about =
            h5_dataset(maker, &(h5_array){.type = "i8", .n_dims = 1, .dims = {2}, .items = turned});
        const uint64_t id = h5_dataset(maker, &gene_ids);
        if (form == '1') {
            const uint64_t all[] = {cell_names, parts[0], gene_names, id,
                                    parts[1],   parts[2], about};
            static const char *const called[] = {"barcodes", "data",   "gene_names", "genes",
                                                 "indices",  "indptr", "shape"};
            x = h5_group(maker, 7, called, all, NULL);
        } else {
            const uint64_t of_genes[] = {id, gene_names};
            const uint64_t features =
                h5_group(maker, 2, (const char *const[]){"id", "name"}, of_genes, NULL);
            const uint64_t all[] = {cell_names, parts[0], features, parts[1], parts[2], about};
            static const char *const called[] = {"barcodes", "data",   "features",
                                                 "indices",  "indptr", "shape"};
            x = h5_group(maker, 6, called, all, NULL);
        }
        h5_end(maker, h5_group(maker, 1, (const char *const[]){form == '1' ? "hg19" : "matrix"}, &x,
                               NULL));
        return;
    }
    x = is_sparse
            ? h5_group(maker, 3, (const char *const[]){"data", "indices", "indptr"}, parts, matrix)
            : h5_dataset(maker, &(h5_array){.type = "f4",
                                            .n_dims = 2,
                                            .dims = {4, 3},
                                            .items = dense,
                                            .chunk = {3, 2},
                                            .filters = "sz"});
    const uint64_t type_parts[] = {
        h5_dataset(maker, &(h5_array){.type = "v", .n_dims = 1, .dims = {2}, .items = types}),
        h5_dataset(maker, &(h5_array){.type = "i1", .n_dims = 1, .dims = {4}, .items = codes})};
    const uint64_t type =
        h5_group(maker, 2, (const char *const[]){"categories", "codes"}, type_parts, NULL);
    const uint64_t obs_parts[] = {type, cell_names}, var_parts[] = {gene_names};
    const uint64_t obs =
        h5_group(maker, 2, (const char *const[]){"cell_type", "index"}, obs_parts, frame);
    const uint64_t var = h5_group(maker, 1, (const char *const[]){"index"}, var_parts, frame);
    const uint64_t all[] = {x, obs, var};
    h5_end(maker, h5_group(maker, 3, (const char *const[]){"X", "obs", "var"}, all, NULL));
}
