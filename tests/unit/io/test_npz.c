/* test_npz.c - .npz files: with NumPy in both directions, damaged, and without memory
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include "io/npz.h"
#include "io/zip_writer.h"
#include "numpy_helper.h"

typedef struct opened {
    isg_file *file;
    isg_zip *zip;
} opened;

static opened open_npz(const char *path) {
    opened npz = {NULL, NULL};
    assert_ok(isg_file_open(&npz.file, path));
    assert_ok(isg_zip_open(&npz.zip, npz.file));
    return npz;
}

static void close_npz(opened npz) {
    isg_zip_close(npz.zip);
    isg_file_close(npz.file);
}

/* ---- NumPy writes, we read ---------------------------------------------------------------- */

static const struct {
    const char *name;
    isg_dtype dtype;
    size_t n_dims, dims[ISG_MAX_DIMS];
} arrays[] = {
    {"bool", ISG_BOOL, 2, {3, 4}},
    {"int8", ISG_INT8, 2, {3, 4}},
    {"int16", ISG_INT16, 2, {3, 4}},
    {"int32", ISG_INT32, 2, {3, 4}},
    {"int64", ISG_INT64, 2, {3, 4}},
    {"uint8", ISG_UINT8, 2, {3, 4}},
    {"uint16", ISG_UINT16, 2, {3, 4}},
    {"uint32", ISG_UINT32, 2, {3, 4}},
    {"uint64", ISG_UINT64, 2, {3, 4}},
    {"float32", ISG_FLOAT32, 2, {3, 4}},
    {"float64", ISG_FLOAT64, 2, {3, 4}},
    {"scalar", ISG_FLOAT64, 0, {0}},
    {"empty", ISG_FLOAT64, 2, {0, 5}},
    {"vector", ISG_INT64, 1, {7}},
    {"cube", ISG_INT16, 3, {2, 3, 4}},
    {"four", ISG_FLOAT32, 4, {2, 3, 4, 5}},
    {"gr\xc3\xb6\xc3\x9f"
     "e",
     ISG_INT64,
     1,
     {2}},
    {"large", ISG_UINT8, 2, {301, 97}},
    {"a..b", ISG_INT64, 1, {1}},
};
enum { N_ARRAYS = sizeof arrays / sizeof arrays[0] };

/* The same arrays in Python; the number at place k in C order is k * 5 % 100 (bool: odd or not). */
#define PYTHON_ARRAYS                                                                              \
    "def make(shape, dtype, order, ends):\n"                                                       \
    "    n = int(np.prod(shape))\n"                                                                \
    "    a = (np.arange(n) * 5 % 100).reshape(shape)\n"                                            \
    "    a = a % 2 if dtype == 'bool' else a\n"                                                    \
    "    return np.array(a, dtype=np.dtype(dtype).newbyteorder(ends), order=order)\n"              \
    "kinds = 'bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64'.split()\n"   \
    "def arrays(order, ends):\n"                                                                   \
    "    all = {k: make((3, 4), k, order, ends) for k in kinds}\n"                                 \
    "    more = dict(scalar=((), 'float64'), empty=((0, 5), 'float64'), vector=((7,), 'int64'),\n" \
    "                cube=((2, 3, 4), 'int16'), four=((2, 3, 4, 5), 'float32'))\n"                 \
    "    more['gr\\u00f6\\u00dfe'] = ((2,), 'int64')\n"                                            \
    "    more['large'] = ((301, 97), 'uint8')\n"                                                   \
    "    more['a..b'] = ((1,), 'int64')\n"                                                         \
    "    all.update({k: make(s, d, order, ends) for k, (s, d) in more.items()})\n"                 \
    "    return all\n"

static int64_t expected_number(isg_dtype dtype, size_t k) {
    const int64_t number = (int64_t)(k * 5 % 100);
    return dtype == ISG_BOOL ? number % 2 : number;
}

static void check_arrays(const char *path) {
    opened npz = open_npz(path);
    for (size_t a = 0; a < N_ARRAYS; a++) {
        isg_array_type type;
        double *numbers = NULL;
        int64_t *wholes = NULL;
        assert_true(isg_npz_has(npz.zip, arrays[a].name));
        assert_ok(isg_npz_read_doubles(npz.zip, arrays[a].name, &type, &numbers));
        assert_ok(isg_npz_read_whole(npz.zip, arrays[a].name, NULL, &wholes));
        assert_int_equal(type.dtype, arrays[a].dtype);
        assert_int_equal(type.n_dims, arrays[a].n_dims);
        assert_false(type.is_column_major);
        for (size_t d = 0; d < type.n_dims; d++)
            assert_int_equal(type.dims[d], arrays[a].dims[d]);
        for (size_t k = 0; k < isg_array_count(&type); k++) {
            assert_true(numbers[k] == (double)expected_number(type.dtype, k));
            assert_true(wholes[k] == expected_number(type.dtype, k));
        }
        isg_release(numbers);
        isg_release(wholes);
    }
    close_npz(npz);
}

static void test_numpy_writes(void **state) {
    (void)state;
    char *scratch = scratch_create(), name[32];
    run_python(scratch, PYTHON_ARRAYS
               "for order in 'CF':\n"
               "    for i, ends in enumerate('<>'):\n"
               "        np.savez(f'plain{order}{i}.npz', **arrays(order, ends))\n"
               "        np.savez_compressed(f'packed{order}{i}.npz', **arrays(order, ends))\n");
    for (size_t k = 0; k < 8; k++) {
        snprintf(name, sizeof name, "%s%c%d.npz", k & 1 ? "plain" : "packed", k & 2 ? 'F' : 'C',
                 k & 4 ? 1 : 0);
        check_arrays(in(scratch, name));
    }
    scratch_remove(scratch);
}

/* ---- We write, NumPy reads ---------------------------------------------------------------- */

static isg_status write_sample(const char *path) {
    static const double weights[] = {0.5, -1.25, 3e300, -0.0, 1e-310, 7};
    static const int8_t spins[2000] = {1, -1, 1};
    static const uint8_t flags[] = {1, 0};
    static const size_t shape[] = {2, 3}, long_shape[] = {40, 50}, short_shape[] = {2},
                        none[] = {0, 3};
    isg_npz_writer *writer = NULL;
    isg_status status = ISG_OK;
    isg_array_type type = isg_array_type_of(ISG_FLOAT64, 2, shape);
    ISG_TRY_GOTO(isg_npz_writer_create(&writer, path));
    ISG_TRY_GOTO(isg_npz_writer_add_array(writer, "W", &type, weights));
    type.is_column_major = true;
    ISG_TRY_GOTO(isg_npz_writer_add_array(writer, "W_fortran", &type, weights));
    type = isg_array_type_of(ISG_INT8, 2, long_shape);
    ISG_TRY_GOTO(isg_npz_writer_add_array(writer, "xi", &type, spins));
    type = isg_array_type_of(ISG_BOOL, 1, short_shape);
    ISG_TRY_GOTO(isg_npz_writer_add_array(writer, "gr\xc3\xbcn", &type, flags));
    type = isg_array_type_of(ISG_FLOAT64, 0, NULL);
    ISG_TRY_GOTO(isg_npz_writer_add_array(writer, "beta", &type, &weights[5]));
    type = isg_array_type_of(ISG_FLOAT32, 2, none);
    ISG_TRY_GOTO(isg_npz_writer_add_array(writer, "none", &type, NULL));
    ISG_TRY_GOTO(isg_npz_writer_add_text(writer, "meta.json", "{\"seed\": 1, \"\xc3\xa9\": \"\"}"));
    ISG_TRY_GOTO(isg_npz_writer_commit(writer));
done:
    isg_npz_writer_free(writer);
    return status;
}

static void test_numpy_reads(void **state) {
    (void)state;
    char *scratch = scratch_create();
    assert_ok(write_sample(in(scratch, "a.npz")));
    assert_ok(write_sample(in(scratch, "b.npz")));
    run_python(scratch,
               "import json\n"
               "z = np.load('a.npz', allow_pickle=False)\n"
               "names = ['W', 'W_fortran', 'xi', 'gr\\u00fcn', 'beta', 'none', 'meta.json']\n"
               "assert z.files == names, z.files\n"
               "w = [0.5, -1.25, 3e300, -0.0, 1e-310, 7]\n"
               "assert z['W'].dtype == np.float64 and z['W'].tolist() == [w[:3], w[3:]]\n"
               "assert np.signbit(z['W'][1, 0])\n"
               "assert z['W_fortran'].tolist() == [w[0::2], w[1::2]]\n"
               "assert z['xi'].dtype == np.int8 and z['xi'].shape == (40, 50)\n"
               "assert z['xi'].sum() == 1 and z['xi'][0, 1] == -1\n"
               "assert z['gr\\u00fcn'].tolist() == [True, False]\n"
               "assert z['beta'].shape == () and z['beta'] == 7\n"
               "assert z['none'].shape == (0, 3) and z['none'].dtype == np.float32\n"
               "assert json.loads(z['meta.json'])['seed'] == 1\n"
               "assert zipfile.ZipFile('a.npz').testzip() is None\n"
               "kinds = [i.compress_type for i in zipfile.ZipFile('a.npz').infolist()]\n"
               "assert kinds[0] == 0 and kinds[2] == 8, kinds\n"
               "assert open('a.npz', 'rb').read() == open('b.npz', 'rb').read()\n");
    scratch_remove(scratch);
}

static void test_round_trip(void **state) {
    (void)state;
    char *scratch = scratch_create(), *text = NULL;
    double *numbers = NULL;
    int64_t *wholes = NULL;
    isg_array_type type;
    assert_ok(write_sample(in(scratch, "a.npz")));
    opened npz = open_npz(in(scratch, "a.npz"));
    assert_ok(isg_npz_read_doubles(npz.zip, "W_fortran", &type, &numbers));
    assert_int_equal(type.dims[0], 2);
    assert_true(numbers[0] == 0.5 && numbers[1] == 3e300 && numbers[3] == -1.25);
    isg_release(numbers);
    assert_ok(isg_npz_read_doubles(npz.zip, "gr\xc3\xbcn", NULL, &numbers));
    assert_true(numbers[0] == 1 && numbers[1] == 0);
    isg_release(numbers);
    assert_ok(isg_npz_read_whole(npz.zip, "xi", &type, &wholes));
    assert_true(wholes[0] == 1 && wholes[1] == -1 && wholes[3] == 0);
    isg_release(wholes);
    assert_ok(isg_npz_read_text(npz.zip, "meta.json", &text));
    assert_string_equal(text, "{\"seed\": 1, \"\xc3\xa9\": \"\"}");
    isg_release(text);
    close_npz(npz);
    scratch_remove(scratch);
}

/* ---- Refusals ----------------------------------------------------------------------------- */

static void test_missing(void **state) {
    (void)state;
    char *scratch = scratch_create(), *text = NULL;
    double *numbers = NULL;
    isg_source *source = NULL;
    isg_array_type type;
    assert_ok(write_sample(in(scratch, "a.npz")));
    opened npz = open_npz(in(scratch, "a.npz"));
    assert_false(isg_npz_has(npz.zip, "w") || isg_npz_has(npz.zip, "meta.json") ||
                 isg_npz_has(npz.zip, "W.npy") || isg_npz_has(npz.zip, ""));
    assert_refused(isg_npz_read_doubles(npz.zip, "X", &type, &numbers),
                   "a.npz: expected an array \"X\", found \"W\", \"W_fortran\", \"xi\", "
                   "\"gr\xc3\xbcn\", \"beta\", \"none\", \"meta.json\"");
    assert_refused(isg_npz_open(&source, &type, npz.zip, "X"), "expected an array \"X\"");
    assert_refused(isg_npz_read_text(npz.zip, "notes", &text), "expected a text \"notes\", found");
    assert_true(!numbers && !source && !text);
    close_npz(npz);
    /* Too many to list, and none at all. */
    run_python(scratch, "np.savez('many.npz', **{'n%04d' % k: k for k in range(300)})\n"
                        "np.savez('long.npz', **{'n' * 1000: 1})\n"
                        "np.savez('none.npz')\n");
    npz = open_npz(in(scratch, "many.npz"));
    assert_refused(isg_npz_read_doubles(npz.zip, "X", &type, &numbers), "\"n0000\", \"n0001\", ");
    assert_string_equal(isg_error_message() + strlen(isg_error_message()) - 5, ", ...");
    close_npz(npz);
    npz = open_npz(in(scratch, "long.npz"));
    assert_refused(isg_npz_read_doubles(npz.zip, "X", &type, &numbers), "\"X\", found ...");
    close_npz(npz);
    npz = open_npz(in(scratch, "none.npz"));
    assert_refused(isg_npz_read_doubles(npz.zip, "X", &type, &numbers), "found an empty archive");
    close_npz(npz);
    scratch_remove(scratch);
}

static void test_wrong_content(void **state) {
    (void)state;
    char *scratch = scratch_create(), *text = NULL;
    double *numbers = NULL;
    int64_t *wholes = NULL;
    run_python(
        scratch,
        "np.savez('a.npz', words=np.array(['a', 'b']), halves=np.array([1.0, 2.5]),\n"
        "         nan=np.array([np.nan]), inf=np.array([-np.inf]), limit=np.array([2.0**63]),\n"
        "         lowest=np.array([-2.0**63]), big=np.array([2**63], dtype=np.uint64),\n"
        "         objects=np.array([{}], dtype=object),\n"
        "         bools=np.array([0, 1, 2], dtype=np.uint8).view(bool))\n"
        "with zipfile.ZipFile('a.npz', 'a', 8) as z:\n"
        "    z.writestr('zero.txt', b'a\\0b')\n"
        "    z.writestr('long.txt', b'ab' * (1 << 19) + b'c')\n"
        "    z.writestr('fits.txt', b'ab' * (1 << 19))\n"
        "    z.writestr('cut.npy', open('a.npz', 'rb').read()[60:100])\n"
        "    b = io.BytesIO(); np.save(b, np.zeros(3))\n"
        "    z.writestr('more.npy', b.getvalue() + b'x')\n"
        "    z.writestr('less.npy', b.getvalue()[:-1])\n");
    opened npz = open_npz(in(scratch, "a.npz"));
    assert_refused(isg_npz_read_doubles(npz.zip, "words", NULL, &numbers),
                   "a.npz(words.npy): expected numbers, found text");
    assert_refused(isg_npz_read_whole(npz.zip, "halves", NULL, &wholes),
                   "(halves.npy): expected whole numbers, found 2.5");
    assert_refused(isg_npz_read_whole(npz.zip, "nan", NULL, &wholes), "expected whole numbers");
    assert_refused(isg_npz_read_whole(npz.zip, "inf", NULL, &wholes), "found -inf");
    assert_refused(isg_npz_read_whole(npz.zip, "limit", NULL, &wholes), "expected whole numbers");
    assert_refused(isg_npz_read_whole(npz.zip, "big", NULL, &wholes), "below 2^63, found more");
    assert_refused(isg_npz_read_doubles(npz.zip, "objects", NULL, &numbers),
                   "(objects.npy): holds pickled Python objects");
    assert_refused(isg_npz_read_doubles(npz.zip, "bools", NULL, &numbers),
                   "(bools.npy): expected 0 or 1 for a bool, found 2");
    assert_refused(isg_npz_read_whole(npz.zip, "bools", NULL, &wholes), "0 or 1 for a bool");
    assert_refused(isg_npz_read_doubles(npz.zip, "cut", NULL, &numbers), "expected a NumPy array");
    assert_refused(isg_npz_read_doubles(npz.zip, "more", NULL, &numbers),
                   "(more.npy): expected the end after 152 bytes, but more follow");
    assert_refused(isg_npz_read_doubles(npz.zip, "less", NULL, &numbers),
                   "promises 24 bytes of data, but the file has room for 23");
    assert_refused(isg_npz_read_text(npz.zip, "zero.txt", &text), "found a zero byte");
    assert_refused(isg_npz_read_text(npz.zip, "long.txt", &text),
                   "expected a text of at most 1048576 bytes, found 1048577");
    assert_true(!numbers && !wholes && !text);
    assert_ok(isg_npz_read_text(npz.zip, "fits.txt", &text));
    assert_int_equal(strlen(text), 1 << 20);
    isg_release(text);
    assert_ok(isg_npz_read_whole(npz.zip, "lowest", NULL, &wholes));
    assert_true(wholes[0] == INT64_MIN);
    isg_release(wholes);
    close_npz(npz);
    scratch_remove(scratch);
}

static void test_writer_refuses(void **state) {
    (void)state;
    char *scratch = scratch_create();
    isg_npz_writer *writer = NULL;
    const size_t dims[] = {SIZE_MAX, 2};
    const isg_array_type type = isg_array_type_of(ISG_INT8, 2, dims);
    assert_ok(isg_npz_writer_create(&writer, in(scratch, "a.npz")));
    assert_int_equal(isg_npz_writer_add_array(writer, "a", &type, NULL), ISG_ERR_ARGUMENT);
    assert_message("does not fit in memory");
    assert_ok(isg_npz_writer_add_text(writer, "t", ""));
    assert_int_equal(isg_npz_writer_add_text(writer, "t", ""), ISG_ERR_ARGUMENT);
    isg_npz_writer_free(writer);
    isg_npz_writer_free(NULL);
    assert_int_equal(isg_npz_writer_create(&writer, in(scratch, "no/a.npz")), ISG_ERR_IO);
    scratch_remove(scratch);
}

/* ---- Damage ------------------------------------------------------------------------------- */

/* Reads "W" and "xi" and adds everything that was read to *sum, so that a change shows. */
static isg_status digest(const uint8_t *bytes, size_t size, double *sum) {
    isg_file *file = NULL;
    isg_zip *zip = NULL;
    double *weights = NULL;
    int64_t *spins = NULL;
    isg_array_type type;
    isg_status status = ISG_OK;
    *sum = 0;
    ISG_TRY_GOTO(isg_file_from_memory(&file, "x.npz", bytes, size));
    ISG_TRY_GOTO(isg_zip_open(&zip, file));
    ISG_TRY_GOTO(isg_npz_read_doubles(zip, "W", &type, &weights));
    for (size_t k = 0; k < isg_array_count(&type); k++)
        *sum += weights[k] * (double)(k + 1);
    ISG_TRY_GOTO(isg_npz_read_whole(zip, "xi", &type, &spins));
    for (size_t k = 0; k < isg_array_count(&type); k++)
        *sum += (double)(spins[k] * (int64_t)(k + 7));
done:
    isg_release(weights);
    isg_release(spins);
    isg_zip_close(zip);
    isg_file_close(file);
    return status;
}

static void test_damage(void **state) {
    (void)state;
    char *scratch = scratch_create();
    run_python(scratch, "arrays = dict(W=np.array([[1.5, -2], [0.25, 8]], order='F'),\n"
                        "              xi=np.array([1, -1] * 30, dtype='>i2'))\n"
                        "np.savez('plain.npz', **arrays)\n"
                        "np.savez_compressed('packed.npz', **arrays)\n");
    for (int k = 0; k < 2; k++) {
        size_t size = 0, n_harmless = 0;
        double sum = 0, expected = 0;
        uint8_t *bytes = read_file(in(scratch, k ? "plain.npz" : "packed.npz"), &size);
        assert_ok(digest(bytes, size, &expected));
        assert_true(expected == 1.5 - 2 * 2 + 3 * 0.25 + 4 * 8 - 30);
        for (size_t cut = 0; cut < size; cut++)
            assert_int_equal(digest(bytes, cut, &sum), ISG_ERR_FORMAT);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            const isg_status status = digest(bytes, size, &sum);
            assert_true(status == ISG_ERR_FORMAT || (status == ISG_OK && sum == expected));
            n_harmless += status == ISG_OK;
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        assert_true(n_harmless < 8 * size / 4);
        free(bytes);
    }
    scratch_remove(scratch);
}

static void test_bomb(void **state) {
    (void)state;
    char *scratch = scratch_create();
    double *numbers = NULL;
    run_python(scratch, "np.savez_compressed('a.npz', X=np.zeros(1 << 25, dtype=np.int8),\n"
                        "                    y=np.zeros(1 << 19, dtype=np.int8))\n");
    opened npz = open_npz(in(scratch, "a.npz"));
    assert_refused(isg_npz_read_doubles(npz.zip, "X", NULL, &numbers),
                   "look like a decompression bomb; save it uncompressed if you trust it");
    assert_ok(isg_npz_read_doubles(npz.zip, "y", NULL, &numbers));
    isg_release(numbers);
    close_npz(npz);
    scratch_remove(scratch);
}

/* ---- Without memory ----------------------------------------------------------------------- */

static isg_status write_job(void *user) {
    return write_sample(in(user, "a.npz"));
}

static isg_status read_job(void *user) {
    isg_file *file = NULL;
    isg_zip *zip = NULL;
    double *weights = NULL;
    int64_t *spins = NULL;
    char *text = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_file_open(&file, in(user, "a.npz")));
    ISG_TRY_GOTO(isg_zip_open(&zip, file));
    ISG_TRY_GOTO(isg_npz_read_doubles(zip, "W_fortran", NULL, &weights));
    ISG_TRY_GOTO(isg_npz_read_whole(zip, "xi", NULL, &spins));
    ISG_TRY_GOTO(isg_npz_read_text(zip, "meta.json", &text));
done:
    isg_release(weights);
    isg_release(spins);
    isg_release(text);
    isg_zip_close(zip);
    isg_file_close(file);
    return status;
}

static void test_no_memory(void **state) {
    (void)state;
    char *scratch = scratch_create(), command[128];
    assert_true(sweep_allocations(write_job, scratch) >= 20);
    assert_true(sweep_allocations(read_job, scratch) >= 20);
    snprintf(command, sizeof command, "test \"$(ls '%s')\" = a.npz", scratch);
    assert_int_equal(system(command), 0);
    scratch_remove(scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numpy_writes),  cmocka_unit_test(test_numpy_reads),
        cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_missing),
        cmocka_unit_test(test_wrong_content), cmocka_unit_test(test_writer_refuses),
        cmocka_unit_test(test_damage),        cmocka_unit_test(test_bomb),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
