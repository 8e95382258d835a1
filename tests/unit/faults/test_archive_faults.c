/* test_archive_faults.c - archives and files longer than a buffer, on a disk that is full
 *
 * SPDX-License-Identifier: MIT
 */
#include "faulty_system.h"

#include <dirent.h>
#include <stdlib.h>

#include "base/atomic_file.h"
#include "helper_scratch.h"
#include "io/npy.h"
#include "io/verified_file.h"
#include "io/zip.h"
#include "io/zip_writer.h"

enum { BUFFER_BYTES = 1 << 16 }; /* of a file */

static void fail_from(const char *only, int reason, size_t call) {
    memset(&fault, 0, sizeof fault);
    fault.reason = reason;
    fault.only = only;
    fault.call = call;
    fault.is_for_ever = true;
    fault.is_armed = true;
}

static void disarm(void) {
    fault.is_armed = false;
    assert_int_equal(fault.open_files, 0);
}

/* ---- archives ----------------------------------------------------------------------------------------- */

/* A stored member of `fill` bytes, a packed one, one of two parts. */
static isg_status write_archive(const char *path, size_t fill, uint64_t limit) {
    static const uint8_t zeros[BUFFER_BYTES];
    const isg_zip_part parts[] = {{zeros, 30}, {zeros, 30}};
    isg_zip_writer *writer = NULL;
    isg_status status = isg_zip_writer_create(&writer, path);
    if (status == ISG_OK) {
        isg_zip_writer_widen_from(writer, limit);
        status = isg_zip_writer_add(writer, "a name of twenty byt", zeros, fill, false);
    }
    if (status == ISG_OK)
        status = isg_zip_writer_add(writer, "and another of 20 by", zeros, 1000, true);
    if (status == ISG_OK)
        status = isg_zip_writer_add_parts(writer, "and the last name 20", parts, 2, false);
    if (status == ISG_OK)
        status = isg_zip_writer_commit(writer);
    isg_zip_writer_free(writer);
    return status;
}

/* Buffers are written when they are full, so that another piece of the archive is the one that fails
   for every length of the first member. */
static void full_disk_at_every_piece(void **state) {
    (void)state;
    const char *path = in(directory, "a.zip");
    const uint64_t limits[] = {0, UINT64_MAX};
    for (size_t k = 0; k < 2; k++)
        for (size_t fill = BUFFER_BYTES - 800; fill < BUFFER_BYTES; fill += 9) {
            fail_from("pwrite", ENOSPC, 1);
            assert_fails(write_archive(path, fill, limits[k]), ISG_ERR_IO, "could not be written");
            disarm();
            assert_int_equal(count_files(""), 0);
        }
}

static isg_status read_archive(void *user) {
    const size_t *count = user;
    isg_file *file = NULL;
    isg_zip *zip = NULL;
    fault.is_armed = true;
    isg_status status = isg_file_open(&file, in(directory, "a.zip"));
    if (status == ISG_OK)
        status = isg_zip_open(&zip, file);
    if (status == ISG_OK)
        assert_int_equal(isg_zip_count(zip), *count);
    isg_zip_close(zip);
    isg_file_close(file);
    fault.is_armed = false;
    return status;
}

static void is_clean(void *user, isg_status status) {
    (void)user;
    assert_fails(status, ISG_ERR_IO, directory);
}

/* Whatever is wide in it, sizes, offsets, the directory or the number of members. */
static void wide_archives(void **state) {
    (void)state;
    size_t count = 3;
    memset(&fault, 0, sizeof fault);
    for (uint64_t limit = 0; limit < 400; limit += 7) {
        assert_ok(write_archive(in(directory, "a.zip"), 10, limit));
        assert_ok(read_archive(&count));
    }
    assert_ok(write_archive(in(directory, "a.zip"), 10, 0));
    /* The beginning, the end, the locator, the wide end, the directory and three members. */
    static const char *const only[] = {"open", "pread"};
    size_t calls = 0;
    for (size_t k = 0; k < 2; k++)
        calls += sweep_calls((sweep){.work = read_archive,
                                     .user = &count,
                                     .reason = EIO,
                                     .only = only[k],
                                     .judge = is_clean});
    assert_true(calls >= 6);
    isg_zip_writer *writer = NULL;
    memset(&fault, 0, sizeof fault);
    assert_ok(isg_zip_writer_create(&writer, in(directory, "a.zip")));
    isg_zip_writer_widen_from(writer, 0);
    assert_ok(isg_zip_writer_commit(writer));
    isg_zip_writer_free(writer);
    count = 0;
    assert_ok(read_archive(&count));
    remove(in(directory, "a.zip"));
}

/* The archive ends where its wide end record would have to begin before it. */
static void no_room_for_the_wide_end(void **state) {
    (void)state;
    static const char bytes[46] = "PK\5\6PK\6\7\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0PK\5\6";
    isg_file *file = NULL;
    isg_zip *zip = NULL;
    assert_ok(isg_file_from_memory(&file, "x.npz", bytes, sizeof bytes));
    assert_fails(isg_zip_open(&zip, file), ISG_ERR_FORMAT, "the zip64 end record is missing");
    isg_file_close(file);
}

static void members_of_impossible_size(void **state) {
    (void)state;
    const isg_zip_part parts[] = {{"x", 1}, {"x", PTRDIFF_MAX}};
    isg_zip_writer *writer = NULL;
    memset(&fault, 0, sizeof fault);
    assert_ok(isg_zip_writer_create(&writer, in(directory, "a.zip")));
    assert_fails(isg_zip_writer_add_parts(writer, "a", parts, 2, true), ISG_ERR_ARGUMENT,
                 "the member \"a\" is too large");
    isg_zip_writer_free(writer);
    assert_int_equal(count_files(""), 0);
}

/* ---- other files --------------------------------------------------------------------------------------- */

static void full_disk_in_a_long_array(void **state) {
    (void)state;
    static const uint8_t zeros[3 * BUFFER_BYTES];
    const isg_array_type type = isg_array_type_of(ISG_UINT8, 1, (const size_t[]){sizeof zeros});
    const char *path = in(directory, "a.npy");
    for (size_t call = 1; call <= 4; call++) {
        fail_from("pwrite", ENOSPC, call);
        assert_fails(isg_npy_write(path, &type, zeros), ISG_ERR_IO, "No space left on device");
        disarm();
        fail_from("pwrite", ENOSPC, call);
        const isg_status status = isg_write_file(path, zeros, sizeof zeros);
        assert_int_equal(status, call <= 3 ? ISG_ERR_IO : ISG_OK);
        disarm();
        remove(path);
    }
    assert_int_equal(count_files(""), 0);
}

/* The copy of a file with known content is not there before all of it is. */
static void full_disk_in_a_copy(void **state) {
    (void)state;
    static const uint8_t zeros[3 * BUFFER_BYTES];
    static const char wrong[] = "0000000000000000000000000000000000000000000000000000000000000000";
    const char *from = in(directory, "from"), *to = in(directory, "to");
    memset(&fault, 0, sizeof fault);
    assert_ok(isg_write_file(from, zeros, sizeof zeros));
    fail_from("pwrite", ENOSPC, 2);
    assert_fails(isg_file_install(from, to, wrong, NULL), ISG_ERR_IO, "No space left on device");
    disarm();
    assert_int_equal(count_files(""), 1);
    remove(from);
}

/* After a thousand names that others have taken it gives up. */
static void no_name_is_free(void **state) {
    (void)state;
    fail_from("open", EEXIST, 1);
    assert_fails(isg_write_file(in(directory, "a"), "x", 1), ISG_ERR_IO, "File exists");
    disarm();
    assert_int_equal(fault.calls, 1000);
    assert_int_equal(count_files(""), 0);
}

/* The directory of a bare name is the one that the program is in. */
static void bare_names(void **state) {
    (void)state;
    char before[512];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(directory), 0);
    memset(&fault, 0, sizeof fault);
    assert_ok(isg_write_file("bare", "x", 1));
    assert_int_equal(chdir(before), 0);
    assert_int_equal(remove(in(directory, "bare")), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_disk_at_every_piece),
        cmocka_unit_test(wide_archives),
        cmocka_unit_test(no_room_for_the_wide_end),
        cmocka_unit_test(members_of_impossible_size),
        cmocka_unit_test(full_disk_in_a_long_array),
        cmocka_unit_test(no_name_is_free),
        cmocka_unit_test(bare_names),
        cmocka_unit_test(full_disk_in_a_copy),
    };
    return cmocka_run_group_tests(tests, make_directory_in_memory, remove_directory);
}
