/* run_settings.c - the options of a run, as its run.json keeps them
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/run_settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/options.h"
#include "cli/value.h"

enum { SEAL_BYTES = 17 };

static bool is_listed(const char *const *names, const char *name) {
    size_t index = 0;
    return find_choice(names, name, &index);
}

/* ---- from options to JSON ----------------------------------------------------------------------- */

static json_t *value_of(const option_entry *option, const void *settings) {
    const char *field = (const char *)settings + option->offset;
    const char *text = NULL;
    char digits[24];
    bool flag = false;
    unsigned place = 0;
    size_t size = 0;
    uint64_t whole = 0;
    double real = 0;
    switch (option->kind) {
    case OPTION_FLAG:
        memcpy(&flag, field, sizeof flag);
        return json_boolean(flag);
    case OPTION_TEXT:
    case OPTION_FILE:
    case OPTION_DIRECTORY:
        memcpy(&text, field, sizeof text);
        return text ? json_text(text) : json_null();
    case OPTION_CHOICE:
        memcpy(&place, field, sizeof place);
        return json_string(option->choices[place]);
    case OPTION_SIZE:
        memcpy(&size, field, sizeof size);
        return json_integer((json_int_t)size);
    case OPTION_UINT64: /* a text, since it may exceed what JSON readers take for an integer */
        memcpy(&whole, field, sizeof whole);
        snprintf(digits, sizeof digits, "%" PRIu64, whole);
        return json_string(digits);
    case OPTION_DOUBLE:
        memcpy(&real, field, sizeof real);
        return json_real(real);
    }
    return NULL;
}

void settings_mark(invocation *call, const char *name) {
    for (size_t k = 0; call->verb->options[k].name; k++)
        if (strcmp(call->verb->options[k].name, name) == 0)
            call->given |= UINT64_C(1) << k;
}

json_t *settings_record(const invocation *call, const char *const *except) {
    json_t *record = json_object();
    const option_entry *table = call->verb->options;
    for (size_t k = 0; record && table[k].name; k++) {
        if (is_listed(except, table[k].name))
            continue;
        const bool has_value = value_has_default(table + k) || (call->given >> k & 1);
        json_t *value = has_value ? value_of(table + k, call->settings) : json_null();
        if (json_object_set_new(record, table[k].name, value) != 0) {
            json_decref(record);
            record = NULL;
        }
    }
    return record;
}

/* ---- from JSON to options ----------------------------------------------------------------------- */

/* False if the value does not have the kind of the option, as after manual editing. */
static bool restore_value(const option_entry *option, const json_t *value, void *settings) {
    char text[40];
    if (option->kind == OPTION_FLAG)
        return json_is_boolean(value) &&
               (json_is_false(value) || value_store(option, NULL, settings));
    if (option->kind == OPTION_SIZE && json_is_integer(value)) {
        snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return value_store(option, text, settings);
    }
    if (option->kind == OPTION_DOUBLE && json_is_number(value)) {
        snprintf(text, sizeof text, "%.17g", json_number_value(value));
        return value_store(option, text, settings);
    }
    const bool is_text = option->kind != OPTION_SIZE && option->kind != OPTION_DOUBLE;
    return is_text && json_is_string(value) && json_string_length(value) > 0 &&
           value_store(option, json_string_value(value), settings);
}

/* "--batch 50", "--pcd": what the user typed; or the recorded value, without the name. */
static const char *say(char words[WORDS_BYTES], const char *name, const json_t *value) {
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    const bool is_flag = json_is_boolean(value);
    const char *shown = json_is_string(value) ? json_string_value(value) : text ? text : "";
    snprintf(words, WORDS_BYTES, "%s%s%.80s", name, is_flag || !name[0] ? "" : " ",
             is_flag ? "" : shown);
    free(text);
    return words;
}

static exit_code refuse(const option_entry *option, const json_t *typed, const json_t *recorded,
                        const char *run) {
    char name[64], mine[WORDS_BYTES], theirs[WORDS_BYTES];
    snprintf(name, sizeof name, "--%s", option->name);
    say(mine, name, typed);
    if (!json_is_boolean(recorded) && !json_is_null(recorded))
        return fail(EXIT_CHECKPOINT, "%s, but the run in %s was started with %s", mine, run,
                    say(theirs, "", recorded));
    return fail(EXIT_CHECKPOINT, "%s, but the run in %s was started without it", mine, run);
}

static exit_code compare(const invocation *call, const option_entry *option, const json_t *recorded,
                         const char *run) {
    json_t *typed = value_of(option, call->settings);
    if (!typed)
        return fail_memory();
    /* The same number may be typed with or without a point, and is then stored as another kind. */
    const bool is_same = json_is_number(typed) && json_is_number(recorded)
                             ? json_number_value(typed) == json_number_value(recorded)
                             : json_equal(typed, recorded);
    const exit_code code = is_same ? EXIT_DONE : refuse(option, typed, recorded, run);
    json_decref(typed);
    return code;
}

exit_code settings_restore(invocation *call, const json_t *record, const char *const *may_change,
                           const char *run) {
    const option_entry *table = call->verb->options;
    for (size_t k = 0; table[k].name; k++) {
        const json_t *recorded = json_object_get(record, table[k].name);
        if (!recorded && table[k].alias) /* by an earlier version */
            recorded = json_object_get(record, table[k].alias);
        const bool is_typed = call->given >> k & 1;
        if (!recorded)
            continue;
        if (is_typed && !is_listed(may_change, table[k].name)) {
            const exit_code code = compare(call, table + k, recorded, run);
            if (code != EXIT_DONE)
                return code;
        }
        if (is_typed || json_is_null(recorded))
            continue;
        if (!restore_value(table + k, recorded, call->settings))
            return fail(EXIT_CHECKPOINT, "%s/run.json: the value of %s is not valid for --%s", run,
                        table[k].name, table[k].name);
        call->given |= UINT64_C(1) << k;
    }
    return EXIT_DONE;
}

/* ---- the text of run.json ----------------------------------------------------------------------- */

static const char seal_key[] = "checksum";

/* NULL if memory ran out, in which case jansson may return part of the text. */
static char *dump_text(const json_t *record, size_t flags) {
    char *text = json_dumps(record, flags);
    if (!memory_lacked_for_json())
        return text;
    free(text);
    return NULL;
}

/* FNV-1a of the content of the record, independent of its layout: 64 bits in hexadecimal digits.
   False if memory ran out. */
static bool seal_of(const json_t *record, char seal[SEAL_BYTES]) {
    char *dump = dump_text(record, JSON_COMPACT | JSON_SORT_KEYS);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *c = dump; c && *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    snprintf(seal, SEAL_BYTES, "%016" PRIx64, hash);
    const bool has_dump = dump != NULL;
    free(dump);
    return has_dump;
}

char *settings_text(json_t *record) {
    char seal[SEAL_BYTES];
    (void)json_object_del(record, seal_key);
    if (!seal_of(record, seal) || json_object_set_new(record, seal_key, json_string(seal)) != 0)
        return NULL;
    char *dump = dump_text(record, JSON_INDENT(2));
    char *text = dump ? memory_format("%s\n", dump) : NULL;
    free(dump);
    return text;
}

exit_code settings_refuse(const char *directory, const char *what) {
    if (memory_lacked_for_json())
        return fail_memory();
    return fail(EXIT_CHECKPOINT,
                "%s/run.json: %s; the run cannot be resumed; use --force to start over", directory,
                what);
}

exit_code settings_check_text(json_t *record, const char *directory, const char *name) {
    char seal[SEAL_BYTES];
    if (memory_lacked_for_json()) /* jansson continues without the letter that found no room */
        return fail_memory();
    json_t *found = json_incref(json_object_get(record, seal_key));
    exit_code code = EXIT_DONE;
    if (found && json_object_del(record, seal_key) == 0 && !seal_of(record, seal))
        code = fail_memory();
    else if (found && (!json_is_string(found) || strcmp(json_string_value(found), seal) != 0))
        code = fail(EXIT_CHECKPOINT,
                    "%s/%s: does not match its checksum; if you changed it on purpose, remove the "
                    "checksum; else use --force to start over",
                    directory, name);
    json_decref(found);
    return code;
}

/* ---- beginning and resuming a run --------------------------------------------------------------- */

exit_code run_may_start(const isg_run_info *found, const char *out, bool is_resumed,
                        const char *missing, const common_settings *common) {
    if (is_resumed && missing)
        return fail(EXIT_CHECKPOINT, "%s: holds no run to resume; give %s to start one", out,
                    missing);
    if (found->in_the_way && !common->force)
        return fail(EXIT_FILE, "%s: already exists; use %s--force to overwrite it",
                    found->in_the_way, found->settings ? "--resume to continue the run, or " : "");
    if (is_resumed)
        notice(common->quiet, "%s: holds no run yet; starting it", out);
    return EXIT_DONE;
}

char *run_resume_line(const invocation *call, const char *out) {
    output line = {0};
    output_print(&line, "isinglass %s --resume -o ", call->verb->name);
    output_shell(&line, out);
    if (call->common.data_dir) {
        output_print(&line, " --data-dir ");
        output_shell(&line, call->common.data_dir);
    }
    return output_text(&line);
}
