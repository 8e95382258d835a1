/* helper_allocation.c - every allocation of a piece of work fails in turn
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "helper_allocation.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

typedef struct failing_allocator {
    size_t calls, fail_at; /* the call number `fail_at`, counted from 1, fails */
    long live;             /* blocks not released */
} failing_allocator;

static void *failing_allocate(void *user, size_t alignment, size_t bytes) {
    failing_allocator *state = user;
    void *pointer = NULL;
    if (++state->calls == state->fail_at || posix_memalign(&pointer, alignment, bytes) != 0)
        return NULL;
    state->live++;
    return pointer;
}

static void failing_release(void *user, void *pointer) {
    ((failing_allocator *)user)->live--;
    free(pointer);
}

size_t sweep_allocations(isg_status (*job)(void *user), void *user) {
    for (size_t n = 1;; n++) {
        failing_allocator state = {.fail_at = n};
        const isg_allocator allocator = {failing_allocate, failing_release, &state};
        isg_set_allocator(&allocator);
        const isg_status status = job(user);
        isg_set_allocator(NULL);
        assert_int_equal(state.live, 0);
        if (state.calls < n) {
            assert_int_equal(status, ISG_OK);
            return n - 1;
        }
        if (status != ISG_OK) {
            assert_int_equal(status, ISG_ERR_MEMORY);
            assert_non_null(strstr(isg_error_message(), "memory"));
        }
    }
}
