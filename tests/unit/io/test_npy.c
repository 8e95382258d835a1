/* test_npy.c - .npy files: what NumPy writes, what NumPy reads, and what nobody should
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <math.h>

#include "io/npy.h"
#include "numpy_helper.h"

enum { ROOM = 1 << 17, DATA = 64 };

/* The file with this header text and DATA zero bytes behind it; returns its size. */
static size_t make_file(uint8_t *out, unsigned version, const char *header, size_t length) {
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (uint8_t)version;
    out[7] = 0;
    size_t at = 8;
    for (size_t i = 0; i < (version == 1 ? 2u : 4u); i++)
        out[at++] = (uint8_t)(length >> 8 * i);
    memcpy(out + at, header, length);
    memset(out + at + length, 0, DATA);
    return at + length + DATA;
}

static isg_status read_bytes(const uint8_t *bytes, size_t size, isg_array_type *type) {
    isg_file *file = NULL;
    isg_source *source = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_file_from_memory(&file, "a.npy", bytes, size));
    ISG_TRY_GOTO(isg_source_create(&source, file, ISG_PLAIN, 0, size));
    ISG_TRY_GOTO(isg_npy_read_header(source, type));
    assert_int_equal(isg_source_at_most(source), DATA);
done:
    isg_source_free(source);
    isg_file_close(file);
    return status;
}

static isg_status read_text(unsigned version, const char *header, isg_array_type *type) {
    static uint8_t bytes[ROOM];
    return read_bytes(bytes, make_file(bytes, version, header, strlen(header)), type);
}

static const struct {
    const char *header;
    isg_array_type type;
} accepted[] = {
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }          \n",
     {ISG_FLOAT64, 8, false, false, 2, {2, 3}}},
    {"{'descr': '>f4', 'fortran_order': True, 'shape': (2, 3)}", /* no comma, no newline */
     {ISG_FLOAT32, 4, true, true, 2, {2, 3}}},
    {"{'shape': (16L,), 'fortran_order': False, 'descr': '<i2'}\n", /* Python 2; other order */
     {ISG_INT16, 2, false, false, 1, {16}}},
    {"{\"shape\":(),\"descr\":\"|b1\",\"fortran_order\":False}",
     {ISG_BOOL, 1, false, false, 0, {0}}},
    {" \t{ 'shape' : ( 1 , 2 , 1 , 4 , ) , 'descr' : '<u8' , 'fortran_order' : True , } \r\n ",
     {ISG_UINT64, 8, false, true, 4, {1, 2, 1, 4}}},
    {"{'descr': '|i1', 'fortran_order': False, 'shape': (0, 18446744073709551615)}",
     {ISG_INT8, 1, false, false, 2, {0, SIZE_MAX}}},
    {"{'descr': '=i4', 'fortran_order': False, 'shape': (3,)}",
     {ISG_INT32, 4, false, false, 1, {3}}},
    {"{'descr': '>u1', 'fortran_order': False, 'shape': (3,)}",
     {ISG_UINT8, 1, true, false, 1, {3}}},
    {"{'descr': '>f2', 'fortran_order': False, 'shape': (3,)}",
     {ISG_FLOAT16, 2, true, false, 1, {3}}},
    {"{'descr': '|S5', 'fortran_order': False, 'shape': (3,)}",
     {ISG_BYTES, 5, false, false, 1, {3}}},
    {"{'descr': '>U5', 'fortran_order': False, 'shape': (3,)}",
     {ISG_UNICODE, 20, true, false, 1, {3}}},
};

static void test_accepted(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof accepted / sizeof accepted[0]; k++)
        for (unsigned version = 1; version <= 3; version++) {
            const isg_array_type *expected = &accepted[k].type;
            isg_array_type type;
            assert_ok(read_text(version, accepted[k].header, &type));
            assert_int_equal(type.dtype, expected->dtype);
            assert_int_equal(type.item_bytes, expected->item_bytes);
            assert_int_equal(type.is_column_major, expected->is_column_major);
            assert_int_equal(type.n_dims, expected->n_dims);
            for (size_t d = 0; d < type.n_dims; d++)
                assert_true(type.dims[d] == expected->dims[d]);
            if (strchr(accepted[k].header, '<') || strchr(accepted[k].header, '>'))
                assert_int_equal(type.is_big_endian, expected->is_big_endian);
        }
}

#define HEADER(descr, order, shape)                                                                \
    "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }"
#define DESCR(descr) HEADER(descr, "False", "(2,)")
#define SHAPE(shape) HEADER("'<f8'", "False", shape)

static const struct {
    const char *header, *message;
} refused[] = {
    /* types */
    {DESCR("'|O'"), "a.npy: holds pickled Python objects, which are never read because unpickling "
                    "can run any program ('|O'); save the array with dtype="},
    {DESCR("'<c16'"), "complex numbers ('<c16')"},
    {DESCR("'<f16'"), "extended-precision numbers"},
    {DESCR("'<M8[ns]'"), "holds dates ('<M8[ns]')"},
    {DESCR("'<m8[s]'"), "time differences"},
    {DESCR("'|V4'"), "raw records"},
    {DESCR("[('x', '<f8'), ('y', '<i4')]"), "records with named fields (a structured array)"},
    {DESCR("'<i3'"), "found dtype '<i3'"},
    {DESCR("'<u16'"), "found dtype '<u16'"},
    {DESCR("'<b2'"), "found dtype '<b2'"},
    {DESCR("'f8'"), "found dtype 'f8'"},
    {DESCR("'<f'"), "found dtype '<f'"},
    {DESCR("'<f08'"), "found dtype '<f08'"},
    {DESCR("'<i8x'"), "found dtype '<i8x'"},
    {DESCR("'|S0'"), "found dtype '|S0'"},
    {DESCR("'<U'"), "found dtype '<U'"},
    {DESCR("'<U4611686018427387904'"), "found dtype '<U4611686018427387904'"},
    {DESCR("'|S99999999999999999999'"), "found dtype '|S99"},
    {DESCR("''"), "found dtype ''"},
    {DESCR("'<'"), "found dtype '<'"},
    {DESCR("'\xff\xc3\x01'"), "found dtype '?\?\?'"},
    {DESCR("'<f8"), "found dtype '<f8, "},
    {DESCR("'<f\\x38'"), "expected a closing quotation mark"},
    {DESCR("<f8"), "expected a dtype in quotation marks, found \"<f8, 'fortran"},
    {DESCR("8"), "expected a dtype in quotation marks"},
    /* order */
    {HEADER("'<f8'", "false", "(2,)"), "expected True or False for fortran_order, found \"false"},
    {HEADER("'<f8'", "0", "(2,)"), "expected True or False"},
    {HEADER("'<f8'", "Falsehood", "(2,)"), "expected a comma or a closing brace"},
    /* shape */
    {SHAPE("(2)"), "expected a comma after the only size of the shape"},
    {SHAPE("2"), "expected a shape in parentheses"},
    {SHAPE("[2]"), "expected a shape in parentheses"},
    {SHAPE("(-2,)"), "expected the sizes of the shape, found \"-2"},
    {SHAPE("(2.0,)"), "expected a comma or a closing parenthesis"},
    {SHAPE("(,)"), "expected the sizes of the shape"},
    {SHAPE("(2,,3)"), "expected the sizes of the shape"},
    {SHAPE("(2 3)"), "expected a comma or a closing parenthesis"},
    {SHAPE("(02,)"), "expected the sizes of the shape"},
    {SHAPE("(2, 3"), "expected the sizes of the shape"},
    {SHAPE("(18446744073709551616,)"), "expected the sizes of the shape"},
    {SHAPE("(18446744073709551615,)"), "promises more data than can exist"},
    {SHAPE("(4294967296, 4294967296)"), "promises more data than can exist"},
    {SHAPE("(0, 4294967296, 4294967296)"), "promises more data than can exist"},
    {SHAPE("(9,)"), "promises 72 bytes of data, but the file has room for 64"},
    {SHAPE("(1, 1, 1, 1, 1)"), "expected at most 4 dimensions, found more"},
    /* the dictionary */
    {"", "expected an opening brace, found \"\""},
    {"{", "expected a key in quotation marks"},
    {"{}", "descr is missing"},
    {"{'descr': '<f8', 'shape': (2,)}", "fortran_order is missing"},
    {"{'descr': '<f8', 'fortran_order': False}", "shape is missing"},
    {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2,)}",
     "shape once each, found \"descr\""},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'more': 1}",
     "shape once each, found \"more\""},
    {"{'descr' '<f8', 'fortran_order': False, 'shape': (2,)}", "found \"descr\""},
    {"{'descr': '<f8' 'fortran_order': False, 'shape': (2,)}", "a comma or a closing brace"},
    {"{, 'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", "expected a key"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,)},", "nothing but spaces after"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,)",
     "expected a comma or a closing brace, found \"\""},
    {"(('descr', '<f8'),)", "expected an opening brace, found \"(('descr'"},
};

static void test_refused(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++)
        for (unsigned version = 1; version <= 3; version++) {
            isg_array_type type = {.item_bytes = 12345};
            assert_refused(read_text(version, refused[k].header, &type), refused[k].message);
            assert_int_equal(type.item_bytes, 12345);
        }
}

static void test_preamble(void **state) {
    (void)state;
    static uint8_t bytes[ROOM];
    isg_array_type type;
    const char header[] = SHAPE("(2,)");
    const size_t size = make_file(bytes, 2, header, strlen(header));
    assert_ok(read_bytes(bytes, size, &type));
    bytes[1] = 'n';
    assert_refused(read_bytes(bytes, size, &type),
                   "a.npy: expected a NumPy array (.npy), but the content does not begin as one");
    bytes[1] = 'N';
    bytes[6] = 4;
    assert_refused(read_bytes(bytes, size, &type),
                   "expected .npy format 1.0, 2.0 or 3.0, found format 4.0");
    bytes[6] = 0;
    assert_refused(read_bytes(bytes, size, &type), "found format 0.0");
    bytes[6] = 1;
    bytes[7] = 1;
    assert_refused(read_bytes(bytes, size, &type), "found format 1.1");
    bytes[6] = 2;
    bytes[7] = 0;
    memset(bytes + 8, 0xff, 4);
    assert_refused(read_bytes(bytes, ROOM, &type),
                   "expected a .npy header of at most 65536 bytes, found a length of 4294967295");
    assert_refused(read_bytes(bytes, size, &type), "found a length of 4294967295");
}

static void test_longest_header(void **state) {
    (void)state;
    static char header[ROOM];
    isg_array_type type;
    memset(header, ' ', sizeof header);
    memcpy(header, SHAPE("(2,)"), strlen(SHAPE("(2,)")));
    header[65536] = '\0';
    assert_ok(read_text(2, header, &type));
    header[65535] = '\0';
    assert_ok(read_text(1, header, &type));
    header[65535] = header[65536] = ' ';
    header[65537] = '\0';
    assert_refused(read_text(3, header, &type), "at most 65536 bytes, found a length of 65537");
}

static void test_cut_anywhere(void **state) {
    (void)state;
    uint8_t bytes[512];
    isg_array_type type;
    const char header[] = SHAPE("(8,)");
    for (unsigned version = 1; version <= 3; version++) {
        const size_t size = make_file(bytes, version, header, strlen(header));
        assert_ok(read_bytes(bytes, size, &type));
        for (size_t cut = 0; cut < size; cut++)
            assert_int_equal(read_bytes(bytes, cut, &type), ISG_ERR_FORMAT);
    }
}

static void test_header_is_aligned(void **state) {
    (void)state;
    isg_array_type type = {.dtype = ISG_FLOAT64, .item_bytes = 8, .n_dims = 4};
    uint8_t header[ISG_NPY_HEADER_BYTES];
    for (size_t k = 0; k < 20; k++) {
        for (size_t d = 0; d < 4; d++)
            type.dims[d] = k == 0 ? SIZE_MAX : type.dims[d] / 10;
        const size_t length = isg_npy_header(&type, header);
        assert_true(length % 64 == 0 && length <= sizeof header);
        assert_int_equal(header[length - 1], '\n');
        assert_int_equal(header[8] + 256 * header[9], length - 10);
    }
}

static void test_write_refuses_absurd_shape(void **state) {
    (void)state;
    char *scratch = scratch_create();
    const size_t dims[] = {SIZE_MAX / 2, 2};
    const isg_array_type type = isg_array_type_of(ISG_FLOAT64, 2, dims);
    assert_int_equal(isg_npy_write(in(scratch, "a.npy"), &type, NULL), ISG_ERR_ARGUMENT);
    assert_message("does not fit in memory");
    const isg_array_type scalar = isg_array_type_of(ISG_FLOAT64, 0, NULL);
    assert_int_equal(isg_npy_write(in(scratch, "no/a.npy"), &scalar, "12345678"), ISG_ERR_IO);
    scratch_remove(scratch);
}

/* ---- With NumPy --------------------------------------------------------------------------- */

static const char *const descrs[] = {"|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2",
                                     "<u4", "<u8", "<f4", "<f8", ">i2", ">i4", ">i8",
                                     ">u2", ">u4", ">u8", ">f4", ">f8", "<f2", ">f2"};
static const isg_dtype dtypes[] = {
    ISG_BOOL,   ISG_INT8,   ISG_INT16,   ISG_INT32,   ISG_INT64,   ISG_UINT8,   ISG_UINT16,
    ISG_UINT32, ISG_UINT64, ISG_FLOAT32, ISG_FLOAT64, ISG_INT16,   ISG_INT32,   ISG_INT64,
    ISG_UINT16, ISG_UINT32, ISG_UINT64,  ISG_FLOAT32, ISG_FLOAT64, ISG_FLOAT16, ISG_FLOAT16};
static const struct {
    size_t n_dims, dims[ISG_MAX_DIMS];
} shapes[] = {{0, {0}},    {1, {1}},    {1, {7}},       {1, {0}},       {2, {3, 4}},
              {2, {1, 5}}, {2, {0, 5}}, {3, {2, 3, 4}}, {3, {2, 0, 4}}, {4, {2, 3, 1, 2}}};
enum {
    N_DESCRS = sizeof descrs / sizeof descrs[0],
    N_SHAPES = sizeof shapes / sizeof shapes[0],
    MOST_NUMBERS = 32
};

/* In both languages: the number at place k in C order. Every type can hold it. */
#define PYTHON_CASES                                                                               \
    "descrs = ('|b1 |i1 <i2 <i4 <i8 |u1 <u2 <u4 <u8 <f4 <f8 >i2 >i4 >i8 >u2 >u4 >u8 >f4 >f8 '\n"   \
    "          '<f2 >f2')\n"                                                                       \
    "shapes = [(), (1,), (7,), (0,), (3, 4), (1, 5), (0, 5), (2, 3, 4), (2, 0, 4), (2, 3, 1, "     \
    "2)]\n"                                                                                        \
    "cases = [(f'{d}-{s}-{o}.npy', np.array([k % 2 if descr == '|b1' else 3 * k + 1 for k in\n"    \
    "          range(int(np.prod(shape)))], dtype=descr).reshape(shape, "                          \
    "order='C').copy('CF'[o]))\n"                                                                  \
    "         for d, descr in enumerate(descrs.split()) for s, shape in enumerate(shapes)\n"       \
    "         for o in (0, 1)]\n"

static double expected_number(isg_dtype dtype, size_t k) {
    return dtype == ISG_BOOL ? (double)(k % 2) : (double)(3 * k + 1);
}

/* The place in C order of the number that comes k-th in the file. */
static size_t place(const isg_array_type *type, size_t k) {
    if (!type->is_column_major)
        return k;
    size_t index[ISG_MAX_DIMS] = {0}, result = 0;
    for (size_t d = 0; d < type->n_dims; d++) {
        index[d] = k % type->dims[d];
        k /= type->dims[d];
    }
    for (size_t d = 0; d < type->n_dims; d++)
        result = result * type->dims[d] + index[d];
    return result;
}

static void check_case(const char *path, size_t d, size_t s, bool is_fortran) {
    isg_file *file = NULL;
    isg_source *source = NULL;
    isg_array_type type;
    uint8_t raw[8 * MOST_NUMBERS];
    double values[MOST_NUMBERS];
    assert_ok(isg_file_open(&file, path));
    assert_ok(isg_source_create(&source, file, ISG_PLAIN, 0, isg_file_size(file)));
    assert_ok(isg_npy_read_header(source, &type));
    assert_int_equal(type.dtype, dtypes[d]);
    if (type.item_bytes > 1)
        assert_int_equal(type.is_big_endian, descrs[d][0] == '>');
    assert_int_equal(type.n_dims, shapes[s].n_dims);
    for (size_t k = 0; k < type.n_dims; k++)
        assert_int_equal(type.dims[k], shapes[s].dims[k]);
    const size_t count = isg_array_count(&type);
    if (is_fortran && count > 5 && type.n_dims > 1)
        assert_true(type.is_column_major);
    assert_ok(isg_source_read(source, raw, count * type.item_bytes, "the numbers"));
    assert_ok(isg_source_end(source));
    isg_array_decode(&type, raw, count, values);
    for (size_t k = 0; k < count; k++)
        assert_true(values[k] == expected_number(type.dtype, place(&type, k)));
    isg_source_free(source);
    isg_file_close(file);
}

static void test_numpy_writes(void **state) {
    (void)state;
    char *scratch = scratch_create(), name[32];
    run_python(scratch, PYTHON_CASES "for name, array in cases:\n    np.save(name, array)\n");
    for (size_t d = 0; d < N_DESCRS; d++)
        for (size_t s = 0; s < N_SHAPES; s++)
            for (size_t o = 0; o < 2; o++) {
                snprintf(name, sizeof name, "%zu-%zu-%zu.npy", d, s, o);
                check_case(in(scratch, name), d, s, o == 1);
            }
    scratch_remove(scratch);
}

/* The bytes of the array of a case, as its file holds them. */
static uint64_t half_bits(double number) { /* of a small positive whole number */
    int exponent = 0;
    const double fraction = frexp(number, &exponent);
    return (uint64_t)(exponent + 14) << 10 | (uint64_t)(fraction * 2048 - 1024);
}

static void encode(const isg_array_type *type, uint8_t *out) {
    for (size_t k = 0; k < isg_array_count(type); k++, out += type->item_bytes) {
        const double number = expected_number(type->dtype, place(type, k));
        const float single = (float)number;
        uint64_t bits = (uint64_t)number;
        uint32_t low = 0;
        memcpy(&low, &single, sizeof low);
        if (type->dtype == ISG_FLOAT64)
            memcpy(&bits, &number, sizeof bits);
        if (type->dtype == ISG_FLOAT32)
            bits = low;
        if (type->dtype == ISG_FLOAT16)
            bits = half_bits(number);
        for (size_t i = 0; i < type->item_bytes; i++)
            out[type->is_big_endian ? type->item_bytes - 1 - i : i] = (uint8_t)(bits >> 8 * i);
    }
}

static void test_numpy_reads(void **state) {
    (void)state;
    char *scratch = scratch_create(), name[32];
    uint8_t raw[8 * MOST_NUMBERS];
    for (size_t d = 0; d < N_DESCRS; d++)
        for (size_t s = 0; s < N_SHAPES; s++)
            for (size_t o = 0; o < 2; o++) {
                isg_array_type type =
                    isg_array_type_of(dtypes[d], shapes[s].n_dims, shapes[s].dims);
                type.is_big_endian = descrs[d][0] == '>';
                type.is_column_major = o == 1;
                encode(&type, raw);
                snprintf(name, sizeof name, "%zu-%zu-%zu.npy", d, s, o);
                assert_ok(isg_npy_write(in(scratch, name), &type, raw));
                check_case(in(scratch, name), d, s, o == 1);
            }
    run_python(scratch, PYTHON_CASES
               "for name, array in cases:\n"
               "    ours = np.load(name, allow_pickle=False)\n"
               "    assert ours.dtype == array.dtype and ours.dtype.str == array.dtype.str, name\n"
               "    assert ours.shape == array.shape and np.array_equal(ours, array), name\n"
               "    if array.size > 5 and array.ndim > 1:\n"
               "        assert ours.flags.f_contiguous == array.flags.f_contiguous, name\n"
               "    start = open(name, 'rb').read()\n"
               "    assert (len(start) - array.nbytes) % 64 == 0, name\n");
    scratch_remove(scratch);
}

static void test_numpy_versions_and_text(void **state) {
    (void)state;
    char *scratch = scratch_create(), word[16];
    run_python(scratch, "a = np.arange(6.0).reshape(2, 3)\n"
                        "for v in (1, 2, 3):\n"
                        "    with open(f'v{v}.npy', 'wb') as f:\n"
                        "        np.lib.format.write_array(f, a, version=(v, 0))\n"
                        "np.save('words.npy', np.array(['zero', '\\u00e9t\\u00e9', '']))\n"
                        "np.save('objects.npy', np.array([{}, 1], dtype=object))\n");
    static const char *const names[] = {"v1.npy", "v2.npy", "v3.npy", "words.npy"};
    for (size_t k = 0; k < 4; k++) {
        isg_file *file = NULL;
        isg_source *source = NULL;
        isg_array_type type;
        uint8_t raw[64];
        assert_ok(isg_file_open(&file, in(scratch, names[k])));
        assert_ok(isg_source_create(&source, file, ISG_PLAIN, 0, isg_file_size(file)));
        assert_ok(isg_npy_read_header(source, &type));
        assert_ok(isg_source_read(source, raw, 48, "the data"));
        assert_ok(isg_source_end(source));
        double numbers[6];
        if (k < 3) {
            isg_array_decode(&type, raw, 6, numbers);
            assert_true(numbers[0] == 0 && numbers[5] == 5);
        } else {
            assert_int_equal(type.dtype, ISG_UNICODE);
            assert_true(isg_array_decode_text(&type, raw, 1, word, sizeof word));
            assert_string_equal(word, "\xc3\xa9t\xc3\xa9");
        }
        isg_source_free(source);
        isg_file_close(file);
    }
    size_t size = 0;
    isg_array_type type;
    uint8_t *bytes = read_file(in(scratch, "objects.npy"), &size);
    assert_refused(read_bytes(bytes, size, &type), "pickled Python objects");
    free(bytes);
    scratch_remove(scratch);
}

static void test_numpy_reads_text(void **state) {
    (void)state;
    char *scratch = scratch_create();
    isg_array_type type = {.dtype = ISG_BYTES, .item_bytes = 3, .n_dims = 1, .dims = {2}};
    assert_ok(isg_npy_write(in(scratch, "bytes.npy"), &type, "abc\0\0\0"));
    type = (isg_array_type){.dtype = ISG_UNICODE, .item_bytes = 8, .n_dims = 1, .dims = {1}};
    assert_ok(isg_npy_write(in(scratch, "text.npy"), &type, "A\0\0\0\xac\x20\0\0"));
    run_python(scratch, "a = np.load('bytes.npy', allow_pickle=False)\n"
                        "assert a.dtype.str == '|S3' and a.tolist() == [b'abc', b'']\n"
                        "a = np.load('text.npy', allow_pickle=False)\n"
                        "assert a.dtype.str == '<U2' and a.tolist() == ['A\\u20ac']\n");
    scratch_remove(scratch);
}

/* ---- Without memory ----------------------------------------------------------------------- */

static isg_status read_job(void *user) {
    isg_array_type type;
    (void)user;
    return read_text(1, SHAPE("(2,)"), &type);
}

static isg_status write_job(void *user) {
    const size_t dims[] = {2};
    const isg_array_type type = isg_array_type_of(ISG_INT8, 1, dims);
    return isg_npy_write(in(user, "a.npy"), &type, "ab");
}

static void test_no_memory(void **state) {
    (void)state;
    char *scratch = scratch_create(), command[128];
    assert_true(sweep_allocations(read_job, NULL) >= 4);
    assert_true(sweep_allocations(write_job, scratch) >= 3);
    /* Nothing but the finished file is left. */
    snprintf(command, sizeof command, "test \"$(ls '%s')\" = a.npy", scratch);
    assert_int_equal(system(command), 0);
    scratch_remove(scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_preamble),
        cmocka_unit_test(test_longest_header),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_header_is_aligned),
        cmocka_unit_test(test_write_refuses_absurd_shape),
        cmocka_unit_test(test_numpy_writes),
        cmocka_unit_test(test_numpy_reads),
        cmocka_unit_test(test_numpy_versions_and_text),
        cmocka_unit_test(test_numpy_reads_text),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
