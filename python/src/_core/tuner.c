/* tuner.c - fine-tuning of a classifier
 *
 * SPDX-License-Identifier: MIT
 *
 * A tuner borrows its data, which its object keeps alive.
 */
#include "classifier.h"
#include "files.h"

static const core_field option_fields[] = {CORE_FIELD(isg_tune_options, epochs, CORE_SIZE),
                                           CORE_FIELD(isg_tune_options, batch_size, CORE_SIZE),
                                           CORE_FIELD(isg_tune_options, rate, CORE_DOUBLE),
                                           CORE_FIELD(isg_tune_options, logits_rate, CORE_DOUBLE),
                                           CORE_FIELD(isg_tune_options, shift, CORE_SIZE),
                                           CORE_FIELD(isg_tune_options, balanced, CORE_BOOL),
                                           CORE_FIELD(isg_tune_options, seed, CORE_UINT64),
                                           {NULL, 0, 0, NULL}};

static const core_field info_fields[] = {
    CORE_NAMED("epochs", isg_tuner_info, state.epochs, CORE_UINT64),
    CORE_NAMED("updates", isg_tuner_info, state.updates, CORE_UINT64),
    CORE_NAMED("batch", isg_tuner_info, state.batch, CORE_SIZE),
    CORE_NAMED("n_batches", isg_tuner_info, state.n_batches, CORE_SIZE),
    CORE_FIELD(isg_tuner_info, loss, CORE_DOUBLE),
    CORE_FIELD(isg_tuner_info, error, CORE_DOUBLE),
    {NULL, 0, 0, NULL}};

static isg_tuner *tuner_of(PyObject *self) {
    return ((core_object *)self)->handle;
}

PyObject *core_tuned_options(const isg_classifier_info *info) {
    return core_write(&info->tuned, option_fields);
}

static PyObject *defaults(PyObject *none, PyObject *nothing) {
    const isg_tune_options options = isg_tune_defaults();
    (void)none, (void)nothing;
    return core_write(&options, option_fields);
}

/* ---- making ------------------------------------------------------------------------------------- */

static PyObject *wrap(isg_status status, isg_tuner *made, PyObject *data) {
    return status == ISG_OK ? core_wrap(CORE_TUNER, made, data) : core_raise(status);
}

static PyObject *create(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"start", "data", "options", NULL};
    PyObject *start = NULL, *data = NULL, *options = NULL;
    isg_tune_options chosen = isg_tune_defaults();
    isg_tuner *made = NULL;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|O", names, &start, &data, &options) ||
        !core_unwrap(start, CORE_CLASSIFIER, "start") || !core_unwrap(data, CORE_DATASET, "data") ||
        !core_read(&chosen, option_fields, options) ||
        !core_share(data)) /* a classifier never changes */
        return NULL;
    const isg_status status =
        isg_tuner_create(&made, classifier_of(start), ((core_object *)data)->handle, &chosen);
    core_unshare(data);
    return wrap(status, made, data);
}

static PyObject *load(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"path", "data", "options", NULL};
    PyObject *path = NULL, *data = NULL, *options = NULL, *kept = NULL;
    isg_tune_options chosen = isg_tune_defaults();
    isg_tuner *made = NULL;
    const char *name = NULL;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|O", names, &path, &data, &options) ||
        !core_unwrap(data, CORE_DATASET, "data") || !core_read(&chosen, option_fields, options) ||
        !(kept = core_path(path, "path", &name)))
        return NULL;
    if (!core_share(data)) {
        Py_DECREF(kept);
        return NULL;
    }
    const isg_status status = isg_tuner_load(&made, name, ((core_object *)data)->handle, &chosen);
    core_unshare(data);
    Py_DECREF(kept);
    return wrap(status, made, data);
}

/* ---- training ----------------------------------------------------------------------------------- */

static PyObject *epoch(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"progress", NULL};
    PyObject *progress = NULL, *data = ((core_object *)self)->owner;
    core_call call;
    bool is_done = false;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O", names, &progress) ||
        !core_claim(self))
        return NULL;
    if (core_share(data)) {
        if (core_enter(&call, progress))
            is_done = core_leave(&call, isg_tuner_epoch(tuner_of(self), core_progress(&call)));
        core_unshare(data);
    }
    core_unclaim(self);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

static isg_status save_handle(const void *handle, const char *path) {
    return isg_tuner_save(handle, path);
}

static PyObject *save(PyObject *self, PyObject *path) {
    return core_checkpoint(self, path, save_handle);
}

/* ---- looking ------------------------------------------------------------------------------------ */

static PyObject *describe(PyObject *self, PyObject *none) {
    (void)none;
    if (!core_share(self))
        return NULL;
    const isg_tuner_info info = isg_tuner_describe(tuner_of(self));
    core_unshare(self);
    return core_write(&info, info_fields);
}

static PyObject *classifier(PyObject *self, PyObject *none) {
    isg_classifier *out = NULL;
    (void)none;
    if (!core_share(self))
        return NULL;
    const isg_status status = isg_tuner_classifier(&out, tuner_of(self));
    core_unshare(self);
    return status == ISG_OK ? core_wrap(CORE_CLASSIFIER, out, NULL) : core_raise(status);
}

static PyMethodDef methods[] = {
    CORE_STATIC("create", create, "From a classifier, for data."),
    CORE_STATIC("load", load, "From a file of save(), for the same data and options."),
    {"defaults", defaults, METH_NOARGS | METH_STATIC, "isg_tune_defaults() as a dict."},
    CORE_METHOD("epoch", epoch, "Finishes the epoch, or does the next."),
    {"save", save, METH_O, "Writes a checkpoint for load()."},
    CORE_NO_ARGUMENTS("describe", describe, "isg_tuner_info as a dict."),
    CORE_NO_ARGUMENTS("classifier", classifier, "The classifier as it is now, a copy."),
    {NULL, NULL, 0, NULL}};

static void release(void *handle) {
    isg_tuner_free(handle);
}

bool core_add_tuner(PyObject *module) {
    return core_add_type(module, CORE_TUNER, "Tuner", "isg_tuner", release, methods);
}
