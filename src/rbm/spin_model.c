/* spin_model.c - the spins of an RBM alone, with the hidden field moved to them
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "base/memory.h"
#include "rbm/rbm.h"

static bool all_finite(const double *values, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (!isfinite(values[k]))
            return false;
    return true;
}

static isg_status check_finite(const isg_rbm *rbm) {
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden;
    return all_finite(rbm->weights, n * p) && all_finite(rbm->b, n) && all_finite(rbm->c, p)
               ? ISG_OK
               : isg_fail(ISG_ERR_DIVERGED, "ln Z: a weight or field is not finite");
}

static void fill(isg_spin_model *model, const isg_rbm *rbm, double *field) {
    isg_rbm_visible_input(rbm, rbm->c, field);
    *model = (isg_spin_model){rbm->info.n_visible, rbm->info.n_hidden, rbm->info.beta, rbm->weights,
                              field};
}

isg_status isg_spin_model_start(isg_spin_model *model, const isg_rbm *rbm) {
    double *field = NULL;
    ISG_TRY(check_finite(rbm));
    ISG_TRY(ISG_ALLOCATE(field, rbm->info.n_visible));
    fill(model, rbm, field);
    return ISG_OK;
}

isg_status isg_spin_model_set(isg_spin_model *model, const isg_rbm *rbm) {
    ISG_TRY(check_finite(rbm));
    fill(model, rbm, model->field);
    return ISG_OK;
}

double isg_spin_model_exponent(const isg_spin_model *model, double field_sum, const double *input) {
    double square = 0;
    for (size_t mu = 0; mu < model->p; mu++)
        square += input[mu] * input[mu];
    return model->beta * (field_sum + square / 2);
}
