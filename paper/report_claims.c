/* report_claims.c - the claims of the paper with their verdicts, as a table and as lists
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "paper/report.h"

/* Verdicts are never told apart by color alone: each has a sign and a word. */
static const struct {
    const char *mark, *sign, *meaning;
} looks[N_VERDICTS] = {
    [VERDICT_HOLDS] = {"holds", "&check;", "our result agrees with the paper"},
    [VERDICT_DIFFERS] = {"differs", "&ne;", "our result contradicts the paper"},
    [VERDICT_NOT_TESTABLE] = {"untestable", "&cir;",
                              "the statement is too vague, or these numbers do not decide it: the "
                              "last column says why"},
    [VERDICT_NOT_COMPUTED] = {"missing", "&middot;",
                              "this scale is too small for it, or its figure is missing"},
};

/* What differs comes first. */
static const verdict order[N_VERDICTS] = {VERDICT_DIFFERS, VERDICT_HOLDS, VERDICT_NOT_TESTABLE,
                                          VERDICT_NOT_COMPUTED};

/* ---- counts ----------------------------------------------------------------------------------- */

static const char *word_of(verdict v, size_t count) {
    return count == 1 ? verdict_names[v] : verdict_plurals[v];
}

static bool is_about(const finding *this, const char *name) {
    return !name || (this->claim->figure && strcmp(this->claim->figure, name) == 0);
}

void report_claims_tally(output *page, const findings *claims, const char *name) {
    size_t counts[N_VERDICTS] = {0};
    const char *between = "";
    for (size_t k = 0; k < claims->n; k++)
        counts[claims->at[k].ruling.verdict] += is_about(&claims->at[k], name);
    for (size_t k = 0; k < N_VERDICTS; k++) {
        const verdict v = order[k];
        if (counts[v] == 0)
            continue;
        output_print(page, "%s<span class=\"%s\">%zu&nbsp;%s</span>", between, looks[v].mark,
                     counts[v], word_of(v, counts[v]));
        between = ", ";
    }
}

/* ---- the table -------------------------------------------------------------------------------- */

static void print_verdict(output *page, const finding *this) {
    const verdict v = this->ruling.verdict;
    output_print(page, "<span class=\"verdict %s\"><span aria-hidden=\"true\">%s</span> %s</span>",
                 looks[v].mark, looks[v].sign, verdict_names[v]);
    if (this->claim->is_erratum)
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

/* Claims are plain ASCII: here +- and minus become real signs, and "Fig. 2" does not break. */
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

static void print_where(output *page, const claim *of) {
    typeset(page, of->section);
    if (of->figure)
        html_print(page, " <a class=\"to-figure\" href=\"#%s\">%s</a>", of->figure, of->figure);
}

/* The columns of the table; the claim itself is the heading of its row. */
enum { VERDICT, WHERE, CLAIM, PAPER, OURS, WHY, N_COLUMNS };
static const char *const columns[N_COLUMNS] = {"Verdict", "Where", "Claim", "Paper", "Ours", "Why"};

static void print_row(output *page, const finding *this) {
    const char *const texts[N_COLUMNS] = {[CLAIM] = this->claim->statement,
                                          [PAPER] = this->claim->paper,
                                          [OURS] = this->ruling.ours,
                                          [WHY] = this->ruling.why};
    html_print(page, "<tr role=\"row\" id=\"claim-%s\" class=\"claim-%s\">", this->claim->id,
               looks[this->ruling.verdict].mark);
    for (size_t k = 0; k < N_COLUMNS; k++) {
        output_print(page,
                     k == CLAIM ? "<th role=\"rowheader\" scope=\"row\" data-label=\"%s\">"
                                : "<td role=\"cell\" data-label=\"%s\">",
                     columns[k]);
        if (k == VERDICT)
            print_verdict(page, this);
        else if (k == WHERE)
            print_where(page, this->claim);
        else
            typeset(page, texts[k]);
        output_print(page, k == CLAIM ? "</th>" : "</td>");
    }
    output_print(page, "</tr>\n");
}

static void print_counts(output *page, const findings *claims) {
    output_print(page, "<ul class=\"counts\">\n");
    for (size_t k = 0; k < N_VERDICTS; k++) {
        const verdict v = order[k];
        const size_t count = claims->counts[v];
        output_print(page, "<li class=\"%s\">", looks[v].mark);
        if (count > 0)
            output_print(page, "<a href=\"#%s\">", looks[v].mark);
        output_print(page,
                     "<span class=\"count\"><span aria-hidden=\"true\">%s</span> %zu</span> "
                     "<span class=\"word\">%s</span>",
                     looks[v].sign, count, word_of(v, count));
        output_print(page, "%s <span class=\"meaning\">%s</span></li>\n", count > 0 ? "</a>" : "",
                     looks[v].meaning);
    }
    output_print(page, "</ul>\n");
}

static void print_errata(output *page, const findings *claims) {
    size_t n = 0;
    for (size_t k = 0; k < claims->n; k++)
        n += claims->at[k].claim->is_erratum;
    if (n == 0)
        return;
    html_print(
        page,
        "<p id=\"errata\" class=\"note\"><span class=\"verdict erratum\">erratum</span> marks "
        "%zu claims in which the paper is known to be wrong: what it prints contradicts its own "
        "equations, or what its figures were made from. The last column gives the evidence: ",
        n);
    const char *between = "";
    for (size_t k = 0; k < claims->n; k++) {
        const claim *of = claims->at[k].claim;
        if (of->is_erratum) {
            html_print(page, "%s<a href=\"#claim-%s\">%s</a>", between, of->id, of->id);
            between = ", ";
        }
    }
    output_print(page, ".</p>\n");
}

void report_claims_table(output *page, const findings *claims) {
    print_counts(page, claims);
    print_errata(page, claims);
    output_print(page, "<table role=\"table\" class=\"claims\">\n<caption>All claims: those that "
                       "differ first, then in the order of the paper</caption>\n"
                       "<thead role=\"rowgroup\"><tr role=\"row\">");
    for (size_t k = 0; k < N_COLUMNS; k++)
        output_print(page, "<th role=\"columnheader\" scope=\"col\">%s</th>", columns[k]);
    output_print(page, "</tr></thead>\n");
    for (size_t v = 0; v < N_VERDICTS; v++) {
        if (claims->counts[order[v]] == 0)
            continue;
        output_print(page, "<tbody role=\"rowgroup\" id=\"%s\">\n", looks[order[v]].mark);
        for (size_t k = 0; k < claims->n; k++)
            if (claims->at[k].ruling.verdict == order[v])
                print_row(page, &claims->at[k]);
        output_print(page, "</tbody>\n");
    }
    output_print(page, "</table>\n");
}

void report_claims_list(output *page, const findings *claims, const char *name) {
    bool is_open = false;
    for (size_t k = 0; k < claims->n; k++) {
        const finding *this = &claims->at[k];
        if (!is_about(this, name))
            continue;
        output_print(page, "%s<li>",
                     is_open ? ""
                             : "<h4>What the paper says about it</h4>\n<ul class=\"about\">\n");
        is_open = true;
        print_verdict(page, this);
        html_print(page, " <a href=\"#claim-%s\">", this->claim->id);
        typeset(page, this->claim->statement);
        output_print(page, "</a> <span class=\"values\">paper: ");
        typeset(page, this->claim->paper);
        output_print(page, "; ours: ");
        typeset(page, this->ruling.ours);
        output_print(page, "</span></li>\n");
    }
    if (is_open)
        output_print(page, "</ul>\n");
}
