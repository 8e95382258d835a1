/* mutator.h - changes to inputs that leave the wrapping whole
 *
 * SPDX-License-Identifier: MIT
 *
 * A bit flipped in a zip archive is found by its CRC, and a header that has grown by a byte by its
 * length, and half the bytes of a text in JSON stand for its form: libFuzzer alone seldom comes to
 * what is behind. These take an input apart, let libFuzzer change a part, and put it together again
 * with checksums, lengths and offsets as they must be. One time in eight, in texts every second time,
 * the bytes are changed as they are, so that the wrapping is attacked too.
 */
#ifndef FUZZ_MUTATOR_H
#define FUZZ_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

typedef enum form { FORM_PLAIN, FORM_TEXT, FORM_NPY, FORM_GZIP, FORM_ZIP } form;

/* What libFuzzer asks of its custom functions, for an input of this form. */
size_t mutate_as(form what, uint8_t *bytes, size_t size, size_t room, unsigned seed);

/* The same for an input that begins with `head` bytes of choices, the first of which chooses one of eight
   forms for the rest. */
size_t mutate_chosen(const form *forms, size_t head, uint8_t *bytes, size_t size, size_t room,
                     unsigned seed);
size_t cross_zips(const uint8_t *one, size_t one_size, const uint8_t *two, size_t two_size,
                  uint8_t *out, size_t room, unsigned seed);

/* Libfuzzer's own, and the names under which it looks for others. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *two,
                                 size_t two_size, uint8_t *out, size_t room, unsigned seed);

/* For targets whose input is an archive and nothing else. */
#define MUTATE_ZIPS                                                                                \
    size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed) {      \
        return mutate_as(FORM_ZIP, bytes, size, room, seed);                                       \
    }                                                                                              \
    size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *two,      \
                                     size_t two_size, uint8_t *out, size_t room, unsigned seed) {  \
        return cross_zips(one, one_size, two, two_size, out, room, seed);                          \
    }

/* ---- for the mutators themselves -------------------------------------------------------------- */

/* Random numbers below `limit`, from a state that starts as the seed. */
uint32_t draw(uint32_t *state, uint32_t limit);

/* Changes a word of a text. 0 if there is none, or no room. */
size_t mutate_text(uint8_t *bytes, size_t size, size_t room, uint32_t *state);

size_t mutate_npy(uint8_t *bytes, size_t size, size_t room, uint32_t *state);

/* 0 if the input is not of the form, or there is no room. */
size_t mutate_gzip(uint8_t *bytes, size_t size, size_t room, uint32_t *state);
size_t mutate_zip(uint8_t *bytes, size_t size, size_t room, uint32_t *state);

/* Deflate's form for bytes that are not compressed. 0 if there is no room. */
size_t store(const uint8_t *bytes, size_t size, uint8_t *out, size_t room);

/* The bytes that deflated ones stand for, at most `room`; SIZE_MAX if they are damaged or more.
   `window` is as zlib's. */
size_t unpack(const uint8_t *bytes, size_t size, int window, uint8_t *out, size_t room);

#endif
