/* pattern_file.c - patterns in .npz files
 *
 * SPDX-License-Identifier: MIT
 *
 * xi (N, p) as int8, labels (p) as whole numbers or text, the encoding (encoding.c), meta.json. Files with the same arrays
 * written by NumPy can be read too.
 */
#include <string.h>

#include "base/memory.h"
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
    ISG_TRY_GOTO(isg_encoding_write(patterns->encoding, writer));
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
        return isg_fail(ISG_ERR_SHAPE, "%s: has %zu patterns, but %zu labels",
                        isg_zip_file_name(zip), patterns->info.n_patterns, patterns->labels.count);
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

isg_status isg_patterns_read(isg_patterns **out, isg_zip *zip) {
    const char *name = isg_zip_file_name(zip);
    int64_t *xi = NULL;
    isg_array_type type;
    isg_patterns *patterns = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_read_whole(zip, "xi", &type, &xi));
    if (type.n_dims != 2 || type.dims[0] == 0 || type.dims[1] == 0)
        ISG_TRY_GOTO(
            isg_fail(ISG_ERR_FORMAT,
                     "%s: xi: expected units x patterns, found %zu numbers in %zu dimensions", name,
                     isg_array_count(&type), type.n_dims));
    const size_t n = type.dims[0], p = type.dims[1];
    ISG_TRY_GOTO(isg_patterns_allocate(&patterns, n, p));
    for (size_t i = 0; i < n; i++)
        for (size_t mu = 0; mu < p; mu++) {
            const int64_t spin = xi[i * p + mu];
            if (spin != 1 && spin != -1)
                ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT,
                                      "%s: xi, row %zu, column %zu: expected +1 or -1, found %lld",
                                      name, i + 1, mu + 1, (long long)spin));
            isg_bit_assign(isg_patterns_spins(patterns, mu), i, spin > 0);
        }
    ISG_TRY_GOTO(read_labels(patterns, zip));
    ISG_TRY_GOTO(read_shape(patterns, zip));
    ISG_TRY_GOTO(isg_encoding_read(&patterns->encoding, zip, n));
    *out = patterns;
    patterns = NULL;
done:
    isg_patterns_free(patterns);
    isg_release(xi);
    return status;
}

isg_status isg_patterns_load(isg_patterns **out, const char *path) {
    isg_zip *zip = NULL;
    ISG_TRY(isg_zip_open_path(&zip, path));
    const isg_status status = isg_patterns_read(out, zip);
    isg_zip_close(zip);
    return status;
}
