# --penalty: the lasso and the elastic net on the diabetes data, the path, weights, an audit, bad input.
data=$tree/data/diabetes/diabetes.tsv

# What scikit-learn 1.2 finds: Lasso(alpha=20000 / (2 * 442), fit_intercept=False), and ElasticNet with 5000 ||x||^2 too.
run 0 solve "$data" --target Y --penalty l1:20000 --json --out lasso.npy
same "kind" "$(get gap_kind)" proven
holds "the lasso's objective" "($(get objective) - 1625768.8424375)^2 < (1e-11 * 1625768)^2"
holds "its penalty" "($(get penalty) - 200476.8150066)^2 < (1e-10 * 200476)^2"
holds "its radius" "($(get radius) - 10.02384075033)^2 < (1e-11 * 10)^2"
same "nonzeros" "$(get nonzeros)" 5
radius=$(get radius) fit=$("$probe" get stdout objective)
run 0 solve "$data" --target Y --penalty l1:20000 --penalty l2:5000 --json
holds "the elastic net's objective" "($(get objective) - 1729445.17938134)^2 < (1e-11 * 1729445)^2"
holds "its radius" "($(get radius) - 8.0653070097)^2 < (1e-10 * 8)^2"

# The ball of that radius has the same x.
run 0 solve "$data" --target Y --set "l1:$radius" --json --out ball.npy --tol 1e-12
holds "objective of the ball" "($(get objective) + 20000 * $radius - $fit)^2 < (1e-9 * $fit)^2"
holds "x of the ball" "$("$probe" distance ball.npy lasso.npy) < 1e-6"
holds "no penalty" "$(get penalty) == 0"

# A penalty that keeps everything at zero; none at all.
run 0 solve "$data" --target Y --penalty l1:1e9 --json
same "zero" "$(get nonzeros) $(get passes) $(get gap_kind)" "0 1 proven"
run 0 solve "$data" --target Y --json --out plain.npy
run 0 solve "$data" --target Y --penalty l1:0 --json --out zero.npy
cmp -s plain.npy zero.npy || fail "lambda = 0 is not the same as no penalty"

# The summary says what it is, and what scikit-learn calls it; an audit counts it; a plan takes it.
run 0 solve "$data" --target Y --penalty l1:20000
grep -q "^penalty  *20000 times the sum of the sizes of the coefficients: 200477 of the objective (scikit-learn's alpha = 22.62443439)$" stdout ||
    fail "the line about the penalty: $(grep '^penalty' stdout)"
run 0 solve "$data" --target Y --penalty l1:20000 --penalty l2:5000
grep -q "l1_ratio = 0.6666666667)$" stdout || fail "the line about both penalties: $(grep '^penalty' stdout)"
run 0 check "$data" lasso.npy --target Y --penalty l1:20000 --json
holds "objective of the audit" "($(get objective) - $fit)^2 < (1e-12 * $fit)^2"
run 1 check "$data" lasso.npy --target Y --penalty l1:10000 --quiet
run 0 plan "$data" --target Y --penalty l1:20000 --json

# A checkpoint belongs to its penalty.
run 0 solve "$data" --target Y --penalty l1:20000 --checkpoint c --quiet
refuse 2 solve "$data" --target Y --penalty l1:20001 --checkpoint c --resume
grep -q "penalty" stderr || fail "the message does not name the penalty"

# Bad input, with its place.
for bad in l1:-1 l1:nan l1:inf l1: l1:x l1:3q l3:1 l1:1, l2:1,w.npy 1; do
    refuse 2 solve "$data" --target Y --penalty "$bad"
    grep -q "at character" stderr || fail "$bad: the message has no place"
done
refuse 2 solve "$data" --target Y --penalty l1:1 --penalty l1:2
refuse 2 solve "$data" --target Y --penalty l1
says "LAMBDA is missing, at character 3"
refuse 2 path "$data" --target Y --penalty l2
says "paths of radii (--set l2) and of l1 penalties"
refuse 3 solve "$data" --target Y --penalty l1:1,missing.npy

# Beside a set whose prox with a penalty is not known, and with standardised columns: solved, and the audit agrees.
for terms in "--set tv:100@dct" "--set tv:100@dct --standardize --intercept" "--set l2:300&nonneg --standardize"; do
    run 0 solve "$data" --target Y --penalty l1:20000 $terms --out curved.npy --json
    holds "gap of $terms" "$(get relative_gap) < 1e-8 && $(get violation) < 1e-13"
    run 0 check "$data" curved.npy --target Y --penalty l1:20000 $terms --quiet
done
