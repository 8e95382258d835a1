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
#include "log_z/deep_states.h"
#include "log_z/exact.h"
#include "log_z/mixture_log_z.h"
#include "log_z/population.h"
#include "log_z/split.h"

/* What counts as quick: about a second. */
enum { QUICK_UNITS = 22, QUICK_HIDDEN = 2 };
static const double quick_terms = 1e7;

/* Exact sums differ from ln Z by rounding; the tests find less than this. */
static const double rounding = 1e-12;

static const char ending[] = "ln Z";

/* Where the search for deep states begins in the progress of a method that has none of its own. */
static const double bound_from = 0.95;

isg_log_z_options isg_log_z_defaults(void) {
    return (isg_log_z_options){.method = ISG_LOG_Z_AUTO,
                               .patience = 2,
                               .is_bounded = true,
                               .ais = isg_ais_defaults(),
                               .mixture = isg_mixture_defaults(),
                               .states = isg_states_defaults(),
                               .population = isg_population_defaults(),
                               .well_draws = 20000};
}

static isg_log_z exactly(double value, double error, const char *choice) {
    isg_log_z out = {.value = value,
                     .error = error + rounding * fabs(value),
                     .method = ISG_LOG_Z_EXACT,
                     .side = ISG_SIDE_EXACT,
                     .spread = (double)NAN,
                     .laplace = (double)NAN,
                     .shares = {(double)NAN, (double)NAN},
                     .family = (double)NAN,
                     .bound = -HUGE_VAL,
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

/* ---- choosing among them --------------------------------------------------------------------- */

/* The share of wells in the progress; the rest is annealing. */
static const double wells_share = 0.5;

/* By wells at betas (n); if a result is not trusted, its reason says why. */
static isg_status try_wells(const isg_rbm *rbm, const isg_log_z_options *options,
                            const double *betas, size_t n, isg_log_z *out, isg_well_list *wells,
                            const isg_progress *progress) {
    const isg_status status = isg_split_log_z(rbm, options, betas, n, out, wells, progress);
    for (size_t m = 0; m < n; m++) {
        if (status == ISG_ERR_UNSUPPORTED) {
            out[m] = (isg_log_z){.value = -HUGE_VAL, .bound = -HUGE_VAL};
            snprintf(out[m].reason, sizeof out[m].reason, "%s", isg_error_message());
        } else if (status == ISG_OK && out[m].is_trusted) {
            snprintf(out[m].choice, sizeof out[m].choice,
                     "no exact method is quick, and wells can be trusted");
        }
    }
    return status == ISG_ERR_UNSUPPORTED ? ISG_OK : status;
}

/* Annealing replaces wells that are not trusted, unless these found more of Z: both are right on
   average only because of rare draws, which are probably missing, so the larger one is nearer to Z.
   That also exposes annealing which trusts itself because none of its chains met a deep state. */
static void settle(isg_log_z *wells, const isg_log_z *annealed) {
    const double error = isfinite(annealed->error) ? annealed->error : 0;
    const double least =
        annealed->is_trusted ? annealed->value + 3 * error : annealed->value - error;
    if (wells->value > least) {
        snprintf(wells->choice, sizeof wells->choice, "%s",
                 annealed->is_trusted
                     ? "wells found more of Z than annealing, though they cannot be trusted"
                     : "neither wells nor annealing can be trusted, and wells found more of Z");
        return;
    }
    isg_log_z out = *annealed;
    out.bound = wells->bound;
    out.states = wells->states;
    isg_log_z_respect_bound(&out);
    snprintf(out.choice, sizeof out.choice, "wells: %.*s", (int)sizeof out.choice - 12,
             wells->reason);
    *wells = out;
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
    const bool is_fixed = options->fixed_steps || ais.schedule || ais.adaptive > 0;
    const size_t tries = is_fixed ? 0 : options->patience;
    double work = 0, all = 0;
    for (size_t k = 0; k <= tries; k++)
        all = 4 * all + 1;
    for (size_t k = 0;; k++, ais.steps *= 4) {
        const double share = (1 - wells_share) / all, own = ldexp(1, 2 * (int)k);
        isg_part p;
        ISG_TRY(anneal(rbm, &ais, betas, n, out,
                       isg_part_of(&p, progress, wells_share + share * work,
                                   wells_share + share * (work + own))));
        work += own;
        bool is_trusted = true;
        for (size_t m = 0; m < n; m++)
            is_trusted = is_trusted && out[m].is_trusted;
        if (is_trusted || k == tries || ais.steps > SIZE_MAX / 4)
            return ISG_OK;
    }
}

static isg_status choose(const isg_rbm *rbm, const isg_log_z_options *options, isg_log_z *out,
                         isg_well_list *wells, const isg_progress *progress) {
    isg_log_z found, annealed;
    isg_part p;
    const isg_status exact = try_exact(rbm, false, progress, &found);
    if (exact == ISG_ERR_UNSUPPORTED) {
        ISG_TRY(try_wells(rbm, options, &rbm->info.beta, 1, &found, wells,
                          isg_part_of(&p, progress, 0, wells_share)));
        if (!found.is_trusted) {
            ISG_TRY(anneal_patiently(rbm, options, NULL, 1, &annealed, progress));
            settle(&found, &annealed);
        }
    } else if (exact != ISG_OK) {
        return exact;
    }
    ISG_TRY(isg_progress_end(progress, ending));
    *out = found;
    return ISG_OK;
}

/* One of the methods at the RBM's own beta. */
static isg_status by_one_method(const isg_rbm *rbm, const isg_log_z_options *options,
                                isg_log_z *out, isg_well_list *wells,
                                const isg_progress *progress) {
    switch (options->method) {
    case ISG_LOG_Z_AUTO:
        return choose(rbm, options, out, wells, progress);
    case ISG_LOG_Z_EXACT:
        return try_exact(rbm, true, progress, out);
    case ISG_LOG_Z_AIS:
        return isg_ais_log_z(rbm, &options->ais, out, NULL, progress);
    case ISG_LOG_Z_MIXTURE:
        return isg_mixture_log_z(rbm, &options->mixture, out, progress);
    case ISG_LOG_Z_WELLS:
        return isg_split_log_z(rbm, options, &rbm->info.beta, 1, out, wells, progress);
    case ISG_LOG_Z_POPULATION:
        return isg_population_log_z(rbm, options, &rbm->info.beta, 1, out, progress);
    }
    return isg_fail(ISG_ERR_ARGUMENT, "unknown method for ln Z: %d", (int)options->method);
}

/* Annealing and mixture do not look for deep states themselves. */
static bool needs_bound(const isg_log_z_options *options) {
    return options->is_bounded &&
           (options->method == ISG_LOG_Z_AIS || options->method == ISG_LOG_Z_MIXTURE);
}

isg_status isg_rbm_log_z(const isg_rbm *rbm, const isg_log_z_options *options, isg_log_z *out,
                         const isg_progress *progress) {
    return isg_rbm_log_z_wells(rbm, options, out, NULL, progress);
}

isg_status isg_rbm_log_z_wells(const isg_rbm *rbm, const isg_log_z_options *options, isg_log_z *out,
                               isg_well_list *wells, const isg_progress *progress) {
    const isg_log_z_options defaults = isg_log_z_defaults();
    isg_log_z found;
    isg_part p;
    options = options ? options : &defaults;
    const bool is_bounded = needs_bound(options);
    ISG_TRY(by_one_method(rbm, options, &found, wells,
                          isg_part_of(&p, progress, 0, is_bounded ? bound_from : 1)));
    if (is_bounded) {
        ISG_TRY(isg_apply_bound(rbm, options, NULL, 1, &found,
                                isg_part_of(&p, progress, bound_from, 1)));
        ISG_TRY(isg_progress_end(progress, ending));
    }
    *out = found;
    return ISG_OK;
}

/* ---- many temperatures ----------------------------------------------------------------------- */

/* Each beta on its own: by a mixture, or exactly; by auto those that are quick, the others are left
   untrusted. */
static isg_status one_by_one(const isg_rbm *rbm, const isg_log_z_options *options,
                             const double *betas, size_t n, isg_log_z *out,
                             const isg_progress *progress) {
    const bool is_auto = options->method == ISG_LOG_Z_AUTO;
    for (size_t k = 0; k < n; k++) {
        isg_rbm here = *rbm; /* borrows weights and fields */
        here.info.beta = betas[k];
        isg_part p;
        const isg_progress *own =
            is_auto ? isg_part_of(&p, progress, 0, 0)
                    : isg_part_of(&p, progress, (double)k / (double)n, (double)(k + 1) / (double)n);
        const isg_status status = is_auto ? try_exact(&here, false, own, &out[k])
                                          : by_one_method(&here, options, &out[k], NULL, own);
        if (!is_auto || status != ISG_ERR_UNSUPPORTED)
            ISG_TRY(status);
        else
            out[k] = (isg_log_z){.value = -HUGE_VAL, .bound = -HUGE_VAL};
    }
    return ISG_OK;
}

/* The betas without a trusted result so far; returns their number. */
static size_t open_betas(const isg_log_z *found, const double *betas, size_t n, double *open) {
    size_t count = 0;
    for (size_t k = 0; k < n; k++)
        if (!found[k].is_trusted)
            open[count++] = betas[k];
    return count;
}

/* What is not exact by wells, all betas together; then one annealing for all betas that cannot be
   trusted yet. `open` and `next` have room for all. */
static isg_status choose_betas(const isg_rbm *rbm, const isg_log_z_options *options,
                               const double *betas, size_t n, double *open, isg_log_z *next,
                               isg_log_z *found, const isg_progress *progress) {
    isg_part p;
    ISG_TRY(one_by_one(rbm, options, betas, n, found, progress));
    size_t count = open_betas(found, betas, n, open);
    if (count > 0)
        ISG_TRY(try_wells(rbm, options, open, count, next, NULL,
                          isg_part_of(&p, progress, 0, wells_share)));
    for (size_t k = 0, m = 0; k < n; k++)
        if (!found[k].is_trusted)
            found[k] = next[m++];
    count = open_betas(found, betas, n, open);
    if (count > 0)
        ISG_TRY(anneal_patiently(rbm, options, open, count, next, progress));
    for (size_t k = 0, m = 0; k < n; k++)
        if (!found[k].is_trusted)
            settle(&found[k], &next[m++]);
    return ISG_OK;
}

static isg_status betas_by_one_method(const isg_rbm *rbm, const isg_log_z_options *options,
                                      const double *betas, size_t n, isg_log_z *out,
                                      const isg_progress *progress) {
    isg_status status = ISG_OK;
    isg_log_z *next = NULL;
    double *open = NULL;
    switch (options->method) {
    case ISG_LOG_Z_AIS:
        return isg_ais_log_z_betas(rbm, &options->ais, betas, n, out, progress);
    case ISG_LOG_Z_WELLS:
        return isg_split_log_z(rbm, options, betas, n, out, NULL, progress);
    case ISG_LOG_Z_POPULATION:
        return isg_population_log_z(rbm, options, betas, n, out, progress);
    case ISG_LOG_Z_AUTO:
        ISG_TRY_GOTO(ISG_ALLOCATE(next, n));
        ISG_TRY_GOTO(ISG_ALLOCATE(open, n));
        ISG_TRY_GOTO(choose_betas(rbm, options, betas, n, open, next, out, progress));
        break;
    case ISG_LOG_Z_EXACT:
    case ISG_LOG_Z_MIXTURE:
        return one_by_one(rbm, options, betas, n, out, progress);
    }
done:
    isg_release(next);
    isg_release(open);
    return status;
}

isg_status isg_rbm_log_z_betas(const isg_rbm *rbm, const isg_log_z_options *options,
                               const double *betas, size_t n, isg_log_z *out,
                               const isg_progress *progress) {
    const isg_log_z_options defaults = isg_log_z_defaults();
    isg_status status = ISG_OK;
    isg_log_z *found = NULL;
    isg_part p;
    options = options ? options : &defaults;
    const bool is_bounded = needs_bound(options);
    for (size_t k = 0; k < n; k++)
        ISG_TRY(isg_check_beta(betas[k]));
    if (n == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "expected at least one beta");
    ISG_TRY_GOTO(ISG_ALLOCATE(found, n));
    ISG_TRY_GOTO(betas_by_one_method(rbm, options, betas, n, found,
                                     isg_part_of(&p, progress, 0, is_bounded ? bound_from : 1)));
    if (is_bounded)
        ISG_TRY_GOTO(isg_apply_bound(rbm, options, betas, n, found,
                                     isg_part_of(&p, progress, bound_from, 1)));
    ISG_TRY_GOTO(isg_progress_end(progress, ending));
    memcpy(out, found, n * sizeof *out);
done:
    isg_release(found);
    return status;
}
