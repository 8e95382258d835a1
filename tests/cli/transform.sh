# Hidden units and energies of data as files, against NumPy.
cat >votes.csv <<'END'
left,1,1,1,1,-1,-1
right,-1,-1,1,-1,1,1
middle,1,-1,1,-1,-1,1
END
isinglass patterns votes.csv --label-column 1 -o p.npz >/dev/null
isinglass map p.npz -o m.npz --beta 0.5 >/dev/null
cut -d, -f2- votes.csv >plain.csv
printf '1,1\n' >narrow.csv
try transform m.npz votes.csv --label-column 1 -o h.csv --energies e.csv --log-z auto
cat h.csv e.csv
try transform m.npz plain.csv -o h.npz --energies e.npz --log-z 3.5 --json
/usr/bin/python3 - <<'END'
import csv
import itertools
import numpy as np
m, s = np.load("m.npz"), np.loadtxt("plain.csv", delimiter=",")
h = s @ m["W"] + m["c"]
energy = -s @ m["b"] - (h**2).sum(1) / 2 + (m["c"]**2).sum() / 2
found, e = np.load("h.npz"), np.load("e.npz")
print(sorted(found.files), list(found["columns"]), list(e["columns"]))
print(np.abs(found["H"] - h).max() < 1e-12, np.abs(e["E"][:, 0] - energy).max() < 1e-12)
print(np.abs(e["E"][:, 1] + 0.5 * energy + 3.5).max() < 1e-12)
states = np.array(list(itertools.product([-1, 1], repeat=6)))
log_z = np.log(np.exp(0.25 * ((states @ m["W"])**2).sum(1)).sum())
rows = list(csv.DictReader(open("e.csv")))
print(np.abs([float(row["log_p"]) - (-0.5 * u - log_z) for row, u in zip(rows, energy)]).max() < 1e-9)
END
# A run holds a model; labels of the model's patterns name the hidden units of theirs only.
isinglass train votes.csv --label-column 1 -o run --hidden 2 --init normal --epochs 0 --quiet >/dev/null
try transform run votes.csv --label-column 1 -o run.csv
head -n 1 run.csv
try transform m.npz votes.csv --label-column 1
try transform m.npz votes.csv --label-column 1 -o h.csv
try transform m.npz votes.csv -o x.txt
try transform m.npz narrow.csv -o x.csv
try transform m.npz plain.csv -o x.csv --log-z auto
try transform m.npz plain.csv --energies x.csv --log-z much
try transform m.npz plain.csv --energies x.csv --method ais
try transform p.npz plain.csv -o x.csv
try transform m.npz
ls
try transform --help
