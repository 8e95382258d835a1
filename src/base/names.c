/* names.c - a list of names in one block of memory, and how to find one
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/names.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

isg_status isg_names_add(isg_names *names, const char *text, size_t length) {
    void *block = names->text, *starts = names->starts;
    ISG_TRY(isg_grow(&block, &names->text_capacity, names->used + length + 1, 1));
    names->text = block;
    ISG_TRY(isg_grow(&starts, &names->capacity, names->count + 1, sizeof *names->starts));
    names->starts = starts;
    names->starts[names->count++] = names->used;
    memcpy(names->text + names->used, text, length);
    names->text[names->used + length] = '\0';
    names->used += length + 1;
    return ISG_OK;
}

const char *isg_names_at(const isg_names *names, size_t k) {
    return k < names->count ? names->text + names->starts[k] : NULL;
}

isg_status isg_names_copy(isg_names *out, const isg_names *from) {
    for (size_t k = 0; k < from->count; k++) {
        const char *name = isg_names_at(from, k);
        const isg_status status = isg_names_add(out, name, strlen(name));
        if (status != ISG_OK) {
            isg_names_clear(out);
            return status;
        }
    }
    return ISG_OK;
}

void isg_names_clear(isg_names *names) {
    isg_release(names->text);
    isg_release(names->starts);
    *names = (isg_names){0};
}

void isg_names_keep(isg_names *names, const size_t *which, size_t count) {
    size_t used = 0;
    for (size_t k = 0; k < count; k++) {
        const char *name = names->text + names->starts[which[k]];
        const size_t bytes = strlen(name) + 1;
        memmove(names->text + used, name, bytes);
        names->starts[k] = used;
        used += bytes;
    }
    names->count = count;
    names->used = used;
}

/* ---- finding one ------------------------------------------------------------------------------ */

static uint64_t hash_of(const char *name) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

/* The slot that holds `name`, or the empty slot where it belongs. */
static size_t find_slot(const isg_name_index *index, const char *name) {
    size_t slot = (size_t)hash_of(name) & (index->n_slots - 1);
    while (index->slots[slot] &&
           strcmp(isg_names_at(index->names, index->slots[slot] - 1), name) != 0)
        slot = (slot + 1) & (index->n_slots - 1);
    return slot;
}

/* An index with room for `names`, none of which is in it yet. */
static isg_status start_index(isg_name_index *out, const isg_names *names) {
    *out = (isg_name_index){.names = names, .n_slots = 16, .repeated = SIZE_MAX};
    while (out->n_slots / 2 < names->count)
        out->n_slots *= 2;
    return ISG_ALLOCATE(out->slots, out->n_slots);
}

isg_status isg_name_index_create(isg_name_index *out, const isg_names *names) {
    ISG_TRY(start_index(out, names));
    for (size_t k = 0; k < names->count; k++) {
        const size_t slot = find_slot(out, isg_names_at(names, k));
        if (!out->slots[slot])
            out->slots[slot] = k + 1;
        else if (out->repeated == SIZE_MAX)
            out->repeated = k;
    }
    return ISG_OK;
}

size_t isg_name_index_find(const isg_name_index *index, const char *name) {
    const size_t found = index->slots[find_slot(index, name)];
    return found ? found - 1 : SIZE_MAX;
}

void isg_name_index_clear(isg_name_index *index) {
    isg_release(index->slots);
    *index = (isg_name_index){0};
}

/* ---- no name twice ---------------------------------------------------------------------------- */

/* `name`-1 or the first of -2, -3, ... that no name in `taken` has, into `out`, which must be empty
   but for earlier names. Numbers go on from next[first], where `first` is the first name like it. */
static isg_status add_numbered(isg_names *out, const isg_name_index *taken, const char *name,
                               size_t *next) {
    const size_t room = strlen(name) + 24;
    char *text = isg_allocate(room, 1);
    if (!text)
        return ISG_ERR_MEMORY;
    do {
        snprintf(text, room, "%s-%zu", name, ++*next);
    } while (isg_name_index_find(taken, text) != SIZE_MAX);
    const isg_status status = isg_names_add(out, text, strlen(text));
    isg_release(text);
    return status;
}

isg_status isg_names_make_unique(isg_names *names) {
    isg_name_index index = {0};
    isg_names unique = {0};
    size_t *next = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_name_index_create(&index, names));
    if (index.repeated == SIZE_MAX)
        goto done;
    ISG_TRY_GOTO(ISG_ALLOCATE(next, names->count));
    for (size_t k = 0; k < names->count; k++) {
        const char *name = isg_names_at(names, k);
        const size_t first = isg_name_index_find(&index, name);
        ISG_TRY_GOTO(first == k ? isg_names_add(&unique, name, strlen(name))
                                : add_numbered(&unique, &index, name, &next[first]));
    }
    isg_names_clear(names);
    *names = unique;
    unique = (isg_names){0};
done:
    isg_names_clear(&unique);
    isg_release(next);
    isg_name_index_clear(&index);
    return status;
}
