r"""What a trained GCN does to the spectrum: over-smoothing, measured.

Networks of 2 to 16 vanilla layers are trained to be a high-pass, and then asked what they do to
each frequency. Without residual connections, biases and normalization $L$ layers are $c\,(1 +
\lambda)^L$ whatever the weights are: training chooses one number. The deeper the network, the more
of the spectrum it erases, and first of all the high frequencies that were asked for. A network of
second-order layers, trained for as long on the same graphs, follows the target.
"""

import sys

import numpy as np
import torch
from matplotlib.figure import Figure

import polyfilter as pf
from gcn import SoGCN, VanillaGCN, probe
from gcn.data import sgs
from gcn.train import Settings, fit

torch.set_num_threads(1)
graphs = sgs.splits("high-pass", sizes=(80, 40, 1))
plain = {"bias": False, "batch_norm": False, "residual": False}
settings = Settings(epochs=30, batch_size=20, lr=0.01, device="cpu")
x = np.linspace(-1, 1, 401)


def trained(net: torch.nn.Module) -> np.ndarray:
    """Train, and return the response of the network's polynomial."""
    run = fit(net, graphs.train, graphs.valid, settings, progress=False)
    last = min(epoch.valid_loss for epoch in run.history)
    print(f"{type(net).__name__}, {net.num_layers} layers: validation error {last:.3f}")
    return np.asarray(probe.polynomial(net)(x)).reshape(-1)


torch.manual_seed(0)
vanilla = {L: trained(VanillaGCN(1, 16, 1, L, **plain)) for L in (2, 4, 8, 16)}
second = trained(SoGCN(1, 16, 1, 8))

picture = Figure(figsize=(11, 4.3), dpi=110, layout="constrained")
left, right = picture.subplots(1, 2)
wanted = pf.responses.high_pass(x)
shades = ("#F2C879", "#E69F00", "#D55E00", "#8C2D04")
for (L, h), shade in zip(vanilla.items(), shades, strict=True):
    left.plot(x, np.abs(h) / np.abs(h).max(), color=shade, linewidth=2, label=f"{L} layers")
left.set_title("Vanilla GCN, trained, scaled to 1: (1 + λ)ᴸ", loc="left", fontsize=12)
right.plot(x, second, color="#0072B2", linewidth=2, label="8 second-order layers, trained")
right.set_title("SoGCN, trained as long", loc="left", fontsize=12)
for axes in (left, right):
    axes.plot(x, wanted, color="black", linestyle="dotted", linewidth=1.6, label="wanted")
    axes.set_xlabel("← high frequencies      eigenvalue λ of A      low frequencies →")
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlim(-1, 1)
left.legend(frameon=False, loc="center left")
right.legend(frameon=False, loc="upper right")
right.set_ylim(-0.1, 1.35)
picture.savefig(sys.argv[1] if len(sys.argv) > 1 else "smoothing.png")
