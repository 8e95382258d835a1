/* test_paper_report.c - the report of reproduce: what it makes of texts, files and claims
 *
 * SPDX-License-Identifier: MIT
 *
 * tests/checks/report.sh looks at whole reports of the program, tests/browser/report.py at how they
 * look.
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* a name of failure.h */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "allocation.h"
#include "child.h"
#include "paper/report.h"

static char directory[64]; /* DIR/tiny */
static experiment my;

static void write_file(const char *name, const char *text) {
    char path[160];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

/* A figure with one table and a picture. */
static void write_figure(const char *name, const char *caption) {
    char path[160], text[2000];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/%s.svg", name, name);
    write_file(path, "<svg/>");
    snprintf(path, sizeof path, "%s/%s.csv", name, name);
    write_file(path, "a,b\n1,\"<%\"\n");
    snprintf(path, sizeof path, "%s/figure.json", name);
    snprintf(text, sizeof text,
             "{\"name\": \"%s\", \"title\": \"t\", \"caption\": \"%s\", \"command\": \"isinglass x "
             "< y\","
             "\"seed\": \"1\", \"seconds\": 3725.2, \"parameters\": {\"ais_chains\": 5, \"both\": "
             "[1, 2.5]},"
             "\"files\": [{\"name\": \"%s.csv\", \"what\": \"numbers\"}, {\"name\": \"%s.svg\","
             "\"what\": \"picture\"}]}",
             name, caption, name, name);
    write_file(path, text);
}

/* One claim, with everything that HTML knows in its texts. */
static claim one_claim = {.id = "a.1",
                          .section = "Sec. 2",
                          .figure = "fig3",
                          .statement = "</table><script>alert(1)</script>",
                          .paper = "\"4.4\" & 'more'"};
static finding found = {
    .claim = &one_claim,
    .ruling = {.ours = "4.5 +- 0.1 %", .why = "Eq. 3: a-b - 1 = -1.5e-3, x^-1 from 2-3"}};

static exit_code write_report(void) {
    findings claims = {.at = &found, .n = 1};
    claims.counts[found.ruling.verdict] = 1;
    return report_write(&my, &claims);
}

static void set_claim(verdict what, bool is_erratum) {
    found.ruling.verdict = what;
    one_claim.is_erratum = is_erratum;
}

static int begin(void **state) {
    (void)state;
    char parent[] = "/tmp/isinglass-report-XXXXXX";
    assert_non_null(mkdtemp(parent));
    snprintf(directory, sizeof directory, "%s/tiny", parent);
    assert_int_equal(mkdir(directory, 0777), 0);
    my = (experiment){.scale = SCALE_TINY, .seed = 7, .directory = directory};
    set_claim(VERDICT_HOLDS, false);
    write_file("settings.json",
               "{\"seed\": \"7\", \"train_sha256\": \"0a1b\", \"test_sha256\": \"2c3d\"}");
    return 0;
}

static int end(void **state) {
    (void)state;
    *strrchr(directory, '/') = '\0';
    remove_tree(directory);
    return 0;
}

/* The report as it is now; to be freed. */
static char *report(void) {
    char path[160];
    output page = {0};
    snprintf(path, sizeof path, "%s/report.html", directory);
    assert_int_equal(html_read(&page, path), EXIT_DONE);
    output_bytes(&page, "", 1);
    return page.text;
}

static void assert_report_has(const char *part, bool has) {
    char *page = report();
    const bool is_there = strstr(page, part) != NULL;
    if (is_there != has)
        print_error("'%s' is %s the report\n", part, has ? "not in" : "in");
    free(page);
    assert_true(is_there == has);
}

static void texts(void **state) {
    (void)state;
    output page = {0};
    html_print(&page, "<p title=\"%s\">%s %zu</p>", "a\"b'c", "<&>\001\n", (size_t)12);
    output_bytes(&page, "", 1);
    assert_string_equal(page.text, "<p title=\"a&quot;b&#39;c\">&lt;&amp;&gt;&#65533;\n 12</p>");
    output_free(&page);
}

static void durations(void **state) {
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } all[] = {{0, "0.0 s"},           {9.94, "9.9 s"},         {9.96, "10 s"},
               {59.4, "59 s"},         {59.6, "1 min 00 s"},    {3599.4, "59 min 59 s"},
               {3599.6, "1 h 00 min"}, {7500, "2 h 05 min"},    {-1, "unknown"},
               {1e300, "unknown"},     {(double)NAN, "unknown"}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        output text = {0};
        html_duration(&text, all[k].seconds);
        output_bytes(&text, "", 1);
        assert_string_equal(text.text, all[k].text);
        output_free(&text);
    }
}

/* The examples of RFC 4648, and text with everything that an address must not hold. */
static void data(void **state) {
    (void)state;
    static const char *const all[][3] = {
        {"x.png", "", "data:image/png;base64,"},
        {"x.png", "f", "data:image/png;base64,Zg=="},
        {"x.png", "fo", "data:image/png;base64,Zm8="},
        {"x.png", "foobar", "data:image/png;base64,Zm9vYmFy"},
        {"x.png", "\xff\xef\xbe", "data:image/png;base64,/+++"},
        {"x.csv", "1,\"%#&<'\n\xc3\xa4",
         "data:text/csv;charset=utf-8,1,%22%25%23%26%3C%27%0A%C3%A4"},
        {"npz", "a", "data:application/octet-stream;base64,YQ=="},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        char path[160];
        output text = {0};
        write_file(all[k][0], all[k][1]);
        snprintf(path, sizeof path, "%s/%s", directory, all[k][0]);
        assert_int_equal(html_data(&text, path), EXIT_DONE);
        output_bytes(&text, "", 1);
        assert_string_equal(text.text, all[k][2]);
        output_free(&text);
    }
}

static void hostile_texts(void **state) {
    (void)state;
    write_figure("fig3", "<b>bold</b> & \\\"quoted\\\" <img src=http://x onerror=y>");
    set_claim(VERDICT_DIFFERS, true);
    assert_int_equal(write_report(), EXIT_DONE);
    assert_report_has("<script", false);
    assert_report_has("<b>", false);
    assert_report_has("<img src=http", false);
    assert_report_has("&lt;b&gt;bold&lt;/b&gt; &amp; &quot;quoted&quot; &lt;img", true);
    assert_report_has("&lt;/table&gt;&lt;script&gt;alert(1)", true);
    assert_report_has("&quot;4.4&quot; &amp; &#39;more&#39;", true);
    assert_report_has("4.5 &plusmn; 0.1 %", true);
    assert_report_has("isinglass x &lt; y", true);
    assert_report_has(">Eq.&nbsp;3: a-b - 1 = &minus;1.5e&minus;3, x^&minus;1 from 2-3<", true);
}

static void contents(void **state) {
    (void)state;
    write_figure("fig3", "caption");
    assert_int_equal(write_report(), EXIT_DONE);
    assert_report_has("src=\"data:image/svg+xml;base64,PHN2Zy8+\" alt=\"Fig. 3", true);
    assert_report_has("href=\"data:text/csv;charset=utf-8,a,b%0A1,%22%3C%25%22%0A\">fig3.csv",
                      true);
    assert_report_has("<dt>ais chains</dt><dd>5</dd>", true);
    assert_report_has("<dt>both</dt><dd>1, 2.5</dd>", true);
    assert_report_has("1 h 02 min", true);
    assert_report_has("id=\"claim-a.1\"", true);
    assert_report_has("href=\"#errata\"", false);
    assert_report_has("<code>0a1b</code>", true);
    /* What is missing is said with the command for it, seed included. */
    assert_report_has("isinglass reproduce fig2 --scale tiny --seed 7 -o /tmp/", true);
    assert_report_has("isinglass reproduce fig3 --scale", false);
    /* A table without figure.json: computed, but not drawn. */
    char path[160];
    snprintf(path, sizeof path, "%s/fig3/figure.json", directory);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(write_report(), EXIT_DONE);
    assert_report_has("Computed, but not drawn", true);
    assert_report_has("isinglass reproduce fig3 --scale", true);
}

static void verdicts(void **state) {
    (void)state;
    static const char *const texts[N_VERDICTS] = {
        [VERDICT_HOLDS] = "&check;</span> holds",
        [VERDICT_DIFFERS] = "&ne;</span> differs",
        [VERDICT_NOT_TESTABLE] = "&cir;</span> not testable",
        [VERDICT_NOT_COMPUTED] = "&middot;</span> not computed"};
    for (size_t v = 0; v < N_VERDICTS; v++) {
        set_claim((verdict)v, v == VERDICT_DIFFERS);
        assert_int_equal(write_report(), EXIT_DONE);
        assert_report_has(texts[v], true);
        assert_report_has("class=\"verdict erratum\" href=\"#errata\"", v == VERDICT_DIFFERS);
    }
}

/* A figure.json that points elsewhere does not bring that into the report. */
static void foreign_files(void **state) {
    (void)state;
    write_figure("fig3", "caption");
    write_file("secret", "x");
    write_file("fig3/figure.json", "{\"files\": [{\"name\": \"../secret\", \"what\": \"w\"}]}");
    assert_int_equal(write_report(), EXIT_CHECKPOINT);
    assert_non_null(strstr(failure_sentence(), "'../secret' is not the name"));
}

/* The same directory gives the same bytes, and a report that says the same is left alone. */
static void the_same_again(void **state) {
    (void)state;
    char path[160];
    struct stat first, second;
    snprintf(path, sizeof path, "%s/report.html", directory);
    write_figure("fig3", "caption");
    assert_int_equal(write_report(), EXIT_DONE);
    assert_int_equal(stat(path, &first), 0);
    char *before = report();
    assert_int_equal(write_report(), EXIT_DONE);
    assert_int_equal(stat(path, &second), 0);
    assert_int_equal(first.st_ino, second.st_ino);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(write_report(), EXIT_DONE);
    char *after = report();
    assert_string_equal(before, after);
    free(before);
    free(after);
    write_file("report.html", "old");
    assert_int_equal(write_report(), EXIT_DONE);
    assert_report_has("caption", true);
}

/* Of the address sanitizer, where it is linked: ends the process if memory has leaked. */
__attribute__((weak)) void __lsan_do_leak_check(void);

/* Writes the report in a process of its own, where allocation n and all later ones fail. */
static int write_without(size_t n) {
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char text[32];
        snprintf(text, sizeof text, "%zu+", n);
        if (setenv("ISINGLASS_FAIL_ALLOCATION", text, 1) != 0 || memory_start() != EXIT_DONE)
            _exit(99);
        const exit_code code = write_report();
        if (__lsan_do_leak_check)
            __lsan_do_leak_check();
        _exit((int)code); /* what others do at exit() is not made for the child of a fork() */
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Out of memory, anywhere: the old report stays as it was, and nothing is left beside it. */
static void lack_of_memory(void **state) {
    (void)state;
    write_figure("fig3", "caption");
    set_claim(VERDICT_DIFFERS, true);
    write_file("report.html", "old");
    size_t n = 1;
    int code;
    while ((code = write_without(n)) != EXIT_DONE) {
        assert_int_equal(code, EXIT_NO_MEMORY);
        char *page = report();
        assert_string_equal(page, "old");
        free(page);
        n++;
    }
    print_message("%zu allocations\n", n);
    assert_true(n > 100);
    assert_report_has("</html>", true);
    struct dirent *entry;
    DIR *listing = opendir(directory);
    assert_non_null(listing);
    while ((entry = readdir(listing)))
        assert_null(strstr(entry->d_name, ".html."));
    closedir(listing);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(durations),
        cmocka_unit_test_setup_teardown(data, begin, end),
        cmocka_unit_test_setup_teardown(hostile_texts, begin, end),
        cmocka_unit_test_setup_teardown(contents, begin, end),
        cmocka_unit_test_setup_teardown(verdicts, begin, end),
        cmocka_unit_test_setup_teardown(foreign_files, begin, end),
        cmocka_unit_test_setup_teardown(the_same_again, begin, end),
        cmocka_unit_test_setup_teardown(lack_of_memory, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
