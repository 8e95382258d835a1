/* mpi_wait.h - waiting that leaves the processor to others
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MPI_WAIT_H
#define MPI_WAIT_H

#include <mpi.h>

void isg_mpi_wait(MPI_Request *request);

#endif
