#!/usr/bin/env bash
# headers.sh - every header compiles alone, the public ones also as strict C11 and as C++17
#
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/common/check.sh"

readonly STRICT=(-Wall -Wextra -Wpedantic -Werror -fsyntax-only)

# Twice, so that a missing include guard is seen as well.
compiles() { # root, header as it is included, compiler and options...
    local root=$1 header=$2
    shift 2
    printf '#include "%s"\n#include "%s"\nextern int unit_is_not_empty;\n' "$header" "$header" |
        "$@" "${STRICT[@]}" -I"$root/include" -I"$root/src" -I"$root/cli" -I"$root" - ||
        echo "$header: does not compile alone with $*"
}

public_header() { # root
    # What the library needs to be built must not be needed to use it: no -D, no POSIX.
    local file
    tree_files "$1" 'include/*.h' | while IFS= read -r file; do
        compiles "$1" "${file#*/}" gcc -std=c11 -x c
        compiles "$1" "${file#*/}" clang-14 -std=c11 -x c
        compiles "$1" "${file#*/}" g++ -std=c++17 -x c++
        compiles "$1" "${file#*/}" clang++-14 -std=c++17 -x c++
    done
}

# Code that is compiled several times, each time by a file that says for what: not a header.
readonly TEMPLATES=' src/kernels/tuned.h src/kernels/gibbs_tuned.h src/kernels/linear_tuned.h src/kernels/log_cosh_tuned.h src/kernels/vectors.h '

internal_headers() { # root
    local file
    tree_files "$1" 'src/*.h' 'cli/*.h' 'paper/*.h' | while IFS= read -r file; do
        [[ $TEMPLATES == *" $file "* ]] || compiles "$1" "$file" gcc -std=c11 -x c
    done
}

plant include/isinglass.h <<'END'
#ifndef X_H
#define X_H
typedef struct thing { int class; } thing;
#endif
END
plant include/isinglass/also.h <<'END'
size_t also(void);
END
plant src/base/good.h <<'END'
#ifndef GOOD_H
#define GOOD_H
#include <stddef.h>
size_t good(void);
#endif
END
plant src/base/needs.h <<'END'
size_t needs(void);
END
plant cli/unguarded.h <<'END'
struct twice { int x; };
END
expect_findings public_header 2>/dev/null <<'END'
isinglass.h: does not compile alone with g++ -std=c++17 -x c++
isinglass.h: does not compile alone with clang++-14 -std=c++17 -x c++
isinglass/also.h: does not compile alone with gcc -std=c11 -x c
isinglass/also.h: does not compile alone with clang-14 -std=c11 -x c
isinglass/also.h: does not compile alone with g++ -std=c++17 -x c++
isinglass/also.h: does not compile alone with clang++-14 -std=c++17 -x c++
END
expect_findings internal_headers 2>/dev/null <<'END'
src/base/needs.h: does not compile alone with gcc -std=c11 -x c
cli/unguarded.h: does not compile alone with gcc -std=c11 -x c
END
expect_none public_header
expect_none internal_headers
