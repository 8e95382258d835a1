/* verdict.c - what the parts of ln Z add up to, and whether to trust it
 *
 * SPDX-License-Identifier: MIT
 *
 * Z = Z_A + Z_R, from several repeats (split.c). Z of the wells is known in three ways: the most precise one
 * is used, and the others must agree with it. Nothing here computes anything of the model, so that
 * every refusal is a function of numbers that a test can make up.
 */
#include "log_z/verdict.h"

#include <math.h>
#include <stdio.h>

#include "base/elementary.h"

/* Limits of trust: shares of Z below which a part does not matter, and families. */
static const double minor = 0.01, largest_family = 0.05, most_squares = 0.02;

/* If the wells of known deep states hold less than this, those of others that no search found do not
   matter either, unless they are much deeper. */
static const double negligible = 1e-6;

/* A population of all states finds, on average, no more than there is; found wells and rest to be less by so
   many errors, something is in neither. */
static const double most_excess = 5;

/* Sums of so many terms are rounded by this much of ln Z. */
static const double rounding = 1e-12;

/* What large families may leave unknown of ln Z. */
static const double most_unknown = 0.02;

/* A deepest state with a smaller ln p gives no precise Z of its well. One above the second, with an
   error below the last, can still confirm another estimate where nothing else does; the mean of its
   probability then rests on few points, and scatters by more than its error. */
static const double least_log_p = -10, least_to_confirm = -20, most_to_confirm = 0.05;

/* ln of the mean over the repeats. */
static double mean_of(const isg_well_draws *draws, size_t repeats,
                      double (*part)(const isg_well_draws *)) {
    double largest = -HUGE_VAL, sum = 0;
    for (size_t r = 0; r < repeats; r++)
        largest = fmax(largest, part(&draws[r]));
    for (size_t r = 0; r < repeats && isfinite(largest); r++)
        sum += isg_exp(part(&draws[r]) - largest);
    return largest + (isfinite(largest) ? isg_log(sum / (double)repeats) : 0);
}

static double inside_of(const isg_well_draws *draws) {
    return draws->inside.log_z;
}

static double bridge_of(const isg_well_draws *draws) {
    return draws->bridge.log_z;
}

static double outside_of(const isg_well_draws *draws) {
    return draws->outside.log_z;
}

double isg_mean_inside(const isg_well_draws *draws, size_t repeats) {
    return mean_of(draws, repeats, inside_of);
}

double isg_mean_outside(const isg_well_draws *draws, size_t repeats) {
    return mean_of(draws, repeats, outside_of);
}

/* ---- the wells -------------------------------------------------------------------------------- */

/* Three estimates of the wells. */
typedef enum way { BY_DRAWS, BY_BRIDGE, BY_CHIB, WAYS } way;

typedef struct estimate {
    double log_z, variance; /* all repeats together */
    bool is_usable;         /* precise enough to be the result, if the others agree */
    bool can_confirm;       /* precise enough to be compared with the result */
    bool is_last;           /* but only if no other can */
} estimate;

static void estimate_wells(const isg_well_draws *draws, size_t repeats, const isg_well_mass *chib,
                           estimate out[WAYS]) {
    const double n = (double)repeats;
    double of_chains = 0;
    out[BY_DRAWS] = (estimate){.log_z = mean_of(draws, repeats, inside_of), .is_usable = true};
    out[BY_BRIDGE] = (estimate){.log_z = mean_of(draws, repeats, bridge_of)};
    for (size_t r = 0; r < repeats; r++) {
        const isg_bridge *bridge = &draws[r].bridge;
        out[BY_DRAWS].variance += draws[r].inside.error * draws[r].inside.error / (n * n);
        out[BY_BRIDGE].variance += bridge->of_draws * bridge->of_draws / (n * n);
        of_chains += bridge->of_chains * bridge->of_chains / n;
    }
    out[BY_BRIDGE].variance += of_chains;
    out[BY_BRIDGE].is_usable = isfinite(out[BY_BRIDGE].log_z);
    out[BY_BRIDGE].can_confirm =
        out[BY_BRIDGE].is_usable && out[BY_BRIDGE].variance < most_to_confirm * most_to_confirm;
    out[BY_CHIB] = (estimate){.log_z = chib->log_z, .variance = chib->error * chib->error};
    out[BY_CHIB].is_usable = isfinite(chib->log_z) && chib->log_p > least_log_p;
    out[BY_CHIB].is_last = !out[BY_CHIB].is_usable;
    out[BY_CHIB].can_confirm =
        out[BY_CHIB].is_usable ||
        (isfinite(chib->log_z) && chib->log_p > least_to_confirm && chib->error < most_to_confirm);
}

static way best_way(const estimate of[WAYS]) {
    way best = BY_DRAWS;
    for (way k = BY_BRIDGE; k < WAYS; k++)
        if (of[k].is_usable && of[k].variance < of[best].variance)
            best = k;
    return best;
}

double isg_variance_of_wells(const isg_well_draws *draws, size_t repeats,
                             const isg_well_mass *chib) {
    estimate wells[WAYS];
    estimate_wells(draws, repeats, chib, wells);
    return wells[best_way(wells)].variance;
}

/* ---- the verdict ------------------------------------------------------------------------------ */

/* What the repeats say together: ln of the mean of Z, and its error. */
typedef struct verdict {
    double value, error;
    double share;    /* of the wells */
    double draw_ess; /* of one repeat, relative to its draws */
    double one_draw; /* the largest share of one */
    double ess;
    double spread;
    way way;        /* of the wells */
    double apart;   /* of another way from that, the most, in units of the error */
    bool is_second; /* whether there is another */
} verdict;

/* ln Z of the wells in one repeat. */
static double log_of_wells(const isg_split_point *here, size_t r, way by) {
    return !here->has_wells  ? -HUGE_VAL
           : by == BY_CHIB   ? here->chib.log_z
           : by == BY_BRIDGE ? here->draws[r].bridge.log_z
                             : here->draws[r].inside.log_z;
}

/* Chooses the way to Z of the wells, and compares it with the others. */
static double choose_way(const isg_split_point *here, verdict *out) {
    estimate of[WAYS];
    if (!here->has_wells)
        return 0;
    estimate_wells(here->draws, here->repeats, &here->chib, of);
    out->way = here->is_drawn ? BY_DRAWS : best_way(of);
    for (way k = BY_DRAWS; k < WAYS; k++) {
        if (k == out->way || (k != BY_DRAWS && !of[k].can_confirm) ||
            (of[k].is_last && out->is_second))
            continue;
        const double error = sqrt(of[k].variance + of[out->way].variance);
        out->apart = fmax(out->apart, fabs(of[k].log_z - of[out->way].log_z) / error);
        out->is_second = true;
    }
    return of[out->way].variance;
}

static verdict combine(const isg_split_point *here) {
    const size_t repeats = here->repeats;
    const double n = (double)repeats;
    verdict out = {0};
    double sum = 0, wells = 0, squares = 0, of_all = 0, log_top = -HUGE_VAL;
    const double of_wells = choose_way(here, &out);
    for (size_t r = 0; r < repeats && (here->has_wells || here->is_drawn); r++) {
        const isg_mixture_sum *drawn =
            here->is_drawn ? &here->draws[r].all : &here->draws[r].inside;
        out.draw_ess += drawn->ess / (double)here->draws[r].samples / n;
        out.one_draw = fmax(out.one_draw, drawn->largest_share);
        of_all += here->draws[r].all.error * here->draws[r].all.error / (n * n);
    }
    for (size_t r = 0; r < repeats; r++) {
        const double rest = here->is_drawn ? here->draws[r].outside.log_z : here->rest[r];
        log_top = fmax(log_top, fmax(log_of_wells(here, r, out.way), rest));
    }
    for (size_t r = 0; r < repeats; r++) {
        const double rest = here->is_drawn ? here->draws[r].outside.log_z : here->rest[r];
        const double in_wells = isg_exp(log_of_wells(here, r, out.way) - log_top);
        const double both = in_wells + isg_exp(rest - log_top);
        wells += in_wells;
        sum += both;
        squares += both * both;
    }
    const double mean = sum / n;
    out.share = wells / sum;
    out.value = log_top + isg_log(mean);
    /* The scatter of a few repeats is itself uncertain; what families and draws say of it counts as
       much as 8 more repeats. What all repeats have in common, the chains in the wells, it does not
       show. */
    const double between = fmax(0, squares / n - mean * mean) * n / (n - 1) / (mean * mean) / n;
    const double rest =
        here->is_drawn ? of_all : (1 - out.share) * (1 - out.share) * here->variance / n;
    const double inside = here->is_drawn ? 0 : out.share * out.share * of_wells;
    const double drawn = out.way == BY_DRAWS ? inside : 0, others = 8;
    out.error =
        sqrt(((n - 1) * between + others * (rest + drawn)) / (n - 1 + others) + (inside - drawn));
    out.error = fmax(out.error, rounding * fabs(out.value));
    out.spread = sqrt(between * n);
    out.ess = 1 / (rest + inside);
    return out;
}

/* Why it is not trusted, as a sentence; empty if it is. */
static void judge(const isg_split_point *here, const verdict *is, bool is_closed, char *reason,
                  size_t room, isg_remedy *remedy) {
    const bool is_inbred = here->family > largest_family || here->squares > most_squares;
    const double unknown = (1 - is->share) * 2 * sqrt(here->squares);
    const double excess = here->all.log_z - is->value;
    const bool by_draws = here->is_drawn || (is->share > minor && is->way == BY_DRAWS);
    *reason = 0;
    *remedy = ISG_REMEDY_NONE;
    if (excess > most_excess * sqrt(here->all.variance + is->error * is->error)) {
        snprintf(reason, room, "a population of all states has found %.2g %% more",
                 100 * (isg_exp(fmin(excess, 700)) - 1));
    } else if (!here->is_drawn && 1 - is->share > minor && is_inbred && unknown > most_unknown) {
        snprintf(reason, room,
                 "%.2g %% of the population descends from one of its first states, so it has seen "
                 "too little",
                 100 * here->family);
        *remedy = ISG_REMEDY_SWEEPS;
    } else if (by_draws && is->draw_ess < isg_least_efficiency) {
        snprintf(reason, room, "only %.2g %% of the draws count in the wells", 100 * is->draw_ess);
    } else if (by_draws && is->one_draw > isg_largest_draw) {
        snprintf(reason, room, "one draw carries %.2g %% of the wells", 100 * is->one_draw);
    } else if (is->share > minor && is->apart > isg_most_deviations) {
        snprintf(reason, room, "two estimates of the wells differ by %.2g of their errors",
                 is->apart);
        *remedy = ISG_REMEDY_CHAINS;
    } else if (by_draws && !is->is_second && is->draw_ess < isg_good_efficiency) {
        snprintf(reason, room,
                 "only %.2g %% of the draws count in the wells, and no second estimate applies",
                 100 * is->draw_ess);
    } else if (here->is_incomplete) {
        snprintf(reason, room, "wells were still being found in the last round");
    } else if (!is_closed && is->share > negligible) {
        snprintf(reason, room, "the search for deep states was still finding new ones");
    }
}

isg_log_z isg_split_verdict(const isg_split_point *here, bool is_closed, isg_remedy *remedy) {
    const verdict is = combine(here);
    isg_log_z out = {.value = is.value,
                     .error = is.error,
                     .method = ISG_LOG_Z_WELLS,
                     .ess = is.ess,
                     .spread = is.spread,
                     .laplace = (double)NAN,
                     .shares = {is.share, 1 - is.share},
                     .is_drawn = here->is_drawn,
                     .family = here->family};
    judge(here, &is, is_closed, out.reason, sizeof out.reason, remedy);
    out.is_trusted = !*out.reason;
    out.side = out.is_trusted ? ISG_SIDE_BOTH : ISG_SIDE_LOWER;
    return out;
}
