# Fine-tuning: where it starts, going on, validation, shifts, and everything that is refused.
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
make("narrow.csv", 60, [0, 1, 2], 11)
open("odd.csv", "w").write(open("train.csv").read().replace("c1", "other"))
lines = open("train.csv").readlines()
open("gaps.csv", "w").writelines(line[:-2] + "\n" if k % 9 == 5 else line for k, line in enumerate(lines))
PYTHON
export OMP_NUM_THREADS=1
data=(train.csv test.csv --label-column 1)
toy=("${data[@]}" --per-class 2 --batch 25 --finetune)
try classify "${toy[@]}" --epochs 4 --error-at 0,2 --rate 0.01 -o run --curve curve.csv --predictions p.csv
cut -d, -f1,3- curve.csv
grep -E '"(epochs|finetune|logits-rate|shift|rate|model)"' run/run.json
ls run
# A classifier like others, which says what made it.
try classify --model run/classifier.npz test.csv --label-column 1 --predictions q.csv
cmp p.csv q.csv
try classify --model run/classifier.npz test.csv --label-column 1 --json >out
sed -n '/"tuning"/,/}/p; /"converged"/p' out
unzip -p run/classifier.npz tuning.json
# Going on: finished, and from the checkpoint before one that was damaged.
try classify --resume -o run --predictions r.csv
cmp p.csv r.csv
head -c 2000 run/checkpoint-1.npz >part && mv part run/checkpoint-1.npz
try classify --resume -o run --predictions s.csv
cmp p.csv s.csv
# The defaults, and the other features.
try classify "${data[@]}" --per-class 2 --finetune
try classify "${toy[@]}" --features squares --epochs 2
try classify "${toy[@]}" --features hidden --epochs 2 --balanced --logits-rate 0.1
# From an RBM, and from a classifier whose experts were trained.
isinglass train train.csv --label-column 1 --epochs 0 -o rbm --quiet >out
try classify "${data[@]}" --finetune --rbm rbm/model.npz --epochs 2
isinglass classify "${data[@]}" --per-class 2 --epochs 2 --rate 0.01 -o experts --quiet >out
try classify "${data[@]}" --finetune --model experts/classifier.npz --epochs 2 -o again --json >out
sed -n '/"tuning"/,/}/p; /"converged"/p; /"n_hidden"/p; /"model"/p' out
try classify --resume -o again
# Validation: the best epoch, and when to stop; resumed, the same decisions.
held=("${toy[@]}" --rate 0.05 --hold-out 0.3 --epochs 20 --patience 3)
try classify "${held[@]}" -o held --predictions h.csv
ls held
try classify --resume -o held --predictions i.csv
cmp h.csv i.csv
try classify "${toy[@]}" --validation test.csv --validate-every 2 --epochs 3
# Images.
try classify "${toy[@]}" --shape 3x4 --shift 1 --epochs 3 -o moved
try classify --model moved/classifier.npz test.csv --label-column 1 --json >out
grep '"shift"' out
# Data that it cannot learn from.
try classify "${toy[@]}" --shift 1
try classify "${toy[@]}" --shape 3x4 --shift 3
try classify odd.csv test.csv --label-column 1 --finetune --model experts/classifier.npz
try classify odd.csv --label-column 1 --finetune --model experts/classifier.npz
try classify narrow.csv test.csv --label-column 1 --finetune --model experts/classifier.npz
try classify narrow.csv test.csv --label-column 1 --finetune --rbm rbm/model.npz
try classify gaps.csv test.csv --label-column 1 --finetune --missing impute
try classify "${data[@]}" --finetune --model rbm/model.npz
try classify "${data[@]}" --finetune --model lost.npz
try classify "${toy[@]}" --rate 1e200
# Misuse.
try classify "${toy[@]}" --epochs 0
try classify "${toy[@]}" --rate 0.01,0.001@3
try classify "${toy[@]}" --rate 0
try classify "${toy[@]}" --logits-rate 0
try classify "${toy[@]}" --logits-rate -1
try classify "${toy[@]}" --shift -1
try classify "${data[@]}" --finetune --batch 0
try classify "${toy[@]}" --sweeps 3
try classify "${toy[@]}" --pcd
try classify "${toy[@]}" --fields
try classify "${toy[@]}" --estimator mean
try classify "${toy[@]}" --classifier labels
try classify "${data[@]}" --shift 1
try classify "${data[@]}" --logits-rate 0.1
try classify "${data[@]}" --finetune --model experts/classifier.npz --init pca
try classify "${data[@]}" --finetune --model experts/classifier.npz --rbm rbm/model.npz
try classify "${data[@]}" --finetune --rbm rbm/model.npz --per-class 3
try classify --finetune --model experts/classifier.npz
try classify --model experts/classifier.npz test.csv --label-column 1 --shift 1
try classify "${toy[@]}" --epochs 2 --error-at 3
# Options that are not those of the run.
try classify --resume -o run --epochs 8
try classify --resume -o run --shift 1
try classify "${data[@]}" --resume -o nowhere --shift 1
try classify "${data[@]}" --resume -o nowhere --logits-rate 3
try classify --resume -o run --logits-rate 0.1
try classify --resume -o experts --finetune
try classify "${data[@]}" --resume -o held --model experts/classifier.npz
ls
