/* recall.c - a Hopfield network as an associative memory
 *
 * SPDX-License-Identifier: MIT
 *
 * What both protocols share: options, classes matched by name, and the readout of the samples
 * without any dynamics, which the dynamics have to beat.
 */
#include "recall/recall.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

isg_recall_options isg_recall_defaults(isg_recall_protocol protocol) {
    const bool is_published = protocol == ISG_RECALL_PUBLISHED;
    return (isg_recall_options){.protocol = protocol,
                                .rule = ISG_RULE_PROJECTION,
                                .keep_diagonal = !is_published,
                                .dynamics = is_published ? ISG_DYNAMICS_SYNCHRONOUS
                                                         : ISG_DYNAMICS_ASYNCHRONOUS,
                                .ensemble = ISG_DYNAMICS_PARALLEL,
                                .beta = 2,
                                .threshold = 0.7,
                                .max_updates = is_published ? 100 : 1000,
                                .trajectories = 20,
                                .readout = ISG_READOUT_PROJECTION,
                                .seed = 1};
}

static isg_status check_published(const isg_recall_options *options) {
    if (isg_dynamics_is_thermal(options->dynamics))
        return isg_fail(ISG_ERR_ARGUMENT, "the published protocol begins at zero temperature: "
                                          "expected synchronous or asynchronous dynamics");
    return isg_passages_check("trajectories", options->ensemble, options->threshold,
                              options->trajectories);
}

static isg_status check(const isg_patterns *patterns, const isg_dataset *data,
                        const isg_recall_options *options) {
    if (patterns->info.n_visible != data->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "the data have %zu units, the patterns %zu",
                        data->info.n_visible, patterns->info.n_visible);
    if (options->protocol != ISG_RECALL_PUBLISHED && options->protocol != ISG_RECALL_ATTRACTOR)
        return isg_fail(ISG_ERR_ARGUMENT, "protocol: expected a known one, found number %d",
                        (int)options->protocol);
    if (!isg_dynamics_exist(options->dynamics))
        return isg_fail(ISG_ERR_ARGUMENT, "dynamics: expected a known kind, found number %d",
                        (int)options->dynamics);
    if ((int)options->readout < 0 || options->readout >= ISG_N_READOUTS)
        return isg_fail(ISG_ERR_ARGUMENT, "readout: expected a known one, found number %d",
                        (int)options->readout);
    return options->protocol == ISG_RECALL_PUBLISHED ? check_published(options) : ISG_OK;
}

/* ---- classes ------------------------------------------------------------------------------------ */

static isg_status name_labels(isg_recall *recall, const isg_patterns *patterns) {
    const bool has_labels = patterns->labels.count > 0;
    const size_t p = patterns->info.n_patterns;
    recall->summary.n_labels = has_labels ? patterns->labels.n_classes : p;
    ISG_TRY(ISG_ALLOCATE(recall->names, recall->summary.n_labels));
    ISG_TRY(ISG_ALLOCATE(recall->label_of, p));
    for (size_t mu = 0; mu < p; mu++)
        recall->label_of[mu] = has_labels ? patterns->labels.index[mu] : mu;
    for (size_t k = 0; k < recall->summary.n_labels; k++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", k);
        recall->names[k] = isg_copy_text(has_labels ? patterns->labels.names[k] : number);
        if (!recall->names[k])
            return ISG_ERR_MEMORY;
    }
    return ISG_OK;
}

/* Patterns without labels match no class, even if a class has the name of their number. */
static isg_status match_classes(isg_recall *recall, const isg_patterns *patterns,
                                const isg_dataset *data) {
    isg_recall_summary *summary = &recall->summary;
    const bool has_labels = patterns->labels.count > 0 && data->labels.count > 0;
    summary->n_classes = isg_dataset_groups(data);
    ISG_TRY(ISG_ALLOCATE(recall->right, summary->n_classes));
    for (size_t c = 0; c < summary->n_classes; c++) {
        recall->right[c] = SIZE_MAX;
        for (size_t k = 0; has_labels && k < summary->n_labels; k++)
            if (strcmp(recall->names[k], data->labels.names[c]) == 0)
                recall->right[c] = k;
        summary->has_accuracy = summary->has_accuracy || recall->right[c] != SIZE_MAX;
        if (has_labels && recall->right[c] == SIZE_MAX)
            summary->n_foreign += data->class_sizes[c];
    }
    return ISG_OK;
}

static isg_status make_room(isg_recall *recall, const isg_patterns *patterns,
                            const isg_dataset *data) {
    ISG_TRY(name_labels(recall, patterns));
    ISG_TRY(match_classes(recall, patterns, data));
    const size_t rows = recall->summary.n_classes;
    const size_t columns = recall->summary.n_labels + ISG_N_ENDS - 1;
    ISG_TRY(ISG_ALLOCATE_MATRIX(recall->confusion, rows, columns));
    ISG_TRY(ISG_ALLOCATE_MATRIX(recall->ends, rows, columns));
    return ISG_ALLOCATE(recall->outcomes, data->info.n_samples);
}

/* ---- readouts ------------------------------------------------------------------------------------ */

/* The first of the largest up to rounding, which is far below the effect of one spin. */
static size_t largest(const double *values, size_t count) {
    const double equal = 1e-10;
    size_t best = 0;
    for (size_t k = 1; k < count; k++)
        if (values[k] > values[best] + equal)
            best = k;
    return best;
}

isg_status isg_readout_of(const isg_hopfield *network, const uint64_t *spins, double *m, double *a,
                          size_t pattern[ISG_N_READOUTS]) {
    const size_t p = network->info.n_patterns;
    isg_hopfield_overlaps(network, spins, m);
    ISG_TRY(isg_hopfield_projections(network, spins, a));
    pattern[ISG_READOUT_OVERLAP] = largest(m, p);
    pattern[ISG_READOUT_PROJECTION] = largest(a, p);
    for (size_t mu = 0; mu < p; mu++)
        a[mu] = m[mu] * (network->info.rule == ISG_RULE_PROJECTION ? a[mu] : m[mu]);
    pattern[ISG_READOUT_ENERGY] = largest(a, p);
    return ISG_OK;
}

static isg_status read_starts(isg_recall *recall, const isg_hopfield *network,
                              const isg_dataset *data) {
    const size_t p = network->info.n_patterns, n_samples = data->info.n_samples;
    double *m = NULL, *a = NULL;
    size_t right[ISG_N_READOUTS] = {0};
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(m, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(a, p));
    for (size_t sample = 0; sample < n_samples; sample++) {
        size_t pattern[ISG_N_READOUTS];
        ISG_TRY_GOTO(isg_readout_of(network, isg_dataset_spins(data, sample), m, a, pattern));
        for (size_t k = 0; k < ISG_N_READOUTS; k++)
            right[k] +=
                recall->label_of[pattern[k]] == recall->right[isg_recall_class(data, sample)];
    }
    for (size_t k = 0; k < ISG_N_READOUTS; k++)
        recall->summary.start_accuracy[k] = (double)right[k] / (double)n_samples;
done:
    isg_release(m);
    isg_release(a);
    return status;
}

/* ---- everything ---------------------------------------------------------------------------------- */

static void finish(isg_recall *recall) {
    isg_recall_summary *summary = &recall->summary;
    const size_t columns = summary->n_labels + ISG_N_ENDS - 1;
    double right = 0;
    for (size_t c = 0; c < summary->n_classes; c++) {
        if (recall->right[c] != SIZE_MAX)
            right += recall->confusion[c * columns + recall->right[c]];
        for (size_t k = summary->n_labels; k < columns; k++)
            summary->undecided += recall->ends[c * columns + k];
    }
    summary->accuracy = right / (double)summary->n_samples;
    for (size_t a = 0; a < summary->n_samples; a++)
        summary->ends[recall->outcomes[a].end]++;
    for (size_t k = 0; k < ISG_N_READOUTS && !summary->has_accuracy; k++)
        summary->accuracy = summary->start_accuracy[k] = summary->end_accuracy[k] = (double)NAN;
}

isg_status isg_recall_run(isg_recall **out, const isg_patterns *patterns, const isg_dataset *data,
                          const isg_recall_options *options, const isg_progress *progress) {
    const isg_recall_options defaults = isg_recall_defaults(ISG_RECALL_PUBLISHED);
    options = options ? options : &defaults;
    ISG_TRY(check(patterns, data, options));
    const isg_hopfield_options how = {.rule = options->rule,
                                      .keep_diagonal = options->keep_diagonal,
                                      .allow_rank_deficient = options->allow_rank_deficient};
    isg_hopfield *network = NULL;
    isg_recall *recall = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_hopfield_create(&network, patterns, &how));
    ISG_TRY_GOTO(ISG_ALLOCATE(recall, 1));
    recall->summary.options = *options;
    recall->summary.n_samples = data->info.n_samples;
    for (size_t k = 0; k < ISG_N_READOUTS; k++)
        recall->summary.end_accuracy[k] = (double)NAN;
    ISG_TRY_GOTO(make_room(recall, patterns, data));
    ISG_TRY_GOTO(read_starts(recall, network, data));
    ISG_TRY_GOTO(options->protocol == ISG_RECALL_PUBLISHED
                     ? isg_recall_published(recall, network, data, progress)
                     : isg_recall_attractor(recall, network, data, progress));
    finish(recall);
    *out = recall;
    recall = NULL;
done:
    isg_recall_free(recall);
    isg_hopfield_free(network);
    return status;
}

void isg_recall_free(isg_recall *recall) {
    if (!recall)
        return;
    for (size_t k = 0; recall->names && k < recall->summary.n_labels; k++)
        isg_release(recall->names[k]);
    isg_release(recall->names);
    isg_release(recall->label_of);
    isg_release(recall->right);
    isg_release(recall->confusion);
    isg_release(recall->ends);
    isg_release(recall->outcomes);
    isg_release(recall->updates);
    isg_release(recall);
}

isg_recall_summary isg_recall_describe(const isg_recall *recall) {
    return recall->summary;
}

const isg_recall_outcome *isg_recall_outcomes(const isg_recall *recall) {
    return recall->outcomes;
}

static isg_matd_view table_of(const isg_recall *recall, const double *table) {
    const size_t columns = recall->summary.n_labels + ISG_N_ENDS - 1;
    return (isg_matd_view){table, recall->summary.n_classes, columns, columns};
}

isg_matd_view isg_recall_confusion(const isg_recall *recall) {
    return table_of(recall, recall->confusion);
}

isg_matd_view isg_recall_ends(const isg_recall *recall) {
    return table_of(recall, recall->ends);
}

const char *isg_recall_label(const isg_recall *recall, size_t label) {
    return recall->names[label];
}

const double *isg_recall_updates(const isg_recall *recall) {
    return recall->updates;
}
