# The progress line: on a terminal, no wider than that, gone at the end. script(1) has a terminal to lend.
run 0 gen syn1 --n 100000 --d 60 --cond 1e14 --out p # large enough not to end before its time limit
hard="$gpis solve p/A.npy p/y.npy --method apgd --set l1:3 --tol 1e-15 --time-limit 1.5"
escape=$(printf '\033')

# shown COMMAND: what a terminal gets, one state of the line on a line, in the file states.
shown() {
    command="$1 (on a terminal)"
    script -qec "$1" /dev/null </dev/null >typescript 2>&1
    tr '\r' '\n' <typescript | sed "s/$escape\\[K//g" >states
}

shown "stty cols 120; $hard"
checks=$((checks + 1))
grep -Eq '^pass [0-9]+( of about [0-9]+)?, [0-9]+ %  [0-9.]+[kMG]? rows/s  [0-9]+\.[0-9] GB/s(  gap [0-9.e-]+)?  about [0-9]+ (s|min|h) left$' states ||
    fail "no state within a pass as it should be: $(grep pass states | head -3)"
[ -n "$sanitized" ] || grep -Eq '^pass .*  gap [0-9]\.[0-9]e[-+][0-9]+  about' states || fail "no state with a gap"
grep -Eq '^pass [0-9]+( of about [0-9]+)?  [0-9.]+[kMG]? rows/s' states || fail "no state after a pass"
grep -q "^outcome       ended at the time limit" states || fail "the summary is not on a line of its own"
# What the line held is wiped before the summary.
tr '\n\r' '\r\n' <typescript | grep -q "^${escape}\\[Koutcome" || fail "the line is not wiped"

shown "stty cols 30; $hard --json 2>&1 >result.json | cat; $hard --json >result.json"
grep -q '^pass [0-9]' states || fail "--json has no progress line on a terminal"
"$probe" json result.json || fail "the line is mixed into the JSON"
same "longest line" "$(awk '/^pass/ && length > longest { longest = length } END { print longest }' states)" 29

shown "$hard --quiet"
same "output of --quiet" "$(cat typescript)" ""
$hard --json >stdout 2>stderr
same "progress without a terminal" "$(cat stderr)" ""

# A limit of time shows in what is left; a gap that is not known is left out, and so is a number of passes and a time.
shown "stty cols 120; $gpis solve p/A.npy p/y.npy --method pgd --certificate none --time-limit 0.5"
grep -Eq '^pass [0-9]+(, [0-9]+ %)?  [0-9.]+[kMG]? rows/s  [0-9]+\.[0-9] GB/s  about [0-9] s left$' states ||
    fail "an unknown gap is shown, or the limit is not: $(grep pass states | head -3)"
shown "stty cols 120; $gpis solve p/A.npy p/y.npy --method pgd --certificate none --max-passes 300"
grep -Eq '^pass [0-9]+(, [0-9]+ %)?  [0-9.]+[kMG]? rows/s  [0-9]+\.[0-9] GB/s$' states ||
    fail "an unknown time is shown: $(grep pass states | head -3)"
grep -E '(gap|  |about) -( |$)' states && fail "there are dashes in the line"

# What the plan predicts: passes, and from them the time while there is no gap yet.
shown "stty cols 120; $gpis solve p/A.npy p/y.npy"
grep -Eq '^pass 1 of about 2  ' states || fail "no 'pass 1 of about 2': $(grep pass states | head -3)"
grep -Eq '^pass 1 of about 2  .*  about [0-9]+ s left$' states || fail "the passes left give no time: $(grep pass states | head -3)"

# While text is read: how much of the file, gzipped or not, and how fast; gone at the end. A fast machine may have read a
# file before the first line is due: it then gets a larger one.
line='^reading text, [0-9]+ %  [0-9]+ MB/s  about [0-9]+ s left$'
for file in long.csv long2.csv.gz; do
    for rows in 60000 240000 960000; do
        yes "$(seq -s, 1.0123456789 1 90)" | head -n $rows | case $file in *.gz) gzip -1 ;; *) cat ;; esac >$file
        shown "stty cols 120; $gpis info $file"
        grep -Eq "$line" states && break
    done
    grep -Eq "$line" states || fail "no line while $file is read: $(grep read states | head -3)"
    grep -Eq "^  shape      $rows x " states || fail "the line is mixed with the output"
done
awk '/^reading text/ { sub(/%/, "", $3); if ($3 + 0 < last || $3 + 0 > 100) bad = 1; last = $3 + 0 } END { exit bad }' states ||
    fail "the part that is read does not grow to 100 %: $(grep read states)"
shown "{ cat long.csv; sleep 0.3; tail -n 1 long.csv; } | $gpis info - 2>&1 >/dev/null"
grep -Eq '^reading text, [0-9]+ MB  [0-9]+ MB/s$' states || fail "no line while a pipe is read"
shown "$gpis solve long.csv --target 1 --set nonneg --max-passes 1 --quiet"
grep -q reading states && fail "--quiet shows how reading goes"
"$gpis" info long.csv >stdout 2>stderr
same "progress of reading without a terminal" "$(cat stderr)" ""

# While points of a path are solved: how many are done, and how many folds; gone at the end, nothing without a terminal.
run 0 gen syn1 --n 1000 --d 150 --out q
long="q/A.npy q/y.npy --set tv --eps 0.2"
for points in 10 40 160 640; do
    shown "stty cols 120; $gpis cv $long --points $points --folds 4"
    grep -Eq "^[0-9]+ of $((5 * points)) points, [1-3] of 4 folds" states && break
done
checks=$((checks + 1))
grep -Eq "^[0-9]+ of $((5 * points)) points, [1-3] of 4 folds(  about [0-9]+ s left)?$" states ||
    fail "no line about points and folds: $(grep points states | head -3)"
awk '/^[0-9]+ of [0-9]+ points/ { if ($1 + 0 < last) bad = 1; last = $1 + 0 } END { exit bad }' states ||
    fail "the number of points falls: $(grep points states)"
grep -q "^path   " states || fail "the summary is not on a line of its own"
shown "stty cols 120; $gpis path $long --points $points --quiet"
same "output of path --quiet" "$(cat typescript)" ""
"$gpis" cv $long --points $points --folds 4 >stdout 2>stderr
same "progress of cv without a terminal" "$(cat stderr)" ""
