/* ranks.h - work that several processes share
 *
 * SPDX-License-Identifier: MIT
 *
 * All ranks do the same, on copies of the same data. Where work takes long, each does its share of the
 * rows, and then all get the rows of all. Nothing is added up across ranks: whoever sums, sums everything, in
 * the order of a single process, so that no bit depends on the number of ranks.
 *
 * Every function here except isg_rank() and the shares is called by all ranks, in the same order, by one thread of
 * each. With a single rank they do nothing.
 */
#ifndef ISG_RANKS_H
#define ISG_RANKS_H

#include "base/status.h"
#include "base/threads.h"

size_t isg_rank(void);
size_t isg_n_ranks(void);

/* This rank's share of `count` rows, in whole groups of `grain` rows, the last of which may be shorter; and
   what thread `me` of `all` does of it, in whole groups as well. */
isg_rows isg_rank_rows(size_t count, size_t grain);
isg_rows isg_rank_thread_rows(size_t count, size_t grain, size_t me, size_t all);

/* Rows that belong together: each rank has set those of its share, and gets the others. */
void isg_gather_rows(void *rows, size_t row_bytes, size_t count, size_t grain);

/* The same for several arrays with as many rows, in one message. */
typedef struct isg_gathered {
    void *rows;
    size_t row_bytes;
} isg_gathered;

/* The bytes of room that this needs; 0 with one rank. */
size_t isg_gather_room(const isg_gathered *arrays, size_t n_arrays, size_t count);
void isg_gather_all(const isg_gathered *arrays, size_t n_arrays, size_t count, size_t grain,
                    void *room);

/* What rank 0 has, for all. */
void isg_broadcast(void *bytes, size_t count);

/* The same for a number of bytes that only rank 0 knows: the others get them in *bytes, to be released. */
isg_status isg_broadcast_buffer(void **bytes, size_t *count);

/* One status for all: ISG_OK if every rank has it, else that of the first which has not, and its sentence. */
isg_status isg_ranks_agree(isg_status mine);

#endif
