"""Files that must be refused: exit code, one sentence that names the file, bounded time and memory.

Run by refusals.sh. Every case is (name, content, words of the sentence); the file is read by
`isinglass data info`, which must exit with 3 unless the case says otherwise.
"""
import gzip, io, os, struct, subprocess, sys, warnings, zipfile, zlib
import numpy as np

warnings.simplefilter("ignore", UserWarning)  # zipfile on duplicate names
program, scratch = os.environ["ISINGLASS"], os.environ["SCRATCH"]
sanitized = bool(os.environ.get("SANITIZE"))
os.chdir(scratch)
failures, runs, largest, limit = [], 0, 0, 64 * 1024  # KiB


def run(name, words, options=(), expected=3, prefix=()):
    """One call; the sentence must contain the file's name and every word given."""
    global runs, largest
    runs += 1
    try:
        # The memory of the program alone: that of a child of ours would count ours at the fork.
        done = subprocess.run(["/usr/bin/time", "-f", "%M", "-o", "peak", *prefix, program, "data",
                               "info", name, *options], timeout=60, stdin=subprocess.DEVNULL,
                              capture_output=True)
    except subprocess.TimeoutExpired:
        failures.append(f"{name}: no answer within a minute")
        return
    with open("peak") as f:
        peak = int(f.read().split()[-1])
    largest = max(largest, peak)
    if peak > limit and not sanitized:
        failures.append(f"{name}: took {peak} KiB, allowed are {limit}")
    sentence = done.stderr.decode(errors="replace")
    problem = None
    if done.returncode != expected:
        problem = f"exit code {done.returncode}, expected {expected}"
    elif done.stdout:
        problem = "something was printed on stdout"
    elif sentence.count("\n") != 1 or not sentence.startswith("isinglass: "):
        problem = "not one line"
    elif os.path.basename(name) not in sentence:
        problem = "the file is not named"
    else:
        missing = [w for w in ([words] if isinstance(words, str) else words) if w not in sentence]
        problem = f"'{missing[0]}' is missing" if missing else None
    if problem:
        failures.append(f"{name} {' '.join(options)}: {problem}: {sentence.strip()}")


def refuse(name, content, words, options=(), expected=3):
    with open(name, "wb") as f:
        f.write(content)
    run(name, words, options, expected)
    os.unlink(name)


def idx(dims, values=b"", kind=8):
    return struct.pack(f">4B{len(dims)}I", 0, 0, kind, len(dims), *dims) + bytes(values)


def npy(array):
    out = io.BytesIO()
    np.save(out, array, allow_pickle=True)
    return out.getvalue()


def npy_header(text, length=None, version=1):
    data = text.encode()
    size = len(data) if length is None else length
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", size) + data


def npz(members, compression=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as z:
        for name, data in members:
            z.writestr(name, data)
    return out.getvalue()


images = idx((3, 2, 2), [0, 9, 255, 1, 2, 3, 4, 5, 6, 7, 8, 9])
rows = np.arange(12, dtype=np.uint8).reshape(3, 4)

# IDX
refuse("magic.idx", b"\x01\x02\x08\x03" + images[4:], "not an IDX file")
refuse("kind.idx", b"\x00\x00\x07\x03" + images[4:], "not an IDX file")
refuse("packed-as-plain.idx", gzip.compress(images), "the content is gzip")
refuse("plain-as-packed.idx.gz", images, "the name says gzip")
refuse("overflow.idx", idx((2**32 - 1,) * 3 + (2**31,)), "more data than can exist")
refuse("exceeds.idx", idx((2**31, 28, 28), b"0" * 784), "promises")
refuse("exceeds.idx.gz", gzip.compress(idx((2**31, 28, 28), b"0" * 784)), "promises")
refuse("no-rows.idx", idx((0, 2, 2)), "no rows")
refuse("no-columns.idx", idx((3, 0, 2)), "empty")
refuse("labels-as-images.idx", idx((4,), b"0123"), "label file")
refuse("trailing.idx", images + b"x", "more follow")
refuse("empty.idx", b"", "header")
refuse("empty.idx.gz", b"", "gzip")
with open("labels.idx", "wb") as f:
    f.write(idx((4,), [0, 1, 0, 1]))
refuse("mismatch.idx", images, ["3 rows", "4 labels"], ["--labels", "labels.idx"])
with open("images-as-labels.idx", "wb") as f:
    f.write(images)
with open("some.idx", "wb") as f:
    f.write(images)
run("images-as-labels.idx", ["1 dimension", "image file"], ["--labels", "images-as-labels.idx"])

# gzip
packed = gzip.compress(images)
refuse("junk.idx.gz", packed + b"junk", "damaged")
refuse("crc.idx.gz", packed[:-8] + b"\0\0\0\0" + packed[-4:], "damaged")
bomb = zlib.compressobj(9, zlib.DEFLATED, 31)
data = bomb.compress(idx((400_000, 28, 28)))
for _ in range(299):
    data += bomb.compress(bytes(1 << 20))
refuse("bomb.idx.gz", data + bomb.flush(), "promises")
bomb = zlib.compressobj(9, zlib.DEFLATED, 31)
data = b"".join(bomb.compress(b"0" * (1 << 20)) for _ in range(300))
refuse("bomb.csv.gz", data + bomb.flush(), "longer than")
bomb = zlib.compressobj(9, zlib.DEFLATED, 31)
data = b"".join(bomb.compress(b"0,0,0,0\n" * (1 << 17)) for _ in range(200))
refuse("bomb-of-rows.csv.gz", data + bomb.flush(), "decompression bomb")

# .npy
refuse("object.npy", npy(np.array([{}, []], dtype=object)), "object")
refuse("structured.npy", npy(np.zeros(3, dtype=[("a", "i4"), ("b", "f8")])), "structured")
refuse("complex.npy", npy(np.zeros((2, 2), complex)), "c16")
refuse("text.npy", npy(np.array([["a", "b"]])), "text")
refuse("magic.npy", b"NUMPY" + npy(rows), "npy")
refuse("version.npy", b"\x93NUMPY\x09\x00" + npy(rows)[8:], "version")
refuse("header-length.npy", npy_header("{}", 2**32 - 1, 2), "header")
refuse("header-text.npy", npy_header("{'descr': '<f8', 'fortran_order': False, }"), "shape")
refuse("negative.npy", npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 4), }"), "shape")
refuse("overflow.npy", npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }"), "more data than can exist")
refuse("huge-number.npy", npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999, 4), }"), "shape")
narrow = npy_header("{'descr': '|u1', 'fortran_order': True, 'shape': (30000000, 1), }")
refuse("promise.npy.gz", gzip.compress(narrow + np.random.default_rng(1).bytes(150_000)), "in the middle")
refuse("exceeds.npy", npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 784), }"), "promises")
bools = npy(np.array([[[True, False], [False, False]]]))
refuse("bool.npy", bools[:-4] + bytes([1, 2, 0, 255]), "0 or 1 for a bool, found 2")
refuse("y-bool.npz", npz([("X.npy", npy(rows)), ("y.npy", npy(np.array([True, True, True])).replace(bytes([1, 1, 1]), bytes([0, 1, 3])))]), "0 or 1 for a bool, found 3")
refuse("zero.npy", npy(np.zeros((0, 4))), "no rows")
refuse("vector.npy", npy(np.arange(4)), "label file")
refuse("nan.npy", npy(np.array([[0, 1], [1, np.nan]])), ["row 2", "column 2"])
refuse("inf.npy", npy(np.array([[0, 1], [-np.inf, 1]], np.float32)), ["row 2", "column 1"])

# .npz
good = npz([("X.npy", npy(rows))])
refuse("no-X.npz", npz([("A.npy", npy(rows))]), ["X", "A"])
refuse("duplicate.npz", npz([("X.npy", npy(rows)), ("X.npy", npy(rows))]), "X.npy")
refuse("up.npz", npz([("../X.npy", npy(rows)), ("X.npy", npy(rows))]), "..")
refuse("absolute.npz", npz([("/X.npy", npy(rows)), ("X.npy", npy(rows))]), "absolute path")
refuse("backslash.npz", good.replace(b"X.npy", b"\\.npy"), "npz")
refuse("not-zip.npz", b"PK but not really", "zip")
refuse("crc.npz", good.replace(rows.tobytes(), rows[::-1].tobytes()), "CRC")
refuse("y-count.npz", npz([("X.npy", npy(rows)), ("y.npy", npy(np.arange(2)))]), ["3 rows", "2 labels"])
refuse("y-float.npz", npz([("X.npy", npy(rows)), ("y.npy", npy(np.array([0, 1, 0.5])))]), "whole number")
refuse("bomb.npz", npz([("X.npy", npy(np.zeros((4000, 10000), np.uint8)))], zipfile.ZIP_DEFLATED), "npz")

# text
refuse("ragged.csv", b"1,0\n1,0\n1,0,1\n", ["line 3", "expected 2 fields, found 3"])
refuse("nan.csv", b"1,0\n1,nan\n", ["line 2", "column 2"])
refuse("inf.csv", b"1,0\ninf,0\n", ["line 2", "column 1"])
refuse("missing.csv", b"1,0\n,0\n", ["line 2", "column 1", "missing"])
refuse("comma.tsv", b"1\t0\n0,5\t1\n", ["line 2", "column 1", "point"])
refuse("first-comma.tsv", b"0,5\t1\n1\t0\n", ["line 1", "column 1", "point"])
refuse("semicolon.csv", b"1;0\n0;1,5\n", ["line 2", "column 2", "point"])
refuse("nul.csv", b"1,0\n\0,1\n", ["line 2", "NUL"])
refuse("nothing.csv", b"", "no rows")
refuse("heading-only.csv", b"a,b\n", "no rows")
refuse("quote.csv", b'1,"0\n', "quot")
refuse("column.csv", b"a,b\n1,0\n", "no column 'c'", ["--label-column", "c"])
refuse("banner.mtx", b"%%MatrixMarkt matrix array real general\n1 1\n1\n", "MatrixMarket")
refuse("complex.mtx", b"%%MatrixMarket matrix array complex general\n1 1\n1 0\n", "complex")
refuse("few.mtx", b"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n", "entr")
refuse("many.mtx", b"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n2 2 1\n", "line 4")
refuse("outside.mtx", b"%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n", "line 3")
refuse("nan.mtx", b"%%MatrixMarket matrix array real general\n1 2\n1\nnan\n", "line 4")
refuse("huge.mtx", b"%%MatrixMarket matrix coordinate real general\n4000000000 4000000000 1\n1 1 1\n", "too large")
refuse("entries.mtx", b"%%MatrixMarket matrix coordinate real general\n10 10 4000000000\n1 1 1\n", "4000000000")
refuse("format.dat", b"1,0\n", "unknown file format")

# things that are no regular files, and files that cannot be read
os.makedirs("folder.csv", exist_ok=True)
run("folder.csv", "a directory")
if not os.path.exists("pipe.idx"):
    os.mkfifo("pipe.idx")
run("pipe.idx", "a pipe")
run("/dev/zero", "a device")
run("absent.idx", "No such file", expected=4)
run("some.idx", "No such file", ["--labels", "some.idx-absent"], 4)
run("mnist:train", "isinglass data get mnist", ["--data-dir", scratch], 4)
with open("secret.idx", "wb") as f:
    f.write(images)
os.chmod("secret.idx", 0)
# Without its capabilities even root must obey the mode.
run("secret.idx", "Permission denied", (), 4,
    ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.getuid() == 0 else [])

# truncation at every byte of every format that can tell
for name, content in [("cut.idx", images), ("cut.idx.gz", packed), ("cut.npy", npy(rows)),
                      ("cut.npz", good), ("cut-packed.npz", npz([("X.npy", npy(rows))], zipfile.ZIP_DEFLATED)),
                      ("cut.csv.gz", gzip.compress(b"1,0,1\n0,1,0\n"))]:
    for n in range(0, len(content), 1 if not sanitized else 7):
        refuse(name, content[:n], [])

if runs < 300 and not sanitized:
    failures.append(f"only {runs} files were tried")
print(f"{runs} files tried, at most {largest} KiB used")
for failure in failures:
    print(failure)
sys.exit(bool(failures))
