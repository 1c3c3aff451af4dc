"""Jasper Ridge: how much tree, water, dirt and road is in each pixel of a picture taken from an aeroplane?

    PYTHONPATH=build/release/python python3 examples/python/jasper_ridge.py [FOLDER FOR FIGURES [FOLDER OF DATA]]

Each of 100 x 100 pixels has 198 bands, and four reference spectra are known, the columns of M. The spectrum of a pixel is M a with
a >= 0 and sum(a) = 1: 10000 responses of one solve. The data are not part of gpis; data/README.md says where they are from and which
files belong into data/jasper_ridge.
"""

# %% the data
import sys
from pathlib import Path

import gpis
import numpy as np

here = Path(__file__).resolve().parents[2]
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
place = Path(sys.argv[2] if len(sys.argv) > 2 else here / "data" / "jasper_ridge")
if not (place / "Y_u16.npy").exists():
    print(f"jasper_ridge.py: there is no {place / 'Y_u16.npy'}; data/README.md says where to get it", file=sys.stderr)
    sys.exit(77)
M = np.load(place / "M.npy")
Y = np.load(place / "Y_u16.npy") / 5437.0
reference = np.load(place / "A.npy")

# %% all pixels as the responses of one problem
r = gpis.solve(M, Y, gpis.simplex(1))
print(f"{r.status}, {r.gap_kind}: within {r.relative_gap:.1e} of the best; {r.seconds:.2f} s for {Y.shape[1]} pixels")
assert r.x.min() >= 0 and np.abs(r.x.sum(axis=0) - 1).max() < 1e-9
print(f"error of the spectra {np.linalg.norm(Y - M @ r.x) / np.linalg.norm(Y):.4f}, "
      f"of the reference {np.linalg.norm(Y - M @ reference) / np.linalg.norm(Y):.4f}")

# %% the maps; the pixels run down the columns of the picture
import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

figure, axes = pyplot.subplots(2, 4, figsize=(11, 5.6), layout="constrained")
for line, (shares, who) in enumerate(((r.x, "gpis, simplex"), (reference, "reference"))):
    for k, name in enumerate(("tree", "water", "dirt", "road")):
        drawn = axes[line, k].imshow(shares[k].reshape(100, 100).T, vmin=0, vmax=1, cmap="Blues")
        axes[line, k].set(xticks=[], yticks=[], title=name if line == 0 else "")
    axes[line, 0].set_ylabel(who)
figure.colorbar(drawn, ax=axes, shrink=0.8, label="share of the pixel")
figure.savefig(folder / "jasper_ridge.png", dpi=100)
print(f"figure {folder / 'jasper_ridge.png'}")
