#!/usr/bin/env bash
# bare_cc.sh - the sources need no build system: a loop around the compiler builds the program
#
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/common/check.sh"
: "${CC:?}"

build=$SCRATCH/bare
rm -rf "$build" && mkdir -p "$build"
tree_files "$SOURCE" 'src/*.c' 'cli/*.c' 'paper/*.c' >"$build/sources"
# shellcheck disable=SC2016 # the inner shell expands them
xargs -a "$build/sources" -P "$(nproc)" -I{} sh -c \
    '"$CC" -fopenmp -I"$SOURCE/include" -I"$SOURCE/src" -I"$SOURCE" -c "$SOURCE/{}" -o "$0/$(basename {} .c).o"' \
    "$build"
sh "$SOURCE/paper/embed.sh" report_style "$SOURCE/paper/report.css" >"$build/report_style.c"
"$CC" -c "$build/report_style.c" -o "$build/report_style.o"
read -ra libraries <<<"$(pkg-config --libs zlib libpng jansson)"
"$CC" -fopenmp "$build"/*.o "${libraries[@]}" -lm -o "$build/isinglass"
"$build/isinglass" --version | grep -qF "$(sed -n 's/.*ISG_VERSION  *"\(.*\)"/\1/p' \
    "$SOURCE/include/isinglass/base.h")" || die "the program does not say its version"
