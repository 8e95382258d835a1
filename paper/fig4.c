/* fig4.c - Fig. 4: L against epochs for four starts, and samples of two of them
 *
 * SPDX-License-Identifier: MIT
 *
 * ln Z is by AIS with 100 chains, as published, at every stop; at some the best estimate is added.
 */
#include <math.h>
#include <stdio.h>

#include "cli/allocation.h"
#include "cli/pictures.h"
#include "paper/paper.h"

enum { N_GROUPS = 2, VALUES = 7, SAMPLE_ROWS = 4, SAMPLE_SWEEPS = 20, MOST_CHECKS = 8 };

/* clang-format off */
static const size_t per_class[N_GROUPS] = {1, 5}; /* (a) p = 10, (b) p = 50 */
static const struct {
    size_t runs[N_GROUPS];
    double epochs[N_GROUPS];  /* where the curves end; training.c has the stops before that */
    size_t chains, steps;     /* AIS */
    size_t particles, repeats, draws, patience; /* the best estimate */
    size_t n_checked; /* of the starts have, at these stops, the best estimate too ... */
    double checks[N_GROUPS][MOST_CHECKS]; /* ... the list ends with -1 */
    double sample_epochs;     /* (c), (d) */
} scales[N_SCALES] = {
    [SCALE_TINY]  = {{2, 1}, {1, 1}, 20, 20, 100, 2, 1000, 0, 1, {{0, -1}, {-1}}, 1},
    [SCALE_QUICK] = {{2, 1}, {3, 2}, 100, 1000, 1000, 3, 5000, 0, 4, {{0, 3, -1}, {-1}}, 2},
    [SCALE_PAPER] = {{5, 5}, {50, 50}, 100, 1000, 4000, 3, 20000, 1, 4,
                     {{0, 1, 2, 5, 10, 25, 50, -1}, {0, 1, 5, 15, 25, 50, -1}}, 15},
};
/* clang-format on */

typedef struct place {
    size_t group;
    training which;
    double epoch;
    double before; /* the stop before; 0 for the first */
} place;

static size_t n_stops(const experiment *my, size_t group, const double **stops) {
    size_t n = training_stops(my, per_class[group], stops);
    while (n > 0 && (*stops)[n - 1] > scales[my->scale].epochs[group])
        n--;
    return n;
}

static size_t count_group(const experiment *my, size_t group) {
    const double *stops;
    return N_STARTS * scales[my->scale].runs[group] * n_stops(my, group, &stops);
}

static size_t count(const experiment *my) {
    return count_group(my, 0) + count_group(my, 1);
}

/* By group, start, run and stop, the last fastest, so that every run continues from its last stop. */
static place place_of(const experiment *my, size_t index) {
    place at = {.group = index >= count_group(my, 0)};
    const double *stops;
    const size_t n = n_stops(my, at.group, &stops), runs = scales[my->scale].runs[at.group];
    if (at.group > 0)
        index -= count_group(my, 0);
    at.which = (training){.per_class = per_class[at.group],
                          .start = (isg_start)(index / (n * runs)),
                          .run = 1 + index / n % runs};
    at.epoch = stops[index % n];
    at.before = index % n > 0 ? stops[index % n - 1] : 0;
    return at;
}

static bool is_checked(const experiment *my, const place *at) {
    const double *checks = scales[my->scale].checks[at->group];
    for (size_t k = 0; checks[k] >= 0; k++)
        if (checks[k] == at->epoch && at->which.start < scales[my->scale].n_checked)
            return true;
    return false;
}

static size_t n_hidden(const experiment *my, size_t group) {
    return per_class[group] * isg_dataset_describe(my->train).n_classes;
}

static void plan(const experiment *my, size_t index, piece *out) {
    const place at = place_of(my, index);
    const double p = (double)n_hidden(my, at.group);
    const double chain_steps = (double)(scales[my->scale].chains * scales[my->scale].steps);
    const char *name = start_titles[at.which.start];
    snprintf(out->key, sizeof out->key, "fig4 p=%g %s run=%zu epoch=%g", p, name, at.which.run,
             at.epoch);
    snprintf(out->text, sizeof out->text, "p = %g, %s, run %zu, epoch %g", p, name, at.which.run,
             at.epoch);
    out->n_values = VALUES;
    out->cost = training_cost(my, per_class[at.group], at.epoch - at.before) + 0.2 +
                chain_steps * (2e-6 + 6e-8 * p);
    if (is_checked(my, &at))
        out->cost +=
            (double)(scales[my->scale].particles * scales[my->scale].repeats) * (2e-4 + 2e-5 * p);
}

static exit_code score(experiment *my, const place *at, const isg_rbm *rbm, double *values) {
    isg_likelihood annealed = {0}, best = {.value = (double)NAN, .error = (double)NAN};
    isg_log_z log_z = {0};
    isg_log_z_options options = isg_log_z_defaults();
    options.method = ISG_LOG_Z_AIS;
    options.ais.chains = scales[my->scale].chains;
    options.ais.steps = scales[my->scale].steps;
    options.ais.seed = options.mixture.seed = options.states.seed = options.population.seed =
        my->seed + at->which.run - 1;
    options.is_bounded = false; /* as published, even if it is below what known states give */
    exit_code code = fail_status(
        isg_rbm_score(rbm, my->train, &options, &annealed, NULL, part_progress(my, 0.5, 0.7)));
    const bool is_due = is_checked(my, at);
    if (code == EXIT_DONE && is_due) {
        options.method = ISG_LOG_Z_AUTO;
        options.patience = scales[my->scale].patience;
        options.population.particles = scales[my->scale].particles;
        options.population.repeats = scales[my->scale].repeats;
        options.well_draws = scales[my->scale].draws;
        code = fail_status(
            isg_rbm_score(rbm, my->train, &options, &best, &log_z, part_progress(my, 0.7, 1)));
    }
    values[0] = annealed.data_term;
    values[1] = annealed.value;
    values[2] = annealed.error;
    values[3] = best.value;
    values[4] = best.error;
    values[5] = is_due ? (double)log_z.method - ISG_LOG_Z_EXACT : (double)NAN;
    values[6] = is_due ? best.is_trusted : (double)NAN;
    return code;
}

static exit_code compute(experiment *my, size_t index, double *values) {
    const place at = place_of(my, index);
    isg_rbm *rbm = NULL;
    part_progress(my, 0, 0.5);
    exit_code code = training_reach(my, &at.which, at.epoch, &rbm);
    if (code == EXIT_DONE)
        code = score(my, &at, rbm, values);
    isg_rbm_free(rbm);
    return code;
}

static json_t *parameters(const experiment *my) {
    return json_pack("{s:[I,I], s:[f,f], s:I, s:I, s:I, s:I, s:I, s:f, s:I}",            //
                     "runs", (json_int_t)scales[my->scale].runs[0],                      //
                     (json_int_t)scales[my->scale].runs[1],                              //
                     "epochs", scales[my->scale].epochs[0], scales[my->scale].epochs[1], //
                     "ais_chains", (json_int_t)scales[my->scale].chains,                 //
                     "ais_steps", (json_int_t)scales[my->scale].steps,                   //
                     "particles", (json_int_t)scales[my->scale].particles,               //
                     "repeats", (json_int_t)scales[my->scale].repeats,                   //
                     "well_draws", (json_int_t)scales[my->scale].draws,                  //
                     "sample_epochs", scales[my->scale].sample_epochs,                   //
                     "sample_sweeps", (json_int_t)SAMPLE_SWEEPS);
}

/* ---- tables ----------------------------------------------------------------------------------- */

/* Also counts the best estimates of each group that are not trusted. */
static exit_code leave_scores(experiment *my, size_t *untrusted) {
    output text = {0};
    exit_code code = EXIT_DONE;
    output_print(&text, "p,start,run,epoch,data_term,ais,ais_error,log_likelihood,error,method,"
                        "trusted\n");
    for (size_t k = 0; code == EXIT_DONE && k < count(my); k++) {
        const place at = place_of(my, k);
        double values[VALUES];
        piece what;
        plan(my, k, &what);
        code = piece_values(my, what.key, values, VALUES);
        if (code != EXIT_DONE)
            break;
        output_print(&text, "%zu,%s,%zu,%g", n_hidden(my, at.group), start_titles[at.which.start],
                     at.which.run, at.epoch);
        for (size_t n = 0; n < 5; n++) {
            output_print(&text, ",");
            csv_number(&text, values[n]);
        }
        untrusted[at.group] += values[6] <= 0;
        if (isnan(values[5]))
            output_print(&text, ",,\n");
        else
            output_print(&text, ",%s,%d\n", method_title(values[5]), values[6] > 0);
    }
    if (code == EXIT_DONE)
        code = leave_text(my, "fig4.csv", "L of every run at every stop", &text);
    output_free(&text);
    return code;
}

/* Over the runs: by AIS, as published, and by the best estimate where every run has one. */
typedef struct point {
    double mean[2], deviation[2]; /* NaN if there is none, and of a single run */
    double lowest, highest;
    double is_trusted; /* of the best estimates; NaN if there are none */
} point;

static exit_code gather(const experiment *my, size_t first, size_t stride, size_t runs,
                        point *out) {
    double sum[2] = {0}, squares[2] = {0};
    out->lowest = HUGE_VAL;
    out->highest = -HUGE_VAL;
    out->is_trusted = 1;
    for (size_t r = 0; r < runs; r++) {
        double values[VALUES];
        piece what;
        plan(my, first + r * stride, &what);
        const exit_code code = piece_values(my, what.key, values, VALUES);
        if (code != EXIT_DONE)
            return code;
        for (size_t n = 0; n < 2; n++) {
            sum[n] += values[1 + 2 * n];
            squares[n] += values[1 + 2 * n] * values[1 + 2 * n];
        }
        out->lowest = fmin(out->lowest, values[1]);
        out->highest = fmax(out->highest, values[1]);
        out->is_trusted *= values[6];
    }
    for (size_t n = 0; n < 2; n++) {
        const double mean = sum[n] / (double)runs;
        out->mean[n] = mean;
        out->deviation[n] =
            runs > 1 && !isnan(mean)
                ? sqrt(fmax(0, squares[n] - (double)runs * mean * mean) / (double)(runs - 1))
                : (double)NAN;
    }
    return EXIT_DONE;
}

static exit_code write_curve(const experiment *my, size_t group, isg_start start, output *text) {
    const double *stops;
    const size_t n = n_stops(my, group, &stops), runs = scales[my->scale].runs[group];
    const size_t first = (group > 0 ? count_group(my, 0) : 0) + (size_t)start * runs * n;
    for (size_t k = 0; k < n; k++) {
        point at;
        const exit_code code = gather(my, first + k, n, runs, &at);
        if (code != EXIT_DONE)
            return code;
        output_print(text, "%zu,%s,%g,%zu", n_hidden(my, group), start_titles[start], stops[k],
                     runs);
        const double numbers[] = {at.mean[0], at.deviation[0], at.lowest,    at.highest,
                                  at.mean[1], at.deviation[1], at.is_trusted};
        for (size_t m = 0; m < sizeof numbers / sizeof numbers[0]; m++) {
            output_print(text, ",");
            csv_number(text, numbers[m]);
        }
        output_print(text, "\n");
    }
    return EXIT_DONE;
}

static exit_code leave_curves(experiment *my) {
    output text = {0};
    exit_code code = EXIT_DONE;
    output_print(&text, "p,start,epoch,runs,mean,deviation,lowest,highest,best_mean,best_deviation,"
                        "best_trusted\n");
    for (size_t group = 0; group < N_GROUPS; group++)
        for (size_t k = 0; code == EXIT_DONE && k < N_STARTS; k++)
            code = write_curve(my, group, (isg_start)k, &text);
    if (code == EXIT_DONE)
        code = leave_text(my, "fig4-curves.csv", "mean and spread of L over the runs", &text);
    output_free(&text);
    return code;
}

/* ---- samples ---------------------------------------------------------------------------------- */

/* Starts the chains from test images, one class in each column. */
static void set_starts(const experiment *my, isg_chains *chains) {
    const isg_dataset_info info = isg_dataset_describe(my->test);
    const uint32_t *labels = isg_dataset_labels(my->test);
    for (size_t c = 0; c < info.n_classes; c++)
        for (size_t row = 0, found = 0; found < SAMPLE_ROWS && row < info.n_samples; row++)
            if (labels[row] == c)
                isg_chains_set_spins(chains, info.n_classes * found++ + c,
                                     isg_dataset_row(my->test, row));
}

static exit_code leave_samples(experiment *my, isg_start start, const char *picture,
                               const char *arrays) {
    const training which = {.per_class = per_class[1], .start = start, .run = 1};
    const size_t n_classes = isg_dataset_describe(my->test).n_classes;
    isg_rbm *rbm = NULL;
    isg_chains *chains = NULL;
    char *picture_path = NULL, *arrays_path = NULL;
    exit_code code = figure_path(my, picture, &picture_path);
    if (code == EXIT_DONE)
        code = figure_path(my, arrays, &arrays_path);
    if (code == EXIT_DONE)
        code = training_reach(my, &which, scales[my->scale].sample_epochs, &rbm);
    if (code == EXIT_DONE)
        code = fail_status(isg_chains_create(&chains, rbm, SAMPLE_ROWS * n_classes, my->seed));
    if (code == EXIT_DONE) {
        set_starts(my, chains);
        code = fail_status(isg_chains_sweep(chains, SAMPLE_SWEEPS, isg_rbm_describe(rbm).beta));
    }
    if (code == EXIT_DONE)
        code = draw_chains(picture_path, chains, NULL, n_classes, 0, 0);
    if (code == EXIT_DONE)
        code = fail_status(isg_chains_save(chains, arrays_path, "isinglass reproduce"));
    if (code == EXIT_DONE)
        code = leave_file(my, picture, "samples, one class in each column");
    if (code == EXIT_DONE)
        code = leave_file(my, arrays, "the same as arrays");
    isg_chains_free(chains);
    isg_rbm_free(rbm);
    memory_release(picture_path);
    memory_release(arrays_path);
    return code;
}

/* ---- the picture ------------------------------------------------------------------------------ */

static const struct {
    const char *color, *title;
    int point, open_point, dash;
} looks[N_STARTS] = {
    [ISG_START_HOPFIELD] = {"#0072B2", "Hopfield (projection)", 7, 6, 1},
    [ISG_START_HEBBIAN] = {"#009E73", "Hebbian", 9, 8, 4},
    [ISG_START_PCA] = {"#CC79A7", "PCA", 5, 4, 2},
    [ISG_START_NORMAL] = {"#5D3A9B", "random", 11, 10, 3},
};

/* All four curves, and open symbols for the best estimates; gnuplot fills wrongly what is cut off
   below, so bands end at `floor`. */
static void plot_group(output *script, size_t p, bool has_titles, bool has_crosses, bool has_key) {
    output_print(script, "plot ");
    for (size_t k = 0; k < N_STARTS; k++) {
        const char *name = start_titles[k], *color = looks[k].color;
        output_print(
            script,
            "'fig4-curves.csv' using 'epoch':(band(%zu,'%s',-1)):(band(%zu,'%s',1)) "
            "with filledcurves fs solid 0.25 noborder lc rgb '%s' notitle, "
            "'' using 'epoch':(best(%zu,'%s')) with points pt %d ps 1 lw 1.5 lc rgb '%s' notitle, "
            "'' using 'epoch':(of(%zu,'%s')) with linespoints lw 2 pt %d ps 0.6 dt %d lc rgb "
            "'%s' ",
            p, name, p, name, color, p, name, looks[k].open_point, color, p, name, looks[k].point,
            looks[k].dash, color);
        if (has_titles)
            output_print(script, "title '%s'", looks[k].title);
        else
            output_print(script, "notitle");
        output_print(script, ", ");
    }
    if (has_crosses)
        output_print(script, "'' using 'epoch':(doubtful(%zu)) " UNTRUSTED_MARK " notitle, ", p);
    output_print(script, has_key ? UNTRUSTED_TITLE "\n" : "NaN notitle\n");
}

static exit_code start_level(const experiment *my, size_t group, double *out) {
    point at;
    const double *stops;
    const exit_code code =
        gather(my, group > 0 ? count_group(my, 0) : 0, n_stops(my, group, &stops), 1, &at);
    *out = at.mean[0];
    return code;
}

/* The inset has the first two epochs of (a), where the curves cross; it needs more around it. */
static const double inset_epochs = 3;

static bool has_inset(const experiment *my) {
    return scales[my->scale].epochs[0] > inset_epochs;
}

static void write_inset(const experiment *my, double low, bool has_crosses, output *script) {
    output_print(
        script,
        "set origin 0.22,0.5\nset size 0.26,0.25\nset title 'first epochs' font ',11'\n"
        "unset xlabel\nunset ylabel\nset tics font ',10'\nset ytics 300\nset xrange [0:2]\n"
        "floor = %.4g\nset yrange [floor:*]\nunset key\n"
        "set object 1 rectangle from graph -0.3,-0.25 to graph 1.05,1.25 behind fs solid "
        "noborder fc rgb 'white'\n",
        low);
    plot_group(script, n_hidden(my, 0), false, has_crosses, false);
    output_print(script, "unset object 1\n");
}

static exit_code leave_picture(experiment *my, const size_t *untrusted) {
    output script = {0};
    double level[N_GROUPS] = {0};
    exit_code code = EXIT_DONE;
    for (size_t g = 0; code == EXIT_DONE && g < N_GROUPS; g++)
        code = start_level(my, g, &level[g]);
    if (code != EXIT_DONE)
        return code;
    output_print(
        &script,
        "of(p, name) = (column('p') == p && strcol('start') eq name ? column('mean') : NaN)\n"
        "best(p, name) = (column('p') == p && strcol('start') eq name ? column('best_mean') : "
        "NaN)\n"
        "doubtful(p) = (column('p') == p && strcol('best_trusted') eq '0' ? column('best_mean') : "
        "NaN)\n"
        "above(y) = (y < floor ? floor : y)\n"
        "band(p, name, side) = (strcol('deviation') eq '' ? NaN : above(of(p, name) + "
        "side*column('deviation')))\n"
        "set multiplot\nset xlabel 'epochs'\nset ylabel 'L, mean of ln p per sample'\n");
    for (size_t g = 0; g < N_GROUPS; g++) {
        output_print(&script,
                     "set origin %g,0.42\nset size 0.5,0.58\nset title '(%c) p = %zu'\n"
                     "floor = %.4g\nset xrange [0:%g]\nset yrange [floor:*]\n%s\n",
                     0.5 * (double)g, (char)('a' + g), n_hidden(my, g),
                     (g == 0 && has_inset(my) ? 2.4 : 1.8) * level[g], scales[my->scale].epochs[g],
                     g == 0 ? "unset key" : "set key bottom right Left reverse");
        plot_group(&script, n_hidden(my, g), g == 1, untrusted[g] > 0,
                   g == 1 && untrusted[0] + untrusted[1] > 0);
    }
    if (has_inset(my))
        write_inset(my, 4 * level[0], untrusted[0] > 0, &script);
    output_print(&script,
                 "unset border\nunset tics\nunset grid\nset xlabel ''\nset ylabel ''\nunset key\n"
                 "set xrange [*:*]\nset yrange [*:*]\nset size ratio -1\nset lmargin 1\n"
                 "set rmargin 1\nset bmargin 0.5\nset tmargin 2\n");
    for (size_t g = 0; g < 2; g++)
        output_print(&script,
                     "set origin %g,0\nset size 0.5,0.4\n"
                     "set title '(%c) samples, %s start, %g epochs' font ',13'\n"
                     "plot 'fig4%c.png' binary filetype=png with rgbimage notitle\n",
                     0.5 * (double)g, (char)('c' + g), g == 0 ? "random" : "Hopfield",
                     scales[my->scale].sample_epochs, (char)('c' + g));
    output_print(&script, "unset multiplot\n");
    return leave_script(my, 1100, 800, &script);
}

static exit_code finish(experiment *my) {
    size_t untrusted[N_GROUPS] = {0};
    exit_code code = leave_scores(my, untrusted);
    if (code == EXIT_DONE)
        code = leave_curves(my);
    if (code == EXIT_DONE)
        code = leave_samples(my, ISG_START_NORMAL, "fig4c.png", "fig4c.npz");
    if (code == EXIT_DONE)
        code = leave_samples(my, ISG_START_HOPFIELD, "fig4d.png", "fig4d.npz");
    if (code == EXIT_DONE)
        code = leave_picture(my, untrusted);
    if (code != EXIT_DONE)
        return code;
    return leave_caption(
        my,
        "Log-likelihood per training sample against epochs of CD-20 from four starts, (a) %zu and "
        "(b) %zu "
        "hidden units; mean and standard deviation (band) of %zu and %zu runs. %sln Z by annealed "
        "importance sampling with %zu chains and %zu steps, as published; "
        "open symbols: the best estimate; crosses mark those that are not trusted in "
        "every run (%zu of single runs), from which nothing is concluded. Learning rate 1e-4, but "
        "5e-4 in the first "
        "25 epochs of the random start in (b); batches of 100, but 1000 for the other starts in "
        "(a). (c), "
        "(d): samples of the RBMs of (b), one digit in each column, %d updates at beta 2 from a "
        "test "
        "image, after %g epochs (the paper: 15).",
        n_hidden(my, 0), n_hidden(my, 1), scales[my->scale].runs[0], scales[my->scale].runs[1],
        has_inset(my) ? "Inset: the first epochs of (a). " : "", scales[my->scale].chains,
        scales[my->scale].steps, untrusted[0] + untrusted[1], SAMPLE_SWEEPS,
        scales[my->scale].sample_epochs);
}

const figure figure_fig4 = {.name = "fig4",
                            .title = "Fig. 4: training from four starts",
                            .count = count,
                            .plan = plan,
                            .compute = compute,
                            .parameters = parameters,
                            .finish = finish};
