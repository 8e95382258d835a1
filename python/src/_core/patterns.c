/* patterns.c - what a network stores
 *
 * SPDX-License-Identifier: MIT
 */
#include "core.h"

#include <string.h>

static const core_field info_fields[] = {CORE_FIELD(isg_patterns_info, n_visible, CORE_SIZE),
                                         CORE_FIELD(isg_patterns_info, n_patterns, CORE_SIZE),
                                         CORE_FIELD(isg_patterns_info, image_height, CORE_SIZE),
                                         CORE_FIELD(isg_patterns_info, image_width, CORE_SIZE),
                                         CORE_FIELD(isg_patterns_info, has_labels, CORE_BOOL),
                                         CORE_FIELD(isg_patterns_info, n_ties, CORE_SIZE),
                                         CORE_FIELD(isg_patterns_info, n_capped, CORE_SIZE),
                                         CORE_FIELD(isg_patterns_info, n_sampled, CORE_SIZE),
                                         {NULL, 0, 0, NULL}};

static const core_field option_fields[] = {CORE_FIELD(isg_pattern_options, per_class, CORE_SIZE),
                                           CORE_FIELD(isg_pattern_options, cap, CORE_BOOL),
                                           CORE_FIELD(isg_pattern_options, ward_samples, CORE_SIZE),
                                           {NULL, 0, 0, NULL}};

static isg_patterns *patterns_of(PyObject *self) {
    return ((core_object *)self)->handle;
}

/* ---- making ------------------------------------------------------------------------------------- */

static PyObject *from_data(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "options", "progress", NULL};
    PyObject *data = NULL, *options = NULL, *progress = NULL;
    isg_pattern_options chosen = isg_pattern_defaults();
    isg_patterns *out = NULL;
    core_call call;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OO", names, &data, &options,
                                     &progress) ||
        !core_unwrap(data, CORE_DATASET, "data") || !core_read(&chosen, option_fields, options) ||
        !core_enter(&call, progress))
        return NULL;
    const isg_status status = isg_patterns_from_data(&out, ((core_object *)data)->handle, &chosen,
                                                     core_progress(&call));
    if (!core_leave(&call, status)) {
        isg_patterns_free(status == ISG_OK ? out : NULL);
        return NULL;
    }
    return core_wrap(CORE_PATTERNS, out, NULL);
}

static PyObject *from_array(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"xi", "labels", NULL};
    PyObject *xi = NULL, *labels = NULL, *kept = NULL;
    const char **texts = NULL;
    core_array array;
    isg_patterns *out = NULL;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O", names, &xi, &labels) ||
        !core_array_get(&array, xi, "xi", ISG_NUMBER_INT8, 2, CORE_READ))
        return NULL;
    PyObject *made = NULL;
    if (core_texts(&texts, &kept, labels, "labels", array.cols)) {
        const isg_status status =
            isg_patterns_create(&out, array.rows, array.cols, array.view.buf, texts);
        made = status == ISG_OK ? core_wrap(CORE_PATTERNS, out, NULL) : core_raise(status);
    }
    PyMem_Free((void *)(uintptr_t)texts);
    Py_XDECREF(kept);
    core_array_release(&array);
    return made;
}

/* ---- files -------------------------------------------------------------------------------------- */

static PyObject *load(PyObject *none, PyObject *path) {
    const char *name = NULL;
    isg_patterns *out = NULL;
    (void)none;
    PyObject *kept = core_path(path, "path", &name);
    if (!kept)
        return NULL;
    const isg_status status = isg_patterns_load(&out, name);
    Py_DECREF(kept);
    return status == ISG_OK ? core_wrap(CORE_PATTERNS, out, NULL) : core_raise(status);
}

static PyObject *save(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"path", "seed", "command", NULL};
    PyObject *path = NULL;
    unsigned long long seed = 0;
    const char *command = NULL, *name = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|Kz", names, &path, &seed, &command))
        return NULL;
    PyObject *kept = core_path(path, "path", &name);
    if (!kept)
        return NULL;
    const isg_status status = isg_patterns_save(patterns_of(self), name, seed, command);
    Py_DECREF(kept);
    return core_none(status);
}

static PyObject *to_bytes(PyObject *self, PyObject *none) {
    void *bytes = NULL;
    size_t size = 0;
    (void)none;
    const isg_status status = isg_patterns_to_bytes(patterns_of(self), 0, NULL, &bytes, &size);
    return status == ISG_OK ? core_bytes(bytes, size) : core_raise(status);
}

static PyObject *from_bytes(PyObject *none, PyObject *bytes) {
    isg_patterns *out = NULL;
    core_array array;
    (void)none;
    if (!core_array_get(&array, bytes, "bytes", ISG_NUMBER_UINT8, 1, CORE_READ))
        return NULL;
    const isg_status status = isg_patterns_from_bytes(&out, "patterns", array.view.buf, array.rows);
    core_array_release(&array);
    return status == ISG_OK ? core_wrap(CORE_PATTERNS, out, NULL) : core_raise(status);
}

/* ---- looking ------------------------------------------------------------------------------------ */

static PyObject *describe(PyObject *self, PyObject *none) {
    (void)none;
    const isg_patterns_info info = isg_patterns_describe(patterns_of(self));
    return core_write(&info, info_fields);
}

static PyObject *spins(PyObject *self, PyObject *out) {
    const isg_patterns *patterns = patterns_of(self);
    const isg_patterns_info info = isg_patterns_describe(patterns);
    core_array array;
    if (!core_array_get(&array, out, "out", ISG_NUMBER_INT8, 2, CORE_WRITE))
        return NULL;
    const bool fits = core_array_check(&array, "out", info.n_patterns, info.n_visible);
    for (size_t mu = 0; fits && mu < info.n_patterns; mu++)
        core_unpack(isg_patterns_row(patterns, mu), info.n_visible,
                    (int8_t *)array.view.buf + mu * info.n_visible);
    core_array_release(&array);
    return fits ? Py_NewRef(Py_None) : NULL;
}

static PyObject *labels(PyObject *self, PyObject *none) {
    const isg_patterns *patterns = patterns_of(self);
    const size_t count = isg_patterns_describe(patterns).n_patterns;
    (void)none;
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t mu = 0; list && mu < count; mu++) {
        PyObject *text = core_text(isg_patterns_label(patterns, mu));
        if (!text || PyList_SetItem(list, (Py_ssize_t)mu, text) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *members(PyObject *self, PyObject *none) {
    const isg_patterns *patterns = patterns_of(self);
    const size_t count = isg_patterns_describe(patterns).n_patterns;
    (void)none;
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t mu = 0; list && mu < count; mu++) {
        PyObject *number = PyLong_FromSize_t(isg_patterns_members(patterns, mu));
        if (!number || PyList_SetItem(list, (Py_ssize_t)mu, number) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *overlaps(PyObject *self, PyObject *out) {
    const isg_patterns *patterns = patterns_of(self);
    const size_t count = isg_patterns_describe(patterns).n_patterns;
    core_array array;
    if (!core_array_get(&array, out, "out", ISG_NUMBER_FLOAT64, 2, CORE_WRITE))
        return NULL;
    const bool fits = core_array_check(&array, "out", count, count);
    double *numbers = array.view.buf;
    for (size_t mu = 0; fits && mu < count; mu++)
        for (size_t nu = 0; nu < count; nu++)
            numbers[mu * count + nu] = isg_patterns_overlap(patterns, mu, nu);
    core_array_release(&array);
    return fits ? Py_NewRef(Py_None) : NULL;
}

static PyObject *rank(PyObject *self, PyObject *none) {
    size_t found = 0;
    char sentence[512] = "";
    (void)none;
    const isg_status status =
        isg_patterns_rank(patterns_of(self), &found, sentence, sizeof sentence);
    return status == ISG_OK ? Py_BuildValue("ns", (Py_ssize_t)found, sentence) : core_raise(status);
}

static PyObject *checksum(PyObject *self, PyObject *none) {
    char hex[65];
    (void)none;
    const isg_status status = isg_patterns_checksum(patterns_of(self), hex);
    return status == ISG_OK ? core_text(hex) : core_raise(status);
}

static PyObject *encoding(PyObject *self, PyObject *none) {
    const isg_encoding *found = isg_patterns_encoding(patterns_of(self));
    (void)none;
    if (!found)
        Py_RETURN_NONE;
    return core_wrap(CORE_ENCODING, (void *)(uintptr_t)isg_encoding_retain(found), NULL);
}

static PyObject *nearest(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "out", NULL};
    PyObject *data = NULL, *out = NULL;
    core_array array;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO", names, &data, &out) ||
        !core_unwrap(data, CORE_DATASET, "data") ||
        !core_array_get(&array, out, "out", ISG_NUMBER_UINT32, 1, CORE_WRITE))
        return NULL;
    const isg_dataset *samples = ((core_object *)data)->handle;
    isg_status status = ISG_OK;
    core_call call;
    bool is_done = core_array_check(&array, "out", isg_dataset_describe(samples).n_samples, 1) &&
                   core_enter(&call, NULL);
    if (is_done) {
        status = isg_patterns_nearest(patterns_of(self), samples, array.view.buf);
        is_done = core_leave(&call, status);
    }
    core_array_release(&array);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

static PyMethodDef methods[] = {
    CORE_STATIC("from_data", from_data, "The patterns of classes, or of their clusters."),
    CORE_STATIC("from_array", from_array, "From xi (n_visible, n_patterns), int8."),
    {"load", load, METH_O | METH_STATIC, "From a file."},
    {"from_bytes", from_bytes, METH_O | METH_STATIC, "From the bytes of a file."},
    CORE_METHOD("save", save, "Writes a .npz file."),
    CORE_NO_ARGUMENTS("to_bytes", to_bytes, "The bytes of such a file."),
    CORE_NO_ARGUMENTS("describe", describe, "isg_patterns_info as a dict."),
    {"spins", spins, METH_O, "Writes the patterns to out (n_patterns, n_visible), int8."},
    CORE_NO_ARGUMENTS("labels", labels, "The class of each, or None."),
    CORE_NO_ARGUMENTS("members", members, "The number of samples that each was made from."),
    {"overlaps", overlaps, METH_O, "Writes all overlaps to out (n_patterns, n_patterns)."},
    CORE_NO_ARGUMENTS("rank", rank, "The rank, and a sentence on a dependence or ''."),
    CORE_NO_ARGUMENTS("checksum", checksum, "SHA-256 of the patterns."),
    CORE_NO_ARGUMENTS("encoding", encoding, "How the data became spins, or None."),
    CORE_METHOD("nearest", nearest, "Writes the nearest pattern of each sample to out (n), uint32."),
    {NULL, NULL, 0, NULL}};

static void release(void *handle) {
    isg_patterns_free(handle);
}

bool core_add_patterns(PyObject *module) {
    return core_add_type(module, CORE_PATTERNS, "Patterns", "isg_patterns", release, methods);
}
