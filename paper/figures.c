/* figures.c - the list of figures
 *
 * SPDX-License-Identifier: MIT
 */
#include "paper/paper.h"

/* In the order of the paper; `figure_NAME` is defined in the file of the figure. */
#define FIGURES(DO) DO(fig2) DO(fig3) DO(fig4) DO(fig5) DO(figD1) DO(figD2) DO(figE1)

#define DECLARED(name) extern const figure figure_##name;
#define ADDRESS(name)  &figure_##name,
#define NAME(name)     #name,

FIGURES(DECLARED)
const figure *const figures[] = {FIGURES(ADDRESS) NULL};
const char *const figure_names[] = {FIGURES(NAME) NULL};

const char *const scale_names[] = {"tiny", "quick", "paper", NULL};

const size_t scale_limits[N_SCALES] = {250, 0, 0};
