/* test_refused_sparse.c - sparse files and 10x directories: all ways to the same spins, and refusals
 *
 * SPDX-License-Identifier: MIT
 *
 * Files are made by Python in a directory for each row of a table, with the sentence that each is
 * refused with. Nothing is handed out of a refused file.
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include "helper_allocation.h"
#include "helper_progress.h"
#include "helper_scratch.h"

typedef struct row {
    const char *path, *script; /* what to read, and the Python that makes it */
    isg_status status;
    const char *sentence; /* a part of it; "" if it is fine */
    bool transpose;
} row;

/* What Python knows: the cells are four genes x three cells. */
static const char python[] =
    "import gzip, os\n"
    "X = np.array([[0, 3, 0, 1], [2, 0, 0, 0], [0, 0, 255, 7]])\n" /* cells x genes */
    "def put(name, text):\n"
    "    (gzip.open if name.endswith('.gz') else open)(name, 'wb').write(text.encode())\n"
    "def csr(x, **other):\n"
    "    r, c = np.nonzero(x)\n"
    "    return {**dict(indices=c, indptr=np.searchsorted(r, np.arange(len(x) + 1)),\n"
    "                   data=x[r, c], shape=np.array(x.shape), format=np.bytes_('csr')), **other}\n"
    "def csc(x, **other):\n"
    "    return {**csr(x.T), 'shape': np.array(x.shape), 'format': np.bytes_('csc'), **other}\n"
    "def coo(x, **other):\n"
    "    r, c = np.nonzero(x.T)\n"
    "    return {**dict(row=c, col=r, data=x[c, r], shape=np.array(x.shape),\n"
    "                   format=np.bytes_('coo')), **other}\n"
    "def save(**arrays): np.savez('x.npz', **arrays)\n"
    "def mtx(x, comment='%'):\n"
    "    r, c = np.nonzero(x)\n"
    "    lines = [f'{i + 1} {j + 1} {x[i, j]}' for i, j in zip(r, c)]\n"
    "    return '\\n'.join(['%%MatrixMarket matrix coordinate integer general', comment,\n"
    "                      f'{x.shape[0]} {x.shape[1]} {len(r)}', *lines, ''])\n"
    "ranger = '%metadata_json: {\"software_version\": \"cellranger-6.0.0\", \"format_version\": "
    "2}'\n"
    "genes = ['g1\\tA\\tGene Expression\\n', 'g2\\tB\\t\\n', 'g3\\tA\\n', 'g4\\t\\n']\n"
    "codes = ['AAC-1\\n', 'AAG-1\\n', 'AAT-1\\n']\n"
    "def cells(d='.', gz='', old=False, x=X, genes=genes, codes=codes):\n"
    "    os.makedirs(d, exist_ok=True)\n"
    "    put(f'{d}/matrix.mtx' + gz, mtx(x.T, '%' if old else ranger))\n"
    "    put(f'{d}/barcodes.tsv' + gz, ''.join(codes))\n"
    "    put(f'{d}/' + ('genes' if old else 'features') + '.tsv' + gz, ''.join(genes))\n";

/* ---- the same spins --------------------------------------------------------------------------- */

static const row same[] = {
    {"x.npy", "np.save('x.npy', X)", ISG_OK, "", false},
    {"x.npy", "np.save('x.npy', X.astype(np.float16))", ISG_OK, "", false},
    {"x.npy", "np.save('x.npy', X > 0)", ISG_OK, "", false},
    {"x.npy", "np.save('x.npy', X.T)", ISG_OK, "", true},
    {"x.npy", "np.save('x.npy', np.asfortranarray(X.T))", ISG_OK, "", true},
    {"x.npz", "save(X=X, units=np.array(list('ABCD')), ids=np.array(['1', '2', '3']))", ISG_OK, "",
     false},
    {"x.npz", "save(X=X.T.astype(float))", ISG_OK, "", true},
    {"x.npz", "save(**csr(X))", ISG_OK, "", false},
    {"x.npz", "save(**csc(X))", ISG_OK, "", false},
    {"x.npz", "save(**coo(X))", ISG_OK, "", false},
    {"x.npz", "save(**csr(X.T))", ISG_OK, "", true},
    {"x.npz", "save(**csc(X.T))", ISG_OK, "", true},
    {"x.npz", "save(**coo(X.T))", ISG_OK, "", true},
    {"x.npz", "np.savez_compressed('x.npz', **csr(X, format=np.str_('csr')))", ISG_OK, "", false},
    {"x.npz",
     "save(**csr(X, indices=np.array([3, 1, 0, 2, 3], np.uint16), data=np.array([1, 3, 2, 5, "
     "7.]),\n"
     "           indptr=np.array([0, 2, 3, 5], np.int32)))",
     ISG_OK, "", false},
    {"x.npz",
     "save(**csr(X, indices=np.array([1, 3, 2, 0, 2, 3]), indptr=np.array([0, 3, 4, 6]),\n"
     "           data=np.array([3, 1, 0, 2, 5, 7])))", /* an explicit zero */
     ISG_OK, "", false},
    {"x.mtx", "put('x.mtx', mtx(X))", ISG_OK, "", false},
    {"x.mtx.gz", "put('x.mtx.gz', mtx(X.T))", ISG_OK, "", true},
    {"matrix.mtx", "put('matrix.mtx', mtx(X))", ISG_OK, "", false},
    {"matrix.mtx", "put('matrix.mtx', mtx(X.T, ranger))", ISG_OK, "", true},
    {"d", "cells('d')", ISG_OK, "", false},
    {"d/", "cells('d', '.gz')", ISG_OK, "", false},
    {"d", "cells('d', old=True)", ISG_OK, "", false},
    {"d", "cells('d', '.gz', old=True)", ISG_OK, "", false},
    {"d/matrix.mtx", "cells('d')", ISG_OK, "", false},
    {"d/matrix.mtx.gz", "cells('d', '.gz')", ISG_OK, "", false},
    {"matrix.mtx", "cells()", ISG_OK, "", false},
    {"GSM1_matrix.mtx",
     "cells()\n"
     "for f in 'matrix.mtx', 'barcodes.tsv', 'features.tsv': os.rename(f, 'GSM1_' + f)",
     ISG_OK, "", false},
    {"d/matrix.mtx", "cells('d')\nput('d/matrix.mtx.gz', 'not asked for')", ISG_OK, "", false},
};

/* ---- refused ---------------------------------------------------------------------------------- */

#define BAD      ISG_ERR_FORMAT
#define SHAPE    ISG_ERR_SHAPE
#define ARGUMENT ISG_ERR_ARGUMENT

static const row refused[] = {
    /* scipy.sparse */
    {"x.npz", "save(**csr(X, format=np.bytes_('bsr')))", BAD,
     "expected a sparse matrix in csr, csc or coo format, found bsr; save it with "
     "scipy.sparse.save_npz(path, matrix.tocsr())",
     false},
    {"x.npz", "save(**csr(X, format=np.bytes_('dia')))", BAD, "found dia", false},
    {"x.npz", "save(**csr(X, format=np.float64(1)))", BAD, "expected one text, such as csr", false},
    {"x.npz", "save(**csr(X, format=np.array(['csr', 'csc'])))", BAD, "expected one text", false},
    {"x.npz", "save(**csr(X, format=np.bytes_('a long word')))", BAD, "expected csr, csc or coo",
     false},
    {"x.npz", "save(**csr(X, shape=np.array([3])))", BAD, "shape: expected rows and columns",
     false},
    {"x.npz", "save(**csr(X, shape=np.array([3, 0])))", BAD, "at least one each", false},
    {"x.npz", "save(**csr(X, shape=np.array([-3, 4])))", BAD, "at least one each", false},
    {"x.npz", "save(**csr(X, shape=np.array([4, 4])))", BAD,
     "indptr: expected one number more than the 4 rows, found 4", false},
    {"x.npz", "save(**csc(X, shape=np.array([3, 5])))", BAD,
     "indptr: expected one number more than the 5 columns, found 5", false},
    {"x.npz", "save(**csr(X, shape=np.array([3, 1 << 40])))", BAD,
     "3 x 1099511627776 is far too large for a file of this size", false},
    {"x.npz", "save(**coo(X, shape=np.array([1 << 40, 4])))", BAD, "is far too large", false},
    {"x.npz", "save(**csr(X, indptr=np.array([1, 2, 3, 5])))", BAD,
     "indptr: expected 0 as its first number, found 1", false},
    {"x.npz", "save(**csr(X, indptr=np.array([0, 4, 3, 5])))", BAD,
     "indptr: decreases from 4 to 3 at row 2", false},
    {"x.npz", "save(**csc(X, indptr=np.array([0, 4, 3, 3, 5])))", BAD, "at column 2", false},
    {"x.npz", "save(**csr(X, indptr=np.array([0, 2, 3, 9])))", BAD,
     "indptr ends at 9, but indices and data have 5 entries", false},
    {"x.npz", "save(**csr(X, indptr=np.array([0, 2, 3, 5.5])))", BAD, "expected whole numbers",
     false},
    {"x.npz", "save(**csr(X, data=np.arange(4)))", BAD, "indices has 5 entries, but data has 4",
     false},
    {"x.npz", "save(**csr(X, data=np.array(list('abcde'))))", BAD,
     "expected numbers in one dimension", false},
    {"x.npz", "save(**csr(X, indices=np.array([1, 4, 0, 2, 3])))", BAD,
     "indices, row 1: expected 0 to 3, found 4", false},
    {"x.npz", "save(**csr(X, indices=np.array([1, 3, -1, 2, 3])))", BAD,
     "indices, row 2: expected 0 to 3, found -1", false},
    {"x.npz", "save(**csc(X, indices=np.array([1, 0, 2, 0, np.nan])))", BAD,
     "indices, column 4: expected 0 to 2, found nan", false},
    {"x.npz", "save(**csr(X, indices=np.array([1, 1, 0, 2, 3])))", BAD,
     "row 1, column 2 is listed twice; call sum_duplicates()", false},
    {"x.npz", "save(**coo(X, row=np.array([1, 0, 2, 2, 2])))", BAD,
     "row 3, column 4 is listed twice; call sum_duplicates()", false},
    {"x.npz", "save(**coo(X, col=np.array([0, 1, 2, 3, 4])))", BAD,
     "entry 4: expected a row from 0 to 2 and a column from 0 to 3, found 2 and 4", false},
    {"x.npz", "save(**csr(X, data=np.array([1, np.inf, 2, 3, 4])))", BAD,
     "row 1, column 4: expected a number, found inf", false},
    {"x.npz", "a = csr(X)\ndel a['indptr']\nsave(**a)", BAD, "expected an array \"indptr\"", false},
    {"x.npz", "a = coo(X)\ndel a['col']\nsave(**a)", BAD, "expected an array \"col\"", false},
    {"x.npz", "a = csr(X)\ndel a['format']\nsave(**a)", BAD,
     "expected an array \"X\", found \"indices\"", false},

    /* 10x */
    {"d", "cells('d')\nos.remove('d/matrix.mtx')", BAD, "found no matrix.mtx", false},
    {"d", "cells('d')\nos.remove('d/barcodes.tsv')", BAD, "found no barcodes.tsv", false},
    {"d", "cells('d')\nos.remove('d/features.tsv')", BAD, "found no features.tsv", false},
    {"d/matrix.mtx", "cells('d')\nos.remove('d/features.tsv')", BAD,
     "10x files are read together: expected matrix.mtx", false},
    {"d", "cells('d')\nput('d/matrix.mtx.gz', '')", BAD, "matrix.mtx.gz: stands beside ", false},
    {"d", "cells('d')\ncells('d', old=True)", BAD, "genes.tsv: stands beside ", false},
    {"d", "os.mkdir('d')", BAD,
     "is a directory, which is read as one of 10x: expected matrix.mtx, barcodes.tsv and "
     "features.tsv or genes.tsv (each may end in .gz), found no matrix.mtx",
     false},
    {"d", "os.mkdir('d')\nput('d/run.json', '{}')", BAD,
     "this is a run of 'isinglass train': give the data it was trained on", false},
    {"d", "cells('d/filtered_feature_bc_matrix')", BAD, "give its filtered_feature_bc_matrix",
     false},
    {"d", "cells('d', genes=genes[:3])", SHAPE, "has 4 x 3 entries (genes x cells), but ", false},
    {"d", "cells('d', codes=codes * 2)", SHAPE, " 6 cells", false},
    {"d", "cells('d', x=X.T)", SHAPE, "it is transposed", false},
    {"d", "cells('d', genes=['a\\n', '\\tb\\n', '\\n', 'd\\n'])", BAD,
     "features.tsv: line 3: expected a name, found nothing", false},
    {"d", "cells('d')\nput('d/barcodes.tsv', '\\0\\n')", BAD, "barcodes.tsv: line 1: a NUL byte",
     false},
    {"d", "cells('d', '.gz')\nopen('d/barcodes.tsv.gz', 'r+b').truncate(30)", BAD,
     "barcodes.tsv.gz", false},
    {"d", "cells('d')", ARGUMENT, "are the samples already, without --transpose", true},
    {"matrix.mtx", "put('matrix.mtx', mtx(X.T, ranger))", BAD,
     "was written by Cell Ranger, as genes x cells; use --transpose", false},
    {"x.mtx", "put('x.mtx', mtx(X) + '2 1 1\\n')", BAD, "expected the end after 5 entries", false},
};

enum { N_SAME = sizeof same / sizeof *same, N_REFUSED = sizeof refused / sizeof *refused };

static void write_rows(FILE *script, const char *kind, const row *rows, size_t count) {
    for (size_t k = 0; k < count; k++)
        fprintf(script, "os.mkdir('%s%zu')\nos.chdir('%s%zu')\n%s\nos.chdir('..')\n", kind, k, kind,
                k, rows[k].script);
}

static int set_up(void **state) {
    make_directory(state);
    FILE *script = python_begin(directory);
    fputs(python, script);
    write_rows(script, "same", same, N_SAME);
    write_rows(script, "refused", refused, N_REFUSED);
    python_end(directory, script);
    return 0;
}

static isg_status load(isg_dataset **out, const char *kind, size_t k, const row *r) {
    char path[256];
    isg_dataset_options options = isg_dataset_defaults();
    options.transpose = r->transpose;
    snprintf(path, sizeof path, "%s/%s%zu/%s", directory, kind, k, r->path);
    return isg_dataset_load(out, path, &options, NULL);
}

static void one_set_of_cells(void **state) {
    (void)state;
    char expected[65], found[65];
    for (size_t k = 0; k < N_SAME; k++) {
        isg_dataset *data = NULL;
        const isg_status status = load(&data, "same", k, &same[k]);
        if (status != ISG_OK)
            fail_msg("%s, %s: %s", same[k].path, same[k].script, isg_error_message());
        isg_dataset_checksum(data, k == 0 ? expected : found);
        if (k > 0 && strcmp(found, expected) != 0)
            fail_msg("%s, %s: other spins", same[k].path, same[k].script);
        if (strstr(same[k].script, "cells(")) {
            const isg_encoding *encoding = isg_dataset_encoding(data);
            assert_string_equal(isg_dataset_sample_id(data, 1), "AAG-1");
            assert_string_equal(isg_encoding_unit_name(encoding, 0), "A");
            assert_string_equal(isg_encoding_unit_name(encoding, 2), "A-1");
            assert_string_equal(isg_encoding_unit_name(encoding, 3), "g4");
        }
        isg_dataset_free(data);
    }
}

static void sentences(void **state) {
    (void)state;
    size_t wrong = 0;
    for (size_t k = 0; k < N_REFUSED; k++) {
        const row *r = &refused[k];
        isg_dataset *data = NULL;
        const isg_status status = load(&data, "refused", k, r);
        const char *message = status == ISG_OK ? "" : isg_error_message();
        assert_true((data != NULL) == (status == ISG_OK));
        if (status != r->status || !strstr(message, r->sentence)) {
            print_error("%s, %s: status %d, '%s'\n", r->path, r->script, (int)status, message);
            wrong++;
        }
        isg_dataset_free(data);
    }
    assert_int_equal(wrong, 0);
}

/* Every beginning of an archive, and of each packed file of a directory, is refused. */
static void truncations(void **state) {
    (void)state;
    static const char *const names[] = {"matrix.mtx.gz", "features.tsv.gz", "barcodes.tsv.gz"};
    isg_dataset *data = NULL;
    size_t size = 0, n_cut = 0;
    char path[256];
    for (size_t k = 0; k < N_SAME; k++) {
        snprintf(path, sizeof path, "%s/same%zu/%s", directory, k, same[k].path);
        if (strcmp(same[k].path, "x.npz") == 0) {
            uint8_t *bytes = read_file(path, &size);
            for (size_t cut = 0; cut < size; cut += 1 + (cut > 512) * 7, n_cut++)
                assert_true(isg_dataset_load_memory(&data, "x.npz", bytes, cut, NULL, NULL) !=
                            ISG_OK);
            free(bytes);
        }
        if (strcmp(same[k].script, "cells('d', '.gz')") != 0 || same[k].path[1] != '/')
            continue;
        for (size_t f = 0; f < 3; f++, n_cut++) {
            snprintf(path, sizeof path, "%s/same%zu/d/%s", directory, k, names[f]);
            uint8_t *bytes = read_file(path, &size);
            for (size_t cut = 0; cut <= size; cut++) {
                FILE *file = fopen(path, "wb");
                assert_non_null(file);
                assert_int_equal(fwrite(bytes, 1, cut, file), cut);
                fclose(file);
                const isg_status status = load(&data, "same", k, &same[k]);
                assert_int_equal(status, cut < size ? ISG_ERR_FORMAT : ISG_OK);
            }
            isg_dataset_free(data);
            data = NULL;
            free(bytes);
        }
    }
    assert_true(n_cut > 1000);
}

/* ---- memory and patience ---------------------------------------------------------------------- */

static isg_status load_same(void *user) {
    isg_dataset *data = NULL;
    const size_t k = *(const size_t *)user;
    ISG_TRY(load(&data, "same", k, &same[k]));
    isg_dataset_free(data);
    return ISG_OK;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    for (size_t k = 0; k < N_SAME; k++)
        assert_true(sweep_allocations(load_same, &k) > 10);
}

static isg_status load_refused(void *user) {
    isg_dataset *data = NULL;
    const size_t k = *(const size_t *)user;
    return load(&data, "refused", k, &refused[k]);
}

static void refusals_leave_nothing(void **state) {
    (void)state;
    for (size_t k = 0; k < N_REFUSED; k++)
        assert_int_equal(run_without_leak(load_refused, &k), refused[k].status);
}

static void progress(void **state) {
    (void)state;
    static const char *const names[] = {"csr.npz", "csc.npz", "coo.npz"};
    char script[2048];
    snprintf(script, sizeof script,
             "%sx = np.arange(3 << 17).reshape(-1, 64) %% 2\n"
             "np.savez('csr.npz', **csr(x))\nnp.savez('csc.npz', **csc(x))\n"
             "np.savez('coo.npz', **coo(x))\n",
             python);
    run_python(directory, script);
    for (size_t k = 0; k < 3; k++) {
        patience patient = {.may_stay = true}, tired = {.last_call = 2, .may_stay = true};
        isg_progress report = {lose_patience, &patient};
        isg_dataset *data = NULL;
        assert_ok(isg_dataset_load(&data, in(directory, names[k]), NULL, &report));
        assert_true(patient.calls >= 2);
        isg_dataset_free(data);
        data = NULL;
        report.user = &tired;
        assert_fails(isg_dataset_load(&data, in(directory, names[k]), NULL, &report),
                     ISG_ERR_CANCELLED, "reading was cancelled");
        assert_null(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_set_of_cells),
        cmocka_unit_test(sentences),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(refusals_leave_nothing),
        cmocka_unit_test(truncations),
        cmocka_unit_test(progress),
    };
    return cmocka_run_group_tests(tests, set_up, remove_directory);
}
