/* isinglass/patterns.h - what a Hopfield network stores
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_PATTERNS_H
#define ISINGLASS_PATTERNS_H

#include "isinglass/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Patterns: what a Hopfield network stores ------------------------------------------------ */

/* Binary patterns of n_visible spins, each with the class it represents. */
typedef struct isg_patterns isg_patterns;

/* Start from isg_pattern_defaults(); defaults are in brackets. */
typedef struct isg_pattern_options {
    size_t per_class; /* sub-patterns per class, found by Ward clustering [1] */
    bool cap; /* a class with fewer samples than that gets one pattern for each of them [false] */
    /* Of a larger class, this many evenly spaced samples are clustered, and the others join the
       nearest cluster mean; clustering takes about 2 bytes for every pair of them [20000; 0 means the
       same] */
    size_t ward_samples;
    bool ignore_labels; /* all samples form one class [false] */
} isg_pattern_options;

ISG_API isg_pattern_options isg_pattern_defaults(void);

/* The sign of the mean of every class, or of its `per_class` clusters (Ward linkage on Hamming
   distances), ordered by class and, within it, by the first sample of a cluster. A unit whose mean
   is zero becomes -1. Data without labels form one class. `options` and `progress` may be NULL.
   ISG_ERR_ARGUMENT, naming the class, if a class has fewer than `per_class` samples, unless `cap`;
   then only a class without samples is refused. */
ISG_API isg_status isg_patterns_from_data(isg_patterns **out, const isg_dataset *data,
                                          const isg_pattern_options *options,
                                          const isg_progress *progress);

/* Independent random spins. */
ISG_API isg_status isg_patterns_random(isg_patterns **out, size_t n_visible, size_t n_patterns,
                                       uint64_t seed);

/* From xi (n_visible, n_patterns), row-major, entries +1 and -1; `labels` (n_patterns) may be
   NULL. */
ISG_API isg_status isg_patterns_create(isg_patterns **out, size_t n_visible, size_t n_patterns,
                                       const int8_t *xi, const char *const *labels);

/* A .npz with xi (N, p) and, if known, labels (p); `command` is recorded in its meta.json. */
ISG_API isg_status isg_patterns_save(const isg_patterns *patterns, const char *path, uint64_t seed,
                                     const char *command);

/* Such a file, or one with the same arrays by NumPy, or xi alone as .npy; xi may also have 0 and 1
   (or bool) for -1 and +1. */
ISG_API isg_status isg_patterns_load(isg_patterns **out, const char *path);

/* The .npz in memory: the bytes of that very file, to be released by isg_bytes_free(). `name` begins
   error sentences [NULL: "bytes"]. */
ISG_API isg_status isg_patterns_to_bytes(const isg_patterns *patterns, uint64_t seed,
                                         const char *command, void **bytes, size_t *size);
ISG_API isg_status isg_patterns_from_bytes(isg_patterns **out, const char *name, const void *bytes,
                                           size_t size);
ISG_API void isg_patterns_free(isg_patterns *patterns); /* NULL is fine */

typedef struct isg_patterns_info {
    size_t n_visible;
    size_t n_patterns;
    size_t image_height; /* 0 if the patterns are not images */
    size_t image_width;
    bool has_labels;
    size_t n_ties;    /* units with a mean of zero, over all patterns; 0 if not made from data */
    size_t n_capped;  /* classes with fewer patterns than asked for; 0 if not made from data */
    size_t n_sampled; /* classes larger than ward_samples; 0 if not made from data */
} isg_patterns_info;

ISG_API isg_patterns_info isg_patterns_describe(const isg_patterns *patterns);
ISG_API const uint64_t *isg_patterns_row(const isg_patterns *patterns, size_t mu); /* packed */
ISG_API const char *isg_patterns_label(const isg_patterns *patterns, size_t mu); /* NULL if none */
ISG_API size_t isg_patterns_members(const isg_patterns *patterns,
                                    size_t mu); /* samples it was made from */
ISG_API size_t isg_patterns_positive(const isg_patterns *patterns, size_t mu); /* number of +1 */
ISG_API double isg_patterns_overlap(const isg_patterns *patterns, size_t mu, size_t nu);

/* How the data they were made from became spins, and the names of the units; NULL if unknown. */
ISG_API const isg_encoding *isg_patterns_encoding(const isg_patterns *patterns);

/* Set it, or the image shape of the units; ISG_ERR_SHAPE unless it has n_visible units or pixels. */
ISG_API isg_status isg_patterns_set_encoding(isg_patterns *patterns, const isg_encoding *encoding);
ISG_API isg_status isg_patterns_set_image(isg_patterns *patterns, size_t height, size_t width);

/* For every sample, the pattern of its class with the largest overlap, the first of equals, or
   UINT32_MAX: nearest (n_samples). With one pattern per class, these are the classes. If either has
   no labels, all patterns count. ISG_ERR_SHAPE if the units disagree. */
ISG_API isg_status isg_patterns_nearest(const isg_patterns *patterns, const isg_dataset *data,
                                        uint32_t *nearest);

/* shares (n_visible, n_groups): the share of +1 in every unit over the samples of each group; NaN if
   it has none. groups (n_samples) has the group of each sample, other numbers for none; NULL means
   the classes of the data. */
ISG_API isg_status isg_group_shares(isg_matd shares, const isg_dataset *data,
                                    const uint32_t *groups);

/* The number of linearly independent patterns. If some are dependent, `sentence` (of `room` bytes)
   gives one as a combination of others ("pattern 7 = pattern 1 - pattern 3"); else it is empty.
   Patterns are numbered from 0. */
ISG_API isg_status isg_patterns_rank(const isg_patterns *patterns, size_t *rank, char *sentence,
                                     size_t room);

/* SHA-256 of all patterns, packed to bytes (first unit = highest bit), sorted, concatenated. */
ISG_API isg_status isg_patterns_checksum(const isg_patterns *patterns, char hex[65]);

/* ---- Learned patterns ------------------------------------------------------------------------- */

/* The capture of patterns is the mean share of a sample that lies in their span, tr(P C) / N, with the
   projector P and C = <s s^T> over the data. A projection network of inverse temperature beta has the
   log-likelihood beta/2 N capture - ln Z per sample, at most -beta/2 N (1 - capture) - ln(2 p). */

/* Start from isg_learn_defaults(); defaults are in brackets. */
typedef struct isg_learn_options {
    double
        memory; /* kappa: also raise kappa (m.xi) for every pattern, with m the mean of the samples
                      nearest to it at the start, of its class if there are labels [0] */
    size_t rounds; /* through all patterns, at most [0: until nothing changes] */
    bool keep;     /* if cancelled, the result is what was learned in whole rounds, or in a part of
                      the first, and not an error [false] */
} isg_learn_options;

ISG_API isg_learn_options isg_learn_defaults(void);

typedef struct isg_learning {
    double capture_before, capture;
    size_t flips, rounds; /* of single units; through all patterns */
    bool is_finished;     /* no flip of one unit gains any more */
    bool is_cancelled;    /* only with `keep` */
} isg_learning;

/* Flips single units of the patterns, the best first, as long as that raises N capture: the same result
   on every machine, without random numbers. They keep their labels; those without are
   turned towards the mean of the data, since mirror images are the same to a network. `options`, `report` and `progress`
   may be NULL. Memory: the data once more, and 40 bytes for every unit of a pattern. ISG_ERR_DEPENDENT
   for dependent patterns, ISG_ERR_SHAPE if the units disagree. */
ISG_API isg_status isg_patterns_learn(isg_patterns **out, const isg_patterns *start,
                                      const isg_dataset *data, const isg_learn_options *options,
                                      isg_learning *report, const isg_progress *progress);

/* The capture of patterns, and the largest of any so many vectors: that of the principal axes. Errors as
   above; ISG_ERR_ARGUMENT if the data span fewer directions. */
ISG_API isg_status isg_patterns_capture(const isg_patterns *patterns, const isg_dataset *data,
                                        double *out);
ISG_API isg_status isg_capture_ceiling(const isg_dataset *data, size_t n_patterns, double *out);

#ifdef __cplusplus
}
#endif

#endif
