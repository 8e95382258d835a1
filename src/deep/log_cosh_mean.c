/* log_cosh_mean.c - the mean of ln cosh under normal distributions
 *
 * SPDX-License-Identifier: MIT
 *
 * The integral of f(z) = ln cosh(m + t z) phi(z) by the trapezoidal rule of step h from -R to R. Nodes
 * beyond R are worth about exp(-R^2 / 2). Between them, the error is what the Fourier transform of f has
 * at 2 pi / h: f is analytic for |Im z| < d = pi / (2 t), and moving the path of integration up by
 * a < d gives exp(-2 pi a / h + a^2 / 2), which is least at a = 2 pi / h, or else as near to d as may be.
 * All three are exp(-DIGITS) here. Every unit sees the same nodes, so the widest of them decides, and one
 * call of the kernel log_cosh adds up all units at 16 nodes.
 *
 * Where t is large, f has a kink that takes too many nodes. Then, with y = m + t z,
 *
 *     E[ln cosh y] = E|y| - ln 2 + E[ln(1 + exp(-2 |y|))]
 *
 * The last term is the density of y times a function that lives near 0. In derivatives of the density at
 * 0, by the moments of that function, it is sum_k eta(2k + 2) / 4^k density^(2k)(0), with Dirichlet's
 * eta and density^(2k)(0) = phi(m / t) He_2k(m / t) / t^(2k + 1): each term is smaller by (k + 1) / (2 t^2).
 */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/special.h"
#include "deep/deep.h"
#include "kernels/kernels.h"

enum { GROUP = 512, TERMS = 8 };

static const double digits = 30;

/* ---- nodes --------------------------------------------------------------------------------------- */

static double step_for(double widest) {
    const double least = ISG_PI * sqrt(2 / digits);
    if (!(widest > 0))
        return least;
    const double d = ISG_PI / (2 * widest);
    return d * least >= 2 * ISG_PI ? least : 2 * ISG_PI * d / (digits + d * d / 2);
}

/* Nodes at odd multiples of h / 2, for there to be an even number of them. */
static isg_status place_nodes(isg_log_cosh_mean *mean, double widest) {
    const double reach = 2 * sqrt(2 * digits);
    const size_t least = (size_t)ceil(reach / step_for(widest));
    mean->n_groups = (least + ISG_LANES - 1) / ISG_LANES;
    const size_t count = mean->n_groups * ISG_LANES;
    const double h = reach / (double)count;
    double sum = 0;
    ISG_TRY(ISG_ALLOCATE(mean->nodes, count));
    ISG_TRY(ISG_ALLOCATE(mean->weights, count));
    for (size_t k = 0; k < count; k++) {
        mean->nodes[k] = h * ((double)k - (double)(count - 1) / 2);
        mean->weights[k] = isg_exp(-mean->nodes[k] * mean->nodes[k] / 2);
        sum += mean->weights[k];
    }
    for (size_t k = 0; k < count; k++)
        mean->weights[k] /= sum;
    return ISG_OK;
}

isg_status isg_log_cosh_mean_start(isg_log_cosh_mean *out, const double *spreads, size_t n) {
    double widest = 0;
    *out = (isg_log_cosh_mean){.n = n};
    ISG_TRY(ISG_ALLOCATE(out->spreads, n));
    ISG_TRY(ISG_ALLOCATE(out->wide, n));
    ISG_TRY(ISG_ALLOCATE(out->wide_spreads, n));
    for (size_t i = 0; i < n; i++)
        if (spreads[i] < ISG_WIDE) {
            out->spreads[i] = spreads[i];
            widest = fmax(widest, spreads[i]);
        } else {
            out->wide[out->n_wide] = i;
            out->wide_spreads[out->n_wide++] = spreads[i];
        }
    return place_nodes(out, widest);
}

void isg_log_cosh_mean_release(isg_log_cosh_mean *mean) {
    isg_release(mean->spreads);
    isg_release(mean->nodes);
    isg_release(mean->weights);
    isg_release(mean->wide);
    isg_release(mean->wide_spreads);
}

/* ---- wide units ----------------------------------------------------------------------------------- */

/* E|m + t z| */
static double mean_size(double m, double t, double density) {
    return m * (1 - isg_erfc(m / t * sqrt(0.5))) + 2 * t * t * density;
}

static double wide_mean(double m, double t) {
    static const double eta[TERMS] = {0.822467033424113218236, 0.947032829497245917577,
                                      0.985551091297435104099, 0.996233001852647899227,
                                      0.999039507598271565639, 0.999757685143858190853,
                                      0.999939170345979718171, 0.999984764214906106442};
    const double z = m / t, density = isg_exp(-z * z / 2) / (t * sqrt(2 * ISG_PI));
    double even = 1, odd = z, factor = density, sum = 0; /* He_2k, He_2k+1 */
    for (size_t k = 0; k < TERMS && factor > 0; k++) {
        sum += eta[k] * factor * even;
        factor /= 4 * t * t;
        even = z * odd - (double)(2 * k + 1) * even;
        odd = z * even - (double)(2 * k + 2) * odd;
    }
    return mean_size(m, t, density) - ISG_LN_2 + sum;
}

/* ---- the sum ------------------------------------------------------------------------------------------ */

/* Of those that are not wide: sum_i ln cosh(m_i + t_i z), over the nodes. */
static double sum_nodes(const isg_log_cosh_mean *mean, const double *m) {
    const isg_kernels *kernels = isg_kernels_get();
    double sum = 0;
    for (size_t g = 0; g < mean->n_groups; g++) {
        const double *nodes = mean->nodes + g * ISG_LANES, *weights = mean->weights + g * ISG_LANES;
        double sizes[ISG_LANES] = {0}, logs[ISG_LANES] = {0}, product[ISG_LANES];
        for (size_t i = 0; i < mean->n; i += GROUP) {
            for (size_t lane = 0; lane < ISG_LANES; lane++)
                product[lane] = 1;
            kernels->log_cosh(mean->n - i < GROUP ? mean->n - i : GROUP, 1, 1, mean->spreads + i,
                              m + i, nodes, sizes, product, NULL);
            for (size_t lane = 0; lane < ISG_LANES; lane++)
                logs[lane] += isg_log(product[lane]);
        }
        for (size_t lane = 0; lane < ISG_LANES; lane++)
            sum += weights[lane] * (sizes[lane] + logs[lane]);
    }
    return sum - (double)mean->n * ISG_LN_2;
}

double isg_log_cosh_mean_of(const isg_log_cosh_mean *mean, double *m) {
    double sum = 0;
    for (size_t k = 0; k < mean->n_wide; k++) {
        sum += wide_mean(m[mean->wide[k]], mean->wide_spreads[k]);
        m[mean->wide[k]] = 0; /* ln cosh 0 = 0 below */
    }
    return sum + sum_nodes(mean, m);
}
