#!/usr/bin/env bash
# python_style.sh - the files of the Python package compile, keep to 120 columns and have nothing unused
#
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/common/check.sh"

# pyflakes finds what is imported or assigned and not used, and names that nothing defines. What __init__.py imports,
# it imports for others.
wrong_style() { # root
    local file
    (
        cd "$1" || exit
        tree_files "$1" 'python/*.py' 'python/*.pyi' | while IFS= read -r file; do
            grep -nP '\t' "$file" | sed "s|^\([0-9]*\):.*|$file:\1: tab|"
            LC_ALL=C.UTF-8 awk -v file="$file" 'length > 120 { print file ":" FNR ": longer than 120" }' "$file"
            [[ $file != python/src/*.py ]] || head -n 12 "$file" | grep -q 'SPDX-License-Identifier: MIT' ||
                echo "$file: no SPDX line among the first twelve"
            # Without writing anything beside the file.
            /usr/bin/python3 -c 'import ast, sys; ast.parse(open(sys.argv[1], encoding="utf-8").read())' "$file" \
                2>/dev/null || echo "$file: does not compile"
        done
        tree_files "$1" 'python/*.py' | xargs -r -d '\n' pyflakes3 2>&1 |
            grep -E '^python/[^ ]*:[0-9]+:' | grep -vE '/__init__\.py:.* imported but unused$' || true
    )
}

plant python/good.py <<'END_OF_FILE'
"""SPDX-License-Identifier: MIT"""
import sys
print(sys.version)
END_OF_FILE
plant python/src/bad.py < <(printf 'if True:\n\tprint(1)\n# %0150d\n' 1)
plant python/unused.py <<'END_OF_FILE'
"""SPDX-License-Identifier: MIT"""
import sys
END_OF_FILE
plant python/broken.py < <(printf '# SPDX-License-Identifier: MIT\nif True\n')
expect_findings wrong_style <<'END_OF_FILE'
python/src/bad.py:2: tab
python/src/bad.py:3: longer than 120
python/src/bad.py: no SPDX line among the first twelve
python/broken.py: does not compile
python/broken.py:2:8: expected ':'
python/unused.py:2:1: 'sys' imported but unused
END_OF_FILE
expect_none wrong_style
