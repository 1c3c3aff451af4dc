# An answer that was found is written and reported, whatever else cannot be written; then the trouble, then exit code 3.
run 0 gen syn1 --n 2000 --d 20 --sparsity 4 --cond 1e2 --quiet --out p
run 0 solve p/A.npy p/y.npy --set l1:2 --quiet --out good.npy
set -- solve p/A.npy p/y.npy --set l1:2

# delivered: the last command wrote x and ended with code 3 and one line of trouble
delivered() {
    cmp -s x.npy good.npy || fail "x is not the answer"
    same "lines of trouble" "$(grep -vc '^gpis: note: ' stderr)" 1
    rm -f x.npy
}

# A trace without space: in a summary, as JSON, and in silence.
if [ -e /dev/full ]; then
    run 3 "$@" --trace /dev/full --out x.npy
    prints "outcome       solved"
    prints "x             x.npy"
    says "cannot write /dev/full: No space left on device"
    delivered
    run 3 "$@" --trace /dev/full --out x.npy --json
    same "status" "$(get status)" solved
    delivered
    run 3 "$@" --trace /dev/full --out x.npy --quiet
    same "output" "$(cat stdout)" ""
    delivered
    run 3 "$@" --tol 1e-15 --method apgd --max-passes 3 --trace /dev/full --json
    same "status" "$(get status)" max_passes

    # No space for the report itself.
    "$gpis" "$@" --out x.npy >/dev/full 2>stderr
    same "exit code without space for the report" $? 3
    says "cannot write to standard output"
    delivered
fi

# A trace into a pipe whose reader goes, and a report that nobody reads. The trace is longer than a pipe holds, so that it
# cannot be written whole before the reader has gone.
mkfifo pipe
(: <pipe) & # opens it and goes
run 3 "$@" --method pgd --step 1e-7 --certificate none --max-passes 2000 --trace pipe --json
same "status" "$(get status)" max_passes
says "cannot write pipe: Broken pipe"
wait
{ "$gpis" "$@" --out x.npy --trace t.jsonl --quiet --json; echo $? >code; } 2>stderr | true
cmp -s x.npy good.npy || fail "x is lost where nobody reads the report"
[ -s t.jsonl ] || fail "the trace is lost where nobody reads the report"
rm -f x.npy

# Standard output is a pipe whose reader has gone, as of `head`: no words about it, files as ever, and the exit code of the result.
# unread CODE COMMAND...: runs it with such a pipe
mkfifo left
unread() {
    expected=$1
    shift
    command="$* with nobody to read"
    (: <left) &
    exec 8>left
    wait
    "$gpis" "$@" >&8 2>stderr
    same "exit code" $? "$expected"
    exec 8>&-
    same "words" "$(grep -v '^gpis: note: ' stderr)" ""
}
table=$tree/data/diabetes/diabetes.tsv
unread 0 "$@" --out x.npy --model model.json
cmp -s x.npy good.npy || fail "x is lost where nobody reads the summary"
unread 0 "$@" --json --out x.npy --report report.html
[ -s model.json ] && [ -s report.html ] || fail "a file is lost where nobody reads the report"
unread 1 "$@" --tol 1e-15 --method apgd --max-passes 3 --json
for words in "plan p/A.npy p/y.npy" "check p/A.npy p/y.npy good.npy --set l1:2" "path $table --target Y" "cv $table --target Y" \
    "info $table" "bounds --d 10 --cond 100 --m 200" "summarize $table --target Y --out kept" "merge kept --out again" "gen syn1 --n 50 --d 10 --out q"; do
    unread 0 $words
    unread 0 $words --json
done
unread 0 predict p/A.npy model.json
unread 0 help solve
unread 0 --version
rm -f x.npy

# No space for x: the report comes, and does not claim that x was written.
run 0 gen syn1 --n 3000 --d 600 --cond 10 --quiet --out wide
(
    ulimit -f 4
    "$gpis" solve wide/A.npy wide/y.npy --set l1:2 --out large.npy >stdout 2>stderr
    echo $? >code
)
command="solve with an x that may not grow"
same "exit code" "$(cat code)" 3
prints "outcome       solved"
says "large.npy: cannot be written: File too large"
same "lines that name x" "$(grep -c '^x ' stdout)" 0
missing large.npy

# slowly COMMAND...: starts a solve of many passes and waits until it is in its passes
slowly() {
    command="$*"
    rm -f c
    "$gpis" "$@" >stdout 2>stderr &
    job=$! tries=0
    while [ ! -s sub/c ] && [ $tries -lt 1000 ]; do
        sleep 0.02
        tries=$((tries + 1))
    done
}

# The folder of trace, checkpoint and x is removed while the solve runs: a report, and what is not there.
run 0 gen syn1 --n 20000 --d 60 --cond 1e14 --quiet --out hard
mkdir sub
slowly solve hard/A.npy hard/y.npy --set l1:3 --method apgd --tol 1e-15 --max-passes 400 --quiet --json \
    --checkpoint sub/c --trace sub/t --out sub/x.npy
rm -rf sub
wait $job
same "exit code without the folder" "$?" 3
same "status" "$(get status)" max_passes
says "sub/x.npy: cannot be written"
says "cannot write sub/t"
says "checkpoint sub/c: was removed, moved or replaced while the solve ran"
same "lines of trouble" "$(wc -l <stderr)" 3

# A checkpoint without space is reported with --quiet, too.
rm -f c
(
    ulimit -f 16
    "$gpis" solve hard/A.npy hard/y.npy --set l1:3 --method apgd --tol 1e-15 --max-passes 100 --quiet --checkpoint c \
        --out x.npy >stdout 2>stderr
    echo $? >code
)
command="solve with a checkpoint that may not grow"
same "exit code" "$(cat code)" 3
same "output" "$(cat stdout)" ""
says "gpis: checkpoint c: cannot be written: File too large; the passes it holds already are good"
same "lines of trouble" "$(wc -l <stderr)" 1
run 1 solve hard/A.npy hard/y.npy --set l1:3 --method apgd --tol 1e-15 --max-passes 100 --quiet --out whole.npy
cmp -s x.npy whole.npy || fail "x differs where the checkpoint has no space"

# A cache without space: the rows are held in memory instead; where they do not fit there is no answer to find.
awk 'BEGIN { print "a,b,y"; for (i = 0; i < 4000; i++) print i % 17 "," i % 23 "," i % 5 }' >t.csv
run 0 solve t.csv --target y --quiet --out plain.npy
mkdir cache-folder
for name in solve info; do
    (
        ulimit -f 16
        case $name in
        solve) "$gpis" solve t.csv --target y --cache cache-folder --json --out x.npy >stdout 2>stderr ;;
        info) "$gpis" info t.csv --target y --cache cache-folder >stdout 2>stderr ;;
        esac
        echo $? >code
    )
    command="$name with a cache that may not grow"
    same "exit code" "$(cat code)" 3
    says "cannot be written: File too large"
    same "lines of trouble" "$(wc -l <stderr)" 1
    same "what is left" "$(ls cache-folder)" ""
done
prints "fine: every entry is finite"
cmp -s x.npy plain.npy || fail "x differs without a cache"
