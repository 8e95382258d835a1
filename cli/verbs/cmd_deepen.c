/* cmd_deepen.c - isinglass deepen: a layer on top of an RBM, one Gaussian for every class
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/model_input.h"
#include "cli/number_list.h"
#include "cli/pictures.h"
#include "cli/progress.h"
#include "cli/sample_table.h"
#include "cli/verbs/deepen_job.h"
#include "src/base/directory.h"

static void defaults(void *settings) {
    *(deepen_settings *)settings =
        (deepen_settings){.data = data_defaults(), .fit = isg_deep_defaults()};
}

/* ---- what was asked for -------------------------------------------------------------------------- */

static exit_code refuse(const invocation *call, const char *const *names, const char *what) {
    for (size_t k = 0; names[k]; k++)
        if (call_has_option(call, names[k]))
            return fail(EXIT_MISUSED, "--%s: needs %s", names[k], what);
    return EXIT_DONE;
}

static exit_code check_options(const deepen_job *my) {
    static const char *const of_fit[] = {"beta",  "shrinkage",   "toward",
                                         "parts", "hold-out",    "one-class",
                                         "test",  "test-labels", NULL};
    static const char *const of_samples[] = {"count", "spin-beta", NULL};
    static const char *const of_predictions[] = {"rule", NULL};
    static const char *const of_test[] = {"test-labels", NULL};
    const deepen_settings *settings = my->settings;
    exit_code code = EXIT_DONE;
    if (settings->out && !my->data_name)
        return fail(EXIT_MISUSED, "expected DATA to fit to");
    if (!settings->out)
        code = refuse(my->call, of_fit, "-o, to fit a new model");
    if (code == EXIT_DONE && !settings->test)
        code = refuse(my->call, of_test, "--test");
    if (code == EXIT_DONE && !settings->samples)
        code = refuse(my->call, of_samples, "--samples");
    if (code == EXIT_DONE && !settings->predictions)
        code = refuse(my->call, of_predictions, "--predictions");
    if (code != EXIT_DONE)
        return code;
    if (settings->predictions && settings->out && !settings->test)
        return fail(EXIT_MISUSED, "--predictions: needs --test, the data to classify");
    if (settings->predictions && !my->data_name)
        return fail(EXIT_MISUSED, "--predictions: needs DATA to classify");
    return my->data_name ? EXIT_DONE
                         : data_refuse_most(my->call, "DATA", settings->samples ? "class" : NULL);
}

static exit_code check_files(const deepen_job *my) {
    const deepen_settings *settings = my->settings;
    const common_settings *common = &my->call->common;
    exit_code code = EXIT_DONE;
    if (settings->out)
        code = may_write(common, settings->out, ".npz");
    if (code == EXIT_DONE && settings->predictions)
        code = sample_table_may_write(common, settings->predictions);
    if (code != EXIT_DONE || !settings->samples)
        return code;
    const char *samples = settings->samples;
    if (ends_in(samples, ".png") || ends_in(samples, ".svg"))
        return may_write_picture(common, samples);
    if (!ends_in(samples, ".csv") && !ends_in(samples, ".npz"))
        return fail(EXIT_MISUSED, "%s: expected a file name that ends in .png, .svg, .csv or .npz",
                    samples);
    return sample_table_may_write(common, samples);
}

/* "1,2,4" to a list for the library; NULL if it was not typed. */
static exit_code read_list(double **out, size_t *count, const char *option, const char *text,
                           number_range range, const char *expected) {
    bool is_read = true;
    if (!text)
        return EXIT_DONE;
    const exit_code code = number_list_parse(out, count, text, range, &is_read);
    return code == EXIT_DONE && !is_read
               ? fail(EXIT_MISUSED, "--%s: expected %s, found '%s'", option, expected, text)
               : code;
}

/* ---- data ------------------------------------------------------------------------------------------ */

static exit_code load_some(const deepen_job *my, isg_dataset **out, const char *name,
                           const data_settings *how, const isg_rbm *rbm,
                           const isg_encoding *encoding) {
    const exit_code code = data_load(out, my->call, name, how, encoding);
    const size_t expected = isg_rbm_describe(rbm).n_visible;
    if (code != EXIT_DONE)
        return code;
    const size_t found = isg_dataset_describe(*out).n_visible;
    return found == expected
               ? data_impute(out, my->call, rbm, true)
               : fail(EXIT_BAD_INPUT, "%s: has %zu unit%s, but %s has %zu visible ones", name,
                      found, plural(found), my->model_name, expected);
}

static exit_code load_data(deepen_job *my, const isg_rbm *rbm) {
    data_settings how = my->settings->data;
    how.how.keep_unlabelled = !my->rbm || my->settings->fit.one_class;
    exit_code code = load_some(my, &my->data, my->data_name, &how, rbm,
                               model_encoding(my->call, my->model_name, isg_rbm_encoding(rbm)));
    if (code != EXIT_DONE || !my->settings->test)
        return code;
    how.how.keep_unlabelled = true;
    how.how.drop_constant = false; /* the model decides */
    how.how.labels_path = my->settings->test_labels;
    how.how.limit = 0;
    return load_some(my, &my->test, my->settings->test, &how, rbm, isg_dataset_encoding(my->data));
}

static exit_code check_labels(const deepen_job *my) {
    return my->settings->fit.one_class || isg_dataset_describe(my->data).n_classes > 0
               ? EXIT_DONE
               : fail(EXIT_BAD_INPUT,
                      "%s: has no labels to fit one Gaussian per class; give --labels or "
                      "--label-column, or --one-class to fit a single one",
                      my->data_name);
}

/* ---- the two ways ------------------------------------------------------------------------------------ */

static exit_code fit_model(deepen_job *my, const isg_deep_options *options) {
    progress bar;
    progress_start(&bar, my->call->common.quiet, "fitting");
    const isg_status status =
        isg_deep_model_fit(&my->model, my->rbm, my->data, options, progress_callback(&bar));
    progress_finish(&bar);
    if (status != ISG_ERR_ARGUMENT)
        return fail_status(status);
    const bool is_short = strstr(isg_error_message(), "too few") != NULL;
    return fail(EXIT_BAD_INPUT, "%s: %s%s", my->data_name, isg_error_message(),
                is_short ? " (--beta B --shrinkage A)" : "");
}

static exit_code fit(deepen_job *my) {
    static const number_range any_beta = {1e-30, 1e30, false}, any_share = {0, 1, false};
    const deepen_settings *settings = my->settings;
    isg_deep_options options = settings->fit;
    double *betas = NULL, *shrinkages = NULL;
    exit_code code = read_list(&betas, &options.n_betas, "beta", settings->betas, any_beta,
                               "inverse temperatures from 1e-30 to 1e30, such as 2 or 1,1.5,2");
    if (code == EXIT_DONE)
        code = read_list(&shrinkages, &options.n_shrinkages, "shrinkage", settings->shrinkages,
                         any_share, "numbers from 0 to 1, such as 0.1 or 0,0.1,0.3");
    if (code == EXIT_DONE)
        code = model_load(&my->rbm, my->model_name);
    if (code == EXIT_DONE)
        code = load_data(my, my->rbm);
    if (code == EXIT_DONE)
        code = check_labels(my);
    options.betas = betas;
    options.shrinkages = shrinkages;
    options.seed = my->call->common.seed;
    if (code == EXIT_DONE)
        code = fit_model(my, &options);
    memory_release(betas);
    memory_release(shrinkages);
    return code;
}

static exit_code use(deepen_job *my) {
    if (isg_is_directory(my->model_name))
        return fail(EXIT_BAD_INPUT,
                    "%s: a run has no top layer; give DATA and -o DEEP.npz to fit one",
                    my->model_name);
    const isg_status status = isg_deep_model_load(&my->model, my->model_name);
    if (status == ISG_ERR_FORMAT && strstr(isg_error_message(), "without a top layer"))
        return fail(EXIT_BAD_INPUT, "%s; give DATA and -o DEEP.npz to fit one",
                    isg_error_message());
    if (status != ISG_OK || !my->data_name)
        return fail_status(status);
    return load_data(my, isg_deep_model_rbm(my->model));
}

static exit_code plan_samples(deepen_job *my) {
    const exit_code code = deepen_plan_samples(my);
    const char *path = my->settings->samples;
    if (code != EXIT_DONE || !(ends_in(path, ".png") || ends_in(path, ".svg")))
        return code;
    if (my->settings->data.shape && !my->data_name) {
        const exit_code read =
            shape_parse(my->settings->data.shape, &my->info.image_height, &my->info.image_width);
        if (read != EXIT_DONE)
            return read;
    }
    return check_image(my->model_name, my->info.n_visible, my->info.image_height,
                       my->info.image_width, SHAPE_ADVICE ", or write a table");
}

/* ---- the verb ------------------------------------------------------------------------------------------ */

static exit_code score(deepen_job *my) {
    exit_code code = EXIT_DONE;
    my->scored.name = my->data_name;
    my->tested.name = my->settings->test;
    if (my->data)
        code = deepen_look(my, my->data, &my->scored);
    if (code == EXIT_DONE && my->test)
        code = deepen_look(my, my->test, &my->tested);
    return code;
}

static exit_code write_files(const deepen_job *my) {
    const deepen_settings *settings = my->settings;
    exit_code code = EXIT_DONE;
    if (settings->predictions)
        code = deepen_predict(my, my->test ? my->test : my->data);
    if (code == EXIT_DONE && settings->out)
        code = fail_status(isg_deep_model_save(my->model, settings->out, my->call->common.seed,
                                               my->call->command_line));
    if (code == EXIT_DONE && settings->samples)
        code = deepen_sample(my);
    return code;
}

static exit_code run(const invocation *call) {
    deepen_job my = {.call = call,
                     .settings = call->settings,
                     .model_name = call->arguments[0],
                     .data_name = call->n_arguments > 1 ? call->arguments[1] : NULL};
    exit_code code = check_options(&my);
    if (code == EXIT_DONE)
        code = check_files(&my);
    if (code == EXIT_DONE)
        code = my.settings->out ? fit(&my) : use(&my);
    if (code == EXIT_DONE)
        my.info = isg_deep_model_describe(my.model);
    if (code == EXIT_DONE && my.settings->samples)
        code = plan_samples(&my);
    if (code == EXIT_DONE)
        code = score(&my);
    if (code == EXIT_DONE)
        code = write_files(&my);
    if (code == EXIT_DONE)
        code = deepen_show(&my);
    isg_deep_model_free(my.model);
    isg_dataset_free(my.data);
    isg_dataset_free(my.test);
    isg_rbm_free(my.rbm);
    return code;
}

#define FIELD(name) .offset = offsetof(deepen_settings, name)

/* clang-format off */
static const char *const toward_choices[] = {"pooled", "diagonal", NULL}; /* as isg_shrink */
static const char *const rule_choices[] = {"bound", "quadratic", NULL}; /* as isg_deep_rule */

static const argument_entry arguments[] = {
    {.name = "MODEL", .help = "With -o: the RBM to deepen, an .npz or the RUN of a training. Without: "
                              "a DEEP.npz written before, to be used",
     .is_file = true},
    {.name = "DATA", .help = "Labelled samples to fit to; without -o, samples to score and classify. " DATA_HELP,
     .choices = data_names, .is_open = true, .is_file = true, .is_optional = true},
    {.name = NULL},
};

static const option_entry options[] = {
    {.name = "output", .letter = 'o', .kind = OPTION_FILE, .metavar = "DEEP.npz", FIELD(out),
     .otherwise = "MODEL is used as it is", .help = "Fit a top layer, and write it with the RBM to this file"},
    {.name = "test", .kind = OPTION_FILE, .metavar = "TEST", .choices = data_names, FIELD(test),
     .otherwise = "none", .help = "Data to score that are not fitted to, read as DATA are"},
    {.name = "test-labels", .kind = OPTION_FILE, .metavar = "FILE", FIELD(test_labels),
     .otherwise = "those in TEST", .help = "Read the labels of TEST from FILE, as --labels does for DATA"},
    {.name = "beta", .kind = OPTION_TEXT, .metavar = "B,B,...", FIELD(betas),
     .otherwise = "uphill from that of the RBM",
     .help = "Inverse temperature, or several to choose from"},
    {.name = "shrinkage", .kind = OPTION_TEXT, .metavar = "A,A,...", FIELD(shrinkages),
     .otherwise = "0,0.01,0.03,0.1,0.3,1",
     .help = "How much the covariance of a class is mixed with what --toward says, or several such "
             "shares to choose from"},
    {.name = "toward", .kind = OPTION_CHOICE, .metavar = "WHAT", .choices = toward_choices, FIELD(fit.toward),
     .help = "The mean covariance of all classes, or the covariance's own diagonal"},
    {.name = "parts", .kind = OPTION_SIZE, .metavar = "K", .low = 1, .high = HUGE_VAL, FIELD(fit.parts),
     .help = "Gaussians per class: a mixture, fitted by expectation and maximization"},
    {.name = "hold-out", .kind = OPTION_DOUBLE, .metavar = "SHARE", .low = 0, .high = 0.5, .is_above_low = true,
     FIELD(fit.hold_out),
     .help = "The share of every class, drawn with the seed, on which candidates are compared before "
             "the best is fitted to all"},
    {.name = "one-class", .kind = OPTION_FLAG, FIELD(fit.one_class),
     .help = "Fit a single Gaussian to all samples, with or without labels"},
    {.name = "predictions", .kind = OPTION_FILE, .metavar = TABLE_METAVAR, FIELD(predictions),
     .otherwise = "none", .help = "Write the class of every sample (of TEST, with -o) and the "
                                  "probability of every class"},
    {.name = "rule", .kind = OPTION_CHOICE, .metavar = "RULE", .choices = rule_choices, FIELD(rule),
     .help = "p(class | s) that makes the bound largest, or quadratic discriminants on W's + c"},
    {.name = "samples", .kind = OPTION_FILE, .metavar = "FILE.png|.svg|.csv|.npz", FIELD(samples),
     .otherwise = "none", .help = "Draw samples: as a picture, one row per class, or as a table that is DATA "
                                  "again (a .csv with --label-column class); with --class only of this class"},
    {.name = "count", .kind = OPTION_SIZE, .metavar = "N", .low = 1, .high = 4294967295.0, FIELD(count),
     .otherwise = "10 of every class in a picture (100 of a single one), else 1000",
     .help = "Number of samples"},
    {.name = "spin-beta", .kind = OPTION_DOUBLE, .metavar = "B", .low = 0, .high = HUGE_VAL, .is_above_low = true,
     FIELD(spin_beta), .otherwise = "the model's; in a picture, 20",
     .help = "Inverse temperature of the spins given the hidden units"},
    DATA_OPTIONS(deepen_settings, data),
    {.name = NULL},
};

static const example examples[] = {
    {"isinglass deepen model.npz mnist:train -o deep.npz --test mnist:test --samples digits.png",
     "A Gaussian for every digit: likelihood, errors, and ten new digits of each kind."},
    {"isinglass deepen model.npz mnist:train -o deep4.npz --test mnist:test --parts 4",
     "Four Gaussians for every digit."},
    {"isinglass deepen deep.npz --samples threes.npz --class 3 --count 5000",
     "Independent samples of one class, to train on."},
    {"isinglass deepen deep.npz mnist:test --predictions classes.csv",
     "p(class | s) of other data."},
    {"isinglass deepen RUN cells.csv -o deep.npz --beta 2 --shrinkage 0.1",
     "No search: the beta of training, and a tenth of the pooled covariance."},
    {NULL, NULL},
};
/* clang-format on */

const command command_deepen = {
    .name = "deepen",
    .section = "Models",
    .summary = "Put a layer on top of an RBM: a Gaussian per class",
    .description =
        "The class is drawn by its frequency, the hidden units from the Gaussian of the class, "
        "lambda ~ Normal(mean, covariance + 1/beta), and the spins from these, +1 with probability "
        "1 / (1 + exp(-2 beta x)), x = W lambda + b. With the posterior of the RBM, Normal(W's + "
        "c, "
        "1/beta), in place of the model's own, the likelihood has a lower bound, the ELBO, which "
        "is "
        "largest for the mean and covariance of W's + c in the class: nothing is trained, ln Z is "
        "not needed, and samples are independent.\n"
        "The ELBO is a bound on ln p(s), in nats per sample, for which the class is not told; "
        "'ELBO "
        "with class' bounds ln p(s, class). beta and the shrinkage of the covariances are chosen "
        "by "
        "the ELBO of samples held out, from a table that is printed. Unless --beta lists "
        "candidates, it goes uphill from that of the RBM in steps of 2^(1/4) and ends at the top "
        "of a parabola. With --parts, a class is a mixture of K Gaussians; beta is then chosen "
        "with one of them, and shrinkage with K.\n"
        "DEEP.npz has all arrays of the RBM, whose beta is now the one chosen, besides classes, "
        "shares, means, covariances (of W's + c; K of every class, one after another) and top. "
        "Verbs that take an RBM take this file as the RBM in it. 'isinglass deepen DEEP.npz' "
        "describes it.\n"
        "--predictions writes one row per sample: " SAMPLE_COLUMNS
        ", predicted, probability (of that class) and p_CLASS, one column per class. " TABLE_ARRAYS
        " P (samples x classes). --samples writes tables of the same kind, whose array is X, of "
        "values that are read as the spins.",
    .arguments = arguments,
    .options = options,
    .results = deepen_results,
    .examples = examples,
    .settings_bytes = sizeof(deepen_settings),
    .defaults = defaults,
    .run = run,
};
