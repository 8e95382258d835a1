#!/usr/bin/env bash
# install_python.sh WHEEL - installs the Python package and says where
#
# SPDX-License-Identifier: MIT
#
# Below $PREFIX and $DESTDIR if one of them is given; else into the virtual environment that is active; else for
# everybody if run by root, for the user if not. Works without a network: what isinglass needs is not installed here.
set -euo pipefail
wheel=$1
[[ -z ${VIRTUAL_ENV-} ]] || PYTHON=${PYTHON:-$VIRTUAL_ENV/bin/python3}
export PYTHON=${PYTHON-}
python=$("$(dirname "$0")/python.sh" pip numpy 2>/dev/null) || python=$("$(dirname "$0")/python.sh" pip)

options=(--no-deps --no-index --quiet --disable-pip-version-check --root-user-action=ignore)
if [[ -n ${PREFIX-}${DESTDIR-} ]]; then
    # Debian's pip would put another /local below the prefix. Of the two names that folders of packages have,
    # that which this Python looks at.
    folder=$("$python" - "${PREFIX-}" <<'CODE'
import sys, sysconfig
folder = f"{sys.argv[1]}/lib/python{sys.version_info[0]}.{sys.version_info[1]}"
choices = [f"{folder}/dist-packages", f"{folder}/site-packages"]
print(next((path for path in choices if path in sys.path), choices[1]) if sys.argv[1] else sysconfig.get_path("platlib"))
CODE
    )
    "$python" -m pip install "${options[@]}" --upgrade --target "${DESTDIR-}$folder" "$wheel"
    echo "installed ${DESTDIR-}$folder/isinglass"
    exit 0
fi
if ! "$python" -c 'import sys; sys.exit(sys.prefix == sys.base_prefix)'; then
    # Distributions ask pip to stay away from their Python (PEP 668), for it might replace what they have installed.
    # This puts down one package of its own, where distributions put nothing.
    export PIP_BREAK_SYSTEM_PACKAGES=1
    [[ $(id -u) -eq 0 ]] || options+=(--user)
fi
"$python" -m pip install "${options[@]}" --force-reinstall "$wheel"
cd /
"$python" - <<'CODE'
import importlib.util, os, sys
import isinglass
print(f"installed {os.path.dirname(isinglass.__file__)} for {sys.executable}")
missing = [name for name in ("numpy", "sklearn") if not importlib.util.find_spec(name)]
if missing:
    print(f"isinglass needs NumPy, and its estimators scikit-learn; missing there: {', '.join(missing)}")
CODE
