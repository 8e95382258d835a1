#!/usr/bin/env bash
# mutants.sh - every deliberate error of tests/mutants/table.cmake still fits the sources, and the
# quickest of them are noticed; make check-long tries all
#
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/common/check.sh"
: "${BUILD:?}"

fits() { # table
    cmake -Dmutants_table="$1" -P "$SOURCE/tests/mutants/mutants.cmake" >"$SCRATCH/log" 2>&1
}

# A text that is missing, one that occurs twice, one that changes nothing, a name used twice.
refuses() { # what, complaint; the table comes from stdin
    plant table.cmake
    ! fits "$planted/table.cmake" || die "$1 was accepted"
    grep -qF "$2" "$SCRATCH/log" || die "$1: $(cat "$SCRATCH/log")"
}
refuses "a text that is not there" "mutant a: src/base/special.c: expected this text exactly once" <<'END'
mutant(a "" test_special)
edit(src/base/special.c [=[this is not there]=] [=[]=])
END
refuses "a text that is there twice" "expected this text exactly once" <<'END'
mutant(a "" test_special)
edit(src/base/special.c [=[isg_sum_add(]=] [=[]=])
END
refuses "a text that stays as it is" "expected this text exactly once" <<'END'
mutant(a "" test_special)
edit(src/base/special.c [=[log1p(2 * half * half)]=] [=[log1p(2 * half * half)]=])
END
refuses "a name used twice" "mutant a: is in the table twice" <<'END'
mutant(a "" test_special)
mutant(a "" test_special)
END

fits "$SOURCE/tests/mutants/table.cmake" || die "$(cat "$SCRATCH/log")"
cat "$SCRATCH/log"

BUILD=$BUILD bash "$SOURCE/tests/mutants/run.sh" no_fsync log_of_cosh diagonal_dropped tie_up ||
    die "an error went unnoticed"
