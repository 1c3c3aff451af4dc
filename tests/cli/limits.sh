# Nothing keeps the program waiting for ever: too little address space, two signals, a FIFO instead of a file of its own.
run 0 gen syn1 --n 3000 --d 40 --out p --quiet
run 0 gen syn1 --n 2000 --d 300 --out wide --quiet

# ends ARGUMENTS...: under the limit of the shell gpis ends soon, solved or with one line about memory.
ends() {
    command="$* (under ulimit -v $(ulimit -v))"
    timeout -s KILL 60 "$gpis" "$@" >stdout 2>stderr
    code=$?
    case $code in
    0) echo solved ;;
    3) [ "$(wc -l <stderr)" = 1 ] && grep -q '^gpis: .*memory' stderr && echo refused || fail "not one line about memory" ;;
    *) fail "exit code $code, expected 0 or 3" ;;
    esac
}

if [ -z "$sanitized" ]; then # sanitizers map terabytes
    for megabytes in 250 300 350 400 450 500 550 600 650 700 750 800 900 1000 1200 1600 2000; do
        (
            ulimit -v $((megabytes * 1024))
            ends solve p/A.npy p/y.npy --set l1:3 --threads 2 --quiet
            ends solve wide/A.npy wide/y.npy --method newton --sketch none --threads 2 --quiet
            ends solve p/A.npy p/y.npy --set nuclear:3 --threads 1 --quiet
            ends check p/A.npy p/y.npy p/x_true.npy --set l1:1000 --tol 0.9 --quiet
            ends gen syn1 --n 2000 --d 300 --out again --quiet
            exit "$failures"
        ) >answers || failures=$((failures + 1))
        grep FAILED -A 3 answers
        cat answers >>all_answers
    done
    checks=$((checks + 1))
    grep -q refused all_answers || fail "no limit was too small"
    (
        ulimit -v 1000000
        OMP_NUM_THREADS=1 ends solve p/A.npy p/y.npy --set l1:3 --threads 1 --quiet
    ) >answer
    same "with one thread in 1 GB" "$(cat answer)" solved
fi

# ---- signals -----------------------------------------------------------------------------------------------------------

# start ARGUMENTS...: gpis in the background, until it handles SIGINT and SIGTERM itself.
start() {
    command="$*"
    "$gpis" "$@" >stdout 2>stderr &
    job=$! tries=0
    until handled=$(sed -n 's/^SigCgt:[[:space:]]*/0x/p' /proc/$job/status 2>/dev/null) &&
        [ $((${handled:-0} & 0x4002)) = $((0x4002)) ]; do
        tries=$((tries + 1))
        [ $tries -lt 3000 ] && kill -0 $job 2>/dev/null || { fail "it does not begin to solve" && return 1; }
        sleep 0.02
    done
}

# signalled SIGNAL...: all the signals arrive at the same moment; the exit code is then in `code`.
signalled() {
    command="$command (after $*)"
    kill -STOP $job
    for name in "$@"; do kill -"$name" $job; done
    kill -CONT $job
    wait $job
    code=$?
}

run 0 gen syn1 --n 20000 --d 60 --cond 1e14 --out hard --quiet
long="solve hard/A.npy hard/y.npy --method apgd --set l1:3 --tol 1e-15 --time-limit 200 --out x.npy --quiet"
for name in INT TERM; do
    start $long && signalled $name
    same "exit code" "$code" 130
    [ -s x.npy ] || fail "the first signal lost x"
    rm -f x.npy
done
# The second signal ends the program before x is written: it dies of SIGTERM, or of SIGINT (130 too) if that came last.
for names in "INT TERM" "TERM INT"; do
    start $long && signalled $names
    [ "$code" = 143 ] || same "exit code" "$code" 130
    missing x.npy
done
start reproduce syn1 --quick --out r && signalled INT TERM
missing r/index.html

# A path leaves the points that are done, a cross-validation nothing.
start path hard/A.npy hard/y.npy --set tv --points 1000000 --out points.csv --quiet && sleep 2 && signalled INT
same "exit code" "$code" 130
done=$(sed -n 's/^gpis: interrupted after \([0-9]*\) of 1000000 points$/\1/p' stderr)
holds "points that are done" "0 < ${done:-0} < 1000000"
same "lines of points.csv" "$(wc -l <points.csv)" "$((${done:-0} + 1))"
start cv hard/A.npy hard/y.npy --set tv --points 100000 --out folds.csv --quiet && signalled TERM
same "exit code" "$code" 130
says "gpis: interrupted; nothing is written"
missing folds.csv

# A trace or an x that goes to a FIFO which nobody reads: one signal is enough.
mkfifo nobody.npy
for argument in "--trace nobody.npy" "--out nobody.npy"; do
    command="solve with $argument"
    "$gpis" solve p/A.npy p/y.npy --set l1:3 --quiet $argument >stdout 2>stderr &
    job=$!
    sleep 0.5
    kill -TERM $job
    (sleep 20 && kill -KILL $job) 2>/dev/null &
    guard=$!
    wait $job
    code=$?
    kill $guard 2>/dev/null
    [ "$code" != 137 ] || fail "one signal did not end it"
done

# Before a solve begins one signal is enough, for each command. A FIFO that nobody writes to makes it wait.
mkfifo endless.csv
for arguments in "solve endless.csv p/y.npy" "check endless.csv p/y.npy p/x_true.npy" "info endless.csv"; do
    command=$arguments
    "$gpis" $arguments >stdout 2>stderr &
    job=$!
    sleep 0.1
    kill -TERM $job
    wait $job
    same "exit code after TERM" "$?" 143
done

# ---- the file with the speed of the machine ------------------------------------------------------------------------------

mkdir -p cache/gpis
speeds=cache/gpis/machine-$(uname -n).json
rm -f "$speeds"
mkfifo "$speeds"
command="plan p/A.npy p/y.npy, with a FIFO for the speed of the machine"
timeout -s KILL 60 "$gpis" plan p/A.npy p/y.npy >stdout 2>stderr
same "exit code" "$?" 0
rm -f "$speeds"
ln -s /dev/zero "$speeds"
timeout -s KILL 60 "$gpis" plan p/A.npy p/y.npy >stdout 2>stderr
same "exit code with /dev/zero for it" "$?" 0
