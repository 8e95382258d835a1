/* fig5.c - Fig. 5: test error of products of experts against epochs
 *
 * SPDX-License-Identifier: MIT
 */
#include "experiments/expert_curves.h"

/* clang-format off */
static const expert_plan plans[N_SCALES] = {
    [SCALE_TINY]  = {1, {2}, {1}, 1, 3, {START_HOPFIELD, START_PCA, START_NORMAL}},
    [SCALE_QUICK] = {3, {10, 20, 100}, {3, 2, 0}, 1, 3, {START_HOPFIELD, START_PCA, START_NORMAL}},
    [SCALE_PAPER] = {3, {10, 20, 100}, {50, 50, 50}, 3, 3, {START_HOPFIELD, START_PCA, START_NORMAL}},
};
/* clang-format on */

static size_t count(const experiment *my) {
    return experts_count(&plans[my->scale]);
}

static void plan(const experiment *my, size_t index, piece *out) {
    experts_plan(my, &plans[my->scale], index, out);
}

static exit_code compute(experiment *my, size_t index, double *values) {
    return experts_compute(my, &plans[my->scale], index, values);
}

static json_t *parameters(const experiment *my) {
    return experts_parameters(&plans[my->scale]);
}

static exit_code finish(experiment *my) {
    return experts_finish(my, &plans[my->scale]);
}

const figure figure_fig5 = {.name = "fig5",
                            .title = "Fig. 5: classification by a product of experts",
                            .count = count,
                            .plan = plan,
                            .compute = compute,
                            .parameters = parameters,
                            .finish = finish};
