#!/bin/bash
# The mapping on the MNIST patterns, one a class, and five a class of the first 10000 images: all
# errors below 1e-12, one J by three decompositions, every pattern a fixed point, and the diagonal of
# R as published.
set -eu
: "${ISINGLASS_DATA:?must name a data directory with MNIST, see CONTRIBUTING.md}"
cd "$SCRATCH"
rm -rf ./*
"$ISINGLASS" patterns mnist:train -o p1.npz --quiet >/dev/null
"$ISINGLASS" patterns mnist:train --limit 10000 --per-class 5 -o p5.npz --quiet >/dev/null
for k in 1 5; do
    for via in qr svd sqrt hebbian; do
        "$ISINGLASS" map "p$k.npz" -o "$via$k.npz" --via $via --json >"$via$k.json"
    done
done
exec /usr/bin/python3 - <<'PYTHON'
import json, sys
import numpy as np

bound, failed = 1e-12, 0

def check(name, value, limit=bound):
    global failed
    ok = value < limit
    failed |= not ok
    print(f"{name:36} {value:8.1e}  {'' if ok else 'FAILED'}")

# J is applied to vectors here too, in numbers of the test's own.
for k in (1, 5):
    xi = np.load(f"p{k}.npz")["xi"].astype(float)
    n, p = xi.shape
    probes = np.random.default_rng(k).standard_normal((n, 20))
    wanted = xi @ np.linalg.lstsq(xi, probes, rcond=None)[0]
    for via in ("qr", "svd", "sqrt"):
        m, report = np.load(f"{via}{k}.npz"), json.load(open(f"{via}{k}.json"))
        w, name = m["W"], f"k = {k}, {via}"
        check(f"{name}: |W'W - 1|", abs(w.T @ w - np.eye(p)).max())
        check(f"{name}: |WR - xi|", abs(w @ m["R"] - xi).max())
        check(f"{name}: |J xi - xi|", abs(w @ (w.T @ xi) - xi).max())
        check(f"{name}: |J^2 - J|", abs(w @ (w.T @ w - np.eye(p)) @ w.T).max())
        check(f"{name}: J of the projection rule", abs(w @ (w.T @ probes) - wanted).max())
        check(f"{name}: units that sgn(J xi) changes", np.sum(np.sign(w @ (w.T @ xi)) != xi), 1)
        check(f"{name}: xi kept", np.sum(m["xi"] != xi), 1)
        for key in ("orthogonality", "reconstruction", "projector", "fixed_point"):
            check(f"{name}: {key} as reported", report[key + "_error"])
        check(f"{name}: trace of J", abs(report["trace"] - p), 1e-11)
        assert report["via"] == via and report["n_hidden"] == report["rank"] == p
    check(f"k = {k}, hebbian: |W - xi / sqrt(N)|", abs(np.load(f"hebbian{k}.npz")["W"] - xi / 28).max(), 1e-16)

published = [28, 24.491, 18.798, 16.563, 18.268, 14.219, 15.764, 15.050, 14.284, 10.295]
check("k = 1: diagonal of R as published", abs(np.diag(np.load("qr1.npz")["R"]) - published).max(), 5.1e-4)
sys.exit(failed)
PYTHON
