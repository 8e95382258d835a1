#!/bin/bash
# Samples of the Hopfield network of MNIST: arrays that NumPy opens, the same bytes for every number of
# threads and every instruction set, other ones for another seed, energies by their definition, clamped
# units that stay, and chains from a digit that are still that digit, more often than not.
set -eu
: "${ISINGLASS_DATA:?must name a data directory with MNIST, see CONTRIBUTING.md}"
cd "$SCRATCH"
rm -rf ./*
"$ISINGLASS" patterns mnist:train -o p.npz --quiet >/dev/null
"$ISINGLASS" map p.npz -o m.npz >/dev/null
sample() { # name, options...
    local name=$1
    shift
    "$ISINGLASS" sample m.npz -o "$name" --quiet --force "$@" >"$name.txt"
}
hash_of() { # the arrays of a file, whose meta.json names the command
    /usr/bin/python3 - "$1" <<'PYTHON'
import hashlib, sys
import numpy as np
z = np.load(sys.argv[1])
print(hashlib.sha256(b"".join(z[k].tobytes() for k in ("s", "lambda", "energy"))).hexdigest())
PYTHON
}
ways=(--start mnist:test --count 203 --sweeps 7)
sample s.npz "${ways[@]}"
expected=$(hash_of s.npz)
for threads in 1 2 7; do
    sample t.npz "${ways[@]}" --threads $threads
    [[ $(hash_of t.npz) == "$expected" ]] || { echo "--threads $threads differs"; exit 1; }
done
compared=0
for isa in $("$ISINGLASS" info --json | /usr/bin/python3 -c \
    'import json,sys; print(*json.load(sys.stdin)["isa_known"])'); do
    "$ISINGLASS" info --isa "$isa" >/dev/null 2>&1 || continue
    sample t.npz "${ways[@]}" --isa "$isa"
    [[ $(hash_of t.npz) == "$expected" ]] || { echo "--isa $isa differs"; exit 1; }
    compared=$((compared + 1))
done
[[ $compared -ge 2 ]] || { echo "only $compared instruction sets compared"; exit 1; }
sample t.npz "${ways[@]}" --seed 2
[[ $(hash_of t.npz) != "$expected" ]] || { echo "another seed gives the same samples"; exit 1; }
sample half.npz --start mnist:test --count 50 --clamp 0:392,783
sample start.png --start mnist:test
cp start.png again.png
sample start.png --start mnist:test --threads 1
cmp start.png again.png
exec /usr/bin/python3 - <<'PYTHON'
import os
import numpy as np

m, z = np.load("m.npz"), np.load("s.npz")
s, count = z["s"], 203
assert s.shape == (count, 784) and s.dtype == np.int8 and set(np.unique(s)) == {-1, 1}
assert z["lambda"].shape == (count, 10) and z["lambda"].dtype == np.float32
energy = -0.5 * ((s.astype(float) @ m["W"]) ** 2).sum(1)
assert np.allclose(z["energy"], energy, rtol=1e-5), abs(z["energy"] - energy).max()

data = os.environ["ISINGLASS_DATA"]
x = np.frombuffer(open(data + "/mnist/t10k-images-idx3-ubyte", "rb").read(), np.uint8, offset=16)
x = np.where(x.reshape(-1, 784) > 2, 1, -1)
y = np.frombuffer(open(data + "/mnist/t10k-labels-idx1-ubyte", "rb").read(), np.uint8, offset=8)

# As many of each class, the first of the file, in order; the last class gets what is left.
each = -(-count // 10)
digits = np.arange(count) // each
nearest = (s.astype(float) @ np.load("p.npz")["xi"]).argmax(1)
share = (nearest == digits).mean()
print(f"still the digit it was, after 7 updates: {share:.2f}")
assert 0.5 < share < 1

half = np.load("half.npz")["s"]
rows = np.concatenate([np.flatnonzero(y == c)[:5] for c in range(10)])
kept = np.r_[0:392, 783]
assert (half[:, kept] == x[rows][:, kept]).all()
assert (half != x[rows]).any()
PYTHON
