"""What the pictures of this folder share: colours, and axes without ornament.

The map is ``axes -> the same axes, tidied``. Nothing here knows what is drawn.

>>> from matplotlib.figure import Figure
>>> axes = tidy(Figure().add_subplot(), "A title")
>>> axes.get_title(loc="left"), axes.spines["top"].get_visible()
('A title', False)
"""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from polyfilter.plot import BLACK, BLUE, GREEN, GREY, ORANGE, PALE, RED, SKY

__all__ = ["BLACK", "BLUE", "GREEN", "GREY", "NETWORKS", "ORANGE", "PALE", "RED", "SKY"]
__all__ += ["WORDS", "absent", "footnote", "headline", "tidy"]

NETWORKS = {
    "vanilla": ORANGE,
    "gin": RED,
    "sogcn": BLUE,
    "order-3": SKY,
    "order-4": GREY,
    "analytic": GREEN,
}
"""A network has the same colour in all pictures."""
WORDS = {
    "vanilla": "vanilla GCN",
    "gin": "GIN",
    "sogcn": "SoGCN",
    "order-3": "third order",
    "order-4": "fourth order",
    "analytic": "48 numbers, computed",
}
"""What networks are called there."""


def tidy(axes: Axes, title: str = "") -> Axes:
    """Draw pale grid lines, no box, and the title at the left."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(True, color=PALE, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=9)
    axes.set_title(title, loc="left", fontsize=11)
    return axes


def headline(picture: Figure, text: str) -> None:
    """Write what the picture says above it."""
    picture.suptitle(text, fontsize=14, fontweight="bold", x=0.012, ha="left")


def footnote(picture: Figure, text: str) -> None:
    """Write what a mark means below the picture."""
    picture.supxlabel(text, fontsize=9, color=GREY, x=0.988, ha="right")


def absent(axes: Axes, words: str = "not run") -> None:
    """Say in an empty panel why it is empty."""
    axes.text(0.5, 0.5, words, transform=axes.transAxes, ha="center", color=GREY, fontsize=12)
