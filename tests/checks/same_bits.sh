#!/bin/bash
# The same 500 digits in every format give the same spins.
set -eu
: "${ISINGLASS_DATA:?must name a data directory with MNIST, see CONTRIBUTING.md}"
cd "$SCRATCH"
rm -rf formats && mkdir formats
/usr/bin/python3 - "$ISINGLASS_DATA/mnist/train-images-idx3-ubyte" \
    "$ISINGLASS_DATA/mnist/train-labels-idx1-ubyte" <<'PYTHON'
import gzip, struct, sys
import numpy as np
n = 500
x = np.frombuffer(open(sys.argv[1], "rb").read(), np.uint8, offset=16)[: n * 784].reshape(n, 28, 28)
y = np.frombuffer(open(sys.argv[2], "rb").read(), np.uint8, offset=8)[:n]
flat = x.reshape(n, 784)
def put(name, data):
    with (gzip.open if name.endswith(".gz") else open)("formats/" + name, "wb") as f:
        f.write(data)
images = struct.pack(">4B3I", 0, 0, 8, 3, n, 28, 28) + x.tobytes()
put("plain.idx", images)
put("packed.idx.gz", images)
put("labels.idx", struct.pack(">4BI", 0, 0, 8, 1, n) + y.tobytes())
np.save("formats/c.npy", x)
np.save("formats/flat.npy", flat)
np.save("formats/fortran.npy", np.asfortranarray(x))
np.save("formats/fortran-flat.npy", np.asfortranarray(flat))
for name, kind in [("big-endian", ">i4"), ("big-endian-double", ">f8"), ("int64", "<i8"),
                   ("uint16", "<u2"), ("float32", "<f4")]:
    np.save(f"formats/{name}.npy", flat.astype(kind))
np.save("formats/fortran-big-endian.npy", np.asfortranarray(x.astype(">i2")))
np.save("formats/bool.npy", flat > 2)
np.save("formats/spins.npy", np.where(x > 2, 1, -1).astype(np.int8))
np.save("formats/unit.npy", (x / 255).astype(np.float32))
np.savez("formats/plain.npz", X=x, y=y)
np.savez_compressed("formats/packed.npz", X=np.asfortranarray(flat.astype(np.int64)), y=y.astype("U"))
with gzip.open("formats/c.npy.gz", "wb") as f:
    np.save(f, x)
def table(separator):
    rows = [separator.join(["label"] + [f"p{i}" for i in range(784)])]
    rows += [separator.join([str(label)] + [str(v) for v in row]) for label, row in zip(y, flat)]
    return ("\n".join(rows) + "\n").encode()
put("headed.csv", table(","))
put("headed.csv.gz", table(","))
put("headed.tsv", table("\t"))
put("quoted.csv", b"\r\n".join(b",".join(b'"%d"' % v for v in row) for row in flat))
np.savetxt("formats/savetxt.csv", flat, delimiter=",")
banner = "%%MatrixMarket matrix "
entries = [f"{a + 1} {i + 1} {flat[a, i]}\n" for a, i in zip(*np.nonzero(flat))]
put("sparse.mtx", (banner + f"coordinate integer general\n% digits\n{n} 784 {len(entries)}\n" + "".join(entries)).encode())
put("dense.mtx.gz", (banner + f"array real general\n{n} 784\n" + "".join(f"{v:.1f}\n" for v in flat.T.flat)).encode())
ones = [f"{a + 1} {i + 1}\n" for a, i in zip(*np.nonzero(flat > 2))]
put("pattern.mtx", (banner + f"coordinate pattern general\n{n} 784 {len(ones)}\n" + "".join(ones)).encode())
PYTHON
expected=$("$ISINGLASS" data info mnist:train --limit 500 --json |
    /usr/bin/python3 -c 'import json,sys; d = json.load(sys.stdin); print(d["bits_sha256"], [c["count"] for c in d["classes"]])')
echo "mnist:train --limit 500: $expected"
failed=0 count=0
for file in formats/*; do
    options=()
    case $file in
    */labels.idx) continue ;;
    *headed*) options=(--label-column label) ;;
    *.npz) ;;
    *) options=(--labels formats/labels.idx) ;;
    esac
    case $file in # the others hold images, or are 0 and 1 already
    *flat* | *big-endian.npy | *big-endian-double* | *int64* | *uint16* | *float32* | *packed.npz | *.csv* | *.tsv | */sparse.mtx | */dense.mtx.gz)
        options+=(--scale 255) ;;
    esac
    found=$("$ISINGLASS" data info "$file" "${options[@]}" --quiet --json |
        /usr/bin/python3 -c 'import json,sys; d = json.load(sys.stdin); print(d["bits_sha256"], [c["count"] for c in d["classes"]])')
    count=$((count + 1))
    if [ "$found" != "$expected" ]; then
        echo "$file: $found"
        failed=1
    fi
done
echo "$count files compared"
[ "$count" -ge 24 ] && exit $failed
