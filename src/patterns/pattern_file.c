/* pattern_file.c - patterns in .npz and .npy files
 *
 * SPDX-License-Identifier: MIT
 *
 * xi (N, p) as int8, labels (p) as whole numbers or text, meta.json. Files with the same arrays
 * written by NumPy can be read too, and xi alone as .npy.
 */
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/data.h"
#include "io/meta.h"
#include "patterns/patterns.h"

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

isg_status isg_labels_write(const isg_labels *labels, isg_npz_writer *writer, const char *name) {
    if (labels->count == 0)
        return ISG_OK;
    bool are_whole = true;
    size_t longest = 1;
    for (size_t c = 0; c < labels->n_classes; c++) {
        are_whole = are_whole && is_whole(labels->names[c]);
        const size_t length = strlen(labels->names[c]);
        longest = length > longest ? length : longest;
    }
    isg_status status = ISG_OK;
    int64_t *numbers = NULL;
    uint32_t *texts = NULL;
    isg_array_type type = isg_array_type_of(ISG_INT64, 1, &labels->count);
    if (are_whole) {
        ISG_TRY_GOTO(ISG_ALLOCATE(numbers, labels->count));
        for (size_t k = 0; k < labels->count; k++)
            numbers[k] = whole_of(labels->names[labels->index[k]]);
    } else {
        type.dtype = ISG_UNICODE;
        type.item_bytes = longest * sizeof *texts;
        texts = isg_allocate(labels->count, type.item_bytes);
        if (!texts)
            return ISG_ERR_MEMORY;
        for (size_t k = 0; k < labels->count; k++)
            decode_utf8(labels->names[labels->index[k]], texts + k * longest);
    }
    status = isg_npz_writer_add_array(writer, name, &type, numbers ? (void *)numbers : texts);
done:
    isg_release(numbers);
    isg_release(texts);
    return status;
}

isg_status isg_patterns_write(const isg_patterns *patterns, isg_npz_writer *writer) {
    const size_t n = patterns->info.n_visible, p = patterns->info.n_patterns;
    const isg_array_type type = isg_array_type_of(ISG_INT8, 2, (const size_t[]){n, p});
    int8_t *xi = isg_allocate(n, p);
    if (!xi)
        return ISG_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        for (size_t mu = 0; mu < p; mu++)
            xi[i * p + mu] = (int8_t)isg_spin(isg_patterns_spins(patterns, mu), i);
    isg_status status = isg_npz_writer_add_array(writer, "xi", &type, xi);
    if (status == ISG_OK)
        status = isg_labels_write(&patterns->labels, writer, "labels");
    isg_release(xi);
    return status;
}

isg_status isg_patterns_save(const isg_patterns *patterns, const char *path, uint64_t seed,
                             const char *command) {
    const isg_meta meta = {.kind = "patterns",
                           .seed = seed,
                           .command = command,
                           .image_height = patterns->info.image_height,
                           .image_width = patterns->info.image_width};
    isg_npz_writer *writer = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_writer_create(&writer, path));
    ISG_TRY_GOTO(isg_patterns_write(patterns, writer));
    ISG_TRY_GOTO(isg_meta_write(&meta, writer));
    ISG_TRY_GOTO(isg_npz_writer_commit(writer));
done:
    isg_npz_writer_free(writer);
    return status;
}

/* ---- reading ---------------------------------------------------------------------------------- */

static isg_status read_labels(isg_patterns *patterns, isg_zip *zip) {
    if (!isg_npz_has(zip, "labels"))
        return ISG_OK;
    ISG_TRY(isg_labels_read_member(&patterns->labels, zip, "labels"));
    if (patterns->labels.count != patterns->info.n_patterns)
        return isg_fail(ISG_ERR_SHAPE, "%s: has %zu patterns, but %zu labels%s",
                        isg_zip_file_name(zip), patterns->info.n_patterns, patterns->labels.count,
                        patterns->labels.count == patterns->info.n_visible
                            ? "; xi is units x patterns: if it is transposed, save xi.T"
                            : "");
    ISG_TRY(isg_labels_finish(&patterns->labels));
    patterns->info.has_labels = true;
    return ISG_OK;
}

static isg_status read_shape(isg_patterns *patterns, isg_zip *zip) {
    isg_meta meta;
    ISG_TRY(isg_meta_read(&meta, zip));
    isg_meta_take_shape(&meta, patterns->info.n_visible, &patterns->info.image_height,
                        &patterns->info.image_width);
    return ISG_OK;
}

/* Spins as -1 and +1, or as 0 and 1 (bool among them); a file that mixes the two is refused. */
static isg_status take_xi(isg_patterns **out, const char *name, const isg_array_type *type,
                          const int64_t *xi) {
    if (type->n_dims != 2 || type->dims[0] == 0 || type->dims[1] == 0)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: xi: expected units x patterns, found %zu numbers in %zu dimensions",
                        name, isg_array_count(type), type->n_dims);
    const size_t n = type->dims[0], p = type->dims[1];
    bool has_minus = false;
    for (size_t k = 0; k < n * p; k++)
        has_minus = has_minus || xi[k] == -1;
    const int64_t low = has_minus ? -1 : 0;
    for (size_t k = 0; k < n * p; k++)
        if (xi[k] != 1 && xi[k] != low)
            return isg_fail(
                ISG_ERR_FORMAT, "%s: xi, row %zu, column %zu: expected +1 or %s, found %lld", name,
                k / p + 1, k % p + 1, has_minus ? "-1" : "-1 (or 1 or 0)", (long long)xi[k]);
    isg_patterns *patterns = NULL;
    ISG_TRY(isg_patterns_allocate(&patterns, n, p));
    for (size_t i = 0; i < n; i++)
        for (size_t mu = 0; mu < p; mu++)
            isg_bit_assign(isg_patterns_spins(patterns, mu), i, xi[i * p + mu] > 0);
    *out = patterns;
    return ISG_OK;
}

isg_status isg_patterns_read(isg_patterns **out, isg_zip *zip) {
    int64_t *xi = NULL;
    isg_array_type type;
    isg_patterns *patterns = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_read_whole(zip, "xi", &type, &xi));
    ISG_TRY_GOTO(take_xi(&patterns, isg_zip_file_name(zip), &type, xi));
    ISG_TRY_GOTO(read_labels(patterns, zip));
    ISG_TRY_GOTO(read_shape(patterns, zip));
    *out = patterns;
    patterns = NULL;
done:
    isg_patterns_free(patterns);
    isg_release(xi);
    return status;
}

/* A plain array: xi without labels. */
static isg_status read_npy(isg_patterns **out, isg_file *file) {
    isg_source *source = NULL;
    int64_t *xi = NULL;
    isg_array_type type;
    isg_status status = ISG_OK;
    ISG_TRY(isg_source_create(&source, file, ISG_PLAIN, 0, isg_file_size(file)));
    ISG_TRY_GOTO(isg_npy_read_whole(source, &type, &xi));
    status = take_xi(out, isg_file_name(file), &type, xi);
done:
    isg_release(xi);
    isg_source_free(source);
    return status;
}

static isg_status read_npz(isg_patterns **out, isg_file *file) {
    isg_zip *zip = NULL;
    ISG_TRY(isg_zip_open(&zip, file));
    const isg_status status = isg_patterns_read(out, zip);
    isg_zip_close(zip);
    return status;
}

isg_status isg_patterns_load(isg_patterns **out, const char *path) {
    const size_t length = strlen(path);
    isg_file *file = NULL;
    ISG_TRY(isg_file_open(&file, path));
    const bool is_npy = length > 4 && isg_same_letters(path + length - 4, ".npy", 4);
    const isg_status status = is_npy ? read_npy(out, file) : read_npz(out, file);
    isg_file_close(file);
    return status;
}
