/* stiff.c - spins that sweeps hardly ever flip
 *
 * SPDX-License-Identifier: MIT
 */
#include "log_z/stiff.h"

#include "base/bits.h"
#include "base/elementary.h"
#include "base/memory.h"
#include "base/rng.h"

/* beta |w_i|^2 of a spin that is stiff. Without any other field, a sweep flips one in ten spins at 2, one
   in sixty at 5, one in a thousand at 10. */
static const double stiffness = 2;

isg_status isg_stiff_find(isg_stiff *out, const isg_spin_model *model) {
    const size_t p = model->p;
    *out = (isg_stiff){.model = model};
    ISG_TRY(ISG_ALLOCATE(out->units, model->n));
    ISG_TRY(ISG_ALLOCATE(out->squares, model->n));
    for (size_t i = 0; i < model->n; i++) {
        const double *row = model->weights + i * p;
        const double square = isg_kernels_get()->dot(p, row, row);
        if (model->beta * square > stiffness) {
            out->units[out->count] = i;
            out->squares[out->count++] = square;
        }
    }
    return ISG_OK;
}

void isg_stiff_release(isg_stiff *stiff) {
    isg_release(stiff->units);
    isg_release(stiff->squares);
    *stiff = (isg_stiff){.count = 0};
}

static void add_flip(const isg_spin_model *model, size_t i, double change, double *h) {
    isg_kernels_get()->add_multiple(model->p, change, model->weights + i * model->p, h);
}

void isg_stiff_draw(const isg_stiff *stiff, const isg_anneal *a, isg_anneal_group *g, size_t k,
                    uint64_t step, double *h, isg_may_be *may_be, const void *user) {
    const isg_spin_model *model = stiff->model;
    const isg_gibbs_weights *w = &a->w;
    uint64_t *spins = g->spins + k * w->words;
    int32_t *input = g->input + k * w->stride;
    isg_cursor random =
        isg_cursor_at(isg_stream_at(a->seed, ISG_PURPOSE_STIFF, step, (uint32_t)(g->first + k)));
    bool has_changed = false;
    for (size_t mu = 0; mu < model->p; mu++)
        h[mu] = (double)input[mu] * (double)w->unit;
    for (size_t q = 0; q < stiff->count; q++) {
        const size_t i = stiff->units[q];
        const double s = isg_spin(spins, i);
        const double x = model->field[i] - s * stiff->squares[q] +
                         isg_kernels_get()->dot(model->p, model->weights + i * model->p, h);
        const bool is_up = isg_next_uniform(&random) * (1 + isg_exp(-2 * model->beta * x)) < 1;
        if (is_up == (s > 0))
            continue;
        add_flip(model, i, -2 * s, h);
        if (may_be && !may_be(user, h)) {
            add_flip(model, i, 2 * s, h);
            continue;
        }
        isg_bit_assign(spins, i, is_up);
        has_changed = true;
    }
    if (has_changed)
        a->kernels->hidden_input(w, 1, spins, input);
}
