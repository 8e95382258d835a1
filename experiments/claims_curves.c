/* claims_curves.c - the kept numbers of figures, as grids and curves with error bars
 *
 * SPDX-License-Identifier: MIT
 *
 * What was computed is told from the keys of the pieces, so that nothing here depends on a scale.
 */
#include "experiments/claims_curves.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Into a rising list without doubles; one that is full takes no more. */
static void insert(double *list, size_t *n, size_t most, double value) {
    size_t k = 0;
    while (k < *n && list[k] < value)
        k++;
    if ((k < *n && list[k] == value) || *n == most)
        return;
    memmove(list + k + 1, list + k, (*n - k) * sizeof *list);
    list[k] = value;
    (*n)++;
}

static bool is_called(const char *word, const char *name) {
    return strcmp(word, name) == 0;
}

/* ---- Fig. 2 ----------------------------------------------------------------------------------- */

static void read_cell(const facts *in, grid *out, size_t a, size_t b) {
    char key[KEY_BYTES];
    cell *annealed = &out->at[0][a][b], *best = &out->at[1][a][b];
    *annealed = *best = (cell){.k = out->k[a], .beta = out->beta[b]};
    snprintf(key, sizeof key, "fig2 k=%g beta=%g ais", out->k[a], out->beta[b]);
    const double term = fact(in, key, 0);
    annealed->l = fact(in, key, 1);
    annealed->error = fmax(fact(in, key, 2), 1 / sqrt(fact(in, key, 3)));
    annealed->doubt = annealed->error;
    annealed->is_trusted = true;
    snprintf(key, sizeof key, "fig2 k=%g beta=%g better", out->k[a], out->beta[b]);
    best->l = term - fact(in, key, 0);
    best->error = fact(in, key, 1);
    best->is_trusted = fact(in, key, 3) > 0;
    best->doubt = best->is_trusted ? best->error : hypot(best->error, 20);
}

void read_grid(const facts *in, grid *out) {
    *out = (grid){0};
    for (void *at = json_object_iter(in->pieces); at; at = json_object_iter_next(in->pieces, at)) {
        double k, beta;
        char word[16];
        if (sscanf(json_object_iter_key(at), "fig2 k=%lg beta=%lg %15s", &k, &beta, word) == 3 &&
            is_called(word, "better")) {
            insert(out->k, &out->n_k, MOST_K, k);
            insert(out->beta, &out->n_betas, MOST_BETAS, beta);
        }
    }
    for (size_t a = 0; a < out->n_k; a++)
        for (size_t b = 0; b < out->n_betas; b++)
            read_cell(in, out, a, b);
}

const cell *cell_at(const grid *of, size_t estimator, size_t k, double beta) {
    size_t b = 0;
    while (b + 1 < of->n_betas && of->beta[b] != beta)
        b++;
    return &of->at[estimator][k][b];
}

/* ---- Fig. 4 ----------------------------------------------------------------------------------- */

static void read_point(const facts *in, double n_hidden, start_kind start, point *out) {
    double sum[2] = {0}, squares[2] = {0}, stated[2] = {0};
    size_t runs = 0;
    for (;; runs++) {
        char key[KEY_BYTES];
        snprintf(key, sizeof key, "fig4 p=%g %s run=%zu epoch=%g", n_hidden, start_titles[start],
                 runs + 1, out->epoch);
        if (!has_piece(in, key))
            break;
        for (size_t e = 0; e < 2; e++) {
            const bool is_trusted = e == 0 || fact(in, key, 6) > 0;
            const double value = is_trusted ? fact(in, key, 1 + 2 * e) : (double)NAN;
            sum[e] += value;
            squares[e] += value * value;
            stated[e] += pow(fact(in, key, 2 + 2 * e), 2);
        }
    }
    const double n = (double)runs;
    for (size_t e = 0; e < 2; e++) {
        out->mean[e] = sum[e] / n;
        const double spread =
            runs > 1 ? fmax(0, squares[e] - n * out->mean[e] * out->mean[e]) / (n - 1) : 0;
        out->error[e] = sqrt(fmax(spread, stated[e] / n) / n);
    }
}

void read_curve(const facts *in, double n_hidden, start_kind start, curve *out) {
    double epochs[MOST_STOPS];
    *out = (curve){0};
    for (void *at = json_object_iter(in->pieces); at; at = json_object_iter_next(in->pieces, at)) {
        double p, epoch;
        char word[16];
        size_t run;
        if (sscanf(json_object_iter_key(at), "fig4 p=%lg %15s run=%zu epoch=%lg", &p, word, &run,
                   &epoch) == 4 &&
            p == n_hidden && is_called(word, start_titles[start]))
            insert(epochs, &out->n, MOST_STOPS, epoch);
    }
    for (size_t k = 0; k < out->n; k++) {
        out->at[k].epoch = epochs[k];
        read_point(in, n_hidden, start, &out->at[k]);
    }
}

const point *point_at(const curve *of, double epoch) {
    for (size_t k = 0; k < of->n; k++)
        if (of->at[k].epoch == epoch)
            return &of->at[k];
    return NULL;
}

void point_gap(const point *one, const point *two, double *gap, double *error) {
    const size_t e = !isnan(one->mean[1]) && !isnan(two->mean[1]);
    *gap = one->mean[e] - two->mean[e];
    *error = hypot(one->error[e], two->error[e]);
}

/* ---- Figs. 5 and E1 --------------------------------------------------------------------------- */

share read_share(const facts *in, size_t k, start_kind start, size_t epoch) {
    share out = {.runs = 0};
    double sum = 0, squares = 0, trained = 0;
    for (;; out.runs++) {
        char key[KEY_BYTES];
        snprintf(key, sizeof key, "experts k=%zu %s run=%zu epoch=%zu", k, start_titles[start],
                 out.runs + 1, epoch);
        if (!has_piece(in, key))
            break;
        const double value = fact(in, key, 0);
        sum += value;
        squares += value * value;
        trained += fact(in, key, 1);
    }
    const double n = (double)out.runs;
    out.value = sum / n;
    out.on_training = trained / n;
    const double spread = out.runs > 1 ? fmax(0, squares - n * out.value * out.value) / (n - 1) : 0;
    out.error = sqrt(out.value * (1 - out.value) / in->test_samples + spread / fmax(n, 1));
    return out;
}

size_t read_stops(const facts *in, size_t k, start_kind start, size_t *stops) {
    double epochs[MOST_STOPS];
    size_t n = 0;
    for (void *at = json_object_iter(in->pieces); at; at = json_object_iter_next(in->pieces, at)) {
        size_t size, run;
        double epoch;
        char word[16];
        if (sscanf(json_object_iter_key(at), "experts k=%zu %15s run=%zu epoch=%lg", &size, word,
                   &run, &epoch) == 4 &&
            size == k && is_called(word, start_titles[start]))
            insert(epochs, &n, MOST_STOPS, epoch);
    }
    for (size_t s = 0; s < n; s++)
        stops[s] = (size_t)epochs[s];
    return n;
}
