/* fig2.c - Fig. 2: L of the Hopfield RBM against beta, for k sub-patterns per digit
 *
 * SPDX-License-Identifier: MIT
 *
 * ln Z is estimated twice: by AIS with the paper's settings, separately for each beta, and by the best
 * method we have. They differ where AIS misses minima of the free energy; its L is then too high.
 */
#include <math.h>
#include <stdio.h>

#include "cli/allocation.h"
#include "paper/paper.h"

enum { MOST_BETAS = 16, MOST_K = 10 };

/* clang-format off */
static const struct {
    size_t n_k, k[MOST_K];
    size_t n_betas;
    double betas[MOST_BETAS];
    size_t chains, steps, runs;             /* AIS */
    size_t particles, repeats, draws, patience; /* the better estimate */
} scales[N_SCALES] = {
    [SCALE_TINY]  = {2, {1, 2}, 2, {1, 2}, 20, 20, 2, 100, 2, 1000, 0},
    [SCALE_QUICK] = {3, {1, 2, 5}, 6, {1, 1.5, 2, 3, 4, 6}, 500, 1000, 2, 2000, 3, 5000, 0},
    [SCALE_PAPER] = {10, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                     13, {1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 5, 6, 8, 10}, 500, 1000, 3, 8000, 5, 20000, 1},
};
/* clang-format on */

/* For every k: data term and AIS at each beta, one estimate of the whole curve, and its values at
   each beta. */
typedef enum part { PART_AIS, PART_CURVE, PART_BETTER } part;
enum { AIS_VALUES = 3, BETTER_VALUES = 4 };

typedef struct place {
    size_t k, beta;
    part part;
} place;

static size_t pieces_per_k(const experiment *my) {
    return 2 * scales[my->scale].n_betas + 1;
}

static place place_of(const experiment *my, size_t index) {
    const size_t n = scales[my->scale].n_betas, k = index / pieces_per_k(my);
    const size_t within = index % pieces_per_k(my);
    return within < n    ? (place){k, within, PART_AIS}
           : within == n ? (place){k, 0, PART_CURVE}
                         : (place){k, within - n - 1, PART_BETTER};
}

static size_t index_of(const experiment *my, place at) {
    const size_t n = scales[my->scale].n_betas;
    const size_t before[] = {[PART_AIS] = 0, [PART_CURVE] = n, [PART_BETTER] = n + 1};
    return at.k * pieces_per_k(my) + before[at.part] + at.beta;
}

static size_t count(const experiment *my) {
    return scales[my->scale].n_k * pieces_per_k(my);
}

static void plan(const experiment *my, size_t index, piece *out) {
    static const char *const titles[] = {
        [PART_AIS] = "AIS", [PART_CURVE] = "better estimates", [PART_BETTER] = "better estimate"};
    const place at = place_of(my, index);
    const size_t k = scales[my->scale].k[at.k], n = scales[my->scale].n_betas;
    const double b = scales[my->scale].betas[at.beta], p = 10.0 * (double)k;
    const double chain_steps = (double)(scales[my->scale].chains * scales[my->scale].steps);
    if (at.part == PART_CURVE)
        snprintf(out->key, sizeof out->key, "fig2 k=%zu curve", k);
    else
        snprintf(out->key, sizeof out->key, "fig2 k=%zu beta=%g %s", k, b,
                 at.part == PART_BETTER ? "better" : "ais");
    snprintf(out->text, sizeof out->text, "k = %zu, beta = %g, %s", k, b, titles[at.part]);
    out->n_values = at.part == PART_AIS     ? 1 + AIS_VALUES
                    : at.part == PART_CURVE ? n * BETTER_VALUES
                                            : BETTER_VALUES;
    out->cost =
        at.part == PART_AIS ? (double)scales[my->scale].runs * chain_steps * (1e-6 + 4e-8 * p)
        : at.part == PART_CURVE
            ? (double)(scales[my->scale].particles * scales[my->scale].repeats) * (1e-3 + 8e-5 * p)
            : 0;
    if (at.beta == 0 && at.part == PART_AIS && k > 1)
        out->cost += 1.2e-4 * (double)isg_dataset_describe(my->train).n_samples; /* clustering */
}

/* L by AIS as in the paper: mean and standard deviation of separate runs. */
static exit_code compute_ais(experiment *my, const isg_rbm *rbm, double *values) {
    const size_t runs = scales[my->scale].runs;
    exit_code code = EXIT_DONE;
    double sum = 0, squares = 0, ess = HUGE_VAL;
    isg_likelihood found = {0};
    for (size_t r = 0; code == EXIT_DONE && r < runs; r++) {
        isg_log_z_options options = isg_log_z_defaults();
        isg_log_z log_z;
        options.method = ISG_LOG_Z_AIS;
        options.ais.chains = scales[my->scale].chains;
        options.ais.steps = scales[my->scale].steps;
        options.ais.seed = my->seed + r;
        options.is_bounded = false; /* as published, even if it is below what known states give */
        code = fail_status(isg_rbm_score(
            rbm, my->train, &options, &found, &log_z,
            part_progress(my, (double)r / (double)runs, (double)(r + 1) / (double)runs)));
        if (code == EXIT_DONE) {
            sum += found.value;
            squares += found.value * found.value;
            ess = fmin(ess, log_z.ess);
        }
    }
    const double mean = sum / (double)runs;
    values[0] = found.data_term;
    values[1] = mean;
    values[2] = runs > 1 ? sqrt(fmax(0, squares - (double)runs * mean * mean) / (double)(runs - 1))
                         : found.error;
    values[3] = ess;
    return code;
}

/* One population serves all betas. */
static exit_code compute_curve(experiment *my, const isg_rbm *rbm, double *values) {
    const size_t n = scales[my->scale].n_betas;
    isg_log_z_options options = isg_log_z_defaults();
    isg_log_z found[MOST_BETAS];
    options.patience = scales[my->scale].patience;
    options.ais.seed = options.mixture.seed = options.states.seed = options.population.seed =
        my->seed;
    options.ais.chains = scales[my->scale].chains;
    options.ais.steps = scales[my->scale].steps;
    options.population.particles = scales[my->scale].particles;
    options.population.repeats = scales[my->scale].repeats;
    options.well_draws = scales[my->scale].draws;
    options.mixture.data = options.states.data = my->train;
    const exit_code code = fail_status(isg_rbm_log_z_betas(rbm, &options, scales[my->scale].betas,
                                                           n, found, part_progress(my, 0, 1)));
    for (size_t b = 0; code == EXIT_DONE && b < n; b++) {
        values[b * BETTER_VALUES] = found[b].value;
        values[b * BETTER_VALUES + 1] = found[b].error;
        values[b * BETTER_VALUES + 2] = (double)found[b].method - ISG_LOG_Z_EXACT;
        values[b * BETTER_VALUES + 3] = found[b].is_trusted;
    }
    return code;
}

static exit_code take_from_curve(const experiment *my, place at, double *values) {
    double curve[MOST_BETAS * BETTER_VALUES];
    piece what;
    plan(my, index_of(my, (place){at.k, 0, PART_CURVE}), &what);
    const exit_code code = piece_values(my, what.key, curve, what.n_values);
    for (size_t m = 0; code == EXIT_DONE && m < BETTER_VALUES; m++)
        values[m] = curve[at.beta * BETTER_VALUES + m];
    return code;
}

static exit_code compute(experiment *my, size_t index, double *values) {
    const place at = place_of(my, index);
    isg_patterns *patterns = NULL;
    isg_rbm *rbm = NULL;
    isg_mapping_options mapping = isg_mapping_defaults();
    if (at.part == PART_BETTER)
        return take_from_curve(my, at, values);
    mapping.beta = scales[my->scale].betas[at.beta];
    exit_code code = shared_patterns(my, scales[my->scale].k[at.k], &patterns);
    if (code == EXIT_DONE)
        code = fail_status(isg_rbm_from_patterns(&rbm, patterns, &mapping, NULL));
    if (code == EXIT_DONE)
        code =
            at.part == PART_CURVE ? compute_curve(my, rbm, values) : compute_ais(my, rbm, values);
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
    return code;
}

static json_t *parameters(const experiment *my) {
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}",                //
                     "ais_chains", (json_int_t)scales[my->scale].chains,   //
                     "ais_steps", (json_int_t)scales[my->scale].steps,     //
                     "ais_runs", (json_int_t)scales[my->scale].runs,       //
                     "particles", (json_int_t)scales[my->scale].particles, //
                     "repeats", (json_int_t)scales[my->scale].repeats,     //
                     "well_draws", (json_int_t)scales[my->scale].draws,    //
                     "patience", (json_int_t)scales[my->scale].patience);
}

/* ---- what is left behind ---------------------------------------------------------------------- */

static exit_code write_row(const experiment *my, output *text, size_t a, size_t b) {
    double ais[1 + AIS_VALUES], better[BETTER_VALUES];
    piece what;
    plan(my, index_of(my, (place){a, b, PART_AIS}), &what);
    exit_code code = piece_values(my, what.key, ais, 1 + AIS_VALUES);
    plan(my, index_of(my, (place){a, b, PART_BETTER}), &what);
    if (code == EXIT_DONE)
        code = piece_values(my, what.key, better, BETTER_VALUES);
    if (code != EXIT_DONE)
        return code;
    const size_t k = scales[my->scale].k[a];
    output_print(text, "%zu,%zu,%g,", k, k * isg_dataset_describe(my->train).n_classes,
                 scales[my->scale].betas[b]);
    const double numbers[] = {ais[0], ais[1], ais[2], ais[3], ais[0] - better[0], better[1]};
    for (size_t n = 0; n < 6; n++) {
        csv_number(text, numbers[n]);
        output_print(text, ",");
    }
    output_print(text, "%s,%d\n", method_title(better[2]), better[3] > 0);
    return EXIT_DONE;
}

/* How many of the better estimates are not trusted. */
static exit_code count_untrusted(const experiment *my, size_t *out) {
    *out = 0;
    for (size_t index = 0; index < count(my); index++) {
        double better[BETTER_VALUES];
        piece what;
        if (place_of(my, index).part != PART_BETTER)
            continue;
        plan(my, index, &what);
        const exit_code code = piece_values(my, what.key, better, BETTER_VALUES);
        if (code != EXIT_DONE)
            return code;
        *out += !(better[3] > 0);
    }
    return EXIT_DONE;
}

/* Darker as k grows, so that the order is visible without colors, too. */
static void write_script(const experiment *my, size_t untrusted, output *script) {
    static const int shapes[] = {7, 5, 9, 11, 13}; /* filled; one less is open */
    const size_t n_k = scales[my->scale].n_k;
    output_print(
        script,
        "set palette defined (0 '#8DB9DB', 0.5 '#1F78B4', 1 '#08204A')\n"
        "unset colorbox\nset cbrange [0:%zu]\nof(k, name) = (column('k') == k ? column(name) : "
        "NaN)\n"
        "doubtful(y) = (column('trusted') == 0 ? y : NaN)\n"
        "known(name) = (strcol(name) eq '' ? 0 : column(name))\n"
        "set multiplot\nset lmargin at screen 0.12\nset rmargin at screen 0.70\n"
        "set tmargin at screen 0.97\nset bmargin at screen 0.42\nset format x ''\n"
        "set ylabel 'L, mean of ln p per training sample' offset -1\n"
        "set key at screen 0.73,0.9 left top title 'sub-patterns k' left Left reverse samplen 2\n"
        "plot ",
        n_k > 1 ? n_k - 1 : 1);
    for (size_t a = 0; a < n_k; a++) {
        const size_t k = scales[my->scale].k[a];
        const int shape = shapes[a % 5];
        output_print(script,
                     "'fig2.csv' using 'beta':(of(%zu,'log_likelihood')):(known('error')) with "
                     "yerrorlines lw "
                     "2 pt %d ps 0.6 lc palette cb %zu title '%zu', '' using "
                     "'beta':(of(%zu,'ais')) with linespoints dt 2 lw "
                     "1.2 pt %d ps 0.9 lc palette cb %zu notitle, ",
                     k, shape, a, k, k, shape - 1, a);
    }
    output_print(script,
                 "NaN with linespoints lw 2 pt 7 ps 0.6 lc rgb '#404040' title 'best estimate', "
                 "NaN with linespoints dt 2 lw 1.2 pt 6 ps 0.9 lc rgb '#404040' title "
                 "'AIS, as published'");
    if (untrusted > 0)
        output_print(
            script, ", 'fig2.csv' using 'beta':(doubtful(column('log_likelihood'))) " UNTRUSTED_MARK
                    " title 'not trusted'");
    output_print(
        script,
        "\nset tmargin at screen 0.38\nset bmargin at screen 0.12\nset format x '%%g'\n"
        "set xlabel 'inverse temperature beta'\nset ylabel 'AIS - best estimate' offset -1\n"
        "unset key\nplot 0 lc rgb '#404040' lw 1");
    for (size_t a = 0; a < n_k; a++) {
        const size_t k = scales[my->scale].k[a];
        output_print(
            script,
            ", 'fig2.csv' using 'beta':(of(%zu,'ais')-of(%zu,'log_likelihood')):"
            "(sqrt(column('ais_error')**2+known('error')**2)) with yerrorlines dt 2 lw 1.2 pt %d "
            "ps 0.9 lc palette cb %zu",
            k, k, shapes[a % 5] - 1, a);
    }
    if (untrusted > 0)
        output_print(
            script,
            ", '' using 'beta':(doubtful(column('ais')-column('log_likelihood'))) " UNTRUSTED_MARK);
    output_print(script, "\nunset multiplot\n");
}

static exit_code finish(experiment *my) {
    output text = {0}, script = {0};
    size_t untrusted = 0;
    exit_code code = count_untrusted(my, &untrusted);
    output_print(&text,
                 "k,n_hidden,beta,data_term,ais,ais_error,ais_ess,log_likelihood,error,method,"
                 "trusted\n");
    for (size_t a = 0; code == EXIT_DONE && a < scales[my->scale].n_k; a++)
        for (size_t b = 0; code == EXIT_DONE && b < scales[my->scale].n_betas; b++)
            code = write_row(my, &text, a, b);
    if (code == EXIT_DONE)
        code = leave_text(my, "fig2.csv", "L against beta for every k, twice", &text);
    if (code == EXIT_DONE) {
        write_script(my, untrusted, &script);
        code = leave_script(my, 860, 720, &script);
    }
    output_free(&text);
    if (code != EXIT_DONE)
        return code;
    return leave_caption(
        my,
        "Log-likelihood per training sample of Hopfield RBMs with k sub-patterns per digit (10 k "
        "hidden "
        "units), against the inverse temperature, with error bars of one standard error. Dashed, "
        "open symbols: ln Z by annealed "
        "importance "
        "sampling at the paper's settings (%zu chains, %zu steps; mean and standard deviation of "
        "%zu "
        "runs). Solid, filled: the best estimate. Below: their difference; where it is positive, "
        "annealing has missed a part of Z, and its L is too high. Crosses mark best estimates "
        "that are not trusted, %zu of %zu here: nothing is concluded from them.",
        scales[my->scale].chains, scales[my->scale].steps, scales[my->scale].runs, untrusted,
        scales[my->scale].n_k * scales[my->scale].n_betas);
}

const figure figure_fig2 = {.name = "fig2",
                            .title = "Fig. 2: likelihood against temperature",
                            .count = count,
                            .plan = plan,
                            .compute = compute,
                            .parameters = parameters,
                            .finish = finish};
