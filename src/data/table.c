/* table.c - the rows of a CSV, TSV or ARFF file, and its columns by name or number
 *
 * SPDX-License-Identifier: MIT
 *
 * Tables seldom say whether they have a heading, and a guess is easily wrong, so ambiguous ones are
 * refused.
 */
#include "data/table.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"

static bool is_blank(const char *field) {
    return isg_trim(&field) == 0;
}

bool isg_means_missing(const char *field) {
    static const char *const words[] = {"",     "na",   "n/a",     "#n/a", "nan",
                                        "null", "none", "missing", "?"};
    if (!field)
        return true;
    const size_t length = isg_trim(&field);
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strlen(words[k]) == length && isg_same_letters(field, words[k], length))
            return true;
    return false;
}

bool isg_truth_of(const char *field, double *out) {
    static const char *const words[][2] = {{"no", "yes"}, {"n", "y"}, {"false", "true"}};
    const size_t length = isg_trim(&field);
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        for (size_t truth = 0; truth < 2; truth++)
            if (strlen(words[k][truth]) == length &&
                isg_same_letters(field, words[k][truth], length)) {
                *out = (double)truth;
                return true;
            }
    return false;
}

bool isg_is_column_number(const char *column) {
    size_t number = 0;
    return isg_parse_size(column + (column[0] == '-'), &number);
}

/* ---- columns ---------------------------------------------------------------------------------- */

const char *isg_table_column(const isg_table *table, size_t k, char out[ISG_COLUMN_ROOM]) {
    const char *name = isg_names_at(&table->columns, k);
    if (name && *name)
        snprintf(out, ISG_COLUMN_ROOM, "%zu ('%.40s')", k + 1, name);
    else
        snprintf(out, ISG_COLUMN_ROOM, "%zu", k + 1);
    return out;
}

/* Lists the columns: "a, b, c, ..., x, y, z (26 in all)". The one that was meant is often the last. */
static isg_status no_such_column(const isg_table *table, const char *column) {
    enum { SHOWN = 12 };
    char list[SHOWN * 32 + 64] = "";
    size_t used = 0;
    if (!table->columns.count)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: there is no column '%s' (the file has no heading); columns are "
                        "numbered from 1 to %zu",
                        table->name, column, table->n_columns);
    const size_t first = table->has_row_names, n = table->n_columns - first;
    const size_t gap = n > SHOWN ? n - SHOWN : 0;
    for (size_t k = 0; k < n - gap; k++) {
        const bool is_behind = gap && k >= SHOWN / 2;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.28s",
                                 k == 0                        ? ""
                                 : is_behind && k == SHOWN / 2 ? ", ..., "
                                                               : ", ",
                                 isg_names_at(&table->columns, first + k + (is_behind ? gap : 0)));
    }
    if (gap)
        snprintf(list + used, sizeof list - used, " (%zu in all)", n);
    return isg_fail(ISG_ERR_FORMAT, "%s: there is no column '%s'; the columns are %s", table->name,
                    column, list);
}

static size_t count_called(const isg_table *table, const char *column, size_t *first) {
    size_t n_found = 0;
    for (size_t k = 0; *column && k < table->columns.count; k++)
        if (strcmp(isg_names_at(&table->columns, k), column) == 0 && n_found++ == 0)
            *first = k;
    return n_found;
}

isg_status isg_table_find(const isg_table *table, const char *column, size_t *out) {
    const size_t n_found = count_called(table, column, out);
    if (n_found > 1)
        return isg_fail(ISG_ERR_FORMAT, "%s: %zu columns are called '%s'; give the number of one",
                        table->name, n_found, column);
    if (n_found == 1)
        return ISG_OK;
    const bool is_from_end = column[0] == '-';
    size_t number = 0;
    if (!isg_parse_size(column + is_from_end, &number))
        return no_such_column(table, column);
    if (number < 1 || number > table->n_columns)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: column %s does not exist: columns are numbered from 1 to %zu, or "
                        "from -1 for the last",
                        table->name, column, table->n_columns);
    *out = is_from_end ? table->n_columns - number : number - 1;
    return ISG_OK;
}

bool isg_table_has(const isg_table *table, const char *column) {
    size_t number = 0;
    if (count_called(table, column, &number) > 0)
        return true;
    return isg_parse_size(column + (column[0] == '-'), &number) && number >= 1 &&
           number <= table->n_columns;
}

/* The next of a list of columns, without blanks around it; false after the last. */
static bool next_in_list(const char **list, char *out, size_t room) {
    if (!*list)
        return false;
    const size_t length = strcspn(*list, ",");
    snprintf(out, room, "%.*s", (int)(length < room ? length : room - 1), *list);
    const char *text = out;
    const size_t kept = isg_trim(&text);
    memmove(out, text, kept);
    out[kept] = '\0';
    *list = (*list)[length] == ',' ? *list + length + 1 : NULL;
    return true;
}

enum { LIST_ROOM = 1024 }; /* for a name in a list */

isg_status isg_table_ignore(const isg_table *table, const char *columns, bool *is_ignored) {
    char column[LIST_ROOM];
    size_t k = 0;
    while (next_in_list(&columns, column, sizeof column)) {
        ISG_TRY(isg_table_find(table, column, &k));
        is_ignored[k] = true;
    }
    return ISG_OK;
}

/* ---- is the first row a heading? ----------------------------------------------------------------- */

/* What the first row consists of, apart from the columns that hold no values. */
typedef struct first_row {
    size_t numbers, words;
    size_t odd;       /* "0,5": more likely a broken number than a name */
    size_t missing;   /* words for a missing value */
    size_t truths;    /* words for 1 and 0 */
    bool is_counting; /* the numbers count the columns from 0 or 1 */
} first_row;

/* With fewer columns, numbers may count up by chance, unless the first field is blank: pandas writes
   such a heading above its row numbers. */
enum { LEAST_COUNTING = 16 };

static first_row look_at_first_row(const isg_csv *csv, const bool *is_other) {
    first_row row = {.is_counting = true};
    double first = 0;
    for (size_t k = 0; k < isg_csv_count(csv); k++) {
        double number = 0;
        const char *field = isg_csv_field(csv, k);
        if (is_other[k] || is_blank(field))
            continue;
        if (isg_parse_number(field, &number) != ISG_NUMBER_MALFORMED) {
            first = row.numbers == 0 ? number : first;
            row.is_counting = row.is_counting && number == first + (double)row.numbers;
            row.numbers++;
        } else if (strcspn(field, "0123456789+-.") == 0) {
            row.odd++;
        } else {
            row.words++;
            row.missing += isg_means_missing(field);
            row.truths += isg_truth_of(field, &number);
        }
    }
    const size_t least =
        isg_csv_count(csv) > 2 && is_blank(isg_csv_field(csv, 0)) ? 2 : LEAST_COUNTING;
    row.is_counting = row.is_counting && row.numbers >= least && (first == 0 || first == 1);
    return row;
}

bool isg_wants_names(const isg_wanted *wanted) {
    char column[LIST_ROOM];
    for (const char *list = wanted->ignored; next_in_list(&list, column, sizeof column);)
        if (!isg_is_column_number(column))
            return true;
    return (wanted->label && !isg_is_column_number(wanted->label)) ||
           (wanted->id && !isg_is_column_number(wanted->id));
}

/* All its fields are words, apart from the columns given by number. Ambiguous rows are refused,
   since a wrong guess would lose or invent a sample: a mixture, nothing but words for values (NA, yes),
   numbers that count the columns. */
static isg_status guess_heading(const isg_table *table, const isg_wanted *wanted,
                                bool *is_heading) {
    bool *is_other = NULL;
    isg_status status = ISG_OK;
    size_t k = 0;
    *is_heading = isg_wants_names(wanted);
    if (*is_heading)
        return ISG_OK;
    ISG_TRY(ISG_ALLOCATE(is_other, table->n_columns));
    ISG_TRY_GOTO(isg_table_ignore(table, wanted->ignored, is_other));
    for (int n = 0; n < 2; n++) {
        const char *column = n ? wanted->id : wanted->label;
        if (!column)
            continue;
        ISG_TRY_GOTO(isg_table_find(table, column, &k));
        is_other[k] = true;
    }
    const first_row row = look_at_first_row(table->csv, is_other);
    const size_t names = row.words - row.missing - row.truths; /* what only a heading can have */
    *is_heading = names > 0 && row.numbers == 0 && row.odd == 0;
    if (*is_heading)
        goto done;
    if (names > 0 || (row.words > 0 && row.numbers == 0))
        status = isg_fail(ISG_ERR_FORMAT,
                          "%s: the first row has %zu numbers and %zu other fields, so it may be a "
                          "heading or data; say which with --header yes or no",
                          table->name, row.numbers, row.words + row.odd);
    else if (row.is_counting && row.odd == 0)
        status =
            isg_fail(ISG_ERR_FORMAT,
                     "%s: the first row counts its columns, so it may be a heading or data; say "
                     "which with --header yes or no",
                     table->name);
done:
    isg_release(is_other);
    return status;
}

/* The names of the columns. A first one without a name has row names, as pandas writes them; R leaves
   out its field in the heading. */
static isg_status take_heading(isg_table *table, bool is_tentative) {
    isg_names names = {0};
    isg_status status = ISG_OK;
    bool has_row = false;
    for (size_t k = 0; k < table->n_columns; k++) {
        const char *field = isg_csv_field(table->csv, k);
        const size_t length = isg_trim(&field);
        if (length == 0 && (k > 0 || table->n_columns == 1) && !is_tentative)
            ISG_TRY_GOTO(
                isg_fail(ISG_ERR_FORMAT,
                         "%s: line %zu: column %zu has no name; name it, or write the file "
                         "without it",
                         table->name, isg_csv_line(table->csv), k + 1));
        ISG_TRY_GOTO(isg_names_add(&names, field, length));
    }
    ISG_TRY_GOTO(isg_csv_next(table->csv, &has_row));
    table->is_waiting = has_row;
    if (!has_row && !is_tentative)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: there is a heading, but no rows", table->name));
    table->has_row_names = table->n_columns > 1 && isg_names_at(&names, 0)[0] == '\0';
    if (has_row && !table->has_row_names && isg_csv_count(table->csv) == table->n_columns + 1) {
        ISG_TRY_GOTO(isg_names_add(&table->columns, "", 0));
        table->has_row_names = true;
        table->n_columns++;
    }
    for (size_t k = 0; k < names.count; k++)
        ISG_TRY_GOTO(isg_names_add(&table->columns, isg_names_at(&names, k),
                                   strlen(isg_names_at(&names, k))));
done:
    isg_names_clear(&names);
    return status;
}

/* ---- rows --------------------------------------------------------------------------------------- */

static isg_status open_csv(isg_table *table, isg_source *source, char separator, isg_header header,
                           const isg_wanted *wanted) {
    bool has_row = false, is_heading = header == ISG_HEADER_YES;
    ISG_TRY(isg_csv_create(&table->csv, source, separator));
    if (separator == ',')
        ISG_TRY(isg_csv_allow_semicolons(table->csv));
    ISG_TRY(isg_csv_next(table->csv, &has_row));
    if (!has_row)
        return isg_fail(ISG_ERR_FORMAT, "%s: there are no rows", table->name);
    table->n_columns = isg_csv_count(table->csv);
    table->is_waiting = true;
    if (header == ISG_HEADER_AUTO)
        ISG_TRY(guess_heading(table, wanted, &is_heading));
    table->is_guessed = is_heading && header == ISG_HEADER_AUTO && !isg_wants_names(wanted);
    return is_heading ? take_heading(table, wanted->is_tentative) : ISG_OK;
}

static isg_status open_arff(isg_table *table, isg_source *source) {
    ISG_TRY(isg_arff_create(&table->arff, source));
    table->n_columns = isg_arff_count(table->arff);
    for (size_t k = 0; k < table->n_columns; k++)
        ISG_TRY(isg_names_add(&table->columns, isg_arff_name(table->arff, k),
                              strlen(isg_arff_name(table->arff, k))));
    bool has_row = false;
    ISG_TRY(isg_arff_next(table->arff, &has_row));
    if (!has_row)
        return isg_fail(ISG_ERR_FORMAT, "%s: there are no rows after @data", table->name);
    table->is_waiting = true;
    return ISG_OK;
}

isg_status isg_table_open(isg_table *out, isg_source *source, char separator, isg_header header,
                          const isg_wanted *wanted) {
    isg_table table = {.name = isg_source_name(source)};
    const isg_status status =
        separator ? open_csv(&table, source, separator, header, wanted) : open_arff(&table, source);
    if (status == ISG_OK)
        *out = table;
    else
        isg_table_close(&table);
    return status;
}

isg_status isg_table_next(isg_table *table, bool *has_row) {
    *has_row = true;
    if (!table->is_waiting)
        ISG_TRY(table->csv ? isg_csv_next(table->csv, has_row)
                           : isg_arff_next(table->arff, has_row));
    table->is_waiting = false;
    if (*has_row && table->csv && isg_csv_count(table->csv) != table->n_columns)
        return isg_fail(ISG_ERR_FORMAT, "%s: line %zu: expected %zu field%s, found %zu",
                        table->name, isg_csv_line(table->csv), table->n_columns,
                        table->n_columns > 1 ? "s" : "", isg_csv_count(table->csv));
    return ISG_OK;
}

const char *isg_table_field(const isg_table *table, size_t k) {
    return table->csv ? isg_csv_field(table->csv, k) : isg_arff_field(table->arff, k);
}

size_t isg_table_line(const isg_table *table) {
    return table->csv ? isg_csv_line(table->csv) : isg_arff_line(table->arff);
}

void isg_table_close(isg_table *table) {
    isg_csv_free(table->csv);
    isg_arff_free(table->arff);
    isg_names_clear(&table->columns);
    *table = (isg_table){0};
}
