#!/bin/sh
# scripts/setup on simulated machines: setup.sh SOURCE_TREE
# dpkg-query, apt-get, id and sudo are small scripts here, and the only programs it can find beside env and sh.
set -u
tree=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/gpis-setup.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" && mkdir bin || exit 1
failures=0
expect() { # expect WHAT GOT WANTED
    [ "$2" = "$3" ] && return
    printf "FAILED: %s: '%s', not '%s'\n" "$1" "$2" "$3"
    failures=$((failures + 1))
}
program() { # program NAME: its text on stdin
    { echo '#!/bin/sh' && cat; } >"bin/$1"
    chmod +x "bin/$1"
}
run() { # run ARGUMENTS...: leaves code, the files said and asked (what apt-get was asked for)
    : >asked
    PATH=$work/bin sh "$tree/scripts/setup" "$@" >said 2>&1
    code=$?
}
ln -s "$(command -v env)" "$(command -v sh)" bin

# A machine that has everything, as root.
program dpkg-query <<'TEXT'
for name; do :; done # the last argument
case " $MISSING " in *" $name "*) exit 1 ;; *) printf installed ;; esac
TEXT
program id <<'TEXT'
echo "$USER_NUMBER"
TEXT
program apt-get <<'TEXT'
echo "$*" >>asked
case "$*" in *update*) : >lists ;; esac
[ -f lists ] || { echo "E: no lists" >&2 && exit 100; }
TEXT
export MISSING= USER_NUMBER=0
run
expect "all is there: exit code" $code 0
expect "all is there: says" "$(cat said)" ""
expect "all is there: asks for" "$(cat asked)" ""

# Two packages are missing, and the machine has no lists of packages yet.
MISSING="libfftw3-dev libcmocka-dev"
run
quietly="-qq -o DPkg::Lock::Timeout=300"
wanted="$quietly install -y --no-install-recommends libfftw3-dev libcmocka-dev"
expect "missing: exit code" $code 0
expect "missing: says" "$(cat said)" "setup: installing libfftw3-dev libcmocka-dev"
expect "missing: asks for" "$(cat asked)" "$wanted
$quietly update
$wanted"
run
expect "with lists: asks once" "$(cat asked)" "$wanted"

# The program alone does without the packages of the tests, MPI and gnuplot; what only some targets need is asked for by
# them alone.
MISSING="libfftw3-dev libopenmpi-dev gnuplot-nox libcmocka-dev clang-format pandoc r-base-core libomp-dev"
asks() { # asks WHAT PACKAGES ARGUMENTS...
    what=$1 packages=$2
    shift 2
    run "$@"
    expect "$what: asks for" "$(cat asked)" "$quietly install -y --no-install-recommends $packages"
}
asks "program" "libfftw3-dev" program
asks "install" "libfftw3-dev libopenmpi-dev gnuplot-nox" install
asks "tests" "libfftw3-dev libopenmpi-dev gnuplot-nox libcmocka-dev clang-format pandoc"
asks "bench" "libfftw3-dev libopenmpi-dev gnuplot-nox libcmocka-dev clang-format pandoc r-base-core" bench
asks "docs" "libfftw3-dev libopenmpi-dev gnuplot-nox pandoc" docs
asks "clang" "libfftw3-dev libopenmpi-dev gnuplot-nox libcmocka-dev clang-format pandoc libomp-dev" clang
run everything
expect "unknown argument: exit code" $code 2
expect "unknown argument: asks for" "$(cat asked)" ""
MISSING="libfftw3-dev libcmocka-dev"

# A package that cannot be installed is a failure.
program apt-get <<'TEXT'
exit 100
TEXT
run
expect "no network: exit code" $code 100

# Not root: with sudo, and without.
USER_NUMBER=1000
run
expect "no root, no sudo: exit code" $code 1
expect "no root, no sudo: says" "$(cat said)" "setup: needs root (or sudo) to install: libfftw3-dev libcmocka-dev"
program sudo <<'TEXT'
echo "sudo $*" >>asked
TEXT
run
expect "sudo: exit code" $code 0
expect "sudo: asks for" "$(cat asked)" "sudo env DEBIAN_FRONTEND=noninteractive apt-get $wanted"

[ "$failures" = 0 ]
