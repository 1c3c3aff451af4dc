"""Index tracking: a portfolio of 31 stocks that follows an index, none of them above 10 %.

    PYTHONPATH=build/release/python python3 examples/python/indtrack.py [FOLDER FOR FIGURES]
"""

# %% weekly prices to returns; the file has the number of stocks and weeks, then a row of prices for each, the index first
import sys
from pathlib import Path

import gpis
import numpy as np

here = Path(__file__).resolve().parents[2]
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
numbers = np.array((here / "data" / "indtrack" / "indtrack1.txt").read_text().split(), dtype=float)
stocks, weeks = int(numbers[0]), int(numbers[1])
prices = numbers[2:].reshape(stocks + 1, weeks + 1).T
returns = prices[1:] / prices[:-1] - 1
index, A = returns[:, 0], returns[:, 1:]
names = [f"s{j + 1}" for j in range(stocks)]

# %% weights that add up to 1, between 0 and 10 %
r = gpis.solve(A, index, gpis.simplex(1) & gpis.box(upper=0.1), names=names, tol=1e-10)
print(r)
assert abs(r.x.sum() - 1) < 1e-12 and r.x.min() >= 0 and r.x.max() <= 0.1

# %% what it costs that the first five stocks get at most 5 % together, and what a bit more would bring
capped = gpis.solve(A, index, gpis.simplex(1) & gpis.box(upper=0.1), subject_to="sum(s1:s5) <= 0.05", names=names, tol=1e-10)
price = capped.multipliers.get("sum(s1:s5) <= 0.05", 0.0)
print(f"tracking error {r.rmse:.5f} a week; with the cap {capped.rmse:.5f}, and a price of {price:.3g}")

# %% a first half to choose the weights, a second half to judge them
half = weeks // 2
chosen = gpis.solve(A[:half], index[:half], gpis.simplex(1) & gpis.box(upper=0.1))
outside = A[half:] @ chosen.x - index[half:]
print(f"outside of the weeks it was chosen in: {np.sqrt(np.mean(outside ** 2)):.5f} a week")

# %% the figure
import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

figure, axes = pyplot.subplots(figsize=(8, 4))
axes.plot(np.cumprod(1 + index), label="index", color="black")
axes.plot(np.cumprod(1 + A @ chosen.x), label="portfolio, chosen in the first half", color="tab:blue")
axes.axvline(half, color="grey", linewidth=0.7)
axes.set_xlabel("week")
axes.legend()
figure.tight_layout()
figure.savefig(folder / "indtrack.svg")
