/* class_moments.c - mean and covariance of the hidden units of every class
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress_part.h"
#include "deep/deep.h"
#include "linalg/linalg.h"

enum { ROWS = 4096 }; /* whose hidden units are held at a time */

/* Room for the samples of a class, a few at a time. */
typedef struct gathering {
    const isg_rbm *rbm;
    const isg_dataset *data;
    uint64_t *spins; /* (ROWS, words) */
    double *h;       /* (ROWS, p) */
    double *product; /* (p, p) */
    const isg_progress *progress;
    size_t done, all;
} gathering;

static void release(gathering *my) {
    isg_release(my->spins);
    isg_release(my->h);
    isg_release(my->product);
}

/* h of these rows of the data. */
static isg_status gather(gathering *my, const size_t *rows, size_t count) {
    const size_t words = my->data->words;
    for (size_t a = 0; a < count; a++)
        memcpy(my->spins + a * words, isg_dataset_spins(my->data, rows[a]),
               words * sizeof *my->spins);
    ISG_TRY(isg_spin_product(isg_matd_of(my->h, count, my->rbm->info.n_hidden), my->spins,
                             isg_rbm_view(my->rbm), my->rbm->c, NULL));
    my->done += count;
    if (my->progress &&
        !my->progress->report(my->progress->user, (double)my->done / (double)my->all))
        return isg_fail(ISG_ERR_CANCELLED, "fitting was cancelled");
    return ISG_OK;
}

static isg_status find_mean(gathering *my, double *mean, const size_t *rows, size_t count) {
    const size_t p = my->rbm->info.n_hidden;
    for (size_t first = 0; first < count; first += ROWS) {
        const size_t some = count - first < ROWS ? count - first : ROWS;
        ISG_TRY(gather(my, rows + first, some));
        for (size_t a = 0; a < some; a++)
            for (size_t mu = 0; mu < p; mu++)
                mean[mu] += my->h[a * p + mu];
    }
    for (size_t mu = 0; mu < p; mu++)
        mean[mu] /= (double)count;
    return ISG_OK;
}

static isg_status find_covariance(gathering *my, double *covariance, const double *mean,
                                  const size_t *rows, size_t count) {
    const size_t p = my->rbm->info.n_hidden;
    for (size_t first = 0; first < count; first += ROWS) {
        const size_t some = count - first < ROWS ? count - first : ROWS;
        const isg_matd h = isg_matd_of(my->h, some, p);
        ISG_TRY(gather(my, rows + first, some));
        for (size_t a = 0; a < some; a++)
            for (size_t mu = 0; mu < p; mu++)
                my->h[a * p + mu] -= mean[mu];
        ISG_TRY(isg_matrix_multiply(isg_matd_of(my->product, p, p), isg_matd_const(h),
                                    ISG_TRANSPOSED, isg_matd_const(h), ISG_AS_IS));
        for (size_t i = 0; i < p * p; i++)
            covariance[i] += my->product[i] / (double)count;
    }
    return ISG_OK;
}

isg_status isg_class_moments(isg_deep_model *model, const isg_dataset *data, const size_t *rows,
                             const size_t *starts, const isg_progress *progress) {
    const size_t p = model->rbm->info.n_hidden, n_classes = model->n_classes;
    gathering my = {.rbm = model->rbm,
                    .data = data,
                    .progress = progress,
                    .all = 2 * (starts[n_classes] - starts[0])};
    isg_status status = ISG_OK;
    memset(model->means, 0, n_classes * p * sizeof *model->means);
    memset(model->covariances, 0, n_classes * p * p * sizeof *model->covariances);
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(my.spins, ROWS, data->words));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(my.h, ROWS, p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(my.product, p, p));
    for (size_t k = 0; k < n_classes; k++) {
        const size_t *members = rows + starts[k], count = starts[k + 1] - starts[k];
        double *mean = model->means + k * p;
        ISG_TRY_GOTO(find_mean(&my, mean, members, count));
        ISG_TRY_GOTO(find_covariance(&my, model->covariances + k * p * p, mean, members, count));
        model->shares[k] = 2 * (double)count / (double)my.all;
    }
    for (size_t i = 0; i < n_classes * p; i++)
        if (!isfinite(model->means[i]))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_DIVERGED, "a weight or field of the RBM is not finite"));
done:
    release(&my);
    return status;
}
