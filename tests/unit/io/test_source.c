/* test_source.c - plain, gzip and deflated bytes, whole, cut, damaged and hostile
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <zlib.h>

#include "numpy_helper.h"

/* Packs by zlib; window 31 is gzip, -15 bare deflate. Returns the length. */
static size_t pack(int window, const void *bytes, size_t count, uint8_t *out, size_t room) {
    z_stream z = {.avail_in = (uInt)count, .next_out = out, .avail_out = (uInt)room};
    uint8_t *copy = malloc(count + 1); /* zlib wants it mutable */
    assert_non_null(copy);
    memcpy(copy, bytes, count);
    z.next_in = copy;
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    const size_t length = (size_t)z.total_out;
    deflateEnd(&z);
    free(copy);
    return length;
}

/* Reads everything in pieces of `step` bytes and checks the end. */
static isg_status read_all(const uint8_t *packed, size_t size, isg_packing packing, size_t step,
                           uint8_t *out, size_t room, size_t *length) {
    isg_file *file = NULL;
    isg_source *source = NULL;
    isg_status status = ISG_OK;
    size_t got = step;
    *length = 0;
    ISG_TRY_GOTO(isg_file_from_memory(&file, "data.gz", packed, size));
    ISG_TRY_GOTO(isg_source_create(&source, file, packing, 0, size));
    while (got == step && *length + step <= room) {
        ISG_TRY_GOTO(isg_source_read_some(source, out + *length, step, &got));
        *length += got;
        assert_int_equal(isg_source_position(source), *length);
    }
    ISG_TRY_GOTO(isg_source_end(source));
done:
    isg_source_free(source);
    isg_file_close(file);
    return status;
}

static const char text[] = "the quick brown fox jumps over the lazy dog, the quick brown fox again";

static void test_plain(void **state) {
    (void)state;
    isg_file *file = NULL;
    isg_source *source = source_over(&file, text, 20);
    uint8_t buffer[32];
    size_t got = 0;
    assert_string_equal(isg_source_name(source), "test");
    assert_int_equal(isg_source_at_most(source), 20);
    assert_true(isg_source_fraction(source) == 0);
    assert_refused(isg_source_end(source), "test: expected the end after 0 bytes, but more follow");
    assert_ok(isg_source_read(source, buffer, 9, "a word"));
    assert_memory_equal(buffer, text + 1, 9);
    assert_int_equal(isg_source_at_most(source), 10);
    assert_true(isg_source_fraction(source) == 0.5);
    assert_ok(isg_source_rename(source, "other"));
    assert_refused(isg_source_read(source, buffer, 11, "a word"),
                   "other: ends in the middle of a word, after 20 bytes");
    assert_ok(isg_source_read_some(source, buffer, 5, &got));
    assert_int_equal(got, 0);
    assert_ok(isg_source_end(source));
    isg_source_free(source);
    isg_file_close(file);
    isg_source_free(NULL);
}

static void test_part_of_a_file(void **state) {
    (void)state;
    isg_file *file = NULL;
    isg_source *source = NULL;
    uint8_t buffer[5];
    assert_ok(isg_file_from_memory(&file, "test", text, sizeof text));
    assert_ok(isg_source_create(&source, file, ISG_PLAIN, 4, 5));
    assert_ok(isg_source_read(source, buffer, 5, "it"));
    assert_memory_equal(buffer, "quick", 5);
    assert_ok(isg_source_end(source));
    isg_source_free(source);
    isg_file_close(file);
}

static void test_empty(void **state) {
    (void)state;
    uint8_t packed[64] = {0}, out[8];
    size_t length = 1;
    assert_ok(read_all(packed, 0, ISG_PLAIN, 4, out, sizeof out, &length));
    assert_int_equal(length, 0);
    isg_file *file = NULL;
    isg_source *source = source_over(&file, packed, 0);
    assert_true(isg_source_fraction(source) == 1);
    isg_source_free(source);
    isg_file_close(file);
    const size_t size = pack(31, "", 0, packed, sizeof packed);
    assert_ok(read_all(packed, size, ISG_GZIP, 4, out, sizeof out, &length));
    assert_int_equal(length, 0);
}

/* The text comes out, whatever the number of bytes asked for at a time. */
static void assert_unpacks(const uint8_t *packed, size_t size) {
    uint8_t out[512];
    size_t length = 0;
    for (size_t step = 1; step <= 100; step++) {
        assert_ok(read_all(packed, size, ISG_GZIP, step, out, sizeof out, &length));
        assert_int_equal(length, sizeof text);
        assert_memory_equal(out, text, sizeof text);
    }
}

static void test_gzip(void **state) {
    (void)state;
    uint8_t packed[512];
    assert_unpacks(packed, pack(31, text, sizeof text, packed, sizeof packed));
}

static void test_gzip_of_several_parts(void **state) {
    (void)state;
    uint8_t packed[512];
    size_t size = 0;
    size += pack(31, text, 10, packed, sizeof packed);
    size += pack(31, "", 0, packed + size, sizeof packed - size);
    size += pack(31, text + 10, sizeof text - 10, packed + size, sizeof packed - size);
    assert_unpacks(packed, size);
}

/* More packed bytes than the source buffers at a time, the parts ending anywhere in the buffer. */
static void test_long_gzip_of_several_parts(void **state) {
    (void)state;
    enum { PART = 40000, N_PARTS = 5 };
    static uint8_t noise[N_PARTS * PART], packed[N_PARTS * (PART + 1000)], out[N_PARTS * PART + 1];
    uint32_t word = 1;
    for (size_t k = 0; k < sizeof noise; k++) {
        word = word * 1664525 + 1013904223;
        noise[k] = (uint8_t)(word >> 24);
    }
    size_t length = 0, size = 0;
    for (size_t k = 0; k < N_PARTS; k++)
        size += pack(31, noise + k * PART, PART, packed + size, sizeof packed - size);
    assert_true(size > sizeof noise);
    assert_ok(read_all(packed, size, ISG_GZIP, 1000, out, sizeof out, &length));
    assert_int_equal(length, sizeof noise);
    assert_memory_equal(out, noise, sizeof noise);
}

/* A part that ends with the buffer is known to be the last only if nothing follows in the file. */
static void test_gzip_part_as_long_as_the_buffer(void **state) {
    (void)state;
    enum { BUFFER = 1 << 16 };
    static uint8_t noise[BUFFER], packed[BUFFER + 100], out[BUFFER + 2000];
    uint32_t word = 1;
    for (size_t k = 0; k < sizeof noise; k++) {
        word = word * 1664525 + 1013904223;
        noise[k] = (uint8_t)(word >> 24);
    }
    size_t count = BUFFER - 100, length = 0;
    while (count < BUFFER && pack(31, noise, count, packed, sizeof packed) < BUFFER)
        count++;
    assert_int_equal(pack(31, noise, count, packed, sizeof packed), BUFFER);
    assert_ok(read_all(packed, BUFFER, ISG_GZIP, 1000, out, sizeof out, &length));
    assert_int_equal(length, count);
    const size_t more = pack(31, "more", 4, packed + BUFFER, sizeof packed - BUFFER);
    assert_ok(read_all(packed, BUFFER + more, ISG_GZIP, 1000, out, sizeof out, &length));
    assert_int_equal(length, count + 4);
    assert_memory_equal(out, noise, count);
    assert_memory_equal(out + count, "more", 4);
    assert_refused(read_all(packed, BUFFER + 1, ISG_GZIP, 1000, out, sizeof out, &length),
                   "they end early");
}

static void test_gzip_cut_anywhere(void **state) {
    (void)state;
    uint8_t packed[512], out[512];
    size_t length = 0;
    const size_t size = pack(31, text, sizeof text, packed, sizeof packed);
    for (size_t cut = 0; cut < size; cut++) {
        assert_int_equal(read_all(packed, cut, ISG_GZIP, 16, out, sizeof out, &length),
                         ISG_ERR_FORMAT);
        assert_message(cut < 2 ? "does not begin as gzip" : "they end early");
    }
}

static void test_gzip_any_bit_flipped(void **state) {
    (void)state;
    uint8_t packed[512], out[4096];
    size_t length = 0, n_refused = 0;
    const size_t size = pack(31, text, sizeof text, packed, sizeof packed);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        packed[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (read_all(packed, size, ISG_GZIP, 64, out, sizeof out, &length) != ISG_OK) {
            n_refused++;
        } else { /* only the ten bytes of the header hold anything that does not matter */
            assert_true(bit / 8 < 10);
            assert_int_equal(length, sizeof text);
            assert_memory_equal(out, text, sizeof text);
        }
        packed[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_true(n_refused >= 8 * (size - 10));
}

static void test_junk_after_gzip(void **state) {
    (void)state;
    uint8_t packed[512], out[512];
    size_t length = 0;
    const size_t size = pack(31, text, sizeof text, packed, sizeof packed);
    memcpy(packed + size, "\0\0\0", 3);
    assert_refused(read_all(packed, size + 1, ISG_GZIP, 16, out, sizeof out, &length),
                   "something follows that is not gzip");
    memcpy(packed + size, "\x1f!!", 3);
    assert_refused(read_all(packed, size + 3, ISG_GZIP, 16, out, sizeof out, &length),
                   "the compressed data are damaged: incorrect header check");
    assert_refused(read_all(packed, size + 1, ISG_GZIP, 16, out, sizeof out, &length),
                   "they end early");
}

static void test_name_and_content_disagree(void **state) {
    (void)state;
    uint8_t packed[512], out[512];
    size_t length = 0;
    const size_t size = pack(31, text, sizeof text, packed, sizeof packed);
    assert_refused(read_all(packed, size, ISG_PLAIN, 16, out, sizeof out, &length),
                   "the content is gzip, but the name does not end in .gz");
    assert_refused(
        read_all((const uint8_t *)text, sizeof text, ISG_GZIP, 16, out, sizeof out, &length),
        "data.gz: the name says gzip, but the content does not begin as gzip does");
    /* A member of an archive may well be a gzip file. */
    assert_ok(read_all(packed, size, ISG_STORED, 16, out, sizeof out, &length));
    assert_memory_equal(out, packed, size);
}

static void test_bomb(void **state) {
    (void)state;
    enum { ZEROS = 64 << 20, ALLOWED = 4 << 20 };
    uint8_t *zeros = calloc(ZEROS, 1), *packed = malloc(1 << 17);
    assert_true(zeros && packed);
    size_t length = 0;
    const size_t size = pack(31, zeros, ZEROS, packed, 1 << 17);
    assert_refused(read_all(packed, size, ISG_GZIP, 1 << 16, zeros, ZEROS, &length),
                   "data.gz: unpacks to more than 250 times its size, which looks like a "
                   "decompression bomb");
    /* Found out where it began, not where it had used up what the whole file would allow. */
    assert_true(length <= ALLOWED * 3 / 2 && ALLOWED * 3 / 2 < 250 * size);
    /* As dense, but small: what a mostly empty picture may well be. */
    const size_t small = pack(31, zeros, ALLOWED, packed, 1 << 17);
    assert_true(small * 250 < ALLOWED);
    assert_ok(read_all(packed, small, ISG_GZIP, 1 << 16, zeros, ZEROS, &length));
    assert_int_equal(length, ALLOWED);
    free(packed);
    free(zeros);
}

static void test_at_most(void **state) {
    (void)state;
    uint8_t packed[512], out[512];
    isg_file *file = NULL;
    isg_source *source = NULL;
    const size_t size = pack(31, text, sizeof text, packed, sizeof packed);
    assert_ok(isg_file_from_memory(&file, "test", packed, size));
    assert_ok(isg_source_create(&source, file, ISG_GZIP, 0, size));
    assert_int_equal(isg_source_at_most(source), 250 * size + (4 << 20));
    assert_ok(isg_source_read(source, out, 10, "it"));
    assert_int_equal(isg_source_at_most(source), 250 * size + (4 << 20) - 10);
    isg_source_expect(source, 30, 0);
    assert_int_equal(isg_source_at_most(source), 20);
    isg_source_free(source);
    /* A length that makes the bound overflow is no length of a real file, but must not wrap. */
    assert_ok(isg_source_create(&source, file, ISG_DEFLATE, 0, UINT64_MAX / 4));
    assert_true(isg_source_at_most(source) >= UINT64_MAX - (4 << 20));
    isg_source_free(source);
    isg_file_close(file);
}

static isg_status read_expecting(const uint8_t *packed, size_t size, isg_packing packing,
                                 uint64_t bytes, uint32_t crc) {
    uint8_t out[512];
    size_t got = 0;
    isg_file *file = NULL;
    isg_source *source = NULL;
    assert_ok(isg_file_from_memory(&file, "test", packed, size));
    assert_ok(isg_source_create(&source, file, packing, 0, size));
    isg_source_expect(source, bytes, crc);
    isg_status status = isg_source_read_some(source, out, sizeof out, &got);
    if (status == ISG_OK)
        status = isg_source_end(source);
    isg_source_free(source);
    isg_file_close(file);
    return status;
}

static void test_expectations(void **state) {
    (void)state;
    uint8_t packed[512];
    const size_t count = sizeof text, size = pack(-15, text, count, packed, sizeof packed);
    const uint32_t crc = (uint32_t)crc32(0, (const uint8_t *)text, (uInt)count);
    assert_ok(read_expecting(packed, size, ISG_DEFLATE, count, crc));
    assert_refused(read_expecting(packed, size, ISG_DEFLATE, count - 1, crc), "longer than the");
    assert_refused(read_expecting(packed, size, ISG_DEFLATE, count + 1, crc), "shorter than the");
    assert_refused(read_expecting(packed, size, ISG_DEFLATE, count, crc ^ 1),
                   "test: the compressed data are damaged: the checksum (CRC-32) is wrong");
    assert_refused(read_expecting(packed, size + 1, ISG_DEFLATE, count, crc),
                   "bytes are left over");
    for (size_t cut = 0; cut < size; cut++)
        assert_refused(read_expecting(packed, cut, ISG_DEFLATE, count, crc), "they end early");
    const uint8_t *plain = (const uint8_t *)text;
    assert_ok(read_expecting(plain, count, ISG_STORED, count, crc));
    assert_refused(read_expecting(plain, count, ISG_STORED, count, crc ^ 1),
                   "test: the data are damaged: the checksum");
    assert_refused(read_expecting(plain, count, ISG_STORED, count - 1, crc), "longer than the");
}

static void test_observe(void **state) {
    (void)state;
    uint8_t packed[512], out[8];
    isg_file *file = NULL;
    isg_source *source = NULL;
    isg_sha256 hash;
    char hex[ISG_SHA256_HEX];
    const size_t size = pack(31, "xabcx", 5, packed, sizeof packed);
    assert_ok(isg_file_from_memory(&file, "test", packed, size));
    assert_ok(isg_source_create(&source, file, ISG_GZIP, 0, size));
    isg_sha256_start(&hash);
    assert_ok(isg_source_read(source, out, 1, "x"));
    isg_source_observe(source, &hash);
    assert_ok(isg_source_read(source, out, 3, "abc"));
    isg_source_observe(source, NULL);
    assert_ok(isg_source_read(source, out, 1, "x"));
    assert_ok(isg_source_end(source));
    isg_sha256_finish(&hash, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    isg_source_free(source);
    isg_file_close(file);
}

typedef struct packed_text {
    uint8_t bytes[512];
    size_t size;
} packed_text;

static isg_status unpack(void *user) {
    const packed_text *packed = user;
    uint8_t out[512];
    size_t length = 0;
    return read_all(packed->bytes, packed->size, ISG_GZIP, 16, out, sizeof out, &length);
}

static void test_no_memory(void **state) {
    (void)state;
    packed_text packed;
    packed.size = pack(31, text, sizeof text, packed.bytes, sizeof packed.bytes);
    assert_true(sweep_allocations(unpack, &packed) >= 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_part_of_a_file),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_gzip_of_several_parts),
        cmocka_unit_test(test_long_gzip_of_several_parts),
        cmocka_unit_test(test_gzip_part_as_long_as_the_buffer),
        cmocka_unit_test(test_gzip_cut_anywhere),
        cmocka_unit_test(test_gzip_any_bit_flipped),
        cmocka_unit_test(test_junk_after_gzip),
        cmocka_unit_test(test_name_and_content_disagree),
        cmocka_unit_test(test_bomb),
        cmocka_unit_test(test_at_most),
        cmocka_unit_test(test_expectations),
        cmocka_unit_test(test_observe),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
