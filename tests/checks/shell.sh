#!/usr/bin/env bash
# shell.sh - shellcheck has nothing to say about our scripts
#
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/common/check.sh"

shell_files() { # root
    local file
    tree_files "$1" '*' | while IFS= read -r file; do
        if [[ $file == *.sh ]] || head -n 1 "$1/$file" | grep -qaE '^#!.*[/ ](ba)?sh\b'; then
            echo "$file"
        fi
    done
}

shell_faults() { # root
    (
        cd "$1" || exit
        shell_files "$1" | xargs -r -d '\n' shellcheck --shell=bash --external-sources \
            --source-path=SCRIPTDIR --source-path="$1" --format=gcc || true
    )
}

plant good.sh <<'END'
#!/bin/bash
echo "$1"
END
plant run <<'END'
#!/usr/bin/env bash
echo $1
END
expect_findings shell_faults <<'END'
run:2:6: note: Double quote to prevent globbing and word splitting. [SC2086]
END
expect_none shell_faults
