/* verified_file.c - files whose content is known by its SHA-256
 *
 * SPDX-License-Identifier: MIT
 */
#include "io/verified_file.h"

#include <string.h>

#include "base/atomic_file.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/source.h"

enum { BUFFER_BYTES = ISG_BUFFER_BYTES };

isg_status isg_compare_sha256(const char *name, const char *found, const char *expected) {
    if (strcmp(found, expected) != 0)
        return isg_fail(ISG_ERR_FORMAT, "%s: the file is damaged: expected SHA-256 %s, found %s",
                        name, expected, found);
    return ISG_OK;
}

/* Hashes the unpacked content of a file, and writes it to `copy` unless that is NULL. */
static isg_status hash_content(const char *path, isg_atomic_file *copy, char hex[ISG_SHA256_HEX],
                               const isg_progress *progress) {
    isg_status status = ISG_OK;
    isg_file *file = NULL;
    isg_source *source = NULL;
    uint8_t *buffer = NULL;
    isg_sha256 hash;
    const size_t length = strlen(path);
    const bool is_packed = length > 3 && isg_same_letters(path + length - 3, ".gz", 3);
    isg_sha256_start(&hash);
    ISG_TRY(isg_file_open(&file, path));
    ISG_TRY_GOTO(
        isg_source_create(&source, file, is_packed ? ISG_GZIP : ISG_PLAIN, 0, isg_file_size(file)));
    isg_source_observe(source, &hash);
    ISG_TRY_GOTO(ISG_ALLOCATE(buffer, BUFFER_BYTES));
    for (size_t got = BUFFER_BYTES; got == BUFFER_BYTES;) {
        ISG_TRY_GOTO(isg_source_read_some(source, buffer, BUFFER_BYTES, &got));
        if (copy)
            ISG_TRY_GOTO(isg_atomic_file_write(copy, buffer, got));
        if (progress && !progress->report(progress->user, isg_source_fraction(source)))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_CANCELLED, "%s: reading was cancelled", path));
    }
    isg_sha256_finish(&hash, hex);
done:
    isg_release(buffer);
    isg_source_free(source);
    isg_file_close(file);
    return status;
}

isg_status isg_file_check(const char *path, const char *sha256, const isg_progress *progress) {
    char found[ISG_SHA256_HEX];
    ISG_TRY(hash_content(path, NULL, found, progress));
    return isg_compare_sha256(path, found, sha256);
}

isg_status isg_file_install(const char *from, const char *to, const char *sha256,
                            const isg_progress *progress) {
    char found[ISG_SHA256_HEX];
    isg_atomic_file *copy = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_atomic_file_create(&copy, to));
    ISG_TRY_GOTO(hash_content(from, copy, found, progress));
    ISG_TRY_GOTO(isg_compare_sha256(from, found, sha256));
    ISG_TRY_GOTO(isg_atomic_file_commit(copy));
done:
    isg_atomic_file_free(copy);
    return status;
}
