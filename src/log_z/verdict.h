/* verdict.h - what the parts of ln Z add up to, and whether to trust it
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_VERDICT_H
#define ISG_VERDICT_H

#include "log_z/wells.h"

/* Effective sample sizes, relative to the draws; the share of one draw; deviations between two
   estimates in units of their error. */
static const double isg_least_efficiency = 0.01, isg_good_efficiency = 0.1;
static const double isg_largest_draw = 0.05, isg_most_deviations = 3;

/* What was found at one beta, in as many repeats. */
typedef struct isg_split_point {
    double beta;
    size_t place; /* in the caller's list */
    size_t repeats;
    double *rest;                     /* (repeats): ln Z of the rest, by populations */
    double squares, family, variance; /* of the population, means over the repeats */
    size_t particles;                 /* of each of these populations */
    isg_population_point pilot;       /* of the rest */
    isg_population_point all;         /* of all states; its log_z is -HUGE_VAL if there was none */
    isg_well_draws *draws;            /* (repeats) */
    isg_well_mass chib;
    bool has_wells;
    bool is_drawn;      /* the draws are of the rest, too */
    bool is_incomplete; /* the last look at the rest still found wells */
} isg_split_point;

/* ln of the mean over repeats of what is inside the wells, and outside. */
double isg_mean_inside(const isg_well_draws *draws, size_t repeats);
double isg_mean_outside(const isg_well_draws *draws, size_t repeats);

/* The variance of the best estimate of the wells. */
double isg_variance_of_wells(const isg_well_draws *draws, size_t repeats,
                             const isg_well_mass *chib);

/* What may help where a result is not trusted. */
typedef enum isg_remedy {
    ISG_REMEDY_NONE,
    ISG_REMEDY_SWEEPS, /* more sweeps and particles in the rest */
    ISG_REMEDY_CHAINS  /* other chains and draws in the wells */
} isg_remedy;

/* Value, error, shares, spread, effective sample size, family, whether to trust them and why not;
   `is_closed` says whether the search for deep states was. The rest of the result is left for the
   caller. */
isg_log_z isg_split_verdict(const isg_split_point *here, bool is_closed, isg_remedy *remedy);

#endif
