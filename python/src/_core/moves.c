/* moves.c - how chains change modes: jumps, and replicas at other temperatures
 *
 * SPDX-License-Identifier: MIT
 */
#include "moves.h"

#include "rbm.h"

/* ---- jumps --------------------------------------------------------------------------------------- */

static const core_field jump_option_fields[] = {
    CORE_NAMED("samples", isg_jump_options, mixture.samples, CORE_SIZE),
    CORE_NAMED("random_starts", isg_jump_options, mixture.random_starts, CORE_SIZE),
    CORE_NAMED("witnesses", isg_jump_options, mixture.witnesses, CORE_SIZE),
    CORE_NAMED("data_starts", isg_jump_options, mixture.data_starts, CORE_SIZE),
    CORE_NAMED("seed", isg_jump_options, mixture.seed, CORE_UINT64),
    CORE_FIELD(isg_jump_options, least_acceptance, CORE_DOUBLE),
    {NULL, 0, 0, NULL}};

static const core_field jump_fields[] = {CORE_FIELD(isg_jumps_info, is_usable, CORE_BOOL),
                                         CORE_FIELD(isg_jumps_info, reason, CORE_CHARS),
                                         CORE_FIELD(isg_jumps_info, beta, CORE_DOUBLE),
                                         CORE_FIELD(isg_jumps_info, minima, CORE_SIZE),
                                         CORE_FIELD(isg_jumps_info, expected, CORE_DOUBLE),
                                         CORE_FIELD(isg_jumps_info, proposed, CORE_UINT64),
                                         CORE_FIELD(isg_jumps_info, accepted, CORE_UINT64),
                                         {NULL, 0, 0, NULL}};

static isg_jumps *jumps_of(PyObject *self) {
    return ((core_object *)self)->handle;
}

/* They are never fitted again, so that the data need not be kept. */
static PyObject *create_jumps(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"rbm", "options", "data", "progress", NULL};
    PyObject *rbm = NULL, *options = NULL, *data = NULL, *progress = NULL, *made = NULL;
    isg_jump_options read = isg_jump_defaults();
    isg_jumps *out = NULL;
    core_call call;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OOO", names, &rbm, &options, &data,
                                     &progress) ||
        !core_unwrap(rbm, CORE_RBM, "rbm") || !core_read(&read, jump_option_fields, options))
        return NULL;
    read.mixture.data = core_unwrap_optional(data, CORE_DATASET, "data");
    if (PyErr_Occurred() || !core_share(rbm))
        return NULL;
    if (core_share(data)) {
        if (core_enter(&call, progress)) {
            const isg_status status =
                isg_jumps_create(&out, core_rbm(rbm), &read, core_progress(&call));
            if (core_leave(&call, status))
                made = core_wrap(CORE_JUMPS, out, NULL);
            else
                isg_jumps_free(status == ISG_OK ? out : NULL);
        }
        core_unshare(data);
    }
    core_unshare(rbm);
    return made;
}

static PyObject *jump_defaults(PyObject *none, PyObject *nothing) {
    const isg_jump_options options = isg_jump_defaults();
    (void)none;
    (void)nothing;
    return core_write(&options, jump_option_fields);
}

static PyObject *describe_jumps(PyObject *self, PyObject *none) {
    (void)none;
    if (!core_share(self))
        return NULL;
    const isg_jumps_info info = isg_jumps_describe(jumps_of(self));
    core_unshare(self);
    return core_write(&info, jump_fields);
}

static PyMethodDef jump_methods[] = {
    CORE_STATIC("create", create_jumps, "Fits a mixture to an RBM."),
    {"defaults", jump_defaults, METH_NOARGS | METH_STATIC, "isg_jump_options as a dict."},
    CORE_NO_ARGUMENTS("describe", describe_jumps, "isg_jumps_info as a dict."),
    {NULL, NULL, 0, NULL}};

static void release_jumps(void *handle) {
    isg_jumps_free(handle);
}

/* ---- tempering ----------------------------------------------------------------------------------- */

static const core_field tempering_option_fields[] = {
    CORE_FIELD(isg_tempering_options, temperatures, CORE_SIZE),
    CORE_FIELD(isg_tempering_options, lowest, CORE_DOUBLE),
    {NULL, 0, 0, NULL}};

static const core_field tempering_fields[] = {
    CORE_FIELD(isg_tempering_info, steps, CORE_UINT64),
    CORE_FIELD(isg_tempering_info, untried, CORE_SIZE),
    CORE_FIELD(isg_tempering_info, least_rate, CORE_DOUBLE),
    CORE_FIELD(isg_tempering_info, mean_rate, CORE_DOUBLE),
    {NULL, 0, 0, NULL}};

static isg_tempering *tempering_of(PyObject *self) {
    return ((core_object *)self)->handle;
}

static PyObject *create_tempering(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"chains", "beta", "options", NULL};
    PyObject *chains = NULL, *options = NULL, *made = NULL;
    isg_tempering_options read = isg_tempering_defaults();
    isg_tempering *out = NULL;
    double beta = 0;
    core_call call;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "Od|O", names, &chains, &beta,
                                     &options) ||
        !core_unwrap(chains, CORE_CHAINS, "chains") ||
        !core_read(&read, tempering_option_fields, options) || !core_share(chains))
        return NULL;
    if (core_enter(&call, NULL)) {
        const isg_status status =
            isg_tempering_create(&out, ((core_object *)chains)->handle, beta, &read);
        if (core_leave(&call, status))
            made = core_wrap(CORE_TEMPERING, out, NULL);
        else
            isg_tempering_free(status == ISG_OK ? out : NULL);
    }
    core_unshare(chains);
    return made;
}

static PyObject *tempering_defaults(PyObject *none, PyObject *nothing) {
    const isg_tempering_options options = isg_tempering_defaults();
    (void)none;
    (void)nothing;
    return core_write(&options, tempering_option_fields);
}

/* A list of numbers. */
static PyObject *list_of(const isg_tempering *tempering, size_t count,
                         double (*at)(const isg_tempering *, size_t)) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t t = 0; list && t < count; t++) {
        PyObject *number = PyFloat_FromDouble(at(tempering, t));
        if (!number || PyList_SetItem(list, (Py_ssize_t)t, number) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static bool add(PyObject *dictionary, const char *key, PyObject *value) {
    const bool is_done = value && PyDict_SetItemString(dictionary, key, value) == 0;
    Py_XDECREF(value);
    return is_done;
}

static PyObject *describe_tempering(PyObject *self, PyObject *none) {
    const isg_tempering *tempering = tempering_of(self);
    (void)none;
    if (!core_share(self))
        return NULL;
    const isg_tempering_info info = isg_tempering_describe(tempering);
    PyObject *out = core_write(&info, tempering_fields);
    const bool is_done =
        out && add(out, "betas", list_of(tempering, info.temperatures, isg_tempering_beta)) &&
        add(out, "rates", list_of(tempering, info.temperatures - 1, isg_tempering_rate));
    core_unshare(self);
    if (!is_done)
        Py_CLEAR(out);
    return out;
}

static PyMethodDef tempering_methods[] = {
    CORE_STATIC("create", create_tempering, "Copies chains to all temperatures."),
    {"defaults", tempering_defaults, METH_NOARGS | METH_STATIC, "isg_tempering_options as a dict."},
    CORE_NO_ARGUMENTS("describe", describe_tempering,
                      "isg_tempering_info as a dict, with betas and rates."),
    {NULL, NULL, 0, NULL}};

static void release_tempering(void *handle) {
    isg_tempering_free(handle);
}

/* ---- what moves chains --------------------------------------------------------------------------- */

bool core_moves_claim(core_moves *out, PyObject *how, PyObject *patterns) {
    *out = (core_moves){.how = how, .patterns = patterns};
    out->moves.patterns = core_unwrap_optional(patterns, CORE_PATTERNS, "patterns");
    if (PyErr_Occurred())
        return false;
    if (how && how != Py_None) {
        out->moves.jumps = core_unwrap(how, CORE_JUMPS, "moves");
        if (!out->moves.jumps) {
            PyErr_Clear();
            out->moves.tempering = core_unwrap(how, CORE_TEMPERING, "moves");
        }
        if (PyErr_Occurred() || !core_claim(how))
            return false;
        out->is_claimed = true;
    }
    if (core_share(patterns))
        return true;
    out->patterns = NULL;
    core_moves_drop(out);
    return false;
}

void core_moves_drop(core_moves *moves) {
    core_unshare(moves->patterns);
    if (moves->is_claimed)
        core_unclaim(moves->how);
}

bool core_add_moves(PyObject *module) {
    return core_add_type(module, CORE_JUMPS, "Jumps", "isg_jumps", release_jumps, jump_methods) &&
           core_add_type(module, CORE_TEMPERING, "Tempering", "isg_tempering", release_tempering,
                         tempering_methods);
}
