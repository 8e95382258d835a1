/* rbm_score.c - ln Z, and the log-likelihood of data
 *
 * SPDX-License-Identifier: MIT
 */
#include "rbm.h"

static const char *const weight_names[] = {"spin", "lambda", "joint", NULL};
static const char *const move_names[] = {"gibbs", "hmc", NULL};

/* One seed serves all methods, and one number of repeats annealing and populations. */
static const core_field option_fields[] = {
    CORE_ENUM("method", isg_log_z_options, method, core_log_z_methods),
    CORE_FIELD(isg_log_z_options, patience, CORE_SIZE),
    CORE_FIELD(isg_log_z_options, fixed_steps, CORE_BOOL),
    CORE_NAMED("bounded", isg_log_z_options, is_bounded, CORE_BOOL),
    CORE_NAMED("chains", isg_log_z_options, ais.chains, CORE_SIZE),
    CORE_NAMED("steps", isg_log_z_options, ais.steps, CORE_SIZE),
    CORE_NAMED("repeats", isg_log_z_options, ais.repeats, CORE_SIZE),
    CORE_ENUM("weights", isg_log_z_options, ais.weights, weight_names),
    CORE_ENUM("move", isg_log_z_options, ais.move, move_names),
    CORE_NAMED("hmc_step", isg_log_z_options, ais.hmc_step, CORE_DOUBLE),
    CORE_NAMED("hmc_leapfrogs", isg_log_z_options, ais.hmc_leapfrogs, CORE_SIZE),
    CORE_NAMED("adaptive", isg_log_z_options, ais.adaptive, CORE_DOUBLE),
    CORE_NAMED("samples", isg_log_z_options, mixture.samples, CORE_SIZE),
    CORE_NAMED("random_starts", isg_log_z_options, mixture.random_starts, CORE_SIZE),
    CORE_NAMED("witnesses", isg_log_z_options, mixture.witnesses, CORE_SIZE),
    CORE_NAMED("data_starts", isg_log_z_options, mixture.data_starts, CORE_SIZE),
    CORE_NAMED("particles", isg_log_z_options, population.particles, CORE_SIZE),
    CORE_NAMED("sweeps", isg_log_z_options, population.sweeps, CORE_SIZE),
    CORE_NAMED("keep", isg_log_z_options, population.keep, CORE_DOUBLE),
    CORE_FIELD(isg_log_z_options, well_draws, CORE_SIZE),
    CORE_NAMED("seed", isg_log_z_options, ais.seed, CORE_UINT64),
    {NULL, 0, 0, NULL}};

static const core_field log_z_fields[] = {
    CORE_FIELD(isg_log_z, value, CORE_DOUBLE),
    CORE_FIELD(isg_log_z, error, CORE_DOUBLE),
    CORE_ENUM("method", isg_log_z, method, core_log_z_methods),
    CORE_ENUM("side", isg_log_z, side, core_sides),
    CORE_FIELD(isg_log_z, ess, CORE_DOUBLE),
    CORE_FIELD(isg_log_z, samples, CORE_SIZE),
    CORE_FIELD(isg_log_z, spread, CORE_DOUBLE),
    CORE_FIELD(isg_log_z, modes, CORE_SIZE),
    CORE_FIELD(isg_log_z, laplace, CORE_DOUBLE),
    CORE_NAMED("wells", isg_log_z, shares.wells, CORE_DOUBLE),
    CORE_NAMED("rest", isg_log_z, shares.rest, CORE_DOUBLE),
    CORE_FIELD(isg_log_z, is_drawn, CORE_BOOL),
    CORE_FIELD(isg_log_z, family, CORE_DOUBLE),
    CORE_FIELD(isg_log_z, bound, CORE_DOUBLE),
    CORE_FIELD(isg_log_z, states, CORE_SIZE),
    CORE_FIELD(isg_log_z, is_trusted, CORE_BOOL),
    CORE_FIELD(isg_log_z, reason, CORE_CHARS),
    CORE_FIELD(isg_log_z, choice, CORE_CHARS),
    {NULL, 0, 0, NULL}};

/* All that a likelihood takes from ln Z. */
static const core_field given_fields[] = {CORE_FIELD(isg_log_z, value, CORE_DOUBLE),
                                          CORE_FIELD(isg_log_z, error, CORE_DOUBLE),
                                          CORE_FIELD(isg_log_z, is_trusted, CORE_BOOL),
                                          {NULL, 0, 0, NULL}};

static const core_field likelihood_fields[] = {CORE_FIELD(isg_likelihood, value, CORE_DOUBLE),
                                               CORE_FIELD(isg_likelihood, error, CORE_DOUBLE),
                                               CORE_FIELD(isg_likelihood, data_term, CORE_DOUBLE),
                                               CORE_FIELD(isg_likelihood, deviation, CORE_DOUBLE),
                                               CORE_FIELD(isg_likelihood, samples, CORE_SIZE),
                                               CORE_FIELD(isg_likelihood, is_trusted, CORE_BOOL),
                                               {NULL, 0, 0, NULL}};

static const core_field interval_fields[] = {CORE_FIELD(isg_interval, low, CORE_DOUBLE),
                                             CORE_FIELD(isg_interval, high, CORE_DOUBLE),
                                             CORE_FIELD(isg_interval, confidence, CORE_DOUBLE),
                                             CORE_FIELD(isg_interval, batches, CORE_SIZE),
                                             {NULL, 0, 0, NULL}};

/* A list of dictionaries of `count` records of `bytes` bytes each. */
static PyObject *write_all(const void *records, size_t count, size_t bytes,
                           const core_field *fields) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t k = 0; list && k < count; k++) {
        PyObject *item = core_write((const char *)records + k * bytes, fields);
        if (!item || PyList_SetItem(list, (Py_ssize_t)k, item) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* ---- ln Z ------------------------------------------------------------------------------------------- */

/* No number of repeats was given, so each method has its own default. It is written as None, and cannot be read. */
static const size_t unset = SIZE_MAX;

static isg_log_z_options defaults(void) {
    isg_log_z_options out = isg_log_z_defaults();
    out.ais.repeats = unset;
    return out;
}

PyObject *core_rbm_log_z_defaults(PyObject *self, PyObject *none) {
    const isg_log_z_options chosen = defaults();
    (void)self, (void)none;
    return core_write(&chosen, option_fields);
}

bool core_log_z_options(isg_log_z_options *out, PyObject *options) {
    *out = defaults();
    if (!core_read(out, option_fields, options))
        return false;
    if (out->ais.repeats == unset)
        out->ais.repeats = isg_log_z_defaults().ais.repeats;
    else
        out->population.repeats = out->ais.repeats;
    out->mixture.seed = out->states.seed = out->population.seed = out->ais.seed;
    return true;
}

PyObject *core_log_z_of(const isg_log_z *found) {
    return core_write(found, log_z_fields);
}

/* schedule (steps + 1), which sets the number of steps. */
static bool read_schedule(core_array *array, PyObject *schedule, isg_log_z_options *out) {
    if (schedule == Py_None)
        return true;
    if (!core_array_get(array, schedule, "schedule", ISG_NUMBER_FLOAT64, 1, CORE_READ))
        return false;
    if (array->rows < 2) {
        PyErr_SetString(PyExc_ValueError, "schedule: expected at least two numbers, from 0 to 1");
        return false;
    }
    out->ais.schedule = array->view.buf;
    out->ais.steps = array->rows - 1;
    return true;
}

static PyObject *find(PyObject *self, const isg_log_z_options *options, const core_array *betas,
                      PyObject *progress) {
    const size_t count = betas->is_held ? betas->rows : 1;
    isg_log_z *found = PyMem_Calloc(count ? count : 1, sizeof *found);
    PyObject *list = NULL;
    core_call call;
    if (!found)
        return PyErr_NoMemory();
    if (core_enter(&call, progress)) {
        const isg_status status =
            betas->is_held ? isg_rbm_log_z_betas(core_rbm(self), options, betas->view.buf, count,
                                                 found, core_progress(&call))
                           : isg_rbm_log_z(core_rbm(self), options, found, core_progress(&call));
        if (core_leave(&call, status))
            list = write_all(found, count, sizeof *found, log_z_fields);
    }
    PyMem_Free(found);
    return list;
}

PyObject *core_rbm_log_z(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"options", "betas", "data", "schedule", "progress", NULL};
    PyObject *options = NULL, *betas = Py_None, *data = Py_None, *schedule = Py_None,
             *progress = NULL, *list = NULL;
    core_array array = {.is_held = false}, plan = {.is_held = false};
    isg_log_z_options chosen;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|OOOOO", names, &options, &betas, &data,
                                     &schedule, &progress) ||
        !core_log_z_options(&chosen, options) ||
        !core_whole_data_optional(data, "data", &chosen.mixture.data))
        return NULL;
    chosen.states.data = chosen.mixture.data;
    if ((betas == Py_None ||
         core_array_get(&array, betas, "betas", ISG_NUMBER_FLOAT64, 1, CORE_READ)) &&
        read_schedule(&plan, schedule, &chosen) && core_share_both(self, data)) {
        list = find(self, &chosen, &array, progress);
        core_unshare_both(self, data);
    }
    core_array_release(&array);
    core_array_release(&plan);
    return list;
}

PyObject *core_rbm_certificate(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"confidence", "options", "progress", NULL};
    PyObject *options = NULL, *progress = NULL, *made = NULL;
    isg_log_z_options chosen;
    isg_interval found;
    core_call call;
    double confidence = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "d|OO", names, &confidence, &options,
                                     &progress) ||
        !core_log_z_options(&chosen, options) || !core_share(self))
        return NULL;
    if (core_enter(&call, progress) &&
        core_leave(&call, isg_ais_certificate(core_rbm(self), &chosen.ais, confidence, &found,
                                              core_progress(&call))))
        made = core_write(&found, interval_fields);
    core_unshare(self);
    return made;
}

PyObject *core_rbm_probabilities(PyObject *self, PyObject *out) {
    const size_t n = isg_rbm_describe(core_rbm(self)).n_visible;
    core_array array;
    core_call call;
    if (n > 24) {
        PyErr_Format(PyExc_NotImplementedError,
                     "the probabilities of all states are for at most 24 visible units, not %zu",
                     n);
        return NULL;
    }
    if (!core_array_get(&array, out, "out", ISG_NUMBER_FLOAT64, 1, CORE_WRITE))
        return NULL;
    bool is_done = core_array_check(&array, "out", (size_t)1 << n, 1) && core_share(self);
    if (is_done) {
        is_done = core_enter(&call, NULL);
        if (is_done)
            is_done = core_leave(&call, isg_exact_probabilities(core_rbm(self), array.view.buf));
        core_unshare(self);
    }
    core_array_release(&array);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

/* ---- log-likelihood ---------------------------------------------------------------------------------- */

/* (value, names of the classes, their values), without the interpreter lock while it computes. */
static PyObject *of_classes(PyObject *self, const isg_dataset *samples, const isg_log_z *log_z,
                            size_t n_classes) {
    isg_likelihood *found = PyMem_Calloc(n_classes + 1, sizeof *found);
    PyObject *list = NULL;
    core_call call;
    if (!found)
        return PyErr_NoMemory();
    if (core_enter(&call, NULL) &&
        core_leave(&call, isg_log_likelihood(core_rbm(self), samples, log_z, found,
                                             n_classes ? found + 1 : NULL, core_progress(&call))))
        list = write_all(found, n_classes + 1, sizeof *found, likelihood_fields);
    PyMem_Free(found);
    for (size_t c = 0; list && c < n_classes; c++) {
        PyObject *name = core_text(isg_dataset_class_name(samples, c));
        if (!name ||
            PyDict_SetItemString(PyList_GetItem(list, (Py_ssize_t)c + 1), "name", name) < 0)
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

PyObject *core_rbm_likelihood(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "log_z", "by_class", NULL};
    PyObject *data = NULL, *given = NULL, *list = NULL;
    isg_log_z log_z = {.value = 0};
    int by_class = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|p", names, &data, &given,
                                     &by_class) ||
        !core_read(&log_z, given_fields, given))
        return NULL;
    const isg_dataset *samples = core_whole_data(data, "X");
    const size_t n_classes = samples ? isg_dataset_describe(samples).n_classes : 0;
    if (samples && by_class && n_classes == 0)
        PyErr_SetString(PyExc_ValueError, "X: has no labels, which by_class needs");
    else if (samples && core_share_both(self, data)) {
        list = of_classes(self, samples, &log_z, by_class ? n_classes : 0);
        core_unshare_both(self, data);
    }
    return list;
}

/* log_z is a list of dictionaries, one for each beta. */
static bool read_given(isg_log_z *out, PyObject *list, size_t count) {
    if (!PyList_Check(list) || (size_t)PyList_Size(list) != count) {
        PyErr_Format(PyExc_ValueError, "log_z: expected a list of %zu", count);
        return false;
    }
    for (size_t k = 0; k < count; k++)
        if (!core_read(&out[k], given_fields, PyList_GetItem(list, (Py_ssize_t)k)))
            return false;
    return true;
}

PyObject *core_rbm_likelihoods(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "betas", "log_z", NULL};
    PyObject *data = NULL, *betas = NULL, *given = NULL, *list = NULL;
    core_array array;
    core_call call;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOO", names, &data, &betas, &given) ||
        !core_array_get(&array, betas, "betas", ISG_NUMBER_FLOAT64, 1, CORE_READ))
        return NULL;
    const size_t count = array.rows;
    const isg_dataset *samples = core_whole_data(data, "X");
    isg_log_z *log_z = PyMem_Calloc(count ? count : 1, sizeof *log_z);
    isg_likelihood *found = PyMem_Calloc(count ? count : 1, sizeof *found);
    if (samples && (!log_z || !found))
        PyErr_NoMemory();
    else if (samples && read_given(log_z, given, count) && core_share_both(self, data)) {
        if (core_enter(&call, NULL) &&
            core_leave(&call, isg_log_likelihood_betas(core_rbm(self), samples, array.view.buf,
                                                       log_z, count, found, core_progress(&call))))
            list = write_all(found, count, sizeof *found, likelihood_fields);
        core_unshare_both(self, data);
    }
    PyMem_Free(log_z);
    PyMem_Free(found);
    core_array_release(&array);
    return list;
}
