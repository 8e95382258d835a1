/* claims.c - judges all claims and writes them to claims.json and claims.csv
 *
 * SPDX-License-Identifier: MIT
 */
#include "paper/claims.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/text_file.h"
#include "src/base/elementary.h"

const char *const verdict_names[N_VERDICTS] = {"holds", "differs", "not testable", "not computed"};
const char *const verdict_plurals[N_VERDICTS] = {"hold", "differ", "not testable", "not computed"};

const claim *const claim_lists[] = {claims_theory,  claims_temperature, claims_training,
                                    claims_experts, claims_appendix,    NULL};

/* ---- for judges ------------------------------------------------------------------------------- */

bool has_piece(const facts *in, const char *key) {
    return json_object_get(in->pieces, key) != NULL;
}

double peek(const facts *in, const char *key, size_t index) {
    const json_t *kept = json_object_get(json_object_get(in->pieces, key), "values");
    const json_t *value = json_array_get(kept, index);
    if (in->read && has_piece(in, key)) {
        char number[24];
        snprintf(number, sizeof number, "%zu", index);
        if (!json_object_get(in->read, key))
            json_object_set_new(in->read, key, json_object());
        json_object_set_new(json_object_get(in->read, key), number, json_null());
    }
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

double fact(const facts *in, const char *key, size_t index) {
    const double value = peek(in, key, index);
    if (!isfinite(value) && in->broken && in->broken[0] == '\0' && has_piece(in, key))
        snprintf(in->broken, FLAW_BYTES, "number %zu of '%.50s' is missing", index + 1, key);
    return value;
}

void rule(ruling *out, verdict what, double value, double error) {
    const bool is_number = isfinite(value) || what == VERDICT_NOT_TESTABLE;
    out->verdict = is_number ? what : VERDICT_NOT_TESTABLE;
    out->value = value;
    out->error = error;
    if (!is_number && out->flaw[0] == '\0')
        snprintf(out->flaw, sizeof out->flaw, "the result is not a finite number");
}

void rule_stop(ruling *out, verdict what, double epoch) {
    rule(out, what, 0, (double)NAN);
    out->value = epoch;
}

static void say(char *text, size_t bytes, const char *format, va_list arguments) CLI_PRINTF(3, 0);
static void say(char *text, size_t bytes, const char *format, va_list arguments) {
    const size_t length = strlen(text);
    vsnprintf(text + length, bytes - length, format, arguments);
}

void say_ours(ruling *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(out->ours, sizeof out->ours, format, arguments);
    va_end(arguments);
}

void say_measured(ruling *out, bool has_sign, double value, double error, const char *unit) {
    const double decade = error > 0 ? floor(isg_log10(error)) : -1;
    const int digits = (int)fmin(fmax(1 - decade, 0), 4);
    if (!isfinite(error)) {
        say_ours(out, has_sign ? "%+.1f %s without an error" : "%.1f %s without an error", value,
                 unit);
        return;
    }
    say_ours(out, has_sign ? "%+.*f +- %.*f %s" : "%.*f +- %.*f %s", digits, value, digits, error,
             unit);
}

void say_why(ruling *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(out->why, sizeof out->why, format, arguments);
    va_end(arguments);
}

void not_computed(ruling *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(out->why, sizeof out->why, format, arguments);
    va_end(arguments);
    out->verdict = VERDICT_NOT_COMPUTED;
}

void judge_rounding(const claim *of, const facts *in, ruling *out) {
    const double value = fact(in, of->key, (size_t)of->numbers[0]), bound = of->numbers[1];
    rule(out, value <= bound ? VERDICT_HOLDS : VERDICT_DIFFERS, value, bound);
    say_ours(out, "largest difference %.1e", value);
    say_why(out, "%.1e is %s the bound for rounding errors, %.0e", value,
            value <= bound ? "within" : "beyond", bound);
}

/* Puts the reason before what the judge has said. */
static void give_reason(ruling *out, const char *flaw) {
    char found[sizeof out->why];
    snprintf(found, sizeof found, "%s", out->why);
    out->why[0] = '\0';
    say_why(out, "not testable here: %s%s%s", flaw, found[0] ? "; " : "", found);
}

void claim_judge(const claim *of, const facts *in, ruling *out) {
    const ruling nothing = {
        .verdict = VERDICT_NOT_COMPUTED, .value = (double)NAN, .error = (double)NAN};
    char broken[FLAW_BYTES] = "";
    facts own = *in;
    own.broken = broken;
    *out = nothing;
    if (of->key && !has_piece(in, of->key))
        not_computed(out, "%s has not been computed here", of->figure ? of->figure : of->key);
    else
        of->judge(of, &own, out);
    if (broken[0]) {
        *out = nothing;
        out->verdict = VERDICT_NOT_TESTABLE;
        give_reason(out, broken);
    } else if (out->verdict == VERDICT_NOT_TESTABLE && out->flaw[0])
        give_reason(out, out->flaw);
    if (out->ours[0] == '\0')
        say_ours(out, "-");
}

/* ---- the tables ------------------------------------------------------------------------------- */

static json_t *row_of(const finding *this) {
    const claim *of = this->claim;
    const ruling *found = &this->ruling;
    return json_pack(
        "{s:s, s:s, s:o, s:s, s:s, s:o, s:o, s:o, s:s, s:o, s:b}", "id", of->id, "section",
        of->section, "figure", of->figure ? json_text(of->figure) : json_null(), "statement",
        of->statement, "paper", of->paper, "ours", json_text(found->ours), "value",
        json_number(found->value), "error", json_number(found->error), "verdict",
        verdict_names[found->verdict], "why", json_text(found->why), "erratum", of->is_erratum);
}

/* A cell in quotes, with quotes in it doubled. */
static void csv_text(output *text, const char *cell) {
    output_print(text, "\"");
    for (const char *at = cell; *at; at++) {
        if (*at == '"')
            output_bytes(text, at, 1);
        output_bytes(text, at, 1);
    }
    output_print(text, "\"");
}

static void csv_row(output *text, const finding *this) {
    const char *const cells[] = {this->claim->section, verdict_names[this->ruling.verdict],
                                 this->claim->paper, this->ruling.ours, this->ruling.why};
    output_print(text, "%s", this->claim->id);
    for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++) {
        output_print(text, ",");
        csv_text(text, cells[k]);
    }
    output_print(text, "\n");
}

/* {verdict: count}; NULL if memory ran out. */
static json_t *summary_of(const findings *of) {
    json_t *summary = json_object();
    for (size_t k = 0; summary && k < N_VERDICTS; k++)
        if (json_object_set_new(summary, verdict_names[k],
                                json_integer((json_int_t)of->counts[k])) != 0) {
            json_decref(summary);
            summary = NULL;
        }
    return summary;
}

/* NULL if memory ran out. */
static json_t *document_of(const experiment *my, const findings *of) {
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, my->seed);
    json_t *rows = json_array();
    for (size_t k = 0; rows && k < of->n; k++)
        if (json_array_append_new(rows, row_of(&of->at[k])) != 0) {
            json_decref(rows);
            rows = NULL;
        }
    return json_pack("{s:s, s:s, s:s, s:o, s:o}", "scale", scale_names[my->scale], "seed", seed,
                     "version", isg_version(), "summary", summary_of(of), "claims", rows);
}

static exit_code write_text(const experiment *my, const char *name, output *text) {
    char *path = memory_format("%s/%s", my->directory, name);
    const exit_code code = path ? text_file_write(path, text) : fail_memory();
    memory_release(path);
    output_free(text);
    return code;
}

static exit_code write_tables(const experiment *my, const findings *of) {
    output json = {0}, csv = {0};
    output_print(&csv, "id,section,verdict,paper,ours,why\n");
    for (size_t k = 0; k < of->n; k++)
        csv_row(&csv, &of->at[k]);
    exit_code code = write_text(my, "claims.csv", &csv);
    if (code == EXIT_DONE) {
        output_json(&json, document_of(my, of));
        code = write_text(my, "claims.json", &json);
    }
    return code;
}

/* ---- all claims ------------------------------------------------------------------------------- */

static void count_samples(const experiment *my, facts *in) {
    const isg_dataset_info info = isg_dataset_describe(my->test);
    const uint32_t *labels = isg_dataset_labels(my->test);
    in->test_samples = (double)info.n_samples;
    in->train_samples = (double)isg_dataset_describe(my->train).n_samples;
    in->n_classes = info.n_classes < FACT_CLASSES ? info.n_classes : FACT_CLASSES;
    for (size_t m = 0; labels && m < info.n_samples; m++)
        if (labels[m] < in->n_classes)
            in->class_samples[labels[m]]++;
}

static exit_code judge_all(const facts *in, findings *out) {
    size_t n = 0;
    for (size_t list = 0; claim_lists[list]; list++)
        for (const claim *of = claim_lists[list]; of->id; of++)
            n++;
    out->at = memory_allocate(n, sizeof *out->at);
    if (!out->at)
        return fail_memory();
    for (size_t list = 0; claim_lists[list]; list++)
        for (const claim *of = claim_lists[list]; of->id; of++) {
            finding *this = &out->at[out->n++];
            this->claim = of;
            claim_judge(of, in, &this->ruling);
            out->counts[this->ruling.verdict]++;
        }
    return EXIT_DONE;
}

exit_code claims_write(experiment *my, findings *out) {
    *out = (findings){0};
    exit_code code = experiment_compute(my, &figure_claims);
    facts in = {.pieces = my->pieces};
    if (code == EXIT_DONE) {
        count_samples(my, &in);
        code = judge_all(&in, out);
    }
    return code == EXIT_DONE ? write_tables(my, out) : code;
}

void findings_free(findings *of) {
    memory_release(of->at);
    *of = (findings){0};
}
