/* paper.h - the figures of the paper: what computes them, and what they leave behind
 *
 * SPDX-License-Identifier: MIT
 *
 * A figure is one file figN.c that ends in one `const figure`, listed in figures.c. Its work is cut
 * into pieces, each a few numbers with a key; a piece that was computed is kept, and when all are
 * there the figure is finished: tables, script and pictures are made of the numbers kept, so that
 * they are the same whether the work was interrupted or not.
 *
 * What is left in DIR/SCALE, besides runs/ and patterns/ that figures share:
 *
 *   settings.json   version, seed, scale and checksums of the data; other ones are refused
 *   pieces.json     {KEY: {"values": [...], "seconds": s}, ..., "checksum": of all this}
 *   report.html     all of it on one page, see report.h
 *   FIG/FIG*.csv    the numbers, fixed names and columns, written first; no times in them
 *   FIG/FIG.gp      a script of gnuplot that draws FIG.svg from the tables beside it
 *   FIG/FIG.svg, FIG/FIG*.png    pictures
 *   FIG/figure.json written last: name, title, caption, command, scale, seed, version, seconds,
 *                   parameters{}, files[]{name, what}. Without it the figure is not finished.
 *
 *   fig2.csv         k, n_hidden, beta, data_term, and of L, the mean of ln p over the training
 *                    samples, twice: ais, ais_error (standard deviation of the runs, or of one
 *                    the error it states), ais_ess (the smallest), log_likelihood, error, method,
 *                    trusted, the better estimate
 *   fig3.csv         unit_row, unit_column, mu, before, after
 *   fig3-values.csv  mu, singular_before, singular_after, cosine (of column mu with itself before)
 *   fig4.csv         p, start, run, epoch, data_term, ais, ais_error, log_likelihood, error,
 *                    method, trusted; the last four empty where only AIS was done
 *   fig4-curves.csv  p, start, epoch, runs, mean, deviation, lowest, highest (of ais, over the
 *                    runs), best_mean, best_deviation (of log_likelihood, likewise), best_trusted
 *                    (1 if in every run, 0 if not; empty where only AIS was done)
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

/* tiny shows in seconds that everything runs and says nothing; tests use it. */
typedef enum scale { SCALE_TINY, SCALE_QUICK, SCALE_PAPER, N_SCALES } scale;
extern const char *const scale_names[]; /* ends with NULL */

/* Samples of the training and of the test set that a scale takes; 0: all. */
extern const size_t scale_limits[N_SCALES];

struct figure;

/* Everything about one call of reproduce. */
typedef struct experiment {
    scale scale;
    uint64_t seed;
    const char *command; /* the command line, for figure.json */
    char *directory;     /* DIR/SCALE */
    isg_dataset *train, *test;
    isg_dataset *printed; /* the training set with every pixel above 0 as +1, as the paper has it;
                             NULL if claims do not need it */
    bool is_quiet;
    int lock;       /* descriptor of the lock file */
    json_t *pieces; /* what was computed, by key */

    isg_experts *experts; /* at hand, so that they need not be made for every piece; or NULL */
    char experts_key[80]; /* which */

    /* The live line, while something is computed. */
    progress bar;
    char now[120];                /* what is being computed */
    double cost_done, cost_piece; /* of all missing pieces together, which is 1 */
    double part_from, part_to;    /* of the piece, the part under way */
    isg_progress callback;

    const struct figure *figure; /* at hand, being planned, computed or finished */

    /* The figure being finished. */
    json_t *files;   /* for figure.json */
    json_t *caption; /* likewise */
    exit_code drawn; /* the first failure to draw, which ends nothing */
} experiment;

enum { KEY_BYTES = 80, MOST_VALUES = 400 };

/* One piece of the work. */
typedef struct piece {
    char key[KEY_BYTES];
    char text[KEY_BYTES]; /* for the live line */
    double cost;          /* roughly, in seconds of one core, for the live line alone */
    size_t n_values;      /* at most MOST_VALUES */
} piece;

/* Its functions are called while it is the experiment's figure at hand. */
typedef struct figure {
    const char *name, *title;
    const void *design; /* what figures that share functions differ in, for these to know */
    size_t (*count)(const experiment *my); /* of pieces */
    void (*plan)(const experiment *my, size_t index, piece *out);
    exit_code (*compute)(experiment *my, size_t index, double *values);
    json_t *(*parameters)(const experiment *my);
    exit_code (*finish)(experiment *my); /* from the kept values, by the leave_ functions */
} figure;

extern const figure *const figures[]; /* ends with NULL; in the order of the paper */

/* ---- run.c: for the verb --------------------------------------------------------------------- */

/* Opens DIR/SCALE for this process alone. EXIT_CHECKPOINT if it holds results of another version,
   seed or data, unless they are to be replaced. Set scale, seed, command, data and is_quiet first;
   close after failures too. */
exit_code experiment_open(experiment *my, const char *directory, bool may_replace);
void experiment_close(experiment *my);

/* Computes what is missing of the chosen figures and finishes them. Whatever stops it, the next
   call goes on from there. If only drawing fails, `drawn` keeps the code and the sentence is kept
   too. */
exit_code experiment_run(experiment *my, const figure *const *chosen, size_t n);

/* Computes what is missing of the pieces of a figure, and does not finish it. */
exit_code experiment_compute(experiment *my, const figure *what);

/* figure.json; NULL if the figure is not finished, or a file it names is gone. To be released with
   json_decref(). */
exit_code experiment_read(const experiment *my, const figure *what, json_t **out);

/* The JSON object in DIR/SCALE/NAME; NULL if there is no such file. To be released likewise. */
exit_code experiment_record(const experiment *my, const char *name, json_t **out);

/* ---- run.c: for figures ---------------------------------------------------------------------- */

/* The progress of the part of a piece from one share of it to another. */
const isg_progress *part_progress(experiment *my, double from, double to);

/* The values of a piece that was computed; NaN where there is no number. */
exit_code piece_values(const experiment *my, const char *key, double *values, size_t n);

/* DIR/SCALE/FOLDER/NAME, with the folder made; to be released, and NULL after a failure. */
exit_code experiment_path(const experiment *my, const char *folder, const char *name, char **out);

/* A file of the figure being finished: text is written and released; other files are named after
   they were written to figure_path(). leave_script() writes FIG.gp and draws FIG.svg. */
exit_code figure_path(const experiment *my, const char *name, char **out);
exit_code leave_text(experiment *my, const char *name, const char *what, output *text);
exit_code leave_file(experiment *my, const char *name, const char *what);
exit_code leave_script(experiment *my, size_t width, size_t height, output *body);

/* In all pictures a cross over what is not trusted, and its line in the key. */
#define UNTRUSTED_MARK  "with points pt 2 ps 1.5 lw 2 lc rgb '#D55E00'"
#define UNTRUSTED_TITLE "NaN " UNTRUSTED_MARK " title 'not trusted'"
exit_code leave_caption(experiment *my, const char *format, ...) CLI_PRINTF(2, 3);

/* A number of a table: as many digits as it has, nothing for NaN. */
void csv_number(output *text, double value);

/* ---- training.c: runs and patterns that figures share ----------------------------------------- */

/* The library's starts under the names that figures and claims have for them. */
typedef isg_start start_kind;
#define START_HOPFIELD ISG_START_HOPFIELD
#define START_HEBBIAN  ISG_START_HEBBIAN
#define START_PCA      ISG_START_PCA
#define START_NORMAL   ISG_START_NORMAL
enum { N_STARTS = ISG_START_NORMAL + 1 };
extern const char *const start_titles[]; /* as --init of train has them */

typedef struct training {
    size_t per_class; /* hidden units by the number of classes */
    start_kind start;
    size_t run; /* from 1; its seed is that of the experiment plus run - 1 */
} training;

/* The patterns of the training set; cached. */
exit_code shared_patterns(experiment *my, size_t per_class, isg_patterns **out);

/* The stops of a training at this scale, in epochs, rising from 0; returns how many. */
size_t training_stops(const experiment *my, size_t per_class, const double **stops);

/* The RBM at a stop, after training up to there if need be. */
exit_code training_reach(experiment *my, const training *which, double epoch, isg_rbm **out);

/* Roughly, seconds of one core for so many epochs. */
double training_cost(const experiment *my, size_t per_class, double epochs);

/* The functions of a figure that only needs a training, up to a stop of its own at each scale. */
typedef struct training_design {
    training which;
    double epochs[N_SCALES];
} training_design;

size_t trained_count(const experiment *my);
void trained_plan(const experiment *my, size_t index, piece *out);
exit_code trained_compute(experiment *my, size_t index, double *values);

#endif
