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

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "threads") == 0)
        return (int)isg_threads();
    program = argv[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_environment_holds_until_something_is_set),
        cmocka_unit_test(threads_can_be_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
