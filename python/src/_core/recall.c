/* recall.c - a network as an associative memory
 *
 * SPDX-License-Identifier: MIT
 */
#include "recall.h"

static const char *const protocols[] = {"published", "attractor", NULL};
static const char *const ends[] = {"pattern",  "undecided", "negative",
                                   "spurious", "two-cycle", NULL};

static const core_field option_fields[] = {
    CORE_ENUM("protocol", isg_recall_options, protocol, protocols),
    CORE_ENUM("rule", isg_recall_options, rule, core_rules),
    CORE_FIELD(isg_recall_options, allow_rank_deficient, CORE_BOOL),
    CORE_FIELD(isg_recall_options, keep_diagonal, CORE_BOOL),
    CORE_ENUM("dynamics", isg_recall_options, dynamics, core_dynamics),
    CORE_ENUM("ensemble", isg_recall_options, ensemble, core_dynamics),
    CORE_FIELD(isg_recall_options, beta, CORE_DOUBLE),
    CORE_FIELD(isg_recall_options, threshold, CORE_DOUBLE),
    CORE_FIELD(isg_recall_options, max_updates, CORE_SIZE),
    CORE_FIELD(isg_recall_options, trajectories, CORE_SIZE),
    CORE_ENUM("readout", isg_recall_options, readout, core_readouts),
    CORE_FIELD(isg_recall_options, seed, CORE_UINT64),
    {NULL, 0, 0, NULL}};

/* In the order of core_readouts and of `ends`. */
static const core_field summary_fields[] = {
    CORE_FIELD(isg_recall_summary, n_samples, CORE_SIZE),
    CORE_FIELD(isg_recall_summary, n_classes, CORE_SIZE),
    CORE_FIELD(isg_recall_summary, n_labels, CORE_SIZE),
    CORE_FIELD(isg_recall_summary, has_accuracy, CORE_BOOL),
    CORE_FIELD(isg_recall_summary, n_foreign, CORE_SIZE),
    CORE_FIELD(isg_recall_summary, accuracy, CORE_DOUBLE),
    CORE_NAMED("start_overlap", isg_recall_summary, start_accuracy[0], CORE_DOUBLE),
    CORE_NAMED("start_projection", isg_recall_summary, start_accuracy[1], CORE_DOUBLE),
    CORE_NAMED("start_energy", isg_recall_summary, start_accuracy[2], CORE_DOUBLE),
    CORE_NAMED("end_overlap", isg_recall_summary, end_accuracy[0], CORE_DOUBLE),
    CORE_NAMED("end_projection", isg_recall_summary, end_accuracy[1], CORE_DOUBLE),
    CORE_NAMED("end_energy", isg_recall_summary, end_accuracy[2], CORE_DOUBLE),
    CORE_FIELD(isg_recall_summary, decided_at_start, CORE_SIZE),
    CORE_FIELD(isg_recall_summary, decided, CORE_SIZE),
    CORE_FIELD(isg_recall_summary, n_ensembles, CORE_SIZE),
    CORE_FIELD(isg_recall_summary, undecided, CORE_DOUBLE),
    CORE_NAMED("n_pattern", isg_recall_summary, ends[0], CORE_SIZE),
    CORE_NAMED("n_undecided", isg_recall_summary, ends[1], CORE_SIZE),
    CORE_NAMED("n_negative", isg_recall_summary, ends[2], CORE_SIZE),
    CORE_NAMED("n_spurious", isg_recall_summary, ends[3], CORE_SIZE),
    CORE_NAMED("n_two_cycle", isg_recall_summary, ends[4], CORE_SIZE),
    CORE_FIELD(isg_recall_summary, n_updates, CORE_SIZE),
    {NULL, 0, 0, NULL}};

static const core_field outcome_fields[] = {CORE_ENUM("end", isg_recall_outcome, end, ends),
                                            CORE_FIELD(isg_recall_outcome, pattern, CORE_SIZE),
                                            CORE_FIELD(isg_recall_outcome, updates, CORE_SIZE),
                                            CORE_FIELD(isg_recall_outcome, trajectories, CORE_SIZE),
                                            CORE_FIELD(isg_recall_outcome, share, CORE_DOUBLE),
                                            {NULL, 0, 0, NULL}};

static isg_recall *recall_of(PyObject *self) {
    return ((core_object *)self)->handle;
}

/* ---- doing it ----------------------------------------------------------------------------------- */

/* The usual options of the protocol that a dictionary names, and then its own. */
static bool read_options(isg_recall_options *out, PyObject *options) {
    isg_recall_options named = isg_recall_defaults(ISG_RECALL_PUBLISHED);
    if (!core_read(&named, option_fields, options))
        return false;
    *out = isg_recall_defaults(named.protocol);
    return core_read(out, option_fields, options);
}

static PyObject *run(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"patterns", "data", "options", "progress", NULL};
    PyObject *patterns = NULL, *data = NULL, *options = NULL, *progress = NULL;
    isg_recall_options chosen;
    isg_recall *out = NULL;
    core_call call;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|OO", names, &patterns, &data,
                                     &options, &progress) ||
        !core_unwrap(patterns, CORE_PATTERNS, "patterns") ||
        !core_unwrap(data, CORE_DATASET, "data") || !read_options(&chosen, options) ||
        !core_share(patterns))
        return NULL;
    bool is_done = core_share(data);
    if (is_done) {
        is_done = core_enter(&call, progress);
        if (is_done) {
            const isg_status status =
                isg_recall_run(&out, ((core_object *)patterns)->handle,
                               ((core_object *)data)->handle, &chosen, core_progress(&call));
            is_done = core_leave(&call, status);
            if (status == ISG_OK && !is_done)
                isg_recall_free(out);
        }
        core_unshare(data);
    }
    core_unshare(patterns);
    return is_done ? core_wrap(CORE_RECALL, out, NULL) : NULL;
}

static PyObject *defaults(PyObject *none, PyObject *protocol) {
    int choice = 0;
    (void)none;
    if (!core_choose(protocol, "protocol", protocols, &choice))
        return NULL;
    const isg_recall_options usual = isg_recall_defaults((isg_recall_protocol)choice);
    return core_write(&usual, option_fields);
}

/* ---- what came out ------------------------------------------------------------------------------ */

static PyObject *describe(PyObject *self, PyObject *none) {
    (void)none;
    const isg_recall_summary summary = isg_recall_describe(recall_of(self));
    return core_write(&summary, summary_fields);
}

static PyObject *options(PyObject *self, PyObject *none) {
    (void)none;
    const isg_recall_summary summary = isg_recall_describe(recall_of(self));
    return core_write(&summary.options, option_fields);
}

static PyObject *outcomes(PyObject *self, PyObject *none) {
    (void)none;
    return core_columns(isg_recall_outcomes(recall_of(self)),
                        isg_recall_describe(recall_of(self)).n_samples, sizeof(isg_recall_outcome),
                        outcome_fields);
}

static PyObject *view_of(PyObject *self, isg_matd_view table) {
    return core_view_new(self, table.data, table.rows, table.cols, table.stride, true);
}

static PyObject *confusion(PyObject *self, PyObject *none) {
    (void)none;
    return view_of(self, isg_recall_confusion(recall_of(self)));
}

static PyObject *end_table(PyObject *self, PyObject *none) {
    (void)none;
    return view_of(self, isg_recall_ends(recall_of(self)));
}

static PyObject *updates(PyObject *self, PyObject *none) {
    (void)none;
    return core_view_new(self, isg_recall_updates(recall_of(self)),
                         isg_recall_describe(recall_of(self)).n_updates, 0, 1, true);
}

static PyObject *labels(PyObject *self, PyObject *none) {
    const size_t count = isg_recall_describe(recall_of(self)).n_labels;
    (void)none;
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t k = 0; list && k < count; k++) {
        PyObject *text = core_text(isg_recall_label(recall_of(self), k));
        if (!text || PyList_SetItem(list, (Py_ssize_t)k, text) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *class_names(PyObject *none, PyObject *data) {
    const isg_dataset *samples = core_unwrap(data, CORE_DATASET, "data");
    (void)none;
    if (!samples)
        return NULL;
    const size_t count = isg_dataset_describe(samples).n_classes;
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t k = 0; list && k < count; k++) {
        PyObject *text = core_text(isg_dataset_class_name(samples, k));
        if (!text || PyList_SetItem(list, (Py_ssize_t)k, text) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyMethodDef methods[] = {
    CORE_STATIC("run", run, "Runs a protocol on every sample."),
    {"defaults", defaults, METH_O | METH_STATIC, "The options of a protocol as a dict."},
    CORE_NO_ARGUMENTS("describe", describe, "isg_recall_summary as a dict."),
    CORE_NO_ARGUMENTS("options", options, "The options it ran with as a dict."),
    CORE_NO_ARGUMENTS("outcomes", outcomes, "isg_recall_outcome as a dict of arrays."),
    CORE_NO_ARGUMENTS("confusion", confusion, "A view (n_classes, n_labels + 4)."),
    CORE_NO_ARGUMENTS("ends", end_table, "A view (n_classes, n_labels + 4)."),
    CORE_NO_ARGUMENTS("updates", updates, "A view (n_updates)."),
    CORE_NO_ARGUMENTS("labels", labels, "The classes of the patterns."),
    {"class_names", class_names, METH_O | METH_STATIC, "The classes of data, in their order."},
    CORE_STATIC("recover", recall_recover, "isg_recovery as a dict of arrays, one per way."),
    {"recovery_defaults", recall_recovery_defaults, METH_NOARGS | METH_STATIC, "As a dict."},
    CORE_STATIC("corrupt", recall_corrupt, "Corrupts spins (n, n_visible), int8, in place."),
    CORE_STATIC("projections", recall_projections, "Of data onto x (n_visible, p), to out."),
    {NULL, NULL, 0, NULL}};

static void release(void *handle) {
    isg_recall_free(handle);
}

bool core_add_recall(PyObject *module) {
    return core_add_type(module, CORE_RECALL, "Recall", "isg_recall", release, methods);
}
