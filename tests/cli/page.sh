# Reports: looked at in a browser (page.py). Names from data are shown and never run.
/usr/bin/python3 -c 'import selenium' 2>/dev/null && [ -x /usr/bin/chromium ] && [ -x /usr/bin/chromedriver ] || {
    echo "python3-selenium, chromium and chromium-driver are not installed (make setup)"
    exit 77
}

# look PAGE NAME FIGURES: the page holds what page.py asks for
look() {
    checks=$((checks + 1))
    /usr/bin/python3 -B "$here/page.py" "$PWD/$1" "$2" "$3" >looked 2>&1 || fail "$1 could not be looked at"
    [ ! -s looked ] || fail "$1: $(cat looked)"
}

# A table with names that try to get out of elements, attributes, SVG and scripts.
evil='<script>hacked=1</script>'
{
    printf '"%s","""onload=""hacked=1","</script><img src=x onerror=hacked=1>",a & b <i>,"]]>","{{x}}",y\n' "$evil"
    awk 'BEGIN { srand(3); for (i = 0; i < 300; i++) { s = 0; for (j = 0; j < 6; j++) { v[j] = int(1000 * rand()) / 100; s += j * v[j] }
        print v[0] "," v[1] "," v[2] "," v[3] "," v[4] "," v[5] "," s + int(100 * rand()) / 10 } }'
} >t.csv
run 0 solve t.csv --target y --set 'l1:9' --intercept --report r.html --quiet
grep -q "$evil" r.html && fail "a name is in the page as it is"
look r.html "$evil" histogram
grep -q 'One pass over the data was enough' r.html || fail "that one pass was enough is not told"
grep -q 'id="bypass"' r.html && fail "the convergence of one pass is drawn"

# The widest table: bounds, ranges and prices.
run 0 solve "$tree/data/diabetes/diabetes.tsv" --target Y --intercept --set 'l1:45 & nonneg[BMI,BP] & box:-1e3,1e3' \
    --ranges 0.01 --report ranges.html --quiet
look ranges.html "" histogram
grep -q 'Range from' ranges.html || fail "the ranges are not in the page"

# Bounds as they are: one end alone, none at all, and none on another scale than the coefficients'.
bounds_of() { sed -n "s:^<tr><td>$1</td>.*</svg></td><td data-v=\"\([^\"]*\)\">.*<td data-v=\"\([^\"]*\)\">[^<]*</td><td class=\"t\">.*:\1 to \2:p" ends.html; }
run 0 solve "$tree/data/diabetes/diabetes.tsv" --target Y --set 'box:-5,[BMI] & nonneg[BP] & box:,7[S1]' --report ends.html --quiet
same "the bounds of BMI" "$(bounds_of BMI)" '-5 to '
same "the bounds of BP" "$(bounds_of BP)" '0 to '
same "the bounds of S1" "$(bounds_of S1)" ' to 7'
same "the bounds of AGE" "$(bounds_of AGE)" ' to '
run 0 solve "$tree/data/diabetes/diabetes.tsv" --target Y --set l1:30 --standardize --report ends.html --quiet
grep -q 'Least allowed' ends.html && fail "bounds of standardised coefficients stand beside coefficients that are not"

# A solve of many passes, k responses, no names; larger than memory: rows are read by their numbers.
run 0 gen syn1 --n 20000 --d 50 --out p
run 0 solve p/A.npy p/y.npy --set l1:3 --method apgd --tol 1e-6 --report many.html --json
look many.html "" histogram,bypass,bytime
measured 8 0 solve p/A.npy p/y.npy --set l1:3 --report large.html --quiet
look large.html "" histogram
grep -q 'a sample of' large.html || fail "the sample is not told"

# A constraint of each of many responses: the largest prices, so that two sheets of paper do.
/usr/bin/python3 -c 'import random
random.seed(1)
for name, cols in (("A", 3), ("Y", 600)):
    with open(name + ".csv", "w") as f:
        for i in range(20): f.write(",".join("%.4f" % random.random() for j in range(cols)) + "\n")'
run 0 solve A.csv Y.csv --set simplex:1 --report responses.html --quiet
look responses.html "" histogram
same "constraints in the table" "$(sed -n '/id="constraints"/,/<.table>/p' responses.html | grep -c '^<tr><td>\|<tbody>')" 201
grep -q 'The 200 of [0-9]* with the largest prices' responses.html || fail "that constraints are left out is not told"

# Nothing to draw: a response of zeros, one row, no bound. Each is a sentence and no empty figure; zeros have no sign.
awk 'BEGIN { print "a,b,y"; for (i = 0; i < 30; i++) print i % 7 "," i % 5 ",0" }' >zero.csv
run 0 solve zero.csv --target y --report zero.html --quiet
look zero.html "" ""
grep -q 'every residual is 0' zero.html || fail "that every residual is 0 is not told"
grep -q 'They ended without a lower bound on the objective that is above 0' zero.html || fail "that there is no relative error is not told"
head -n 2 t.csv >row.csv
run 0 solve row.csv --target y --report row.html --quiet
grep -q 'over 1 row and 6 columns' row.html || fail "one row is in the plural"
grep -q 'There is one row, whose residual is' row.html || fail "the residual of one row is not told"
run 1 solve p/A.npy p/y.npy --set l1:1e-9 --method apgd --max-passes 1 --tol 1e-15 --report first.html --quiet
grep -q '>&#8722;0<' first.html && fail "zeros have a sign"

# Not solved is told, and the page is whole or not there.
run 1 solve p/A.npy p/y.npy --set l1:3 --method apgd --max-passes 2 --report open.html --quiet
grep -q 'Not finished' open.html || fail "that it is not finished is not told"
refuse 3 solve t.csv --target y --report nowhere/r.html
refuse 2 solve t.csv --target y --report t.csv

# Paths and cross-validation.
run 0 path t.csv --target y --intercept --report path.html --quiet
look path.html "$evil" path
run 0 cv t.csv --target y --intercept --penalty l1 --folds 5 --report cv.html --quiet
look cv.html "$evil" curve,path
grep -q 'plus the penalty, lambda, times' cv.html || fail "the penalty is not told"
run 0 cv t.csv --target y --folds 5 --points 10 --report radius.html --quiet
grep -q 'without constraints' radius.html && fail "a radius is a constraint"
grep -q 'l1 norm of the coefficients, .* is at most the radius' radius.html || fail "the constraint is not told"
