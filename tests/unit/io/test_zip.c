/* test_zip.c - zip archives: plain, wide, cut, patched, hostile; and what we write ourselves
 *
 * SPDX-License-Identifier: MIT
 *
 * The archives here are put together byte by byte, so that every field can lie.
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <unistd.h>
#include <zlib.h>

#include "io/zip.h"
#include "io/zip_format.h"
#include "io/zip_writer.h"
#include "numpy_helper.h"

enum { ROOM = 1 << 17, MOST_MEMBERS = 3 };

typedef struct archive {
    uint8_t bytes[ROOM];
    size_t size;
    size_t local[MOST_MEMBERS], central[MOST_MEMBERS]; /* where the headers are */
    size_t directory, wide_end, locator, end;
    bool is_wide;
} archive;

static uint8_t *append(archive *a, size_t count, const void *bytes) {
    uint8_t *at = a->bytes + a->size;
    assert_true(count <= ROOM - a->size);
    if (bytes)
        memcpy(at, bytes, count);
    else
        memset(at, 0, count);
    a->size += count;
    return at;
}

static void append_header(archive *a, size_t k, const char *name, const char *data, bool is_local) {
    const size_t n = strlen(data), extra = a->is_wide ? (is_local ? 20 : 28) : 0;
    uint8_t *at = append(a, is_local ? 30 : 46, NULL), *same = is_local ? at + 4 : at + 6;
    isg_store32(at, is_local ? ISG_ZIP_LOCAL : ISG_ZIP_CENTRAL);
    isg_store16(same, 20);
    isg_store32(same + 10, crc32(0, (const uint8_t *)data, (uInt)n));
    isg_store32(same + 14, a->is_wide ? ISG_ZIP_WIDE32 : n);
    isg_store32(same + 18, a->is_wide ? ISG_ZIP_WIDE32 : n);
    isg_store16(same + 22, strlen(name));
    isg_store16(same + 24, extra);
    if (!is_local)
        isg_store32(at + 42, a->is_wide ? ISG_ZIP_WIDE32 : a->local[k]);
    append(a, strlen(name), name);
    if (a->is_wide) {
        uint8_t *wide = append(a, extra, NULL);
        isg_store16(wide, ISG_ZIP64_EXTRA);
        isg_store16(wide + 2, extra - 4);
        isg_store64(wide + 4, n);
        isg_store64(wide + 12, n);
        if (!is_local)
            isg_store64(wide + 20, a->local[k]);
    }
}

static void append_end(archive *a, size_t count, size_t comment) {
    const size_t directory_bytes = a->size - a->directory;
    if (a->is_wide) {
        a->wide_end = a->size;
        uint8_t *wide = append(a, 56, NULL);
        isg_store32(wide, ISG_ZIP64_END);
        isg_store64(wide + 4, 44);
        isg_store64(wide + 24, count);
        isg_store64(wide + 32, count);
        isg_store64(wide + 40, directory_bytes);
        isg_store64(wide + 48, a->directory);
        a->locator = a->size;
        uint8_t *locator = append(a, 20, NULL);
        isg_store32(locator, ISG_ZIP64_LOCATOR);
        isg_store64(locator + 8, a->wide_end);
        isg_store32(locator + 16, 1);
    }
    a->end = a->size;
    uint8_t *end = append(a, 22, NULL);
    isg_store32(end, ISG_ZIP_END);
    isg_store16(end + 8, a->is_wide ? ISG_ZIP_WIDE16 : count);
    isg_store16(end + 10, a->is_wide ? ISG_ZIP_WIDE16 : count);
    isg_store32(end + 12, a->is_wide ? ISG_ZIP_WIDE32 : directory_bytes);
    isg_store32(end + 16, a->is_wide ? ISG_ZIP_WIDE32 : a->directory);
    isg_store16(end + 20, comment);
    append(a, comment, NULL);
}

static const char *const names[] = {"a.npy", "b/c.txt", "d"};
static const char *const datas[] = {"first member", "second", ""};

static void build(archive *a, const char *const *member_names, bool is_wide, size_t comment) {
    memset(a, 0, sizeof *a);
    a->is_wide = is_wide;
    for (size_t k = 0; k < MOST_MEMBERS; k++) {
        a->local[k] = a->size;
        append_header(a, k, member_names[k], datas[k], true);
        append(a, strlen(datas[k]), datas[k]);
    }
    a->directory = a->size;
    for (size_t k = 0; k < MOST_MEMBERS; k++) {
        a->central[k] = a->size;
        append_header(a, k, member_names[k], datas[k], false);
    }
    append_end(a, MOST_MEMBERS, comment);
}

/* Opens the archive, reads every member to its end and compares it with datas. */
static isg_status read_archive(const uint8_t *bytes, size_t size) {
    isg_file *file = NULL;
    isg_zip *zip = NULL;
    isg_source *source = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_file_from_memory(&file, "x.npz", bytes, size));
    ISG_TRY_GOTO(isg_zip_open(&zip, file));
    for (size_t k = 0; k < isg_zip_count(zip); k++) {
        char buffer[64] = "";
        size_t got = 0;
        ISG_TRY_GOTO(isg_zip_member(&source, zip, k));
        ISG_TRY_GOTO(isg_source_read_some(source, buffer, sizeof buffer, &got));
        ISG_TRY_GOTO(isg_source_end(source));
        assert_string_equal(buffer, datas[k]);
        isg_source_free(source);
        source = NULL;
    }
    assert_int_equal(isg_zip_count(zip), MOST_MEMBERS);
done:
    isg_source_free(source);
    isg_zip_close(zip);
    isg_file_close(file);
    return status;
}

static archive fixture;

static void test_members(void **state) {
    (void)state;
    isg_file *file = NULL;
    isg_zip *zip = NULL;
    isg_source *first = NULL, *second = NULL;
    size_t index = 99;
    char buffer[8];
    build(&fixture, names, false, 0);
    assert_ok(isg_file_from_memory(&file, "dir/x.npz", fixture.bytes, fixture.size));
    assert_ok(isg_zip_open(&zip, file));
    assert_int_equal(isg_zip_count(zip), 3);
    assert_string_equal(isg_zip_name(zip, 1), "b/c.txt");
    assert_string_equal(isg_zip_file_name(zip), "dir/x.npz");
    assert_true(isg_zip_find(zip, "d", &index) && index == 2);
    assert_true(isg_zip_find(zip, "a.npy", &index) && index == 0);
    assert_false(isg_zip_find(zip, "a", &index));
    /* Two at once, one piece each in turn. */
    assert_ok(isg_zip_member(&first, zip, 0));
    assert_ok(isg_zip_member(&second, zip, 1));
    assert_string_equal(isg_source_name(second), "dir/x.npz(b/c.txt)");
    assert_int_equal(isg_source_at_most(first), 12);
    assert_ok(isg_source_read(first, buffer, 6, "it"));
    assert_memory_equal(buffer, "first ", 6);
    assert_ok(isg_source_read(second, buffer, 6, "it"));
    assert_memory_equal(buffer, "second", 6);
    assert_ok(isg_source_read(first, buffer, 6, "it"));
    assert_memory_equal(buffer, "member", 6);
    assert_ok(isg_source_end(first));
    assert_ok(isg_source_end(second));
    isg_source_free(first);
    isg_source_free(second);
    isg_zip_close(zip);
    isg_zip_close(NULL);
    isg_file_close(file);
}

static void test_every_kind_of_end(void **state) {
    (void)state;
    static const size_t comments[] = {0, 1, 22, 1000, 65535};
    for (int is_wide = 0; is_wide < 2; is_wide++)
        for (size_t k = 0; k < 5; k++) {
            build(&fixture, names, is_wide, comments[k]);
            assert_ok(read_archive(fixture.bytes, fixture.size));
            append(&fixture, 1, "x");
            assert_refused(read_archive(fixture.bytes, fixture.size),
                           "x.npz: the zip archive is damaged: its end is missing");
        }
}

static void test_empty_archive(void **state) {
    (void)state;
    isg_file *file = NULL;
    isg_zip *zip = NULL;
    size_t index;
    memset(&fixture, 0, sizeof fixture);
    append_end(&fixture, 0, 0);
    assert_ok(isg_file_from_memory(&file, "x.npz", fixture.bytes, fixture.size));
    assert_ok(isg_zip_open(&zip, file));
    assert_int_equal(isg_zip_count(zip), 0);
    assert_false(isg_zip_find(zip, "a", &index));
    isg_zip_close(zip);
    isg_file_close(file);
}

static void test_cut_anywhere(void **state) {
    (void)state;
    for (int is_wide = 0; is_wide < 2; is_wide++) {
        build(&fixture, names, is_wide, 30);
        for (size_t cut = 0; cut < fixture.size; cut++) {
            assert_int_equal(read_archive(fixture.bytes, cut), ISG_ERR_FORMAT);
            assert_message(cut < 22 ? "expected a zip archive (.npz), found only"
                                    : "its end is missing");
        }
    }
}

static void test_other_files(void **state) {
    (void)state;
    static const uint8_t npy[64] = "\x93NUMPY", other[64] = "a,b,c\n";
    assert_refused(read_archive(npy, sizeof npy), "found a single NumPy array (.npy)");
    assert_refused(read_archive(other, sizeof other), "the content does not begin as one does");
}

/* ---- Patches ------------------------------------------------------------------------------ */

typedef enum place { LOCAL0, CENTRAL0, CENTRAL1, CENTRAL2, WIDE_END, LOCATOR, END } place;

typedef struct patch {
    place where;
    size_t offset, width;
    uint64_t value;
    const char *message; /* NULL: harmless */
} patch;

static uint8_t *at_place(archive *a, place where) {
    const size_t offsets[] = {a->local[0], a->central[0], a->central[1], a->central[2],
                              a->wide_end, a->locator,    a->end};
    return a->bytes + offsets[where];
}

static void apply(archive *a, const patch *p) {
    for (size_t i = 0; i < p->width; i++)
        at_place(a, p->where)[p->offset + i] = (uint8_t)(p->value >> 8 * i);
}

#define CONTRADICTS "x.npz(a.npy): has a local header that contradicts the zip directory"
#define NOT_THERE   "its directory is not where the end record says"
#define SEVERAL     "is one part of a zip archive that is split into several"
#define UNREAD      "x.npz(a.npy): has a damaged extra field in the zip directory"

static const patch narrow_patches[] = {
    /* harmless: versions, dates, attributes, comments, the flag for UTF-8 and deflate's hints */
    {LOCAL0, 4, 2, 63, NULL},
    {LOCAL0, 10, 4, 0x12345678, NULL},
    {LOCAL0, 6, 2, 0x0806, NULL},
    {CENTRAL0, 4, 4, 0x12345678, NULL},
    {CENTRAL0, 8, 2, 0x0806, NULL},
    {CENTRAL0, 36, 6, 0x123456789abc, NULL},
    /* the end record */
    {END, 4, 2, 1, SEVERAL},
    {END, 6, 2, 1, SEVERAL},
    {END, 6, 2, 0xffff, SEVERAL},
    {END, 8, 2, 2, SEVERAL},
    {END, 8, 4, 0x00020002, "its directory has more members than its end record says"},
    {END, 8, 4, 0x00040004, "it has more members than its directory has room for"},
    {END, 8, 4, 0xffffffff, "it has more members than its directory has room for"},
    {END, 12, 4, 1, NOT_THERE},
    {END, 12, 4, 0xffffffff, NOT_THERE},
    {END, 16, 4, 0, NOT_THERE},
    {END, 16, 4, 0xffffffff, NOT_THERE},
    {END, 20, 2, 1, "its end is missing"},
    {END, 0, 4, 0, "its end is missing"},
    /* the directory */
    {CENTRAL0, 0, 4, ISG_ZIP_LOCAL, "its directory has fewer members than its end record says"},
    {CENTRAL2, 0, 4, 0, "fewer members"},
    {CENTRAL0, 8, 2, 1, "x.npz(a.npy): is encrypted"},
    {CENTRAL0, 8, 2, 1 << 6, "is encrypted"},
    {CENTRAL0, 8, 2, 1 << 13, "is encrypted"},
    {CENTRAL0, 8, 2, 1 << 5, "is a patch"},
    {CENTRAL0, 8, 2, 1 << 3, CONTRADICTS},
    {CENTRAL0, 10, 2, 14, "stored or deflated, found compression method 14"},
    {CENTRAL0, 10, 2, 8, CONTRADICTS},
    {CENTRAL0, 16, 4, 0, CONTRADICTS},
    {CENTRAL0, 20, 4, 11, "is not compressed, but has two different sizes"},
    {CENTRAL0, 20, 8, 0x0000000b0000000b, CONTRADICTS},
    {CENTRAL0, 20, 8, 0x0000ffff0000ffff, "reaches into the zip directory"},
    {CENTRAL0, 20, 8, 0xfffffffefffffffe, "reaches into the zip directory"},
    {CENTRAL0, 20, 4, 0xffffffff, UNREAD},
    {CENTRAL0, 28, 2, 0, "member 1 of the zip archive is refused: its name is empty"},
    {CENTRAL0, 28, 2, 4, "(a.np): has another name in its local header"},
    {CENTRAL2, 28, 2, 2, "a member reaches past the end of its directory"},
    {CENTRAL2, 30, 2, 1, "a member reaches past the end of its directory"},
    {CENTRAL2, 32, 2, 0xffff, "a member reaches past the end of its directory"},
    {CENTRAL0, 34, 2, 1, "is in another part of a split zip archive"},
    {CENTRAL0, 42, 4, 1, "has no local header where the zip directory says"},
    {CENTRAL0, 42, 4, 0xfffffffe, "begins outside the zip archive"},
    {CENTRAL0, 46, 1, 'b', "x.npz(b.npy): has another name in its local header"},
    {CENTRAL1, 46, 1, '/', "member 2 of the zip archive is refused: its name is an absolute path"},
    {CENTRAL1, 46, 1, '\\', "its name has a backslash"},
    {CENTRAL1, 47, 1, '\0', "its name has control characters"},
    {CENTRAL1, 47, 1, 0x7f, "its name has control characters"},
    {CENTRAL1, 47, 1, 0x80, "its name is not UTF-8"},
    {CENTRAL1, 51, 2, 0xa9c3, "has another name in its local header"},
    /* a local header */
    {LOCAL0, 0, 4, ISG_ZIP_CENTRAL, "the content does not begin as one does"},
    {LOCAL0, 6, 2, 1, CONTRADICTS},
    {LOCAL0, 6, 2, 8, CONTRADICTS},
    {LOCAL0, 8, 2, 8, CONTRADICTS},
    {LOCAL0, 14, 4, 0, CONTRADICTS},
    {LOCAL0, 18, 4, 11, CONTRADICTS},
    {LOCAL0, 22, 4, 11, CONTRADICTS},
    {LOCAL0, 22, 4, 0xffffffff, CONTRADICTS},
    {LOCAL0, 26, 2, 4, "has another name in its local header"},
    {LOCAL0, 26, 2, 0xffff, "reaches into the zip directory"},
    {LOCAL0, 28, 2, 0xffff, "reaches into the zip directory"},
    {LOCAL0, 28, 2, 1, "the members \"a.npy\" and \"b/c.txt\" overlap"},
    {LOCAL0, 30, 1, 'A', "has another name in its local header"},
    {LOCAL0, 35, 1, 'F', "x.npz(a.npy): the data are damaged: the checksum (CRC-32) is wrong"},
};

static const patch wide_patches[] = {
    {WIDE_END, 12, 4, 0x12345678, NULL}, /* versions */
    {END, 4, 4, 0xffffffff, NULL},       /* disks that stand aside */
    {END, 8, 4, 0x00030003, NULL},       /* a count that agrees */
    {CENTRAL0, 34, 2, 0xffff, NULL},
    {LOCATOR, 16, 4, 0, NULL},
    {END, 4, 2, 1, SEVERAL},
    {END, 8, 4, 0x00020002, "its two end records disagree"},
    {END, 12, 4, 7, "its two end records disagree"},
    {END, 16, 4, 7, "its two end records disagree"},
    {LOCATOR, 0, 4, 0, NOT_THERE},
    {LOCATOR, 4, 4, 1, SEVERAL},
    {LOCATOR, 8, 8, UINT64_MAX, "the zip64 end record is missing"},
    {LOCATOR, 8, 8, 0, "the zip64 end record is missing"},
    {LOCATOR, 16, 4, 2, SEVERAL},
    {WIDE_END, 0, 4, 0, "the zip64 end record is missing"},
    {WIDE_END, 4, 8, 45, "the zip64 end record is missing"},
    {WIDE_END, 4, 8, UINT64_MAX, "the zip64 end record is missing"},
    {WIDE_END, 16, 4, 1, SEVERAL},
    {WIDE_END, 20, 4, 1, SEVERAL},
    {WIDE_END, 24, 8, 2, "its two end records disagree"},
    {WIDE_END, 32, 8, UINT64_MAX, "its two end records disagree"},
    {WIDE_END, 40, 8, UINT64_MAX, NOT_THERE},
    {WIDE_END, 48, 8, UINT64_MAX, NOT_THERE},
    {WIDE_END, 48, 8, 0, NOT_THERE},
    {CENTRAL0, 51, 2, 2, UNREAD},  /* no zip64 field any more */
    {CENTRAL0, 53, 2, 16, UNREAD}, /* too short for three values; then a field runs over */
    {CENTRAL0, 53, 2, 25, UNREAD}, /* runs over */
    {CENTRAL0, 55, 8, UINT64_MAX, "two different sizes"},
    {CENTRAL0, 71, 8, UINT64_MAX, "begins outside the zip archive"},
    {CENTRAL0, 71, 8, UINT64_MAX - 29, "begins outside the zip archive"},
    {LOCAL0, 39, 8, 11, CONTRADICTS},
    {LOCAL0, 47, 8, 11, CONTRADICTS},
    {LOCAL0, 35, 2, 2, CONTRADICTS},
};

static void check_patches(const patch *patches, size_t count, bool is_wide) {
    for (size_t k = 0; k < count; k++) {
        build(&fixture, names, is_wide, 0);
        apply(&fixture, &patches[k]);
        if (patches[k].message)
            assert_refused(read_archive(fixture.bytes, fixture.size), patches[k].message);
        else
            assert_ok(read_archive(fixture.bytes, fixture.size));
    }
}

static void test_patches(void **state) {
    (void)state;
    check_patches(narrow_patches, sizeof narrow_patches / sizeof narrow_patches[0], false);
    check_patches(wide_patches, sizeof wide_patches / sizeof wide_patches[0], true);
}

/* Wide sizes that do not fit in the file must not wrap around when they are added up. */
static void test_wide_sizes(void **state) {
    (void)state;
    static const uint64_t sizes[] = {UINT64_MAX, UINT64_MAX - 40, INT64_MAX, 1000};
    for (size_t k = 0; k < 4; k++) {
        build(&fixture, names, true, 0);
        isg_store64(fixture.bytes + fixture.central[0] + 55, sizes[k]);
        isg_store64(fixture.bytes + fixture.central[0] + 63, sizes[k]);
        assert_refused(read_archive(fixture.bytes, fixture.size), "reaches into the zip directory");
    }
}

static void test_any_bit_flipped(void **state) {
    (void)state;
    for (int is_wide = 0; is_wide < 2; is_wide++) {
        build(&fixture, names, is_wide, 2);
        size_t n_harmless = 0;
        for (size_t bit = 0; bit < 8 * fixture.size; bit++) {
            fixture.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            const isg_status status = read_archive(fixture.bytes, fixture.size);
            assert_true(status == ISG_OK || status == ISG_ERR_FORMAT);
            n_harmless += status == ISG_OK;
            fixture.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        /* Dates, versions, attributes and the like make up less than a third of it. */
        assert_true(n_harmless < 8 * fixture.size / 3);
    }
}

/* ---- Names -------------------------------------------------------------------------------- */

static void test_names(void **state) {
    (void)state;
    static const char *const good[] = {"a",
                                       "a/b",
                                       "a..b.npy",
                                       "...",
                                       "..a/b..",
                                       "a/",
                                       " ",
                                       "\xc3\xa9.npy",
                                       "C:x",
                                       ".",
                                       "a\x7e",
                                       "a//b",
                                       "\xf4\x8f\xbf\xbf",
                                       "\xed\x9f\xbf",
                                       "\xe0\xa0\x80",
                                       "\xf0\x90\x80\x80"};
    static const struct {
        const char *name, *problem;
    } bad[] = {{"", "empty"},
               {"/", "absolute"},
               {"/etc/passwd", "absolute"},
               {"..", "\"..\""},
               {"../x", "\"..\""},
               {"a/..", "\"..\""},
               {"a/../b", "\"..\""},
               {"a\\b", "backslash"},
               {"a\nb", "control"},
               {"a\x1b[31m", "control"},
               {"a\x7f", "control"},
               {"a\x80", "UTF-8"},
               {"\xc0\xaf", "UTF-8"},         /* a slash, too long */
               {"\xc1\x81", "UTF-8"},         /* too long */
               {"\xe0\x80\xaf", "UTF-8"},     /* too long */
               {"\xf0\x80\x80\xaf", "UTF-8"}, /* too long */
               {"\xed\xa0\x80", "UTF-8"},     /* a surrogate */
               {"\xf4\x90\x80\x80", "UTF-8"}, /* beyond the last code point */
               {"\xf5\x80\x80\x80", "UTF-8"},
               {"\xc3", "UTF-8"},
               {"\xe2\x82", "UTF-8"},
               {"\xc3(", "UTF-8"}};
    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++)
        assert_null(isg_zip_name_problem(good[k], strlen(good[k])));
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        const char *problem = isg_zip_name_problem(bad[k].name, strlen(bad[k].name));
        assert_non_null(problem);
        assert_non_null(strstr(problem, bad[k].problem));
    }
    assert_non_null(isg_zip_name_problem("a\0b", 3));
    assert_non_null(isg_zip_name_problem("a", 65536));
}

static void test_path_tricks_and_duplicates(void **state) {
    (void)state;
    static const char *const tricks[] = {"a.npy", "../../c.txt", "d"};
    static const char *const twice[] = {"a.npy", "b", "a.npy"};
    build(&fixture, tricks, false, 0);
    assert_refused(read_archive(fixture.bytes, fixture.size),
                   "x.npz: member 2 of the zip archive is refused: its name has a part \"..\" that "
                   "leaves the archive");
    build(&fixture, twice, false, 0);
    assert_refused(read_archive(fixture.bytes, fixture.size), "two members are named \"a.npy\"");
}

/* ---- Bombs -------------------------------------------------------------------------------- */

/* The second member lies inside the data of the first. */
static void test_overlap(void **state) {
    (void)state;
    archive *a = &fixture;
    memset(a, 0, sizeof *a);
    append_header(a, 0, "outer", "", true);
    a->local[1] = a->size;
    append_header(a, 1, "inner", "data", true);
    append(a, 4, "data");
    const size_t inside = a->size - a->local[1];
    const uint32_t crc = (uint32_t)crc32(0, a->bytes + a->local[1], (uInt)inside);
    a->directory = a->size;
    append_header(a, 0, "outer", "", false);
    append_header(a, 1, "inner", "data", false);
    append_end(a, 2, 0);
    uint8_t *const headers[] = {a->bytes + 14, a->bytes + a->directory + 16};
    for (size_t k = 0; k < 2; k++) {
        isg_store32(headers[k], crc);
        isg_store32(headers[k] + 4, inside);
        isg_store32(headers[k] + 8, inside);
    }
    assert_refused(read_archive(a->bytes, a->size), "members \"outer\" and \"inner\" overlap");
    /* Both entries on the same bytes. */
    build(a, names, false, 0);
    memmove(a->bytes + a->central[1], a->bytes + a->central[0], 51);
    memmove(a->bytes + a->central[1] + 51, a->bytes + a->central[2], a->size - a->central[2]);
    a->size -= 2;
    isg_store32(a->bytes + a->size - 22 + 12, a->size - 22 - a->directory);
    assert_refused(read_archive(a->bytes, a->size), "members \"a.npy\" and \"a.npy\" overlap");
}

static void test_huge_directory(void **state) {
    (void)state;
    const size_t size = (4 << 20) + 1 + 4 + 22;
    uint8_t *bytes = calloc(size, 1);
    assert_non_null(bytes);
    isg_store32(bytes, ISG_ZIP_LOCAL);
    isg_store32(bytes + size - 22, ISG_ZIP_END);
    isg_store32(bytes + size - 10, (4 << 20) + 1);
    isg_store32(bytes + size - 6, 4);
    assert_refused(read_archive(bytes, size),
                   "zip directory of at most 4194304 bytes, found 4194305");
    free(bytes);
}

static void test_declared_bomb(void **state) {
    (void)state;
    build(&fixture, names, false, 0);
    uint8_t *const headers[] = {fixture.bytes + 8, fixture.bytes + fixture.central[0] + 10};
    for (size_t k = 0; k < 2; k++) {
        isg_store16(headers[k], ISG_ZIP_DEFLATED);
        isg_store32(headers[k] + 14, 0x7fffffff);
    }
    assert_refused(
        read_archive(fixture.bytes, fixture.size),
        "x.npz(a.npy): 12 bytes that unpack to 2147483647 look like a decompression bomb");
}

/* ---- Writing ------------------------------------------------------------------------------ */

static void write_archive(const char *path, uint64_t limit, bool is_deflated) {
    isg_zip_writer *writer = NULL;
    assert_ok(isg_zip_writer_create(&writer, path));
    isg_zip_writer_widen_from(writer, limit);
    for (size_t k = 0; k < MOST_MEMBERS; k++)
        assert_ok(
            isg_zip_writer_add(writer, names[k], datas[k], strlen(datas[k]), is_deflated && k < 2));
    assert_ok(isg_zip_writer_commit(writer));
    isg_zip_writer_free(writer);
}

static void test_writer(void **state) {
    (void)state;
    char *scratch = scratch_create(), name[32];
    static const uint64_t limits[] = {UINT64_MAX, 0, 1, 3, 7, 13, 60, 200};
    for (size_t k = 0; k < 8; k++) {
        size_t size = 0;
        snprintf(name, sizeof name, "%zu.zip", k);
        write_archive(in(scratch, name), limits[k], k % 2);
        uint8_t *bytes = read_file(in(scratch, name), &size);
        assert_ok(read_archive(bytes, size));
        for (size_t cut = 0; cut < size; cut++)
            assert_int_equal(read_archive(bytes, cut), ISG_ERR_FORMAT);
        free(bytes);
    }
    run_python(scratch, "for k in range(8):\n"
                        "    z = zipfile.ZipFile(f'{k}.zip')\n"
                        "    assert z.testzip() is None\n"
                        "    assert z.namelist() == ['a.npy', 'b/c.txt', 'd'], z.namelist()\n"
                        "    assert z.read('a.npy') == b'first member' and z.read('d') == b''\n"
                        "    assert z.infolist()[0].date_time == (1980, 1, 1, 0, 0, 0)\n"
                        "assert b'PK\\6\\6' not in open('0.zip', 'rb').read()\n"
                        "assert b'PK\\6\\6' in open('1.zip', 'rb').read()\n");
    scratch_remove(scratch);
}

static void test_writer_is_deterministic(void **state) {
    (void)state;
    char *scratch = scratch_create();
    size_t sizes[2];
    uint8_t *bytes[2];
    for (size_t k = 0; k < 2; k++) {
        write_archive(in(scratch, k ? "b.zip" : "a.zip"), UINT64_MAX, true);
        bytes[k] = read_file(in(scratch, k ? "b.zip" : "a.zip"), &sizes[k]);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    free(bytes[0]);
    free(bytes[1]);
    scratch_remove(scratch);
}

/* What shrinks is deflated; what does not, or what would look like a bomb to our own reader, is
   stored. */
static void test_writer_deflates_within_reason(void **state) {
    (void)state;
    enum { SIZE = 3 << 20 };
    char *scratch = scratch_create();
    uint8_t *zeros = calloc(SIZE, 1), *spins = malloc(SIZE), *read = malloc(SIZE);
    assert_true(zeros && spins && read);
    uint32_t word = 1;
    for (size_t k = 0; k < SIZE; k++) {
        word = word * 1664525 + 1013904223;
        spins[k] = (uint8_t)(word >> 31);
    }
    const isg_zip_part parts[] = {{spins, 1000}, {NULL, 0}, {spins + 1000, SIZE - 1000}, {NULL, 0}};
    isg_zip_writer *writer = NULL;
    assert_ok(isg_zip_writer_create(&writer, in(scratch, "a.zip")));
    assert_ok(isg_zip_writer_add(writer, "zeros", zeros, SIZE, true));
    assert_ok(isg_zip_writer_add_parts(writer, "spins", parts, 4, true));
    assert_ok(isg_zip_writer_add(writer, "tiny", "x", 1, true));
    assert_ok(isg_zip_writer_add_parts(writer, "none", NULL, 0, true));
    assert_ok(isg_zip_writer_commit(writer));
    isg_zip_writer_free(writer);
    run_python(scratch, "z = zipfile.ZipFile('a.zip')\n"
                        "kinds = [(i.compress_type, i.file_size) for i in z.infolist()]\n"
                        "assert kinds == [(0, 3 << 20), (8, 3 << 20), (0, 1), (0, 0)], kinds\n"
                        "assert z.testzip() is None\n");
    isg_file *file = NULL;
    isg_zip *zip = NULL;
    assert_ok(isg_file_open(&file, in(scratch, "a.zip")));
    assert_ok(isg_zip_open(&zip, file));
    for (size_t k = 0; k < 2; k++) {
        isg_source *source = NULL;
        assert_ok(isg_zip_member(&source, zip, k));
        assert_ok(isg_source_read(source, read, SIZE, "it"));
        assert_ok(isg_source_end(source));
        assert_memory_equal(read, k ? spins : zeros, SIZE);
        isg_source_free(source);
    }
    isg_zip_close(zip);
    isg_file_close(file);
    free(zeros);
    free(spins);
    free(read);
    scratch_remove(scratch);
}

static void test_writer_refuses_names(void **state) {
    (void)state;
    char *scratch = scratch_create();
    isg_zip_writer *writer = NULL;
    assert_ok(isg_zip_writer_create(&writer, in(scratch, "a.zip")));
    assert_ok(isg_zip_writer_add(writer, "a", "x", 1, false));
    assert_int_equal(isg_zip_writer_add(writer, "a", "y", 1, false), ISG_ERR_ARGUMENT);
    assert_message("the member \"a\" cannot be added: the name already exists");
    assert_int_equal(isg_zip_writer_add(writer, "../a", "y", 1, false), ISG_ERR_ARGUMENT);
    assert_message("leaves the archive");
    isg_zip_writer_free(writer); /* not committed: nothing there */
    isg_zip_writer_free(NULL);
    assert_int_equal(access(in(scratch, "a.zip"), F_OK), -1);
    assert_int_equal(isg_zip_writer_create(&writer, in(scratch, "no/a.zip")), ISG_ERR_IO);
    assert_int_equal(rmdir(scratch), 0);
    free(scratch);
}

/* ---- Archives by Python ------------------------------------------------------------------- */

static void test_python_archives(void **state) {
    (void)state;
    char *scratch = scratch_create();
    run_python(
        scratch,
        "names, datas = ['a.npy', 'b/c.txt', 'd'], [b'first member', b'second', b'']\n"
        "class Pipe(io.RawIOBase):\n" /* not seekable: sizes go behind the data */
        "    def __init__(self, name): self.file = open(name, 'wb')\n"
        "    def writable(self): return True\n"
        "    def write(self, b): return self.file.write(b)\n"
        "    def seekable(self): return False\n"
        "    def close(self): self.file.close()\n"
        "for method in (0, 8):\n"
        "    for wide in (False, True):\n"
        "        for pipe in (False, True):\n"
        "            name = f'{method}{int(wide)}{int(pipe)}.zip'\n"
        "            target = Pipe(name) if pipe else name\n"
        "            with zipfile.ZipFile(target, 'w', method) as z:\n"
        "                for n, d in zip(names, datas):\n"
        "                    with z.open(zipfile.ZipInfo(n), 'w', force_zip64=wide) as f:\n"
        "                        f.write(d)\n"
        "            if pipe: target.close()\n"
        /* Everything wide, as if it were beyond 4 GiB. */
        "zipfile.ZIP64_LIMIT = 1\n"
        "with zipfile.ZipFile('wide.zip', 'w') as z:\n"
        "    for n, d in zip(names, datas): z.writestr(n, d)\n"
        "assert b'PK\\6\\6' in open('wide.zip', 'rb').read()\n"
        "with zipfile.ZipFile('lzma.zip', 'w', zipfile.ZIP_LZMA) as z: z.writestr('a', b'b')\n");
    static const char *const archives[] = {"000.zip", "001.zip", "010.zip", "011.zip", "800.zip",
                                           "801.zip", "810.zip", "811.zip", "wide.zip"};
    size_t size = 0;
    for (size_t k = 0; k < sizeof archives / sizeof archives[0]; k++) {
        uint8_t *bytes = read_file(in(scratch, archives[k]), &size);
        assert_ok(read_archive(bytes, size));
        for (size_t cut = 0; cut < size; cut++)
            assert_int_equal(read_archive(bytes, cut), ISG_ERR_FORMAT);
        free(bytes);
    }
    uint8_t *bytes = read_file(in(scratch, "lzma.zip"), &size);
    assert_refused(read_archive(bytes, size), "found compression method 14");
    free(bytes);
    scratch_remove(scratch);
}

/* ---- Without memory ----------------------------------------------------------------------- */

static isg_status read_job(void *user) {
    const archive *a = user;
    return read_archive(a->bytes, a->size);
}

static isg_status write_job(void *user) {
    isg_zip_writer *writer = NULL;
    isg_status status = ISG_OK;
    char zeros[1000] = {0};
    ISG_TRY_GOTO(isg_zip_writer_create(&writer, in(user, "a.zip")));
    ISG_TRY_GOTO(isg_zip_writer_add(writer, "a", "x", 1, false));
    ISG_TRY_GOTO(isg_zip_writer_add(writer, "b", zeros, sizeof zeros, true));
    ISG_TRY_GOTO(isg_zip_writer_commit(writer));
done:
    isg_zip_writer_free(writer);
    return status;
}

static void test_no_memory(void **state) {
    (void)state;
    char *scratch = scratch_create(), command[128];
    build(&fixture, names, true, 0);
    assert_true(sweep_allocations(read_job, &fixture) >= 10);
    assert_true(sweep_allocations(write_job, scratch) >= 10);
    snprintf(command, sizeof command, "test \"$(ls '%s')\" = a.zip", scratch);
    assert_int_equal(system(command), 0);
    scratch_remove(scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_every_kind_of_end),
        cmocka_unit_test(test_empty_archive),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_patches),
        cmocka_unit_test(test_wide_sizes),
        cmocka_unit_test(test_any_bit_flipped),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_path_tricks_and_duplicates),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_huge_directory),
        cmocka_unit_test(test_declared_bomb),
        cmocka_unit_test(test_writer),
        cmocka_unit_test(test_writer_is_deterministic),
        cmocka_unit_test(test_writer_deflates_within_reason),
        cmocka_unit_test(test_writer_refuses_names),
        cmocka_unit_test(test_python_archives),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
