/* matrix_market.c - matrices in the exchange format of NIST (.mtx)
 *
 * SPDX-License-Identifier: MIT
 *
 *     %%MatrixMarket matrix coordinate real general
 *     % comments
 *     rows columns entries
 *     row column value        (counted from 1; an array file has only the values)
 */
#include "io/matrix_market.h"

#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "io/text_lines.h"

enum { MOST_WORDS = 5, MOST_BLANK_LINES = 1 << 16 };

typedef struct entry {
    size_t row, col;
    double value;
} entry;

struct isg_matrix_market {
    isg_source *source;
    isg_text_lines *lines;
    isg_matrix_market_shape shape;
    bool is_unsigned;
    size_t n_read;
    size_t next_row, next_col; /* in an array file */
    bool has_mirror;
    entry mirror;
};

/* Begins an error sentence: "digits.mtx: line 7". */
#define HERE       "%s: line %zu: "
#define HERE_OF(m) isg_source_name((m)->source), isg_text_lines_number((m)->lines)
#define WORD       "\"%.40s\"" /* enough to recognize it */

/* Splits a line at its blanks; returns most + 1 if there are more than `most` words. */
static size_t split(char *line, char *words[], size_t most) {
    size_t count = 0;
    for (;;) {
        line += strspn(line, " \t");
        if (*line == '\0')
            return count;
        if (count == most)
            return most + 1;
        words[count++] = line;
        line += strcspn(line, " \t");
        if (*line != '\0')
            *line++ = '\0';
    }
}

/* The next line that is not blank; NULL after the last. */
static isg_status next_line(isg_matrix_market *m, char **line) {
    for (size_t n_blank = 0; n_blank <= MOST_BLANK_LINES; n_blank++) {
        ISG_TRY(isg_text_lines_next(m->lines, line));
        if (!*line || (*line)[strspn(*line, " \t")] != '\0')
            return ISG_OK;
    }
    return isg_fail(ISG_ERR_FORMAT, HERE "more than %d blank lines end here", HERE_OF(m),
                    MOST_BLANK_LINES);
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_same(const char *a, const char *b) {
    while (*a && lower(*a) == lower(*b))
        a++, b++;
    return lower(*a) == lower(*b);
}

static isg_status read_banner(isg_matrix_market *m) {
    char *line = NULL, *words[MOST_WORDS];
    ISG_TRY(isg_text_lines_next(m->lines, &line));
    const size_t n_words = line ? split(line, words, MOST_WORDS) : 0;
    if (n_words == 0 || !is_same(words[0], "%%MatrixMarket"))
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: expected a Matrix Market file, which begins with %%%%MatrixMarket",
                        isg_source_name(m->source));
    if (n_words != MOST_WORDS)
        return isg_fail(ISG_ERR_FORMAT,
                        HERE "expected five words: %%%%MatrixMarket matrix FORMAT FIELD SYMMETRY",
                        HERE_OF(m));
    isg_matrix_market_shape *shape = &m->shape;
    shape->is_coordinate = is_same(words[2], "coordinate");
    shape->is_pattern = is_same(words[3], "pattern");
    m->is_unsigned = is_same(words[3], "unsigned-integer");
    shape->is_integer = is_same(words[3], "integer") || m->is_unsigned;
    shape->is_symmetric = is_same(words[4], "symmetric");
    const bool is_real = is_same(words[3], "real") || is_same(words[3], "double");
    const struct {
        bool is_known;
        const char *expected;
    } checks[] = {
        {is_same(words[1], "matrix"), "matrix"},
        {shape->is_coordinate || is_same(words[2], "array"), "coordinate or array"},
        {is_real || shape->is_integer || shape->is_pattern, "real, integer or pattern"},
        {shape->is_symmetric || is_same(words[4], "general"), "general or symmetric"},
    };
    for (size_t k = 0; k < sizeof checks / sizeof *checks; k++)
        if (!checks[k].is_known)
            return isg_fail(ISG_ERR_FORMAT, HERE "expected %s, found " WORD, HERE_OF(m),
                            checks[k].expected, words[k + 1]);
    if (shape->is_pattern && !shape->is_coordinate)
        return isg_fail(ISG_ERR_FORMAT, HERE "a pattern must be in coordinate format, not array",
                        HERE_OF(m));
    return ISG_OK;
}

/* An entry takes at least its digits, the blanks between them and the end of the line, which the
   last may lack. */
static isg_status check_entries(const isg_matrix_market *m) {
    const isg_matrix_market_shape *shape = &m->shape;
    const uint64_t shortest = !shape->is_coordinate ? 2 : shape->is_pattern ? 4 : 6;
    const uint64_t at_most = isg_text_lines_at_most(m->lines);
    if (shape->entries > at_most / shortest + (at_most % shortest == shortest - 1))
        return isg_fail(ISG_ERR_FORMAT,
                        HERE "promises %zu entries of at least %llu bytes each, but at most "
                             "%llu bytes can follow",
                        HERE_OF(m), shape->entries, (unsigned long long)shortest,
                        (unsigned long long)at_most);
    return ISG_OK;
}

static isg_status read_sizes(isg_matrix_market *m) {
    isg_matrix_market_shape *shape = &m->shape;
    char *line = NULL, *words[3];
    do {
        ISG_TRY(next_line(m, &line));
        if (!line)
            return isg_fail(ISG_ERR_FORMAT, "%s: ends before the line of sizes",
                            isg_source_name(m->source));
        shape->is_by_10x = shape->is_by_10x || strncmp(line, "%metadata_json:", 15) == 0;
    } while (line[0] == '%');
    const size_t n_words = shape->is_coordinate ? 3 : 2;
    bool is_fine = split(line, words, n_words) == n_words;
    is_fine = is_fine && isg_parse_size(words[0], &shape->rows);
    is_fine = is_fine && isg_parse_size(words[1], &shape->cols);
    if (shape->is_coordinate)
        is_fine = is_fine && isg_parse_size(words[2], &shape->entries);
    if (!is_fine)
        return isg_fail(ISG_ERR_FORMAT, HERE "expected %s, as whole numbers", HERE_OF(m),
                        shape->is_coordinate ? "rows, columns and entries" : "rows and columns");
    size_t product = 0;
    if (!isg_multiply(&product, shape->rows, shape->cols))
        return isg_fail(ISG_ERR_FORMAT, HERE "%zu rows of %zu columns are too many", HERE_OF(m),
                        shape->rows, shape->cols);
    if (shape->is_symmetric && shape->rows != shape->cols)
        return isg_fail(ISG_ERR_FORMAT,
                        HERE "a symmetric matrix must be square, found %zu rows and %zu columns",
                        HERE_OF(m), shape->rows, shape->cols);
    if (!shape->is_coordinate) /* the lower triangle has n (n + 1) / 2, and n * n does not wrap */
        shape->entries = shape->is_symmetric ? (product - shape->rows) / 2 + shape->rows : product;
    return check_entries(m);
}

isg_status isg_matrix_market_create(isg_matrix_market **out, isg_source *source,
                                    isg_matrix_market_shape *shape) {
    isg_matrix_market *m = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(m, 1));
    m->source = source;
    ISG_TRY_GOTO(isg_text_lines_create(&m->lines, source));
    ISG_TRY_GOTO(read_banner(m));
    ISG_TRY_GOTO(read_sizes(m));
    *shape = m->shape;
    *out = m;
    m = NULL;
done:
    isg_matrix_market_free(m);
    return status;
}

static isg_status read_index(const isg_matrix_market *m, const char *what, const char *word,
                             size_t most, size_t *out) {
    size_t index = 0;
    if (!isg_parse_size(word, &index) || index < 1 || index > most)
        return isg_fail(ISG_ERR_FORMAT, HERE "expected a %s from 1 to %zu, found " WORD, HERE_OF(m),
                        what, most, word);
    *out = index - 1;
    return ISG_OK;
}

/* Whether a word that is a number has neither point nor exponent. */
static bool is_whole(const char *word, bool is_unsigned) {
    if (*word == '+' || (*word == '-' && !is_unsigned))
        word++;
    return word[strspn(word, "0123456789")] == '\0';
}

static isg_status read_value(const isg_matrix_market *m, const char *word, entry *out) {
    const isg_number_kind result = isg_parse_number(word, &out->value);
    if (result == ISG_NUMBER_NOT_FINITE)
        return isg_fail(ISG_ERR_FORMAT, HERE "row %zu, column %zu is not finite: " WORD, HERE_OF(m),
                        out->row + 1, out->col + 1, word);
    if (result != ISG_NUMBER_OK || (m->shape.is_integer && !is_whole(word, m->is_unsigned)))
        return isg_fail(ISG_ERR_FORMAT, HERE "row %zu, column %zu: expected %s, found " WORD,
                        HERE_OF(m), out->row + 1, out->col + 1,
                        m->is_unsigned        ? "a whole number without a sign"
                        : m->shape.is_integer ? "a whole number"
                                              : "a number",
                        word);
    return ISG_OK;
}

static isg_status read_coordinate(isg_matrix_market *m, char *line, entry *out) {
    char *words[3];
    const size_t n_words = m->shape.is_pattern ? 2 : 3;
    if (split(line, words, n_words) != n_words)
        return isg_fail(ISG_ERR_FORMAT, HERE "expected %s", HERE_OF(m),
                        m->shape.is_pattern ? "a row and a column, and nothing else"
                                            : "a row, a column and a value, and nothing else");
    ISG_TRY(read_index(m, "row", words[0], m->shape.rows, &out->row));
    ISG_TRY(read_index(m, "column", words[1], m->shape.cols, &out->col));
    if (m->shape.is_symmetric && out->col > out->row)
        return isg_fail(ISG_ERR_FORMAT,
                        HERE "row %zu, column %zu is above the diagonal, where a symmetric file "
                             "has no entries",
                        HERE_OF(m), out->row + 1, out->col + 1);
    out->value = 1.0;
    return m->shape.is_pattern ? ISG_OK : read_value(m, words[2], out);
}

static isg_status read_array_value(isg_matrix_market *m, char *line, entry *out) {
    char *word;
    if (split(line, &word, 1) != 1)
        return isg_fail(ISG_ERR_FORMAT, HERE "expected one value, found more", HERE_OF(m));
    out->row = m->next_row;
    out->col = m->next_col;
    ISG_TRY(read_value(m, word, out));
    if (++m->next_row == m->shape.rows) {
        m->next_col++;
        m->next_row = m->shape.is_symmetric ? m->next_col : 0;
    }
    return ISG_OK;
}

static isg_status read_entry(isg_matrix_market *m, entry *out, bool *has_entry) {
    char *line = NULL;
    ISG_TRY(next_line(m, &line));
    *has_entry = line != NULL;
    if (!line && m->n_read < m->shape.entries)
        return isg_fail(ISG_ERR_FORMAT, "%s: expected %zu entries, found %zu",
                        isg_source_name(m->source), m->shape.entries, m->n_read);
    if (!line)
        return ISG_OK;
    if (m->n_read == m->shape.entries)
        return isg_fail(ISG_ERR_FORMAT, HERE "expected the end after %zu entries, found more",
                        HERE_OF(m), m->shape.entries);
    ISG_TRY(m->shape.is_coordinate ? read_coordinate(m, line, out)
                                   : read_array_value(m, line, out));
    m->n_read++;
    return ISG_OK;
}

isg_status isg_matrix_market_next(isg_matrix_market *market, size_t *row, size_t *col,
                                  double *value, bool *has_entry) {
    entry found = market->mirror;
    bool has_found = market->has_mirror;
    if (!has_found) {
        ISG_TRY(read_entry(market, &found, &has_found));
        market->has_mirror = has_found && market->shape.is_symmetric && found.row != found.col;
        market->mirror = (entry){found.col, found.row, found.value};
    } else {
        market->has_mirror = false;
    }
    *has_entry = has_found;
    if (has_found) {
        *row = found.row;
        *col = found.col;
        *value = found.value;
    }
    return ISG_OK;
}

void isg_matrix_market_free(isg_matrix_market *market) {
    if (!market)
        return;
    isg_text_lines_free(market->lines);
    isg_release(market);
}
