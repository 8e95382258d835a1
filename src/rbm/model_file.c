/* model_file.c - RBMs in .npz files
 *
 * SPDX-License-Identifier: MIT
 *
 * W (N, p), b (N), c (p), beta, and where known xi (N, m), labels (m) and R (p, m), the encoding of
 * the data (data/encoding.c), meta.json.
 * Files with the same arrays written by NumPy can be read too, with any numeric type and either
 * order. b and c may be missing and are then zero; beta is required, since it has no usual value.
 */
#include "rbm/rbm.h"

#include <math.h>

#include "base/memory.h"
#include "io/meta.h"

/* ---- writing ---------------------------------------------------------------------------------- */

static isg_status write_rest(const isg_rbm *rbm, const char *kind, uint64_t seed,
                             const char *command, isg_npz_writer *writer) {
    const isg_meta meta = {.kind = kind,
                           .seed = seed,
                           .command = command,
                           .image_height = rbm->info.image_height,
                           .image_width = rbm->info.image_width};
    ISG_TRY(isg_npz_writer_add_doubles(writer, "beta", &rbm->info.beta, 0, 0, 0));
    if (rbm->patterns)
        ISG_TRY(isg_patterns_write(rbm->patterns, writer));
    if (rbm->r)
        ISG_TRY(
            isg_npz_writer_add_doubles(writer, "R", rbm->r, 2, rbm->info.n_hidden, rbm->r_cols));
    ISG_TRY(isg_encoding_write(rbm->encoding, writer));
    return isg_meta_write(&meta, writer);
}

isg_status isg_rbm_write_rest(const isg_rbm *rbm, uint64_t seed, const char *command,
                              isg_npz_writer *writer) {
    return write_rest(rbm, "model", seed, command, writer);
}

isg_status isg_rbm_write(const isg_rbm *rbm, const char *kind, uint64_t seed, const char *command,
                         isg_npz_writer *writer) {
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden;
    ISG_TRY(isg_npz_writer_add_doubles(writer, "W", rbm->weights, 2, n, p));
    ISG_TRY(isg_npz_writer_add_doubles(writer, "b", rbm->b, 1, n, 0));
    ISG_TRY(isg_npz_writer_add_doubles(writer, "c", rbm->c, 1, p, 0));
    return write_rest(rbm, kind, seed, command, writer);
}

isg_status isg_rbm_save(const isg_rbm *rbm, const char *path, uint64_t seed, const char *command) {
    isg_npz_writer *writer = NULL;
    ISG_TRY(isg_npz_writer_create(&writer, path));
    return isg_npz_writer_end(writer, isg_rbm_write(rbm, "model", seed, command, writer), NULL,
                              NULL);
}

isg_status isg_rbm_to_bytes(const isg_rbm *rbm, uint64_t seed, const char *command, void **bytes,
                            size_t *size) {
    isg_npz_writer *writer = NULL;
    ISG_TRY(isg_npz_writer_create(&writer, NULL));
    return isg_npz_writer_end(writer, isg_rbm_write(rbm, "model", seed, command, writer), bytes,
                              size);
}

/* ---- reading ---------------------------------------------------------------------------------- */

static isg_status check_finite(const char *file, const char *name, const isg_array_type *type,
                               const double *numbers) {
    const size_t count = isg_array_count(type), cols = type->n_dims == 2 ? type->dims[1] : 1;
    for (size_t k = 0; k < count; k++)
        if (!isfinite(numbers[k])) {
            const char *found = isnan(numbers[k]) ? "nan" : numbers[k] > 0 ? "inf" : "-inf";
            if (type->n_dims == 2)
                return isg_fail(ISG_ERR_FORMAT,
                                "%s: %s, row %zu, column %zu: expected a finite number, found %s",
                                file, name, k / cols + 1, k % cols + 1, found);
            return isg_fail(ISG_ERR_FORMAT,
                            "%s: %s, number %zu: expected a finite number, found %s", file, name,
                            k + 1, found);
        }
    return ISG_OK;
}

/* All numbers of an array of one or two dimensions, finite. */
static isg_status read_array(double **out, isg_array_type *type, isg_zip *zip, const char *name) {
    double *numbers = NULL;
    ISG_TRY(isg_npz_read_doubles(zip, name, type, &numbers));
    const isg_status status = check_finite(isg_zip_file_name(zip), name, type, numbers);
    if (status == ISG_OK)
        *out = numbers;
    else
        isg_release(numbers);
    return status;
}

static isg_status read_beta(double *out, isg_zip *zip) {
    const char *file = isg_zip_file_name(zip);
    isg_array_type type;
    double *beta = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(read_array(&beta, &type, zip, "beta"));
    if (isg_array_count(&type) != 1)
        status = isg_fail(ISG_ERR_FORMAT, "%s: beta: expected one number, found %zu", file,
                          isg_array_count(&type));
    else if (!isg_is_beta(*beta))
        status = isg_fail(ISG_ERR_FORMAT, "%s: beta: expected a number from %g to %g, found %g",
                          file, ISG_LEAST_BETA, ISG_MOST_BETA, *beta);
    else
        *out = *beta;
    isg_release(beta);
    return status;
}

/* Replaces the zeros of a field, if the file has it. */
static isg_status read_field(double **field, size_t size, isg_zip *zip, const char *name) {
    isg_array_type type;
    double *found = NULL;
    if (!isg_npz_has(zip, name))
        return ISG_OK;
    ISG_TRY(read_array(&found, &type, zip, name));
    if (type.n_dims != 1 || type.dims[0] != size) {
        const size_t count = isg_array_count(&type);
        isg_release(found);
        return isg_fail(ISG_ERR_SHAPE,
                        "%s: %s: expected %zu numbers in one dimension, found %zu in %zu",
                        isg_zip_file_name(zip), name, size, count, type.n_dims);
    }
    isg_release(*field);
    *field = found;
    return ISG_OK;
}

static isg_status read_patterns(isg_rbm *rbm, isg_zip *zip) {
    if (!isg_npz_has(zip, "xi"))
        return ISG_OK;
    ISG_TRY(isg_patterns_read(&rbm->patterns, zip));
    if (rbm->patterns->info.n_visible != rbm->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "%s: xi: expected %zu rows, as W has, found %zu",
                        isg_zip_file_name(zip), rbm->info.n_visible, rbm->patterns->info.n_visible);
    return ISG_OK;
}

static isg_status read_coefficients(isg_rbm *rbm, isg_zip *zip) {
    const char *file = isg_zip_file_name(zip);
    isg_array_type type;
    if (!isg_npz_has(zip, "R"))
        return ISG_OK;
    ISG_TRY(read_array(&rbm->r, &type, zip, "R"));
    if (type.n_dims != 2 || type.dims[1] == 0)
        return isg_fail(ISG_ERR_SHAPE, "%s: R: expected hidden units x patterns", file);
    rbm->r_cols = type.dims[1];
    if (type.dims[0] != rbm->info.n_hidden)
        return isg_fail(ISG_ERR_SHAPE, "%s: R: expected %zu rows, a row per column of W, found %zu",
                        file, rbm->info.n_hidden, type.dims[0]);
    if (rbm->patterns && rbm->patterns->info.n_patterns != rbm->r_cols)
        return isg_fail(ISG_ERR_SHAPE, "%s: R: expected %zu columns, as xi has, found %zu", file,
                        rbm->patterns->info.n_patterns, rbm->r_cols);
    return ISG_OK;
}

static isg_status read_shape(isg_rbm *rbm, isg_zip *zip) {
    isg_meta meta;
    ISG_TRY(isg_meta_read(&meta, zip));
    isg_meta_take_shape(&meta, rbm->info.n_visible, &rbm->info.image_height,
                        &rbm->info.image_width);
    return ISG_OK;
}

static isg_status check_shape(const isg_array_type *type, isg_zip *zip) {
    const char *file = isg_zip_file_name(zip);
    if (type->n_dims != 2)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: W: expected visible units x hidden units, found %zu dimension%s", file,
                        type->n_dims, type->n_dims == 1 ? "" : "s");
    if (type->dims[0] == 0 || type->dims[1] == 0)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: W: expected visible units x hidden units, found %zu x %zu", file,
                        type->dims[0], type->dims[1]);
    return ISG_OK;
}

/* Patterns are an easy mistake: they are in files of the same kind. */
static isg_status check_kind(isg_zip *zip) {
    if (!isg_npz_has(zip, "W") && isg_npz_has(zip, "xi"))
        return isg_fail(
            ISG_ERR_FORMAT,
            "%s: expected an array \"W\" of an RBM, found patterns, of which 'isinglass "
            "map' makes one",
            isg_zip_file_name(zip));
    return ISG_OK;
}

/* An RBM that takes ownership of these weights, even on failure. */
static isg_status take_weights(isg_rbm **out, double *weights, const isg_array_type *type,
                               isg_zip *zip) {
    double beta = 0;
    isg_rbm *rbm = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(check_shape(type, zip));
    ISG_TRY_GOTO(read_beta(&beta, zip));
    ISG_TRY_GOTO(isg_rbm_create(&rbm, type->dims[0], type->dims[1], beta));
    isg_release(rbm->weights);
    rbm->weights = weights;
    *out = rbm;
    return ISG_OK;
done:
    isg_release(weights);
    return status;
}

isg_status isg_rbm_read(isg_rbm **out, isg_zip *zip) {
    double *weights = NULL;
    isg_array_type type;
    isg_rbm *rbm = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(check_kind(zip));
    ISG_TRY(read_array(&weights, &type, zip, "W"));
    ISG_TRY(take_weights(&rbm, weights, &type, zip));
    ISG_TRY_GOTO(read_field(&rbm->b, rbm->info.n_visible, zip, "b"));
    ISG_TRY_GOTO(read_field(&rbm->c, rbm->info.n_hidden, zip, "c"));
    ISG_TRY_GOTO(read_patterns(rbm, zip));
    ISG_TRY_GOTO(read_coefficients(rbm, zip));
    ISG_TRY_GOTO(read_shape(rbm, zip));
    ISG_TRY_GOTO(isg_encoding_read(&rbm->encoding, zip, rbm->info.n_visible));
    *out = rbm;
    rbm = NULL;
done:
    isg_rbm_free(rbm);
    return status;
}

static isg_status read_and_close(isg_rbm **out, isg_zip *zip) {
    const isg_status status = isg_rbm_read(out, zip);
    isg_zip_close(zip);
    return status;
}

isg_status isg_rbm_load(isg_rbm **out, const char *path) {
    isg_zip *zip = NULL;
    ISG_TRY(isg_zip_open_path(&zip, path));
    return read_and_close(out, zip);
}

isg_status isg_rbm_from_bytes(isg_rbm **out, const char *name, const void *bytes, size_t size) {
    isg_zip *zip = NULL;
    ISG_TRY(isg_zip_open_bytes(&zip, name, bytes, size));
    return read_and_close(out, zip);
}
