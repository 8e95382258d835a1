/* figD1.c - Fig. D1: patterns, and those found from the trained weights
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>

#include "cli/allocation.h"
#include "paper/paper.h"
#include "src/base/bits.h"

const training_design back_design = {
    .which = {.per_class = 1, .start = ISG_START_HOPFIELD, .run = 1},
    .epochs = {[SCALE_TINY] = 2, [SCALE_QUICK] = 10, [SCALE_PAPER] = 10}};

/* The paper's descent: tanh(alpha W X), step gamma, from X0 = R; and relaxation without parameters. */
static const double alpha = 200, step = 0.05;
static const isg_unmap_method methods[] = {ISG_UNMAP_DESCENT, ISG_UNMAP_RELAX};
static const char *const method_names[] = {"descent", "relax"};
enum { N_METHODS = 2 };

exit_code back_unmap(experiment *my, isg_unmap_method method, isg_rbm **rbm, isg_unmapping **out) {
    isg_unmap_options options = isg_unmap_defaults();
    options.method = method;
    options.alpha = alpha;
    options.gamma = step;
    options.seed = my->seed;
    exit_code code = training_reach(my, &back_design.which, back_design.epochs[my->scale], rbm);
    if (code == EXIT_DONE)
        code = fail_status(isg_unmap(out, *rbm, &options, NULL));
    return code;
}

static json_t *parameters(const experiment *my) {
    return json_pack("{s:f, s:f, s:f}", "epochs", back_design.epochs[my->scale], "alpha", alpha,
                     "gamma", step);
}

/* ---- what is left behind ---------------------------------------------------------------------- */

static int sign_at(const isg_patterns *patterns, size_t mu, size_t i) {
    return isg_spin(isg_patterns_row(patterns, mu), i);
}

/* (W X) of unit i and pattern mu. */
static double product(isg_matd w, isg_matd_view x, size_t i, size_t mu) {
    double sum = 0;
    for (size_t nu = 0; nu < w.cols; nu++)
        sum += w.data[i * w.stride + nu] * x.data[nu * x.stride + mu];
    return sum;
}

static exit_code leave_pixels(experiment *my, isg_rbm *rbm, isg_unmapping *const *found) {
    const isg_patterns *before = isg_rbm_patterns(rbm);
    const isg_matd w = isg_rbm_weights(rbm);
    const isg_matd_view x = isg_unmapping_coefficients(found[0]);
    const size_t width = isg_rbm_describe(rbm).image_width;
    output text = {0};
    output_print(&text, "row,column,pattern,xi0,wx,descent,relax\n");
    for (size_t mu = 0; mu < w.cols; mu++)
        for (size_t i = 0; i < w.rows; i++)
            output_print(&text, "%zu,%zu,%zu,%d,%.6g,%d,%d\n", i / width, i % width, mu,
                         sign_at(before, mu, i), product(w, x, i, mu),
                         sign_at(isg_unmapping_patterns(found[0]), mu, i),
                         sign_at(isg_unmapping_patterns(found[1]), mu, i));
    return leave_text(my, "figD1.csv", "patterns before, W X, and its signs", &text);
}

static exit_code leave_patterns(experiment *my, const isg_rbm *rbm, isg_unmapping *const *found) {
    output text = {0};
    output_print(&text, "method,pattern,label,residual,error,bits_changed,fixed_point,"
                        "fixed_point_without_diagonal,stable,small,compatible,left_over\n");
    for (size_t m = 0; m < N_METHODS; m++)
        for (size_t mu = 0; mu < isg_unmapping_describe(found[m]).n_patterns; mu++) {
            const isg_unmapped_pattern p = isg_unmapping_pattern(found[m], mu);
            const char *label = isg_patterns_label(isg_rbm_patterns(rbm), mu);
            output_print(&text, "%s,%zu,%s,%.10g,%.10g,%zu,%d,%d,%d,%zu,%zu,%zu\n", method_names[m],
                         mu, label ? label : "", p.residual, p.error, p.bits_changed,
                         p.projector.is_fixed_point, p.projector.is_fixed_point_without_diagonal,
                         p.projector.is_stable, p.n_small, p.n_compatible, p.n_left_over);
        }
    return leave_text(my, "figD1-patterns.csv", "every pattern found, by both methods", &text);
}

static exit_code leave_picture(experiment *my, const isg_rbm_info *info) {
    char title[96], signs[96];
    snprintf(title, sizeof title, "(b) W X after %g epochs, by descent",
             back_design.epochs[my->scale]);
    snprintf(signs, sizeof signs, "(c) its signs, the patterns found");
    const char *const titles[] = {"(a) patterns before training", title, signs};
    const mosaic what = {.n = info->n_hidden,
                         .height = info->image_height,
                         .width = info->image_width,
                         .n_kinds = 3,
                         .titles = titles,
                         .limit = 1.5,
                         .scale_title = "value"};
    return leave_mosaic(my, &what);
}

static exit_code finish(experiment *my) {
    isg_rbm *rbm[N_METHODS] = {NULL};
    isg_unmapping *found[N_METHODS] = {NULL};
    exit_code code = EXIT_DONE;
    for (size_t m = 0; code == EXIT_DONE && m < N_METHODS; m++)
        code = back_unmap(my, methods[m], &rbm[m], &found[m]);
    if (code == EXIT_DONE)
        code = leave_pixels(my, rbm[0], found);
    if (code == EXIT_DONE)
        code = leave_patterns(my, rbm[0], found);
    if (code == EXIT_DONE) {
        const isg_rbm_info info = isg_rbm_describe(rbm[0]);
        code = leave_picture(my, &info);
    }
    for (size_t m = 0; m < N_METHODS; m++) {
        isg_unmapping_free(found[m]);
        isg_rbm_free(rbm[m]);
    }
    if (code != EXIT_DONE)
        return code;
    return leave_caption(
        my,
        "From weights back to patterns. (a) The ten binary patterns before "
        "training. (b) W X after %g epochs of training, X by the paper's gradient "
        "descent from R (alpha = %g, gamma = %g, 50 steps). (c) The signs of W X. Red is "
        "positive, blue negative. The tables also have the patterns found by relaxation, which "
        "needs none of these parameters.",
        back_design.epochs[my->scale], alpha, step);
}

const figure figure_figD1 = {.name = "figD1",
                             .title = "Fig. D1: from weights back to patterns",
                             .design = &back_design,
                             .count = trained_count,
                             .plan = trained_plan,
                             .compute = trained_compute,
                             .parameters = parameters,
                             .finish = finish};
