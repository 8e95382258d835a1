/* encoding.c - how values became spins, and the names of the units
 *
 * SPDX-License-Identifier: MIT
 *
 * In files: encoding.json (rule, full scale, sizes), and where they say more than that, thresholds
 * (N), columns (N), fill (N, +1 or -1) and units (N, text).
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "data/data.h"
#include "io/json.h"

static const char member[] = "encoding.json";

/* ---- rules as text ---------------------------------------------------------------------------- */

/* In the order of isg_binarize. */
static const struct {
    const char *name;
    bool has_parameter;
} rules[] = {{"auto", false},    {"zero", false},     {"value", true},      {"mean", false},
             {"median", false},  {"midpoint", false}, {"quantile", true},   {"otsu", false},
             {"mixture", false}, {"spins", false},    {"thresholds", false}};
enum { N_RULES = sizeof rules / sizeof rules[0] };

void isg_binarize_text(isg_binarize rule, double at, char text[ISG_BINARIZE_ROOM]) {
    char number[ISG_NUMBER_ROOM] = "";
    if (rules[rule].has_parameter)
        isg_format_number(number, sizeof number, at);
    snprintf(text, ISG_BINARIZE_ROOM, "%s%s%s", rules[rule].name,
             rules[rule].has_parameter ? ":" : "", number);
}

static isg_status no_rule(const char *text) {
    return isg_fail(
        ISG_ERR_ARGUMENT,
        "expected zero, value:T, mean, median, midpoint, quantile:Q with Q from 0 to 1, "
        "otsu or mixture, found '%.60s'",
        text);
}

isg_status isg_binarize_parse(const char *text, isg_binarize *rule, double *at) {
    const size_t length = strcspn(text, ":");
    for (size_t k = 0; k < N_RULES; k++) {
        if (strlen(rules[k].name) != length || memcmp(rules[k].name, text, length) != 0 ||
            k == ISG_BINARIZE_THRESHOLDS)
            continue;
        double value = 0;
        const bool has_parameter = text[length] == ':';
        if (has_parameter != rules[k].has_parameter)
            break;
        if (has_parameter && isg_parse_number(text + length + 1, &value) != ISG_NUMBER_OK)
            break;
        if (k == ISG_BINARIZE_QUANTILE && !(value >= 0 && value <= 1))
            break;
        *rule = (isg_binarize)k;
        *at = value;
        return ISG_OK;
    }
    return no_rule(text);
}

/* ---- life ------------------------------------------------------------------------------------- */

isg_status isg_encoding_create(isg_encoding **out, size_t n_visible) {
    isg_encoding *encoding = NULL;
    ISG_TRY(ISG_ALLOCATE(encoding, 1));
    atomic_init(&encoding->users, 1);
    encoding->info = (isg_encoding_info){
        .n_visible = n_visible, .n_columns = n_visible, .rule = ISG_BINARIZE_ZERO, .full_scale = 1};
    const isg_status status = ISG_ALLOCATE(encoding->thresholds, n_visible);
    if (status == ISG_OK)
        *out = encoding;
    else
        isg_release(encoding);
    return status;
}

isg_encoding *isg_encoding_share(const isg_encoding *encoding) {
    /* Only the number of users changes, which is nobody's business but theirs. */
    isg_encoding *shared = (isg_encoding *)(uintptr_t)encoding;
    if (shared)
        atomic_fetch_add(&shared->users, 1);
    return shared;
}

void isg_encoding_free(isg_encoding *encoding) {
    if (!encoding || atomic_fetch_sub(&encoding->users, 1) > 1)
        return;
    isg_release(encoding->thresholds);
    isg_release(encoding->columns);
    isg_release(encoding->fill);
    isg_names_clear(&encoding->units);
    isg_release(encoding);
}

const isg_encoding *isg_encoding_retain(const isg_encoding *encoding) {
    return isg_encoding_share(encoding);
}

void isg_encoding_release(const isg_encoding *encoding) {
    isg_encoding_free((isg_encoding *)(uintptr_t)encoding);
}

static isg_status take_thresholds(isg_encoding *encoding, const double *thresholds,
                                  const char *const *unit_names) {
    const size_t n = encoding->info.n_visible;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(thresholds[i]))
            return isg_fail(ISG_ERR_ARGUMENT,
                            "thresholds: expected finite numbers, found %g for unit %zu, counted "
                            "from 0",
                            thresholds[i], i);
        if (unit_names && !unit_names[i])
            return isg_fail(ISG_ERR_ARGUMENT,
                            "unit_names: expected a name for each unit, found none for unit %zu, "
                            "counted from 0",
                            i);
        encoding->thresholds[i] = thresholds[i] + 0.0; /* not -0 */
        if (unit_names)
            ISG_TRY(isg_names_add(&encoding->units, unit_names[i], strlen(unit_names[i])));
    }
    return isg_names_make_unique(&encoding->units);
}

isg_status isg_encoding_from_thresholds(const isg_encoding **out, size_t n_visible,
                                        const double *thresholds, const char *const *unit_names) {
    isg_encoding *encoding = NULL;
    isg_status status = ISG_OK;
    if (n_visible == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "n_visible: expected at least one unit, found 0");
    ISG_TRY(isg_encoding_create(&encoding, n_visible));
    ISG_TRY_GOTO(take_thresholds(encoding, thresholds, unit_names));
    const double common = isg_encoding_describe(encoding).threshold;
    encoding->info.smallest = encoding->info.largest = (double)NAN;
    encoding->info.at = isnan(common) ? 0 : common;
    encoding->info.rule = isnan(common) ? ISG_BINARIZE_THRESHOLDS
                          : common != 0 ? ISG_BINARIZE_VALUE
                                        : ISG_BINARIZE_ZERO;
    *out = encoding;
    return ISG_OK;
done:
    isg_encoding_free(encoding);
    return status;
}

/* ---- what it says ----------------------------------------------------------------------------- */

isg_encoding_info isg_encoding_describe(const isg_encoding *encoding) {
    isg_encoding_info info = encoding->info;
    info.has_names = encoding->units.count > 0;
    info.threshold = encoding->thresholds[0];
    for (size_t i = 1; i < info.n_visible; i++)
        if (encoding->thresholds[i] != info.threshold)
            info.threshold = (double)NAN;
    return info;
}

double isg_encoding_threshold(const isg_encoding *encoding, size_t unit) {
    return unit < encoding->info.n_visible ? encoding->thresholds[unit] : (double)NAN;
}

const char *isg_encoding_unit_name(const isg_encoding *encoding, size_t unit) {
    return encoding ? isg_names_at(&encoding->units, unit) : NULL;
}

/* ---- writing ---------------------------------------------------------------------------------- */

/* The numbers of encoding.json, which are texts there: jansson aborts if memory runs out in the middle
   of a long number. NaN, for what is unknown, is left out. */
static const struct {
    const char *key;
    size_t offset;
    bool is_required;
} number_fields[] = {{"at", offsetof(isg_encoding_info, at), true},
                     {"full_scale", offsetof(isg_encoding_info, full_scale), true},
                     {"smallest", offsetof(isg_encoding_info, smallest), false},
                     {"largest", offsetof(isg_encoding_info, largest), false},
                     {"threshold", offsetof(isg_encoding_info, threshold), false}};
enum { N_NUMBERS = sizeof number_fields / sizeof number_fields[0] };

static isg_status write_fill(const isg_encoding *encoding, isg_npz_writer *writer) {
    const size_t n = encoding->info.n_visible;
    const isg_array_type type = isg_array_type_of(ISG_INT8, 1, &n);
    int8_t *fill = NULL;
    ISG_TRY(ISG_ALLOCATE(fill, n));
    for (size_t i = 0; i < n; i++)
        fill[i] = (int8_t)isg_spin(encoding->fill, i);
    const isg_status status = isg_npz_writer_add_array(writer, "fill", &type, fill);
    isg_release(fill);
    return status;
}

static isg_status write_columns(const isg_encoding *encoding, isg_npz_writer *writer) {
    const size_t n = encoding->info.n_visible;
    const isg_array_type type = isg_array_type_of(ISG_INT64, 1, &n);
    int64_t *columns = NULL;
    ISG_TRY(ISG_ALLOCATE(columns, n));
    for (size_t i = 0; i < n; i++)
        columns[i] = (int64_t)encoding->columns[i];
    const isg_status status = isg_npz_writer_add_array(writer, "columns", &type, columns);
    isg_release(columns);
    return status;
}

isg_status isg_encoding_write(const isg_encoding *encoding, isg_npz_writer *writer) {
    if (!encoding)
        return ISG_OK;
    const isg_encoding_info info = isg_encoding_describe(encoding);
    char *text = NULL, numbers[N_NUMBERS][ISG_NUMBER_ROOM];
    size_t n_pairs = 2;
    isg_json_pair pairs[2 + N_NUMBERS] = {
        {.key = "rule", .kind = ISG_JSON_TEXT, .text = rules[info.rule].name},
        {.key = "n_columns", .kind = ISG_JSON_INTEGER, .integer = (int64_t)info.n_columns},
    };
    for (size_t k = 0; k < N_NUMBERS; k++) {
        const double number = *(const double *)((const char *)&info + number_fields[k].offset);
        if (isnan(number))
            continue;
        isg_format_number(numbers[k], sizeof numbers[k], number);
        pairs[n_pairs++] =
            (isg_json_pair){.key = number_fields[k].key, .kind = ISG_JSON_TEXT, .text = numbers[k]};
    }
    ISG_TRY(isg_json_write(&text, pairs, n_pairs));
    const isg_status status = isg_npz_writer_add_text(writer, member, text);
    isg_release(text);
    ISG_TRY(status);
    if (isnan(info.threshold))
        ISG_TRY(isg_npz_writer_add_doubles(writer, "thresholds", encoding->thresholds, 1,
                                           info.n_visible, 0));
    if (encoding->columns)
        ISG_TRY(write_columns(encoding, writer));
    if (encoding->fill)
        ISG_TRY(write_fill(encoding, writer));
    return isg_names_write(&encoding->units, writer, "units");
}

/* ---- reading ---------------------------------------------------------------------------------- */

static isg_status wrong_size(isg_zip *zip, const char *name, size_t expected) {
    return isg_fail(ISG_ERR_SHAPE, "%s: %s: expected one entry for each of %zu units",
                    isg_zip_file_name(zip), name, expected);
}

static isg_status read_number(const isg_json *json, const char *file, const char *key,
                              double *out) {
    const char *text = NULL;
    ISG_TRY(isg_json_text(json, key, &text));
    if (isg_parse_number(text, out) != ISG_NUMBER_OK)
        return isg_fail(ISG_ERR_FORMAT, "%s: %s: %s: expected a number, found '%.40s'", file,
                        member, key, text);
    return ISG_OK;
}

static isg_status read_json(isg_encoding *out, isg_zip *zip) {
    const char *file = isg_zip_file_name(zip), *name = NULL;
    isg_encoding_info *info = &out->info;
    char *text = NULL;
    isg_json *json = NULL;
    isg_status status = ISG_OK;
    size_t rule = 0;
    int64_t columns = 0;
    ISG_TRY(isg_npz_read_text(zip, member, &text));
    ISG_TRY_GOTO(isg_json_parse(&json, file, text, strlen(text)));
    ISG_TRY_GOTO(isg_json_text(json, "rule", &name));
    while (rule < N_RULES && strcmp(rules[rule].name, name) != 0)
        rule++;
    if (rule == N_RULES || rule == ISG_BINARIZE_AUTO)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: %s: unknown rule '%.40s'", file, member, name));
    info->rule = (isg_binarize)rule;
    info->smallest = info->largest = info->threshold = (double)NAN;
    for (size_t k = 0; k < N_NUMBERS; k++)
        if (number_fields[k].is_required || isg_json_has(json, number_fields[k].key))
            ISG_TRY_GOTO(read_number(json, file, number_fields[k].key,
                                     (double *)((char *)info + number_fields[k].offset)));
    ISG_TRY_GOTO(isg_json_integer(json, "n_columns", &columns));
    if (columns < (int64_t)info->n_visible)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_SHAPE, "%s: %s: %lld columns are too few for %zu units", file,
                              member, (long long)columns, info->n_visible));
    info->n_columns = (size_t)columns;
    for (size_t i = 0; i < info->n_visible; i++)
        out->thresholds[i] = info->threshold; /* unless units have their own */
done:
    isg_json_free(json);
    isg_release(text);
    return status;
}

static isg_status read_thresholds(isg_encoding *out, isg_zip *zip) {
    isg_array_type type;
    double *found = NULL;
    if (!isg_npz_has(zip, "thresholds"))
        return isnan(out->info.threshold) ? wrong_size(zip, "thresholds", out->info.n_visible)
                                          : ISG_OK;
    ISG_TRY(isg_npz_read_doubles(zip, "thresholds", &type, &found));
    bool is_usable = type.n_dims == 1 && type.dims[0] == out->info.n_visible;
    for (size_t i = 0; is_usable && i < out->info.n_visible; i++)
        is_usable = isfinite(found[i]);
    if (!is_usable) {
        isg_release(found);
        return wrong_size(zip, "thresholds", out->info.n_visible);
    }
    isg_release(out->thresholds);
    out->thresholds = found;
    return ISG_OK;
}

static isg_status read_columns(isg_encoding *out, isg_zip *zip) {
    const size_t n = out->info.n_visible;
    isg_array_type type;
    int64_t *found = NULL;
    isg_status status = ISG_OK;
    if (!isg_npz_has(zip, "columns"))
        return ISG_OK;
    ISG_TRY(isg_npz_read_whole(zip, "columns", &type, &found));
    bool is_usable = type.n_dims == 1 && type.dims[0] == n;
    for (size_t i = 0; is_usable && i < n; i++)
        is_usable = found[i] >= 0 && (uint64_t)found[i] < out->info.n_columns &&
                    (i == 0 || found[i] > found[i - 1]);
    if (!is_usable) {
        status = wrong_size(zip, "columns", n);
        goto done;
    }
    ISG_TRY_GOTO(ISG_ALLOCATE(out->columns, n));
    for (size_t i = 0; i < n; i++)
        out->columns[i] = (size_t)found[i];
done:
    isg_release(found);
    return status;
}

static isg_status read_fill(isg_encoding *out, isg_zip *zip) {
    const size_t n = out->info.n_visible;
    isg_array_type type;
    int64_t *found = NULL;
    isg_status status = ISG_OK;
    if (!isg_npz_has(zip, "fill"))
        return ISG_OK;
    ISG_TRY(isg_npz_read_whole(zip, "fill", &type, &found));
    if (type.n_dims != 1 || type.dims[0] != n) {
        status = wrong_size(zip, "fill", n);
        goto done;
    }
    ISG_TRY_GOTO(ISG_ALLOCATE(out->fill, isg_words(n)));
    for (size_t i = 0; i < n; i++)
        isg_bit_assign(out->fill, i, found[i] > 0);
done:
    isg_release(found);
    return status;
}

static isg_status read_units(isg_encoding *out, isg_zip *zip) {
    if (!isg_npz_has(zip, "units"))
        return ISG_OK;
    ISG_TRY(isg_names_read(&out->units, zip, "units"));
    return out->units.count == out->info.n_visible ? ISG_OK
                                                   : wrong_size(zip, "units", out->info.n_visible);
}

isg_status isg_encoding_read(isg_encoding **out, isg_zip *zip, size_t n_visible) {
    size_t index = 0;
    isg_encoding *encoding = NULL;
    isg_status status = ISG_OK;
    *out = NULL;
    if (!isg_zip_find(zip, member, &index))
        return ISG_OK;
    ISG_TRY(isg_encoding_create(&encoding, n_visible));
    ISG_TRY_GOTO(read_json(encoding, zip));
    ISG_TRY_GOTO(read_thresholds(encoding, zip));
    ISG_TRY_GOTO(read_columns(encoding, zip));
    ISG_TRY_GOTO(read_fill(encoding, zip));
    ISG_TRY_GOTO(read_units(encoding, zip));
    *out = encoding;
    encoding = NULL;
done:
    isg_encoding_free(encoding);
    return status;
}
