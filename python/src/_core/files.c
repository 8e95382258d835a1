/* files.c - objects from files and from bytes, and back
 *
 * SPDX-License-Identifier: MIT
 */
#include "files.h"

/* Without the lock, since a disk may be slow. */
PyObject *core_load(const core_files *files, PyObject *path) {
    const char *name = NULL;
    void *made = NULL;
    core_call call;
    PyObject *kept = core_path(path, "path", &name);
    if (!kept || !core_enter(&call, NULL)) {
        Py_XDECREF(kept);
        return NULL;
    }
    const isg_status status = files->load(&made, name);
    const bool is_done = core_leave(&call, status);
    Py_DECREF(kept);
    PyObject *object = status == ISG_OK ? core_wrap(files->type, made, NULL) : NULL;
    if (!is_done) /* interrupted, although it was done */
        Py_CLEAR(object);
    return object;
}

PyObject *core_save(const core_files *files, PyObject *self, PyObject *arguments,
                    PyObject *keywords) {
    static char *names[] = {"path", "seed", "command", NULL};
    PyObject *path = NULL;
    unsigned long long seed = 0;
    const char *command = NULL, *name = NULL;
    core_call call;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|Kz", names, &path, &seed, &command))
        return NULL;
    PyObject *kept = core_path(path, "path", &name);
    if (!kept || !core_share(self)) {
        Py_XDECREF(kept);
        return NULL;
    }
    const bool is_done =
        core_enter(&call, NULL) &&
        core_leave(&call, files->save(((core_object *)self)->handle, name, seed, command));
    core_unshare(self);
    Py_DECREF(kept);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

PyObject *core_checkpoint(PyObject *self, PyObject *path,
                          isg_status (*save)(const void *handle, const char *path)) {
    const char *name = NULL;
    PyObject *kept = core_path(path, "path", &name);
    if (!kept || !core_share(self)) {
        Py_XDECREF(kept);
        return NULL;
    }
    const isg_status status = save(((core_object *)self)->handle, name);
    core_unshare(self);
    Py_DECREF(kept);
    return core_none(status);
}

PyObject *core_from_bytes(const core_files *files, PyObject *bytes) {
    void *made = NULL;
    core_array array;
    if (!core_array_get(&array, bytes, "bytes", ISG_NUMBER_UINT8, 1, CORE_READ))
        return NULL;
    const isg_status status = files->from_bytes(&made, files->name, array.view.buf, array.rows);
    core_array_release(&array);
    return status == ISG_OK ? core_wrap(files->type, made, NULL) : core_raise(status);
}

PyObject *core_to_bytes(const core_files *files, PyObject *self) {
    void *bytes = NULL;
    size_t size = 0;
    if (!core_share(self))
        return NULL;
    const isg_status status = files->to_bytes(((core_object *)self)->handle, &bytes, &size);
    core_unshare(self);
    return status == ISG_OK ? core_bytes(bytes, size) : core_raise(status);
}
