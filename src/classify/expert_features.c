/* expert_features.c - the features that RBMs side by side compute from a sample
 *
 * SPDX-License-Identifier: MIT
 *
 *     h = W^T s + c  of all RBMs at once, as one RBM with all their hidden units
 *     energy   f_k = |h|^2 - |c|^2 + 2 b.s  over the hidden units of RBM k: -2 H_k(s)   (Eq. 16)
 *     hidden   f_mu = h_mu
 *     squares  f_mu = h_mu^2
 *
 * Where values are missing, every RBM fills them in with what it holds most probable, so that they
 * speak neither for nor against its class.
 *
 * W^T s comes from the kernel that sums multiples of a power of two, so it is the same for every
 * instruction set; the rest is in double, one sample at a time.
 */
#include "classify/classify.h"

#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress_part.h"
#include "base/threads.h"
#include "data/data.h"

enum { BLOCK = 16 }; /* samples per thread at a time */

isg_status isg_feature_map_create(isg_feature_map *map, isg_features kind, size_t n_visible,
                                  const size_t *n_hidden, size_t n_rbms) {
    *map = (isg_feature_map){.kind = kind, .n_visible = n_visible, .n_rbms = n_rbms};
    ISG_TRY(ISG_ALLOCATE(map->starts, n_rbms + 1));
    for (size_t k = 0; k < n_rbms; k++) {
        if (n_hidden[k] > SIZE_MAX - map->starts[k])
            return isg_fail(ISG_ERR_MEMORY, "the hidden units do not fit in memory");
        map->starts[k + 1] = map->starts[k] + n_hidden[k];
    }
    map->n_hidden = map->starts[n_rbms];
    ISG_TRY(isg_gibbs_weights_create(&map->packed, n_visible, map->n_hidden));
    ISG_TRY(ISG_ALLOCATE_MATRIX(map->weights, n_visible, map->n_hidden));
    ISG_TRY(ISG_ALLOCATE_MATRIX(map->b, n_rbms, n_visible));
    ISG_TRY(ISG_ALLOCATE(map->betas, n_rbms));
    return ISG_ALLOCATE(map->c, map->n_hidden);
}

void isg_feature_map_release(isg_feature_map *map) {
    isg_release(map->starts);
    isg_release(map->weights);
    isg_release(map->b);
    isg_release(map->c);
    isg_release(map->betas);
    isg_gibbs_weights_release(&map->packed);
    *map = (isg_feature_map){.n_rbms = 0};
}

isg_status isg_feature_map_pack(isg_feature_map *map) {
    double *no_b = NULL, *no_c = NULL; /* the fields are added in double */
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(no_b, map->n_visible));
    ISG_TRY_GOTO(ISG_ALLOCATE(no_c, map->n_hidden));
    map->has_b = false;
    for (size_t k = 0; k < map->n_rbms * map->n_visible; k++)
        map->has_b = map->has_b || map->b[k] != 0;
    status = isg_gibbs_weights_set(&map->packed, map->weights, no_b, no_c);
done:
    isg_release(no_b);
    isg_release(no_c);
    return status;
}

isg_status isg_feature_map_of(isg_feature_map *map, isg_features kind, const isg_rbm *const *rbms,
                              size_t n_rbms, size_t n_visible) {
    size_t *sizes = NULL;
    isg_status status = ISG_OK;
    *map = (isg_feature_map){.n_rbms = 0};
    ISG_TRY(ISG_ALLOCATE(sizes, n_rbms));
    for (size_t k = 0; k < n_rbms; k++)
        sizes[k] = rbms[k]->info.n_hidden;
    ISG_TRY_GOTO(isg_feature_map_create(map, kind, n_visible, sizes, n_rbms));
    for (size_t k = 0; k < n_rbms; k++) {
        const size_t start = map->starts[k];
        for (size_t i = 0; i < n_visible; i++)
            memcpy(map->weights + i * map->n_hidden + start, rbms[k]->weights + i * sizes[k],
                   sizes[k] * sizeof *map->weights);
        memcpy(map->b + k * n_visible, rbms[k]->b, n_visible * sizeof *map->b);
        memcpy(map->c + start, rbms[k]->c, sizes[k] * sizeof *map->c);
        map->betas[k] = rbms[k]->info.beta;
    }
    status = isg_feature_map_pack(map);
done:
    isg_release(sizes);
    return status;
}

static double hidden_mean(const isg_feature_map *map, const int32_t *input, size_t mu) {
    return (double)input[mu] * (double)map->packed.unit + map->c[mu];
}

/* -2 H_k(s) */
static double energy_feature(const isg_feature_map *map, size_t k, const int32_t *input,
                             const uint64_t *spins) {
    double square = 0, field = 0;
    for (size_t mu = map->starts[k]; mu < map->starts[k + 1]; mu++) {
        const double h = hidden_mean(map, input, mu);
        square += h * h - map->c[mu] * map->c[mu];
    }
    for (size_t i = 0; map->has_b && i < map->n_visible; i++)
        field += map->b[k * map->n_visible + i] * isg_spin(spins, i);
    return square + 2 * field;
}

void isg_features_of(const isg_feature_map *map, const int32_t *input, const uint64_t *spins,
                     double *out) {
    if (map->kind == ISG_FEATURES_ENERGY)
        for (size_t k = 0; k < map->n_rbms; k++)
            out[k] = energy_feature(map, k, input, spins);
    else
        for (size_t mu = 0; mu < map->n_hidden; mu++) {
            const double h = hidden_mean(map, input, mu);
            out[mu] = map->kind == ISG_FEATURES_SQUARES ? h * h : h;
        }
}

void isg_features_pull(const isg_feature_map *map, const int32_t *input, const double *slopes,
                       float *out) {
    for (size_t k = 0; k < map->n_rbms; k++)
        for (size_t mu = map->starts[k]; mu < map->starts[k + 1]; mu++) {
            const double slope = slopes[map->kind == ISG_FEATURES_ENERGY ? k : mu];
            out[mu] =
                (float)(map->kind == ISG_FEATURES_HIDDEN ? slope
                                                         : 2 * hidden_mean(map, input, mu) * slope);
        }
}

isg_status isg_feature_map_apply(const isg_feature_map *map, const isg_dataset *data, size_t first,
                                 isg_matd out) {
    const size_t stride = map->packed.stride, n_blocks = (out.rows + BLOCK - 1) / BLOCK;
    const int threads = isg_team_size();
    int32_t *rooms = NULL;
    ISG_TRY(ISG_ALLOCATE_MATRIX(rooms, (size_t)threads * BLOCK, stride));
#pragma omp parallel num_threads(threads)
    {
        int32_t *input = rooms + (size_t)omp_get_thread_num() * BLOCK * stride;
#pragma omp for schedule(static)
        for (size_t block = 0; block < n_blocks; block++) {
            const size_t begin = block * BLOCK;
            const size_t count = out.rows - begin < BLOCK ? out.rows - begin : BLOCK;
            const uint64_t *spins = isg_dataset_spins(data, first + begin);
            isg_kernels_get()->hidden_input(&map->packed, count, spins, input);
            for (size_t a = 0; a < count; a++)
                isg_features_of(map, input + a * stride, spins + a * data->words,
                                out.data + (begin + a) * out.stride);
        }
    }
    isg_release(rooms);
    return ISG_OK;
}

/* ---- missing values ----------------------------------------------------------------------------- */

isg_status isg_feature_map_rbm(isg_rbm **out, const isg_feature_map *map, size_t k) {
    const size_t n = map->n_visible, p = map->starts[k + 1] - map->starts[k];
    isg_rbm *rbm = NULL;
    if (!(map->betas[k] > 0))
        return isg_fail(ISG_ERR_UNSUPPORTED,
                        "the classifier does not know the temperature of its RBMs");
    ISG_TRY(isg_rbm_create(&rbm, n, p, map->betas[k]));
    for (size_t i = 0; i < n; i++)
        memcpy(rbm->weights + i * p, map->weights + i * map->n_hidden + map->starts[k],
               p * sizeof *rbm->weights);
    memcpy(rbm->b, map->b + k * n, n * sizeof *rbm->b);
    memcpy(rbm->c, map->c + map->starts[k], p * sizeof *rbm->c);
    *out = rbm;
    return ISG_OK;
}

static isg_status complete(isg_dataset **out, const isg_feature_map *map, size_t k,
                           const isg_dataset *data, const isg_progress *progress) {
    const double n = (double)map->n_rbms;
    isg_impute_options options = isg_impute_defaults();
    isg_rbm *rbm = NULL;
    isg_part part;
    ISG_TRY(isg_feature_map_rbm(&rbm, map, k));
    options.marginal = true;
    const isg_status status = isg_dataset_impute(
        out, data, rbm, &options, isg_part_of(&part, progress, (double)k / n, (double)(k + 1) / n));
    isg_rbm_free(rbm);
    return status;
}

void isg_completions_free(isg_dataset **completions, size_t count) {
    for (size_t k = 0; completions && k < count; k++)
        isg_dataset_free(completions[k]);
    isg_release(completions);
}

isg_status isg_feature_map_complete(isg_dataset ***out, const isg_feature_map *map,
                                    const isg_dataset *data, const isg_progress *progress) {
    isg_dataset **made = NULL;
    isg_status status = ISG_OK;
    if (!data->missing)
        return ISG_OK;
    ISG_TRY(ISG_ALLOCATE(made, map->n_rbms));
    for (size_t k = 0; status == ISG_OK && k < map->n_rbms; k++)
        status = map->betas[k] > 0
                     ? complete(made + k, map, k, data, progress)
                     : isg_fail(ISG_ERR_UNSUPPORTED,
                                "values are missing, and the classifier does not know "
                                "the temperature of its RBMs, which filling them in "
                                "needs; fit it again, or take the majority");
    if (status == ISG_OK)
        *out = made;
    else
        isg_completions_free(made, map->n_rbms);
    return status;
}

isg_status isg_feature_map_apply_all(const isg_feature_map *map, const isg_dataset *data,
                                     isg_dataset *const *completions, size_t first, isg_matd out) {
    const bool is_energy = map->kind == ISG_FEATURES_ENERGY;
    double *room = NULL;
    isg_status status = ISG_OK;
    if (!completions)
        return isg_feature_map_apply(map, data, first, out);
    ISG_TRY(ISG_ALLOCATE_MATRIX(room, out.rows, out.cols));
    for (size_t k = 0; status == ISG_OK && k < map->n_rbms; k++) {
        const size_t from = is_energy ? k : map->starts[k];
        const size_t end = is_energy ? k + 1 : map->starts[k + 1];
        status = isg_feature_map_apply(map, completions[k], first,
                                       isg_matd_of(room, out.rows, out.cols));
        for (size_t a = 0; status == ISG_OK && a < out.rows; a++)
            memcpy(out.data + a * out.stride + from, room + a * out.cols + from,
                   (end - from) * sizeof *room);
    }
    isg_release(room);
    return status;
}

isg_status isg_features_check(const isg_rbm *const *rbms, size_t n_rbms, isg_features kind,
                              size_t n_visible) {
    if (n_rbms == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "features need at least one RBM");
    if (kind != ISG_FEATURES_ENERGY && kind != ISG_FEATURES_HIDDEN && kind != ISG_FEATURES_SQUARES)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "features: expected energy, hidden or squares, found number %d", (int)kind);
    for (size_t k = 0; k < n_rbms; k++)
        if (rbms[k]->info.n_visible != n_visible)
            return isg_fail(ISG_ERR_SHAPE, "the data have %zu units, an RBM has %zu", n_visible,
                            rbms[k]->info.n_visible);
    return ISG_OK;
}
