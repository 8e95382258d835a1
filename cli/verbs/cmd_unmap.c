/* cmd_unmap.c - isinglass unmap: from an RBM back to the patterns of a Hopfield network
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/data_input.h"
#include "cli/log_z_text.h"
#include "cli/model_input.h"
#include "cli/pictures.h"
#include "cli/progress.h"

typedef struct unmap_settings {
    data_settings data;
    const char *out, *picture, *start, *data_name;
    isg_unmap_options how;
    double beta; /* of the recovered network; NaN: the model's */
} unmap_settings;

static void defaults(void *settings) {
    *(unmap_settings *)settings =
        (unmap_settings){.data = data_defaults(), .how = isg_unmap_defaults(), .beta = (double)NAN};
}

static const char *const method_choices[] = {"descent", "relax", "enumerate", "capture", NULL};
static const char *const mixing_names[] = {"jumps", "tempering", "data"}; /* isg_mixing */
static const char *const start_choices[] = {"random", NULL};
static const char *const verdicts[] = {"exact", "approximate", "none"};

/* The options given to the library, and its results. */
typedef struct unmapped {
    isg_rbm *rbm;
    isg_patterns *start;
    isg_dataset *data;
    isg_integrated whole; /* the spins alone */
    double *sigma;        /* (n_sigma) */
    double *field;        /* b + W c (n_visible) */
    size_t n_sigma;
    isg_unmapping *result;
    isg_unmap_report report;
    isg_likelihood likelihood; /* of the recovered network; NaN without data */
    double recall;
} unmapped;

/* ---- finding out -------------------------------------------------------------------------------- */

static bool is_random(const unmap_settings *settings) {
    return settings->start && strcmp(settings->start, "random") == 0;
}

static exit_code check(const invocation *call) {
    const unmap_settings *settings = call->settings;
    static const char *const of_capture[] = {"samples", "patterns", "near-data"};
    exit_code code = settings->data_name ? EXIT_DONE : data_refuse_options(call, "--data");
    for (size_t k = 0; code == EXIT_DONE && k < 3; k++)
        if (settings->how.method != ISG_UNMAP_CAPTURE && call_has_option(call, of_capture[k]))
            code = fail(EXIT_MISUSED, "--%s: needs --method capture", of_capture[k]);
    if (code == EXIT_DONE && !settings->data_name && settings->how.stay)
        code = fail(EXIT_MISUSED, "--near-data: needs --data, where the chains start");
    if (code == EXIT_DONE && settings->how.method == ISG_UNMAP_CAPTURE && settings->how.flip)
        code = fail(EXIT_MISUSED, "--flip: cannot be used with --method capture, which flips units "
                                  "for likelihood, not for stability");
    if (code == EXIT_DONE && !settings->data_name && call_has_option(call, "beta"))
        code = fail(EXIT_MISUSED, "--beta: needs --data, whose likelihood is at this beta");
    if (code == EXIT_DONE)
        code = may_write(&call->common, settings->out, ".npz");
    if (code == EXIT_DONE && settings->picture)
        code = may_write_picture(&call->common, settings->picture);
    return code;
}

static exit_code load(unmapped *my, const invocation *call) {
    const unmap_settings *settings = call->settings;
    const char *name = call->arguments[0];
    exit_code code = model_load(&my->rbm, name);
    if (code != EXIT_DONE)
        return code;
    const isg_rbm_info info = isg_rbm_describe(my->rbm);
    if (settings->how.count > info.n_visible)
        return fail(EXIT_MISUSED, "--patterns: %zu patterns of %zu units cannot be independent",
                    settings->how.count, info.n_visible);
    if (settings->picture)
        code = check_picture(name, info.n_visible, info.image_height, info.image_width);
    if (code != EXIT_DONE)
        return code;
    if (settings->start && !is_random(settings)) {
        code = fail_status(isg_patterns_load(&my->start, settings->start));
        if (code != EXIT_DONE)
            return code;
        const isg_patterns_info found = isg_patterns_describe(my->start);
        if (found.n_visible != info.n_visible)
            return fail(
                EXIT_BAD_INPUT, "%s: has patterns of %zu unit%s, but %s has %zu visible ones",
                settings->start, found.n_visible, plural(found.n_visible), name, info.n_visible);
        if (settings->how.method == ISG_UNMAP_CAPTURE && settings->how.count > 0 &&
            settings->how.count != found.n_patterns)
            return fail(EXIT_MISUSED,
                        "--patterns: with --start there are as many as in its file, %zu, not %zu",
                        found.n_patterns, settings->how.count);
        if (settings->how.method != ISG_UNMAP_ENUMERATE && found.n_patterns != info.n_hidden)
            return fail(EXIT_BAD_INPUT,
                        "%s: has %zu pattern%s, but %s needs one for each of its %zu hidden units",
                        settings->start, found.n_patterns, plural(found.n_patterns), name,
                        info.n_hidden);
    }
    if (settings->data_name) {
        code = data_load(&my->data, call, settings->data_name, &settings->data,
                         model_encoding(call, name, isg_rbm_encoding(my->rbm)));
        if (code == EXIT_DONE && isg_dataset_describe(my->data).n_visible != info.n_visible)
            code = fail(EXIT_BAD_INPUT, "%s: has %zu unit%s, but %s has %zu visible ones",
                        settings->data_name, isg_dataset_describe(my->data).n_visible,
                        plural(isg_dataset_describe(my->data).n_visible), name, info.n_visible);
        if (code == EXIT_DONE)
            code = data_impute(&my->data, call, my->rbm, false);
    }
    return code;
}

static exit_code integrate(unmapped *my) {
    const isg_rbm_info info = isg_rbm_describe(my->rbm);
    my->n_sigma = info.n_visible < info.n_hidden ? info.n_visible : info.n_hidden;
    my->sigma = memory_allocate(my->n_sigma, sizeof *my->sigma);
    my->field = memory_allocate(info.n_visible, sizeof *my->field);
    if (!my->sigma || !my->field)
        return fail_memory();
    return fail_status(isg_rbm_integrate(my->rbm, &my->whole, my->sigma, my->field));
}

static exit_code unmap(unmapped *my, const invocation *call) {
    const unmap_settings *settings = call->settings;
    isg_unmap_options options = settings->how;
    options.start = is_random(settings) ? ISG_UNMAP_FROM_RANDOM
                    : my->start         ? ISG_UNMAP_FROM_PATTERNS
                                        : ISG_UNMAP_FROM_MODEL;
    options.patterns = my->start;
    options.data = my->data;
    options.seed = call->common.seed;
    if (options.method == ISG_UNMAP_ENUMERATE && my->whole.n_hidden > 24)
        notice(call->common.quiet,
               "%s: %zu hidden units are too many to enumerate (24 at most): relaxing %zu random "
               "states a pattern%s instead",
               call->arguments[0], my->whole.n_hidden, options.restarts,
               my->data ? " and as many rows of --data" : "");
    progress bar;
    progress_start(&bar, call->common.quiet, "searching");
    const isg_status status = isg_unmap(&my->result, my->rbm, &options, progress_callback(&bar));
    progress_finish(&bar);
    if (status == ISG_ERR_DEPENDENT)
        return fail(EXIT_BAD_INPUT, "%s: %s", call->arguments[0], isg_error_message());
    if (status == ISG_OK)
        my->report = isg_unmapping_describe(my->result);
    return call_fail_status(call, status);
}

/* As 'isinglass recall' does. */
static void remark_on_recall(const invocation *call, isg_recall_summary found) {
    const unmap_settings *settings = call->settings;
    if (!found.has_accuracy)
        notice(call->common.quiet,
               "%s: none of its classes is a class of the patterns found, so there is no recall",
               settings->data_name);
    else if (found.n_foreign > 0)
        notice(call->common.quiet, "%s: samples of classes without a pattern count as wrong: %zu",
               settings->data_name, found.n_foreign);
}

/* The likelihood of the data under the recovered network, mapped again, and how many of them it recalls.
   The patterns replace J only: the field that the RBM leaves to its spins stays. */
static exit_code judge(unmapped *my, const invocation *call) {
    const unmap_settings *settings = call->settings;
    const isg_patterns *patterns = isg_unmapping_patterns(my->result);
    isg_mapping_options mapping = isg_mapping_defaults();
    const log_z_settings scoring = {.how = isg_log_z_defaults()};
    const isg_log_z_options how = log_z_options(call, &scoring, my->data);
    isg_recall_options recalling = isg_recall_defaults(ISG_RECALL_PUBLISHED);
    isg_rbm *network = NULL;
    isg_recall *recall = NULL;
    my->likelihood.value = my->likelihood.error = my->recall = (double)NAN;
    if (!my->data)
        return EXIT_DONE;
    mapping.beta = isnan(settings->beta) ? isg_rbm_describe(my->rbm).beta : settings->beta;
    mapping.field = my->whole.has_field ? my->field : NULL;
    mapping.allow_rank_deficient = recalling.allow_rank_deficient = true;
    recalling.seed = call->common.seed;
    progress bar;
    progress_start(&bar, call->common.quiet, "scoring the network");
    isg_status status = isg_rbm_from_patterns(&network, patterns, &mapping, NULL);
    if (status == ISG_OK)
        status =
            isg_rbm_score(network, my->data, &how, &my->likelihood, NULL, progress_callback(&bar));
    progress_finish(&bar);
    if (status == ISG_OK && isg_dataset_labels(my->data) &&
        isg_patterns_describe(patterns).has_labels) {
        progress_start(&bar, call->common.quiet, "recalling");
        status = isg_recall_run(&recall, patterns, my->data, &recalling, progress_callback(&bar));
        progress_finish(&bar);
        if (status == ISG_OK) {
            my->recall = isg_recall_describe(recall).accuracy;
            remark_on_recall(call, isg_recall_describe(recall));
        }
    }
    isg_recall_free(recall);
    isg_rbm_free(network);
    return fail_status(status);
}

static exit_code write_files(const unmapped *my, const invocation *call) {
    const unmap_settings *settings = call->settings;
    if (settings->picture) {
        const isg_patterns *known = my->start ? my->start : isg_rbm_patterns(my->rbm);
        const exit_code code = draw_unmapping(settings->picture, my->result, my->rbm, known);
        if (code != EXIT_DONE)
            return code;
    }
    return fail_status(isg_patterns_save(isg_unmapping_patterns(my->result), settings->out,
                                         call->common.seed, call->command_line));
}

/* ---- saying it ---------------------------------------------------------------------------------- */

typedef struct pattern_row {
    const char *label;
    isg_unmapped_pattern found;
    size_t same_as; /* SIZE_MAX: no other */
    bool condition_a, condition_b, has_conditions;
    char note[40];
} pattern_row;

typedef struct state_counts {
    size_t fixed, without_diagonal, stable;
} state_counts;

typedef struct unmap_result {
    const char *file, *picture, *model, *start, *from, *mixing;
    isg_unmap_report report;
    size_t flips; /* SIZE_MAX: not learned */
    isg_integrated integrated;
    double beta, share; /* of the residual of a random W */
    state_counts projector, model_counts;
    bool is_network, is_full, lacks_patterns, has_repeats, is_dependent;
    isg_likelihood likelihood;
    double network_beta, recall;
    bool is_learned, is_untrusted;
    double smallest, largest; /* singular values */
    pattern_row *rows;        /* n_patterns */
    result_list patterns, singular_values;
} unmap_result;

static void count_state(state_counts *counts, const isg_unmapped_state *state) {
    counts->fixed += state->is_fixed_point;
    counts->without_diagonal += state->is_fixed_point_without_diagonal;
    counts->stable += state->is_stable;
}

static exit_code list_patterns(unmap_result *out, const unmapped *my) {
    const size_t m = my->report.n_patterns, n = my->report.n_visible;
    out->rows = memory_allocate(m, sizeof *out->rows);
    if (!out->rows)
        return fail_memory();
    for (size_t mu = 0; mu < m; mu++) {
        const isg_unmapped_pattern found = isg_unmapping_pattern(my->result, mu);
        const bool is_repeated = found.same_as != mu;
        out->rows[mu] =
            (pattern_row){.label = isg_patterns_label(isg_unmapping_patterns(my->result), mu),
                          .found = found,
                          .same_as = is_repeated ? found.same_as : SIZE_MAX,
                          .condition_a = found.n_small == n,
                          .condition_b = found.n_compatible == n,
                          .has_conditions = found.n_left_over == 0};
        if (is_repeated)
            snprintf(out->rows[mu].note, sizeof out->rows[mu].note, "  same as %zu", found.same_as);
        count_state(&out->projector, &found.projector);
        count_state(&out->model_counts, &found.model);
    }
    out->patterns = (result_list){out->rows, m, sizeof *out->rows};
    return EXIT_DONE;
}

static exit_code show(const unmapped *my, const invocation *call) {
    const unmap_settings *settings = call->settings;
    const isg_unmap_report *report = &my->report;
    const isg_integrated *whole = &my->whole;
    const bool is_random = report->start == ISG_UNMAP_FROM_RANDOM;
    const bool is_given = report->start == ISG_UNMAP_FROM_PATTERNS;
    const bool is_clustered = report->start == ISG_UNMAP_FROM_CLUSTERS;
    const bool is_learned = report->method == ISG_UNMAP_CAPTURE;
    unmap_result out = {.file = settings->out,
                        .picture = settings->picture,
                        .model = call->arguments[0],
                        .start = is_given                             ? "patterns"
                                 : is_clustered                       ? "clusters"
                                 : is_random && report->is_exhaustive ? "all"
                                 : is_random                          ? "random"
                                                                      : "model",
                        .from = is_given       ? "the patterns given (X0 = W^+ xi)"
                                : is_clustered ? "clusters of the samples"
                                : isg_rbm_coefficients(my->rbm).data ? "the model's R (X0 = R)"
                                : isg_rbm_patterns(my->rbm) ? "the model's patterns (X0 = W^+ xi)"
                                                            : "the columns of W",
                        .report = *report,
                        .integrated = *whole,
                        .beta = isg_rbm_describe(my->rbm).beta,
                        .share = report->residual / report->random_baseline,
                        .is_network = whole->orthogonality_error < 1e-9 || whole->is_hebbian,
                        .is_full = report->n_hidden == report->n_visible,
                        .lacks_patterns = report->n_patterns < report->n_hidden,
                        .has_repeats = report->n_distinct < report->n_patterns,
                        .is_dependent = report->n_distinct == report->n_patterns &&
                                        report->rank < report->n_patterns,
                        .likelihood = my->likelihood,
                        .network_beta = !my->data               ? (double)NAN
                                        : isnan(settings->beta) ? isg_rbm_describe(my->rbm).beta
                                                                : settings->beta,
                        .recall = my->recall,
                        .is_learned = is_learned,
                        .flips = is_learned ? report->flips : SIZE_MAX,
                        .mixing = is_learned ? mixing_names[report->mixing] : NULL,
                        .is_untrusted = my->data && !my->likelihood.is_trusted,
                        .smallest = my->sigma[my->n_sigma - 1],
                        .largest = my->sigma[0],
                        .singular_values = {my->sigma, my->n_sigma, sizeof *my->sigma}};
    const exit_code code = list_patterns(&out, my);
    if (code == EXIT_DONE)
        result_show(call, &out);
    memory_release(out.rows);
    return code;
}

/* ---- the verb ----------------------------------------------------------------------------------- */

static exit_code run(const invocation *call) {
    unmapped my = {0};
    exit_code code = check(call);
    if (code == EXIT_DONE)
        code = load(&my, call);
    if (code == EXIT_DONE)
        code = integrate(&my);
    if (code == EXIT_DONE)
        code = unmap(&my, call);
    if (code == EXIT_DONE)
        code = judge(&my, call);
    if (code == EXIT_DONE)
        code = write_files(&my, call);
    if (code == EXIT_DONE)
        code = show(&my, call);
    isg_unmapping_free(my.result);
    isg_patterns_free(my.start);
    isg_dataset_free(my.data);
    isg_rbm_free(my.rbm);
    memory_release(my.sigma);
    memory_release(my.field);
    return code;
}

/* clang-format off */
static const argument_entry arguments[] = {
    {.name = "M.npz", .help = "RBM written by 'isinglass map' or 'isinglass train', or the RUN of "
                              "a training", .is_file = true},
    {.name = NULL},
};

static const option_entry options[] = {
    {.name = "output", .letter = 'o', .kind = OPTION_FILE, .metavar = "P.npz", .is_required = true,
     .offset = offsetof(unmap_settings, out), .help = "Write the patterns to this file"},
    {.name = "method", .kind = OPTION_CHOICE, .metavar = "HOW", .choices = method_choices,
     .offset = offsetof(unmap_settings, how.method),
     .help = "The paper's descent; b <- sgn(Pb) until b stays, where P is the projector on the "
             "span of W; this from all 2^(p-1) states that can matter; or capture, the patterns whose "
             "network is nearest to the RBM, learned from samples of it"},
    {.name = "start", .kind = OPTION_FILE, .metavar = "P0.npz|random", .choices = start_choices,
     .offset = offsetof(unmap_settings, start), .otherwise = "the model's R, else random",
     .help = "Where descent and relax start: patterns, one per hidden unit, or random states"},
    {.name = "patterns", .kind = OPTION_SIZE, .metavar = "P", .low = 1, .high = HUGE_VAL,
     .offset = offsetof(unmap_settings, how.count), .otherwise = "one per hidden unit",
     .help = "Capture: any number of patterns; another than the usual starts from clusters of the samples"},
    {.name = "samples", .kind = OPTION_SIZE, .metavar = "M", .low = 1, .high = 1e7,
     .offset = offsetof(unmap_settings, how.samples),
     .help = "Capture: samples of the RBM, drawn by chains that change modes (see 'sample --jump')"},
    {.name = "near-data", .kind = OPTION_FLAG, .offset = offsetof(unmap_settings, how.stay),
     .help = "Capture: draw them by chains that start at --data and stay in its modes instead"},
    {.name = "restarts", .kind = OPTION_SIZE, .metavar = "R", .low = 1,
     .high = 1e6, .offset = offsetof(unmap_settings, how.restarts),
     .help = "Number of random states per pattern, with random starts"},
    {.name = "data", .kind = OPTION_FILE, .metavar = "DATA", .choices = data_names,
     .offset = offsetof(unmap_settings, data_name), .otherwise = "none",
     .help = "Score the recovered network, with the field b + Wc if the model has one, with these samples "
             "and, if they and the patterns have labels, let it recall them; with random starts, also start from them, evenly spread and at most as "
             "many"},
    {.name = "beta", .kind = OPTION_DOUBLE, .metavar = "B", .low = 1e-30, .high = 1e30,
     .offset = offsetof(unmap_settings, beta), .otherwise = "that of the model",
     .help = "Inverse temperature of the recovered network, for --data"},
    {.name = "alpha", .kind = OPTION_DOUBLE, .metavar = "A", .low = 0,
     .high = HUGE_VAL, .is_above_low = true, .offset = offsetof(unmap_settings, how.alpha),
     .help = "Descent: replace sgn(x) by tanh(A x)"},
    {.name = "gamma", .kind = OPTION_DOUBLE, .metavar = "G", .low = 0,
     .high = HUGE_VAL, .is_above_low = true, .offset = offsetof(unmap_settings, how.gamma),
     .help = "Descent: size of a step"},
    {.name = "steps", .kind = OPTION_SIZE, .metavar = "T", .low = 0,
     .high = 1e9, .offset = offsetof(unmap_settings, how.steps), .help = "Descent: number of steps"},
    {.name = "flip", .kind = OPTION_FLAG, .offset = offsetof(unmap_settings, how.flip),
     .help = "At the end, flip single spins while this lowers the residual; all patterns become "
             "stable"},
    {.name = "picture", .kind = OPTION_FILE, .metavar = "FILE.png|.svg",
     .offset = offsetof(unmap_settings, picture), .otherwise = "no picture",
     .help = "Also draw the known patterns, if any, above WX above the patterns found; if they are "
             "no images, the units of these that vary most, with names (with gnuplot)"},
    DATA_OPTIONS(unmap_settings, data),
    {.name = NULL},
};

#define IS(field, what)            RESULT(unmap_result, field, what)
#define HIDDEN(field)              RESULT_HIDDEN(unmap_result, field)
#define REPORT(field, name, what)  RESULT_AS(unmap_result, report.field, name, what)
#define WHOLE(field, name, what)   RESULT_AS(isg_integrated, field, name, what)
#define PATTERN(field, name, what) RESULT_AS(pattern_row, found.field, name, what)

static const result_entry state_results[] = {
    RESULT_AS(isg_unmapped_state, is_fixed_point, "fixed_point", NULL),
    RESULT_AS(isg_unmapped_state, is_fixed_point_without_diagonal, "fixed_point_without_diagonal", NULL),
    RESULT_AS(isg_unmapped_state, is_stable, "stable", NULL), {.key = NULL}};

static const result_entry pattern_results[] = {
    RESULT(pattern_row, label, "class, or null"),
    PATTERN(residual, "residual", "its part of the residual"),
    PATTERN(error, "error", "its part of the square of the error"),
    PATTERN(projector.is_fixed_point, "fixed_point",
            "whether sgn(Pb) = b, P the projector on the span of W"),
    PATTERN(projector.is_fixed_point_without_diagonal, "fixed_point_without_diagonal",
            "the same with P_ii = 0"),
    PATTERN(projector.is_stable, "stable", "whether every single flip raises the energy there"),
    PATTERN(bits_changed, "bits_changed", "spins that differ from the known pattern, or null"),
    PATTERN(known, "known", "number of that known pattern, or null"),
    RESULT(pattern_row, same_as, "number of an earlier equal pattern, or null"),
    {.kind = RESULT_OBJECT, .key = "model", .offset = offsetof(pattern_row, found.model),
     .of = state_results, .help = "the same for J = WW' with the field"},
    RESULT(pattern_row, condition_a, "whether |JE| < |WX| at all units (appendix D)"),
    RESULT(pattern_row, condition_b, "whether JE and WX have opposite signs at all units"),
    PATTERN(n_left_over, "units_without_condition", "units at which neither holds"),
    RESULT_HIDDEN(pattern_row, has_conditions),
    {.kind = RESULT_CHARS, .key = "note", .offset = offsetof(pattern_row, note), .is_private = true},
    {.key = NULL}};

static const result_entry counts_results[] = {
    RESULT(state_counts, fixed, NULL), RESULT(state_counts, without_diagonal, NULL),
    RESULT(state_counts, stable, NULL), {.key = NULL}};
#define COUNTS(of)                                                                                 \
    "{" of ".fixed} of {n_patterns} fixed, {" of ".without_diagonal} without diagonal, {" of ".stable} stable"

static const result_entry whole_results[] = {
    WHOLE(orthogonality_error, "orthogonality_error", "largest absolute entry of W'W - 1"),
    WHOLE(orthogonal_distance, "orthogonal_distance", "|W - L| from the nearest orthonormal matrix"),
    WHOLE(correction, "correction", "|C - UU'|, or null if W does not have full rank"),
    WHOLE(is_binary, "binary", "whether every column of W is a number times a pattern"),
    WHOLE(is_hebbian, "hebbian", "whether it is the same number for all"),
    WHOLE(hebbian_beta, "hebbian_beta", "beta of the Hebbian network that the RBM then is, or null"),
    WHOLE(has_field, "field", "whether the field b + Wc is not zero"),
    {.key = NULL}};

static const result_entry results[] = {
    IS(file, "the file written"),
    IS(picture, "the picture, or null"),
    RESULT_ENUM(unmap_result, report.method, "method", method_choices, "descent, relax, enumerate or capture"),
    IS(start, "model, patterns, random, clusters (capture), or all if every start was tried"),
    REPORT(n_visible, "n_visible", "number of visible units"),
    REPORT(n_hidden, "n_hidden", "number of hidden units"),
    REPORT(n_patterns, "n_patterns", "number of patterns found"),
    REPORT(n_distinct, "distinct", "number of them that differ, up to sign"),
    REPORT(rank, "rank", "number of them that are linearly independent"),
    REPORT(n_starts, "starts", "states relaxed or descended from"),
    REPORT(n_candidates, "candidates",
           "different results that the patterns were chosen from, or 0 if there was no choice"),
    REPORT(is_exhaustive, "exhaustive", "whether every start was tried"),
    REPORT(residual, "residual", "sum of squares |WX - B|^2 at the best X"),
    REPORT(error, "error", "|WX - sgn(WX)| at the X found, the root of a sum of squares"),
    REPORT(residual_before, "residual_before", "the same at X0, or null"),
    REPORT(error_before, "error_before", "the same at X0, or null"),
    REPORT(sign_baseline, "sign_baseline", "mean residual of random signs"),
    REPORT(random_baseline, "random_baseline", "residual that the same search finds for a random W"),
    REPORT(capture_before, "capture_before",
           "capture: mean share of a sample of the RBM in the span of the patterns at the start, or null"),
    REPORT(capture, "capture", "the same of the patterns found, or null"),
    IS(flips, "capture: number of single units flipped, or null"),
    IS(mixing, "capture: how the samples were drawn: by jumps or tempering, or near the data; or null"),
    RESULT_AS(unmap_result, likelihood.value, "log_likelihood",
              "with --data: L per sample of the recovered network with the field b + Wc, mapped again, or null"),
    RESULT_AS(unmap_result, likelihood.error, "log_likelihood_error", "its error, or null"),
    RESULT_AS(unmap_result, likelihood.is_trusted, "log_likelihood_trusted", "whether there is one and its ln Z is trusted"),
    RESULT_AS(unmap_result, network_beta, "network_beta", "inverse temperature of that network, or null"),
    IS(recall, "share of the samples that it recalls by the published protocol, without a field, or null"),
    RESULT_ENUM(unmap_result, report.verdict, "binarization", verdicts, "exact, approximate or none"),
    RESULT_LIST_OF(unmap_result, patterns, pattern_results, NULL),
    RESULT_LIST_OF(unmap_result, singular_values, result_numbers, "of W, falling"),
    RESULT_STRUCT(unmap_result, integrated, whole_results, NULL),
    HIDDEN(model), HIDDEN(beta), HIDDEN(smallest), HIDDEN(largest), HIDDEN(from), HIDDEN(share),
    HIDDEN(is_network), HIDDEN(is_full), HIDDEN(lacks_patterns), HIDDEN(has_repeats), HIDDEN(is_dependent),
    HIDDEN(is_learned), HIDDEN(is_untrusted),
    {.kind = RESULT_OBJECT, .key = "in_projector", .of = counts_results, .is_private = true,
     .offset = offsetof(unmap_result, projector)},
    {.kind = RESULT_OBJECT, .key = "in_model", .of = counts_results, .is_private = true,
     .offset = offsetof(unmap_result, model_counts)},
    {.label = "model", .text = "{model}: {n_visible} visible, {n_hidden hidden unit}, beta {beta}"},
    {.label = "J = WW'", .text = "singular values of W {smallest:.4g} to {largest:.4g}, |W'W - 1| "
                                 "{integrated.orthogonality_error:.1e}"},
    {.label = "nearest projector",
     .text = "|W - L| {integrated.orthogonal_distance:.3g}, L = UV'; |C - UU'| "
             "{integrated.correction:.3g}, C = US^-2U'"},
    {.when = "integrated.hebbian", .label = "W is binary",
     .text = "the Hebbian network of its signs at beta {integrated.hebbian_beta}"},
    {.when = "integrated.binary&!integrated.hebbian", .label = "W is binary",
     .text = "but its columns differ in size: a weighted Hebbian rule"},
    {.when = "integrated.field", .label = "field", .text = "b + Wc is not zero"},
    {.when = "exhaustive", .label = "method",
     .text = "{method}: all {starts start}, {candidates different limit}"},
    {.when = "!exhaustive&start=random", .label = "method",
     .text = "{method}: {starts start}, {candidates different result}"},
    {.when = "is_learned", .label = "captured",
     .text = "{capture:.4f} of samples of the model, {capture_before:.4f} at the start, {flips flip}"},
    {.when = "is_learned&mixing=data", .label = "samples",
     .text = "of chains from the data, which stay in its modes"},
    {.when = "is_learned&!mixing=data", .label = "samples",
     .text = "of chains that change modes, by {mixing}"},
    {.when = "!exhaustive&!start=random", .label = "method",
     .text = "{method}, from {from}"},
    {.when = "error_before", .label = "|E|",
     .text = "{error:.5g}, was {error_before:.5g} (E = WX - sgn(WX))"},
    {.when = "!error_before", .label = "|E|", .text = "{error:.5g} (E = WX - sgn(WX))"},
    {.label = "residual", .text = "{residual:.5g}; of random signs {sign_baseline:.5g}, found for a "
                                  "random W {random_baseline:.5g}"},
    {.when = "binarization=exact", .label = "binarization",
     .text = "exact: WX = B, J{is_network: is|'s span is that of} a Hopfield network"},
    {.when = "binarization=approximate", .label = "binarization",
     .text = "approximate: {share:.3g} of the residual of a random W"},
    {.when = "binarization=none&is_learned", .label = "binarization",
     .text = "none: the residual is {share:.3g} of that of a random W; the network is not that of W"},
    {.when = "binarization=none&!is_learned", .label = "binarization",
     .text = "none found: the residual is {share:.3g} of that of a random W, so these patterns "
             "mean nothing"},
    {.when = "log_likelihood", .label = "as a network",
     .text = "L {log_likelihood:.3f} +- {log_likelihood_error:.2g} at beta {network_beta}"
             "{integrated.field:, with the field b + Wc|}{is_untrusted: (ln Z is not trusted)|}"},
    {.when = "recall", .label = "recall", .text = "{recall:%.2f} % of the data by the published protocol"},
    {.when = "is_full", .label = "beware",
     .text = "with as many hidden as visible units, every state lies in the span of W, so any "
             "patterns fit"},
    {.when = "lacks_patterns", .label = "beware",
     .text = "only {n_patterns independent pattern} for {n_hidden hidden unit}"},
    {.when = "has_repeats", .label = "beware",
     .text = "only {distinct} of {n_patterns pattern} differ, up to sign"},
    {.when = "is_dependent", .label = "beware",
     .text = "the patterns are linearly dependent, of rank {rank}"},
    {.when = "picture", .label = "picture", .text = "{picture}"},
    {.label = "file", .text = "{file}"},
    {.label = "in the projector", .text = COUNTS("in_projector")},
    {.label = "in the model", .text = COUNTS("in_model")},
    {.each = "patterns",
     .heading = "\n pattern label        residual  changed  fixed  no diag stable conditions",
     .text = "{#:8} {label:-10.10} {residual:10.4g} {bits_changed:8} {fixed_point:6} "
             "{fixed_point_without_diagonal:8} {stable:6} {has_conditions:       met|   not met}"
             "{note}"},
    {.key = NULL}};

static const example examples[] = {
    {"isinglass unmap run/model.npz -o learned.npz", "Show what training made of the patterns."},
    {"isinglass unmap run -o learned.npz --picture learned.png",
     "The same as a picture, as in Fig. D.1 of the paper."},
    {"isinglass unmap model.npz -o found.npz --method enumerate",
     "Find the best patterns in the span of W, without a start."},
    {"isinglass unmap run -o near.npz --method capture --data mnist:train",
     "The patterns of the network that is nearest to the model, and what it is worth."},
    {"isinglass unmap model.npz -o found.npz --start random --restarts 200",
     "Start from random states."},
    {NULL, NULL},
};
/* clang-format on */

const command command_unmap = {
    .name = "unmap",
    .section = "Models",
    .summary = "Map an RBM back to the patterns of a Hopfield network",
    .description =
        "With its hidden units integrated out, an RBM is a network of spins with couplings J = "
        "WW' and field b + Wc. It is exactly a Hopfield network if W is binary (Hebbian), or "
        "if the singular values of W are 1 and WX is binary for some X (projection). In "
        "general, unmap searches for an X that makes WX nearly binary; the signs B of WX are "
        "the patterns.\n"
        "For a given B, the best X leaves the residual |B - PB|^2, where P is the projector on "
        "the span of W. relax lowers it by b <- sgn(Pb), for each pattern from its start and "
        "from the result of descent, and keeps the lower; the result is a fixed point of the "
        "projection network. descent is the gradient descent of the paper on X, with sgn "
        "replaced by tanh. enumerate relaxes from every sign vector on p well-chosen units, "
        "for p at most 24 hidden units, and selects p patterns with small residuals that are "
        "far from dependent; for more hidden units it relaxes patterns, samples and random "
        "states.\n"
        "capture looks for another network: the projection network under which samples of the "
        "model are "
        "most probable. It draws samples by chains that change modes, and learns patterns from "
        "these, as "
        "'patterns --learn' does from data. Its residual is larger than that of relax, its "
        "likelihood "
        "higher: a small residual only says that a network has the model's span. Contrastive "
        "divergence "
        "gives modes wrong weights, and mixing chains show these; with --near-data the network "
        "learns what "
        "the model makes of each sample, in the proportions of the data.\n"
        "The residual is compared with what the same search finds for random W of the same "
        "size. exact means zero up to rounding; none means more than 0.8 of the random "
        "residual, or not below all random ones. Patterns found without a start of their own "
        "take the order and labels of the nearest known patterns, even if these are not very "
        "near: see bits changed.\n"
        "With --data, the recovered network has the projection rule of its patterns for J and the "
        "field b + Wc of the model, unchanged; P.npz holds the patterns alone.\n"
        "P.npz has the format that 'isinglass patterns' writes.",
    .arguments = arguments,
    .options = options,
    .results = results,
    .examples = examples,
    .settings_bytes = sizeof(unmap_settings),
    .defaults = defaults,
    .run = run,
};
