#!/bin/sh
# The site of all documents is made, and every link of it leads somewhere: site.sh SOURCE_TREE BUILD_TREE
# Skipped only where scripts/setup cannot install what it needs; `make docs` itself makes the same check.
set -u
for program in pandoc doxygen mandoc; do command -v "$program" >/dev/null || exit 77; done
work=$(mktemp -d "${TMPDIR:-/tmp}/gpis-site.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
/usr/bin/python3 -B "$1/docs/site/build.py" "$1" "$2" "$work/site" && /usr/bin/python3 -B "$1/tests/docs/site.py" "$work/site"
