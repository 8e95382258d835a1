#!/usr/bin/env bash
# symbols.sh - the library defines no name outside isg_, exports just the public functions, and uses of
# libm only what is exact
#
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/common/check.sh"
: "${BUILD:?}" "${CC:?}"

foreign_names() { # directory with libisinglass.a
    nm -g --defined-only "$1/libisinglass.a" | awk 'NF == 3 && $3 !~ /^isg_/ {
        print $3 ": a global name of libisinglass.a that does not begin with isg_" }'
}

# Everything marked ISG_API in a header; the compiler removes the comments and joins nothing else.
public_functions() { # headers
    cat "$@" | "$CC" -w -fpreprocessed -E -P -x c - | tr '\n' ' ' | sed 's/[;{}]/\n/g' |
        sed -nE '/#[ \t]*define/!s/.*\bISG_API\b[^(]*\b([A-Za-z_][A-Za-z0-9_]*) *\(.*/\1/p' | sort
}

exported_functions() { # shared library
    nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort
}

export_differences() { # directory with libisinglass.so and the headers
    comm -3 <(public_functions "$1"/*.h) <(exported_functions "$1/libisinglass.so") |
        sed -E 's/^\t(.*)/\1: exported, but not ISG_API in a header/
                t
                s/$/: ISG_API in a header, but not exported/'
}

# Functions of libm whose result IEEE 754 or C defines to the last bit, and the rounding mode. The others
# differ from one libm or CPU to the next: src/base/elementary.h has what takes their place.
readonly EXACT='^((sqrt|fabs|floor|ceil|trunc|rint|nearbyint|l?l?round|l?l?rint|ldexp|frexp|scalbln?|scalbn|modf|fmod|fmin|fmax|copysign|nextafter)f?|fe[a-z]+)$'

libm_names() {
    local libm
    libm=$("$CC" -print-file-name=libm.so.6)
    [[ -e $libm ]] || die "the names of libm: $libm is not there"
    nm -D --defined-only "$libm" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u
}

# What is left of calls to it after linking. _ZGV...: its vector functions.
libm_symbols() { # directory with libisinglass.so and isinglass
    local file
    for file in libisinglass.so isinglass; do
        nm -D -u "$1/$file" | awk '{ sub(/@.*/, "", $2); print $2 }' | sort -u >"$SCRATCH/used"
        { comm -12 "$SCRATCH/used" "$SCRATCH/libm"; sed -n '/^_ZGV/p' "$SCRATCH/used"; } |
            { grep -vE "$EXACT" || true; } | sed "s|^|$file: uses libm's |"
    done
}

# A compiler computes exp(1) itself, clang by the libm of its own machine, and leaves no symbol: so the
# sources are searched as well, without comments and strings.
libm_calls() { # root
    local file
    tree_files "$1" {src,cli,paper}'/*.[ch]' | while IFS= read -r file; do
        "$CC" -w -fpreprocessed -dD -E -P "$1/$file" | sed -E 's/"([^"\\]|\\.)*"//g; s/__builtin_//g' |
            { grep -oE '\b[a-z][a-z0-9_]* *\(' || true; } | tr -d ' (' | sort -u |
            comm -12 - "$SCRATCH/libm" | { grep -vE "$EXACT" || true; } |
            sed "s|^|$file: calls libm's |"
    done
}

libm_names >"$SCRATCH/libm"
plant some.h <<'END'
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
#include "some.h"
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
isg_missing: ISG_API in a header, but not exported
isg_extra: exported, but not ISG_API in a header
END

rm -rf "$planted"
plant src/some.h <<'END'
/* exp(x) in a comment, isg_log(x), floor(x) */
#define TWICE(x) (2 * cosh (x))
END
plant cli/some.c <<'END'
#include <math.h>
#include "src/some.h"
double isg_log(double x);
const char *isg_text = "tanh(x) \"sinh(x)\"";
double isg_constant(void) { return log(2) + isg_log(3); }
double isg_builtin(double x) { return __builtin_pow(x, 1.5) + floor(x); }
float isg_single(float x) { return expf(x) + fmaxf(x, 1); }
double isg_pair(double x) { return sin(x) + cos(x); }
END
expect_findings libm_calls <<'END'
src/some.h: calls libm's cosh
cli/some.c: calls libm's cos
cli/some.c: calls libm's expf
cli/some.c: calls libm's log
cli/some.c: calls libm's pow
cli/some.c: calls libm's sin
END
cat >"$planted/program.c" <<'END'
#include "cli/some.c"
double isg_log(double x) { return x; }
int main(int argc, char **argv) { return (int)(TWICE(argc) + frexp(argc, (int *)argv)); }
END
"$CC" -O2 -w -I"$planted" -shared -fPIC "$planted/program.c" -lm -o "$planted/libisinglass.so"
"$CC" -O2 -w -I"$planted" "$planted/program.c" -lm -o "$planted/isinglass"
mapfile -t pair < <(nm -D -u "$planted/isinglass" | grep -oE '\b(sincos|sin|cos)\b' | sort -u) # compilers differ
expect_findings libm_symbols < <(
    for file in libisinglass.so isinglass; do
        printf "$file: uses libm's %s\n" cosh expf pow "${pair[@]}"
    done
)

expect_none libm_calls
expect_none libm_symbols "$BUILD"
expect_none foreign_names "$BUILD"
ours=$SCRATCH/ours
rm -rf "$ours" && mkdir -p "$ours"
cp "$BUILD/libisinglass.so" "$SOURCE"/include/isinglass/*.h "$ours"
expect_none export_differences "$ours"
