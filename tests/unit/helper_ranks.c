/* helper_ranks.c - several processes that are ranks of each other, without MPI
 *
 * SPDX-License-Identifier: MIT
 */
#define _DEFAULT_SOURCE
#include "helper_ranks.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/threads.h"
#include "isinglass.h"
#include "test.h"

enum { ROOM = 1 << 22, MOST_RANKS = 16 };

/* What the processes share. */
typedef struct meeting {
    size_t size;
    atomic_size_t waiting, round;
    char room[ROOM];
    char results[];
} meeting;

static void meet(meeting *all) {
    const size_t round = atomic_load(&all->round);
    if (atomic_fetch_add(&all->waiting, 1) + 1 == all->size) {
        atomic_store(&all->waiting, 0);
        atomic_store(&all->round, round + 1);
    }
    while (atomic_load(&all->round) == round)
        sched_yield();
}

typedef struct member {
    meeting *all;
    size_t rank;
} member;

static void gather(void *user, void *rows, size_t row_bytes, const size_t *begin) {
    const member *me = user;
    const size_t first = begin[me->rank] * row_bytes, end = begin[me->rank + 1] * row_bytes;
    if (begin[me->all->size] * row_bytes > ROOM)
        _exit(3);
    memcpy(me->all->room + first, (char *)rows + first, end - first);
    meet(me->all);
    memcpy(rows, me->all->room, begin[me->all->size] * row_bytes);
    meet(me->all);
}

static void broadcast(void *user, void *bytes, size_t count) {
    const member *me = user;
    if (count > ROOM)
        _exit(3);
    if (me->rank == 0)
        memcpy(me->all->room, bytes, count);
    meet(me->all);
    memcpy(bytes, me->all->room, count);
    meet(me->all);
}

void run_ranks(size_t size, void (*work)(const void *user, void *out), const void *user,
               void *results, size_t out_bytes) {
    const size_t bytes = sizeof(meeting) + size * out_bytes;
    pid_t processes[MOST_RANKS];
    assert_true(size > 0 && size <= MOST_RANKS);
    meeting *all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(all != MAP_FAILED);
    all->size = size;
    for (size_t rank = 0; rank < size; rank++) {
        processes[rank] = fork();
        assert_true(processes[rank] >= 0);
        if (processes[rank] == 0) {
            member me = {all, rank};
            const isg_ranks ranks = {rank, size, gather, broadcast, &me};
            if (isg_set_ranks(&ranks) != ISG_OK)
                _exit(2);
            work(user, all->results + rank * out_bytes);
            _exit(0);
        }
    }
    for (size_t rank = 0; rank < size; rank++) {
        int status = 0;
        assert_int_equal(waitpid(processes[rank], &status, 0), processes[rank]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    memcpy(results, all->results, size * out_bytes);
    munmap(all, bytes);
}
