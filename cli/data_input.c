/* data_input.c - DATA on the command line: a name of the catalog or a file, and how to read it
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/data_input.h"

#include <string.h>
#include <unistd.h>

#include "cli/allocation.h"
#include "cli/catalog.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/suggest.h"
#include "src/base/number.h"
#include "src/io/verified_file.h"

const char *const header_choices[] = {"auto", "yes", "no", NULL}; /* in the order of isg_header */
const char *const missing_choices[] = {"refuse", "drop-samples", "majority", "impute", NULL};
const char *const binarize_choices[] = {"zero",      "value:", "mean",    "median", "midpoint",
                                        "quantile:", "otsu",   "mixture", NULL};
const char *const data_names[] = {DATA_NAMES, NULL};

exit_code shape_parse(const char *text, size_t *height, size_t *width) {
    char first[32] = "";
    const char *cross = strchr(text, 'x');
    const size_t length = cross ? (size_t)(cross - text) : sizeof first;
    if (length < sizeof first) {
        memcpy(first, text, length);
        if (isg_parse_size(first, height) && isg_parse_size(cross + 1, width) && *height > 0 &&
            *width > 0)
            return EXIT_DONE;
    }
    return fail(EXIT_MISUSED, "--shape: expected HxW such as 28x28, found '%s'", text);
}

/* The path of a converted data set, which is verified; stays NULL if there is a file of the name. */
static exit_code converted_path(const invocation *call, const char *name,
                                const catalog_entry *entry, char **path) {
    if (strchr(name, ':'))
        return fail(EXIT_MISUSED, "DATA: expected %s, which is one set without parts, found '%s'",
                    entry->name, name);
    if (access(name, F_OK) == 0)
        return EXIT_DONE;
    const exit_code code = catalog_path(path, &call->common, entry, 0);
    if (code != EXIT_DONE)
        return code;
    if (access(*path, F_OK) != 0)
        return fail(EXIT_FILE, "%s: not installed (%s is missing); run: isinglass data get %s",
                    name, *path, name);
    progress bar;
    progress_start(&bar, call->common.quiet, "checking");
    const isg_status status =
        isg_file_check(*path, entry->files[0].sha256, progress_callback(&bar));
    progress_finish(&bar);
    if (status == ISG_ERR_FORMAT)
        return fail(EXIT_BAD_INPUT, "%s; 'isinglass data get %s' repairs it", isg_error_message(),
                    name);
    return fail_status(status);
}

/* Paths of a catalog data set; both stay NULL if the name is not in the catalog. */
static exit_code catalog_paths(const invocation *call, const char *name,
                               isg_dataset_options *options, char **images, char **labels) {
    const char *colon = strchr(name, ':');
    const size_t length = colon ? (size_t)(colon - name) : strlen(name);
    const catalog_entry *entry = catalog_find(name, length);
    if (!entry)
        return EXIT_DONE;
    if (entry->convert)
        return converted_path(call, name, entry, images);
    const bool is_train = colon && strcmp(colon, ":train") == 0;
    if (!is_train && !(colon && strcmp(colon, ":test") == 0)) {
        if (!colon && access(name, F_OK) == 0)
            return EXIT_DONE; /* a file that happens to have the name */
        return fail(EXIT_MISUSED, "DATA: expected %s:train or %s:test, found '%s'", entry->name,
                    entry->name, name);
    }
    const size_t image_file = is_train ? CATALOG_TRAIN_IMAGES : CATALOG_TEST_IMAGES;
    const size_t label_file = is_train ? CATALOG_TRAIN_LABELS : CATALOG_TEST_LABELS;
    exit_code code = catalog_path(images, &call->common, entry, image_file);
    if (code == EXIT_DONE)
        code = catalog_path(labels, &call->common, entry, label_file);
    if (code != EXIT_DONE)
        return code;
    if (access(*images, F_OK) != 0 || access(*labels, F_OK) != 0)
        return fail(EXIT_FILE, "%s: not installed (%s is missing); run: isinglass data get %s",
                    name, access(*images, F_OK) != 0 ? *images : *labels, entry->name);
    options->expected_sha256 = entry->files[image_file].sha256;
    if (!options->labels_path) {
        options->labels_path = *labels;
        options->expected_labels_sha256 = entry->files[label_file].sha256;
    }
    return EXIT_DONE;
}

/* Whether the library's error message is about this file. */
static bool is_about(const char *path) {
    return strncmp(isg_error_message(), path, strlen(path)) == 0;
}

/* What is wrong with a file of the catalog may also be what was asked of it, such as a class. Changes
   the library's error message. */
static bool is_damaged(const char *path, const char *sha256) {
    return sha256 && isg_file_check(path, sha256, NULL) != ISG_OK;
}

/* `images` and `labels` are the files of the catalog, or NULL for other data; a converted set has no
   second file, and its damage was looked for before. */
static exit_code load_failed(isg_status status, const char *name, const char *images,
                             const char *labels, const isg_dataset_options *options) {
    const exit_code code = fail_status(status);
    if (labels && (status == ISG_ERR_FORMAT || status == ISG_ERR_IO) &&
        (is_about(images) || is_about(labels))) {
        char *message = memory_format("%s", isg_error_message());
        if (message && (is_damaged(images, options->expected_sha256) ||
                        is_damaged(labels, options->expected_labels_sha256)))
            fail(code, "%s; 'isinglass data get %.*s' repairs it", message, (int)strcspn(name, ":"),
                 name);
        memory_release(message);
        return code;
    }
    suggestion nearest = {.typed = name};
    const bool is_missing = !images && status == ISG_ERR_IO && is_about(name);
    for (size_t k = 0; is_missing && data_names[k]; k++)
        suggest(&nearest, data_names[k], data_names[k]);
    if (nearest.best[0])
        return fail(code, "%s; did you mean %s?", isg_error_message(), nearest.best);
    return code;
}

/* ---- what was done to the data, said on stderr ------------------------------------------------- */

/* Constant data are allowed, but more likely the threshold was meant for another scale. */
static void remark_if_uniform(const invocation *call, const char *name, const isg_dataset *data) {
    const isg_dataset_info info = isg_dataset_describe(data);
    const double share = isg_dataset_positive_fraction(data);
    if (share > 0 && share < 1)
        return;
    notice(call->common.quiet,
           "%s: every spin is %s; the values lie between %g and %g; see "
           "--binarize",
           name, share > 0 ? "+1" : "-1", info.smallest, info.largest);
}

static void remark_on_missing(const invocation *call, const char *name,
                              const isg_dataset_info *info, isg_missing rule) {
    static const char *const done[] = {"", "; these samples are left out",
                                       "; filled by the majority of the unit",
                                       "; the model fills them in"};
    if (info->n_missing_samples)
        notice(call->common.quiet, "%s: %zu value%s missing in %zu sample%s%s", name,
               info->n_missing, info->n_missing == 1 ? " is" : "s are", info->n_missing_samples,
               plural(info->n_missing_samples), done[rule]);
}

static void remark_on_labels(const invocation *call, const char *name, const isg_dataset_info *info,
                             const data_settings *settings) {
    const bool quiet = call->common.quiet;
    if (settings->how.label_column && !settings->how.labels_path && info->n_classes == 0 &&
        info->n_unlabelled == 0)
        notice(quiet, "%s: there is no column '%s'; no sample has a label", name,
               settings->how.label_column);
    else if (info->n_unlabelled)
        notice(quiet, "%s: %zu sample%s ha%s no label%s", name, info->n_unlabelled,
               plural(info->n_unlabelled), info->n_unlabelled == 1 ? "s" : "ve",
               settings->how.keep_unlabelled ? "" : "; left out");
    if (info->n_unmatched_labels)
        notice(quiet, "%s: %zu label%s of no sample of %s; left out", settings->how.labels_path,
               info->n_unmatched_labels, plural(info->n_unmatched_labels), name);
    if (settings->how.labels_path && info->n_classes)
        notice(quiet, "%s: labels joined to the samples by %s", settings->how.labels_path,
               info->joined_by_id ? "id" : "position");
}

static void remark(const invocation *call, const char *name, const isg_dataset *data,
                   const data_settings *settings, bool is_decided) {
    const isg_dataset_info info = isg_dataset_describe(data);
    const bool quiet = call->common.quiet;
    remark_if_uniform(call, name, data);
    remark_on_missing(call, name, &info, settings->how.missing);
    remark_on_labels(call, name, &info, settings);
    if (info.columns_by_position)
        notice(quiet, "%s: its columns have no names; taken in the order of the units of the model",
               name);
    if (info.n_unused_columns)
        notice(quiet, "%s: %zu column%s not among the units of the model and left out", name,
               info.n_unused_columns, info.n_unused_columns == 1 ? " is" : "s are");
    const isg_encoding *own = isg_dataset_encoding(data);
    const bool is_learned = own && isg_encoding_describe(own).rule >= ISG_BINARIZE_MEAN &&
                            isg_encoding_describe(own).rule <= ISG_BINARIZE_MIXTURE;
    if (is_learned && !is_decided && !settings->how.drop_constant && info.n_constant)
        notice(quiet,
               "%s: %zu unit%s the same in all samples; --drop-constant leaves out such units",
               name, info.n_constant, info.n_constant == 1 ? " is" : "s are");
    if (settings->how.drop_constant && info.n_constant && !is_decided)
        notice(quiet, "%s: %zu constant unit%s left out", name, info.n_constant,
               info.n_constant == 1 ? " is" : "s are");
}

/* ---- how to read it ----------------------------------------------------------------------------- */

data_settings data_defaults(void) {
    return (data_settings){.how = isg_dataset_defaults(), .threshold = (double)NAN};
}

/* The options of the library for these settings. */
static exit_code read_rule(isg_dataset_options *out, const data_settings *settings) {
    const bool has_threshold = !isnan(settings->threshold);
    if (has_threshold && settings->binarize)
        return fail(EXIT_MISUSED, "--threshold: cannot be combined with --binarize");
    if (has_threshold) {
        out->binarize = ISG_BINARIZE_VALUE;
        out->binarize_at = settings->threshold;
    }
    if (settings->binarize &&
        isg_binarize_parse(settings->binarize, &out->binarize, &out->binarize_at) != ISG_OK)
        return fail(EXIT_MISUSED, "--binarize: %s", isg_error_message());
    return EXIT_DONE;
}

/* The model decides what is +1. Another rule on the command line is more likely a mistake. */
static exit_code take_encoding(isg_dataset_options *out, const invocation *call,
                               const isg_encoding *encoding) {
    const isg_encoding_info model = isg_encoding_describe(encoding);
    const bool is_typed = out->binarize != ISG_BINARIZE_AUTO;
    char own[ISG_BINARIZE_ROOM], typed[ISG_BINARIZE_ROOM];
    isg_binarize_text(model.rule, model.at, own);
    isg_binarize_text(out->binarize, out->binarize_at, typed);
    out->encoding = encoding;
    out->drop_constant = false; /* it also says which units there are */
    const bool differs = (is_typed && strcmp(own, typed) != 0) ||
                         (out->full_scale != 0 && out->full_scale != model.full_scale);
    if (!differs)
        return EXIT_DONE;
    out->use_own_rule = true;
    if (call->common.force)
        notice(call->common.quiet,
               "--force: the model was made with --binarize %s and full scale %g, "
               "which these data do not get",
               own, model.full_scale);
    return call->common.force
               ? EXIT_DONE
               : fail(EXIT_MISUSED,
                      "--%s: the model was made with --binarize %s and full scale %g, which it "
                      "applies to all data; --force uses another rule all the same",
                      !is_typed                            ? "scale"
                      : call_has_option(call, "threshold") ? "threshold"
                                                           : "binarize",
                      own, model.full_scale);
}

const isg_encoding *model_encoding(const invocation *call, const char *model,
                                   const isg_encoding *encoding) {
    if (!encoding && !call_has_option(call, "binarize") && !call_has_option(call, "threshold"))
        notice(
            call->common.quiet,
            "%s: does not say how its data became spins, so data are read by the default rule; see "
            "--binarize",
            model);
    return encoding;
}

exit_code data_load(isg_dataset **out, const invocation *call, const char *name,
                    const data_settings *settings, const isg_encoding *encoding) {
    isg_dataset_options options = settings->how;
    char *images = NULL, *labels = NULL;
    exit_code code = read_rule(&options, settings);
    if (code == EXIT_DONE && encoding)
        code = take_encoding(&options, call, encoding);
    if (code == EXIT_DONE && settings->shape)
        code = shape_parse(settings->shape, &options.image_height, &options.image_width);
    if (code == EXIT_DONE)
        code = catalog_paths(call, name, &options, &images, &labels);
    if (code == EXIT_DONE) {
        progress bar;
        progress_start(&bar, call->common.quiet, "reading");
        const isg_status status =
            isg_dataset_load(out, images ? images : name, &options, progress_callback(&bar));
        progress_finish(&bar);
        if (status != ISG_OK)
            code = load_failed(status, name, images, labels, &options);
        else
            remark(call, name, *out, settings, encoding != NULL);
    }
    memory_release(images);
    memory_release(labels);
    return code;
}

static size_t count_missing(const isg_dataset *data) {
    size_t count = 0;
    for (size_t a = 0; a < isg_dataset_describe(data).n_samples; a++)
        count += isg_dataset_missing(data, a) != NULL;
    return count;
}

exit_code data_impute(isg_dataset **data, const invocation *call, const isg_rbm *rbm,
                      bool marginal) {
    isg_impute_options options = isg_impute_defaults();
    isg_dataset *full = NULL;
    progress bar;
    if (count_missing(*data) == 0)
        return EXIT_DONE;
    options.seed = call->common.seed;
    options.marginal = marginal;
    progress_start(&bar, call->common.quiet, "imputing");
    const isg_status status =
        isg_dataset_impute(&full, *data, rbm, &options, progress_callback(&bar));
    progress_finish(&bar);
    if (status != ISG_OK)
        return fail_status(status);
    isg_dataset_free(*data);
    *data = full;
    return EXIT_DONE;
}

exit_code data_refuse_impute(const data_settings *settings) {
    return settings->how.missing != ISG_MISSING_IMPUTE
               ? EXIT_DONE
               : fail(EXIT_MISUSED, "--missing impute: needs a model to draw from; use --missing "
                                    "majority, or complete the data with 'isinglass impute'");
}

exit_code data_refuse_most(const invocation *call, const char *what, const char *except) {
    static const char *const names[] = {"labels",    "label-column", "id-column", "ignore-columns",
                                        "header",    "transpose",    "one-hot",   "binarize",
                                        "threshold", "scale",        "missing",   "drop-constant",
                                        "class",     "limit"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (call_has_option(call, names[k]) && !(except && strcmp(names[k], except) == 0))
            return fail(EXIT_MISUSED, "--%s: needs %s", names[k], what);
    return EXIT_DONE;
}

exit_code data_refuse_options(const invocation *call, const char *what) {
    return data_refuse_most(call, what, NULL);
}
