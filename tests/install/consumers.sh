#!/bin/sh
# Programs built against an installed copy alone: consumers.sh BUILD_TREE SOURCE_TREE
# Installs, moves the copy elsewhere, and builds and runs consumer.c with it by pkg-config and by find_package, each
# with the shared and with the static library.
set -eu
build=$1 tree=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/gpis-install.XXXXXX")
trap 'rm -rf "$work"' EXIT
CC=${CC:-cc}
step() { echo "--- $*"; }

step "install, then move"
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"
prefix=$work/moved
lib=$(dirname "$(find "$prefix" -name libgpis.a)")
if grep -rlF -e "$build" -e "$tree" -e "$work/first" "$prefix"; then
    echo "FAILED: these installed files name the build tree, the source tree or the first prefix"
    exit 1
fi
for file in share/man/man1/gpis.1 share/man/man1/gpis-solve.1 share/bash-completion/completions/gpis \
    share/zsh/site-functions/_gpis; do
    [ -s "$prefix/$file" ] || { echo "FAILED: $file is not installed" && exit 1; }
done
cp "$here/consumer.c" "$work"
cd "$work"
export PKG_CONFIG_PATH="$lib/pkgconfig"

# links WHERE PROGRAM: the program is linked with the shared library of the moved copy; or with none, WHERE is ""
links() {
    found=$(LD_LIBRARY_PATH=$lib ldd "$2" | sed -n 's/.*libgpis[^ ]* => \([^ ]*\) .*/\1/p')
    [ "$(dirname "${found:-.}")" = "${1:-.}" ] || {
        echo "FAILED: $2 is linked with '$found'"
        exit 1
    }
}

step "pkg-config, shared"
$CC consumer.c -o by_pc_shared $(pkg-config --cflags --libs gpis) -lm
links "$lib" by_pc_shared
LD_LIBRARY_PATH=$lib ./by_pc_shared

step "pkg-config, shared, with a run path: the loader need not know the place"
$CC consumer.c -o by_pc_rpath $(pkg-config --cflags --libs gpis) -Wl,-rpath,$(pkg-config --variable=libdir gpis) -lm
(unset LD_LIBRARY_PATH && ./by_pc_rpath)

step "pkg-config, static"
mkdir archive
cp "$lib/libgpis.a" archive # -lgpis takes the .so where it stands beside
$CC consumer.c -o by_pc_static $(pkg-config --cflags gpis) -Larchive $(pkg-config --static --libs gpis |
    sed "s|-L[^ ]*/moved/[^ ]*||")
links "" by_pc_static
./by_pc_static

step "find_package, gpis::gpis, gpis::shared and gpis::static"
mkdir project
cp "$here/consumer.cmake" project/CMakeLists.txt
cp consumer.c project
cmake -S project -B project/build -DCMAKE_PREFIX_PATH="$prefix" >project/log || { cat project/log; exit 1; }
cmake --build project/build >>project/log || { cat project/log; exit 1; }
for kind in gpis shared; do links "$lib" project/build/consumer_$kind; done
links "" project/build/consumer_static
for kind in gpis shared static; do project/build/consumer_$kind; done

step "the installed program, with the data that come with it"
links "$lib" "$prefix/bin/gpis"
(unset LD_LIBRARY_PATH && "$prefix/bin/gpis" gen magic04 --out magic04 --quiet)
"$prefix/bin/gpis" solve magic04/A.npy magic04/y.npy --set l1:1 --quiet
