#!/bin/sh
# Every relative link of a document points to a file: links.sh SOURCE_TREE
set -u
cd "$1" || exit 1
lost=$(find . -name '*.md' -not -path './build/*' | sort | while read -r document; do
    grep -oE '\]\([^)]+\)' "$document" | sed -E 's/^\]\(//; s/[#)].*$//' | grep -vE '^(https?:.*)?$' |
        while read -r link; do
            [ -e "$(dirname "$document")/$link" ] || echo "$document: nothing is at $link"
        done
done)
[ -z "$lost" ] && exit 0
echo "$lost"
exit 1
