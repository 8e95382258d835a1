# A layer on top: fitted, chosen, scored against NumPy, drawn from, used again; and what is refused.
/usr/bin/python3 - <<'END'
import numpy as np
random = np.random.RandomState(1)  # whose numbers never change
shapes = {"cup": "+--++--++--+++++", "dash": "----++++++++----", "tee": "++++-++--++--++-"}
def write(name, count, labels=True):
    with open(name, "w") as f:
        for a in range(count):
            kind = list(shapes)[a % 3]
            s = [(-1 if (c == "-") != (random.uniform() < 0.15) else 1) for c in shapes[kind]]
            f.write(",".join(([kind] if labels else []) + [str(x) for x in s]) + "\n")
write("train.csv", 240)
write("test.csv", 90)
write("plain.csv", 5, False)
END
printf 'cup,1,1\n' >narrow.csv
isinglass patterns train.csv --label-column 1 --shape 4x4 -o p.npz >/dev/null
isinglass map p.npz -o m.npz --beta 1 >/dev/null
try deepen m.npz train.csv --label-column 1 -o deep.npz --test test.csv --predictions p.csv --samples s.csv --count 4
head -n 3 p.csv
cat s.csv
try deepen m.npz train.csv --label-column 1 -o fixed.npz --beta 1.5 --shrinkage 0.25 --toward diagonal --json
/usr/bin/python3 - <<'END'
import csv
import json
import subprocess
import numpy as np
def load(name):
    rows = [row for row in csv.reader(open(name))]
    return np.array([row[0] for row in rows]), np.array([row[1:] for row in rows], float)
y, x = load("train.csv")
f = np.load("fixed.npz")
beta, W = float(f["beta"]), f["W"]
h = x @ W + f["c"]
p = W.shape[1]
nodes, weights = np.polynomial.hermite_e.hermegauss(40)
weights /= weights.sum()
spread = np.sqrt((W**2).sum(1) / beta)
field = h @ W.T + f["b"]
bound = beta * (x * field).sum(1)
for z, w in zip(nodes, weights):
    bound -= w * np.log(2 * np.cosh(beta * (field + spread * z))).sum(1)
bound += p / 2 * np.log(2 * np.pi * np.e / beta)
terms = np.empty((len(x), 3))
good = []
for k, name in enumerate(f["classes"]):
    mine = h[y == name]
    mean, S = mine.mean(0), np.cov(mine.T, bias=True)
    S = 0.75 * S + 0.25 * np.diag(np.diag(S))
    good += [np.abs(f["means"][k] - mean).max() < 1e-12, np.abs(f["covariances"][k] - S).max() < 1e-12]
    V = np.linalg.inv(S + np.eye(p) / beta)
    d = h - mean
    terms[:, k] = (np.log((y == name).mean()) + np.linalg.slogdet(V)[1] / 2 - p / 2 * np.log(2 * np.pi)
                   - np.einsum("ai,ij,aj->a", d, V, d) / 2 - np.trace(V) / (2 * beta))
print(all(good), sorted(f.files))
out = json.loads(subprocess.run(["isinglass", "deepen", "fixed.npz", "train.csv", "--label-column", "1", "--json"],
                                capture_output=True, text=True, check=True).stdout)["data"]
print(abs(out["elbo"]["value"] - (bound + np.log(np.exp(terms).sum(1))).mean()) < 1e-8)
truth = np.array([list(f["classes"]).index(name) for name in y])
print(abs(out["labelled_elbo"]["value"] - (bound + terms[np.arange(len(y)), truth]).mean()) < 1e-8)
print(abs(out["error"] - (terms.argmax(1) != truth).mean()) < 1e-9)
END
try deepen deep.npz
try deepen deep.npz plain.csv --predictions q.npz --rule quadratic
try deepen deep.npz test.csv --label-column 1 --json
try deepen deep.npz --samples cups.npz --class cup --count 50 --spin-beta 3
try deepen deep.npz --samples all.png
try deepen deep.npz --samples cups.svg --class cup --count 12 --seed 2
try deepen m.npz plain.csv -o one.npz --one-class --beta 1 --shrinkage 0
# What was drawn is data, and the file is the RBM's too.
try deepen deep.npz --samples tees.csv --class tee --count 3
try data info cups.npz
try data info tees.csv --label-column class
try deepen deep.npz s.csv --label-column class
try score deep.npz test.csv --label-column 1 --method exact
try sample deep.npz -o chains.npz --count 3 --sweeps 2
try deepen deep.npz train.csv --label-column 1 -o again.npz --beta 0.5,1 --shrinkage 0 --hold-out 0.25 --seed 5
try deepen m.npz train.csv --label-column 1 -o parts.npz --parts 2 --beta 1,1.4 --shrinkage 0.1,0.5
try deepen parts.npz --samples mixed.csv --class tee --count 3
try deepen m.npz train.csv --label-column 1 -o x.npz --parts 81 --beta 1 --shrinkage 0
try deepen m.npz train.csv --label-column 1 -o deep.npz
try deepen m.npz
try deepen p.npz
try deepen m.npz train.csv --label-column 1
try deepen m.npz -o x.npz
try deepen m.npz plain.csv -o x.npz
try deepen m.npz narrow.csv --label-column 1 -o x.npz
try deepen m.npz train.csv --label-column 1 -o x.npz --limit 3
try deepen m.npz train.csv --label-column 1 -o x.npz --limit 2
try deepen m.npz train.csv --label-column 1 -o x.npz --beta 0
try deepen m.npz train.csv --label-column 1 -o x.npz --shrinkage 0,2
try deepen m.npz train.csv --label-column 1 -o x.npz --predictions x.csv
try deepen m.npz train.csv --label-column 1 -o x.txt
try deepen m.npz train.csv --label-column 1 -o nowhere/x.npz
try deepen m.npz train.csv --label-column 1 -o x.npz --test test.csv --samples y.csv --predictions y.csv
mkdir run
try deepen run
try deepen deep.npz --beta 2
try deepen deep.npz --predictions x.csv
try deepen deep.npz plain.csv --rule quadratic
try deepen deep.npz --count 3
try deepen deep.npz --class cup
try deepen deep.npz --samples x.csv --limit 3
try deepen deep.npz --samples x.csv --class bowl
# A rule that needs covariances of full rank: nothing is written without.
few=(m.npz train.csv --label-column 1 --limit 4 --beta 1 --shrinkage 0 --quiet)
try deepen "${few[@]}" -o few.npz
try deepen few.npz plain.csv --predictions x.csv --rule quadratic
try deepen "${few[@]}" -o x.npz --test train.csv --predictions x.csv --rule quadratic
[[ -e x.npz || -e x.csv ]] || echo "nothing written"
try deepen deep.npz --samples x.jpg
try deepen deep.npz narrow.csv --label-column 1
try deepen one.npz --samples x.png
try deepen nowhere.npz
try classify --model deep.npz test.csv
head -c 2000 deep.npz >short.npz
try deepen short.npz
ls
try deepen --help
