/* fuzz_cli_report.c - any bytes as a file that the report of a reproduction is made of
 *
 * SPDX-License-Identifier: MIT
 *
 * The first byte chooses the file: settings.json or the figure.json of a figure. The other one is as
 * it should be.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "child.h"
#include "mutator.h"
#include "paper/report.h"
#include "target.h"

enum { PATH_BYTES = 128, N_FILES = 2, MOST_TAG = 16 };

static experiment my = {.scale = SCALE_PAPER, .seed = 1};
static char directory[PATH_BYTES - 32], paths[N_FILES][PATH_BYTES];

static const char *const usual[N_FILES] = {
    "{\"version\": \"0\", \"scale\": \"paper\", \"seed\": \"1\", \"train_sha256\": \"a\"}",
    "{\"name\": \"fig2\", \"caption\": \"c\", \"command\": \"m\", \"seconds\": 61.5,"
    " \"parameters\": {\"k\": [1, 2.5], \"t\": \"u\"},"
    " \"files\": [{\"name\": \"fig2.csv\", \"what\": \"numbers\"}]}"};

static const claim one_claim = {
    .id = "x", .section = "2", .figure = "fig2", .statement = "s", .paper = "p"};
static finding found = {.claim = &one_claim, .ruling = {.ours = "o", .why = "w"}};
static const findings claims = {.at = &found, .n = 1, .counts = {1}};

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed) {
    if (size < 2 || seed % 16 == 0)
        return mutate_as(FORM_PLAIN, bytes, size, room, seed);
    return 1 + mutate_as(FORM_TEXT, bytes + 1, size - 1, room - 1, seed / 16);
}

static void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static void clean_up(void) {
    remove_tree(directory);
}

void prepare(void) {
    char path[PATH_BYTES];
    snprintf(directory, sizeof directory, "%s.report", scratch_file());
    snprintf(path, sizeof path, "%s/fig2", directory);
    remove_tree(directory); /* of a process that crashed */
    if (mkdir(directory, 0700) != 0 || mkdir(path, 0700) != 0 || atexit(clean_up) != 0)
        abort();
    my.directory = directory;
    snprintf(paths[0], PATH_BYTES, "%s/settings.json", directory);
    snprintf(paths[1], PATH_BYTES, "%s/fig2/figure.json", directory);
    snprintf(path, sizeof path, "%s/fig2/fig2.svg", directory);
    write_file(path, "<svg/>", 6);
    snprintf(path, sizeof path, "%s/fig2/fig2.csv", directory);
    write_file(path, "k\n1\n", 4);
    for (size_t k = 0; k < N_FILES; k++)
        write_file(paths[k], usual[k], strlen(usual[k]));
}

/* Whatever the files say is text of the page: every tag is one that the report has itself, and all
   are closed that must be. */
static void check_tags(const char *page) {
    static const char *const open[] = {"!DOCTYPE", "meta", "link", "img"};
    static const char *const closed[] = {
        "html",  "head",    "title", "style", "body", "header", "main", "nav",    "section",
        "h1",    "h2",      "h3",    "h4",    "p",    "div",    "span", "a",      "em",
        "cite",  "code",    "pre",   "ol",    "ul",   "li",     "dl",   "dt",     "dd",
        "table", "caption", "thead", "tbody", "tr",   "th",     "td",   "figure", "figcaption"};
    enum { N_OPEN = sizeof open / sizeof open[0], N_CLOSED = sizeof closed / sizeof closed[0] };
    long balance[N_CLOSED] = {0};
    for (const char *at = strchr(page, '<'); at; at = strchr(at + 1, '<')) {
        const bool is_end = at[1] == '/';
        const char *name = at + 1 + is_end;
        const size_t length = strcspn(name, " >\n");
        size_t k = 0;
        while (k < N_CLOSED &&
               (strlen(closed[k]) != length || strncmp(name, closed[k], length) != 0))
            k++;
        if (k < N_CLOSED) {
            balance[k] += is_end ? -1 : 1;
            continue;
        }
        for (k = 0; k < N_OPEN; k++)
            if (strlen(open[k]) == length && strncmp(name, open[k], length) == 0)
                break;
        if (k == N_OPEN)
            abort();
    }
    for (size_t k = 0; k < N_CLOSED; k++)
        if (balance[k] != 0)
            abort();
}

depth attack(const uint8_t *bytes, size_t size) {
    if (size < 1)
        return REFUSED;
    const size_t which = bytes[0] % N_FILES;
    write_file(paths[which], bytes + 1, size - 1);
    const exit_code code = report_write(&my, &claims);
    write_file(paths[which], usual[which], strlen(usual[which]));
    if (code == EXIT_CHECKPOINT)
        return strstr(failure_sentence(), "not a file") ? REFUSED : BEGUN;
    if (code == EXIT_FILE)
        return BEGUN;
    output page = {0};
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/report.html", directory);
    if (code != EXIT_DONE || html_read(&page, path) != EXIT_DONE)
        abort();
    output_bytes(&page, "", 1); /* a final zero */
    check_tags(page.text);
    output_free(&page);
    return ACCEPTED;
}
