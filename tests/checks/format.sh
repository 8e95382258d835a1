#!/usr/bin/env bash
# format.sh - every C file is as clang-format 14 leaves it
#
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/common/check.sh"

# Other versions format differently, so the version is part of the style.
clang-format-14 --version | grep -q 'version 14\.' || die "clang-format-14 is not version 14"

unformatted() { # root
    local file
    tree_files "$1" '*.c' '*.h' | while IFS= read -r file; do
        clang-format-14 --style="file:$SOURCE/.clang-format" --dry-run -Werror "$1/$file" \
            >/dev/null 2>&1 || echo "$file: not formatted; run make format"
    done
}

plant good.c <<'END'
int good(void) {
    return 1;
}
END
plant bad.c <<'END'
int bad(void)
{
  return 1;
}
END
expect_findings unformatted <<'END'
bad.c: not formatted; run make format
END
expect_none unformatted
