/* zip_writer.c - writing zip archives
 *
 * SPDX-License-Identifier: MIT
 *
 * A member is complete when it is added, so its local header is final when written and the file
 * grows front to back. Values too large for their field go to zip64 records; everything else is zip
 * as of 1993.
 */
#define ZLIB_CONST /* makes zlib take its input as const */
#include "io/zip_writer.h"

#include <string.h>
#include <zlib.h>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "io/zip.h"
#include "io/zip_format.h"

/* MOST_EXPANSION stays well below what isg_source refuses. */
enum { MOST_EXPANSION = 100, PIECE = 1 << 30, DATE_1980_01_01 = 1 << 5 | 1, MOST_EXTRA = 28 };

typedef struct member {
    char *name;
    uint64_t offset, packed_bytes, bytes;
    uint32_t crc;
    uint16_t method;
} member;

struct isg_zip_writer {
    isg_atomic_file *file; /* NULL if the archive is made in memory */
    uint8_t *bytes;        /* (size), of room for `room` */
    size_t size, room;
    uint64_t limit; /* values from this one on are wide */
    member *members;
    size_t count, capacity;
};

isg_status isg_zip_writer_create(isg_zip_writer **out, const char *path) {
    isg_zip_writer *writer = NULL;
    ISG_TRY(ISG_ALLOCATE(writer, 1));
    writer->limit = ISG_ZIP_WIDE32;
    const isg_status status = path ? isg_atomic_file_create(&writer->file, path) : ISG_OK;
    if (status != ISG_OK) {
        isg_zip_writer_free(writer);
        return status;
    }
    *out = writer;
    return ISG_OK;
}

static isg_status put(isg_zip_writer *writer, const void *bytes, size_t count) {
    if (writer->file)
        return isg_atomic_file_write(writer->file, bytes, count);
    void *grown = writer->bytes;
    ISG_TRY(isg_grow(&grown, &writer->room, writer->size + count, 1));
    writer->bytes = grown;
    if (count > 0)
        memcpy(writer->bytes + writer->size, bytes, count);
    writer->size += count;
    return ISG_OK;
}

static uint64_t size_so_far(const isg_zip_writer *writer) {
    return writer->file ? isg_atomic_file_size(writer->file) : writer->size;
}

void isg_zip_writer_widen_from(isg_zip_writer *writer, uint64_t limit) {
    writer->limit = limit < ISG_ZIP_WIDE32 ? limit : ISG_ZIP_WIDE32;
}

/* The content of a value's 32-bit field. */
static uint64_t narrow(const isg_zip_writer *writer, uint64_t value) {
    return value < writer->limit ? value : ISG_ZIP_WIDE32;
}

/* The zip64 extra field for the wide values among these; returns its length. */
static size_t make_extra(const isg_zip_writer *writer, const uint64_t *values, size_t n_values,
                         bool are_all_wide, uint8_t out[MOST_EXTRA]) {
    size_t length = 4;
    for (size_t k = 0; k < n_values; k++)
        if (are_all_wide || values[k] >= writer->limit) {
            isg_store64(out + length, values[k]);
            length += 8;
        }
    isg_store16(out, ISG_ZIP64_EXTRA);
    isg_store16(out + 2, length - 4);
    return length > 4 ? length : 0;
}

/* The 26 bytes that local and central headers share, from "version needed" on. */
static void fill_header(uint8_t *at, const member *m, size_t extra_length) {
    bool is_ascii = true;
    for (const char *c = m->name; *c; c++)
        is_ascii = is_ascii && (unsigned char)*c < 0x80;
    isg_store16(at, extra_length > 0 ? 45 : 20);
    isg_store16(at + 2, is_ascii ? 0 : ISG_ZIP_UTF8);
    isg_store16(at + 4, m->method);
    isg_store16(at + 8, DATE_1980_01_01);
    isg_store32(at + 10, m->crc);
    isg_store16(at + 22, strlen(m->name));
    isg_store16(at + 24, extra_length);
}

static isg_status write_local(isg_zip_writer *writer, const member *m) {
    uint8_t header[ISG_ZIP_LOCAL_BYTES] = {0}, extra[MOST_EXTRA];
    const uint64_t values[] = {m->bytes, m->packed_bytes};
    /* Here, unlike in the directory, both sizes are wide or neither; the packed one is never
       larger. */
    const bool is_wide = m->bytes >= writer->limit;
    const size_t extra_length = is_wide ? make_extra(writer, values, 2, true, extra) : 0;
    isg_store32(header, ISG_ZIP_LOCAL);
    fill_header(header + 4, m, extra_length);
    isg_store32(header + 18, is_wide ? ISG_ZIP_WIDE32 : m->packed_bytes);
    isg_store32(header + 22, is_wide ? ISG_ZIP_WIDE32 : m->bytes);
    ISG_TRY(put(writer, header, sizeof header));
    ISG_TRY(put(writer, m->name, strlen(m->name)));
    return put(writer, extra, extra_length);
}

static isg_status write_central(isg_zip_writer *writer, const member *m) {
    uint8_t header[ISG_ZIP_CENTRAL_BYTES] = {0}, extra[MOST_EXTRA];
    const uint64_t values[] = {m->bytes, m->packed_bytes, m->offset};
    const size_t extra_length = make_extra(writer, values, 3, false, extra);
    isg_store32(header, ISG_ZIP_CENTRAL);
    isg_store16(header + 4, extra_length > 0 ? 45 : 20);
    fill_header(header + 6, m, extra_length);
    isg_store32(header + 20, narrow(writer, m->packed_bytes));
    isg_store32(header + 24, narrow(writer, m->bytes));
    isg_store32(header + 42, narrow(writer, m->offset));
    ISG_TRY(put(writer, header, sizeof header));
    ISG_TRY(put(writer, m->name, strlen(m->name)));
    return put(writer, extra, extra_length);
}

/* Deflates all parts into `packed`; *length is 0 if they do not fit in `room` bytes. */
static isg_status deflate_into(const isg_zip_part *parts, size_t n_parts, uint8_t *packed,
                               size_t room, size_t *length) {
    z_stream z = {.zalloc = isg_zlib_allocate, .zfree = isg_zlib_release};
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return isg_fail(ISG_ERR_MEMORY, "out of memory");
    /* zlib counts in 32 bits, so input and output are passed in pieces. */
    size_t part = 0, taken = 0, made = 0;
    int result = Z_OK;
    while (result == Z_OK && made < room) {
        if (z.avail_in == 0 && part < n_parts) {
            const size_t left = parts[part].count - taken;
            const size_t piece = left < PIECE ? left : PIECE;
            z.next_in = (const uint8_t *)parts[part].bytes + taken;
            z.avail_in = (uInt)piece;
            taken += piece;
            if (piece == left) {
                part++;
                taken = 0;
            }
        }
        const size_t free_bytes = room - made < PIECE ? room - made : PIECE;
        z.next_out = packed + made;
        z.avail_out = (uInt)free_bytes;
        result = deflate(&z, part == n_parts ? Z_FINISH : Z_NO_FLUSH);
        made += free_bytes - z.avail_out;
        if (result == Z_BUF_ERROR) /* an empty part: nothing to do yet */
            result = Z_OK;
    }
    *length = result == Z_STREAM_END ? made : 0;
    deflateEnd(&z);
    return ISG_OK;
}

/* Deflates where that pays; *packed is NULL if the parts should be stored. */
static isg_status try_deflate(const isg_zip_part *parts, size_t n_parts, size_t count,
                              uint8_t **packed, size_t *length) {
    /* Output that is not smaller is not worth unpacking, so it needs no room. */
    uint8_t *buffer = NULL;
    ISG_TRY(ISG_ALLOCATE(buffer, count));
    const isg_status status = deflate_into(parts, n_parts, buffer, count, length);
    if (status == ISG_OK && *length > 0 && *length < count && count / *length < MOST_EXPANSION)
        *packed = buffer;
    else
        isg_release(buffer);
    return status;
}

static isg_status check_name(const isg_zip_writer *writer, const char *name) {
    const char *problem = isg_zip_name_problem(name, strlen(name));
    for (size_t k = 0; k < writer->count && !problem; k++)
        if (strcmp(writer->members[k].name, name) == 0)
            problem = "the name already exists";
    return problem
               ? isg_fail(ISG_ERR_ARGUMENT, "the member \"%s\" cannot be added: %s", name, problem)
               : ISG_OK;
}

static isg_status measure(member *m, const isg_zip_part *parts, size_t n_parts) {
    for (size_t k = 0; k < n_parts; k++) {
        if (m->bytes > PTRDIFF_MAX - parts[k].count)
            return isg_fail(ISG_ERR_ARGUMENT, "the member \"%s\" is too large", m->name);
        m->bytes += parts[k].count;
        for (size_t done = 0; done < parts[k].count;) {
            const size_t left = parts[k].count - done, piece = left < PIECE ? left : PIECE;
            m->crc = (uint32_t)crc32(m->crc, (const uint8_t *)parts[k].bytes + done, (uInt)piece);
            done += piece;
        }
    }
    m->packed_bytes = m->bytes;
    return ISG_OK;
}

isg_status isg_zip_writer_add_parts(isg_zip_writer *writer, const char *name,
                                    const isg_zip_part *parts, size_t n_parts, bool is_deflated) {
    member m = {.offset = size_so_far(writer), .method = ISG_ZIP_STORED};
    uint8_t *packed = NULL;
    size_t length = 0;
    isg_status status = ISG_OK;
    ISG_TRY(check_name(writer, name));
    void *members = writer->members;
    ISG_TRY(isg_grow(&members, &writer->capacity, writer->count + 1, sizeof m));
    writer->members = members;
    if (!(m.name = isg_copy_text(name)))
        return ISG_ERR_MEMORY;
    ISG_TRY_GOTO(measure(&m, parts, n_parts));
    if (is_deflated)
        ISG_TRY_GOTO(try_deflate(parts, n_parts, (size_t)m.bytes, &packed, &length));
    if (packed) {
        m.method = ISG_ZIP_DEFLATED;
        m.packed_bytes = length;
    }
    ISG_TRY_GOTO(write_local(writer, &m));
    if (packed)
        ISG_TRY_GOTO(put(writer, packed, length));
    for (size_t k = 0; k < n_parts && !packed; k++)
        ISG_TRY_GOTO(put(writer, parts[k].bytes, parts[k].count));
    writer->members[writer->count++] = m;
    m.name = NULL;
done:
    isg_release(packed);
    isg_release(m.name);
    return status;
}

isg_status isg_zip_writer_add(isg_zip_writer *writer, const char *name, const void *bytes,
                              size_t count, bool is_deflated) {
    const isg_zip_part part = {bytes, count};
    return isg_zip_writer_add_parts(writer, name, &part, 1, is_deflated);
}

static isg_status write_wide_end(isg_zip_writer *writer, uint64_t offset, uint64_t size) {
    uint8_t end[ISG_ZIP64_END_BYTES] = {0}, locator[ISG_ZIP64_LOCATOR_BYTES] = {0};
    isg_store32(end, ISG_ZIP64_END);
    isg_store64(end + 4, ISG_ZIP64_END_BYTES - 12);
    isg_store16(end + 12, 45);
    isg_store16(end + 14, 45);
    isg_store64(end + 24, writer->count);
    isg_store64(end + 32, writer->count);
    isg_store64(end + 40, size);
    isg_store64(end + 48, offset);
    isg_store32(locator, ISG_ZIP64_LOCATOR);
    isg_store64(locator + 8, offset + size);
    isg_store32(locator + 16, 1);
    ISG_TRY(put(writer, end, sizeof end));
    return put(writer, locator, sizeof locator);
}

isg_status isg_zip_writer_commit(isg_zip_writer *writer) {
    uint8_t end[ISG_ZIP_END_BYTES] = {0};
    const uint64_t offset = size_so_far(writer);
    for (size_t k = 0; k < writer->count; k++)
        ISG_TRY(write_central(writer, &writer->members[k]));
    const uint64_t size = size_so_far(writer) - offset;
    const uint64_t most = writer->limit < ISG_ZIP_WIDE16 ? writer->limit : ISG_ZIP_WIDE16;
    const uint64_t count = writer->count < most ? writer->count : ISG_ZIP_WIDE16;
    if (writer->count >= most || size >= writer->limit || offset >= writer->limit)
        ISG_TRY(write_wide_end(writer, offset, size));
    isg_store32(end, ISG_ZIP_END);
    isg_store16(end + 8, count);
    isg_store16(end + 10, count);
    isg_store32(end + 12, narrow(writer, size));
    isg_store32(end + 16, narrow(writer, offset));
    ISG_TRY(put(writer, end, sizeof end));
    return writer->file ? isg_atomic_file_commit(writer->file) : ISG_OK;
}

void isg_zip_writer_take(isg_zip_writer *writer, void **bytes, size_t *size) {
    *bytes = writer->bytes;
    *size = writer->size;
    writer->bytes = NULL;
}

void isg_zip_writer_free(isg_zip_writer *writer) {
    if (!writer)
        return;
    for (size_t k = 0; k < writer->count; k++)
        isg_release(writer->members[k].name);
    isg_release(writer->members);
    isg_atomic_file_free(writer->file);
    isg_release(writer->bytes);
    isg_release(writer);
}
