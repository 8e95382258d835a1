/* test_dataset.c - from files to spins, and what data sets can do
 *
 * SPDX-License-Identifier: MIT
 */
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "test.h"

/* An IDX file of bytes under construction. */
typedef struct bytes {
    uint8_t data[4096];
    size_t size;
} bytes;

static void put(bytes *file, const void *data, size_t size) {
    assert_true(file->size + size <= sizeof file->data);
    memcpy(file->data + file->size, data, size);
    file->size += size;
}

static bytes idx(size_t n_dims, const uint32_t *dims, const uint8_t *values) {
    bytes file = {.size = 0};
    put(&file, (const uint8_t[]){0, 0, 8, (uint8_t)n_dims}, 4);
    size_t count = 1;
    for (size_t d = 0; d < n_dims; d++) {
        const uint8_t size[4] = {(uint8_t)(dims[d] >> 24), (uint8_t)(dims[d] >> 16),
                                 (uint8_t)(dims[d] >> 8), (uint8_t)dims[d]};
        put(&file, size, 4);
        count *= dims[d];
    }
    if (values)
        put(&file, values, count);
    return file;
}

static isg_dataset *load_text(const char *name, const char *text,
                              const isg_dataset_options *options) {
    isg_dataset *data = NULL;
    assert_ok(isg_dataset_load_memory(&data, name, text, strlen(text), options, NULL));
    return data;
}

static void assert_samples(const char *name, const char *text, const isg_dataset_options *options,
                           size_t count) {
    isg_dataset *data = load_text(name, text, options);
    assert_int_equal(isg_dataset_describe(data).n_samples, count);
    isg_dataset_free(data);
}

#define assert_refused(name, content, size, options, status, part)                                 \
    do {                                                                                           \
        isg_dataset *refused = NULL;                                                               \
        assert_fails(                                                                              \
            isg_dataset_load_memory(&refused, (name), (content), (size), (options), NULL),         \
            (status), (part));                                                                     \
        assert_null(refused);                                                                      \
    } while (0)

#define assert_text_refused(name, text, options, part)                                             \
    assert_refused((name), (text), strlen(text), (options), ISG_ERR_FORMAT, (part))

static void assert_row(const isg_dataset *data, size_t row, const char *signs) {
    const isg_dataset_info info = isg_dataset_describe(data);
    assert_int_equal(strlen(signs), info.n_visible);
    for (size_t i = 0; i < info.n_visible; i++)
        if (isg_bit(isg_dataset_row(data, row), i) != (signs[i] == '+'))
            fail_msg("row %zu, unit %zu: expected %c", row, i, signs[i]);
    for (size_t i = info.n_visible; i < 64 * isg_words(info.n_visible); i++)
        assert_false(isg_bit(isg_dataset_row(data, row), i));
}

/* ---- thresholds and full scale ---------------------------------------------------------------- */

static void images_have_full_scale_255(void **state) {
    (void)state;
    const uint8_t pixels[] = {0, 1, 2, 3, 128, 255, 200, 0};
    const bytes file = idx(3, (const uint32_t[]){2, 2, 2}, pixels);
    isg_dataset *data = NULL;
    assert_ok(isg_dataset_load_memory(&data, "a-idx3-ubyte", file.data, file.size, NULL, NULL));
    isg_dataset_info info = isg_dataset_describe(data);
    assert_int_equal(info.n_samples, 2);
    assert_int_equal(info.n_visible, 4);
    assert_int_equal(info.image_height, 2);
    assert_int_equal(info.image_width, 2);
    assert_true(info.full_scale == 255 && info.threshold == 0.01);
    assert_true(info.smallest == 0 && info.largest == 255);
    assert_row(data, 0, "---+"); /* raw 1 and 2 are -1 */
    assert_row(data, 1, "+++-");
    assert_null(isg_dataset_labels(data));
    isg_dataset_free(data);

    isg_dataset_options options = isg_dataset_defaults();
    options.binarize = ISG_BINARIZE_VALUE;
    options.binarize_at = 0;
    assert_ok(isg_dataset_load_memory(&data, "a-idx3-ubyte", file.data, file.size, &options, NULL));
    assert_row(data, 0, "-+++");
    isg_dataset_free(data);
    options.binarize = ISG_BINARIZE_VALUE;
    options.binarize_at = 0.5; /* 127.5 */
    assert_ok(isg_dataset_load_memory(&data, "a-idx3-ubyte", file.data, file.size, &options, NULL));
    assert_row(data, 0, "----");
    assert_row(data, 1, "+++-");
    isg_dataset_free(data);
    options.binarize = ISG_BINARIZE_VALUE;
    options.binarize_at = -0.1;
    assert_ok(isg_dataset_load_memory(&data, "a-idx3-ubyte", file.data, file.size, &options, NULL));
    assert_row(data, 0, "++++");
    isg_dataset_free(data);
    options.binarize = ISG_BINARIZE_VALUE;
    options.binarize_at = 1;
    assert_ok(isg_dataset_load_memory(&data, "a-idx3-ubyte", file.data, file.size, &options, NULL));
    assert_row(data, 1, "----");
    isg_dataset_free(data);
}

static void zeros_and_ones_have_full_scale_1(void **state) {
    (void)state;
    const uint8_t bits[] = {0, 1, 1, 0};
    const bytes file = idx(3, (const uint32_t[]){1, 2, 2}, bits);
    isg_dataset *data = NULL;
    assert_ok(isg_dataset_load_memory(&data, "a.idx", file.data, file.size, NULL, NULL));
    assert_true(isg_dataset_describe(data).full_scale == 1);
    assert_row(data, 0, "-++-");
    isg_dataset_free(data);
}

/* Interpolated images overshoot 1 a little, and few levels are no grey scale. */
static void images_that_barely_exceed_2_have_full_scale_255(void **state) {
    (void)state;
    static const struct {
        uint8_t pixels[4];
        const char *signs;
    } cases[] = {{{0, 1, 2, 0}, "-++-"}, {{0, 1, 2, 3}, "---+"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const bytes file = idx(3, (const uint32_t[]){1, 2, 2}, cases[k].pixels);
        isg_dataset *data = NULL;
        assert_ok(isg_dataset_load_memory(&data, "a.idx", file.data, file.size, NULL, NULL));
        assert_row(data, 0, cases[k].signs);
        isg_dataset_free(data);
    }
}

/* Neither a count of 255 nor a shape for pictures makes grey levels of numbers in a table. */
static void plain_numbers_are_compared_with_zero(void **state) {
    (void)state;
    isg_dataset *data = load_text("a.csv", "-1,1,0,0.5\n200,-3,1e-300,-0\n", NULL);
    assert_true(isg_dataset_describe(data).threshold == 0);
    assert_row(data, 0, "-+-+");
    assert_row(data, 1, "+-+-");
    isg_dataset_free(data);
    isg_dataset_options options = isg_dataset_defaults();
    for (size_t k = 0; k < 4; k++) {
        options.image_height = options.image_width = k & 1 ? 2 : 0;
        data = load_text("a.csv", k & 2 ? "0,1,2,254\n" : "0,1,2,255\n", &options);
        assert_row(data, 0, "-+++");
        assert_true(isg_dataset_describe(data).full_scale == 1);
        assert_int_equal(isg_dataset_describe(data).image_height, k & 1 ? 2 : 0);
        isg_dataset_free(data);
    }
    options = isg_dataset_defaults();
    options.full_scale = 255;
    data = load_text("a.csv", "0,1,2,254\n", &options);
    assert_row(data, 0, "---+");
    assert_true(isg_dataset_describe(data).threshold == 0.01);
    assert_int_equal(isg_dataset_describe(data).image_height, 2);
    isg_dataset_free(data);
}

/* Bytes take a faster way than other numbers; both must end in the same spins. */
static void bytes_and_other_numbers_agree(void **state) {
    (void)state;
    uint32_t x = 1;
    for (uint32_t n = 1; n <= 150; n++) {
        uint8_t values[3 * 150], wide[6 * 150];
        for (size_t k = 0; k < 3 * n; k++) {
            x = x * 1664525 + 1013904223;
            values[k] = (uint8_t)(n % 3 ? x >> 24 : x >> 31);
            wide[2 * k] = 0;
            wide[2 * k + 1] = values[k];
        }
        const bytes narrow_file = idx(2, (const uint32_t[]){3, n}, values);
        bytes wide_file = idx(2, (const uint32_t[]){3, n}, NULL);
        wide_file.data[2] = 0x0b; /* big-endian, 16 bits */
        put(&wide_file, wide, 6 * n);
        const double thresholds[] = {(double)NAN, -0.1, 0, 0.004, 0.5, 0.999, 1, 2};
        for (size_t t = 0; t < sizeof thresholds / sizeof thresholds[0]; t++) {
            isg_dataset_options options = isg_dataset_defaults();
            if (!isnan(thresholds[t])) {
                options.binarize = ISG_BINARIZE_VALUE;
                options.binarize_at = thresholds[t];
            }
            isg_dataset *a = NULL, *b = NULL;
            assert_ok(isg_dataset_load_memory(&a, "a.idx", narrow_file.data, narrow_file.size,
                                              &options, NULL));
            assert_ok(isg_dataset_load_memory(&b, "b.idx", wide_file.data, wide_file.size, &options,
                                              NULL));
            char hex[65], other[65];
            isg_dataset_checksum(a, hex);
            isg_dataset_checksum(b, other);
            assert_string_equal(hex, other);
            assert_true(isg_dataset_describe(a).largest == isg_dataset_describe(b).largest);
            assert_true(isg_dataset_describe(a).smallest == isg_dataset_describe(b).smallest);
            for (size_t row = 0; row < 3; row++)
                assert_memory_equal(isg_dataset_row(a, row), isg_dataset_row(b, row),
                                    8 * isg_words(n));
            isg_dataset_free(a);
            isg_dataset_free(b);
        }
    }
}

static void column_major_images(void **state) {
    (void)state;
    /* Three images of 2 x 2 as NumPy stores them in Fortran order: pixel (a, r, c) at a + 3r + 6c. */
    char header[128];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    const char *text = "{'descr': '<i2', 'fortran_order': True, 'shape': (3, 2, 2), }";
    memcpy(header + 10, text, strlen(text));
    header[127] = '\n';
    bytes file = {.size = 0};
    put(&file, header, sizeof header);
    for (int c = 0; c < 2; c++)
        for (int r = 0; r < 2; r++)
            for (int a = 0; a < 3; a++)
                put(&file, (const uint8_t[]){a == 0 ? r == 0 && c == 1 : a == r + 2 * c, 0}, 2);
    isg_dataset *data = NULL;
    assert_ok(isg_dataset_load_memory(&data, "a.npy", file.data, file.size, NULL, NULL));
    assert_row(data, 0, "-+--");
    assert_row(data, 1, "--+-");
    assert_row(data, 2, "-+--");
    isg_dataset_free(data);
}

/* ---- labels --------------------------------------------------------------------------------------- */

static void labels_become_sorted_classes(void **state) {
    (void)state;
    isg_dataset_options options = isg_dataset_defaults();
    options.label_column = "1";
    isg_dataset *data = load_text("a.csv", "10,1\n9,1\n10.0,0\n-2,1\n9e0,0\n", &options);
    assert_int_equal(isg_dataset_describe(data).n_classes, 3);
    assert_string_equal(isg_dataset_class_name(data, 0), "-2");
    assert_string_equal(isg_dataset_class_name(data, 1), "9");
    assert_string_equal(isg_dataset_class_name(data, 2), "10");
    assert_null(isg_dataset_class_name(data, 3));
    assert_int_equal(isg_dataset_class_size(data, 2), 2);
    const uint32_t expected[] = {2, 1, 2, 0, 1};
    assert_memory_equal(isg_dataset_labels(data), expected, sizeof expected);
    isg_dataset_free(data);
    data = load_text("a.csv", "b,1\na,0\nb,0\n10,1\n", &options);
    assert_string_equal(isg_dataset_class_name(data, 0), "10");
    assert_string_equal(isg_dataset_class_name(data, 2), "b");
    isg_dataset_free(data);
}

static void label_column_by_name_or_number(void **state) {
    (void)state;
    const char *file = "x,kind,y\n1,cat,0\n0,dog,1\n";
    isg_dataset_options options = isg_dataset_defaults();
    const char *ways[] = {"kind", "2", "-2"};
    for (size_t k = 0; k < 3; k++) {
        options.label_column = ways[k];
        isg_dataset *data = load_text("a.csv", file, &options);
        assert_int_equal(isg_dataset_describe(data).n_visible, 2);
        assert_row(data, 0, "+-");
        assert_row(data, 1, "-+");
        assert_string_equal(isg_dataset_class_name(data, 1), "dog");
        isg_dataset_free(data);
    }
    options.label_column = "sort";
    assert_text_refused("a.csv", file, &options, "no column 'sort'");
    options.label_column = "0";
    assert_text_refused("a.csv", file, &options, "numbered from 1 to 3");
    options.label_column = "4";
    assert_text_refused("a.csv", file, &options, "numbered from 1 to 3");
    options.label_column = "2";
    assert_samples("a.csv", "1,a,0\n0,,1\n", &options, 1); /* the other has no label */
    const bytes images = idx(3, (const uint32_t[]){1, 1, 1}, (const uint8_t[]){1});
    assert_refused("a.idx", images.data, images.size, &options, ISG_ERR_ARGUMENT, "only CSV");
}

static void blanks_around_names_do_not_count(void **state) {
    (void)state;
    isg_dataset_options options = isg_dataset_defaults();
    options.label_column = "kind";
    isg_dataset *data = load_text("a.csv", "x, kind ,y\n1, cat,0\n0,cat ,1\n1, 3,1\n", &options);
    assert_int_equal(isg_dataset_describe(data).n_classes, 2);
    assert_string_equal(isg_dataset_class_name(data, 0), "3");
    assert_string_equal(isg_dataset_class_name(data, 1), "cat");
    isg_dataset_free(data);
    assert_text_refused("a.csv", "x,kind\n1, \n", &options, "no sample has a label");
    assert_text_refused("a.csv", "x,kind,kind\n1,a,b\n", &options, "2 columns are called 'kind'");
}

static void too_many_classes_are_refused(void **state) {
    (void)state;
    const size_t n = 65537;
    char *text = malloc(16 * n), *end = text;
    for (size_t a = 0; a < n; a++)
        end += sprintf(end, "%zu,1\n", a);
    isg_dataset_options options = isg_dataset_defaults();
    options.label_column = "1";
    assert_text_refused("a.csv", text, &options, "a.csv: line 65537: more than 65536");
    free(text);
}

/* Writes a label file and reads three samples with it. */
static isg_status load_with_labels(isg_dataset **out, const char *ending, const char *text,
                                   const char *label_column) {
    char path[] = "/tmp/isinglass-labels-XXXXXX.xyz";
    memcpy(path + strlen(path) - 3, ending, 3);
    const int descriptor = mkstemps(path, 4);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    isg_dataset_options options = isg_dataset_defaults();
    options.labels_path = path;
    options.label_column = label_column;
    const isg_status status = isg_dataset_load_memory(out, "a.csv", "1\n0\n1\n", 6, &options, NULL);
    unlink(path);
    return status;
}

static void headings_of_label_files_are_told_by_the_count(void **state) {
    (void)state;
    static const struct {
        const char *text, *column;
        size_t n_classes; /* 0: refused */
    } cases[] = {
        {"a\nb\na\n", NULL, 2},
        {"kind\na\nb\na\n", NULL, 2},
        {"kind\n1\n2\n3\n", NULL, 3},
        {"kind\n2\n3\n", NULL, 3}, /* a label like any other */
        {"7\n1\n2\n3\n", NULL, 0}, /* a number is no heading */
        {"x,kind\n1,a\n2,b\n3,c\n", "kind", 3},
        {"x,kind\n1,a\n2,b\n3,c\n", "1", 3},
        {"x,kind\n1,a\n2,b\n3,c\n", NULL, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        isg_dataset *data = NULL;
        const isg_status status = load_with_labels(&data, "csv", cases[k].text, cases[k].column);
        assert_int_equal(status == ISG_OK, cases[k].n_classes > 0);
        if (status == ISG_OK)
            assert_int_equal(isg_dataset_describe(data).n_classes, cases[k].n_classes);
        isg_dataset_free(data);
    }
    isg_dataset *data = NULL;
    assert_fails(load_with_labels(&data, "csv", "7\n1\n2\n3\n", NULL), ISG_ERR_SHAPE, "heading");
    assert_fails(load_with_labels(&data, "npy", "", "1"), ISG_ERR_ARGUMENT, "label column");
    assert_null(data);
}

static void class_filter_and_limit(void **state) {
    (void)state;
    isg_dataset_options options = isg_dataset_defaults();
    options.label_column = "1";
    const char *file = "a,1,0\nb,0,0\na,0,1\na,1,1\n";
    options.only_class = "a";
    options.limit = 2;
    isg_dataset *data = load_text("a.csv", file, &options);
    assert_int_equal(isg_dataset_describe(data).n_samples, 2);
    assert_int_equal(isg_dataset_describe(data).n_classes, 1);
    assert_row(data, 0, "+-");
    assert_row(data, 1, "-+");
    isg_dataset_free(data);
    /* A class that a limit leaves without a sample is still a class. */
    options.only_class = NULL;
    options.limit = 1;
    data = load_text("a.csv", file, &options);
    assert_int_equal(isg_dataset_describe(data).n_classes, 2);
    assert_int_equal(isg_dataset_class_size(data, 1), 0);
    isg_dataset_free(data);
    options.only_class = "c";
    assert_refused("a.csv", file, strlen(file), &options, ISG_ERR_FORMAT,
                   "a.csv: there is no class 'c'; the classes are a, b");
    options.label_column = NULL;
    assert_refused("a.csv", "1,0\n", 4, &options, ISG_ERR_FORMAT, "there are no labels");
    options.only_class = NULL;
    options.limit = 100;
    assert_samples("a.csv", "1,0\n", &options, 1);
}

/* ---- refusals ------------------------------------------------------------------------------------- */

static void headings_are_found_or_asked_for(void **state) {
    (void)state;
    isg_dataset_options options = isg_dataset_defaults();
    assert_samples("a.csv", "p,q\n1,0\n", NULL, 1);
    assert_text_refused("a.csv", "p,1\n1,0\n", NULL, "--header");
    options.header = ISG_HEADER_YES;
    assert_samples("a.csv", "p,1\n1,0\n", &options, 1);
    options.header = ISG_HEADER_NO;
    assert_text_refused("a.csv", "p,1\n1,0\n", &options, "line 1, column 1");
    /* A decimal comma in the first row must not pass for a heading. */
    assert_text_refused("a.tsv", "0,5\t0,7\n1\t0\n", NULL, "decimals need a point");
    assert_text_refused("a.csv", "p,q\n", NULL, "no rows");
    assert_text_refused("a.csv", "", NULL, "no rows");
    /* A label column named in the heading settles it even among numeric names. */
    options = isg_dataset_defaults();
    options.label_column = "label";
    assert_samples("a.csv", "label,0,1\n3,1,0\n", &options, 1);
}

static void doubtful_headings_are_refused(void **state) {
    (void)state;
    isg_dataset_options options = isg_dataset_defaults();
    /* pandas.DataFrame(x).to_csv(path, index=False) */
    const char *counted = "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
                          "1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0\n";
    assert_text_refused("a.csv", counted, NULL, "a.csv: the first row counts its columns");
    for (int is_headed = 0; is_headed < 2; is_headed++) {
        options.header = is_headed ? ISG_HEADER_YES : ISG_HEADER_NO;
        assert_samples("a.csv", counted, &options, 2 - is_headed);
    }
    assert_samples("a.csv", "0,1,2,3\n1,0,1,0\n", NULL, 2);
    /* A sample that lacks all its values is no heading; sodium in one is. */
    assert_text_refused("a.csv", "NA\n0\n1\n", NULL, "--header");
    assert_text_refused("a.csv", "?,null\n0,1\n", NULL, "--header");
    assert_samples("a.csv", "Na,K\n0,1\n", NULL, 1);
    /* A first column without a name has those of the rows; others need one. */
    assert_samples("a.csv", "\"\",p,q\n\"1\",1,0\n", NULL, 1);
    assert_text_refused("a.csv", "p,q,\n1,0,\n", NULL, "column 3 has no name");
}

static void bad_text_is_refused_with_its_place(void **state) {
    (void)state;
    assert_text_refused("a.csv", "1,0\n1,0,1\n", NULL, "a.csv: line 2: expected 2 fields, found 3");
    assert_text_refused("a.csv", "1,0\n1\n", NULL, "line 2: expected 2 fields, found 1");
    assert_text_refused("a.csv", "1,0\n1,nan\n", NULL, "line 2, column 2");
    assert_text_refused("a.csv", "1,0\n-inf,1\n", NULL, "line 2, column 1");
    assert_text_refused("a.csv", "1,0\n,1\n", NULL, "line 2, column 1: the value is missing");
    assert_text_refused("a.csv", "1,0\n0x1,1\n", NULL, "found '0x1'");
    assert_text_refused("a.tsv", "1\t0\n0,5\t1\n", NULL, "decimals need a point");
    assert_text_refused("a.csv", "1,0\n\n1,0\n", NULL, "line 2");
    assert_refused("a.csv", "1,0\n1,\0\n", 9, NULL, ISG_ERR_FORMAT, "NUL");
    assert_text_refused("a.mtx",
                        "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n1 1 2\n",
                        NULL, "row 1, column 1 is listed twice");
    assert_text_refused("a.mtx", "%%MatrixMarket matrix coordinate real general\n0 2 0\n", NULL,
                        "no rows");
    assert_text_refused("a.mtx",
                        "%%MatrixMarket matrix coordinate real general\n1000000 1000000 1\n1 1 1\n",
                        NULL, "too large");
}

/* A file in order, by row or by column, is read without remembering its entries; one that leaves its order
   is begun again, at any entry, and nothing is put or learned twice. */
static void sparse_entries_come_in_any_order(void **state) {
    (void)state;
    enum { ENTRIES = 7 };
    static const char *const orders[] = {"0123456", "0364152", "6543210", "0123465",
                                         "1023456", "0364125", "0361452", "3012456"};
    static const char *const lines[ENTRIES] = {"1 1 3", "1 3 2", "2 2 5", "2 3 1",
                                               "3 1 7", "3 2 1", "4 3 4"};
    for (int is_learned = 0; is_learned < 2; is_learned++)
        for (size_t k = 0; k < sizeof orders / sizeof *orders; k++)
            for (size_t again = 0; again <= ENTRIES; again++) {
                char file[256];
                const size_t n = ENTRIES + (again < ENTRIES);
                int used =
                    snprintf(file, sizeof file,
                             "%%%%MatrixMarket matrix coordinate real general\n4 3 %zu\n", n);
                for (size_t e = 0; e < n; e++)
                    used += snprintf(file + used, sizeof file - (size_t)used, "%s\n",
                                     lines[(e < ENTRIES ? orders[k][e] : orders[k][again]) - '0']);
                isg_dataset_options options = isg_dataset_defaults();
                options.binarize = is_learned ? ISG_BINARIZE_MEAN : ISG_BINARIZE_ZERO;
                if (again < ENTRIES) {
                    assert_text_refused("a.mtx", file, &options, "is listed twice");
                    continue;
                }
                isg_dataset *data = load_text("a.mtx", file, &options);
                assert_row(data, 0, "+-+");
                assert_row(data, 1, is_learned ? "-+-" : "-++");
                assert_row(data, 2, is_learned ? "+--" : "++-");
                assert_row(data, 3, "--+");
                isg_dataset_free(data);
            }
}

static void sparse_entries_default_to_zero(void **state) {
    (void)state;
    const char *file = "%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 2 5\n2 3 -1\n";
    isg_dataset *data = load_text("a.mtx", file, NULL);
    assert_row(data, 0, "-+-");
    assert_row(data, 1, "---");
    assert_true(isg_dataset_describe(data).smallest == -1);
    isg_dataset_free(data);
    /* A value that is listed everywhere leaves no room for a zero. */
    data = load_text(
        "a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 3\n2 1 4\n2 2 5\n",
        NULL);
    assert_true(isg_dataset_describe(data).smallest == 3);
    isg_dataset_free(data);
    isg_dataset_options options = isg_dataset_defaults();
    options.binarize = ISG_BINARIZE_VALUE;
    options.binarize_at = -0.5;
    data = load_text("a.mtx", file, &options);
    assert_row(data, 0, "+++");
    assert_row(data, 1, "++-");
    isg_dataset_free(data);
}

static void bad_idx_is_refused(void **state) {
    (void)state;
    const uint8_t pixels[] = {0, 255, 3, 4};
    bytes file = idx(3, (const uint32_t[]){1, 2, 2}, pixels);
    for (size_t n = 0; n < file.size; n++) {
        isg_dataset *data = NULL;
        assert_int_equal(isg_dataset_load_memory(&data, "a.idx", file.data, n, NULL, NULL),
                         ISG_ERR_FORMAT);
        assert_null(data);
    }
    assert_refused("a.idx", file.data, file.size - 1, NULL, ISG_ERR_FORMAT,
                   "promises 4 bytes of data, but the file has room for 3");
    file.data[file.size++] = 0;
    assert_refused("a.idx", file.data, file.size, NULL, ISG_ERR_FORMAT, "more follow");
    file = idx(1, (const uint32_t[]){4}, pixels);
    assert_refused("a.idx", file.data, file.size, NULL, ISG_ERR_FORMAT, "label file");
    file = idx(3, (const uint32_t[]){0, 2, 2}, NULL);
    assert_refused("a.idx", file.data, file.size, NULL, ISG_ERR_FORMAT, "no rows");
    file = idx(3, (const uint32_t[]){1, 0, 2}, NULL);
    assert_refused("a.idx", file.data, file.size, NULL, ISG_ERR_FORMAT, "rows are empty");
    file = idx(4, (const uint32_t[]){UINT32_MAX, UINT32_MAX, UINT32_MAX, 9}, NULL);
    assert_refused("a.idx", file.data, file.size, NULL, ISG_ERR_FORMAT, "more data than can exist");
    file = idx(4, (const uint32_t[]){UINT32_MAX, UINT32_MAX, UINT32_MAX, 0}, NULL);
    assert_refused("a.idx", file.data, file.size, NULL, ISG_ERR_FORMAT, "more data than can exist");
    assert_refused("a.idx", "abcdefgh", 8, NULL, ISG_ERR_FORMAT, "not an IDX file");
    assert_refused("a.dat", "1,0\n", 4, NULL, ISG_ERR_FORMAT, "unknown file format");
    assert_refused("a.npz.gz", "1,0\n", 4, NULL, ISG_ERR_FORMAT, "unknown file format");
    assert_refused("a.csv.gz", "1,0\n", 4, NULL, ISG_ERR_FORMAT, "the name says gzip");
    assert_refused("a.csv", "\x1f\x8b\x08", 3, NULL, ISG_ERR_FORMAT, "the content is gzip");
}

static void bad_options_are_refused(void **state) {
    (void)state;
    isg_dataset_options options = isg_dataset_defaults();
    options.binarize = ISG_BINARIZE_VALUE;
    options.binarize_at = (double)INFINITY;
    assert_refused("a.csv", "1,0\n", 4, &options, ISG_ERR_ARGUMENT, "finite threshold");
    options = isg_dataset_defaults();
    options.image_height = 3;
    assert_refused("a.csv", "1,0\n", 4, &options, ISG_ERR_ARGUMENT, "a height and a width");
    options.image_width = 3;
    assert_refused("a.csv", "1,0\n", 4, &options, ISG_ERR_SHAPE, "3 x 3");
    options = isg_dataset_defaults();
    options.expected_sha256 = "00";
    assert_refused("a.csv", "1,0\n", 4, &options, ISG_ERR_FORMAT, "damaged");
}

static bool cancel_at_once(void *user, double fraction) {
    ++*(int *)user;
    assert_true(fraction >= 0 && fraction <= 1);
    return false;
}

static void reading_can_be_cancelled(void **state) {
    (void)state;
    const size_t rows = 800000;
    char *text = malloc(4 * rows);
    for (size_t a = 0; a < rows; a++)
        memcpy(text + 4 * a, "1,0\n", 4);
    int calls = 0;
    const isg_progress progress = {cancel_at_once, &calls};
    isg_dataset *data = NULL;
    assert_fails(isg_dataset_load_memory(&data, "a.csv", text, 4 * rows, NULL, &progress),
                 ISG_ERR_CANCELLED, "cancelled");
    assert_int_equal(calls, 1);
    free(text);
}

/* ---- what data sets can do ------------------------------------------------------------------------ */

static isg_dataset *random_dataset(size_t n_samples, size_t n_visible, size_t n_classes) {
    int8_t *spins = malloc(n_samples * n_visible);
    int64_t *labels = malloc(n_samples * sizeof *labels);
    uint32_t x = 12345;
    for (size_t k = 0; k < n_samples * n_visible; k++) {
        x = x * 1664525 + 1013904223;
        spins[k] = x >> 31 ? 1 : -1;
    }
    for (size_t a = 0; a < n_samples; a++)
        labels[a] = (int64_t)(a * a % n_classes);
    isg_dataset *data = NULL;
    assert_ok(isg_dataset_create(&data, n_samples, n_visible, spins, labels));
    free(spins);
    free(labels);
    return data;
}

static void selections_keep_rows_and_labels(void **state) {
    (void)state;
    isg_dataset *data = random_dataset(50, 70, 7), *part = NULL;
    const size_t rows[] = {49, 3, 3, 17};
    assert_ok(isg_dataset_select(&part, data, rows, 4));
    for (size_t k = 0; k < 4; k++) {
        assert_memory_equal(isg_dataset_row(part, k), isg_dataset_row(data, rows[k]), 16);
        assert_string_equal(isg_dataset_class_name(part, isg_dataset_labels(part)[k]),
                            isg_dataset_class_name(data, isg_dataset_labels(data)[rows[k]]));
    }
    isg_dataset_free(part);
    part = NULL;
    assert_fails(isg_dataset_select(&part, data, (const size_t[]){50}, 1), ISG_ERR_ARGUMENT,
                 "row 50");
    assert_fails(isg_dataset_select(&part, data, rows, 0), ISG_ERR_ARGUMENT, "at least one row");
    assert_null(part);
    isg_dataset_free(data);
}

static void duplicates_are_counted(void **state) {
    (void)state;
    size_t count = 99;
    isg_dataset *data = random_dataset(200, 70, 3), *part = NULL;
    assert_ok(isg_dataset_count_duplicates(data, &count));
    assert_int_equal(count, 0);
    const size_t rows[] = {5, 6, 5, 5, 7, 6};
    assert_ok(isg_dataset_select(&part, data, rows, 6));
    assert_ok(isg_dataset_count_duplicates(part, &count));
    assert_int_equal(count, 3);
    isg_dataset_free(part);
    isg_dataset_free(data);
}

/* 0x50 and 0x80: first unit = highest bit, rows padded to whole bytes; checked with sha256sum. */
static void checksum_is_of_packed_rows(void **state) {
    (void)state;
    char hex[65];
    isg_dataset *data = load_text("a.csv", "0,1,0,1,0,0,0,0,1\n", NULL);
    isg_dataset_checksum(data, hex);
    assert_string_equal(hex, "1655cdb4800790f592e4e7a96d0790f4a4a1aa9db4a47c830e50c3dabdf246ed");
    isg_dataset_free(data);
}

/* Checked with sha256sum: the names one after another, each with a zero byte. */
static void label_checksum_is_of_names(void **state) {
    (void)state;
    char hex[65], other[65];
    isg_dataset_options options = isg_dataset_defaults();
    options.label_column = "1";
    isg_dataset *data = load_text("a.csv", "b,0,1\na,1,1\nb,1,0\n", &options);
    isg_dataset *swapped = load_text("b.csv", "a,0,1\nb,1,1\na,1,0\n", &options);
    isg_dataset *bare = load_text("c.csv", "0,1\n1,1\n", NULL);
    isg_dataset_label_checksum(data, hex);
    assert_string_equal(hex, "b23e64b970a5750df972768bc0233030e847430a8736670f9725d6e8f6808a11");
    isg_dataset_label_checksum(swapped, other);
    assert_string_not_equal(hex, other);
    isg_dataset_label_checksum(bare, other);
    assert_string_equal(other, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    isg_dataset_free(data);
    isg_dataset_free(swapped);
    isg_dataset_free(bare);
}

static void shuffles_are_permutations_fixed_by_seed_and_epoch(void **state) {
    (void)state;
    enum { N = 1000 };
    isg_dataset *data = random_dataset(N, 8, 2);
    size_t first[N], again[N], other[N];
    bool seen[N] = {false};
    isg_dataset_shuffle(data, 1, 0, first);
    isg_dataset_shuffle(data, 1, 0, again);
    assert_memory_equal(first, again, sizeof first);
    size_t fixed = 0;
    for (size_t k = 0; k < N; k++) {
        assert_false(seen[first[k]]);
        seen[first[k]] = true;
        fixed += first[k] == k;
    }
    assert_true(fixed < 12); /* one expected */
    isg_dataset_shuffle(data, 1, 1, other);
    assert_memory_not_equal(first, other, sizeof first);
    isg_dataset_shuffle(data, 2, 0, other);
    assert_memory_not_equal(first, other, sizeof first);
    isg_dataset_free(data);
}

static void splits_are_stratified_and_disjoint(void **state) {
    (void)state;
    isg_dataset *data = random_dataset(1000, 70, 7), *one = NULL, *two = NULL, *again = NULL;
    assert_ok(isg_dataset_split(&one, &two, data, 0.8, 5));
    const isg_dataset_info a = isg_dataset_describe(one), b = isg_dataset_describe(two);
    assert_int_equal(a.n_samples + b.n_samples, 1000);
    assert_int_equal(a.n_classes, isg_dataset_describe(data).n_classes);
    for (size_t c = 0; c < a.n_classes; c++)
        assert_int_equal(isg_dataset_class_size(one, c),
                         floor(0.8 * (double)isg_dataset_class_size(data, c) + 0.5));
    /* Rows are all different, so the two parts together have no duplicate. */
    for (size_t k = 0; k < a.n_samples; k++)
        for (size_t l = 0; l < b.n_samples; l++)
            assert_memory_not_equal(isg_dataset_row(one, k), isg_dataset_row(two, l), 16);
    char hex[65], other[65];
    isg_dataset_checksum(one, hex);
    isg_dataset_free(one);
    isg_dataset_free(two);
    assert_ok(isg_dataset_split(&one, &two, data, 0.8, 5));
    isg_dataset_checksum(one, other);
    assert_string_equal(hex, other);
    isg_dataset_free(one);
    isg_dataset_free(two);
    assert_fails(isg_dataset_split(&again, &again, data, 1.0, 5), ISG_ERR_ARGUMENT,
                 "between 0 and 1");
    assert_fails(isg_dataset_split(&again, &again, data, 1e-9, 5), ISG_ERR_ARGUMENT, "empty");
    assert_fails(isg_dataset_split(&again, &again, data, (double)NAN, 5), ISG_ERR_ARGUMENT,
                 "found");
    assert_null(again);
    isg_dataset_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_have_full_scale_255),
        cmocka_unit_test(zeros_and_ones_have_full_scale_1),
        cmocka_unit_test(images_that_barely_exceed_2_have_full_scale_255),
        cmocka_unit_test(plain_numbers_are_compared_with_zero),
        cmocka_unit_test(bytes_and_other_numbers_agree),
        cmocka_unit_test(column_major_images),
        cmocka_unit_test(labels_become_sorted_classes),
        cmocka_unit_test(label_column_by_name_or_number),
        cmocka_unit_test(blanks_around_names_do_not_count),
        cmocka_unit_test(too_many_classes_are_refused),
        cmocka_unit_test(headings_of_label_files_are_told_by_the_count),
        cmocka_unit_test(class_filter_and_limit),
        cmocka_unit_test(headings_are_found_or_asked_for),
        cmocka_unit_test(doubtful_headings_are_refused),
        cmocka_unit_test(bad_text_is_refused_with_its_place),
        cmocka_unit_test(sparse_entries_come_in_any_order),
        cmocka_unit_test(sparse_entries_default_to_zero),
        cmocka_unit_test(bad_idx_is_refused),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(reading_can_be_cancelled),
        cmocka_unit_test(selections_keep_rows_and_labels),
        cmocka_unit_test(duplicates_are_counted),
        cmocka_unit_test(checksum_is_of_packed_rows),
        cmocka_unit_test(label_checksum_is_of_names),
        cmocka_unit_test(shuffles_are_permutations_fixed_by_seed_and_epoch),
        cmocka_unit_test(splits_are_stratified_and_disjoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
