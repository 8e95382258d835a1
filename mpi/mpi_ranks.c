/* mpi_ranks.c - messages between the ranks, by MPI
 *
 * SPDX-License-Identifier: MIT
 *
 * Waiting for a message usually means to spin. Here a rank that waits soon gives its processor to others, so that more
 * ranks than processors, or rank 0 busy with what the others leave to it, cost no more than they must.
 */
#define _POSIX_C_SOURCE 200809L
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "isinglass_mpi.h"
#include "mpi_wait.h"

static MPI_Comm ours = MPI_COMM_NULL;
static isg_mpi_traffic sent;
static int *counts, *places; /* (size): rows of each rank, and where they begin */

void isg_mpi_wait(MPI_Request *request) {
    enum { SPINS = 2000, YIELDS = 20000 }; /* some 0.1 ms, then some 10 ms */
    const struct timespec nap = {.tv_nsec = 500000};
    int is_done = 0;
    for (unsigned tries = 0; MPI_Test(request, &is_done, MPI_STATUS_IGNORE), !is_done; tries++) {
        if (tries > YIELDS)
            nanosleep(&nap, NULL);
        else if (tries > SPINS)
            sched_yield();
    }
}

/* MPI counts in int: rows are one element of a type, however long they are. */
static MPI_Datatype row_type(size_t bytes) {
    MPI_Datatype row;
    MPI_Type_contiguous((int)bytes, MPI_BYTE, &row);
    MPI_Type_commit(&row);
    return row;
}

/* Rows so long, or so many, that no int counts them go in portions of bytes. */
static void too_large(const char *what, size_t count) {
    fprintf(stderr, "isinglass: %s of %zu is more than MPI counts\n", what, count);
    MPI_Abort(ours, 5);
}

static void gather(void *user, void *rows, size_t row_bytes, const size_t *begin) {
    int size, rank;
    (void)user;
    MPI_Comm_size(ours, &size);
    MPI_Comm_rank(ours, &rank);
    if (row_bytes > INT_MAX || begin[size] > INT_MAX)
        too_large("a message", row_bytes > INT_MAX ? row_bytes : begin[size]);
    for (int k = 0; k < size; k++) {
        places[k] = (int)begin[k];
        counts[k] = (int)(begin[k + 1] - begin[k]);
    }
    MPI_Datatype row = row_type(row_bytes);
    MPI_Request request;
    MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, rows, counts, places, row, ours, &request);
    isg_mpi_wait(&request);
    MPI_Type_free(&row);
    sent.messages++;
    sent.bytes += row_bytes * (uint64_t)counts[rank];
}

static void broadcast(void *user, void *bytes, size_t count) {
    enum { PORTION = 1 << 30 };
    int rank;
    (void)user;
    MPI_Comm_rank(ours, &rank);
    for (size_t done = 0; done < count; done += PORTION) {
        const size_t now = count - done < PORTION ? count - done : PORTION;
        MPI_Request request;
        MPI_Ibcast((char *)bytes + done, (int)now, MPI_BYTE, 0, ours, &request);
        isg_mpi_wait(&request);
        sent.messages += rank == 0;
        sent.bytes += rank == 0 ? now : 0;
    }
}

isg_status isg_mpi_start(MPI_Comm comm) {
    int rank, size;
    isg_mpi_stop();
    MPI_Comm_dup(comm, &ours);
    MPI_Comm_rank(ours, &rank);
    MPI_Comm_size(ours, &size);
    sent = (isg_mpi_traffic){0};
    counts = calloc((size_t)size, sizeof *counts);
    places = calloc((size_t)size, sizeof *places);
    const isg_ranks ranks = {
        .rank = (size_t)rank, .size = (size_t)size, .gather = gather, .broadcast = broadcast};
    const isg_status status = counts && places ? isg_set_ranks(&ranks) : ISG_ERR_MEMORY;
    if (status != ISG_OK)
        isg_mpi_stop();
    return status;
}

void isg_mpi_stop(void) {
    isg_set_ranks(NULL);
    free(counts);
    free(places);
    counts = places = NULL;
    if (ours != MPI_COMM_NULL)
        MPI_Comm_free(&ours);
}

isg_mpi_traffic isg_mpi_sent(void) {
    return sent;
}
