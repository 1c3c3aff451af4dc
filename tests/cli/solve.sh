# gpis solve: results, files, determinism, limits, interruption.
run 0 gen syn1 --n 2000 --d 20 --sparsity 4 --cond 1e3 --out p
set_spec=$("$probe" get p/problem.json set)

run 0 solve p/A.npy p/y.npy --set "$set_spec" --json --out x.npy --trace t.jsonl
same "stderr" "$(cat stderr)" ""
same "keys" "$("$probe" keys stdout)" "status method set objective penalty gap gap_kind gap_delta nearness backward_error horizon unique unique_reason relative_gap feasibility violation radius r2 rmse degrees_of_freedom sigma2 passes \
sweeps sketches resumed_passes epochs bytes_read seconds predicted_passes predicted_seconds load_seconds rows cols responses table nonzeros seed threads plan warning checkpoint_trouble version active coefficients"
same "status" "$(get status)" solved
same "gap_kind" "$(get gap_kind)" proven
same "gap_delta" "$(get gap_delta)" 0
same "shape" "$(get rows) $(get cols) $(get responses)" "2000 20 1"
holds "tolerance" "$(get relative_gap) <= 1e-8"
holds "feasible" "$(get feasibility) <= 1e-12 * ${set_spec#l1:}"
objective=$("$probe" objective p/A.npy p/y.npy x.npy)
holds "objective is that of x" "($(get objective) - $objective)^2 < 1e-24 * $objective^2"
holds "no worse than the truth" "$objective <= $("$probe" get p/problem.json x_true_objective)"
set -- $("$probe" norms x.npy)
holds "in the l1 ball" "$1 <= ${set_spec#l1:} * (1 + 1e-12)"
same "nonzeros" "$(get nonzeros)" "$3"
same "x" "$("$probe" shape x.npy)" "(20,)"
lines=$("$probe" jsonl t.jsonl)
holds "a line of trace for each pass" "$lines >= 1 && $lines <= $(get passes)"
head -1 t.jsonl >first.json
same "keys of the trace" "$("$probe" keys first.json)" \
    "pass seconds epochs objective gap contraction m inner_iterations"
passes=$(get passes)

# A pipe is written to, not replaced; behind a link it is the file that changes.
mkfifo pipe
cat pipe >from-pipe &
run 0 solve p/A.npy p/y.npy --set "$set_spec" --quiet --trace pipe
[ -p pipe ] || fail "the pipe is gone"
wait $!
same "lines through the pipe" "$("$probe" jsonl from-pipe)" "$lines"
ln -s t.jsonl link
: >t.jsonl
run 0 solve p/A.npy p/y.npy --set "$set_spec" --quiet --trace link
[ -L link ] || fail "the link is gone"
same "lines behind the link" "$("$probe" jsonl t.jsonl)" "$lines"

# The same bits at any number of threads.
cp x.npy x-default.npy
for threads in 1 2 3; do
    run 0 solve p/A.npy p/y.npy --set "$set_spec" --quiet --out x.npy --threads $threads
    same "output of --quiet" "$(cat stdout stderr)" ""
    cmp -s x.npy x-default.npy || fail "x depends on the number of threads ($threads)"
done

run 0 solve p/A.npy p/y.npy --set "$set_spec"
prints "solved"
prints "proven: within"
prints "nonzeros"

# A start at the solution is at least as quick.
run 0 solve p/A.npy p/y.npy --set "$set_spec" --x0 x-default.npy --json
holds "warm start" "$(get passes) <= $passes"

# Limits: exit 1, and x is written all the same.
rm x.npy
run 1 solve p/A.npy p/y.npy --set "$set_spec" --tol 1e-12 --max-passes 1 --json --out x.npy
same "status" "$(get status)" max_passes
holds "passes" "$(get passes) == 1"
same "x" "$("$probe" shape x.npy)" "(20,)"
rm x.npy
run 1 solve p/A.npy p/y.npy --set "$set_spec" --tol 1e-12 --time-limit 1e-9 --json --out x.npy
same "status" "$(get status)" time_limit
same "x" "$("$probe" shape x.npy)" "(20,)"

# Interruption: the best x so far and the trace are written, exit 130.
run 0 gen syn1 --n 20000 --d 60 --cond 1e14 --out hard
for signal in INT TERM; do
    rm -f x.npy trace.jsonl
    # (A shell starts background jobs with SIGINT ignored; the program sets its own handler.)
    "$gpis" solve hard/A.npy hard/y.npy --method apgd --tol 1e-15 --time-limit 60 --json --out x.npy \
        --trace trace.jsonl >stdout 2>stderr &
    job=$! command="solve hard (SIG$signal)" tries=0
    until ls trace.jsonl.* >/dev/null 2>&1 || [ $tries = 200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    sleep 0.1
    kill -s $signal $job
    wait $job
    same "exit code" $? 130
    same "status" "$(get status)" interrupted
    same "x" "$("$probe" shape x.npy)" "(60,)"
    holds "trace" "$("$probe" jsonl trace.jsonl) >= 1"
    missing trace.jsonl.
done

# Many responses and transform domains.
run 0 gen syn3 --n 600 --d 12 --k 8 --sparsity 3 --cond 100 --out m
run 0 solve m/A.npy m/y.npy --set "$("$probe" get m/problem.json set)" --json --out X.npy
same "responses" "$(get responses)" 8
same "X" "$("$probe" shape X.npy)" "(12, 8)"
set -- $("$probe" norms X.npy)
radius=$("$probe" get m/problem.json set)
holds "in the nuclear ball" "$2 <= ${radius#nuclear:} * (1 + 1e-10)"
run 0 gen syn2 --n 600 --d 12 --sparsity 3 --cond 100 --out u
set_spec=$("$probe" get u/problem.json set)
run 0 solve u/A.npy u/y.npy --set "${set_spec%@*}@u/U.npy" --json
same "gap_kind" "$(get gap_kind)" proven

# A seed may have all of its 64 bits; JSON has integers up to 2^63 - 1 only.
run 0 solve p/A.npy p/y.npy --set l1:3 --seed 9223372036854775807 --json
same "seed" "$(get seed)" 9223372036854775807
run 0 solve p/A.npy p/y.npy --set l1:3 --seed 18446744073709551615 --json
same "seed" "$(get seed)" 18446744073709551615

# Without constraints x is as accurate as one from QR, and the report says so; with constraints it says nothing.
run 0 solve p/A.npy p/y.npy --json
holds "backward error" "$(get backward_error) > 0 && $(get backward_error) <= 1e-15"
same "passes" "$(get passes)" 2
run 0 solve p/A.npy p/y.npy
grep -q '^accuracy      backward error about [1-9]\.[0-9]e-1[5-8]: x is exact for data that differ by that much' stdout ||
    fail "no line about the accuracy: $(grep ^accuracy stdout)"
run 0 solve p/A.npy p/y.npy --set nonneg --json
same "backward error with constraints" "$(get backward_error)" null
run 0 solve p/A.npy p/y.npy --set nonneg
! grep -q ^accuracy stdout || fail "a line about the accuracy of a constrained x"
