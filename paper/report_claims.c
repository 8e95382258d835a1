/* report_claims.c - the claims of the paper with their verdicts, as a table and as lists
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "cli/allocation.h"
#include "paper/report_parts.h"

/* Never by color alone: every verdict has a sign and a word. */
static const struct {
    const char *name, *mark, *sign, *one, *many, *meaning;
} verdicts[N_VERDICTS] = {
    [DIFFERS] = {"differs", "differs", "&ne;", "differs", "differ",
                 "the result contradicts the sentence"},
    [HOLDS] = {"holds", "holds", "&check;", "holds", "hold", "the result agrees with the sentence"},
    [NOT_TESTABLE] = {"not testable", "untestable", "&cir;", "not testable", "not testable",
                      "the sentence is too vague, or the numbers here leave it open: the reason is "
                      "in the last column"},
    [NOT_COMPUTED] = {"not computed", "missing", "&middot;", "not computed", "not computed",
                      "this scale, or the figures at hand, do not reach it"},
};

typedef struct claim {
    const char *id, *section, *statement, *paper, *ours, *why;
    const char *figure; /* or NULL */
    verdict verdict;
    bool is_erratum;
} claim;

/* ---- reading ---------------------------------------------------------------------------------- */

/* An id becomes part of an address within the page. */
static bool is_name(const char *text) {
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    return *text && text[strspn(text, allowed)] == '\0';
}

/* False if the entry is not a claim. The texts are those of the entry. Unlike json_unpack() this takes
   no memory, so that an entry that was checked can always be read again. */
static bool read_claim(const json_t *entry, claim *out) {
    const json_t *about = json_object_get(entry, "figure");
    const json_t *erratum = json_object_get(entry, "erratum");
    const char *word = json_string_value(json_object_get(entry, "verdict"));
    *out = (claim){.id = json_string_value(json_object_get(entry, "id")),
                   .section = json_string_value(json_object_get(entry, "section")),
                   .statement = json_string_value(json_object_get(entry, "statement")),
                   .paper = json_string_value(json_object_get(entry, "paper")),
                   .ours = json_string_value(json_object_get(entry, "ours")),
                   .why = json_string_value(json_object_get(entry, "why")),
                   .figure = json_string_value(about),
                   .is_erratum = json_is_true(erratum)};
    size_t v = 0;
    while (v < N_VERDICTS && word && strcmp(word, verdicts[v].name) != 0)
        v++;
    out->verdict = (verdict)v;
    return out->id && is_name(out->id) && out->section && out->statement && out->paper &&
           out->ours && out->why && word && v < N_VERDICTS && json_is_boolean(erratum) &&
           (json_is_string(about) || json_is_null(about));
}

/* A claim of a document that was checked. */
static claim claim_at(const json_t *claims, size_t k) {
    claim found;
    read_claim(json_array_get(json_object_get(claims, "claims"), k), &found);
    return found;
}

static size_t count_all(const json_t *claims) {
    return json_array_size(json_object_get(claims, "claims"));
}

static bool is_about(const claim *this, const char *about) {
    return !about || (this->figure && strcmp(this->figure, about) == 0);
}

static bool is_known(const char *about) {
    for (size_t k = 0; figures[k]; k++)
        if (strcmp(figures[k]->name, about) == 0)
            return true;
    return false;
}

/* The number of the first entry that is no claim, names no figure or repeats an id; else their
   number. */
static size_t first_fault(const json_t *claims) {
    const size_t n = count_all(claims);
    for (size_t k = 0; k < n; k++) {
        claim this;
        if (!read_claim(json_array_get(json_object_get(claims, "claims"), k), &this) ||
            (this.figure && !is_known(this.figure)))
            return k;
        for (size_t before = 0; before < k; before++)
            if (strcmp(claim_at(claims, before).id, this.id) == 0)
                return k;
    }
    return n;
}

exit_code report_claims_load(const experiment *my, json_t **out) {
    json_t *claims = NULL;
    exit_code code = experiment_record(my, "claims.json", &claims);
    if (code == EXIT_DONE && claims) {
        const size_t fault = first_fault(claims);
        if (!json_is_array(json_object_get(claims, "claims")))
            code = fail(EXIT_CHECKPOINT, "%s/claims.json: expected a list of claims, found none",
                        my->directory);
        else if (fault < count_all(claims))
            code = fail(EXIT_CHECKPOINT,
                        "%s/claims.json: entry %zu is no claim as 'isinglass reproduce' writes it",
                        my->directory, fault + 1);
    }
    if (code != EXIT_DONE) {
        json_decref(claims);
        claims = NULL;
    }
    *out = claims;
    return code;
}

/* ---- counts ----------------------------------------------------------------------------------- */

void report_claims_count(const json_t *claims, const char *about, size_t count[N_VERDICTS]) {
    memset(count, 0, N_VERDICTS * sizeof *count);
    for (size_t k = 0; k < count_all(claims); k++) {
        const claim this = claim_at(claims, k);
        count[this.verdict] += is_about(&this, about);
    }
}

void report_claims_tally(output *page, const json_t *claims, const char *about) {
    size_t count[N_VERDICTS];
    const char *between = "";
    report_claims_count(claims, about, count);
    for (size_t v = 0; v < N_VERDICTS; v++)
        if (count[v] > 0) {
            output_print(page, "%s<span class=\"%s\">%zu&nbsp;%s</span>", between, verdicts[v].mark,
                         count[v], count[v] == 1 ? verdicts[v].one : verdicts[v].many);
            between = ", ";
        }
}

/* ---- the table -------------------------------------------------------------------------------- */

static void print_verdict(output *page, const claim *this) {
    output_print(page, "<span class=\"verdict %s\"><span aria-hidden=\"true\">%s</span> %s</span>",
                 verdicts[this->verdict].mark, verdicts[this->verdict].sign,
                 verdicts[this->verdict].name);
    if (this->is_erratum)
        output_print(page, " <a class=\"verdict erratum\" href=\"#errata\">erratum</a>");
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Whether the hyphen at `c` is a minus: that of a number, a power or an exponent. */
static bool is_minus(const char *text, const char *c) {
    const char before = c > text ? c[-1] : ' ';
    const bool is_exponent = before == 'e' && c > text + 1 && is_digit(c[-2]);
    return is_digit(c[1]) && (strchr(" (=^", before) || is_exponent);
}

/* Whether the space at `c` stands between a word such as Fig. and its number. */
static bool is_within_name(const char *text, const char *c) {
    static const char *const words[] = {"Eq.", "Fig.", "Sec.", "App."};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        const size_t length = strlen(words[k]);
        if ((size_t)(c - text) >= length && memcmp(c - length, words[k], length) == 0)
            return true;
    }
    return false;
}

/* Claims are written as one types: in print, signs are signs, and lines do not break at them. */
static void typeset(output *page, const char *text) {
    for (const char *c = text; *c; c++) {
        const char one[] = {*c, '\0'};
        if (c[0] == '+' && c[1] == '-') {
            output_print(page, "&plusmn;");
            c++;
        } else if (*c == '-' && is_minus(text, c)) {
            output_print(page, "&minus;");
        } else if (*c == ' ' && is_within_name(text, c)) {
            output_print(page, "&nbsp;");
        } else {
            html_print(page, "%s", one);
        }
    }
}

static void print_where(output *page, const claim *this) {
    typeset(page, this->section);
    for (size_t k = 0; this->figure && figures[k]; k++)
        if (strcmp(figures[k]->name, this->figure) == 0)
            html_print(page, " <a class=\"to-figure\" href=\"#%s\">%s</a>", figures[k]->name,
                       figures[k]->name);
}

/* The columns of the table; the claim itself is the heading of its row. */
enum { VERDICT, WHERE, CLAIM, PAPER, OURS, WHY, N_COLUMNS };
static const char *const columns[N_COLUMNS] = {"Verdict", "Where", "Claim", "Paper", "Ours", "Why"};

static void print_row(output *page, const claim *this) {
    const char *const texts[N_COLUMNS] = {
        [CLAIM] = this->statement, [PAPER] = this->paper, [OURS] = this->ours, [WHY] = this->why};
    html_print(page, "<tr role=\"row\" id=\"claim-%s\" class=\"claim-%s\">", this->id,
               verdicts[this->verdict].mark);
    for (size_t k = 0; k < N_COLUMNS; k++) {
        output_print(page,
                     k == CLAIM ? "<th role=\"rowheader\" scope=\"row\" data-label=\"%s\">"
                                : "<td role=\"cell\" data-label=\"%s\">",
                     columns[k]);
        if (k == VERDICT)
            print_verdict(page, this);
        else if (k == WHERE)
            print_where(page, this);
        else
            typeset(page, texts[k]);
        output_print(page, k == CLAIM ? "</th>" : "</td>");
    }
    output_print(page, "</tr>\n");
}

static void print_counts(output *page, const size_t count[N_VERDICTS]) {
    output_print(page, "<ul class=\"counts\">\n");
    for (size_t v = 0; v < N_VERDICTS; v++) {
        const bool has_any = count[v] > 0;
        output_print(page, "<li class=\"%s\">", verdicts[v].mark);
        if (has_any)
            output_print(page, "<a href=\"#%s\">", verdicts[v].mark);
        output_print(page,
                     "<span class=\"count\"><span aria-hidden=\"true\">%s</span> %zu</span> "
                     "<span class=\"word\">%s</span>",
                     verdicts[v].sign, count[v],
                     count[v] == 1 ? verdicts[v].one : verdicts[v].many);
        output_print(page, "%s <span class=\"meaning\">%s</span></li>\n", has_any ? "</a>" : "",
                     verdicts[v].meaning);
    }
    output_print(page, "</ul>\n");
}

static void print_errata(output *page, const json_t *claims) {
    size_t n = 0;
    for (size_t k = 0; k < count_all(claims); k++)
        n += claim_at(claims, k).is_erratum;
    if (n == 0)
        return;
    html_print(
        page,
        "<p id=\"errata\" class=\"note\"><span class=\"verdict erratum\">erratum</span> marks "
        "%zu of them in which the paper is known to be in error: what it prints is "
        "contradicted by its own equations or by what made its figures. The last column "
        "gives the evidence: ",
        n);
    const char *between = "";
    for (size_t k = 0; k < count_all(claims); k++) {
        const claim this = claim_at(claims, k);
        if (this.is_erratum) {
            html_print(page, "%s<a href=\"#claim-%s\">%s</a>", between, this.id, this.id);
            between = ", ";
        }
    }
    output_print(page, ".</p>\n");
}

void report_claims_table(output *page, const json_t *claims) {
    size_t count[N_VERDICTS];
    report_claims_count(claims, NULL, count);
    print_counts(page, count);
    print_errata(page, claims);
    output_print(page, "<table role=\"table\" class=\"claims\">\n<caption>Every claim, those that "
                       "differ first, then in the order of the paper</caption>\n"
                       "<thead role=\"rowgroup\"><tr role=\"row\">");
    for (size_t k = 0; k < N_COLUMNS; k++)
        output_print(page, "<th role=\"columnheader\" scope=\"col\">%s</th>", columns[k]);
    output_print(page, "</tr></thead>\n");
    for (size_t v = 0; v < N_VERDICTS; v++) {
        if (count[v] == 0)
            continue;
        output_print(page, "<tbody role=\"rowgroup\" id=\"%s\">\n", verdicts[v].mark);
        for (size_t k = 0; k < count_all(claims); k++) {
            const claim this = claim_at(claims, k);
            if ((size_t)this.verdict == v)
                print_row(page, &this);
        }
        output_print(page, "</tbody>\n");
    }
    output_print(page, "</table>\n");
}

void report_claims_list(output *page, const json_t *claims, const char *about) {
    size_t count[N_VERDICTS];
    report_claims_count(claims, about, count);
    if (count[DIFFERS] + count[HOLDS] + count[NOT_TESTABLE] + count[NOT_COMPUTED] == 0)
        return;
    output_print(page, "<h4>What the paper says about it</h4>\n<ul class=\"about\">\n");
    for (size_t k = 0; k < count_all(claims); k++) {
        const claim this = claim_at(claims, k);
        if (!is_about(&this, about))
            continue;
        output_print(page, "<li>");
        print_verdict(page, &this);
        html_print(page, " <a href=\"#claim-%s\">", this.id);
        typeset(page, this.statement);
        output_print(page, "</a> <span class=\"values\">paper: ");
        typeset(page, this.paper);
        output_print(page, "; ours: ");
        typeset(page, this.ours);
        output_print(page, "</span></li>\n");
    }
    output_print(page, "</ul>\n");
}
