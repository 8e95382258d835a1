/* pca.c - principal axes of binary data
 *
 * SPDX-License-Identifier: MIT
 *
 * The covariance of two units needs three counts: how often each is up, and how often they differ,
 *
 *     cov_ij = 4 (n_ij / M - n_i n_j / M^2),   2 n_ij = n_i + n_j - d_ij,
 *
 * all integers, found by counting bits in the transposed data. So the N x N covariance is exact up
 * to its last rounding (for fewer than 9e7 samples), and costs M N^2 / 64 word operations. If N^2
 * numbers are too many, pca_iterate.c avoids forming the matrix.
 */
#include "rbm/pca.h"

#include <math.h>

#include "base/memory.h"
#include "base/threads.h"
#include "kernels/kernels.h"
#include "linalg/linalg.h"

/* columns (n_visible, words): bit a of row i is spin i of sample a. Threads own words of 64
   samples. */
static void transpose(const isg_dataset *data, uint64_t *columns, size_t words) {
    const size_t n = data->info.n_visible, m = data->info.n_samples;
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
    for (size_t w = 0; w < words; w++)
        for (size_t a = 64 * w; a < m && a < 64 * w + 64; a++) {
            const uint64_t *row = isg_dataset_spins(data, a);
            for (size_t i = 0; i < n; i++)
                columns[i * words + w] |= (row[i / 64] >> i % 64 & 1) << a % 64;
        }
}

/* The lower triangle of the covariance, overwriting the distances. */
static isg_status fill_covariance(const isg_dataset *data, double *covariance) {
    const size_t n = data->info.n_visible, m = data->info.n_samples, words = isg_words(m);
    const isg_kernels *kernels = isg_kernels_get();
    isg_status status = ISG_OK;
    uint64_t *columns = NULL, *ups = NULL;
    uint32_t *distances = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE(ups, n));
    columns = isg_allocate(n, words * sizeof *columns);
    distances = columns ? isg_allocate(n, n * sizeof *distances) : NULL;
    if (!distances)
        ISG_TRY_GOTO(ISG_ERR_MEMORY);
    transpose(data, columns, words);
    for (size_t i = 0; i < n; i++)
        ups[i] = isg_count_ones(columns + i * words, words);
    const double square = (double)m * (double)m;
#pragma omp parallel for schedule(dynamic) num_threads(isg_team_size())
    for (size_t i = 0; i < n; i++) {
        kernels->hamming(i + 1, words, columns + i * words, columns, words, distances + i * n);
        for (size_t j = 0; j <= i; j++) {
            const uint64_t both = (ups[i] + ups[j] - distances[i * n + j]) / 2;
            const int64_t excess = (int64_t)(m * both) - (int64_t)(ups[i] * ups[j]);
            covariance[i * n + j] = 4 * (double)excess / square;
        }
    }
done:
    isg_release(columns);
    isg_release(ups);
    isg_release(distances);
    return status;
}

static isg_status check(const isg_dataset *data, size_t n_components, isg_matd components) {
    const size_t n = data->info.n_visible;
    if (components.rows != n || components.cols != n_components)
        return isg_fail(ISG_ERR_SHAPE,
                        "principal axes: expected room for %zu x %zu numbers, found %zu x %zu", n,
                        n_components, components.rows, components.cols);
    if (n_components == 0 || n_components > n)
        return isg_fail(ISG_ERR_ARGUMENT, "principal axes: expected 1 to %zu of them, found %zu", n,
                        n_components);
    if (data->info.n_samples > INT32_MAX)
        return isg_fail(ISG_ERR_UNSUPPORTED,
                        "principal axes: expected fewer than 2^31 samples, found %zu",
                        data->info.n_samples);
    return ISG_OK;
}

/* From the covariance matrix. */
static isg_status find_densely(const isg_dataset *data, size_t k, isg_matd components,
                               double *variances, size_t *rank) {
    const size_t n = data->info.n_visible;
    isg_status status = ISG_OK;
    double *covariance = NULL, *values = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE(values, n));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(covariance, n, n));
    const isg_matd square = isg_matd_of(covariance, n, n);
    ISG_TRY_GOTO(fill_covariance(data, covariance));
    ISG_TRY_GOTO(isg_symmetric_eigen(values, square, isg_matd_const(square)));
    size_t count = 0;
    while (count < n && values[n - 1 - count] > isg_rank_tolerance(n, n) * values[n - 1])
        count++;
    for (size_t j = 0; j < k && k <= count; j++) {
        variances[j] = values[n - 1 - j];
        for (size_t i = 0; i < n; i++)
            components.data[i * components.stride + j] = covariance[i * n + (n - 1 - j)];
    }
    *rank = count;
done:
    isg_release(values);
    isg_release(covariance);
    return status;
}

static isg_status find_by_iteration(const isg_dataset *data, size_t k, isg_matd components,
                                    double *variances, size_t *rank) {
    const size_t n = data->info.n_visible;
    isg_status status = ISG_OK;
    double *axes = NULL, *found = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(axes, k, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(found, k));
    ISG_TRY_GOTO(isg_pca_iterate(data, k, isg_matd_of(axes, k, n), found, rank));
    for (size_t j = 0; j < k && *rank == k; j++) {
        const double sign = isg_sign_of_largest(axes + j * n, n, 1);
        variances[j] = found[j];
        for (size_t i = 0; i < n; i++)
            components.data[i * components.stride + j] = sign * axes[j * n + i];
    }
done:
    isg_release(axes);
    isg_release(found);
    return status;
}

/* Up to this many units the covariance is formed: 32 MB. */
enum { DENSE_UNITS = 2048 };

isg_status isg_pca(const isg_dataset *data, size_t n_components, isg_matd components,
                   double *variances) {
    const size_t n = data->info.n_visible;
    size_t rank = 0;
    ISG_TRY(check(data, n_components, components));
    const bool is_dense = n <= DENSE_UNITS || 2 * isg_pca_basis(n_components) > n;
    ISG_TRY((is_dense ? find_densely : find_by_iteration)(data, n_components, components, variances,
                                                          &rank));
    if (n_components > rank)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "principal axes: the data vary in %zu of %zu directions, %zu were asked "
                        "for",
                        rank, n, n_components);
    return ISG_OK;
}
