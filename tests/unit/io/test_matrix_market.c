/* test_matrix_market.c - matrices in the exchange format of NIST
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "helper_allocation.h"
#include "io/matrix_market.h"

/* Everything in a file as one text: "3x2 general real: 1,1=5 2,1=0.5 ". */
static isg_status read_all(const void *bytes, size_t size, char *out, size_t room) {
    isg_file *file = NULL;
    isg_source *source = NULL;
    isg_matrix_market *market = NULL;
    isg_matrix_market_shape shape;
    isg_status status = ISG_OK;
    out[0] = '\0';
    ISG_TRY_GOTO(isg_file_from_memory(&file, "t.mtx", bytes, size));
    ISG_TRY_GOTO(isg_source_create(&source, file, ISG_PLAIN, 0, size));
    ISG_TRY_GOTO(isg_matrix_market_create(&market, source, &shape));
    size_t length =
        (size_t)snprintf(out, room, "%zux%zu/%zu %s %s:", shape.rows, shape.cols, shape.entries,
                         shape.is_coordinate  ? shape.is_symmetric ? "sparse symmetric" : "sparse"
                         : shape.is_symmetric ? "dense symmetric"
                                              : "dense",
                         shape.is_pattern   ? "pattern"
                         : shape.is_integer ? "integer"
                                            : "real");
    for (bool has_entry = true;;) {
        size_t row = 0, col = 0;
        double value = 0.0;
        ISG_TRY_GOTO(isg_matrix_market_next(market, &row, &col, &value, &has_entry));
        if (!has_entry)
            break;
        assert_true(row < shape.rows && col < shape.cols);
        length += (size_t)snprintf(out + length, room - length, " %zu,%zu=%.17g", row, col, value);
        assert_true(length < room);
    }
done:
    isg_matrix_market_free(market);
    isg_source_free(source);
    isg_file_close(file);
    return status;
}

#define BANNER(what) "%%MatrixMarket matrix " what "\n"

static void test_accepted(void **state) {
    (void)state;
    static const struct {
        const char *text, *content;
    } cases[] = {
        {BANNER("coordinate real general") "2 3 2\n1 1 5\n2 3 -0.5\n",
         "2x3/2 sparse real: 0,0=5 1,2=-0.5"},
        {"%%matrixmarket MATRIX Coordinate REAL General\r\n% c\r\n\r\n%\r\n 2\t3 1 \r\n\t2 3  1e2 "
         "\r\n",
         "2x3/1 sparse real: 1,2=100"},
        {BANNER("coordinate pattern general") "2 2 2\n1 2\n1 2",
         "2x2/2 sparse pattern: 0,1=1 0,1=1"},
        {BANNER("coordinate integer symmetric") "2 2 2\n1 1 +7\n2 1 -3\n\n \n",
         "2x2/2 sparse symmetric integer: 0,0=7 1,0=-3 0,1=-3"},
        {BANNER("coordinate pattern symmetric") "3 3 1\n3 1\n",
         "3x3/1 sparse symmetric pattern: 2,0=1 0,2=1"},
        {BANNER("coordinate unsigned-integer general") "1 1 1\n1 1 18446744073709551615\n",
         "1x1/1 sparse integer: 0,0=1.8446744073709552e+19"},
        {BANNER("array double general") "2 2\n1.5\n\n.25\n-3.\n1e-3\n",
         "2x2/4 dense real: 0,0=1.5 1,0=0.25 0,1=-3 1,1=0.001"},
        {BANNER("array integer general") "1 3\n1\n-2\n3\n",
         "1x3/3 dense integer: 0,0=1 0,1=-2 0,2=3"},
        {BANNER("array real symmetric") "3 3\n11\n21\n31\n22\n32\n33\n",
         "3x3/6 dense symmetric real: 0,0=11 1,0=21 0,1=21 2,0=31 0,2=31 1,1=22 2,1=32 1,2=32 "
         "2,2=33"},
        {BANNER("coordinate real general") "0 0 0\n", "0x0/0 sparse real:"},
        {BANNER("coordinate real general") "5 0 0", "5x0/0 sparse real:"},
        {BANNER("array real symmetric") "0 0\n", "0x0/0 dense symmetric real:"},
        {BANNER("array real general") "3 0\n", "3x0/0 dense real:"},
    };
    char found[4096];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        if (read_all(cases[k].text, strlen(cases[k].text), found, sizeof found) != ISG_OK)
            fail_msg("%s was refused: %s", cases[k].text, isg_error_message());
        assert_string_equal(found, cases[k].content);
    }
}

static void expect_refused(const void *bytes, size_t size, const char *message) {
    char found[4096];
    const isg_status status = read_all(bytes, size, found, sizeof found);
    assert_string_equal(isg_error_message(), message);
    assert_int_equal(status, ISG_ERR_FORMAT);
}

static void test_refused_headers(void **state) {
    (void)state;
#define NO_BANNER "t.mtx: expected a Matrix Market file, which begins with %%MatrixMarket"
#define NO_SIZES  "t.mtx: line 2: expected rows, columns and entries, as whole numbers"
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", NO_BANNER},
        {"\n", NO_BANNER},
        {"1 2 3\n", NO_BANNER},
        {"%MatrixMarket matrix array real general\n1 1\n1\n", NO_BANNER},
        {"%%MatrixMarketX matrix array real general\n1 1\n1\n", NO_BANNER},
        {"%%MatrixMarket matrix array real\n",
         "t.mtx: line 1: expected five words: %%MatrixMarket matrix FORMAT FIELD SYMMETRY"},
        {"%%MatrixMarket matrix array real general more\n",
         "t.mtx: line 1: expected five words: %%MatrixMarket matrix FORMAT FIELD SYMMETRY"},
        {"%%MatrixMarket vector array real general\n",
         "t.mtx: line 1: expected matrix, found \"vector\""},
        {BANNER("dense real general"),
         "t.mtx: line 1: expected coordinate or array, found \"dense\""},
        {BANNER("array complex general"),
         "t.mtx: line 1: expected real, integer or pattern, found \"complex\""},
        {BANNER("array real Hermitian"),
         "t.mtx: line 1: expected general or symmetric, found \"Hermitian\""},
        {BANNER("array real skew-symmetric"),
         "t.mtx: line 1: expected general or symmetric, found \"skew-symmetric\""},
        {BANNER("array pattern general"),
         "t.mtx: line 1: a pattern must be in coordinate format, not array"},
        {BANNER("array real general"), "t.mtx: ends before the line of sizes"},
        {BANNER("array real general") "% only\n\n", "t.mtx: ends before the line of sizes"},
        {BANNER("coordinate real general") "2 2\n", NO_SIZES},
        {BANNER("coordinate real general") "2 2 1 1\n", NO_SIZES},
        {BANNER("coordinate real general") "2 -2 1\n", NO_SIZES},
        {BANNER("coordinate real general") "2 2.0 1\n", NO_SIZES},
        {BANNER("coordinate real general") "2 99999999999999999999 1\n", NO_SIZES},
        {BANNER("array real general") "1 1 1\n1\n",
         "t.mtx: line 2: expected rows and columns, as whole numbers"},
        {BANNER("coordinate real general") "4294967296 4294967296 0\n",
         "t.mtx: line 2: 4294967296 rows of 4294967296 columns are too many"},
        {BANNER("coordinate real symmetric") "2 3 0\n",
         "t.mtx: line 2: a symmetric matrix must be square, found 2 rows and 3 columns"},
        {BANNER("coordinate real general") "9 9 3\n1 1 1\n2 2 2",
         "t.mtx: line 2: promises 3 entries of at least 6 bytes each, but at most 11 bytes can "
         "follow"},
        {BANNER("coordinate pattern general") "9 9 1000000000000\n1 1\n",
         "t.mtx: line 2: promises 1000000000000 entries of at least 4 bytes each, but at most 4 "
         "bytes can follow"},
        {BANNER("array real general") "4000000000 4000000000\n1\n",
         "t.mtx: line 2: promises 16000000000000000000 entries of at least 2 bytes each, but at "
         "most 2 bytes can follow"},
        {BANNER("array real symmetric") "4000000000 4000000000\n1\n",
         "t.mtx: line 2: promises 8000000002000000000 entries of at least 2 bytes each, but at "
         "most 2 bytes can follow"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        expect_refused(cases[k].text, strlen(cases[k].text), cases[k].message);
}

static void test_refused_entries(void **state) {
    (void)state;
#define SPARSE BANNER("coordinate real general") "2 3 2\n1 1 5\n"
#define WHOLE  BANNER("array integer general") "2 1\n1\n"
    static const struct {
        const char *text, *message;
    } cases[] = {
        {SPARSE "2 3 0,5\n", "t.mtx: line 4: row 2, column 3: expected a number, found \"0,5\""},
        {SPARSE "2 3 0x5\n", "t.mtx: line 4: row 2, column 3: expected a number, found \"0x5\""},
        {SPARSE "2 3 nan\n", "t.mtx: line 4: row 2, column 3 is not finite: \"nan\""},
        {SPARSE "2 3 -Inf\n", "t.mtx: line 4: row 2, column 3 is not finite: \"-Inf\""},
        {SPARSE "2 3 1e999\n", "t.mtx: line 4: row 2, column 3 is not finite: \"1e999\""},
        {SPARSE "3 3 1\n", "t.mtx: line 4: expected a row from 1 to 2, found \"3\""},
        {SPARSE "0 3 1\n", "t.mtx: line 4: expected a row from 1 to 2, found \"0\""},
        {SPARSE "2 4 1\n", "t.mtx: line 4: expected a column from 1 to 3, found \"4\""},
        {SPARSE "2 -1 1\n", "t.mtx: line 4: expected a column from 1 to 3, found \"-1\""},
        {SPARSE "2 2       \n",
         "t.mtx: line 4: expected a row, a column and a value, and nothing else"},
        {SPARSE "2 2 1 1\n",
         "t.mtx: line 4: expected a row, a column and a value, and nothing else"},
        {SPARSE "% a comment\n2 2 1\n", "t.mtx: line 4: expected a row from 1 to 2, found \"%\""},
        {SPARSE "\n2 2 1\n\n1 1 1\n",
         "t.mtx: line 7: expected the end after 2 entries, found more"},
        {SPARSE "2 2 1\nend\n", "t.mtx: line 5: expected the end after 2 entries, found more"},
        {SPARSE "2 2 1\rend\n",
         "t.mtx: line 4: row 2, column 2: expected a number, found \"1?end\""},
        {SPARSE "\n\n\n\n\n\n", "t.mtx: expected 2 entries, found 1"},
        {WHOLE "1.5\n", "t.mtx: line 4: row 2, column 1: expected a whole number, found \"1.5\""},
        {WHOLE "1e2\n", "t.mtx: line 4: row 2, column 1: expected a whole number, found \"1e2\""},
        {WHOLE "-\n", "t.mtx: line 4: row 2, column 1: expected a whole number, found \"-\""},
        {WHOLE "nan\n", "t.mtx: line 4: row 2, column 1 is not finite: \"nan\""},
        {WHOLE "1 2\n", "t.mtx: line 4: expected one value, found more"},
        {WHOLE "  \n", "t.mtx: expected 2 entries, found 1"},
        {BANNER("coordinate unsigned-integer general") "1 1 1\n1 1 -1\n",
         "t.mtx: line 3: row 1, column 1: expected a whole number without a sign, found \"-1\""},
        {BANNER("coordinate pattern general") "2 2 1\n1 1 1\n",
         "t.mtx: line 3: expected a row and a column, and nothing else"},
        {BANNER("coordinate real symmetric") "2 2 1\n1 2 5\n",
         "t.mtx: line 3: row 1, column 2 is above the diagonal, where a symmetric file has no "
         "entries"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        expect_refused(cases[k].text, strlen(cases[k].text), cases[k].message);
    static const char zero[] = SPARSE "2 3\0001\n";
    expect_refused(zero, sizeof zero - 1, "t.mtx: line 4: a NUL byte, so this is not text");
}

/* Lines of the largest length pass, and longer ones do not, wherever the buffer ends; and so do as
   many blank lines as are allowed. */
static void test_long_lines(void **state) {
    (void)state;
    enum { MOST = 1 << 16, SIZE = 8 * MOST };
    static const char head[] = BANNER("array real general"), tail[] = "\r\n1 1\n5\n";
    char *text = malloc(SIZE), found[256];
    assert_non_null(text);
    memcpy(text, head, sizeof head - 1);
    for (size_t comments = 1; comments < 4; comments++) {
        for (size_t extra = 0; extra < 2; extra++) {
            char *next = text + sizeof head - 1;
            for (size_t k = 1; k <= comments; k++) {
                if (k > 1)
                    *next++ = '\n';
                const size_t length = MOST + (k == comments ? extra : 0);
                memset(next, '%', length);
                next += length;
            }
            memcpy(next, tail, sizeof tail);
            const size_t size = (size_t)(next - text) + sizeof tail - 1;
            char message[64];
            snprintf(message, sizeof message, "t.mtx: line %zu: longer than 65536 bytes",
                     comments + 1);
            if (extra)
                expect_refused(text, size, message);
            else
                assert_int_equal(read_all(text, size, found, sizeof found), ISG_OK);
        }
    }
    memset(text + sizeof head - 1, '\n', SIZE - sizeof head);
    memcpy(text + sizeof head - 1 + MOST, tail, sizeof tail);
    assert_int_equal(read_all(text, sizeof head + MOST + sizeof tail - 2, found, sizeof found),
                     ISG_ERR_FORMAT); /* the first line end of the tail is one too many */
    assert_string_equal(isg_error_message(),
                        "t.mtx: line 65538: more than 65536 blank lines end here");
    memcpy(text + sizeof head - 1 + MOST - 1, tail, sizeof tail);
    assert_int_equal(read_all(text, sizeof head + MOST + sizeof tail - 3, found, sizeof found),
                     ISG_OK);
    memset(text + sizeof head - 1, 'x', SIZE - sizeof head + 1);
    expect_refused(text, SIZE, "t.mtx: line 2: longer than 65536 bytes");
    memset(text, 'x', SIZE);
    expect_refused(text, SIZE, "t.mtx: line 1: longer than 65536 bytes");
    free(text);
}

/* A number in every position, over many buffers. */
static void test_large(void **state) {
    (void)state;
    enum { ROWS = 997, COLS = 61, SIZE = ROWS * COLS * 12 + 100 };
    char *text = malloc(SIZE);
    assert_non_null(text);
    size_t size = (size_t)sprintf(text, "%s%d %d\n", BANNER("array real general"), ROWS, COLS);
    for (size_t k = 0; k < (size_t)ROWS * COLS; k++)
        size += (size_t)sprintf(text + size, "%zu.5\n", k);
    isg_file *file = NULL;
    isg_source *source = NULL;
    isg_matrix_market *market = NULL;
    isg_matrix_market_shape shape;
    assert_int_equal(isg_file_from_memory(&file, "t.mtx", text, size), ISG_OK);
    assert_int_equal(isg_source_create(&source, file, ISG_PLAIN, 0, size), ISG_OK);
    assert_int_equal(isg_matrix_market_create(&market, source, &shape), ISG_OK);
    size_t row = 0, col = 0;
    double value = 0.0;
    bool has_entry = false;
    for (size_t k = 0; k < (size_t)ROWS * COLS; k++) {
        assert_int_equal(isg_matrix_market_next(market, &row, &col, &value, &has_entry), ISG_OK);
        assert_true(has_entry && row == k % ROWS && col == k / ROWS && value == (double)k + 0.5);
    }
    for (int again = 0; again < 2; again++) {
        assert_int_equal(isg_matrix_market_next(market, &row, &col, &value, &has_entry), ISG_OK);
        assert_false(has_entry);
    }
    isg_matrix_market_free(market);
    isg_source_free(source);
    isg_file_close(file);
    free(text);
}

/* Every cut is refused, but for one inside the last number or behind it. */
static void test_truncation(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t last; /* bytes at the end that may be missing */
    } cases[] = {
        {BANNER("coordinate real general") "% by hand\n2 3 2\n1 1 5\n2 3 -0.5\r\n", 4},
        {BANNER("coordinate pattern general") "12 12 2\n1 1\n12 12\n", 2},
        {BANNER("array integer symmetric") "2 2\n1\n\n2\n345\n", 3},
    };
    char found[256];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const size_t size = strlen(cases[k].text);
        for (size_t cut = 0; cut < size; cut++) {
            char *copy =
                malloc(cut ? cut : 1); /* on its own, so that a read past the end is seen */
            assert_non_null(copy);
            memcpy(copy, cases[k].text, cut);
            const isg_status status = read_all(copy, cut, found, sizeof found);
            assert_int_equal(status, size - cut <= cases[k].last ? ISG_OK : ISG_ERR_FORMAT);
            free(copy);
        }
    }
}

static isg_status read_symmetric(void *user) {
    static const char text[] = BANNER("array real symmetric") "2 2\n1\n2\n3\n";
    char found[256];
    (void)user;
    return read_all(text, sizeof text - 1, found, sizeof found);
}

static void test_allocation_failures(void **state) {
    (void)state;
    assert_true(sweep_allocations(read_symmetric, NULL) > 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_refused_headers),
        cmocka_unit_test(test_refused_entries),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
