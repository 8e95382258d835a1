/* test_arff.c - tables in the attribute-relation file format
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "helper_allocation.h"
#include "io/arff.h"

/* Everything in a file as one text: attributes with their kind and values, then the rows behind their
   line numbers, fields between '|', a missing one as '~'. */
static isg_status read_all(const void *bytes, size_t size, char *out, size_t room) {
    isg_file *file = NULL;
    isg_source *source = NULL;
    isg_arff *arff = NULL;
    isg_status status = ISG_OK;
    size_t length = 0;
    out[0] = '\0';
#define WRITE(...) (length += (size_t)snprintf(out + length, room - length, __VA_ARGS__))
    ISG_TRY_GOTO(isg_file_from_memory(&file, "t.arff", bytes, size));
    ISG_TRY_GOTO(isg_source_create(&source, file, ISG_PLAIN, 0, size));
    ISG_TRY_GOTO(isg_arff_create(&arff, source));
    for (size_t k = 0; k < isg_arff_count(arff); k++) {
        WRITE("%s%s:%c", k ? "|" : "", isg_arff_name(arff, k), "#nt"[isg_arff_kind_of(arff, k)]);
        for (size_t v = 0; v < isg_arff_value_count(arff, k); v++)
            WRITE("%c%s", v ? ',' : '=', isg_arff_value(arff, k, v));
    }
    for (;;) {
        bool has_row = false;
        ISG_TRY_GOTO(isg_arff_next(arff, &has_row));
        if (!has_row)
            break;
        WRITE("; %zu:", isg_arff_line(arff));
        for (size_t k = 0; k < isg_arff_count(arff); k++) {
            const char *field = isg_arff_field(arff, k);
            WRITE("%s%s", k ? "|" : "", field ? field : "~");
        }
        assert_true(length < room);
    }
#undef WRITE
done:
    isg_arff_free(arff);
    isg_source_free(source);
    isg_file_close(file);
    return status;
}

#define HEAD "@attribute a numeric\n@attribute b {y, n}\n@attribute c string\n@data\n"
#define READ "a:#|b:n=n,y|c:t"

static void test_accepted(void **state) {
    (void)state;
    static const struct {
        const char *text, *found;
    } cases[] = {
        {"@relation r\n" HEAD, READ},
        {HEAD "1,y,x", READ "; 5:1|y|x"},
        {"\xef\xbb\xbf" HEAD "1,y,x\r\n", READ "; 5:1|y|x"},
        {"% c\n\n \t% c\n@RELATION 'a b' c\n" HEAD "%\n\n-1e3 , y,\tx % c\n", READ "; 11:-1e3|y|x"},
        {HEAD "1 y x\n2\tn\tx\n", READ "; 5:1|y|x; 6:2|n|x"},
        {HEAD "?,?,?\n1,y,'?'\n", READ "; 5:~|~|~; 6:1|y|?"},
        {HEAD "'1','y','a, b {%} \"'\n1,\"n\",\"it's\"\n", READ "; 5:1|y|a, b {%} \"; 6:1|n|it's"},
        {HEAD "1,y,'it\\'s'\n1,y,\"\\\"\\\\\\n\\t\\%\"\n", READ "; 5:1|y|it's; 6:1|y|\"\\\n\t%"},
        {HEAD "1,y,''\n", READ "; 5:1|y|"},
        {HEAD "{}\n{0 5,1 n}\n{ 1 n , 2 'x y' } % c\n{2 ?}\n",
         READ "; 5:0|y|~; 6:5|n|~; 7:0|n|x y; 8:0|y|~"},
        {"@attribute 'a b'{z,'x y', \"w\"}\n@attribute \"q'\" REAL %\n@attribute r Integer\n"
         "@attribute d date 'yyyy-MM'\n@attribute e Date\n@DATA % c\nz,1,2,3,4\n{}",
         "a b:n=w,x y,z|q':#|r:#|d:t|e:t; 7:z|1|2|3|4; 8:z|0|0|~|~"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char found[512];
        if (read_all(cases[k].text, strlen(cases[k].text), found, sizeof found) != ISG_OK)
            fail_msg("\"%s\" was refused: %s", cases[k].text, isg_error_message());
        assert_string_equal(found, cases[k].found);
    }
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "t.arff: expected an ARFF file, but it has no @data"},
        {"@relation r\n@attribute a numeric\n",
         "t.arff: expected an ARFF file, but it has no @data"},
        {"1,2\n", "t.arff: line 1: expected @relation, @attribute or @data, found '1'"},
        {"{1 2}\n", "t.arff: line 1: expected @relation, @attribute or @data, found '{'"},
        {",\n", "t.arff: line 1: expected @relation, @attribute or @data, found ','"},
        {"@data\n", "t.arff: line 1: @data without an @attribute before it"},
        {"\n@attribute\n", "t.arff: line 2: expected a name after @attribute"},
        {"@attribute '' real\n", "t.arff: line 1: expected a name after @attribute"},
        {"@attribute {a} real\n", "t.arff: line 1: expected a name after @attribute"},
        {"@attribute a\n", "t.arff: line 1: expected numeric, real, integer, string, date or "
                           "{values} as the kind of attribute 'a', found ''"},
        {"@attribute a relational\n", "t.arff: line 1: expected numeric, real, integer, string, "
                                      "date or {values} as the kind of attribute 'a', found "
                                      "'relational'"},
        {"@attribute a real {0.5}\n",
         "t.arff: line 1: weights of attributes are not supported; remove the weight"},
        {"@attribute a real b\n",
         "t.arff: line 1: expected the end of the line after an attribute"},
        {"@attribute a {}\n",
         "t.arff: line 1: expected the values of the attribute, as in {yes, no}"},
        {"@attribute a {b,}\n",
         "t.arff: line 1: expected the values of the attribute, as in {yes, no}"},
        {"@attribute a {b,''}\n", "t.arff: line 1: a value is empty; give it a name"},
        {"@attribute a {b c}\n",
         "t.arff: line 1: expected a comma or '}' after a value of the attribute"},
        {"@attribute a {b\n",
         "t.arff: line 1: expected a comma or '}' after a value of the attribute"},
        {"@attribute a {b,c,b}\n", "t.arff: line 1: the value 'b' is declared twice"},
        {"@attribute 'a real\n", "t.arff: line 1: a quote is opened and never closed"},
        {"@attribute 'a\\", "t.arff: line 1: a quote is opened and never closed"},
        {HEAD "1,y,'x'x\n",
         "t.arff: line 5: expected a blank or a comma after a closing quote, found more"},
        {HEAD "1,y,it's\n",
         "t.arff: line 5: a quote inside a word; put the whole word in quotes, \\' inside"},
        {HEAD "1,y,50%\n", "t.arff: line 5: a % inside a word; put the word in quotes"},
        {HEAD "1,y,x\n1,y\n", "t.arff: line 6: expected 3 values, found 2"},
        {HEAD "1,y,x,x\n", "t.arff: line 5: expected 3 values, found more"},
        {HEAD "1,y,\n", "t.arff: line 5: expected a value after the last comma"},
        {HEAD "1,,x\n",
         "t.arff: line 5: expected a value, found a comma or '}'; a missing value is ?"},
        {HEAD "1,y,x,{5}\n",
         "t.arff: line 5: weights of rows are not supported; remove the {weight} at the end"},
        {HEAD "{0 1}, {5}\n",
         "t.arff: line 5: weights of rows are not supported; remove the {weight} at the end"},
        {HEAD "one,y,x\n", "t.arff: line 5: expected a number or ? for attribute 'a', found 'one'"},
        {HEAD "nan,y,x\n", "t.arff: line 5: expected a number or ? for attribute 'a', found 'nan'"},
        {HEAD "1,Y,x\n", "t.arff: line 5: 'Y' is not among the values declared for attribute 'b'"},
        {HEAD "{a 1}\n", "t.arff: line 5: expected a pair 'number value', as in {1 yes, 3 no}"},
        {HEAD "{0 1\n", "t.arff: line 5: expected a comma or '}' after a pair 'number value'"},
        {HEAD "{0 1 2 3}\n", "t.arff: line 5: expected a comma or '}' after a pair 'number value'"},
        {HEAD "{0 1,}\n", "t.arff: line 5: expected a pair 'number value' after the last comma"},
        {HEAD "{0}\n", "t.arff: line 5: attribute 0 has no value"},
        {HEAD "{3 1}\n", "t.arff: line 5: there is no attribute 3; they are numbered from 0 to 2"},
        {HEAD "{1 y,0 1}\n", "t.arff: line 5: attribute 0 is out of order, or given twice"},
        {HEAD "{1 y,1 y}\n", "t.arff: line 5: attribute 1 is out of order, or given twice"},
        {HEAD "{0 1} 2\n", "t.arff: line 5: expected the end of the line after '}'"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char found[512];
        assert_int_equal(read_all(cases[k].text, strlen(cases[k].text), found, sizeof found),
                         ISG_ERR_FORMAT);
        assert_string_equal(isg_error_message(), cases[k].message);
    }
}

static const char sample[] = "@relation 'r'\n@attribute a {y,'n n'}\n@attribute b real\n@data\n"
                             "'n n',1.5\n{1 2}\n";

/* Whatever the cut, nothing is read past it, and a cut row is refused or the last. */
static void test_truncation(void **state) {
    (void)state;
    const size_t size = sizeof sample - 1;
    for (size_t cut = 0; cut <= size; cut++) {
        char found[256], *copy = malloc(cut ? cut : 1);
        assert_non_null(copy);
        memcpy(copy, sample, cut);
        const isg_status status = read_all(copy, cut, found, sizeof found);
        assert_true(status == ISG_OK || status == ISG_ERR_FORMAT);
        if (cut == size)
            assert_string_equal(found, "a:n=n n,y|b:#; 5:n n|1.5; 6:y|2");
        free(copy);
    }
}

/* A line may be far longer than the buffer, up to a limit. */
static void test_long_rows(void **state) {
    (void)state;
    enum { MOST = 16 << 20 };
    char *text = malloc(MOST + 128), *out = malloc(MOST + 128);
    assert_true(text && out);
    static const char head[] = "@attribute s string\n@data\n";
    const size_t length = sizeof head - 1;
    memcpy(text, head, length);
    memset(text + length, 'x', MOST + 1);
    text[length] = text[length + MOST - 1] = '\'';
    assert_int_equal(read_all(text, length + MOST, out, MOST + 128), ISG_OK);
    assert_int_equal(strlen(out), strlen("s:t; 3:") + MOST - 2);
    assert_int_equal(read_all(text, length + MOST + 1, out, MOST + 128), ISG_ERR_FORMAT);
    assert_string_equal(isg_error_message(), "t.arff: line 3: longer than 16777216 bytes");
    free(text);
    free(out);
}

static isg_status read_sample(void *user) {
    (void)user;
    char found[256];
    return read_all(sample, sizeof sample - 1, found, sizeof found);
}

static void test_allocation_failures(void **state) {
    (void)state;
    assert_true(sweep_allocations(read_sample, NULL) > 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_long_rows),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
