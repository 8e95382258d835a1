/* rbm.h - what is inside an isg_rbm, and its plain sampler
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_RBM_H
#define ISG_RBM_H

#include "base/matrix.h"
#include "base/rng.h"
#include "io/npz.h"
#include "isinglass/rbm.h"
#include "patterns/patterns.h"

struct isg_rbm {
    isg_rbm_info info;
    double *weights;        /* (n_visible, n_hidden) */
    double *b;              /* (n_visible) */
    double *c;              /* (n_hidden) */
    isg_encoding *encoding; /* of the data; NULL if unknown */
    /* Where it came from a Hopfield network: */
    isg_patterns *patterns; /* owned; NULL if unknown */
    double *r;              /* (n_hidden, r_cols) with weights r = xi; NULL if unknown */
    size_t r_cols;          /* the number of patterns, known even if these are not */
};

/* Bounds within which 1 / sqrt(beta) and beta x fit in a float. */
#define ISG_LEAST_BETA 1e-30
#define ISG_MOST_BETA  1e30

static inline bool isg_is_beta(double beta) {
    return beta >= ISG_LEAST_BETA && beta <= ISG_MOST_BETA;
}

/* ISG_ERR_ARGUMENT unless beta is within these bounds. */
isg_status isg_check_beta(double beta);

static inline isg_matd_view isg_rbm_view(const isg_rbm *rbm) {
    return (isg_matd_view){rbm->weights, rbm->info.n_visible, rbm->info.n_hidden,
                           rbm->info.n_hidden};
}

/* The spins alone, with the hidden field moved to them:
       -beta H(s) = beta (f.s + |W^T s|^2 / 2),  f = b + W c
   Unlike |W^T s + c|^2 - |c|^2, this does not cancel when c is large. */
typedef struct isg_spin_model {
    size_t n, p;
    double beta;
    const double *weights; /* (n, p), the rbm's */
    double *field;         /* f (n), owned */
} isg_spin_model;

/* ISG_ERR_DIVERGED if a weight or field is not finite. */
isg_status isg_spin_model_start(isg_spin_model *model, const isg_rbm *rbm);

/* The same for a model that has room for the field of as many units. Allocates nothing; after a failure
   the model is as it was. */
isg_status isg_spin_model_set(isg_spin_model *model, const isg_rbm *rbm);

/* -beta H(s) for f.s and W^T s (p). */
double isg_spin_model_exponent(const isg_spin_model *model, double field_sum, const double *input);

/* One block-Gibbs sweep, lambda from spins, then spins from lambda: the definition that every fast
   sampler is tested against. `input` is scratch of max(n_visible, n_hidden). */
void isg_rbm_sweep(const isg_rbm *rbm, isg_cursor *random, uint64_t *spins, double *lambda,
                   double *input);

/* Draws spins (n), packed, each +1 with probability 1 / (1 + exp(-2 beta field)). */
void isg_sample_spins(isg_cursor *random, size_t n, double beta, const double *field,
                      uint64_t *spins);

/* The starts of isg_rbm_start() that need no patterns: independent normal weights of standard
   deviation `deviation`, and the principal axes of the data; fields are zero. */
isg_status isg_rbm_start_normal(isg_rbm **out, size_t n_visible, size_t n_hidden, double beta,
                                double deviation, uint64_t seed);
isg_status isg_rbm_start_pca(isg_rbm **out, const isg_dataset *data, isg_axes of, size_t n_hidden,
                             double beta);

/* Reads an RBM from an open archive, as isg_rbm_load() does from a file. */
isg_status isg_rbm_read(isg_rbm **out, isg_zip *zip);

/* Writes a model file to any archive, whose meta.json says that it is of this kind. */
isg_status isg_rbm_write(const isg_rbm *rbm, const char *kind, uint64_t seed, const char *command,
                         isg_npz_writer *writer);

/* Writes everything of a model file except W, b and c, which a checkpoint already has. */
isg_status isg_rbm_write_rest(const isg_rbm *rbm, uint64_t seed, const char *command,
                              isg_npz_writer *writer);

#endif
