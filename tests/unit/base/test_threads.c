/* test_threads.c - threads and the name of the linear algebra library
 *
 * SPDX-License-Identifier: MIT
 *
 * Called with the argument "threads", the program instead answers by its exit status how many
 * threads a fresh process uses; so the tests can ask under another environment.
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <omp.h>
#include <pthread.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "base/threads.h"

static char *program;

static int threads_of_a_fresh_process(const char *setting) {
    char argument[] = "threads", variable[64];
    strncpy(variable, setting, sizeof variable - 1);
    variable[sizeof variable - 1] = '\0';
    char *arguments[] = {program, argument, NULL}, *environment[] = {variable, NULL};
    pid_t child = 0;
    int status = 0;
    assert_int_equal(posix_spawn(&child, program, NULL, NULL, arguments, environment), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void the_environment_holds_until_something_is_set(void **state) {
    (void)state;
    assert_int_equal(threads_of_a_fresh_process("OMP_NUM_THREADS=3"), 3);
    assert_int_equal(threads_of_a_fresh_process("OMP_NUM_THREADS=5"), 5);
    assert_int_equal(threads_of_a_fresh_process("NOTHING="), omp_get_num_procs());
}

static int count_threads(void) {
    int count = 0;
#pragma omp parallel num_threads(isg_team_size())
    {
#pragma omp atomic
        count++;
    }
    return count;
}

static void *count_elsewhere(void *out) {
    *(int *)out = count_threads();
    return NULL;
}

static void threads_can_be_set(void **state) {
    (void)state;
    const size_t wanted[] = {1, 2, 7};
    for (size_t i = 0; i < 3; i++) {
        isg_set_threads(wanted[i]);
        assert_int_equal(isg_threads(), wanted[i]);
        assert_int_equal(count_threads(), wanted[i]);
        /* The number holds in every thread, not only in the one that set it. */
        pthread_t thread;
        int count = 0;
        assert_int_equal(pthread_create(&thread, NULL, count_elsewhere, &count), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(count, wanted[i]);
    }
    isg_set_threads(0);
    assert_int_equal(isg_threads(), omp_get_num_procs());
    isg_set_threads(SIZE_MAX);
    assert_int_equal(isg_threads(), ISG_MAX_THREADS);
    isg_set_threads(0);
}

/* What a thread with its own number sees, beside another that has another. */
typedef struct own_count {
    size_t wanted, seen;
    int counted, counted_after;
} own_count;

static void *count_own(void *user) {
    own_count *my = user;
    isg_set_own_threads(my->wanted);
    my->seen = isg_threads();
    for (size_t k = 0; k < 100; k++) {
        const int counted = count_threads();
        my->counted = k == 0 || counted == my->counted ? counted : -1;
    }
    isg_set_own_threads(0);
    my->counted_after = count_threads();
    return NULL;
}

static void threads_may_have_their_own(void **state) {
    (void)state;
    own_count counts[] = {{.wanted = 5}, {.wanted = 1}, {.wanted = 3}};
    pthread_t threads[3];
    isg_set_threads(2);
    isg_set_own_threads(4);
    for (size_t k = 0; k < 3; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, count_own, &counts[k]), 0);
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(pthread_join(threads[k], NULL), 0);
        assert_int_equal(counts[k].seen, counts[k].wanted);
        assert_int_equal(counts[k].counted, counts[k].wanted);
        assert_int_equal(counts[k].counted_after, 2);
    }
    assert_int_equal(isg_threads(), 4);
    isg_set_threads(6); /* for the others */
    assert_int_equal(count_threads(), 4);
    isg_set_own_threads(SIZE_MAX);
    assert_int_equal(isg_threads(), ISG_MAX_THREADS);
    isg_set_own_threads(0);
    assert_int_equal(count_threads(), 6);
    isg_set_threads(0);
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "threads") == 0)
        return (int)isg_threads();
    program = argv[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_environment_holds_until_something_is_set),
        cmocka_unit_test(threads_can_be_set),
        cmocka_unit_test(threads_may_have_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
