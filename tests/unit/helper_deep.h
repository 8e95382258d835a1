/* helper_deep.h - small deep models, and what they mean by their definition
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef HELPER_DEEP_H
#define HELPER_DEEP_H

#include "deep/deep.h"

enum { DEEP_UNITS = 6, DEEP_HIDDEN = 2, DEEP_CLASSES = 3, DEEP_SAMPLES = 90, DEEP_FEW = 4 };

/* Three classes of noisy states of an RBM with normal weights of this strength and both fields. */
isg_rbm *deep_rbm(double beta, double strength);
isg_dataset *deep_data(void);

/* A few of them, of all classes. */
isg_dataset *deep_few(const isg_dataset *data);

/* Fitted to them at the RBM's beta. */
isg_deep_model *deep_fit(const isg_rbm *rbm, const isg_dataset *data, double shrinkage);
isg_deep_model *deep_fit_parts(const isg_rbm *rbm, const isg_dataset *data, double shrinkage,
                               size_t parts);

/* Every state of the units once, without labels. */
isg_dataset *deep_states(size_t n_visible);

/* ln Normal(lambda; mean, covariance + plus) for two hidden units. */
double deep_log_normal(const double lambda[2], const double mean[2], const double covariance[4],
                       double plus);

/* ln p(s | lambda) */
double deep_log_spins(isg_rbm *rbm, const uint64_t *spins, const double *lambda);

/* The integral of a function of lambda over the plane, where it is not negligible: within 18 of 0. */
typedef double deep_function(const double lambda[2], const void *user);
double deep_integral(deep_function *f, const void *user);

/* ln p(s) by integration over lambda. */
double deep_log_p(const isg_deep_model *model, const uint64_t *spins);

#endif
