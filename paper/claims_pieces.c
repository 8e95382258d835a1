/* claims_pieces.c - numbers that claims need and no figure computes, as pieces of their own
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/allocation.h"
#include "paper/claims_exact.h"
#include "src/base/bits.h"
#include "src/base/clock.h"

/* The class patterns, one per digit, and their RBM: most claims are about these. */
typedef struct classes {
    isg_patterns *patterns;
    isg_rbm *rbm;
} classes;

static exit_code compute_mapping(experiment *my, const classes *of, double *values) {
    return exact_mapping(of->patterns, of->rbm, my->seed, values);
}

static exit_code compute_family(experiment *my, const classes *of, double *values) {
    return exact_family(of->patterns, my->seed, values);
}

static exit_code compute_machines(experiment *my, const classes *of, double *values) {
    return exact_machines(of->patterns, my->seed, values);
}

static exit_code compute_partition(experiment *my, const classes *of, double *values) {
    (void)of;
    return exact_partition(my->seed, values);
}

static exit_code compute_gradients(experiment *my, const classes *of, double *values) {
    (void)of;
    return exact_gradients(my->seed, values);
}

static exit_code compute_landscape(experiment *my, const classes *of, double *values) {
    return exact_landscape(of->rbm, my->test, values);
}

static exit_code compute_projections(experiment *my, const classes *of, double *values) {
    return exact_projections(of->patterns, my->test, values);
}

/* ---- data and times --------------------------------------------------------------------------- */

static const char pixels_key[] = "claims pixels";

static exit_code compute_pixels(experiment *my, const classes *of, double *values) {
    isg_patterns *printed = NULL;
    const exit_code code = fail_status(isg_patterns_from_data(&printed, my->printed, NULL, NULL));
    if (code == EXIT_DONE) {
        const isg_patterns_info info = isg_patterns_describe(of->patterns);
        values[PIXELS_OURS] = isg_dataset_positive_fraction(my->train);
        values[PIXELS_PRINTED] = isg_dataset_positive_fraction(my->printed);
        values[PIXELS_CHANGED] = values[PIXELS_PRINTED] - values[PIXELS_OURS];
        values[PIXELS_ALL_BITS] = (double)(info.n_visible * info.n_patterns);
        values[PIXELS_BITS] = 0;
        for (size_t mu = 0; mu < info.n_patterns; mu++)
            for (size_t i = 0; i < info.n_visible; i++)
                values[PIXELS_BITS] += isg_spin(isg_patterns_row(of->patterns, mu), i) !=
                                       isg_spin(isg_patterns_row(printed, mu), i);
    }
    isg_patterns_free(printed);
    return code;
}

bool claims_need_printed(const experiment *my) {
    return json_object_get(my->pieces, pixels_key) == NULL;
}

/* Time for the sub-classes of the largest class, times the number of classes. */
static exit_code time_clustering(const experiment *my, double *seconds) {
    const isg_dataset_info info = isg_dataset_describe(my->train);
    const uint32_t *labels = isg_dataset_labels(my->train);
    size_t largest = 0, count = 0;
    for (size_t c = 0; c < info.n_classes; c++)
        if (isg_dataset_class_size(my->train, c) > isg_dataset_class_size(my->train, largest))
            largest = c;
    size_t *rows = memory_allocate(info.n_samples, sizeof *rows);
    isg_dataset *class_only = NULL;
    isg_patterns *patterns = NULL;
    if (!rows)
        return fail_memory();
    for (size_t row = 0; row < info.n_samples; row++)
        if (labels[row] == largest)
            rows[count++] = row;
    exit_code code = fail_status(isg_dataset_select(&class_only, my->train, rows, count));
    isg_pattern_options options = isg_pattern_defaults();
    options.per_class = 5;
    const double started_s = isg_clock_s();
    if (code == EXIT_DONE)
        code = fail_status(isg_patterns_from_data(&patterns, class_only, &options, NULL));
    *seconds = (isg_clock_s() - started_s) * (double)info.n_classes;
    isg_patterns_free(patterns);
    isg_dataset_free(class_only);
    memory_release(rows);
    return code;
}

/* Time for the class patterns and their RBM, and for an epoch, extrapolated from some updates. */
static exit_code compute_times(experiment *my, const classes *of, double *values) {
    (void)of;
    enum { N_UPDATES = 20 };
    isg_patterns *patterns = NULL;
    isg_rbm *rbm = NULL;
    isg_trainer *trainer = NULL;
    double started_s = isg_clock_s();
    exit_code code = fail_status(isg_patterns_from_data(&patterns, my->train, NULL, NULL));
    if (code == EXIT_DONE)
        code = fail_status(isg_rbm_from_patterns(&rbm, patterns, NULL, NULL));
    values[TIME_MAPPING] = isg_clock_s() - started_s;
    if (code == EXIT_DONE)
        code = time_clustering(my, &values[TIME_CLUSTERING]);
    const isg_train_options options = isg_train_defaults();
    if (code == EXIT_DONE)
        code = fail_status(isg_trainer_create(&trainer, rbm, my->train, &options));
    started_s = isg_clock_s();
    for (size_t k = 0; code == EXIT_DONE && k < N_UPDATES; k++)
        code = fail_status(isg_trainer_update(trainer));
    if (code == EXIT_DONE) {
        values[TIME_UPDATES] = (double)isg_trainer_describe(trainer).n_batches;
        values[TIME_EPOCH] = (isg_clock_s() - started_s) / N_UPDATES * values[TIME_UPDATES];
        values[TIME_SAMPLES] = (double)isg_dataset_describe(my->train).n_samples;
    }
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
    return code;
}

/* ---- after the training of Figs. 3 and D1 ------------------------------------------------------ */

static exit_code compute_weights(experiment *my, const classes *of, double *values) {
    (void)of;
    double epochs = 0;
    isg_rbm *first = NULL, *last = NULL;
    exit_code code = piece_values(my, "fig3 trained", &epochs, 1);
    if (code == EXIT_DONE)
        code = training_reach(my, &back_design.which, 0, &first);
    if (code == EXIT_DONE)
        code = training_reach(my, &back_design.which, epochs, &last);
    if (code == EXIT_DONE) {
        const isg_matd a = isg_rbm_weights(first), b = isg_rbm_weights(last);
        values[WEIGHTS_EPOCHS] = epochs;
        values[WEIGHTS_LEAST_COSINE] = 1;
        values[WEIGHTS_MEAN_COSINE] = 0;
        for (size_t mu = 0; mu < a.cols; mu++) {
            const double cosine = column_cosine(a, b, mu);
            values[WEIGHTS_LEAST_COSINE] = fmin(values[WEIGHTS_LEAST_COSINE], cosine);
            values[WEIGHTS_MEAN_COSINE] += cosine / (double)a.cols;
        }
    }
    isg_rbm_free(first);
    isg_rbm_free(last);
    return code;
}

/* Root mean square of W X - sgn(W X) by descent from random states. */
static exit_code from_random(const experiment *my, const isg_rbm *rbm, double *out) {
    isg_unmap_options options = isg_unmap_defaults();
    isg_unmapping *found = NULL;
    options.method = ISG_UNMAP_DESCENT;
    options.start = ISG_UNMAP_FROM_RANDOM;
    options.restarts = 1;
    options.seed = my->seed;
    const exit_code code = fail_status(isg_unmap(&found, rbm, &options, NULL));
    if (code == EXIT_DONE) {
        const isg_unmap_report report = isg_unmapping_describe(found);
        *out = report.error / sqrt((double)(report.n_visible * report.n_patterns));
    }
    isg_unmapping_free(found);
    return code;
}

static exit_code compute_back(experiment *my, const classes *of, double *values) {
    (void)of;
    isg_rbm *rbm = NULL;
    isg_unmapping *found = NULL;
    memset(values, 0, BACK_VALUES * sizeof *values);
    exit_code code = back_unmap(my, ISG_UNMAP_DESCENT, &rbm, &found);
    if (code == EXIT_DONE)
        code = from_random(my, rbm, &values[BACK_RANDOM]);
    if (code == EXIT_DONE) {
        const isg_unmap_report report = isg_unmapping_describe(found);
        const double entries = (double)(report.n_visible * report.n_patterns);
        values[BACK_EPOCHS] = back_design.epochs[my->scale];
        values[BACK_PATTERNS] = (double)report.n_patterns;
        values[BACK_ROOT_MEAN_SQUARE] = report.error / sqrt(entries);
        for (size_t mu = 0; mu < report.n_patterns; mu++) {
            const isg_unmapped_pattern p = isg_unmapping_pattern(found, mu);
            const bool is_met = p.n_left_over == 0;
            values[BACK_FIXED] += p.projector.is_fixed_point;
            values[BACK_STABLE] += p.projector.is_stable;
            values[BACK_MET] += is_met;
            values[BACK_MET_FIXED] += is_met && p.projector.is_fixed_point;
            values[BACK_BITS] += (double)p.bits_changed / entries;
        }
    }
    isg_unmapping_free(found);
    isg_rbm_free(rbm);
    return code;
}

/* ---- the pieces ------------------------------------------------------------------------------- */

static const struct {
    const char *key, *text, *needs; /* another piece, or NULL */
    double cost;
    size_t n_values;
    exit_code (*compute)(experiment *my, const classes *of, double *values);
} pieces[] = {
    {"claims mapping", "exactness of the mapping", NULL, 1, MAPPING_VALUES, compute_mapping},
    {"claims family", "other decompositions", NULL, 1, FAMILY_VALUES, compute_family},
    {"claims machines", "other machines", NULL, 0.1, MACHINE_VALUES, compute_machines},
    {"claims partition", "partition functions", NULL, 0.1, PARTITION_VALUES, compute_partition},
    {"claims gradients", "gradients", NULL, 0.1, GRADIENT_VALUES, compute_gradients},
    {"claims landscape", "free energies", NULL, 0.5, LANDSCAPE_VALUES, compute_landscape},
    {"claims projections", "overlaps", NULL, 1, PROJECTION_VALUES, compute_projections},
    {pixels_key, "pixels", NULL, 0.1, PIXELS_VALUES, compute_pixels},
    {"claims times", "times", NULL, 1, TIME_VALUES, compute_times},
    {"claims weights", "weights", "fig3 trained", 0.1, WEIGHTS_VALUES, compute_weights},
    {"claims back", "the way back", "figD1 trained", 0.5, BACK_VALUES, compute_back},
};
enum { N_PIECES = sizeof pieces / sizeof pieces[0] };

/* The entry of piece `index`, counting only those that can be computed. */
static size_t entry_of(const experiment *my, size_t index) {
    size_t k = 0;
    for (; k < N_PIECES; k++)
        if ((!pieces[k].needs || json_object_get(my->pieces, pieces[k].needs)) && index-- == 0)
            break;
    return k;
}

static size_t count(const experiment *my) {
    size_t n = 0;
    while (entry_of(my, n) < N_PIECES)
        n++;
    return n;
}

static void plan(const experiment *my, size_t index, piece *out) {
    const size_t k = entry_of(my, index);
    snprintf(out->key, sizeof out->key, "%s", pieces[k].key);
    snprintf(out->text, sizeof out->text, "%s", pieces[k].text);
    out->cost = pieces[k].cost;
    out->n_values = pieces[k].n_values;
}

static exit_code compute(experiment *my, size_t index, double *values) {
    classes of = {NULL, NULL};
    exit_code code = shared_patterns(my, 1, &of.patterns);
    if (code == EXIT_DONE)
        code = fail_status(isg_rbm_from_patterns(&of.rbm, of.patterns, NULL, NULL));
    if (code == EXIT_DONE)
        code = pieces[entry_of(my, index)].compute(my, &of, values);
    isg_rbm_free(of.rbm);
    isg_patterns_free(of.patterns);
    return code;
}

const figure figure_claims = {.name = "claims", .count = count, .plan = plan, .compute = compute};
