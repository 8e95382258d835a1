/* rbm_samples.c - hidden units and energies of samples
 *
 * SPDX-License-Identifier: MIT
 */
#include "rbm.h"

/* ---- samples of a data set ------------------------------------------------------------------------- */

PyObject *core_rbm_transform(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "h", "energies", "progress", NULL};
    PyObject *data = NULL, *h = NULL, *energies = Py_None, *progress = NULL;
    core_array hidden = {.is_held = false}, energy = {.is_held = false};
    core_call call;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|OO", names, &data, &h, &energies,
                                     &progress))
        return NULL;
    const isg_dataset *samples = core_whole_data(data, "X");
    if (!samples)
        return NULL;
    const size_t n = isg_dataset_describe(samples).n_samples,
                 p = isg_rbm_describe(core_rbm(self)).n_hidden;
    bool is_done = core_array_get(&hidden, h, "h", ISG_NUMBER_FLOAT64, 2, CORE_WRITE) &&
                   core_array_check(&hidden, "h", n, p) &&
                   (energies == Py_None || (core_array_get(&energy, energies, "energies",
                                                           ISG_NUMBER_FLOAT64, 1, CORE_WRITE) &&
                                            core_array_check(&energy, "energies", n, 1))) &&
                   core_share_both(self, data);
    if (is_done) {
        is_done = core_enter(&call, progress);
        if (is_done)
            is_done =
                core_leave(&call, isg_rbm_transform(core_rbm(self), samples, core_matd(&hidden),
                                                    energy.view.buf, core_progress(&call)));
        core_unshare_both(self, data);
    }
    core_array_release(&hidden);
    core_array_release(&energy);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

PyObject *core_rbm_capture(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "progress", NULL};
    PyObject *data = NULL, *progress = NULL;
    double found = 0;
    core_call call;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O", names, &data, &progress))
        return NULL;
    const isg_dataset *samples = core_whole_data(data, "X");
    if (!samples || !core_share_both(self, data))
        return NULL;
    const bool is_done =
        core_enter(&call, progress) &&
        core_leave(&call, isg_rbm_capture(core_rbm(self), samples, &found, core_progress(&call)));
    core_unshare_both(self, data);
    return is_done ? PyFloat_FromDouble(found) : NULL;
}

PyObject *core_rbm_energy(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "hidden", "out", NULL};
    PyObject *data = NULL, *hidden = NULL, *out = NULL;
    core_array lambda = {.is_held = false}, energy = {.is_held = false};
    core_call call;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOO", names, &data, &hidden, &out))
        return NULL;
    const isg_dataset *samples = core_whole_data(data, "X");
    if (!samples)
        return NULL;
    const isg_rbm *rbm = core_rbm(self);
    const isg_rbm_info info = isg_rbm_describe(rbm);
    const isg_dataset_info found = isg_dataset_describe(samples);
    if (found.n_visible != info.n_visible) {
        PyErr_Format(PyExc_ValueError, "X: has %zu units, the RBM has %zu", found.n_visible,
                     info.n_visible);
        return NULL;
    }
    bool is_done = core_array_get(&lambda, hidden, "hidden", ISG_NUMBER_FLOAT64, 2, CORE_READ) &&
                   core_array_check(&lambda, "hidden", found.n_samples, info.n_hidden) &&
                   core_array_get(&energy, out, "out", ISG_NUMBER_FLOAT64, 1, CORE_WRITE) &&
                   core_array_check(&energy, "out", found.n_samples, 1) &&
                   core_share_both(self, data);
    if (is_done) {
        isg_status status = ISG_OK;
        is_done = core_enter(&call, NULL);
        for (size_t k = 0; is_done && status == ISG_OK && k < found.n_samples; k++) {
            ((double *)energy.view.buf)[k] =
                isg_rbm_energy(rbm, isg_dataset_row(samples, k),
                               (const double *)lambda.view.buf + k * info.n_hidden);
            if (!core_report(&call, 0))
                status = ISG_ERR_CANCELLED;
        }
        is_done = is_done && core_leave(&call, status);
        core_unshare_both(self, data);
    }
    core_array_release(&lambda);
    core_array_release(&energy);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

/* ---- states of the hidden units, one per row ------------------------------------------------------- */

/* What is computed of a row, to `out` and, unless NULL, `more`. */
typedef void row_function(const isg_rbm *rbm, const double *lambda, double *out, double *more);

/* hidden (n, n_hidden) to out (n, width), or (n) if the width is 0, and to more (n, n_hidden) unless None. */
static PyObject *each_row(PyObject *self, PyObject *const objects[3], size_t width,
                          row_function *function) {
    const isg_rbm *rbm = core_rbm(self);
    const size_t p = isg_rbm_describe(rbm).n_hidden, step = width ? width : 1;
    core_array lambda = {.is_held = false}, out = {.is_held = false}, more = {.is_held = false};
    core_call call;
    bool is_done =
        core_array_get(&lambda, objects[0], "hidden", ISG_NUMBER_FLOAT64, 2, CORE_READ) &&
        core_array_check(&lambda, "hidden", lambda.rows, p) &&
        core_array_get(&out, objects[1], "out", ISG_NUMBER_FLOAT64, width ? 2 : 1, CORE_WRITE) &&
        core_array_check(&out, "out", lambda.rows, step) &&
        (objects[2] == Py_None ||
         (core_array_get(&more, objects[2], "gradient", ISG_NUMBER_FLOAT64, 2, CORE_WRITE) &&
          core_array_check(&more, "gradient", lambda.rows, p))) &&
        core_share(self);
    if (is_done) {
        isg_status status = ISG_OK;
        is_done = core_enter(&call, NULL);
        for (size_t k = 0; is_done && status == ISG_OK && k < lambda.rows; k++) {
            function(rbm, (const double *)lambda.view.buf + k * p,
                     (double *)out.view.buf + k * step,
                     more.is_held ? (double *)more.view.buf + k * p : NULL);
            if (!core_report(&call, 0))
                status = ISG_ERR_CANCELLED;
        }
        is_done = is_done && core_leave(&call, status);
        core_unshare(self);
    }
    core_array_release(&lambda);
    core_array_release(&out);
    core_array_release(&more);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

static void free_energy_of(const isg_rbm *rbm, const double *lambda, double *out, double *more) {
    *out = isg_rbm_free_energy(rbm, lambda);
    if (more)
        isg_rbm_free_energy_gradient(rbm, lambda, more);
}

static void visible_input_of(const isg_rbm *rbm, const double *lambda, double *out, double *more) {
    (void)more;
    isg_rbm_visible_input(rbm, lambda, out);
}

PyObject *core_rbm_free_energy(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"hidden", "out", "gradient", NULL};
    PyObject *objects[3] = {NULL, NULL, Py_None};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|O", names, &objects[0], &objects[1],
                                     &objects[2]))
        return NULL;
    return each_row(self, objects, 0, free_energy_of);
}

PyObject *core_rbm_visible_input(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"hidden", "out", NULL};
    PyObject *objects[3] = {NULL, NULL, Py_None};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO", names, &objects[0], &objects[1]))
        return NULL;
    return each_row(self, objects, isg_rbm_describe(core_rbm(self)).n_visible, visible_input_of);
}
