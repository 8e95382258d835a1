/* classify_job.h - what the parts of isinglass classify share
 *
 * SPDX-License-Identifier: MIT
 *
 * cmd_classify.c has the tables and the order of things, classify_run.c the training, which may be
 * stopped and resumed, classify_tune.c what is different with --finetune, classify_result.c what comes
 * out of it.
 */
#ifndef CLI_CLASSIFY_JOB_H
#define CLI_CLASSIFY_JOB_H

#include "cli/data_input.h"
#include "cli/rates.h"

typedef enum classifier_kind { CLASSIFIER_EXPERTS, CLASSIFIER_LABELS } classifier_kind;

/* The default of --rate with --finetune, as text. */
#define TUNE_RATE "1e-3"

typedef struct classify_settings {
    data_settings data;
    const char *out, *model, *rbm, *picture, *predictions, *curve, *rate, *error_at, *test_labels;
    const char *validation;
    double hold_out;
    size_t patience, validate_every;
    classifier_kind classifier;
    isg_features features;
    isg_expert_options experts;
    isg_logistic_options fit;
    size_t epochs, test_limit;
    double save_every;
    bool resume;
    bool finetune;
    double logits_rate;
    size_t shift;
} classify_settings;

/* How samples of known classes were classified. */
typedef struct tally {
    size_t samples, wrong; /* samples with a label */
    size_t *counts; /* (n_classes, n_classes): a row for each class, a column for each answer */
} tally;

/* The epoch after which the validation data were classified best, and the classifier then. */
typedef struct best_epoch {
    size_t epochs; /* SIZE_MAX if there is none yet */
    double error;
    size_t slot;                /* the file of the run that it is in, of two written alternately */
    isg_logistic_report fit;    /* of these, a resumed run knows iterations, loss and converged */
    isg_classifier *classifier; /* NULL if it is only in the file */
} best_epoch;

/* The classifier after so many epochs. */
typedef struct curve_point {
    size_t epochs;
    double test_error, train_error, validation_error; /* shares; NaN without such data */
    double seconds;                                   /* of training until then */
    const bool *converged; /* of the regression; NULL with --finetune, which has none */
    bool has_failed;       /* it is known not to have converged */
} curve_point;

typedef struct classify_job {
    invocation call; /* a copy, in which options restored from run.json count as typed */
    classify_settings *settings;
    const char *train_name, *test_name, *command; /* NULL if there is none */
    isg_dataset *train, *test, *validation;       /* TRAIN without what is held out; NULL if none */
    char train_sha256[65], test_sha256[65], validation_sha256[65]; /* of the spins, of all TRAIN */
    char train_labels_sha256[65], test_labels_sha256[65];
    rate_schedule rates;
    size_t *stops; /* (n_stops): epochs after which to classify; the last ends it */
    size_t n_stops;

    isg_run *run;          /* NULL with --model; without -o it keeps nothing */
    char *classifier_path; /* in its directory; NULL without -o */
    json_t *record;        /* run.json */
    bool is_resumed;
    double earlier_s; /* of training that the run knows nothing of */

    isg_experts *experts;       /* NULL with --rbm, and once they are fine-tuned */
    isg_rbm *rbm;               /* of --rbm */
    isg_classifier *start;      /* of --finetune */
    isg_tuner *tuner;           /* likewise */
    isg_classifier *classifier; /* the last one */
    isg_logistic_report fit;    /* of it */
    curve_point *points;        /* (n_points), at most n_stops */
    size_t n_points;
    best_epoch best;    /* with validation data; in the end, it is the classifier */
    bool stopped_early; /* by --patience */
    tally validation_tally;
    tally test_tally, train_tally; /* of the last classifier; counts are NULL without TEST */
    uint32_t *answers;             /* to TEST */
    double *probabilities;         /* (samples of TEST, n_classes) */
} classify_job;

/* ---- classify_run.c ---------------------------------------------------------------------------- */

/* The directory of -o, and the options of the run in it, if it is resumed. */
exit_code classify_open_run(classify_job *my);

/* Spent on training, in all processes. */
double classify_seconds(const classify_job *my);

/* Trains the experts, with a stop for every point of the curve, and saves what -o asks for. */
exit_code classify_train(classify_job *my);

/* ---- classify_tune.c --------------------------------------------------------------------------- */

/* What --finetune changes of the options that were not given, and what does not go with it; once the
   rates are read, and once the data are. */
void classify_tune_defaults(classify_job *my);
exit_code classify_tune_check(const classify_job *my);
exit_code classify_tune_check_rate(const classify_job *my);
exit_code classify_tune_check_data(const classify_job *my);

/* Makes the tuner, from what there is to start from, and begins the run with this text as run.json;
   or resumes it. */
exit_code classify_tune_start(classify_job *my);
exit_code classify_tune_begin(classify_job *my, const char *text);
isg_status classify_tune_resume(classify_job *my);

/* ---- classify_result.c ------------------------------------------------------------------------- */

/* Fits the classifier as the experts are now, or takes it from the tuner. */
exit_code classify_fit_features(classify_job *my);

/* The same, and tests it. */
exit_code classify_fit(classify_job *my);

/* Tests the classifier that there is. */
exit_code classify_test_all(classify_job *my);

/* The share of the validation data that was misclassified; with --balanced, the mean over the
   classes. */
double classify_validation_error(const classify_job *my);

/* What the classifier makes of TEST, whose labels need not be known. */
exit_code classify_test(classify_job *my);

/* The files that were asked for, and the result, which is made of these. */
extern const result_entry classify_results[];
exit_code classify_show(classify_job *my);

#endif
