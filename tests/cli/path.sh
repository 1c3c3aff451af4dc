# gpis path, gpis cv and --ranges: scikit-learn's errors on the same folds, summaries in the place of A, bad input.
data=$tree/data/diabetes/diabetes.tsv
python=/usr/bin/python3

run 0 path "$data" --target Y --intercept --points 20 --json --out path.csv --figure path.svg
same "points" "$(wc -l <path.csv)" 21
same "one sweep" "$(get sweeps)" 1
grep -q '"warning": null' stdout || fail "without a warning, the key has to be null"
grep -q '</svg>' path.svg || fail "there is no figure"
grep -q '>BMI<' path.svg || fail "the figure does not name the coefficients"
run 0 path "$data" --target Y --intercept --set 'l1 & nonneg' --values 3,1,2 --json --out few.csv
same "own values, in order" "$(sed 1d few.csv | cut -d, -f1 | tr '\n' ' ')" "1 2 3 "
run 0 path "$data" --target Y --set l2 --points 5 --quiet
run 0 path "$data" --target Y --set 'group:R:5' --points 4 --grid linear --quiet
run 0 path "$data" --target Y --intercept --standardize --penalty l1 --penalty l2:10 --points 5 --quiet

# A summary answers the same without reading.
run 0 summarize "$data" --target Y --folds 5 --seed 3 --out S.npz --quiet
run 0 cv "$data" --target Y --intercept --folds 5 --seed 3 --points 12 --json --out rows.csv
run 0 cv S.npz --intercept --points 12 --json --out summary.csv
same "nothing is read" "$(get sweeps)" 0
cmp rows.csv summary.csv || fail "a summary has other errors than the rows"
run 0 cv "$data" --target Y --intercept --folds 5 --seed 3 --points 12 --quiet --threads 1 --out one.csv
cmp rows.csv one.csv || fail "the bits depend on the number of threads"
run 0 cv "$data" --target Y --intercept --folds 4 --repeats 3 --points 6 --json
same "folds of all repeats" "$(get folds)" 12
same "a sweep for each" "$(get sweeps)" 3

# No memory for the Gram matrices: more sweeps, the same answers.
run 0 gen large --n 1000 --d 400 --sparsity 10 --out large --json
run 0 cv large/A.npy large/y.npy --penalty l1 --eps 0.1 --points 12 --json --out gram.csv
same "one sweep" "$(get sweeps)" 1
run 0 cv large/A.npy large/y.npy --penalty l1 --eps 0.1 --points 12 --memory 24M --json --out wide.csv
holds "sweeps that all points share" "3 <= $(get sweeps) <= 9"
same "points of the exact path" "$(get exact)" 12
"$python" - <<'END_OF_PYTHON' || fail "the errors of the folds depend on the memory"
import csv
gram, wide = (list(csv.DictReader(open(name))) for name in ("gram.csv", "wide.csv"))
assert len(gram) == len(wide) == 12 and "mean_squared_error" in gram[0]
for p, q in zip(gram, wide):
    for name in ("mean_squared_error", "standard_error"):
        assert abs(float(p[name]) - float(q[name])) <= 1e-8 * float(p[name]), (name, p[name], q[name])
END_OF_PYTHON
run 0 path large/A.npy large/y.npy --set l1 --values 1,2,3 --memory 14M --json
same "points of the exact path" "$(get exact)" 3
# Sums that fit when they are there, but not while a sweep makes them.
run 0 gen large --n 60000 --d 100 --out tall --json
run 0 cv tall/A.npy tall/y.npy --penalty l1 --eps 0.5 --points 4 --memory 18M --json
holds "more sweeps instead of a refusal" "3 <= $(get sweeps) <= 9"
rm -r tall

# The answer that was chosen, for gpis predict.
run 0 cv "$data" --target Y --intercept --standardize --points 12 --json --model chosen.json
radius=$("$python" -c 'import json; print(repr(json.load(open("stdout"))["best"]["radius"]))')
run 0 solve "$data" --target Y --intercept --standardize --set "l1:$radius" --quiet --model solved.json
"$python" - "$radius" <<'END_OF_PYTHON' || fail "the model of cv is not that of the best point"
import json, sys
a, b = (json.load(open(name)) for name in ("chosen.json", "solved.json"))
assert a["problem"]["set"] == "l1" and abs(a["problem"]["radius"] / float(sys.argv[1]) - 1) < 1e-12, a["problem"]
for x, z in zip(a["coefficients"] + [a["intercept"]], b["coefficients"] + [b["intercept"]]):
    assert abs(x[0] - z[0]) <= 1e-4 * max(1, abs(z[0])), (x, z)
END_OF_PYTHON
run 0 predict "$data" chosen.json --target Y
run 0 cv "$data" --target Y --intercept --penalty l1 --points 12 --quiet --model penalised.json
grep -q '"penalty_l1": [1-9]' penalised.json || fail "the model does not have the penalty that was chosen"
run 2 path "$data" --target Y --model no.json
run 2 cv "$data" --target Y --out same.csv --model ./same.csv
says "--out and --model are the same file"

# Sets that are empty where the radius is small, or large: the grid stays where there is an answer, or says where that is.
run 0 path "$data" --target Y --intercept --set 'simplex & box:,100' --points 5 --json --out capped.csv
holds "the largest sum is that of an answer" "0 < $(tail -1 capped.csv | cut -d, -f1) <= 1000"
run 0 path "$data" --target Y --intercept --set 'simplex[1-4] & l2:3' --points 3 --quiet
run 2 path "$data" --target Y --intercept --set 'l1 & box:1,2' --points 5
says "set l1 & box:1,2: no x is in it for a radius below 10, and the largest that has an effect is"
run 0 path "$data" --target Y --intercept --set 'l1 & box:1,2' --points 5 --eps 0.99 --quiet
run 2 path "$data" --target Y --set l1 --subject-to 'AGE + SEX = 1000' --eps 1e-6
says "no x is in it for a radius below 1000"
run 2 path "$data" --target Y --set 'simplex & sum[1-3]:1'
says "set simplex:1 & sum[1-3]:1: unexpected ':'"

# A response that does not vary: no value of the path has an effect.
printf 'a,b,y\n1,2,0.3\n2,1,0.3\n4,7,0.3\n5,5,0.3\n' >constant.csv
run 2 path constant.csv --target y --intercept
says "no value of the path has an effect: the answer is x = 0 for all of them"
run 2 cv constant.csv --target y --intercept --penalty l1 --folds 2
says "no value of the path has an effect"
run 0 path constant.csv --target y --points 3 --quiet
printf 'a,b,y\n1,2,0\n2,1,0\n4,7,0\n5,5,0\n' >zero.csv
run 2 path zero.csv --target y --set l2
says "no value of the path has an effect"

# Bad input.
run 2 path "$data" --target Y --set nonneg
says "sets with a radius are l1"
run 2 path "$data" --target Y --set 'l1 & l2'
says "more than one set has no radius"
run 2 path "$data" --target Y --values 1,x
says "--values wants numbers"
run 2 path "$data" --target Y --values -1
run 2 cv "$data" --target Y --folds 1000
says "1000 folds are more than the 442 rows"
run 2 cv "$data" --target Y --folds 1
run 2 cv S.npz --folds 7
says "the summary has 5 folds, not 7"
run 2 cv S.npz --fold-column sex
says "gpis: S.npz is a summary: --fold-column is for the rows that it was made of, with gpis summarize"
run 2 cv S.npz --repeats 2
says "needs the rows of A"
run 0 summarize "$data" --target Y --out plain.npz --quiet
run 2 cv plain.npz
says "the summary has no folds"

run 2 path "$data" --target Y --points 0
says "gpis: --points wants a whole number"
run 2 cv "$data" --target Y --folds 1
says "gpis: --folds wants a whole number"

# No file that is read is written over, and no two outputs are one file.
printf 'a,y\n1,2\n2,4\n3,7\n' >small.csv
cp small.csv kept.csv
run 2 path small.csv --target y --out small.csv
says "A and --out are the same file"
run 2 cv small.csv --target y --folds 3 --figure same.svg --report ./same.svg
says "--figure and --report are the same file"
cmp small.csv kept.csv || fail "the data were written over"
[ ! -e same.svg ] || fail "a file is there although the command was refused"

# Why the exit code is 1 is said, and no gap is "inf": without a fold two rows are left, which fit exactly.
run 1 cv small.csv --target y --intercept --folds 3 --points 3
grep -q 'validation    3 folds; [0-9]* of their 9 answers are not certified' stdout || fail "it does not say what is open"
printf 'a,y\n1,1\n2,2\n3,3\n' >exact.csv
run 0 path exact.csv --target y --points 3 --figure exact.svg --report exact.html
grep -q 'inf' stdout && fail "a gap is infinite"
grep -q 'where the objective is nearly 0 absolute ones up to' stdout || fail "the absolute gap is not told"
grep -q 'or, where it is nearly 0, than' exact.html || fail "the report has no bound for the exact fit"

# Figures: names from data are text, and several responses are told apart.
printf '"<script>alert(1)</script>","a ""b"" & c","esc\033[31m",\303\244\303\266\303\274\303\244\303\266\303\274\303\244\303\266\303\274\303\244\303\266\303\274\303\244\303\266\303\274\303\244\303\266\303\274\303\244\303\266\303\274\303\244\303\266\303\274\303\244\303\266,y\n' >evil.csv
awk 'BEGIN { srand(1); for (i = 0; i < 30; i++) print rand() "," rand() "," rand() "," rand() "," rand() }' >>evil.csv
run 0 path evil.csv --target y --points 4 --out evil_path.csv --figure evil.svg --quiet
"$python" - <<'END_OF_PYTHON' || fail "names from data harm the files"
import csv, xml.dom.minidom
texts = [t.firstChild.data for t in xml.dom.minidom.parse("evil.svg").getElementsByTagName("text")]
assert "<script>alert(1)</s…" in texts or "<script>alert(1)</script>"[:23] + "…" in texts, texts
assert 'a "b" & c' in texts, texts
rows = list(csv.reader(open("evil_path.csv", newline="", encoding="utf-8")))
assert {len(row) for row in rows} == {len(rows[0])} and rows[0][-4:-1] == ["<script>alert(1)</script>", 'a "b" & c', "esc\x1b[31m"], rows[0]
END_OF_PYTHON

# Ranges: the ends enclose the answer, the attained ones are within the proven ones.
run 0 solve "$data" --target Y --intercept --set l1:30 --ranges 0.01 --quiet --out ranges.csv
awk -F, 'NR > 1 && $1 != "" && !($5 <= $7 && $7 <= $2 && $2 <= $8 && $8 <= $6) { bad = 1 } END { exit bad }' \
    ranges.csv || fail "ranges are not in order"
run 0 solve "$data" --target Y --intercept --set l1:30 --ranges 0.01
grep -q 'name  *coefficient  *range from  *range to  *active constraint' stdout || fail "the summary has no ranges"
run 2 solve "$data" --target Y --ranges x
says "gpis: --ranges wants a number"
run 0 solve "$data" --target Y --intercept --confidence 0.95 --quiet --out interval.csv
run 2 solve "$data" --target Y --ranges 0.1 --confidence 0.9
run 2 solve "$data" --target Y --confidence 1.5

run 3 predict "$data" nosuch.json
says "nosuch.json: cannot be read: No such file"

"$python" -c 'import sklearn' 2>/dev/null || exit 0
cat >compare.py <<'END_OF_PYTHON'
import csv, json, sys
import numpy as np
from sklearn.linear_model import LassoCV
table = np.loadtxt(sys.argv[1], skiprows=1)
A, y, n = table[:, :10], table[:, 10], len(table)
fold = np.arange(n) % 7
if sys.argv[2] == "folds":
    np.save("folds.npy", fold + 1.0)
    sys.exit()
splits = [(np.where(fold != f)[0], np.where(fold == f)[0]) for f in range(7)]
theirs = LassoCV(cv=splits, n_alphas=30, tol=1e-14, max_iter=10**6).fit(A, y)
ours = json.load(open("stdout"))
errors = np.array([p["fold_errors"] for p in ours["points"]])
alphas = np.array([p["alpha"] for p in ours["points"]])
off = max(np.abs(errors / theirs.mse_path_ - 1).max(), np.abs(alphas / theirs.alphas_ - 1).max(),
          abs(alphas[ours["best"]["point"]] / theirs.alpha_ - 1))
print("%.3g" % off)
END_OF_PYTHON
"$python" compare.py "$data" folds
run 0 cv "$data" --target Y --intercept --penalty l1 --points 30 --fold-column folds.npy --tol 1e-10 --json
holds "validation errors beside LassoCV's" "$("$python" -W ignore compare.py "$data" compare) <= 1e-8"
