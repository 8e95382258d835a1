#!/usr/bin/python3
"""sweep.py - the program on a system that fails, at every point where it can

SPDX-License-Identifier: MIT

    sweep.py quick|full [SWEEP or VERB...]

Runs every verb on a few samples, again and again, with one fault each time, and looks at what is
left. Three outcomes are known: a clean error (a documented exit code, one line on stderr, every file
either as before or complete, no temporary file), success with the very bytes of an undisturbed run,
and everything else, which is lost. A run directory that an error or a kill left behind must be
resumed to the same weights. Prints a table; exit status 1 if anything was lost.

Of the environment: ISINGLASS (the program), BUILD (where fault_preload and flip_bits are), SCRATCH;
ISINGLASS_DATA with MNIST, for the sweeps of `reproduce` and `data get` only. `quick` takes a part of everything.
"""
import collections, concurrent.futures, itertools, os, re, resource, shutil, signal, subprocess, sys
import tempfile, threading, time
import numpy as np
sys.dont_write_bytecode = True # nothing is to be left in the sources
from harness import *

QUICK, WANTED = sys.argv[1] == "quick", sys.argv[2:]

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
    train = ["train", *data, "-o", "run", "--batch", "9", "--sweeps", "1", "--pcd", "--fields", "--quiet",
             "--save-every", "0", "--epochs"]
    classify = ["classify", data[0], *data, "-o", "run", "--per-class", "1", "--batch", "4", "--sweeps", "1",
                "--quiet", "--save-every", "0", "--epochs"]

    tune = ["classify", data[0], *data, "-o", "run", "--per-class", "1", "--batch", "4", "--finetune", "--hold-out",
            "0.3", "--quiet", "--json", "--save-every", "0", "--epochs", "2"]
    keep = ["train", *data, "-o", "run", "--batch", "9", "--sweeps", "1", "--constraint", "stiefel", "--learn-beta",
            "--measure-every", "1", "--quiet", "--save-every", "0", "--epochs", "2"]

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
    run("deepen", "m.npz", *data, "-o", "d.npz", "--quiet")
    p, m, k, d = (os.path.join(BASE, name) for name in ("p.npz", "m.npz", "k.npz", "d.npz"))
    bench = ["bench", "cd", "ais", "ward", "--data", os.path.join(BASE, "bare.csv"), "--hidden", "2",
             "--batch", "2", "--sweeps", "1", "--repeats", "1", "--quiet"]
    reproduce = ["reproduce", "fig3", "--scale", "tiny", "-o", "run", "--quiet"]
    get = ["data", "get", "mnist", "--from", os.path.join(os.environ.get("ISINGLASS_DATA", ""), "mnist"),
           "--data-dir", "."]
    return [
        Case("data info", ["data", "info", *data, "--shape", "3x4", "--picture", "o.png", "--force"],
             old=["o.png"]),
        Case("verify", ["verify", p, "--json"]),
        Case("patterns", ["patterns", *data, "-o", "o.npz", "--force", "--json"], old=["o.npz"]),
        Case("patterns --learn", ["patterns", *data, "-o", "o.npz", "--learn", "--force", "--json"], old=["o.npz"]),
        Case("map", ["map", p, "-o", "o.npz", "--picture", "o.png", "--force", "--json"],
             old=["o.npz", "o.png"]),
        Case("train", [*train, "2"], resume=[*train, "2", "--resume"], stride=3),
        Case("train --resume", ["train", "-o", "run", "--resume", "--epochs", "2", "--quiet"],
             start="trained", resume=["train", "-o", "run", "--resume", "--epochs", "2", "--quiet"],
             stride=3),
        Case("train --constraint", keep, resume=[*keep, "--resume"], stride=3),
        Case("states", ["states", p, "-o", "o.npz", "--force", "--quiet"], old=["o.npz"], stride=3),
        Case("sample --jump", ["sample", m, "-o", "o.npz", "--count", "3", "--sweeps", "2", "--jump", "--force",
                               "--quiet"], old=["o.npz"], stride=3),
        Case("sample", ["sample", m, "-o", "o.npz", "--count", "3", "--sweeps", "2", "--force", "--quiet"],
             old=["o.npz"]),
        Case("score", ["score", m, *data, "--method", "ais", "--chains", "16", "--steps", "10",
                       "--quiet", "--json"]),
        Case("recall", ["recall", p, *data, "-o", "o.csv", "--force", "--quiet"], old=["o.csv"]),
        Case("unmap", ["unmap", m, "-o", "o.npz", "--force", "--quiet"], old=["o.npz"], stride=3),
        Case("unmap --method capture", ["unmap", m, "-o", "o.npz", "--method", "capture", "--samples", "20", "--force",
                                        "--quiet"], old=["o.npz"], stride=3),
        Case("classify --finetune", tune, resume=[*tune, "--resume"], stride=3),
        Case("classify", [*classify, "2"], resume=[*classify, "2", "--resume"], stride=3),
        Case("classify --resume", ["classify", "-o", "run", "--resume", "--epochs", "2", "--quiet"],
             start="classified",
             resume=["classify", "-o", "run", "--resume", "--epochs", "2", "--quiet"], stride=3),
        Case("classify --model", ["classify", "--model", k, *data, "--predictions", "o.csv", "--force"],
             old=["o.csv"]),
        Case("deepen", ["deepen", m, *data, "-o", "o.npz", "--samples", "o.csv", "--count", "5", "--force", "--quiet"],
             old=["o.npz", "o.csv"], stride=3),
        Case("deepen DEEP.npz", ["deepen", d, *data, "--predictions", "o.csv", "--samples", "o.png", "--force",
                                 "--quiet"], old=["o.csv", "o.png"]),
        Case("bench", bench, stride=3, clock="forward"),
        Case("reproduce", reproduce, resume=reproduce, stride=40, mnist=True),
        Case("data get", get, resume=get, stride=40, mnist=True),
    ]


# ---- the sweeps -------------------------------------------------------------------------------------

def calls(case, share=1):
    """1, 2, 3, ..., or some of them, and fewer where one takes seconds."""
    return itertools.count(1, case.stride * 13 if QUICK else case.stride * share if case.mnist else 1)


def count_allocations(case):
    """How many there are, within a few: the first n from which on they may all fail."""
    def suffices(n):
        with place(case) as cwd:
            return execute(case, cwd, ISINGLASS_FAIL_ALLOCATION=f"{n}+").code == 0
    high = next(n for n in (64 << k for k in range(20)) if suffices(n))
    low = high // 2
    while high - low > max(1, high // 64):
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return high


def sweep_allocations(case, mark):
    """Number n fails, alone or with all that follow ('+')."""
    total = count_allocations(case)
    for n in range(1, total + 2, max(1, total // (3 if QUICK else 15 if case.mnist else 2500))):
        with place(case) as cwd:
            result = execute(case, cwd, ISINGLASS_FAIL_ALLOCATION=f"{n}{mark}")
            judge("allocation fails " + ("for ever" if mark else "once"), case, result, cwd, [5],
                  f"n = {n} of {total}")


KINDS = ["ENOSPC", "ENOSPC+", "EIO", "EINTR", "short"]


def sweep_files(case, kind):
    codes = [4, 7] if case.resume else [4]
    for n in calls(case, 4):
        with place(case) as cwd:
            result = execute(case, cwd, FAULT_KIND=kind.rstrip("+"),
                             FAULT_CALL=f"{n}{'+' if kind.endswith('+') else ''}")
            if result.call is None:
                break
            # What cannot be locked is not removed either, since it may be another's lock.
            can_clean = not kind.endswith("+") and result.call not in ("unlink", "unlinkat", "flock")
            judge(f"{kind.rstrip('+')} " + ("from call n on" if "+" in kind else "at call n"), case,
                  result, cwd, codes, f"{result.call}, n = {n}", can_clean)
        with table_lock:
            hits[kind, result.call] += 1


hits = collections.Counter()


def sweep_kills(case, kind):
    for n in calls(case):
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
        first.send_signal(signal.SIGSTOP) # its files stand still while they are read
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
    for bit in range(0, 8 * len(whole), 401 if QUICK else 7):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        with place(case) as cwd:
            with open(os.path.join(cwd, "run", "run.json"), "wb") as file:
                file.write(damaged)
            result = execute(case, cwd)
            with open(os.path.join(cwd, "run", "run.json"), "wb") as file:
                file.write(whole) # from a backup
            judge("bit of run.json flipped", case, result, cwd, [7], f"bit {bit}")


def sweep_generations(case):
    """A checkpoint cut short: the other one is used, with a remark; without either, refused."""
    arguments = [word for word in case.arguments if word != "--quiet"]
    names = ["checkpoint-1.npz", "checkpoint-2.npz"]
    for damaged in ([names[0]], [names[1]], names):
        for share in (0, 0.01, 0.5, 0.999):
            with place(case) as cwd:
                for name in damaged:
                    path = os.path.join(cwd, "run", name)
                    os.truncate(path, int(share * os.path.getsize(path)))
                result = execute(case, cwd, arguments=arguments)
                problem = None
                if len(damaged) == 2 and result.code != 7:
                    problem = f"exit {result.code}: {result.err[:300]}"
                elif len(damaged) == 1 and (result.code != 0 or "other checkpoint" not in result.err):
                    problem = f"exit {result.code}, not said: {result.err[:300]}"
                elif result.code == 0 and essence(result.tree) != essence(case.reference().tree):
                    problem = "other numbers"
                count("checkpoints cut short", case.name, problem, result.code != 0)


def sweep_bits():
    directory = os.path.join(SCRATCH, "bits")
    os.mkdir(directory)
    with np.load(os.path.join(BASE, "m.npz")) as model:
        np.savez_compressed(os.path.join(directory, "numpy.npz"), **{n: model[n] for n in ("W", "b", "c", "beta")})
    done = subprocess.run([os.path.join(BUILD, "tests", "flip_bits"), directory, "37" if QUICK else "1",
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
    yield "generations", [(sweep_generations, c) for c in resumes]
    yield "kills", [(sweep_kills, c, k) for c in writing for k in ("kill", "kill-after")]
    yield "files", [(sweep_files, c, k) for c in cases for k in KINDS]
    yield "allocations", [(sweep_allocations, c, mark) for c in cases for mark in ("", "+")]
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
    global WANTED
    if os.environ.get("SANITIZE"): # a sanitizer must be the first library, and so cannot be preloaded
        WANTED = ["bits"]
    begun = time.time()
    cases = [c for c in make_inputs() if not c.mnist or os.environ.get("ISINGLASS_DATA") and not QUICK]
    verbs = [c.name for c in cases if c.name in WANTED]
    sweeps = [word for word in WANTED if word not in verbs]
    cases = [c for c in cases if not verbs or c.name in verbs]
    with concurrent.futures.ThreadPoolExecutor(2 * os.cpu_count()) as pool:
        chosen = [job for name, work in jobs(cases) if not sweeps or name in sweeps for job in work]
        for future in [pool.submit(*job) for job in chosen]:
            future.result()
    print("fault | verb or file | injected | clean errors | harmless | lost")
    for (fault, verb), row in sorted(table.items()):
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
