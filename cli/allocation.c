/* allocation.c - the program's own allocation, and the test hook that makes it fail
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/allocation.h"
#include "src/base/number.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char variable[] = "ISINGLASS_FAIL_ALLOCATION";

static uint64_t first_failing; /* counted from 1; 0 for never */
static bool fails_for_good;
static bool json_lacked_memory;
static atomic_uint_fast64_t allocations; /* the library allocates from several threads */

static bool must_fail(void) {
    if (first_failing == 0)
        return false;
    const uint64_t number = atomic_fetch_add(&allocations, 1) + 1;
    return number == first_failing || (fails_for_good && number > first_failing);
}

static void *allocate_for_library(void *user, size_t alignment, size_t bytes) {
    (void)user;
    void *pointer = NULL;
    return !must_fail() && posix_memalign(&pointer, alignment, bytes) == 0 ? pointer : NULL;
}

static void release_for_library(void *user, void *pointer) {
    (void)user;
    free(pointer);
}

static void *allocate_for_json(size_t bytes) {
    void *pointer = must_fail() ? NULL : malloc(bytes);
    json_lacked_memory |= !pointer;
    return pointer;
}

bool memory_lacked_for_json(void) {
    return json_lacked_memory;
}

exit_code memory_start(void) {
    const char *text = getenv(variable);
    json_set_alloc_funcs(allocate_for_json, free);
    if (!text || !text[0])
        return EXIT_DONE;
    char digits[32];
    const size_t length = strlen(text);
    const bool has_plus = text[length - 1] == '+';
    snprintf(digits, sizeof digits, "%.*s", (int)(length < 31 ? length - has_plus : 31), text);
    if (!isg_parse_uint64(digits, &first_failing) || first_failing == 0)
        return fail(EXIT_MISUSED,
                    "%s: expected a whole number above 0, or one with + behind it, "
                    "found '%s'",
                    variable, text);
    fails_for_good = has_plus;
    const isg_allocator allocator = {allocate_for_library, release_for_library, NULL};
    isg_set_allocator(&allocator);
    return EXIT_DONE;
}

void *memory_allocate(size_t count, size_t size) {
    if (must_fail())
        return NULL;
    return calloc(count ? count : 1, size ? size : 1);
}

void *memory_resize(void *pointer, size_t old_bytes, size_t bytes) {
    void *moved = memory_allocate(bytes, 1);
    if (!moved)
        return NULL;
    if (pointer)
        memcpy(moved, pointer, old_bytes < bytes ? old_bytes : bytes);
    memory_release(pointer);
    return moved;
}

char *memory_format(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : memory_allocate((size_t)length + 1, 1);
    if (!text)
        return NULL;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

void memory_release(void *pointer) {
    free(pointer);
}
