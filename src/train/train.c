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
 * Persistent chains continue from the last update instead of starting at s_a. If the last batch of
 * an epoch has fewer samples than the others, eta is smaller by that ratio. Where values of s_a are
 * missing, they are first drawn from p(missing | known) of the RBM as it is: the gradient of the
 * likelihood of the known values is the mean over these draws. What else may happen to W and beta is in
 * constraint.c and learn_beta.c.
 *
 * Threads share the chains while these move, and the visible units during sums over samples. Chains
 * are independent, and every unit sums over all samples in their order, so the weights never depend
 * on the number of threads. An epoch is one parallel region, so that a thread suspended by the
 * system costs no more than that moment. No update allocates.
 *
 * Ranks share both in the same way, with two messages per update: the states of all chains, and the rows of W
 * that each has moved.
 */
#include "train/train.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <string.h>

#include "base/barrier.h"
#include "base/bits.h"
#include "base/memory.h"
#include "base/progress_part.h"
#include "base/ranks.h"
#include "base/threads.h"

/* ---- options ---------------------------------------------------------------------------------- */

static const isg_rate default_rate = {.rate = 1e-4, .from_epoch = 0};

isg_train_options isg_train_defaults(void) {
    return (isg_train_options){.batch_size = 100,
                               .gibbs_steps = 20,
                               .rates = &default_rate,
                               .n_rates = 1,
                               .estimator = ISG_ESTIMATOR_SAMPLED,
                               .jumps = 3,
                               .refit_every = 25,
                               .impute_sweeps = 20,
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
    if (options->impute_sweeps == 0 || options->impute_sweeps > most)
        return isg_fail(ISG_ERR_ARGUMENT, "impute_sweeps: expected 1 to 2^31 sweeps, found %zu",
                        options->impute_sweeps);
    if (options->chains > most)
        return isg_fail(ISG_ERR_ARGUMENT, "chains: expected at most 2^31, found %zu",
                        options->chains);
    if (options->equilibrium && (options->jumps == 0 || options->jumps > options->gibbs_steps))
        return isg_fail(ISG_ERR_ARGUMENT,
                        "jumps: expected 1 to %zu, one after each sweep, found %zu",
                        options->gibbs_steps, options->jumps);
    if (options->equilibrium && (options->refit_every == 0 || options->refit_every > most))
        return isg_fail(ISG_ERR_ARGUMENT, "refit_every: expected 1 to 2^31 updates, found %zu",
                        options->refit_every);
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
    const size_t n_samples = trainer->data->info.n_samples, chains = trainer->option.chains;
    const size_t wanted = trainer->option.batch_size;
    const isg_gibbs_weights *w = &trainer->weights;
    const size_t batch = wanted < n_samples ? wanted : n_samples;
    ISG_TRY(isg_states_create(&trainer->batch, w, batch));
    ISG_TRY(ISG_ALLOCATE_MATRIX(trainer->data_spins, batch, w->words));
    ISG_TRY(ISG_ALLOCATE_MATRIX(trainer->data_lambda, batch, w->stride));
    ISG_TRY(ISG_ALLOCATE(trainer->wrong, batch));
    if (trainer->data->missing)
        ISG_TRY(ISG_ALLOCATE_MATRIX(trainer->known, batch, w->words));
    if (trainer->option.persistent) {
        ISG_TRY(isg_states_create(&trainer->chains, w, chains));
        ISG_TRY(ISG_ALLOCATE_MATRIX(trainer->old_chains, chains, w->words));
        ISG_TRY(ISG_ALLOCATE(trainer->accepted, chains));
    }
    ISG_TRY(isg_trainer_allocate_parcels(trainer));
    if (trainer->option.equilibrium)
        ISG_TRY(isg_equilibrium_create(&trainer->equilibrium, trainer->rbm, trainer->data,
                                       &trainer->option));
    return trainer->option.shuffle ? ISG_ALLOCATE(trainer->order, n_samples) : ISG_OK;
}

/* W as it must be before the first update; as it was, if it cannot. */
static isg_status start_keeping(isg_trainer *trainer) {
    isg_rbm *rbm = trainer->rbm;
    const size_t bytes = rbm->info.n_visible * rbm->info.n_hidden * sizeof *rbm->weights;
    ISG_TRY(isg_keeping_start(&trainer->keeping, trainer->option.constraint, rbm));
    memcpy(trainer->old_weights, rbm->weights, bytes);
    if (isg_keep(&trainer->keeping, isg_rbm_weights(rbm)) == ISG_OK)
        return isg_trainer_pack(trainer);
    memcpy(rbm->weights, trainer->old_weights, bytes);
    return isg_fail(ISG_ERR_DEPENDENT, "constraint: %s", isg_error_message());
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

/* The options with what follows from others. */
static isg_train_options settle(const isg_train_options *options) {
    enum { IN_EQUILIBRIUM = 1000 };
    isg_train_options own = *options;
    own.persistent = own.persistent || own.equilibrium;
    if (own.chains == 0)
        own.chains = own.equilibrium ? IN_EQUILIBRIUM : own.batch_size;
    return own;
}

isg_status isg_trainer_create(isg_trainer **out, isg_rbm *rbm, const isg_dataset *data,
                              const isg_train_options *options) {
    const isg_train_options defaults = isg_train_defaults();
    isg_trainer *trainer = NULL;
    isg_status status = ISG_OK;
    options = options ? options : &defaults;
    ISG_TRY(check_options(options));
    if (data->info.n_visible != rbm->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE,
                        "data: expected %zu columns, as the RBM has visible units, found %zu",
                        rbm->info.n_visible, data->info.n_visible);
    ISG_TRY_GOTO(ISG_ALLOCATE(trainer, 1));
    trainer->rbm = rbm;
    trainer->data = data;
    trainer->option = settle(options);
    ISG_TRY_GOTO(ISG_ALLOCATE(trainer->rates, options->n_rates));
    memcpy(trainer->rates, options->rates, options->n_rates * sizeof *trainer->rates);
    trainer->option.rates = trainer->rates;
    isg_dataset_checksum(data, trainer->data_sha256);
    if (data->missing)
        isg_dataset_missing_checksum(data, trainer->missing_sha256);
    trainer->state.n_batches = (data->info.n_samples - 1) / options->batch_size + 1;
    ISG_TRY_GOTO(
        isg_gibbs_weights_create(&trainer->weights, rbm->info.n_visible, rbm->info.n_hidden));
    ISG_TRY_GOTO(isg_trainer_pack(trainer));
    ISG_TRY_GOTO(allocate_samples(trainer));
    ISG_TRY_GOTO(allocate_sums(trainer));
    if (options->constraint != ISG_CONSTRAINT_NONE)
        ISG_TRY_GOTO(start_keeping(trainer));
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
    isg_equilibrium_free(trainer->equilibrium);
    isg_release(trainer->data_spins);
    isg_release(trainer->data_lambda);
    isg_release(trainer->known);
    isg_release(trainer->order);
    isg_release(trainer->wrong);
    isg_release(trainer->accepted);
    isg_release(trainer->parcels);
    isg_release(trainer->sums);
    isg_release(trainer->field_sums);
    isg_release(trainer->hidden_sums);
    isg_keeping_release(&trainer->keeping);
    isg_release(trainer->old_weights);
    isg_release(trainer->old_b);
    isg_release(trainer->old_c);
    isg_release(trainer->old_chains);
    isg_release(trainer);
}

isg_train_state isg_trainer_describe(const isg_trainer *trainer) {
    return trainer->state;
}

isg_equilibrium_info isg_trainer_equilibrium(const isg_trainer *trainer) {
    return trainer->equilibrium ? trainer->equilibrium->info : (isg_equilibrium_info){0};
}

/* ---- the samples of an update ----------------------------------------------------------------- */

static double learning_rate(const isg_trainer *trainer) {
    size_t k = trainer->option.n_rates - 1;
    while (trainer->rates[k].from_epoch > trainer->state.epochs)
        k--;
    return trainer->rates[k].rate;
}

/* A last batch that is short moves the weights in proportion: every sample of an epoch counts the
   same, and an epoch does not end with a step that is mostly noise. */
static double share(const isg_trainer *trainer) {
    const size_t all = trainer->data->info.n_samples, full = trainer->option.batch_size;
    return (double)trainer->batch.count / (double)(full < all ? full : all);
}

/* Sample number k of the mini-batch that is next. */
static size_t row_of(const isg_trainer *trainer, size_t k) {
    const size_t a = trainer->state.batch * trainer->option.batch_size + k;
    return trainer->order ? trainer->order[a] : a;
}

static const uint64_t *sample(const isg_trainer *trainer, size_t k) {
    return isg_dataset_spins(trainer->data, row_of(trainer, k));
}

static void set_order(isg_trainer *trainer) {
    const uint64_t epoch = trainer->state.epochs;
    if (trainer->order && trainer->order_of != epoch + 1) {
        isg_dataset_shuffle(trainer->data, trainer->option.seed, epoch, trainer->order);
        trainer->order_of = epoch + 1;
    }
}

/* ---- chains ----------------------------------------------------------------------------------- */

/* What the threads of a team share while they do updates. */
typedef struct team {
    isg_trainer *trainer;
    const isg_progress *progress; /* may be NULL */
    uint64_t left;                /* updates to be done, unless the epoch ends before */
    uint64_t pause;               /* updates before something is due that one thread cannot do */
    double rate;
    isg_barrier barrier;
    atomic_bool is_stopped; /* cancelled within an update, which then has not been */
    isg_status status;      /* of the last update */
    bool goes_on, is_cancelled, is_paused;
} team;

static void set_means(const isg_gibbs_weights *w, const int32_t *input, size_t rows,
                      float *lambda) {
    for (size_t k = 0; k < rows; k++)
        for (size_t mu = 0; mu < w->n_hidden; mu++)
            lambda[k * w->stride + mu] = (float)isg_gibbs_hidden_mean(w, input + k * w->stride, mu);
}

/* Within an update that takes long: one thread asks whether to go on. */
static bool goes_on(team *my, size_t thread) {
    const isg_train_state *state = &my->trainer->state;
    const isg_progress *progress = thread == 0 ? my->progress : NULL;
    if (progress &&
        !progress->report(progress->user, (double)state->batch / (double)state->n_batches))
        atomic_store(&my->is_stopped, true);
    return !atomic_load(&my->is_stopped);
}

/* Sweeps some rows, in portions of a few hundredths of a second. */
static void sweep_in_portions(team *my, isg_states *states, isg_rows rows, size_t thread,
                              const isg_sweeps *sweeps) {
    const isg_gibbs_weights *w = &my->trainer->weights;
    const size_t portion = (size_t)1 << 28; /* products; drawing a spin takes as long */
    const size_t size = w->n_visible * (w->stride + 64); /* as some dozens of them */
    const size_t fitting = portion / size > ISG_GIBBS_CHAINS ? portion / size : ISG_GIBBS_CHAINS;
    for (isg_rows part = rows; part.begin < rows.end; part.begin = part.end) {
        part.end = rows.end - part.begin < fitting ? rows.end : part.begin + fitting;
        const size_t each = portion / size / (part.end - part.begin) + 1;
        isg_sweeps now = *sweeps;
        for (size_t left = sweeps->count; left > 0; left -= now.count, now.step += now.count) {
            now.count = left < each ? left : each;
            isg_states_sweep_rows(states, w, &now, part, thread);
            const bool is_last = left == now.count && part.end == rows.end;
            if (!is_last && !goes_on(my, thread))
                return;
        }
    }
}

/* Mean hidden units for some rows of states. */
static void pair_with_means(const isg_gibbs_weights *w, isg_states *states, isg_rows rows) {
    set_means(w, states->input + rows.begin * w->stride, rows.end - rows.begin,
              states->lambda + rows.begin * w->stride);
}

/* Some rows of states after some sweeps; once they are through, with mean hidden units if those are
   wanted. */
static void sweep_rows(team *my, isg_states *states, isg_rows rows, size_t thread,
                       isg_sweeps sweeps, bool is_end) {
    const isg_trainer *trainer = my->trainer;
    sweeps.beta = trainer->rbm->info.beta;
    sweeps.gain = 1;
    sweeps.seed = trainer->option.seed;
    sweep_in_portions(my, states, rows, thread, &sweeps);
    if (is_end && trainer->option.estimator == ISG_ESTIMATOR_MEAN)
        pair_with_means(&trainer->weights, states, rows);
}

/* Draws what is missing in some samples of the mini-batch. The random numbers are named by the update
   and the place in the batch, so that a training that is resumed has the same. */
static void fill_batch(isg_trainer *trainer, isg_rows rows, size_t thread) {
    const isg_gibbs_weights *w = &trainer->weights;
    const size_t count = trainer->option.impute_sweeps;
    const isg_sweeps sweeps = {.beta = trainer->rbm->info.beta,
                               .gain = 1,
                               .seed = trainer->option.seed,
                               .purpose = ISG_PURPOSE_IMPUTE,
                               .step = trainer->state.updates * count,
                               .count = count,
                               .clamped = trainer->known,
                               .clamped_stride = w->words};
    for (size_t k = rows.begin; k < rows.end; k++)
        isg_known_spins(trainer->known + k * w->words, trainer->data, row_of(trainer, k));
    isg_states_fill_rows(&trainer->batch, w, &sweeps, rows, thread);
}

/* Some samples of the mini-batch: their spins and mean hidden units, and what a sweep makes of
   them; without persistent chains, all sweeps. */
static void move_batch(team *my, isg_rows rows, size_t thread) {
    isg_trainer *trainer = my->trainer;
    const isg_gibbs_weights *w = &trainer->weights;
    const isg_kernels *kernels = isg_kernels_get();
    const size_t n_sweeps = trainer->option.gibbs_steps;
    const uint64_t update = trainer->state.updates;
    const bool is_persistent = trainer->option.persistent;
    isg_states *batch = &trainer->batch;
    const size_t row_bytes = w->words * sizeof *batch->spins;
    for (size_t k = rows.begin; k < rows.end; k++) {
        memcpy(batch->spins + k * w->words, sample(trainer, k), row_bytes);
        kernels->hidden_input(w, 1, batch->spins + k * w->words, batch->input + k * w->stride);
    }
    if (trainer->known)
        fill_batch(trainer, rows, thread);
    for (size_t k = rows.begin; k < rows.end; k++) {
        memcpy(trainer->data_spins + k * w->words, batch->spins + k * w->words, row_bytes);
        set_means(w, batch->input + k * w->stride, 1, trainer->data_lambda + k * w->stride);
    }
    isg_sweeps sweeps = {.purpose = is_persistent ? ISG_PURPOSE_RECONSTRUCT : ISG_PURPOSE_TRAIN,
                         .step = is_persistent ? update : update * n_sweeps,
                         .count = 1};
    sweep_rows(my, batch, rows, thread, sweeps, n_sweeps == 1);
    for (size_t k = rows.begin; k < rows.end; k++)
        kernels->hamming(1, w->words, trainer->data_spins + k * w->words,
                         batch->spins + k * w->words, w->words, trainer->wrong + k);
    sweeps.step++;
    sweeps.count = n_sweeps - 1;
    if (!is_persistent && sweeps.count > 0)
        sweep_rows(my, batch, rows, thread, sweeps, true);
}

/* Some persistent chains, in whole blocks, through sweeps and jumps. */
static void jump_chains(team *my, isg_rows rows, size_t thread, const isg_sweeps *all) {
    const isg_trainer *trainer = my->trainer;
    const isg_equilibrium *how = trainer->equilibrium;
    isg_states *chains = &my->trainer->chains;
    isg_sweeps now = *all;
    size_t accepted = 0;
    for (size_t k = 0, done = 0; k < how->count; k++, done += now.count) {
        now.step = all->step + done;
        now.count = isg_equilibrium_sweeps(how, k, all->count) - done;
        sweep_rows(my, chains, rows, thread, now, false);
        if (atomic_load(&my->is_stopped) || (k > 0 && !goes_on(my, thread)))
            return;
        const isg_jump_step jump = {.seed = trainer->option.seed, .step = now.step + now.count - 1};
        const isg_rows blocks = {rows.begin / ISG_LANES, (rows.end + ISG_LANES - 1) / ISG_LANES};
        accepted +=
            isg_states_jump_blocks(chains, &trainer->weights, how->jumps, &jump, blocks, thread);
    }
    if (rows.begin < rows.end)
        my->trainer->accepted[rows.begin] = (uint32_t)accepted;
    if (trainer->option.estimator == ISG_ESTIMATOR_MEAN)
        pair_with_means(&trainer->weights, chains, rows);
}

/* Some persistent chains: from where the last update left them, under the new weights. */
static void move_chains(team *my, isg_rows rows, size_t thread) {
    isg_trainer *trainer = my->trainer;
    const isg_gibbs_weights *w = &trainer->weights;
    const size_t n_sweeps = trainer->option.gibbs_steps, count = rows.end - rows.begin;
    isg_states *chains = &trainer->chains;
    uint64_t *spins = chains->spins + rows.begin * w->words;
    memcpy(trainer->old_chains + rows.begin * w->words, spins, count * w->words * sizeof *spins);
    memset(trainer->accepted + rows.begin, 0, count * sizeof *trainer->accepted);
    isg_kernels_get()->hidden_input(w, count, spins, chains->input + rows.begin * w->stride);
    const isg_sweeps sweeps = {
        .purpose = ISG_PURPOSE_TRAIN, .step = trainer->state.updates * n_sweeps, .count = n_sweeps};
    if (trainer->equilibrium && trainer->equilibrium->is_jumping)
        jump_chains(my, rows, thread, &sweeps);
    else
        sweep_rows(my, chains, rows, thread, sweeps, true);
}

/* Undoes that. */
static void put_back(isg_trainer *trainer, isg_rows rows) {
    const size_t words = trainer->weights.words;
    if (trainer->option.persistent)
        memcpy(trainer->chains.spins + rows.begin * words, trainer->old_chains + rows.begin * words,
               (rows.end - rows.begin) * words * sizeof *trainer->old_chains);
}

/* Persistent chains start from the samples of the first batch, as often as it takes. */
static void wake_chains(isg_trainer *trainer) {
    const size_t words = trainer->weights.words;
    for (size_t k = 0; k < trainer->chains.count; k++)
        memcpy(trainer->chains.spins + k * words, sample(trainer, k % trainer->batch.count),
               words * sizeof *trainer->chains.spins);
}

/* Of the samples and chains that other ranks move, what is here already. */
static void copy_others(isg_trainer *trainer, size_t me, size_t all) {
    const size_t words = trainer->weights.words, bytes = words * sizeof *trainer->data_spins;
    const isg_rows batch = isg_rows_of(trainer->batch.count, me, all);
    const isg_rows own_batch = isg_rank_rows(trainer->batch.count, 1);
    for (size_t k = batch.begin; k < batch.end && !trainer->known; k++)
        if (k < own_batch.begin || k >= own_batch.end)
            memcpy(trainer->data_spins + k * words, sample(trainer, k), bytes);
    const isg_rows chains = isg_rows_of(trainer->chains.count, me, all);
    const isg_rows own_chains = isg_rank_rows(trainer->chains.count, ISG_LANES);
    for (size_t k = chains.begin; k < chains.end; k++)
        if (k < own_chains.begin || k >= own_chains.end)
            memcpy(trainer->old_chains + k * words, trainer->chains.spins + k * words, bytes);
}

/* ---- sums over samples ------------------------------------------------------------------------ */

/* Samples to be summed over: the data, or the chains. */
typedef struct samples {
    size_t count;
    const uint64_t *spins;
    const float *lambda;
} samples;

/* field_sums of one panel += sign * (sum of s_i) */
static void add_spins(isg_trainer *trainer, samples from, size_t panel, double sign) {
    const size_t words = trainer->weights.words, word = panel * ISG_PANEL / 64;
    int64_t ups[ISG_PANEL] = {0};
    for (size_t k = 0; k < from.count; k++) {
        const uint64_t spins = from.spins[k * words + word] >> panel * ISG_PANEL % 64;
        for (size_t q = 0; q < ISG_PANEL; q++)
            ups[q] += (int64_t)(spins >> q & 1);
    }
    for (size_t q = 0; q < ISG_PANEL; q++)
        trainer->field_sums[panel * ISG_PANEL + q] +=
            sign * (double)(2 * ups[q] - (int64_t)from.count);
}

static void add_panel(isg_trainer *trainer, samples from, size_t panel, double sign) {
    const isg_gibbs_weights *w = &trainer->weights;
    isg_kernels_get()->spin_moments(w, panel, from.count, from.spins, from.lambda, sign,
                                    trainer->sums + panel * ISG_PANEL * w->stride);
    if (trainer->option.fields || trainer->option.learn_beta)
        add_spins(trainer, from, panel, sign);
}

static void add_hidden(isg_trainer *trainer, samples from, double sign) {
    const isg_gibbs_weights *w = &trainer->weights;
    for (size_t k = 0; k < from.count; k++)
        for (size_t mu = 0; mu < w->n_hidden; mu++)
            trainer->hidden_sums[mu] += sign * (double)from.lambda[k * w->stride + mu];
}

/* The sums of one panel: the data, scaled as if there were as many samples as chains, less the
   chains. */
static void sum_panel(isg_trainer *trainer, samples data, samples chains, size_t panel) {
    const size_t size = ISG_PANEL * trainer->weights.stride;
    double *sums = trainer->sums + panel * size, *s = trainer->field_sums + panel * ISG_PANEL;
    const double scale = (double)chains.count / (double)data.count;
    memset(sums, 0, size * sizeof *sums);
    memset(s, 0, ISG_PANEL * sizeof *s);
    add_panel(trainer, data, panel, 1);
    if (chains.count != data.count) {
        for (size_t k = 0; k < size; k++)
            sums[k] *= scale;
        for (size_t q = 0; q < ISG_PANEL; q++)
            s[q] *= scale;
    }
    add_panel(trainer, chains, panel, -1);
}

/* One panel of W and b, as they are before the update. */
static void remember_panel(isg_trainer *trainer, size_t panel) {
    const size_t n = trainer->weights.n_visible, p = trainer->weights.n_hidden;
    const size_t begin = panel * ISG_PANEL, end = begin + ISG_PANEL < n ? begin + ISG_PANEL : n;
    memcpy(trainer->old_weights + begin * p, trainer->rbm->weights + begin * p,
           (end - begin) * p * sizeof *trainer->old_weights);
    memcpy(trainer->old_b + begin, trainer->rbm->b + begin, (end - begin) * sizeof *trainer->old_b);
}

/* The same once its sums are complete. */
static void step_panel(isg_trainer *trainer, size_t panel, double step) {
    const size_t n = trainer->weights.n_visible, p = trainer->weights.n_hidden;
    for (size_t i = panel * ISG_PANEL; i < (panel + 1) * ISG_PANEL && i < n; i++) {
        const double *sums = trainer->sums + i * trainer->weights.stride;
        double *row = trainer->rbm->weights + i * p;
        for (size_t mu = 0; mu < p; mu++)
            row[mu] += step * sums[mu];
        if (trainer->option.fields)
            trainer->rbm->b[i] += step * trainer->field_sums[i];
    }
}

/* The panels that this rank moves. Sums over few samples cost less than a message. */
enum { FEW_SAMPLES = 16 };

static bool divides_panels(const isg_trainer *trainer) {
    return isg_n_ranks() > 1 && trainer->batch.count >= FEW_SAMPLES;
}

static void move_panels(isg_trainer *trainer, samples data, samples chains, double step, size_t me,
                        size_t all) {
    const size_t count = trainer->weights.panels;
    const bool divides = divides_panels(trainer);
    const isg_rows panels = isg_rows_of(count, me, all), ours = isg_rank_rows(count, 1);
    const isg_rows mine = divides ? isg_rank_thread_rows(count, 1, me, all) : panels;
    for (size_t panel = panels.begin; divides && panel < panels.end; panel++)
        if (panel < ours.begin || panel >= ours.end)
            remember_panel(trainer, panel);
    for (size_t panel = mine.begin; panel < mine.end; panel++) {
        sum_panel(trainer, data, chains, panel);
        remember_panel(trainer, panel);
        step_panel(trainer, panel, step);
    }
}

static void step_hidden_field(isg_trainer *trainer, samples data, samples chains, double step) {
    const size_t p = trainer->weights.n_hidden;
    memset(trainer->hidden_sums, 0, p * sizeof *trainer->hidden_sums);
    if (trainer->option.fields) {
        add_hidden(trainer, data, 1);
        for (size_t mu = 0; mu < p; mu++)
            trainer->hidden_sums[mu] *= (double)chains.count / (double)data.count;
        add_hidden(trainer, chains, -1);
    }
    for (size_t mu = 0; mu < p; mu++) {
        trainer->old_c[mu] = trainer->rbm->c[mu];
        trainer->rbm->c[mu] += step * trainer->hidden_sums[mu];
    }
}

static void step_beta(isg_trainer *trainer, const isg_states *chains, double step) {
    double *beta = &trainer->rbm->info.beta;
    trainer->old_beta = *beta;
    if (trainer->option.learn_beta)
        *beta = isg_beta_after(*beta, step * isg_beta_gradient(trainer, chains, trainer->old_b));
}

/* The samples of the update under way. */
static samples data_samples(const isg_trainer *trainer) {
    return (samples){trainer->batch.count, trainer->data_spins, trainer->data_lambda};
}

static const isg_states *moved_states(const isg_trainer *trainer) {
    return trainer->option.persistent ? &trainer->chains : &trainer->batch;
}

static samples chain_samples(const isg_trainer *trainer) {
    const isg_states *moved = moved_states(trainer);
    return (samples){moved->count, moved->spins, moved->lambda};
}

/* ---- updates and epochs ----------------------------------------------------------------------- */

/* One thread, before an update. */
static void begin_update(team *my) {
    isg_trainer *trainer = my->trainer;
    const isg_train_state *state = &trainer->state;
    const size_t imputing = trainer->known ? trainer->option.impute_sweeps : 0;
    const size_t moving = trainer->option.gibbs_steps;
    const size_t n_sweeps = moving > imputing ? moving : imputing;
    const size_t left = trainer->data->info.n_samples - state->batch * trainer->option.batch_size;
    my->rate = learning_rate(trainer);
    if (state->updates >= ISG_MAX_STEP / n_sweeps) {
        my->status =
            isg_fail(ISG_ERR_UNSUPPORTED, "there are no random numbers for more than 2^56 sweeps");
        my->goes_on = false;
        return;
    }
    set_order(trainer);
    trainer->batch.count = left < trainer->option.batch_size ? left : trainer->option.batch_size;
    if (trainer->option.persistent && state->updates == 0)
        wake_chains(trainer);
    if (trainer->equilibrium)
        isg_equilibrium_begin(trainer->equilibrium);
    my->goes_on = true;
}

/* As if the update had not been tried. The sentence of why it failed is kept. */
static isg_status undo(isg_trainer *trainer, isg_status status, double rate) {
    const isg_gibbs_weights *w = &trainer->weights;
    isg_rbm *rbm = trainer->rbm;
    memcpy(rbm->weights, trainer->old_weights, w->n_visible * w->n_hidden * sizeof *rbm->weights);
    memcpy(rbm->b, trainer->old_b, w->n_visible * sizeof *rbm->b);
    memcpy(rbm->c, trainer->old_c, w->n_hidden * sizeof *rbm->c);
    rbm->info.beta = trainer->old_beta;
    if (trainer->option.persistent)
        memcpy(trainer->chains.spins, trainer->old_chains,
               trainer->chains.count * w->words * sizeof *trainer->old_chains);
    ISG_TRY(isg_trainer_pack(trainer));
    return isg_fail(status,
                    "training diverged in update %zu of epoch %" PRIu64
                    ": %s after it; try a learning rate below %g",
                    trainer->state.batch + 1, trainer->state.epochs + 1, isg_error_message(), rate);
}

static uint64_t add_up(const uint32_t *counts, size_t n) {
    uint64_t sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += counts[k];
    return sum;
}

/* One thread, after an update. */
static void end_update(team *my) {
    isg_trainer *trainer = my->trainer;
    isg_train_state *state = &trainer->state;
    my->goes_on = false;
    if (my->status != ISG_OK)
        return; /* undone outside the parallel region, by all threads */
    isg_gibbs_weights_end(&trainer->weights);
    const uint64_t wrong = add_up(trainer->wrong, trainer->batch.count);
    trainer->wrong_spins = (state->batch == 0 ? 0 : trainer->wrong_spins) + wrong;
    if (trainer->equilibrium)
        isg_equilibrium_end(trainer->equilibrium,
                            trainer->chains.count * trainer->equilibrium->count,
                            add_up(trainer->accepted, trainer->chains.count));
    state->updates++;
    state->batch = (state->batch + 1) % state->n_batches;
    state->epochs += state->batch == 0;
    const bool is_end = state->batch == 0, is_last = --my->left == 0 || is_end;
    const double fraction = is_end ? 1 : (double)state->batch / (double)state->n_batches;
    /* Nothing is left to cancel after the last update. */
    my->is_cancelled =
        my->progress && !my->progress->report(my->progress->user, fraction) && !is_last;
    my->is_paused = !is_last && !my->is_cancelled && --my->pause == 0;
    if (!is_last && !my->is_cancelled && !my->is_paused)
        begin_update(my);
}

/* All threads, once W has moved. */
static void keep(team *my, size_t me) {
    isg_trainer *trainer = my->trainer;
    if (trainer->option.constraint == ISG_CONSTRAINT_NONE)
        return;
    isg_barrier_wait(&my->barrier);
    if (me == 0)
        my->status = isg_keep(&trainer->keeping, isg_rbm_weights(trainer->rbm));
    isg_barrier_wait(&my->barrier);
}

/* One thread of the team, through as many updates as there are to be. */
static void work(team *my, size_t me, size_t all) {
    isg_trainer *trainer = my->trainer;
    isg_gibbs_weights *w = &trainer->weights;
    const isg_rbm *rbm = trainer->rbm;
    const isg_rows panels = isg_rows_of(w->panels, me, all);
    while (my->goes_on) {
        const isg_rows chains_moved =
            isg_rank_thread_rows(trainer->chains.count, ISG_LANES, me, all);
        move_batch(my, isg_rank_thread_rows(trainer->batch.count, 1, me, all), me);
        if (trainer->option.persistent)
            move_chains(my, chains_moved, me);
        if (isg_n_ranks() > 1)
            copy_others(trainer, me, all);
        isg_barrier_wait(&my->barrier);
        if (atomic_load(&my->is_stopped)) { /* which all threads see, or none */
            put_back(trainer, chains_moved);
            return;
        }
        if (isg_n_ranks() > 1) {
            if (me == 0)
                isg_trainer_gather_states(trainer);
            isg_barrier_wait(&my->barrier);
        }
        const samples data = data_samples(trainer), chains = chain_samples(trainer);
        const double step = my->rate * share(trainer) / (double)chains.count;
        move_panels(trainer, data, chains, step, me, all);
        if (divides_panels(trainer)) {
            isg_barrier_wait(&my->barrier);
            if (me == 0)
                isg_trainer_gather_panels(trainer);
            isg_barrier_wait(&my->barrier);
        }
        keep(my, me);
        for (size_t panel = panels.begin; panel < panels.end; panel++)
            isg_gibbs_weights_set_panel(w, panel, rbm->weights, rbm->b);
        isg_barrier_wait(&my->barrier);
        if (me == 0) {
            step_beta(trainer, moved_states(trainer), (double)chains.count * step);
            step_hidden_field(trainer, data, chains, step);
            if (my->status == ISG_OK)
                my->status = isg_gibbs_weights_scale(w, rbm->weights, rbm->b, rbm->c);
        }
        isg_barrier_wait(&my->barrier);
        if (my->status == ISG_OK)
            for (size_t panel = panels.begin; panel < panels.end; panel++)
                isg_gibbs_weights_set_rows(w, panel, rbm->weights);
        isg_barrier_wait(&my->barrier);
        if (me == 0)
            end_update(my);
        isg_barrier_wait(&my->barrier);
    }
}

/* As many threads as both kinds of states have room for. */
static int team_of(const isg_trainer *trainer) {
    const int batch = isg_states_team(&trainer->batch);
    const int chains = trainer->option.persistent ? isg_states_team(&trainer->chains) : batch;
    const int least = batch < chains ? batch : chains;
    const isg_jumps *jumps = trainer->equilibrium ? trainer->equilibrium->jumps : NULL;
    return jumps && isg_jumps_team(jumps) < least ? isg_jumps_team(jumps) : least;
}

static isg_status cancelled(const isg_trainer *trainer) {
    return isg_fail(ISG_ERR_CANCELLED, "training was cancelled in epoch %" PRIu64,
                    trainer->state.epochs + 1);
}

/* By one thread, outside of parallel regions: what is due before the next update. */
static isg_status prepare(team *my) {
    const isg_train_state *state = &my->trainer->state;
    isg_equilibrium *equilibrium = my->trainer->equilibrium;
    const double at = (double)state->batch / (double)state->n_batches;
    isg_part part;
    my->is_paused = false;
    my->pause = UINT64_MAX;
    if (!equilibrium)
        return ISG_OK;
    const isg_status status = isg_equilibrium_prepare(equilibrium, state->updates,
                                                      isg_part_of(&part, my->progress, at, at));
    my->pause = isg_equilibrium_left(equilibrium, state->updates);
    return status == ISG_ERR_CANCELLED ? cancelled(my->trainer) : status;
}

/* One parallel region: thread 0, which called, does all that is not shared, such as to report
   progress. */
static void work_together(team *my) {
    begin_update(my);
#pragma omp parallel num_threads(team_of(my->trainer))
    {
        const size_t me = (size_t)omp_get_thread_num(), all = (size_t)omp_get_num_threads();
#pragma omp single
        my->barrier.threads = all;
        work(my, me, all);
    }
}

isg_status isg_trainer_advance(isg_trainer *trainer, uint64_t updates,
                               const isg_progress *progress) {
    team my = {.trainer = trainer, .left = updates, .progress = progress};
    if (updates == 0)
        return ISG_OK;
    do {
        ISG_TRY(prepare(&my));
        work_together(&my);
    } while (my.is_paused);
    if (my.status == ISG_ERR_DIVERGED)
        return undo(trainer, my.status, my.rate);
    if (my.is_cancelled || my.is_stopped)
        return cancelled(trainer);
    return my.status;
}

isg_status isg_trainer_update(isg_trainer *trainer) {
    return isg_trainer_advance(trainer, 1, NULL);
}

double isg_trainer_reconstruction_error(const isg_trainer *trainer) {
    const isg_dataset_info *data = &trainer->data->info;
    return (double)trainer->wrong_spins / ((double)data->n_samples * (double)data->n_visible);
}

isg_status isg_trainer_epoch(isg_trainer *trainer, isg_epoch_report *report,
                             const isg_progress *progress) {
    const double rate = learning_rate(trainer);
    ISG_TRY(isg_trainer_advance(trainer, UINT64_MAX, progress));
    if (report)
        *report =
            (isg_epoch_report){.epoch = trainer->state.epochs,
                               .updates = trainer->state.updates,
                               .rate = rate,
                               .reconstruction_error = isg_trainer_reconstruction_error(trainer)};
    return ISG_OK;
}
