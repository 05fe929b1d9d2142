r"""Denoise sensors along the roads of Minnesota.

A sensor at each of 2,642 crossings measures a temperature that varies slowly along the roads; the
field and its noise are made up here, the roads are real. A low-pass of degree 48 is 24 second-order
layers, each of two sparse products: no eigenvector is computed.

The smoothest vector of $A = D^{-1/2} W D^{-1/2}$ is $D^{1/2} \mathbf 1$ and not a constant.
Weighting by roots of degrees before and after, $D^{-1/2} h(A) D^{1/2} = h(D^{-1} W)$, makes a
filter that leaves a constant temperature alone.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

import polyfilter as pf

path = Path(__file__).parent / "data" / "minnesota.npz"
roads, places = pf.read_graph(path), np.load(path)["coords"]
east, north = ((places - places.min(0)) / np.ptp(places, axis=0)).T

truth = 12 - 14 * north + 4 * np.exp(-8 * ((east - 0.75) ** 2 + (north - 0.3) ** 2))
truth += 3 * np.sin(4 * east) * north
noisy = truth + np.random.default_rng(0).normal(0, 3, len(truth))

# keep what varies over tens of crossings: s = 1 - λ below 0.06
wanted = pf.responses.low_pass.with_(sharpness=80, cutoff=0.06)
stack = pf.factorize(pf.design.interpolate(wanted, 48))
root = np.sqrt(roads.degrees)
clean = stack.apply(roads, noisy * root) / root


def decibel(x: np.ndarray) -> float:
    """How far the signal is above the noise that is left."""
    return 10 * np.log10(truth.var() / np.mean((x - truth) ** 2))


print(stack)
print(f"measured: {decibel(noisy):.1f} dB, filtered: {decibel(clean):.1f} dB")

picture = Figure(figsize=(12, 4.1), dpi=110, layout="constrained")
titles = {
    f"Measured, {decibel(noisy):.1f} dB": noisy,
    f"Through {len(stack)} layers, {decibel(clean):.1f} dB": clean,
    "The truth": truth,
}
for axes, (title, values) in zip(picture.subplots(1, 3), titles.items(), strict=True):
    lines = places[roads.edges()[0]]
    axes.add_collection(LineCollection(lines, colors="#cccccc", linewidths=0.6, zorder=0))
    dots = axes.scatter(*places.T, c=values, s=7, cmap="RdYlBu_r", vmin=-5, vmax=17)
    axes.set_title(title, loc="left", fontsize=12)
    axes.set_aspect(1.4)  # a degree of longitude is shorter there
    axes.axis("off")
bar = picture.colorbar(dots, ax=picture.axes, shrink=0.75, pad=0.01)
bar.set_label("temperature, °C")
picture.savefig(sys.argv[1] if len(sys.argv) > 1 else "roads.png")
