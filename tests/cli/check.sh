# gpis check: x audited from the data alone.
run 0 gen syn1 --n 2000 --d 20 --sparsity 4 --cond 1e3 --out p
set_spec=$("$probe" get p/problem.json set)
run 0 solve p/A.npy p/y.npy --set "$set_spec" --tol 1e-9 --quiet --out x.npy
run 0 check p/A.npy p/y.npy x.npy --set "$set_spec" --json
same "status" "$(get status)" solved
same "gap_kind" "$(get gap_kind)" proven
holds "tolerance" "$(get relative_gap) <= 1e-8"
objective=$("$probe" objective p/A.npy p/y.npy x.npy)
holds "objective" "($(get objective) - $objective)^2 < 1e-24 * $objective^2"
run 0 check p/A.npy p/y.npy x.npy --set "$set_spec"
prints "proven: within"

# The truth before the noise is not the least-squares solution.
run 1 check p/A.npy p/y.npy p/x_true.npy --set "$set_spec" --json
holds "the gap shows it" "$(get relative_gap) > 1e-8 && $(get gap) > 0"

# A set that x is not in.
run 1 check p/A.npy p/y.npy x.npy --set l1:0.5 --json
holds "distance" "$(get feasibility) > 0.1"

# An x outside whose projection is the solution: certified, yet not in the set.
npy '3, 2' 1 0 0 1 0 0 >A.npy
npy '3,' 1 1 0 >y.npy
npy '2,' 1 1 >outside.npy
run 1 check A.npy y.npy outside.npy --set box:0,0.5 --json
same "status" "$(get status)" solved
holds "distance" "($(get feasibility)^2 - 0.5)^2 < 1e-20"

# ... and first of all it is reported as it was given: its own objective (here 0, where that of its projection is 1/2), that
# it is not in the set, and by how much.
same "in_set" "$(get in_set)" false
same "nonzeros as given" "$(get given_nonzeros)" 2
holds "objective as given" "$(get given_objective)^2 < 1e-24"
holds "objective of the projection" "($(get objective) - 0.5)^2 < 1e-20"
run 1 check A.npy y.npy outside.npy --set box:0,0.5
prints "x as given    NOT in the set: its distance from it is 0.7071"
same "the first line" "$(sed -n 1p stdout | cut -c1-10)" "x as given"
objectives=$(sed -n 's/^ *objective *\([^ ]*\).*/\1/p' stdout | tr '\n' ' ')
holds "the objectives" "${objectives%% *} + 0 < 1e-12 && $(echo $objectives | cut -d' ' -f2) == 0.5"
# Far from the set and near to it: the objective is that of x as it is in the file, by an independent program.
objective=$("$probe" objective p/A.npy p/y.npy x.npy)
for spec in l1:0.5 l1:0.01 box:-0.001,0.001 nonneg simplex:1 "l2:$(awk 'BEGIN { print 1e-9 }')" affine; do
    case $spec in affine)
        npy '1, 20' 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 >C.npy
        npy '1,' 1 >b.npy
        spec=affine:C.npy,b.npy ;;
    esac
    run 1 check p/A.npy p/y.npy x.npy --set "$spec" --json
    same "in_set of $spec" "$(get in_set)" false
    holds "objective as given, $spec" "($(get given_objective) - $objective)^2 < 1e-22 * $objective^2"
    holds "objective of the projection, $spec" "$(get objective) > 0"
done
# In the set both are the same.
run 0 check p/A.npy p/y.npy x.npy --set "$set_spec" --json
same "in_set" "$(get in_set)" true
holds "objectives" "($(get given_objective) - $(get objective))^2 <= 1e-24 * $objective^2"
run 0 check p/A.npy p/y.npy x.npy --set "$set_spec"
same "lines about x as given" "$(grep -c 'as given' stdout)" 0
# One pass for both points: no more than for a point of the set that needs the same bounds.
run 1 check p/A.npy p/y.npy x.npy --set l1:0.5 --json
passes=$(get passes)
run 1 check p/A.npy p/y.npy p/x_true.npy --set l1:100 --json
holds "passes" "$passes <= $(get passes)"

refuse 2 check p/A.npy p/y.npy p/y.npy --set "$set_spec"
says "x must be 20 x 1"
refuse 2 check p/A.npy x.npy
says "--target"
refuse 3 check p/A.npy p/y.npy nowhere.npy
says "nowhere.npy"

# y inside A.
run 0 solve "$tree/data/diabetes/diabetes.tsv" --target Y --set l1:5 --tol 1e-9 --quiet --out x.npy
run 0 check "$tree/data/diabetes/diabetes.tsv" x.npy --target Y --set l1:5 --quiet
same "output of --quiet" "$(cat stdout stderr)" ""
