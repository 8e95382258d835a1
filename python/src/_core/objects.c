/* objects.c - one layout for all types, and who may use an object meanwhile
 *
 * SPDX-License-Identifier: MIT
 */
#include "core.h"

static PyTypeObject *types[CORE_N_TYPES];
static void (*releases[CORE_N_TYPES])(void *handle);
static const char *names[CORE_N_TYPES];

static void dealloc(PyObject *self) {
    core_object *object = (core_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    for (int k = 0; k < CORE_N_TYPES; k++)
        if (types[k] == type && object->handle && !object->is_part)
            releases[k](object->handle);
    Py_XDECREF(object->owner);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

bool core_add_type(PyObject *module, core_type which, const char *name, const char *doc,
                   void (*release)(void *handle), PyMethodDef *methods) {
    char full_name[64];
    PyOS_snprintf(full_name, sizeof full_name, "isinglass._core.%s", name);
    PyType_Slot slots[] = {{Py_tp_dealloc, (void *)(uintptr_t)dealloc},
                           {Py_tp_methods, methods},
                           {Py_tp_doc, (void *)(uintptr_t)doc},
                           {0, NULL}};
    PyType_Spec spec = {.name = full_name,
                        .basicsize = sizeof(core_object),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                                 Py_TPFLAGS_IMMUTABLETYPE,
                        .slots = slots};
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    if (!type)
        return false;
    types[which] = (PyTypeObject *)type;
    releases[which] = release;
    names[which] = name;
    return PyModule_AddObjectRef(module, name, type) == 0;
}

PyObject *core_wrap(core_type type, void *handle, PyObject *owner) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(types[type], Py_tp_alloc);
    core_object *object = (core_object *)allocate(types[type], 0);
    if (!object) {
        releases[type](handle);
        return NULL;
    }
    object->handle = handle;
    object->owner = owner ? Py_NewRef(owner) : NULL;
    return (PyObject *)object;
}

PyObject *core_wrap_part(core_type type, void *handle, PyObject *owner) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(types[type], Py_tp_alloc);
    core_object *object = (core_object *)allocate(types[type], 0);
    if (!object)
        return NULL;
    object->handle = handle;
    object->owner = Py_NewRef(owner);
    object->is_part = true;
    return (PyObject *)object;
}

void *core_unwrap(PyObject *object, core_type type, const char *name) {
    if (object && Py_TYPE(object) == types[type])
        return ((core_object *)object)->handle;
    PyErr_Format(PyExc_TypeError, "%s: expected a %s, found %R", name, names[type],
                 object ? (PyObject *)Py_TYPE(object) : Py_None);
    return NULL;
}

void *core_unwrap_optional(PyObject *object, core_type type, const char *name) {
    return !object || object == Py_None ? NULL : core_unwrap(object, type, name);
}

/* ---- who uses it -------------------------------------------------------------------------------- */

static bool is_object(PyObject *object) {
    return object && object != Py_None;
}

/* The object whose counts guard this one. */
static core_object *guard_of(PyObject *object) {
    core_object *self = (core_object *)object;
    while (self->is_part)
        self = (core_object *)self->owner;
    return self;
}

bool core_share(PyObject *object) {
    if (!is_object(object))
        return true;
    core_object *self = guard_of(object);
    if (self->writers > 0) {
        PyErr_Format(PyExc_RuntimeError, "another thread is changing this %R",
                     (PyObject *)Py_TYPE(object));
        return false;
    }
    self->readers++;
    return true;
}

bool core_claim(PyObject *object) {
    core_object *self = (core_object *)object;
    if (self->is_part) {
        PyErr_Format(PyExc_ValueError,
                     "this %R is part of another object, which alone changes it; change a copy",
                     (PyObject *)Py_TYPE(object));
        return false;
    }
    if (self->writers > 0 || self->readers > 0) {
        PyErr_Format(PyExc_RuntimeError, "another thread is using this %R",
                     (PyObject *)Py_TYPE(object));
        return false;
    }
    self->writers++;
    return true;
}

void core_unshare(PyObject *object) {
    if (is_object(object))
        guard_of(object)->readers--;
}

void core_unclaim(PyObject *object) {
    ((core_object *)object)->writers--;
}
