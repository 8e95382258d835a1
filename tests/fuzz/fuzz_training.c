/* fuzz_training.c - any bytes as the .npz file of a training
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "mutator.h"
#include "small_training.h"
#include "target.h"
#include "train/train.h"

MUTATE_ZIPS

static isg_trainer *trainer;

void prepare(void) {
    const isg_train_options options = small_options();
    if (isg_trainer_create(&trainer, small_rbm(), small_data(), &options) != ISG_OK)
        abort();
}

/* What was accepted is a state in which the training can be, and goes on from. */
static void check(void) {
    const isg_train_state state = isg_trainer_describe(trainer);
    const size_t n = trainer->weights.n_visible, p = trainer->weights.n_hidden;
    if (state.batch >= state.n_batches ||
        state.epochs * state.n_batches + state.batch != state.updates)
        abort();
    for (size_t k = 0; k < n * p; k++)
        if (!isfinite(trainer->rbm->weights[k]))
            abort();
    for (size_t k = 0; k < trainer->chains.count; k++)
        if (trainer->chains.spins[k * trainer->weights.words + n / 64] >> n % 64)
            abort();
    const isg_status status = isg_trainer_update(trainer);
    if (status != ISG_OK && status != ISG_ERR_DIVERGED && status != ISG_ERR_UNSUPPORTED)
        abort();
    if (isg_trainer_describe(trainer).updates != state.updates + (status == ISG_OK))
        abort();
}

static depth read_archive(isg_zip *zip, const uint8_t *bytes, size_t size) {
    (void)bytes, (void)size;
    const isg_train_state before = isg_trainer_describe(trainer);
    const depth how_far = isg_trainer_read(trainer, zip, "") == ISG_OK ? ACCEPTED : BEGUN;
    if (how_far == ACCEPTED)
        check();
    else if (isg_trainer_describe(trainer).updates != before.updates)
        abort();
    return how_far;
}

depth attack(const uint8_t *bytes, size_t size) {
    return attack_zip(bytes, size, read_archive);
}
