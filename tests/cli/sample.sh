# Samples of an RBM: starts, schedules, clamped units, diagnostics, arrays, pictures, refusals.
cat >votes.csv <<'END_OF_DATA'
left,1,1,1,1,-1,-1
right,-1,-1,1,-1,1,1
middle,1,-1,1,-1,-1,1
END_OF_DATA
isinglass patterns votes.csv --label-column 1 --shape 2x3 -o p.npz >/dev/null
isinglass map p.npz -o m.npz >/dev/null
/usr/bin/python3 - <<'END_OF_PROGRAM'
import numpy as np
m = np.load("m.npz")
np.savez("bare.npz", W=m["W"], beta=1.5)
np.savez("frozen.npz", W=100 * m["W"], beta=10.0, xi=m["xi"])
np.savez("nan.npz", W=m["W"] * np.nan, beta=1.0)
END_OF_PROGRAM
# A frozen network: nothing is left to chance, so that everything can be shown.
try sample frozen.npz -o f.npz --count 4 --beta 10
try sample frozen.npz -o f.png --count 4 --shape 2x3 --json
try sample frozen.npz -o c.npz --start votes.csv --label-column 1 --count 5 --clamp 0:2,5,1 --sweeps 3 --beta 1,2.5@1,10@2
try sample frozen.npz -o d.npz --count 6 --sweeps 4 --diagnose
try sample frozen.npz -o d.npz --count 6 --sweeps 4 --diagnose --json --force
# The same for longer: it stays where it was, however long.
try sample frozen.npz -o d.npz --count 6 --sweeps 40 --diagnose --force
isinglass sample frozen.npz -o d.npz --count 6 --sweeps 40 --diagnose --json --force | grep trapped
/usr/bin/python3 - <<'END_OF_PROGRAM'
import numpy as np, json
for name in ["f.npz", "c.npz"]:
    z = np.load(name)
    print(name, [(key, z[key].shape, str(z[key].dtype)) for key in ["s", "lambda", "energy"]])
    print(z["s"])
    print({key: value for key, value in json.loads(z["meta.json"]).items() if key != "version"})
m = np.load("frozen.npz")
s = np.load("f.npz")["s"]
assert np.allclose(np.load("f.npz")["energy"], -0.5 * ((s @ m["W"]) ** 2).sum(1), rtol=1e-5)
END_OF_PROGRAM
# What moves.
try sample m.npz -o s.npz
try sample m.npz -o s.npz --quiet
try sample bare.npz -o n.npz --sweeps 2000 --count 20 --diagnose --quiet
try sample bare.npz -o n.png --shape 3x2 --sweeps 1
# What changes modes: jumps, replicas, and what is said where there are no patterns or no jumps.
try sample m.npz -o j.npz --jump --count 200 --sweeps 400 --quiet
try sample m.npz -o j.npz --jump --count 3 --sweeps 3 --quiet --json --force
try sample m.npz -o t.npz --tempering --temperatures 3 --lowest-beta 0.5 --count 50 --sweeps 400 --quiet
try sample m.npz -o t.npz --tempering --temperatures 3 --count 3 --sweeps 4 --clamp 0 --quiet --json --force
try sample bare.npz -o b.npz --jump --count 20 --sweeps 8 --quiet
try sample frozen.npz -o k.npz --jump --count 20 --sweeps 8 --quiet
# Labels that never change have no time; pairs without a turn have no rate.
cold=(m.npz --tempering --beta 30 --temperatures 4 --lowest-beta 29 --quiet)
try sample "${cold[@]}" -o l.npz --sweeps 20 --count 20
isinglass sample "${cold[@]}" -o l.npz --count 20 --sweeps 20 --force --json | grep -A 1 '"time"'
try sample "${cold[@]}" -o l.npz --sweeps 20 --force --count 1
try sample "${cold[@]}" -o l.npz --sweeps 2 --force
try sample "${cold[@]}" -o l.npz --sweeps 1 --force
isinglass sample "${cold[@]}" -o l.npz --sweeps 2 --force --json | grep -A 6 '"rates"'
try sample m.npz -o j.png --shape 2x3 --jump --quiet
# Misuse.
try sample m.npz -o x.npz --jump --tempering
try sample m.npz -o x.npz --jump --clamp 0
try sample m.npz -o x.npz --temperatures 4
try sample m.npz -o x.npz --lowest-beta 1
try sample m.npz -o x.npz --tempering --temperatures 1
try sample m.npz -o x.npz --tempering --lowest-beta 2
try sample m.npz -o x.npz --jump --sweeps 1000000 --count 1000
try sample m.npz
try sample
try sample m.npz -o x.jpg
try sample m.npz -o x.npz --count 0
try sample m.npz -o x.npz --sweeps 0
for beta in 0 -1 nan 2,20 2@3 2,20@0 2,20@5,10@5 2,0@3 2,20@20 2,,3@4 2,3@x; do
    try sample m.npz -o x.npz --beta "$beta"
done
for units in 6 0:7 3:3 4:2 a 1: :3 1,,2 -1; do
    try sample m.npz -o x.npz --clamp "$units"
done
try sample m.npz -o x.npz --start noize
try sample m.npz -o x.npz --start pattern
try sample m.npz -o x.npz --start nothing.csv
try sample m.npz -o x.npz --start noise --class left
try sample m.npz -o x.npz --diagnose --sweeps 3
try sample m.npz -o x.npz --diagnose --sweeps 1000000 --count 1000
try sample m.npz -o x.png --shape 3x3
try sample m.npz -o x.png --shape 3
# Input that does not fit.
try sample bare.npz -o x.npz --start patterns
try sample bare.npz -o x.png
printf '1,1,1\n' >narrow.csv
try sample m.npz -o x.npz --start narrow.csv
try sample nan.npz -o x.npz
try sample votes.csv -o x.npz
try sample nothing.npz -o x.npz
try sample p.npz -o x.npz
ls
try sample --help
