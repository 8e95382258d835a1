/* npy_mutator.c - changes to .npy files whose header keeps its length, and its promise
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "io/zip_format.h"
#include "mutator.h"

enum { PREAMBLE = 10, MOST_TEXT = 512, MOST_DIMS = 3, MOST_SIDE = 6 };

/* The text of a header in format 1.0 is the `length` bytes behind the preamble. */
static bool find_header(const uint8_t *bytes, size_t size, size_t *length) {
    if (size < PREAMBLE || memcmp(bytes, "\x93NUMPY\x01", 7) != 0)
        return false;
    *length = isg_load16(bytes + 8);
    return *length <= size - PREAMBLE && *length <= MOST_TEXT;
}

/* Puts a header before the `n_data` bytes that follow the old one. 0 if there is no room. */
static size_t replace_header(uint8_t *bytes, size_t old_length, size_t n_data, size_t room,
                             const uint8_t *text, size_t length) {
    if (PREAMBLE + length + n_data > room)
        return 0;
    memmove(bytes + PREAMBLE + length, bytes + PREAMBLE + old_length, n_data);
    memcpy(bytes + PREAMBLE, text, length);
    isg_store16(bytes + 8, length);
    return PREAMBLE + length + n_data;
}

static size_t mutate_header(uint8_t *bytes, size_t size, size_t room, size_t length,
                            uint32_t *state) {
    uint8_t text[MOST_TEXT];
    memcpy(text, bytes + PREAMBLE, length);
    size_t changed = draw(state, 2) ? mutate_text(text, length, sizeof text, state) : 0;
    changed = changed ? changed : LLVMFuzzerMutate(text, length, sizeof text);
    return replace_header(bytes, length, size - PREAMBLE - length, room, text, changed);
}

/* Another type and shape, with as many data as these need: the old ones over and over. */
static size_t reshape(uint8_t *bytes, size_t size, size_t room, size_t length, uint32_t *state) {
    static const struct {
        const char *descr;
        size_t bytes;
    } types[] = {{"<f8", 8}, {"<i8", 8}, {"|i1", 1}, {"|u1", 1}, {"<f4", 4}, {"|b1", 1},
                 {">f8", 8}, {"<u8", 8}, {">i2", 2}, {"<U2", 8}, {"|S3", 3}};
    const size_t type = draw(state, sizeof types / sizeof types[0]);
    const size_t n_dims = draw(state, MOST_DIMS + 1), old = size - PREAMBLE - length;
    size_t wanted = types[type].bytes, used = 0;
    char shape[64] = "", text[MOST_TEXT];
    for (size_t d = 0; d < n_dims; d++) {
        const size_t side = draw(state, MOST_SIDE) + (draw(state, 4) > 0);
        used += (size_t)snprintf(shape + used, sizeof shape - used, "%zu,", side);
        wanted *= side;
    }
    const size_t new_length = (size_t)snprintf(
        text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }\n",
        types[type].descr, draw(state, 4) ? "False" : "True", shape);
    if (PREAMBLE + new_length + (wanted > old ? wanted : old) > room)
        return 0;
    replace_header(bytes, length, old, room, (const uint8_t *)text, new_length);
    uint8_t *data = bytes + PREAMBLE + new_length;
    for (size_t k = old; k < wanted; k++)
        data[k] = old > 0 ? data[k % old] : 0;
    return PREAMBLE + new_length + wanted;
}

/* A number that arithmetic may stumble over, at a place where a number may be. */
static void place_number(uint8_t *data, size_t count, uint32_t *state) {
    const double numbers[] = {0,      -0.0,   1,      -1,          2,        0.5,    1e-300, 1e300,
                              5e-324, 0x1p53, 0x1p63, (double)NAN, HUGE_VAL, -1e308, 1e154,  1e38};
    const double number = numbers[draw(state, sizeof numbers / sizeof numbers[0])];
    if (count >= sizeof number)
        memcpy(data + draw(state, (uint32_t)(count / sizeof number)) * sizeof number, &number,
               sizeof number);
}

size_t mutate_npy(uint8_t *bytes, size_t size, size_t room, uint32_t *state) {
    size_t length = 0;
    if (!find_header(bytes, size, &length))
        return LLVMFuzzerMutate(bytes, size, room);
    uint8_t *data = bytes + PREAMBLE + length;
    const size_t count = size - PREAMBLE - length;
    switch (draw(state, 8)) {
    case 0:
        return LLVMFuzzerMutate(bytes, size, room);
    case 1:
        return mutate_header(bytes, size, room, length, state);
    case 2:
        return reshape(bytes, size, room, length, state);
    case 3:
    case 4:
        place_number(data, count, state);
        return size;
    default: /* bytes that libFuzzer drops are kept, since their number is promised */
        if (count > 0)
            LLVMFuzzerMutate(data, count, count);
        return size;
    }
}
