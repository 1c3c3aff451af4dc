# --checkpoint and --resume: killed at any moment, a solve goes on and ends with the same bits.
run 0 gen syn1 --n 8000 --d 60 --cond 1e14 --out p

# What a solve reports, except for its times and where its passes came from.
reported() { grep -v -e seconds -e resumed_passes -e sweeps stdout; }
size() { wc -c 2>/dev/null <"$1" || echo 0; }

# until_killed BYTES ARGUMENTS...: solves in the background and kills it when the checkpoint is larger than BYTES, unless
# it has ended before: a busy machine may look too late.
until_killed() {
    enough=$1 tries=0
    shift
    command="$* (killed)"
    "$gpis" "$@" >stdout 2>stderr &
    job=$!
    while [ "$(size c)" -le "$enough" ] && kill -0 $job 2>/dev/null; do
        sleep 0.02
        tries=$((tries + 1))
        [ $tries -lt 1000 ] || { fail "the checkpoint does not grow"; break; }
    done
    kill -KILL $job 2>/dev/null
    wait $job 2>/dev/null
    [ "$(size c)" -gt 0 ] || fail "there is no checkpoint"
}

# Many passes, killed again and again.
for options in "--method apgd --set l1:3 --max-passes 1000" "--method acc-gpis --m 120 --inner 20 --max-passes 20"; do
    set -- solve p/A.npy p/y.npy $options --tol 1e-15 --json
    rm -f c
    run 1 "$@" --out whole.npy --trace whole.jsonl
    reported >whole.txt
    passes=$(get passes)
    until_killed 40000 "$@" --checkpoint c
    first=$(size c)
    until_killed $((first + 40000)) "$@" --checkpoint c --checkpoint-every 0 --resume
    run 1 "$@" --checkpoint c --resume --out x.npy --trace t.jsonl
    same "stderr" "$(cat stderr)" ""
    cmp -s x.npy whole.npy || fail "x differs after a kill"
    reported | diff - whole.txt >differences || fail "the report differs after a kill: $(cat differences)"
    holds "passes from the checkpoint" "$(get resumed_passes) >= 2 && $(get resumed_passes) <= $passes"
    same "lines of the trace" "$("$probe" jsonl t.jsonl)" "$("$probe" jsonl whole.jsonl)"
    # A finished checkpoint answers at once.
    run 1 "$@" --checkpoint c --resume --out x.npy
    same "passes from the checkpoint" "$(get resumed_passes)" "$passes"
    cmp -s x.npy whole.npy || fail "x differs when all of it is kept"
done

# Few passes, killed after a while, whatever it is doing then.
run 0 gen syn1 --n 100000 --d 50 --cond 1e6 --out q
set -- solve q/A.npy q/y.npy --set l1:3 --m 150 --tol 1e-12 --json --threads 1
run 0 "$@" --out whole.npy
reported >whole.txt
rm -f c
for delay in 0.05 0.1 0.15 0.2 0.25 0.3; do
    "$gpis" "$@" --checkpoint c --resume >stdout 2>stderr &
    job=$!
    sleep $delay
    kill -KILL $job 2>/dev/null
    wait $job 2>/dev/null
done
mkdir moved && mv q/A.npy q/y.npy moved # data that were moved are still the same
set -- solve moved/A.npy moved/y.npy --set l1:3 --m 150 --tol 1e-12 --json
run 0 "$@" --checkpoint c --resume --out x.npy
cmp -s x.npy whole.npy || fail "x differs after kills"
reported | grep -v threads >reported.txt
grep -v threads whole.txt | diff - reported.txt >differences || fail "the report differs: $(cat differences)"

# A file in the way, none to go on from, another problem, other settings.
refuse 2 "$@" --checkpoint c
says "c: is there already; add --resume to go on from it, or remove it"
refuse 2 "$@" --resume
says "--resume needs --checkpoint FILE"
run 0 "$@" --checkpoint new --resume
says "note: there is no checkpoint new yet; starting from the beginning"
refuse 2 solve moved/A.npy moved/y.npy --set l1:4 --m 150 --tol 1e-12 --checkpoint c --resume
says "c: was made with --set l1:3, not l1:4"
refuse 2 solve p/A.npy p/y.npy --set l1:3 --m 150 --tol 1e-12 --checkpoint c --resume
says "c: was made with A of 100000 x 50, not 8000 x 60"
refuse 2 solve moved/A.npy moved/y.npy --method saga --checkpoint saga
says "saga reads rows one by one"
missing saga
refuse 2 "$@" --checkpoint whole.npy --resume
says "whole.npy: is not a checkpoint of gpis"
: >empty
refuse 2 "$@" --checkpoint empty --resume
says "empty: is not a checkpoint: it has only 0 bytes"
refuse 2 "$@" --checkpoint-every -1 --checkpoint other
refuse 3 "$@" --checkpoint nowhere/c
says "nowhere"
refuse 2 "$@" --checkpoint ""
says "the name of a file"
refuse 3 "$@" --checkpoint moved --resume
says "moved: "

# A full disk (here: a limit for files) does not stop the solve, which ends with code 3; then there is space again, and it goes on.
rm -f c x.npy
(
    ulimit -f 16
    "$gpis" "$@" --checkpoint c >stdout 2>stderr
    echo $? >code
)
command="$* --checkpoint c (with a full disk)"
same "exit code with a full disk" "$(cat code)" 3
says "gpis: checkpoint c: cannot be written: File too large"
trouble=$("$probe" get stdout checkpoint_trouble)
same "checkpoint_trouble" "${trouble%%;*}" "c: cannot be written: File too large"
reported | grep -v threads | sed 's/"checkpoint_trouble": "[^"]*"/"checkpoint_trouble": null/' | diff - reported.txt >differences || fail "the report differs without room: $(cat differences)"
run 0 "$@" --checkpoint c --resume --out x.npy
cmp -s x.npy whole.npy || fail "x differs after a full disk"

# The passes in a checkpoint depend on no limit: one that was made with a single pass goes on without the limit.
rm -f c
run 0 gen syn1 --n 300 --d 5 --sparsity 2 --out small
run 1 solve small/A.npy small/y.npy --max-passes 1 --checkpoint c --json
run 0 solve small/A.npy small/y.npy --checkpoint c --resume --json
same "passes from the checkpoint" "$(get resumed_passes)" 1
