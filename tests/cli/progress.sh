# The progress line: on a terminal, no wider than that, gone at the end. script(1) has a terminal to lend.
run 0 gen syn1 --n 20000 --d 60 --cond 1e14 --out p
hard="$gpis solve p/A.npy p/y.npy --method apgd --set l1:3 --tol 1e-15 --time-limit 0.7"
escape=$(printf '\033')

# shown COMMAND: what a terminal gets, one state of the line on a line, in the file states.
shown() {
    command="$1 (on a terminal)"
    script -qec "$1" /dev/null </dev/null >typescript 2>&1
    tr '\r' '\n' <typescript | sed "s/$escape\\[K//g" >states
}

shown "stty cols 120; $hard"
checks=$((checks + 1))
grep -Eq '^pass [0-9]+, [0-9]+ %  [0-9.]+[kMG]? rows/s  [0-9]+\.[0-9] GB/s  gap [0-9.e-]+  about [0-9]+ (s|min|h) left$' states ||
    fail "no state within a pass as it should be: $(grep pass states | head -3)"
grep -Eq '^pass [0-9]+  [0-9.]+[kMG]? rows/s' states || fail "no state after a pass"
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

# A limit of time shows in what is left; a gap that is not known is a dash.
shown "stty cols 120; $gpis solve p/A.npy p/y.npy --method pgd --certificate none --time-limit 0.5"
grep -Eq '  gap -  about [0-9] s left$' states || fail "an unknown gap is no dash, or the limit does not show"
