/* equilibrium.c - persistent chains that jump between the modes of the model in training
 *
 * SPDX-License-Identifier: MIT
 *
 * Chains that are only swept stay in the modes where they began, so that training never learns how much
 * each mode holds. Jumps (sample/jump.c) bring them from mode to mode, by proposals from a mixture of
 * Gaussians that is fitted to the model every so many updates. In between it is older than the weights,
 * which makes jumps rarer, but the law that they keep is that of the weights as they are.
 *
 * Where no mixture fits, chains are only swept, and the next fit is tried after twice as many updates as
 * the last time, up to PATIENCE doublings.
 *
 * A fit depends on nothing but the RBM and the options, so that a training that is resumed repeats it: what
 * is saved is the RBM that the mixture was fitted to.
 */
#include "train/equilibrium.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/json.h"
#include "train/train.h"

enum { PATIENCE = 5 };

static const char member[] = "equilibrium.json";

/* ---- create and free -------------------------------------------------------------------------- */

/* A mixture that is soon replaced can be fitted to less: that takes a sixth of the time, and a tenth of
   the jumps. */
static isg_jump_options jump_options(const isg_dataset *data, uint64_t seed) {
    isg_jump_options how = isg_jump_defaults();
    how.mixture = (isg_mixture_options){.samples = 10000,
                                        .random_starts = 16,
                                        .witnesses = 128,
                                        .data = data,
                                        .data_starts = 64,
                                        .seed = seed};
    return how;
}

isg_status isg_equilibrium_create(isg_equilibrium **out, const isg_rbm *rbm,
                                  const isg_dataset *data, const isg_train_options *options) {
    isg_equilibrium *my = NULL;
    ISG_TRY(ISG_ALLOCATE(my, 1));
    my->rbm = rbm;
    my->how = jump_options(data, options->seed);
    my->count = options->jumps;
    my->refit_every = options->refit_every;
    const isg_status status = isg_rbm_copy(&my->fitted, rbm);
    if (status != ISG_OK) {
        isg_equilibrium_free(my);
        return status;
    }
    *out = my;
    return ISG_OK;
}

void isg_equilibrium_free(isg_equilibrium *my) {
    if (!my)
        return;
    isg_jumps_free(my->jumps);
    isg_rbm_free(my->fitted);
    isg_release(my);
}

/* ---- the mixture ------------------------------------------------------------------------------ */

static void copy_parameters(isg_rbm *to, const isg_rbm *from) {
    const size_t n = from->info.n_visible, p = from->info.n_hidden;
    memcpy(to->weights, from->weights, n * p * sizeof *to->weights);
    memcpy(to->b, from->b, n * sizeof *to->b);
    memcpy(to->c, from->c, p * sizeof *to->c);
    to->info.beta = from->info.beta;
}

/* Weights too large for a mixture are no error here, since they may be fit for sweeps. */
static isg_status fit(isg_equilibrium *my, const isg_progress *progress, bool *is_usable) {
    const isg_status status = my->jumps
                                  ? isg_jumps_refit(my->jumps, my->fitted, progress)
                                  : isg_jumps_create(&my->jumps, my->fitted, &my->how, progress);
    *is_usable = false;
    if (status == ISG_ERR_DIVERGED) {
        snprintf(my->info.reason, sizeof my->info.reason, "%.*s", (int)sizeof my->info.reason - 1,
                 isg_error_message());
        return ISG_OK;
    }
    ISG_TRY(status);
    const isg_jumps_info found = isg_jumps_describe(my->jumps);
    *is_usable = found.is_usable;
    my->info.minima = found.minima;
    memcpy(my->info.reason, found.reason, sizeof my->info.reason);
    return ISG_OK;
}

isg_status isg_equilibrium_prepare(isg_equilibrium *my, uint64_t updates,
                                   const isg_progress *progress) {
    const bool is_due = updates >= my->next_fit;
    if (!is_due && !my->is_behind)
        return ISG_OK;
    if (is_due)
        copy_parameters(my->fitted, my->rbm);
    bool is_usable = false;
    ISG_TRY(fit(my, progress, &is_usable));
    my->is_behind = false;
    if (is_due) {
        my->failures = is_usable ? 0 : my->failures + 1;
        my->info.fits++;
        my->info.refused += !is_usable;
        my->next_fit = updates + ((uint64_t)my->refit_every
                                  << (my->failures < PATIENCE ? my->failures : PATIENCE));
    }
    my->info.is_jumping = is_usable;
    return ISG_OK;
}

uint64_t isg_equilibrium_left(const isg_equilibrium *my, uint64_t updates) {
    return my->next_fit - updates;
}

/* ---- within an update ------------------------------------------------------------------------- */

void isg_equilibrium_begin(isg_equilibrium *my) {
    my->is_jumping = my->info.is_jumping && isg_jumps_set_rbm(my->jumps, my->rbm) == ISG_OK;
}

void isg_equilibrium_end(isg_equilibrium *my, size_t proposed, size_t accepted) {
    if (!my->is_jumping)
        return;
    my->info.updates++;
    my->info.proposed += proposed;
    my->info.accepted += accepted;
}

size_t isg_equilibrium_sweeps(const isg_equilibrium *my, size_t number, size_t gibbs_steps) {
    return (number + 1) * gibbs_steps / my->count;
}

/* ---- in a file -------------------------------------------------------------------------------- */

/* The counts of a state; those of `info` come last. */
enum { COUNTS = 8 };

static const char *const count_names[COUNTS] = {"next_fit", "failures", "updates", "proposed",
                                                "accepted", "fits",     "refused", "minima"};

static isg_status write_facts(const isg_equilibrium *my, isg_npz_writer *writer,
                              const char *prefix) {
    const isg_equilibrium_info *info = &my->info;
    const uint64_t counts[COUNTS] = {my->next_fit,   my->failures, info->updates, info->proposed,
                                     info->accepted, info->fits,   info->refused, info->minima};
    char name[ISG_MEMBER_BYTES], *facts = NULL;
    isg_json_pair pairs[COUNTS + 2] = {
        {.key = "beta", .kind = ISG_JSON_NUMBER, .number = my->fitted->info.beta},
        {.key = "reason", .kind = ISG_JSON_TEXT, .text = info->reason}};
    for (size_t k = 0; k < COUNTS; k++)
        pairs[2 + k] = (isg_json_pair){
            .key = count_names[k], .kind = ISG_JSON_INTEGER, .integer = (int64_t)counts[k]};
    ISG_TRY(isg_json_write(&facts, pairs, COUNTS + 2));
    const isg_status status =
        isg_npz_writer_add_text(writer, isg_member_name(name, prefix, member), facts);
    isg_release(facts);
    return status;
}

isg_status isg_equilibrium_write(const isg_equilibrium *my, isg_npz_writer *writer,
                                 const char *prefix) {
    const isg_rbm *rbm = my->fitted;
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden;
    char name[ISG_MEMBER_BYTES];
    ISG_TRY(write_facts(my, writer, prefix));
    if (!my->info.is_jumping)
        return ISG_OK;
    ISG_TRY(isg_npz_writer_add_doubles(writer, isg_member_name(name, prefix, "fitted.W"),
                                       rbm->weights, 2, n, p));
    ISG_TRY(isg_npz_writer_add_doubles(writer, isg_member_name(name, prefix, "fitted.b"), rbm->b, 1,
                                       n, 0));
    return isg_npz_writer_add_doubles(writer, isg_member_name(name, prefix, "fitted.c"), rbm->c, 1,
                                      p, 0);
}

/* Sets all but the RBM. */
static isg_status read_counts(const isg_equilibrium *my, const isg_json *json, const char *file,
                              uint64_t updates, isg_equilibrium_state *out) {
    const char *reason = NULL;
    uint64_t counts[COUNTS];
    for (size_t k = 0; k < COUNTS; k++) {
        int64_t found = 0;
        ISG_TRY(isg_json_integer(json, count_names[k], &found));
        if (found < 0)
            return isg_fail(ISG_ERR_FORMAT, "%s: %s: expected a number from 0 up, found %" PRId64,
                            file, count_names[k], found);
        counts[k] = (uint64_t)found;
    }
    ISG_TRY(isg_json_text(json, "reason", &reason));
    out->next_fit = counts[0];
    out->failures = counts[1];
    out->info = (isg_equilibrium_info){.updates = counts[2],
                                       .proposed = counts[3],
                                       .accepted = counts[4],
                                       .fits = counts[5],
                                       .refused = counts[6],
                                       .minima = (size_t)counts[7]};
    snprintf(out->info.reason, sizeof out->info.reason, "%.*s", (int)sizeof out->info.reason - 1,
             reason);
    out->info.is_jumping = out->info.fits > 0 && out->failures == 0;
    const bool is_possible = out->next_fit >= updates &&
                             out->next_fit - updates <= (uint64_t)my->refit_every << PATIENCE &&
                             out->failures <= out->info.refused &&
                             out->info.refused <= out->info.fits && out->info.updates <= updates &&
                             out->info.accepted <= out->info.proposed;
    return is_possible ? ISG_OK
                       : isg_fail(ISG_ERR_FORMAT,
                                  "%s: update %" PRIu64 " cannot have %" PRIu64
                                  " with jumps, after %" PRIu64 " fits, the next due at %" PRIu64,
                                  file, updates, out->info.updates, out->info.fits, out->next_fit);
}

static isg_status read_fitted(isg_zip *zip, const char *prefix, isg_rbm *rbm) {
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden;
    const struct {
        const char *name;
        size_t n_dims, rows, cols;
        double *to;
    } parts[] = {{"fitted.W", 2, n, p, rbm->weights},
                 {"fitted.b", 1, n, 0, rbm->b},
                 {"fitted.c", 1, p, 0, rbm->c}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        char name[ISG_MEMBER_BYTES];
        double *numbers = NULL;
        const isg_status status =
            isg_member_doubles(&numbers, zip, isg_member_name(name, prefix, parts[k].name),
                               parts[k].n_dims, parts[k].rows, parts[k].cols);
        if (status == ISG_OK)
            memcpy(parts[k].to, numbers,
                   parts[k].rows * (parts[k].cols ? parts[k].cols : 1) * sizeof *numbers);
        isg_release(numbers);
        ISG_TRY(status);
    }
    return ISG_OK;
}

isg_status isg_equilibrium_read(const isg_equilibrium *my, isg_zip *zip, const char *prefix,
                                uint64_t updates, isg_equilibrium_state *out) {
    const char *file = isg_zip_file_name(zip);
    char name[ISG_MEMBER_BYTES], *facts = NULL;
    isg_json *json = NULL;
    double beta = 0;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_read_text(zip, isg_member_name(name, prefix, member), &facts));
    ISG_TRY_GOTO(isg_json_parse(&json, file, facts, strlen(facts)));
    ISG_TRY_GOTO(read_counts(my, json, file, updates, out));
    ISG_TRY_GOTO(isg_json_number(json, "beta", &beta));
    if (!isg_is_beta(beta))
        ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: beta %g is not possible", file, beta));
    if (out->info.is_jumping) {
        ISG_TRY_GOTO(isg_rbm_copy(&out->fitted, my->rbm));
        out->fitted->info.beta = beta;
        ISG_TRY_GOTO(read_fitted(zip, prefix, out->fitted));
    }
done:
    isg_json_free(json);
    isg_release(facts);
    return status;
}

void isg_equilibrium_drop(isg_equilibrium_state *state) {
    isg_rbm_free(state->fitted);
}

void isg_equilibrium_adopt(isg_equilibrium *my, isg_equilibrium_state *state) {
    my->next_fit = state->next_fit;
    my->failures = state->failures;
    my->info = state->info;
    my->is_behind = state->fitted != NULL;
    if (state->fitted)
        copy_parameters(my->fitted, state->fitted);
}
