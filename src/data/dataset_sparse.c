/* dataset_sparse.c - sparse files as data: Matrix Market, 10x directories, scipy.sparse.save_npz
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/directory.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/sparse.h"
#include "io/matrix_market.h"
#include "io/npz.h"
#include "io/text_lines.h"

/* ---- entries in any order --------------------------------------------------------------------- */

/* Finds entries that are listed twice. While all follow each other by row or by column, none can be;
   after that it takes a bit for each, as many as there are spins. */
typedef struct listing {
    size_t row, column, count; /* the last entry, and how many there were */
    bool is_by_rows, is_by_columns;
    uint64_t *seen; /* (samples, words): as the spins, so that both are visited alike; or NULL */
    size_t words;
    size_t known;              /* entries that were put before the file was begun again */
    const char *name, *advice; /* for the sentence that refuses an entry listed twice */
} listing;

static isg_status listing_start(listing *list, const isg_loader *load, const char *name,
                                const char *advice) {
    *list = (listing){.words = isg_words(load->n_columns), .name = name, .advice = advice};
    list->seen = isg_allocate(load->n_samples, list->words * sizeof *list->seen);
    return list->seen ? ISG_OK : ISG_ERR_MEMORY;
}

/* Whether the next entry still keeps an order in which none can come twice. */
static bool listing_follows(listing *list, size_t row, size_t column) {
    const bool is_first = list->count == 0;
    list->is_by_rows =
        is_first ||
        (list->is_by_rows && (row > list->row || (row == list->row && column > list->column)));
    list->is_by_columns =
        is_first || (list->is_by_columns &&
                     (column > list->column || (column == list->column && row > list->row)));
    list->row = row;
    list->column = column;
    return list->is_by_rows || list->is_by_columns;
}

static isg_status listing_put(listing *list, isg_loader *load, size_t row, size_t column,
                              double value) {
    const size_t sample = load->columns_are_samples ? column : row;
    const size_t unit = load->columns_are_samples ? row : column;
    uint64_t *seen = list->seen ? list->seen + sample * list->words : NULL;
    if (seen && isg_bit(seen, unit))
        return isg_fail(ISG_ERR_FORMAT, "%s: row %zu, column %zu is listed twice%s", list->name,
                        row + 1, column + 1, list->advice);
    if (seen)
        isg_bit_assign(seen, unit, true);
    return list->count++ < list->known ? ISG_OK : isg_loader_put(load, row, column, value);
}

static void listing_end(listing *list, isg_loader *load) {
    if (list->count < load->n_samples * load->n_columns)
        isg_loader_see_zero(load);
}

/* ---- Matrix Market ---------------------------------------------------------------------------- */

/* Begins the file again, now with a bit for each entry. */
static isg_status begin_again(isg_loader *load, isg_matrix_market **reader,
                              const isg_matrix_market_shape *before, listing *list) {
    isg_matrix_market_shape shape;
    const size_t known = list->count;
    ISG_TRY(listing_start(list, load, isg_file_name(load->input.file), ""));
    list->known = known;
    isg_matrix_market_free(*reader);
    *reader = NULL;
    load->reported = 0;
    ISG_TRY(isg_data_file_rewind(&load->input));
    ISG_TRY(isg_matrix_market_create(reader, load->input.source, &shape));
    if (shape.rows != before->rows || shape.cols != before->cols)
        return isg_fail(ISG_ERR_IO, "%s: changed while it was being read", list->name);
    return ISG_OK;
}

static isg_status read_listed(isg_loader *load, isg_matrix_market **reader,
                              const isg_matrix_market_shape *shape) {
    size_t row = 0, column = 0;
    double value = 0;
    bool has_entry = false;
    listing list = {0};
    isg_status status = ISG_OK;
    for (;;) {
        ISG_TRY_GOTO(isg_matrix_market_next(*reader, &row, &column, &value, &has_entry));
        if (!has_entry)
            break;
        if (shape->is_coordinate && !list.seen && !listing_follows(&list, row, column)) {
            ISG_TRY_GOTO(begin_again(load, reader, shape, &list));
            continue;
        }
        ISG_TRY_GOTO(listing_put(&list, load, row, column, value));
        ISG_TRY_GOTO(isg_loader_report(load, load->input.source));
    }
    listing_end(&list, load);
done:
    isg_release(list.seen);
    return status;
}

static isg_status check_cells(isg_loader *load, const isg_matrix_market_shape *shape);

isg_status isg_loader_read_matrix_market(isg_loader *load) {
    isg_source *source = load->input.source;
    const char *name = isg_source_name(source);
    isg_matrix_market *reader = NULL;
    isg_matrix_market_shape shape;
    isg_status status = ISG_OK;
    ISG_TRY(isg_matrix_market_create(&reader, source, &shape));
    ISG_TRY_GOTO(check_cells(load, &shape));
    ISG_TRY_GOTO(
        isg_loader_check_size(load, name, shape.rows, shape.cols, isg_source_at_most(source)));
    ISG_TRY_GOTO(isg_loader_start(load, name, shape.rows, shape.cols, 0, 0));
    ISG_TRY_GOTO(isg_loader_extend(load, shape.rows));
    status = read_listed(load, &reader, &shape);
done:
    isg_matrix_market_free(reader);
    return status;
}

/* ---- 10x directories: a matrix of genes x cells and the names of both -------------------------- */

/* Looks for one of the files, which exclude each other; *out stays NULL if there is none. */
static isg_status find_file(char **out, const char *prefix, const char *const *names) {
    for (; *names; names++) {
        const size_t room = strlen(prefix) + strlen(*names) + 1;
        char *path = isg_allocate(room, 1);
        if (!path)
            return ISG_ERR_MEMORY;
        snprintf(path, room, "%s%s", prefix, *names);
        if (!isg_path_exists(path)) {
            isg_release(path);
        } else if (!*out) {
            *out = path;
        } else {
            const isg_status status =
                isg_fail(ISG_ERR_FORMAT, "%s: stands beside %s; keep only one of them", path, *out);
            isg_release(path);
            return status;
        }
    }
    return ISG_OK;
}

static const char *const matrix_names[] = {"matrix.mtx", "matrix.mtx.gz", NULL};
static const char *const barcode_names[] = {"barcodes.tsv", "barcodes.tsv.gz", NULL};
static const char *const feature_names[] = {"features.tsv", "features.tsv.gz", "genes.tsv",
                                            "genes.tsv.gz", NULL};

/* What a user may have meant by a directory without the three files. */
static isg_status no_cells(const isg_cells *cells, const char *path) {
    static const struct {
        const char *name, *advice;
    } others[] = {
        {"run.json", "; this is a run of 'isinglass train': give the data it was trained on"},
        {"filtered_feature_bc_matrix", "; give its filtered_feature_bc_matrix"},
        {"filtered_gene_bc_matrices", "; give the genome in its filtered_gene_bc_matrices"},
    };
    const char *advice = "";
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        char *other = isg_join_path(path, others[k].name);
        if (!other)
            return ISG_ERR_MEMORY;
        advice = !*advice && isg_path_exists(other) ? others[k].advice : advice;
        isg_release(other);
    }
    return isg_fail(ISG_ERR_FORMAT,
                    "%s: %s: expected matrix.mtx, barcodes.tsv and features.tsv or genes.tsv (each "
                    "may end in .gz), found no %s%s",
                    path,
                    isg_is_directory(path) ? "is a directory, which is read as one of 10x"
                                           : "10x files are read together",
                    !cells->matrix     ? "matrix.mtx"
                    : !cells->barcodes ? "barcodes.tsv"
                                       : "features.tsv",
                    advice);
}

/* The length of "dir/" or "dir/GSM1_" in "dir/GSM1_matrix.mtx.gz"; SIZE_MAX for other names. */
static size_t prefix_length(const char *path) {
    const size_t length = strlen(path);
    for (size_t k = 0; matrix_names[k]; k++) {
        const size_t n = strlen(matrix_names[k]);
        if (length >= n && strcmp(path + length - n, matrix_names[k]) == 0)
            return length - n;
    }
    return SIZE_MAX;
}

isg_status isg_cells_find(isg_cells *out, const char *path) {
    const bool is_directory = isg_is_directory(path);
    const size_t length = is_directory ? strlen(path) : prefix_length(path);
    isg_cells cells = {0};
    isg_status status = ISG_OK;
    if (length == SIZE_MAX)
        return ISG_OK;
    char *prefix = is_directory ? isg_join_path(path, "") : isg_copy_text(path);
    if (!prefix)
        return ISG_ERR_MEMORY;
    if (!is_directory)
        prefix[length] = '\0';
    ISG_TRY_GOTO(find_file(&cells.barcodes, prefix, barcode_names));
    ISG_TRY_GOTO(find_file(&cells.features, prefix, feature_names));
    if (!is_directory && !cells.barcodes && !cells.features)
        goto done; /* a matrix of its own */
    if (is_directory)
        ISG_TRY_GOTO(find_file(&cells.matrix, prefix, matrix_names));
    else if (!(cells.matrix = isg_copy_text(path)))
        ISG_TRY_GOTO(ISG_ERR_MEMORY);
    if (!cells.matrix || !cells.barcodes || !cells.features)
        ISG_TRY_GOTO(no_cells(&cells, path));
    *out = cells;
    cells = (isg_cells){0};
done:
    isg_cells_clear(&cells);
    isg_release(prefix);
    return status;
}

void isg_cells_clear(isg_cells *cells) {
    isg_release(cells->matrix);
    isg_release(cells->barcodes);
    isg_release(cells->features);
    *cells = (isg_cells){0};
}

/* Appends a field of each line: `column` counts from 0, and the first field is taken where the line
   has no such field or an empty one. */
static isg_status read_name_lines(isg_names *names, isg_source *source, size_t column) {
    isg_text_lines *lines = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_text_lines_create(&lines, source));
    for (;;) {
        char *line = NULL;
        ISG_TRY_GOTO(isg_text_lines_next(lines, &line));
        if (!line)
            break;
        const char *field = line;
        for (size_t k = 0; k < column && field; k++) {
            field = strchr(field, '\t');
            field = field ? field + 1 : NULL;
        }
        field = field && *field && *field != '\t' ? field : line;
        const size_t length = strcspn(field, "\t");
        if (length == 0)
            ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: line %zu: expected a name, found nothing",
                                  isg_source_name(source), isg_text_lines_number(lines)));
        ISG_TRY_GOTO(isg_names_add(names, field, length));
    }
done:
    isg_text_lines_free(lines);
    return status;
}

static isg_status read_name_file(isg_names *names, const char *path, size_t column) {
    const size_t length = strlen(path);
    const bool is_packed = length > 3 && strcmp(path + length - 3, ".gz") == 0;
    isg_file *file = NULL;
    isg_source *source = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_file_open(&file, path));
    ISG_TRY_GOTO(
        isg_source_create(&source, file, is_packed ? ISG_GZIP : ISG_PLAIN, 0, isg_file_size(file)));
    status = read_name_lines(names, source, column);
done:
    isg_source_free(source);
    isg_file_close(file);
    return status;
}

/* Knows what the rows and columns of the matrix are, if it is of cells. */
static isg_status check_cells(isg_loader *load, const isg_matrix_market_shape *shape) {
    const isg_cells *cells = load->cells;
    const char *name = isg_source_name(load->input.source);
    isg_names *genes = &load->row_names, *barcodes = &load->column_names;
    if (!cells) {
        if (shape->is_by_10x && !load->columns_are_samples)
            return isg_fail(ISG_ERR_FORMAT,
                            "%s: was written by Cell Ranger, as genes x cells; use --transpose to "
                            "make samples of the cells, or give its directory with barcodes.tsv "
                            "and features.tsv",
                            name);
        return ISG_OK;
    }
    if (load->options->transpose)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "%s: the cells of 10x files are the samples already, without --transpose",
                        name);
    load->columns_are_samples = true;
    ISG_TRY(read_name_file(genes, cells->features, 1));
    ISG_TRY(read_name_file(barcodes, cells->barcodes, 0));
    if (genes->count != shape->rows || barcodes->count != shape->cols)
        return isg_fail(ISG_ERR_SHAPE,
                        "%s: has %zu x %zu entries (genes x cells), but %s lists %zu genes and %s "
                        "%zu cells%s",
                        name, shape->rows, shape->cols, cells->features, genes->count,
                        cells->barcodes, barcodes->count,
                        genes->count == shape->cols && barcodes->count == shape->rows
                            ? "; it is transposed, and the names are lost if it is given alone"
                            : "");
    return ISG_OK;
}

/* ---- scipy.sparse.save_npz -------------------------------------------------------------------- */

enum { PIECE_BYTES = ISG_BUFFER_BYTES / 2, TRIPLES = ISG_BUFFER_BYTES / 32 };

/* An array of the archive, read piece by piece. */
typedef struct member {
    isg_loader *load;
    isg_source *source;
    isg_array_type type;
    bool is_watched; /* its position is the progress of all */
    uint8_t raw[PIECE_BYTES];
} member;

static isg_status member_open(member **out, isg_loader *load, const char *name) {
    member *m = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(m, 1));
    m->load = load;
    ISG_TRY_GOTO(isg_npz_open(&m->source, &m->type, load->input.zip, name));
    if (isg_dtype_is_text(m->type.dtype) || m->type.n_dims != 1)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: expected numbers in one dimension",
                              isg_source_name(m->source)));
    *out = m;
    return ISG_OK;
done:
    isg_source_free(m->source);
    isg_release(m);
    return status;
}

static isg_status member_read(void *user, double *out, size_t count) {
    member *m = user;
    for (size_t done = 0; done < count;) {
        const size_t room = PIECE_BYTES / m->type.item_bytes;
        const size_t part = count - done < room ? count - done : room;
        ISG_TRY(isg_array_read(m->source, &m->type, part, "the numbers", m->raw));
        isg_array_decode(&m->type, m->raw, part, out + done);
        done += part;
    }
    return m->is_watched ? isg_loader_report(m->load, m->source) : ISG_OK;
}

static void member_close(member *m) {
    if (m)
        isg_source_free(m->source);
    isg_release(m);
}

/* The arrays of the entries, which must be of one length: where each is, and its value. */
typedef struct members {
    member *of[3];
    size_t count, n_entries;
} members;

static void members_close(members *all) {
    for (size_t k = 0; k < all->count; k++)
        member_close(all->of[k]);
}

static isg_status members_open(members *out, isg_loader *load, const char *const *names) {
    members all = {.count = 0};
    isg_status status = ISG_OK;
    for (; names[all.count]; all.count++)
        ISG_TRY_GOTO(member_open(&all.of[all.count], load, names[all.count]));
    all.of[all.count - 1]->is_watched = true;
    all.n_entries = all.of[0]->type.dims[0];
    for (size_t k = 1; k < all.count; k++)
        if (all.of[k]->type.dims[0] != all.n_entries)
            ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: %s has %zu entries, but %s has %zu",
                                  isg_file_name(load->input.file), names[0], all.n_entries,
                                  names[k], all.of[k]->type.dims[0]));
    *out = all;
    return ISG_OK;
done:
    members_close(&all);
    return status;
}

static isg_status members_end(const members *all) {
    for (size_t k = 0; k < all->count; k++)
        ISG_TRY(isg_source_end(all->of[k]->source));
    return ISG_OK;
}

static isg_status read_compressed(isg_loader *load, const size_t shape[2], bool is_by_column) {
    static const char *const names[] = {"indices", "data", NULL};
    const size_t n_lines = shape[is_by_column];
    members all = {.count = 0};
    int64_t *starts = NULL;
    isg_array_type type;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_read_whole(load->input.zip, "indptr", &type, &starts));
    if (type.n_dims != 1 || type.dims[0] == 0 || type.dims[0] - 1 != n_lines)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT,
                              "%s: indptr: expected one number more than the %zu %s, found %zu",
                              isg_file_name(load->input.file), n_lines,
                              is_by_column ? "columns" : "rows", isg_array_count(&type)));
    ISG_TRY_GOTO(members_open(&all, load, names));
    const isg_sparse matrix = {.name = isg_file_name(load->input.file),
                               .rows = shape[0],
                               .columns = shape[1],
                               .is_by_column = is_by_column,
                               .starts = starts,
                               .n_entries = all.n_entries,
                               .indices = {all.of[0], member_read},
                               .data = {all.of[1], member_read}};
    ISG_TRY_GOTO(isg_loader_read_sparse(load, &matrix));
    status = members_end(&all);
done:
    members_close(&all);
    isg_release(starts);
    return status;
}

static isg_status read_csr(isg_loader *load, const size_t shape[2]) {
    return read_compressed(load, shape, false);
}

static isg_status read_csc(isg_loader *load, const size_t shape[2]) {
    return read_compressed(load, shape, true);
}

static isg_status put_triples(isg_loader *load, listing *list, const members *all,
                              double triples[3][TRIPLES]) {
    for (size_t done = 0; done < all->n_entries;) {
        const size_t left = all->n_entries - done, part = left < TRIPLES ? left : TRIPLES;
        const double rows = (double)(load->columns_are_samples ? load->n_columns : load->n_samples);
        const double columns =
            (double)(load->columns_are_samples ? load->n_samples : load->n_columns);
        for (size_t k = 0; k < 3; k++)
            ISG_TRY(member_read(all->of[k], triples[k], part));
        for (size_t k = 0; k < part; k++) {
            const double row = triples[0][k], column = triples[1][k];
            if (!isg_is_index(row, rows) || !isg_is_index(column, columns))
                return isg_fail(ISG_ERR_FORMAT,
                                "%s: entry %zu: expected a row from 0 to %.17g and a column from 0 "
                                "to %.17g, found %.17g and %.17g",
                                list->name, done + k, rows - 1, columns - 1, row, column);
            ISG_TRY(listing_put(list, load, (size_t)row, (size_t)column, triples[2][k]));
        }
        done += part;
    }
    return ISG_OK;
}

static isg_status read_coo(isg_loader *load, const size_t shape[2]) {
    static const char *const names[] = {"row", "col", "data", NULL};
    const char *name = isg_file_name(load->input.file);
    double(*triples)[TRIPLES] = NULL;
    members all = {.count = 0};
    listing list = {0};
    isg_status status = ISG_OK;
    ISG_TRY(members_open(&all, load, names));
    ISG_TRY_GOTO(isg_loader_check_size(load, name, shape[0], shape[1], 3 * all.n_entries));
    ISG_TRY_GOTO(isg_loader_start(load, name, shape[0], shape[1], 0, 0));
    ISG_TRY_GOTO(isg_loader_extend(load, shape[0]));
    ISG_TRY_GOTO(ISG_ALLOCATE(triples, 3));
    ISG_TRY_GOTO(listing_start(&list, load, name, ISG_SUM_DUPLICATES));
    ISG_TRY_GOTO(put_triples(load, &list, &all, triples));
    ISG_TRY_GOTO(members_end(&all));
    listing_end(&list, load);
done:
    isg_release(list.seen);
    isg_release(triples);
    members_close(&all);
    return status;
}

/* "csr" and so on: a single text. */
static isg_status read_format(isg_loader *load, char out[8]) {
    isg_source *source = NULL;
    isg_array_type type;
    uint8_t raw[32] = {0};
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_open(&source, &type, load->input.zip, "format"));
    if (!isg_dtype_is_text(type.dtype) || isg_array_count(&type) != 1 ||
        type.item_bytes > sizeof raw)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: expected one text, such as csr",
                              isg_source_name(source)));
    ISG_TRY_GOTO(isg_array_read(source, &type, 1, "the format", raw));
    ISG_TRY_GOTO(isg_source_end(source));
    if (!isg_array_decode_text(&type, raw, 0, out, 8))
        status = isg_fail(ISG_ERR_FORMAT, "%s: expected csr, csc or coo", isg_source_name(source));
done:
    isg_source_free(source);
    return status;
}

static isg_status read_shape(isg_loader *load, size_t out[2]) {
    isg_array_type type;
    int64_t *shape = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_read_whole(load->input.zip, "shape", &type, &shape));
    if (isg_array_count(&type) != 2 || shape[0] < 1 || shape[1] < 1)
        status = isg_fail(ISG_ERR_FORMAT, "%s: shape: expected rows and columns, at least one each",
                          isg_file_name(load->input.file));
    for (size_t d = 0; d < 2 && status == ISG_OK; d++)
        out[d] = (size_t)shape[d];
    isg_release(shape);
    return status;
}

bool isg_is_scipy(const isg_zip *zip) {
    return isg_npz_has(zip, "format") && isg_npz_has(zip, "shape") && !isg_npz_has(zip, "X");
}

isg_status isg_loader_read_scipy(isg_loader *load) {
    static const struct {
        const char *name;
        isg_status (*read)(isg_loader *load, const size_t shape[2]);
    } formats[] = {{"csr", read_csr}, {"csc", read_csc}, {"coo", read_coo}};
    char format[8];
    size_t shape[2];
    ISG_TRY(read_format(load, format));
    ISG_TRY(read_shape(load, shape));
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        if (strcmp(format, formats[k].name) == 0)
            return formats[k].read(load, shape);
    return isg_fail(ISG_ERR_FORMAT,
                    "%s: expected a sparse matrix in csr, csc or coo format, found %s; save it "
                    "with scipy.sparse.save_npz(path, matrix.tocsr())",
                    isg_file_name(load->input.file), format);
}
