/* mpi_main.c - isinglass-mpi, the program on several processes
 *
 * SPDX-License-Identifier: MIT
 *
 * All ranks read the same command line. Rank 0 alone prints and writes. A rank that fails where the others
 * do not ends them all.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli/program.h"
#include "isinglass_mpi.h"

/* A number of tasks that a launcher put in the environment; 0 if there is none. */
static long tasks_by(const char *name) {
    const char *value = getenv(name);
    return value ? strtol(value, NULL, 10) : 0;
}

/* How many processes a launcher has started, as far as the environment tells; call it before MPI_Init(), which
   may set such variables itself. Within an allocation of SLURM, mpirun leaves SLURM_NTASKS as it is. */
static long count_started(void) {
    static const char *const by_mpi[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "PMIX_SIZE"};
    bool is_known = getenv("PMIX_RANK") != NULL;
    long most = 0;
    for (size_t k = 0; k < sizeof by_mpi / sizeof *by_mpi; k++) {
        const long tasks = tasks_by(by_mpi[k]);
        is_known = is_known || tasks > 0;
        most = tasks > most ? tasks : most;
    }
    return is_known ? most : tasks_by("SLURM_NTASKS");
}

/* Started N times by a launcher that this MPI does not know, each process would take itself for the only one:
   they would all do the same work and write the same files. */
static exit_code check_launcher(long started, int size) {
    if (size > 1 || started <= 1)
        return EXIT_DONE;
    return fail(
        EXIT_MISUSED,
        "%ld processes were started, but MPI sees only this one, and each would do all the work; "
        "start them "
        "with 'mpirun', or with 'srun --mpi=pmix' ('srun --mpi=list' names what srun understands)",
        started);
}

/* Waits for all, but not for ever after a failure: if all fail alike, rank 0 has said why, and else
   the others wait for this rank. */
static void end_together(exit_code code, int rank, int size) {
    const double patience_s = 2;
    const struct timespec nap = {.tv_nsec = 1000000}, for_words = {.tv_nsec = 300000000};
    MPI_Request request;
    int is_done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (double waited_s = 0; MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), !is_done;
         waited_s += 1e-3) {
        if (code != EXIT_DONE && waited_s > patience_s) {
            if (rank > 0)
                fprintf(stderr, "isinglass: rank %d of %d: %s\n", rank, size, failure_sentence());
            nanosleep(&for_words, NULL); /* mpiexec may drop what it has not passed on by then */
            MPI_Abort(MPI_COMM_WORLD, (int)code);
        }
        nanosleep(&nap, NULL);
    }
}

int main(int argc, char **argv) {
    int provided, rank = 0, size = 1;
    program_start(argv);
    const long started = count_started();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    exit_code code = check_launcher(started, size);
    if (code == EXIT_DONE)
        code = fail_status(isg_mpi_start(MPI_COMM_WORLD));
    if (code != EXIT_DONE)
        failure_print();
    else
        code = program_run(argc, argv);
    if (getenv("ISINGLASS_MPI_TRAFFIC")) {
        const isg_mpi_traffic sent = isg_mpi_sent();
        fprintf(stderr, "rank %d of %d: %llu messages, %llu bytes\n", rank, size,
                (unsigned long long)sent.messages, (unsigned long long)sent.bytes);
    }
    end_together(code, rank, size);
    isg_mpi_stop();
    MPI_Finalize();
    return (int)code;
}
