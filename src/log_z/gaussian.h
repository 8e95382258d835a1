/* gaussian.h - Gaussians of lambda, fitted to where Gibbs chains go
 *
 * SPDX-License-Identifier: MIT
 *
 * Given the spins, delta = lambda - c is Normal(h, 1 / beta) with h = W^T s. So a Gaussian that fits
 * delta has the mean of h and 1 / beta more than the covariance of h: fitted to h, it has less
 * noise, no precision beyond beta, and always a positive one.
 */
#ifndef ISG_GAUSSIAN_H
#define ISG_GAUSSIAN_H

#include "base/lanes.h"
#include "base/matrix.h"
#include "base/status.h"

typedef struct isg_gaussian {
    size_t p;
    double *mean;     /* (p) */
    double *factor;   /* (p, p), lower triangle: the precision is factor factor^T */
    double *whitened; /* (p): factor^T mean */
    double log_root;  /* ln sqrt(det precision) */
    double stiffness; /* no eigenvalue of the precision is smaller */
    bool has_mirror;  /* whether it stands for itself and its mirror image at -mean, half each */
} isg_gaussian;

/* Mean zero and precision zero. Release with isg_gaussian_release(), after a failure too. */
isg_status isg_gaussian_create(isg_gaussian *out, size_t p);
void isg_gaussian_release(isg_gaussian *gaussian);

/* From a mean (p) and a precision (p, p) with this smallest eigenvalue. */
isg_status isg_gaussian_set(isg_gaussian *gaussian, const double *mean, isg_matd_view precision,
                            double stiffness);

/* The squared distances of delta (p, ISG_LANES) from the mean and from -mean, in standard deviations
   and, in the second form, in units of delta. */
void isg_gaussian_distances(const isg_gaussian *gaussian, const double *delta,
                            double here[ISG_LANES], double there[ISG_LANES]);
void isg_gaussian_plain_distances(const isg_gaussian *gaussian, const double *delta,
                                  double here[ISG_LANES], double there[ISG_LANES]);

/* offset (p), standard normals, becomes a draw of the Gaussian less its mean. */
void isg_gaussian_shape(const isg_gaussian *gaussian, double *offset);

/* Sums over h (p). */
typedef struct isg_moments {
    double count;
    double *sum;     /* (p) */
    double *squares; /* (p, p), lower triangle */
} isg_moments;

void isg_moments_add(isg_moments *moments, size_t p, const double *h);

/* Moves the Gaussian to what the moments say, as if `prior` more h had been seen that say what it
   is now. A mean of zero stays if `is_centered`. */
isg_status isg_gaussian_fit(isg_gaussian *gaussian, const isg_moments *moments, double beta,
                            double prior, bool is_centered);

#endif
