/* classifier.c - logistic regression on what RBMs compute from a sample
 *
 * SPDX-License-Identifier: MIT
 */
#include "core.h"

/* Samples predicted between two looks at signals: as many as the library takes at a time. */
enum { PORTION = 4096 };

static const char *const methods_of_fit[] = {"auto", "newton", "lbfgs", NULL};

static const core_field info_fields[] = {
    CORE_FIELD(isg_classifier_info, n_classes, CORE_SIZE),
    CORE_FIELD(isg_classifier_info, n_visible, CORE_SIZE),
    CORE_FIELD(isg_classifier_info, n_rbms, CORE_SIZE),
    CORE_FIELD(isg_classifier_info, n_hidden, CORE_SIZE),
    CORE_ENUM("features", isg_classifier_info, features, core_features),
    CORE_FIELD(isg_classifier_info, image_height, CORE_SIZE),
    CORE_FIELD(isg_classifier_info, image_width, CORE_SIZE),
    {NULL, 0, 0, NULL}};

static const core_field option_fields[] = {
    CORE_ENUM("method", isg_logistic_options, method, methods_of_fit),
    CORE_FIELD(isg_logistic_options, l2, CORE_DOUBLE),
    CORE_FIELD(isg_logistic_options, balanced, CORE_BOOL),
    CORE_FIELD(isg_logistic_options, standardize, CORE_BOOL),
    CORE_FIELD(isg_logistic_options, tolerance, CORE_DOUBLE),
    CORE_FIELD(isg_logistic_options, max_iterations, CORE_SIZE),
    {NULL, 0, 0, NULL}};

static const core_field report_fields[] = {
    CORE_ENUM("method", isg_logistic_report, method, methods_of_fit),
    CORE_FIELD(isg_logistic_report, converged, CORE_BOOL),
    CORE_FIELD(isg_logistic_report, iterations, CORE_SIZE),
    CORE_FIELD(isg_logistic_report, gradient, CORE_DOUBLE),
    CORE_FIELD(isg_logistic_report, loss, CORE_DOUBLE),
    CORE_FIELD(isg_logistic_report, penalty, CORE_DOUBLE),
    CORE_FIELD(isg_logistic_report, reason, CORE_CHARS),
    {NULL, 0, 0, NULL}};

static isg_classifier *classifier_of(PyObject *self) {
    return ((core_object *)self)->handle;
}

static PyObject *defaults(PyObject *none, PyObject *nothing) {
    const isg_logistic_options options = isg_logistic_defaults();
    (void)none, (void)nothing;
    return core_write(&options, option_fields);
}

/* ---- making ------------------------------------------------------------------------------------- */

/* RBMs that a call reads; each is shared. */
typedef struct rbm_list {
    PyObject *objects; /* a list of our own, which keeps them */
    const isg_rbm **rbms;
    size_t count; /* of those that are shared */
} rbm_list;

static void list_release(rbm_list *list) {
    for (size_t k = 0; k < list->count; k++)
        core_unshare(PyList_GetItem(list->objects, (Py_ssize_t)k));
    PyMem_Free((void *)(uintptr_t)list->rbms);
    Py_XDECREF(list->objects);
}

static bool list_get(rbm_list *out, PyObject *sequence) {
    *out = (rbm_list){.objects = PySequence_List(sequence)};
    if (!out->objects)
        return false;
    const size_t count = (size_t)PyList_Size(out->objects);
    out->rbms = PyMem_Calloc(count ? count : 1, sizeof *out->rbms);
    if (!out->rbms) {
        PyErr_NoMemory();
        list_release(out);
        return false;
    }
    for (size_t k = 0; k < count; k++) {
        PyObject *object = PyList_GetItem(out->objects, (Py_ssize_t)k);
        out->rbms[k] = core_unwrap(object, CORE_RBM, "rbms");
        if (!out->rbms[k] || !core_share(object)) {
            list_release(out);
            return false;
        }
        out->count++;
    }
    return true;
}

static PyObject *fit(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"rbms", "features", "data", "options", "progress", NULL};
    PyObject *sequence = NULL, *text = NULL, *data = NULL, *options = NULL, *progress = NULL;
    isg_logistic_options chosen = isg_logistic_defaults();
    isg_logistic_report report = {.converged = false};
    isg_classifier *out = NULL;
    int kind = 0;
    rbm_list list;
    core_call call;
    bool is_done = false;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOO|OO", names, &sequence, &text, &data,
                                     &options, &progress) ||
        !core_choose(text, "features", core_features, &kind) ||
        !core_unwrap(data, CORE_DATASET, "data") || !core_read(&chosen, option_fields, options) ||
        !list_get(&list, sequence))
        return NULL;
    if (core_share(data)) {
        if (core_enter(&call, progress))
            is_done = core_leave(&call,
                                 isg_classifier_fit(&out, list.rbms, list.count, (isg_features)kind,
                                                    ((core_object *)data)->handle, &chosen, &report,
                                                    core_progress(&call)));
        core_unshare(data);
    }
    list_release(&list);
    if (!is_done) {
        isg_classifier_free(out);
        return NULL;
    }
    PyObject *made = core_wrap(CORE_CLASSIFIER, out, NULL);
    PyObject *written = made ? core_write(&report, report_fields) : NULL;
    PyObject *both = written ? PyTuple_Pack(2, made, written) : NULL;
    Py_XDECREF(made);
    Py_XDECREF(written);
    return both;
}

static PyObject *from_labels(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"rbm", "data", NULL};
    PyObject *rbm = NULL, *data = NULL;
    isg_classifier *out = NULL;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO", names, &rbm, &data) ||
        !core_unwrap(rbm, CORE_RBM, "rbm") || !core_unwrap(data, CORE_DATASET, "data") ||
        !core_share(rbm))
        return NULL;
    isg_status status = ISG_OK;
    const bool is_free = core_share(data);
    if (is_free) {
        status = isg_classifier_from_labels(&out, ((core_object *)rbm)->handle,
                                            ((core_object *)data)->handle);
        core_unshare(data);
    }
    core_unshare(rbm);
    if (!is_free)
        return NULL;
    return status == ISG_OK ? core_wrap(CORE_CLASSIFIER, out, NULL) : core_raise(status);
}

/* ---- files -------------------------------------------------------------------------------------- */

static PyObject *load(PyObject *none, PyObject *path) {
    const char *name = NULL;
    isg_classifier *out = NULL;
    (void)none;
    PyObject *kept = core_path(path, "path", &name);
    if (!kept)
        return NULL;
    const isg_status status = isg_classifier_load(&out, name);
    Py_DECREF(kept);
    return status == ISG_OK ? core_wrap(CORE_CLASSIFIER, out, NULL) : core_raise(status);
}

static PyObject *save(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"path", "seed", "command", NULL};
    PyObject *path = NULL;
    unsigned long long seed = 0;
    const char *command = NULL, *name = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|Kz", names, &path, &seed, &command))
        return NULL;
    PyObject *kept = core_path(path, "path", &name);
    if (!kept)
        return NULL;
    const isg_status status = isg_classifier_save(classifier_of(self), name, seed, command);
    Py_DECREF(kept);
    return core_none(status);
}

static PyObject *to_bytes(PyObject *self, PyObject *none) {
    void *bytes = NULL;
    size_t size = 0;
    (void)none;
    const isg_status status = isg_classifier_to_bytes(classifier_of(self), 0, NULL, &bytes, &size);
    return status == ISG_OK ? core_bytes(bytes, size) : core_raise(status);
}

static PyObject *from_bytes(PyObject *none, PyObject *bytes) {
    isg_classifier *out = NULL;
    core_array array;
    (void)none;
    if (!core_array_get(&array, bytes, "bytes", ISG_NUMBER_UINT8, 1, CORE_READ))
        return NULL;
    const isg_status status =
        isg_classifier_from_bytes(&out, "classifier", array.view.buf, array.rows);
    core_array_release(&array);
    return status == ISG_OK ? core_wrap(CORE_CLASSIFIER, out, NULL) : core_raise(status);
}

/* ---- looking ------------------------------------------------------------------------------------ */

static PyObject *describe(PyObject *self, PyObject *none) {
    (void)none;
    const isg_classifier_info info = isg_classifier_describe(classifier_of(self));
    return core_write(&info, info_fields);
}

static PyObject *class_names(PyObject *self, PyObject *none) {
    const isg_classifier *classifier = classifier_of(self);
    const size_t count = isg_classifier_describe(classifier).n_classes;
    (void)none;
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t k = 0; list && k < count; k++) {
        PyObject *text = core_text(isg_classifier_class_name(classifier, k));
        if (!text || PyList_SetItem(list, (Py_ssize_t)k, text) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *encoding(PyObject *self, PyObject *none) {
    const isg_encoding *found = isg_classifier_encoding(classifier_of(self));
    (void)none;
    if (!found)
        Py_RETURN_NONE;
    return core_wrap(CORE_ENCODING, (void *)(uintptr_t)isg_encoding_retain(found), NULL);
}

/* ---- predicting --------------------------------------------------------------------------------- */

/* What a prediction fills; each may be missing. */
typedef struct answers {
    uint32_t *labels;
    isg_matd probabilities;
} answers;

static isg_status predict_rows(const isg_classifier *classifier, const isg_dataset *data,
                               size_t first, size_t count, answers into) {
    isg_dataset *some = NULL;
    size_t rows[PORTION];
    for (size_t k = 0; k < count; k++)
        rows[k] = first + k;
    isg_status status = isg_dataset_select(&some, data, rows, count);
    into.labels = into.labels ? into.labels + first : NULL;
    into.probabilities.rows = count;
    if (into.probabilities.data)
        into.probabilities.data += first * into.probabilities.stride;
    if (status == ISG_OK)
        status = isg_classifier_predict(classifier, some, into.labels, into.probabilities);
    isg_dataset_free(some);
    return status;
}

static bool has_missing(const isg_dataset *data, size_t n_samples) {
    bool found = false;
    for (size_t row = 0; !found && row < n_samples; row++)
        found = isg_dataset_missing(data, row) != NULL;
    return found;
}

/* In portions, which gives the same bits, unless values are missing: they are completed at random, by the number of
   the row. */
static isg_status predict_all(const isg_classifier *classifier, const isg_dataset *data,
                              answers into, core_call *call) {
    const size_t n_samples = isg_dataset_describe(data).n_samples;
    isg_status status = ISG_OK;
    if (n_samples <= PORTION || has_missing(data, n_samples))
        return isg_classifier_predict(classifier, data, into.labels, into.probabilities);
    for (size_t first = 0; status == ISG_OK && first < n_samples; first += PORTION) {
        const size_t count = n_samples - first < PORTION ? n_samples - first : PORTION;
        status = core_report(call, (double)first / (double)n_samples)
                     ? predict_rows(classifier, data, first, count, into)
                     : ISG_ERR_CANCELLED;
    }
    return status;
}

static bool run_predict(PyObject *self, PyObject *data, answers into, PyObject *progress) {
    core_call call;
    bool is_done = false;
    if (!core_share(data)) /* a classifier never changes */
        return false;
    if (core_enter(&call, progress))
        is_done = core_leave(
            &call, predict_all(classifier_of(self), ((core_object *)data)->handle, into, &call));
    core_unshare(data);
    return is_done;
}

static bool is_given(PyObject *object) {
    return object && object != Py_None;
}

static PyObject *predict(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "labels", "probabilities", "progress", NULL};
    PyObject *data = NULL, *labels = NULL, *probabilities = NULL, *progress = NULL;
    core_array first = {.is_held = false}, second = {.is_held = false};
    answers into = {.labels = NULL};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OOO", names, &data, &labels,
                                     &probabilities, &progress) ||
        !core_unwrap(data, CORE_DATASET, "data"))
        return NULL;
    const size_t n_samples = isg_dataset_describe(((core_object *)data)->handle).n_samples;
    const size_t n_classes = isg_classifier_describe(classifier_of(self)).n_classes;
    bool is_done = true;
    if (is_given(labels)) {
        is_done = core_array_get(&first, labels, "labels", ISG_NUMBER_UINT32, 1, CORE_WRITE) &&
                  core_array_check(&first, "labels", n_samples, 1);
        into.labels = first.view.buf;
    }
    if (is_done && is_given(probabilities)) {
        is_done = core_array_get(&second, probabilities, "probabilities", ISG_NUMBER_FLOAT64, 2,
                                 CORE_WRITE) &&
                  core_array_check(&second, "probabilities", n_samples, n_classes);
        into.probabilities = core_matd(&second);
    }
    is_done = is_done && run_predict(self, data, into, progress);
    core_array_release(&first);
    core_array_release(&second);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *decisions(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "out", "progress", NULL};
    PyObject *data = NULL, *out = NULL, *progress = NULL;
    core_array array;
    core_call call;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|O", names, &data, &out, &progress) ||
        !core_unwrap(data, CORE_DATASET, "data") ||
        !core_array_get(&array, out, "out", ISG_NUMBER_FLOAT64, 2, CORE_WRITE))
        return NULL;
    const isg_dataset *samples = ((core_object *)data)->handle;
    bool is_done = core_array_check(&array, "out", isg_dataset_describe(samples).n_samples,
                                    isg_classifier_describe(classifier_of(self)).n_classes) &&
                   core_share(data);
    if (is_done) { /* a classifier never changes */
        is_done =
            core_enter(&call, progress) &&
            core_leave(&call, isg_classifier_decisions(classifier_of(self), samples,
                                                       core_matd(&array), core_progress(&call)));
        core_unshare(data);
    }
    core_array_release(&array);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *truth(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "out", NULL};
    PyObject *data = NULL, *out = NULL;
    core_array array;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO", names, &data, &out) ||
        !core_unwrap(data, CORE_DATASET, "data") ||
        !core_array_get(&array, out, "out", ISG_NUMBER_UINT32, 1, CORE_WRITE))
        return NULL;
    const isg_dataset *samples = ((core_object *)data)->handle;
    const bool fits = core_array_check(&array, "out", isg_dataset_describe(samples).n_samples, 1);
    const isg_status status =
        fits ? isg_classifier_truth(classifier_of(self), samples, array.view.buf) : ISG_OK;
    core_array_release(&array);
    return fits ? core_none(status) : NULL;
}

static PyMethodDef methods[] = {
    CORE_STATIC("fit", fit, "(classifier, isg_logistic_report as a dict) of RBMs and data."),
    CORE_STATIC("from_labels", from_labels, "Of an RBM over spins and labels, in closed form."),
    {"defaults", defaults, METH_NOARGS | METH_STATIC, "isg_logistic_defaults() as a dict."},
    {"load", load, METH_O | METH_STATIC, "From a file."},
    {"from_bytes", from_bytes, METH_O | METH_STATIC, "From the bytes of a file."},
    CORE_METHOD("save", save, "Writes a .npz file."),
    CORE_NO_ARGUMENTS("to_bytes", to_bytes, "The bytes of such a file."),
    CORE_NO_ARGUMENTS("describe", describe, "isg_classifier_info as a dict."),
    CORE_NO_ARGUMENTS("class_names", class_names, "The names of the classes."),
    CORE_NO_ARGUMENTS("encoding", encoding, "How the data became spins, or None."),
    CORE_METHOD("predict", predict,
                "Writes classes to labels (n), uint32, and probabilities (n, n_classes)."),
    CORE_METHOD("decisions", decisions, "Writes the exponents to out (n, n_classes)."),
    CORE_METHOD("truth", truth, "Writes the true classes to out (n), uint32."),
    {NULL, NULL, 0, NULL}};

static void release(void *handle) {
    isg_classifier_free(handle);
}

bool core_add_classifier(PyObject *module) {
    return core_add_type(module, CORE_CLASSIFIER, "Classifier", "isg_classifier", release, methods);
}
