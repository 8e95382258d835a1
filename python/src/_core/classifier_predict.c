/* classifier_predict.c - what a classifier says about samples
 *
 * SPDX-License-Identifier: MIT
 */
#include "classifier.h"

/* Samples predicted between two looks at signals: as many as the library takes at a time. */
enum { PORTION = 4096 };

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
