/* rbm.c - spins and Gaussian hidden units
 *
 * SPDX-License-Identifier: MIT
 */
#include "rbm.h"
#include "files.h"

static const core_field info_fields[] = {CORE_FIELD(isg_rbm_info, n_visible, CORE_SIZE),
                                         CORE_FIELD(isg_rbm_info, n_hidden, CORE_SIZE),
                                         CORE_FIELD(isg_rbm_info, beta, CORE_DOUBLE),
                                         CORE_FIELD(isg_rbm_info, image_height, CORE_SIZE),
                                         CORE_FIELD(isg_rbm_info, image_width, CORE_SIZE),
                                         {NULL, 0, 0, NULL}};

/* ---- shared by the files about RBMs --------------------------------------------------------------- */

bool core_share_both(PyObject *first, PyObject *second) {
    if (!core_share(first))
        return false;
    if (core_share(second))
        return true;
    core_unshare(first);
    return false;
}

void core_unshare_both(PyObject *first, PyObject *second) {
    core_unshare(first);
    core_unshare(second);
}

/* Through the bytes of a file, which keep labels, image shape and encoding. */
PyObject *core_patterns_of(const isg_patterns *borrowed) {
    void *bytes = NULL;
    size_t size = 0;
    isg_patterns *copy = NULL;
    if (!borrowed)
        Py_RETURN_NONE;
    isg_status status = isg_patterns_to_bytes(borrowed, 0, NULL, &bytes, &size);
    if (status == ISG_OK) {
        status = isg_patterns_from_bytes(&copy, "patterns.npz", bytes, size);
        isg_bytes_free(bytes);
    }
    return status == ISG_OK ? core_wrap(CORE_PATTERNS, copy, NULL) : core_raise(status);
}

const isg_dataset *core_whole_data(PyObject *data, const char *name) {
    const isg_dataset *found = core_unwrap(data, CORE_DATASET, name);
    const size_t n = found ? isg_dataset_describe(found).n_samples : 0;
    for (size_t row = 0; row < n; row++)
        if (isg_dataset_missing(found, row)) {
            PyErr_Format(PyExc_ValueError,
                         "%s: values are missing in row %zu; fill them in first, with "
                         "data.impute(model)",
                         name, row);
            return NULL;
        }
    return found;
}

bool core_whole_data_optional(PyObject *data, const char *name, const isg_dataset **out) {
    *out = NULL;
    if (!data || data == Py_None)
        return true;
    *out = core_whole_data(data, name);
    return *out != NULL;
}

/* ---- making and files ----------------------------------------------------------------------------- */

static PyObject *create(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"n_visible", "n_hidden", "beta", NULL};
    Py_ssize_t n_visible = 0, n_hidden = 0;
    double beta = 0;
    isg_rbm *out = NULL;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "nnd", names, &n_visible, &n_hidden,
                                     &beta))
        return NULL;
    if (n_visible < 1 || n_hidden < 1) {
        PyErr_Format(PyExc_ValueError,
                     "weights: expected at least one visible and one hidden unit, found %zd and "
                     "%zd",
                     n_visible, n_hidden);
        return NULL;
    }
    const isg_status status = isg_rbm_create(&out, (size_t)n_visible, (size_t)n_hidden, beta);
    return status == ISG_OK ? core_wrap(CORE_RBM, out, NULL) : core_raise(status);
}

CORE_DEFINE_FILES(rbm, CORE_RBM)

static PyObject *copy(PyObject *self, PyObject *none) {
    isg_rbm *out = NULL;
    (void)none;
    if (!core_share(self))
        return NULL;
    const isg_status status = isg_rbm_copy(&out, core_rbm(self));
    core_unshare(self);
    return status == ISG_OK ? core_wrap(CORE_RBM, out, NULL) : core_raise(status);
}

/* ---- looking, and changing what is not an array ------------------------------------------------------ */

static PyObject *describe(PyObject *self, PyObject *none) {
    (void)none;
    const isg_rbm_info info = isg_rbm_describe(core_rbm(self));
    return core_write(&info, info_fields);
}

static PyObject *set_beta(PyObject *self, PyObject *value) {
    const double beta = PyFloat_AsDouble(value);
    if (beta == -1 && PyErr_Occurred())
        return NULL;
    if (!core_claim(self))
        return NULL;
    const isg_status status = isg_rbm_set_beta(core_rbm(self), beta);
    core_unclaim(self);
    return core_none(status);
}

static PyObject *set_image(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"height", "width", NULL};
    Py_ssize_t height = 0, width = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "nn", names, &height, &width))
        return NULL;
    if (height < 0 || width < 0) {
        PyErr_SetString(PyExc_ValueError, "image_shape: expected numbers from 1 on");
        return NULL;
    }
    if (!core_claim(self))
        return NULL;
    const isg_status status = isg_rbm_set_image(core_rbm(self), (size_t)height, (size_t)width);
    core_unclaim(self);
    return core_none(status);
}

static PyObject *encoding(PyObject *self, PyObject *none) {
    const isg_encoding *found = isg_rbm_encoding(core_rbm(self));
    (void)none;
    if (!found)
        Py_RETURN_NONE;
    return core_wrap(CORE_ENCODING, (void *)(uintptr_t)isg_encoding_retain(found), NULL);
}

static PyObject *set_encoding(PyObject *self, PyObject *value) {
    const isg_encoding *found = core_unwrap_optional(value, CORE_ENCODING, "encoding");
    if (PyErr_Occurred() || !core_claim(self))
        return NULL;
    const isg_status status = isg_rbm_set_encoding(core_rbm(self), found);
    core_unclaim(self);
    return core_none(status);
}

static PyObject *unit_names(PyObject *self, PyObject *none) {
    const isg_encoding *found = isg_rbm_encoding(core_rbm(self));
    const size_t count = isg_rbm_describe(core_rbm(self)).n_visible;
    (void)none;
    if (!found || !isg_encoding_describe(found).has_names)
        Py_RETURN_NONE;
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *text = core_text(isg_encoding_unit_name(found, i));
        if (!text || PyList_SetItem(list, (Py_ssize_t)i, text) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *patterns(PyObject *self, PyObject *none) {
    (void)none;
    return core_patterns_of(isg_rbm_patterns(core_rbm(self)));
}

/* ---- arrays, without a copy: the RBM never moves them ------------------------------------------------ */

/* The weights of an RBM in training are the training's to change. */
static bool is_readonly(PyObject *self) {
    return ((core_object *)self)->is_part;
}

static PyObject *weights(PyObject *self, PyObject *none) {
    const isg_matd w = isg_rbm_weights(core_rbm(self));
    (void)none;
    return core_view_new(self, w.data, w.rows, w.cols, w.stride, is_readonly(self));
}

static PyObject *visible_field(PyObject *self, PyObject *none) {
    (void)none;
    return core_view_new(self, isg_rbm_visible_field(core_rbm(self)),
                         isg_rbm_describe(core_rbm(self)).n_visible, 0, 1, is_readonly(self));
}

static PyObject *hidden_field(PyObject *self, PyObject *none) {
    (void)none;
    return core_view_new(self, isg_rbm_hidden_field(core_rbm(self)),
                         isg_rbm_describe(core_rbm(self)).n_hidden, 0, 1, is_readonly(self));
}

static PyObject *coefficients(PyObject *self, PyObject *none) {
    const isg_matd_view r = isg_rbm_coefficients(core_rbm(self));
    (void)none;
    if (!r.data)
        Py_RETURN_NONE;
    return core_view_new(self, r.data, r.rows, r.cols, r.stride, true);
}

#define STATIC_NO_ARGUMENTS(name, function, doc)                                                   \
    { name, function, METH_NOARGS | METH_STATIC, doc }

static PyMethodDef methods[] = {
    CORE_STATIC("create", create, "All weights and fields zero."),
    CORE_STATIC("from_patterns", core_rbm_from_patterns, "The RBM, and a report or None."),
    CORE_STATIC("from_hopfield", core_rbm_from_hopfield, "The RBM, and a report or None."),
    CORE_STATIC("start", core_rbm_start, "An RBM to train."),
    CORE_FILE_METHODS,
    STATIC_NO_ARGUMENTS("mapping_defaults", core_rbm_mapping_defaults, "Of from_patterns()."),
    STATIC_NO_ARGUMENTS("start_defaults", core_rbm_start_defaults, "Of start()."),
    STATIC_NO_ARGUMENTS("log_z_defaults", core_rbm_log_z_defaults, "Of log_z()."),
    STATIC_NO_ARGUMENTS("states_defaults", core_rbm_states_defaults, "Of deep_states()."),
    STATIC_NO_ARGUMENTS("unmap_defaults", core_rbm_unmap_defaults, "Of unmap()."),
    CORE_NO_ARGUMENTS("copy", copy, "Another RBM with the same numbers."),
    CORE_NO_ARGUMENTS("describe", describe, "isg_rbm_info as a dict."),
    {"set_beta", set_beta, METH_O, "Sets the inverse temperature."},
    CORE_METHOD("set_image", set_image, "Sets the shape of the visible units."),
    CORE_NO_ARGUMENTS("encoding", encoding, "How the data became spins, or None."),
    {"set_encoding", set_encoding, METH_O, "Sets that."},
    CORE_NO_ARGUMENTS("unit_names", unit_names, "The names of the visible units, or None."),
    CORE_NO_ARGUMENTS("patterns", patterns, "A copy of those it was made from, or None."),
    CORE_NO_ARGUMENTS("weights", weights, "W (n_visible, n_hidden), a view."),
    CORE_NO_ARGUMENTS("visible_field", visible_field, "b (n_visible), a view."),
    CORE_NO_ARGUMENTS("hidden_field", hidden_field, "c (n_hidden), a view."),
    CORE_NO_ARGUMENTS("coefficients", coefficients, "R (n_hidden, n_patterns), a view, or None."),
    CORE_METHOD("transform", core_rbm_transform, "Writes h, and energies unless None."),
    CORE_METHOD("capture", core_rbm_capture, "The share of the data in the span of W."),
    CORE_METHOD("energy", core_rbm_energy, "Writes H(s, lambda) of every sample."),
    CORE_METHOD("free_energy", core_rbm_free_energy, "Writes F0 and its gradient unless None."),
    CORE_METHOD("visible_input", core_rbm_visible_input, "Writes W lambda + b of every row."),
    CORE_METHOD("log_z", core_rbm_log_z, "A list of isg_log_z as dicts."),
    CORE_METHOD("likelihood", core_rbm_likelihood, "isg_likelihood as a dict, and by class."),
    CORE_METHOD("likelihoods", core_rbm_likelihoods, "The same at several betas."),
    CORE_METHOD("certificate", core_rbm_certificate, "isg_interval as a dict."),
    {"probabilities", core_rbm_probabilities, METH_O, "Writes p(s) of all states to out."},
    CORE_METHOD("deep_states", core_rbm_deep_states, "The minima of H."),
    CORE_METHOD("append_pattern", core_rbm_append_pattern, "A new RBM with one more."),
    CORE_METHOD("remove_pattern", core_rbm_remove_pattern, "A new RBM with one less."),
    CORE_NO_ARGUMENTS("orthonormalize", core_rbm_orthonormalize, "A new RBM."),
    CORE_METHOD("integrate", core_rbm_integrate, "isg_integrated as a dict; writes two arrays."),
    CORE_NO_ARGUMENTS("to_hopfield", core_rbm_to_hopfield, "The network that equals it."),
    CORE_METHOD("unmap", core_rbm_unmap, "The patterns of a network near to it."),
    {NULL, NULL, 0, NULL}};

static void release(void *handle) {
    isg_rbm_free(handle);
}

bool core_add_rbm(PyObject *module) {
    return core_add_type(module, CORE_RBM, "RBM", "isg_rbm", release, methods);
}
