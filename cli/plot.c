/* plot.c - pictures of numbers, drawn by gnuplot
 *
 * SPDX-License-Identifier: MIT
 *
 * Script, log and picture are made in a directory beside the picture, which then takes its name:
 * whoever looks sees the old picture or the new one, never half of one.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/allocation.h"
#include "cli/child.h"
#include "cli/signals.h"

enum { WIDTH = 900, HEIGHT = 564, ROW = 18 }; /* of curves, and of a row of their legend */

#define ADVICE "pictures of numbers need it: apt install gnuplot-nox"

/* Okabe and Ito's colors, which all readers can tell apart; points differ as well. */
static const char *const colors[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                     "#E69F00", "#56B4E9", "#000000"};
static const int points[] = {7, 5, 9, 11, 6, 4, 8};
enum { N_COLORS = sizeof colors / sizeof colors[0] };

exit_code plot_available(void) {
    const char *path = getenv("PATH");
    for (const char *part = path ? path : ""; *part; part += *part == ':') {
        const int length = (int)strcspn(part, ":");
        char *file = memory_format("%.*s/gnuplot", length, part);
        if (!file)
            return fail_memory();
        const bool is_there = access(file, X_OK) == 0;
        memory_release(file);
        if (is_there)
            return EXIT_DONE;
        part += length;
    }
    return fail(EXIT_FILE, "gnuplot: not found; " ADVICE);
}

exit_code plot_may_write(const common_settings *common, const char *path) {
    const exit_code code = may_write_picture(common, path);
    return code == EXIT_DONE ? plot_available() : code;
}

void plot_text(FILE *script, const char *text) {
    fputc('\'', script);
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        fputc(c < 0x20 || c == 0x7f ? '?' : c, script);
        if (c == '\'')
            fputc('\'', script);
    }
    fputc('\'', script);
}

/* The script, with its first lines. */
static exit_code open_script(plot *picture, size_t width, size_t height) {
    char *script = memory_format("%s/script", picture->directory);
    char *output = memory_format("%s/picture", picture->directory);
    exit_code code = script && output ? EXIT_DONE : fail_memory();
    if (code == EXIT_DONE && !(picture->script = fopen(script, "w")))
        code = fail(EXIT_FILE, "%s: could not be written: %s", picture->path, strerror(errno));
    if (code == EXIT_DONE) {
        if (ends_in(picture->path, ".svg"))
            fprintf(picture->script,
                    "set terminal svg size %zu,%zu noenhanced background 'white'\n", width, height);
        else
            fprintf(picture->script,
                    "set terminal pngcairo size %zu,%zu noenhanced font 'Sans,11' background "
                    "'white'\n",
                    width, height);
        fprintf(picture->script, "set output ");
        plot_text(picture->script, output);
        fprintf(picture->script, "\n");
    }
    memory_release(script);
    memory_release(output);
    return code;
}

exit_code plot_begin(plot *picture, const char *path, size_t width, size_t height) {
    *picture = (plot){.path = path, .directory = memory_format("%s.XXXXXX", path)};
    if (!picture->directory)
        return fail_memory();
    exit_code code = EXIT_DONE;
    if (!mkdtemp(picture->directory)) {
        code = fail(EXIT_FILE, "%s: could not be written: %s", path, strerror(errno));
    } else {
        code = open_script(picture, width, height);
        if (code != EXIT_DONE)
            remove_tree(picture->directory);
    }
    if (code != EXIT_DONE)
        memory_release(picture->directory);
    return code;
}

static exit_code run_gnuplot(const plot *picture) {
    char *script = memory_format("%s/script", picture->directory);
    char *log = memory_format("%s/log", picture->directory);
    char *output = memory_format("%s/picture", picture->directory);
    exit_code code = EXIT_DONE;
    if (!script || !log || !output) {
        code = fail_memory();
    } else {
        const char *const arguments[] = {"gnuplot", script, NULL};
        signals_catch();
        code = child_run(arguments, log, ADVICE);
        signals_release();
        if (code == EXIT_DONE && rename(output, picture->path) != 0)
            code = fail(EXIT_FILE, "%s: could not be written: %s", picture->path, strerror(errno));
    }
    memory_release(script);
    memory_release(log);
    memory_release(output);
    return code;
}

exit_code plot_end(plot *picture, exit_code code) {
    const bool is_written = !ferror(picture->script);
    if ((fclose(picture->script) != 0 || !is_written) && code == EXIT_DONE)
        code = fail(EXIT_FILE, "%s: could not be written", picture->path);
    if (code == EXIT_DONE)
        code = run_gnuplot(picture);
    remove_tree(picture->directory);
    memory_release(picture->directory);
    return code;
}

/* A text in the quotes of gnuplot; NULL if there is no memory. */
static char *quote(const char *text) {
    char *quoted = memory_allocate(2 * strlen(text) + 3, 1), *next = quoted;
    if (!quoted)
        return NULL;
    *next++ = '\'';
    for (; *text; text++) {
        *next++ = *text;
        if (*text == '\'')
            *next++ = '\'';
    }
    *next = '\'';
    return quoted;
}

exit_code plot_draw(const char *directory, const char *script, const char *picture) {
    char *quoted = quote(directory);
    char *change = quoted ? memory_format("cd %s", quoted) : NULL;
    char *log = memory_format("%s/%s.log", directory, script);
    char *drawn = memory_format("%s/%s", directory, picture);
    exit_code code = EXIT_DONE;
    if (!change || !log || !drawn) {
        code = fail_memory();
    } else {
        const char *const arguments[] = {"gnuplot", "-e", change, script, NULL};
        signals_catch();
        code = child_run(arguments, log, ADVICE);
        signals_release();
        if (code != EXIT_DONE)
            remove(drawn); /* it may be half of one */
        else if (access(drawn, R_OK) != 0)
            code = fail(EXIT_FILE, "gnuplot: drew no %s", drawn);
        remove(log);
    }
    memory_release(quoted);
    memory_release(change);
    memory_release(log);
    memory_release(drawn);
    return code;
}

/* Of UTF-8. */
static size_t characters(const char *text) {
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

/* ---- curves ------------------------------------------------------------------------------------ */

static void set_range(FILE *script, char axis, double low, double high) {
    fprintf(script, "set %crange [", axis);
    if (!isnan(low))
        fprintf(script, "%.17g", low);
    fprintf(script, ":");
    if (!isnan(high))
        fprintf(script, "%.17g", high);
    fprintf(script, "]\n");
}

/* Rows that the legend needs so that its columns, as wide as the longest name, fit the picture. */
static size_t legend_rows(const plot_curve *curves, size_t n_curves) {
    enum { LEAST = 2, CHARACTER = 9, SAMPLE = 63 }; /* pixels */
    size_t longest = 0;
    for (size_t k = 0; k < n_curves; k++) {
        const size_t length = characters(curves[k].name);
        longest = length > longest ? length : longest;
    }
    const size_t fitting = WIDTH / (CHARACTER * longest + SAMPLE);
    const size_t columns = fitting > 0 ? fitting : 1, rows = (n_curves + columns - 1) / columns;
    return rows > LEAST ? rows : LEAST;
}

static void set_axes(FILE *script, const plot_axes *axes, size_t rows, size_t height) {
    fprintf(script,
            "set border 3 lw 1\nset tics nomirror out\nset grid lc rgb '#D0D0D0' dt 1 lw 1\n"
            "set bmargin screen %.4g\nset key at screen 0.5,%.4g center center vertical maxrows "
            "%zu Left "
            "reverse samplen 2 width 2\n",
            (double)(84 + ROW * rows) / (double)height,
            (double)(ROW + ROW * rows / 2) / (double)height, rows);
    fprintf(script, "set title ");
    plot_text(script, axes->title);
    fprintf(script, "\nset xlabel ");
    plot_text(script, axes->x_label);
    fprintf(script, "\nset ylabel ");
    plot_text(script, axes->y_label);
    fprintf(script, "\n");
    set_range(script, 'x', axes->x_low, axes->x_high);
    set_range(script, 'y', axes->y_low, axes->y_high);
}

exit_code plot_curves(const char *path, const plot_axes *axes, const plot_curve *curves,
                      size_t n_curves) {
    plot picture;
    const size_t rows = legend_rows(curves, n_curves), height = HEIGHT + ROW * rows;
    const exit_code code = plot_begin(&picture, path, WIDTH, height);
    if (code != EXIT_DONE)
        return code;
    FILE *script = picture.script;
    for (size_t k = 0; k < n_curves; k++) {
        fprintf(script, "$curve%zu << END\n", k);
        for (size_t j = 0; j < curves[k].count; j++)
            fprintf(script, "%.17g %.17g %.17g\n", curves[k].x[j], curves[k].y[j],
                    curves[k].error ? curves[k].error[j] : 0);
        fprintf(script, "END\n");
    }
    set_axes(script, axes, rows, height);
    for (size_t k = 0; k < n_curves; k++) {
        const char *color = colors[k % N_COLORS];
        const int point = points[k % N_COLORS];
        const double size =
            1.6 - 0.2 * (double)(k % N_COLORS); /* where curves meet, all are seen */
        fprintf(script, "%s$curve%zu using 1:2 with lines lw 2 lc rgb '%s' notitle, ",
                k == 0 ? "plot " : "", k, color);
        fprintf(script,
                "$curve%zu using 1:2:3 with yerrorbars pt %d ps %.2f lw 1.5 lc rgb '%s' title ", k,
                point, size, color);
        plot_text(script, curves[k].name);
        fprintf(script, k + 1 < n_curves ? ", " : "\n");
    }
    return plot_end(&picture, EXIT_DONE);
}

/* ---- tables in color --------------------------------------------------------------------------- */

enum { LETTER = 8, LINE = 18 }; /* pixels of a text */

static size_t longest_name(const char *const *names, size_t count) {
    size_t longest = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t length = characters(names[k]);
        longest = length > longest ? length : longest;
    }
    return longest;
}

static void set_names(FILE *script, char axis, const char *const *names, size_t count,
                      const char *how) {
    fprintf(script, "set %ctics scale 0 %s textcolor rgb 'black' (", axis, how);
    for (size_t k = 0; k < count; k++) {
        fprintf(script, k > 0 ? ", " : "");
        plot_text(script, names[k]);
        fprintf(script, " %zu", k);
    }
    fprintf(script, ")\n");
}

/* Numbers are white where the color below them is dark, and zeros pale. */
static void put_cells(FILE *script, const plot_table *table) {
    const isg_matd_view v = table->values;
    fprintf(script, "$cells << END\n");
    for (size_t i = 0; i < v.rows; i++)
        for (size_t j = 0; j < v.cols; j++) {
            const double value = v.data[i * v.stride + j];
            const size_t count = table->counts ? table->counts[i * v.cols + j] : 0;
            fprintf(script, "%zu %zu %.9g %zu %d\n", j, i, isfinite(value) ? value : 0, count,
                    fabs(value) > 0.6 * table->scale ? 0xffffff
                    : count > 0                      ? 0x303030
                                                     : 0xb0b0b0);
        }
    fprintf(script, "END\n");
}

exit_code plot_in_color(const char *path, const plot_table *table) {
    const isg_matd_view v = table->values;
    const bool is_narrow = v.cols > 40, has_counts = table->counts && !is_narrow;
    const size_t cell_width = is_narrow ? 12 : has_counts ? 46 : 30;
    const size_t cell_height = has_counts ? 28 : 16;
    const size_t left =
        LETTER * longest_name(table->row_names, v.rows) + (*table->y_label ? 70 : 40);
    const size_t top = 50, right = table->counts ? 30 : 100;
    const size_t bottom = LETTER * longest_name(table->column_names, v.cols) + 2 * LINE + 40;
    const size_t least = LETTER * strlen(table->title) + 40,
                 wide = left + v.cols * cell_width + right;
    const size_t width = wide > least ? wide : least, height = top + v.rows * cell_height + bottom;
    plot picture;
    const exit_code code = plot_begin(&picture, path, width, height);
    if (code != EXIT_DONE)
        return code;
    FILE *script = picture.script;
    put_cells(script, table);
    fprintf(script,
            "set lmargin at screen %.6g\nset rmargin at screen %.6g\n"
            "set tmargin at screen %.6g\nset bmargin at screen %.6g\n",
            (double)left / (double)width, (double)(left + v.cols * cell_width) / (double)width,
            1 - (double)top / (double)height, (double)bottom / (double)height);
    fprintf(script,
            "set xrange [-0.5:%zu.5]\nset yrange [%zu.5:-0.5]\nset cbrange [%.9g:%.9g]\n"
            "set cbtics textcolor rgb 'black'\nset palette defined (0 '#195AB4', 1 '#FFFFFF', 2 "
            "'#BE1923')\n"
            "unset key\nset border 31 lw 0.5 lc rgb '#808080'\n",
            v.cols - 1, v.rows - 1, -table->scale, table->scale);
    set_names(script, 'x', table->column_names, v.cols, "rotate by 90 right");
    set_names(script, 'y', table->row_names, v.rows, "");
    fprintf(script, table->counts ? "unset colorbox\n" : "");
    fprintf(script, "set title ");
    plot_text(script, table->title);
    fprintf(script, "\nset xlabel ");
    plot_text(script, table->x_label);
    fprintf(script, "\nset ylabel ");
    plot_text(script, table->y_label);
    fprintf(script, "\nplot $cells using 1:2:3 with image pixels");
    if (has_counts)
        fprintf(script, ", $cells using 1:2:(sprintf('%%d', $4)):5 with labels tc rgb variable");
    fprintf(script, "\n");
    return plot_end(&picture, EXIT_DONE);
}
