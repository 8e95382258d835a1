/* deepen_result.c - how a deep model was chosen, and how good it is
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "cli/allocation.h"
#include "cli/verbs/deepen_job.h"

enum { MOST_CLASSES = 30 };

typedef struct class_result {
    const char *name;
    double share, deviation; /* root of the mean variance of a hidden unit */
} class_result;

typedef struct deepen_result {
    const char *model, *file, *predictions, *samples, *toward;
    isg_deep_model_info info;
    result_list classes, trials;
    const deepen_score *data, *test;
    size_t count;
    double spin_beta;
    bool is_fitted, has_choice, has_few_classes, is_shrunk, has_parts;
} deepen_result;

/* clang-format off */
#define IS(field, what)    RESULT(deepen_result, field, what)
#define INFO(field, what)  RESULT_AS(deepen_result, info.field, #field, what)
#define HIDDEN(field)      RESULT_HIDDEN(deepen_result, field)
#define SCORE(field, what) RESULT(deepen_score, field, what)

static const result_entry class_results[] = {
    RESULT(class_result, name, "name of the class"),
    RESULT(class_result, share, "its probability"),
    RESULT(class_result, deviation, "root of the mean variance of h = W's + c in it (in its parts), shrunk"),
    {.key = NULL}};

static const result_entry trial_results[] = {
    RESULT(isg_deep_trial, beta, "inverse temperature of a candidate"),
    RESULT(isg_deep_trial, shrinkage, "how much its covariances are shrunk"),
    RESULT(isg_deep_trial, parts, "Gaussians per class"),
    RESULT(isg_deep_trial, elbo, "mean bound on ln p(s) of the samples held out"),
    RESULT(isg_deep_trial, error, "the share of them that is misclassified, or null"),
    {.key = NULL}};

static const result_entry score_results[] = {
    SCORE(name, "the data"),
    SCORE(samples, "number of samples"),
    RESULT_STRUCT(deepen_score, elbo, result_estimates, "mean lower bound on ln p(s) in nats, with its standard error"),
    SCORE(reconstruction, "mean of E_q[ln p(s | lambda)], its first term"),
    SCORE(divergence, "what is missing from that: of q from the prior"),
    RESULT_STRUCT(deepen_score, labelled_elbo, result_estimates, "mean lower bound on ln p(s, class), or null"),
    SCORE(error, "share misclassified by p(class | s), or null"),
    SCORE(error_se, "its standard error, binomial"),
    SCORE(quadratic_error, "share misclassified by quadratic discriminants, or null if one is singular"),
    RESULT_HIDDEN(deepen_score, labelled), RESULT_HIDDEN(deepen_score, wrong),
    {.label = "data", .text = "{name}: {samples sample}"},
    {.label = "ELBO", .text = "{elbo.value:.3f} +- {elbo.error:.2g} nats per sample "
                              "({reconstruction:.2f} reconstruction - {divergence:.2f} divergence)"},
    {.when = "labelled_elbo.value", .label = "ELBO with class",
     .text = "{labelled_elbo.value:.3f} +- {labelled_elbo.error:.2g}"},
    {.when = "labelled&quadratic_error", .label = "error",
     .text = "{error:%.2f} % +- {error_se:%.2f} ({wrong} of {labelled}); quadratic discriminants "
             "{quadratic_error:%.2f} %"},
    {.when = "labelled&!quadratic_error", .label = "error",
     .text = "{error:%.2f} % +- {error_se:%.2f} ({wrong} of {labelled}); no quadratic discriminants, as a "
             "covariance is singular"},
    {.key = NULL}};

const result_entry deepen_results[] = {
    IS(file, "the deep model written, or null"),
    INFO(n_visible, "number of visible units"),
    INFO(n_hidden, "number of hidden units"),
    INFO(n_classes, "number of classes"),
    INFO(parts, "Gaussians per class"),
    INFO(beta, "inverse temperature of the model, and of the RBM in the file"),
    INFO(rbm_beta, "that of the RBM it was fitted on"),
    INFO(shrinkage, "how much the covariances are shrunk"),
    IS(toward, "toward what: pooled or diagonal"),
    RESULT_LIST_OF(deepen_result, classes, class_results, NULL),
    RESULT_LIST_OF(deepen_result, trials, trial_results, NULL),
    RESULT_POINTER(deepen_result, data, score_results, "how well DATA go with the model, or null"),
    RESULT_POINTER(deepen_result, test, score_results, "the same for --test, or null"),
    IS(predictions, "the table of predictions, or null"),
    IS(samples, "the samples written, or null"),
    IS(count, "their number, or null"),
    IS(spin_beta, "inverse temperature of their spins, or null"),
    HIDDEN(model), HIDDEN(is_fitted), HIDDEN(has_choice), HIDDEN(has_few_classes), HIDDEN(is_shrunk), HIDDEN(has_parts),
    {.label = "model", .text = "{model}: {n_visible} visible, {n_hidden hidden unit}"},
    {.when = "has_choice", .each = "trials",
     .heading = "        beta  shrinkage  parts    held-out ELBO    error %",
     .text = "  {beta:10.4g} {shrinkage:10.4g} {parts:6} {elbo:16.3f} {error:%10.2f?}"},
    {.when = "is_fitted", .label = "beta", .text = "{beta} (the RBM has {rbm_beta})"},
    {.when = "!is_fitted", .label = "beta", .text = "{beta}"},
    {.when = "is_shrunk", .label = "shrinkage", .text = "{shrinkage} ({toward})"},
    {.when = "!is_shrunk", .label = "shrinkage", .text = "none"},
    {.when = "has_parts", .label = "parts", .text = "{parts} Gaussians per class"},
    {.when = "!has_few_classes", .label = "classes", .text = "{n_classes}"},
    {.when = "has_few_classes", .each = "classes",
     .heading = "  class                    share %  deviation of h",
     .text = "  {name:-20.20} {share:%11.2f} {deviation:15.4f}"},
    {.each = "data"},
    {.each = "test"},
    {.when = "samples", .label = "samples", .text = "{samples}: {count}, spins at beta {spin_beta}"},
    {.when = "predictions", .label = "predictions", .text = "{predictions}"},
    {.when = "file", .label = "file", .text = "{file}"},
    {.key = NULL}};
/* clang-format on */

static exit_code list_classes(const deepen_job *my, class_result **out) {
    const size_t p = my->info.n_hidden;
    *out = memory_allocate(my->info.n_classes, sizeof **out);
    if (!*out)
        return fail_memory();
    for (size_t k = 0; k < my->info.n_classes; k++) {
        double trace = 0, share = 0;
        for (size_t j = k * my->info.parts; j < (k + 1) * my->info.parts; j++) {
            const isg_matd_view covariance = isg_deep_model_covariance(my->model, j);
            for (size_t mu = 0; mu < p; mu++)
                trace += isg_deep_model_share(my->model, j) * covariance.data[mu * p + mu];
            share += isg_deep_model_share(my->model, j);
        }
        (*out)[k] = (class_result){isg_deep_model_class_name(my->model, k), share,
                                   sqrt(trace / share / (double)p)};
    }
    return EXIT_DONE;
}

exit_code deepen_show(const deepen_job *my) {
    static const char *const targets[] = {"pooled", "diagonal"};
    const deepen_settings *settings = my->settings;
    class_result *classes = NULL;
    const exit_code code = list_classes(my, &classes);
    if (code != EXIT_DONE)
        return code;
    deepen_result out = {.model = my->model_name,
                         .file = settings->out,
                         .predictions = settings->predictions,
                         .samples = settings->samples,
                         .toward = targets[my->info.toward],
                         .info = my->info,
                         .data = my->data ? &my->scored : NULL,
                         .test = my->test ? &my->tested : NULL,
                         .count = settings->samples ? my->count : SIZE_MAX,
                         .spin_beta = settings->samples ? my->spin_beta : (double)NAN,
                         .is_fitted = my->rbm != NULL,
                         .has_few_classes = my->info.n_classes <= MOST_CLASSES,
                         .is_shrunk = my->info.shrinkage > 0,
                         .has_parts = my->info.parts > 1};
    out.classes = (result_list){classes, my->info.n_classes, sizeof *classes};
    out.trials.items = isg_deep_model_trials(my->model, &out.trials.count);
    out.trials.bytes = sizeof(isg_deep_trial);
    out.has_choice = out.trials.count > 0;
    result_show(my->call, &out);
    memory_release(classes);
    return EXIT_DONE;
}
