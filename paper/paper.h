/* paper.h - the figures of the paper: how they are computed and what they leave on disk
 *
 * SPDX-License-Identifier: MIT
 *
 * A figure is a file figN.c that ends in a `const figure` (below), a table of functions:
 *
 *   count, plan   cut its work into pieces, each a few numbers with a key;
 *   compute       computes one piece; the numbers are saved in pieces.json at once, so that an
 *                 interrupted run resumes where it stopped;
 *   finish        runs when all pieces are there: it makes tables, script and pictures from the
 *                 saved numbers alone, so that they do not depend on interruptions.
 *
 * To add a figure, write paper/figN.c and add its name to FIGURES in figures.c; the verb, the report
 * and the help find it there. figD2.c is a short example. To add a claim, add an entry to the table
 * in the claims_*.c of its section: see claims.h.
 *
 * What is left in DIR/SCALE, besides runs/ and patterns/, which figures share:
 *
 *   settings.json   version, seed, scale and checksums of the data; a run with others is refused
 *   pieces.json     {KEY: {"values": [...], "seconds": s}, ..., "checksum": of all this}
 *   claims.json, claims.csv   the claims with their verdicts, see claims.h
 *   report.html     everything on one page, see report.h
 *   FIG/FIG*.csv    the numbers, with fixed names and columns, written first; without times
 *   FIG/FIG.gp      a gnuplot script that draws FIG.svg from the tables beside it
 *   FIG/FIG.svg, FIG/FIG*.png    pictures
 *   FIG/figure.json written last: name, title, caption, command, scale, seed, version, seconds,
 *                   parameters{}, files[]{name, what}. Without it the figure is not finished.
 *
 * Columns of the tables:
 *
 *   fig2.csv         k, n_hidden, beta, data_term, then L, the mean of ln p over the training
 *                    samples, twice. By AIS: ais, ais_error (standard deviation over the runs; of
 *                    a single run the error it states), ais_ess (the smallest). By the best
 *                    estimate: log_likelihood, error, method, trusted
 *   fig3.csv         unit_row, unit_column, mu, before, after
 *   fig3-values.csv  mu, singular_before, singular_after, cosine (of column mu with itself before)
 *   fig4.csv         p, start, run, epoch, data_term, ais, ais_error, log_likelihood, error,
 *                    method, trusted; the last four empty where only AIS was run
 *   fig4-curves.csv  p, start, epoch, runs, mean, deviation, lowest, highest (of ais, over the
 *                    runs), best_mean, best_deviation (of log_likelihood, likewise), best_trusted
 *                    (1 if in every run, 0 if not; empty where only AIS was run)
 *   fig4c.npz, fig4d.npz   the samples of fig4c.png and fig4d.png: s, lambda, energy
 *   fig5.csv         k, start, run, epoch, test_error, train_error, converged, loss (shares, nats)
 *   fig5-curves.csv  k, start, epoch, runs, test_error (mean over the runs), lowest, highest
 *   figD1.csv        row, column, pattern, xi0, wx (W X by descent), descent (its sign), relax
 *   figD1-patterns.csv  method, pattern, label, residual, error, bits_changed, fixed_point,
 *                    fixed_point_without_diagonal, stable, small, compatible, left_over
 *   figD2.csv        network (xi0, xi10), protocol (published, attractor), accuracy, error,
 *                    samples, decided_at_start, decided, ensembles, undecided, patterns, negative,
 *                    spurious, two_cycle, nearest_pattern_accuracy, projection_accuracy
 *   figD2-table.csv  network, protocol, class, outcome (a class of the patterns, undecided,
 *                    negative, spurious, two-cycle), share (of the samples of the class)
 *   figE1.csv, figE1-curves.csv   as for fig5
 */
#ifndef PAPER_H
#define PAPER_H

#include <jansson.h>

#include "cli/failure.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "isinglass.h"

/* tiny takes seconds and only shows that everything runs; tests use it. */
typedef enum scale { SCALE_TINY, SCALE_QUICK, SCALE_PAPER, N_SCALES } scale;
extern const char *const scale_names[]; /* ends with NULL */

/* How many samples of the training and of the test set a scale uses; 0: all. */
extern const size_t scale_limits[N_SCALES];

struct figure;

/* One call of reproduce. */
typedef struct experiment {
    scale scale;
    uint64_t seed;
    const char *command; /* the command line, for figure.json */
    char *directory;     /* DIR/SCALE */
    isg_dataset *train, *test;
    isg_dataset *printed; /* the training set with every pixel above 0 as +1, as the paper describes
                             it; NULL if no claim needs it */
    bool is_quiet;
    struct isg_lock *lock; /* of the directory */
    json_t *pieces;        /* what has been computed, by key */

    isg_experts *experts; /* those of the last piece, to save making them again; or NULL */
    char experts_key[80]; /* which ones they are */

    /* The live line, while something is computed. */
    progress bar;
    char now[120];                /* what is being computed */
    double cost_done, cost_piece; /* as shares of all missing pieces */
    double part_from, part_to;    /* the part of the piece under way */
    isg_progress callback;

    const struct figure *figure; /* being planned, computed or finished */

    /* The figure being finished. */
    json_t *files;   /* for figure.json */
    json_t *caption; /* likewise */
    exit_code drawn; /* the first failure to draw, which does not stop the run */
} experiment;

enum { KEY_BYTES = 80, MOST_VALUES = 400 };

/* One piece of the work. */
typedef struct piece {
    char key[KEY_BYTES];
    char text[KEY_BYTES]; /* for the live line */
    double cost;          /* rough estimate in seconds of one core, for the live line only */
    size_t n_values;      /* at most MOST_VALUES */
} piece;

/* While its functions run, `my->figure` is this figure. */
typedef struct figure {
    const char *name, *title;
    const void *design;                    /* what distinguishes figures that share functions */
    size_t (*count)(const experiment *my); /* of pieces */
    void (*plan)(const experiment *my, size_t index, piece *out);
    exit_code (*compute)(experiment *my, size_t index, double *values);
    json_t *(*parameters)(const experiment *my);
    exit_code (*finish)(experiment *my); /* from the saved values, with the leave_ functions */
} figure;

extern const figure *const figures[];    /* in the order of the paper; ends with NULL */
extern const char *const figure_names[]; /* likewise */

/* ---- run.c: for the verb --------------------------------------------------------------------- */

/* Opens DIR/SCALE, for this process alone. EXIT_CHECKPOINT if it holds results of another version,
   seed or data, unless they may be replaced. Set scale, seed, command, data and is_quiet before;
   call experiment_close() even if it fails. */
exit_code experiment_open(experiment *my, const char *directory, bool may_replace);
void experiment_close(experiment *my);

/* Computes what is missing of the chosen figures and finishes them. If it is interrupted, the next
   call resumes there. If only drawing fails, the result is EXIT_DONE, `drawn` has the code and
   failure_sentence() the reason. */
exit_code experiment_run(experiment *my, const figure *const *chosen, size_t n);

/* Computes the missing pieces of a figure without finishing it. */
exit_code experiment_compute(experiment *my, const figure *what);

/* figure.json; NULL if the figure is not finished or one of its files is missing. Release it with
   json_decref(). */
exit_code experiment_read(const experiment *my, const figure *what, json_t **out);

/* The JSON object in DIR/SCALE/NAME; NULL if there is no such file. Release it likewise. */
exit_code experiment_record(const experiment *my, const char *name, json_t **out);

/* ---- run.c: for figures ---------------------------------------------------------------------- */

/* Progress of a part of a piece, from one share of it to another. */
const isg_progress *part_progress(experiment *my, double from, double to);

/* The saved values of a piece; NaN where there is no number. */
exit_code piece_values(const experiment *my, const char *key, double *values, size_t n);

/* DIR/SCALE/FOLDER/NAME, creating the folder; for the caller to release, NULL after a failure. */
exit_code experiment_path(const experiment *my, const char *folder, const char *name, char **out);

/* Files of the figure being finished: leave_text() writes the text and releases it; leave_file()
   records one that was written to figure_path(). */
exit_code figure_path(const experiment *my, const char *name, char **out);
exit_code leave_text(experiment *my, const char *name, const char *what, output *text);
exit_code leave_file(experiment *my, const char *name, const char *what);
exit_code leave_caption(experiment *my, const char *format, ...) CLI_PRINTF(2, 3);

/* The name of a method for ln Z that was saved as the difference to ISG_LOG_Z_EXACT. */
const char *method_title(double saved);

/* A number of a table; empty for NaN. */
void csv_number(output *text, double value);

/* ---- drawing.c ------------------------------------------------------------------------------- */

/* Writes FIG.gp and draws FIG.svg with it. The body is released. */
exit_code leave_script(experiment *my, size_t width, size_t height, output *body);

/* In all pictures, a cross over what is not trusted, and its line in the key. */
#define UNTRUSTED_MARK  "with points pt 2 ps 1.5 lw 2 lc rgb '#D55E00'"
#define UNTRUSTED_TITLE "NaN " UNTRUSTED_MARK " title 'not trusted'"

/* A table FIG.csv of n images of height x width, one after the other, row by row, with the columns
   row, column, image, and then one for each kind of image. */
typedef struct mosaic {
    size_t n, height, width;
    size_t n_kinds;
    const char *const *titles; /* (n_kinds) */
    double limit;              /* values from -limit to limit: blue, white, red */
    const char *scale_title;
} mosaic;

/* Script and picture of such a table: one row of images for each kind, with its title. */
exit_code leave_mosaic(experiment *my, const mosaic *what);

/* ---- training.c: runs and patterns that figures share ----------------------------------------- */

enum { N_STARTS = ISG_START_NORMAL + 1 }; /* of isg_start */
extern const char *const start_titles[];  /* as --init of train has them */

typedef struct training {
    size_t per_class; /* hidden units by the number of classes */
    isg_start start;
    size_t run; /* from 1; its seed is that of the experiment plus run - 1 */
} training;

/* The patterns of the training set, computed once. */
exit_code shared_patterns(experiment *my, size_t per_class, isg_patterns **out);

/* The stops of a training at this scale, in epochs, ascending from 0; returns how many. */
size_t training_stops(const experiment *my, size_t per_class, const double **stops);

/* The RBM at a stop, after training up to there if necessary. */
exit_code training_reach(experiment *my, const training *which, double epoch, isg_rbm **out);

/* Rough estimate of the seconds of one core for so many epochs. */
double training_cost(const experiment *my, size_t per_class, double epochs);

/* Cosine of the angle between column mu of two matrices of the same shape. */
double column_cosine(isg_matd a, isg_matd b, size_t mu);

/* The functions of a figure that only needs a training, up to a stop that depends on the scale. */
typedef struct training_design {
    training which;
    double epochs[N_SCALES];
} training_design;

size_t trained_count(const experiment *my);
void trained_plan(const experiment *my, size_t index, piece *out);
exit_code trained_compute(experiment *my, size_t index, double *values);

/* ---- figD1.c: from the trained RBM back to patterns, for Fig. D2 and claims too ---------------- */

extern const training_design back_design; /* the training before that; 10 epochs in the paper */

/* The RBM after training, and its patterns by the given method from X0 = R. */
exit_code back_unmap(experiment *my, isg_unmap_method method, isg_rbm **rbm, isg_unmapping **out);

#endif
