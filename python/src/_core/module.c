/* module.c - isinglass._core
 *
 * SPDX-License-Identifier: MIT
 */
#include "core.h"

static PyObject *version(PyObject *self, PyObject *none) {
    (void)self, (void)none;
    return core_text(isg_version());
}

static PyObject *threads(PyObject *self, PyObject *none) {
    (void)self, (void)none;
    return PyLong_FromSize_t(isg_threads());
}

static bool read_count(PyObject *arguments, size_t *out) {
    Py_ssize_t count = 0;
    if (!PyArg_ParseTuple(arguments, "n", &count))
        return false;
    if (count < 0) {
        PyErr_Format(PyExc_ValueError, "threads: expected a number from 0 on, found %zd", count);
        return false;
    }
    *out = (size_t)count;
    return true;
}

static PyObject *set_threads(PyObject *self, PyObject *arguments) {
    size_t count = 0;
    (void)self;
    if (!read_count(arguments, &count))
        return NULL;
    isg_set_threads(count);
    Py_RETURN_NONE;
}

static PyObject *want_threads(PyObject *self, PyObject *arguments) {
    size_t count = 0;
    (void)self;
    if (!read_count(arguments, &count))
        return NULL;
    core_want_threads(count);
    Py_RETURN_NONE;
}

static PyObject *isa(PyObject *self, PyObject *none) {
    (void)self, (void)none;
    return core_text(isg_isa());
}

static PyObject *set_isa(PyObject *self, PyObject *arguments) {
    const char *name = NULL;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "z", &name))
        return NULL;
    return core_none(isg_set_isa(name));
}

static PyMethodDef functions[] = {
    {"version", version, METH_NOARGS, "The version of the library."},
    {"threads", threads, METH_NOARGS, "The number of threads that the library uses."},
    {"set_threads", set_threads, METH_VARARGS, "Sets it; 0: one per core."},
    {"want_threads", want_threads, METH_VARARGS,
     "Sets it for calls from this Python thread; 0: a share of all cores."},
    {"isa", isa, METH_NOARGS, "The instruction set of the kernels."},
    {"set_isa", set_isa, METH_VARARGS, "Chooses it; None: the best one."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "_core",
                                        "The library of isinglass, as it is.",
                                        -1,
                                        functions,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) {
    static bool (*const add[])(PyObject *) = {
        core_add_errors,     core_add_view,     core_add_encoding,   core_add_dataset,
        core_add_patterns,   core_add_hopfield, core_add_rbm,        core_add_chains,
        core_add_moves,      core_add_run,      core_add_recall,     core_add_unmapping,
        core_add_states,     core_add_experts,  core_add_classifier, core_add_tuner,
        core_add_deep_model, core_add_theory,   core_add_calls};
    PyObject *module = PyModule_Create(&definition);
    for (size_t k = 0; module && k < sizeof add / sizeof add[0]; k++)
        if (!add[k](module))
            Py_CLEAR(module);
    return module;
}
