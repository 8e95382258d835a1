#!/bin/bash
# linalg.sh - dense linear algebra: times, memory and accuracy beside NumPy and SciPy in the same run
#
# SPDX-License-Identifier: MIT
#
#   bench/linalg.sh [BUILD-DIRECTORY [OTHER-LIBRARY.a]]
#
# Everything on one thread, in one process, by turns; times are the shortest of several. Memory is what a
# process that does one job has at its peak beyond one that only holds the operands. OTHER-LIBRARY.a is
# an earlier libisinglass.a, to be compared with; it may need OpenBLAS and liblbfgs. Errors are found in
# long double: the largest entry of the first 4000 rows of Q R - xi, and of the first 20 of Q^T Q - 1.
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build}")
other=${2:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/shim.c" <<'C'
#include <stddef.h>
typedef struct { double *data; size_t rows, cols, stride; } matrix;
int isg_qr(matrix q, matrix r, matrix a);
int isg_pivoted_qr(matrix r, size_t *order, size_t *rank, matrix a, double tolerance);
int isg_svd(matrix u, double *sigma, matrix vt, matrix a);
int isg_symmetric_eigen(double *values, matrix vectors, matrix a);
int isg_cholesky(matrix l, matrix a);
int isg_matrix_multiply(matrix out, matrix a, int op_a, matrix b, int op_b);
void isg_set_threads(size_t threads);
#define SHOW __attribute__((visibility("default")))
static matrix of(double *data, size_t rows, size_t cols) { return (matrix){data, rows, cols, cols}; }
SHOW void one_thread(void) { isg_set_threads(1); }
SHOW int qr(double *a, double *q, double *r, double *s, size_t n, size_t p) {
    (void)s;
    return isg_qr(of(q, n, p), of(r, p, p), of(a, n, p));
}
SHOW int svd(double *a, double *q, double *r, double *s, size_t n, size_t p) {
    return isg_svd(of(q, n, p), s, of(r, p, p), of(a, n, p));
}
SHOW int polar(double *a, double *q, double *r, double *s, size_t n, size_t p) { /* W = U V^T */
    static double *copy;
    if (isg_svd(of(q, n, p), s, of(r, p, p), of(a, n, p)))
        return 1;
    void *malloc(size_t);
    if (!copy)
        copy = malloc(20000 * 784 * sizeof *copy);
    return isg_matrix_multiply(of(copy, n, p), of(q, n, p), 0, of(r, p, p), 0);
}
SHOW int pivoted(double *a, double *q, double *r, double *s, size_t n, size_t p) {
    size_t order[1000], rank;
    (void)q, (void)s;
    return isg_pivoted_qr(of(r, p, p), order, &rank, of(a, n, p), 1e-12);
}
SHOW int eigen(double *g, double *q, double *r, double *s, size_t n, size_t p) {
    (void)q, (void)n;
    return isg_symmetric_eigen(s, of(r, p, p), of(g, p, p));
}
SHOW int cholesky(double *g, double *q, double *r, double *s, size_t n, size_t p) {
    (void)q, (void)n, (void)s;
    return isg_cholesky(of(r, p, p), of(g, p, p));
}
C
make_library() { # archive, result, libraries...
    local archive=$1 result=$2
    shift 2
    # shellcheck disable=SC2046 # several options
    cc -O2 -w -fPIC -shared "$scratch/shim.c" -Wl,-Bsymbolic "$archive" -fopenmp \
        $(pkg-config --libs zlib jansson) "$@" -lm -o "$result"
}
make_library "$build/libisinglass.a" "$scratch/now.so"
[[ -z $other ]] || make_library "$other" "$scratch/before.so" -lopenblas -llbfgs
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
exec /usr/bin/python3 - "$scratch" <<'PYTHON'
import ctypes, os, sys, time
import numpy as np
import scipy.linalg
scratch = sys.argv[1]
sides = {name: ctypes.CDLL(f"{scratch}/{name}.so") for name in ("before", "now") if os.path.exists(f"{scratch}/{name}.so")}
for side in sides.values():
    side.one_thread()
JOBS = {"qr": np.linalg.qr,
        "svd": lambda a: np.linalg.svd(a, full_matrices=False),
        "polar": lambda a: (lambda u, s, vt: u @ vt)(*np.linalg.svd(a, full_matrices=False)),
        "pivoted": lambda a: scipy.linalg.qr(a, mode="r", pivoting=True),
        "eigen": np.linalg.eigh, "cholesky": np.linalg.cholesky}
GRAM = ("eigen", "cholesky")
random = np.random.default_rng(1)

def room(n, p):
    return np.zeros((n, p)), np.zeros((p, p)), np.zeros(p)
def call(side, job, a, q, r, s, n, p):
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in (a, q, r, s)]
    assert getattr(sides[side], job)(*pointers, ctypes.c_size_t(n), ctypes.c_size_t(p)) == 0
def runner(side, job, a, n, p):
    if side == "numpy":
        return lambda: JOBS[job](a)
    out = room(n, p)
    return lambda: call(side, job, a, *out, n, p)
def shortest(runs, repeats):
    best = [float("inf")] * len(runs)
    for _ in range(repeats):
        for i, run in enumerate(runs):
            start = time.perf_counter()
            run()
            best[i] = min(best[i], time.perf_counter() - start)
    return best
def peak(run):
    """MB that a child needs for it."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        def peak_now():
            lines = open("/proc/self/status").read().split("\n")
            return int(next(l for l in lines if l.startswith("VmHWM")).split()[1])
        libc = ctypes.CDLL(None) # every block from the system, or what was freed before would hide it
        libc.malloc_trim(0), libc.mallopt(-3, 65536)
        open("/proc/self/clear_refs", "w").write("5")
        before = peak_now()
        run()
        os.write(write, str(peak_now() - before).encode())
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    os.close(write)
    kilobytes = int(os.read(read, 100) or b"0")
    os.close(read)
    return kilobytes / 1024

print(f"{'job':9} {'size':>10} " + " ".join(f"{n:>17}" for n in [*sides, "numpy"]) + "   now / numpy")
for n, p, repeats in ((784, 100, 15), (784, 784, 5), (20000, 500, 3)):
    xi = np.where(random.random((n, p)) < 0.5, 1.0, -1.0)
    gram = xi.T @ xi + np.eye(p)
    for job in JOBS:
        a = gram if job in GRAM else xi
        runs = [runner(side, job, a, n, p) for side in [*sides, "numpy"]]
        times = shortest(runs, repeats)
        sizes = [peak(run) for run in runs]
        cells = " ".join(f"{1e3 * t:9.2f} ms {m:3.0f} M" for t, m in zip(times, sizes))
        print(f"{job:9} {n:>5}x{p:<4} {cells}   {times[-2] / times[-1]:.2f}", flush=True)

def patterns(kind, n, p):
    xi = np.where(random.random((n, p)) < (0.5 if kind == "random" else 0.1), 1.0, -1.0)
    for j in range(p // 2, p if kind == "near" else 0): # two units beside an earlier pattern
        xi[:, j] = xi[:, j - p // 2]
        xi[random.choice(n, 2, replace=False), j] *= -1
    return np.ascontiguousarray(xi)
def errors(q, r, xi):
    rows, cols = slice(0, 4000), slice(0, 20)
    q, r = q.astype(np.longdouble), r.astype(np.longdouble)
    e = q[:, cols].T @ q
    e[range(e.shape[0]), range(e.shape[0])] -= 1
    return float(abs(q[rows] @ r - xi[rows]).max()), float(abs(e).max())
print(f"\n{'patterns':>17} " + " ".join(f"{'|QR-xi| |QQ-1| ' + n:>22}" for n in [*sides, "numpy"]) + "   now / numpy")
for n, p in ((784, 10), (784, 100), (5000, 8), (20000, 8), (20000, 100), (20000, 500)):
    for kind in ("random", "biased", "near"):
        xi = patterns(kind, n, p)
        found = []
        for side in sides:
            q, r, s = room(n, p)
            call(side, "qr", xi, q, r, s, n, p)
            found.append(errors(q, r, xi))
        found.append(errors(*np.linalg.qr(xi), xi))
        cells = " ".join(f"{a:13.1e} {b:8.1e}" for a, b in found)
        ratio = [a / b for a, b in zip(found[-2], found[-1])]
        print(f"{kind:7}{n:>5}x{p:<4} {cells}   {ratio[0]:5.2f} {ratio[1]:5.2f}", flush=True)
PYTHON
