/* fuzz_hdf5.c - any bytes as an HDF5 file, item by item and as a data set
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "io/hdf5.h"
#include "isinglass.h"
#include "target.h"

enum { MOST_OBJECTS = 64, MOST_DEPTH = 4, MOST_PATH = 256 };

typedef struct walk {
    isg_h5 *h5;
    size_t objects, depth;
    char path[MOST_PATH];
    bool is_whole;
} walk;

/* Every item is where the dimensions say, once: blocks come row by row and cover them all. */
static bool read_blocks(isg_h5_dataset *data) {
    const isg_array_type *type = &isg_h5_dataset_type(data)->array;
    const size_t columns = type->n_dims > 1 ? type->dims[1] : 1;
    isg_h5_block block;
    size_t items = 0, row = 0, column = 0;
    double value;
    do {
        if (isg_h5_next_block(data, &block) != ISG_OK)
            return false;
        if (block.rows > 0 &&
            (block.row != row || block.column != column || block.rows > type->dims[0] - row ||
             block.columns > columns - column || block.pitch / type->item_bytes < block.columns))
            abort();
        for (size_t r = 0; r < block.rows; r++)
            for (size_t c = 0; c < block.columns; c++, items++)
                isg_array_decode(type, block.items + r * block.pitch + c * type->item_bytes, 1,
                                 &value);
        column += block.columns;
        if (column == columns) {
            column = 0;
            row += block.rows;
        }
    } while (block.rows > 0);
    if (items != (columns ? isg_array_count(type) : 0))
        abort();
    return true;
}

static bool read_texts(isg_h5_dataset *data) {
    const size_t count = isg_h5_dataset_type(data)->array.dims[0];
    const char *text = NULL;
    for (size_t k = 0; k < count; k++)
        if (isg_h5_read_text(data, &text) != ISG_OK)
            return false;
    return true;
}

static void read_dataset(walk *w) {
    isg_h5_dataset *data = NULL;
    bool is_whole = isg_h5_dataset_open(&data, w->h5, w->path) == ISG_OK;
    if (is_whole && isg_h5_dataset_type(data)->kind == ISG_H5_NUMBER)
        is_whole = read_blocks(data);
    else if (is_whole)
        is_whole = read_texts(data);
    w->is_whole = w->is_whole && is_whole;
    isg_h5_dataset_close(data);
}

static isg_status visit(void *user, const char *name);

static void read_object(walk *w) {
    isg_h5_object *object = NULL;
    char text[32];
    int64_t shape[2];
    bool found = false;
    w->is_whole = w->is_whole && isg_h5_find(&object, w->h5, w->path) == ISG_OK && object;
    if (!object)
        return;
    w->is_whole = w->is_whole &&
                  isg_h5_text_attribute(object, "encoding-type", text, sizeof text) == ISG_OK &&
                  isg_h5_whole_attribute(object, "shape", 2, shape, &found) == ISG_OK;
    if (!isg_h5_is_group(object))
        read_dataset(w);
    else if (w->depth < MOST_DEPTH)
        w->is_whole = isg_h5_members(object, visit, w) == ISG_OK && w->is_whole;
    isg_h5_release(object);
}

static isg_status visit(void *user, const char *name) {
    walk *w = user;
    const size_t length = strlen(w->path);
    if (strlen(name) + length + 2 > MOST_PATH || strchr(name, '/') || ++w->objects > MOST_OBJECTS)
        return ISG_OK;
    snprintf(w->path + length, MOST_PATH - length, "/%s", name);
    w->depth++;
    read_object(w);
    w->depth--;
    w->path[length] = '\0';
    return ISG_OK;
}

static bool load_cells(const uint8_t *bytes, size_t size) {
    isg_dataset_options options = isg_dataset_defaults();
    isg_dataset *data = NULL;
    options.label_column = is_chosen(bytes, size, 2) ? "cell_type" : NULL;
    options.binarize = is_chosen(bytes, size, 3) ? ISG_BINARIZE_MEDIAN : ISG_BINARIZE_AUTO;
    options.missing = ISG_MISSING_MAJORITY;
    if (isg_dataset_load_memory(&data, "x.h5ad", bytes, size, &options, NULL) != ISG_OK)
        return false;
    const isg_dataset_info info = isg_dataset_describe(data);
    for (size_t k = 0; k < info.n_samples; k++) {
        const uint32_t *labels = isg_dataset_labels(data);
        if (labels && labels[k] >= info.n_classes)
            abort();
    }
    isg_dataset_free(data);
    return true;
}

depth attack(const uint8_t *bytes, size_t size) {
    isg_file *file = NULL;
    walk w = {.is_whole = true};
    depth how_far = REFUSED;
    if (isg_file_from_memory(&file, "fuzz", bytes, size) == ISG_OK &&
        isg_h5_open(&w.h5, file) == ISG_OK) {
        read_object(&w);
        how_far = load_cells(bytes, size) || w.is_whole ? ACCEPTED : BEGUN;
    }
    isg_h5_close(w.h5);
    isg_file_close(file);
    return how_far;
}
