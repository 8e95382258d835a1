/* equilibrium.h - persistent chains that jump between the modes of the model in training
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_EQUILIBRIUM_H
#define ISG_EQUILIBRIUM_H

#include "io/npz.h"
#include "isinglass/train.h"
#include "rbm/rbm.h"
#include "sample/sample.h"

typedef struct isg_equilibrium {
    const isg_rbm *rbm; /* in training; borrowed */
    isg_rbm *fitted;    /* as it was when the mixture was fitted to it */
    isg_jumps *jumps;   /* NULL before the first fit */
    isg_jump_options how;
    size_t count, refit_every; /* jumps per update, updates between two fits */
    uint64_t next_fit;         /* due after so many updates */
    uint64_t failures;         /* fits in a row that gave no usable mixture */
    bool is_behind;            /* the mixture has to be fitted to `fitted` again, after loading */
    bool is_jumping;           /* in the update under way */
    isg_equilibrium_info info;
} isg_equilibrium;

/* Borrows the RBM and the data, in which minima are searched for. */
isg_status isg_equilibrium_create(isg_equilibrium **out, const isg_rbm *rbm,
                                  const isg_dataset *data, const isg_train_options *options);
void isg_equilibrium_free(isg_equilibrium *my); /* NULL is fine */

/* Before the next update, outside of parallel regions: fits the mixture, if that is due. If it is
   cancelled, it is still due. Only this allocates. */
isg_status isg_equilibrium_prepare(isg_equilibrium *my, uint64_t updates,
                                   const isg_progress *progress);

/* The number of updates before the next fit is due. */
uint64_t isg_equilibrium_left(const isg_equilibrium *my, uint64_t updates);

/* One thread, before an update and after it: the RBM as it is now becomes the target; jumps are counted. */
void isg_equilibrium_begin(isg_equilibrium *my);
void isg_equilibrium_end(isg_equilibrium *my, size_t proposed, size_t accepted);

/* Jump number `number` of an update follows after so many of its sweeps; the last follows the last. */
size_t isg_equilibrium_sweeps(const isg_equilibrium *my, size_t number, size_t gibbs_steps);

/* Members of an open archive whose names begin with `prefix`: all but options. What is read, for a
   training that has done `updates`, is kept apart until it is adopted, which cannot fail. */
typedef struct isg_equilibrium_state {
    isg_rbm *fitted; /* NULL: there is no mixture */
    uint64_t next_fit, failures;
    isg_equilibrium_info info;
} isg_equilibrium_state;

isg_status isg_equilibrium_write(const isg_equilibrium *my, isg_npz_writer *writer,
                                 const char *prefix);
isg_status isg_equilibrium_read(const isg_equilibrium *my, isg_zip *zip, const char *prefix,
                                uint64_t updates, isg_equilibrium_state *out);
void isg_equilibrium_adopt(isg_equilibrium *my, isg_equilibrium_state *state);
void isg_equilibrium_drop(isg_equilibrium_state *state);

#endif
