# --intercept, --weights, --offset, --standardize, --penalty: each against the same problem in other words, as columns,
# files, parts, windows and ranks; what is refused and how.
data=$tree/data/diabetes/diabetes.tsv

# near WHAT GOT EXPECTED [TOLERANCE]: to 1e-11 of the size of what is expected, unless another tolerance is given
near() { holds "$1" "($2 - ($3))^2 <= (${4:-1e-11} * ($3))^2"; }
# near_x FILE FILE [TOLERANCE]: coefficients by name, those that both files have, to 1e-8 of their size
near_x() {
    checks=$((checks + 1))
    awk -F, -v tol="${3:-1e-8}" 'function size(v) { return v < 0 ? -v : v }
        NR == FNR { x[$1] = $2; next }
        FNR > 1 && $1 in x { both++; if (size($2 - x[$1]) > tol * (size($2) + 1e-6)) bad = $1 }
        END { exit bad != "" || both < 10 }' "$1" "$2" || fail "$1 and $2 differ: $(paste "$1" "$2")"
}
# line NAME: the coefficient of that name in x.csv
line() { awk -F, -v name="$1" '$1 == name { print $2 }' x.csv; }

# The data with weights 0 to 3, an offset and a constant column; the same with y less the offset; with rows repeated.
awk -F'\t' -v OFS='\t' 'NR == 1 { print $0, "w", "o", "(intercept)"; next } { print $0, NR * 7 % 4, NR % 5 * 10.5, 1 }' \
    "$data" >d.tsv
awk -F'\t' -v OFS='\t' 'NR > 1 { $11 = $11 - $13 } { print }' d.tsv >less.tsv
awk -F'\t' 'NR == 1 { print; next } { for (i = 0; i < $12; i++) print }' less.tsv >repeated.tsv
tail -n +2 d.tsv | cut -f 12 >weights.csv
tail -n +2 d.tsv | cut -f 13 >offset.csv
plain="--target Y --exclude w,o" # with the constant column
bare="--target Y --exclude w,o,(intercept)"

# ---- each term in other words -------------------------------------------------------------------------------------

# shellcheck disable=SC2086 # the words of $plain and $bare are arguments
{
    # An intercept is a column of ones.
    run 0 solve d.tsv $plain --tol 1e-12 --json --out ones.csv
    ones=$(get objective)
    run 0 solve d.tsv $bare --intercept --tol 1e-12 --json --out x.csv
    near "objective with an intercept" "$(get objective)" "$ones"
    near_x x.csv ones.csv
    same "the first line of x.csv" "$(sed -n 2p x.csv | cut -d, -f1)" "(intercept)"
    near "intercept in JSON" "$(get intercept)" "$(line "(intercept)")" 1e-15

    # An offset is subtracted from y.
    run 0 solve less.tsv $bare --intercept --tol 1e-12 --json --out less.csv
    less=$(get objective)
    run 0 solve d.tsv --target Y --exclude 'w,(intercept)' --offset o --intercept --tol 1e-12 --json --out x.csv
    near "objective with an offset" "$(get objective)" "$less"
    near_x x.csv less.csv

    # A row of weight w is w rows. Columns by name, by number, and files.
    run 0 solve repeated.tsv $bare --intercept --tol 1e-12 --json --out repeated.csv
    repeated=$(get objective)
    for way in "--weights w --offset o" "--weights 12 --offset 13" "--weights weights.csv --offset o --exclude w" \
        "--weights w --offset offset.csv --exclude o" "--weights weights.csv --offset offset.csv --exclude w,o"; do
        run 0 solve d.tsv --target Y --columns '1-13' --intercept $way --tol 1e-12 --json --out x.csv
        near "objective with $way" "$(get objective)" "$repeated"
        near_x x.csv repeated.csv
        same "columns with $way" "$(wc -l <x.csv)" 12
    done

    # No penalty is on the intercept: the same as with a constant column that is exempt.
    printf '1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n0\n' >exempt.csv
    run 0 solve d.tsv $plain --penalty l1:20000,exempt.csv --tol 1e-12 --json --out ones.csv
    ones=$(get objective)
    run 0 solve d.tsv $bare --intercept --penalty l1:20000 --tol 1e-12 --json --out x.csv
    near "objective with a penalty" "$(get objective)" "$ones"
    near_x x.csv ones.csv 1e-7
    run 0 solve repeated.tsv $bare --intercept --penalty l1:9000 --penalty l2:70 --tol 1e-12 --json --out repeated.csv
    repeated=$(get objective)
    run 0 solve d.tsv --target Y --exclude '(intercept)' --weights w --offset o --intercept --penalty l1:9000 \
        --penalty l2:70 --tol 1e-12 --json --out x.csv
    near "objective with all of them" "$(get objective)" "$repeated"
    near_x x.csv repeated.csv 1e-7
}

# Standardised columns are columns divided by their standard deviations, weights and all.
awk -F'\t' -v OFS='\t' 'NR == FNR { if (FNR > 1) { n += $12; for (j = 1; j <= 10; j++) { s[j] += $12 * $j } } next }
    { line[FNR] = $0 }
    END {
        print line[1]
        for (i = 2; i <= FNR; i++) { split(line[i], f); for (j = 1; j <= 10; j++) q[j] += f[12] * (f[j] - s[j] / n)^2 }
        for (i = 2; i <= FNR; i++) {
            split(line[i], f)
            for (j = 1; j <= 10; j++) printf "%.17g\t", f[j] / sqrt(q[j] / n)
            print f[11], f[12], f[13], f[14]
        }
    }' d.tsv d.tsv >scaled.tsv
run 0 solve scaled.tsv --target Y --exclude 'o,(intercept)' --weights w --intercept --set l1:60 --tol 1e-12 --json
scaled=$(get objective)
run 0 solve d.tsv --target Y --exclude 'o,(intercept)' --weights w --intercept --set l1:60 --standardize --tol 1e-12 --json
near "objective of standardised columns" "$(get objective)" "$scaled" 1e-10

# ---- what is written can be read ----------------------------------------------------------------------------------

set -- --target Y --exclude '(intercept)' --weights w --offset o --intercept
run 0 solve d.tsv "$@" --set l1:40 --tol 1e-10 --json --out x.csv
objective=$(get objective)
run 0 solve d.tsv "$@" --set l1:40 --tol 1e-10 --quiet --out x.npy
run 0 solve d.tsv "$@" --set l1:40 --tol 1e-10 --quiet --out x.json
grep -q '"name": "(intercept)"' x.json || fail "x.json has no intercept"
for x in x.csv x.npy; do
    run 0 check d.tsv $x "$@" --set l1:40 --json
    near "objective of $x" "$(get objective)" "$objective"
    holds "coefficients that are counted" "$(get given_nonzeros) <= 10"
    run 0 solve d.tsv "$@" --set l1:40 --x0 $x --json
done
refuse 2 check d.tsv x.csv --target Y --exclude '(intercept)' --weights w --offset o
says "x.csv is 11 x 1, but x must be 10 x 1 here"

# ---- a column or a file -------------------------------------------------------------------------------------------

sed 's/.*/1/' weights.csv >w # a file that is called like a column, with other numbers
run 0 solve d.tsv "$@" --set l1:40 --tol 1e-10 --json
near "the column, not the file" "$(get objective)" "$objective"
refuse 2 solve d.tsv --target Y --weights wx
says "--weights wx: the table has no column of this name, and there is no such file"
refuse 2 solve d.tsv --target Y --weights Y
says "column 'Y' cannot be the weights and something else too"
refuse 2 solve d.tsv --target Y --weights w --offset w
says "column 'w' cannot be the offset and something else too"

# ---- bad input ----------------------------------------------------------------------------------------------------

awk -F'\t' -v OFS='\t' 'NR == 5 { $12 = -1 } { print }' d.tsv >bad.tsv
refuse 2 solve bad.tsv --target Y --weights w
says "weights: row 4 is -1"
sed '7s/.*/-0.5/' weights.csv >bad.csv
refuse 2 solve "$data" --target Y --weights bad.csv
says "weights: row 7 is -0.5"
sed '7s/.*/nan/' weights.csv >bad.csv
refuse 2 solve "$data" --target Y --weights bad.csv
says "line 7"
awk -F'\t' -v OFS='\t' 'NR == 5 { $12 = "NaN" } { print }' d.tsv >bad.tsv
refuse 2 solve bad.tsv --target Y --weights w
says "line 5"
awk -F'\t' -v OFS='\t' 'NR == 5 { $12 = 0; $3 = "" } { print }' d.tsv >bad.tsv # a row that is not there
refuse 2 solve bad.tsv --target Y --weights w
says "line 5, column 3 (BMI) is missing"
sed 's/.*/0/' weights.csv >bad.csv
refuse 2 solve "$data" --target Y --weights bad.csv
says "all weights are zero"
sed 1d weights.csv >bad.csv
refuse 2 solve "$data" --target Y --weights bad.csv
says "bad.csv is 441 x 1, but --weights wants 442 x 1"
refuse 2 solve "$data" --target Y --offset bad.csv
says "bad.csv is 441 x 1, but --offset wants 442 x 1"
refuse 2 solve "$data" --target Y --intercept --penalty l1:-1
refuse 2 solve "$data" --target Y --intercept --penalty l2:-1

# ---- interrupted, in windows, in parts, on ranks ------------------------------------------------------------------

# A solve that was interrupted ends with the same bits.
set -- d.tsv "$@" --set l1:40 --method apgd --tol 1e-15
run 1 solve "$@" --max-passes 40 --out whole.csv --quiet
run 1 solve "$@" --max-passes 15 --checkpoint c --quiet
run 1 solve "$@" --max-passes 40 --checkpoint c --resume --out x.csv --json
holds "passes that were not made again" "$(get resumed_passes) > 0"
cmp -s whole.csv x.csv || fail "resumed, x has other bits"
awk -F'\t' -v OFS='\t' 'NR == 5 { $12 = 3 - $12 } { print }' d.tsv >other.tsv
shift
refuse 2 solve other.tsv "$@" --checkpoint c --resume

# More rows than fit in memory: the cache has the weights, too.
awk 'BEGIN {
    print "a,b,c,e,f,g,y,w,o"
    for (i = 0; i < 60000; i++) printf "%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%d,%.3f\n", cos(i), sin(2 * i), cos(3 * i),
        sin(i * i), cos(i / 7), sin(i / 3), cos(5 * i) + sin(2 * i) + 3, i % 7 % 3, i % 7 / 8
}' >long.csv
set -- --target y --weights w --offset o --intercept --set l1:0.9 --tol 1e-10 --json
run 0 solve long.csv "$@" --out whole.npy
objective=$(get objective) intercept=$(get intercept)
for turn in parsed cached; do
    run 0 solve long.csv "$@" --memory 4M --out x.npy
    near "objective in windows, $turn" "$(get objective)" "$objective" 1e-12
    near "intercept in windows, $turn" "$(get intercept)" "$intercept" 1e-7
    holds "x in windows, $turn" "$("$probe" distance x.npy whole.npy) < 1e-7"
    same "caches" "$(ls -d long.csv.*.gpis-cache | wc -l)" 1
done

# Parts, each with its columns.
head -1 long.csv >head
{ cat head; sed -n '2,20001p' long.csv; } >one.csv
{ cat head; sed -n '20002,$p' long.csv; } >two.csv
printf 'one.csv\ntwo.csv\n' >parts
run 0 solve @parts "$@"
near "objective of parts" "$(get objective)" "$objective" 1e-12
cut -d, -f 1-8 two.csv | sed '1s/w/z/' >without.csv
printf 'one.csv\nwithout.csv\n' >uneven
refuse 2 solve @uneven --target y --weights w --columns a,b,c
says "only one has the column of the weights or of the offset"

command -v mpirun >/dev/null && [ -f "$(dirname "$gpis")/libgpis_mpi.so" ] || return 0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none ASAN_OPTIONS=detect_leaks=0
export LD_LIBRARY_PATH=$(dirname "$gpis")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
tail -n +2 long.csv | cut -d, -f 8 >w.csv
for input in "long.csv --weights w" "@parts --weights w" "long.csv --weights w.csv --exclude w"; do
    command="solve $input (on 2 ranks)"
    # shellcheck disable=SC2086 # the words are arguments
    timeout 60 mpirun -np 2 "$gpis" solve $input --target y --offset o --intercept --set l1:0.9 --tol 1e-10 --json \
        >stdout 2>stderr </dev/null
    same "exit code" $? 0
    near "objective of $input on 2 ranks" "$(get objective)" "$objective" 1e-12
done
