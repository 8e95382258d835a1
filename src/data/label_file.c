/* label_file.c - the labels of a file of any format
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/data_file.h"
#include "data/table.h"
#include "io/npz.h"

enum { ITEMS_AT_ONCE = ISG_BUFFER_BYTES / 16, MOST_ITEM_BYTES = 4 * ISG_LABEL_BYTES };

/* "votes.npy: row 3", in the caller's buffer. */
static const char *where_is(char *buffer, size_t room, const char *name, size_t row) {
    snprintf(buffer, room, "%s: row %zu", name, row + 1);
    return buffer;
}

bool isg_means_unlabelled(const char *text) {
    static const char *const words[] = {"", "na", "n/a", "#n/a", "nan", "null", "?"};
    if (!text)
        return true;
    const size_t length = isg_trim(&text);
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strlen(words[k]) == length && isg_same_letters(text, words[k], length))
            return true;
    return false;
}

/* ---- arrays ------------------------------------------------------------------------------------- */

/* `may_lack`: the label may be missing, as NaN or a word for it. */
static isg_status add_item(isg_labels *labels, const isg_array_type *type, const uint8_t *raw,
                           const char *where, bool may_lack) {
    char text[4 * ISG_LABEL_BYTES + 1];
    int64_t whole = 0;
    double number = 0;
    if (isg_dtype_is_text(type->dtype)) {
        if (!isg_array_decode_text(type, raw, 0, text, sizeof text))
            return isg_fail(ISG_ERR_FORMAT, "%s: the label is not valid text", where);
        return may_lack && isg_means_unlabelled(text) ? isg_labels_add_none(labels)
                                                      : isg_labels_add_text(labels, text, where);
    }
    if (isg_dtype_is_whole(type->dtype)) {
        if (!isg_array_decode_whole(type, raw, 1, &whole))
            return isg_fail(ISG_ERR_FORMAT, "%s: the label is too large", where);
        return isg_labels_add_whole(labels, whole, where);
    }
    isg_array_decode(type, raw, 1, &number);
    if (may_lack && isnan(number))
        return isg_labels_add_none(labels);
    return isg_labels_add_number(labels, number, where);
}

/* Appends the items of an array of one dimension, or one column, and reads it to its end. */
static isg_status read_array(isg_labels *labels, isg_source *source, const isg_array_type *type,
                             bool may_lack) {
    const char *name = isg_source_name(source);
    if (type->n_dims != 1 && !(type->n_dims == 2 && type->dims[1] == 1))
        return isg_fail(ISG_ERR_FORMAT, "%s: expected labels (1 dimension), found %zu dimensions%s",
                        name, type->n_dims,
                        type->n_dims == 3 ? ": this looks like an image file" : "");
    if (type->item_bytes > MOST_ITEM_BYTES)
        return isg_fail(ISG_ERR_FORMAT, "%s: expected labels of at most %d bytes, found %zu", name,
                        MOST_ITEM_BYTES, type->item_bytes);
    uint8_t *raw = isg_allocate(ITEMS_AT_ONCE, type->item_bytes);
    if (!raw)
        return ISG_ERR_MEMORY;
    isg_status status = ISG_OK;
    char where[512];
    for (size_t row = 0; row < type->dims[0];) {
        const size_t left = type->dims[0] - row;
        const size_t count = left < ITEMS_AT_ONCE ? left : ITEMS_AT_ONCE;
        ISG_TRY_GOTO(isg_array_read(source, type, count, "the labels", raw));
        for (size_t k = 0; k < count; k++, row++)
            ISG_TRY_GOTO(add_item(labels, type, raw + k * type->item_bytes,
                                  where_is(where, sizeof where, name, row), may_lack));
    }
done:
    isg_release(raw);
    return status;
}

static isg_status read_member(isg_labels *labels, isg_zip *zip, const char *name, bool may_lack) {
    isg_source *member = NULL;
    isg_array_type type;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_open(&member, &type, zip, name));
    ISG_TRY_GOTO(read_array(labels, member, &type, may_lack));
    ISG_TRY_GOTO(isg_source_end(member));
done:
    isg_source_free(member);
    return status;
}

isg_status isg_labels_read_member(isg_labels *labels, isg_zip *zip, const char *name) {
    return read_member(labels, zip, name, false);
}

/* ---- joining by id -------------------------------------------------------------------------------- */

/* Whether the names are the numbers from `first` on, in any order. */
static bool are_numbers_from(const isg_names *names, size_t first) {
    size_t number = 0;
    for (size_t k = 0; k < names->count; k++)
        if (!isg_parse_size(isg_names_at(names, k), &number) || number < first ||
            number - first >= names->count)
            return false;
    return names->count > 0;
}

/* Rows counted from 0 on one side and from 1 on the other would match, all but one, and all wrongly. */
static bool count_differently(const isg_names *a, const isg_names *b) {
    return (are_numbers_from(a, 0) && are_numbers_from(b, 1)) ||
           (are_numbers_from(a, 1) && are_numbers_from(b, 0));
}

/* Whether the names, all different and none a number, can hardly be anything but ids. */
static bool look_like_ids(const isg_names *names, const isg_name_index *index) {
    double number = 0;
    for (size_t k = 0; k < names->count; k++)
        if (isg_parse_number(isg_names_at(names, k), &number) != ISG_NUMBER_MALFORMED)
            return false;
    return names->count > 1 && index->repeated == SIZE_MAX;
}

static isg_status refuse_twice(const char *name, const char *id) {
    return isg_fail(
        ISG_ERR_FORMAT,
        "%s: the id '%.60s' occurs twice; labels can be joined by ids only if each is that "
        "of one sample",
        name, id);
}

/* Puts the labels, of which label k is that of the sample ids[k], in the order of the samples. The
   first may be a heading. Without a match nothing changes; that is an error if the ids are certainly
   meant to be ids, or look like it. */
static isg_status join_by_id(isg_labels *labels, const isg_names *ids, const char *name,
                             bool is_certain, bool may_be_headed, isg_join *join) {
    isg_name_index index = {0}, own = {0};
    uint32_t *joined = NULL;
    bool *is_taken = NULL;
    size_t n_matched = 0;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_name_index_create(&index, join->ids));
    ISG_TRY_GOTO(ISG_ALLOCATE(joined, join->ids->count));
    ISG_TRY_GOTO(ISG_ALLOCATE(is_taken, join->ids->count));
    for (size_t a = 0; a < join->ids->count; a++)
        joined[a] = ISG_UNLABELLED;
    join->n_unmatched = 0;
    for (size_t k = 0; k < ids->count; k++) {
        const size_t sample = isg_name_index_find(&index, isg_names_at(ids, k));
        if (sample == SIZE_MAX) {
            join->n_unmatched += k > 0 || !may_be_headed;
            continue;
        }
        if (is_taken[sample])
            ISG_TRY_GOTO(refuse_twice(name, isg_names_at(ids, k)));
        is_taken[sample] = true;
        joined[sample] = labels->index[k];
        n_matched++;
    }
    if (n_matched == 0 && !is_certain)
        ISG_TRY_GOTO(isg_name_index_create(&own, ids));
    if (n_matched == 0 && (is_certain || look_like_ids(ids, &own)))
        ISG_TRY_GOTO(isg_fail(
            ISG_ERR_FORMAT,
            "%s: none of its %zu ids is that of a sample: it has ids such as "
            "'%.60s', the data such as '%.60s'; name the columns of ids with "
            "--id-column, or leave them out to join labels in the order of the rows",
            name, ids->count, isg_names_at(ids, ids->count - 1), isg_names_at(join->ids, 0)));
    if (n_matched == 0) {
        join->n_unmatched = 0;
        goto done;
    }
    if (index.repeated != SIZE_MAX)
        ISG_TRY_GOTO(refuse_twice("the data", isg_names_at(join->ids, index.repeated)));
    if (join->n_unmatched > 0 && count_differently(ids, join->ids))
        ISG_TRY_GOTO(
            isg_fail(ISG_ERR_FORMAT,
                     "%s: its ids are row numbers, as are those of the data, but one counts "
                     "from 0 and the other from 1; write both in the same way, or the labels "
                     "without ids",
                     name));
    isg_release(labels->index);
    labels->index = joined;
    labels->count = labels->capacity = join->ids->count;
    joined = NULL;
    join->is_by_id = true;
done:
    isg_release(is_taken);
    isg_release(joined);
    isg_name_index_clear(&index);
    isg_name_index_clear(&own);
    return status;
}

static bool has_ids(const isg_join *join) {
    return join->ids && join->ids->count > 0;
}

/* ---- tables ---------------------------------------------------------------------------------------- */

/* A table of labels, and perhaps ids, and the columns they are in. */
typedef struct label_table {
    isg_table table;
    size_t label, id;     /* id is SIZE_MAX if there are none */
    bool is_id_certain;   /* the user or the heading says so */
    bool is_label_chosen; /* by the user, or because there is only one */
    bool is_headed;
    isg_name_index samples; /* their ids, where known */
    size_t *n_ids;          /* (columns) in each; NULL if not */
} label_table;

/* A heading is certain if a column is wanted by its name, or the first has none. The id column may be
   one of the data alone. */
static isg_status open_table(label_table *out, isg_data_file *input, const char *label_column,
                             const char *id_column) {
    isg_wanted wanted = {.label = label_column};
    wanted.is_tentative = !isg_wants_names(&wanted);
    ISG_TRY(isg_table_open(&out->table, input->source, input->format->separator, ISG_HEADER_YES,
                           &wanted));
    out->is_headed =
        !wanted.is_tentative || out->table.arff || out->table.has_row_names ||
        (id_column && !isg_is_column_number(id_column) && isg_table_has(&out->table, id_column));
    return ISG_OK;
}

static isg_status find_columns(label_table *t, const char *label_column, const isg_join *join) {
    const isg_table *table = &t->table;
    const bool has_column = join->id_column && isg_table_has(table, join->id_column);
    t->id = t->label = SIZE_MAX;
    if (label_column)
        ISG_TRY(isg_table_find(table, label_column, &t->label));
    if (has_column)
        ISG_TRY(isg_table_find(table, join->id_column, &t->id));
    else if (table->n_columns > 1 && t->label != 0)
        t->id = 0;
    if (t->id == t->label) /* a number for the id that is meant for the data */
        t->id = SIZE_MAX;
    t->is_id_certain = t->id != SIZE_MAX && (has_column || table->has_row_names);
    const size_t n_others = table->n_columns - (t->id != SIZE_MAX);
    t->is_label_chosen =
        label_column || table->n_columns == 1 || (n_others == 1 && t->is_id_certain);
    if (!label_column && n_others == 1)
        t->label = t->id == 0 ? 1 : 0;
    if (t->label != SIZE_MAX)
        return ISG_OK;
    return isg_fail(ISG_ERR_FORMAT,
                    "%s: has %zu columns; say which of them has the labels with --label-column",
                    table->name, table->n_columns);
}

static isg_status look_for_ids(label_table *t, const isg_join *join) {
    if (!has_ids(join))
        return ISG_OK;
    ISG_TRY(isg_name_index_create(&t->samples, join->ids));
    return ISG_ALLOCATE(t->n_ids, t->table.n_columns);
}

static void count_ids(label_table *t) {
    char id[ISG_LABEL_BYTES];
    for (size_t k = 0; t->n_ids && k < t->table.n_columns; k++) {
        const char *field = isg_table_field(&t->table, k);
        const size_t length = field ? isg_trim(&field) : sizeof id;
        if (length >= sizeof id)
            continue;
        memcpy(id, field, length);
        id[length] = '\0';
        t->n_ids[k] += isg_name_index_find(&t->samples, id) != SIZE_MAX;
    }
}

/* A column that the user did not name may hold the ids, and then the rows need not be in the order of
   the samples. Numbers are no such sign, for they can be anything. */
static isg_status refuse_other_ids(const label_table *t, const isg_labels *labels,
                                   const isg_join *join) {
    char where[ISG_COLUMN_ROOM];
    double number = 0;
    for (size_t k = 0; t->n_ids && k < t->table.n_columns; k++)
        if (k != t->label && 2 * t->n_ids[k] > labels->count &&
            isg_parse_number(isg_names_at(join->ids, 0), &number) == ISG_NUMBER_MALFORMED)
            return isg_fail(ISG_ERR_FORMAT,
                            "%s: column %s has the ids of the samples; to join the labels by them, "
                            "give its name in the heading as --id-column, or write it as the first",
                            t->table.name, isg_table_column(&t->table, k, where));
    return ISG_OK;
}

static isg_status add_row(label_table *t, isg_labels *labels, isg_names *ids, const char *label,
                          const char *id, size_t line) {
    char where[512];
    snprintf(where, sizeof where, "%s: line %zu", t->table.name, line);
    ISG_TRY(isg_means_unlabelled(label) ? isg_labels_add_none(labels)
                                        : isg_labels_add_text(labels, label, where));
    if (t->id == SIZE_MAX)
        return ISG_OK;
    id = id ? id : "";
    const size_t length = isg_trim(&id);
    return isg_names_add(ids, id, length);
}

static isg_status read_rows(label_table *t, isg_labels *labels, isg_names *ids,
                            bool *may_be_headed) {
    const isg_table *table = &t->table;
    bool has_row = false;
    double number = 0;
    if (!t->is_headed) {
        const char *first = isg_names_at(&table->columns, t->label);
        *may_be_headed = isg_parse_number(first, &number) != ISG_NUMBER_OK;
        ISG_TRY(add_row(t, labels, ids, first, isg_names_at(&table->columns, t->id), 1));
    }
    for (;;) {
        ISG_TRY(isg_table_next(&t->table, &has_row));
        if (!has_row)
            return ISG_OK;
        count_ids(t);
        ISG_TRY(add_row(t, labels, ids, isg_table_field(table, t->label),
                        t->id == SIZE_MAX ? NULL : isg_table_field(table, t->id),
                        isg_table_line(table)));
    }
}

/* A first line that is a word, above as many labels as there are samples, is a heading. */
static isg_status read_label_table(isg_labels *labels, isg_data_file *input,
                                   const char *label_column, isg_join *join) {
    label_table t = {0};
    isg_names ids = {0};
    isg_status status = ISG_OK;
    bool may_be_headed = false;
    ISG_TRY_GOTO(open_table(&t, input, label_column, join->id_column));
    ISG_TRY_GOTO(find_columns(&t, label_column, join));
    ISG_TRY_GOTO(look_for_ids(&t, join));
    ISG_TRY_GOTO(read_rows(&t, labels, &ids, &may_be_headed));
    ISG_TRY_GOTO(isg_data_file_end(input));
    if (has_ids(join) && t.id != SIZE_MAX && ids.count > 0)
        ISG_TRY_GOTO(join_by_id(labels, &ids, t.table.name, t.is_id_certain, may_be_headed, join));
    if (join->is_by_id)
        goto done;
    if (t.is_label_chosen)
        ISG_TRY_GOTO(refuse_other_ids(&t, labels, join));
    else
        ISG_TRY_GOTO(
            isg_fail(ISG_ERR_FORMAT,
                     "%s: has %zu columns%s; say which of them has the labels with --label-column",
                     t.table.name, t.table.n_columns,
                     has_ids(join) ? ", and the first has no ids of samples" : ""));
    if (may_be_headed && labels->count == join->n_samples + 1)
        isg_labels_drop_first(labels);
done:
    isg_names_clear(&ids);
    isg_name_index_clear(&t.samples);
    isg_release(t.n_ids);
    isg_table_close(&t.table);
    return status;
}

/* ---- all formats ------------------------------------------------------------------------------------ */

/* The array y of an archive, which may also have ids. */
static isg_status read_archive(isg_labels *labels, isg_zip *zip, isg_join *join) {
    isg_names ids = {0};
    isg_status status = ISG_OK;
    ISG_TRY(read_member(labels, zip, "y", true));
    if (!has_ids(join) || !isg_npz_has(zip, "ids"))
        return ISG_OK;
    ISG_TRY_GOTO(isg_names_read(&ids, zip, "ids"));
    if (ids.count != labels->count)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_SHAPE, "%s: has %zu labels, but %zu ids",
                              isg_zip_file_name(zip), labels->count, ids.count));
    if (ids.count > 0)
        status = join_by_id(labels, &ids, isg_zip_file_name(zip), true, false, join);
done:
    isg_names_clear(&ids);
    return status;
}

isg_status isg_labels_read(isg_labels *labels, isg_data_file *input, const char *label_column,
                           isg_join *join) {
    const isg_format *format = input->format;
    if (label_column && !format->is_table)
        return isg_fail(ISG_ERR_ARGUMENT, "%s: only CSV, TSV and ARFF files have a label column",
                        isg_file_name(input->file));
    if (input->zip)
        return read_archive(labels, input->zip, join);
    if (format->is_table)
        return read_label_table(labels, input, label_column, join);
    if (!format->read_header)
        return isg_fail(ISG_ERR_FORMAT, "%s: labels cannot be read from %s files",
                        isg_file_name(input->file), format->ending);
    isg_array_type type;
    ISG_TRY(format->read_header(input->source, &type));
    ISG_TRY(read_array(labels, input->source, &type, true));
    return isg_data_file_end(input);
}

isg_status isg_classes_read(isg_labels *classes, isg_zip *zip, size_t least) {
    const char *file = isg_zip_file_name(zip);
    ISG_TRY(isg_labels_read_member(classes, zip, "classes"));
    ISG_TRY(isg_labels_finish(classes));
    if (classes->n_classes < least)
        return isg_fail(ISG_ERR_FORMAT, "%s: classes: expected at least %s", file,
                        least == 1 ? "one" : "two");
    for (size_t k = 0; k < classes->count; k++)
        if (classes->n_classes != classes->count || classes->index[k] != k)
            return isg_fail(ISG_ERR_FORMAT, "%s: classes: expected each once, in ascending order",
                            file);
    return ISG_OK;
}
