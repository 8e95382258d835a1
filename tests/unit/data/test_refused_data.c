/* test_refused_data.c - data files and labels at the edge of what can be understood
 *
 * SPDX-License-Identifier: MIT
 *
 * A table of small files, written by Python, with the sentence that each is refused with, or what is
 * found in it. Nothing is handed out of a refused file.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>

#include "test.h"

#include "helper_progress.h"
#include "helper_scratch.h"
#include "io/verified_file.h"

typedef struct row {
    const char *name, *content; /* the end of the file's name; its bytes, in Python */
    isg_status status;
    const char *sentence;          /* a part of it; NULL if it is fine */
    const char *labels, *labelled; /* the same for a file of labels */
    isg_dataset_options options;
} row;

/* A status and a part of the sentence, after which positions go on with the labels. */
#define FINE        .status = ISG_OK, .sentence = NULL
#define BAD         .status = ISG_ERR_FORMAT, .sentence
#define SHAPE       .status = ISG_ERR_SHAPE, .sentence
#define ARGUMENT    .status = ISG_ERR_ARGUMENT, .sentence
#define UNSUPPORTED .status = ISG_ERR_UNSUPPORTED, .sentence
#define WITH        .options =

static const row rows[] = {
    /* IDX */
    {"idx", "b'\\0\\0\\x08\\2' + struct.pack('>2I', 1, 2) + b'ab'", FINE},
    {"idx", "b'\\1\\0\\x08\\2' + bytes(10)", BAD = "not an IDX file: it begins with 01 00 08 02"},
    {"idx", "b'\\0\\1\\x08\\2' + bytes(10)", BAD = "not an IDX file: it begins with 00 01 08 02"},
    {"idx", "b'\\0\\0\\x07\\2' + bytes(10)", BAD = "not an IDX file: it begins with 00 00 07 02"},
    {"idx", "b'\\0\\0\\x08\\0' + bytes(10)", BAD = "expected 1 to 4 dimensions, found 0"},
    {"idx", "b'\\0\\0\\x08\\x09' + bytes(99)", BAD = "expected 1 to 4 dimensions, found 9"},
    {"idx", "b'\\0\\0\\x08\\1' + struct.pack('>I', 2) + b'ab'", BAD = "looks like a label file"},
    {"idx", "b'\\0\\0\\x08\\2' + struct.pack('>2I', 0, 2)", BAD = "there are no rows"},
    {"idx", "b'\\0\\0\\x08\\2' + struct.pack('>2I', 2, 0)", BAD = "the rows are empty"},

    /* NPY and NPZ */
    {"x.npy", "npy(np.ones((2, 2, 2, 2)))", BAD = "found 4"},
    {"x.npy", "npy(np.array([['a', 'b']]))", BAD = "expected numbers, found text"},
    {"x.npy", "npy(np.array([[1, 2], [3, np.nan]]))",
     BAD = "row 2, column 2: the value is missing; see --missing"},
    {"x.npy", "npy(np.asfortranarray([[1, 2], [np.inf, 4]]))",
     BAD = "row 2, column 1: expected a number, found inf"},
    {"x.npy", "npy(np.tile(np.arange(70000, dtype=np.uint8), (2, 1)))", FINE},
    {"x.npy", "npy(np.full((1, 4), 256.0))", FINE},
    {"x.npy", "npy(np.array([[1, 1e308], [2, -1e308], [3, 1e308]]))",
     BAD = "the values of unit 1, counted from 0, are too large to find its threshold",
     WITH{.binarize = ISG_BINARIZE_MIDPOINT}},
    {"x.npy", "b'\\x93NUMPY\\1\\0' + struct.pack('<H', 10) + b\"{'descr': \"",
     BAD = "a dtype in quotation marks"},
    {"x.npy", "b'\\x93NUMPY\\1\\0' + struct.pack('<H', 20) + b\"{'fortran_order': Fa\"",
     BAD = "True or False for fortran_order"},
    {"x.npz", "npz(X=np.ones((2, 3)))", FINE},
    {"x.npz", "npz(X=np.ones((2, 3)), y=np.arange(3))",
     SHAPE = "has 2 rows, but its array y has 3 labels; if the first is a heading, remove it"},
    {"x.npz", "npz(X=np.ones((2, 3)), y=np.arange(9))",
     SHAPE = "has 2 rows, but its array y has 9 labels"},
    {"x.npz", "npz(X=np.ones((2, 3)), y=np.arange(3))", FINE, "csv", "b'a\\nb\\n'"},
    {"x.npz", "npz(X=np.ones((2, 3)), y=np.ones((2, 1)))", FINE},
    {"x.npz", "npz(X=np.ones((2, 3)), y=np.ones((2, 2)))", BAD = "found 2 dimensions"},
    {"x.npz", "npz(X=np.ones((2, 3)), y=np.ones((1, 2)))", BAD = "found 2 dimensions"},
    {"x.npz", "npz(Y=np.ones((2, 3)))", BAD = "expected an array \"X\""},
    {"x.npz", "npz(X=np.ones((2, 3)))", UNSUPPORTED = ".npz files cannot be checked",
     WITH{.expected_sha256 = "00"}},
    {"x.npz", "flip(npz(X=np.ones((2, 3))), -1)", BAD = "damaged"},
    {"x.npz", "flip(npz(X=np.ones((2, 3)), y=np.arange(2)), 190)", BAD = "the checksum (CRC-32)"},
    {"x.npz", "npz(X=np.ones((2, 3)))", FINE, "npz", "npz(y=np.arange(2))"},
    {"x.npz", "npz(X=np.ones((2, 3)))", BAD = "the checksum (CRC-32) is wrong", "npz",
     "flip(npz(y=np.arange(2)), 190)"},
    {"x.npz", "npz(X=np.ones((2, 3)))", BAD = "expected an array \"y\"", "npz",
     "npz(x=np.arange(2))"},

    /* CSV and TSV */
    {"x.csv", "b'1,0\\n0,1\\n'", FINE},
    {"x.csv", "b''", BAD = "there are no rows"},
    {"x.csv", "b'a,b\\n'", BAD = "there is a heading, but no rows"},
    {"x.csv", "b'a,b\\n1,\"2'", BAD = "a quote is opened here and never closed"},
    {"x.csv", "b'a,\\n1,2\\n'", BAD = "column 2 has no name"},
    {"x.csv", "b'1,a\\n1,2\\n'", BAD = "the first row has 1 numbers and 1 other fields"},
    {"x.csv", "b'a,1.5.2\\n1,2\\n'", BAD = "the first row has 0 numbers and 2 other fields"},
    {"x.csv", "b','.join(b'%d' % k for k in range(20))", BAD = "the first row counts its columns"},
    {"x.csv", "b','.join(b'%d' % k for k in range(1, 21))",
     BAD = "the first row counts its columns"},
    {"x.csv", "b','.join(b'%d' % k for k in range(5, 25))", FINE},
    {"x.csv", "b','.join(b'%d' % k for k in range(20)) + b',1-2'",
     BAD = "expected a number, found '1-2'"},
    {"x.csv", "b'1,inf\\n'", BAD = "line 1, column 2: expected a number, found 'inf'"},
    {"x.csv", "b'1,2\\n1,\\n'", BAD = "line 2, column 2: the value is missing; see --missing"},
    {"x.csv", "b'1,2\\n1,2,3\\n'", BAD = "line 2: expected 2 fields, found 3"},
    {"x.csv", "b'1,2\\n1,\"2,5\"\\n'", BAD = "(decimals need a point, not a comma)"},
    {"x.csv", "b'1,2\\n1,b\\n'",
     BAD = "line 2, column 2: expected a number, found 'b' (for a column "
           "of words see --one-hot, --ignore-columns, --label-column and "
           "--id-column)"},
    {"x.csv", "b'1,2,3\\n1,b,3\\n'", BAD = "line 2, column 2: expected a number, found 'b'",
     WITH{.label_column = "3"}},
    {"x.csv", "b'1,2\\n1,b\\n'", BAD = "line 2, column 2: expected a number, found 'b'", "csv",
     "b'a\\nb\\n'"},
    {"x.csv", "b'1,2\\n1,3\\n'", BAD = "column 3 does not exist: columns are numbered from 1 to 2",
     WITH{.label_column = "3"}},
    {"x.csv", "b'1,2\\n1,3\\n'", BAD = "column 0 does not exist",
     WITH{.label_column = "0", .header = ISG_HEADER_NO}},
    {"x.csv", "b'1,2\\n1,3\\n'", BAD = "there is no column 'kind' (the file has no heading)",
     WITH{.label_column = "kind", .header = ISG_HEADER_NO}},
    {"x.csv", "b'a,b\\n1,3\\n'", BAD = "there is no column 'kind'; the columns are a, b",
     WITH{.label_column = "kind", .header = ISG_HEADER_YES}},
    {"x.csv", "b',a,b,c,d,e,f,g,h,i,j,k,l\\nx,1,1,1,1,1,1,1,1,1,1,1,1\\n'",
     BAD = "the columns are a, b, c, d, e, f, g, h, i, j, k, l", WITH{.label_column = "kind"}},
    {"x.csv", "b',a,b,c,d,e,f,g,h,i,j,k,l,m,n\\nx,1,1,1,1,1,1,1,1,1,1,1,1,1,1\\n'",
     BAD = "the columns are a, b, c, d, e, f, ..., i, j, k, l, m, n (14 in all)",
     WITH{.label_column = "kind"}},
    {"x.csv", "b'a,a\\n1,3\\n'", BAD = "2 columns are called 'a'", WITH{.label_column = "a"}},
    {"x.csv", "b'\\n\\n\"\"\\n'", BAD = "line 1, column 1: the value is missing"},
    {"x.csv", "b'a\\n'", BAD = "the rows are empty", WITH{.label_column = "1"}},
    {"x.csv", "b'1,NA\\n'", BAD = "line 1, column 2: the value is missing (NA); see --missing"},
    {"x.csv", "b'a,b\\n1,\\n'",
     BAD = "line 2, column 2 ('b'): the value is missing; see --missing"},
    {"x.csv", "b'NA,?\\n'", BAD = "the first row has 0 numbers and 2 other fields"},
    {"x.csv", "b'y,n\\nn,n\\n'", BAD = "the first row has 0 numbers and 2 other fields"},
    {"x.csv", "b',0,1\\n0,1,1\\n'", BAD = "the first row counts its columns"},
    {"x.csv", "b'a,b\\nyes,1\\n1,1\\n'",
     BAD = "line 3, column 1 ('a'): found '1' in a column that has both numbers and words"},
    {"x.csv", "b'a;b\\n1;2,5\\n'", BAD = "found '2,5' (decimals need a point, not a comma)"},
    {"x.csv", "b'0,5;1\\n'", BAD = "found '5;1' (if semicolons separate"},
    {"x.csv", "b'a,b\\n1,2,3\\n1,2\\n'", BAD = "line 3: expected 3 fields, found 2"},
    {"x.csv", "b'a,b\\n1,2,3,4\\n'", BAD = "line 2: expected 2 fields, found 4"},
    {"x.csv", "b'1,2\\n'", BAD = "there is no column 'id' (the file has no heading)",
     WITH{.id_column = "id", .header = ISG_HEADER_NO}},
    {"x.csv", "b'a,b,c\\n1,2,3\\n'", BAD = "there is no column 'id'; the columns are a, b, c",
     WITH{.id_column = "id"}},
    {"x.csv", "b'a,b,c\\n1,2,3\\n'", BAD = "there is no column 'd'; the columns are a, b, c",
     WITH{.ignore_columns = "a, d"}},
    {"x.csv", "b'a,b,c\\n1,2,3\\n'", BAD = "column 4 does not exist",
     WITH{.ignore_columns = "1,4"}},
    {"x.csv", "b'a,b\\n1,2\\n'", BAD = "the rows are empty", WITH{.ignore_columns = "a,-1"}},
    {"x.csv", "b'a,b\\n1,2\\n'", ARGUMENT = "column 1 cannot be both the label and the id",
     WITH{.label_column = "a", .id_column = "1"}},
    {"x.csv", "b'k,a\\nx,1\\n'", ARGUMENT = "no column has labels",
     WITH{.label_column = "k", .transpose = true}},
    {"x.csv", "b'a,b\\nx,1\\n'", ARGUMENT = "--one-hot is for tables with a sample per row",
     WITH{.one_hot = true, .transpose = true}},
    {"x.csv", "b'x,s\\nb,s\\nx,f\\n'", BAD = "'x' of the first row occurs again in its column",
     WITH{.one_hot = true}},
    {"x.csv", "b'a\\n' + b''.join(b'w%d\\n' % k for k in range(4097))",
     BAD = "column 1 ('a') has more than 4096 different words; if these are names, see --id-column",
     WITH{.one_hot = true}},
    {"x.csv", "b'a\\n' + b'w' * 256", BAD = "column 1 ('a') has a word of more than 255 bytes",
     WITH{.one_hot = true}},
    {"x.csv", "b'a,a=u\\nu,1\\nv,0\\n'", BAD = "two units would be called 'a=u'; rename a column",
     WITH{.one_hot = true}},
    {"x.tsv", "b'a\\tb\\n1\\tx\\n'", BAD = "line 2, column 2 ('b'): expected a number, found 'x'"},

    /* ARFF */
    {"x.arff", "b'@attribute a real\\n@attribute b {n,y}\\n@data\\n1,y\\n{}\\n'", FINE},
    {"x.arff", "b''", BAD = "expected an ARFF file, but it has no @data"},
    {"x.arff", "b'@attribute a real\\n@data\\n'", BAD = "there are no rows after @data"},
    {"x.arff", "b'@attribute a real\\n@data\\n?\\n'",
     BAD = "line 3, column 1 ('a'): the value is missing (?); see --missing"},
    {"x.arff", "b'@attribute a {u,v}\\n@data\\nu\\n'",
     BAD = "line 3, column 1 ('a'): expected a number, found 'u' (for a column of words see "
           "--one-hot"},
    {"x.arff", "b'@attribute a string\\n@data\\nu\\n'", BAD = "expected a number, found 'u'"},
    {"x.arff", "b'@attribute a real\\n@data\\n1\\n'",
     BAD = "there is no column 'class'; the columns are a", WITH{.label_column = "class"}},
    {"x.arff", "b'@attribute a real\\n@data\\n1,2\\n'",
     BAD = "line 3: expected 1 values, found more"},
    {"x.arff", "b'1,2\\n'", BAD = "expected @relation, @attribute or @data, found '1'"},

    /* Matrix Market */
    {"x.mtx", "mtx('coordinate integer general', '2 2 1', '1 2 1')", FINE},
    {"x.mtx", "mtx('coordinate integer general', '0 2 0')", BAD = "there are no rows"},
    {"x.mtx", "mtx('coordinate integer general', '2 0 0')", BAD = "the rows are empty"},
    {"x.mtx", "mtx('coordinate integer general', '2 2')", BAD = "rows, columns and entries"},
    {"x.mtx", "mtx('coordinate integer general', 'a 2 1')", BAD = "rows, columns and entries"},
    {"x.mtx", "mtx('coordinate integer general', '2 b 1')", BAD = "rows, columns and entries"},
    {"x.mtx", "mtx('coordinate integer general', '2 2 c')", BAD = "rows, columns and entries"},
    {"x.mtx", "mtx('array real general', '2')", BAD = "expected rows and columns"},
    {"x.mtx", "mtx('coordinate integer general', '2 2 2', '1 2 1')",
     BAD = "promises 2 entries of at least"},
    {"x.mtx", "mtx('coordinate integer general', '2 2 2', '1 2 1', '1 2 1')", BAD = "twice"},
    {"x.mtx", "mtx('coordinate real general', '2 2 1', '1 2 1e999')",
     BAD = "row 1, column 2 is not finite"},
    {"x.mtx", "mtx('coordinate integer general', '4294967296 4294967295 1', '1 1 1')",
     BAD = "far too large for a file of this size"},
    {"x.mtx", "mtx('coordinate integer general', '10000000 10000000 1', '1 1 1')",
     BAD = "far too large for a file of this size"},
    {"x.mtx", "mtx('coordinate integer general', '2 2 1', '1 2 1')",
     BAD = "labels cannot be read from .mtx files", "mtx",
     "mtx('coordinate integer general', '2 1 1', '1 1 1')"},

    /* Labels */
    {"x.csv", "b'1,0\\n0,1\\n'", FINE, "npy", "npy(np.array([2.0, 1.0]))"},
    {"x.csv", "b'1,0\\n0,1\\n'", BAD = "row 2: expected a whole number as label", "npy",
     "npy(np.array([2.0, 1.5]))"},
    {"x.csv", "b'1,0\\n0,1\\n'", FINE, "csv", "b'1.0\\n2e0\\n'"},
    {"x.csv", "b'1,0\\n0,1\\n'", FINE, "csv", "b'1.5\\n1e300\\n'"},
    {"x.csv", "b'1,0\\n0,1\\n'", FINE, "csv", "b'kind\\n1\\n2\\n'"},
    {"x.csv", "b'1,0\\n0,1\\n'", SHAPE = "remove it", "csv", "b'0\\n1\\n2\\n'"},
    {"x.csv", "b'1,0\\n0,1\\n'", BAD = "there are no rows", "csv", "b''"},
    {"x.csv", "b'1,0\\n0,1\\n'", BAD = "line 3: expected 1 field, found 2", "csv",
     "b'a\\nb\\na,b\\n'"},
    {"x.csv", "b'1,0\\n0,1\\n'", BAD = "line 2: expected 2 fields, found 1", "csv", "b'a,b\\na\\n'",
     WITH{.label_column = "2"}},
    {"x.csv", "b'1,0\\n0,1\\n'", BAD = "column 5 does not exist", "csv", "b'a,b\\n'",
     WITH{.label_column = "5"}},
    {"x.csv", "b'1,0\\n0,1\\n'", FINE, "csv", "b'n, kind \\n1,a\\n2,b\\n'",
     WITH{.label_column = "kind"}},
    {"x.csv", "b'1,0\\n0,1\\n'", FINE, "csv", "b'a\\n\"\"\\n'"},
    {"x.csv", "b'1,0\\n0,1\\n'", BAD = "no sample has a label", "csv", "b'\\nNA\\n'"},
    {"x.csv", "b'1,0\\n0,1\\n'", FINE, "txt", "b'cell of type B\\nT\\n'"},
    {"x.csv", "b'1,0\\n0,1\\n'", FINE, "npy", "npy(np.array([[2.0], [np.nan]]))"},
    {"x.csv", "b'1,0\\n0,1\\n'",
     BAD = "has 2 columns; say which of them has the labels with --label-column", "csv",
     "b'a,b\\nc,d\\n'"},
    {"x.csv", "b'1,0\\n0,1\\n'",
     BAD = "has 3 columns; say which of them has the labels with --label-column", "csv",
     "b',a,b\\n1,c,d\\n'"},
    {"x.csv", "b',a\\ns,1\\nt,0\\n'", FINE, "csv", "b'id,k\\nt,B\\ns,A\\n'"},
    {"x.csv", "b',a\\ns,1\\nt,0\\n'",
     BAD = "none of its 2 ids is that of a sample: it has ids such as 'v', the data such as 's'",
     "csv", "b',k\\nu,B\\nv,A\\n'"},
    {"x.csv", "b',a\\ns,1\\nt,0\\n'", BAD = "is that of a sample", "csv",
     "b'cell,k\\ns-1,B\\nt-1,A\\n'", WITH{.label_column = "k"}},
    {"x.csv", "b',a\\ns,1\\nt,0\\n'", BAD = "the id 's' occurs twice", "csv",
     "b'id,k\\ns,B\\ns,A\\n'"},
    {"x.csv", "b',a\\ns,1\\ns,0\\n'", BAD = "the data: the id 's' occurs twice", "csv",
     "b'id,k\\ns,B\\nt,A\\n'"},
    {"x.csv", "b',a\\n1,1\\n2,0\\n'", BAD = "one counts from 0 and the other from 1", "csv",
     "b',k\\n0,B\\n1,A\\n'"},
    {"x.csv", "b',a\\n1,1\\n2,0\\n'", BAD = "the first has no ids of samples", "csv",
     "b'7,B\\n8,A\\n'"},
    {"x.csv", "b'1,0\\n0,1\\n'", BAD = "longer than 255 bytes", "csv", "b'a\\n' + b'b' * 256"},
    {"x.csv", "b'1,0\\n0,1\\n'", ARGUMENT = "only CSV, TSV and ARFF files have a label column",
     "npy", "npy(np.arange(2))", WITH{.label_column = "1"}},
    {"x.npy", "npy(np.ones((2, 2)))",
     ARGUMENT = "only CSV, TSV, ARFF and .h5ad files have a label column",
     WITH{.label_column = "1"}},
    {"x.csv", "b'1,0\\n0,1\\n'", BAD = "damaged: expected SHA-256 00", "npy", "npy(np.arange(2))",
     WITH{.expected_labels_sha256 = "00"}},

    /* Options */
    {"x.npy", "npy(np.ones((2, 6)))", FINE, WITH{.image_height = 2, .image_width = 3}},
    {"x.npy", "npy(np.ones((2, 6)))", SHAPE = "is not an image of 2 x 2",
     WITH{.image_height = 2, .image_width = 2}},
    {"x.npy", "npy(np.ones((2, 6)))", SHAPE = "a row of 6 values is not an image of",
     WITH{.image_height = SIZE_MAX, .image_width = 3}},
    {"x.npy", "npy(np.ones((2, 6)))", ARGUMENT = "an image needs a height and a width",
     WITH{.image_height = 2}},
    {"x.npy", "npy(np.ones((2, 6)))", ARGUMENT = "expected a finite threshold, found inf",
     WITH{.binarize = ISG_BINARIZE_VALUE, .binarize_at = (double)INFINITY}},
    {"x.npy", "npy(np.ones((2, 6)))", BAD = "damaged: expected SHA-256 00",
     WITH{.expected_sha256 = "00"}},
    {"x.npy", "npy(np.ones((2, 6)))", BAD = "class a was requested, but there are no labels",
     WITH{.only_class = "a"}},
    {"x.csv", "b'1,a\\n0,b\\n'", BAD = "there is no class 'c'; the classes are a, b",
     WITH{.label_column = "2", .only_class = "c"}},
    {"x.csv", "b''.join(b'1,class-number-%d\\n' % k for k in range(40))",
     BAD = "class-number-20, class-number-21 ...", WITH{.label_column = "2", .only_class = "c"}},
    {"x.dat", "b'1,2'", BAD = "unknown file format"},
    {"x.npz.gz", "b'1,2'", BAD = "unknown file format"},
    {".csv", "b'1,2\\n'", FINE},
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

static const char python[] =
    "def npy(a): f = io.BytesIO(); np.save(f, a); return f.getvalue()\n"
    "def npz(**a): f = io.BytesIO(); np.savez(f, **a); return f.getvalue()\n"
    "def flip(b, k): b = bytearray(b); b[k] ^= 1; return bytes(b)\n"
    "def mtx(kind, *lines):\n"
    "    return ('%%MatrixMarket matrix ' + kind + '\\n' + '\\n'.join(lines) + '\\n').encode()\n";

static const char *path_of(char path[256], size_t k, const char *kind, const char *name) {
    snprintf(path, 256, "%s/%s%zu-%s", directory, kind, k, name);
    return path;
}

static int set_up(void **state) {
    make_directory(state);
    FILE *script = python_begin(directory);
    fputs(python, script);
    for (size_t k = 0; k < N_ROWS; k++) {
        fprintf(script, "open('data%zu-%s', 'wb').write(%s)\n", k, rows[k].name, rows[k].content);
        if (rows[k].labels)
            fprintf(script, "open('labels%zu-y.%s', 'wb').write(%s)\n", k, rows[k].labels,
                    rows[k].labelled);
    }
    python_end(directory, script);
    return 0;
}

static void files(void **state) {
    (void)state;
    size_t wrong = 0;
    for (size_t k = 0; k < N_ROWS; k++) {
        const row *r = rows + k;
        char path[256], labels[256], name[64];
        isg_dataset_options options = r->options;
        isg_dataset *found = NULL;
        if (r->labels) {
            snprintf(name, sizeof name, "y.%s", r->labels);
            options.labels_path = path_of(labels, k, "labels", name);
        }
        const isg_status status =
            isg_dataset_load(&found, path_of(path, k, "data", r->name), &options, NULL);
        assert_true((found != NULL) == (status == ISG_OK));
        const char *message = status == ISG_OK ? "" : isg_error_message();
        if (status != r->status || (r->sentence && !strstr(message, r->sentence))) {
            print_error("%s = %s: status %d, '%s'\n", r->name, r->content, (int)status, message);
            wrong++;
        }
        isg_dataset_free(found);
    }
    assert_int_equal(wrong, 0);
}

/* ---- large files ---------------------------------------------------------------------------------- */

/* Told about every megabyte, the caller may stop it at any. */
static void progress(void **state) {
    (void)state;
    static const char *const names[] = {"rows.npy", "columns.npy", "large.csv", "large.mtx"};
    run_python(directory, "x = np.arange(3 << 20).astype(np.uint8).reshape(-1, 64)\n"
                          "np.save('rows.npy', x)\n"
                          "np.save('columns.npy', np.asfortranarray(x))\n"
                          "open('large.csv', 'w').write(('1,0,' * 60 + '1\\n') * 13000)\n"
                          "open('large.mtx', 'w').write(\n"
                          "    '%%MatrixMarket matrix array real general\\n200 2000\\n'\n"
                          "    + '1.00000\\n' * 400000)\n");
    for (size_t k = 0; k < 4; k++) {
        patience patient = {.may_stay = true}, tired = {.last_call = 2, .may_stay = true};
        isg_progress progress = {lose_patience, &patient};
        isg_dataset *data = NULL;
        assert_ok(isg_dataset_load(&data, in(directory, names[k]), NULL, &progress));
        assert_true(patient.calls >= 2 && patient.calls <= 4);
        isg_dataset_free(data);
        data = NULL;
        progress.user = &tired;
        assert_fails(isg_dataset_load(&data, in(directory, names[k]), NULL, &progress),
                     ISG_ERR_CANCELLED, "reading was cancelled");
        assert_int_equal(tired.calls, 2);
        assert_null(data);
    }
}

/* ---- files with known content -------------------------------------------------------------------- */

static void known_content(void **state) {
    (void)state;
    run_python(directory, "import gzip, hashlib\n"
                          "x = bytes(range(256)) * 800\n"
                          "gzip.open('known.gz', 'wb').write(x)\n"
                          "open('known', 'wb').write(x)\n"
                          "open('sha256', 'w').write(hashlib.sha256(x).hexdigest())\n");
    static const char *const names[] = {"known", "known.gz"};
    char expected[65] = "", other[65];
    size_t size = 0;
    uint8_t *text = read_file(in(directory, "sha256"), &size);
    memcpy(expected, text, 64);
    free(text);
    memset(other, '0', 64);
    other[64] = '\0';
    for (size_t k = 0; k < 2; k++) {
        patience patient = {.may_stay = true}, tired = {.last_call = 2, .may_stay = true};
        const isg_progress all = {lose_patience, &patient}, some = {lose_patience, &tired};
        char from[256];
        snprintf(from, sizeof from, "%s/%s", directory, names[k]);
        const char *to = in(directory, "copy");
        assert_ok(isg_file_check(from, expected, &all));
        assert_int_equal(patient.calls, 4);
        assert_fails(isg_file_check(from, other, NULL), ISG_ERR_FORMAT,
                     "the file is damaged: expected SHA-256 0000");
        assert_fails(isg_file_check(from, expected, &some), ISG_ERR_CANCELLED,
                     "reading was cancelled");
        tired = (patience){.last_call = 2, .may_stay = true};
        assert_fails(isg_file_install(from, to, other, NULL), ISG_ERR_FORMAT, "damaged");
        assert_fails(isg_file_install(from, to, expected, &some), ISG_ERR_CANCELLED, "cancelled");
        assert_fails(isg_file_check(to, expected, NULL), ISG_ERR_IO, "could not be opened");
        assert_ok(isg_file_install(from, to, expected, NULL));
        assert_ok(isg_file_check(to, expected, NULL));
        assert_int_equal(remove(to), 0);
    }
}

/* ---- data sets ------------------------------------------------------------------------------------- */

static void defaults(void **state) {
    (void)state;
    isg_dataset *data = NULL;
    isg_dataset_options options = isg_dataset_defaults();
    options.image_width = 3;
    assert_fails(isg_dataset_load_memory(&data, "x.csv", "1,0", 3, &options, NULL),
                 ISG_ERR_ARGUMENT, "an image needs a height and a width");
    assert_null(data);
    assert_ok(isg_dataset_load_memory(&data, "x.csv", "1,0\n", 4, NULL, NULL));
    assert_int_equal(isg_dataset_describe(data).n_visible, 2);
    assert_null(isg_dataset_row(data, 1));
    assert_null(isg_dataset_class_name(data, 0));
    assert_int_equal(isg_dataset_class_size(data, 0), 0);
    isg_dataset_free(data);
    data = NULL;
    char path[256];
    assert_ok(isg_dataset_load(&data, path_of(path, 0, "data", rows[0].name), NULL, NULL));
    isg_dataset_free(data);
    data = NULL;
    const int8_t spin = 1;
    assert_fails(isg_dataset_create(&data, 0, 1, &spin, NULL), ISG_ERR_ARGUMENT,
                 "at least one row");
    assert_fails(isg_dataset_create(&data, 1, 0, &spin, NULL), ISG_ERR_ARGUMENT, "one column");
    assert_null(data);
}

static isg_status work_on_data(void *user) {
    static const int8_t spins[] = {1, -1, -1, 1, 1, 1, -1, -1};
    static const int64_t labels[] = {7, 8, 7, 8};
    isg_dataset *data = NULL, *one = NULL, *two = NULL;
    size_t duplicates = 0;
    isg_status status = isg_dataset_create(&data, 4, 2, spins, user ? labels : NULL);
    if (status == ISG_OK)
        status = isg_dataset_count_duplicates(data, &duplicates);
    if (status == ISG_OK)
        status = isg_dataset_split(&one, &two, data, 0.5, 1);
    assert_true((one != NULL) == (status == ISG_OK) && (two != NULL) == (status == ISG_OK));
    isg_dataset_free(one);
    isg_dataset_free(two);
    isg_dataset_free(data);
    return status;
}

static isg_status load_from_memory(void *user) {
    isg_dataset *data = NULL;
    (void)user;
    const isg_status status = isg_dataset_load_memory(&data, "x.csv", "1,0\n", 4, NULL, NULL);
    assert_true((data != NULL) == (status == ISG_OK));
    isg_dataset_free(data);
    return status;
}

static void allocations(void **state) {
    (void)state;
    int with_labels = 1;
    assert_true(sweep_allocations(work_on_data, NULL) > 8);
    assert_true(sweep_allocations(work_on_data, &with_labels) > 12);
    assert_true(sweep_allocations(load_from_memory, NULL) > 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),    cmocka_unit_test(progress),    cmocka_unit_test(known_content),
        cmocka_unit_test(defaults), cmocka_unit_test(allocations),
    };
    return cmocka_run_group_tests(tests, set_up, remove_directory);
}
