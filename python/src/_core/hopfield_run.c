/* hopfield_run.c - how states of a network move
 *
 * SPDX-License-Identifier: MIT
 */
#include "hopfield.h"

#include <string.h>
#include <time.h>

static const core_field option_fields[] = {
    CORE_ENUM("dynamics", isg_dynamics_options, kind, core_dynamics),
    CORE_FIELD(isg_dynamics_options, beta, CORE_DOUBLE),
    CORE_FIELD(isg_dynamics_options, sweeps, CORE_SIZE),
    CORE_FIELD(isg_dynamics_options, fixed_order, CORE_BOOL),
    CORE_FIELD(isg_dynamics_options, seed, CORE_UINT64),
    CORE_FIELD(isg_dynamics_options, first_sweep, CORE_UINT64),
    {NULL, 0, 0, NULL}};

static const core_field report_fields[] = {
    CORE_NAMED("energy", isg_dynamics_report, state.energy, CORE_DOUBLE),
    CORE_NAMED("least_rise", isg_dynamics_report, state.least_rise, CORE_DOUBLE),
    CORE_NAMED("n_unstable", isg_dynamics_report, state.n_unstable, CORE_SIZE),
    CORE_NAMED("is_stable", isg_dynamics_report, state.is_stable, CORE_BOOL),
    CORE_NAMED("is_fixed_point", isg_dynamics_report, state.is_fixed_point, CORE_BOOL),
    CORE_FIELD(isg_dynamics_report, sweeps, CORE_SIZE),
    CORE_FIELD(isg_dynamics_report, flips, CORE_SIZE),
    CORE_FIELD(isg_dynamics_report, is_two_cycle, CORE_BOOL),
    {NULL, 0, 0, NULL}};

static const core_field committor_fields[] = {
    CORE_ENUM("dynamics", isg_committor_options, dynamics, core_dynamics),
    CORE_FIELD(isg_committor_options, beta, CORE_DOUBLE),
    CORE_FIELD(isg_committor_options, threshold, CORE_DOUBLE),
    CORE_FIELD(isg_committor_options, max_updates, CORE_SIZE),
    CORE_FIELD(isg_committor_options, trajectories, CORE_SIZE),
    CORE_FIELD(isg_committor_options, seed, CORE_UINT64),
    {NULL, 0, 0, NULL}};

PyObject *hopfield_run_defaults(PyObject *none, PyObject *nothing) {
    const isg_dynamics_options usual = isg_dynamics_defaults();
    (void)none, (void)nothing;
    return core_write(&usual, option_fields);
}

PyObject *hopfield_committor_defaults(PyObject *none, PyObject *nothing) {
    const isg_committor_options usual = isg_committor_defaults();
    (void)none, (void)nothing;
    return core_write(&usual, committor_fields);
}

/* The samples as states in a row, to be freed with PyMem_Free(); NULL with an exception. */
static uint64_t *gather(PyObject *data) {
    const isg_dataset *samples = ((core_object *)data)->handle;
    const isg_dataset_info info = isg_dataset_describe(samples);
    const size_t words = (info.n_visible + 63) / 64, count = info.n_samples;
    if (!core_share(data)) /* another thread is changing them */
        return NULL;
    uint64_t *states = PyMem_Calloc(count * words + 1, sizeof *states);
    for (size_t a = 0; states && a < count; a++)
        memcpy(states + a * words, isg_dataset_row(samples, a), words * sizeof *states);
    core_unshare(data);
    return states ? states : (uint64_t *)PyErr_NoMemory();
}

/* ---- slices ------------------------------------------------------------------------------------- */

/* The library reports after some of the states have done all their sweeps, which may take hours at
   a temperature. So sweeps are cut into slices, whose length follows the time they take; the bits
   are the same. */
typedef struct slice {
    core_call *call;
    double from, to; /* of the whole */
} slice;

static bool report_slice(void *user, double fraction) {
    const slice *my = user;
    return core_report(my->call, my->from + (my->to - my->from) * fraction);
}

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Only dynamics at a temperature: at zero temperature states stop by themselves. */
static isg_status run_slices(const isg_hopfield *network, uint64_t *states, size_t count,
                             const isg_dynamics_options *options, isg_dynamics_report *reports,
                             isg_dynamics_report *part, core_call *call) {
    isg_dynamics_options now = *options;
    isg_status status = ISG_OK;
    size_t done = 0, length = 1;
    do {
        const double start = now_s();
        now.sweeps = options->sweeps - done < length ? options->sweeps - done : length;
        const double all = options->sweeps ? (double)options->sweeps : 1;
        slice my = {call, (double)done / all, (double)(done + now.sweeps) / all};
        status = isg_hopfield_run(network, states, count, &now, part,
                                  &(isg_progress){report_slice, &my});
        for (size_t a = 0; status == ISG_OK && a < count; a++) {
            part[a].sweeps += reports[a].sweeps;
            part[a].flips += reports[a].flips;
            reports[a] = part[a];
        }
        done += now.sweeps;
        now.first_sweep += now.sweeps;
        const double seconds = now_s() - start;
        if (seconds < 0.1 && length <= SIZE_MAX / 4)
            length *= 2;
        else if (seconds > 0.3 && length > 1)
            length /= 2;
    } while (status == ISG_OK && done < options->sweeps);
    return status;
}

static bool is_thermal(isg_dynamics kind) {
    return kind != ISG_DYNAMICS_ASYNCHRONOUS && kind != ISG_DYNAMICS_SYNCHRONOUS;
}

/* Moves the states and writes them to `out` (count, n). The data are no longer needed. */
static PyObject *move(PyObject *self, uint64_t *states, size_t count, int8_t *out,
                      const isg_dynamics_options *options, PyObject *progress) {
    const isg_hopfield *network = network_of(self);
    const size_t n = isg_hopfield_describe(network).n_visible, words = (n + 63) / 64;
    isg_dynamics_report *reports = PyMem_Calloc(2 * count + 1, sizeof *reports);
    PyObject *found = NULL;
    core_call call;
    if (!reports)
        return PyErr_NoMemory();
    if (core_share(self)) {
        bool is_done = core_enter(&call, progress);
        if (is_done) {
            const isg_status status =
                is_thermal(options->kind)
                    ? run_slices(network, states, count, options, reports, reports + count, &call)
                    : isg_hopfield_run(network, states, count, options, reports,
                                       core_progress(&call));
            for (size_t a = 0; status == ISG_OK && a < count; a++)
                core_unpack(states + a * words, n, out + a * n);
            is_done = core_leave(&call, status);
        }
        core_unshare(self);
        if (is_done)
            found = core_columns(reports, count, sizeof *reports, report_fields);
    }
    PyMem_Free(reports);
    return found;
}

PyObject *hopfield_run(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "out", "options", "clamped", "progress", NULL};
    PyObject *data = NULL, *out = NULL, *options = NULL, *clamped = NULL, *progress = NULL;
    PyObject *found = NULL;
    isg_dynamics_options chosen = isg_dynamics_defaults();
    core_array array = {.is_held = false};
    uint64_t *held = NULL, *states = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|OOO", names, &data, &out, &options,
                                     &clamped, &progress))
        return NULL;
    const size_t n = isg_hopfield_describe(network_of(self)).n_visible;
    const isg_dataset *samples = core_data_of(data, "X", n);
    if (!samples || !core_read(&chosen, option_fields, options) ||
        !core_mask(&held, clamped, "clamped", n) ||
        !core_array_get(&array, out, "out", ISG_NUMBER_INT8, 2, CORE_WRITE))
        goto done;
    const size_t count = isg_dataset_describe(samples).n_samples;
    if (!core_array_check(&array, "out", count, n))
        goto done;
    chosen.clamped = held;
    states = gather(data);
    if (states)
        found = move(self, states, count, array.view.buf, &chosen, progress);
done:
    PyMem_Free(states);
    PyMem_Free(held);
    core_array_release(&array);
    return found;
}

PyObject *hopfield_committor(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "out", "options", "progress", NULL};
    PyObject *data = NULL, *out = NULL, *options = NULL, *progress = NULL;
    isg_committor_options chosen = isg_committor_defaults();
    const isg_hopfield_info info = isg_hopfield_describe(network_of(self));
    core_array array = {.is_held = false};
    uint64_t *states = NULL;
    core_call call;
    bool is_done = false;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|OO", names, &data, &out, &options,
                                     &progress))
        return NULL;
    const isg_dataset *samples = core_data_of(data, "X", info.n_visible);
    if (!samples || !core_read(&chosen, committor_fields, options) ||
        !core_array_get(&array, out, "out", ISG_NUMBER_FLOAT64, 2, CORE_WRITE))
        return NULL;
    const size_t count = isg_dataset_describe(samples).n_samples;
    if (!core_array_check(&array, "out", count, info.n_patterns + 1))
        goto done;
    states = gather(data);
    if (!states || !core_share(self))
        goto done;
    is_done = core_enter(&call, progress);
    if (is_done)
        is_done = core_leave(&call, isg_committor(network_of(self), states, count, &chosen,
                                                  array.view.buf, core_progress(&call)));
    core_unshare(self);
done:
    PyMem_Free(states);
    core_array_release(&array);
    return is_done ? Py_NewRef(Py_None) : NULL;
}
