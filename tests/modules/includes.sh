#!/bin/sh
# Which module may include which: includes.sh SOURCE_TREE. The table is the file `allowed` beside this script.
set -u
cd "$1" || exit 1

# allowed MODULE: the modules it may include, itself among them
allowed() { sed -n "s/^$1:/$1/p" tests/modules/allowed; }

# written PART FILES: assignments to fields of this part of a run (src/method/run.h) in other files of src.
written() {
    grep -rnE "\\b$1(\\.|->)[a-z_0-9]+(\\[[^]]*\\])? *(\\+\\+|--|[-+*/|&]?=[^=])" src --include='*.[ch]' |
        grep -vE "^src/method/($2)\\.c:" | sed "s/^/only $2.c may write to the $1 of a run: /"
}

# Each #include "..." of a file as "FILE:LINE HEADER".
includes() { grep -HnE '^ *# *include +"' "$@" 2>/dev/null | sed -E 's/^([^:]*:[0-9]*):[^"]*"([^"]*)".*/\1 \2/'; }

strays() {
    for folder in src/*/; do
        module=$(basename "$folder")
        modules=" $(allowed "$module") "
        [ "$modules" != "  " ] || echo "src/$module: is not in the table tests/modules/allowed"
        grep -q "^| $module |" docs/design/README.md || echo "src/$module: is not in the table of docs/design/README.md"
        includes "$folder"*.[ch] | while read -r place header; do
            case "$modules" in
            *" ${header%%/*} "*) [ -f "src/$header" ] || echo "$place: there is no file src/$header" ;;
            *) [ "$module/$header" = base/gpis.h ] || echo "$place: module $module may not include $header" ;;
            esac
        done
    done
    # Programs know the public header and what lies beside them.
    for folder in cli bench examples experiments; do
        includes "$folder"/*.[ch] | while read -r place header; do
            [ "$header" = gpis.h ] || [ -f "$folder/$header" ] ||
                { expr "${place%%:*}" : 'bench/\(constants\|rows\)\.c$' > /dev/null && [ -f "src/$header" ]; } || # they measure parts of the library
                { [ $folder = experiments ] && [ -f "cli/$header" ]; } || # commands of the same program
                echo "$place: $folder may not include $header"
        done
    done
    # The parts of a run have one writer each.
    written account account
    written record record
    written curvature curvature
    written dependence 'curvature|dependence|nearly_null'
    # The library does not know the options of a program: its messages speak of "option memory", not of --memory.
    grep -rnE '"[^"]*--[a-z]' src --include='*.[ch]'
    # A kind is known by its properties (src/set/set.h), which another kind may share, and not by its name.
    grep -rnE 'strn?cmp\([^)]*(class|kind)->name' src --include='*.[ch]' | grep -v '^src/set/parse.c:'
    # The same for methods (src/method/method.h): nothing outside knows one by its name.
    sed -n '/define GPIS_METHOD_LIST/,/^$/s/.*ENTRY(\(.*\), \("[^"]*"\)).*/gpis_method_\1\\b\n\2/p' src/base/names.h |
        grep -rnf - src/cost src/plan src/api --include='*.[ch]'
}

found=$(strays)
[ -z "$found" ] && exit 0
echo "$found"
exit 1
