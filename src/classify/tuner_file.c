/* tuner_file.c - fine-tuning in a file, to continue from, and in a run
 *
 * SPDX-License-Identifier: MIT
 *
 * All that a classifier's file has (classifier_file.c), so that it is one; the moments of Adam, as
 * first.W, second.W, first.coefficients and so on; and tuner.json, which records data, options and how
 * far it has come, as training.json does.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "classify/tuner.h"
#include "io/json.h"

static const char member[] = "tuner.json";

enum { FORMAT = 1, N_TRAITS = 12, N_MOMENTS = 6 };

/* ---- what must agree ---------------------------------------------------------------------------- */

typedef struct identity {
    isg_json_pair traits[N_TRAITS];
    char seed[24]; /* a text, since it may exceed the integers of JSON readers */
} identity;

static isg_json_pair whole(const char *key, uint64_t value) {
    return (isg_json_pair){.key = key, .kind = ISG_JSON_INTEGER, .integer = (int64_t)value};
}

static void identify(identity *out, const isg_tuner *tuner) {
    const isg_tune_options *how = &tuner->option;
    const isg_dataset_info *info = &tuner->data->info;
    snprintf(out->seed, sizeof out->seed, "%" PRIu64, how->seed);
    const isg_json_pair traits[N_TRAITS] = {
        whole("n_visible", info->n_visible),
        whole("n_samples", info->n_samples),
        {.key = "data_sha256", .text = tuner->data_sha256},
        {.key = "labels_sha256", .text = tuner->labels_sha256},
        whole("epochs_in_all", how->epochs),
        whole("batch_size", how->batch_size),
        {.key = "rate", .kind = ISG_JSON_NUMBER, .number = how->rate},
        {.key = "logits_rate", .kind = ISG_JSON_NUMBER, .number = how->logits_rate},
        whole("shift", how->shift),
        {.key = "shape", .text = how->shift > 0 ? "image" : "any"},
        {.key = "balanced", .text = how->balanced ? "yes" : "no"},
        {.key = "seed", .text = out->seed},
    };
    memcpy(out->traits, traits, sizeof traits);
}

/* ---- writing ------------------------------------------------------------------------------------ */

/* The moments, their names and how many there are of each. */
typedef struct moments {
    const char *name;
    double *numbers;
    size_t n_dims, rows, cols;
} moments;

static void list_moments(moments out[N_MOMENTS], const isg_tuner *tuner) {
    const isg_logistic *model = tuner->model->logistic;
    const size_t n = tuner->model->map.n_visible, p = tuner->model->map.n_hidden;
    const size_t k = model->n_classes, f = model->n_features;
    const isg_tuned *now = &tuner->now;
    const moments all[N_MOMENTS] = {
        {"first.W", now->weights.first, 2, n, p},
        {"second.W", now->weights.second, 2, n, p},
        {"first.coefficients", now->coefficients.first, 2, k, f},
        {"second.coefficients", now->coefficients.second, 2, k, f},
        {"first.intercepts", now->intercepts.first, 1, k, 0},
        {"second.intercepts", now->intercepts.second, 1, k, 0},
    };
    memcpy(out, all, sizeof all);
}

static isg_status write_facts(const isg_tuner *tuner, isg_npz_writer *writer) {
    const isg_train_state *state = &tuner->state;
    identity me;
    char *facts = NULL;
    identify(&me, tuner);
    isg_json_pair pairs[N_TRAITS + 8] = {{.key = "program", .text = "isinglass"},
                                         {.key = "version", .text = ISG_VERSION},
                                         whole("format", FORMAT)};
    const isg_json_pair rest[] = {
        whole("epochs", state->epochs),
        whole("updates", state->updates),
        whole("batch", state->batch),
        whole("wrong", tuner->wrong),
        {.key = "loss_sum", .kind = ISG_JSON_NUMBER, .number = tuner->loss_sum}};
    memcpy(pairs + 3, me.traits, sizeof me.traits);
    memcpy(pairs + 3 + N_TRAITS, rest, sizeof rest);
    ISG_TRY(isg_json_write(&facts, pairs, sizeof pairs / sizeof *pairs));
    const isg_status status = isg_npz_writer_add_text(writer, member, facts);
    isg_release(facts);
    return status;
}

static isg_status write_tuner(const void *self, isg_npz_writer *writer) {
    const isg_tuner *tuner = self;
    moments all[N_MOMENTS];
    list_moments(all, tuner);
    ISG_TRY(isg_classifier_write(tuner->model, tuner->option.seed, NULL, writer));
    for (size_t k = 0; k < N_MOMENTS; k++)
        ISG_TRY(isg_npz_writer_add_doubles(writer, all[k].name, all[k].numbers, all[k].n_dims,
                                           all[k].rows, all[k].cols));
    return write_facts(tuner, writer);
}

isg_status isg_tuner_save(const isg_tuner *tuner, const char *path) {
    isg_npz_writer *writer = NULL;
    ISG_TRY(isg_npz_writer_create(&writer, path));
    return isg_npz_writer_end(writer, write_tuner(tuner, writer), NULL, NULL);
}

/* ---- reading ------------------------------------------------------------------------------------ */

static isg_status read_state(isg_tuner *tuner, const isg_json *json, const char *file) {
    const size_t n_batches = tuner->state.n_batches, n_samples = tuner->data->info.n_samples;
    int64_t epochs = 0, updates = 0, batch = 0, wrong = 0;
    ISG_TRY(isg_json_integer(json, "epochs", &epochs));
    ISG_TRY(isg_json_integer(json, "updates", &updates));
    ISG_TRY(isg_json_integer(json, "batch", &batch));
    ISG_TRY(isg_json_integer(json, "wrong", &wrong));
    ISG_TRY(isg_json_number(json, "loss_sum", &tuner->loss_sum));
    const bool is_possible = epochs >= 0 && batch >= 0 && updates >= batch && wrong >= 0 &&
                             (uint64_t)wrong <= n_samples && (uint64_t)batch < n_batches &&
                             (uint64_t)(updates - batch) % n_batches == 0 &&
                             (uint64_t)(updates - batch) / n_batches == (uint64_t)epochs &&
                             (uint64_t)epochs + (batch > 0) <= tuner->option.epochs;
    if (!is_possible)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: update %" PRId64 " cannot be number %" PRId64 " of epoch %" PRId64
                        " of %zu with %" PRId64 " samples wrong, at %zu updates an epoch",
                        file, updates, batch, epochs, tuner->option.epochs, wrong, n_batches);
    tuner->state = (isg_train_state){(uint64_t)epochs, (uint64_t)updates, (size_t)batch, n_batches};
    tuner->wrong = (uint64_t)wrong;
    return ISG_OK;
}

static isg_status read_facts(isg_tuner *tuner, isg_zip *zip) {
    const char *file = isg_zip_file_name(zip);
    identity me;
    char *facts = NULL;
    isg_json *json = NULL;
    isg_status status = ISG_OK;
    identify(&me, tuner);
    ISG_TRY(isg_npz_read_text(zip, member, &facts));
    ISG_TRY_GOTO(isg_json_parse(&json, file, facts, strlen(facts)));
    ISG_TRY_GOTO(isg_traits_check_format(json, file, FORMAT, FORMAT));
    ISG_TRY_GOTO(isg_traits_compare(json, file, me.traits, N_TRAITS));
    status = read_state(tuner, json, file);
done:
    isg_json_free(json);
    isg_release(facts);
    return status;
}

/* Second moments are squares; all are finite. */
static isg_status read_moments(const moments *expected, isg_zip *zip) {
    const char *file = isg_zip_file_name(zip), *name = expected->name;
    const size_t count = expected->rows * (expected->n_dims == 2 ? expected->cols : 1);
    const double least = strncmp(name, "second", 6) == 0 ? 0 : -HUGE_VAL;
    isg_array_type type;
    double *numbers = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_read_doubles(zip, name, &type, &numbers));
    if (type.n_dims != expected->n_dims || type.dims[0] != expected->rows ||
        (type.n_dims == 2 && type.dims[1] != expected->cols))
        ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: %s: its shape is not that of the classifier",
                              file, name));
    for (size_t k = 0; k < count; k++)
        if (!(numbers[k] >= least && isfinite(numbers[k])))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: %s, number %zu: %g is impossible", file,
                                  name, k + 1, numbers[k]));
    memcpy(expected->numbers, numbers, count * sizeof *numbers);
done:
    isg_release(numbers);
    return status;
}

/* Features divided by S alone. */
static isg_status check_scales(const isg_tuner *tuner, const char *file) {
    const isg_logistic *model = tuner->model->logistic;
    for (size_t j = 0; j < model->n_features; j++)
        if (model->means[j] != 0 || model->scales[j] != tuner->scale)
            return isg_fail(ISG_ERR_FORMAT, "%s: scales: not those of fine-tuning", file);
    return ISG_OK;
}

static isg_status read_new(isg_tuner **out, isg_zip *zip, const isg_dataset *data,
                           const isg_tune_options *options) {
    const char *file = isg_zip_file_name(zip);
    moments all[N_MOMENTS];
    isg_classifier *model = NULL;
    isg_tuner *tuner = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_classifier_read(&model, zip));
    status = isg_tuner_make(&tuner, model, data, options);
    if (status == ISG_ERR_ARGUMENT || status == ISG_ERR_SHAPE)
        status = isg_fail(ISG_ERR_SHAPE, "%s: %s", file, isg_error_message());
    ISG_TRY_GOTO(status);
    ISG_TRY_GOTO(read_facts(tuner, zip));
    ISG_TRY_GOTO(check_scales(tuner, file));
    list_moments(all, tuner);
    for (size_t k = 0; k < N_MOMENTS; k++)
        ISG_TRY_GOTO(read_moments(all + k, zip));
    *out = tuner;
    tuner = NULL;
done:
    isg_tuner_free(tuner);
    isg_classifier_free(model);
    return status;
}

isg_status isg_tuner_load(isg_tuner **out, const char *path, const isg_dataset *data,
                          const isg_tune_options *options) {
    const isg_tune_options defaults = isg_tune_defaults();
    isg_zip *zip = NULL;
    options = options ? options : &defaults;
    ISG_TRY(isg_tune_check(options));
    ISG_TRY(isg_zip_open_path(&zip, path));
    const isg_status status = read_new(out, zip, data, options);
    isg_zip_close(zip);
    return status;
}

/* ---- runs --------------------------------------------------------------------------------------- */

static void describe(const void *self, isg_run_info *info) {
    info->state = ((const isg_tuner *)self)->state;
}

static isg_status train(void *self, uint64_t updates, const isg_progress *progress) {
    isg_tuner *tuner = self;
    return isg_tuner_advance(tuner, updates - tuner->state.updates, progress);
}

/* What is read takes the place of the tuner, of which only data and options need be there. */
static isg_status read_tuner(void *self, isg_zip *zip) {
    isg_tuner *tuner = self, *found = NULL;
    const isg_tune_options option = tuner->option;
    ISG_TRY(read_new(&found, zip, tuner->data, &option));
    const isg_tuner old = *tuner;
    *tuner = *found;
    *found = old;
    isg_tuner_free(found);
    return ISG_OK;
}

static const isg_trainee fine_tuning = {
    .describe = describe, .train = train, .write = write_tuner, .read = read_tuner};

isg_status isg_run_begin_tuner(isg_run *run, const char *settings, isg_tuner *tuner,
                               double save_every_s) {
    return isg_run_start(run, settings, &fine_tuning, tuner, save_every_s);
}

isg_status isg_run_resume_tuner(isg_run *run, isg_tuner **out, const isg_dataset *data,
                                const isg_tune_options *options, double save_every_s) {
    const isg_tune_options defaults = isg_tune_defaults();
    isg_tuner *tuner = NULL;
    options = options ? options : &defaults;
    ISG_TRY(isg_tune_check(options));
    ISG_TRY(ISG_ALLOCATE(tuner, 1));
    tuner->data = data;
    tuner->option = *options;
    const isg_status status = isg_run_continue(run, &fine_tuning, tuner, save_every_s);
    if (status != ISG_OK) {
        isg_tuner_free(tuner);
        return status;
    }
    *out = tuner;
    return ISG_OK;
}
