"""harness.py - verbs, the places they run in, and what counts as the same; for sweep.py

SPDX-License-Identifier: MIT
"""
import collections, hashlib, io, os, re, shutil, signal, subprocess, tempfile, threading, zipfile

PROGRAM, BUILD = os.environ["ISINGLASS"], os.environ["BUILD"]
PRELOAD = os.path.join(BUILD, "tests", "libfault_preload.so")
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


def forget_process(pid):
    """LLVM's OpenMP keeps a file for every process, and waits for ever in one that finds a file of its
    number, left by a process that was killed."""
    try:
        os.unlink(f"/dev/shm/__KMP_REGISTERED_LIB_{pid}_{os.getuid()}")
    except FileNotFoundError:
        pass


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
    forget_process(process.pid)
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
        if is_leftover(name):
            continue
        if leaf.startswith("model") or leaf in ("classifier.npz", "patterns-1.npz"):
            kept[name] = arrays_of(content)
        elif leaf == "epochs.csv":
            rows = [line.split(",") for line in content.decode().splitlines()]
            kept[name] = [row[:2] + row[3:] for row in rows]
        elif leaf == "claims.csv":
            kept[name] = [row for row in content.splitlines() if b"as measured on this machine" not in row]
        elif leaf.endswith((".csv", "-ubyte")):
            kept[name] = content
    return kept


def numbers_of(out):
    """The output without what is measured by the clock."""
    return [line.split()[:1] if re.search(rb"second|/s\b|\d s\b|^time", line) else line
            for line in out.splitlines()]


def is_leftover(name):
    return name.endswith(".tmp") or os.path.basename(name) == "run.lock"


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
        is_same = result.out == whole.out or case.resume and numbers_of(result.out) == numbers_of(whole.out)
        if not is_same: # an older checkpoint, repeated, takes other times
            problem = "success with another output"
        elif same != whole.tree and (not case.resume or essence(same) != essence(whole.tree)):
            problem = f"success with other files: {sorted(set(same) ^ set(whole.tree))}"
    else:
        problem = complaint(case, result, codes, is_clean_up_possible)
        if not problem and case.resume:
            problem = resumed(case, cwd)
    count(fault, case.name, problem and f"{label}: {problem}", result.code != 0)
