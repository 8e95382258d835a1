# What a model in training is as a memory: measures.csv, going on with the same bytes, the picture, refusals.
/usr/bin/python3 - <<'PYTHON'
import numpy as np
r = np.random.default_rng(1)
y = np.arange(60) % 3
x = r.choice([-1, 1], (3, 12))[y] * np.where(r.random((60, 12)) < 0.1, -1, 1)
rows = [f"c{k}," + ",".join(map(str, v)) + "\n" for k, v in zip(y, x)]
open("toy.csv", "w").writelines(rows)
open("plain.csv", "w").writelines(row.partition(",")[2] for row in rows)
PYTHON
export OMP_NUM_THREADS=1
toy=(toy.csv --label-column 1 --sweeps 2 --batch 25 --rate 0.01)
try train "${toy[@]}" -o whole --epochs 6 --measure-every 2 --constraint stiefel --learn-beta
cut -d, -f1-7,10- whole/measures.csv
grep -c measure-picture whole/run.json
# Resumed, the same bytes; so too after a crash before the last row was written, or after an older checkpoint.
try train "${toy[@]}" -o part --epochs 2 --measure-every 2 --constraint stiefel --learn-beta --quiet
try train --resume -o part --epochs 4 --quiet
sed -i '$d' part/measures.csv
try train --resume -o part --epochs 4 --json
cp whole/measures.csv part/measures.csv
try train --resume -o part --epochs 6 --quiet
cmp whole/measures.csv part/measures.csv
# Other numbers of epochs; nothing changes the weights.
try train "${toy[@]}" -o other --epochs 6 --constraint stiefel --learn-beta --score-every 3 --quiet
try train --resume -o other --epochs 7 --measure-every 1 --measure-picture memory.svg
cut -d, -f1,3 other/epochs.csv | cut -d, -f1
cut -d, -f1 other/measures.csv
grep -c '<svg' memory.svg
/usr/bin/python3 - <<'PYTHON'
import csv
import numpy as np
a, b = np.load("whole/checkpoint-1.npz"), np.load("whole/checkpoint-2.npz")
row = list(csv.DictReader(open("whole/measures.csv")))[-1]
m = np.load("whole/model.npz")
x = np.array([line.split(",")[1:] for line in open("toy.csv")], float)
u, s, _ = np.linalg.svd(m["W"], full_matrices=False)
print("beta", float(row["beta"]) == m["beta"])
print("capture", abs(float(row["capture"]) - ((x @ u) ** 2).sum(1).mean() / 12) < 1e-12)
print("singular", abs(float(row["singular_largest"]) - s[0]) < 1e-12, abs(float(row["singular_smallest"]) - s[-1]) < 1e-12)
PYTHON
# Columns that depend on others give no patterns; data without labels no recall, and no picture.
try train "${toy[@]}" -o normal --epochs 1 --measure-every 1 --init normal --hidden 13 --quiet
tail -n 1 normal/measures.csv | cut -d, -f10-
try train plain.csv --sweeps 2 -o x --epochs 1 --measure-every 1 --measure-picture plain.png
try train plain.csv --sweeps 2 -o plain --epochs 1 --measure-every 1 --quiet
tail -n 1 plain/measures.csv | cut -d, -f10-
# Measurements of a run that is replaced do not stay beside the new one.
try train plain.csv --sweeps 2 -o plain --epochs 1 --force --quiet
ls plain
# A start without labelled patterns has no recall: refused before the training, not after it, resumed too.
for start in axes normal pca; do
    try train "${toy[@]}" -o x --init $start --epochs 1 --measure-every 1 --measure-picture x.svg
done
try train --resume -o normal --epochs 2 --measure-picture x.svg --quiet
# The picture is among the results; where no row has both numbers it is left out, and the results are there.
isinglass train "${toy[@]}" -o drawn --epochs 1 --measure-every 1 --measure-picture drawn.svg --quiet --json |
    grep picture
sed 's/,[^,]*$/,/' drawn/measures.csv | sed '1s/.*/'"$(head -n 1 drawn/measures.csv)"'/' >blank.csv
cp blank.csv drawn/measures.csv
isinglass train --resume -o drawn --measure-picture blank.svg --json 2>&1 | grep -e picture -e '"recall"'
[[ -e blank.svg ]] || echo "nothing drawn"
# What is refused.
try train "${toy[@]}" -o x --measure-picture x.png
try train "${toy[@]}" -o x --measure-every 1 --measure-picture x.txt
try train --resume -o other --epochs 7 --measure-picture memory.svg --quiet
echo damaged >>part/measures.csv
try train --resume -o part --epochs 7 --quiet
echo other >part/measures.csv
try train --resume -o part --epochs 7 --quiet
cp whole/measures.csv part/measures.csv
printf '\0' >>part/measures.csv
try train --resume -o part --epochs 7 --quiet
