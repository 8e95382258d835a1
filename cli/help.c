/* help.c - help texts from the tables of command.h
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/options.h"
#include "cli/value.h"

const char program_summary[] =
    "Hopfield networks and restricted Boltzmann machines as two views of one object";

enum { NAME_COLUMN = 2, TEXT_COLUMN = 20, LABEL_BYTES = 64 };

/* A name in the left column and its text, filled, in the right one. */
static void print_row(output *out, const char *name, const char *text) {
    size_t column = NAME_COLUMN + strlen(name);
    output_print(out, "%*s%s", NAME_COLUMN, "", name);
    if (column + 2 > TEXT_COLUMN) {
        output_print(out, "\n");
        column = 0;
    }
    output_fill(out, column, TEXT_COLUMN, text);
}

const char *shown_help(const option_entry *option, char text[HELP_BYTES]) {
    char words[WORDS_BYTES];
    if (option->kind != OPTION_CHOICE)
        return option->help;
    snprintf(text, HELP_BYTES, "%s: %s", option->help, list_choices(option->choices, words));
    return text;
}

const char *shown_default(const option_entry *option, const void *settings, char text[HELP_BYTES]) {
    return value_has_default(option) ? value_text(option, settings, text) : option->otherwise;
}

void print_usage(output *out, const command *verb) {
    output_print(out, "[options]");
    for (const option_entry *o = verb->options; o && o->name; o++)
        if (o->is_required && o->letter)
            output_print(out, " -%c %s", o->letter, o->metavar);
        else if (o->is_required)
            output_print(out, " --%s %s", o->name, o->metavar);
    for (const argument_entry *a = verb->arguments; a && a->name; a++)
        output_print(out, " %s%s%s%s", a->is_optional ? "[" : "", a->name,
                     a->is_repeated ? "..." : "", a->is_optional ? "]" : "");
}

/* "-o, --output FILE" */
static const char *format_label(const option_entry *option, char label[LABEL_BYTES]) {
    const bool has_name = option->name[0], has_value = option->metavar;
    char letter[8] = "";
    if (option->letter)
        snprintf(letter, sizeof letter, has_name ? "-%c, " : "-%c", option->letter);
    snprintf(label, LABEL_BYTES, "%s%s%s%s%s", letter, has_name ? "--" : "", option->name,
             has_value ? " " : "", has_value ? option->metavar : "");
    return label;
}

static void print_option(output *out, const option_entry *option, const void *settings) {
    char label[LABEL_BYTES], help[HELP_BYTES], value[HELP_BYTES], text[2 * HELP_BYTES];
    const char *initial = shown_default(option, settings, value);
    snprintf(text, sizeof text, "%s%s%s%s", shown_help(option, help), initial ? " [default: " : "",
             initial ? initial : "", initial ? "]" : "");
    print_row(out, format_label(option, label), text);
}

static void print_options(output *out, const char *heading, const option_entry *table,
                          const void *settings) {
    if (!table || !table->name)
        return;
    output_print(out, "\n%s:\n", heading);
    for (; table->name; table++)
        if (!table->is_hidden)
            print_option(out, table, settings);
}

static void print_common_options(output *out) {
    const common_settings common = common_defaults();
    print_options(out, "Options of every verb", common_options, &common);
}

static void print_exit_codes(output *out) {
    output_print(out, "\nExit codes:\n");
    for (const exit_meaning *e = exit_meanings; e->code; e++) {
        output_print(out, "  %3s  ", e->code);
        output_fill(out, 7, 7, e->meaning);
    }
}

/* ---- The program ----------------------------------------------------------------------- */

static void print_verbs(output *out, const char *group) {
    char title[TITLE_BYTES];
    const char *section = "";
    for (size_t i = 0; commands[i]; i++) {
        const command *verb = commands[i];
        if (group && (!verb->group || strcmp(verb->group, group) != 0))
            continue;
        if (strcmp(section, verb->section) != 0)
            output_print(out, "\n%s:\n", verb->section);
        section = verb->section;
        print_row(out, command_title(verb, title), verb->summary);
    }
}

static void print_pointers(output *out, const char *group) {
    char text[400];
    snprintf(text, sizeof text,
             "'isinglass %sVERB -h' lists the options of a verb; 'isinglass %sVERB --help' "
             "explains it, with examples. Results go to standard output, everything else to "
             "standard error.",
             group, group);
    output_print(out, "\n");
    output_fill(out, 0, 0, text);
}

void help_overview(output *out, bool is_full) {
    output_print(out, "isinglass %s\n%s.\n", isg_version(), program_summary);
    output_print(out, "\nUsage: isinglass VERB [options] ARGUMENTS\n");
    print_verbs(out, NULL);
    if (is_full) {
        print_common_options(out);
        output_print(out, "\nEnvironment:\n");
        for (const environment_variable *v = environment_variables; v->name; v++)
            print_row(out, v->name, v->what);
        print_exit_codes(out);
    }
    print_pointers(out, "");
}

void help_group(output *out, const char *group) {
    output_print(out, "Usage: isinglass %s VERB [options] ARGUMENTS\n", group);
    print_verbs(out, group);
    char words[TITLE_BYTES];
    snprintf(words, sizeof words, "%s ", group);
    print_pointers(out, words);
}

/* ---- One verb -------------------------------------------------------------------------- */

static void print_arguments(output *out, const argument_entry *table) {
    if (!table || !table->name)
        return;
    output_print(out, "\nArguments:\n");
    for (; table->name; table++)
        print_row(out, table->name, table->help);
}

/* The names of the common options, without explanations. */
static void print_common_names(output *out) {
    char list[512] = "", label[LABEL_BYTES];
    size_t used = 0;
    for (const option_entry *o = common_options; o->name && used < sizeof list; o++)
        if (!o->is_hidden) {
            const int added = snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                       format_label(o, label));
            used += added > 0 ? (size_t)added : 0;
        }
    output_print(out, "\nOptions of every verb:\n");
    output_fill(out, 0, NAME_COLUMN, list);
}

static void print_key(output *out, const char *key, const char *what) {
    if (key)
        print_row(out, key, what);
    else
        output_fill(out, 0, NAME_COLUMN, what);
}

static void print_examples(output *out, const example *table) {
    if (!table || !table->line)
        return;
    output_print(out, "\nExamples:\n");
    for (; table->line; table++) {
        output_print(out, "  %s\n", table->line);
        output_fill(out, 0, 6, table->what);
    }
}

void help_command(output *out, const command *verb, bool is_full) {
    char title[TITLE_BYTES];
    void *settings = default_settings(verb);
    if (!settings) {
        out->is_out_of_memory = true;
        return;
    }
    command_title(verb, title);
    output_print(out, "%s.\n\nUsage: isinglass %s ", verb->summary, title);
    print_usage(out, verb);
    output_print(out, "\n");
    if (is_full) {
        output_print(out, "\n");
        output_fill(out, 0, 0, verb->description);
    }
    print_arguments(out, verb->arguments);
    print_options(out, "Options", verb->options, settings);
    memory_release(settings);
    if (!is_full) {
        print_common_names(out);
        output_print(out, "\n'isinglass %s --help' explains them and gives examples.\n", title);
        return;
    }
    print_common_options(out);
    if (verb->results) {
        output_print(out, "\nWith --json, the keys of the result:\n");
        result_keys(verb->results, "", print_key, out);
    }
    print_examples(out, verb->examples);
    print_exit_codes(out);
}
