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

#include "src/base/elementary.h"

/* More than anybody trains for, and exact as an integer and as a double. */
#define MOST_EPOCHS 1e15

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
    best->doubt = best->is_trusted ? best->error : isg_hypot(best->error, 20);
}

void read_grid(const facts *in, grid *out) {
    *out = (grid){0};
    for (void *at = json_object_iter(in->pieces); at; at = json_object_iter_next(in->pieces, at)) {
        double k, beta;
        char word[16];
        if (sscanf(json_object_iter_key(at), "fig2 k=%lg beta=%lg %15s", &k, &beta, word) == 3 &&
            (is_called(word, "ais") || is_called(word, "better"))) {
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
            const double error = fact(in, key, 2 + 2 * e);
            stated[e] += error * error;
        }
    }
    const double n = (double)runs;
    out->runs = runs;
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
    *error = isg_hypot(one->error[e], two->error[e]);
}

/* ---- Figs. 5 and E1 --------------------------------------------------------------------------- */

/* Of shares of `samples`: their mean, with the errors of counting and of the mean over the runs. */
static double mean_share(size_t runs, double sum, double squares, double samples, double *error) {
    const double n = (double)runs, mean = sum / n;
    const double spread = runs > 1 ? fmax(0, squares - n * mean * mean) / (n - 1) : 0;
    *error = sqrt(mean * (1 - mean) / samples + spread / n);
    return mean;
}

share read_share(const facts *in, size_t k, start_kind start, size_t epoch) {
    share out = {.runs = 0};
    double sum[2] = {0}, squares[2] = {0};
    for (;; out.runs++) {
        char key[KEY_BYTES];
        snprintf(key, sizeof key, "experts k=%zu %s run=%zu epoch=%zu", k, start_titles[start],
                 out.runs + 1, epoch);
        if (!has_piece(in, key))
            break;
        for (size_t set = 0; set < 2; set++) {
            const double value = fact(in, key, set);
            sum[set] += value;
            squares[set] += value * value;
        }
    }
    out.value = mean_share(out.runs, sum[0], squares[0], in->test_samples, &out.error);
    out.on_training =
        mean_share(out.runs, sum[1], squares[1], in->train_samples, &out.training_error);
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
            size == k && is_called(word, start_titles[start]) && epoch >= 0 && epoch <= MOST_EPOCHS)
            insert(epochs, &n, MOST_STOPS, epoch);
    }
    for (size_t s = 0; s < n; s++)
        stops[s] = (size_t)epochs[s];
    return n;
}

/* The stops of any start up to the last one of this. */
static size_t passed_stops(const facts *in, size_t k, start_kind start, size_t *stops) {
    size_t own[MOST_STOPS], n = 0;
    double all[MOST_STOPS];
    const size_t n_own = read_stops(in, k, start, own);
    for (size_t s = 0; n_own > 0 && s < N_STARTS; s++) {
        const size_t n_found = read_stops(in, k, (start_kind)s, stops);
        for (size_t e = 0; e < n_found && stops[e] <= own[n_own - 1]; e++)
            insert(all, &n, MOST_STOPS, (double)stops[e]);
    }
    for (size_t e = 0; e < n; e++)
        stops[e] = (size_t)all[e];
    return n;
}

bool has_no_holes(const facts *in, const size_t *sizes, size_t n_sizes, ruling *out) {
    size_t most[2] = {0, 0};
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t s = 0; s < n_sizes * N_STARTS; s++) {
            const size_t k = sizes[s / N_STARTS];
            const start_kind start = (start_kind)(s % N_STARTS);
            size_t stops[MOST_STOPS];
            const size_t n = passed_stops(in, k, start, stops);
            for (size_t e = 0; e < n; e++) {
                const share found = read_share(in, k, start, stops[e]);
                size_t *runs = &most[start == START_HEBBIAN || stops[e] > 50];
                if (pass == 0 && found.runs > *runs)
                    *runs = found.runs;
                if (pass == 0 || (found.runs == *runs && !isnan(found.value)))
                    continue;
                not_computed(out, "not finished: k = %zu, %s has %zu of %zu runs at epoch %zu", k,
                             start_titles[start], found.runs, *runs, stops[e]);
                return false;
            }
        }
    return true;
}
