/* cmd_recall.c - isinglass recall: a Hopfield network as an associative memory
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "cli/allocation.h"
#include "cli/number_list.h"
#include "cli/parts.h"
#include "cli/plot.h"
#include "cli/sample_table.h"
#include "cli/unit_ranges.h"
#include "cli/value.h"
#include "cli/verbs/recall_job.h"

const char *const rule_names[] = {"projection", "hebbian", NULL};
const char *const dynamics_names[] = {"async", "sync", "glauber", "parallel", "gibbs", NULL};
const char *const protocol_names[] = {"published", "attractor", NULL};
const char *const readout_names[] = {"overlap", "projection", "energy", NULL};
const char *const end_names[] = {"pattern", "undecided", "negative", "spurious", "two-cycle", NULL};

static void defaults(void *settings) {
    *(recall_settings *)settings =
        (recall_settings){.data = data_defaults(),
                          .how = isg_recall_defaults(ISG_RECALL_PUBLISHED),
                          .rule = rule_names[0]};
}

exit_code recall_failed(const recall_job *my, isg_status status) {
    if (status == ISG_ERR_UNSUPPORTED)
        return fail(EXIT_MISUSED, "--dynamics gibbs: %s; %s", isg_error_message(),
                    my->settings->no_diagonal ? "leave out --no-diagonal" : "add --keep-diagonal");
    if (status == ISG_ERR_DEPENDENT)
        return fail(EXIT_BAD_INPUT, "%s: %s; use --allow-rank-deficient to accept them", my->file,
                    isg_error_message());
    if (status == ISG_ERR_SHAPE)
        return fail(EXIT_BAD_INPUT, "%s: %s", my->data_name ? my->data_name : my->file,
                    isg_error_message());
    return fail_status(status);
}

/* ---- what was asked for --------------------------------------------------------------------------- */

/* "a,b" as places in the list of names, each at most once. */
static exit_code parse_names(const char *option, const char *text, const char *const *names,
                             size_t *out, size_t *count) {
    char words[WORDS_BYTES];
    for (const char *rest = text; rest;) {
        char part[PART_BYTES];
        size_t k = 0, place = 0;
        if (!part_cut(&rest, ',', part) || !find_choice(names, part, &place))
            return fail(EXIT_MISUSED, "%s: expected %s, or several separated by commas, found '%s'",
                        option, list_choices(names, words), text);
        while (k < *count && out[k] != place)
            k++;
        if (k < *count)
            return fail(EXIT_MISUSED, "%s: %s is given twice", option, part);
        out[(*count)++] = place;
    }
    return EXIT_DONE;
}

static exit_code parse_shares(const char *option, const char *text, double **out, size_t *count) {
    const number_range range = {.low = 0, .high = 1};
    bool is_read = false;
    const exit_code code = number_list_parse(out, count, text, range, &is_read);
    if (code != EXIT_DONE || is_read)
        return code;
    return fail(EXIT_MISUSED,
                "%s: expected a share from 0 to 1, several separated by commas, or A:B:n, found "
                "'%s'",
                option, text);
}

static exit_code parse_lists(recall_job *my) {
    const recall_settings *settings = my->settings;
    size_t rules[N_RULES] = {0}, dynamics[N_DYNAMICS] = {0};
    exit_code code = parse_names("--rule", settings->rule, rule_names, rules, &my->n_rules);
    if (code == EXIT_DONE && settings->dynamics)
        code = parse_names("--dynamics", settings->dynamics, dynamics_names, dynamics,
                           &my->n_dynamics);
    for (size_t k = 0; k < my->n_rules; k++)
        my->rules[k] = (isg_rule)rules[k];
    for (size_t k = 0; k < my->n_dynamics; k++)
        my->dynamics[k] = (isg_dynamics)dynamics[k];
    if (code == EXIT_DONE && settings->flip)
        code = parse_shares("--flip", settings->flip, &my->flips, &my->n_flips);
    if (code == EXIT_DONE && settings->mask)
        code = parse_shares("--mask", settings->mask, &my->masks, &my->n_masks);
    if (code == EXIT_DONE && my->n_flips > 1 && my->n_masks > 1)
        code = fail(EXIT_MISUSED, "--flip and --mask: only one of them can have several values");
    return code;
}

/* Refuses options that do not apply. */
static exit_code refuse(const invocation *call, const char *const *names, const char *why) {
    for (; *names; names++)
        if (call_has_option(call, *names))
            return fail(EXIT_MISUSED, "--%s: %s", *names, why);
    return EXIT_DONE;
}

static bool is_corrupted(const recall_job *my) {
    return my->settings->flip || my->settings->mask || my->settings->mask_units;
}

/* DATA as they are, by a protocol. */
static exit_code check_protocol(const recall_job *my) {
    static const char *const of_curves[] = {"picture", "trials", "free", NULL};
    static const char *const of_attractor[] = {"readout", "committor", NULL};
    static const char *const of_published[] = {"trajectories", "overlap", NULL};
    const bool is_published = my->settings->how.protocol == ISG_RECALL_PUBLISHED;
    exit_code code =
        refuse(my->call, of_curves,
               "belongs to the recall of what is corrupted by --flip, --mask or --mask-units");
    if (code == EXIT_DONE && !my->data_name)
        code = fail(EXIT_MISUSED, "expected DATA to recall, or --flip, --mask or --mask-units to "
                                  "corrupt the patterns");
    if (code == EXIT_DONE && is_published)
        code = refuse(my->call, of_attractor, "needs --protocol attractor");
    if (code == EXIT_DONE && !is_published && !my->settings->committor)
        code = refuse(my->call, of_published, "belongs to --protocol published, or to --committor");
    if (code == EXIT_DONE && (my->n_rules > 1 || my->n_dynamics > 1))
        code = fail(EXIT_MISUSED, "--%s: several values need --flip, --mask or --mask-units",
                    my->n_rules > 1 ? "rule" : "dynamics");
    return code;
}

static exit_code check_use(const recall_job *my) {
    static const char *const of_protocols[] = {
        "protocol",     "readout",     "committor",   "overlap",
        "trajectories", "projections", "class-means", NULL};
    static const char *const of_files[] = {"output", "picture", "trials", NULL};
    const recall_settings *settings = my->settings;
    exit_code code = EXIT_DONE;
    if (settings->keep_diagonal && settings->no_diagonal)
        return fail(EXIT_MISUSED, "--keep-diagonal and --no-diagonal: give only one of them");
    if (!my->data_name)
        code = data_refuse_options(my->call, "DATA");
    if (code == EXIT_DONE && settings->class_means && !settings->projections)
        code = fail(EXIT_MISUSED, "--class-means: needs --projections");
    if (code == EXIT_DONE && !settings->trajectory && call_has_option(my->call, "row"))
        code = fail(EXIT_MISUSED, "--row: needs --trajectory");
    if (code != EXIT_DONE)
        return code;
    if (!is_corrupted(my) && !settings->trajectory)
        return check_protocol(my);
    code = refuse(my->call, of_protocols,
                  "belongs to the recall of DATA as they are, without --flip, --mask, "
                  "--mask-units and --trajectory");
    if (code == EXIT_DONE && settings->trajectory)
        code = refuse(my->call, of_files, "makes no sense with --trajectory");
    return code;
}

static exit_code check_files(const recall_job *my) {
    const common_settings *common = &my->call->common;
    const recall_settings *settings = my->settings;
    exit_code code = settings->out ? may_write(common, settings->out, ".csv") : EXIT_DONE;
    if (code == EXIT_DONE && settings->projections)
        code = sample_table_may_write(common, settings->projections);
    if (code == EXIT_DONE && settings->picture)
        code = plot_may_write(common, settings->picture);
    if (code == EXIT_DONE && settings->trajectory)
        code = plot_may_write(common, settings->trajectory);
    return code;
}

/* ---- missing values ------------------------------------------------------------------------------- */

/* By the RBM that is the network, at the temperature of its dynamics. */
exit_code recall_impute(const recall_job *my, isg_dataset **data) {
    isg_mapping_options options = isg_mapping_defaults();
    isg_rbm *rbm = NULL;
    if (my->settings->data.how.missing != ISG_MISSING_IMPUTE)
        return EXIT_DONE;
    if (my->rules[0] == ISG_RULE_HEBBIAN)
        options.via = ISG_VIA_HEBBIAN;
    options.beta = my->settings->how.beta;
    options.allow_rank_deficient = my->settings->how.allow_rank_deficient;
    exit_code code = recall_failed(my, isg_rbm_from_patterns(&rbm, my->patterns, &options, NULL));
    if (code == EXIT_DONE)
        code = data_impute(data, my->call, rbm, true);
    isg_rbm_free(rbm);
    return code;
}

/* ---- files ------------------------------------------------------------------------------------------ */

/* What is recalled is compared with labels; only --projections are also of samples without one. */
static exit_code keep_labelled(recall_job *my) {
    const isg_dataset_info info = isg_dataset_describe(my->data);
    size_t *rows = NULL, count = 0;
    if (info.n_unlabelled == 0)
        return EXIT_DONE;
    if (info.n_classes == 0)
        return fail(EXIT_BAD_INPUT, "%s: no sample has a label", my->data_name);
    rows = memory_allocate(info.n_samples, sizeof *rows);
    if (!rows)
        return fail_memory();
    for (size_t a = 0; a < info.n_samples; a++)
        if (isg_dataset_labels(my->data)[a] != ISG_UNLABELLED)
            rows[count++] = a;
    notice(my->call->common.quiet, "%s: only --projections has the samples without a label",
           my->data_name);
    my->all = my->data;
    my->data = NULL;
    const exit_code code = fail_status(isg_dataset_select(&my->data, my->all, rows, count));
    memory_release(rows);
    return code;
}

static exit_code load(recall_job *my) {
    data_settings how = my->settings->data;
    how.how.keep_unlabelled = my->settings->projections != NULL;
    exit_code code = fail_status(isg_patterns_load(&my->patterns, my->file));
    if (code != EXIT_DONE)
        return code;
    my->info = isg_patterns_describe(my->patterns);
    if (my->data_name)
        code = data_load(&my->data, my->call, my->data_name, &how,
                         model_encoding(my->call, my->file, isg_patterns_encoding(my->patterns)));
    if (code == EXIT_DONE && my->data &&
        isg_dataset_describe(my->data).n_visible != my->info.n_visible)
        code =
            fail(EXIT_BAD_INPUT, "%s: has samples of %zu unit%s, but the patterns of %s have %zu",
                 my->data_name, isg_dataset_describe(my->data).n_visible,
                 plural(isg_dataset_describe(my->data).n_visible), my->file, my->info.n_visible);
    if (code == EXIT_DONE && my->data)
        code = recall_impute(my, &my->data);
    if (code == EXIT_DONE && my->data)
        code = keep_labelled(my);
    if (code == EXIT_DONE && my->settings->mask_units) {
        my->units = memory_allocate(my->info.n_visible / 64 + 1, sizeof *my->units);
        code = my->units ? ranges_parse("--mask-units", my->settings->mask_units,
                                        my->info.n_visible, my->units, &my->n_units)
                         : fail_memory();
    }
    return code;
}

static exit_code run(const invocation *call) {
    recall_job my = {.call = call,
                     .settings = call->settings,
                     .file = call->arguments[0],
                     .data_name = call->n_arguments > 1 ? call->arguments[1] : NULL};
    exit_code code = parse_lists(&my);
    if (code == EXIT_DONE)
        code = check_use(&my);
    if (code == EXIT_DONE)
        code = check_files(&my);
    if (code == EXIT_DONE)
        code = load(&my);
    if (code == EXIT_DONE)
        code = my.settings->trajectory ? recall_trajectory(&my)
               : is_corrupted(&my)     ? recall_curves(&my)
                                       : recall_protocol(&my);
    isg_patterns_free(my.patterns);
    isg_dataset_free(my.data);
    isg_dataset_free(my.all);
    memory_release(my.flips);
    memory_release(my.masks);
    memory_release(my.units);
    return code;
}

/* clang-format off */
static const argument_entry arguments[] = {
    {.name = "P.npz", .help = "Patterns written by 'isinglass patterns', a model made from "
                              "patterns, or any .npz with xi (units x patterns) of +1 and -1",
     .is_file = true},
    {.name = "DATA", .help = "Data to recall; without DATA, --flip and --mask corrupt the "
                             "patterns. "
                             DATA_HELP,
     .choices = data_names, .is_open = true, .is_file = true, .is_optional = true},
    {.name = NULL},
};

static const option_entry options[] = {
    {.name = "protocol", .kind = OPTION_CHOICE, .metavar = "HOW", .choices = protocol_names,
     .offset = offsetof(recall_settings, how.protocol),
     .help = "Decide a sample once it is near a pattern, as the paper does, or follow it to its "
             "end"},
    {.name = "rule", .kind = OPTION_TEXT, .metavar = "RULE", .choices = rule_names,
     .offset = offsetof(recall_settings, rule),
     .help = "projection or hebbian; if units are corrupted also both, separated by a comma"},
    {.name = "dynamics", .kind = OPTION_TEXT, .metavar = "DYNAMICS", .choices = dynamics_names,
     .offset = offsetof(recall_settings, dynamics),
     .otherwise = "published: sync, then parallel; else async",
     .help = "async or sync at zero temperature; glauber, parallel or gibbs at --beta; if units "
             "are corrupted also several, separated by commas. In the published protocol, the "
             "dynamics of the first part or of the trajectories"},
    {.name = "readout", .kind = OPTION_CHOICE, .metavar = "WHAT", .choices = readout_names,
     .offset = offsetof(recall_settings, how.readout),
     .help = "Attractor: what determines the class of an end state"},
    {.name = "beta", .kind = OPTION_DOUBLE, .metavar = "B", .low = 1e-30,
     .high = 1e30, .offset = offsetof(recall_settings, how.beta),
     .help = "Inverse temperature of glauber, parallel, gibbs and --committor"},
    {.name = "overlap", .kind = OPTION_DOUBLE, .metavar = "M", .low = 0, .high = 1,
     .offset = offsetof(recall_settings, how.threshold), .otherwise = "0.7, or 0.9 for --committor",
     .help = "Overlap above which a sample has reached a pattern"},
    {.name = "sweeps", .alias = "updates", .kind = OPTION_SIZE, .metavar = "T", .low = 0, .high = 1e9,
     .offset = offsetof(recall_settings, how.max_updates),
     .otherwise = "100; attractor at zero temperature: 1000; --trajectory: 10",
     .help = "Updates of all units: the maximum at zero temperature and until an overlap is "
             "reached, else the exact number"},
    {.name = "trajectories", .kind = OPTION_SIZE, .metavar = "N", .low = 1,
     .high = 1e6, .offset = offsetof(recall_settings, how.trajectories),
     .help = "Trajectories per sample that zero temperature leaves undecided, and per sample of "
             "--committor"},
    {.name = "keep-diagonal", .kind = OPTION_FLAG,
     .offset = offsetof(recall_settings, keep_diagonal),
     .help = "Keep J_ii in the published protocol too"},
    {.name = "no-diagonal", .kind = OPTION_FLAG, .offset = offsetof(recall_settings, no_diagonal),
     .help = "Set J_ii = 0 everywhere, as the published protocol does"},
    {.name = "allow-rank-deficient", .kind = OPTION_FLAG,
     .offset = offsetof(recall_settings, how.allow_rank_deficient),
     .help = "Also accept linearly dependent patterns, and project onto their span"},
    {.name = "committor", .kind = OPTION_FLAG, .offset = offsetof(recall_settings, committor),
     .help = "Attractor: for samples that end in no pattern, also measure the share of "
             "block-Gibbs trajectories that reach each pattern"},
    {.name = "flip", .kind = OPTION_TEXT, .metavar = "SHARE|A:B:n",
     .offset = offsetof(recall_settings, flip), .otherwise = "none",
     .help = "Corrupt: flip this share of the units, chosen at random; 0:0.5:11 means 11 shares "
             "from 0 to 0.5"},
    {.name = "mask", .kind = OPTION_TEXT, .metavar = "SHARE|A:B:n",
     .offset = offsetof(recall_settings, mask), .otherwise = "none",
     .help = "Corrupt: set this share of the units to +1 or -1 at random; the others are clamped, "
             "unless --free or --flip is given"},
    {.name = "mask-units", .kind = OPTION_TEXT, .metavar = RANGES_METAVAR,
     .offset = offsetof(recall_settings, mask_units), .otherwise = "none",
     .help = "The same for given units, counted from 0 and row by row in an image"},
    {.name = "free", .kind = OPTION_FLAG, .offset = offsetof(recall_settings, free_known),
     .help = "Let units that are not masked move as well"},
    {.name = "trials", .kind = OPTION_SIZE, .metavar = "N", .low = 1, .high = 1e9,
     .offset = offsetof(recall_settings, trials), .otherwise = "100, or 1 of DATA",
     .help = "How many times to corrupt each pattern or sample"},
    {.name = "output", .letter = 'o', .kind = OPTION_FILE, .metavar = "FILE.csv",
     .offset = offsetof(recall_settings, out), .otherwise = "no file",
     .help = "Also write the outcome of every sample, or every point of the curves"},
    {.name = "projections", .kind = OPTION_FILE, .metavar = TABLE_METAVAR,
     .offset = offsetof(recall_settings, projections), .otherwise = "no file",
     .help = "Also write the order parameters a = (xi'xi)^-1 xi's of every sample"},
    {.name = "class-means", .kind = OPTION_FILE, .metavar = "TRAIN", .choices = data_names,
     .offset = offsetof(recall_settings, class_means), .otherwise = "the patterns",
     .help = "Use the means of the classes of TRAIN, real numbers from -1 to 1, in place of the "
             "patterns xi in --projections"},
    {.name = "picture", .kind = OPTION_FILE, .metavar = "FILE.png|.svg",
     .offset = offsetof(recall_settings, picture), .otherwise = "no picture",
     .help = "Draw the share recovered against the share corrupted (with gnuplot)"},
    {.name = "trajectory", .kind = OPTION_FILE, .metavar = "FILE.png|.svg",
     .offset = offsetof(recall_settings, trajectory), .otherwise = "none",
     .help = "Only follow one sample or pattern, and draw its states above their energies (with "
             "gnuplot)"},
    {.name = "row", .kind = OPTION_SIZE, .metavar = "I", .low = 0,
     .high = HUGE_VAL, .offset = offsetof(recall_settings, row),
     .help = "The sample or pattern to follow, counted from 0"},
    DATA_OPTIONS(recall_settings, data),
    {.name = NULL},
};

static const result_entry results[] = {
    RESULT_MEMBERS(recall_result, protocol, recall_protocol_results, "Without corruption:"),
    RESULT_MEMBERS(recall_result, curves, recall_curves_results,
                   "With --flip, --mask or --mask-units:"),
    RESULT_MEMBERS(recall_result, walk, recall_walk_results, "With --trajectory:"),
    {.key = NULL}};

static const example examples[] = {
    {"isinglass recall digits.npz mnist:test",
     "The table of Fig. D2a, and how much of it the nearest pattern explains."},
    {"isinglass recall digits.npz mnist:test --protocol attractor --committor -o ends.csv",
     "Where images really end, and which patterns those that end in none reach at beta 2."},
    {"isinglass recall digits.npz --flip 0:0.5:11 --rule projection,hebbian --dynamics async,gibbs --picture recovery.png",
     "How much noise each rule and dynamics can remove."},
    {"isinglass recall digits.npz --mask-units 392:784 --json", "Complete the lower halves."},
    {"isinglass recall types.npz cells.csv --projections scores.csv --class-means atlas.csv",
     "Score every cell by its similarity to each cell type of an atlas."},
    {"isinglass recall digits.npz mnist:test --row 0 --trajectory seven.png",
     "Watch one image fall into its attractor."},
    {NULL, NULL},
};
/* clang-format on */

const command command_recall = {
    .name = "recall",
    .section = "Models",
    .summary = "Recall data or remove noise with a Hopfield network",
    .description =
        "Builds a Hopfield network from the patterns, J = xi (xi'xi)^-1 xi' (projection) or xi "
        "xi' / N (hebbian), starts it from every sample of DATA and updates its units. Classes "
        "of patterns and samples are matched by name.\n"
        "published reproduces the table of the paper (Fig. D2), with J_ii = 0. Before every "
        "synchronous update and after the last, a sample is assigned to the pattern with the "
        "largest overlap m = xi's / N if that exceeds 0.7. A sample that is undecided after "
        "100 updates gets 20 trajectories at beta 2, which start from the sample, update all "
        "units at once and count 1/20 each. If patterns are similar, as those of digits are, "
        "most samples are decided before any update, by their nearest pattern; the output "
        "shows how many, and the accuracy of the nearest pattern alone.\n"
        "attractor updates until nothing changes, and distinguishes exact patterns, their "
        "negatives, other fixed points (spurious) and, for sync without diagonal, cycles of "
        "two states. It reads the class from the end state: by the projection a = (xi'xi)^-1 "
        "xi's, the overlap m, or the energy, to which pattern mu contributes m_mu a_mu. "
        "Dynamics with a temperature make T updates and then continue asynchronously at zero "
        "temperature.\n"
        "--flip, --mask and --mask-units first corrupt the patterns, or the samples of DATA. "
        "The result is how many trials end in the pattern itself (or in one of the sample's "
        "class): exactly, at zero temperature, and with an overlap above 0.95. Shares are "
        "exact numbers of units. The same trial chooses the same units for all shares, rules "
        "and dynamics. Masked units start at random and are completed; the others are known "
        "and stay fixed, unless --free or --flip is given.\n"
        "--projections writes one row per sample: " SAMPLE_COLUMNS
        ", best (the class of the largest projection), projection (its value) and a_CLASS, one "
        "column per pattern. A sample that equals a pattern has a 1 there and zeros elsewhere, "
        "however similar the patterns are; with --class-means these are cell-type scores as in "
        "scTOP. " TABLE_ARRAYS " A (samples x patterns).\n"
        "-o writes one row per sample: sample (from 0), id, class, end, pattern and label (what it "
        "was recalled as), updates until then, trajectories that "
        "decided, share (of them that chose this pattern) and, with --committor, the share that "
        "reached each pattern.",
    .arguments = arguments,
    .options = options,
    .results = results,
    .examples = examples,
    .settings_bytes = sizeof(recall_settings),
    .defaults = defaults,
    .run = run,
};
