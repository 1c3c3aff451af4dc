# summarize, merge, and summaries in the place of A: the same answers as from the rows, one sweep, folds, ranks, and
# what is refused.
data=$tree/data/diabetes/diabetes.tsv

near() { holds "$1" "($2 - ($3))^2 <= (${4:-1e-9} * ($3))^2"; }

awk -F'\t' -v OFS='\t' 'NR == 1 { print $0, "w", "o", "fold"; next } { print $0, 0.5 + NR * 7 % 4, NR % 5 * 10.5, NR % 3 + 1 }' \
    "$data" >d.tsv
rows="--target Y --weights w --offset o"

# ---- the same answers ----------------------------------------------------------------------------------------------

# shellcheck disable=SC2086 # the words of $rows are arguments
run 0 summarize d.tsv $rows --exclude fold --out S
prints "442 rows, 10 columns, 1 response, with weights"
for question in "--set none --intercept" "--set l1:40 --intercept" "--set nonneg" "--set l1:500 --standardize --intercept" \
    "--penalty l1:100 --penalty l2:3 --intercept" "--set box:-5,20 --intercept"; do
    # shellcheck disable=SC2086
    run 0 solve d.tsv $rows --exclude fold $question --json
    objective=$(get objective) r2=$(get r2)
    # shellcheck disable=SC2086
    run 0 solve S $question --json --out x.csv
    near "objective, $question" "$(get objective)" "$objective" 2e-8
    near "R^2" "$(get r2)" "$r2" 1e-7
    same "sweeps" "$(get sweeps)" 0
    same "passes" "$(get passes)" 0
    same "certificate" "$(get gap_kind)" proven
done
same "a name" "$(sed -n 3p x.csv | cut -d, -f1)" "$(head -1 "$data" | cut -f1)"
run 0 check S x.csv --set box:-5,20 --intercept --tol 1e-6
prints "solved"
run 0 plan S --set l1:40
prints "no row is read"
run 0 info S
prints "all checksums match"
run 0 info --json S
prints '"kind": "summary"'
mv S "a name.without ending"
run 0 solve "a name.without ending" --set l1:40 --quiet
mv "a name.without ending" S

# A summary that comes from the rows: one sweep, as solve makes one.
run 0 summarize "$data" --target Y --out T --json
same "sweeps of summarize" "$(get sweeps)" 1
run 0 solve "$data" --target Y --set l1:40 --json
same "sweeps of solve" "$(get sweeps)" 1

# ---- folds and parts -----------------------------------------------------------------------------------------------

run 0 summarize "$data" --target Y --folds 4 --seed 7 --out whole
head -1 "$data" >a.tsv; sed -n 2,101p "$data" >>a.tsv
head -1 "$data" >b.tsv; sed -n '102,$p' "$data" >>b.tsv
run 0 summarize a.tsv --target Y --folds 4 --seed 7 --out a
run 0 summarize b.tsv --target Y --folds 4 --seed 7 --first-row 101 --out b
run 0 merge a b --out merged --json
fold_rows=$(tr -d ' \n' <stdout | sed 's/.*"fold_rows":\[\([0-9,]*\)\].*/\1/')
run 0 info --json whole
same "rows of the folds" "$(tr -d ' \n' <stdout | sed 's/.*"fold_rows":\[\([0-9,]*\)\].*/\1/')" "$fold_rows"
for f in whole merged; do
    run 0 merge $f --without-fold 2 --out $f.t
    run 0 solve $f.t --set l1:40 --intercept --json --tol 1e-10
    [ $f = whole ] && objective=$(get objective)
    near "objective without fold 2, $f" "$(get objective)" "$objective" 1e-9
done
run 0 merge whole --only-fold 2 --out fold2
run 0 summarize d.tsv --target Y --exclude w,o --fold-column fold --out given
prints "3 of 147 to 148 rows, as given"
tail -n +2 d.tsv | cut -f14 >folds.csv
run 0 summarize "$data" --target Y --fold-column folds.csv --out given2
run 0 merge given given2 --out twice
prints "884 rows"
# The column of the folds is left out of A also where many columns are.
long=$(seq -s, -f 'a_column_with_a_long_name_%g' 200)
printf '%s,fold,x,y\n' "$long" >wide.csv
for i in 1 2 3 4; do printf '%s,%s,%s,%s\n' "$(seq -s, 200)" $((i % 2 + 1)) $i $((i * i)); done >>wide.csv
run 0 summarize wide.csv --target y --exclude "$long" --fold-column fold --out wide.npz --json
same "columns" "$(get cols)" 1

# ---- ranks ---------------------------------------------------------------------------------------------------------

if command -v mpirun >/dev/null && [ -f "$(dirname "$gpis")/libgpis_mpi.so" ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none ASAN_OPTIONS=detect_leaks=0
    export LD_LIBRARY_PATH=$(dirname "$gpis")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    run 0 gen syn1 --n 6000 --d 12 --sparsity 4 --cond 1e3 --out p
    run 0 summarize p/A.npy p/y.npy --folds 3 --out one
    timeout 60 mpirun -np 3 "$gpis" summarize p/A.npy p/y.npy --folds 3 --out three >stdout 2>stderr </dev/null ||
        fail "summarize on three ranks"
    for f in one three; do
        run 0 info --json $f
        tr -d ' \n' <stdout | sed 's/.*"fold_rows":\[\([0-9,]*\)\].*/\1/' >rows.$f
        run 0 solve $f --set l1:1 --json --tol 1e-10
        get objective >objective.$f
    done
    cmp -s rows.one rows.three || fail "folds depend on the number of ranks"
    near "objective on three ranks" "$(cat objective.three)" "$(cat objective.one)" 1e-10
    timeout 60 mpirun -np 2 "$gpis" solve one --set l1:1 >stdout 2>all_stderr </dev/null && fail "a summary on ranks"
    grep -q 'run this without mpirun' all_stderr || fail "the message about ranks"
fi

# ---- what is refused -----------------------------------------------------------------------------------------------

refuse 2 merge whole T --out no
says "one has 4 folds and the other none"
run 0 summarize a.tsv --target Y --exclude AGE --out other
refuse 2 merge T other --out no
says "10 columns and the other 9"
run 0 summarize a.tsv --target AGE --out other
refuse 2 merge T other --out no
says "column 1 is"
refuse 2 merge T S --out no
says "weights"
run 0 summarize a.tsv --target Y --folds 4 --seed 8 --out other
refuse 2 merge a other --out no
says "seeds 7 and 8"
[ ! -e no ] || fail "a file was written"
refuse 2 merge whole --only-fold 5 --out no
says "4 folds: there is no fold 5"
refuse 2 merge T --without-fold 1 --out no
says "no fold 1 to leave out"
refuse 2 merge --out no
refuse 2 merge a b
refuse 2 summarize "$data" --target Y
says "--out"
refuse 2 summarize S --out no
says "is a summary already"
refuse 2 solve S y.npy
says "which y is a part of"
refuse 2 solve S --target Y
says "--target is for the rows"
refuse 2 solve S --weights w.npy
says "--weights"
refuse 2 solve S --method apgd
says "apgd cannot be used here"
refuse 2 solve S --checkpoint c
says "checkpoint"
refuse 2 summarize d.tsv --target Y --fold-column BMI --out no
says "folds are whole numbers"
refuse 2 summarize d.tsv --target Y --fold-column fold --folds 2 --out no
says "from 1 to 2"
head -c 500 S >cut
refuse 2 solve cut
says "cut"
head -c 20 S >cut.npz
refuse 2 solve cut.npz
says "is not a summary"
{ head -c 1500 S; printf x; tail -c +1502 S; } >changed
refuse 2 solve changed
says "changed"
refuse 2 merge "$data" T --out no
says "not a valid summary"
refuse 3 summarize "$data" --target Y --out "no such folder/S"

# A tolerance that the summary cannot prove: what it can is told.
run 1 solve T --set l1:4000 --tol 1e-15
says "the summary can prove a gap of"
says "solve with A itself"
