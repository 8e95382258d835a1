/* figE1.c - Fig. E1: as Fig. 5, for 100 epochs and with the Hebbian start
 *
 * SPDX-License-Identifier: MIT
 */
#include "paper/expert_curves.h"

/* clang-format off */
static const expert_plan plans[N_SCALES] = {
    [SCALE_TINY]  = {1, {2}, {1}, 1, 4, {START_HOPFIELD, START_PCA, START_NORMAL, START_HEBBIAN}},
    [SCALE_QUICK] = {3, {10, 20, 100}, {3, 2, 0}, 1, 4, {START_HOPFIELD, START_PCA, START_NORMAL, START_HEBBIAN}},
    [SCALE_PAPER] = {3, {10, 20, 100}, {100, 100, 100}, 1, 4, {START_HOPFIELD, START_PCA, START_NORMAL, START_HEBBIAN}},
};
/* clang-format on */

const figure figure_figE1 = {.name = "figE1",
                             .title = "Fig. E1: classification, extended",
                             .design = plans,
                             .count = experts_count,
                             .plan = experts_plan,
                             .compute = experts_compute,
                             .parameters = experts_parameters,
                             .finish = experts_finish};
