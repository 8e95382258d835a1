/* deep_states.c - the minima of the energy of an RBM
 *
 * SPDX-License-Identifier: MIT
 */
#include "columns.h"
#include "rbm.h"

/* The library draws starts and votes without looking at progress. The program has the same limit for starts; of 64
   states there are fewer majorities than this. */
static const size_t most_starts = 10000000, most_majorities = 1000000;

static const core_field option_fields[] = {CORE_FIELD(isg_states_options, most, CORE_SIZE),
                                           CORE_FIELD(isg_states_options, data_starts, CORE_SIZE),
                                           CORE_FIELD(isg_states_options, random_starts, CORE_SIZE),
                                           CORE_FIELD(isg_states_options, majorities, CORE_SIZE),
                                           CORE_FIELD(isg_states_options, window, CORE_DOUBLE),
                                           CORE_FIELD(isg_states_options, seed, CORE_UINT64),
                                           {NULL, 0, 0, NULL}};

static const core_field info_fields[] = {
    CORE_FIELD(isg_deep_states_info, n_visible, CORE_SIZE),
    CORE_FIELD(isg_deep_states_info, count, CORE_SIZE),
    CORE_FIELD(isg_deep_states_info, found, CORE_SIZE),
    CORE_NAMED("ground_states", isg_deep_states_info, ground, CORE_SIZE),
    CORE_FIELD(isg_deep_states_info, starts, CORE_SIZE),
    CORE_FIELD(isg_deep_states_info, beta, CORE_DOUBLE),
    CORE_FIELD(isg_deep_states_info, bound, CORE_DOUBLE),
    CORE_FIELD(isg_deep_states_info, is_even, CORE_BOOL),
    CORE_FIELD(isg_deep_states_info, is_closed, CORE_BOOL),
    {NULL, 0, 0, NULL}};

static const core_field state_fields[] = {
    CORE_FIELD(isg_deep_state, energy, CORE_DOUBLE),
    CORE_FIELD(isg_deep_state, share, CORE_DOUBLE),
    CORE_FIELD(isg_deep_state, well, CORE_DOUBLE),
    CORE_FIELD(isg_deep_state, reached, CORE_SIZE),
    CORE_FIELD(isg_deep_state, nearest, CORE_SIZE),
    CORE_FIELD(isg_deep_state, overlap, CORE_DOUBLE),
    CORE_FIELD(isg_deep_state, distance, CORE_SIZE),
    CORE_NAMED("mixture_distance", isg_deep_state, mixture.distance, CORE_SIZE),
    CORE_NAMED("is_sum", isg_deep_state, mixture.is_sum, CORE_BOOL),
    {NULL, 0, 0, NULL}};

static isg_deep_states *states_of(PyObject *self) {
    return ((core_object *)self)->handle;
}

/* ---- searching ---------------------------------------------------------------------------------- */

PyObject *core_rbm_states_defaults(PyObject *self, PyObject *none) {
    const isg_states_options usual = isg_states_defaults();
    (void)self, (void)none;
    return core_write(&usual, option_fields);
}

static bool is_at_most(size_t value, const char *name, size_t most) {
    if (value <= most)
        return true;
    PyErr_Format(PyExc_ValueError, "%s: expected a whole number from 0 to %zu, found %zu", name,
                 most, value);
    return false;
}

static PyObject *search(PyObject *rbm, const isg_states_options *options, PyObject *progress) {
    isg_deep_states *out = NULL;
    core_call call;
    if (!core_enter(&call, progress))
        return NULL;
    const isg_status status =
        isg_deep_states_create(&out, core_rbm(rbm), options, core_progress(&call));
    if (core_leave(&call, status))
        return core_wrap(CORE_STATES, out, NULL);
    isg_deep_states_free(status == ISG_OK ? out : NULL);
    return NULL;
}

PyObject *core_rbm_deep_states(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"options", "data", "progress", NULL};
    PyObject *options = NULL, *data = Py_None, *progress = NULL, *made = NULL;
    isg_states_options chosen = isg_states_defaults();
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|OOO", names, &options, &data,
                                     &progress) ||
        !core_read(&chosen, option_fields, options) ||
        !is_at_most(chosen.random_starts, "random_starts", most_starts) ||
        !is_at_most(chosen.majorities, "majorities", most_majorities) ||
        !core_whole_data_optional(data, "data", &chosen.data) || !core_share_both(self, data))
        return NULL;
    made = search(self, &chosen, progress);
    core_unshare_both(self, data);
    return made;
}

/* ---- of Z --------------------------------------------------------------------------------------- */

static PyObject *weigh_by(PyObject *self, PyObject *rbm, const isg_log_z_options *options,
                          PyObject *progress) {
    isg_log_z found;
    core_call call;
    if (!core_enter(&call, progress) ||
        !core_leave(&call, isg_deep_states_weigh(states_of(self), core_rbm(rbm), options, &found,
                                                 core_progress(&call))))
        return NULL;
    return core_log_z_of(&found);
}

static PyObject *weigh(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"rbm", "options", "data", "progress", NULL};
    PyObject *rbm = NULL, *options = NULL, *data = Py_None, *progress = NULL, *made = NULL;
    isg_log_z_options chosen;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OOO", names, &rbm, &options, &data,
                                     &progress) ||
        !core_unwrap(rbm, CORE_RBM, "rbm") || !core_log_z_options(&chosen, options) ||
        !core_whole_data_optional(data, "data", &chosen.mixture.data))
        return NULL;
    chosen.states.data = chosen.mixture.data;
    if (!core_share_both(rbm, data))
        return NULL;
    if (core_claim(self)) {
        made = weigh_by(self, rbm, &chosen, progress);
        core_unclaim(self);
    }
    core_unshare_both(rbm, data);
    return made;
}

/* ---- what was found ----------------------------------------------------------------------------- */

static PyObject *describe(PyObject *self, PyObject *none) {
    (void)none;
    const isg_deep_states_info info = isg_deep_states_describe(states_of(self));
    return core_write(&info, info_fields);
}

/* A distance to a pattern, or to a mixture, that is not there is SIZE_MAX as well. */
static PyObject *columns_of(const isg_deep_states *states) {
    const size_t count = isg_deep_states_describe(states).count;
    isg_deep_state *all = PyMem_Calloc(count, sizeof *all);
    if (!all)
        return PyErr_NoMemory();
    for (size_t k = 0; k < count; k++) {
        all[k] = isg_deep_states_at(states, k);
        if (all[k].nearest == SIZE_MAX)
            all[k].distance = SIZE_MAX;
        if (all[k].mixture.patterns[0] == SIZE_MAX)
            all[k].mixture.distance = SIZE_MAX;
    }
    PyObject *columns = core_columns(all, count, sizeof *all, state_fields);
    PyMem_Free(all);
    return columns;
}

static PyObject *columns(PyObject *self, PyObject *none) {
    (void)none;
    if (!core_share(self))
        return NULL;
    PyObject *made = columns_of(states_of(self));
    core_unshare(self);
    return made;
}

static PyObject *spins(PyObject *self, PyObject *out) {
    const isg_deep_states_info info = isg_deep_states_describe(states_of(self));
    core_array array;
    if (!core_array_get(&array, out, "out", ISG_NUMBER_INT8, 2, CORE_WRITE))
        return NULL;
    const bool fits = core_array_check(&array, "out", info.count, info.n_visible);
    for (size_t k = 0; fits && k < info.count; k++)
        core_unpack(isg_deep_states_at(states_of(self), k).spins, info.n_visible,
                    (int8_t *)array.view.buf + k * info.n_visible);
    core_array_release(&array);
    return fits ? Py_NewRef(Py_None) : NULL;
}

static PyObject *mixtures(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"patterns", "signs", NULL};
    const size_t count = isg_deep_states_describe(states_of(self)).count;
    PyObject *patterns = NULL, *signs = NULL;
    core_array of = {.is_held = false}, with = {.is_held = false};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO", names, &patterns, &signs))
        return NULL;
    const bool fits = core_array_get(&of, patterns, "patterns", ISG_NUMBER_INT64, 2, CORE_WRITE) &&
                      core_array_check(&of, "patterns", count, 3) &&
                      core_array_get(&with, signs, "signs", ISG_NUMBER_INT8, 2, CORE_WRITE) &&
                      core_array_check(&with, "signs", count, 3);
    for (size_t k = 0; fits && k < count; k++) {
        const isg_deep_mixture found = isg_deep_states_at(states_of(self), k).mixture;
        for (size_t q = 0; q < 3; q++) {
            ((int64_t *)of.view.buf)[3 * k + q] =
                found.patterns[q] == SIZE_MAX ? -1 : (int64_t)found.patterns[q];
            ((int8_t *)with.view.buf)[3 * k + q] = (int8_t)found.signs[q];
        }
    }
    core_array_release(&of);
    core_array_release(&with);
    return fits ? Py_NewRef(Py_None) : NULL;
}

static PyMethodDef methods[] = {
    CORE_METHOD("weigh", weigh, "Shares of Z; isg_log_z as a dict."),
    CORE_NO_ARGUMENTS("describe", describe, "isg_deep_states_info as a dict."),
    CORE_NO_ARGUMENTS("columns", columns, "isg_deep_state as a dict of arrays."),
    {"spins", spins, METH_O, "Writes the states to out (count, n_visible), int8."},
    CORE_METHOD("mixtures", mixtures, "Writes patterns, int64, and signs, int8, both (count, 3)."),
    {NULL, NULL, 0, NULL}};

static void release(void *handle) {
    isg_deep_states_free(handle);
}

bool core_add_states(PyObject *module) {
    return core_add_type(module, CORE_STATES, "DeepStates", "isg_deep_states", release, methods);
}
