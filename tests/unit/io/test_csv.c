/* test_csv.c - rows of text fields between separators
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "helper_allocation.h"
#include "io/csv.h"

/* Everything in a file as one text: fields between '|', each row behind its line number. */
static isg_status read_all(const void *bytes, size_t size, isg_packing packing, char separator,
                           char *out, size_t room) {
    isg_file *file = NULL;
    isg_source *source = NULL;
    isg_csv *csv = NULL;
    isg_status status = ISG_OK;
    size_t length = 0;
    out[0] = '\0';
    ISG_TRY_GOTO(isg_file_from_memory(&file, "t.csv", bytes, size));
    ISG_TRY_GOTO(isg_source_create(&source, file, packing, 0, size));
    ISG_TRY_GOTO(isg_csv_create(&csv, source, separator ? separator : ','));
    if (!separator)
        ISG_TRY_GOTO(isg_csv_allow_semicolons(csv));
    for (bool has_row = true;;) {
        ISG_TRY_GOTO(isg_csv_next(csv, &has_row));
        if (!has_row)
            break;
        length += (size_t)snprintf(out + length, room - length, "%zu:", isg_csv_line(csv));
        for (size_t k = 0; k < isg_csv_count(csv); k++) {
            length += (size_t)snprintf(out + length, room - length, "%s%s", k ? "|" : "",
                                       isg_csv_field(csv, k));
            assert_true(length < room);
        }
        length += (size_t)snprintf(out + length, room - length, ";");
        assert_true(length < room);
    }
done:
    isg_csv_free(csv);
    isg_source_free(source);
    isg_file_close(file);
    return status;
}

static void expect_rows(const char *text, const char *rows) {
    char found[4096];
    if (read_all(text, strlen(text), ISG_PLAIN, ',', found, sizeof found) != ISG_OK)
        fail_msg("\"%s\" was refused: %s", text, isg_error_message());
    assert_string_equal(found, rows);
}

static void test_accepted(void **state) {
    (void)state;
    static const struct {
        const char *text, *rows;
    } cases[] = {
        {"", ""},
        {"\n", ""},
        {"\n\r\n\n", ""},
        {"a", "1:a;"},
        {"a\n", "1:a;"},
        {"a,b\r\nc,d", "1:a|b;2:c|d;"},
        {"a,b\nc,d\r\n", "1:a|b;2:c|d;"},
        {"a,\n,b\n,\n", "1:a|;2:|b;3:|;"},
        {"a,", "1:a|;"},
        {",", "1:|;"},
        {"a\n\n\n", "1:a;"},
        {"a\n\n\nb\n\n", "1:a;2:;3:;4:b;"},
        {"\n\na\n\nb", "1:;2:;3:a;4:;5:b;"},
        {"\"\"\n\"\"", "1:;2:;"},
        {" a , b \n \n", "1: a | b ;2: ;"},
        {"\"a,b\",\"c\"\"d\"\n", "1:a,b|c\"d;"},
        {"\"\"\"\"\n", "1:\";"},
        {"\"a\nb\r\nc\",d\ne\n", "1:a\nb\r\nc|d;4:e;"},
        {"\"a\rb\"\n", "1:a\rb;"},
        {"\"a\",\"\",b\r\n", "1:a||b;"},
        {"\xef\xbb\xbf"
         "a,b\n",
         "1:a|b;"},
        {"\xef\xbb\xbf\"a\"\n", "1:a;"},
        {"\xef\xbb\xbf", ""},
        {"a,\xef\xbb\xbf\n", "1:a|\xef\xbb\xbf;"},
        {"\xc3\xa4,\xff\n", "1:\xc3\xa4|\xff;"},
        {"a;b\tc\n", "1:a;b\tc;"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        expect_rows(cases[k].text, cases[k].rows);
    char found[64];
    assert_int_equal(read_all("a\tb,c\n", 6, ISG_PLAIN, '\t', found, sizeof found), ISG_OK);
    assert_string_equal(found, "1:a|b,c;");
    /* a separator may be any byte, signed char or not */
    assert_int_equal(read_all("a\xfe"
                              "b\n",
                              4, ISG_PLAIN, (char)0xfe, found, sizeof found),
                     ISG_OK);
    assert_string_equal(found, "1:a|b;");
}

/* The first line decides for the file. */
static void test_semicolons(void **state) {
    (void)state;
    static const struct {
        const char *text, *rows;
    } cases[] = {
        {"", ""},
        {";", "1:|;"},
        {"a;b\n1;2,5\n", "1:a|b;2:1|2,5;"},
        {"\xef\xbb\xbf"
         "a;b\n",
         "1:a|b;"},
        {"a;b,c\n1;2\n", "1:a;b|c;2:1;2;"},
        {"a\n1;2\n", "1:a;2:1;2;"},
        {"a\n1;2,3\n", "1:a;2:1;2|3;"},
        {"\"a,b\";c\n", "1:a,b|c;"},
        {"\"a;b\",c\n", "1:a;b|c;"},
        {"\"a;b\"\nc;d\n", "1:a;b;2:c;d;"},
        {"\"a\"\"\n,\";b\n", "1:a\"\n,|b;"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char found[256];
        assert_int_equal(
            read_all(cases[k].text, strlen(cases[k].text), ISG_PLAIN, '\0', found, sizeof found),
            ISG_OK);
        assert_string_equal(found, cases[k].rows);
    }
}

static void expect_refused(const void *bytes, size_t size, const char *message) {
    char found[4096];
    assert_int_equal(read_all(bytes, size, ISG_PLAIN, ',', found, sizeof found), ISG_ERR_FORMAT);
    assert_string_equal(isg_error_message(), message);
}

static void test_refused(void **state) {
    (void)state;
#define STRAY "a quote inside an unquoted field; quote the whole field and double the quote"
#define JUNK  "expected a separator or the end of the line after a closing quote, found more"
#define ALONE "a carriage return without a line feed; lines must end in LF or CRLF"
#define ZERO  "a NUL byte, so this is not text, or it is UTF-16 (convert it to UTF-8)"
#define OPEN  "a quote is opened here and never closed"
    static const struct {
        const char *text;
        size_t size;
        const char *message;
    } cases[] = {
        {"a\nb\"c\n", 6, "t.csv: line 2: " STRAY},
        {"a, \"c\"\n", 7, "t.csv: line 1: " STRAY},
        {"a\n\"b\"c\n", 7, "t.csv: line 2: " JUNK},
        {"\"b\" ,c\n", 7, "t.csv: line 1: " JUNK},
        {"\"b\nb\n\"x\n", 8, "t.csv: line 3: " JUNK},
        {"a\rb\n", 4, "t.csv: line 1: " ALONE},
        {"a\nb\r", 4, "t.csv: line 2: " ALONE},
        {"a\r\r\n", 4, "t.csv: line 1: " ALONE},
        {"\"a\"\rb", 5, "t.csv: line 1: " ALONE},
        {"a\nb\n\"", 5, "t.csv: line 3: " OPEN},
        {"a\nb,\"x\n\n\ny", 10, "t.csv: line 2: " OPEN},
        {"\"a\"\"", 4, "t.csv: line 1: " OPEN},
        {"a\n\n\nb\0", 6, "t.csv: line 4: " ZERO},
        {"\"a\n\0\"", 5, "t.csv: line 2: " ZERO},
        {"\xff\xfe"
         "a\0,\0b\0",
         8, "t.csv: line 1: " ZERO},
        {"\0", 1, "t.csv: line 1: " ZERO},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        expect_refused(cases[k].text, cases[k].size, cases[k].message);
}

/* A row that spans many chunks, with quotes and line ends on every chunk boundary in turn. */
static void test_chunks(void **state) {
    (void)state;
    static const char piece[] = "1,\"a\"\"\r\nb\",,x\r\n";
    enum { PIECE = sizeof piece - 1, COPIES = 20000 };
    char *text = malloc(PIECE * COPIES + 64);
    assert_non_null(text);
    for (size_t shift = 0; shift < PIECE; shift++) {
        memset(text, 'z', shift + 1);
        text[shift + 1] = '\n';
        for (size_t k = 0; k < COPIES; k++)
            memcpy(text + shift + 2 + k * PIECE, piece, PIECE);
        const size_t size = shift + 2 + PIECE * COPIES;
        isg_file *file = NULL;
        isg_source *source = NULL;
        isg_csv *csv = NULL;
        bool has_row = false;
        assert_int_equal(isg_file_from_memory(&file, "t.csv", text, size), ISG_OK);
        assert_int_equal(isg_source_create(&source, file, ISG_PLAIN, 0, size), ISG_OK);
        assert_int_equal(isg_csv_create(&csv, source, ','), ISG_OK);
        assert_int_equal(isg_csv_next(csv, &has_row), ISG_OK);
        for (size_t k = 0; k < COPIES; k++) {
            assert_int_equal(isg_csv_next(csv, &has_row), ISG_OK);
            assert_true(has_row && isg_csv_count(csv) == 4 && isg_csv_line(csv) == 2 + 2 * k);
            assert_string_equal(isg_csv_field(csv, 0), "1");
            assert_string_equal(isg_csv_field(csv, 1), "a\"\r\nb");
            assert_string_equal(isg_csv_field(csv, 2), "");
            assert_string_equal(isg_csv_field(csv, 3), "x");
        }
        for (int again = 0; again < 2; again++) {
            assert_int_equal(isg_csv_next(csv, &has_row), ISG_OK);
            assert_false(has_row);
        }
        isg_csv_free(csv);
        isg_source_free(source);
        isg_file_close(file);
    }
    free(text);
}

/* The largest field and row pass, one byte more does not, wherever the chunks end. */
static void test_limits(void **state) {
    (void)state;
    enum { FIELD = 1 << 16, FIELDS = 1 << 20, SIZE = 17 << 20 };
    char *text = malloc(SIZE), *out = malloc(2 * SIZE);
    assert_true(text && out);
    memset(text, 'a', SIZE);
    text[0] = '\n', text[1] = ',';
    assert_int_equal(read_all(text, 2 + FIELD, ISG_PLAIN, ',', out, SIZE), ISG_OK);
    expect_refused(text, 3 + FIELD, "t.csv: line 2: a field longer than 64 KiB");
    expect_refused(text, SIZE, "t.csv: line 2: a field longer than 64 KiB");
    memset(text, ',', SIZE);
    assert_int_equal(read_all(text, FIELDS - 1, ISG_PLAIN, ',', out, SIZE), ISG_OK);
    expect_refused(text, FIELDS, "t.csv: line 1: more than 1048576 fields");
    memset(text, 'a', SIZE);
    for (size_t k = 999; k < SIZE; k += 1000)
        text[k] = ',';
    assert_int_equal(read_all(text, (15 << 20) - 1, ISG_PLAIN, ',', out, 2 * SIZE), ISG_OK);
    expect_refused(text, 15 << 20, "t.csv: line 1: a row longer than 15 MiB");
    expect_refused(text, SIZE, "t.csv: line 1: a row longer than 15 MiB");
    memset(text, '\n', SIZE);
    text[0] = 'a';
    assert_int_equal(read_all(text, 2 + (1 << 16), ISG_PLAIN, ',', out, SIZE), ISG_OK);
    assert_string_equal(out, "1:a;");
    expect_refused(text, 3 + (1 << 16), "t.csv: line 2: more than 65536 blank lines begin here");
    free(text);
    free(out);
}

static size_t pack(const char *text, uint8_t *out, size_t room) {
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)text; /* zlib does not write there */
    z.avail_in = (uInt)strlen(text);
    z.next_out = out;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    const size_t size = (size_t)z.total_out;
    deflateEnd(&z);
    return size;
}

static void test_gzip(void **state) {
    (void)state;
    uint8_t packed[256];
    char found[256];
    const size_t size = pack("a,b\n1,2\n", packed, sizeof packed);
    assert_int_equal(read_all(packed, size, ISG_GZIP, ',', found, sizeof found), ISG_OK);
    assert_string_equal(found, "1:a|b;2:1|2;");
    packed[size - 5] ^= 1; /* the checksum */
    assert_int_equal(read_all(packed, size, ISG_GZIP, ',', found, sizeof found), ISG_ERR_FORMAT);
    for (size_t cut = 0; cut < size; cut++)
        assert_int_equal(read_all(packed, cut, ISG_GZIP, ',', found, sizeof found), ISG_ERR_FORMAT);
}

static const char sample[] = "\xef\xbb\xbfname,x\r\n\"a \"\"b\"\"\n,\",1\r\n\r\nc,2.5\r\n\r\n";

/* Whatever the cut, the rows before it stay what they are. */
static void test_truncation(void **state) {
    (void)state;
    char whole[256], part[256];
    const size_t size = sizeof sample - 1;
    assert_int_equal(read_all(sample, size, ISG_PLAIN, ',', whole, sizeof whole), ISG_OK);
    assert_string_equal(whole, "1:name|x;2:a \"b\"\n,|1;4:;5:c|2.5;");
    for (size_t cut = 0; cut < size; cut++) {
        char *copy = malloc(cut ? cut : 1); /* on its own, so that a read past the end is seen */
        assert_non_null(copy);
        memcpy(copy, sample, cut);
        const isg_status status = read_all(copy, cut, ISG_PLAIN, ',', part, sizeof part);
        assert_true(status == ISG_OK || status == ISG_ERR_FORMAT);
        const char *last = strrchr(part, ';'); /* of a cut row even the last field may be short */
        size_t kept = last && cut > 3 ? (size_t)(last - part) : 0;
        while (kept > 0 && part[kept - 1] != ';')
            kept--;
        assert_memory_equal(part, whole, kept);
        free(copy);
    }
}

static isg_status read_commas(void *user) {
    char text[200], found[1024];
    (void)user;
    memset(text, ',', sizeof text); /* the array of fields grows a few times */
    return read_all(text, sizeof text, ISG_PLAIN, ',', found, sizeof found);
}

static void test_allocation_failures(void **state) {
    (void)state;
    assert_true(sweep_allocations(read_commas, NULL) > 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),   cmocka_unit_test(test_semicolons),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_limits),     cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_truncation), cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
