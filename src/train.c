/* train.c - contrastive divergence
 *
 * SPDX-License-Identifier: MIT
 *
 * One update, with eta the learning rate and <> the mean over a mini-batch (section 3.1.2 and
 * appendix E of the paper; there is no factor beta):
 *
 *     data      s_a,  lambda_a = W^T s_a + c
 *     chains    s = s_a, then K times: lambda ~ p(lambda | s), s ~ p(s | lambda)
 *     W        += eta (<s_a lambda_a^T> - <s lambda^T>)
 *     b        += eta (<s_a> - <s>)                                 if fields are trained
 *     c        += eta (<lambda_a> - <lambda>)
 *
 * The lambda of the last line of the chains is the one that s was drawn from, or its mean given s.
 * Persistent chains go on from where the last update left them instead of starting at s_a.
 *
 * Threads share the chains while these move, and the visible units while sums over samples are
 * made. Both are cut in the same way for every number of threads, so the weights never depend on
 * it. No update allocates.
 */
#include "train.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/machine.h"
#include "base/memory.h"

/* ---- options ---------------------------------------------------------------------------------- */

static const isg_rate default_rate = {.rate = 1e-4, .from_epoch = 0};

isg_train_options isg_train_defaults(void) {
    return (isg_train_options){.batch_size = 100,
                               .gibbs_steps = 20,
                               .rates = &default_rate,
                               .n_rates = 1,
                               .estimator = ISG_ESTIMATOR_SAMPLED,
                               .seed = 1};
}

static isg_status check_rates(const isg_train_options *options) {
    if (!options->rates || options->n_rates == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "rates: expected at least one, found none");
    for (size_t k = 0; k < options->n_rates; k++) {
        const isg_rate *rate = options->rates + k;
        if (!(rate->rate > 0 && isfinite(rate->rate)))
            return isg_fail(ISG_ERR_ARGUMENT, "rates: expected a positive learning rate, found %g",
                            rate->rate);
        if (k == 0 && rate->from_epoch != 0)
            return isg_fail(ISG_ERR_ARGUMENT,
                            "rates: expected the first to hold from epoch 0, found %zu",
                            rate->from_epoch);
        if (k > 0 && rate->from_epoch <= rate[-1].from_epoch)
            return isg_fail(ISG_ERR_ARGUMENT,
                            "rates: expected ascending epochs, found %zu after %zu",
                            rate->from_epoch, rate[-1].from_epoch);
    }
    return ISG_OK;
}

static isg_status check_options(const isg_train_options *options) {
    const size_t most = (size_t)1 << 31; /* chain and step numbers end a little later */
    if (options->batch_size == 0 || options->batch_size > most)
        return isg_fail(ISG_ERR_ARGUMENT, "batch_size: expected 1 to 2^31 samples, found %zu",
                        options->batch_size);
    if (options->gibbs_steps == 0 || options->gibbs_steps > most)
        return isg_fail(ISG_ERR_ARGUMENT, "gibbs_steps: expected 1 to 2^31 sweeps, found %zu",
                        options->gibbs_steps);
    if (options->estimator != ISG_ESTIMATOR_SAMPLED && options->estimator != ISG_ESTIMATOR_MEAN)
        return isg_fail(ISG_ERR_ARGUMENT, "estimator: expected sampled or mean, found number %d",
                        (int)options->estimator);
    return check_rates(options);
}

/* ---- create and free -------------------------------------------------------------------------- */

isg_status isg_trainer_pack(isg_trainer *trainer) {
    const isg_rbm *rbm = trainer->rbm;
    return isg_gibbs_weights_set(&trainer->weights, rbm->weights, rbm->b, rbm->c);
}

/* Everything whose size depends on the data and the options. */
static isg_status allocate_samples(isg_trainer *trainer) {
    const size_t n_samples = trainer->data->info.n_samples, chains = trainer->option.batch_size;
    const isg_gibbs_weights *w = &trainer->weights;
    ISG_TRY(isg_states_create(&trainer->batch, w, chains < n_samples ? chains : n_samples));
    if (trainer->option.persistent) {
        ISG_TRY(isg_states_create(&trainer->chains, w, chains));
        ISG_TRY(ISG_ALLOCATE_MATRIX(trainer->old_chains, chains, w->words));
    }
    return trainer->option.shuffle ? ISG_ALLOCATE(trainer->order, n_samples) : ISG_OK;
}

static isg_status allocate_sums(isg_trainer *trainer) {
    const isg_gibbs_weights *w = &trainer->weights;
    ISG_TRY(ISG_ALLOCATE_MATRIX(trainer->sums, w->panels * ISG_PANEL, w->stride));
    ISG_TRY(ISG_ALLOCATE(trainer->field_sums, w->panels * ISG_PANEL));
    ISG_TRY(ISG_ALLOCATE(trainer->hidden_sums, w->n_hidden));
    ISG_TRY(ISG_ALLOCATE_MATRIX(trainer->old_weights, w->n_visible, w->n_hidden));
    ISG_TRY(ISG_ALLOCATE(trainer->old_b, w->n_visible));
    return ISG_ALLOCATE(trainer->old_c, w->n_hidden);
}

isg_status isg_trainer_create(isg_trainer **out, isg_rbm *rbm, const isg_dataset *data,
                              const isg_train_options *options) {
    isg_trainer *trainer = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(check_options(options));
    if (data->info.n_visible != rbm->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE,
                        "data: expected %zu columns, as the RBM has visible units, found %zu",
                        rbm->info.n_visible, data->info.n_visible);
    ISG_TRY_GOTO(ISG_ALLOCATE(trainer, 1));
    trainer->rbm = rbm;
    trainer->data = data;
    trainer->option = *options;
    ISG_TRY_GOTO(ISG_ALLOCATE(trainer->rates, options->n_rates));
    memcpy(trainer->rates, options->rates, options->n_rates * sizeof *trainer->rates);
    trainer->option.rates = trainer->rates;
    isg_dataset_checksum(data, trainer->data_sha256);
    trainer->state.n_batches = (data->info.n_samples - 1) / options->batch_size + 1;
    ISG_TRY_GOTO(
        isg_gibbs_weights_create(&trainer->weights, rbm->info.n_visible, rbm->info.n_hidden));
    ISG_TRY_GOTO(isg_trainer_pack(trainer));
    ISG_TRY_GOTO(allocate_samples(trainer));
    ISG_TRY_GOTO(allocate_sums(trainer));
    *out = trainer;
    trainer = NULL;
done:
    isg_trainer_free(trainer);
    return status;
}

void isg_trainer_free(isg_trainer *trainer) {
    if (!trainer)
        return;
    isg_release(trainer->rates);
    isg_gibbs_weights_release(&trainer->weights);
    isg_states_release(&trainer->batch);
    isg_states_release(&trainer->chains);
    isg_release(trainer->order);
    isg_release(trainer->sums);
    isg_release(trainer->field_sums);
    isg_release(trainer->hidden_sums);
    isg_release(trainer->old_weights);
    isg_release(trainer->old_b);
    isg_release(trainer->old_c);
    isg_release(trainer->old_chains);
    isg_release(trainer);
}

isg_train_state isg_trainer_describe(const isg_trainer *trainer) {
    return trainer->state;
}

/* ---- the samples of an update ----------------------------------------------------------------- */

static double learning_rate(const isg_trainer *trainer) {
    size_t k = trainer->option.n_rates - 1;
    while (trainer->rates[k].from_epoch > trainer->state.epochs)
        k--;
    return trainer->rates[k].rate;
}

/* Sample number k of the mini-batch that is next. */
static const uint64_t *sample(const isg_trainer *trainer, size_t k) {
    const size_t a = trainer->state.batch * trainer->option.batch_size + k;
    return isg_dataset_spins(trainer->data, trainer->order ? trainer->order[a] : a);
}

static void set_order(isg_trainer *trainer) {
    const uint64_t epoch = trainer->state.epochs;
    if (trainer->order && trainer->order_of != epoch + 1) {
        isg_dataset_shuffle(trainer->data, trainer->option.seed, epoch, trainer->order);
        trainer->order_of = epoch + 1;
    }
}

/* lambda of one row of states = W^T s + c */
static void set_mean(isg_states *states, const isg_gibbs_weights *w, size_t k) {
    const int32_t *input = states->input + k * w->stride;
    for (size_t mu = 0; mu < w->n_hidden; mu++)
        states->lambda[k * w->stride + mu] = (float)isg_gibbs_hidden_mean(w, input, mu);
}

static void set_means(isg_states *states, const isg_gibbs_weights *w) {
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
    for (size_t k = 0; k < states->count; k++)
        set_mean(states, w, k);
}

/* The spins of the mini-batch, and the mean hidden units that they imply. */
static void set_batch(isg_trainer *trainer) {
    const size_t left =
        trainer->data->info.n_samples - trainer->state.batch * trainer->option.batch_size;
    const isg_gibbs_weights *w = &trainer->weights;
    const isg_kernels *kernels = isg_kernels_get();
    isg_states *batch = &trainer->batch;
    batch->count = left < trainer->option.batch_size ? left : trainer->option.batch_size;
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
    for (size_t k = 0; k < batch->count; k++) {
        uint64_t *spins = batch->spins + k * w->words;
        memcpy(spins, sample(trainer, k), w->words * sizeof *spins);
        kernels->hidden_input(w, 1, spins, batch->input + k * w->stride);
        set_mean(batch, w, k);
    }
}

/* ---- sums over samples ------------------------------------------------------------------------ */

/* field_sums of one panel += sign * (sum of s_i) */
static void add_spins(isg_trainer *trainer, const isg_states *states, size_t panel, double sign) {
    const size_t words = trainer->weights.words, word = panel * ISG_PANEL / 64;
    int64_t ups[ISG_PANEL] = {0};
    for (size_t k = 0; k < states->count; k++) {
        const uint64_t spins = states->spins[k * words + word] >> panel * ISG_PANEL % 64;
        for (size_t q = 0; q < ISG_PANEL; q++)
            ups[q] += (int64_t)(spins >> q & 1);
    }
    for (size_t q = 0; q < ISG_PANEL; q++)
        trainer->field_sums[panel * ISG_PANEL + q] +=
            sign * (double)(2 * ups[q] - (int64_t)states->count);
}

static void add_panel(isg_trainer *trainer, const isg_states *states, size_t panel, double sign) {
    const isg_gibbs_weights *w = &trainer->weights;
    isg_kernels_get()->spin_moments(w, panel, states->count, states->spins, states->lambda, sign,
                                    trainer->sums + panel * ISG_PANEL * w->stride);
    if (trainer->option.fields)
        add_spins(trainer, states, panel, sign);
}

static void add_hidden(isg_trainer *trainer, const isg_states *states, double sign) {
    const isg_gibbs_weights *w = &trainer->weights;
    for (size_t k = 0; k < states->count; k++)
        for (size_t mu = 0; mu < w->n_hidden; mu++)
            trainer->hidden_sums[mu] += sign * (double)states->lambda[k * w->stride + mu];
}

/* The sums over the data, scaled as if there were as many samples as chains. */
static void sum_data(isg_trainer *trainer, size_t n_chains) {
    const isg_gibbs_weights *w = &trainer->weights;
    const isg_states *batch = &trainer->batch;
    const size_t size = ISG_PANEL * w->stride;
    const double scale = (double)n_chains / (double)batch->count;
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
    for (size_t panel = 0; panel < w->panels; panel++) {
        double *sums = trainer->sums + panel * size, *s = trainer->field_sums + panel * ISG_PANEL;
        memset(sums, 0, size * sizeof *sums);
        memset(s, 0, ISG_PANEL * sizeof *s);
        add_panel(trainer, batch, panel, 1);
        if (n_chains != batch->count) {
            for (size_t k = 0; k < size; k++)
                sums[k] *= scale;
            for (size_t q = 0; q < ISG_PANEL; q++)
                s[q] *= scale;
        }
    }
    memset(trainer->hidden_sums, 0, w->n_hidden * sizeof *trainer->hidden_sums);
    if (trainer->option.fields)
        add_hidden(trainer, batch, 1);
    for (size_t mu = 0; mu < w->n_hidden; mu++)
        trainer->hidden_sums[mu] *= scale;
}

/* One panel of W and b, once its sums are complete. */
static void step_panel(isg_trainer *trainer, size_t panel, double step) {
    const size_t n = trainer->weights.n_visible, p = trainer->weights.n_hidden;
    for (size_t i = panel * ISG_PANEL; i < (panel + 1) * ISG_PANEL && i < n; i++) {
        const double *sums = trainer->sums + i * trainer->weights.stride;
        double *row = trainer->rbm->weights + i * p, *old = trainer->old_weights + i * p;
        for (size_t mu = 0; mu < p; mu++) {
            old[mu] = row[mu];
            row[mu] += step * sums[mu];
        }
        trainer->old_b[i] = trainer->rbm->b[i];
        trainer->rbm->b[i] += step * trainer->field_sums[i];
    }
}

/* Subtracts the sums over the chains and moves W, b and c by `step` times what is left. */
static void subtract_chains(isg_trainer *trainer, const isg_states *chains, double step) {
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
    for (size_t panel = 0; panel < trainer->weights.panels; panel++) {
        add_panel(trainer, chains, panel, -1);
        step_panel(trainer, panel, step);
    }
    if (trainer->option.fields)
        add_hidden(trainer, chains, -1);
    for (size_t mu = 0; mu < trainer->weights.n_hidden; mu++) {
        trainer->old_c[mu] = trainer->rbm->c[mu];
        trainer->rbm->c[mu] += step * trainer->hidden_sums[mu];
    }
}

/* ---- chains ----------------------------------------------------------------------------------- */

static void sweep(isg_trainer *trainer, isg_states *states, isg_purpose purpose, uint64_t step,
                  size_t count) {
    const isg_sweeps sweeps = {.beta = trainer->rbm->info.beta,
                               .gain = 1,
                               .seed = trainer->option.seed,
                               .purpose = purpose,
                               .step = step,
                               .count = count};
    isg_states_sweep(states, &trainer->weights, &sweeps);
}

/* The spins of the batch that are no longer those of the data. */
static uint64_t count_wrong(const isg_trainer *trainer) {
    const isg_kernels *kernels = isg_kernels_get();
    const size_t words = trainer->weights.words;
    uint64_t wrong = 0;
    for (size_t k = 0; k < trainer->batch.count; k++) {
        uint32_t distance = 0;
        kernels->hamming(1, words, sample(trainer, k), trainer->batch.spins + k * words, words,
                         &distance);
        wrong += distance;
    }
    return wrong;
}

/* Persistent chains: from the samples of the first batch, as often as it takes, and then from
   where they are, under the new weights. */
static void wake_chains(isg_trainer *trainer) {
    const isg_gibbs_weights *w = &trainer->weights;
    isg_states *chains = &trainer->chains;
    const size_t row_bytes = w->words * sizeof *chains->spins;
    if (trainer->state.updates == 0)
        for (size_t k = 0; k < chains->count; k++)
            memcpy(chains->spins + k * w->words, sample(trainer, k % trainer->batch.count),
                   row_bytes);
    memcpy(trainer->old_chains, chains->spins, chains->count * row_bytes);
    isg_states_set_input(chains, w);
}

/* K sweeps, from the data or from where the last update ended. Returns the states after them and
   counts what the first sweep from the data got wrong. */
static isg_states *run_chains(isg_trainer *trainer, uint64_t *wrong) {
    const size_t n_sweeps = trainer->option.gibbs_steps;
    const uint64_t update = trainer->state.updates, step = update * n_sweeps;
    isg_states *batch = &trainer->batch, *chains = &trainer->chains;
    if (!trainer->option.persistent) {
        sweep(trainer, batch, ISG_PURPOSE_TRAIN, step, 1);
        *wrong = count_wrong(trainer);
        sweep(trainer, batch, ISG_PURPOSE_TRAIN, step + 1, n_sweeps - 1);
        return batch;
    }
    sweep(trainer, batch, ISG_PURPOSE_RECONSTRUCT, update, 1);
    *wrong = count_wrong(trainer);
    wake_chains(trainer);
    sweep(trainer, chains, ISG_PURPOSE_TRAIN, step, n_sweeps);
    return chains;
}

/* ---- updates and epochs ----------------------------------------------------------------------- */

/* As if the update had not been tried. The sentence of why it failed is kept. */
static isg_status undo(isg_trainer *trainer, isg_status status, double rate) {
    const isg_gibbs_weights *w = &trainer->weights;
    isg_rbm *rbm = trainer->rbm;
    memcpy(rbm->weights, trainer->old_weights, w->n_visible * w->n_hidden * sizeof *rbm->weights);
    memcpy(rbm->b, trainer->old_b, w->n_visible * sizeof *rbm->b);
    memcpy(rbm->c, trainer->old_c, w->n_hidden * sizeof *rbm->c);
    if (trainer->option.persistent)
        memcpy(trainer->chains.spins, trainer->old_chains,
               trainer->chains.count * w->words * sizeof *trainer->old_chains);
    ISG_TRY(isg_trainer_pack(trainer));
    return isg_fail(status,
                    "training diverged in update %zu of epoch %" PRIu64
                    ": %s after it; try a learning rate below %g",
                    trainer->state.batch + 1, trainer->state.epochs + 1, isg_error_message(), rate);
}

isg_status isg_trainer_update(isg_trainer *trainer) {
    isg_train_state *state = &trainer->state;
    const size_t n_sweeps = trainer->option.gibbs_steps;
    const double rate = learning_rate(trainer);
    uint64_t wrong = 0;
    if (state->updates >= ISG_MAX_STEP / n_sweeps)
        return isg_fail(ISG_ERR_UNSUPPORTED,
                        "there are no random numbers for more than 2^56 sweeps");
    set_order(trainer);
    set_batch(trainer);
    const size_t n_chains =
        trainer->option.persistent ? trainer->chains.count : trainer->batch.count;
    sum_data(trainer, n_chains);
    isg_states *chains = run_chains(trainer, &wrong);
    if (trainer->option.estimator == ISG_ESTIMATOR_MEAN)
        set_means(chains, &trainer->weights);
    subtract_chains(trainer, chains, rate / (double)n_chains);
    const isg_status status = isg_trainer_pack(trainer);
    if (status != ISG_OK)
        return undo(trainer, status, rate);
    trainer->wrong_spins = (state->batch == 0 ? 0 : trainer->wrong_spins) + wrong;
    state->updates++;
    state->batch = (state->batch + 1) % state->n_batches;
    state->epochs += state->batch == 0;
    return ISG_OK;
}

isg_status isg_trainer_epoch(isg_trainer *trainer, isg_epoch_report *report,
                             const isg_progress *progress) {
    const isg_train_state *state = &trainer->state;
    const uint64_t epoch = state->epochs;
    const double rate = learning_rate(trainer);
    while (state->epochs == epoch) {
        ISG_TRY(isg_trainer_update(trainer));
        const bool is_done = state->epochs != epoch;
        const double fraction = is_done ? 1 : (double)state->batch / (double)state->n_batches;
        /* Nothing is left to cancel after the last update. */
        if (progress && !progress->report(progress->user, fraction) && !is_done)
            return isg_fail(ISG_ERR_CANCELLED, "training was cancelled in epoch %" PRIu64,
                            epoch + 1);
    }
    if (report)
        *report =
            (isg_epoch_report){.epoch = state->epochs,
                               .updates = state->updates,
                               .rate = rate,
                               .reconstruction_error = (double)trainer->wrong_spins /
                                                       ((double)trainer->data->info.n_samples *
                                                        (double)trainer->data->info.n_visible)};
    return ISG_OK;
}
