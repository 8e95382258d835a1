/* isinglass.h - Hopfield networks and restricted Boltzmann machines as two views of one object
 *
 * SPDX-License-Identifier: MIT
 *
 * The whole public interface, in the order a user meets it. Every function that can fail returns
 * an isg_status and leaves one full sentence in isg_error_message(); outputs are written only on
 * success. The library never prints, never exits and never reads the environment.
 */
#ifndef ISINGLASS_H
#define ISINGLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISG_VERSION_MAJOR 0
#define ISG_VERSION_MINOR 1
#define ISG_VERSION_PATCH 0
#define ISG_VERSION       "0.1.0"

#if defined(__GNUC__)
#define ISG_API __attribute__((visibility("default")))
#else
#define ISG_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status and errors ---------------------------------------------------------------- */

typedef enum isg_status {
    ISG_OK = 0,
    ISG_ERR_MEMORY,      /* an allocation failed, or a size does not fit in memory */
    ISG_ERR_ARGUMENT,    /* an argument has no meaning: beta <= 0, an unknown class, ... */
    ISG_ERR_SHAPE,       /* two things that belong together disagree on a size */
    ISG_ERR_IO,          /* a file is missing, unreadable or could not be written */
    ISG_ERR_FORMAT,      /* a file was read, but its content is not what it must be */
    ISG_ERR_VERSION,     /* a file was written by a later version */
    ISG_ERR_DIVERGED,    /* a computation left the finite numbers */
    ISG_ERR_UNSUPPORTED, /* a valid request that this build or machine cannot serve */
    ISG_ERR_CANCELLED    /* the progress callback returned false */
} isg_status;

/* What went wrong in this thread's last failing call, as one sentence without a final point:
   "train.idx: expected 784 columns, found 768". Empty if nothing failed yet. */
ISG_API const char *isg_error_message(void);

/* "0.1.0": the version of the library in use, which may differ from the header's. */
ISG_API const char *isg_version(void);

/* ---- Long work ------------------------------------------------------------------------ */

/* Called now and then with the fraction done, 0 to 1; false cancels (ISG_ERR_CANCELLED).
   Always called from the thread that made the call. */
typedef struct isg_progress {
    bool (*report)(void *user, double fraction);
    void *user;
} isg_progress;

/* ---- The machine ---------------------------------------------------------------------- */

/* Replaces the memory allocator of the library, before any other call. `allocate` returns
   `bytes` bytes aligned to `alignment` (a power of two) or NULL; both may be called by several
   threads at once. NULL restores the default. */
typedef struct isg_allocator {
    void *(*allocate)(void *user, size_t alignment, size_t bytes);
    void (*release)(void *user, void *pointer);
    void *user;
} isg_allocator;

ISG_API void isg_set_allocator(const isg_allocator *allocator);

/* Threads used by parallel loops, at most 1024; 0 means one per core. Never changes results:
   LAPACK, whose last bits would depend on the number, always runs on one. */
ISG_API void isg_set_threads(size_t threads);
ISG_API size_t isg_threads(void);

/* The instruction set of the kernels. NULL or "best" chooses the best this machine runs.
   ISG_ERR_ARGUMENT for an unknown name, ISG_ERR_UNSUPPORTED if this machine cannot run it. */
ISG_API isg_status isg_set_isa(const char *name);
ISG_API const char *isg_isa(void);

/* The name of the i-th instruction set known to this build, best last; NULL past the end. */
ISG_API const char *isg_isa_name(size_t i);

/* The linear algebra library in use, as it describes itself. */
ISG_API const char *isg_blas(void);

#ifdef __cplusplus
}
#endif

#endif
