/* logistic.h - what the files of logistic regression share
 *
 * SPDX-License-Identifier: MIT
 *
 * The intercept is not penalized, so shifting a feature changes only the intercept, and scaling it
 * only its share of the penalty. So the search always works on centered features z, scaled so that
 * the curvature of f is at most about 1 along each, whatever the scale of the penalty, plus one
 * constant feature, 1:
 *
 *     theta (n_classes, width), width = n_features + 1
 *     f(theta) = 1/M sum_a -w_a ln p(y_a | z_a) + 1/2 sum_kj penalty_j theta_kj^2
 *
 * with weights w that depend on the class, and sum to M.
 */
#ifndef ISG_LOGISTIC_H
#define ISG_LOGISTIC_H

#include "base/lanes.h"
#include "base/matrix.h"
#include "base/status.h"
#include "classify/classify.h"

/* Within these bounds, no product below overflows. */
#define ISG_LOGISTIC_LARGEST  1e100
#define ISG_LOGISTIC_SMALLEST 1e-50

static inline double isg_logistic_dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* ---- The loss and its derivatives -------------------------------------------------------------- */

/* Samples in panels of ISG_LANES, side by side; the last panel is padded with zeros, which add
   nothing. Threads own chunks of panels, whose number depends only on the problem. */
typedef struct isg_logistic_loss {
    size_t n_samples, n_classes, width, n_panels, n_chunks;
    const uint32_t *labels; /* borrowed */
    const double *weights;  /* (n_classes): of a sample, by its class; borrowed */
    double *panels;         /* (n_panels, width, ISG_LANES) */
    double *penalty;        /* (width): curvature of the penalty, 0 for the intercept */
    double *probabilities; /* (n_panels, n_classes, ISG_LANES), where the loss was last evaluated */
    double *residuals;     /* (n_chunks, n_classes, ISG_LANES) */
    isg_pair *sums;        /* (n_chunks, n_classes, width) */
    double *losses;        /* (n_chunks) */
} isg_logistic_loss;

/* Copies the features (M, width - 1), minus their means and divided by `scales`; the penalty stays
   0. */
isg_status isg_logistic_loss_create(isg_logistic_loss *loss, isg_matd_view features,
                                    const uint32_t *labels, size_t n_classes, const double *weights,
                                    const double *means, const double *scales);
void isg_logistic_loss_release(isg_logistic_loss *loss);

/* f and its gradient at theta, both (n_classes, width). */
double isg_logistic_loss_at(isg_logistic_loss *loss, const double *theta, double *gradient);

/* out = H direction, with the second derivatives where the loss was last evaluated. */
void isg_logistic_loss_curve(isg_logistic_loss *loss, const double *direction, double *out);

/* 1/2 sum penalty theta^2 */
double isg_logistic_loss_penalty(const isg_logistic_loss *loss, const double *theta);

/* Lanes in memory, read in place: copies would not stay in registers. */
typedef double isg_lane_pair __attribute__((vector_size(16), may_alias));

/* out[j] += sum_q w[q] y[q] x[j][q] for j < n, on both halves of the pairs, with w, y (ISG_LANES)
   and x (n, ISG_LANES). */
static inline void isg_add_products(isg_pair *out, const double *w, const double *y,
                                    const double *x, size_t n) {
    const isg_lane_pair *a = (const isg_lane_pair *)w, *b = (const isg_lane_pair *)y;
    const isg_pair c0 = a[0] * b[0], c1 = a[1] * b[1], c2 = a[2] * b[2], c3 = a[3] * b[3];
    const isg_pair c4 = a[4] * b[4], c5 = a[5] * b[5], c6 = a[6] * b[6], c7 = a[7] * b[7];
    for (size_t j = 0; j < n; j++) {
        const isg_lane_pair *z = (const isg_lane_pair *)(x + j * ISG_LANES);
        out[j] += ((c0 * z[0] + c1 * z[1]) + (c2 * z[2] + c3 * z[3])) +
                  ((c4 * z[4] + c5 * z[5]) + (c6 * z[6] + c7 * z[7]));
    }
}

/* ---- The search ---------------------------------------------------------------------------------- */

typedef struct isg_logistic_search {
    isg_logistic_loss loss;
    const isg_logistic_options *options;
    const isg_progress *progress; /* may be NULL */
    double *weights;              /* (n_classes), of the loss */
    double *theta, *gradient;     /* (n_classes, width); the classes of theta sum to zero */
    double value;                 /* f(theta) */
    double first;                 /* the largest entry of the first gradient, for the progress */
    isg_logistic_report report;
} isg_logistic_search;

isg_status isg_logistic_newton(isg_logistic_search *search);
isg_status isg_logistic_lbfgs(isg_logistic_search *search);

/* Goes from near a minimum to within the tolerance by conjugate gradients, or finds that there is
   no minimum. */
isg_status isg_logistic_polish(isg_logistic_search *search);

/* f and gradient at theta; the report gets the largest entry. */
void isg_logistic_evaluate(isg_logistic_search *search);

/* Subtracts the mean over the classes, on which no probability depends. */
void isg_logistic_center(double *theta, size_t n_classes, size_t width);

double isg_logistic_largest(const double *x, size_t n);

/* Counts an iteration and reports progress. */
isg_status isg_logistic_step_done(isg_logistic_search *search);

/* Whether to stop; if so, fills in the report. `change` is the last full step relative to theta. If
   the classes can be separated, the gradient vanishes while every Newton step still changes the
   scores by about one, so a small gradient alone proves nothing. */
bool isg_logistic_is_over(isg_logistic_search *search, double change);

/* Stops if no step helps: converged if the gradient is small and there is a minimum. */
void isg_logistic_give_up(isg_logistic_search *search);

#endif
