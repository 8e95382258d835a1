/* run.c - training that can be interrupted and resumed
 *
 * SPDX-License-Identifier: MIT
 *
 * A run borrows its data and owns its RBM. So the object keeps the data alive, and the RBM that it hands out keeps
 * the run alive, also after close(), which gives only the directory free.
 */
#include "core.h"

static const core_field option_fields[] = {
    CORE_NAMED("batch_size", isg_run_options, train.batch_size, CORE_SIZE),
    CORE_NAMED("gibbs_steps", isg_run_options, train.gibbs_steps, CORE_SIZE),
    CORE_ENUM("estimator", isg_run_options, train.estimator, core_estimators),
    CORE_NAMED("persistent", isg_run_options, train.persistent, CORE_BOOL),
    CORE_NAMED("chains", isg_run_options, train.chains, CORE_SIZE),
    CORE_NAMED("equilibrium", isg_run_options, train.equilibrium, CORE_BOOL),
    CORE_NAMED("jumps", isg_run_options, train.jumps, CORE_SIZE),
    CORE_NAMED("refit_every", isg_run_options, train.refit_every, CORE_SIZE),
    CORE_NAMED("fields", isg_run_options, train.fields, CORE_BOOL),
    CORE_NAMED("shuffle", isg_run_options, train.shuffle, CORE_BOOL),
    CORE_NAMED("impute_sweeps", isg_run_options, train.impute_sweeps, CORE_SIZE),
    CORE_NAMED("seed", isg_run_options, train.seed, CORE_UINT64),
    CORE_ENUM("constraint", isg_run_options, train.constraint, core_constraints),
    CORE_NAMED("learn_beta", isg_run_options, train.learn_beta, CORE_BOOL),
    CORE_FIELD(isg_run_options, patience, CORE_SIZE),
    CORE_FIELD(isg_run_options, command, CORE_TEXT),
    CORE_NAMED("save_every", isg_run_options, save_every_s, CORE_DOUBLE),
    {NULL, 0, 0, NULL}};

static const core_field info_fields[] = {
    CORE_FIELD(isg_run_info, in_the_way, CORE_TEXT),
    CORE_FIELD(isg_run_info, has_checkpoint, CORE_BOOL),
    CORE_FIELD(isg_run_info, settings, CORE_TEXT),
    CORE_FIELD(isg_run_info, remark, CORE_TEXT),
    CORE_NAMED("epochs", isg_run_info, state.epochs, CORE_UINT64),
    CORE_NAMED("updates", isg_run_info, state.updates, CORE_UINT64),
    CORE_NAMED("batch", isg_run_info, state.batch, CORE_SIZE),
    CORE_NAMED("n_batches", isg_run_info, state.n_batches, CORE_SIZE),
    CORE_FIELD(isg_run_info, seconds, CORE_DOUBLE),
    CORE_FIELD(isg_run_info, n_rows, CORE_SIZE),
    CORE_FIELD(isg_run_info, has_validation, CORE_BOOL),
    CORE_FIELD(isg_run_info, best_epoch, CORE_UINT64),
    CORE_FIELD(isg_run_info, is_over, CORE_BOOL),
    {NULL, 0, 0, NULL}};

static const core_field equilibrium_fields[] = {
    CORE_FIELD(isg_equilibrium_info, updates, CORE_UINT64),
    CORE_FIELD(isg_equilibrium_info, proposed, CORE_UINT64),
    CORE_FIELD(isg_equilibrium_info, accepted, CORE_UINT64),
    CORE_FIELD(isg_equilibrium_info, fits, CORE_UINT64),
    CORE_FIELD(isg_equilibrium_info, refused, CORE_UINT64),
    CORE_FIELD(isg_equilibrium_info, minima, CORE_SIZE),
    CORE_FIELD(isg_equilibrium_info, is_jumping, CORE_BOOL),
    CORE_FIELD(isg_equilibrium_info, reason, CORE_CHARS),
    {NULL, 0, 0, NULL}};

static const core_field row_fields[] = {
    CORE_FIELD(isg_run_row, epoch, CORE_UINT64),
    CORE_FIELD(isg_run_row, updates, CORE_UINT64),
    CORE_FIELD(isg_run_row, seconds, CORE_DOUBLE),
    CORE_FIELD(isg_run_row, reconstruction_error, CORE_DOUBLE),
    CORE_FIELD(isg_run_row, log_likelihood, CORE_DOUBLE),
    CORE_FIELD(isg_run_row, log_likelihood_error, CORE_DOUBLE),
    CORE_FIELD(isg_run_row, validation_pseudo_likelihood, CORE_DOUBLE),
    CORE_FIELD(isg_run_row, validation_gap, CORE_DOUBLE),
    {NULL, 0, 0, NULL}};

static isg_run *run_of(PyObject *self) {
    return ((core_object *)self)->handle;
}

/* ---- opening ------------------------------------------------------------------------------------ */

static PyObject *open_run(PyObject *none, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"path", "may_create", NULL};
    PyObject *path = Py_None, *kept = NULL;
    const char *name = NULL;
    int may_create = 1;
    isg_run *out = NULL;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|Op", names, &path, &may_create) ||
        (path != Py_None && !(kept = core_path(path, "directory", &name))))
        return NULL;
    const isg_status status = isg_run_open(&out, name, may_create);
    Py_XDECREF(kept);
    return status == ISG_OK ? core_wrap(CORE_RUN, out, NULL) : core_raise(status);
}

static PyObject *leave(PyObject *self, PyObject *none) {
    (void)none;
    if (!core_claim(self))
        return NULL;
    isg_run_leave(run_of(self));
    core_unclaim(self);
    Py_RETURN_NONE;
}

/* ---- options ------------------------------------------------------------------------------------ */

/* What begin() and resume() are told, with what has to be released afterwards. */
typedef struct training {
    PyObject *data, *validation; /* borrowed from the arguments; Python's None for no validation */
    PyObject *own;               /* dictionary with the texts of the options */
    PyObject *kept;              /* data and validation, for the run to keep */
    isg_run_options options;
    isg_rate *rates;
} training;

/* A sequence of (rate, from_epoch). */
static bool read_rates(training *my, PyObject *pairs) {
    const Py_ssize_t count = PySequence_Size(pairs);
    if (count < 0)
        return false;
    my->rates = PyMem_Calloc((size_t)count + 1, sizeof *my->rates);
    if (!my->rates)
        return PyErr_NoMemory(), false;
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *pair = PySequence_GetItem(pairs, k);
        Py_ssize_t from_epoch = 0;
        const bool is_pair = pair && PyTuple_Check(pair) &&
                             PyArg_ParseTuple(pair, "dn", &my->rates[k].rate, &from_epoch);
        Py_XDECREF(pair);
        if (!is_pair || from_epoch < 0) {
            PyErr_SetString(PyExc_ValueError,
                            "learning_rate: expected pairs of a rate and the epoch it holds from");
            return false;
        }
        my->rates[k].from_epoch = (size_t)from_epoch;
    }
    my->options.train.rates = my->rates;
    my->options.train.n_rates = (size_t)count;
    return true;
}

static void release_training(training *my) {
    PyMem_Free(my->rates);
    Py_XDECREF(my->own);
    Py_XDECREF(my->kept);
}

static bool read_training(training *my, PyObject *options, PyObject *rates) {
    my->options = isg_run_defaults();
    if (!core_unwrap(my->data, CORE_DATASET, "data"))
        return false;
    my->options.validation = core_unwrap_optional(my->validation, CORE_DATASET, "validation");
    if (PyErr_Occurred() || !(my->own = core_own(options)) ||
        !core_read(&my->options, option_fields, my->own) ||
        (rates && rates != Py_None && !read_rates(my, rates)))
        return false;
    my->kept = PyTuple_Pack(2, my->data, my->validation ? my->validation : Py_None);
    return my->kept != NULL;
}

/* A run that has begun keeps what it borrows; one that has not keeps nothing. */
static bool has_begun(PyObject *self) {
    return ((core_object *)self)->owner != NULL;
}

/* With the run claimed, after begin() or resume() of the library, whatever came of it. */
static void keep_data(PyObject *self, training *my) {
    if (!isg_run_rbm(run_of(self)))
        return;
    ((core_object *)self)->owner = my->kept;
    my->kept = NULL;
}

static bool claim_all(PyObject *self, const training *my) {
    if (!core_claim(self))
        return false;
    if (core_share(my->data)) {
        if (core_share(my->validation))
            return true;
        core_unshare(my->data);
    }
    core_unclaim(self);
    return false;
}

static void drop_all(PyObject *self, const training *my) {
    core_unshare(my->validation);
    core_unshare(my->data);
    core_unclaim(self);
}

/* For a run that has not begun: beginning anew would free an RBM that others may hold. */
static bool claim_new(PyObject *self, const training *my) {
    if (!claim_all(self, my))
        return false;
    if (!has_begun(self))
        return true;
    PyErr_SetString(PyExc_ValueError, "the training has begun already");
    drop_all(self, my);
    return false;
}

/* ---- beginning and resuming --------------------------------------------------------------------- */

/* The run takes the RBM, so it gets a copy. The copy knows how these data became spins, unless the model said how. */
static isg_status start(isg_run *run, const char *settings, const isg_rbm *rbm,
                        const isg_dataset *data, bool is_new_encoding,
                        const isg_run_options *options) {
    isg_rbm *copy = NULL;
    isg_status status = isg_rbm_copy(&copy, rbm);
    if (status != ISG_OK)
        return status;
    const isg_dataset_info info = isg_dataset_describe(data);
    const bool fits = info.n_visible == isg_rbm_describe(copy).n_visible; /* else begin() refuses */
    if (fits && (is_new_encoding || !isg_rbm_encoding(copy)))
        status = isg_rbm_set_encoding(copy, isg_dataset_encoding(data));
    if (fits && status == ISG_OK && info.image_height)
        status = isg_rbm_set_image(copy, info.image_height, info.image_width);
    if (status == ISG_OK)
        status = isg_run_begin(run, settings, copy, data, options);
    if (status != ISG_OK)
        isg_rbm_free(copy);
    return status;
}

static PyObject *begin(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"rbm",   "data",       "settings", "options",
                            "rates", "validation", "encode",   NULL};
    PyObject *rbm = NULL, *options = NULL, *rates = NULL, *done = NULL;
    const char *settings = NULL;
    int is_new_encoding = 0;
    training my = {0};
    core_call call;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOs|OOOp", names, &rbm, &my.data,
                                     &settings, &options, &rates, &my.validation, &is_new_encoding))
        return NULL;
    if (core_unwrap(rbm, CORE_RBM, "rbm") && read_training(&my, options, rates) &&
        claim_new(self, &my)) {
        if (core_share(rbm)) {
            if (core_enter(&call, NULL)) {
                isg_set_own_threads(0); /* room for all; a call takes what it may */
                const isg_status status =
                    start(run_of(self), settings, ((core_object *)rbm)->handle,
                          ((core_object *)my.data)->handle, is_new_encoding, &my.options);
                done = core_leave(&call, status) ? Py_NewRef(Py_None) : NULL;
                keep_data(self, &my);
            }
            core_unshare(rbm);
        }
        drop_all(self, &my);
    }
    release_training(&my);
    return done;
}

static PyObject *resume(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"data", "options", "rates", "validation", NULL};
    PyObject *options = NULL, *rates = NULL, *done = NULL;
    training my = {0};
    core_call call;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OOO", names, &my.data, &options,
                                     &rates, &my.validation))
        return NULL;
    if (read_training(&my, options, rates) && claim_new(self, &my)) {
        if (core_enter(&call, NULL)) {
            isg_set_own_threads(0);
            const isg_status status =
                isg_run_resume(run_of(self), ((core_object *)my.data)->handle, &my.options);
            done = core_leave(&call, status) ? Py_NewRef(Py_None) : NULL;
            keep_data(self, &my);
        }
        drop_all(self, &my);
    }
    release_training(&my);
    return done;
}

/* ---- training ----------------------------------------------------------------------------------- */

static PyObject *train(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"epochs", "progress", NULL};
    PyObject *progress = NULL;
    unsigned long long epochs = 0;
    training my = {0};
    core_call call;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "K|O", names, &epochs, &progress))
        return NULL;
    PyObject *kept = ((core_object *)self)->owner;
    if (kept) {
        my.data = PyTuple_GetItem(kept, 0);
        my.validation = PyTuple_GetItem(kept, 1);
    }
    if (!claim_all(self, &my))
        return NULL;
    bool is_done = core_enter(&call, progress);
    if (is_done) {
        const isg_status status = isg_run_train(run_of(self), epochs, core_progress(&call));
        is_done = core_leave(&call, status);
    }
    drop_all(self, &my);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *set_score(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"value", "error", NULL};
    double value = 0, error = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "dd", names, &value, &error) ||
        !core_claim(self))
        return NULL;
    const isg_status status = isg_run_set_score(run_of(self), value, error);
    core_unclaim(self);
    return core_none(status);
}

static PyObject *set_settings(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"settings", NULL};
    const char *settings = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "s", names, &settings) ||
        !core_claim(self))
        return NULL;
    const isg_status status = isg_run_set_settings(run_of(self), settings);
    core_unclaim(self);
    return core_none(status);
}

/* ---- looking ------------------------------------------------------------------------------------ */

static PyObject *describe(PyObject *self, PyObject *none) {
    (void)none;
    if (!core_share(self))
        return NULL;
    const isg_run_info info = isg_run_describe(run_of(self));
    PyObject *out = core_write(&info, info_fields);
    core_unshare(self);
    return out;
}

static PyObject *equilibrium(PyObject *self, PyObject *none) {
    (void)none;
    if (!core_share(self))
        return NULL;
    const isg_run_info info = isg_run_describe(run_of(self));
    core_unshare(self);
    if (!info.has_equilibrium)
        Py_RETURN_NONE;
    return core_write(&info.equilibrium, equilibrium_fields);
}

static PyObject *rows(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"start", NULL};
    Py_ssize_t first = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|n", names, &first) || !core_share(self))
        return NULL;
    const isg_run_info info = isg_run_describe(run_of(self));
    PyObject *list = PyList_New(0);
    for (size_t k = first > 0 ? (size_t)first : 0; list && k < info.n_rows; k++) {
        PyObject *row = core_write(info.rows + k, row_fields);
        if (!row || PyList_Append(list, row) < 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    core_unshare(self);
    return list;
}

static PyObject *rbm(PyObject *self, PyObject *none) {
    (void)none;
    if (!has_begun(self)) /* nor may the library be asked, while another thread begins */
        Py_RETURN_NONE;
    return core_wrap_part(CORE_RBM, isg_run_rbm(run_of(self)), self);
}

static PyObject *defaults(PyObject *none, PyObject *nothing) {
    const isg_run_options options = isg_run_defaults();
    (void)none;
    (void)nothing;
    PyObject *out = core_write(&options, option_fields);
    PyObject *rate = out ? PyFloat_FromDouble(options.train.rates[0].rate) : NULL;
    if (!rate || PyDict_SetItemString(out, "learning_rate", rate) < 0)
        Py_CLEAR(out);
    Py_XDECREF(rate);
    return out;
}

static PyMethodDef methods[] = {
    CORE_STATIC("open", open_run, "Opens a directory; without one, no files are written."),
    CORE_METHOD("begin", begin, "Begins to train a copy of an RBM."),
    CORE_METHOD("resume", resume, "Resumes from the last checkpoint."),
    CORE_METHOD("train", train, "Trains until so many epochs are done in all."),
    CORE_METHOD("set_score", set_score, "Records a log-likelihood."),
    CORE_METHOD("set_settings", set_settings, "Replaces run.json."),
    CORE_NO_ARGUMENTS("leave", leave, "Gives the directory free."),
    CORE_NO_ARGUMENTS("describe", describe, "isg_run_info as a dict, without its rows."),
    CORE_NO_ARGUMENTS("equilibrium", equilibrium, "isg_equilibrium_info as a dict, or None."),
    CORE_METHOD("rows", rows, "The rows of epochs.csv from one on, as dicts."),
    CORE_NO_ARGUMENTS("rbm", rbm, "The RBM in training, or None."),
    {"defaults", defaults, METH_NOARGS | METH_STATIC, "isg_run_options as a dict."},
    {NULL, NULL, 0, NULL}};

static void release(void *handle) {
    isg_run_close(handle);
}

bool core_add_run(PyObject *module) {
    return core_add_type(module, CORE_RUN, "Run", "isg_run", release, methods);
}
