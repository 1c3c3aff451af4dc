# gpis under mpirun: the same answers on 1 to 4 ranks, from one file and from parts; trouble on one rank.
command -v mpirun >/dev/null || { echo "skipped: there is no mpirun"; exit 77; }
[ -f "$(dirname "$gpis")/libgpis_mpi.so" ] || { echo "skipped: built without MPI"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1 # more ranks than cores
export OMPI_MCA_btl_vader_single_copy_mechanism=none # containers forbid it, and Open MPI says so at length
export ASAN_OPTIONS=detect_leaks=0                   # MPI keeps what it has
export LD_LIBRARY_PATH=$(dirname "$gpis")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} # the sanitizers' dlopen looks nowhere else

# ranks COUNT CODE ARGUMENTS...: as run, on so many ranks; of stderr only our own lines are kept.
ranks() {
    count=$1 expected=$2
    shift 2
    command="$* (on $count ranks)"
    timeout 60 mpirun -np "$count" "$gpis" "$@" >stdout 2>all_stderr </dev/null
    code=$?
    grep '^gpis: ' all_stderr >stderr
    checks=$((checks + 1))
    [ "$code" = "$expected" ] || fail "exit code $code, expected $expected"
}

ranks_refuse() { # as refuse, on so many ranks
    ranks "$@"
    same "messages" "$(wc -l <stderr)" 1
    same "stdout" "$(cat stdout)" ""
}

run 0 gen syn1 --n 12000 --d 30 --sparsity 4 --cond 1e3 --out p
set_spec=$("$probe" get p/problem.json set)

# ---- answers ---------------------------------------------------------------------------------------------------------

# same_answer: objective and x of the last run are those of one process
same_answer() {
    holds "objective" "($(get objective) - $objective)^2 <= (1e-12 * $objective)^2"
    same "passes" "$(get passes) $(get sketches)" "$passes"
    same "bytes_read" "$(get bytes_read)" "$bytes"
    holds "objective is that of x" "($("$probe" objective p/A.npy p/y.npy x.npy) - $objective)^2 < (1e-11 * $objective)^2"
}

for options in "--method auto" "--method newton --m 300 --tol 1e-9" "--method acc-gpis --tol 1e-6" "--method apgd --tol 1e-5"; do
    run 0 solve p/A.npy p/y.npy --set "$set_spec" $options --json --out x1.npy
    objective=$(get objective) passes="$(get passes) $(get sketches)" bytes=$(get bytes_read)
    case $options in *auto) counts="1 2 3 4" ;; *) counts=3 ;; esac
    for count in $counts; do
        rm -f x.npy
        ranks $count 0 solve p/A.npy p/y.npy --set "$set_spec" $options --json --out x.npy --trace t.jsonl
        same_answer
        same "stderr" "$(cat all_stderr)" ""
        [ $count = 1 ] || same "ranks" "$(get ranks)" $count
        holds "trace" "$("$probe" jsonl t.jsonl) >= 1"
    done
    cp x.npy again.npy
    ranks $count 0 solve p/A.npy p/y.npy --set "$set_spec" $options --quiet --out x.npy
    cmp -s x.npy again.npy || fail "the same command gives other bits"
done
ranks 3 0 check p/A.npy p/y.npy x1.npy --set "$set_spec" --tol 1e-4
prints "solved"
ranks 3 0 plan p/A.npy p/y.npy --set "$set_spec"
same "plans" "$(grep -c '^plan ' stdout)" 1
ranks 2 0 cv p/A.npy p/y.npy --set l1 --points 5 --folds 3
on_ranks=$(grep '^best' stdout)
run 0 cv p/A.npy p/y.npy --set l1 --points 5 --folds 3
same "cv on ranks" "$on_ranks" "$(grep '^best  *radius' stdout)"
ranks 2 1 solve p/A.npy p/y.npy --set "$set_spec" --tol 1e-12 --max-passes 1 --out x.npy
prints "limit of passes"
prints "ranks         2"

# ---- parts: cut where it suits nobody ---------------------------------------------------------------------------------

# rows FROM COUNT FILE BYTES_A_ROW SHAPE: some rows of a float64 .npy file
rows() {
    text="{'descr': '<f8', 'fortran_order': False, 'shape': ($5), }"
    bytes 93 && printf 'NUMPY' && bytes 01 00 76 00 && printf '%-117s\n' "$text"
    tail -c +$((129 + $1 * $4)) "$3" | head -c $(($2 * $4))
}
mkdir d
rows 0 5001 p/A.npy 240 '5001, 30' >d/a0.npy
rows 5001 10 p/A.npy 240 '10, 30' >d/a1.npy
rows 5011 6989 p/A.npy 240 '6989, 30' >d/a2.npy
rows 0 5001 p/y.npy 8 '5001,' >d/y0.npy
rows 5001 10 p/y.npy 8 '10,' >d/y1.npy
rows 5011 6989 p/y.npy 8 '6989,' >d/y2.npy
printf '# three parts\na0.npy y0.npy\n\na1.npy y1.npy # a small one\na2.npy y2.npy\n' >d/both
printf 'a0.npy\na1.npy\na2.npy\n' >d/rows
for options in "--method auto" "--method newton --m 300 --tol 1e-9"; do
    run 0 solve p/A.npy p/y.npy --set "$set_spec" $options --json --out x1.npy
    objective=$(get objective) passes="$(get passes) $(get sketches)" bytes=$(get bytes_read)
    for source in "@d/both" "@d/rows p/y.npy"; do
        run 0 solve $source --set "$set_spec" $options --json --out x.npy
        same_answer
        ranks 4 0 solve $source --set "$set_spec" $options --json --out x.npy
        same_answer
    done
done
same "x" "$("$probe" shape x.npy)" "(30,)"

# y inside: a target column, and labels.
awk 'BEGIN { OFS = ","; print "u,v,price"; for (i = 0; i < 3000; i++) print i % 7, i % 11, 2 * (i % 7) - (i % 11) + i % 3 }' >t.csv
run 0 solve t.csv --target price --json
objective=$(get objective)
head -1 t.csv >t1.csv
cp t1.csv t2.csv
sed -n 2,1000p t.csv >>t1.csv
sed 1,1000d t.csv >>t2.csv
printf 't1.csv\nt2.csv\n' >t.list
for source in t.csv @t.list; do
    ranks 3 0 solve $source --target price --json
    holds "objective" "($(get objective) - $objective)^2 <= (1e-12 * $objective)^2"
    run 0 solve $source --target price
    prints "  v"
done
awk -F, 'NR > 1 { printf "%g 1:%g 2:%g\n", $3, $1 + 1, $2 + 1 }' t.csv >t.svm
run 0 solve t.svm --json
objective=$(get objective)
ranks 2 0 solve t.svm --json
holds "objective" "($(get objective) - $objective)^2 <= (1e-12 * $objective)^2"

# y inside some of the parts only, those of one rank: there is nothing that the other could take for it.
awk 'BEGIN { for (i = 0; i < 2048; i++) print i % 5, "1:" i % 7, "2:" 1 + i % 11 }' >labels.svm
awk 'BEGIN { for (i = 0; i < 2048; i++) print i % 7 "," i % 11 }' >plain.csv
printf 'labels.svm\nplain.csv\n' >some.list
ranks_refuse 2 2 solve @some.list
says "the rows of rank 1 carry 0 columns of y, those of rank 0 1"
refuse 2 solve @some.list
says "plain.csv carries 0 columns of y but labels.svm carries 1"

# y in an HDF5 file, a plain vector
h5=$(dirname "$probe")/cli_h5
if [ -x "$h5" ]; then
    "$h5" t.h5 || fail "no HDF5 file could be made"
    for source in t.h5:/A t.h5:/deep/X; do
        ranks 2 0 solve $source t.h5:/y --json --out x.npy
        holds "objective of $source" "($(get objective) - 0.15)^2 < 1e-16"
        same "x of $source" "$("$probe" shape x.npy)" "(2,)"
    done
fi

# More ranks than rows: the others have nothing to do.
npy '3, 2' 1 0 0 1 1 1 >A.npy
npy '3,' 1 0 1 >y.npy
ranks 4 0 solve A.npy y.npy --json --out x.npy
same "rows" "$(get rows)" 3
same "x" "$("$probe" shape x.npy)" "(2,)"

# ---- trouble: one line, from the right rank, the right code, and nobody waits ------------------------------------------

ranks_refuse 3 3 solve nowhere.npy y.npy
says "nowhere.npy"
ranks_refuse 2 2 solve A.npy y.npy --set l1:-1
ranks_refuse 2 2 solve A.npy y.npy --method saga
says "saga cannot be used here"
ranks_refuse 2 2 solve A.npy y.npy --method gpis --sketch srht --m 2
says "all rows at once"
ranks_refuse 2 3 solve A.npy y.npy --out nowhere/x.npy
ranks_refuse 2 2 solve A.npy
says "A.npy holds no y"
ranks_refuse 2 2 solve A.npy d/y1.npy
says "d/y1.npy has 10 rows but A.npy has 3"
ranks_refuse 2 2 gen syn1 --out q
says "without mpirun"
ranks_refuse 2 2 solve
ranks_refuse 2 2 solve A.npy y.npy --colour
# A path whose Gram matrix has no room, point by point: weights and deviations are those of the rows of all ranks.
first() { grep -m 1 "\"$1\"" stdout | tr -dc '0-9.e-' | sed 's/^[a-z-]*//'; } # first KEY: its number at the first point
run 0 gen large --n 2000 --d 200 --out few
awk 'BEGIN { for (i = 0; i < 2000; i++) print i % 4 }' >w.csv
few="few/A.npy few/y.npy --penalty l1 --values 300,200 --weights w.csv --standardize --intercept"
run 0 path $few --json
same "sweeps" "$(get sweeps)" 1
alpha=$(first alpha) f=$(first objective)
ranks 2 0 path $few --memory 2M --json
holds "it is the other way" "$(get sweeps) > 1"
holds "alpha" "($(first alpha) - $alpha)^2 < 1e-24 * $alpha^2"
holds "the objective" "($(first objective) - $f)^2 < 1e-14 * $f^2"
ranks_refuse 2 2 cv $few --memory 2M --folds 3
says "does not fit in memory, and on several ranks"

ranks_refuse 2 3 path A.npy y.npy --set l1 --out nowhere/x.csv
ranks_refuse 2 2 path A.npy y.npy --set nonneg
says "sets with a radius are l1"
ranks_refuse 2 2 cv A.npy y.npy --set l1 --folds 1000
says "1000 folds are more than the 3 rows"

bad_list() { # bad_list CODE TEXT LINE...: on one rank and on three
    bad_code=$1 bad_text=$2
    shift 2
    printf '%s\n' "$@" >d/bad
    refuse "$bad_code" solve @d/bad --set "$set_spec"
    says "$bad_text"
    ranks_refuse 3 "$bad_code" solve @d/bad --set "$set_spec"
    says "$bad_text"
}
npy '0, 2' >d/empty.npy
npy '2, 2' 1 0 0 1 >d/narrow.npy
npy '2,' 1 0 >d/y-narrow.npy
bad_list 3 d/a3.npy "a0.npy y0.npy" "a1.npy y1.npy" "a3.npy y2.npy"
bad_list 3 d/y3.npy "a0.npy y0.npy" "a2.npy y3.npy"
bad_list 2 d/empty.npy "a0.npy y0.npy" "empty.npy y1.npy"
bad_list 2 "d/narrow.npy has 2 columns but d/a0.npy has 30" "a0.npy y0.npy" "a1.npy y1.npy" "narrow.npy y-narrow.npy"
bad_list 2 "d/y1.npy has 10 rows but d/a2.npy has 6989" "a0.npy y0.npy" "a2.npy y1.npy"
bad_list 2 "line 2: a part is one file, or two" "a0.npy y0.npy" "a1.npy y1.npy more"
bad_list 2 "line 2: y is there for some parts only" "a0.npy y0.npy" "a1.npy"
bad_list 2 "lists no parts" "# nothing"
refuse 2 solve @d/both p/y.npy
says "y is given twice"
refuse 3 solve @d
says "Is a directory"
refuse 2 solve @
says "a list of parts"
refuse 3 solve @d/nothing
says "d/nothing"

# A bad number in the rows of one rank: that rank says so, by the row of the file.
{ head -c $((128 + 240 * 11000)) p/A.npy && bytes 00 00 00 00 00 00 f8 7f && tail -c +$((129 + 240 * 11000 + 8)) p/A.npy; } >nan.npy
ranks_refuse 4 2 solve nan.npy p/y.npy --set "$set_spec"
says "rank 3: nan.npy: row 11001, column 1 is nan"
{ head -c $((128 + 8 * 11000)) p/y.npy && bytes 00 00 00 00 00 00 f8 7f && tail -c +$((129 + 8 * 11000 + 8)) p/y.npy; } >nan-y.npy
ranks_refuse 4 2 solve p/A.npy nan-y.npy --set "$set_spec"
says "rank 3: nan-y.npy: row 11001, column 1 is nan"

# A checkpoint of other data is refused, also where only the rows of the last rank differ; one of other ranks, too.
{ head -c $((128 + 8 * 11000)) p/y.npy && bytes 00 00 00 00 00 00 f0 3f && tail -c +$((129 + 8 * 11000 + 8)) p/y.npy; } >other-y.npy
{ head -c $((128 + 240 * 11999)) p/A.npy && bytes 00 00 00 00 00 00 f0 3f && tail -c +$((129 + 240 * 11999 + 8)) p/A.npy; } >other-A.npy
ranks 2 1 solve p/A.npy p/y.npy --set "$set_spec" --method apgd --max-passes 3 --checkpoint c --quiet
ranks_refuse 2 2 solve p/A.npy other-y.npy --set "$set_spec" --method apgd --checkpoint c --resume
says "c: was made with another y"
ranks_refuse 2 2 solve other-A.npy p/y.npy --set "$set_spec" --method apgd --checkpoint c --resume
says "c: was made with another A"
ranks_refuse 3 2 solve p/A.npy p/y.npy --set "$set_spec" --method apgd --checkpoint c --resume
says "c: was made with rows over 2 ranks, not 3 ranks"
ranks 2 1 solve p/A.npy p/y.npy --set "$set_spec" --method apgd --max-passes 4 --checkpoint c --resume --quiet

# Without the module that knows MPI there would be as many solves of the same problem as ranks.
mkdir broken
echo "not a library" >broken/libgpis_mpi.so
LD_LIBRARY_PATH=$PWD/broken ranks_refuse 3 2 solve A.npy y.npy
says "built without MPI"

# A rank that is killed takes the others with it.
run 0 gen syn1 --n 20000 --d 60 --cond 1e14 --out hard
timeout 60 mpirun -np 3 "$gpis" solve hard/A.npy hard/y.npy --method apgd --tol 1e-15 --time-limit 50 --out k.npy \
    --trace k.jsonl >stdout 2>stderr </dev/null &
job=$! command="solve hard, and a rank is killed" tries=0
until ls k.jsonl.* >/dev/null 2>&1 || [ $tries = 200 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
sleep 0.2
launcher=$(pgrep -P $job)
kill -9 "$(pgrep -P "$launcher" | tail -1)"
started=$(date +%s)
wait $job
code=$?
holds "the others end" "$(($(date +%s) - started)) < 20 && $code != 0 && $code != 124"
missing k.npy

# The example, small.
mkdir tmp
TMPDIR=$PWD/tmp timeout 100 "$tree/examples/mpi" "$gpis" 20000 50 >stdout 2>stderr
same "exit code of examples/mpi" $? 0
same "answers that hold" "$(grep -c '^outcome       solved' stdout)" "$((2 * $(grep -c '^x  ' stdout)))"
same "what is left" "$(ls tmp | grep -v ompi)" ""

# ---- an answer comes before trouble with files, also on ranks; nobody waits for rank 0 -------------------------------

if [ -e /dev/full ]; then
    rm -f x.npy
    ranks 3 3 solve p/A.npy p/y.npy --set "$set_spec" --trace /dev/full --out x.npy --json
    same "status" "$(get status)" solved
    says "gpis: cannot write /dev/full: No space left on device"
    same "messages" "$(wc -l <stderr)" 1
    [ -s x.npy ] || fail "x is lost"
fi
ranks 2 0 solve p/A.npy p/y.npy --set "$set_spec" --batch 5 --json
says "note: --batch is ignored"
same "notes" "$(wc -l <stderr)" 1
ranks 2 1 check p/A.npy p/y.npy x1.npy --set l1:0.5 --json
same "in_set" "$(get in_set)" false
objective=$("$probe" objective p/A.npy p/y.npy x1.npy)
holds "objective as given" "($(get given_objective) - $objective)^2 < (1e-11 * $objective)^2"
