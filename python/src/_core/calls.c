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

/* OpenMP's threads do not survive a fork, and the child would wait for them forever. */
static atomic_bool has_threads, is_orphan;

static void note_fork(void) {
    if (atomic_load(&has_threads))
        atomic_store(&is_orphan, true);
}

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* With the lock held. */
static bool look(core_call *call, double fraction) {
    if (PyErr_CheckSignals() < 0)
        return false;
    if (!call->callable)
        return true;
    PyObject *answer = PyObject_CallFunction(call->callable, "d", fraction);
    const bool goes_on = answer && answer != Py_False;
    Py_XDECREF(answer);
    return goes_on;
}

bool core_report(void *user, double fraction) {
    core_call *call = user;
    const double now = now_s();
    if (now - call->looked_s < interval_s && fraction < 1)
        return true;
    PyEval_RestoreThread(call->thread);
    const bool goes_on = look(call, fraction);
    call->thread = PyEval_SaveThread();
    call->looked_s = now_s();
    return goes_on;
}

static void take_threads(void) {
    const size_t all = isg_threads();
    const size_t share = all / n_under_way > 1 ? all / n_under_way : 1;
    isg_set_own_threads(n_wanted > 0 ? n_wanted : share);
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
    if (progress && progress != Py_None && !PyCallable_Check(progress)) {
        PyErr_SetString(PyExc_TypeError, "progress: expected a callable or None");
        return false;
    }
    *call = (core_call){.callable = progress && progress != Py_None ? progress : NULL,
                        .looked_s = now_s()};
    call->progress = (isg_progress){core_report, call};
    n_under_way++;
    take_threads();
    call->thread = PyEval_SaveThread();
    return true;
}

bool core_leave(core_call *call, isg_status status) {
    PyEval_RestoreThread(call->thread);
    n_under_way--;
    isg_set_own_threads(0);
    /* The work is done, but whoever pressed Ctrl-C expects to hear of it. The library does not look at the answer to
       its last report, so that an exception may also have come from there. */
    if (status == ISG_OK && (PyErr_Occurred() || PyErr_CheckSignals() < 0))
        return false;
    if (status != ISG_OK)
        core_raise(status);
    return status == ISG_OK;
}
