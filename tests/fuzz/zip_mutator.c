/* zip_mutator.c - changes to zip archives that leave checksums, sizes and offsets right
 *
 * SPDX-License-Identifier: MIT
 *
 * Reads archives leniently and by code of its own, not by the reader that is under attack. A member
 * that was deflated becomes one in deflate's form for bytes that do not shrink: what zlib does with
 * others is not for us to test.
 */
#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#include "io/zip_format.h"
#include "mutator.h"

enum { MOST_MEMBERS = 48, MOST_NAME = 64, MOST_BYTES = 4096, POOL = MOST_MEMBERS * MOST_BYTES };

typedef struct member {
    uint8_t name[MOST_NAME];
    size_t name_length;
    uint8_t *bytes; /* room for MOST_BYTES */
    size_t size;
    bool is_deflated;
} member;

typedef struct archive {
    member members[MOST_MEMBERS];
    size_t count;
    bool is_wide; /* has the end records of zip64 */
    uint8_t pool[POOL];
} archive;

/* ---- taking apart ----------------------------------------------------------------------------- */

static bool read_content(const uint8_t *bytes, size_t size, size_t offset, uint16_t method,
                         size_t packed, member *out) {
    if (offset > size || size - offset < ISG_ZIP_LOCAL_BYTES)
        return false;
    offset += ISG_ZIP_LOCAL_BYTES + (size_t)isg_load16(bytes + offset + 26) +
              isg_load16(bytes + offset + 28);
    if (offset > size || packed > size - offset)
        return false;
    out->is_deflated = method == ISG_ZIP_DEFLATED;
    if (out->is_deflated) {
        out->size = unpack(bytes + offset, packed, -15, out->bytes, MOST_BYTES);
        return out->size != SIZE_MAX;
    }
    out->size = packed;
    if (packed > MOST_BYTES)
        return false;
    memcpy(out->bytes, bytes + offset, packed);
    return true;
}

/* Where the directory begins, by the end record at `end` or by that of zip64. */
static size_t find_directory(archive *of, const uint8_t *bytes, size_t size, size_t end) {
    const uint8_t *locator =
        end >= ISG_ZIP64_LOCATOR_BYTES ? bytes + end - ISG_ZIP64_LOCATOR_BYTES : bytes;
    of->is_wide = isg_load32(locator) == ISG_ZIP64_LOCATOR && size >= ISG_ZIP64_END_BYTES &&
                  isg_load64(locator + 8) <= size - ISG_ZIP64_END_BYTES;
    return of->is_wide ? (size_t)isg_load64(bytes + isg_load64(locator + 8) + 48)
                       : isg_load32(bytes + end + 16);
}

/* False if there is nothing that could be read. Members that cannot be are left out. */
static bool take_apart(archive *out, const uint8_t *bytes, size_t size) {
    out->count = 0;
    if (size < ISG_ZIP_END_BYTES)
        return false;
    size_t end = size - ISG_ZIP_END_BYTES;
    while (end > 0 && isg_load32(bytes + end) != ISG_ZIP_END)
        end--;
    size_t at = find_directory(out, bytes, size, end);
    if (at > end)
        return false;
    while (out->count < MOST_MEMBERS && end - at >= ISG_ZIP_CENTRAL_BYTES &&
           isg_load32(bytes + at) == ISG_ZIP_CENTRAL) {
        member *next = out->members + out->count;
        const size_t name_length = isg_load16(bytes + at + 28);
        const size_t total = ISG_ZIP_CENTRAL_BYTES + name_length + isg_load16(bytes + at + 30) +
                             isg_load16(bytes + at + 32);
        if (total > end - at || name_length > MOST_NAME)
            break;
        memcpy(next->name, bytes + at + ISG_ZIP_CENTRAL_BYTES, name_length);
        next->name_length = name_length;
        next->bytes = out->pool + out->count * MOST_BYTES;
        if (read_content(bytes, size, isg_load32(bytes + at + 42), isg_load16(bytes + at + 10),
                         isg_load32(bytes + at + 20), next))
            out->count++;
        at += total;
    }
    return out->count > 0;
}

/* ---- putting together ------------------------------------------------------------------------- */

/* The fields that local and central header share, from "version needed" on. */
static void write_common(uint8_t *at, const member *of, size_t packed, uint32_t crc) {
    memset(at, 0, 26);
    isg_store16(at, 20);
    isg_store16(at + 4, of->is_deflated ? ISG_ZIP_DEFLATED : ISG_ZIP_STORED);
    isg_store16(at + 8, 0x21); /* the first day that can be said */
    isg_store32(at + 10, crc);
    isg_store32(at + 14, packed);
    isg_store32(at + 18, of->size);
    isg_store16(at + 22, of->name_length);
}

/* The records behind a directory of `length` bytes at `offset`. 0 if there is no room. */
static size_t write_end(const archive *from, uint8_t *out, size_t room, size_t offset,
                        size_t length) {
    const size_t wide = from->is_wide ? ISG_ZIP64_END_BYTES + ISG_ZIP64_LOCATOR_BYTES : 0;
    if (room < wide + ISG_ZIP_END_BYTES)
        return 0;
    memset(out, 0, wide + ISG_ZIP_END_BYTES);
    if (from->is_wide) {
        uint8_t *locator = out + ISG_ZIP64_END_BYTES;
        isg_store32(out, ISG_ZIP64_END);
        isg_store64(out + 4, ISG_ZIP64_END_BYTES - 12);
        isg_store64(out + 24, from->count);
        isg_store64(out + 32, from->count);
        isg_store64(out + 40, length);
        isg_store64(out + 48, offset);
        isg_store32(locator, ISG_ZIP64_LOCATOR);
        isg_store64(locator + 8, offset + length);
        isg_store32(locator + 16, 1);
    }
    uint8_t *end = out + wide;
    isg_store32(end, ISG_ZIP_END);
    isg_store16(end + 8, from->is_wide ? ISG_ZIP_WIDE16 : from->count);
    isg_store16(end + 10, from->is_wide ? ISG_ZIP_WIDE16 : from->count);
    isg_store32(end + 12, from->is_wide ? ISG_ZIP_WIDE32 : length);
    isg_store32(end + 16, from->is_wide ? ISG_ZIP_WIDE32 : offset);
    return wide + ISG_ZIP_END_BYTES;
}

/* 0 if there is no room. */
static size_t put_together(const archive *from, uint8_t *out, size_t room) {
    static uint8_t directory[MOST_MEMBERS * (ISG_ZIP_CENTRAL_BYTES + MOST_NAME)];
    size_t at = 0, length = 0;
    for (size_t k = 0; k < from->count; k++) {
        const member *one = from->members + k;
        const size_t head = ISG_ZIP_LOCAL_BYTES + one->name_length;
        if (room - at < head + one->size)
            return 0;
        size_t packed = one->size;
        if (one->is_deflated)
            packed = store(one->bytes, one->size, out + at + head, room - at - head);
        else
            memcpy(out + at + head, one->bytes, one->size);
        if (one->is_deflated && packed == 0)
            return 0;
        const uint32_t crc = (uint32_t)crc32(0, one->bytes, (uInt)one->size);
        isg_store32(out + at, ISG_ZIP_LOCAL);
        write_common(out + at + 4, one, packed, crc);
        memcpy(out + at + ISG_ZIP_LOCAL_BYTES, one->name, one->name_length);
        uint8_t *central = directory + length;
        memset(central, 0, ISG_ZIP_CENTRAL_BYTES);
        isg_store32(central, ISG_ZIP_CENTRAL);
        isg_store16(central + 4, 20);
        write_common(central + 6, one, packed, crc);
        isg_store32(central + 42, at);
        memcpy(central + ISG_ZIP_CENTRAL_BYTES, one->name, one->name_length);
        at += head + packed;
        length += ISG_ZIP_CENTRAL_BYTES + one->name_length;
    }
    if (room - at < length)
        return 0;
    memcpy(out + at, directory, length);
    const size_t end = write_end(from, out + at + length, room - at - length, at, length);
    return end ? at + length + end : 0;
}

/* ---- changing --------------------------------------------------------------------------------- */

static void copy_content(member *to, const member *from) {
    memcpy(to->bytes, from->bytes, from->size);
    to->size = from->size;
    to->is_deflated = from->is_deflated;
}

static void copy_name(member *to, const member *from) {
    memcpy(to->name, from->name, from->name_length);
    to->name_length = from->name_length;
}

static bool is_array(const member *one) {
    return one->size > 6 && memcmp(one->bytes, "\x93NUMPY", 6) == 0;
}

static void change_content(member *one, uint32_t *state) {
    size_t size = 0;
    if (is_array(one))
        size = mutate_npy(one->bytes, one->size, MOST_BYTES, state);
    else if (draw(state, 4) > 0)
        size = mutate_text(one->bytes, one->size, MOST_BYTES, state);
    one->size = size > 0 ? size : LLVMFuzzerMutate(one->bytes, one->size, MOST_BYTES);
}

static void remove_member(archive *from, size_t index) {
    if (from->count == 1)
        return;
    /* The last moves into the gap, and its place in the pool goes with the one removed. */
    const member removed = from->members[index];
    from->members[index] = from->members[--from->count];
    from->members[from->count].bytes = removed.bytes;
}

static void change(archive *of, uint32_t *state) {
    const uint32_t count = (uint32_t)of->count;
    const size_t index = draw(state, count), other = draw(state, count);
    member *one = of->members + index, *two = of->members + other, swap;
    switch (draw(state, 16)) {
    case 0:
        one->name_length = LLVMFuzzerMutate(one->name, one->name_length, MOST_NAME);
        break;
    case 1:
        remove_member(of, index);
        break;
    case 2:
        if (one != two)
            copy_content(one, two);
        break;
    case 3:
        one->is_deflated = !one->is_deflated;
        break;
    case 4: /* another order, */
        swap = *one;
        *one = *two;
        *two = swap;
        break;
    case 5: /* another name each */
        swap = *one;
        copy_name(one, two);
        copy_name(two, &swap);
        break;
    case 6:
        of->is_wide = !of->is_wide;
        break;
    default:
        change_content(one, state);
    }
}

size_t mutate_zip(uint8_t *bytes, size_t size, size_t room, uint32_t *state) {
    static archive work;
    if (!take_apart(&work, bytes, size))
        return 0;
    for (uint32_t n = draw(state, 3) + 1; n > 0; n--)
        change(&work, state);
    return put_together(&work, bytes, room);
}

size_t cross_zips(const uint8_t *one, size_t one_size, const uint8_t *two, size_t two_size,
                  uint8_t *out, size_t room, unsigned seed) {
    static archive left, right;
    uint32_t state = seed;
    if (!take_apart(&left, one, one_size) || !take_apart(&right, two, two_size))
        return 0;
    const size_t from = draw(&state, (uint32_t)right.count);
    const member *chosen = right.members + from;
    size_t index = 0;
    while (index < left.count &&
           (left.members[index].name_length != chosen->name_length ||
            memcmp(left.members[index].name, chosen->name, chosen->name_length) != 0))
        index++;
    if (index == MOST_MEMBERS)
        return 0;
    if (index == left.count) {
        left.members[index].bytes = left.pool + index * MOST_BYTES;
        copy_name(left.members + index, chosen);
        left.count++;
    }
    copy_content(left.members + index, chosen);
    return put_together(&left, out, room);
}
