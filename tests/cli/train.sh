# Training in a run directory: starts, results, going on, and everything that is refused.
/usr/bin/python3 - <<'PYTHON'
import numpy as np
r = np.random.default_rng(1)
y = np.arange(60) % 3
x = r.choice([-1, 1], (3, 12))[y] * np.where(r.random((60, 12)) < 0.1, -1, 1)
rows = [f"c{k}," + ",".join(map(str, v)) + "\n" for k, v in zip(y, x)]
open("toy.csv", "w").writelines(rows)
open("other.csv", "w").writelines(rows[1:] + rows[:1])
PYTHON
export OMP_NUM_THREADS=1
toy=(toy.csv --label-column 1 --sweeps 2 --batch 25)
try train "${toy[@]}" -o run --epochs 3
cat run/run.json
cut -d, -f1-2,5- run/epochs.csv
ls run
# A finished run, a longer one, the same from the beginning.
try train --resume -o run
try train --resume -o run --epochs 5 --json
# a run of an earlier version, when the option had another name
cp -r run earlier
sed -i 's/"sweeps": 2/"cd": 2/; s/"checksum": .*/"earlier": true/' earlier/run.json
try train --resume -o earlier --cd 3
try train --resume -o earlier --cd 2
try train "${toy[@]}" -o whole --epochs 5 --quiet
cmp <(cut -d, -f1-2,4- run/epochs.csv) <(cut -d, -f1-2,4- whole/epochs.csv)
/usr/bin/python3 - <<'PYTHON'
import numpy as np
a, b = np.load("run/model.npz"), np.load("whole/model.npz")
print(sorted(a.files), a["W"].shape, (a["W"] == b["W"]).all())
PYTHON
# Other starts.
try train "${toy[@]}" -o hebbian --init hebbian --per-class 5 --epochs 1
try train "${toy[@]}" -o pca --init pca --hidden 4 --epochs 1 --estimator mean --beta 1
try train "${toy[@]}" -o normal --init normal --sd 0.01 --rate 5e-4,1.0e-4@1 --epochs 2 --fields --pcd --shuffle
try train "${toy[@]}" -o again --init normal/model.npz --epochs 0
try train "${toy[@]}" -o picture --shape 3x4 --epochs 1 --picture w.png
# Validation: the best epoch, and when to stop; resumed, the same decisions.
held=("${toy[@]}" --hold-out 0.25 --patience 2 --rate 0.05 --init normal --hidden 6)
try train "${held[@]}" -o held --epochs 90
grep -A2 sha256 held/run.json
cut -d, -f1-2,5- held/epochs.csv | tail -n 4
ls held
try train "${held[@]}" -o part --epochs 3
try train --resume -o part --epochs 90 --json
cmp <(cut -d, -f1-2,4- held/epochs.csv) <(cut -d, -f1-2,4- part/epochs.csv)
/usr/bin/python3 - <<'PYTHON'
import numpy as np
for name in ("model", "best"):
    a, b = np.load(f"held/{name}.npz"), np.load(f"part/{name}.npz")
    print(name, sorted(a.files), (a["W"] == b["W"]).all())
PYTHON
try train --resume -o held
isinglass train --resume -o held --patience 3 --score-every 1 --json --quiet | grep -A6 '"last"'
tail -n 1 held/epochs.csv | cut -d, -f8-
head -n 20 toy.csv >few.csv
try train "${toy[@]}" --validation few.csv --epochs 1 -o valid
cp few.csv moved.csv
try train --resume -o valid --epochs 2 --validation moved.csv --quiet
try train --resume -o valid --epochs 3 --validation toy.csv
try train --resume -o valid --epochs 3 --hold-out 0.1
try train --resume -o run --epochs 9 --validation few.csv
try train --resume -o run --epochs 9 --patience 3
try train "${toy[@]}" -o x --validation few.csv --hold-out 0.1
try train "${toy[@]}" -o x --patience 1
try train "${toy[@]}" -o x --hold-out 0.6
try train "${toy[@]}" -o x --hold-out 0.001
cut -d, -f1-9 few.csv >thin.csv
try train "${toy[@]}" -o x --validation thin.csv
# Chains that change modes; resumed, the same weights. Where no mixture fits, they are only swept.
even=("${toy[@]}" --equilibrium --jumps 2 --chains 40 --refit-every 4)
try train "${even[@]}" -o even --epochs 2
try train --resume -o even --epochs 5 --json
try train "${even[@]}" -o uneven --epochs 5 --quiet
/usr/bin/python3 - <<'PYTHON'
import numpy as np
a, b = np.load("even/model.npz"), np.load("uneven/model.npz")
print((a["W"] == b["W"]).all())
np.savez("blocks.npz", W=np.kron(np.eye(10), np.ones((4, 1))), beta=1.0)
np.save("noise.npy", np.random.default_rng(2).choice([-1, 1], (20, 40)))
PYTHON
try train noise.npy --init blocks.npz -o blocks --equilibrium --chains 8 --epochs 4 --refit-every 2
try train --resume -o even --jumps 1 --epochs 9
try train --resume -o even --refit-every 5 --epochs 9
try train --resume -o even --chains 5 --epochs 9
try train "${toy[@]}" -o x --jumps 2
try train "${toy[@]}" -o x --refit-every 2
try train "${toy[@]}" -o x --chains 2
try train "${toy[@]}" -o x --pcd --chains 0
try train "${toy[@]}" -o x --equilibrium
try train "${toy[@]}" -o x --equilibrium --jumps 0
# With --resume too, as long as there is no run whose options these could be.
try train "${toy[@]}" --resume -o x --jumps 2
try train "${toy[@]}" --resume -o x --chains 2
# Options and data that are not those of the run.
try train "${toy[@]}" -o run
try train --resume -o run --force
try train --resume -o run --batch 50
try train --resume -o run --pcd --epochs 9
try train --resume -o run --seed 2
try train --resume -o run --limit 5
try train --resume -o normal --rate 5e-4 --epochs 3
try train --resume -o normal --rate 0.0005,1e-4@1
try train other.csv --resume -o run --epochs 9
try train --resume -o run --class c1 --epochs 9
try train --resume -o nothing
mkdir empty
try train --resume -o empty
try train "${toy[@]}" --resume -o empty --epochs 1
# Nothing of somebody else's is overwritten, unless asked for.
mkdir mine
echo mine >mine/model.npz
try train "${toy[@]}" -o mine --epochs 1
cat mine/model.npz
try train "${toy[@]}" -o mine --epochs 1 --force --quiet
ls mine
# A run that was damaged.
cp -r run damaged
echo >damaged/checkpoint-1.npz
try train --resume -o damaged --epochs 6
head -c 1000 whole/checkpoint-2.npz >damaged/checkpoint-2.npz
echo >damaged/checkpoint-1.npz
try train --resume -o damaged
rm damaged/checkpoint-*
try train --resume -o damaged --epochs 5
cmp damaged/model.npz run/model.npz || echo "other weights"
echo '{"verb": "train"}' >damaged/run.json
try train --resume -o damaged
echo '{' >damaged/run.json
try train --resume -o damaged
# Misuse; nothing is left behind.
try train
try train -o x
try train "${toy[@]}"
try train toy.csv --label-column 1 -o x --batch 0
try train toy.csv --label-column 1 -o x --sweeps 0
try train "${toy[@]}" -o x --beta nan
try train "${toy[@]}" -o x --rate 0
try train "${toy[@]}" -o x --rate 1e-4@5
try train "${toy[@]}" -o x --rate 1e-4,1e-5@9,1e-6@9
try train "${toy[@]}" -o x --class c7
try train "${toy[@]}" -o x --init hopfeild
try train "${toy[@]}" -o x --init lost.npz
isinglass patterns toy.csv --label-column 1 -o only_patterns.npz >/dev/null
try train "${toy[@]}" -o x --init only_patterns.npz
try train "${toy[@]}" -o x --init toy.csv
try train "${toy[@]}" -o x --sd 1
try train "${toy[@]}" -o x --hidden 4
try train "${toy[@]}" -o x --per-class 5
try train "${toy[@]}" -o x --per-class 21
try train "${toy[@]}" -o x --init pca --hidden 13
try train "${toy[@]}" -o x --init normal/model.npz --hidden 4
try train "${toy[@]}" -o x --picture w.npz
isinglass train "${toy[@]}" -o table --epochs 0 --picture table.png --quiet >/dev/null || echo failed; head -c 4 table.png | tail -c 3; echo
try train lost.csv -o x
try train "${toy[@]}" -o lost/x
try train "${toy[@]}" -o toy.csv
ls
# Diverging: the last finite weights are kept.
try train "${toy[@]}" -o diverged --rate 1e9
/usr/bin/python3 -c 'import numpy as np; print(np.isfinite(np.load("diverged/model.npz")["W"]).all())'
try train --help
