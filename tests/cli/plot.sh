# gpis plot: formats, axes, bad traces.
run 0 gen syn1 --n 2000 --d 20 --sparsity 4 --cond 1e3 --quiet --out p
spec=$("$probe" get p/problem.json set)
run 0 solve p/A.npy p/y.npy --set "$spec" --quiet --trace newton.jsonl
run 0 solve p/A.npy p/y.npy --set "$spec" --quiet --method acc-gpis --trace acc_gpis.jsonl
for out in f.svg f.png f.pdf; do
    run 0 plot newton.jsonl acc_gpis.jsonl --out $out
    [ -s $out ] || fail "$out is empty"
done
grep -q "certified bound" f.svg || fail "the axis is not named"
grep -q "acc_gpis" f.svg || fail "a line is not named"
run 0 plot newton.jsonl --x passes --out passes.svg
grep -q ">passes<" passes.svg || fail "the axis is not passes"
run 1 solve p/A.npy p/y.npy --set "$spec" --quiet --certificate none --max-passes 9 --method apgd --trace apgd.jsonl
run 0 plot apgd.jsonl --x epochs --out best.svg

refuse 2 plot
refuse 2 plot newton.jsonl
refuse 2 plot newton.jsonl --out f.gif
says ".svg, .png or .pdf"
refuse 2 plot newton.jsonl --x hours --out f.svg
refuse 3 plot nowhere.jsonl --out f.svg
says "nowhere.jsonl"
echo hello >bad.jsonl
refuse 2 plot bad.jsonl --out f.svg
says "bad.jsonl, line 1"
: >empty.jsonl
refuse 2 plot empty.jsonl --out f.svg
refuse 3 plot newton.jsonl --out nowhere/f.svg
