/* patterns.c - what a network stores
 *
 * SPDX-License-Identifier: MIT
 */
#include "core.h"
#include "files.h"

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

static const core_field option_fields[] = {
    CORE_FIELD(isg_pattern_options, per_class, CORE_SIZE),
    CORE_FIELD(isg_pattern_options, cap, CORE_BOOL),
    CORE_FIELD(isg_pattern_options, ward_samples, CORE_SIZE),
    CORE_FIELD(isg_pattern_options, ignore_labels, CORE_BOOL),
    {NULL, 0, 0, NULL}};

static const core_field learn_fields[] = {CORE_FIELD(isg_learn_options, memory, CORE_DOUBLE),
                                          CORE_FIELD(isg_learn_options, rounds, CORE_SIZE),
                                          {NULL, 0, 0, NULL}};

static const core_field learning_fields[] = {CORE_FIELD(isg_learning, capture_before, CORE_DOUBLE),
                                             CORE_FIELD(isg_learning, capture, CORE_DOUBLE),
                                             CORE_FIELD(isg_learning, flips, CORE_SIZE),
                                             CORE_FIELD(isg_learning, rounds, CORE_SIZE),
                                             CORE_FIELD(isg_learning, is_finished, CORE_BOOL),
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
        !core_share(data))
        return NULL;
    bool is_done = core_enter(&call, progress);
    if (is_done) {
        const isg_status status = isg_patterns_from_data(&out, ((core_object *)data)->handle,
                                                         &chosen, core_progress(&call));
        is_done = core_leave(&call, status);
        if (status == ISG_OK && !is_done)
            isg_patterns_free(out);
    }
    core_unshare(data);
    return is_done ? core_wrap(CORE_PATTERNS, out, NULL) : NULL;
}

static PyObject *defaults(PyObject *none, PyObject *nothing) {
    const isg_pattern_options usual = isg_pattern_defaults();
    (void)none, (void)nothing;
    return core_write(&usual, option_fields);
}

/* What arrays do not tell: the shape of images (0, 0 for none) and how values became spins (NULL if
   unknown). */
static isg_status complete(isg_patterns *patterns, size_t height, size_t width,
                           const isg_encoding *encoding) {
    isg_status status = ISG_OK;
    if (height || width)
        status = isg_patterns_set_image(patterns, height, width);
    if (status == ISG_OK && encoding)
        status = isg_patterns_set_encoding(patterns, encoding);
    return status;
}

/* Patterns have a class each, or none has one. */
static bool has_all_labels(const char *const *labels, size_t count) {
    for (size_t mu = 0; labels && mu < count; mu++)
        if (!labels[mu]) {
            PyErr_Format(PyExc_ValueError, "labels: entry %zu: expected a text, found None", mu);
            return false;
        }
    return true;
}

static PyObject *from_array(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"xi", "labels", "height", "width", "encoding", NULL};
    PyObject *xi = NULL, *labels = NULL, *encoding = NULL, *kept = NULL, *made = NULL;
    Py_ssize_t height = 0, width = 0;
    const char **texts = NULL;
    core_array array;
    isg_patterns *out = NULL;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OnnO", names, &xi, &labels, &height,
                                     &width, &encoding))
        return NULL;
    const isg_encoding *how = core_unwrap_optional(encoding, CORE_ENCODING, "encoding");
    if (PyErr_Occurred())
        return NULL;
    if (height < 0 || width < 0)
        return PyErr_Format(PyExc_ValueError,
                            "image_shape: expected numbers from 0 on, found (%zd, %zd)", height,
                            width);
    if (!core_array_get(&array, xi, "xi", ISG_NUMBER_INT8, 2, CORE_READ))
        return NULL;
    if (core_texts(&texts, &kept, labels, "labels", array.cols) &&
        has_all_labels((const char *const *)texts, array.cols)) {
        isg_status status =
            isg_patterns_create(&out, array.rows, array.cols, array.view.buf, texts);
        if (status == ISG_OK) {
            status = complete(out, (size_t)height, (size_t)width, how);
            if (status != ISG_OK)
                isg_patterns_free(out);
        }
        made = status == ISG_OK ? core_wrap(CORE_PATTERNS, out, NULL) : core_raise(status);
    }
    PyMem_Free((void *)(uintptr_t)texts);
    Py_XDECREF(kept);
    core_array_release(&array);
    return made;
}

static PyObject *at_random(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"n_visible", "n_patterns", "seed", NULL};
    Py_ssize_t n_visible = 0, n_patterns = 0;
    unsigned long long seed = 1;
    isg_patterns *out = NULL;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "nn|K", names, &n_visible, &n_patterns,
                                     &seed))
        return NULL;
    const isg_status status = isg_patterns_random(&out, n_visible > 0 ? (size_t)n_visible : 0,
                                                  n_patterns > 0 ? (size_t)n_patterns : 0, seed);
    return status == ISG_OK ? core_wrap(CORE_PATTERNS, out, NULL) : core_raise(status);
}

/* ---- learning ----------------------------------------------------------------------------------- */

static PyObject *learn(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "options", "progress", NULL};
    PyObject *data = NULL, *options = NULL, *progress = NULL;
    isg_learn_options chosen = isg_learn_defaults();
    isg_learning found = {0};
    isg_patterns *out = NULL;
    core_call call;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OO", names, &data, &options,
                                     &progress) ||
        !core_unwrap(data, CORE_DATASET, "data") || !core_read(&chosen, learn_fields, options))
        return NULL;
    if (!core_share(self))
        return NULL;
    bool is_done = core_share(data);
    if (is_done) {
        is_done = core_enter(&call, progress);
        if (is_done) {
            const isg_status status =
                isg_patterns_learn(&out, patterns_of(self), ((core_object *)data)->handle, &chosen,
                                   &found, core_progress(&call));
            is_done = core_leave(&call, status);
            if (status == ISG_OK && !is_done)
                isg_patterns_free(out);
        }
        core_unshare(data);
    }
    core_unshare(self);
    if (!is_done)
        return NULL;
    PyObject *report = core_write(&found, learning_fields);
    PyObject *patterns = core_wrap(CORE_PATTERNS, out, NULL);
    return report && patterns ? Py_BuildValue("NN", patterns, report)
                              : (Py_XDECREF(report), Py_XDECREF(patterns), NULL);
}

static PyObject *capture(PyObject *self, PyObject *data) {
    double found = 0;
    core_call call;
    if (!core_unwrap(data, CORE_DATASET, "data") || !core_share(self))
        return NULL;
    bool is_done = core_share(data);
    if (is_done) {
        is_done = core_enter(&call, NULL) &&
                  core_leave(&call, isg_patterns_capture(patterns_of(self),
                                                         ((core_object *)data)->handle, &found));
        core_unshare(data);
    }
    core_unshare(self);
    return is_done ? PyFloat_FromDouble(found) : NULL;
}

static PyObject *ceiling(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "n_patterns", NULL};
    PyObject *data = NULL;
    Py_ssize_t n_patterns = 0;
    double found = 0;
    core_call call;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "On", names, &data, &n_patterns) ||
        !core_unwrap(data, CORE_DATASET, "data") || !core_share(data))
        return NULL;
    const size_t count = n_patterns > 0 ? (size_t)n_patterns : 0;
    const bool is_done =
        core_enter(&call, NULL) &&
        core_leave(&call, isg_capture_ceiling(((core_object *)data)->handle, count, &found));
    core_unshare(data);
    return is_done ? PyFloat_FromDouble(found) : NULL;
}

/* ---- files -------------------------------------------------------------------------------------- */

CORE_DEFINE_FILES(patterns, CORE_PATTERNS)

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
    core_call call;
    (void)none;
    if (!core_share(self))
        return NULL;
    const bool is_done =
        core_enter(&call, NULL) &&
        core_leave(&call, isg_patterns_rank(patterns_of(self), &found, sentence, sizeof sentence));
    core_unshare(self);
    return is_done ? Py_BuildValue("ns", (Py_ssize_t)found, sentence) : NULL;
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

static PyObject *unit_names(PyObject *self, PyObject *none) {
    const isg_encoding *found = isg_patterns_encoding(patterns_of(self));
    const size_t count = isg_patterns_describe(patterns_of(self)).n_visible;
    (void)none;
    if (!found || !isg_encoding_describe(found).has_names)
        Py_RETURN_NONE;
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *text = core_text(isg_encoding_unit_name(found, i));
        if (!text || PyList_SetItem(list, (Py_ssize_t)i, text) < 0)
            Py_CLEAR(list);
    }
    return list;
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
    core_call call;
    bool is_done = core_array_check(&array, "out", isg_dataset_describe(samples).n_samples, 1) &&
                   core_share(data);
    if (is_done) {
        is_done =
            core_enter(&call, NULL) &&
            core_leave(&call, isg_patterns_nearest(patterns_of(self), samples, array.view.buf));
        core_unshare(data);
    }
    core_array_release(&array);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

/* Groups (n) may have any numbers; those from out's columns on count for none. */
static PyObject *shares(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "groups", "out", NULL};
    PyObject *data = NULL, *groups = NULL, *out = NULL;
    core_array of = {.is_held = false}, array = {.is_held = false};
    core_call call;
    bool is_done = false;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOO", names, &data, &groups, &out) ||
        !core_unwrap(data, CORE_DATASET, "data") ||
        !core_array_get(&of, groups, "groups", ISG_NUMBER_UINT32, 1, CORE_READ))
        return NULL;
    const isg_dataset *samples = ((core_object *)data)->handle;
    const isg_dataset_info info = isg_dataset_describe(samples);
    if (core_array_check(&of, "groups", info.n_samples, 1) &&
        core_array_get(&array, out, "out", ISG_NUMBER_FLOAT64, 2, CORE_WRITE) &&
        core_array_check(&array, "out", info.n_visible, array.cols) && core_share(data)) {
        is_done = core_enter(&call, NULL) &&
                  core_leave(&call, isg_group_shares(core_matd(&array), samples, of.view.buf));
        core_unshare(data);
    }
    core_array_release(&array);
    core_array_release(&of);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

static PyMethodDef methods[] = {
    CORE_STATIC("from_data", from_data, "The patterns of classes, or of their clusters."),
    {"defaults", defaults, METH_NOARGS | METH_STATIC, "isg_pattern_defaults() as a dict."},
    CORE_STATIC("from_array", from_array, "From xi (n_visible, n_patterns), int8."),
    CORE_STATIC("random", at_random, "Independent random spins."),
    CORE_METHOD("learn", learn, "Learned patterns, and isg_learning as a dict."),
    {"capture", capture, METH_O, "The mean share of a sample in their span."},
    CORE_STATIC("ceiling", ceiling, "The largest capture of so many vectors."),
    CORE_FILE_METHODS,
    CORE_NO_ARGUMENTS("describe", describe, "isg_patterns_info as a dict."),
    {"spins", spins, METH_O, "Writes the patterns to out (n_patterns, n_visible), int8."},
    CORE_NO_ARGUMENTS("labels", labels, "The class of each, or None."),
    CORE_NO_ARGUMENTS("members", members, "The number of samples that each was made from."),
    {"overlaps", overlaps, METH_O, "Writes all overlaps to out (n_patterns, n_patterns)."},
    CORE_NO_ARGUMENTS("rank", rank, "The rank, and a sentence on a dependence or ''."),
    CORE_NO_ARGUMENTS("checksum", checksum, "SHA-256 of the patterns."),
    CORE_NO_ARGUMENTS("encoding", encoding, "How the data became spins, or None."),
    CORE_NO_ARGUMENTS("unit_names", unit_names, "The names of the units, or None."),
    CORE_STATIC("shares", shares, "Writes shares of +1 to out (n_visible, n_groups)."),
    CORE_METHOD("nearest", nearest,
                "Writes the nearest pattern of each sample to out (n), uint32."),
    {NULL, NULL, 0, NULL}};

static void release(void *handle) {
    isg_patterns_free(handle);
}

bool core_add_patterns(PyObject *module) {
    return core_add_type(module, CORE_PATTERNS, "Patterns", "isg_patterns", release, methods);
}
