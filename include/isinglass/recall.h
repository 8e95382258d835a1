/* isinglass/recall.h - a Hopfield network as an associative memory
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_RECALL_H
#define ISINGLASS_RECALL_H

#include "isinglass/hopfield.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Recall ---------------------------------------------------------------------------------- */

/* A Hopfield network as an associative memory: what becomes of samples that start from where they
   are, and whether that tells their class. The classes of patterns and of data are matched by name. */
typedef struct isg_recall isg_recall;

typedef enum isg_recall_protocol {
    /* That of the paper (appendix D): before every update and after the last, the sample is decided
       for the pattern of the largest overlap m if m > threshold. Those that no update at zero
       temperature decides start again from where they were, `trajectories` times at beta, with the
       same test; each trajectory counts for its share. */
    ISG_RECALL_PUBLISHED,
    /* Until nothing changes any more; the end is a pattern, the negative of one, or spurious. */
    ISG_RECALL_ATTRACTOR
} isg_recall_protocol;

/* Which pattern a state stands for: that with the largest of these, the first of equals. */
typedef enum isg_readout {
    ISG_READOUT_OVERLAP,    /* m = xi^T s / n_visible */
    ISG_READOUT_PROJECTION, /* a = (xi^T xi)^-1 xi^T s */
    ISG_READOUT_ENERGY, /* its part of -H without diagonal and field: m a for projection, m^2 for
                               Hebbian; blind to the sign of s, as H is */
    ISG_N_READOUTS
} isg_readout;

/* Start from isg_recall_defaults(); defaults are in brackets. */
typedef struct isg_recall_options {
    isg_recall_protocol protocol;
    isg_rule rule;             /* [ISG_RULE_PROJECTION] */
    bool allow_rank_deficient; /* as in isg_hopfield_options [false] */
    bool keep_diagonal;        /* of J [published: false; attractor: true] */
    isg_dynamics dynamics;     /* [published: synchronous, or asynchronous; attractor: asynchronous,
                                  or any: one with a temperature does max_updates sweeps and then
                                  goes on at zero temperature, asynchronously] */
    isg_dynamics ensemble;     /* published: of the trajectories, any at a temperature [parallel] */
    double beta;               /* where there is a temperature [2] */
    double threshold;          /* published: the overlap that decides, 0 to 1 [0.7] */
    size_t max_updates;        /* sweeps of one state [published: 100; attractor: 1000] */
    size_t trajectories;       /* published: from each undecided sample [20] */
    isg_readout readout;       /* attractor: of the end, for accuracy and confusion [projection] */
    uint64_t seed;             /* [1] */
} isg_recall_options;

ISG_API isg_recall_options isg_recall_defaults(isg_recall_protocol protocol);

/* What became of a sample. */
typedef enum isg_recall_end {
    ISG_END_PATTERN,   /* published: decided; attractor: exactly a pattern */
    ISG_END_UNDECIDED, /* published: by no trajectory either; attractor: moving still */
    ISG_END_NEGATIVE,  /* exactly the negative of a pattern that is no pattern itself */
    ISG_END_SPURIOUS,  /* another fixed point */
    ISG_END_TWO_CYCLE, /* synchronous: two states that follow each other for ever */
    ISG_N_ENDS
} isg_recall_end;

typedef struct isg_recall_outcome {
    isg_recall_end end;
    size_t pattern;      /* decided for (by most trajectories, the first of equals), or read out */
    size_t updates;      /* by then; of a sample with trajectories, those before them */
    size_t trajectories; /* that it took; 0 if it was decided without */
    double share;        /* of its weight that went to the pattern: 1, or less by trajectories */
} isg_recall_outcome;

typedef struct isg_recall_summary {
    isg_recall_options options; /* as given */
    size_t n_samples;
    size_t n_classes; /* rows of the tables: classes of the data, or 1 if they have no labels */
    size_t n_labels;  /* classes of the patterns; every pattern is its own if they have no labels */
    bool has_accuracy; /* data and patterns have labels, and at least one class in common */
    size_t n_foreign;  /* samples of classes that no pattern has: they count as wrong */
    double accuracy;   /* the share of the samples that came to their class; this and all accuracies
                          are NaN unless has_accuracy */
    double start_accuracy[ISG_N_READOUTS]; /* of the samples themselves, read out without dynamics;
                                              by overlap: that of the nearest pattern */
    double end_accuracy[ISG_N_READOUTS];   /* attractor: of the ends; else NaN */
    size_t decided_at_start;               /* published: before any update */
    size_t decided;                        /* published: by updates at zero temperature */
    size_t n_ensembles;                    /* published: samples left to trajectories */
    double undecided;        /* weight that came to no pattern: samples, or shares of them */
    size_t ends[ISG_N_ENDS]; /* samples by their end */
    size_t n_updates;        /* entries of isg_recall_updates() */
} isg_recall_summary;

/* ISG_ERR_SHAPE if patterns and data disagree on n_visible, ISG_ERR_ARGUMENT for options without a
   meaning, ISG_ERR_DEPENDENT for dependent patterns, ISG_ERR_UNSUPPORTED for block Gibbs without the diagonal. Same
   seed, same result, on any number of threads. `options` (published) and `progress` may be NULL, here
   and below. */
ISG_API isg_status isg_recall_run(isg_recall **out, const isg_patterns *patterns,
                                  const isg_dataset *data, const isg_recall_options *options,
                                  const isg_progress *progress);
ISG_API void isg_recall_free(isg_recall *recall); /* NULL is fine */
ISG_API isg_recall_summary isg_recall_describe(const isg_recall *recall);
ISG_API const isg_recall_outcome *isg_recall_outcomes(const isg_recall *recall); /* (n_samples) */

/* Samples by their class and what they came to, (n_classes, n_labels + 4): a class of the patterns,
   or undecided, negative, spurious, two-cycle (isg_recall_end in its order). `confusion` reads the
   ends of the attractor protocol out; in `ends` only exact patterns count for their class. For
   published both are the same. */
ISG_API isg_matd_view isg_recall_confusion(const isg_recall *recall);
ISG_API isg_matd_view isg_recall_ends(const isg_recall *recall);

/* The name of a class of the patterns: their label, or the number of the pattern. */
ISG_API const char *isg_recall_label(const isg_recall *recall, size_t label);

/* How many samples took 0, 1, ... updates (n_updates): published, until they were decided, where a
   trajectory counts for its share of a sample; attractor, until nothing changed. */
ISG_API const double *isg_recall_updates(const isg_recall *recall);

/* Start from isg_committor_defaults(); defaults are in brackets. */
typedef struct isg_committor_options {
    isg_dynamics dynamics; /* any of those at a temperature [block Gibbs] */
    double beta;           /* [2] */
    double threshold;      /* a trajectory is there once an overlap exceeds this, 0 to 1 [0.9] */
    size_t max_updates;    /* sweeps of one trajectory [100] */
    size_t trajectories;   /* from each state [20] */
    uint64_t seed;         /* [1] */
} isg_committor_options;

ISG_API isg_committor_options isg_committor_defaults(void);

/* Of the trajectories that start from each of `states` (n_states, packed), the shares that come to
   each pattern before any other, and in the last column to none: shares (n_states, n_patterns + 1).
   ISG_ERR_ARGUMENT if the network has no patterns. */
ISG_API isg_status isg_committor(const isg_hopfield *network, const uint64_t *states,
                                 size_t n_states, const isg_committor_options *options,
                                 double *shares, const isg_progress *progress);

/* ---- Recall of what was corrupted ------------------------------------------------------------ */

/* What is done to a state: `units` and a share `mask` of all units, chosen at random, are hidden,
   which sets them to +1 or -1 at random; of the others a share `flip`, chosen at random, is
   flipped. Shares are exact up to rounding to whole units. */
typedef struct isg_corruption {
    double flip, mask;     /* 0 to 1 */
    const uint64_t *units; /* packed; NULL for none */
} isg_corruption;

/* The same seed and number choose the same units, whatever the shares: those of a smaller share are
   among those of a larger one. `hidden` (packed) receives the units that were hidden; it may be
   NULL. */
ISG_API isg_status isg_corrupt(uint64_t *spins, size_t n_visible, const isg_corruption *how,
                               uint64_t seed, uint64_t number, uint64_t *hidden);

/* Start from isg_recovery_defaults(); defaults are in brackets. */
typedef struct isg_recovery_options {
    isg_rule rule;             /* [ISG_RULE_PROJECTION] */
    bool allow_rank_deficient; /* [false] */
    bool keep_diagonal;        /* [true] */
    isg_dynamics dynamics;     /* [ISG_DYNAMICS_ASYNCHRONOUS] */
    double beta;               /* where there is a temperature [2] */
    size_t max_updates;        /* sweeps; with a temperature all of them, and then as many more at
                                  zero temperature, asynchronously [100] */
    size_t trials;             /* of every pattern or sample, each corrupted anew [100] */
    double near;               /* the overlap above which a pattern is as good as found [0.95] */
    bool clamp_known;          /* units that are not hidden stay as they are [false] */
    uint64_t seed;             /* [1] */
} isg_recovery_options;

/* How many trials came to the pattern that was corrupted, or to one of the sample's class. */
typedef struct isg_recovery {
    size_t trials;
    size_t exact;           /* to the last unit, at zero temperature */
    size_t near;            /* with an overlap > near, likewise; includes these */
    size_t negative;        /* to its negative */
    double start_overlap;   /* mean over the trials of the largest overlap with what was sought */
    double thermal_overlap; /* the same before going on at zero temperature, if there was one */
    double end_overlap;     /* and in the end */
} isg_recovery;

ISG_API isg_recovery_options isg_recovery_defaults(void);

/* Corrupts the patterns or, unless `data` is NULL, its samples in each of the given ways (n), and
   lets the network have them: out (n). All ways and all rules and dynamics see the same choices of
   units, so that their differences are surer than their errors say. ISG_ERR_ARGUMENT if data are
   given and these or the patterns have no labels, or a class has no pattern. */
ISG_API isg_status isg_recover(const isg_patterns *patterns, const isg_dataset *data,
                               const isg_corruption *how, size_t n,
                               const isg_recovery_options *options, isg_recovery *out,
                               const isg_progress *progress);

#ifdef __cplusplus
}
#endif

#endif
