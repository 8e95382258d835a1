/* isinglass_mpi.h - the processes of MPI as ranks of isinglass
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_MPI_H
#define ISINGLASS_MPI_H

#include <isinglass.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From now on the processes of `comm` share the work of the library: see isg_ranks in isinglass/base.h. All of them
   call this, after MPI_Init_thread() with MPI_THREAD_FUNNELED or more. Messages go through a duplicate of
   the communicator, so that they never meet yours. */
ISG_API isg_status isg_mpi_start(MPI_Comm comm);

/* Each works for itself again; before MPI_Finalize(). */
ISG_API void isg_mpi_stop(void);

/* What this rank has sent since isg_mpi_start(): its own rows, once for each message. What that is on the wire
   depends on how MPI passes them on. */
typedef struct isg_mpi_traffic {
    uint64_t messages, bytes;
} isg_mpi_traffic;

ISG_API isg_mpi_traffic isg_mpi_sent(void);

#ifdef __cplusplus
}
#endif

#endif
