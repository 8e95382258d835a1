/* zip.c - reading the members of a zip archive
 *
 * SPDX-License-Identifier: MIT
 *
 * The directory decides; local headers must agree with it, so that a program that reads members
 * front to back finds the same archive. Members must not overlap: an archive that names the same
 * bytes many times is the classic zip bomb.
 */
#include "io/zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "io/zip_directory.h"
#include "io/zip_format.h"

typedef struct zip_entry {
    const char *name;
    uint64_t offset;      /* of the local header */
    uint64_t data_offset; /* of the packed bytes */
    uint64_t packed_bytes, bytes;
    uint32_t crc;
    uint16_t flags, method;
} zip_entry;

struct isg_zip {
    isg_file *file;
    isg_file *owned; /* the same file if the archive closes it, else NULL */
    isg_zip_directory directory;
    zip_entry *entries; /* in the order of the directory */
    size_t count;
    char *names;               /* all of them, each with a terminating zero */
    const zip_entry **by_name; /* sorted */
    void *scratch;             /* name and extra field of a local header */
    size_t scratch_bytes;
};

static isg_status damaged(const isg_zip *zip, const char *how) {
    return isg_fail(ISG_ERR_FORMAT, "%s: the zip archive is damaged: %s", isg_file_name(zip->file),
                    how);
}

static isg_status bad_member(const isg_zip *zip, const zip_entry *entry, const char *how) {
    return isg_fail(ISG_ERR_FORMAT, "%s(%s): %s", isg_file_name(zip->file), entry->name, how);
}

const char *isg_zip_name_problem(const char *name, size_t length) {
    if (length == 0)
        return "its name is empty";
    if (length > 65535)
        return "its name is too long";
    if (name[0] == '/')
        return "its name is an absolute path";
    const uint8_t *bytes = (const uint8_t *)name;
    size_t part = 0; /* where the current part of the path begins */
    for (size_t i = 0, step = 1; i <= length; i += step) {
        step = 1;
        if (i == length || bytes[i] == '/') {
            if (i - part == 2 && memcmp(name + part, "..", 2) == 0)
                return "its name has a part \"..\" that leaves the archive";
            part = i + 1;
        } else if (bytes[i] < 0x20 || bytes[i] == 0x7f) {
            return "its name has control characters";
        } else if (bytes[i] == '\\') {
            return "its name has a backslash";
        } else if ((step = isg_utf8_length(name + i, length - i)) == 0) {
            return "its name is not UTF-8";
        }
    }
    return NULL;
}

/* Replaces each field with all bits set by its value in the zip64 extra field, which holds only
   those, in this order. False if a value is missing or the extra field is malformed. */
static bool widen(const uint8_t *extra, size_t length, uint64_t *const fields[], size_t n_fields) {
    const uint8_t *wide = NULL;
    size_t wide_length = 0;
    while (length >= 4) {
        const size_t size = isg_load16(extra + 2);
        if (size > length - 4)
            return false;
        if (isg_load16(extra) == ISG_ZIP64_EXTRA) {
            if (wide)
                return false;
            wide = extra + 4;
            wide_length = size;
        }
        extra += 4 + size;
        length -= 4 + size;
    }
    for (size_t k = 0; k < n_fields; k++) {
        if (*fields[k] != ISG_ZIP_WIDE32)
            continue;
        if (wide_length < 8)
            return false;
        *fields[k] = isg_load64(wide);
        wide += 8;
        wide_length -= 8;
    }
    return true;
}

static isg_status check_entry(const isg_zip *zip, const zip_entry *entry) {
    if (entry->flags & (ISG_ZIP_ENCRYPTED | ISG_ZIP_STRONG | ISG_ZIP_MASKED))
        return bad_member(zip, entry, "is encrypted; unpack it and save it without encryption");
    if (entry->method != ISG_ZIP_STORED && entry->method != ISG_ZIP_DEFLATED)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s(%s): expected a member that is stored or deflated, found compression "
                        "method %u",
                        isg_file_name(zip->file), entry->name, entry->method);
    if (entry->flags & ISG_ZIP_PATCHED)
        return bad_member(zip, entry, "is a patch to another file, not data");
    if (entry->method == ISG_ZIP_STORED && entry->packed_bytes != entry->bytes)
        return bad_member(zip, entry, "is not compressed, but has two different sizes");
    return ISG_OK;
}

/* Reads one central header of at most `left` bytes and advances past it; the name goes to *names,
   which also advances. */
static isg_status read_entry(isg_zip *zip, const uint8_t **at, size_t *left, char **names,
                             zip_entry *entry) {
    const uint8_t *header = *at;
    if (*left < ISG_ZIP_CENTRAL_BYTES || isg_load32(header) != ISG_ZIP_CENTRAL)
        return damaged(zip, "its directory has fewer members than its end record says");
    const size_t name_length = isg_load16(header + 28), extra_length = isg_load16(header + 30);
    const size_t total =
        ISG_ZIP_CENTRAL_BYTES + name_length + extra_length + isg_load16(header + 32);
    if (*left < total)
        return damaged(zip, "a member reaches past the end of its directory");
    const char *name = (const char *)header + ISG_ZIP_CENTRAL_BYTES;
    const char *problem = isg_zip_name_problem(name, name_length);
    if (problem)
        return isg_fail(ISG_ERR_FORMAT, "%s: member %zu of the zip archive is refused: %s",
                        isg_file_name(zip->file), (size_t)(entry - zip->entries) + 1, problem);
    entry->name = memcpy(*names, name, name_length);
    *names += name_length + 1;
    entry->flags = isg_load16(header + 8);
    entry->method = isg_load16(header + 10);
    entry->crc = isg_load32(header + 16);
    entry->packed_bytes = isg_load32(header + 20);
    entry->bytes = isg_load32(header + 24);
    entry->offset = isg_load32(header + 42);
    uint64_t *const fields[] = {&entry->bytes, &entry->packed_bytes, &entry->offset};
    if (!widen(header + ISG_ZIP_CENTRAL_BYTES + name_length, extra_length, fields, 3))
        return bad_member(zip, entry, "has a damaged extra field in the zip directory");
    const uint32_t disk = isg_load16(header + 34);
    if (disk != 0 && disk != ISG_ZIP_WIDE16)
        return bad_member(zip, entry, "is in another part of a split zip archive");
    *at += total;
    *left -= total;
    return check_entry(zip, entry);
}

/* Checks the local header against the directory and finds the data after it. */
static isg_status check_local(isg_zip *zip, zip_entry *entry) {
    const uint64_t end = zip->directory.offset;
    uint8_t header[ISG_ZIP_LOCAL_BYTES];
    if (entry->offset > end || end - entry->offset < ISG_ZIP_LOCAL_BYTES)
        return bad_member(zip, entry, "begins outside the zip archive");
    ISG_TRY(isg_file_read_at(zip->file, entry->offset, header, sizeof header));
    if (isg_load32(header) != ISG_ZIP_LOCAL)
        return bad_member(zip, entry, "has no local header where the zip directory says");
    const size_t name_length = isg_load16(header + 26), extra_length = isg_load16(header + 28);
    entry->data_offset = entry->offset + ISG_ZIP_LOCAL_BYTES + name_length + extra_length;
    if (entry->data_offset > end || entry->packed_bytes > end - entry->data_offset)
        return bad_member(zip, entry, "reaches into the zip directory");
    ISG_TRY(isg_grow(&zip->scratch, &zip->scratch_bytes, name_length + extra_length, 1));
    const uint8_t *scratch = zip->scratch;
    ISG_TRY(isg_file_read_at(zip->file, entry->offset + ISG_ZIP_LOCAL_BYTES, zip->scratch,
                             name_length + extra_length));
    if (name_length != strlen(entry->name) || memcmp(scratch, entry->name, name_length) != 0)
        return bad_member(zip, entry, "has another name in its local header");
    const uint16_t checked_flags = ISG_ZIP_ENCRYPTED | ISG_ZIP_DESCRIPTOR;
    uint64_t packed_bytes = isg_load32(header + 18), bytes = isg_load32(header + 22);
    uint64_t *const fields[] = {&bytes, &packed_bytes};
    bool agrees = ((isg_load16(header + 6) ^ entry->flags) & checked_flags) == 0 &&
                  isg_load16(header + 8) == entry->method;
    if (!(entry->flags & ISG_ZIP_DESCRIPTOR))
        agrees = agrees && widen(scratch + name_length, extra_length, fields, 2) &&
                 isg_load32(header + 14) == entry->crc && bytes == entry->bytes &&
                 packed_bytes == entry->packed_bytes;
    if (!agrees)
        return bad_member(zip, entry, "has a local header that contradicts the zip directory");
    return ISG_OK;
}

static int compare_offsets(const void *a, const void *b) {
    const uint64_t x = (*(const zip_entry *const *)a)->offset;
    const uint64_t y = (*(const zip_entry *const *)b)->offset;
    return (x > y) - (x < y);
}

static int compare_names(const void *a, const void *b) {
    return strcmp((*(const zip_entry *const *)a)->name, (*(const zip_entry *const *)b)->name);
}

static isg_status check_all_apart(isg_zip *zip) {
    const zip_entry **sorted = NULL;
    ISG_TRY(ISG_ALLOCATE(sorted, zip->count));
    zip->by_name = sorted;
    for (size_t k = 0; k < zip->count; k++)
        sorted[k] = &zip->entries[k];
    qsort(sorted, zip->count, sizeof *sorted, compare_offsets);
    for (size_t k = 1; k < zip->count; k++)
        if (sorted[k - 1]->data_offset + sorted[k - 1]->packed_bytes > sorted[k]->offset)
            return isg_fail(ISG_ERR_FORMAT, "%s: the members \"%s\" and \"%s\" overlap",
                            isg_file_name(zip->file), sorted[k - 1]->name, sorted[k]->name);
    qsort(sorted, zip->count, sizeof *sorted, compare_names);
    for (size_t k = 1; k < zip->count; k++)
        if (strcmp(sorted[k - 1]->name, sorted[k]->name) == 0)
            return isg_fail(ISG_ERR_FORMAT, "%s: two members are named \"%s\"",
                            isg_file_name(zip->file), sorted[k]->name);
    return ISG_OK;
}

static isg_status read_directory(isg_zip *zip) {
    isg_status status = ISG_OK;
    uint8_t *directory = NULL;
    size_t left = (size_t)zip->directory.size;
    zip->count = (size_t)zip->directory.count;
    ISG_TRY_GOTO(ISG_ALLOCATE(directory, left));
    ISG_TRY_GOTO(ISG_ALLOCATE(zip->entries, zip->count));
    ISG_TRY_GOTO(ISG_ALLOCATE(zip->names, left));
    ISG_TRY_GOTO(isg_file_read_at(zip->file, zip->directory.offset, directory, left));
    const uint8_t *at = directory;
    char *names = zip->names;
    for (size_t k = 0; k < zip->count; k++) {
        ISG_TRY_GOTO(read_entry(zip, &at, &left, &names, &zip->entries[k]));
        ISG_TRY_GOTO(check_local(zip, &zip->entries[k]));
    }
    if (left > 0)
        ISG_TRY_GOTO(damaged(zip, "its directory has more members than its end record says"));
    ISG_TRY_GOTO(check_all_apart(zip));
done:
    isg_release(directory);
    return status;
}

isg_status isg_zip_open(isg_zip **out, isg_file *file) {
    isg_zip *zip = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(zip, 1));
    zip->file = file;
    ISG_TRY_GOTO(isg_zip_locate(file, &zip->directory));
    ISG_TRY_GOTO(read_directory(zip));
    *out = zip;
    zip = NULL;
done:
    isg_zip_close(zip);
    return status;
}

/* The archive closes the file, at once if this fails. */
static isg_status open_owned(isg_zip **out, isg_file *file) {
    const isg_status status = isg_zip_open(out, file);
    if (status == ISG_OK)
        (*out)->owned = file;
    else
        isg_file_close(file);
    return status;
}

isg_status isg_zip_open_path(isg_zip **out, const char *path) {
    isg_file *file = NULL;
    ISG_TRY(isg_file_open(&file, path));
    return open_owned(out, file);
}

isg_status isg_zip_open_bytes(isg_zip **out, const char *name, const void *bytes, size_t size) {
    isg_file *file = NULL;
    ISG_TRY(isg_file_from_memory(&file, name ? name : "bytes", bytes, size));
    return open_owned(out, file);
}

size_t isg_zip_count(const isg_zip *zip) {
    return zip->count;
}

const char *isg_zip_name(const isg_zip *zip, size_t index) {
    return zip->entries[index].name;
}

const char *isg_zip_file_name(const isg_zip *zip) {
    return isg_file_name(zip->file);
}

bool isg_zip_find(const isg_zip *zip, const char *name, size_t *index) {
    const zip_entry wanted = {.name = name};
    const zip_entry *key = &wanted;
    const zip_entry **found =
        bsearch(&key, zip->by_name, zip->count, sizeof *zip->by_name, compare_names);
    if (!found)
        return false;
    *index = (size_t)(*found - zip->entries);
    return true;
}

/* "file.npz(X.npy)" */
static isg_status name_source(isg_source *source, const isg_zip *zip, const zip_entry *entry) {
    const size_t room = strlen(isg_file_name(zip->file)) + strlen(entry->name) + sizeof "()";
    char *name = NULL;
    ISG_TRY(ISG_ALLOCATE(name, room));
    snprintf(name, room, "%s(%s)", isg_file_name(zip->file), entry->name);
    const isg_status status = isg_source_rename(source, name);
    isg_release(name);
    return status;
}

isg_status isg_zip_member(isg_source **out, isg_zip *zip, size_t index) {
    const zip_entry *entry = &zip->entries[index];
    isg_source *source = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_source_create(&source, zip->file,
                              entry->method == ISG_ZIP_STORED ? ISG_STORED : ISG_DEFLATE,
                              entry->data_offset, entry->packed_bytes));
    ISG_TRY_GOTO(name_source(source, zip, entry));
    if (entry->bytes > isg_source_at_most(source))
        ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT,
                              "%s: %llu bytes that unpack to %llu look like a decompression bomb; "
                              "save it uncompressed if you trust it",
                              isg_source_name(source), (unsigned long long)entry->packed_bytes,
                              (unsigned long long)entry->bytes));
    isg_source_expect(source, entry->bytes, entry->crc);
    *out = source;
    source = NULL;
done:
    isg_source_free(source);
    return status;
}

void isg_zip_close(isg_zip *zip) {
    if (!zip)
        return;
    isg_release(zip->scratch);
    isg_release(zip->by_name);
    isg_release(zip->names);
    isg_release(zip->entries);
    isg_file_close(zip->owned);
    isg_release(zip);
}
