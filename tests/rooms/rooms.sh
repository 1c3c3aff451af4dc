#!/bin/sh
# Who may include whom: rooms.sh SOURCE_TREE. The table is that of docs/design.
set -u
cd "$1" || exit 1

allowed() { # allowed ROOM: the rooms it may include, itself among them
    case $1 in
    base) echo base ;;
    linalg) echo base linalg ;;
    source | sketch | set) echo base linalg "$1" ;;
    theory) echo base theory ;;
    problem) echo base linalg source set problem ;;
    pass) echo base linalg source sketch pass ;;
    ranks) echo base linalg source sketch pass ranks ;;
    inner | certificate) echo base linalg set "$1" ;;
    method) echo base linalg source sketch set problem pass ranks inner certificate method ;;
    plan) echo base linalg source sketch set problem pass ranks inner certificate theory method plan ;;
    api) echo base linalg source sketch set problem pass ranks inner certificate theory method plan api ;;
    esac
}

# Each #include "..." of a file as "FILE:LINE HEADER".
includes() { grep -HnE '^ *# *include +"' "$@" 2>/dev/null | sed -E 's/^([^:]*:[0-9]*):[^"]*"([^"]*)".*/\1 \2/'; }

strays() {
    for folder in src/*/; do
        room=$(basename "$folder")
        rooms=" $(allowed "$room") "
        [ "$rooms" != "  " ] || echo "src/$room is not in the table of rooms"
        includes "$folder"*.[ch] | while read -r place header; do
            case "$rooms" in
            *" ${header%%/*} "*) [ -f "src/$header" ] || echo "$place: $header is no file of a room" ;;
            *) [ "$room/$header" = base/gpis.h ] || echo "$place: room '$room' may not include $header" ;;
            esac
        done
    done
    # Programs know the public header and what lies beside them.
    for folder in cli bench examples experiments; do
        includes "$folder"/*.[ch] | while read -r place header; do
            [ "$header" = gpis.h ] || [ -f "$folder/$header" ] ||
                { [ $folder = experiments ] && [ -f "cli/$header" ]; } || # commands of the same program
                echo "$place: $folder may not include $header"
        done
    done
    # The library does not know the options of a program: its messages speak of "option memory", not of --memory.
    grep -rnE '"[^"]*--[a-z]' src --include='*.[ch]'
    # A kind is known by its properties (src/set/set.h), which another kind may share, and not by its name.
    grep -rnE 'strn?cmp\([^)]*(class|kind)->name' src --include='*.[ch]' | grep -v '^src/set/parse.c:'
}

found=$(strays)
[ -z "$found" ] && exit 0
echo "$found"
exit 1
