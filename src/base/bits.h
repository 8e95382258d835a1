/* bits.h - spins packed one bit each
 *
 * SPDX-License-Identifier: MIT
 *
 * A row of n spins takes isg_words(n) words of 64 bits; spin i is bit i % 64 of word i / 64, set
 * for +1 and clear for -1. The bits past n in the last word are always clear, so rows can be
 * compared, counted and hashed by whole words.
 */
#ifndef ISG_BITS_H
#define ISG_BITS_H

#include "isinglass/base.h" /* isg_spin() */

static inline size_t isg_words(size_t n_spins) {
    return n_spins / 64 + (n_spins % 64 != 0);
}

static inline bool isg_bit(const uint64_t *row, size_t i) {
    return (row[i / 64] >> (i % 64)) & 1;
}

static inline void isg_bit_assign(uint64_t *row, size_t i, bool is_up) {
    const uint64_t mask = UINT64_C(1) << (i % 64);
    row[i / 64] = is_up ? row[i / 64] | mask : row[i / 64] & ~mask;
}

/* Clears the bits past n in the last word, to be called after inverting or drawing whole words. */
static inline void isg_clear_tail(uint64_t *row, size_t n_spins) {
    if (n_spins % 64)
        row[n_spins / 64] &= (UINT64_C(1) << n_spins % 64) - 1;
}

static inline size_t isg_count_ones(const uint64_t *row, size_t words) {
    size_t count = 0;
    for (size_t w = 0; w < words; w++)
        count += (size_t)__builtin_popcountll(row[w]);
    return count;
}

/* The number of spins in which two rows differ. */
static inline size_t isg_hamming(const uint64_t *a, const uint64_t *b, size_t words) {
    size_t count = 0;
    for (size_t w = 0; w < words; w++)
        count += (size_t)__builtin_popcountll(a[w] ^ b[w]);
    return count;
}

/* The row as (n + 7) / 8 bytes, first spin = highest bit: the order that checksums use. */
static inline void isg_pack_bytes(const uint64_t *row, size_t n_spins, uint8_t *out) {
    for (size_t i = 0; i < n_spins; i += 8) {
        uint64_t byte = row[i / 64] >> i % 64 & 0xff;
        byte = (byte >> 1 & 0x55) | (byte & 0x55) << 1;
        byte = (byte >> 2 & 0x33) | (byte & 0x33) << 2;
        out[i / 8] = (uint8_t)(byte >> 4 | byte << 4);
    }
}

/* The other way round; bits of the last byte that stand for no spin are ignored. */
static inline void isg_unpack_bytes(const uint8_t *bytes, size_t n_spins, uint64_t *row) {
    for (size_t i = 0; i < n_spins; i += 8) {
        uint64_t byte = bytes[i / 8];
        byte = (byte >> 1 & 0x55) | (byte & 0x55) << 1;
        byte = (byte >> 2 & 0x33) | (byte & 0x33) << 2;
        byte = (byte >> 4 | byte << 4) & 0xff;
        row[i / 64] = (i % 64 ? row[i / 64] : 0) | byte << i % 64;
    }
    isg_clear_tail(row, n_spins);
}

#endif
