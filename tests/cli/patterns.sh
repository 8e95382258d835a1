# Patterns from small data, and how they are refused.
try patterns --help
printf 'a,1,0,0\na,1,1,0\nb,0,0,1\n' >x.csv
try patterns x.csv --label-column 1 -o x.npz
try patterns x.csv --label-column 1 -o x.npz
try patterns x.csv --label-column 1 -o x.npz --force --json
try patterns x.csv --label-column 1 -o capped.npz --per-class 2
try patterns x.csv --label-column 1 -o y.npz --per-class 0
try patterns x.csv --label-column 1 -o y.npz --force --per-class 9999999999999
try patterns x.csv --label-column 1 -o y.txt
try patterns x.csv --label-column 1 -o no/such/place.npz
try patterns x.csv --label-column 1
try patterns -o y.npz
try patterns x.csv --label-column 1 -o z.npz --limit 2
# The units that tell patterns apart, with names where there are any.
/usr/bin/python3 - <<'END_OF_PROGRAM'
import numpy as np
x = np.array([[1, 1, 0, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 0], [1, 1, 1, 1]])
np.savez("named.npz", X=x, y=np.array(["left", "left", "right", "right", "right"]),
         units=np.array(["budget", "crime, or not", "water", "trade"]), ids=np.array(list("abcde")))
END_OF_PROGRAM
try patterns named.npz -o named_p.npz --table t.csv --top 2
cat t.csv
try patterns named.npz -o named_p.npz --table t.csv --top 9 --per-class 2 --force --json
wc -l <t.csv
try patterns x.csv --label-column 1 -o top.npz --top 2 --quiet
try patterns named.npz -o p.npz --class left --top 2
try patterns named.npz -o p.npz --table t.txt
# Where all samples are of one pattern, nothing is known of the others.
/usr/bin/python3 -c 'import numpy as np; np.savez("same.npz", X=np.ones((30, 20), int))'
try patterns same.npz --learn --patterns 2 --random --table same.csv --top 3 -o same_p.npz
cat same.csv
isinglass patterns named.npz -o p.npz --picture p.png >/dev/null || echo failed; head -c 4 p.png | tail -c 3; echo
isinglass patterns named.npz --shape 2x2 -o i.npz --picture i.png >/dev/null || echo failed; head -c 4 i.png | tail -c 3; echo
ls
# Learned patterns: from classes, from any number without labels, from a file, at random.
/usr/bin/python3 - <<'END_OF_PROGRAM'
import numpy as np
random = np.random.default_rng(1)
prototypes = random.random((4, 40)) < 0.4
np.savez("noisy.npz", X=prototypes[np.arange(60) % 4] ^ (random.random((60, 40)) < 0.35), y=np.arange(60) % 4)
END_OF_PROGRAM
try patterns noisy.npz -o learned.npz --learn
try patterns noisy.npz -o kept.npz --learn --memory 0.3 --json
try patterns noisy.npz -o three.npz --patterns 3 --learn --rounds 1
try patterns noisy.npz -o on.npz --patterns three.npz --learn --beta 1
try patterns noisy.npz -o random.npz --patterns 5 --random --learn --quiet --seed 2
try patterns noisy.npz -o five.npz --patterns 5 --quiet
try patterns noisy.npz -o other.npz --patterns 0
try patterns noisy.npz -o other.npz --patterns 41 --learn --random
try patterns noisy.npz -o other.npz --patterns 41 --learn
try patterns noisy.npz -o other.npz --per-class 11 --learn
try patterns noisy.npz -o other.npz --patterns nowhere.npz --learn
try patterns noisy.npz -o other.npz --patterns x.npz --learn
try patterns noisy.npz -o other.npz --patterns -3 --learn
# A signal while learning: what is learned is saved, and more can be learned from it.
/usr/bin/python3 - <<'END_OF_PROGRAM'
import signal, subprocess
import numpy as np
random = np.random.default_rng(2)
prototypes = random.random((40, 400)) < 0.5
np.savez("long.npz", X=prototypes[np.arange(4000) % 40] ^ (random.random((4000, 400)) < 0.4))
learn = "isinglass patterns long.npz --learn --force --quiet".split()
for name, how in ("INT", signal.SIGINT), ("TERM", signal.SIGTERM):
    for wait in 1, 0.3, 3, 10:
        run = subprocess.Popen([*learn, "-o", f"{name}.npz", "--random", "--patterns", "120"], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        try:
            run.wait(wait)
        except subprocess.TimeoutExpired:
            run.send_signal(how)
        out, err = run.communicate()
        if run.returncode > 0: # neither over nor not yet begun
            break
    print(run.returncode, repr(out), err, end="")
    on = subprocess.run([*learn, "-o", "on.npz", "--patterns", f"{name}.npz", "--rounds", "1"], capture_output=True)
    print(np.load(f"{name}.npz")["xi"].shape, on.returncode)
END_OF_PROGRAM
# Learning goes on by the rule and the names of the patterns, in whatever order the columns are.
printf 'k,b,a,c\n0,1,7,3\n0,2,8,4\n1,5,3,9\n1,6,2,8\n1,5,1,9\n' >values.csv
printf 'k,c,a,b\n0,3,7,1\n0,4,8,2\n1,9,3,5\n1,8,2,6\n1,9,1,5\n' >turned.csv
try patterns values.csv --label-column k --binarize median -o start.npz
try patterns values.csv --label-column k --patterns start.npz --learn -o one.npz --json
try patterns turned.csv --label-column k --patterns start.npz --learn -o two.npz --quiet --json
try patterns values.csv --label-column k --patterns start.npz --learn --binarize mean -o other.npz
try patterns noisy.npz -o other.npz --patterns three.npz
try patterns noisy.npz -o other.npz --patterns 3 --per-class 2
try patterns noisy.npz -o other.npz --random
try patterns noisy.npz -o other.npz --rounds 3
try patterns noisy.npz -o other.npz --learn --memory -1
try patterns named.npz -o other.npz --learn --per-class 2
