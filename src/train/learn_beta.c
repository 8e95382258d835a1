/* learn_beta.c - the inverse temperature as one more parameter
 *
 * SPDX-License-Identifier: MIT
 *
 * With lambda integrated out, ln p(s) = -beta H(s) - ln Z and Z = sum_s exp(-beta H(s)), so that
 *
 *     d ln p(s) / d beta = -H(s) + <H>,   -H(s) = b.s + |W^T s + c|^2 / 2 - |c|^2 / 2
 *
 * exactly, the last term cancelling; <H> is over the model, of which the chains of the update are
 * samples. The mean hidden units belong to the spins themselves, whatever the estimator pairs them
 * with in the gradient of W. A batch far from typical must not throw beta away, least of all below
 * zero, so no step exceeds a tenth of it.
 */
#include <math.h>

#include "train/train.h"

static const double largest_step = 0.1; /* of beta */

/* The sum of |W^T s + c|^2 / 2 over the data of the update. */
static double sum_data(const isg_trainer *trainer) {
    const isg_gibbs_weights *w = &trainer->weights;
    double sum = 0;
    for (size_t k = 0; k < trainer->batch.count; k++)
        for (size_t mu = 0; mu < w->n_hidden; mu++) {
            const double h = (double)trainer->data_lambda[k * w->stride + mu];
            sum += h * h / 2;
        }
    return sum;
}

static double sum_chains(const isg_trainer *trainer, const isg_states *chains) {
    const isg_gibbs_weights *w = &trainer->weights;
    double sum = 0;
    for (size_t k = 0; k < chains->count; k++)
        for (size_t mu = 0; mu < w->n_hidden; mu++) {
            const double h = isg_gibbs_hidden_mean(w, chains->input + k * w->stride, mu);
            sum += h * h / 2;
        }
    return sum;
}

double isg_beta_gradient(const isg_trainer *trainer, const isg_states *chains, const double *b) {
    const double n_data = (double)trainer->batch.count, n_chains = (double)chains->count;
    double sum = sum_data(trainer) / n_data - sum_chains(trainer, chains) / n_chains;
    for (size_t i = 0; i < trainer->weights.n_visible; i++)
        sum += b[i] * trainer->field_sums[i] / n_chains;
    return sum;
}

double isg_beta_after(double beta, double change) {
    const double most = largest_step * beta;
    if (isnan(change))
        return beta; /* the weights will tell */
    const double moved = beta + fmin(fmax(change, -most), most);
    return fmin(fmax(moved, ISG_LEAST_BETA), ISG_MOST_BETA);
}
