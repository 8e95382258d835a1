#!/usr/bin/env bash
# rooms.sh [ROOM...] - shows that `make quick ROOM=x` notices a one-line error in the room x
#
# SPDX-License-Identifier: MIT
#
# In a copy of the tree below build/rooms, for each room: the error is made, `make quick ROOM=x` must fail, the
# error is unmade. Prints "room | file: line as it should not be | first test that failed", and last "N of N noticed".
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
copy=build/rooms/tree
log=build/rooms/log.txt

die() {
    echo "rooms: $*" >&2
    exit 1
}

errors() { # room|file|text that is there once|what is put in its place
    cat <<'END'
base|src/base/elementary.c|(1.0 / 24 + r * (1.0 / 120))|(1.0 / 24)
kernels|src/kernels/gibbs_tuned.h|sums * w->unit + field|sums * w->unit - field
linalg|src/linalg/triangular.c|row[j] = rest / other[j];|row[j] = rest * other[j];
io|src/io/source.c|if (source->crc != source->expected_crc)|if (source->crc < source->expected_crc)
data|src/data/binarize.c|value > binarizer->encoding->thresholds[column]);|value >= binarizer->encoding->thresholds[column]);
patterns|src/patterns/patterns.c|2 * (size_t)ups[i] > count);|2 * (size_t)ups[i] >= count);
hopfield|src/hopfield/hopfield.c|2 * sums[q] - network->total[first + q];|sums[q] - network->total[first + q];
rbm|src/rbm/rbm_start.c|row[mu] *= deviation;|row[mu] += deviation;
sample|src/sample/gibbs.c|sweeps->step + t, (uint32_t)first);|sweeps->step, (uint32_t)first);
mapping|src/mapping/hopfield_to_rbm.c|isg_matd_of(r, k, p), rotation, ISG_TRANSPOSED,|isg_matd_of(r, k, p), rotation, ISG_AS_IS,
train|src/train/train.c|add_panel(trainer, chains, panel, -1);|add_panel(trainer, chains, panel, 1);
log_z|src/log_z/ais.c|log_sum - isg_log((double)n);|log_sum + isg_log((double)n);
recall|src/recall/recall.c|right += recall->confusion|right = recall->confusion
classify|src/classify/classifier.c|.are_decisions = true};|.are_decisions = false};
deep|src/deep/deep_model.c|factor.data[mu * p + mu] += 1 / beta;|factor.data[mu * p + mu] += beta;
theory|src/theory/machines.c|y[mu] /= scale;|y[mu] *= scale;
cli|cli/number_list.c|!(first < last)|!(first > last)
paper|paper/claims_exact.c|energy -= of->u[mu] * of->v[mu] / 2;|energy -= of->u[mu] * of->v[mu];
END
}

replace() { # file, old, new
    OLD=$2 NEW=$3 /usr/bin/python3 - "$1" <<'END'
import os, sys
text = open(sys.argv[1]).read()
if text.count(os.environ["OLD"]) != 1:
    sys.exit(1)
open(sys.argv[1], "w").write(text.replace(os.environ["OLD"], os.environ["NEW"]))
END
}

mkdir -p $copy
git ls-files --cached --others --exclude-standard | while IFS= read -r file; do
    [[ ! -f $file ]] || cmp -s "$file" "$copy/$file" || cp --parents "$file" $copy
done
noticed=0
tried=0
while IFS='|' read -r room file old new <&3; do
    [[ $# -eq 0 || " $* " == *" $room "* ]] || continue
    tried=$((tried + 1))
    replace "$copy/$file" "$old" "$new" || die "$file: expected this text exactly once: $old"
    make -C $copy quick ROOM="$room" >$log 2>&1 </dev/null
    found=$(sed -n 's/^\[  FAILED  \] \([A-Za-z_0-9]*\)$/\1/p; s/.* - \(cli\.[a-z_]*\) (Failed)$/\1/p' $log | head -n 1)
    ! grep -q '^FAILED: building' $log || found=
    [[ -z $found ]] || noticed=$((noticed + 1))
    echo "$room | $file: $new | ${found:-NOT NOTICED}"
    cp "$file" "$copy/$file"
done 3< <(errors)
echo "$noticed of $tried noticed"
[[ $noticed -eq $tried && $tried -gt 0 ]]
