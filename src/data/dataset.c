/* dataset.c - labelled samples of +1 and -1, one bit each
 *
 * SPDX-License-Identifier: MIT
 *
 * Queries, selections and splits. dataset_load.c reads a data set from a file.
 */
#include "data/data.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/sha256.h"

isg_status isg_dataset_count_classes(isg_dataset *data) {
    data->info.n_classes = data->labels.n_classes;
    isg_release(data->class_sizes);
    ISG_TRY(ISG_ALLOCATE(data->class_sizes, data->labels.n_classes));
    for (size_t a = 0; a < data->labels.count; a++)
        if (data->labels.index[a] != ISG_UNLABELLED)
            data->class_sizes[data->labels.index[a]]++;
    return ISG_OK;
}

isg_status isg_dataset_new(isg_dataset **out) {
    isg_dataset *data = NULL;
    ISG_TRY(ISG_ALLOCATE(data, 1));
    const isg_status status = ISG_ALLOCATE(data->checksum, 1);
    if (status == ISG_OK)
        *out = data;
    else
        isg_release(data);
    return status;
}

isg_status isg_dataset_allocate(isg_dataset **out, size_t n_samples, size_t n_visible) {
    isg_dataset *data = NULL;
    ISG_TRY(isg_dataset_new(&data));
    data->info.n_samples = n_samples;
    data->info.n_visible = n_visible;
    data->words = isg_words(n_visible);
    data->spins = isg_allocate(n_samples, data->words * sizeof *data->spins);
    if (!data->spins) {
        isg_dataset_free(data);
        return ISG_ERR_MEMORY;
    }
    *out = data;
    return ISG_OK;
}

isg_status isg_dataset_create(isg_dataset **out, size_t n_samples, size_t n_visible,
                              const int8_t *spins, const int64_t *labels) {
    if (n_samples == 0 || n_visible == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "a data set needs at least one row and one column");
    isg_dataset *data = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_dataset_allocate(&data, n_samples, n_visible));
    for (size_t a = 0; a < n_samples; a++)
        for (size_t i = 0; i < n_visible; i++)
            isg_bit_assign(isg_dataset_spins(data, a), i, spins[a * n_visible + i] > 0);
    for (size_t a = 0; labels && a < n_samples; a++)
        ISG_TRY_GOTO(isg_labels_add_whole(&data->labels, labels[a], "labels"));
    ISG_TRY_GOTO(isg_labels_finish(&data->labels));
    ISG_TRY_GOTO(isg_dataset_count_classes(data));
    *out = data;
    data = NULL;
done:
    isg_dataset_free(data);
    return status;
}

void isg_dataset_free(isg_dataset *data) {
    if (!data)
        return;
    isg_release(data->spins);
    isg_release(data->class_sizes);
    isg_release(data->checksum);
    isg_labels_clear(&data->labels);
    isg_encoding_free(data->encoding);
    isg_names_clear(&data->ids);
    isg_release(data->missing);
    isg_release(data);
}

isg_dataset_info isg_dataset_describe(const isg_dataset *data) {
    return data->info;
}

const char *isg_dataset_class_name(const isg_dataset *data, size_t class_index) {
    return class_index < data->info.n_classes ? data->labels.names[class_index] : NULL;
}

size_t isg_dataset_class_size(const isg_dataset *data, size_t class_index) {
    return class_index < data->info.n_classes ? data->class_sizes[class_index] : 0;
}

const uint32_t *isg_dataset_labels(const isg_dataset *data) {
    return data->labels.count ? data->labels.index : NULL;
}

const uint64_t *isg_dataset_row(const isg_dataset *data, size_t row) {
    return row < data->info.n_samples ? isg_dataset_spins(data, row) : NULL;
}

const char *isg_dataset_sample_id(const isg_dataset *data, size_t row) {
    return isg_names_at(&data->ids, row);
}

const uint64_t *isg_dataset_missing(const isg_dataset *data, size_t row) {
    if (!data->missing || row >= data->info.n_samples)
        return NULL;
    const uint64_t *missing = data->missing + row * data->words;
    return isg_count_ones(missing, data->words) ? missing : NULL;
}

const isg_encoding *isg_dataset_encoding(const isg_dataset *data) {
    return data->encoding;
}

isg_status isg_dataset_constant_units(const isg_dataset *data, size_t *units, size_t *count) {
    uint64_t *differs = NULL; /* from the first sample, in some */
    ISG_TRY(ISG_ALLOCATE(differs, data->words));
    for (size_t a = 1; a < data->info.n_samples; a++)
        for (size_t w = 0; w < data->words; w++)
            differs[w] |= isg_dataset_spins(data, a)[w] ^ data->spins[w];
    *count = 0;
    for (size_t i = 0; i < data->info.n_visible; i++) {
        if (isg_bit(differs, i))
            continue;
        if (units)
            units[*count] = i;
        ++*count;
    }
    isg_release(differs);
    return ISG_OK;
}

/* Adds one word of every row to counters of 64 bits, whose bit k is in planes[k]. */
enum { COUNTER_BITS = 40 };

static void count_word(const uint64_t *words, const uint64_t *missing, size_t n_rows, size_t stride,
                       uint64_t planes[COUNTER_BITS]) {
    for (size_t a = 0; a < n_rows; a++) {
        uint64_t carry = words[a * stride] & (missing ? ~missing[a * stride] : ~UINT64_C(0));
        for (size_t k = 0; carry; k++) {
            const uint64_t both = planes[k] & carry;
            planes[k] ^= carry;
            carry = both;
        }
    }
}

static void read_counters(const uint64_t planes[COUNTER_BITS], size_t *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        out[i] = 0;
        for (size_t k = 0; k < COUNTER_BITS; k++)
            out[i] |= (size_t)(planes[k] >> i & 1) << k;
    }
}

isg_status isg_dataset_count_units(const isg_dataset *data, size_t *positive, size_t *known) {
    const size_t n = data->info.n_visible;
    for (size_t w = 0; w < data->words; w++) {
        const size_t count = n - 64 * w < 64 ? n - 64 * w : 64;
        uint64_t planes[COUNTER_BITS] = {0};
        count_word(data->spins + w, data->missing ? data->missing + w : NULL, data->info.n_samples,
                   data->words, planes);
        read_counters(planes, positive + 64 * w, count);
        if (!known)
            continue;
        memset(planes, 0, sizeof planes);
        if (data->missing)
            count_word(data->missing + w, NULL, data->info.n_samples, data->words, planes);
        read_counters(planes, known + 64 * w, count);
        for (size_t i = 64 * w; i < 64 * w + count; i++)
            known[i] = data->info.n_samples - known[i];
    }
    return ISG_OK;
}

double isg_dataset_positive_fraction(const isg_dataset *data) {
    const size_t up = isg_count_ones(data->spins, data->info.n_samples * data->words);
    return (double)up / ((double)data->info.n_samples * (double)data->info.n_visible);
}

static uint64_t hash_row(const uint64_t *row, size_t words) {
    uint64_t hash = 0;
    for (size_t w = 0; w < words; w++) {
        hash = (hash ^ row[w]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

isg_status isg_dataset_count_duplicates(const isg_dataset *data, size_t *out) {
    /* A hash table of the distinct rows seen so far, at most half full. */
    size_t n_slots = 16;
    while (n_slots / 2 < data->info.n_samples)
        n_slots *= 2;
    size_t *slots = NULL; /* row + 1, or 0 */
    ISG_TRY(ISG_ALLOCATE(slots, n_slots));
    size_t duplicates = 0;
    for (size_t a = 0; a < data->info.n_samples; a++) {
        const uint64_t *row = isg_dataset_spins(data, a);
        size_t slot = (size_t)hash_row(row, data->words) & (n_slots - 1);
        bool is_new = true;
        while (is_new && slots[slot]) {
            is_new = memcmp(isg_dataset_spins(data, slots[slot] - 1), row,
                            data->words * sizeof *row) != 0;
            slot = (slot + 1) & (n_slots - 1);
        }
        if (is_new)
            slots[slot] = a + 1;
        else
            duplicates++;
    }
    isg_release(slots);
    *out = duplicates;
    return ISG_OK;
}

static void hash_plane(const isg_dataset *data, const uint64_t *plane, char hex[65]) {
    uint8_t bytes[256];
    isg_sha256 hash;
    isg_sha256_start(&hash);
    for (size_t a = 0; a < data->info.n_samples; a++)
        for (size_t i = 0; i < data->info.n_visible; i += 8 * sizeof bytes) {
            const size_t left = data->info.n_visible - i;
            const size_t n = left < 8 * sizeof bytes ? left : 8 * sizeof bytes;
            isg_pack_bytes(plane + a * data->words + i / 64, n, bytes);
            isg_sha256_add(&hash, bytes, (n + 7) / 8);
        }
    isg_sha256_finish(&hash, hex);
}

void isg_dataset_missing_checksum(const isg_dataset *data, char hex[65]) {
    hash_plane(data, data->missing, hex);
}

void isg_dataset_checksum(const isg_dataset *data, char hex[65]) {
    isg_checksum *kept = data->checksum;
    if (atomic_load(&kept->state) == 2) {
        memcpy(hex, kept->hex, sizeof kept->hex);
        return;
    }
    hash_plane(data, data->spins, hex);
    if (atomic_compare_exchange_strong(&kept->state, &(int){0}, 1)) {
        memcpy(kept->hex, hex, sizeof kept->hex);
        atomic_store(&kept->state, 2);
    }
}

void isg_dataset_label_checksum(const isg_dataset *data, char hex[65]) {
    isg_sha256 hash;
    isg_sha256_start(&hash);
    const uint32_t *labels = isg_dataset_labels(data);
    for (size_t a = 0; labels && a < data->info.n_samples; a++) {
        const char *name =
            labels[a] == ISG_UNLABELLED ? "" : isg_dataset_class_name(data, labels[a]);
        isg_sha256_add(&hash, name, strlen(name) + 1);
    }
    isg_sha256_finish(&hash, hex);
}

isg_status isg_dataset_take(isg_dataset **out, const isg_dataset *data, const size_t *rows,
                            size_t count, bool keep_classes) {
    if (count == 0)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "a data set needs at least one row, but none was selected");
    for (size_t k = 0; k < count; k++)
        if (rows[k] >= data->info.n_samples)
            return isg_fail(ISG_ERR_ARGUMENT, "row %zu was selected, but there are only %zu",
                            rows[k], data->info.n_samples);
    isg_dataset *part = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_dataset_allocate(&part, count, data->info.n_visible));
    part->info = data->info;
    part->info.n_samples = count;
    for (size_t k = 0; k < count; k++)
        memcpy(isg_dataset_spins(part, k), isg_dataset_spins(data, rows[k]),
               data->words * sizeof *data->spins);
    if (data->labels.count)
        ISG_TRY_GOTO(isg_labels_take(&part->labels, &data->labels, rows, count));
    if (!keep_classes)
        ISG_TRY_GOTO(isg_labels_finish(&part->labels));
    ISG_TRY_GOTO(isg_dataset_count_classes(part));
    part->encoding = isg_encoding_share(data->encoding);
    for (size_t k = 0; data->ids.count && k < count; k++) {
        const char *id = isg_names_at(&data->ids, rows[k]);
        ISG_TRY_GOTO(isg_names_add(&part->ids, id, strlen(id)));
    }
    if (data->missing)
        ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(part->missing, count, data->words));
    for (size_t k = 0; data->missing && k < count; k++)
        memcpy(part->missing + k * data->words, data->missing + rows[k] * data->words,
               data->words * sizeof *data->missing);
    *out = part;
    part = NULL;
done:
    isg_dataset_free(part);
    return status;
}

static void keep_plane(uint64_t *plane, size_t words, const size_t *rows, size_t count) {
    for (size_t k = 0; plane && k < count; k++)
        memmove(plane + k * words, plane + rows[k] * words, words * sizeof *plane);
}

isg_status isg_dataset_keep(isg_dataset *data, const size_t *rows, size_t count,
                            bool keep_classes) {
    keep_plane(data->spins, data->words, rows, count);
    keep_plane(data->missing, data->words, rows, count);
    for (size_t k = 0; data->labels.count && k < count; k++)
        data->labels.index[k] = data->labels.index[rows[k]];
    data->labels.count = data->labels.count ? count : 0;
    if (data->ids.count)
        isg_names_keep(&data->ids, rows, count);
    data->info.n_samples = count;
    if (!keep_classes)
        ISG_TRY(isg_labels_finish(&data->labels));
    return isg_dataset_count_classes(data);
}

/* Moves the bits of the units kept together; `kept` (count) is ascending. */
static void pack_units(uint64_t *row, const size_t *kept, size_t count, size_t old_words,
                       uint64_t *scratch) {
    memset(scratch, 0, old_words * sizeof *scratch);
    for (size_t k = 0; k < count; k++)
        isg_bit_assign(scratch, k, isg_bit(row, kept[k]));
}

static isg_status pack_plane(uint64_t *plane, size_t n_rows, size_t old_words, const size_t *kept,
                             size_t count) {
    const size_t words = isg_words(count);
    uint64_t *scratch = NULL;
    ISG_TRY(ISG_ALLOCATE(scratch, old_words));
    for (size_t a = 0; a < n_rows; a++) {
        pack_units(plane + a * old_words, kept, count, old_words, scratch);
        memcpy(plane + a * words, scratch, words * sizeof *plane);
    }
    isg_release(scratch);
    return ISG_OK;
}

isg_status isg_dataset_drop_units(isg_dataset *data, const size_t *units, size_t n_dropped) {
    const size_t n = data->info.n_visible, old_words = data->words;
    isg_encoding *encoding = data->encoding;
    size_t *kept = NULL, *columns = NULL, count = 0;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(kept, n));
    for (size_t i = 0, d = 0; i < n; i++)
        if (d < n_dropped && units[d] == i)
            d++;
        else
            kept[count++] = i;
    ISG_TRY_GOTO(ISG_ALLOCATE(columns, count));
    for (size_t k = 0; k < count; k++) {
        columns[k] = encoding->columns ? encoding->columns[kept[k]] : kept[k];
        encoding->thresholds[k] = encoding->thresholds[kept[k]];
    }
    isg_release(encoding->columns);
    encoding->columns = columns;
    columns = NULL;
    if (encoding->fill)
        ISG_TRY_GOTO(pack_plane(encoding->fill, 1, old_words, kept, count));
    if (encoding->units.count)
        isg_names_keep(&encoding->units, kept, count);
    ISG_TRY_GOTO(pack_plane(data->spins, data->info.n_samples, old_words, kept, count));
    if (data->missing)
        ISG_TRY_GOTO(pack_plane(data->missing, data->info.n_samples, old_words, kept, count));
    data->words = isg_words(count);
    data->info.n_visible = encoding->info.n_visible = count;
    data->info.image_height = data->info.image_width = 0;
done:
    isg_release(kept);
    isg_release(columns);
    return status;
}

isg_status isg_dataset_select(isg_dataset **out, const isg_dataset *data, const size_t *rows,
                              size_t count) {
    return isg_dataset_take(out, data, rows, count, false);
}

void isg_dataset_shuffle(const isg_dataset *data, uint64_t seed, uint64_t epoch, size_t *order) {
    for (size_t a = 0; a < data->info.n_samples; a++)
        order[a] = a;
    isg_shuffle(isg_stream_at(seed, ISG_PURPOSE_SHUFFLE, epoch, 0), order, data->info.n_samples);
}

size_t isg_dataset_group(const isg_dataset *data, size_t *rows, size_t *starts) {
    const size_t n = data->info.n_samples, n_groups = isg_dataset_groups(data);
    starts[0] = 0;
    for (size_t c = 0; c < n_groups; c++)
        starts[c + 1] = starts[c] + (data->labels.count ? data->class_sizes[c] : n);
    for (size_t a = 0; a < n; a++)
        if (!data->labels.count || data->labels.index[a] != ISG_UNLABELLED)
            rows[starts[data->labels.count ? data->labels.index[a] : 0]++] = a;
    /* Each start has advanced to the next group's. */
    for (size_t c = n_groups; c > 0; c--)
        starts[c] = starts[c - 1];
    starts[0] = 0;
    return n_groups;
}

isg_status isg_dataset_split(isg_dataset **first, isg_dataset **second, const isg_dataset *data,
                             double fraction, uint64_t seed) {
    if (!(fraction > 0 && fraction < 1))
        return isg_fail(ISG_ERR_ARGUMENT,
                        "expected a fraction between 0 and 1 for the split, found %g", fraction);
    const size_t n = data->info.n_samples;
    size_t *rows = NULL, *starts = NULL;
    bool *is_first = NULL;
    isg_dataset *one = NULL, *two = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(rows, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(starts, isg_dataset_groups(data) + 1));
    ISG_TRY_GOTO(ISG_ALLOCATE(is_first, n));
    size_t n_first = 0;
    const size_t n_groups = isg_dataset_group(data, rows, starts);
    for (size_t c = 0; c < n_groups; c++) {
        size_t *members = rows + starts[c];
        const size_t size = starts[c + 1] - starts[c];
        const size_t share = (size_t)floor(fraction * (double)size + 0.5);
        isg_shuffle(isg_stream_at(seed, ISG_PURPOSE_SPLIT, c, 0), members, size);
        for (size_t k = 0; k < share; k++)
            is_first[members[k]] = true;
        n_first += share;
    }
    if (n_first == 0 || n_first == n)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_ARGUMENT,
                              "splitting %zu rows by the fraction %g leaves one part empty", n,
                              fraction));
    size_t next_first = 0, next_second = n_first;
    for (size_t a = 0; a < n; a++)
        rows[is_first[a] ? next_first++ : next_second++] = a;
    ISG_TRY_GOTO(isg_dataset_select(&one, data, rows, n_first));
    ISG_TRY_GOTO(isg_dataset_select(&two, data, rows + n_first, n - n_first));
    *first = one;
    *second = two;
    one = two = NULL;
done:
    isg_dataset_free(one);
    isg_dataset_free(two);
    isg_release(rows);
    isg_release(starts);
    isg_release(is_first);
    return status;
}

isg_status isg_class_names(isg_labels *out, const isg_dataset *data) {
    const size_t n_classes = data->info.n_classes;
    size_t *rows = NULL;
    if (data->labels.count == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "the data have no labels, so there is nothing to learn");
    if (n_classes < 2)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "expected at least two classes to tell apart, found only '%s'",
                        data->labels.names[0]);
    for (size_t c = 0; c < n_classes; c++)
        if (data->class_sizes[c] == 0)
            return isg_fail(ISG_ERR_ARGUMENT, "class '%s' has no sample", data->labels.names[c]);
    ISG_TRY(ISG_ALLOCATE(rows, n_classes));
    for (size_t a = data->labels.count; a > 0; a--)
        if (data->labels.index[a - 1] != ISG_UNLABELLED)
            rows[data->labels.index[a - 1]] = a - 1;
    const isg_status status = isg_labels_take(out, &data->labels, rows, n_classes);
    isg_release(rows);
    return status;
}

size_t isg_labels_find(const isg_labels *classes, const char *name) {
    size_t k = 0;
    while (k < classes->n_classes && strcmp(classes->names[k], name) != 0)
        k++;
    return k;
}

isg_status isg_labels_match(uint32_t *labels, const isg_dataset *data, const isg_labels *classes,
                            const char *what) {
    const size_t n_classes = data->info.n_classes;
    uint32_t *numbers = NULL;
    isg_status status = ISG_OK;
    if (data->labels.count == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "the data have no labels to compare with");
    ISG_TRY(ISG_ALLOCATE(numbers, n_classes));
    for (size_t c = 0; c < n_classes; c++) {
        const size_t k = isg_labels_find(classes, data->labels.names[c]);
        if (k == classes->n_classes && data->class_sizes[c] > 0)
            ISG_TRY_GOTO(isg_fail(ISG_ERR_ARGUMENT, "class '%s' is not one of the %s's %zu classes",
                                  data->labels.names[c], what, k));
        numbers[c] = (uint32_t)k;
    }
    for (size_t a = 0; a < data->info.n_samples; a++)
        labels[a] =
            data->labels.index[a] < n_classes ? numbers[data->labels.index[a]] : ISG_UNLABELLED;
done:
    isg_release(numbers);
    return status;
}
