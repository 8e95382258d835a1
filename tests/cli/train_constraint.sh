# Training that stays a Hopfield network, and a beta that is learned: results, going on, what is refused.
/usr/bin/python3 - <<'PYTHON'
import numpy as np
r = np.random.default_rng(1)
y = np.arange(60) % 3
x = r.choice([-1, 1], (3, 12))[y] * np.where(r.random((60, 12)) < 0.1, -1, 1)
rows = [f"c{k}," + ",".join(map(str, v)) + "\n" for k, v in zip(y, x)]
open("toy.csv", "w").writelines(rows)
PYTHON
export OMP_NUM_THREADS=1
toy=(toy.csv --label-column 1 --sweeps 2 --batch 25 --rate 0.01)
try train "${toy[@]}" -o stiefel --epochs 3 --constraint stiefel
try patterns toy.csv --label-column 1 -o p.npz --quiet
try map p.npz -o m.npz --via hebbian --quiet
try train "${toy[@]}" -o span --epochs 3 --constraint span --init m.npz
/usr/bin/python3 - <<'PYTHON'
import numpy as np
w = np.load("stiefel/model.npz")["W"]
print("orthonormal", abs(w.T @ w - np.eye(3)).max() < 1e-12)
w, xi = np.load("span/model.npz")["W"], np.load("p.npz")["xi"].astype(float)
k = np.linalg.solve(xi.T @ xi, xi.T @ w)
print("in the span", abs(xi @ k - w).max() < 1e-12, "and moved", abs(w - xi / 12**0.5).max() > 1e-3)
PYTHON
# Columns that are not orthonormal are made so, and said to be.
try train "${toy[@]}" -o made --epochs 0 --constraint stiefel --init m.npz
# Beta, with and without a constraint; resumed, the same bits.
learn=("${toy[@]}" --constraint stiefel --learn-beta --hold-out 0.25)
try train "${learn[@]}" -o whole --epochs 4 --json
try train "${learn[@]}" -o part --epochs 1 --quiet
try train --resume -o part --epochs 4 --quiet
grep -A1 constraint part/run.json
/usr/bin/python3 - <<'PYTHON'
import numpy as np
for name in ("model", "best"):
    a, b = np.load(f"whole/{name}.npz"), np.load(f"part/{name}.npz")
    print(name, (a["W"] == b["W"]).all(), a["beta"] == b["beta"], a["beta"] != 2)
PYTHON
try train "${toy[@]}" -o free --epochs 1 --learn-beta
# What is refused.
try train --resume -o part --epochs 5 --constraint none
try train --resume -o free --epochs 5 --constraint span
try train --resume -o stiefel --epochs 5 --learn-beta
try train "${toy[@]}" -o x --constraint stifel
try train "${toy[@]}" -o x --constraint span --init pca
try train "${toy[@]}" -o x --constraint stiefel --init normal --hidden 13
try train "${toy[@]}" -o x --constraint stiefel --init hebbian --per-class 20
try classify toy.csv toy.csv --label-column 1 --constraint span
ls
