/* mutator.c - changes to inputs that leave the wrapping whole: any form, and gzip
 *
 * SPDX-License-Identifier: MIT
 */
#include "mutator.h"

#include <string.h>
#include <zlib.h>

#include "io/zip_format.h"

enum { MOST_UNPACKED = 1 << 15, GZIP_HEAD = 10, GZIP_TAIL = 8, BLOCK_HEAD = 5, MOST_BLOCK = 65535 };

uint32_t draw(uint32_t *state, uint32_t limit) {
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)*state * limit >> 32);
}

size_t store(const uint8_t *bytes, size_t size, uint8_t *out, size_t room) {
    if (size > MOST_BLOCK || size + BLOCK_HEAD > room)
        return 0;
    out[0] = 1; /* the last block, stored */
    isg_store16(out + 1, size);
    isg_store16(out + 3, ~size);
    memcpy(out + BLOCK_HEAD, bytes, size);
    return size + BLOCK_HEAD;
}

size_t unpack(const uint8_t *bytes, size_t size, int window, uint8_t *out, size_t room) {
    z_stream z = {.avail_in = (uInt)size, .next_out = out, .avail_out = (uInt)room};
    memcpy(&z.next_in, &bytes, sizeof z.next_in); /* not const, but not changed */
    if (inflateInit2(&z, window) != Z_OK)
        return SIZE_MAX;
    const int result = inflate(&z, Z_FINISH);
    const size_t got = room - z.avail_out;
    inflateEnd(&z);
    /* A wrong checksum is no reason to throw away what it was of. */
    return result == Z_STREAM_END || (result == Z_DATA_ERROR && got > 0) ? got : SIZE_MAX;
}

size_t mutate_gzip(uint8_t *bytes, size_t size, size_t room, uint32_t *state) {
    static const uint8_t head[GZIP_HEAD] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff};
    static uint8_t plain[MOST_UNPACKED];
    const size_t around = GZIP_HEAD + BLOCK_HEAD + GZIP_TAIL;
    size_t length = unpack(bytes, size, 16 + 15, plain, sizeof plain);
    if (length == SIZE_MAX || room <= around)
        return 0;
    const size_t most = room - around < sizeof plain ? room - around : sizeof plain;
    if (length > most)
        return 0;
    const size_t changed = draw(state, 2) ? mutate_text(plain, length, most, state) : 0;
    length = changed ? changed : LLVMFuzzerMutate(plain, length, most);
    memcpy(bytes, head, GZIP_HEAD);
    const size_t end = GZIP_HEAD + store(plain, length, bytes + GZIP_HEAD, room - around);
    if (end == GZIP_HEAD)
        return 0;
    isg_store32(bytes + end, crc32(0, plain, (uInt)length));
    isg_store32(bytes + end + 4, length);
    return end + GZIP_TAIL;
}

size_t mutate_as(form what, uint8_t *bytes, size_t size, size_t room, unsigned seed) {
    uint32_t state = seed;
    size_t changed = 0;
    if (draw(&state, 8) > 0) {
        if (what == FORM_TEXT && draw(&state, 2))
            changed = mutate_text(bytes, size, room, &state);
        else if (what == FORM_NPY)
            changed = mutate_npy(bytes, size, room, &state);
        else if (what == FORM_GZIP)
            changed = mutate_gzip(bytes, size, room, &state);
        else if (what == FORM_ZIP)
            changed = mutate_zip(bytes, size, room, &state);
    }
    return changed ? changed : LLVMFuzzerMutate(bytes, size, room);
}

size_t mutate_chosen(const form *forms, size_t head, uint8_t *bytes, size_t size, size_t room,
                     unsigned seed) {
    if (size <= head || seed % 16 == 0)
        return mutate_as(FORM_PLAIN, bytes, size, room, seed);
    return head + mutate_as(forms[bytes[0] & 7], bytes + head, size - head, room - head, seed / 16);
}
