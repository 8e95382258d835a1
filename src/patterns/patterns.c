/* patterns.c - binary patterns: made from data, copied, compared
 *
 * SPDX-License-Identifier: MIT
 *
 * A pattern is the sign of the mean over the samples of a class (Eq. 13 of the paper), or over one
 * of the clusters that Ward's method finds in it.
 */
#include "patterns/patterns.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sha256.h"
#include "base/threads.h"
#include "data/data.h"
#include "patterns/ward.h"

/* ---- making and reading them ------------------------------------------------------------------- */

isg_status isg_patterns_allocate(isg_patterns **out, size_t n_visible, size_t n_patterns) {
    isg_patterns *patterns = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(patterns, 1));
    patterns->info.n_visible = n_visible;
    patterns->info.n_patterns = n_patterns;
    patterns->words = isg_words(n_visible);
    patterns->spins = isg_allocate(n_patterns, patterns->words * sizeof *patterns->spins);
    if (!patterns->spins)
        status = ISG_ERR_MEMORY;
    else
        status = ISG_ALLOCATE(patterns->members, n_patterns);
    if (status != ISG_OK) {
        isg_patterns_free(patterns);
        return status;
    }
    *out = patterns;
    return ISG_OK;
}

isg_status isg_patterns_create(isg_patterns **out, size_t n_visible, size_t n_patterns,
                               const int8_t *xi, const char *const *labels) {
    if (n_visible == 0 || n_patterns == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "expected at least one pattern of one unit");
    isg_patterns *patterns = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_patterns_allocate(&patterns, n_visible, n_patterns));
    for (size_t i = 0; i < n_visible; i++)
        for (size_t mu = 0; mu < n_patterns; mu++) {
            const int8_t spin = xi[i * n_patterns + mu];
            if (spin != 1 && spin != -1)
                ISG_TRY_GOTO(isg_fail(ISG_ERR_ARGUMENT,
                                      "unit %zu of pattern %zu: expected +1 or -1, found %d", i, mu,
                                      spin));
            isg_bit_assign(isg_patterns_spins(patterns, mu), i, spin > 0);
        }
    for (size_t mu = 0; labels && mu < n_patterns; mu++)
        ISG_TRY_GOTO(labels[mu] ? isg_labels_add_text(&patterns->labels, labels[mu], "labels")
                                : isg_fail(ISG_ERR_ARGUMENT,
                                           "labels: expected one for every pattern, found none for "
                                           "pattern %zu",
                                           mu));
    ISG_TRY_GOTO(isg_labels_finish(&patterns->labels));
    patterns->info.has_labels = labels != NULL;
    *out = patterns;
    patterns = NULL;
done:
    isg_patterns_free(patterns);
    return status;
}

void isg_patterns_free(isg_patterns *patterns) {
    if (!patterns)
        return;
    isg_release(patterns->spins);
    isg_release(patterns->members);
    isg_labels_clear(&patterns->labels);
    isg_encoding_free(patterns->encoding);
    isg_release(patterns);
}

isg_patterns_info isg_patterns_describe(const isg_patterns *patterns) {
    return patterns->info;
}

const uint64_t *isg_patterns_row(const isg_patterns *patterns, size_t mu) {
    return mu < patterns->info.n_patterns ? isg_patterns_spins(patterns, mu) : NULL;
}

const char *isg_patterns_label(const isg_patterns *patterns, size_t mu) {
    return mu < patterns->labels.count ? patterns->labels.names[patterns->labels.index[mu]] : NULL;
}

const isg_encoding *isg_patterns_encoding(const isg_patterns *patterns) {
    return patterns->encoding;
}

isg_status isg_patterns_set_encoding(isg_patterns *patterns, const isg_encoding *encoding) {
    if (encoding && encoding->info.n_visible != patterns->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "the encoding has %zu units, the patterns %zu",
                        encoding->info.n_visible, patterns->info.n_visible);
    isg_encoding *before = patterns->encoding;
    patterns->encoding = isg_encoding_share(encoding);
    isg_encoding_free(before);
    return ISG_OK;
}

isg_status isg_patterns_set_image(isg_patterns *patterns, size_t height, size_t width) {
    size_t pixels = 0;
    if (!isg_multiply(&pixels, height, width) || pixels != patterns->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "an image of %zu x %zu does not have %zu pixels", height,
                        width, patterns->info.n_visible);
    patterns->info.image_height = height;
    patterns->info.image_width = width;
    return ISG_OK;
}

size_t isg_patterns_members(const isg_patterns *patterns, size_t mu) {
    return mu < patterns->info.n_patterns ? patterns->members[mu] : 0;
}

size_t isg_patterns_positive(const isg_patterns *patterns, size_t mu) {
    return mu < patterns->info.n_patterns
               ? isg_count_ones(isg_patterns_spins(patterns, mu), patterns->words)
               : 0;
}

static double dot(const isg_patterns *patterns, size_t mu, size_t nu) {
    const size_t different = isg_hamming(isg_patterns_spins(patterns, mu),
                                         isg_patterns_spins(patterns, nu), patterns->words);
    return (double)patterns->info.n_visible - 2 * (double)different;
}

double isg_patterns_overlap(const isg_patterns *patterns, size_t mu, size_t nu) {
    return dot(patterns, mu, nu) / (double)patterns->info.n_visible;
}

isg_status isg_patterns_copy(isg_patterns **out, const isg_patterns *from, size_t skip,
                             const uint64_t *extra, const char *label) {
    const size_t p = from->info.n_patterns, kept = p - (skip < p);
    isg_patterns *copy = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_patterns_allocate(&copy, from->info.n_visible, kept + (extra != NULL)));
    const size_t n_patterns = copy->info.n_patterns, row = copy->words * sizeof *copy->spins;
    copy->info = from->info;
    copy->info.n_patterns = n_patterns;
    copy->encoding = isg_encoding_share(from->encoding);
    if (kept < p)
        copy->info.n_ties = copy->info.n_capped = 0; /* the counts are not known per pattern */
    for (size_t mu = 0, nu = 0; mu < p; mu++) {
        if (mu == skip)
            continue;
        memcpy(isg_patterns_spins(copy, nu), isg_patterns_spins(from, mu), row);
        copy->members[nu++] = from->members[mu];
        if (from->labels.count)
            ISG_TRY_GOTO(
                isg_labels_add_text(&copy->labels, isg_patterns_label(from, mu), "labels"));
    }
    if (extra) {
        uint64_t *last = isg_patterns_spins(copy, kept);
        memcpy(last, extra, row);
        isg_clear_tail(last, from->info.n_visible);
    }
    if (extra && label)
        ISG_TRY_GOTO(isg_labels_add_text(&copy->labels, label, "label"));
    ISG_TRY_GOTO(isg_labels_finish(&copy->labels));
    *out = copy;
    copy = NULL;
done:
    isg_patterns_free(copy);
    return status;
}

void isg_patterns_fill(const isg_patterns *patterns, isg_matd xi) {
    for (size_t i = 0; i < patterns->info.n_visible; i++)
        for (size_t mu = 0; mu < patterns->info.n_patterns; mu++)
            xi.data[i * xi.stride + mu] = isg_spin(isg_patterns_spins(patterns, mu), i);
}

void isg_patterns_gram(const isg_patterns *patterns, isg_matd gram) {
    for (size_t mu = 0; mu < patterns->info.n_patterns; mu++)
        for (size_t nu = 0; nu < patterns->info.n_patterns; nu++)
            gram.data[mu * gram.stride + nu] = dot(patterns, mu, nu);
}

/* ---- from data ---------------------------------------------------------------------------------- */

/* The sign of the mean over the samples `rows` (count); a tie is -1, and counted. */
static void set_mean_sign(isg_patterns *patterns, size_t mu, const isg_dataset *data,
                          const size_t *rows, size_t count, uint32_t *ups) {
    const size_t n_visible = patterns->info.n_visible;
    memset(ups, 0, n_visible * sizeof *ups);
    for (size_t k = 0; k < count; k++) {
        const uint64_t *row = isg_dataset_spins(data, rows[k]);
        for (size_t word = 0; word < data->words; word++)
            for (uint64_t left = row[word]; left != 0; left &= left - 1)
                ups[64 * word + (size_t)__builtin_ctzll(left)]++;
    }
    for (size_t i = 0; i < n_visible; i++) {
        isg_bit_assign(isg_patterns_spins(patterns, mu), i, 2 * (size_t)ups[i] > count);
        patterns->info.n_ties += 2 * (size_t)ups[i] == count;
    }
    patterns->members[mu] = count;
}

enum { MOST_CLUSTERED = 20000 };

/* The samples ordered by class, and the cluster of each. */
typedef struct class_work {
    const isg_dataset *data;
    bool has_labels; /* and they count */
    size_t n_classes, n_capped, n_sampled, ward_samples;
    size_t *rows;      /* (n_samples) ordered by class */
    size_t *starts;    /* (n_classes + 1) where each class begins in rows, */
    size_t *firsts;    /* (n_classes + 1) and among the patterns */
    uint32_t *cluster; /* (n_samples) in the order of rows; all 0 if a class is one cluster */
    size_t *members;   /* (n_samples) the rows of one cluster */
    uint32_t *ups;     /* (n_visible) */
} class_work;

static void class_work_free(class_work *work) {
    isg_release(work->rows);
    isg_release(work->starts);
    isg_release(work->firsts);
    isg_release(work->cluster);
    isg_release(work->members);
    isg_release(work->ups);
}

/* How many patterns each class gets. */
static isg_status share_patterns(class_work *work, const isg_pattern_options *options) {
    const size_t wanted = options->per_class, most = work->ward_samples;
    for (size_t c = 0; c < work->n_classes; c++) {
        const size_t count = work->starts[c + 1] - work->starts[c];
        if (count == 0 || (count < wanted && !options->cap))
            return isg_fail(ISG_ERR_ARGUMENT, "class %s has %zu samples, too few for %zu pattern%s",
                            work->has_labels ? work->data->labels.names[c] : "(all)", count, wanted,
                            wanted > 1 ? "s" : "");
        work->n_capped += count < wanted;
        work->n_sampled += wanted > 1 && count > most;
        work->firsts[c + 1] = work->firsts[c] + (count < wanted ? count : wanted);
        if (wanted > 1 && most < work->firsts[c + 1] - work->firsts[c])
            return isg_fail(ISG_ERR_ARGUMENT, "%zu samples cannot be divided into %zu clusters",
                            most, wanted);
    }
    return ISG_OK;
}

static isg_status class_work_start(class_work *work, const isg_dataset *data,
                                   const isg_pattern_options *options) {
    const size_t n = data->info.n_samples;
    *work = (class_work){.data = data,
                         .has_labels = data->labels.count > 0 && !options->ignore_labels,
                         .n_classes = options->ignore_labels ? 1 : isg_dataset_groups(data),
                         .ward_samples =
                             options->ward_samples > 0 ? options->ward_samples : MOST_CLUSTERED};
    ISG_TRY(ISG_ALLOCATE(work->rows, n));
    ISG_TRY(ISG_ALLOCATE(work->starts, work->n_classes + 1));
    ISG_TRY(ISG_ALLOCATE(work->firsts, work->n_classes + 1));
    ISG_TRY(ISG_ALLOCATE(work->cluster, n));
    ISG_TRY(ISG_ALLOCATE(work->members, n));
    ISG_TRY(ISG_ALLOCATE(work->ups, data->info.n_visible));
    if (options->ignore_labels) {
        work->starts[1] = n;
        for (size_t a = 0; a < n; a++)
            work->rows[a] = a;
    } else {
        isg_dataset_group(data, work->rows, work->starts);
    }
    return share_patterns(work, options);
}

/* Classes are clustered in parallel. The calling thread reports progress for all of them and learns
   whether to continue. */
typedef struct shared_progress {
    const isg_progress *outer; /* may be NULL */
    size_t n_samples;
    atomic_size_t done; /* samples' worth of clustering, over all classes */
    atomic_bool is_cancelled;
} shared_progress;

typedef struct class_progress {
    shared_progress *shared;
    size_t count; /* samples of the class */
    size_t done;  /* samples of it reported so far */
} class_progress;

static bool report_class(void *user, double fraction) {
    class_progress *own = user;
    shared_progress *shared = own->shared;
    const size_t done = (size_t)(fraction * (double)own->count);
    const size_t total = atomic_fetch_add(&shared->done, done - own->done) + done - own->done;
    own->done = done;
    if (omp_get_thread_num() == 0 && shared->outer &&
        !shared->outer->report(shared->outer->user, (double)total / (double)shared->n_samples))
        atomic_store(&shared->is_cancelled, true);
    return !atomic_load(&shared->is_cancelled);
}

static isg_status cluster_class(const class_work *work, size_t c, shared_progress *shared) {
    const size_t start = work->starts[c], count = work->starts[c + 1] - start;
    class_progress own = {.shared = shared, .count = count};
    const isg_progress progress = {report_class, &own};
    return isg_ward_clusters(work->data, work->rows + start, count, work->ward_samples,
                             work->firsts[c + 1] - work->firsts[c], work->cluster + start,
                             &progress);
}

/* Clusterings are independent, so the number of threads changes only the time. Unlike other loops
   they allocate as they go and may fail; the calling thread sets the error message. */
static isg_status cluster_classes(const class_work *work, const isg_progress *outer) {
    shared_progress shared = {.outer = outer, .n_samples = work->data->info.n_samples};
    isg_status *results = NULL, status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(results, work->n_classes));
#pragma omp parallel for schedule(dynamic) num_threads((int)isg_team_for(work->n_classes))
    for (size_t c = 0; c < work->n_classes; c++)
        results[c] = cluster_class(work, c, &shared);
    for (size_t c = 0; c < work->n_classes && status == ISG_OK; c++)
        status = results[c];
    isg_release(results);
    if (status == ISG_ERR_CANCELLED)
        return isg_fail(status, "clustering was cancelled");
    if (status == ISG_ERR_MEMORY)
        return isg_fail(status,
                        "out of memory while clustering: of every class at most %zu samples, "
                        "with about 2 bytes for every pair of them; cluster fewer",
                        work->ward_samples);
    return status == ISG_OK ? ISG_OK : isg_fail(status, "a class is too large to cluster");
}

static isg_status make_class(isg_patterns *patterns, const class_work *work, size_t c) {
    const isg_dataset *data = work->data;
    for (size_t mu = work->firsts[c]; mu < work->firsts[c + 1]; mu++) {
        size_t count = 0;
        for (size_t a = work->starts[c]; a < work->starts[c + 1]; a++)
            if (work->cluster[a] == mu - work->firsts[c])
                work->members[count++] = work->rows[a];
        set_mean_sign(patterns, mu, data, work->members, count, work->ups);
        if (work->has_labels)
            ISG_TRY(isg_labels_add_text(&patterns->labels, data->labels.names[c], "labels"));
    }
    return ISG_OK;
}

isg_pattern_options isg_pattern_defaults(void) {
    return (isg_pattern_options){.per_class = 1, .ward_samples = MOST_CLUSTERED};
}

isg_status isg_patterns_from_data(isg_patterns **out, const isg_dataset *data,
                                  const isg_pattern_options *options,
                                  const isg_progress *progress) {
    const isg_pattern_options defaults = isg_pattern_defaults();
    options = options ? options : &defaults;
    if (options->per_class == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "expected at least one pattern per class, found 0");
    isg_patterns *patterns = NULL;
    class_work work;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(class_work_start(&work, data, options));
    ISG_TRY_GOTO(
        isg_patterns_allocate(&patterns, data->info.n_visible, work.firsts[work.n_classes]));
    patterns->info.n_capped = work.n_capped;
    patterns->info.n_sampled = work.n_sampled;
    patterns->encoding = isg_encoding_share(data->encoding);
    patterns->info.image_height = data->info.image_height;
    patterns->info.image_width = data->info.image_width;
    patterns->info.has_labels = work.has_labels;
    if (options->per_class > 1)
        ISG_TRY_GOTO(cluster_classes(&work, progress));
    for (size_t c = 0; c < work.n_classes; c++) {
        ISG_TRY_GOTO(make_class(patterns, &work, c));
        const double done = options->per_class > 1 ? 1 : (double)(c + 1) / (double)work.n_classes;
        if (progress && !progress->report(progress->user, done))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_CANCELLED, "making patterns was cancelled"));
    }
    ISG_TRY_GOTO(isg_labels_finish(&patterns->labels));
    *out = patterns;
    patterns = NULL;
done:
    isg_patterns_free(patterns);
    class_work_free(&work);
    return status;
}

/* ---- checksum ------------------------------------------------------------------------------------- */

typedef struct packed_pattern {
    const uint8_t *bytes;
    size_t size;
} packed_pattern;

static int by_bytes(const void *a, const void *b) {
    const packed_pattern *x = a, *y = b;
    return memcmp(x->bytes, y->bytes, x->size);
}

isg_status isg_patterns_checksum(const isg_patterns *patterns, char hex[65]) {
    const size_t n = patterns->info.n_patterns, size = (patterns->info.n_visible + 7) / 8;
    uint8_t *bytes = isg_allocate(n, size);
    packed_pattern *packed = NULL;
    isg_status status = ISG_OK;
    isg_sha256 hash;
    if (!bytes)
        return ISG_ERR_MEMORY;
    ISG_TRY_GOTO(ISG_ALLOCATE(packed, n));
    for (size_t mu = 0; mu < n; mu++) {
        packed[mu] = (packed_pattern){bytes + mu * size, size};
        isg_pack_bytes(isg_patterns_spins(patterns, mu), patterns->info.n_visible,
                       bytes + mu * size);
    }
    qsort(packed, n, sizeof *packed, by_bytes);
    isg_sha256_start(&hash);
    for (size_t mu = 0; mu < n; mu++)
        isg_sha256_add(&hash, packed[mu].bytes, size);
    isg_sha256_finish(&hash, hex);
done:
    isg_release(packed);
    isg_release(bytes);
    return status;
}
