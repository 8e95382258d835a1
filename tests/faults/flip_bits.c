/* flip_bits.c - flips every bit of an isinglass file in turn, and cuts it at every length
 *
 * SPDX-License-Identifier: MIT
 *
 *     flip_bits SCRATCH STRIDE [NUMPY_MODEL]
 *
 * Makes one small file of each kind in the directory SCRATCH, and takes the model that NumPy wrote if
 * there is one. A damaged file must be refused, in a sentence that names it, or be understood as the
 * whole one is: what was read is written again, and those bytes must not differ. Of a run whose newest
 * checkpoint is damaged, the older one must be used, and that be said. STRIDE tries every so many
 * bits only. Prints a row per kind; exit status 1 if a fault changed numbers unnoticed.
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <isinglass.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helper_run.h"

enum { N = 12, SAMPLES = 15, CLASSES = 3, HIDDEN = 3, BATCH = 4 };

static const char *scratch;
static isg_dataset *data;

static void check(isg_status status) {
    if (status == ISG_OK)
        return;
    fprintf(stderr, "flip_bits: %s\n", isg_error_message());
    exit(2);
}

static void die(const char *what, const char *path) {
    fprintf(stderr, "flip_bits: %s: %s\n", path, what);
    exit(2);
}

/* A path in SCRATCH; good until the eighth call after. */
static const char *in_scratch(const char *name) {
    static char paths[8][512];
    static unsigned next;
    char *out = paths[next++ % 8];
    snprintf(out, sizeof paths[0], "%.400s/%.100s", scratch, name);
    return out;
}

typedef struct content {
    unsigned char *bytes;
    size_t size;
} content;

static content read_content(const char *path) {
    content out = {NULL, 0};
    struct stat about;
    FILE *stream = fopen(path, "rb");
    if (!stream || fstat(fileno(stream), &about) != 0)
        die("cannot be read", path);
    out.size = (size_t)about.st_size;
    out.bytes = malloc(out.size + 1);
    if (!out.bytes || fread(out.bytes, 1, out.size, stream) != out.size)
        die("cannot be read", path);
    fclose(stream);
    return out;
}

static void write_content(const char *path, const unsigned char *bytes, size_t size) {
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (descriptor < 0 || write(descriptor, bytes, size) != (ssize_t)size || close(descriptor) != 0)
        die("cannot be written", path);
}

static void write_byte(const char *path, size_t where, unsigned char byte) {
    const int descriptor = open(path, O_WRONLY);
    if (descriptor < 0 || pwrite(descriptor, &byte, 1, (off_t)where) != 1 || close(descriptor) != 0)
        die("cannot be written", path);
}

static bool is_same(content a, content b) {
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

/* ---- what each kind of file is read by ------------------------------------------------------------ */

/* Reads a file and writes what was understood of it to `copy`. */
typedef isg_status reread(const char *path, const char *copy);

static isg_status reread_patterns(const char *path, const char *copy) {
    isg_patterns *patterns = NULL;
    const isg_status status = isg_patterns_load(&patterns, path);
    if (status == ISG_OK)
        check(isg_patterns_save(patterns, copy, 1, "copy"));
    isg_patterns_free(patterns);
    return status;
}

static isg_status reread_model(const char *path, const char *copy) {
    isg_rbm *rbm = NULL;
    const isg_status status = isg_rbm_load(&rbm, path);
    if (status == ISG_OK)
        check(isg_rbm_save(rbm, copy, 1, "copy"));
    isg_rbm_free(rbm);
    return status;
}

static isg_status reread_classifier(const char *path, const char *copy) {
    isg_classifier *classifier = NULL;
    const isg_status status = isg_classifier_load(&classifier, path);
    if (status == ISG_OK)
        check(isg_classifier_save(classifier, copy, 1, "copy"));
    isg_classifier_free(classifier);
    return status;
}

static isg_status reread_deep(const char *path, const char *copy) {
    isg_deep_model *model = NULL;
    const isg_status status = isg_deep_model_load(&model, path);
    if (status == ISG_OK)
        check(isg_deep_model_save(model, copy, 1, "copy"));
    isg_deep_model_free(model);
    return status;
}

static isg_run_options run_options(void) {
    return full_run_options(BATCH, "flip_bits");
}

static isg_expert_options expert_options(void) {
    isg_expert_options options = isg_expert_defaults();
    options.per_class = 1;
    options.train = run_options().train;
    options.train.shuffle = false;
    return options;
}

static isg_rbm *normal_start(uint64_t seed) {
    const isg_start_options options = {
        .kind = ISG_START_NORMAL, .n_hidden = HIDDEN, .beta = 2, .deviation = 0.1, .seed = seed};
    isg_rbm *rbm = NULL;
    check(isg_rbm_start(&rbm, &options, NULL, data, NULL));
    return rbm;
}

/* A trainer at its start, so that what it has afterwards is from the file. */
static isg_status reread_trainer(const char *path, const char *copy) {
    const isg_train_options options = run_options().train;
    isg_rbm *rbm = normal_start(5);
    isg_trainer *trainer = NULL;
    check(isg_trainer_create(&trainer, rbm, data, &options));
    const isg_status status = isg_trainer_load(trainer, path);
    if (status == ISG_OK)
        check(isg_trainer_save(trainer, copy));
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
    return status;
}

static isg_status reread_experts(const char *path, const char *copy) {
    const isg_expert_options options = expert_options();
    isg_experts *experts = NULL;
    check(isg_experts_create(&experts, data, &options, NULL));
    const isg_status status = isg_experts_load(experts, path);
    if (status == ISG_OK)
        check(isg_experts_save(experts, copy));
    isg_experts_free(experts);
    return status;
}

/* What a run has come to, all that counts. */
static void describe_run(isg_run *run, const char *copy) {
    const isg_run_info info = isg_run_describe(run);
    const isg_matd w = isg_rbm_weights(isg_run_rbm(run));
    FILE *out = fopen(copy, "wb");
    if (!out)
        die("cannot be written", copy);
    for (size_t i = 0; i < w.rows; i++)
        fwrite(w.data + i * w.stride, sizeof *w.data, w.cols, out);
    fwrite(isg_rbm_visible_field(isg_run_rbm(run)), sizeof(double), w.rows, out);
    fwrite(isg_rbm_hidden_field(isg_run_rbm(run)), sizeof(double), w.cols, out);
    for (size_t k = 0; k < info.n_rows; k++)
        fprintf(out, "%llu %llu %.17g %.17g\n", (unsigned long long)info.rows[k].epoch,
                (unsigned long long)info.rows[k].updates, info.rows[k].seconds,
                info.rows[k].reconstruction_error);
    fprintf(out, "%llu %.17g\n", (unsigned long long)info.state.updates, info.seconds);
    fclose(out);
}

static content older; /* what the older checkpoint of the run holds, by describe_run() */

/* The directory of a run, one of whose checkpoints is `path`. To go on from the other checkpoint and
   say so counts as a refusal of this one; without a word, or from anything else, as lost. */
static isg_status reread_run(const char *path, const char *copy) {
    const isg_run_options options = run_options();
    char directory[512];
    isg_run *run = NULL;
    snprintf(directory, sizeof directory, "%.511s", path);
    *strrchr(directory, '/') = '\0';
    check(isg_run_open(&run, directory, false));
    isg_status status = isg_run_resume(run, data, &options);
    if (status == ISG_OK) {
        const char *remark = isg_run_describe(run).remark;
        describe_run(run, copy);
        content found = read_content(copy);
        if (remark && strstr(remark, path) && (!older.bytes || is_same(found, older)))
            status = ISG_ERR_FORMAT;
        else if (remark)
            status = ISG_ERR_DIVERGED;
        free(found.bytes);
    }
    isg_run_close(run);
    return status;
}

/* ---- making the files ----------------------------------------------------------------------------- */

static void make_data(void) {
    char text[SAMPLES * (2 * N + 8)];
    size_t used = 0;
    unsigned x = 1;
    isg_dataset_options options = isg_dataset_defaults();
    options.label_column = "1";
    for (size_t k = 0; k < SAMPLES; k++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "c%zu", k % CLASSES);
        for (size_t i = 0; i < N; i++) {
            x = x * 1103515245u + 12345u;
            const bool is_up = ((k % CLASSES + 1) * (i + 3)) % 5 < 2;
            used += (size_t)snprintf(text + used, sizeof text - used, ",%d",
                                     is_up != ((x >> 16) % 6 > 0));
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "\n");
    }
    write_content(in_scratch("data.csv"), (const unsigned char *)text, used);
    check(isg_dataset_load(&data, in_scratch("data.csv"), &options, NULL));
}

static void make_models(void) {
    isg_pattern_options pattern_options = isg_pattern_defaults();
    isg_mapping_options mapping = isg_mapping_defaults();
    isg_patterns *patterns = NULL;
    isg_deep_model *deep = NULL;
    const double beta = 2, shrinkage = 0.5;
    const isg_deep_options one = {.betas = &beta,
                                  .n_betas = 1,
                                  .shrinkages = &shrinkage,
                                  .n_shrinkages = 1,
                                  .parts = 1,
                                  .hold_out = 0.1};
    isg_rbm *rbm = NULL;
    check(isg_patterns_from_data(&patterns, data, &pattern_options, NULL));
    check(isg_patterns_save(patterns, in_scratch("patterns.npz"), 1, "flip_bits"));
    check(isg_rbm_from_patterns(&rbm, patterns, &mapping, NULL));
    check(isg_rbm_set_image(rbm, 3, N / 3));
    check(isg_rbm_save(rbm, in_scratch("model.npz"), 1, "flip_bits"));
    check(isg_deep_model_fit(&deep, rbm, data, &one, NULL)); /* too few samples to choose by */
    check(isg_deep_model_save(deep, in_scratch("deep.npz"), 1, "flip_bits"));
    isg_deep_model_free(deep);
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
}

static void make_classifier(void) {
    const isg_expert_options options = expert_options();
    const isg_rbm *rbms[CLASSES];
    isg_experts *experts = NULL;
    isg_classifier *classifier = NULL;
    const isg_logistic_options logistic = isg_logistic_defaults();
    check(isg_experts_create(&experts, data, &options, NULL));
    for (size_t k = 0; k < 4; k++)
        check(isg_experts_step(experts, NULL));
    check(isg_experts_save(experts, in_scratch("experts.npz")));
    for (size_t k = 0; k < CLASSES; k++)
        rbms[k] = isg_experts_rbm(experts, k);
    check(isg_classifier_fit(&classifier, rbms, CLASSES, ISG_FEATURES_HIDDEN, data, &logistic, NULL,
                             NULL));
    check(isg_classifier_save(classifier, in_scratch("classifier.npz"), 1, "flip_bits"));
    isg_classifier_free(classifier);
    isg_experts_free(experts);
}

/* Two epochs, saved after each: the newest checkpoint is the third. */
static void make_run(void) {
    isg_run_options options = run_options();
    isg_rbm *rbm = normal_start(1);
    isg_run *run = NULL;
    options.save_every_s = 0;
    check(isg_run_open(&run, in_scratch("run"), true));
    check(isg_run_begin(run, "{}\n", rbm, data, &options));
    check(isg_run_train(run, 2, NULL));
    isg_run_close(run);
    content one = read_content(in_scratch("run/checkpoint-1.npz"));
    write_content(in_scratch("trainer.npz"), one.bytes, one.size);
    free(one.bytes);
}

/* The path of the newer checkpoint of the run: without it, the run is another. Sets `older`. */
static const char *find_newest(void) {
    static const char *const names[] = {"run/checkpoint-1.npz", "run/checkpoint-2.npz"};
    const char *copy = in_scratch("copy");
    check(reread_run(in_scratch(names[0]), copy));
    content newest = read_content(copy);
    for (size_t k = 0; k < 2; k++) {
        const char *path = in_scratch(names[k]);
        content whole = read_content(path);
        write_content(path, whole.bytes, whole.size - 1);
        const isg_status status = reread_run(path, copy);
        content found = read_content(copy);
        write_content(path, whole.bytes, whole.size);
        free(whole.bytes);
        if (status == ISG_ERR_FORMAT && !is_same(found, newest)) {
            older = found;
            free(newest.bytes);
            return in_scratch(names[k]);
        }
        free(found.bytes);
    }
    die("has no newer checkpoint", in_scratch("run"));
    return NULL;
}

/* ---- the sweep ------------------------------------------------------------------------------------ */

typedef struct tally {
    size_t injected, refused, harmless, lost;
} tally;

typedef struct subject {
    const char *kind, *path;
    reread *read;
    content whole, expected; /* the file, and what is written of it */
} subject;

/* A sentence about the file, and no more than one. */
static bool is_clear(const subject *one, isg_status status) {
    const char *message = isg_error_message();
    const bool is_expected =
        status == ISG_ERR_FORMAT || status == ISG_ERR_SHAPE || status == ISG_ERR_VERSION;
    return is_expected && !strchr(message, '\n') &&
           (strstr(message, strrchr(one->path, '/') + 1) || one->read == reread_run);
}

static void judge(const subject *one, tally *count, const char *fault, size_t where) {
    const char *copy = in_scratch("copy");
    const isg_status status = one->read(one->path, copy);
    bool is_harmless = false;
    count->injected++;
    if (status == ISG_OK) {
        content understood = read_content(copy);
        is_harmless = is_same(understood, one->expected);
        free(understood.bytes);
    }
    if (is_harmless)
        count->harmless++;
    else if (status != ISG_OK && is_clear(one, status))
        count->refused++;
    else {
        count->lost++;
        if (count->lost <= 10)
            printf("%s: %s %zu: status %d, %s\n", one->kind, fault, where, (int)status,
                   status == ISG_OK ? "other numbers" : isg_error_message());
    }
}

static tally flip_all(const subject *one, size_t stride) {
    tally count = {0};
    for (size_t bit = 0; bit < 8 * one->whole.size; bit += stride) {
        const unsigned char byte = one->whole.bytes[bit / 8];
        write_byte(one->path, bit / 8, byte ^ (unsigned char)(1u << bit % 8));
        judge(one, &count, "bit", bit);
        write_byte(one->path, bit / 8, byte);
    }
    return count;
}

static tally cut_all(const subject *one, size_t stride) {
    tally count = {0};
    for (size_t size = 0; size < one->whole.size; size += stride) {
        write_content(one->path, one->whole.bytes, size);
        judge(one, &count, "length", size);
    }
    return count;
}

static size_t report(const subject *one, const char *fault, tally count) {
    printf("%s | %s | %zu | %zu | %zu | %zu\n", fault, one->kind, count.injected, count.refused,
           count.harmless, count.lost);
    return count.lost + (count.refused == 0);
}

static size_t sweep(const char *kind, const char *path, reread *read, size_t stride) {
    char kept[512];
    snprintf(kept, sizeof kept, "%.511s", path);
    subject one = {.kind = kind, .path = kept, .read = read, .whole = read_content(kept)};
    check(read(kept, in_scratch("expected")));
    one.expected = read_content(in_scratch("expected"));
    size_t bad = report(&one, "bit flipped", flip_all(&one, stride));
    bad += report(&one, "cut short", cut_all(&one, stride));
    write_content(kept, one.whole.bytes, one.whole.size);
    free(one.whole.bytes);
    free(one.expected.bytes);
    return bad;
}

int main(int argc, char **argv) {
    const size_t stride = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 0;
    if (argc < 3 || argc > 4 || stride == 0) {
        fprintf(stderr, "usage: flip_bits SCRATCH STRIDE [NUMPY_MODEL]\n");
        return 2;
    }
    scratch = argv[1];
    isg_set_threads(1); /* which changes nothing, and is quickest for so little */
    make_data();
    make_models();
    make_classifier();
    make_run();
    size_t bad = sweep("patterns", in_scratch("patterns.npz"), reread_patterns, stride);
    bad += sweep("model", in_scratch("model.npz"), reread_model, stride);
    bad += sweep("classifier", in_scratch("classifier.npz"), reread_classifier, stride);
    bad += sweep("deep model", in_scratch("deep.npz"), reread_deep, stride);
    bad += sweep("checkpoint (train)", in_scratch("trainer.npz"), reread_trainer, stride);
    bad += sweep("checkpoint (as a model)", in_scratch("trainer.npz"), reread_model, stride);
    bad += sweep("checkpoint (classify)", in_scratch("experts.npz"), reread_experts, stride);
    bad += sweep("run (newest checkpoint)", find_newest(), reread_run, stride);
    if (argc == 4)
        bad += sweep("model by NumPy", argv[3], reread_model, stride);
    isg_dataset_free(data);
    free(older.bytes);
    return bad > 0;
}
