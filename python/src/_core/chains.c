/* chains.c - Gibbs chains
 *
 * SPDX-License-Identifier: MIT
 */
#include "columns.h"
#include "moves.h"
#include "rbm.h"

#include <string.h>
#include <time.h>

#define AUTOCORRELATION(prefix, member)                                                            \
    CORE_NAMED(prefix "_time", isg_decorrelation, member.time, CORE_DOUBLE),                       \
        CORE_NAMED(prefix "_error", isg_decorrelation, member.error, CORE_DOUBLE),                 \
        CORE_NAMED(prefix "_window", isg_decorrelation, member.window, CORE_SIZE),                 \
        CORE_NAMED(prefix "_is_reliable", isg_decorrelation, member.is_reliable, CORE_BOOL)

static const core_field diagnosis_fields[] = {
    CORE_FIELD(isg_decorrelation, chains, CORE_SIZE),
    CORE_FIELD(isg_decorrelation, sweeps, CORE_SIZE),
    AUTOCORRELATION("energy", energy),
    AUTOCORRELATION("hidden", hidden),
    CORE_FIELD(isg_decorrelation, slowest_unit, CORE_SIZE),
    CORE_FIELD(isg_decorrelation, energy_rhat, CORE_DOUBLE),
    CORE_FIELD(isg_decorrelation, hidden_rhat, CORE_DOUBLE),
    CORE_FIELD(isg_decorrelation, is_reliable, CORE_BOOL),
    CORE_FIELD(isg_decorrelation, is_trapped, CORE_BOOL),
    {NULL, 0, 0, NULL}};

static const core_field label_fields[] = {
    CORE_NAMED("time", isg_label_times, time.time, CORE_DOUBLE),
    CORE_NAMED("error", isg_label_times, time.error, CORE_DOUBLE),
    CORE_NAMED("window", isg_label_times, time.window, CORE_SIZE),
    CORE_NAMED("is_reliable", isg_label_times, time.is_reliable, CORE_BOOL),
    CORE_FIELD(isg_label_times, rhat, CORE_DOUBLE),
    CORE_FIELD(isg_label_times, changes, CORE_DOUBLE),
    {NULL, 0, 0, NULL}};

static const core_field info_fields[] = {CORE_FIELD(isg_chains_info, count, CORE_SIZE),
                                         CORE_FIELD(isg_chains_info, n_visible, CORE_SIZE),
                                         CORE_FIELD(isg_chains_info, n_hidden, CORE_SIZE),
                                         CORE_FIELD(isg_chains_info, seed, CORE_UINT64),
                                         CORE_FIELD(isg_chains_info, sweeps, CORE_UINT64),
                                         CORE_FIELD(isg_chains_info, image_height, CORE_SIZE),
                                         CORE_FIELD(isg_chains_info, image_width, CORE_SIZE),
                                         {NULL, 0, 0, NULL}};

static isg_chains *chains_of(PyObject *self) {
    return ((core_object *)self)->handle;
}

static PyObject *create(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"rbm", "count", "seed", NULL};
    PyObject *rbm = NULL, *made = NULL;
    Py_ssize_t count = 0;
    unsigned long long seed = 0;
    isg_chains *out = NULL;
    core_call call;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OnK", names, &rbm, &count, &seed) ||
        !core_unwrap(rbm, CORE_RBM, "rbm"))
        return NULL;
    if (count < 1) {
        PyErr_Format(PyExc_ValueError, "count: expected at least one chain, found %zd", count);
        return NULL;
    }
    if (!core_share(rbm))
        return NULL;
    if (core_enter(&call, NULL)) {
        const isg_status status = isg_chains_create(&out, core_rbm(rbm), (size_t)count, seed);
        if (core_leave(&call, status))
            made = core_wrap(CORE_CHAINS, out, NULL);
        else
            isg_chains_free(status == ISG_OK ? out : NULL);
    }
    core_unshare(rbm);
    return made;
}

static PyObject *describe(PyObject *self, PyObject *none) {
    (void)none;
    const isg_chains_info info = isg_chains_describe(chains_of(self));
    return core_write(&info, info_fields);
}

/* ---- where chains start ------------------------------------------------------------------------------ */

static PyObject *set_spins(PyObject *self, PyObject *spins) {
    const isg_chains_info info = isg_chains_describe(chains_of(self));
    core_array array;
    if (!core_array_get(&array, spins, "spins", ISG_NUMBER_INT8, 2, CORE_READ))
        return NULL;
    bool is_done = core_array_check(&array, "spins", info.count, info.n_visible);
    uint64_t *row = is_done ? PyMem_Calloc(info.n_visible / 64 + 1, sizeof *row) : NULL;
    if (is_done && !row)
        PyErr_NoMemory();
    is_done = row && core_claim(self);
    for (size_t k = 0; is_done && k < info.count; k++) {
        core_pack((const int8_t *)array.view.buf + k * info.n_visible, info.n_visible, row);
        isg_chains_set_spins(chains_of(self), k, row);
    }
    if (is_done)
        core_unclaim(self);
    PyMem_Free(row);
    core_array_release(&array);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

/* Chains `first` to `end` from rows of one class in their order, again and again if it has fewer. */
static void start_from_class(isg_chains *chains, size_t first, size_t end, const isg_dataset *data,
                             size_t class_index) {
    const uint32_t *labels = isg_dataset_labels(data);
    const size_t n_samples = isg_dataset_describe(data).n_samples;
    while (first < end)
        for (size_t a = 0; a < n_samples && first < end; a++)
            if (!labels || labels[a] == class_index)
                isg_chains_set_spins(chains, first++, isg_dataset_row(data, a));
}

/* As many chains from every class, as `isinglass sample --start DATA` has it. */
static void start_from_data(isg_chains *chains, const isg_dataset *data) {
    const size_t n_classes = isg_dataset_describe(data).n_classes,
                 count = isg_chains_describe(chains).count;
    size_t present = 0, done = 0;
    for (size_t c = 0; c < n_classes; c++)
        present += isg_dataset_class_size(data, c) > 0;
    const size_t share = present ? (count - 1) / present + 1 : count;
    if (!present && !isg_dataset_labels(data))
        start_from_class(chains, 0, count, data, 0);
    for (size_t c = 0; c < n_classes && done < count; c++)
        if (isg_dataset_class_size(data, c) > 0) {
            const size_t end = share < count - done ? done + share : count;
            start_from_class(chains, done, end, data, c);
            done = end;
        }
}

static PyObject *start(PyObject *self, PyObject *data) {
    const isg_dataset *samples = core_whole_data(data, "start");
    if (!samples)
        return NULL;
    const isg_dataset_info found = isg_dataset_describe(samples);
    const isg_chains_info info = isg_chains_describe(chains_of(self));
    if (found.n_visible != info.n_visible || found.n_samples == 0) {
        PyErr_Format(PyExc_ValueError, "start: has %zu samples of %zu units, the RBM has %zu",
                     found.n_samples, found.n_visible, info.n_visible);
        return NULL;
    }
    if (!core_claim(self))
        return NULL;
    start_from_data(chains_of(self), samples);
    core_unclaim(self);
    Py_RETURN_NONE;
}

/* A mask (n_visible) of bools, or None. */
static PyObject *clamp(PyObject *self, PyObject *mask) {
    uint64_t *units = NULL;
    if (!core_mask(&units, mask, "clamp", isg_chains_describe(chains_of(self)).n_visible))
        return NULL;
    const bool is_done = core_claim(self);
    if (is_done) {
        isg_chains_clamp(chains_of(self), units);
        core_unclaim(self);
    }
    PyMem_Free(units);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *restore(PyObject *self, PyObject *value) {
    const unsigned long long sweeps = PyLong_AsUnsignedLongLong(value);
    if (PyErr_Occurred() || !core_claim(self))
        return NULL;
    const isg_status status = isg_chains_restore(chains_of(self), sweeps);
    core_unclaim(self);
    return core_none(status);
}

/* ---- sweeping ---------------------------------------------------------------------------------------- */

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A slice at a time, of about 30 ms, so that signals are seen; slices do not change the draws. Chains stay in the
   cache through the sweeps of one slice, so slices should not be much shorter. */
static isg_status move_in_slices(isg_chains *chains, const isg_moves *moves, size_t sweeps,
                                 double beta, core_call *call) {
    const double wanted_s = 0.03;
    size_t slice = 1;
    for (size_t done = 0; done < sweeps;) {
        const size_t now = slice < sweeps - done ? slice : sweeps - done;
        const double start_s = now_s();
        const isg_status status = isg_chains_move(chains, moves, now, beta);
        if (status != ISG_OK)
            return status;
        done += now;
        if (!core_report(call, (double)done / (double)sweeps))
            return ISG_ERR_CANCELLED;
        const double each_s = (now_s() - start_s) / (double)now;
        const double fitting = each_s > 0 ? wanted_s / each_s : 2.0 * (double)slice;
        slice = fitting < 1 ? 1 : fitting > 2.0 * (double)slice ? 2 * slice : (size_t)fitting;
    }
    return ISG_OK;
}

static PyObject *sweep(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"sweeps", "beta", "progress", "moves", NULL};
    Py_ssize_t sweeps = 0;
    double beta = 0;
    PyObject *progress = NULL, *how = NULL;
    core_moves moves;
    core_call call;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "nd|OO", names, &sweeps, &beta, &progress,
                                     &how))
        return NULL;
    if (sweeps < 0) {
        PyErr_Format(PyExc_ValueError, "sweeps: expected a number from 0 on, found %zd", sweeps);
        return NULL;
    }
    if (!core_moves_claim(&moves, how, NULL))
        return NULL;
    bool is_done = core_claim(self);
    if (is_done) {
        is_done = core_enter(&call, progress);
        if (is_done)
            is_done = core_leave(
                &call, move_in_slices(chains_of(self), &moves.moves, (size_t)sweeps, beta, &call));
        core_unclaim(self);
    }
    core_moves_drop(&moves);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

/* With the label times and the shares, a list, if there are patterns. */
static PyObject *write_measured(const isg_decorrelation *found, const isg_label_times *labels,
                                const double *shares, size_t count) {
    PyObject *out = core_write(found, diagnosis_fields);
    PyObject *times = out && count > 0 ? core_write(labels, label_fields) : NULL;
    PyObject *list = times ? PyList_New((Py_ssize_t)count) : NULL;
    for (size_t k = 0; list && k < count; k++) {
        PyObject *share = PyFloat_FromDouble(shares[k]);
        if (!share || PyList_SetItem(list, (Py_ssize_t)k, share) < 0)
            Py_CLEAR(list);
    }
    const bool is_done =
        out && (count == 0 || (list && PyDict_SetItemString(times, "shares", list) == 0 &&
                               PyDict_SetItemString(out, "labels", times) == 0));
    Py_XDECREF(list);
    Py_XDECREF(times);
    if (!is_done)
        Py_CLEAR(out);
    return out;
}

static PyObject *measure_moves(isg_chains *chains, const isg_moves *moves, size_t skip,
                               size_t sweeps, double beta, PyObject *progress) {
    const size_t count =
        moves->patterns ? 2 * isg_patterns_describe(moves->patterns).n_patterns : 0;
    double *shares = PyMem_Calloc(count + 1, sizeof *shares);
    PyObject *made = NULL;
    isg_decorrelation found;
    isg_label_times labels;
    core_call call;
    if (!shares)
        return PyErr_NoMemory();
    if (core_enter(&call, progress) &&
        core_leave(&call, isg_chains_measure_moves(chains, moves, skip, sweeps, beta, &found,
                                                   &labels, shares, core_progress(&call))))
        made = write_measured(&found, &labels, shares, count);
    PyMem_Free(shares);
    return made;
}

static PyObject *measure(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"skip", "sweeps", "beta", "progress", "moves", "patterns", NULL};
    Py_ssize_t skip = 0, sweeps = 0;
    double beta = 0;
    PyObject *progress = NULL, *how = NULL, *patterns = NULL, *made = NULL;
    core_moves moves;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "nnd|OOO", names, &skip, &sweeps, &beta,
                                     &progress, &how, &patterns))
        return NULL;
    if (skip < 0 || sweeps < 0) {
        PyErr_Format(PyExc_ValueError, "%s: expected a number from 0 on, found %zd",
                     skip < 0 ? "skip" : "sweeps", skip < 0 ? skip : sweeps);
        return NULL;
    }
    if (!core_moves_claim(&moves, how, patterns))
        return NULL;
    if (core_claim(self)) {
        made = measure_moves(chains_of(self), &moves.moves, (size_t)skip, (size_t)sweeps, beta,
                             progress);
        core_unclaim(self);
    }
    core_moves_drop(&moves);
    return made;
}

/* ---- looking ----------------------------------------------------------------------------------------- */

static PyObject *spins(PyObject *self, PyObject *out) {
    const isg_chains_info info = isg_chains_describe(chains_of(self));
    core_array array;
    if (!core_array_get(&array, out, "out", ISG_NUMBER_INT8, 2, CORE_WRITE))
        return NULL;
    const bool is_done =
        core_array_check(&array, "out", info.count, info.n_visible) && core_share(self);
    for (size_t k = 0; is_done && k < info.count; k++)
        core_unpack(isg_chains_spins(chains_of(self), k), info.n_visible,
                    (int8_t *)array.view.buf + k * info.n_visible);
    if (is_done)
        core_unshare(self);
    core_array_release(&array);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *hidden(PyObject *self, PyObject *out) {
    const isg_chains_info info = isg_chains_describe(chains_of(self));
    core_array array;
    if (!core_array_get(&array, out, "out", ISG_NUMBER_FLOAT32, 2, CORE_WRITE))
        return NULL;
    const bool is_done =
        core_array_check(&array, "out", info.count, info.n_hidden) && core_share(self);
    for (size_t k = 0; is_done && k < info.count; k++)
        memcpy((float *)array.view.buf + k * info.n_hidden, isg_chains_hidden(chains_of(self), k),
               info.n_hidden * sizeof(float));
    if (is_done)
        core_unshare(self);
    core_array_release(&array);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *energy(PyObject *self, PyObject *out) {
    core_array array;
    core_call call;
    if (!core_array_get(&array, out, "out", ISG_NUMBER_FLOAT64, 1, CORE_WRITE))
        return NULL;
    bool is_done = core_array_check(&array, "out", isg_chains_describe(chains_of(self)).count, 1) &&
                   core_share(self);
    if (is_done) {
        is_done = core_enter(&call, NULL);
        if (is_done) {
            isg_chains_energy(chains_of(self), array.view.buf);
            is_done = core_leave(&call, ISG_OK);
        }
        core_unshare(self);
    }
    core_array_release(&array);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *save(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"path", "command", NULL};
    PyObject *path = NULL;
    const char *command = NULL, *name = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|z", names, &path, &command))
        return NULL;
    PyObject *kept = core_path(path, "path", &name);
    if (!kept || !core_share(self)) {
        Py_XDECREF(kept);
        return NULL;
    }
    const isg_status status = isg_chains_save(chains_of(self), name, command);
    core_unshare(self);
    Py_DECREF(kept);
    return core_none(status);
}

static PyMethodDef methods[] = {
    CORE_STATIC("create", create, "From random spins."),
    CORE_NO_ARGUMENTS("describe", describe, "isg_chains_info as a dict."),
    {"set_spins", set_spins, METH_O, "Sets all spins (count, n_visible), int8."},
    {"start", start, METH_O, "Sets all spins to samples of all classes."},
    {"clamp", clamp, METH_O, "Holds spins fixed: a mask, or None."},
    {"restore", restore, METH_O, "Sets the number of sweeps done."},
    CORE_METHOD("sweep", sweep, "Moves the chains."),
    CORE_METHOD("measure", measure, "isg_decorrelation as a dict, with isg_label_times as labels."),
    {"spins", spins, METH_O, "Writes the spins to out (count, n_visible), int8."},
    {"hidden", hidden, METH_O, "Writes the hidden units to out (count, n_hidden), float32."},
    {"energy", energy, METH_O, "Writes H(s) to out (count)."},
    CORE_METHOD("save", save, "Writes a .npz file."),
    {NULL, NULL, 0, NULL}};

static void release(void *handle) {
    isg_chains_free(handle);
}

bool core_add_chains(PyObject *module) {
    return core_add_type(module, CORE_CHAINS, "Chains", "isg_chains", release, methods);
}
