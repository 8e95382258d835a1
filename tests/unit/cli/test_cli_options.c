/* test_cli_options.c - the command line of a program that has every kind of option
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* a name of failure.h */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "help.h"
#include "options.h"

typedef enum method { METHOD_QR, METHOD_SVD, METHOD_SQRT } method;

typedef struct settings {
    bool fields;
    const char *text, *file, *directory;
    method method;
    size_t count;
    uint64_t code;
    double beta, rate, any;
} settings;

static void defaults(void *fields) {
    *(settings *)fields =
        (settings){.text = "none", .method = METHOD_SVD, .count = 3, .beta = 2, .rate = 1e-3};
}

#define FIELD(name) offsetof(settings, name)
static const char *const methods[] = {"qr", "svd", "sqrt", NULL};
static const char *const sets[] = {"mnist", "fashion", NULL};
static const char *const named_data[] = {"mnist:train", "mnist:test", NULL};

static const option_entry options[] = {
    {.name = "fields", .kind = OPTION_FLAG, .help = "Learn fields", .offset = FIELD(fields)},
    {.name = "text",
     .kind = OPTION_TEXT,
     .metavar = "T",
     .help = ".Any text",
     .offset = FIELD(text)},
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_FILE,
     .metavar = "FILE",
     .help = "Write to FILE",
     .is_required = true,
     .offset = FIELD(file)},
    {.name = "from",
     .kind = OPTION_DIRECTORY,
     .metavar = "DIR",
     .help = "Read from DIR",
     .offset = FIELD(directory)},
    {.name = "via",
     .kind = OPTION_CHOICE,
     .metavar = "METHOD",
     .help = "How",
     .choices = methods,
     .offset = FIELD(method)},
    {.name = "count",
     .alias = "number",
     .kind = OPTION_SIZE,
     .metavar = "K",
     .help = "How many",
     .low = 1,
     .high = HUGE_VAL,
     .offset = FIELD(count)},
    {.name = "code", .kind = OPTION_UINT64, .metavar = "C", .help = "Code", .offset = FIELD(code)},
    {.name = "beta",
     .kind = OPTION_DOUBLE,
     .metavar = "B",
     .help = "Inverse temperature",
     .low = 0,
     .high = HUGE_VAL,
     .is_above_low = true,
     .offset = FIELD(beta)},
    {.name = "rate",
     .kind = OPTION_DOUBLE,
     .metavar = "R",
     .help = "Rate",
     .low = 0,
     .high = 1,
     .is_above_low = true,
     .offset = FIELD(rate)},
    {.name = "any", .kind = OPTION_DOUBLE, .metavar = "X", .help = "Any", .offset = FIELD(any)},
    {.name = NULL},
};

static const argument_entry get_arguments[] = {
    {.name = "NAME", .help = "A data set", .choices = sets},
    {.name = NULL},
};
static const argument_entry info_arguments[] = {
    {.name = "DATA", .help = "Data", .choices = named_data, .is_open = true, .is_file = true},
    {.name = "MORE", .help = "More", .is_file = true, .is_optional = true, .is_repeated = true},
    {.name = NULL},
};

static exit_code run(const invocation *call) {
    (void)call;
    return EXIT_DONE;
}

static const command get = {.group = "data",
                            .name = "get",
                            .section = "Data",
                            .summary = "Fetch",
                            .description = "Fetches.",
                            .arguments = get_arguments,
                            .run = run};
static const command data_info = {.group = "data",
                                  .name = "info",
                                  .section = "Data",
                                  .summary = "Describe",
                                  .description = "Describes it's \"back\\slash\".\n.Second.",
                                  .arguments = info_arguments,
                                  .options = options,
                                  .settings_bytes = sizeof(settings),
                                  .defaults = defaults,
                                  .run = run};
static const command info = {
    .name = "info", .section = "Machine", .summary = "Show", .description = "Shows.", .run = run};
const command *const commands[] = {&get, &data_info, &info, NULL};

enum { MAXIMUM_WORDS = 24 };

/* Parses "a b c" (no quoting; ~ stands for an empty word), gives the sentence of a failure. */
static exit_code parse(invocation *call, const char *line) {
    static char copy[512];
    char *argv[MAXIMUM_WORDS], *rest = copy;
    int argc = 0;
    snprintf(copy, sizeof copy, "isinglass %s", line);
    for (char *word = strtok(rest, " "); word && argc < MAXIMUM_WORDS; word = strtok(NULL, " "))
        argv[argc++] = strcmp(word, "~") == 0 ? word + 1 : word;
    *call = (invocation){0};
    const exit_code code = options_parse(call, argc, argv);
    return code == EXIT_DONE ? options_check(call) : code;
}

static void accepted(void **state) {
    (void)state;
    invocation call;
    assert_int_equal(parse(&call, "data info -o out.npz d.npz"), EXIT_DONE);
    const settings *s = call.settings;
    assert_ptr_equal(call.verb, &data_info);
    assert_string_equal(s->file, "out.npz");
    assert_string_equal(s->text, "none");
    assert_null(s->directory);
    assert_true(!s->fields && s->method == METHOD_SVD && s->count == 3 && s->code == 0);
    assert_true(s->beta == 2 && s->rate == 1e-3);
    assert_true(call.common.seed == 1 && call.common.threads == 0);
    assert_true(call.n_arguments == 1 && strcmp(call.arguments[0], "d.npz") == 0);
    assert_true(call_has_option(&call, "output") && !call_has_option(&call, "text"));
    options_free(&call);

    assert_int_equal(parse(&call,
                           "--seed 9 data --json info a --any -1e-3 --via=qr b --rate 1 "
                           "--fields --output=-x --text=a=b --code 7 --beta .5 -- --fields -"),
                     EXIT_DONE);
    s = call.settings;
    assert_true(s->fields && s->any == -1e-3 && s->method == METHOD_QR && s->rate == 1 &&
                s->code == 7);
    assert_true(s->beta == 0.5 && call.common.seed == 9 && call.common.json);
    assert_string_equal(s->file, "-x");
    assert_string_equal(s->text, "a=b");
    assert_int_equal(call.n_arguments, 4);
    assert_string_equal(call.arguments[2], "--fields");
    assert_string_equal(call.arguments[3], "-");
    assert_true(call_has_option(&call, "code") && !call_has_option(&call, "nonsense"));
    options_free(&call);

    assert_int_equal(parse(&call, "--quiet data info d -oout.npz --number 4"), EXIT_DONE);
    s = call.settings;
    assert_string_equal(s->file, "out.npz");
    assert_true(s->count == 4 && call_has_option(&call, "count"));
    assert_true(call.given_by_alias != 0);
    options_free(&call);
    assert_int_equal(parse(&call, "data info d -o=out.npz --count 4"), EXIT_DONE);
    s = call.settings;
    assert_string_equal(s->file, "out.npz");
    assert_true(s->count == 4 && call.given_by_alias == 0);
    options_free(&call);

    assert_int_equal(parse(&call, "data get fashion"), EXIT_DONE);
    options_free(&call);
    assert_int_equal(parse(&call, "info"), EXIT_DONE);
    assert_ptr_equal(call.verb, &info);
    options_free(&call);
}

/* What failure_print() would write, without "isinglass: " and the pointer to the help. */
static const char *sentence_of(const char *line) {
    static char text[2000];
    invocation call;
    assert_int_equal(parse(&call, line), EXIT_MISUSED);
    options_free(&call);
    snprintf(text, sizeof text, "%s", failure_sentence());
    char *pointer = strstr(text, " (see 'isinglass ");
    assert_non_null(pointer);
    *pointer = '\0';
    return text;
}

static void refused(void **state) {
    (void)state;
    static const struct {
        const char *line, *sentence;
    } cases[] = {
        {"data", "data: expected get or info, found nothing"},
        {"data gte mnist", "data: unknown verb 'gte'; did you mean 'get'?"},
        {"get mnist", "unknown verb 'get'; did you mean 'data get'?"},
        {"dta info", "unknown verb 'dta'; did you mean 'data'?"},
        {"data_info x", "unknown verb 'data_info'; did you mean 'data info'?"},
        {"--via qr data info", "option '--via' must follow its verb, such as 'data info'"},
        {"-o x data info", "option '-o' must follow its verb, such as 'data info'"},
        {"data get", "data get: expected NAME, found nothing"},
        {"data get mnits", "data get: NAME: expected mnist or fashion, found 'mnits'; did you mean "
                           "'mnist'?"},
        {"data get mnist fashion", "data get: expected nothing after NAME, found 'fashion'"},
        {"data info -o x", "data info: expected DATA, found nothing"},
        {"data info x", "data info: expected --output FILE, found nothing"},
        {"data info ~", "data info: expected DATA, found an empty text"},
        {"data info x -o", "data info: --output: expected FILE, found nothing"},
        {"data info x -o --via", "data info: --output: expected FILE, found nothing"},
        {"data info x -xfile", "data info: unknown option '-xfile'"},
        {"data info x -o=", "data info: --output: expected FILE, found nothing"},
        {"data info --count 1 --number 2", "data info: --count: given twice"},
        {"data info --number 0", "data info: --count: expected a whole number from 1 on, found "
                                 "'0'"},
        {"data info x -output f", "data info: unknown option '-output'; did you mean '--output'?"},
        {"data info x -o a --output b", "data info: --output: given twice"},
        {"data info --via q", "data info: --via: expected qr, svd or sqrt, found 'q'"},
        {"data info --via=sdv", "data info: --via: expected qr, svd or sqrt, found 'sdv'; did you "
                                "mean 'svd'?"},
        {"data info --count 0", "data info: --count: expected a whole number from 1 on, found '0'"},
        {"data info --count 1.5", "data info: --count: expected a whole number from 1 on, found "
                                  "'1.5'"},
        {"data info --beta 0", "data info: --beta: expected a number above 0, found '0'"},
        {"data info --beta nan", "data info: --beta: expected a number above 0, found 'nan'"},
        {"data info --beta 1e3x", "data info: --beta: expected a number above 0, found '1e3x'"},
        {"data info --rate 1.1", "data info: --rate: expected a number above 0 and up to 1, found "
                                 "'1.1'"},
        {"data info --any inf", "data info: --any: expected a number, found 'inf'"},
        {"data info --code -1", "data info: --code: expected a whole number from 0 to "
                                "18446744073709551615, found '-1'"},
        {"data info --fields=1", "data info: --fields: takes no value, found '1'"},
        {"info x", "info: takes no arguments, found 'x'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(sentence_of(cases[i].line), cases[i].sentence);
}

static void mentioned_help(void **state) {
    (void)state;
    char *before[] = {(char[]){"isinglass"}, (char[]){"x"}, (char[]){"--help"}, (char[]){"--"}};
    char *behind[] = {(char[]){"isinglass"}, (char[]){"--"}, (char[]){"--help"}};
    assert_true(options_mention(4, before, "--help"));
    assert_false(options_mention(4, before, "-h"));
    assert_false(options_mention(3, behind, "--help"));
}

static bool contains(output *out, const char *text) {
    output_bytes(out, "", 1);
    assert_false(out->is_out_of_memory);
    const bool is_there = strstr(out->text, text);
    out->length--;
    return is_there;
}

static void generated(void **state) {
    (void)state;
    output out = {0};
    help_command(&out, &data_info, true);
    assert_true(contains(&out, "\nUsage: isinglass data info [options] -o FILE DATA [MORE...]\n"));
    assert_true(contains(&out, "\n  -o, --output FILE\n                    Write to FILE\n"));
    assert_true(contains(&out, "\n  --beta B          Inverse temperature [default: 2]\n"));
    assert_true(contains(&out, "\n  --rate R          Rate [default: 1e-3]\n"));
    assert_true(contains(&out, "How: qr, svd or sqrt [default: svd]\n"));
    assert_false(contains(&out, "number N"));
    output_free(&out);
    help_group(&out, "data");
    assert_true(
        contains(&out, "\nData:\n  data get          Fetch\n  data info         Describe\n"));
    assert_false(contains(&out, "Machine"));
    output_free(&out);
    print_manual(&out);
    assert_true(contains(&out, "Describes it\\(aqs \\(dqback\\(rsslash\\(dq.\n.PP\n\\&.Second.\n"));
    assert_true(contains(&out, "\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR\n"));
    assert_true(contains(&out, "\n\\&.Any text.\n"));
    output_free(&out);
    print_completion(&out);
    assert_true(contains(&out, "local groups=' data "));
    assert_true(contains(&out, "'data info':--output | 'data info':-o) files=-f ;;\n"));
    assert_true(contains(&out, "'data info':--via) choices=' qr svd sqrt' ;;\n"));
    assert_true(contains(&out, ":0) choices=' data info' ;;\n"));
    assert_true(contains(&out, "'data:0') choices=' get info' ;;\n"));
    assert_true(contains(&out, "'data get:0') choices=' mnist fashion' ;;\n"));
    assert_true(contains(&out, "'data info:0') choices=' mnist:train mnist:test'; files=-f ;;\n"));
    assert_true(contains(&out, "'data info:1' | 'data info:'*) files=-f ;;\n"));
    output_free(&out);
}

/* What bash, after sourcing the script, offers for these words. */
static void check_completion(const char *script, const char *words, const char *expected) {
    char line[600], found[300] = "";
    snprintf(line, sizeof line,
             "bash -c 'source %s; COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "
             "_isinglass; echo \"${COMPREPLY[@]}\"'",
             script, words);
    FILE *bash = popen(line, "r");
    assert_non_null(bash);
    assert_non_null(fgets(found, sizeof found, bash));
    assert_int_equal(pclose(bash), 0);
    found[strcspn(found, "\n")] = '\0';
    assert_string_equal(found, expected);
}

static void completed(void **state) {
    (void)state;
    static const struct {
        const char *words, *expected;
    } cases[] = {
        {"isinglass d", "data"},
        {"isinglass data \"\"", "get info"},
        {"isinglass data get m", "mnist"},
        {"isinglass data get mnist \"\"", ""},
        {"isinglass data info mnist:t", "mnist:train mnist:test"},
        /* As bash cuts it where ':' and '=' are among its COMP_WORDBREAKS. */
        {"isinglass data info mnist : te", "test"},
        {"isinglass data info mnist :", "train test"},
        {"isinglass data info --via = s", "svd sqrt"},
        {"isinglass data info --via=s", "--via=svd --via=sqrt"},
        {"isinglass data info --via \"\"", "qr svd sqrt"},
        {"isinglass data info -o x --fi", "--fields"},
        {"isinglass data get --fi", ""},
        {"isinglass --seed 1 --json data info x --be", "--beta"},
    };
    char directory[] = "/tmp/isinglass-test-XXXXXX", script[64];
    assert_non_null(mkdtemp(directory));
    snprintf(script, sizeof script, "%s/script", directory);
    output out = {0};
    print_completion(&out);
    FILE *file = fopen(script, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(out.text, 1, out.length, file), out.length);
    assert_int_equal(fclose(file), 0);
    output_free(&out);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check_completion(script, cases[k].words, cases[k].expected);
    remove(script);
    remove(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepted),  cmocka_unit_test(refused),   cmocka_unit_test(mentioned_help),
        cmocka_unit_test(generated), cmocka_unit_test(completed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
