#!/bin/bash
# seeds.sh - writes seeds for every fuzz target to DIRECTORY/fuzz_NAME/, and to DIRECTORY/fuzz_NAME.dict
# words for libFuzzer to put in
#
# SPDX-License-Identifier: MIT
#
#   seeds.sh DIRECTORY PROGRAM
#
# PROGRAM is make_seeds.c, which makes seeds with the library's own writers.
set -eu
rm -rf "$1"
for target in "$(dirname "$0")"/fuzz_*.c; do
    mkdir -p "$1/$(basename "$target" .c)"
done
"$2" "$1"
rm -rf "$1/small_run"
exec /usr/bin/python3 - "$1" <<'PYTHON'
import gzip, io, json, os, struct, sys, zipfile
import numpy as np

def put(target, name, data):
    with open(os.path.join(sys.argv[1], "fuzz_" + target, name), "wb") as f:
        f.write(data)

def words(target, *them):
    with open(os.path.join(sys.argv[1], f"fuzz_{target}.dict"), "w") as f:
        for word in them:
            f.write('"' + "".join(f"\\x{byte:02x}" for byte in word.encode()) + '"\n')

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
          "double": flat / 255, "half": flat.astype(np.float16), "text": np.array(["cat", "dog", "\u00e9"]), "bytes": np.array([b"a", b"bc"]),
          "scalar": np.float32(3), "empty": np.zeros((0, 4)), "four": np.zeros((1, 2, 1, 2), np.int8)}
for name, array in arrays.items():
    put("npy", name, npy(array))
put("npy", "version2", npy(flat, (2, 0)))
put("npy", "version3", npy(flat, (3, 0)))
archives = {"stored": npz(zipfile.ZIP_STORED, X=flat, y=y), "deflated": npz(zipfile.ZIP_DEFLATED, X=flat, y=y)}
out = io.BytesIO()
np.savez(out, X=digits, y=np.array(["cat", "dog", "cat"]))
archives["numpy"] = out.getvalue()
out = io.BytesIO()
np.savez(out, X=flat, y=y, units=np.array(list("abca")), ids=np.array(["x1", "x2", "x3"]))
archives["named"] = out.getvalue()
# as scipy.sparse.save_npz writes them
index, start, kept = np.array([1, 2, 3, 0, 2]), np.array([0, 3, 5, 5]), np.array([3., 255, 1, 7, 2])
shape = np.array([3, 4])
for kind in ("csr", "bsr"):
    archives[kind] = npz(zipfile.ZIP_DEFLATED, indices=index, indptr=start, format=np.bytes_(kind), shape=shape, data=kept)
archives["csc"] = npz(zipfile.ZIP_STORED, indices=np.array([1, 0, 0, 1, 0], np.int32), indptr=np.array([0, 1, 2, 4, 5], np.int32),
                      format=np.bytes_("csc"), shape=shape, data=kept.astype(np.float16))
archives["coo"] = npz(zipfile.ZIP_STORED, row=np.array([0, 0, 0, 1, 1], np.int32), col=index, format=np.bytes_("coo"), shape=shape, data=kept)
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

patterns = {"numbers": {"xi": xi, "labels": np.array([7, -1])}, "texts": {"xi": xi.astype(float), "labels": np.array(["cat", "d\u00e9g"])},
            "bare": {"xi": np.asfortranarray(xi)}, "long": {"xi": np.ones((70, 1), np.int64), "labels": np.array([b"x"])}}
for name, arrays_of in patterns.items():
    put("patterns", name, npz(zipfile.ZIP_STORED, **arrays_of))
    put("patterns", name + "-deflated", npz(zipfile.ZIP_DEFLATED, **arrays_of))

least = {"W": np.linspace(-1, 1, 12).reshape(4, 3), "hidden": np.array([1, 2]), "is_hidden": np.array([0]),
         "classes": np.array([0, 1, 2]), "means": np.zeros(2), "scales": np.ones(2),
         "coefficients": np.ones((3, 2)), "intercepts": np.zeros(3)}
hidden = {**least, "is_hidden": np.array([1]), "means": np.zeros(3), "scales": np.ones(3), "coefficients": np.ones((3, 3)),
          "classes": np.array(["cat", "dog", "emu"])}
squares = {**hidden, "is_hidden": np.array([2])}
full = {**least, "b": np.ones((2, 4)), "c": np.ones(3, np.float32)}
for name, arrays_of in {"least": least, "hidden": hidden, "squares": squares, "full": full}.items():
    put("classifier", name, npz(zipfile.ZIP_STORED, **arrays_of))
    put("classifier", name + "-deflated", npz(zipfile.ZIP_DEFLATED, **arrays_of))

least = {**models["least"], "classes": np.array([0, 1, 2]), "shares": np.array([0.5, 0.25, 0.25]), "means": np.arange(6.).reshape(3, 2),
         "covariances": np.array([np.eye(2), [[2, 1], [1, 2]], np.zeros((2, 2))]), "top": np.array([1., 0, 0])}
full = {**least, **models["full"], "classes": np.array(["cat", "dog", "emu"]), "top": np.array([2, 0.5, 1])}
one = {**least, "classes": np.array(["all"]), "shares": np.ones(1), "means": np.zeros((1, 2)), "covariances": np.ones((1, 2, 2))}
for name, arrays_of in {"least": least, "full": full, "one": one}.items():
    put("deep", name, npz(zipfile.ZIP_STORED, **arrays_of))
    put("deep", name + "-deflated", npz(zipfile.ZIP_DEFLATED, **arrays_of))

tables = {"plain": b"1,0,1\n0,1,0\n", "headed": b"label,a,b\r\ncat,1,0\r\ndog,0.5,-1e3\r\n",
          "quoted": b'"1","0"\n"a ""b"", c",2\n', "grey": b"0,1,2,255\n3,4,5,6\n"}
for name, data in tables.items():  # the first byte: 1 gzip, 2 tabs
    put("csv", name, b"\0" + data)
    put("csv", name + ".gz", b"\1" + gzip.compress(data))
    put("csv", name + ".tsv", b"\2" + data.replace(b",", b"\t"))
    put("csv", name + ".semicolons", b"\4" + data.replace(b",", b";"))
relations = {"dense": b"%% c\n@relation 'r'\n@ATTRIBUTE a numeric\n@attribute 'b c' {y, 'n o'}\n@attribute s string\n"
                      b"@attribute d date 'yyyy'\n@data\n1, ?, \"it\\'s\", 1999\n-2e3 y 'x' ? % c\n",
             "sparse": b"@attribute a{n,y}\r\n@attribute b real\r\n@attribute class {e,p}\r\n@data\r\n{0 y, 2 p}\r\n{}\r\n{1 0.5}\r\n"}
for name, data in relations.items():
    put("arff", name, data)
    put("arff", name + ".gz", gzip.compress(data))
head = b"%%MatrixMarket matrix "
matrices = {"coordinate": head + b"coordinate real general\n% c\n2 3 2\n1 2 5.5\n2 3 -1\n",
            "pattern": head + b"coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n",
            "array": head + b"array integer general\n2 2\n1\n0\n0\n1\n",
            "symmetric": head + b"array real symmetric\n2 2\n1\n0.5\n1\n"}
for name, data in matrices.items():
    put("matrix_market", name, data)

ranger = b'%metadata_json: {"software_version": "cellranger-6.0.0", "format_version": 2}\n'
matrices["cells"] = head + b"coordinate integer general\n" + ranger + b"3 2 3\n1 1 4\n3 1 1\n2 2 255\n"
put("matrix_market", "cells", matrices["cells"])
put("cells", "new", matrices["cells"] + b"\fg1\tA\tGene Expression\ng2\tB\tx\ng3\tA\n\fAAC-1\nAAG-1\n")
put("cells", "old", matrices["cells"] + b"\fg1\ng2\t\ng3\tB\r\n\fAAC-1\nAAG-1")
words("cells", "\f", "\t", "\n", "\r\n", "%%MatrixMarket matrix ", "coordinate integer general", "3 2 3", "1 1", "%metadata_json:")

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
                                    (6, gzip.compress(labels)), (7, gzip.compress(b"1\n0\n")),
                                    (3 | 32, b"cat,a\n1,b\n"), (3 | 32, b",kind\n1,a\ncat,\n"), (4 | 32, b"kind\n1\ta\ncat\tNA\n")]):
    put("labels", str(k), bytes([choice]) + data)

# The first two bytes choose the format and the options, see fuzz_table.c.
named = [b",a,b,c\nx,1,0,1\ny,0,NA,1\n", b"a\tb\nx\t1\t0\ny\t0\t1\n", b"id,label,a,b\nx,u,red,yes\ny,v,blue,no\nz,,red,?\n",
         b"a;b\n1;0\n0;1\n", b"label,a,a=u\np,u,1\ne,v,0\n", b"1,yes,0\n0,no,nan\n", b"a,b\n1,True\n2,False\n"]
for k, (choice, data) in enumerate([(1, d) for d in named] + [(2, named[1])] + [(4, d) for d in relations.values()]):
    for options in (0, 1, 2, 1 | 12, 2 | 12, 1 | 8 | 16, 128 | 12, 64 | 12):
        put("table", f"{k}-{options}", bytes([choice | (24 if options & 16 else 0), options]) + data)
words("table", ",", ";", "\t", "\n", "NA", "?", "yes", "no", "true", "=", "id", "label", '"', "@attribute ", "@data", "{0 1}", "numeric", "{y,n}")

# The first byte chooses what is read, see fuzz_cli_numbers.c.
for choice, texts in enumerate([["0", "-1.5e-3", ".5", "18446744073709551615", "1e308", "4.9e-324", " 7", "0x1p3", "nan"],
                                ["0.5:10:20", "1,2,4", "-1", "0:1e6:2"], ["1:10:4", "0.1,1e-5"], ["0,1,5", "1000"],
                                ["2", "2,20@19", "1,2@1,3@999"], ["1e-4", "5e-4,1e-4@25", "0.1,0.3@1,1e-9@18446744073709551615"],
                                ["0:35,40", "69", "0:70", "1:2,1:3"]]):
    for k, text in enumerate(texts):
        put("cli_numbers", f"{choice}-{k}", bytes([choice]) + text.encode())
words("hdf5", "TREE\x00", "TREE\x01", "SNOD", "HEAP", "GCOL", "\x10\x00\x10\x00", "encoding-type", "shape")
words("cli_numbers", ":", ",", "@", "e-", "1e", "inf", "0x", "18446744073709551615", "1e308", "999")

lines = ["train mnist:train -o run", "train --resume -o run --epochs 50 --quiet", "data get mnist", "data info x.csv --label-column=-1",
         "classify a b --per-class 2 --seed 18446744073709551615", "sample -- -x", "map x.npz -o y --json", "score x y --betas 1:2:3",
         "recall x --bits 1", "trian", "data", "--help", "-h train", "info --threads=2 m", "patterns mnist:train -o p.npz --method class-mean"]
for k, line in enumerate(lines):
    put("cli_options", str(k), line.replace(" ", "\n").encode())
words("cli_options", *sorted({word for line in lines for word in line.split()}), "\n--", "\n-", "=", "'")

train = {"epochs": 10, "batch": 100, "rate": "1e-4", "beta": 2.0, "pcd": False, "labels": None, "init": "hopfield", "hidden": 10}
for choice, options in [(0, train), (2, {"batch": 50}), (1, {**train, "per-class": 3, "fields": True}), (3, {"batch": 51})]:
    text = json.dumps({"verb": "train", "version": "0.1.0", "seed": "1", "options": options})
    put("cli_settings", str(choice), bytes([choice]) + text.encode())
words("cli_settings", "true", "false", "null", '"options"', '"checksum"', '"', "{", "}", ":", ",", "1e308", "18446744073709551615",
      *(f'"{key}"' for key in train))
for k in range(0, 256, 16):  # a claim each, and changes to the numbers behind it, see fuzz_cli_pieces.c
    put("cli_pieces", str(k), bytes([k, 0, 0, 0, 1, 2, 1, k, 3, 4, 2, 0, k, 1, 5]) + b"experts k=1 pca run=1 epoch=2")
words("cli_pieces", "fig2 k=", " beta=", " ais", "fig4 p=", " run=", " epoch=", "experts k=", "hopfield", "normal", "1e300", "nan", "-1")

figure = {"name": "fig2", "title": "t", "caption": "<b>", "command": "isinglass", "seconds": 3700, "seed": "1",
          "parameters": {"k": [1, 2], "x": {"y": None}, "z": True}, "files": [{"name": "fig2.csv", "what": "n"}, {"name": "fig2.svg", "what": "p"}]}
for choice, document in enumerate([{"version": "0", "scale": "paper", "seed": "1", "train_sha256": "a<b", "test_sha256": "&"},
                                   figure]):  # the first byte chooses the file, see fuzz_cli_report.c
    put("cli_report", str(choice), bytes([choice]) + json.dumps(document).encode())
words("cli_report", "fig3", "<p>", "</p>", "&lt;", "null", "..", "/", "figure.json")

# The first byte chooses the converter, see fuzz_cli_convert.c. R's files: words of 32 bits, the highest byte first.
def r(*parts):
    return b"".join(p.encode() if isinstance(p, str) else struct.pack(">d", p) if isinstance(p, float) else struct.pack(">I", p) for p in parts)
def text(t): return r(9, len(t), t)
def texts(*ts): return r(16, len(ts)) + b"".join(map(text, ts))
def tag(name): return r(1026, 1) + text(name)
def ints(flags, *v): return r(13 | flags, len(v), *v)
def factor(levels, *codes): return ints(512, *codes) + tag("levels") + texts(*levels) + r(254)
def matrix(rows, cols, *v):
    return r(14 | 512, len(v), *v) + tag("dim") + ints(0, len(rows), len(cols)) + tag("dimnames") + r(19, 2) + texts(*rows) + texts(*cols) + r(254)
def named(names, *values): return r(19 | 512, len(values)) + b"".join(values) + tag("names") + texts(*names) + r(254)
def slots(**v): return r(25 | 512) + b"".join(tag(k) + d for k, d in v.items()) + r(254)
rda, rds = b"RDX2\nX\n" + r(2, 0, 0), b"X\n" + r(3, 0, 0, 5, "UTF-8")
frame = named(["Class", "V1", "class"], factor(["a", "b"], 1, 2), factor(["0", "1"], 2, 1), factor(["x"], 1, 2147483648))
expression = slots(phenoData=slots(data=named(["BT", "mol.biol"], factor(["B1"], 1, 1), factor(["NEG"], 1, 1))),
                   assayData=r(4, 0, 253) + tag("exprs") + matrix(["g"], ["p", "q"], 1.5, 2.5) + r(254, 254, 254))
sparse = slots(i=ints(0, 0), p=ints(0, 0, 1), Dim=ints(0, 2, 1), Dimnames=r(19, 2) + texts("g", "h") + texts("c"), x=r(14, 1, 3.0))
code = r(21, 1) + ints(0, 12) + r(1, 244, 0, 6, 254, 1, 1) + text("f") + r(254, 254)
seurat = slots(code=code, assays=named(["RNA"], slots(data=sparse)), **{"active.ident": factor(["NK"], 1)})
for k, data in enumerate([rda + tag("DNA") + frame + r(254), rda + tag("ALL") + expression + r(254), rds + seurat,
                          rds + named(["x", "y"], matrix(["s"], ["g", "h"], 0.5, 1.0), factor(["t"], 1)),
                          rds + named(["votes", "legis.data"], matrix(["s"], ["1", "2"], 1.0, 6.0), named(["party"], factor(["R"], 1))),
                          rda + tag("Mushroom") + frame + r(254), b"@relation v\n@attribute a {n,y}\n@attribute c {d,r}\n@data\ny,d\n?,r\n",
                          b"@relation v\n@attribute a {t}\n@attribute c {d,r}\n@data\nt,d\n?,r\n", b"4E00:" + b"8001" * 16 + b"\n0041:" + b"81" * 16 + b"\n",
                          b"Hugo_Symbol\tx\tTumor_Sample_Barcode\nTP53\t\tA_LUNG\nKRAS\t1\tB_SKIN\n",
                          b"package/data/spam-1/1.txt".ljust(124, b"\0") + b"000031 ".ljust(32, b"\0") + b"0" + bytes(355) + b"Subject: a b\n\nhello hello\n"]):
    put("cli_convert", str(k), bytes([k]) + data)
words("cli_convert", "levels", "names", "dim", "dimnames", "X\n", "RDX2\n", "Subject:", ".txt", "package/data/", "@data", "\t")

words("json", "true", "null", '"version"', '"seed"', '"beta"', '"":', "\\u", "1e308", "9223372036854775807")
words("arff", "@relation", "@attribute ", "@data\n", "numeric", "string", "date", "{", "}", "{0 1, 2 y}", "?", "'", '"', "\\'", "%", ",", "\n")
words("csv", '"', '""', ",", "\t", "\r\n", "\n\n", "\ufeff", "1e308", "nan", ";")
words("matrix_market", "%%MatrixMarket matrix ", "coordinate", "array", "real", "integer", "pattern", "complex", "general", "symmetric",
      "skew-symmetric", "hermitian", "\n", "%", "1 1", "18446744073709551615")
for target in ("npy", "npz", "dataset", "labels"):
    words(target, "'descr'", "'fortran_order'", "'shape'", "True", "False", "(2, 2)", "(), }", "<f8", "|b1", "<U2", "|S3", ">i4", "<u8",
          "X.npy", "y.npy", "%%MatrixMarket", "label", "kind", "indptr.npy", "indices.npy", "format.npy", "csr", "csc", "coo", "units.npy")
for target in ("model", "patterns", "classifier", "deep", "training", "experts", "tuner", "checkpoint"):
    words(target, "W.npy", "b.npy", "c.npy", "R.npy", "xi.npy", "labels.npy", "beta.npy", "meta.json", "chains.npy", "training.json",
          "saves.npy", "seconds.npy", "epochs.npy", "expert-0.", "expert-1.", "tuner.json", "tuning.json", "first.W.npy", "second.W.npy", '"wrong"', '"loss_sum"',  "means.npy", "covariances.npy", "top.npy", '"updates"', '"epochs"', '"batch"', '"wrong_spins"',
          '"version"', '"image_height"', '"image_width"', "<f8", "(2, 2)", "True")
PYTHON
