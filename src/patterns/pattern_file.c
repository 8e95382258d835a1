/* pattern_file.c - patterns in .npz and .npy files
 *
 * SPDX-License-Identifier: MIT
 *
 * xi (N, p) as int8, labels (p) as whole numbers or text, the encoding (encoding.c), meta.json.
 * Files with the same arrays written by NumPy can be read too, and xi alone as .npy.
 */
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/data.h"
#include "io/meta.h"
#include "patterns/patterns.h"

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

static isg_status write_all(const isg_patterns *patterns, uint64_t seed, const char *command,
                            isg_npz_writer *writer) {
    const isg_meta meta = {.kind = "patterns",
                           .seed = seed,
                           .command = command,
                           .image_height = patterns->info.image_height,
                           .image_width = patterns->info.image_width};
    ISG_TRY(isg_patterns_write(patterns, writer));
    ISG_TRY(isg_encoding_write(patterns->encoding, writer));
    return isg_meta_write(&meta, writer);
}

isg_status isg_patterns_save(const isg_patterns *patterns, const char *path, uint64_t seed,
                             const char *command) {
    isg_npz_writer *writer = NULL;
    ISG_TRY(isg_npz_writer_create(&writer, path));
    return isg_npz_writer_end(writer, write_all(patterns, seed, command, writer), NULL, NULL);
}

isg_status isg_patterns_to_bytes(const isg_patterns *patterns, uint64_t seed, const char *command,
                                 void **bytes, size_t *size) {
    isg_npz_writer *writer = NULL;
    ISG_TRY(isg_npz_writer_create(&writer, NULL));
    return isg_npz_writer_end(writer, write_all(patterns, seed, command, writer), bytes, size);
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

/* Spins as -1 and +1, or as 0 and 1 (bool among them); a file that mixes the two is refused, and so
   is one of nothing but zeros, which stands for no patterns at all. */
static isg_status take_xi(isg_patterns **out, const char *name, const isg_array_type *type,
                          const int64_t *xi) {
    if (type->n_dims != 2 || type->dims[0] == 0 || type->dims[1] == 0)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: xi: expected units x patterns, found %zu numbers in %zu dimensions",
                        name, isg_array_count(type), type->n_dims);
    const size_t n = type->dims[0], p = type->dims[1];
    bool has_minus = false, has_one = false;
    for (size_t k = 0; k < n * p; k++) {
        has_minus = has_minus || xi[k] == -1;
        has_one = has_one || xi[k] == 1;
    }
    const int64_t low = has_minus || !has_one ? -1 : 0;
    for (size_t k = 0; k < n * p; k++)
        if (xi[k] != 1 && xi[k] != low)
            return isg_fail(ISG_ERR_FORMAT,
                            "%s: xi, row %zu, column %zu: expected +1 or -1, found %lld%s", name,
                            k / p + 1, k % p + 1, (long long)xi[k],
                            xi[k] ? "" : "; 0 stands for -1 only where there is no -1");
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
    ISG_TRY_GOTO(isg_encoding_read(&patterns->encoding, zip, type.dims[0]));
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

isg_status isg_patterns_from_bytes(isg_patterns **out, const char *name, const void *bytes,
                                   size_t size) {
    isg_file *file = NULL;
    ISG_TRY(isg_file_from_memory(&file, name ? name : "bytes", bytes, size));
    const isg_status status = read_npz(out, file);
    isg_file_close(file);
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
