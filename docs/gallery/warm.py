r"""Warm-start a network: training begins at the filter and not at noise.

A SoGCN of 16 layers and 16 channels has to become the paper's band-pass. Begun at random it spends
its epochs on finding what is known in closed form. `bridge.initialise` writes a polynomial of
degree 32 into the same network, with its residual connections and batch normalization: its first
output is the filter, and all other channels are free to learn what is left. Adam's first steps
shake it, and after ten epochs it is better than what it began as.
"""

import sys

import torch
from matplotlib.figure import Figure

import polyfilter as pf
from gcn import SoGCN, bridge
from gcn.data import sgs
from gcn.train import Settings, evaluate, fit

torch.set_num_threads(1)
graphs = sgs.splits("band-pass", sizes=(120, 60, 1))
settings = Settings(epochs=25, batch_size=20, lr=0.001, device="cpu")
stack = pf.factorize(pf.design.interpolate(pf.responses.band_pass, 32))

curves = {}
for name in ("begun at random", "begun as the filter"):
    torch.manual_seed(0)
    net = SoGCN(1, 16, 1, num_layers=16)
    if name == "begun as the filter":
        bridge.initialise(net, stack, graphs.train)
        floor = evaluate(net, graphs.valid, settings.loss).loss
    run = fit(net, graphs.train, graphs.valid, settings, progress=False)
    curves[name] = [epoch.valid_loss for epoch in run.history]
    print(f"{name}: {min(curves[name]):.4f} at its best")
print(f"the filter, without training: {floor:.4f}")

picture = Figure(figsize=(8.5, 4.6), dpi=110, layout="constrained")
axes = picture.add_subplot()
epochs = range(1, settings.epochs + 1)
beside = {"textcoords": "offset points", "va": "center"}
for (name, errors), colour in zip(curves.items(), ("#D55E00", "#0072B2"), strict=True):
    axes.plot(epochs, errors, color=colour, linewidth=2, marker="o", markersize=3.5)
    axes.annotate(name, (epochs[-1], errors[-1]), (8, 0), color=colour, fontsize=11, **beside)
axes.axhline(floor, color="#555555", linestyle="dotted")
axes.annotate("48 numbers, no training", (epochs[-1], floor), (8, 7), color="#555555", **beside)
axes.set_yscale("log")
axes.set_xlim(-0.5, settings.epochs * 1.33)
axes.set_xlabel("epochs")
axes.set_ylabel("mean absolute error, validation")
axes.set_title("The same network, trained alike, from two starts", loc="left", fontsize=13)
axes.spines[["top", "right"]].set_visible(False)
picture.savefig(sys.argv[1] if len(sys.argv) > 1 else "warm.png")
