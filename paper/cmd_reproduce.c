/* cmd_reproduce.c - isinglass reproduce: the figures of the paper, computed anew
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/data_input.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "cli/suggest.h"
#include "paper/claims.h"
#include "paper/report.h"

typedef struct reproduce_settings {
    const char *out;
    size_t scale; /* a scale */
} reproduce_settings;

static const char *const figure_names[] = {"fig2",  "fig3",  "fig4",  "fig5",
                                           "figD1", "figD2", "figE1", NULL};

enum { MOST_FIGURES = 16 };

/* Those asked for, each once, in the order of the paper; all if none was. */
static size_t choose(const invocation *call, const figure **chosen) {
    size_t n = 0;
    for (size_t k = 0; figures[k]; k++) {
        bool is_chosen = call->n_arguments == 0;
        for (size_t a = 0; a < call->n_arguments; a++)
            is_chosen = is_chosen || strcmp(call->arguments[a], figures[k]->name) == 0;
        if (is_chosen)
            chosen[n++] = figures[k];
    }
    return n;
}

/* ---- results ---------------------------------------------------------------------------------- */

typedef struct figure_row {
    const char *name, *title, *caption;
    bool finished; /* its picture was drawn */
    double seconds;
    json_t *record; /* what follows is borrowed from it; NULL if it was not drawn */
    char **paths;   /* of `files` */
    result_list files;
} figure_row;

typedef struct claims_result {
    char *file;
    size_t all, summary[N_VERDICTS];
} claims_result;

typedef struct reproduce_result {
    const char *scale, *directory;
    figure_row rows[MOST_FIGURES];
    result_list figures;
    claims_result claims;
    char *report;
} reproduce_result;

/* "27: 20 hold, 5 differ, 2 not testable" */
static void print_claims(output *out, const void *results) {
    static const char *const words[] = {"hold", "differ", "not testable", "not computed"};
    const claims_result *my = &((const reproduce_result *)results)->claims;
    output_label(out, "claims");
    output_print(out, "%zu", my->all);
    for (size_t k = 0; k < N_VERDICTS; k++)
        if (my->summary[k] > 0 || k == VERDICT_HOLDS)
            output_print(out, "%s %zu %s", k == VERDICT_HOLDS ? ":" : ",", my->summary[k],
                         words[k]);
    output_print(out, "\n");
}

/* The files of a figure with their directory. */
static exit_code list_files(figure_row *row, const experiment *my) {
    const json_t *files = json_object_get(row->record, "files"), *entry = NULL;
    const size_t n = json_array_size(files);
    size_t k = 0;
    row->paths = memory_allocate(n, sizeof *row->paths);
    if (!row->paths)
        return fail_memory();
    row->files = (result_list){row->paths, n, sizeof *row->paths};
    json_array_foreach(files, k, entry) {
        const char *name = json_string_value(json_object_get(entry, "name"));
        row->paths[k] = memory_format("%s/%s/%s", my->directory, row->name, name ? name : "");
        if (!row->paths[k])
            return fail_memory();
    }
    return EXIT_DONE;
}

static exit_code read_figure(figure_row *row, const experiment *my, const figure *what) {
    const exit_code code = experiment_read(my, what, &row->record);
    const json_t *seconds = json_object_get(row->record, "seconds");
    row->name = what->name;
    row->title = what->title;
    row->finished = row->record != NULL;
    row->caption = json_string_value(json_object_get(row->record, "caption"));
    row->seconds = seconds ? json_number_value(seconds) : (double)NAN;
    return code == EXIT_DONE ? list_files(row, my) : code;
}

static exit_code read_claims(claims_result *out, const experiment *my) {
    json_t *claims = NULL;
    const exit_code code = experiment_record(my, "claims.json", &claims);
    const json_t *summary = json_object_get(claims, "summary");
    out->all = json_array_size(json_object_get(claims, "claims"));
    for (size_t k = 0; k < N_VERDICTS; k++)
        out->summary[k] = (size_t)json_integer_value(json_object_get(summary, verdict_names[k]));
    json_decref(claims);
    return code;
}

static exit_code show_result(const invocation *call, const experiment *my,
                             const figure *const *chosen, size_t n) {
    reproduce_result out = {.scale = scale_names[my->scale],
                            .directory = my->directory,
                            .report = memory_format("%s/report.html", my->directory)};
    out.claims.file = memory_format("%s/claims.json", my->directory);
    out.figures = (result_list){out.rows, n, sizeof out.rows[0]};
    exit_code code = out.report && out.claims.file ? read_claims(&out.claims, my) : fail_memory();
    for (size_t k = 0; code == EXIT_DONE && k < n; k++)
        code = read_figure(&out.rows[k], my, chosen[k]);
    if (code == EXIT_DONE)
        result_show(call, &out);
    for (size_t k = 0; k < n; k++) {
        for (size_t f = 0; f < out.rows[k].files.count; f++)
            memory_release(out.rows[k].paths[f]);
        memory_release(out.rows[k].paths);
        json_decref(out.rows[k].record);
    }
    memory_release(out.claims.file);
    memory_release(out.report);
    return code;
}

/* ---- the work --------------------------------------------------------------------------------- */

static exit_code load(experiment *my, const invocation *call) {
    const data_settings settings = {.limit = scale_limits[my->scale]};
    exit_code code = data_load(&my->train, call, "mnist:train", &settings);
    if (code == EXIT_DONE)
        code = data_load(&my->test, call, "mnist:test", &settings);
    return code;
}

/* The training set with the threshold 0, which the paper prints and did not use. */
static exit_code load_printed(experiment *my, const invocation *call) {
    const data_settings settings = {.limit = scale_limits[my->scale], .has_threshold = true};
    return claims_need_printed(my) ? data_load(&my->printed, call, "mnist:train", &settings)
                                   : EXIT_DONE;
}

/* What was done is kept, so that the same command goes on. */
static exit_code stopped(exit_code code, const invocation *call) {
    char sentence[200];
    const size_t length = strlen(failure_sentence());
    memcpy(sentence, failure_sentence(), length < sizeof sentence ? length + 1 : sizeof sentence);
    sentence[sizeof sentence - 1] = '\0';
    return fail(code, "%s; what was computed is kept, to go on: %s", sentence, call->command_line);
}

static exit_code carry_out(experiment *my, const invocation *call) {
    const reproduce_settings *settings = call->settings;
    const figure *chosen[MOST_FIGURES];
    const size_t n = choose(call, chosen);
    exit_code code = load(my, call);
    if (code == EXIT_DONE)
        code = experiment_open(my, settings->out, call->common.force);
    if (code == EXIT_DONE)
        code = load_printed(my, call);
    if (code == EXIT_DONE)
        code = experiment_run(my, chosen, n);
    char *reason = my->drawn != EXIT_DONE ? memory_format("%s", failure_sentence()) : NULL;
    if (code == EXIT_DONE)
        code = my->drawn != EXIT_DONE && !reason ? fail_memory() : claims_write(my);
    if (code == EXIT_DONE)
        code = report_write(my);
    if (code == EXIT_INTERRUPTED || code == EXIT_TERMINATED)
        code = stopped(code, call);
    if (code == EXIT_DONE)
        code = show_result(call, my, chosen, n);
    if (code != EXIT_DONE || !reason) {
        memory_release(reason);
        return code;
    }
    code =
        fail(EXIT_FAILED, "%s; all numbers are in %s, and the same command draws what is missing",
             reason, my->directory);
    memory_release(reason);
    return code;
}

static exit_code run(const invocation *call) {
    const reproduce_settings *settings = call->settings;
    experiment my = {.scale = (scale)settings->scale,
                     .seed = call->common.seed,
                     .command = call->command_line,
                     .is_quiet = call->common.quiet,
                     .lock = -1};
    signals_catch();
    const exit_code code = carry_out(&my, call);
    isg_dataset_free(my.train);
    isg_dataset_free(my.test);
    isg_dataset_free(my.printed);
    experiment_close(&my);
    signals_release();
    return code;
}

/* clang-format off */
static const argument_entry arguments[] = {
    {.name = "FIG", .help = "Which figures of the paper; all if none is named", .choices = figure_names,
     .is_optional = true, .is_repeated = true},
    {.name = NULL},
};

static const option_entry options[] = {
    {.name = "output", .letter = 'o', .kind = OPTION_DIRECTORY, .metavar = "DIR", .is_required = true,
     .offset = offsetof(reproduce_settings, out),
     .help = "Keep everything in DIR/SCALE, which is made if need be; what is there is gone on with"},
    {.name = "scale", .kind = OPTION_CHOICE, .metavar = "SCALE", .choices = scale_names,
     .initial = "quick", .offset = offsetof(reproduce_settings, scale),
     .help = "quick takes minutes and shows the essence, paper is as large as the original and takes "
             "hours, tiny only shows in seconds that everything runs"},
    {.name = NULL},
};

#define COUNT(k, name) {.kind = RESULT_SIZE, .key = name, .offset = (k) * sizeof(size_t)}

static const result_entry summary_results[] = { /* as in verdict_names */
    COUNT(VERDICT_HOLDS, "holds"),
    COUNT(VERDICT_DIFFERS, "differs"),
    COUNT(VERDICT_NOT_TESTABLE, "not testable"),
    COUNT(VERDICT_NOT_COMPUTED, "not computed"),
    {.key = NULL}};

static const result_entry claims_results[] = {
    RESULT(claims_result, file, "claims.json: every claim of the paper with section, figure, statement, "
                                "the paper's value, ours, error, verdict and reason"),
    RESULT_STRUCT(claims_result, summary, summary_results, "how many claims have which verdict"),
    {.key = NULL}};

static const result_entry figure_results[] = {
    RESULT(figure_row, name, "fig2, ..."),
    RESULT(figure_row, title, "what it shows"),
    RESULT(figure_row, finished, "whether its picture was drawn"),
    RESULT(figure_row, caption, "what is to be seen, or null"),
    RESULT(figure_row, seconds, "time it took, in all calls together, or null"),
    RESULT_LIST_OF(figure_row, files, result_texts, "tables, script and pictures"),
    {.when = "finished", .text = "{name:-19} {name}/{name}.svg, {seconds:.1f} s"},
    {.when = "!finished", .text = "{name:-19} not drawn; the numbers are in {name}/*.csv"},
    {.key = NULL}};

static const result_entry results[] = {
    RESULT(reproduce_result, scale, "tiny, quick or paper"),
    RESULT(reproduce_result, directory, "DIR/SCALE"),
    RESULT_LIST_OF(reproduce_result, figures, figure_results, NULL),
    RESULT_STRUCT(reproduce_result, claims, claims_results, NULL),
    RESULT(reproduce_result, report, "DIR/SCALE/report.html"),
    {.label = "directory", .text = "{directory}"},
    {.each = "figures"},
    {.print = print_claims},
    {.label = "report", .text = "{report}"},
    {.key = NULL}};

static const example examples[] = {
    {"isinglass reproduce -o paper", "All figures at quick scale, in a few minutes."},
    {"isinglass reproduce fig2 fig4 --scale paper -o paper", "Two of them in full; after Ctrl-C the same command goes on."},
    {"isinglass reproduce fig3 -o paper --json", "One of them, and a list of its files for a script."},
    {NULL, NULL},
};
/* clang-format on */

const command command_reproduce = {
    .name = "reproduce",
    .section = "Models",
    .summary = "Compute the figures of the paper anew, and judge its claims",
    .description =
        "Computes figures of Smart and Zilman (ICLR 2021) from MNIST. Every figure FIG leaves in "
        "DIR/SCALE/FIG its numbers (FIG.csv and others), a script of gnuplot that draws them "
        "(FIG.gp), pictures (FIG.svg and others) and figure.json with caption, parameters, time "
        "and a "
        "list of these files; 'gnuplot FIG.gp' there draws it again. DIR/SCALE/report.html shows "
        "all of it on one page, to be read in a browser, printed or sent: it needs no other "
        "file.\n"
        "Everything computed is kept at once, so that nothing is lost when the program is stopped: "
        "the same command goes on, and the numbers in the end are the same as if it had never been "
        "stopped. A finished figure is left alone. Results of another version, seed or data are "
        "refused; "
        "--force starts anew. Scales have directories of their own.\n"
        "Then every claim of the paper is held against the numbers that are there: claims.json and "
        "claims.csv in DIR/SCALE have its value and ours with an error, a verdict (holds, differs, "
        "not "
        "testable, or not computed: its figure is not there, or with too few epochs) and the "
        "reason.\n"
        "Without gnuplot all numbers are computed and kept; the exit code is then 1, and the same "
        "command "
        "draws the pictures once gnuplot is there.",
    .arguments = arguments,
    .options = options,
    .results = results,
    .examples = examples,
    .settings_bytes = sizeof(reproduce_settings),
    .run = run,
};
