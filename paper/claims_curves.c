/* claims_curves.c - the saved numbers of figures, as grids and curves with error bars
 *
 * SPDX-License-Identifier: MIT
 *
 * The keys of the pieces say what was computed, so that nothing here depends on the scale.
 */
#include "paper/claims_curves.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* More than anybody trains, and exact both as an integer and as a double. */
#define MOST_EPOCHS 1e15

/* Into an ascending list without duplicates; a full list stays as it is. */
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

/* What follows the prefix, or NULL. */
static const char *after(const char *key, const char *prefix) {
    const size_t length = strlen(prefix);
    return strncmp(key, prefix, length) == 0 ? key + length : NULL;
}

/* The larger of two errors; NaN if either is. */
static double worse(double one, double two) {
    return one > two || isnan(one) ? one : two;
}

/* ---- Fig. 2 ----------------------------------------------------------------------------------- */

static void read_cell(const facts *in, grid *out, size_t a, size_t b) {
    char key[KEY_BYTES], name[FLAW_BYTES];
    cell *annealed = &out->at[0][a][b], *best = &out->at[1][a][b];
    *annealed = *best = (cell){.k = out->k[a], .beta = out->beta[b]};
    snprintf(name, sizeof name, "k = %g, beta = %g", out->k[a], out->beta[b]);
    snprintf(key, sizeof key, "fig2 k=%g beta=%g ais", out->k[a], out->beta[b]);
    const double term = fact(in, key, 0);
    const double deviation = fact(in, key, 2), by_count = 1 / sqrt(fact(in, key, 3));
    annealed->l = measure(fact(in, key, 1), worse(deviation, by_count), true, name);
    snprintf(key, sizeof key, "fig2 k=%g beta=%g better", out->k[a], out->beta[b]);
    best->l = measure(term - fact(in, key, 0), peek(in, key, 1), peek(in, key, 3) > 0, name);
}

static bool has_cell(const facts *in, const grid *of, size_t a, size_t b) {
    char key[2][KEY_BYTES];
    snprintf(key[0], sizeof key[0], "fig2 k=%g beta=%g ais", of->k[a], of->beta[b]);
    snprintf(key[1], sizeof key[1], "fig2 k=%g beta=%g better", of->k[a], of->beta[b]);
    return has_piece(in, key[0]) && has_piece(in, key[1]);
}

bool read_grid(const facts *in, grid *out, ruling *why_not) {
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
    if (out->n_k < 2 || out->n_betas < 2) {
        not_computed(why_not, "fig2 has not been computed here");
        return false;
    }
    for (size_t a = 0; a < out->n_k; a++)
        for (size_t b = 0; b < out->n_betas; b++) {
            if (!has_cell(in, out, a, b)) {
                not_computed(why_not, "fig2 is not finished: k = %g, beta = %g is missing",
                             out->k[a], out->beta[b]);
                return false;
            }
            read_cell(in, out, a, b);
        }
    return true;
}

/* ---- Fig. 4 ---------------------------------------------------------------------------------- */

/* Sums over the runs of one estimate. */
typedef struct sums {
    size_t n;
    double values, squares, variances;
} sums;

static void add(sums *to, double value, double error) {
    to->n++;
    to->values += value;
    to->squares += value * value;
    to->variances += error * error;
}

static measured mean_of(const sums *of, bool is_trusted, const char *name) {
    const double n = (double)of->n, mean = of->values / n, stated = of->variances / n;
    const double spread = of->n > 1 ? (of->squares - n * mean * mean) / (n - 1) : 0;
    return measure(mean, sqrt(worse(spread, stated) / n), is_trusted, name);
}

static void read_point(const facts *in, double n_hidden, isg_start start, point *out) {
    sums annealed = {0}, best = {0};
    bool is_trusted = true;
    char key[KEY_BYTES], name[FLAW_BYTES];
    for (;;) {
        snprintf(key, sizeof key, "fig4 p=%g %s run=%zu epoch=%g", n_hidden, start_titles[start],
                 annealed.n + 1, out->epoch);
        if (!has_piece(in, key))
            break;
        add(&annealed, fact(in, key, 1), fact(in, key, 2));
        const double value = peek(in, key, 3), error = peek(in, key, 4), trust = peek(in, key, 6);
        if (isnan(value) && isnan(error) && isnan(trust))
            continue; /* was not computed */
        add(&best, value, error);
        is_trusted = is_trusted && trust > 0 && isfinite(value) && isfinite(error);
    }
    snprintf(name, sizeof name, "p = %g, %s at epoch %g", n_hidden, start_titles[start],
             out->epoch);
    out->runs = annealed.n;
    out->annealed = mean_of(&annealed, true, name);
    out->best = mean_of(&best, is_trusted, name);
    out->has_best = best.n > 0 && (best.n == annealed.n || !is_trusted);
}

void read_curve(const facts *in, double n_hidden, isg_start start, curve *out) {
    double epochs[MOST_STOPS];
    char prefix[KEY_BYTES];
    *out = (curve){0};
    snprintf(prefix, sizeof prefix, "fig4 p=%g %s run=", n_hidden, start_titles[start]);
    for (void *at = json_object_iter(in->pieces); at; at = json_object_iter_next(in->pieces, at)) {
        const char *rest = after(json_object_iter_key(at), prefix);
        double epoch;
        size_t run;
        if (rest && sscanf(rest, "%zu epoch=%lg", &run, &epoch) == 2)
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

measured point_gap(const point *one, const point *two) {
    if (one->has_best && (two->has_best || one->best.flaw[0]))
        return less(&one->best, two->has_best ? &two->best : &two->annealed);
    if (two->has_best && two->best.flaw[0])
        return less(&one->annealed, &two->best);
    return less(&one->annealed, &two->annealed);
}

/* ---- Figs. 5 and E1 --------------------------------------------------------------------------- */

/* With the errors of counting among `samples` and of the mean over the runs. */
static measured mean_share(const sums *of, double samples, bool is_trusted, const char *name) {
    const double n = (double)of->n, mean = of->values / n;
    const double spread = of->n > 1 ? (of->squares - n * mean * mean) / (n - 1) : 0;
    const double error = sqrt(mean * (1 - mean) / samples + worse(spread, 0) / n);
    return measure(mean, error, is_trusted, name);
}

static share read_share(const facts *in, size_t k, isg_start start, size_t epoch) {
    sums on_test = {0}, on_training = {0};
    bool is_trusted = true;
    char key[KEY_BYTES], name[FLAW_BYTES];
    for (;;) {
        snprintf(key, sizeof key, "experts k=%zu %s run=%zu epoch=%zu", k, start_titles[start],
                 on_test.n + 1, epoch);
        if (!has_piece(in, key))
            break;
        add(&on_test, fact(in, key, 0), 0);
        add(&on_training, fact(in, key, 1), 0);
        is_trusted = is_trusted && peek(in, key, 2) > 0; /* has converged */
    }
    snprintf(name, sizeof name, "k = %zu, %s at epoch %zu", k, start_titles[start], epoch);
    return (share){.runs = on_test.n,
                   .test = mean_share(&on_test, in->test_samples, is_trusted, name),
                   .training = mean_share(&on_training, in->train_samples, is_trusted, name)};
}

static void read_expert_curve(const facts *in, size_t k, isg_start start, expert_curve *out) {
    double epochs[MOST_STOPS];
    char prefix[KEY_BYTES];
    out->n = 0;
    snprintf(prefix, sizeof prefix, "experts k=%zu %s run=", k, start_titles[start]);
    for (void *at = json_object_iter(in->pieces); at; at = json_object_iter_next(in->pieces, at)) {
        const char *rest = after(json_object_iter_key(at), prefix);
        double epoch;
        size_t run;
        if (rest && sscanf(rest, "%zu epoch=%lg", &run, &epoch) == 2 && epoch >= 0 &&
            epoch <= MOST_EPOCHS)
            insert(epochs, &out->n, MOST_STOPS, epoch);
    }
    for (size_t e = 0; e < out->n; e++) {
        out->stops[e] = (size_t)epochs[e];
        out->at[e] = read_share(in, k, start, out->stops[e]);
    }
}

const size_t expert_sizes[N_SIZES] = {10, 20, 100};

const expert_curve *curve_of(const expert_curves *all, size_t k, isg_start start) {
    size_t size = 0;
    while (expert_sizes[size] != k)
        size++;
    return &all->of[size][start];
}

static const share *find_share(const expert_curve *in, size_t epoch) {
    for (size_t e = 0; e < in->n; e++)
        if (in->stops[e] == epoch)
            return &in->at[e];
    return NULL;
}

share share_at(const expert_curves *all, size_t k, isg_start start, size_t epoch) {
    const share *found = find_share(curve_of(all, k, start), epoch);
    return found ? *found : (share){.runs = 0};
}

/* Figs. 5 and E1 may have different numbers of runs. */
static size_t *runs_of(size_t runs[2], size_t start, size_t epoch) {
    return &runs[start == ISG_START_HEBBIAN || epoch > 50];
}

/* Whether the curve has every stop, up to its own last one, that another start of this size has, with
   so many runs. */
static bool is_whole(const expert_curve *of_starts, size_t start, size_t k, size_t runs[2],
                     ruling *why_not) {
    const expert_curve *mine = &of_starts[start];
    for (size_t s = 0; mine->n > 0 && s < N_STARTS; s++)
        for (size_t e = 0; e < of_starts[s].n; e++) {
            const size_t epoch = of_starts[s].stops[e];
            const share *found = find_share(mine, epoch);
            const size_t wanted = *runs_of(runs, start, epoch);
            if (epoch > mine->stops[mine->n - 1] || (found && found->runs == wanted))
                continue;
            not_computed(why_not, "not finished: k = %zu, %s has %zu of %zu runs at epoch %zu", k,
                         start_titles[start], found ? found->runs : 0, wanted, epoch);
            return false;
        }
    return true;
}

bool read_experts(const facts *in, expert_curves *out, ruling *why_not) {
    size_t runs[2] = {0, 0};
    for (size_t k = 0; k < N_SIZES; k++)
        for (size_t s = 0; s < N_STARTS; s++) {
            expert_curve *mine = &out->of[k][s];
            read_expert_curve(in, expert_sizes[k], (isg_start)s, mine);
            for (size_t e = 0; e < mine->n; e++) {
                size_t *most = runs_of(runs, s, mine->stops[e]);
                *most = mine->at[e].runs > *most ? mine->at[e].runs : *most;
            }
        }
    for (size_t k = 0; k < N_SIZES; k++)
        for (size_t s = 0; s < N_STARTS; s++)
            if (!is_whole(out->of[k], s, expert_sizes[k], runs, why_not))
                return false;
    return true;
}
