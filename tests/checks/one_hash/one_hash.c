/* one_hash.c - a training of 50 updates, stopped after any of them, on any number of threads
 *
 * SPDX-License-Identifier: MIT
 *
 *     one_hash DIRECTORY KIND MODE
 *
 * KIND is a sum of 1 (mean estimator), 2 (persistent chains), 4 (fields) and 8 (shuffled). For every
 * number of threads a training is saved after each of its updates; every one of these files is gone
 * on from by a new trainer on another number of threads. Prints "threads stop hash" for each. MODE is
 * right, or a mistake in the middle that must show: forget (the file is not read), repeat (an update
 * too many), skip (one too few).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isinglass.h"

/* A batch, a word of spins and a panel of hidden units that are not full; 50 updates are 12 epochs
   and a half, and the last batch of each has 5 of 8 samples. */
enum { N = 70, P = 20, SAMPLES = 29, BATCH = 8, UPDATES = 50 };
static const size_t thread_counts[] = {1, 2, 3, 7};
enum { THREADS = sizeof thread_counts / sizeof thread_counts[0] };

static void must(isg_status status) {
    if (status != ISG_OK) {
        fprintf(stderr, "%s\n", isg_error_message());
        exit(1);
    }
}

static isg_dataset *make_data(void) {
    int8_t spins[SAMPLES * N];
    uint64_t word = 1;
    isg_dataset *data = NULL;
    for (size_t k = 0; k < SAMPLES * N; k++) { /* by Knuth's linear congruence */
        word = word * 6364136223846793005u + 1442695040888963407u;
        spins[k] = word >> 62 ? 1 : -1;
    }
    must(isg_dataset_create(&data, SAMPLES, N, spins, NULL));
    return data;
}

typedef struct session {
    isg_rbm *rbm;
    isg_trainer *trainer;
} session;

static session start(const isg_dataset *data, unsigned kind) {
    static const isg_rate rates[] = {{0.02, 0}, {0.005, 5}};
    isg_train_options options = isg_train_defaults();
    session s = {NULL, NULL};
    options.batch_size = BATCH;
    options.gibbs_steps = 3;
    options.rates = rates;
    options.n_rates = 2;
    options.estimator = kind & 1 ? ISG_ESTIMATOR_MEAN : ISG_ESTIMATOR_SAMPLED;
    options.persistent = kind >> 1 & 1;
    options.fields = kind >> 2 & 1;
    options.shuffle = kind >> 3 & 1;
    const isg_start_options normal = {
        .kind = ISG_START_NORMAL, .n_hidden = P, .beta = 1.5, .deviation = 0.2, .seed = 7};
    must(isg_rbm_start(&s.rbm, &normal, NULL, data, NULL));
    must(isg_trainer_create(&s.trainer, s.rbm, data, &options));
    return s;
}

static void stop(session s) {
    isg_trainer_free(s.trainer);
    isg_rbm_free(s.rbm);
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size) { /* FNV-1a */
    const unsigned char *bytes = data;
    for (size_t k = 0; k < size; k++)
        hash = (hash ^ bytes[k]) * 1099511628211u;
    return hash;
}

static uint64_t hash_of(session s) {
    const isg_matd w = isg_rbm_weights(s.rbm);
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < w.rows; i++)
        hash = hash_bytes(hash, w.data + i * w.stride, w.cols * sizeof *w.data);
    hash = hash_bytes(hash, isg_rbm_visible_field(s.rbm), N * sizeof(double));
    return hash_bytes(hash, isg_rbm_hidden_field(s.rbm), P * sizeof(double));
}

static void advance(session s, size_t updates) {
    for (size_t k = 0; k < updates; k++)
        must(isg_trainer_update(s.trainer));
}

/* A mistake in going on after update k; all others go on rightly. */
static size_t left_after(size_t k, const char *mode) {
    const size_t left = UPDATES - k;
    if (k != UPDATES / 2)
        return left;
    return strcmp(mode, "repeat") == 0 ? left + 1 : strcmp(mode, "skip") == 0 ? left - 1 : left;
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    const unsigned kind = (unsigned)atoi(argv[2]);
    const char *mode = argv[3];
    isg_dataset *data = make_data();
    char path[4096];
    for (size_t t = 0; t < THREADS; t++) {
        isg_set_threads(thread_counts[t]);
        const session whole = start(data, kind);
        for (size_t k = 0; k <= UPDATES; k++) {
            advance(whole, k > 0);
            snprintf(path, sizeof path, "%s/%zu.npz", argv[1], k);
            must(isg_trainer_save(whole.trainer, path));
        }
        printf("%zu - %016" PRIx64 "\n", thread_counts[t], hash_of(whole));
        stop(whole);
        isg_set_threads(thread_counts[(t + 1) % THREADS]);
        for (size_t k = 0; k <= UPDATES; k++) {
            snprintf(path, sizeof path, "%s/%zu.npz", argv[1], k);
            const session rest = start(data, kind);
            if (strcmp(mode, "forget") != 0 || k != UPDATES / 2)
                must(isg_trainer_load(rest.trainer, path));
            advance(rest, left_after(k, mode));
            printf("%zu %zu %016" PRIx64 "\n", thread_counts[t], k, hash_of(rest));
            stop(rest);
        }
    }
    isg_dataset_free(data);
    return 0;
}
