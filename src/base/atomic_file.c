/* atomic_file.c - files that are either complete or absent
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/ranks.h"

enum { BUFFER_BYTES = 1 << 16 };

struct isg_atomic_file {
    char *path, *temporary;
    int descriptor;  /* -1 once closed */
    bool is_dropped; /* of another rank than 0 */
    bool is_committed;
    uint64_t size;
    size_t buffered;
    uint8_t buffer[BUFFER_BYTES];
};

static isg_status write_failed(const isg_atomic_file *file) {
    return isg_fail(ISG_ERR_IO, "%s: could not be written: %s", file->path, strerror(errno));
}

/* Opens an unused temporary name; unlike mkstemp, with the mode of any other new file. */
static isg_status open_temporary(isg_atomic_file *file, size_t room) {
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        snprintf(file->temporary, room, "%s.%ld-%u.tmp", file->path, (long)getpid(), attempt);
        file->descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file->descriptor >= 0)
            return ISG_OK;
        if (errno != EEXIST && errno != EINTR)
            break;
    }
    file->temporary[0] = '\0';
    return write_failed(file);
}

isg_status isg_atomic_file_create(isg_atomic_file **out, const char *path) {
    isg_atomic_file *file = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(file, 1));
    file->descriptor = -1;
    const size_t room = strlen(path) + sizeof ".18446744073709551615-4294967295.tmp";
    struct stat about;
    file->is_dropped = isg_rank() > 0;
    file->path = isg_copy_text(path);
    file->temporary = isg_allocate(room, 1);
    if (!file->path || !file->temporary)
        status = ISG_ERR_MEMORY;
    else if (file->is_dropped)
        status = ISG_OK;
    else if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        status = isg_fail(ISG_ERR_IO, "%s: already exists and is not a regular file", path);
    else
        status = open_temporary(file, room);
    if (status != ISG_OK) {
        isg_atomic_file_free(file);
        return status;
    }
    *out = file;
    return ISG_OK;
}

static isg_status flush_buffer(isg_atomic_file *file) {
    const uint8_t *bytes = file->buffer;
    size_t count = file->buffered;
    uint64_t offset = file->size - count;
    while (count > 0 && !file->is_dropped) {
        const ssize_t written = pwrite(file->descriptor, bytes, count, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written == 0) /* errno says nothing, and a retry might never end */
            errno = EIO;
        if (written <= 0)
            return write_failed(file);
        bytes += written;
        count -= (size_t)written;
        offset += (uint64_t)written;
    }
    file->buffered = 0;
    return ISG_OK;
}

isg_status isg_atomic_file_write(isg_atomic_file *file, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    while (count > 0) {
        const size_t room = BUFFER_BYTES - file->buffered;
        const size_t part = count < room ? count : room;
        memcpy(file->buffer + file->buffered, next, part);
        file->buffered += part;
        file->size += part;
        next += part;
        count -= part;
        if (file->buffered == BUFFER_BYTES)
            ISG_TRY(flush_buffer(file));
    }
    return ISG_OK;
}

uint64_t isg_atomic_file_size(const isg_atomic_file *file) {
    return file->size;
}

/* On network file systems a signal may interrupt it. */
static int sync_whole(int descriptor) {
    int result;
    do
        result = fsync(descriptor);
    while (result != 0 && errno == EINTR);
    return result;
}

/* After EINTR the descriptor is closed all the same, and the data are already on disk. */
static bool is_closed(int descriptor) {
    return close(descriptor) == 0 || errno == EINTR;
}

/* A rename survives a power loss only once the directory itself is on disk. */
static isg_status sync_directory(isg_atomic_file *file) {
    char *slash = strrchr(file->temporary, '/');
    const char *directory = ".";
    if (slash) {
        slash[slash == file->temporary ? 1 : 0] = '\0';
        directory = file->temporary;
    }
    int descriptor;
    do
        descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) /* a directory that is writable but not readable cannot be synced */
        return errno == EACCES ? ISG_OK : write_failed(file);
    const int result = sync_whole(descriptor);
    const int reason = errno;
    close(descriptor);
    errno = reason;
    /* File systems that cannot sync a directory order the rename themselves. */
    return result == 0 || reason == EINVAL ? ISG_OK : write_failed(file);
}

isg_status isg_atomic_file_commit(isg_atomic_file *file) {
    ISG_TRY(flush_buffer(file));
    if (file->is_dropped)
        return ISG_OK;
    if (sync_whole(file->descriptor) != 0)
        return write_failed(file);
    const int descriptor = file->descriptor;
    file->descriptor = -1;
    if (!is_closed(descriptor) || rename(file->temporary, file->path) != 0)
        return write_failed(file);
    file->is_committed = true;
    return sync_directory(file);
}

void isg_atomic_file_free(isg_atomic_file *file) {
    if (!file)
        return;
    if (file->descriptor >= 0)
        close(file->descriptor);
    if (!file->is_committed && file->temporary && file->temporary[0])
        unlink(file->temporary);
    isg_release(file->path);
    isg_release(file->temporary);
    isg_release(file);
}

isg_status isg_write_file(const char *path, const void *bytes, size_t count) {
    isg_atomic_file *file = NULL;
    ISG_TRY(isg_atomic_file_create(&file, path));
    isg_status status = isg_atomic_file_write(file, bytes, count);
    if (status == ISG_OK)
        status = isg_atomic_file_commit(file);
    isg_atomic_file_free(file);
    return status;
}
