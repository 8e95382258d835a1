#!/bin/bash
# loading.sh - reading MNIST in several formats, beside NumPy in the same run
#
# SPDX-License-Identifier: MIT
#
#   bench/loading.sh [PROGRAM]
#
# Both sides end with the same thing, one bit a pixel (NumPy: packbits), and start as a new process.
# The runs alternate; the table has medians, their ratio, and the peak memory of either side.
set -eu
cd "$(dirname "$0")/.."
program=$(realpath "${1:-build/isinglass}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$program" data get mnist >/dev/null
images=$("$program" data get mnist --json | /usr/bin/python3 -c 'import json,sys; print(json.load(sys.stdin)["path"])')
exec /usr/bin/python3 - "$program" "$images" "$scratch" <<'PYTHON'
import gzip, shutil, statistics, subprocess, sys, time
import numpy as np
program, images, scratch = sys.argv[1:]
raw = np.fromfile(images + "/train-images-idx3-ubyte", np.uint8, offset=16).reshape(60000, 784)
shutil.copy(images + "/train-images-idx3-ubyte", scratch + "/train.idx")
with open(scratch + "/train.idx", "rb") as source, gzip.open(scratch + "/train.idx.gz", "wb", 6) as out:
    shutil.copyfileobj(source, out)
np.save(scratch + "/train.npy", raw)
np.savez_compressed(scratch + "/train.npz", X=raw)
np.savetxt(scratch + "/train.csv", raw[:10000], fmt="%d", delimiter=",")
read = {"idx": "np.fromfile(f, np.uint8, offset=16).reshape(-1, 784)",
        "idx.gz": "np.frombuffer(gzip.open(f).read(), np.uint8, offset=16).reshape(-1, 784)",
        "npy": "np.load(f)", "npz": "np.load(f)['X']", "csv": "np.loadtxt(f, np.uint8, delimiter=',')"}
def run(command):
    start = time.perf_counter()
    done = subprocess.run(["/usr/bin/time", "-f", "%M", *command], check=True, capture_output=True, text=True)
    return time.perf_counter() - start, int(done.stderr.split()[-1]) / 1024
print(f"{'format':8} {'isinglass':>10} {'NumPy':>10} {'ratio':>7} {'MiB':>6} {'MiB':>6}")
for kind, expression in read.items():
    f = f"{scratch}/train.{kind}"
    script = f"import gzip, numpy as np; f = {f!r}; np.packbits({expression} > 2, axis=1)"
    pairs = [(run([program, "data", "info", f]), run(["/usr/bin/python3", "-c", script])) for _ in range(5)]
    ours, theirs = (statistics.median(p[k][0] for p in pairs) for k in (0, 1))
    print(f"{kind:8} {ours:9.3f}s {theirs:9.3f}s {theirs / ours:6.2f}x {max(p[0][1] for p in pairs):6.0f} {max(p[1][1] for p in pairs):6.0f}")
PYTHON
