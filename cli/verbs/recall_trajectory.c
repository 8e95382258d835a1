/* recall_trajectory.c - isinglass recall: one state on its way, as a strip of images above its energy
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/pictures.h"
#include "cli/plot.h"
#include "cli/verbs/recall_job.h"

enum { MOST_FRAMES = 12, MOST = 100000 };

/* In pixels: a frame at its narrowest, and what is around frames and curve. */
enum { FRAME = 110, SIDE = 90, ABOVE = 40, BETWEEN = 16, CURVE = 200, BELOW = 60 };

static const double frame_share = 0.92; /* of the way to the next one */

typedef struct walk_found {
    uint64_t *states; /* (n_states, words) from the start on */
    double *energies; /* (n_states) */
    double *overlaps; /* (n_states) with the nearest pattern ... */
    size_t *nearest;  /* (n_states) ... which is this */
    size_t n_states, words;
    size_t height, width;
    isg_dynamics dynamics;
    bool is_at_rest, is_two_cycle;
} walk_found;

static exit_code plan(const recall_job *my, walk_found *found) {
    const recall_settings *settings = my->settings;
    const size_t rows = my->data ? isg_dataset_describe(my->data).n_samples : my->info.n_patterns;
    const isg_dataset_info data =
        my->data ? isg_dataset_describe(my->data) : (isg_dataset_info){.n_samples = 0};
    if (my->n_rules > 1 || my->n_dynamics > 1 || my->n_flips > 1 || my->n_masks > 1)
        return fail(EXIT_MISUSED, "--trajectory: follows one state, but %s has several values",
                    my->n_rules > 1      ? "--rule"
                    : my->n_dynamics > 1 ? "--dynamics"
                    : my->n_flips > 1    ? "--flip"
                                         : "--mask");
    if (settings->row >= rows)
        return fail(EXIT_MISUSED, "--row: expected a number below %zu, found %zu", rows,
                    settings->row);
    if (recall_sweeps(my, 0) > MOST)
        return fail(EXIT_MISUSED, "--sweeps: expected at most %d for --trajectory, found %zu", MOST,
                    settings->how.max_updates);
    found->dynamics = my->n_dynamics ? my->dynamics[0] : ISG_DYNAMICS_ASYNCHRONOUS;
    found->height = data.image_height ? data.image_height : my->info.image_height;
    found->width = data.image_height ? data.image_width : my->info.image_width;
    if (settings->data.shape) {
        const exit_code code = shape_parse(settings->data.shape, &found->height, &found->width);
        if (code != EXIT_DONE)
            return code;
    }
    return check_image(my->data_name ? my->data_name : my->file, my->info.n_visible, found->height,
                       found->width, SHAPE_ADVICE);
}

static exit_code make_room(const recall_job *my, walk_found *found) {
    const size_t most = recall_sweeps(my, 10) + 1;
    found->n_states = most;
    found->words = (my->info.n_visible + 63) / 64;
    found->states = memory_allocate(most, found->words * sizeof *found->states);
    found->energies = memory_allocate(most, sizeof *found->energies);
    found->overlaps = memory_allocate(most, sizeof *found->overlaps);
    found->nearest = memory_allocate(most, sizeof *found->nearest);
    return found->states && found->energies && found->overlaps && found->nearest ? EXIT_DONE
                                                                                 : fail_memory();
}

static exit_code look(const recall_job *my, const isg_hopfield *network, walk_found *found,
                      size_t t, double *m) {
    const uint64_t *spins = found->states + t * found->words;
    size_t nearest = 0;
    isg_hopfield_overlaps(network, spins, m);
    for (size_t mu = 0; mu < my->info.n_patterns; mu++)
        nearest = m[mu] > m[nearest] ? mu : nearest;
    found->nearest[t] = nearest;
    found->overlaps[t] = m[nearest];
    return fail_status(isg_hopfield_energy(network, spins, &found->energies[t]));
}

/* The start, corrupted if that was asked for; `masked` becomes the units that stay. */
static exit_code start(const recall_job *my, walk_found *found, uint64_t *masked,
                       bool *is_clamped) {
    const isg_corruption how = {.flip = my->n_flips ? my->flips[0] : 0,
                                .mask = my->n_masks ? my->masks[0] : 0,
                                .units = my->units};
    const size_t row = my->settings->row;
    memcpy(found->states,
           my->data ? isg_dataset_row(my->data, row) : isg_patterns_row(my->patterns, row),
           found->words * sizeof *found->states);
    *is_clamped = (my->n_masks || my->units) && !my->n_flips && !my->settings->free_known;
    const exit_code code = fail_status(
        isg_corrupt(found->states, my->info.n_visible, &how, my->call->common.seed, row, masked));
    for (size_t w = 0; w < found->words; w++)
        masked[w] = ~masked[w];
    return code;
}

/* One update at a time, until nothing changes or there are enough. */
static exit_code walk(const recall_job *my, const isg_hopfield *network, walk_found *found,
                      double *m, uint64_t *known) {
    const size_t most = found->n_states, bytes = found->words * sizeof *found->states;
    bool is_clamped = false;
    exit_code code = start(my, found, known, &is_clamped);
    if (code == EXIT_DONE)
        code = look(my, network, found, 0, m);
    isg_dynamics_options options = isg_dynamics_defaults();
    options.kind = found->dynamics;
    options.beta = my->settings->how.beta;
    options.sweeps = 1;
    options.seed = my->call->common.seed;
    options.clamped = is_clamped ? known : NULL;
    for (found->n_states = 1; code == EXIT_DONE && found->n_states < most; found->n_states++) {
        const size_t t = found->n_states;
        uint64_t *spins = found->states + t * found->words;
        isg_dynamics_report report;
        memcpy(spins, spins - found->words, bytes);
        options.first_sweep = t - 1;
        code = recall_failed(my, isg_hopfield_run(network, spins, 1, &options, &report, NULL));
        if (code == EXIT_DONE)
            code = look(my, network, found, t, m);
        found->is_at_rest = !is_thermal(found->dynamics) && report.sweeps == 0;
        found->is_two_cycle = found->dynamics == ISG_DYNAMICS_SYNCHRONOUS && t >= 2 &&
                              memcmp(spins, spins - 2 * found->words, bytes) == 0;
        if (found->is_at_rest)
            break; /* this state was already counted */
        if (found->is_two_cycle) {
            found->n_states++;
            break;
        }
    }
    return code;
}

static exit_code follow(const recall_job *my, walk_found *found) {
    isg_hopfield_options rule = isg_hopfield_defaults();
    isg_hopfield *network = NULL;
    rule.rule = my->rules[0];
    rule.allow_rank_deficient = my->settings->how.allow_rank_deficient;
    rule.keep_diagonal = !my->settings->no_diagonal;
    double *m = memory_allocate(my->info.n_patterns, sizeof *m);
    uint64_t *known = memory_allocate(found->words, sizeof *known);
    exit_code code = m && known ? EXIT_DONE : fail_memory();
    if (code == EXIT_DONE)
        code = recall_failed(my, isg_hopfield_create(&network, my->patterns, &rule));
    if (code == EXIT_DONE)
        code = walk(my, network, found, m, known);
    isg_hopfield_free(network);
    memory_release(known);
    memory_release(m);
    return code;
}

/* ---- the picture ------------------------------------------------------------------------------------ */

/* A frame as points with x from t - share/2 to t + share/2: above the place of its energy. */
static void write_frame(FILE *script, const walk_found *found, size_t t, double share) {
    const uint64_t *spins = found->states + t * found->words;
    const double pixel = share / (double)found->width;
    fprintf(script, "$frame%zu << END\n", t);
    for (size_t i = 0; i < found->height * found->width; i++) {
        const size_t row = i / found->width, column = i % found->width;
        fprintf(script, "%.9g %.9g %d\n", (double)t + pixel * ((double)column + 0.5) - share / 2,
                -((double)row + 0.5) / (double)found->height, (int)(spins[i / 64] >> i % 64 & 1));
    }
    fprintf(script, "END\n");
}

static const char *name_of(const recall_job *my, size_t mu, char number[32]) {
    const char *label = isg_patterns_label(my->patterns, mu);
    snprintf(number, 32, "pattern %zu", mu);
    return label ? label : number;
}

/* Places on the picture, as shares of its width and height from below. */
typedef struct layout {
    size_t stride; /* sweeps from one frame to the next */
    size_t width, height;
    double left, strip_top, strip_bottom, curve_top, curve_bottom;
} layout;

static layout lay_out(const walk_found *found) {
    layout out = {.stride = (found->n_states + MOST_FRAMES - 1) / MOST_FRAMES};
    const size_t frames = (found->n_states - 1) / out.stride + 1, shown = frames < 4 ? 4 : frames;
    const size_t inner = shown * FRAME;
    /* The abscissa reaches half a stride beyond both ends; pixels are to be square. */
    const double per_sweep = (double)inner / (double)(found->n_states - 1 + out.stride);
    const double strip =
        frame_share * (double)out.stride * per_sweep * (double)found->height / (double)found->width;
    const double height = ABOVE + strip + BETWEEN + CURVE + BELOW;
    out.width = inner + 2 * SIDE;
    out.height = (size_t)height;
    out.left = SIDE / (double)out.width;
    out.strip_top = 1 - ABOVE / height;
    out.strip_bottom = out.strip_top - strip / height;
    out.curve_top = out.strip_bottom - BETWEEN / height;
    out.curve_bottom = BELOW / height;
    return out;
}

static void write_strip(const recall_job *my, const walk_found *found, FILE *script,
                        const layout *where) {
    const size_t last = found->n_states - 1;
    char title[256], number[32];
    fprintf(script,
            "set tmargin at screen %.6f\nset bmargin at screen %.6f\nset yrange [-1:0]\n"
            "unset border\nunset tics\nunset key\nunset colorbox\nset cbrange [0:1]\n"
            "set palette defined (0 'black', 1 'white')\n",
            where->strip_top, where->strip_bottom);
    snprintf(title, sizeof title, "%s %zu, %s rule, %s: ends nearest to %.100s (overlap %.3f)",
             my->data ? "sample" : "pattern", my->settings->row, rule_names[my->rules[0]],
             dynamics_names[found->dynamics], name_of(my, found->nearest[last], number),
             found->overlaps[last]);
    fprintf(script, "set title ");
    plot_text(script, title);
    fprintf(script, "\nplot ");
    for (size_t t = 0; t <= last; t += where->stride)
        fprintf(script, "%s$frame%zu using 1:2:3 with image", t == 0 ? "" : ", ", t);
    fprintf(script, "\nunset title\n");
}

static void write_script(const recall_job *my, const walk_found *found, FILE *script,
                         const layout *where) {
    const size_t last = found->n_states - 1;
    const double edge = (double)where->stride / 2;
    fprintf(script, "$energies << END\n");
    for (size_t t = 0; t <= last; t++)
        fprintf(script, "%zu %.10g %.10g\n", t, found->energies[t], found->overlaps[t]);
    fprintf(script, "END\n");
    for (size_t t = 0; t <= last; t += where->stride)
        write_frame(script, found, t, frame_share * (double)where->stride);
    fprintf(script,
            "set multiplot\nset lmargin at screen %.6f\nset rmargin at screen %.6f\n"
            "set xrange [%.9g:%.9g]\n",
            where->left, 1 - where->left, -edge, (double)last + edge);
    write_strip(my, found, script, where);
    fprintf(script,
            "set tmargin at screen %.6f\nset bmargin at screen %.6f\n"
            "set border 11\nset xtics nomirror out %zu\nset ytics nomirror out\n"
            "set y2tics nomirror out textcolor rgb '#D55E00'\nset yrange [*:*]\n"
            "set y2range [*:1]\nset xlabel 'updates'\n"
            "set ylabel 'energy' textcolor rgb '#0072B2'\n"
            "set y2label 'nearest overlap' textcolor rgb '#D55E00'\n"
            "plot $energies using 1:3 axes x1y2 with linespoints pt 6 ps 1 lw 1.5 dt 2 "
            "lc rgb '#D55E00', $energies using 1:2 with linespoints pt 7 ps 1 lw 2 "
            "lc rgb '#0072B2'\nunset multiplot\n",
            where->curve_top, where->curve_bottom, where->stride);
}

static exit_code draw(const recall_job *my, const walk_found *found) {
    const layout where = lay_out(found);
    plot picture;
    const exit_code code =
        plot_begin(&picture, my->settings->trajectory, where.width, where.height);
    if (code != EXIT_DONE)
        return code;
    write_script(my, found, picture.script, &where);
    return plot_end(&picture, EXIT_DONE);
}

/* ---- results ---------------------------------------------------------------------------------------- */

typedef struct walk_result {
    const recall_job *job;
    const walk_found *found;
    size_t row, updates, n_patterns;
    const char *rule, *dynamics, *end, *picture;
    bool is_of_data, keeps_diagonal;
    result_list energies, overlaps, nearest;
} walk_result;

static void print_states(output *out, const void *results) {
    const walk_result *my = results;
    const walk_found *found = my->found;
    char number[32];
    output_print(out, "  %8s %12s %10s  %s\n", "updates", "energy", "overlap", "nearest pattern");
    for (size_t t = 0; t < found->n_states; t++)
        output_line(out, "  %8zu %12.3f %10.4f  %s", t, found->energies[t], found->overlaps[t],
                    name_of(my->job, found->nearest[t], number));
}

/* clang-format off */
#define IS(field, what) RESULT(walk_result, field, what)

const result_entry recall_walk_results[] = {
    IS(row, "where it starts: the number of the sample or pattern, from 0"),
    IS(rule, "projection or hebbian"),
    IS(dynamics, "dynamics of the updates"),
    IS(updates, "number of updates until the end"),
    IS(end, "fixed point, two-cycle or moving"),
    RESULT_LIST_OF(walk_result, energies, result_numbers, "energies of the states, beginning with the start"),
    RESULT_LIST_OF(walk_result, overlaps, result_numbers, "overlaps of the states with the nearest pattern"),
    RESULT_LIST_OF(walk_result, nearest, result_sizes, "number of the nearest pattern, from 0"),
    IS(picture, "the picture"),
    RESULT_HIDDEN(walk_result, n_patterns), RESULT_HIDDEN(walk_result, is_of_data),
    RESULT_HIDDEN(walk_result, keeps_diagonal),
    {.label = "start", .text = "{is_of_data:sample|pattern} {row}"},
    {.label = "network",
     .text = "{n_patterns pattern}, {rule} rule, diagonal {keeps_diagonal:kept|removed}"},
    {.label = "dynamics", .text = "{dynamics}"},
    {.label = "end", .text = "{end} after {updates update}"},
    {.print = print_states},
    {.label = "picture", .text = "{picture}"},
    {.key = NULL}};
/* clang-format on */

static void show(const recall_job *my, const walk_found *found) {
    const size_t n = found->n_states;
    const walk_result out = {.job = my,
                             .found = found,
                             .row = my->settings->row,
                             .rule = rule_names[my->rules[0]],
                             .dynamics = dynamics_names[found->dynamics],
                             .updates = n - 1,
                             .end = found->is_two_cycle ? "two-cycle"
                                    : found->is_at_rest ? "fixed point"
                                                        : "moving",
                             .energies = {found->energies, n, sizeof *found->energies},
                             .overlaps = {found->overlaps, n, sizeof *found->overlaps},
                             .nearest = {found->nearest, n, sizeof *found->nearest},
                             .picture = my->settings->trajectory,
                             .n_patterns = my->info.n_patterns,
                             .is_of_data = my->data != NULL,
                             .keeps_diagonal = !my->settings->no_diagonal};
    const recall_result result = {.walk = &out};
    result_show(my->call, &result);
}

exit_code recall_trajectory(recall_job *my) {
    walk_found found = {0};
    exit_code code = plan(my, &found);
    if (code == EXIT_DONE)
        code = make_room(my, &found);
    if (code == EXIT_DONE)
        code = follow(my, &found);
    if (code == EXIT_DONE)
        code = draw(my, &found);
    if (code == EXIT_DONE)
        show(my, &found);
    memory_release(found.states);
    memory_release(found.energies);
    memory_release(found.overlaps);
    memory_release(found.nearest);
    return code;
}
