# Columns that depend on each other, as tables have them: what is proven, for which data, and who is named.

# table NAME HEADER ROW: 300 rows, ROW being an awk expression of i, and of u() in [0, 1).
table() {
    awk -v header="$2" 'function u() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
        BEGIN { seed = 20130; if (header != "") print header; for (i = 1; i <= 300; i++) print '"$3"' }' >"$1"
}
a='sprintf("%.3f,%.3f", u() * 10, u() * 3 + i % 7)' # a column that depends on nothing, and y
number='int(u() * 90000) + 1000'

# Exact in doubles, whatever the constant is: proven for the data as they are, and nobody is warned.
for constant in 2013 1025 0.1 3.14 -0.7 1e-5; do
    table constant.csv a,y,year,one "$a \",$constant,1\""
    for set in none monotone nonneg box:-1e9,1e9 l1:1e9 tv:2 simplex:3; do
        run 0 solve constant.csv --target y --set $set --json
        same "status with $constant, $set" "$(get status)" solved
        same "gap_kind with $constant, $set" "$(get gap_kind)" proven
        same "nearness with $constant, $set" "$(get nearness)" 0
        same "stderr with $constant, $set" "$(cat stderr)" ""
    done
done

# Exact as decimals only: said so, with the columns' names, for data within the rounding of a decimal.
near() { # near FILE NAMES SETS...
    file=$1 names=$2
    shift 2
    for set in "$@"; do
        run 0 solve "$file" --target y --set "$set" --json
        same "status of $file, $set" "$(get status)" solved
        same "gap_kind of $file, $set" "$(get gap_kind)" proven
        holds "nearness of $file, $set" "$(get nearness) > 0 && $(get nearness) <= 1.2e-16"
        says "warning: columns $names depend on each other but for rounding; the bound holds for data that differ from"
        same "lines on stderr" "$(wc -l <stderr)" 1
    done
}
table km.csv a,y,km,m "$a sprintf(\",%.3f,%d\", (m = $number) / 1000, m)"
near km.csv "'km' and 'm'" none monotone tv:2
for set in box:-1e9,1e9 l1:1e9; do # bounded: a summary in double-double proves it for the data as they are
    run 0 solve km.csv --target y --set "$set" --json
    same "status of $set" "$(get status)" solved
    same "gap_kind of $set" "$(get gap_kind)" proven
    same "nearness of $set" "$(get nearness)" 0
done
table small.csv a,y,share,count "$a sprintf(\",%.3f,%d\", (m = int(u() * 1000)) / 1000, m)" # 0.473 beside 473
near small.csv "'share' and 'count'" none monotone
table scales.csv C,y,a,K,one "sprintf(\"%.1f,\", c = int(u() * 600 - 200) / 10) sprintf(\"%.3f,%.3f\", u() + i % 7, u()) sprintf(\",%.2f,1\", c + 273.15)"
near scales.csv "'C', 'K' and 'one'" none monotone tv:2
run 0 solve scales.csv --target y --set nonneg --json # which needs no null vectors
same "nearness of nonneg" "$(get nearness)" 0

# The summary says it too, on its line about the certificate; so does check.
run 0 solve km.csv --target y --out x.npy
grep -q '^certificate   proven: within .* of the best possible objective, relative, for data within .*e-17 of these$' \
    stdout || fail "the certificate does not say for which data it is: $(grep ^certificate stdout)"
run 0 check km.csv x.npy --target y --json
holds "nearness of check" "$(get nearness) > 0"
run 0 solve km.csv --target y --set l1:2 --json # bounded: proven for the data as they are
same "nearness of l1:2" "$(get nearness)" 0

# More than rounding: proven for the data as they are, for all x that are not absurdly far away. Without a header columns
# are counted as the file counts them, the target among them.
more="$a sprintf(\",%.16g,%d\", (m = $number) / 1000 * (1 + (i % 7 - 3) * 2e-14), m)"
table more.csv a,y,km,m "$more"
run 0 solve more.csv --target y --json
same "status" "$(get status)" solved
same "nearness" "$(get nearness)" 0
holds "horizon" "$(get horizon) > 100"
run 0 solve more.csv --target y --out more.npy
grep -q '^certificate   proven: within .*, relative, unless terms are over .* times as long as y and cancel$' stdout ||
    fail "the certificate does not say how far it reaches: $(grep ^certificate stdout)"
run 0 check more.csv more.npy --target y --json
holds "horizon of check" "$(get horizon) > 100"
table km.csv "" "$a sprintf(\",%.3f,%d\", (m = $number) / 1000, m)"
run 0 solve km.csv --target 2
says "columns 3 and 4 depend on each other but for rounding"

# Names cannot command a terminal.
esc=$(printf '\033')
table esc.csv "a,y,${esc}[31mkm,m" "$a sprintf(\",%.3f,%d\", (m = $number) / 1000, m)"
run 0 solve esc.csv --target y --json
says "columns '?[31mkm' and 'm' depend"

# What a checkpoint holds is all it takes, and ends with the same bits.
run 0 solve km.csv --target 2 --checkpoint c --json --out x1.npy
passes=$(get passes) error=$(get nearness)
run 0 solve km.csv --target 2 --checkpoint c --resume --json --out x2.npy
same "passes from the checkpoint" "$(get resumed_passes)" "$passes"
same "nearness" "$(get nearness)" "$error"
cmp -s x1.npy x2.npy || fail "x differs"

# Whether the answer is the only one, and which columns can trade places.
table two.csv a,y,b,c "$a sprintf(\",%d,%d\", m = $number, 2 * m)"
run 0 solve two.csv --target y --json
same "unique without a set" "$(get unique)" false
same "reason without a set" "$(get unique_reason)" "columns 'b' and 'c' can trade places; x is the answer of least norm"
run 0 solve two.csv --target y --set box:-1e3,1e3
prints "unique        no: columns 'b' and 'c' can trade places"
table three.csv a,y,b "$a sprintf(\",%d\", $number)"
run 0 solve three.csv --target y --set nonneg --json
same "unique" "$(get unique)" true
same "reason" "$(get unique_reason)" null
run 0 solve three.csv --target y
grep -q '^unique' stdout && fail "a line about what need not be said"

# A fit that is exact is solved, in words.
awk 'BEGIN { print "a,b,y"; for (i = 1; i <= 50; i++) print i % 7 "," i % 5 "," 0.1 * (i % 7) + 0.7 * (i % 5) }' >exact.csv
run 0 solve exact.csv --target y --json
says "the fit is exact to working accuracy"
same "status of an exact fit" "$(get status)" solved
