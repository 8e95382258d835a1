/* helper_wall.c - memory that ends at a page which may not be touched
 *
 * SPDX-License-Identifier: MIT
 */
#define _DEFAULT_SOURCE
#include "helper_wall.h"

#include <sys/mman.h>
#include <unistd.h>

#include "test.h"

wall wall_create(void) {
    wall w = {.page = (size_t)sysconf(_SC_PAGESIZE)};
    w.bytes = ROOM + w.page;
    w.start = mmap(NULL, w.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(w.start != MAP_FAILED);
    assert_int_equal(mprotect(w.start + ROOM, w.page, PROT_NONE), 0);
    return w;
}

void *ending_at(const wall *w, size_t bytes) {
    assert_true(bytes <= ROOM);
    return w->start + ROOM - bytes;
}

void wall_free(wall *w) {
    munmap(w->start, w->bytes);
}

size_t runnable(const isg_kernels *sets[8]) {
    size_t n = 0;
    for (size_t i = 0; isg_isa_name(i); i++)
        if (isg_set_isa(isg_isa_name(i)) == ISG_OK)
            sets[n++] = isg_kernels_get();
    assert_ptr_equal(sets[0], &isg_kernels_ref);
    assert_int_equal(isg_set_isa(NULL), ISG_OK);
    return n;
}
