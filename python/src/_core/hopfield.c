/* hopfield.c - Hopfield networks
 *
 * SPDX-License-Identifier: MIT
 */
#include "hopfield.h"

static const core_field info_fields[] = {CORE_FIELD(isg_hopfield_info, n_visible, CORE_SIZE),
                                         CORE_FIELD(isg_hopfield_info, n_patterns, CORE_SIZE),
                                         CORE_FIELD(isg_hopfield_info, rank, CORE_SIZE),
                                         CORE_ENUM("rule", isg_hopfield_info, rule, core_rules),
                                         CORE_FIELD(isg_hopfield_info, keeps_diagonal, CORE_BOOL),
                                         CORE_FIELD(isg_hopfield_info, has_field, CORE_BOOL),
                                         CORE_FIELD(isg_hopfield_info, trace, CORE_DOUBLE),
                                         {NULL, 0, 0, NULL}};

static const core_field option_fields[] = {
    CORE_ENUM("rule", isg_hopfield_options, rule, core_rules),
    CORE_FIELD(isg_hopfield_options, keep_diagonal, CORE_BOOL),
    CORE_FIELD(isg_hopfield_options, allow_rank_deficient, CORE_BOOL),
    {NULL, 0, 0, NULL}};

/* ---- making ------------------------------------------------------------------------------------- */

/* With the patterns shared and the options complete. */
static PyObject *make(PyObject *patterns, const isg_hopfield_options *chosen) {
    isg_hopfield *out = NULL;
    core_call call;
    if (!core_enter(&call, NULL))
        return NULL;
    const isg_status status = isg_hopfield_create(&out, ((core_object *)patterns)->handle, chosen);
    if (!core_leave(&call, status)) {
        isg_hopfield_free(status == ISG_OK ? out : NULL);
        return NULL;
    }
    return core_wrap(CORE_HOPFIELD, out, NULL);
}

static PyObject *create(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"patterns", "options", "field", NULL};
    PyObject *patterns = NULL, *options = NULL, *field = NULL, *made = NULL;
    isg_hopfield_options chosen = isg_hopfield_defaults();
    core_array array = {.is_held = false};
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OO", names, &patterns, &options,
                                     &field) ||
        !core_unwrap(patterns, CORE_PATTERNS, "patterns") ||
        !core_read(&chosen, option_fields, options))
        return NULL;
    if (field && field != Py_None) {
        const isg_patterns *stored = ((core_object *)patterns)->handle;
        if (!core_array_get(&array, field, "field", ISG_NUMBER_FLOAT64, 1, CORE_READ))
            return NULL;
        if (!core_array_check(&array, "field", isg_patterns_describe(stored).n_visible, 1))
            goto done;
        chosen.field = array.view.buf;
    }
    if (core_share(patterns)) {
        made = make(patterns, &chosen);
        core_unshare(patterns);
    }
done:
    core_array_release(&array);
    return made;
}

static PyObject *from_rbm(PyObject *none, PyObject *rbm) {
    isg_hopfield *out = NULL;
    core_call call;
    (void)none;
    if (!core_unwrap(rbm, CORE_RBM, "rbm") || !core_share(rbm))
        return NULL;
    bool is_done = core_enter(&call, NULL);
    if (is_done) {
        const isg_status status = isg_hopfield_from_rbm(&out, ((core_object *)rbm)->handle);
        is_done = core_leave(&call, status);
        if (status == ISG_OK && !is_done)
            isg_hopfield_free(out);
    }
    core_unshare(rbm);
    return is_done ? core_wrap(CORE_HOPFIELD, out, NULL) : NULL;
}

static PyObject *defaults(PyObject *none, PyObject *nothing) {
    const isg_hopfield_options usual = isg_hopfield_defaults();
    (void)none, (void)nothing;
    return core_write(&usual, option_fields);
}

/* ---- looking ------------------------------------------------------------------------------------ */

static PyObject *describe(PyObject *self, PyObject *none) {
    (void)none;
    const isg_hopfield_info info = isg_hopfield_describe(network_of(self));
    return core_write(&info, info_fields);
}

/* A copy, since the network owns its patterns; by the bytes of a file, which have
   everything but the numbers of members. */
static PyObject *patterns(PyObject *self, PyObject *none) {
    const isg_patterns *stored = isg_hopfield_patterns(network_of(self));
    isg_patterns *copy = NULL;
    void *bytes = NULL;
    size_t size = 0;
    (void)none;
    if (!stored)
        Py_RETURN_NONE;
    isg_status status = isg_patterns_to_bytes(stored, 0, NULL, &bytes, &size);
    if (status == ISG_OK) {
        status = isg_patterns_from_bytes(&copy, "patterns", bytes, size);
        isg_bytes_free(bytes);
    }
    return status == ISG_OK ? core_wrap(CORE_PATTERNS, copy, NULL) : core_raise(status);
}

/* ---- the RBM ------------------------------------------------------------------------------------ */

static bool read_mapping(PyObject *arguments, PyObject *keywords, isg_decomposition *via,
                         double *beta) {
    static char *names[] = {"via", "beta", NULL};
    PyObject *text = NULL;
    int choice = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "Od", names, &text, beta) ||
        !core_choose(text, "via", core_decompositions, &choice))
        return false;
    *via = (isg_decomposition)choice;
    return true;
}

static bool map(PyObject *self, isg_rbm **out, isg_decomposition via, double beta,
                isg_mapping_report *report) {
    core_call call;
    if (!core_share(self))
        return false;
    bool is_done = core_enter(&call, NULL);
    if (is_done) {
        const isg_status status = isg_rbm_from_hopfield(out, network_of(self), via, beta, report);
        is_done = core_leave(&call, status);
        if (status == ISG_OK && !is_done)
            isg_rbm_free(*out);
    }
    core_unshare(self);
    return is_done;
}

static PyObject *to_rbm(PyObject *self, PyObject *arguments, PyObject *keywords) {
    isg_decomposition via = ISG_VIA_QR;
    double beta = 0;
    isg_rbm *out = NULL;
    if (!read_mapping(arguments, keywords, &via, &beta) || !map(self, &out, via, beta, NULL))
        return NULL;
    return core_wrap(CORE_RBM, out, NULL);
}

static PyObject *mapping_report(PyObject *self, PyObject *arguments, PyObject *keywords) {
    isg_decomposition via = ISG_VIA_QR;
    double beta = 0;
    isg_rbm *out = NULL;
    isg_mapping_report report = {0};
    if (!read_mapping(arguments, keywords, &via, &beta) || !map(self, &out, via, beta, &report))
        return NULL;
    isg_rbm_free(out);
    return core_write(&report, core_mapping_fields);
}

static PyMethodDef methods[] = {
    CORE_STATIC("create", create, "The network that stores patterns."),
    {"from_rbm", from_rbm, METH_O | METH_STATIC, "The network that equals an RBM."},
    {"defaults", defaults, METH_NOARGS | METH_STATIC, "isg_hopfield_defaults() as a dict."},
    CORE_NO_ARGUMENTS("describe", describe, "isg_hopfield_info as a dict."),
    CORE_NO_ARGUMENTS("patterns", patterns, "A copy of its patterns, or None."),
    CORE_METHOD("to_rbm", to_rbm, "The RBM that equals the network."),
    CORE_METHOD("mapping_report", mapping_report, "isg_mapping_report as a dict."),
    CORE_METHOD("energy", hopfield_energy, "Writes H of each sample to out (n), float64."),
    CORE_METHOD("fields", hopfield_fields, "Writes local fields to out (n, n_visible)."),
    CORE_METHOD("overlaps", hopfield_overlaps, "Writes overlaps to out (n, n_patterns)."),
    CORE_METHOD("projections", hopfield_projections, "Writes them to out (n, n_patterns)."),
    CORE_METHOD("examine", hopfield_examine, "isg_hopfield_state as a dict of arrays (n)."),
    CORE_METHOD("run", hopfield_run, "Writes the ends to out (n, n_visible), int8; reports."),
    {"run_defaults", hopfield_run_defaults, METH_NOARGS | METH_STATIC, "As a dict."},
    CORE_METHOD("committor", hopfield_committor, "Writes shares to out (n, n_patterns + 1)."),
    {"committor_defaults", hopfield_committor_defaults, METH_NOARGS | METH_STATIC, "As a dict."},
    {NULL, NULL, 0, NULL}};

static void release(void *handle) {
    isg_hopfield_free(handle);
}

bool core_add_hopfield(PyObject *module) {
    return core_add_type(module, CORE_HOPFIELD, "Hopfield", "isg_hopfield", release, methods);
}
