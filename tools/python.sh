#!/usr/bin/env bash
# python.sh MODULE... - prints the Python to use: one that has these modules
#
# SPDX-License-Identifier: MIT
#
# $PYTHON if it is set; else that of an active virtual environment, python3 as the shell finds it or Debian's, which
# tools/deps.sh provides with packages: the first that is 3.11 or later and has them all.
set -euo pipefail

has_modules() { # python, modules...
    local python=$1
    shift
    "$python" - "$@" <<'END_OF_CODE' 2>/dev/null
import importlib.util, sys
sys.exit(sys.version_info < (3, 11) or not all(importlib.util.find_spec(name) for name in sys.argv[1:]))
END_OF_CODE
}

if [[ -n ${PYTHON-} ]]; then
    candidates=("$PYTHON")
else
    candidates=(${VIRTUAL_ENV:+"$VIRTUAL_ENV/bin/python3"} python3 /usr/bin/python3)
fi
for python in "${candidates[@]}"; do
    if command -v "$python" >/dev/null && has_modules "$python" "$@"; then
        command -v "$python"
        exit 0
    fi
done
echo "python.sh: ${candidates[*]}: none is Python 3.11 or later${1:+ with $*}" >&2
exit 1
