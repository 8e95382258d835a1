"""How values became spins belongs to the model. First three mistakes that once gave wrong numbers
without a word; then a canary: models made from one file, and the same samples in every form, in another
order of columns, with more columns, by every verb. What data decide for themselves (thresholds, which
units are constant) would come out differently for these samples. Run by encoding.sh.
"""
import csv, gzip, hashlib, json, os, shutil, subprocess, sys
import numpy as np

program = os.environ["ISINGLASS"]
work = os.path.join(os.environ["SCRATCH"], "encoding")
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)
failures = 0

def run(*words, expect=0):
    done = subprocess.run([program, *map(str, words), "--quiet", "--json"], capture_output=True, text=True)
    if done.returncode != expect:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}, expected {expect}\n{done.stderr}")
    return json.loads(done.stdout) if expect == 0 else done.stderr

def equal(what, found, expected):
    global failures
    if found != expected:
        failures += 1
        print(f"{what}: expected {expected}, found {found}")

random = np.random.default_rng(19)
K, N, M = 3, 60, 600
rates = np.where(random.random((K, N)) < 0.3, 6.0, 0.4)
y = random.integers(0, K, M)
X = random.poisson(rates[y])
X[:, 17] = 2  # constant
train, test = slice(0, 400), slice(400, 600)
save = lambda name, rows, x=X, **more: np.savez(name, X=x[rows], y=np.array(["a", "b", "c"])[y[rows]], **more)
save("train.npz", train)
save("test.npz", test)

# ---- three silent errors ----------------------------------------------------------------------------

hot = X.copy()
hot[3, 4] = 255
save("hot.npz", train, hot)
error = run("classify", "train.npz", "test.npz", "--epochs", 0)["test_error"]
equal("a count of 255 in TRAIN", run("classify", "hot.npz", "test.npz", "--epochs", 0)["test_error"], error)
equal("a count of 255", run("data", "info", "hot.npz")["full_scale"], 1)
equal("--shape", run("data", "info", "hot.npz", "--shape", "6x10")["bits_sha256"],
      run("data", "info", "hot.npz")["bits_sha256"])

three = run("classify", "train.npz", "test.npz", "--epochs", 0, "--threshold", 3, "-o", "three")["test_error"]
equal("--threshold 3 in a classifier", run("classify", "--model", "three/classifier.npz", "test.npz")["test_error"], three)
run("train", "train.npz", "--threshold", 3, "--epochs", 1, "-o", "run3")
own = run("score", "run3", "train.npz")["log_likelihood"]["value"]
equal("--threshold 3 in a run", own, run("score", "run3", "train.npz", "--threshold", 3)["log_likelihood"]["value"])
text = run("score", "run3", "train.npz", "--threshold", 2, expect=2)
equal("another threshold is refused", "--threshold: the model was made with --binarize value:3" in text, True)
other = run("score", "run3", "train.npz", "--threshold", 2, "--force")["log_likelihood"]["value"]
equal("another threshold, forced, counts", other != own, True)
run("train", "train.npz", "--threshold", 3, "--epochs", 2, "-o", "run3", "--resume")

# ---- a canary ---------------------------------------------------------------------------------------

genes = [f"gene{i}" for i in range(N)]
save("named.npz", train, units=np.array(genes))
rule = ["--binarize", "mean", "--drop-constant"]
run("patterns", "named.npz", *rule, "--per-class", 2, "-o", "p.npz")
run("map", "p.npz", "-o", "m.npz")
run("train", "named.npz", *rule, "--epochs", 1, "-o", "run")
run("classify", "named.npz", *rule, "--epochs", 0, "-o", "c")

equal("TRAIN decides for TEST", run("classify", "named.npz", "test.npz", *rule, "--epochs", 0)["test_error"],
      run("classify", "--model", "c/classifier.npz", "test.npz")["test_error"])

few = np.arange(400, 600)[y[400:] > 0]  # no sample of the first class: other means, other constants
turned = random.permutation(N)
ids = np.array([f"s{a}" for a in few])
labels = np.array(["a", "b", "c"])[y[few]]
def table(name, x, names, separator):
    with (gzip.open if name.endswith(".gz") else open)(name, "wt") as f:
        f.write(separator.join(["", *names, "kind"]) + "\n")
        for a, row, label in zip(ids, x, labels):
            f.write(separator.join([a, *map(str, row), label]) + "\n")
def market(name, x):
    i, j = np.nonzero(x)
    with open(name, "w") as f:
        f.write("%%MatrixMarket matrix coordinate integer general\n"
                f"{x.shape[0]} {x.shape[1]} {len(i)}\n" + "".join(f"{a + 1} {b + 1} {x[a, b]}\n" for a, b in zip(i, j)))
os.makedirs("cells")
market("cells/matrix.mtx", X[few].T)
open("cells/barcodes.tsv", "w").write("".join(a + "\n" for a in ids))
open("cells/genes.tsv", "w").write("".join(f"E{i}\t{gene}\n" for i, gene in enumerate(genes)))
order = random.permutation(len(few))
open("kinds.csv", "w").write("cell,kind\n" + "".join(f"{ids[a]},{labels[a]}\n" for a in order))
np.savez("y.npz", y=labels)
np.savez("few.npz", X=X[few], y=labels, ids=ids)
np.savez("turned.npz", X=X[few][:, turned].astype(np.float16), y=labels, units=np.array(genes)[turned], ids=ids)
wide = np.hstack([random.poisson(3, (len(few), 7)), X[few]])
np.savez("wide.npz", X=wide, y=labels, units=np.array([f"extra{i}" for i in range(7)] + genes), ids=ids)
np.save("few.npy", np.asfortranarray(X[few]))
table("few.csv", X[few], genes, ",")
table("semicolon.csv", X[few], genes, ";")
table("turned.tsv.gz", X[few][:, turned], np.array(genes)[turned], "\t")
market("few.mtx", X[few])
market("genes-by-cells.mtx", X[few].T)
column = ["--label-column", "kind"]
forms = {"few.npz": [], "turned.npz": [], "wide.npz": [], "few.npy": ["--labels", "y.npz"], "few.csv": column,
         "semicolon.csv": column, "turned.tsv.gz": column, "few.mtx": ["--labels", "y.npz"],
         "genes-by-cells.mtx": ["--transpose", "--labels", "y.npz"], "cells": ["--labels", "kinds.csv", *column]}

def outcome(form, options):
    """What every verb that takes a model and data makes of these samples."""
    found = {}
    run("transform", "m.npz", form, *options, "-o", "h.npz", "--force")
    found["transform"] = hashlib.sha256(np.load("h.npz")["H"].tobytes()).hexdigest()
    found["score"] = run("score", "m.npz", form, *options)["log_likelihood"]["value"]
    found["score of a run"] = run("score", "run", form, *options)["log_likelihood"]["value"]
    found["recall"] = {k: v for k, v in run("recall", "p.npz", form, *options).items()
                       if k in ("accuracy", "confusion", "nearest_pattern_accuracy")}
    run("classify", "--model", "c/classifier.npz", form, *options, "--predictions", "c.csv", "--force")
    found["classify"] = [row["predicted"] + row["probability"] for row in csv.DictReader(open("c.csv"))]
    run("sample", "m.npz", "--start", form, *options, "--sweeps", 1, "--count", 50, "-o", "s.npz", "--force")
    found["sample"] = hashlib.sha256(np.load("s.npz")["s"].tobytes()).hexdigest()
    run("train", form, *options, "--init", "m.npz", "--epochs", 1, "-o", "more", "--force")
    found["train --init"] = hashlib.sha256(np.load("more/model.npz")["W"].tobytes()).hexdigest()
    return found

# The definition: thresholds of the training samples, without the constant unit, by NumPy.
kept = np.delete(np.arange(N), 17)
spins = np.where(X[few] > X[train].mean(axis=0), 1, -1)[:, kept].astype(np.int8)
np.save("spins.npy", spins)
expected = None
for form, options in forms.items():
    found = outcome(form, options)
    if expected is None:
        model = np.load("m.npz")
        h = spins @ model["W"]
        equal("transform and NumPy agree", bool(np.allclose(np.load("h.npz")["H"], h, atol=1e-9)), True)
        expected = found
    for verb in expected:
        equal(f"{verb} {form}", found[verb], expected[verb])
equal("spins are not taken for values", "if these are spins" in run("score", "m.npz", "spins.npy", expect=3), True)
equal("spins, forced", run("score", "m.npz", "spins.npy", "--binarize", "zero", "--force")["log_likelihood"]["value"],
      expected["score"])
print(f"{len(forms)} forms of the same samples, {len(expected)} results each; {failures} differ")
sys.exit(failures > 0)
