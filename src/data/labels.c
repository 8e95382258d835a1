/* labels.c - labels of any kind as class indices
 *
 * SPDX-License-Identifier: MIT
 *
 * A class is identified by its name. Whole numbers written as decimals (3.0, 3.000e+00) are named
 * by their digits, so that the same labels from different files give the same classes.
 */
#include "data/data.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"

/* A data set with more classes than this has something else in its label column. */
enum { MOST_CLASSES = 1 << 16 };

static uint64_t hash_of(const char *name) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

/* The slot that holds `name`, or the empty slot where it belongs. */
static size_t find_slot(const isg_labels *labels, const char *name) {
    size_t slot = (size_t)hash_of(name) & (labels->n_slots - 1);
    while (labels->slots[slot] && strcmp(labels->names[labels->slots[slot] - 1], name) != 0)
        slot = (slot + 1) & (labels->n_slots - 1);
    return slot;
}

static isg_status enlarge_table(isg_labels *labels) {
    if (2 * (labels->n_classes + 1) <= labels->n_slots)
        return ISG_OK;
    uint32_t *larger = NULL;
    const size_t n_slots = labels->n_slots ? 2 * labels->n_slots : 64;
    ISG_TRY(ISG_ALLOCATE(larger, n_slots));
    isg_release(labels->slots);
    labels->slots = larger;
    labels->n_slots = n_slots;
    for (size_t c = 0; c < labels->n_classes; c++)
        labels->slots[find_slot(labels, labels->names[c])] = (uint32_t)(c + 1);
    return ISG_OK;
}

static isg_status class_of(isg_labels *labels, const char *name, const char *where, uint32_t *out) {
    ISG_TRY(enlarge_table(labels));
    const size_t slot = find_slot(labels, name);
    if (!labels->slots[slot]) {
        if (labels->n_classes == MOST_CLASSES)
            return isg_fail(ISG_ERR_FORMAT,
                            "%s: more than %d different labels: are these really the labels?",
                            where, MOST_CLASSES);
        void *names = labels->names;
        ISG_TRY(isg_grow(&names, &labels->names_capacity, labels->n_classes + 1,
                         sizeof *labels->names));
        labels->names = names;
        char *copy = isg_copy_text(name);
        if (!copy)
            return ISG_ERR_MEMORY;
        labels->names[labels->n_classes++] = copy;
        labels->slots[slot] = (uint32_t)labels->n_classes;
    }
    *out = labels->slots[slot] - 1;
    return ISG_OK;
}

static isg_status add_name(isg_labels *labels, const char *name, const char *where) {
    void *index = labels->index;
    ISG_TRY(isg_grow(&index, &labels->capacity, labels->count + 1, sizeof *labels->index));
    labels->index = index;
    ISG_TRY(class_of(labels, name, where, &labels->index[labels->count]));
    labels->count++;
    return ISG_OK;
}

isg_status isg_labels_add_none(isg_labels *labels) {
    void *index = labels->index;
    ISG_TRY(isg_grow(&index, &labels->capacity, labels->count + 1, sizeof *labels->index));
    labels->index = index;
    labels->index[labels->count++] = ISG_UNLABELLED;
    return ISG_OK;
}

isg_status isg_labels_add_whole(isg_labels *labels, int64_t value, const char *where) {
    char name[32];
    snprintf(name, sizeof name, "%" PRId64, value);
    return add_name(labels, name, where);
}

isg_status isg_labels_add_number(isg_labels *labels, double value, const char *where) {
    if (!(fabs(value) < 0x1p53) || value != floor(value))
        return isg_fail(ISG_ERR_FORMAT, "%s: expected a whole number as label, found %g", where,
                        value);
    return isg_labels_add_whole(labels, (int64_t)value, where);
}

isg_status isg_labels_add_text(isg_labels *labels, const char *text, const char *where) {
    char name[ISG_LABEL_BYTES];
    const size_t length = isg_trim(&text);
    if (length == 0)
        return isg_fail(ISG_ERR_FORMAT, "%s: the label is missing", where);
    if (length >= sizeof name)
        return isg_fail(ISG_ERR_FORMAT, "%s: the label is longer than %zu bytes", where,
                        sizeof name - 1);
    memcpy(name, text, length);
    name[length] = '\0';
    double value = 0;
    if (strpbrk(name, ".eE") && isg_parse_number(name, &value) == ISG_NUMBER_OK &&
        fabs(value) < 0x1p53 && value == floor(value))
        return isg_labels_add_whole(labels, (int64_t)value, where);
    return add_name(labels, name, where);
}

void isg_labels_drop_first(isg_labels *labels) {
    memmove(labels->index, labels->index + 1, (labels->count - 1) * sizeof *labels->index);
    labels->count--;
}

typedef struct named_class {
    char *name;
    double number;
    uint32_t old_index;
} named_class;

static int by_number(const void *a, const void *b) {
    const named_class *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const named_class *)a)->name, ((const named_class *)b)->name);
}

isg_status isg_labels_finish(isg_labels *labels) {
    named_class *classes = NULL;
    uint32_t *renumber = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(classes, labels->n_classes));
    ISG_TRY_GOTO(ISG_ALLOCATE(renumber, labels->n_classes));
    for (size_t a = 0; a < labels->count; a++)
        if (labels->index[a] != ISG_UNLABELLED)
            renumber[labels->index[a]] = 1;
    bool are_numbers = true;
    size_t kept = 0;
    for (size_t c = 0; c < labels->n_classes; c++) {
        if (!renumber[c]) {
            isg_release(labels->names[c]);
            continue;
        }
        named_class *next = &classes[kept++];
        *next = (named_class){.name = labels->names[c], .old_index = (uint32_t)c};
        are_numbers = are_numbers && isg_parse_number(next->name, &next->number) == ISG_NUMBER_OK;
    }
    if (kept > 0)
        qsort(classes, kept, sizeof *classes, are_numbers ? by_number : by_name);
    for (size_t c = 0; c < kept; c++) {
        labels->names[c] = classes[c].name;
        renumber[classes[c].old_index] = (uint32_t)c;
    }
    labels->n_classes = kept;
    for (size_t a = 0; a < labels->count; a++)
        if (labels->index[a] != ISG_UNLABELLED)
            labels->index[a] = renumber[labels->index[a]];
    /* The table still has the old numbers; it is no longer needed. */
    isg_release(labels->slots);
    labels->slots = NULL;
    labels->n_slots = 0;
done:
    isg_release(classes);
    isg_release(renumber);
    return status;
}

isg_status isg_labels_take(isg_labels *out, const isg_labels *all, const size_t *rows,
                           size_t count) {
    isg_labels taken = {0};
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(taken.index, count));
    ISG_TRY_GOTO(ISG_ALLOCATE(taken.names, all->n_classes));
    taken.count = taken.capacity = count;
    taken.names_capacity = all->n_classes;
    for (size_t k = 0; k < count; k++)
        taken.index[k] = all->index[rows[k]];
    for (size_t c = 0; c < all->n_classes; c++) {
        if (!(taken.names[c] = isg_copy_text(all->names[c])))
            ISG_TRY_GOTO(ISG_ERR_MEMORY);
        taken.n_classes++;
    }
    *out = taken;
    return ISG_OK;
done:
    isg_labels_clear(&taken);
    return status;
}

void isg_labels_clear(isg_labels *labels) {
    for (size_t c = 0; c < labels->n_classes; c++)
        isg_release(labels->names[c]);
    isg_release(labels->names);
    isg_release(labels->index);
    isg_release(labels->slots);
    *labels = (isg_labels){0};
}
