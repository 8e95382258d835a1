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

/* A Hopfield network as an associative memory: runs the dynamics from every sample, and tells which
   pattern it reaches and whether that has the sample's class. Classes of patterns and data are
   matched by name. */
typedef struct isg_recall isg_recall;

typedef enum isg_recall_protocol {
    /* The paper's (appendix D): before every update and after the last, the sample is assigned to
       the pattern with the largest overlap m if m > threshold. A sample that zero temperature
       leaves undecided starts again from its original state, `trajectories` times at beta, with the
       same test; each trajectory counts as a fraction of the sample. */
    ISG_RECALL_PUBLISHED,
    /* Runs until nothing changes; the end is a pattern, the negative of one, or spurious. */
    ISG_RECALL_ATTRACTOR
} isg_recall_protocol;

/* Which pattern a state represents: the one with the largest of these, the first of equals. */
typedef enum isg_readout {
    ISG_READOUT_OVERLAP,    /* m = xi^T s / n_visible */
    ISG_READOUT_PROJECTION, /* a = (xi^T xi)^-1 xi^T s */
    ISG_READOUT_ENERGY, /* its part of -H without diagonal and field: m a for projection, m^2 for
                           Hebbian; like H, blind to the sign of s */
    ISG_N_READOUTS
} isg_readout;

/* Start from isg_recall_defaults(); defaults are in brackets. */
typedef struct isg_recall_options {
    isg_recall_protocol protocol;
    isg_rule rule;             /* [ISG_RULE_PROJECTION] */
    bool allow_rank_deficient; /* as in isg_hopfield_options [false] */
    bool keep_diagonal;        /* of J [published: false; attractor: true] */
    isg_dynamics dynamics;     /* [published: synchronous; asynchronous is allowed. attractor:
                                  asynchronous; any is allowed, and one at a temperature does
                                  max_updates sweeps, then continues at zero temperature,
                                  asynchronously] */
    isg_dynamics ensemble;     /* published: for the trajectories, any at a temperature
                                  [parallel] */
    double beta;               /* where there is a temperature [2] */
    double threshold;          /* published: overlap that decides, 0 to 1 [0.7] */
    size_t max_updates;        /* sweeps of one state [published: 100; attractor: 1000] */
    size_t trajectories;       /* published: per undecided sample [20] */
    isg_readout readout;       /* attractor: applied to the end, for accuracy and confusion
                                  [projection] */
    uint64_t seed;             /* [1] */
} isg_recall_options;

ISG_API isg_recall_options isg_recall_defaults(isg_recall_protocol protocol);

/* How a sample ended. */
typedef enum isg_recall_end {
    ISG_END_PATTERN,   /* published: decided; attractor: exactly a pattern */
    ISG_END_UNDECIDED, /* published: not by any trajectory either; attractor: still moving */
    ISG_END_NEGATIVE,  /* exactly the negative of a pattern, and not itself a pattern */
    ISG_END_SPURIOUS,  /* another fixed point */
    ISG_END_TWO_CYCLE, /* synchronous: two states that alternate forever */
    ISG_N_ENDS
} isg_recall_end;

typedef struct isg_recall_outcome {
    isg_recall_end end;
    size_t pattern;      /* decided (by most trajectories, the first of equals) or read out */
    size_t updates;      /* up to the end; with trajectories, those before them */
    size_t trajectories; /* run for it; 0 if it was decided without any */
    double share;        /* fraction of its weight given to the pattern: 1, or less with
                            trajectories */
} isg_recall_outcome;

typedef struct isg_recall_summary {
    isg_recall_options options; /* as given */
    size_t n_samples;
    size_t n_classes;  /* rows of the tables: classes of the data, or 1 without labels */
    size_t n_labels;   /* classes of the patterns; without labels, each pattern is its own class */
    bool has_accuracy; /* data and patterns have labels and at least one common class */
    size_t n_foreign;  /* samples of classes without a pattern: they count as wrong */
    double accuracy;   /* fraction of samples that reached their class; all accuracies are NaN
                          unless has_accuracy */
    double start_accuracy[ISG_N_READOUTS]; /* of the samples themselves, read out without dynamics;
                                              by overlap: nearest pattern */
    double end_accuracy[ISG_N_READOUTS];   /* attractor: of the ends; else NaN */
    size_t decided_at_start;               /* published: before any update */
    size_t decided;                        /* published: by updates at zero temperature */
    size_t n_ensembles;                    /* published: samples left to trajectories */
    double undecided;        /* weight that reached no pattern: samples, or fractions of them */
    size_t ends[ISG_N_ENDS]; /* samples by their end */
    size_t n_updates;        /* entries of isg_recall_updates() */
} isg_recall_summary;

/* ISG_ERR_SHAPE if patterns and data disagree on n_visible, ISG_ERR_ARGUMENT for invalid options,
   ISG_ERR_DEPENDENT for dependent patterns, ISG_ERR_UNSUPPORTED for block Gibbs without the
   diagonal. Same seed, same result, on any number of threads. `options` (NULL: the defaults of
   ISG_RECALL_PUBLISHED) and `progress` may be NULL. */
ISG_API isg_status isg_recall_run(isg_recall **out, const isg_patterns *patterns,
                                  const isg_dataset *data, const isg_recall_options *options,
                                  const isg_progress *progress);
ISG_API void isg_recall_free(isg_recall *recall); /* NULL is fine */
ISG_API isg_recall_summary isg_recall_describe(const isg_recall *recall);
ISG_API const isg_recall_outcome *isg_recall_outcomes(const isg_recall *recall); /* (n_samples) */

/* Samples by their class and where they ended, (n_classes, n_labels + 4): a class of the patterns,
   or undecided, negative, spurious, two-cycle (in the order of isg_recall_end). For the attractor
   protocol, `confusion` applies the readout to the ends, while in `ends` only exact patterns count
   for their class. For published both are the same. */
ISG_API isg_matd_view isg_recall_confusion(const isg_recall *recall);
ISG_API isg_matd_view isg_recall_ends(const isg_recall *recall);

/* The name of a class of the patterns: their label, or the number of the pattern. */
ISG_API const char *isg_recall_label(const isg_recall *recall, size_t label);

/* How many samples took 0, 1, ... updates (n_updates): published, until decided, with a trajectory
   counted as its fraction of a sample; attractor, until nothing changed. */
ISG_API const double *isg_recall_updates(const isg_recall *recall);

/* Start from isg_committor_defaults(); defaults are in brackets. */
typedef struct isg_committor_options {
    isg_dynamics dynamics; /* any at a temperature [block Gibbs] */
    double beta;           /* [2] */
    double threshold;      /* a trajectory reaches a pattern once their overlap exceeds this, 0 to 1
                              [0.9] */
    size_t max_updates;    /* sweeps of one trajectory [100] */
    size_t trajectories;   /* per state [20] */
    uint64_t seed;         /* [1] */
} isg_committor_options;

ISG_API isg_committor_options isg_committor_defaults(void);

/* For each of `states` (n_states, packed), the fraction of trajectories from it that reach each
   pattern before any other, with those that reach none in the last column:
   shares (n_states, n_patterns + 1). `options` and `progress` may be NULL. ISG_ERR_ARGUMENT if the
   network has no patterns. */
ISG_API isg_status isg_committor(const isg_hopfield *network, const uint64_t *states,
                                 size_t n_states, const isg_committor_options *options,
                                 double *shares, const isg_progress *progress);

/* ---- Recall of what was corrupted ------------------------------------------------------------ */

/* How to corrupt a state: `units` and a random fraction `mask` of all units are masked, that is,
   set to +1 or -1 at random; a random fraction `flip` of the other units is flipped. Fractions are
   exact up to rounding to whole units. */
typedef struct isg_corruption {
    double flip, mask;     /* 0 to 1 */
    const uint64_t *units; /* packed; NULL for none */
} isg_corruption;

/* The same seed and number choose the same units whatever the fractions: a smaller fraction takes a
   subset of the units of a larger one. `masked` (packed) receives the masked units; it may be
   NULL. */
ISG_API isg_status isg_corrupt(uint64_t *spins, size_t n_visible, const isg_corruption *how,
                               uint64_t seed, uint64_t number, uint64_t *masked);

/* Start from isg_recovery_defaults(); defaults are in brackets. */
typedef struct isg_recovery_options {
    isg_rule rule;             /* [ISG_RULE_PROJECTION] */
    bool allow_rank_deficient; /* [false] */
    bool keep_diagonal;        /* [true] */
    isg_dynamics dynamics;     /* [ISG_DYNAMICS_ASYNCHRONOUS] */
    double beta;               /* where there is a temperature [2] */
    size_t max_updates;        /* most sweeps; at a temperature, all of them, then up to as many at
                                  zero temperature, asynchronously [100] */
    size_t trials;             /* per pattern or sample, each corrupted anew [100] */
    double near;               /* overlap above which a pattern counts as nearly recovered [0.95] */
    bool clamp_known;          /* hold units that are not masked fixed [false] */
    uint64_t seed;             /* [1] */
} isg_recovery_options;

/* How many trials reached the pattern that was corrupted, or one of the sample's class. */
typedef struct isg_recovery {
    size_t trials;
    size_t exact;           /* to the last unit, at zero temperature */
    size_t near;            /* with an overlap > near, likewise; includes the exact ones */
    size_t negative;        /* to its negative */
    double start_overlap;   /* mean over the trials of the largest overlap with a pattern sought */
    double thermal_overlap; /* the same before the sweeps at zero temperature, if there was a
                               temperature */
    double end_overlap;     /* and at the end */
} isg_recovery;

ISG_API isg_recovery_options isg_recovery_defaults(void);

/* Corrupts the patterns or, unless `data` is NULL, its samples in each of the given ways (n), runs
   the network on them and counts what it recovers: out (n). All ways, rules and dynamics get the
   same choices of units, so their differences are more precise than their separate errors suggest.
   `options` and `progress` may be NULL. ISG_ERR_ARGUMENT if `data` is given and it or the patterns
   have no labels, or a class has no pattern. */
ISG_API isg_status isg_recover(const isg_patterns *patterns, const isg_dataset *data,
                               const isg_corruption *how, size_t n,
                               const isg_recovery_options *options, isg_recovery *out,
                               const isg_progress *progress);

#ifdef __cplusplus
}
#endif

#endif
