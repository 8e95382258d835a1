/* classifier.c - logistic regression on what RBMs compute from a sample
 *
 * SPDX-License-Identifier: MIT
 */
#include "classifier.h"
#include "files.h"

static const char *const methods_of_fit[] = {"auto", "newton", "lbfgs", NULL};

static const core_field info_fields[] = {
    CORE_FIELD(isg_classifier_info, n_classes, CORE_SIZE),
    CORE_FIELD(isg_classifier_info, n_visible, CORE_SIZE),
    CORE_FIELD(isg_classifier_info, n_rbms, CORE_SIZE),
    CORE_FIELD(isg_classifier_info, n_hidden, CORE_SIZE),
    CORE_ENUM("features", isg_classifier_info, features, core_features),
    CORE_FIELD(isg_classifier_info, image_height, CORE_SIZE),
    CORE_FIELD(isg_classifier_info, image_width, CORE_SIZE),
    CORE_FIELD(isg_classifier_info, tuned_epochs, CORE_UINT64),
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

CORE_DEFINE_FILES(classifier, CORE_CLASSIFIER)

/* ---- looking ------------------------------------------------------------------------------------ */

static PyObject *describe(PyObject *self, PyObject *none) {
    (void)none;
    const isg_classifier_info info = isg_classifier_describe(classifier_of(self));
    return core_write(&info, info_fields);
}

static PyObject *tuned(PyObject *self, PyObject *none) {
    const isg_classifier_info info = isg_classifier_describe(classifier_of(self));
    (void)none;
    if (info.tuned_epochs == 0)
        Py_RETURN_NONE;
    return core_tuned_options(&info);
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

/* A copy of RBM number k. */
static PyObject *rbm(PyObject *self, PyObject *arguments) {
    const isg_classifier *classifier = classifier_of(self);
    Py_ssize_t k = 0;
    isg_rbm *out = NULL;
    if (!PyArg_ParseTuple(arguments, "n", &k))
        return NULL;
    if (k < 0 || (size_t)k >= isg_classifier_describe(classifier).n_rbms)
        return PyErr_Format(PyExc_IndexError, "k: there is no RBM %zd", k);
    const isg_status status = isg_classifier_copy_rbm(&out, classifier, (size_t)k);
    return status == ISG_OK ? core_wrap(CORE_RBM, out, NULL) : core_raise(status);
}

static PyMethodDef methods[] = {
    CORE_STATIC("fit", fit, "(classifier, isg_logistic_report as a dict) of RBMs and data."),
    CORE_STATIC("from_labels", from_labels, "Of an RBM over spins and labels, in closed form."),
    {"defaults", defaults, METH_NOARGS | METH_STATIC, "isg_logistic_defaults() as a dict."},
    CORE_FILE_METHODS,
    CORE_NO_ARGUMENTS("describe", describe, "isg_classifier_info as a dict."),
    CORE_NO_ARGUMENTS("tuned", tuned, "isg_tune_options as a dict, or None."),
    CORE_NO_ARGUMENTS("class_names", class_names, "The names of the classes."),
    CORE_NO_ARGUMENTS("encoding", encoding, "How the data became spins, or None."),
    {"rbm", rbm, METH_VARARGS, "A copy of RBM number k."},
    CORE_METHOD("predict", core_classifier_predict,
                "Writes classes to labels (n), uint32, and probabilities (n, n_classes)."),
    CORE_METHOD("decisions", core_classifier_decisions,
                "Writes the exponents to out (n, n_classes)."),
    CORE_METHOD("truth", core_classifier_truth, "Writes the true classes to out (n), uint32."),
    {NULL, NULL, 0, NULL}};

static void release(void *handle) {
    isg_classifier_free(handle);
}

bool core_add_classifier(PyObject *module) {
    return core_add_type(module, CORE_CLASSIFIER, "Classifier", "isg_classifier", release, methods);
}
