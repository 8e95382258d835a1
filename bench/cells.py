#!/usr/bin/python3
# cells.py - synthetic single cells: sparse counts of several types with marker genes
#
# SPDX-License-Identifier: MIT
#
#   bench/cells.py OUT.mtx|OUT.npz LABELS.txt [--cells M] [--genes N] [--types K] [--share R] [--seed S]
#
# A .mtx is cells x genes, a .npz is as scipy.sparse.save_npz writes it. Genes are on in 0.2 to 20 % of
# the cells, in about 5 % on average, with counts from 1 up; every type has 2 % of the genes as markers, on
# in 60 %. A cell is deeper or shallower than another by a factor of up to two, as real ones are.
# Cells are in no order of types; type 0 has a share R of them [1/K]. The same options give the same file.
import argparse
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("out")
parser.add_argument("labels")
parser.add_argument("--cells", type=int, default=100000)
parser.add_argument("--genes", type=int, default=20000)
parser.add_argument("--types", type=int, default=8)
parser.add_argument("--share", type=float, default=0, help="of type 0")
parser.add_argument("--seed", type=int, default=1)
o = parser.parse_args()

rng = np.random.Generator(np.random.Philox(o.seed))
first = o.share or 1 / o.types
shares = np.full(o.types, (1 - first) / max(o.types - 1, 1))
shares[0] = first if o.types > 1 else 1
on = np.tile(np.exp(rng.uniform(np.log(0.002), np.log(0.2), o.genes)) * 0.85, (o.types, 1)).astype(np.float32)
for k in range(o.types):
    on[k, rng.choice(o.genes, max(o.genes // 50, 1), replace=False)] = 0.6
types = rng.choice(o.types, o.cells, p=shares)
with open(o.labels, "w") as f:
    f.writelines(f"type{t}\n" for t in types)


def blocks(size=500):
    """The entries of some cells at a time, by row and column: (row, column, count)."""
    for start in range(0, o.cells, size):
        t = types[start:start + size]
        depth = rng.uniform(0.6, 1.2, len(t)).astype(np.float32)
        row, column = np.nonzero(rng.random((len(t), o.genes), np.float32) < on[t] * depth[:, None])
        yield row + start, column, np.minimum(rng.geometric(0.6, len(row)), 99)


def lines(row, column, count):
    """The text of the entries; digits are found for all at once, and zero bytes dropped at the end."""
    parts = []
    for values, end in ((row + 1, " "), (column + 1, " "), (count, "\n")):
        width = len(str(values.max()))
        text = np.zeros((len(values), width + 1), np.uint8)
        rest = values.astype(np.uint32)
        for k in range(width - 1, -1, -1):
            rest, digit = np.divmod(rest, np.uint32(10))
            text[:, k] = np.where((digit > 0) | (rest > 0), digit + 48, 0)
        text[:, width] = ord(end)
        parts.append(text)
    text = np.concatenate(parts, axis=1).ravel()
    return text[text != 0].tobytes()


if o.out.endswith(".npz"):
    import scipy.sparse
    rows, columns, counts = zip(*((r.astype(np.int32), c.astype(np.int32), v.astype(np.uint8)) for r, c, v in blocks()))
    start = np.concatenate([[0], np.cumsum(np.bincount(np.concatenate(rows), minlength=o.cells))])
    x = scipy.sparse.csr_matrix((np.concatenate(counts), np.concatenate(columns), start), (o.cells, o.genes))
    scipy.sparse.save_npz(o.out, x, compressed=False)
else:
    total = 0
    with open(o.out, "wb") as f:
        head = "%%MatrixMarket matrix coordinate integer general\n{} {} {:<12}\n"
        f.write(head.format(o.cells, o.genes, 0).encode())
        for row, column, count in blocks():
            f.write(lines(row, column, count))
            total += len(row)
        f.seek(0)
        f.write(head.format(o.cells, o.genes, total).encode())
