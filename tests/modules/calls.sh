#!/bin/sh
# scripts/calls on small trees of object files that are right or wrong in known ways: calls.sh SOURCE_TREE
set -eu
tree=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() { echo "$*" && exit 1; }

# file NAME USED...: compiles an object for src/NAME.c that defines the function gpis_NAME and calls those USED. In the
# names of functions a slash becomes an underscore.
file() {
    object=CMakeFiles/gpis_objects.dir/src/$1.c.o
    mkdir -p "$(dirname "$object")"
    own=gpis_$(echo "$1" | tr / _)
    shift
    for used; do echo "void gpis_$(echo "$used" | tr / _)(void);"; done >code.c
    {
        echo "void $own(void);"
        echo "void $own(void) {"
        for used; do echo "gpis_$(echo "$used" | tr / _)();"; done
        echo "}"
    } >>code.c
    ${CC:-cc} -c code.c -o "$object"
    echo "\"command\": \"cc -o $object -c code.c\"" >>compile_commands.json
}

begin() { rm -rf CMakeFiles compile_commands.json; }

accepts() {
    sh "$tree/scripts/calls" --check . >output || fail "$1: refused: $(cat output)"
    [ ! -s output ] || fail "$1: prints $(cat output)"
}

# refuses WHAT TEXT: --check fails, and its output has TEXT
refuses() {
    if sh "$tree/scripts/calls" --check . >output; then fail "$1: not found"; fi
    grep -qF "$2" output || fail "$1: the output does not say '$2': $(cat output)"
}

begin
file source/a source/b base/x
file source/b source/c
file source/c source/a
file base/x
accepts "a cycle of three files"
sh "$tree/scripts/calls" . >output || fail "the calls of a good tree are not printed"
grep -qF 'source/a.c -> base/x.c: gpis_base_x' output || fail "a call is not printed: $(cat output)"
grep -qF '3 files of module source use each other in a cycle: source/a.c source/b.c source/c.c' output ||
    fail "the cycle of three files is not printed: $(cat output)"

begin
file source/a source/b
file source/b source/c
file source/c source/d
file source/d source/b source/a
file source/e source/a
refuses "a cycle of four files" \
    "4 files of module source use each other in a cycle, and at most 3 may: source/a.c source/b.c source/c.c source/d.c"

begin
file source/a method/b
file method/b
refuses "a use that the table forbids" \
    "source/a.c -> method/b.c: gpis_method_b: module source may not use module method"

begin
file source/a base/b
file base/b linalg/c
file linalg/c base/d
file base/d
refuses "two modules that use each other" "2 modules use each other in a cycle, and at most 1 may: base linalg"

# The object of a file that was removed from the build is ignored; one that is missing is an error of its own.
begin
file source/a
cp compile_commands.json kept
file source/b method/c
file method/c
mv kept compile_commands.json
accepts "an object that the build no longer has"
rm CMakeFiles/gpis_objects.dir/src/source/a.c.o
code=0
sh "$tree/scripts/calls" --check . >output 2>&1 || code=$?
[ $code = 2 ] || fail "a tree that is not built: exit code $code: $(cat output)"
