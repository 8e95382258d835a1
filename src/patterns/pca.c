/* pca.c - principal axes of binary data
 *
 * SPDX-License-Identifier: MIT
 *
 * The covariance of two units needs three counts: how often each is up, and how often they differ,
 *
 *     cov_ij = 4 (n_ij / M - n_i n_j / M^2),   2 n_ij = n_i + n_j - d_ij,
 *
 * all integers, found by counting bits in the columns of units; second moments need the last count
 * alone. So the N x N covariance is exact up
 * to its last rounding (for fewer than 9e7 samples), and costs M N^2 / 64 word operations. If N^2
 * numbers are too many, pca_iterate.c avoids forming the matrix.
 */
#include "patterns/pca.h"

#include <math.h>

#include "base/memory.h"
#include "base/threads.h"
#include "kernels/kernels.h"
#include "linalg/linalg.h"
#include "patterns/unit_columns.h"

/* The lower triangle of the covariance, or of the second moments. */
static isg_status fill_moments(const isg_dataset *data, isg_axes of, double *moments) {
    const size_t n = data->info.n_visible, m = data->info.n_samples;
    const isg_kernels *kernels = isg_kernels_get();
    isg_status status = ISG_OK;
    isg_unit_columns columns = {0};
    uint64_t *ups = NULL;
    uint32_t *distances = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE(ups, n));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(distances, n, n));
    ISG_TRY_GOTO(isg_unit_columns_create(&columns, data));
    for (size_t i = 0; i < n; i++)
        ups[i] = isg_count_ones(isg_unit_column(&columns, i), columns.words);
    const double square = (double)m * (double)m;
#pragma omp parallel for schedule(dynamic) num_threads(isg_team_size())
    for (size_t i = 0; i < n; i++) {
        kernels->hamming(i + 1, columns.words, isg_unit_column(&columns, i), columns.bits,
                         columns.words, distances + i * n);
        for (size_t j = 0; j <= i; j++) {
            const uint64_t apart = distances[i * n + j], both = (ups[i] + ups[j] - apart) / 2;
            const int64_t excess = (int64_t)(m * both) - (int64_t)(ups[i] * ups[j]);
            moments[i * n + j] = of == ISG_AXES_OF_COVARIANCE
                                     ? 4 * (double)excess / square
                                     : ((double)m - 2 * (double)apart) / (double)m;
        }
    }
done:
    isg_unit_columns_free(&columns);
    isg_release(ups);
    isg_release(distances);
    return status;
}

isg_status isg_pca_check(const isg_dataset *data, size_t n_components) {
    const size_t n = data->info.n_visible;
    if (n_components == 0 || n_components > n)
        return isg_fail(ISG_ERR_ARGUMENT, "principal axes: expected 1 to %zu of them, found %zu", n,
                        n_components);
    return ISG_OK;
}

static isg_status check(const isg_dataset *data, size_t n_components, isg_matd components) {
    const size_t n = data->info.n_visible;
    if (components.rows != n || components.cols != n_components)
        return isg_fail(ISG_ERR_SHAPE,
                        "principal axes: expected room for %zu x %zu numbers, found %zu x %zu", n,
                        n_components, components.rows, components.cols);
    return isg_pca_check(data, n_components);
}

/* From the matrix itself. */
static isg_status find_densely(const isg_dataset *data, isg_axes of, size_t k, isg_matd components,
                               double *variances, size_t *rank) {
    const size_t n = data->info.n_visible;
    isg_status status = ISG_OK;
    double *moments = NULL, *values = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE(values, n));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(moments, n, n));
    const isg_matd square = isg_matd_of(moments, n, n);
    ISG_TRY_GOTO(fill_moments(data, of, moments));
    ISG_TRY_GOTO(isg_symmetric_eigen(values, square, isg_matd_const(square)));
    size_t count = 0;
    while (count < n && values[n - 1 - count] > isg_rank_tolerance(n, n) * values[n - 1])
        count++;
    for (size_t j = 0; j < k && k <= count; j++) {
        variances[j] = values[n - 1 - j];
        for (size_t i = 0; i < n; i++)
            components.data[i * components.stride + j] = moments[i * n + (n - 1 - j)];
    }
    *rank = count;
done:
    isg_release(values);
    isg_release(moments);
    return status;
}

static isg_status find_by_iteration(const isg_dataset *data, isg_axes of, size_t k,
                                    isg_matd components, double *variances, size_t *rank) {
    const size_t n = data->info.n_visible;
    isg_status status = ISG_OK;
    double *axes = NULL, *found = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(axes, k, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(found, k));
    ISG_TRY_GOTO(isg_pca_iterate(data, of, k, isg_matd_of(axes, k, n), found, rank));
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

isg_status isg_pca(const isg_dataset *data, isg_axes of, size_t n_components, isg_matd components,
                   double *variances) {
    const size_t n = data->info.n_visible;
    size_t rank = 0;
    ISG_TRY(check(data, n_components, components));
    const bool is_dense = n <= DENSE_UNITS || 2 * isg_pca_basis(n_components) > n;
    ISG_TRY((is_dense ? find_densely : find_by_iteration)(data, of, n_components, components,
                                                          variances, &rank));
    if (n_components > rank)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "principal axes: the data %s %zu of %zu directions, %zu were asked for",
                        of == ISG_AXES_OF_MOMENTS ? "span" : "vary in", rank, n, n_components);
    return ISG_OK;
}
