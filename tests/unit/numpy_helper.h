/* numpy_helper.h - what the tests of sources, arrays and NumPy files share
 *
 * SPDX-License-Identifier: MIT
 *
 * To be included after cmocka.h, by a file that asks for POSIX.
 */
#ifndef ISG_NUMPY_HELPER_H
#define ISG_NUMPY_HELPER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "helper_allocation.h"
#include "io/source.h"
#include "test.h"

/* Fails the test, with the sentence at hand, unless the message has `part` in it. */
#define assert_message(part)                                                                       \
    do {                                                                                           \
        if (!strstr(isg_error_message(), part))                                                    \
            fail_msg("expected \"%s\" in \"%s\"", part, isg_error_message());                      \
    } while (0)

#define assert_refused(call, part)                                                                 \
    do {                                                                                           \
        assert_int_equal(call, ISG_ERR_FORMAT);                                                    \
        assert_message(part);                                                                      \
    } while (0)

/* ---- Files -------------------------------------------------------------------------------- */

static inline char *scratch_create(void) {
    char *directory = malloc(64);
    assert_non_null(directory);
    strcpy(directory, "/tmp/isinglass-test-XXXXXX");
    assert_non_null(mkdtemp(directory));
    return directory;
}

static inline void scratch_remove(char *directory) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    assert_int_equal(system(command), 0);
    free(directory);
}

/* The path of a file in the scratch directory; good until the eighth call after. */
static inline const char *in(const char *directory, const char *name) {
    static char paths[8][256];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static inline uint8_t *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static inline void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Code that the system's Python, which has NumPy, is to run in the directory: what is printed to the
   stream up to python_end(). */
static inline FILE *python_begin(const char *directory) {
    FILE *script = fopen(in(directory, "script.py"), "w");
    assert_non_null(script);
    fputs("import io, struct, sys, zipfile, zlib\nimport numpy as np\n", script);
    return script;
}

static inline void python_end(const char *directory, FILE *script) {
    char command[256];
    assert_int_equal(fclose(script), 0);
    snprintf(command, sizeof command, "cd '%s' && /usr/bin/python3 script.py", directory);
    assert_int_equal(system(command), 0);
}

static inline void run_python(const char *directory, const char *code) {
    FILE *script = python_begin(directory);
    fputs(code, script);
    python_end(directory, script);
}

/* A plain source over bytes in memory; `*file` is to be closed after it. */
static inline isg_source *source_over(isg_file **file, const void *bytes, size_t size) {
    isg_source *source = NULL;
    assert_ok(isg_file_from_memory(file, "test", bytes, size));
    assert_ok(isg_source_create(&source, *file, ISG_PLAIN, 0, size));
    return source;
}

#endif
