#!/bin/bash
# The figures of the paper at tiny scale: every table has its columns, an interrupted and
# even a killed run ends with the same numbers, a second call does nothing, a broken gnuplot costs the
# pictures alone, and results of another seed are refused.
set -eu
: "${ISINGLASS_DATA:?must name a data directory with MNIST, see CONTRIBUTING.md}"
cd "$SCRATCH"
rm -rf ./*
cp -a ../figures/{whole,whole.json} .
exec /usr/bin/python3 - <<'PYTHON'
import csv, glob, json, os, shutil, signal, subprocess, sys, time

program = [os.environ["ISINGLASS"], "reproduce", "--scale", "tiny", "--quiet"]

def call(*more, **keywords):
    return subprocess.run(program + list(more), capture_output=True, text=True, **keywords)

def tables(directory):
    names = sorted(glob.glob(directory + "/tiny/*/*.csv"))
    return {name[len(directory):]: open(name, "rb").read() for name in names}

def stop(directory, pieces, how, code):
    """Runs until so many pieces are kept, one more at least, and ends it."""
    before = len(json.load(open(directory + "/tiny/pieces.json"))) if os.path.exists(directory) else 0
    run = subprocess.Popen(program + ["-o", directory], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    kept = directory + "/tiny/pieces.json"
    pieces = max(pieces, before + 1)
    while run.poll() is None and not (
            os.path.exists(kept) and len(json.load(open(kept))) >= pieces):
        time.sleep(0.001)
    if before == 0: # two at once would write over each other
        run.send_signal(signal.SIGSTOP) # however long the second one takes
        second = call("-o", directory)
        run.send_signal(signal.SIGCONT)
        assert second.returncode == 4 and f"process {run.pid} is at work" in second.stderr, second
    run.send_signal(how)
    out, err = run.communicate()
    assert run.returncode == code and out == "", (run.returncode, out, err)
    found = len(json.load(open(kept)))
    print(f"stopped by {how.name} with {found} pieces: {err.strip()}")
    return found, err

# As if nothing happened.
result = json.load(open("whole.json"))
figures = {f["name"]: f for f in result["figures"]}
assert list(figures) == ["fig2", "fig3", "fig4", "fig5", "figD1", "figD2", "figE1"], list(figures)
columns = {
    "fig2/fig2.csv": "k,n_hidden,beta,data_term,ais,ais_error,ais_ess,log_likelihood,error,method,trusted",
    "fig3/fig3.csv": "unit_row,unit_column,mu,before,after",
    "fig3/fig3-values.csv": "mu,singular_before,singular_after,cosine",
    "fig4/fig4.csv": "p,start,run,epoch,data_term,ais,ais_error,log_likelihood,error,method,trusted",
    "fig4/fig4-curves.csv": "p,start,epoch,runs,mean,deviation,lowest,highest,best_mean,best_deviation,"
                            "best_trusted",
    "fig5/fig5.csv": "k,start,run,epoch,test_error,train_error,converged,loss",
    "fig5/fig5-curves.csv": "k,start,epoch,runs,test_error,lowest,highest",
    "figE1/figE1.csv": "k,start,run,epoch,test_error,train_error,converged,loss",
    "figE1/figE1-curves.csv": "k,start,epoch,runs,test_error,lowest,highest",
    "figD1/figD1.csv": "row,column,pattern,xi0,wx,descent,relax",
    "figD1/figD1-patterns.csv": "method,pattern,label,residual,error,bits_changed,fixed_point,"
        "fixed_point_without_diagonal,stable,small,compatible,left_over",
    "figD2/figD2.csv": "network,protocol,accuracy,error,samples,decided_at_start,decided,ensembles,"
        "undecided,patterns,negative,spurious,two_cycle,nearest_pattern_accuracy,projection_accuracy",
    "figD2/figD2-table.csv": "network,protocol,class,outcome,share",
}
assert set(tables("whole")) == {"/tiny/" + name for name in columns}, list(tables("whole"))
for name, heading in columns.items():
    rows = list(csv.reader(open("whole/tiny/" + name)))
    assert ",".join(rows[0]) == heading and len(rows) > 3, (name, rows[0])
    assert all(len(row) == len(rows[0]) for row in rows), name
for figure in figures.values():
    assert figure["finished"] and figure["seconds"] > 0 and figure["caption"], figure
    for name in figure["files"]:
        assert os.path.getsize(name) > 0, name
    picture = open(f"whole/tiny/{figure['name']}/{figure['name']}.svg").read()
    assert picture.rstrip().endswith("</svg>"), figure["name"]
    record = json.load(open(f"whole/tiny/{figure['name']}/figure.json"))
    assert {"name", "title", "caption", "command", "scale", "seed", "version", "seconds", "parameters",
            "files"} == set(record), record

# Finished results stay untouched; removed ones are recomputed, with the same bytes.
def times():
    return {name: os.stat(name).st_mtime_ns for name in glob.glob("whole/tiny/**", recursive=True)
            if os.path.isfile(name) and "/claims." not in name} # written every time, see claims.sh
before = times()
again = call("-o", "whole", "--json")
assert json.loads(again.stdout) == result and times() == before
os.remove("whole/tiny/fig3/fig3.csv")
assert call("fig3", "-o", "whole").returncode == 0
assert os.path.getsize("whole/tiny/fig3/fig3.csv") > 0

# Stopped four times, killed once in the middle, and the same in the end.
at = [stop("parts", n, how, code)[0] for n, how, code in
      [(2, signal.SIGINT, 130), (10, signal.SIGINT, 130), (16, signal.SIGKILL, -9), (22, signal.SIGTERM, 143)]]
assert at == sorted(set(at)), at
found, err = stop("parts", 42, signal.SIGINT, 130) # among the experts
assert "to resume: isinglass reproduce --scale tiny --quiet -o parts" in err, err
assert call("-o", "parts").returncode == 0
assert tables("parts") == tables("whole"), "an interruption changed a number"

# Out of memory at some places, once or from there on: nothing is damaged.
for n in (450, 1400, 4000):
    for mark in "", "+":
        shutil.rmtree("lack", ignore_errors=True)
        lack = call("figD2", "-o", "lack", env={**os.environ, "ISINGLASS_FAIL_ALLOCATION": f"{n}{mark}"})
        assert lack.returncode in (0, 5), (n, mark, lack)
        assert lack.returncode == 0 or lack.stdout == "" and "out of memory" in lack.stderr, lack
assert call("figD2", "-o", "lack").returncode == 0
assert all(tables("whole")[name] == text for name, text in tables("lack").items())

# Another seed: refused by name, unless it may start anew.
other = call("-o", "parts", "--seed", "2", "figD2")
assert other.returncode == 7 and "was begun with seed 1, this is 2" in other.stderr, other
assert tables("parts") == tables("whole")

# A damaged model is recomputed; without settings.json nothing is reused or removed.
shutil.copytree("whole", "hurt")
model = sorted(glob.glob("hurt/tiny/runs/1-per-class-hopfield-1/model-*.npz"))[-1]
os.truncate(model, 100)
shutil.rmtree("hurt/tiny/fig3")
pieces = json.load(open("hurt/tiny/pieces.json"))
for key in [key for key in pieces if key.startswith(("fig3", "fig4")) or key == "checksum"]:
    del pieces[key]
json.dump(pieces, open("hurt/tiny/pieces.json", "w"))
assert call("fig3", "fig4", "-o", "hurt").returncode == 0 and os.path.getsize(model) > 1000
assert tables("hurt") == tables("whole"), "a damaged model changed a number"
os.remove("hurt/tiny/settings.json")
for more in [], ["--force"]:
    unknown = call("figD2", "-o", "hurt", "--seed", "7", *more)
    assert unknown.returncode == 7 and "pieces.json without settings.json" in unknown.stderr, unknown
os.makedirs("mine/tiny/runs")
open("mine/tiny/runs/thesis.txt", "w").write("not ours\n")
assert call("figD2", "-o", "mine", "--force").returncode == 0
assert open("mine/tiny/runs/thesis.txt").read() == "not ours\n"

# gnuplot that fails, and none at all.
os.mkdir("bin")
with open("bin/gnuplot", "w") as script:
    script.write("#!/bin/sh\necho 'could not find font' >&2\nexit 3\n")
os.chmod("bin/gnuplot", 0o755)
broken = call("figD2", "fig3", "-o", "broken", "--json",
              env={**os.environ, "PATH": os.getcwd() + "/bin:" + os.environ["PATH"]})
assert broken.returncode == 1 and "could not find font" in broken.stderr, broken
assert "all numbers are in broken/tiny" in broken.stderr, broken
assert [f["finished"] for f in json.loads(broken.stdout)["figures"]] == [False, False]
here = tables("broken")
assert len(here) == 4 and all(tables("whole")[name] == text for name, text in here.items())
assert not glob.glob("broken/tiny/*/*.svg") and not glob.glob("broken/tiny/*/*.log")
missing = call("figD2", "-o", "broken", env={**os.environ, "PATH": os.getcwd() + "/nowhere"})
assert missing.returncode == 1 and "apt install gnuplot" in missing.stderr, missing
assert call("figD2", "fig3", "-o", "broken").returncode == 0
assert os.path.exists("broken/tiny/figD2/figD2.svg")

# The script draws the same picture again, beside its tables.
os.rename("broken/tiny/figD2/figD2.svg", "first.svg")
subprocess.run(["gnuplot", "figD2.gp"], cwd="broken/tiny/figD2", check=True)
assert open("first.svg").read() == open("broken/tiny/figD2/figD2.svg").read()
PYTHON
