/* cmd_sample.c - isinglass sample: states of an RBM as a picture or as arrays
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/beta_schedule.h"
#include "cli/data_input.h"
#include "cli/data_rows.h"
#include "cli/model_input.h"
#include "cli/pictures.h"
#include "cli/progress.h"
#include "cli/suggest.h"
#include "cli/unit_ranges.h"
#include "cli/verbs/sample_moves.h"

enum { PICTURE_COUNT = 100, ARRAY_COUNT = 1000, COLUMNS = 10, LEAST_DIAGNOSED = 4 };

/* The default for the last step of a picture, which would otherwise show thermal noise. */
static const double picture_beta = 20;

typedef struct sample_settings {
    data_settings data;
    const char *out, *start, *beta, *clamp;
    size_t count, sweeps;
    bool diagnose;
    move_settings moves;
} sample_settings;

static void defaults(void *settings) {
    *(sample_settings *)settings =
        (sample_settings){.data = data_defaults(), .sweeps = 20, .moves = move_defaults()};
}

typedef struct sample_job {
    const invocation *call;
    const sample_settings *settings;
    const char *file; /* of the model */
    isg_rbm *rbm;
    isg_rbm_info info;
    isg_dataset *data; /* NULL unless chains start from DATA */
    bool is_picture, is_from_patterns;
    size_t count, columns, height, width;
    beta_schedule betas;
    uint64_t *clamped; /* packed; NULL if none */
    size_t n_clamped;
    size_t *rows; /* (count) of the data, where each chain starts; NULL without data */
    isg_chains *chains;
    bool is_diagnosed;
    sample_moves moves;
    double mean, deviation; /* of the energies */
    isg_decorrelation found;
} sample_job;

/* ---- what was asked for --------------------------------------------------------------------------- */

static exit_code check_output(sample_job *my) {
    const char *out = my->settings->out;
    my->is_picture = ends_in(out, ".png") || ends_in(out, ".svg");
    if (!my->is_picture && !ends_in(out, ".npz"))
        return fail(EXIT_MISUSED, "%s: expected a file name that ends in .png, .svg or .npz", out);
    return my->is_picture ? may_write_picture(&my->call->common, out)
                          : may_write(&my->call->common, out, ".npz");
}

/* --beta, or the model's; in a picture, 20 for the last step. */
static exit_code plan_betas(sample_job *my) {
    const size_t steps = my->settings->sweeps;
    beta_schedule *betas = &my->betas;
    if (my->settings->beta)
        return betas_parse(betas, my->settings->beta, steps);
    *betas = (beta_schedule){.parts = 1, .beta = {my->info.beta}, .from = {0, steps}};
    if (!my->is_picture || my->info.beta >= picture_beta)
        return EXIT_DONE;
    betas->parts = steps > 1 ? 2 : 1;
    betas->beta[betas->parts - 1] = picture_beta;
    betas->from[betas->parts - 1] = steps - 1;
    betas->from[betas->parts] = steps;
    return EXIT_DONE;
}

static exit_code plan_clamp(sample_job *my) {
    const size_t n = my->info.n_visible;
    if (!my->settings->clamp)
        return EXIT_DONE;
    my->clamped = memory_allocate(n / 64 + 1, sizeof *my->clamped);
    if (!my->clamped)
        return fail_memory();
    return ranges_parse("--clamp", my->settings->clamp, n, my->clamped, &my->n_clamped);
}

/* A picture needs a shape: that of the data, of --shape, or of the model. */
static exit_code plan_shape(sample_job *my) {
    const isg_dataset_info data =
        my->data ? isg_dataset_describe(my->data) : (isg_dataset_info){.n_samples = 0};
    my->height = data.image_height ? data.image_height : my->info.image_height;
    my->width = data.image_height ? data.image_width : my->info.image_width;
    if (my->settings->data.shape) {
        const exit_code code = shape_parse(my->settings->data.shape, &my->height, &my->width);
        if (code != EXIT_DONE)
            return code;
    }
    if (!my->is_picture)
        return EXIT_DONE;
    return check_image(my->file, my->info.n_visible, my->height, my->width,
                       SHAPE_ADVICE ", or write an .npz");
}

/* ---- where chains start ---------------------------------------------------------------------------- */

static exit_code load_data(sample_job *my, const char *name) {
    exit_code code = data_load(&my->data, my->call, name, &my->settings->data,
                               model_encoding(my->call, my->file, isg_rbm_encoding(my->rbm)));
    if (code == EXIT_FILE) {
        suggestion nearest = {.typed = name};
        suggest(&nearest, "noise", "--start noise");
        suggest(&nearest, "patterns", "--start patterns");
        return nearest.best[0]
                   ? fail(code, "--start: %s; did you mean %s?", isg_error_message(), nearest.best)
                   : code;
    }
    if (code != EXIT_DONE)
        return code;
    const isg_dataset_info info = isg_dataset_describe(my->data);
    if (info.n_visible != my->info.n_visible)
        return fail(EXIT_BAD_INPUT, "%s: has samples of %zu unit%s, but %s has %zu visible ones",
                    name, info.n_visible, plural(info.n_visible), my->file, my->info.n_visible);
    return data_impute(&my->data, my->call, my->rbm, false);
}

static exit_code plan_start(sample_job *my) {
    const char *start = my->settings->start;
    const bool has_patterns = isg_rbm_patterns(my->rbm) != NULL;
    my->is_from_patterns = start ? strcmp(start, "patterns") == 0 : has_patterns;
    if (my->is_from_patterns && !has_patterns)
        return fail(EXIT_BAD_INPUT,
                    "%s: has no patterns to start from; use --start noise or --start DATA",
                    my->file);
    if (my->is_from_patterns || !start || strcmp(start, "noise") == 0)
        return data_refuse_options(my->call, "--start DATA");
    return load_data(my, start);
}

/* New chains where they start. */
static exit_code start_chains(const sample_job *my, isg_chains **out) {
    const isg_patterns *patterns = my->is_from_patterns ? isg_rbm_patterns(my->rbm) : NULL;
    const exit_code code =
        fail_status(isg_chains_create(out, my->rbm, my->count, my->call->common.seed));
    if (code != EXIT_DONE)
        return code;
    for (size_t k = 0; k < my->count && (patterns || my->data); k++)
        isg_chains_set_spins(
            *out, k,
            patterns ? isg_patterns_row(patterns, k % isg_patterns_describe(patterns).n_patterns)
                     : isg_dataset_row(my->data, my->rows[k]));
    isg_chains_clamp(*out, my->clamped);
    return EXIT_DONE;
}

static exit_code plan(sample_job *my) {
    exit_code code = check_output(my);
    if (code == EXIT_DONE)
        code = model_load(&my->rbm, my->file);
    if (code != EXIT_DONE)
        return code;
    my->info = isg_rbm_describe(my->rbm);
    my->columns = COLUMNS;
    my->count = my->settings->count ? my->settings->count
                : my->is_picture    ? PICTURE_COUNT
                                    : ARRAY_COUNT;
    /* Jumps and tempering are there to change modes: whether they do is always measured. */
    my->is_diagnosed = my->settings->diagnose || (moves_are_wanted(&my->settings->moves) &&
                                                  my->settings->sweeps >= LEAST_DIAGNOSED);
    if (my->settings->diagnose && my->settings->sweeps < LEAST_DIAGNOSED)
        return fail(EXIT_MISUSED, "--diagnose: expected at least %d --sweeps, found %zu",
                    LEAST_DIAGNOSED, my->settings->sweeps);
    code = plan_betas(my);
    if (code == EXIT_DONE)
        code = plan_clamp(my);
    if (code == EXIT_DONE)
        code = plan_start(my);
    if (code == EXIT_DONE)
        code = plan_shape(my);
    size_t each = 0;
    if (code == EXIT_DONE)
        code = moves_check(my->call, &my->settings->moves);
    if (code == EXIT_DONE && my->data)
        code = rows_by_class(&my->rows, &each, my->data, my->count);
    if (each > 1)
        my->columns = each;
    return code;
}

/* ---- sampling --------------------------------------------------------------------------------------- */

/* A few sweeps at a time, to show progress. Moves between modes belong to the first beta. */
static exit_code sweep(isg_chains *chains, const beta_schedule *betas, const isg_moves *moves,
                       bool is_quiet) {
    const size_t at_once = moves->tempering ? 1 : 20;
    const double steps = (double)betas->from[betas->parts];
    exit_code code = EXIT_DONE;
    progress bar;
    progress_start(&bar, is_quiet, "sampling");
    for (size_t part = 0; part < betas->parts; part++)
        for (size_t t = betas->from[part]; code == EXIT_DONE && t < betas->from[part + 1];) {
            const size_t left = betas->from[part + 1] - t, now = left < at_once ? left : at_once;
            code = fail_status(
                isg_chains_move(chains, part == 0 ? moves : NULL, now, betas->beta[part]));
            t += now;
            if (!progress_update(&bar, (double)t / steps, NULL))
                code = fail_status(ISG_ERR_CANCELLED);
        }
    progress_finish(&bar);
    return code;
}

/* Separate chains at the first beta: --sweeps sweeps to forget the start, and as many to measure. */
static exit_code diagnose(sample_job *my) {
    const size_t steps = my->settings->sweeps;
    isg_chains *chains = NULL;
    exit_code code = start_chains(my, &chains);
    if (code == EXIT_DONE)
        code = moves_replicate(&my->moves, chains);
    if (code == EXIT_DONE) {
        progress bar;
        progress_start(&bar, my->call->common.quiet, "measuring");
        const isg_status status = isg_chains_measure_moves(
            chains, &my->moves.how, steps, steps, my->betas.beta[0], &my->found, &my->moves.times,
            my->moves.shares, progress_callback(&bar));
        progress_finish(&bar);
        code = status == ISG_ERR_UNSUPPORTED ? fail(EXIT_MISUSED, "%s: %s",
                                                    my->settings->diagnose     ? "--diagnose"
                                                    : my->settings->moves.jump ? "--jump"
                                                                               : "--tempering",
                                                    isg_error_message())
                                             : fail_status(status);
    }
    isg_chains_free(chains);
    return code;
}

static exit_code look_at_energies(sample_job *my) {
    double *energies = memory_allocate(my->count, sizeof *energies), square = 0;
    if (!energies)
        return fail_memory();
    isg_chains_energy(my->chains, energies);
    for (size_t k = 0; k < my->count; k++)
        my->mean += energies[k] / (double)my->count;
    for (size_t k = 0; k < my->count; k++)
        square += (energies[k] - my->mean) * (energies[k] - my->mean);
    my->deviation = sqrt(square / (double)my->count);
    memory_release(energies);
    return EXIT_DONE;
}

static exit_code write_samples(const sample_job *my) {
    const char *out = my->settings->out;
    return my->is_picture
               ? draw_chains(out, my->chains, my->clamped, my->columns, my->height, my->width)
               : fail_status(isg_chains_save(my->chains, out, my->call->command_line));
}

/* ---- results ---------------------------------------------------------------------------------------- */

typedef struct energy_result {
    double mean, deviation;
} energy_result;

typedef struct diagnosis_result {
    isg_decorrelation found;
    double beta, wanted; /* steps that would do; NaN if that is not known */
    bool is_stuck;       /* not long enough, and no chain ever changed its nearest pattern */
} diagnosis_result;

typedef struct beta_part {
    double beta;
    size_t steps;
} beta_part;

typedef struct sample_result {
    const char *file, *start;
    size_t count, n_visible, n_hidden, steps, clamped;
    energy_result energy;
    beta_part parts[BETA_PARTS];
    result_list betas;
    const diagnosis_result *diagnosis; /* NULL without --diagnose */
    const jump_result *jump;           /* NULL without --jump */
    const tempering_result *tempering; /* NULL without --tempering */
    const label_result *labels;        /* NULL without the two, or without patterns */
} sample_result;

static void print_betas(output *out, const void *results) {
    const sample_result *my = results;
    for (size_t k = 0; k < my->betas.count; k++)
        output_field(out, k == 0 ? "steps" : "then", "%zu at beta %g", my->parts[k].steps,
                     my->parts[k].beta);
}

static exit_code show(const sample_job *my) {
    move_result moved;
    const exit_code code = moves_result(&moved, &my->moves, my->rbm, my->is_diagnosed);
    if (code != EXIT_DONE) {
        moves_result_release(&moved);
        return code;
    }
    const double times = fmax(my->found.energy.time, my->found.hidden.time);
    /* Times within a mode say nothing about how long it takes to leave it. */
    const bool is_stuck = moved.labels && moved.labels->never && !my->found.is_reliable;
    const diagnosis_result diagnosis = {my->found, my->betas.beta[0],
                                        times > 0 && !is_stuck ? ceil(60 * times) : (double)NAN,
                                        is_stuck};
    sample_result out = {.file = my->settings->out,
                         .count = my->count,
                         .n_visible = my->info.n_visible,
                         .n_hidden = my->info.n_hidden,
                         .start = my->is_from_patterns ? "patterns"
                                  : my->data           ? my->settings->start
                                                       : "noise",
                         .steps = my->settings->sweeps,
                         .clamped = my->n_clamped,
                         .energy = {my->mean, my->deviation},
                         .diagnosis = my->is_diagnosed ? &diagnosis : NULL,
                         .jump = moved.jump,
                         .tempering = moved.tempering,
                         .labels = moved.labels};
    for (size_t k = 0; k < my->betas.parts; k++)
        out.parts[k] = (beta_part){.beta = my->betas.beta[k],
                                   .steps = my->betas.from[k + 1] - my->betas.from[k]};
    out.betas = (result_list){out.parts, my->betas.parts, sizeof out.parts[0]};
    result_show(my->call, &out);
    moves_result_release(&moved);
    return EXIT_DONE;
}

static exit_code run(const invocation *call) {
    sample_job my = {.call = call, .settings = call->settings, .file = call->arguments[0]};
    exit_code code = plan(&my);
    my.moves =
        (sample_moves){.call = call, .settings = &my.settings->moves, .beta = my.betas.beta[0]};
    if (code == EXIT_DONE)
        code = moves_start(&my.moves, my.rbm, my.data);
    if (code == EXIT_DONE && my.is_diagnosed)
        code = diagnose(&my);
    if (code == EXIT_DONE)
        code = start_chains(&my, &my.chains);
    if (code == EXIT_DONE)
        code = moves_replicate(&my.moves, my.chains);
    if (code == EXIT_DONE)
        code = sweep(my.chains, &my.betas, &my.moves.how, call->common.quiet);
    if (code == EXIT_DONE)
        code = look_at_energies(&my);
    if (code == EXIT_DONE)
        code = write_samples(&my);
    if (code == EXIT_DONE)
        code = show(&my);
    moves_release(&my.moves);
    isg_chains_free(my.chains);
    isg_dataset_free(my.data);
    isg_rbm_free(my.rbm);
    memory_release(my.clamped);
    memory_release(my.rows);
    return code;
}

/* clang-format off */
static const char *const start_choices[] = {"noise", "patterns", DATA_NAMES, NULL};

static const argument_entry arguments[] = {
    {.name = "M.npz", .help = "RBM written by 'isinglass map' or 'isinglass train', the RUN of a "
                              "training, or any .npz with W (visible x hidden units) and beta", .is_file = true},
    {.name = NULL},
};

static const option_entry options[] = {
    {.name = "output", .letter = 'o', .kind = OPTION_FILE, .metavar = "OUT.png|.svg|.npz",
     .is_required = true, .offset = offsetof(sample_settings, out),
     .help = "Write the samples to this file, as a picture or as arrays"},
    {.name = "start", .kind = OPTION_FILE, .metavar = "DATA|noise|patterns", .choices = start_choices,
     .offset = offsetof(sample_settings, start), .otherwise = "patterns if M.npz has them, else noise",
     .help = "Where chains start: samples of DATA, random spins or the patterns of the model"},
    {.name = "count", .kind = OPTION_SIZE, .metavar = "N", .low = 1, .high = HUGE_VAL,
     .offset = offsetof(sample_settings, count), .otherwise = "100 in a picture, else 1000",
     .help = "Number of samples, each from its own chain"},
    {.name = "sweeps", .alias = "steps", .kind = OPTION_SIZE, .metavar = "T", .low = 1,
     .high = HUGE_VAL, .offset = offsetof(sample_settings, sweeps),
     .help = "Block-Gibbs updates of all hidden and then all visible units"},
    {.name = "beta", .kind = OPTION_TEXT, .metavar = BETAS_METAVAR,
     .offset = offsetof(sample_settings, beta),
     .otherwise = "the model's; in a picture, 20 for the last step",
     .help = "Inverse temperature; B@STEP changes it after STEP steps, as in 2,20@19"},
    {.name = "clamp", .kind = OPTION_TEXT, .metavar = RANGES_METAVAR,
     .offset = offsetof(sample_settings, clamp), .otherwise = "none",
     .help = "Keep these visible units fixed: A:B means units A to B - 1, a single number one "
             "unit; units are counted from 0, row by row in an image"},
    {.name = "diagnose", .kind = OPTION_FLAG, .offset = offsetof(sample_settings, diagnose),
     .help = "Also measure autocorrelation times and R-hat, in separate chains at the first beta, "
             "for T more sweeps after the first T"},
    MOVE_OPTIONS(sample_settings, moves),
    DATA_OPTIONS(sample_settings, data),
    {.name = NULL},
};

#define IS(field, what) RESULT(sample_result, field, what)
#define FOUND(field, name, what) RESULT_AS(diagnosis_result, found.field, name, what)

static const result_entry beta_results[] = {
    RESULT(beta_part, beta, "inverse temperature of each part of the schedule"),
    RESULT(beta_part, steps, "its number of updates"),
    {.key = NULL}};

static const result_entry energy_results[] = {
    RESULT(energy_result, mean, "mean of H(s) over the samples"),
    RESULT(energy_result, deviation, "its standard deviation"),
    {.key = NULL}};

static const result_entry time_results[] = {
    RESULT_AS(isg_autocorrelation, time, "value", NULL), RESULT(isg_autocorrelation, error, NULL),
    RESULT(isg_autocorrelation, window, NULL),
    RESULT_AS(isg_autocorrelation, is_reliable, "reliable", NULL), {.key = NULL}};

#define OTHER_WAYS                                                                                 \
    "start from DATA with the modes in proportion, or cool down from a smaller beta; score "       \
    "--method mixture weighs the modes for ln Z"

static const result_entry diagnosis_results[] = {
    FOUND(sweeps, "sweeps", "number of sweeps measured"),
    RESULT(diagnosis_result, beta, "inverse temperature of the measurement"),
    {.kind = RESULT_OBJECT, .key = "energy_time", .of = time_results,
     .offset = offsetof(diagnosis_result, found.energy),
     .help = "integrated autocorrelation time of the energy in sweeps"},
    {.kind = RESULT_OBJECT, .key = "hidden_time", .of = time_results,
     .offset = offsetof(diagnosis_result, found.hidden), .help = "the same for the slowest hidden unit"},
    FOUND(slowest_unit, "slowest_unit", "number of that unit, counted from 0"),
    FOUND(energy_rhat, "energy_rhat", "split R-hat of the energy"),
    FOUND(hidden_rhat, "hidden_rhat", "the largest over all hidden units"),
    FOUND(is_reliable, "reliable", "whether the chains are 50 times as long as both times"),
    FOUND(is_trapped, "trapped",
          "whether they stay in different modes, so that more steps will not help"),
    RESULT_HIDDEN(diagnosis_result, wanted), RESULT_HIDDEN(diagnosis_result, is_stuck),
    {.when = "energy_time.value", .label = "energy time",
     .text = "{energy_time.value:.3g} +- {energy_time.error:.2g} sweeps"},
    {.when = "!energy_time.value", .label = "energy time", .text = "unknown: the energy never varies"},
    {.when = "hidden_time.value", .label = "hidden time",
     .text = "{hidden_time.value:.3g} +- {hidden_time.error:.2g} sweeps (hidden unit {slowest_unit}, "
             "the slowest)"},
    {.when = "!hidden_time.value", .label = "hidden time",
     .text = "unknown: hidden unit {slowest_unit}, the slowest, never varies"},
    {.label = "split R-hat",
     .text = "{energy_rhat:.4f} energy, {hidden_rhat:.4f} hidden units (1: the chains agree)"},
    {.when = "reliable", .label = "long enough", .text = "yes, {sweeps} sweeps are over 50 times that"},
    {.when = "!reliable&trapped", .label = "long enough",
     .text = "no, and more steps will not help: the chains are trapped in different modes"},
    {.when = "is_stuck&!trapped", .label = "long enough",
     .text = "no, and more steps may not help: no chain ever changed its nearest pattern"},
    {.when = "!reliable&trapped", .label = "instead", .text = OTHER_WAYS},
    {.when = "is_stuck&!trapped", .label = "instead", .text = OTHER_WAYS},
    {.when = "!reliable&!trapped&wanted", .label = "long enough",
     .text = "no, use --sweeps {wanted:.0f} or more"},
    {.when = "!reliable&!trapped&!wanted&!is_stuck", .label = "long enough", .text = "no"},
    {.key = NULL}};

static const result_entry results[] = {
    IS(file, "the file written"),
    IS(count, "number of samples"),
    IS(n_visible, "number of visible units"),
    IS(n_hidden, "number of hidden units"),
    IS(start, "noise, patterns, or DATA as given"),
    IS(steps, "number of updates"),
    RESULT_LIST_OF(sample_result, betas, beta_results, NULL),
    IS(clamped, "number of clamped units"),
    RESULT_STRUCT(sample_result, energy, energy_results, NULL),
    RESULT_POINTER(sample_result, diagnosis, diagnosis_results,
                   "null without --diagnose, --jump and --tempering"),
    {.kind = RESULT_OBJECT_AT, .key = "jump", .of = jump_results, .when = "jump",
     .offset = offsetof(sample_result, jump), .help = "with --jump"},
    {.kind = RESULT_OBJECT_AT, .key = "tempering", .of = tempering_results, .when = "tempering",
     .offset = offsetof(sample_result, tempering), .help = "with --tempering"},
    {.kind = RESULT_OBJECT_AT, .key = "labels", .of = label_results, .when = "labels",
     .offset = offsetof(sample_result, labels),
     .help = "with --jump and --tempering, if the model has patterns"},
    {.label = "samples", .text = "{count} of {n_visible unit}, {n_hidden hidden unit}"},
    {.label = "start", .text = "{start}"},
    {.when = "clamped", .label = "clamped", .text = "{clamped unit}"},
    {.print = print_betas},
    {.label = "energy", .text = "{energy.mean} +- {energy.deviation:.3g} (mean and standard deviation)"},
    {.each = "diagnosis"},
    {.each = "jump"},
    {.each = "tempering"},
    {.each = "labels"},
    {.label = "file", .text = "{file}"},
    {.key = NULL}};

static const example examples[] = {
    {"isinglass sample model.npz -o samples.png --start mnist:test",
     "Draw ten digits per class, 20 updates from images of the class, as in Fig. 4c and d of the paper."},
    {"isinglass sample model.npz -o samples.npz --start noise --count 5000 --sweeps 1000 --diagnose",
     "Write arrays for NumPy, and check that the chains were long enough."},
    {"isinglass sample model.npz -o mixed.npz --jump --sweeps 300",
     "Let chains change modes, and report how fast they do."},
    {"isinglass sample model.npz -o completed.png --start mnist:test --clamp 0:392",
     "Complete the lower half of digits (the upper 14 of 28 rows of 28 pixels are kept)."},
    {"isinglass sample model.npz -o cooled.png --start noise --sweeps 100 --beta 0.5,1@40,2@70,20@99",
     "Cool random spins down."},
    {NULL, NULL},
};
/* clang-format on */

const command command_sample = {
    .name = "sample",
    .section = "Models",
    .summary = "Draw samples from an RBM: a picture or arrays",
    .description =
        "Each sample is the state of its own Markov chain after T block-Gibbs updates. An "
        "update draws the hidden units, lambda ~ Normal(W's + c, 1/beta), and then the spins, "
        "+1 with probability 1 / (1 + exp(-2 beta x)), x = W lambda + b. The same seed gives "
        "the same samples on any number of threads and with any instruction set.\n"
        "Chains start from noise, from the patterns of the model in turn, or from the first "
        "samples of DATA: if these have labels, equally many of each class, class by class, so "
        "that each row of a picture shows one class. Chains forget their start only if T is "
        "large enough; check with --diagnose. The integrated autocorrelation time is the "
        "number of sweeps worth one independent sample. Split R-hat compares the chains, and "
        "the halves of each, with one another, and is 1 if they agree. Chains are trapped if "
        "R-hat is above 1.1, did not fall between the first half of the sweeps and all of "
        "them, and hardly any chain moved.\n"
        "At a large beta, chains stay in the mode where they started, however long they are. With "
        "--jump, each update is followed by an independence Metropolis step for the hidden units, "
        "which proposes from a mixture of Gaussians fitted to the minima of the free energy, as "
        "'isinglass score --method mixture' has it; the spins are then drawn anew. Both steps keep "
        "the law of the model exactly. If the mixture misses a part of it, or too few jumps would "
        "be "
        "accepted, chains are only swept, and the reason is given. --tempering needs no mixture: "
        "copies of every chain at smaller beta swap states with their neighbours, even pairs and "
        "odd "
        "pairs in turn. It costs K times as much and mixes more slowly: use it to check jumps. "
        "Both "
        "imply --diagnose and report how fast the nearest pattern of a chain changes, where mirror "
        "images count as other patterns, and how often each is the nearest. They act at the first "
        "beta only; later parts of a schedule, and the last update of a picture, are plain.\n"
        "A picture uses 20 updates at the model's beta, as Fig. 4c and d of the paper do, "
        "except that the last update is at beta 20. This removes the thermal noise and shows "
        "what the samples are close to; --beta 2 shows the samples themselves. Clamped units "
        "are blue.\n"
        "An .npz contains s (samples x visible units, int8), lambda (samples x hidden units), "
        "from which s was drawn, energy (samples), which is H(s), and meta.json; open it with "
        "numpy.load.",
    .arguments = arguments,
    .options = options,
    .results = results,
    .examples = examples,
    .settings_bytes = sizeof(sample_settings),
    .defaults = defaults,
    .run = run,
    .is_divided = true,
};
