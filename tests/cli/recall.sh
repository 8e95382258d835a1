# Recall by a Hopfield network: both protocols, corruption, files, pictures, refusals.
cat >votes.csv <<'END_OF_DATA'
left,1,1,1,1,-1,-1,1,-1
right,-1,-1,1,-1,1,1,1,-1
middle,1,-1,1,-1,-1,1,-1,1
END_OF_DATA
cat >more.csv <<'END_OF_DATA'
left,1,1,1,1,-1,1,1,-1
left,1,1,-1,1,-1,-1,1,1
right,-1,-1,1,-1,1,1,-1,-1
right,1,1,-1,1,-1,-1,-1,1
middle,1,-1,1,-1,-1,1,1,1
nowhere,1,-1,-1,-1,1,1,1,1
END_OF_DATA
isinglass patterns votes.csv --label-column 1 --shape 2x4 -o p.npz >/dev/null
isinglass map p.npz -o m.npz >/dev/null
grep -v nowhere more.csv >known.csv
cut -d, -f2- more.csv >plain.csv
printf '1,1,1\n' >narrow.csv
/usr/bin/python3 - <<'END_OF_PROGRAM'
import numpy as np
p = np.load("p.npz")
np.savez("unnamed.npz", xi=p["xi"])
np.savez("twice.npz", xi=p["xi"][:, [0, 1, 0]])
np.savez("w.npz", W=p["xi"] / 3.0, beta=1.0)
np.savez("many.npz", X=np.eye(14), y=np.arange(14))
END_OF_PROGRAM
# The published protocol; a model that was made of patterns does as well.
try recall p.npz more.csv --label-column 1
try recall m.npz known.csv --label-column 1 --quiet
try recall p.npz known.csv --label-column 1 --overlap 0.8 --sweeps 3 --trajectories 4 -o o.csv
cat o.csv
try recall p.npz known.csv --label-column 1 --json | sed 's/"seconds": [^,]*/"seconds": 0/'
try recall p.npz plain.csv
try recall unnamed.npz known.csv --label-column 1
# To the end.
try recall p.npz known.csv --label-column 1 --protocol attractor
try recall p.npz known.csv --label-column 1 --protocol attractor --dynamics sync --no-diagonal --readout overlap
try recall p.npz known.csv --label-column 1 --protocol attractor --dynamics gibbs --sweeps 3 --rule hebbian --readout energy
try recall p.npz known.csv --label-column 1 --protocol attractor --committor --overlap 0.6 -o ends.csv
cat ends.csv
isinglass patterns many.npz -o many_patterns.npz >/dev/null
try recall many_patterns.npz many.npz
# What was corrupted.
try recall p.npz --flip 0,0.25 --trials 50 --rule projection,hebbian --dynamics async,sync -o curve.csv
cat curve.csv
try recall p.npz --mask 0:1:3 --trials 20 --dynamics glauber,parallel,gibbs --sweeps 5 --quiet
try recall p.npz --mask-units 0:3,5 --free --json | sed 's/"seconds": [^,]*/"seconds": 0/'
try recall p.npz known.csv --label-column 1 --mask-units 0:2 --trials 3
# Misuse. Something called gnuplot is there, to be asked for and never run.
mkdir stub
printf '#!/bin/sh\nexit 1\n' >stub/gnuplot
chmod +x stub/gnuplot
PATH=$PWD/stub:$PATH
try recall
try recall p.npz
try recall p.npz more.csv --protocol publishd
try recall p.npz more.csv --rule hopfield
try recall p.npz more.csv --dynamics async,async
try recall p.npz more.csv --dynamics async,sync
try recall p.npz more.csv --overlap 1.5
try recall p.npz more.csv --trajectories 0
try recall p.npz more.csv --readout energy
try recall p.npz more.csv --committor
try recall p.npz more.csv --protocol attractor --trajectories 5
try recall p.npz more.csv --trials 5
try recall p.npz more.csv --row 5
try recall p.npz more.csv --picture x.png
try recall p.npz more.csv --keep-diagonal --no-diagonal
try recall p.npz plain.csv --dynamics gibbs
try recall p.npz plain.csv --protocol attractor --dynamics gibbs --no-diagonal
for flip in -0.1 1.1 x 0:1 0.5:0.1:3 0:2:3 ''; do
    try recall p.npz --flip "$flip"
done
try recall p.npz --mask 2
try recall p.npz --mask-units 8
try recall p.npz --flip 0:1:3 --mask 0:1:3
try recall p.npz --flip 0.1 --class left
try recall p.npz --flip 0.1 --protocol attractor
try recall p.npz --flip 0.1 --picture x.png
try recall p.npz --flip 0:1:3 --picture x.jpg
try recall p.npz --flip 0.1 -o x.txt
try recall p.npz --flip 0.1 -o o.csv
try recall p.npz --flip 0.1 --trials 0
try recall p.npz --trajectory x.png --row 3
try recall p.npz --trajectory x.png --flip 0:1:3
try recall p.npz --trajectory x.png -o x.csv
try recall p.npz --trajectory x.png --shape 3x3
# Input that does not fit.
try recall p.npz narrow.csv
try recall p.npz nothing.csv
try recall nothing.npz more.csv
try recall w.npz more.csv
try recall votes.csv more.csv
try recall twice.npz plain.csv
try recall twice.npz plain.csv --allow-rank-deficient --quiet
try recall p.npz plain.csv --flip 0.1
try recall unnamed.npz more.csv --label-column 1 --flip 0.1
try recall p.npz more.csv --label-column 1 --flip 0.1
try recall unnamed.npz --trajectory x.png
# The order parameters of every sample, onto patterns and class means; a pattern itself has a 1 and zeros.
try recall p.npz more.csv --label-column 1 --projections a.csv --quiet
cat a.csv
isinglass recall p.npz votes.csv --label-column 1 --projections self.csv --quiet >/dev/null && cat self.csv
isinglass recall p.npz known.csv --label-column 1 --projections a.npz --class-means known.csv --quiet --json |
    grep -A 6 '"projection": {'
/usr/bin/python3 - <<'END_OF_PROGRAM'
import csv
import numpy as np
rows = list(csv.reader(open("more.csv")))
s, xi = np.array([row[1:] for row in rows], float), np.load("p.npz")["xi"].astype(float)
a = np.array([[row[k] for k in row if k.startswith("a_")] for row in csv.DictReader(open("a.csv"))], float)
print(np.abs(a - s @ np.linalg.pinv(xi).T).max() < 1e-6)
found = np.load("a.npz")
y, known = found["y"], np.array([row[0] for row in rows if row[0] != "nowhere"])
x = np.column_stack([s[:-1][known == c].mean(0) for c in found["columns"]])
print(list(y) == list(known), np.abs(found["A"] - s[:-1] @ np.linalg.pinv(x).T).max() < 1e-13)
END_OF_PROGRAM
try recall unnamed.npz plain.csv --projections u.csv --quiet
cat u.csv
try recall twice.npz plain.csv --rule hebbian --projections x.csv
try recall p.npz more.csv --label-column 1 --projections x.txt
try recall p.npz --flip 0.1 --projections x.csv
try recall p.npz more.csv --label-column 1 --class-means known.csv
try recall p.npz more.csv --label-column 1 --projections x.csv --class-means plain.csv --header no
try recall p.npz plain.csv --projections x.csv --class-means plain.csv
try recall p.npz plain.csv --projections x.csv --class-means narrow.csv
# A gnuplot that fails, and none at all: no picture, and nothing is left behind.
try recall p.npz --flip 0:0.5:3 --picture x.png
mkdir without
ln -s "$(command -v isinglass)" without/isinglass
# shellcheck disable=SC2086 # words on purpose
for picture in '--flip 0:0.5:3 --picture' '--row 1 --trajectory'; do
    PATH=$PWD/without isinglass recall p.npz $picture x.png
    echo "= $?"
done 2>&1
ls
try recall --help
