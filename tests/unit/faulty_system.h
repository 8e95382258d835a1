/* faulty_system.h - a system whose calls fail where a test wants them to
 *
 * SPDX-License-Identifier: MIT
 *
 * To be included once in a program, before anything else: these functions take the place of those of
 * libc. While nothing is armed they do what they always do, but that nothing waits for the disk.
 */
#ifndef FAULTY_SYSTEM_H
#define FAULTY_SYSTEM_H

#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* whose inline functions stand where ours are to be */

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "helper_allocation.h"
#include "test.h"

enum { SHORT = -1, NOTHING = -2 }; /* in place of an errno: half of the bytes, none of them */

static struct {
    bool is_armed, is_for_ever;
    int reason;         /* an errno, or one of the above */
    size_t call, calls; /* the fault comes at this one, from 1; how many there were */
    const char *only;   /* calls of this name alone count; NULL: all */
    const char *struck; /* the name of the first that failed */
    int open_files;
} fault;

static bool strikes(const char *name, size_t bytes) {
    const bool is_partial = fault.reason < 0;
    if (!fault.is_armed || (fault.only && strcmp(fault.only, name) != 0) ||
        (is_partial && bytes < 2))
        return false;
    fault.calls++;
    if (fault.calls != fault.call && !(fault.is_for_ever && fault.calls > fault.call))
        return false;
    if (!fault.struck)
        fault.struck = name;
    errno = is_partial ? 0 : fault.reason;
    return true;
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (strikes("open", 0))
        return -1;
    const int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    fault.open_files += fault.is_armed && descriptor >= 0;
    return descriptor;
}

/* As Linux does it, what cannot be closed properly is closed all the same. */
int close(int descriptor) {
    const bool has_failed = strikes("close", 0);
    const int reason = errno;
    const int result = (int)syscall(SYS_close, descriptor);
    fault.open_files -= fault.is_armed && result == 0;
    if (has_failed)
        errno = reason;
    return has_failed ? -1 : result;
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
    if (strikes("pread", count)) {
        if (fault.reason >= 0)
            return -1;
        count = fault.reason == SHORT ? count / 2 : 0;
    }
    return preadv(descriptor, &(struct iovec){bytes, count}, 1, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    if (strikes("pwrite", count)) {
        if (fault.reason >= 0)
            return -1;
        count = fault.reason == SHORT ? count / 2 : 0;
    }
    void *base = NULL; /* of a system call that only reads it */
    memcpy(&base, &bytes, sizeof base);
    return pwritev(descriptor, &(struct iovec){base, count}, 1, offset);
}

int fsync(int descriptor) {
    (void)descriptor;
    return strikes("fsync", 0) ? -1 : 0;
}

int rename(const char *from, const char *to) {
    return strikes("rename", 0) ? -1 : renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int unlink(const char *path) {
    return strikes("unlink", 0) ? -1 : unlinkat(AT_FDCWD, path, 0);
}

int mkdir(const char *path, mode_t mode) {
    return strikes("mkdir", 0) ? -1 : mkdirat(AT_FDCWD, path, mode);
}

int fstat(int descriptor, struct stat *about) {
    return strikes("fstat", 0) ? -1 : fstatat(descriptor, "", about, AT_EMPTY_PATH);
}

int stat(const char *path, struct stat *about) {
    return strikes("stat", 0) ? -1 : fstatat(AT_FDCWD, path, about, 0);
}

int ftruncate(int descriptor, off_t length) {
    return strikes("ftruncate", 0) ? -1 : (int)syscall(SYS_ftruncate, descriptor, length);
}

/* What somebody else does just before a file is locked, once. */
static void (*before_flock)(void);

int flock(int descriptor, int operation) {
    void (*const act)(void) = before_flock;
    before_flock = NULL;
    if (act)
        act();
    return strikes("flock", 0) ? -1 : (int)syscall(SYS_flock, descriptor, operation);
}

/* ---- sweeps ---------------------------------------------------------------------------------------- */

typedef struct sweep {
    isg_status (*work)(void *user); /* arms the fault while it does what may fail */
    void *user;
    int reason;
    bool is_for_ever;
    const char *only; /* as above */
    /* Is this an end that may be? It may look at fault.struck. */
    void (*judge)(void *user, isg_status status);
} sweep;

/* The fault at the first, second, ... call, until it has no more to strike, which must be a success.
   Nothing may stay allocated or open. Returns how many calls there are. */
static inline size_t sweep_calls(sweep s) {
    for (size_t n = 1;; n++) {
        memset(&fault, 0, sizeof fault);
        fault.reason = s.reason;
        fault.is_for_ever = s.is_for_ever;
        fault.only = s.only;
        fault.call = n;
        const isg_status status = run_without_leak(s.work, s.user);
        assert_false(fault.is_armed);
        assert_int_equal(fault.open_files, 0);
        if (!fault.struck) {
            assert_ok(status);
            return n - 1;
        }
        s.judge(s.user, status);
    }
}

#endif
