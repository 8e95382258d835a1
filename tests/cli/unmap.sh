# From an RBM back to patterns: every method, starts, random weights, refusals.
/usr/bin/python3 - <<'END'
import numpy as np
rng = np.random.default_rng(1)
xi = np.where(rng.random((48, 4)) < 0.4, 1, -1).astype(np.int8)
np.savez("p.npz", xi=xi, labels=np.array(["north", "east", "south", "west"]))
np.savez("fewer.npz", xi=xi[:, :3])
np.savez("longer.npz", xi=np.vstack([xi, xi[:1]]))
w = rng.standard_normal((48, 4)) / 7
np.savez("random.npz", W=w, beta=1.0)
np.savez("binary.npz", W=xi.astype(float), beta=1.0)
w[:, 2] = 0
np.savez("zero.npz", W=w, beta=1.0)
w[5, 1] = np.nan
np.savez("nan.npz", W=w, beta=1.0)
np.savez("wide.npz", W=rng.standard_normal((3, 5)), beta=1.0)
np.savez("square.npz", W=rng.standard_normal((6, 6)), beta=1.0)
np.savez("data.npz", X=np.repeat(xi.T, 2, axis=0))
np.savez("foreign.npz", X=np.repeat(xi.T, 2, axis=0), y=np.repeat(["north", "up", "south", "west"], 2))
np.savez("strange.npz", X=np.repeat(xi.T, 2, axis=0), y=np.repeat(["up", "down"], 4))
np.savez("labelled.npz", X=np.repeat(xi.T, 2, axis=0), y=np.repeat(["north", "east", "south", "west"], 2))
END
isinglass map p.npz -o m.npz >/dev/null
try unmap m.npz -o back.npz
try unmap m.npz -o back.npz
try unmap m.npz -o descent.npz --method descent --quiet
try unmap m.npz -o all.npz --method enumerate --json
try unmap m.npz -o flipped.npz --method enumerate --flip --start p.npz
# The Hebbian network of a binary W, a start of one's own, and starts by the hundred.
try unmap binary.npz -o binary_back.npz
try unmap random.npz -o started.npz --start p.npz
try unmap random.npz -o none.npz --start random --restarts 20
try unmap random.npz -o none.npz --method enumerate --data data.npz --force
# Samples that nothing starts from, and a W to which every state is near.
try unmap m.npz -o unused.npz --data data.npz
try unmap square.npz -o square_back.npz
# The network nearest to the model, of as many patterns as wanted, and what networks are worth.
try unmap random.npz -o near.npz --method capture --samples 2000 --seed 3
try unmap m.npz -o near.npz --method capture --samples 1000 --data labelled.npz --beta 1 --force
try unmap m.npz -o near.npz --method capture --samples 1000 --near-data --data labelled.npz --patterns 2 --force --json
# Classes without a pattern count as wrong, which is said.
for data in foreign strange; do
    isinglass unmap m.npz -o $data.out.npz --data $data.npz 2>&1 | grep -e wrong -e ecall
done
# A field goes with the patterns: the likelihood is that of J and b + Wc, by enumeration.
/usr/bin/python3 - <<'END'
import numpy as np
rng = np.random.default_rng(3)
b, c, w = rng.standard_normal(10) / 3, rng.standard_normal(2), rng.standard_normal((10, 2)) / 3
np.savez("fields.npz", W=w, b=b, c=c, beta=1.5)
np.savez("ten.npz", X=np.where(rng.random((30, 10)) < 0.6, 1, -1))
END
isinglass unmap fields.npz -o of_fields.npz --data ten.npz --quiet | grep '^as a network'
isinglass unmap fields.npz -o of_fields.npz --data ten.npz --quiet --force --json >of_fields.json
/usr/bin/python3 - <<'END'
import itertools, json
import numpy as np
m, x = np.load("fields.npz"), np.load("ten.npz")["X"]
xi = np.load("of_fields.npz")["xi"].astype(float)
j = xi @ np.linalg.solve(xi.T @ xi, xi.T)
field = m["b"] + m["W"] @ m["c"]
weight = lambda s: 1.5 * (((s @ j) * s).sum(1) / 2 + s @ field)
log_z = np.log(np.exp(weight(np.array(list(itertools.product([-1, 1], repeat=10))))).sum())
print(abs(json.load(open("of_fields.json"))["log_likelihood"] - (weight(x).mean() - log_z)) < 1e-9)
END
# Patterns are patterns: the way back is the way there.
/usr/bin/python3 - <<'END'
import numpy as np
xi = np.load("p.npz")["xi"]
for name in ["back.npz", "descent.npz", "all.npz", "flipped.npz", "binary_back.npz"]:
    found = np.load(name)
    print(name, (found["xi"] == xi).all(), found["labels"] if "labels" in found.files else "-")
END
isinglass map all.npz -o again.npz >/dev/null && isinglass verify all.npz >/dev/null && echo mapped
# A directory of a training holds a model.
isinglass train data.npz -o run --init m.npz --epochs 1 --batch 4 --quiet >/dev/null
isinglass unmap run -o run.npz --json >one.json && isinglass unmap run/model.npz -o run.npz --force --json >two.json
cmp one.json two.json && echo same
# Units that are no image become a table.
isinglass unmap m.npz -o table.npz --picture table.png >/dev/null || echo failed; head -c 4 table.png | tail -c 3; echo
isinglass map p.npz -o i.npz >/dev/null 2>&1
# Misuse, and files that are none or do not fit.
try unmap m.npz
try unmap m.npz -o x.npz --method guess
try unmap m.npz -o x.npz --samples 100
try unmap m.npz -o x.npz --near-data
try unmap m.npz -o x.npz --beta 1
try unmap m.npz -o x.npz --method capture --near-data
try unmap m.npz -o x.npz --method capture --patterns 49
try unmap m.npz -o x.npz --method capture --samples 0
try unmap m.npz -o x.npz --method capture --patterns 40 --samples 20
try unmap m.npz -o x.npz --method capture --flip
try unmap m.npz -o x.npz --method capture --start p.npz --patterns 2
try unmap m.npz -o x.npz --gamma 0
try unmap m.npz -o x.npz --method descent --gamma 2
try unmap m.npz -o x.npz --limit 3
try unmap m.npz -o x.npz --start fewer.npz
try unmap m.npz -o x.npz --start longer.npz
try unmap m.npz -o x.npz --start nowhere.npz
try unmap zero.npz -o x.npz
try unmap nan.npz -o x.npz
try unmap wide.npz -o x.npz
try unmap p.npz -o x.npz
try unmap . -o x.npz
try unmap m.npz -o x.txt
try unmap --help
