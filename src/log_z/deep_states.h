/* deep_states.h - the search for states of low energy
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_DEEP_STATES_H
#define ISG_DEEP_STATES_H

#include "isinglass/log_z.h"
#include "log_z/exact.h"

/* Distinct minima of H: no single flip lowers it. If H is even, a state stands for itself and its
   mirror image, and has its last spin up. */
typedef struct isg_deep_list {
    const isg_spin_model *model; /* borrowed */
    bool is_even;
    size_t words, count, capacity;
    uint64_t *spins;  /* (count, words) */
    double *energies; /* (count): H */
    size_t *table;    /* (slots): a hash table of numbers + 1 of states; 0 if empty */
    size_t slots;
} isg_deep_list;

isg_deep_list isg_deep_list_start(const isg_spin_model *model);
void isg_deep_list_release(isg_deep_list *list);

/* Adds a state, on the list's side of the mirror, which may change `spins`; says whether it was
   new. */
isg_status isg_deep_list_add(isg_deep_list *list, uint64_t *spins, double energy, bool *is_new);

/* Whether the list has this state, given on the list's side of the mirror. */
bool isg_deep_list_has(const isg_deep_list *list, const uint64_t *spins);

/* By rising energy. */
isg_status isg_deep_list_sort(isg_deep_list *list);

/* Goes downhill from each of starts (count, words), one spin at a time, and adds the minima that are
   new; `added`, unless NULL, receives their number. `progress`, which may be NULL, is asked whether
   to go on. */
isg_status isg_deep_list_relax(isg_deep_list *list, const uint64_t *starts, size_t count,
                               size_t *added, const isg_progress *progress);

/* The same, and counts how many of the starts ended in each state that was there before, or in its
   mirror image if H is even: hits (count). */
isg_status isg_deep_list_hit(isg_deep_list *list, const uint64_t *starts, size_t count,
                             size_t *hits, const isg_progress *progress);

/* The whole search: from the patterns of the RBM, data, random states, and combinations of the
   deepest, until these lead to nothing new; `is_closed` says whether that was reached. Sorted by
   energy in the end. */
isg_status isg_deep_list_search(isg_deep_list *list, const isg_rbm *rbm,
                                const isg_states_options *options, bool *is_closed,
                                const isg_progress *progress);

/* Combinations of the deepest alone, after states were added. */
isg_status isg_deep_list_close(isg_deep_list *list, const isg_states_options *options,
                               bool *is_closed, const isg_progress *progress);

/* After a search with the same options: how many of its random starts ended in each state, or in its
   mirror image if H is even: hits (count). */
isg_status isg_deep_list_basins(isg_deep_list *list, const isg_rbm *rbm,
                                const isg_states_options *options, size_t *hits,
                                const isg_progress *progress);

/* ln of the sum of exp(-beta H) over all states of the list and their mirror images: no more than ln
   Z. `states` receives their number. */
double isg_deep_list_bound(const isg_deep_list *list, double beta, size_t *states);

/* Raises an estimate that is below its bound; within its error, it says "at least". */
void isg_log_z_respect_bound(isg_log_z *found);

/* Searches, and does that with estimates at betas (n), or at the RBM's own if there are none. */
isg_status isg_apply_bound(const isg_rbm *rbm, const isg_log_z_options *options,
                           const double *betas, size_t n, isg_log_z *found,
                           const isg_progress *progress);

/* -s */
void isg_mirror(uint64_t *spins, size_t n);

/* H(s), and h = W^T s (p). */
double isg_spin_model_energy(const isg_spin_model *model, const uint64_t *spins, double *h);

#endif
