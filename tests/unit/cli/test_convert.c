/* test_convert.c - files of packages become tables: small files of every kind, and all their beginnings
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helper_scratch.h"

#undef fail /* a name of failure.h, which the helpers take from cmocka */
#include "catalog.h"
#include "r_data.h"
#define fail() _fail(__FILE__, __LINE__) /* cmocka's again, for assert_ok() */

/* ---- A file of R, written piece by piece ---------------------------------------------------- */

enum { ATTRIBUTES = 512, TAG = 1024, NIL = 254 };

static uint8_t made[8192];
static size_t used;

static void put(const void *bytes, size_t count) {
    assert_true(used + count <= sizeof made);
    memcpy(made + used, bytes, count);
    used += count;
}

static void word(uint32_t number) {
    const uint8_t bytes[] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16),
                             (uint8_t)(number >> 8), (uint8_t)number};
    put(bytes, 4);
}

static void number(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    word((uint32_t)(bits >> 32));
    word((uint32_t)bits);
}

static void text(const char *content) {
    word(9);
    word(content ? (uint32_t)strlen(content) : UINT32_MAX);
    if (content)
        put(content, strlen(content));
}

static void texts(size_t count, const char *const *list) {
    word(16);
    word((uint32_t)count);
    for (size_t k = 0; k < count; k++)
        text(list[k]);
}
#define TEXTS(...)                                                                                 \
    texts(sizeof(const char *[]){__VA_ARGS__} / sizeof(char *), (const char *[]){__VA_ARGS__})

static void tagged(const char *name) {
    word(2 | TAG);
    word(1);
    text(name);
}

static void integers(uint32_t flags, size_t count, const int32_t *list) {
    word(13 | flags);
    word((uint32_t)count);
    for (size_t k = 0; k < count; k++)
        word((uint32_t)list[k]);
}
#define INTEGERS(flags, ...)                                                                       \
    integers(flags, sizeof(const int32_t[]){__VA_ARGS__} / 4, (const int32_t[]){__VA_ARGS__})

/* The attributes of a factor. */
#define LEVELS(...) (tagged("levels"), TEXTS(__VA_ARGS__), word(NIL))

static void start(const char *head) {
    used = 0;
    put(head, strlen(head));
    put("X\n", 2);
    const bool is_new = strstr(head, "3") != NULL;
    word(is_new ? 3 : 2);
    word(0x40201);
    word(0x20300);
    if (is_new) {
        word(5);
        put("UTF-8", 5);
    }
}

static void list(uint32_t flags, uint32_t count) {
    word(19 | flags);
    word(count);
}

/* `convert` reads the file, and refuses all that is shorter, longer, or has a wrong word in it. */
static void convert_and_cut(converted *out, converter *convert) {
    const converter_input whole = {"made.rda", made, used};
    assert_ok(convert(out, &whole));
    for (size_t size = 0; size < used; size++) {
        uint8_t *copy = malloc(size + 1); /* its end is where the sanitizer sees it */
        converted cut = {0};
        assert_non_null(copy);
        memcpy(copy, made, size);
        const converter_input input = {"made.rda", copy, size};
        assert_int_equal(convert(&cut, &input), ISG_ERR_FORMAT);
        converted_clear(&cut);
        free(copy);
    }
    made[used] = 0;
    converted more = {0};
    const converter_input input = {"made.rda", made, used + 1};
    assert_fails(convert(&more, &input), ISG_ERR_FORMAT, "something follows");
    converted_clear(&more);
}

static void expect_names(const isg_names *names, size_t count, const char *const *expected) {
    assert_int_equal(names->count, count);
    for (size_t k = 0; k < count; k++)
        assert_string_equal(isg_names_at(names, k), expected[k]);
}
#define EXPECT_NAMES(names, ...)                                                                   \
    expect_names(names, sizeof(const char *[]){__VA_ARGS__} / sizeof(char *),                      \
                 (const char *[]){__VA_ARGS__})

static void test_frame(void **state) {
    (void)state;
    converted out = {0};
    start("RDX2\n");
    tagged("DNA");
    list(ATTRIBUTES, 3);
    INTEGERS(ATTRIBUTES, 1, 2, 2);
    LEVELS("0", "1");
    INTEGERS(ATTRIBUTES, 2, 1, 1);
    LEVELS("ei", "n");
    INTEGERS(ATTRIBUTES, R_MISSING, 3, 1);
    LEVELS("red", "green", "blue");
    tagged("names");
    TEXTS("V1", "Class", "color");
    word(NIL);
    word(NIL);
    convert_and_cut(&out, convert_splice);
    EXPECT_NAMES(&out.labels, "n", "ei", "ei");
    EXPECT_NAMES(&out.units, "V1", "color=red", "color=green", "color=blue", "color=?");
    const uint8_t bits[] = {0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0};
    assert_int_equal(out.rows * out.cols, sizeof bits);
    assert_memory_equal(out.bits, bits, sizeof bits);
    converted_clear(&out);
}

static void names_of_sides(const char *first, const char *second, const char *third) {
    list(0, 2);
    TEXTS(first, second);
    TEXTS(third);
    word(NIL);
}

/* A matrix in an environment in a slot, a function that is read past, and references to symbols. */
static void test_expression_set(void **state) {
    (void)state;
    converted out = {0};
    start("RDX2\n");
    tagged("ALL");
    word(25 | ATTRIBUTES);
    tagged("assayData"); /* reference 2 */
    word(4);             /* an environment: reference 3 */
    word(0);
    word(253);
    tagged("run"); /* 4: a function, with an environment, an argument without value, and a body */
    word(3 | TAG);
    word(3 << 8 | 255);
    tagged("x"); /* 5 */
    word(251);
    word(NIL);
    word(6);
    word(5 << 8 | 255);
    word(NIL);
    tagged("exprs"); /* 6 */
    word(14 | ATTRIBUTES);
    word(2);
    number(1.5);
    number(-2.25);
    tagged("dim"); /* 7 */
    INTEGERS(0, 2, 1);
    tagged("dimnames"); /* 8 */
    names_of_sides("1000_at", "1001_at", "01005");
    word(NIL);
    word(NIL);
    word(NIL);
    tagged("phenoData");
    word(25 | ATTRIBUTES);
    tagged("data");
    list(ATTRIBUTES, 2);
    INTEGERS(ATTRIBUTES, 1);
    LEVELS("B2");
    INTEGERS(ATTRIBUTES, 2);
    LEVELS("NEG", "BCR/ABL");
    tagged("names");
    TEXTS("BT", "mol.biol");
    word(NIL);
    word(NIL);
    word(NIL);
    word(NIL);
    convert_and_cut(&out, convert_leukaemia);
    EXPECT_NAMES(&out.labels, "B BCR/ABL");
    EXPECT_NAMES(&out.units, "1000_at", "1001_at");
    EXPECT_NAMES(&out.ids, "01005");
    assert_true(out.rows == 1 && out.values[0] == 1.5 && out.values[1] == -2.25);
    converted_clear(&out);
}

static void slot(const char *name) {
    tagged(name);
    word(25 | ATTRIBUTES);
}

/* A sparse matrix in a Seurat object in version 3, after byte code and an ALTREP vector. */
static void test_sparse(void **state) {
    (void)state;
    converted out = {0};
    start("");
    used = 0;
    put("X\n", 2);
    word(3);
    word(0x40201);
    word(0x30500);
    word(5);
    put("UTF-8", 5);
    word(25 | ATTRIBUTES);
    tagged("code");
    word(21);
    word(1);
    INTEGERS(0, 12, 20);
    word(3); /* constants: a call that is numbered, a reference to it, a number */
    word(244);
    word(0);
    word(6);
    word(NIL);
    word(1);
    word(1);
    text("f");
    word(254);
    word(NIL);
    word(243);
    word(0);
    word(13);
    INTEGERS(0, 7);
    tagged("sequence");
    word(238);
    word(NIL);
    word(NIL);
    word(NIL);
    tagged("assays");
    list(ATTRIBUTES, 1);
    word(25 | ATTRIBUTES);
    slot("data");
    tagged("i");
    INTEGERS(0, 1, 0);
    tagged("p");
    INTEGERS(0, 0, 2);
    tagged("Dim");
    INTEGERS(0, 2, 1);
    tagged("Dimnames");
    list(0, 2);
    TEXTS("LYZ", "NKG7");
    TEXTS("AAAC-1");
    tagged("x");
    word(14);
    word(2);
    number(3);
    number(4);
    word(NIL);
    word(NIL);
    tagged("names");
    TEXTS("RNA");
    word(NIL);
    tagged("active.ident");
    INTEGERS(ATTRIBUTES, 1);
    LEVELS("NK");
    word(NIL);
    convert_and_cut(&out, convert_pbmc);
    EXPECT_NAMES(&out.labels, "NK");
    EXPECT_NAMES(&out.units, "LYZ", "NKG7");
    assert_true(out.values[0] == 4 && out.values[1] == 3);
    converted_clear(&out);
}

/* Whatever is wrong is a sentence, and nothing is read or allocated beyond the file. */
static void test_refused(void **state) {
    (void)state;
    r_data *data = NULL;
    assert_fails(r_data_read(&data, "a", (const uint8_t *)"A\n", 2), ISG_ERR_FORMAT,
                 "no file of R");
    start("RDX2\n");
    word(13);
    word(INT32_MAX);
    assert_fails(r_data_read(&data, "a", made, used), ISG_ERR_FORMAT, "cut off");
    start("RDX2\n");
    word(13);
    word(UINT32_MAX);
    assert_fails(r_data_read(&data, "a", made, used), ISG_ERR_FORMAT, "2^31");
    start("RDX2\n");
    word(1 << 8 | 255);
    assert_fails(r_data_read(&data, "a", made, used), ISG_ERR_FORMAT, "does not come before");
    start("RDX2\n");
    word(99);
    assert_fails(r_data_read(&data, "a", made, used), ISG_ERR_FORMAT, "cannot be read");
    start("RDX2\n");
    for (size_t depth = 0; depth < 900; depth++)
        list(0, 1);
    word(NIL);
    assert_fails(r_data_read(&data, "a", made, used), ISG_ERR_FORMAT, "too deeply");
    converted out = {0};
    start("RDX2\n");
    tagged("DNA");
    list(ATTRIBUTES, 1);
    INTEGERS(ATTRIBUTES, 3);
    LEVELS("a", "b");
    tagged("names");
    TEXTS("Class");
    word(NIL);
    word(NIL);
    const converter_input input = {"made.rda", made, used};
    assert_fails(convert_splice(&out, &input), ISG_ERR_FORMAT, "within its levels");
    converted_clear(&out);
}

/* ---- Texts ---------------------------------------------------------------------------------- */

static isg_status convert_string(converted *out, converter *convert, const char *content) {
    const converter_input input = {"made", (const uint8_t *)content, strlen(content)};
    converted_clear(out);
    return convert(out, &input);
}

static void test_arff(void **state) {
    (void)state;
    static const char file[] = "@relation v\n@attribute a {n,y}\n@attribute 'b c' {n,y}\n"
                               "@attribute Class {dem,rep}\n@data\ny,?,dem\nn,y,rep\n";
    converted out = {0};
    assert_ok(convert_string(&out, convert_votes, file));
    EXPECT_NAMES(&out.units, "a", "b c");
    EXPECT_NAMES(&out.labels, "dem", "rep");
    assert_true(out.rows == 2 && out.values[0] == 1 && isnan(out.values[1]) && out.values[2] == 0 &&
                out.values[3] == 1);
    assert_ok(convert_string(&out, convert_supermarket, file));
    assert_true(out.values[1] == 0);
    converted_clear(&out);
}

static void test_glyphs(void **state) {
    (void)state;
    converted out = {0};
    assert_ok(
        convert_string(&out, convert_glyphs,
                       "0041:0000000018242442427E424242420000\n"
                       "4E00:80010000000000000000000000000000000000000000000000000000000000FF\n"
                       "0984:00007FFE73CE6DB66DC66DF673CE7FFE7FFE73B66DB673866DF673F67FFE0000\n"));
    EXPECT_NAMES(&out.ids, "U+4E00", "U+0984");
    EXPECT_NAMES(&out.labels, "Han", "box");
    assert_true(out.height == 16 && out.width == 16);
    size_t sum = 0;
    for (size_t i = 0; i < 256; i++)
        sum += out.bits[i];
    assert_true(sum == 10 && out.bits[0] && out.bits[15] && out.bits[255] && out.bits[248]);
    assert_fails(convert_string(&out, convert_glyphs, "4E00 80\n"), ISG_ERR_FORMAT, "line 1");
    assert_fails(convert_string(&out, convert_glyphs, "4E00:80\n"), ISG_ERR_FORMAT, "32 or 64");
    assert_fails(convert_string(&out, convert_glyphs, "4EX0:80\n"), ISG_ERR_FORMAT, "hexadecimal");
    converted_clear(&out);
}

static void test_mutations(void **state) {
    (void)state;
    converted out = {0};
    assert_ok(convert_string(&out, convert_ccle,
                             "Hugo_Symbol\tx\tTumor_Sample_Barcode\nTP53\t1\tB_LUNG\n"
                             "KRAS\t\tA_LARGE_INTESTINE\nTP53\t2\tB_LUNG\nAPC\t2\tB_LUNG\n"));
    EXPECT_NAMES(&out.units, "APC", "KRAS", "TP53");
    EXPECT_NAMES(&out.ids, "A_LARGE_INTESTINE", "B_LUNG");
    EXPECT_NAMES(&out.labels, "LARGE_INTESTINE", "LUNG");
    assert_memory_equal(out.bits, ((const uint8_t[]){0, 1, 0, 1, 0, 1}), 6);
    assert_fails(convert_string(&out, convert_ccle, "a\tb\n"), ISG_ERR_FORMAT, "Hugo_Symbol");
    assert_fails(convert_string(&out, convert_ccle, "Hugo_Symbol\tTumor_Sample_Barcode\nTP53\n"),
                 ISG_ERR_FORMAT, "line 2");
    converted_clear(&out);
}

/* A file in a tar archive, as npm packs it. */
static void tar(uint8_t *block, const char *name, const char *content) {
    memset(block, 0, 1024);
    snprintf((char *)block, 100, "%s", name);
    snprintf((char *)block + 124, 12, "%06o ", (unsigned)strlen(content));
    block[156] = '0';
    memcpy(block + 512, content, strlen(content));
}

static void test_mails(void **state) {
    (void)state;
    enum { MAILS = 20 };
    static uint8_t archive[1024 * (MAILS + 2)];
    converted out = {0};
    for (size_t k = 0; k < MAILS; k++) {
        char name[64];
        snprintf(name, sizeof name, "package/data/%s/%02zu.txt", k % 2 ? "spam-1" : "easy-ham-1",
                 k);
        tar(archive + 1024 * k, name,
            k < 18 ? "Received: never\nSubject: Cheap Pills!\n\nbuy to-day; CHEAP\n"
                   : "Subject: re\n\nlinux\n");
    }
    const converter_input input = {"mails.tgz", archive, sizeof archive};
    assert_ok(convert_spam(&out, &input));
    EXPECT_NAMES(&out.units, "buy", "cheap", "day",
                 "pills"); /* 18 mails; neither headers nor "to" */
    assert_int_equal(out.rows, MAILS);
    assert_string_equal(isg_names_at(&out.ids, 0), "easy-ham-1/00");
    assert_string_equal(isg_names_at(&out.labels, 0), "ham");
    assert_string_equal(isg_names_at(&out.labels, MAILS - 1), "spam");
    assert_memory_equal(out.bits, ((const uint8_t[]){1, 1, 1, 1}), 4);
    assert_memory_equal(out.bits + 9 * 4, ((const uint8_t[]){0, 0, 0, 0}), 4);
    converted_clear(&out);
    for (size_t size = 1; size < 1024; size += 7) {
        const converter_input cut = {"mails.tgz", archive, size};
        if (size < 512 || size < 512 + strlen((char *)archive + 512))
            assert_fails(convert_spam(&out, &cut), ISG_ERR_FORMAT, "cut off");
        converted_clear(&out);
    }
    archive[124] = 'x';
    assert_fails(convert_spam(&out, &input), ISG_ERR_FORMAT, "tar archive");
}

/* ---- The .npz -------------------------------------------------------------------------------- */

static void expect_type(double low, double high, bool is_missing, const char *type) {
    char path[128], line[512] = "";
    converted out = {0};
    snprintf(path, sizeof path, "%.96s/t.npz", directory);
    assert_ok(converted_set_values(&out, 2, 2));
    out.values[0] = low;
    out.values[1] = high;
    out.values[2] = is_missing ? (double)NAN : 0;
    assert_ok(isg_names_add(&out.units, "a\xc3\xa9", 3));
    assert_ok(isg_names_add(&out.units, "bcd", 3));
    assert_ok(converted_save(&out, path));
    converted_clear(&out);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t got = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    unlink(path);
    char *found = NULL;
    for (size_t k = 0; k < got && !found; k++)
        if (strncmp(line + k, "'descr'", 7) == 0)
            found = line + k;
    assert_non_null(found);
    if (!strstr(found, type))
        fail_msg("expected %s, found %.40s", type, found);
}

static void test_types(void **state) {
    (void)state;
    expect_type(0, 255, false, "|u1");
    expect_type(-1, 127, false, "|i1");
    expect_type(0, 256, false, "<i4");
    expect_type(0, 1, true, "<f4");
    expect_type(0, 0.1, false, "<f8");
    expect_type(0, 0.5, false, "<f4");
    expect_type(0, 5e9 + 1, false, "<f8");
}

/* Every entry can be fetched, and says all that `data list` prints. */
static void test_catalog(void **state) {
    (void)state;
    size_t count = 0;
    for (const catalog_entry *entry = catalog; entry->name; entry++, count++) {
        assert_string_equal(entry->name, catalog_names[count]);
        assert_true((entry->npm != NULL) != (entry->debian != NULL));
        assert_true(!entry->convert == !entry->sources[0].name);
        assert_true(entry->what && entry->values && entry->labels && entry->reference &&
                    entry->license && entry->samples && entry->units && entry->classes);
        for (size_t k = 0; entry->files[k].name; k++)
            assert_int_equal(strspn(entry->files[k].sha256, "0123456789abcdef"), 64);
        for (size_t k = 0; entry->sources[k].name; k++)
            assert_int_equal(strspn(entry->sources[k].sha256, "0123456789abcdef"), 64);
    }
    assert_null(catalog_names[count]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frame),     cmocka_unit_test(test_expression_set),
        cmocka_unit_test(test_sparse),    cmocka_unit_test(test_refused),
        cmocka_unit_test(test_arff),      cmocka_unit_test(test_glyphs),
        cmocka_unit_test(test_mutations), cmocka_unit_test(test_mails),
        cmocka_unit_test(test_types),     cmocka_unit_test(test_catalog),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
