/* make_seeds.c - seeds made with the library's own writers: DIRECTORY/fuzz_NAME/written and so on
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "helper_hdf5.h"
#include "small_training.h"

static void need(isg_status status) {
    if (status == ISG_OK)
        return;
    fprintf(stderr, "%s\n", isg_error_message());
    exit(1);
}

static const char *in(const char *directory, const char *name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void copy(const char *from, const char *to) {
    static char bytes[1 << 16], path[4096];
    FILE *file = fopen(from, "rb");
    const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    snprintf(path, sizeof path, "%s", to);
    if (!file || fclose(file) != 0)
        exit(1);
    need(isg_write_file(path, bytes, size));
}

/* At the start, in the middle of an epoch and after some. */
static void write_training(const char *directory, const isg_dataset *data) {
    const isg_train_options options = small_options();
    isg_rbm *rbm = small_rbm();
    isg_trainer *trainer = NULL;
    isg_deep_model *deep = NULL;
    const double beta = 1, shrinkage = 0.5;
    const isg_deep_options one = {.betas = &beta,
                                  .n_betas = 1,
                                  .shrinkages = &shrinkage,
                                  .n_shrinkages = 1,
                                  .parts = 1,
                                  .hold_out = 0.1};
    need(isg_trainer_create(&trainer, rbm, data, &options));
    need(isg_trainer_save(trainer, in(directory, "fuzz_training/start")));
    need(isg_trainer_update(trainer));
    need(isg_trainer_save(trainer, in(directory, "fuzz_training/middle")));
    need(isg_trainer_epoch(trainer, NULL, NULL));
    need(isg_trainer_epoch(trainer, NULL, NULL));
    need(isg_trainer_save(trainer, in(directory, "fuzz_training/later")));
    need(isg_rbm_save(rbm, in(directory, "fuzz_model/written"), 1, "fuzz"));
    need(isg_deep_model_fit(&deep, rbm, data, &one, NULL));
    need(isg_deep_model_save(deep, in(directory, "fuzz_deep/written"), 1, "fuzz"));
    isg_deep_model_free(deep);
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
}

/* After every epoch; and the classifier that it makes. */
static void write_tuner(const char *directory, const isg_classifier *start,
                        const isg_dataset *data) {
    static const char *const names[] = {"fuzz_tuner/start", "fuzz_tuner/first", "fuzz_tuner/later",
                                        "fuzz_tuner/end"};
    const isg_tune_options options = small_tune_options();
    isg_tuner *tuner = NULL;
    isg_classifier *made = NULL;
    need(isg_tuner_create(&tuner, start, data, &options));
    for (size_t k = 0; k < 4; k++) {
        need(isg_tuner_save(tuner, in(directory, names[k])));
        need(k < 3 ? isg_tuner_epoch(tuner, NULL) : ISG_OK);
    }
    need(isg_tuner_classifier(&made, tuner));
    need(isg_classifier_save(made, in(directory, "fuzz_classifier/tuned"), 1, "fuzz"));
    isg_classifier_free(made);
    isg_tuner_free(tuner);
}

static void write_experts(const char *directory, const isg_dataset *data) {
    isg_experts *experts = small_experts(data);
    isg_classifier *classifier = NULL;
    need(isg_experts_save(experts, in(directory, "fuzz_experts/start")));
    need(isg_experts_step(experts, NULL));
    need(isg_experts_save(experts, in(directory, "fuzz_experts/middle")));
    need(isg_experts_step(experts, NULL));
    need(isg_experts_save(experts, in(directory, "fuzz_experts/later")));
    const isg_rbm *const rbms[] = {isg_experts_rbm(experts, 0), isg_experts_rbm(experts, 1)};
    need(isg_classifier_fit(&classifier, rbms, 2, ISG_FEATURES_ENERGY, data, NULL, NULL, NULL));
    need(isg_classifier_save(classifier, in(directory, "fuzz_classifier/written"), 1, "fuzz"));
    write_tuner(directory, classifier, data);
    isg_classifier_free(classifier);
    isg_experts_free(experts);
}

static void write_dataset(const char *directory) {
    static const char table[] = ",kind,x,y,z\nc1,b,1,,3\nc2,a,0.1,5,-1\nc3,,2,4,0\n";
    static uint8_t seed[1 << 16] = {3, 0}; /* chooses .npz, and no options */
    isg_dataset_options options = isg_dataset_defaults();
    isg_dataset *data = NULL;
    void *bytes = NULL;
    size_t size = 0;
    options.label_column = "kind";
    options.binarize = ISG_BINARIZE_MEAN;
    options.missing = ISG_MISSING_IMPUTE;
    options.keep_unlabelled = true;
    need(isg_dataset_load_memory(&data, "a.csv", table, sizeof table - 1, &options, NULL));
    need(isg_dataset_to_bytes(data, 1, "fuzz", &bytes, &size));
    memcpy(seed + 2, bytes, size < sizeof seed - 2 ? size : sizeof seed - 2);
    need(isg_write_file(in(directory, "fuzz_dataset/written"), seed, size + 2));
    isg_bytes_free(bytes);
    isg_dataset_free(data);
}

static void write_patterns(const char *directory) {
    static const int8_t xi[] = {1, 1, -1, 1, -1, 1, -1, -1, 1, 1, 1, 1};
    static const char *const labels[] = {"7", "007"};
    isg_patterns *patterns = NULL;
    isg_rbm *rbm = NULL;
    need(isg_patterns_create(&patterns, 6, 2, xi, labels));
    need(isg_patterns_save(patterns, in(directory, "fuzz_patterns/written"), 1, "fuzz"));
    need(isg_rbm_from_patterns(&rbm, patterns, NULL, NULL));
    need(isg_rbm_save(rbm, in(directory, "fuzz_model/mapped-by-us"), 1, "fuzz"));
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
}

static void write_hdf5(const char *directory) {
    static h5_maker maker;
    static const char forms[] = "drc12";
    h5_make_sample(&maker);
    need(isg_write_file(in(directory, "fuzz_hdf5/sample"), maker.bytes, maker.size));
    for (const char *form = forms; *form; form++) {
        char name[] = "fuzz_hdf5/cells-?";
        name[sizeof name - 2] = *form;
        h5_make_cells(&maker, *form);
        need(isg_write_file(in(directory, name), maker.bytes, maker.size));
    }
}

int main(int argc, char **argv) {
    char directory[4000], target[4096];
    if (argc != 2 || snprintf(directory, sizeof directory, "%s", argv[1]) >= (int)sizeof directory)
        return 2;
    isg_dataset *data = small_data();
    write_training(directory, data);
    write_experts(directory, data);
    write_dataset(directory);
    write_patterns(directory);
    write_hdf5(directory);
    snprintf(target, sizeof target, "%s/small_run", directory);
    small_run(target, 3);
    for (unsigned k = 1; k <= 2; k++) {
        char from[4096], to[4096];
        snprintf(from, sizeof from, "%s/small_run/checkpoint-%u.npz", directory, k);
        snprintf(to, sizeof to, "%s/fuzz_checkpoint/generation-%u", directory, k);
        copy(from, to);
    }
    isg_dataset_free(data);
    return 0;
}
