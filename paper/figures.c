/* figures.c - the list of figures, in the order of the paper
 *
 * SPDX-License-Identifier: MIT
 */
#include "paper/paper.h"

extern const figure figure_fig2;
extern const figure figure_fig3;
extern const figure figure_fig4;
extern const figure figure_fig5;
extern const figure figure_figD1;
extern const figure figure_figD2;
extern const figure figure_figE1;

const figure *const figures[] = {
    &figure_fig2,  &figure_fig3,  &figure_fig4,  &figure_fig5,
    &figure_figD1, &figure_figD2, &figure_figE1, NULL,
};

const char *const scale_names[] = {"tiny", "quick", "paper", NULL};

const size_t scale_limits[N_SCALES] = {250, 0, 0};
