/* certificate.c - an interval for ln Z that holds with a stated probability
 *
 * SPDX-License-Identifier: MIT
 *
 * A forward estimate of Z is right on average and never negative, so by Markov it exceeds Z e^t with
 * probability at most e^-t; that all of m independent ones do has probability at most e^-mt. The same
 * holds for 1 / Z on the way back from exact samples. With t = ln(1 / d) / m, the interval
 *
 *     min F_i - t  <=  ln Z  <=  max B_i + t
 *
 * is wrong with probability at most 2 d. Nothing is assumed about how well the chains mix.
 */
#include <math.h>

#include "base/bits.h"
#include "base/elementary.h"
#include "base/memory.h"
#include "base/progress_part.h"
#include "base/special.h"
#include "log_z/ais.h"

/* The extreme of the estimates that batches of chains give. */
static double extreme(const double *log_weights, const isg_ais_options *options, double sign) {
    double out = HUGE_VAL;
    for (size_t r = 0; r < options->repeats; r++) {
        const double *batch = log_weights + r * options->chains;
        double largest = -HUGE_VAL, sum = 0;
        for (size_t k = 0; k < options->chains; k++)
            largest = fmax(largest, sign * batch[k]);
        for (size_t k = 0; k < options->chains; k++)
            sum += isg_exp(sign * batch[k] - largest);
        out = fmin(out, largest + isg_log(sum / (double)options->chains));
    }
    return sign * out;
}

isg_status isg_ais_certificate(const isg_rbm *rbm, const isg_ais_options *options,
                               double confidence, isg_interval *out) {
    if (!(confidence > 0 && confidence < 1))
        return isg_fail(ISG_ERR_ARGUMENT, "confidence: expected a number between 0 and 1, found %g",
                        confidence);
    ISG_TRY(isg_ais_check(options));
    const size_t chains = options->chains * options->repeats;
    isg_status status = ISG_OK;
    uint64_t *spins = NULL;
    double *log_weights = NULL;
    isg_log_z found;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(spins, chains, isg_words(rbm->info.n_visible)));
    ISG_TRY_GOTO(ISG_ALLOCATE(log_weights, chains));
    ISG_TRY_GOTO(isg_exact_samples(rbm, chains, options->seed, spins));
    const double margin = isg_log(2 / (1 - confidence)) / (double)options->repeats;
    const double free_spins = (double)rbm->info.n_visible * 0x1.62e42fefa39efp-1;
    isg_part p;
    isg_ais_options own = *options;
    own.progress = isg_part_of(&p, options->progress, 0, 0.5);
    ISG_TRY_GOTO(isg_ais_log_z(rbm, &own, &found, log_weights));
    const double low = free_spins + extreme(log_weights, options, 1) - margin;
    own.progress = isg_part_of(&p, options->progress, 0.5, 1);
    ISG_TRY_GOTO(isg_ais_reverse(rbm, spins, &own, &found, log_weights));
    *out = (isg_interval){.low = low,
                          .high = free_spins + extreme(log_weights, options, -1) + margin,
                          .confidence = confidence,
                          .batches = options->repeats};
done:
    isg_release(spins);
    isg_release(log_weights);
    return status;
}
