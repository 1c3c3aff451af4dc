"""Diabetes: a lasso by its radius, constraints in words, and how much they cost. Run it whole, or cell by cell in a notebook.

    PYTHONPATH=build/release/python python3 examples/python/diabetes.py [FOLDER FOR FIGURES]
"""

# %% the table, by its path; y is one of its columns
import sys
from pathlib import Path

import gpis

here = Path(__file__).resolve().parents[2]
table = here / "data" / "diabetes" / "diabetes.tsv"
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

plain = gpis.solve(table, target="Y", intercept=True)
print(f"least squares: R^2 {plain.r2:.3f}, {plain.gap_kind} to {plain.relative_gap:.0e}")

# %% a lasso on columns of one scale: the rows are read once for all radii
summary = gpis.summarize(table, target="Y")
print("radius  coefficients  R^2")
for radius in (10, 20, 40, 80):
    r = gpis.solve(summary, set=gpis.l1(radius), intercept=True, standardize=True)
    print(f"{radius:6}  {(r.x != 0).sum():12}  {r.r2:.3f}")

# %% what is known beforehand: these must not lower the risk, and two cholesterols count alike
known = gpis.solve(summary, set=gpis.nonneg["BMI":"BP"], subject_to="S2 = S3", intercept=True)
print(known)
print(known.to_frame().to_string(index=False))

# %% the figure
import matplotlib

matplotlib.use("Agg")
axes = known.plot()
axes.figure.tight_layout()
axes.figure.savefig(folder / "diabetes.svg")
