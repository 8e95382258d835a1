/* cmd_train.c - isinglass train: contrastive divergence in a run directory
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/data_input.h"
#include "cli/held_out.h"
#include "cli/model_input.h"
#include "cli/pictures.h"
#include "cli/plot.h"
#include "cli/progress.h"
#include "cli/rates.h"
#include "cli/run_settings.h"
#include "cli/signals.h"
#include "cli/starts.h"
#include "cli/training_bar.h"
#include "cli/verbs/train_equilibrium.h"
#include "cli/verbs/train_measures.h"
#include "src/base/clock.h"
#include "src/base/number.h"
#include "src/base/ranks.h"

typedef struct train_settings {
    data_settings data;
    start_settings start;
    const char *out, *picture, *rate, *validation;
    double hold_out;
    size_t epochs, score_every, measure_every;
    const char *measure_picture;
    isg_run_options how;
    bool resume;
} train_settings;

static void defaults(void *settings) {
    *(train_settings *)settings = (train_settings){.data = data_defaults(),
                                                   .start = start_defaults(),
                                                   .rate = rates_default(),
                                                   .epochs = 10,
                                                   .how = isg_run_defaults()};
}

static const char *const estimator_choices[] = {"sampled", "mean", NULL};
static const char *const constraint_choices[] = {"none", "stiefel", "span", NULL};

/* Options that are no part of the training, and those that may differ when it is resumed: how long,
   how often to score, and where labels and validation data are, since it is the spins that count. */
static const char *const not_kept[] = {"output", "picture",    "measure-picture",
                                       "resume", "save-every", NULL};
static const char *const may_change[] = {
    "epochs", "labels", "measure-every", "patience", "score-every", "validation", NULL};

/* Everything about one training. */
typedef struct job {
    invocation call; /* a copy, in which options restored from run.json count as typed */
    train_settings *settings;
    const char *data_name, *command; /* the first command, when resumed */
    rate_schedule rates;
    json_t *record;                              /* run.json; NULL before there is one */
    isg_dataset *data, *validation;              /* without what is held out; NULL if none */
    char data_sha256[65], validation_sha256[65]; /* of all of DATA */
    isg_run *run;
    bool is_resumed;
    double score_s;    /* spent on scores by this process */
    measures measures; /* with --measure-every */
} job;

/* ---- run.json --------------------------------------------------------------------------------- */

static exit_code make_record(job *my, const isg_rbm *rbm) {
    const isg_dataset_info data = isg_dataset_describe(my->data);
    const isg_rbm_info info = isg_rbm_describe(rbm);
    char seed[24], binarize[ISG_BINARIZE_ROOM] = "unknown";
    const isg_encoding *encoding = isg_rbm_encoding(rbm);
    if (encoding)
        isg_binarize_text(isg_encoding_describe(encoding).rule, isg_encoding_describe(encoding).at,
                          binarize);
    snprintf(seed, sizeof seed, "%" PRIu64, my->call.common.seed);
    my->record =
        json_pack("{s:s, s:s, s:s, s:o, s:o, s:s, s:s, s:I, s:I, s:I, s:s, s:o, s:{s:s, s:I}}", //
                  "program", "isinglass",                                                       //
                  "version", isg_version(),                                                     //
                  "verb", my->call.verb->name,                                                  //
                  "command", json_text(my->command),                                            //
                  "data", json_text(my->data_name),                                             //
                  "data_sha256", my->data_sha256,                                               //
                  "binarize", binarize,                                                         //
                  "samples", (json_int_t)data.n_samples,                                        //
                  "n_visible", (json_int_t)info.n_visible,                                      //
                  "n_hidden", (json_int_t)info.n_hidden,                                        //
                  "seed", seed,                                                                 //
                  "options", settings_record(&my->call, not_kept),                              //
                  "machine", "isa", isg_isa(), "threads", (json_int_t)isg_threads());
    if (my->record && my->validation &&
        json_object_set_new(my->record, "validation_sha256", json_string(my->validation_sha256)))
        return fail_memory();
    return my->record ? EXIT_DONE : fail_memory();
}

/* A text of run.json; NULL if there is none. */
static const char *recorded(const job *my, const char *key) {
    return json_string_value(json_object_get(my->record, key));
}

/* Restores the options of the run, and refuses different ones. */
static exit_code read_record(job *my, const char *text) {
    const train_settings *settings = my->settings;
    json_error_t error;
    uint64_t number = 0;
    my->record = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!my->record)
        return settings_refuse(settings->out, error.text);
    const exit_code code = settings_check_text(my->record, settings->out, "run.json");
    if (code != EXIT_DONE)
        return code;
    const char *verb = recorded(my, "verb"), *version = recorded(my, "version");
    const char *seed = recorded(my, "seed");
    const json_t *kept = json_object_get(my->record, "options");
    my->command = recorded(my, "command");
    if (!my->data_name)
        my->data_name = recorded(my, "data");
    if (!verb || !version || !my->command || !my->data_name || !recorded(my, "data_sha256") ||
        !seed || !isg_parse_uint64(seed, &number) || !json_is_object(kept))
        return settings_refuse(settings->out, "not as 'isinglass train' writes it");
    if (strcmp(verb, my->call.verb->name) != 0)
        return fail(EXIT_CHECKPOINT, "%s: holds a run of 'isinglass %s'", settings->out, verb);
    if (strcmp(version, isg_version()) != 0)
        notice(my->call.common.quiet, "%s: was started with version %s, but this is %s",
               settings->out, version, isg_version());
    if (call_has_option(&my->call, "seed") && my->call.common.seed != number)
        return fail(EXIT_CHECKPOINT, "--seed %" PRIu64 ", but the run in %s was started with %s",
                    my->call.common.seed, settings->out, seed);
    my->call.common.seed = number;
    return settings_restore(&my->call, kept, may_change, settings->out);
}

/* A resumed run may have a larger --epochs, another --score-every or --patience; keep them for the
   next time. */
static exit_code record_changes(job *my) {
    json_t *options = json_object_get(my->record, "options");
    const int failed =
        json_object_set_new(options, "epochs", json_integer((json_int_t)my->settings->epochs)) |
        json_object_set_new(options, "score-every",
                            json_integer((json_int_t)my->settings->score_every)) |
        json_object_set_new(options, "measure-every",
                            json_integer((json_int_t)my->settings->measure_every)) |
        json_object_set_new(options, "patience",
                            json_integer((json_int_t)my->settings->how.patience));
    return failed ? fail_memory() : EXIT_DONE;
}

/* ---- beginning and resuming ----------------------------------------------------------------------- */

static exit_code check_options(job *my) {
    const train_settings *settings = my->settings;
    if (settings->resume && my->call.common.force)
        return fail(EXIT_MISUSED, "--resume continues a run and --force starts it over; give only "
                                  "one of them");
    if (!settings->resume && !my->data_name)
        return fail(EXIT_MISUSED, "train: expected DATA, found nothing (see 'isinglass train "
                                  "--help')");
    exit_code code = start_check(&my->call, &settings->start);
    if (code == EXIT_DONE)
        code = rates_read(&my->rates, &my->settings->rate);
    if (code == EXIT_DONE &&
        !settings->resume) /* else open_run() knows whether run.json has the others */
        code = equilibrium_check(&my->call, &settings->how.train);
    common_settings common = my->call.common;
    common.force = common.force || settings->resume; /* which draws its own pictures anew */
    if (code == EXIT_DONE && settings->picture)
        code = may_write_picture(&common, settings->picture);
    if (code == EXIT_DONE && settings->measure_picture)
        code = plot_may_write(&common, settings->measure_picture);
    return code;
}

/* The directory, and from it the options if there is a run to resume. */
static exit_code open_run(job *my) {
    const train_settings *settings = my->settings;
    exit_code code = fail_status(isg_run_open(&my->run, settings->out, my->data_name != NULL));
    if (code != EXIT_DONE)
        return code;
    const isg_run_info info = isg_run_describe(my->run);
    if (!settings->resume || !info.settings) {
        code = equilibrium_check(&my->call, &settings->how.train);
        return code == EXIT_DONE ? run_may_start(&info, settings->out, settings->resume,
                                                 my->data_name ? NULL : "DATA", &my->call.common)
                                 : code;
    }
    code = read_record(my, info.settings);
    return code == EXIT_DONE ? rates_read(&my->rates, &my->settings->rate) : code;
}

/* The run, once it has a model, and the model of --init say how to read the data. If the run's model
   was lost, the checksum of the data tells whether they were read as before. */
static exit_code load_encoding(const job *my, isg_rbm **out) {
    if (my->record && model_load(out, my->settings->out) == EXIT_DONE)
        return EXIT_DONE;
    return my->record ? EXIT_DONE : start_load(out, &my->settings->start);
}

static exit_code load_data(job *my) {
    isg_rbm *model = NULL;
    exit_code code = load_encoding(my, &model);
    if (code == EXIT_DONE)
        code = data_load(&my->data, &my->call, my->data_name, &my->settings->data,
                         model ? isg_rbm_encoding(model) : NULL);
    isg_rbm_free(model);
    if (code != EXIT_DONE)
        return code;
    isg_dataset_checksum(my->data, my->data_sha256);
    if (my->record && strcmp(recorded(my, "data_sha256"), my->data_sha256) != 0)
        return fail(EXIT_CHECKPOINT,
                    "%s: not the data that the run in %s was started with: SHA-256 of the spins "
                    "%.12s..., expected %.12s...",
                    my->data_name, my->settings->out, my->data_sha256, recorded(my, "data_sha256"));
    code = validation_load(&my->validation, &my->data, &my->call, my->data_name,
                           &my->settings->data, my->settings->validation, my->settings->hold_out);
    if (code != EXIT_DONE)
        return code;
    if (my->validation)
        isg_dataset_checksum(my->validation, my->validation_sha256);
    const char *before = my->record ? recorded(my, "validation_sha256") : my->validation_sha256;
    if (strcmp(before ? before : "", my->validation_sha256) != 0)
        return fail(EXIT_CHECKPOINT, "%s: the run in %s was started with%s validation data",
                    my->settings->validation ? my->settings->validation : "--resume",
                    my->settings->out,
                    !before          ? "out"
                    : my->validation ? " other"
                                     : "");
    const isg_dataset_info info = isg_dataset_describe(my->data);
    return my->settings->picture
               ? check_picture(my->data_name, info.n_visible, info.image_height, info.image_width)
               : EXIT_DONE;
}

static isg_run_options training_options(const job *my) {
    isg_run_options options = my->settings->how;
    options.train.rates = my->rates.rates;
    options.train.n_rates = my->rates.n_rates;
    options.train.seed = my->call.common.seed;
    options.command = my->command;
    options.validation = my->validation;
    return options;
}

/* The start need not satisfy the constraint, but then it is not the one asked for. */
static exit_code remark_on_constraint(const job *my, const isg_rbm *rbm) {
    const train_settings *settings = my->settings;
    const isg_constraint constraint = settings->how.train.constraint;
    if (constraint == ISG_CONSTRAINT_SPAN && !isg_rbm_patterns(rbm))
        return fail(EXIT_MISUSED,
                    "--constraint span: needs patterns, but --init %s has none; use "
                    "--init hopfield, or a model that 'isinglass map' made of patterns",
                    settings->start.init);
    const isg_rbm_info info = isg_rbm_describe(rbm);
    if (constraint != ISG_CONSTRAINT_STIEFEL || info.n_hidden > info.n_visible)
        return EXIT_DONE; /* or refused by the library */
    isg_integrated found;
    const exit_code code = fail_status(isg_rbm_integrate(rbm, &found, NULL, NULL));
    if (code == EXIT_DONE && found.orthogonality_error > 1e-9)
        notice(
            my->call.common.quiet,
            "--constraint stiefel: the columns of --init %s are not orthonormal (W^T W - 1 has an "
            "entry of %.2g); training starts from the nearest W whose columns are",
            settings->start.init, found.orthogonality_error);
    return code;
}

/* Recall asks for the class of a pattern, and unmap finds patterns with classes only where the model has some. */
static exit_code check_measure_picture(const job *my, const isg_rbm *rbm) {
    const isg_patterns *patterns = isg_rbm_patterns(rbm);
    if (!my->settings->measure_picture || (patterns && isg_patterns_describe(patterns).has_labels))
        return EXIT_DONE;
    return fail(EXIT_MISUSED,
                "--measure-picture: shows recall, which needs patterns with labels to start from; "
                "--init %s has "
                "none (--measure-every works without)",
                my->settings->start.init);
}

/* Training in a span begins with the projection of W on it. */
static void remark_on_span(const job *my, isg_rbm *before) {
    const isg_matd old = isg_rbm_weights(before), new = isg_rbm_weights(isg_run_rbm(my->run));
    double largest = 0;
    for (size_t i = 0; i < old.rows; i++)
        for (size_t mu = 0; mu < old.cols; mu++)
            largest =
                fmax(largest, fabs(new.data[i * new.stride + mu] - old.data[i * old.stride + mu]));
    if (largest > 1e-9)
        notice(my->call.common.quiet,
               "--constraint span: --init %s is not in the span of its patterns (an entry of W is "
               "off by %.2g); training starts from the nearest W that is",
               my->settings->start.init, largest);
}

static exit_code begin(job *my) {
    const isg_run_options options = training_options(my);
    isg_rbm *rbm = NULL, *before = NULL;
    char *text = NULL;
    exit_code code = start_make(&rbm, &my->call, &my->settings->start, my->data, my->data_name);
    settings_mark(&my->call, "hidden");
    settings_mark(&my->call, "beta");
    if (code == EXIT_DONE)
        code = check_measure_picture(my, rbm);
    if (code == EXIT_DONE)
        code = remark_on_constraint(my, rbm);
    if (code == EXIT_DONE)
        code = my->record ? record_changes(my) : make_record(my, rbm);
    if (code == EXIT_DONE && signals_caught())
        code = fail_status(ISG_ERR_CANCELLED);
    if (code == EXIT_DONE && !(text = settings_text(my->record)))
        code = fail_memory();
    if (code == EXIT_DONE && my->settings->how.train.constraint == ISG_CONSTRAINT_SPAN)
        code = fail_status(isg_rbm_copy(&before, rbm));
    if (code == EXIT_DONE)
        code = call_fail_status(&my->call, isg_run_begin(my->run, text, rbm, my->data, &options));
    if (code != EXIT_DONE)
        isg_rbm_free(rbm);
    else if (before)
        remark_on_span(my, before);
    isg_rbm_free(before);
    memory_release(text);
    return code;
}

/* run.json is written again only if --epochs or --score-every says something new. */
static exit_code prolong(job *my, const char *settings) {
    const exit_code code = record_changes(my);
    if (code != EXIT_DONE)
        return code;
    char *text = settings_text(my->record);
    const isg_status status =
        text && strcmp(text, settings) != 0 ? isg_run_set_settings(my->run, text) : ISG_OK;
    const bool has_text = text != NULL;
    memory_release(text);
    return has_text ? fail_status(status) : fail_memory();
}

static exit_code go_on(job *my) {
    const isg_run_options options = training_options(my);
    const bool is_quiet = my->call.common.quiet;
    const isg_status status = isg_run_resume(my->run, my->data, &options);
    if (status == ISG_ERR_FORMAT || status == ISG_ERR_SHAPE || status == ISG_ERR_VERSION)
        return fail(EXIT_CHECKPOINT,
                    "%s; use --force to start over, or --init %s/model.npz in "
                    "another directory to start from its weights",
                    isg_error_message(), my->settings->out);
    if (status != ISG_OK)
        return fail_status(status);
    const exit_code code = check_measure_picture(my, isg_run_rbm(my->run));
    if (code != EXIT_DONE)
        return code;
    const isg_run_info info = isg_run_describe(my->run);
    my->is_resumed = true;
    if (info.remark)
        notice(is_quiet, "%s", info.remark);
    if (info.state.epochs >= my->settings->epochs) {
        notice(is_quiet, "%s: has %" PRIu64 " epoch%s already; a larger --epochs trains longer",
               my->settings->out, info.state.epochs, plural(info.state.epochs));
        return EXIT_DONE;
    }
    if (info.is_over)
        notice(is_quiet,
               "%s: has had %zu epochs without a better one; a larger --patience trains longer",
               my->settings->out, my->settings->how.patience);
    return prolong(my, info.settings);
}

/* ---- training --------------------------------------------------------------------------------- */

static exit_code stopped(const job *my) {
    const isg_train_state state = isg_run_describe(my->run).state;
    const exit_code code = fail_status(ISG_ERR_CANCELLED);
    char *line = run_resume_line(&my->call, my->settings->out);
    if (!line)
        return fail_memory();
    fail(code, "%s after %" PRIu64 " epoch%s and %zu of %zu updates, all saved; to go on: %s",
         failure_sentence(), state.epochs, plural(state.epochs), state.batch, state.n_batches,
         line);
    memory_release(line);
    return code;
}

/* ln Z draws from streams of its own, so that scores never change the weights. */
static exit_code score(job *my) {
    const isg_rbm *rbm = isg_run_rbm(my->run);
    isg_log_z_options options = isg_log_z_defaults();
    options.ais.seed = options.mixture.seed = my->call.common.seed;
    isg_impute_options impute = isg_impute_defaults();
    impute.seed = my->call.common.seed;
    isg_dataset *full = NULL; /* with the missing values as the model has them now */
    progress bar;
    isg_likelihood found;
    progress_start(&bar, my->call.common.quiet, "scoring");
    const double started_s = isg_clock_s();
    isg_status status = isg_dataset_impute(&full, my->data, rbm, &impute, NULL);
    if (status == ISG_OK)
        status = isg_rbm_score(rbm, full, &options, &found, NULL, progress_callback(&bar));
    isg_dataset_free(full);
    my->score_s += isg_clock_s() - started_s;
    progress_finish(&bar);
    if (status == ISG_OK)
        status = isg_run_set_score(my->run, found.value, found.error);
    return status == ISG_ERR_CANCELLED ? stopped(my) : fail_status(status);
}

static exit_code measure(job *my) {
    const isg_run_info info = isg_run_describe(my->run);
    const isg_run_row *last = &info.rows[info.n_rows - 1];
    const measured row = {.epoch = (size_t)last->epoch,
                          .log_likelihood = last->log_likelihood,
                          .log_likelihood_error = last->log_likelihood_error};
    const exit_code code =
        measures_add(&my->measures, &row, isg_run_rbm(my->run), my->data, &my->call.common);
    return code == EXIT_INTERRUPTED || code == EXIT_TERMINATED ? stopped(my) : code;
}

/* An epoch has just been finished, or none begun, and it is one of every so many. */
static bool is_due(const job *my, size_t every) {
    const isg_train_state state = isg_run_describe(my->run).state;
    return every > 0 && state.batch == 0 && state.epochs % every == 0;
}

/* What is asked for between two epochs, unless it has been done. */
static exit_code look_at_epoch(job *my) {
    const isg_run_info info = isg_run_describe(my->run);
    struct {
        bool is_scored, is_measured;
    } due = {is_due(my, my->settings->score_every),
             is_due(my, my->settings->measure_every) &&
                 !measures_have(&my->measures, info.state.epochs)};
    due.is_scored =
        (due.is_scored || due.is_measured) && isnan(info.rows[info.n_rows - 1].log_likelihood);
    isg_broadcast(&due, sizeof due); /* other ranks may not see the file of measurements */
    const exit_code code = due.is_scored ? score(my) : EXIT_DONE;
    return code == EXIT_DONE && due.is_measured && isg_rank() == 0 ? measure(my) : code;
}

/* The epoch after which to stop next: one of every so many, or the last. */
static size_t next_stop(size_t done, size_t every, size_t last) {
    const size_t next = every > 0 ? (done / every + 1) * every : last;
    return next < last ? next : last;
}

/* Trains until so many epochs are done in all. */
static exit_code train_until(job *my, size_t until) {
    const isg_status status =
        train_with_bar(my->run, until, my->settings->epochs,
                       isg_dataset_describe(my->data).n_samples, NULL, my->call.common.quiet);
    if (status == ISG_ERR_CANCELLED)
        return stopped(my);
    if (status == ISG_ERR_DIVERGED)
        return fail(EXIT_DIVERGED, "%s; the last finite weights are in %s/model.npz",
                    isg_error_message(), my->settings->out);
    return fail_status(status);
}

/* All epochs, with a stop wherever there is something to score or to measure. */
static exit_code train(job *my) {
    const train_settings *settings = my->settings;
    const size_t epochs = settings->epochs;
    exit_code code = look_at_epoch(my);
    for (isg_run_info info; code == EXIT_DONE && (info = isg_run_describe(my->run), true) &&
                            info.state.epochs < epochs && !info.is_over;) {
        const size_t done = (size_t)info.state.epochs;
        const size_t scored = next_stop(done, settings->score_every, epochs);
        code = train_until(my, next_stop(done, settings->measure_every, scored));
        if (code == EXIT_DONE)
            code = look_at_epoch(my);
    }
    return code;
}

/* ---- results ---------------------------------------------------------------------------------- */

/* What the validation data say after an epoch. */
typedef struct validated {
    size_t epoch;
    double pseudo_likelihood, gap, log_likelihood;
} validated;

typedef struct validation_result {
    size_t samples;
    validated best, last;
} validation_result;

static validated validated_by(const isg_run_row *row) {
    return (validated){(size_t)row->epoch, row->validation_pseudo_likelihood, row->validation_gap,
                       row->log_likelihood - row->validation_gap};
}

typedef struct train_result {
    isg_run_info info;
    isg_dataset_info data;
    isg_rbm_info rbm;
    const char *init, *run, *model, *picture;
    bool resumed;
    double samples_per_second, first_reconstruction_error, reconstruction_error, score_seconds;
    double seconds_by_then, rate;        /* at the end of the last epoch; NaN before the first */
    size_t last_epoch;                   /* 0 if there was but one */
    const isg_run_row *log_likelihood;   /* the last row with a score; NULL if there is none */
    const validation_result *validation; /* NULL if there are no such data */
    const char *best_model;
    size_t best_epoch; /* SIZE_MAX without validation data */
    bool stopped_early;
    const equilibrium_result *equilibrium; /* NULL without */
    const measured *measured;              /* the last row; NULL if there is none */
    const char *measures, *measure_picture;
    bool has_patterns, has_recall; /* in that row */
} train_result;

static train_result look(const job *my, const char *model, const char *best,
                         validation_result *validation, equilibrium_result *equilibrium) {
    const isg_run_info info = isg_run_describe(my->run);
    const isg_run_row *last = info.n_rows > 1 ? &info.rows[info.n_rows - 1] : NULL;
    train_result out = {.info = info,
                        .data = isg_dataset_describe(my->data),
                        .rbm = isg_rbm_describe(isg_run_rbm(my->run)),
                        .init = my->settings->start.init,
                        .run = my->settings->out,
                        .model = model,
                        .picture = my->settings->picture,
                        .resumed = my->is_resumed};
    const double samples = (double)info.state.epochs * (double)out.data.n_samples;
    out.samples_per_second = samples / info.seconds;
    out.first_reconstruction_error = last ? info.rows[1].reconstruction_error : (double)NAN;
    out.reconstruction_error = last ? last->reconstruction_error : (double)NAN;
    out.score_seconds = my->score_s;
    out.seconds_by_then = last ? last->seconds : (double)NAN;
    out.rate = last ? samples / last->seconds : (double)NAN; /* infinite: too short to tell */
    out.last_epoch = info.n_rows > 2 ? (size_t)last->epoch : 0;
    for (size_t k = 0; k < info.n_rows; k++)
        if (!isnan(info.rows[k].log_likelihood))
            out.log_likelihood = &info.rows[k];
    if (info.has_equilibrium) {
        *equilibrium = equilibrium_of(&info);
        equilibrium->reason = *equilibrium->found.reason ? equilibrium->found.reason : NULL;
        out.equilibrium = equilibrium;
    }
    if (my->measures.n_rows > 0) {
        out.measured = my->measures.rows + my->measures.n_rows - 1;
        out.measures = my->measures.path;
        out.has_patterns = out.measured->patterns != SIZE_MAX;
        out.has_recall = !isnan(out.measured->recall);
    }
    out.best_epoch = SIZE_MAX;
    if (my->validation) {
        *validation = (validation_result){isg_dataset_describe(my->validation).n_samples,
                                          validated_by(info.rows + info.best_epoch),
                                          validated_by(info.rows + info.n_rows - 1)};
        out.validation = validation;
        out.best_model = best;
        out.best_epoch = (size_t)info.best_epoch;
        out.stopped_early = info.is_over && info.state.epochs < my->settings->epochs;
    }
    return out;
}

/* An update is proportional to the number of units, so a rate that suits one data set may be too large
   for a wider one; weights then grow without end, long before they are no longer finite. */
static void remark_if_running_away(const job *my) {
    enum { USUAL = 100 }; /* the columns of a Hopfield network have length 1 */
    const isg_matd weights = isg_rbm_weights(isg_run_rbm(my->run));
    double longest = 0;
    for (size_t mu = 0; mu < weights.cols; mu++) {
        double square = 0;
        for (size_t i = 0; i < weights.rows; i++)
            square += weights.data[i * weights.stride + mu] * weights.data[i * weights.stride + mu];
        longest = fmax(longest, sqrt(square));
    }
    if (longest > USUAL)
        notice(my->call.common.quiet,
               "a column of W has length %.3g: the training runs away; choose a smaller --rate, "
               "the more "
               "so the more units there are",
               longest);
}

/* Whether there is a picture. The training is over: a picture that cannot be drawn costs no result. */
static bool draw_measures(const job *my, exit_code *code) {
    const char *path = my->settings->measure_picture;
    if (!path)
        return false;
    if (!measures_can_be_drawn(&my->measures)) {
        notice(
            my->call.common.quiet,
            "--measure-picture: not drawn, as no measurement has both a likelihood and a recall");
        return false;
    }
    *code = measures_draw(&my->measures, path, my->settings->out);
    return *code == EXIT_DONE;
}

static exit_code show_result(const job *my) {
    const train_settings *settings = my->settings;
    const size_t length = strlen(settings->out);
    const char *slash = settings->out[length - 1] == '/' ? "" : "/";
    char *model = memory_format("%s%smodel.npz", settings->out, slash);
    char *best = memory_format("%s%sbest.npz", settings->out, slash);
    exit_code code = model && best ? EXIT_DONE : fail_memory();
    remark_if_running_away(my);
    if (code == EXIT_DONE && settings->picture)
        code = draw_weights(settings->picture, isg_run_rbm(my->run));
    if (code == EXIT_DONE) {
        validation_result validation;
        equilibrium_result equilibrium;
        train_result found = look(my, model, best, &validation, &equilibrium);
        if (draw_measures(my, &code))
            found.measure_picture = settings->measure_picture;
        result_show(&my->call, &found);
    }
    memory_release(model);
    memory_release(best);
    return code;
}

/* What only rank 0 draws. */
static void leave_to_rank_0(train_settings *settings) {
    if (isg_rank() > 0)
        settings->picture = settings->measure_picture = NULL;
}

static exit_code carry_out(job *my) {
    const train_settings *settings = my->settings;
    leave_to_rank_0(my->settings);
    exit_code code = check_options(my);
    if (code == EXIT_DONE)
        code = open_run(my);
    if (code == EXIT_DONE)
        code = validation_check(&my->call, my->settings->how.patience);
    if (code == EXIT_DONE)
        code = load_data(my);
    if (code != EXIT_DONE)
        return code;
    const bool has_checkpoint = isg_run_describe(my->run).has_checkpoint;
    if (my->record && !has_checkpoint)
        notice(my->call.common.quiet, "%s: has no checkpoint yet; starting from the beginning",
               my->settings->out);
    if (settings->measure_picture && settings->measure_every == 0)
        return fail(EXIT_MISUSED, "--measure-picture: needs --measure-every");
    if (settings->measure_picture && isg_dataset_describe(my->data).n_classes == 0)
        return fail(EXIT_MISUSED,
                    "--measure-picture: shows recall, which needs labels; %s has none",
                    my->data_name);
    code = my->record && has_checkpoint ? go_on(my) : begin(my);
    if (code == EXIT_DONE && (settings->measure_every > 0 || !my->is_resumed))
        code = measures_open(&my->measures, settings->out, isg_run_describe(my->run).state.epochs,
                             my->is_resumed);
    if (code == EXIT_DONE)
        code = train(my);
    return code == EXIT_DONE ? show_result(my) : code;
}

static exit_code run(const invocation *call) {
    job my = {.call = *call,
              .settings = call->settings,
              .data_name = call->n_arguments > 0 ? call->arguments[0] : NULL,
              .command = call->command_line};
    signals_catch(); /* from now on there is a lock to release, and soon something to save */
    const exit_code code = carry_out(&my);
    isg_run_close(my.run);
    measures_release(&my.measures);
    signals_release();
    isg_dataset_free(my.data);
    isg_dataset_free(my.validation);
    rates_free(&my.rates);
    json_decref(my.record);
    return code;
}

/* clang-format off */
static const argument_entry arguments[] = {
    {.name = "DATA", .help = DATA_HELP ". Optional with --resume", .choices = data_names,
     .is_open = true, .is_file = true, .is_optional = true},
    {.name = NULL},
};

static const option_entry options[] = {
    {.name = "output", .letter = 'o', .kind = OPTION_DIRECTORY, .metavar = "RUN",
     .is_required = true, .offset = offsetof(train_settings, out),
     .help = "Save the run in this directory, which is created if necessary"},
    START_OPTIONS(train_settings, start),
    {.name = "epochs", .kind = OPTION_SIZE, .metavar = "E", .low = 0,
     .high = HUGE_VAL, .offset = offsetof(train_settings, epochs),
     .help = "Total number of passes over the data; with --resume it may be larger than before"},
    {.name = "batch", .kind = OPTION_SIZE, .metavar = "B", .low = 1,
     .high = HUGE_VAL, .offset = offsetof(train_settings, how.train.batch_size),
     .help = "Samples per update; the last update of an epoch takes the rest"},
    {.name = "sweeps", .alias = "cd", .kind = OPTION_SIZE, .metavar = "K", .low = 1,
     .high = HUGE_VAL, .offset = offsetof(train_settings, how.train.gibbs_steps),
     .help = "Gibbs sweeps per update, the K of CD-K"},
    {.name = "pcd", .kind = OPTION_FLAG, .offset = offsetof(train_settings, how.train.persistent),
     .help = "Use persistent chains: they continue from update to update instead of starting from "
             "the data"},
    EQUILIBRIUM_OPTIONS(train_settings, how.train),
    {.name = "rate", .kind = OPTION_TEXT, .metavar = RATES_METAVAR,
     .offset = offsetof(train_settings, rate),
     .help = "Learning rate; ETA@EPOCH changes it after EPOCH epochs, as in 5e-4,1e-4@25"},
    {.name = "fields", .kind = OPTION_FLAG, .offset = offsetof(train_settings, how.train.fields),
     .help = "Train the fields b and c too"},
    {.name = "estimator", .kind = OPTION_CHOICE, .metavar = "HOW", .choices = estimator_choices,
     .offset = offsetof(train_settings, how.train.estimator),
     .help = "Pair the last spins with the hidden units they were drawn from, as the paper does, "
             "or with the mean hidden units given these spins, which is less noisy"},
    {.name = "shuffle", .kind = OPTION_FLAG, .offset = offsetof(train_settings, how.train.shuffle),
     .help = "Visit the samples in a new order every epoch"},
    {.name = "constraint", .kind = OPTION_CHOICE, .metavar = "HOW", .choices = constraint_choices,
     .offset = offsetof(train_settings, how.train.constraint),
     .help = "Keep W where the RBM is a Hopfield network, after every update: stiefel, with orthonormal "
             "columns, so that J = W W^T is a projector; span, in the span of the patterns of the "
             "start, which stay exactly as they are"},
    {.name = "learn-beta", .kind = OPTION_FLAG,
     .offset = offsetof(train_settings, how.train.learn_beta),
     .help = "Train beta too, by the gradient of the likelihood, at the rate of the weights; without "
             "--constraint, the length of W can do the same"},
    {.name = "score-every", .kind = OPTION_SIZE, .metavar = "E",
     .offset = offsetof(train_settings, score_every),
     .help = "Score the data at the start and after every E epochs, as 'isinglass score' does, "
             "into epochs.csv; 0 means never; does not change the weights"},
    {.name = "measure-every", .kind = OPTION_SIZE, .metavar = "E",
     .offset = offsetof(train_settings, measure_every),
     .help = "Score the data at the start and after every E epochs, and measure the model as a memory, "
             "into RUN/measures.csv: beta, the share of the data in the span of W (capture), singular "
             "values of W, the patterns that unmap finds by relaxation, which of them are fixed points of "
             "the model's own J = W W^T, and recall by their network; 0 means never; does not change "
             "the weights"},
    {.name = "measure-picture", .kind = OPTION_FILE, .metavar = "FILE.png|.svg",
     .offset = offsetof(train_settings, measure_picture), .otherwise = "no picture",
     .help = "When done, draw memory against likelihood: recall and log-likelihood of all rows of "
             "measures.csv (with gnuplot); needs a start that has patterns with labels"},
    VALIDATION_OPTIONS(train_settings, validation, hold_out),
    {.name = "patience", .kind = OPTION_SIZE, .metavar = "E",
     .offset = offsetof(train_settings, how.patience),
     .help = "Stop once E epochs in a row brought no better fit to the validation data; 0 means never"},
    {.name = "resume", .kind = OPTION_FLAG, .offset = offsetof(train_settings, resume),
     .help = "Continue the run in RUN as if it had never stopped; if there is none, start it"},
    {.name = "save-every", .kind = OPTION_DOUBLE, .metavar = "S", .low = 0,
     .high = HUGE_VAL, .offset = offsetof(train_settings, how.save_every_s),
     .help = "Save every S seconds within an epoch, and at its end (once a second if epochs are "
             "shorter); does not change the result"},
    {.name = "picture", .kind = OPTION_FILE, .metavar = "FILE.png|.svg",
     .offset = offsetof(train_settings, picture), .otherwise = "no picture",
     .help = "When done, draw the columns of W, below the patterns if there are any: red "
             "positive, blue negative, white zero; if they are not images, the units of W that vary "
             "most, with names (with gnuplot)"},
    DATA_OPTIONS(train_settings, data),
    {.name = NULL},
};

#define IS(field, what) RESULT(train_result, field, what)

static const result_entry score_results[] = {
    RESULT_COUNT(isg_run_row, epoch, "epoch", NULL),
    RESULT_AS(isg_run_row, log_likelihood, "value", NULL),
    RESULT_AS(isg_run_row, log_likelihood_error, "error", NULL), {.key = NULL}};

static const result_entry validated_results[] = {
    RESULT(validated, epoch, "after so many epochs"),
    RESULT(validated, pseudo_likelihood, "sum of ln p(s_i | all others), per sample: the largest is the best"),
    RESULT(validated, gap, "log-likelihood of the training data minus that of the validation data, per sample"),
    RESULT(validated, log_likelihood, "of the validation data, per sample, if this epoch was scored, or null"),
    {.key = NULL}};

static const result_entry validation_results[] = {
    RESULT(validation_result, samples, "number of validation samples"),
    RESULT_STRUCT(validation_result, best, validated_results, "the best epoch"),
    RESULT_STRUCT(validation_result, last, validated_results, "the last epoch"),
    {.key = NULL}};

static const result_entry results[] = {
    RESULT_COUNT(train_result, info.state.epochs, "epochs", "finished epochs"),
    RESULT_COUNT(train_result, info.state.updates, "updates", "updates in all"),
    RESULT_AS(train_result, info.seconds, "seconds", "time spent training, in all processes together"),
    IS(samples_per_second, "samples of all epochs divided by that time, or null"),
    IS(first_reconstruction_error,
       "share of spins that one sweep from the data changed in epoch 1, or null"),
    IS(reconstruction_error, "the same in the last epoch"),
    RESULT_POINTER(train_result, log_likelihood, score_results, "the last score, or null"),
    IS(score_seconds, "time that this process spent on scores"),
    RESULT_POINTER(train_result, equilibrium, equilibrium_results, "with --equilibrium: what jumped; else null"),
    RESULT_POINTER(train_result, validation, validation_results, "what the validation data say, or null"),
    RESULT_POINTER(train_result, measured, measured_results, "the last measurement, or null"),
    IS(measures, "the file of all measurements, or null"),
    IS(measure_picture, "the picture of them, or null"),
    IS(best_epoch, "the epoch after which they fitted best, or null"),
    IS(stopped_early, "whether --patience ended the training"),
    RESULT_AS(train_result, data.n_samples, "samples", "number of samples"),
    RESULT_AS(train_result, rbm.n_visible, "n_visible", "number of visible units"),
    RESULT_AS(train_result, rbm.n_hidden, "n_hidden", "number of hidden units"),
    RESULT_AS(train_result, rbm.beta, "beta", "inverse temperature"),
    IS(resumed, "whether an earlier run was resumed"),
    IS(run, "the directory"),
    IS(model, "the model in it"),
    IS(best_model, "the model of the best epoch, or null"),
    IS(picture, "the picture, or null"),
    RESULT_HIDDEN(train_result, has_patterns), RESULT_HIDDEN(train_result, has_recall),
    RESULT_HIDDEN(train_result, seconds_by_then), RESULT_HIDDEN(train_result, rate),
    RESULT_HIDDEN(train_result, last_epoch), RESULT_HIDDEN(train_result, init),
    RESULT_HIDDEN_AS(train_result, info.state.n_batches, "updates_each"),
    {.label = "samples", .text = "{samples} of {n_visible unit}"},
    {.label = "hidden units", .text = "{n_hidden} ({init}), beta {beta}"},
    {.label = "epochs", .text = "{epochs}, of {updates_each update} each"},
    {.when = "rate", .label = "time", .text = "{seconds_by_then:.2f} s, {rate:.0f} samples/s"},
    {.when = "seconds_by_then&!rate", .label = "time", .text = "{seconds_by_then:.2f} s"},
    {.when = "reconstruction_error&!last_epoch", .label = "reconstruction",
     .text = "error {reconstruction_error:.4f}"},
    {.when = "last_epoch", .label = "reconstruction",
     .text = "error {first_reconstruction_error:.4f} in epoch 1, {reconstruction_error:.4f} in epoch "
             "{last_epoch}"},
    {.each = "equilibrium"},
    {.when = "log_likelihood", .label = "log-likelihood",
     .text = "{log_likelihood.value:.3f} +- {log_likelihood.error:.2g} after {log_likelihood.epoch "
             "epoch}; scores took {score_seconds:.2f} s"},
    {.when = "measured", .label = "measured",
     .text = "after {measured.epoch epoch}: capture {measured.capture:.4f}, singular values "
             "{measured.singular_smallest:.4g} to {measured.singular_largest:.4g}"},
    {.when = "has_patterns", .label = "memory",
     .text = "{measured.fixed_points} of {measured.patterns pattern} fixed in J = WW'"},
    {.when = "has_recall", .label = "recall", .text = "{measured.recall:%.2f} % by the network of these patterns"},
    {.when = "validation", .label = "validation",
     .text = "{validation.samples sample}: pseudo-likelihood {validation.best.pseudo_likelihood:.3f} after "
             "{validation.best.epoch epoch}, the best; {validation.last.pseudo_likelihood:.3f} after the last"},
    {.when = "validation", .label = "gap",
     .text = "{validation.best.gap:.3f} after the best epoch, {validation.last.gap:.3f} after the last "
             "(ln p of training minus validation data)"},
    {.when = "stopped_early", .label = "stopped", .text = "early: no better epoch came"},
    {.when = "measure_picture", .label = "measure picture", .text = "{measure_picture}"},
    {.when = "picture", .label = "picture", .text = "{picture}"},
    {.label = "model", .text = "{model}"},
    {.when = "best_model", .label = "best model", .text = "{best_model}"},
    {.key = NULL}};

static const example examples[] = {
    {"isinglass train mnist:train -o run",
     "Ten hidden units from the Hopfield network of the digits, ten epochs of CD-20."},
    {"isinglass train --resume -o run --epochs 50",
     "Resume after Ctrl-C, a crash or the end, and train to 50 epochs."},
    {"isinglass train mnist:train -o random --init normal --hidden 10 --rate 5e-4,1e-4@25 --epochs 50",
     "A random start with the schedule of Fig. 4b of the paper."},
    {"isinglass train mnist:train -o stopped --hold-out 0.1 --patience 5 --epochs 100",
     "Keep a tenth of the samples for validation; stop when five epochs brought nothing better."},
    {"isinglass train mnist:train -o balanced --init run/model.npz --equilibrium --sweeps 3 --batch 60000 "
     "--estimator mean --rate 3e-5 --epochs 300",
     "Correct how much of the probability each mode of a trained model holds."},
    {"isinglass train mnist:train -o network --constraint stiefel --estimator mean --batch 500 --rate 1e-3,3e-4@6",
     "Learning that stays a Hopfield network: J = W W^T is a projector after every update."},
    {"isinglass train votes.csv --label-column party -o votes --fields --pcd",
     "Your own data, fields too, persistent chains."},
    {NULL, NULL},
};
/* clang-format on */

const command command_train = {
    .name = "train",
    .section = "Models",
    .summary = "Train an RBM by contrastive divergence; runs can be resumed",
    .description =
        "Each update takes a batch of samples and runs as many chains for K sweeps, starting "
        "from the samples (CD-K) or, with --pcd, from where the last update left them; with "
        "--equilibrium they also change modes. It then "
        "changes the weights by the learning rate times the difference between the "
        "correlations of spins and hidden units in the data and in the chains. Training starts "
        "from the RBM that equals the Hopfield network of the class patterns, unless --init "
        "says otherwise.\n"
        "RUN contains model.npz (the RBM as last saved), epochs.csv (one row per epoch), "
        "run.json (all options, checksum of the data), two checkpoints and, with --measure-every, "
        "measures.csv. Whatever stopped a "
        "run, 'isinglass train --resume -o RUN' continues it and ends with the same bits. It "
        "reads the options from run.json and refuses other options and other data. Ctrl-C and "
        "SIGTERM save all finished updates and stop. A second process in the same RUN is "
        "refused.\n"
        "Validation data are measured at the start and after every epoch, by their "
        "pseudo-likelihood, which needs no ln Z, and the gap between the likelihoods of training "
        "and validation data; epochs.csv has both, and the validation log-likelihood where "
        "--score-every computes ln Z. RUN/best.npz is the RBM after the epoch of the largest "
        "pseudo-likelihood, which may be the start. Validation does not change the weights.\n"
        "The weights depend on the seed, not on the number of threads or the instruction set.",
    .arguments = arguments,
    .options = options,
    .results = results,
    .examples = examples,
    .settings_bytes = sizeof(train_settings),
    .defaults = defaults,
    .run = run,
    .is_divided = true,
};
