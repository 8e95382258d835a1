/* train_and_sample.c - train an RBM on small pictures of bars, then draw new pictures from it
 *
 * SPDX-License-Identifier: MIT
 *
 *     cc train_and_sample.c $(pkg-config --cflags --libs isinglass) -o train_and_sample && ./train_and_sample
 *
 * The same seeds give the same output on every machine, whatever its number of cores.
 */
#include <isinglass.h>
#include <stdio.h>

enum { SIDE = 4, N = SIDE * SIDE, KINDS = 2 * SIDE, COPIES = 50, CHAINS = 4 };

/* Every picture is one bar: a row or a column of a 4 x 4 image. */
static int8_t pixel(size_t kind, size_t i) {
    return (kind < SIDE ? i / SIDE == kind : i % SIDE == kind - SIDE) ? 1 : -1;
}

int main(void) {
    static int8_t spins[KINDS * COPIES * N];
    isg_dataset *data = NULL;
    isg_rbm *rbm = NULL;
    isg_trainer *trainer = NULL;
    isg_chains *chains = NULL;
    isg_epoch_report report;
    isg_train_options options = isg_train_defaults();
    const isg_start_options start = {
        .kind = ISG_START_NORMAL, .n_hidden = KINDS, .beta = 1, .deviation = 0.01, .seed = 1};
    const isg_rate rate = {.rate = 0.02, .from_epoch = 0};
    int code = 1;
    for (size_t k = 0; k < KINDS * COPIES * N; k++)
        spins[k] = pixel(k / N % KINDS, k % N);
    options.batch_size = 20;
    options.rates = &rate;
    options.n_rates = 1;
    options.fields = true;
    options.shuffle = true;
    if (isg_dataset_create(&data, KINDS * COPIES, N, spins, NULL) != ISG_OK ||
        isg_rbm_start(&rbm, &start, NULL, data, NULL) != ISG_OK ||
        isg_trainer_create(&trainer, rbm, data, &options) != ISG_OK)
        goto done;
    for (int epoch = 1; epoch <= 60; epoch++) {
        if (isg_trainer_epoch(trainer, &report, NULL) != ISG_OK)
            goto done;
        if (epoch == 1 || epoch % 30 == 0)
            printf("epoch %2d: %.1f %% of the spins differ after one sweep\n", epoch,
                   100 * report.reconstruction_error);
    }
    if (isg_chains_create(&chains, rbm, CHAINS, 7) != ISG_OK ||
        isg_chains_sweep(chains, 500, isg_rbm_describe(rbm).beta) != ISG_OK)
        goto done;
    for (size_t row = 0; row < SIDE; row++) /* the pictures side by side */
        for (size_t k = 0; k < CHAINS; k++)
            for (size_t column = 0; column < SIDE; column++)
                printf("%c%s",
                       *isg_chains_spins(chains, k) >> (row * SIDE + column) & 1 ? '#' : '.',
                       column < SIDE - 1 ? ""
                       : k < CHAINS - 1  ? "  "
                                         : "\n");
    code = 0;
done:
    if (code != 0)
        fprintf(stderr, "train_and_sample: %s\n", isg_error_message());
    isg_chains_free(chains);
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
    isg_dataset_free(data);
    return code;
}
