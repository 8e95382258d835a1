#!/usr/bin/env bash
# ward.sh - the patterns of MNIST are the published ones
#
# SPDX-License-Identifier: MIT
#
# Fingerprints of the patterns that SciPy's linkage gives, on the whole training set and on its first
# 3000 digits; sanitizers make clustering slow, so with them the whole set is left to K = 1.
set -euo pipefail
: "${ISINGLASS_DATA:?must name a data directory with MNIST, see CONTRIBUTING.md}"
: "${ISINGLASS:?}" "${ISINGLASS_DATA:?}" "${SCRATCH:?}"
cd "$SCRATCH"

die() {
    echo "ward.sh: $*" >&2
    exit 1
}

patterns() { # K, expected fingerprint, further options
    local k=$1 expected=$2
    shift 2
    "$ISINGLASS" patterns mnist:train --per-class "$k" --json --quiet --force -o p.npz "$@" >p.json
    grep -qF "\"$expected\"" p.json || die "--per-class $k $*: $(grep sha256 p.json)"
    echo "--per-class $k $*: $expected"
}

patterns 1 5828a850d9a12075a03dc2fa8299da1539244a8a9080824879fc20b7b399f0ff
counts=$(tr -d ' \n' <p.json | sed 's/.*"positive":\[\([^]]*\)\].*/\1/')
[[ $counts == 195,75,161,147,113,135,156,113,183,129 ]] || die "+1 counts: $counts"
few=73def7c71590a6011c006b991f5ec6c9a32f63c4c6c5a899c42b398873ca930f
patterns 5 "$few" --limit 3000
patterns 30 8f501a64c61b5347d2ee8c8ef8e9c86deff1f1cd226872ee94f8a68e9748e2c0 --limit 3000
if [[ -z ${SANITIZE:-} ]]; then
    patterns 5 85ba93a890e735e5ed0347ee3f2e68b6cbea2574234dbb60321799e13570a0b2
    patterns 10 11115d59ed550d8d2f99e309fda1ccbd86e0d95d0925f5d6c3b9e4332a78c490
fi

# The fingerprint tells patterns apart: one sample less, another one.
"$ISINGLASS" patterns mnist:train --per-class 5 --json --quiet --force -o p.npz --limit 2999 >p.json
if grep -qF "$few" p.json; then
    die "2999 samples give the patterns of 3000"
fi
for isa in ref baseline; do
    "$ISINGLASS" patterns mnist:train --per-class 5 --json --quiet --force -o p.npz --limit 3000 \
        --isa "$isa" >p.json
    grep -qF "$few" p.json || die "$isa kernels give other patterns"
done
