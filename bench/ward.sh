#!/bin/bash
# ward.sh - clustering one digit of MNIST, beside scikit-learn in the same run
#
# SPDX-License-Identifier: MIT
#
#   bench/ward.sh [BUILD-DIRECTORY [PEERS.PY [SAMPLES]]]
#
# Both sides cluster the same images of the digit 1, and are timed without loading: ours by a small
# program over the static library, from spins to patterns of ten clusters, theirs by peers.py. The runs
# alternate; the table has medians, their ratio, and the peak memory of either process, for 1000 to
# 6000 samples, or for SAMPLES alone. The last clusters are compared, by size and by the sign of their
# means. Without peers.py or scikit-learn there is only our side.
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build}")
peers=$(realpath -m "${2:-../shared/peers/peers.py}")
samples=${3:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$build/isinglass" data get mnist >/dev/null
images=$("$build/isinglass" data get mnist --json |
    /usr/bin/python3 -c 'import json,sys; print(json.load(sys.stdin)["path"])')
# shellcheck disable=SC2046 # several options
cc -O2 -Iinclude bench/ward_alone.c "$build/libisinglass.a" -fopenmp \
    $(pkg-config --libs zlib jansson) -lm -o "$scratch/ward_alone"
exec /usr/bin/python3 - "$scratch" "$images" "$peers" "$samples" <<'PYTHON'
import importlib.util, json, os, statistics, struct, subprocess, sys
import numpy as np
scratch, images, peers, samples = sys.argv[1:]
x = np.fromfile(images + "/train-images-idx3-ubyte", np.uint8, offset=16).reshape(-1, 784)
y = np.fromfile(images + "/train-labels-idx1-ubyte", np.uint8, offset=8)
ones = x[y == 1]
has_peer = os.path.exists(peers) and importlib.util.find_spec("sklearn") is not None
def run(command):
    done = subprocess.run(["/usr/bin/time", "-f", "%M", *command], check=True, capture_output=True, text=True)
    return json.loads(done.stdout), int(done.stderr.split()[-1]) / 1024
print(f"{'samples':>8} {'isinglass':>10} {'sklearn':>10} {'ratio':>7} {'MiB':>6} {'MiB':>6}")
for n in [int(samples)] if samples else range(1000, 7000, 1000):
    f = f"{scratch}/ones-{n}-idx3-ubyte"
    with open(f, "wb") as out:
        out.write(struct.pack(">4B3I", 0, 0, 8, 3, n, 28, 28) + ones[:n].tobytes())
    ours, theirs = [], []
    for _ in range(5):
        ours.append(run([scratch + "/ward_alone", f, scratch + "/p.npz"]))
        if has_peer:
            theirs.append(run(["/usr/bin/python3", peers, "ward", "--samples", str(n), "--images", f]))
    a, mib_a = statistics.median(t["seconds"] for t, _ in ours), max(m for _, m in ours)
    if has_peer:
        b, mib_b = statistics.median(t["seconds"] for t, _ in theirs), max(m for _, m in theirs)
        print(f"{n:8} {a:9.3f}s {b:9.3f}s {b / a:6.2f}x {mib_a:6.0f} {mib_b:6.0f}", flush=True)
    else:
        print(f"{n:8} {a:9.3f}s {'-':>10} {'-':>7} {mib_a:6.0f} {'-':>6}", flush=True)
if has_peer:
    from sklearn.cluster import AgglomerativeClustering
    spins = (ones[:n] > 2).astype(np.float64)
    labels = AgglomerativeClustering(n_clusters=10, linkage="ward").fit(spins).labels_
    means = [(2 * spins[labels == c] - 1).sum(0) for c in range(10)]
    theirs = sorted(((labels == c).sum(), np.where(means[c] > 0, 1, -1).tolist()) for c in range(10))
    mine = np.load(scratch + "/p.npz")["xi"].T.tolist()
    same = theirs == sorted(zip(ours[-1][0]["members"], mine))
    print(f"clusters of {n} samples: {'the same' if same else 'other ones'} as scikit-learn's")
    sys.exit(not same)
PYTHON
