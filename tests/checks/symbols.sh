#!/usr/bin/env bash
# symbols.sh - the library defines no name outside isg_, and exports just the public functions
#
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/common/check.sh"
: "${BUILD:?}" "${CC:?}"

foreign_names() { # directory with libisinglass.a
    nm -g --defined-only "$1/libisinglass.a" | awk 'NF == 3 && $3 !~ /^isg_/ {
        print $3 ": a global name of libisinglass.a that does not begin with isg_" }'
}

# Everything marked ISG_API in a header; the compiler removes the comments and joins nothing else.
public_functions() { # header
    "$CC" -w -fpreprocessed -E -P "$1" | tr '\n' ' ' | sed 's/[;{}]/\n/g' |
        sed -nE '/#[ \t]*define/!s/.*\bISG_API\b[^(]*\b([A-Za-z_][A-Za-z0-9_]*) *\(.*/\1/p' | sort
}

exported_functions() { # shared library
    nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort
}

export_differences() { # directory with libisinglass.so and isinglass.h
    comm -3 <(public_functions "$1/isinglass.h") <(exported_functions "$1/libisinglass.so") |
        sed -E 's/^\t(.*)/\1: exported, but not ISG_API in isinglass.h/
                t
                s/$/: ISG_API in isinglass.h, but not exported/'
}

plant isinglass.h <<'END'
#define ISG_API __attribute__((visibility("default")))
#ifdef __cplusplus
extern "C" {
#endif
/* ISG_API int isg_comment(void); */
ISG_API int isg_good(int x);
ISG_API const char *isg_missing(const char *name,
                                int (*callback)(void *user));
int isg_internal(void);
END
plant library.c <<'END'
#include "isinglass.h"
int isg_good(int x) { return x; }
int isg_internal(void) { return 1; }
ISG_API int isg_extra(void) { return 2; }
int careless(void) { return 3; }
static int local(void) { return 4; }
int (*isg_keep)(void) = local;
END
(
    cd "$planted"
    "$CC" -fPIC -fvisibility=hidden -w -c library.c
    ar rc libisinglass.a library.o
    "$CC" -shared library.o -o libisinglass.so
)
expect_findings foreign_names <<'END'
careless: a global name of libisinglass.a that does not begin with isg_
END
expect_findings export_differences <<'END'
isg_missing: ISG_API in isinglass.h, but not exported
isg_extra: exported, but not ISG_API in isinglass.h
END

expect_none foreign_names "$BUILD"
ours=$SCRATCH/ours
rm -rf "$ours" && mkdir -p "$ours"
cp "$BUILD/libisinglass.so" "$SOURCE/include/isinglass.h" "$ours"
expect_none export_differences "$ours"
