/* classifier_file.c - classifiers in .npz files
 *
 * SPDX-License-Identifier: MIT
 *
 * W (N, p) of all RBMs side by side, hidden (n_rbms), the columns of each, b (n_rbms, N), c (p), beta (n_rbms),
 * is_hidden (1), 1 if the features are the hidden units, 2 if they are the squares of these and 0 if
 * they are energies; classes (n_classes), means, scales (n_features), coefficients (n_classes, n_features), intercepts
 * (n_classes), the encoding of the data (data/encoding.c), tuning.json (tuned_record.c), meta.json. Files with the same arrays written by NumPy can be read too; b, c and
 * beta, which only missing values need, may be left out and are then zero, or unknown.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "classify/classify.h"
#include "data/data.h"
#include "io/meta.h"
#include "patterns/patterns.h"

/* What is_hidden is for each isg_features. */
static const int64_t kinds_in_files[] = {
    [ISG_FEATURES_ENERGY] = 0, [ISG_FEATURES_HIDDEN] = 1, [ISG_FEATURES_SQUARES] = 2};

/* ---- writing ---------------------------------------------------------------------------------- */

static isg_status write_whole(isg_npz_writer *writer, const char *name, const int64_t *numbers,
                              size_t count) {
    const isg_array_type type = isg_array_type_of(ISG_INT64, 1, &count);
    return isg_npz_writer_add_array(writer, name, &type, numbers);
}

static isg_status write_sizes(const isg_feature_map *map, isg_npz_writer *writer) {
    int64_t *sizes = NULL;
    ISG_TRY(ISG_ALLOCATE(sizes, map->n_rbms));
    for (size_t k = 0; k < map->n_rbms; k++)
        sizes[k] = (int64_t)(map->starts[k + 1] - map->starts[k]);
    const isg_status status = write_whole(writer, "hidden", sizes, map->n_rbms);
    isg_release(sizes);
    return status;
}

static isg_status write_map(const isg_feature_map *map, isg_npz_writer *writer) {
    const int64_t is_hidden = kinds_in_files[map->kind];
    ISG_TRY(write_sizes(map, writer));
    ISG_TRY(write_whole(writer, "is_hidden", &is_hidden, 1));
    ISG_TRY(
        isg_npz_writer_add_doubles(writer, "W", map->weights, 2, map->n_visible, map->n_hidden));
    ISG_TRY(isg_npz_writer_add_doubles(writer, "b", map->b, 2, map->n_rbms, map->n_visible));
    if (map->betas[0] > 0)
        ISG_TRY(isg_npz_writer_add_doubles(writer, "beta", map->betas, 1, map->n_rbms, 0));
    return isg_npz_writer_add_doubles(writer, "c", map->c, 1, map->n_hidden, 0);
}

static isg_status write_logistic(const isg_logistic *model, isg_npz_writer *writer) {
    const size_t k = model->n_classes, n = model->n_features;
    ISG_TRY(isg_npz_writer_add_doubles(writer, "means", model->means, 1, n, 0));
    ISG_TRY(isg_npz_writer_add_doubles(writer, "scales", model->scales, 1, n, 0));
    ISG_TRY(isg_npz_writer_add_doubles(writer, "coefficients", model->coefficients, 2, k, n));
    return isg_npz_writer_add_doubles(writer, "intercepts", model->intercepts, 1, k, 0);
}

isg_status isg_classifier_write(const isg_classifier *classifier, uint64_t seed,
                                const char *command, isg_npz_writer *writer) {
    const isg_meta meta = {.kind = "classifier",
                           .seed = seed,
                           .command = command,
                           .image_height = classifier->image_height,
                           .image_width = classifier->image_width};
    ISG_TRY(write_map(&classifier->map, writer));
    ISG_TRY(isg_labels_write(&classifier->classes, writer, "classes"));
    ISG_TRY(write_logistic(classifier->logistic, writer));
    ISG_TRY(isg_encoding_write(classifier->encoding, writer));
    ISG_TRY(isg_tuned_write(classifier, writer));
    return isg_meta_write(&meta, writer);
}

isg_status isg_classifier_save(const isg_classifier *classifier, const char *path, uint64_t seed,
                               const char *command) {
    isg_npz_writer *writer = NULL;
    ISG_TRY(isg_npz_writer_create(&writer, path));
    return isg_npz_writer_end(writer, isg_classifier_write(classifier, seed, command, writer), NULL,
                              NULL);
}

isg_status isg_classifier_to_bytes(const isg_classifier *classifier, uint64_t seed,
                                   const char *command, void **bytes, size_t *size) {
    isg_npz_writer *writer = NULL;
    ISG_TRY(isg_npz_writer_create(&writer, NULL));
    return isg_npz_writer_end(writer, isg_classifier_write(classifier, seed, command, writer),
                              bytes, size);
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* Numbers of this shape, all finite. */
static isg_status read_array(double **out, isg_zip *zip, const char *name, size_t n_dims,
                             size_t rows, size_t cols) {
    return isg_npz_read_shape(zip, name, n_dims, (const size_t[]){rows, cols}, out);
}

static isg_status read_whole(int64_t **out, size_t *count, isg_zip *zip, const char *name) {
    isg_array_type type;
    int64_t *numbers = NULL;
    ISG_TRY(isg_npz_read_whole(zip, name, &type, &numbers));
    if (type.n_dims != 1 || type.dims[0] == 0) {
        isg_release(numbers);
        return isg_fail(ISG_ERR_FORMAT, "%s: %s: expected whole numbers in one dimension",
                        isg_zip_file_name(zip), name);
    }
    *count = type.dims[0];
    *out = numbers;
    return ISG_OK;
}

/* The sizes of the RBMs, which must add up to the columns of W. */
static isg_status read_sizes(size_t **out, size_t *n_rbms, size_t *n_hidden, isg_zip *zip) {
    int64_t *numbers = NULL;
    size_t *found = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(read_whole(&numbers, n_rbms, zip, "hidden"));
    ISG_TRY_GOTO(ISG_ALLOCATE(found, *n_rbms));
    *n_hidden = 0;
    for (size_t k = 0; k < *n_rbms; k++) {
        if (numbers[k] < 1 || numbers[k] > 1 << 28 || *n_hidden > 1 << 28)
            ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: hidden: %lld hidden units are impossible",
                                  isg_zip_file_name(zip), (long long)numbers[k]));
        found[k] = (size_t)numbers[k];
        *n_hidden += found[k];
    }
    *out = found;
    found = NULL;
done:
    isg_release(numbers);
    isg_release(found);
    return status;
}

/* Reads W first, since its size is checked against the file before anything else is allocated. */
static isg_status read_weights(double **out, size_t *n_visible, size_t n_hidden, isg_zip *zip) {
    const char *file = isg_zip_file_name(zip);
    isg_source *source = NULL;
    isg_array_type type;
    ISG_TRY(isg_npz_open(&source, &type, zip, "W"));
    isg_source_free(source);
    if (type.n_dims != 2 || type.dims[0] == 0)
        return isg_fail(ISG_ERR_FORMAT, "%s: W: expected visible units x hidden units", file);
    *n_visible = type.dims[0];
    return read_array(out, zip, "W", 2, *n_visible, n_hidden);
}

static isg_status read_kind(isg_features *kind, isg_zip *zip) {
    int64_t *is_hidden = NULL;
    size_t count = 0;
    ISG_TRY(read_whole(&is_hidden, &count, zip, "is_hidden"));
    bool is_valid = false;
    for (size_t k = 0; k < sizeof kinds_in_files / sizeof *kinds_in_files; k++)
        if (count == 1 && *is_hidden == kinds_in_files[k]) {
            *kind = (isg_features)k;
            is_valid = true;
        }
    isg_release(is_hidden);
    return is_valid ? ISG_OK
                    : isg_fail(ISG_ERR_FORMAT, "%s: is_hidden: expected 0, 1 or 2",
                               isg_zip_file_name(zip));
}

/* Replaces an array, taking ownership of the new one. */
static void replace(double **old, double *found) {
    if (!found)
        return;
    isg_release(*old);
    *old = found;
}

static isg_status read_map(isg_feature_map *map, isg_zip *zip) {
    size_t *hidden = NULL, n_rbms = 0, n_hidden = 0, n_visible = 0;
    double *weights = NULL, *b = NULL, *c = NULL, *betas = NULL;
    isg_features kind = ISG_FEATURES_ENERGY;
    isg_status status = ISG_OK;
    ISG_TRY(read_kind(&kind, zip));
    ISG_TRY(read_sizes(&hidden, &n_rbms, &n_hidden, zip));
    ISG_TRY_GOTO(read_weights(&weights, &n_visible, n_hidden, zip));
    if (isg_npz_has(zip, "b"))
        ISG_TRY_GOTO(read_array(&b, zip, "b", 2, n_rbms, n_visible));
    if (isg_npz_has(zip, "c"))
        ISG_TRY_GOTO(read_array(&c, zip, "c", 1, n_hidden, 0));
    if (isg_npz_has(zip, "beta"))
        ISG_TRY_GOTO(read_array(&betas, zip, "beta", 1, n_rbms, 0));
    for (size_t k = 0; betas && k < n_rbms; k++)
        if (!isg_is_beta(betas[k]))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: beta: %g is impossible",
                                  isg_zip_file_name(zip), betas[k]));
    ISG_TRY_GOTO(isg_feature_map_create(map, kind, n_visible, hidden, n_rbms));
    replace(&map->weights, weights);
    replace(&map->b, b);
    replace(&map->c, c);
    replace(&map->betas, betas);
    weights = b = c = betas = NULL;
    status = isg_feature_map_pack(map);
    if (status == ISG_ERR_DIVERGED)
        status = isg_fail(ISG_ERR_FORMAT, "%s: %s", isg_zip_file_name(zip), isg_error_message());
done:
    isg_release(hidden);
    isg_release(weights);
    isg_release(b);
    isg_release(c);
    isg_release(betas);
    return status;
}

static isg_status read_logistic(isg_classifier *classifier, isg_zip *zip) {
    const size_t n = isg_feature_count(&classifier->map), k = classifier->classes.n_classes;
    double *means = NULL, *scales = NULL, *coefficients = NULL, *intercepts = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(read_array(&means, zip, "means", 1, n, 0));
    ISG_TRY_GOTO(read_array(&scales, zip, "scales", 1, n, 0));
    ISG_TRY_GOTO(read_array(&coefficients, zip, "coefficients", 2, k, n));
    ISG_TRY_GOTO(read_array(&intercepts, zip, "intercepts", 1, k, 0));
    status =
        isg_logistic_create(&classifier->logistic, k, n, means, scales, coefficients, intercepts);
    if (status == ISG_ERR_ARGUMENT)
        status = isg_fail(ISG_ERR_FORMAT, "%s: %s", isg_zip_file_name(zip), isg_error_message());
done:
    isg_release(means);
    isg_release(scales);
    isg_release(coefficients);
    isg_release(intercepts);
    return status;
}

isg_status isg_classifier_read(isg_classifier **out, isg_zip *zip) {
    isg_classifier *made = NULL;
    isg_meta meta;
    isg_status status = ISG_OK;
    if (!isg_npz_has(zip, "is_hidden") && isg_npz_has(zip, "covariances"))
        return isg_fail(
            ISG_ERR_FORMAT,
            "%s: expected a classifier, found a deep model, for deepen to classify with",
            isg_zip_file_name(zip));
    ISG_TRY(ISG_ALLOCATE(made, 1));
    ISG_TRY_GOTO(isg_meta_read(&meta, zip));
    ISG_TRY_GOTO(read_map(&made->map, zip));
    ISG_TRY_GOTO(isg_classes_read(&made->classes, zip, 2));
    ISG_TRY_GOTO(read_logistic(made, zip));
    isg_meta_take_shape(&meta, made->map.n_visible, &made->image_height, &made->image_width);
    ISG_TRY_GOTO(isg_encoding_read(&made->encoding, zip, made->map.n_visible));
    ISG_TRY_GOTO(isg_tuned_read(made, zip));
    *out = made;
    made = NULL;
done:
    isg_classifier_free(made);
    return status;
}

static isg_status read_and_close(isg_classifier **out, isg_zip *zip) {
    const isg_status status = isg_classifier_read(out, zip);
    isg_zip_close(zip);
    return status;
}

isg_status isg_classifier_load(isg_classifier **out, const char *path) {
    isg_zip *zip = NULL;
    ISG_TRY(isg_zip_open_path(&zip, path));
    return read_and_close(out, zip);
}

isg_status isg_classifier_from_bytes(isg_classifier **out, const char *name, const void *bytes,
                                     size_t size) {
    isg_zip *zip = NULL;
    ISG_TRY(isg_zip_open_bytes(&zip, name, bytes, size));
    return read_and_close(out, zip);
}
