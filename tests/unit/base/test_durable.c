/* test_durable.c - a file has its name only once its content is on the disk
 *
 * SPDX-License-Identifier: MIT
 *
 * After a loss of power only what was synced is certain: first the content, then the name, then the
 * directory. No test can pull the plug, so this one stands between the library and the system: its
 * pwrite(), fsync() and rename() take the place of those of libc and note in which order they come.
 */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "test.h"

/* ---- what the library calls ------------------------------------------------------------------- */

static struct {
    size_t writes, renames;
    size_t early;           /* renames of files whose last bytes were not synced */
    ino_t written;          /* the last file that was written to */
    bool is_synced;         /* ... has been since */
    bool is_name_uncertain; /* a rename whose directory has not been synced */
} seen;

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    struct stat about;
    if (fstat(descriptor, &about) == 0) {
        seen.written = about.st_ino;
        seen.is_synced = false;
        seen.writes++;
    }
    void *base = NULL; /* of a system call that only reads it */
    memcpy(&base, &bytes, sizeof base);
    return pwritev(descriptor, &(struct iovec){base, count}, 1, offset);
}

int fsync(int descriptor) {
    struct stat about;
    if (fstat(descriptor, &about) == 0) {
        seen.is_synced = seen.is_synced || about.st_ino == seen.written;
        seen.is_name_uncertain = seen.is_name_uncertain && !S_ISDIR(about.st_mode);
    }
    return (int)syscall(SYS_fsync, descriptor);
}

int rename(const char *from, const char *to) {
    struct stat about;
    if (stat(from, &about) == 0) {
        seen.renames++;
        seen.early += about.st_ino != seen.written || !seen.is_synced;
        seen.is_name_uncertain = true;
    }
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

/* ---- tests ------------------------------------------------------------------------------------ */

static char directory[] = "/tmp/isinglass-durable-XXXXXX", path[sizeof directory + 8];

static int make_directory(void **state) {
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(path, sizeof path, "%s/file", directory);
    return 0;
}

static int remove_directory(void **state) {
    (void)state;
    unlink(path);
    return rmdir(directory);
}

static int forget(void **state) {
    (void)state;
    memset(&seen, 0, sizeof seen);
    return 0;
}

static void assert_durable(size_t writes) {
    assert_true(seen.writes >= writes);
    assert_int_equal(seen.renames, 1);
    assert_int_equal(seen.early, 0);
    assert_false(seen.is_name_uncertain);
}

static void the_content_is_synced_then_the_name(void **state) {
    (void)state;
    assert_ok(isg_write_file(path, "short", 5));
    assert_durable(1);
}

/* More than a buffer, so that some of it is written before the end. */
static void bytes_written_late_are_synced_too(void **state) {
    (void)state;
    isg_atomic_file *file = NULL;
    static char large[200000];
    assert_ok(isg_atomic_file_create(&file, path));
    assert_ok(isg_atomic_file_write(file, large, sizeof large));
    assert_ok(isg_atomic_file_write(file, "last", 4));
    assert_ok(isg_atomic_file_commit(file));
    isg_atomic_file_free(file);
    assert_durable(4);
}

static void a_model_is_synced(void **state) {
    (void)state;
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_create(&rbm, 9, 2, 1));
    assert_ok(isg_rbm_save(rbm, path, 1, "test"));
    isg_rbm_free(rbm);
    assert_durable(1);
}

/* The file as somebody would write it who has never lost one: `order` of (w)rite, (s)ync, (r)ename and
   (d)irectory. */
static void write_carelessly(const char *order) {
    char temporary[sizeof path + 8];
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    const int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const int folder = open(directory, O_RDONLY | O_DIRECTORY);
    assert_true(file >= 0 && folder >= 0);
    forget(NULL);
    for (; *order; order++) {
        if (*order == 'w')
            assert_int_equal(pwrite(file, "content", 7, 0), 7);
        else if (*order == 'r')
            assert_int_equal(rename(temporary, path), 0);
        else
            assert_int_equal(fsync(*order == 's' ? file : folder), 0);
    }
    close(file);
    close(folder);
}

static void carelessness_is_noticed(void **state) {
    (void)state;
    write_carelessly("wsrd");
    assert_durable(1);
    static const char *const early[] = {"wrd", "wrsd", "swrd", "wswrd"};
    for (size_t k = 0; k < sizeof early / sizeof early[0]; k++) {
        write_carelessly(early[k]);
        assert_int_equal(seen.early, 1);
    }
    static const char *const uncertain[] = {"wsr", "wsdr", "wsrs"};
    for (size_t k = 0; k < sizeof uncertain / sizeof uncertain[0]; k++) {
        write_carelessly(uncertain[k]);
        assert_int_equal(seen.early, 0);
        assert_true(seen.is_name_uncertain);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_content_is_synced_then_the_name, forget),
        cmocka_unit_test_setup(bytes_written_late_are_synced_too, forget),
        cmocka_unit_test_setup(a_model_is_synced, forget),
        cmocka_unit_test(carelessness_is_noticed),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
