# Classification: fits, tests, files, going on, the other classifiers, and everything that is refused.
/usr/bin/python3 - <<'PYTHON'
import numpy as np
r = np.random.default_rng(1)
means = r.choice([-1, 1], (3, 12))
def make(name, count, classes, units=12):
    y = np.array(classes)[np.arange(count) % len(classes)]
    x = means[y] * np.where(r.random((count, 12)) < 0.25, -1, 1)
    rows = [f"c{k}," + ",".join(map(str, v[:units])) + "\n" for k, v in zip(y, x)]
    open(name, "w").writelines(rows)
make("train.csv", 120, [0, 1, 2])
make("test.csv", 60, [2, 1, 0])
make("some.csv", 20, [1, 2])
make("one.csv", 20, [1])
make("narrow.csv", 60, [0, 1, 2], 11)
open("odd.csv", "w").write(open("test.csv").read().replace("c1", "other"))
open("plain.csv", "w").writelines(line.split(",", 1)[1] for line in open("test.csv"))
lines = [line.strip().split(",") for line in open("train.csv")]
x = np.array([[int(v) for v in line[1:]] for line in lines])
np.savez("train.npz", X=x, y=[line[0] for line in lines])
np.savez("plain.npz", X=x)
with open("many.csv", "w") as many:
    for a in range(60):
        many.write(f"{a % 15}," + ",".join(map(str, r.choice([-1, 1], 12))) + "\n")
PYTHON
export OMP_NUM_THREADS=1
toy=(train.csv test.csv --label-column 1 --per-class 2 --sweeps 2 --batch 25)
try classify "${toy[@]}"
try classify "${toy[@]}" --epochs 3 --error-at 0,1 --rate 0.01 -o run --picture c.png --curve curve.csv --predictions p.csv
cut -d, -f1,3- curve.csv
head -n 4 p.csv
head -c 4 c.png | tail -c 3; echo
/usr/bin/python3 -c '
import csv
for row in csv.DictReader(open("p.csv")):
    p = {name[2:]: float(row[name]) for name in row if name.startswith("p_")}
    assert abs(sum(p.values()) - 1) < 1e-5 and p[row["predicted"]] == max(p.values()) == float(row["probability"])'
grep -v seconds run/run.json
ls run
# With the classifier that was kept: the same answers, some of the classes, no labels at all.
try classify --model run/classifier.npz test.csv --label-column 1 --predictions q.csv
cmp p.csv q.csv
try classify --model run/classifier.npz some.csv --label-column 1
try classify --model run/classifier.npz plain.csv --predictions r.csv
head -n 3 r.csv
try classify --model run/classifier.npz test.csv --label-column 1 --json
# Going on: a finished run, a longer one, and the same from the beginning.
try classify --resume -o run
try classify --resume -o run --epochs 5 --error-at 0,2,4 --predictions p5.csv
try classify "${toy[@]}" --epochs 5 --rate 0.01 -o whole --quiet --predictions w5.csv
cmp p5.csv w5.csv
/usr/bin/python3 - <<'PYTHON'
import numpy as np
a, b = np.load("run/classifier.npz"), np.load("whole/classifier.npz")
print({name: a[name].shape for name in a.files if not name.endswith(".json")})
print(all((a[name] == b[name]).all() for name in a.files if not name.endswith(".json")))
PYTHON
# Validation: the best epoch, and when to stop; resumed, the same decisions.
held=("${toy[@]}" --rate 0.05 --hold-out 0.3 --patience 4)
try classify "${held[@]}" --epochs 40 -o held --curve held.csv --predictions h.csv
cut -d, -f1,3- held.csv
grep -A7 '"best"' held/run.json | grep -v '"loss"'
ls held
try classify "${held[@]}" --epochs 4 -o part
try classify --resume -o part --epochs 40 --predictions i.csv
cmp h.csv i.csv
try classify --resume -o held --predictions j.csv --json
cmp h.csv j.csv
try classify --model held/classifier.npz test.csv --label-column 1 --predictions k.csv
cmp h.csv k.csv
try classify "${toy[@]}" --rate 0.05 --validation some.csv --balanced --validate-every 2 --epochs 3
try classify --resume -o held --epochs 6 --patience 1
try classify --resume -o held --validation some.csv
try classify --resume -o run --epochs 9 --validation some.csv
try classify train.csv test.csv --label-column 1 --validation odd.csv --epochs 1
try classify train.npz test.csv --validation plain.npz --epochs 1
try classify "${toy[@]}" --patience 3
try classify "${toy[@]}" --rbm run/model.npz --hold-out 0.1
rm held/best-*.npz
try classify --resume -o held
# Other experts, other classifiers.
try classify "${toy[@]}" --init hebbian --features hidden --l2 1
try classify "${toy[@]}" --features squares
try classify "${toy[@]}" --init pca --epochs 1 --estimator mean --beta 1
try classify "${toy[@]}" --init normal --sd 0.2 --epochs 2 --fields --pcd --seed 3
try classify "${toy[@]}" --classifier labels --epochs 3 --error-at 0 -o labels
try classify --model labels/classifier.npz test.csv --label-column 1
isinglass train train.csv --label-column 1 --epochs 0 -o rbm --quiet >out
try classify train.csv test.csv --label-column 1 --rbm rbm/model.npz -o alone
try classify train.csv --label-column 1 --per-class 1
try classify train.csv --label-column 1 --per-class 1 --json
try classify many.csv many.csv --label-column 1 --per-class 1
# A rare class: fewer hidden units for it, and as much weight as the others.
{ grep -v c0 train.csv; grep -m 3 c0 train.csv; } >rare.csv
try classify rare.csv test.csv --label-column 1 --per-class 5
head -n 40 test.csv >uneven.csv
try classify rare.csv uneven.csv --label-column 1 --per-class 1 --balanced --json
# Data that cannot be learned from, or tested with.
try classify train.csv odd.csv --label-column 1
try classify odd.csv train.csv --label-column 1
try classify train.csv some.csv --label-column 1
try classify some.csv train.csv --label-column 1 --per-class 1
try classify one.csv test.csv --label-column 1
try classify "${toy[@]}" --class c1
try classify plain.csv test.csv
try classify train.npz plain.npz --per-class 1
try classify train.npz plain.npz --per-class 1 --predictions u.csv
head -n 3 u.csv
sed '2~4s/^c[0-9]//' test.csv >partly.csv
try classify train.csv partly.csv --label-column 1 --per-class 1 --predictions o.csv
head -n 3 o.csv | cut -d, -f1-4
try classify train.csv narrow.csv --label-column 1
try classify "${toy[@]}" --limit 2
try classify train.csv test.csv --label-column 1 --per-class 41
try classify train.csv test.csv --label-column 1 --init pca --per-class 13
try classify train.csv test.csv --label-column 1 --rbm whole/classifier.npz
isinglass train narrow.csv --label-column 1 --epochs 0 -o thin --quiet >out
try classify train.csv test.csv --label-column 1 --rbm thin/model.npz
try classify --model run/classifier.npz narrow.csv --label-column 1
try classify --model run/classifier.npz odd.csv --label-column 1
try classify --model run/classifier.npz plain.csv --picture x.png
try classify --model rbm/model.npz test.csv
try classify --model lost.npz test.csv
try classify lost.csv test.csv
try classify train.csv lost.csv --label-column 1
# Options and data that are not those of the run.
try classify "${toy[@]}" -o run
try classify --resume -o run --force
try classify --resume -o run --batch 50
try classify --resume -o run --seed 2
try classify --resume -o run --epochs 4
try classify --resume -o run --epochs 3
try classify train.csv many.csv --resume -o run --epochs 9
try classify test.csv test.csv --resume -o run --epochs 9
try classify --resume -o rbm
try classify --resume -o nothing
try classify "${toy[@]}" -o rbm
cp -r run damaged
# One damaged checkpoint is made up for by the other; two are not, but none is a beginning.
head -c 2000 run/checkpoint-1.npz >damaged/checkpoint-1.npz
try classify --resume -o damaged --predictions d1.csv
cmp p5.csv d1.csv
for k in 1 2; do
    head -c 2000 run/checkpoint-$k.npz >damaged/checkpoint-$k.npz
done
try classify --resume -o damaged --epochs 9
rm damaged/checkpoint-?.npz
try classify --resume -o damaged --predictions d5.csv
cmp p5.csv d5.csv
sed 's/"epochs": 5/"epochs": 7/' run/run.json >damaged/run.json
try classify --resume -o damaged
# As an earlier version wrote it.
/usr/bin/python3 -c 'import json
record = json.load(open("run/run.json"))
del record["checksum"]
json.dump(record, open("damaged/run.json", "w"))'
isinglass classify --resume -o damaged --quiet --json | grep -c '"test_error"'
echo '{}' >damaged/run.json
try classify --resume -o damaged
# Misuse.
try classify
try classify --model run/classifier.npz
try classify --model run/classifier.npz train.csv test.csv
try classify --model run/classifier.npz test.csv --epochs 3
try classify --model run/classifier.npz test.csv --l2 1
try classify "${toy[@]}" --resume
try classify "${toy[@]}" --rbm rbm/model.npz
try classify "${toy[@]}" --classifier labels --l2 1
try classify "${toy[@]}" --classifier labels --balanced
try classify "${toy[@]}" --sd 1
try classify "${toy[@]}" --error-at 0,1
try classify "${toy[@]}" --epochs 2 --error-at 1,0
try classify "${toy[@]}" --epochs 2 --error-at 1,,2
try classify "${toy[@]}" --rate 0
try classify "${toy[@]}" --init hopfeild
try classify "${toy[@]}" --picture c.png
try classify "${toy[@]}" --predictions c.txt
try classify train.csv --label-column 1 --picture new.png
try classify "${toy[@]}" --epochs 2 --rate 1e200
ls
try classify --help
