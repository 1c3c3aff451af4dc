# Options that the method taken does not use are named in one line; --quiet and the exit code stay as they are.
run 0 gen syn1 --n 2000 --d 20 --sparsity 4 --cond 1e2 --quiet --out p
set -- solve p/A.npy p/y.npy --set l1:2 --tol 1e-6 --json

# note OPTIONS METHOD ARGUMENTS...: the one line on stderr
note() {
    options=$1 method=$2
    shift 2
    run 0 "$@"
    same "lines on stderr" "$(wc -l <stderr)" 1
    says "gpis: note: $options ignored: $method does not use"
}
silent() {
    run 0 "$@"
    same "stderr" "$(cat stderr)" ""
}

note "--batch is" "newton with the Gram matrix" "$@" --batch 5
note "--gpcs, --rounds, --inner, --gamma-u, --gamma-d, --step, --restart, --batch are" "newton with the Gram matrix" "$@" \
    --gpcs --rounds 50 --inner 3 --gamma-u 3 --gamma-d 3 --step 1e-3 --restart none --batch 5
note "--inner, --step are" "newton with the Gram matrix" "$@" --sketch none --inner 3 --step 1e-3
note "--sketch is" "newton with the Gram matrix" "$@" --sketch gaussian
note "--inner is" "newton with a sketch" "$@" --m 100 --inner 3
note "--sketch, --m, --inner, --restart, --batch are" "pgd" "$@" --method pgd --sketch count --m 100 --inner 3 \
    --restart none --batch 5
note "--m, --gpcs, --rounds, --delta are" "apgd" "$@" --method apgd --m 100 --gpcs --rounds 5 --delta 1e-3
note "--gamma-u, --step are" "saga" "$@" --method saga --gamma-u 3 --step 1e-3 --batch 5
note "--restart, --batch are" "gpis" "$@" --method gpis --restart none --batch 5
note "--gamma-d is" "acc-gpis with a fixed --step" "$@" --method acc-gpis --step 1e-4 --gamma-d 3
note "--delta is" "newton with a sketch" "$@" --m 100 --certificate proven --delta 1e-3
note "--batch is" "newton with the Gram matrix" plan p/A.npy p/y.npy --set l1:2 --batch 5 --json
same "method" "$(get method)" newton

# What is used is not mentioned.
silent "$@" --m 100 --sketch gaussian --delta 1e-3 --seed 4
silent "$@" --sketch none
silent "$@" --method acc-gpis --m 100 --gpcs --rounds 50 --inner 30 --gamma-u 3 --gamma-d 3 --restart none
silent "$@" --method apgd --gamma-u 3 --restart function
silent "$@" --method apgd --step 1e-3
silent "$@" --method saga --batch 5
silent plan p/A.npy p/y.npy --set l1:2 --m 100
# Nor is anything under --quiet; and no bits depend on what is ignored.
silent solve p/A.npy p/y.npy --set l1:2 --tol 1e-6 --quiet --batch 5 --inner 3 --out x.npy
silent solve p/A.npy p/y.npy --set l1:2 --tol 1e-6 --quiet --out plain.npy
cmp -s x.npy plain.npy || fail "an option that is ignored changes x"
run 0 check p/A.npy p/y.npy x.npy --set l1:2 --tol 1e-6 --delta 1e-3
says "note: --delta is ignored"

# --inner is used from its first number on: it is that of the first round or, with --gpcs, of the classical sketch.
for list in "2,5,7 0 2 5 7 7" "2,5,7_--gpcs 0 2 5 7" "4 0 4 4 4 4"; do
    options=${list%% *} wanted=${list#* }
    case $options in *_*) more=${options#*_} ;; *) more= ;; esac
    run 1 solve p/A.npy p/y.npy --set l1:1 --method gpis --inner "${options%%_*}" $more --tol 1e-15 --max-passes 5 \
        --certificate none --json --trace t
    same "inner iterations of $options" "$(sed 's/.*"inner_iterations":\([0-9]*\).*/\1/' t | tr '\n' ' ' | cut -c1-${#wanted})" \
        "$wanted"
done
