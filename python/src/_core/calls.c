/* calls.c - long work: without the interpreter lock, but never deaf to Ctrl-C
 *
 * SPDX-License-Identifier: MIT
 */
#include "core.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

/* Signals are looked at this often. */
static const double interval_s = 0.05;

/* Calls under way, counted with the lock held. They share the cores, since two teams that each take all of them get
   in each other's way; the number of threads never changes results. */
static size_t n_under_way;

/* What the caller of this thread asked for; 0: a share of the cores. */
static _Thread_local size_t n_wanted;

/* What the call under way on this thread takes; 0: there is none. */
static _Thread_local size_t n_taken;

/* OpenMP's threads do not survive a fork, and the child would wait for them forever. */
static atomic_bool has_threads, is_orphan;

static void note_fork(void) {
    if (atomic_load(&has_threads))
        atomic_store(&is_orphan, true);
    n_under_way = 0; /* nor do the threads of Python */
}

/* The interpreter is about to end, and this thread ends it. Daemon threads that then ask for the lock never return,
   and inside of OpenMP's teams that ends in an abort. So they are stopped before. */
static atomic_bool is_closing;
static pthread_t closer;

static bool has_to_end(void) {
    return atomic_load(&is_closing) && !pthread_equal(pthread_self(), closer);
}

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* False, or NumPy's, which is what comparisons of its numbers give. */
static bool is_false(PyObject *answer) {
    if (answer == Py_False || answer == Py_None || answer == Py_True)
        return answer == Py_False;
    PyObject *name = PyType_GetName(Py_TYPE(answer));
    const bool is_bool = name && (PyUnicode_CompareWithASCIIString(name, "bool_") == 0 ||
                                  PyUnicode_CompareWithASCIIString(name, "bool") == 0);
    Py_XDECREF(name);
    return is_bool && PyObject_IsTrue(answer) == 0;
}

/* With the lock held. */
static bool look(core_call *call, double fraction) {
    if (PyErr_CheckSignals() < 0)
        return false;
    if (!call->callable)
        return true;
    PyObject *answer = PyObject_CallFunction(call->callable, "d", fraction);
    const bool goes_on = answer && !is_false(answer) && !PyErr_Occurred();
    Py_XDECREF(answer);
    return goes_on;
}

bool core_report(void *user, double fraction) {
    core_call *call = user;
    const double now = now_s();
    if (has_to_end())
        call->is_stopped = true;
    if (call->is_stopped) /* threads of the library may ask again before all have stopped */
        return false;
    if (now - call->looked_s < interval_s && fraction < 1)
        return true;
    PyEval_RestoreThread(call->thread);
    call->is_stopped = !look(call, fraction);
    call->thread = PyEval_SaveThread();
    call->looked_s = now_s();
    return !call->is_stopped;
}

static void take_threads(void) {
    const size_t all = isg_threads();
    const size_t share = all / n_under_way > 1 ? all / n_under_way : 1;
    n_taken = n_wanted > 0 ? n_wanted : share;
    isg_set_own_threads(n_taken);
    if (isg_threads() > 1)
        atomic_store(&has_threads, true);
}

void core_want_threads(size_t threads) {
    n_wanted = threads;
}

bool core_enter(core_call *call, PyObject *progress) {
    static bool has_handler;
    if (!has_handler)
        has_handler = pthread_atfork(NULL, NULL, note_fork) == 0;
    if (atomic_load(&is_orphan)) {
        PyErr_SetString(
            PyExc_RuntimeError,
            "this process was forked after isinglass had started its threads, which a fork does "
            "not "
            "copy; use the start method 'spawn' or 'forkserver', or joblib's default, loky");
        return false;
    }
    if (has_to_end()) {
        PyErr_SetNone(PyExc_SystemExit);
        return false;
    }
    if (progress && progress != Py_None && !PyCallable_Check(progress)) {
        PyErr_SetString(PyExc_TypeError, "progress: expected a callable or None");
        return false;
    }
    *call = (core_call){.callable = progress && progress != Py_None ? progress : NULL,
                        .looked_s = now_s(),
                        .outer_threads = n_taken};
    call->progress = (isg_progress){core_report, call};
    n_under_way++;
    take_threads();
    call->thread = PyEval_SaveThread();
    return true;
}

bool core_leave(core_call *call, isg_status status) {
    PyEval_RestoreThread(call->thread);
    n_under_way -= n_under_way > 0; /* it starts anew after a fork */
    n_taken = call->outer_threads;  /* a callable may make calls of its own */
    isg_set_own_threads(n_taken);
    /* The work is done, but whoever pressed Ctrl-C expects to hear of it. The library does not look at the answer to
       its last report, so that an exception may also have come from there. */
    if (status == ISG_OK && (PyErr_Occurred() || PyErr_CheckSignals() < 0))
        return false;
    if (status == ISG_ERR_CANCELLED && has_to_end() && !PyErr_Occurred())
        PyErr_SetNone(PyExc_SystemExit); /* of which threading says nothing */
    else if (status != ISG_OK)
        core_raise(status);
    return status == ISG_OK;
}

/* Before the end: calls of other threads are stopped, and get a moment to leave. */
static PyObject *close_calls(PyObject *self, PyObject *none) {
    const double patience_s = 2, start_s = now_s();
    (void)self, (void)none;
    closer = pthread_self();
    atomic_store(&is_closing, true);
    while (n_under_way > 0 && now_s() - start_s < patience_s) {
        PyThreadState *thread = PyEval_SaveThread();
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        PyEval_RestoreThread(thread);
    }
    Py_RETURN_NONE;
}

bool core_add_calls(PyObject *module) {
    static PyMethodDef definition = {"close_calls", close_calls, METH_NOARGS, NULL};
    (void)module;
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) !=
        0) /* others end without the process */
        return true;
    PyObject *function = PyCFunction_New(&definition, NULL),
             *atexit = PyImport_ImportModule("atexit");
    PyObject *done =
        function && atexit ? PyObject_CallMethod(atexit, "register", "O", function) : NULL;
    Py_XDECREF(function);
    Py_XDECREF(atexit);
    Py_XDECREF(done);
    return done != NULL;
}
