#!/bin/bash
# logistic.sh - logistic regression beside scikit-learn: the same coefficients, and the time
#
# SPDX-License-Identifier: MIT
#
#   bench/logistic.sh [BUILD-DIRECTORY [PEERS.PY]]
#
# Coefficients: ten features of MNIST, the squared lengths of projections on ten images of each class, on
# 60000 samples, and the 784 pixels of 2000 samples, standardized or not; both methods, as far as
# memory goes, against scikit-learn's newton-cg with the same penalty. The largest difference must be
# below 1e-6.
# Time: the problem of `peers.py logreg`, 6000 and 60000 samples, in alternating runs; and the two
# methods by the number of unknowns. Fails if scikit-learn or peers.py is missing.
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build}")
peers=$(realpath -m "${2:-../shared/peers/peers.py}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
/usr/bin/python3 -c 'import sklearn' || { echo "logistic.sh: scikit-learn is missing" >&2; exit 1; }
[[ -f $peers ]] || { echo "logistic.sh: $peers is missing" >&2; exit 1; }
"$build/isinglass" data get mnist >/dev/null
images=$("$build/isinglass" data get mnist --json |
    /usr/bin/python3 -c 'import json,sys; print(json.load(sys.stdin)["path"])')
# shellcheck disable=SC2046 # several options
cc -O2 -Iinclude -Isrc bench/logistic_alone.c "$build/libisinglass.a" -fopenmp \
    $(pkg-config --libs zlib jansson) -lm -o "$scratch/logistic_alone"
OMP_WAIT_POLICY=passive exec /usr/bin/python3 - "$scratch" "$images" "$peers" <<'PYTHON'
import json, statistics, subprocess, sys, time, warnings
import numpy as np
from sklearn.linear_model import LogisticRegression
scratch, images, peers = sys.argv[1:]
raw = np.fromfile(images + "/train-images-idx3-ubyte", np.uint8, offset=16).reshape(-1, 784)
y = np.fromfile(images + "/train-labels-idx1-ubyte", np.uint8, offset=8).astype(np.uint32)
s = np.where(raw > 2, 1.0, -1.0)
def fit(x, y, method, l2, standardize, tolerance=1e-10, threads=2):
    x.astype(np.float64).tofile(scratch + "/x"), y.astype(np.uint32).tofile(scratch + "/y")
    done = subprocess.run([scratch + "/logistic_alone", scratch + "/x", scratch + "/y", str(len(y)), method, str(l2),
        standardize, str(tolerance), str(threads), scratch + "/w"], check=True, capture_output=True, text=True)
    k, w = y.max() + 1, np.fromfile(scratch + "/w")
    return json.loads(done.stdout), w[:-k].reshape(k, -1), w[-k:]
worst = 0
def compare(name, x, y, l2, scales):
    global worst
    for standardize in scales:
        z = x.copy()
        if standardize == "yes":
            scale = x.std(0); z = (x - x.mean(0)) / np.where(scale > 0, scale, 1)
        start = time.perf_counter()
        peer = LogisticRegression(C=1 / l2, solver="newton-cg", multi_class="multinomial", tol=1e-9, max_iter=1000).fit(z, y)
        theirs = time.perf_counter() - start
        for method in "newton", "lbfgs":
            if method == "newton" and 9 * x.shape[1] > 2000: continue
            report, w, b = fit(x, y, method, l2, standardize)
            off = max(abs(w - peer.coef_).max(), abs(b - peer.intercept_ + peer.intercept_.mean()).max())
            worst = max(worst, off if report["converged"] else np.inf)
            print(f"{name}, standardized {standardize}, {method}: largest coefficient {abs(w).max():.3g}, difference {off:.1e}, "
                  f"{report['iterations']} iterations, gradient {report['gradient']:.1e}, {report['seconds']:.2f} s (newton-cg {theirs:.2f} s)", flush=True)
bases = [np.linalg.qr(s[y == c][:10].T)[0] for c in range(10)]
features = np.stack([((s @ q) ** 2).sum(1) for q in bases], 1)
warnings.simplefilter("ignore") # newton-cg cannot reach its tolerance to the last digit
compare("10 features, 60000 samples", features, y, 1.0, ["yes"])
compare("784 pixels, 2000 samples", s[:2000], y[:2000], 1.0, ["yes", "no"])
print("the peer's problem:")
for n in 6000, 60000:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 10, n)
    x = rng.standard_normal((n, 10)) + 1.5 * np.eye(10)[labels]
    ours, theirs = [], []
    for _ in range(7):
        ours.append(fit(x, labels, "auto", 1e-5, "no")[0]["seconds"])
        done = subprocess.run(["/usr/bin/python3", peers, "logreg", "--samples", str(n)], check=True, capture_output=True, text=True)
        theirs.append(json.loads(done.stdout)["seconds"])
    a, b = statistics.median(ours), statistics.median(theirs)
    print(f"{n:8} samples: {a:.4f} s, scikit-learn {b:.4f} s, ratio {b / a:.2f}", flush=True)
print("the two methods, pixels averaged to fewer:")
for d in 1, 2, 4, 7, 10:
    cut = np.linspace(0, 28, d + 1).astype(int)
    image = s[:10000].reshape(-1, 28, 28)
    x = np.stack([image[:, a:b, c:e].mean((1, 2)) for a, b in zip(cut, cut[1:]) for c, e in zip(cut, cut[1:])], 1)
    runs = [fit(x, y[:10000], method, 0.1, "yes")[0] for method in ("newton", "lbfgs")]
    print(f"{9 * (d * d + 1):6} unknowns: " + ", ".join(f"{r['method']} {r['seconds']:.3f} s in {r['iterations']}"
          f"{'' if r['converged'] else ' NOT CONVERGED ' + r['reason']}" for r in runs), flush=True)
print(f"largest difference from scikit-learn: {worst:.1e}")
sys.exit(int(worst > 1e-6))
PYTHON
