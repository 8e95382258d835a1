/* fig5.c - Figs. 5 and E1: test error of products of experts against epochs
 *
 * SPDX-License-Identifier: MIT
 *
 * Ten RBMs, each trained on one class by CD-20 (batches of 100, shuffled, rate 1e-4, beta 2), and a
 * logistic regression on their energies, fitted to convergence.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/allocation.h"
#include "paper/paper.h"
#include "src/base/clock.h"

enum { MOST_SIZES = 3 };

/* What a figure shows at one scale: every size, start, run and stop. Pieces are named by these
   alone, so that each figure reuses what the other has computed. */
typedef struct expert_plan {
    size_t n_sizes, k[MOST_SIZES]; /* hidden units of an expert */
    size_t epochs[MOST_SIZES];     /* the last stop of each size */
    size_t runs;
    size_t n_starts;
    isg_start starts[N_STARTS];
} expert_plan;

/* clang-format off */
static const expert_plan plans_fig5[N_SCALES] = {
    [SCALE_TINY]  = {1, {2}, {1}, 1, 3, {ISG_START_HOPFIELD, ISG_START_PCA, ISG_START_NORMAL}},
    [SCALE_QUICK] = {3, {10, 20, 100}, {3, 2, 0}, 1, 3, {ISG_START_HOPFIELD, ISG_START_PCA, ISG_START_NORMAL}},
    [SCALE_PAPER] = {3, {10, 20, 100}, {50, 50, 50}, 3, 3, {ISG_START_HOPFIELD, ISG_START_PCA, ISG_START_NORMAL}},
};
static const expert_plan plans_figE1[N_SCALES] = { /* twice as many epochs, and the Hebbian start */
    [SCALE_TINY]  = {1, {2}, {1}, 1, 4, {ISG_START_HOPFIELD, ISG_START_PCA, ISG_START_NORMAL, ISG_START_HEBBIAN}},
    [SCALE_QUICK] = {3, {10, 20, 100}, {3, 2, 0}, 1, 4, {ISG_START_HOPFIELD, ISG_START_PCA, ISG_START_NORMAL, ISG_START_HEBBIAN}},
    [SCALE_PAPER] = {3, {10, 20, 100}, {100, 100, 100}, 1, 4, {ISG_START_HOPFIELD, ISG_START_PCA, ISG_START_NORMAL, ISG_START_HEBBIAN}},
};
/* clang-format on */

enum { VALUES = 4 }; /* test error, train error, converged, loss */

static const size_t stops[] = {0, 1, 2, 3, 4, 5, 10, 20, 30, 50, 75, 100};
static const double save_every_s = 60;

/* ---- places ----------------------------------------------------------------------------------- */

typedef struct place {
    size_t size, k, run, epoch;
    isg_start start;
    bool is_first; /* stop of its run */
} place;

static const expert_plan *plan_of(const experiment *my) {
    return &((const expert_plan *)my->figure->design)[my->scale];
}

static size_t n_stops(const expert_plan *plan, size_t size) {
    size_t n = 0;
    while (n < sizeof stops / sizeof stops[0] && stops[n] <= plan->epochs[size])
        n++;
    return n;
}

static size_t count_size(const expert_plan *plan, size_t size) {
    return plan->n_starts * plan->runs * n_stops(plan, size);
}

static size_t count(const experiment *my) {
    const expert_plan *plan = plan_of(my);
    size_t n = 0;
    for (size_t size = 0; size < plan->n_sizes; size++)
        n += count_size(plan, size);
    return n;
}

/* By size, start, run and stop, the last fastest. */
static place place_of(const expert_plan *plan, size_t index) {
    place at = {.size = 0};
    for (; index >= count_size(plan, at.size); at.size++)
        index -= count_size(plan, at.size);
    const size_t n = n_stops(plan, at.size);
    at.k = plan->k[at.size];
    at.start = plan->starts[index / (n * plan->runs)];
    at.run = 1 + index / n % plan->runs;
    at.epoch = stops[index % n];
    at.is_first = index % n == 0;
    return at;
}

static double cost_per_sample(size_t k) {
    return 2.8e-5 + 0.9e-6 * (double)k;
}

static void plan_piece(const experiment *my, size_t index, piece *out) {
    const expert_plan *plan = plan_of(my);
    const place at = place_of(plan, index);
    const double samples = (double)isg_dataset_describe(my->train).n_samples;
    const place before = at.is_first ? at : place_of(plan, index - 1);
    snprintf(out->key, sizeof out->key, "experts k=%zu %s run=%zu epoch=%zu", at.k,
             start_titles[at.start], at.run, at.epoch);
    snprintf(out->text, sizeof out->text, "k = %zu, %s, run %zu, epoch %zu", at.k,
             start_titles[at.start], at.run, at.epoch);
    out->n_values = VALUES;
    out->cost = samples * ((double)(at.epoch - before.epoch) * cost_per_sample(at.k) + 2e-5 +
                           0.5e-6 * (double)at.k + (at.is_first ? 1e-4 : 0));
}

static json_t *parameters(const experiment *my) {
    const expert_plan *plan = plan_of(my);
    json_t *sizes = json_array();
    for (size_t size = 0; sizes && size < plan->n_sizes; size++)
        if (json_array_append_new(sizes, json_pack("{s:I, s:I}", "k", (json_int_t)plan->k[size],
                                                   "epochs", (json_int_t)plan->epochs[size])) !=
            0) {
            json_decref(sizes);
            sizes = NULL;
        }
    return sizes ? json_pack("{s:I, s:o}", "runs", (json_int_t)plan->runs, "sizes", sizes) : NULL;
}

/* ---- training --------------------------------------------------------------------------------- */

static exit_code state_path(const experiment *my, const place *at, char **out) {
    char name[96];
    snprintf(name, sizeof name, "experts-%zu-%s-%zu.npz", at->k, start_titles[at->start], at->run);
    return experiment_path(my, "runs", name, out);
}

static exit_code create(experiment *my, const place *at, isg_experts **out) {
    isg_expert_options options = isg_expert_defaults();
    options.per_class = at->k;
    options.start = at->start;
    options.train.seed = my->seed + at->run - 1;
    return fail_status(isg_experts_create(out, my->train, &options, part_progress(my, 0, 0)));
}

/* Experts that are not past the epoch: those in memory, those on disk, or new ones. */
static exit_code take_experts(experiment *my, const place *at, const char *path) {
    char key[KEY_BYTES];
    snprintf(key, sizeof key, "%zu %d %zu", at->k, (int)at->start, at->run);
    if (my->experts && strcmp(my->experts_key, key) == 0 &&
        isg_experts_describe(my->experts).epochs <= at->epoch)
        return EXIT_DONE;
    isg_experts_free(my->experts);
    my->experts = NULL;
    my->experts_key[0] = '\0';
    exit_code code = create(my, at, &my->experts);
    if (code == EXIT_DONE && access(path, R_OK) == 0) {
        const isg_status loaded = isg_experts_load(my->experts, path);
        if (loaded == ISG_ERR_MEMORY || loaded == ISG_ERR_IO)
            return fail_status(loaded);
        if (loaded != ISG_OK || isg_experts_describe(my->experts).epochs > at->epoch) {
            isg_experts_free(my->experts);
            my->experts = NULL;
            code = create(my, at, &my->experts);
        }
    }
    snprintf(my->experts_key, sizeof my->experts_key, "%s", key);
    return code;
}

static exit_code train_until(experiment *my, const place *at, const char *path) {
    isg_experts *experts = my->experts;
    const isg_experts_info first = isg_experts_describe(experts);
    const double n = (double)first.n_experts;
    const double from = (double)first.epochs * n + (double)first.next, to = (double)at->epoch * n;
    double saved_s = isg_clock_s();
    exit_code code = EXIT_DONE;
    bool is_saved = true;
    for (isg_experts_info info = first; code == EXIT_DONE && info.epochs < at->epoch;
         info = isg_experts_describe(experts)) {
        const double done = (double)info.epochs * n + (double)info.next - from;
        const isg_progress *shown =
            part_progress(my, 0.9 * done / (to - from), 0.9 * (done + 1) / (to - from));
        code = fail_status(isg_experts_step(experts, shown));
        is_saved = false;
        if (code == EXIT_DONE && isg_clock_s() - saved_s > save_every_s) {
            code = fail_status(isg_experts_save(experts, path));
            saved_s = isg_clock_s();
            is_saved = true;
        }
    }
    if (!is_saved && (code == EXIT_DONE || code == EXIT_INTERRUPTED || code == EXIT_TERMINATED)) {
        const isg_status status = isg_experts_save(experts, path);
        if (status != ISG_OK)
            code = fail_status(status);
    }
    return code;
}

/* ---- errors ----------------------------------------------------------------------------------- */

static exit_code error_on(const isg_classifier *classifier, const isg_dataset *data, double *out) {
    const size_t n = isg_dataset_describe(data).n_samples;
    uint32_t *found = memory_allocate(n, sizeof *found), *truth = memory_allocate(n, sizeof *truth);
    exit_code code = found && truth ? EXIT_DONE : fail_memory();
    if (code == EXIT_DONE)
        code = fail_status(isg_classifier_predict(classifier, data, found, (isg_matd){0}, NULL));
    if (code == EXIT_DONE)
        code = fail_status(isg_classifier_truth(classifier, data, truth));
    size_t wrong = 0;
    for (size_t k = 0; code == EXIT_DONE && k < n; k++)
        wrong += found[k] != truth[k];
    *out = (double)wrong / (double)n;
    memory_release(found);
    memory_release(truth);
    return code;
}

static exit_code classify(experiment *my, double *values) {
    const size_t n = isg_experts_describe(my->experts).n_experts;
    const isg_rbm **rbms = memory_allocate(n, sizeof *rbms);
    isg_classifier *classifier = NULL;
    isg_logistic_report report = {0};
    if (!rbms)
        return fail_memory();
    for (size_t k = 0; k < n; k++)
        rbms[k] = isg_experts_rbm(my->experts, k);
    exit_code code =
        fail_status(isg_classifier_fit(&classifier, rbms, n, ISG_FEATURES_ENERGY, my->train, NULL,
                                       &report, part_progress(my, 0.9, 1)));
    if (code == EXIT_DONE)
        code = error_on(classifier, my->test, &values[0]);
    if (code == EXIT_DONE)
        code = error_on(classifier, my->train, &values[1]);
    values[2] = report.converged;
    values[3] = report.loss;
    isg_classifier_free(classifier);
    memory_release(rbms);
    return code;
}

static exit_code compute(experiment *my, size_t index, double *values) {
    const place at = place_of(plan_of(my), index);
    char *path = NULL;
    exit_code code = state_path(my, &at, &path);
    if (code == EXIT_DONE)
        code = take_experts(my, &at, path);
    if (code == EXIT_DONE)
        code = train_until(my, &at, path);
    if (code == EXIT_DONE)
        code = classify(my, values);
    memory_release(path);
    return code;
}

/* ---- what is left behind ---------------------------------------------------------------------- */

static exit_code values_at(const experiment *my, size_t index, double values[VALUES]) {
    piece what;
    plan_piece(my, index, &what);
    return piece_values(my, what.key, values, VALUES);
}

static exit_code write_error(const experiment *my, size_t index, output *text) {
    const place at = place_of(plan_of(my), index);
    double values[VALUES];
    const exit_code code = values_at(my, index, values);
    if (code == EXIT_DONE)
        output_print(text, "%zu,%s,%zu,%zu,%.10g,%.10g,%d,%.10g\n", at.k, start_titles[at.start],
                     at.run, at.epoch, values[0], values[1], values[2] > 0, values[3]);
    return code;
}

/* The point whose first run is at the index. */
static exit_code write_point(const experiment *my, size_t index, output *text) {
    const expert_plan *plan = plan_of(my);
    const place at = place_of(plan, index);
    double sum = 0, lowest = HUGE_VAL, highest = 0;
    for (size_t r = 0; r < plan->runs; r++) {
        double values[VALUES];
        const exit_code code = values_at(my, index + r * n_stops(plan, at.size), values);
        if (code != EXIT_DONE)
            return code;
        sum += values[0];
        lowest = fmin(lowest, values[0]);
        highest = fmax(highest, values[0]);
    }
    output_print(text, "%zu,%s,%zu,%zu,%.10g,%.10g,%.10g\n", at.k, start_titles[at.start], at.epoch,
                 plan->runs, sum / (double)plan->runs, lowest, highest);
    return EXIT_DONE;
}

static exit_code leave_tables(experiment *my) {
    output errors = {0}, curves = {0};
    exit_code code = EXIT_DONE;
    char name[64];
    output_print(&errors, "k,start,run,epoch,test_error,train_error,converged,loss\n");
    output_print(&curves, "k,start,epoch,runs,test_error,lowest,highest\n");
    for (size_t index = 0; code == EXIT_DONE && index < count(my); index++) {
        code = write_error(my, index, &errors);
        if (code == EXIT_DONE && place_of(plan_of(my), index).run == 1)
            code = write_point(my, index, &curves);
    }
    snprintf(name, sizeof name, "%s.csv", my->figure->name);
    if (code == EXIT_DONE)
        code = leave_text(my, name, "errors of every run at every stop, as shares", &errors);
    snprintf(name, sizeof name, "%s-curves.csv", my->figure->name);
    if (code == EXIT_DONE)
        code = leave_text(my, name, "mean, smallest and largest test error over the runs", &curves);
    output_free(&errors);
    output_free(&curves);
    return code;
}

static const struct {
    const char *color, *title;
    int dash;
} looks[N_STARTS] = {
    [ISG_START_HOPFIELD] = {"#0072B2", "Hopfield", 1},
    [ISG_START_HEBBIAN] = {"#009E73", "Hebbian", 5},
    [ISG_START_PCA] = {"#CC79A7", "PCA", 2},
    [ISG_START_NORMAL] = {"#5D3A9B", "random", 4},
};

/* Color is the start, shape the size; the axis of epochs is logarithmic in 1 + epoch. */
static exit_code leave_picture(experiment *my) {
    const expert_plan *plan = plan_of(my);
    static const int shapes[MOST_SIZES] = {7, 5, 9};
    output script = {0};
    size_t last = 1;
    for (size_t size = 0; size < plan->n_sizes; size++)
        last = plan->epochs[size] > last ? plan->epochs[size] : last;
    bool is_first = true;
    output_print(
        &script,
        "set nonlinear x via log10(1+x) inverse 10**x-1\nset xrange [-0.05:%g]\nset yrange "
        "[2.5:70]\n"
        "set xtics (0,1,2,3,4,5,10,20,30,50,100)\nset logscale y\n"
        "set ytics (2,3,4,5,6,8,10,15,20,30,50)\nset xlabel 'epochs of each expert'\n"
        "set ylabel 'test error / %%'\nset key outside right center Left reverse samplen 3\n"
        "of(k, name, what) = (column('k') == k && strcol('start') eq name ? 100*column(what) : "
        "NaN)\nplot ",
        1.05 * (double)last);
    for (size_t s = 0; s < plan->n_starts; s++)
        for (size_t size = 0; size < plan->n_sizes; size++) {
            const size_t k = plan->k[size];
            const isg_start start = plan->starts[s];
            const char *name = start_titles[start];
            output_print(
                &script,
                "%s'%s-curves.csv' using 'epoch':(of(%zu,'%s','test_error')):"
                "(of(%zu,'%s','lowest')):(of(%zu,'%s','highest')) with yerrorlines lw 1.5 dt "
                "%d pt %d ps 0.8 lc rgb '%s' title '%s, k = %zu'",
                is_first ? "" : ", ", my->figure->name, k, name, k, name, k, name,
                looks[start].dash, shapes[size], looks[start].color, looks[start].title, k);
            is_first = false;
        }
    output_print(&script, "\n");
    return leave_script(my, 900, 560, &script);
}

static exit_code finish(experiment *my) {
    const size_t runs = plan_of(my)->runs;
    exit_code code = leave_tables(my);
    if (code == EXIT_DONE)
        code = leave_picture(my);
    if (code != EXIT_DONE)
        return code;
    return leave_caption(
        my,
        "Test error of products of experts, one RBM of k hidden units per digit and "
        "a logistic regression on their energies, against the epochs of CD-20 that each "
        "expert was trained for. Color and dashes show the start, symbols k. Mean of %zu "
        "run%s, with bars from the smallest to the largest. The regression is fitted to "
        "convergence, unlike the published one.",
        runs, runs > 1 ? "s" : "");
}

const figure figure_fig5 = {.name = "fig5",
                            .title = "Fig. 5: classification by a product of experts",
                            .design = plans_fig5,
                            .count = count,
                            .plan = plan_piece,
                            .compute = compute,
                            .parameters = parameters,
                            .finish = finish};

const figure figure_figE1 = {.name = "figE1",
                             .title = "Fig. E1: classification, extended",
                             .design = plans_figE1,
                             .count = count,
                             .plan = plan_piece,
                             .compute = compute,
                             .parameters = parameters,
                             .finish = finish};
