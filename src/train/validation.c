/* validation.c - how well an RBM in training fits data that it is not trained on
 *
 * SPDX-License-Identifier: MIT
 *
 * ln Z is too expensive for every epoch, and these need none. With h = W^T s + c,
 *
 *     ln p(s_i | all others) = -ln(1 + exp(-x_i)),  x_i = 2 beta (s_i (W_i.h + b_i) - |W_i|^2)
 *     ln p(training data) - ln p(validation data) = beta (<H(s)>_validation - <H(s)>_training)
 *
 * for x_i is beta times the energy of flipping s_i. The sum over i, the pseudo-likelihood, is largest
 * for the distribution of the data, as the likelihood is, so that a model that has learned its
 * training data by heart loses; the reconstruction error only ever asks for larger weights. Nothing is
 * drawn at random but missing values, as in training; they are conditions, and not in the sum over i,
 * which would reward a model for being sure of what it made up. Threads own blocks of samples, which
 * are summed in order.
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/threads.h"
#include "train/run_directory.h"

enum { BLOCK = 16 }; /* samples side by side */

static size_t count_blocks(const isg_dataset *data) {
    return (data->info.n_samples - 1) / BLOCK + 1;
}

isg_status isg_validation_create(isg_validation *my, const isg_trainer *trainer,
                                 const isg_dataset *data) {
    const isg_gibbs_weights *w = &trainer->weights;
    const size_t of_training = count_blocks(trainer->data), of_validation = count_blocks(data);
    if (data->info.n_visible != w->n_visible)
        return isg_fail(ISG_ERR_SHAPE,
                        "validation data: expected %zu columns, as the RBM has visible units, "
                        "found %zu",
                        w->n_visible, data->info.n_visible);
    my->data = data;
    my->n_hidden = w->n_hidden;
    my->learns_beta = trainer->option.learn_beta;
    my->threads = isg_team_size();
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->weights, w->n_visible, w->n_hidden));
    ISG_TRY(ISG_ALLOCATE(my->b, w->n_visible));
    ISG_TRY(ISG_ALLOCATE(my->c, w->n_hidden));
    ISG_TRY(ISG_ALLOCATE(my->squares, w->n_visible));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->input, (size_t)my->threads * BLOCK, w->stride));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->hidden, (size_t)my->threads * BLOCK, w->n_hidden));
    if (data->missing || trainer->data->missing) {
        ISG_TRY(isg_states_create(&my->filled, w, (size_t)my->threads * BLOCK));
        ISG_TRY(ISG_ALLOCATE_MATRIX(my->known, (size_t)my->threads * BLOCK, w->words));
        my->threads = (int)my->filled.threads < my->threads ? (int)my->filled.threads : my->threads;
    }
    ISG_TRY(ISG_ALLOCATE(my->sums, of_training > of_validation ? of_training : of_validation));
    return ISG_OK;
}

void isg_validation_release(isg_validation *my) {
    isg_release(my->weights);
    isg_release(my->b);
    isg_release(my->c);
    isg_release(my->squares);
    isg_release(my->input);
    isg_release(my->hidden);
    isg_release(my->sums);
    isg_states_release(&my->filled);
    isg_release(my->known);
    *my = (isg_validation){.data = NULL};
}

/* hidden (n_hidden, BLOCK): h of some samples, side by side. */
static void set_hidden(const isg_trainer *trainer, const uint64_t *spins, size_t count,
                       int32_t *input, double *hidden) {
    const isg_gibbs_weights *w = &trainer->weights;
    isg_kernels_get()->hidden_input(w, count, spins, input);
    for (size_t mu = 0; mu < w->n_hidden; mu++)
        for (size_t q = 0; q < count; q++)
            hidden[mu * BLOCK + q] = isg_gibbs_hidden_mean(w, input + q * w->stride, mu);
}

/* The sum of -H(s) over some samples, up to a constant for each. */
static double sum_energies(const isg_trainer *trainer, const uint64_t *spins, size_t count,
                           const double *hidden) {
    const isg_gibbs_weights *w = &trainer->weights;
    double sum = 0;
    for (size_t q = 0; q < count; q++) {
        double square = 0, field = 0;
        for (size_t mu = 0; mu < w->n_hidden; mu++)
            square += hidden[mu * BLOCK + q] * hidden[mu * BLOCK + q];
        for (size_t i = 0; i < w->n_visible; i++)
            field += trainer->rbm->b[i] * isg_spin(spins + q * w->words, i);
        sum += square / 2 + field;
    }
    return sum;
}

/* ln 1 / (1 + exp(-x)) */
static double log_sigmoid(double x) {
    return x > 0 ? -isg_log1p(isg_exp(-x)) : x - isg_log1p(isg_exp(x));
}

/* The sum of ln p(s_i | all others) over the units of some samples that are known; NULL: all. */
static double sum_logs(const isg_validation *my, const isg_trainer *trainer, const uint64_t *spins,
                       const uint64_t *known, size_t count, const double *hidden) {
    const isg_rbm *rbm = trainer->rbm;
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden, words = trainer->weights.words;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double field[BLOCK] = {0};
        for (size_t mu = 0; mu < p; mu++)
            for (size_t q = 0; q < BLOCK; q++)
                field[q] += rbm->weights[i * p + mu] * hidden[mu * BLOCK + q];
        for (size_t q = 0; q < count; q++)
            if (!known || isg_bit(known + q * words, i))
                sum += log_sigmoid(
                    2 * rbm->info.beta *
                    (isg_spin(spins + q * words, i) * (field[q] + rbm->b[i]) - my->squares[i]));
    }
    return sum;
}

/* The samples of a block with their missing values drawn from the RBM as it is; the known ones are
   in the same rows of `known`. */
static const uint64_t *fill_block(isg_validation *my, const isg_trainer *trainer,
                                  const isg_dataset *data, size_t first, size_t count,
                                  size_t thread) {
    const isg_gibbs_weights *w = &trainer->weights;
    const size_t begin = thread * BLOCK, n_sweeps = trainer->option.impute_sweeps;
    const size_t of_training = (size_t)1 << 31; /* other random numbers for the training data */
    uint64_t *spins = my->filled.spins + begin * w->words;
    memcpy(spins, isg_dataset_spins(data, first), count * w->words * sizeof *spins);
    for (size_t q = 0; q < count; q++)
        isg_known_spins(my->known + (begin + q) * w->words, data, first + q);
    isg_kernels_get()->hidden_input(w, count, spins, my->filled.input + begin * w->stride);
    const isg_sweeps sweeps = {.beta = trainer->rbm->info.beta,
                               .gain = 1,
                               .seed = trainer->option.seed,
                               .purpose = ISG_PURPOSE_VALIDATE,
                               .step = trainer->state.epochs * n_sweeps,
                               .count = n_sweeps,
                               .number = first - begin + (data == my->data ? 0 : of_training),
                               .clamped = my->known,
                               .clamped_stride = w->words};
    isg_states_fill_rows(&my->filled, w, &sweeps, (isg_rows){begin, begin + count}, thread);
    return spins;
}

/* The mean over all samples. */
static double mean(isg_validation *my, const isg_trainer *trainer, const isg_dataset *data,
                   bool is_energy) {
    const isg_gibbs_weights *w = &trainer->weights;
    const size_t n_samples = data->info.n_samples, n_blocks = count_blocks(data);
    const int wanted = isg_team_size(), team = wanted < my->threads ? wanted : my->threads;
#pragma omp parallel for schedule(dynamic) num_threads(team)
    for (size_t block = 0; block < n_blocks; block++) {
        const size_t thread = (size_t)omp_get_thread_num(), first = block * BLOCK;
        const size_t count = n_samples - first < BLOCK ? n_samples - first : BLOCK;
        const uint64_t *known = data->missing ? my->known + thread * BLOCK * w->words : NULL;
        const uint64_t *spins = known ? fill_block(my, trainer, data, first, count, thread)
                                      : isg_dataset_spins(data, first);
        double *hidden = my->hidden + thread * BLOCK * w->n_hidden;
        set_hidden(trainer, spins, count, my->input + thread * BLOCK * w->stride, hidden);
        my->sums[block] = is_energy ? sum_energies(trainer, spins, count, hidden)
                                    : sum_logs(my, trainer, spins, known, count, hidden);
    }
    double sum = 0;
    for (size_t block = 0; block < n_blocks; block++)
        sum += my->sums[block];
    return sum / (double)n_samples;
}

void isg_validation_measure(isg_validation *my, const isg_trainer *trainer, isg_run_row *row) {
    const isg_rbm *rbm = trainer->rbm;
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden;
    for (size_t i = 0; i < n; i++) {
        my->squares[i] = 0;
        for (size_t mu = 0; mu < p; mu++)
            my->squares[i] += rbm->weights[i * p + mu] * rbm->weights[i * p + mu];
    }
    row->validation_pseudo_likelihood = mean(my, trainer, my->data, false);
    row->validation_gap = rbm->info.beta * (mean(my, trainer, trainer->data, true) -
                                            mean(my, trainer, my->data, true));
    if (row->epoch > 0 && !(row->validation_pseudo_likelihood > my->best))
        return;
    my->best = row->validation_pseudo_likelihood;
    my->best_epoch = row->epoch;
    memcpy(my->weights, rbm->weights, n * p * sizeof *my->weights);
    memcpy(my->b, rbm->b, n * sizeof *my->b);
    memcpy(my->c, rbm->c, p * sizeof *my->c);
    my->beta = rbm->info.beta;
}

/* ---- files ------------------------------------------------------------------------------------ */

static const char member[] = "validation.sha256";

enum { IDENTITY_BYTES = 130 };

/* SHA-256 of the data, and of what is missing in them if something is. */
static void identify(const isg_dataset *data, char out[IDENTITY_BYTES]) {
    isg_dataset_checksum(data, out);
    if (!data->missing)
        return;
    out[64] = ' ';
    isg_dataset_missing_checksum(data, out + 65);
}

isg_status isg_validation_save(const isg_validation *my, const isg_rbm *rbm, uint64_t seed,
                               const char *command, const char *path) {
    isg_rbm best = *rbm; /* with its patterns and so on */
    best.weights = my->weights;
    best.b = my->b;
    best.c = my->c;
    best.info.beta = my->beta;
    return isg_rbm_save(&best, path, seed, command);
}

bool isg_validation_is_saved(const isg_validation *my, const char *path) {
    const size_t n = my->data->info.n_visible, p = my->n_hidden;
    isg_rbm *found = NULL;
    if (isg_rbm_load(&found, path) != ISG_OK)
        return false;
    const bool is_same = found->info.n_visible == n && found->info.n_hidden == p &&
                         found->info.beta == my->beta &&
                         memcmp(found->weights, my->weights, n * p * sizeof *my->weights) == 0 &&
                         memcmp(found->b, my->b, n * sizeof *my->b) == 0 &&
                         memcmp(found->c, my->c, p * sizeof *my->c) == 0;
    isg_rbm_free(found);
    return is_same;
}

isg_status isg_validation_write(const isg_validation *my, isg_npz_writer *writer) {
    const size_t n = my->data->info.n_visible, p = my->n_hidden;
    char sha256[IDENTITY_BYTES];
    identify(my->data, sha256);
    ISG_TRY(isg_npz_writer_add_text(writer, member, sha256));
    ISG_TRY(isg_npz_writer_add_doubles(writer, "best.W", my->weights, 2, n, p));
    ISG_TRY(isg_npz_writer_add_doubles(writer, "best.b", my->b, 1, n, 0));
    if (my->learns_beta)
        ISG_TRY(isg_npz_writer_add_doubles(writer, "best.beta", &my->beta, 1, 1, 0));
    return isg_npz_writer_add_doubles(writer, "best.c", my->c, 1, p, 0);
}

isg_status isg_validation_check(const isg_dataset *data, isg_zip *zip) {
    char mine[IDENTITY_BYTES], *found = NULL;
    size_t index = 0;
    const bool is_there = isg_zip_find(zip, member, &index);
    if (is_there != (data != NULL))
        return isg_fail(ISG_ERR_SHAPE, "%s: was written with%s validation data",
                        isg_zip_file_name(zip), is_there ? "" : "out");
    if (!is_there)
        return ISG_OK;
    ISG_TRY(isg_npz_read_text(zip, member, &found));
    identify(data, mine);
    const isg_status status =
        strcmp(found, mine) == 0
            ? ISG_OK
            : isg_fail(ISG_ERR_SHAPE,
                       "%s: was written for other validation data, of SHA-256 %.129s, not %s",
                       isg_zip_file_name(zip), found, mine);
    isg_release(found);
    return status;
}

static isg_status read_numbers(double *out, isg_zip *zip, const char *name, size_t n_dims,
                               size_t rows, size_t cols) {
    const size_t count = n_dims == 2 ? rows * cols : rows;
    isg_array_type type;
    double *numbers = NULL;
    ISG_TRY(isg_npz_read_doubles(zip, name, &type, &numbers));
    bool is_right = type.n_dims == n_dims && type.dims[0] == rows &&
                    (n_dims == 1 || type.dims[1] == cols) && isg_array_count(&type) == count;
    for (size_t k = 0; is_right && k < count; k++)
        is_right = isfinite(numbers[k]);
    if (is_right)
        memcpy(out, numbers, count * sizeof *out);
    isg_release(numbers);
    return is_right ? ISG_OK
                    : isg_fail(ISG_ERR_FORMAT, "%s: %s: not the numbers of an RBM of the training",
                               isg_zip_file_name(zip), name);
}

isg_status isg_validation_read(isg_validation *my, isg_zip *zip, double beta,
                               const isg_run_row *rows, size_t n_rows) {
    if (!my->data)
        return ISG_OK;
    const size_t n = my->data->info.n_visible, p = my->n_hidden;
    for (size_t k = 0; k < n_rows; k++)
        if (k == 0 || rows[k].validation_pseudo_likelihood > my->best) {
            my->best = rows[k].validation_pseudo_likelihood;
            my->best_epoch = rows[k].epoch;
        }
    ISG_TRY(read_numbers(my->weights, zip, "best.W", 2, n, p));
    ISG_TRY(read_numbers(my->b, zip, "best.b", 1, n, 0));
    my->beta = beta;
    if (my->learns_beta)
        ISG_TRY(read_numbers(&my->beta, zip, "best.beta", 1, 1, 0));
    if (!isg_is_beta(my->beta))
        return isg_fail(ISG_ERR_FORMAT, "%s: best.beta cannot be %g", isg_zip_file_name(zip),
                        my->beta);
    return read_numbers(my->c, zip, "best.c", 1, p, 0);
}
