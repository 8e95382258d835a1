/* deep_sample.c - independent samples: a class, hidden units from its Gaussian, spins from these
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <omp.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/threads.h"
#include "deep/deep.h"

/* lambda = mean + factor z, with factor factor^T = covariance + 1 / beta. */
static void draw_hidden(const isg_deep_model *model, size_t k, isg_cursor *random, double *z,
                        double *lambda) {
    const size_t p = model->rbm->info.n_hidden;
    const double *factor = model->factors + k * p * p, *mean = model->means + k * p;
    for (size_t mu = 0; mu < p; mu++)
        z[mu] = isg_next_normal(random);
    for (size_t mu = 0; mu < p; mu++) {
        lambda[mu] = mean[mu];
        for (size_t nu = 0; nu <= mu; nu++)
            lambda[mu] += factor[mu * p + nu] * z[nu];
    }
}

/* What the samples are made of. */
typedef struct drawing {
    const isg_deep_model *model;
    const double *cumulated; /* (n_parts) shares */
    size_t *classes;         /* (count) */
    bool has_classes;        /* whether they are given, or else to be drawn */
    double beta;
    uint64_t seed;
    isg_dataset *data;
    isg_matd lambda; /* data is NULL if not wanted */
} drawing;

/* Of any class, or of the one that is given. */
static size_t draw_part(const drawing *my, size_t a, isg_cursor *random) {
    const size_t parts = my->model->parts, first = my->classes[a] * parts;
    if (!my->has_classes)
        return isg_next_of(random, my->cumulated, my->model->n_parts);
    if (parts == 1)
        return first;
    const double before = first > 0 ? my->cumulated[first - 1] : 0;
    const double at =
        before + (my->cumulated[first + parts - 1] - before) * isg_next_uniform(random);
    size_t part = first;
    while (part + 1 < first + parts && my->cumulated[part] <= at)
        part++;
    return part;
}

/* `room` holds n + 2 p numbers. */
static void draw(const drawing *my, size_t a, double *room) {
    const isg_rbm *rbm = my->model->rbm;
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden;
    isg_cursor random = isg_cursor_at(isg_stream_at(my->seed, ISG_PURPOSE_DEEP, 0, (uint32_t)a));
    const size_t part = draw_part(my, a, &random);
    my->classes[a] = part / my->model->parts;
    double *lambda = my->lambda.data ? my->lambda.data + a * my->lambda.stride : room + n;
    draw_hidden(my->model, part, &random, room + n + p, lambda);
    isg_rbm_visible_input(rbm, lambda, room);
    isg_sample_spins(&random, n, my->beta, room, isg_dataset_spins(my->data, a));
}

static isg_status draw_all(const drawing *my, size_t count) {
    const size_t team = isg_team_for(count),
                 each = my->data->info.n_visible + 2 * my->model->rbm->info.n_hidden;
    double *rooms = NULL;
    ISG_TRY(ISG_ALLOCATE_MATRIX(rooms, team, each));
#pragma omp parallel for schedule(static) num_threads((int)team)
    for (size_t a = 0; a < count; a++)
        draw(my, a, rooms + (size_t)omp_get_thread_num() * each);
    isg_release(rooms);
    return ISG_OK;
}

static isg_status check(const isg_deep_model *model, const uint32_t *classes, size_t count,
                        double beta, isg_matd lambda) {
    const size_t p = model->rbm->info.n_hidden;
    if (count == 0 || count > UINT32_MAX)
        return isg_fail(ISG_ERR_ARGUMENT, "count: expected a number from 1 to %lu, found %zu",
                        (unsigned long)UINT32_MAX, count);
    if (!(beta >= 0))
        return isg_fail(ISG_ERR_ARGUMENT,
                        "beta: expected a positive number, or 0 for the model's, "
                        "found %g",
                        beta);
    for (size_t a = 0; classes && a < count; a++)
        if (classes[a] >= model->n_classes)
            return isg_fail(ISG_ERR_ARGUMENT, "classes: expected numbers below %zu, found %lu",
                            model->n_classes, (unsigned long)classes[a]);
    if (lambda.data && (lambda.rows != count || lambda.cols != p || lambda.stride < p))
        return isg_fail(ISG_ERR_SHAPE, "expected room for %zu x %zu hidden units, found %zu x %zu",
                        count, p, lambda.rows, lambda.cols);
    return ISG_OK;
}

/* An empty data set for `count` samples of this model. */
static isg_status make_room(isg_dataset **out, const isg_deep_model *model, size_t count) {
    const isg_rbm_info info = model->rbm->info;
    isg_dataset *data = NULL;
    ISG_TRY(isg_dataset_new(&data));
    data->info.n_samples = count;
    data->info.n_visible = info.n_visible;
    data->info.image_height = info.image_height;
    data->info.image_width = info.image_width;
    data->words = isg_words(info.n_visible);
    const isg_status status = ISG_ALLOCATE_MATRIX(data->spins, count, data->words);
    if (status == ISG_OK)
        *out = data;
    else
        isg_dataset_free(data);
    return status;
}

isg_status isg_deep_model_sample(isg_dataset **out, const isg_deep_model *model,
                                 const uint32_t *classes, size_t count, double beta, uint64_t seed,
                                 isg_matd lambda) {
    drawing my = {.model = model,
                  .beta = beta > 0 ? beta : model->rbm->info.beta,
                  .seed = seed,
                  .lambda = lambda};
    double *cumulated = NULL, sum = 0;
    isg_status status = ISG_OK;
    ISG_TRY(check(model, classes, count, beta, lambda));
    ISG_TRY_GOTO(make_room(&my.data, model, count));
    ISG_TRY_GOTO(ISG_ALLOCATE(my.classes, count));
    ISG_TRY_GOTO(ISG_ALLOCATE(cumulated, model->n_parts));
    for (size_t k = 0; k < model->n_parts; k++)
        cumulated[k] = sum += model->shares[k];
    for (size_t a = 0; classes && a < count; a++)
        my.classes[a] = classes[a];
    my.cumulated = cumulated;
    my.has_classes = classes != NULL;
    ISG_TRY_GOTO(draw_all(&my, count));
    ISG_TRY_GOTO(isg_labels_take(&my.data->labels, &model->classes, my.classes, count));
    ISG_TRY_GOTO(isg_dataset_count_classes(my.data));
    *out = my.data;
    my.data = NULL;
done:
    isg_dataset_free(my.data);
    isg_release(my.classes);
    isg_release(cumulated);
    return status;
}
