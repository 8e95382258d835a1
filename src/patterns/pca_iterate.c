/* pca_iterate.c - principal axes without a matrix of n_visible^2 numbers
 *
 * SPDX-License-Identifier: MIT
 *
 * Lanczos iteration with full orthogonalization and thick restarts (Wu and Simon 2000). The covariance is
 * only ever applied to a vector,
 *
 *     C v = X^T (X v - 1 mu.v) / M,
 *
 * without mu for second moments, and both products come from the packed spins: the 256 possible sums of eight spins are tabulated
 * once and then looked up, a byte of spins at a time. A single vector sees only one direction of a
 * space in which all variances are equal, so the result is accepted only if adding a random vector
 * orthogonal to all axes found leaves it unchanged.
 */
#include "patterns/pca.h"

#include <assert.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/threads.h"
#include "kernels/kernels.h"
#include "linalg/linalg.h"
#include "patterns/unit_columns.h"

enum {
    SAMPLES = 4096,  /* at a time, so that their spins stay in the cache */
    UNIT_WORDS = 32, /* words of units that one thread takes */
    RESTARTS = 300
};

/* |C v - variance v| relative to the largest variance. */
static const double tolerance = 1e-13;

/* For each byte of a word, the sums of +-x_i for its 256 values. */
typedef double byte_sums[8][256];

typedef struct iteration {
    const isg_dataset *data;
    bool is_centred;    /* C is the covariance, not the second moments */
    size_t n, m, k;     /* units, samples, axes wanted */
    size_t room, count; /* vectors in the basis: at most, and now */
    double *basis; /* (room + 1, n): orthonormal rows; the row after the last is the next to add */
    double *spare; /* (room, n) */
    double *projected;    /* (room, room): C in that basis */
    double *vectors;      /* (room, room): its eigenvectors */
    double *values;       /* (room) */
    double *along, *more; /* (room) */
    double *mean;         /* (n): of the spins; zeros if they are not centred */
    double *sums;         /* (m): X v */
    int threads;
    byte_sums *tables; /* one for each thread */
    double next_norm;  /* of the next vector, before it was normalized */
    double coupling;   /* of that vector to the last of the basis */
    double scale;      /* the longest C v so far */
    uint32_t random;   /* random vectors so far */
} iteration;

size_t isg_pca_basis(size_t k) {
    return k + k / 2 + 32;
}

static isg_status start(iteration *my, const isg_dataset *data, isg_axes of, size_t k) {
    *my = (iteration){.data = data,
                      .is_centred = of == ISG_AXES_OF_COVARIANCE,
                      .n = data->info.n_visible,
                      .m = data->info.n_samples,
                      .k = k};
    my->room = isg_pca_basis(k);
    my->threads = isg_team_size();
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->basis, my->room + 1, my->n));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->spare, my->room, my->n));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->projected, my->room, my->room));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->vectors, my->room, my->room));
    ISG_TRY(ISG_ALLOCATE(my->values, 3 * my->room));
    my->along = my->values + my->room;
    my->more = my->along + my->room;
    ISG_TRY(ISG_ALLOCATE(my->tables, (size_t)my->threads));
    ISG_TRY(ISG_ALLOCATE(my->mean, my->n));
    return ISG_ALLOCATE(my->sums, my->m);
}

static void finish(iteration *my) {
    isg_release(my->basis);
    isg_release(my->spare);
    isg_release(my->projected);
    isg_release(my->vectors);
    isg_release(my->values);
    isg_release(my->tables);
    isg_release(my->mean);
    isg_release(my->sums);
}

/* ---- the covariance, applied ------------------------------------------------------------------------- */

/* The tables of one thread, not on its stack, which may be too small. */
static byte_sums *table_of_thread(const iteration *my) {
    return &my->tables[omp_get_thread_num()];
}

/* x (64) */
static void tabulate(byte_sums *table, const double *x) {
    for (size_t byte = 0; byte < 8; byte++, x += 8) {
        double *sums = (*table)[byte];
        sums[0] = -(((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7])));
        for (size_t bits = 1; bits < 256; bits++)
            sums[bits] = sums[bits & (bits - 1)] + 2 * x[__builtin_ctz((unsigned)bits)];
    }
}

static inline double look_up(byte_sums *tables, uint64_t word) {
    double(*table)[256] = *tables;
    return ((table[0][word & 255] + table[1][word >> 8 & 255]) +
            (table[2][word >> 16 & 255] + table[3][word >> 24 & 255])) +
           ((table[4][word >> 32 & 255] + table[5][word >> 40 & 255]) +
            (table[6][word >> 48 & 255] + table[7][word >> 56]));
}

/* Up to 64 numbers from x on, padded with zeros, so that nothing past the last unit or sample adds
   to a sum. */
static void take_64(double out[64], const double *x, size_t left) {
    memset(out, 0, 64 * sizeof *out);
    memcpy(out, x, (left < 64 ? left : 64) * sizeof *out);
}

/* sums = X v - 1 mu.v. Threads own samples. */
static void project(iteration *my, const double *v) {
    const size_t blocks = (my->m + SAMPLES - 1) / SAMPLES, words = my->data->words;
    const double shift = isg_kernels_get()->dot(my->n, my->mean, v);
#pragma omp parallel for schedule(dynamic) num_threads(my->threads)
    for (size_t block = 0; block < blocks; block++) {
        const size_t begin = block * SAMPLES;
        const size_t end = my->m - begin < SAMPLES ? my->m : begin + SAMPLES;
        byte_sums *table = table_of_thread(my);
        double x[64];
        for (size_t a = begin; a < end; a++)
            my->sums[a] = -shift;
        for (size_t w = 0; w < words; w++) {
            take_64(x, v + 64 * w, my->n - 64 * w);
            tabulate(table, x);
            for (size_t a = begin; a < end; a++)
                my->sums[a] += look_up(table, my->data->spins[a * words + w]);
        }
    }
    if (!my->is_centred)
        return;
    /* Their mean is zero except for rounding, which X^T would multiply by the number of samples. */
    double mean = 0;
    for (size_t a = 0; a < my->m; a++)
        mean += my->sums[a];
    mean /= (double)my->m;
    for (size_t a = 0; a < my->m; a++)
        my->sums[a] -= mean;
}

/* out (n) = X^T sums / M. Threads own units. */
static void gather(const iteration *my, double *out) {
    const size_t words = my->data->words;
#pragma omp parallel for schedule(dynamic) num_threads(my->threads)
    for (size_t first = 0; first < words; first += UNIT_WORDS) {
        const size_t last = words - first < UNIT_WORDS ? words : first + UNIT_WORDS;
        const size_t end = 64 * last < my->n ? 64 * last : my->n;
        byte_sums *table = table_of_thread(my);
        double x[64];
        uint64_t bits[64];
        memset(out + 64 * first, 0, (end - 64 * first) * sizeof *out);
        for (size_t a = 0; a < my->m; a += 64) {
            take_64(x, my->sums + a, my->m - a);
            tabulate(table, x);
            for (size_t w = first; w < last; w++) {
                isg_unit_block(my->data, a, w, bits);
                for (size_t i = 64 * w; i < 64 * w + 64 && i < my->n; i++)
                    out[i] += look_up(table, bits[i - 64 * w]);
            }
        }
        for (size_t i = 64 * first; i < end; i++)
            out[i] /= (double)my->m;
    }
}

/* Returns whether C is more than zeros. */
static bool find_mean(iteration *my) {
    if (!my->is_centred)
        return true;
    for (size_t a = 0; a < my->m; a++)
        my->sums[a] = 1;
    gather(my, my->mean);
    for (size_t i = 0; i < my->n; i++)
        if (fabs(my->mean[i]) < 1)
            return true;
    return false;
}

/* ---- the basis ---------------------------------------------------------------------------------------- */

static double *row_of(const iteration *my, size_t j) {
    return my->basis + j * my->n;
}

/* Subtracts from x (n) its components along the basis, stored in along (count). */
static void take_off(const iteration *my, double *x, double *along) {
    enum { PIECE = 2048 };
    const isg_kernels *kernels = isg_kernels_get();
#pragma omp parallel for schedule(dynamic) num_threads(my->threads)
    for (size_t j = 0; j < my->count; j++)
        along[j] = kernels->dot(my->n, row_of(my, j), x);
#pragma omp parallel for schedule(dynamic) num_threads(my->threads)
    for (size_t i = 0; i < my->n; i += PIECE)
        for (size_t j = 0; j < my->count; j++)
            kernels->add_multiple(my->n - i < PIECE ? my->n - i : PIECE, -along[j],
                                  row_of(my, j) + i, x + i);
}

/* Makes the next vector orthogonal to the basis and of length 1; one pass is not enough. */
static void make_orthonormal(iteration *my) {
    double *x = row_of(my, my->count);
    take_off(my, x, my->along);
    take_off(my, x, my->more);
    for (size_t j = 0; j < my->count; j++)
        my->along[j] += my->more[j];
    my->next_norm = sqrt(isg_kernels_get()->dot(my->n, x, x));
    for (size_t i = 0; my->next_norm > 0 && i < my->n; i++)
        x[i] /= my->next_norm;
}

static void let_random_in(iteration *my) {
    double *x = row_of(my, my->count);
    isg_cursor random = isg_cursor_at(isg_stream_at(1, ISG_PURPOSE_INIT, 0, my->random++));
    for (size_t i = 0; i < my->n; i++)
        x[i] = isg_next_uniform(&random) - 0.5;
    make_orthonormal(my);
    make_orthonormal(my); /* the remainder may be short */
}

/* Adds the next vector to the basis and makes the one after it: C times it, minus its part in the
   basis. */
static void extend(iteration *my) {
    const size_t last = my->count++;
    project(my, row_of(my, last));
    gather(my, row_of(my, my->count));
    make_orthonormal(my);
    my->coupling = my->next_norm;
    double square = my->coupling * my->coupling;
    for (size_t j = 0; j <= last; j++) {
        square += my->along[j] * my->along[j];
        my->projected[j * my->room + last] = my->projected[last * my->room + j] = my->along[j];
    }
    my->scale = fmax(my->scale, sqrt(square));
}

/* Eigenvalues of C in the basis ascend; this is the i-th from the top. */
static size_t from_top(const iteration *my, size_t i) {
    return my->count - 1 - i;
}

/* Replaces the basis by the `keep` leading eigenvectors. */
static isg_status rotate_basis(iteration *my, size_t keep) {
    const size_t count = my->count, room = my->room;
    double *turn = my->projected; /* no longer needed: (keep, count) */
    for (size_t i = 0; i < keep; i++)
        for (size_t j = 0; j < count; j++)
            turn[i * count + j] = my->vectors[j * count + from_top(my, i)];
    ISG_TRY(isg_matrix_multiply(isg_matd_of(my->spare, keep, my->n),
                                (isg_matd_view){turn, keep, count, count}, ISG_AS_IS,
                                (isg_matd_view){my->basis, count, my->n, my->n}, ISG_AS_IS));
    memcpy(my->basis, my->spare, keep * my->n * sizeof *my->basis);
    memmove(row_of(my, keep), row_of(my, count), my->n * sizeof *my->basis);
    memset(my->projected, 0, room * room * sizeof *my->projected);
    for (size_t i = 0; i < keep; i++)
        my->projected[i * (room + 1)] = my->values[from_top(my, i)];
    my->count = keep;
    return ISG_OK;
}

static isg_status solve_projected(iteration *my) {
    const isg_matd_view matrix = {my->projected, my->count, my->count, my->room};
    return isg_symmetric_eigen(my->values, isg_matd_of(my->vectors, my->count, my->count), matrix);
}

/* Whether every axis is an eigenvector of C, as far as the basis can tell. */
static bool are_found(const iteration *my) {
    const double largest = my->values[from_top(my, 0)];
    for (size_t i = 0; i < my->k; i++) {
        const double last = my->vectors[(my->count - 1) * my->count + from_top(my, i)];
        if (fabs(my->coupling * last) > tolerance * largest)
            return false;
    }
    return true;
}

/* Whether the variances are unchanged; stores them in *before. */
static bool are_same(const iteration *my, double *before) {
    const double largest = my->values[from_top(my, 0)];
    bool same = true;
    for (size_t i = 0; i < my->k; i++) {
        const double value = my->values[from_top(my, i)];
        same = same && fabs(value - before[i]) <= 100 * tolerance * largest;
        before[i] = value;
    }
    return same;
}

/* Recomputes the largest |C v - variance v| of the axes in the basis; that vector is added next. */
static double let_worst_in(iteration *my) {
    double *x = row_of(my, my->count), *worst = my->spare, largest = 0;
    for (size_t j = 0; j < my->count; j++) {
        project(my, row_of(my, j));
        gather(my, x);
        isg_kernels_get()->add_multiple(my->n, -my->projected[j * (my->room + 1)], row_of(my, j),
                                        x);
        const double norm = sqrt(isg_kernels_get()->dot(my->n, x, x));
        if (norm >= largest) {
            largest = norm;
            memcpy(worst, x, my->n * sizeof *worst);
        }
    }
    memcpy(x, worst, my->n * sizeof *x);
    make_orthonormal(my);
    return largest;
}

/* Fills the basis, keeps its best part, and repeats. `variances` (k) are those of the previous
   round. */
static isg_status iterate(iteration *my, double *variances) {
    const double negligible = isg_rank_tolerance(my->n, my->n);
    bool is_checked = false;
    for (size_t restart = 0; restart < RESTARTS; restart++) {
        while (my->count < my->room) {
            extend(my);
            if (my->coupling <= negligible * my->scale)
                let_random_in(my); /* the basis is closed under C */
        }
        ISG_TRY(solve_projected(my));
        const bool is_found = are_found(my), is_same = are_same(my, variances);
        if (is_found && is_checked && is_same) {
            ISG_TRY(rotate_basis(my, my->k));
            if (let_worst_in(my) <= 10 * tolerance * variances[0])
                return ISG_OK;
            is_checked = false;
            continue;
        }
        ISG_TRY(rotate_basis(my, my->k + (my->room - my->k) / 2));
        if (is_found)
            let_random_in(my);
        is_checked = is_found;
    }
    return isg_fail(ISG_ERR_DIVERGED,
                    "principal axes: the iteration for %zu of them did not converge", my->k);
}

isg_status isg_pca_iterate(const isg_dataset *data, isg_axes of, size_t k, isg_matd axes,
                           double *variances, size_t *rank) {
    assert(data->info.n_visible > isg_pca_basis(k));
    iteration my = {0};
    isg_status status = ISG_OK;
    double *found = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE(found, k));
    ISG_TRY_GOTO(start(&my, data, of, k));
    size_t count = 0;
    if (find_mean(&my)) {
        let_random_in(&my);
        ISG_TRY_GOTO(iterate(&my, found));
    }
    while (count < k && found[count] > isg_rank_tolerance(my.n, my.n) * found[0])
        count++;
    for (size_t i = 0; i < count; i++) {
        memcpy(axes.data + i * axes.stride, row_of(&my, i), my.n * sizeof *axes.data);
        variances[i] = found[i];
    }
    *rank = count;
done:
    finish(&my);
    isg_release(found);
    return status;
}
