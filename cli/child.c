/* child.c - running another program
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/signals.h"

extern char **environ;

/* The last useful line of the log; where npm keeps its own log is not useful. */
static void last_line(const char *log, char *line, size_t room) {
    char next[512];
    line[0] = '\0';
    FILE *file = fopen(log, "r");
    if (!file)
        return;
    while (fgets(next, sizeof next, file)) {
        next[strcspn(next, "\r\n")] = '\0';
        if (next[0] && !strstr(next, "_logs/") && !strstr(next, "log of this run"))
            snprintf(line, room, "%s", next);
    }
    fclose(file);
}

static exit_code child_ended(const char *program, int result, const char *log) {
    if (signals_caught())
        return signals_caught() == SIGTERM ? fail(EXIT_TERMINATED, "stopped by SIGTERM")
                                           : fail(EXIT_INTERRUPTED, "stopped by Ctrl-C");
    if (WIFEXITED(result) && WEXITSTATUS(result) == 0)
        return EXIT_DONE;
    char line[512];
    last_line(log, line, sizeof line);
    if (WIFEXITED(result))
        return fail(EXIT_FILE, "%s: failed with exit code %d%s%s", program, WEXITSTATUS(result),
                    line[0] ? "; it said: " : "", line);
    return fail(EXIT_FILE, "%s: ended by signal %d", program, WTERMSIG(result));
}

exit_code child_run(const char *const *arguments, const char *log, const char *advice) {
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return fail_memory();
    int problem =
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (problem == 0)
        problem = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log,
                                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (problem == 0)
        problem = posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    if (problem == 0) {
        /* posix_spawn takes the arguments as char *const *, but does not change them. */
        char *const *words;
        memcpy(&words, &arguments, sizeof words);
        problem = posix_spawnp(&child, arguments[0], &actions, NULL, words, environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    if (problem == ENOENT)
        return fail(EXIT_FILE, "%s: not found; %s", arguments[0], advice);
    if (problem == ENOMEM)
        return fail_memory();
    if (problem != 0)
        return fail(EXIT_FILE, "%s: could not be started: %s", arguments[0], strerror(problem));
    int result = 0;
    while (waitpid(child, &result, 0) < 0)
        if (errno != EINTR)
            return fail(EXIT_FILE, "%s: could not be waited for: %s", arguments[0],
                        strerror(errno));
    return child_ended(arguments[0], result, log);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place) {
    (void)about, (void)kind, (void)place;
    remove(path);
    return 0;
}

void remove_tree(const char *path) {
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
