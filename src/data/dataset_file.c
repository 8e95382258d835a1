/* dataset_file.c - a data set as a whole, in an .npz of its own
 *
 * SPDX-License-Identifier: MIT
 *
 * dataset.json (what isg_dataset_describe() says), spins and, if some are, missing (n_samples, bytes) as
 * numpy.packbits() packs them, labels (n_samples), -1 for none, classes, ids, the encoding (encoding.c),
 * meta.json. Unlike a file of values it keeps what became of them, so isg_dataset_load() does not read it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "data/data.h"
#include "io/json.h"
#include "io/meta.h"

static const char member[] = "dataset.json";

typedef enum field_kind { COUNT, FLAG, NUMBER } field_kind;

/* Numbers are texts, and NaN is left out, as in encoding.json. The sizes come first. */
#define FIELD(kind, name)                                                                          \
    { kind, #name, offsetof(isg_dataset_info, name) }
static const struct {
    field_kind kind;
    const char *key;
    size_t offset;
} fields[] = {FIELD(COUNT, n_samples),          FIELD(COUNT, n_visible),
              FIELD(FLAG, has_values),          FIELD(NUMBER, smallest),
              FIELD(NUMBER, largest),           FIELD(NUMBER, full_scale),
              FIELD(NUMBER, threshold),         FIELD(COUNT, n_constant),
              FIELD(COUNT, n_unused_columns),   FIELD(COUNT, n_missing),
              FIELD(COUNT, n_missing_samples),  FIELD(COUNT, n_unlabelled),
              FIELD(COUNT, n_unmatched_labels), FIELD(FLAG, columns_by_position),
              FIELD(FLAG, joined_by_id)};
enum { N_FIELDS = sizeof fields / sizeof fields[0] };

/* ---- writing ---------------------------------------------------------------------------------- */

static isg_status write_info(const isg_dataset_info *info, isg_npz_writer *writer) {
    char *text = NULL, numbers[N_FIELDS][ISG_NUMBER_ROOM];
    isg_json_pair pairs[N_FIELDS];
    size_t n_pairs = 0;
    for (size_t k = 0; k < N_FIELDS; k++) {
        const void *value = (const char *)info + fields[k].offset;
        isg_json_pair pair = {.key = fields[k].key, .kind = ISG_JSON_INTEGER};
        if (fields[k].kind == COUNT) {
            pair.integer = (int64_t) * (const size_t *)value;
        } else if (fields[k].kind == FLAG) {
            pair.integer = *(const bool *)value;
        } else if (isnan(*(const double *)value)) {
            continue;
        } else {
            isg_format_number(numbers[k], sizeof numbers[k], *(const double *)value);
            pair.kind = ISG_JSON_TEXT;
            pair.text = numbers[k];
        }
        pairs[n_pairs++] = pair;
    }
    ISG_TRY(isg_json_write(&text, pairs, n_pairs));
    const isg_status status = isg_npz_writer_add_text(writer, member, text);
    isg_release(text);
    return status;
}

static isg_status write_plane(const isg_dataset *data, const uint64_t *plane, const char *name,
                              isg_npz_writer *writer) {
    const size_t n = data->info.n_samples, row = (data->info.n_visible + 7) / 8;
    const isg_array_type type = isg_array_type_of(ISG_UINT8, 2, (const size_t[]){n, row});
    uint8_t *bytes = NULL;
    ISG_TRY(ISG_ALLOCATE_MATRIX(bytes, n, row));
    for (size_t a = 0; a < n; a++)
        isg_pack_bytes(plane + a * data->words, data->info.n_visible, bytes + a * row);
    const isg_status status = isg_npz_writer_add_stored(writer, name, &type, bytes);
    isg_release(bytes);
    return status;
}

static isg_status write_labels(const isg_labels *labels, isg_npz_writer *writer) {
    const isg_array_type type = isg_array_type_of(ISG_INT64, 1, &labels->count);
    int64_t *numbers = NULL;
    isg_names classes = {0};
    isg_status status = ISG_OK;
    if (labels->count == 0)
        return ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(numbers, labels->count));
    for (size_t a = 0; a < labels->count; a++)
        numbers[a] = labels->index[a] == ISG_UNLABELLED ? -1 : (int64_t)labels->index[a];
    for (size_t c = 0; c < labels->n_classes; c++)
        ISG_TRY_GOTO(isg_names_add(&classes, labels->names[c], strlen(labels->names[c])));
    ISG_TRY_GOTO(isg_npz_writer_add_array(writer, "labels", &type, numbers));
    status = isg_names_write(&classes, writer, "classes");
done:
    isg_names_clear(&classes);
    isg_release(numbers);
    return status;
}

static isg_status write_all(const isg_dataset *data, uint64_t seed, const char *command,
                            isg_npz_writer *writer) {
    const isg_meta meta = {.kind = "dataset",
                           .seed = seed,
                           .command = command,
                           .image_height = data->info.image_height,
                           .image_width = data->info.image_width};
    ISG_TRY(write_info(&data->info, writer));
    ISG_TRY(write_plane(data, data->spins, "spins", writer));
    if (data->missing)
        ISG_TRY(write_plane(data, data->missing, "missing", writer));
    ISG_TRY(write_labels(&data->labels, writer));
    ISG_TRY(isg_names_write(&data->ids, writer, "ids"));
    ISG_TRY(isg_encoding_write(data->encoding, writer));
    return isg_meta_write(&meta, writer);
}

isg_status isg_dataset_to_bytes(const isg_dataset *data, uint64_t seed, const char *command,
                                void **bytes, size_t *size) {
    isg_npz_writer *writer = NULL;
    ISG_TRY(isg_npz_writer_create(&writer, NULL));
    return isg_npz_writer_end(writer, write_all(data, seed, command, writer), bytes, size);
}

/* ---- reading ---------------------------------------------------------------------------------- */

static isg_status wrong(const isg_zip *zip, const char *array, const char *expected) {
    return isg_fail(ISG_ERR_FORMAT, "%s: %s: expected %s", isg_zip_file_name(zip), array, expected);
}

static isg_status read_field(isg_dataset_info *info, size_t k, const isg_json *json,
                             const isg_zip *zip) {
    void *value = (char *)info + fields[k].offset;
    const char *text = NULL;
    int64_t integer = 0;
    if (fields[k].kind == NUMBER) {
        *(double *)value = (double)NAN;
        if (!isg_json_has(json, fields[k].key))
            return ISG_OK;
        ISG_TRY(isg_json_text(json, fields[k].key, &text));
        return isg_parse_number(text, value) == ISG_NUMBER_OK
                   ? ISG_OK
                   : wrong(zip, fields[k].key, "a number");
    }
    ISG_TRY(isg_json_integer(json, fields[k].key, &integer));
    if (integer < 0 || (fields[k].kind == FLAG && integer > 1))
        return wrong(zip, fields[k].key,
                     fields[k].kind == FLAG ? "0 or 1" : "a number of at least 0");
    if (fields[k].kind == FLAG)
        *(bool *)value = integer == 1;
    else
        *(size_t *)value = (size_t)integer;
    return ISG_OK;
}

static isg_status read_info(isg_dataset *data, isg_zip *zip) {
    char *text = NULL;
    isg_json *json = NULL;
    isg_meta meta;
    isg_dataset_info *info = &data->info;
    isg_status status = ISG_OK;
    ISG_TRY(isg_meta_read(&meta, zip));
    ISG_TRY(isg_npz_read_text(zip, member, &text));
    ISG_TRY_GOTO(isg_json_parse(&json, isg_zip_file_name(zip), text, strlen(text)));
    for (size_t k = 0; k < N_FIELDS; k++)
        ISG_TRY_GOTO(read_field(info, k, json, zip));
    if (info->n_samples == 0 || info->n_visible == 0)
        ISG_TRY_GOTO(wrong(zip, member, "at least one sample of one unit"));
    data->words = isg_words(info->n_visible);
    isg_meta_take_shape(&meta, info->n_visible, &info->image_height, &info->image_width);
done:
    isg_json_free(json);
    isg_release(text);
    return status;
}

/* The header has promised no more bytes than the file can hold before anything is allocated. */
static isg_status read_plane(uint64_t **out, const isg_dataset *data, isg_zip *zip,
                             const char *name) {
    const size_t n = data->info.n_samples,
                 row = data->info.n_visible / 8 + (data->info.n_visible % 8 > 0);
    isg_source *source = NULL;
    isg_array_type type;
    uint8_t *bytes = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_open(&source, &type, zip, name));
    if (type.dtype != ISG_UINT8 || type.n_dims != 2 || type.is_column_major || type.dims[0] != n ||
        type.dims[1] != row)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_SHAPE, "%s: %s: expected %zu x %zu bytes by rows",
                              isg_zip_file_name(zip), name, n, row));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(*out, n, data->words));
    ISG_TRY_GOTO(ISG_ALLOCATE(bytes, row));
    for (size_t a = 0; a < n; a++) {
        ISG_TRY_GOTO(isg_array_read(source, &type, row, "the spins", bytes));
        isg_unpack_bytes(bytes, data->info.n_visible, *out + a * data->words);
    }
    status = isg_source_end(source);
done:
    isg_release(bytes);
    isg_source_free(source);
    return status;
}

static isg_status read_classes(isg_labels *labels, isg_zip *zip) {
    isg_names classes = {0};
    isg_status status = ISG_OK;
    if (!isg_npz_has(zip, "classes"))
        return ISG_OK; /* no sample has a label */
    ISG_TRY_GOTO(isg_names_read(&classes, zip, "classes"));
    ISG_TRY_GOTO(ISG_ALLOCATE(labels->names, classes.count));
    labels->names_capacity = classes.count;
    for (size_t c = 0; c < classes.count; c++) {
        const char *name = isg_names_at(&classes, c);
        if (!*name || strlen(name) >= ISG_LABEL_BYTES)
            ISG_TRY_GOTO(wrong(zip, "classes", "names of 1 to 255 bytes"));
        if (!(labels->names[c] = isg_copy_text(name)))
            ISG_TRY_GOTO(ISG_ERR_MEMORY);
        labels->n_classes++;
    }
done:
    isg_names_clear(&classes);
    return status;
}

static isg_status read_labels(isg_dataset *data, isg_zip *zip) {
    isg_labels *labels = &data->labels;
    isg_array_type type;
    int64_t *numbers = NULL;
    isg_status status = ISG_OK;
    if (!isg_npz_has(zip, "labels"))
        return ISG_OK;
    ISG_TRY(read_classes(labels, zip));
    ISG_TRY(isg_npz_read_whole(zip, "labels", &type, &numbers));
    if (type.n_dims != 1 || type.dims[0] != data->info.n_samples)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_SHAPE, "%s: labels: expected one for each of %zu samples",
                              isg_zip_file_name(zip), data->info.n_samples));
    ISG_TRY_GOTO(ISG_ALLOCATE(labels->index, type.dims[0]));
    labels->count = labels->capacity = type.dims[0];
    for (size_t a = 0; a < labels->count; a++) {
        if (numbers[a] < -1 || numbers[a] >= (int64_t)labels->n_classes)
            ISG_TRY_GOTO(wrong(zip, "labels", "the numbers of classes, or -1"));
        labels->index[a] = numbers[a] < 0 ? ISG_UNLABELLED : (uint32_t)numbers[a];
    }
done:
    isg_release(numbers);
    return status;
}

static isg_status read_ids(isg_dataset *data, isg_zip *zip) {
    if (!isg_npz_has(zip, "ids"))
        return ISG_OK;
    ISG_TRY(isg_names_read(&data->ids, zip, "ids"));
    return data->ids.count == data->info.n_samples
               ? ISG_OK
               : isg_fail(ISG_ERR_SHAPE, "%s: ids: expected one for each of %zu samples, found %zu",
                          isg_zip_file_name(zip), data->info.n_samples, data->ids.count);
}

static isg_status read_all(isg_dataset **out, isg_zip *zip) {
    isg_dataset *data = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_dataset_new(&data));
    ISG_TRY_GOTO(read_info(data, zip));
    ISG_TRY_GOTO(read_plane(&data->spins, data, zip, "spins"));
    if (isg_npz_has(zip, "missing"))
        ISG_TRY_GOTO(read_plane(&data->missing, data, zip, "missing"));
    ISG_TRY_GOTO(read_labels(data, zip));
    ISG_TRY_GOTO(read_ids(data, zip));
    ISG_TRY_GOTO(isg_encoding_read(&data->encoding, zip, data->info.n_visible));
    ISG_TRY_GOTO(isg_dataset_count_classes(data));
    *out = data;
    data = NULL;
done:
    isg_dataset_free(data);
    return status;
}

isg_status isg_dataset_from_bytes(isg_dataset **out, const char *name, const void *bytes,
                                  size_t size) {
    isg_zip *zip = NULL;
    ISG_TRY(isg_zip_open_bytes(&zip, name, bytes, size));
    const isg_status status = read_all(out, zip);
    isg_zip_close(zip);
    return status;
}
