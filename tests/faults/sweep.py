#!/usr/bin/python3
"""sweep.py - the program on a system that fails, at every point where it can

SPDX-License-Identifier: MIT

    sweep.py quick|full [SWEEP...]

Runs every verb on a few samples, again and again, with one fault each time, and looks at what is
left. Three outcomes are known: a clean error (a documented exit code, one line on stderr, every file
either as before or complete, no temporary file), success with the very bytes of an undisturbed run,
and everything else, which is lost. A run directory that an error or a kill left behind must be
resumed to the same weights. Prints a table; exit status 1 if anything was lost.

Of the environment: ISINGLASS (the program), BUILD (where fault_preload and flip_bits are), SCRATCH;
ISINGLASS_DATA with MNIST, for the sweeps of `reproduce` only. `quick` takes a part of everything.
"""
import collections, concurrent.futures, hashlib, io, itertools, json, os, re, resource, shutil
import signal, subprocess, sys, tempfile, threading, time, zipfile
import numpy as np

PROGRAM, BUILD = os.environ["ISINGLASS"], os.environ["BUILD"]
PRELOAD = os.path.join(BUILD, "tests", "libfault_preload.so")
QUICK = sys.argv[1] == "quick"
WANTED = sys.argv[2:]
TIMEOUT = 120

# In memory where that can be: what is tested is not the patience of the disk.
SCRATCH = tempfile.mkdtemp(prefix="isinglass-faults-",
                           dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else os.environ["SCRATCH"])
BASE = os.path.join(SCRATCH, "base")

ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("FAULT_", "ISINGLASS_FAIL"))}
ENVIRONMENT.update(OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive", LC_ALL="C")

Result = collections.namedtuple("Result", "code out err tree call")


class Case:
    """A verb with its arguments. `old` are files that it overwrites; `start` is a run directory that
    it begins with; `resume` are the arguments that bring an interrupted run to its end."""

    def __init__(self, name, arguments, old=(), start=None, resume=None, stride=1, mnist=False,
                 clock="tick"):
        self.name, self.arguments, self.old, self.start = name, arguments, old, start
        self.resume, self.stride, self.mnist, self.clock = resume, stride, mnist, clock
        self.writes = bool(old or resume)
        self.lock = threading.Lock()
        self.whole = None

    def reference(self):
        with self.lock:
            if self.whole is None:
                with place(self) as cwd:
                    self.whole = execute(self, cwd)
                assert self.whole.code == 0, (self.name, self.whole)
                with place(self) as cwd: # otherwise nothing could be compared
                    assert execute(self, cwd) == self.whole, (self.name, "is not the same twice")
        return self.whole


class place:
    """A directory of its own with what the case starts from."""

    def __init__(self, case):
        self.case = case

    def __enter__(self):
        self.path = tempfile.mkdtemp(dir=SCRATCH)
        work = os.path.join(self.path, "w") # of one name length, since paths are in the files
        os.mkdir(work)
        for name in self.case.old:
            with open(os.path.join(work, name), "w") as file:
                file.write("old\n")
        if self.case.start:
            shutil.copytree(os.path.join(BASE, self.case.start), os.path.join(work, "run"))
        return work

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def read_tree(root):
    tree = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                tree[os.path.relpath(path, root)] = file.read()
    return tree


def execute(case, cwd, arguments=None, limits=None, prefix=(), **environment):
    """Runs the case with these variables; the file `called` names the call that failed."""
    stdout = environment.pop("stdout", subprocess.PIPE)
    mark = os.path.join(os.path.dirname(cwd), "called")
    variables = dict(ENVIRONMENT, FAULT_MARK=mark, LD_PRELOAD=PRELOAD, FAULT_CLOCK=case.clock)
    variables.update(environment)
    process = subprocess.Popen([*prefix, PROGRAM, *(arguments or case.arguments)], cwd=cwd,
                               env=variables, stdin=subprocess.DEVNULL, stdout=stdout,
                               stderr=subprocess.PIPE, preexec_fn=limits)
    try:
        out, err = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        err += b"it hangs\n"
    call = open(mark).read() if os.path.exists(mark) else None
    return Result(process.returncode, out or b"", err.decode(errors="replace"), read_tree(cwd), call)


# ---- what counts as the same ------------------------------------------------------------------------

def arrays_of(content):
    """Members of an archive but for times, numbers of saves, and the command that was typed."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()
                if name not in ("meta.json", "seconds.npy", "saves.npy", "epochs.npy")}


def essence(tree):
    """What a finished run is for: weights, errors and tables, without times."""
    kept = {}
    for name, content in tree.items():
        leaf = os.path.basename(name)
        if leaf.startswith("model") or leaf in ("classifier.npz", "patterns-1.npz"):
            kept[name] = arrays_of(content)
        elif leaf == "epochs.csv":
            rows = [line.split(",") for line in content.decode().splitlines()]
            kept[name] = [row[:2] + row[3:] for row in rows]
        elif leaf.endswith(".csv"):
            kept[name] = content
    return kept


def is_leftover(name):
    return name.endswith(".tmp") or os.path.basename(name) == "run.lock" or \
        re.search(r"\.(csv|json|svg|html|gp)\.\w{6}$", name)


def complaint(case, result, codes, is_clean_up_possible=True):
    """Why this is no clean error; None if it is one."""
    whole = case.reference()
    if result.code not in codes:
        return f"exit {result.code}: {result.err[:300]}"
    if result.code != -signal.SIGKILL:
        if not re.fullmatch(r"isinglass: [^\n]+\n", result.err):
            return f"stderr is not one sentence: {result.err[:300]!r}"
        if not whole.out.startswith(result.out):
            return "another output"
        left = [name for name in result.tree if is_leftover(name)]
        if left and is_clean_up_possible:
            return f"left {left}"
    for name in case.old:
        if result.tree.get(name) not in (b"old\n", whole.tree[name]):
            return f"{name} is neither old nor new"
    return None


def resumed(case, cwd):
    """What becomes of the run that is left; None if it ends as it should."""
    result = execute(case, cwd, arguments=case.resume)
    if result.code != 0:
        return f"resumed: exit {result.code}: {result.err[:300]}"
    if essence(result.tree) != essence(case.reference().tree):
        return "resumed to other numbers"
    return None


# ---- the table --------------------------------------------------------------------------------------

class Row:
    def __init__(self):
        self.injected = self.clean = self.harmless = self.lost = 0


table, table_lock, losses = {}, threading.Lock(), []


def count(fault, verb, problem, is_error):
    with table_lock:
        row = table.setdefault((fault, verb), Row())
        row.injected += 1
        if problem:
            row.lost += 1
            losses.append(f"{fault}: {verb}: {problem}")
        elif is_error:
            row.clean += 1
        else:
            row.harmless += 1


def judge(fault, case, result, cwd, codes, label="", is_clean_up_possible=True):
    whole = case.reference()
    if result.code == 0:
        same = {n: c for n, c in result.tree.items() if not is_leftover(n) or is_clean_up_possible}
        problem = None
        if result.out != whole.out:
            problem = "success with another output"
        elif same != whole.tree and (not case.resume or essence(same) != essence(whole.tree)):
            problem = f"success with other files: {sorted(set(same) ^ set(whole.tree))}"
    else:
        problem = complaint(case, result, codes, is_clean_up_possible)
        if not problem and case.resume:
            problem = resumed(case, cwd)
    count(fault, case.name, problem and f"{label}: {problem}", result.code != 0)


# ---- the verbs --------------------------------------------------------------------------------------

def make_inputs():
    os.mkdir(BASE)
    random = np.random.default_rng(1)
    y = np.arange(18) % 3
    x = random.choice([-1, 1], (3, 12))[y] * np.where(random.random((18, 12)) < 0.15, -1, 1)
    with open(os.path.join(BASE, "data.csv"), "w") as file:
        file.writelines(f"c{k}," + ",".join(map(str, v)) + "\n" for k, v in zip(y, x))
    np.savetxt(os.path.join(BASE, "bare.csv"), x[:3], fmt="%d", delimiter=",")
    data = [os.path.join(BASE, "data.csv"), "--label-column", "1"]
    train = ["train", *data, "-o", "run", "--batch", "9", "--cd", "1", "--pcd", "--fields", "--quiet",
             "--save-every", "0", "--epochs"]
    classify = ["classify", data[0], *data, "-o", "run", "--per-class", "1", "--batch", "4", "--cd", "1",
                "--quiet", "--save-every", "0", "--epochs"]

    def run(*arguments):
        subprocess.run([PROGRAM, *arguments], cwd=BASE, env=ENVIRONMENT, check=True,
                       stdout=subprocess.DEVNULL)
    run("patterns", *data, "-o", "p.npz", "--shape", "3x4")
    run("map", "p.npz", "-o", "m.npz")
    run(*train, "1")
    os.rename(os.path.join(BASE, "run"), os.path.join(BASE, "trained"))
    run(*classify, "1")
    shutil.copy(os.path.join(BASE, "run", "classifier.npz"), os.path.join(BASE, "k.npz"))
    os.rename(os.path.join(BASE, "run"), os.path.join(BASE, "classified"))
    p, m, k = (os.path.join(BASE, name) for name in ("p.npz", "m.npz", "k.npz"))
    bench = ["bench", "cd", "ais", "ward", "--data", os.path.join(BASE, "bare.csv"), "--hidden", "2",
             "--batch", "2", "--cd", "1", "--repeats", "1", "--quiet"]
    reproduce = ["reproduce", "fig3", "--scale", "tiny", "-o", "run", "--quiet"]
    return [
        Case("data info", ["data", "info", *data, "--shape", "3x4", "--sheet", "o.png", "--force"],
             old=["o.png"]),
        Case("verify", ["verify", p, "--json"]),
        Case("patterns", ["patterns", *data, "-o", "o.npz", "--force", "--json"], old=["o.npz"]),
        Case("map", ["map", p, "-o", "o.npz", "--picture", "o.png", "--force", "--json"],
             old=["o.npz", "o.png"]),
        Case("train", [*train, "2"], resume=[*train, "2", "--resume"], stride=3),
        Case("train --resume", ["train", "-o", "run", "--resume", "--epochs", "2", "--quiet"],
             start="trained", resume=["train", "-o", "run", "--resume", "--epochs", "2", "--quiet"],
             stride=3),
        Case("sample", ["sample", m, "-o", "o.npz", "--count", "3", "--steps", "2", "--force", "--quiet"],
             old=["o.npz"]),
        Case("score", ["score", m, *data, "--method", "ais", "--chains", "16", "--steps", "10",
                       "--quiet", "--json"]),
        Case("recall", ["recall", p, *data, "-o", "o.csv", "--force", "--quiet"], old=["o.csv"]),
        Case("unmap", ["unmap", m, "-o", "o.npz", "--force", "--quiet"], old=["o.npz"], stride=3),
        Case("classify", [*classify, "2"], resume=[*classify, "2", "--resume"], stride=3),
        Case("classify --resume", ["classify", "-o", "run", "--resume", "--epochs", "2", "--quiet"],
             start="classified",
             resume=["classify", "-o", "run", "--resume", "--epochs", "2", "--quiet"], stride=3),
        Case("classify --model", ["classify", "--model", k, *data, "--predictions", "o.csv", "--force"],
             old=["o.csv"]),
        Case("bench", bench, stride=3, clock="forward"),
        Case("reproduce", reproduce, resume=reproduce, stride=40, mnist=True),
    ]


# ---- the sweeps -------------------------------------------------------------------------------------

def thin(case, by):
    """Every so many-th in this mode."""
    return case.stride * by if QUICK else (case.stride if case.mnist else 1)


def sweep_allocations(case, mark):
    """n fails, or n and all later ones ('+'); until one comes through that needs fewer than n."""
    stride = thin(case, 17) if QUICK else case.stride
    passed = 0
    for n in itertools.count(1, stride):
        with place(case) as cwd:
            result = execute(case, cwd, ISINGLASS_FAIL_ALLOCATION=f"{n}{mark}")
            judge("allocation fails " + ("for ever" if mark else "once"), case, result, cwd, [5],
                  f"n = {n}")
        # One that fails alone may be one that was not needed; several in a row are the end.
        passed = passed + 1 if result.code == 0 else 0
        if passed >= (1 if mark else 6):
            break


KINDS = ["ENOSPC", "ENOSPC+", "EIO", "EINTR", "short"]


def sweep_files(case, kind):
    codes = [4, 7] if case.resume else [4]
    for n in itertools.count(1, thin(case, 5)):
        with place(case) as cwd:
            result = execute(case, cwd, FAULT_KIND=kind.rstrip("+"),
                             FAULT_CALL=f"{n}{'+' if kind.endswith('+') else ''}")
            if result.call is None:
                break
            can_clean = not kind.endswith("+") and not result.call.startswith("unlink")
            judge(f"{kind.rstrip('+')} " + ("from call n on" if "+" in kind else "at call n"), case,
                  result, cwd, codes, f"{result.call}, n = {n}", can_clean)
        with table_lock:
            hits[kind, result.call] += 1


hits = collections.Counter()


def sweep_kills(case, kind):
    for n in itertools.count(1, thin(case, 5)):
        with place(case) as cwd:
            result = execute(case, cwd, FAULT_KIND=kind, FAULT_CALL=str(n))
            if result.call is None:
                break
            judge("SIGKILL " + ("after call n" if "after" in kind else "before call n"), case, result,
                  cwd, [-signal.SIGKILL], f"{result.call}, n = {n}")


def sweep_streams(case):
    with open("/dev/full", "w") as full, place(case) as cwd:
        judge("stdout is /dev/full", case, execute(case, cwd, stdout=full), cwd, [4])
    with place(case) as cwd:
        judge("stdout is closed", case, execute(case, cwd, limits=lambda: os.close(1)), cwd, [4])
    with place(case) as cwd:
        reader, writer = os.pipe()
        os.close(reader)
        result = execute(case, cwd, stdout=writer, limits=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
        os.close(writer)
        problem = None if result.code in (4, -signal.SIGPIPE) else f"exit {result.code}"
        if not problem and case.resume:
            problem = resumed(case, cwd)
        count("reader of stdout is gone", case.name, problem, True)


def sweep_sizes(case):
    def limit(size):
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    for size in (0, 100, 400, 1000, 2000, 4000, 8000) if not QUICK else (0, 1000):
        with place(case) as cwd, open(os.path.join(os.path.dirname(cwd), "out"), "w+b") as out:
            result = execute(case, cwd, limits=limit(size), stdout=out)
            out.seek(0)
            judge("file-size limit", case, result._replace(out=out.read()), cwd, [4], f"{size} bytes")


def can_mount():
    return subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=16k", "none", SCRATCH],
                          stderr=subprocess.DEVNULL).returncode == 0


def sweep_full_disk(case):
    """A file system of so many pages, which the directory is copied to and back from."""
    script = r'''mount -t tmpfs -o size="$1" none "$2" && cp -r "$3/." "$2" && cd "$2" || exit 99
        shift 3; "$@"; code=$?; cd /; cp -r "$WHERE/." "$BACK"; exit $code'''
    for pages in (1, 2, 3, 4, 6, 8, 12) if not QUICK else (2, 6):
        with place(case) as cwd:
            top = os.path.dirname(cwd)
            disk, back = os.path.join(top, "disk"), os.path.join(top, "b")
            os.mkdir(disk)
            os.mkdir(back)
            result = execute(case, cwd, WHERE=disk, BACK=back, prefix=[
                "unshare", "-m", "bash", "-c", script, "bash", f"{4 * pages}k", disk, cwd])
            if result.code == 99: # what it starts from does not fit
                continue
            judge("full tmpfs", case, result._replace(tree=read_tree(back)), back, [4],
                  f"{pages} pages")


def sweep_read_only(case):
    drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.getuid() == 0 else []
    with place(case) as cwd:
        for folder in [cwd, *([os.path.join(cwd, "run")] if case.start else [])]:
            os.chmod(folder, 0o555)
        result = execute(case, cwd, prefix=drop)
        for folder in [cwd, *([os.path.join(cwd, "run")] if case.start else [])]:
            os.chmod(folder, 0o755)
        judge("read-only directory", case, result, cwd, [4])


def sweep_threads(case):
    """None of the threads asked for, and one of them."""
    for allowed in ("0", "1"):
        with place(case) as cwd:
            result = execute(case, cwd, arguments=[*case.arguments, "--threads", "3"],
                             FAULT_THREADS=allowed)
            same = result.code == 0 and essence(result.tree) == essence(case.reference().tree) and \
                all(result.tree[name] != b"old\n" for name in case.old)
            count("no threads", case.name, None if same else f"exit {result.code}: {result.err[:300]}",
                  False)


def numbers_of(out):
    """The output without what is measured by the clock."""
    return [re.sub(rb"[-+.\de]*\d", b"#", line) if re.search(rb"second|rate|/s|\bs\b|time", line) else line
            for line in out.splitlines()]


def sweep_clocks(case):
    # A measurement waits until time has passed; where it only goes back, that is for ever.
    for how in ("back", "forward", "jump") if case.name != "bench" else ("forward",):
        with place(case) as cwd:
            result = execute(case, cwd, FAULT_CLOCK=how)
            problem = None
            text = result.out.decode() + result.tree.get("run/epochs.csv", b"").decode()
            if result.code != 0:
                problem = f"exit {result.code}: {result.err[:300]}"
            elif re.search(r"(second\S*|time)\W+-\d|-[\d.]+ s\b", text):
                problem = "negative time: " + text[:300]
            elif essence(result.tree) != essence(case.reference().tree):
                problem = "other numbers"
            elif case.name != "bench" and numbers_of(result.out) != numbers_of(case.reference().out):
                problem = "another output"
            if not problem and case.resume:
                problem = resumed(case, cwd)
            count("clock goes " + how, case.name, problem and f"{how}: {problem}", False)


def sweep_two(case):
    """A second process while the first one is at work."""
    with place(case) as cwd:
        arguments = [*case.arguments]
        arguments[arguments.index("--epochs") + 1] = "1000000"
        first = subprocess.Popen([PROGRAM, *arguments], cwd=cwd, env=ENVIRONMENT,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        checkpoint = os.path.join(cwd, "run", "checkpoint-1.npz")
        while first.poll() is None and not os.path.exists(checkpoint):
            time.sleep(0.01)
        second = execute(case, cwd, arguments=case.resume)
        first.kill()
        first.wait()
        is_refused = second.code == 4 and f"process {first.pid} is at work" in second.err
        count("two processes on one run", case.name,
              None if is_refused else f"exit {second.code}: {second.err[:300]}", True)


def sweep_settings(case):
    """Every bit of run.json: nothing but spaces may change without being noticed."""
    path = os.path.join(BASE, case.start, "run.json")
    with open(path, "rb") as file:
        whole = file.read()
    for bit in range(0, 8 * len(whole), 61 if QUICK else 3):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        with place(case) as cwd:
            with open(os.path.join(cwd, "run", "run.json"), "wb") as file:
                file.write(damaged)
            result = execute(case, cwd)
            with open(os.path.join(cwd, "run", "run.json"), "wb") as file:
                file.write(whole) # from a backup
            judge("bit of run.json flipped", case, result, cwd, [7], f"bit {bit}")


def sweep_bits():
    directory = os.path.join(SCRATCH, "bits")
    os.mkdir(directory)
    with np.load(os.path.join(BASE, "m.npz")) as model:
        np.savez_compressed(os.path.join(directory, "numpy.npz"), **{n: model[n] for n in ("W", "b", "c", "beta")})
    done = subprocess.run([os.path.join(BUILD, "tests", "flip_bits"), directory, "23" if QUICK else "1",
                           os.path.join(directory, "numpy.npz")], capture_output=True, text=True)
    for line in done.stdout.splitlines():
        cells = line.split(" | ")
        if len(cells) == 6:
            row = table[cells[0], cells[1]] = Row()
            row.injected, row.clean, row.harmless, row.lost = map(int, cells[2:])
        else:
            losses.append(line)
    if done.returncode != 0:
        losses.append(f"flip_bits: exit {done.returncode}: {done.stderr}")


# ---- all of it --------------------------------------------------------------------------------------

def jobs(cases):
    """Pairs of a function and its arguments, by sweep."""
    runs = [c for c in cases if c.resume and "--epochs" in c.arguments]
    resumes = [c for c in cases if c.start]
    writing = [c for c in cases if c.writes]
    small = [c for c in cases if not c.mnist]
    yield "bits", [(sweep_bits,)]
    yield "settings", [(sweep_settings, c) for c in resumes]
    yield "kills", [(sweep_kills, c, k) for c in writing for k in ("kill", "kill-after")]
    yield "files", [(sweep_files, c, k) for c in small for k in KINDS]
    yield "allocations", [(sweep_allocations, c, mark) for c in small for mark in ("", "+")]
    yield "streams", [(sweep_streams, c) for c in small]
    yield "sizes", [(sweep_sizes, c) for c in small if c.writes]
    if can_mount():
        yield "disk", [(sweep_full_disk, c) for c in small if c.writes]
    else:
        print("no right to mount a file system here: no full disk; see the file-size limits")
    yield "read-only", [(sweep_read_only, c) for c in small if c.writes]
    yield "threads", [(sweep_threads, c) for c in small if c.name != "bench"]
    yield "clocks", [(sweep_clocks, c) for c in small]
    yield "two", [(sweep_two, c) for c in runs if not c.start]


def main():
    begun = time.time()
    cases = [c for c in make_inputs() if not c.mnist or os.environ.get("ISINGLASS_DATA") and not QUICK]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, work in jobs(cases):
            if WANTED and name not in WANTED:
                continue
            started = time.time()
            for future in [pool.submit(*job) for job in work]:
                future.result()
            print(f"{name}: {time.time() - started:.0f} s", file=sys.stderr)
    print("fault | verb or file | injected | clean errors | harmless | lost")
    for (fault, verb), row in table.items():
        print(f"{fault} | {verb} | {row.injected} | {row.clean} | {row.harmless} | {row.lost}")
    rows = table.values()
    total = [sum(getattr(row, name) for row in rows) for name in ("injected", "clean", "harmless", "lost")]
    print("all | | " + " | ".join(map(str, total)))
    print("calls that failed: " + ", ".join(f"{call} {n}" for call, n in sorted(
        (sum((collections.Counter({c: n}) for (_, c), n in hits.items()), collections.Counter())).items())))
    for line in losses[:40]:
        print("LOST " + line)
    print(f"{time.time() - begun:.0f} s")
    return 1 if losses or not total[0] else 0


try:
    status = main()
finally:
    shutil.rmtree(SCRATCH, ignore_errors=True)
sys.exit(status)
