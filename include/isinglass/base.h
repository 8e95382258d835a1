/* isinglass/base.h - status, progress, matrices, and the machine it runs on
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_BASE_H
#define ISINGLASS_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISG_VERSION_MAJOR 0
#define ISG_VERSION_MINOR 2
#define ISG_VERSION_PATCH 0
#define ISG_VERSION       "0.2.0"

#if defined(__GNUC__)
#define ISG_API __attribute__((visibility("default")))
#else
#define ISG_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status and errors ----------------------------------------------------------------------- */

typedef enum isg_status {
    ISG_OK = 0,
    ISG_ERR_MEMORY,      /* an allocation failed, or a size does not fit in memory */
    ISG_ERR_ARGUMENT,    /* an invalid argument: beta <= 0, an unknown class, ... */
    ISG_ERR_SHAPE,       /* sizes of related arguments disagree */
    ISG_ERR_IO,          /* a file is missing, unreadable or could not be written */
    ISG_ERR_FORMAT,      /* a file was read, but its content is invalid */
    ISG_ERR_VERSION,     /* a file was written by a later version */
    ISG_ERR_DIVERGED,    /* a computation overflowed or gave NaN */
    ISG_ERR_UNSUPPORTED, /* a valid request that this build or machine does not support */
    ISG_ERR_CANCELLED,   /* the progress callback returned false */
    ISG_ERR_DEPENDENT    /* patterns, or columns of W, are linearly dependent and must not be */
} isg_status;

/* What went wrong in this thread's last failing call, as one sentence without a trailing period:
   "train.idx: expected 784 columns, found 768". Empty if nothing has failed. */
ISG_API const char *isg_error_message(void);

/* "0.2.0": the version of the library in use, which may differ from the header's. */
ISG_API const char *isg_version(void);

/* ---- Long work ------------------------------------------------------------------------------- */

/* Called from time to time with the fraction done, 0 to 1; return false to cancel
   (ISG_ERR_CANCELLED). Always called from the thread that started the work. */
typedef struct isg_progress {
    bool (*report)(void *user, double fraction);
    void *user;
} isg_progress;

/* ---- Matrices -------------------------------------------------------------------------------- */

/* Row-major, stride in elements, passed by value, never owning. Shapes are written (rows, cols). */
typedef struct isg_matd {
    double *data;
    size_t rows, cols, stride;
} isg_matd;

typedef struct isg_matd_view {
    const double *data;
    size_t rows, cols, stride;
} isg_matd_view;

/* ---- Spins ----------------------------------------------------------------------------------- */

/* Spin i, +1 or -1, of a row of packed spins: bit i % 64 of word i / 64, set for +1. The bits past the
   last spin of a row are clear. */
static inline int isg_spin(const uint64_t *row, size_t i) {
    return (row[i / 64] >> (i % 64)) & 1 ? 1 : -1;
}

/* ---- The machine ----------------------------------------------------------------------------- */

/* Replaces the library's memory allocator; call it before any other function. `allocate` returns
   `bytes` bytes aligned to `alignment` (a power of two) or NULL; several threads may call either at
   once. NULL restores the default. */
typedef struct isg_allocator {
    void *(*allocate)(void *user, size_t alignment, size_t bytes);
    void (*release)(void *user, void *pointer);
    void *user;
} isg_allocator;

ISG_API void isg_set_allocator(const isg_allocator *allocator);

/* Releases bytes that a function of the library, such as isg_rbm_to_bytes(), handed out. NULL is
   fine. */
ISG_API void isg_bytes_free(void *bytes);

/* Threads used by parallel loops, at most 1024; 0 means one per core. Never changes results. */
ISG_API void isg_set_threads(size_t threads);
ISG_API size_t isg_threads(void);

/* The same for work that the calling thread starts, whatever isg_set_threads() says, so that threads
   of a program need not agree; 0 means that they do again. What was made with fewer threads goes on
   with no more than that. */
ISG_API void isg_set_own_threads(size_t threads);

/* The instruction set of the kernels: "ref" and "baseline" everywhere, "avx2" and "avx512" on
   x86-64, "neon" on aarch64. NULL or "best" chooses the best one that this machine can run. Never
   changes results. ISG_ERR_ARGUMENT for an unknown name, ISG_ERR_UNSUPPORTED if this machine cannot
   run it. */
ISG_API isg_status isg_set_isa(const char *name);
ISG_API const char *isg_isa(void);

/* The name of the i-th instruction set known to this build, best last; NULL past the end. */
ISG_API const char *isg_isa_name(size_t i);

/* ---- More than one process -------------------------------------------------------------------- */

/* Processes that do one piece of work together, as MPI starts them (see mpi/ and docs/cluster.md). All
   ranks make the same calls in the same order, with the same arguments. Training and runs,
   isg_rbm_log_z*(), isg_log_likelihood*() and deep states divide their work among the ranks; everything else
   each does for itself. In the end every rank has the same bits, those of a single process. Rank 0
   alone opens and writes run directories, and files at all. A rank that fails or stops by itself must end the
   others, which would wait for it for ever: so progress may cancel on rank 0 only, and the process then
   has to end them. */
typedef struct isg_ranks {
    size_t rank, size;
    /* Rows of `row_bytes` bytes, begin[size] in all: rank r has those from begin[r] to before
       begin[r + 1]; in the end all ranks have all. */
    void (*gather)(void *user, void *rows, size_t row_bytes, const size_t *begin);
    /* Rank 0 has them; in the end all ranks have. */
    void (*broadcast)(void *user, void *bytes, size_t count);
    void *user;
} isg_ranks;

/* The struct is copied; NULL: this process is alone, as at the start. Call it before anything that
   works on ranks is created. ISG_ERR_ARGUMENT if a function is missing or the rank is not below the size. */
ISG_API isg_status isg_set_ranks(const isg_ranks *ranks);

/* ---- Speed ----------------------------------------------------------------------------------- */

/* Peak floating-point operations per second of all threads together, doing nothing but independent
   multiply-adds in the current instruction set, each at its best within about `seconds`: an upper
   limit for any product of matrices. ISG_ERR_ARGUMENT unless `seconds` is positive. */
ISG_API isg_status isg_peak(double seconds, double *out);

#ifdef __cplusplus
}
#endif

#endif
