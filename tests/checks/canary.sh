#!/bin/bash
# Samples that identify themselves go through the verbs and are decoded in the output: sample number i
# carries i and its class in its spins, with complements and a check, and one unit that is up in no other
# sample. Then the same with labels shifted by one, the last sample lost, two rows swapped and training
# on test samples; each of these must be detected.
set -eu
export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
# In memory where possible: this is not a test of the disk.
work=$(mktemp -d /dev/shm/isinglass-XXXXXX 2>/dev/null || mktemp -d "$SCRATCH/XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
/usr/bin/python3 - <<'PYTHON'
import csv, gzip, io, os, struct, subprocess, sys
import numpy as np

M, N = 61, 125
I = np.arange(M)
K = (I * I + I // 7) % 4
NAMES = np.array([3, 10, 11, 40]) # not in the order of text
Y = NAMES[K]
def encode(i, k):
    fields = [(i, 8), (i ^ 255, 8), (k, 8), (k ^ 255, 8), ((i * 40503 + k * 9973 + 12345) & 0xffff, 16),
              (0 * i + 0xb5c3, 16)]
    return np.concatenate([(v[:, None] >> np.arange(n)) & 1 for v, n in fields] + [np.eye(M, dtype=int)[i]], 1)
X = encode(I, K)

def decode(rows): # the numbers of the samples; -1 for what is none
    numbers = (rows[:, :8] > 0) @ (1 << np.arange(8))
    return np.array([i if i < M and ((row > 0) == X[i]).all() else -1 for i, row in zip(numbers, rows)])

# ---- files --------------------------------------------------------------------------------------
def put(name, data):
    with (gzip.open if name.endswith(".gz") else open)(name, "wb") as f:
        f.write(data)
def idx(a):
    return struct.pack(">4B%dI" % a.ndim, 0, 0, 8, a.ndim, *a.shape) + a.astype(np.uint8).tobytes()
def table(x, y):
    return "".join(",".join(map(str, [label, *row])) + "\n" for label, row in zip(y, x)).encode()
def npy(a):
    f = io.BytesIO()
    np.save(f, a)
    return f.getvalue()
def sparse(x):
    entries = [f"{a + 1} {u + 1} 1\n" for a, u in zip(*np.nonzero(x))]
    return (f"%%MatrixMarket matrix coordinate integer general\n{len(x)} {N} {len(entries)}\n" + "".join(entries)).encode()

def write(stem, rows, shift=0): # in every format; returns the options of each
    x, y = X[rows], np.roll(Y[rows], shift)
    put(stem + "-labels.idx", idx(y))
    put(stem + "-labels.csv.gz", ("\n".join(map(str, y)) + "\n").encode())
    put(stem + ".idx", idx(255 * x.reshape(len(x), 5, 25)))
    put(stem + ".idx.gz", idx(255 * x.reshape(len(x), 5, 25)))
    put(stem + ".npy", npy(np.asfortranarray(0.3 + 0.4 * x)))
    put(stem + ".npy.gz", npy(2 * x - 1))
    np.savez(stem + ".npz", X=x, y=y)
    np.savez_compressed(stem + "-packed.npz", X=x.astype(np.float32), y=y.astype("U"))
    put(stem + ".csv", table(x, y))
    put(stem + ".csv.gz", table(x, y))
    put(stem + ".mtx", sparse(x))
    put(stem + ".mtx.gz", sparse(x))
    labels = ["--labels", stem + "-labels.idx"]
    return [[stem + ".idx", *labels], [stem + ".idx.gz", "--labels", stem + "-labels.csv.gz"],
            [stem + ".npy", *labels, "--threshold", "0.5"], [stem + ".npy.gz", *labels],
            [stem + ".npz"], [stem + "-packed.npz"],
            [stem + ".csv", "--label-column", "1"], [stem + ".csv.gz", "--label-column", "1"],
            [stem + ".mtx", *labels], [stem + ".mtx.gz", *labels]]

def run(*words):
    done = subprocess.run([os.environ["ISINGLASS"], *map(str, words), "--quiet"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}: {done.stderr}")

# ---- ways through the program, each of which says what it got wrong -------------------------------
np.savez("zero.npz", W=np.zeros((N, 1)), b=np.full(N, -60.0), c=np.ones(1), beta=1.0)
# Every sample is a pattern, and so a fixed point of its own.
np.savez("own.npz", xi=(2 * X.T - 1).astype(np.int8), labels=Y.astype("U"))

def sampled(data, rows):
    """Chains that start from the data, class by class, all their units clamped."""
    start, *options = data
    run("sample", "zero.npz", "-o", "s.npz", "--start", start, *options, "--count", 80, "--sweeps", 2, "--clamp", f"0:{N}",
        "--force")
    classes = np.unique(K[rows])
    expected = np.concatenate([np.resize(rows[K[rows] == k], 80 // len(classes)) for k in classes])
    return int((decode(np.load("s.npz")["s"]) != expected).sum())

def recalled(data, rows):
    """The table of recall: which pattern a sample ends in tells which sample it was."""
    run("recall", "own.npz", *data, "--protocol", "attractor", "-o", "r.csv", "--force")
    table = list(csv.DictReader(open("r.csv")))
    wrong = abs(len(table) - len(rows))
    for a, (row, i) in enumerate(zip(table, rows)):
        wrong += [row["sample"], row["end"], row["pattern"], row["label"], row["class"]] != \
            [str(a), "pattern", str(i), str(Y[i]), str(Y[i])]
    return wrong

RATE, BATCH = 1e-9, 8
def trained(data, rows, *options, stops=()):
    """Weights next to zero, lambda at c = 1, the chains held down by b: every visit of a sample adds
    2 rate / batch to the weight of its own unit."""
    subprocess.run(["rm", "-rf", "RUN"])
    for epochs in [*stops, 3]:
        run("train", *data, "-o", "RUN", "--resume", "--init", "zero.npz", "--rate", RATE, "--batch", BATCH, "--sweeps", 1,
            "--estimator", "mean", *options, "--epochs", epochs)
    visits = np.load("RUN/model.npz")["W"][64:, 0] * BATCH / (2 * RATE)
    return int((abs(visits - 3 * np.isin(I, rows)) > 0.01).sum())

def classified(data, rows, test, test_rows):
    """Principal axes know nothing of a unit that is the same in all samples they were made of."""
    subprocess.run(["rm", "-rf", "C"])
    run("classify", *data, test, "--per-class", 2, "--init", "pca", "-o", "C", "--predictions", "p.csv", "--force")
    table = list(csv.DictReader(open("p.csv")))
    wrong = abs(len(table) - len(test_rows))
    wrong += sum([row["row"], row["class"]] != [str(a), str(Y[i])] for a, (row, i) in enumerate(zip(table, test_rows)))
    weights = np.load("C/classifier.npz")
    experts = np.split(weights["W"], np.cumsum(weights["hidden"])[:-1], axis=1)
    for k, name in enumerate(weights["classes"]):
        knows = (abs(experts[k][64:]) > 1e-12).any(axis=1)
        wrong += int((knows != (np.isin(I, rows) & (Y == int(name)))).sum())
    return wrong + abs(len(experts) - 4)

failed = 0
def check(what, wrong, is_mistake=False):
    global failed
    is_right = (wrong > 0) == is_mistake
    failed += not is_right
    print(f"{'ok    ' if is_right else 'FAILED'} {what}: {wrong} wrong{', as it must be' if is_mistake else ''}")

everything = write("all", I)
swapped = I.copy()
swapped[[0, 2]] = 2, 0 # of the same class
mistakes = {"labels shifted": write("shifted", I, 1), "last lost": write("lost", I[:-1]), "rows swapped": write("swapped", swapped)}
for data in everything:
    check(f"sample {data[0]}", sampled(data, I))
    check(f"recall {data[0]}", recalled(data, I))
for what, files in mistakes.items():
    check(f"recall, {what}", recalled(files[6], I), True)
    check(f"sample, {what}", sampled(files[4], I), True)
for k, name in enumerate(NAMES):
    data = everything[2 * k] + ["--class", name]
    check(f"recall --class {name}", recalled(data, I[K == k]))
    check(f"recall --class {name} --limit 5", recalled(data + ["--limit", 5], I[K == k][:5]))
    check(f"sample --class {name} --limit 4", sampled(data + ["--limit", 4], I[K == k][:4]))

plain = everything[6]
check("train", trained(plain, I))
check("train --shuffle --pcd", trained(plain, I, "--shuffle", "--pcd"))
check("train --shuffle, resumed twice", trained(everything[0], I, "--shuffle", stops=(1, 2)))
check("train --class 11", trained(plain + ["--class", 11], I[K == 2], "--shuffle"))
check("train --limit 20", trained(plain + ["--limit", 20], I[:20], "--shuffle"))
check("train, last lost", trained(mistakes["last lost"][6], I, "--shuffle"), True)
check("train, one class too many", trained(plain, I[K != 1]), True)

# A third is held out.
train_rows, test_rows = I[I % 3 != 1], I[I % 3 == 1][::-1]
write("train", train_rows)
write("test", test_rows)
columns = ["--label-column", "1"]
check("classify", classified(["train.csv", *columns], train_rows, "test.csv", test_rows))
check("classify, npz", classified(["train.npz"], train_rows, "test.npz", test_rows))
check("classify, the test learned from", classified(["all.csv", *columns], train_rows, "test.csv", test_rows), True)
check("classify, labels shifted", classified(["shifted.csv", *columns], I, "test.csv", test_rows), True)

# The classifier answers for the sample of the row: in another order, the same answers in that order.
run("classify", "--model", "C/classifier.npz", "all.csv", *columns, "--predictions", "a.csv")
write("mixed", I[::-1])
run("classify", "--model", "C/classifier.npz", "mixed.csv", *columns, "--predictions", "b.csv")
a, b = (list(csv.reader(open(name)))[1:] for name in ("a.csv", "b.csv"))
answers = lambda table: [row[1:] for row in table]
check("predictions of rows in reverse", sum(p != q for p, q in zip(answers(a), answers(b)[::-1])) + abs(len(a) - M))
check("predictions not reversed", sum(p != q for p, q in zip(answers(a), answers(b))), True)
sys.exit(failed > 0)
PYTHON
