/* file.c - the bytes of a regular file, by position
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

struct isg_file {
    char *name;
    uint64_t size;
    int descriptor;       /* -1 when the bytes are in memory */
    const uint8_t *bytes; /* borrowed */
};

static const char *kind_of(mode_t mode) {
    if (S_ISDIR(mode))
        return "a directory";
    if (S_ISFIFO(mode))
        return "a pipe";
    if (S_ISCHR(mode) || S_ISBLK(mode))
        return "a device";
    return "a socket";
}

static isg_status file_create(isg_file **out, const char *name) {
    isg_file *file = NULL;
    ISG_TRY(ISG_ALLOCATE(file, 1));
    file->descriptor = -1;
    file->name = isg_copy_text(name);
    if (!file->name) {
        isg_release(file);
        return ISG_ERR_MEMORY;
    }
    *out = file;
    return ISG_OK;
}

isg_status isg_file_open(isg_file **out, const char *path) {
    isg_file *file = NULL;
    ISG_TRY(file_create(&file, path));
    isg_status status = ISG_OK;
    /* Without O_NONBLOCK, opening a pipe without a writer would block forever. */
    do
        file->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    while (file->descriptor < 0 && errno == EINTR);
    struct stat about;
    if (file->descriptor < 0 || fstat(file->descriptor, &about) != 0)
        status = isg_fail(ISG_ERR_IO, "%s: could not be opened: %s", path, strerror(errno));
    else if (!S_ISREG(about.st_mode))
        status = isg_fail(ISG_ERR_FORMAT, "%s: expected a regular file, found %s", path,
                          kind_of(about.st_mode));
    if (status != ISG_OK) {
        isg_file_close(file);
        return status;
    }
    file->size = (uint64_t)about.st_size;
    *out = file;
    return ISG_OK;
}

isg_status isg_file_from_memory(isg_file **out, const char *name, const void *bytes, size_t size) {
    isg_file *file = NULL;
    ISG_TRY(file_create(&file, name));
    file->bytes = bytes;
    file->size = size;
    *out = file;
    return ISG_OK;
}

const char *isg_file_name(const isg_file *file) {
    return file->name;
}

uint64_t isg_file_size(const isg_file *file) {
    return file->size;
}

static isg_status ended_early(const isg_file *file, uint64_t wanted) {
    return isg_fail(ISG_ERR_FORMAT, "%s: the file ends early: %llu bytes expected, %llu found",
                    file->name, (unsigned long long)wanted, (unsigned long long)file->size);
}

isg_status isg_file_read_at(isg_file *file, uint64_t offset, void *buffer, size_t count) {
    if (offset > file->size || count > file->size - offset)
        return ended_early(file, offset > UINT64_MAX - count ? UINT64_MAX : offset + count);
    if (file->descriptor < 0) {
        if (count > 0)
            memcpy(buffer, file->bytes + offset, count);
        return ISG_OK;
    }
    uint8_t *next = buffer;
    while (count > 0) {
        const ssize_t got = pread(file->descriptor, next, count, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return isg_fail(ISG_ERR_IO, "%s: could not be read: %s", file->name, strerror(errno));
        if (got == 0) /* the file was truncated after we read its size */
            return ended_early(file, file->size);
        next += got;
        count -= (size_t)got;
        offset += (uint64_t)got;
    }
    return ISG_OK;
}

void isg_file_close(isg_file *file) {
    if (!file)
        return;
    if (file->descriptor >= 0)
        close(file->descriptor);
    isg_release(file->name);
    isg_release(file);
}
