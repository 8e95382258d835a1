/* kernels.h - the hot loops of libisinglass, as one table of functions per instruction set
 *
 * SPDX-License-Identifier: MIT
 *
 * A kernel computes; it never allocates, fails, locks, prints or starts a thread. Shapes are
 * written (rows, cols), row-major. A kernel reads and writes exactly the elements named, which
 * need no more alignment than their type; outputs never overlap inputs. ref.c defines what each
 * kernel means; the others agree with it bit for bit where marked [exact].
 */
#ifndef ISG_KERNELS_H
#define ISG_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "base/lanes.h"
#include "base/status.h"

/* An RBM as the Gibbs kernels read it. W comes twice: as floats in panels of 16 visible units, for
   the products W lambda, and as whole multiples of `unit`, for sums over spins. Those sums are
   exact, so their order does not matter, and a sweep may add only what changed.
   isg_gibbs_weights_set() fills it. */
enum { ISG_PANEL = 16 };

typedef struct isg_gibbs_weights {
    size_t n_visible, n_hidden;
    size_t words;        /* of 64 bits per row of spins */
    size_t panels;       /* n_visible / ISG_PANEL, rounded up */
    size_t stride;       /* n_hidden, rounded up to a multiple of ISG_PANEL */
    float *weights;      /* (panels, n_hidden, ISG_PANEL), zero for units past the last */
    float *field;        /* b (panels, ISG_PANEL), likewise */
    float *hidden_field; /* c (stride), likewise */
    int32_t *rows;       /* (n_visible, stride): 2 W / unit, likewise */
    int32_t *all_down;   /* (stride): (W^T s) / unit of the state with all spins -1 */
    float unit;          /* a power of 2 */
    float row_norm;      /* an upper bound on the norm of a row of W */
    float field_size;    /* an upper bound on |b| */
    /* Working memory of isg_gibbs_weights_set(): */
    double *column_sums; /* (panels, stride) */
    int32_t *panel_down; /* (panels, stride) */
    double *panel_norms; /* (panels) */
} isg_gibbs_weights;

/* One block-Gibbs sweep of the RBM with weights gain W and fields gain b, gain c. Chain k draws
   from the stream whose counter has k added to word 1; kernels/gibbs_draws.h says what each word is
   used for. */
typedef struct isg_gibbs_step {
    double beta, gain;
    uint32_t key[2], counter[4];
    const uint64_t *clamped; /* (words): set for spins that are held fixed; NULL for none */
    size_t clamped_stride;   /* words between the rows of chains with their own; 0: all share one */
} isg_gibbs_step;

/* The most chains for one call of gibbs_sweep; the samples that spin_moments adds in float. */
enum { ISG_GIBBS_CHAINS = 24, ISG_MOMENT_SAMPLES = 64 };

/* The side of the square tiles of a product; the number of partial sums of a dot product. */
enum { ISG_TILE = 8, ISG_DOT_LANES = 16 };

/* Bytes of scratch that gibbs_sweep needs, aligned as by isg_allocate(). */
size_t isg_gibbs_scratch_bytes(const isg_gibbs_weights *w);

typedef struct isg_kernels {
    const char *name; /* "ref", "avx2", ...: the names isg_set_isa() accepts */

    /* out (n, 4): row i is Philox4x32-10 of the counter with i added to its word 0. The stream
       ends where that word does: counter[0] + n <= 2^32 [exact] */
    void (*random_words)(size_t n, const uint32_t key[2], const uint32_t counter[4], uint32_t *out);

    /* distances (m): the number of bits in which `row` (words) differs from each of
       rows (m, words), whose rows start `stride` words apart; words < 2^26 [exact] */
    void (*hamming)(size_t m, size_t words, const uint64_t *row, const uint64_t *rows,
                    size_t stride, uint32_t *distances);

    /* The first index of the smallest of values (n >= 1), none of which is NaN [exact] */
    size_t (*nearest)(size_t n, const double *values);

    /* Ward's update: kept[i] becomes the distance between cluster i, of sizes[i] samples, and the
       union of two clusters of size_a and size_b samples that are `apart` from each other, whose
       distances to i are dropped[i] and kept[i]. Slots without a cluster (size 0) get arbitrary
       values [exact] */
    void (*ward_distances)(size_t n, double size_a, double size_b, double apart,
                           const double *sizes, const double *dropped, double *kept);

    /* input (chains, stride) = (W^T s) / unit of spins (chains, words) [exact] */
    void (*hidden_input)(const isg_gibbs_weights *w, size_t chains, const uint64_t *spins,
                         int32_t *input);

    /* lambda (chains, stride) from the spins, then new spins from lambda. `input` belongs to the
       spins, before and after. Values of lambda past n_hidden are meaningless [exact] */
    void (*gibbs_sweep)(const isg_gibbs_weights *w, const isg_gibbs_step *step, size_t chains,
                        uint64_t *spins, int32_t *input, float *lambda, void *scratch);

    /* sums (ISG_PANEL, stride) += sign * sum over samples of s_i lambda for the units i of one
       panel; spins (samples, words), lambda (samples, stride). ISG_MOMENT_SAMPLES at a time are
       added in float, in order; the results in double. Values past n_visible and n_hidden are
       meaningless [exact] */
    void (*spin_moments)(const isg_gibbs_weights *w, size_t panel, size_t samples,
                         const uint64_t *spins, const float *lambda, double sign, double *sums);

    /* ---- dense linear algebra in double. A product is rounded before it is added, and every
       element gets the same operations in the same order whatever the vector width. ---- */

    /* c (ISG_TILE, ISG_TILE): c_ij = the sum over l of a_li b_lj, from 0 with l rising, for a (n,
       ISG_TILE) and b (n, ISG_TILE) [exact] */
    void (*tile)(size_t n, const double *a, const double *b, double *c);

    /* y (n) += factor x (n) [exact] */
    void (*add_multiple)(size_t n, double factor, const double *x, double *y);

    /* The sum of x_i y_i: ISG_DOT_LANES sums, each over the i with the same remainder, with i
       rising; then the upper half of the sums is added to the lower, and so on [exact] */
    double (*dot)(size_t n, const double *x, const double *y);

    /* x (n) and y (n) become c x + s y and c y - s x [exact] */
    void (*rotate)(size_t n, double c, double s, double *x, double *y);

    /* The units i of weights (n, p) and field (n), n <= 512, at delta (p, ISG_LANES): with y = beta
       (w_i.delta + f_i), i rising, sizes (ISG_LANES) += |y|, product (ISG_LANES) *= 1 + e and, unless
       it is NULL, gradient (p, ISG_LANES) -= w_i tanh y, where e = exp(-2 |y|), but at least
       exp(-700), and |tanh y| = (1 - e) / (1 + e) [exact] */
    void (*log_cosh)(size_t n, size_t p, double beta, const double *weights, const double *field,
                     const double *delta, double *sizes, double *product, double *gradient);

    /* `rounds` times as many independent multiplications and additions as the registers hold, and
       nothing else: an upper limit for the speed of any product. Returns the number of
       floating-point operations. */
    double (*peak)(size_t rounds);
} isg_kernels;

extern const isg_kernels isg_kernels_ref;

/* Tuned, but requires only what every processor of the architecture has. */
extern const isg_kernels isg_kernels_baseline;

/* NULL if not compiled for their instruction set: on another architecture, or by a plain `cc`. */
extern const isg_kernels *const isg_kernels_avx2;
extern const isg_kernels *const isg_kernels_avx512;
extern const isg_kernels *const isg_kernels_neon;

/* Features beyond the architecture that the processor has and the operating system supports, as
   bits. */
enum {
    ISG_HAS_AVX2 = 1,   /* and FMA, POPCNT */
    ISG_HAS_AVX512 = 2, /* F, DQ, BW and VL; FMA, POPCNT */
};

/* The best table this processor can run, or the one isg_set_isa() named. Never NULL. */
const isg_kernels *isg_kernels_get(void);

/* What isg_set_isa() would choose on a processor with `features`. */
isg_status isg_kernels_choose(const isg_kernels **out, const char *name, unsigned features);

#endif
