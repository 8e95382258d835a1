/* figD2.c - Fig. D2: recall of test images by the patterns before and after training
 *
 * SPDX-License-Identifier: MIT
 *
 * By the protocol that reproduces the published tables, and by following every image to its attractor.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/allocation.h"
#include "paper/paper.h"

enum { N_NETWORKS = 2, N_PROTOCOLS = 2, OTHERS = 4, NUMBERS = 13, MOST_CLASSES = 20 };
static const char *const networks[] = {"xi0", "xi10"};
static const char *const protocols[] = {"published", "attractor"};
static const char *const others[] = {"undecided", "negative", "spurious", "two-cycle"};

static const size_t trajectories[N_SCALES] = {
    [SCALE_TINY] = 5, [SCALE_QUICK] = 20, [SCALE_PAPER] = 20};

static size_t count(const experiment *my) {
    (void)my;
    return N_NETWORKS * N_PROTOCOLS;
}

static size_t n_classes(const experiment *my) {
    const size_t n = isg_dataset_describe(my->test).n_classes;
    return n < MOST_CLASSES ? n : MOST_CLASSES;
}

static size_t n_columns(const experiment *my) {
    const size_t n = isg_dataset_describe(my->train).n_classes;
    return (n < MOST_CLASSES ? n : MOST_CLASSES) + OTHERS;
}

static void plan(const experiment *my, size_t index, piece *out) {
    const char *network = networks[index / N_PROTOCOLS], *protocol = protocols[index % N_PROTOCOLS];
    snprintf(out->key, sizeof out->key, "figD2 %s %s", network, protocol);
    snprintf(out->text, sizeof out->text, "recall with %s, %s", network, protocol);
    out->cost = 3e-5 * (double)isg_dataset_describe(my->test).n_samples;
    out->n_values = NUMBERS + n_classes(my) * n_columns(my);
}

static void take(const isg_recall *recall, double *values) {
    const isg_recall_summary found = isg_recall_describe(recall);
    const double m = (double)found.n_samples;
    const isg_matd_view table = isg_recall_ends(recall);
    const double numbers[NUMBERS] = {found.accuracy,
                                     sqrt(found.accuracy * (1 - found.accuracy) / m),
                                     m,
                                     (double)found.decided_at_start,
                                     (double)found.decided,
                                     (double)found.n_ensembles,
                                     found.undecided,
                                     (double)found.ends[ISG_END_PATTERN],
                                     (double)found.ends[ISG_END_NEGATIVE],
                                     (double)found.ends[ISG_END_SPURIOUS],
                                     (double)found.ends[ISG_END_TWO_CYCLE],
                                     found.start_accuracy[ISG_READOUT_OVERLAP],
                                     found.start_accuracy[ISG_READOUT_PROJECTION]};
    memcpy(values, numbers, sizeof numbers);
    for (size_t c = 0; c < table.rows; c++) {
        double all = 0;
        for (size_t k = 0; k < table.cols; k++)
            all += table.data[c * table.stride + k];
        for (size_t k = 0; k < table.cols; k++)
            values[NUMBERS + c * table.cols + k] = table.data[c * table.stride + k] / fmax(all, 1);
    }
}

static exit_code compute(experiment *my, size_t index, double *values) {
    const isg_recall_protocol protocol =
        index % N_PROTOCOLS == 0 ? ISG_RECALL_PUBLISHED : ISG_RECALL_ATTRACTOR;
    isg_recall_options options = isg_recall_defaults(protocol);
    isg_rbm *rbm = NULL;
    isg_unmapping *back = NULL;
    isg_recall *recall = NULL;
    exit_code code = back_unmap(my, ISG_UNMAP_DESCENT, &rbm, &back);
    options.trajectories = trajectories[my->scale];
    options.seed = my->seed;
    if (code == EXIT_DONE)
        code = fail_status(isg_recall_run(
            &recall, index < N_PROTOCOLS ? isg_rbm_patterns(rbm) : isg_unmapping_patterns(back),
            my->test, &options, part_progress(my, 0, 1)));
    if (code == EXIT_DONE && (isg_recall_ends(recall).rows != n_classes(my) ||
                              isg_recall_ends(recall).cols != n_columns(my)))
        code = fail(EXIT_BAD_INPUT, "figD2: expected %zu classes and %zu outcomes", n_classes(my),
                    n_columns(my));
    if (code == EXIT_DONE)
        take(recall, values);
    isg_recall_free(recall);
    isg_unmapping_free(back);
    isg_rbm_free(rbm);
    return code;
}

static json_t *parameters(const experiment *my) {
    return json_pack("{s:f, s:I, s:f, s:f}", "epochs", back_design.epochs[my->scale],
                     "trajectories", (json_int_t)trajectories[my->scale], "beta", 2.0, "overlap",
                     0.7);
}

/* ---- what is left behind ---------------------------------------------------------------------- */

static const char *outcome(const experiment *my, size_t k) {
    const size_t n = n_columns(my) - OTHERS;
    return k < n ? isg_dataset_class_name(my->train, k) : others[k - n];
}

static void write_table(const experiment *my, output *text, size_t index, const double *shares) {
    for (size_t c = 0; c < n_classes(my); c++)
        for (size_t k = 0; k < n_columns(my); k++)
            output_print(text, "%s,%s,%s,%s,%.10g\n", networks[index / N_PROTOCOLS],
                         protocols[index % N_PROTOCOLS], isg_dataset_class_name(my->test, c),
                         outcome(my, k), shares[c * n_columns(my) + k]);
}

static exit_code leave_tables(experiment *my, double *accuracies) {
    output summary = {0}, table = {0};
    exit_code code = EXIT_DONE;
    output_print(&summary, "network,protocol,accuracy,error,samples,decided_at_start,decided,"
                           "ensembles,undecided,patterns,negative,spurious,two_cycle,"
                           "nearest_pattern_accuracy,projection_accuracy\n");
    output_print(&table, "network,protocol,class,outcome,share\n");
    for (size_t index = 0; code == EXIT_DONE && index < count(my); index++) {
        double values[MOST_VALUES];
        piece what;
        plan(my, index, &what);
        code = piece_values(my, what.key, values, what.n_values);
        if (code != EXIT_DONE)
            break;
        accuracies[index] = values[0];
        output_print(&summary, "%s,%s", networks[index / N_PROTOCOLS],
                     protocols[index % N_PROTOCOLS]);
        for (size_t k = 0; k < NUMBERS; k++) {
            output_print(&summary, ",");
            csv_number(&summary, values[k]);
        }
        output_print(&summary, "\n");
        write_table(my, &table, index, values + NUMBERS);
    }
    if (code == EXIT_DONE)
        code = leave_text(my, "figD2.csv", "accuracies and what became of the images", &summary);
    if (code == EXIT_DONE)
        code = leave_text(my, "figD2-table.csv", "shares of each digit by what it was taken for",
                          &table);
    output_free(&summary);
    output_free(&table);
    return code;
}

static exit_code leave_picture(experiment *my, const double *accuracies) {
    const size_t rows = n_classes(my), columns = n_columns(my);
    output script = {0};
    output_print(
        &script,
        "unset grid\nset border 15 lw 0.5 lc rgb '#808080'\nset tics scale 0\nunset key\nunset "
        "colorbox\n"
        "set palette defined (0 '#FFFFFF', 0.5 '#9ECAE1', 1 '#08306B')\nset cbrange [0:100]\n"
        "set xrange [-0.5:%g]\nset yrange [%g:-0.5]\nset ylabel 'digit' offset 0.5\n"
        "set xlabel 'taken for' offset 0,1.5\nset xtics rotate by 90 right font ',11' textcolor "
        "rgb 'black' (",
        (double)columns - 0.5, (double)rows - 0.5);
    for (size_t k = 0; k < columns; k++)
        output_print(&script, "%s'%s' %zu", k > 0 ? ", " : "", outcome(my, k), k);
    output_print(&script, ")\nset ytics textcolor rgb 'black' (");
    for (size_t c = 0; c < rows; c++)
        output_print(&script, "%s'%s' %zu", c > 0 ? ", " : "", isg_dataset_class_name(my->test, c),
                     c);
    output_print(&script,
                 ")\nset multiplot layout 2,2 margins 0.07,0.985,0.13,0.95 spacing 0.09,0.2\n");
    for (size_t index = 0; index < count(my); index++) {
        const size_t from = index * rows * columns;
        output_print(&script,
                     "set title '(%c) %s, %s: %.2f %% right'\n"
                     "plot 'figD2-table.csv' skip 1 every ::%zu::%zu using "
                     "(int($0)%%%zu):(int($0)/%zu):(100*$5) "
                     "with image pixels, '' skip 1 every ::%zu::%zu using "
                     "(int($0)%%%zu):(int($0)/%zu):(100*$5 < 0.5 "
                     "? '' : sprintf('%%.0f', 100*$5)):(100*$5 > 50 ? 0xFFFFFF : 0x000000) "
                     "with labels tc rgb var font ',10'\n",
                     (char)('a' + index),
                     index < N_PROTOCOLS ? "patterns before training" : "patterns found after it",
                     protocols[index % N_PROTOCOLS], 100 * accuracies[index], from,
                     from + rows * columns - 1, columns, columns, from, from + rows * columns - 1,
                     columns, columns);
    }
    output_print(&script, "unset multiplot\n");
    return leave_script(my, 1060, 920, &script);
}

static exit_code finish(experiment *my) {
    double accuracies[N_NETWORKS * N_PROTOCOLS] = {0};
    exit_code code = leave_tables(my, accuracies);
    if (code == EXIT_DONE)
        code = leave_picture(my, accuracies);
    if (code != EXIT_DONE)
        return code;
    return leave_caption(
        my,
        "What Hopfield networks take test images for, in percent of each digit. (a), (b) With the "
        "ten "
        "patterns before training; (c), (d) with those found after %g epochs. Published protocol: "
        "decided once an overlap exceeds 0.7, tested before every update, then %zu trajectories at "
        "beta 2 for what is left. Attractor: to a fixed point; only those that are exactly a "
        "pattern "
        "count for its digit, while the accuracy reads all ends out by projection.",
        back_design.epochs[my->scale], trajectories[my->scale]);
}

const figure figure_figD2 = {.name = "figD2",
                             .title = "Fig. D2: recall before and after training",
                             .count = count,
                             .plan = plan,
                             .compute = compute,
                             .parameters = parameters,
                             .finish = finish};
