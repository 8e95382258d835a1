/* anneal.c - moves chains from free spins to an RBM, or back, and weights them on the way
 *
 * SPDX-License-Identifier: MIT
 *
 * A chain from p_{k-1} is weighted, ln w += ln p_k(s) - ln p_{k-1}(s) up to constants, and only then
 * moved, by a sweep that leaves p_k invariant. The mean of w is the ratio of the two Z for any number
 * of steps (Neal, 2001). The way back starts from states of the model: moved at k, then weighted;
 * there it is the mean of 1 / w.
 */
#include "log_z/ais.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "base/progress_part.h"
#include "base/ranks.h"
#include "base/threads.h"

bool isg_team_advance(isg_team_progress *team, size_t count) {
    const size_t done = atomic_fetch_add(&team->done, count) + count;
    if (team->progress && omp_get_thread_num() == 0 &&
        !team->progress->report(team->progress->user, fmin(1, (double)done / team->total)))
        atomic_store(&team->is_cancelled, true);
    return !atomic_load(&team->is_cancelled);
}

isg_status isg_team_end(const isg_team_progress *team) {
    if (atomic_load(&team->is_cancelled))
        return isg_fail(ISG_ERR_CANCELLED, "annealing was cancelled");
    return isg_progress_end(team->progress, "annealing");
}

static isg_status make_field_table(isg_anneal *a) {
    const isg_gibbs_weights *w = &a->w;
    if (!(w->field_size > 0))
        return ISG_OK;
    ISG_TRY(ISG_ALLOCATE_MATRIX(a->field_table, w->words, 256));
    for (size_t i = 0; i < w->n_visible; i++)
        for (size_t state = 0; state < 16; state++)
            a->field_table[i / 4 * 16 + state] +=
                (state >> i % 4 & 1 ? 1 : -1) * (double)w->field[i];
    return ISG_OK;
}

isg_status isg_anneal_create(isg_anneal *a, const isg_rbm *rbm, uint64_t seed,
                             isg_purpose purpose) {
    *a = (isg_anneal){.kernels = isg_kernels_get(),
                      .rbm = rbm,
                      .path = ISG_PATH_SCALE,
                      .weights = ISG_AIS_SPIN,
                      .beta = rbm->info.beta,
                      .seed = seed,
                      .purpose = purpose};
    ISG_TRY(isg_gibbs_weights_create(&a->w, rbm->info.n_visible, rbm->info.n_hidden));
    ISG_TRY(isg_gibbs_weights_set(&a->w, rbm->weights, rbm->b, rbm->c));
    for (size_t mu = 0; mu < a->w.n_hidden; mu++)
        a->hidden_field_square += (double)a->w.hidden_field[mu] * (double)a->w.hidden_field[mu];
    return make_field_table(a);
}

void isg_anneal_release(isg_anneal *a) {
    isg_release(a->field_table);
    isg_gibbs_weights_release(&a->w);
}

/* ---- a few chains ---------------------------------------------------------------------------- */

isg_status isg_anneal_group_create(isg_anneal_group *g, const isg_gibbs_weights *w) {
    ISG_TRY(ISG_ALLOCATE_MATRIX(g->spins, ISG_GIBBS_CHAINS, w->words));
    ISG_TRY(ISG_ALLOCATE_MATRIX(g->input, ISG_GIBBS_CHAINS, w->stride));
    ISG_TRY(ISG_ALLOCATE_MATRIX(g->lambda, ISG_GIBBS_CHAINS, w->stride));
    return (g->scratch = isg_allocate(1, isg_gibbs_scratch_bytes(w))) ? ISG_OK : ISG_ERR_MEMORY;
}

void isg_anneal_group_release(isg_anneal_group *g) {
    isg_release(g->spins);
    isg_release(g->input);
    isg_release(g->lambda);
    isg_release(g->scratch);
}

size_t isg_anneal_groups(size_t chains) {
    return (chains + ISG_GIBBS_CHAINS - 1) / ISG_GIBBS_CHAINS;
}

void isg_anneal_group_take(isg_anneal_group *g, size_t n, size_t chains) {
    g->first = n * ISG_GIBBS_CHAINS;
    g->count = chains - g->first < ISG_GIBBS_CHAINS ? chains - g->first : ISG_GIBBS_CHAINS;
}

void isg_anneal_start(const isg_anneal *a, isg_anneal_group *g) {
    const isg_gibbs_weights *w = &a->w;
    const double deviation = 1 / sqrt(a->beta);
    for (size_t k = 0; k < g->count; k++) {
        isg_cursor random =
            isg_cursor_at(isg_stream_at(a->seed, a->purpose, 0, (uint32_t)(g->first + k)));
        isg_random_spins(&random, w->n_visible, g->spins + k * w->words);
        for (size_t mu = 0; mu < w->n_hidden; mu++)
            g->lambda[k * w->stride + mu] = (float)(deviation * isg_next_normal(&random));
    }
    a->kernels->hidden_input(w, g->count, g->spins, g->input);
}

/* b.s, which is needed after every sweep. */
static double field_sum(const isg_anneal *a, const uint64_t *spins) {
    double sums[4] = {0};
    if (!a->field_table)
        return 0;
    for (size_t word = 0; word < a->w.words; word++) {
        const double *table = a->field_table + 256 * word;
        uint64_t bits = spins[word];
        for (size_t four = 0; four < 16; four++, bits >>= 4)
            sums[four % 4] += table[16 * four + (bits & 15)];
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

isg_slope isg_anneal_slope(const isg_anneal *a, const isg_anneal_group *g, size_t k) {
    const isg_gibbs_weights *w = &a->w;
    const int32_t *input = g->input + k * w->stride;
    const float *lambda = g->lambda + k * w->stride;
    isg_slope out = {.linear = field_sum(a, g->spins + k * w->words)};
    if (a->weights == ISG_AIS_JOINT) {
        for (size_t mu = 0; mu < w->n_hidden; mu++)
            out.linear += isg_gibbs_hidden_mean(w, input, mu) * (double)lambda[mu];
        out.square = -a->hidden_field_square / 2;
        return out;
    }
    double sum = 0;
    for (size_t mu = 0; mu < w->n_hidden; mu++) {
        const double mean = isg_gibbs_hidden_mean(w, input, mu);
        sum += mean * mean;
    }
    out.square = (sum - a->hidden_field_square) / 2;
    if (a->path == ISG_PATH_BETA) /* -H(s) itself */
        out = (isg_slope){.linear = out.linear + out.square};
    return out;
}

double isg_anneal_log_weight(const isg_anneal *a, isg_slope s, double from, double to) {
    if (a->path == ISG_PATH_BETA)
        return (to - from) * s.linear;
    return a->beta * ((to - from) * s.linear + (to * to - from * from) * s.square);
}

void isg_anneal_move(const isg_anneal *a, isg_anneal_group *g, double position, uint64_t step) {
    const isg_stream stream = isg_stream_at(a->seed, a->purpose, step, (uint32_t)g->first);
    const bool is_scale = a->path == ISG_PATH_SCALE;
    isg_gibbs_step sweep = {.beta = is_scale ? a->beta : position, .gain = is_scale ? position : 1};
    memcpy(sweep.key, stream.key, sizeof sweep.key);
    memcpy(sweep.counter, stream.counter, sizeof sweep.counter);
    a->kernels->gibbs_sweep(&a->w, &sweep, g->count, g->spins, g->input, g->lambda, g->scratch);
}

/* Summed as differences, since the energies themselves may be large. */
double isg_anneal_correction(const isg_anneal *a, const isg_anneal_group *g, size_t k,
                             double position) {
    const isg_gibbs_weights *w = &a->w;
    const isg_rbm *rbm = a->rbm;
    const size_t p = w->n_hidden;
    const uint64_t *spins = g->spins + k * w->words;
    const int32_t *input = g->input + k * w->stride;
    double sum = 0;
    for (size_t i = 0; i < w->n_visible; i++)
        sum += isg_spin(spins, i) * (rbm->b[i] - (double)w->field[i]);
    for (size_t mu = 0; mu < p; mu++) {
        double h = 0;
        for (size_t i = 0; i < w->n_visible; i++)
            h += isg_spin(spins, i) * rbm->weights[i * p + mu];
        const double rounded = (double)input[mu] * (double)w->unit, off = h - rounded;
        const double c = rbm->c[mu], rounded_c = (double)w->hidden_field[mu];
        if (a->weights == ISG_AIS_JOINT) /* (h + c).lambda - |c|^2 / 2 */
            sum += (off + (c - rounded_c)) * (double)g->lambda[k * w->stride + mu] -
                   (c - rounded_c) * (c + rounded_c) / 2;
        else /* (|h + c|^2 - |c|^2) / 2 = h (h / 2 + c) */
            sum += off * ((h + rounded) / 2 + c) + rounded * (c - rounded_c);
    }
    return (a->path == ISG_PATH_BETA ? position : a->beta) * sum;
}

static void weigh(const isg_anneal *a, const isg_anneal_group *g, size_t step,
                  double log_weights[ISG_GIBBS_CHAINS]) {
    for (size_t k = 0; k < g->count; k++)
        log_weights[k] += isg_anneal_log_weight(a, isg_anneal_slope(a, g, k),
                                                a->positions[step - 1], a->positions[step]);
}

/* ---- all chains by all threads --------------------------------------------------------------- */

static void anneal_group(const isg_anneal *a, const isg_anneal_job *job, isg_anneal_group *g,
                         isg_team_progress *team) {
    double log_weights[ISG_GIBBS_CHAINS] = {0};
    size_t mark = 0;
    if (job->start) {
        memcpy(g->spins, job->start + g->first * a->w.words,
               g->count * a->w.words * sizeof *g->spins);
        a->kernels->hidden_input(&a->w, g->count, g->spins, g->input);
        for (size_t k = 0; k < g->count; k++)
            log_weights[k] = isg_anneal_correction(a, g, k, a->positions[a->steps]);
    } else {
        isg_anneal_start(a, g);
    }
    for (size_t k = 1; k <= a->steps; k++) {
        if (job->start) {
            isg_anneal_move(a, g, a->positions[a->steps + 1 - k], k);
            weigh(a, g, a->steps + 1 - k, log_weights);
        } else {
            weigh(a, g, k, log_weights);
            isg_anneal_move(a, g, a->positions[k], k);
        }
        if (job->marks ? mark < job->n_marks && k == job->marks[mark] : k == a->steps)
            for (size_t c = 0, row = mark++; c < g->count; c++)
                job->log_weights[row * job->chains + g->first + c] =
                    log_weights[c] +
                    (job->start ? 0 : isg_anneal_correction(a, g, c, a->positions[k]));
        if (k % 64 == 0 && !isg_team_advance(team, 64 * g->count))
            return;
    }
}

isg_status isg_anneal_run(const isg_anneal *a, const isg_anneal_job *job,
                          const isg_progress *progress) {
    const isg_rows groups = isg_rank_rows(isg_anneal_groups(job->chains), 1);
    const size_t threads = isg_team_for(groups.end - groups.begin);
    isg_status status = ISG_OK;
    isg_anneal_group *rooms = NULL;
    isg_team_progress team = {.progress = progress,
                              .total =
                                  (double)job->chains * (double)a->steps / (double)isg_n_ranks()};
    ISG_TRY_GOTO(ISG_ALLOCATE(rooms, threads));
    for (size_t t = 0; t < threads; t++)
        ISG_TRY_GOTO(isg_anneal_group_create(&rooms[t], &a->w));
#pragma omp parallel for schedule(dynamic) num_threads((int)(threads > 0 ? threads : 1))
    for (size_t n = groups.begin; n < groups.end; n++) {
        isg_anneal_group *g = &rooms[omp_get_thread_num()];
        isg_anneal_group_take(g, n, job->chains);
        if (!atomic_load(&team.is_cancelled))
            anneal_group(a, job, g, &team);
    }
    ISG_TRY_GOTO(isg_team_end(&team));
    for (size_t row = 0; row < (job->marks ? job->n_marks : 1); row++)
        isg_gather_rows(job->log_weights + row * job->chains, sizeof *job->log_weights, job->chains,
                        ISG_GIBBS_CHAINS);
done:
    for (size_t t = 0; rooms && t < threads; t++)
        isg_anneal_group_release(&rooms[t]);
    isg_release(rooms);
    return status;
}
