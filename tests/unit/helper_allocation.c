/* helper_allocation.c - every allocation of a piece of work fails in turn
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "helper_allocation.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

/* Blocks begin with their size, in as many bytes as their alignment. */
typedef struct counting_allocator {
    atomic_size_t calls;
    size_t fail_at; /* the call of this number, from 1, fails; 0: none */
    atomic_size_t blocks, bytes, peak;
} counting_allocator;

enum { HEAD = 64 };

static void *count_allocate(void *user, size_t alignment, size_t bytes) {
    counting_allocator *counts = user;
    void *block = NULL;
    assert_true(alignment <= HEAD);
    if (atomic_fetch_add(&counts->calls, 1) + 1 == counts->fail_at ||
        posix_memalign(&block, HEAD, HEAD + bytes) != 0)
        return NULL;
    memcpy(block, &bytes, sizeof bytes);
    counts->blocks++;
    counts->bytes += bytes;
    if (counts->bytes > counts->peak) /* exact for work on one thread */
        counts->peak = counts->bytes;
    return (char *)block + HEAD;
}

static void count_release(void *user, void *pointer) {
    counting_allocator *counts = user;
    if (!pointer)
        return;
    size_t bytes = 0;
    char *block = (char *)pointer - HEAD;
    memcpy(&bytes, block, sizeof bytes);
    counts->blocks--;
    counts->bytes -= bytes;
    free(block);
}

static isg_status run_counted(counting_allocator *counts, isg_status (*job)(void *), void *user) {
    const isg_allocator allocator = {count_allocate, count_release, counts};
    isg_set_allocator(&allocator);
    const isg_status status = job(user);
    isg_set_allocator(NULL);
    assert_int_equal(counts->blocks, 0);
    return status;
}

size_t sweep_allocations(isg_status (*job)(void *user), void *user) {
    for (size_t n = 1;; n++) {
        counting_allocator counts = {.fail_at = n};
        const isg_status status = run_counted(&counts, job, user);
        if (counts.calls < n) {
            assert_ok(status);
            return n - 1;
        }
        if (status != ISG_OK) {
            assert_int_equal(status, ISG_ERR_MEMORY);
            assert_non_null(strstr(isg_error_message(), "memory"));
        }
    }
}

isg_status run_without_leak(isg_status (*job)(void *user), void *user) {
    counting_allocator counts = {.fail_at = 0};
    return run_counted(&counts, job, user);
}

size_t peak_allocation(isg_status (*job)(void *user), void *user) {
    counting_allocator counts = {.fail_at = 0};
    assert_ok(run_counted(&counts, job, user));
    return counts.peak;
}
