/* r_data.c - the objects in a file that R's save() or saveRDS() wrote
 *
 * SPDX-License-Identifier: MIT
 *
 * A file is one item: a word of flags (type, whether attributes and a tag follow), then what the type
 * says. The items of a vector are in place and stay where they are; everything else becomes a value, a
 * pair, a text or an item in one of four arrays. Lists of pairs are read in a loop, since R nests them
 * at their end, so that only real nesting counts against DEEPEST.
 */
#include "cli/r_data.h"

#include <math.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/text.h"

enum { DEEPEST = 400 };

/* The types that occur, as serialize.c of R numbers them. */
enum {
    SYMBOL = 1,
    PAIRS = 2,
    CLOSURE = 3,
    ENVIRONMENT = 4,
    PROMISE = 5,
    CALL = 6,
    SPECIAL = 7,
    BUILTIN = 8,
    TEXT = 9,
    LOGICAL = 10,
    INTEGER = 13,
    REAL = 14,
    COMPLEX = 15,
    TEXTS = 16,
    DOTS = 17,
    LIST = 19,
    EXPRESSION = 20,
    BYTE_CODE = 21,
    RAW = 24,
    OBJECT = 25,
    ALTERNATIVE = 238,
    PAIRS_WITH_ATTRIBUTES = 239,
    CALL_WITH_ATTRIBUTES = 240,
    FIRST_CONSTANT = 241, /* the base environment, the missing argument, ... */
    LAST_CONSTANT = 242,
    CODE_REFERENCE = 243,
    CODE_DEFINITION = 244,
    PACKAGE = 249,
    PACKAGE_SPACE = 250,
    MISSING_ARGUMENT = 251,
    UNBOUND = 252,
    GLOBAL = 253,
    NIL = 254,
    REFERENCE = 255
};
enum { HAS_ATTRIBUTES = 512, HAS_TAG = 1024 };

typedef struct r_string {
    const char *bytes; /* NULL: missing */
    size_t length;
} r_string;

typedef struct r_pair {
    r_string tag;
    size_t value, next; /* next: 0 after the last */
} r_pair;

struct r_data {
    const char *name;
    const uint8_t *bytes;
    size_t size, at, depth;
    r_value *values; /* 0 is nothing */
    size_t n_values, values_room;
    r_pair *pairs; /* 0 is unused */
    size_t n_pairs, pairs_room;
    r_string *texts;
    size_t n_texts, texts_room;
    size_t *items;
    size_t n_items, items_room;
    r_string *references; /* the names of symbols; other things that can be referred to are NULL */
    size_t n_references, references_room;
    size_t root;
};

static isg_status bad(const r_data *data, const char *what) {
    return isg_fail(ISG_ERR_FORMAT, "%s: byte %zu: %s", data->name, data->at, what);
}

static isg_status take(r_data *data, size_t count, const uint8_t **bytes) {
    if (count > data->size - data->at)
        return bad(data, "the file is cut off");
    *bytes = data->bytes + data->at;
    data->at += count;
    return ISG_OK;
}

static uint32_t word_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static isg_status take_word(r_data *data, uint32_t *word) {
    const uint8_t *bytes = NULL;
    ISG_TRY(take(data, 4, &bytes));
    *word = word_at(bytes);
    return ISG_OK;
}

/* A length, of things that take at least `each` bytes. */
static isg_status take_length(r_data *data, size_t each, size_t *length) {
    uint32_t word = 0;
    ISG_TRY(take_word(data, &word));
    if (word > INT32_MAX)
        return bad(data, "a vector of more than 2^31 - 1 items cannot be read");
    *length = word;
    return *length > (data->size - data->at) / each ? bad(data, "the file is cut off") : ISG_OK;
}

#define MORE(data, list, count)                                                                    \
    isg_grow((void **)&(data)->list, &(data)->list##_room, (data)->n_##list + (count),             \
             sizeof *(data)->list)

static isg_status add_value(r_data *data, r_value value, size_t *out) {
    ISG_TRY(MORE(data, values, 1));
    *out = data->n_values;
    data->values[data->n_values++] = value;
    return ISG_OK;
}

static isg_status add_reference(r_data *data, r_string name) {
    ISG_TRY(MORE(data, references, 1));
    data->references[data->n_references++] = name;
    return ISG_OK;
}

static isg_status read_item(r_data *data, size_t *out);

static isg_status skip_items(r_data *data, size_t count) {
    size_t ignored = 0;
    for (size_t k = 0; k < count; k++)
        ISG_TRY(read_item(data, &ignored));
    return ISG_OK;
}

/* What follows the flags of a text. */
static isg_status read_string(r_data *data, uint32_t flags, r_string *out) {
    uint32_t length = 0;
    const uint8_t *bytes = NULL;
    if ((flags & 255) != TEXT)
        return bad(data, "expected a text");
    ISG_TRY(take_word(data, &length));
    if (length != UINT32_MAX)
        ISG_TRY(take(data, length, &bytes));
    *out = (r_string){(const char *)bytes, bytes ? length : 0};
    return flags & HAS_ATTRIBUTES ? skip_items(data, 1) : ISG_OK;
}

static isg_status read_texts(r_data *data, r_value *value) {
    size_t count = 0;
    ISG_TRY(take_length(data, 8, &count));
    ISG_TRY(MORE(data, texts, count));
    value->kind = R_TEXTS;
    value->count = count;
    value->first = data->n_texts;
    data->n_texts += count;
    for (size_t k = 0; k < count; k++) {
        uint32_t flags = 0;
        r_string text = {0};
        ISG_TRY(take_word(data, &flags));
        ISG_TRY(read_string(data, flags, &text));
        data->texts[value->first + k] = text;
    }
    return ISG_OK;
}

static isg_status read_list(r_data *data, r_value *value) {
    size_t count = 0;
    ISG_TRY(take_length(data, 4, &count));
    ISG_TRY(MORE(data, items, count));
    value->kind = R_LIST;
    value->count = count;
    value->first = data->n_items;
    data->n_items += count;
    if (count) /* there may be no block at all */
        memset(data->items + value->first, 0, count * sizeof *data->items);
    for (size_t k = 0; k < count; k++) {
        size_t item = 0;
        ISG_TRY(read_item(data, &item));
        data->items[value->first + k] = item;
    }
    return ISG_OK;
}

static isg_status read_vector(r_data *data, uint32_t type, r_value *value) {
    const size_t each = type == COMPLEX ? 16 : type == REAL ? 8 : type == RAW ? 1 : 4;
    ISG_TRY(take_length(data, each, &value->count));
    value->kind = type == REAL                     ? R_NUMBERS
                  : type == COMPLEX || type == RAW ? R_NOTHING
                                                   : R_INTEGERS;
    return take(data, each * value->count, &value->bytes);
}

static isg_status refer(r_data *data, uint32_t flags, r_string *name) {
    uint32_t number = flags >> 8;
    if (number == 0)
        ISG_TRY(take_word(data, &number));
    if (number == 0 || number > data->n_references)
        return bad(data, "a reference to something that does not come before");
    *name = data->references[number - 1];
    return ISG_OK;
}

/* The tag of a pair is a symbol, new or seen before, or nothing. */
static isg_status read_tag(r_data *data, r_string *tag) {
    uint32_t flags = 0, text_flags = 0;
    ISG_TRY(take_word(data, &flags));
    if ((flags & 255) == REFERENCE)
        return refer(data, flags, tag);
    if ((flags & 255) != SYMBOL) {
        data->at -= 4;
        return skip_items(data, 1);
    }
    ISG_TRY(take_word(data, &text_flags));
    ISG_TRY(read_string(data, text_flags, tag));
    return add_reference(data, *tag);
}

static bool is_paired(uint32_t type) {
    return type == PAIRS || type == CALL || type == CLOSURE || type == PROMISE || type == DOTS ||
           type == PAIRS_WITH_ATTRIBUTES || type == CALL_WITH_ATTRIBUTES;
}

/* All pairs of a list, `flags` being those of the first. They are numbered in the order of the file, so
   that r_find_matrix() finds an outer one before those inside it. */
static isg_status read_pairs(r_data *data, uint32_t flags, size_t *first) {
    for (size_t last = 0; is_paired(flags & 255);) {
        r_pair pair = {.tag = {0}};
        if (flags & HAS_ATTRIBUTES)
            ISG_TRY(skip_items(data, 1));
        if (flags & HAS_TAG)
            ISG_TRY(read_tag(data, &pair.tag));
        ISG_TRY(MORE(data, pairs, 1));
        const size_t here = data->n_pairs++;
        data->pairs[here] = pair;
        *(last ? &data->pairs[last].next : first) = here;
        last = here;
        size_t value = 0;
        ISG_TRY(read_item(data, &value));
        data->pairs[here].value = value;
        ISG_TRY(take_word(data, &flags));
    }
    data->at -= 4;
    return skip_items(data, 1); /* nothing, or the body of a function */
}

static isg_status skip_code(r_data *data);

/* A call among the constants of byte code, where parts that repeat are numbered. */
static isg_status skip_call(r_data *data, uint32_t type) {
    uint32_t word = 0;
    if (type == CODE_REFERENCE)
        return take_word(data, &word);
    if (type == CODE_DEFINITION) {
        ISG_TRY(take_word(data, &word));
        ISG_TRY(take_word(data, &type));
    }
    if (!is_paired(type))
        return skip_items(data, 1);
    if (++data->depth > DEEPEST)
        return bad(data, "nested too deeply");
    if (type == PAIRS_WITH_ATTRIBUTES || type == CALL_WITH_ATTRIBUTES)
        ISG_TRY(skip_items(data, 1));
    ISG_TRY(skip_items(data, 1));
    for (int part = 0; part < 2; part++) {
        ISG_TRY(take_word(data, &word));
        ISG_TRY(skip_call(data, word));
    }
    data->depth--;
    return ISG_OK;
}

static isg_status skip_code(r_data *data) {
    size_t n_constants = 0;
    if (++data->depth > DEEPEST)
        return bad(data, "nested too deeply");
    ISG_TRY(skip_items(data, 1));
    ISG_TRY(take_length(data, 4, &n_constants));
    for (size_t k = 0; k < n_constants; k++) {
        uint32_t type = 0;
        ISG_TRY(take_word(data, &type));
        if (type == BYTE_CODE)
            ISG_TRY(skip_code(data));
        else if (is_paired(type) || type == CODE_REFERENCE || type == CODE_DEFINITION)
            ISG_TRY(skip_call(data, type));
        else
            ISG_TRY(skip_items(data, 1));
    }
    data->depth--;
    return ISG_OK;
}

/* What has neither attributes nor a value to look at; *is_done is false for anything else. */
static isg_status read_past(r_data *data, uint32_t flags, bool *is_done) {
    uint32_t word = 0, text_flags = 0;
    size_t count = 0;
    r_string name = {0};
    const uint8_t *bytes = NULL;
    *is_done = true;
    switch (flags & 255) {
    case FIRST_CONSTANT:
    case LAST_CONSTANT:
    case MISSING_ARGUMENT:
    case UNBOUND:
    case GLOBAL:
    case NIL:
        return ISG_OK;
    case REFERENCE:
        return refer(data, flags, &name);
    case SYMBOL:
        ISG_TRY(take_word(data, &text_flags));
        ISG_TRY(read_string(data, text_flags, &name));
        return add_reference(data, name);
    case PACKAGE:
    case PACKAGE_SPACE:
        ISG_TRY(take_word(data, &word));
        ISG_TRY(take_length(data, 4, &count));
        ISG_TRY(skip_items(data, count));
        return add_reference(data, (r_string){0});
    case ENVIRONMENT: /* locked or not, then its parent, variables, their hash table, attributes */
        ISG_TRY(take_word(data, &word));
        ISG_TRY(add_reference(data, (r_string){0}));
        return skip_items(data, 4);
    case ALTERNATIVE:
        return skip_items(data, 3); /* its class, state and attributes */
    case SPECIAL:
    case BUILTIN:
        ISG_TRY(take_length(data, 1, &count));
        return take(data, count, &bytes);
    case TEXT:
        return read_string(data, flags, &name);
    default:
        *is_done = false;
        return ISG_OK;
    }
}

static isg_status read_attributes(r_data *data, size_t *first) {
    uint32_t flags = 0;
    ISG_TRY(take_word(data, &flags));
    return is_paired(flags & 255) ? read_pairs(data, flags, first)
                                  : bad(data, "attributes that are no list of pairs");
}

static isg_status read_item(r_data *data, size_t *out) {
    uint32_t flags = 0;
    r_value value = {.kind = R_NOTHING};
    bool is_done = false;
    *out = 0;
    if (++data->depth > DEEPEST)
        return bad(data, "nested too deeply");
    ISG_TRY(take_word(data, &flags));
    ISG_TRY(read_past(data, flags, &is_done));
    const uint32_t type = flags & 255;
    if (!is_done && is_paired(type)) {
        value.kind = R_PAIRS;
        ISG_TRY(read_pairs(data, flags, &value.first));
        ISG_TRY(add_value(data, value, out));
    } else if (!is_done) {
        uint32_t word = 0;
        switch (type) {
        case LOGICAL:
        case INTEGER:
        case REAL:
        case COMPLEX:
        case RAW:
            ISG_TRY(read_vector(data, type, &value));
            break;
        case TEXTS:
            ISG_TRY(read_texts(data, &value));
            break;
        case LIST:
        case EXPRESSION:
            ISG_TRY(read_list(data, &value));
            break;
        case BYTE_CODE:
            ISG_TRY(take_word(data, &word));
            ISG_TRY(skip_code(data));
            break;
        case OBJECT:
            break;
        default:
            return bad(data, "an object of a type that cannot be read");
        }
        if (flags & HAS_ATTRIBUTES)
            ISG_TRY(read_attributes(data, &value.attributes));
        ISG_TRY(add_value(data, value, out));
    }
    data->depth--;
    return ISG_OK;
}

static isg_status read_all(r_data *data) {
    static const char *const heads[] = {"RDX2\n", "RDX3\n"};
    const uint8_t *bytes = NULL;
    uint32_t version = 0, ignored = 0;
    for (size_t k = 0; k < 2; k++)
        if (data->size >= 5 && memcmp(data->bytes, heads[k], 5) == 0)
            data->at = 5;
    ISG_TRY(take(data, 2, &bytes));
    if (memcmp(bytes, "X\n", 2) != 0)
        return bad(data, "this is no file of R, or not in its binary XDR form");
    ISG_TRY(take_word(data, &version));
    if (version != 2 && version != 3)
        return bad(data, "only versions 2 and 3 of R's files can be read");
    ISG_TRY(take_word(data, &ignored)); /* the version of R that wrote it */
    ISG_TRY(take_word(data, &ignored)); /* the oldest that can read it */
    if (version == 3) {
        size_t length = 0; /* of the name of its encoding */
        ISG_TRY(take_length(data, 1, &length));
        ISG_TRY(take(data, length, &bytes));
    }
    ISG_TRY(add_value(data, (r_value){.kind = R_NOTHING}, &data->root));
    ISG_TRY(MORE(data, pairs, 1));
    data->pairs[data->n_pairs++] = (r_pair){.tag = {0}};
    ISG_TRY(read_item(data, &data->root));
    return data->at == data->size ? ISG_OK : bad(data, "something follows the last object");
}

isg_status r_data_read(r_data **out, const char *name, const uint8_t *bytes, size_t size) {
    r_data *data = NULL;
    ISG_TRY(ISG_ALLOCATE(data, 1));
    *data = (r_data){.name = name, .bytes = bytes, .size = size};
    const isg_status status = read_all(data);
    if (status == ISG_OK)
        *out = data;
    else
        r_data_free(data);
    return status;
}

void r_data_free(r_data *data) {
    if (!data)
        return;
    isg_release(data->values);
    isg_release(data->pairs);
    isg_release(data->texts);
    isg_release(data->items);
    isg_release(data->references);
    isg_release(data);
}

/* ---- Looking ------------------------------------------------------------------------------ */

const r_value *r_root(const r_data *data) {
    return &data->values[data->root];
}

static bool is_called(r_string text, const char *name) {
    return text.bytes && text.length == strlen(name) && memcmp(text.bytes, name, text.length) == 0;
}

static const r_value *in_pairs(const r_data *data, size_t first, const char *name) {
    for (size_t k = first; k; k = data->pairs[k].next)
        if (is_called(data->pairs[k].tag, name))
            return &data->values[data->pairs[k].value];
    return NULL;
}

const r_value *r_get(const r_data *data, const r_value *value, const char *name) {
    if (!value)
        return NULL;
    if (value->kind == R_PAIRS)
        return in_pairs(data, value->first, name);
    const r_value *names =
        value->kind == R_LIST ? in_pairs(data, value->attributes, "names") : NULL;
    for (size_t k = 0; names && names->kind == R_TEXTS && k < names->count && k < value->count; k++)
        if (is_called(data->texts[names->first + k], name))
            return r_item(data, value, k);
    return in_pairs(data, value->attributes, name);
}

const r_value *r_find_matrix(const r_data *data, const char *tag) {
    for (size_t k = 1; k < data->n_pairs; k++) {
        const r_value *value = &data->values[data->pairs[k].value];
        if (is_called(data->pairs[k].tag, tag) && value->kind == R_NUMBERS &&
            in_pairs(data, value->attributes, "dim"))
            return value;
    }
    return NULL;
}

int32_t r_integer(const r_value *value, size_t k) {
    const uint32_t word = word_at(value->bytes + 4 * k);
    int32_t number;
    memcpy(&number, &word, sizeof number);
    return number;
}

double r_number(const r_value *value, size_t k) {
    if (value->kind == R_INTEGERS)
        return r_integer(value, k) == R_MISSING ? (double)NAN : (double)r_integer(value, k);
    const uint8_t *bytes = value->bytes + 8 * k;
    const uint64_t word = (uint64_t)word_at(bytes) << 32 | word_at(bytes + 4);
    double number;
    memcpy(&number, &word, sizeof number);
    return isnan(number) ? (double)NAN
                         : number; /* R marks its missing numbers by the payload of a NaN */
}

const r_value *r_item(const r_data *data, const r_value *value, size_t k) {
    return &data->values[data->items[value->first + k]];
}

const char *r_text(const r_data *data, const r_value *value, size_t k, size_t *length) {
    const r_string text = data->texts[value->first + k];
    *length = text.length;
    for (size_t at = 0, step = 0; text.bytes && at < text.length; at += step)
        if ((step = isg_utf8_length(text.bytes + at, text.length - at)) == 0 || !text.bytes[at])
            return NULL;
    return text.bytes;
}
