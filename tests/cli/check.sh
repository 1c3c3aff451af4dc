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
