# The lasso and the elastic net with an intercept are scikit-learn's, where that is installed.
python=/usr/bin/python3
"$python" -c 'import sklearn' 2>/dev/null || { echo "skipped: there is no scikit-learn"; exit 77; }
data=$tree/data/diabetes/diabetes.tsv

# compare X.csv L1 L2: with L1 ||x||_1 + L2 ||x||^2, which is alpha = L1 / (2 n) + L2 / n and l1_ratio = L1 / (2 n alpha)
cat >compare.py <<'END'
import csv, sys
import numpy as np
from sklearn.linear_model import ElasticNet, Lasso
table = np.loadtxt(sys.argv[1], skiprows=1)
A, y, n = table[:, :10], table[:, 10], len(table)
x = np.array([float(row["coefficient"]) for row in csv.DictReader(open(sys.argv[2])) if row["name"]])
l1, l2 = float(sys.argv[3]), float(sys.argv[4])
alpha = l1 / (2 * n) + l2 / n
how = dict(alpha=alpha, fit_intercept=True, tol=1e-15, max_iter=10**6)
fit = Lasso(**how) if l2 == 0 else ElasticNet(l1_ratio=l1 / (2 * n * alpha), **how)
fit.fit(A, y)
theirs = np.concatenate([[fit.intercept_], fit.coef_])
print("%.3g" % (np.abs(x - theirs) / np.maximum(1, np.abs(theirs))).max())
END

for penalty in "100 0" "5000 0" "40000 0" "5000 300" "200 2000"; do
    l1=${penalty% *} l2=${penalty#* }
    run 0 solve "$data" --target Y --intercept --penalty "l1:$l1" --penalty "l2:$l2" --tol 1e-13 --quiet --out x.csv
    holds "distance from scikit-learn's with $penalty" \
        "$("$python" -W ignore compare.py "$data" x.csv "$l1" "$l2") <= 1e-8"
done
