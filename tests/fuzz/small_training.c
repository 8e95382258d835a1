/* small_training.c - the one training whose checkpoints are attacked, and that made their seeds
 *
 * SPDX-License-Identifier: MIT
 */
#include "small_training.h"

#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 5, VISIBLE = 11, HIDDEN = 2 };

static void need(isg_status status) {
    if (status == ISG_OK)
        return;
    fprintf(stderr, "%s\n", isg_error_message());
    abort();
}

isg_dataset *small_data(void) {
    static const int64_t labels[SAMPLES] = {3, 8, 3, 8, 8};
    int8_t spins[SAMPLES * VISIBLE];
    isg_dataset *data = NULL;
    for (size_t k = 0; k < SAMPLES * VISIBLE; k++)
        spins[k] = k * k % 7 > 3 ? 1 : -1;
    need(isg_dataset_create(&data, SAMPLES, VISIBLE, spins, labels));
    return data;
}

isg_rbm *small_rbm(void) {
    const isg_start_options normal = {
        .kind = ISG_START_NORMAL, .n_hidden = HIDDEN, .beta = 2, .deviation = 0.1, .seed = 1};
    isg_dataset *data = small_data();
    isg_rbm *rbm = NULL;
    need(isg_rbm_start(&rbm, &normal, NULL, data, NULL));
    isg_dataset_free(data);
    return rbm;
}

isg_train_options small_options(void) {
    static const isg_rate rates[] = {{1e-2, 0}, {1e-3, 2}};
    isg_train_options options = isg_train_defaults();
    options.batch_size = 2;
    options.gibbs_steps = 2;
    options.rates = rates;
    options.n_rates = sizeof rates / sizeof rates[0];
    options.persistent = options.fields = options.shuffle = true;
    return options;
}

isg_experts *small_experts(const isg_dataset *data) {
    isg_expert_options options = isg_expert_defaults();
    isg_experts *experts = NULL;
    options.per_class = 2;
    options.start = ISG_START_NORMAL;
    options.train = small_options();
    need(isg_experts_create(&experts, data, &options, NULL));
    return experts;
}

isg_tune_options small_tune_options(void) {
    isg_tune_options options = isg_tune_defaults();
    options.epochs = 3;
    options.batch_size = 2;
    options.balanced = true;
    return options;
}

void small_run(const char *directory, uint64_t epochs) {
    isg_dataset *data = small_data();
    isg_run_options options = isg_run_defaults();
    isg_run *run = NULL;
    options.train = small_options();
    options.save_every_s = 0;
    options.command = "fuzz";
    need(isg_run_open(&run, directory, true));
    need(isg_run_begin(run, "{}", small_rbm(), data, &options));
    need(isg_run_train(run, epochs, NULL));
    isg_run_close(run);
    isg_dataset_free(data);
}
