r"""A band-pass on an image: a zone plate shows which frequencies are left.

The pixels of an image are a graph, each joined to its four neighbours, and a wave $\cos(k_1 i + k_2
j)$ has, away from the border, the eigenvalue $\lambda = (\cos k_1 + \cos k_2)/2$. In a zone plate
the frequency grows from the middle outwards, so that a filter of the graph makes its own response
visible: a band-pass for $0.2 < \lambda < 0.5$ leaves one ring. The ring is no circle, because a
graph of squares measures frequencies its own way.
"""

import sys

import numpy as np
from matplotlib.figure import Figure

import polyfilter as pf

N = 192
pixel = np.arange(N * N).reshape(N, N)
right = np.stack([pixel[:, :-1], pixel[:, 1:]], axis=-1).reshape(-1, 2)
down = np.stack([pixel[:-1], pixel[1:]], axis=-1).reshape(-1, 2)
image = pf.Graph.from_edges(np.concatenate([right, down]), name="image")

i, j = np.meshgrid(*[np.arange(N) - (N - 1) / 2] * 2, indexing="ij")
plate = np.cos(np.pi / N * (i**2 + j**2))  # the frequency is 2 pi i / N: pi at the border

wanted = pf.responses.band_pass.with_(sharpness=40, lower=0.5, upper=0.8)
stack = pf.factorize(pf.design.interpolate(wanted, 64))
ring = stack.apply(image, plate.ravel()).reshape(N, N)
print(stack)
print("proven distance from its polynomial:", f"{stack.certify().bound:.0e}")

picture = Figure(figsize=(12, 4.4), dpi=110, layout="constrained")
left, middle, last = picture.subplots(1, 3, width_ratios=(1, 1, 1))
for axes, values, title in ((left, plate, "A zone plate"), (middle, ring, "After the band-pass")):
    axes.imshow(values, cmap="gray", vmin=-1, vmax=1)
    axes.set_title(title, loc="left", fontsize=12)
    axes.axis("off")
k1, k2 = (2 * np.pi * np.abs(v) / N for v in (i, j))
lam = (np.cos(k1) + np.cos(k2)) / 2
middle.contour(lam, levels=[0.2, 0.5], colors="#E69F00", linewidths=1, linestyles="dashed")

x = np.linspace(-1, 1, 1001)
last.fill_between(x, stack.response(x), color="#0072B2", alpha=0.15, linewidth=0)
last.plot(x, stack.response(x), color="#0072B2", linewidth=2)
for edge in (0.2, 0.5):
    last.axvline(edge, color="#E69F00", linestyle="dashed", linewidth=1)
last.set_title(f"Its response: {len(stack)} layers", loc="left", fontsize=12)
last.set_xlabel("eigenvalue λ of the normalized adjacency")
last.spines[["top", "right"]].set_visible(False)
last.set_xlim(-1, 1)
last.set_box_aspect(1)
picture.savefig(sys.argv[1] if len(sys.argv) > 1 else "rings.png")
