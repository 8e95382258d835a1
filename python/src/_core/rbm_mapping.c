/* rbm_mapping.c - the bridge between Hopfield networks and RBMs
 *
 * SPDX-License-Identifier: MIT
 */
#include "rbm.h"

const core_field core_mapping_fields[] = {
    CORE_ENUM("via", isg_mapping_report, via, core_decompositions),
    CORE_FIELD(isg_mapping_report, n_hidden, CORE_SIZE),
    CORE_FIELD(isg_mapping_report, rank, CORE_SIZE),
    CORE_FIELD(isg_mapping_report, orthogonality_error, CORE_DOUBLE),
    CORE_FIELD(isg_mapping_report, reconstruction_error, CORE_DOUBLE),
    CORE_FIELD(isg_mapping_report, projector_error, CORE_DOUBLE),
    CORE_FIELD(isg_mapping_report, fixed_point_error, CORE_DOUBLE),
    CORE_FIELD(isg_mapping_report, trace, CORE_DOUBLE),
    CORE_FIELD(isg_mapping_report, energy_shift, CORE_DOUBLE),
    {NULL, 0, 0, NULL}};

static const core_field mapping_fields[] = {
    CORE_ENUM("via", isg_mapping_options, via, core_decompositions),
    CORE_FIELD(isg_mapping_options, beta, CORE_DOUBLE),
    CORE_FIELD(isg_mapping_options, allow_rank_deficient, CORE_BOOL),
    {NULL, 0, 0, NULL}};

static const core_field start_fields[] = {
    CORE_ENUM("kind", isg_start_options, kind, core_starts),
    CORE_FIELD(isg_start_options, per_class, CORE_SIZE),
    CORE_FIELD(isg_start_options, cap, CORE_BOOL),
    CORE_FIELD(isg_start_options, n_hidden, CORE_SIZE),
    CORE_FIELD(isg_start_options, allow_rank_deficient, CORE_BOOL),
    CORE_FIELD(isg_start_options, beta, CORE_DOUBLE),
    CORE_FIELD(isg_start_options, deviation, CORE_DOUBLE),
    CORE_FIELD(isg_start_options, seed, CORE_UINT64),
    {NULL, 0, 0, NULL}};

static const core_field integrated_fields[] = {
    CORE_FIELD(isg_integrated, n_visible, CORE_SIZE),
    CORE_FIELD(isg_integrated, n_hidden, CORE_SIZE),
    CORE_FIELD(isg_integrated, rank, CORE_SIZE),
    CORE_FIELD(isg_integrated, orthogonality_error, CORE_DOUBLE),
    CORE_FIELD(isg_integrated, orthogonal_distance, CORE_DOUBLE),
    CORE_FIELD(isg_integrated, correction, CORE_DOUBLE),
    CORE_FIELD(isg_integrated, is_binary, CORE_BOOL),
    CORE_FIELD(isg_integrated, is_hebbian, CORE_BOOL),
    CORE_FIELD(isg_integrated, hebbian_beta, CORE_DOUBLE),
    CORE_FIELD(isg_integrated, has_field, CORE_BOOL),
    {NULL, 0, 0, NULL}};

PyObject *core_rbm_mapping_defaults(PyObject *self, PyObject *none) {
    const isg_mapping_options chosen = isg_mapping_defaults();
    (void)self, (void)none;
    return core_write(&chosen, mapping_fields);
}

PyObject *core_rbm_start_defaults(PyObject *self, PyObject *none) {
    const isg_start_options chosen = isg_start_defaults();
    (void)self, (void)none;
    return core_write(&chosen, start_fields);
}

/* A new RBM after a long call. */
static PyObject *finish(core_call *call, isg_status status, isg_rbm *made) {
    if (core_leave(call, status))
        return core_wrap(CORE_RBM, made, NULL);
    isg_rbm_free(status == ISG_OK ? made : NULL);
    return NULL;
}

/* (rbm, report), where the report is None unless it was wanted. Takes over the reference. */
static PyObject *with_report(PyObject *made, const isg_mapping_report *report, bool is_wanted) {
    if (!made)
        return NULL;
    PyObject *found = is_wanted ? core_write(report, core_mapping_fields) : Py_NewRef(Py_None);
    PyObject *both = found ? PyTuple_Pack(2, made, found) : NULL;
    Py_DECREF(made);
    Py_XDECREF(found);
    return both;
}

PyObject *core_rbm_from_patterns(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"patterns", "options", "field", "report", NULL};
    PyObject *patterns = NULL, *options = NULL, *field = Py_None;
    isg_mapping_options chosen = isg_mapping_defaults();
    isg_mapping_report report;
    isg_rbm *out = NULL;
    core_array array = {.is_held = false};
    core_call call;
    int wants_report = 0;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OOp", names, &patterns, &options,
                                     &field, &wants_report) ||
        !core_unwrap(patterns, CORE_PATTERNS, "patterns") ||
        !core_read(&chosen, mapping_fields, options))
        return NULL;
    const isg_patterns *stored = ((core_object *)patterns)->handle;
    if (field != Py_None) {
        if (!core_array_get(&array, field, "field", ISG_NUMBER_FLOAT64, 1, CORE_READ))
            return NULL;
        chosen.field = array.view.buf;
    }
    PyObject *made = NULL;
    if ((field == Py_None ||
         core_array_check(&array, "field", isg_patterns_describe(stored).n_visible, 1)) &&
        core_share(patterns)) {
        if (core_enter(&call, NULL)) {
            const isg_status status =
                isg_rbm_from_patterns(&out, stored, &chosen, wants_report ? &report : NULL);
            made = finish(&call, status, out);
        }
        core_unshare(patterns);
    }
    core_array_release(&array);
    return with_report(made, &report, wants_report);
}

PyObject *core_rbm_from_hopfield(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"network", "options", "report", NULL};
    PyObject *network = NULL, *options = NULL, *made = NULL;
    isg_mapping_options chosen = isg_mapping_defaults();
    isg_mapping_report report;
    isg_rbm *out = NULL;
    core_call call;
    int wants_report = 0;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|Op", names, &network, &options,
                                     &wants_report) ||
        !core_unwrap(network, CORE_HOPFIELD, "network") ||
        !core_read(&chosen, mapping_fields, options) || !core_share(network))
        return NULL;
    if (core_enter(&call, NULL)) {
        const isg_status status =
            isg_rbm_from_hopfield(&out, ((core_object *)network)->handle, chosen.via, chosen.beta,
                                  wants_report ? &report : NULL);
        made = finish(&call, status, out);
    }
    core_unshare(network);
    return with_report(made, &report, wants_report);
}

PyObject *core_rbm_start(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "options", "patterns", "progress", NULL};
    PyObject *data = NULL, *options = NULL, *patterns = Py_None, *progress = NULL, *made = NULL;
    isg_start_options chosen = isg_start_defaults();
    isg_rbm *out = NULL;
    core_call call;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OOO", names, &data, &options,
                                     &patterns, &progress) ||
        !core_unwrap(data, CORE_DATASET, "data") || !core_read(&chosen, start_fields, options))
        return NULL;
    const isg_patterns *from = core_unwrap_optional(patterns, CORE_PATTERNS, "patterns");
    if (PyErr_Occurred() || !core_share_both(data, patterns))
        return NULL;
    if (core_enter(&call, progress)) {
        const isg_status status =
            isg_rbm_start(&out, &chosen, from, ((core_object *)data)->handle, core_progress(&call));
        made = finish(&call, status, out);
    }
    core_unshare_both(data, patterns);
    return made;
}

/* ---- what becomes of an RBM: always a new one, so that arrays of the old one stay valid ------------- */

static PyObject *changed_copy(PyObject *self, isg_rbm **out) {
    if (!core_share(self))
        return NULL;
    const isg_status status = isg_rbm_copy(out, core_rbm(self));
    core_unshare(self);
    return status == ISG_OK ? core_wrap(CORE_RBM, *out, NULL) : core_raise(status);
}

PyObject *core_rbm_append_pattern(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"pattern", "label", NULL};
    PyObject *pattern = NULL;
    const char *label = NULL;
    const size_t n = isg_rbm_describe(core_rbm(self)).n_visible;
    isg_rbm *rbm = NULL;
    core_array array;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|z", names, &pattern, &label) ||
        !core_array_get(&array, pattern, "pattern", ISG_NUMBER_INT8, 1, CORE_READ))
        return NULL;
    PyObject *made = NULL;
    uint64_t *row = PyMem_Calloc(n / 64 + 1, sizeof *row);
    if (!row)
        PyErr_NoMemory();
    else if (core_array_check(&array, "pattern", n, 1))
        made = changed_copy(self, &rbm);
    if (made) {
        core_pack(array.view.buf, n, row);
        const isg_status status = isg_rbm_append_pattern(rbm, row, label);
        if (status != ISG_OK) {
            Py_CLEAR(made);
            core_raise(status);
        }
    }
    PyMem_Free(row);
    core_array_release(&array);
    return made;
}

PyObject *core_rbm_remove_pattern(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"index", NULL};
    Py_ssize_t index = 0;
    isg_rbm *rbm = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "n", names, &index))
        return NULL;
    const isg_patterns *known = isg_rbm_patterns(core_rbm(self));
    const size_t count = known ? isg_patterns_describe(known).n_patterns : 0;
    if (index < 0 || (size_t)index >= count) {
        PyErr_Format(PyExc_ValueError, "index: expected a pattern from 0 on of %zu, found %zd",
                     count, index);
        return NULL;
    }
    PyObject *made = changed_copy(self, &rbm);
    const isg_status status = made ? isg_rbm_remove_pattern(rbm, (size_t)index) : ISG_OK;
    if (status != ISG_OK) {
        Py_CLEAR(made);
        core_raise(status);
    }
    return made;
}

PyObject *core_rbm_orthonormalize(PyObject *self, PyObject *none) {
    isg_rbm *out = NULL;
    core_call call;
    PyObject *made = NULL;
    (void)none;
    if (!core_share(self))
        return NULL;
    if (core_enter(&call, NULL)) {
        const isg_status status = isg_rbm_orthonormalize(&out, core_rbm(self));
        made = finish(&call, status, out);
    }
    core_unshare(self);
    return made;
}

PyObject *core_rbm_integrate(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"singular_values", "field", NULL};
    PyObject *values = NULL, *field = NULL, *found = NULL;
    const isg_rbm_info info = isg_rbm_describe(core_rbm(self));
    const size_t count = info.n_visible < info.n_hidden ? info.n_visible : info.n_hidden;
    core_array sigma = {.is_held = false}, array = {.is_held = false};
    isg_integrated whole;
    core_call call;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO", names, &values, &field))
        return NULL;
    if (core_array_get(&sigma, values, "singular_values", ISG_NUMBER_FLOAT64, 1, CORE_WRITE) &&
        core_array_check(&sigma, "singular_values", count, 1) &&
        core_array_get(&array, field, "field", ISG_NUMBER_FLOAT64, 1, CORE_WRITE) &&
        core_array_check(&array, "field", info.n_visible, 1) && core_share(self)) {
        if (core_enter(&call, NULL) &&
            core_leave(&call,
                       isg_rbm_integrate(core_rbm(self), &whole, sigma.view.buf, array.view.buf)))
            found = core_write(&whole, integrated_fields);
        core_unshare(self);
    }
    core_array_release(&sigma);
    core_array_release(&array);
    return found;
}

PyObject *core_rbm_to_hopfield(PyObject *self, PyObject *none) {
    isg_hopfield *out = NULL;
    core_call call;
    PyObject *made = NULL;
    (void)none;
    if (!core_share(self))
        return NULL;
    if (core_enter(&call, NULL)) {
        const isg_status status = isg_hopfield_from_rbm(&out, core_rbm(self));
        if (core_leave(&call, status))
            made = core_wrap(CORE_HOPFIELD, out, NULL);
        else
            isg_hopfield_free(status == ISG_OK ? out : NULL);
    }
    core_unshare(self);
    return made;
}
