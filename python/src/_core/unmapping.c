/* unmapping.c - from an RBM back to patterns
 *
 * SPDX-License-Identifier: MIT
 */
#include "rbm.h"

static const char *const method_names[] = {"descent", "relax", "enumerate", "capture", NULL};
static const char *const mixing_names[] = {"jumps", "tempering", "data", NULL};
static const char *const start_names[] = {"model", "patterns", "random", "clusters", NULL};
static const char *const verdict_names[] = {"exact", "approximate", "none", NULL};

static const core_field option_fields[] = {
    CORE_ENUM("method", isg_unmap_options, method, method_names),
    CORE_ENUM("start", isg_unmap_options, start, start_names),
    CORE_FIELD(isg_unmap_options, restarts, CORE_SIZE),
    CORE_FIELD(isg_unmap_options, alpha, CORE_DOUBLE),
    CORE_FIELD(isg_unmap_options, gamma, CORE_DOUBLE),
    CORE_FIELD(isg_unmap_options, steps, CORE_SIZE),
    CORE_FIELD(isg_unmap_options, flip, CORE_BOOL),
    CORE_FIELD(isg_unmap_options, samples, CORE_SIZE),
    CORE_NAMED("n_patterns", isg_unmap_options, count, CORE_SIZE),
    CORE_NAMED("near_data", isg_unmap_options, stay, CORE_BOOL),
    CORE_FIELD(isg_unmap_options, seed, CORE_UINT64),
    {NULL, 0, 0, NULL}};

static const core_field report_fields[] = {
    CORE_ENUM("method", isg_unmap_report, method, method_names),
    CORE_ENUM("start", isg_unmap_report, start, start_names),
    CORE_FIELD(isg_unmap_report, n_visible, CORE_SIZE),
    CORE_FIELD(isg_unmap_report, n_hidden, CORE_SIZE),
    CORE_FIELD(isg_unmap_report, n_patterns, CORE_SIZE),
    CORE_FIELD(isg_unmap_report, n_distinct, CORE_SIZE),
    CORE_FIELD(isg_unmap_report, rank, CORE_SIZE),
    CORE_FIELD(isg_unmap_report, n_starts, CORE_SIZE),
    CORE_FIELD(isg_unmap_report, n_candidates, CORE_SIZE),
    CORE_FIELD(isg_unmap_report, is_exhaustive, CORE_BOOL),
    CORE_FIELD(isg_unmap_report, residual, CORE_DOUBLE),
    CORE_FIELD(isg_unmap_report, error, CORE_DOUBLE),
    CORE_FIELD(isg_unmap_report, residual_before, CORE_DOUBLE),
    CORE_FIELD(isg_unmap_report, error_before, CORE_DOUBLE),
    CORE_FIELD(isg_unmap_report, sign_baseline, CORE_DOUBLE),
    CORE_FIELD(isg_unmap_report, random_baseline, CORE_DOUBLE),
    CORE_ENUM("verdict", isg_unmap_report, verdict, verdict_names),
    CORE_FIELD(isg_unmap_report, capture_before, CORE_DOUBLE),
    CORE_FIELD(isg_unmap_report, capture, CORE_DOUBLE),
    CORE_FIELD(isg_unmap_report, flips, CORE_SIZE),
    CORE_ENUM("mixing", isg_unmap_report, mixing, mixing_names),
    {NULL, 0, 0, NULL}};

#define STATE(prefix, member)                                                                      \
    CORE_NAMED(prefix "is_fixed_point", isg_unmapped_pattern, member.is_fixed_point, CORE_BOOL),   \
        CORE_NAMED(prefix "is_fixed_point_without_diagonal", isg_unmapped_pattern,                 \
                   member.is_fixed_point_without_diagonal, CORE_BOOL),                             \
        CORE_NAMED(prefix "is_stable", isg_unmapped_pattern, member.is_stable, CORE_BOOL)

static const core_field pattern_fields[] = {
    CORE_FIELD(isg_unmapped_pattern, residual, CORE_DOUBLE),
    CORE_FIELD(isg_unmapped_pattern, error, CORE_DOUBLE),
    CORE_FIELD(isg_unmapped_pattern, known, CORE_SIZE),
    CORE_FIELD(isg_unmapped_pattern, bits_changed, CORE_SIZE),
    CORE_FIELD(isg_unmapped_pattern, same_as, CORE_SIZE),
    STATE("", projector),
    STATE("model_", model),
    CORE_FIELD(isg_unmapped_pattern, n_small, CORE_SIZE),
    CORE_FIELD(isg_unmapped_pattern, n_compatible, CORE_SIZE),
    CORE_FIELD(isg_unmapped_pattern, n_left_over, CORE_SIZE),
    {NULL, 0, 0, NULL}};

static isg_unmapping *unmapping_of(PyObject *self) {
    return ((core_object *)self)->handle;
}

PyObject *core_rbm_unmap_defaults(PyObject *self, PyObject *none) {
    const isg_unmap_options chosen = isg_unmap_defaults();
    (void)self, (void)none;
    return core_write(&chosen, option_fields);
}

static PyObject *search(PyObject *self, const isg_unmap_options *options, PyObject *progress) {
    isg_unmapping *out = NULL;
    core_call call;
    if (!core_enter(&call, progress))
        return NULL;
    const isg_status status = isg_unmap(&out, core_rbm(self), options, core_progress(&call));
    if (core_leave(&call, status))
        return core_wrap(CORE_UNMAPPING, out, NULL);
    isg_unmapping_free(status == ISG_OK ? out : NULL);
    return NULL;
}

PyObject *core_rbm_unmap(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"options", "patterns", "data", "progress", NULL};
    PyObject *options = NULL, *patterns = Py_None, *data = Py_None, *progress = NULL, *made = NULL;
    isg_unmap_options chosen = isg_unmap_defaults();
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|OOOO", names, &options, &patterns,
                                     &data, &progress) ||
        !core_read(&chosen, option_fields, options) ||
        !core_whole_data_optional(data, "data", &chosen.data))
        return NULL;
    chosen.patterns = core_unwrap_optional(patterns, CORE_PATTERNS, "start");
    if (PyErr_Occurred() || !core_share_both(self, data))
        return NULL;
    if (core_share(patterns)) {
        made = search(self, &chosen, progress);
        core_unshare(patterns);
    }
    core_unshare_both(self, data);
    return made;
}

/* ---- what was found ---------------------------------------------------------------------------------- */

static PyObject *describe(PyObject *self, PyObject *none) {
    (void)none;
    const isg_unmap_report report = isg_unmapping_describe(unmapping_of(self));
    return core_write(&report, report_fields);
}

static PyObject *patterns(PyObject *self, PyObject *none) {
    (void)none;
    return core_patterns_of(isg_unmapping_patterns(unmapping_of(self)));
}

static PyObject *rows(PyObject *self, PyObject *none) {
    const size_t count = isg_unmapping_describe(unmapping_of(self)).n_patterns;
    (void)none;
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t mu = 0; list && mu < count; mu++) {
        const isg_unmapped_pattern found = isg_unmapping_pattern(unmapping_of(self), mu);
        PyObject *row = core_write(&found, pattern_fields);
        if (!row || PyList_SetItem(list, (Py_ssize_t)mu, row) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *coefficients(PyObject *self, PyObject *none) {
    const isg_matd_view x = isg_unmapping_coefficients(unmapping_of(self));
    (void)none;
    return core_view_new(self, x.data, x.rows, x.cols, x.stride, true);
}

static PyMethodDef methods[] = {
    CORE_NO_ARGUMENTS("describe", describe, "isg_unmap_report as a dict."),
    CORE_NO_ARGUMENTS("patterns", patterns, "A copy of the patterns."),
    CORE_NO_ARGUMENTS("rows", rows, "isg_unmapped_pattern of each, as dicts."),
    CORE_NO_ARGUMENTS("coefficients", coefficients, "X (n_hidden, n_patterns), a view."),
    {NULL, NULL, 0, NULL}};

static void release(void *handle) {
    isg_unmapping_free(handle);
}

bool core_add_unmapping(PyObject *module) {
    return core_add_type(module, CORE_UNMAPPING, "Unmapping", "isg_unmapping", release, methods);
}
