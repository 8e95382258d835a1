/* files.h - types that are saved as .npz files, and pickled as the bytes of one
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_FILES_H
#define ISINGLASS_FILES_H

#include "core.h"

/* The library's functions for such a type. */
typedef struct core_files {
    core_type type;
    const char *name; /* begins sentences about bytes */
    isg_status (*load)(void **out, const char *path);
    isg_status (*save)(const void *handle, const char *path, uint64_t seed, const char *command);
    isg_status (*from_bytes)(void **out, const char *name, const void *bytes, size_t size);
    isg_status (*to_bytes)(const void *handle, void **bytes, size_t *size);
} core_files;

PyObject *core_load(const core_files *files, PyObject *path);
PyObject *core_save(const core_files *files, PyObject *self, PyObject *arguments,
                    PyObject *keywords);
PyObject *core_from_bytes(const core_files *files, PyObject *bytes);
PyObject *core_to_bytes(const core_files *files, PyObject *self);

/* For what is in training: writes a file to go on from, while nobody changes it. */
PyObject *core_checkpoint(PyObject *self, PyObject *path,
                          isg_status (*save)(const void *handle, const char *path));

/* The methods load, save, from_bytes and to_bytes of the type isg_NOUN. A pointer to a function is not converted, since
   it could not be called then: that is what the functions in between are for. */
#define CORE_DEFINE_FILES(noun, which)                                                             \
    static isg_status load_handle(void **out, const char *path) {                                  \
        isg_##noun *made = NULL;                                                                   \
        const isg_status status = isg_##noun##_load(&made, path);                                  \
        *out = made;                                                                               \
        return status;                                                                             \
    }                                                                                              \
    static isg_status save_handle(const void *handle, const char *path, uint64_t seed,             \
                                  const char *command) {                                           \
        return isg_##noun##_save(handle, path, seed, command);                                     \
    }                                                                                              \
    static isg_status handle_from_bytes(void **out, const char *name, const void *bytes,           \
                                        size_t size) {                                             \
        isg_##noun *made = NULL;                                                                   \
        const isg_status status = isg_##noun##_from_bytes(&made, name, bytes, size);               \
        *out = made;                                                                               \
        return status;                                                                             \
    }                                                                                              \
    static isg_status handle_to_bytes(const void *handle, void **bytes, size_t *size) {            \
        return isg_##noun##_to_bytes(handle, 0, NULL, bytes, size);                                \
    }                                                                                              \
    static const core_files files = {                                                              \
        which, #noun, load_handle, save_handle, handle_from_bytes, handle_to_bytes};               \
    static PyObject *load(PyObject *none, PyObject *path) {                                        \
        (void)none;                                                                                \
        return core_load(&files, path);                                                            \
    }                                                                                              \
    static PyObject *save(PyObject *self, PyObject *arguments, PyObject *keywords) {               \
        return core_save(&files, self, arguments, keywords);                                       \
    }                                                                                              \
    static PyObject *from_bytes(PyObject *none, PyObject *bytes) {                                 \
        (void)none;                                                                                \
        return core_from_bytes(&files, bytes);                                                     \
    }                                                                                              \
    static PyObject *to_bytes(PyObject *self, PyObject *none) {                                    \
        (void)none;                                                                                \
        return core_to_bytes(&files, self);                                                        \
    }

#define CORE_FILE_METHODS                                                                          \
    {"load", load, METH_O | METH_STATIC, "From a file."},                                          \
        {"from_bytes", from_bytes, METH_O | METH_STATIC, "From the bytes of a file."},             \
        CORE_METHOD("save", save, "Writes a .npz file."),                                          \
        CORE_NO_ARGUMENTS("to_bytes", to_bytes, "The bytes of such a file.")

#endif
