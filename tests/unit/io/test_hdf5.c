/* test_hdf5.c - HDF5 files: what the subset holds, what lies beyond it, and what is damaged
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "helper_allocation.h"
#include "helper_hdf5.h"
#include "io/hdf5.h"

static h5_maker maker;

/* One file of one data set "x". */
static void make_one(const h5_array *array) {
    h5_begin(&maker);
    const uint64_t x = h5_dataset(&maker, array);
    h5_end(&maker, h5_group(&maker, 1, (const char *const[]){"x"}, &x, NULL));
}

typedef struct opened {
    isg_file *file;
    isg_h5 *h5;
} opened;

static isg_status open_bytes(opened *out, const uint8_t *bytes, size_t size) {
    *out = (opened){0};
    ISG_TRY(isg_file_from_memory(&out->file, "a.h5", bytes, size));
    return isg_h5_open(&out->h5, out->file);
}

static void close_bytes(opened *file) {
    isg_h5_close(file->h5);
    isg_file_close(file->file);
}

/* Reads all of a data set: its texts, or its numbers as a sum that depends on their places. */
static isg_status read_items(isg_h5_dataset *data, double *sum) {
    const isg_h5_type *type = isg_h5_dataset_type(data);
    isg_h5_block block;
    double *values = NULL;
    const char *text = NULL;
    *sum = 0;
    if (type->kind != ISG_H5_NUMBER) {
        for (size_t k = 0; k < type->array.dims[0]; k++) {
            ISG_TRY(isg_h5_read_text(data, &text));
            *sum += (double)((k + 1) * strlen(text));
        }
        return ISG_OK;
    }
    for (;;) {
        ISG_TRY(isg_h5_next_block(data, &block));
        if (block.rows == 0)
            return ISG_OK;
        ISG_TRY(ISG_ALLOCATE(values, block.columns));
        for (size_t r = 0; r < block.rows; r++) {
            isg_array_decode(&type->array, block.items + r * block.pitch, block.columns, values);
            const size_t width = type->array.n_dims > 1 ? type->array.dims[1] : 1;
            for (size_t c = 0; c < block.columns; c++)
                *sum += values[c] * (double)((block.row + r) * width + block.column + c + 1);
        }
        isg_release(values);
    }
}

static isg_status read_path(const uint8_t *bytes, size_t size, const char *path, double *sum) {
    opened file;
    isg_h5_dataset *data = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(open_bytes(&file, bytes, size));
    ISG_TRY_GOTO(isg_h5_dataset_open(&data, file.h5, path));
    ISG_TRY_GOTO(read_items(data, sum));
done:
    isg_h5_dataset_close(data);
    close_bytes(&file);
    return status;
}

static isg_status read_x(double *sum) {
    return read_path(maker.bytes, maker.size, "/x", sum);
}

/* ---- what is there ---------------------------------------------------------------------------- */

static void test_types(void **state) {
    (void)state;
    static const int8_t i1[] = {-1, 2, 100};
    static const uint8_t u1[] = {1, 2, 200}, i2b[] = {0xff, 0xfe, 0, 5, 1, 0};
    static const int16_t i2[] = {-300, 2, 1000};
    static const uint32_t u4[] = {4000000000u, 1, 2};
    static const int64_t i8[] = {-5, 6, (int64_t)1 << 40};
    static const uint16_t f2[] = {0x3c00, 0xc000, 0x3800};
    static const float f4[] = {0.5f, -1, 3};
    static const double f8[] = {0.25, 1e10, -3};
    static const uint8_t f8b[] = {0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0x40, 0,    0, 0,
                                  0,    0,    0, 0, 0, 0, 0, 0, 0,    0x00, 0, 0};
    static const char *const texts[] = {"one", "", "three"};
    const struct {
        const char *type;
        const void *items;
        double sum;
    } cases[] = {
        {"i1", i1, -1 + 4 + 300},    {"u1", u1, 1 + 4 + 600},
        {">i2", i2b, -2 + 10 + 768}, {"i2", i2, -300 + 4 + 3000},
        {"u4", u4, 4000000000. + 8}, {"i8", i8, -5 + 12 + 3 * 1099511627776.},
        {"f2", f2, 1 - 4 + 1.5},     {"f4", f4, 0.5 - 2 + 9},
        {"f8", f8, 0.25 + 2e10 - 9}, {">f8", f8b, 1 + 4},
        {"b", "\1\0\1", 4},          {"S4", "ab\0\0\0\0\0\0abcd", 2 + 12},
        {"v", texts, 3 + 15},
    };
    const h5_array layouts[] = {
        {.is_compact = false},          {.is_compact = true}, {.chunk = {1}},
        {.chunk = {2}, .filters = "z"}, {.chunk = {5}},       {.chunk = {3}, .filters = "sl"},
        {.chunk = {2}, .filters = "sz"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (size_t l = 0; l < sizeof layouts / sizeof layouts[0]; l++) {
            h5_array array = layouts[l];
            double sum = 0;
            array.type = cases[k].type;
            array.n_dims = 1;
            array.dims[0] = 3;
            array.items = cases[k].items;
            make_one(&array);
            assert_ok(read_x(&sum));
            if (sum != cases[k].sum)
                fail_msg("type %s, layout %zu: %g", cases[k].type, l, sum);
        }
}

/* Every size of chunk, whole trees and such of many levels, contiguous rows longer than a buffer. */
static void test_tables(void **state) {
    (void)state;
    static float items[60000];
    double expected = 0, sum = 0;
    const size_t rows = 7, columns = 11;
    for (size_t k = 0; k < rows * columns; k++) {
        items[k] = (float)(k % 5);
        expected += (double)(k % 5) * (double)(k + 1);
    }
    h5_array array = {.type = "f4", .n_dims = 2, .dims = {rows, columns}, .items = items};
    for (size_t high = 1; high <= rows + 1; high++)
        for (size_t wide = 1; wide <= columns + 1; wide++)
            for (maker.per_node = 0; maker.per_node <= 4; maker.per_node += 2) {
                array.chunk[0] = high;
                array.chunk[1] = wide;
                array.filters = (high + wide) % 2 ? "sz" : NULL;
                make_one(&array);
                assert_ok(read_x(&sum));
                assert_true(sum == expected);
            }
    maker.per_node = 0;
    expected = 0;
    for (size_t k = 0; k < 60000; k++) {
        items[k] = (float)(k % 5);
        expected += (double)(k % 5) * (double)(k + 1);
    }
    for (size_t height = 1; height <= 3; height += 2) {
        make_one(&(h5_array){
            .type = "f4", .n_dims = 2, .dims = {height, 60000 / height}, .items = items});
        assert_ok(read_x(&sum));
        assert_true(sum == expected);
    }
    make_one(&(h5_array){.type = "f4", .n_dims = 2, .dims = {0, 5}, .chunk = {2, 2}});
    assert_ok(read_x(&sum));
    assert_true(sum == 0);
}

/* Numbers across the ends of chunks, as doubles and as whole numbers; never more than there are. */
static void test_sequence(void **state) {
    (void)state;
    int32_t items[100];
    opened file;
    isg_h5_dataset *data = NULL;
    double numbers[100];
    int64_t wholes[100];
    const char *text = NULL;
    for (int k = 0; k < 100; k++)
        items[k] = 3 * k - 50;
    maker.per_node = 3;
    make_one(&(h5_array){.type = "i4", .n_dims = 1, .dims = {100}, .items = items, .chunk = {7}});
    maker.per_node = 0;
    assert_ok(open_bytes(&file, maker.bytes, maker.size));
    assert_ok(isg_h5_dataset_open(&data, file.h5, "x"));
    assert_ok(isg_h5_read_numbers(data, 20, numbers));
    assert_ok(isg_h5_read_wholes(data, 80, wholes));
    for (int k = 0; k < 100; k++)
        assert_true(k < 20 ? numbers[k] == 3 * k - 50 : wholes[k - 20] == 3 * k - 50);
    assert_fails(isg_h5_read_wholes(data, 1, wholes), ISG_ERR_FORMAT, "has only 100 items");
    isg_h5_dataset_close(data);
    assert_ok(isg_h5_dataset_open(&data, file.h5, "x"));
    assert_fails(isg_h5_read_text(data, &text), ISG_ERR_FORMAT, "expected texts, found numbers");
    isg_h5_dataset_close(data);
    close_bytes(&file);
    /* One column in a chunk of three */
    make_one(
        &(h5_array){.type = "i4", .n_dims = 2, .dims = {100, 1}, .items = items, .chunk = {7, 3}});
    assert_ok(open_bytes(&file, maker.bytes, maker.size));
    assert_ok(isg_h5_dataset_open(&data, file.h5, "x"));
    assert_ok(isg_h5_read_wholes(data, 100, wholes));
    for (int k = 0; k < 100; k++)
        assert_int_equal(wholes[k], items[k]);
    isg_h5_dataset_close(data);
    close_bytes(&file);
}

static isg_status count_member(void *user, const char *name) {
    size_t *count = user;
    char expected[8];
    snprintf(expected, sizeof expected, "m%03zu", *count);
    assert_string_equal(name, expected);
    ++*count;
    return ISG_OK;
}

static void test_groups(void **state) {
    (void)state;
    enum { MEMBERS = 300 };
    static char texts[MEMBERS][8];
    const char *names[MEMBERS];
    uint64_t members[MEMBERS];
    opened file;
    isg_h5_object *object = NULL;
    for (size_t per_node = 0; per_node <= 4; per_node += 2) {
        maker.per_node = per_node;
        h5_begin(&maker);
        for (size_t k = 0; k < MEMBERS; k++) {
            snprintf(texts[k], sizeof texts[k], "m%03zu", k);
            names[k] = texts[k];
            const uint8_t item = (uint8_t)k;
            members[k] = h5_dataset(
                &maker, &(h5_array){.type = "u1", .n_dims = 0, .items = &item, .is_compact = true});
        }
        const uint64_t group = h5_group(&maker, MEMBERS, names, members, NULL);
        h5_end(&maker, h5_group(&maker, 1, (const char *const[]){"g"}, &group, NULL));
        maker.per_node = 0;
        double sum = 0;
        size_t count = 0;
        assert_ok(read_path(maker.bytes, maker.size, "/g/m207", &sum));
        assert_true(sum == 207);
        assert_ok(open_bytes(&file, maker.bytes, maker.size));
        assert_ok(isg_h5_find(&object, file.h5, "g/"));
        assert_true(isg_h5_is_group(object));
        assert_string_equal(isg_h5_object_name(object), "a.h5(g)");
        assert_ok(isg_h5_members(object, count_member, &count));
        assert_int_equal(count, MEMBERS);
        isg_h5_release(object);
        for (size_t k = 0; k < 3; k++) {
            const char *const absent[] = {"/g/m300", "/h", "/g/m001/deeper"};
            assert_ok(isg_h5_find(&object, file.h5, absent[k]));
            assert_null(object);
        }
        close_bytes(&file);
    }
    assert_fails(read_path(maker.bytes, maker.size, "/g", &(double){0}), ISG_ERR_FORMAT,
                 "expected a data set, found a group");
    assert_fails(read_path(maker.bytes, maker.size, "/y", &(double){0}), ISG_ERR_FORMAT,
                 "there is no data set /y");
}

static void test_attributes(void **state) {
    (void)state;
    opened file;
    isg_h5_object *object = NULL;
    char text[16];
    int64_t shape[2] = {0, 0};
    bool found = false;
    h5_make_sample(&maker);
    assert_ok(open_bytes(&file, maker.bytes, maker.size));
    assert_ok(isg_h5_find(&object, file.h5, "/group"));
    assert_ok(isg_h5_text_attribute(object, "encoding-type", text, sizeof text));
    assert_string_equal(text, "csr_matrix");
    assert_ok(isg_h5_text_attribute(object, "fixed", text, sizeof text));
    assert_string_equal(text, "abc");
    assert_ok(isg_h5_text_attribute(object, "none", text, sizeof text));
    assert_string_equal(text, "");
    assert_ok(isg_h5_whole_attribute(object, "shape", 2, shape, &found));
    assert_true(found && shape[0] == 3 && shape[1] == 4);
    assert_ok(isg_h5_whole_attribute(object, "none", 2, shape, &found));
    assert_false(found);
    assert_fails(isg_h5_whole_attribute(object, "shape", 3, shape, &found), ISG_ERR_FORMAT,
                 "its attribute shape is not 3 whole numbers");
    assert_fails(isg_h5_whole_attribute(object, "fixed", 1, shape, &found), ISG_ERR_FORMAT,
                 "not 1 whole numbers");
    assert_fails(isg_h5_text_attribute(object, "encoding-type", text, 10), ISG_ERR_FORMAT,
                 "not one short text");
    assert_fails(isg_h5_text_attribute(object, "shape", text, sizeof text), ISG_ERR_FORMAT,
                 "not one short text");
    isg_h5_release(object);
    close_bytes(&file);
}

/* ---- what is beyond --------------------------------------------------------------------------- */

static void test_unsupported(void **state) {
    (void)state;
    static const double items[8] = {0};
    double sum = 0;
    const struct {
        h5_array array;
        isg_status status;
        const char *part;
    } cases[] = {
        {{.type = "f8", .n_dims = 1, .dims = {4}, .items = items, .chunk = {2}, .filters = "f"},
         ISG_ERR_UNSUPPORTED,
         "found fletcher32 checksums; write it again from Python"},
        {{.type = "f8", .n_dims = 1, .dims = {4}, .items = items, .chunk = {2}, .filters = "?"},
         ISG_ERR_UNSUPPORTED,
         "found blosc; write it again from Python, with anndata or h5py and compression=\"gzip\""},
        {{.type = "f8", .n_dims = 1, .dims = {4}, .items = items, .chunk = {2}, .filters = "zz"},
         ISG_ERR_UNSUPPORTED,
         "is packed more than once"},
        {{.type = "f8", .n_dims = 3, .dims = {2, 2, 2}, .items = items},
         ISG_ERR_UNSUPPORTED,
         "expected 1 or 2 dimensions, found 3"},
        {{.type = "c8", .n_dims = 1, .dims = {4}, .items = items},
         ISG_ERR_FORMAT,
         "expected texts, found compounds"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        make_one(&cases[k].array);
        assert_fails(read_x(&sum), cases[k].status, cases[k].part);
    }
    static const struct {
        size_t at;
        uint8_t byte;
        isg_status status;
        const char *part;
    } heads[] = {{0, 'x', ISG_ERR_FORMAT, "expected an HDF5 file"},
                 {8, 2, ISG_ERR_UNSUPPORTED, "the structures of HDF5 1.8 or later"},
                 {8, 9, ISG_ERR_UNSUPPORTED, "an unknown version"},
                 {13, 4, ISG_ERR_UNSUPPORTED, "found 4 and 8"},
                 {25, 2, ISG_ERR_UNSUPPORTED, "user block"},
                 {47, 1, ISG_ERR_FORMAT, "the file ends early"},
                 {71, 1, ISG_ERR_FORMAT, "its header is outside of it"},
                 {64, 0, ISG_ERR_FORMAT, "there is no header where one should be"}};
    for (size_t k = 0; k < sizeof heads / sizeof heads[0]; k++) {
        h5_make_sample(&maker);
        maker.bytes[heads[k].at] = heads[k].byte;
        if (heads[k].at == 64)
            maker.bytes[65] = 0;
        assert_fails(read_path(maker.bytes, maker.size, "/group/table", &sum), heads[k].status,
                     heads[k].part);
    }
}

/* ---- what is damaged -------------------------------------------------------------------------- */

/* Replaces the only `count` bytes that are `from`, in the file of one data set. */
static void replace(const void *from, const void *to, size_t count) {
    size_t found = 0, at = 0;
    for (size_t k = 0; k + count <= maker.size; k++)
        if (memcmp(maker.bytes + k, from, count) == 0) {
            found++;
            at = k;
        }
    assert_int_equal(found, 1);
    memcpy(maker.bytes + at, to, count);
}

static void test_damaged(void **state) {
    (void)state;
    static const int32_t items[] = {1, 2, 3, 4, 5, 6};
    static const char *const texts[] = {"alpha", "beta"};
    const h5_array chunked = {
        .type = "i4", .n_dims = 1, .dims = {6}, .items = items, .chunk = {2}, .filters = "z"};
    const h5_array plain = {.type = "i4", .n_dims = 1, .dims = {6}, .items = items, .chunk = {2}};
    const h5_array text = {.type = "v", .n_dims = 1, .dims = {2}, .items = texts};
    const struct {
        const h5_array *array;
        const char *from, *to;
        size_t count;
        const char *part;
    } cases[] = {
        {&chunked, "TREE\1", "TREE\2", 5, "there is no tree where one should be"},
        {&chunked, "TREE\1\0", "TREE\1\1", 6, "there is no tree"},
        {&chunked, "TREE\1\0\3", "TREE\1\0\2", 7, "a part of its items was never written"},
        {&chunked, "SNOD", "SNOT", 4, "there is no list of its members"},
        {&chunked, "HEAP", "HELP", 4, "there is no heap where its names should be"},
        {&chunked, "\0x\0HEAP", "\0\xff\0HEAP", 7, "the name of a member is not UTF-8"},
        {&chunked, "\6\0\0\0\0\0\0\0\3\0", "\7\0\0\0\0\0\0\0\3\0", 10, "never written"},
        {&chunked, "\6\0\0\0\0\0\0\0\3\0", "\6\0\0\0\0\0\1\0\3\0", 10, "but the file has room"},
        {&plain, "\6\0\0\0\0\0\0\0\3\0", "\x40\0\0\0\0\0\0\0\3\0", 10, "never written"},
        {&plain, "\6\0\0\0\0\0\0\0\3\0", "\0\4\0\0\0\0\0\0\3\0", 10, "but the file has room for"},
        {&chunked, "\2\0\0\0\4\0\0\0\0", "\0\0\0\0\4\0\0\0\0", 9, "an impossible size"},
        {&chunked, "\2\0\0\0\4\0\0\0\0", "\2\0\0\x40\4\0\0\0\0", 9, "a chunk has an impossible"},
        {&chunked, "\2\0\0\0\4\0\0\0\0", "\3\0\0\0\4\0\0\0\0", 9, "a chunk cannot be unpacked"},
        {&plain, "\2\0\0\0\4\0\0\0\0", "\1\0\0\0\4\0\0\0\0", 9, "the wrong size"},
        {&text, "\x20\0\0\0\0\0\0\0\0", "\x20\0\0\0\0\0\1\0\0", 9, "its items are outside of it"},
        {&text, "alpha", "alp\xff\xff", 5, "expected texts in UTF-8"},
        {&text, "GCOL", "GOAL", 4, "there is no heap where its texts should be"},
        {&text, "\5\0\0\0\0\0\0\0alpha", "\4\0\0\0\0\0\0\0alpha", 13, "longer than its place"},
        {&text, "\1\0\0\0\0\0\0\0\5\0", "\3\0\0\0\0\0\0\0\5\0", 10, "a text is not in its heap"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double sum = 0;
        make_one(cases[k].array);
        replace(cases[k].from, cases[k].to, cases[k].count);
        if (read_x(&sum) == ISG_OK || !strstr(isg_error_message(), cases[k].part))
            fail_msg("case %zu: '%s' is not in '%s'", k, cases[k].part, isg_error_message());
    }
    /* One text that all items share, so as to fill memory */
    enum { ITEMS = 2000 };
    static char longer[1000];
    const char *all[ITEMS];
    memset(longer, 'a', sizeof longer - 1);
    for (size_t k = 0; k < ITEMS; k++)
        all[k] = k == 0 ? longer : "a";
    double sum = 0;
    make_one(&(h5_array){.type = "v", .n_dims = 1, .dims = {ITEMS}, .items = all});
    assert_ok(read_x(&sum));
    size_t first = 0;
    while (memcmp(maker.bytes + first, "\xe7\3\0\0\x60\0\0\0\0\0\0\0\1\0\0\0", 16) != 0)
        first++;
    for (size_t k = 1; k < ITEMS; k++)
        memcpy(maker.bytes + first + 16 * k, maker.bytes + first, 16);
    assert_fails(read_x(&sum), ISG_ERR_FORMAT, "its texts are too long");
}

/* A header and a tree that lead back to themselves. */
static void test_cycles(void **state) {
    (void)state;
    double sum = 0;
    h5_make_sample(&maker);
    for (size_t k = 0; k + 8 < maker.size; k++)
        if (memcmp(maker.bytes + k, "\x10\0\x10\0\0\0\0\0", 8) == 0) { /* a continuation */
            memset(maker.bytes + k + 8, 0, 16);
            maker.bytes[k + 8] = (uint8_t)k; /* to itself */
            maker.bytes[k + 9] = (uint8_t)(k >> 8);
            maker.bytes[k + 16] = 24;
        }
    assert_fails(read_path(maker.bytes, maker.size, "/group/table", &sum), ISG_ERR_FORMAT,
                 "goes on for ever");
    static const uint8_t items[8] = {0};
    maker.per_node = 2;
    make_one(&(h5_array){.type = "u1", .n_dims = 1, .dims = {8}, .items = items, .chunk = {2}});
    maker.per_node = 0;
    for (size_t k = 0; k + 8 < maker.size; k++)
        if (memcmp(maker.bytes + k, "TREE\1\1\2", 7) == 0) /* its second child is its first */
            memcpy(maker.bytes + k + 24 + 24 + 8 + 24, maker.bytes + k + 24 + 24, 8);
    assert_fails(read_x(&sum), ISG_ERR_FORMAT, "its chunks are out of order");
}

static isg_status read_everything(void *user) {
    static const char *const paths[] = {"/group/bool", "/group/packed", "/group/table",
                                        "/group/texts"};
    static const double sums[] = {4, -3 + 15 + 28 + 5. * (1 << 20), 3 + 6 + 12 + 20 + 30 - 66 + 84,
                                  1 + 12 + 8};
    const size_t size = *(const size_t *)user;
    for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++) {
        double sum = 0;
        ISG_TRY(read_path(maker.bytes, size, paths[k], &sum));
        if (size == maker.size && sum != sums[k])
            return isg_fail(ISG_ERR_DIVERGED, "%s: %g", paths[k], sum);
    }
    opened file = {0};
    isg_h5_object *group = NULL;
    isg_status status = ISG_OK;
    char text[16];
    ISG_TRY_GOTO(open_bytes(&file, maker.bytes, size));
    ISG_TRY_GOTO(isg_h5_find(&group, file.h5, "/group"));
    if (group)
        ISG_TRY_GOTO(isg_h5_text_attribute(group, "encoding-type", text, sizeof text));
done:
    isg_h5_release(group);
    close_bytes(&file);
    return status;
}

static void test_truncation(void **state) {
    (void)state;
    h5_make_sample(&maker);
    size_t size = maker.size;
    assert_ok(read_everything(&size));
    for (size = 0; size < maker.size; size++)
        assert_int_equal(run_without_leak(read_everything, &size), ISG_ERR_FORMAT);
    /* Nor does it help to say in the first bytes that the file is shorter. */
    for (size = 96; size < maker.size; size++) {
        maker.bytes[40] = (uint8_t)size;
        maker.bytes[41] = (uint8_t)(size >> 8);
        assert_int_not_equal(run_without_leak(read_everything, &size), ISG_OK);
    }
}

/* Whatever comes of it, nothing leaks and nothing is read beyond its end. */
static void test_flipped_bits(void **state) {
    (void)state;
    h5_make_sample(&maker);
    const size_t size = maker.size - 1; /* no sums are compared */
    maker.bytes[40]--;
    for (size_t k = 0; k < 8 * size; k++) {
        maker.bytes[k / 8] ^= (uint8_t)(1 << k % 8);
        size_t shorter = size;
        run_without_leak(read_everything, &shorter);
        maker.bytes[k / 8] ^= (uint8_t)(1 << k % 8);
    }
}

static void test_allocation_failures(void **state) {
    (void)state;
    h5_make_sample(&maker);
    size_t size = maker.size;
    assert_true(sweep_allocations(read_everything, &size) > 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_sequence),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_flipped_bits),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
