# compile.sh - for checks that are C programs over the library; sourced by them
#
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
: "${SOURCE:?}" "${BUILD:?}" "${CC:?}"

# With the instrumentation of the library, if it has any.
compile_check() { # source from tests/checks, program
    local instrumentation=() libraries
    [[ -z ${SANITIZE:-} ]] || instrumentation=("-fsanitize=$SANITIZE")
    if nm "$BUILD/libisinglass.a" 2>/dev/null | grep -c __gcov >/dev/null; then
        instrumentation+=(--coverage)
    fi
    read -ra libraries <<<"$(pkg-config --libs zlib jansson)"
    "$CC" -std=c11 -O1 "${instrumentation[@]}" -I"$SOURCE/include" -I"$SOURCE/src" "$SOURCE/tests/checks/$1" \
        "$BUILD/libisinglass.a" "${libraries[@]}" -fopenmp -lm -o "$2"
}
