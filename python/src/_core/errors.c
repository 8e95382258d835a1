/* errors.c - one table from the library's status to Python's exceptions
 *
 * SPDX-License-Identifier: MIT
 */
#include "core.h"

#include <ctype.h>
#include <string.h>

static PyObject *format_error, *diverged_error, *dependent_error, *cancelled_error;

/* In the order of isg_status. */
static PyObject **const exceptions[] = {
    NULL,
    &PyExc_MemoryError,         /* ISG_ERR_MEMORY */
    &PyExc_ValueError,          /* ISG_ERR_ARGUMENT */
    &PyExc_ValueError,          /* ISG_ERR_SHAPE */
    &PyExc_OSError,             /* ISG_ERR_IO */
    &format_error,              /* ISG_ERR_FORMAT */
    &format_error,              /* ISG_ERR_VERSION */
    &diverged_error,            /* ISG_ERR_DIVERGED */
    &PyExc_NotImplementedError, /* ISG_ERR_UNSUPPORTED */
    &cancelled_error,           /* ISG_ERR_CANCELLED */
    &dependent_error,           /* ISG_ERR_DEPENDENT */
};

/* The library advises in the words of the command line: "--drop-constant" is drop_constant here. */
static void respell_options(char *sentence) {
    char *to = sentence;
    for (const char *from = sentence; *from;) {
        const bool starts = from[0] == '-' && from[1] == '-' && islower((unsigned char)from[2]) &&
                            (from == sentence || from[-1] == ' ' || from[-1] == '(');
        if (!starts) {
            *to++ = *from++;
            continue;
        }
        for (from += 2;
             islower((unsigned char)*from) || (*from == '-' && islower((unsigned char)from[1]));
             from++)
            *to++ = *from == '-' ? '_' : *from;
    }
    *to = '\0';
}

PyObject *core_raise(isg_status status) {
    char sentence[1024];
    if (PyErr_Occurred()) /* by the progress callback, which is why the work was cancelled */
        return NULL;
    /* a loop of our own that stops leaves no sentence in the library */
    const char *found = status == ISG_ERR_CANCELLED ? "cancelled" : isg_error_message();
    strncpy(sentence, found, sizeof sentence - 1);
    sentence[sizeof sentence - 1] = '\0';
    respell_options(sentence);
    PyObject *text = core_text(sentence);
    if (text)
        PyErr_SetObject(*exceptions[status], text);
    Py_XDECREF(text);
    return NULL;
}

PyObject *core_none(isg_status status) {
    if (status != ISG_OK)
        return core_raise(status);
    Py_RETURN_NONE;
}

static PyObject *add_exception(PyObject *module, const char *name, const char *doc,
                               PyObject *base) {
    char full_name[64];
    PyOS_snprintf(full_name, sizeof full_name, "isinglass.%s", name);
    PyObject *exception = PyErr_NewExceptionWithDoc(full_name, doc, base, NULL);
    if (exception && PyModule_AddObjectRef(module, name, exception) < 0)
        Py_CLEAR(exception);
    return exception;
}

bool core_add_errors(PyObject *module) {
    format_error = add_exception(module, "FormatError",
                                 "A file was read, but its content is invalid.", PyExc_ValueError);
    diverged_error = add_exception(
        module, "DivergedError", "A computation produced infinity or NaN.", PyExc_ArithmeticError);
    dependent_error = add_exception(
        module, "DependentError",
        "Patterns, or columns of W, are linearly dependent and must not be.", PyExc_ValueError);
    cancelled_error = add_exception(module, "CancelledError", "A progress callback returned False.",
                                    PyExc_RuntimeError);
    return format_error && diverged_error && dependent_error && cancelled_error;
}
