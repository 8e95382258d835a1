/* theory.c - checks of the identities behind the mappings
 *
 * SPDX-License-Identifier: MIT
 */
#include "core.h"

static const core_field check_fields[] = {CORE_FIELD(isg_check, name, CORE_CHARS),
                                          CORE_FIELD(isg_check, value, CORE_DOUBLE),
                                          CORE_FIELD(isg_check, bound, CORE_DOUBLE),
                                          CORE_FIELD(isg_check, ok, CORE_BOOL),
                                          {NULL, 0, 0, NULL}};

static PyObject *list_checks(const isg_checks *checks) {
    const size_t count = isg_checks_count(checks);
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t k = 0; list && k < count; k++) {
        PyObject *check = core_write(isg_checks_get(checks, k), check_fields);
        if (!check || PyList_SetItem(list, (Py_ssize_t)k, check) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *verify(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"patterns", "seed", "progress", NULL};
    PyObject *patterns = Py_None, *progress = NULL, *list = NULL;
    unsigned long long seed = 1;
    isg_checks *checks = NULL;
    core_call call;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|OKO", names, &patterns, &seed,
                                     &progress))
        return NULL;
    const isg_patterns *given = core_unwrap_optional(patterns, CORE_PATTERNS, "patterns");
    if (PyErr_Occurred() || !core_share(patterns))
        return NULL;
    if (core_enter(&call, progress)) {
        const isg_status status = isg_verify(&checks, given, seed, core_progress(&call));
        if (core_leave(&call, status))
            list = list_checks(checks);
        isg_checks_free(status == ISG_OK ? checks : NULL);
    }
    core_unshare(patterns);
    return list;
}

static PyMethodDef functions[] = {CORE_METHOD("verify", verify, "A list of isg_check as dicts."),
                                  {NULL, NULL, 0, NULL}};

bool core_add_theory(PyObject *module) {
    return PyModule_AddFunctions(module, functions) == 0;
}
