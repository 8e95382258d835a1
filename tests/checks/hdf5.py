"""HDF5 files as their own libraries write them. Run by hdf5.sh.

One set of cells in every form that libhdf5 offers and the reader knows: the same bits, names and
labels. Files beyond it, and every truncation tried, are refused with a sentence that says what to do.
"""
import gzip, json, os, shutil, subprocess, warnings
import anndata, h5py
import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse as sp
from anndata.experimental import write_elem

warnings.simplefilter("ignore")
program, scratch = os.environ["ISINGLASS"], os.environ["SCRATCH"]
os.chdir(scratch)
failures, reads, refusals = [], 0, 0

random = np.random.default_rng(19)
n_cells, n_genes = 83, 211
counts = random.poisson(0.4, (n_cells, n_genes)).astype("f4") * random.integers(1, 4, (n_cells, n_genes))
cells = [f"{''.join(random.choice(list('ACGT'), 8))}-{k}" for k in range(n_cells)]
genes = [f"Gen\u00e9{k}" for k in range(n_genes)]
types = np.array(["NK", "B", "T cell", "\u03b3\u03b4"])[random.integers(0, 4, n_cells)]
np.savez("reference.npz", X=counts, y=types, ids=np.array(cells), units=np.array(genes))


def call(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def facts(name, *options):
    """What the program sees in the file."""
    done = call("data", "info", name, "--json", *options)
    if done.returncode:
        return done.stderr.strip()
    found = json.loads(done.stdout)
    done = call("patterns", name, "--force", "-o", "p.npz", *options)
    if done.returncode:
        return done.stderr.strip()
    with np.load("p.npz") as patterns:
        units = list(patterns["units"]) if "units" in patterns else None
    return {"bits": found["bits_sha256"], "classes": found["classes"], "units": units}


expected = facts("reference.npz")
assert isinstance(expected, dict) and expected["units"] == genes, expected


def same(name, *options, deletes=True, **but):
    global reads
    reads += 1
    found = facts(name, *options)
    if found != {**expected, **but}:
        failures.append(f"{name}: {found if isinstance(found, str) else 'is not what the .npz is'}")
    if deletes:
        os.unlink(name)


def refuse(name, words, *options, code=None):
    global refusals
    refusals += 1
    done = call("data", "info", name, *options)
    if done.returncode not in ((3, 4) if code is None else (code,)) or any(w not in done.stderr for w in words):
        failures.append(f"{name} {' '.join(options)}: exit code {done.returncode}: {done.stderr.strip()}")


# ---- AnnData ----------------------------------------------------------------------------------------
obs = pd.DataFrame({"type": pd.Categorical(types), "text": types, "number": random.integers(0, 3, n_cells),
                    "flag": random.random(n_cells) < 0.5, "share": random.random(n_cells)}, index=cells)
var = pd.DataFrame({"mean": counts.mean(0)}, index=genes)
forms = {"dense": counts, "csr": sp.csr_matrix(counts), "csc": sp.csc_matrix(counts)}
for form, x in forms.items():
    for compression in (None, "gzip", "lzf"):
        for column in ("type", "text"):
            adata = anndata.AnnData(x, obs=obs.copy(), var=var)
            adata.write_h5ad("cells.h5ad", compression=compression)
            same("cells.h5ad", "--label-column", column)
    for dtype in ("f2", "f8", "i1", "u2", "i8", ">f4", ">i4"):
        adata = anndata.AnnData(x.astype("f4"), obs=obs.copy(), var=var)
        adata.write_h5ad("cells.h5ad")
        with h5py.File("cells.h5ad", "r+") as f:
            path = "X" if form == "dense" else "X/data"
            values = f[path][()]
            del f[path]
            f[path] = values.astype(dtype)
        same("cells.h5ad", "--label-column", "type")

anndata.AnnData(counts, obs=obs, var=var).write_h5ad("cells.h5ad")
for column, found in {"number": [str(k) for k in range(3)], "flag": ["False", "True"]}.items():
    classes = [{"name": k, "count": int((obs[column].astype(str) == k).sum())} for k in found]
    same("cells.h5ad", "--label-column", column, deletes=False, classes=classes)
refuse("cells.h5ad", ["there is no column 'celltype'", "flag, number, share, text, type"], "--label-column", "celltype")
refuse("cells.h5ad", ["expected a whole number as label"], "--label-column", "share")
refuse("cells.h5ad", ["without --transpose"], "--transpose", code=2)

# A category that is missing, and columns as anndata before 0.8 and after 0.9 wrote them
unlabelled = obs["type"].copy()
unlabelled.iloc[7] = np.nan
partial = anndata.AnnData(counts, obs=pd.DataFrame({"type": unlabelled}, index=cells), var=var)
partial.write_h5ad("partial.h5ad")
kept = np.arange(n_cells) != 7
np.savez("partial.npz", X=counts[kept], y=types[kept], ids=np.array(cells)[kept], units=np.array(genes))
same("partial.h5ad", "--label-column", "type", **facts("partial.npz"))
codes, categories = pd.factorize(types)
with h5py.File("cells.h5ad", "r+") as f:
    del f["obs/type"]
    f["obs/type"] = codes.astype("i1")
    f["obs/__categories/type"] = [str(c) for c in categories]
    f["obs/nullable/values"] = codes + 5
    f["obs/nullable/mask"] = codes < 0
same("cells.h5ad", "--label-column", "type", deletes=False)
classes = [{"name": str(k + 5), "count": int((codes == k).sum())} for k in range(4)]
same("cells.h5ad", "--label-column", "nullable", classes=classes)


# ---- h5py: every layout ----------------------------------------------------------------------------
def write(path, data, **how):
    with h5py.File("cells.h5ad", "a") as f:
        if path in f:
            del f[path]
        f.create_dataset(path, data=data, **how)


def frame(**libver):
    with h5py.File("cells.h5ad", "w", **libver) as f:
        for name, index in (("obs", cells), ("var", genes)):
            f.create_group(name).attrs["_index"] = "index"
            f[name]["index"] = index
        f["obs/type"] = [str(t) for t in types]


filters = ({}, {"compression": "gzip"}, {"compression": "gzip", "shuffle": True}, {"compression": "lzf", "shuffle": True},
           {"shuffle": True})
for chunks in (None, (1, n_genes), (n_cells, 1), (7, 13), (n_cells, n_genes), True):
    for how in filters if chunks else ({},):
        frame()
        write("X", counts, chunks=chunks, **how)
        same("cells.h5ad", "--label-column", "type")
frame()
write("X", counts, chunks=(100, 300), maxshape=(None, None), compression="gzip")
same("cells.h5ad", "--label-column", "type", deletes=False)
write("obs/type", np.array([t.encode() for t in types]))
same("cells.h5ad", "--label-column", "type", deletes=False)
with h5py.File("cells.h5ad", "a") as f:
    for k in range(500):  # trees of several levels
        f[f"obs/column{k:03d}"] = np.arange(n_cells)
    for k in range(50):  # headers of many blocks
        f["obs"].attrs[f"attribute{k:02d}"] = "x" * k
same("cells.h5ad", "--label-column", "type", deletes=False)
whole = open("cells.h5ad", "rb").read()
for size in [*range(0, 3000, 101), *range(3000, len(whole), len(whole) // 60), len(whole) - 1]:
    with open("short.h5ad", "wb") as f:
        f.write(whole[:size])
    refuse("short.h5ad", ["short.h5ad"], code=3)

# ---- 10x Genomics ----------------------------------------------------------------------------------
turned = sp.csc_matrix(counts.T)
labels = "labels.csv"
pd.DataFrame({"id": cells, "type": types}).to_csv(labels, index=False)
for group, names in (("matrix", "features/name"), ("GRCh38", "gene_names")):
    with h5py.File("cells.h5", "w") as f:
        g = f.create_group(group)
        how = {"chunks": (2048,), "maxshape": (None,), "compression": "gzip", "shuffle": True}
        g.create_dataset("data", data=turned.data.astype("i4"), **how)
        g.create_dataset("indices", data=turned.indices.astype("i8"), **how)
        g.create_dataset("indptr", data=turned.indptr.astype("i8"), **how)
        g.create_dataset("shape", data=np.array(turned.shape, "i4"), **how)
        g.create_dataset("barcodes", data=np.array([c.encode() for c in cells]), **how)
        g.create_dataset(names, data=[n.encode() for n in genes], **how)
    same("cells.h5", "--labels", labels, "--label-column", "type", deletes=False)
    refuse("cells.h5", ["a file of 10x has no columns of labels"], "--label-column", "type", code=2)
with h5py.File("cells.h5", "a") as f:
    f["hg19"] = f["GRCh38"]
refuse("cells.h5", ["the genes of 2 genomes (GRCh38, hg19)"])
with h5py.File("cells.h5", "w") as f:
    f["weights"] = counts
refuse("cells.h5", ["expected /X as AnnData writes it, or /matrix as Cell Ranger does, found weights"])

# ---- the same cells in files of other kinds ---------------------------------------------------------
def write_lines(name, lines, packed):
    with (gzip.open if packed else open)(name + ".gz" * packed, "wt") as f:
        f.writelines(line + "\n" for line in lines)


for packed in (False, True):
    os.makedirs("10x", exist_ok=True)
    scipy.io.mmwrite("10x/matrix.mtx", turned.astype("i4"))
    write_lines("10x/barcodes.tsv", cells, packed)
    if packed:
        write_lines("10x/features.tsv", [f"ENSG{k}\t{gene}\tGene Expression" for k, gene in enumerate(genes)], True)
        write_lines("10x/matrix.mtx", open("10x/matrix.mtx").read().splitlines(), True)
        os.unlink("10x/matrix.mtx")
    else:
        write_lines("10x/genes.tsv", [f"ENSG{k}\t{gene}" for k, gene in enumerate(genes)], False)
    same("10x", "--labels", labels, "--label-column", "type", deletes=False)
    shutil.rmtree("10x")
scipy.io.mmwrite("turned.mtx", turned)
np.save("types.npy", types)
same("turned.mtx", "--transpose", "--labels", "types.npy", units=None)
for form in ("csr", "csc", "coo"):
    sp.save_npz("sparse.npz", sp.csr_matrix(counts).asformat(form))
    same("sparse.npz", "--labels", "types.npy", units=None)

# ---- beyond ----------------------------------------------------------------------------------------
rewrite = 'write it again from Python, with anndata or h5py and compression="gzip"'
frame()
write("X", counts, fletcher32=True)
refuse("cells.h5ad", ["cells.h5ad(/X)", "found fletcher32 checksums", rewrite])
write("X", counts.astype("i4"), scaleoffset=0)
refuse("cells.h5ad", ["found scale-offset", rewrite])
for libver in ("v108", "latest"):
    with h5py.File("cells.h5ad", "w", libver=libver) as f:
        write_elem(f, "/", anndata.AnnData(forms["csc"], obs=obs.copy(), var=var))
    refuse("cells.h5ad", ["the structures of HDF5 1.8 or later", rewrite + ", but without libver"])
    anndata.read_h5ad("cells.h5ad").write_h5ad("again.h5ad")
    same("again.h5ad", "--label-column", "type")
with h5py.File("cells.h5ad", "w") as f:
    f.create_dataset("X", (n_cells, n_genes), "f4", chunks=(10, 10), compression="gzip")
    f["X"][:50] = counts[:50]
refuse("cells.h5ad", ["a part of its items was never written"])
with h5py.File("cells.h5ad", "w") as f:
    f["X"] = counts
    f["obs"] = np.array([(c.encode(), 1) for c in cells], [("index", "S20"), ("n", "i4")])
refuse("cells.h5ad", ["as anndata before 0.7 wrote it"])
with h5py.File("cells.h5ad", "w") as f:
    f["X"] = h5py.SoftLink("/elsewhere")
refuse("cells.h5ad", ["is a link to another place"])
with h5py.File("cells.h5ad", "w") as f:
    f["X"] = counts
    f["var/_index"] = genes[:-1]
refuse("cells.h5ad", ["expected 211 names, as the matrix has, found 210"])
for array, value, words in (("indices", n_genes, "expected 0 to 210, found 211"), ("indptr", 0, "decreases"),
                            ("indptr", 10 ** 6, "decreases"), ("data", np.nan, "the value is missing"),
                            ("data", np.inf, "expected a number, found inf")):
    anndata.AnnData(forms["csr"], obs=obs.copy(), var=var).write_h5ad("cells.h5ad")
    with h5py.File("cells.h5ad", "a") as f:
        f["X"][array][3] = value
    refuse("cells.h5ad", [words])

print(f"{reads} files read alike, {refusals} refused")
for failure in failures:
    print(failure)
raise SystemExit(bool(failures))
