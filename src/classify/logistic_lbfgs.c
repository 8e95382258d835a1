/* logistic_lbfgs.c - logistic regression by L-BFGS, and the last digits by conjugate gradients
 *
 * SPDX-License-Identifier: MIT
 *
 * A line search compares values of f, which are equal to the last bit within about 1e-8 of the
 * minimum, so L-BFGS stops there. From then on Newton steps, H step = -gradient solved by conjugate
 * gradients, are judged by the gradient alone, which resolves further digits.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/minimize.h"
#include "classify/logistic.h"

/* How accurately the equation for a step is solved: each step should gain this factor. If the step
   has to tell whether there is a minimum, it must not miss directions in which f is nearly flat. */
static const double SOLVED = 0.05, SOLVED_WITHOUT_PENALTY = 1e-6;

enum { MOST_PRODUCTS = 1000, MOST_HALVINGS = 6 };

/* ---- Conjugate gradients ------------------------------------------------------------------------ */

typedef struct polish {
    isg_logistic_search *search;
    size_t size;
    double *step, *residual, *direction, *curved, *start; /* (size) */
} polish;

static isg_status solve(polish *work) {
    isg_logistic_search *search = work->search;
    const size_t size = work->size;
    memset(work->step, 0, size * sizeof *work->step);
    for (size_t i = 0; i < size; i++)
        work->direction[i] = work->residual[i] = -search->gradient[i];
    double square = isg_logistic_dot(work->residual, work->residual, size);
    const double part = search->options->l2 > 0 ? SOLVED : SOLVED_WITHOUT_PENALTY;
    const double enough = part * part * square;
    for (int product = 0; product < MOST_PRODUCTS && square > enough &&
                          search->report.iterations < search->options->max_iterations;
         product++) {
        isg_logistic_loss_curve(&search->loss, work->direction, work->curved);
        const double bend = isg_logistic_dot(work->direction, work->curved, size);
        if (!(bend > 0))
            break;
        const double length = square / bend, before = square;
        for (size_t i = 0; i < size; i++) {
            work->step[i] += length * work->direction[i];
            work->residual[i] -= length * work->curved[i];
        }
        square = isg_logistic_dot(work->residual, work->residual, size);
        for (size_t i = 0; i < size; i++)
            work->direction[i] = work->residual[i] + square / before * work->direction[i];
        ISG_TRY(isg_logistic_step_done(search));
    }
    isg_logistic_center(work->step, search->loss.n_classes, search->loss.width);
    return ISG_OK;
}

/* Halves the step until the gradient falls; false, with theta unchanged, if it never does. */
static bool take_step(polish *work) {
    isg_logistic_search *search = work->search;
    const double before = search->report.gradient;
    memcpy(work->start, search->theta, work->size * sizeof *work->start);
    double part = 1;
    for (int halving = 0; halving < MOST_HALVINGS; halving++, part /= 2) {
        for (size_t i = 0; i < work->size; i++)
            search->theta[i] = work->start[i] + part * work->step[i];
        isg_logistic_evaluate(search);
        if (search->report.gradient < before || before == 0)
            return true;
    }
    memcpy(search->theta, work->start, work->size * sizeof *work->start);
    isg_logistic_evaluate(search);
    return false;
}

/* With a penalty there is a minimum, and the gradient says how near; else the steps must tell. */
static isg_status polish_off(polish *work) {
    isg_logistic_search *search = work->search;
    const bool has_minimum = search->options->l2 > 0;
    double change = has_minimum ? 0 : HUGE_VAL;
    while (!isg_logistic_is_over(search, change)) {
        ISG_TRY(solve(work));
        if (!has_minimum)
            change = isg_logistic_largest(work->step, work->size) /
                     (1 + isg_logistic_largest(search->theta, work->size));
        if (!take_step(work) && !isg_logistic_is_over(search, change)) {
            isg_logistic_give_up(search);
            return ISG_OK;
        }
    }
    return ISG_OK;
}

isg_status isg_logistic_polish(isg_logistic_search *search) {
    const size_t n_classes = search->loss.n_classes, width = search->loss.width;
    polish work = {.search = search, .size = n_classes * width};
    isg_status status = ISG_OK;
    double **const vectors[] = {&work.step, &work.residual, &work.direction, &work.curved,
                                &work.start};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(*vectors[i], n_classes, width));
    ISG_TRY_GOTO(polish_off(&work));
done:
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        isg_release(*vectors[i]);
    return status;
}

/* ---- L-BFGS --------------------------------------------------------------------------------------- */

typedef struct lbfgs_user {
    isg_logistic_search *search;
    double value; /* after the last iteration */
    isg_status status;
} lbfgs_user;

static double evaluate(void *user, const double *x, double *gradient) {
    const lbfgs_user *u = user;
    return isg_logistic_loss_at(&u->search->loss, x, gradient);
}

static bool go_on(void *user, const double *x, const double *gradient, double value) {
    lbfgs_user *u = user;
    isg_logistic_report *report = &u->search->report;
    (void)x;
    report->gradient =
        isg_logistic_largest(gradient, u->search->loss.n_classes * u->search->loss.width);
    const bool is_flat = u->value - value <= 8 * DBL_EPSILON * fabs(value);
    u->value = value;
    u->status = isg_logistic_step_done(u->search);
    return u->status == ISG_OK && !is_flat && report->gradient > u->search->options->tolerance;
}

/* How the line search ended does not matter: the gradient tells what remains to be done. */
isg_status isg_logistic_lbfgs(isg_logistic_search *search) {
    const size_t n_classes = search->loss.n_classes, width = search->loss.width;
    const isg_logistic_options *options = search->options;
    lbfgs_user user = {search, search->value, ISG_OK};
    const isg_smooth function = {evaluate, go_on, &user};
    isg_minimize_end end = ISG_MINIMIZE_STOPPED;
    if (search->report.gradient > options->tolerance)
        ISG_TRY(isg_minimize(n_classes * width, search->theta, &function, options->max_iterations,
                             &end));
    ISG_TRY(user.status);
    isg_logistic_center(search->theta, n_classes, width);
    isg_logistic_evaluate(search);
    return isg_logistic_polish(search);
}
