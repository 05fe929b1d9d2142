"""Superpixels as graphs: against scipy's centres of mass and trees, and the written formula."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from scipy.ndimage import center_of_mass, mean
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist

from gcn.data.regions import Regions, regions
from polyfilter.errors import GraphError

SIZE = 12


def numbered(raw: NDArray[Any]) -> tuple[NDArray[np.int64], int]:
    """Number superpixels from 0 without gaps, in a random order of their own."""
    values, labels = np.unique(raw, return_inverse=True)
    return labels.reshape(raw.shape), len(values)


@st.composite
def cut_images(draw: st.DrawFn) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """Draw images and superpixels, some of one pixel: many centres then are as far as others."""
    count, channels = draw(st.integers(1, 2)), draw(st.sampled_from([1, 3]))
    images = draw(hnp.arrays(np.uint8, (count, SIZE, SIZE, channels)))
    raw = draw(
        st.one_of(
            hnp.arrays(np.int64, (count, SIZE, SIZE), elements=st.integers(0, 40)),
            st.just(
                np.broadcast_to(np.arange(SIZE * SIZE).reshape(SIZE, SIZE), (count, SIZE, SIZE))
            ),
        )
    )
    raw = raw.copy()
    raw[:, 0, :10] = 1000 + np.arange(10)  # at least ten
    cut = [numbered(one) for one in raw]
    return images, np.stack([c[0] for c in cut]), np.array([c[1] for c in cut])


@settings(max_examples=30)
@given(cut_images())
def test_features_are_those_of_scipy(cut: tuple[Any, Any, Any]) -> None:
    images, segments, n = cut
    found = regions(*cut)
    for g, (first, last) in enumerate(zip(found.node_ptr(), found.node_ptr()[1:], strict=False)):
        index = np.arange(n[g])
        colours = [
            mean(channel / 255, segments[g], index) for channel in images[g].transpose(2, 0, 1)
        ]
        centres = np.array(center_of_mass(np.ones((SIZE, SIZE)), segments[g], index)) / SIZE
        wanted = np.column_stack([*colours, centres])
        half = np.finfo(np.float16).eps
        assert abs(found.x[first:last] - wanted).max() <= half


def centres_of(segments: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    """Return centres as the loader computes with them: rounded to single precision."""
    index = np.arange(n)
    exact = np.array(center_of_mass(np.ones(segments.shape), segments, index))
    return (exact.astype(np.float32) / np.float32(SIZE)).astype(np.float64)


@settings(max_examples=30)
@given(cut_images())
def test_neighbours_are_the_nearest_by_a_tree(cut: tuple[Any, Any, Any]) -> None:
    """Distances are compared and not names: of equals a tree takes any."""
    _, segments, n = cut
    found = regions(*cut)
    for g, first in enumerate(found.node_ptr()[:-1]):
        z = centres_of(segments[g], n[g])
        chosen = found.neighbours[first : first + n[g]].astype(int)
        far = np.linalg.norm(z[:, None] - z[chosen], axis=-1)
        # a distance of 0 to another node is possible: the tree may list that one before the node
        wanted = KDTree(z).query(z, k=9)[0][:, 1:]
        assert np.allclose(far, wanted, rtol=1e-12, atol=1e-12)
        assert (chosen != np.arange(n[g])[:, None]).all()
        assert all(len(set(row)) == 8 for row in chosen)


def test_of_equals_the_smaller_number_is_taken() -> None:
    """With a side of 8 all coordinates are exact, and so is the order of equals."""
    segments = np.arange(64).reshape(1, 8, 8)
    found = regions(np.zeros((1, 8, 8, 1), np.uint8), segments, np.array([64]))
    place = np.column_stack(np.divmod(np.arange(64), 8))
    squares = ((place[:, None] - place[None]) ** 2).sum(axis=-1)
    np.fill_diagonal(squares, 1000)
    assert np.array_equal(found.neighbours, np.argsort(squares, axis=1, kind="stable")[:, :8])


def similarity(z: NDArray[np.float64]) -> NDArray[np.float64]:
    d = cdist(z, z)
    sigma = np.sort(d, axis=1)[:, 1:9].mean(axis=1) + 1e-8
    one = np.exp(-((d / sigma[:, None]) ** 2))
    both = (one + one.T) / 2
    np.fill_diagonal(both, 0)
    return both


@settings(max_examples=30)
@given(cut_images())
def test_similarities_are_those_of_the_formula(cut: tuple[Any, Any, Any]) -> None:
    _, segments, n = cut
    found = regions(*cut)
    for g, first in enumerate(found.node_ptr()[:-1]):
        wanted = similarity(centres_of(segments[g], n[g]))
        chosen = found.neighbours[first : first + n[g]].astype(int)
        values = np.take_along_axis(wanted, chosen, 1)
        assert np.allclose(found.similarity[first : first + n[g]], values, rtol=1e-3, atol=1e-7)


@settings(max_examples=30)
@given(cut_images())
def test_edges_go_both_ways_or_one(cut: tuple[Any, Any, Any]) -> None:
    found = regions(*cut)
    ptr = found.node_ptr()
    total = int(ptr[-1])
    owner = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    W = np.zeros((total, total))
    target = ptr[owner][:, None] + found.neighbours
    W[np.arange(total)[:, None], target] = np.maximum(found.similarity, 1e-9)
    for directed, wanted in ((True, W), (False, np.maximum(W, W.T))):
        edges, features = found.edges(directed=directed)
        assert np.array_equal(edges, np.nonzero(wanted))
        assert np.allclose(features[:, 0], wanted[tuple(edges)], atol=1e-7)


def test_many_images_are_as_one_at_a_time() -> None:
    rng = np.random.default_rng(0)
    raw = rng.integers(0, 30, (450, SIZE, SIZE))
    raw[:, 0, :10] = 100 + np.arange(10)
    cut = [numbered(one) for one in raw]
    images = rng.integers(0, 256, (450, SIZE, SIZE, 3)).astype(np.uint8)
    segments, n = np.stack([c[0] for c in cut]), np.array([c[1] for c in cut])
    found = regions(images, segments, n)
    edges = found.edges()[0]
    for g in (0, 199, 200, 449):
        alone = regions(images[[g]], segments[[g]], n[[g]])
        part = found[g : g + 1]
        for name in ("num_nodes", "x", "neighbours", "similarity"):
            assert np.array_equal(getattr(alone, name), getattr(part, name))
        first, last = found.node_ptr()[g : g + 2]
        here = (edges[0] >= first) & (edges[0] < last)
        assert np.array_equal(edges[:, here] - first, alone.edges()[0])


IMAGE = np.zeros((1, 4, 4, 1), np.uint8)
PIXELS = np.arange(16).reshape(1, 4, 4)


@pytest.mark.parametrize(
    ("images", "segments", "n", "words"),
    [
        (IMAGE[0], PIXELS, [16], "fit together"),
        (IMAGE, PIXELS[:, :3], [16], "fit together"),
        (IMAGE, PIXELS, [16, 16], "fit together"),
        (IMAGE, PIXELS, [15], "does not have"),
        (IMAGE, PIXELS - 1, [16], "does not have"),
        (IMAGE, PIXELS, [17], "image 0 has no pixel"),
        (IMAGE, PIXELS // 2, [8], "8 superpixels; 10 to 255"),
    ],
)
def test_mistakes_are_told(images: Any, segments: Any, n: list[int], words: str) -> None:
    with pytest.raises(GraphError, match=words):
        regions(images, segments, np.array(n))


def test_neighbours_of_another_image_are_refused() -> None:
    good = regions(IMAGE, PIXELS, np.array([16]))
    bad = good.neighbours.copy()
    bad[3, 3] = 16
    with pytest.raises(GraphError, match="does not have"):
        Regions(good.num_nodes, good.x, bad, good.similarity)
