/* likelihood.c - the log-likelihood of data under an RBM
 *
 * SPDX-License-Identifier: MIT
 *
 *     L = mean of ln p(s_a) = mean of -beta H(s_a) - ln Z
 *
 * The first term, the data term, is exact except for rounding; all the error of L is that of ln Z.
 */
#include <math.h>
#include <omp.h>

#include "base/bits.h"
#include "base/memory.h"
#include "base/ranks.h"
#include "base/special.h"
#include "base/threads.h"
#include "data/data.h"
#include "isinglass/log_z.h"
#include "rbm/rbm.h"

enum { PORTION = 4096 }; /* samples between two reports */

/* -beta H(s) = beta (b.s + (|h + c|^2 - |c|^2) / 2) with h + c summed over the spins that are up,
   starting from `down`, its value if none is. */
static double exponent(const isg_rbm *rbm, const uint64_t *spins, const double *down,
                       double down_field, double *h) {
    const size_t p = rbm->info.n_hidden;
    double field = down_field, square = 0;
    for (size_t mu = 0; mu < p; mu++)
        h[mu] = down[mu];
    for (size_t word = 0; word < isg_words(rbm->info.n_visible); word++)
        for (uint64_t left = spins[word]; left != 0; left &= left - 1) {
            const size_t i = 64 * word + (size_t)__builtin_ctzll(left);
            const double *row = rbm->weights + i * p;
            field += 2 * rbm->b[i];
            for (size_t mu = 0; mu < p; mu++)
                h[mu] += 2 * row[mu];
        }
    for (size_t mu = 0; mu < p; mu++)
        square += h[mu] * h[mu] - rbm->c[mu] * rbm->c[mu];
    return rbm->info.beta * (field + square / 2);
}

/* exponents (n_samples), by all threads, a portion at a time. */
static isg_status find_exponents(const isg_rbm *rbm, const isg_dataset *data, double *exponents,
                                 const isg_progress *progress) {
    const size_t p = rbm->info.n_hidden, n = rbm->info.n_visible;
    const size_t samples = isg_dataset_describe(data).n_samples;
    const isg_rows own = isg_rank_rows(samples, 1);
    const int threads = isg_team_size();
    double *down = NULL, *rooms = NULL, down_field = 0;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(down, p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(rooms, (size_t)threads, p));
    for (size_t mu = 0; mu < p; mu++)
        down[mu] = rbm->c[mu];
    for (size_t i = 0; i < n; i++) {
        down_field -= rbm->b[i];
        for (size_t mu = 0; mu < p; mu++)
            down[mu] -= rbm->weights[i * p + mu];
    }
    for (size_t first = own.begin; first < own.end; first += PORTION) {
        const size_t end = own.end - first < PORTION ? own.end : first + PORTION;
#pragma omp parallel num_threads(threads)
        {
            double *h = rooms + (size_t)omp_get_thread_num() * p;
#pragma omp for schedule(static)
            for (size_t a = first; a < end; a++)
                exponents[a] = exponent(rbm, isg_dataset_row(data, a), down, down_field, h);
        }
        if (progress && !progress->report(progress->user, (double)(end - own.begin) /
                                                              (double)(own.end - own.begin)))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_CANCELLED, "the likelihood was cancelled"));
    }
    isg_gather_rows(exponents, sizeof *exponents, samples, 1);
done:
    isg_release(down);
    isg_release(rooms);
    return status;
}

/* The data term of the samples of one class, or of all without labels. */
static isg_likelihood summarize(const double *exponents, size_t samples, const uint32_t *labels,
                                size_t wanted) {
    isg_sum sum = {0}, squares = {0};
    isg_likelihood out = {.deviation = (double)NAN};
    for (size_t a = 0; a < samples; a++)
        if (!labels || labels[a] == wanted) {
            isg_sum_add(&sum, exponents[a]);
            out.samples++;
        }
    if (out.samples > 0)
        out.data_term = isg_sum_value(sum) / (double)out.samples;
    for (size_t a = 0; a < samples; a++)
        if (!labels || labels[a] == wanted)
            isg_sum_add(&squares, (exponents[a] - out.data_term) * (exponents[a] - out.data_term));
    if (out.samples > 1)
        out.deviation = sqrt(isg_sum_value(squares) / (double)(out.samples - 1));
    return out;
}

static isg_status find_data_terms(const isg_rbm *rbm, const isg_dataset *data, isg_likelihood *all,
                                  isg_likelihood *by_class, const isg_progress *progress) {
    const isg_dataset_info info = isg_dataset_describe(data);
    if (info.n_visible != rbm->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "the data have %zu units, the RBM has %zu", info.n_visible,
                        rbm->info.n_visible);
    double *exponents = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(exponents, info.n_samples));
    ISG_TRY_GOTO(find_exponents(rbm, data, exponents, progress));
    const isg_likelihood found = summarize(exponents, info.n_samples, NULL, 0);
    if (!isfinite(found.data_term)) {
        status = isg_fail(ISG_ERR_DIVERGED, "the energies of the data are not finite");
        goto done;
    }
    for (size_t k = 0; by_class && k < info.n_classes; k++)
        by_class[k] = summarize(exponents, info.n_samples, isg_dataset_labels(data), k);
    *all = found;
done:
    isg_release(exponents);
    return status;
}

static void subtract(isg_likelihood *likelihood, const isg_log_z *log_z) {
    likelihood->value =
        likelihood->samples > 0 ? likelihood->data_term - log_z->value : (double)NAN;
    likelihood->error = log_z->error;
    likelihood->is_trusted = log_z->is_trusted;
}

isg_status isg_log_likelihood(const isg_rbm *rbm, const isg_dataset *data, const isg_log_z *log_z,
                              isg_likelihood *out, isg_likelihood *by_class,
                              const isg_progress *progress) {
    ISG_TRY(find_data_terms(rbm, data, out, by_class, progress));
    subtract(out, log_z);
    for (size_t k = 0; by_class && k < isg_dataset_describe(data).n_classes; k++)
        subtract(&by_class[k], log_z);
    return ISG_OK;
}

isg_status isg_log_likelihood_betas(const isg_rbm *rbm, const isg_dataset *data,
                                    const double *betas, const isg_log_z *log_z, size_t n,
                                    isg_likelihood *out, const isg_progress *progress) {
    isg_likelihood here;
    ISG_TRY(find_data_terms(rbm, data, &here, NULL, progress));
    for (size_t k = 0; k < n; k++) {
        out[k] = here;
        out[k].data_term = here.data_term * betas[k] / rbm->info.beta;
        out[k].deviation = here.deviation * betas[k] / rbm->info.beta;
        subtract(&out[k], &log_z[k]);
    }
    return ISG_OK;
}

isg_status isg_rbm_score(const isg_rbm *rbm, const isg_dataset *data,
                         const isg_log_z_options *options, isg_likelihood *out, isg_log_z *log_z,
                         const isg_progress *progress) {
    isg_log_z_options own = options ? *options : isg_log_z_defaults();
    isg_likelihood found;
    isg_log_z reference;
    if (!own.mixture.data)
        own.mixture.data = data;
    if (!own.states.data)
        own.states.data = data;
    ISG_TRY(find_data_terms(rbm, data, &found, NULL, NULL));
    ISG_TRY(isg_rbm_log_z(rbm, &own, &reference, progress));
    subtract(&found, &reference);
    *out = found;
    if (log_z)
        *log_z = reference;
    return ISG_OK;
}
