/* shares.c - how often every unit is up in groups of samples
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "patterns/patterns.h"

/* The pattern of this label, or of any if it is NULL, that differs least from the sample. */
static uint32_t nearest_to(const isg_patterns *patterns, const uint64_t *spins, const char *label) {
    size_t least = SIZE_MAX;
    uint32_t found = UINT32_MAX;
    for (size_t mu = 0; mu < patterns->info.n_patterns; mu++) {
        if (label && strcmp(label, isg_patterns_label(patterns, mu)) != 0)
            continue;
        const size_t distance =
            isg_hamming(spins, isg_patterns_spins(patterns, mu), patterns->words);
        if (distance < least) {
            least = distance;
            found = (uint32_t)mu;
        }
    }
    return found;
}

isg_status isg_patterns_nearest(const isg_patterns *patterns, const isg_dataset *data,
                                uint32_t *nearest) {
    const isg_labels *labels = &data->labels;
    const bool has_labels = patterns->labels.count > 0 && labels->count > 0;
    if (patterns->info.n_visible != data->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "the data have %zu units, the patterns %zu",
                        data->info.n_visible, patterns->info.n_visible);
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
    for (size_t a = 0; a < data->info.n_samples; a++) {
        if (has_labels && labels->index[a] >= labels->n_classes)
            nearest[a] = UINT32_MAX;
        else
            nearest[a] = nearest_to(patterns, isg_dataset_spins(data, a),
                                    has_labels ? labels->names[labels->index[a]] : NULL);
    }
    return ISG_OK;
}

/* Threads share out the units, 64 to a word, so that no two count the same one. */
static void count_ups(uint32_t *ups, const isg_dataset *data, const uint32_t *groups, size_t n) {
    const size_t samples = data->info.n_samples;
#pragma omp parallel for schedule(dynamic, 4) num_threads(isg_team_size())
    for (size_t word = 0; word < data->words; word++)
        for (size_t a = 0; a < samples; a++) {
            const uint32_t group = groups ? groups[a] : 0;
            for (uint64_t up = group < n ? isg_dataset_spins(data, a)[word] : 0; up != 0;
                 up &= up - 1)
                ups[(64 * word + (size_t)__builtin_ctzll(up)) * n + group]++;
        }
}

isg_status isg_group_shares(isg_matd shares, const isg_dataset *data, const uint32_t *groups) {
    const size_t n_visible = data->info.n_visible, n = shares.cols;
    uint32_t *ups = NULL;
    size_t *sizes = NULL;
    isg_status status = ISG_OK;
    if (!groups && data->labels.count > 0)
        groups = data->labels.index;
    if (shares.rows != n_visible)
        return isg_fail(ISG_ERR_SHAPE, "expected room for the shares of %zu units, found %zu",
                        n_visible, shares.rows);
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(ups, n_visible, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(sizes, n));
    for (size_t a = 0; a < data->info.n_samples; a++)
        if ((groups ? groups[a] : 0) < n)
            sizes[groups ? groups[a] : 0]++;
    count_ups(ups, data, groups, n);
    for (size_t i = 0; i < n_visible; i++)
        for (size_t k = 0; k < n; k++)
            shares.data[i * shares.stride + k] =
                sizes[k] > 0 ? (double)ups[i * n + k] / (double)sizes[k] : (double)NAN;
done:
    isg_release(ups);
    isg_release(sizes);
    return status;
}
