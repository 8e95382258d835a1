/* population.h - population annealing of ln Z, outside a set of balls
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_POPULATION_H
#define ISG_POPULATION_H

#include "log_z/ais.h"
#include "sample/sample.h"

/* ---- balls ----------------------------------------------------------------------------------- */

/* The states with |W^T s - l|^2 <= r^2 for one of the centers l; if `is_even`, with |W^T s + l|^2 as
   well. */
typedef struct isg_balls {
    size_t p, count, capacity;
    bool is_even;
    double *centers; /* (count, p) */
    double *squares; /* (count): |l|^2 */
    double *radius2; /* (count) */
} isg_balls;

/* The same, arranged for testing many h at once. */
typedef struct isg_ball_tiles {
    const isg_balls *balls; /* borrowed */
    size_t tiles;
    double *centers;            /* (tiles, p, ISG_TILE), zero past the last */
    double nearest2, farthest2; /* |h|^2 of all h in a ball is between these */
} isg_ball_tiles;

isg_status isg_ball_tiles_create(isg_ball_tiles *out, const isg_balls *balls);
void isg_ball_tiles_release(isg_ball_tiles *tiles);

/* is_inside (count <= ISG_GIBBS_CHAINS): whether each of h (count, p) is in a ball. `scratch` holds (p + 1)
   ISG_TILE numbers. */
void isg_ball_tiles_test(const isg_ball_tiles *tiles, const double *h, size_t count,
                         bool *is_inside, double *scratch);

void isg_balls_release(isg_balls *balls);
isg_status isg_balls_add(isg_balls *balls, const double *center, double radius2);

/* The ball that holds h (p) and whose center is nearest, or `count` if none does; `sign` says
   whether it is the center or its mirror image. */
size_t isg_balls_find(const isg_balls *balls, const double *h, double *sign);

/* near (count): the balls that overlap ball m or its mirror image; returns their number. */
size_t isg_balls_overlapping(const isg_balls *balls, size_t m, size_t *near);

/* Whether isg_balls_find() would find ball m for h, and not its mirror image, given those that overlap
   it. */
bool isg_balls_holds(const isg_balls *balls, size_t m, const size_t *near, size_t n_near,
                     const double *h);

/* ---- population annealing -------------------------------------------------------------------- */

isg_population_options isg_population_defaults(void);
isg_status isg_population_check(const isg_population_options *options);

/* What one population found at one beta. */
typedef struct isg_population_point {
    double log_z;          /* ln of the sum over all states outside the balls */
    double energy;         /* mean of -H, its derivative */
    double family_squares; /* sum over families of (their share of the population)^2 */
    double variance;       /* relative, of Z: an estimate from the families */
    double largest_family; /* the largest of these shares */
} isg_population_point;

typedef struct isg_population_job {
    const isg_balls *outside; /* NULL: all states */
    const double *betas;      /* (n), rising */
    size_t n;
    size_t repeat;        /* number of this repeat, for its random numbers */
    size_t samples;       /* states to keep at each beta, at most the particles */
    uint64_t *states;     /* (n, samples, words): these; NULL if there are none */
    isg_moments *moments; /* (n): adds h of all particles at each beta; may be NULL */
} isg_population_job;

/* One population from beta = 0 through all betas: points (n). `a` is made by isg_anneal_create(); its
   path, beta, seed and purpose are not used. Memory: particles (words 8 + stride 4 + 40) bytes. */
isg_status isg_population_run(const isg_anneal *a, const isg_population_options *options,
                              const isg_population_job *job, isg_population_point *points,
                              const isg_progress *progress);

#endif
