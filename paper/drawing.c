/* drawing.c - scripts of gnuplot, which stay beside the tables they draw
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/allocation.h"
#include "cli/plot.h"
#include "paper/paper.h"

/* The same head for all scripts: `gnuplot FIG.gp`, in the directory of the figure, draws it again. */
static void begin(const experiment *my, output *text, size_t width, size_t height) {
    output_print(text,
                 "# %s, drawn from the tables beside this file: gnuplot %s.gp\n"
                 "set terminal svg size %zu,%zu noenhanced font 'Helvetica,13' background 'white'\n"
                 "set output '%s.svg'\n"
                 "set datafile separator ','\nset datafile missing ''\n"
                 "set border 3 lw 1\nset tics nomirror out\nset grid lc rgb '#E0E0E0' dt 1 lw 1\n",
                 my->figure->title, my->figure->name, width, height, my->figure->name);
}

exit_code leave_script(experiment *my, size_t width, size_t height, output *body) {
    output text = {0};
    char *script = memory_format("%s.gp", my->figure->name);
    char *picture = memory_format("%s.svg", my->figure->name);
    char *directory = memory_format("%s/%s", my->directory, my->figure->name);
    exit_code code = script && picture && directory ? EXIT_DONE : fail_memory();
    begin(my, &text, width, height);
    output_bytes(&text, body->text, body->length);
    text.is_out_of_memory |= body->is_out_of_memory;
    if (code == EXIT_DONE)
        code = leave_text(my, script, "gnuplot script that draws the picture", &text);
    if (code == EXIT_DONE) {
        const exit_code drawn = plot_draw(directory, script, picture);
        if (drawn == EXIT_FILE)
            my->drawn = drawn;
        else
            code = drawn;
    }
    if (code == EXIT_DONE)
        code = leave_file(my, picture, "picture");
    output_free(&text);
    output_free(body);
    memory_release(script);
    memory_release(picture);
    memory_release(directory);
    return code;
}

/* ---- mosaics ---------------------------------------------------------------------------------- */

enum { CELL = 84, TITLE = 30, EDGE = 16, SCALE = 110 }; /* pixels of the picture */
enum { GAP = 2 };                                       /* pixels of an image */

static void write_mosaic(const experiment *my, const mosaic *what, size_t width, size_t height,
                         output *script) {
    const double w = (double)width, h = (double)height, edge = (double)EDGE;
    const double strip = (double)(CELL * what->height) / (double)(what->width + GAP);
    const size_t pixels = what->height * what->width, step = what->width + GAP;
    output_print(script,
                 "unset border\nunset tics\nunset grid\nunset key\n"
                 "set palette defined (-1 '#2166AC', -0.5 '#92C5DE', 0 '#FFFFFF', 0.5 '#F4A582', 1 "
                 "'#B2182B')\nset cbrange [%.4g:%.4g]\nset cblabel '%s'\nset cbtics out\n"
                 "set lmargin at screen %.5f\nset rmargin at screen %.5f\n"
                 "set xrange [-1:%zu]\nset yrange [%g:0.5]\nset multiplot\n",
                 -what->limit, what->limit, what->scale_title, edge / w,
                 1 - (edge + (double)SCALE) / w, what->n * step - 1, 0.5 - (double)what->height);
    for (size_t k = 0; k < what->n_kinds; k++) {
        const double top = edge + (double)TITLE + (double)k * (strip + (double)TITLE);
        if (k == 0)
            output_print(
                script, "set colorbox user origin screen %.5f,%.5f size screen %.5f,%.5f\n",
                1 - ((double)SCALE - 4) / w, edge / h, 14 / w, 1 - 2 * edge / h - TITLE / h);
        else
            output_print(script, "unset colorbox\n");
        output_print(script,
                     "set tmargin at screen %.5f\nset bmargin at screen %.5f\n"
                     "set label 1 '%s' at screen %.5f,%.5f left\n"
                     "plot for [i=0:%zu] '%s.csv' skip 1 every ::(%zu*i)::(%zu*i+%zu) "
                     "using ($2+%zu*i):(-$1):%zu with image\n",
                     1 - top / h, 1 - (top + strip) / h, what->titles[k], edge / w,
                     1 - (top - 0.4 * (double)TITLE) / h, what->n - 1, my->figure->name, pixels,
                     pixels, pixels - 1, step, k + 4);
    }
    output_print(script, "unset multiplot\n");
}

exit_code leave_mosaic(experiment *my, const mosaic *what) {
    const size_t strip = CELL * what->height / (what->width + GAP) + TITLE;
    const size_t width = what->n * CELL + 2 * EDGE + SCALE;
    const size_t height = what->n_kinds * strip + 2 * EDGE;
    output script = {0};
    write_mosaic(my, what, width, height, &script);
    return leave_script(my, width, height, &script);
}
