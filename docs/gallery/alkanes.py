r"""The capacity of real graphs: all alkanes with up to twelve carbon atoms.

The spectrum capacity $\Gamma$ of a data set is the dimension of all filters on it, and Theorem 1
asks for $\lceil (\Gamma - 1)/2 \rceil$ layers. Here the data set is made of chemistry alone: the
carbon skeletons of alkanes are the trees whose nodes have at most four neighbours, so that all
isomers can be listed and no file is needed. With `POLYFILTER_DATA` set to a folder that has ZINC's
`zinc12k.npz`, 1,000 molecules are taken instead.

$\Gamma$ is counted exactly, as the degree of a product of polynomials. It grows with every isomer,
and the depth that a given response needs does not grow at all: a polynomial that is close on $[-1,
1]$ is close on every molecule.
"""

import os
import sys
from pathlib import Path

import networkx as nx
from matplotlib.figure import Figure

import polyfilter as pf

folder = os.environ.get("POLYFILTER_DATA")
found = sorted(Path(folder).rglob("zinc12k.npz")) if folder else []
if found:
    what, step = "molecules of ZINC", 100
    graphs = list(pf.read_graphs(found[0], split="val"))
    ends = range(step, len(graphs) + 1, step)
else:
    what, graphs, ends = "alkanes of up to 12 carbon atoms", [], []
    for carbons in range(2, 13):
        trees = nx.nonisomorphic_trees(carbons)
        graphs += [pf.Graph.from_networkx(t) for t in trees if max(dict(t.degree).values()) <= 4]
        ends.append(len(graphs))

rows = []
for end in ends:
    some = pf.GraphSet(graphs[:end])
    rows.append((end, some.num_nodes, pf.spectrum_capacity(some, progress=False).value))
gamma = rows[-1][2]
needed = pf.depth.needed_degree(pf.responses.low_pass, 0.01)
print(f"{len(graphs)} {what}: {rows[-1][1]:,} eigenvalues, {gamma:,} of them distinct")
print(f"layers asked for by Theorem 1: {-(-(gamma - 1) // 2):,}")
print(f"layers that the paper's low-pass needs to one percent, on any graphs: {needed.layers}")

count, eigenvalues, capacity = zip(*rows, strict=True)
picture = Figure(figsize=(8.8, 4.9), dpi=110, layout="constrained")
axes = picture.add_subplot()
lines = {
    "eigenvalues": (eigenvalues, "#555555"),
    "distinct, Γ": (capacity, "#0072B2"),
    "layers by Theorem 1": ([-(-(g - 1) // 2) for g in capacity], "#E69F00"),
    "layers for a low-pass": ([needed.layers] * len(rows), "#009E73"),
}
for name, (values, colour) in lines.items():
    axes.plot(count, values, color=colour, marker="o", markersize=4, linewidth=2)
    axes.annotate(
        f"{name}: {values[-1]:,}",
        (count[-1], values[-1]),
        (8, 0),
        textcoords="offset points",
        color=colour,
        va="center",
        fontsize=11,
    )
axes.set(xscale="log", yscale="log", xlabel=f"number of {what}")
axes.set_xlim(count[0] * 0.85, count[-1] * (4 if found else 16))
axes.set_title("What a data set can carry, and what a filter needs", loc="left", fontsize=13)
axes.spines[["top", "right"]].set_visible(False)
picture.savefig(sys.argv[1] if len(sys.argv) > 1 else "alkanes.png")
