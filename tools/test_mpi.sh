#!/usr/bin/env bash
# test_mpi.sh - isinglass-mpi on several ranks of this machine, with Open MPI and MPICH; the last line is "N passed, M failed"
#
# SPDX-License-Identifier: MIT
#
# Where an MPI cannot be had it is left out, and said so: the library does not need it. ISINGLASS_TEST_KILLS is the
# number of runs of which a rank is killed [3].
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tools/count.sh

tools/deps.sh --mpi --test || true
modules=
for module in ompi-c mpich; do
    if pkg-config --exists $module 2>/dev/null; then
        modules+=${modules:+;}$module
    else
        echo "LEFT OUT: tests with $module: it could not be installed"
    fi
done

build_mpi() { # in the tree of the other tests, so that little is left to compile
    local targets
    IFS=';' read -ra targets <<<"$modules"
    cmake --preset dev -DISG_MPI="$modules" &&
        cmake --build build/dev --parallel "$jobs" --target isinglass_program "${targets[@]/%/_program}"
}

run_check() { # "MPI check"
    local module=${1% *}
    export ISINGLASS=$PWD/build/dev/isinglass MPI_PROGRAM=$PWD/build/dev/mpi/$module/isinglass-mpi
    export SCRATCH=$PWD/build/dev/mpi/$module
    MPIEXEC=mpiexec.mpich
    [[ $module == mpich ]] || MPIEXEC="mpiexec.openmpi --oversubscribe"
    export MPIEXEC
    tests/mpi/ranks.sh "${1#* }"
}

if [[ -n $modules ]]; then
    count_command "isinglass-mpi is built" build_mpi
    for module in ${modules//;/ }; do
        for check in training scores samples kills failures; do
            count_command "mpi: $module, $check" run_check "$module $check"
        done
    done
fi
print_counts
