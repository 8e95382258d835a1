/* cmd_states.c - isinglass states: the minima of the energy, stored and spurious
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/allocation.h"
#include "cli/data_input.h"
#include "cli/log_z_text.h"
#include "cli/model_input.h"
#include "cli/pictures.h"
#include "cli/progress.h"
#include "cli/typed_number.h"
#include "cli/verbs/states_text.h"
#include "src/base/elementary.h"
#include "src/io/npz.h"

enum { SHOWN = 20, STARTS = 1000 };

/* By how much a ln Z may be off because a user typed the digits that were printed. */
static const double rounded = 1e-3;

typedef struct states_settings {
    data_settings data;
    isg_states_options how;
    isg_mapping_options mapping;
    isg_rule rule;
    size_t show;
    double beta;
    const char *out, *picture, *log_z;
} states_settings;

static void defaults(void *settings) {
    states_settings my = {.data = data_defaults(),
                          .how = isg_states_defaults(),
                          .mapping = isg_mapping_defaults(),
                          .show = SHOWN};
    my.how.random_starts = STARTS;
    *(states_settings *)settings = my;
}

static const char *const rule_names[] = {"projection", "hebbian", NULL};

typedef struct states_result {
    const char *model, *file, *picture;
    isg_rbm *rbm;
    isg_dataset *data; /* NULL without DATA */
    isg_deep_states *found;
    isg_deep_states_info info;
    size_t n_patterns;          /* SIZE_MAX if none are known */
    size_t height, width;       /* of a picture */
    double lowest, given_log_z; /* NaN if it was not given */
    bool by_bound;              /* shares are of the bound */
    size_t stored, in_patterns; /* states that are patterns, and random starts that end there */
    isg_log_z computed;
    const isg_log_z *log_z; /* NULL if it was not computed */
    states_text text;
    result_list states;
} states_result;

/* ---- what was asked for ---------------------------------------------------------------------- */

/* A number; NaN if ln Z is to be computed, or to be the bound. */
static exit_code parse_log_z(const states_settings *settings, states_result *my) {
    my->given_log_z = (double)NAN;
    my->by_bound = settings->log_z && strcmp(settings->log_z, "bound") == 0;
    if (!settings->log_z || my->by_bound || strcmp(settings->log_z, "auto") == 0)
        return EXIT_DONE;
    return number_double(settings->log_z, &my->given_log_z) && isfinite(my->given_log_z)
               ? EXIT_DONE
               : fail(EXIT_MISUSED, "--log-z: expected a number, auto or bound, found '%s'",
                      settings->log_z);
}

static exit_code check(const invocation *call, states_result *my) {
    const states_settings *settings = call->settings;
    exit_code code = parse_log_z(settings, my);
    if (code == EXIT_DONE && call->n_arguments == 1)
        code = data_refuse_options(call, "DATA");
    if (code == EXIT_DONE && settings->out)
        code = may_write(&call->common, settings->out, ".npz");
    if (code == EXIT_DONE && settings->picture)
        code = may_write_picture(&call->common, settings->picture);
    return code;
}

/* Whether a file has patterns and no weights; a model may have patterns, too. */
static exit_code look_into(const char *name, bool *is_patterns) {
    struct stat found;
    isg_zip *zip = NULL;
    *is_patterns = ends_in(name, ".npy");
    if (*is_patterns || (stat(name, &found) == 0 && S_ISDIR(found.st_mode)))
        return EXIT_DONE;
    exit_code code = fail_status(isg_zip_open_path(&zip, name));
    if (code != EXIT_DONE)
        return code;
    const bool is_model = isg_npz_has(zip, "W");
    *is_patterns = !is_model && isg_npz_has(zip, "xi");
    isg_zip_close(zip);
    return is_model || *is_patterns
               ? EXIT_DONE
               : fail(EXIT_BAD_INPUT,
                      "%s: expected an RBM (array W) or patterns (array xi), found neither", name);
}

static exit_code map_patterns(isg_rbm **rbm, const invocation *call, const char *name) {
    const states_settings *settings = call->settings;
    isg_mapping_options how = settings->mapping;
    isg_patterns *patterns = NULL;
    how.via = settings->rule == ISG_RULE_PROJECTION ? ISG_VIA_QR : ISG_VIA_HEBBIAN;
    exit_code code = fail_status(isg_patterns_load(&patterns, name));
    if (code == EXIT_DONE) {
        const isg_status status = isg_rbm_from_patterns(rbm, patterns, &how, NULL);
        code = status == ISG_ERR_DEPENDENT
                   ? fail(EXIT_BAD_INPUT, "%s: %s; use --allow-rank-deficient for their span", name,
                          isg_error_message())
                   : fail_status(status);
    }
    isg_patterns_free(patterns);
    return code;
}

static exit_code load_network(states_result *my, const invocation *call) {
    static const char *const of_patterns[] = {"rule", "allow-rank-deficient"};
    const states_settings *settings = call->settings;
    bool is_patterns = false;
    exit_code code = look_into(my->model, &is_patterns);
    for (size_t k = 0; code == EXIT_DONE && !is_patterns && k < 2; k++)
        if (call_has_option(call, of_patterns[k]))
            code = fail(EXIT_MISUSED,
                        "--%s: is for patterns, but %s is an RBM, whose weights are "
                        "given",
                        of_patterns[k], my->model);
    if (code == EXIT_DONE)
        code =
            is_patterns ? map_patterns(&my->rbm, call, my->model) : model_load(&my->rbm, my->model);
    if (code == EXIT_DONE && call_has_option(call, "beta"))
        code = fail_status(isg_rbm_set_beta(my->rbm, settings->beta));
    return code;
}

static exit_code load_data(states_result *my, const invocation *call) {
    const states_settings *settings = call->settings;
    const size_t n = isg_rbm_describe(my->rbm).n_visible;
    if (call->n_arguments == 1)
        return EXIT_DONE;
    const exit_code code = data_load(&my->data, call, call->arguments[1], &settings->data,
                                     model_encoding(call, my->model, isg_rbm_encoding(my->rbm)));
    if (code != EXIT_DONE)
        return code;
    const size_t found = isg_dataset_describe(my->data).n_visible;
    return found == n ? data_impute(&my->data, call, my->rbm, false)
                      : fail(EXIT_BAD_INPUT, "%s: has samples of %zu unit%s, but %s has %zu",
                             call->arguments[1], found, plural(found), my->model, n);
}

/* A picture needs a shape: that of --shape, or of the model. */
static exit_code find_shape(states_result *my, const states_settings *settings) {
    const isg_rbm_info info = isg_rbm_describe(my->rbm);
    exit_code code = EXIT_DONE;
    my->height = info.image_height;
    my->width = info.image_width;
    if (settings->data.shape)
        code = shape_parse(settings->data.shape, &my->height, &my->width);
    return code == EXIT_DONE && settings->picture
               ? check_image(my->model, info.n_visible, my->height, my->width, SHAPE_ADVICE)
               : code;
}

/* ---- finding out ----------------------------------------------------------------------------- */

static exit_code search(states_result *my, const invocation *call) {
    const states_settings *settings = call->settings;
    isg_states_options how = settings->how;
    progress bar;
    how.seed = call->common.seed;
    how.data = my->data;
    progress_start(&bar, call->common.quiet, "searching for states");
    const exit_code code =
        fail_status(isg_deep_states_create(&my->found, my->rbm, &how, progress_callback(&bar)));
    progress_finish(&bar);
    if (code == EXIT_DONE)
        my->info = isg_deep_states_describe(my->found);
    return code;
}

/* No less than ln Z: N ln 2 + beta times more than any -H, of which every term is at its largest. */
static double most_log_z(const states_result *my) {
    const isg_matd w = isg_rbm_weights(my->rbm);
    const double *b = isg_rbm_visible_field(my->rbm), *c = isg_rbm_hidden_field(my->rbm);
    double most = 0;
    for (size_t i = 0; i < w.rows; i++)
        most += fabs(b[i]);
    for (size_t mu = 0; mu < w.cols; mu++) {
        double sum = 0;
        for (size_t i = 0; i < w.rows; i++)
            sum += fabs(w.data[i * w.stride + mu]);
        most += sum * (sum / 2 + fabs(c[mu]));
    }
    return (double)w.rows * ISG_LN_2 + my->info.beta * most;
}

/* The ln Z of a user. */
static exit_code check_log_z(const states_result *my, const char *typed) {
    const double most = most_log_z(my);
    if (my->given_log_z < my->info.bound - rounded)
        return fail(EXIT_BAD_INPUT,
                    "--log-z: at beta %g, ln Z is at least %.4f, by the states that were found; "
                    "found %s",
                    my->info.beta, my->info.bound, typed);
    if (my->given_log_z > most + rounded + 1e-9 * fabs(most))
        return fail(EXIT_BAD_INPUT,
                    "--log-z: at beta %g, ln Z is at most %.4f, by the size of weights and fields; "
                    "found %s",
                    my->info.beta, most, typed);
    return EXIT_DONE;
}

static exit_code find_log_z(states_result *my, const invocation *call, double *value) {
    const states_settings *settings = call->settings;
    isg_log_z_options how = isg_log_z_defaults();
    progress bar;
    *value = my->given_log_z;
    if (!isnan(*value) && check_log_z(my, settings->log_z) != EXIT_DONE)
        return EXIT_BAD_INPUT;
    if (my->by_bound)
        *value = my->info.bound;
    if (!isnan(*value))
        return EXIT_DONE;
    how.states.data = how.mixture.data = my->data;
    how.states.seed = how.mixture.seed = how.ais.seed = how.population.seed = call->common.seed;
    progress_start(&bar, call->common.quiet, "ln Z");
    const exit_code code = fail_status(
        isg_deep_states_weigh(my->found, my->rbm, &how, &my->computed, progress_callback(&bar)));
    progress_finish(&bar);
    if (code == EXIT_DONE) {
        my->log_z = &my->computed;
        *value = my->computed.value;
    }
    return code;
}

static exit_code describe(states_result *my, const invocation *call) {
    const states_settings *settings = call->settings;
    const isg_patterns *patterns = isg_rbm_patterns(my->rbm);
    double log_z;
    exit_code code = find_log_z(my, call, &log_z);
    if (code == EXIT_DONE)
        code = states_text_create(&my->text, my->found, patterns, log_z, settings->show);
    if (code != EXIT_DONE)
        return code;
    my->n_patterns = patterns ? isg_patterns_describe(patterns).n_patterns : SIZE_MAX;
    my->lowest = my->text.lines[0].energy;
    my->states = (result_list){my->text.lines, my->text.count, sizeof *my->text.lines};
    for (size_t k = 0; k < my->text.count; k++)
        if (my->text.lines[k].is_pattern) {
            my->stored++;
            my->in_patterns += my->text.lines[k].reached;
        }
    return EXIT_DONE;
}

static exit_code write_files(const states_result *my, const invocation *call) {
    const states_settings *settings = call->settings;
    const size_t count = settings->show < my->info.count ? settings->show : my->info.count;
    exit_code code = EXIT_DONE;
    if (settings->picture)
        code = draw_states(settings->picture, my->found, count, my->height, my->width);
    if (code == EXIT_DONE && settings->out)
        code = states_text_save(&my->text, my->found, call, settings->out, my->height, my->width);
    return code;
}

static exit_code run(const invocation *call) {
    const states_settings *settings = call->settings;
    states_result my = {
        .model = call->arguments[0], .file = settings->out, .picture = settings->picture};
    exit_code code = check(call, &my);
    if (code == EXIT_DONE)
        code = load_network(&my, call);
    if (code == EXIT_DONE)
        code = find_shape(&my, settings);
    if (code == EXIT_DONE)
        code = load_data(&my, call);
    if (code == EXIT_DONE)
        code = search(&my, call);
    if (code == EXIT_DONE)
        code = describe(&my, call);
    if (code == EXIT_DONE)
        code = write_files(&my, call);
    if (code == EXIT_DONE)
        result_show(call, &my);
    states_text_free(&my.text);
    isg_deep_states_free(my.found);
    isg_dataset_free(my.data);
    isg_rbm_free(my.rbm);
    return code;
}

/* clang-format off */
static const argument_entry arguments[] = {
    {.name = "M.npz|P.npz", .help = "RBM written by 'isinglass map' or 'isinglass train', or the RUN "
                                    "of a training; or patterns, for the network that stores them",
     .is_file = true},
    {.name = "DATA", .help = "Data to search from as well. " DATA_HELP,
     .choices = data_names, .is_open = true, .is_file = true, .is_optional = true},
    {.name = NULL},
};

static const option_entry options[] = {
    {.name = "show", .kind = OPTION_SIZE, .metavar = "N", .low = 1, .high = 1e9,
     .offset = offsetof(states_settings, show),
     .help = "States to print and to draw, the deepest; --output and --json have all"},
    {.name = "most", .kind = OPTION_SIZE, .metavar = "N", .low = 1, .high = 1e9,
     .offset = offsetof(states_settings, how.most), .help = "States to keep, the deepest"},
    {.name = "beta", .kind = OPTION_DOUBLE, .metavar = "B", .low = 1e-30, .high = 1e30,
     .offset = offsetof(states_settings, beta), .otherwise = "the model's; 2 for patterns",
     .help = "Inverse temperature, of shares and bound"},
    {.name = "rule", .kind = OPTION_CHOICE, .metavar = "RULE", .choices = rule_names,
     .offset = offsetof(states_settings, rule), .help = "How patterns are stored"},
    {.name = "allow-rank-deficient", .kind = OPTION_FLAG,
     .offset = offsetof(states_settings, mapping.allow_rank_deficient),
     .help = "Accept linearly dependent patterns, and store their span"},
    {.name = "starts", .kind = OPTION_SIZE, .metavar = "N", .low = 0, .high = 1e7,
     .offset = offsetof(states_settings, how.random_starts),
     .help = "Random states to search from; the share of them that ends in a state is its basin"},
    {.name = "log-z", .kind = OPTION_TEXT, .metavar = "VALUE|auto|bound",
     .offset = offsetof(states_settings, log_z), .otherwise = "auto",
     .help = "ln Z at this beta, as 'isinglass score' prints it; auto computes it, which takes most "
             "of the time; bound takes the bound instead, so that shares are at most what is shown"},
    {.name = "picture", .kind = OPTION_FILE, .metavar = "FILE.png|.svg",
     .offset = offsetof(states_settings, picture), .otherwise = "no picture",
     .help = "Draw the states that are printed, in rows of 10; blue are those that are no pattern"},
    {.name = "output", .letter = 'o', .kind = OPTION_FILE, .metavar = "FILE.npz",
     .offset = offsetof(states_settings, out), .otherwise = "no file",
     .help = "Write all states as arrays"},
    DATA_OPTIONS(states_settings, data),
    {.name = NULL},
};

#define IS(field, what) RESULT(states_result, field, what)
#define INFO(field, name, what) RESULT_AS(states_result, info.field, name, what)

#define HEADING(share) "\n    #            H      depth   " share "       well    basin"
#define OF_PATTERNS "  nearest       overlap  differ  what"

static const result_entry results[] = {
    IS(file, "the arrays, or null"),
    IS(picture, "the picture, or null"),
    INFO(n_visible, "n_visible", "number of spins"),
    IS(n_patterns, "number of patterns that the network was made from, or null"),
    INFO(beta, "beta", "inverse temperature"),
    INFO(is_even, "is_even", "whether H(-s) = H(s): each state then stands for itself and its mirror image"),
    INFO(is_closed, "is_closed", "whether combinations of the deepest states led to nothing new"),
    INFO(found, "found", "minima that were found, of which states[] has the deepest"),
    IS(stored, "those in states[] that are patterns"),
    INFO(ground, "ground_states", "minima with the lowest energy; if is_even, pairs"),
    IS(lowest, "the lowest energy"),
    INFO(bound, "bound", "ln of the sum of exp(-beta H) over all minima that were found: at most ln Z"),
    INFO(starts, "starts", "random states to search from"),
    IS(in_patterns, "how many of these end in a pattern of states[]"),
    RESULT_POINTER(states_result, log_z, log_z_results, "with --log-z auto; else null"),
    RESULT_LIST_OF(states_result, states, states_text_results, NULL),
    RESULT_HIDDEN(states_result, model), RESULT_HIDDEN(states_result, by_bound),
    RESULT_HIDDEN_AS(states_result, text.has_patterns, "has_patterns"),
    {.when = "has_patterns", .label = "network",
     .text = "{model}: {n_visible spin}, {n_patterns pattern}, beta {beta}"},
    {.when = "!has_patterns", .label = "network", .text = "{model}: {n_visible spin}, beta {beta}"},
    {.when = "is_even", .label = "minima", .text = "{found pair}, each a state and its mirror image"},
    {.when = "!is_even", .label = "minima", .text = "{found}"},
    {.when = "is_even", .label = "ground states", .text = "{ground_states pair} at H = {lowest:.6g}"},
    {.when = "!is_even", .label = "ground states", .text = "{ground_states} at H = {lowest:.6g}"},
    {.label = "search", .text = "{is_closed:closed: combinations of the deepest lead to nothing new"
                                "|not closed: combinations of the deepest still lead to new ones}"},
    {.label = "bound", .text = "ln Z is at least {bound:.4f}, by these states alone"},
    {.when = "log_z", .label = "ln Z", .text = "{log_z.value:.4f} +- {log_z.error:.2g}, by {log_z.method}"},
    {.when = "log_z&!log_z.trusted", .label = "beware", .text = "{log_z.reason}"},
    {.when = "has_patterns&starts", .label = "random starts",
     .text = "{starts}, of which {in_patterns} end in patterns"},
    {.when = "has_patterns&!by_bound", .each = "states", .heading = HEADING("share of Z") OF_PATTERNS},
    {.when = "has_patterns&by_bound", .each = "states", .heading = HEADING("   at most") OF_PATTERNS},
    {.when = "!has_patterns&!by_bound", .each = "states", .heading = HEADING("share of Z")},
    {.when = "!has_patterns&by_bound", .each = "states", .heading = HEADING("   at most")},
    {.when = "picture", .label = "picture", .text = "{picture}"},
    {.when = "file", .label = "file", .text = "{file}"},
    {.key = NULL}};

static const example examples[] = {
    {"isinglass states digits.npz", "What the network of the digits remembers, and what else."},
    {"isinglass states digits.npz --show 106 --picture states.png",
     "Look at the first 106; the blue ones are spurious."},
    {"isinglass states RUN mnist:train --log-z bound",
     "The deepest states of a trained RBM, without waiting for ln Z."},
    {NULL, NULL},
};
/* clang-format on */

const command command_states = {
    .name = "states",
    .section = "Models",
    .summary = "List the minima of the energy: patterns and spurious states",
    .description =
        "Searches for minima of the energy H(s) = -b.s - |W's + c|^2 / 2 + |c|^2 / 2: states from "
        "which no flip of a single spin leads down. Searches start from the patterns, from DATA, "
        "from random states, and from combinations of three of the deepest states, until these "
        "lead "
        "to nothing new. That is no proof that nothing is missing.\n"
        "Without fields, H(-s) = H(s), and a state stands for itself and its mirror image.\n"
        "depth is H above the lowest. share of Z is the probability of the state itself, of which "
        "--log-z bound tells what it is at most; well is "
        "that of the states around it, if chains that start there stay there, and it is the "
        "deepest of them. basin is the share of random starts "
        "from which going downhill, through the spins in turn, ends in the state. overlap and "
        "differ compare it with the nearest pattern.\n"
        "A state that is no pattern is spurious. If it differs from sgn(+-a +-b +-c) of three "
        "patterns in at most 2 % of its spins, and from every pattern in more, it is called a "
        "mixture. If +-a +-b +-c itself is +1 or -1 everywhere, it is as deep as the patterns of a "
        "projection network: a ground state that nobody stored.\n"
        "FILE.npz has s (states x spins), energy, share, well, reached (random starts), "
        "nearest (-1 if there are no patterns), distance, and of the nearest mixture of three "
        "patterns mixture (states x 3: numbers of patterns), signs (states x 3), mixture_distance "
        "(-1, and so is mixture, if there are fewer than three patterns) and is_sum.",
    .arguments = arguments,
    .options = options,
    .results = results,
    .examples = examples,
    .settings_bytes = sizeof(states_settings),
    .defaults = defaults,
    .run = run,
};
