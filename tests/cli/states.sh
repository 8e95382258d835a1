# Deep states: of patterns and of models, named, with probabilities, as arrays and pictures; refusals.
/usr/bin/python3 - <<'END_OF_PROGRAM'
import numpy as np
r = np.random.default_rng(3)
a, b, d, e = r.choice([-1, 1], (4, 60))
c = np.where(a == b, a, r.choice([-1, 1], 60))  # so that a + b - c is a state, too
names = np.array(["a", "b", "c", "d", "e"])
xi = np.column_stack([a, b, c, d, e]).astype(np.int8)
np.savez("p.npz", xi=xi, labels=names)
np.savez("twice.npz", xi=xi[:, [0, 1, 2, 1]])
np.savez("alike.npz", xi=xi, labels=np.array([0, 0, 0, 1, 1]))
np.save("plain.npy", xi)
np.savez("none.npz", Y=xi)
np.savez("field.npz", W=xi[:, :2] / 60 ** 0.5, beta=1.0, b=0.1 * a)
np.savez("nan.npz", W=xi * np.nan, beta=1.0)
np.save("data.npy", xi.T)
np.save("narrow.npy", xi.T[:, :7])
END_OF_PROGRAM
isinglass map p.npz -o m.npz --beta 0.5 >/dev/null
try states p.npz --show 8
try states p.npz --show 1 --log-z bound
try states m.npz --show 3
try states p.npz --show 1 --beta 0.5 --seed 2
try states m.npz data.npy --show 7 --starts 0 --log-z 21.5
try states p.npz --rule hebbian --show 4 --beta 4
try states alike.npz --show 6
try states plain.npy --show 6
try states twice.npz --allow-rank-deficient --show 5
try states field.npz --show 3
try states p.npz --most 2 --starts 10 --json
try states field.npz --most 1 --starts 10 --json --beta 0.3
# Files.
try states p.npz -o s.npz --picture s.png --shape 6x10 --show 12
try states p.npz -o s.npz
try states p.npz --picture s.png --shape 6x10
/usr/bin/python3 - <<'END_OF_PROGRAM'
import numpy as np
s, p, m = np.load("s.npz"), np.load("p.npz"), np.load("m.npz")
print(sorted(s.files))
assert np.allclose(s["energy"], -((s["s"] @ m["W"]) ** 2).sum(1) / 2)
assert (s["distance"] == (s["s"] != p["xi"].T[s["nearest"]]).sum(1)).all()
sums = (p["xi"].T[s["mixture"]] * s["signs"][:, :, None]).sum(1)
assert (s["mixture_distance"] == (s["s"] != np.sign(sums)).sum(1)).all()
assert (s["is_sum"] == (np.abs(sums) == 1).all(1)).all()
assert s["reached"].sum() == 1000 and 0 < s["share"].sum() < 1
# A flip leads nowhere lower.
for state, energy in zip(s["s"], s["energy"]):
    flipped = state - 2 * np.diag(state)
    assert (-((flipped @ m["W"]) ** 2).sum(1) / 2 > energy - 1e-9).all()
END_OF_PROGRAM
# Without patterns there is no mixture, and no distance from one.
try states field.npz -o f.npz --show 1 --log-z bound
/usr/bin/python3 - <<'END_OF_PROGRAM'
import numpy as np
f = np.load("f.npz")
for name in ["nearest", "distance", "mixture", "mixture_distance"]:
    assert (f[name] == -1).all(), name
END_OF_PROGRAM
# Misuse, and files that are none.
try states
try states missing.npz
try states none.npz
try states data.npy
try states nan.npz
try states twice.npz
try states p.npz narrow.npy
try states p.npz --picture x.png
try states p.npz --picture x.png --shape 7x7
try states p.npz --picture x.jpg
try states p.npz -o x.csv
try states p.npz --log-z high
try states p.npz --log-z 60
try states p.npz --log-z 1e9
try states field.npz --log-z 1e4
try states p.npz --class 3
try states m.npz --rule hebbian
try states m.npz --allow-rank-deficient
try states p.npz --rule pseudo
try states p.npz --show 0
try states p.npz --most 0
try states p.npz --beta 0
try states p.npz --shwo 3
try states . --show 3
try states --help
ls
