#!/usr/bin/env bash
# install.sh - what `make install` puts down serves programs outside the tree, wherever it is moved
#
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/common/check.sh"
: "${BUILD:?}" "${CC:?}"

# Outside the tree, so that nothing of it is found by accident.
outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT
version=$(sed -n 's/.*ISG_VERSION  *"\(.*\)"/\1/p' "$SOURCE/include/isinglass/base.h")
lib=$(sed -n 's/^CMAKE_INSTALL_LIBDIR:.*=//p' "$BUILD/CMakeCache.txt") # lib64 on some systems
export PKG_CONFIG_SYSROOT_DIR='' PKG_CONFIG_PATH='' CMAKE_PREFIX_PATH=''

quietly() { # command...
    "$@" >"$outside/log" 2>&1 || die "$*:" $'\n'"$(cat "$outside/log")"
}

links_shared_library() { # program
    readelf -d "$1" | grep -q 'NEEDED.*libisinglass\.so'
}

expect_version() { # command...
    [[ $("$@") == *"$version"* ]] || die "$*: does not say version $version"
}

build_with_pkg_config() { # prefix
    local flags shared static example
    export PKG_CONFIG_PATH=$1/$lib/pkgconfig
    [[ $(pkg-config --modversion isinglass) == "$version" ]] || die "pkg-config: wrong version"
    [[ $(pkg-config --cflags isinglass) == *"$1"/* ]] || die "pkg-config: does not follow the prefix"
    read -ra flags <<<"$(pkg-config --cflags isinglass)"
    read -ra shared <<<"$(pkg-config --libs isinglass)"
    # The linker takes the shared library when it has the choice, and of a static one only what the
    # program calls, which would not show whether all that the rest needs is named.
    read -ra static <<<"$(pkg-config --static --libs isinglass |
        sed 's/-lisinglass\b/-Wl,--whole-archive -l:libisinglass.a -Wl,--no-whole-archive/')"
    cp "$SOURCE/tests/checks/consumer/consumer.c" "$outside/consumer.c"
    quietly "$CC" "${flags[@]}" "$outside/consumer.c" -o "$outside/shared" "${shared[@]}"
    quietly "$CC" "${flags[@]}" "$outside/consumer.c" -o "$outside/static" "${static[@]}"
    links_shared_library "$outside/shared" || die "pkg-config: not the shared library"
    ! links_shared_library "$outside/static" || die "pkg-config --static: the shared library"
    LD_LIBRARY_PATH=$1/$lib expect_version "$outside/shared"
    expect_version "$outside/static"
    for example in "$SOURCE"/examples/*.c; do
        quietly "$CC" -std=c11 -Wall -Wextra -Werror "${flags[@]}" "$example" \
            -o "$outside/$(basename "$example" .c)" "${shared[@]}"
    done
    printf '1,0\n0,0\n' >"$outside/x.csv"
    [[ $(LD_LIBRARY_PATH=$1/$lib "$outside/describe" "$outside/x.csv") == \
        "2 samples of 2 spins, 25.0 % of them +1" ]] || die "examples/describe.c: wrong answer"
}

build_with_cmake() { # prefix
    rm -rf "$outside/project"
    cp -r "$SOURCE/tests/checks/consumer" "$outside/project"
    quietly cmake -G Ninja -S "$outside/project" -B "$outside/project/build" \
        -D CMAKE_PREFIX_PATH="$1" -D CMAKE_C_COMPILER="$CC"
    quietly cmake --build "$outside/project/build"
    links_shared_library "$outside/project/build/consumer_shared" ||
        die "isinglass::isinglass: not the shared library"
    ! links_shared_library "$outside/project/build/consumer_static" ||
        die "isinglass::static: the shared library"
    expect_version "$outside/project/build/consumer_shared"
    expect_version "$outside/project/build/consumer_static"
}

expect_files() { # prefix
    local file found
    for file in bin/isinglass include/isinglass.h "$lib/libisinglass.a" "$lib/libisinglass.so" \
        "$lib/pkgconfig/isinglass.pc" "$lib/cmake/isinglass/isinglass-config.cmake" \
        share/man/man1/isinglass.1 share/bash-completion/completions/isinglass; do
        [[ -s $1/$file ]] || die "$file: not installed"
    done
    found=$(cd "$1/include" && find . -type f | sort)
    [[ $found == "$(cd "$SOURCE/include" && find . -type f | sort)" ]] || die "include/: found" "$found"
    # A path of the machine that built it would be wrong on any other.
    found=$(grep -rlIF -e "$SOURCE" -e "$outside" "$1" || true)
    [[ -z $found ]] || die "path of this machine in" "$found"
    bash -n "$1/share/bash-completion/completions/isinglass"
    found=$(groff -man -ww -Tutf8 -z "$1/share/man/man1/isinglass.1" 2>&1)
    [[ -z $found ]] || die "$found"
    # The program carries the library inside.
    ! links_shared_library "$1/bin/isinglass" || die "bin/isinglass needs the shared library"
    expect_version env -i "$1/bin/isinglass" --version
}

quietly cmake --install "$BUILD" --prefix "$outside/prefix"
expect_files "$outside/prefix"
build_with_pkg_config "$outside/prefix"
build_with_cmake "$outside/prefix"

mv "$outside/prefix" "$outside/moved"
expect_files "$outside/moved"
build_with_pkg_config "$outside/moved"
build_with_cmake "$outside/moved"

# Packagers install for one place into another.
DESTDIR=$outside/package quietly cmake --install "$BUILD" --prefix /opt/isinglass
expect_files "$outside/package/opt/isinglass"
build_with_pkg_config "$outside/package/opt/isinglass"
