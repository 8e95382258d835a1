/* test_patterns.c - patterns: from data, in files, compared, and which depend on others
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "helper_allocation.h"
#include "helper_progress.h"
#include "numpy_helper.h"
#include "patterns/ward.h"

/* Patterns from strings of + and -, one per pattern. */
static isg_patterns *columns(size_t n_patterns, const char *const *texts,
                             const char *const *labels) {
    int8_t xi[1000];
    const size_t n = strlen(texts[0]);
    assert_true(n * n_patterns <= sizeof xi);
    for (size_t i = 0; i < n; i++)
        for (size_t mu = 0; mu < n_patterns; mu++)
            xi[i * n_patterns + mu] = texts[mu][i] == '+' ? 1 : -1;
    isg_patterns *patterns = NULL;
    assert_ok(isg_patterns_create(&patterns, n, n_patterns, xi, labels));
    return patterns;
}

static void assert_pattern(const isg_patterns *patterns, size_t mu, const char *text) {
    const uint64_t *row = isg_patterns_row(patterns, mu);
    const size_t n = isg_patterns_describe(patterns).n_visible;
    assert_non_null(row);
    assert_int_equal(strlen(text), n);
    for (size_t i = 0; i < n; i++)
        if (isg_bit(row, i) != (text[i] == '+'))
            fail_msg("pattern %zu, unit %zu: expected %c", mu, i, text[i]);
    for (size_t i = n; i < 64 * isg_words(n); i++)
        assert_false(isg_bit(row, i));
}

static void assert_same_patterns(const isg_patterns *a, const isg_patterns *b) {
    const isg_patterns_info one = isg_patterns_describe(a), other = isg_patterns_describe(b);
    assert_int_equal(one.n_visible, other.n_visible);
    assert_int_equal(one.n_patterns, other.n_patterns);
    assert_int_equal(one.image_height, other.image_height);
    assert_int_equal(one.image_width, other.image_width);
    assert_int_equal(one.has_labels, other.has_labels);
    for (size_t mu = 0; mu < one.n_patterns; mu++) {
        assert_memory_equal(isg_patterns_row(a, mu), isg_patterns_row(b, mu),
                            isg_words(one.n_visible) * sizeof(uint64_t));
        if (one.has_labels)
            assert_string_equal(isg_patterns_label(a, mu), isg_patterns_label(b, mu));
        else
            assert_null(isg_patterns_label(b, mu));
    }
}

/* ---- given ------------------------------------------------------------------------------------------ */

static void patterns_are_what_was_given(void **state) {
    (void)state;
    const char *const texts[] = {"++-+-", "+++++", "--+-+"}, *const labels[] = {"b", "a", "b"};
    isg_patterns *patterns = columns(3, texts, labels);
    const isg_patterns_info info = isg_patterns_describe(patterns);
    assert_true(info.n_visible == 5 && info.n_patterns == 3 && info.has_labels);
    assert_true(info.n_ties == 0 && info.image_height == 0);
    for (size_t mu = 0; mu < 3; mu++) {
        assert_pattern(patterns, mu, texts[mu]);
        assert_string_equal(isg_patterns_label(patterns, mu), labels[mu]);
        assert_int_equal(isg_patterns_members(patterns, mu), 0);
    }
    assert_int_equal(isg_patterns_positive(patterns, 0), 3);
    assert_int_equal(isg_patterns_positive(patterns, 1), 5);
    assert_true(isg_patterns_overlap(patterns, 0, 1) == 0.2);
    assert_true(isg_patterns_overlap(patterns, 0, 2) == -1);
    assert_true(isg_patterns_overlap(patterns, 1, 1) == 1);
    assert_null(isg_patterns_row(patterns, 3));
    assert_null(isg_patterns_label(patterns, 3));
    assert_int_equal(isg_patterns_positive(patterns, 3), 0);
    assert_int_equal(isg_patterns_members(patterns, 3), 0);
    isg_patterns_free(patterns);
    isg_patterns_free(NULL);
}

static void senseless_patterns_are_refused(void **state) {
    (void)state;
    const int8_t xi[] = {1, -1, 1, 0};
    const char *const labels[] = {"a", ""};
    isg_patterns *patterns = NULL;
    assert_fails(isg_patterns_create(&patterns, 2, 2, xi, NULL), ISG_ERR_ARGUMENT,
                 "unit 1 of pattern 1: expected +1 or -1, found 0");
    assert_fails(isg_patterns_create(&patterns, 0, 2, xi, NULL), ISG_ERR_ARGUMENT, "at least one");
    assert_fails(isg_patterns_create(&patterns, 2, 0, xi, NULL), ISG_ERR_ARGUMENT, "at least one");
    assert_fails(isg_patterns_create(&patterns, 1, 2, xi, labels), ISG_ERR_FORMAT, "missing");
    const char *const gap[] = {"a", NULL};
    assert_fails(isg_patterns_create(&patterns, 1, 2, xi, gap), ISG_ERR_ARGUMENT,
                 "none for pattern 1");
    assert_null(patterns);
}

/* ---- from data ---------------------------------------------------------------------------------------- */

static isg_dataset *from_csv(const char *text) {
    isg_dataset *data = NULL;
    isg_dataset_options options = isg_dataset_defaults();
    options.label_column = "1";
    assert_ok(isg_dataset_load_memory(&data, "a.csv", text, strlen(text), &options, NULL));
    return data;
}

static void a_pattern_is_the_sign_of_the_mean(void **state) {
    (void)state;
    isg_dataset *data = from_csv("dog,1,1,0,1\n"
                                 "cat,0,1,0,0\n"
                                 "dog,1,0,0,1\n"
                                 "dog,0,0,1,1\n"
                                 "cat,1,1,0,0\n");
    isg_patterns *patterns = NULL;
    assert_ok(isg_patterns_from_data(&patterns, data, NULL, NULL));
    const isg_patterns_info info = isg_patterns_describe(patterns);
    assert_true(info.n_patterns == 2 && info.has_labels);
    assert_int_equal(info.n_ties, 1);    /* first unit of the cats */
    assert_pattern(patterns, 0, "-+--"); /* classes in order, a tie is -1 */
    assert_pattern(patterns, 1, "+--+");
    assert_string_equal(isg_patterns_label(patterns, 0), "cat");
    assert_string_equal(isg_patterns_label(patterns, 1), "dog");
    assert_int_equal(isg_patterns_members(patterns, 0), 2);
    assert_int_equal(isg_patterns_members(patterns, 1), 3);
    isg_patterns_free(patterns);
    isg_dataset_free(data);
}

enum { SAMPLES = 90, UNITS = 70 };

/* Labels -5, 3, 12 by turns; units that are often equal. */
static isg_dataset *random_data(bool has_labels) {
    static int8_t spins[SAMPLES * UNITS];
    static int64_t labels[SAMPLES];
    isg_cursor random = isg_cursor_at(isg_stream_at(1, ISG_PURPOSE_TEST, 0, 0));
    for (size_t a = 0; a < SAMPLES; a++) {
        labels[a] = (int64_t[]){12, -5, 3}[isg_next_below(&random, 3)];
        for (size_t i = 0; i < UNITS; i++)
            spins[a * UNITS + i] = isg_next_below(&random, 7) < i % 7 ? 1 : -1;
    }
    isg_dataset *data = NULL;
    assert_ok(isg_dataset_create(&data, SAMPLES, UNITS, spins, has_labels ? labels : NULL));
    return data;
}

/* One pattern from its members, by adding up spins. */
static size_t check_mean(const isg_patterns *patterns, size_t mu, const isg_dataset *data,
                         const bool *is_member) {
    size_t n_ties = 0, count = 0;
    for (size_t i = 0; i < UNITS; i++) {
        int sum = 0;
        count = 0;
        for (size_t a = 0; a < SAMPLES; a++)
            if (is_member[a]) {
                sum += isg_spin(isg_dataset_row(data, a), i);
                count++;
            }
        n_ties += sum == 0;
        assert_int_equal(isg_bit(isg_patterns_row(patterns, mu), i), sum > 0);
    }
    assert_int_equal(isg_patterns_members(patterns, mu), count);
    return n_ties;
}

static void sub_patterns_are_means_of_clusters(void **state) {
    (void)state;
    isg_dataset *labelled = random_data(true), *plain = random_data(false);
    size_t all_ties = 0;
    for (size_t k = 1; k <= 6; k++)
        for (int has_labels = 0; has_labels < 2; has_labels++) {
            const isg_dataset *data = has_labels ? labelled : plain;
            const size_t n_classes = has_labels ? 3 : 1;
            isg_pattern_options options = isg_pattern_defaults();
            isg_patterns *patterns = NULL;
            size_t n_ties = 0;
            options.per_class = k;
            assert_ok(isg_patterns_from_data(&patterns, data, &options, NULL));
            const isg_patterns_info info = isg_patterns_describe(patterns);
            assert_int_equal(info.n_patterns, n_classes * k);
            assert_int_equal(info.has_labels, has_labels);
            for (size_t c = 0; c < n_classes; c++) {
                size_t rows[SAMPLES], count = 0;
                uint32_t cluster[SAMPLES];
                isg_ward *tree = NULL;
                for (size_t a = 0; a < SAMPLES; a++)
                    if (!has_labels || isg_dataset_labels(data)[a] == c)
                        rows[count++] = a;
                assert_ok(isg_ward_create(&tree, data, rows, count, NULL));
                assert_ok(isg_ward_cut(tree, k, cluster));
                for (size_t j = 0; j < k; j++) {
                    bool is_member[SAMPLES] = {false};
                    for (size_t a = 0; a < count; a++)
                        is_member[rows[a]] = cluster[a] == j;
                    n_ties += check_mean(patterns, c * k + j, data, is_member);
                    if (has_labels)
                        assert_string_equal(isg_patterns_label(patterns, c * k + j),
                                            isg_dataset_class_name(data, c));
                }
                isg_ward_free(tree);
            }
            assert_int_equal(info.n_ties, n_ties);
            all_ties += n_ties;
            isg_patterns_free(patterns);
        }
    assert_true(all_ties > 0);
    isg_dataset_free(labelled);
    isg_dataset_free(plain);
}

static void too_few_samples_are_named(void **state) {
    (void)state;
    isg_dataset *data = from_csv("cat,1\ncat,0\ndog,1\ndog,1\ndog,0\ndog,1\n");
    isg_patterns *patterns = NULL;
    isg_pattern_options options = isg_pattern_defaults();
    options.per_class = 3;
    assert_fails(isg_patterns_from_data(&patterns, data, &options, NULL), ISG_ERR_ARGUMENT,
                 "class cat has 2 samples, too few for 3 patterns");
    const size_t senseless[] = {4, SIZE_MAX};
    for (size_t k = 0; k < 2; k++) {
        options.per_class = senseless[k];
        assert_fails(isg_patterns_from_data(&patterns, data, &options, NULL), ISG_ERR_ARGUMENT,
                     "class cat has 2 samples, too few for");
    }
    options.per_class = 2;
    options.ward_samples = 1;
    assert_fails(isg_patterns_from_data(&patterns, data, &options, NULL), ISG_ERR_ARGUMENT,
                 "1 samples cannot be divided into 2 clusters");
    options.ward_samples = 20000;
    options.per_class = 0;
    assert_fails(isg_patterns_from_data(&patterns, data, &options, NULL), ISG_ERR_ARGUMENT,
                 "at least one pattern per class");
    assert_null(patterns);
    options.per_class = 2; /* every cat a pattern */
    assert_ok(isg_patterns_from_data(&patterns, data, &options, NULL));
    assert_pattern(patterns, 0, "+");
    assert_pattern(patterns, 1, "-");
    isg_patterns_free(patterns);
    isg_dataset_free(data);
}

/* A small class gives what it has, and the others what they gave without it. */
static void a_cap_lets_small_classes_be(void **state) {
    (void)state;
    const char *dogs = "dog,1,0,0\ndog,1,1,0\ndog,0,0,1\ndog,0,1,1\n";
    char text[200];
    snprintf(text, sizeof text, "cat,1,1,1\ncat,0,1,0\n%s", dogs);
    isg_dataset *data = from_csv(text), *alone = from_csv(dogs);
    isg_patterns *patterns = NULL, *of_dogs = NULL;
    isg_pattern_options options = {.per_class = 3, .cap = true};
    assert_ok(isg_patterns_from_data(&patterns, data, &options, NULL));
    assert_ok(isg_patterns_from_data(&of_dogs, alone, &options, NULL));
    assert_int_equal(isg_patterns_describe(patterns).n_patterns, 5);
    assert_int_equal(isg_patterns_describe(patterns).n_capped, 1);
    assert_int_equal(isg_patterns_describe(of_dogs).n_capped, 0);
    assert_pattern(patterns, 0, "+++");
    assert_pattern(patterns, 1, "-+-");
    for (size_t mu = 0; mu < 5; mu++)
        assert_string_equal(isg_patterns_label(patterns, mu), mu < 2 ? "cat" : "dog");
    for (size_t mu = 0; mu < 3; mu++) {
        assert_int_equal(*isg_patterns_row(patterns, mu + 2), *isg_patterns_row(of_dogs, mu));
        assert_int_equal(isg_patterns_members(patterns, mu + 2), isg_patterns_members(of_dogs, mu));
    }
    isg_patterns_free(patterns);
    options.per_class = SIZE_MAX; /* every sample a pattern */
    assert_ok(isg_patterns_from_data(&patterns, data, &options, NULL));
    assert_int_equal(isg_patterns_describe(patterns).n_patterns, 6);
    assert_int_equal(isg_patterns_describe(patterns).n_capped, 2);
    isg_patterns_free(patterns);
    isg_patterns_free(of_dogs);
    isg_dataset_free(data);
    isg_dataset_free(alone);
}

static bool never_called(void *user, double fraction) {
    (void)user;
    (void)fraction;
    fail();
    return false;
}

/* Before the large class in front of it is clustered. */
static void too_few_samples_are_found_at_once(void **state) {
    (void)state;
    isg_dataset *data = from_csv("cat,1\ncat,0\ncat,1\ndog,1\ndog,1\n");
    isg_patterns *patterns = NULL;
    isg_pattern_options options = isg_pattern_defaults();
    const isg_progress progress = {never_called, NULL};
    options.per_class = 3;
    assert_fails(isg_patterns_from_data(&patterns, data, &options, &progress), ISG_ERR_ARGUMENT,
                 "class dog has 2 samples, too few for 3 patterns");
    isg_dataset_free(data);
}

static void making_patterns_can_be_cancelled(void **state) {
    (void)state;
    isg_dataset *data = random_data(true);
    isg_patterns *patterns = NULL;
    isg_pattern_options options = isg_pattern_defaults();
    patience p = {.last_call = 2, .may_stay = true};
    const isg_progress progress = {lose_patience, &p};
    assert_fails(isg_patterns_from_data(&patterns, data, &options, &progress), ISG_ERR_CANCELLED,
                 "cancelled");
    assert_null(patterns);
    p = (patience){.last_call = 0, .may_stay = true};
    assert_ok(isg_patterns_from_data(&patterns, data, &options, &progress));
    assert_true(p.fraction == 1);
    isg_patterns_free(patterns);
    isg_dataset_free(data);
}

/* Classes are clustered in parallel, and the caller may cancel all of them. */
static void clustering_does_not_depend_on_threads(void **state) {
    (void)state;
    enum { MANY_ROWS = 900, MANY_UNITS = 40 };
    static int8_t spins[MANY_ROWS * MANY_UNITS];
    static int64_t labels[MANY_ROWS];
    uint32_t x = 7;
    for (size_t k = 0; k < MANY_ROWS * MANY_UNITS; k++) {
        x = x * 1664525 + 1013904223;
        spins[k] = x >> 31 ? 1 : -1;
    }
    for (size_t a = 0; a < MANY_ROWS; a++)
        labels[a] = (int64_t)(a % 5);
    isg_dataset *data = NULL;
    assert_ok(isg_dataset_create(&data, MANY_ROWS, MANY_UNITS, spins, labels));
    isg_pattern_options options = isg_pattern_defaults();
    options.per_class = 6;
    const size_t threads[] = {1, 2, 7};
    char first[65], hex[65];
    for (size_t t = 0; t < 3; t++) {
        isg_patterns *patterns = NULL;
        isg_set_threads(threads[t]);
        assert_ok(isg_patterns_from_data(&patterns, data, &options, NULL));
        assert_ok(isg_patterns_checksum(patterns, t == 0 ? first : hex));
        if (t > 0)
            assert_string_equal(hex, first);
        isg_patterns_free(patterns);
        patience p = {.last_call = 1, .may_stay = true};
        const isg_progress progress = {lose_patience, &p};
        patterns = NULL;
        assert_fails(isg_patterns_from_data(&patterns, data, &options, &progress),
                     ISG_ERR_CANCELLED, "cancelled");
        assert_null(patterns);
    }
    isg_set_threads(0);
    isg_dataset_free(data);
}

/* ---- files ----------------------------------------------------------------------------------------------- */

static void assert_round_trip(const char *directory, const isg_patterns *patterns) {
    isg_patterns *back = NULL;
    void *bytes = NULL;
    size_t size = 0, file_size = 0;
    assert_ok(isg_patterns_save(patterns, in(directory, "p.npz"), 7, "make p"));
    assert_ok(isg_patterns_load(&back, in(directory, "p.npz")));
    assert_same_patterns(patterns, back);
    isg_patterns_free(back);
    /* The same in memory. */
    uint8_t *file = read_file(in(directory, "p.npz"), &file_size);
    assert_ok(isg_patterns_to_bytes(patterns, 7, "make p", &bytes, &size));
    assert_int_equal(size, file_size);
    assert_memory_equal(bytes, file, size);
    assert_ok(isg_patterns_from_bytes(&back, "p", bytes, size));
    assert_same_patterns(patterns, back);
    isg_patterns_free(back);
    back = NULL;
    assert_fails(isg_patterns_from_bytes(&back, NULL, bytes, size - 1), ISG_ERR_FORMAT, "bytes: ");
    assert_null(back);
    isg_bytes_free(bytes);
    free(file);
}

static void image_and_encoding_can_be_set(void **state) {
    (void)state;
    const char *const texts[] = {"++-+-+", "++++++"};
    const double thresholds[] = {1, 2, 3, 4, 5, 6};
    const isg_encoding *encoding = NULL, *short_one = NULL;
    isg_patterns *patterns = columns(2, texts, NULL);
    assert_fails(isg_patterns_set_image(patterns, 2, 2), ISG_ERR_SHAPE,
                 "an image of 2 x 2 does not have 6 pixels");
    assert_fails(isg_patterns_set_image(patterns, SIZE_MAX, 2), ISG_ERR_SHAPE, "6 pixels");
    assert_ok(isg_patterns_set_image(patterns, 2, 3));
    assert_int_equal(isg_patterns_describe(patterns).image_width, 3);
    assert_ok(isg_encoding_from_thresholds(&encoding, 6, thresholds, NULL));
    assert_ok(isg_encoding_from_thresholds(&short_one, 5, thresholds, NULL));
    assert_ok(isg_patterns_set_encoding(patterns, encoding));
    assert_ok(isg_patterns_set_encoding(patterns, encoding));
    isg_encoding_release(encoding);
    assert_fails(isg_patterns_set_encoding(patterns, short_one), ISG_ERR_SHAPE,
                 "the encoding has 5 units, the patterns 6");
    isg_encoding_release(short_one);
    assert_true(isg_encoding_threshold(isg_patterns_encoding(patterns), 5) == 6);
    assert_ok(isg_patterns_set_encoding(patterns, NULL));
    assert_null(isg_patterns_encoding(patterns));
    isg_patterns_free(patterns);
}

static void files_give_back_what_was_saved(void **state) {
    (void)state;
    char *directory = scratch_create();
    const char *const texts[] = {"++-+-", "+++++", "--+-+"};
    const char *const labels[][3] = {
        {"0", "12", "-3"},
        {"7", "007", "-0"},
        {"b", "a", "b"},
        {"\xc3\xa9t\xc3\xa9", "\xe6\xb0\xb4", "\xf0\x9f\x90\xb1 x"},
        {"999999999999999999", "1000000000000000000", "1"},
    };
    for (size_t k = 0; k < sizeof labels / sizeof *labels; k++) {
        isg_patterns *patterns = columns(3, texts, labels[k]);
        assert_round_trip(directory, patterns);
        isg_patterns_free(patterns);
    }
    isg_patterns *patterns = columns(3, texts, NULL);
    assert_round_trip(directory, patterns);
    isg_patterns_free(patterns);

    /* Bytes that are not UTF-8 are read as Latin-1 and come back in UTF-8. */
    const char *const odd[] = {"\xe9t\xe9", "\xff\xc3", "a\xed\xa0\x80"};
    const char *const even[] = {"\xc3\xa9t\xc3\xa9", "\xc3\xbf\xc3\x83",
                                "a\xc3\xad\xc2\xa0\xc2\x80"};
    patterns = columns(3, texts, odd);
    isg_patterns *back = NULL;
    assert_ok(isg_patterns_save(patterns, in(directory, "p.npz"), 7, NULL));
    assert_ok(isg_patterns_load(&back, in(directory, "p.npz")));
    for (size_t mu = 0; mu < 3; mu++)
        assert_string_equal(isg_patterns_label(back, mu), even[mu]);
    isg_patterns_free(back);
    isg_patterns_free(patterns);

    /* Images stay images. */
    const uint8_t idx[] = {0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 255, 0, 255, 9, 0};
    isg_dataset *data = NULL;
    assert_ok(isg_dataset_load_memory(&data, "a.idx", idx, sizeof idx, NULL, NULL));
    assert_ok(isg_patterns_from_data(&patterns, data, NULL, NULL));
    assert_true(isg_patterns_describe(patterns).image_height == 2);
    assert_round_trip(directory, patterns);
    isg_patterns_free(patterns);
    isg_dataset_free(data);
    scratch_remove(directory);
}

/* NumPy reads our files and computes the same checksum. */
static void numpy_reads_our_files(void **state) {
    (void)state;
    char *directory = scratch_create();
    const char *const texts[] = {"++-+-++-+-+", "+++++++++++", "--+-++--+-+"};
    const char *const words[] = {"caf\xc3\xa9", "a", "b"}, *const numbers[] = {"3", "-1", "3"};
    isg_patterns *patterns = columns(3, texts, words);
    assert_ok(isg_patterns_save(patterns, in(directory, "words.npz"), 7, "make it"));
    char found[65], expected[65] = "";
    assert_ok(isg_patterns_checksum(patterns, found));
    isg_patterns_free(patterns);
    patterns = columns(3, texts, numbers);
    assert_ok(isg_patterns_save(patterns, in(directory, "numbers.npz"), 7, NULL));
    isg_patterns_free(patterns);
    run_python(directory,
               "import hashlib, json\n"
               "a, b = np.load('words.npz'), np.load('numbers.npz')\n"
               "xi = np.array([[1 if c == '+' else -1 for c in t] for t in\n"
               "    ['++-+-++-+-+', '+++++++++++', '--+-++--+-+']], np.int8).T\n"
               "assert a['xi'].dtype == np.int8 and (a['xi'] == xi).all()\n"
               "assert list(a['labels']) == ['caf\\u00e9', 'a', 'b']\n"
               "assert b['labels'].dtype == np.int64 and list(b['labels']) == [3, -1, 3]\n"
               "meta = json.loads(zipfile.ZipFile('words.npz').read('meta.json'))\n"
               "assert meta['command'] == 'make it' and meta['seed'] == '7', meta\n"
               "rows = sorted(np.packbits(xi.T > 0, axis=1).tolist())\n"
               "open('sum', 'w').write(hashlib.sha256(bytes(sum(rows, []))).hexdigest())\n");
    FILE *file = fopen(in(directory, "sum"), "r");
    assert_non_null(file);
    assert_int_equal(fread(expected, 1, 64, file), 64);
    fclose(file);
    assert_string_equal(found, expected);
    const char *const turned[] = {texts[2], texts[0], texts[1]};
    patterns = columns(3, turned, NULL);
    assert_ok(isg_patterns_checksum(patterns, found));
    assert_string_equal(found, expected); /* the order of the patterns does not matter */
    isg_patterns_free(patterns);
    scratch_remove(directory);
}

static void we_read_files_of_numpy(void **state) {
    (void)state;
    char *directory = scratch_create();
    run_python(
        directory,
        "xi = np.array([[1, -1], [-1, -1], [1, 1]])\n"
        "np.savez('int64.npz', xi=xi, labels=np.array([4, 2]))\n"
        "np.savez_compressed('fortran.npz', xi=np.asfortranarray(xi.astype('>i2')),\n"
        "    labels=np.array(['4', '2']))\n"
        "np.savez('int8.npz', xi=xi.astype(np.int8), labels=np.array([b'4', b'2']))\n"
        "np.savez('bool.npz', xi=xi > 0, labels=np.array([[4], [2]], np.float16))\n"
        "np.savez('binary.npz', xi=(xi > 0).astype(np.uint8), labels=np.array([4, 2]))\n"
        "np.save('plain.npy', xi)\n"
        "np.save('fortran.npy', np.asfortranarray(xi > 0))\n"
        "np.save('cut.npy', xi)\n"
        "open('cut.npy', 'r+b').truncate(140)\n"
        "np.save('text.npy', np.array([['+', '-']]))\n"
        "np.savez('turned.npz', xi=xi.T, labels=np.array([4, 2]))\n"
        "np.savez('two.npz', xi=(xi > 0) * 2)\n"
        "np.savez('zero.npz', xi=xi * [[1], [0], [1]])\n"
        "np.savez('flat.npz', xi=xi[0])\n"
        "np.savez('empty.npz', xi=np.zeros((3, 0), np.int8))\n"
        "np.savez('three.npz', xi=xi, labels=np.array([4, 2, 3]))\n"
        "np.savez('square.npz', xi=xi, labels=np.array([[4, 2]]))\n"
        "np.savez('other.npz', eta=xi)\n"
        "np.savez('later.npz', xi=xi)\n"
        "zipfile.ZipFile('later.npz', 'a').writestr('meta.json', '{\"version\": \"99.0.0\"}')\n"
        "np.savez('shape.npz', xi=xi)\n"
        "zipfile.ZipFile('shape.npz', 'a').writestr('meta.json',\n"
        "    '{\"version\": \"0.0.1\", \"image_height\": 2, \"image_width\": 2}')\n"
        "open('cut.npz', 'wb').write(open('int64.npz', 'rb').read()[:200])\n");
    const char *const good[] = {"int64.npz",  "fortran.npz", "int8.npz",   "bool.npz",
                                "binary.npz", "plain.npy",   "fortran.npy"};
    isg_patterns *patterns = NULL;
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        assert_ok(isg_patterns_load(&patterns, in(directory, good[k])));
        assert_pattern(patterns, 0, "+-+");
        assert_pattern(patterns, 1, "--+");
        if (strstr(good[k], ".npy")) {
            assert_null(isg_patterns_label(patterns, 0));
        } else {
            assert_string_equal(isg_patterns_label(patterns, 0), "4");
            assert_string_equal(isg_patterns_label(patterns, 1), "2");
        }
        isg_patterns_free(patterns);
    }
    assert_ok(isg_patterns_load(&patterns, in(directory, "shape.npz"))); /* 2 x 2 is not 3 */
    assert_int_equal(isg_patterns_describe(patterns).image_height, 0);
    assert_false(isg_patterns_describe(patterns).has_labels);
    isg_patterns_free(patterns);
    patterns = NULL;
    const struct {
        const char *name, *part;
        isg_status status;
    } bad[] = {
        {"zero.npz",
         "xi, row 2, column 1: expected +1 or -1, found 0; 0 stands for -1 only where there is no "
         "-1",
         ISG_ERR_FORMAT},
        {"two.npz", "xi, row 1, column 1: expected +1 or -1, found 2", ISG_ERR_FORMAT},
        {"cut.npy", "cut.npy: the header promises 48 bytes of data", ISG_ERR_FORMAT},
        {"text.npy", "text.npy: expected numbers, found text", ISG_ERR_FORMAT},
        {"turned.npz",
         "has 3 patterns, but 2 labels; xi is units x patterns: if it is transposed, save xi.T",
         ISG_ERR_SHAPE},
        {"flat.npz", "xi: expected units x patterns, found 2 numbers in 1 dimensions",
         ISG_ERR_FORMAT},
        {"empty.npz", "xi", ISG_ERR_FORMAT},
        {"three.npz", "has 2 patterns, but 3 labels", ISG_ERR_SHAPE},
        {"square.npz", "expected labels (1 dimension)", ISG_ERR_FORMAT},
        {"other.npz", "xi", ISG_ERR_FORMAT},
        {"later.npz", "was written by version 99.0.0", ISG_ERR_VERSION},
        {"cut.npz", "cut.npz", ISG_ERR_FORMAT},
        {"missing.npz", "missing.npz", ISG_ERR_IO},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_fails(isg_patterns_load(&patterns, in(directory, bad[k].name)), bad[k].status,
                     bad[k].part);
        assert_null(patterns);
    }
    const char *const texts[] = {"+-"};
    patterns = columns(1, texts, NULL);
    assert_fails(isg_patterns_save(patterns, in(directory, "no/p.npz"), 1, NULL), ISG_ERR_IO,
                 "p.npz");
    isg_patterns_free(patterns);
    scratch_remove(directory);
}

/* ---- dependence -------------------------------------------------------------------------------------------- */

static void assert_rank(size_t n_patterns, const char *const *texts, size_t expected,
                        const char *sentence) {
    isg_patterns *patterns = columns(n_patterns, texts, NULL);
    size_t rank = 99;
    char found[256] = "x";
    assert_ok(isg_patterns_rank(patterns, &rank, found, sizeof found));
    assert_int_equal(rank, expected);
    assert_string_equal(found, sentence);
    for (size_t room = 0; room < 40; room++) { /* cut short, never overrun */
        char short_of[48];
        memset(short_of, '#', sizeof short_of);
        assert_ok(isg_patterns_rank(patterns, &rank, short_of, room));
        assert_int_equal(rank, expected);
        if (room > 0)
            assert_memory_equal(short_of, sentence, strnlen(short_of, room));
        for (size_t k = room; k < sizeof short_of; k++)
            assert_int_equal(short_of[k], '#');
    }
    isg_patterns_free(patterns);
}

static void dependent_patterns_are_named(void **state) {
    (void)state;
    const char *const a = "+++++---", *const b = "+-+-++-+", *const c = "+--+-+++";
    assert_rank(3, (const char *const[]){a, b, c}, 3, "");
    assert_rank(4, (const char *const[]){a, b, c, b}, 3, "pattern 3 = pattern 1");
    assert_rank(4, (const char *const[]){a, b, "-+-+--+-", c}, 3, "pattern 2 = -pattern 1");
    assert_rank(2, (const char *const[]){a, a}, 1, "pattern 1 = pattern 0");
    assert_rank(1, (const char *const[]){a}, 1, "");
    assert_rank(3, (const char *const[]){"+", "+", "-"}, 1, "pattern 1 = pattern 0");
    /* The sum of three, where the units take all six combinations that allow one. */
    assert_rank(4, (const char *const[]){"+++---", "+--++-", "++-+--", "+-+-+-"}, 3,
                "pattern 3 = pattern 0 + pattern 1 - pattern 2");
    /* Half the sum of four, where one unit in four differs from the rest. */
    assert_rank(5,
                (const char *const[]){"-++++---", "+-++-+--", "++-+--+-", "+++----+", "++++----"},
                4, "pattern 4 = 0.5 pattern 0 + 0.5 pattern 1 + 0.5 pattern 2 + 0.5 pattern 3");
}

/* More patterns in general position than units: the message names the first excess one. */
static void more_patterns_than_units_are_dependent(void **state) {
    (void)state;
    isg_patterns *patterns =
        columns(5, (const char *const[]){"+++", "+-+", "++-", "--+", "+--"}, NULL);
    size_t rank = 0;
    char sentence[256];
    assert_ok(isg_patterns_rank(patterns, &rank, sentence, sizeof sentence));
    assert_int_equal(rank, 3);
    assert_string_equal(sentence, "pattern 3 = -pattern 2"); /* (--+) = -(++-) */
    isg_patterns_free(patterns);
    patterns = columns(4, (const char *const[]){"+++", "+-+", "++-", "+--"}, NULL);
    assert_ok(isg_patterns_rank(patterns, &rank, sentence, sizeof sentence));
    assert_int_equal(rank, 3);
    assert_string_equal(sentence, "pattern 3 = -pattern 0 + pattern 1 + pattern 2");
    isg_patterns_free(patterns);
}

/* Patterns that are -1 at one unit each add up to N - 2 times the one that is +1 everywhere. */
static void long_combinations_are_cut_off(void **state) {
    (void)state;
    enum { N = 12, P = N + 1 };
    int8_t xi[N * P];
    for (size_t i = 0; i < N; i++)
        for (size_t mu = 0; mu < P; mu++)
            xi[i * P + mu] = i == mu ? -1 : 1;
    isg_patterns *patterns = NULL;
    size_t rank = 0;
    char sentence[512];
    assert_ok(isg_patterns_create(&patterns, N, P, xi, NULL));
    assert_ok(isg_patterns_rank(patterns, &rank, sentence, sizeof sentence));
    assert_int_equal(rank, N);
    assert_string_equal(sentence,
                        "pattern 12 = 0.1 pattern 0 + 0.1 pattern 1 + 0.1 pattern 2 + 0.1 pattern "
                        "3 + 0.1 pattern 4 + 0.1 pattern 5 + 0.1 pattern 6 + 0.1 pattern 7 and 4 "
                        "more terms");
    isg_patterns_free(patterns);
}

/* ---- memory --------------------------------------------------------------------------------------------------- */

typedef struct memory_work {
    const isg_dataset *data;
    const char *path;
} memory_work;

static isg_status do_everything(void *user) {
    const memory_work *work = user;
    isg_pattern_options options = isg_pattern_defaults();
    isg_patterns *patterns = NULL, *back = NULL;
    char hex[65], sentence[99];
    size_t rank = 0;
    options.per_class = 3;
    options.ward_samples = 3; /* dogs are four */
    isg_status status = isg_patterns_from_data(&patterns, work->data, &options, NULL);
    if (status == ISG_OK)
        status = isg_patterns_checksum(patterns, hex);
    if (status == ISG_OK)
        status = isg_patterns_rank(patterns, &rank, sentence, sizeof sentence);
    if (status == ISG_OK)
        status = isg_patterns_save(patterns, work->path, 1, "test");
    if (status == ISG_OK)
        status = isg_patterns_load(&back, work->path);
    isg_patterns_free(patterns);
    isg_patterns_free(back);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    char *directory = scratch_create();
    isg_dataset *text = from_csv("cat,1,0\ncat,0,0\ncat,1,1\ndog,1,0\ndog,1,1\ndog,0,1\ndog,0,0\n");
    isg_dataset *whole = from_csv("1,1,0\n1,0,0\n1,1,1\n");
    memory_work work = {text, in(directory, "p.npz")};
    assert_true(sweep_allocations(do_everything, &work) > 60);
    work.data = whole;
    assert_true(sweep_allocations(do_everything, &work) > 60);
    isg_dataset_free(text);
    isg_dataset_free(whole);
    scratch_remove(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_are_what_was_given),
        cmocka_unit_test(senseless_patterns_are_refused),
        cmocka_unit_test(a_pattern_is_the_sign_of_the_mean),
        cmocka_unit_test(sub_patterns_are_means_of_clusters),
        cmocka_unit_test(too_few_samples_are_named),
        cmocka_unit_test(a_cap_lets_small_classes_be),
        cmocka_unit_test(too_few_samples_are_found_at_once),
        cmocka_unit_test(making_patterns_can_be_cancelled),
        cmocka_unit_test(clustering_does_not_depend_on_threads),
        cmocka_unit_test(files_give_back_what_was_saved),
        cmocka_unit_test(image_and_encoding_can_be_set),
        cmocka_unit_test(numpy_reads_our_files),
        cmocka_unit_test(we_read_files_of_numpy),
        cmocka_unit_test(dependent_patterns_are_named),
        cmocka_unit_test(more_patterns_than_units_are_dependent),
        cmocka_unit_test(long_combinations_are_cut_off),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
