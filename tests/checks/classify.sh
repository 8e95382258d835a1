#!/bin/bash
# Classification of MNIST: the errors that the paper reports for experts without training, the same
# answers on any number of threads and with any instruction set; and a toy set whose training is killed
# at random moments, stopped by a signal, and always ends in the same classifier.
# ISINGLASS_TEST_KILLS is the number of runs that are killed [6, or 2 under a sanitizer].
set -eu
: "${ISINGLASS_DATA:?must name a data directory with MNIST, see CONTRIBUTING.md}"
kills=${ISINGLASS_TEST_KILLS:-$([[ -n $SANITIZE ]] && echo 2 || echo 6)}
RANDOM=${ISINGLASS_TEST_SEED:-1}
rm -rf "${SCRATCH:?}"/*
cd "$SCRATCH"
mkdir bin
ln -s "$ISINGLASS" bin/isinglass
PATH=$SCRATCH/bin:$PATH

die() {
    echo "$*"
    exit 1
}

# ---- MNIST ----------------------------------------------------------------------------------------
# Half of the bound would be a mistake as well: samples of TEST that were learned from.
isinglass classify mnist:train mnist:test --quiet --json -o digits --predictions whole.csv >result.json
/usr/bin/python3 - <<'PYTHON'
import json, numpy as np
r = json.load(open("result.json"))
print("hopfield, K = 10, no training: test error %.2f %%, train error %.2f %%" % (100 * r["test_error"], 100 * r["train_error"]))
assert 0.060 < r["test_error"] <= 0.0695 and r["converged"], r["test_error"]
c = np.array(r["confusion"])
assert c.shape == (10, 10) and c.sum() == 10000 and c.trace() == round(10000 * (1 - r["test_error"]))
PYTHON
isinglass classify --model digits/classifier.npz mnist:test --quiet --predictions loaded.csv >out
cmp whole.csv loaded.csv || die "the classifier that was kept answers otherwise"

# Fine-tuned, a tenth of the images in half of the epochs.
isinglass classify mnist:train mnist:test --limit 6000 --per-class 5 --finetune --epochs 6 --quiet --json >result.json
/usr/bin/python3 - <<'PYTHON'
import json
r = json.load(open("result.json"))
print("fine-tuned, K = 5, 6000 images: test error %.2f %%" % (100 * r["test_error"]))
assert r["test_error"] < 0.065 and r["tuning"]["epochs_done"] == 6, r["test_error"]
PYTHON

# A tenth of the images with some training, on other threads and instruction sets. 'ref' is slow.
small=(mnist:train mnist:test --limit 2000 --test-limit 500 --per-class 3 --sweeps 2 --epochs 1 --rate 1e-3 --quiet)
isinglass classify "${small[@]}" --threads 1 --predictions one.csv >out
for other in "--threads 2" "--threads 7" "--threads 2 --isa ref"; do
    # shellcheck disable=SC2086 # several options
    isinglass classify "${small[@]}" $other --predictions other.csv --force >out
    cmp one.csv other.csv || die "other answers with $other"
done
isinglass classify "${small[@]}" --seed 2 --predictions seed.csv >out
! cmp -s one.csv seed.csv || die "the seed changes nothing"
echo "same answers on 1, 2 and 7 threads, and with the plain kernels"

# ---- killed at any moment; --resume starts what is not there yet ---------------------------------------
export OMP_NUM_THREADS=1 # quickest for so little work
/usr/bin/python3 - <<'PYTHON'
import numpy as np
r = np.random.default_rng(1)
means = r.choice([-1, 1], (3, 60))
for name in "toy", "test":
    y = np.arange(600) % 3
    x = means[y] * np.where(r.random((600, 60)) < 0.4, -1, 1)
    open(name + ".csv", "w").writelines(f"c{k}," + ",".join(map(str, v)) + "\n" for k, v in zip(y, x))
PYTHON
common=(toy.csv test.csv --label-column 1 --per-class 4 --sweeps 5 --batch 20 --rate 1e-3 --fields --pcd
    --error-at '0,10,20' --quiet)
toy=("${common[@]}" --epochs 40)
outcome() { # run
    /usr/bin/python3 - "$1" <<'PYTHON'
import hashlib, json, sys, numpy as np
c = np.load(sys.argv[1] + "/classifier.npz")
bits = b"".join(c[name].tobytes() for name in c.files if not name.endswith(".json"))
points = [(p["epochs"], p["test_error"]) for p in json.load(open(sys.argv[1] + "/run.json"))["points"]]
print(hashlib.sha256(bits).hexdigest(), points)
PYTHON
}
kill_runs() { # name arguments...
    local whole=$1 begun=$EPOCHREALTIME seconds expected found left run k hits=0
    shift
    isinglass classify "$@" -o "$whole" >out
    seconds=$(awk "BEGIN { print $EPOCHREALTIME - $begun }")
    expected=$(outcome "$whole")
    echo "$whole: $expected in $seconds s"
    for ((run = 0; run < kills; run++)); do
        for ((k = 0; k < 3; k++)); do
            isinglass classify "$@" -o kill --resume --save-every 0 >out 2>err &
            sleep "$(awk "BEGIN { print $seconds * $RANDOM / 65536 }")"
            if kill -KILL $! 2>/dev/null; then
                hits=$((hits + 1))
            fi
            wait $! 2>/dev/null || true
        done
        isinglass classify "$@" -o kill --resume >out
        found=$(outcome kill)
        [[ $found == "$expected" ]] || die "$whole, killed run $run: $found"
        # One checkpoint, if no kill came after the first was saved, or two; and nothing else.
        left=$(echo kill/*)
        [[ $left =~ ^(kill/checkpoint-[12].npz\ ){1,2}kill/classifier.npz\ kill/run.json$ ]] ||
            die "$whole, killed run $run left $left"
        rm -rf kill
    done
    [[ $hits -ge $kills ]] || die "$whole: too few kills found the program alive"
    echo "$whole: $kills runs killed $hits times: same classifier, same curve"
}
kill_runs whole "${toy[@]}"
kill_runs tuned toy.csv test.csv --label-column 1 --shape 6x10 --per-class 4 --batch 5 --finetune --shift 1 \
    --epochs 60 --error-at 0,10,20 --quiet

# ---- stopped by a signal, and resumed as it says ----- -----------------------------------------------------
# Ten times as long, so that the signal comes before the end on a busy machine too.
long=("${common[@]}" --epochs 400)
isinglass classify "${long[@]}" -o long >out
expected=$(outcome long)
/usr/bin/python3 - "${long[@]}" -o 'a run' >out 2>err <<'PYTHON' && status=0 || status=$?
import os, signal, subprocess, sys, time
# Not a job of the shell, which would have it ignore SIGINT.
process = subprocess.Popen(["isinglass", "classify"] + sys.argv[1:],
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
while process.poll() is None and not os.path.exists("a run/checkpoint-1.npz"):
    time.sleep(0.001)
process.send_signal(signal.SIGINT)
sys.exit(process.wait())
PYTHON
[[ $status -eq 130 ]] || die "SIGINT: exit $status: $(cat err)"
line=$(sed -n 's/.*all saved; to go on: //p' err)
[[ $line == "isinglass classify --resume -o 'a run'" ]] || die "SIGINT: $(cat err)"
bash -c "$line" >out
[[ $(outcome 'a run') == "$expected" ]] || die "SIGINT: another classifier"
echo "SIGINT: exit 130, same classifier"

# ---- what does not belong to the run -----------------------------------------------------------------------
sed 's/^c0/x/; s/^c1/c0/; s/^x/c1/' test.csv >swapped.csv
for data in "toy.csv swapped.csv" "swapped.csv test.csv"; do
    cp -r whole other
    # shellcheck disable=SC2086 # two names
    isinglass classify $data --label-column 1 --resume -o other --epochs 50 >out 2>err && status=0 || status=$?
    [[ $status -eq 7 && $(cat err) == *"swapped.csv: not the data that the run"* ]] || die "$data: $status, $(cat err)"
    [[ $(outcome other) == "$(outcome whole)" ]] || die "$data: changed the run"
    rm -rf other
done
isinglass classify toy.csv --label-column 1 --per-class 2 --epochs 1 -o alone --quiet >out
isinglass classify toy.csv test.csv --label-column 1 --resume -o alone >out 2>err && status=0 || status=$?
[[ $status -eq 7 && $(cat err) == *"test.csv: the run in alone was started without TEST" ]] || die "$status, $(cat err)"
# A point of the curve that is recorded several times is one point.
/usr/bin/python3 - <<'PYTHON'
import json
run = json.load(open("whole/run.json"))
del run["checksum"]
run["points"] = run["points"][:1] * 9
json.dump(run, open("whole/run.json", "w"))
PYTHON
isinglass classify --resume -o whole --quiet >out || die "points told twice: $?"
[[ $(grep -c '^ *0 ' out) -eq 1 ]] || die "points told twice: $(cat out)"
echo "other labels refused, points told twice are one"
