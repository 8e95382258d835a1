/* memory.c - the only place that allocates
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void *default_allocate(void *user, size_t alignment, size_t bytes) {
    (void)user;
    void *pointer = NULL;
    return posix_memalign(&pointer, alignment, bytes) == 0 ? pointer : NULL;
}

static void default_release(void *user, void *pointer) {
    (void)user;
    free(pointer);
}

static isg_allocator allocator = {default_allocate, default_release, NULL};

void isg_set_allocator(const isg_allocator *replacement) {
    allocator =
        replacement ? *replacement : (isg_allocator){default_allocate, default_release, NULL};
}

bool isg_multiply(size_t *out, size_t a, size_t b) {
    if (b != 0 && a > SIZE_MAX / b)
        return false;
    *out = a * b;
    return true;
}

void *isg_allocate(size_t count, size_t size) {
    size_t bytes = 0;
    if (!isg_multiply(&bytes, count, size) || bytes > PTRDIFF_MAX) {
        isg_fail(ISG_ERR_MEMORY, "%zu objects of %zu bytes do not fit in memory", count, size);
        return NULL;
    }
    void *pointer = allocator.allocate(allocator.user, ISG_ALIGNMENT, bytes ? bytes : 1);
    if (!pointer) {
        isg_fail(ISG_ERR_MEMORY, "out of memory (%zu bytes requested)", bytes);
        return NULL;
    }
    memset(pointer, 0, bytes);
    return pointer;
}

void isg_release(void *pointer) {
    if (pointer)
        allocator.release(allocator.user, pointer);
}

void isg_bytes_free(void *bytes) {
    isg_release(bytes);
}

isg_status isg_grow(void **pointer, size_t *capacity, size_t needed, size_t size) {
    if (needed <= *capacity)
        return ISG_OK;
    size_t larger = *capacity < 16 ? 16 : *capacity;
    while (larger < needed)
        larger = larger > SIZE_MAX / 2 ? needed : 2 * larger;
    void *moved = isg_allocate(larger, size);
    if (!moved)
        return ISG_ERR_MEMORY;
    if (*pointer)
        memcpy(moved, *pointer, *capacity * size);
    isg_release(*pointer);
    *pointer = moved;
    *capacity = larger;
    return ISG_OK;
}

char *isg_copy_text(const char *text) {
    const size_t length = strlen(text);
    char *copy = isg_allocate(length + 1, 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

void *isg_zlib_allocate(void *user, unsigned count, unsigned size) {
    (void)user;
    return isg_allocate(count, size);
}

void isg_zlib_release(void *user, void *pointer) {
    (void)user;
    isg_release(pointer);
}
