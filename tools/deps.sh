#!/usr/bin/env bash
# deps.sh - installs the Debian packages that are needed here and are missing
#
# SPDX-License-Identifier: MIT
set -euo pipefail

usage() {
    cat <<'END'
usage: tools/deps.sh [--check] [--python] [--python-test] [--test] [--data] [--fashion] [--long]
                     [--figures] [--browser] [--arm] [--mpi] [--peers] [--all]

Installs the missing Debian packages for building, and for what else is named:
  --python       make python: Python's headers, setuptools, NumPy
  --python-test  testing the Python package: pytest, mypy, scikit-learn and others that it works with
  --test         make test: second compiler, sanitizers, cmocka, linters, NumPy
  --data         isinglass data get: npm, xz
  --fashion      isinglass data get fashion: the data set itself
  --long         make check-long: valgrind, strace, readable sanitizer reports, coverage
  --figures      pictures of curves: gnuplot
  --browser      looking at the report of reproduce: chromium
  --arm          building for aarch64 and testing there: cross compiler, qemu
  --mpi          building and testing isinglass-mpi: Open MPI and MPICH
  --peers        the programs that isinglass is compared with
  --all          all of these
  --check        only say what is missing; exit status 1 if something is
Does nothing, and says nothing, when nothing is missing. Uses sudo unless run by root.
END
}

# purpose, package, and how to see that it is installed: "command NAME" for a tool, wherever it came
# from; "module NAME" for a library, by its Debian package or, without dpkg, by pkg-config;
# "package" where only dpkg can tell. gcc comes without the C library's headers when recommended
# packages are left out, hence libc6-dev; npm likewise without certificates.
readonly TABLE='
build       gcc                     command gcc
build       libc6-dev               package
build       cmake                   command cmake
build       ninja-build             command ninja
build       pkg-config              command pkg-config
build       zlib1g-dev              module zlib
build       libpng-dev              module libpng
build       libjansson-dev          module jansson
python      python3-dev             package
python      python3-setuptools      package
python      python3-wheel           package
python      python3-pip             package
python      python3-venv            package
python      python3-numpy           package
python-test python3-scipy           package
python-test python3-sklearn         package
python-test python3-joblib          package
python-test python3-pytest          package
python-test python3-hypothesis      package
python-test python3-pandas          package
python-test python3-anndata         package
python-test python3-xarray          package
python-test python3-tqdm            package
python-test python3-matplotlib      package
python-test python3-nbclient        package
python-test python3-nbformat        package
python-test python3-ipykernel       package
python-test mypy                    package
python-test python3-mypy            package
test        g++                     command g++
test        git                     command git
test        clang-14                command clang-14
test        clang-format-14         command clang-format-14
test        libclang-rt-14-dev      package
test        libomp-14-dev           package
test        libcmocka-dev           module cmocka
test        librandom123-dev        package
test        python3-numpy           package
test        python3-h5py            package
test        python3-anndata         package
test        groff-base              command groff
test        man-db                  command lexgrog
test        pyflakes3               command pyflakes3
test        shellcheck              command shellcheck
test        locales                 package
test        time                    package
data        npm                     command npm
data        ca-certificates         package
data        xz-utils                command xz
fashion     dataset-fashion-mnist   package
long        valgrind                command valgrind
long        strace                  command strace
long        llvm-14                 command llvm-symbolizer-14
long        gcovr                   command gcovr
figures     gnuplot-nox             command gnuplot
browser     chromium                command chromium
arm         gcc-aarch64-linux-gnu   command aarch64-linux-gnu-gcc
arm         libc6-dev-arm64-cross   package
arm         qemu-user-static        command qemu-aarch64-static
mpi         libopenmpi-dev          package
mpi         openmpi-bin             command mpiexec.openmpi
mpi         libmpich-dev            package
mpi         mpich                   command mpiexec.mpich
peers       python3-numpy           package
peers       python3-scipy           package
peers       python3-sklearn         package
peers       python3-torch           package
'

purposes=' build '
check_only=false
for argument; do
    case $argument in
    --check) check_only=true ;;
    --all) purposes=' build python python-test test data fashion long figures browser arm mpi peers ' ;;
    --python | --python-test | --test | --data | --fashion | --long | --figures | --browser | --arm | --mpi | --peers)
        purposes+="${argument#--} "
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        echo "deps.sh: $argument: unknown option; see tools/deps.sh --help" >&2
        exit 2
        ;;
    esac
done

has_dpkg=false
command -v dpkg-query >/dev/null && has_dpkg=true

installed=
if $has_dpkg; then
    # One query for all packages; dpkg-query complains about unknown ones.
    # shellcheck disable=SC2046 # the names are words of the table
    installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' \
        $(awk 'NF { print $2 }' <<<"$TABLE") 2>/dev/null | awk '$2 == "installed" { print $1 }') || true
fi

is_there() { # package, kind, name
    case $2 in
    command) command -v "$3" >/dev/null ;;
    module)
        if $has_dpkg; then
            grep -qxF "$1" <<<"$installed"
        else
            pkg-config --exists "$3" 2>/dev/null
        fi
        ;;
    package)
        # Without dpkg this cannot be checked: the build itself will report what is missing.
        ! $has_dpkg || grep -qxF "$1" <<<"$installed"
        ;;
    esac
}

missing=()
while read -r purpose package kind name; do
    if [[ -z $purpose || $purposes != *" $purpose "* || " ${missing[*]-} " == *" $package "* ]]; then
        continue
    fi
    is_there "$package" "$kind" "$name" || missing+=("$package")
done <<<"$TABLE"

if [[ ${#missing[@]} -eq 0 ]]; then
    exit 0
fi
if $check_only; then
    echo "deps.sh: missing: ${missing[*]}"
    exit 1
fi
if ! command -v apt-get >/dev/null; then
    echo "deps.sh: there is no apt-get here, so please install what these Debian packages hold:" \
        "${missing[*]}" >&2
    exit 1
fi

as_root=()
if [[ $(id -u) -ne 0 ]]; then
    if ! command -v sudo >/dev/null; then
        echo "deps.sh: neither root nor sudo; please run as root:" \
            "apt-get install --no-install-recommends ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
    [[ -t 0 ]] || as_root+=(-n) # nobody there to type a password
fi

run_apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 \
        -o Dpkg::Use-Pty=0 "$@" </dev/null
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "deps.sh: installing missing Debian packages: ${missing[*]}" >&2
# An update that fails (no network) matters only if the installation fails as well.
run_apt update >"$log" 2>&1 || true
if ! run_apt install --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
    tail -n 30 "$log" >&2
    echo "deps.sh: apt-get could not install: ${missing[*]}" >&2
    exit 1
fi
