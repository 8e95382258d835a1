#!/bin/bash
# isa.sh - one instruction set beside another, in turn
#
# SPDX-License-Identifier: MIT
#
#   bench/isa.sh [BUILD-DIRECTORY [REPEATS [ISA ISA]]]
#
# Training (CD-20, batches of 100), Gibbs sweeps and annealing by `isinglass bench` with each of the two
# sets [avx2 avx512] by turns, REPEATS [7] times over, on one and on two threads. Rates are medians, with
# the best behind them: on a shared machine, whatever else runs can only slow a measurement down.
#
# Takes about ten minutes.
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build}")
repeats=${2:-7}
/usr/bin/python3 - "$build/isinglass" "$repeats" "${3:-avx2}" "${4:-avx512}" <<'PYTHON'
import json, os, statistics, subprocess, sys

program, repeats, *sets = sys.argv[1:]
sizes = (10, 50, 100, 500)
rates = {}  # job, p, threads, set -> one value per repeat
peaks = {isa: [] for isa in sets}

print("load before:", *os.getloadavg())
for repeat in range(int(repeats)):
    print(f"repeat {repeat + 1} of {repeats}", file=sys.stderr, flush=True)
    for p in sizes:
        for isa in sets if repeat % 2 == 0 else reversed(sets):
            done = subprocess.run([program, "bench", "cd", "gibbs", "ais", "--hidden", str(p), "--batch", "100",
                                   "--sweeps", "20", "--samples", "400", "--threads", "2", "--repeats", "1", "--isa", isa,
                                   "--json", "--quiet"],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(done.stderr)
            answer = json.loads(done.stdout)
            peaks[isa].append(answer["peak_gflops"])
            for result in answer["results"]:
                for threads, field in ((1, "one_thread_rate"), (2, "rate")):
                    rates.setdefault((result["job"], p, threads, isa), []).append(result[field])
print("load after:", *os.getloadavg())
print("peak of two threads, GFLOP/s:", ", ".join(f"{isa} {max(peaks[isa]):.0f}" for isa in sets))
print(f"\n{'job':6} {'p':>4} {'threads':>7} {sets[0]:>18} {sets[1]:>18} {'of medians':>11} {'of bests':>9}")
for job, p, threads in sorted({key[:3] for key in rates}, key=lambda k: (("cd", "gibbs", "ais").index(k[0]), k[1:])):
    both = [rates[job, p, threads, isa] for isa in sets]
    cells = [f"{statistics.median(r):.0f} ({max(r):.0f})" for r in both]
    print(f"{job:6} {p:>4} {threads:>7} {cells[0]:>18} {cells[1]:>18} "
          f"{statistics.median(both[1]) / statistics.median(both[0]):>10.2f}x {max(both[1]) / max(both[0]):>8.2f}x")
PYTHON
