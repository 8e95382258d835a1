/* dataset_hdf5.c - cells in HDF5 files: AnnData (.h5ad) and 10x Genomics (.h5)
 *
 * SPDX-License-Identifier: MIT
 *
 * What is in the file decides, since AnnData files are called .h5 as well:
 *
 *     /X, /obs, /var      AnnData: X is a data set or a group {data, indices, indptr}, CSR or CSC; obs
 *                         and var are tables of the rows and columns, a member for each column
 *     /matrix             10x: CSC of genes x cells {data, indices, indptr, shape}, barcodes and
 *                         features/name
 *     /hg19               10x, first generation: the same named after the genome, with gene_names
 *
 * Cells are rows in either case: the columns of a matrix of genes x cells are the rows of its
 * transpose.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "data/sparse.h"
#include "io/hdf5.h"

enum { PATH_ROOM = 1024, PIECE = 1024 };

static isg_status join(char out[PATH_ROOM], const char *name, const char *parent,
                       const char *member) {
    const int length = snprintf(out, PATH_ROOM, "%s/%s", parent, member);
    return length >= 0 && length < PATH_ROOM
               ? ISG_OK
               : isg_fail(ISG_ERR_FORMAT, "%s: the name '%.40s' is too long", name, member);
}

/* What is at PARENT/MEMBER: nothing, a group or a data set. */
typedef enum presence { ABSENT, GROUP, DATASET } presence;

static isg_status look(isg_h5 *h5, const char *name, const char *parent, const char *member,
                       presence *out) {
    char path[PATH_ROOM];
    isg_h5_object *object = NULL;
    ISG_TRY(join(path, name, parent, member));
    ISG_TRY(isg_h5_find(&object, h5, path));
    *out = !object ? ABSENT : isg_h5_is_group(object) ? GROUP : DATASET;
    isg_h5_release(object);
    return ISG_OK;
}

/* Opens PARENT/MEMBER as a data set of one dimension. */
static isg_status open_column(isg_h5_dataset **out, isg_h5 *h5, const char *name,
                              const char *parent, const char *member) {
    char path[PATH_ROOM];
    ISG_TRY(join(path, name, parent, member));
    ISG_TRY(isg_h5_dataset_open(out, h5, path));
    const isg_array_type *type = &isg_h5_dataset_type(*out)->array;
    if (type->n_dims == 1)
        return ISG_OK;
    const isg_status status =
        isg_fail(ISG_ERR_FORMAT, "%s: expected one dimension, found %zu x %zu items",
                 isg_h5_dataset_name(*out), type->dims[0], type->dims[1]);
    isg_h5_dataset_close(*out);
    *out = NULL;
    return status;
}

static size_t length_of(const isg_h5_dataset *column) {
    return isg_h5_dataset_type(column)->array.dims[0];
}

/* Appends all texts of PARENT/MEMBER, of which there must be `count`. */
static isg_status read_names(isg_names *names, isg_h5 *h5, const char *name, const char *parent,
                             const char *member, size_t count) {
    isg_h5_dataset *column = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(open_column(&column, h5, name, parent, member));
    if (length_of(column) != count)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_SHAPE, "%s: expected %zu names, as the matrix has, found %zu",
                              isg_h5_dataset_name(column), count, length_of(column)));
    for (size_t k = 0; k < count; k++) {
        const char *text = NULL;
        ISG_TRY_GOTO(isg_h5_read_text(column, &text));
        ISG_TRY_GOTO(isg_names_add(names, text, strlen(text)));
    }
done:
    isg_h5_dataset_close(column);
    return status;
}

/* ---- matrices --------------------------------------------------------------------------------- */

/* An array that is read in step with another. */
typedef struct array {
    isg_loader *load;
    isg_h5_dataset *data;
    bool is_watched; /* its position is the progress of all */
    size_t done;
} array;

static isg_status read_array(void *user, double *out, size_t count) {
    array *a = user;
    ISG_TRY(isg_h5_read_numbers(a->data, count, out));
    a->done += count;
    return a->is_watched ? isg_loader_report_part(a->load, a->done, length_of(a->data)) : ISG_OK;
}

/* The matrix {data, indices, indptr} in `group`, whose lines are rows, or columns if is_by_column. */
static isg_status read_sparse(isg_loader *load, isg_h5 *h5, const char *group, size_t rows,
                              size_t columns, bool is_by_column) {
    const char *name = isg_file_name(load->input.file);
    const size_t n_lines = is_by_column ? columns : rows;
    isg_h5_dataset *indptr = NULL;
    array indices = {.load = load}, values = {.load = load, .is_watched = true};
    int64_t *starts = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(open_column(&indptr, h5, name, group, "indptr"));
    ISG_TRY_GOTO(open_column(&indices.data, h5, name, group, "indices"));
    ISG_TRY_GOTO(open_column(&values.data, h5, name, group, "data"));
    if (length_of(indptr) == 0 || length_of(indptr) - 1 != n_lines)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: expected one more than the %zu %s, found %zu",
                              isg_h5_dataset_name(indptr), n_lines,
                              is_by_column ? "columns" : "rows", length_of(indptr)));
    if (length_of(indices.data) != length_of(values.data))
        ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: has %zu entries, but indices has %zu",
                              isg_h5_dataset_name(values.data), length_of(values.data),
                              length_of(indices.data)));
    ISG_TRY_GOTO(ISG_ALLOCATE(starts, n_lines + 1));
    ISG_TRY_GOTO(isg_h5_read_wholes(indptr, n_lines + 1, starts));
    const isg_sparse matrix = {.name = name,
                               .rows = rows,
                               .columns = columns,
                               .is_by_column = is_by_column,
                               .starts = starts,
                               .n_entries = length_of(values.data),
                               .indices = {&indices, read_array},
                               .data = {&values, read_array}};
    status = isg_loader_read_sparse(load, &matrix);
done:
    isg_release(starts);
    isg_h5_dataset_close(indptr);
    isg_h5_dataset_close(indices.data);
    isg_h5_dataset_close(values.data);
    return status;
}

static isg_status put_block(isg_loader *load, const isg_array_type *type, const isg_h5_block *block,
                            double values[PIECE]) {
    for (size_t r = 0; r < block->rows; r++)
        for (size_t c = 0; c < block->columns; c += PIECE) {
            const size_t left = block->columns - c, count = left < PIECE ? left : PIECE;
            isg_array_decode(type, block->items + r * block->pitch + c * type->item_bytes, count,
                             values);
            for (size_t k = 0; k < count; k++)
                ISG_TRY(isg_loader_put(load, block->row + r, block->column + c + k, values[k]));
        }
    return ISG_OK;
}

static isg_status read_dense(isg_loader *load, isg_h5_dataset *data) {
    const char *name = isg_file_name(load->input.file);
    const isg_array_type *type = &isg_h5_dataset_type(data)->array;
    const size_t rows = type->dims[0], columns = type->dims[1];
    double values[PIECE];
    isg_h5_block block;
    ISG_TRY(isg_loader_check_size(load, name, rows, columns, isg_file_size(load->input.file)));
    ISG_TRY(isg_loader_start(load, name, rows, columns, 0, 0));
    ISG_TRY(isg_loader_extend(load, rows));
    for (size_t done = 0; done < rows * columns; done += block.rows * block.columns) {
        ISG_TRY(isg_h5_next_block(data, &block));
        ISG_TRY(put_block(load, type, &block, values));
        ISG_TRY(isg_loader_report_part(load, done, rows * columns));
    }
    return ISG_OK;
}

/* ---- labels: a column of obs ------------------------------------------------------------------ */

/* "louvain, n_genes": what a wrong name may have meant. */
typedef struct listing {
    char text[400];
    size_t used;
    const char *index; /* is no column */
} listing;

static isg_status list_column(void *user, const char *name) {
    listing *list = user;
    const size_t room = sizeof list->text - list->used;
    if (strcmp(name, list->index) == 0 || strcmp(name, "__categories") == 0 || room < 64)
        return ISG_OK;
    const int n = room < 128 ? snprintf(list->text + list->used, room, ", ...")
                             : snprintf(list->text + list->used, room, "%s%.60s",
                                        list->used ? ", " : "", name);
    list->used += room < 128 ? room : (size_t)n;
    return ISG_OK;
}

static isg_status no_column(isg_h5_object *obs, const char *wanted, const char *index) {
    listing list = {.index = index};
    ISG_TRY(isg_h5_members(obs, list_column, &list));
    return isg_fail(ISG_ERR_FORMAT, "%s: there is no column '%s'; %s%s", isg_h5_object_name(obs),
                    wanted, list.text[0] ? "the columns are " : "there is none at all", list.text);
}

/* Texts for a missing value are those of a table; pandas writes "nan" where it made texts of them. */
static isg_status add_text(isg_labels *labels, const char *text, const char *name) {
    return isg_means_unlabelled(text) ? isg_labels_add_none(labels)
                                      : isg_labels_add_text(labels, text, name);
}

/* The codes in a data set are the classes in another; a code below 0 is a missing value. */
static isg_status add_categories(isg_labels *labels, isg_h5_dataset *codes,
                                 isg_h5_dataset *categories) {
    const char *name = isg_h5_dataset_name(codes);
    const size_t n_names = length_of(categories);
    const isg_h5_type *type = isg_h5_dataset_type(categories);
    isg_names names = {0};
    isg_status status = ISG_OK;
    for (size_t k = 0; k < n_names; k++) {
        const char *text = NULL;
        char number[ISG_LABEL_BYTES];
        int64_t whole = 0;
        if (type->kind == ISG_H5_NUMBER) {
            ISG_TRY_GOTO(isg_h5_read_wholes(categories, 1, &whole));
            snprintf(number, sizeof number, "%" PRId64, whole);
            text = !type->is_bool ? number : whole ? "True" : "False";
        } else {
            ISG_TRY_GOTO(isg_h5_read_text(categories, &text));
        }
        ISG_TRY_GOTO(isg_names_add(&names, text, strlen(text)));
    }
    for (size_t k = 0, count = length_of(codes); k < count; k++) {
        int64_t code = 0;
        ISG_TRY_GOTO(isg_h5_read_wholes(codes, 1, &code));
        if (code >= 0 && (uint64_t)code >= n_names)
            ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: has code %" PRId64 " of %zu categories",
                                  name, code, n_names));
        ISG_TRY_GOTO(code < 0 ? isg_labels_add_none(labels)
                              : add_text(labels, isg_names_at(&names, (size_t)code), name));
    }
done:
    isg_names_clear(&names);
    return status;
}

/* The items themselves; those for which `mask` is true are missing (NULL: none). */
static isg_status add_items(isg_labels *labels, isg_h5_dataset *items, isg_h5_dataset *mask) {
    const isg_h5_type *type = isg_h5_dataset_type(items);
    const char *name = isg_h5_dataset_name(items);
    const bool is_whole = type->kind == ISG_H5_NUMBER && isg_dtype_is_whole(type->array.dtype);
    if (mask && length_of(mask) != length_of(items))
        return isg_fail(ISG_ERR_FORMAT, "%s: has %zu items, but its mask %zu", name,
                        length_of(items), length_of(mask));
    for (size_t k = 0, count = length_of(items); k < count; k++) {
        const char *text = NULL;
        int64_t whole = 0, is_missing = 0;
        double number = 0;
        ISG_TRY(mask ? isg_h5_read_wholes(mask, 1, &is_missing) : ISG_OK);
        ISG_TRY(is_whole                      ? isg_h5_read_wholes(items, 1, &whole)
                : type->kind == ISG_H5_NUMBER ? isg_h5_read_numbers(items, 1, &number)
                                              : isg_h5_read_text(items, &text));
        if (type->is_bool)
            text = whole ? "True" : "False";
        ISG_TRY(is_missing || isnan(number) ? isg_labels_add_none(labels)
                : text                      ? add_text(labels, text, name)
                : is_whole                  ? isg_labels_add_whole(labels, whole, name)
                                            : isg_labels_add_number(labels, number, name));
    }
    return ISG_OK;
}

static isg_status read_label_column(isg_loader *load, isg_h5 *h5, isg_h5_object *obs,
                                    const char *index) {
    const char *wanted = load->options->label_column, *name = isg_file_name(load->input.file);
    isg_labels *labels = &load->data->labels;
    isg_h5_dataset *items = NULL, *other = NULL; /* other: categories or mask */
    char column[PATH_ROOM];
    presence at = ABSENT, categories = ABSENT, values = ABSENT;
    isg_status status = ISG_OK;
    ISG_TRY(join(column, name, "/obs", wanted));
    if (!strchr(wanted, '/'))
        ISG_TRY(look(h5, name, "/obs", wanted, &at));
    if (at == ABSENT || strcmp(wanted, "__categories") == 0)
        return isg_loader_may_lack_labels(load) ? ISG_OK : no_column(obs, wanted, index);
    if (at == DATASET) {
        ISG_TRY(look(h5, name, "/obs/__categories", wanted, &categories));
        ISG_TRY_GOTO(open_column(&items, h5, name, "/obs", wanted));
        if (categories == DATASET)
            ISG_TRY_GOTO(open_column(&other, h5, name, "/obs/__categories", wanted));
    } else {
        ISG_TRY(look(h5, name, column, "categories", &categories));
        ISG_TRY(look(h5, name, column, "values", &values));
        if (categories == ABSENT && values == ABSENT)
            return isg_fail(ISG_ERR_UNSUPPORTED,
                            "%s: the column '%s' of obs is no list of categories, texts or numbers",
                            name, wanted);
        ISG_TRY_GOTO(open_column(&items, h5, name, column, categories ? "codes" : "values"));
        ISG_TRY_GOTO(open_column(&other, h5, name, column, categories ? "categories" : "mask"));
    }
    status = categories == ABSENT ? add_items(labels, items, other)
                                  : add_categories(labels, items, other);
done:
    isg_h5_dataset_close(items);
    isg_h5_dataset_close(other);
    return status;
}

/* ---- AnnData ---------------------------------------------------------------------------------- */

/* The names of the rows (of obs) or columns (of var), and which member of the table they are. A file
   may have no such table. */
static isg_status read_index(isg_names *names, isg_h5_object *table, isg_h5 *h5, const char *name,
                             const char *path, size_t count, char index[PATH_ROOM]) {
    presence at = ABSENT;
    char parent[PATH_ROOM];
    index[0] = '\0';
    if (!table)
        return ISG_OK;
    if (!isg_h5_is_group(table))
        return isg_fail(ISG_ERR_UNSUPPORTED,
                        "%s: is a table of compounds, as anndata before 0.7 wrote it; read it with "
                        "a newer anndata and write it again",
                        isg_h5_object_name(table));
    ISG_TRY(isg_h5_text_attribute(table, "_index", index, PATH_ROOM));
    if (!index[0])
        snprintf(index, PATH_ROOM, "_index");
    ISG_TRY(look(h5, name, path, index, &at));
    if (at == GROUP) { /* texts and which of them are missing */
        ISG_TRY(join(parent, name, path, index));
        return read_names(names, h5, name, parent, "values", count);
    }
    return at == DATASET ? read_names(names, h5, name, path, index, count) : ISG_OK;
}

typedef struct matrix {
    size_t rows, columns;
    bool is_dense, is_by_column;
    isg_h5_dataset *data; /* dense */
} matrix;

static isg_status describe_sparse(matrix *x, const isg_h5_object *group) {
    const char *name = isg_h5_object_name(group);
    char format[32];
    int64_t shape[2] = {0, 0};
    bool has_shape = false;
    ISG_TRY(isg_h5_text_attribute(group, "encoding-type", format, sizeof format));
    if (!format[0]) /* as anndata before 0.7 called it */
        ISG_TRY(isg_h5_text_attribute(group, "h5sparse_format", format, sizeof format));
    ISG_TRY(isg_h5_whole_attribute(group, "shape", 2, shape, &has_shape));
    if (!has_shape)
        ISG_TRY(isg_h5_whole_attribute(group, "h5sparse_shape", 2, shape, &has_shape));
    const bool is_csr = strncmp(format, "csr", 3) == 0, is_csc = strncmp(format, "csc", 3) == 0;
    if (!is_csr && !is_csc)
        return isg_fail(ISG_ERR_UNSUPPORTED,
                        "%s: expected a dense, csr_matrix or csc_matrix, found '%s'; convert it "
                        "with scipy.sparse.csr_matrix(adata.X) and write it again",
                        name, format);
    if (!has_shape || shape[0] < 0 || shape[1] < 0 || (uint64_t)shape[0] > SIZE_MAX / 2 ||
        (uint64_t)shape[1] > SIZE_MAX / 2)
        return isg_fail(ISG_ERR_FORMAT, "%s: expected two sizes as its attribute shape", name);
    x->rows = (size_t)shape[0];
    x->columns = (size_t)shape[1];
    x->is_by_column = is_csc;
    return ISG_OK;
}

static isg_status describe_matrix(matrix *x, isg_h5 *h5, const isg_h5_object *object) {
    x->is_dense = !isg_h5_is_group(object);
    if (!x->is_dense)
        return describe_sparse(x, object);
    ISG_TRY(isg_h5_dataset_open(&x->data, h5, "/X"));
    const isg_h5_type *type = isg_h5_dataset_type(x->data);
    if (type->kind != ISG_H5_NUMBER || type->array.n_dims != 2)
        return isg_fail(ISG_ERR_FORMAT, "%s: expected numbers in two dimensions, found %s in %zu",
                        isg_h5_dataset_name(x->data),
                        type->kind == ISG_H5_NUMBER  ? "numbers"
                        : type->kind == ISG_H5_OTHER ? type->what
                                                     : "texts",
                        type->array.n_dims);
    x->rows = type->array.dims[0];
    x->columns = type->array.dims[1];
    return ISG_OK;
}

static isg_status read_anndata(isg_loader *load, isg_h5 *h5, const isg_h5_object *object) {
    const char *name = isg_file_name(load->input.file);
    isg_h5_object *obs = NULL, *var = NULL;
    char obs_index[PATH_ROOM], var_index[PATH_ROOM];
    matrix x = {0};
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(describe_matrix(&x, h5, object));
    ISG_TRY_GOTO(isg_h5_find(&obs, h5, "/obs"));
    ISG_TRY_GOTO(isg_h5_find(&var, h5, "/var"));
    ISG_TRY_GOTO(read_index(&load->row_names, obs, h5, name, "/obs", x.rows, obs_index));
    ISG_TRY_GOTO(read_index(&load->column_names, var, h5, name, "/var", x.columns, var_index));
    if (load->options->label_column && !load->options->labels_path) {
        if (!obs)
            ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT,
                                  "%s: there is no column '%s', nor any other: it has no /obs",
                                  name, load->options->label_column));
        ISG_TRY_GOTO(read_label_column(load, h5, obs, obs_index));
    }
    ISG_TRY_GOTO(x.is_dense ? read_dense(load, x.data)
                            : read_sparse(load, h5, "/X", x.rows, x.columns, x.is_by_column));
done:
    isg_h5_dataset_close(x.data);
    isg_h5_release(obs);
    isg_h5_release(var);
    return status;
}

/* ---- 10x Genomics ----------------------------------------------------------------------------- */

static isg_status read_10x(isg_loader *load, isg_h5 *h5, const char *group, const char *genes) {
    const char *name = isg_file_name(load->input.file);
    isg_h5_dataset *column = NULL;
    int64_t shape[2] = {0, 0};
    if (load->options->label_column && !load->options->labels_path &&
        !isg_loader_may_lack_labels(load))
        return isg_fail(ISG_ERR_ARGUMENT,
                        "%s: a file of 10x has no columns of labels; give a file with --labels",
                        name);
    ISG_TRY(open_column(&column, h5, name, group, "shape"));
    const isg_status status = isg_h5_read_wholes(column, 2, shape);
    isg_h5_dataset_close(column);
    ISG_TRY(status);
    if (shape[0] < 0 || shape[1] < 0 || (uint64_t)shape[0] > SIZE_MAX / 2 ||
        (uint64_t)shape[1] > SIZE_MAX / 2)
        return isg_fail(ISG_ERR_FORMAT, "%s: %s/shape: expected two sizes", name, group);
    const size_t n_genes = (size_t)shape[0], n_cells = (size_t)shape[1];
    ISG_TRY(read_names(&load->row_names, h5, name, group, "barcodes", n_cells));
    ISG_TRY(read_names(&load->column_names, h5, name, group, genes, n_genes));
    return read_sparse(load, h5, group, n_cells, n_genes, false);
}

/* A file of the first generation has a group for each genome. */
typedef struct genomes {
    isg_h5 *h5;
    const char *name;
    char first[PATH_ROOM];
    size_t count;
    listing others; /* all members, to be told if none is a genome */
} genomes;

static isg_status look_at_member(void *user, const char *member) {
    genomes *found = user;
    char path[PATH_ROOM];
    presence names = ABSENT, indptr = ABSENT;
    ISG_TRY(list_column(&found->others, member));
    ISG_TRY(join(path, found->name, "", member));
    ISG_TRY(look(found->h5, found->name, path, "gene_names", &names));
    ISG_TRY(look(found->h5, found->name, path, "indptr", &indptr));
    if (names == DATASET && indptr == DATASET && found->count++ == 0)
        memcpy(found->first, path, sizeof path);
    return ISG_OK;
}

static isg_status read_genome(isg_loader *load, isg_h5 *h5) {
    genomes found = {.h5 = h5, .name = isg_file_name(load->input.file), .others = {.index = ""}};
    isg_h5_object *root = NULL;
    ISG_TRY(isg_h5_find(&root, h5, "/"));
    const isg_status status = isg_h5_members(root, look_at_member, &found);
    isg_h5_release(root);
    ISG_TRY(status);
    if (found.count == 0)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: expected /X as AnnData writes it, or /matrix as Cell Ranger does, "
                        "found %s%s",
                        found.name, found.others.used ? "" : "nothing", found.others.text);
    if (found.count > 1)
        return isg_fail(ISG_ERR_UNSUPPORTED,
                        "%s: has the genes of %zu genomes (%s); write one of them to a file of its "
                        "own",
                        found.name, found.count, found.others.text);
    return read_10x(load, h5, found.first, "gene_names");
}

/* ---- all together ----------------------------------------------------------------------------- */

isg_status isg_loader_read_hdf5(isg_loader *load) {
    const char *name = isg_file_name(load->input.file);
    isg_h5 *h5 = NULL;
    isg_h5_object *x = NULL;
    presence cells = ABSENT;
    isg_status status = ISG_OK;
    if (load->options->transpose)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "%s: the cells of HDF5 files are the samples already, without --transpose",
                        name);
    ISG_TRY(isg_h5_open(&h5, load->input.file));
    ISG_TRY_GOTO(isg_h5_find(&x, h5, "/X"));
    ISG_TRY_GOTO(look(h5, name, "", "matrix", &cells));
    ISG_TRY_GOTO(x                ? read_anndata(load, h5, x)
                 : cells == GROUP ? read_10x(load, h5, "/matrix", "features/name")
                                  : read_genome(load, h5));
done:
    isg_h5_release(x);
    isg_h5_close(h5);
    return status;
}
