/* isinglass.h - Hopfield networks and restricted Boltzmann machines as two views of one object
 *
 * SPDX-License-Identifier: MIT
 *
 * The whole public interface, in the order a user meets it. Every function that can fail returns
 * an isg_status and leaves one full sentence in isg_error_message(); outputs are written only on
 * success. The library never prints, never exits and never reads the environment. It computes in the
 * caller's floating-point environment, which must be the default one for the promised bits: rounding
 * to nearest, subnormal numbers kept. Its threads inherit that of the first call.
 */
#ifndef ISINGLASS_H
#define ISINGLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISG_VERSION_MAJOR 0
#define ISG_VERSION_MINOR 1
#define ISG_VERSION_PATCH 0
#define ISG_VERSION       "0.1.0"

#if defined(__GNUC__)
#define ISG_API __attribute__((visibility("default")))
#else
#define ISG_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status and errors ----------------------------------------------------------------------- */

typedef enum isg_status {
    ISG_OK = 0,
    ISG_ERR_MEMORY,      /* an allocation failed, or a size does not fit in memory */
    ISG_ERR_ARGUMENT,    /* an argument has no meaning: beta <= 0, an unknown class, ... */
    ISG_ERR_SHAPE,       /* two things that belong together disagree on a size */
    ISG_ERR_IO,          /* a file is missing, unreadable or could not be written */
    ISG_ERR_FORMAT,      /* a file was read, but its content is not what it must be */
    ISG_ERR_VERSION,     /* a file was written by a later version */
    ISG_ERR_DIVERGED,    /* a computation left the finite numbers */
    ISG_ERR_UNSUPPORTED, /* a valid request that this build or machine cannot serve */
    ISG_ERR_CANCELLED    /* the progress callback returned false */
} isg_status;

/* What went wrong in this thread's last failing call, as one sentence without a final point:
   "train.idx: expected 784 columns, found 768". Empty if nothing failed yet. */
ISG_API const char *isg_error_message(void);

/* "0.1.0": the version of the library in use, which may differ from the header's. */
ISG_API const char *isg_version(void);

/* ---- Long work ------------------------------------------------------------------------------- */

/* Called now and then with the fraction done, 0 to 1; false cancels (ISG_ERR_CANCELLED).
   Always called from the thread that made the call. */
typedef struct isg_progress {
    bool (*report)(void *user, double fraction);
    void *user;
} isg_progress;

/* ---- Matrices -------------------------------------------------------------------------------- */

/* Row-major, stride in elements, passed by value, never owning. Shapes are written (rows, cols). */
typedef struct isg_matd {
    double *data;
    size_t rows, cols, stride;
} isg_matd;

typedef struct isg_matd_view {
    const double *data;
    size_t rows, cols, stride;
} isg_matd_view;

/* ---- The machine ----------------------------------------------------------------------------- */

/* Replaces the memory allocator of the library, before any other call. `allocate` returns
   `bytes` bytes aligned to `alignment` (a power of two) or NULL; both may be called by several
   threads at once. NULL restores the default. */
typedef struct isg_allocator {
    void *(*allocate)(void *user, size_t alignment, size_t bytes);
    void (*release)(void *user, void *pointer);
    void *user;
} isg_allocator;

ISG_API void isg_set_allocator(const isg_allocator *allocator);

/* Threads used by parallel loops, at most 1024; 0 means one per core. Never changes results. */
ISG_API void isg_set_threads(size_t threads);
ISG_API size_t isg_threads(void);

/* The instruction set of the kernels: "ref" and "baseline" everywhere, "avx2" and "avx512" on x86-64,
   "neon" on aarch64. NULL or "best" chooses the best this machine runs. Never changes results.
   ISG_ERR_ARGUMENT for an unknown name, ISG_ERR_UNSUPPORTED if this machine cannot run it. */
ISG_API isg_status isg_set_isa(const char *name);
ISG_API const char *isg_isa(void);

/* The name of the i-th instruction set known to this build, best last; NULL past the end. */
ISG_API const char *isg_isa_name(size_t i);

/* ---- Data: labelled samples of +1 and -1 ----------------------------------------------------- */

/* Samples as spins, one bit each, with the classes they belong to. */
typedef struct isg_dataset isg_dataset;

typedef enum isg_header { ISG_HEADER_AUTO, ISG_HEADER_YES, ISG_HEADER_NO } isg_header;

/* How a file becomes spins. Start from isg_dataset_defaults(); defaults are in brackets. */
typedef struct isg_dataset_options {
    const char *labels_path;  /* file with one label per row [NULL: those in the data file] */
    const char *label_column; /* of the file with the labels, a CSV or TSV: a name, or a number
                                 from 1, -1 the last [NULL: none] */
    isg_header header;        /* CSV, TSV: is the first row a header? [ISG_HEADER_AUTO] */
    double threshold;    /* value > threshold * full scale is +1 [NaN: 0.01 for images, or 0] */
    size_t image_height; /* says that a row is an image of this shape [0: as the file says] */
    size_t image_width;
    const char *only_class;      /* keep the rows of this class [NULL: all] */
    size_t limit;                /* then keep the first rows, and all classes [0: all] */
    const char *expected_sha256; /* refuse a data file whose unpacked content hashes otherwise */
    const char *expected_labels_sha256;
    const isg_progress *progress; /* [NULL] */
} isg_dataset_options;

ISG_API isg_dataset_options isg_dataset_defaults(void);

/* Reads a data file; its name tells the format: IDX (a name with "idx" in it or without an
   extension), .npy, .npz (arrays X and, if there, y), .csv, .tsv, .mtx; all but .npz may end in
   .gz as well. Missing or non-finite values are refused with their row and column.

   Full scale is 255 for 8-bit grey levels, else 1. Values are taken for grey levels if they lie
   in 0..255 and either the file holds images (3 dimensions, or a shape was given) and some value
   exceeds 2, or all values are whole and the largest is 255 itself. */
ISG_API isg_status isg_dataset_load(isg_dataset **out, const char *path,
                                    const isg_dataset_options *options);

/* The same for a file whose bytes are in memory; `name` tells the format. */
ISG_API isg_status isg_dataset_load_memory(isg_dataset **out, const char *name, const void *bytes,
                                           size_t size, const isg_dataset_options *options);

/* From an array (n_samples, n_visible), row-major, where > 0 is +1; `labels` (n_samples) may be
   NULL. */
ISG_API isg_status isg_dataset_create(isg_dataset **out, size_t n_samples, size_t n_visible,
                                      const int8_t *spins, const int64_t *labels);

ISG_API void isg_dataset_free(isg_dataset *data); /* NULL is fine */

typedef struct isg_dataset_info {
    size_t n_samples;
    size_t n_visible;
    size_t n_classes;    /* 0 without labels */
    size_t image_height; /* 0 if the rows are no images */
    size_t image_width;
    bool has_values; /* whether the spins came from values, described by the rest */
    double smallest;
    double largest;
    double full_scale; /* 255 for 8-bit grey levels, else 1 */
    double threshold;  /* as a fraction of full scale */
} isg_dataset_info;

ISG_API isg_dataset_info isg_dataset_describe(const isg_dataset *data);

/* Classes stand in ascending order: by number if all are numbers, else bytewise by name. */
ISG_API const char *isg_dataset_class_name(const isg_dataset *data, size_t class_index);
ISG_API size_t isg_dataset_class_size(const isg_dataset *data, size_t class_index);

/* The class index of every sample (n_samples); NULL without labels. */
ISG_API const uint32_t *isg_dataset_labels(const isg_dataset *data);

/* The spins of one sample, packed: spin i is bit i % 64 of word i / 64, set for +1; the bits past
   n_visible are clear. */
ISG_API const uint64_t *isg_dataset_row(const isg_dataset *data, size_t row);

ISG_API double isg_dataset_positive_fraction(const isg_dataset *data); /* share of +1 */

/* How many rows equal an earlier row. */
ISG_API isg_status isg_dataset_count_duplicates(const isg_dataset *data, size_t *out);

/* SHA-256 of the spins: row after row, packed to bytes, first unit = highest bit. The same spins
   give the same checksum whatever file they came from. */
ISG_API void isg_dataset_checksum(const isg_dataset *data, char hex[65]);

/* The same of the labels: the name of the class of every row, each with the zero that ends it. */
ISG_API void isg_dataset_label_checksum(const isg_dataset *data, char hex[65]);

/* A new data set of the given rows in the given order; classes left without a row are dropped. */
ISG_API isg_status isg_dataset_select(isg_dataset **out, const isg_dataset *data,
                                      const size_t *rows, size_t count);

/* The order (n_samples) in which epoch `epoch` of a run with this seed visits the samples. */
ISG_API void isg_dataset_shuffle(const isg_dataset *data, uint64_t seed, uint64_t epoch,
                                 size_t *order);

/* Two parts drawn at random, class by class: `first` gets the share `fraction` of every class
   (rounded to the nearest), `second` the rest; within a part the file's order is kept.
   ISG_ERR_ARGUMENT if a part would be empty. */
ISG_API isg_status isg_dataset_split(isg_dataset **first, isg_dataset **second,
                                     const isg_dataset *data, double fraction, uint64_t seed);

/* A picture of the first `per_class` images of every class, one class a row (PNG). */
ISG_API isg_status isg_dataset_contact_sheet(const isg_dataset *data, const char *path,
                                             size_t per_class);

/* ---- Files with known content ---------------------------------------------------------------- */

/* ISG_ERR_FORMAT unless the content of the file, unpacked if its name ends in .gz, has this
   SHA-256 (64 hexadecimal digits, small letters). */
ISG_API isg_status isg_file_check(const char *path, const char *sha256,
                                  const isg_progress *progress);

/* Writes the unpacked content of `from` to `to`, whole or not at all, if it has this SHA-256. */
ISG_API isg_status isg_file_install(const char *from, const char *to, const char *sha256,
                                    const isg_progress *progress);

/* ---- Patterns: what a Hopfield network stores ------------------------------------------------ */

/* Binary patterns of n_visible spins, with the class each stands for. */
typedef struct isg_patterns isg_patterns;

/* Start from isg_pattern_defaults(); defaults are in brackets. */
typedef struct isg_pattern_options {
    size_t per_class;             /* sub-patterns of every class, found by Ward clustering [1] */
    const isg_progress *progress; /* [NULL] */
} isg_pattern_options;

ISG_API isg_pattern_options isg_pattern_defaults(void);

/* The sign of the mean of every class, or of its `per_class` clusters (Ward linkage on Hamming
   distances), ordered by class and, within it, by the first sample of a cluster. A unit whose
   mean is zero becomes -1. Data without labels are one class. ISG_ERR_ARGUMENT, naming the class,
   if it has fewer samples than clusters are wanted. */
ISG_API isg_status isg_patterns_from_data(isg_patterns **out, const isg_dataset *data,
                                          const isg_pattern_options *options);

/* From xi (n_visible, n_patterns), row-major, of +1 and -1; `labels` (n_patterns) may be NULL. */
ISG_API isg_status isg_patterns_create(isg_patterns **out, size_t n_visible, size_t n_patterns,
                                       const int8_t *xi, const char *const *labels);

/* A .npz with xi (N, p) and, if known, labels (p); `command` is kept in its meta.json. */
ISG_API isg_status isg_patterns_save(const isg_patterns *patterns, const char *path, uint64_t seed,
                                     const char *command);
ISG_API isg_status isg_patterns_load(isg_patterns **out, const char *path);
ISG_API void isg_patterns_free(isg_patterns *patterns); /* NULL is fine */

typedef struct isg_patterns_info {
    size_t n_visible;
    size_t n_patterns;
    size_t image_height; /* 0 if the patterns are no images */
    size_t image_width;
    bool has_labels;
    size_t n_ties; /* units whose mean was zero, over all patterns; 0 if not made from data */
} isg_patterns_info;

ISG_API isg_patterns_info isg_patterns_describe(const isg_patterns *patterns);
ISG_API const uint64_t *isg_patterns_row(const isg_patterns *patterns, size_t mu); /* packed */
ISG_API const char *isg_patterns_label(const isg_patterns *patterns, size_t mu); /* NULL if none */
ISG_API size_t isg_patterns_members(const isg_patterns *patterns,
                                    size_t mu); /* samples behind it */
ISG_API size_t isg_patterns_positive(const isg_patterns *patterns, size_t mu); /* number of +1 */
ISG_API double isg_patterns_overlap(const isg_patterns *patterns, size_t mu, size_t nu);

/* The number of linearly independent patterns. If that is not all of them, `sentence` (of `room`
   bytes) says which pattern is what combination of others ("pattern 7 = pattern 1 - pattern 3"); else it is
   empty. Patterns are numbered from 0. */
ISG_API isg_status isg_patterns_rank(const isg_patterns *patterns, size_t *rank, char *sentence,
                                     size_t room);

/* SHA-256 of all patterns, packed to bytes (first unit = highest bit), sorted, concatenated. */
ISG_API isg_status isg_patterns_checksum(const isg_patterns *patterns, char hex[65]);

/* ---- Restricted Boltzmann machines ----------------------------------------------------------- */

/* Spins s (n_visible) and Gaussian hidden units lambda (n_hidden) at inverse temperature beta:
       H(s, lambda) = |lambda - c|^2 / 2 - b.s - s^T W lambda
   Spins are given packed, as isg_dataset_row() gives them. */
typedef struct isg_rbm isg_rbm;

typedef struct isg_rbm_info {
    size_t n_visible;
    size_t n_hidden;
    double beta;
    size_t image_height; /* 0 if the visible units are no image */
    size_t image_width;
} isg_rbm_info;

/* All weights and fields zero. */
ISG_API isg_status isg_rbm_create(isg_rbm **out, size_t n_visible, size_t n_hidden, double beta);
ISG_API void isg_rbm_free(isg_rbm *rbm); /* NULL is fine */
ISG_API isg_rbm_info isg_rbm_describe(const isg_rbm *rbm);

/* Another inverse temperature; ISG_ERR_ARGUMENT unless it lies between 1e-30 and 1e30. And: the visible units are
   an image of this shape; ISG_ERR_SHAPE unless it has n_visible pixels. */
ISG_API isg_status isg_rbm_set_beta(isg_rbm *rbm, double beta);
ISG_API isg_status isg_rbm_set_image(isg_rbm *rbm, size_t height, size_t width);

ISG_API isg_matd isg_rbm_weights(isg_rbm *rbm);      /* W (n_visible, n_hidden), to read and set */
ISG_API double *isg_rbm_visible_field(isg_rbm *rbm); /* b (n_visible) */
ISG_API double *isg_rbm_hidden_field(isg_rbm *rbm);  /* c (n_hidden) */
ISG_API const isg_patterns *isg_rbm_patterns(const isg_rbm *rbm); /* it was made of, or NULL */

/* h = W^T s + c, the mean of lambda given s (its variance is 1 / beta). */
ISG_API void isg_rbm_hidden_input(const isg_rbm *rbm, const uint64_t *spins, double *h);

/* x = W lambda + b; spin i is +1 with probability 1 / (1 + exp(-2 beta x_i)). */
ISG_API void isg_rbm_visible_input(const isg_rbm *rbm, const double *lambda, double *x);

/* H(s, lambda); H(s) = -b.s - |W^T s + c|^2 / 2 + |c|^2 / 2, lambda integrated out; and
   F0(lambda) = |lambda - c|^2 / 2 - sum_i ln cosh(beta x_i) / beta, s summed out, with its
   gradient (n_hidden). */
ISG_API double isg_rbm_energy(const isg_rbm *rbm, const uint64_t *spins, const double *lambda);
ISG_API isg_status isg_rbm_spin_energy(const isg_rbm *rbm, const uint64_t *spins, double *out);
ISG_API double isg_rbm_free_energy(const isg_rbm *rbm, const double *lambda);
ISG_API void isg_rbm_free_energy_gradient(const isg_rbm *rbm, const double *lambda,
                                          double *gradient);

/* ---- Hopfield networks ----------------------------------------------------------------------- */

/* Spins s (n_visible) with couplings J and a field b:
       H(s) = -s^T J s / 2 - b.s
   J = u u^T is kept as its factor u, never as a matrix: everything takes O(n_visible n_patterns)
   time and memory. The patterns are copied. */
typedef struct isg_hopfield isg_hopfield;

typedef enum isg_rule {
    ISG_RULE_PROJECTION, /* J = xi (xi^T xi)^-1 xi^T: every pattern is a fixed point */
    ISG_RULE_HEBBIAN     /* J = xi xi^T / n_visible */
} isg_rule;

/* Start from isg_hopfield_defaults(); defaults are in brackets. */
typedef struct isg_hopfield_options {
    isg_rule rule;             /* [ISG_RULE_PROJECTION] */
    bool keep_diagonal;        /* false takes J_ii = 0, which adds tr(J) / 2 to H [true] */
    bool allow_rank_deficient; /* projection: take dependent patterns too, as their span [false] */
    const double *field;       /* b (n_visible) [NULL: zero] */
} isg_hopfield_options;

ISG_API isg_hopfield_options isg_hopfield_defaults(void);

/* ISG_ERR_ARGUMENT, naming the combination, if the rule is projection and the patterns are
   linearly dependent without being allowed to. */
ISG_API isg_status isg_hopfield_create(isg_hopfield **out, const isg_patterns *patterns,
                                       const isg_hopfield_options *options);
ISG_API void isg_hopfield_free(isg_hopfield *network); /* NULL is fine */

typedef struct isg_hopfield_info {
    size_t n_visible;
    size_t n_patterns;
    size_t rank; /* of the patterns */
    isg_rule rule;
    bool keeps_diagonal;
    bool has_field;
    double trace; /* tr(J) with its diagonal: the rank for projection, n_patterns for Hebbian */
} isg_hopfield_info;

ISG_API isg_hopfield_info isg_hopfield_describe(const isg_hopfield *network);

/* m (n_patterns) = xi^T s / n_visible, exact up to the division. */
ISG_API void isg_hopfield_overlaps(const isg_hopfield *network, const uint64_t *spins, double *m);

/* a (n_patterns) = (xi^T xi)^-1 xi^T s: xi a is s projected on the span of the patterns. Of
   dependent patterns, the shortest such a. For projection without field, diagonal kept,
   H = -n_visible m.a / 2. */
ISG_API isg_status isg_hopfield_projections(const isg_hopfield *network, const uint64_t *spins,
                                            double *a);

/* x (n_visible) = J s + b, without J_ii s_i if the diagonal was removed. */
ISG_API isg_status isg_hopfield_local_field(const isg_hopfield *network, const uint64_t *spins,
                                            double *x);

/* Where a state stands in the landscape. Flipping spin i raises H by 2 s_i times the local field
   without J_ii s_i, with the diagonal or without. A field that rounding cannot tell from zero
   counts as zero. */
typedef struct isg_hopfield_state {
    double energy;       /* H(s) */
    double least_rise;   /* the smallest rise of H by a single flip; negative if one lowers H */
    size_t n_unstable;   /* units whose flip does not raise H */
    bool is_stable;      /* no such unit: a strict local minimum of H */
    bool is_fixed_point; /* s = sgn(J s + b), where sgn(0) keeps the spin. With the diagonal kept
                            there are fixed points that are not stable; not the other way round */
} isg_hopfield_state;

ISG_API isg_status isg_hopfield_energy(const isg_hopfield *network, const uint64_t *spins,
                                       double *energy);
ISG_API isg_status isg_hopfield_examine(const isg_hopfield *network, const uint64_t *spins,
                                        isg_hopfield_state *out);

/* How states move. A sweep is one step for every unit. */
typedef enum isg_dynamics {
    ISG_DYNAMICS_ASYNCHRONOUS, /* s_i <- sgn((J s + b)_i), one unit after another; ends when a
                                  sweep changes nothing; never raises H */
    ISG_DYNAMICS_SYNCHRONOUS,  /* s <- sgn(J s + b), all at once; ends in a fixed point or, with
                                  the diagonal removed, possibly in a cycle of two states */
    ISG_DYNAMICS_GLAUBER,      /* at beta, a unit drawn at random, n_visible times; keeps the law
                                  exp(-beta H) / Z, and does not depend on the diagonal */
    ISG_DYNAMICS_PARALLEL,     /* at beta, all at once (Little); keeps the law proportional to
                                  exp(beta b.s) prod_i 2 cosh(beta (J s + b)_i) */
    ISG_DYNAMICS_GIBBS         /* at beta, blockwise through the RBM with weights u; keeps the law
                                  exp(-beta H) / Z; the diagonal must be kept */
} isg_dynamics;

/* Start from isg_dynamics_defaults(); defaults are in brackets. */
typedef struct isg_dynamics_options {
    isg_dynamics kind;    /* [ISG_DYNAMICS_ASYNCHRONOUS] */
    double beta;          /* where there is a temperature [2] */
    size_t sweeps;        /* this many; at zero temperature at most [100] */
    bool fixed_order;     /* asynchronous: units in their order, not a new random one each sweep */
    uint64_t seed;        /* [1] */
    uint64_t first_sweep; /* number of the first sweep: a run of 5 and one of 16 more from 5 on
                             draw and do what one of 21 does, bit for bit [0] */
    const uint64_t *clamped; /* packed; set for units that stay as they are [NULL: none] */
} isg_dynamics_options;

ISG_API isg_dynamics_options isg_dynamics_defaults(void);

/* What became of one state. */
typedef struct isg_dynamics_report {
    isg_hopfield_state state; /* at the end */
    size_t sweeps;            /* done; at zero temperature those that changed something */
    size_t flips;             /* spins changed, over all sweeps */
    bool is_two_cycle;        /* synchronous: it ended by coming back to the state before last */
} isg_dynamics_report;

/* Moves states (n_states, words of a row as in isg_dataset_row()), each by itself and in place;
   `options`, `reports` (n_states) and `progress` may be NULL. The outcome of a state depends on
   the seed and its number, not on the number of threads. ISG_ERR_ARGUMENT if beta is not
   positive, ISG_ERR_UNSUPPORTED for block Gibbs on a network without its diagonal. */
ISG_API isg_status isg_hopfield_run(const isg_hopfield *network, uint64_t *states, size_t n_states,
                                    const isg_dynamics_options *options,
                                    isg_dynamics_report *reports, const isg_progress *progress);

/* ---- Exact answers --------------------------------------------------------------------------- */

/* ln Z of a machine, Z = sum over s of exp(-beta H(s)), in three ways, none of which samples. Each
   says ISG_ERR_UNSUPPORTED where it does not apply, ISG_ERR_DIVERGED if a weight is not finite.
   The results are the same to the last bit on any number of threads. */

/* All 2^N states, for at most 28 visible units: 2^N p operations. */
ISG_API isg_status isg_exact_enumerate(const isg_rbm *rbm, double *log_z,
                                       const isg_progress *progress);

/* p(s) of all 2^N states, for at most 24 visible units; bit i of the index is set if spin i is
   +1. */
ISG_API isg_status isg_exact_probabilities(const isg_rbm *rbm, double *probabilities);

/* Visible units with the same row of W and the same field, up to one sign for both, form classes,
   of which only the number of up spins matters; for at most 1e9 combinations of these numbers. */
ISG_API isg_status isg_exact_class_sums(const isg_rbm *rbm, double *log_z,
                                        const isg_progress *progress);

/* `count` independent samples of p(s), packed, into spins (count, words of 64): for at most 20
   visible units, or where class sums have at most 4e6 terms. */
ISG_API isg_status isg_exact_samples(const isg_rbm *rbm, size_t count, uint64_t seed,
                                     uint64_t *spins);

/* The integral over lambda, for at most 3 hidden units and any number of visible ones. The error
   is a bound, not an estimate. */
ISG_API isg_status isg_exact_quadrature(const isg_rbm *rbm, double *log_z, double *error,
                                        const isg_progress *progress);

/* ---- Other Boltzmann machines of the projection network (appendix C of the paper) ------------ */

/* The p(s) and the Z of the projection network of some patterns xi, with A = xi^T xi, from spins
   and real variables lambda (n_hidden) that interact with each other, or with a third layer tau:
       overlap      H = lambda^T A lambda / 2 N - s^T xi lambda / sqrt(N) - b.s
       projection   H = lambda^T A^-1 lambda / 2 - s^T xi A^-1 lambda - b.s
       three layers H = c0 |lambda|^2 / 2 + |tau|^2 / 2 - lambda^T V tau
                        - s^T xi lambda / sqrt(N) - b.s,  V V^T = c0 I - A / N
   Where there is no third layer, `tau` is not looked at. */
typedef struct isg_machine isg_machine;

typedef enum isg_machine_kind {
    ISG_MACHINE_OVERLAP,
    ISG_MACHINE_PROJECTION,
    ISG_MACHINE_THREE_LAYER
} isg_machine_kind;

typedef struct isg_machine_info {
    isg_machine_kind kind;
    size_t n_visible;
    size_t n_hidden; /* the number of patterns; also of the tau, if any */
    double beta;
    bool has_tau;
    double c0; /* three layers: 1 + 2^-20 times the largest eigenvalue of A / N; else 0 */
} isg_machine_info;

/* `field` is b (n_visible) or NULL. ISG_ERR_ARGUMENT if the patterns are linearly dependent, with
   the combination named. */
ISG_API isg_status isg_machine_create(isg_machine **out, isg_machine_kind kind,
                                      const isg_patterns *patterns, const double *field,
                                      double beta);
ISG_API void isg_machine_free(isg_machine *machine); /* NULL is fine */
ISG_API isg_machine_info isg_machine_describe(const isg_machine *machine);

/* H(s, lambda, tau), and H(s) = -s^T xi A^-1 xi^T s / 2 - b.s, all but s integrated out:
       Z = sum over s of exp(-beta H(s))
         = exp(log_constant) sum over s of int exp(-beta H(s, lambda, tau)) dlambda dtau */
ISG_API isg_status isg_machine_energy(const isg_machine *machine, const uint64_t *spins,
                                      const double *lambda, const double *tau, double *out);
ISG_API isg_status isg_machine_spin_energy(const isg_machine *machine, const uint64_t *spins,
                                           double *out);
ISG_API double isg_machine_log_constant(const isg_machine *machine);

/* F0(lambda), tau integrated and s summed out, with its gradient (n_hidden):
       Z = exp(log_free_constant) int exp(-beta F0(lambda)) dlambda */
ISG_API isg_status isg_machine_free_energy(const isg_machine *machine, const double *lambda,
                                           double *out);
ISG_API isg_status isg_machine_free_energy_gradient(const isg_machine *machine,
                                                    const double *lambda, double *gradient);
ISG_API double isg_machine_log_free_constant(const isg_machine *machine);

/* The input x (n_visible) to the spins given lambda; the mean of lambda given s and tau, or given
   s alone if `tau` is NULL; the mean of tau given lambda. */
ISG_API isg_status isg_machine_visible_input(const isg_machine *machine, const double *lambda,
                                             double *x);
ISG_API void isg_machine_hidden_mean(const isg_machine *machine, const uint64_t *spins,
                                     const double *tau, double *lambda);
ISG_API isg_status isg_machine_tau_mean(const isg_machine *machine, const double *lambda,
                                        double *tau);

/* The paper's own three layers, for a three-layer machine:
       H = |tau|^2 / 2 - i lambda^T (A / N)^1/2 tau - s^T xi lambda / sqrt(N) - b.s
   With tau integrated first, the same Z with the same constant. */
ISG_API isg_status isg_machine_complex_energy(const isg_machine *machine, const uint64_t *spins,
                                              const double *lambda, const double *tau, double *real,
                                              double *imaginary);

/* What is left of it with tau integrated, up to the constant (2 pi / beta)^(p/2): real, and least at
   the mean of lambda given s, where it is H(s). */
ISG_API isg_status isg_machine_complex_lambda_energy(const isg_machine *machine,
                                                     const uint64_t *spins, const double *lambda,
                                                     double *out);

/* States of many copies of a machine, one a row. */
typedef struct isg_machine_chains {
    size_t count;
    uint64_t *spins; /* (count, words of 64 spins), packed */
    double *lambda;  /* (count, n_hidden) */
    double *tau;     /* (count, n_hidden); NULL without a third layer */
} isg_machine_chains;

/* Block-Gibbs sweeps: lambda given the rest, then the rest given lambda. Sweep t of chain k is a
   function of the seed, step + t and k, so calls can be cut anywhere. */
ISG_API isg_status isg_machine_sweep(const isg_machine *machine, const isg_machine_chains *chains,
                                     uint64_t seed, uint64_t step, size_t sweeps);

/* ---- Principal axes -------------------------------------------------------------------------- */

/* The directions in which the spins vary most: eigenvectors of their covariance (means removed,
   divided by n_samples) as unit columns of `components` (n_visible, n_components), the largest
   variance first; the largest entry of each is positive. ISG_ERR_ARGUMENT if the data vary in
   fewer directions. */
ISG_API isg_status isg_pca(const isg_dataset *data, size_t n_components, isg_matd components,
                           double *variances);

/* ---- From a Hopfield network to an RBM ------------------------------------------------------- */

/* Which W: all but the last have orthonormal columns and give the projection rule
   J = W W^T = xi (xi^T xi)^-1 xi^T, the last gives the Hebbian rule J = xi xi^T / N. */
typedef enum isg_decomposition {
    ISG_VIA_QR,     /* W = Q of xi = QR with a positive diagonal of R */
    ISG_VIA_SVD,    /* W = U of xi = U S V^T, singular values falling */
    ISG_VIA_SQRT,   /* W = xi (xi^T xi)^-1/2, the orthonormal matrix nearest to xi */
    ISG_VIA_HEBBIAN /* W = xi / sqrt(N) */
} isg_decomposition;

/* Start from isg_mapping_defaults(); defaults are in brackets. */
typedef struct isg_mapping_options {
    isg_decomposition via;     /* [ISG_VIA_QR] */
    double beta;               /* inverse temperature [2] */
    const double *field;       /* b (n_visible) of the network, carried over [NULL: zero] */
    bool allow_rank_deficient; /* map dependent patterns with fewer hidden units [false] */
} isg_mapping_options;

/* How exact a mapping is, J = W W^T; each error is the largest entry in size. J is not formed,
   but asking for the projector error costs n_visible^2 n_hidden multiplications. */
typedef struct isg_mapping_report {
    isg_decomposition via;
    size_t n_hidden;
    size_t rank;                 /* number of independent patterns */
    double orthogonality_error;  /* W^T W - I */
    double reconstruction_error; /* W R - xi */
    double projector_error;      /* J^2 - J */
    double fixed_point_error; /* J xi - xi: below 1, every pattern is a fixed point of sgn(J s) */
    double trace;             /* of J: n_hidden, for all four */
} isg_mapping_report;

ISG_API isg_mapping_options isg_mapping_defaults(void);

/* The RBM whose p(s) is that of the Hopfield network, exactly; it keeps a copy of the patterns.
   `options` and `report` may be NULL. Dependent patterns are ISG_ERR_ARGUMENT with a sentence that
   names the combination, except by ISG_VIA_HEBBIAN, which does not mind. If allowed, the network
   gets one hidden unit per independent pattern: qr and sqrt then decompose the best conditioned
   choice of such patterns, in their order, and svd drops the singular values that are zero. */
ISG_API isg_status isg_rbm_from_patterns(isg_rbm **out, const isg_patterns *patterns,
                                         const isg_mapping_options *options,
                                         isg_mapping_report *report);

/* R (n_hidden, n_patterns) with W R = xi, the patterns in terms of the hidden units: the triangle
   of qr, S V^T of svd, (xi^T xi)^1/2 of sqrt, sqrt(N) times the identity of hebbian. Its data are
   NULL if unknown. */
ISG_API isg_matd_view isg_rbm_coefficients(const isg_rbm *rbm);

/* One pattern more (packed; `label` as the others have, NULL if they have none) or less in an RBM
   mapped via qr, in O(N p) without decomposing again: the same RBM as a new mapping gives, up to
   rounding. Pointers to its weights, fields and patterns become invalid. Other hidden fields than
   zero turn with the weights. ISG_ERR_ARGUMENT if the RBM is not as ISG_VIA_QR made it, if the
   pattern depends on those that are there, or if the last one would go. */
ISG_API isg_status isg_rbm_append_pattern(isg_rbm *rbm, const uint64_t *pattern, const char *label);
ISG_API isg_status isg_rbm_remove_pattern(isg_rbm *rbm, size_t mu);

/* A .npz with W (N, p), b (N), c (p), beta and, where known, xi, labels and R; `command` is kept in
   its meta.json. What was saved is loaded bit for bit. Of files that others wrote only W and beta
   are required; numbers that are not finite are refused with their place. */
ISG_API isg_status isg_rbm_save(const isg_rbm *rbm, const char *path, uint64_t seed,
                                const char *command);
ISG_API isg_status isg_rbm_load(isg_rbm **out, const char *path);

/* A picture of the patterns, if known, above the columns of W (PNG): red is positive, blue
   negative, white zero. ISG_ERR_ARGUMENT if the visible units are no image. */
ISG_API isg_status isg_rbm_picture(const isg_rbm *rbm, const char *path);

/* ---- From an RBM to a Hopfield network ------------------------------------------------------- */

/* The spins alone, lambda integrated out: H(s) = -s^T J s / 2 - (b + W c).s with J = W W^T. */
typedef struct isg_integrated {
    size_t n_visible;
    size_t n_hidden;
    size_t rank;                /* of W, and so of J */
    double orthogonality_error; /* largest entry of W^T W - I: zero if J is a projector */
    double orthogonal_distance; /* |W - L|_F from the nearest orthonormal L = U V^T (Loewdin) */
    double correction;          /* |C - U U^T| = largest |sigma^-2 - 1|, where
                                   J = W X (X^T W^T C W X)^-1 X^T W^T with C = U Sigma^-2 U^T would be
                                   the projection rule of W X if C were U U^T; infinite if the
                                   rank is not full */
    bool is_binary;             /* every column of W is a number times a pattern of +1 and -1 ... */
    bool is_hebbian;            /* ... the same one for all: J is N w^2 times xi xi^T / N */
    double hebbian_beta;        /* then N w^2 beta, at which the Hebbian network is this RBM;
                                   else NaN */
    bool has_field;             /* whether b + W c is not zero */
} isg_integrated;

/* `singular_values` (the smaller of n_visible and n_hidden, falling) and `field` (n_visible) b + W c
   may be NULL. ISG_ERR_ARGUMENT if a weight is not finite. */
ISG_API isg_status isg_rbm_integrate(const isg_rbm *rbm, isg_integrated *out,
                                     double *singular_values, double *field);

/* The RBM with the orthonormal weights nearest to W, L = U V^T for W = U Sigma V^T, and the rest as
   it is: its J is a projector. ISG_ERR_ARGUMENT if the columns of W are linearly dependent. */
ISG_API isg_status isg_rbm_orthonormalize(isg_rbm **out, const isg_rbm *rbm);

/* Binarization: X that makes W X nearly binary, so that B = sgn(W X) may be the patterns of a
   Hopfield network. For given B the best X is W^+ B, and what is left, the residual of a pattern b,
   is |b - P b|^2 = N - b^T P b with P = W W^+: twice the energy of b in the projection network of
   W's columns, plus N. */
typedef struct isg_unmapping isg_unmapping;

typedef enum isg_unmap_method {
    ISG_UNMAP_DESCENT,  /* the paper's: gradient descent on |W X - tanh(alpha W X)|^2 */
    ISG_UNMAP_RELAX,    /* b <- sgn(P b), which lowers the residual until b is a fixed point: from
                           sgn(W X0) and from the end of descent, whichever goes lower */
    ISG_UNMAP_ENUMERATE /* relax all 2^(p-1) states that a binary vector in the span of W can have
                           on p well-chosen units, and choose p patterns of small residual that are
                           far from dependent; if p > 24, relax data, patterns and random states */
} isg_unmap_method;

/* Where descent and relax start from. */
typedef enum isg_unmap_start {
    ISG_UNMAP_FROM_MODEL,    /* X0 = R, if the RBM knows it; else W's columns, if they are binary;
                                else as from random */
    ISG_UNMAP_FROM_PATTERNS, /* X0 = W^+ xi for the given patterns */
    ISG_UNMAP_FROM_RANDOM    /* many random states; patterns are then chosen as by enumeration */
} isg_unmap_start;

/* Start from isg_unmap_defaults(); defaults are in brackets. */
typedef struct isg_unmap_options {
    isg_unmap_method method;      /* [ISG_UNMAP_RELAX] */
    isg_unmap_start start;        /* [ISG_UNMAP_FROM_MODEL] */
    const isg_patterns *patterns; /* to start from, one per hidden unit; to enumerate, only what
                                     the result is compared with [NULL: the RBM's own] */
    size_t restarts;              /* random states, per pattern to be found [50] */
    const isg_dataset *data;      /* rows to relax as well, where states are random [NULL] */
    double alpha;                 /* descent: steepness of tanh [200] */
    double gamma;                 /* descent: step size, below 1 / sigma_max^2 [0.05] */
    size_t steps;                 /* descent: number of steps [50] */
    bool flip;                    /* then flip single spins while that lowers the residual, so that
                                     every pattern becomes a minimum of H [false] */
    uint64_t seed;                /* same seed, same patterns, on any number of threads [1] */
    const isg_progress *progress; /* [NULL] */
} isg_unmap_options;

ISG_API isg_unmap_options isg_unmap_defaults(void);

/* How good it is, by the residual that the same search finds in random subspaces. */
typedef enum isg_binarization {
    ISG_BINARIZATION_EXACT,       /* W X = B up to rounding */
    ISG_BINARIZATION_APPROXIMATE, /* clearly better than chance */
    ISG_BINARIZATION_NONE         /* more than 0.8 of what a random W of the same shape gives */
} isg_binarization;

/* A pattern in a network, with J's diagonal and without. */
typedef struct isg_unmapped_state {
    bool is_fixed_point;                  /* b = sgn(J b + field), where sgn(0) keeps */
    bool is_fixed_point_without_diagonal; /* the same with J_ii = 0 */
    bool is_stable;                       /* every single flip raises H */
} isg_unmapped_state;

typedef struct isg_unmapped_pattern {
    double residual;              /* |b - P b|^2 */
    double error;                 /* |W x - b|^2 at the x that was found: at least the residual */
    size_t known;                 /* the known pattern next to it; SIZE_MAX if there is none */
    size_t bits_changed;          /* from that; SIZE_MAX likewise */
    size_t same_as;               /* the first pattern that equals it up to sign; often itself */
    isg_unmapped_state projector; /* in the network of J = P */
    isg_unmapped_state model;     /* in that of J = W W^T and field b + W c */
    /* The appendix' conditions, E = W x - b and J = P: units at which (a) |J E| < |W x|, or
       (b) J E has the other sign than W x. If none is left over, b is a fixed point. */
    size_t n_small, n_compatible, n_left_over;
} isg_unmapped_pattern;

typedef struct isg_unmap_report {
    isg_unmap_method method;
    isg_unmap_start start; /* as it was in the end; for enumeration, from random */
    size_t n_visible;
    size_t n_hidden;
    size_t n_patterns;
    size_t n_distinct;      /* of them, up to sign */
    size_t rank;            /* of them */
    size_t n_starts;        /* states relaxed or descended from */
    size_t n_candidates;    /* different results, up to sign, that the patterns were chosen from;
                                at most 8192, the best. 0 if each start has its own pattern */
    bool is_exhaustive;     /* whether all 2^(p-1) starts were tried */
    double residual;        /* sum over the patterns */
    double error;           /* |W X - sgn(W X)|_F, as the paper has it */
    double residual_before; /* at X0; NaN if each pattern has no start of its own */
    double error_before;
    double sign_baseline;   /* residual of as many random patterns, on average: (N - p) each */
    double random_baseline; /* residual found in the same way for a random W */
    isg_binarization verdict;
} isg_unmap_report;

/* `options` may be NULL. Patterns from starts of their own keep their order; others stand in the
   order of the known patterns they are nearest to and take their sign and label, or, if none are known,
   by residual, with fewer +1 than -1. ISG_ERR_ARGUMENT if the columns of W are linearly dependent,
   ISG_ERR_SHAPE if patterns or data do not fit. */
ISG_API isg_status isg_unmap(isg_unmapping **out, const isg_rbm *rbm,
                             const isg_unmap_options *options);
ISG_API void isg_unmapping_free(isg_unmapping *unmapping); /* NULL is fine */
ISG_API isg_unmap_report isg_unmapping_describe(const isg_unmapping *unmapping);
ISG_API const isg_patterns *isg_unmapping_patterns(const isg_unmapping *unmapping);
ISG_API isg_unmapped_pattern isg_unmapping_pattern(const isg_unmapping *unmapping, size_t mu);
ISG_API isg_matd_view isg_unmapping_coefficients(const isg_unmapping *unmapping); /* X (p, count) */

/* A picture of the known patterns, if any, above W X above the patterns found (PNG), as Fig. D.1 of
   the paper: red is positive, blue negative. ISG_ERR_ARGUMENT if the units are no image. */
ISG_API isg_status isg_unmapping_picture(const isg_unmapping *unmapping, const char *path);

/* ---- Verification ---------------------------------------------------------------------------- */

/* A quantity that theory says is zero, and what rounding may leave of it. */
typedef struct isg_check {
    char name[96];
    double value;
    double bound;
    bool ok; /* value <= bound */
} isg_check;

typedef struct isg_checks isg_checks;

/* The identities behind the mappings: on the given patterns, with energies on 10000 random states,
   or, if `patterns` is NULL, energies and ln Z over all states of small random networks, with and
   without field, at beta 0.5, 1 and 2. */
ISG_API isg_status isg_verify(isg_checks **out, const isg_patterns *patterns, uint64_t seed,
                              const isg_progress *progress);
ISG_API size_t isg_checks_count(const isg_checks *checks);
ISG_API const isg_check *isg_checks_get(const isg_checks *checks, size_t k);
ISG_API void isg_checks_free(isg_checks *checks); /* NULL is fine */

/* ---- Gibbs sampling -------------------------------------------------------------------------- */

/* Many states of one RBM, moved by block-Gibbs sweeps: lambda given the spins, then spins given
   lambda. Chain k in sweep t is a function of the seed, k and t alone, whatever the number of
   threads, the instruction set and the number of calls. W and the fields are copied. */
typedef struct isg_chains isg_chains;

/* Spins drawn at random, +1 and -1 equally likely. ISG_ERR_DIVERGED if the weights are not finite. */
ISG_API isg_status isg_chains_create(isg_chains **out, const isg_rbm *rbm, size_t count,
                                     uint64_t seed);
ISG_API void isg_chains_free(isg_chains *chains); /* NULL is fine */

/* The spins of one chain, packed. */
ISG_API void isg_chains_set_spins(isg_chains *chains, size_t k, const uint64_t *spins);
ISG_API const uint64_t *isg_chains_spins(const isg_chains *chains, size_t k);

/* The hidden units (n_hidden) that the last sweep drew and made the spins from; zero before. */
ISG_API const float *isg_chains_hidden(const isg_chains *chains, size_t k);

/* Spins that stay as they are from now on, in all chains: packed, set for those; NULL for none. */
ISG_API void isg_chains_clamp(isg_chains *chains, const uint64_t *units);

/* ISG_ERR_ARGUMENT unless beta, which may differ from the RBM's, is positive. */
ISG_API isg_status isg_chains_sweep(isg_chains *chains, size_t sweeps, double beta);

/* H(s) of every chain (count). */
ISG_API void isg_chains_energy(const isg_chains *chains, double *energies);

/* ---- Samples: what chains look like, and how fast they forget -------------------------------- */

typedef struct isg_chains_info {
    size_t count;
    size_t n_visible;
    size_t n_hidden;
    uint64_t seed;
    uint64_t sweeps;     /* done so far */
    size_t image_height; /* of the RBM; 0 if its visible units are no image */
    size_t image_width;
} isg_chains_info;

ISG_API isg_chains_info isg_chains_describe(const isg_chains *chains);

/* A .npz with s (count, N) as int8, lambda (count, p), the hidden units that the last sweep drew, as
   float32, and energy (count), H(s); `command` is kept in its meta.json. */
ISG_API isg_status isg_chains_save(const isg_chains *chains, const char *path, const char *command);

/* The spins of all chains as images in rows of `columns` (PNG): +1 is white, -1 black, both blue
   where they are clamped. The shape is (height, width), or that of the RBM for 0, 0. ISG_ERR_ARGUMENT
   if there is none, ISG_ERR_SHAPE if it does not have n_visible pixels. */
ISG_API isg_status isg_chains_picture(const isg_chains *chains, const char *path, size_t columns,
                                      size_t height, size_t width);

/* The integrated autocorrelation time of a quantity followed through many chains, in steps:
       time = 1 + 2 sum over t = 1 .. window of C(t) / C(0)
   with C(t) the autocovariance around the mean of all chains, averaged over them. The mean over n
   steps of a chain is worth n / time independent values. */
typedef struct isg_autocorrelation {
    double time;      /* NaN if nothing varies */
    double error;     /* standard error of time: time sqrt(2 (2 window + 1) / values) */
    size_t window;    /* the first that is at least 5 times (Sokal); shorter, and time too short, if
                         that would be over half the length of the chains */
    bool is_reliable; /* the chains are at least 50 times long */
} isg_autocorrelation;

/* `series` (chains, steps) of at least 4 steps of finite numbers; else ISG_ERR_ARGUMENT. */
ISG_API isg_status isg_autocorrelation_time(isg_matd_view series, isg_autocorrelation *out);

/* Split R-hat of such series (Gelman et al., Bayesian Data Analysis, 3rd ed., 11.4): every chain is
   cut into halves of n steps, the middle one left out if their number is odd; with W the mean of the
   2 * chains variances and B / n the variance of the means (both unbiased),
       R = sqrt(((n - 1) W / n + B / n) / W)
   is 1 for chains that agree; above 1.1, or better 1.01, they have not converged. Infinite if
   every half stands still, but not at the same place; NaN if nothing varies at all. */
ISG_API isg_status isg_split_rhat(isg_matd_view series, double *out);

/* Whether the chains of such series stay in different modes, so that making them longer will not help:
   split R-hat is above 1.1, B / (n W) is at least 0.8 of what it is in the first half of the steps
   (0.5 is usual for chains that are merely slow), and at most 1 % of the variance B / n of the
   half-chain means is between the two halves of one chain. False for fewer than 8 steps. */
ISG_API isg_status isg_series_trapped(isg_matd_view series, bool *out);

/* What a number of sweeps showed of the energies H(s) and of the hidden units lambda. */
typedef struct isg_decorrelation {
    size_t chains, sweeps;
    isg_autocorrelation energy;
    isg_autocorrelation hidden; /* of the slowest hidden unit */
    size_t slowest_unit;
    double energy_rhat;
    double hidden_rhat; /* the largest of all hidden units */
    bool is_reliable;   /* both times are */
    bool is_trapped;    /* the quantity of the largest R-hat is, as by isg_series_trapped() */
} isg_decorrelation;

/* Sweeps the chains `skip` times, so that they may forget their start, then `sweeps` times, which are
   measured. Everything is kept meanwhile, so that it takes 8 chains sweeps (n_hidden + 1) bytes:
   ISG_ERR_UNSUPPORTED above 2 GiB. ISG_ERR_ARGUMENT for fewer than 4 sweeps or a beta that is not
   positive. If `progress`, which may be NULL, cancels, the chains have moved all the same. */
ISG_API isg_status isg_chains_measure(isg_chains *chains, size_t skip, size_t sweeps, double beta,
                                      isg_decorrelation *out, const isg_progress *progress);

/* ---- Training: contrastive divergence -------------------------------------------------------- */

/* What the spins after the last sweep are paired with. */
typedef enum isg_estimator {
    ISG_ESTIMATOR_SAMPLED, /* the hidden units that they were drawn from, as in the paper */
    ISG_ESTIMATOR_MEAN /* the mean hidden units that they imply: less noise, half a sweep more */
} isg_estimator;

/* A learning rate, from an epoch on; epochs count from 0. */
typedef struct isg_rate {
    double rate;
    size_t from_epoch;
} isg_rate;

/* Start from isg_train_defaults(); defaults are in brackets. */
typedef struct isg_train_options {
    size_t batch_size;     /* samples per update [100]; the last one of an epoch may have fewer, and
                              its step is then smaller in proportion */
    size_t gibbs_steps;    /* sweeps per update, the K of CD-K [20] */
    const isg_rate *rates; /* (n_rates), the first from epoch 0, ascending [1e-4 throughout] */
    size_t n_rates;
    isg_estimator estimator; /* [ISG_ESTIMATOR_SAMPLED] */
    bool persistent;         /* PCD: batch_size chains go on from update to update, instead of
                                starting from the data [false] */
    bool fields;             /* train b and c too [false] */
    bool shuffle;            /* visit the samples in a new order every epoch [false] */
    uint64_t seed;           /* same seed, same weights, on any number of threads [1] */
} isg_train_options;

/* How far a training is. */
typedef struct isg_train_state {
    uint64_t epochs;  /* finished */
    uint64_t updates; /* done in all */
    size_t batch;     /* of the epoch under way, to be done next */
    size_t n_batches; /* in an epoch */
} isg_train_state;

/* What the updates of one epoch did. */
typedef struct isg_epoch_report {
    uint64_t epoch;              /* 1 for the first */
    uint64_t updates;            /* done in all */
    double rate;                 /* the learning rate it had */
    double reconstruction_error; /* mean share of spins that differ from the data after one sweep */
} isg_epoch_report;

/* Borrows `rbm`, which it trains and nobody else may change meanwhile, and `data`; both must
   outlive it. */
typedef struct isg_trainer isg_trainer;

ISG_API isg_train_options isg_train_defaults(void);

/* ISG_ERR_SHAPE if data and RBM disagree on n_visible, ISG_ERR_ARGUMENT for options without a
   meaning. The options are copied. */
ISG_API isg_status isg_trainer_create(isg_trainer **out, isg_rbm *rbm, const isg_dataset *data,
                                      const isg_train_options *options);
ISG_API void isg_trainer_free(isg_trainer *trainer); /* NULL is fine */
ISG_API isg_train_state isg_trainer_describe(const isg_trainer *trainer);

/* One mini-batch. Allocates nothing. ISG_ERR_DIVERGED if a weight would leave the finite numbers;
   then nothing has changed. */
ISG_API isg_status isg_trainer_update(isg_trainer *trainer);

/* The rest of the epoch under way, or the next one. If `progress`, reported after every update,
   cancels or an update diverges, the trainer stands after the last good one and can go on. After
   the last update of the epoch nothing is left to cancel. `report` and `progress` may be NULL. */
ISG_API isg_status isg_trainer_epoch(isg_trainer *trainer, isg_epoch_report *report,
                                     const isg_progress *progress);

/* Everything that a new trainer of the same RBM sizes, data and options needs to go on as if
   nothing had happened, W, b and c included. Loading refuses a file of another training
   (ISG_ERR_SHAPE) and a damaged one (ISG_ERR_FORMAT), and then leaves the trainer as it was. */
ISG_API isg_status isg_trainer_save(const isg_trainer *trainer, const char *path);
ISG_API isg_status isg_trainer_load(isg_trainer *trainer, const char *path);

/* Where training may start from, besides patterns: independent normal weights of standard
   deviation `deviation`, and the principal axes of the data; fields zero. */
ISG_API isg_status isg_rbm_start_normal(isg_rbm **out, size_t n_visible, size_t n_hidden,
                                        double beta, double deviation, uint64_t seed);
ISG_API isg_status isg_rbm_start_pca(isg_rbm **out, const isg_dataset *data, size_t n_hidden,
                                     double beta);

/* ---- Run directories: training that survives anything ---------------------------------------- */

/* A directory with one training in it:
       run.json                             what was asked for, a text of the caller's
       model.npz                            the RBM as it was saved last
       epochs.csv                           a row for the start and for every finished epoch
       checkpoint-1.npz, checkpoint-2.npz   all that is needed to go on, the last two saved in turn
       run.lock                             while a process is at work there
   Every file is replaced whole. Whenever a process is killed, the training goes on from what it
   left as if nothing had happened, to the same last bit. Other files are left alone. */
typedef struct isg_run isg_run;

/* A row of epochs.csv; NaN, an empty cell, is what was not computed. */
typedef struct isg_run_row {
    uint64_t epoch;   /* 0 is the start */
    uint64_t updates; /* done by then */
    double seconds;   /* of training by then, in all processes */
    double reconstruction_error;
    double log_likelihood; /* per sample */
    double log_likelihood_error;
} isg_run_row;

typedef struct isg_run_info {
    const char *settings; /* run.json; NULL if no run is in the directory */
    const char
        *in_the_way; /* when it was opened: a file that isg_run_begin() would replace, or NULL */
    bool has_checkpoint; /* likewise */
    const char *remark;  /* of the last isg_run_resume(): which checkpoint was not used, and why;
                           NULL if there is nothing to tell */
    /* Once begun or resumed: */
    isg_train_state state;
    double seconds; /* of training, in all processes */
    const isg_run_row *rows;
    size_t n_rows;
} isg_run_info;

/* Start from isg_run_defaults(); defaults are in brackets. */
typedef struct isg_run_options {
    isg_train_options train; /* [isg_train_defaults()] */
    const char *command;     /* kept in the meta.json of model.npz [NULL] */
    double save_every_s;     /* within an epoch. Its end is saved too, but if the last save is less
                                than a second ago and there is more to do, only later [30] */
} isg_run_options;

ISG_API isg_run_options isg_run_defaults(void);

/* Opens a directory, which is made first if `may_create`, for this process alone: ISG_ERR_IO if it is
   not there, or if it is open elsewhere. */
ISG_API isg_status isg_run_open(isg_run **out, const char *path, bool may_create);
ISG_API void isg_run_close(isg_run *run);                  /* nothing is saved; NULL is fine */
ISG_API isg_run_info isg_run_describe(const isg_run *run); /* valid until the run changes */
ISG_API isg_rbm *isg_run_rbm(isg_run *run);                /* NULL unless begun or resumed */

/* A new training from `rbm`, which the run takes over if this succeeds, on `data`, which it borrows;
   one that was there before is replaced. */
ISG_API isg_status isg_run_begin(isg_run *run, const char *settings, isg_rbm *rbm,
                                 const isg_dataset *data, const isg_run_options *options);

/* Goes on from the last checkpoint, or from the one before if that is damaged. ISG_ERR_FORMAT if both
   are, ISG_ERR_SHAPE, with a word about what differs, if it is a training of other data or options.
   Then nothing has changed. */
ISG_API isg_status isg_run_resume(isg_run *run, const isg_dataset *data,
                                  const isg_run_options *options);

/* Trains until `epochs` epochs are finished, in all. Everything is saved in the end, now and then
   before (see save_every_s), and when `progress`, reported after every update, cancels. After
   ISG_ERR_DIVERGED model.npz has the last finite weights. If something cannot be written, what was
   saved last is still there. */
ISG_API isg_status isg_run_train(isg_run *run, uint64_t epochs, const isg_progress *progress);

/* What the model of the epoch just finished, or of the start, makes of the data: kept in its row. */
ISG_API isg_status isg_run_set_score(isg_run *run, double value, double error);

/* Writes another run.json. */
ISG_API isg_status isg_run_set_settings(isg_run *run, const char *settings);

/* ---- Estimates of ln Z ----------------------------------------------------------------------- */

typedef enum isg_log_z_method {
    ISG_LOG_Z_EXACT,
    ISG_LOG_Z_AIS,
    ISG_LOG_Z_MIXTURE
} isg_log_z_method;

/* What the error of an estimate says. */
typedef enum isg_log_z_side {
    ISG_SIDE_EXACT, /* it is a bound on rounding or quadrature */
    ISG_SIDE_BOTH,  /* one standard error, as likely too high as too low */
    ISG_SIDE_LOWER, /* the estimate is too low on average, by more than the error may show */
    ISG_SIDE_UPPER  /* too high on average */
} isg_log_z_side;

/* ln Z as far as it is known. */
typedef struct isg_log_z {
    double value;
    double error; /* one standard error, or a bound if exact; NaN if it cannot be told, and then
                     the value is not trusted, and the reason says so */
    isg_log_z_method method;
    isg_log_z_side side;
    double ess;       /* effective number of samples; 0 if exact */
    size_t samples;   /* chains or draws behind it; 0 if exact */
    double spread;    /* AIS: standard deviation of the repeats; else NaN */
    size_t modes;     /* mixture: minima of F0, mirror images included; else 0 */
    double laplace;   /* mixture: ln of the sum of the Laplace terms alone; else NaN */
    bool is_trusted;  /* whether ess and error are good enough to be taken at their word */
    char reason[160]; /* if not, why, as a sentence without a final point; else empty */
    char choice[160]; /* if the method was chosen for the caller, why; else empty */
} isg_log_z;

/* Annealed importance sampling: chains go from free spins (alpha = 0) to the RBM (alpha = 1), which
   at alpha has weights alpha W and fields alpha b, alpha c, and weigh their way. */

/* Which distribution the weights belong to; what is left out is summed or integrated away. */
typedef enum isg_ais_weights {
    ISG_AIS_SPIN,   /* p(s): the least noise, and O(n_hidden) a step */
    ISG_AIS_LAMBDA, /* p(lambda), as in the paper's Eq. 7: in double, without the fast kernels */
    ISG_AIS_JOINT   /* p(s, lambda) */
} isg_ais_weights;

typedef enum isg_ais_move {
    ISG_AIS_GIBBS, /* a block-Gibbs sweep */
    ISG_AIS_HMC    /* a Hamiltonian trajectory in lambda; for ISG_AIS_LAMBDA only */
} isg_ais_move;

/* Start from isg_ais_defaults(); defaults are in brackets. */
typedef struct isg_ais_options {
    size_t chains;                /* in one repeat [500] */
    size_t steps;                 /* from 0 to 1 [1000] */
    size_t repeats;               /* [1] */
    isg_ais_weights weights;      /* [ISG_AIS_SPIN] */
    isg_ais_move move;            /* [ISG_AIS_GIBBS] */
    double hmc_step;              /* of a leapfrog [0.2] */
    size_t hmc_leapfrogs;         /* in a trajectory [2] */
    const double *schedule;       /* (steps + 1): alpha, rising from 0 to 1 [NULL: evenly spaced] */
    uint64_t seed;                /* [1] */
    const isg_progress *progress; /* [NULL] */
} isg_ais_options;

ISG_API isg_ais_options isg_ais_defaults(void);

/* ln Z, which comes out too low on average. `log_weights` (repeats, chains) receives the logarithms
   of the weights, whose mean is Z / 2^n_visible; it may be NULL. */
ISG_API isg_status isg_ais_log_z(const isg_rbm *rbm, const isg_ais_options *options, isg_log_z *out,
                                 double *log_weights);

/* The other way, from states `spins` (repeats, chains; packed) of the RBM to free spins, by spin
   weights and Gibbs sweeps: too high on average if the states are exact samples, and nothing in
   particular if they are not. */
ISG_API isg_status isg_ais_reverse(const isg_rbm *rbm, const uint64_t *spins,
                                   const isg_ais_options *options, isg_log_z *out,
                                   double *log_weights);

/* ln Z at each of betas (n) in place of the RBM's own, into out (n), from a single annealing by spin
   weights that stops at all of them. */
ISG_API isg_status isg_ais_log_z_betas(const isg_rbm *rbm, const isg_ais_options *options,
                                       const double *betas, size_t n, isg_log_z *out);

/* An interval that ln Z lies in with at least this probability. */
typedef struct isg_interval {
    double low, high;
    double confidence;
    size_t batches;
} isg_interval;

/* Rigorous, from options->repeats independent batches each way; only where exact samples exist
   (ISG_ERR_UNSUPPORTED elsewhere). Spin weights and Gibbs sweeps. */
ISG_API isg_status isg_ais_certificate(const isg_rbm *rbm, const isg_ais_options *options,
                                       double confidence, isg_interval *out);

/* A schedule in which every step costs the same: a pilot of options->chains chains goes on to the
   alpha at which the effective number of its chains, all equal before the step, is `target` times
   what it was, 0 < target < 1. Release it with isg_schedule_free(). */
ISG_API isg_status isg_ais_schedule(const isg_rbm *rbm, const isg_ais_options *options,
                                    double target, double **schedule, size_t *steps);
ISG_API void isg_schedule_free(double *schedule); /* NULL is fine */

/* ---- Importance sampling of lambda ----------------------------------------------------------- */

/* ln Z = ln of the mean of f / q over draws of lambda from q: a mixture of Gaussians around the minima
   of F0 that could be found, each fitted to Gibbs chains, where f is exp(-beta F0) with the
   constants of Z.

   It is as good as the list of minima. Gibbs chains annealed from random spins, the witnesses, look
   for what is missing; if they find more than 1 % of Z where q has no weight, or most of them end
   there, or few of the draws count, the result is not trusted, says why, and is likely too low. What
   can not be noticed is a minimum that no search and no witness ever came to, however much of Z it
   holds: one with a tiny basin in a landscape with others. */

/* Start from isg_mixture_defaults(); defaults are in brackets. */
typedef struct isg_mixture_options {
    size_t samples;       /* draws, at least 1000; a tenth if they would not be trusted [100000] */
    size_t random_starts; /* random states that searches for minima start from [64] */
    size_t witnesses;     /* annealed chains, twice, and 8 times as many to fit with [256] */
    const isg_dataset *data;      /* whose rows searches start from as well [NULL: none] */
    size_t data_starts;           /* how many of them, evenly spread [256] */
    uint64_t seed;                /* same seed, same result, on any number of threads [1] */
    const isg_progress *progress; /* [NULL] */
} isg_mixture_options;

ISG_API isg_mixture_options isg_mixture_defaults(void);

/* `options` may be NULL. The patterns that the RBM was made of, if known, are starts too.
   ISG_ERR_SHAPE if data and RBM disagree on n_visible. */
ISG_API isg_status isg_mixture_log_z(const isg_rbm *rbm, const isg_mixture_options *options,
                                     isg_log_z *out);

/* ---- ln Z, by whatever suits the model ------------------------------------------------------- */

/* Which method to take. */
typedef enum isg_log_z_choice {
    ISG_CHOOSE_AUTO, /* exact if that is quick, else mixture if it can be trusted, else AIS, or the
                        larger of the two if that cannot be trusted either */
    ISG_CHOOSE_EXACT,
    ISG_CHOOSE_AIS,
    ISG_CHOOSE_MIXTURE
} isg_log_z_choice;

/* Start from isg_log_z_defaults(); defaults are in brackets. */
typedef struct isg_log_z_options {
    isg_log_z_choice choice;      /* [ISG_CHOOSE_AUTO] */
    size_t patience;              /* auto: how often AIS that cannot be trusted may be done again
                                     with four times the steps [2] */
    isg_ais_options ais;          /* [isg_ais_defaults()] */
    isg_mixture_options mixture;  /* [isg_mixture_defaults()] */
    const isg_progress *progress; /* of all of it [NULL] */
} isg_log_z_options;

ISG_API isg_log_z_options isg_log_z_defaults(void);

/* Where the method was chosen, out->choice says why. */
ISG_API isg_status isg_rbm_log_z(const isg_rbm *rbm, const isg_log_z_options *options,
                                 isg_log_z *out);

/* The same at each of betas (n) in place of the RBM's own, into out (n); what is left to AIS shares
   one annealing. */
ISG_API isg_status isg_rbm_log_z_betas(const isg_rbm *rbm, const isg_log_z_options *options,
                                       const double *betas, size_t n, isg_log_z *out);

/* ---- Scores ---------------------------------------------------------------------------------- */

/* The mean of ln p(s) + ln Z = -beta H(s) over the samples of a data set: exact, but for rounding. */
typedef struct isg_data_term {
    size_t samples;
    double mean;      /* 0 without samples */
    double deviation; /* standard deviation over the samples; NaN below two */
} isg_data_term;

/* `by_class` (n_classes) may be NULL. ISG_ERR_SHAPE if RBM and data disagree on n_visible. */
ISG_API isg_status isg_rbm_data_term(const isg_rbm *rbm, const isg_dataset *data,
                                     isg_data_term *all, isg_data_term *by_class);

/* ---- Speed ----------------------------------------------------------------------------------- */

/* The floating-point operations per second of all threads together when they do nothing but
   independent multiply-adds in the instruction set in use, each at its best within about so many
   seconds: what no product of matrices can pass. ISG_ERR_ARGUMENT unless `seconds` is positive. */
ISG_API isg_status isg_peak(double seconds, double *out);

/* ---- Logistic regression --------------------------------------------------------------------- */

/* p(class k | x) = exp(u_k) / sum_l exp(u_l),  u_k = intercept_k + sum_j coefficient_kj z_j, where
   z_j = (x_j - mean_j) / scale_j is a standardized feature. All classes have coefficients, and the
   intercepts sum to zero. */
typedef struct isg_logistic isg_logistic;

typedef enum isg_logistic_method {
    ISG_LOGISTIC_AUTO,   /* Newton for small problems, else L-BFGS */
    ISG_LOGISTIC_NEWTON, /* damped, with a Cholesky factor: memory ~ (n_classes * n_features)^2 */
    ISG_LOGISTIC_LBFGS   /* and conjugate gradients where rounding ends it */
} isg_logistic_method;

/* Start from isg_logistic_defaults(); defaults are in brackets. */
typedef struct isg_logistic_options {
    isg_logistic_method method; /* [ISG_LOGISTIC_AUTO] */
    double l2;        /* l2 / 2 |coefficients|^2 is added to the SUM of the losses, so that it is
                          1 / C of scikit-learn; the intercepts are free [1e-3] */
    bool standardize; /* else means are 0 and scales 1, and the penalty is on that scale [true] */
    double tolerance; /* for the largest entry of the gradient of the mean loss, by features
                          standardized in any case [1e-10] */
    size_t max_iterations;        /* [5000] */
    const isg_progress *progress; /* [NULL] */
} isg_logistic_options;

/* What was minimized is loss + penalty. */
typedef struct isg_logistic_report {
    isg_logistic_method method; /* the one used */
    bool converged;             /* the gradient is within the tolerance of a minimum that exists */
    size_t iterations;          /* steps of Newton; or of L-BFGS and of conjugate gradients */
    double gradient;            /* its largest entry, as for the tolerance */
    double loss;                /* mean of -ln p(label | x), in nats */
    double penalty;             /* l2 / 2 |coefficients|^2 / n_samples */
    char reason[160]; /* if not converged, why, as a sentence without a final point; else empty */
} isg_logistic_report;

ISG_API isg_logistic_options isg_logistic_defaults(void);

/* Fits features (n_samples, n_features) to labels (n_samples) below n_classes; `options` and
   `report` may be NULL. The same bits on any number of threads; copies the features once. A fit that
   does not converge is a success that says so: with l2 = 0 there may be no minimum, if the classes
   can be separated, or many, of which one with small coefficients is found. A feature that does not
   vary (by 1e-50) gets scale 1 and coefficients 0. ISG_ERR_ARGUMENT for a feature that is not
   finite or beyond 1e100 in size, with its row and column from 0, for fewer than two classes, for a
   class without samples and for a label that is no class. */
ISG_API isg_status isg_logistic_fit(isg_logistic **out, isg_matd_view features,
                                    const uint32_t *labels, size_t n_classes,
                                    const isg_logistic_options *options,
                                    isg_logistic_report *report);

/* From its numbers, copied: means and scales (n_features), coefficients (n_classes, n_features) and
   intercepts (n_classes). ISG_ERR_ARGUMENT for sizes beyond 1e100, or scales below 1e-50. */
ISG_API isg_status isg_logistic_create(isg_logistic **out, size_t n_classes, size_t n_features,
                                       const double *means, const double *scales,
                                       const double *coefficients, const double *intercepts);

ISG_API void isg_logistic_free(isg_logistic *model); /* NULL is fine */

typedef struct isg_logistic_info {
    size_t n_classes;
    size_t n_features;
} isg_logistic_info;

ISG_API isg_logistic_info isg_logistic_describe(const isg_logistic *model);

/* Views into the model. */
ISG_API isg_matd_view isg_logistic_coefficients(const isg_logistic *model);
ISG_API const double *isg_logistic_intercepts(const isg_logistic *model); /* (n_classes) */
ISG_API const double *isg_logistic_means(const isg_logistic *model);      /* (n_features) */
ISG_API const double *isg_logistic_scales(const isg_logistic *model);     /* (n_features) */

/* The most probable class of every row of features (n_samples, n_features), the first of equals,
   into labels (n_samples), unless NULL; and all probabilities (n_samples, n_classes), unless their
   data are NULL. ISG_ERR_ARGUMENT for features as above; ISG_ERR_SHAPE if sizes disagree. */
ISG_API isg_status isg_logistic_predict(const isg_logistic *model, isg_matd_view features,
                                        uint32_t *labels, isg_matd probabilities);
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
    const isg_progress *progress; /* [NULL] */
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
    isg_recall_options options; /* as given, without progress */
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
   meaning and for dependent patterns, ISG_ERR_UNSUPPORTED for block Gibbs without the diagonal. Same
   seed, same result, on any number of threads. */
ISG_API isg_status isg_recall_run(isg_recall **out, const isg_patterns *patterns,
                                  const isg_dataset *data, const isg_recall_options *options);
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
    const isg_progress *progress; /* [NULL] */
} isg_committor_options;

ISG_API isg_committor_options isg_committor_defaults(void);

/* Of the trajectories that start from each of `states` (n_states, packed), the shares that come to
   each pattern before any other, and in the last column to none: shares (n_states, n_patterns + 1). */
ISG_API isg_status isg_committor(const isg_hopfield *network, const uint64_t *states,
                                 size_t n_states, const isg_committor_options *options,
                                 double *shares);

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
    const isg_progress *progress; /* [NULL] */
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
                               const isg_recovery_options *options, isg_recovery *out);

/* ---- Experts: one RBM for every class -------------------------------------------------------- */

/* The expert of a class is started from its samples and trained on them alone (section 3.2 of the
   paper), with random numbers of its own, a function of the seed and the class. Or there is one for
   all classes, which has seen the labels: see isg_dataset_append_labels(). */
typedef struct isg_experts isg_experts;

typedef enum isg_start {
    ISG_START_HOPFIELD, /* the projection rule of the patterns, mapped by QR */
    ISG_START_HEBBIAN,  /* xi / sqrt(n_visible) */
    ISG_START_PCA,      /* principal axes */
    ISG_START_NORMAL    /* random */
} isg_start;

/* Start from isg_expert_defaults(); defaults are in brackets. */
typedef struct isg_expert_options {
    bool joint;       /* one for all classes, on data with appended labels [false] */
    size_t per_class; /* hidden units of each class; fewer where patterns are dependent [10] */
    isg_start start;  /* [ISG_START_HOPFIELD] */
    double deviation; /* of the weights of ISG_START_NORMAL [0.1] */
    double beta;      /* [2] */
    isg_train_options train;      /* [isg_train_defaults(), but shuffled] */
    const isg_progress *progress; /* of clustering [NULL] */
} isg_expert_options;

ISG_API isg_expert_options isg_expert_defaults(void);

/* Copies the data it needs. ISG_ERR_ARGUMENT, naming the class, if there are not two with samples,
   or not enough samples of one for such a start. `options` may be NULL. */
ISG_API isg_status isg_experts_create(isg_experts **out, const isg_dataset *data,
                                      const isg_expert_options *options);
ISG_API void isg_experts_free(isg_experts *experts); /* NULL is fine */

typedef struct isg_experts_info {
    size_t n_experts;
    size_t n_classes;
    size_t n_visible;
    size_t n_hidden; /* of all experts together */
    uint64_t epochs; /* finished by all */
    size_t next;     /* the expert that isg_experts_step() trains next */
} isg_experts_info;

ISG_API isg_experts_info isg_experts_describe(const isg_experts *experts);
ISG_API isg_rbm *isg_experts_rbm(const isg_experts *experts, size_t k); /* not to be changed */

/* The next epoch of the expert that is furthest behind, the first of equals, or the rest of the one
   under way: as isg_trainer_epoch(). `progress` may be NULL. */
ISG_API isg_status isg_experts_step(isg_experts *experts, const isg_progress *progress);

/* Everything that new experts from the same data and options need to go on as if nothing had
   happened. Loading refuses a file of other experts (ISG_ERR_SHAPE) and a damaged one
   (ISG_ERR_FORMAT); then some may be loaded and others not, so that all should be freed. */
ISG_API isg_status isg_experts_save(const isg_experts *experts, const char *path);
ISG_API isg_status isg_experts_load(isg_experts *experts, const char *path);

/* ---- Classification -------------------------------------------------------------------------- */

/* Logistic regression on what one or more RBMs make of a sample. */
typedef struct isg_classifier isg_classifier;

typedef enum isg_features {
    ISG_FEATURES_ENERGY, /* one per RBM: -2 H(s) = |W^T s + c|^2 - |c|^2 + 2 b.s (Eq. 16) */
    ISG_FEATURES_HIDDEN  /* one per hidden unit: (W^T s + c)_mu */
} isg_features;

/* Features (n_samples, n_features) of the samples, to about 1e-6 of |W| |s|, the same on any number
   of threads and with any instruction set. ISG_ERR_SHAPE if RBMs, data and room disagree. */
ISG_API isg_status isg_features_compute(const isg_rbm *const *rbms, size_t n_rbms,
                                        isg_features kind, const isg_dataset *data, isg_matd out);

/* Fits the classes of `data`; the RBMs are copied. `options` and `report` may be NULL.
   ISG_ERR_ARGUMENT if there are no labels, fewer than two classes, or one without a sample. */
ISG_API isg_status isg_classifier_fit(isg_classifier **out, const isg_rbm *const *rbms,
                                      size_t n_rbms, isg_features kind, const isg_dataset *data,
                                      const isg_logistic_options *options,
                                      isg_logistic_report *report);

/* Samples with one unit more for every class, +1 for the one they belong to, -1 for the others. */
ISG_API isg_status isg_dataset_append_labels(isg_dataset **out, const isg_dataset *data);

/* The classifier that an RBM over spins s and appended labels t is, exactly:
       p(class | s) ~ exp(beta |W_s^T s + W_t^T t + c|^2 / 2 + beta b_t.t),  t = +1 for the class, else -1
   which is linear in s, and so a logistic regression on its hidden units. The names of the classes
   are those of `data`, whose units and classes together must be those of the RBM. */
ISG_API isg_status isg_classifier_from_labels(isg_classifier **out, const isg_rbm *rbm,
                                              const isg_dataset *data);

ISG_API void isg_classifier_free(isg_classifier *classifier); /* NULL is fine */

typedef struct isg_classifier_info {
    size_t n_classes;
    size_t n_visible;
    size_t n_rbms;
    size_t n_hidden; /* of all RBMs together */
    isg_features features;
    size_t image_height; /* 0 if the visible units are no image */
    size_t image_width;
} isg_classifier_info;

ISG_API isg_classifier_info isg_classifier_describe(const isg_classifier *classifier);
ISG_API const char *isg_classifier_class_name(const isg_classifier *classifier, size_t k);
ISG_API const isg_logistic *isg_classifier_logistic(const isg_classifier *classifier);

/* As isg_logistic_predict(), for samples; classes are numbered as the classifier has them. */
ISG_API isg_status isg_classifier_predict(const isg_classifier *classifier, const isg_dataset *data,
                                          uint32_t *labels, isg_matd probabilities);

/* The true labels (n_samples) in the numbers of the classifier, found by name. ISG_ERR_ARGUMENT if
   the data have none, or a class that the classifier does not know. */
ISG_API isg_status isg_classifier_truth(const isg_classifier *classifier, const isg_dataset *data,
                                        uint32_t *labels);

/* A .npz with W (N, p) of all RBMs side by side, hidden (n_rbms), the columns of each, b (n_rbms, N),
   c (p), is_hidden, 1 for ISG_FEATURES_HIDDEN, classes, means and scales (n_features), coefficients
   (n_classes, n_features) and intercepts (n_classes); `command` is kept in its meta.json. What was
   saved is loaded bit for bit. */
ISG_API isg_status isg_classifier_save(const isg_classifier *classifier, const char *path,
                                       uint64_t seed, const char *command);
ISG_API isg_status isg_classifier_load(isg_classifier **out, const char *path);

/* A picture of a confusion matrix (PNG): counts (n_classes, n_classes), a row for every class, a
   column for what it was taken for. Blue on the diagonal is the share of a class that was got right,
   red beside it a share of mistakes, full at the largest of all. The means of the classes of `data`
   stand at the head of rows and columns, if these are images; NULL for none. */
ISG_API isg_status isg_confusion_picture(const size_t *counts, size_t n_classes,
                                         const isg_dataset *data, const char *path);

/* Writes a file, whole or not at all: for what is made of predictions. */
ISG_API isg_status isg_file_write(const char *path, const void *bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
