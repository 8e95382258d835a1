/* train_file.c - a training in a file, to continue from
 *
 * SPDX-License-Identifier: MIT
 *
 * An .npz file: W (N, p), b (N), c (p) of the RBM, the spins of persistent chains as numpy.packbits
 * writes them, one chain per row, what equilibrium.c writes, and training.json. That records what was trained, on what data
 * and how, as separate entries, so that a mismatch can be named when a file of another training is
 * refused; and how far training has come. Random numbers need no state beyond the number of
 * updates.
 */
#include "train/train.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "io/json.h"

static const char member[] = "training.json", missing_key[] = "missing_sha256";
static const char impute_key[] = "impute_sweeps", beta_key[] = "beta";
static const char constraint_key[] = "constraint", learned_key[] = "learned_beta";
static const char chains_key[] = "chains", jumps_key[] = "jumps", refit_key[] = "refit_every";
static const char *const constraint_names[] = {"none", "stiefel", "span"}; /* isg_constraint */

/* Format 2 has what earlier versions would not heed: a constraint, a learned beta, a number of chains or
   jumps. */
enum { FORMAT = 2, PLAIN_FORMAT = 1, N_TRAITS = 19 };

const char *isg_member_name(char out[ISG_MEMBER_BYTES], const char *prefix, const char *name) {
    snprintf(out, ISG_MEMBER_BYTES, "%s%s", prefix, name);
    return out;
}

/* ---- what must agree -------------------------------------------------------------------------- */

/* What identifies a training, apart from its progress; `traits` points to the texts. */
typedef struct identity {
    isg_json_pair traits[N_TRAITS];
    size_t count;  /* those that this training has */
    char seed[24]; /* a text, since it may exceed the integers of JSON readers */
    char *rates;   /* "0.0005 from epoch 0, 0.0001 from epoch 25"; to be released */
} identity;

static isg_status format_rates(const isg_train_options *options, char **out) {
    const size_t room = 2 * ISG_NUMBER_ROOM + 16;
    char *text = isg_allocate(options->n_rates, room);
    if (!text)
        return ISG_ERR_MEMORY;
    size_t used = 0;
    for (size_t k = 0; k < options->n_rates; k++) {
        char rate[ISG_NUMBER_ROOM];
        isg_format_number(rate, sizeof rate, options->rates[k].rate);
        used += (size_t)snprintf(text + used, room, "%s%s from epoch %zu", k > 0 ? ", " : "", rate,
                                 options->rates[k].from_epoch);
    }
    *out = text;
    return ISG_OK;
}

static isg_json_pair whole(const char *key, uint64_t value) {
    return (isg_json_pair){.key = key, .kind = ISG_JSON_INTEGER, .integer = (int64_t)value};
}

static isg_json_pair text(const char *key, const char *value) {
    return (isg_json_pair){.key = key, .kind = ISG_JSON_TEXT, .text = value};
}

/* Whether persistent chains are not as many as samples in a batch. */
static bool has_own_chains(const isg_train_options *options) {
    return options->persistent && options->chains != options->batch_size;
}

static bool has_trait(const isg_trainer *trainer, const char *key) {
    if (key == missing_key || key == impute_key)
        return trainer->known != NULL;
    if (key == constraint_key)
        return trainer->option.constraint != ISG_CONSTRAINT_NONE;
    if (key == chains_key)
        return has_own_chains(&trainer->option);
    if (key == jumps_key || key == refit_key)
        return trainer->option.equilibrium;
    return key != beta_key || !trainer->option.learn_beta; /* which is progress then */
}

static isg_status identify(identity *out, const isg_trainer *trainer) {
    const isg_train_options *options = &trainer->option;
    const isg_rbm_info *info = &trainer->rbm->info;
    ISG_TRY(format_rates(options, &out->rates));
    snprintf(out->seed, sizeof out->seed, "%" PRIu64, options->seed);
    const isg_json_pair traits[N_TRAITS] = {
        whole("n_visible", info->n_visible),
        whole("n_hidden", info->n_hidden),
        {.key = beta_key, .kind = ISG_JSON_NUMBER, .number = info->beta},
        whole("n_samples", trainer->data->info.n_samples),
        text("data_sha256", trainer->data_sha256),
        whole("batch_size", options->batch_size),
        whole("gibbs_steps", options->gibbs_steps),
        text("rates", out->rates),
        text("estimator", options->estimator == ISG_ESTIMATOR_MEAN ? "mean" : "sampled"),
        text("persistent", options->persistent ? "yes" : "no"),
        text("fields", options->fields ? "yes" : "no"),
        text("shuffle", options->shuffle ? "yes" : "no"),
        text("seed", out->seed),
        text(missing_key, trainer->missing_sha256),
        whole(impute_key, options->impute_sweeps),
        text(constraint_key, constraint_names[options->constraint]),
        whole(chains_key, options->chains),
        whole(jumps_key, options->jumps),
        whole(refit_key, options->refit_every),
    };
    out->count = 0;
    for (size_t k = 0; k < N_TRAITS; k++)
        if (has_trait(trainer, traits[k].key))
            out->traits[out->count++] = traits[k];
    return ISG_OK;
}

/* ---- writing ---------------------------------------------------------------------------------- */

static unsigned format_of(const isg_trainer *trainer) {
    const isg_train_options *options = &trainer->option;
    const bool is_plain = !options->learn_beta && options->constraint == ISG_CONSTRAINT_NONE &&
                          !options->equilibrium && !has_own_chains(options);
    return is_plain ? PLAIN_FORMAT : FORMAT;
}

static isg_status write_facts(const isg_trainer *trainer, isg_npz_writer *writer,
                              const char *prefix) {
    char name[ISG_MEMBER_BYTES];
    const isg_train_state *state = &trainer->state;
    identity me = {.rates = NULL};
    char *facts = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(identify(&me, trainer));
    isg_json_pair pairs[N_TRAITS + 8] = {text("program", "isinglass"), text("version", ISG_VERSION),
                                         whole("format", format_of(trainer))};
    memcpy(pairs + 3, me.traits, me.count * sizeof *pairs);
    const isg_json_pair rest[] = {
        whole("epochs", state->epochs),
        whole("updates", state->updates),
        whole("batch", state->batch),
        whole("wrong_spins", trainer->wrong_spins),
        {.key = learned_key, .kind = ISG_JSON_NUMBER, .number = trainer->rbm->info.beta}};
    memcpy(pairs + 3 + me.count, rest, sizeof rest);
    const size_t n_rest = sizeof rest / sizeof *rest - !trainer->option.learn_beta;
    ISG_TRY_GOTO(isg_json_write(&facts, pairs, 3 + me.count + n_rest));
    status = isg_npz_writer_add_text(writer, isg_member_name(name, prefix, member), facts);
done:
    isg_release(me.rates);
    isg_release(facts);
    return status;
}

static isg_status write_chains(const isg_trainer *trainer, isg_npz_writer *writer,
                               const char *name) {
    const isg_states *chains = &trainer->chains;
    const size_t n = trainer->weights.n_visible, row = (n + 7) / 8;
    const isg_array_type type =
        isg_array_type_of(ISG_UINT8, 2, (const size_t[]){chains->count, row});
    uint8_t *bytes = isg_allocate(chains->count, row);
    if (!bytes)
        return ISG_ERR_MEMORY;
    for (size_t k = 0; k < chains->count; k++)
        isg_pack_bytes(chains->spins + k * trainer->weights.words, n, bytes + k * row);
    const isg_status status = isg_npz_writer_add_array(writer, name, &type, bytes);
    isg_release(bytes);
    return status;
}

isg_status isg_trainer_write(const isg_trainer *trainer, isg_npz_writer *writer,
                             const char *prefix) {
    const isg_rbm *rbm = trainer->rbm;
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden;
    char name[ISG_MEMBER_BYTES];
    ISG_TRY(write_facts(trainer, writer, prefix));
    ISG_TRY(isg_npz_writer_add_doubles(writer, isg_member_name(name, prefix, "W"), rbm->weights, 2,
                                       n, p));
    ISG_TRY(
        isg_npz_writer_add_doubles(writer, isg_member_name(name, prefix, "b"), rbm->b, 1, n, 0));
    ISG_TRY(
        isg_npz_writer_add_doubles(writer, isg_member_name(name, prefix, "c"), rbm->c, 1, p, 0));
    if (trainer->option.persistent)
        ISG_TRY(write_chains(trainer, writer, isg_member_name(name, prefix, "chains")));
    return trainer->equilibrium ? isg_equilibrium_write(trainer->equilibrium, writer, prefix)
                                : ISG_OK;
}

isg_status isg_trainer_save(const isg_trainer *trainer, const char *path) {
    isg_npz_writer *writer = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_writer_create(&writer, path));
    ISG_TRY_GOTO(isg_trainer_write(trainer, writer, ""));
    ISG_TRY_GOTO(isg_npz_writer_commit(writer));
done:
    isg_npz_writer_free(writer);
    return status;
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* The content of a file, complete and checked before any of it is used. */
typedef struct snapshot {
    isg_train_state state;
    uint64_t wrong_spins;
    double beta;
    double *weights, *b, *c;
    uint64_t *chains; /* (chains, words); NULL if none persist */
    isg_equilibrium_state equilibrium;
} snapshot;

static void release_snapshot(snapshot *shot) {
    isg_release(shot->weights);
    isg_release(shot->b);
    isg_release(shot->c);
    isg_release(shot->chains);
    isg_equilibrium_drop(&shot->equilibrium);
}

/* What only some trainings have. */
static isg_status check_manner(const isg_json *json, const char *file,
                               const isg_train_options *options) {
    const char *constraint = constraint_names[ISG_CONSTRAINT_NONE];
    const bool has_learned = isg_json_has(json, learned_key);
    if (isg_json_has(json, constraint_key))
        ISG_TRY(isg_json_text(json, constraint_key, &constraint));
    if (strcmp(constraint, constraint_names[options->constraint]) != 0)
        return isg_fail(ISG_ERR_SHAPE, "%s: was written for constraint %s, this training has %s",
                        file, constraint, constraint_names[options->constraint]);
    if (has_learned != options->learn_beta)
        return isg_fail(ISG_ERR_SHAPE,
                        "%s: was written for a beta that is %s, this training has one "
                        "that is %s",
                        file, has_learned ? "learned" : "fixed", has_learned ? "fixed" : "learned");
    if (isg_json_has(json, chains_key) != has_own_chains(options))
        return isg_fail(ISG_ERR_SHAPE, "%s: was written for another number of persistent chains",
                        file);
    if (isg_json_has(json, jumps_key) != options->equilibrium)
        return isg_fail(ISG_ERR_SHAPE, "%s: was written for chains with%s jumps", file,
                        options->equilibrium ? "out" : "");
    return ISG_OK;
}

static isg_status check_identity(const isg_json *json, const char *file,
                                 const isg_trainer *trainer) {
    identity me = {.rates = NULL};
    const bool had_missing = isg_json_has(json, missing_key);
    if (had_missing != (trainer->known != NULL))
        return isg_fail(ISG_ERR_SHAPE, "%s: was written for data with%s values to be imputed", file,
                        had_missing ? "" : "out");
    ISG_TRY(check_manner(json, file, &trainer->option));
    ISG_TRY(identify(&me, trainer));
    const isg_status status = isg_traits_compare(json, file, me.traits, me.count);
    isg_release(me.rates);
    return status;
}

static isg_status read_state(snapshot *shot, const isg_json *json, const char *file,
                             const isg_trainer *trainer) {
    const size_t n_batches = trainer->state.n_batches;
    const double spins =
        (double)trainer->data->info.n_samples * (double)trainer->data->info.n_visible;
    int64_t epochs = 0, updates = 0, batch = 0, wrong = 0;
    ISG_TRY(isg_json_integer(json, "epochs", &epochs));
    ISG_TRY(isg_json_integer(json, "updates", &updates));
    ISG_TRY(isg_json_integer(json, "batch", &batch));
    ISG_TRY(isg_json_integer(json, "wrong_spins", &wrong));
    const bool is_possible =
        epochs >= 0 && batch >= 0 && updates >= batch && wrong >= 0 && (double)wrong <= spins &&
        (uint64_t)updates <= ISG_MAX_STEP / trainer->option.gibbs_steps &&
        (uint64_t)batch < n_batches && (uint64_t)(updates - batch) % n_batches == 0 &&
        (uint64_t)(updates - batch) / n_batches == (uint64_t)epochs;
    if (!is_possible)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: update %" PRId64 " cannot be number %" PRId64 " of epoch %" PRId64
                        " with %" PRId64 " wrong spins, at %zu updates an epoch",
                        file, updates, batch, epochs, wrong, n_batches);
    shot->state = (isg_train_state){(uint64_t)epochs, (uint64_t)updates, (size_t)batch, n_batches};
    shot->wrong_spins = (uint64_t)wrong;
    shot->beta = trainer->rbm->info.beta;
    if (trainer->option.learn_beta)
        ISG_TRY(isg_json_number(json, learned_key, &shot->beta));
    return isg_is_beta(shot->beta)
               ? ISG_OK
               : isg_fail(ISG_ERR_FORMAT, "%s: %s cannot be %g", file, learned_key, shot->beta);
}

static isg_status read_facts(snapshot *shot, isg_zip *zip, const isg_trainer *trainer,
                             const char *prefix) {
    const char *file = isg_zip_file_name(zip);
    char name[ISG_MEMBER_BYTES];
    char *facts = NULL;
    isg_json *json = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_read_text(zip, isg_member_name(name, prefix, member), &facts));
    ISG_TRY_GOTO(isg_json_parse(&json, file, facts, strlen(facts)));
    ISG_TRY_GOTO(isg_traits_check_format(json, file, PLAIN_FORMAT, FORMAT));
    ISG_TRY_GOTO(check_identity(json, file, trainer));
    status = read_state(shot, json, file, trainer);
done:
    isg_json_free(json);
    isg_release(facts);
    return status;
}

/* training.json has passed its checks, so any other size means a damaged file. */
static isg_status check_shape(const isg_zip *zip, const char *name, const isg_array_type *type,
                              const isg_array_type *expected) {
    bool is_same = type->n_dims == expected->n_dims && type->dtype == expected->dtype;
    for (size_t d = 0; is_same && d < type->n_dims; d++)
        is_same = type->dims[d] == expected->dims[d];
    return is_same
               ? ISG_OK
               : isg_fail(ISG_ERR_FORMAT, "%s: %s: its shape or type is not that of the training",
                          isg_zip_file_name(zip), name);
}

isg_status isg_member_doubles(double **out, isg_zip *zip, const char *name, size_t n_dims,
                              size_t rows, size_t cols) {
    const isg_array_type expected =
        isg_array_type_of(ISG_FLOAT64, n_dims, (const size_t[]){rows, cols});
    isg_array_type type;
    ISG_TRY(isg_npz_read_doubles(zip, name, &type, out));
    return check_shape(zip, name, &type, &expected);
}

static isg_status read_chains(snapshot *shot, isg_zip *zip, const isg_trainer *trainer,
                              const char *name) {
    const size_t n = trainer->weights.n_visible, row = (n + 7) / 8, words = trainer->weights.words;
    const size_t count = trainer->chains.count;
    const isg_array_type expected = isg_array_type_of(ISG_UINT8, 2, (const size_t[]){count, row});
    isg_array_type type;
    int64_t *bytes = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_npz_read_whole(zip, name, &type, &bytes));
    ISG_TRY_GOTO(check_shape(zip, name, &type, &expected));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(shot->chains, count, words));
    for (size_t k = 0; k < count; k++) {
        const int64_t *packed = bytes + k * row;
        for (size_t i = 0; i < n; i++)
            isg_bit_assign(shot->chains + k * words, i, packed[i / 8] >> (7 - i % 8) & 1);
        if (n % 8 != 0 && (packed[row - 1] & 0xff >> n % 8) != 0)
            ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: %s: row %zu has more than %zu spins",
                                  isg_zip_file_name(zip), name, k, n));
    }
done:
    isg_release(bytes);
    return status;
}

static isg_status read_snapshot(snapshot *shot, isg_zip *zip, const isg_trainer *trainer,
                                const char *prefix) {
    const size_t n = trainer->weights.n_visible, p = trainer->weights.n_hidden;
    char name[ISG_MEMBER_BYTES];
    ISG_TRY(read_facts(shot, zip, trainer, prefix));
    ISG_TRY(isg_member_doubles(&shot->weights, zip, isg_member_name(name, prefix, "W"), 2, n, p));
    ISG_TRY(isg_member_doubles(&shot->b, zip, isg_member_name(name, prefix, "b"), 1, n, 0));
    ISG_TRY(isg_member_doubles(&shot->c, zip, isg_member_name(name, prefix, "c"), 1, p, 0));
    if (trainer->option.persistent)
        ISG_TRY(read_chains(shot, zip, trainer, isg_member_name(name, prefix, "chains")));
    return trainer->equilibrium ? isg_equilibrium_read(trainer->equilibrium, zip, prefix,
                                                       shot->state.updates, &shot->equilibrium)
                                : ISG_OK;
}

/* Only the weights can fail here, and they are tried first. */
static isg_status restore(isg_trainer *trainer, snapshot *shot, const char *file) {
    const isg_gibbs_weights *w = &trainer->weights;
    isg_rbm *rbm = trainer->rbm;
    if (isg_gibbs_weights_set(&trainer->weights, shot->weights, shot->b, shot->c) != ISG_OK) {
        const isg_status status = isg_fail(ISG_ERR_FORMAT, "%s: %s", file, isg_error_message());
        ISG_TRY(isg_trainer_pack(trainer));
        return status;
    }
    memcpy(rbm->weights, shot->weights, w->n_visible * w->n_hidden * sizeof *rbm->weights);
    memcpy(rbm->b, shot->b, w->n_visible * sizeof *rbm->b);
    memcpy(rbm->c, shot->c, w->n_hidden * sizeof *rbm->c);
    rbm->info.beta = shot->beta;
    if (shot->chains)
        memcpy(trainer->chains.spins, shot->chains,
               trainer->chains.count * w->words * sizeof *shot->chains);
    if (trainer->equilibrium)
        isg_equilibrium_adopt(trainer->equilibrium, &shot->equilibrium);
    trainer->state = shot->state;
    trainer->wrong_spins = shot->wrong_spins;
    return ISG_OK;
}

isg_status isg_trainer_read(isg_trainer *trainer, isg_zip *zip, const char *prefix) {
    snapshot shot = {.chains = NULL};
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(read_snapshot(&shot, zip, trainer, prefix));
    status = restore(trainer, &shot, isg_zip_file_name(zip));
done:
    release_snapshot(&shot);
    return status;
}

isg_status isg_trainer_load(isg_trainer *trainer, const char *path) {
    isg_zip *zip = NULL;
    ISG_TRY(isg_zip_open_path(&zip, path));
    const isg_status status = isg_trainer_read(trainer, zip, "");
    isg_zip_close(zip);
    return status;
}
