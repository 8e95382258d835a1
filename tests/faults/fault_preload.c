/* fault_preload.c - a system that fails where the test wants it to, to be preloaded
 *
 * SPDX-License-Identifier: MIT
 *
 * Stands between the program and the C library; read from the environment:
 *
 *     FAULT_KIND     ENOSPC, EIO, EINTR: the call fails so; short: only half is written or read;
 *                    kill, kill-after: the process ends before the call, or right after it
 *     FAULT_CALL     at which of the calls that touch files: n, or n+ for this and all later ones
 *     FAULT_MARK     a file that gets the name of the call when the fault happens
 *     FAULT_CLOCK    tick: a millisecond passes at every look, so that nothing that is printed
 *                    depends on the machine; back: a second less; forward: an hour more; jump: now
 *                    this, now that
 *     FAULT_THREADS  how many threads there may be at a time, beside the first
 *
 * Streams of the C library call the system by themselves and are not seen; neither are files of the
 * system, nor programs other than this one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef enum kind { NONE, ERROR, SHORT, KILL_BEFORE, KILL_AFTER } kind;

static struct {
    kind kind;
    int reason; /* errno of an ERROR */
    long call;  /* from 1 */
    bool is_for_ever;
    const char *mark;
} plan;

static atomic_long calls, looks, threads_left = -1;
static bool is_ours[1024]; /* descriptors that stand for files and not for the system's */

__attribute__((constructor)) static void read_plan(void) {
    const char *what = getenv("FAULT_KIND"), *call = getenv("FAULT_CALL");
    const char *threads = getenv("FAULT_THREADS");
    for (int k = 0; k < 3; k++)
        is_ours[k] = k == STDOUT_FILENO;
    if (threads)
        atomic_store(&threads_left, strtol(threads, NULL, 10));
    if (!what || !call || strcmp(program_invocation_short_name, "isinglass") != 0)
        return;
    static const struct {
        const char *name;
        kind kind;
        int reason;
    } table[] = {{"ENOSPC", ERROR, ENOSPC}, {"EIO", ERROR, EIO},
                 {"EINTR", ERROR, EINTR},   {"short", SHORT, 0},
                 {"kill", KILL_BEFORE, 0},  {"kill-after", KILL_AFTER, 0}};
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++)
        if (strcmp(what, table[k].name) == 0) {
            plan.kind = table[k].kind;
            plan.reason = table[k].reason;
        }
    char *end = NULL;
    plan.call = strtol(call, &end, 10);
    plan.is_for_ever = *end == '+';
    plan.mark = getenv("FAULT_MARK");
}

/* ---- when ------------------------------------------------------------------------------------------ */

static void leave_mark(const char *name) {
    if (!plan.mark)
        return;
    const long descriptor =
        syscall(SYS_openat, AT_FDCWD, plan.mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
        syscall(SYS_write, (int)descriptor, name, strlen(name));
        syscall(SYS_close, (int)descriptor);
    }
}

static void end_here(void) {
    syscall(SYS_kill, getpid(), SIGKILL);
}

/* What to do at this call: counts it, and ends the process if that is the plan. `is_transfer` is a
   call that can do half of what it was asked. */
static kind now(const char *name, bool is_transfer) {
    if (plan.kind == NONE || (plan.kind == SHORT && !is_transfer))
        return NONE;
    const long number = atomic_fetch_add(&calls, 1) + 1;
    if (number < plan.call || (number > plan.call && !plan.is_for_ever))
        return NONE;
    leave_mark(name);
    if (plan.kind == KILL_BEFORE)
        end_here();
    if (plan.kind == ERROR)
        errno = plan.reason;
    return plan.kind;
}

static long then(kind todo, long result) {
    if (todo == KILL_AFTER)
        end_here();
    return result;
}

#define REAL(name) (__extension__(__typeof__(&(name))) dlsym(RTLD_NEXT, #name))

static bool is_seen(int descriptor) {
    return descriptor >= 0 && descriptor < 1024 && is_ours[descriptor];
}

/* ---- files ----------------------------------------------------------------------------------------- */

static int open_any(const char *path, int flags, mode_t mode) {
    const bool is_system = strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0 ||
                           strcmp(path, "/dev/null") == 0;
    const kind todo = is_system ? NONE : now("open", false);
    if (todo == ERROR)
        return -1;
    const int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (descriptor >= 0 && descriptor < 1024)
        is_ours[descriptor] = !is_system;
    return (int)then(todo, descriptor);
}

static mode_t mode_of(int flags, va_list arguments) {
    return flags & O_CREAT ? (mode_t)va_arg(arguments, unsigned) : 0;
}

#define DEFINE_OPEN(name)                                                                          \
    int name(const char *path, int flags, ...) {                                                   \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        const mode_t mode = mode_of(flags, arguments);                                             \
        va_end(arguments);                                                                         \
        return open_any(path, flags, mode);                                                        \
    }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

/* Also what -D_FORTIFY_SOURCE makes of an open() without a mode. */
int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags) {
    return open_any(path, flags, 0);
}
int __open64_2(const char *path, int flags);
int __open64_2(const char *path, int flags) {
    return open_any(path, flags, 0);
}

int mkstemp(char *template) {
    const kind todo = now("open", false);
    if (todo == ERROR)
        return -1;
    const int descriptor = REAL(mkstemp)(template);
    if (descriptor >= 0 && descriptor < 1024)
        is_ours[descriptor] = true;
    return (int)then(todo, descriptor);
}

/* A close that fails has closed all the same, as Linux does it. */
int close(int descriptor) {
    const kind todo = is_seen(descriptor) ? now("close", false) : NONE;
    if (is_seen(descriptor))
        is_ours[descriptor] = false;
    const int reason = errno, result = (int)syscall(SYS_close, descriptor);
    if (todo == ERROR) {
        errno = reason;
        return -1;
    }
    return (int)then(todo, result);
}

static size_t part_of(kind todo, size_t count) {
    return todo == SHORT ? (count + 1) / 2 : count;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    const kind todo = is_seen(descriptor) ? now("write", count > 1) : NONE;
    return todo == ERROR ? -1
                         : then(todo, syscall(SYS_write, descriptor, bytes, part_of(todo, count)));
}

static ssize_t write_at(int descriptor, const void *bytes, size_t count, off_t offset) {
    const kind todo = is_seen(descriptor) ? now("write", count > 1) : NONE;
    return todo == ERROR
               ? -1
               : then(todo, syscall(SYS_pwrite64, descriptor, bytes, part_of(todo, count), offset));
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return write_at(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
    return write_at(descriptor, bytes, count, offset);
}

static ssize_t read_at(int descriptor, void *bytes, size_t count, off_t offset) {
    const kind todo = is_seen(descriptor) ? now("read", count > 1) : NONE;
    return todo == ERROR
               ? -1
               : then(todo, syscall(SYS_pread64, descriptor, bytes, part_of(todo, count), offset));
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
    return read_at(descriptor, bytes, count, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off_t offset) {
    return read_at(descriptor, bytes, count, offset);
}

ssize_t __pread_chk(int descriptor, void *bytes, size_t count, off_t offset, size_t room);
ssize_t __pread_chk(int descriptor, void *bytes, size_t count, off_t offset, size_t room) {
    (void)room;
    return read_at(descriptor, bytes, count, offset);
}
ssize_t __pread64_chk(int descriptor, void *bytes, size_t count, off_t offset, size_t room);
ssize_t __pread64_chk(int descriptor, void *bytes, size_t count, off_t offset, size_t room) {
    (void)room;
    return read_at(descriptor, bytes, count, offset);
}

/* Calls that do all or nothing. */
#define DEFINE_WHOLE_IF(is_counted, name, parameters, arguments)                                   \
    int name parameters {                                                                          \
        const kind todo = (is_counted) ? now(#name, false) : NONE;                                 \
        return todo == ERROR ? -1 : (int)then(todo, REAL(name) arguments);                         \
    }
#define DEFINE_WHOLE(name, parameters, arguments) DEFINE_WHOLE_IF(true, name, parameters, arguments)
DEFINE_WHOLE_IF(is_seen(descriptor), fsync, (int descriptor), (descriptor))
DEFINE_WHOLE_IF(is_seen(descriptor), ftruncate, (int descriptor, off_t size), (descriptor, size))
DEFINE_WHOLE_IF(is_seen(descriptor), ftruncate64, (int descriptor, off_t size), (descriptor, size))
DEFINE_WHOLE_IF(is_seen(descriptor), flock, (int descriptor, int operation),
                (descriptor, operation))
DEFINE_WHOLE(rename, (const char *from, const char *to), (from, to))
DEFINE_WHOLE(unlink, (const char *path), (path))
DEFINE_WHOLE(unlinkat, (int directory, const char *path, int flags), (directory, path, flags))
DEFINE_WHOLE(mkdir, (const char *path, mode_t mode), (path, mode))
DEFINE_WHOLE(rmdir, (const char *path), (path))

/* ---- clocks and threads ---------------------------------------------------------------------------- */

/* Far from zero in both directions. */
static long long shifted_ns(const char *how, long long look) {
    const long long second = 1000000000, start = 1000000 * second;
    if (strcmp(how, "tick") == 0)
        return start + look * second / 1000;
    if (strcmp(how, "back") == 0)
        return start - look * second;
    if (strcmp(how, "forward") == 0)
        return start + look * 3600 * second;
    return start + (look % 2 ? 1 : -1) * look * 86400 * second / 1000 + look;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    const char *how = getenv("FAULT_CLOCK");
    if (!how)
        return (int)syscall(SYS_clock_gettime, clock, time);
    const long long ns = shifted_ns(how, atomic_fetch_add(&looks, 1));
    time->tv_sec = (time_t)(ns / 1000000000);
    time->tv_nsec = (long)(ns % 1000000000);
    return 0;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument) {
    if (atomic_load(&threads_left) == 0)
        return EAGAIN;
    if (atomic_load(&threads_left) > 0)
        atomic_fetch_sub(&threads_left, 1);
    return REAL(pthread_create)(thread, attributes, start, argument);
}

int pthread_join(pthread_t thread, void **result) {
    const int code = REAL(pthread_join)(thread, result);
    if (code == 0 && atomic_load(&threads_left) >= 0)
        atomic_fetch_add(&threads_left, 1);
    return code;
}
