/* cmd_patterns.c - isinglass patterns: class patterns and sub-patterns of a data set
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>

#include "base/elementary.h"
#include "base/number.h"
#include "cli/allocation.h"
#include "cli/data_input.h"
#include "cli/pictures.h"
#include "cli/progress.h"
#include "cli/starts.h"

typedef struct patterns_settings {
    data_settings data;
    const char *out, *table, *picture;
    size_t top;
    isg_pattern_options how;
    const char *from; /* --patterns */
    bool is_random, is_learned;
    isg_learn_options learning;
    double beta;
} patterns_settings;

static void defaults(void *settings) {
    *(patterns_settings *)settings = (patterns_settings){.data = data_defaults(),
                                                         .how = isg_pattern_defaults(),
                                                         .top = 10,
                                                         .learning = isg_learn_defaults(),
                                                         .beta = 2};
}

typedef struct pattern_row {
    const char *label; /* NULL if it has none */
    size_t members, positive;
} pattern_row;

/* A unit that tells a pattern from the others. */
typedef struct marker {
    size_t pattern, rank, unit;
    const char *label, *name; /* NULL if unknown */
    double weight, share_in_class, share_in_rest;
} marker;

typedef struct patterns_result {
    const char *file, *table, *picture;
    isg_patterns_info info;
    size_t rank, mu, nu; /* mu and nu have the largest overlap */
    double max_overlap;
    bool is_dependent, is_sampled, has_members;
    size_t ward_sample;
    char dependence[256], checksum[65];
    pattern_row *rows; /* n_patterns */
    marker *markers;   /* (n_patterns, top) */
    double *shares;    /* (n_visible, n_patterns) of +1 in the samples of each pattern */
    size_t top;        /* for each pattern; 0: not asked for */
    isg_learning learned;
    double ceiling, beta, bound;
    bool is_learned, is_unfinished;
    result_list patterns, positive, labels, members, distinctive;
} patterns_result;

static exit_code list_patterns(patterns_result *my, const isg_patterns *patterns) {
    const size_t p = my->info.n_patterns, bytes = sizeof *my->rows;
    my->rows = memory_allocate(p, bytes);
    if (!my->rows)
        return fail_memory();
    for (size_t mu = 0; mu < p; mu++)
        my->rows[mu] =
            (pattern_row){isg_patterns_label(patterns, mu), isg_patterns_members(patterns, mu),
                          isg_patterns_positive(patterns, mu)};
    for (size_t mu = 0; mu < p; mu++)
        my->has_members = my->has_members || my->rows[mu].members > 0;
    my->patterns = (result_list){my->rows, p, bytes};
    my->positive = (result_list){&my->rows->positive, p, bytes};
    my->labels = (result_list){&my->rows->label, p, bytes};
    my->members = (result_list){&my->rows->members, p, bytes};
    return EXIT_DONE;
}

static exit_code look(patterns_result *my, const isg_patterns *patterns) {
    my->info = isg_patterns_describe(patterns);
    my->max_overlap = (double)NAN;
    for (size_t mu = 0; mu < my->info.n_patterns; mu++)
        for (size_t nu = 0; nu < mu; nu++) {
            const double overlap = isg_patterns_overlap(patterns, nu, mu);
            if (mu == 1 || overlap > my->max_overlap) {
                my->max_overlap = overlap;
                my->mu = nu;
                my->nu = mu;
            }
        }
    exit_code code = fail_status(isg_patterns_checksum(patterns, my->checksum));
    if (code == EXIT_DONE)
        code = fail_status(
            isg_patterns_rank(patterns, &my->rank, my->dependence, sizeof my->dependence));
    my->is_sampled = my->info.n_sampled > 0;
    my->is_dependent = my->rank < my->info.n_patterns;
    return code == EXIT_DONE ? list_patterns(my, patterns) : code;
}

/* ---- what is distinctive -------------------------------------------------------------------------- */

/* The largest weight first, then the first unit; of a pattern, all weights are known, or none is. */
static int compare(const void *left, const void *right) {
    const marker *a = left, *b = right;
    if (!isnan(a->weight) && a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->unit < b->unit ? -1 : a->unit > b->unit;
}

/* The units of one pattern, by their weight, which is NaN if no sample is of another pattern; all (n_visible) is
   scratch. */
static void rank_units(marker *all, size_t mu, const isg_patterns *patterns, isg_matd_view shares,
                       const size_t *sizes) {
    for (size_t i = 0; i < shares.rows; i++) {
        const double *share = shares.data + i * shares.stride;
        double ups = 0;
        size_t rest = 0;
        for (size_t nu = 0; nu < shares.cols; nu++)
            if (nu != mu && sizes[nu] > 0) {
                ups += share[nu] * (double)sizes[nu];
                rest += sizes[nu];
            }
        all[i] = (marker){.pattern = mu,
                          .unit = i,
                          .label = isg_patterns_label(patterns, mu),
                          .name = isg_encoding_unit_name(isg_patterns_encoding(patterns), i),
                          .share_in_class = share[mu],
                          .share_in_rest = rest > 0 ? round(ups) / (double)rest : (double)NAN};
        all[i].weight = all[i].share_in_class - all[i].share_in_rest;
    }
    qsort(all, shares.rows, sizeof *all, compare);
}

static exit_code find_markers(patterns_result *my, const isg_patterns *patterns,
                              const isg_dataset *data) {
    const size_t n = my->info.n_visible, p = my->info.n_patterns;
    const size_t samples = isg_dataset_describe(data).n_samples;
    uint32_t *nearest = memory_allocate(samples, sizeof *nearest);
    size_t *sizes = memory_allocate(p, sizeof *sizes);
    marker *all = memory_allocate(n, sizeof *all);
    double *shares = my->shares = memory_allocate(n, p * sizeof *shares);
    my->markers = memory_allocate(p, my->top * sizeof *my->markers);
    exit_code code = nearest && shares && sizes && all && my->markers ? EXIT_DONE : fail_memory();
    if (code == EXIT_DONE)
        code = fail_status(isg_patterns_nearest(patterns, data, nearest));
    for (size_t a = 0; code == EXIT_DONE && a < samples; a++)
        if (nearest[a] < p)
            sizes[nearest[a]]++;
    if (code == EXIT_DONE)
        code = fail_status(isg_group_shares((isg_matd){shares, n, p, p}, data, nearest));
    size_t count = 0;
    for (size_t mu = 0; code == EXIT_DONE && mu < p; mu++) {
        if (sizes[mu] == 0) /* its samples are nearer to another pattern of the class */
            continue;
        rank_units(all, mu, patterns, (isg_matd_view){shares, n, p, p}, sizes);
        for (size_t k = 0; k < my->top; k++, count++) {
            my->markers[count] = all[k];
            my->markers[count].rank = k + 1;
        }
    }
    my->distinctive = (result_list){my->markers, count, sizeof *my->markers};
    memory_release(nearest);
    memory_release(sizes);
    memory_release(all);
    return code;
}

/* The names of the units of each pattern, or else their numbers. */
static void print_markers(output *out, const void *results) {
    const patterns_result *my = results;
    enum { INDENT = 32 };
    output_line(out, "most distinctive units (more often +1 than in the other patterns):");
    for (size_t k = 0; k < my->distinctive.count;) {
        const marker *first = &my->markers[k];
        const bool has_rest = !isnan(first->weight);
        output names = {0};
        if (!has_rest)
            output_print(&names, "unknown: all samples are of this pattern");
        for (; k < my->distinctive.count && my->markers[k].pattern == first->pattern; k++) {
            const marker *one = &my->markers[k];
            if (!has_rest)
                continue;
            if (one->name)
                output_columns(&names, one->name, 0, true, SIZE_MAX);
            else
                output_print(&names, "%zu", one->unit);
            output_print(&names, " ");
        }
        char *text = output_text(&names);
        output_print(out, "  %-8zu ", first->pattern);
        output_cell(out, first->label ? first->label : "-", 20);
        output_print(out, " ");
        if (text)
            output_fill(out, INDENT, INDENT, text);
        else
            out->is_out_of_memory = true;
        output_free(&names);
    }
}

/* Images, or the means of the most distinctive units, as many of each pattern as fit. */
static exit_code draw(const patterns_result *my, const isg_patterns *patterns) {
    const size_t n = my->info.n_visible, p = my->info.n_patterns, fit = 60 / p > 0 ? 60 / p : 1;
    if (my->info.image_height || !my->markers)
        return draw_patterns(my->picture, patterns);
    double *means = memory_allocate(n, p * sizeof *means);
    size_t *units = memory_allocate(my->distinctive.count, sizeof *units), count = 0;
    const char **labels = memory_allocate(p, sizeof *labels);
    exit_code code = means && units && labels ? EXIT_DONE : fail_memory();
    for (size_t k = 0; code == EXIT_DONE && k < n * p; k++)
        means[k] = 2 * my->shares[k] - 1;
    for (size_t mu = 0; code == EXIT_DONE && mu < p; mu++)
        labels[mu] = isg_patterns_label(patterns, mu);
    for (size_t k = 0; code == EXIT_DONE && k < my->distinctive.count; k++) {
        size_t before = 0;
        while (before < count && units[before] != my->markers[k].unit)
            before++;
        if (before == count && my->markers[k].rank <= fit)
            units[count++] = my->markers[k].unit;
    }
    if (code == EXIT_DONE)
        code = draw_units(my->picture, &(unit_table){.what = "means of patterns",
                                                     .values = {means, n, p, p},
                                                     .scale = 1,
                                                     .encoding = isg_patterns_encoding(patterns),
                                                     .labels = labels,
                                                     .units = units,
                                                     .n_units = count});
    memory_release(means);
    memory_release(units);
    memory_release(labels);
    return code;
}

/* clang-format off */
static const result_entry marker_results[] = {
    RESULT(marker, pattern, "number of a pattern"),
    RESULT(marker, label, "its class, or null"),
    RESULT(marker, rank, "from 1, the most distinctive unit"),
    RESULT(marker, unit, "number of the unit, from 0"),
    RESULT(marker, name, "its name, or null"),
    RESULT(marker, weight, "difference of the two shares that follow, or null"),
    RESULT(marker, share_in_class, "share of +1 among the samples of the pattern"),
    RESULT(marker, share_in_rest, "share of +1 among all other samples, or null if there are none"),
    {.key = NULL}};
/* clang-format on */

/* ---- where patterns come from --------------------------------------------------------------------- */

/* What --patterns says: a number of them, or a file. */
typedef struct source {
    size_t count; /* 0: by classes */
    const char *file;
} source;

static exit_code parse_source(const invocation *call, source *out) {
    const patterns_settings *settings = call->settings;
    *out = (source){0};
    double number = 0;
    if (settings->from && isg_parse_number(settings->from, &number) != ISG_NUMBER_MALFORMED) {
        if (!isg_parse_size(settings->from, &out->count))
            return fail(EXIT_MISUSED, "--patterns: expected a whole number from 1 on, found %s",
                        settings->from);
        if (out->count == 0)
            return fail(EXIT_MISUSED, "--patterns: expected at least one, found 0");
    } else {
        out->file = settings->from;
    }
    if (out->file && !settings->is_learned)
        return fail(EXIT_MISUSED, "--patterns %s: patterns of a file need --learn", out->file);
    if (settings->from && call_has_option(call, "per-class"))
        return fail(EXIT_MISUSED, "--per-class: cannot be used with --patterns");
    if (settings->is_random && !settings->is_learned)
        return fail(EXIT_MISUSED, "--random: random patterns need --learn");
    if (settings->is_random && out->file)
        return fail(EXIT_MISUSED, "--random: cannot be used with patterns of a file");
    static const char *const of_learning[] = {"memory", "rounds", "beta"};
    for (size_t k = 0; k < 3; k++)
        if (!settings->is_learned && call_has_option(call, of_learning[k]))
            return fail(EXIT_MISUSED, "--%s: needs --learn", of_learning[k]);
    return EXIT_DONE;
}

/* Data are read by the rule of the file that patterns come from, as by every verb. */
static exit_code load_data(isg_dataset **data, isg_patterns **patterns, const invocation *call,
                           const char *file) {
    const patterns_settings *settings = call->settings;
    const exit_code code = file ? fail_status(isg_patterns_load(patterns, file)) : EXIT_DONE;
    if (code != EXIT_DONE)
        return code;
    return data_load(data, call, call->arguments[0], &settings->data,
                     file ? model_encoding(call, file, isg_patterns_encoding(*patterns)) : NULL);
}

static exit_code match_source(isg_patterns **out, const char *file, const isg_dataset *data,
                              const char *name) {
    const isg_dataset_info info = isg_dataset_describe(data);
    if (isg_patterns_describe(*out).n_visible != info.n_visible)
        return fail(EXIT_BAD_INPUT, "%s: has patterns of %zu unit%s, but %s has %zu", file,
                    isg_patterns_describe(*out).n_visible,
                    plural(isg_patterns_describe(*out).n_visible), name, info.n_visible);
    if (!isg_patterns_encoding(*out)) {
        const exit_code code =
            fail_status(isg_patterns_set_encoding(*out, isg_dataset_encoding(data)));
        if (code != EXIT_DONE)
            return code;
    }
    if (info.image_height)
        return fail_status(isg_patterns_set_image(*out, info.image_height, info.image_width));
    return EXIT_DONE;
}

static exit_code cluster(isg_patterns **out, const invocation *call, const source *from,
                         const isg_dataset *data) {
    const patterns_settings *settings = call->settings;
    isg_pattern_options how = settings->how;
    progress bar;
    how.cap = true;
    if (from->count) {
        how.per_class = from->count;
        how.ignore_labels = true;
    } else {
        start_patterns(call, data, call->arguments[0], how.per_class);
    }
    progress_start(&bar, call->common.quiet, "clustering");
    const isg_status status = isg_patterns_from_data(out, data, &how, progress_callback(&bar));
    progress_finish(&bar);
    if (status != ISG_ERR_ARGUMENT)
        return fail_status(status);
    return fail(EXIT_BAD_INPUT, "%s: %s%s", call->arguments[0], isg_error_message(),
                from->count         ? "; choose a smaller --patterns"
                : how.per_class > 1 ? "; choose a smaller --per-class"
                                    : "");
}

/* As many as asked for; of classes, a small one may give fewer. */
static size_t count_patterns(const patterns_settings *settings, const source *from,
                             const isg_dataset *data) {
    const isg_dataset_info info = isg_dataset_describe(data);
    const size_t n_classes = info.n_classes > 0 ? info.n_classes : 1;
    size_t count = from->count;
    for (size_t c = 0; from->count == 0 && c < n_classes; c++) {
        const size_t size = info.n_classes > 0 ? isg_dataset_class_size(data, c) : info.n_samples;
        const size_t most = settings->is_random ? info.n_visible + 1 : size;
        count += settings->how.per_class < most ? settings->how.per_class : most;
    }
    return count;
}

static exit_code make_random(isg_patterns **out, const invocation *call, const source *from,
                             const isg_dataset *data) {
    const patterns_settings *settings = call->settings;
    const isg_dataset_info info = isg_dataset_describe(data);
    const size_t count = count_patterns(settings, from, data);
    exit_code code =
        fail_status(isg_patterns_random(out, info.n_visible, count, call->common.seed));
    if (code == EXIT_DONE)
        code = fail_status(isg_patterns_set_encoding(*out, isg_dataset_encoding(data)));
    if (code == EXIT_DONE && info.image_height)
        code = fail_status(isg_patterns_set_image(*out, info.image_height, info.image_width));
    return code;
}

/* What was learned until the signal is saved, and this says so. */
static exit_code stopped(const isg_patterns *learned, const isg_learning *found,
                         const invocation *call) {
    const patterns_settings *settings = call->settings;
    const exit_code saved = fail_status(
        isg_patterns_save(learned, settings->out, call->common.seed, call->command_line));
    if (saved != EXIT_DONE)
        return saved;
    const exit_code code = fail_status(ISG_ERR_CANCELLED);
    return fail(code,
                "%s; the patterns after %zu flip%s and %zu whole round%s are in %s; to go on: "
                "--learn --patterns %s%s",
                failure_sentence(), found->flips, plural(found->flips), found->rounds,
                plural(found->rounds), settings->out, settings->out,
                settings->learning.memory > 0 ? ", whose --memory is of other means" : "");
}

/* Replaces the patterns by learned ones. */
static exit_code learn(isg_patterns **patterns, patterns_result *my, const invocation *call,
                       const source *from, const isg_dataset *data) {
    const patterns_settings *settings = call->settings;
    isg_learn_options options = settings->learning;
    isg_patterns *learned = NULL;
    progress bar;
    options.keep = true;
    progress_start(&bar, call->common.quiet, "learning");
    const isg_status status = isg_patterns_learn(&learned, *patterns, data, &options, &my->learned,
                                                 progress_callback(&bar));
    progress_finish(&bar);
    if (status == ISG_ERR_DEPENDENT)
        return fail(EXIT_BAD_INPUT, "%s: %s; learning needs independent patterns%s",
                    from->file ? from->file : call->arguments[0], isg_error_message(),
                    from->file ? "" : ": choose fewer");
    exit_code code = fail_status(status);
    if (code != EXIT_DONE)
        return code;
    isg_patterns_free(*patterns);
    *patterns = learned;
    if (my->learned.is_cancelled)
        return stopped(learned, &my->learned, call);
    const isg_patterns_info info = isg_patterns_describe(learned);
    const isg_status bounded = isg_capture_ceiling(data, info.n_patterns, &my->ceiling);
    if (bounded == ISG_ERR_ARGUMENT) /* data of fewer directions than patterns are all captured */
        my->ceiling = 1;
    else
        code = fail_status(bounded);
    my->is_learned = true;
    my->is_unfinished = !my->learned.is_finished;
    my->beta = settings->beta;
    my->bound = -settings->beta / 2 * (double)info.n_visible * (1 - my->learned.capture) -
                isg_log(2 * (double)info.n_patterns);
    return code;
}

/* Learning needs independent patterns, and more than units are not. */
static exit_code check_count(const invocation *call, const source *from, const isg_dataset *data) {
    const patterns_settings *settings = call->settings;
    const isg_dataset_info info = isg_dataset_describe(data);
    const size_t count = count_patterns(settings, from, data);
    if (!settings->is_learned || from->file || count <= info.n_visible)
        return EXIT_DONE;
    return fail(EXIT_BAD_INPUT,
                "--learn: %zu patterns of %zu unit%s cannot be independent; choose a smaller --%s",
                count, info.n_visible, plural(info.n_visible),
                from->count ? "patterns" : "per-class");
}

static exit_code make(isg_patterns **out, patterns_result *my, const invocation *call,
                      const source *from, const isg_dataset *data) {
    const patterns_settings *settings = call->settings;
    exit_code code = check_count(call, from, data);
    if (code != EXIT_DONE)
        return code;
    code = from->file            ? match_source(out, from->file, data, call->arguments[0])
           : settings->is_random ? make_random(out, call, from, data)
                                 : cluster(out, call, from, data);
    if (code == EXIT_DONE && settings->is_learned)
        code = learn(out, my, call, from, data);
    return code;
}

static exit_code run(const invocation *call) {
    const patterns_settings *settings = call->settings;
    isg_dataset *data = NULL;
    isg_patterns *patterns = NULL;
    source from;
    patterns_result my = {.file = settings->out,
                          .table = settings->table,
                          .picture = settings->picture,
                          .ward_sample = settings->how.ward_samples,
                          .ceiling = (double)NAN,
                          .beta = (double)NAN,
                          .bound = (double)NAN,
                          .learned = {.capture = (double)NAN, .capture_before = (double)NAN}};
    exit_code code = parse_source(call, &from);
    if (code == EXIT_DONE)
        code = may_write(&call->common, settings->out, ".npz");
    if (code == EXIT_DONE && settings->table)
        code = may_write(&call->common, settings->table, ".csv");
    if (code == EXIT_DONE && settings->picture)
        code = may_write_picture(&call->common, settings->picture);
    if (code == EXIT_DONE)
        code = data_refuse_impute(&settings->data);
    if (code == EXIT_DONE)
        code = load_data(&data, &patterns, call, from.file);
    if (code == EXIT_DONE && settings->picture) {
        const isg_dataset_info info = isg_dataset_describe(data);
        code =
            check_picture(call->arguments[0], info.n_visible, info.image_height, info.image_width);
    }
    if (code == EXIT_DONE)
        code = make(&patterns, &my, call, &from, data);
    if (code == EXIT_DONE)
        code = look(&my, patterns);
    const bool is_wanted = settings->table || call_has_option(call, "top");
    if (code == EXIT_DONE && is_wanted && my.info.n_patterns < 2)
        code = fail(EXIT_BAD_INPUT,
                    "%s: gives one pattern, which nothing can distinguish from others; --table and "
                    "--top need labels of several classes, or --per-class",
                    call->arguments[0]);
    if (code == EXIT_DONE && my.info.n_patterns > 1 &&
        (is_wanted || (settings->picture && !my.info.image_height))) {
        my.top = settings->top < my.info.n_visible ? settings->top : my.info.n_visible;
        code = find_markers(&my, patterns, data);
    }
    if (code == EXIT_DONE && settings->picture)
        code = draw(&my, patterns);
    if (code == EXIT_DONE && settings->table)
        code = result_csv(settings->table, marker_results, my.distinctive,
                          "pattern,label,rank,unit,name,weight:.6g?,share_in_class:.6g,"
                          "share_in_rest:.6g?");
    if (code == EXIT_DONE)
        code = fail_status(
            isg_patterns_save(patterns, settings->out, call->common.seed, call->command_line));
    if (code == EXIT_DONE)
        result_show(call, &my);
    memory_release(my.rows);
    memory_release(my.markers);
    memory_release(my.shares);
    isg_patterns_free(patterns);
    isg_dataset_free(data);
    return code;
}

/* clang-format off */
static const argument_entry arguments[] = {
    {.name = "DATA", .help = DATA_HELP, .choices = data_names, .is_open = true, .is_file = true},
    {.name = NULL},
};

static const option_entry options[] = {
    {.name = "output", .letter = 'o', .kind = OPTION_FILE, .metavar = "P.npz", .is_required = true,
     .offset = offsetof(patterns_settings, out), .help = "Write the patterns to this file"},
    {.name = "per-class", .kind = OPTION_SIZE, .metavar = "K", .low = 1,
     .high = HUGE_VAL, .offset = offsetof(patterns_settings, how.per_class),
     .help = "Patterns per class: 1 is the class mean, more are clusters (Ward linkage); a class "
             "with fewer samples gets one for each of them"},
    {.name = "patterns", .kind = OPTION_TEXT, .metavar = "P|P.npz",
     .offset = offsetof(patterns_settings, from), .otherwise = "by classes",
     .help = "Make P patterns of all samples together, whatever their labels; or learn from those of "
             "a file"},
    {.name = "ward-sample", .kind = OPTION_SIZE, .metavar = "M", .low = 1,
     .high = HUGE_VAL, .offset = offsetof(patterns_settings, how.ward_samples),
     .help = "Of a class with more samples, cluster M evenly spaced ones, and let each of the others "
             "join the cluster with the nearest mean; memory is about 2 M^2 bytes"},
    {.name = "learn", .kind = OPTION_FLAG, .offset = offsetof(patterns_settings, is_learned),
     .help = "Then flip single units, the best first, as long as the patterns capture more of the data: "
             "the likelihood of their network rises, and it stays a network of binary patterns"},
    {.name = "memory", .kind = OPTION_DOUBLE, .metavar = "KAPPA", .low = 0, .high = 1e6,
     .offset = offsetof(patterns_settings, learning.memory),
     .help = "With --learn: weight of staying near the means of the samples that are nearest to each "
             "pattern at the start, of its class; 0.05 to 1 trades likelihood for recall. Another start "
             "has other means"},
    {.name = "rounds", .kind = OPTION_SIZE, .metavar = "R", .low = 1, .high = HUGE_VAL,
     .offset = offsetof(patterns_settings, learning.rounds), .otherwise = "until no flip gains",
     .help = "With --learn: rounds through all patterns, at most; --patterns P.npz goes on from there, "
             "without --memory. Ctrl-C and SIGTERM save the patterns learned so far and stop"},
    {.name = "random", .kind = OPTION_FLAG, .offset = offsetof(patterns_settings, is_random),
     .help = "With --learn: start from random patterns, without labels"},
    {.name = "beta", .kind = OPTION_DOUBLE, .metavar = "B", .low = 1e-30, .high = 1e30,
     .offset = offsetof(patterns_settings, beta),
     .help = "With --learn: inverse temperature of the bound that is printed"},
    {.name = "table", .kind = OPTION_FILE, .metavar = "FILE.csv",
     .offset = offsetof(patterns_settings, table), .otherwise = "no file",
     .help = "Also write the most distinctive units of every pattern, and show their names"},
    {.name = "top", .kind = OPTION_SIZE, .metavar = "T", .low = 1, .high = 1e6,
     .offset = offsetof(patterns_settings, top),
     .help = "How many units per pattern; without --table, only show their names"},
    {.name = "picture", .kind = OPTION_FILE, .metavar = "FILE.png|.svg",
     .offset = offsetof(patterns_settings, picture), .otherwise = "no picture",
     .help = "Also draw the patterns; if they are not images, the means of their most distinctive "
             "units, with names (with gnuplot)"},
    DATA_OPTIONS(patterns_settings, data),
    {.name = NULL},
};

#define IS(field, what)          RESULT(patterns_result, field, what)
#define LIST(field, items, what) RESULT_LIST_OF(patterns_result, field, items, what)

static const result_entry row_results[] = {
    RESULT(pattern_row, label, NULL), RESULT(pattern_row, members, NULL),
    RESULT(pattern_row, positive, NULL), {.key = NULL}};

static const result_entry results[] = {
    IS(file, "the file written"),
    RESULT_AS(patterns_result, info.n_visible, "n_visible", "number of units"),
    RESULT_AS(patterns_result, info.n_patterns, "n_patterns", "number of patterns"),
    IS(rank, "number of linearly independent patterns"),
    LIST(positive, result_sizes, "number of +1 in each pattern"),
    LIST(labels, result_texts, "class of each pattern, or null"),
    LIST(members, result_sizes, "number of samples behind each pattern; 0 if it was not made of samples"),
    IS(max_overlap, "largest overlap of two patterns, or null if there is only one"),
    RESULT_AS(patterns_result, info.n_ties, "ties", "number of units whose mean was zero, over all patterns"),
    RESULT_AS(patterns_result, info.n_sampled, "sampled_classes",
              "number of classes of which only --ward-sample samples were clustered"),
    RESULT_CHAR_ARRAY(patterns_result, checksum, "sha256",
                      "SHA-256 of the patterns packed (first unit = highest bit), sorted, concatenated"),
    RESULT_AS(patterns_result, learned.capture_before, "capture_before",
              "with --learn: mean share of a sample in the span of the patterns at the start; else null"),
    RESULT_AS(patterns_result, learned.capture, "capture", "the same of the learned patterns, or null"),
    IS(ceiling, "the largest of any so many vectors, that of the principal axes, or null"),
    RESULT_AS(patterns_result, learned.flips, "flips", "number of single units flipped; 0 without --learn"),
    RESULT_AS(patterns_result, learned.rounds, "rounds", "number of rounds through all patterns; 0 without --learn"),
    IS(beta, "inverse temperature of the bound, or null"),
    IS(bound, "L per sample of the network of these patterns is at most this, or null"),
    LIST(distinctive, marker_results, "with --table or --top, T units per pattern; else null"),
    IS(table, "the table, or null"),
    IS(picture, "the picture, or null"),
    {.kind = RESULT_LIST, .key = "patterns", .offset = offsetof(patterns_result, patterns),
     .of = row_results, .is_private = true},
    {.kind = RESULT_CHARS, .key = "dependence", .offset = offsetof(patterns_result, dependence),
     .is_private = true},
    RESULT_HIDDEN(patterns_result, is_dependent), RESULT_HIDDEN(patterns_result, mu),
    RESULT_HIDDEN(patterns_result, nu), RESULT_HIDDEN(patterns_result, is_sampled),
    RESULT_HIDDEN(patterns_result, ward_sample), RESULT_HIDDEN(patterns_result, is_learned),
    RESULT_HIDDEN(patterns_result, is_unfinished), RESULT_HIDDEN(patterns_result, has_members),
    {.label = "patterns", .text = "{n_patterns} of {n_visible unit}"},
    {.when = "!is_dependent", .label = "rank", .text = "{rank}: linearly independent"},
    {.when = "is_dependent", .label = "rank", .text = "{rank}: dependent, {dependence}"},
    {.when = "max_overlap", .label = "largest overlap",
     .text = "{max_overlap:.3f} (patterns {mu} and {nu})"},
    {.when = "is_sampled", .label = "clustered",
     .text = "{ward_sample} samples of each of {sampled_classes} classes with more, which then joined the "
             "nearest mean"},
    {.when = "is_learned", .label = "captured",
     .text = "{capture:.4f} of the data, {capture_before:.4f} at the start, at most {ceiling:.4f} (axes)"},
    {.when = "is_learned", .label = "learned", .text = "{flips flip} in {rounds round}"},
    {.when = "is_unfinished", .label = "remark",
     .text = "some flips may still gain; --patterns with this file learns on"},
    {.when = "is_learned", .label = "bound",
     .text = "L is at most {bound:.3f} at beta {beta} (score it with 'map' and 'score')"},
    {.when = "!is_learned", .label = "ties", .text = "{ties} (units whose mean is zero, set to -1)"},
    {.label = "SHA-256", .text = "{sha256} (of the sorted patterns)"},
    {.when = "has_members", .each = "patterns",
     .heading = "  pattern  class                 samples       +1",
     .text = "  {#:-8} {label:-20} {members:8} {positive:8}"},
    {.when = "!has_members", .each = "patterns", .heading = "  pattern  class                      +1",
     .text = "  {#:-8} {label:-20} {positive:8}"},
    {.when = "distinctive", .print = print_markers},
    {.when = "table", .label = "table", .text = "{table}"},
    {.when = "picture", .label = "picture", .text = "{picture}"},
    {.label = "file", .text = "{file}"},
    {.key = NULL}};

static const example examples[] = {
    {"isinglass patterns mnist:train -o digits.npz", "The ten class patterns of the paper."},
    {"isinglass patterns mnist:train --per-class 10 -o digits10.npz",
     "A hundred patterns, ten ways to write each digit."},
    {"isinglass patterns mnist:train --learn -o learned.npz",
     "Ten patterns whose network has a higher likelihood."},
    {"isinglass patterns cells.npz --patterns 20 --learn -o learned.npz",
     "Twenty learned patterns of data without labels."},
    {"isinglass patterns votes.csv --label-column party -o parties.npz",
     "One pattern for each party."},
    {"isinglass patterns cells.csv --label-column type -o types.npz --table markers.csv --top 20",
     "The genes that mark each cell type."},
    {NULL, NULL},
};
/* clang-format on */

const command command_patterns = {
    .name = "patterns",
    .section = "Networks",
    .summary = "Make class patterns or clustered sub-patterns from data",
    .description =
        "A pattern is the sign of the mean over the samples of a class, unit by unit; a mean "
        "of zero gives -1. With --per-class K, every class is first divided into K clusters by "
        "Ward linkage on Hamming distances, with ties broken as SciPy does, and each cluster "
        "gives a pattern. Patterns are ordered by class, then by the first sample of the "
        "cluster.\n"
        "--learn makes the network of the patterns a better model of the data. Over projection "
        "networks "
        "the log-likelihood is L = beta/2 N capture - ln Z, where capture is the mean share of a "
        "sample "
        "in the span of the patterns, and ln Z hardly depends on which binary patterns they are. "
        "Units "
        "are "
        "flipped one at a time, the best first, with the exact gain of every flip, pattern after "
        "pattern, until none gains; the result depends on the data and the start alone. It takes "
        "the "
        "data's bits and no matrix of units x units.\n"
        "--table ranks the units of a pattern by how much more often they are +1 in its samples "
        "than in all others: weight = share_in_class - share_in_rest, the first unit first if "
        "equal. Its columns are pattern (from 0), label, rank, unit (from 0), name (empty if "
        "unknown), weight and the two shares; if all samples belong to one pattern, weight and "
        "share_in_rest are empty, and its units are in their own order. With --per-class, the "
        "samples of a pattern are those "
        "of its class that are nearest to it.\n"
        "P.npz contains xi (units x patterns, int8), labels and meta.json; open it with "
        "numpy.load.",
    .arguments = arguments,
    .options = options,
    .results = results,
    .examples = examples,
    .settings_bytes = sizeof(patterns_settings),
    .defaults = defaults,
    .run = run,
};
