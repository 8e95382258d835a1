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
    size_t samples, witnesses, patience;  /* the better estimate */
} scales[N_SCALES] = {
    [SCALE_TINY]  = {2, {1, 2}, 2, {1, 2}, 20, 20, 2, 1000, 32, 0},
    [SCALE_QUICK] = {3, {1, 2, 5}, 6, {1, 1.5, 2, 3, 4, 6}, 500, 1000, 2, 10000, 256, 0},
    [SCALE_PAPER] = {10, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                     13, {1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 5, 6, 8, 10}, 500, 1000, 3, 100000, 256, 2},
};
/* clang-format on */

/* For every k and beta there are two pieces: data term and AIS, and the better estimate. */
enum { AIS_VALUES = 3, BETTER_VALUES = 4 };

typedef struct place {
    size_t k, beta;
    bool is_better;
} place;

static place place_of(const experiment *my, size_t index) {
    const size_t n_betas = scales[my->scale].n_betas;
    return (place){.k = index / (2 * n_betas), .beta = index / 2 % n_betas, .is_better = index % 2};
}

static size_t count(const experiment *my) {
    return 2 * scales[my->scale].n_k * scales[my->scale].n_betas;
}

static void plan(const experiment *my, size_t index, piece *out) {
    const place at = place_of(my, index);
    const size_t k = scales[my->scale].k[at.k];
    const double b = scales[my->scale].betas[at.beta], p = 10.0 * (double)k;
    const double chain_steps = (double)(scales[my->scale].chains * scales[my->scale].steps);
    snprintf(out->key, sizeof out->key, "fig2 k=%zu beta=%g %s", k, b,
             at.is_better ? "better" : "ais");
    snprintf(out->text, sizeof out->text, "k = %zu, beta = %g, %s", k, b,
             at.is_better ? "better estimate" : "AIS");
    out->n_values = at.is_better ? BETTER_VALUES : 1 + AIS_VALUES;
    out->cost = at.is_better ? 0.04 * p * sqrt((double)scales[my->scale].samples / 1e4)
                             : (double)scales[my->scale].runs * chain_steps * (1e-6 + 4e-8 * p);
    if (at.beta == 0 && !at.is_better && k > 1)
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

static exit_code compute_better(experiment *my, const isg_rbm *rbm, double *values) {
    isg_log_z_options options = isg_log_z_defaults();
    isg_log_z found = {0};
    options.patience = scales[my->scale].patience;
    options.ais.seed = options.mixture.seed = my->seed;
    options.ais.chains = scales[my->scale].chains;
    options.ais.steps = scales[my->scale].steps;
    options.mixture.samples = scales[my->scale].samples;
    options.mixture.witnesses = scales[my->scale].witnesses;
    options.mixture.data = my->train;
    const exit_code code =
        fail_status(isg_rbm_log_z(rbm, &options, &found, part_progress(my, 0, 1)));
    values[0] = found.value;
    values[1] = found.error;
    values[2] = (double)found.method - ISG_LOG_Z_EXACT;
    values[3] = found.is_trusted;
    return code;
}

static exit_code compute(experiment *my, size_t index, double *values) {
    const place at = place_of(my, index);
    isg_patterns *patterns = NULL;
    isg_rbm *rbm = NULL;
    isg_mapping_options mapping = isg_mapping_defaults();
    mapping.beta = scales[my->scale].betas[at.beta];
    exit_code code = shared_patterns(my, scales[my->scale].k[at.k], &patterns);
    if (code == EXIT_DONE)
        code = fail_status(isg_rbm_from_patterns(&rbm, patterns, &mapping, NULL));
    if (code == EXIT_DONE)
        code = at.is_better ? compute_better(my, rbm, values) : compute_ais(my, rbm, values);
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
    return code;
}

static json_t *parameters(const experiment *my) {
    return json_pack("{s:I, s:I, s:I, s:I, s:I}",                              //
                     "ais_chains", (json_int_t)scales[my->scale].chains,       //
                     "ais_steps", (json_int_t)scales[my->scale].steps,         //
                     "ais_runs", (json_int_t)scales[my->scale].runs,           //
                     "mixture_samples", (json_int_t)scales[my->scale].samples, //
                     "patience", (json_int_t)scales[my->scale].patience);
}

/* ---- what is left behind ---------------------------------------------------------------------- */

static exit_code write_row(const experiment *my, output *text, size_t a, size_t b) {
    static const char *const methods[] = {"exact", "ais", "mixture"};
    const size_t index = 2 * (a * scales[my->scale].n_betas + b);
    double ais[1 + AIS_VALUES], better[BETTER_VALUES];
    piece what;
    plan(my, index, &what);
    exit_code code = piece_values(my, what.key, ais, 1 + AIS_VALUES);
    plan(my, index + 1, &what);
    if (code == EXIT_DONE)
        code = piece_values(my, what.key, better, BETTER_VALUES);
    if (code != EXIT_DONE)
        return code;
    const size_t k = scales[my->scale].k[a];
    const size_t method = better[2] >= 0 && better[2] < 3 ? (size_t)better[2] : 0;
    output_print(text, "%zu,%zu,%g,", k, k * isg_dataset_describe(my->train).n_classes,
                 scales[my->scale].betas[b]);
    const double numbers[] = {ais[0], ais[1], ais[2], ais[3], ais[0] - better[0], better[1]};
    for (size_t n = 0; n < 6; n++) {
        csv_number(text, numbers[n]);
        output_print(text, ",");
    }
    output_print(text, "%s,%d\n", methods[method], better[3] > 0);
    return EXIT_DONE;
}

/* How many of the better estimates are not trusted. */
static exit_code count_untrusted(const experiment *my, size_t *out) {
    *out = 0;
    for (size_t index = 1; index < count(my); index += 2) {
        double better[BETTER_VALUES];
        piece what;
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
        output_print(
            script,
            "'fig2.csv' using 'beta':(of(%zu,'log_likelihood')) with linespoints lw 2 pt %d ps 0.6 "
            "lc "
            "palette cb %zu title '%zu', '' using 'beta':(of(%zu,'ais')) with linespoints dt 2 lw "
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
        "units), against the inverse temperature. Dashed, open symbols: ln Z by annealed "
        "importance "
        "sampling at the paper's settings (%zu chains, %zu steps; mean and standard deviation of "
        "%zu "
        "runs). Solid, filled: the best estimate. Below: their difference; where it is positive, "
        "annealing has missed a part of Z, and its L is too high. Crosses mark best estimates "
        "that are not trusted, %zu of %zu here: nothing is concluded from them.",
        scales[my->scale].chains, scales[my->scale].steps, scales[my->scale].runs, untrusted,
        count(my) / 2);
}

const figure figure_fig2 = {.name = "fig2",
                            .title = "Fig. 2: likelihood against temperature",
                            .count = count,
                            .plan = plan,
                            .compute = compute,
                            .parameters = parameters,
                            .finish = finish};
