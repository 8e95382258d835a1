#!/bin/bash
# engine.sh - the speed that isinglass promises, row by row, beside what else one would use
#
# SPDX-License-Identifier: MIT
#
#   bench/engine.sh [BUILD-DIRECTORY [PEERS.PY [REPEATS]]]
#
# Training on MNIST by `isinglass bench` on one and two threads, and by PyTorch and NumPy (peers.py) on
# one and two, in turn, REPEATS [5] times over. Both sides start from normal weights of standard
# deviation 0.1 and do CD-20 on the same first 6000 images in batches of 100, after two updates that
# do not count. The table has medians, with the lowest and highest behind them, and their ratios to
# the best of the others, each at its better number of threads. Then clustering (ward.sh), memory, and
# the share of the machine's peak. Without peers.py there is only our side.
#
# Takes about ten minutes; means something on a machine that does nothing else.
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build}")
peers=$(realpath -m "${2:-../shared/peers/peers.py}")
repeats=${3:-5}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$build/isinglass" data get mnist >/dev/null
images=$("$build/isinglass" data get mnist --json |
    /usr/bin/python3 -c 'import json,sys; print(json.load(sys.stdin)["path"])')
/usr/bin/python3 - "$build" "$images" "$peers" "$repeats" "$scratch" <<'PYTHON'
import importlib.util, json, os, statistics, subprocess, sys

build, images, peers, repeats, scratch = sys.argv[1:]
repeats = int(repeats)
program = build + "/isinglass"
sizes = (10, 50, 100, 500)
others = {"PyTorch": ("torch", "cd"), "NumPy": ("numpy", "cd-numpy")}
has_peers = os.path.exists(peers)
if not has_peers:
    print("peers.py is not there: only our side is measured, and nothing is compared")
for name, (module, _) in list(others.items()):
    if not has_peers or importlib.util.find_spec(module) is None:
        del others[name]
        if has_peers:
            print(f"{name} is not installed here, and left out")


def bench(job, p, *options):
    """One measurement of ours: its result, and the peak in the same breath. None: no such job."""
    done = subprocess.run([program, "bench", job, "--hidden", str(p), "--batch", "100", "--samples", "6000",
                           "--threads", "2", "--repeats", "3", "--json", "--quiet", *options],
                          capture_output=True, text=True)
    if done.returncode == 2 and "JOB" in done.stderr:
        return None
    if done.returncode != 0:
        sys.exit(done.stderr)
    answer = json.loads(done.stdout)
    return {**answer["results"][0], "peak_gflops": answer["peak_gflops"]}


def peer(job, p, threads, *options):
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
    done = subprocess.run(["/usr/bin/python3", peers, job, "--hidden", str(p), "--threads", str(threads),
                           *options], capture_output=True, text=True, check=True, env=environment)
    return json.loads(done.stdout.splitlines()[-1])["rate"]


data = ("--sweeps", "20", "--data", "mnist:train")
their_data = ("--batch", "100", "--steps", "20", "--samples", "6000",
              "--images", images + "/train-images-idx3-ubyte")
ais = ("--chains", "100", "--steps", "1000")
has_ais = bench("ais", 10, "--init", "hopfield") is not None
runs = {}  # what was measured -> one value per repeat


def note(key, value):
    runs.setdefault(key, []).append(value)


print("load before:", *os.getloadavg())
for repeat in range(repeats):
    print(f"repeat {repeat + 1} of {repeats}", file=sys.stderr, flush=True)
    for p in sizes:
        note(("cd", p), bench("cd", p, *data))
        note(("hopfield", p), bench("cd", p, *data, "--init", "hopfield"))
        for name, (_, job) in others.items() if p != 500 else ():
            for threads in (1, 2):
                note(("cd", p, name, threads), peer(job, p, threads, *their_data))
    for p in (10, 50) if has_ais else ():
        note(("ais", p), bench("ais", p, "--init", "hopfield"))
        for threads in (1, 2) if "NumPy" in others else ():
            note(("ais", p, "NumPy", threads), peer("ais", p, threads, *ais))
print("load after:", *os.getloadavg())


def values(key, field=None):
    return [run[field] if field else run for run in runs[key]]


def spread(numbers, form):
    return f"{statistics.median(numbers):{form}} ({min(numbers):{form}} - {max(numbers):{form}})"


def row(what, ours, theirs="", ratio="", bar="", is_met=None):
    verdict = {None: "", True: "yes", False: "NO"}.get(is_met, is_met)
    print(f"{what:36} {ours:28} {theirs:40} {ratio:>7} {bar:>7} {verdict:>4}".rstrip())


def count(threads):
    return f"{threads} thread{'s' if threads > 1 else ''}"


def compare(what, key, job, p, bar):
    """Our rate on two threads against the best median of the others."""
    ours = values(key, "rate")
    found = [(statistics.median(values(k)), k) for k in runs if k[:2] == (job, p) and len(k) == 4]
    if not found:
        return row(what, spread(ours, ".0f"))
    best, k = max(found)
    ratio = statistics.median(ours) / best
    row(what, spread(ours, ".0f"), f"{spread(values(k), '.0f')} {k[2]}, {count(k[3])}", f"{ratio:.1f}x",
        f"{bar}x" if bar else "", ratio >= bar if bar else None)


peak = statistics.median(r["peak_gflops"] for k in runs if k[0] == "cd" and len(k) == 2 for r in runs[k])
print(f"peak of two threads: {peak:.1f} GFLOP/s\n")
row("what", "isinglass", "best of the others", "ratio", "bar", "met")
for p, bar in zip(sizes, (10, 8, 6)):
    compare(f"CD-20, p = {p}, samples/s", ("cd", p), "cd", p, bar)
for p in sizes[:3]:
    compare(f"  from Hopfield weights, p = {p}", ("hopfield", p), "cd", p, 0)
for p, bar in ((10, 20), (50, 10)):
    if has_ais:
        compare(f"AIS, p = {p}, chain-steps/s", ("ais", p), "ais", p, bar)
    else:
        row(f"AIS, p = {p}, chain-steps/s", "not in this build", bar=f"{bar}x")

# Clustering has a benchmark of its own, whose line for 6000 samples is
# samples, ours, theirs, ratio, our MiB, their MiB.
print("clustering", file=sys.stderr, flush=True)
ward = subprocess.run(["bash", "bench/ward.sh", build, peers, "6000"], capture_output=True, text=True)
if ward.returncode != 0:
    sys.exit(ward.stdout + ward.stderr)
n, ours, theirs, ratio = next(line.split() for line in ward.stdout.splitlines() if line.split()[0] == "6000")[:4]
if theirs == "-":
    row("Ward, 6000 images of one class", ours)
else:
    row("Ward, 6000 images of one class", ours, theirs + " scikit-learn", ratio, "10x", float(ratio[:-1]) >= 10)

for p in sizes:
    speedup = values(("cd", p), "speedup")
    alone = values(("cd", p), "one_thread_rate")
    row(f"second thread, CD-20, p = {p}", spread(values(("cd", p), "rate"), ".0f"),
        f"{spread(alone, '.0f')} own, 1 thread", f"{statistics.median(speedup):.2f}x", "1.8x",
        statistics.median(speedup) >= 1.8)
for p in sizes:
    for key, start in (("cd", ""), ("hopfield", ", Hopfield")):
        share = [100 * f for f in values((key, p), "fraction_of_peak")]
        row(f"share of peak, p = {p}{start}", spread(share, ".0f") + " %", "", "",
            "60 %" if p >= 50 else "", statistics.median(share) >= 60 if p >= 50 else None)

# The largest resident set of a whole run of training, MNIST and all.
if subprocess.run([program, "train", "-h"], capture_output=True).returncode != 0:
    row("memory of training on MNIST", "not in this build", bar="96 MiB")
else:
    for p in (10, 100):
        done = subprocess.run(["/usr/bin/time", "-f", "%M", program, "train", "mnist:train", "-o", f"{scratch}/{p}",
                               "--init", "normal", "--hidden", str(p), "--epochs", "1", "--threads", "2", "--quiet"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr)
        mib = int(done.stderr.split()[-1]) / 1024
        row(f"memory of training, p = {p}", f"{mib:.0f} MiB", "", "", "96 MiB", mib <= 96)
PYTHON
