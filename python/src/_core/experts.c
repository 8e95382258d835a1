/* experts.c - one RBM for every class
 *
 * SPDX-License-Identifier: MIT
 */
#include "files.h"

#include <math.h>

static const core_field info_fields[] = {CORE_FIELD(isg_experts_info, n_experts, CORE_SIZE),
                                         CORE_FIELD(isg_experts_info, n_classes, CORE_SIZE),
                                         CORE_FIELD(isg_experts_info, n_visible, CORE_SIZE),
                                         CORE_FIELD(isg_experts_info, n_hidden, CORE_SIZE),
                                         CORE_FIELD(isg_experts_info, epochs, CORE_UINT64),
                                         CORE_FIELD(isg_experts_info, next, CORE_SIZE),
                                         {NULL, 0, 0, NULL}};

#define TRAIN(member, kind) CORE_NAMED(#member, isg_expert_options, train.member, kind)
static const core_field option_fields[] = {
    CORE_FIELD(isg_expert_options, joint, CORE_BOOL),
    CORE_FIELD(isg_expert_options, per_class, CORE_SIZE),
    CORE_FIELD(isg_expert_options, cap, CORE_BOOL),
    CORE_ENUM("init", isg_expert_options, start, core_starts),
    CORE_FIELD(isg_expert_options, deviation, CORE_DOUBLE),
    CORE_FIELD(isg_expert_options, beta, CORE_DOUBLE),
    TRAIN(batch_size, CORE_SIZE),
    TRAIN(gibbs_steps, CORE_SIZE),
    CORE_ENUM("estimator", isg_expert_options, train.estimator, core_estimators),
    TRAIN(persistent, CORE_BOOL),
    TRAIN(fields, CORE_BOOL),
    TRAIN(shuffle, CORE_BOOL),
    TRAIN(impute_sweeps, CORE_SIZE),
    TRAIN(seed, CORE_UINT64),
    {NULL, 0, 0, NULL}};

static isg_experts *experts_of(PyObject *self) {
    return ((core_object *)self)->handle;
}

static PyObject *defaults(PyObject *none, PyObject *nothing) {
    const isg_expert_options options = isg_expert_defaults();
    (void)none, (void)nothing;
    PyObject *written = core_write(&options, option_fields);
    PyObject *rate = written ? PyFloat_FromDouble(options.train.rates[0].rate) : NULL;
    if (!rate || PyDict_SetItemString(written, "learning_rate", rate) < 0)
        Py_CLEAR(written);
    Py_XDECREF(rate);
    return written;
}

/* ---- making ------------------------------------------------------------------------------------- */

/* The schedule (n, 2) of rates and the epochs from which they hold; the library checks the rest. */
static bool read_rates(isg_rate **out, const core_array *array) {
    const double *numbers = array->view.buf;
    if (array->cols != 2 || array->rows == 0) {
        PyErr_Format(PyExc_ValueError, "rates: expected the shape (n, 2), found (%zu, %zu)",
                     array->rows, array->cols);
        return false;
    }
    isg_rate *rates = PyMem_Calloc(array->rows, sizeof *rates);
    if (!rates) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t k = 0; k < array->rows; k++) {
        const double epoch = numbers[2 * k + 1];
        if (!(epoch >= 0 && epoch <= 1e15 && floor(epoch) == epoch)) {
            PyErr_Format(PyExc_ValueError,
                         "rates: entry %zu: expected an epoch, a whole number from 0 on", k);
            PyMem_Free(rates);
            return false;
        }
        rates[k] = (isg_rate){numbers[2 * k], (size_t)epoch};
    }
    *out = rates;
    return true;
}

/* New experts, as they were saved if a path says where. If that fails, some may have been loaded and others not,
   which is why loading is a part of making. */
static isg_status make(isg_experts **out, const isg_dataset *data,
                       const isg_expert_options *options, const char *path, core_call *call) {
    isg_experts *made = NULL;
    isg_status status = isg_experts_create(&made, data, options, core_progress(call));
    if (status == ISG_OK && path)
        status = isg_experts_load(made, path);
    if (status == ISG_OK)
        *out = made;
    else
        isg_experts_free(made);
    return status;
}

static PyObject *make_object(PyObject *data, const isg_expert_options *options, const char *path,
                             PyObject *progress) {
    isg_experts *out = NULL;
    core_call call;
    bool is_done = false;
    if (!core_share(data))
        return NULL;
    if (core_enter(&call, progress))
        is_done =
            core_leave(&call, make(&out, ((core_object *)data)->handle, options, path, &call));
    core_unshare(data);
    if (!is_done) {
        isg_experts_free(out);
        return NULL;
    }
    return core_wrap(CORE_EXPERTS, out, NULL);
}

static PyObject *create(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "options", "rates", "checkpoint", "progress", NULL};
    PyObject *data = NULL, *options = NULL, *list = NULL, *path = NULL, *progress = NULL;
    isg_expert_options chosen = isg_expert_defaults();
    const char *name = NULL;
    isg_rate *rates = NULL;
    core_array array = {.is_held = false};
    PyObject *kept = NULL, *made = NULL;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OOOO", names, &data, &options, &list,
                                     &path, &progress) ||
        !core_unwrap(data, CORE_DATASET, "data") || !core_read(&chosen, option_fields, options))
        return NULL;
    if (list && list != Py_None) {
        if (!core_array_get(&array, list, "rates", ISG_NUMBER_FLOAT64, 2, CORE_READ) ||
            !read_rates(&rates, &array))
            goto done;
        chosen.train.rates = rates;
        chosen.train.n_rates = array.rows;
    }
    if (path && path != Py_None && !(kept = core_path(path, "checkpoint", &name)))
        goto done;
    made = make_object(data, &chosen, name, progress);
done:
    core_array_release(&array);
    PyMem_Free(rates);
    Py_XDECREF(kept);
    return made;
}

/* ---- training ----------------------------------------------------------------------------------- */

static PyObject *step(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"progress", NULL};
    PyObject *progress = NULL;
    core_call call;
    bool is_done = false;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O", names, &progress) ||
        !core_claim(self))
        return NULL;
    if (core_enter(&call, progress))
        is_done = core_leave(&call, isg_experts_step(experts_of(self), core_progress(&call)));
    core_unclaim(self);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

static isg_status save_handle(const void *handle, const char *path) {
    return isg_experts_save(handle, path);
}

static PyObject *save(PyObject *self, PyObject *path) {
    return core_checkpoint(self, path, save_handle);
}

/* ---- looking ------------------------------------------------------------------------------------ */

static PyObject *describe(PyObject *self, PyObject *none) {
    (void)none;
    if (!core_share(self))
        return NULL;
    const isg_experts_info info = isg_experts_describe(experts_of(self));
    core_unshare(self);
    return core_write(&info, info_fields);
}

/* A copy, since nobody else may change what the experts train. */
static PyObject *rbm(PyObject *self, PyObject *arguments) {
    Py_ssize_t k = 0;
    isg_rbm *out = NULL;
    if (!PyArg_ParseTuple(arguments, "n", &k) || !core_share(self))
        return NULL;
    const isg_rbm *found = k >= 0 ? isg_experts_rbm(experts_of(self), (size_t)k) : NULL;
    const isg_status status = found ? isg_rbm_copy(&out, found) : ISG_OK;
    core_unshare(self);
    if (!found)
        return PyErr_Format(PyExc_IndexError, "k: there is no expert %zd", k);
    return status == ISG_OK ? core_wrap(CORE_RBM, out, NULL) : core_raise(status);
}

static PyMethodDef methods[] = {
    CORE_STATIC("create", create, "One for each class of the data, or a joint one."),
    {"defaults", defaults, METH_NOARGS | METH_STATIC, "isg_expert_defaults() as a dict."},
    CORE_METHOD("step", step, "Finishes the epoch of one expert, or trains its next."),
    {"save", save, METH_O, "Writes a checkpoint for create()."},
    CORE_NO_ARGUMENTS("describe", describe, "isg_experts_info as a dict."),
    {"rbm", rbm, METH_VARARGS, "A copy of expert number k."},
    {NULL, NULL, 0, NULL}};

static void release(void *handle) {
    isg_experts_free(handle);
}

bool core_add_experts(PyObject *module) {
    return core_add_type(module, CORE_EXPERTS, "Experts", "isg_experts", release, methods);
}
