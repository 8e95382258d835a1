"""One set of cells as 10x directories and .h5 files, AnnData, Matrix Market, tables, scipy.sparse and
NumPy files, with and without names: one checksum of the spins, the same patterns, unit names and classes. Run by cells.sh.
"""
import gzip, json, os, shutil, subprocess, sys, warnings
import anndata, h5py, pandas
import numpy as np
from scipy import sparse

program = os.environ["ISINGLASS"]
work = os.path.join(os.environ["SCRATCH"], "cells")
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)

M, N = 40, 30
random = np.random.RandomState(19)
kinds = np.array(["B cell", "NK", "monocyte"])[random.randint(3, size=M)]
rates = {kind: random.gamma(0.5, 1.5, N) for kind in np.unique(kinds)}
X = np.array([random.poisson(rates[kind]) for kind in kinds])
X[:, 4] = 0      # a gene that nobody has
X[7, 3] = 255    # a count, no grey level
genes = [f"G{i % 27}" for i in range(N)]  # three names twice
units = genes[:27] + ["G0-1", "G1-1", "G2-1"]
barcodes = [f"{'ACGT'[k % 4]}{'ACGT'[k // 4 % 4]}{'ACGT'[k // 16]}TTG-1" for k in range(M)]


# ---- files ----------------------------------------------------------------------------------------

def put(name, text):
    with (gzip.open if name.endswith(".gz") else open)(name, "wb") as f:
        f.write(text.encode())

def matrix_market(x, comment="%"):
    entries = [f"{i + 1} {j + 1} {x[i, j]}" for j in range(x.shape[1]) for i in np.nonzero(x[:, j])[0]]
    return "\n".join(["%%MatrixMarket matrix coordinate integer general", comment,
                      f"{x.shape[0]} {x.shape[1]} {len(entries)}", *entries, ""])

def directory(name, old, packed):
    """As Cell Ranger 2 (old) and 3 write it."""
    os.makedirs(name)
    gz = ".gz" if packed else ""
    put(f"{name}/matrix.mtx{gz}", matrix_market(X.T, "%" if old else '%metadata_json: {"format_version": 2}'))
    put(f"{name}/barcodes.tsv{gz}", "".join(code + "\n" for code in barcodes))
    put(f"{name}/{'genes' if old else 'features'}.tsv{gz}",
        "".join(f"ENSG{i:05}\t{gene}" + ("" if old else "\tGene Expression") + "\n" for i, gene in enumerate(genes)))

def compressed(x, form):
    """The arrays of scipy.sparse.save_npz."""
    lines = x if form == "csr" else x.T
    row, col = np.nonzero(lines)
    arrays = {"shape": np.array(x.shape), "format": np.bytes_(form), "data": lines[row, col].astype(np.float32)}
    if form == "coo":
        return {**arrays, "row": col.astype(np.int32), "col": row.astype(np.int32)}
    return {**arrays, "indices": col.astype(np.int32), "indptr": np.searchsorted(row, np.arange(len(lines) + 1)).astype(np.int32)}

names = {"units": np.array(genes), "ids": np.array(barcodes), "y": kinds}
np.save("kinds.npy", kinds[:, None])  # a column, in the order of the cells
put("kinds.csv", "barcode,kind\n" + "".join(f"{barcodes[k]},{kinds[k]}\n" for k in random.permutation(M)))
by_id = "--labels kinds.csv --label-column kind"  # in another order
forms = []  # file, options, whether it knows the names of the genes
for old in (False, True):
    for packed in (False, True):
        name = f"{'old' if old else 'new'}{'-gz' if packed else ''}"
        directory(name, old, packed)
        forms.append((name, by_id, True))
forms += [("new/matrix.mtx", by_id, True), ("old-gz/matrix.mtx.gz", "--labels kinds.npy", True)]
put("cells.mtx", matrix_market(X))
put("genes.mtx.gz", matrix_market(X.T))
forms += [("cells.mtx", "--labels kinds.npy", False), ("genes.mtx.gz", "--transpose --labels kinds.npy", False)]
for form in ("csr", "csc", "coo"):
    np.savez(f"{form}.npz", **compressed(X, form))
    np.savez_compressed(f"{form}-turned.npz", **compressed(X.T, form), **names)
    forms += [(f"{form}.npz", "--labels kinds.npy", False), (f"{form}-turned.npz", "--transpose", True)]
np.savez("dense.npz", X=X, **names)
np.savez_compressed("turned.npz", X=X.T.astype(np.float16), **names)
np.save("float16.npy", np.asfortranarray(X.astype(np.float16)))
np.save("bool.npy", X > 0)
forms += [("dense.npz", "", True), ("turned.npz", "--transpose", True),
          ("float16.npy", "--labels kinds.npy", False), ("bool.npy", "--labels kinds.npy", False)]

with warnings.catch_warnings():  # anndata remarks on names that occur twice
    warnings.simplefilter("ignore")
    for form, x in {"dense": X.astype("f4"), "csr": sparse.csr_matrix(X), "csc": sparse.csc_matrix(X)}.items():
        obs = pandas.DataFrame({"kind": pandas.Categorical(kinds)}, index=barcodes)
        anndata.AnnData(x, obs=obs, var=pandas.DataFrame(index=genes)).write_h5ad(f"{form}.h5ad")
        forms.append((f"{form}.h5ad", "--label-column kind", True))
for old in (False, True):
    name = f"{'old' if old else 'new'}.h5"
    with h5py.File(name, "w") as f:
        group = f.create_group("GRCh38" if old else "matrix")
        arrays = compressed(X.T, "csc")
        for key in ("data", "indices", "indptr", "shape"):
            group[key] = arrays[key].astype(np.int64)
        group["barcodes"] = np.array(barcodes, "S")
        group["gene_names" if old else "features/name"] = np.array(genes, "S")
        group["genes" if old else "features/id"] = np.array([f"ENSG{i:05}" for i in range(N)], "S")
    forms.append((name, by_id, True))
put("cells.csv", ",".join(["", *units, "kind"]) + "\n" + "".join(
    ",".join(map(str, [barcodes[k], *X[k], kinds[k]])) + "\n" for k in range(M)))
put("genes.tsv.gz", "\t".join(["", *barcodes]) + "\n" + "".join(
    "\t".join(map(str, [units[i], *X[:, i]])) + "\n" for i in range(N)))
forms += [("cells.csv", "--label-column kind", True), ("genes.tsv.gz", "--transpose " + by_id, True)]


# ---- what the program makes of them ---------------------------------------------------------------

def run(*arguments):
    done = subprocess.run([program, *arguments, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments)}: {done.stderr}")
    return json.loads(done.stdout)

def wrong(what, name, options, expected, found):
    sys.exit(f"{name} {options}: {what}: expected {expected}, found {found}")

first = mean = None
for name, options, is_named in forms:
    options = options.split()
    info = run("data", "info", name, *options)
    run("patterns", name, *options, "-o", "p.npz", "--force")
    p = np.load("p.npz")
    spins = {key: value for key, value in info.items() if key in ("samples", "n_visible", "classes", "bits_sha256")}
    first = first or spins
    if spins != first:
        wrong("data info", name, options, first, spins)
    if info["joined_by_id"] != ("kinds.csv" in options):
        wrong("labels joined by id", name, options, "kinds.csv" in options, info["joined_by_id"])
    if list(p["labels"]) != sorted(set(kinds)):
        wrong("classes", name, options, sorted(set(kinds)), list(p["labels"]))
    up = np.array([2 * (X[kinds == kind] > 0).sum(0) > (kinds == kind).sum() for kind in p["labels"]]).T
    if (p["xi"] != np.where(up, 1, -1)).any():
        wrong("patterns", name, options, "those of NumPy", "others")
    found = list(p["units"]) if "units" in p.files else None
    if found != (units if is_named else None):
        wrong("unit names", name, options, units if is_named else None, found)
    if name != "bool.npy":  # thresholds learned from the values, whether zeros are listed or not
        learned = run("data", "info", name, *options, "--binarize", "mean")["bits_sha256"]
        mean = mean or learned
        if learned != mean:
            wrong("--binarize mean", name, options, mean, learned)
print(f"{len(forms)} files of the same {M} cells")
