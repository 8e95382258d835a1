#!/bin/bash
# The way back on MNIST: the patterns of a mapped model return exactly by every method; after some
# training relax leaves no more than descent does, pattern by pattern, and only fixed points; random
# weights are called what they are. Residuals and fixed points are computed once more by NumPy.
set -eu
: "${ISINGLASS_DATA:?must name a data directory with MNIST, see CONTRIBUTING.md}"
cd "$SCRATCH"
rm -rf ./*
"$ISINGLASS" patterns mnist:train -o p.npz --quiet >/dev/null
"$ISINGLASS" map p.npz -o mapped.npz >/dev/null
"$ISINGLASS" train mnist:train --limit 5000 -o run --epochs 10 --batch 100 --quiet >/dev/null
/usr/bin/python3 -c '
import numpy as np
np.savez("random.npz", W=np.random.default_rng(1).standard_normal((784, 10)) / 28, beta=2.0)'
for model in mapped random run; do
    for method in descent relax enumerate; do
        source=$model.npz
        [[ $model == run ]] && source=run
        "$ISINGLASS" unmap "$source" -o "$model-$method.npz" --method $method --quiet --json \
            >"$model-$method.json"
    done
done
"$ISINGLASS" map run-relax.npz -o again.npz >/dev/null
"$ISINGLASS" verify run-relax.npz >/dev/null
"$ISINGLASS" unmap run -o seen.npz --picture seen.png --quiet >/dev/null
[[ -s seen.png ]]
exec /usr/bin/python3 - <<'PYTHON'
import json, sys
import numpy as np

failed = 0

def check(name, ok, value=""):
    global failed
    failed |= not ok
    print(f"{name:60} {value} {'' if ok else 'FAILED'}")

xi, own = np.load("p.npz")["xi"], np.load("run/model.npz")["xi"]
w = {"mapped": np.load("mapped.npz")["W"], "random": np.load("random.npz")["W"], "run": np.load("run/model.npz")["W"]}
report = {}
for model in w:
    u = np.linalg.svd(w[model], full_matrices=False)[0]
    for method in ("descent", "relax", "enumerate"):
        name = f"{model}, {method}"
        r = report[model, method] = json.load(open(f"{model}-{method}.json"))
        b = np.load(f"{model}-{method}.npz")["xi"].astype(float)
        pb = u @ (u.T @ b)
        residual = ((b - pb) ** 2).sum(0)
        found = np.array([p["residual"] for p in r["patterns"]])
        check(f"{name}: residuals", abs(found - residual).max() < 1e-8, f"{r['residual']:.4g}")
        fixed = (np.sign(pb) == b).all(0)
        check(f"{name}: fixed points", all(p["fixed_point"] == f for p, f in zip(r["patterns"], fixed)), fixed.sum())
        stable = (b * pb - (u ** 2).sum(1)[:, None] > 0).all(0)
        check(f"{name}: stable", all(p["stable"] == s for p, s in zip(r["patterns"], stable)), stable.sum())
        if method != "descent":
            check(f"{name}: every pattern a fixed point", fixed.all())
        if model == "mapped":
            check(f"{name}: the patterns themselves", (b == xi).all() and r["residual"] < 1e-18 and r["binarization"] == "exact")
        if model == "random":
            check(f"{name}: no good binarization", r["binarization"] == "none", f"{r['residual'] / r['random_baseline']:.3f}")
        if model == "run":
            check(f"{name}: approximate", r["binarization"] == "approximate", f"{r['residual'] / r['random_baseline']:.3f}")
            changed = [p["bits_changed"] for p in r["patterns"]]
            if method != "enumerate":
                check(f"{name}: bits changed", changed == list((b != own).sum(0)), changed)
                check(f"{name}: |E| falls", r["error"] < r["error_before"], f"{r['error_before']:.2f} to {r['error']:.2f}")
pairs = zip(report["run", "relax"]["patterns"], report["run", "descent"]["patterns"])
check("relax leaves no more than descent", all(a["residual"] < b["residual"] + 1e-8 for a, b in pairs))
check("enumerate leaves no more than relax", report["run", "enumerate"]["residual"] <= report["run", "relax"]["residual"])
sys.exit(failed)
PYTHON
