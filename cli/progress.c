/* progress.c - what a waiting user sees on stderr
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/signals.h"

enum { LINE_BYTES = 400, BAR_COLUMNS = 24, DEFAULT_COLUMNS = 80, ROOM_FOR_BAR = 64 };

static const double first_after_s = 0.5; /* shorter work shows nothing */
static const double redraw_every_s = 0.1;
static const double line_every_s = 10;
static const char clear_line[] = "\r\033[K";

static double now_s(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One write per change, so that nothing flickers; a closed stderr must not stop the work. */
static void show(const char *text) {
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return;
}

static bool report(void *user, double fraction) {
    return progress_update(user, fraction, NULL);
}

void progress_start(progress *bar, bool is_quiet, const char *title) {
    const char *terminal = getenv("TERM"), *no_color = getenv("NO_COLOR");
    *bar = (progress){.title = title, .is_quiet = is_quiet, .callback = {report, bar}};
    bar->is_live =
        isatty(STDERR_FILENO) && terminal && terminal[0] && strcmp(terminal, "dumb") != 0;
    bar->has_color = !(no_color && no_color[0]);
    bar->started_s = now_s();
    bar->shown_s = bar->started_s;
    signals_catch();
}

void progress_measure(progress *bar, double total, const char *unit) {
    bar->total = total;
    bar->unit = unit;
}

static size_t terminal_columns(void) {
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return DEFAULT_COLUMNS;
    return size.ws_col;
}

/* "0:07", "12:34" or "3:25:45". */
static void format_duration(char text[32], double seconds) {
    const double limit = 1e8; /* three years: more says nothing */
    const long s = (long)(seconds < limit ? seconds + 0.5 : limit);
    if (s >= 3600)
        snprintf(text, 32, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(text, 32, "%ld:%02ld", s / 60, s % 60);
}

static void append(char line[LINE_BYTES], const char *separator, const char *text) {
    const size_t used = strlen(line);
    snprintf(line + used, LINE_BYTES - used, "%s%s", separator, text);
}

/* Rate, time left and the caller's text, as far as known. */
static void append_details(char line[LINE_BYTES], const progress *bar, double fraction,
                           const char *separator, const char *text) {
    const double elapsed_s = now_s() - bar->started_s, done = fraction - bar->origin;
    char words[64], left[32];
    if (done > 0 && elapsed_s > 0) {
        if (bar->unit) {
            const double rate = done * bar->total / elapsed_s;
            snprintf(words, sizeof words, rate < 100 ? "%.3g %s/s" : "%.0f %s/s", rate, bar->unit);
            append(line, separator, words);
        }
        format_duration(left, elapsed_s * (1 - fraction) / done);
        snprintf(words, sizeof words, "%s left", left);
        append(line, separator, words);
    }
    if (text && text[0])
        append(line, separator, text);
}

static void draw_line(const progress *bar, double fraction, const char *text) {
    char line[LINE_BYTES], cells[BAR_COLUMNS + 1], percent[16], drawn[LINE_BYTES + 32];
    const size_t columns = terminal_columns();
    const size_t filled = columns < ROOM_FOR_BAR ? 0 : (size_t)(fraction * BAR_COLUMNS);
    memset(cells, '#', filled);
    memset(cells + filled, '.', BAR_COLUMNS - filled);
    cells[BAR_COLUMNS] = '\0';
    snprintf(percent, sizeof percent, "%3.0f %%", floor(100 * fraction));
    snprintf(line, sizeof line, "%.60s ", bar->title);
    const size_t start = strlen(line) + 1; /* of the cells */
    if (columns >= ROOM_FOR_BAR) {
        append(line, "[", cells);
        append(line, "] ", percent);
    } else {
        append(line, "", percent);
    }
    append_details(line, bar, fraction, "  ", text);
    /* A line that fills the last column would wrap and could no longer be cleared. */
    if (columns <= strlen(line))
        line[columns - 1] = '\0';
    if (bar->has_color && filled > 0 && strlen(line) > start + filled)
        snprintf(drawn, sizeof drawn, "%s%.*s\033[36m%.*s\033[0m%s", clear_line, (int)start, line,
                 (int)filled, line + start, line + start + filled);
    else
        snprintf(drawn, sizeof drawn, "%s%s", clear_line, line);
    show(drawn);
}

static void write_line(const progress *bar, double fraction, const char *text) {
    char line[LINE_BYTES];
    snprintf(line, sizeof line - 1, "isinglass: %.60s: %.0f %% done", bar->title,
             floor(100 * fraction));
    append_details(line, bar, fraction, ", ", text);
    line[LINE_BYTES - 2] = '\0';
    append(line, "\n", "");
    show(line);
}

bool progress_update(progress *bar, double fraction, const char *text) {
    const double clamped = fraction > 0 ? (fraction < 1 ? fraction : 1) : 0; /* NaN gives 0 */
    if (!bar->is_quiet) {
        const double now = now_s();
        const double since_shown_s = now - bar->shown_s;
        const bool is_due = bar->is_live ? now - bar->started_s >= first_after_s &&
                                               (!bar->is_visible || since_shown_s >= redraw_every_s)
                                         : since_shown_s >= line_every_s;
        /* If a bar was shown, show it reaching the end. */
        const bool is_end = bar->is_visible && clamped == 1 && bar->shown < 1;
        if (is_due || is_end) {
            if (bar->is_live)
                draw_line(bar, clamped, text);
            else
                write_line(bar, clamped, text);
            bar->shown_s = now;
            bar->shown = clamped;
            bar->is_visible = true;
        }
    }
    return signals_caught() == 0;
}

const isg_progress *progress_callback(progress *bar) {
    return &bar->callback;
}

void progress_finish(progress *bar) {
    if (bar->is_live && bar->is_visible)
        show(clear_line);
    bar->is_visible = false;
    signals_release();
}
