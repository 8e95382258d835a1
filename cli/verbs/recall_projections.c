/* recall_projections.c - isinglass recall: every sample as a combination of patterns or class means
 *
 * SPDX-License-Identifier: MIT
 *
 * The order parameters a = (x'x)^-1 x's are the coefficients of the combination of patterns, or of
 * the means of classes, that is nearest to the sample. The largest one names a class.
 */
#include <math.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/progress.h"
#include "cli/sample_table.h"
#include "cli/share_error.h"
#include "cli/verbs/recall_job.h"
#include "src/base/bits.h"

/* What samples are projected onto. */
typedef struct basis {
    size_t n_visible, count;
    double *x;           /* (n_visible, count) */
    const char **labels; /* (count) or NULL: classes */
    char **names;        /* (count) of columns */
} basis;

static exit_code allocate(basis *on, size_t n_visible, size_t count) {
    *on = (basis){.n_visible = n_visible, .count = count};
    on->x = memory_allocate(n_visible, count * sizeof *on->x);
    on->labels = memory_allocate(count, sizeof *on->labels);
    on->names = memory_allocate(count, sizeof *on->names);
    return on->x && on->labels && on->names ? EXIT_DONE : fail_memory();
}

static void release(basis *on) {
    for (size_t k = 0; on->names && k < on->count; k++)
        memory_release(on->names[k]);
    memory_release(on->names);
    memory_release(on->labels);
    memory_release(on->x);
}

/* Labels, with the number before them where classes have several patterns. */
static exit_code name_columns(basis *on) {
    bool are_unique = true;
    for (size_t k = 0; k < on->count; k++)
        for (size_t l = 0; l < k; l++)
            if (on->labels[k] && on->labels[l] && strcmp(on->labels[k], on->labels[l]) == 0)
                are_unique = false;
    for (size_t k = 0; k < on->count; k++) {
        const char *label = on->labels[k];
        on->names[k] = !label       ? memory_format("%zu", k)
                       : are_unique ? memory_format("%s", label)
                                    : memory_format("%zu_%s", k, label);
        if (!on->names[k])
            return fail_memory();
    }
    return EXIT_DONE;
}

static exit_code take_patterns(basis *on, const recall_job *my) {
    const size_t n = my->info.n_visible, p = my->info.n_patterns;
    const exit_code code = allocate(on, n, p);
    for (size_t mu = 0; code == EXIT_DONE && mu < p; mu++) {
        on->labels[mu] = isg_patterns_label(my->patterns, mu);
        for (size_t i = 0; i < n; i++)
            on->x[i * p + mu] = isg_spin(isg_patterns_row(my->patterns, mu), i);
    }
    return code;
}

static exit_code take_means(basis *on, const recall_job *my, const isg_dataset *train) {
    const isg_dataset_info info = isg_dataset_describe(train);
    const char *name = my->settings->class_means;
    size_t used = 0; /* classes that a limit left without samples have no mean */
    if (info.n_visible != my->info.n_visible)
        return fail(EXIT_BAD_INPUT, "%s: has %zu unit%s, but the patterns of %s have %zu", name,
                    info.n_visible, plural(info.n_visible), my->file, my->info.n_visible);
    if (info.n_classes == 0)
        return fail(EXIT_BAD_INPUT, "%s: has no labels, which --class-means needs", name);
    exit_code code = allocate(on, info.n_visible, info.n_classes);
    const isg_matd shares = {on->x, info.n_visible, info.n_classes, info.n_classes};
    if (code == EXIT_DONE)
        code = fail_status(isg_group_shares(shares, train, NULL));
    for (size_t k = 0; code == EXIT_DONE && k < info.n_classes; k++) {
        if (isg_dataset_class_size(train, k) == 0)
            continue;
        on->labels[used] = isg_dataset_class_name(train, k);
        used++;
    }
    for (size_t i = 0, to = 0; code == EXIT_DONE && i < info.n_visible; i++)
        for (size_t k = 0; k < info.n_classes; k++)
            if (isg_dataset_class_size(train, k) > 0)
                on->x[to++] = 2 * on->x[i * info.n_classes + k] - 1;
    if (code == EXIT_DONE)
        on->count = used;
    return code;
}

static exit_code project(const recall_job *my, const isg_dataset *data, const basis *on,
                         isg_matd a) {
    progress bar;
    progress_start(&bar, my->call->common.quiet, "projecting");
    const isg_status status =
        isg_projections(a, data, (isg_matd_view){on->x, on->n_visible, on->count, on->count},
                        my->settings->how.allow_rank_deficient, progress_callback(&bar));
    progress_finish(&bar);
    return status == ISG_ERR_DEPENDENT
               ? fail(EXIT_BAD_INPUT, "%s: %s; use --allow-rank-deficient for the shortest ones",
                      my->settings->class_means ? my->settings->class_means : my->file,
                      isg_error_message())
               : fail_status(status);
}

/* The largest projection of every sample, the first of those that are equal but for rounding, and how
   often it is of its class. */
static void judge(const isg_dataset *data, const basis *on, isg_matd a, uint32_t *answers,
                  projection_result *out) {
    size_t right = 0, judged = 0;
    for (size_t s = 0; s < a.rows; s++) {
        const double *row = a.data + s * a.stride;
        const char *class = sample_class(data, s);
        for (size_t k = 1; k < on->count; k++)
            if (row[k] > row[answers[s]] + 1e-12)
                answers[s] = (uint32_t)k;
        const char *label = on->labels[answers[s]];
        judged += class != NULL;
        right += class && label && strcmp(class, label) == 0;
    }
    const bool has_accuracy = judged > 0 && on->labels[0];
    out->accuracy = has_accuracy ? (double)right / (double)judged : (double)NAN;
    out->error = share_error(out->accuracy, judged);
}

exit_code recall_project(const recall_job *my, projection_result *out) {
    const recall_settings *settings = my->settings;
    const isg_dataset *data = my->all ? my->all : my->data;
    const size_t n_samples = isg_dataset_describe(data).n_samples;
    isg_dataset *train = NULL;
    basis on = {.x = NULL};
    exit_code code = EXIT_DONE;
    if (settings->class_means) {
        data_settings how = settings->data; /* what chooses samples of DATA is not for TRAIN */
        how.how.labels_path = how.how.only_class = NULL;
        how.how.limit = 0;
        code = data_load(&train, my->call, settings->class_means, &how,
                         isg_patterns_encoding(my->patterns));
        if (code == EXIT_DONE)
            code = recall_impute(my, &train);
        if (code == EXIT_DONE)
            code = take_means(&on, my, train);
    } else {
        code = take_patterns(&on, my);
    }
    if (code == EXIT_DONE)
        code = name_columns(&on);
    double *a = code == EXIT_DONE ? memory_allocate(n_samples, on.count * sizeof *a) : NULL;
    uint32_t *answers = code == EXIT_DONE ? memory_allocate(n_samples, sizeof *answers) : NULL;
    if (code == EXIT_DONE && (!a || !answers))
        code = fail_memory();
    const isg_matd room = {a, n_samples, on.count, on.count};
    if (code == EXIT_DONE)
        code = project(my, data, &on, room);
    if (code == EXIT_DONE) {
        *out = (projection_result){.file = settings->projections,
                                   .onto = settings->class_means ? "class means" : "patterns",
                                   .count = on.count};
        judge(data, &on, room, answers, out);
        const sample_table table = {.data = data,
                                    .values = {a, n_samples, on.count, on.count},
                                    .columns = (const char *const *)on.names,
                                    .prefix = "a_",
                                    .digits = -6,
                                    .answers = answers,
                                    .labels = on.labels[0] ? on.labels : NULL,
                                    .answer = "best",
                                    .value = "projection",
                                    .array = "A"};
        code = sample_table_write(my->call, settings->projections, &table);
    }
    memory_release(a);
    memory_release(answers);
    release(&on);
    isg_dataset_free(train);
    return code;
}
