/* dataset_parts.c - data from data: parts of them, and missing values filled in
 *
 * SPDX-License-Identifier: MIT
 */
#include "dataset.h"

PyObject *core_dataset_select(PyObject *self, PyObject *rows) {
    const size_t n = isg_dataset_describe(dataset_of(self)).n_samples;
    isg_dataset *out = NULL;
    core_array array;
    if (sizeof(size_t) != sizeof(uint64_t)) {
        PyErr_SetString(PyExc_NotImplementedError, "rows: need 64-bit sizes");
        return NULL;
    }
    if (!core_array_get(&array, rows, "rows", ISG_NUMBER_UINT64, 1, CORE_READ))
        return NULL;
    const uint64_t *wanted = array.view.buf;
    for (size_t k = 0; k < array.rows; k++)
        if (wanted[k] >= n) {
            PyErr_Format(PyExc_IndexError, "rows: expected numbers below %zu, found %llu", n,
                         (unsigned long long)wanted[k]);
            core_array_release(&array);
            return NULL;
        }
    const isg_status status =
        isg_dataset_select(&out, dataset_of(self), array.view.buf, array.rows);
    core_array_release(&array);
    return status == ISG_OK ? core_wrap(CORE_DATASET, out, NULL) : core_raise(status);
}

PyObject *core_dataset_split(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"fraction", "seed", NULL};
    double fraction = 0;
    unsigned long long seed = 0;
    isg_dataset *first = NULL, *second = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "dK", names, &fraction, &seed))
        return NULL;
    const isg_status status = isg_dataset_split(&first, &second, dataset_of(self), fraction, seed);
    if (status != ISG_OK)
        return core_raise(status);
    PyObject *one = core_wrap(CORE_DATASET, first, NULL);
    PyObject *two = core_wrap(CORE_DATASET, second, NULL);
    PyObject *both = one && two ? PyTuple_Pack(2, one, two) : NULL;
    Py_XDECREF(one);
    Py_XDECREF(two);
    return both;
}

/* ---- missing values ----------------------------------------------------------------------------- */

static const core_field impute_fields[] = {CORE_FIELD(isg_impute_options, marginal, CORE_BOOL),
                                           CORE_FIELD(isg_impute_options, sweeps, CORE_SIZE),
                                           CORE_FIELD(isg_impute_options, measured, CORE_SIZE),
                                           CORE_FIELD(isg_impute_options, seed, CORE_UINT64),
                                           {NULL, 0, 0, NULL}};

PyObject *core_dataset_impute_defaults(PyObject *none, PyObject *nothing) {
    const isg_impute_options options = isg_impute_defaults();
    (void)none, (void)nothing;
    return core_write(&options, impute_fields);
}

PyObject *core_dataset_impute(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"rbm", "options", "progress", NULL};
    PyObject *rbm = NULL, *options = NULL, *progress = NULL, *made = NULL;
    isg_impute_options how = isg_impute_defaults();
    isg_dataset *out = NULL;
    core_call call;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OO", names, &rbm, &options,
                                     &progress) ||
        !core_unwrap(rbm, CORE_RBM, "rbm") || !core_read(&how, impute_fields, options) ||
        !core_share(rbm))
        return NULL;
    if (core_enter(&call, progress)) {
        const isg_status status = isg_dataset_impute(
            &out, dataset_of(self), ((core_object *)rbm)->handle, &how, core_progress(&call));
        if (core_leave(&call, status))
            made = core_wrap(CORE_DATASET, out, NULL);
        else if (status == ISG_OK)
            isg_dataset_free(out);
    }
    core_unshare(rbm);
    return made;
}

PyObject *core_dataset_probabilities(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"rbm", "out", "options", "progress", NULL};
    PyObject *rbm = NULL, *out = NULL, *options = NULL, *progress = NULL;
    const isg_dataset_info info = isg_dataset_describe(dataset_of(self));
    isg_impute_options how = isg_impute_defaults();
    core_array array;
    core_call call;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|OO", names, &rbm, &out, &options,
                                     &progress) ||
        !core_unwrap(rbm, CORE_RBM, "rbm") || !core_read(&how, impute_fields, options) ||
        !core_array_get(&array, out, "out", ISG_NUMBER_FLOAT64, 2, CORE_WRITE))
        return NULL;
    bool is_done =
        core_array_check(&array, "out", info.n_samples, info.n_visible) && core_share(rbm);
    if (is_done) {
        is_done = core_enter(&call, progress);
        if (is_done) {
            const isg_status status =
                isg_impute_probabilities(core_matd(&array), dataset_of(self),
                                         ((core_object *)rbm)->handle, &how, core_progress(&call));
            is_done = core_leave(&call, status);
        }
        core_unshare(rbm);
    }
    core_array_release(&array);
    return is_done ? Py_NewRef(Py_None) : NULL;
}
