/* fig5.c - Fig. 5: test error of products of experts against epochs
 *
 * SPDX-License-Identifier: MIT
 */
#include "paper/expert_curves.h"

/* clang-format off */
static const expert_plan plans[N_SCALES] = {
    [SCALE_TINY]  = {1, {2}, {1}, 1, 3, {START_HOPFIELD, START_PCA, START_NORMAL}},
    [SCALE_QUICK] = {3, {10, 20, 100}, {3, 2, 0}, 1, 3, {START_HOPFIELD, START_PCA, START_NORMAL}},
    [SCALE_PAPER] = {3, {10, 20, 100}, {50, 50, 50}, 3, 3, {START_HOPFIELD, START_PCA, START_NORMAL}},
};
/* clang-format on */

const figure figure_fig5 = {.name = "fig5",
                            .title = "Fig. 5: classification by a product of experts",
                            .design = plans,
                            .count = experts_count,
                            .plan = experts_plan,
                            .compute = experts_compute,
                            .parameters = experts_parameters,
                            .finish = experts_finish};
