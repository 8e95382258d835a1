/* columns.c - many structs of the library as arrays, one per member
 *
 * SPDX-License-Identifier: MIT
 */
#include "columns.h"

#include <string.h>

static const char *format_of(core_kind kind) {
    switch (kind) {
    case CORE_BOOL:
        return "?";
    case CORE_SIZE:
        return sizeof(long) == 8 ? "l" : "q"; /* what NumPy calls int64 */
    case CORE_DOUBLE:
        return "d";
    default:
        return "b";
    }
}

static size_t bytes_of(core_kind kind) {
    return kind == CORE_SIZE || kind == CORE_DOUBLE ? 8 : 1;
}

static void copy_one(char *to, const char *from, core_kind kind) {
    if (kind == CORE_SIZE) {
        const size_t number = *(const size_t *)from;
        const int64_t whole = number == SIZE_MAX ? -1 : (int64_t)number;
        memcpy(to, &whole, sizeof whole);
    } else if (kind == CORE_CHOICE) {
        int choice = 0;
        memcpy(&choice, from, sizeof choice);
        *to = (char)choice;
    } else {
        memcpy(to, from, bytes_of(kind));
    }
}

static PyObject *column(const char *records, size_t count, size_t stride, core_kind kind) {
    const size_t bytes = bytes_of(kind);
    PyObject *memory = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(count * bytes));
    if (!memory)
        return NULL;
    char *to = PyByteArray_AsString(memory);
    for (size_t k = 0; k < count; k++)
        copy_one(to + k * bytes, records + k * stride, kind);
    PyObject *view = PyMemoryView_FromObject(memory);
    Py_DECREF(memory);
    PyObject *cast = view ? PyObject_CallMethod(view, "cast", "s", format_of(kind)) : NULL;
    Py_XDECREF(view);
    return cast;
}

PyObject *core_columns(const void *records, size_t count, size_t bytes, const core_field *fields) {
    PyObject *dictionary = PyDict_New();
    for (; dictionary && fields->name; fields++) {
        PyObject *one = column((const char *)records + fields->offset, count, bytes, fields->kind);
        if (!one || PyDict_SetItemString(dictionary, fields->name, one) < 0)
            Py_CLEAR(dictionary);
        Py_XDECREF(one);
    }
    return dictionary;
}

bool core_mask(uint64_t **out, PyObject *object, const char *name, size_t n) {
    core_array array;
    *out = NULL;
    if (!object || object == Py_None)
        return true;
    if (!core_array_get(&array, object, name, ISG_NUMBER_BOOL, 1, CORE_READ))
        return false;
    bool is_done = core_array_check(&array, name, n, 1);
    if (is_done) {
        *out = PyMem_Calloc((n + 63) / 64 + 1, sizeof **out);
        is_done = *out != NULL;
        for (size_t i = 0; is_done && i < n; i++) /* as bytes: what is not 0 is true */
            (*out)[i / 64] |= (uint64_t)(((const uint8_t *)array.view.buf)[i] != 0) << i % 64;
        if (!is_done)
            PyErr_NoMemory();
    }
    core_array_release(&array);
    return is_done;
}

isg_dataset *core_data_of(PyObject *data, const char *name, size_t n_visible) {
    isg_dataset *found = core_unwrap(data, CORE_DATASET, name);
    if (!found)
        return NULL;
    const size_t units = isg_dataset_describe(found).n_visible;
    if (units == n_visible)
        return found;
    PyErr_Format(PyExc_ValueError, "%s: expected samples of %zu units, found %zu", name, n_visible,
                 units);
    return NULL;
}
