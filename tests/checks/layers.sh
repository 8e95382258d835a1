#!/usr/bin/env bash
# layers.sh - includes go down only, and only the bottom layer talks to the system
#
# SPDX-License-Identifier: MIT
#
#   src/base  <-  src/kernels  <-  src/linalg,  src/io  <-  src/*.c  <-  cli, experiments, bench, examples
#
# The top layer sees the public header and its own files; the figures in experiments/ are part of the
# program, and use what cli/ has for text, progress and pictures. Both may use base/elementary.h, which
# stands in for the part of libm whose results differ between machines. Below the top layer, the includes
# are checked in the sources, the calls in the objects, where no macro or wrapper can hide them.
. "$(dirname "$0")/common/check.sh"
: "${BUILD:?}"

# These two are called for every #include, so they answer in $REPLY and start no process.
layer_of() { # path of a file from the root of the tree
    case $1 in
    include/*) REPLY=public ;;
    src/base/elementary.h) REPLY=elementary ;;
    src/base/*) REPLY=base ;;
    src/kernels/*) REPLY=kernels ;;
    src/linalg/*) REPLY=linalg ;;
    src/io/*) REPLY=io ;;
    src/*/*) REPLY=unknown ;;
    src/*) REPLY=core ;;
    *) REPLY=${1%%/*} ;; # cli, experiments, bench, examples
    esac
}

# The file that an #include names, as the compiler would find it; empty if it is not in the tree.
resolve() { # root, includer, name
    for REPLY in "${2%/*}/$3" "include/$3" "src/$3" "$3" ''; do
        if [[ -f $1/$REPLY ]]; then
            return
        fi
    done
}

may_include() { # layer of the includer, layer of the included
    case $1:$2 in
    base:public | base:base) ;;
    kernels:public | kernels:base | kernels:kernels) ;;
    io:public | io:base | io:io) ;;
    linalg:public | linalg:base | linalg:kernels | linalg:linalg) ;;
    core:public | core:base | core:kernels | core:linalg | core:io | core:core) ;;
    cli:public | experiments:public | bench:public | examples:public) ;;
    base:elementary | kernels:elementary | core:elementary | cli:elementary | experiments:elementary) ;;
    cli:experiments | experiments:cli) ;;
    cli:cli | experiments:experiments | bench:bench | examples:examples) ;;
    *) return 1 ;;
    esac
}

wrong_includes() { # root
    local file layer number name style target
    tree_files "$1" 'include/*.h' {src,cli,experiments,bench,examples}'/*.[ch]' |
        while IFS= read -r file; do
            layer_of "$file"
            layer=$REPLY
            sed -nE '/^[ \t]*#[ \t]*include[ \t]*["<]/{=;s/^[^"<]*(["<])([^">]*)[">].*/\1\2/p}' \
                "$1/$file" | paste - - | while read -r number name; do
                style=${name:0:1}
                name=${name:1}
                resolve "$1" "$file" "$name"
                target=$REPLY
                layer_of "$target"
                if [[ $name == *..* ]]; then
                    echo "$file:$number: include paths do not climb: $name"
                elif [[ -z $target && $style == '"' ]]; then
                    echo "$file:$number: no such file in the tree: $name"
                elif [[ -n $target ]] && ! may_include "$layer" "$REPLY"; then
                    echo "$file:$number: $layer must not include $target"
                fi
            done
        done
}

# Two files of one name confuse people, debuggers and static archives.
repeated_names() { # root
    tree_files "$1" '*.c' '*.h' | sed 's|.*/||' | sort | uniq -d | sed 's|$|: several files of this name|'
}

# What an object outside src/base may use from outside the library. Everything else, memory, files,
# clocks, threads, environment, output, goes through src/base or is not done at all. Not here
# although harmless to the system: what depends on the locale (strtod, isalpha, sscanf), what keeps
# hidden state (strtok, rand), what libms disagree on (exp, sin, pow; see base/elementary.h).
readonly ALLOWED='
isg_[a-z0-9_]+
mem(cpy|move|set|cmp|chr) str(len|nlen|cpy|ncpy|cat|ncat|cmp|ncmp|chr|rchr|str|spn|cspn|pbrk) bcmp
v?snprintf strto(l|ll|ul|ull|imax|umax) (__isoc23_)?strtou?ll? __errno_location
qsort bsearch
(sqrt|fabs|floor|ceil|trunc|rint|nearbyint|l?l?round|l?l?rint|ldexp|frexp|scalbn|scalbln|modf|fmod|fmin|fmax|copysign|nextafter)f?
(in|de)flate[A-Za-z0-9_]* crc32(_z|_combine)? adler32 zlibVersion deflateBound compressBound
png_[a-z0-9_A-Z]+ _?_?(sig)?setjmp longjmp
json_[a-z0-9_]+ jansson_[a-z_]+
GOMP_[a-z0-9_]+ omp_get_[a-z_]+ omp_in_parallel __kmpc_[a-z0-9_]+
__assert_fail __stack_chk_fail _GLOBAL_OFFSET_TABLE_ __tls_get_addr
__(u?div|u?mod|mul|popcount|clz|ctz|ashl|lshr)[a-z]*[sdt]i[0-9]? __cpu_model __cpu_indicator_init
'

# What no object of the library may use, src/base included: it never prints, exits, reads the
# environment, runs programs, sets process-wide state or uses functions that cannot be used safely.
# An assertion that fails does print and abort: it is a fault of ours, not a way to report errors.
readonly FORBIDDEN='
v?printf puts putchar perror v?dprintf std(in|out|err) v?syslog psignal
_?_?exit _Exit quick_exit abort raise kill
(secure_)?getenv environ setenv unsetenv putenv clearenv
system popen v?fork exec[vlpe]+ posix_spawnp?
signal sigaction setlocale umask chdir fchdir atexit
s?rand(_r)? s?random [dlem]rand48 strtok gets v?sprintf tmpnam mktemp
'

pattern_of() { # the words of a list, as one anchored expression
    # shellcheck disable=SC2086 # the list is meant to be split
    (IFS=' ' && set -f && printf '%s\n' $1) | paste -sd'|' | sed 's/^/^(/; s/$/)$/'
}

# Names as they are called in the source: _FORTIFY_SOURCE renames snprintf to __snprintf_chk.
used_symbols() { # object
    nm -u "$1" | sed -E 's/^ *[Uwv] //; /^__stack_chk/!s/^__(.*)_chk$/\1/; s/@.*//'
}

wrong_calls() { # root of a tree of objects
    local object source symbol
    find "$1" -name '*.c.o' -printf '%P\n' | sort | while IFS= read -r object; do
        source=${object%.o}
        used_symbols "$1/$object" | while IFS= read -r symbol; do
            if [[ $symbol =~ $forbidden ]]; then
                echo "$source: the library must not use $symbol"
            elif [[ $source != src/base/* && ! $symbol =~ $allowed ]]; then
                echo "$source: only src/base may use $symbol"
            fi
        done
    done
}

allowed=$(pattern_of "$ALLOWED")
forbidden=$(pattern_of "$FORBIDDEN")

plant include/isinglass.h </dev/null
plant src/base/status.h <<<'#include "isinglass.h"'
plant src/base/high.c <<<'#include "io/source.h"'
plant src/io/source.h <<<'#include "base/status.h"'
plant src/io/side.c <<<'#include "kernels/kernels.h"'
plant src/kernels/kernels.h </dev/null
plant src/kernels/up.c <<<'#  include <rbm.h>'
plant src/rbm.h < <(printf '#include <math.h>\n#include "kernels/kernels.h"\n#include "io/source.h"\n')
plant cli/options.h </dev/null
plant cli/main.c < <(printf '#include "isinglass.h"\n#include "options.h"\n#include "rbm.h"\n')
plant src/base/elementary.h </dev/null
plant cli/formula.c <<<'#include "src/base/elementary.h"'
plant examples/direct.c <<<'#include "src/base/elementary.h"'
plant cli/climb.c <<<'#include "../src/base/status.h"'
plant cli/lost.c <<<'#include "lost.h"'
plant experiments/figures.h <<<'#include "cli/options.h"'
plant experiments/fig1.c < <(printf '#include "experiments/figures.h"\n#include "src/rbm.h"\n')
plant src/figures.c <<<'#include "experiments/figures.h"'
plant tests/main.c </dev/null
expect_findings wrong_includes <<'END'
src/base/high.c:1: base must not include src/io/source.h
src/io/side.c:1: io must not include src/kernels/kernels.h
src/kernels/up.c:1: kernels must not include src/rbm.h
cli/main.c:3: cli must not include src/rbm.h
examples/direct.c:1: examples must not include src/base/elementary.h
cli/climb.c:1: include paths do not climb: ../src/base/status.h
cli/lost.c:1: no such file in the tree: lost.h
experiments/fig1.c:2: experiments must not include src/rbm.h
src/figures.c:1: core must not include experiments/figures.h
END
expect_findings repeated_names <<'END'
main.c: several files of this name
END

rm -rf "$planted"
plant_object() { # path of the source; its text comes from stdin
    mkdir -p "$(dirname "$planted/$1")"
    "${CC:-cc}" -O2 -D_FORTIFY_SOURCE=2 -w -x c -c - -o "$planted/$1.o"
}
plant_object src/base/memory.c <<<'#include <stdlib.h>
void *isg_new(size_t n) { return getenv("X") ? malloc(n) : 0; }'
plant_object src/io/reader.c <<<'#include <stdio.h>
#include <string.h>
void *isg_new(size_t); FILE *isg_f(char *s, int n) { snprintf(s, n, "%d", n); return fopen(s, "r"); }'
plant_object src/rbm.c <<<'#include <stdio.h>
#include <stdlib.h>
#include <math.h>
double isg_g(double x) { printf("%g\n", x); char *p = malloc(99); return p ? floor(x) : atof(p) + exp(x); }'
expect_findings wrong_calls <<'END'
src/base/memory.c: the library must not use getenv
src/io/reader.c: only src/base may use fopen
src/rbm.c: the library must not use printf
src/rbm.c: only src/base may use malloc
src/rbm.c: only src/base may use strtod
src/rbm.c: only src/base may use exp
END

expect_none wrong_includes
expect_none repeated_names

# A build directory keeps the objects of sources that are gone.
rm -rf "$SCRATCH/objects"
tree_files "$SOURCE" 'src/*.c' | while IFS= read -r file; do
    mkdir -p "$SCRATCH/objects/$(dirname "$file")"
    cp "$BUILD/CMakeFiles/isinglass_objects.dir/$file.o" "$SCRATCH/objects/$file.o"
done
expect_none wrong_calls "$SCRATCH/objects"
