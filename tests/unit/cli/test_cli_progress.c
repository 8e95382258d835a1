/* test_cli_progress.c - the progress display, with a clock of its own
 *
 * SPDX-License-Identifier: MIT
 *
 * The file under test is included, so that its clock can be replaced and nothing has to wait.
 */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* a name of failure.h */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static double fake_s;

static int fake_clock(clockid_t clock, struct timespec *now) {
    (void)clock;
    now->tv_sec = (time_t)fake_s;
    now->tv_nsec = (long)((fake_s - (double)now->tv_sec) * 1e9);
    return 0;
}

#define clock_gettime fake_clock
#undef _POSIX_C_SOURCE
#include "cli/progress.c"
#undef clock_gettime

#include "failure.h"

static int reading = -1, saved = -1;

/* Sends stderr through a pipe or a pseudo-terminal whose other end is `reading`. */
static void redirect(bool is_terminal, unsigned short columns) {
    int ends[2];
    if (is_terminal) {
        ends[0] = posix_openpt(O_RDWR | O_NOCTTY);
        assert_true(ends[0] >= 0 && grantpt(ends[0]) == 0 && unlockpt(ends[0]) == 0);
        ends[1] = open(ptsname(ends[0]), O_RDWR | O_NOCTTY);
        const struct winsize size = {.ws_col = columns, .ws_row = 24};
        struct termios raw;
        assert_true(ends[1] >= 0 && ioctl(ends[1], TIOCSWINSZ, &size) == 0);
        assert_int_equal(tcgetattr(ends[1], &raw), 0);
        raw.c_oflag &= ~(tcflag_t)OPOST;
        assert_int_equal(tcsetattr(ends[1], TCSANOW, &raw), 0);
    } else {
        assert_int_equal(pipe(ends), 0);
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    reading = ends[0];
    saved = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
}

/* What was written since the last call. */
static const char *shown(void) {
    static char text[4096];
    const ssize_t length = read(reading, text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    return text;
}

static void restore(void) {
    dup2(saved, STDERR_FILENO);
    close(saved);
    close(reading);
}

static void at(double seconds) {
    fake_s = 1000 + seconds;
}

static int setup(void **state) {
    (void)state;
    setenv("TERM", "xterm", 1);
    setenv("NO_COLOR", "1", 1);
    at(0);
    return 0;
}

static void terminal(void **state) {
    (void)state;
    redirect(true, 100);
    progress bar;
    progress_start(&bar, false, "clustering");
    progress_measure(&bar, 6000, "images");
    at(0.4);
    assert_true(progress_update(&bar, 0.1, NULL));
    assert_string_equal(shown(), "");
    at(1);
    assert_true(progress_update(&bar, 0.25, "class 3"));
    assert_string_equal(shown(),
                        "\r\033[Kclustering [######..................]  25 %  1500 images/s  "
                        "0:03 left  class 3");
    at(1.05); /* too soon for the next one */
    assert_true(progress_update(&bar, 0.3, NULL));
    assert_string_equal(shown(), "");
    at(4000);
    assert_true(progress_callback(&bar)->report(progress_callback(&bar)->user, 0.5));
    assert_string_equal(
        shown(),
        "\r\033[Kclustering [############............]  50 %  0.75 images/s  1:06:40 left");
    at(4001);
    assert_true(progress_update(&bar, 7, NULL));
    assert_non_null(strstr(shown(), "########] 100 %  1.5 images/s  0:00 left"));
    at(4002);
    assert_true(progress_update(&bar, (double)NAN, NULL));
    assert_non_null(strstr(shown(), "[........................]   0 %"));
    at(4002.01); /* too soon for anything but the end */
    assert_true(progress_update(&bar, 0.9, NULL));
    assert_string_equal(shown(), "");
    assert_true(progress_update(&bar, 1, NULL));
    assert_non_null(strstr(shown(), "########] 100 %"));
    progress_finish(&bar);
    assert_string_equal(shown(), "\r\033[K");
    restore();
}

static void short_work(void **state) {
    (void)state;
    redirect(true, 100);
    progress bar;
    progress_start(&bar, false, "short");
    at(0.45);
    assert_true(progress_update(&bar, 1, NULL));
    progress_finish(&bar);
    assert_string_equal(shown(), "");
    restore();
}

static void narrow_and_colored(void **state) {
    (void)state;
    redirect(true, 20);
    progress bar;
    progress_start(&bar, false, "a rather long title of it");
    at(1);
    progress_update(&bar, 0.5, NULL);
    assert_string_equal(shown(), "\r\033[Ka rather long title"); /* 19 columns */
    progress_finish(&bar);
    restore();
    setenv("NO_COLOR", "", 1);
    redirect(true, 80);
    progress_start(&bar, false, "x");
    bar.origin = 0.25; /* resumed: a quarter was there already */
    at(2);
    progress_update(&bar, 0.5, NULL);
    assert_string_equal(shown(),
                        "\r\033[Kx [\033[36m############\033[0m............]  50 %  0:02 left");
    progress_finish(&bar);
    restore();
}

static void lines(void **state) {
    (void)state;
    for (int round = 0; round < 2; round++) {
        setup(state);
        if (round == 1)
            setenv("TERM", "dumb", 1);
        redirect(round == 1, 80);
        progress bar;
        progress_start(&bar, false, "training");
        at(9.9);
        assert_true(progress_update(&bar, 0.2, "epoch 1"));
        assert_string_equal(shown(), "");
        at(10);
        assert_true(progress_update(&bar, 0.25, "epoch 2"));
        assert_string_equal(shown(), "isinglass: training: 25 % done, 0:30 left, epoch 2\n");
        at(19);
        assert_true(progress_update(&bar, 0.3, NULL));
        assert_string_equal(shown(), "");
        at(25);
        char long_text[1000];
        memset(long_text, 'x', sizeof long_text);
        long_text[999] = '\0';
        assert_true(progress_update(&bar, 0.5, long_text));
        const char *line = shown();
        assert_non_null(strstr(line, "50 % done, 0:25 left, xxx"));
        assert_true(strlen(line) < 400 && line[strlen(line) - 1] == '\n');
        at(26); /* the end shows at once, and once, if anything did */
        assert_true(progress_update(&bar, 1, NULL));
        assert_string_equal(shown(), "isinglass: training: 100 % done, 0:00 left\n");
        assert_true(progress_update(&bar, 1, NULL));
        progress_finish(&bar);
        assert_string_equal(shown(), "");
        restore();
    }
}

static void quiet(void **state) {
    (void)state;
    redirect(true, 80);
    progress bar;
    progress_start(&bar, true, "quiet");
    at(100);
    assert_true(progress_update(&bar, 0.5, NULL));
    progress_finish(&bar);
    assert_string_equal(shown(), "");
    restore();
}

static void reader_gone(void **state) {
    (void)state;
    redirect(false, 0);
    close(reading);
    progress bar;
    progress_start(&bar, false, "alone");
    at(50);
    assert_true(progress_update(&bar, 0.5, NULL)); /* and no SIGPIPE */
    progress_finish(&bar);
    dup2(saved, STDERR_FILENO);
    close(saved);
}

static void stopping(void **state) {
    (void)state;
    struct sigaction before, between, behind;
    progress bar;
    /* Ignored signals stay ignored. */
    signal(SIGINT, SIG_IGN);
    progress_start(&bar, true, "");
    raise(SIGINT);
    assert_true(progress_update(&bar, 0, NULL));
    progress_finish(&bar);
    signal(SIGINT, SIG_DFL);

    sigaction(SIGTERM, NULL, &before);
    progress_start(&bar, true, "");
    assert_true(progress_update(&bar, 0, NULL));
    raise(SIGTERM);
    assert_false(progress_update(&bar, 0.5, NULL));
    assert_false(bar.callback.report(bar.callback.user, 0.5));
    assert_int_equal(fail_status(ISG_ERR_CANCELLED), 143);
    /* A second one would end the program. */
    sigaction(SIGTERM, NULL, &between);
    assert_ptr_equal(between.sa_handler, SIG_DFL);
    raise(SIGINT);
    assert_int_equal(fail_status(ISG_ERR_CANCELLED), 130);
    progress_finish(&bar);
    sigaction(SIGTERM, NULL, &behind);
    assert_ptr_equal(behind.sa_handler, before.sa_handler);
    sigaction(SIGPIPE, NULL, &behind);
    assert_ptr_equal(behind.sa_handler, SIG_DFL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(terminal, setup),
        cmocka_unit_test_setup(short_work, setup),
        cmocka_unit_test_setup(narrow_and_colored, setup),
        cmocka_unit_test_setup(lines, setup),
        cmocka_unit_test_setup(quiet, setup),
        cmocka_unit_test_setup(reader_gone, setup),
        cmocka_unit_test_setup(stopping, setup), /* last: a caught signal stays caught */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
