# The paper's methods and their options: on small versions of its problems every method reaches the same x.
run 0 gen syn1 --n 2000 --d 20 --sparsity 4 --cond 1e2 --quiet --out syn1
run 0 gen syn2 --n 2000 --d 20 --sparsity 4 --cond 1e2 --quiet --out syn2
run 0 gen syn3 --n 1000 --d 12 --k 8 --sparsity 3 --cond 1e2 --quiet --out syn3
run 0 gen syn4 --n 1000 --d 20 --sparsity 6 --cond 1e2 --quiet --out syn4
run 0 gen magic04 --n 2000 --d 20 --quiet --out magic04
run 0 gen year --n 2000 --quiet --out year

for problem in syn1 syn2 syn3 syn4 magic04 year; do
    spec=$(cd $problem && "$probe" get problem.json set)
    case $spec in *@*) spec=${spec%@*}@$problem/U.npy ;; esac
    run 0 solve $problem/A.npy $problem/y.npy --set "$spec" --method newton --tol 1e-11 --quiet --out exact.npy

    for options in "gpis --gpcs" "acc-gpis --m 150" pgd apgd "saga --batch 10" "saga --batch 50"; do
        run 0 solve $problem/A.npy $problem/y.npy --set "$spec" --tol 1e-9 --time-limit 60 --json --out x.npy \
            --method $options
        same "method" "$(get method)" "${options%% *}"
        same "stderr" "$(cat stderr)" ""
        # f grows by at least mu ||x - x*||^2, and a gap of 1e-9 f* allows this much.
        holds "$problem, $options: the same x" "$("$probe" distance x.npy exact.npy) < 2e-4"
    done
done

# Every option is heard: the trace changes with it.
solve() {
    expected=$1
    shift
    run "$expected" solve syn1/A.npy syn1/y.npy --set "$("$probe" get syn1/problem.json set)" --json --trace trace "$@"
    objectives=$(sed 's/.*"objective":\([^,]*\),.*/\1/' trace)
}
solve 0 --method acc-gpis
usual=$objectives
holds "sketches" "$(get sketches) > 1"
for options in "--m 100" "--gpcs" "--inner 3,5" "--sketch gaussian" "--sketch srht" "--sketch sparse-sign" \
    "--sketch count-gauss" "--gamma-d 1.5" "--gamma-u 3" "--seed 7"; do
    solve 0 --method acc-gpis $options
    [ "$objectives" != "$usual" ] || fail "$options changes nothing"
done
solve 0 --method acc-gpis --inner 2
usual=$objectives
solve 1 --method acc-gpis --inner 2 --rounds 2
same "passes of two rounds" "$(get passes)" 3
solve 0 --method apgd
usual=$objectives
for options in "--restart none" "--restart function" "--step 1e-4" "--gamma-u 3"; do
    solve 0 --method apgd $options
    [ "$objectives" != "$usual" ] || fail "$options changes nothing"
done

# A sketch smaller than x: reported, and replaced.
run 0 solve syn1/A.npy syn1/y.npy --set "$("$probe" get syn1/problem.json set)" --method gpis --m 10 --json
says "gpis: warning: "
same "status" "$(get status)" solved

refuse 2 solve syn1/A.npy syn1/y.npy --method gpis --m 0
says "--m wants a whole number from 1"
refuse 2 solve syn1/A.npy syn1/y.npy --method gpis --m 2001
says "2000 rows"
run 0 solve syn1/A.npy syn1/y.npy --set l1:1 --sketch none --json
same "sketches" "$(get sketches)" 0
prints "no sketch, as asked for"
refuse 2 solve syn1/A.npy syn1/y.npy --method gpis --sketch none
says "without a sketch there is no such method"
refuse 2 solve syn1/A.npy syn1/y.npy --sketch none --m 30
says "without a sketch there is no m"
refuse 2 solve syn1/A.npy syn1/y.npy --method gpis --sketch magic
says "no sketch is called 'magic'"
refuse 2 solve syn1/A.npy syn1/y.npy --method gpis --x0 syn1/A.npy
says "syn1/A.npy is 2000 x 20"
refuse 2 solve syn1/A.npy syn1/y.npy --inner 3,,4
refuse 2 solve syn1/A.npy syn1/y.npy --inner 0
refuse 2 solve syn1/A.npy syn1/y.npy --restart maybe
says "gradient, function or none"
refuse 2 solve syn1/A.npy syn1/y.npy --gamma-u 1
refuse 2 solve syn1/A.npy syn1/y.npy --gamma-d 0.5
refuse 2 solve syn1/A.npy syn1/y.npy --step -1
refuse 2 solve syn1/A.npy syn1/y.npy --batch 0
refuse 2 solve syn1/A.npy syn1/y.npy --certificate none
says "--max-passes"
