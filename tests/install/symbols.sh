#!/bin/sh
# What the libraries export and what they import: symbols.sh SHARED STATIC HEADER
set -u
shared=$1 static=$2 header=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/gpis-symbols.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
CC=${CC:-cc}
empty() { # empty WHAT: shows stdin, and fails, when it is not empty; a file remembers, for this is the end of a pipe
    found=$(cat)
    [ -z "$found" ] || printf 'FAILED: %s:\n%s\n' "$1" "$found" | tee -a "$work/failures"
}

# Exported are the functions declared GPIS_API, all of them and nothing else, each with the version of the interface.
abi=0.2
sed -n '/^ *GPIS_API/s/.*[ *]\(gpis_[a-z0-9_]*\)(.*/\1/p' "$header" | sort >"$work/declared"
nm -D --defined-only --with-symbol-versions "$shared" | awk '$2 != "A" {print $3}' | sort >"$work/versioned"
grep -v "@@GPIS_$abi\$" "$work/versioned" | empty "exported without the version GPIS_$abi"
sed 's/@.*//' "$work/versioned" >"$work/exported"
[ -s "$work/declared" ] || echo "no declaration found in $header" | empty "declarations"
comm -13 "$work/declared" "$work/exported" | empty "exported and not declared GPIS_API"
comm -23 "$work/declared" "$work/exported" | empty "declared GPIS_API and not exported"

# A static library has no hidden symbols: all that is global carries our name, named critical sections of OpenMP too.
nm -g --defined-only "$static" | awk 'NF == 3 {print $3}' | grep -v -e '^gpis_' -e '^\.gomp_critical_user_gpis_' |
    empty "global in the static library without gpis_"

# The library prints nothing and does not end the program.
nm -u "$static" | awk '{print $2}' | sort -u |
    grep -xE '(__)?v?f?d?printf(_chk)?|f?puts|f?putc|putchar|perror|fwrite|stdout|stderr|_?exit|quick_exit|abort|__assert_fail' |
    empty "the library must not use"

readelf -d "$shared" | grep SONAME | grep -vF "[libgpis.so.$abi]" | empty "soname"
readelf -d "$shared" | grep -q SONAME || echo none | empty "soname"

# The header compiles by itself, in C and in C++.
echo '#include "gpis.h"' >"$work/alone.c"
$CC -std=c11 -pedantic -Wall -Wextra -Werror -I"$(dirname "$header")" -c "$work/alone.c" -o "$work/alone.o" 2>&1 |
    empty "header in C11"
cat >"$work/alone.cc" <<'CODE'
#include "gpis.h"
int main() { return gpis_version() == nullptr; }
CODE
if command -v g++ >/dev/null; then
    g++ -std=c++17 -pedantic -Wall -Wextra -Werror -I"$(dirname "$header")" "$work/alone.cc" "$shared" \
        -o "$work/alone" 2>&1 | empty "header in C++17, linked"
fi

[ ! -s "$work/failures" ] || exit 1
echo "$(wc -l <"$work/exported") functions exported"
