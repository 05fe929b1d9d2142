"""The page of a ledger in a real browser: it works, on a phone and a wide screen, for everybody.

Selenium drives Debian's chromium by its chromedriver: real clicks and keys, the console's log, and
the widths and colour schemes of DevTools. axe-core, the usual accessibility checker, runs in the
page; what it can't see, text in pictures, is measured here.
"""

import json
import shutil
from collections.abc import Iterator
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from ledgers import sample_ledger

from polyfilter.ledger import verify
from polyfilter.page import page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="there is no chromium here"),
    pytest.mark.skipif(find_spec("selenium") is None, reason="there is no selenium here"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # selenium leaves its sockets to us
]
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars "
    "--disable-background-networking --disable-component-update --disable-sync"
)
PHONE, WIDE = 320, 1400
CLAIMS = ("lemma_1", "lemma_2", "width_buys_order")
"""Quick ones: one of each verdict, with figures, graphs and tables."""


def open_browser(profile: Path, javascript: bool = True) -> Any:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS.split(), f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    if not javascript:
        off = {"profile.managed_default_content_settings.javascript": 2}
        options.add_experimental_option("prefs", off)
    return webdriver.Chrome(options=options, service=Service(str(DRIVER)))


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Addresses: of claims that were run, and of a sample in which one has failed."""
    folder = tmp_path_factory.mktemp("pages")
    ledgers = {
        "real": verify(CLAIMS, jobs=1),
        "sample": sample_ledger(agrees=False, failure=True),
    }
    for name, ledger in ledgers.items():
        (folder / f"{name}.html").write_text(page(ledger), "utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in ledgers}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    driver = open_browser(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


def look(browser: Any, address: str, width: int = WIDE, scheme: str = "light") -> None:
    """Open a page at a width, in light or dark."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width == PHONE}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    browser.get(address)


def shown(browser: Any) -> list[str]:
    """The claims that can be seen, in their order."""
    articles = browser.find_elements("css selector", "article")
    return [article.get_attribute("id") for article in articles if article.is_displayed()]


def test_it_opens_and_every_exhibit_is_drawn(browser, pages):
    look(browser, pages["real"])
    assert browser.get_log("browser") == []
    assert "3 claims" in browser.title
    assert shown(browser) == list(CLAIMS)
    sizes = browser.execute_script(
        "return [...document.querySelectorAll('svg[role=img]')]"
        ".map((x) => [x.getAttribute('class'), x.getBoundingClientRect().width,"
        " x.getBoundingClientRect().height, x.querySelectorAll('path, use, circle, line').length])"
    )
    assert {kind for kind, *_ in sizes} == {"chart", "graph"}
    for kind, width, height, marks in sizes:
        assert width > 20
        assert height > (100 if kind == "chart" else 20)
        assert marks > 0
    assert browser.execute_script(
        "return [...document.querySelectorAll('math')]"
        ".every((x) => x.getBoundingClientRect().height > 5)"
    )
    broken = "return performance.getEntriesByType('resource').length"
    assert browser.execute_script(broken) == 0  # the page is all there is


def test_the_verdict_filter(browser, pages):
    look(browser, pages["sample"])
    expected = {
        "holds": ["claim_1"],
        "corrected": ["claim_2"],
        "false": ["claim_3"],
        "failed": ["claim_4"],
        "all": ["claim_1", "claim_2", "claim_3", "claim_4"],
    }
    for value, claims in expected.items():
        button = browser.find_element("css selector", f"button[value={value}]")
        button.click()
        assert shown(browser) == claims
        rows = browser.find_elements("css selector", ".glance tbody tr")
        assert sum(row.is_displayed() for row in rows) == len(claims)
        assert button.get_attribute("aria-pressed") == "true"
        pressed = browser.find_elements("css selector", "button[aria-pressed=true]")
        assert len(pressed) == 1
        said = browser.find_element("css selector", "[role=status]").get_attribute("textContent")
        assert said == f"{len(claims)} of 4 claims"


def test_filter_and_sort_by_the_keyboard_alone(browser, pages):
    from selenium.webdriver.common.keys import Keys

    look(browser, pages["sample"])
    for _ in range(20):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        if browser.switch_to.active_element.get_attribute("value") == "false":
            break
    browser.switch_to.active_element.send_keys(Keys.SPACE)
    assert shown(browser) == ["claim_3"]
    focus = "return getComputedStyle(document.activeElement).outlineStyle"
    assert browser.execute_script(focus) == "solid"


def test_sorting(browser, pages):
    from selenium.webdriver.support.select import Select

    look(browser, pages["sample"])
    order = Select(browser.find_element("css selector", ".controls select"))
    order.select_by_visible_text("time")
    assert shown(browser) == ["claim_3", "claim_2", "claim_1", "claim_4"]
    order.select_by_visible_text("verdict")
    assert shown(browser) == ["claim_3", "claim_2", "claim_1", "claim_4"]
    order.select_by_visible_text("the paper's order")
    assert shown(browser) == ["claim_1", "claim_2", "claim_3", "claim_4"]
    assert browser.get_log("browser") == []


def test_a_link_to_a_hidden_claim_shows_it(browser, pages):
    look(browser, pages["sample"])
    browser.find_element("css selector", "button[value=holds]").click()
    browser.execute_script("location.hash = 'claim_3'")
    browser.find_element("id", "claim_3").is_displayed()
    assert len(shown(browser)) == 4


OUTSIDE = """
const scrolled = (x) => x.closest('.scroll, .marks, .aside, .skip, .glance thead');
return [...document.querySelectorAll('body *')]
  .filter((x) => !scrolled(x) && x.getClientRects().length)
  .filter((x) => x.getBoundingClientRect().right > innerWidth + 1)
  .map((x) => x.outerHTML.slice(0, 80));
"""


@pytest.mark.parametrize("width", [PHONE, 768, WIDE])
def test_nothing_is_cut_off_or_scrolls_sideways(browser, pages, width):
    look(browser, pages["real"], width)
    assert browser.execute_script("return innerWidth") == width
    assert browser.execute_script("return document.documentElement.scrollWidth") == width
    assert browser.execute_script(OUTSIDE) == []


def test_controls_are_large_enough_for_a_finger(browser, pages):
    """24 pixels, as WCAG 2.2 asks for (2.5.8)."""
    look(browser, pages["real"], PHONE)
    for control in browser.find_elements("css selector", ".controls button, .controls select"):
        assert min(control.rect["width"], control.rect["height"]) >= 24


CONTRASTS = """
const parse = (text) => text.match(/[\\d.]+/g).map(Number);
const light = ([r, g, b]) => {
  const f = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b);
};
const ground = (x) => {
  for (; x; x = x.parentElement) {
    const colour = parse(getComputedStyle(x).backgroundColor);
    if (colour.length < 4 || colour[3] === 1) return colour;
  }
  return [255, 255, 255];
};
const found = [];
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
  const x = walk.currentNode.parentElement;
  if (!walk.currentNode.data.trim() || !x.getClientRects().length || x.closest('script, .aside'))
    continue;
  const style = getComputedStyle(x);
  const ink = parse(x instanceof SVGElement ? style.fill : style.color);
  const [low, high] = [light(ink), light(ground(x))].sort((a, b) => a - b);
  const size = parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  found.push([(high + 0.05) / (low + 0.05), large, walk.currentNode.data.trim().slice(0, 40)]);
}
return found;
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_the_contrast_of_aa(browser, pages, scheme):
    look(browser, pages["real"], scheme=scheme)
    found = browser.execute_script(CONTRASTS)
    assert len(found) > 200
    assert [text for ratio, large, text in found if ratio < (3 if large else 4.5)] == []


@pytest.mark.skipif(find_spec("axe_core_python") is None, reason="there is no axe-core here")
@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "light"), (WIDE, "light"), (WIDE, "dark")])
def test_axe_finds_nothing(browser, pages, width, scheme):
    """All rules of WCAG A and AA, and its best practices: headings in order, landmarks, names."""
    for address in pages.values():
        look(browser, address, width, scheme)
        browser.execute_script((files("axe_core_python") / "axe.min.js").read_text("utf-8"))
        found = browser.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "axe.run(document, {resultTypes: ['violations']}).then(done);"
        )
        told = [(v["id"], [n["html"][:90] for n in v["nodes"]][:3]) for v in found["violations"]]
        assert told == [], json.dumps(told, indent=1)
        assert len(found["passes"]) > 20


def test_without_javascript_all_is_there_but_the_controls(pages, tmp_path):
    driver = open_browser(tmp_path, javascript=False)
    try:
        look(driver, pages["real"])
        assert shown(driver) == list(CLAIMS)
        assert not driver.find_element("css selector", ".controls").is_displayed()
        for kind in ("svg.chart", "figure table", "math"):
            assert all(x.is_displayed() for x in driver.find_elements("css selector", kind))
        driver.find_element("css selector", ".glance a[href='#lemma_2']").click()
        assert driver.current_url.endswith("#lemma_2")
        assert driver.get_log("browser") == []
    finally:
        driver.quit()
