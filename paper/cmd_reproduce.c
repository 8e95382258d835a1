/* cmd_reproduce.c - isinglass reproduce: the figures of the paper, computed anew
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
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

/* The files of a figure with their directory; NULL if memory ran out. */
static json_t *files_of(const experiment *my, const figure *what, const json_t *record) {
    json_t *files = json_array();
    size_t k;
    const json_t *entry;
    json_array_foreach(json_object_get(record, "files"), k, entry) {
        const char *name = json_string_value(json_object_get(entry, "name"));
        char *path = memory_format("%s/%s/%s", my->directory, what->name, name ? name : "");
        if (files && (!path || json_array_append_new(files, json_text(path)) != 0)) {
            json_decref(files);
            files = NULL;
        }
        memory_release(path);
    }
    return files;
}

static json_t *figure_json(const experiment *my, const figure *what, const json_t *record) {
    const json_t *caption = json_object_get(record, "caption");
    const json_t *seconds = json_object_get(record, "seconds");
    return json_pack("{s:s, s:s, s:b, s:o, s:o, s:o}", "name", what->name, "title", what->title,
                     "finished", record != NULL, "caption",
                     caption ? json_text(json_string_value(caption)) : json_null(), "seconds",
                     seconds ? json_number(json_number_value(seconds)) : json_null(), "files",
                     files_of(my, what, record));
}

/* What is shown in the end. */
typedef struct result {
    const figure *const *chosen; /* (n) */
    size_t n;
    json_t *records[MOST_FIGURES]; /* NULL where a figure was not drawn */
    const findings *claims;
} result;

static json_t *claims_json(const experiment *my, const findings *claims) {
    char *path = memory_format("%s/claims.json", my->directory);
    json_t *out =
        path ? json_pack("{s:o, s:o}", "file", json_text(path), "summary", findings_summary(claims))
             : NULL;
    memory_release(path);
    return out;
}

static void as_json(output *out, const experiment *my, const result *found) {
    json_t *list = json_array();
    for (size_t k = 0; list && k < found->n; k++)
        if (json_array_append_new(list, figure_json(my, found->chosen[k], found->records[k])) !=
            0) {
            json_decref(list);
            list = NULL;
        }
    json_t *document = list ? json_pack("{s:s, s:o, s:o, s:o}", "scale", scale_names[my->scale],
                                        "directory", json_text(my->directory), "figures", list,
                                        "claims", claims_json(my, found->claims))
                            : NULL;
    char *report = memory_format("%s/report.html", my->directory);
    if (document && (!report || json_object_set_new(document, "report", json_text(report)) != 0)) {
        json_decref(document);
        document = NULL;
    }
    memory_release(report);
    output_json(out, document);
}

/* "27: 20 hold, 5 differ, 2 not testable" */
static void claims_text(output *out, const findings *claims) {
    char text[200];
    size_t length = (size_t)snprintf(text, sizeof text, "%zu", claims->n);
    for (size_t k = 0; k < N_VERDICTS; k++)
        if (claims->counts[k] > 0 || k == VERDICT_HOLDS)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s %zu %s",
                                       k == VERDICT_HOLDS ? ":" : ",", claims->counts[k],
                                       verdict_plurals[k]);
    output_field(out, "claims", "%s", text);
}

static void as_text(output *out, const experiment *my, const result *found) {
    output_field(out, "directory", "%s", my->directory);
    for (size_t k = 0; k < found->n; k++) {
        const char *name = found->chosen[k]->name;
        if (found->records[k])
            output_field(out, name, "%s/%s.svg, %.1f s", name, name,
                         json_number_value(json_object_get(found->records[k], "seconds")));
        else
            output_field(out, name, "not drawn; the numbers are in %s/*.csv", name);
    }
    claims_text(out, found->claims);
    output_field(out, "report", "%s/report.html", my->directory);
}

static exit_code show_result(const invocation *call, const experiment *my,
                             const figure *const *chosen, size_t n, const findings *claims) {
    result found = {.chosen = chosen, .n = n, .claims = claims};
    exit_code code = EXIT_DONE;
    for (size_t k = 0; code == EXIT_DONE && k < n; k++)
        code = experiment_read(my, chosen[k], &found.records[k]);
    if (code == EXIT_DONE && call->common.json)
        as_json(call->out, my, &found);
    else if (code == EXIT_DONE)
        as_text(call->out, my, &found);
    for (size_t k = 0; k < n; k++)
        json_decref(found.records[k]);
    return code;
}

/* ---- the work --------------------------------------------------------------------------------- */

static exit_code load(experiment *my, const invocation *call) {
    data_settings settings = data_defaults();
    settings.how.limit = scale_limits[my->scale];
    exit_code code = data_load(&my->train, call, "mnist:train", &settings);
    if (code == EXIT_DONE)
        code = data_load(&my->test, call, "mnist:test", &settings);
    return code;
}

/* The training set with the threshold 0, which the paper prints and did not use. */
static exit_code load_printed(experiment *my, const invocation *call) {
    data_settings settings = data_defaults();
    settings.how.limit = scale_limits[my->scale];
    settings.how.threshold = 0;
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
    {.name = "FIG", .help = "Which figures of the paper; all if none is named", .choices = figure_names,
     .is_optional = true, .is_repeated = true},
    {.name = NULL},
};

static const option_entry options[] = {
    {.name = "output", .letter = 'o', .kind = OPTION_DIRECTORY, .metavar = "DIR", .is_required = true,
     .offset = offsetof(reproduce_settings, out),
     .help = "Keep everything in DIR/SCALE, which is made if need be; what is there is gone on with"},
    {.name = "scale", .kind = OPTION_CHOICE, .metavar = "SCALE", .choices = scale_names,
     .offset = offsetof(reproduce_settings, scale),
     .help = "quick takes minutes and shows the essence, paper is as large as the original and takes "
             "hours, tiny only shows in seconds that everything runs"},
    {.name = NULL},
};

static const json_key json_keys[] = {
    {"scale", "tiny, quick or paper"},
    {"directory", "DIR/SCALE"},
    {"figures[].name", "fig2, ..."},
    {"figures[].title", "what it shows"},
    {"figures[].finished", "whether its picture was drawn"},
    {"figures[].caption", "what is to be seen, or null"},
    {"figures[].seconds", "time it took, in all calls together, or null"},
    {"figures[].files[]", "tables, script and pictures"},
    {"claims.file", "claims.json: every claim of the paper with section, figure, statement, the paper's "
                    "value, ours, error, verdict and reason"},
    {"claims.summary{}", "how many claims have which verdict"},
    {"report", "DIR/SCALE/report.html"},
    {NULL, NULL},
};

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
    .json_keys = json_keys,
    .examples = examples,
    .settings_bytes = sizeof(reproduce_settings),
    .defaults = defaults,
    .run = run,
};
