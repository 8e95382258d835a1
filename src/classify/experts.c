/* experts.c - one RBM for every class
 *
 * SPDX-License-Identifier: MIT
 *
 * Section 3.2 of the paper: ten small RBMs, each started from the sub-patterns of one digit and
 * trained by contrastive divergence on its images. An expert is an RBM and a trainer with a seed of
 * its own. They are trained in turn, epoch by epoch, each by all threads; the trainer ensures that
 * the number of threads never changes a result.
 */
#include "classify/experts.h"
#include "isinglass/mapping.h"

#include "base/memory.h"
#include "base/rng.h"

isg_expert_options isg_expert_defaults(void) {
    isg_expert_options options = {.per_class = 10,
                                  .start = ISG_START_HOPFIELD,
                                  .deviation = 0.1,
                                  .beta = 2,
                                  .train = isg_train_defaults()};
    options.train.shuffle = true;
    return options;
}

/* Different experts need different random numbers, or their errors would be correlated. */
static uint64_t seed_of(const isg_expert_options *options, size_t k) {
    isg_cursor random =
        isg_cursor_at(isg_stream_at(options->train.seed, ISG_PURPOSE_EXPERTS, 0, (uint32_t)k));
    return options->joint ? options->train.seed : isg_next_word64(&random);
}

/* ---- starts ----------------------------------------------------------------------------------- */

/* The share of one expert in the progress of all. */
typedef struct share {
    const isg_progress *all;
    size_t k, n;
} share;

static bool report_share(void *user, double fraction) {
    const share *my = user;
    return my->all->report(my->all->user, ((double)my->k + fraction) / (double)my->n);
}

/* With dependent patterns, an expert has fewer hidden units. */
static isg_status start(isg_rbm **out, const isg_dataset *data, const isg_expert_options *options,
                        uint64_t seed, share *part) {
    const isg_progress progress = {report_share, part};
    const isg_start_options how = {.kind = options->start,
                                   .per_class = options->per_class,
                                   .cap = options->cap,
                                   .allow_rank_deficient = true,
                                   .beta = options->beta,
                                   .deviation = options->deviation,
                                   .seed = seed};
    return isg_rbm_start(out, &how, NULL, data, part->all ? &progress : NULL);
}

/* ---- create and free -------------------------------------------------------------------------- */

/* Prefixes an error message with the class. */
static isg_status about_class(const isg_experts *experts, size_t k, isg_status status) {
    return status == ISG_OK || status == ISG_ERR_MEMORY || experts->n_experts == 1
               ? status
               : isg_fail(status, "class '%s': %s", experts->classes.names[k], isg_error_message());
}

/* Makes an expert from its data. */
static isg_status make_expert(isg_experts *experts, size_t k, const isg_expert_options *options,
                              const isg_progress *progress) {
    isg_expert *expert = experts->expert + k;
    isg_train_options train = options->train;
    share part = {progress, k, experts->n_experts};
    train.seed = seed_of(options, k);
    const isg_status status = start(&expert->rbm, expert->data, options, train.seed, &part);
    const bool has_patterns =
        options->start == ISG_START_HOPFIELD || options->start == ISG_START_HEBBIAN;
    if (status == ISG_ERR_ARGUMENT && has_patterns) /* which names the class itself */
        return status;
    ISG_TRY(about_class(experts, k, status));
    return about_class(experts, k,
                       isg_trainer_create(&expert->trainer, expert->rbm, expert->data, &train));
}

static isg_status share_data(isg_experts *experts, const isg_dataset *data) {
    size_t *rows = NULL, *starts = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(rows, data->info.n_samples));
    ISG_TRY_GOTO(ISG_ALLOCATE(starts, data->info.n_classes + 1));
    isg_dataset_group(data, rows, starts);
    for (size_t k = 0; k < experts->n_experts; k++)
        ISG_TRY_GOTO(isg_dataset_select(&experts->expert[k].data, data, rows + starts[k],
                                        starts[k + 1] - starts[k]));
done:
    isg_release(rows);
    isg_release(starts);
    return status;
}

isg_status isg_experts_create(isg_experts **out, const isg_dataset *data,
                              const isg_expert_options *options, const isg_progress *progress) {
    const isg_expert_options defaults = isg_expert_defaults();
    isg_experts *experts = NULL;
    isg_status status = ISG_OK;
    options = options ? options : &defaults;
    if (options->per_class == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "per_class: expected at least one hidden unit, found 0");
    if (options->train.learn_beta)
        return isg_fail(
            ISG_ERR_ARGUMENT,
            "learn_beta: experts share one beta, so that their energies can be compared");
    if (options->train.constraint == ISG_CONSTRAINT_SPAN)
        return isg_fail(ISG_ERR_ARGUMENT, "constraint: experts know none and stiefel, not span");
    ISG_TRY(ISG_ALLOCATE(experts, 1));
    ISG_TRY_GOTO(isg_class_names(&experts->classes, data));
    experts->n_experts = options->joint ? 1 : data->info.n_classes;
    ISG_TRY_GOTO(ISG_ALLOCATE(experts->expert, experts->n_experts));
    ISG_TRY_GOTO(options->joint ? isg_dataset_append_labels(&experts->expert->data, data)
                                : share_data(experts, data));
    for (size_t k = 0; k < experts->n_experts; k++)
        ISG_TRY_GOTO(make_expert(experts, k, options, progress));
    *out = experts;
    experts = NULL;
done:
    isg_experts_free(experts);
    return status;
}

void isg_experts_free(isg_experts *experts) {
    if (!experts)
        return;
    for (size_t k = 0; experts->expert && k < experts->n_experts; k++) {
        isg_trainer_free(experts->expert[k].trainer);
        isg_rbm_free(experts->expert[k].rbm);
        isg_dataset_free(experts->expert[k].data);
    }
    isg_release(experts->expert);
    isg_labels_clear(&experts->classes);
    isg_release(experts);
}

/* ---- training --------------------------------------------------------------------------------- */

isg_experts_info isg_experts_describe(const isg_experts *experts) {
    isg_experts_info info = {.n_experts = experts->n_experts,
                             .n_classes = experts->classes.n_classes,
                             .n_visible = experts->expert->rbm->info.n_visible,
                             .epochs = UINT64_MAX};
    for (size_t k = 0; k < experts->n_experts; k++) {
        const uint64_t epochs = experts->expert[k].trainer->state.epochs;
        info.n_hidden += experts->expert[k].rbm->info.n_hidden;
        if (epochs < info.epochs) {
            info.epochs = epochs;
            info.next = k;
        }
    }
    return info;
}

isg_rbm *isg_experts_rbm(const isg_experts *experts, size_t k) {
    return k < experts->n_experts ? experts->expert[k].rbm : NULL;
}

isg_status isg_experts_advance(isg_experts *experts, uint64_t updates,
                               const isg_progress *progress) {
    const size_t k = isg_experts_describe(experts).next;
    return about_class(experts, k,
                       isg_trainer_advance(experts->expert[k].trainer, updates, progress));
}

isg_status isg_experts_step(isg_experts *experts, const isg_progress *progress) {
    return isg_experts_advance(experts, UINT64_MAX, progress);
}
