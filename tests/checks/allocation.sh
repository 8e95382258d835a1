#!/bin/bash
# Every allocation of `data info` fails in turn: exit 5 or success, nothing printed by halves, no
# leak (under the address sanitizer), no file left behind.
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
sweep() {
    local n mark status
    for mark in '' +; do
        for ((n = 1; ; n++)); do
            status=0
            rm -f sheet.png
            ISINGLASS_FAIL_ALLOCATION=$n$mark "$ISINGLASS" data info "$@" >out 2>err || status=$?
            [[ $status -ne 0 ]] || break
            if [[ $status -ne 5 || -s out || $(wc -l <err) -ne 1 ]]; then
                echo "data info $*: allocation $n$mark: exit $status: $(head -n 5 err)"
                exit 1
            fi
            if compgen -G '*.tmp' >left; then
                echo "data info $*: allocation $n$mark left $(cat left)"
                exit 1
            fi
        done
        if [[ $n -lt 20 ]]; then
            echo "data info $*: only $n allocations, the sweep has not begun"
            exit 1
        fi
        echo "data info $*: $((n - 1)) allocations$mark"
    done
}
sweep images.idx.gz --labels labels.idx
sweep images.idx.gz --labels labels.idx --sheet sheet.png
sweep x.npy --labels labels.idx --class 1 --json
sweep x.npz --limit 2
sweep x.csv --label-column 1
sweep x.mtx --json
