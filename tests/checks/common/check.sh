# check.sh - what the checks of the tree have in common; sourced by them
#
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# A check is a function that is given the root of a tree and prints one line per violation. It is
# first run on a small tree with planted violations, which it must find, and then on ours, which
# must have none: a check that has stopped looking cannot pass.
set -euo pipefail
export LC_ALL=C
: "${SOURCE:?}" "${SCRATCH:?}"

die() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

# An empty directory to plant violations in.
planted=$SCRATCH/planted
rm -rf "$planted"
mkdir -p "$planted"

plant() { # path; the content comes from stdin
    mkdir -p "$(dirname "$planted/$1")"
    cat >"$planted/$1"
}

# The check must say exactly these lines of the planted tree, in any order.
expect_findings() { # check; the lines come from stdin
    local wanted found
    wanted=$(sort)
    found=$("$1" "$planted" | sort)
    [[ $found == "$wanted" ]] ||
        die "$1 no longer finds what was planted:" $'\n'"$(diff <(echo "$wanted") <(echo "$found"))"
}

expect_none() { # check, root [$SOURCE]
    local found
    found=$("$1" "${2:-$SOURCE}")
    [[ -z $found ]] || die "$1:" $'\n'"$found"
}

# The files of a tree that belong to it, one per line, from its root: in a git work tree those
# that are tracked or could be, elsewhere (an unpacked archive) all outside build/.
tree_files() { # root, patterns as `case` has them...
    local root=$1 file pattern
    shift
    {
        if [[ -e $root/.git ]]; then
            # The tree may belong to somebody else, as it often does in a container.
            git -C "$root" -c safe.directory='*' ls-files --cached --others --exclude-standard
        else
            (cd "$root" && find . -name build -prune -o -type f -print | sed 's|^\./||')
        fi
    } | sort -u | while IFS= read -r file; do
        for pattern; do
            # shellcheck disable=SC2254 # it is a pattern
            case $file in
            $pattern)
                if [[ -f $root/$file ]]; then
                    echo "$file"
                fi
                break
                ;;
            esac
        done
    done
}
