"""MAGIC gamma telescope: which of 50 features, 40 of them noise, tell gamma rays from hadrons? In scikit-learn's terms.

    PYTHONPATH=build/release/python python3 examples/python/magic04.py
"""

# %% ten measured features and forty of pure noise, in a pandas frame
from pathlib import Path

import gpis
from gpis.sklearn import ConstrainedRegressor
import numpy as np
import pandas as pd
from sklearn.linear_model import Lasso
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

here = Path(__file__).resolve().parents[2]
measured = "fLength fWidth fSize fConc fConc1 fAsym fM3Long fM3Trans fAlpha fDist".split()
frame = pd.read_csv(here / "data" / "magic04" / "magic04.data", header=None, names=measured + ["kind"])
noise = np.random.default_rng(0).standard_normal((len(frame), 40))
X = pd.concat([frame[measured], pd.DataFrame(noise, columns=[f"noise{j + 1}" for j in range(40)])], axis=1)
y = np.where(frame.kind == "g", 1.0, -1.0)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

# %% the radius of the l1 ball, chosen by cross-validation
model = make_pipeline(StandardScaler().set_output(transform="pandas"), ConstrainedRegressor())
radii = [0.25, 0.5, 1.0, 1.5]
search = GridSearchCV(model, {"constrainedregressor__set": [f"l1:{radius}" for radius in radii]}, cv=5).fit(X_train, y_train)
best = search.best_estimator_[-1]
print(f"best set {best.set}: {np.count_nonzero(best.coef_)} of 50 coefficients, {best.gap_kind_} gap {best.gap_:.1e}")
print(f"told apart on new showers: {np.mean(np.sign(search.predict(X_test)) == y_test):.1%}")

# %% its price is the penalty of the lasso with the same answer: alpha = multiplier / (2 n)
price = best.active_[0].multiplier
Z = search.best_estimator_[0].transform(X_train)
lasso = Lasso(alpha=price / (2 * len(y_train)), tol=1e-12, max_iter=100000).fit(Z, y_train)
print(f"largest difference from scikit-learn's lasso of that penalty: {np.abs(lasso.coef_ - best.coef_).max():.0e}")

# %% the physics says which way some of them go
signs = ConstrainedRegressor(set=gpis.l1(1.0) & gpis.box(upper=0)[["fAlpha", "fLength"]]).fit(Z, y_train)
print(signs.result_)
