# The theory as numbers: the table, the JSON object, what is vacuous, and refusals.
run 0 bounds --m 4000 --d 100 --cond 1e4 --theta 6 --json
same "stderr" "$(cat stderr)" ""
holds "sigma" "$(get sigma) > 2.8 && $(get sigma) < 2.9"
holds "1 - alpha = 1/(cond sigma)" "$(get alpha_gap) * 1e4 * $(get sigma) - 1 < 1e-9"
holds "rho" "$(get rho) > 0.6 && $(get rho) < 0.7"
holds "probability of Proposition 2" "$(get rho_probability) > 0.911 && $(get rho_probability) < 0.912"
same "width" "$(get width)" 10
same "work without n" "$(grep -c '"work"' stdout)" 0

# The sweet spot: no worse than its neighbours, and it depends on the tolerance.
best=$("$gpis" bounds --d 100 --cond 1e4 --n 1000000 --sparsity 10 --json >advice.json && cat advice.json |
    sed -n '/"advice"/,$p' | sed -n '/"acc-gpis"/,$p' | sed -n 's/.*"m": \([0-9]*\).*/\1/p')
epochs_at() {
    "$gpis" bounds --m "$1" --d 100 --cond 1e4 --n 1000000 --sparsity 10 --json | sed -n '/"work"/,/"advice"/p' |
        sed -n '/"acc-gpis"/,$p' | sed -n 's/.*"epochs": \([0-9.e+]*\).*/\1/p'
}
holds "the best m" "$best > 1000 && $best < 100000"
holds "no worse than half of it" "$(epochs_at $best) < $(epochs_at $((best / 2)))"
holds "no worse than twice" "$(epochs_at $best) < $(epochs_at $((best * 2)))"

run 0 bounds --m 4000 --d 100 --cond 1e4 --n 1000000 --sparsity 10 --inner 3000 --gamma-u 2 --tol 1e-3
prints "Proposition 2"
prints "best m"
prints "error floor, Theorem 3"
prints "only W <= 10 is proven"
run 0 bounds --m 4000 --d 100 --cond inf --inner 100
prints "vacuous"
run 0 bounds --m 80 --d 100 --cond 10
prints "vacuous: m is too small"
run 0 bounds --m 80 --d 100 --cond 10 --json
for key in alpha rho rho_direct sigma round_gpis round_acc; do
    same "$key" "$(grep -c "\"$key\": null" stdout)" 1
done
run 0 bounds --m 4000 --d 100 --cond 10 --theta 2
prints "no promise, theta is too small"
run 0 bounds --d 100 --cond 10 --n 500
prints "nothing is promised"

refuse 2 bounds
says "--d"
refuse 2 bounds --d 10 --cond 10
says "--m"
refuse 2 bounds --m 100 --d 10
says "--cond"
refuse 2 bounds --m 0 --d 10 --cond 10
says "--m"
refuse 2 bounds --m 100 --d 0 --cond 10
says "--d"
refuse 2 bounds --m 100 --d 10 --cond 0.5
says "--cond"
refuse 2 bounds --m 100 --d 10 --cond nan
refuse 2 bounds --m 100 --d 10 --cond 10 --sparsity 11
says "--sparsity"
refuse 2 bounds --m 100 --d 10 --cond 10 --sparsity 0
refuse 2 bounds --m 100 --d 10 --cond 10 --sparsity 3 --width 2
says "--width"
refuse 2 bounds --m 100 --d 10 --cond 10 --theta -1
says "--theta"
refuse 2 bounds --m 100 --d 10 --cond 10 --theta inf
refuse 2 bounds --m 100 --d 10 --cond 10 --delta 0
refuse 2 bounds --m 100 --d 10 --cond 10 --gamma-u 0.5
refuse 2 bounds --m 100 --d 10 --cond 10 --inner 0
refuse 2 bounds --m 100 --d 10 --cond 10 --tol 0
refuse 2 bounds --m 100 --d 10 --cond 10 --n 5
refuse 2 bounds --m 100 --d 10 --cond 10 --n 50
says "--n"
refuse 2 bounds --m 100 --d 10 --cond 10 file.npy
says "file.npy"
