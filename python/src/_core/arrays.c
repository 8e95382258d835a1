/* arrays.c - arrays by the buffer protocol, in and out
 *
 * SPDX-License-Identifier: MIT
 */
#include "core.h"

#include <string.h>

/* ---- in ----------------------------------------------------------------------------------------- */

static const char *const type_names[] = {"bool",   "int8",  "uint8",  "int16",   "uint16", "int32",
                                         "uint32", "int64", "uint64", "float32", "float64"};

/* The type of a struct format of one native number; false for any other. Sizes decide, since 'l' differs between
   machines. */
static bool type_of(const char *format, Py_ssize_t bytes, isg_number *out) {
    static const isg_number wholes[9] = {[1] = ISG_NUMBER_INT8,
                                         [2] = ISG_NUMBER_INT16,
                                         [4] = ISG_NUMBER_INT32,
                                         [8] = ISG_NUMBER_INT64};
    const uint16_t one = 1;
    const char other_order = *(const uint8_t *)&one ? '>' : '<';
    if (!format)
        format = "B";
    if (*format == other_order || (*format == '!' && other_order == '>'))
        return false;
    if (*format != '\0' && strchr("@=<>!", *format))
        format++;
    if (*format == '\0' || format[1] != '\0')
        return false;
    if (*format == '?')
        return *out = ISG_NUMBER_BOOL, bytes == sizeof(bool);
    if (*format == 'f')
        return *out = ISG_NUMBER_FLOAT32, bytes == sizeof(float);
    if (*format == 'd')
        return *out = ISG_NUMBER_FLOAT64, bytes == sizeof(double);
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) /* ctypes has items of no bytes */
        return false;
    const bool is_signed = strchr("bhilqn", *format) != NULL;
    if (!is_signed && !strchr("BHILQN", *format))
        return false;
    *out = wholes[bytes] + (is_signed ? 0 : 1); /* every unsigned type follows its signed one */
    return true;
}

static bool take(core_array *out, PyObject *object, const char *name, int flags) {
    *out = (core_array){.is_held = false};
    if (PyObject_GetBuffer(object, &out->view, flags) < 0) {
        PyObject *type = NULL, *value = NULL, *trace = NULL;
        PyErr_Fetch(&type, &value, &trace);
        PyErr_Format(PyErr_GivenExceptionMatches(type, PyExc_TypeError) ? PyExc_TypeError
                                                                        : PyExc_ValueError,
                     "%s: %S", name, value ? value : Py_None);
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
        return false;
    }
    out->is_held = true;
    if (!type_of(out->view.format, out->view.itemsize, &out->type)) {
        PyErr_Format(PyExc_TypeError, "%s: expected an array of native numbers, found format '%s'",
                     name, out->view.format ? out->view.format : "B");
        core_array_release(out);
        return false;
    }
    out->rows = out->view.ndim > 0 ? (size_t)out->view.shape[0] : 1;
    out->cols = 1;
    for (int k = 1; k < out->view.ndim; k++)
        out->cols *= (size_t)out->view.shape[k];
    return true;
}

bool core_array_get(core_array *out, PyObject *object, const char *name, isg_number type,
                    int n_dims, core_access access) {
    const int flags =
        PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (access == CORE_WRITE ? PyBUF_WRITABLE : 0);
    if (!take(out, object, name, flags))
        return false;
    if (out->type == type && out->view.ndim == n_dims) {
        if ((uintptr_t)out->view.buf % (size_t)out->view.itemsize == 0 || out->view.len == 0)
            return true;
        PyErr_Format(PyExc_ValueError, "%s: expected an aligned array", name);
        core_array_release(out);
        return false;
    }
    PyErr_Format(PyExc_ValueError, "%s: expected %s in %d dimension%s, found %s in %d", name,
                 type_names[type], n_dims, n_dims == 1 ? "" : "s", type_names[out->type],
                 out->view.ndim);
    core_array_release(out);
    return false;
}

bool core_array_any(core_array *out, PyObject *object, const char *name) {
    if (!take(out, object, name, PyBUF_FORMAT | PyBUF_STRIDES))
        return false;
    if (out->view.ndim < 1 || out->view.ndim > 3) {
        PyErr_Format(PyExc_ValueError, "%s: expected 1 to 3 dimensions, found %d", name,
                     out->view.ndim);
    } else if (!out->view.strides) { /* as ctypes answers, whatever it is asked */
        PyErr_Format(PyExc_TypeError, "%s: expected an array that tells its strides", name);
    } else {
        return true;
    }
    core_array_release(out);
    return false;
}

bool core_array_check(const core_array *array, const char *name, size_t rows, size_t cols) {
    if (array->rows == rows && array->cols == cols)
        return true;
    PyErr_Format(PyExc_ValueError, "%s: expected the shape (%zu, %zu), found (%zu, %zu)", name,
                 rows, cols, array->rows, array->cols);
    return false;
}

void core_array_release(core_array *array) {
    if (array->is_held)
        PyBuffer_Release(&array->view);
    array->is_held = false;
}

void core_unpack(const uint64_t *row, size_t n, int8_t *spins) {
    for (size_t i = 0; i < n; i++)
        spins[i] = (int8_t)isg_spin(row, i);
}

void core_pack(const int8_t *spins, size_t n, uint64_t *row) {
    memset(row, 0, (n + 63) / 64 * sizeof *row);
    for (size_t i = 0; i < n; i++)
        row[i / 64] |= (uint64_t)(spins[i] > 0) << (i % 64);
}

/* ---- out: views --------------------------------------------------------------------------------- */

/* What a view of memory that another object owns needs to answer. */
typedef struct view_shape {
    double *data;
    Py_ssize_t shape[2], strides[2];
    int n_dims;
    bool is_readonly;
} view_shape;

typedef struct view_object {
    core_object base;
    view_shape view;
} view_object;

static PyTypeObject *view_type;

static int get_buffer(PyObject *self, Py_buffer *out, int flags) {
    view_shape *view = &((view_object *)self)->view;
    const Py_ssize_t row = view->n_dims == 2 ? view->shape[1] : 1;
    const bool is_contiguous = view->shape[0] <= 1 || view->n_dims == 1 ||
                               view->strides[0] == row * (Py_ssize_t)sizeof(double);
    out->obj = NULL;
    if ((flags & PyBUF_WRITABLE) && view->is_readonly) {
        PyErr_SetString(PyExc_BufferError, "this array is read-only");
        return -1;
    }
    const bool is_fortran =
        view->n_dims == 1 || (is_contiguous && (view->shape[0] <= 1 || row <= 1));
    const bool wants_c = (flags & PyBUF_STRIDES) != PyBUF_STRIDES ||
                         (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS ||
                         (flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS;
    const bool wants_fortran = (flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS;
    if ((wants_c && !is_contiguous) || (wants_fortran && !is_fortran)) {
        PyErr_SetString(PyExc_BufferError, "this array is not contiguous");
        return -1;
    }
    *out = (Py_buffer){.buf = view->data,
                       .obj = Py_NewRef(self),
                       .len = view->shape[0] * row * (Py_ssize_t)sizeof(double),
                       .itemsize = sizeof(double),
                       .readonly = view->is_readonly,
                       .ndim = view->n_dims,
                       .format = flags & PyBUF_FORMAT ? "d" : NULL,
                       .shape = flags & PyBUF_ND ? view->shape : NULL,
                       .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? view->strides : NULL};
    return 0;
}

static void dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((view_object *)self)->base.owner);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

PyObject *core_view_new(PyObject *owner, const double *data, size_t rows, size_t cols,
                        size_t stride, bool is_readonly) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(view_type, Py_tp_alloc);
    view_object *self = (view_object *)allocate(view_type, 0);
    if (!self)
        return NULL;
    self->base.owner = Py_NewRef(owner);
    self->view = (view_shape){
        .data = (double *)(uintptr_t)data,
        .shape = {(Py_ssize_t)rows, (Py_ssize_t)cols},
        .strides = {(Py_ssize_t)((cols ? stride : 1) * sizeof(double)), sizeof(double)},
        .n_dims = cols ? 2 : 1,
        .is_readonly = is_readonly};
    return (PyObject *)self;
}

bool core_add_view(PyObject *module) {
    PyType_Slot slots[] = {
        {Py_tp_dealloc, (void *)(uintptr_t)dealloc},
        {Py_bf_getbuffer, (void *)(uintptr_t)get_buffer},
        {Py_tp_doc, "Memory of the library, without a copy: numpy.asarray(view)."},
        {0, NULL}};
    PyType_Spec spec = {.name = "isinglass._core.View",
                        .basicsize = sizeof(view_object),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                                 Py_TPFLAGS_IMMUTABLETYPE,
                        .slots = slots};
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    view_type = (PyTypeObject *)type;
    return type && PyModule_AddObjectRef(module, "View", type) == 0;
}
