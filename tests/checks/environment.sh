#!/bin/bash
# In an unusual environment (locale, time zone, umask, preloaded libraries that change the rounding
# mode, very many variables, invalid numbers of threads), results have the same bits as in a plain one,
# and files have the permissions that the umask allows.
# shellcheck disable=SC2016 # what is in single quotes is evaluated later
set -eu
# In memory where possible: this is not a test of the disk.
work=$(mktemp -d /dev/shm/isinglass-XXXXXX 2>/dev/null || mktemp -d "$SCRATCH/XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
unset "${!OMP_@}" LC_ALL LANG TZ LD_PRELOAD
# What is preloaded comes before a sanitizer that is a library, which is against its rules.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0

die() {
    echo "$*"
    exit 1
}

# ---- libraries to be loaded along ---------------------------------------------------------------
preload() { # name; the body of what it does before main() comes from stdin
    {
        printf '#include <%s>\n' fenv.h locale.h stddef.h
        echo 'static __attribute__((constructor)) void meddle(void) {'
        cat
        echo '}'
    } | "$CC" -x c -shared -fPIC -O1 - -o "$1.so" -lm
}
preload flush <<'END'
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040); /* results, and operands */
#elif defined(__aarch64__)
    unsigned long control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" : : "r"(control | 1ul << 24));
#endif
END
for mode in UPWARD DOWNWARD TOWARDZERO; do
    preload $mode <<<"fesetround(FE_$mode);"
done
preload locale <<<'setlocale(LC_ALL, "");'
mkdir locales
localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 >localedef.txt 2>&1 || true # it may warn
export LOCPATH=$work/locales

# First check that they have their effect in a program that does not undo it.
"$CC" -x c -O0 - -o probe -lm <<'END'
#include <float.h>
#include <stdio.h>
int main(void) {
    volatile double least = DBL_MIN, one = 1, little = DBL_EPSILON / 4, most = 1 - DBL_EPSILON / 2;
    printf("%.1f %d%d%d\n", 0.5, least / 2 > 0, one + little > 1, most + little < 1);
    return 0;
}
END
expect_probe() { # what it must print, settings...
    local found
    found=$(env "${@:2}" ./probe)
    [[ $found == "$1" ]] || die "${*:2}: the probe says $found, not $1"
}
expect_probe "0.5 100" LC_ALL=C
expect_probe "0.5 000" LD_PRELOAD="$work/flush.so"
expect_probe "0.5 110" LD_PRELOAD="$work/UPWARD.so"
expect_probe "0.5 101" LD_PRELOAD="$work/DOWNWARD.so"
expect_probe "0.5 101" LD_PRELOAD="$work/TOWARDZERO.so"
expect_probe "0,5 100" LD_PRELOAD="$work/locale.so" LC_ALL=de_DE.UTF-8

# ---- what is run everywhere ---------------------------------------------------------------------
/usr/bin/python3 - <<'PYTHON'
import numpy as np
r = np.random.default_rng(1)
y = np.arange(60) % 3
x = r.choice([-1, 1], (3, 24))[y] * np.where(r.random((60, 24)) < 0.15, -1, 1)
open("toy.csv", "w").writelines(f"c{k}," + ",".join(f"{v / 2}" for v in row) + "\n" for k, row in zip(y, x))
PYTHON

verb() { # name, arguments...
    local status=0
    "$ISINGLASS" "${@:2}" --seed "${seed:-1}" >"$1.out" 2>"$1.err" || status=$?
    echo $status >"$1.status"
}
toy=(../../toy.csv --label-column 1)
verbs() {
    verb patterns patterns "${toy[@]}" -o P.npz --json
    verb map map P.npz -o M.npz --beta 1.5 --json
    verb train train "${toy[@]}" -o RUN --init normal --hidden 5 --epochs 3 --batch 7 --sweeps 3 --fields \
        --shuffle --rate 0.01,0.001@2 --json
    # Weights too small to be normal numbers.
    verb faint train "${toy[@]}" -o FAINT --init normal --hidden 5 --sd 1e-310 --rate 1e-312 --epochs 2 \
        --batch 7 --sweeps 2 --json
    verb score score M.npz "${toy[@]}" --method exact --json
    verb ais score RUN "${toy[@]}" --method ais --chains 20 --steps 20 --json
    verb sample sample RUN -o S.npz --count 9 --sweeps 5 --json
    verb classify classify "${toy[@]::1}" "${toy[@]}" --per-class 2 --epochs 1 --predictions p.csv --json
    verb refused train none.csv -o none --json
}

count=0
places=()
in_environment() { # name, a line that makes the environment
    count=$((count + 1))
    local place
    place=$(printf '%02d %s' $count "$1")
    places+=("$place")
    mkdir "$place"
    (
        cd "$place"
        umask "${mask:-022}"
        mkdir inside # what is made here has the permissions of the umask
        cd inside
        eval "$2"
        verbs
    )
}

# Permissions: exactly those that the umask allows.
expect_modes() { # umask
    local wrong
    wrong=$(find "${places[-1]}/inside" -mindepth 1 \
        \( -type f ! -perm "$(printf '%o' $((8#666 & ~8#$1)))" -o \
        -type d ! -perm "$(printf '%o' $((8#777 & ~8#$1)))" \) -printf '%m %p\n')
    [[ -z $wrong ]] || die "umask $1:"$'\n'"$wrong"
}

in_environment plain ':'
in_environment 'another seed' 'seed=2' # the twin: this one must differ
in_environment 'decimal comma' 'export LC_ALL=de_DE.UTF-8'
in_environment 'decimal comma in force' \
    'export LC_ALL=de_DE.UTF-8 LD_PRELOAD=$work/locale.so'
in_environment 'no such locale, far away' \
    'export LANG=xx_YY LANGUAGE=tlh LD_PRELOAD=$work/locale.so TZ=Pacific/Apia'
in_environment 'no time zone, no HOME, no TMPDIR' \
    'unset HOME XDG_DATA_HOME ISINGLASS_DATA; export TZ=:/nowhere TMPDIR=/nowhere'
mask=000 in_environment 'umask 000, HOME is a file' 'export HOME=/dev/null'
expect_modes 000
mask=077 in_environment 'umask 077, stdin closed' 'exec <&-'
expect_modes 077
in_environment 'flush to zero' 'export LD_PRELOAD=$work/flush.so'
for mode in UPWARD DOWNWARD TOWARDZERO; do
    in_environment "round $mode" 'export LD_PRELOAD=$work/$mode.so'
done
# More than the system gives a program with the usual stack.
in_environment '4 MiB of environment' 'ulimit -s 65536
    printf -v long "%0100000d" 7
    for k in {1..42}; do export "PADDING_$k=$long"; done
    [[ $(env | wc -c) -gt 4194304 ]] || exit 1'
for threads in -1 one 99999999999999999999 1; do
    in_environment "OMP_NUM_THREADS=$threads" 'export OMP_NUM_THREADS=$threads'
done
in_environment 'as OpenMP likes' 'export OMP_NUM_THREADS=7,2 OMP_DYNAMIC=true OMP_NESTED=true'
in_environment 'one thread at most' 'export OMP_NUM_THREADS=7 OMP_THREAD_LIMIT=1'
in_environment 'odd schedules, little stack' \
    'export OMP_NUM_THREADS=3 OMP_SCHEDULE=guided,5 OMP_PROC_BIND=true OMP_WAIT_POLICY=active OMP_STACKSIZE=1'
in_environment 'stdin is a directory, dirty memory' \
    'exec </; export POSIXLY_CORRECT=1 COLUMNS=1 LINES=0 TERM=none NO_COLOR= MALLOC_PERTURB_=165'
in_environment 'nothing' 'for name in $(compgen -e | grep -v ASAN_OPTIONS); do export -n "$name"; done'

# ---- one hash -----------------------------------------------------------------------------------
/usr/bin/python3 - "${places[@]}" <<'PYTHON'
import csv, hashlib, json, os, sys, zipfile

def timeless(value): # without the times taken, and by how many
    if isinstance(value, dict):
        return {k: timeless(v) for k, v in value.items() if "second" not in k and k not in ("threads", "checksum")}
    return [timeless(v) for v in value] if isinstance(value, list) else value

def content(path):
    name = os.path.basename(path)
    if name == "epochs.csv":
        return repr([{k: v for k, v in row.items() if k != "seconds"} for row in csv.DictReader(open(path))])
    if name.endswith(".npz"):
        with zipfile.ZipFile(path) as z:
            return repr([(m, z.read(m)) for m in z.namelist() if m not in ("seconds.npy", "saves.npy", "epochs.npy")])
    if name.endswith((".out", "run.json")):
        text = open(path).read()
        return repr(timeless(json.loads(text)) if text else "")
    return open(path, "rb").read().hex()

def digests(place):
    found = {}
    for directory, _, files in os.walk(place + "/inside"):
        for name in files:
            path = os.path.join(directory, name)
            if not name.endswith(".err"):
                found[os.path.relpath(path, place)] = hashlib.sha256(content(path).encode()).hexdigest()
    return found

places = sys.argv[1:]
found = {place: digests(place) for place in places}
plain = found[places[0]]
status = {name: open(f"{places[0]}/{name}").read().strip() for name in plain if name.endswith(".status")}
expected = {name: "4" if "refused" in name else "0" for name in status}
failed = 0
if status != expected or len(status) != 9 or len(plain) < 30:
    print("the plain environment:", status, sorted(plain))
    failed = 1
for place in places:
    other = sorted(name for name in plain.keys() | found[place].keys() if plain.get(name) != found[place].get(name))
    whole = hashlib.sha256(repr(sorted(found[place].items())).encode()).hexdigest()
    print(f"{whole[:16]}  {place[3:]}{': differs in ' + ', '.join(other) if other else ''}")
    is_twin = place[3:] == "another seed"
    # Not all depends on the seed; what is drawn does.
    must = {f"inside/{name}" for name in ("RUN/model.npz", "FAINT/model.npz", "S.npz", "ais.out")}
    if not must <= set(other) if is_twin else other:
        failed = 1
        for name in other[:3] if not is_twin else []:
            verb = os.path.basename(name).split(".")[0]
            log = f"{place}/inside/{verb}.err"
            print("   ", name, open(log).read() if os.path.exists(log) else "")
print(f"{len(places) - 2} environments, {len(plain)} files each")
sys.exit(failed)
PYTHON
