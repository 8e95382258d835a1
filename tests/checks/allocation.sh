#!/bin/bash
# Every allocation of a verb fails in turn, alone and with all later ones: exit 5 or success, no partial
# output, no leak (under the address sanitizer), no file left behind.
set -eu
cd "$SCRATCH"
rm -rf ./*
/usr/bin/python3 - <<'PYTHON'
import gzip, struct
import numpy as np
x = np.arange(48, dtype=np.uint8).reshape(3, 4, 4) * 5
y = np.array([1, 0, 1], np.uint8)
open("labels.idx", "wb").write(struct.pack(">4BI", 0, 0, 8, 1, 3) + y.tobytes())
gzip.open("images.idx.gz", "wb").write(struct.pack(">4B3I", 0, 0, 8, 3, 3, 4, 4) + x.tobytes())
np.save("x.npy", np.asfortranarray(x))
np.savez_compressed("x.npz", X=x, y=np.array(["cat", "dog", "cat"]))
np.savetxt("x.csv", np.column_stack([y, x.reshape(3, 16)]), fmt="%d", delimiter=",")
open("x.mtx", "w").write("%%MatrixMarket matrix coordinate integer general\n3 16 2\n1 1 1\n3 16 1\n")
PYTHON
# Runs the verb with allocation $1 failing; sets `status`, which must be 0 or 5.
try_without() { # which, verb and arguments...
    local which=$1
    shift
    status=0
    rm -rf sheet.png model.npz run
    [[ ! -d started ]] || cp -r started run
    ISINGLASS_FAIL_ALLOCATION=$which "$ISINGLASS" "$@" >out 2>err || status=$?
    if [[ $status -ne 0 && ($status -ne 5 || -s out || $(wc -l <err) -ne 1) ]]; then
        echo "$*: allocation $which: exit $status: $(head -n 5 err)"
        exit 1
    fi
    if compgen -G '*.tmp' >left || compgen -G 'run/*.tmp' >left || compgen -G 'run/run.lock' >left; then
        echo "$*: allocation $which left $(cat left)"
        exit 1
    fi
}
stride=1
sweep() { # verb and arguments...
    local n total
    for ((total = 1; ; total += stride)); do
        try_without "$total+" "$@"
        [[ $status -ne 0 ]] || break
    done
    if [[ $total -lt 20 ]]; then
        echo "$*: only $total allocations, the sweep has not begun"
        exit 1
    fi
    for ((n = 1; n < total; n += stride)); do
        try_without "$n" "$@"
    done
    echo "$*: $((total - stride)) allocations"
}
sweep data info images.idx.gz --labels labels.idx --quiet # remarks would be second lines
sweep data info images.idx.gz --labels labels.idx --picture sheet.png --quiet
sweep data info x.npy --labels labels.idx --class 1 --json --quiet
sweep data info x.npz --limit 2
sweep data info x.csv --label-column 1
sweep data info x.mtx --json
"$ISINGLASS" patterns x.npz -o patterns.npz >out
sweep map patterns.npz -o model.npz --via sqrt --picture sheet.png --json
"$ISINGLASS" map patterns.npz -o rbm.npz >out
sweep sample rbm.npz -o model.npz --start x.npz --clamp 3 --count 5 --sweeps 4 --diagnose --json
sweep sample rbm.npz -o sheet.png --count 3 --sweeps 2
sweep recall patterns.npz x.npz --protocol attractor --committor --trajectories 2 -o recalled.csv --force --json
sweep recall patterns.npz --flip 0.1,0.5 --trials 2 -o recalled.csv --force
# Only some of them, since the library's are tried one by one by its own tests.
stride=11
export OMP_NUM_THREADS=1
sweep unmap rbm.npz -o model.npz --method enumerate --flip --json
sweep unmap rbm.npz -o model.npz --start random --restarts 2 --data x.npz
sweep train x.npz -o run --epochs 1 --batch 2 --sweeps 1 --shape 4x4 --picture sheet.png
"$ISINGLASS" train x.npz -o started --epochs 1 --batch 2 --sweeps 1 --pcd --quiet >out
sweep train --resume -o run --epochs 2 --quiet --json
rm -rf started
sweep classify x.npz x.npz -o run --per-class 1 --epochs 1 --batch 2 --sweeps 1 --picture sheet.png --json --quiet
"$ISINGLASS" classify x.npz x.npz -o started --per-class 1 --epochs 1 --batch 2 --sweeps 1 --quiet >out
sweep classify --resume -o run --epochs 2 --error-at 1 --quiet
sweep classify --model started/classifier.npz x.npz
sweep deepen rbm.npz x.npz -o d.npz --beta 1,2 --test x.npz --predictions p.csv --samples d.csv --count 2 --hold-out 0.5 --json --force --quiet
sweep deepen d.npz x.npz --samples d.png --force
