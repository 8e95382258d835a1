/* signals.c - Ctrl-C and SIGTERM as a request to stop, while there is something to save
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/signals.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "src/base/ranks.h"

static volatile sig_atomic_t caught;

static void remember(int signal_number) {
    caught = signal_number;
}

/* A handler and not SIG_IGN, which programs started from here would inherit. */
static void overlook(int signal_number) {
    (void)signal_number;
}

void signals_start(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = overlook;
    action.sa_flags = SA_RESTART;
    sigaction(SIGXFSZ, &action, NULL);
}

static const struct {
    int number;
    void (*handler)(int);
    int flags;
} handled[] = {
    {SIGINT, remember, SA_RESTART | (int)SA_RESETHAND},
    {SIGTERM, remember, SA_RESTART | (int)SA_RESETHAND},
    {SIGPIPE, overlook, SA_RESTART},
};
enum { HANDLED = sizeof handled / sizeof handled[0] };

static struct sigaction before[HANDLED];
static unsigned depth;

void signals_catch(void) {
    if (depth++ > 0)
        return;
    for (size_t i = 0; i < HANDLED; i++) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        sigemptyset(&action.sa_mask);
        action.sa_handler = handled[i].handler;
        action.sa_flags = handled[i].flags;
        if (sigaction(handled[i].number, NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
            sigaction(handled[i].number, &action, NULL);
    }
}

void signals_release(void) {
    if (depth == 0 || --depth > 0)
        return;
    for (size_t i = 0; i < HANDLED; i++)
        sigaction(handled[i].number, &before[i], NULL);
}

int signals_caught(void) {
    return isg_rank() == 0 ? (int)caught : 0;
}
