"""The page of a ledger: whole, safe and accessible; in a browser, it is test_page_browser.py's."""

import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest
from ledgers import sample_ledger

from polyfilter.page import page
from polyfilter.provenance import provenance


class Outline(HTMLParser):
    """The elements of a page, checked for balance as they come."""

    VOID = frozenset(["meta", "link", "br", "wbr", "input", "hr", "img"])

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"<{tag}> repeats an attribute"
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def text() -> str:
    return page(sample_ledger(agrees=False, failure=True))


@pytest.fixture(scope="module")
def outline(text: str) -> Outline:
    return Outline(text)


def test_the_page_is_well_formed(outline: Outline) -> None:
    ids = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in outline.elements:
        for name in ("aria-labelledby", "aria-describedby"):
            assert attributes.get(name) is None or attributes[name] in ids
        target = attributes.get("href") or ""
        assert not target.startswith("#") or target[1:] in ids


def test_the_page_asks_for_nothing(text: str, outline: Outline) -> None:
    assert "http:" not in text
    assert "https:" not in text
    assert "@import" not in text
    assert "url(" not in text
    for tag, attributes in outline.elements:
        assert "src" not in attributes
        assert tag != "link" or attributes["href"] == "data:,"
    (policy,) = (a["content"] for a in outline.all("meta") if "http-equiv" in a)
    assert policy is not None
    assert policy.startswith("default-src 'none'")


def test_what_claims_say_is_escaped(text: str) -> None:
    assert "<script>alert" not in text
    assert text.count("&lt;script&gt;alert(1)") == 3
    assert "KeyError: &lt;b&gt;" in text


def test_headings_are_in_order(outline: Outline) -> None:
    levels = [int(tag[1]) for tag, _ in outline.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_exhibit_is_there_and_has_words(outline: Outline) -> None:
    pictures = [a for a in outline.all("svg") if a.get("role") == "img"]
    assert sum(a["class"] == "chart" for a in pictures) == 2
    assert sum(a["class"] == "graph" for a in pictures) == 1
    assert all(a["aria-label"] for a in pictures)
    assert all(a.get("aria-hidden") == "true" for a in outline.all("svg") if a not in pictures)
    assert len(outline.all("table")) == 2
    assert len(outline.all("figure")) == len(outline.all("figcaption")) == 4


def test_every_claim_says_how_to_run_it_again(text: str) -> None:
    for k in range(1, 5):
        assert f"polyfilter verify --claim claim_{k} --seed 5 --full --data sgs<" in text


def test_verdicts_failures_and_disagreements_are_told(text: str) -> None:
    told = unescape(re.sub("<[^>]*>", "", text[text.index("<body>") :]))
    for words in (
        "Not as recorded",
        "not on record",
        "The check failed: KeyError: <b>",
        "measured",
    ):
        assert words in told
    assert "Every verdict is the one on record" in page(sample_ledger())


def test_the_page_tells_where_it_comes_from(text: str) -> None:
    for name, version in provenance().versions:
        assert f"{name} {version}" in text
    for fact in ("<dd>5</dd>", "<dd>full</dd>", "12.3 s", "real ones from sgs"):
        assert fact in text


def test_controls_are_hidden_without_a_script(outline: Outline) -> None:
    (controls,) = outline.all("nav")
    assert "hidden" in controls
    assert all("onclick" not in attributes for _, attributes in outline.elements)


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot((0.2126, 0.7152, 0.0722), linear))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def schemes(text: str) -> Iterator[dict[str, str]]:
    light, dark = text.split("@media (prefers-color-scheme: dark)", 1)
    for part in (light, dark):
        yield dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", part))


def test_contrast_is_aa_in_light_and_dark(text: str) -> None:
    for colours in schemes(text):
        for ground in ("paper", "card"):
            for ink in ("ink", "soft", "link", "false"):
                assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
            for k in range(8):
                assert contrast(colours[f"c{k}"], colours[ground]) >= 3, (k, ground)
        assert contrast(colours["soft"], colours["tint"]) >= 4.5
        for verdict in ("holds", "corrected", "false", "failed"):
            assert contrast(colours[verdict], colours[f"{verdict}-tint"]) >= 4.5, verdict
