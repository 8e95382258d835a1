/* figE1.c - Fig. E1: as Fig. 5, for 100 epochs and with the Hebbian start
 *
 * SPDX-License-Identifier: MIT
 */
#include "experiments/expert_curves.h"

/* clang-format off */
static const expert_plan plans[N_SCALES] = {
    [SCALE_TINY]  = {1, {2}, {1}, 1, 4, {START_HOPFIELD, START_PCA, START_NORMAL, START_HEBBIAN}},
    [SCALE_QUICK] = {3, {10, 20, 100}, {3, 2, 0}, 1, 4, {START_HOPFIELD, START_PCA, START_NORMAL, START_HEBBIAN}},
    [SCALE_PAPER] = {3, {10, 20, 100}, {100, 100, 100}, 1, 4, {START_HOPFIELD, START_PCA, START_NORMAL, START_HEBBIAN}},
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

const figure figure_figE1 = {.name = "figE1",
                             .title = "Fig. E1: classification, extended",
                             .count = count,
                             .plan = plan,
                             .compute = compute,
                             .parameters = parameters,
                             .finish = finish};
