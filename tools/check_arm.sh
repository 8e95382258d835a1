#!/usr/bin/env bash
# check_arm.sh - builds for aarch64 and tests there, by qemu; the last line is "N passed, M failed"
#
# SPDX-License-Identifier: MIT
#
# Called by check_long.sh, and can be run alone. Emulation is ten or more times slower, so this runs only the
# tests of what may differ between processors: kernels, arithmetic, random numbers, models and their
# files. It skips tests that restart themselves, which qemu cannot do (test_threads), and the longest of
# the others.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tools/count.sh

readonly TESTS='kernels|gibbs_kernels|gibbs|machine_sweep|machines|rng|normal|special|number|linalg|linalg_limits
    |linear_kernels|elementary|minimize|pca|hopfield|mapping|patterns|ward|rbm|rbm_start|exact|dynamics|recall|peak
    |train|train_exact|train_file|model_file|label_rbm|dataset|array|csv|json|matrix_market|npy|npz|zip'

# The libraries of the other architecture go to a directory, not into this system, where they might
# replace its own. apt-get reads only the list of package sources.
readonly ROOT=$PWD/build/arm64-root
readonly PACKAGES='zlib1g-dev zlib1g libpng-dev libpng16-16 libjansson-dev libjansson4
    libcmocka-dev libcmocka0'

fill_root() {
    local state=$PWD/build/arm64-apt deb link
    local apt=(apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=
        -o Dir::State="$state" -o Dir::Cache="$state" -o Dir::State::status=/dev/null)
    rm -rf "$ROOT.new" "$state"
    mkdir -p "$ROOT.new" "$state/lists/partial" "$state/archives/partial"
    # shellcheck disable=SC2086 # names are words
    "${apt[@]}" update && (cd "$state" && "${apt[@]}" download $PACKAGES) || return
    for deb in "$state"/*.deb; do
        dpkg-deb -x "$deb" "$ROOT.new" || return
    done
    # As on a system: /lib is a part of /usr, and links that start at the root stay inside this one.
    cp -a "$ROOT.new/lib/." "$ROOT.new/usr/lib/" && rm -r "$ROOT.new/lib" || return
    ln -s usr/lib "$ROOT.new/lib"
    find "$ROOT.new" -type l -lname '/*' | while IFS= read -r link; do
        ln -sfn "$ROOT$(readlink "$link")" "$link"
    done
    rm -rf "$ROOT" "$state"
    mv "$ROOT.new" "$ROOT"
}

tools/deps.sh --test --arm || count_failure "the packages are not complete"
mkdir -p build
[[ -d $ROOT ]] || count_command "libraries for aarch64" fill_root
if build_preset arm64; then
    # Also the program itself, by its scripts.
    run_ctest arm64 --tests-regex "^(unit\\.test_(${TESTS//[[:space:]]/})|cli\\.(info|help_info|completion))\$"
    grep -h '^instruction sets' build/arm64/Testing/Temporary/LastTest.log
    # The hashes of docs/reliability.md, with kernels for NEON, for any aarch64, and plain ones.
    export ISINGLASS_DATA=${ISINGLASS_DATA:-$PWD/build/data}
    mkdir -p build/arm64/one_answer
    one_answer() {
        ISINGLASS=$PWD/build/arm64/tests/isinglass SOURCE=$PWD BUILD=$PWD/build/arm64 \
            SCRATCH=$PWD/build/arm64/one_answer SANITIZE='' \
            bash tests/checks/one_answer.sh --only isa-neon isa-baseline isa-ref
    }
    if [[ -d $ISINGLASS_DATA/mnist ]]; then
        count_command "one answer on aarch64" one_answer
    else
        count_failure "MNIST is not in $ISINGLASS_DATA, where make test puts it"
    fi
fi
print_counts
