/* log_z.c - ln Z by the method that suits the model, and why that one
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress_part.h"
#include "log_z/ais.h"
#include "log_z/exact.h"
#include "log_z/mixture.h"

/* What counts as quick: about a second. */
enum { QUICK_UNITS = 22, QUICK_HIDDEN = 2 };
static const double quick_terms = 1e7;

/* Exact sums differ from ln Z by rounding; the tests find less than this. */
static const double rounding = 1e-12;

static const char ending[] = "ln Z";

isg_log_z_options isg_log_z_defaults(void) {
    return (isg_log_z_options){.method = ISG_LOG_Z_AUTO,
                               .patience = 2,
                               .ais = isg_ais_defaults(),
                               .mixture = isg_mixture_defaults()};
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

/* The first exact method that applies; ISG_ERR_UNSUPPORTED if none does. */
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
        return isg_fail(
            ISG_ERR_UNSUPPORTED,
            "no exact method for ln Z: expected at most 28 visible or 3 hidden units, or "
            "rows of W that repeat, found %zu x %zu units",
            info.n_visible, info.n_hidden);
    return status;
}

/* ---- choosing among the three ---------------------------------------------------------------- */

/* The mixture's share of the progress; the rest is annealing. */
static const double mixture_share = 0.5;

/* Exact if that is quick, else by a mixture; if that is not trusted, out->reason says why. */
static isg_status try_without_annealing(const isg_rbm *rbm, const isg_log_z_options *options,
                                        const isg_progress *progress, isg_log_z *out) {
    const isg_status exact = try_exact(rbm, false, progress, out);
    if (exact != ISG_ERR_UNSUPPORTED)
        return exact;
    const isg_status mixed = isg_mixture_log_z(rbm, &options->mixture, out, progress);
    if (mixed == ISG_ERR_UNSUPPORTED) {
        *out = (isg_log_z){.value = -HUGE_VAL};
        snprintf(out->reason, sizeof out->reason, "%s", isg_error_message());
        return ISG_OK;
    }
    if (mixed == ISG_OK && out->is_trusted)
        snprintf(out->choice, sizeof out->choice,
                 "no exact method is quick, and the mixture can be trusted");
    return mixed;
}

/* Annealing replaces a mixture that is not trusted, unless it is not trusted either: both are right
   on average only because of rare draws, which are probably missing, so the larger one is nearer to
   Z. */
static void settle(isg_log_z *mixed, const isg_log_z *annealed) {
    if (!annealed->is_trusted && mixed->value > annealed->value) {
        snprintf(mixed->choice, sizeof mixed->choice,
                 "neither mixture nor annealing can be trusted, and the mixture found more of Z");
        return;
    }
    isg_log_z out = *annealed;
    snprintf(out.choice, sizeof out.choice, "mixture: %.*s", (int)sizeof out.choice - 12,
             mixed->reason);
    *mixed = out;
}

/* By annealing, at the given betas or, if there are none, at the model's own. */
static isg_status anneal(const isg_rbm *rbm, const isg_ais_options *ais, const double *betas,
                         size_t n, isg_log_z *out, const isg_progress *progress) {
    return betas ? isg_ais_log_z_betas(rbm, ais, betas, n, out, progress)
                 : isg_ais_log_z(rbm, ais, out, NULL, progress);
}

/* The same with more steps until all are trusted, or patience runs out. */
static isg_status anneal_patiently(const isg_rbm *rbm, const isg_log_z_options *options,
                                   const double *betas, size_t n, isg_log_z *out,
                                   const isg_progress *progress) {
    isg_ais_options ais = options->ais;
    const size_t tries = ais.schedule || ais.adaptive > 0 ? 0 : options->patience;
    double work = 0, all = 0;
    for (size_t k = 0; k <= tries; k++)
        all = 4 * all + 1;
    for (size_t k = 0;; k++, ais.steps *= 4) {
        const double share = (1 - mixture_share) / all, own = ldexp(1, 2 * (int)k);
        isg_part p;
        ISG_TRY(anneal(rbm, &ais, betas, n, out,
                       isg_part_of(&p, progress, mixture_share + share * work,
                                   mixture_share + share * (work + own))));
        work += own;
        bool is_trusted = true;
        for (size_t m = 0; m < n; m++)
            is_trusted = is_trusted && out[m].is_trusted;
        if (is_trusted || k == tries || ais.steps > SIZE_MAX / 4)
            return ISG_OK;
    }
}

static isg_status choose(const isg_rbm *rbm, const isg_log_z_options *options, isg_log_z *out,
                         const isg_progress *progress) {
    isg_log_z found, annealed;
    isg_part p;
    ISG_TRY(
        try_without_annealing(rbm, options, isg_part_of(&p, progress, 0, mixture_share), &found));
    if (!found.is_trusted) {
        ISG_TRY(anneal_patiently(rbm, options, NULL, 1, &annealed, progress));
        settle(&found, &annealed);
    }
    ISG_TRY(isg_progress_end(progress, ending));
    *out = found;
    return ISG_OK;
}

isg_status isg_rbm_log_z(const isg_rbm *rbm, const isg_log_z_options *options, isg_log_z *out,
                         const isg_progress *progress) {
    const isg_log_z_options defaults = isg_log_z_defaults();
    options = options ? options : &defaults;
    switch (options->method) {
    case ISG_LOG_Z_AUTO:
        return choose(rbm, options, out, progress);
    case ISG_LOG_Z_EXACT:
        return try_exact(rbm, true, progress, out);
    case ISG_LOG_Z_AIS:
        return isg_ais_log_z(rbm, &options->ais, out, NULL, progress);
    case ISG_LOG_Z_MIXTURE:
        return isg_mixture_log_z(rbm, &options->mixture, out, progress);
    }
    return isg_fail(ISG_ERR_ARGUMENT, "unknown method for ln Z: %d", (int)options->method);
}

/* ---- many temperatures ----------------------------------------------------------------------- */

/* Each beta on its own, as far as possible without annealing. */
static isg_status one_by_one(const isg_rbm *rbm, const isg_log_z_options *options,
                             const double *betas, size_t n, isg_log_z *out,
                             const isg_progress *progress) {
    const bool is_auto = options->method == ISG_LOG_Z_AUTO;
    const double share = is_auto ? mixture_share : 1;
    for (size_t k = 0; k < n; k++) {
        isg_rbm here = *rbm; /* borrows weights and fields */
        here.info.beta = betas[k];
        isg_part p;
        const isg_progress *own = isg_part_of(&p, progress, share * (double)k / (double)n,
                                              share * (double)(k + 1) / (double)n);
        ISG_TRY(is_auto ? try_without_annealing(&here, options, own, &out[k])
                        : isg_rbm_log_z(&here, options, &out[k], own));
    }
    return ISG_OK;
}

/* One annealing for all betas without a trusted result so far. `open` and `annealed` have room for
   all. */
static isg_status anneal_the_rest(const isg_rbm *rbm, const isg_log_z_options *options,
                                  const double *betas, size_t n, double *open, isg_log_z *annealed,
                                  isg_log_z *found, const isg_progress *progress) {
    size_t count = 0;
    for (size_t k = 0; k < n; k++)
        if (!found[k].is_trusted)
            open[count++] = betas[k];
    if (count == 0)
        return ISG_OK;
    ISG_TRY(anneal_patiently(rbm, options, open, count, annealed, progress));
    for (size_t k = 0, m = 0; k < n; k++)
        if (!found[k].is_trusted)
            settle(&found[k], &annealed[m++]);
    return ISG_OK;
}

isg_status isg_rbm_log_z_betas(const isg_rbm *rbm, const isg_log_z_options *options,
                               const double *betas, size_t n, isg_log_z *out,
                               const isg_progress *progress) {
    const isg_log_z_options defaults = isg_log_z_defaults();
    options = options ? options : &defaults;
    if (options->method == ISG_LOG_Z_AIS)
        return isg_ais_log_z_betas(rbm, &options->ais, betas, n, out, progress);
    for (size_t k = 0; k < n; k++)
        ISG_TRY(isg_check_beta(betas[k]));
    if (n == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "expected at least one beta");
    isg_status status = ISG_OK;
    isg_log_z *found = NULL, *annealed = NULL;
    double *open = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE(found, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(annealed, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(open, n));
    ISG_TRY_GOTO(one_by_one(rbm, options, betas, n, found, progress));
    if (options->method == ISG_LOG_Z_AUTO)
        ISG_TRY_GOTO(anneal_the_rest(rbm, options, betas, n, open, annealed, found, progress));
    ISG_TRY_GOTO(isg_progress_end(progress, ending));
    memcpy(out, found, n * sizeof *out);
done:
    isg_release(found);
    isg_release(annealed);
    isg_release(open);
    return status;
}
