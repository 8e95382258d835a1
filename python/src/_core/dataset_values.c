/* dataset_values.c - data from files and from values in memory
 *
 * SPDX-License-Identifier: MIT
 */
#include "dataset.h"

#include <string.h>

static const char *const headers[] = {"auto", "yes", "no", NULL};

/* Paths, the rule and the encoding are arguments of their own: they are no plain values. */
static const core_field option_fields[] = {
    CORE_FIELD(isg_dataset_options, label_column, CORE_TEXT),
    CORE_FIELD(isg_dataset_options, id_column, CORE_TEXT),
    CORE_FIELD(isg_dataset_options, ignore_columns, CORE_TEXT),
    CORE_ENUM("header", isg_dataset_options, header, headers),
    CORE_FIELD(isg_dataset_options, transpose, CORE_BOOL),
    CORE_FIELD(isg_dataset_options, one_hot, CORE_BOOL),
    CORE_FIELD(isg_dataset_options, use_own_rule, CORE_BOOL),
    CORE_FIELD(isg_dataset_options, full_scale, CORE_DOUBLE),
    CORE_ENUM("missing", isg_dataset_options, missing, core_missing),
    CORE_FIELD(isg_dataset_options, drop_constant, CORE_BOOL),
    CORE_FIELD(isg_dataset_options, image_height, CORE_SIZE),
    CORE_FIELD(isg_dataset_options, image_width, CORE_SIZE),
    CORE_FIELD(isg_dataset_options, only_class, CORE_TEXT),
    CORE_FIELD(isg_dataset_options, limit, CORE_SIZE),
    CORE_FIELD(isg_dataset_options, keep_unlabelled, CORE_BOOL),
    CORE_FIELD(isg_dataset_options, expected_sha256, CORE_TEXT),
    CORE_FIELD(isg_dataset_options, expected_labels_sha256, CORE_TEXT),
    {NULL, 0, 0, NULL}};

PyObject *core_dataset_defaults(PyObject *none, PyObject *nothing) {
    const isg_dataset_options options = isg_dataset_defaults();
    (void)none, (void)nothing;
    return core_write(&options, option_fields);
}

/* The options of a dictionary, a rule as a text (NULL: the library's) and an encoding (None: none). */
static bool read_options(isg_dataset_options *out, PyObject *options, const char *rule,
                         PyObject *encoding) {
    *out = isg_dataset_defaults();
    if (!core_read(out, option_fields, options))
        return false;
    out->encoding = core_unwrap_optional(encoding, CORE_ENCODING, "like");
    if (PyErr_Occurred())
        return false;
    if (!rule || isg_binarize_parse(rule, &out->binarize, &out->binarize_at) == ISG_OK)
        return true;
    PyErr_Format(PyExc_ValueError, "binarize: %s", isg_error_message());
    return false;
}

/* ---- files -------------------------------------------------------------------------------------- */

PyObject *core_dataset_load(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"path", "labels", "rule", "encoding", "options", "progress", NULL};
    PyObject *path = NULL, *labels = Py_None, *encoding = NULL, *options = NULL, *progress = NULL;
    PyObject *kept_path = NULL, *kept_labels = NULL, *own = NULL, *made = NULL;
    const char *rule = NULL, *name = NULL;
    isg_dataset_options how;
    isg_dataset *out = NULL;
    core_call call;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OzOOO", names, &path, &labels, &rule,
                                     &encoding, &options, &progress) ||
        !(own = core_own(options)))
        return NULL;
    if (read_options(&how, own, rule, encoding))
        kept_path = core_path(path, "path", &name);
    if (kept_path && labels != Py_None)
        kept_labels = core_path(labels, "labels", &how.labels_path);
    if (kept_path && (kept_labels || labels == Py_None) && core_enter(&call, progress)) {
        const isg_status status = isg_dataset_load(&out, name, &how, core_progress(&call));
        if (core_leave(&call, status))
            made = core_wrap(CORE_DATASET, out, NULL);
        else if (status == ISG_OK)
            isg_dataset_free(out);
    }
    Py_XDECREF(kept_path);
    Py_XDECREF(kept_labels);
    Py_DECREF(own);
    return made;
}

/* ---- values in memory --------------------------------------------------------------------------- */

/* What the library borrows during the call. */
typedef struct borrowed {
    core_array data, indices, indptr;
    const char **labels, **units, **ids;
    PyObject *kept_labels, *kept_units, *kept_ids, *own; /* own: the dictionary of options */
} borrowed;

static void give_back(borrowed *from) {
    core_array_release(&from->data);
    core_array_release(&from->indices);
    core_array_release(&from->indptr);
    PyMem_Free((void *)(uintptr_t)from->labels);
    PyMem_Free((void *)(uintptr_t)from->units);
    PyMem_Free((void *)(uintptr_t)from->ids);
    Py_XDECREF(from->kept_labels);
    Py_XDECREF(from->kept_units);
    Py_XDECREF(from->kept_ids);
    Py_XDECREF(from->own);
}

static bool take_dense(isg_values *out, borrowed *from, PyObject *data) {
    if (!core_array_any(&from->data, data, "X"))
        return false;
    const Py_buffer *view = &from->data.view;
    if (view->ndim != 2) {
        PyErr_Format(PyExc_ValueError, "X: expected 2 dimensions, found %d", view->ndim);
        return false;
    }
    out->rows = from->data.rows;
    out->columns = from->data.cols;
    out->type = from->data.type;
    out->data = view->buf;
    out->row_stride = view->strides[0];
    out->column_stride = view->strides[1];
    return true;
}

/* The arrays of a sparse matrix; the library checks what they say, after the sizes are known to be right. */
static bool take_sparse(isg_values *out, borrowed *from, PyObject *data, PyObject *indices,
                        PyObject *indptr, Py_ssize_t rows, Py_ssize_t columns) {
    if (rows < 0 || columns < 0) {
        PyErr_Format(PyExc_ValueError, "shape: expected sizes from 0 on, found (%zd, %zd)", rows,
                     columns);
        return false;
    }
    if (!core_array_any(&from->data, data, "data") ||
        !core_array_any(&from->indices, indices, "indices") ||
        !core_array_any(&from->indptr, indptr, "indptr"))
        return false;
    const core_array *arrays[] = {&from->data, &from->indices, &from->indptr};
    static const char *const names[] = {"data", "indices", "indptr"};
    for (size_t k = 0; k < 3; k++) {
        const Py_buffer *view = &arrays[k]->view;
        if (view->ndim != 1 || (view->shape[0] > 1 && view->strides[0] != view->itemsize)) {
            PyErr_Format(PyExc_ValueError, "%s: expected one contiguous dimension", names[k]);
            return false;
        }
        if (k > 0 &&
            (arrays[k]->type != from->indices.type ||
             (arrays[k]->type != ISG_NUMBER_INT32 && arrays[k]->type != ISG_NUMBER_INT64))) {
            PyErr_Format(PyExc_ValueError,
                         "%s: expected int32 or int64, the same for both indices and "
                         "indptr",
                         names[k]);
            return false;
        }
    }
    if (!core_array_check(&from->indptr, "indptr", (size_t)rows + 1, 1) ||
        !core_array_check(&from->indices, "indices", from->data.rows, 1))
        return false;
    out->rows = (size_t)rows;
    out->columns = (size_t)columns;
    out->type = from->data.type;
    out->data = from->data.view.buf;
    out->indices = from->indices.view.buf;
    out->indptr = from->indptr.view.buf;
    out->index_type = from->indices.type;
    out->n_stored = from->data.rows;
    return true;
}

/* One text for each sample, or unit. */
static bool take_texts(isg_values *out, borrowed *from, bool transpose, PyObject *labels,
                       PyObject *units, PyObject *ids) {
    const size_t n_samples = transpose ? out->columns : out->rows;
    const size_t n_units = transpose ? out->rows : out->columns;
    if (!core_texts(&from->labels, &from->kept_labels, labels, "y", n_samples) ||
        !core_texts(&from->units, &from->kept_units, units, "unit_names", n_units) ||
        !core_texts(&from->ids, &from->kept_ids, ids, "ids", n_samples))
        return false;
    out->labels = from->labels;
    out->unit_names = from->units;
    out->ids = from->ids;
    return true;
}

PyObject *core_dataset_from_values(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"X",          "indices", "indptr",       "shape",       "labels",
                            "unit_names", "ids",     "image_height", "image_width", "rule",
                            "encoding",   "options", "progress",     NULL};
    PyObject *data = NULL, *indices = Py_None, *indptr = Py_None, *labels = NULL, *units = NULL;
    PyObject *ids = NULL, *encoding = NULL, *options = NULL, *progress = NULL, *made = NULL;
    Py_ssize_t rows = 0, columns = 0, height = 0, width = 0;
    const char *rule = NULL;
    isg_values values = {.name = "X"};
    isg_dataset_options how;
    borrowed from;
    isg_dataset *out = NULL;
    core_call call;
    (void)none;
    memset(&from, 0, sizeof from);
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OO(nn)OOOnnzOOO", names, &data,
                                     &indices, &indptr, &rows, &columns, &labels, &units, &ids,
                                     &height, &width, &rule, &encoding, &options, &progress) ||
        !(from.own = core_own(options)))
        return NULL;
    values.image_height = height > 0 ? (size_t)height : 0;
    values.image_width = width > 0 ? (size_t)width : 0;
    if (read_options(&how, from.own, rule, encoding) &&
        (indices == Py_None ? take_dense(&values, &from, data)
                            : take_sparse(&values, &from, data, indices, indptr, rows, columns)) &&
        take_texts(&values, &from, how.transpose, labels, units, ids) &&
        core_enter(&call, progress)) {
        const isg_status status =
            isg_dataset_from_values(&out, &values, &how, core_progress(&call));
        if (core_leave(&call, status))
            made = core_wrap(CORE_DATASET, out, NULL);
        else if (status == ISG_OK)
            isg_dataset_free(out);
    }
    give_back(&from);
    return made;
}
