/* manual.c - the manual page, from the tables of command.h
 *
 * SPDX-License-Identifier: MIT
 *
 * Roff for the man macros, without a date, so that the same source gives the same page.
 */
#include <string.h>

#include "cli/allocation.h"
#include "cli/help.h"
#include "cli/options.h"

/* Characters that roff reads as commands or turns into typographic look-alikes, and what prints
   them as they are typed. */
static const struct {
    char character;
    const char *roff;
} escapes[] = {
    {'\\', "\\(rs"}, {'-', "\\-"},   {'\'', "\\(aq"}, {'`', "\\(ga"},
    {'^', "\\(ha"},  {'~', "\\(ti"}, {'"', "\\(dq"},
};

static void print_escaped(output *out, const char *text) {
    for (; *text; text++) {
        const char *roff = NULL;
        for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++)
            if (escapes[i].character == *text)
                roff = escapes[i].roff;
        if (roff)
            output_print(out, "%s", roff);
        else if (*text == '\n')
            output_print(out, text[1] == '.' ? "\n.PP\n\\&" : "\n.PP\n");
        else
            output_bytes(out, text, 1);
    }
}

/* A line of running text; a period at its start would be a command. */
static void print_line(output *out, const char *text, const char *end) {
    output_print(out, "%s", text[0] == '.' ? "\\&" : "");
    print_escaped(out, text);
    output_print(out, "%s\n", end);
}

static void print_heading(output *out, const char *macro, const char *text) {
    output_print(out, ".%s \"", macro);
    print_escaped(out, text);
    output_print(out, "\"\n");
}

/* A name in bold with its explanation below. */
static void print_item(output *out, const char *name, const char *text) {
    output_print(out, ".TP\n\\fB");
    print_escaped(out, name);
    output_print(out, "\\fR\n");
    print_line(out, text, ".");
}

static void print_options(output *out, const option_entry *table, const void *settings) {
    for (; table && table->name; table++) {
        if (table->is_hidden)
            continue;
        output_print(out, ".TP\n");
        if (table->letter)
            output_print(out, "\\fB\\-%c\\fR%s", table->letter, table->name[0] ? ", " : "");
        if (table->name[0]) {
            output_print(out, "\\fB\\-\\-");
            print_escaped(out, table->name);
            output_print(out, "\\fR");
        }
        if (table->metavar) {
            output_print(out, " \\fI");
            print_escaped(out, table->metavar);
            output_print(out, "\\fR");
        }
        output_print(out, "\n");
        char text[HELP_BYTES];
        print_line(out, shown_help(table, text), ".");
        const char *initial = shown_default(table, settings, text);
        if (initial) {
            output_print(out, "Default: ");
            print_line(out, initial, ".");
        }
    }
}

static void print_synopsis(output *out, const command *verb) {
    char title[TITLE_BYTES];
    output usage = {0};
    print_usage(&usage, verb);
    output_bytes(&usage, "", 1);
    out->is_out_of_memory |= usage.is_out_of_memory;
    output_print(out, ".br\n\\fBisinglass ");
    print_escaped(out, command_title(verb, title));
    output_print(out, "\\fR ");
    print_line(out, usage.text ? usage.text : "", "");
    output_free(&usage);
}

static void print_examples(output *out, const example *table) {
    if (table && table->line)
        output_print(out, ".PP\nExamples:\n");
    for (; table && table->line; table++) {
        output_print(out, ".TP\n\\f(CR");
        print_escaped(out, table->line);
        output_print(out, "\\fR\n");
        print_line(out, table->what, "");
    }
}

static void print_key(output *out, const char *key, const char *what) {
    if (key)
        print_item(out, key, what);
    else {
        output_print(out, ".PP\n");
        print_line(out, what, "");
    }
}

static void print_verb(output *out, const command *verb) {
    char title[TITLE_BYTES];
    print_heading(out, "SS", command_title(verb, title));
    print_line(out, verb->description, "");
    for (const argument_entry *a = verb->arguments; a && a->name; a++)
        print_item(out, a->name, a->help);
    void *settings = default_settings(verb);
    if (settings)
        print_options(out, verb->options, settings);
    out->is_out_of_memory |= !settings;
    memory_release(settings);
    if (verb->results) {
        output_print(out, ".PP\nKeys of the result with \\fB\\-\\-json\\fR:\n");
        result_keys(verb->results, "", print_key, out);
    }
    print_examples(out, verb->examples);
}

void print_manual(output *out) {
    output_print(out, ".TH ISINGLASS 1 \"\" \"isinglass %s\" \"User Commands\"\n", isg_version());
    output_print(out, ".SH NAME\n");
    print_escaped(out, "isinglass");
    output_print(out, " \\- ");
    print_line(out, program_summary, "");
    output_print(out, ".SH SYNOPSIS\n\\fBisinglass\\fR \\fIVERB\\fR [options] \\fIARGUMENTS\\fR\n");
    for (size_t i = 0; commands[i]; i++)
        print_synopsis(out, commands[i]);
    output_print(out, ".SH DESCRIPTION\n");
    print_line(
        out,
        "Builds Hopfield networks and restricted Boltzmann machines, maps exactly between "
        "them, trains and samples them, and scores them with honest error bars. Every "
        "task is a verb.\n"
        "Results go to standard output, as readable text or, with --json, as exactly one "
        "JSON document; progress, remarks and errors go to standard error. The same seed "
        "gives the same result on any number of threads.\n"
        "Samples, patterns, classes and units are numbered from 0, as the arrays in the files "
        "are; lines, rows and columns of text files in error messages from 1, as editors "
        "count.",
        "");
    output_print(out, ".SH VERBS\n");
    for (size_t i = 0; commands[i]; i++)
        print_verb(out, commands[i]);
    output_print(out, ".SH OPTIONS OF EVERY VERB\n");
    const common_settings common = common_defaults();
    print_options(out, common_options, &common);
    output_print(out, ".SH EXIT STATUS\n");
    for (const exit_meaning *e = exit_meanings; e->code; e++)
        print_item(out, e->code, e->meaning);
    output_print(out, ".SH ENVIRONMENT\n");
    for (const environment_variable *v = environment_variables; v->name; v++)
        print_item(out, v->name, v->what);
}
