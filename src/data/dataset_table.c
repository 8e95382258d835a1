/* dataset_table.c - a data set from a table: CSV, TSV, ARFF
 *
 * SPDX-License-Identifier: MIT
 *
 * A column of numbers, or of words for yes and no, is a unit. A column of other words becomes one
 * unit per word if the options or the model say so; which words there are, and in a table to be
 * transposed how many rows, is found in passes over the file before the one that reads its values.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/loader.h"
#include "data/table.h"

/* A column with more different words than this holds something else. */
enum { MOST_WORDS = 4096 };

/* The words of a column, sorted bytewise once they are all known. */
typedef struct words {
    isg_names names;
    isg_name_index index;
} words;

typedef struct column {
    size_t first; /* of its units; SIZE_MAX if it has none: a label, an id, ignored */
    words *words; /* NULL if it is one unit */
    bool has_numbers, has_truths, has_words;
} column;

typedef struct reader {
    isg_loader *load;
    isg_table table;
    column *columns;  /* (table.n_columns) */
    size_t label, id; /* columns, or SIZE_MAX */
    size_t n_units, n_rows;
} reader;

/* A sentence about the current row and a column: "votes.csv: line 3, column 2 ('age')". */
#define HERE "%s: line %zu, column %s: "
#define HERE_OF(r, k)                                                                              \
    (r)->table.name, isg_table_line(&(r)->table), isg_table_column(&(r)->table, k, where)
#define WHERE_IN_A_ROW char where[ISG_COLUMN_ROOM]

static isg_wanted wanted_of(const isg_loader *load) {
    const isg_dataset_options *options = load->options;
    /* With a label file, the label column is in that one, and the id column may be. */
    const bool has_file = options->labels_path;
    return (isg_wanted){.label = has_file ? NULL : options->label_column,
                        .id = has_file && options->id_column &&
                                      !isg_is_column_number(options->id_column)
                                  ? NULL
                                  : options->id_column,
                        .ignored = options->ignore_columns};
}

static isg_status open_table(const reader *r, isg_table *out, isg_source *source) {
    const isg_wanted wanted = wanted_of(r->load);
    return isg_table_open(out, source, r->load->input.format->separator, r->load->options->header,
                          &wanted);
}

/* ---- what the columns hold ------------------------------------------------------------------------ */

/* The tables that this program writes of samples begin with these, of which none is a unit. */
static const char *const written[] = {"row", "id", "class"};
enum { WRITTEN_ID = 1, WRITTEN = sizeof written / sizeof *written };

static bool is_written_by_us(const isg_table *table) {
    size_t k = 0;
    while (k < WRITTEN && k < table->columns.count &&
           strcmp(isg_names_at(&table->columns, k), written[k]) == 0)
        k++;
    return k == WRITTEN && !table->arff;
}

/* All ids are known or none is, so that the first row tells. */
static bool has_written_id(const isg_table *table) {
    const char *id =
        isg_csv_count(table->csv) > WRITTEN_ID ? isg_csv_field(table->csv, WRITTEN_ID) : "";
    return isg_trim(&id) > 0;
}

static isg_status find_columns(reader *r) {
    const isg_dataset_options *options = r->load->options;
    const isg_wanted wanted = wanted_of(r->load);
    const isg_table *table = &r->table;
    const bool is_ours = !r->load->columns_are_samples && is_written_by_us(table);
    bool *is_ignored = NULL;
    isg_status status = ISG_OK;
    r->label = r->id = SIZE_MAX;
    ISG_TRY(ISG_ALLOCATE(r->columns, table->n_columns));
    ISG_TRY(ISG_ALLOCATE(is_ignored, table->n_columns));
    ISG_TRY_GOTO(isg_table_ignore(table, wanted.ignored, is_ignored));
    if (wanted.label &&
        (isg_table_has(table, wanted.label) || !isg_loader_may_lack_labels(r->load)))
        ISG_TRY_GOTO(isg_table_find(table, wanted.label, &r->label));
    if (wanted.id)
        ISG_TRY_GOTO(isg_table_find(table, wanted.id, &r->id));
    else if (options->id_column && isg_table_has(table, options->id_column))
        ISG_TRY_GOTO(isg_table_find(table, options->id_column, &r->id));
    else if (table->has_row_names && r->label != 0 && !is_ignored[0])
        r->id = 0;
    else if (is_ours && r->label != WRITTEN_ID && !is_ignored[WRITTEN_ID] && has_written_id(table))
        r->id = WRITTEN_ID;
    if (r->id != SIZE_MAX && r->id == r->label)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_ARGUMENT,
                              "%s: column %zu cannot be both the label and the id", table->name,
                              r->id + 1));
    for (size_t k = 0; k < table->n_columns; k++)
        if (is_ignored[k] || k == r->label || k == r->id || (is_ours && k < WRITTEN))
            r->columns[k].first = SIZE_MAX;
done:
    isg_release(is_ignored);
    return status;
}

/* ARFF has a sign of its own for a missing value, so that words are words. */
static bool is_missing(const reader *r, const char *field) {
    return r->table.arff ? !field : isg_means_missing(field);
}

/* ---- passes before the one that reads the values ----------------------------------------------------- */

static isg_status scan(reader *r, isg_status (*look)(reader *r, const isg_table *table)) {
    isg_loader *load = r->load;
    isg_source *source = NULL;
    isg_table table = {0};
    bool has_row = false;
    isg_status status = ISG_OK;
    ISG_TRY(isg_source_create(&source, load->input.file, load->input.packing, 0,
                              isg_file_size(load->input.file)));
    ISG_TRY_GOTO(open_table(r, &table, source));
    for (load->reported = 0;;) {
        ISG_TRY_GOTO(isg_table_next(&table, &has_row));
        if (!has_row)
            break;
        ISG_TRY_GOTO(look(r, &table));
        ISG_TRY_GOTO(isg_loader_report(load, source));
    }
done:
    load->reported = 0;
    isg_table_close(&table);
    isg_source_free(source);
    return status;
}

static isg_status note_row(reader *r, const isg_table *table) {
    r->n_rows++;
    if (r->id == SIZE_MAX)
        return ISG_OK;
    const char *id = isg_table_field(table, r->id);
    id = id ? id : "";
    const size_t length = isg_trim(&id);
    return isg_names_add(&r->load->row_names, id, length);
}

static isg_status note_kinds(reader *r, const isg_table *table) {
    for (size_t k = 0; k < table->n_columns; k++) {
        column *c = &r->columns[k];
        const char *field = isg_table_field(table, k);
        double value = 0;
        if (c->first == SIZE_MAX || c->has_words || is_missing(r, field))
            continue;
        if (isg_parse_number(field, &value) != ISG_NUMBER_MALFORMED)
            c->has_numbers = true;
        else if (isg_truth_of(field, &value))
            c->has_truths = true;
        else
            c->has_words = true;
        c->has_words = c->has_words || (c->has_numbers && c->has_truths);
    }
    return ISG_OK;
}

static isg_status add_word(reader *r, size_t k, const char *word) {
    words *all = r->columns[k].words;
    const size_t length = isg_trim(&word);
    char text[ISG_LABEL_BYTES];
    WHERE_IN_A_ROW;
    if (length >= sizeof text)
        return isg_fail(ISG_ERR_FORMAT, "%s: column %s has a word of more than %zu bytes",
                        r->table.name, isg_table_column(&r->table, k, where), sizeof text - 1);
    memcpy(text, word, length);
    text[length] = '\0';
    if (all->index.slots && isg_name_index_find(&all->index, text) != SIZE_MAX)
        return ISG_OK;
    if (all->names.count == MOST_WORDS)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: column %s has more than %d different words; if these are names, see "
                        "--id-column and --ignore-columns",
                        r->table.name, isg_table_column(&r->table, k, where), MOST_WORDS);
    ISG_TRY(isg_names_add(&all->names, text, length));
    isg_name_index_clear(&all->index); /* to be made anew, for new words are few */
    return isg_name_index_create(&all->index, &all->names);
}

static isg_status note_words(reader *r, const isg_table *table) {
    for (size_t k = 0; k < table->n_columns; k++)
        if (r->columns[k].words && !is_missing(r, isg_table_field(table, k)))
            ISG_TRY(add_word(r, k, isg_table_field(table, k)));
    return ISG_OK;
}

/* The name of a column, or its number in the caller's buffer. */
static const char *name_of(const reader *r, size_t k, char number[24]) {
    const char *name = isg_names_at(&r->table.columns, k);
    snprintf(number, 24, "%zu", k + 1);
    return name ? name : number;
}

/* ---- columns of words --------------------------------------------------------------------------- */

/* ARFF declares the values of a column. */
static bool is_declared(const reader *r, size_t k) {
    return r->table.arff && isg_arff_kind_of(r->table.arff, k) == ISG_ARFF_NOMINAL;
}

/* In ARFF, t and f also stand for 1 and 0, where no other value is declared. */
static bool truth_of(const reader *r, const char *field, double *out) {
    const size_t length = isg_trim(&field);
    if (r->table.arff && length == 1 && strchr("tTfF", *field)) {
        *out = *field == 't' || *field == 'T';
        return true;
    }
    return isg_truth_of(field, out);
}

static bool is_declared_as_unit(const reader *r, size_t k) {
    double value = 0;
    size_t v = 0;
    const isg_arff *arff = r->table.arff;
    while (v < isg_arff_value_count(arff, k) && truth_of(r, isg_arff_value(arff, k, v), &value))
        v++;
    if (v == isg_arff_value_count(arff, k))
        return true;
    for (v = 0; v < isg_arff_value_count(arff, k); v++)
        if (isg_parse_number(isg_arff_value(arff, k, v), &value) != ISG_NUMBER_OK)
            return false;
    return isg_arff_value_count(arff, k) <= 2;
}

/* The names before a '=' in the units of a model: its columns of words, unless it has a unit of that
   name. */
static isg_status model_columns(const isg_encoding *model, isg_names *out) {
    for (size_t i = 0; i < model->units.count; i++) {
        const char *unit = isg_names_at(&model->units, i);
        for (const char *end = strchr(unit, '='); end; end = strchr(end + 1, '='))
            ISG_TRY(isg_names_add(out, unit, (size_t)(end - unit)));
    }
    return ISG_OK;
}

/* The words of column k that the model knows. */
static isg_status add_model_words(reader *r, size_t k, const isg_encoding *model) {
    char number[24];
    const char *name = name_of(r, k, number);
    const size_t length = strlen(name);
    for (size_t i = 0; i < model->units.count; i++) {
        const char *unit = isg_names_at(&model->units, i);
        if (strncmp(unit, name, length) == 0 && unit[length] == '=')
            ISG_TRY(add_word(r, k, unit + length + 1));
    }
    return ISG_OK;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static isg_status sort_words(words *all) {
    const char **order = NULL;
    isg_names sorted = {0};
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(order, all->names.count));
    for (size_t v = 0; v < all->names.count; v++)
        order[v] = isg_names_at(&all->names, v);
    if (all->names.count > 0)
        qsort(order, all->names.count, sizeof *order, by_text);
    for (size_t v = 0; v < all->names.count; v++)
        ISG_TRY_GOTO(isg_names_add(&sorted, order[v], strlen(order[v])));
    isg_names_clear(&all->names);
    all->names = sorted;
    sorted = (isg_names){0};
    isg_name_index_clear(&all->index);
    status = isg_name_index_create(&all->index, &all->names);
done:
    isg_names_clear(&sorted);
    isg_release(order);
    return status;
}

/* A model decides which columns have words; else the values do. */
static isg_status find_words(reader *r, const isg_encoding *model) {
    isg_names names = {0};
    isg_name_index index = {0}, units = {0};
    isg_status status = ISG_OK;
    bool has_words = false, needs_scan = false;
    if (model) {
        ISG_TRY_GOTO(model_columns(model, &names));
        ISG_TRY_GOTO(isg_name_index_create(&units, &model->units));
    }
    if (!model && !r->table.arff)
        ISG_TRY_GOTO(scan(r, note_kinds));
    ISG_TRY_GOTO(isg_name_index_create(&index, &names));
    for (size_t k = 0; k < r->table.n_columns; k++) {
        column *c = &r->columns[k];
        char number[24];
        const char *name = name_of(r, k, number);
        const bool is_text = model ? isg_name_index_find(&index, name) != SIZE_MAX &&
                                         isg_name_index_find(&units, name) == SIZE_MAX
                             : is_declared(r, k) ? !is_declared_as_unit(r, k)
                             : r->table.arff ? isg_arff_kind_of(r->table.arff, k) == ISG_ARFF_TEXT
                                             : c->has_words;
        c->has_numbers = c->has_truths = c->has_words = false;
        if (c->first == SIZE_MAX || !is_text)
            continue;
        ISG_TRY_GOTO(ISG_ALLOCATE(c->words, 1));
        has_words = true;
        needs_scan = needs_scan || !is_declared(r, k);
        for (size_t v = 0; is_declared(r, k) && v < isg_arff_value_count(r->table.arff, k); v++)
            ISG_TRY_GOTO(add_word(r, k, isg_arff_value(r->table.arff, k, v)));
        if (model)
            ISG_TRY_GOTO(add_model_words(r, k, model));
    }
    if (needs_scan)
        ISG_TRY_GOTO(scan(r, note_words));
    for (size_t k = 0; has_words && k < r->table.n_columns; k++)
        if (r->columns[k].words)
            ISG_TRY_GOTO(sort_words(r->columns[k].words));
done:
    isg_name_index_clear(&index);
    isg_name_index_clear(&units);
    isg_names_clear(&names);
    return status;
}

/* A first row of words may also be data, where columns hold words: then some of its words occur
   again below. */
static isg_status check_guess(const reader *r) {
    for (size_t k = 0; r->table.is_guessed && k < r->table.n_columns; k++) {
        const words *all = r->columns[k].words;
        if (all && isg_name_index_find(&all->index, isg_names_at(&r->table.columns, k)) != SIZE_MAX)
            return isg_fail(
                ISG_ERR_FORMAT,
                "%s: '%.40s' of the first row occurs again in its column, so that row may "
                "be a heading or data; say which with --header yes or no",
                r->table.name, isg_names_at(&r->table.columns, k));
    }
    return ISG_OK;
}

/* ---- units ------------------------------------------------------------------------------------------ */

/* "column" or "column=word". */
static isg_status add_unit(reader *r, size_t k, const char *word) {
    char number[24], *text = NULL;
    const char *name = name_of(r, k, number);
    const size_t room = strlen(name) + (word ? strlen(word) : 0) + 2;
    ISG_TRY(ISG_ALLOCATE(text, room));
    snprintf(text, room, "%s%s%s", name, word ? "=" : "", word ? word : "");
    const isg_status status = isg_names_add(&r->load->column_names, text, strlen(text));
    isg_release(text);
    return status;
}

/* With columns of words, a name that two units share could be that of a word. */
static isg_status check_names(const reader *r) {
    isg_name_index index = {0};
    isg_status status = isg_name_index_create(&index, &r->load->column_names);
    if (status == ISG_OK && index.repeated != SIZE_MAX)
        status =
            isg_fail(ISG_ERR_FORMAT,
                     "%s: two units would be called '%.60s'; rename a column, or leave it out with "
                     "--ignore-columns",
                     r->table.name, isg_names_at(&r->load->column_names, index.repeated));
    isg_name_index_clear(&index);
    return status;
}

static isg_status number_units(reader *r) {
    bool has_words = false;
    for (size_t k = 0; k < r->table.n_columns; k++)
        has_words = has_words || r->columns[k].words;
    const bool is_named = has_words || r->table.columns.count > 0;
    for (size_t k = 0; k < r->table.n_columns; k++) {
        column *c = &r->columns[k];
        if (c->first == SIZE_MAX)
            continue;
        c->first = r->n_units;
        r->n_units += c->words ? c->words->names.count : 1;
        if (!is_named)
            continue;
        if (!c->words)
            ISG_TRY(add_unit(r, k, NULL));
        for (size_t v = 0; c->words && v < c->words->names.count; v++)
            ISG_TRY(add_unit(r, k, isg_names_at(&c->words->names, v)));
    }
    return has_words ? check_names(r) : ISG_OK;
}

/* ---- values ---------------------------------------------------------------------------------------- */

static isg_status refuse_field(const reader *r, size_t k, const char *text) {
    WHERE_IN_A_ROW;
    const bool is_word = strcspn(text, "0123456789+-.") > 0;
    return isg_fail(ISG_ERR_FORMAT, HERE "expected a number, found '%.40s'%s", HERE_OF(r, k), text,
                    strchr(text, ',')   ? " (decimals need a point, not a comma)"
                    : strchr(text, ';') ? " (if semicolons separate, there may be no comma in the "
                                          "first line)"
                    : is_word ? " (for a column of words see --one-hot, --ignore-columns, "
                                "--label-column and --id-column)"
                              : "");
}

static isg_status refuse_mixture(const reader *r, size_t k, const char *text) {
    WHERE_IN_A_ROW;
    return isg_fail(ISG_ERR_FORMAT,
                    HERE
                    "found '%.40s' in a column that has both numbers and words for yes and no; "
                    "write 1 and 0 for these",
                    HERE_OF(r, k), text);
}

static isg_status put_missing(reader *r, size_t row, size_t k) {
    const column *c = &r->columns[k];
    if (r->load->options->missing == ISG_MISSING_REFUSE) {
        const char *text = isg_table_field(&r->table, k);
        WHERE_IN_A_ROW;
        const bool is_blank = text && isg_trim(&text) == 0;
        return isg_fail(ISG_ERR_FORMAT, HERE "the value is missing%s%s%s; see --missing",
                        HERE_OF(r, k), is_blank ? "" : " (",
                        is_blank ? ""
                        : text   ? text
                                 : "?",
                        is_blank ? "" : ")");
    }
    const size_t n_units = c->words ? c->words->names.count : 1;
    for (size_t v = 0; v < n_units; v++)
        ISG_TRY(isg_loader_put(r->load, row, c->first + v, (double)NAN));
    return ISG_OK;
}

static isg_status changed(const reader *r) {
    return isg_fail(ISG_ERR_IO, "%s: the file changed while it was read", r->table.name);
}

static isg_status put_word(reader *r, size_t row, size_t k, const char *text) {
    const column *c = &r->columns[k];
    char word[ISG_LABEL_BYTES];
    const size_t length = isg_trim(&text);
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1),
             text);
    const size_t which = isg_name_index_find(&c->words->index, word);
    if (which == SIZE_MAX)
        return changed(r);
    for (size_t v = 0; v < c->words->names.count; v++)
        ISG_TRY(isg_loader_put(r->load, row, c->first + v, v == which));
    return ISG_OK;
}

static isg_status put_field(reader *r, size_t row, size_t k) {
    column *c = &r->columns[k];
    const char *text = isg_table_field(&r->table, k);
    double value = 0;
    if (c->words)
        return is_missing(r, text) ? put_missing(r, row, k) : put_word(r, row, k, text);
    const isg_number_kind kind = text ? isg_parse_number(text, &value) : ISG_NUMBER_MALFORMED;
    if (kind == ISG_NUMBER_OK) {
        c->has_numbers = true;
    } else {
        if (is_missing(r, text))
            return put_missing(r, row, k);
        if (kind == ISG_NUMBER_NOT_FINITE || !truth_of(r, text, &value))
            return refuse_field(r, k, text);
        c->has_truths = true;
    }
    if (c->has_numbers && c->has_truths)
        return refuse_mixture(r, k, text);
    return isg_loader_put(r->load, row, c->first, value);
}

static isg_status read_row(reader *r, size_t row) {
    const isg_table *table = &r->table;
    isg_labels *labels = &r->load->data->labels;
    ISG_TRY(isg_loader_extend(r->load, row + 1));
    for (size_t k = 0; k < table->n_columns; k++)
        if (r->columns[k].first != SIZE_MAX)
            ISG_TRY(put_field(r, row, k));
    if (r->label != SIZE_MAX) {
        const char *label = isg_table_field(table, r->label);
        char where[512];
        snprintf(where, sizeof where, "%s: line %zu", table->name, isg_table_line(table));
        const bool is_none = table->arff ? !label : isg_means_unlabelled(label);
        ISG_TRY(is_none ? isg_labels_add_none(labels) : isg_labels_add_text(labels, label, where));
    }
    return r->load->columns_are_samples ? ISG_OK : note_row(r, table);
}

/* A sparse row stands for many more values than it has bytes. */
static isg_status check_size(const reader *r, const isg_source *source, size_t rows) {
    if (!r->table.arff)
        return ISG_OK;
    return isg_loader_check_size(r->load, r->table.name, rows, r->n_units,
                                 isg_source_position(source));
}

static isg_status check_options(const reader *r) {
    const isg_dataset_options *options = r->load->options;
    if (options->transpose && options->one_hot)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "%s: --one-hot is for tables with a sample per row, not for --transpose",
                        r->table.name);
    if (options->transpose && r->label != SIZE_MAX)
        return isg_fail(
            ISG_ERR_ARGUMENT,
            "%s: in a table that is transposed no column has labels; give them in a file "
            "of their own with --labels",
            r->table.name);
    return ISG_OK;
}

static isg_status read_rows(reader *r) {
    isg_loader *load = r->load;
    isg_source *source = load->input.source;
    const isg_encoding *model = load->options->encoding;
    const bool has_model = model && model->units.count > 0;
    const bool is_transposed = load->columns_are_samples;
    bool has_row = false;
    ISG_TRY(find_columns(r));
    ISG_TRY(check_options(r));
    if (!is_transposed && (has_model || load->options->one_hot)) {
        ISG_TRY(find_words(r, has_model ? model : NULL));
        ISG_TRY(check_guess(r));
    }
    ISG_TRY(number_units(r));
    if (is_transposed)
        ISG_TRY(scan(r, note_row));
    ISG_TRY(isg_loader_start(load, r->table.name, is_transposed ? r->n_rows : SIZE_MAX, r->n_units,
                             0, 0));
    for (size_t row = 0;; row++) {
        ISG_TRY(isg_table_next(&r->table, &has_row));
        if (!has_row)
            return ISG_OK;
        ISG_TRY(check_size(r, source, row + 1));
        if (is_transposed && row == r->n_rows)
            return changed(r);
        ISG_TRY(read_row(r, row));
        ISG_TRY(isg_loader_report(load, source));
    }
}

isg_status isg_loader_read_table(isg_loader *load) {
    reader r = {.load = load};
    ISG_TRY(open_table(&r, &r.table, load->input.source));
    const isg_status status = read_rows(&r);
    for (size_t k = 0; r.columns && k < r.table.n_columns; k++)
        if (r.columns[k].words) {
            isg_names_clear(&r.columns[k].words->names);
            isg_name_index_clear(&r.columns[k].words->index);
            isg_release(r.columns[k].words);
        }
    isg_release(r.columns);
    isg_table_close(&r.table);
    return status;
}
