/* train_ranks.c - what the ranks that share a training tell each other
 *
 * SPDX-License-Identifier: MIT
 *
 * After the sweeps every rank gets the states of all chains, and after the sums all rows of W. Nothing is added up
 * on the way.
 */
#include "base/memory.h"
#include "base/ranks.h"
#include "train/train.h"

/* What the ranks tell each other of every sample of the mini-batch, and of every persistent chain. */
enum { MOST_PARTS = 6 };

static size_t list_states(const isg_trainer *trainer, const isg_states *states, isg_gathered *out) {
    const isg_gibbs_weights *w = &trainer->weights;
    out[0] = (isg_gathered){states->spins, w->words * sizeof *states->spins};
    out[1] = (isg_gathered){states->lambda, w->stride * sizeof *states->lambda};
    out[2] = (isg_gathered){states->input, w->stride * sizeof *states->input};
    return trainer->option.learn_beta ? 3 : 2;
}

static size_t list_batch(const isg_trainer *trainer, isg_gathered out[MOST_PARTS]) {
    const isg_gibbs_weights *w = &trainer->weights;
    size_t count = trainer->option.persistent ? 0 : list_states(trainer, &trainer->batch, out);
    out[count++] = (isg_gathered){trainer->data_lambda, w->stride * sizeof *trainer->data_lambda};
    out[count++] = (isg_gathered){trainer->wrong, sizeof *trainer->wrong};
    if (trainer->known) /* else all ranks have them */
        out[count++] = (isg_gathered){trainer->data_spins, w->words * sizeof *trainer->data_spins};
    return count;
}

static size_t list_chains(const isg_trainer *trainer, isg_gathered out[MOST_PARTS]) {
    const size_t count = list_states(trainer, &trainer->chains, out);
    out[count] = (isg_gathered){trainer->accepted, sizeof *trainer->accepted};
    return count + 1;
}

isg_status isg_trainer_allocate_parcels(isg_trainer *trainer) {
    isg_gathered parts[MOST_PARTS];
    const size_t batch = isg_gather_room(parts, list_batch(trainer, parts), trainer->batch.count);
    size_t chains = 0;
    if (trainer->option.persistent)
        chains = isg_gather_room(parts, list_chains(trainer, parts), trainer->chains.count);
    return ISG_ALLOCATE(trainer->parcels, batch > chains ? batch : chains);
}

void isg_trainer_gather_states(isg_trainer *trainer) {
    isg_gathered parts[MOST_PARTS];
    isg_gather_all(parts, list_batch(trainer, parts), trainer->batch.count, 1, trainer->parcels);
    if (trainer->option.persistent)
        isg_gather_all(parts, list_chains(trainer, parts), trainer->chains.count, ISG_LANES,
                       trainer->parcels);
}

void isg_trainer_gather_panels(isg_trainer *trainer) {
    const size_t n = trainer->weights.n_visible, p = trainer->weights.n_hidden;
    isg_rbm *rbm = trainer->rbm;
    isg_gather_rows(rbm->weights, p * sizeof *rbm->weights, n, ISG_PANEL);
    if (trainer->option.fields)
        isg_gather_rows(rbm->b, sizeof *rbm->b, n, ISG_PANEL);
    if (trainer->option.learn_beta)
        isg_gather_rows(trainer->field_sums, sizeof *trainer->field_sums, n, ISG_PANEL);
}
