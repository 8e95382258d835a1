/* sample_table.c - numbers of every sample of a data set as a file
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/sample_table.h"

#include <math.h>

exit_code sample_table_may_write(const common_settings *common, const char *path) {
    const bool is_npz = ends_in(path, ".npz");
    if (!is_npz && !ends_in(path, ".csv"))
        return fail(EXIT_MISUSED, "%s: expected a file name that ends in .csv or .npz", path);
    return may_write(common, path, is_npz ? ".npz" : ".csv");
}

const char *sample_class(const isg_dataset *data, size_t row) {
    const uint32_t *labels = isg_dataset_labels(data);
    return labels && labels[row] < isg_dataset_describe(data).n_classes
               ? isg_dataset_class_name(data, labels[row])
               : NULL;
}

static void print_text(output *out, const char *text) {
    output_print(out, ",");
    if (text)
        output_csv(out, text);
}

/* A column's name with its prefix may need quotes as a whole. */
static void print_heading(output *out, const char *prefix, const char *name, size_t number) {
    output cell = {0};
    if (name)
        output_print(&cell, "%s%s", prefix, name);
    else
        output_print(&cell, "%s%zu", prefix, number);
    char *text = output_text(&cell);
    if (text)
        print_text(out, text);
    else
        out->is_out_of_memory = true;
    output_free(&cell);
}

static void print_number(output *out, int digits, double value) {
    double unit = 1; /* of the last digit */
    for (int k = digits; k < 0; k++)
        unit /= 10;
    if (!isfinite(value))
        output_print(out, ",");
    else if (digits > 0)
        output_print(out, ",%.*g", digits, value);
    else /* and no "-0.000" */
        output_print(out, ",%.*f", -digits, fabs(value) < unit / 2 ? 0 : value);
}

static const char *name_of(const char *const *names, size_t k) {
    return names ? names[k] : NULL;
}

static exit_code write_csv(const char *path, const sample_table *table) {
    const isg_matd_view v = table->values;
    output out = {0};
    output_print(&out, "row,id,class");
    if (table->answers)
        output_print(&out, ",%s,%s", table->answer, table->value);
    for (size_t k = 0; k < v.cols; k++)
        print_heading(&out, table->prefix, name_of(table->columns, k), k);
    output_print(&out, "\n");
    for (size_t a = 0; a < v.rows; a++) {
        const double *row = v.data + a * v.stride;
        output_print(&out, "%zu", a);
        print_text(&out, isg_dataset_sample_id(table->data, a));
        print_text(&out, sample_class(table->data, a));
        if (table->answers) {
            const size_t k = table->answers[a];
            const char *const *labels = table->labels ? table->labels : table->columns;
            print_heading(&out, "", name_of(labels, k), k);
            print_number(&out, table->digits, row[k]);
        }
        for (size_t k = 0; k < v.cols; k++)
            print_number(&out, table->digits, row[k]);
        output_print(&out, "\n");
    }
    const exit_code code = output_save(&out, path);
    output_free(&out);
    return code;
}

exit_code sample_table_write(const invocation *call, const char *path, const sample_table *table) {
    if (!ends_in(path, ".npz"))
        return write_csv(path, table);
    return fail_status(isg_dataset_save_table(table->data, path, table->array, table->values,
                                              table->columns, call->common.seed,
                                              call->command_line));
}
