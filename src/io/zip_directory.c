/* zip_directory.c - finding the directory of a zip archive
 *
 * SPDX-License-Identifier: MIT
 *
 * A zip archive is read from its end. Lenient readers can be made to see different archives in the
 * same bytes, so here everything must fit exactly: the end records reach the end of the file, the
 * directory reaches the end records, and only members come before it.
 */
#include "io/zip_directory.h"

#include <string.h>

#include "base/memory.h"
#include "io/zip_format.h"

enum { MOST_COMMENT = 65535, MOST_DIRECTORY = 4 << 20 };

static isg_status damaged(const isg_file *file, const char *how) {
    return isg_fail(ISG_ERR_FORMAT, "%s: the zip archive is damaged: %s", isg_file_name(file), how);
}

static isg_status several_disks(const isg_file *file) {
    return isg_fail(ISG_ERR_FORMAT,
                    "%s: is one part of a zip archive that is split into several; join them first",
                    isg_file_name(file));
}

static isg_status check_beginning(isg_file *file) {
    const char *name = isg_file_name(file);
    uint8_t start[4] = {0};
    if (isg_file_size(file) < ISG_ZIP_END_BYTES)
        return isg_fail(ISG_ERR_FORMAT, "%s: expected a zip archive (.npz), found only %llu bytes",
                        name, (unsigned long long)isg_file_size(file));
    ISG_TRY(isg_file_read_at(file, 0, start, sizeof start));
    if (memcmp(start, "\x93NUM", 4) == 0)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: expected a zip archive (.npz), found a single NumPy array (.npy)",
                        name);
    const uint32_t signature = isg_load32(start);
    if (signature != ISG_ZIP_LOCAL && signature != ISG_ZIP_END && signature != ISG_ZIP64_END)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: expected a zip archive (.npz), but the content does not begin as one "
                        "does",
                        name);
    return ISG_OK;
}

/* The last end record whose comment ends exactly at the end of the file. */
static isg_status find_end(isg_file *file, uint64_t *position, uint8_t end[ISG_ZIP_END_BYTES]) {
    const uint64_t size = isg_file_size(file);
    const size_t most = ISG_ZIP_END_BYTES + MOST_COMMENT;
    const size_t length = size < most ? (size_t)size : most;
    isg_status status = ISG_OK;
    uint8_t *tail = NULL;
    ISG_TRY(ISG_ALLOCATE(tail, length));
    ISG_TRY_GOTO(isg_file_read_at(file, size - length, tail, length));
    for (size_t i = length - ISG_ZIP_END_BYTES + 1; i-- > 0;) {
        const size_t comment = length - ISG_ZIP_END_BYTES - i;
        if (isg_load32(tail + i) == ISG_ZIP_END && isg_load16(tail + i + 20) == comment) {
            *position = size - length + i;
            memcpy(end, tail + i, ISG_ZIP_END_BYTES);
            goto done;
        }
    }
    status = damaged(file, "its end is missing, so it was truncated or something was appended");
done:
    isg_release(tail);
    return status;
}

/* A narrow field either agrees with the wide one or has all bits set. */
static bool agrees(uint64_t narrow, uint64_t wide, uint64_t aside) {
    return narrow == wide || narrow == aside;
}

/* Reads the wide end record, if any, and moves *position to its beginning. */
static isg_status read_wide_end(isg_file *file, const uint8_t *end, uint64_t *position,
                                isg_zip_directory *directory) {
    uint8_t locator[ISG_ZIP64_LOCATOR_BYTES], wide[ISG_ZIP64_END_BYTES];
    if (*position < ISG_ZIP64_LOCATOR_BYTES)
        return ISG_OK;
    const uint64_t locator_position = *position - ISG_ZIP64_LOCATOR_BYTES;
    ISG_TRY(isg_file_read_at(file, locator_position, locator, sizeof locator));
    if (isg_load32(locator) != ISG_ZIP64_LOCATOR)
        return ISG_OK;
    const uint64_t offset = isg_load64(locator + 8);
    if (isg_load32(locator + 4) != 0 || isg_load32(locator + 16) > 1)
        return several_disks(file);
    if (locator_position < ISG_ZIP64_END_BYTES || offset > locator_position - ISG_ZIP64_END_BYTES)
        return damaged(file, "the zip64 end record is missing");
    ISG_TRY(isg_file_read_at(file, offset, wide, sizeof wide));
    /* The size in the record excludes its first twelve bytes. */
    if (isg_load32(wide) != ISG_ZIP64_END || isg_load64(wide + 4) != locator_position - offset - 12)
        return damaged(file, "the zip64 end record is missing");
    if (isg_load32(wide + 16) != 0 || isg_load32(wide + 20) != 0)
        return several_disks(file);
    *directory = (isg_zip_directory){.offset = isg_load64(wide + 48),
                                     .size = isg_load64(wide + 40),
                                     .count = isg_load64(wide + 32)};
    if (isg_load64(wide + 24) != directory->count ||
        !agrees(isg_load16(end + 10), directory->count, ISG_ZIP_WIDE16) ||
        !agrees(isg_load32(end + 12), directory->size, ISG_ZIP_WIDE32) ||
        !agrees(isg_load32(end + 16), directory->offset, ISG_ZIP_WIDE32))
        return damaged(file, "its two end records disagree");
    *position = offset;
    return ISG_OK;
}

isg_status isg_zip_locate(isg_file *file, isg_zip_directory *out) {
    uint8_t end[ISG_ZIP_END_BYTES] = {0};
    uint64_t position = 0;
    ISG_TRY(check_beginning(file));
    ISG_TRY(find_end(file, &position, end));
    isg_zip_directory directory = {.offset = isg_load32(end + 16),
                                   .size = isg_load32(end + 12),
                                   .count = isg_load16(end + 10)};
    const uint64_t end_position = position;
    ISG_TRY(read_wide_end(file, end, &position, &directory));
    const uint32_t aside = position < end_position ? ISG_ZIP_WIDE16 : 0;
    if (!agrees(isg_load16(end + 4), 0, aside) || !agrees(isg_load16(end + 6), 0, aside) ||
        isg_load16(end + 8) != isg_load16(end + 10))
        return several_disks(file);
    if (directory.offset > position || directory.size != position - directory.offset)
        return damaged(file, "its directory is not where the end record says");
    if (directory.size > MOST_DIRECTORY)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: expected a zip directory of at most %d bytes, found %llu",
                        isg_file_name(file), MOST_DIRECTORY, (unsigned long long)directory.size);
    if (directory.count > directory.size / ISG_ZIP_CENTRAL_BYTES)
        return damaged(file, "it has more members than its directory has room for");
    *out = directory;
    return ISG_OK;
}
