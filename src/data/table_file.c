/* table_file.c - numbers of every sample as an .npz
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "data/data.h"
#include "io/meta.h"

static isg_status write_columns(isg_npz_writer *writer, const char *array,
                                const char *const *columns, size_t count) {
    isg_names names = {0};
    isg_status status = ISG_OK;
    for (size_t k = 0; status == ISG_OK && k < count; k++)
        status = isg_names_add(&names, columns[k], strlen(columns[k]));
    if (status == ISG_OK)
        /* X is data, to be read again. */
        status = isg_names_write(&names, writer, strcmp(array, "X") == 0 ? "units" : "columns");
    isg_names_clear(&names);
    return status;
}

/* Samples without a label among others have an empty one. */
static isg_status write_classes(isg_npz_writer *writer, const isg_labels *labels) {
    isg_names names = {0};
    isg_status status = ISG_OK;
    size_t known = 0;
    while (known < labels->count && labels->index[known] < labels->n_classes)
        known++;
    if (known == labels->count)
        return isg_labels_write(labels, writer, "y");
    for (size_t a = 0; status == ISG_OK && a < labels->count; a++) {
        const uint32_t k = labels->index[a];
        const char *name = k < labels->n_classes ? labels->names[k] : "";
        status = isg_names_add(&names, name, strlen(name));
    }
    if (status == ISG_OK)
        status = isg_names_write(&names, writer, "y");
    isg_names_clear(&names);
    return status;
}

isg_status isg_dataset_save_table(const isg_dataset *data, const char *path, const char *array,
                                  isg_matd_view values, const char *const *columns, uint64_t seed,
                                  const char *command) {
    const isg_meta meta = {.kind = "table", .seed = seed, .command = command};
    isg_npz_writer *writer = NULL;
    isg_status status = ISG_OK;
    if (values.rows != data->info.n_samples || values.stride != values.cols)
        return isg_fail(ISG_ERR_SHAPE,
                        "expected a row of the table for each of %zu samples, without gaps, found "
                        "%zu rows",
                        data->info.n_samples, values.rows);
    ISG_TRY(isg_npz_writer_create(&writer, path));
    ISG_TRY_GOTO(
        isg_npz_writer_add_doubles(writer, array, values.data, 2, values.rows, values.cols));
    if (columns)
        ISG_TRY_GOTO(write_columns(writer, array, columns, values.cols));
    ISG_TRY_GOTO(isg_names_write(&data->ids, writer, "ids"));
    if (data->labels.count > 0)
        ISG_TRY_GOTO(write_classes(writer, &data->labels));
    ISG_TRY_GOTO(isg_meta_write(&meta, writer));
    ISG_TRY_GOTO(isg_npz_writer_commit(writer));
done:
    isg_npz_writer_free(writer);
    return status;
}
