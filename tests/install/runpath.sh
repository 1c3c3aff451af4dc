#!/bin/sh
# Where the loader looks for libraries: runpath.sh BUILD_TREE
# No program or library, built or installed, has an entry in its run path that is empty or relative (the current folder,
# wherever that is) or that others may write to. Then the installed program runs from wherever it was put.
set -u
build=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/gpis-runpath.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# check FILE: each entry of its run path
check() {
    path=$(readelf -d "$1" | sed -n 's/.*(R[A-Z]*PATH).*\[\(.*\)\]$/\1/p')
    [ -n "$path" ] || return
    case ":$path:" in *::*) fail "$1: an empty entry in '$path'" ;; esac
    for entry in $(printf '%s' "$path" | tr ':' '\n'); do
        case $entry in
        '$ORIGIN' | '$ORIGIN/'* | "$build" | "$build"/*) ;;
        /*) [ -z "$(find -L "$entry" -maxdepth 0 -perm /022 ! -perm /1000 2>/dev/null)" ] ||
            fail "$1: others may write to '$entry' of '$path'" ;;
        *) fail "$1: a relative entry '$entry' in '$path'" ;;
        esac
    done
}

# check_all FOLDER: what is linked there; says how many files that is
check_all() {
    find "$1" -type f \( -perm /111 -o -name '*.so*' \) ! -path '*/CMakeFiles/*' >"$work/files"
    count=0
    while read -r file; do
        readelf -h "$file" >/dev/null 2>&1 || continue
        count=$((count + 1))
        check "$file"
    done <"$work/files"
    echo "$count files in $1"
}

check_all "$build"
[ "$count" -gt 2 ] || fail "only $count programs and libraries found in $build"

# An odd place, without ldconfig or anything in the environment; moved; and by way of a link.
prefix="$work/odd place/of my own"
cmake --install "$build" --prefix "$prefix" >/dev/null || fail "cannot install"
check_all "$prefix"
runs() { # runs PROGRAM: it answers, with the library of its own tree
    says=$(env -i "$1" --version 2>&1) || fail "$1 does not run: $says"
    library=$(env -i LD_TRACE_LOADED_OBJECTS=1 "$1" | sed -n 's/.*libgpis\.so[^ ]* => \(.*\) (0x.*/\1/p')
    case $(readlink -f "$library") in
    "$(readlink -f "$2")"/*) ;;
    *) fail "$1 is linked with '$library'" ;;
    esac
}
runs "$prefix/bin/gpis" "$prefix"
mv "$prefix" "$work/moved"
runs "$work/moved/bin/gpis" "$work/moved"
ln -s "$work/moved/bin/gpis" "$work/gpis"
runs "$work/gpis" "$work/moved"
for module in $(find "$work/moved" -name libgpis_mpi.so); do
    ! ldd "$module" | grep 'not found' || fail "$module does not find all it needs"
done

# A planted library in the current folder is not loaded.
mkdir "$work/planted"
for name in libgpis.so.0.2 libopenblas.so.0 libjansson.so.4 libhdf5_serial.so.103; do echo none >"$work/planted/$name"; done
for program in "$build/gpis" "$work/moved/bin/gpis"; do
    (cd "$work/planted" && env -i "$program" --version >/dev/null 2>&1) || fail "$program loads what lies in the current folder"
done

[ "$failures" = 0 ]
