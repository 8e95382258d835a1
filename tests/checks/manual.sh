#!/usr/bin/env bash
# manual.sh - the manual page and the completion are well formed
#
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/common/check.sh"
: "${BUILD:?}"

# A page must set without a warning, and man's index must find its name and summary.
page_faults() { # directory with isinglass.1
    groff -man -ww -Tutf8 -z "$1/isinglass.1" 2>&1 | sed -E "s|^.*isinglass\.1:|isinglass.1:|"
    lexgrog "$1/isinglass.1" 2>&1 | grep -qF 'isinglass - ' ||
        echo "isinglass.1: no summary for man -k"
}

completion_faults() { # directory with isinglass.bash
    bash -n "$1/isinglass.bash" 2>/dev/null || echo "isinglass.bash: bash cannot parse it"
    # shellcheck disable=SC2016 # the inner shell expands it
    bash --norc -c '. "$0" && complete -p isinglass' "$1/isinglass.bash" >/dev/null 2>&1 ||
        echo "isinglass.bash: does not complete the command isinglass"
}

plant isinglass.1 <<'END'
.TH ISINGLASS 1
.SH DESCRIPTION
.NOSUCHMACRO
END
plant isinglass.bash <<'END'
if true; then
END
expect_findings page_faults <<'END'
isinglass.1:3: warning: macro 'NOSUCHMACRO' not defined
isinglass.1: no summary for man -k
END
expect_findings completion_faults <<'END'
isinglass.bash: bash cannot parse it
isinglass.bash: does not complete the command isinglass
END
expect_none page_faults "$BUILD"
expect_none completion_faults "$BUILD"
