/* logistic_loss.c - the loss of logistic regression, its gradient and its curvature
 *
 * SPDX-License-Identifier: MIT
 *
 * With scores u = theta z and probabilities p = softmax(u) of one sample of class y,
 *
 *     -ln p_y = ln sum_k exp(u_k) - u_y
 *     d/d theta_k   = (p_k - [k = y]) z
 *     second derivative along v: q_k z,  q_k = p_k (v_k.z - sum_l p_l v_l.z)
 *
 * times the weight of the class y, so both are one pass: scores, a small change in place, and products with z. Threads own chunks of
 * panels and add up in the order of the chunks.
 */
#include "classify/logistic.h"

#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/threads.h"

typedef isg_logistic_loss loss_of;

/* Features processed for all classes at a time: 8 KiB, to stay in the first-level cache. */
enum { TILE = 64 };

/* Sums of all chunks together stay near 64 MiB, if there are many features and classes. */
enum { MOST_CHUNKS = 64, LEAST_CHUNKS = 4, MOST_SUMS = 1 << 22 };

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t count_chunks(size_t n_panels, size_t n_sums) {
    size_t count = smaller(MOST_CHUNKS, MOST_SUMS / (n_sums + 1));
    if (count < LEAST_CHUNKS)
        count = LEAST_CHUNKS;
    return smaller(count, n_panels);
}

static void fill_panel(const loss_of *loss, isg_matd_view features, const double *means,
                       const double *scales, size_t t) {
    const size_t n_features = loss->width - 1;
    double *panel = loss->panels + t * loss->width * ISG_LANES;
    for (size_t lane = 0; lane < ISG_LANES && t * ISG_LANES + lane < loss->n_samples; lane++) {
        const double *row = features.data + (t * ISG_LANES + lane) * features.stride;
        for (size_t j = 0; j < n_features; j++)
            panel[j * ISG_LANES + lane] = (row[j] - means[j]) / scales[j];
        panel[n_features * ISG_LANES + lane] = 1;
    }
}

isg_status isg_logistic_loss_create(isg_logistic_loss *loss, isg_matd_view features,
                                    const uint32_t *labels, size_t n_classes, const double *weights,
                                    const double *means, const double *scales) {
    const size_t width = features.cols + 1, n_panels = (features.rows - 1) / ISG_LANES + 1;
    *loss = (isg_logistic_loss){.n_samples = features.rows,
                                .n_classes = n_classes,
                                .width = width,
                                .n_panels = n_panels,
                                .labels = labels,
                                .weights = weights};
    size_t n_sums = 0;
    if (!isg_multiply(&n_sums, n_classes, width))
        return isg_fail(ISG_ERR_MEMORY, "logistic regression: no memory for %zu x %zu numbers",
                        n_classes, width);
    loss->n_chunks = count_chunks(n_panels, n_sums);
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(loss->panels, n_panels, width * ISG_LANES));
    ISG_TRY_GOTO(ISG_ALLOCATE(loss->penalty, width));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(loss->probabilities, n_panels, n_classes * ISG_LANES));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(loss->residuals, loss->n_chunks, n_classes * ISG_LANES));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(loss->sums, loss->n_chunks, n_sums));
    ISG_TRY_GOTO(ISG_ALLOCATE(loss->losses, loss->n_chunks));
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
    for (size_t t = 0; t < n_panels; t++)
        fill_panel(loss, features, means, scales, t);
    return ISG_OK;
done:
    isg_logistic_loss_release(loss);
    return status;
}

void isg_logistic_loss_release(isg_logistic_loss *loss) {
    isg_release(loss->panels);
    isg_release(loss->penalty);
    isg_release(loss->probabilities);
    isg_release(loss->residuals);
    isg_release(loss->sums);
    isg_release(loss->losses);
    *loss = (isg_logistic_loss){0};
}

/* ---- One panel ---------------------------------------------------------------------------------- */

/* sums (ISG_LANES) += theta z over n features */
static void add_scores(double *sums, const double *theta, const double *x, size_t n) {
    isg_lane_pair *out = (isg_lane_pair *)sums;
    isg_pair s0 = out[0], s1 = out[1], s2 = out[2], s3 = out[3];
    isg_pair s4 = out[4], s5 = out[5], s6 = out[6], s7 = out[7];
    for (size_t j = 0; j < n; j++) {
        const isg_lane_pair *z = (const isg_lane_pair *)(x + j * ISG_LANES);
        s0 += theta[j] * z[0], s1 += theta[j] * z[1], s2 += theta[j] * z[2], s3 += theta[j] * z[3];
        s4 += theta[j] * z[4], s5 += theta[j] * z[5], s6 += theta[j] * z[6], s7 += theta[j] * z[7];
    }
    out[0] = s0, out[1] = s1, out[2] = s2, out[3] = s3;
    out[4] = s4, out[5] = s5, out[6] = s6, out[7] = s7;
}

/* scores (n_classes, ISG_LANES) = theta z */
static void score(const loss_of *loss, const double *panel, const double *theta, double *scores) {
    memset(scores, 0, loss->n_classes * ISG_LANES * sizeof *scores);
    for (size_t begin = 0; begin < loss->width; begin += TILE) {
        const size_t count = smaller(TILE, loss->width - begin);
        for (size_t k = 0; k < loss->n_classes; k++)
            add_scores(scores + k * ISG_LANES, theta + k * loss->width + begin,
                       panel + begin * ISG_LANES, count);
    }
}

/* sums (n_classes, width) += residuals z */
static void add_outer(const loss_of *loss, const double *panel, const double *residuals,
                      isg_pair *sums) {
    static const double ones[ISG_LANES]
        __attribute__((aligned(16))) = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    for (size_t begin = 0; begin < loss->width; begin += TILE) {
        const size_t count = smaller(TILE, loss->width - begin);
        for (size_t k = 0; k < loss->n_classes; k++)
            isg_add_products(sums + k * loss->width + begin, ones, residuals + k * ISG_LANES,
                             panel + begin * ISG_LANES, count);
    }
}

/* Scores of one sample, ISG_LANES apart, become residuals, beside the probabilities p, which have no
   weight. Returns the loss. 1 - p_y is summed over the other classes, not subtracted, so that the rounding of 1 limits
   neither loss nor residual. */
static double softmax(double *scores, double *p, size_t n_classes, size_t label, double weight) {
    size_t best = 0;
    for (size_t k = 1; k < n_classes; k++)
        if (scores[k * ISG_LANES] > scores[best * ISG_LANES])
            best = k;
    const double top = scores[best * ISG_LANES], own = scores[label * ISG_LANES];
    double rest = 0, others = 0;
    for (size_t k = 0; k < n_classes; k++) {
        p[k * ISG_LANES] = k == best ? 1 : isg_exp(scores[k * ISG_LANES] - top);
        rest += k == best ? 0 : p[k * ISG_LANES];
    }
    for (size_t k = 0; k < n_classes; k++) {
        p[k * ISG_LANES] /= 1 + rest;
        scores[k * ISG_LANES] = weight * p[k * ISG_LANES];
        others += k == label ? 0 : p[k * ISG_LANES];
    }
    scores[label * ISG_LANES] = -(weight * others);
    return weight * (top - own + isg_log1p(rest));
}

/* Scores of a direction become q. */
static void curve(double *scores, const double *p, size_t n_classes, double weight) {
    double mean = 0;
    for (size_t k = 0; k < n_classes; k++)
        mean += p[k * ISG_LANES] * scores[k * ISG_LANES];
    for (size_t k = 0; k < n_classes; k++)
        scores[k * ISG_LANES] = weight * (p[k * ISG_LANES] * (scores[k * ISG_LANES] - mean));
}

/* ---- All of them --------------------------------------------------------------------------------- */

typedef enum pass_kind { GRADIENT, CURVATURE } pass_kind;

static void pass_chunk(loss_of *loss, const double *theta, pass_kind kind, size_t chunk) {
    const size_t n_classes = loss->n_classes, width = loss->width;
    const size_t begin = chunk * loss->n_panels / loss->n_chunks;
    const size_t end = (chunk + 1) * loss->n_panels / loss->n_chunks;
    double *residuals = loss->residuals + chunk * n_classes * ISG_LANES, sum = 0;
    isg_pair *sums = loss->sums + chunk * n_classes * width;
    memset(sums, 0, n_classes * width * sizeof *sums);
    for (size_t t = begin; t < end; t++) {
        const double *panel = loss->panels + t * width * ISG_LANES;
        double *p = loss->probabilities + t * n_classes * ISG_LANES;
        score(loss, panel, theta, residuals);
        const size_t lanes = smaller(ISG_LANES, loss->n_samples - t * ISG_LANES);
        for (size_t lane = 0; lane < lanes; lane++) {
            const size_t label = loss->labels[t * ISG_LANES + lane];
            const double weight = loss->weights[label];
            if (kind == GRADIENT)
                sum += softmax(residuals + lane, p + lane, n_classes, label, weight);
            else
                curve(residuals + lane, p + lane, n_classes, weight);
        }
        add_outer(loss, panel, residuals, sums);
    }
    loss->losses[chunk] = sum;
}

/* out = sum over the samples / M + penalty theta */
static void pass(loss_of *loss, const double *theta, pass_kind kind, double *out) {
    const size_t size = loss->n_classes * loss->width;
#pragma omp parallel for schedule(dynamic) num_threads(isg_team_size())
    for (size_t chunk = 0; chunk < loss->n_chunks; chunk++)
        pass_chunk(loss, theta, kind, chunk);
    for (size_t j = 0; j < size; j++) {
        isg_pair sum = loss->sums[j];
        for (size_t chunk = 1; chunk < loss->n_chunks; chunk++)
            sum += loss->sums[chunk * size + j];
        out[j] =
            (sum[0] + sum[1]) / (double)loss->n_samples + loss->penalty[j % loss->width] * theta[j];
    }
}

double isg_logistic_loss_penalty(const isg_logistic_loss *loss, const double *theta) {
    double sum = 0;
    for (size_t j = 0; j < loss->n_classes * loss->width; j++)
        sum += loss->penalty[j % loss->width] * theta[j] * theta[j];
    return sum / 2;
}

double isg_logistic_loss_at(isg_logistic_loss *loss, const double *theta, double *gradient) {
    pass(loss, theta, GRADIENT, gradient);
    double sum = 0;
    for (size_t chunk = 0; chunk < loss->n_chunks; chunk++)
        sum += loss->losses[chunk];
    return sum / (double)loss->n_samples + isg_logistic_loss_penalty(loss, theta);
}

void isg_logistic_loss_curve(isg_logistic_loss *loss, const double *direction, double *out) {
    pass(loss, direction, CURVATURE, out);
}
