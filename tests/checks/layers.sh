#!/usr/bin/env bash
# layers.sh - includes go down only, and only the bottom layer talks to the system
#
# SPDX-License-Identifier: MIT
#
# tools/rooms.py has the table of rooms and checks the includes in the sources; the calls are checked in the
# objects, where no macro or wrapper can hide them.
. "$(dirname "$0")/common/check.sh"
: "${BUILD:?}"

wrong_includes() { # root
    /usr/bin/python3 "$SOURCE/tools/rooms.py" --check "$1"
}

# Two files of one name confuse people, debuggers and static archives. Public headers are called by the name
# of their room, and are installed in a folder of their own; the files of Python's extension by what they bind.
repeated_names() { # root
    tree_files "$1" '*.c' '*.h' | sed '\|^include/isinglass/|d; \|^python/|d' | sed 's|.*/||' | sort | uniq -d | sed 's|$|: several files of this name|'
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
json_[a-z0-9_]+ jansson_[a-z_]+
GOMP_[a-z0-9_]+ omp_get_[a-z_]+ omp_in_parallel __kmpc_[a-z0-9_]+
__assert_fail __stack_chk_fail _GLOBAL_OFFSET_TABLE_ __tls_get_addr
__(u?div|u?mod|mul|popcount|clz|ctz|ashl|lshr)[a-z]*[sdt]i[0-9]? __cpu_model __cpu_indicator_init
'

# What no object of the library may use, src/base included: it never prints, exits, reads the
# environment, runs programs, sets process-wide state or uses functions that cannot be used safely.
# A failed assertion does print and abort: it is a bug in isinglass, not a way to report errors.
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

plant include/isinglass/base.h </dev/null
plant include/isinglass/rbm.h <<<'#include "isinglass/base.h"'
plant include/isinglass/log_z.h <<<'#include "log_z/modes.h"'
plant include/isinglass.h < <(printf '#include "isinglass/base.h"\n#include "isinglass/rbm.h"\n')
plant src/base/status.h <<<'#include "isinglass/base.h"'
plant src/base/high.c <<<'#include "io/source.h"'
plant src/base/public.c <<<'#include "isinglass/rbm.h"'
plant src/io/source.h <<<'#include "base/status.h"'
plant src/io/side.c <<<'#include "kernels/kernels.h"'
plant src/kernels/kernels.h </dev/null
plant src/kernels/vectors.h </dev/null
plant src/kernels/up.c <<<'#  include <rbm/rbm.h>'
plant src/rbm/rbm.h < <(printf '#include <math.h>\n#include "kernels/kernels.h"\n#include "io/source.h"\n')
plant src/patterns/pca.h </dev/null
plant src/patterns/pca.c < <(printf '#include "patterns/pca.h"\n#include "kernels/vectors.h"\n')
plant src/log_z/modes.h </dev/null
plant src/log_z/ais.c < <(printf '#include "isinglass/rbm.h"\n#include "rbm/rbm.h"\n#include "patterns/pca.h"\n')
plant src/attic/old.c <<<'#include "base/status.h"'
plant cli/options.h </dev/null
plant cli/main.c < <(printf '#include "isinglass.h"\n#include "cli/options.h"\n#include "rbm/rbm.h"\n')
plant cli/climb.c <<<'#include "../src/base/status.h"'
plant cli/lost.c <<<'#include "lost.h"'
plant cli/verbs/cmd_up.c < <(printf '#include "cli/options.h"\n#include "src/base/status.h"\n#include "paper/figures.h"\n')
plant paper/figures.h <<<'#include "cli/options.h"'
plant paper/fig1.c < <(printf '#include "paper/figures.h"\n#include "src/rbm/rbm.h"\n')
plant examples/direct.c <<<'#include "src/base/status.h"'
plant tests/main.c </dev/null
plant python/src/_core/core.h <<<'#include <isinglass.h>'
plant python/src/_core/rbm.h </dev/null
plant python/src/_core/rbm.c < <(printf '#include "core.h"\n#include "rbm.h"\n#include "base/status.h"\n')
expect_findings wrong_includes <<'END'
include/isinglass/log_z.h:1: a public header must not include src/log_z/modes.h
src/base/high.c:1: base must not include src/io/source.h
src/base/public.c:1: base must not include include/isinglass/rbm.h
src/io/side.c:1: io must not include src/kernels/kernels.h
src/kernels/up.c:1: kernels must not include src/rbm/rbm.h
src/patterns/pca.c:2: src/kernels/vectors.h is not a front header of kernels
src/log_z/ais.c:3: src/patterns/pca.h is not a front header of patterns
src/attic/old.c:1: attic is not a room
cli/main.c:3: cli must not include src/rbm/rbm.h
cli/climb.c:1: include paths do not climb: ../src/base/status.h
cli/lost.c:1: no such file in the tree: lost.h
cli/verbs/cmd_up.c:3: cli must not include paper/figures.h
paper/fig1.c:2: paper must not include src/rbm/rbm.h
examples/direct.c:1: examples must not include src/base/status.h
python/src/_core/rbm.c:3: python must not include src/base/status.h
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
