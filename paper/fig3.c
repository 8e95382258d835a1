/* fig3.c - Fig. 3: the columns of W before and after training
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>

#include "cli/allocation.h"
#include "paper/paper.h"

static const training_design design = {
    .which = {.per_class = 1, .start = ISG_START_HOPFIELD, .run = 1},
    .epochs = {[SCALE_TINY] = 2, [SCALE_QUICK] = 10, [SCALE_PAPER] = 50}};

static json_t *parameters(const experiment *my) {
    return json_pack("{s:f, s:s}", "epochs", design.epochs[my->scale], "start",
                     start_titles[design.which.start]);
}

static double largest(isg_matd w) {
    double most = 0;
    for (size_t i = 0; i < w.rows; i++)
        for (size_t mu = 0; mu < w.cols; mu++)
            most = fmax(most, fabs(w.data[i * w.stride + mu]));
    return most;
}

static exit_code leave_pixels(experiment *my, isg_matd before, isg_matd after, size_t width) {
    output text = {0};
    output_print(&text, "unit_row,unit_column,mu,before,after\n");
    for (size_t mu = 0; mu < before.cols; mu++)
        for (size_t i = 0; i < before.rows; i++)
            output_print(&text, "%zu,%zu,%zu,%.6g,%.6g\n", i / width, i % width, mu,
                         before.data[i * before.stride + mu], after.data[i * after.stride + mu]);
    return leave_text(my, "fig3.csv", "weights before and after training", &text);
}

static exit_code leave_values(experiment *my, const isg_rbm *first, const isg_rbm *last,
                              isg_matd before, isg_matd after) {
    const size_t p = before.cols;
    output text = {0};
    isg_integrated about;
    double *singular = memory_allocate(2 * p, sizeof *singular);
    exit_code code = singular ? EXIT_DONE : fail_memory();
    if (code == EXIT_DONE)
        code = fail_status(isg_rbm_integrate(first, &about, singular, NULL));
    if (code == EXIT_DONE)
        code = fail_status(isg_rbm_integrate(last, &about, singular + p, NULL));
    output_print(&text, "mu,singular_before,singular_after,cosine\n");
    for (size_t mu = 0; code == EXIT_DONE && mu < p; mu++)
        output_print(&text, "%zu,%.10g,%.10g,%.10g\n", mu, singular[mu], singular[p + mu],
                     column_cosine(before, after, mu));
    if (code == EXIT_DONE)
        code = leave_text(
            my, "fig3-values.csv",
            "singular values, and the cosine of each column with itself before training", &text);
    output_free(&text);
    memory_release(singular);
    return code;
}

static exit_code leave_picture(experiment *my, isg_matd before, isg_matd after,
                               const isg_rbm_info *info) {
    char title[64];
    snprintf(title, sizeof title, "(b) after %g epochs of CD-20", design.epochs[my->scale]);
    const char *const titles[] = {"(a) columns of W, the orthogonalized patterns", title};
    const mosaic what = {.n = before.cols,
                         .height = info->image_height,
                         .width = info->image_width,
                         .n_kinds = 2,
                         .titles = titles,
                         .limit = 0.8 * fmax(largest(before), largest(after)),
                         .scale_title = "weight"};
    return leave_mosaic(my, &what);
}

static exit_code finish(experiment *my) {
    isg_rbm *first = NULL, *last = NULL;
    exit_code code = training_reach(my, &design.which, 0, &first);
    if (code == EXIT_DONE)
        code = training_reach(my, &design.which, design.epochs[my->scale], &last);
    if (code == EXIT_DONE) {
        const isg_rbm_info info = isg_rbm_describe(first);
        const isg_matd before = isg_rbm_weights(first), after = isg_rbm_weights(last);
        code = leave_pixels(my, before, after, info.image_width);
        if (code == EXIT_DONE)
            code = leave_values(my, first, last, before, after);
        if (code == EXIT_DONE)
            code = leave_picture(my, before, after, &info);
    }
    isg_rbm_free(first);
    isg_rbm_free(last);
    if (code != EXIT_DONE)
        return code;
    return leave_caption(
        my,
        "Weights of the RBM with 10 hidden units, each column of W as an image; red is "
        "positive, blue negative. (a) The orthogonalized Hopfield patterns, before "
        "training. (b) The same columns after %g epochs of CD-20 (the paper: 50).",
        design.epochs[my->scale]);
}

const figure figure_fig3 = {.name = "fig3",
                            .title = "Fig. 3: weights before and after training",
                            .design = &design,
                            .count = trained_count,
                            .plan = trained_plan,
                            .compute = trained_compute,
                            .parameters = parameters,
                            .finish = finish};
