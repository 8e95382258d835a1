/* isinglass/rbm.h - spins and Gaussian hidden units
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_RBM_H
#define ISINGLASS_RBM_H

#include "isinglass/patterns.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Restricted Boltzmann machines ----------------------------------------------------------- */

/* Spins s (n_visible) and Gaussian hidden units lambda (n_hidden) at inverse temperature beta:
       H(s, lambda) = |lambda - c|^2 / 2 - b.s - s^T W lambda
   Spins are packed, as in isg_dataset_row(). */
typedef struct isg_rbm isg_rbm;

typedef struct isg_rbm_info {
    size_t n_visible;
    size_t n_hidden;
    double beta;
    size_t image_height; /* 0 if the visible units are not an image */
    size_t image_width;
} isg_rbm_info;

/* All weights and fields zero. */
ISG_API isg_status isg_rbm_create(isg_rbm **out, size_t n_visible, size_t n_hidden, double beta);
ISG_API void isg_rbm_free(isg_rbm *rbm); /* NULL is fine */

/* A copy of all that it has: weights and fields, image shape, encoding, patterns and R. */
ISG_API isg_status isg_rbm_copy(isg_rbm **out, const isg_rbm *rbm);
ISG_API isg_rbm_info isg_rbm_describe(const isg_rbm *rbm);

/* Sets the inverse temperature; ISG_ERR_ARGUMENT unless it lies between 1e-30 and 1e30. Sets the
   image shape of the visible units; ISG_ERR_SHAPE unless it has n_visible pixels. */
ISG_API isg_status isg_rbm_set_beta(isg_rbm *rbm, double beta);
ISG_API isg_status isg_rbm_set_image(isg_rbm *rbm, size_t height, size_t width);

ISG_API isg_matd isg_rbm_weights(isg_rbm *rbm);      /* W (n_visible, n_hidden), writable */
ISG_API double *isg_rbm_visible_field(isg_rbm *rbm); /* b (n_visible) */
ISG_API double *isg_rbm_hidden_field(isg_rbm *rbm);  /* c (n_hidden) */
ISG_API const isg_patterns *isg_rbm_patterns(const isg_rbm *rbm); /* it was made from, or NULL */

/* How the data it was made from became spins, and the names of the units; NULL if unknown. Whoever
   trains an RBM on data of another encoding sets it. ISG_ERR_SHAPE unless it has n_visible units. */
ISG_API const isg_encoding *isg_rbm_encoding(const isg_rbm *rbm);
ISG_API isg_status isg_rbm_set_encoding(isg_rbm *rbm, const isg_encoding *encoding);

/* h = W^T s + c, the mean of lambda given s (its variance is 1 / beta). */
ISG_API void isg_rbm_hidden_input(const isg_rbm *rbm, const uint64_t *spins, double *h);

/* The same for all samples: h (n_samples, n_hidden), up to rounding, and the energies H(s) below
   (n_samples), unless NULL. ISG_ERR_SHAPE if the units disagree. `progress` may be NULL. */
ISG_API isg_status isg_rbm_transform(const isg_rbm *rbm, const isg_dataset *data, isg_matd h,
                                     double *energies, const isg_progress *progress);

/* The mean share of a sample that lies in the span of W, tr(P C) / N with the projector P on that span
   and C = <s s^T>: for orthonormal W, the log-likelihood is beta N / 2 times that, minus ln Z.
   ISG_ERR_SHAPE if the units disagree, ISG_ERR_ARGUMENT if a weight is not finite. `progress` may
   be NULL. */
ISG_API isg_status isg_rbm_capture(const isg_rbm *rbm, const isg_dataset *data, double *out,
                                   const isg_progress *progress);

/* A building block: x = W lambda + b; spin i is +1 with probability 1 / (1 + exp(-2 beta x_i)). */
ISG_API void isg_rbm_visible_input(const isg_rbm *rbm, const double *lambda, double *x);

/* H(s, lambda); H(s) = -b.s - |W^T s + c|^2 / 2 + |c|^2 / 2, with lambda integrated out; and
   F0(lambda) = |lambda - c|^2 / 2 - sum_i ln cosh(beta x_i) / beta, with s summed out, and its
   gradient (n_hidden). */
ISG_API double isg_rbm_energy(const isg_rbm *rbm, const uint64_t *spins, const double *lambda);
ISG_API isg_status isg_rbm_spin_energy(const isg_rbm *rbm, const uint64_t *spins, double *out);
ISG_API double isg_rbm_free_energy(const isg_rbm *rbm, const double *lambda);
ISG_API void isg_rbm_free_energy_gradient(const isg_rbm *rbm, const double *lambda,
                                          double *gradient);

/* A .npz with W (N, p), b (N), c (p), beta and, where known, xi, labels and R; `command` is
   recorded in its meta.json. Loading restores every bit. Files written by other programs need only
   W and beta; a number that is not finite is refused, and the message says where it is. */
ISG_API isg_status isg_rbm_save(const isg_rbm *rbm, const char *path, uint64_t seed,
                                const char *command);
ISG_API isg_status isg_rbm_load(isg_rbm **out, const char *path);

/* The same in memory: the bytes of that very file, to be released by isg_bytes_free(). `name` begins
   error sentences [NULL: "bytes"]. */
ISG_API isg_status isg_rbm_to_bytes(const isg_rbm *rbm, uint64_t seed, const char *command,
                                    void **bytes, size_t *size);
ISG_API isg_status isg_rbm_from_bytes(isg_rbm **out, const char *name, const void *bytes,
                                      size_t size);

#ifdef __cplusplus
}
#endif

#endif
