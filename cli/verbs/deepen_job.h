/* deepen_job.h - what the parts of isinglass deepen share
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_DEEPEN_JOB_H
#define CLI_DEEPEN_JOB_H

#include "cli/data_input.h"

typedef struct deepen_settings {
    data_settings data;
    const char *out, *test, *test_labels, *betas, *shrinkages, *predictions, *samples;
    isg_deep_options fit;
    isg_deep_rule rule;
    size_t count;
    double spin_beta; /* 0: the model's, or in a picture PICTURE_BETA */
} deepen_settings;

/* How well a data set goes with the model. */
typedef struct deepen_score {
    const char *name;
    size_t samples, labelled, wrong, quadratic_wrong;
    result_estimate elbo, labelled_elbo;
    double reconstruction, divergence;
    double error, error_se, quadratic_error; /* NaN without labels or with a single class */
} deepen_score;

typedef struct deepen_job {
    const invocation *call;
    const deepen_settings *settings;
    const char *model_name, *data_name; /* data_name is NULL if there is none */
    isg_rbm *rbm;                       /* to fit on; NULL if a model is used */
    isg_dataset *data, *test;           /* NULL if not given */
    isg_deep_model *model;
    isg_deep_model_info info;
    deepen_score scored, tested; /* of data and test */
    size_t count, drawn_class;   /* samples, and of which class; SIZE_MAX: of all */
    double spin_beta;
} deepen_job;

/* The bound, and the mistakes of both rules. */
exit_code deepen_look(const deepen_job *my, const isg_dataset *data, deepen_score *out);

/* Before the model is written: the rule may not suit it. */
exit_code deepen_predict(const deepen_job *my, const isg_dataset *data);

/* How many samples of which class, and whether they can be drawn as a picture. Call it before the fit
   for what is known then, and after it. */
exit_code deepen_plan_samples(deepen_job *my);
exit_code deepen_sample(const deepen_job *my);

exit_code deepen_show(const deepen_job *my);
extern const result_entry deepen_results[];

#endif
