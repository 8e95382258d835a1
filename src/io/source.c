/* source.c - bytes in sequence, from a file, a gzip file or a member of a zip archive
 *
 * SPDX-License-Identifier: MIT
 *
 * Unpacking is zlib's inflate. Deflate can expand one byte to a thousand; real data stay far below
 * that, so a source that exceeds MOST_EXPANSION is treated as an attack and refused.
 */
#include "io/source.h"

#include <string.h>
#include <zlib.h>

#include "base/buffer.h"
#include "base/memory.h"

enum { CHUNK = ISG_BUFFER_BYTES, MOST_EXPANSION = 250, FREE_BYTES = 64 * CHUNK };

struct isg_source {
    char *name;
    isg_file *file;
    isg_packing packing;
    uint64_t offset, length, used; /* the packed bytes, and how many were used */
    uint64_t position;             /* unpacked bytes handed out */
    bool is_ended;
    bool has_expectation;
    uint64_t expected_bytes;
    uint32_t expected_crc, crc;
    isg_sha256 *hash;
    z_stream inflater;
    bool has_inflater;
    uint8_t *chunk; /* packed bytes on their way to the inflater */
};

static bool is_compressed(const isg_source *source) {
    return source->packing == ISG_GZIP || source->packing == ISG_DEFLATE;
}

/* The most that this many packed bytes may unpack to. */
static uint64_t expansion_limit(uint64_t packed) {
    const uint64_t most = UINT64_MAX - FREE_BYTES;
    return FREE_BYTES + (packed > most / MOST_EXPANSION ? most : packed * MOST_EXPANSION);
}

static isg_status check_packing(isg_source *source) {
    uint8_t magic[2] = {0, 0};
    if (source->length >= 2)
        ISG_TRY(isg_file_read_at(source->file, source->offset, magic, 2));
    const bool is_gzip = magic[0] == 0x1f && magic[1] == 0x8b;
    if (source->packing == ISG_GZIP && !is_gzip)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: the name says gzip, but the content does not begin as gzip does; "
                        "rename it without .gz if it is not compressed",
                        source->name);
    if (source->packing == ISG_PLAIN && is_gzip)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: the content is gzip, but the name does not end in .gz; "
                        "rename or unpack it",
                        source->name);
    return ISG_OK;
}

static isg_status start_inflater(isg_source *source) {
    ISG_TRY(ISG_ALLOCATE(source->chunk, CHUNK));
    source->inflater.zalloc = isg_zlib_allocate;
    source->inflater.zfree = isg_zlib_release;
    /* 16 + 15: a gzip wrapper; -15: bare deflate, as in zip */
    const int window = source->packing == ISG_GZIP ? 16 + 15 : -15;
    if (inflateInit2(&source->inflater, window) != Z_OK)
        return isg_fail(ISG_ERR_MEMORY, "%s: out of memory", source->name);
    source->has_inflater = true;
    return ISG_OK;
}

isg_status isg_source_create(isg_source **out, isg_file *file, isg_packing packing, uint64_t offset,
                             uint64_t length) {
    isg_source *source = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(source, 1));
    source->file = file;
    source->packing = packing;
    source->offset = offset;
    source->length = length;
    if (!(source->name = isg_copy_text(isg_file_name(file)))) {
        status = ISG_ERR_MEMORY;
        goto done;
    }
    if (packing == ISG_PLAIN || packing == ISG_GZIP)
        ISG_TRY_GOTO(check_packing(source));
    if (is_compressed(source))
        ISG_TRY_GOTO(start_inflater(source));
    *out = source;
    source = NULL;
done:
    isg_source_free(source);
    return status;
}

void isg_source_expect(isg_source *source, uint64_t bytes, uint32_t crc) {
    source->has_expectation = true;
    source->expected_bytes = bytes;
    source->expected_crc = crc;
}

void isg_source_observe(isg_source *source, isg_sha256 *hash) {
    source->hash = hash;
}

const char *isg_source_name(const isg_source *source) {
    return source->name;
}

isg_status isg_source_rename(isg_source *source, const char *name) {
    char *copy = isg_copy_text(name);
    if (!copy)
        return ISG_ERR_MEMORY;
    isg_release(source->name);
    source->name = copy;
    return ISG_OK;
}

static isg_status damaged(const isg_source *source, const char *how) {
    return isg_fail(ISG_ERR_FORMAT, "%s: the %sdata are damaged: %s", source->name,
                    is_compressed(source) ? "compressed " : "", how);
}

/* Call this only if packed bytes are left. */
static isg_status refill_inflater(isg_source *source) {
    z_stream *z = &source->inflater;
    const uint64_t left = source->length - source->used;
    const size_t part = left < CHUNK ? (size_t)left : CHUNK;
    ISG_TRY(isg_file_read_at(source->file, source->offset + source->used, source->chunk, part));
    source->used += part;
    z->next_in = source->chunk;
    z->avail_in = (uInt)part;
    return ISG_OK;
}

/* At the end of a stream: in a gzip file another may follow, in a zip member none may. */
static isg_status finish_stream(isg_source *source) {
    z_stream *z = &source->inflater;
    if (z->avail_in == 0 && source->used == source->length) {
        source->is_ended = true;
        return ISG_OK;
    }
    if (source->packing == ISG_DEFLATE)
        return damaged(source, "bytes are left over");
    if (z->avail_in == 0)
        ISG_TRY(refill_inflater(source));
    if (z->next_in[0] != 0x1f)
        return damaged(source, "something follows that is not gzip");
    if (inflateReset(z) != Z_OK)
        return damaged(source, "the next part cannot be started");
    return ISG_OK;
}

static isg_status read_packed(isg_source *source, uint8_t *buffer, size_t count, size_t *got) {
    z_stream *z = &source->inflater;
    *got = 0;
    while (*got < count && !source->is_ended) {
        if (z->avail_in == 0 && source->used < source->length)
            ISG_TRY(refill_inflater(source));
        const size_t room = count - *got < (1u << 30) ? count - *got : (1u << 30);
        z->next_out = buffer + *got;
        z->avail_out = (uInt)room;
        const int result = inflate(z, Z_NO_FLUSH);
        *got += room - z->avail_out;
        if (result == Z_MEM_ERROR)
            return isg_fail(ISG_ERR_MEMORY, "%s: out of memory", source->name);
        if (result == Z_STREAM_END)
            ISG_TRY(finish_stream(source));
        else if (result == Z_BUF_ERROR)
            return damaged(source, "they end early");
        else if (result != Z_OK)
            return damaged(source, z->msg ? z->msg : "unknown code");
        /* Compared with the bytes used so far, so that a bomb is detected long before it is
           unpacked. */
        if (source->position + *got > expansion_limit(source->used - z->avail_in))
            return isg_fail(ISG_ERR_FORMAT,
                            "%s: unpacks to more than %d times its size, which looks like a "
                            "decompression bomb; unpack it yourself if you trust it",
                            source->name, MOST_EXPANSION);
    }
    return ISG_OK;
}

static isg_status read_plain(isg_source *source, uint8_t *buffer, size_t count, size_t *got) {
    const uint64_t left = source->length - source->used;
    *got = left < count ? (size_t)left : count;
    ISG_TRY(isg_file_read_at(source->file, source->offset + source->used, buffer, *got));
    source->used += *got;
    source->is_ended = source->used == source->length;
    return ISG_OK;
}

isg_status isg_source_read_some(isg_source *source, void *buffer, size_t count, size_t *got) {
    size_t part = 0;
    ISG_TRY(is_compressed(source) ? read_packed(source, buffer, count, &part)
                                  : read_plain(source, buffer, count, &part));
    if (source->has_expectation) {
        if (part > source->expected_bytes - source->position)
            return damaged(source, "they are longer than the archive says");
        for (size_t done = 0; done < part;) {
            const size_t piece = part - done < (1u << 30) ? part - done : (1u << 30);
            source->crc = (uint32_t)crc32(source->crc, (uint8_t *)buffer + done, (uInt)piece);
            done += piece;
        }
    }
    if (source->hash)
        isg_sha256_add(source->hash, buffer, part);
    source->position += part;
    *got = part;
    return ISG_OK;
}

isg_status isg_source_read(isg_source *source, void *buffer, size_t count, const char *what) {
    size_t got = 0;
    ISG_TRY(isg_source_read_some(source, buffer, count, &got));
    if (got < count)
        return isg_fail(ISG_ERR_FORMAT, "%s: ends in the middle of %s, after %llu bytes",
                        source->name, what, (unsigned long long)source->position);
    return ISG_OK;
}

uint64_t isg_source_at_most(const isg_source *source) {
    if (!is_compressed(source))
        return source->length - source->used;
    const uint64_t limit = expansion_limit(source->length);
    const uint64_t most =
        source->has_expectation && source->expected_bytes < limit ? source->expected_bytes : limit;
    return most - source->position;
}

isg_status isg_source_end(isg_source *source) {
    uint8_t extra;
    size_t got = 0;
    ISG_TRY(isg_source_read_some(source, &extra, 1, &got));
    if (got > 0)
        return isg_fail(ISG_ERR_FORMAT, "%s: expected the end after %llu bytes, but more follow",
                        source->name, (unsigned long long)source->position - 1);
    if (!source->has_expectation)
        return ISG_OK;
    if (source->position != source->expected_bytes)
        return damaged(source, "they are shorter than the archive says");
    if (source->crc != source->expected_crc)
        return damaged(source, "the checksum (CRC-32) is wrong");
    return ISG_OK;
}

double isg_source_fraction(const isg_source *source) {
    return source->length ? (double)source->used / (double)source->length : 1.0;
}

uint64_t isg_source_position(const isg_source *source) {
    return source->position;
}

void isg_source_free(isg_source *source) {
    if (!source)
        return;
    if (source->has_inflater)
        inflateEnd(&source->inflater);
    isg_release(source->chunk);
    isg_release(source->name);
    isg_release(source);
}
