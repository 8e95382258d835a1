#!/bin/bash
# seeds.sh - writes seeds for every fuzz target to DIRECTORY/fuzz_NAME/
#
# SPDX-License-Identifier: MIT
set -eu
exec /usr/bin/python3 - "$1" <<'PYTHON'
import gzip, io, os, struct, sys, zipfile
import numpy as np

def put(target, name, data):
    folder = os.path.join(sys.argv[1], "fuzz_" + target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as f:
        f.write(data)

def idx(kind, dtype, array):
    return struct.pack(f">4B{array.ndim}I", 0, 0, kind, array.ndim, *array.shape) + array.astype(dtype).tobytes()

def npy(array, version=None):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version=version)
    return out.getvalue()

def npz(compression, **arrays):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as z:
        for name, array in arrays.items():
            z.writestr(name + ".npy", npy(array))
        z.writestr("meta.json", '{"version": "0.1.0"}')
    return out.getvalue()

digits = np.array([[[0, 3], [255, 1]], [[7, 0], [2, 9]], [[0, 0], [1, 1]]], np.uint8)
flat, y = digits.reshape(3, 4), np.array([1, 0, 1])
images = {"u1": idx(8, ">u1", digits), "f4": idx(13, ">f4", flat), "i2": idx(11, ">i2", digits)}
labels = idx(8, ">u1", y)
for name, data in images.items():
    put("idx", name, data)
    put("idx", name + ".gz", gzip.compress(data))
put("idx", "labels", labels)

arrays = {"c": flat, "fortran": np.asfortranarray(digits), "big": flat.astype(">i4"), "bool": flat > 2,
          "double": flat / 255, "text": np.array(["cat", "dog", "\u00e9"]), "bytes": np.array([b"a", b"bc"]),
          "scalar": np.float32(3), "empty": np.zeros((0, 4)), "four": np.zeros((1, 2, 1, 2), np.int8)}
for name, array in arrays.items():
    put("npy", name, npy(array))
put("npy", "version2", npy(flat, (2, 0)))
put("npy", "version3", npy(flat, (3, 0)))
archives = {"stored": npz(zipfile.ZIP_STORED, X=flat, y=y), "deflated": npz(zipfile.ZIP_DEFLATED, X=flat, y=y)}
out = io.BytesIO()
np.savez(out, X=digits, y=np.array(["cat", "dog", "cat"]))
archives["numpy"] = out.getvalue()
for name, data in archives.items():
    put("npz", name, data)

weights, xi = np.linspace(-1, 1, 8).reshape(4, 2), np.array([[1, 1], [1, -1], [-1, 1], [1, 1]], np.int8)
q, r = np.linalg.qr(xi)
signs = np.sign(np.diag(r))
mapped = {"W": q * signs, "R": (r.T * signs).T, "xi": xi, "beta": np.float64(2), "labels": np.array(["cat", "dog"])}
models = {"least": {"W": weights, "beta": np.float64(1)}, "mapped": mapped,
          "full": {**mapped, "b": np.arange(4.), "c": np.float32([1, 2])},
          "fortran": {"W": np.asfortranarray(weights.astype(np.float32)), "beta": np.array([0.5]), "R": np.ones((2, 3))}}
for name, arrays_of in models.items():
    put("model", name, npz(zipfile.ZIP_STORED, **arrays_of))
    put("model", name + "-deflated", npz(zipfile.ZIP_DEFLATED, **arrays_of))

least = {"W": np.linspace(-1, 1, 12).reshape(4, 3), "hidden": np.array([1, 2]), "is_hidden": np.array([0]),
         "classes": np.array([0, 1, 2]), "means": np.zeros(2), "scales": np.ones(2),
         "coefficients": np.ones((3, 2)), "intercepts": np.zeros(3)}
hidden = {**least, "is_hidden": np.array([1]), "means": np.zeros(3), "scales": np.ones(3), "coefficients": np.ones((3, 3)),
          "classes": np.array(["cat", "dog", "emu"])}
full = {**least, "b": np.ones((2, 4)), "c": np.ones(3, np.float32)}
for name, arrays_of in {"least": least, "hidden": hidden, "full": full}.items():
    put("classifier", name, npz(zipfile.ZIP_STORED, **arrays_of))
    put("classifier", name + "-deflated", npz(zipfile.ZIP_DEFLATED, **arrays_of))

tables = {"plain": b"1,0,1\n0,1,0\n", "headed": b"label,a,b\r\ncat,1,0\r\ndog,0.5,-1e3\r\n",
          "quoted": b'"1","0"\n"a ""b"", c",2\n', "grey": b"0,1,2,255\n3,4,5,6\n"}
for name, data in tables.items():  # the first byte: 1 gzip, 2 tabs
    put("csv", name, b"\0" + data)
    put("csv", name + ".gz", b"\1" + gzip.compress(data))
    put("csv", name + ".tsv", b"\2" + data.replace(b",", b"\t"))
head = b"%%MatrixMarket matrix "
matrices = {"coordinate": head + b"coordinate real general\n% c\n2 3 2\n1 2 5.5\n2 3 -1\n",
            "pattern": head + b"coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n",
            "array": head + b"array integer general\n2 2\n1\n0\n0\n1\n",
            "symmetric": head + b"array real symmetric\n2 2\n1\n0.5\n1\n"}
for name, data in matrices.items():
    put("matrix_market", name, data)

for name, text in {"meta": '{"version": "0.1.0", "seed": 18446744073709551615, "beta": 0.5}',
                   "nested": '{"a": [1, {"b": null}], "version": "\\u00e9\\n"}', "twice": '{"seed": 1, "seed": 2}'}.items():
    put("json", name, text.encode())

# The first bytes of these two choose the format, see fuzz_dataset.c and fuzz_labels.c.
everything = [(0, d) for d in images.values()] + [(1, gzip.compress(images["u1"]))]
everything += [(2, npy(a)) for a in arrays.values()] + [(3, a) for a in archives.values()]
everything += [(4, t) for t in tables.values()] + [(4 | 8, t) for t in tables.values()]
everything += [(4 | 24, tables["headed"]), (5, gzip.compress(tables["plain"]))]
everything += [(6, tables["plain"].replace(b",", b"\t"))] + [(7, m) for m in matrices.values()]
for k, (choice, data) in enumerate(everything):
    put("dataset", str(k), bytes([choice, 0]) + data)
    put("dataset", f"{k}-options", bytes([choice, 1 + 4 * (k % 16)]) + data)
for k, (choice, data) in enumerate([(0, labels), (1, npy(y)), (1, npy(arrays["text"])), (1, npy(y / 1)),
                                    (2, archives["stored"]), (3, b"kind\n1\n2\n1\n"), (3, b"a\nb\n"),
                                    (3 | 24, b"x,kind\n1,cat\n2,dog\n"), (4, b"1\n2\n"),
                                    (6, gzip.compress(labels)), (7, gzip.compress(b"1\n0\n"))]):
    put("labels", str(k), bytes([choice]) + data)
PYTHON
