/* classifier_predict.c - what a classifier says about samples
 *
 * SPDX-License-Identifier: MIT
 */
#include "classifier.h"

/* What a prediction fills; each may be missing. */
typedef struct answers {
    uint32_t *labels;
    isg_matd probabilities;
} answers;

static bool run_predict(PyObject *self, PyObject *data, answers into, PyObject *progress) {
    core_call call;
    bool is_done = false;
    if (!core_share(data)) /* a classifier never changes */
        return false;
    if (core_enter(&call, progress))
        is_done = core_leave(
            &call, isg_classifier_predict(classifier_of(self), ((core_object *)data)->handle,
                                          into.labels, into.probabilities, core_progress(&call)));
    core_unshare(data);
    return is_done;
}

static bool is_given(PyObject *object) {
    return object && object != Py_None;
}

PyObject *core_classifier_predict(PyObject *self, PyObject *arguments, PyObject *keywords) {
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

PyObject *core_classifier_decisions(PyObject *self, PyObject *arguments, PyObject *keywords) {
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

PyObject *core_classifier_truth(PyObject *self, PyObject *arguments, PyObject *keywords) {
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
