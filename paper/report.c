/* report.c - report.html: everything that reproduce has computed, on one page
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "paper/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/allocation.h"
#include "cli/options.h"
#include "cli/text_file.h"

/* Larger files are only linked, so that the page can be sent by mail. */
enum { MOST_EMBEDDED_BYTES = 1 << 20 };

typedef struct report {
    experiment *my;
    const findings *claims;
    json_t *settings;
    json_t *records; /* figure.json of every figure, null if it is not finished */
    output page;
} report;

static const char *const scale_meanings[N_SCALES] = {
    [SCALE_TINY] =
        "a few samples and epochs, just enough to show that everything runs; the numbers "
        "mean nothing",
    [SCALE_QUICK] =
        "all of MNIST, but fewer runs, epochs and temperatures than the paper: minutes on "
        "two cores",
    [SCALE_PAPER] =
        "as many samples, runs, epochs and annealing steps as the paper: hours on two cores",
};

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static const json_t *record_of(const report *this, size_t k) {
    const json_t *record = json_array_get(this->records, k);
    return json_is_object(record) ? record : NULL;
}

/* ---- the beginning ---------------------------------------------------------------------------- */

static void print_head(report *this) {
    output *page = &this->page;
    html_print(page,
               "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
               "<meta name=\"color-scheme\" content=\"light dark\">\n"
               "<meta name=\"generator\" content=\"isinglass %s\">\n"
               "<title>Hopfield networks and RBMs: the paper recomputed (%s scale)</title>\n"
               "<link rel=\"icon\" href=\"data:,\">\n<style>\n",
               isg_version(), scale_names[this->my->scale]);
    for (size_t k = 0; report_style[k]; k++)
        output_print(page, "%s", report_style[k]);
    output_print(page, "</style>\n</head>\n<body>\n");
}

static void print_opening(report *this) {
    html_print(
        &this->page,
        "<header>\n<p class=\"kicker\">isinglass %s &middot; %s scale &middot; seed %s</p>\n"
        "<h1>Hopfield networks and restricted Boltzmann machines: the paper recomputed</h1>\n"
        "<p>This page compares what Smart and Zilman published with what isinglass computes from "
        "MNIST: every statement that can be checked, with a number and a verdict, and every figure "
        "with results, with the command, the parameters and the data behind it. Values called ours "
        "were computed with the version and the seed named here; apart from times, the same "
        "command gives the same numbers again. The scale is <em>%s</em>: %s.</p>\n"
        "<p class=\"citation\">Matthew Smart and Anton Zilman, <cite>On the mapping between "
        "Hopfield "
        "networks and Restricted Boltzmann Machines</cite>, International Conference on Learning "
        "Representations (ICLR), 2021. <a href=\"https://arxiv.org/abs/2101.11744\">"
        "arXiv:2101.11744</a></p>\n</header>\n",
        isg_version(), scale_names[this->my->scale], text_of(this->settings, "seed"),
        scale_names[this->my->scale], scale_meanings[this->my->scale]);
}

static void print_contents(report *this) {
    output *page = &this->page;
    output_print(page,
                 "<nav aria-labelledby=\"contents\">\n<h2 id=\"contents\">Contents</h2>\n<ol>\n"
                 "<li><a href=\"#claims\">Claims of the paper</a> <span class=\"tally\">");
    report_claims_tally(page, this->claims, NULL);
    output_print(page, "</span></li>\n");
    for (size_t k = 0; figures[k]; k++) {
        html_print(page, "<li><a href=\"#%s\">%s</a> <span class=\"tally\">", figures[k]->name,
                   figures[k]->title);
        if (record_of(this, k))
            report_claims_tally(page, this->claims, figures[k]->name);
        else
            output_print(page, "not finished");
        output_print(page, "</span></li>\n");
    }
    output_print(page, "<li><a href=\"#provenance\">How to repeat it</a></li>\n</ol>\n</nav>\n");
}

/* The command that computes one figure, or all, into this directory. */
static void print_command(report *this, const char *name) {
    const experiment *my = this->my;
    const size_t length = strlen(my->directory) - strlen(scale_names[my->scale]) - 1;
    char *directory = memory_format("%.*s", (int)length, my->directory);
    char *word = directory ? memory_allocate(word_room(directory), 1) : NULL;
    char seed[40] = "";
    if (my->seed != 1)
        snprintf(seed, sizeof seed, " --seed %" PRIu64, my->seed);
    if (word) {
        append_word(word, directory);
        html_print(&this->page,
                   "<pre class=\"command\"><code>isinglass reproduce%s%s --scale %s%s -o "
                   "%s</code></pre>\n",
                   *name ? " " : "", name, scale_names[my->scale], seed, word);
    } else {
        this->page.is_out_of_memory = true;
    }
    memory_release(word);
    memory_release(directory);
}

static void print_claims(report *this) {
    output *page = &this->page;
    output_print(page, "<section>\n<h2 id=\"claims\">Claims of the paper</h2>\n");
    report_claims_table(page, this->claims);
    output_print(page, "</section>\n");
}

/* ---- figures ---------------------------------------------------------------------------------- */

static void print_value(output *page, const json_t *value) {
    size_t k;
    const json_t *part;
    const char *key, *between = "";
    if (json_is_string(value))
        html_print(page, "%s", json_string_value(value));
    else if (json_is_integer(value))
        output_print(page, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        output_print(page, "%.6g", json_real_value(value));
    else if (json_is_boolean(value))
        output_print(page, json_is_true(value) ? "yes" : "no");
    json_array_foreach(value, k, part) {
        output_print(page, "%s", between);
        print_value(page, part);
        between = json_is_object(part) ? "; " : ", ";
    }
    json_t *object;
    memcpy(&object, &value, sizeof object);
    json_object_foreach(object, key, part) {
        html_print(page, "%s%s ", between, key);
        print_value(page, part);
        between = ", ";
    }
}

/* The names of parameters are words joined by underscores. */
static void print_parameters(report *this, const json_t *record) {
    output *page = &this->page;
    const char *key;
    const json_t *value;
    output_print(page, "<dl class=\"parameters\">\n");
    json_object_foreach(json_object_get(record, "parameters"), key, value) {
        output_print(page, "<div><dt>");
        const size_t from = page->length;
        html_print(page, "%s", key);
        for (size_t k = from; k < page->length; k++)
            page->text[k] = page->text[k] == '_' ? ' ' : page->text[k];
        output_print(page, "</dt><dd>");
        print_value(page, value);
        output_print(page, "</dd></div>\n");
    }
    output_print(page, "<div><dt>seed</dt><dd>");
    html_print(page, "%s</dd></div>\n<div><dt>time</dt><dd>", text_of(record, "seed"));
    html_duration(page, json_number_value(json_object_get(record, "seconds")));
    output_print(page, "</dd></div>\n</dl>\n");
}

static void print_size(output *page, double bytes) {
    if (bytes < 1000)
        output_print(page, "%.0f bytes", bytes);
    else if (bytes < 1e6)
        output_print(page, "%.*f kB", bytes < 9950 ? 1 : 0, bytes / 1e3);
    else
        output_print(page, "%.1f MB", bytes / 1e6);
}

/* One file of a figure: embedded, to be saved from the page, and as a link to the file itself. */
static exit_code print_file(report *this, const char *folder, const json_t *entry) {
    output *page = &this->page;
    const char *name = text_of(entry, "name");
    char *path = memory_format("%s/%s/%s", this->my->directory, folder, name);
    struct stat about;
    if (!path)
        return fail_memory();
    exit_code code = EXIT_DONE;
    if (!*name || strchr(name, '/'))
        code =
            fail(EXIT_CHECKPOINT, "%s/%s/figure.json: '%s' is not the name of a file of the figure",
                 this->my->directory, folder, name);
    else if (stat(path, &about) != 0)
        code = fail(EXIT_FILE, "%s: could not be read", path);
    else if (about.st_size <= MOST_EMBEDDED_BYTES) {
        html_print(page, "<tr><td><a download=\"%s\" href=\"", name);
        code = html_data(page, path);
        html_print(page, "\">%s</a></td>", name);
    } else {
        html_print(page, "<tr><td>%s</td>", name);
    }
    html_print(page, "<td>%s</td><td class=\"size\">", text_of(entry, "what"));
    print_size(page, (double)(code == EXIT_DONE ? about.st_size : 0));
    html_print(page, "</td><td><a href=\"%s/%s\"><code>%s/%s</code></a></td></tr>\n", folder, name,
               folder, name);
    memory_release(path);
    return code;
}

static exit_code print_files(report *this, const char *folder, const json_t *record) {
    output *page = &this->page;
    size_t k;
    const json_t *entry;
    exit_code code = EXIT_DONE;
    output_print(page, "<div class=\"wide\"><table class=\"files\">\n<thead><tr>"
                       "<th scope=\"col\">Download</th><th scope=\"col\">Content</th>"
                       "<th scope=\"col\">Size</th><th scope=\"col\">Path from this page</th>"
                       "</tr></thead>\n<tbody>\n");
    json_array_foreach(json_object_get(record, "files"), k, entry) {
        if (code == EXIT_DONE)
            code = print_file(this, folder, entry);
    }
    output_print(page, "</tbody></table></div>\n");
    return code;
}

static exit_code print_picture(report *this, const figure *what, const json_t *record) {
    char *path = memory_format("%s/%s/%s.svg", this->my->directory, what->name, what->name);
    if (!path)
        return fail_memory();
    output_print(&this->page, "<figure>\n<div class=\"picture\"><img src=\"");
    const exit_code code = html_data(&this->page, path);
    html_print(&this->page, "\" alt=\"%s\"></div>\n<figcaption>%s</figcaption>\n</figure>\n",
               what->title, text_of(record, "caption"));
    memory_release(path);
    return code;
}

/* Says whether a figure lacks its numbers or only its picture. */
static exit_code print_missing(report *this, const figure *what) {
    char *table = memory_format("%s/%s/%s.csv", this->my->directory, what->name, what->name);
    if (!table)
        return fail_memory();
    if (access(table, R_OK) == 0)
        html_print(&this->page,
                   "<p class=\"missing\">Computed, but not drawn: its numbers are in "
                   "<a href=\"%s/%s.csv\"><code>%s/%s.csv</code></a>. With gnuplot installed, this "
                   "command draws it:</p>\n",
                   what->name, what->name, what->name, what->name);
    else
        html_print(&this->page,
                   "<p class=\"missing\">Not computed yet. This command does it:</p>\n");
    memory_release(table);
    print_command(this, what->name);
    return EXIT_DONE;
}

static exit_code print_figure(report *this, size_t k) {
    const figure *what = figures[k];
    const json_t *record = record_of(this, k);
    html_print(&this->page, "<section class=\"result\">\n<h3 id=\"%s\">%s</h3>\n", what->name,
               what->title);
    exit_code code = record ? print_picture(this, what, record) : print_missing(this, what);
    if (code == EXIT_DONE && record) {
        html_print(
            &this->page,
            "<h4>Command and parameters</h4>\n<pre class=\"command\"><code>%s</code></pre>\n",
            text_of(record, "command"));
        print_parameters(this, record);
        output_print(&this->page, "<h4>Files</h4>\n");
        code = print_files(this, what->name, record);
    }
    report_claims_list(&this->page, this->claims, what->name);
    output_print(&this->page, "</section>\n");
    return code;
}

static exit_code print_figures(report *this) {
    exit_code code = EXIT_DONE;
    output_print(&this->page, "<section>\n<h2 id=\"figures\">Figures</h2>\n");
    for (size_t k = 0; code == EXIT_DONE && figures[k]; k++)
        code = print_figure(this, k);
    output_print(&this->page, "</section>\n");
    return code;
}

/* ---- the end ---------------------------------------------------------------------------------- */

static void print_provenance(report *this) {
    html_print(
        &this->page,
        "<section>\n<h2 id=\"provenance\">How to repeat it</h2>\n<dl class=\"provenance\">\n"
        "<dt>Program</dt><dd>isinglass %s</dd>\n<dt>Scale</dt><dd>%s: %s</dd>\n<dt>Seed</dt>"
        "<dd>%s</dd>\n<dt>Training samples, SHA-256</dt><dd><code>%s</code></dd>\n"
        "<dt>Test samples, SHA-256</dt><dd><code>%s</code></dd>\n</dl>\n"
        "<p>The checksums are those of the spins of all samples that this scale uses, row by row. "
        "The same version, seed, scale and data give the same tables, on any number of threads and "
        "after any interruption. This command computes everything, or what is still "
        "missing:</p>\n",
        isg_version(), scale_names[this->my->scale], scale_meanings[this->my->scale],
        text_of(this->settings, "seed"), text_of(this->settings, "train_sha256"),
        text_of(this->settings, "test_sha256"));
    print_command(this, "");
    output_print(&this->page, "</section>\n</body>\n</html>\n");
}

static exit_code gather(report *this) {
    const experiment *my = this->my;
    exit_code code = experiment_record(my, "settings.json", &this->settings);
    this->records = json_array();
    for (size_t k = 0; code == EXIT_DONE && figures[k]; k++) {
        json_t *record = NULL;
        code = experiment_read(my, figures[k], &record);
        if (code == EXIT_DONE &&
            json_array_append_new(this->records, record ? record : json_null()) != 0)
            code = fail_memory();
    }
    return code;
}

static exit_code compose(report *this) {
    print_head(this);
    print_opening(this);
    print_contents(this);
    output_print(&this->page, "<main>\n");
    print_claims(this);
    const exit_code code = print_figures(this);
    output_print(&this->page, "</main>\n");
    print_provenance(this);
    return this->page.is_out_of_memory ? fail_memory() : code;
}

/* A report that would be the same is not touched, like everything else that is finished. */
static exit_code replace(const char *path, const output *page) {
    output old = {0};
    bool is_same = false;
    if (access(path, R_OK) == 0) {
        const exit_code code = html_read(&old, path);
        if (code != EXIT_DONE) {
            output_free(&old);
            return code;
        }
        is_same = old.length == page->length && memcmp(old.text, page->text, old.length) == 0;
    }
    output_free(&old);
    return is_same ? EXIT_DONE : text_file_write(path, page);
}

exit_code report_write(experiment *my, const findings *claims) {
    report this = {.my = my, .claims = claims};
    char *path = memory_format("%s/report.html", my->directory);
    exit_code code = path ? gather(&this) : fail_memory();
    if (code == EXIT_DONE)
        code = compose(&this);
    if (code == EXIT_DONE)
        code = replace(path, &this.page);
    json_decref(this.settings);
    json_decref(this.records);
    output_free(&this.page);
    memory_release(path);
    return code;
}
