/* unmap_capture.c - the projection network nearest to an RBM
 *
 * SPDX-License-Identifier: MIT
 *
 * Of all projection networks the one that is nearest to the RBM, in the sense that samples of the RBM
 * are most probable, captures most of them: it maximises tr(P C) with C = <s s^T> under the RBM, as
 * learning from data does under the data (patterns/learn.c). The residual |b - P b|^2 of the other
 * methods is not what makes it near: their projectors are the RBM's own, whatever it samples.
 */
#include "base/progress_part.h"
#include "data/data.h"
#include "mapping/unmap.h"
#include "patterns/patterns.h"
#include "sample/sample.h"

/* The mirror image of a pattern is the same to the network. */
static void turn_like(isg_patterns *patterns, const isg_patterns *start) {
    const size_t n = patterns->info.n_visible;
    for (size_t mu = 0; mu < patterns->info.n_patterns; mu++) {
        uint64_t *row = isg_patterns_spins(patterns, mu);
        if (2 * isg_hamming(row, isg_patterns_spins(start, mu), patterns->words) <= n)
            continue;
        for (size_t w = 0; w < patterns->words; w++)
            row[w] = ~row[w];
        isg_clear_tail(row, n);
    }
}

/* As many clusters of the samples or, if their patterns are dependent or fewer, random patterns. */
static isg_status cluster(isg_patterns **out, const isg_dataset *samples, size_t count,
                          uint64_t seed) {
    isg_pattern_options how = isg_pattern_defaults();
    isg_patterns *clusters = NULL;
    size_t rank = 0;
    isg_status status = ISG_OK;
    how.per_class = count;
    ISG_TRY_GOTO(isg_patterns_from_data(&clusters, samples, &how, NULL));
    ISG_TRY_GOTO(isg_patterns_find_rank(clusters, true, &rank));
    if (rank < count) {
        status = isg_patterns_random(out, samples->info.n_visible, count, seed);
    } else {
        *out = clusters;
        clusters = NULL;
    }
done:
    isg_patterns_free(clusters);
    return status;
}

isg_status isg_unmap_capture(isg_patterns **out, const isg_rbm *rbm, const isg_patterns *start,
                             const isg_unmap_options *options, isg_unmap_report *report,
                             const isg_progress *progress) {
    isg_dataset *samples = NULL;
    isg_patterns *clusters = NULL, *learned = NULL;
    isg_learning learning;
    isg_status status = ISG_OK;
    isg_part part;
    ISG_TRY_GOTO(isg_rbm_draw(&samples, rbm, options->samples, options->stay ? options->data : NULL,
                              options->seed, &report->mixing,
                              isg_part_of(&part, progress, 0, 0.5)));
    if (!start)
        ISG_TRY_GOTO(cluster(&clusters, samples, options->count, options->seed));
    ISG_TRY_GOTO(isg_patterns_learn(&learned, start ? start : clusters, samples, NULL, &learning,
                                    isg_part_of(&part, progress, 0.5, 1)));
    if (start)
        turn_like(learned, start);
    report->capture_before = learning.capture_before;
    report->capture = learning.capture;
    report->flips = learning.flips;
    *out = learned;
done:
    isg_dataset_free(samples);
    isg_patterns_free(clusters);
    return status;
}
