/* test_table.c - tables as users have them: row names, words, missing values, labels joined by id
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include "base/bits.h"
#include "helper_allocation.h"
#include "helper_scratch.h"

/* All that a data set holds, as a text: the units, then the samples with their ids, labels and spins:
   "a b; x:B +-; y:? ++". */
static const char *told(const isg_dataset *data) {
    static char text[4096];
    size_t used = 0;
    const isg_dataset_info info = isg_dataset_describe(data);
    const uint32_t *labels = isg_dataset_labels(data);
#define WRITE(...) (used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__))
    text[0] = '\0';
    for (size_t i = 0; i < info.n_visible; i++) {
        const char *name = isg_encoding_unit_name(isg_dataset_encoding(data), i);
        if (name)
            WRITE("%s%s", i ? " " : "", name);
    }
    for (size_t a = 0; a < info.n_samples; a++) {
        const char *id = isg_dataset_sample_id(data, a);
        WRITE("%s%s", used ? "; " : "", id ? id : "");
        if (labels)
            WRITE(":%s",
                  labels[a] == ISG_UNLABELLED ? "?" : isg_dataset_class_name(data, labels[a]));
        WRITE("%s", id || labels ? " " : "");
        const uint64_t *missing = isg_dataset_missing(data, a);
        for (size_t i = 0; i < info.n_visible; i++)
            WRITE("%c", missing && isg_bit(missing, i)         ? '?'
                        : isg_bit(isg_dataset_row(data, a), i) ? '+'
                                                               : '-');
    }
#undef WRITE
    assert_true(used < sizeof text);
    return text;
}

static isg_dataset *load(const char *name, const char *text, const isg_dataset_options *options) {
    isg_dataset *data = NULL;
    if (isg_dataset_load_memory(&data, name, text, strlen(text), options, NULL) != ISG_OK)
        fail_msg("\"%s\": %s", text, isg_error_message());
    return data;
}

static void tables(void **state) {
    (void)state;
    static const struct {
        const char *name, *text, *found;
        isg_dataset_options options;
    } cases[] = {
#define WITH .options =
        {"x.csv", "a,b\n1,0\n", "a b; +-", WITH{0}},
        {"x.csv", "1,0\n", "+-", WITH{0}},
        {"x.csv", " a ; b\n 1;0 \n", "a b; +-", WITH{0}},
        {"x.csv", "row,id,class,a,b\n0,s,A,1,0\n1,t,,0,1\n", "a b; s +-; t -+", WITH{0}},
        {"x.csv", "row,id,class,a,b\n0,,A,1,0\n1,,B,0,1\n", "a b; :A +-; :B -+",
         WITH{.label_column = "class"}},
        {"x.csv", "row,id,class,a\n7,5,A,1\n", "a; 7:A +",
         WITH{.label_column = "class", .id_column = "row"}},
        {"x.csv", "row,id,a\n7,5,1\n", "row id a; +++", WITH{0}},
        /* row names: pandas, R, by name, by number */
        {"x.csv", ",a,b\nx,1,0\ny,0,1\n", "a b; x +-; y -+", WITH{0}},
        {"x.csv", "\"\",\"a\",\"b\"\n\"x\",1,0\n", "a b; x +-", WITH{0}},
        {"x.tsv", "a\tb\nx\t1\t0\ny\t0\t1\n", "a b; x +-; y -+", WITH{0}},
        {"x.csv", ",a\n0,1\n1,0\n", "a; 0 +; 1 -", WITH{0}},
        {"x.csv", ",0,1\n0,1,1\n", "0 1; 0 ++", WITH{.header = ISG_HEADER_YES}},
        {"x.csv", "a,id,b\n1,x,0\n0,y,0\n", "a b; x +-; y --", WITH{.id_column = "id"}},
        {"x.csv", "x,1,0\ny,0,0\n", "x +-; y --", WITH{.id_column = "1"}},
        {"x.csv", "1,0,x\n0,0,y\n", "x +-; y --", WITH{.id_column = "-1"}},
        {"x.csv", "a,b\nx,1,0\n", "a; :0 +", WITH{.label_column = "b", .ignore_columns = "1"}},
        {"x.csv", "k,a,b,c,d\nu,1,w,0,9\n", "a c; :u +-",
         WITH{.label_column = "k", .ignore_columns = "b, -1"}},
        /* words for 1 and 0 */
        {"x.csv", "a,b,c\nTrue,yes,N\nFALSE,No, y \n", "a b c; ++-; --+", WITH{0}},
        {"x.csv", "1,yes,0\n", "++-", WITH{0}},
        {"x.csv", "a,b\nyes,1\nNA,0\nno,?\n", "a b; ++; ?-; -?",
         WITH{.missing = ISG_MISSING_IMPUTE}},
        /* missing values */
        {"x.csv", "a,b,c,d,e\n1,,NA,n/a,#N/A\nnull,None,nan,missing,?\n0,1,1,1,1\n",
         "a b c d e; +????; ?????; -++++", WITH{.missing = ISG_MISSING_IMPUTE}},
        {"x.csv", "1,NA\n0,1\n", "+?; -+", WITH{.missing = ISG_MISSING_IMPUTE}},
        {"x.csv", "1,NA\n0,1\n1,1\n", "-+; ++", WITH{.missing = ISG_MISSING_DROP_SAMPLES}},
        {"x.csv", "1,NA\n0,1\n1,1\n", "++; -+; ++", WITH{.missing = ISG_MISSING_MAJORITY}},
        /* unlabelled samples */
        {"x.csv", "k,a\nu,1\n,1\nNA,0\nnone,0\n", "a; :u +; :none -", WITH{.label_column = "k"}},
        {"x.csv", "k,a\nu,1\n,1\nNA,0\n", "a; :u +; :? +; :? -",
         WITH{.label_column = "k", .keep_unlabelled = true}},
        /* words */
        {"x.csv", "a,b,c\nu,1,yes\nv,0,no\nt,0,no\n", "a=t a=u a=v b c; -+-++; --+--; +----",
         WITH{.one_hot = true}},
        {"x.csv", "u,1\nv,0\n", "1=u 1=v 2; +-+; -+-",
         WITH{.one_hot = true, .header = ISG_HEADER_NO}},
        {"x.csv", "a,b\n1,1\nyes,0\n", "a=1 a=yes b; +-+; -+-", WITH{.one_hot = true}},
        {"x.csv", "k,a\nu,x\nv,?\nw,y\n", "a=x a=y; :u +-; :v ??; :w -+",
         WITH{.one_hot = true, .missing = ISG_MISSING_IMPUTE, .label_column = "k"}},
        {"x.csv", "k,a\nu,x\nv,y\nw,x\n", "a=x a=y; u +-; v -+; w +-",
         WITH{.one_hot = true, .id_column = "k", .header = ISG_HEADER_YES}},
        /* the samples are the columns */
        {"x.csv", ",x,y,z\na,1,0,1\nb,0,0,1\n", "a b; x +-; y --; z ++", WITH{.transpose = true}},
        {"x.tsv", "x\ty\nb\t1\t0\na\t0\t0\nc\t1\t1\n", "b a c; x +-+; y --+",
         WITH{.transpose = true}},
        {"x.csv", "gene;about;x;y\na;long;1;0\n", "a; x +; y -",
         WITH{.transpose = true, .id_column = "gene", .ignore_columns = "about"}},
        {"x.csv", "1,0,1\n0,0,1\n", "+-; --; ++", WITH{.transpose = true}},
        {"x.csv", ",x,y\na,1,NA\nb,0,1\n", "a b; x +-; y ?+",
         WITH{.transpose = true, .missing = ISG_MISSING_IMPUTE}},
        {"x.csv", ",x,y\na,1,5\nb,7,3\n", "a b; x -+; y +-",
         WITH{.transpose = true, .binarize = ISG_BINARIZE_MEAN}},
        {"x.csv", ",a,b\nx,1,7\ny,5,3\n", "a b; x -+; y +-", WITH{.binarize = ISG_BINARIZE_MEAN}},
        /* ARFF */
        {"x.arff",
         "@attribute a {n,y}\n@attribute b {False,True}\n@attribute c {t}\n@attribute d {0,1}\n"
         "@attribute e real\n@attribute class {'u u',v}\n@data\n"
         "y,True,t,0,-1,'u u'\n{0 y, 3 1, 5 v}\n?,False,?,1,2,?\n",
         "a b c d e; :u u +++--; :v +-++-",
         WITH{.label_column = "class", .missing = ISG_MISSING_MAJORITY}},
        {"x.arff",
         "@attribute a {v,none,u}\n@attribute b real\n@attribute s string\n@attribute i string\n"
         "@data\nnone,1,'it\\'s',x\nu,?,?,y\n",
         "a=none a=u a=v b s=it's; x +--++; y -+-??",
         WITH{.one_hot = true, .missing = ISG_MISSING_IMPUTE, .id_column = "i"}},
#undef WITH
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        isg_dataset *data = load(cases[k].name, cases[k].text, &cases[k].options);
        if (strcmp(told(data), cases[k].found) != 0)
            fail_msg("\"%s\": found \"%s\", expected \"%s\"", cases[k].text, told(data),
                     cases[k].found);
        isg_dataset_free(data);
    }
}

/* The units of a model are found by name, wherever they are in the file; words it does not know set no
   unit, and words that the file does not have are absent everywhere. */
static void words_of_a_model(void **state) {
    (void)state;
    isg_dataset_options options = isg_dataset_defaults();
    options.one_hot = true;
    isg_dataset *train = load("x.csv", "a,b,n\n1,u,0\nx,v,1\n2,w,1\n", &options);
    assert_string_equal(told(train), "a=1 a=2 a=x b=u b=v b=w n; +--+---; --+-+-+; -+---++");
    options.encoding = isg_dataset_encoding(train);
    /* By itself, column a of this file would be numbers. */
    for (int one_hot = 0; one_hot < 2; one_hot++) {
        options.one_hot = one_hot;
        isg_dataset *test = load("x.csv", "n,b,a,more\n1,v,2,5\n0,new,1,5\n", &options);
        assert_string_equal(told(test), "a=1 a=2 a=x b=u b=v b=w n; -+--+-+; +------");
        assert_int_equal(isg_dataset_describe(test).n_unused_columns, 2); /* b=new, more */
        isg_dataset_free(test);
    }
    isg_dataset_free(train);
}

/* ---- labels in a file of their own ------------------------------------------------------------ */

static const char *write_text(const char *name, const char *text) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

static void labels(void **state) {
    (void)state;
    static const char with_ids[] = ",a\nx,1\ny,0\nz,1\n", without[] = "a\n1\n0\n1\n";
    static const char in_order[] = "a; x:B +; y:T -; z:T +", no_ids[] = "a; :B +; :T -; :T +";
    static const struct {
        const char *data, *name, *text, *label_column, *id_column, *found;
        bool by_id;
        size_t unmatched, unlabelled;
    } cases[] = {
        /* in the order of the file */
        {with_ids, "y.txt", "B\nT\nT\n", NULL, NULL, in_order, false, 0, 0},
        {with_ids, "y.csv", "type\nB\nT\nT\n", NULL, NULL, in_order, false, 0, 0},
        {without, "y.txt", "B\nT\nT\n", NULL, NULL, no_ids, false, 0, 0},
        {without, "y.csv", ",type\nx,B\ny,T\nz,T\n", NULL, NULL, no_ids, false, 0, 0},
        {without, "y.csv", "n,type\n3,B\n1,T\n1,T\n", "type", NULL, no_ids, false, 0, 0},
        {with_ids, "y.csv", "n,type\n3,B\n1,T\n1,T\n", "type", NULL, in_order, false, 0, 0},
        {without, "y.txt", "B\n\nT\n", NULL, NULL, "a; :B +; :T +", false, 0, 1},
        /* by id, in whatever order */
        {with_ids, "y.csv", "x,B\ny,T\nz,T\n", NULL, NULL, in_order, true, 0, 0},
        {with_ids, "y.csv", "z,T\nx,B\ny,T\n", NULL, NULL, in_order, true, 0, 0},
        {with_ids, "y.csv", "cell,type\nz,T\nx,B\ny,T\n", NULL, NULL, in_order, true, 0, 0},
        {with_ids, "y.csv", "cell,type\nz,T\nx,B\ny,T\n", "2", NULL, in_order, true, 0, 0},
        {with_ids, "y.csv", ",type\nz,T\nx,B\ny,T\n", NULL, NULL, in_order, true, 0, 0},
        {with_ids, "y.tsv", "type\nz\tT\nx\tB\ny\tT\n", NULL, NULL, in_order, true, 0, 0},
        {with_ids, "y.csv", "n;type;cell\n1;T;z\n1;B;x\n2;T;y\n", "type", "cell", in_order, true, 0,
         0},
        {with_ids, "y.csv", "type,cell\nT,z\nB,x\nT,y\n", NULL, "cell", in_order, true, 0, 0},
        {with_ids, "y.csv", "cell,n,type\nz,7,T\nx,8,B\ny,9,T\n", "-1", NULL, in_order, true, 0, 0},
        {with_ids, "y.arff",
         "@attribute cell string\n@attribute type {B,T}\n@data\nz,T\nx,B\ny,T\n", NULL, NULL,
         in_order, true, 0, 0},
        /* unmatched and unlabelled ones */
        {with_ids, "y.csv", "id,type\nw,B\nz,T\nv,Q\nx,B\n", NULL, NULL, "a; x:B +; z:T +", true, 2,
         1},
        {with_ids, "y.csv", "id,type\nz,NA\nx,B\ny,\n", NULL, NULL, "a; x:B +", true, 0, 2},
        {",a\n0,1\n1,0\n2,1\n", "y.csv", ",type\n2,T\n0,B\n1,T\n", NULL, NULL,
         "a; 0:B +; 1:T -; 2:T +", true, 0, 0},
        {"id,a\nx,1\ny,0\nz,1\n", "y.csv", "type,id\nT,z\nB,x\nT,y\n", "type", "id", in_order, true,
         0, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        isg_dataset_options options = isg_dataset_defaults();
        options.labels_path = write_text(cases[k].name, cases[k].text);
        options.label_column = cases[k].label_column;
        options.id_column = cases[k].id_column;
        isg_dataset *data = load("x.csv", cases[k].data, &options);
        const isg_dataset_info info = isg_dataset_describe(data);
        if (strcmp(told(data), cases[k].found) != 0)
            fail_msg("\"%s\": found \"%s\", expected \"%s\"", cases[k].text, told(data),
                     cases[k].found);
        assert_int_equal(info.joined_by_id, cases[k].by_id);
        assert_int_equal(info.n_unmatched_labels, cases[k].unmatched);
        assert_int_equal(info.n_unlabelled, cases[k].unlabelled);
        isg_dataset_free(data);
    }
}

/* The array y of an archive, by its ids. */
static void labels_of_an_archive(void **state) {
    (void)state;
    run_python(directory, "np.savez('y.npz', y=['T', 'B', ''], ids=['z', 'x', 'y'])\n");
    isg_dataset_options options = isg_dataset_defaults();
    options.labels_path = in(directory, "y.npz");
    isg_dataset *data = load("x.csv", ",a\nx,1\ny,0\nz,1\n", &options);
    assert_string_equal(told(data), "a; x:B +; z:T +");
    assert_true(isg_dataset_describe(data).joined_by_id);
    isg_dataset_free(data);
}

/* ---- no memory ------------------------------------------------------------------------------------ */

static isg_status load_all(void *user) {
    static const char table[] = ",a,b\nx,u,1\ny,v,0\n";
    isg_dataset_options options = isg_dataset_defaults();
    options.one_hot = true;
    options.labels_path = user;
    isg_dataset *data = NULL;
    isg_status status =
        isg_dataset_load_memory(&data, "x.csv", table, strlen(table), &options, NULL);
    assert_true((data != NULL) == (status == ISG_OK));
    isg_dataset_free(data);
    if (status != ISG_OK)
        return status;
    static const char turned[] = ",x,y\na,1,1\nb,0,1\n";
    options.one_hot = false;
    options.transpose = true;
    data = NULL;
    status = isg_dataset_load_memory(&data, "x.csv", turned, strlen(turned), &options, NULL);
    isg_dataset_free(data);
    return status;
}

static void allocations(void **state) {
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s", write_text("y.csv", "id,k\ny,A\nx,B\n"));
    assert_true(sweep_allocations(load_all, path) > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables),      cmocka_unit_test(words_of_a_model),
        cmocka_unit_test(labels),      cmocka_unit_test(labels_of_an_archive),
        cmocka_unit_test(allocations),
    };
    return cmocka_run_group_tests(tests, make_directory_in_memory, remove_directory);
}
