#!/usr/bin/env bash
# repository.sh - the tree contains nothing that it should not
#
# SPDX-License-Identifier: MIT
#
# No file above 300 KiB, nothing binary but the pictures of the documentation, no path of somebody's
# machine, LF line ends, a final newline, no blanks at line ends, a license line in every C file,
# scripts executable.
. "$(dirname "$0")/common/check.sh"

# Written so that they do not match themselves.
machine_paths='(^|[^A-Za-z0-9_.])/(roo[t]|hom[e]|User[s]|wor[k])/[A-Za-z0-9_.]'

unwanted_content() { # file, name
    local size
    size=$(stat -c %s "$1")
    [[ $size -le $((300 * 1024)) ]] || echo "$2: $size bytes, at most $((300 * 1024)) allowed"
    if [[ $2 == docs/*.png ]]; then
        return
    fi
    # NUL never occurs in text; grep takes a file with one for binary.
    if [[ $size -gt 0 ]] && ! grep -qI '' "$1"; then
        echo "$2: binary"
        return
    fi
    grep -nE "$machine_paths" "$1" | sed "s|^\([0-9]*\):.*|$2:\1: path of a machine|"
    if grep -q $'\r' "$1"; then
        echo "$2: has carriage returns"
    fi
    [[ $size -eq 0 || -z $(tail -c 1 "$1") ]] || echo "$2: no newline at the end"
    # What a program prints, and Markdown's forced line break, may end in blanks.
    if [[ $2 != tests/*.out && $2 != tests/*.err && $2 != *.md ]]; then
        grep -nE '[[:blank:]]$' "$1" | sed "s|^\([0-9]*\):.*|$2:\1: blanks at the end|"
    fi
    if [[ $2 == *.[ch] ]]; then
        head -n 5 "$1" | grep -q -E 'SPDX-License-Identifier: MIT( \*/)?$' ||
            echo "$2: no SPDX line among the first five"
    fi
    if head -n 1 "$1" | grep -q '^#!' && [[ ! -x $1 && $2 != tests/* ]]; then
        echo "$2: begins like a script, but is not executable"
    fi
}

unwanted() { # root
    local name
    tree_files "$1" '*' | while IFS= read -r name; do
        unwanted_content "$1/$name" "$name" || true
    done
}

license='/* SPDX-License-Identifier: MIT */'
plant good.c <<<"$license"
plant no_license.c <<<'int x;'
plant docs/picture.png < <(printf '\x89PNG\0')
plant program < <(printf 'a\0b\n')
plant path.md < <(printf 'fine\nsee /%s/somebody/data\n' home)
plant carriage.md < <(printf 'a\r\n')
plant unfinished.md < <(printf 'a')
plant blanks.txt < <(printf 'a \n')
plant run.sh <<<'#!/bin/sh'
plant large.csv < <(yes 0,1 | head -n 80000)
expect_findings unwanted <<'END'
no_license.c: no SPDX line among the first five
program: binary
path.md:2: path of a machine
carriage.md: has carriage returns
unfinished.md: no newline at the end
blanks.txt:1: blanks at the end
run.sh: begins like a script, but is not executable
large.csv: 320000 bytes, at most 307200 allowed
END
expect_none unwanted
