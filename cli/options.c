/* options.c - the command line, read by the tables of command.h
 *
 * SPDX-License-Identifier: MIT
 *
 * Strict on purpose: no abbreviations, no bundled letters, no option given twice. What looks
 * harmless on a terminal becomes a silent mistake in a script.
 */
#include "cli/options.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/suggest.h"
#include "cli/value.h"

const char *command_title(const command *verb, char title[TITLE_BYTES]) {
    snprintf(title, TITLE_BYTES, "%s%s%s", verb->group ? verb->group : "", verb->group ? " " : "",
             verb->name);
    return title;
}

/* A mistake of the user: the sentence begins with the verb and ends with a pointer to its help. */
static exit_code misused(const invocation *call, const char *format, ...) CLI_PRINTF(2, 3);
static exit_code misused(const invocation *call, const char *format, ...) {
    char title[TITLE_BYTES] = "", sentence[800];
    if (call->verb)
        command_title(call->verb, title);
    else if (call->group)
        snprintf(title, sizeof title, "%s", call->group);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return fail(EXIT_MISUSED, "%s%s%s (see 'isinglass %s%s--help')", title, title[0] ? ": " : "",
                sentence, title, title[0] ? " " : "");
}

/* "; did you mean 'info'?" or nothing. */
static const char *meant(const suggestion *nearest, char words[WORDS_BYTES]) {
    words[0] = '\0';
    if (nearest->best[0])
        snprintf(words, WORDS_BYTES, "; did you mean '%s'?", nearest->best);
    return words;
}

/* ---- The verb -------------------------------------------------------------------------- */

static bool is_same(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static exit_code unknown_verb(const invocation *call, const char *word) {
    char title[TITLE_BYTES], words[WORDS_BYTES];
    suggestion nearest = {.typed = word};
    for (size_t i = 0; commands[i]; i++) {
        const command *candidate = commands[i];
        command_title(candidate, title);
        if (call->group && is_same(call->group, candidate->group))
            suggest(&nearest, candidate->name, candidate->name);
        if (call->group)
            continue;
        suggest(&nearest, title, title);
        if (candidate->group)
            suggest(&nearest, candidate->group, candidate->group);
        if (candidate->group && is_same(word, candidate->name))
            suggest(&nearest, word, title);
    }
    if (!call->group) {
        suggest(&nearest, "--help", "--help");
        suggest(&nearest, "--version", "--version");
    }
    return misused(call, "unknown verb '%.60s'%s", word, meant(&nearest, words));
}

void *default_settings(const command *verb) {
    void *settings = memory_allocate(1, verb->settings_bytes);
    if (settings && verb->defaults)
        verb->defaults(settings);
    return settings;
}

static exit_code use_command(invocation *call, const command *verb) {
    call->verb = verb;
    call->settings = default_settings(verb);
    return call->settings ? EXIT_DONE : fail_memory();
}

static exit_code take_verb(invocation *call, const char *word) {
    for (size_t i = 0; commands[i]; i++)
        if (is_same(commands[i]->group, call->group) && is_same(commands[i]->name, word))
            return use_command(call, commands[i]);
    for (size_t i = 0; commands[i] && !call->group; i++)
        if (is_same(commands[i]->group, word)) {
            call->group = commands[i]->group;
            return EXIT_DONE;
        }
    return unknown_verb(call, word);
}

/* ---- Options --------------------------------------------------------------------------- */

/* One argument of the command line that starts with a dash, split into its parts. */
typedef struct typed_option {
    const char *text;  /* as typed */
    const char *name;  /* behind the dashes */
    size_t length;     /* of the name alone */
    const char *value; /* behind the '=', NULL if there is none */
    bool is_long;
} typed_option;

static typed_option take_apart(const char *text) {
    const bool is_long = text[1] == '-';
    const char *name = text + (is_long ? 2 : 1);
    const size_t length = is_long ? strcspn(name, "=") : strlen(name);
    return (typed_option){text, name, length, name[length] ? name + length + 1 : NULL, is_long};
}

static bool is_name(const char *name, const typed_option *typed) {
    return name && typed->length > 0 && strlen(name) == typed->length &&
           strncmp(name, typed->name, typed->length) == 0;
}

static bool is_meant(const option_entry *option, const typed_option *typed) {
    if (typed->is_long)
        return is_name(option->name, typed) || is_name(option->alias, typed);
    return typed->length == 1 && option->letter == typed->name[0];
}

static const option_entry *find_option(const option_entry *table, const typed_option *typed,
                                       size_t *index) {
    for (*index = 0; table && table[*index].name; (*index)++) {
        assert(*index < 64); /* the bits of call->given */
        if (is_meant(&table[*index], typed))
            return &table[*index];
    }
    return NULL;
}

static void suggest_options(suggestion *nearest, const option_entry *table) {
    for (; table && table->name; table++)
        if (!table->is_hidden && table->name[0]) {
            char label[SUGGESTION_BYTES];
            snprintf(label, sizeof label, "--%s", table->name);
            suggest(nearest, label, label);
        }
}

static exit_code unknown_option(const invocation *call, const typed_option *typed) {
    char title[TITLE_BYTES], words[WORDS_BYTES], name[SUGGESTION_BYTES];
    size_t index = 0;
    for (size_t i = 0; commands[i] && !call->verb; i++)
        if (find_option(commands[i]->options, typed, &index))
            return misused(call, "option '%.60s' must follow its verb, such as '%s'", typed->text,
                           command_title(commands[i], title));
    const size_t length = (size_t)(typed->name - typed->text) + typed->length;
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
             typed->text);
    suggestion nearest = {.typed = name};
    if (call->verb)
        suggest_options(&nearest, call->verb->options);
    suggest_options(&nearest, common_options);
    return misused(call, "unknown option '%.60s'%s", name, meant(&nearest, words));
}

/* "-oFILE" and "-o=FILE" as "-o FILE". If a long name follows the single dash, as in "-output", the
   user probably meant that name, not a file. */
static typed_option detach_value(const invocation *call, typed_option typed) {
    const char *value = typed.name + 1 + (typed.name[0] && typed.name[1] == '=');
    const typed_option letter = {typed.text, typed.name, 1, value, false};
    typed_option whole = typed;
    size_t index = 0;
    whole.is_long = true;
    whole.length = strcspn(typed.name, "=");
    const option_entry *table = call->verb ? call->verb->options : NULL;
    const option_entry *option = find_option(table, &letter, &index);
    const bool has_value = !typed.is_long && typed.length > 1 && option &&
                           option->kind != OPTION_FLAG && !find_option(table, &whole, &index) &&
                           !find_option(common_options, &whole, &index);
    return has_value ? letter : typed;
}

/* A value may start with a dash only if it is a negative number or "-" alone, which many programs
   read as a stream: otherwise a forgotten value would swallow the next option. */
static bool is_option(const char *text) {
    return text[0] == '-' && text[1] && text[1] != '.' && !(text[1] >= '0' && text[1] <= '9');
}

static exit_code refuse_value(const invocation *call, const option_entry *option, const char *label,
                              const char *value) {
    char expected[WORDS_BYTES], words[WORDS_BYTES];
    suggestion nearest = {.typed = value};
    for (size_t i = 0; option->kind == OPTION_CHOICE && option->choices[i]; i++)
        suggest(&nearest, option->choices[i], option->choices[i]);
    return misused(call, "%s: expected %s, found '%.60s'%s", label,
                   value_expected(option, expected), value, meant(&nearest, words));
}

/* `next` is the following argument, NULL at the end; *took_next tells whether it was the value. */
static exit_code take_option(invocation *call, const char *text, const char *next,
                             bool *took_next) {
    const typed_option typed = detach_value(call, take_apart(text));
    size_t index = 0;
    uint64_t *given = &call->given;
    void *settings = call->settings;
    const option_entry *option =
        call->verb ? find_option(call->verb->options, &typed, &index) : NULL;
    if (!option) {
        option = find_option(common_options, &typed, &index);
        given = &call->common_given;
        settings = &call->common;
    }
    if (!option)
        return unknown_option(call, &typed);
    char label[SUGGESTION_BYTES], expected[WORDS_BYTES];
    snprintf(label, sizeof label, option->name[0] ? "--%s" : "-%s",
             option->name[0] ? option->name : typed.name);
    if (typed.is_long && !is_name(option->name, &typed))
        call->given_by_alias |= UINT64_C(1) << index;
    if (*given >> index & 1)
        return misused(call, "%s: given twice", label);
    *given |= UINT64_C(1) << index;
    const char *value = typed.value;
    if (option->kind == OPTION_FLAG && value)
        return misused(call, "%s: takes no value, found '%.60s'", label, value);
    if (option->kind != OPTION_FLAG && !value && next && !is_option(next)) {
        value = next;
        *took_next = true;
    }
    if (option->kind != OPTION_FLAG && (!value || !value[0]))
        return misused(call, "%s: expected %s, found nothing", label,
                       value_expected(option, expected));
    return value_store(option, value, settings) ? EXIT_DONE
                                                : refuse_value(call, option, label, value);
}

/* ---- Arguments ------------------------------------------------------------------------- */

static exit_code take_argument(invocation *call, const char *text) {
    char words[WORDS_BYTES], nearby[WORDS_BYTES];
    const argument_entry *table = call->verb->arguments;
    size_t n = 0, index = 0;
    while (table && table[n].name)
        n++;
    const bool is_repeated = n > 0 && table[n - 1].is_repeated;
    if (call->n_arguments >= n && !is_repeated && n == 0)
        return misused(call, "takes no arguments, found '%.60s'", text);
    if (call->n_arguments >= n && !is_repeated)
        return misused(call, "expected nothing after %s, found '%.60s'", table[n - 1].name, text);
    const argument_entry *argument = &table[call->n_arguments < n ? call->n_arguments : n - 1];
    if (!text[0])
        return misused(call, "expected %s, found an empty text", argument->name);
    if (argument->choices && !argument->is_open && !find_choice(argument->choices, text, &index)) {
        suggestion nearest = {.typed = text};
        for (size_t i = 0; argument->choices[i]; i++)
            suggest(&nearest, argument->choices[i], argument->choices[i]);
        return misused(call, "%s: expected %s, found '%.60s'%s", argument->name,
                       list_choices(argument->choices, words), text, meant(&nearest, nearby));
    }
    call->arguments[call->n_arguments++] = text;
    return EXIT_DONE;
}

/* The command line as one text that a shell would read back. */
static char *join_words(int argc, char *const *argv) {
    output text = {0};
    for (int i = 0; i < argc; i++) {
        output_print(&text, i > 0 ? " " : "");
        output_shell(&text, i == 0 ? "isinglass" : argv[i]);
    }
    return output_text(&text);
}

exit_code options_parse(invocation *call, int argc, char *const *argv) {
    call->arguments = memory_allocate((size_t)argc + 1, sizeof *call->arguments);
    call->command_line = join_words(argc, argv);
    if (!call->arguments || !call->command_line)
        return fail_memory();
    call->common = common_defaults();
    bool has_ended = false;
    for (int i = 1; i < argc; i++) {
        const char *text = argv[i];
        bool took_next = false;
        exit_code code = EXIT_DONE;
        if (!has_ended && strcmp(text, "--") == 0)
            has_ended = true;
        else if (!has_ended && text[0] == '-' && text[1])
            code = take_option(call, text, i + 1 < argc ? argv[i + 1] : NULL, &took_next);
        else if (!call->verb)
            code = take_verb(call, text);
        else
            code = take_argument(call, text);
        if (code != EXIT_DONE)
            return code;
        i += took_next;
    }
    return EXIT_DONE;
}

exit_code options_check(const invocation *call) {
    if (!call->verb && call->group) {
        const char *names[32] = {NULL};
        char words[WORDS_BYTES];
        for (size_t i = 0, n = 0; commands[i] && n < 31; i++)
            if (is_same(commands[i]->group, call->group))
                names[n++] = commands[i]->name;
        return misused(call, "expected %s, found nothing", list_choices(names, words));
    }
    if (!call->verb)
        return misused(call, "expected a verb, found none");
    size_t given = 0;
    for (const argument_entry *a = call->verb->arguments; a && a->name; a++, given++)
        if (given >= call->n_arguments && !a->is_optional)
            return misused(call, "expected %s, found nothing", a->name);
    size_t index = 0;
    for (const option_entry *o = call->verb->options; o && o->name; o++, index++)
        if (o->is_required && !(call->given >> index & 1))
            return misused(call, "expected --%s %s, found nothing", o->name, o->metavar);
    index = 0;
    for (const option_entry *o = call->verb->options; o && o->name; o++, index++)
        if (call->given_by_alias >> index & 1)
            notice(call->common.quiet, "--%s is now called --%s", o->alias, o->name);
    return EXIT_DONE;
}

bool options_mention(int argc, char *const *argv, const char *name) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], name) == 0)
            return true;
    return false;
}

void options_free(invocation *call) {
    memory_release(call->settings);
    memory_release(call->arguments);
    memory_release(call->command_line);
    call->settings = NULL;
    call->arguments = NULL;
    call->command_line = NULL;
}

static bool is_given(const option_entry *table, uint64_t given, const char *name) {
    for (size_t i = 0; table && table[i].name; i++)
        if (strcmp(table[i].name, name) == 0)
            return given >> i & 1;
    return false;
}

bool call_has_option(const invocation *call, const char *name) {
    return is_given(call->verb->options, call->given, name) ||
           is_given(common_options, call->common_given, name);
}

exit_code call_fail_status(const invocation *call, isg_status status) {
    const char *sentence = isg_error_message();
    const size_t length = strcspn(sentence, ": ");
    for (const option_entry *o = call->verb->options;
         status == ISG_ERR_ARGUMENT && sentence[length] == ':' && o->name; o++)
        if (strlen(o->name) == length && strncmp(o->name, sentence, length) == 0)
            return fail(EXIT_MISUSED, "--%s", sentence);
    return fail_status(status);
}
