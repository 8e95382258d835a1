/* hopfield_states.c - samples in the landscape of a network
 *
 * SPDX-License-Identifier: MIT
 */
#include "hopfield.h"

static const core_field state_fields[] = {CORE_FIELD(isg_hopfield_state, energy, CORE_DOUBLE),
                                          CORE_FIELD(isg_hopfield_state, least_rise, CORE_DOUBLE),
                                          CORE_FIELD(isg_hopfield_state, n_unstable, CORE_SIZE),
                                          CORE_FIELD(isg_hopfield_state, is_stable, CORE_BOOL),
                                          CORE_FIELD(isg_hopfield_state, is_fixed_point, CORE_BOOL),
                                          {NULL, 0, 0, NULL}};

/* What to do with a sample: `out` has room for a row of numbers, or for a state. */
typedef isg_status one_sample(const isg_hopfield *network, const uint64_t *spins, void *out);

static isg_status energy_of(const isg_hopfield *network, const uint64_t *spins, void *out) {
    return isg_hopfield_energy(network, spins, out);
}

static isg_status fields_of(const isg_hopfield *network, const uint64_t *spins, void *out) {
    return isg_hopfield_local_field(network, spins, out);
}

static isg_status overlaps_of(const isg_hopfield *network, const uint64_t *spins, void *out) {
    isg_hopfield_overlaps(network, spins, out);
    return ISG_OK;
}

static isg_status state_of(const isg_hopfield *network, const uint64_t *spins, void *out) {
    return isg_hopfield_examine(network, spins, out);
}

/* One sample after another, so that signals are seen. `bytes` of the output belong to each. */
static bool visit(PyObject *self, PyObject *data, PyObject *progress, one_sample *one, void *out,
                  size_t bytes) {
    core_call call;
    const isg_dataset *samples = ((core_object *)data)->handle;
    const size_t count = isg_dataset_describe(samples).n_samples;
    isg_status status = ISG_OK;
    bool is_done = core_share(self);
    if (!is_done)
        return false;
    is_done = core_share(data);
    if (is_done) {
        is_done = core_enter(&call, progress);
        if (is_done) {
            for (size_t a = 0; status == ISG_OK && a < count; a++) {
                status =
                    one(network_of(self), isg_dataset_row(samples, a), (char *)out + a * bytes);
                if (status == ISG_OK && !core_report(&call, (double)(a + 1) / (double)count))
                    status = ISG_ERR_CANCELLED;
            }
            is_done = core_leave(&call, status);
        }
        core_unshare(data);
    }
    core_unshare(self);
    return is_done;
}

/* For methods (data, out, progress) that write a row of `cols` numbers per sample; cols 0: one
   number. */
static PyObject *write_rows(PyObject *self, PyObject *arguments, PyObject *keywords,
                            one_sample *one, size_t cols) {
    static char *names[] = {"data", "out", "progress", NULL};
    PyObject *data = NULL, *out = NULL, *progress = NULL;
    core_array array;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|O", names, &data, &out, &progress))
        return NULL;
    const isg_dataset *samples =
        core_data_of(data, "X", isg_hopfield_describe(network_of(self)).n_visible);
    if (!samples ||
        !core_array_get(&array, out, "out", ISG_NUMBER_FLOAT64, cols ? 2 : 1, CORE_WRITE))
        return NULL;
    const size_t rows = isg_dataset_describe(samples).n_samples, width = cols ? cols : 1;
    const bool is_done = core_array_check(&array, "out", rows, width) &&
                         visit(self, data, progress, one, array.view.buf, width * sizeof(double));
    core_array_release(&array);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

/* The number of patterns; 0 with a ValueError if the network has none. */
static size_t patterns_of(PyObject *self) {
    const size_t count = isg_hopfield_describe(network_of(self)).n_patterns;
    if (count == 0)
        PyErr_SetString(PyExc_ValueError,
                        "this network was made from an RBM without patterns, so there is nothing "
                        "to compare samples with");
    return count;
}

PyObject *hopfield_energy(PyObject *self, PyObject *arguments, PyObject *keywords) {
    return write_rows(self, arguments, keywords, energy_of, 0);
}

PyObject *hopfield_fields(PyObject *self, PyObject *arguments, PyObject *keywords) {
    return write_rows(self, arguments, keywords, fields_of,
                      isg_hopfield_describe(network_of(self)).n_visible);
}

PyObject *hopfield_overlaps(PyObject *self, PyObject *arguments, PyObject *keywords) {
    const size_t count = patterns_of(self);
    return count ? write_rows(self, arguments, keywords, overlaps_of, count) : NULL;
}

/* xi (n_visible, n_patterns) of a network; NULL with a MemoryError. */
static double *unpack_patterns(const isg_hopfield *network) {
    const isg_patterns *patterns = isg_hopfield_patterns(network);
    const isg_patterns_info info = isg_patterns_describe(patterns);
    double *xi = PyMem_Calloc(info.n_visible * info.n_patterns, sizeof *xi);
    if (!xi)
        return (double *)PyErr_NoMemory();
    for (size_t mu = 0; mu < info.n_patterns; mu++)
        for (size_t i = 0; i < info.n_visible; i++)
            xi[i * info.n_patterns + mu] = isg_spin(isg_patterns_row(patterns, mu), i);
    return xi;
}

/* All samples at once, by the library's product: the numbers are those of `isinglass recall
   --projections`. */
PyObject *hopfield_projections(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "out", "progress", NULL};
    PyObject *data = NULL, *out = NULL, *progress = NULL;
    core_array array = {.is_held = false};
    core_call call;
    const size_t count = patterns_of(self);
    if (!count ||
        !PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|O", names, &data, &out, &progress))
        return NULL;
    const size_t n = isg_hopfield_describe(network_of(self)).n_visible;
    const isg_dataset *samples = core_data_of(data, "X", n);
    if (!samples || !core_array_get(&array, out, "out", ISG_NUMBER_FLOAT64, 2, CORE_WRITE))
        return NULL;
    bool is_done = false;
    double *xi = NULL;
    if (!core_array_check(&array, "out", isg_dataset_describe(samples).n_samples, count))
        goto done;
    xi = unpack_patterns(network_of(self));
    if (!xi || !core_share(data))
        goto done;
    is_done = core_enter(&call, progress);
    if (is_done)
        is_done = core_leave(&call, isg_projections(core_matd(&array), samples,
                                                    (isg_matd_view){xi, n, count, count}, true,
                                                    core_progress(&call)));
    core_unshare(data);
done:
    PyMem_Free(xi);
    core_array_release(&array);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

PyObject *hopfield_examine(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "progress", NULL};
    PyObject *data = NULL, *progress = NULL, *out = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O", names, &data, &progress))
        return NULL;
    const isg_dataset *samples =
        core_data_of(data, "X", isg_hopfield_describe(network_of(self)).n_visible);
    if (!samples)
        return NULL;
    const size_t count = isg_dataset_describe(samples).n_samples;
    isg_hopfield_state *states = PyMem_Calloc(count ? count : 1, sizeof *states);
    if (!states)
        return PyErr_NoMemory();
    if (visit(self, data, progress, state_of, states, sizeof *states))
        out = core_columns(states, count, sizeof *states, state_fields);
    PyMem_Free(states);
    return out;
}
