#!/bin/sh
# The examples on real data that come with gpis: examples.sh SOURCE_TREE GPIS
# Each ends with a certified answer and a figure; what is said of the answer is checked from the files it leaves.
set -u
tree=$1 gpis=$(readlink -f "$2")
work=$(mktemp -d "${TMPDIR:-/tmp}/gpis-examples.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
failures=0
fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}

run() { # run NAME ARGUMENTS...: it must succeed, with a certified answer and a figure
    name=$1
    shift
    "$tree/examples/$name" "$gpis" "$work/$name" "$@" >"$name.out" 2>&1 || fail "$name: exit code $? $(cat "$name.out")"
    grep -qE '^(outcome  *solved|certificate  *40 of 40 points proven)' "$name.out" || fail "$name: not solved"
    grep -qi 'warning' "$name.out" && fail "$name: $(grep -i warning "$name.out")"
    grep -q '</svg>' "$work/$name/$name.svg" || fail "$name: there is no figure"
}
holds() { # holds WHAT FILE PROGRAM...: awk finds it true at the end
    awk -F, "$3 END { exit !ok }" "$2" || fail "$1"
}

run index-tracking
holds "weights add up to 1 and are within 0 and 0.1" index-tracking/weights.csv \
    'NR > 1 && $1 != "" { s += $2; if ($2 < 0 || $2 > 0.1) bad = 1 } { ok = !bad && s > 1 - 1e-12 && s < 1 + 1e-12 }'
holds "on weeks seen, fewer constraints fit better" index-tracking/tracking.txt \
    '{ n = split($0, word, / +/); e[NR] = word[n - 1] } { ok = NR == 5 && e[2] > e[3] && e[3] >= e[4] && e[5] > e[2] }'

# One station, not all three: fewer rows.
mkdir -p data/beijing_air && ln -s "$tree"/data/beijing_air/*Dongsi* data/beijing_air
run beijing-air "$work/data"
holds "the effects of wind do not increase" beijing-air/wind.txt \
    'BEGIN { FS = " " } NR > 1 && $2 > last { bad = 1 } { last = $2; ok = NR == 6 && !bad }'
holds "the effect of moist air is not negative" beijing-air/effects.csv '$1 == "moist" { ok = $2 >= 0 }'

run magic04
holds "the l1 norm is at most 1" magic04/score.csv \
    'NR > 1 && $1 != "" && $1 != "(intercept)" { s += $2 < 0 ? -$2 : $2 } { ok = s <= 1 + 1e-12 }'
holds "most showers are told right" magic04/right.txt 'BEGIN { FS = " " } { ok = $7 > 75 && $7 < 100 }'

# The first posts only.
run blogfeedback "$tree/data" 8000
holds "two choices; the simpler one has fewer features, and both beat the mean" blogfeedback/unseen.txt \
    'BEGIN { FS = " +" } { n[$1] = $2; good += $NF > 0 } { ok = NR == 2 && good == 2 && n["one_se"] < n["best"] }'

# Data that do not come with gpis: told in one line, with the exit code of a test that is skipped.
"$tree/examples/unmixing" "$gpis" "$work/unmixing" "$work/nowhere" >out 2>&1
[ $? = 77 ] || fail "unmixing without data: another exit code"
[ "$(wc -l <out)" = 1 ] || fail "unmixing without data: $(cat out)"
[ "$failures" = 0 ]
