/* encoding.c - how values became spins, and what the units are called
 *
 * SPDX-License-Identifier: MIT
 */
#include "core.h"

static const core_field info_fields[] = {CORE_FIELD(isg_encoding_info, n_visible, CORE_SIZE),
                                         CORE_FIELD(isg_encoding_info, n_columns, CORE_SIZE),
                                         CORE_FIELD(isg_encoding_info, at, CORE_DOUBLE),
                                         CORE_FIELD(isg_encoding_info, full_scale, CORE_DOUBLE),
                                         CORE_FIELD(isg_encoding_info, threshold, CORE_DOUBLE),
                                         CORE_FIELD(isg_encoding_info, has_names, CORE_BOOL),
                                         CORE_FIELD(isg_encoding_info, smallest, CORE_DOUBLE),
                                         CORE_FIELD(isg_encoding_info, largest, CORE_DOUBLE),
                                         {NULL, 0, 0, NULL}};

static const isg_encoding *encoding_of(PyObject *self) {
    return ((core_object *)self)->handle;
}

static PyObject *wrap(const isg_encoding *encoding) {
    return core_wrap(CORE_ENCODING, (void *)(uintptr_t)encoding, NULL);
}

/* ---- making ------------------------------------------------------------------------------------- */

static PyObject *from_thresholds(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"thresholds", "unit_names", NULL};
    PyObject *thresholds = NULL, *units = NULL, *kept = NULL, *made = NULL;
    const char **texts = NULL;
    const isg_encoding *out = NULL;
    core_array array;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O", names, &thresholds, &units) ||
        !core_array_get(&array, thresholds, "thresholds", ISG_NUMBER_FLOAT64, 1, CORE_READ))
        return NULL;
    if (core_texts(&texts, &kept, units, "unit_names", array.rows)) {
        const isg_status status =
            isg_encoding_from_thresholds(&out, array.rows, array.view.buf, texts);
        made = status == ISG_OK ? wrap(out) : core_raise(status);
    }
    PyMem_Free((void *)(uintptr_t)texts);
    Py_XDECREF(kept);
    core_array_release(&array);
    return made;
}

/* ---- bytes -------------------------------------------------------------------------------------- */

/* An encoding has no file of its own, but those of patterns carry all of it, also what the library does not tell:
   the columns of the file and what missing values become. */
static PyObject *to_bytes(PyObject *self, PyObject *none) {
    const isg_encoding *encoding = encoding_of(self);
    const size_t n = isg_encoding_describe(encoding).n_visible;
    int8_t *spins = PyMem_Calloc(n ? n : 1, 1);
    isg_patterns *carrier = NULL;
    void *bytes = NULL;
    size_t size = 0;
    (void)none;
    if (!spins)
        return PyErr_NoMemory();
    for (size_t i = 0; i < n; i++)
        spins[i] = 1;
    isg_status status = isg_patterns_create(&carrier, n, 1, spins, NULL);
    PyMem_Free(spins);
    if (status == ISG_OK)
        status = isg_patterns_set_encoding(carrier, encoding);
    if (status == ISG_OK)
        status = isg_patterns_to_bytes(carrier, 0, NULL, &bytes, &size);
    isg_patterns_free(carrier);
    return status == ISG_OK ? core_bytes(bytes, size) : core_raise(status);
}

static PyObject *from_bytes(PyObject *none, PyObject *bytes) {
    isg_patterns *carrier = NULL;
    core_array array;
    (void)none;
    if (!core_array_get(&array, bytes, "bytes", ISG_NUMBER_UINT8, 1, CORE_READ))
        return NULL;
    const isg_status status =
        isg_patterns_from_bytes(&carrier, "encoding", array.view.buf, array.rows);
    core_array_release(&array);
    if (status != ISG_OK)
        return core_raise(status);
    const isg_encoding *found = isg_encoding_retain(isg_patterns_encoding(carrier));
    isg_patterns_free(carrier);
    if (found)
        return wrap(found);
    PyErr_SetString(PyExc_ValueError, "bytes: expected those of an encoding, found none in them");
    return NULL;
}

/* ---- looking ------------------------------------------------------------------------------------ */

static PyObject *describe(PyObject *self, PyObject *none) {
    const isg_encoding_info info = isg_encoding_describe(encoding_of(self));
    char text[ISG_BINARIZE_ROOM];
    (void)none;
    isg_binarize_text(info.rule, info.at, text);
    PyObject *dictionary = core_write(&info, info_fields), *rule = core_text(text);
    if (!dictionary || !rule || PyDict_SetItemString(dictionary, "rule", rule) < 0)
        Py_CLEAR(dictionary);
    Py_XDECREF(rule);
    return dictionary;
}

static PyObject *thresholds(PyObject *self, PyObject *out) {
    const isg_encoding *encoding = encoding_of(self);
    const size_t n = isg_encoding_describe(encoding).n_visible;
    core_array array;
    if (!core_array_get(&array, out, "out", ISG_NUMBER_FLOAT64, 1, CORE_WRITE))
        return NULL;
    const bool fits = core_array_check(&array, "out", n, 1);
    for (size_t i = 0; fits && i < n; i++)
        ((double *)array.view.buf)[i] = isg_encoding_threshold(encoding, i);
    core_array_release(&array);
    return fits ? Py_NewRef(Py_None) : NULL;
}

static PyObject *unit_names(PyObject *self, PyObject *none) {
    const isg_encoding *encoding = encoding_of(self);
    const isg_encoding_info info = isg_encoding_describe(encoding);
    (void)none;
    if (!info.has_names)
        Py_RETURN_NONE;
    PyObject *list = PyList_New((Py_ssize_t)info.n_visible);
    for (size_t i = 0; list && i < info.n_visible; i++) {
        PyObject *text = core_text(isg_encoding_unit_name(encoding, i));
        if (!text || PyList_SetItem(list, (Py_ssize_t)i, text) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyMethodDef methods[] = {
    CORE_STATIC("from_thresholds", from_thresholds, "From thresholds (n_visible), float64."),
    {"from_bytes", from_bytes, METH_O | METH_STATIC, "From to_bytes()."},
    CORE_NO_ARGUMENTS("to_bytes", to_bytes, "All of it, as the .npz of a pattern."),
    CORE_NO_ARGUMENTS("describe", describe, "isg_encoding_info as a dict; the rule as a text."),
    {"thresholds", thresholds, METH_O, "Writes the thresholds to out (n_visible), float64."},
    CORE_NO_ARGUMENTS("unit_names", unit_names, "The names of the units, or None."),
    {NULL, NULL, 0, NULL}};

static void release(void *handle) {
    isg_encoding_release(handle);
}

bool core_add_encoding(PyObject *module) {
    return core_add_type(module, CORE_ENCODING, "Encoding", "isg_encoding", release, methods);
}
