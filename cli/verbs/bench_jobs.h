/* bench_jobs.h - what `isinglass bench` can measure
 *
 * SPDX-License-Identifier: MIT
 *
 * One entry of the table below is one job: its name on the command line, its unit, its count of
 * operations, and the function that times it.
 */
#ifndef CLI_BENCH_JOBS_H
#define CLI_BENCH_JOBS_H

#include "cli/failure.h"

/* What one measurement works on; all borrowed. */
typedef struct bench_case {
    const isg_dataset *data; /* without labels: one class */
    isg_rbm *start;          /* only read: every training works on a copy */
    size_t batch;            /* samples per update */
    size_t sweeps;           /* per update */
    uint64_t seed;
} bench_case;

typedef struct bench_job {
    const char *name; /* NULL ends the table */
    const char *unit; /* of the rate */
    const char *what; /* is measured, a sentence without a trailing period */
    bool is_serial;   /* always uses one thread */
    bool has_hidden;  /* depends on the number of hidden units */

    /* Floating-point operations of one unit if every product were done in full; NULL if it is not
       made of products. */
    double (*operations)(const bench_case *work);

    /* Works for a fraction of a second, always from the same start. The rate is infinite if the
       work took too little time to measure. */
    exit_code (*measure)(double *rate, const bench_case *work);
} bench_job;

extern const bench_job bench_jobs[];
extern const char *const bench_job_names[]; /* of the same; ends with NULL */

/* Weights to start from: independent normal ones of standard deviation 0.1, or those of the
   Hopfield network that stores the first n_hidden samples. Both at beta = 2. */
typedef enum bench_start { BENCH_START_NORMAL, BENCH_START_HOPFIELD } bench_start;
extern const char *const bench_start_names[];

exit_code bench_model(isg_rbm **out, bench_start start, const isg_dataset *data, size_t n_hidden,
                      uint64_t seed);

/* `count` samples of `copies` rows of `source` side by side, row a and those that follow it, round
   about: as the rows are, with that many times as many units. Labels are dropped. */
exit_code bench_samples(isg_dataset **out, const isg_dataset *source, size_t count, size_t copies);

/* Samples of independent spins, a share of `up` of them +1. */
exit_code bench_random_samples(isg_dataset **out, size_t n_samples, size_t n_visible, double up,
                               uint64_t seed);

#endif
