/* recover.c - corrupted states, what is recovered of them, and projections onto anything
 *
 * SPDX-License-Identifier: MIT
 */
#include "recall.h"

static const core_field option_fields[] = {
    CORE_ENUM("rule", isg_recovery_options, rule, core_rules),
    CORE_FIELD(isg_recovery_options, allow_rank_deficient, CORE_BOOL),
    CORE_FIELD(isg_recovery_options, keep_diagonal, CORE_BOOL),
    CORE_ENUM("dynamics", isg_recovery_options, dynamics, core_dynamics),
    CORE_FIELD(isg_recovery_options, beta, CORE_DOUBLE),
    CORE_FIELD(isg_recovery_options, max_updates, CORE_SIZE),
    CORE_FIELD(isg_recovery_options, trials, CORE_SIZE),
    CORE_FIELD(isg_recovery_options, near, CORE_DOUBLE),
    CORE_FIELD(isg_recovery_options, clamp_known, CORE_BOOL),
    CORE_FIELD(isg_recovery_options, seed, CORE_UINT64),
    {NULL, 0, 0, NULL}};

static const core_field result_fields[] = {CORE_FIELD(isg_recovery, trials, CORE_SIZE),
                                           CORE_FIELD(isg_recovery, exact, CORE_SIZE),
                                           CORE_FIELD(isg_recovery, near, CORE_SIZE),
                                           CORE_FIELD(isg_recovery, negative, CORE_SIZE),
                                           CORE_FIELD(isg_recovery, start_overlap, CORE_DOUBLE),
                                           CORE_FIELD(isg_recovery, thermal_overlap, CORE_DOUBLE),
                                           CORE_FIELD(isg_recovery, end_overlap, CORE_DOUBLE),
                                           {NULL, 0, 0, NULL}};

PyObject *recall_recovery_defaults(PyObject *none, PyObject *nothing) {
    const isg_recovery_options usual = isg_recovery_defaults();
    (void)none, (void)nothing;
    return core_write(&usual, option_fields);
}

/* ---- recovery ----------------------------------------------------------------------------------- */

/* Ways to corrupt: flip and mask (count), and units that all of them mask. */
typedef struct ways {
    core_array flip, mask;
    uint64_t *units;
    isg_corruption *how; /* count */
    size_t count;
} ways;

static void ways_release(ways *my) {
    core_array_release(&my->flip);
    core_array_release(&my->mask);
    PyMem_Free(my->units);
    PyMem_Free(my->how);
}

static bool ways_read(ways *out, PyObject *flip, PyObject *mask, PyObject *units, size_t n) {
    *out = (ways){.units = NULL};
    if (!core_array_get(&out->flip, flip, "flip", ISG_NUMBER_FLOAT64, 1, CORE_READ) ||
        !core_array_get(&out->mask, mask, "mask", ISG_NUMBER_FLOAT64, 1, CORE_READ) ||
        !core_array_check(&out->mask, "mask", out->flip.rows, 1) ||
        !core_mask(&out->units, units, "units", n))
        return false;
    out->count = out->flip.rows;
    out->how = PyMem_Calloc(out->count + 1, sizeof *out->how);
    if (!out->how) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t k = 0; k < out->count; k++)
        out->how[k] = (isg_corruption){.flip = ((const double *)out->flip.view.buf)[k],
                                       .mask = ((const double *)out->mask.view.buf)[k],
                                       .units = out->units};
    return true;
}

/* With the objects shared. */
static PyObject *recover(PyObject *patterns, PyObject *data, const ways *ways,
                         const isg_recovery_options *options, PyObject *progress) {
    const isg_dataset *samples = data && data != Py_None ? ((core_object *)data)->handle : NULL;
    isg_recovery *results = PyMem_Calloc(ways->count + 1, sizeof *results);
    PyObject *found = NULL;
    core_call call;
    if (!results)
        return PyErr_NoMemory();
    if (core_enter(&call, progress) &&
        core_leave(&call, isg_recover(((core_object *)patterns)->handle, samples, ways->how,
                                      ways->count, options, results, core_progress(&call))))
        found = core_columns(results, ways->count, sizeof *results, result_fields);
    PyMem_Free(results);
    return found;
}

PyObject *recall_recover(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"patterns", "data",    "flip",     "mask",
                            "units",    "options", "progress", NULL};
    PyObject *patterns = NULL, *data = NULL, *flip = NULL, *mask = NULL, *units = NULL;
    PyObject *options = NULL, *progress = NULL, *found = NULL;
    isg_recovery_options chosen = isg_recovery_defaults();
    ways ways = {.units = NULL};
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOOO|OOO", names, &patterns, &data,
                                     &flip, &mask, &units, &options, &progress) ||
        !core_unwrap(patterns, CORE_PATTERNS, "patterns") ||
        !core_read(&chosen, option_fields, options))
        return NULL;
    const size_t n = isg_patterns_describe(((core_object *)patterns)->handle).n_visible;
    if (data != Py_None && !core_data_of(data, "data", n))
        return NULL;
    if (ways_read(&ways, flip, mask, units, n) && core_share(patterns)) {
        if (core_share(data)) {
            found = recover(patterns, data, &ways, &chosen, progress);
            core_unshare(data);
        }
        core_unshare(patterns);
    }
    ways_release(&ways);
    return found;
}

/* ---- corruption --------------------------------------------------------------------------------- */

/* What to corrupt: spins and masked (rows, n), which have numbers from `number` on. */
typedef struct corruption_job {
    core_array spins, masked;
    isg_corruption how;
    uint64_t seed, number;
    uint64_t *units, *packed; /* scratch for the spins of a row and its masked units */
} corruption_job;

static const core_field corruption_fields[] = {
    CORE_NAMED("flip", corruption_job, how.flip, CORE_DOUBLE),
    CORE_NAMED("mask", corruption_job, how.mask, CORE_DOUBLE),
    CORE_FIELD(corruption_job, seed, CORE_UINT64),
    CORE_FIELD(corruption_job, number, CORE_UINT64),
    {NULL, 0, 0, NULL}};

static isg_status corrupt_rows(const corruption_job *my, core_call *call) {
    const size_t rows = my->spins.rows, n = my->spins.cols, words = (n + 63) / 64;
    uint64_t *found = my->packed + words;
    for (size_t a = 0; a < rows; a++) {
        int8_t *spins = (int8_t *)my->spins.view.buf + a * n;
        bool *masked = (bool *)my->masked.view.buf + a * n;
        core_pack(spins, n, my->packed);
        const isg_status status =
            isg_corrupt(my->packed, n, &my->how, my->seed, my->number + a, found);
        if (status != ISG_OK)
            return status;
        core_unpack(my->packed, n, spins);
        for (size_t i = 0; i < n; i++)
            masked[i] = isg_spin(found, i) > 0;
        if (!core_report(call, (double)(a + 1) / (double)rows))
            return ISG_ERR_CANCELLED;
    }
    return ISG_OK;
}

PyObject *recall_corrupt(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"spins", "masked", "units", "options", NULL};
    PyObject *spins = NULL, *masked = NULL, *units = NULL, *options = NULL;
    corruption_job my = {.units = NULL};
    core_call call;
    bool is_done = false;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOOO", names, &spins, &masked, &units,
                                     &options) ||
        !core_read(&my, corruption_fields, options) ||
        !core_array_get(&my.spins, spins, "spins", ISG_NUMBER_INT8, 2, CORE_WRITE))
        return NULL;
    if (!core_array_get(&my.masked, masked, "masked", ISG_NUMBER_BOOL, 2, CORE_WRITE) ||
        !core_array_check(&my.masked, "masked", my.spins.rows, my.spins.cols) ||
        !core_mask(&my.units, units, "units", my.spins.cols))
        goto done;
    my.how.units = my.units;
    my.packed = PyMem_Calloc(2 * ((my.spins.cols + 63) / 64) + 1, sizeof *my.packed);
    if (!my.packed)
        PyErr_NoMemory();
    else if (core_enter(&call, NULL))
        is_done = core_leave(&call, corrupt_rows(&my, &call));
done:
    PyMem_Free(my.packed);
    PyMem_Free(my.units);
    core_array_release(&my.masked);
    core_array_release(&my.spins);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

/* ---- projections -------------------------------------------------------------------------------- */

PyObject *recall_projections(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "x", "out", "allow_rank_deficient", "progress", NULL};
    PyObject *data = NULL, *x = NULL, *out = NULL, *progress = NULL;
    int may_depend = 0;
    core_array onto = {.is_held = false}, array = {.is_held = false};
    core_call call;
    bool is_done = false;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOOp|O", names, &data, &x, &out,
                                     &may_depend, &progress) ||
        !core_unwrap(data, CORE_DATASET, "data") ||
        !core_array_get(&onto, x, "x", ISG_NUMBER_FLOAT64, 2, CORE_READ))
        return NULL;
    const isg_dataset *samples = ((core_object *)data)->handle;
    if (!core_array_get(&array, out, "out", ISG_NUMBER_FLOAT64, 2, CORE_WRITE) ||
        !core_array_check(&array, "out", isg_dataset_describe(samples).n_samples, onto.cols) ||
        !core_share(data))
        goto done;
    const isg_matd_view columns = {onto.view.buf, onto.rows, onto.cols, onto.cols};
    is_done = core_enter(&call, progress);
    if (is_done)
        is_done = core_leave(&call, isg_projections(core_matd(&array), samples, columns, may_depend,
                                                    core_progress(&call)));
    core_unshare(data);
done:
    core_array_release(&array);
    core_array_release(&onto);
    return is_done ? Py_NewRef(Py_None) : NULL;
}
