#!/bin/bash
# ranks.sh CHECK - what isinglass-mpi does on several ranks, against what isinglass does alone
#
# SPDX-License-Identifier: MIT
#
# Takes MPIEXEC and its options, MPI_PROGRAM, ISINGLASS and SCRATCH from the environment. Ranks are processes of this machine, more of them than
# it has processors. ISINGLASS_TEST_KILLS is the number of runs of which a rank is killed [3].
set -eu
: "${MPIEXEC:?}" "${MPI_PROGRAM:?}" "${ISINGLASS:?}" "${SCRATCH:?}"
export OMP_WAIT_POLICY=passive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl_base_warn_component_unused=0
work=$(mktemp -d /dev/shm/isinglass-XXXXXX 2>/dev/null || mktemp -d "$SCRATCH/XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

/usr/bin/python3 - <<'PYTHON'
import numpy as np
r = np.random.default_rng(1)
y = np.arange(600) % 3
x = (r.choice([-1, 1], (3, 70))[y] * np.where(r.random((600, 70)) < 0.15, -1, 1)).astype(float)
np.savez("toy.npz", X=x, y=y)
x[r.random(x.shape) < 0.05] = np.nan
np.savez("gaps.npz", X=x, y=y)
PYTHON

die() {
    echo "$*"
    exit 1
}

# Each rank leaves its process id behind, and does what $tamper says before it begins.
cat >rank.sh <<'RANK'
#!/bin/bash
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}
echo $$ >"pid.$rank"
eval "${tamper-}"
exec "$MPI_PROGRAM" "$@"
RANK
chmod +x rank.sh
on_ranks() { # number, arguments of the program...
    local n=$1
    shift
    # shellcheck disable=SC2086 # its options are words
    timeout 240 $MPIEXEC -n "$n" ./rank.sh "$@"
}

# All numbers that training can change.
numbers() { # run
    /usr/bin/python3 - "$1" <<'PYTHON'
import hashlib, sys, numpy as np
with np.load(sys.argv[1] + "/model.npz") as z:
    print(hashlib.sha256(b"".join(z[k].tobytes() for k in ("W", "b", "c", "beta"))).hexdigest()[:16])
PYTHON
}

# ---- the same bits ---------------------------------------------------------------------------------

kinds=("toy.npz" "toy.npz --pcd --fields --shuffle --batch 7"
    "toy.npz --constraint stiefel --learn-beta --estimator mean --batch 33"
    "toy.npz --constraint span --pcd --chains 37 --learn-beta"
    "toy.npz --equilibrium --batch 50 --rate 1e-3 --refit-every 5 --chains 90"
    "gaps.npz --missing impute --fields --hold-out 0.2 --patience 2 --score-every 1")

check_training() {
    local kind n alone words found failed=0 numbers=(1 2 3 4 7)
    for kind in "${kinds[@]}"; do
        read -ra words <<<"train $kind --sweeps 5 --epochs 2 --quiet --force"
        "$ISINGLASS" "${words[@]}" -o alone >out
        alone=$(numbers alone)
        found=
        for n in "${numbers[@]}"; do
            on_ranks "$n" "${words[@]}" --threads $((n % 2 + 1)) -o shared >out 2>err || die "$kind, $n ranks: $(head -n 5 err)"
            found+=" $(numbers shared)"
            cmp <(cut -d , -f 1,2,4- alone/epochs.csv) <(cut -d , -f 1,2,4- shared/epochs.csv) || failed=1
        done
        echo "$kind: $alone, on ranks$found"
        [[ -z ${found// $alone/} ]] || failed=1
        numbers=(2 5)
    done
    return $failed
}

check_scores() {
    local how n words failed=0
    "$ISINGLASS" train toy.npz --epochs 1 -o run --quiet >out
    for how in "toy.npz --method wells --particles 500" "--method wells --betas 0.5,2 --particles 300 --draws 2000" \
        "--method population --particles 500" "toy.npz --method ais --chains 70 --steps 50 --by-class" \
        "--method ais --adaptive 0.9 --chains 70" "--method ais --weights lambda --chains 20 --steps 30"; do
        read -ra words <<<"score run $how --json --quiet"
        "$ISINGLASS" "${words[@]}" >alone.json
        for n in 2 3 5; do
            on_ranks $n "${words[@]}" --threads 1 >shared.json 2>err || die "$how, $n ranks: $(head -n 5 err)"
            diff <(grep -v '"seconds"' alone.json) <(grep -v '"seconds"' shared.json) || failed=1
        done
        echo "$how: $(grep -c . alone.json) lines on 2, 3 and 5 ranks"
    done
    return $failed
}

# The members of the file too.
check_samples() {
    local how n words failed=0
    "$ISINGLASS" train toy.npz --epochs 1 --fields -o run --quiet >out
    for how in "--start toy.npz --count 37 --sweeps 20 --beta 1,2@10 --diagnose" "--count 20 --sweeps 10 --jump" \
        "--count 5 --sweeps 10 --tempering --temperatures 4"; do
        read -ra words <<<"sample run -o s.npz $how --json --quiet --force"
        "$ISINGLASS" "${words[@]}" >alone.json
        mv s.npz alone.npz
        for n in 2 3 5; do
            on_ranks $n "${words[@]}" --threads 1 >shared.json 2>err || die "$how, $n ranks: $(head -n 5 err)"
            diff <(grep -v '"seconds"' alone.json) <(grep -v '"seconds"' shared.json) || failed=1
            /usr/bin/python3 - <<'PYTHON' || failed=1
import numpy as np
a, b = np.load("alone.npz"), np.load("s.npz")
assert sorted(a.files) == sorted(b.files)
for name in set(a.files) - {"meta.json"}:
    assert a[name].tobytes() == b[name].tobytes(), name
PYTHON
        done
        echo "$how: $(grep -c . alone.json) lines on 2, 3 and 5 ranks"
    done
    return $failed
}

# ---- failures --------------------------------------------------------------------------------------

long=(train toy.npz -o run --epochs 400 --sweeps 20 --batch 30 --pcd --fields --save-every 0.05 --threads 1 --quiet)

# Waits until a run has this file, or is over.
await() { # file, process
    while [[ ! -e $1 ]] && kill -0 "$2" 2>/dev/null; do sleep 0.02; done
}

check_kills() {
    local k n victim killed=0 wanted=${ISINGLASS_TEST_KILLS:-3} expected
    "$ISINGLASS" "${long[@]}" >out
    expected=$(numbers run)
    for ((k = 0; killed < wanted && k < 5 * wanted; k++)); do # some are over before
        n=$((2 + k % 3))
        rm -rf run pid.*
        on_ranks $n "${long[@]}" >out 2>&1 &
        await run/checkpoint-2.npz $!
        sleep 0.$((RANDOM % 5))
        victim=$(cat "pid.$((RANDOM % n))")
        if kill -9 "$victim" 2>/dev/null; then killed=$((killed + 1)); fi
        wait $! || true
        on_ranks $((5 - n)) train --resume -o run --threads 1 --quiet >out 2>err || die "resumed on $((5 - n)) ranks: $(cat err)"
        [[ $(numbers run) == "$expected" ]] || die "$n ranks, one killed, then $((5 - n)): $(numbers run), expected $expected"
    done
    echo "$killed of $k runs lost a rank, and ended in $expected"
    [[ $killed -eq $wanted ]]
}

# One sentence, an exit code, and checkpoints from which a single process goes on.
check_failures() {
    local expected code=0
    "$ISINGLASS" "${long[@]}" >out
    expected=$(numbers run)

    rm -rf run pid.*
    on_ranks 3 "${long[@]}" >out 2>err &
    await run/checkpoint-2.npz $!
    prlimit --pid "$(cat pid.0)" --fsize=100
    wait $! || code=$?
    [[ $code -ne 0 ]] || die "no space left, and nobody noticed"
    [[ $(grep -c '^isinglass: run/.*could not be written' err) -eq 1 ]] || die "no space left: $(cat err)"
    "$ISINGLASS" train --resume -o run --quiet >out
    [[ $(numbers run) == "$expected" ]] || die "no space left, then more: $(numbers run), expected $expected"

    rm -rf run
    # shellcheck disable=SC2016 # for the rank to evaluate
    export tamper='[[ $rank -ne 1 ]] || export ISINGLASS_FAIL_ALLOCATION=150+'
    on_ranks 3 "${long[@]}" >out 2>err && die "a rank without memory, and nobody noticed"
    [[ $(grep -c '^isinglass: .*out of memory' err) -eq 1 ]] || die "without memory: $(cat err)"
    rm -rf run
    # shellcheck disable=SC2016
    export tamper='[[ $rank -ne 1 ]] || cd /'
    on_ranks 2 "${long[@]}" >out 2>err && die "a rank that does not see the data, and nobody noticed"
    [[ $(grep -c '^isinglass: rank 1 of 2: .*toy.npz' err) -eq 1 ]] || die "without data: $(cat err)"
    export tamper=

    rm -rf run
    "$ISINGLASS" train toy.npz -o run --epochs 1000000 --threads 1 --quiet >out 2>err.other & # until it is ended
    local other=$!
    await run/run.lock $other
    on_ranks 2 "${long[@]}" --force >out 2>err && die "two at work in one run"
    kill $other
    wait $other || true
    [[ $(grep -c '^isinglass: .*at work in this directory' err) -eq 1 ]] || die "two at work: $(cat err)"

    code=0
    SLURM_NTASKS=4 "$MPI_PROGRAM" train toy.npz -o alone --quiet >out 2>err || code=$?
    [[ $code -eq 2 && $(cat err) == *"4 processes were started, but MPI sees only this one"* && ! -e alone ]] ||
        die "four alone: exit $code: $(cat err)"
    code=0
    on_ranks 3 train toy.npz --bogus >out 2>err || code=$?
    [[ $code -eq 2 && $(grep -c '^isinglass:' err) -eq 1 ]] || die "misused: exit $code: $(cat err)"
    on_ranks 2 data info toy.npz >out 2>err || die "not divided: $(cat err)"
    [[ $(grep -c '^samples' out) -eq 1 && $(cat err) == *"one of 2 does it alone"* ]] || die "not divided: $(cat out err)"
}

"check_$1"
