/* drawing.c - scripts that stay beside the tables they draw
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/allocation.h"
#include "cli/plot.h"
#include "paper/paper.h"

/* All scripts begin alike: `gnuplot FIG.gp`, in the directory of the figure, draws it again. */
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
        code = leave_text(my, script, "script of gnuplot that draws the picture", &text);
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
