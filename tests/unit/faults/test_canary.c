/* test_canary.c - samples that say who they are, sent through everything that moves samples
 *
 * SPDX-License-Identifier: MIT
 *
 * Sample i carries i and its class in its own spins, with complements and a check, and one unit that
 * is up in no other sample. Whatever comes out of a reader, a filter, a split, an epoch or a
 * checkpoint can be asked which sample it is. Every check is shown a mistake first: labels shifted by
 * one, the last sample lost, two rows exchanged, a sample visited twice.
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <math.h>

#include "classify/experts.h"
#include "helper_scratch.h"

enum { M = 61, CLASSES = 4, N = 64 + M, CONSTANT = 0xb5c3 };
static const char *const names[CLASSES] = {"3", "10", "11", "40"}; /* not in the order of text */

static size_t class_of(size_t i) {
    return (i * i + i / 7) % CLASSES;
}

static uint64_t spins_of(uint64_t i, uint64_t k) {
    const uint64_t check = (i * 40503 + k * 9973 + 12345) & 0xffff;
    return i | (~i & 0xff) << 8 | k << 16 | (~k & 0xff) << 24 | check << 32 |
           (uint64_t)CONSTANT << 48;
}

/* The number of the sample, or M if it is none of ours or damaged; its class by its spins. */
static size_t decode(const uint64_t *row, size_t *k) {
    const size_t i = row[0] & 0xff;
    *k = row[0] >> 16 & 0xff;
    return i < M && *k == class_of(i) && row[0] == spins_of(i, *k) && row[1] == UINT64_C(1) << i
               ? i
               : M;
}

static isg_dataset *make_canaries(void) {
    static int8_t spins[M * N];
    int64_t labels[M];
    isg_dataset *data = NULL;
    for (size_t i = 0; i < M; i++) {
        for (size_t unit = 0; unit < N; unit++)
            spins[i * N + unit] =
                (unit < 64 ? spins_of(i, class_of(i)) >> unit & 1 : unit - 64 == i) ? 1 : -1;
        labels[i] = atoi(names[class_of(i)]);
    }
    assert_ok(isg_dataset_create(&data, M, N, spins, labels));
    return data;
}

/* How many of these samples, in this order, the data set does not have, under their own labels. */
static size_t faults(const isg_dataset *data, const size_t *expected, size_t count) {
    const size_t n = isg_dataset_describe(data).n_samples;
    const uint32_t *labels = isg_dataset_labels(data);
    size_t wrong = n > count ? n - count : count - n;
    for (size_t a = 0; a < n && a < count; a++) {
        size_t k = 0;
        const size_t i = decode(isg_dataset_row(data, a), &k);
        const bool is_right = i < M && i == expected[a] && labels &&
                              !strcmp(isg_dataset_class_name(data, labels[a]), names[k]);
        wrong += !is_right;
    }
    return wrong;
}

static const size_t *all(void) {
    static size_t rows[M];
    for (size_t i = 0; i < M; i++)
        rows[i] = i;
    return rows;
}

/* ---- readers -------------------------------------------------------------------------------------- */

/* Encoded once more, by NumPy; and three mistakes. */
static const char *const write_files =
    "import gzip\n"
    "M, N = 61, 125\n"
    "i = np.arange(M)\n"
    "k = (i * i + i // 7) % 4\n"
    "y = np.array([3, 10, 11, 40])[k]\n"
    "parts = [(i, 8), (i ^ 255, 8), (k, 8), (k ^ 255, 8), ((i * 40503 + k * 9973 + 12345) & 65535, "
    "16),\n"
    "         (np.full(M, 0xb5c3), 16)]\n"
    "x = np.concatenate([(v[:, None] >> np.arange(n)) & 1 for v, n in parts] + [np.eye(M, "
    "dtype=int)], 1)\n"
    "g = (x * 255).astype(np.uint8)\n"
    "def put(name, data):\n"
    "    open(name, 'wb').write(data)\n"
    "    gzip.open(name + '.gz', 'wb').write(data)\n"
    "def idx(a):\n"
    "    return struct.pack('>4B%dI' % a.ndim, 0, 0, 8, a.ndim, *a.shape) + a.tobytes()\n"
    "def table(x, y, comma=','):\n"
    "    rows = ['kind' + comma + comma.join('u%d' % u for u in range(N))]\n"
    "    rows += [comma.join(map(str, [l] + list(r))) for l, r in zip(y, x)]\n"
    "    return ('\\n'.join(rows) + '\\n').encode()\n"
    "def npy(a):\n"
    "    f = io.BytesIO(); np.save(f, a); return f.getvalue()\n"
    "put('images.idx', idx(g.reshape(M, 5, 25)))\n"
    "put('labels.idx', idx(y.astype(np.uint8)))\n"
    "put('labels.csv', ('\\n'.join(map(str, y)) + '\\n').encode())\n"
    "put('labels.npy', npy(y.astype('>i4')))\n"
    "put('a.npy', npy(2 * x - 1))\n"
    "put('fortran.npy', npy(np.asfortranarray(x * 0.4 + 0.3)))\n"
    "np.savez('a.npz', X=x.astype(np.float32), y=y)\n"
    "np.savez_compressed('packed.npz', X=np.asfortranarray(g), y=y.astype('U'))\n"
    "put('a.csv', table(x, y))\n"
    "put('a.tsv', table(2 * x - 1, y, '\\t'))\n"
    "e = ['%d %d 1' % (a + 1, u + 1) for a, u in zip(*np.nonzero(x))]\n"
    "put('a.mtx', ('%%%%MatrixMarket matrix coordinate integer general\\n%d %d %d\\n' % (M, N, "
    "len(e))\n"
    "              + '\\n'.join(e) + '\\n').encode())\n"
    "put('dense.mtx', ('%%%%MatrixMarket matrix array real general\\n%d %d\\n' % (M, N)\n"
    "                  + '\\n'.join('%.1f' % v for v in x.T.flat) + '\\n').encode())\n"
    "put('shifted.csv', table(x, np.roll(y, 1)))\n"
    "put('lost.csv', table(x[:-1], y[:-1]))\n"
    "s = i.copy(); s[[7, 8]] = 8, 7\n"
    "put('swapped.csv', table(x[s], y[s]))\n";

typedef struct file_case {
    const char *name, *labels, *column;
    double threshold;
} file_case;

static isg_dataset *load(const file_case *file, const char *only_class, size_t limit) {
    isg_dataset_options options = isg_dataset_defaults();
    isg_dataset *data = NULL;
    options.labels_path = file->labels ? in(directory, file->labels) : NULL;
    options.label_column = file->column;
    if (file->threshold > 0)
        options.binarize = ISG_BINARIZE_VALUE;
    options.binarize_at = file->threshold;
    options.only_class = only_class;
    options.limit = limit;
    assert_ok(isg_dataset_load(&data, in(directory, file->name), &options, NULL));
    return data;
}

static const file_case right_files[] = {
    {"images.idx", "labels.idx", NULL, 0},
    {"images.idx.gz", "labels.idx.gz", NULL, 0},
    {"images.idx", "labels.idx.gz", NULL, 0.99},
    {"a.npy", "labels.csv", NULL, 0},
    {"a.npy.gz", "labels.csv.gz", NULL, 0},
    {"fortran.npy", "labels.npy", NULL, 0.5},
    {"fortran.npy.gz", "labels.npy.gz", NULL, 0.69},
    {"a.npz", NULL, NULL, 0},
    {"packed.npz", NULL, NULL, 0},
    {"a.csv", NULL, "kind", 0},
    {"a.csv.gz", NULL, "1", 0.5},
    {"a.tsv", NULL, "kind", 0},
    {"a.tsv.gz", NULL, "kind", 0},
    {"a.mtx", "labels.csv", NULL, 0},
    {"a.mtx.gz", "labels.idx", NULL, 0},
    {"dense.mtx", "labels.npy", NULL, 0.5},
    {"dense.mtx.gz", "labels.csv", NULL, 0},
    {"a.npy", "a.csv", "kind", 0},
};
enum { RIGHT_FILES = sizeof right_files / sizeof right_files[0] };

static void test_readers(void **state) {
    (void)state;
    for (size_t f = 0; f < RIGHT_FILES; f++) {
        isg_dataset *data = load(&right_files[f], NULL, 0);
        if (faults(data, all(), M))
            fail_msg("%s: %zu samples are wrong", right_files[f].name, faults(data, all(), M));
        isg_dataset_free(data);
    }
    const file_case wrong_files[] = {{"shifted.csv", NULL, "kind", 0},
                                     {"lost.csv", NULL, "kind", 0},
                                     {"swapped.csv", NULL, "kind", 0},
                                     {"fortran.npy", "labels.npy", NULL, 0.25}};
    size_t found[4];
    for (size_t f = 0; f < 4; f++) {
        isg_dataset *data = load(&wrong_files[f], NULL, 0);
        found[f] = faults(data, all(), M);
        isg_dataset_free(data);
    }
    assert_true(found[0] > M / 2);
    assert_int_equal(found[1], 1);
    assert_int_equal(found[2], 2);
    assert_int_equal(found[3], M); /* a threshold below everything */
}

static void test_class_filter_and_limit(void **state) {
    (void)state;
    for (size_t k = 0; k < CLASSES; k++)
        for (size_t limit = 0; limit < 20; limit += 5)
            for (size_t f = 0; f < RIGHT_FILES; f += 3) {
                size_t expected[M], count = 0;
                for (size_t i = 0; i < M && (limit == 0 || count < limit); i++)
                    if (class_of(i) == k)
                        expected[count++] = i;
                isg_dataset *data = load(&right_files[f], names[k], limit);
                assert_int_equal(faults(data, expected, count), 0);
                expected[count - 1]++;
                assert_int_equal(faults(data, expected, count), 1);
                isg_dataset_free(data);
            }
}

/* ---- splits and orders ------------------------------------------------------------------------------ */

/* How often each sample is in a data set; nothing else may be. */
static void count_samples(const isg_dataset *data, size_t *visits) {
    for (size_t a = 0; a < isg_dataset_describe(data).n_samples; a++) {
        size_t k = 0;
        const size_t i = decode(isg_dataset_row(data, a), &k);
        assert_true(i < M);
        assert_string_equal(isg_dataset_class_name(data, isg_dataset_labels(data)[a]), names[k]);
        visits[i]++;
    }
}

static bool is_once_each(const size_t *visits) {
    for (size_t i = 0; i < M; i++)
        if (visits[i] != 1)
            return false;
    return true;
}

static void test_split(void **state) {
    (void)state;
    isg_dataset *data = make_canaries();
    assert_int_equal(faults(data, all(), M), 0);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        isg_dataset *first = NULL, *second = NULL;
        assert_ok(isg_dataset_split(&first, &second, data, 0.7, seed));
        size_t together[M] = {0}, twice[M] = {0};
        count_samples(first, together);
        count_samples(second, together);
        assert_true(is_once_each(together));
        count_samples(first, twice);
        count_samples(first, twice);
        assert_false(is_once_each(twice));
        isg_dataset_free(first);
        isg_dataset_free(second);
    }
    isg_dataset_free(data);
}

static void test_orders(void **state) {
    (void)state;
    isg_dataset *data = make_canaries(), *shuffled = NULL;
    size_t order[M], before[M] = {0};
    for (uint64_t epoch = 0; epoch < 20; epoch++) {
        isg_dataset_shuffle(data, 1, epoch, order);
        size_t visits[M] = {0};
        assert_ok(isg_dataset_select(&shuffled, data, order, M));
        count_samples(shuffled, visits);
        assert_true(is_once_each(visits));
        assert_int_equal(faults(shuffled, order, M), 0);
        assert_true(faults(shuffled, all(), M) > 0);
        assert_memory_not_equal(order, before, sizeof order);
        memcpy(before, order, sizeof order);
        isg_dataset_free(shuffled);
    }
    isg_dataset_free(data);
}

/* ---- training --------------------------------------------------------------------------------------- */

enum { BATCH = 8, BATCHES = (M + BATCH - 1) / BATCH, EPOCHS = 3 };
static const isg_rate faint = {1e-9, 0};

typedef struct session {
    isg_rbm *rbm;
    isg_trainer *trainer;
} session;

/* A machine in which visits can be counted from outside. W is next to zero, so that the hidden unit
   is at c = 1, and b holds all spins of the chains down: an update adds 2 rate / BATCH to the weight
   of a unit for every sample of the batch that has it up. */
static session start(const isg_dataset *data, size_t kind) {
    session s = {NULL, NULL};
    isg_train_options options = isg_train_defaults();
    options.batch_size = BATCH;
    options.gibbs_steps = 1;
    options.rates = &faint;
    options.estimator = ISG_ESTIMATOR_MEAN;
    options.shuffle = kind & 1;
    options.persistent = kind >> 1 & 1;
    assert_ok(isg_rbm_create(&s.rbm, N, 1, 1));
    for (size_t i = 0; i < N; i++)
        s.rbm->b[i] = -60;
    s.rbm->c[0] = 1;
    assert_ok(isg_trainer_create(&s.trainer, s.rbm, data, &options));
    return s;
}

static void stop(session s) {
    isg_trainer_free(s.trainer);
    isg_rbm_free(s.rbm);
}

/* Visits so far, by the weights alone. */
static void count_by_weights(session s, size_t *visits) {
    for (size_t i = 0; i < M; i++) {
        const double count = s.rbm->weights[64 + i] * BATCH / (2 * faint.rate);
        visits[i] = (size_t)lrint(count);
        assert_true(fabs(count - (double)visits[i]) < 0.01);
    }
}

/* One update; the samples it visits, by what it was given. */
static void update(session s, size_t *visits) {
    assert_ok(isg_trainer_update(s.trainer));
    for (size_t a = 0; a < s.trainer->batch.count; a++) {
        size_t k = 0;
        const size_t i = decode(s.trainer->data_spins + a * s.trainer->weights.words, &k);
        assert_true(i < M);
        visits[i]++;
    }
}

static void test_epochs_visit_every_sample_once(void **state) {
    (void)state;
    isg_dataset *data = make_canaries();
    for (size_t kind = 0; kind < 4; kind++) {
        const session s = start(data, kind);
        for (size_t epoch = 0; epoch < EPOCHS; epoch++) {
            size_t visits[M] = {0}, weighed[M];
            for (size_t batch = 0; batch < BATCHES; batch++) {
                update(s, visits);
                assert_int_equal(s.trainer->batch.count,
                                 batch + 1 < BATCHES ? BATCH : M - BATCH * (BATCHES - 1));
                /* the short batch is what completes them */
                assert_int_equal(is_once_each(visits), batch + 1 == BATCHES);
            }
            count_by_weights(s, weighed);
            for (size_t i = 0; i < M; i++)
                assert_int_equal(weighed[i], epoch + 1);
        }
        stop(s);
    }
    /* A sample in the place of another shows, either way. */
    size_t rows[M], visits[M] = {0}, weighed[M];
    isg_dataset *doubled = NULL;
    memcpy(rows, all(), sizeof rows);
    rows[5] = 6;
    assert_ok(isg_dataset_select(&doubled, data, rows, M));
    const session s = start(doubled, 1);
    for (size_t batch = 0; batch < BATCHES; batch++)
        update(s, visits);
    count_by_weights(s, weighed);
    for (size_t i = 0; i < M; i++) {
        assert_int_equal(visits[i], i == 5 ? 0 : i == 6 ? 2 : 1);
        assert_int_equal(weighed[i], visits[i]);
    }
    stop(s);
    isg_dataset_free(doubled);
    isg_dataset_free(data);
}

static void test_no_held_out_sample_is_learned_from(void **state) {
    (void)state;
    isg_dataset *data = make_canaries(), *first = NULL, *second = NULL;
    assert_ok(isg_dataset_split(&first, &second, data, 0.6, 3));
    size_t held_out[M] = {0}, weighed[M];
    count_samples(second, held_out);
    for (size_t is_wrong = 0; is_wrong < 2; is_wrong++) {
        const session s = start(is_wrong ? data : first, 1);
        for (size_t epoch = 0; epoch < EPOCHS; epoch++)
            assert_ok(isg_trainer_epoch(s.trainer, NULL, NULL));
        count_by_weights(s, weighed);
        size_t seen = 0;
        for (size_t i = 0; i < M; i++) {
            assert_int_equal(weighed[i], held_out[i] && !is_wrong ? 0 : EPOCHS);
            seen += held_out[i] && weighed[i];
        }
        assert_int_equal(seen > 0, is_wrong);
        stop(s);
    }
    isg_dataset_free(first);
    isg_dataset_free(second);
    isg_dataset_free(data);
}

/* Stopped after any update of two epochs, saved, and gone on with by a new trainer; or by one that has
   not read the file. */
static void test_resuming_visits_the_rest(void **state) {
    (void)state;
    isg_dataset *data = make_canaries();
    const char *path = in(directory, "saved.npz");
    for (size_t stop_at = 0; stop_at <= 2 * BATCHES; stop_at++)
        for (size_t is_forgotten = 0; is_forgotten < 2; is_forgotten++) {
            size_t visits[2][M] = {{0}}, weighed[M];
            const session s = start(data, 3), rest = start(data, 3);
            for (size_t u = 0; u < stop_at; u++)
                update(s, visits[u / BATCHES]);
            assert_ok(isg_trainer_save(s.trainer, path));
            if (!is_forgotten)
                assert_ok(isg_trainer_load(rest.trainer, path));
            stop(s);
            for (size_t u = stop_at; u < 2 * BATCHES; u++)
                update(rest, visits[u / BATCHES]);
            count_by_weights(rest, weighed);
            bool is_right = is_once_each(visits[0]) && is_once_each(visits[1]);
            for (size_t i = 0; i < M; i++)
                is_right = is_right && weighed[i] == 2;
            assert_int_equal(is_right, !is_forgotten || stop_at == 0);
            stop(rest);
        }
    isg_dataset_free(data);
}

/* ---- experts ---------------------------------------------------------------------------------------- */

static void test_experts_see_their_class(void **state) {
    (void)state;
    isg_dataset *data = make_canaries();
    isg_experts *experts = NULL;
    isg_expert_options options = isg_expert_defaults();
    options.per_class = 2;
    options.train.batch_size = M; /* what an epoch visits is then all there at its end */
    options.train.gibbs_steps = 1;
    assert_ok(isg_experts_create(&experts, data, &options, NULL));
    size_t visits[M] = {0};
    for (size_t e = 0; e < CLASSES; e++) {
        assert_ok(isg_experts_step(experts, NULL));
        const isg_expert *expert = &experts->expert[e];
        size_t expected[M], count = 0;
        for (size_t i = 0; i < M; i++)
            if (class_of(i) == e)
                expected[count++] = i;
        assert_int_equal(faults(expert->data, expected, count), 0);
        assert_true(faults(expert->data, all(), count) > 0);
        assert_int_equal(expert->trainer->batch.count, count);
        for (size_t a = 0; a < count; a++) {
            size_t k = 0;
            const size_t words = expert->trainer->weights.words;
            const size_t i = decode(expert->trainer->data_spins + a * words, &k);
            assert_true(i < M && k == e);
            visits[i]++;
        }
        assert_int_equal(is_once_each(visits), e + 1 == CLASSES);
    }
    isg_experts_free(experts);
    isg_dataset_free(data);
}

static int make_files(void **state) {
    isg_set_threads(2);
    make_directory(state);
    run_python(directory, write_files);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readers),
        cmocka_unit_test(test_class_filter_and_limit),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_epochs_visit_every_sample_once),
        cmocka_unit_test(test_no_held_out_sample_is_learned_from),
        cmocka_unit_test(test_resuming_visits_the_rest),
        cmocka_unit_test(test_experts_see_their_class),
    };
    return cmocka_run_group_tests(tests, make_files, remove_directory);
}
