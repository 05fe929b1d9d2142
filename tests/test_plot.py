"""Pictures of stacks: the curves are the mathematics, envelopes lie above, files are whole."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial import Polynomial

import polyfilter as pf
from polyfilter.braille import panel
from polyfilter.curves import NARROW, binned_maximum, curves, upper_envelope
from polyfilter.plot import check_format, figure, save_plot, terminal_plot

FORMATS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


def band_pass(degree: int, **options) -> pf.SoGCStack:
    return pf.factorize(pf.design.interpolate(pf.responses.band_pass, degree), **options)


def special_stacks() -> dict[str, pf.SoGCStack]:
    ring = pf.Graph.from_edges([(i, (i + 1) % 20) for i in range(20)])
    return {
        "zero": pf.factorize([0]),
        "constant": pf.factorize([2]),
        "first-order": pf.factorize([0, 1]),
        "exact": pf.factorize([-1, 0, 0, 0, 1]),
        "two layers": pf.factorize([0.5, 0.1, 0.0, 1.0]),
        "on a spectrum": band_pass(32, spectrum=ring),
        "single": band_pass(32, dtype="float32"),
        "tiny": pf.factorize([1e-200, 1e-201]),
        "one eigenvalue": pf.factorize([0.5, 1.0], [0.25]),
        "huge": pf.factorize([1e200, 1e201, 1e199, 1e200]),
    }


# ------------------------------------------------------------------------------------ curves


def test_curves_are_the_products_of_the_layers():
    stack = band_pass(20)
    drawn = curves(stack)
    assert list(drawn.partial) == [2, 5, 7, 10]
    for number, values in drawn.partial.items():
        product = Polynomial([1.0])
        for row in stack.theta[:number]:
            product *= Polynomial(row)
        assert np.allclose(values, np.abs(product(drawn.lam)), atol=1e-12)
    assert np.allclose(drawn.response, np.abs(stack.filter(drawn.lam)))
    assert drawn.lam[0] == -1
    assert drawn.lam[-1] == 1


def test_the_error_stays_below_what_is_proven():
    for stack in (band_pass(64), band_pass(64, dtype="float32")):
        error = curves(stack).error.max()
        bound = stack.certify().bound
        # the bound may be up to √2 above the maximum, and no further
        assert bound / 1.6 <= error <= bound * (1 + 1e-3)


def test_an_exact_stack_has_no_error():
    assert not curves(special_stacks()["exact"]).error.any()


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), roots=st.integers(1, 40))
def test_an_envelope_lies_above_its_curve(seed, roots):
    rng = np.random.default_rng(seed)
    x = np.sin(np.linspace(-np.pi / 2, np.pi / 2, 801))
    y = np.abs(np.prod(x[:, None] - rng.uniform(-1.2, 1.2, roots), axis=1))
    places, heights = upper_envelope(x, y)
    assert (np.diff(places) >= 0).all()
    assert places[[0, -1]].tolist() == [-1.0, 1.0]
    assert set(heights) <= set(y)
    drawn = np.exp(np.interp(x, places, np.log(np.maximum(heights, 1e-300))))
    assert (drawn >= y * (1 - 1e-9)).all()
    assert heights.max() == y.max()


def test_an_envelope_bridges_dips_and_keeps_slopes():
    x = np.linspace(-1, 1, 4001)
    slope = np.exp(-20 * (x + 1))
    places, heights = upper_envelope(x, slope)
    inside = places < 1 - NARROW
    assert np.allclose(heights[inside], np.exp(-20 * (places[inside] + 1)))
    _, heights = upper_envelope(x, np.abs(np.cos(60 * x)))
    assert heights.min() > 0.9
    wide = np.abs(x) + 1e-6  # one dip as wide as the picture is what there is to see
    assert upper_envelope(x, wide)[1].min() < 1e-5


def test_noise_is_drawn_by_its_largest_value_in_a_bin():
    rng = np.random.default_rng(0)
    x, y = np.linspace(-1, 1, 5000), rng.random(5000)
    places, heights = binned_maximum(x, y, bins=50)
    assert len(places) == 50
    assert heights.max() == y.max()
    assert heights.min() > 0.8


# ---------------------------------------------------------------------------------- terminal


def pixels(lines: list[str]) -> np.ndarray:
    """The dots of a panel, from its characters."""
    rows = [line[10:] for line in lines if line[9:10] in ("┤", "│")]
    width = max(map(len, rows))
    bits = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
    dots = np.zeros((4 * len(rows), 2 * width), dtype=bool)
    for r, row in enumerate(rows):
        for c, character in enumerate(row):
            code = 0 if character == " " else ord(character) - 0x2800
            for i in range(4):
                for j in range(2):
                    dots[4 * r + i, 2 * c + j] = bool(code & bits[i][j])
    return dots


def test_a_panel_has_a_dot_where_the_curve_is():
    x = np.linspace(-1, 1, 2001)
    dots = pixels(panel([(x, x**3)], "cube", width=71, height=9))
    assert dots.shape == (36, 122)
    assert dots.any(axis=0).all()
    for column in range(122):
        lam = 2 * column / 121 - 1
        row = (1 - lam**3) / 2 * 35
        found = np.flatnonzero(dots[:, column])
        assert found[0] - 1 <= row <= found[-1] + 1


def test_a_panel_loses_no_extremum():
    x = np.linspace(-1, 1, 20001)
    spike = np.where(np.abs(x - 0.30005) < 1e-4, 1.0, 0.0)
    dots = pixels(panel([(x, spike)], "spike", width=60, height=4))
    assert dots[0].sum() == 1
    assert dots.any(axis=1).all()


def test_a_logarithmic_panel_is_straight_for_an_exponential():
    x = np.linspace(-1, 1, 1001)
    lines = panel([(x, 10.0 ** (-5 * (x + 1)))], "decay", width=61, height=6, log=True)
    assert lines[1].startswith("   1e+00 ┤")
    assert lines[6].startswith("   1e-10 ┤")
    rows, columns = np.nonzero(pixels(lines))
    assert np.abs(rows - columns * 23 / 101).max() <= 1.5


def test_a_panel_of_nothing_says_so():
    x = np.array([-1.0, 1.0])
    for y in (np.zeros(2), np.full(2, np.nan), np.full(2, -1.0)):
        assert "nothing" in panel([(x, y)], "empty", log=True)[1]
    assert len(panel([(x, np.zeros(2))], "flat", height=3)) == 6


@pytest.mark.parametrize("name", special_stacks())
def test_a_terminal_plot_fits_its_width(name):
    for width in (40, 80):
        lines = terminal_plot(special_stacks()[name], width).split("\n")
        assert max(map(len, lines)) <= max(width, 68)  # no title is longer than that
        assert all("nan" not in line for line in lines)
        assert lines[0] == "Response |h|"


# ----------------------------------------------------------------------------------- figures


@pytest.mark.parametrize("ending", FORMATS)
def test_files_are_what_their_ending_says(tmp_path, ending):
    path = tmp_path / f"h{ending}"
    save_plot(band_pass(16), path)
    assert path.read_bytes().startswith(FORMATS[ending])
    assert [item.name for item in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("name", special_stacks())
def test_every_stack_can_be_drawn(name):
    stack = special_stacks()[name]
    figure(stack, certificate=stack.certify()).draw_without_rendering()


def test_a_figure_tells_what_it_shows():
    stack = band_pass(64)
    certificate = stack.certify()
    response, partial, error = figure(stack, "a title", certificate).axes
    assert [axes.get_yscale() for axes in (response, partial, error)] == ["linear", "log", "log"]
    assert [text.get_text() for text in partial.get_legend().get_texts()] == ["8", "16", "24", "32"]
    assert error.get_xlabel().startswith("eigenvalue λ")
    words = {text.get_text() for text in error.texts}
    assert f"proven bound {certificate.bound:.2g}" in words
    for axes in (response, partial, error):
        assert axes.get_title(loc="left")
        assert axes.get_xlim() == (-1, 1)
    # colours that are told apart without red or green, and by lightness
    assert len({line.get_color() for line in partial.lines}) == 4
    low, high = error.get_ylim()
    assert low < error.lines[0].get_ydata().max() <= certificate.bound < high


def test_drawing_leaves_no_state_behind():
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    figure(band_pass(8))
    assert dict(mpl.rcParams) == before
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or pyplot.get_fignums() == []


def test_a_stack_for_a_spectrum_is_drawn_on_it():
    """Between the eigenvalues a filter may be anything, and a picture should not show only that."""
    ring = pf.Graph.from_edges([(i, (i + 1) % 7) for i in range(7)])
    lam = np.sort(np.cos(2 * np.pi * np.arange(4) / 7))
    h = Polynomial.fromroots(lam[:3]) * 1e4 + 1  # large off the spectrum
    stack = pf.factorize(h.convert(), ring)
    drawn = curves(stack)
    assert drawn.sparse
    assert np.allclose(drawn.lam, lam)
    picture = figure(stack)
    assert picture.axes[0].get_ylim()[1] == pytest.approx(1.08 * np.abs(h(lam)).max(), rel=1e-6)
    assert picture.get_suptitle().endswith("on 4 eigenvalues")
    assert "upper envelope" not in terminal_plot(stack)
    many = pf.factorize([0.5, 0.1, 1.0], np.linspace(-0.9, 0.9, 500))
    assert not curves(many).sparse
    assert figure(many).axes[1].lines[0].get_xdata()[[0, -1]].tolist() == [-0.9, 0.9]


def test_other_endings_are_refused_before_drawing(tmp_path):
    for name in ("h.jpg", "h", "h.png.txt"):
        with pytest.raises(pf.PolyfilterError, match=r"\.png \.svg \.pdf"):
            save_plot(band_pass(8), tmp_path / name)
    assert check_format("H.SVG") == ".svg"
    assert list(tmp_path.iterdir()) == []


def test_a_plot_that_fails_leaves_nothing(tmp_path, monkeypatch):
    from matplotlib.figure import Figure

    def broken(self, stream, **_):
        stream.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Figure, "savefig", broken)
    with pytest.raises(pf.PolyfilterError, match="No space left"):
        save_plot(band_pass(8), tmp_path / "h.png")
    assert list(tmp_path.iterdir()) == []
