/* directory.c - directories, and a lock that lets one process work in one
 *
 * SPDX-License-Identifier: MIT
 *
 * The lock is flock(), not a POSIX record lock: it belongs to the open file, so it also separates
 * two owners within one process, and closing another descriptor cannot drop it. The process ID in
 * the file is for people; nothing depends on it.
 */
#define _DEFAULT_SOURCE
#include "base/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/ranks.h"

struct isg_lock {
    char *path;
    int descriptor;
    bool is_ours; /* whether we may write and remove the file */
};

isg_status isg_directory_create(const char *path, bool *is_new) {
    struct stat about;
    *is_new = false;
    if (isg_rank() > 0)
        return ISG_OK;
    const bool is_made = mkdir(path, 0777) == 0;
    const int reason = errno;
    if (is_made || (reason == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode))) {
        *is_new = is_made;
        return ISG_OK;
    }
    return isg_fail(ISG_ERR_IO, "%s: the directory could not be created: %s", path,
                    strerror(reason));
}

void isg_directory_remove(const char *path) {
    if (isg_rank() == 0)
        (void)rmdir(path);
}

char *isg_join_path(const char *directory, const char *name) {
    const size_t length = strlen(directory), room = length + strlen(name) + 2;
    const char *slash = length > 0 && directory[length - 1] == '/' ? "" : "/";
    char *path = isg_allocate(room, 1);
    if (path)
        snprintf(path, room, "%s%s%s", directory, slash, name);
    return path;
}

bool isg_path_exists(const char *path) {
    struct stat about;
    return lstat(path, &about) == 0;
}

bool isg_is_directory(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

isg_status isg_remove_file(const char *path) {
    if (isg_rank() > 0 || unlink(path) == 0 || errno == ENOENT)
        return ISG_OK;
    return isg_fail(ISG_ERR_IO, "%s: could not be removed: %s", path, strerror(errno));
}

static const char *skip_digits(const char *text) {
    return text + strspn(text, "0123456789");
}

/* "NAME.PROCESS-ATTEMPT.tmp", as atomic_file.c names them. */
static bool is_temporary(const char *entry, const char *name) {
    const size_t length = strlen(name);
    if (strncmp(entry, name, length) != 0 || entry[length] != '.')
        return false;
    const char *process = entry + length + 1, *dash = skip_digits(process);
    if (dash == process || *dash != '-')
        return false;
    const char *end = skip_digits(dash + 1);
    return end > dash + 1 && strcmp(end, ".tmp") == 0;
}

void isg_remove_temporaries(const char *directory, const char *name) {
    DIR *stream = isg_rank() == 0 ? opendir(directory) : NULL;
    if (!stream) /* then they stay, untidy but harmless */
        return;
    for (const struct dirent *entry = readdir(stream); entry; entry = readdir(stream))
        if (is_temporary(entry->d_name, name))
            (void)unlinkat(dirfd(stream), entry->d_name, 0);
    closedir(stream);
}

/* The process ID in the file; 0 if it has none. */
static long read_owner(int descriptor) {
    char text[32] = "";
    if (pread(descriptor, text, sizeof text - 1, 0) <= 0)
        return 0;
    return strtol(text, NULL, 10);
}

/* A file of this name with content from somebody else is locked but not written to. */
static bool write_owner(int descriptor) {
    char text[32];
    struct stat about;
    const int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    const bool is_ours = fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) &&
                         (about.st_size == 0 || read_owner(descriptor) > 0);
    const bool is_written = is_ours && ftruncate(descriptor, 0) == 0 &&
                            pwrite(descriptor, text, (size_t)length, 0) == length;
    (void)is_written; /* a full disk does not weaken the lock */
    return is_ours;
}

static isg_status lock_failed(const char *path, int descriptor, int reason) {
    if (reason != EWOULDBLOCK)
        return isg_fail(ISG_ERR_IO, "%s: could not be locked: %s", path, strerror(reason));
    const long owner = read_owner(descriptor);
    if (owner > 0)
        return isg_fail(ISG_ERR_IO, "%s: process %ld is at work in this directory", path, owner);
    return isg_fail(ISG_ERR_IO, "%s: another process is at work in this directory", path);
}

/* Whether the path still names the open file: its last owner may have removed it after we opened it
   and before we locked it. */
static bool is_named(int descriptor, const char *path) {
    struct stat mine, named;
    return fstat(descriptor, &mine) == 0 && stat(path, &named) == 0 &&
           mine.st_dev == named.st_dev && mine.st_ino == named.st_ino;
}

static isg_status take_lock(int *out, const char *path) {
    for (;;) {
        const int descriptor =
            open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        if (descriptor < 0 && errno == EINTR)
            continue;
        if (descriptor < 0)
            return isg_fail(ISG_ERR_IO, "%s: could not be created: %s", path, strerror(errno));
        const bool is_locked = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
        const int reason = errno;
        if (!is_locked && reason != EINTR) { /* keep the file: it may be somebody's lock */
            const isg_status status = lock_failed(path, descriptor, reason);
            close(descriptor);
            return status;
        }
        if (is_locked && is_named(descriptor, path)) {
            *out = descriptor;
            return ISG_OK;
        }
        close(descriptor);
    }
}

isg_status isg_lock_acquire(isg_lock **out, const char *path) {
    isg_lock *lock = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(lock, 1));
    lock->descriptor = -1;
    lock->path = isg_copy_text(path);
    ISG_TRY_GOTO(lock->path ? ISG_OK : ISG_ERR_MEMORY);
    if (isg_rank() == 0) {
        ISG_TRY_GOTO(take_lock(&lock->descriptor, path));
        lock->is_ours = write_owner(lock->descriptor);
    }
    *out = lock;
    return ISG_OK;
done:
    isg_lock_release(lock);
    return status;
}

void isg_lock_release(isg_lock *lock) {
    if (!lock)
        return;
    if (lock->descriptor >= 0) {
        if (lock->is_ours)
            unlink(lock->path);
        close(lock->descriptor);
    }
    isg_release(lock->path);
    isg_release(lock);
}
