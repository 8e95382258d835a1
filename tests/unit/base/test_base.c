/* test_base.c - status, memory, bits, files, SHA-256
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/bits.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "test.h"

static void sentence_is_kept_and_clean(void **state) {
    (void)state;
    assert_int_equal(isg_fail(ISG_ERR_SHAPE, "a\nb\t%d", 7), ISG_ERR_SHAPE);
    assert_string_equal(isg_error_message(), "a?b?7");
    isg_fail(ISG_ERR_IO, "%s again", isg_error_message());
    assert_string_equal(isg_error_message(), "a?b?7 again");
    char *huge = malloc(5000);
    memset(huge, 'x', 4999);
    huge[4999] = '\0';
    isg_fail(ISG_ERR_IO, "%s", huge);
    free(huge);
    const size_t length = strlen(isg_error_message());
    assert_true(length < 1024);
    assert_string_equal(isg_error_message() + length - 3, "...");
}

static void products_are_checked(void **state) {
    (void)state;
    size_t product = 1;
    assert_true(isg_multiply(&product, SIZE_MAX, 1));
    assert_true(product == SIZE_MAX);
    assert_false(isg_multiply(&product, SIZE_MAX / 2 + 1, 2));
    assert_true(isg_multiply(&product, 0, SIZE_MAX));
    assert_true(product == 0);
    assert_null(isg_allocate(SIZE_MAX / 8 + 1, 8));
    assert_non_null(strstr(isg_error_message(), "do not fit"));
    assert_null(isg_allocate(PTRDIFF_MAX, 2));
}

static void blocks_are_aligned_and_zeroed(void **state) {
    (void)state;
    for (size_t n = 0; n < 200; n += 7) {
        unsigned char *block = isg_allocate(n, 3);
        assert_non_null(block);
        assert_true((uintptr_t)block % ISG_ALIGNMENT == 0);
        for (size_t k = 0; k < 3 * n; k++)
            assert_int_equal(block[k], 0);
        memset(block, 0xff, 3 * n);
        isg_release(block);
    }
}

static void growing_keeps_the_content(void **state) {
    (void)state;
    void *pointer = NULL;
    size_t capacity = 0;
    for (size_t n = 1; n <= 1000; n++) {
        assert_ok(isg_grow(&pointer, &capacity, n, sizeof(size_t)));
        assert_true(capacity >= n);
        ((size_t *)pointer)[n - 1] = n;
    }
    for (size_t n = 1; n <= 1000; n++)
        assert_true(((size_t *)pointer)[n - 1] == n);
    assert_int_equal(isg_grow(&pointer, &capacity, SIZE_MAX, sizeof(size_t)), ISG_ERR_MEMORY);
    assert_true(((size_t *)pointer)[999] == 1000);
    isg_release(pointer);
}

static void bits_are_spins(void **state) {
    (void)state;
    assert_int_equal(isg_words(0), 0);
    assert_int_equal(isg_words(64), 1);
    assert_int_equal(isg_words(65), 2);
    uint64_t row[2] = {0, 0}, other[2] = {0, 0};
    isg_bit_assign(row, 0, true);
    isg_bit_assign(row, 63, true);
    isg_bit_assign(row, 64, true);
    assert_true(row[0] == 0x8000000000000001u && row[1] == 1);
    assert_int_equal(isg_spin(row, 63), 1);
    assert_int_equal(isg_spin(row, 62), -1);
    assert_int_equal(isg_count_ones(row, 2), 3);
    isg_bit_assign(other, 64, true);
    assert_int_equal(isg_hamming(row, other, 2), 2);
    isg_bit_assign(row, 63, false);
    assert_int_equal(isg_spin(row, 63), -1);
}

/* FIPS 180-4 examples, and lengths around the block size against a byte-wise feed. */
static void sha256_known_answers(void **state) {
    (void)state;
    static const struct {
        const char *text, *hex;
    } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    char hex[ISG_SHA256_HEX], bytewise[ISG_SHA256_HEX];
    isg_sha256 hash;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        isg_sha256_start(&hash);
        isg_sha256_add(&hash, cases[k].text, strlen(cases[k].text));
        isg_sha256_finish(&hash, hex);
        assert_string_equal(hex, cases[k].hex);
    }
    isg_sha256_start(&hash);
    char a[1000];
    memset(a, 'a', sizeof a);
    for (size_t k = 0; k < 1000; k++)
        isg_sha256_add(&hash, a, sizeof a);
    isg_sha256_finish(&hash, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    for (size_t n = 0; n < 200; n++) {
        isg_sha256_start(&hash);
        isg_sha256_add(&hash, a, n);
        isg_sha256_finish(&hash, hex);
        isg_sha256_start(&hash);
        for (size_t k = 0; k < n; k++)
            isg_sha256_add(&hash, a + k, 1);
        isg_sha256_finish(&hash, bytewise);
        assert_string_equal(hex, bytewise);
    }
}

static char directory[] = "/tmp/isinglass-test-XXXXXX";

static const char *in_directory(const char *name) {
    static char path[4][512];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", directory, name);
    return path[next];
}

static size_t count_files(void) {
    char command[600];
    snprintf(command, sizeof command, "ls -A %s | wc -l", directory);
    FILE *pipe = popen(command, "r");
    unsigned long count = 0;
    assert_int_equal(fscanf(pipe, "%lu", &count), 1);
    pclose(pipe);
    return count;
}

static void files_read_by_position(void **state) {
    (void)state;
    isg_file *file = NULL;
    char buffer[8] = "";
    assert_ok(isg_write_file(in_directory("ten"), "0123456789", 10));
    assert_ok(isg_file_open(&file, in_directory("ten")));
    assert_int_equal(isg_file_size(file), 10);
    assert_ok(isg_file_read_at(file, 3, buffer, 4));
    assert_memory_equal(buffer, "3456", 4);
    assert_ok(isg_file_read_at(file, 10, buffer, 0));
    assert_fails(isg_file_read_at(file, 8, buffer, 3), ISG_ERR_FORMAT, "ends early");
    assert_fails(isg_file_read_at(file, UINT64_MAX, buffer, 3), ISG_ERR_FORMAT, "ends early");
    assert_int_equal(truncate(in_directory("ten"), 5), 0);
    assert_fails(isg_file_read_at(file, 4, buffer, 4), ISG_ERR_FORMAT, "ends early");
    isg_file_close(file);
    unlink(in_directory("ten"));
}

static void odd_files_are_refused(void **state) {
    (void)state;
    isg_file *file = NULL;
    assert_fails(isg_file_open(&file, directory), ISG_ERR_FORMAT, "a directory");
    assert_int_equal(mkfifo(in_directory("pipe"), 0600), 0);
    assert_fails(isg_file_open(&file, in_directory("pipe")), ISG_ERR_FORMAT, "a pipe");
    unlink(in_directory("pipe"));
    assert_fails(isg_file_open(&file, "/dev/zero"), ISG_ERR_FORMAT, "a device");
    assert_fails(isg_file_open(&file, in_directory("none")), ISG_ERR_IO, "No such file");
    assert_null(file);
}

static void written_whole_or_not_at_all(void **state) {
    (void)state;
    const char *path = in_directory("out");
    isg_atomic_file *out = NULL;
    assert_ok(isg_write_file(path, "old", 3));
    assert_ok(isg_atomic_file_create(&out, path));
    assert_ok(isg_atomic_file_write(out, "new content", 11));
    isg_atomic_file_free(out); /* never committed */
    isg_file *file = NULL;
    char buffer[16] = "";
    assert_ok(isg_file_open(&file, path));
    assert_ok(isg_file_read_at(file, 0, buffer, 3));
    assert_string_equal(buffer, "old");
    isg_file_close(file);
    assert_int_equal(count_files(), 1);

    assert_ok(isg_atomic_file_create(&out, path));
    char *large = isg_allocate(300000, 1);
    memset(large, 'x', 300000);
    memcpy(large + 70000, "HERE", 4);
    assert_ok(isg_atomic_file_write(out, large, 300000));
    assert_int_equal(isg_atomic_file_size(out), 300000);
    assert_ok(isg_atomic_file_commit(out));
    isg_atomic_file_free(out);
    isg_release(large);
    assert_ok(isg_file_open(&file, path));
    assert_int_equal(isg_file_size(file), 300000);
    assert_ok(isg_file_read_at(file, 69999, buffer, 6));
    assert_memory_equal(buffer, "xHEREx", 6);
    isg_file_close(file);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    const mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(about.st_mode & 0777, 0666 & ~mask);
    assert_int_equal(count_files(), 1);
    unlink(path);
}

static void failed_writes_leave_nothing(void **state) {
    (void)state;
    assert_fails(isg_write_file(in_directory("no/such/place"), "x", 1), ISG_ERR_IO, "No such file");
    assert_fails(isg_write_file(directory, "x", 1), ISG_ERR_IO, "not a regular file");
    assert_fails(isg_write_file("/dev/full", "x", 1), ISG_ERR_IO, "not a regular file");
    /* A file size limit stands for the full disk. */
    struct rlimit old, small = {1000, 1000};
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    setrlimit(RLIMIT_FSIZE, &small);
    signal(SIGXFSZ, SIG_IGN);
    char content[5000] = {0};
    const isg_status status = isg_write_file(in_directory("big"), content, sizeof content);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(status, ISG_ERR_IO);
    assert_int_equal(count_files(), 0);
}

static int make_directory(void **state) {
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state) {
    (void)state;
    return rmdir(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentence_is_kept_and_clean),
        cmocka_unit_test(products_are_checked),
        cmocka_unit_test(blocks_are_aligned_and_zeroed),
        cmocka_unit_test(growing_keeps_the_content),
        cmocka_unit_test(bits_are_spins),
        cmocka_unit_test(sha256_known_answers),
        cmocka_unit_test(files_read_by_position),
        cmocka_unit_test(odd_files_are_refused),
        cmocka_unit_test(written_whole_or_not_at_all),
        cmocka_unit_test(failed_writes_leave_nothing),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
