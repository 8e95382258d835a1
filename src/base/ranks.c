/* ranks.c - work that several processes share
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/ranks.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static isg_ranks ranks = {.size = 1};
static size_t *begins; /* (size + 1): where the share of each rank begins, in rows */

/* How a rank fared. */
typedef struct report {
    int32_t status;
    char sentence[1020];
} report;
static report *reports; /* (size) */

isg_status isg_set_ranks(const isg_ranks *wanted) {
    const isg_ranks alone = {.size = 1};
    size_t *new_begins = NULL;
    report *new_reports = NULL;
    wanted = wanted ? wanted : &alone;
    if (wanted->rank >= wanted->size)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "ranks: expected a rank below their number, %zu, found %zu", wanted->size,
                        wanted->rank);
    if (wanted->size > 1) {
        if (!wanted->gather || !wanted->broadcast)
            return isg_fail(ISG_ERR_ARGUMENT,
                            "ranks: expected functions to gather and to broadcast, "
                            "found none");
        ISG_TRY(ISG_ALLOCATE(new_begins, wanted->size + 1));
        new_reports = isg_allocate(wanted->size, sizeof *new_reports);
        if (!new_reports) {
            isg_release(new_begins);
            return ISG_ERR_MEMORY;
        }
    }
    isg_release(begins);
    isg_release(reports);
    begins = new_begins;
    reports = new_reports;
    ranks = *wanted;
    return ISG_OK;
}

size_t isg_rank(void) {
    return ranks.rank;
}

size_t isg_n_ranks(void) {
    return ranks.size;
}

/* ---- shares ----------------------------------------------------------------------------------- */

static isg_rows share_of(size_t count, size_t grain, size_t rank) {
    const isg_rows groups = isg_rows_of((count + grain - 1) / grain, rank, ranks.size);
    const size_t begin = groups.begin * grain, end = groups.end * grain;
    return (isg_rows){begin < count ? begin : count, end < count ? end : count};
}

isg_rows isg_rank_rows(size_t count, size_t grain) {
    return share_of(count, grain, ranks.rank);
}

isg_rows isg_rank_thread_rows(size_t count, size_t grain, size_t me, size_t all) {
    const isg_rows own = isg_rank_rows(count, grain);
    const isg_rows groups = isg_rows_of((own.end - own.begin + grain - 1) / grain, me, all);
    const size_t begin = own.begin + groups.begin * grain, end = own.begin + groups.end * grain;
    return (isg_rows){begin < own.end ? begin : own.end, end < own.end ? end : own.end};
}

/* ---- messages --------------------------------------------------------------------------------- */

void isg_gather_rows(void *rows, size_t row_bytes, size_t count, size_t grain) {
    if (ranks.size == 1 || count == 0)
        return;
    for (size_t rank = 0; rank < ranks.size; rank++)
        begins[rank] = share_of(count, grain, rank).begin;
    begins[ranks.size] = count;
    ranks.gather(ranks.user, rows, row_bytes, begins);
}

static size_t parcel_bytes(const isg_gathered *arrays, size_t n_arrays) {
    size_t bytes = 0;
    for (size_t k = 0; k < n_arrays; k++)
        bytes += arrays[k].row_bytes;
    return bytes;
}

size_t isg_gather_room(const isg_gathered *arrays, size_t n_arrays, size_t count) {
    return ranks.size > 1 ? count * parcel_bytes(arrays, n_arrays) : 0;
}

/* Rows of all arrays into the room, or out of it. */
static void copy_rows(const isg_gathered *arrays, size_t n_arrays, isg_rows rows, char *room,
                      bool is_out) {
    char *at = room + rows.begin * parcel_bytes(arrays, n_arrays);
    for (size_t row = rows.begin; row < rows.end; row++)
        for (size_t k = 0; k < n_arrays; k++) {
            const size_t bytes = arrays[k].row_bytes;
            char *place = (char *)arrays[k].rows + row * bytes;
            memcpy(is_out ? place : at, is_out ? at : place, bytes);
            at += bytes;
        }
}

void isg_gather_all(const isg_gathered *arrays, size_t n_arrays, size_t count, size_t grain,
                    void *room) {
    if (ranks.size == 1)
        return;
    const isg_rows own = isg_rank_rows(count, grain);
    copy_rows(arrays, n_arrays, own, room, false);
    isg_gather_rows(room, parcel_bytes(arrays, n_arrays), count, grain);
    copy_rows(arrays, n_arrays, (isg_rows){0, own.begin}, room, true);
    copy_rows(arrays, n_arrays, (isg_rows){own.end, count}, room, true);
}

void isg_broadcast(void *bytes, size_t count) {
    if (ranks.size > 1 && count > 0)
        ranks.broadcast(ranks.user, bytes, count);
}

isg_status isg_broadcast_buffer(void **bytes, size_t *count) {
    if (ranks.size == 1)
        return ISG_OK;
    isg_broadcast(count, sizeof *count);
    isg_status status = ISG_OK;
    if (ranks.rank > 0) {
        *bytes = isg_allocate(*count, 1);
        status = *bytes ? ISG_OK : ISG_ERR_MEMORY;
    }
    ISG_TRY(isg_ranks_agree(status));
    isg_broadcast(*bytes, *count);
    return ISG_OK;
}

/* ---- one status ------------------------------------------------------------------------------- */

isg_status isg_ranks_agree(isg_status mine) {
    if (ranks.size == 1)
        return mine;
    report *own = reports + ranks.rank;
    memset(own, 0, sizeof *own);
    own->status = (int32_t)mine;
    if (mine != ISG_OK)
        snprintf(own->sentence, sizeof own->sentence, "%s", isg_error_message());
    isg_gather_rows(reports, sizeof *reports, ranks.size, 1);
    for (size_t rank = 0; rank < ranks.size; rank++)
        if (reports[rank].status != ISG_OK)
            return isg_fail((isg_status)reports[rank].status, "%s", reports[rank].sentence);
    return ISG_OK;
}
