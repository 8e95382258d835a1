/* training.c - runs and patterns that figures share, and where runs stop to be looked at
 *
 * SPDX-License-Identifier: MIT
 *
 * A training is a run directory; at every stop of the table below the RBM is kept beside it as
 * model-EPOCH.npz, so that figures can ask for any stop in any order, and a run is trained once.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/allocation.h"
#include "paper/paper.h"

/* clang-format off */
/* SCIENCE: CD-20 at beta 2; the rate is 1e-4 and B = 100, except where the table says otherwise. */
static const double beta = 2;
static const size_t sweeps = 20, batch = 100, large_batch = 1000;
static const isg_rate rates[] = {{1e-4, 0}};
static const isg_rate rates_normal_large[] = {{5e-4, 0}, {1e-4, 25}}; /* Fig. 4b, random start */
static const double normal_deviation = 0.1;

/* Where runs stop, in epochs; the list ends with -1. */
static const double stops_small[N_SCALES][24] = { /* one hidden unit per class */
    {0, 0.5, 1, 2, -1},
    {0, 0.25, 0.5, 1, 1.5, 2, 3, 10, -1},
    {0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 25, 30, 35, 40, 45, 50, -1}};
static const double stops_large[N_SCALES][24] = { /* more */
    {0, 1, -1},
    {0, 0.5, 1, 2, -1},
    {0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 25, 30, 35, 40, 45, 50, -1}};
/* clang-format on */

const char *const start_titles[] = {"hopfield", "hebbian", "pca", "normal", NULL};

size_t training_stops(const experiment *my, size_t per_class, const double **stops) {
    size_t n = 0;
    *stops = per_class == 1 ? stops_small[my->scale] : stops_large[my->scale];
    while ((*stops)[n] >= 0)
        n++;
    return n;
}

double training_cost(const experiment *my, size_t per_class, double epochs) {
    const double samples = (double)isg_dataset_describe(my->train).n_samples;
    return epochs * samples * (2.8e-5 + 0.9e-5 * (double)per_class);
}

/* The published single RBMs: large batches at p = 10, but for the random start (Fig. 4). */
static isg_run_options options_of(const experiment *my, const training *which) {
    const bool is_small = which->per_class == 1, is_normal = which->start == ISG_START_NORMAL;
    isg_run_options options = isg_run_defaults();
    options.train.batch_size = is_small && !is_normal ? large_batch : batch;
    options.train.gibbs_steps = sweeps;
    options.train.rates = !is_small && is_normal ? rates_normal_large : rates;
    options.train.n_rates = !is_small && is_normal ? 2 : 1;
    options.train.seed = my->seed + which->run - 1;
    options.command = "isinglass reproduce";
    return options;
}

/* ---- starts ----------------------------------------------------------------------------------- */

/* Whether a file is of no use, so that it has to be made again. */
static bool is_damage(isg_status status) {
    return status == ISG_ERR_FORMAT || status == ISG_ERR_SHAPE || status == ISG_ERR_VERSION;
}

exit_code shared_patterns(experiment *my, size_t per_class, isg_patterns **out) {
    char name[64];
    snprintf(name, sizeof name, "patterns-%zu.npz", per_class);
    char *path = NULL;
    const exit_code code = experiment_path(my, "patterns", name, &path);
    if (code != EXIT_DONE)
        return code;
    if (access(path, R_OK) == 0) {
        const isg_status loaded = isg_patterns_load(out, path);
        if (!is_damage(loaded)) {
            memory_release(path);
            return fail_status(loaded);
        }
    }
    isg_pattern_options options = isg_pattern_defaults();
    options.per_class = per_class;
    isg_status status = isg_patterns_from_data(out, my->train, &options,
                                               part_progress(my, my->part_from, my->part_from));
    if (status == ISG_OK)
        status = isg_patterns_save(*out, path, my->seed, "isinglass reproduce");
    memory_release(path);
    return fail_status(status);
}

static exit_code make_start(experiment *my, const training *which, isg_rbm **out) {
    const bool has_patterns =
        which->start == ISG_START_HOPFIELD || which->start == ISG_START_HEBBIAN;
    const isg_start_options options = {.kind = which->start,
                                       .per_class = which->per_class,
                                       .beta = beta,
                                       .deviation = normal_deviation,
                                       .seed = my->seed + which->run - 1};
    isg_patterns *patterns = NULL;
    exit_code code = has_patterns ? shared_patterns(my, which->per_class, &patterns) : EXIT_DONE;
    if (code == EXIT_DONE)
        code = fail_status(isg_rbm_start(out, &options, patterns, my->train, NULL));
    isg_patterns_free(patterns);
    return code;
}

/* ---- training --------------------------------------------------------------------------------- */

/* The update at which an epoch, or a part of one, is over. */
static uint64_t update_of(const isg_run *run, double epoch) {
    return (uint64_t)llround(epoch * (double)isg_run_describe(run).state.n_batches);
}

/* Resumes the run or begins it. One that is past a stop whose model is gone begins again. */
static exit_code open_run(experiment *my, const training *which, isg_run *run, double epoch) {
    const isg_run_options options = options_of(my, which);
    const bool has_checkpoint = isg_run_describe(run).has_checkpoint;
    const isg_status resumed =
        has_checkpoint ? isg_run_resume(run, my->train, &options) : ISG_ERR_FORMAT;
    if (resumed != ISG_OK && !is_damage(resumed))
        return fail_status(resumed);
    if (resumed == ISG_OK && isg_run_describe(run).state.updates <= update_of(run, epoch))
        return EXIT_DONE;
    isg_rbm *rbm = NULL;
    exit_code code = make_start(my, which, &rbm);
    if (code == EXIT_DONE)
        code = fail_status(
            isg_run_begin(run, "{\"verb\": \"reproduce\"}\n", rbm, my->train, &options));
    if (code != EXIT_DONE)
        isg_rbm_free(rbm);
    return code;
}

static char *model_path(const char *directory, double epoch) {
    return memory_format("%s/model-%g.npz", directory, epoch);
}

/* Trains to one stop and keeps the RBM, unless it was kept before. */
static exit_code pass_stop(experiment *my, const training *which, const char *directory,
                           double epoch) {
    char *path = model_path(directory, epoch);
    isg_run *run = NULL;
    exit_code code = path ? EXIT_DONE : fail_memory();
    if (code == EXIT_DONE && access(path, R_OK) != 0) {
        code = fail_status(isg_run_open(&run, directory, true));
        if (code == EXIT_DONE)
            code = open_run(my, which, run, epoch);
        if (code == EXIT_DONE)
            code = fail_status(isg_run_train_updates(
                run, update_of(run, epoch), part_progress(my, my->part_from, my->part_to)));
        if (code == EXIT_DONE)
            code = fail_status(isg_rbm_save(isg_run_rbm(run), path, my->seed + which->run - 1,
                                            "isinglass reproduce"));
        isg_run_close(run);
    }
    memory_release(path);
    return code;
}

exit_code training_reach(experiment *my, const training *which, double epoch, isg_rbm **out) {
    const double *stops, from = my->part_from, to = my->part_to;
    const size_t n = training_stops(my, which->per_class, &stops);
    char name[64];
    snprintf(name, sizeof name, "%zu-per-class-%s-%zu", which->per_class,
             start_titles[which->start], which->run);
    char *directory = NULL;
    exit_code code = experiment_path(my, "runs", name, &directory);
    if (code != EXIT_DONE)
        return code;
    char *path = model_path(directory, epoch);
    if (!path)
        code = fail_memory();
    for (size_t k = 0; code == EXIT_DONE && k < n && stops[k] <= epoch; k++) {
        /* Of the progress to this stop, a run reports what is done since its start. */
        part_progress(my, from, epoch > 0 ? from + (to - from) * stops[k] / epoch : to);
        code = pass_stop(my, which, directory, stops[k]);
    }
    isg_status loaded = code == EXIT_DONE ? isg_rbm_load(out, path) : ISG_OK;
    if (is_damage(loaded)) {
        unlink(path);
        code = pass_stop(my, which, directory, epoch);
        loaded = code == EXIT_DONE ? isg_rbm_load(out, path) : ISG_OK;
    }
    if (code == EXIT_DONE)
        code = fail_status(loaded);
    part_progress(my, from, to);
    memory_release(path);
    memory_release(directory);
    return code;
}

static double column_product(isg_matd a, isg_matd b, size_t mu) {
    double sum = 0;
    for (size_t i = 0; i < a.rows; i++)
        sum += a.data[i * a.stride + mu] * b.data[i * b.stride + mu];
    return sum;
}

double column_cosine(isg_matd a, isg_matd b, size_t mu) {
    return column_product(a, b, mu) / sqrt(column_product(a, a, mu) * column_product(b, b, mu));
}

/* ---- figures that only need a training ---------------------------------------------------------- */

size_t trained_count(const experiment *my) {
    (void)my;
    return 1;
}

void trained_plan(const experiment *my, size_t index, piece *out) {
    (void)index;
    const training_design *design = my->figure->design;
    const double epochs = design->epochs[my->scale];
    snprintf(out->key, sizeof out->key, "%s trained", my->figure->name);
    snprintf(out->text, sizeof out->text, "training for %g epochs", epochs);
    out->cost = training_cost(my, design->which.per_class, epochs);
    out->n_values = 1;
}

exit_code trained_compute(experiment *my, size_t index, double *values) {
    (void)index;
    const training_design *design = my->figure->design;
    isg_rbm *rbm = NULL;
    values[0] = design->epochs[my->scale];
    const exit_code code = training_reach(my, &design->which, values[0], &rbm);
    isg_rbm_free(rbm);
    return code;
}
