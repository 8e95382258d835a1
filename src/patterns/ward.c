/* ward.c - Ward's hierarchical clustering of binary samples
 *
 * SPDX-License-Identifier: MIT
 *
 * The nearest-neighbor chain: follow nearest neighbors until two clusters are each other's, merge
 * them, repeat. Binary data have many ties, so the tree depends on how ties are broken and on every
 * rounding; both are as in SciPy. The chain starts at the lowest slot; a scan goes upward, takes
 * only strictly nearer clusters, and prefers the previous element of the chain; the merged cluster
 * takes the larger slot; its distances follow from the formula in ref.c, in that order of
 * operations; finally the merges are sorted stably by height.
 *
 * What makes it fast: a row of the distance matrix is computed from the bits when it is first
 * scanned, so only scanned clusters have one, and it is updated for merges when it is next scanned.
 * The distance of two clusters is in the row of the younger one; a scan copies from there what has
 * changed since the last. Nothing is ever written across rows.
 */
#include "patterns/ward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "kernels/kernels.h"

struct isg_ward {
    size_t n;
    isg_merge *merges;
};

/* A merge as it happens: slot `dropped` joins slot `kept`. */
typedef struct event {
    uint32_t dropped, kept;
    double height;
} event;

typedef struct clustering {
    const isg_kernels *kernels;
    size_t n, words;
    uint64_t *points;     /* (n, words) */
    double *roots;        /* square roots of all Hamming distances */
    uint32_t *hamming;    /* (n) scratch */
    double *sizes;        /* (n) of the cluster in a slot; 0 once dropped */
    double **rows;        /* (n) distances of a slot to all slots; NULL until scanned */
    size_t *rows_known;   /* (n) events a row is updated for */
    uint32_t *last_event; /* (n) 1 + the event that made the cluster in a slot; 0: no event did */
    event *events;
    size_t n_events;
    double **spare; /* rows of dropped slots, for reuse */
    size_t n_spare;
    uint32_t *chain;
    size_t chain_length;
} clustering;

static void clustering_free(clustering *work) {
    for (size_t x = 0; work->rows && x < work->n; x++)
        isg_release(work->rows[x]);
    for (size_t k = 0; k < work->n_spare; k++)
        isg_release(work->spare[k]);
    isg_release(work->points);
    isg_release(work->roots);
    isg_release(work->hamming);
    isg_release(work->sizes);
    isg_release(work->rows);
    isg_release(work->rows_known);
    isg_release(work->last_event);
    isg_release(work->events);
    isg_release(work->spare);
    isg_release(work->chain);
}

static isg_status clustering_start(clustering *work, const isg_dataset *data, const size_t *rows,
                                   size_t count) {
    *work = (clustering){.kernels = isg_kernels_get(), .n = count, .words = data->words};
    ISG_TRY(ISG_ALLOCATE_MATRIX(work->points, count, data->words));
    ISG_TRY(ISG_ALLOCATE(work->roots, data->info.n_visible + 1));
    ISG_TRY(ISG_ALLOCATE(work->hamming, count));
    ISG_TRY(ISG_ALLOCATE(work->sizes, count));
    ISG_TRY(ISG_ALLOCATE(work->rows, count));
    ISG_TRY(ISG_ALLOCATE(work->rows_known, count));
    ISG_TRY(ISG_ALLOCATE(work->last_event, count));
    ISG_TRY(ISG_ALLOCATE(work->events, count));
    ISG_TRY(ISG_ALLOCATE(work->spare, count));
    ISG_TRY(ISG_ALLOCATE(work->chain, count + 1));
    for (size_t d = 0; d <= data->info.n_visible; d++)
        work->roots[d] = sqrt((double)d);
    for (size_t x = 0; x < count; x++) {
        work->sizes[x] = 1;
        memcpy(work->points + x * data->words, isg_dataset_spins(data, rows[x]),
               data->words * sizeof *work->points);
    }
    return ISG_OK;
}

enum { PIECE = 256, LONG_ROW = 1 << 17 }; /* samples of one task; words that are worth threads */

/* The row of a single sample as if nothing had been merged yet. */
static isg_status create_row(clustering *work, size_t x) {
    double *row = NULL;
    if (work->n_spare > 0)
        row = work->spare[--work->n_spare];
    else
        ISG_TRY(ISG_ALLOCATE(row, work->n));
    const size_t n = work->n, words = work->words;
    /* Threads only pay if samples are long, and if no other class keeps them busy. */
    const int threads = n * words < LONG_ROW ? 1 : isg_team_size();
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t first = 0; first < n; first += PIECE) {
        const size_t end = n - first < PIECE ? n : first + PIECE;
        work->kernels->hamming(end - first, words, work->points + x * words,
                               work->points + first * words, words, work->hamming + first);
        for (size_t i = first; i < end; i++)
            row[i] = work->roots[work->hamming[i]];
    }
    row[x] = HUGE_VAL; /* never its own neighbor */
    work->rows[x] = row;
    work->rows_known[x] = 0;
    return ISG_OK;
}

/* Brings a row up to date. A cluster that was merged away is infinitely far. A cluster made since
   is younger than this row's, so its row has the distance. */
static isg_status update_row(clustering *work, size_t x) {
    if (!work->rows[x])
        ISG_TRY(create_row(work, x));
    double *row = work->rows[x];
    for (size_t k = work->rows_known[x]; k < work->n_events; k++) {
        const event *merge = &work->events[k];
        row[merge->dropped] = HUGE_VAL;
        if (work->last_event[merge->kept] == k + 1 && merge->kept != x)
            row[merge->kept] = work->rows[merge->kept][x];
    }
    work->rows_known[x] = work->n_events;
    return ISG_OK;
}

/* Extends the chain until its last two elements are each other's nearest neighbors. */
static isg_status follow_chain(clustering *work, double *height) {
    for (;;) {
        const size_t x = work->chain[work->chain_length - 1];
        ISG_TRY(update_row(work, x));
        const double *row = work->rows[x];
        const size_t nearest = work->kernels->nearest(work->n, row);
        if (work->chain_length > 1) {
            const size_t previous = work->chain[work->chain_length - 2];
            if (!(row[nearest] < row[previous])) {
                *height = row[previous];
                return ISG_OK;
            }
        }
        work->chain[work->chain_length++] = (uint32_t)nearest;
    }
}

static isg_status merge_pair(clustering *work, size_t a, size_t b, double height) {
    const size_t dropped = a < b ? a : b, kept = a < b ? b : a;
    ISG_TRY(update_row(work, dropped));
    ISG_TRY(update_row(work, kept));
    const double size_dropped = work->sizes[dropped], size_kept = work->sizes[kept];
    work->sizes[dropped] = 0;
    work->sizes[kept] = size_dropped + size_kept;
    work->kernels->ward_distances(work->n, size_dropped, size_kept, height, work->sizes,
                                  work->rows[dropped], work->rows[kept]);
    work->rows[kept][dropped] = HUGE_VAL;
    work->rows[kept][kept] = HUGE_VAL;
    work->events[work->n_events++] = (event){(uint32_t)dropped, (uint32_t)kept, height};
    work->last_event[kept] = (uint32_t)work->n_events;
    work->last_event[dropped] = 0;
    work->rows_known[kept] = work->n_events;
    work->spare[work->n_spare++] = work->rows[dropped];
    work->rows[dropped] = NULL;
    return ISG_OK;
}

static isg_status cluster_all(clustering *work, const isg_progress *progress) {
    size_t lowest = 0;
    while (work->n_events + 1 < work->n) {
        if (work->chain_length == 0) {
            while (work->sizes[lowest] == 0)
                lowest++;
            work->chain[work->chain_length++] = (uint32_t)lowest;
        }
        double height = 0;
        ISG_TRY(follow_chain(work, &height));
        work->chain_length -= 2;
        ISG_TRY(merge_pair(work, work->chain[work->chain_length],
                           work->chain[work->chain_length + 1], height));
        const double done = (double)work->n_events / (double)work->n;
        if (progress && work->n_events % 64 == 0 && !progress->report(progress->user, done))
            return isg_fail(ISG_ERR_CANCELLED, "clustering was cancelled");
    }
    return ISG_OK;
}

/* ---- the tree ---------------------------------------------------------------------------------- */

/* Sorts stably by height, merging from `events` to `scratch` and back. */
static void sort_events(event *events, event *scratch, size_t n) {
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t start = 0; start < n; start += 2 * width) {
            const size_t middle = start + width < n ? start + width : n;
            const size_t end = middle + width < n ? middle + width : n;
            size_t a = start, b = middle;
            for (size_t k = start; k < end; k++)
                scratch[k] = a < middle && (b >= end || events[a].height <= events[b].height)
                                 ? events[a++]
                                 : events[b++];
        }
        memcpy(events, scratch, n * sizeof *events);
    }
}

static uint32_t find_root(uint32_t *parent, uint32_t x) {
    while (parent[x] != x)
        x = parent[x] = parent[parent[x]];
    return x;
}

/* The sorted events name slots, which represent samples; the tree names clusters. */
static isg_status build_tree(isg_ward *tree, clustering *work) {
    const size_t n = tree->n;
    event *scratch = NULL;
    uint32_t *parent = NULL, *cluster = NULL, *size = NULL; /* of the root of a set of slots */
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(scratch, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(parent, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(cluster, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(size, n));
    sort_events(work->events, scratch, work->n_events);
    for (size_t x = 0; x < n; x++) {
        parent[x] = cluster[x] = (uint32_t)x;
        size[x] = 1;
    }
    for (size_t k = 0; k < work->n_events; k++) {
        const uint32_t a = find_root(parent, work->events[k].dropped);
        const uint32_t b = find_root(parent, work->events[k].kept);
        tree->merges[k] = (isg_merge){.first = cluster[a] < cluster[b] ? cluster[a] : cluster[b],
                                      .second = cluster[a] < cluster[b] ? cluster[b] : cluster[a],
                                      .size = size[a] + size[b],
                                      .height = work->events[k].height};
        parent[a] = b;
        cluster[b] = (uint32_t)(n + k);
        size[b] += size[a];
    }
done:
    isg_release(scratch);
    isg_release(parent);
    isg_release(cluster);
    isg_release(size);
    return status;
}

isg_status isg_ward_create(isg_ward **out, const isg_dataset *data, const size_t *rows,
                           size_t count, const isg_progress *progress) {
    if (count > INT32_MAX)
        return isg_fail(ISG_ERR_SHAPE, "%zu samples are too many to cluster", count);
    clustering work;
    isg_ward *tree = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(clustering_start(&work, data, rows, count));
    ISG_TRY_GOTO(ISG_ALLOCATE(tree, 1));
    tree->n = count;
    ISG_TRY_GOTO(ISG_ALLOCATE(tree->merges, count));
    ISG_TRY_GOTO(cluster_all(&work, progress));
    ISG_TRY_GOTO(build_tree(tree, &work));
    *out = tree;
    tree = NULL;
done:
    isg_ward_free(tree);
    clustering_free(&work);
    return status;
}

size_t isg_ward_count(const isg_ward *tree) {
    return tree->n;
}

const isg_merge *isg_ward_merges(const isg_ward *tree) {
    return tree->merges;
}

isg_status isg_ward_cut(const isg_ward *tree, size_t k, uint32_t *cluster) {
    const size_t n = tree->n;
    uint32_t *parent = NULL, *number = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(parent, 2 * n));
    ISG_TRY_GOTO(ISG_ALLOCATE(number, 2 * n));
    for (size_t c = 0; c < 2 * n; c++)
        parent[c] = (uint32_t)c;
    for (size_t m = 0; m + k < n; m++)
        parent[tree->merges[m].first] = parent[tree->merges[m].second] = (uint32_t)(n + m);
    uint32_t next = 0;
    for (size_t a = 0; a < n; a++) {
        const uint32_t root = find_root(parent, (uint32_t)a);
        if (number[root] == 0)
            number[root] = ++next;
        cluster[a] = number[root] - 1;
    }
done:
    isg_release(parent);
    isg_release(number);
    return status;
}

/* ---- more samples than a tree is made for ---------------------------------------------------------- */

/* The clusters found in a part of the samples, as means to which the others are compared. */
typedef struct centers {
    size_t k;
    size_t *sizes;     /* (k) */
    uint64_t *ups;     /* (n_visible, k): samples in which a unit is up; the mean is this / size */
    double *lengths;   /* (k): squares of the means */
    uint64_t *overlap; /* (k) scratch */
} centers;

static void centers_free(centers *my) {
    isg_release(my->sizes);
    isg_release(my->ups);
    isg_release(my->lengths);
    isg_release(my->overlap);
}

static isg_status find_centers(centers *my, const isg_dataset *data, const size_t *rows,
                               size_t count, const uint32_t *cluster, size_t k) {
    const size_t n = data->info.n_visible;
    *my = (centers){.k = k};
    ISG_TRY(ISG_ALLOCATE(my->sizes, k));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->ups, n, k));
    ISG_TRY(ISG_ALLOCATE(my->lengths, k));
    ISG_TRY(ISG_ALLOCATE(my->overlap, k));
    for (size_t a = 0; a < count; a++) {
        const uint64_t *spins = isg_dataset_spins(data, rows[a]);
        my->sizes[cluster[a]]++;
        for (size_t word = 0; word < data->words; word++)
            for (uint64_t left = spins[word]; left != 0; left &= left - 1)
                my->ups[(64 * word + (size_t)__builtin_ctzll(left)) * k + cluster[a]]++;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < k; j++) {
            const double mean = (double)my->ups[i * k + j] / (double)my->sizes[j];
            my->lengths[j] += mean * mean;
        }
    return ISG_OK;
}

/* The first of the nearest means: |s - m|^2 less |s|^2, which is the same for all. */
static uint32_t nearest_center(centers *my, const isg_dataset *data, size_t row) {
    double least = HUGE_VAL;
    uint32_t best = 0;
    const uint64_t *spins = isg_dataset_spins(data, row);
    memset(my->overlap, 0, my->k * sizeof *my->overlap);
    for (size_t word = 0; word < data->words; word++)
        for (uint64_t left = spins[word]; left != 0; left &= left - 1) {
            const uint64_t *ups = my->ups + (64 * word + (size_t)__builtin_ctzll(left)) * my->k;
            for (size_t j = 0; j < my->k; j++)
                my->overlap[j] += ups[j];
        }
    for (size_t j = 0; j < my->k; j++) {
        const double square = my->lengths[j] - 2 * (double)my->overlap[j] / (double)my->sizes[j];
        if (square < least) {
            least = square;
            best = (uint32_t)j;
        }
    }
    return best;
}

/* Numbers the clusters by their first samples. */
static isg_status renumber(uint32_t *cluster, size_t count, size_t k) {
    uint32_t *number = NULL, next = 0;
    ISG_TRY(ISG_ALLOCATE(number, k));
    for (size_t a = 0; a < count; a++) {
        if (number[cluster[a]] == 0)
            number[cluster[a]] = ++next;
        cluster[a] = number[cluster[a]] - 1;
    }
    isg_release(number);
    return ISG_OK;
}

/* Sample number a of the part, a count / part, in two terms that cannot overflow. */
static size_t chosen(size_t a, size_t part, size_t count) {
    return a * (count / part) + a * (count % part) / part;
}

static isg_status cluster_part(const isg_dataset *data, const size_t *rows, size_t count,
                               size_t part, size_t k, uint32_t *cluster,
                               const isg_progress *progress) {
    isg_status status = ISG_OK;
    size_t *some = NULL;
    uint32_t *of_some = NULL;
    isg_ward *tree = NULL;
    centers means = {0};
    ISG_TRY_GOTO(ISG_ALLOCATE(some, part));
    ISG_TRY_GOTO(ISG_ALLOCATE(of_some, part));
    for (size_t a = 0; a < part; a++)
        some[a] = rows[chosen(a, part, count)];
    ISG_TRY_GOTO(isg_ward_create(&tree, data, some, part, progress));
    ISG_TRY_GOTO(isg_ward_cut(tree, k, of_some));
    ISG_TRY_GOTO(find_centers(&means, data, some, part, of_some, k));
    for (size_t a = 0, next = 0; a < count; a++) {
        const bool is_chosen = next < part && chosen(next, part, count) == a;
        cluster[a] = is_chosen ? of_some[next++] : nearest_center(&means, data, rows[a]);
    }
    ISG_TRY_GOTO(renumber(cluster, count, k));
done:
    centers_free(&means);
    isg_ward_free(tree);
    isg_release(of_some);
    isg_release(some);
    return status;
}

isg_status isg_ward_clusters(const isg_dataset *data, const size_t *rows, size_t count, size_t most,
                             size_t k, uint32_t *cluster, const isg_progress *progress) {
    if (count > most)
        return cluster_part(data, rows, count, most, k, cluster, progress);
    isg_ward *tree = NULL;
    ISG_TRY(isg_ward_create(&tree, data, rows, count, progress));
    const isg_status status = isg_ward_cut(tree, k, cluster);
    isg_ward_free(tree);
    return status;
}

void isg_ward_free(isg_ward *tree) {
    if (!tree)
        return;
    isg_release(tree->merges);
    isg_release(tree);
}
