/* dataset.c - labelled samples of +1 and -1: what is in them
 *
 * SPDX-License-Identifier: MIT
 *
 * A data set never changes once it is made, so that calls without the interpreter lock need not claim it.
 */
#include "dataset.h"

static const core_field info_fields[] = {
    CORE_FIELD(isg_dataset_info, n_samples, CORE_SIZE),
    CORE_FIELD(isg_dataset_info, n_visible, CORE_SIZE),
    CORE_FIELD(isg_dataset_info, n_classes, CORE_SIZE),
    CORE_FIELD(isg_dataset_info, image_height, CORE_SIZE),
    CORE_FIELD(isg_dataset_info, image_width, CORE_SIZE),
    CORE_FIELD(isg_dataset_info, has_values, CORE_BOOL),
    CORE_FIELD(isg_dataset_info, smallest, CORE_DOUBLE),
    CORE_FIELD(isg_dataset_info, largest, CORE_DOUBLE),
    CORE_FIELD(isg_dataset_info, full_scale, CORE_DOUBLE),
    CORE_FIELD(isg_dataset_info, threshold, CORE_DOUBLE),
    CORE_FIELD(isg_dataset_info, n_constant, CORE_SIZE),
    CORE_FIELD(isg_dataset_info, n_unused_columns, CORE_SIZE),
    CORE_FIELD(isg_dataset_info, n_missing, CORE_SIZE),
    CORE_FIELD(isg_dataset_info, n_missing_samples, CORE_SIZE),
    CORE_FIELD(isg_dataset_info, n_unlabelled, CORE_SIZE),
    CORE_FIELD(isg_dataset_info, n_unmatched_labels, CORE_SIZE),
    CORE_FIELD(isg_dataset_info, columns_by_position, CORE_BOOL),
    CORE_FIELD(isg_dataset_info, joined_by_id, CORE_BOOL),
    {NULL, 0, 0, NULL}};

/* ---- bytes -------------------------------------------------------------------------------------- */

static PyObject *to_bytes(PyObject *self, PyObject *none) {
    void *bytes = NULL;
    size_t size = 0;
    (void)none;
    const isg_status status = isg_dataset_to_bytes(dataset_of(self), 0, NULL, &bytes, &size);
    return status == ISG_OK ? core_bytes(bytes, size) : core_raise(status);
}

static PyObject *from_bytes(PyObject *none, PyObject *bytes) {
    isg_dataset *out = NULL;
    core_array array;
    (void)none;
    if (!core_array_get(&array, bytes, "bytes", ISG_NUMBER_UINT8, 1, CORE_READ))
        return NULL;
    const isg_status status = isg_dataset_from_bytes(&out, "data", array.view.buf, array.rows);
    core_array_release(&array);
    return status == ISG_OK ? core_wrap(CORE_DATASET, out, NULL) : core_raise(status);
}

/* ---- samples ------------------------------------------------------------------------------------ */

/* With the lock away: a large array takes a while to fill, and others can work meanwhile. */
static PyObject *unpack_rows(PyObject *self, PyObject *out, isg_number type,
                             void (*unpack)(const isg_dataset *data, size_t row, size_t n,
                                            int8_t *to)) {
    const isg_dataset *data = dataset_of(self);
    const isg_dataset_info info = isg_dataset_describe(data);
    core_array array;
    if (!core_array_get(&array, out, "out", type, 2, CORE_WRITE))
        return NULL;
    const bool fits = core_array_check(&array, "out", info.n_samples, info.n_visible);
    if (fits) {
        PyThreadState *thread = PyEval_SaveThread();
        for (size_t a = 0; a < info.n_samples; a++)
            unpack(data, a, info.n_visible, (int8_t *)array.view.buf + a * info.n_visible);
        PyEval_RestoreThread(thread);
    }
    core_array_release(&array);
    return fits ? Py_NewRef(Py_None) : NULL;
}

static void unpack_spins(const isg_dataset *data, size_t row, size_t n, int8_t *to) {
    core_unpack(isg_dataset_row(data, row), n, to);
}

static void unpack_missing(const isg_dataset *data, size_t row, size_t n, int8_t *to) {
    const uint64_t *missing = isg_dataset_missing(data, row);
    for (size_t i = 0; i < n; i++)
        to[i] = missing && isg_spin(missing, i) > 0;
}

static PyObject *spins(PyObject *self, PyObject *out) {
    return unpack_rows(self, out, ISG_NUMBER_INT8, unpack_spins);
}

static PyObject *missing(PyObject *self, PyObject *out) {
    return unpack_rows(self, out, ISG_NUMBER_BOOL, unpack_missing);
}

static PyObject *has_missing(PyObject *self, PyObject *none) {
    const isg_dataset *data = dataset_of(self);
    const size_t n = isg_dataset_describe(data).n_samples;
    (void)none;
    for (size_t a = 0; a < n; a++)
        if (isg_dataset_missing(data, a))
            Py_RETURN_TRUE;
    Py_RETURN_FALSE;
}

static PyObject *ids(PyObject *self, PyObject *none) {
    const isg_dataset *data = dataset_of(self);
    const size_t n = isg_dataset_describe(data).n_samples;
    (void)none;
    if (n == 0 || !isg_dataset_sample_id(data, 0))
        Py_RETURN_NONE;
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t a = 0; list && a < n; a++) {
        PyObject *text = core_text(isg_dataset_sample_id(data, a));
        if (!text || PyList_SetItem(list, (Py_ssize_t)a, text) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* ---- classes ------------------------------------------------------------------------------------ */

static PyObject *labels(PyObject *self, PyObject *out) {
    const isg_dataset *data = dataset_of(self);
    const size_t n = isg_dataset_describe(data).n_samples;
    const uint32_t *found = isg_dataset_labels(data);
    core_array array;
    if (!core_array_get(&array, out, "out", ISG_NUMBER_INT64, 1, CORE_WRITE))
        return NULL;
    const bool fits = core_array_check(&array, "out", n, 1);
    int64_t *to = array.view.buf;
    for (size_t a = 0; fits && a < n; a++)
        to[a] = found && found[a] != ISG_UNLABELLED ? (int64_t)found[a] : -1;
    core_array_release(&array);
    return fits ? PyBool_FromLong(found != NULL) : NULL;
}

static PyObject *classes(PyObject *self, PyObject *none) {
    const isg_dataset *data = dataset_of(self);
    const size_t n = isg_dataset_describe(data).n_classes;
    (void)none;
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t c = 0; list && c < n; c++) {
        PyObject *text = core_text(isg_dataset_class_name(data, c));
        if (!text || PyList_SetItem(list, (Py_ssize_t)c, text) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *class_sizes(PyObject *self, PyObject *none) {
    const isg_dataset *data = dataset_of(self);
    const size_t n = isg_dataset_describe(data).n_classes;
    (void)none;
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t c = 0; list && c < n; c++) {
        PyObject *size = PyLong_FromSize_t(isg_dataset_class_size(data, c));
        if (!size || PyList_SetItem(list, (Py_ssize_t)c, size) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* ---- numbers ------------------------------------------------------------------------------------ */

static PyObject *describe(PyObject *self, PyObject *none) {
    (void)none;
    const isg_dataset_info info = isg_dataset_describe(dataset_of(self));
    return core_write(&info, info_fields);
}

static PyObject *encoding(PyObject *self, PyObject *none) {
    const isg_encoding *found = isg_dataset_encoding(dataset_of(self));
    (void)none;
    if (!found)
        Py_RETURN_NONE;
    return core_wrap(CORE_ENCODING, (void *)(uintptr_t)isg_encoding_retain(found), NULL);
}

static PyObject *checksum(PyObject *self, PyObject *none) {
    char hex[65];
    (void)none;
    isg_dataset_checksum(dataset_of(self), hex);
    return core_text(hex);
}

static PyObject *label_checksum(PyObject *self, PyObject *none) {
    char hex[65];
    (void)none;
    isg_dataset_label_checksum(dataset_of(self), hex);
    return core_text(hex);
}

static PyObject *positive_fraction(PyObject *self, PyObject *none) {
    (void)none;
    return PyFloat_FromDouble(isg_dataset_positive_fraction(dataset_of(self)));
}

static PyObject *n_duplicates(PyObject *self, PyObject *none) {
    size_t count = 0;
    core_call call;
    (void)none;
    if (!core_enter(&call, NULL))
        return NULL;
    const isg_status status = isg_dataset_count_duplicates(dataset_of(self), &count);
    return core_leave(&call, status) ? PyLong_FromSize_t(count) : NULL;
}

static PyObject *constant_units(PyObject *self, PyObject *none) {
    const isg_dataset *data = dataset_of(self);
    const size_t n = isg_dataset_describe(data).n_visible;
    size_t count = 0, *units = PyMem_Calloc(n ? n : 1, sizeof *units);
    (void)none;
    if (!units)
        return PyErr_NoMemory();
    const isg_status status = isg_dataset_constant_units(data, units, &count);
    PyObject *list = status == ISG_OK ? PyList_New((Py_ssize_t)count) : core_raise(status);
    for (size_t k = 0; list && k < count; k++) {
        PyObject *unit = PyLong_FromSize_t(units[k]);
        if (!unit || PyList_SetItem(list, (Py_ssize_t)k, unit) < 0)
            Py_CLEAR(list);
    }
    PyMem_Free(units);
    return list;
}

static PyMethodDef methods[] = {
    CORE_STATIC("load", core_dataset_load, "From a file, or a directory of 10x."),
    CORE_STATIC("from_values", core_dataset_from_values, "From values in memory, dense or CSR."),
    {"defaults", core_dataset_defaults, METH_NOARGS | METH_STATIC, "isg_dataset_defaults()."},
    {"impute_defaults", core_dataset_impute_defaults, METH_NOARGS | METH_STATIC,
     "isg_impute_defaults()."},
    {"from_bytes", from_bytes, METH_O | METH_STATIC, "From to_bytes()."},
    CORE_NO_ARGUMENTS("to_bytes", to_bytes, "All of it, for from_bytes() alone."),
    {"spins", spins, METH_O, "Writes the samples to out (n_samples, n_visible), int8."},
    {"missing", missing, METH_O, "Writes what is missing to out (n_samples, n_visible), bool."},
    CORE_NO_ARGUMENTS("has_missing", has_missing, "Whether a value is still missing."),
    CORE_NO_ARGUMENTS("ids", ids, "The names of the samples, or None."),
    {"labels", labels, METH_O,
     "Writes the classes to out (n_samples), int64; whether there are any."},
    CORE_NO_ARGUMENTS("classes", classes, "The names of the classes."),
    CORE_NO_ARGUMENTS("class_sizes", class_sizes, "The number of samples of each class."),
    CORE_NO_ARGUMENTS("describe", describe, "isg_dataset_info as a dict."),
    CORE_NO_ARGUMENTS("encoding", encoding, "How values became spins, or None."),
    CORE_NO_ARGUMENTS("checksum", checksum, "SHA-256 of the spins."),
    CORE_NO_ARGUMENTS("label_checksum", label_checksum, "SHA-256 of the labels."),
    CORE_NO_ARGUMENTS("positive_fraction", positive_fraction, "The share of +1."),
    CORE_NO_ARGUMENTS("n_duplicates", n_duplicates, "How many rows equal an earlier one."),
    CORE_NO_ARGUMENTS("constant_units", constant_units, "Units that are the same in all samples."),
    {"select", core_dataset_select, METH_O, "The samples of rows (count), uint64."},
    CORE_METHOD("split", core_dataset_split, "Two parts drawn at random, class by class."),
    CORE_METHOD("impute", core_dataset_impute, "A copy in which no value is missing."),
    CORE_METHOD("probabilities", core_dataset_probabilities,
                "Writes p(+1) to out (n_samples, n_visible), float64."),
    {NULL, NULL, 0, NULL}};

static void release(void *handle) {
    isg_dataset_free(handle);
}

bool core_add_dataset(PyObject *module) {
    return core_add_type(module, CORE_DATASET, "Dataset", "isg_dataset", release, methods);
}
