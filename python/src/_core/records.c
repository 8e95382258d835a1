/* records.c - structs of the library as dictionaries, texts, and the names of enums
 *
 * SPDX-License-Identifier: MIT
 */
#include "core.h"

#include <string.h>

/* In the order of the enums; the words are those of the command line. */
const char *const core_rules[] = {"projection", "hebbian", "weights", NULL};
const char *const core_dynamics[] = {"async", "sync", "glauber", "parallel", "gibbs", NULL};
const char *const core_decompositions[] = {"qr", "svd", "sqrt", "hebbian", NULL};
const char *const core_starts[] = {"hopfield", "hebbian", "pca", "normal", "axes", NULL};
const char *const core_estimators[] = {"sampled", "mean", NULL};
const char *const core_constraints[] = {"none", "stiefel", "span", NULL};
const char *const core_missing[] = {"refuse", "drop-samples", "majority", "impute", NULL};
const char *const core_features[] = {"energy", "hidden", "squares", NULL};
const char *const core_log_z_methods[] = {"auto",  "exact",      "ais", "mixture",
                                          "wells", "population", NULL};
const char *const core_sides[] = {"exact", "both", "lower", "upper", "bound", NULL};
const char *const core_readouts[] = {"overlap", "projection", "energy", NULL};

/* ---- in ----------------------------------------------------------------------------------------- */

/* A text without zeros inside, which would end it early; NULL without an exception for anything else. */
static const char *plain_text(PyObject *object) {
    Py_ssize_t length = 0;
    const char *text = PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, &length) : NULL;
    if (text && strlen(text) == (size_t)length)
        return text;
    PyErr_Clear(); /* of a text that is not UTF-8 */
    return NULL;
}

bool core_choose(PyObject *text, const char *name, const char *const *choices, int *out) {
    const char *wanted = plain_text(text);
    char list[256] = "";
    for (int k = 0; choices[k]; k++) {
        if (wanted && strcmp(wanted, choices[k]) == 0)
            return *out = k, true;
        strncat(list, k ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, choices[k], sizeof list - strlen(list) - 1);
    }
    PyErr_Format(PyExc_ValueError, "%s: expected one of %s, found %R", name, list, text);
    return false;
}

/* A whole number from 0 on; also of NumPy, by __index__. */
static bool read_whole(PyObject *value, const char *name, unsigned long long most,
                       unsigned long long *out) {
    PyObject *whole = PyNumber_Index(value);
    if (!whole) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s: expected a whole number, found %R", name, value);
        return false;
    }
    *out = PyLong_AsUnsignedLongLong(whole);
    Py_DECREF(whole);
    if (!PyErr_Occurred() && *out <= most)
        return true;
    PyErr_Clear();
    PyErr_Format(PyExc_ValueError, "%s: expected a whole number from 0 to %llu, found %R", name,
                 most, value);
    return false;
}

static bool read_member(char *at, const core_field *field, PyObject *value) {
    unsigned long long whole = 0;
    int choice = 0;
    switch (field->kind) {
    case CORE_BOOL: {
        const int is_true = PyObject_IsTrue(value);
        *(bool *)at = is_true > 0;
        return is_true >= 0;
    }
    case CORE_SIZE:
        if (!read_whole(value, field->name, PTRDIFF_MAX, &whole))
            return false;
        *(size_t *)at = (size_t)whole;
        return true;
    case CORE_UINT64:
        if (!read_whole(value, field->name, UINT64_MAX, &whole))
            return false;
        *(uint64_t *)at = whole;
        return true;
    case CORE_DOUBLE: {
        const double number = PyFloat_AsDouble(value);
        if (number == -1 && PyErr_Occurred()) {
            PyErr_Clear();
            PyErr_Format(PyExc_TypeError, "%s: expected a number, found %R", field->name, value);
            return false;
        }
        *(double *)at = number;
        return true;
    }
    case CORE_TEXT:
        *(const char **)at = value == Py_None ? NULL : plain_text(value);
        if (value == Py_None || *(const char **)at)
            return true;
        PyErr_Format(PyUnicode_Check(value) ? PyExc_ValueError : PyExc_TypeError,
                     "%s: expected a text, found %R", field->name, value);
        return false;
    case CORE_CHOICE:
        if (!core_choose(value, field->name, field->choices, &choice))
            return false;
        memcpy(at, &choice, sizeof choice); /* enums of the library have the size of an int */
        return true;
    default:
        PyErr_Format(PyExc_SystemError, "%s: cannot be set", field->name);
        return false;
    }
}

static bool read_entry(void *record, const core_field *fields, PyObject *key, PyObject *value) {
    const char *name = plain_text(key);
    const core_field *field = fields;
    while (name && field->name && strcmp(field->name, name) != 0)
        field++;
    if (name && field->name)
        return read_member((char *)record + field->offset, field, value);
    PyErr_Format(PyExc_TypeError, "there is no option %R", key);
    return false;
}

PyObject *core_own(PyObject *dictionary) {
    if (dictionary && PyDict_Check(dictionary))
        return PyDict_Copy(dictionary);
    return Py_NewRef(dictionary ? dictionary : Py_None);
}

/* A value may be an object whose __index__() changes the dictionary, so a copy is read. */
bool core_read(void *record, const core_field *fields, PyObject *dictionary) {
    PyObject *key = NULL, *value = NULL;
    Py_ssize_t position = 0;
    if (!dictionary || dictionary == Py_None)
        return true;
    if (!PyDict_Check(dictionary)) {
        PyErr_SetString(PyExc_TypeError, "options: expected a dict");
        return false;
    }
    PyObject *own = core_own(dictionary);
    bool is_read = own != NULL;
    while (is_read && PyDict_Next(own, &position, &key, &value))
        is_read = read_entry(record, fields, key, value);
    Py_XDECREF(own);
    return is_read;
}

/* ---- out ---------------------------------------------------------------------------------------- */

static PyObject *write_member(const char *at, const core_field *field) {
    int choice = 0;
    switch (field->kind) {
    case CORE_BOOL:
        return PyBool_FromLong(*(const bool *)at);
    case CORE_SIZE:
        if (*(const size_t *)at == SIZE_MAX)
            return Py_NewRef(Py_None);
        return PyLong_FromSize_t(*(const size_t *)at);
    case CORE_UINT64:
        return PyLong_FromUnsignedLongLong(*(const uint64_t *)at);
    case CORE_UINT32:
        return PyLong_FromUnsignedLong(*(const uint32_t *)at);
    case CORE_DOUBLE:
        return PyFloat_FromDouble(*(const double *)at);
    case CORE_TEXT:
        return core_text(*(const char *const *)at);
    case CORE_CHARS:
        return core_text(at);
    case CORE_CHOICE:
        memcpy(&choice, at, sizeof choice);
        return core_text(field->choices[choice]);
    }
    return NULL;
}

PyObject *core_write(const void *record, const core_field *fields) {
    PyObject *dictionary = PyDict_New();
    for (; dictionary && fields->name; fields++) {
        PyObject *value = write_member((const char *)record + fields->offset, fields);
        if (!value || PyDict_SetItemString(dictionary, fields->name, value) < 0)
            Py_CLEAR(dictionary);
        Py_XDECREF(value);
    }
    return dictionary;
}

PyObject *core_text(const char *text) {
    if (!text)
        return Py_NewRef(Py_None);
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}

PyObject *core_bytes(void *bytes, size_t size) {
    PyObject *out = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
    isg_bytes_free(bytes);
    return out;
}

PyObject *core_path(PyObject *path, const char *name, const char **out) {
    PyObject *bytes = NULL;
    if (!PyUnicode_FSConverter(path, &bytes)) {
        if (PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_Format(PyExc_TypeError, "%s: expected a path, found %R", name,
                         (PyObject *)Py_TYPE(path));
        return NULL;
    }
    *out = PyBytes_AsString(bytes);
    return bytes;
}

bool core_texts(const char ***out, PyObject **keep, PyObject *sequence, const char *name,
                size_t count) {
    *out = NULL;
    *keep = NULL;
    if (!sequence || sequence == Py_None)
        return true;
    PyObject *list = PySequence_List(sequence);
    if (!list)
        return false;
    const char **texts = NULL;
    if ((size_t)PyList_Size(list) != count) {
        PyErr_Format(PyExc_ValueError, "%s: expected %zu texts, found %zd", name, count,
                     PyList_Size(list));
        goto failed;
    }
    texts = PyMem_Calloc(count ? count : 1, sizeof *texts);
    if (!texts) {
        PyErr_NoMemory();
        goto failed;
    }
    for (size_t k = 0; k < count; k++) {
        PyObject *item = PyList_GetItem(list, (Py_ssize_t)k);
        if (item == Py_None)
            continue;
        Py_ssize_t length = 0;
        texts[k] = PyUnicode_Check(item) ? PyUnicode_AsUTF8AndSize(item, &length) : NULL;
        if (!texts[k] || strlen(texts[k]) != (size_t)length) {
            PyErr_Clear();
            PyErr_Format(PyExc_ValueError, "%s: entry %zu: expected a text, found %R", name, k,
                         item);
            goto failed;
        }
    }
    *out = texts;
    *keep = list;
    return true;
failed:
    PyMem_Free((void *)(uintptr_t)texts);
    Py_DECREF(list);
    return false;
}
