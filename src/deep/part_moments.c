/* part_moments.c - several Gaussians per class, by expectation and maximization
 *
 * SPDX-License-Identifier: MIT
 *
 * The bound of a sample of a class is, up to a constant, ln sum_j share_j exp(E_q[ln p(lambda | j)]) over
 * the parts j of the class, and is largest for weights r_j in proportion to the terms of the sum. Given
 * these, the best share, mean and covariance of a part are the moments of h = W^T s + c with the weights, in
 * closed form as for a single Gaussian. Doing the two in turn never lowers the bound. No part can shrink to a
 * point, since 1 / beta is added to its covariance.
 */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/special.h"
#include "deep/deep.h"
#include "linalg/linalg.h"

enum { LLOYD_ROUNDS = 10, MOST_ROUNDS = 60, ROWS = 4096 };

static const double enough = 1e-4; /* nats per sample and round */

/* One class. */
typedef struct mixing {
    isg_deep_model *model; /* whose only class it is */
    size_t n, p;
    double *h;       /* (n, p) */
    double *weights; /* (n, parts): r */
    double *scratch; /* (ROWS, p) */
    double *product; /* (p, p) */
} mixing;

static void release(mixing *my) {
    isg_deep_model_free(my->model);
    isg_release(my->h);
    isg_release(my->weights);
    isg_release(my->scratch);
    isg_release(my->product);
}

static isg_status start(mixing *my, const isg_rbm *rbm, size_t n, size_t parts) {
    *my = (mixing){.n = n, .p = rbm->info.n_hidden};
    ISG_TRY(isg_deep_model_create(&my->model, rbm, 1, parts));
    ISG_TRY(isg_labels_add_text(&my->model->classes, "class", "classes"));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->h, n, my->p));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->weights, n, parts));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->scratch, ROWS, my->p));
    return ISG_ALLOCATE_MATRIX(my->product, my->p, my->p);
}

static isg_status gather(mixing *my, const isg_dataset *data, const size_t *rows) {
    const isg_rbm *rbm = my->model->rbm;
    uint64_t *spins = NULL;
    ISG_TRY(ISG_ALLOCATE_MATRIX(spins, my->n, data->words));
    for (size_t a = 0; a < my->n; a++)
        memcpy(spins + a * data->words, isg_dataset_spins(data, rows[a]),
               data->words * sizeof *spins);
    const isg_status status =
        isg_spin_product(isg_matd_of(my->h, my->n, my->p), spins, isg_rbm_view(rbm), rbm->c, NULL);
    isg_release(spins);
    return status;
}

/* ---- where it starts: clusters of Lloyd's ------------------------------------------------------------- */

static double distance2(const double *a, const double *b, size_t p) {
    double sum = 0;
    for (size_t mu = 0; mu < p; mu++)
        sum += (a[mu] - b[mu]) * (a[mu] - b[mu]);
    return sum;
}

/* Weights of 1 at the nearest mean. */
static void assign(mixing *my) {
    const size_t parts = my->model->parts;
    memset(my->weights, 0, my->n * parts * sizeof *my->weights);
    for (size_t a = 0; a < my->n; a++) {
        double least = HUGE_VAL;
        size_t nearest = 0;
        for (size_t j = 0; j < parts; j++) {
            const double d = distance2(my->h + a * my->p, my->model->means + j * my->p, my->p);
            nearest = d < least ? j : nearest;
            least = fmin(d, least);
        }
        my->weights[a * parts + nearest] = 1;
    }
}

/* The sample that is worst represented becomes a part's mean. */
static void move_to_farthest(mixing *my, size_t part) {
    double most = -1;
    size_t farthest = 0;
    for (size_t a = 0; a < my->n; a++) {
        double least = HUGE_VAL;
        for (size_t j = 0; j < my->model->parts; j++)
            if (j != part)
                least =
                    fmin(least, distance2(my->h + a * my->p, my->model->means + j * my->p, my->p));
        farthest = least > most ? a : farthest;
        most = fmax(least, most);
    }
    memcpy(my->model->means + part * my->p, my->h + farthest * my->p, my->p * sizeof *my->h);
}

/* The sum of the weights of a part, whose mean is set unless they are too few. */
static double set_mean(mixing *my, size_t j) {
    double *mean = my->model->means + j * my->p, sum = 0;
    for (size_t a = 0; a < my->n; a++)
        sum += my->weights[a * my->model->parts + j];
    if (!(sum >= 0.5))
        return sum;
    memset(mean, 0, my->p * sizeof *mean);
    for (size_t a = 0; a < my->n; a++)
        for (size_t mu = 0; mu < my->p; mu++)
            mean[mu] += my->weights[a * my->model->parts + j] / sum * my->h[a * my->p + mu];
    return sum;
}

static isg_status find_clusters(mixing *my, uint64_t seed, uint32_t class) {
    const isg_stream stream = isg_stream_at(seed, ISG_PURPOSE_DEEP, 1, class);
    size_t *order = NULL;
    ISG_TRY(ISG_ALLOCATE(order, my->n));
    for (size_t a = 0; a < my->n; a++)
        order[a] = a;
    isg_shuffle(stream, order, my->n);
    for (size_t j = 0; j < my->model->parts; j++)
        memcpy(my->model->means + j * my->p, my->h + order[j] * my->p, my->p * sizeof *my->h);
    isg_release(order);
    for (size_t round = 0; round < LLOYD_ROUNDS; round++) {
        assign(my);
        for (size_t j = 0; j < my->model->parts; j++)
            if (set_mean(my, j) < 0.5)
                move_to_farthest(my, j);
    }
    assign(my);
    return ISG_OK;
}

/* ---- maximization --------------------------------------------------------------------------------------- */

/* The covariance about the mean, with the weights of part j, which add up to `sum`. */
static isg_status set_covariance(mixing *my, size_t j, double sum) {
    const size_t p = my->p;
    const double *mean = my->model->means + j * p;
    double *covariance = my->model->covariances + j * p * p;
    memset(covariance, 0, p * p * sizeof *covariance);
    for (size_t first = 0; first < my->n; first += ROWS) {
        const size_t rows = my->n - first < ROWS ? my->n - first : ROWS;
        const isg_matd centered = isg_matd_of(my->scratch, rows, p);
        for (size_t a = 0; a < rows; a++) {
            const double root = sqrt(my->weights[(first + a) * my->model->parts + j] / sum);
            for (size_t mu = 0; mu < p; mu++)
                my->scratch[a * p + mu] = root * (my->h[(first + a) * p + mu] - mean[mu]);
        }
        ISG_TRY(isg_matrix_multiply(isg_matd_of(my->product, p, p), isg_matd_const(centered),
                                    ISG_TRANSPOSED, isg_matd_const(centered), ISG_AS_IS));
        for (size_t i = 0; i < p * p; i++)
            covariance[i] += my->product[i];
    }
    return ISG_OK;
}

/* A part that has lost its samples keeps its Gaussian, with the least share. */
static isg_status maximize(mixing *my) {
    double all = 0;
    for (size_t j = 0; j < my->model->parts; j++) {
        const double sum = set_mean(my, j);
        if (sum >= 0.5)
            ISG_TRY(set_covariance(my, j, sum));
        all += my->model->shares[j] = fmax(sum, 0.5);
    }
    for (size_t j = 0; j < my->model->parts; j++)
        my->model->shares[j] /= all;
    return isg_deep_model_prepare(my->model);
}

/* ---- expectation ------------------------------------------------------------------------------------------ */

/* The weights, and the mean of ln sum_j share_j exp(E_q[ln p(lambda | j)]). */
static isg_status expect(mixing *my, double *mean) {
    const size_t parts = my->model->parts;
    isg_class_sums sums;
    isg_sum sum = {0};
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_class_sums_start(&sums, my->model, my->model->factors, my->model->logs));
    for (size_t first = 0; first < my->n; first += ISG_DEEP_ROWS) {
        const size_t left = my->n - first, rows = left < ISG_DEEP_ROWS ? left : ISG_DEEP_ROWS;
        double *terms = my->weights + first * parts;
        ISG_TRY_GOTO(isg_class_terms(
            &sums, (isg_matd_view){my->h + first * my->p, rows, my->p, my->p}, terms));
        for (size_t a = 0; a < rows; a++) {
            const double one = isg_log_sum_exp(terms + a * parts, parts);
            isg_sum_add(&sum, one);
            for (size_t j = 0; j < parts; j++)
                terms[a * parts + j] = isg_exp(terms[a * parts + j] - one);
        }
    }
    *mean = isg_sum_value(sum) / (double)my->n;
done:
    isg_class_sums_release(&sums);
    return status;
}

static isg_status fit_class(mixing *my, uint64_t seed, uint32_t class) {
    double before = -HUGE_VAL, now = 0;
    ISG_TRY(find_clusters(my, seed, class));
    ISG_TRY(maximize(my));
    for (size_t round = 0; round < MOST_ROUNDS; round++) {
        ISG_TRY(expect(my, &now));
        if (!(now - before > enough))
            return ISG_OK;
        before = now;
        ISG_TRY(maximize(my));
    }
    return ISG_OK;
}

/* ---- all classes ------------------------------------------------------------------------------------------ */

static void take(isg_deep_model *model, const mixing *my, size_t k, double share) {
    const size_t parts = model->parts, p = my->p, first = k * parts;
    for (size_t j = 0; j < parts; j++)
        model->shares[first + j] = share * my->model->shares[j];
    memcpy(model->means + first * p, my->model->means, parts * p * sizeof *model->means);
    memcpy(model->covariances + first * p * p, my->model->covariances,
           parts * p * p * sizeof *model->covariances);
}

isg_status isg_part_moments(isg_deep_model *model, const isg_dataset *data, const size_t *rows,
                            const size_t *starts, uint64_t seed, const isg_progress *progress) {
    const size_t all = starts[model->n_classes];
    for (size_t k = 0; k < model->n_classes; k++) {
        const size_t count = starts[k + 1] - starts[k];
        mixing my = {.n = 0};
        if (count < model->parts)
            return isg_fail(ISG_ERR_ARGUMENT,
                            "class '%s' has %zu sample%s for %zu Gaussians, apart from those held "
                            "out; ask for fewer Gaussians",
                            model->classes.names[k], count, count == 1 ? "" : "s", model->parts);
        isg_status status = start(&my, model->rbm, count, model->parts);
        if (status == ISG_OK)
            status = gather(&my, data, rows + starts[k]);
        if (status == ISG_OK)
            status = fit_class(&my, seed, (uint32_t)k);
        if (status == ISG_OK)
            take(model, &my, k, (double)count / (double)all);
        release(&my);
        ISG_TRY(status);
        if (progress && !progress->report(progress->user, (double)starts[k + 1] / (double)all))
            return isg_fail(ISG_ERR_CANCELLED, "fitting was cancelled");
    }
    return ISG_OK;
}
