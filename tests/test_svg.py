"""Small plots: well-formed, inside their frame, and never a number that is none."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from polyfilter.svg import HEIGHT, WIDTH, line_plot

SVG = "{http://www.w3.org/2000/svg}"
x = np.linspace(-1, 1, 5)
any_float = st.floats() | st.sampled_from([0.0, -0.0, 5e-324, 1.7e308, -1.7e308])


def points(picture):
    lines = ET.fromstring(picture).iter(f"{SVG}polyline")
    return [[tuple(map(float, p.split(","))) for p in line.get("points").split()] for line in lines]


@given(
    st.dictionaries(st.text(max_size=6), st.lists(any_float, min_size=5, max_size=5), max_size=6),
    st.booleans(),
)
@example({"a": [0.0] * 5}, True)
@example({"a": [1.7e308, -1.7e308, 0.0, 1.0, 2.0]}, False)
@example({"a": [5e-324] * 5, "b": [0.0] * 5}, False)
@example({"a": [np.nan, np.inf, -np.inf, 1.0, 2.0]}, True)
@example({}, False)
def test_every_picture_is_well_formed_and_in_its_frame(values, log):
    names = {"".join(c for c in name if c.isprintable()): y for name, y in values.items()}
    picture = line_plot({name: (x, np.array(y)) for name, y in names.items()}, "a title", log=log)
    body = re.sub(r"<title>.*?</title>", "", picture, flags=re.DOTALL)
    assert re.search(r"nan|inf", body) is None
    if picture.startswith("<p>"):
        assert ET.fromstring(picture).text == "a title: nothing to draw"
        return
    for line in points(picture):
        for across, down in line:
            assert 0 <= across <= WIDTH
            assert 0 <= down <= HEIGHT


def test_points_are_where_the_numbers_are():
    picture = line_plot({"h": (x, np.array([0.0, 1.0, 2.0, 1.0, 0.0]))}, "a tent")
    ((first, second, third, fourth, last),) = points(picture)
    assert first[1] == last[1] > second[1] == fourth[1] > third[1]
    assert third[0] == pytest.approx((first[0] + last[0]) / 2, abs=0.1)
    assert second[1] == pytest.approx((first[1] + third[1]) / 2, abs=0.1)
    labels = [text.text for text in ET.fromstring(picture).iter(f"{SVG}text")]
    assert labels == ["a tent", "0", "2", "-1", "1"]


def test_on_a_logarithmic_axis_tenths_are_steps():
    picture = line_plot({"e": (x, np.array([1e-16, 1e-8, 1.0, 0.0, -1.0]))}, "error", log=True)
    ((first, second, third),) = points(picture)
    assert second[1] == pytest.approx((first[1] + third[1]) / 2, abs=0.1)
    assert ">1e-16<" in picture
    assert ">1e0<" in picture


def test_names_are_escaped_and_every_curve_is_drawn():
    curves = {f"<{k}> & \"'": (x, x * k) for k in range(7)}
    picture = line_plot(curves, 'a < b & "c"')
    titles = [title.text for title in ET.fromstring(picture).iter(f"{SVG}title")]
    assert titles == list(curves)
    assert ET.fromstring(picture).get("aria-label") == 'a < b & "c"'
