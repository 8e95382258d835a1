/* deep.h - what is inside an isg_deep_model, and the integrals over lambda that it needs
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_DEEP_H
#define ISG_DEEP_H

#include "base/lanes.h"
#include "base/matrix.h"
#include "data/data.h"
#include "isinglass/deep.h"
#include "rbm/rbm.h"

struct isg_deep_model {
    isg_rbm *rbm; /* owned; its beta is that of the model */
    double rbm_beta, shrinkage;
    isg_shrink toward;
    isg_labels classes; /* one label for each */
    size_t n_classes;
    size_t parts;        /* Gaussians per class: part j of class k is number k parts + j */
    size_t n_parts;      /* of all classes */
    double *shares;      /* (n_parts) */
    double *means;       /* (n_parts, p) */
    double *covariances; /* (n_parts, p, p) of h = W^T s + c */
    /* What follows from these: */
    double *factors; /* (n_parts, p, p): lower triangles, factor factor^T = covariance + 1 / beta */
    double *logs;    /* (n_parts): E_q[ln p(lambda, part)] where h is the mean */
    isg_deep_trial *trials;
    size_t n_trials;
};

/* That of a part. */
static inline isg_matd isg_part_matrix(double *matrices, size_t p, size_t k) {
    return isg_matd_of(matrices + k * p * p, p, p);
}

/* With a copy of the RBM and room for the classes, whose names are the caller's to set. */
isg_status isg_deep_model_create(isg_deep_model **out, const isg_rbm *rbm, size_t n_classes,
                                 size_t parts);

/* Computes what follows from shares, means, covariances and beta. ISG_ERR_ARGUMENT if a covariance
   plus 1 / beta is not positive definite, ISG_ERR_DIVERGED if a number is not finite. */
isg_status isg_deep_model_prepare(isg_deep_model *model);

/* ---- Sums over classes ---------------------------------------------------------------------------- */

/* Shares, means and covariances of W^T s + c over the samples of every class: rows (starts[n_classes]) of
   the data, of which rows[starts[k]] to before rows[starts[k + 1]] are class k, all with some. */
isg_status isg_class_moments(isg_deep_model *model, const isg_dataset *data, const size_t *rows,
                             const size_t *starts, const isg_progress *progress);

/* The same for the parts of every class, which are a mixture that is fitted to it at the beta of the
   model. ISG_ERR_ARGUMENT for a class with fewer samples than parts. */
isg_status isg_part_moments(isg_deep_model *model, const isg_dataset *data, const size_t *rows,
                            const size_t *starts, uint64_t seed, const isg_progress *progress);

/* A model with so many parts per class and the moments of the data, not shrunk, at this beta; the rest is
   still to be prepared. */
isg_status isg_deep_moments(isg_deep_model **out, const isg_rbm *rbm, const isg_dataset *data,
                            const isg_deep_options *options, size_t parts, double beta,
                            const isg_progress *progress);

/* Sets the covariances of `model` to those of `raw` (which it may be), shrunk. */
isg_status isg_deep_shrink(isg_deep_model *model, const isg_deep_model *raw, double shrinkage,
                           isg_shrink toward);

/* What was tried; `best` is the first with the largest bound. */
typedef struct isg_deep_trials {
    isg_deep_trial *list; /* (count), the caller's to release, after a failure too */
    size_t count, capacity, best;
} isg_deep_trials;

/* Fits the candidates to one part of the data and tries them on the other. */
isg_status isg_deep_choose(isg_deep_trials *trials, const isg_rbm *rbm, const isg_dataset *data,
                           const isg_deep_options *options, const isg_progress *progress);

/* Gaussians as isg_class_terms() reads them. */
typedef struct isg_class_sums {
    size_t n_parts, p;
    const double *means; /* (n_parts, p) */
    double *inverses;    /* (n_parts, p, p): of the factors, lower triangles */
    const double *logs;  /* (n_parts) */
    double *centered;    /* (ISG_DEEP_ROWS, p), and as many numbers for the products */
} isg_class_sums;

/* How many samples are looked at together. */
enum { ISG_DEEP_ROWS = 256 };

/* factors (n_parts, p, p) and logs (n_parts) are borrowed. Release after a failure too. */
isg_status isg_class_sums_start(isg_class_sums *out, const isg_deep_model *model,
                                const double *factors, const double *logs);
void isg_class_sums_release(isg_class_sums *sums);

/* terms (rows, n_parts): logs_k - |factor_k^-1 (h - mean_k)|^2 / 2 for h (rows, p), at most
   ISG_DEEP_ROWS. */
isg_status isg_class_terms(isg_class_sums *sums, isg_matd_view h, double *terms);

/* ---- E_q[ln p(s | lambda)] -------------------------------------------------------------------------- */

/* The sum over units of E[ln cosh(m_i + t_i z)], z ~ Normal(0, 1), with an absolute error below 1e-12 per
   unit and a relative one of a few 2^-53. The trapezoidal rule, which for such functions converges
   exponentially, where t is below ISG_WIDE; an expansion in 1 / t where it is not. */
#define ISG_WIDE 8.0

typedef struct isg_log_cosh_mean {
    size_t n, n_groups, n_wide;
    double *spreads; /* (n): t_i, or 0 where it is wide */
    double *nodes;   /* (n_groups, ISG_LANES): z */
    double *weights; /* the same, of sum 1 */
    size_t *wide;    /* (n_wide): which units are */
    double *wide_spreads;
} isg_log_cosh_mean;

/* Release after a failure too. */
isg_status isg_log_cosh_mean_start(isg_log_cosh_mean *out, const double *spreads, size_t n);
void isg_log_cosh_mean_release(isg_log_cosh_mean *mean);

/* `m` (n) is scratch afterwards. */
double isg_log_cosh_mean_of(const isg_log_cosh_mean *mean, double *m);

/* E_q[ln p(s | lambda)] at the beta of an RBM. Release after a failure too. */
typedef struct isg_reconstructor {
    const isg_rbm *rbm; /* borrowed */
    isg_log_cosh_mean mean;
    double *inputs; /* (ISG_DEEP_ROWS, n_visible) */
} isg_reconstructor;

isg_status isg_reconstructor_start(isg_reconstructor *out, const isg_rbm *rbm);
void isg_reconstructor_release(isg_reconstructor *my);

/* out (rows) for packed spins (rows, words) and their h (rows, p), at most ISG_DEEP_ROWS. */
isg_status isg_reconstruct(isg_reconstructor *my, const uint64_t *spins, isg_matd_view h,
                           double *out);

/* H(q) = p / 2 ln(2 pi e / beta) */
double isg_recognition_entropy(size_t p, double beta);

/* ---- All of a data set ------------------------------------------------------------------------------- */

/* What is to be found for every sample, each (n_samples), or NULL if not wanted. */
typedef struct isg_bounds {
    double *reconstruction;
    bool has_reconstruction; /* whether it is known, since neither beta nor the data have changed */
    double *bound;           /* on ln p(s) */
    double *labelled;        /* on ln p(s, truth); NaN for a sample without a class */
    const uint32_t *truth;   /* needed for that */
    uint32_t *answers;       /* the most probable class, the first of equals */
} isg_bounds;

isg_status isg_find_bounds(const isg_deep_model *model, const isg_dataset *data,
                           const isg_bounds *out, const isg_progress *progress);

/* The classes (n_samples) of the samples, as the model numbers them; those it does not know count as none. */
void isg_find_truth(uint32_t *truth, const isg_deep_model *model, const isg_dataset *data);

/* The mean of values that are not NaN, in their order, and its standard error; how many they are. */
size_t isg_mean_and_error(const double *values, size_t count, double *mean, double *error);

/* ---- Files -------------------------------------------------------------------------------------------- */

/* Reads a model from an open archive, as isg_deep_model_load() does from a file. */
isg_status isg_deep_model_read(isg_deep_model **out, isg_zip *zip);

#endif
