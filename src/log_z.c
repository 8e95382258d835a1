/* log_z.c - ln Z by whatever suits the model, and why
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "exact.h"

/* What counts as quick: about a second of work. */
enum { QUICK_UNITS = 22, QUICK_HIDDEN = 2 };
static const double quick_terms = 1e7;

/* Exact sums differ from ln Z by rounding; their tests find less than this. */
static const double rounding = 1e-12;

isg_log_z_options isg_log_z_defaults(void) {
    return (isg_log_z_options){
        .choice = ISG_CHOOSE_AUTO, .ais = isg_ais_defaults(), .mixture = isg_mixture_defaults()};
}

static isg_log_z exactly(double value, double error, const char *choice) {
    isg_log_z out = {.value = value,
                     .error = error + rounding * fabs(value),
                     .method = ISG_LOG_Z_EXACT,
                     .side = ISG_SIDE_EXACT,
                     .spread = (double)NAN,
                     .laplace = (double)NAN,
                     .is_trusted = true};
    snprintf(out.choice, sizeof out.choice, "%s", choice);
    return out;
}

/* The first exact way that applies; ISG_ERR_UNSUPPORTED if none does. */
static isg_status try_exact(const isg_rbm *rbm, bool is_patient, const isg_progress *progress,
                            isg_log_z *out) {
    const isg_rbm_info info = rbm->info;
    double value = 0, error = 0;
    isg_status status = ISG_ERR_UNSUPPORTED;
    if (is_patient || info.n_visible <= QUICK_UNITS) {
        status = isg_exact_enumerate(rbm, &value, progress);
        if (status == ISG_OK)
            *out = exactly(value, 0, "all states can be listed");
    }
    if (status == ISG_ERR_UNSUPPORTED) {
        status = isg_exact_class_sums_within(rbm, is_patient ? 1e9 : quick_terms, &value, progress);
        if (status == ISG_OK)
            *out = exactly(value, 0, "few rows of W are different");
    }
    if (status == ISG_ERR_UNSUPPORTED && (is_patient || info.n_hidden <= QUICK_HIDDEN)) {
        status = isg_exact_quadrature(rbm, &value, &error, progress);
        if (status == ISG_OK)
            *out = exactly(value, error, "few hidden units can be integrated over");
    }
    if (status == ISG_ERR_UNSUPPORTED && is_patient)
        return isg_fail(ISG_ERR_UNSUPPORTED,
                        "no exact way to ln Z: expected at most 28 visible or 3 hidden units, or "
                        "rows of W that repeat, found %zu x %zu units",
                        info.n_visible, info.n_hidden);
    return status;
}

static isg_status anneal(const isg_rbm *rbm, const isg_log_z_options *options, isg_log_z *out) {
    isg_ais_options ais = options->ais;
    ais.progress = options->progress;
    return isg_ais_log_z(rbm, &ais, out, NULL);
}

static isg_status mix(const isg_rbm *rbm, const isg_log_z_options *options, isg_log_z *out) {
    isg_mixture_options mixture = options->mixture;
    mixture.progress = options->progress;
    return isg_mixture_log_z(rbm, &mixture, out);
}

/* A mixture that can be trusted is far better than annealing; one that cannot is worth nothing. */
static isg_status choose(const isg_rbm *rbm, const isg_log_z_options *options, isg_log_z *out) {
    isg_log_z found;
    const isg_status exact = try_exact(rbm, false, options->progress, &found);
    if (exact == ISG_OK)
        *out = found;
    if (exact != ISG_ERR_UNSUPPORTED)
        return exact;
    char reason[sizeof found.reason];
    const isg_status mixed = mix(rbm, options, &found);
    if (mixed == ISG_OK && found.is_trusted) {
        snprintf(found.choice, sizeof found.choice,
                 "no quick exact way, and the mixture can be trusted");
        *out = found;
        return ISG_OK;
    }
    if (mixed != ISG_OK && mixed != ISG_ERR_UNSUPPORTED)
        return mixed;
    snprintf(reason, sizeof reason, "%s", mixed == ISG_OK ? found.reason : isg_error_message());
    ISG_TRY(anneal(rbm, options, &found));
    snprintf(found.choice, sizeof found.choice, "mixture: %.*s", (int)sizeof found.choice - 12,
             reason);
    *out = found;
    return ISG_OK;
}

isg_status isg_rbm_log_z(const isg_rbm *rbm, const isg_log_z_options *options, isg_log_z *out) {
    switch (options->choice) {
    case ISG_CHOOSE_AUTO:
        return choose(rbm, options, out);
    case ISG_CHOOSE_EXACT:
        return try_exact(rbm, true, options->progress, out);
    case ISG_CHOOSE_AIS:
        return anneal(rbm, options, out);
    case ISG_CHOOSE_MIXTURE:
        return mix(rbm, options, out);
    }
    return isg_fail(ISG_ERR_ARGUMENT, "unknown way to ln Z: %d", (int)options->choice);
}
