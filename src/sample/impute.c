/* impute.c - missing values, drawn from an RBM with the known ones held fixed
 *
 * SPDX-License-Identifier: MIT
 *
 * Every sample is a chain of its own, which starts from the majority and whose known spins are
 * clamped. Its missing spins then follow p(missing | known), the law of the model. Given the hidden
 * units a spin is +1 with probability 1 / (1 + exp(-2 beta x_i)), x = W lambda + b, and the mean of
 * this over sweeps has less noise than the share of sweeps in which it was drawn (Rao, Blackwell).
 *
 * Sweep t of sample a draws from stream (seed, t, a), so that a sample does not depend on the
 * others, nor on the threads.
 */
#include <omp.h>
#include <string.h>

#include "base/bits.h"
#include "base/elementary.h"
#include "base/memory.h"
#include "base/threads.h"
#include "data/data.h"
#include "rbm/rbm.h"
#include "sample/sample.h"

enum { PORTION = 4 * ISG_GIBBS_CHAINS }; /* samples of a thread between two reports */

isg_impute_options isg_impute_defaults(void) {
    return (isg_impute_options){.sweeps = 50, .measured = 200, .seed = 1};
}

void isg_known_spins(uint64_t *known, const isg_dataset *data, size_t row) {
    for (size_t word = 0; word < data->words; word++)
        known[word] = data->missing ? ~data->missing[row * data->words + word] : ~UINT64_C(0);
}

static bool has_missing(const uint64_t *known, size_t words) {
    for (size_t word = 0; word < words; word++)
        if (~known[word] != 0)
            return true;
    return false;
}

void isg_states_fill_rows(isg_states *states, const isg_gibbs_weights *w, const isg_sweeps *sweeps,
                          isg_rows rows, size_t thread) {
    for (size_t k = rows.begin; k < rows.end;) {
        size_t end = k; /* neighbors are swept together, which is faster */
        while (end < rows.end && has_missing(sweeps->clamped + end * w->words, w->words))
            end++;
        isg_states_sweep_rows(states, w, sweeps, (isg_rows){k, end}, thread);
        k = end > k ? end : k + 1;
    }
}

/* What the threads share. */
typedef struct work {
    const isg_dataset *data;
    const isg_rbm *rbm;
    const isg_impute_options *options;
    bool is_measured;
    isg_gibbs_weights weights;
    isg_states states; /* of the samples from `first` on */
    size_t first;
    uint64_t *known; /* of these samples, (count, words) */
    /* Only if measured: */
    double *shares; /* of these samples, (count, n_visible): p(+1) */
    double *lambda; /* (threads, n_hidden) */
} work;

/* Adds p(+1 | lambda) of the missing spins of one sample. */
static void add_shares(work *my, size_t k, size_t thread) {
    const isg_gibbs_weights *w = &my->weights;
    const isg_kernels *kernels = isg_kernels_get();
    double *lambda = my->lambda + thread * w->n_hidden;
    for (size_t mu = 0; mu < w->n_hidden; mu++)
        lambda[mu] = (double)my->states.lambda[k * w->stride + mu];
    for (size_t word = 0; word < w->words; word++)
        for (uint64_t open = ~my->known[k * w->words + word]; open != 0; open &= open - 1) {
            const size_t i = 64 * word + (size_t)__builtin_ctzll(open);
            const double *row = my->rbm->weights + i * w->n_hidden;
            const double x = kernels->dot(w->n_hidden, row, lambda) + my->rbm->b[i];
            my->shares[k * w->n_visible + i] += 1 / (1 + isg_exp(-2 * my->rbm->info.beta * x));
        }
}

/* Some of the samples of a portion, by one thread. */
static void fill_rows(work *my, isg_rows rows, size_t thread) {
    const isg_gibbs_weights *w = &my->weights;
    const isg_impute_options *options = my->options;
    isg_states *states = &my->states;
    isg_sweeps sweeps = {.beta = my->rbm->info.beta,
                         .gain = 1,
                         .seed = options->seed,
                         .purpose = ISG_PURPOSE_IMPUTE,
                         .count = options->sweeps,
                         .number = my->first,
                         .clamped = my->known,
                         .clamped_stride = w->words};
    for (size_t k = rows.begin; k < rows.end; k++) {
        isg_known_spins(my->known + k * w->words, my->data, my->first + k);
        memcpy(states->spins + k * w->words, isg_dataset_spins(my->data, my->first + k),
               w->words * sizeof *states->spins);
        if (my->is_measured)
            memset(my->shares + k * w->n_visible, 0, w->n_visible * sizeof *my->shares);
    }
    if (rows.end > rows.begin)
        isg_kernels_get()->hidden_input(w, rows.end - rows.begin,
                                        states->spins + rows.begin * w->words,
                                        states->input + rows.begin * w->stride);
    isg_states_fill_rows(states, w, &sweeps, rows, thread);
    for (size_t t = 0; my->is_measured && t < options->measured; t++) {
        sweeps.step = options->sweeps + t;
        sweeps.count = 1;
        isg_states_fill_rows(states, w, &sweeps, rows, thread);
        for (size_t k = rows.begin; k < rows.end; k++)
            add_shares(my, k, thread);
    }
    for (size_t k = rows.begin; my->is_measured && k < rows.end; k++)
        for (size_t i = 0; i < w->n_visible; i++)
            if (isg_bit(my->known + k * w->words, i)) {
                my->shares[k * w->n_visible + i] = isg_bit(states->spins + k * w->words, i);
            } else {
                my->shares[k * w->n_visible + i] /= (double)options->measured;
                if (options->marginal)
                    isg_bit_assign(states->spins + k * w->words, i,
                                   my->shares[k * w->n_visible + i] > 0.5);
            }
}

static isg_status check(const isg_dataset *data, const isg_rbm *rbm,
                        const isg_impute_options *options) {
    if (data->info.n_visible != rbm->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE,
                        "data: expected %zu units, as the RBM has visible ones, found %zu",
                        rbm->info.n_visible, data->info.n_visible);
    if (data->info.n_samples > UINT32_MAX)
        return isg_fail(ISG_ERR_UNSUPPORTED, "there are no random numbers for 2^32 samples");
    if (options->sweeps == 0 || options->measured == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "imputing: expected at least one sweep, found none");
    return ISG_OK;
}

/* Fills in all samples, to spins (n_samples, words) and probabilities (n_samples, n_visible),
   unless they are NULL. */
static isg_status fill(uint64_t *spins, isg_matd probabilities, const isg_dataset *data,
                       const isg_rbm *rbm, const isg_impute_options *options,
                       const isg_progress *progress) {
    const size_t n = data->info.n_samples, n_visible = data->info.n_visible;
    const size_t portion = PORTION * (size_t)isg_team_size(), count = n < portion ? n : portion;
    work my = {.data = data,
               .rbm = rbm,
               .options = options,
               .is_measured = probabilities.data || options->marginal};
    isg_gibbs_weights *w = &my.weights;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_gibbs_weights_create(w, n_visible, rbm->info.n_hidden));
    ISG_TRY_GOTO(isg_gibbs_weights_set(w, rbm->weights, rbm->b, rbm->c));
    ISG_TRY_GOTO(isg_states_create(&my.states, w, count));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(my.known, count, w->words));
    if (my.is_measured) {
        ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(my.shares, count, n_visible));
        ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(my.lambda, my.states.threads, w->n_hidden));
    }
    for (; my.first < n; my.first += count) {
        const size_t now = n - my.first < count ? n - my.first : count;
#pragma omp parallel num_threads(isg_states_team(&my.states))
        {
            const size_t me = (size_t)omp_get_thread_num(), all = (size_t)omp_get_num_threads();
            fill_rows(&my, isg_rows_of(now, me, all), me);
        }
        if (spins)
            memcpy(spins + my.first * w->words, my.states.spins, now * w->words * sizeof *spins);
        for (size_t k = 0; probabilities.data && k < now; k++)
            memcpy(probabilities.data + (my.first + k) * probabilities.stride,
                   my.shares + k * n_visible, n_visible * sizeof *my.shares);
        if (progress && !progress->report(progress->user, (double)(my.first + now) / (double)n))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_CANCELLED, "imputing was cancelled"));
    }
done:
    isg_gibbs_weights_release(w);
    isg_states_release(&my.states);
    isg_release(my.known);
    isg_release(my.shares);
    isg_release(my.lambda);
    return status;
}

isg_status isg_dataset_impute(isg_dataset **out, const isg_dataset *data, const isg_rbm *rbm,
                              const isg_impute_options *options, const isg_progress *progress) {
    const isg_impute_options defaults = isg_impute_defaults();
    const isg_matd no_probabilities = {NULL, 0, 0, 0};
    isg_dataset *full = NULL;
    size_t *rows = NULL;
    isg_status status = ISG_OK;
    options = options ? options : &defaults;
    ISG_TRY(check(data, rbm, options));
    ISG_TRY_GOTO(ISG_ALLOCATE(rows, data->info.n_samples));
    for (size_t a = 0; a < data->info.n_samples; a++)
        rows[a] = a;
    ISG_TRY_GOTO(isg_dataset_take(&full, data, rows, data->info.n_samples, true));
    if (data->missing)
        ISG_TRY_GOTO(fill(full->spins, no_probabilities, data, rbm, options, progress));
    isg_release(full->missing);
    full->missing = NULL;
    *out = full;
    full = NULL;
done:
    isg_dataset_free(full);
    isg_release(rows);
    return status;
}

isg_status isg_impute_probabilities(isg_matd out, const isg_dataset *data, const isg_rbm *rbm,
                                    const isg_impute_options *options,
                                    const isg_progress *progress) {
    const isg_impute_options defaults = isg_impute_defaults();
    options = options ? options : &defaults;
    ISG_TRY(check(data, rbm, options));
    if (out.rows != data->info.n_samples || out.cols != data->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "expected room for %zu x %zu probabilities, found %zu x %zu",
                        data->info.n_samples, data->info.n_visible, out.rows, out.cols);
    return fill(NULL, out, data, rbm, options, progress);
}
