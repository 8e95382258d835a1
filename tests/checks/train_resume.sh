#!/bin/bash
# Training is killed at random moments, stopped by signals, run out of disk, run by other numbers of
# threads and other instruction sets, and always ends in the same weights and the same epochs.csv.
# ISINGLASS_TEST_KILLS is the number of runs that are killed, each of them three times [8, or 2 under
# a sanitizer]; ISINGLASS_TEST_SEED gives other moments.
set -eu
kills=${ISINGLASS_TEST_KILLS:-$([[ -n $SANITIZE ]] && echo 2 || echo 8)}
RANDOM=${ISINGLASS_TEST_SEED:-1}
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive # quickest for so little work

# In memory where that can be: what is tested is not the patience of the disk.
work=$(mktemp -d /dev/shm/isinglass-XXXXXX 2>/dev/null || mktemp -d "$SCRATCH/XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir bin
ln -s "$ISINGLASS" bin/isinglass
PATH=$work/bin:$PATH
/usr/bin/python3 - <<'PYTHON'
import numpy as np
r = np.random.default_rng(1)
y = np.arange(600) % 3
x = r.choice([-1, 1], (3, 60))[y] * np.where(r.random((600, 60)) < 0.15, -1, 1)
open("toy.csv", "w").writelines(f"c{k}," + ",".join(map(str, v)) + "\n" for k, v in zip(y, x))
PYTHON
toy=(toy.csv --label-column 1 --quiet)
# Every kind of state there is to keep, and one as in the paper.
# shellcheck disable=SC2034 # they are used by name
rich=(--hold-out 0.2 --pcd --fields --shuffle --sweeps 3 --batch 7 --rate '1e-3,1e-4@20' --epochs 150)
# shellcheck disable=SC2034
plain=(--sweeps 20 --batch 32 --estimator mean --epochs 60)
short=(--hold-out 0.2 --pcd --fields --sweeps 20 --batch 32 --epochs 5) # for the plain kernel, which is slow

die() {
    echo "$*"
    exit 1
}

# What a run has come to: W, also that of the best epoch if there are validation data, and the table
# without the seconds, once it is certain that the files are whole.
outcome() { # run
    /usr/bin/python3 - "$1" <<'PYTHON'
import hashlib, os, sys, numpy as np
w = np.load(sys.argv[1] + "/model.npz")["W"]
columns = 6
if os.path.exists(sys.argv[1] + "/best.npz"):
    w, columns = np.concatenate([w, np.load(sys.argv[1] + "/best.npz")["W"]]), 9
assert np.isfinite(w).all()
table = [line.rstrip("\n").split(",") for line in open(sys.argv[1] + "/epochs.csv")]
assert all(len(row) == columns for row in table), table
print(hashlib.sha256(w.tobytes()).hexdigest(),
      hashlib.sha256(repr([row[:2] + row[3:] for row in table]).encode()).hexdigest())
PYTHON
}

same() { # what, run, kind
    local found
    found=$(outcome "$2")
    [[ $found == "${expected[$3]}" ]] || die "$1: $found, not ${expected[$3]}"
    local left=("$2"/*)
    [[ ${#left[@]} -eq $([[ $3 == plain ]] && echo 5 || echo 6) ]] || die "$1 left ${left[*]}"
}

declare -A expected seconds
for kind in rich plain short; do
    begun=$EPOCHREALTIME
    declare -n options=$kind
    isinglass train "${toy[@]}" -o $kind "${options[@]}" >out
    seconds[$kind]=$(awk "BEGIN { print $EPOCHREALTIME - $begun }")
    expected[$kind]=$(outcome $kind)
    echo "$kind: ${expected[$kind]} in ${seconds[$kind]} s"
done

# ---- killed at any moment; --resume starts what is not there yet --------------------------------
hits=0 every=(0.02 0) # seconds: at ends of epochs mostly, after every update
for ((run = 0; run < kills; run++)); do
    kind=plain
    [[ $((run % 2)) -eq 0 ]] || kind=rich
    declare -n options=$kind
    for ((k = 0; k < 3; k++)); do
        isinglass train "${toy[@]}" -o kill --resume "${options[@]}" \
            --save-every "${every[$((k % 2))]}" >out 2>err &
        sleep "$(awk "BEGIN { print ${seconds[$kind]} * $RANDOM / 65536 }")"
        if kill -KILL $! 2>/dev/null; then
            hits=$((hits + 1))
        fi
        wait $! 2>/dev/null || true
        [[ $k -gt 0 || ! -e kill/model.npz ]] || outcome kill >out # is whole
    done
    isinglass train "${toy[@]}" -o kill --resume "${options[@]}" >out
    same "killed run $run" kill $kind
    rm -rf kill
done
echo "$kills runs killed $hits times: same bits"
[[ $hits -ge $kills ]] || die "too few kills found the program alive"

# ---- experts with validation data: the same best epoch, end and answers -----------------------------
held=(classify toy.csv toy.csv --label-column 1 --quiet --per-class 2 --rate 1e-2 --sweeps 3 --batch 7
    --epochs 60 --hold-out 0.3 --patience 9 --predictions answers.csv --force)
answers() { # run: the files and the decisions, without the seconds
    sed '/seconds/d; /training/d; /"checksum"/d; /^model/d; s/ *[0-9.]*$//' out
    grep -A7 '"best": {' "$1/run.json" | grep -v '"file"'
    sha256sum answers.csv
}
begun=$EPOCHREALTIME
isinglass "${held[@]}" -o whole >out
whole_s=$(awk "BEGIN { print $EPOCHREALTIME - $begun }")
wanted=$(answers whole)
hits=0
for ((run = 0; run < kills; run++)); do
    for ((k = 0; k < 3; k++)); do
        isinglass "${held[@]:0:${#held[@]}-1}" -o kill --resume --save-every "${every[$((k % 2))]}" >out 2>err &
        sleep "$(awk "BEGIN { print $whole_s * $RANDOM / 65536 }")"
        kill -KILL $! 2>/dev/null && hits=$((hits + 1))
        wait $! 2>/dev/null || true
        rm -f answers.csv
    done
    isinglass "${held[@]:0:${#held[@]}-1}" -o kill --resume >out
    [[ $(answers kill) == "$wanted" ]] || die "classify, killed run $run: $(diff <(answers kill) <(echo "$wanted"))"
    rm -rf kill answers.csv
done
echo "$kills runs of experts killed $hits times: the same answers"

# ---- stopped by a signal, and resumed as it says ----- -------------------------------------------
for pair in INT:130 TERM:143; do
    /usr/bin/python3 - "${pair%:*}" "${toy[@]}" -o 'a run' "${rich[@]}" >out 2>err <<'PYTHON' && status=0 || status=$?
import os, signal, subprocess, sys, time
# Not a job of the shell, which would have it ignore SIGINT.
process = subprocess.Popen(["isinglass", "train"] + sys.argv[2:],
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
while not os.path.exists("a run/checkpoint-1.npz"):
    time.sleep(0.001)
time.sleep(0.01)
process.send_signal(getattr(signal, "SIG" + sys.argv[1]))
sys.exit(process.wait())
PYTHON
    [[ $status -eq ${pair#*:} ]] || die "SIG${pair%:*}: exit $status: $(cat err)"
    line=$(sed -n 's/.*all saved; to go on: //p' err)
    [[ $line == "isinglass train --resume -o 'a run'" ]] || die "SIG${pair%:*}: $(cat err)"
    bash -c "$line" >out
    same "SIG${pair%:*}" 'a run' rich
    rm -rf 'a run'
done
echo "SIGINT and SIGTERM: exit 130 and 143, same bits"

# ---- one process at a time ----------------------------------------------------------------------
isinglass train "${toy[@]}" -o busy --epochs 1000000 >out 2>err &
first=$!
while [[ ! -e busy/checkpoint-1.npz ]]; do sleep 0.01; done
isinglass train --resume -o busy >out 2>err2 && status=0 || status=$?
[[ $status -eq 4 && $(cat err2) == *"process $first is at work in this directory" ]] ||
    die "a second process: exit $status: $(cat err2)"
kill -KILL $first
wait $first 2>/dev/null || true
[[ -e busy/run.lock ]] || die "no lock was left to be overlooked"
isinglass train --resume -o busy --epochs 1 --quiet >out # says that there are more already
[[ ! -e busy/run.lock ]] || die "the lock of a process that is gone is still there"

# ---- no room, no right to write: exit 4, nothing lost ---------------------------------------------
isinglass train "${toy[@]}" -o full "${rich[@]::${#rich[@]}-2}" --epochs 20 >out
cp -r full before
(
    trap '' XFSZ # then a file at its limit is an error like a full disk
    ulimit -f 2
    isinglass train --resume -o full --epochs 150 --quiet --save-every 0
) >out 2>err && status=0 || status=$?
[[ $status -eq 4 && $(cat err) == *"could not be written: File too large" ]] ||
    die "a full disk: exit $status: $(cat err)"
for file in checkpoint-1.npz checkpoint-2.npz; do
    cmp before/$file full/$file || die "a full disk changed $file"
done
isinglass train --resume -o full --quiet >out # run.json knows of the 150
same "a full disk" full rich

may_not=()
if [[ $(id -u) -eq 0 ]]; then # for whom permissions mean nothing, unless
    may_not=(setpriv --bounding-set='-dac_override,-dac_read_search')
fi
mkdir locked
cp -r before locked/run
chmod 555 locked locked/run
for refused in "${toy[*]} -o locked/new" "--resume -o locked/run --epochs 150"; do
    # shellcheck disable=SC2086
    "${may_not[@]}" isinglass train $refused >out 2>err && status=0 || status=$?
    [[ $status -eq 4 && $(cat err) == *": Permission denied" ]] ||
        die "$refused: exit $status: $(cat err)"
done
chmod 755 locked locked/run
isinglass train --resume -o locked/run --epochs 150 --quiet >out
same "a locked directory" locked/run rich
echo "busy, full and unwritable directories: refused, same bits"

# ---- threads and instruction sets ---------------------------------------------------------------
for threads in 2 3 7; do
    isinglass train "${toy[@]}" -o other "${short[@]}" --threads $threads >out
    same "$threads threads" other short
    rm -rf other
done
sets=0
for isa in $(isinglass info --json | /usr/bin/python3 -c \
    'import json,sys; print(*json.load(sys.stdin)["isa_known"])'); do
    isinglass info --isa "$isa" >out 2>err || continue # not on this machine
    isinglass train "${toy[@]}" -o other "${short[@]}" --isa "$isa" >out
    same "$isa" other short
    rm -rf other
    sets=$((sets + 1))
done
[[ $sets -ge 2 ]] || die "only $sets instruction sets"
echo "1, 2, 3, 7 threads and $sets instruction sets: same bits"

# ---- a long run: memory flat, no drift ------------------------------------------------------------
[[ -z $SANITIZE ]] || exit 0 # which keeps what was freed
/usr/bin/python3 - "${toy[@]}" <<'PYTHON'
import csv, resource, subprocess, sys
def peak(epochs):
    subprocess.run(["isinglass", "train", *sys.argv[1:], "-o", f"long-{epochs}", "--epochs", str(epochs), "--sweeps", "2"],
                   check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
short, long = peak(10), peak(1000) # the larger of both, the second time
t = [float(row["seconds"]) for row in csv.DictReader(open("long-1000/epochs.csv"))]
print(f"1000 epochs: {long - short} KiB more than 10; the halves took {t[500]:.3f} s and {t[1000] - t[500]:.3f} s")
sys.exit(long - short > 2048)
PYTHON
