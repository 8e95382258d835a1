/* deep_file.c - deep models in .npz files
 *
 * SPDX-License-Identifier: MIT
 *
 * All that a model file has (see rbm/model_file.c), and classes (n_classes), shares (n_parts), means
 * (n_parts, p), covariances (n_parts, p, p), where every class has as many parts, one after another; top (3): the beta of the RBM it was fitted on, how much
 * the covariances are shrunk, and toward what. Files with the same arrays written by NumPy can be read
 * too.
 */
#include <math.h>

#include "base/memory.h"
#include "deep/deep.h"
#include "io/meta.h"

/* ---- writing ---------------------------------------------------------------------------------- */

static isg_status write_all(const isg_deep_model *model, uint64_t seed, const char *command,
                            isg_npz_writer *writer) {
    const size_t p = model->rbm->info.n_hidden, n_parts = model->n_parts;
    const isg_array_type cube = isg_array_type_of(ISG_FLOAT64, 3, (const size_t[]){n_parts, p, p});
    const double top[] = {model->rbm_beta, model->shrinkage, (double)model->toward};
    ISG_TRY(isg_labels_write(&model->classes, writer, "classes"));
    ISG_TRY(isg_npz_writer_add_doubles(writer, "shares", model->shares, 1, n_parts, 0));
    ISG_TRY(isg_npz_writer_add_doubles(writer, "means", model->means, 2, n_parts, p));
    ISG_TRY(isg_npz_writer_add_array(writer, "covariances", &cube, model->covariances));
    ISG_TRY(isg_npz_writer_add_doubles(writer, "top", top, 1, 3, 0));
    return isg_rbm_write(model->rbm, "deep", seed, command, writer);
}

isg_status isg_deep_model_save(const isg_deep_model *model, const char *path, uint64_t seed,
                               const char *command) {
    isg_npz_writer *writer = NULL;
    ISG_TRY(isg_npz_writer_create(&writer, path));
    return isg_npz_writer_end(writer, write_all(model, seed, command, writer), NULL, NULL);
}

isg_status isg_deep_model_to_bytes(const isg_deep_model *model, uint64_t seed, const char *command,
                                   void **bytes, size_t *size) {
    isg_npz_writer *writer = NULL;
    ISG_TRY(isg_npz_writer_create(&writer, NULL));
    return isg_npz_writer_end(writer, write_all(model, seed, command, writer), bytes, size);
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* Replaces an array by that of the file, of this shape. */
static isg_status read_array(double **array, isg_zip *zip, const char *name, size_t n_dims,
                             const size_t *dims) {
    double *found = NULL;
    ISG_TRY(isg_npz_read_shape(zip, name, n_dims, dims, &found));
    isg_release(*array);
    *array = found;
    return ISG_OK;
}

static isg_status check_shares(const isg_deep_model *model, const char *file) {
    double sum = 0;
    for (size_t k = 0; k < model->n_parts; k++) {
        if (!(model->shares[k] > 0))
            return isg_fail(ISG_ERR_FORMAT, "%s: shares, number %zu: expected a positive number",
                            file, k + 1);
        sum += model->shares[k];
    }
    return fabs(sum - 1) < 1e-9
               ? ISG_OK
               : isg_fail(ISG_ERR_FORMAT, "%s: shares: expected a sum of 1, found %g", file, sum);
}

static isg_status check_symmetry(const isg_deep_model *model, const char *file) {
    const size_t p = model->rbm->info.n_hidden;
    for (size_t k = 0; k < model->n_parts; k++)
        for (size_t i = 0; i < p; i++)
            for (size_t j = 0; j < i; j++) {
                const double *matrix = model->covariances + k * p * p;
                const double above = matrix[j * p + i], below = matrix[i * p + j];
                if (fabs(above - below) > 1e-9 * (fabs(above) + fabs(below)))
                    return isg_fail(ISG_ERR_FORMAT,
                                    "%s: covariances: expected symmetric matrices, but that of "
                                    "class '%s' is not",
                                    file, model->classes.names[k / model->parts]);
            }
    return ISG_OK;
}

static isg_status read_top(isg_deep_model *model, isg_zip *zip) {
    const char *file = isg_zip_file_name(zip);
    double *top = NULL;
    ISG_TRY(isg_npz_read_shape(zip, "top", 1, (const size_t[]){3}, &top));
    const double beta = top[0], shrinkage = top[1], toward = top[2];
    isg_release(top);
    if (!isg_is_beta(beta) || !(shrinkage >= 0 && shrinkage <= 1) || (toward != 0 && toward != 1))
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: top: expected a beta, a shrinkage from 0 to 1, and 0 or 1, found "
                        "%g, %g and %g",
                        file, beta, shrinkage, toward);
    model->rbm_beta = beta;
    model->shrinkage = shrinkage;
    model->toward = toward == 1 ? ISG_SHRINK_DIAGONAL : ISG_SHRINK_POOLED;
    return ISG_OK;
}

static isg_status read_moments(isg_deep_model *model, isg_zip *zip) {
    const char *file = isg_zip_file_name(zip);
    const size_t p = model->rbm->info.n_hidden, dims[] = {model->n_parts, p, p};
    ISG_TRY(read_array(&model->shares, zip, "shares", 1, dims));
    ISG_TRY(check_shares(model, file));
    ISG_TRY(read_array(&model->means, zip, "means", 2, dims));
    ISG_TRY(read_array(&model->covariances, zip, "covariances", 3, dims));
    ISG_TRY(check_symmetry(model, file));
    ISG_TRY(read_top(model, zip));
    const isg_status status = isg_deep_model_prepare(model);
    return status == ISG_ERR_ARGUMENT || status == ISG_ERR_DIVERGED
               ? isg_fail(ISG_ERR_FORMAT, "%s: covariances: %s", file, isg_error_message())
               : status;
}

/* What the numbers of the file are checked against first, before room is made for any of them. */
static isg_status check_covariances(isg_zip *zip, size_t n_classes, size_t p, size_t *parts) {
    isg_source *source = NULL;
    isg_array_type type;
    ISG_TRY(isg_npz_open(&source, &type, zip, "covariances"));
    isg_source_free(source);
    *parts = type.dims[0] / n_classes;
    return type.n_dims == 3 && *parts > 0 && type.dims[0] == n_classes * *parts &&
                   type.dims[1] == p && type.dims[2] == p
               ? ISG_OK
               : isg_fail(ISG_ERR_SHAPE,
                          "%s: covariances: expected %zu x %zu x %zu numbers, or as many for every "
                          "class",
                          isg_zip_file_name(zip), n_classes, p, p);
}

isg_status isg_deep_model_read(isg_deep_model **out, isg_zip *zip) {
    const char *file = isg_zip_file_name(zip);
    isg_deep_model *made = NULL;
    isg_labels classes = {0};
    isg_rbm *rbm = NULL;
    size_t parts = 0;
    isg_status status = ISG_OK;
    if (isg_npz_has(zip, "coefficients"))
        return isg_fail(ISG_ERR_FORMAT, "%s: a classifier, not an RBM with a top layer", file);
    if (isg_npz_has(zip, "W") && !isg_npz_has(zip, "covariances"))
        return isg_fail(ISG_ERR_FORMAT, "%s: an RBM without a top layer", file);
    ISG_TRY_GOTO(isg_rbm_read(&rbm, zip));
    ISG_TRY_GOTO(isg_classes_read(&classes, zip, 1));
    ISG_TRY_GOTO(check_covariances(zip, classes.n_classes, rbm->info.n_hidden, &parts));
    ISG_TRY_GOTO(isg_deep_model_create(&made, rbm, classes.n_classes, parts));
    made->classes = classes;
    classes = (isg_labels){0};
    ISG_TRY_GOTO(read_moments(made, zip));
    *out = made;
    made = NULL;
done:
    isg_labels_clear(&classes);
    isg_rbm_free(rbm);
    isg_deep_model_free(made);
    return status;
}

static isg_status read_and_close(isg_deep_model **out, isg_zip *zip) {
    const isg_status status = isg_deep_model_read(out, zip);
    isg_zip_close(zip);
    return status;
}

isg_status isg_deep_model_load(isg_deep_model **out, const char *path) {
    isg_zip *zip = NULL;
    ISG_TRY(isg_zip_open_path(&zip, path));
    return read_and_close(out, zip);
}

isg_status isg_deep_model_from_bytes(isg_deep_model **out, const char *name, const void *bytes,
                                     size_t size) {
    isg_zip *zip = NULL;
    ISG_TRY(isg_zip_open_bytes(&zip, name, bytes, size));
    return read_and_close(out, zip);
}
