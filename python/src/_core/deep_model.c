/* deep_model.c - an RBM with a layer on top: a Gaussian of its hidden units for every class
 *
 * SPDX-License-Identifier: MIT
 */
#include "files.h"
#include "rbm.h"

static const char *const targets[] = {"pooled", "diagonal", NULL};
static const char *const rules[] = {"bound", "quadratic", NULL};

static const core_field info_fields[] = {CORE_FIELD(isg_deep_model_info, n_visible, CORE_SIZE),
                                         CORE_FIELD(isg_deep_model_info, n_hidden, CORE_SIZE),
                                         CORE_FIELD(isg_deep_model_info, n_classes, CORE_SIZE),
                                         CORE_FIELD(isg_deep_model_info, parts, CORE_SIZE),
                                         CORE_FIELD(isg_deep_model_info, beta, CORE_DOUBLE),
                                         CORE_FIELD(isg_deep_model_info, rbm_beta, CORE_DOUBLE),
                                         CORE_FIELD(isg_deep_model_info, shrinkage, CORE_DOUBLE),
                                         CORE_ENUM("toward", isg_deep_model_info, toward, targets),
                                         CORE_FIELD(isg_deep_model_info, image_height, CORE_SIZE),
                                         CORE_FIELD(isg_deep_model_info, image_width, CORE_SIZE),
                                         {NULL, 0, 0, NULL}};

static const core_field option_fields[] = {CORE_ENUM("toward", isg_deep_options, toward, targets),
                                           CORE_FIELD(isg_deep_options, parts, CORE_SIZE),
                                           CORE_FIELD(isg_deep_options, hold_out, CORE_DOUBLE),
                                           CORE_FIELD(isg_deep_options, one_class, CORE_BOOL),
                                           CORE_FIELD(isg_deep_options, seed, CORE_UINT64),
                                           {NULL, 0, 0, NULL}};

static const core_field trial_fields[] = {CORE_FIELD(isg_deep_trial, beta, CORE_DOUBLE),
                                          CORE_FIELD(isg_deep_trial, shrinkage, CORE_DOUBLE),
                                          CORE_FIELD(isg_deep_trial, parts, CORE_SIZE),
                                          CORE_FIELD(isg_deep_trial, elbo, CORE_DOUBLE),
                                          CORE_FIELD(isg_deep_trial, error, CORE_DOUBLE),
                                          {NULL, 0, 0, NULL}};

static const core_field elbo_fields[] = {CORE_FIELD(isg_elbo, value, CORE_DOUBLE),
                                         CORE_FIELD(isg_elbo, error, CORE_DOUBLE),
                                         CORE_FIELD(isg_elbo, reconstruction, CORE_DOUBLE),
                                         CORE_FIELD(isg_elbo, divergence, CORE_DOUBLE),
                                         CORE_FIELD(isg_elbo, labelled_value, CORE_DOUBLE),
                                         CORE_FIELD(isg_elbo, labelled_error, CORE_DOUBLE),
                                         CORE_FIELD(isg_elbo, n_samples, CORE_SIZE),
                                         CORE_FIELD(isg_elbo, n_labelled, CORE_SIZE),
                                         {NULL, 0, 0, NULL}};

static isg_deep_model *model_of(PyObject *self) {
    return ((core_object *)self)->handle;
}

static bool is_given(PyObject *object) {
    return object && object != Py_None;
}

static PyObject *defaults(PyObject *none, PyObject *nothing) {
    const isg_deep_options options = isg_deep_defaults();
    (void)none, (void)nothing;
    return core_write(&options, option_fields);
}

/* ---- fitting -------------------------------------------------------------------------------------- */

/* A list of candidates; None leaves the choice to the library. */
static bool get_list(core_array *array, PyObject *object, const char *name, const double **out,
                     size_t *count) {
    if (!is_given(object))
        return true;
    if (!core_array_get(array, object, name, ISG_NUMBER_FLOAT64, 1, CORE_READ))
        return false;
    *out = array->view.buf;
    *count = array->rows;
    return true;
}

static bool run_fit(isg_deep_model **out, PyObject *rbm, PyObject *data,
                    const isg_deep_options *options, PyObject *progress) {
    core_call call;
    bool is_done = false;
    if (!core_share(rbm))
        return false;
    if (core_share(data)) {
        if (core_enter(&call, progress))
            is_done = core_leave(&call, isg_deep_model_fit(out, ((core_object *)rbm)->handle,
                                                           ((core_object *)data)->handle, options,
                                                           core_progress(&call)));
        core_unshare(data);
    }
    core_unshare(rbm);
    return is_done;
}

static PyObject *fit(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"rbm", "data", "options", "betas", "shrinkages", "progress", NULL};
    PyObject *rbm = NULL, *data = NULL, *options = NULL, *betas = NULL, *shrinkages = NULL,
             *progress = NULL;
    core_array first = {.is_held = false}, second = {.is_held = false};
    isg_deep_options chosen = isg_deep_defaults();
    isg_deep_model *out = NULL;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|OOOO", names, &rbm, &data, &options,
                                     &betas, &shrinkages, &progress) ||
        !core_unwrap(rbm, CORE_RBM, "rbm") || !core_whole_data(data, "data") ||
        !core_read(&chosen, option_fields, options))
        return NULL;
    const bool is_done =
        get_list(&first, betas, "beta", &chosen.betas, &chosen.n_betas) &&
        get_list(&second, shrinkages, "shrinkage", &chosen.shrinkages, &chosen.n_shrinkages) &&
        run_fit(&out, rbm, data, &chosen, progress);
    core_array_release(&first);
    core_array_release(&second);
    return is_done ? core_wrap(CORE_DEEP, out, NULL) : NULL;
}

/* ---- files ------------------------------------------------------------------------------------------ */

CORE_DEFINE_FILES(deep_model, CORE_DEEP)

/* ---- looking ---------------------------------------------------------------------------------------- */

static PyObject *describe(PyObject *self, PyObject *none) {
    (void)none;
    const isg_deep_model_info info = isg_deep_model_describe(model_of(self));
    return core_write(&info, info_fields);
}

static PyObject *class_names(PyObject *self, PyObject *none) {
    const size_t count = isg_deep_model_describe(model_of(self)).n_classes;
    (void)none;
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t k = 0; list && k < count; k++) {
        PyObject *text = core_text(isg_deep_model_class_name(model_of(self), k));
        if (!text || PyList_SetItem(list, (Py_ssize_t)k, text) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *trials(PyObject *self, PyObject *none) {
    size_t count = 0;
    const isg_deep_trial *all = isg_deep_model_trials(model_of(self), &count);
    (void)none;
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t k = 0; list && k < count; k++) {
        PyObject *one = core_write(&all[k], trial_fields);
        if (!one || PyList_SetItem(list, (Py_ssize_t)k, one) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* A copy, since nobody is to change that of the model. */
static PyObject *rbm(PyObject *self, PyObject *none) {
    isg_rbm *out = NULL;
    (void)none;
    const isg_status status = isg_rbm_copy(&out, isg_deep_model_rbm(model_of(self)));
    return status == ISG_OK ? core_wrap(CORE_RBM, out, NULL) : core_raise(status);
}

static PyObject *encoding(PyObject *self, PyObject *none) {
    const isg_encoding *found = isg_rbm_encoding(isg_deep_model_rbm(model_of(self)));
    (void)none;
    if (!found)
        Py_RETURN_NONE;
    return core_wrap(CORE_ENCODING, (void *)(uintptr_t)isg_encoding_retain(found), NULL);
}

/* ---- using --------------------------------------------------------------------------------------------- */

static PyObject *elbo(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "each", "progress", NULL};
    PyObject *data = NULL, *each = NULL, *progress = NULL;
    core_array array = {.is_held = false};
    isg_elbo found = {.n_samples = 0};
    core_call call;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OO", names, &data, &each, &progress) ||
        !core_whole_data(data, "X"))
        return NULL;
    const isg_dataset *samples = ((core_object *)data)->handle;
    double *room = NULL;
    bool is_done = true;
    if (is_given(each)) {
        is_done = core_array_get(&array, each, "each", ISG_NUMBER_FLOAT64, 1, CORE_WRITE) &&
                  core_array_check(&array, "each", isg_dataset_describe(samples).n_samples, 1);
        room = array.view.buf;
    }
    is_done = is_done && core_share(data);
    if (is_done) { /* a model never changes */
        is_done = core_enter(&call, progress) &&
                  core_leave(&call, isg_deep_model_elbo(model_of(self), samples, &found, room,
                                                        core_progress(&call)));
        core_unshare(data);
    }
    core_array_release(&array);
    return is_done ? core_write(&found, elbo_fields) : NULL;
}

/* What a prediction fills; each may be missing. */
typedef struct answers {
    core_array labels, probabilities;
} answers;

static bool get_answers(answers *out, PyObject *labels, PyObject *probabilities, size_t n_samples,
                        size_t n_classes) {
    if (is_given(labels) &&
        !(core_array_get(&out->labels, labels, "labels", ISG_NUMBER_UINT32, 1, CORE_WRITE) &&
          core_array_check(&out->labels, "labels", n_samples, 1)))
        return false;
    return !is_given(probabilities) ||
           (core_array_get(&out->probabilities, probabilities, "probabilities", ISG_NUMBER_FLOAT64,
                           2, CORE_WRITE) &&
            core_array_check(&out->probabilities, "probabilities", n_samples, n_classes));
}

static PyObject *predict(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "rule", "labels", "probabilities", "progress", NULL};
    PyObject *data = NULL, *text = NULL, *labels = NULL, *probabilities = NULL, *progress = NULL;
    answers into = {{.is_held = false}, {.is_held = false}};
    int rule = 0;
    core_call call;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|OOO", names, &data, &text, &labels,
                                     &probabilities, &progress) ||
        !core_whole_data(data, "X") || !core_choose(text, "rule", rules, &rule))
        return NULL;
    const isg_dataset *samples = ((core_object *)data)->handle;
    bool is_done =
        get_answers(&into, labels, probabilities, isg_dataset_describe(samples).n_samples,
                    isg_deep_model_describe(model_of(self)).n_classes) &&
        core_share(data);
    if (is_done) { /* a model never changes */
        const isg_matd room =
            into.probabilities.is_held ? core_matd(&into.probabilities) : (isg_matd){.data = NULL};
        is_done =
            core_enter(&call, progress) &&
            core_leave(&call,
                       isg_deep_model_predict(model_of(self), samples, (isg_deep_rule)rule,
                                              into.labels.is_held ? into.labels.view.buf : NULL,
                                              room, core_progress(&call)));
        core_unshare(data);
    }
    core_array_release(&into.labels);
    core_array_release(&into.probabilities);
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
        fits ? isg_deep_model_truth(model_of(self), samples, array.view.buf) : ISG_OK;
    core_array_release(&array);
    return fits ? core_none(status) : NULL;
}

/* `classes` are numbers (count), or None; hidden units are written to `hidden` (count, n_hidden). */
static PyObject *sample(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"count", "classes", "beta", "seed", "hidden", NULL};
    PyObject *classes = NULL, *hidden = NULL;
    core_array which = {.is_held = false}, lambda = {.is_held = false};
    Py_ssize_t count = 0;
    double beta = 0;
    unsigned long long seed = 1;
    isg_dataset *out = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "n|OdKO", names, &count, &classes, &beta,
                                     &seed, &hidden))
        return NULL;
    if (count < 1)
        return PyErr_Format(PyExc_ValueError, "count: expected a number from 1 on, found %zd",
                            count);
    const size_t n = (size_t)count, p = isg_deep_model_describe(model_of(self)).n_hidden;
    bool is_done = true;
    if (is_given(classes))
        is_done = core_array_get(&which, classes, "classes", ISG_NUMBER_UINT32, 1, CORE_READ) &&
                  core_array_check(&which, "classes", n, 1);
    if (is_done && is_given(hidden))
        is_done = core_array_get(&lambda, hidden, "hidden", ISG_NUMBER_FLOAT64, 2, CORE_WRITE) &&
                  core_array_check(&lambda, "hidden", n, p);
    core_call call;
    if (is_done)
        is_done =
            core_enter(&call, NULL) &&
            core_leave(&call,
                       isg_deep_model_sample(
                           &out, model_of(self), which.is_held ? which.view.buf : NULL, n, beta,
                           seed, lambda.is_held ? core_matd(&lambda) : (isg_matd){.data = NULL}));
    core_array_release(&which);
    core_array_release(&lambda);
    return is_done ? core_wrap(CORE_DATASET, out, NULL) : NULL;
}

static PyMethodDef methods[] = {
    CORE_STATIC("fit", fit, "Of an RBM and data."),
    {"defaults", defaults, METH_NOARGS | METH_STATIC, "isg_deep_defaults() as a dict."},
    CORE_FILE_METHODS,
    CORE_NO_ARGUMENTS("describe", describe, "isg_deep_model_info as a dict."),
    CORE_NO_ARGUMENTS("class_names", class_names, "The names of the classes."),
    CORE_NO_ARGUMENTS("trials", trials, "What was tried, each isg_deep_trial as a dict."),
    CORE_NO_ARGUMENTS("rbm", rbm, "A copy of the RBM, at the beta of the model."),
    CORE_NO_ARGUMENTS("encoding", encoding, "How the data became spins, or None."),
    CORE_METHOD("elbo", elbo, "isg_elbo as a dict; writes each bound to each (n)."),
    CORE_METHOD("predict", predict,
                "Writes classes to labels (n), uint32, and probabilities (n, n_classes)."),
    CORE_METHOD("truth", truth, "Writes the true classes to out (n), uint32."),
    CORE_METHOD("sample", sample, "Independent samples as a Dataset."),
    {NULL, NULL, 0, NULL}};

static void release(void *handle) {
    isg_deep_model_free(handle);
}

bool core_add_deep_model(PyObject *module) {
    return core_add_type(module, CORE_DEEP, "DeepModel", "isg_deep_model", release, methods);
}
