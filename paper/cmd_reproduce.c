/* cmd_reproduce.c - isinglass reproduce: recompute the figures of the paper
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
    scale scale;
} reproduce_settings;

static void defaults(void *settings) {
    *(reproduce_settings *)settings = (reproduce_settings){.scale = SCALE_QUICK};
}

enum { MOST_FIGURES = 16 };

/* Those asked for, each once and in the order of the paper; all if none was named. */
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
    const claims_result *my = &((const reproduce_result *)results)->claims;
    output_label(out, "claims");
    output_print(out, "%zu", my->all);
    for (size_t k = 0; k < N_VERDICTS; k++)
        if (my->summary[k] > 0 || k == VERDICT_HOLDS)
            output_print(out, "%s %zu %s", k == VERDICT_HOLDS ? ":" : ",", my->summary[k],
                         verdict_plurals[k]);
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

static exit_code show_result(const invocation *call, const experiment *my,
                             const figure *const *chosen, size_t n, const findings *claims) {
    reproduce_result out = {.scale = scale_names[my->scale],
                            .directory = my->directory,
                            .report = memory_format("%s/report.html", my->directory)};
    out.claims.file = memory_format("%s/claims.json", my->directory);
    out.figures = (result_list){out.rows, n, sizeof out.rows[0]};
    out.claims.all = claims->n;
    memcpy(out.claims.summary, claims->counts, sizeof out.claims.summary);
    exit_code code = out.report && out.claims.file ? EXIT_DONE : fail_memory();
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
    data_settings settings = data_defaults();
    settings.how.limit = scale_limits[my->scale];
    exit_code code = data_load(&my->train, call, "mnist:train", &settings, NULL);
    if (code == EXIT_DONE)
        code = data_load(&my->test, call, "mnist:test", &settings, NULL);
    return code;
}

/* The training set with threshold 0, which the paper states but did not use. */
static exit_code load_printed(experiment *my, const invocation *call) {
    data_settings settings = data_defaults();
    settings.how.limit = scale_limits[my->scale];
    settings.threshold = 0;
    return claims_need_printed(my) ? data_load(&my->printed, call, "mnist:train", &settings, NULL)
                                   : EXIT_DONE;
}

/* What has been computed is saved: the same command resumes. */
static exit_code stopped(exit_code code, const invocation *call) {
    char sentence[200];
    const size_t length = strlen(failure_sentence());
    memcpy(sentence, failure_sentence(), length < sizeof sentence ? length + 1 : sizeof sentence);
    sentence[sizeof sentence - 1] = '\0';
    return fail(code, "%s; the results so far are saved; to resume: %s", sentence,
                call->command_line);
}

static exit_code carry_out(experiment *my, const invocation *call) {
    const reproduce_settings *settings = call->settings;
    const figure *chosen[MOST_FIGURES];
    const size_t n = choose(call, chosen);
    findings claims = {0};
    exit_code code = load(my, call);
    if (code == EXIT_DONE)
        code = experiment_open(my, settings->out, call->common.force);
    if (code == EXIT_DONE)
        code = load_printed(my, call);
    if (code == EXIT_DONE)
        code = experiment_run(my, chosen, n);
    char *reason = my->drawn != EXIT_DONE ? memory_format("%s", failure_sentence()) : NULL;
    if (code == EXIT_DONE)
        code = my->drawn != EXIT_DONE && !reason ? fail_memory() : claims_write(my, &claims);
    if (code == EXIT_DONE)
        code = report_write(my, &claims);
    if (code == EXIT_INTERRUPTED || code == EXIT_TERMINATED)
        code = stopped(code, call);
    if (code == EXIT_DONE)
        code = show_result(call, my, chosen, n, &claims);
    findings_free(&claims);
    if (code != EXIT_DONE || !reason) {
        memory_release(reason);
        return code;
    }
    code = fail(EXIT_FAILED,
                "%s; all numbers are in %s; run the same command again to draw what is missing",
                reason, my->directory);
    memory_release(reason);
    return code;
}

static exit_code run(const invocation *call) {
    const reproduce_settings *settings = call->settings;
    experiment my = {.scale = (scale)settings->scale,
                     .seed = call->common.seed,
                     .command = call->command_line,
                     .is_quiet = call->common.quiet};
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
    {.name = "FIG", .help = "Figures of the paper to compute; all if none is named", .choices = figure_names,
     .is_optional = true, .is_repeated = true},
    {.name = NULL},
};

static const option_entry options[] = {
    {.name = "output", .letter = 'o', .kind = OPTION_DIRECTORY, .metavar = "DIR", .is_required = true,
     .offset = offsetof(reproduce_settings, out),
     .help = "Write everything to DIR/SCALE, which is created if necessary; results already there are reused"},
    {.name = "scale", .kind = OPTION_CHOICE, .metavar = "SCALE", .choices = scale_names,
     .offset = offsetof(reproduce_settings, scale),
     .help = "quick takes minutes and shows the main results, paper is as large as the original and takes "
             "hours, tiny takes seconds and only shows that everything runs"},
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
    {"isinglass reproduce fig2 fig4 --scale paper -o paper", "Two of them in full; after Ctrl-C, the same command resumes."},
    {"isinglass reproduce fig3 -o paper --json", "One of them, and a list of its files for a script."},
    {NULL, NULL},
};
/* clang-format on */

const command command_reproduce = {
    .name = "reproduce",
    .section = "Models",
    .summary = "Recompute the figures of the paper and check its claims",
    .description =
        "Computes the figures of Smart and Zilman (ICLR 2021) from MNIST. For every figure FIG, "
        "DIR/SCALE/FIG has the numbers (FIG.csv and others), a gnuplot script that draws them "
        "(FIG.gp), pictures (FIG.svg and others) and figure.json with caption, parameters, time "
        "and a list of these files; 'gnuplot FIG.gp' in that directory draws the figure again. "
        "DIR/SCALE/report.html shows everything on one page, to be read in a browser, printed or "
        "sent by mail: it needs no other file.\n"
        "Every result is saved as soon as it is computed. If the program is interrupted, the same "
        "command resumes, and the final numbers are the same as without the interruption. "
        "Finished figures are left alone. Results of another version, seed or data are refused; "
        "use --force to replace them. Each scale has a directory of its own.\n"
        "Then every claim of the paper is checked against the numbers computed so far: claims.json "
        "and claims.csv in DIR/SCALE have its value and ours with an error, a verdict (holds, "
        "differs, not testable, or not computed: its figure is missing or has too few epochs) and "
        "the reason.\n"
        "Without gnuplot, all numbers are computed and saved, but the exit code is 1; the same "
        "command draws the pictures once gnuplot is installed.",
    .arguments = arguments,
    .options = options,
    .results = results,
    .examples = examples,
    .settings_bytes = sizeof(reproduce_settings),
    .defaults = defaults,
    .run = run,
};
