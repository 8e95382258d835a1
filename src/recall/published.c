/* published.c - recall as in appendix D of the paper
 *
 * SPDX-License-Identifier: MIT
 *
 * The appendix says that a state is "updated deterministically until it reaches a local minimum"
 * and only then compared. That does not give the paper's figures: the overlap must be compared
 * before every update, the first included, and most images of MNIST are decided by that first
 * comparison.
 */
#include <string.h>

#include "base/memory.h"
#include "recall/recall.h"

typedef struct descent {
    const isg_dataset *data;
    double threshold;
    isg_passage *out; /* (n_samples) */
} descent;

static void descend(isg_walker *walker, size_t number, void *user) {
    const descent *all = user;
    isg_dynamics_report report;
    memcpy(walker->own, isg_dataset_spins(all->data, number),
           walker->network->words * sizeof *walker->own);
    walker->spins = walker->own;
    walker->threshold = all->threshold;
    isg_walk(walker, (uint32_t)number, &report);
    all->out[number] = (isg_passage){.arrival = walker->arrival, .updates = report.sweeps};
}

/* Runs every sample once at zero temperature. */
static isg_status run_descent(isg_passage *out, const isg_hopfield *network,
                              const isg_dataset *data, const isg_recall_options *options,
                              const isg_progress *progress) {
    const isg_dynamics_options how = {
        .kind = options->dynamics, .sweeps = options->max_updates, .seed = options->seed};
    descent all = {.data = data, .threshold = options->threshold, .out = out};
    isg_crew crew = {0};
    isg_status status = ISG_OK;
    ISG_TRY(isg_dynamics_check(network, data->info.n_samples, &how));
    ISG_TRY_GOTO(isg_crew_create(&crew, network, &how, ISG_PURPOSE_DYNAMICS, data->info.n_samples));
    ISG_TRY_GOTO(isg_crew_run(&crew, data->info.n_samples, descend, &all, progress));
done:
    isg_crew_release(&crew);
    return status;
}

static void walk_on(isg_walker *walker, size_t number, void *user) {
    const isg_passages *all = user;
    isg_dynamics_report report;
    memcpy(walker->own, all->starts[number / all->trajectories],
           walker->network->words * sizeof *walker->own);
    walker->spins = walker->own;
    walker->threshold = all->threshold;
    isg_walk(walker, (uint32_t)number, &report);
    all->out[number] = (isg_passage){.arrival = walker->arrival, .updates = report.sweeps};
}

isg_status isg_passages_check(const char *what, isg_dynamics kind, double threshold,
                              size_t trajectories) {
    if (!isg_dynamics_is_thermal(kind))
        return isg_fail(ISG_ERR_ARGUMENT, "%s: expected dynamics at a temperature, found number %d",
                        what, (int)kind);
    if (!(threshold >= 0 && threshold <= 1))
        return isg_fail(ISG_ERR_ARGUMENT, "threshold: expected an overlap from 0 to 1, found %g",
                        threshold);
    if (trajectories == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "trajectories: expected at least 1, found 0");
    return ISG_OK;
}

isg_status isg_passages_run(const isg_passages *passages, const isg_dynamics_options *options,
                            const isg_progress *progress) {
    size_t jobs = 0;
    isg_passages all = *passages;
    isg_crew crew = {0};
    isg_status status = ISG_OK;
    if (!isg_multiply(&jobs, all.n_starts, all.trajectories))
        return isg_fail(ISG_ERR_SHAPE, "%zu trajectories from each of %zu states are too many",
                        all.trajectories, all.n_starts);
    ISG_TRY(isg_dynamics_check(all.network, jobs, options));
    if (jobs == 0)
        return ISG_OK;
    ISG_TRY_GOTO(isg_crew_create(&crew, all.network, options, all.purpose, jobs));
    ISG_TRY_GOTO(isg_crew_run(&crew, jobs, walk_on, &all, progress));
done:
    isg_crew_release(&crew);
    return status;
}

/* ---- adding up ----------------------------------------------------------------------------------- */

/* The descent of every sample, and the trajectories of those it did not decide. */
typedef struct passages {
    isg_passage *first; /* (n_samples) */
    size_t *left;       /* (n_left) samples */
    size_t n_left;
    const uint64_t **starts; /* (n_left) */
    isg_passage *then;       /* (n_left, trajectories) */
    size_t *votes;           /* (n_patterns) scratch */
} passages;

/* Everything is counted in trajectories, with a sample worth `trajectories` of them, and divided at
   the end, so that the parts of a sample add up exactly. */
static isg_status count_updates(isg_recall *recall, const passages *all) {
    const size_t n = recall->summary.n_samples, each = recall->summary.options.trajectories;
    const size_t n_then = all->n_left * each;
    size_t longest = 0;
    for (size_t k = 0; k < n + n_then; k++) {
        const isg_passage *passage = k < n ? &all->first[k] : &all->then[k - n];
        if (passage->arrival != SIZE_MAX && passage->updates > longest)
            longest = passage->updates;
    }
    recall->summary.n_updates = longest + 1;
    ISG_TRY(ISG_ALLOCATE(recall->updates, longest + 1));
    for (size_t k = 0; k < n + n_then; k++) {
        const isg_passage *passage = k < n ? &all->first[k] : &all->then[k - n];
        if (passage->arrival != SIZE_MAX)
            recall->updates[passage->updates] += k < n ? (double)each : 1;
    }
    for (size_t t = 0; t <= longest; t++)
        recall->updates[t] /= (double)each;
    return ISG_OK;
}

/* Counts the k-th sample that trajectories decide. */
static void count_trajectories(isg_recall *recall, const passages *all, size_t k, size_t row,
                               size_t n_patterns) {
    const size_t each = recall->summary.options.trajectories;
    size_t most = 0, undecided = 0;
    memset(all->votes, 0, n_patterns * sizeof *all->votes);
    for (size_t t = 0; t < each; t++) {
        const size_t mu = all->then[k * each + t].arrival;
        *(mu == SIZE_MAX ? &undecided : &all->votes[mu]) += 1;
    }
    for (size_t mu = 0; mu < n_patterns; mu++) {
        isg_recall_count(recall, recall->confusion, row, ISG_END_PATTERN, mu,
                         (double)all->votes[mu]);
        most = all->votes[mu] > all->votes[most] ? mu : most;
    }
    isg_recall_count(recall, recall->confusion, row, ISG_END_UNDECIDED, 0, (double)undecided);
    const bool is_decided = undecided < each;
    recall->outcomes[all->left[k]] =
        (isg_recall_outcome){.end = is_decided ? ISG_END_PATTERN : ISG_END_UNDECIDED,
                             .pattern = is_decided ? most : SIZE_MAX,
                             .updates = all->first[all->left[k]].updates,
                             .trajectories = each,
                             .share = (double)all->votes[most] / (double)each};
}

static void count_samples(isg_recall *recall, const passages *all, const isg_dataset *data,
                          size_t n_patterns) {
    isg_recall_summary *summary = &recall->summary;
    const double each = (double)summary->options.trajectories;
    const size_t cells = summary->n_classes * (summary->n_labels + ISG_N_ENDS - 1);
    for (size_t a = 0; a < summary->n_samples; a++) {
        const isg_passage *passage = &all->first[a];
        if (passage->arrival == SIZE_MAX)
            continue;
        recall->outcomes[a] = (isg_recall_outcome){.end = ISG_END_PATTERN,
                                                   .pattern = passage->arrival,
                                                   .updates = passage->updates,
                                                   .share = 1};
        *(passage->updates == 0 ? &summary->decided_at_start : &summary->decided) += 1;
        isg_recall_count(recall, recall->confusion, isg_recall_class(data, a), ISG_END_PATTERN,
                         passage->arrival, each);
    }
    for (size_t k = 0; k < all->n_left; k++)
        count_trajectories(recall, all, k, isg_recall_class(data, all->left[k]), n_patterns);
    summary->n_ensembles = all->n_left;
    for (size_t k = 0; k < cells; k++)
        recall->ends[k] = recall->confusion[k] /= each;
}

static isg_status run_trajectories(passages *all, const isg_hopfield *network,
                                   const isg_dataset *data, const isg_recall_options *options,
                                   const isg_progress *progress) {
    const isg_dynamics_options how = {.kind = options->ensemble,
                                      .beta = options->beta,
                                      .sweeps = options->max_updates,
                                      .seed = options->seed};
    size_t count = 0;
    for (size_t a = 0; a < data->info.n_samples; a++)
        all->n_left += all->first[a].arrival == SIZE_MAX;
    ISG_TRY(ISG_ALLOCATE(all->left, all->n_left));
    ISG_TRY(ISG_ALLOCATE(all->starts, all->n_left));
    if (!isg_multiply(&count, all->n_left, options->trajectories))
        return isg_fail(ISG_ERR_MEMORY, "%zu trajectories do not fit in memory",
                        options->trajectories);
    ISG_TRY(ISG_ALLOCATE(all->then, count));
    for (size_t a = 0, k = 0; a < data->info.n_samples; a++)
        if (all->first[a].arrival == SIZE_MAX) {
            all->left[k] = a;
            all->starts[k++] = isg_dataset_spins(data, a);
        }
    const isg_passages plan = {.network = network,
                               .starts = all->starts,
                               .n_starts = all->n_left,
                               .trajectories = options->trajectories,
                               .threshold = options->threshold,
                               .purpose = ISG_PURPOSE_RECALL,
                               .out = all->then};
    return isg_passages_run(&plan, &how, progress);
}

isg_status isg_recall_published(isg_recall *recall, const isg_hopfield *network,
                                const isg_dataset *data, const isg_progress *progress) {
    const isg_recall_options *options = &recall->summary.options;
    const isg_dynamics_options thermal = {
        .kind = options->ensemble, .beta = options->beta, .sweeps = options->max_updates};
    passages all = {0};
    isg_part part;
    isg_status status = ISG_OK;
    ISG_TRY(isg_dynamics_check(network, 0, &thermal)); /* before the descent, not after it */
    ISG_TRY_GOTO(ISG_ALLOCATE(all.first, data->info.n_samples));
    ISG_TRY_GOTO(ISG_ALLOCATE(all.votes, network->info.n_patterns));
    ISG_TRY_GOTO(
        run_descent(all.first, network, data, options, isg_part_of(&part, progress, 0, 0.2)));
    ISG_TRY_GOTO(
        run_trajectories(&all, network, data, options, isg_part_of(&part, progress, 0.2, 1)));
    ISG_TRY_GOTO(count_updates(recall, &all));
    count_samples(recall, &all, data, network->info.n_patterns);
done:
    isg_release(all.first);
    isg_release(all.left);
    isg_release(all.starts);
    isg_release(all.then);
    isg_release(all.votes);
    return status;
}
