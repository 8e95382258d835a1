/* npy.c - single arrays in NumPy's own file format
 *
 * SPDX-License-Identifier: MIT
 *
 * The header is parsed by hand as the one dictionary that NumPy writes, not as Python: the keys
 * descr, fortran_order and shape, each once, in any order.
 */
#include "io/npy.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/memory.h"

enum { MAGIC_BYTES = 6, DATA_ALIGNMENT = 64, MOST_HEADER = 1 << 16 };

static const uint8_t magic[MAGIC_BYTES] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

static const struct {
    char kind;
    size_t bytes;
    isg_dtype dtype;
} numbers[] = {{'b', 1, ISG_BOOL},    {'i', 1, ISG_INT8},    {'i', 2, ISG_INT16},
               {'i', 4, ISG_INT32},   {'i', 8, ISG_INT64},   {'u', 1, ISG_UINT8},
               {'u', 2, ISG_UINT16},  {'u', 4, ISG_UINT32},  {'u', 8, ISG_UINT64},
               {'f', 2, ISG_FLOAT16}, {'f', 4, ISG_FLOAT32}, {'f', 8, ISG_FLOAT64}};

enum { N_NUMBERS = sizeof numbers / sizeof numbers[0] };

/* Types that NumPy writes but we do not read. */
static const struct {
    const char *begins; /* the descr after its byte order */
    const char *what, *instead;
} refused[] = {
    {"O", "pickled Python objects, which are never read because unpickling can run any program",
     "dtype=float or dtype=str"},
    {"c", "complex numbers", "dtype=float, the real and imaginary parts apart"},
    {"f12", "extended-precision numbers", "dtype=numpy.float64"},
    {"f16", "extended-precision numbers", "dtype=numpy.float64"},
    {"M", "dates", "dtype=float or dtype=str"},
    {"m", "time differences", "dtype=float"},
    {"V", "raw records", "a plain dtype"},
};

enum { N_REFUSED = sizeof refused / sizeof refused[0] };

typedef struct parser {
    const char *name; /* of the source, for error sentences */
    const char *at, *end;
} parser;

/* What an error sentence may quote from a file: the beginning, in plain ASCII. */
typedef struct quotation {
    char text[32];
} quotation;

static quotation quote(const char *text, size_t length) {
    quotation q = {""};
    for (size_t i = 0; i < length && i + 1 < sizeof q.text; i++)
        q.text[i] = (char)(text[i] >= ' ' && text[i] <= '~' ? text[i] : '?');
    return q;
}

static isg_status bad_header(const parser *p, const char *expected) {
    return isg_fail(ISG_ERR_FORMAT, "%s: the .npy header is damaged: expected %s, found \"%s\"",
                    p->name, expected, quote(p->at, (size_t)(p->end - p->at)).text);
}

static void skip_space(parser *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r'))
        p->at++;
}

/* Takes the character if it comes next, after any spaces. */
static bool take(parser *p, char wanted) {
    skip_space(p);
    if (p->at == p->end || *p->at != wanted)
        return false;
    p->at++;
    return true;
}

static bool take_word(parser *p, const char *word) {
    skip_space(p);
    const size_t length = strlen(word);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0)
        return false;
    p->at += length;
    return true;
}

/* A number as Python writes it: decimal, no sign, no leading zeros. */
static bool take_number(parser *p, size_t *out) {
    const char *first = p->at;
    size_t value = 0;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++) {
        const size_t digit = (size_t)(*p->at - '0');
        if (!isg_multiply(&value, value, 10) || value > SIZE_MAX - digit)
            return false;
        value += digit;
    }
    *out = value;
    return p->at > first && (*first != '0' || p->at == first + 1);
}

/* A quoted string without escapes; NumPy's own never have any. */
static isg_status take_string(parser *p, const char *what, const char **text, size_t *length) {
    const char mark = take(p, '\'') ? '\'' : take(p, '"') ? '"' : '\0';
    if (!mark)
        return bad_header(p, what);
    const char *first = p->at;
    while (p->at < p->end && *p->at != mark && *p->at != '\\' && *p->at != '\n')
        p->at++;
    *text = first;
    *length = (size_t)(p->at - first);
    if (p->at == p->end || *p->at != mark)
        return bad_header(p, "a closing quotation mark");
    p->at++;
    return ISG_OK;
}

static isg_status unknown_descr(const parser *p, const char *descr, size_t length) {
    for (size_t k = 0; k < N_REFUSED; k++) {
        const size_t begins = strlen(refused[k].begins);
        if (length > begins && memcmp(descr + 1, refused[k].begins, begins) == 0)
            return isg_fail(ISG_ERR_FORMAT, "%s: holds %s ('%s'); save the array with %s", p->name,
                            refused[k].what, quote(descr, length).text, refused[k].instead);
    }
    return isg_fail(ISG_ERR_FORMAT,
                    "%s: expected an array of bool, integers, floats or text, found "
                    "dtype '%s'",
                    p->name, quote(descr, length).text);
}

static bool is_big_endian(char order) {
    return order == '>' || (order != '<' && isg_array_type_of(ISG_INT16, 0, NULL).is_big_endian);
}

/* "<f8": byte order, kind, size. */
static isg_status parse_descr(parser *p, isg_array_type *type) {
    const char *descr = NULL;
    size_t length = 0, size = 0;
    skip_space(p);
    if (p->at < p->end && *p->at == '[')
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: holds records with named fields (a structured array); save one field "
                        "of it, as in numpy.save(path, array['field'])",
                        p->name);
    ISG_TRY(take_string(p, "a dtype in quotation marks", &descr, &length));
    if (length < 3 || !memchr("<>=|", descr[0], 4))
        return unknown_descr(p, descr, length);
    parser digits = {p->name, descr + 2, descr + length};
    if (!take_number(&digits, &size) || digits.at != digits.end || size == 0)
        return unknown_descr(p, descr, length);
    type->is_big_endian = is_big_endian(descr[0]);
    type->item_bytes = size;
    if (descr[1] == 'S') {
        type->dtype = ISG_BYTES;
        return ISG_OK;
    }
    if (descr[1] == 'U' && isg_multiply(&type->item_bytes, size, 4)) {
        type->dtype = ISG_UNICODE;
        return ISG_OK;
    }
    for (size_t k = 0; k < N_NUMBERS; k++)
        if (descr[1] == numbers[k].kind && size == numbers[k].bytes) {
            type->dtype = numbers[k].dtype;
            return ISG_OK;
        }
    return unknown_descr(p, descr, length);
}

static isg_status parse_order(parser *p, isg_array_type *type) {
    type->is_column_major = take_word(p, "True");
    if (!type->is_column_major && !take_word(p, "False"))
        return bad_header(p, "True or False for fortran_order");
    return ISG_OK;
}

/* (), (n,) or (n, m) up to ISG_MAX_DIMS; Python 2 wrote large numbers as 5L. */
static isg_status parse_shape(parser *p, isg_array_type *type) {
    if (!take(p, '('))
        return bad_header(p, "a shape in parentheses");
    bool has_comma = true;
    type->n_dims = 0;
    while (!take(p, ')')) {
        if (!has_comma)
            return bad_header(p, "a comma or a closing parenthesis");
        if (type->n_dims == ISG_MAX_DIMS)
            return isg_fail(ISG_ERR_FORMAT, "%s: expected at most %d dimensions, found more",
                            p->name, ISG_MAX_DIMS);
        if (!take_number(p, &type->dims[type->n_dims++]))
            return bad_header(p, "the sizes of the shape");
        if (p->at < p->end && *p->at == 'L')
            p->at++;
        has_comma = take(p, ',');
    }
    if (type->n_dims == 1 && !has_comma)
        return bad_header(p, "a comma after the only size of the shape");
    return ISG_OK;
}

static isg_status parse_header(parser *p, isg_array_type *type) {
    static const struct {
        const char *name;
        isg_status (*parse)(parser *p, isg_array_type *type);
    } keys[] = {{"descr", parse_descr}, {"fortran_order", parse_order}, {"shape", parse_shape}};
    enum { N_KEYS = sizeof keys / sizeof keys[0] };
    bool is_seen[N_KEYS] = {false};
    bool has_comma = true;
    if (!take(p, '{'))
        return bad_header(p, "an opening brace");
    while (!take(p, '}')) {
        const char *key = NULL;
        size_t length = 0, k = 0;
        if (!has_comma)
            return bad_header(p, "a comma or a closing brace");
        ISG_TRY(take_string(p, "a key in quotation marks", &key, &length));
        while (k < N_KEYS &&
               (strlen(keys[k].name) != length || memcmp(keys[k].name, key, length) != 0))
            k++;
        if (k == N_KEYS || is_seen[k] || !take(p, ':'))
            return isg_fail(ISG_ERR_FORMAT,
                            "%s: the .npy header is damaged: expected descr, fortran_order and "
                            "shape once each, found \"%s\"",
                            p->name, quote(key, length).text);
        is_seen[k] = true;
        ISG_TRY(keys[k].parse(p, type));
        has_comma = take(p, ',');
    }
    for (size_t k = 0; k < N_KEYS; k++)
        if (!is_seen[k])
            return isg_fail(ISG_ERR_FORMAT, "%s: the .npy header is damaged: %s is missing",
                            p->name, keys[k].name);
    skip_space(p);
    return p->at == p->end ? ISG_OK : bad_header(p, "nothing but spaces after the closing brace");
}

/* Reads up to and including the length of the header. */
static isg_status read_preamble(isg_source *source, size_t *length) {
    uint8_t start[MAGIC_BYTES + 2], size[4] = {0};
    const char *name = isg_source_name(source);
    size_t got = 0;
    ISG_TRY(isg_source_read_some(source, start, sizeof start, &got));
    if (got < sizeof start || memcmp(start, magic, MAGIC_BYTES) != 0)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: expected a NumPy array (.npy), but the content does not begin as one "
                        "does",
                        name);
    const unsigned version = start[MAGIC_BYTES];
    if (version < 1 || version > 3 || start[MAGIC_BYTES + 1] != 0)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: expected .npy format 1.0, 2.0 or 3.0, found format %u.%u", name,
                        version, (unsigned)start[MAGIC_BYTES + 1]);
    ISG_TRY(isg_source_read(source, size, version == 1 ? 2 : 4, "the .npy header"));
    const uint32_t promised = (uint32_t)size[0] | (uint32_t)size[1] << 8 | (uint32_t)size[2] << 16 |
                              (uint32_t)size[3] << 24;
    const uint64_t most = isg_source_at_most(source);
    if (promised > MOST_HEADER || promised > most)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: expected a .npy header of at most %llu bytes, found a length of %lu",
                        name, (unsigned long long)(most < MOST_HEADER ? most : MOST_HEADER),
                        (unsigned long)promised);
    *length = promised;
    return ISG_OK;
}

isg_status isg_npy_read_header(isg_source *source, isg_array_type *out) {
    isg_array_type type = {.n_dims = 0};
    char *text = NULL;
    size_t length = 0;
    isg_status status = ISG_OK;
    ISG_TRY(read_preamble(source, &length));
    ISG_TRY(ISG_ALLOCATE(text, length));
    ISG_TRY_GOTO(isg_source_read(source, text, length, "the .npy header"));
    parser p = {isg_source_name(source), text, text + length};
    ISG_TRY_GOTO(parse_header(&p, &type));
    ISG_TRY_GOTO(isg_array_check(&type, source));
    *out = type;
done:
    isg_release(text);
    return status;
}

/* The dtype as NumPy writes it: "|u1", "<f8", "<U12". */
static void format_descr(const isg_array_type *type, char *out, size_t room) {
    char order = type->is_big_endian ? '>' : '<', kind = 'U';
    size_t size = type->item_bytes;
    if (type->dtype == ISG_BYTES)
        kind = 'S';
    else if (type->dtype == ISG_UNICODE)
        size /= 4;
    for (size_t k = 0; k < N_NUMBERS; k++)
        if (type->dtype == numbers[k].dtype)
            kind = numbers[k].kind;
    if (type->item_bytes == 1 || type->dtype == ISG_BYTES)
        order = '|';
    snprintf(out, room, "%c%c%zu", order, kind, size);
}

size_t isg_npy_header(const isg_array_type *type, uint8_t out[ISG_NPY_HEADER_BYTES]) {
    char descr[32], shape[ISG_MAX_DIMS * 24] = "", text[ISG_NPY_HEADER_BYTES];
    assert(type->n_dims <= ISG_MAX_DIMS && type->item_bytes > 0);
    format_descr(type, descr, sizeof descr);
    size_t used = 0;
    for (size_t d = 0; d < type->n_dims; d++)
        used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%zu%s", d > 0 ? ", " : "",
                                 type->dims[d], type->n_dims == 1 ? "," : "");
    const size_t length =
        (size_t)snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }",
                         descr, type->is_column_major ? "True" : "False", shape);
    const size_t preamble = MAGIC_BYTES + 4;
    const size_t blocks = (preamble + length + 1 + DATA_ALIGNMENT - 1) / DATA_ALIGNMENT;
    const size_t total = blocks * DATA_ALIGNMENT;
    memset(out, ' ', total);
    memcpy(out, magic, MAGIC_BYTES);
    out[MAGIC_BYTES] = 1;
    out[MAGIC_BYTES + 1] = 0;
    out[MAGIC_BYTES + 2] = (uint8_t)(total - preamble);
    out[MAGIC_BYTES + 3] = (uint8_t)((total - preamble) >> 8);
    memcpy(out + preamble, text, length);
    out[total - 1] = '\n';
    return total;
}

isg_status isg_npy_data_bytes(const isg_array_type *type, size_t *bytes) {
    /* Zero sizes come last, so they cannot hide a product that no reader would accept. */
    size_t product = type->item_bytes;
    bool is_empty = false;
    for (size_t d = 0; d < type->n_dims; d++) {
        is_empty = is_empty || type->dims[d] == 0;
        if (type->dims[d] > 0 && !isg_multiply(&product, product, type->dims[d]))
            return isg_fail(ISG_ERR_ARGUMENT, "an array of this shape does not fit in memory");
    }
    *bytes = is_empty ? 0 : product;
    return ISG_OK;
}

isg_status isg_npy_write(const char *path, const isg_array_type *type, const void *data) {
    uint8_t header[ISG_NPY_HEADER_BYTES];
    isg_atomic_file *file = NULL;
    isg_status status = ISG_OK;
    size_t bytes = 0;
    ISG_TRY(isg_npy_data_bytes(type, &bytes));
    ISG_TRY(isg_atomic_file_create(&file, path));
    ISG_TRY_GOTO(isg_atomic_file_write(file, header, isg_npy_header(type, header)));
    ISG_TRY_GOTO(isg_atomic_file_write(file, data, bytes));
    ISG_TRY_GOTO(isg_atomic_file_commit(file));
done:
    isg_atomic_file_free(file);
    return status;
}
