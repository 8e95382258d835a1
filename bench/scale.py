#!/usr/bin/python3
# scale.py - time and memory of single-cell sizes, and how the time of an epoch grows with N
#
# SPDX-License-Identifier: MIT
#
#   bench/scale.py [BUILD-DIRECTORY] [--cells M] [--genes N] [--hidden P] [--scratch DIR] [--only sizes|epochs]
#
# The first table loads synthetic sparse counts (cells.py), makes patterns, trains one epoch and scores, each
# in a process of its own, so every one but the first also loads. Peak memory is compared with the packed
# spins plus W in double precision. The second trains one epoch (CD-20, batches of 100) for N from 1,000 to
# 32,000, and has NumPy do the same updates in float32 with its own generator, in the same run: one thread
# each, in processor time, so that a busy machine changes little. The rate is small, since updates grow with N.
import argparse, json, os, re, subprocess, sys, tempfile, time
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np
del os.environ["OMP_NUM_THREADS"] # was for NumPy alone

here = os.path.dirname(os.path.abspath(__file__))
parser = argparse.ArgumentParser()
parser.add_argument("build", nargs="?", default="build")
parser.add_argument("--cells", type=int, default=100000)
parser.add_argument("--genes", type=int, default=20000)
parser.add_argument("--hidden", type=int, default=100)
parser.add_argument("--scratch")
parser.add_argument("--only", choices=["sizes", "epochs"])
o = parser.parse_args()
program = os.path.abspath(os.path.join(o.build, "isinglass"))
scratch = o.scratch or tempfile.mkdtemp()
os.makedirs(scratch, exist_ok=True)


def cells(name, m, n):
    """A Matrix Market file and its labels; made once."""
    data, labels = (os.path.join(scratch, name + end) for end in (".mtx", ".csv"))
    if not os.path.exists(labels):
        subprocess.run([os.path.join(here, "cells.py"), data, labels + ".part", "--cells", str(m), "--genes", str(n)],
                       check=True)
        os.rename(labels + ".part", labels)
    return [data, "--labels", labels]


def run(*arguments):
    """Seconds, those of all processors, peak MiB and the JSON result of a command."""
    start = time.monotonic()
    done = subprocess.run(["/usr/bin/time", "-f", "peak %M %U %S", program, *arguments, "--json", "--quiet"],
                          capture_output=True, text=True)
    seconds = time.monotonic() - start
    if done.returncode:
        sys.exit(done.stderr)
    peak, user, system = re.search(r"peak (\d+) ([\d.]+) ([\d.]+)", done.stderr).groups()
    return seconds, float(user) + float(system), int(peak) / 1024, json.loads(done.stdout)


def sizes():
    data = cells(f"cells-{o.cells}-{o.genes}", o.cells, o.genes)
    packed = o.cells * ((o.genes + 63) // 64 * 8) / 2**20
    weights = o.genes * o.hidden * 8 / 2**20
    out = os.path.join(scratch, "run")
    subprocess.run(["rm", "-rf", out])
    print(f"{o.cells} cells x {o.genes} genes, p = {o.hidden}: packed spins {packed:.0f} MiB, W {weights:.0f} MiB\n")
    print("| step | time | processor time | peak | over packed + W |\n|---|---|---|---|---|")
    steps = [("load (data info)", ["data", "info", *data]),
             ("patterns", ["patterns", *data, "-o", os.path.join(scratch, "p.npz"), "--force"]),
             ("train, one epoch", ["train", *data, "-o", out, "--epochs", "1", "--init", "normal", "--sd", "0.01",
                                   "--hidden", str(o.hidden), "--rate", "1e-6"]),
             ("score", ["score", out, *data])]
    for name, arguments in steps:
        seconds, busy, mib, _ = run(*arguments)
        print(f"| {name} | {seconds:.1f} s | {busy:.1f} s | {mib:.0f} MiB | {mib / (packed + weights):.2f} |", flush=True)


def numpy_epoch(spins, p, batch=100, sweeps=20, beta=2.0, rate=1e-6):
    rng = np.random.default_rng(1)
    w = rng.standard_normal((spins.shape[1], p), np.float32) * np.float32(0.01)
    start = time.process_time()
    for first in range(0, len(spins), batch):
        s = data = spins[first:first + batch]
        for sweep in range(sweeps):
            h = s @ w
            h += rng.standard_normal(h.shape, np.float32) / np.float32(np.sqrt(beta))
            x = h @ w.T
            s = np.where(rng.random(x.shape, np.float32) * (1 + np.exp(-2 * beta * x)) < 1, np.float32(1), np.float32(-1))
        w += np.float32(rate / len(data) * beta) * (data.T @ (data @ w) - s.T @ h)
    return time.process_time() - start


def epoch(data, out, count):
    """Processor time of training, loading included."""
    subprocess.run(["rm", "-rf", out])
    return run("train", *data, "-o", out, "--epochs", str(count), "--init", "normal", "--sd", "0.01", "--hidden",
               str(o.hidden), "--rate", "1e-6", "--threads", "1")[1]


def epochs(m=2000):
    print(f"\none epoch of {m} cells, CD-20, batches of 100, p = {o.hidden}; processor time of one thread\n")
    print("| N | isinglass | samples/s | time / N, relative | NumPy | ratio |\n|---|---|---|---|---|---|")
    for n in (1000, 2000, 4000, 8000, 16000, 32000):
        data, out = cells(f"cells-{m}-{n}", m, n), os.path.join(scratch, "run-epoch")
        more = max(1, 8000 // n) # epochs, so that times are not too short
        ours = min((epoch(data, out, 1 + more) - epoch(data, out, 1)) / more for _ in range(2))
        rng = np.random.default_rng(2)
        spins = np.where(rng.random((m, n), np.float32) < 0.05, np.float32(1), np.float32(-1))
        theirs = numpy_epoch(spins, o.hidden)
        base = ours / n if n == 1000 else base
        print(f"| {n} | {ours:.2f} s | {m / ours:.0f} | {ours / n / base:.2f} | {theirs:.2f} s | {theirs / ours:.1f} |",
              flush=True)


if o.only != "epochs":
    sizes()
if o.only != "sizes":
    epochs()
