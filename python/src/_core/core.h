/* core.h - what the files of the extension share
 *
 * SPDX-License-Identifier: MIT
 *
 * The extension hands the library to Python, one heap type per handle, and knows nothing else: no NumPy (arrays
 * come and go by the buffer protocol), no defaults (those are the library's), no conversion that could be
 * written in Python. It keeps to the limited API of Python 3.11, so that one build serves every later version.
 *
 * A method that takes long reads like this:
 *
 *     core_call call;
 *     if (!core_share(self) || !core_enter(&call, progress))
 *         ...
 *     status = isg_rbm_log_z(rbm, &options, &out, core_progress(&call));
 *     if (!core_leave(&call, status))
 *         ...                                              the exception is set
 */
#ifndef ISINGLASS_CORE_H
#define ISINGLASS_CORE_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <isinglass.h>

/* ---- objects: a handle of the library each ------------------------------------------------------ */

typedef enum core_type {
    CORE_ENCODING,
    CORE_DATASET,
    CORE_PATTERNS,
    CORE_HOPFIELD,
    CORE_RBM,
    CORE_CHAINS,
    CORE_JUMPS,
    CORE_TEMPERING,
    CORE_RUN,
    CORE_RECALL,
    CORE_UNMAPPING,
    CORE_STATES,
    CORE_EXPERTS,
    CORE_CLASSIFIER,
    CORE_TUNER,
    CORE_DEEP,
    CORE_VIEW,
    CORE_N_TYPES
} core_type;

/* Every object has this layout. Work that lets go of the interpreter lock is counted, so that a second thread
   gets an error instead of a data race; the counts are changed only with the lock held. */
typedef struct core_object {
    PyObject_HEAD void *handle; /* of the library; NULL only while it is being made */
    PyObject *owner;            /* what the handle borrows from, or NULL */
    int readers;                /* calls under way that read it */
    int writers;                /* that change it: at most 1 */
    bool is_part;               /* of the owner, which frees the handle and whose counts guard it */
} core_object;

/* A new object that owns `handle`, and frees it if that fails. `owner` may be NULL. */
PyObject *core_wrap(core_type type, void *handle, PyObject *owner);

/* A new object for a part of `owner`, such as the RBM of a run, which the owner will free. */
PyObject *core_wrap_part(core_type type, void *handle, PyObject *owner);

/* The handle of an argument of this type; else NULL with a TypeError that names it. */
void *core_unwrap(PyObject *object, core_type type, const char *name);

/* The same, where None gives NULL without an error: check PyErr_Occurred(). */
void *core_unwrap_optional(PyObject *object, core_type type, const char *name);

/* For a long call that reads or changes an object. RuntimeError if another call is in its way. */
bool core_share(PyObject *object);
bool core_claim(PyObject *object);
void core_unshare(PyObject *object); /* NULL and None are fine, here and in core_share() */
void core_unclaim(PyObject *object);

/* A type of the table below: its name, its free function and its methods. */
bool core_add_type(PyObject *module, core_type which, const char *name, const char *doc,
                   void (*release)(void *handle), PyMethodDef *methods);

/* One for each file with a type. */
bool core_add_encoding(PyObject *module);
bool core_add_dataset(PyObject *module);
bool core_add_patterns(PyObject *module);
bool core_add_hopfield(PyObject *module);
bool core_add_rbm(PyObject *module);
bool core_add_chains(PyObject *module);
bool core_add_moves(PyObject *module);
bool core_add_run(PyObject *module);
bool core_add_recall(PyObject *module);
bool core_add_unmapping(PyObject *module);
bool core_add_states(PyObject *module);
bool core_add_experts(PyObject *module);
bool core_add_tuner(PyObject *module);
bool core_add_classifier(PyObject *module);
bool core_add_deep_model(PyObject *module);
bool core_add_theory(PyObject *module);
bool core_add_view(PyObject *module);
bool core_add_errors(PyObject *module);
bool core_add_calls(PyObject *module);

#define CORE_METHOD(name, function, doc)                                                           \
    { name, (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS, doc }
#define CORE_STATIC(name, function, doc)                                                           \
    {                                                                                              \
        name, (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS | METH_STATIC, \
            doc                                                                                    \
    }
#define CORE_NO_ARGUMENTS(name, function, doc)                                                     \
    { name, (PyCFunction)(void (*)(void))(function), METH_NOARGS, doc }

/* ---- errors ------------------------------------------------------------------------------------- */

/* Raises the exception that belongs to a status, with the library's sentence. Returns NULL. */
PyObject *core_raise(isg_status status);

/* None, or NULL with the exception set unless the status is ISG_OK. */
PyObject *core_none(isg_status status);

/* ---- long work ---------------------------------------------------------------------------------- */

typedef struct core_call {
    isg_progress progress;
    PyObject *callable;    /* the user's progress; NULL for none */
    PyThreadState *thread; /* while the lock is not held */
    double looked_s;       /* when signals were last looked at */
    size_t outer_threads;  /* of the call whose progress made this one; 0 if there is none */
    bool is_stopped;       /* by a signal, an exception or the answer of the callable */
} core_call;

/* Lets go of the interpreter lock. From then on until core_leave() nothing of Python may be used. `progress` is a
   callable that takes the fraction done, or None; if it returns False, also NumPy's, the work is cancelled. false with
   an exception if the process was forked after the library had started its threads. */
bool core_enter(core_call *call, PyObject *progress);

/* Takes the lock again; false with an exception set unless the status is ISG_OK. */
bool core_leave(core_call *call, isg_status status);

/* Looks at signals about 20 times a second, which makes it cheap enough for any loop; calls the callable then.
   false means: stop, and stays. For loops of our own, and as the isg_progress of the library's. */
bool core_report(void *call, double fraction);
static inline const isg_progress *core_progress(core_call *call) {
    return &call->progress;
}

/* The number of threads of calls from this thread; 0: a share of all cores among the calls under way. */
void core_want_threads(size_t threads);

/* ---- arrays ------------------------------------------------------------------------------------- */

/* An array of the caller by the buffer protocol. Release it with core_array_release(); a zeroed one is fine. */
typedef struct core_array {
    Py_buffer view;
    isg_number type;
    size_t rows, cols; /* 1 column if it has one dimension */
    bool is_held;
} core_array;

typedef enum core_access { CORE_READ, CORE_WRITE } core_access;

/* A C-contiguous, aligned array of this type and number of dimensions, 1 or 2. ValueError or TypeError naming the
   argument. */
bool core_array_get(core_array *out, PyObject *object, const char *name, isg_number type,
                    int n_dims, core_access access);

/* The same of any numeric type, any strides and one to three dimensions, for reading. */
bool core_array_any(core_array *out, PyObject *object, const char *name);

/* ValueError naming the argument unless it has this shape (cols 1 for one dimension). */
bool core_array_check(const core_array *array, const char *name, size_t rows, size_t cols);
void core_array_release(core_array *array);

static inline isg_matd core_matd(const core_array *array) {
    return (isg_matd){array->view.buf, array->rows, array->cols, array->cols};
}

/* A buffer over memory that `owner` keeps alive, for zero-copy arrays: numpy.asarray(view). `stride` is in elements;
   cols 0 means one dimension. Doubles ('d'), writable unless `is_readonly`. */
PyObject *core_view_new(PyObject *owner, const double *data, size_t rows, size_t cols,
                        size_t stride, bool is_readonly);

/* Spins of one row as +1 and -1, n of them, and back. */
void core_unpack(const uint64_t *row, size_t n, int8_t *spins);
void core_pack(const int8_t *spins, size_t n, uint64_t *row);

/* ---- structs of the library as dictionaries ------------------------------------------------------- */

typedef enum core_kind {
    CORE_BOOL,   /* bool */
    CORE_SIZE,   /* size_t; SIZE_MAX is None on the way out */
    CORE_UINT64, /* uint64_t */
    CORE_UINT32, /* uint32_t */
    CORE_DOUBLE, /* double */
    CORE_TEXT,   /* const char *; None is NULL. On the way in it is borrowed from the dictionary */
    CORE_CHARS,  /* char[]: only on the way out */
    CORE_CHOICE  /* an enum from 0 on, by the names in `choices`; NULL-terminated */
} core_kind;

/* One member of a struct. A table of these ends with an entry without a name. */
typedef struct core_field {
    const char *name;
    core_kind kind;
    size_t offset;
    const char *const *choices;
} core_field;

#define CORE_FIELD(type, member, kind)                                                             \
    { #member, kind, offsetof(type, member), NULL }
#define CORE_NAMED(name, type, member, kind)                                                       \
    { name, kind, offsetof(type, member), NULL }
#define CORE_ENUM(name, type, member, choices)                                                     \
    { name, CORE_CHOICE, offsetof(type, member), choices }

/* Sets the members that a dictionary names (None: an empty one; other keys must be members): TypeError for an
   unknown key, TypeError or ValueError, naming the key, for a value that does not fit. */
bool core_read(void *record, const core_field *fields, PyObject *dictionary);

/* A copy of such a dictionary, which nobody else can change while the texts are in use: a new reference, or NULL with
   an exception. What is not a dictionary comes back as it is, None for NULL. */
PyObject *core_own(PyObject *dictionary);

PyObject *core_write(const void *record, const core_field *fields); /* a new dictionary */

/* What isg_mapping_report says. */
extern const core_field core_mapping_fields[];

/* One value of a choice by its text; false with a ValueError that lists the choices. */
bool core_choose(PyObject *text, const char *name, const char *const *choices, int *out);

/* ---- small things ------------------------------------------------------------------------------- */

/* A text of the library: None for NULL. Bytes that are not UTF-8 become surrogates. */
PyObject *core_text(const char *text);

/* Takes over bytes that the library handed out. */
PyObject *core_bytes(void *bytes, size_t size);

/* An argument that is a path (str, bytes or os.PathLike) as os.fsencode() gives it: a new reference to bytes. */
PyObject *core_path(PyObject *path, const char *name, const char **out);

/* A sequence of str (or None for NULL) as C texts, which belong to *keep, a new reference: free the array with
   PyMem_Free() and release *keep. count is the length expected. None gives NULL without error. */
bool core_texts(const char ***out, PyObject **keep, PyObject *sequence, const char *name,
                size_t count);

/* names of enums, as the command line has them; shared by several types */
extern const char *const core_rules[],
    *const core_dynamics[],
        *const core_decompositions[],
            *const core_starts[], *const core_estimators[],
                                      *const core_constraints[],
                                          *const core_missing[], *const core_features[],
                                                                     *const core_log_z_methods[],
                                                                         *const core_sides[],
                                                                             *const core_readouts[];

#endif
