#!/bin/bash
# A training of 50 updates, on 1, 2, 3 and 7 threads, stopped after each update and resumed on another
# number of threads: one hash of the weights and fields. ISINGLASS_TEST_KINDS is
# the kinds of training, 0 to 15 [0 and 15: as in the paper, and with everything there is; under a
# sanitizer and with clang only the latter].
set -eu
# shellcheck source=tests/checks/common/compile.sh
. "$SOURCE/tests/checks/common/compile.sh"
export OMP_WAIT_POLICY=passive
work=$(mktemp -d /dev/shm/isinglass-XXXXXX 2>/dev/null || mktemp -d "$SCRATCH/XXXXXX")
trap 'rm -rf "$work"' EXIT
compile_check one_hash/one_hash.c "$work/one_hash"

hashes() { # kind, mode; prints the different hashes, after how many trainings had each
    "$work/one_hash" "$work" "$1" "$2" >"$work/found"
    awk '{ count[$3]++ } END { for (hash in count) print count[hash], hash }' "$work/found" | sort -rn
}

read -ra kinds <<<"${ISINGLASS_TEST_KINDS:-$([[ -n $SANITIZE || $CC == *clang* ]] && echo 15 || echo 0 15)}"
failed=0
for kind in "${kinds[@]}"; do
    found=$(hashes "$kind" right)
    echo "kind $kind: ${found//$'\n'/, }"
    # 4 numbers of threads, each with a whole training and those stopped after 0 to 50 updates.
    [[ $found =~ ^208\ [0-9a-f]{16}$ ]] || failed=1
    seen+=("${found#* }")
done
# Other kinds of training are other weights.
[[ $(printf '%s\n' "${seen[@]}" | sort -u | wc -l) -eq ${#kinds[@]} ]] || failed=1

# Mistakes show, in just the four trainings that make them.
for mode in forget repeat skip; do
    found=$(hashes "${kinds[-1]}" $mode)
    [[ $found =~ ^204\ [0-9a-f]{16}$'\n'4\ [0-9a-f]{16}$ ]] || {
        echo "$mode: $found"
        failed=1
    }
done
exit $failed
