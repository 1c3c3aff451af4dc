# Constraints: --set more than once, SPEC[COLUMNS], --subject-to, --bounds; what is refused and how; what is written.

# A table whose best x without constraints is (0.02, 0.01, 0.08) but for a little noise.
awk 'BEGIN {
    print "x1,x2,x3,y"
    for (i = 0; i < 60; i++) {
        a = cos(i); b = sin(2 * i); c = cos(3 * i + 1)
        printf "%.12f,%.12f,%.12f,%.12f\n", a, b, c, 0.02 * a + 0.01 * b + 0.08 * c + 0.001 * sin(5 * i)
    }
}' >t.csv

# near WHAT GOT EXPECTED: to 1e-7
near() { holds "$1" "($2 - ($3))^2 < 1e-14"; }
# coefficient NAME: of x.csv
coefficient() { awk -F, -v name="$1" '$1 == name { print $2 }' x.csv; }

# A bound and a linear constraint together; each is met with equality, and has a price.
run 0 solve t.csv --target y --subject-to 'x2 + x3 <= 0' --subject-to 'x1 >= 0.03' --out x.csv --json --tol 1e-10
same "status" "$(get status)" solved
same "gap_kind" "$(get gap_kind)" proven
same "set" "$(get set)" "{x2 + x3 <= 0; x1 >= 0.03}"
holds "violation" "$(get violation) <= 1e-15"
near "x1" "$(coefficient x1)" 0.03
near "x2 + x3" "$(coefficient x2) + $(coefficient x3)" 0
grep -q '^x1,0.03,x1 >= 0.03,' x.csv || fail "x.csv does not say what holds x1"
grep -q '^,,x2 + x3 <= 0,' x.csv || fail "x.csv does not have the row"
same "columns of x.csv" "$(head -1 x.csv)" "name,coefficient,active,multiplier"
# The price is how much the objective falls when the bound gives way: by differences.
price=$(awk -F, '$1 == "x1" { print $4 }' x.csv)
objective=$(get objective)
run 0 solve t.csv --target y --subject-to 'x2 + x3 <= 0' --subject-to 'x1 >= 0.0299' --json --tol 1e-10
holds "price of x1 >= 0.03" "(($objective - $(get objective)) / 1e-4 / $price - 1)^2 < 1e-3"

# The same by other words: a file of bounds, a file of constraints, sets.
printf 'name,lower,upper\nx1,0.03,\n' >bounds.csv
printf '# budget\n\n  x2 + x3 <= 0\r\n' >rules.txt
for way in "--bounds bounds.csv --subject-to @rules.txt" "--set box:0.03,[x1] --subject-to x2+x3<=0" \
    "--set {x2+x3<=0}&{x1>=0.03}" "--set {x2+x3<=0} --set box:0.03,[x*1] --set none"; do
    # shellcheck disable=SC2086 # the words are arguments
    run 0 solve t.csv --target y $way --json --tol 1e-10
    near "objective with $way" "$(get objective)" "$objective"
done

# Bounds of one column given several times: the tightest holds.
run 0 solve t.csv --target y --subject-to 'x3 <= 0.5' --subject-to 'x3 <= 0.05' --set box:,0.2[x3] --out x.csv --quiet
near "x3" "$(coefficient x3)" 0.05

# What plan and check make of it.
run 0 plan t.csv --target y --subject-to 'x2 + x3 <= 0'
run 0 solve t.csv --target y --subject-to 'x2 + x3 <= 0' --out x.npy --quiet
run 0 check t.csv x.npy --target y --subject-to 'x2 + x3 <= 0'
run 1 check t.csv x.npy --target y --subject-to 'x2 + x3 <= -1'
prints "NOT in the set"

# The summary names the active constraints.
run 0 solve t.csv --target y --subject-to 'x2 + x3 <= 0' --subject-to 'x1 >= 0.03'
prints "active constraint"
prints "  x2 + x3 <= 0"
prints "  x1 >= 0.03"

# Refusals: the text, the place, what was expected, the name that was meant.
wrong() { # wrong SAYS ARGUMENTS...
    says=$1
    shift
    refuse 2 solve t.csv --target y "$@"
    says "$says"
}
wrong "constraint x1 + x22 <= 1: there is no column 'x22' (did you mean 'x2'?) at position 6" --subject-to 'x1 + x22 <= 1'
wrong "expected a number or a column, found the end at position 7" --subject-to 'x1 <= '
wrong "write <= at position 4" --subject-to 'x1 < 1'
wrong "the constraint names no column" --subject-to '1 <= 2'
wrong "the constraint is false for every x" --subject-to 'x1 - x1 >= 1'
wrong "'x1 >= 1' and 'x1 <= 0' cannot both hold" --subject-to 'x1 >= 1' --subject-to 'x1 <= 0'
wrong "'x2 + x3 >= 1' cannot hold" --subject-to 'x2 + x3 >= 1' --set box:,0.4
wrong "'l1:1' cannot hold: the bounds of x1 and x3 allow 1.3 at least" --set l1:1 --subject-to 'x1 >= 0.6' \
    --subject-to 'x3 <= -0.7'
wrong "'l1:0.1' cannot hold: the bounds of x1 allow 0.5 at least" --set 'l2:1[x1,x2] & l1:0.1 & {x1 = 0.5}'
printf 'x1 + <= 1\n' >rules.bad
wrong "rules.bad: constraint x1 + <= 1: expected a number or a column, found '<' at position 6" --subject-to @rules.bad
printf '# nothing\n' >rules.none
wrong "rules.none: holds no constraint" --subject-to @rules.none
wrong "no column matches 'z*' at position 8" --set 'nonneg[z*]'
wrong "there is no column 4; columns are 1 to 3 at position 8" --set 'nonneg[4]'
printf 'x1,0,1\nx22,0,1\n' >b.csv
wrong "b.csv: line 2: there is no column 'x22'; did you mean 'x2'?" --bounds b.csv
printf 'x1,0,1\nx2,,\nx1,0,2\n' >b.csv
wrong "b.csv: line 3: column 'x1' has its bounds in line 1 already" --bounds b.csv
printf 'x1,0,1\nx2,one,\n' >b.csv
wrong "b.csv: line 2: expected a lower bound, found 'one'" --bounds b.csv
printf 'x1,2,1\n' >b.csv
wrong "b.csv: line 1: no number is between the bounds of 'x1'" --bounds b.csv
printf 'x1,2\n' >b.csv
wrong "b.csv: line 1 has too few fields; it needs three: name, lower, upper" --bounds b.csv
refuse 3 solve t.csv --target y --subject-to @absent.txt
says "cannot read absent.txt"
wrong "--out writes .npy, .csv or .json; 'x.txt' does not end so" --out x.txt

# What is always true is worth a word.
run 0 solve t.csv --target y --subject-to 'x1 - x1 <= 3' --json
says "warning: the constraint 'x1 - x1 <= 3' is always true"

# Names that could be taken for something else are data, everywhere.
printf '"a,b]","=cmd()","he said ""x""","\033[2Jred",y\n1,0,0,0,1\n0,1,0,0,2\n0,0,1,0,3\n0,0,0,1,4\n1,1,1,1,9\n' >odd.csv
run 0 solve odd.csv --target y --set 'nonneg["a,b]"] & box:,1["=cmd()"]' --subject-to '`he said "x"` <= 2.5' --out x.csv
prints '  =cmd() <= 1 '
grep -q '^"a,b]",' x.csv || fail "a name with a comma is not quoted"
grep -q '^"he said ""x""",2.5,' x.csv || fail "a name with quotes is not quoted"
same "no escape sequences on the terminal" "$(tr -d '\n\040-\176' <stdout | wc -c)" 0
run 0 solve odd.csv --target y --set 'box:,1["=cmd()"]' --out x.json --json
same "names in JSON" "$("$probe" get x.json status)" solved
grep -q '"name": "=cmd()"' x.json || fail "x.json has no names"

# Several responses: a line for each of them.
printf '1,0\n0,1\n1,1\n1,2\n' >A.csv
printf '1,2\n2,-1\n3,1\n2,2\n' >Y.csv
run 0 solve A.csv Y.csv --set 'nonneg & box:,1.5[1]' --out x.csv
same "header" "$(head -1 x.csv)" "name,response,coefficient,active,multiplier"
same "lines" "$(wc -l <x.csv)" 5
grep -q '^x2,2,0,x2 >= 0,' x.csv || fail "x2 of response 2 is not held at 0"

# Index tracking: weights of stocks that add up to 1, each from 0 to 0.1, for three markets.
for market in 3 2 1; do
    awk -f "$tree/data/indtrack/returns.awk" "$tree/data/indtrack/indtrack$market.txt" >returns.csv
    run 0 solve returns.csv --target index --set sum:1 --set box:0,0.1 --out x.csv --json --tol 1e-10
    same "status of market $market" "$(get status)" solved
    same "gap_kind of market $market" "$(get gap_kind)" proven
    holds "violation of market $market" "$(get violation) <= 4e-16"
    near "radius of market $market" "$(get radius)" 1
    tail -n +2 x.csv | awk -F, '$1 != "" { sum += $2; if ($2 < 0 || $2 > 0.1) bad = 1 }
        END { exit bad || (sum - 1)^2 > 1e-24 }' || fail "market $market: weights are not from 0 to 0.1 with sum 1"
done
tracking=$(get objective)
run 0 solve returns.csv --target index --set 'simplex:1 & box:,0.1' --json --tol 1e-10
near "the same by a simplex" "1e6 * $(get objective)" "1e6 * $tracking"

# MAGIC04: an intercept, which nothing constrains, the signs of three features, and an l1 ball over all of them.
awk -F, 'BEGIN { print "fLength,fWidth,fSize,fConc,fConc1,fAsym,fM3Long,fM3Trans,fAlpha,fDist,gamma" }
    { for (i = 1; i <= 10; i++) printf "%s,", $i; print ($11 == "g") }' "$tree/data/magic04/magic04.data" >magic.csv
run 0 solve magic.csv --target gamma --intercept --set 'l1:0.2[f*]' --subject-to 'fSize >= 0' --subject-to 'fDist <= 0' \
    --subject-to 'fWidth <= 0' --out x.csv --json --tol 1e-10
same "status" "$(get status)" solved
same "gap_kind" "$(get gap_kind)" proven
same "set" "$(get set)" "l1:0.2[1-10] & {fSize >= 0; fDist <= 0; fWidth <= 0}"
tail -n +2 x.csv | awk -F, '$1 ~ /^f/ { sum += $2 < 0 ? -$2 : $2 } $1 == "fSize" && $2 < 0 { bad = 1 }
    ($1 == "fDist" || $1 == "fWidth") && $2 > 0 { bad = 1 } $1 == "(intercept)" { free = $3 == "" && $2 > 0.2 }
    END { exit bad || !free || sum > 0.2 * (1 + 1e-14) || sum < 0.199 }' || fail "signs, the ball or the constant: $(cat x.csv)"

# Pages of constraints do not fill the terminal; JSON has all of them.
{ echo x1,x2,y; seq 1 50 | awk '{ print $1 "," $1 * $1 % 7 "," 3 * $1 + $1 % 5 }'; } >long.csv
seq 1 200 | awk '{ print "x1 + " $1 " x2 <= " 1000 + $1 }' >many.txt
run 0 solve long.csv --target y --subject-to @many.txt
grep -Eq '^set           .{240}\.\.\. \(--json has all of it\); x is in it$' stdout || fail "the line of the set is not cut: $(grep '^set ' stdout)"
run 0 solve long.csv --target y --subject-to @many.txt --json
case $(get set) in *'x1 + 200 x2 <= 1200}') ;; *) fail "JSON does not have all of the set" ;; esac
