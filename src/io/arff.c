/* arff.c - tables in the attribute-relation file format of Weka (.arff)
 *
 * SPDX-License-Identifier: MIT
 *
 *     @relation name
 *     @attribute name numeric | real | integer | string | date [format] | {value, value, ...}
 *     @data
 *     5.1, ?, 'it\'s'             a row: the values in order, '?' for a missing one
 *     {1 5.1, 2 'it\'s'}          a sparse row: attributes counted from 0, in ascending order
 */
#include "io/arff.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "io/text_lines.h"

enum { MOST_ROW_BYTES = 256 * ISG_BUFFER_BYTES, MOST_ATTRIBUTES = 1 << 20 };

typedef struct attribute {
    char *name;
    isg_arff_kind kind;
    char *line;    /* the declaration, which holds the values */
    char **values; /* sorted */
    size_t n_values;
    const char *first; /* as declared */
} attribute;

struct isg_arff {
    isg_source *source;
    isg_text_lines *lines;
    attribute *attributes;
    size_t n_attributes, capacity;
    const char **fields; /* (n_attributes) of the row, NULL if missing */

    /* What is left of the line, and the byte before it if a word's terminating zero replaced it. */
    char *at, held;
};

typedef enum token { WORD, QUOTED, COMMA, OPEN, CLOSE, END } token;

/* Begins an error sentence: "votes.arff: line 7". */
#define HERE       "%s: line %zu: "
#define HERE_OF(a) isg_source_name((a)->source), isg_text_lines_number((a)->lines)
#define WORD_SHOWN "'%.40s'" /* enough to recognize it */

static isg_status refuse(const isg_arff *arff, const char *why) {
    return isg_fail(ISG_ERR_FORMAT, HERE "%s", HERE_OF(arff), why);
}

/* ---- words of a line ------------------------------------------------------------------------ */

static char unescaped(char c) {
    return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
}

/* A text in quotes; it is at most as long without its escapes, so it stays in place. */
static isg_status read_quoted(isg_arff *arff, char **word) {
    const char quote = *arff->at++;
    char *to = *word = arff->at;
    for (; *arff->at && *arff->at != quote; arff->at++) {
        if (*arff->at == '\\' && arff->at[1])
            *to++ = unescaped(*++arff->at);
        else
            *to++ = *arff->at;
    }
    if (!*arff->at)
        return refuse(arff, "a quote is opened and never closed");
    arff->at++;
    *to = '\0';
    if (*arff->at && !strchr(" \t,{}%", *arff->at))
        return refuse(arff, "expected a blank or a comma after a closing quote, found more");
    return ISG_OK;
}

static isg_status read_plain(isg_arff *arff, char **word) {
    *word = arff->at;
    arff->at += strcspn(arff->at, " \t,{}%'\"");
    if (*arff->at == '\'' || *arff->at == '"')
        return refuse(arff, "a quote inside a word; put the whole word in quotes, \\' inside");
    if (*arff->at == '%')
        return refuse(arff, "a % inside a word; put the word in quotes");
    if (*arff->at) {
        arff->held = *arff->at;
        *arff->at++ = '\0';
    }
    return ISG_OK;
}

static isg_status next_token(isg_arff *arff, token *what, char **word) {
    char next = arff->held;
    arff->held = '\0';
    while (!next || next == ' ' || next == '\t') {
        next = *arff->at;
        if (!next || next == '%') { /* not consumed, so that the end stays the end */
            *what = END;
            return ISG_OK;
        }
        if (next == '\'' || next == '"') {
            *what = QUOTED;
            return read_quoted(arff, word);
        }
        if (!strchr(" \t,{}", next)) {
            *what = WORD;
            return read_plain(arff, word);
        }
        arff->at++;
    }
    *what = next == ',' ? COMMA : next == '{' ? OPEN : CLOSE;
    return ISG_OK;
}

/* The next line that is neither blank nor a comment; *has_line is false after the last. */
static isg_status next_line(isg_arff *arff, bool *has_line) {
    do {
        arff->held = '\0';
        ISG_TRY(isg_text_lines_next(arff->lines, &arff->at));
        if (arff->at && isg_text_lines_number(arff->lines) == 1 &&
            strncmp(arff->at, "\xef\xbb\xbf", 3) == 0)
            arff->at += 3;
        if (arff->at)
            arff->at += strspn(arff->at, " \t");
    } while (arff->at && (*arff->at == '\0' || *arff->at == '%'));
    *has_line = arff->at;
    return ISG_OK;
}

/* ---- the heading ---------------------------------------------------------------------------- */

static bool is_same(const char *word, const char *keyword) {
    return isg_same_letters(word, keyword, strlen(keyword) + 1);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static isg_status add_value(const isg_arff *arff, attribute *new, size_t *capacity, char *word) {
    if (new->n_values == *capacity) {
        void *grown = new->values;
        ISG_TRY(isg_grow(&grown, capacity, new->n_values + 1, sizeof *new->values));
        new->values = grown;
    }
    if (*word == '\0')
        return refuse(arff, "a value is empty; give it a name");
    new->values[new->n_values++] = word;
    return ISG_OK;
}

/* The values between braces, the first of which was read. */
static isg_status read_values(isg_arff *arff, attribute *new) {
    size_t capacity = 0;
    token what = COMMA;
    char *word = NULL;
    while (what == COMMA) {
        ISG_TRY(next_token(arff, &what, &word));
        if (what != WORD && what != QUOTED)
            return refuse(arff, "expected the values of the attribute, as in {yes, no}");
        ISG_TRY(add_value(arff, new, &capacity, word));
        ISG_TRY(next_token(arff, &what, &word));
    }
    if (what != CLOSE)
        return refuse(arff, "expected a comma or '}' after a value of the attribute");
    new->first = new->values[0];
    qsort(new->values, new->n_values, sizeof *new->values, by_text);
    for (size_t v = 1; v < new->n_values; v++)
        if (strcmp(new->values[v - 1], new->values[v]) == 0)
            return isg_fail(ISG_ERR_FORMAT, HERE "the value " WORD_SHOWN " is declared twice",
                            HERE_OF(arff), new->values[v]);
    return ISG_OK;
}

static isg_status read_kind(isg_arff *arff, attribute *new) {
    static const struct {
        const char *word;
        isg_arff_kind kind;
    } kinds[] = {
        {"numeric", ISG_ARFF_NUMBER}, {"real", ISG_ARFF_NUMBER}, {"integer", ISG_ARFF_NUMBER},
        {"string", ISG_ARFF_TEXT},    {"date", ISG_ARFF_TEXT},
    };
    token what = END;
    char *word = NULL;
    ISG_TRY(next_token(arff, &what, &word));
    if (what == OPEN) {
        new->kind = ISG_ARFF_NOMINAL;
        ISG_TRY(read_values(arff, new));
    } else {
        size_t k = 0;
        const size_t n_kinds = sizeof kinds / sizeof *kinds;
        while (k < n_kinds && !(what == WORD && is_same(word, kinds[k].word)))
            k++;
        if (k == n_kinds)
            return isg_fail(ISG_ERR_FORMAT,
                            HERE "expected numeric, real, integer, string, date or {values} as the "
                                 "kind of attribute " WORD_SHOWN ", found " WORD_SHOWN,
                            HERE_OF(arff), new->name, what <= QUOTED ? word : "");
        new->kind = kinds[k].kind;
        if (is_same(word, "date")) /* a format may follow */
            return ISG_OK;
    }
    ISG_TRY(next_token(arff, &what, &word));
    if (what == OPEN)
        return refuse(arff, "weights of attributes are not supported; remove the weight");
    return what == END ? ISG_OK : refuse(arff, "expected the end of the line after an attribute");
}

/* A copy of the line stays with the attribute: it holds the name and the values. */
static isg_status read_attribute(isg_arff *arff) {
    if (arff->n_attributes == MOST_ATTRIBUTES)
        return refuse(arff, "more than 1048576 attributes");
    void *grown = arff->attributes;
    ISG_TRY(isg_grow(&grown, &arff->capacity, arff->n_attributes + 1, sizeof *arff->attributes));
    arff->attributes = grown;
    attribute *new = &arff->attributes[arff->n_attributes];
    *new = (attribute){.line = isg_copy_text(arff->at)};
    if (!new->line)
        return ISG_ERR_MEMORY;
    arff->n_attributes++;
    arff->at = new->line;
    token what = END;
    ISG_TRY(next_token(arff, &what, &new->name));
    if (what > QUOTED || *new->name == '\0')
        return refuse(arff, "expected a name after @attribute");
    return read_kind(arff, new);
}

static isg_status read_heading(isg_arff *arff) {
    for (;;) {
        bool has_line = false;
        token what = END;
        char *word = NULL;
        ISG_TRY(next_line(arff, &has_line));
        if (!has_line)
            return isg_fail(ISG_ERR_FORMAT, "%s: expected an ARFF file, but it has no @data",
                            isg_source_name(arff->source));
        ISG_TRY(next_token(arff, &what, &word));
        if (what == WORD && is_same(word, "@data"))
            break;
        if (what == WORD && is_same(word, "@attribute"))
            ISG_TRY(read_attribute(arff));
        else if (!(what == WORD && is_same(word, "@relation"))) /* whose name means nothing here */
            return isg_fail(ISG_ERR_FORMAT,
                            HERE "expected @relation, @attribute or @data, found " WORD_SHOWN,
                            HERE_OF(arff),
                            what <= QUOTED  ? word
                            : what == COMMA ? ","
                                            : "{");
    }
    if (arff->n_attributes == 0)
        return refuse(arff, "@data without an @attribute before it");
    return ISG_ALLOCATE(arff->fields, arff->n_attributes);
}

isg_status isg_arff_create(isg_arff **out, isg_source *source) {
    isg_arff *arff = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(arff, 1));
    arff->source = source;
    ISG_TRY_GOTO(isg_text_lines_create(&arff->lines, source));
    isg_text_lines_allow(arff->lines, MOST_ROW_BYTES);
    ISG_TRY_GOTO(read_heading(arff));
    *out = arff;
    return ISG_OK;
done:
    isg_arff_free(arff);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------- */

static isg_status set_field(isg_arff *arff, size_t k, token what, const char *word) {
    const attribute *of = &arff->attributes[k];
    double number = 0;
    if (what == WORD && strcmp(word, "?") == 0) {
        arff->fields[k] = NULL;
        return ISG_OK;
    }
    if (of->kind == ISG_ARFF_NUMBER && isg_parse_number(word, &number) != ISG_NUMBER_OK)
        return isg_fail(ISG_ERR_FORMAT,
                        HERE "expected a number or ? for attribute " WORD_SHOWN
                             ", found " WORD_SHOWN,
                        HERE_OF(arff), of->name, word);
    if (of->kind == ISG_ARFF_NOMINAL &&
        !bsearch(&word, of->values, of->n_values, sizeof *of->values, by_text))
        return isg_fail(ISG_ERR_FORMAT,
                        HERE WORD_SHOWN
                        " is not among the values declared for attribute " WORD_SHOWN,
                        HERE_OF(arff), word, of->name);
    arff->fields[k] = word;
    return ISG_OK;
}

static isg_status refuse_weight(const isg_arff *arff) {
    return refuse(arff, "weights of rows are not supported; remove the {weight} at the end");
}

/* Values are between commas, or only blanks. `what` and `word` are the first. */
static isg_status read_dense(isg_arff *arff, token what, char *word) {
    size_t count = 0;
    while (what != END) {
        if (what == OPEN)
            return refuse_weight(arff);
        if (what > QUOTED)
            return refuse(arff, "expected a value, found a comma or '}'; a missing value is ?");
        if (count == arff->n_attributes)
            return isg_fail(ISG_ERR_FORMAT, HERE "expected %zu values, found more", HERE_OF(arff),
                            arff->n_attributes);
        ISG_TRY(set_field(arff, count++, what, word));
        ISG_TRY(next_token(arff, &what, &word));
        if (what == COMMA) {
            ISG_TRY(next_token(arff, &what, &word));
            if (what == END)
                return refuse(arff, "expected a value after the last comma");
        }
    }
    if (count < arff->n_attributes)
        return isg_fail(ISG_ERR_FORMAT, HERE "expected %zu values, found %zu", HERE_OF(arff),
                        arff->n_attributes, count);
    return ISG_OK;
}

/* The pairs between braces, the first of which was read. */
static isg_status read_sparse(isg_arff *arff) {
    for (size_t k = 0; k < arff->n_attributes; k++)
        arff->fields[k] =
            arff->attributes[k].kind == ISG_ARFF_NUMBER ? "0" : arff->attributes[k].first;
    size_t least = 0, k = 0;
    token what = END;
    char *word = NULL;
    ISG_TRY(next_token(arff, &what, &word));
    while (what != CLOSE) {
        if (what != WORD || !isg_parse_size(word, &k))
            return refuse(arff, "expected a pair 'number value', as in {1 yes, 3 no}");
        if (k >= arff->n_attributes)
            return isg_fail(ISG_ERR_FORMAT,
                            HERE "there is no attribute %zu; they are numbered from 0 to %zu",
                            HERE_OF(arff), k, arff->n_attributes - 1);
        if (k < least)
            return isg_fail(ISG_ERR_FORMAT, HERE "attribute %zu is out of order, or given twice",
                            HERE_OF(arff), k);
        least = k + 1;
        ISG_TRY(next_token(arff, &what, &word));
        if (what > QUOTED)
            return isg_fail(ISG_ERR_FORMAT, HERE "attribute %zu has no value", HERE_OF(arff), k);
        ISG_TRY(set_field(arff, k, what, word));
        ISG_TRY(next_token(arff, &what, &word));
        if (what == COMMA) {
            ISG_TRY(next_token(arff, &what, &word));
            if (what == CLOSE)
                return refuse(arff, "expected a pair 'number value' after the last comma");
        } else if (what != CLOSE) {
            return refuse(arff, "expected a comma or '}' after a pair 'number value'");
        }
    }
    ISG_TRY(next_token(arff, &what, &word));
    if (what == COMMA)
        ISG_TRY(next_token(arff, &what, &word));
    if (what == OPEN)
        return refuse_weight(arff);
    return what == END ? ISG_OK : refuse(arff, "expected the end of the line after '}'");
}

isg_status isg_arff_next(isg_arff *arff, bool *has_row) {
    token what = END;
    char *word = NULL;
    ISG_TRY(next_line(arff, has_row));
    if (!*has_row)
        return ISG_OK;
    ISG_TRY(next_token(arff, &what, &word));
    return what == OPEN ? read_sparse(arff) : read_dense(arff, what, word);
}

/* ---- what was read ---------------------------------------------------------------------------- */

size_t isg_arff_count(const isg_arff *arff) {
    return arff->n_attributes;
}

const char *isg_arff_name(const isg_arff *arff, size_t k) {
    return arff->attributes[k].name;
}

isg_arff_kind isg_arff_kind_of(const isg_arff *arff, size_t k) {
    return arff->attributes[k].kind;
}

size_t isg_arff_value_count(const isg_arff *arff, size_t k) {
    return arff->attributes[k].n_values;
}

const char *isg_arff_value(const isg_arff *arff, size_t k, size_t value) {
    assert(value < arff->attributes[k].n_values);
    return arff->attributes[k].values[value];
}

const char *isg_arff_field(const isg_arff *arff, size_t k) {
    assert(k < arff->n_attributes);
    return arff->fields[k];
}

size_t isg_arff_line(const isg_arff *arff) {
    return isg_text_lines_number(arff->lines);
}

void isg_arff_free(isg_arff *arff) {
    if (!arff)
        return;
    for (size_t k = 0; k < arff->n_attributes; k++) {
        isg_release(arff->attributes[k].line);
        isg_release(arff->attributes[k].values);
    }
    isg_release(arff->attributes);
    isg_release(arff->fields);
    isg_text_lines_free(arff->lines);
    isg_release(arff);
}
