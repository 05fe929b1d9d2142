r"""From an image that is cut into superpixels to a graph of them.

The map is ``(image, superpixel of each pixel) -> (x, neighbours)``. A superpixel is a node, with
the mean colour of its pixels and their centre of mass as features,

.. math:: x_i = (\bar{c}_i, \; z_i), \qquad z_i = (\text{row}_i, \text{column}_i) / \text{size},

an edge goes from each node to 8 others, and the feature of an edge tells how near they are:

.. math:: a_{ij} = \tfrac12 \big( e^{-(d_{ij} / \sigma_i)^2} + e^{-(d_{ij} / \sigma_j)^2} \big),
          \qquad d_{ij} = \lVert z_i - z_j \rVert,

with :math:`\sigma_i` the mean distance to the 8 nearest. The 8 are those with the smallest
:math:`d_{ij}`, never i itself; of two that are as near, the one with the smaller number.

The published graphs of MNIST and CIFAR10 are told to be these, and are not quite. Their code takes
the nine largest :math:`a_{ij}`, to drop the node itself from them; but the node is not among them,
and what is dropped is the last of nine that numpy's ``argpartition`` leaves in no order. With numpy
1.19.5 and 400 images of MNIST, nodes in random order as there, it is the most similar one for 24%
of nodes, the second for 20%, and so on to the ninth for 1%; 87% of neighbours are among the 8
nearest. (Newer numpy with AVX2 drops the most similar one for 99%.) So these graphs can't be made
again without the order of their nodes; :mod:`gcn.data.superpixels` downloads them.

Assumptions: superpixels are numbered from 0 without gaps, and an image has at least 10. Features
are rounded to half precision, as the published ones are.

>>> image = np.arange(16, dtype=np.uint8).reshape(1, 4, 4, 1)
>>> pixels = regions(image, np.arange(16).reshape(1, 4, 4), np.array([16]))
>>> pixels
Regions(1 image, 16 superpixels)
>>> np.sort(pixels.neighbours[5])               # the 8 pixels around it
array([ 0,  1,  2,  4,  6,  8,  9, 10], dtype=uint8)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyfilter.errors import GraphError
from polyfilter.graph import count

__all__ = ["NEIGHBOURS", "Cut", "Regions", "regions"]

Floats: TypeAlias = NDArray[np.float64]

NEIGHBOURS = 8
IMAGES_AT_ONCE = 200
ENTRIES_AT_ONCE = 1 << 20
"""Of distance matrices. Both are what a processor's cache bears."""


class Cut(NamedTuple):
    """Images that are cut into superpixels.

    Attributes
    ----------
    images
        Of shape (G, size, size, channels), uint8.
    segments
        The superpixel of each pixel, of shape (G, size, size).
    num_segments
        How many superpixels each image has, of shape (G,).
    labels
        Classes of the images, of shape (G,).

    Examples
    --------
    >>> image = np.arange(16, dtype=np.uint8).reshape(1, 4, 4, 1)
    >>> cut = Cut(image, np.arange(16).reshape(1, 4, 4), np.array([16]), labels=np.array([7]))
    >>> regions(*cut[:3])
    Regions(1 image, 16 superpixels)
    """

    images: NDArray[np.uint8]
    segments: NDArray[Any]
    num_segments: NDArray[Any]
    labels: NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class Regions:
    """The superpixels of some images, those of image 0 first.

    Attributes
    ----------
    num_nodes
        Superpixels of each image, of shape (G,).
    x
        Colours in [0, 1] and centres in units of the image's side: (N, channels + 2), float16.
    neighbours
        Of each superpixel, by their numbers in the same image: (N, 8), uint8, nearest first.
    similarity
        The features a of the edges to them: (N, 8), float16.
    """

    num_nodes: NDArray[np.uint8]
    x: NDArray[np.float16]
    neighbours: NDArray[np.uint8]
    similarity: NDArray[np.float16]

    def __post_init__(self) -> None:
        nodes = int(self.num_nodes.sum(dtype=np.int64))
        for name, kind, shape in (
            ("num_nodes", np.uint8, (len(self.num_nodes),)),
            ("x", np.float16, (nodes, *self.x.shape[1:2])),
            ("neighbours", np.uint8, (nodes, NEIGHBOURS)),
            ("similarity", np.float16, (nodes, NEIGHBOURS)),
        ):
            array = getattr(self, name)
            if array.dtype != kind or array.shape != shape:
                raise GraphError(
                    f"{name} has to be {np.dtype(kind)} of shape {shape}, not {array.dtype} of "
                    f"shape {array.shape}"
                )
        if not len(self.num_nodes) or self.num_nodes.min() <= NEIGHBOURS:
            raise GraphError(f"an image needs more than {NEIGHBOURS} superpixels")
        if (self.neighbours >= np.repeat(self.num_nodes, self.num_nodes)[:, None]).any():
            raise GraphError("a superpixel has a neighbour that its image does not have")

    def __getitem__(self, images: slice) -> Regions:
        """Return the superpixels of a range of images."""
        ptr = self.node_ptr()
        first, last, _ = images.indices(len(self.num_nodes))
        nodes = slice(ptr[first], ptr[last])
        return Regions(
            self.num_nodes[first:last],
            self.x[nodes],
            self.neighbours[nodes],
            self.similarity[nodes],
        )

    def node_ptr(self) -> NDArray[np.int64]:
        """Return where the superpixels of each image begin, and where the last end: (G + 1,)."""
        return np.append(0, np.cumsum(self.num_nodes, dtype=np.int64))

    def edges(self, *, directed: bool = False) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return edges of shape (2, E) and their features (E, 1), sorted by source and target.

        Parameters
        ----------
        directed
            Only edges from each node to its neighbours; otherwise both directions of each.

        Examples
        --------
        >>> image = np.arange(16, dtype=np.uint8).reshape(1, 4, 4, 1)
        >>> pixels = regions(image, np.arange(16).reshape(1, 4, 4), np.array([16]))
        >>> pixels.edges(directed=True)[0].shape, pixels.edges()[0].shape
        ((2, 128), (2, 152))
        """
        ptr = self.node_ptr()
        # halves that are not negative are ordered as their bits are, and bits are quicker
        bits = np.maximum(self.similarity, np.finfo(np.float16).smallest_subnormal).view(np.uint16)
        edges, features = [], []
        for first in range(0, len(self.num_nodes), IMAGES_AT_ONCE):
            n = self.num_nodes[first : first + IMAGES_AT_ONCE].astype(np.int64)
            start = ptr[first : first + len(n)]
            nodes = slice(start[0], start[-1] + n[-1])
            wide = int(n.max())
            image = np.repeat(np.arange(len(n)), n)
            row = np.arange(nodes.start, nodes.stop) - start[image] + image * wide
            dense = np.zeros((len(n) * wide, wide), dtype=np.uint16)
            dense[row[:, None], self.neighbours[nodes]] = bits[nodes]
            if not directed:
                square = dense.reshape(-1, wide, wide)
                dense = np.maximum(square, square.transpose(0, 2, 1))
            place = np.flatnonzero(dense.ravel() != 0)
            features.append(dense.ravel()[place].view(np.float16).astype(np.float32))
            # tables of the rows of `dense`: which node each is, and where its image begins
            node = (start[:, None] + np.arange(wide)).ravel()
            origin = np.repeat(start, wide) - np.arange(0, dense.size, wide)
            row = place // wide
            edges.append(np.stack([node[row], place + origin[row]]))
        return np.concatenate(edges, axis=1), np.concatenate(features)[:, None]

    def __repr__(self) -> str:
        sizes = f"{count(len(self.num_nodes), 'image')}, {count(len(self.x), 'superpixel')}"
        return f"Regions({sizes})"


def regions(
    images: NDArray[np.uint8],
    segments: NDArray[Any],
    num_segments: NDArray[Any],
) -> Regions:
    """Return the superpixels of images, with their neighbours.

    Parameters
    ----------
    images
        Of shape (G, size, size, channels), whole numbers from 0 to 255.
    segments
        The superpixel of each pixel, of shape (G, size, size).
    num_segments
        How many superpixels each image has, of shape (G,).

    Raises
    ------
    GraphError
        If shapes don't fit, or superpixels are not numbered 0, 1, ..., or are fewer than 10.

    Examples
    --------
    >>> regions(np.zeros((1, 2, 2, 3), np.uint8), np.zeros((1, 2, 2), int), np.array([1]))
    Traceback (most recent call last):
    ...
    polyfilter.errors.GraphError: image 0 has 1 superpixels; 10 to 255 make a graph
    """
    if images.ndim != 4 or segments.shape != images.shape[:3] or len(num_segments) != len(images):
        raise GraphError(
            f"images of shape {images.shape}, segments of shape {segments.shape} and "
            f"{len(num_segments)} numbers of segments don't fit together"
        )
    n = num_segments.astype(np.int64)
    if (wrong := (n < NEIGHBOURS + 2) | (n > np.iinfo(np.uint8).max)).any():
        k = int(np.argmax(wrong))
        raise GraphError(f"image {k} has {n[k]} superpixels; {NEIGHBOURS + 2} to 255 make a graph")
    x = np.empty((n.sum(), images.shape[3] + 2), dtype=np.float32)
    ptr = np.append(0, np.cumsum(n))
    for first in range(0, len(n), IMAGES_AT_ONCE):
        some = slice(first, first + IMAGES_AT_ONCE)
        x[ptr[first] : ptr[first + len(n[some])]] = _features(images[some], segments[some], n[some])
    centres = x[:, -2:].astype(np.float64)
    neighbours = np.empty((len(x), NEIGHBOURS), dtype=np.uint8)
    similarity = np.empty((len(x), NEIGHBOURS), dtype=np.float16)
    for nodes in _alike(n, ptr):
        neighbours[nodes], similarity[nodes] = _neighbours(centres[nodes])
    return Regions(n.astype(np.uint8), x.astype(np.float16), neighbours, similarity)


def _features(
    images: NDArray[np.uint8], segments: NDArray[Any], n: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return mean colours and centres of mass, in single precision."""
    size = images.shape[1:3]
    if segments.min(initial=0) < 0 or (segments.max(axis=(1, 2)) >= n).any():
        raise GraphError("a pixel is in a superpixel that its image does not have")
    start = np.cumsum(n) - n
    label = (segments + start[:, None, None]).ravel()
    area = np.bincount(label, minlength=n.sum())
    if not area.all():
        k = int(np.searchsorted(start, np.argmin(area), side="right")) - 1
        raise GraphError(f"a superpixel of image {k} has no pixel")
    rows, columns = (np.broadcast_to(place, segments.shape).ravel() for place in np.indices(size))
    colours = images.reshape(-1, images.shape[3]).T
    sums = [np.bincount(label, weights=values) for values in (*colours, rows, columns)]
    means = np.stack(sums, axis=1) / area[:, None]
    scale = np.array([255] * images.shape[3] + list(size), dtype=np.float32)
    return means.astype(np.float32) / scale


def _alike(n: NDArray[np.int64], ptr: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield the nodes of images with equally many, (images, nodes), some images at a time."""
    for size in np.unique(n):
        alike = np.flatnonzero(n == size)
        for some in np.array_split(alike, -(-len(alike) * size * size // ENTRIES_AT_ONCE)):
            yield ptr[some, None] + np.arange(size)


def _neighbours(z: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Return neighbours and similarities from centres of shape (images, nodes, 2)."""
    across, down = (z[:, :, None, k] - z[:, None, :, k] for k in (1, 0))
    d = np.sqrt(across * across + down * down)
    itself = np.arange(z.shape[1])
    nearest = np.partition(d, NEIGHBOURS, axis=-1)[..., : NEIGHBOURS + 1]  # the node, too, with 0
    sigma = nearest.sum(axis=-1, keepdims=True) / NEIGHBOURS + 1e-8
    a = np.exp(-((d / sigma) ** 2))
    a = (a + a.transpose(0, 2, 1)) / 2
    d[:, itself, itself] = np.inf
    chosen = []
    for _ in range(NEIGHBOURS):
        least = d.argmin(axis=-1)[..., None]  # the first of equals
        np.put_along_axis(d, least, np.inf, axis=-1)
        chosen.append(least)
    index = np.concatenate(chosen, axis=-1)
    return index, np.take_along_axis(a, index, axis=-1)
