/* cmd_classify.c - isinglass classify: a product of experts, and what it gets right
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "cli/allocation.h"
#include "cli/epoch_list.h"
#include "cli/held_out.h"
#include "cli/plot.h"
#include "cli/sample_table.h"
#include "cli/signals.h"
#include "cli/starts.h"
#include "cli/verbs/classify_job.h"

static const char *const classifier_choices[] = {"experts", "labels", NULL};
static const char *const feature_choices[] = {"energy", "hidden", "squares", NULL};
static const char *const estimator_choices[] = {"sampled", "mean", NULL};

static void defaults(void *settings) {
    *(classify_settings *)settings =
        (classify_settings){.data = data_defaults(),
                            .rate = rates_default(),
                            .experts = isg_expert_defaults(),
                            .fit = isg_logistic_defaults(),
                            .logits_rate = isg_tune_defaults().logits_rate,
                            .validate_every = 1,
                            .save_every = isg_run_defaults().save_every_s};
}

/* ---- what belongs together ------------------------------------------------------------------------ */

/* Options that need training, and options that need a fit. */
static const char *const of_training[] = {"classifier", "init",           "per-class",  "sd",
                                          "beta",       "epochs",         "batch",      "sweeps",
                                          "pcd",        "rate",           "fields",     "estimator",
                                          "error-at",   "curve",          "validation", "hold-out",
                                          "patience",   "validate-every", NULL};
/* Those of the start alone: what is trained later has the rest. */
static const char *const of_start[] = {"classifier", "init", "per-class", "sd", "beta", NULL};
static const char *const of_fitting[] = {"output",     "resume",   "rbm",        "features",
                                         "l2",         "balanced", "save-every", "test-labels",
                                         "test-limit", NULL};

static exit_code refuse(const invocation *call, const char *const *names, const char *with) {
    for (size_t k = 0; names[k]; k++)
        if (call_has_option(call, names[k]))
            return fail(EXIT_MISUSED, "--%s: cannot be used with %s", names[k], with);
    return EXIT_DONE;
}

static exit_code check_fit_options(const classify_job *my) {
    static const char *const of_regression[] = {"features", "l2", "balanced", NULL};
    const classify_settings *settings = my->settings;
    const invocation *call = &my->call;
    exit_code code = EXIT_DONE;
    if (!settings->out && settings->resume)
        return fail(EXIT_MISUSED, "--resume: needs -o RUN, the run to resume");
    if (settings->resume && call->common.force)
        return fail(EXIT_MISUSED, "--resume continues a run and --force starts it over; give only "
                                  "one of them");
    if (!my->train_name && !settings->resume)
        return fail(EXIT_MISUSED, "classify: expected TRAIN, found nothing (see 'isinglass "
                                  "classify --help')");
    if (settings->rbm)
        code = settings->finetune ? refuse(call, of_start, "--rbm, which is the start")
                                  : refuse(call, of_training, "--rbm, which trains nothing");
    if (code == EXIT_DONE &&
        (settings->finetune || !settings->resume)) /* else the run may be one of it */
        code = classify_tune_check(my);
    if (code == EXIT_DONE && settings->classifier == CLASSIFIER_LABELS)
        code = refuse(call, of_regression, "--classifier labels");
    if (code == EXIT_DONE && settings->classifier == CLASSIFIER_LABELS &&
        settings->data.how.missing == ISG_MISSING_IMPUTE)
        code =
            fail(EXIT_MISUSED, "--missing impute: cannot be used with --classifier labels; use "
                               "--missing majority, or complete the data with 'isinglass impute'");
    if (code == EXIT_DONE && settings->experts.start != ISG_START_NORMAL &&
        call_has_option(call, "sd"))
        code = fail(EXIT_MISUSED, "--sd: needs --init normal");
    return code;
}

static exit_code check_files(const classify_job *my) {
    const classify_settings *settings = my->settings;
    const common_settings *common = &my->call.common;
    exit_code code = EXIT_DONE;
    if (settings->picture)
        code = plot_may_write(common, settings->picture);
    if (code == EXIT_DONE && settings->predictions)
        code = sample_table_may_write(common, settings->predictions);
    if (code == EXIT_DONE && settings->curve)
        code = may_write(common, settings->curve, ".csv");
    return code;
}

/* Files about TEST need one. */
static exit_code check_test(const classify_job *my) {
    const classify_settings *settings = my->settings;
    if (my->test_name || !(settings->picture || settings->predictions))
        return EXIT_DONE;
    return fail(EXIT_MISUSED, "%s: needs TEST", settings->picture ? "--picture" : "--predictions");
}

/* ---- data ----------------------------------------------------------------------------------------- */

static exit_code no_labels(const char *name, const char *why) {
    return fail(EXIT_BAD_INPUT, "%s: has no labels%s; see --labels and --label-column", name, why);
}

static exit_code load_train(classify_job *my) {
    const isg_encoding *like = my->rbm     ? isg_rbm_encoding(my->rbm)
                               : my->start ? model_encoding(&my->call, my->settings->model,
                                                            isg_classifier_encoding(my->start))
                                           : NULL;
    exit_code code = data_load(&my->train, &my->call, my->train_name, &my->settings->data, like);
    if (code != EXIT_DONE)
        return code;
    const isg_dataset_info info = isg_dataset_describe(my->train);
    isg_dataset_checksum(my->train, my->train_sha256);
    isg_dataset_label_checksum(my->train, my->train_labels_sha256);
    if (info.n_classes == 0)
        return no_labels(my->train_name, "");
    if (info.n_classes == 1)
        return fail(EXIT_BAD_INPUT,
                    "%s: expected at least two classes to tell apart, found only '%s'",
                    my->train_name, isg_dataset_class_name(my->train, 0));
    for (size_t c = 0; c < info.n_classes; c++)
        if (isg_dataset_class_size(my->train, c) == 0)
            return fail(EXIT_BAD_INPUT, "%s: class '%s' has no sample within --limit %zu",
                        my->train_name, isg_dataset_class_name(my->train, c),
                        my->settings->data.how.limit);
    return classify_tune_check_data(my);
}

/* The class of this name with samples in it; false if there is none. */
static bool has_class(const isg_dataset *data, const char *name) {
    for (size_t c = 0; c < isg_dataset_describe(data).n_classes; c++)
        if (isg_dataset_class_size(data, c) > 0 &&
            strcmp(isg_dataset_class_name(data, c), name) == 0)
            return true;
    return false;
}

/* How many samples of TEST have a label. */
static size_t count_labelled(const isg_dataset *data) {
    const isg_dataset_info info = isg_dataset_describe(data);
    size_t count = 0;
    for (size_t c = 0; c < info.n_classes; c++)
        count += isg_dataset_class_size(data, c);
    return count;
}

/* Whether all classes of `data` are among those of TRAIN. */
static exit_code check_known(const classify_job *my, const isg_dataset *data, const char *name) {
    for (size_t c = 0; c < isg_dataset_describe(data).n_classes; c++) {
        const char *label = isg_dataset_class_name(data, c);
        if (isg_dataset_class_size(data, c) > 0 && !has_class(my->train, label))
            return fail(EXIT_BAD_INPUT, "%s: has class '%s', which %s does not have", name, label,
                        my->train_name);
    }
    return EXIT_DONE;
}

/* Whether TEST can say how good a classifier of TRAIN is. */
static exit_code check_classes(const classify_job *my) {
    const size_t n_train = isg_dataset_describe(my->train).n_classes;
    const exit_code code = check_known(my, my->test, my->test_name);
    if (code != EXIT_DONE)
        return code;
    /* Labels of a part of TEST are a help, but no test of all classes. */
    const bool is_whole = count_labelled(my->test) == isg_dataset_describe(my->test).n_samples;
    for (size_t c = 0; is_whole && c < n_train; c++) {
        const char *name = isg_dataset_class_name(my->train, c);
        if (!has_class(my->test, name))
            return fail(EXIT_BAD_INPUT,
                        "%s: has no sample of class '%s', which %s has; to test some of the "
                        "classes, fit without TEST and use --model",
                        my->test_name, name, my->train_name);
    }
    return EXIT_DONE;
}

static exit_code load_test(classify_job *my) {
    data_settings how = my->settings->data;
    how.how.keep_unlabelled = true; /* with or without --predictions, for a run to be resumed */
    how.how.drop_constant = false;  /* TRAIN, or the model, decides */
    if (!my->settings->model) {
        how.how.labels_path = my->settings->test_labels;
        how.how.limit = my->settings->test_limit;
    }
    const exit_code code =
        data_load(&my->test, &my->call, my->test_name, &how,
                  my->train ? isg_dataset_encoding(my->train)
                            : model_encoding(&my->call, my->settings->model,
                                             isg_classifier_encoding(my->classifier)));
    if (code != EXIT_DONE)
        return code;
    if (my->settings->picture && count_labelled(my->test) == 0)
        return no_labels(my->test_name, ", which --picture needs");
    isg_dataset_checksum(my->test, my->test_sha256);
    isg_dataset_label_checksum(my->test, my->test_labels_sha256);
    if (!my->train)
        return EXIT_DONE;
    const size_t expected = isg_dataset_describe(my->train).n_visible;
    const isg_dataset_info info = isg_dataset_describe(my->test);
    if (info.n_visible != expected)
        return fail(EXIT_BAD_INPUT, "%s: has %zu unit%s, but %s has %zu", my->test_name,
                    info.n_visible, plural(info.n_visible), my->train_name, expected);
    if (count_labelled(my->test) == 0)
        return my->settings->predictions
                   ? EXIT_DONE
                   : no_labels(my->test_name, " to test against (--test-labels); to classify it "
                                              "without, give --predictions FILE.csv");
    if (strcmp(my->test_sha256, my->train_sha256) == 0)
        notice(my->call.common.quiet,
               "%s: has exactly the samples of TRAIN, so its error says nothing about new samples",
               my->test_name);
    return check_classes(my);
}

/* Once TRAIN is checked and its checksum known. */
static exit_code load_validation(classify_job *my) {
    const classify_settings *settings = my->settings;
    const exit_code code =
        validation_load(&my->validation, &my->train, &my->call, my->train_name, &settings->data,
                        settings->validation, settings->hold_out);
    if (code != EXIT_DONE || !my->validation)
        return code;
    isg_dataset_checksum(my->validation, my->validation_sha256);
    if (count_labelled(my->validation) == 0)
        return no_labels(settings->validation, " to validate with");
    return check_known(my, my->validation, settings->validation);
}

/* Refuses data that differ from those of the run being resumed. */
static exit_code check_record(const classify_job *my) {
    const struct {
        const char *key, *what, *name, *found;
    } all[] = {{"train_sha256", "spins", my->train_name, my->train_sha256},
               {"train_labels_sha256", "labels", my->train_name, my->train_labels_sha256},
               {"test_sha256", "spins", my->test_name, my->test_sha256},
               {"test_labels_sha256", "labels", my->test_name, my->test_labels_sha256},
               {"validation_sha256", "spins", my->settings->validation, my->validation_sha256}};
    for (size_t k = 0; my->record && k < sizeof all / sizeof all[0]; k++) {
        const char *expected = json_string_value(json_object_get(my->record, all[k].key));
        if (!expected || strcmp(expected, all[k].found) == 0)
            continue;
        if (!*expected)
            return fail(EXIT_CHECKPOINT, "%s: the run in %s was started without TEST",
                        all[k].name ? all[k].name : "TEST", my->settings->out);
        return fail(EXIT_CHECKPOINT,
                    "%s: not the data that the run in %s was started with: SHA-256 of the %s "
                    "%.12s..., expected %.12s...",
                    all[k].name ? all[k].name : "TEST", my->settings->out, all[k].what,
                    all[k].found, expected);
    }
    return EXIT_DONE;
}

static exit_code load_data(classify_job *my) {
    exit_code code = load_train(my);
    if (code == EXIT_DONE)
        code = load_validation(my);
    if (code == EXIT_DONE && my->test_name)
        code = load_test(my);
    if (code == EXIT_DONE && my->record && my->validation &&
        !json_object_get(my->record, "validation_sha256"))
        return fail(EXIT_CHECKPOINT, "%s: the run in %s was started without validation data",
                    my->settings->validation, my->settings->out);
    return code == EXIT_DONE ? check_record(my) : code;
}

/* ---- the two ways --------------------------------------------------------------------------------- */

static exit_code fit(classify_job *my) {
    classify_settings *settings = my->settings;
    my->train_name = my->call.n_arguments > 0 ? my->call.arguments[0] : NULL;
    my->test_name = my->call.n_arguments > 1 ? my->call.arguments[1] : NULL;
    const bool has_stops = call_has_option(&my->call, "error-at");
    classify_tune_defaults(my);
    exit_code code = check_fit_options(my);
    if (code == EXIT_DONE)
        code = rates_read(&my->rates, &my->settings->rate);
    if (code == EXIT_DONE)
        code = classify_tune_check_rate(my);
    if (code == EXIT_DONE)
        code = classify_open_run(my);
    if (code == EXIT_DONE)
        code = rates_read(&my->rates, &my->settings->rate);
    if (settings->rbm && !settings->finetune)
        settings->epochs = 0;
    if (settings->rbm) {
        if (!call_has_option(&my->call, "features"))
            settings->features = ISG_FEATURES_HIDDEN;
    }
    if (code == EXIT_DONE)
        code = epoch_list_parse(&my->stops, &my->n_stops, settings->error_at, has_stops,
                                settings->epochs);
    if (code == EXIT_DONE)
        code = validation_check(&my->call, settings->patience);
    if (code == EXIT_DONE && (settings->validation || settings->hold_out > 0))
        code = epoch_list_add(&my->stops, &my->n_stops, settings->validate_every);
    if (code == EXIT_DONE)
        code = check_test(my);
    if (code == EXIT_DONE && settings->rbm)
        code = fail_status(isg_rbm_load(&my->rbm, settings->rbm));
    if (code == EXIT_DONE && settings->model)
        code = fail_status(isg_classifier_load(&my->start, settings->model));
    if (code == EXIT_DONE)
        code = load_data(my);
    return code == EXIT_DONE ? classify_train(my) : code;
}

static exit_code predict(classify_job *my) {
    if (my->call.n_arguments != 1)
        return fail(EXIT_MISUSED, "--model: expected TEST and nothing else, found %zu argument%s",
                    my->call.n_arguments, plural(my->call.n_arguments));
    my->test_name = my->call.arguments[0];
    exit_code code = classify_tune_check(my);
    if (code == EXIT_DONE)
        code = refuse(&my->call, of_training, "--model");
    if (code == EXIT_DONE)
        code = refuse(&my->call, of_fitting, "--model");
    if (code == EXIT_DONE)
        code = fail_status(isg_classifier_load(&my->classifier, my->settings->model));
    if (code == EXIT_DONE)
        code = load_test(my);
    return code == EXIT_DONE ? classify_test(my) : code;
}

static exit_code run(const invocation *call) {
    classify_job my = {.call = *call, .settings = call->settings, .command = call->command_line};
    signals_catch(); /* from now on there may be a lock to release, and something to save */
    exit_code code = check_files(&my);
    if (code == EXIT_DONE)
        code = my.settings->model && !my.settings->finetune ? predict(&my) : fit(&my);
    if (code == EXIT_DONE)
        code = classify_show(&my);
    isg_run_close(my.run);
    isg_experts_free(my.experts);
    isg_tuner_free(my.tuner);
    signals_release();
    isg_classifier_free(my.classifier);
    isg_classifier_free(my.start);
    isg_rbm_free(my.rbm);
    isg_dataset_free(my.train);
    isg_dataset_free(my.test);
    isg_dataset_free(my.validation);
    isg_classifier_free(my.best.classifier);
    rates_free(&my.rates);
    json_decref(my.record);
    memory_release(my.stops);
    memory_release(my.points);
    isg_release(my.classifier_path);
    memory_release(my.validation_tally.counts);
    memory_release(my.test_tally.counts);
    memory_release(my.train_tally.counts);
    memory_release(my.answers);
    memory_release(my.probabilities);
    return code;
}

#define FIELD(name) .offset = offsetof(classify_settings, name)

/* clang-format off */
static const argument_entry arguments[] = {
    {.name = "TRAIN", .help = "Labelled samples to learn from: " DATA_HELP
     ". With --model, the samples to classify. Optional with --resume",
     .choices = data_names, .is_open = true, .is_file = true, .is_optional = true},
    {.name = "TEST", .help = "Labelled samples of the same classes, used only for testing, or samples "
                             "without labels, for --predictions; optional",
     .choices = data_names, .is_open = true, .is_file = true, .is_optional = true},
    {.name = NULL},
};

static const option_entry options[] = {
    {.name = "output", .letter = 'o', .kind = OPTION_DIRECTORY, .metavar = "RUN", FIELD(out),
     .otherwise = "nothing is saved",
     .help = "Save the classifier, and what is needed to resume, in this directory"},
    {.name = "model", .kind = OPTION_FILE, .metavar = "C.npz", FIELD(model),
     .otherwise = "a new one", .help = "Use a classifier saved by an earlier run; with --finetune, "
     "start from it"},
    {.name = "per-class", .kind = OPTION_SIZE, .metavar = "K", .low = 1,
     .high = HUGE_VAL, FIELD(experts.per_class), .help = "Hidden units per class; as many as there are "
     "samples, if a class has fewer"},
    {.name = "init", .kind = OPTION_CHOICE, .metavar = "START",
     .choices = start_names, FIELD(experts.start),
     .help = "Weights to start from: the projection rule or the Hebbian rule of the K "
             "sub-patterns of the class, principal axes of the class with its mean removed (pca) or "
             "not (axes), or random weights"},
    {.name = "sd", .kind = OPTION_DOUBLE, .metavar = "SD", .low = 0,
     .high = HUGE_VAL, .is_above_low = true, FIELD(experts.deviation),
     .help = "Standard deviation of the weights of --init normal"},
    {.name = "epochs", .kind = OPTION_SIZE, .metavar = "E", .low = 0,
     .high = 1e7, FIELD(epochs),
     .help = "Total number of passes of every expert over its class; with --resume it may be "
             "larger than before. With --finetune passes over TRAIN, 12 unless given"},
    {.name = "finetune", .kind = OPTION_FLAG, FIELD(finetune),
     .help = "Train the weights of all experts and the regression together, by backpropagation "
             "through the features, to tell the classes apart"},
    {.name = "logits-rate", .kind = OPTION_DOUBLE, .metavar = "ETA", .low = 0, .high = HUGE_VAL,
     .is_above_low = true, FIELD(logits_rate),
     .help = "Learning rate of the coefficients and intercepts with --finetune"},
    {.name = "shift", .kind = OPTION_SIZE, .metavar = "N", .low = 0, .high = HUGE_VAL, FIELD(shift),
     .help = "With --finetune, move images by up to N pixels in both directions, anew every time"},
    {.name = "error-at", .kind = OPTION_TEXT, .metavar = "E,E,...", FIELD(error_at),
     .otherwise = "only at the end",
     .help = "Also fit and test after these numbers of epochs"},
    VALIDATION_OPTIONS(classify_settings, validation, hold_out),
    {.name = "validate-every", .kind = OPTION_SIZE, .metavar = "E", .low = 1, .high = HUGE_VAL,
     FIELD(validate_every),
     .help = "Fit, and classify the validation data, at the start and after every E epochs"},
    {.name = "patience", .kind = OPTION_SIZE, .metavar = "E", FIELD(patience),
     .help = "Stop once E epochs brought no lower validation error; 0 means never"},
    {.name = "beta", .kind = OPTION_DOUBLE, .metavar = "B", .low = 1e-30,
     .high = 1e30, FIELD(experts.beta), .help = "Inverse temperature of training"},
    {.name = "batch", .kind = OPTION_SIZE, .metavar = "B", .low = 1,
     .high = HUGE_VAL, FIELD(experts.train.batch_size), .help = "Samples per update"},
    {.name = "sweeps", .alias = "cd", .kind = OPTION_SIZE, .metavar = "K", .low = 1,
     .high = HUGE_VAL, FIELD(experts.train.gibbs_steps), .help = "Gibbs sweeps per update, the K of CD-K"},
    {.name = "pcd", .kind = OPTION_FLAG, FIELD(experts.train.persistent), .help = "Use persistent chains"},
    {.name = "rate", .kind = OPTION_TEXT, .metavar = RATES_METAVAR, FIELD(rate),
     .help = "Learning rate; ETA@EPOCH changes it after EPOCH epochs. With --finetune, where it falls "
             "linearly to zero, the first one of the weights, " TUNE_RATE " unless given"},
    {.name = "fields", .kind = OPTION_FLAG, FIELD(experts.train.fields), .help = "Train the fields b and c too"},
    {.name = "estimator", .kind = OPTION_CHOICE, .metavar = "HOW", .choices = estimator_choices,
     FIELD(experts.train.estimator),
     .help = "Pair the last spins with the hidden units they were drawn from, or with the mean "
             "hidden units given these spins"},
    {.name = "features", .kind = OPTION_CHOICE, .metavar = "WHICH", .choices = feature_choices,
     FIELD(features), .otherwise = "energy, or hidden with --rbm",
     .help = "What the regression sees: |s^T W|^2 of every expert, all hidden units, or the squares of these"},
    {.name = "l2", .kind = OPTION_DOUBLE, .metavar = "L", .low = 0,
     .high = HUGE_VAL, FIELD(fit.l2),
     .help = "Penalty of the regression, which adds L / 2 |coefficients|^2 to the sum of the "
             "losses, on standardized features"},
    {.name = "balanced", .kind = OPTION_FLAG, FIELD(fit.balanced),
     .help = "Let all classes weigh the same in the regression, whatever their sizes"},
    {.name = "rbm", .kind = OPTION_FILE, .metavar = "M.npz", FIELD(rbm), .otherwise = "experts",
     .help = "Use the features of this RBM instead of experts; nothing is trained"},
    {.name = "classifier", .kind = OPTION_CHOICE, .metavar = "WHICH",
     .choices = classifier_choices, FIELD(classifier),
     .help = "experts with a regression, or a single RBM that is trained with the labels as "
             "additional units and gives p(class | s) in closed form"},
    {.name = "resume", .kind = OPTION_FLAG, FIELD(resume),
     .help = "Continue the run in RUN as if it had never stopped; if there is none, start it"},
    {.name = "save-every", .kind = OPTION_DOUBLE, .metavar = "S", .low = 0,
     .high = HUGE_VAL, FIELD(save_every),
     .help = "Save every S seconds; does not change the result"},
    {.name = "picture", .kind = OPTION_FILE, .metavar = "FILE.png|.svg", FIELD(picture),
     .otherwise = "no picture",
     .help = "Draw the confusion matrix, with names and numbers: right answers in blue, mistakes in "
             "red (with gnuplot)"},
    {.name = "predictions", .kind = OPTION_FILE, .metavar = TABLE_METAVAR, FIELD(predictions),
     .otherwise = "none", .help = "Write the predicted class of every sample of TEST, and the "
                                  "probability of every class"},
    {.name = "curve", .kind = OPTION_FILE, .metavar = "FILE.csv", FIELD(curve), .otherwise = "none",
     .help = "Write the errors of --error-at"},
    {.name = "test-labels", .kind = OPTION_FILE, .metavar = "FILE", FIELD(test_labels),
     .otherwise = "those in TEST", .help = "Read the labels of TEST from FILE, as --labels does for TRAIN"},
    {.name = "test-limit", .kind = OPTION_SIZE, .metavar = "M", .low = 1, .high = HUGE_VAL,
     FIELD(test_limit), .otherwise = "all", .help = "Keep only the first M samples of TEST"},
    DATA_OPTIONS(classify_settings, data),
    {.name = NULL},
};


static const example examples[] = {
    {"isinglass classify mnist:train mnist:test",
     "Ten Hopfield experts with ten sub-patterns each, no training: 6.9 % errors."},
    {"isinglass classify mnist:train mnist:test --per-class 100 --epochs 50 --error-at 0,1,5,10,20 -o poe",
     "The best result of Fig. 5 of the paper, saved and resumable."},
    {"isinglass classify mnist:train mnist:test --epochs 50 --hold-out 0.1 --patience 5 -o poe10",
     "The same with fewer hidden units, for as long as a tenth of TRAIN, held out, is classified better."},
    {"isinglass classify --model poe/classifier.npz mnist:test --picture confusion.png",
     "Use the saved classifier, and look at its mistakes."},
    {"isinglass classify fashion:train fashion:test --classifier labels --epochs 10",
     "A single RBM, trained with the labels."},
    {"isinglass classify mnist:train mnist:test --finetune --shift 1 -o tuned",
     "The experts learn to tell the digits apart: 2.2 % errors."},
    {"isinglass classify mnist:train mnist:test --rbm run/model.npz",
     "Regression on the hidden units of an RBM trained earlier."},
    {NULL, NULL},
};
/* clang-format on */

const command command_classify = {
    .name = "classify",
    .section = "Models",
    .summary = "Classify with a product of experts, one RBM for every class",
    .description =
        "Each class gets an RBM of K hidden units, its expert, which starts from the K "
        "sub-patterns of the class (Ward clusters, orthogonalized by QR) and is trained on the "
        "samples of that class alone. The feature of expert mu for a sample s is |s^T W_mu|^2, "
        "which is -2 times its energy. A multinomial logistic regression on these features, "
        "one for each class, standardized and fitted to convergence, predicts the class. "
        "Training uses the seed and the number of the class, so the same seed gives the same "
        "answers on any number of threads.\n"
        "The classes of TRAIN and TEST are matched by name. Errors come with their binomial "
        "standard error (if none is wrong, that of half a sample). The balanced error is the "
        "mean of the errors of the classes, however rare they are. Samples of TEST without a "
        "label are classified, but no part of any error.\n"
        "With validation data, the classifier is that of the epoch with the lowest validation "
        "error, the first of equals (with --balanced, the lowest balanced error), and TEST is "
        "classified by this one.\n"
        "--finetune starts from the experts as --init makes them (or an RBM, or a classifier of "
        "--model) and from the regression on their features, and follows the gradient of the cross "
        "entropy of mini-batches by Adam; --epochs, --error-at, --validate-every and --patience "
        "are "
        "then about passes over TRAIN, and validation data choose the best of these.\n"
        "--predictions writes one row per sample: " SAMPLE_COLUMNS
        ", predicted, probability (of that class) and p_CLASS, one column per class. " TABLE_ARRAYS
        " P (samples x classes).\n"
        "RUN contains classifier.npz, run.json (all options, checksums of the data, errors) "
        "and two checkpoints, with validation data also the best classifier so far, in "
        "best-1.npz or best-2.npz. Whatever stopped a run, 'isinglass classify --resume -o RUN' "
        "continues it and ends with the same answers.",
    .arguments = arguments,
    .options = options,
    .results = classify_results,
    .examples = examples,
    .settings_bytes = sizeof(classify_settings),
    .defaults = defaults,
    .run = run,
};
