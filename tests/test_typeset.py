"""Formulas as MathML and as text."""

import re
from xml.etree import ElementTree

import pytest

from polyfilter.docket import discover
from polyfilter.latex import TypesetError, parse
from polyfilter.typeset import html, mathml, plain


def shown(formula: str) -> str:
    """MathML of a formula, without its spaces and signs' attributes."""
    text = re.sub(r' (form|stretchy|lspace|rspace)="[^"]*"', "", html(f"${formula}$"))
    return text.replace("<math>", "").replace("</math>", "").replace("<wbr>", "")


@pytest.mark.parametrize(
    ("formula", "mathml"),
    [
        ("x^2", "<msup><mi>x</mi><mn>2</mn></msup>"),
        (
            "x_i^{n+1}",
            "<msubsup><mi>x</mi><mi>i</mi><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msubsup>",
        ),
        (r"\frac{a}{b}", "<mfrac><mi>a</mi><mi>b</mi></mfrac>"),
        (
            r"\binom{n}{k}",
            '<mrow><mo>(</mo><mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac>'
            "<mo>)</mo></mrow>",
        ),
        (
            r"\sum_{k=0}^K",
            "<munderover><mo>∑</mo><mrow><mi>k</mi><mo>=</mo><mn>0</mn></mrow><mi>K</mi>"
            "</munderover>",
        ),
        (r"\prod_l q_l", "<munder><mo>∏</mo><mi>l</mi></munder><msub><mi>q</mi><mi>l</mi></msub>"),
        (r"\int_0^1", "<msubsup><mo>∫</mo><mn>0</mn><mn>1</mn></msubsup>"),
        (
            r"\max_i a",
            '<munder><mo movablelimits="true">max</mo><mi>i</mi></munder>'
            '<mspace width="0.167em"></mspace><mi>a</mi>',
        ),
        (
            r"\bigl( x \bigr)",
            '<mo symmetric="true" minsize="1.2em" maxsize="1.2em">(</mo><mi>x</mi>'
            '<mo symmetric="true" minsize="1.2em" maxsize="1.2em">)</mo>',
        ),
        (
            r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
            "<mo>(</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr>"
            "<mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr></mtable><mo>)</mo>",
        ),
        (r"y \mathrel{+}= z", "<mi>y</mi><mo>+</mo><mo>=</mo><mi>z</mi>"),
        (r"\lceil x \rceil", "<mo>⌈</mo><mi>x</mi><mo>⌉</mo>"),
        (r"a \le b", "<mi>a</mi><mo>≤</mo><mi>b</mi>"),
        (r"\mathcal{F}_K", "<msub><mi>ℱ</mi><mi>K</mi></msub>"),
        (r"\mathcal{G}", "<mi>𝒢</mi>"),
        (r"\mathbb{R}[x]", "<mi>ℝ</mi><mo>[</mo><mi>x</mi><mo>]</mo>"),
        (r"\Gamma \lambda", '<mi mathvariant="normal">Γ</mi><mi>λ</mi>'),
        (r"f \circ g", "<mi>f</mi><mo>∘</mo><mi>g</mi>"),
        (r"A \subsetneq B", "<mi>A</mi><mo>⊊</mo><mi>B</mi>"),
        (r"A \simeq B", "<mi>A</mi><mo>≃</mo><mi>B</mi>"),
        (r"A \not\subseteq B", "<mi>A</mi><mo>⊈</mo><mi>B</mi>"),
        (r"\deg p", '<mi mathvariant="normal">deg</mi><mspace width="0.167em"></mspace><mi>p</mi>'),
        (r"\min\{a\}", '<mi mathvariant="normal">min</mi><mo>{</mo><mi>a</mi><mo>}</mo>'),
        (r"x \text{ if } y", "<mi>x</mi><mtext>&nbsp;if&nbsp;</mtext><mi>y</mi>"),
        (r"\sqrt[3]{x}", "<mroot><mi>x</mi><mrow><mn>3</mn></mrow></mroot>"),
        (r"\hat{h}", '<mover accent="true"><mi>h</mi><mo>^</mo></mover>'),
        (r"\boldsymbol{A}", '<mi class="bold">A</mi>'),
        (r"f''", '<msup><mi>f</mi><mi mathvariant="normal">′′</mi></msup>'),
        (r"\left( x \right)", "<mo>(</mo><mi>x</mi><mo>)</mo>"),
        ("a < b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
        (r"\operatorname{diag}", '<mi mathvariant="normal">diag</mi>'),
        ("λ ≤ 1", "<mi>λ</mi><mo>≤</mo><mn>1</mn>"),
    ],
)
def test_formulas_become_mathml(formula: str, mathml: str) -> None:
    assert shown(formula) == mathml
    ElementTree.fromstring(
        f"<p>{html(f'${formula}$')}</p>".replace("<wbr>", "").replace("&nbsp;", " ")
    )


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (r"\mathcal{F}_K \subseteq \mathbb{R}^n", "F_K ⊆ Rⁿ"),
        (r"\lceil (\Gamma - 1)/2 \rceil", "⌈(Γ - 1)/2⌉"),
        (r"\frac{a+b}{2}", "(a + b)/2"),
        (r"\prod_{l=1}^{L} q_l(x)", "∏ₗ₌₁ᴸ qₗ(x)"),
        (r"(-1)^k", "(-1)ᵏ"),
        (r"-x", "-x"),
        (r"\deg p < K", "deg p < K"),
        (r"x \in [-1, 1]", "x ∈ [-1, 1]"),
        (r"\sqrt{N}", "√N"),
        (r"2^{\Gamma}", "2^Γ"),
        (r"T_{ij}", "Tᵢⱼ"),
        (r"\Bigl| x \Bigr|", "|x|"),
        (r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", "(a b; c d)"),
    ],
)
def test_formulas_become_text(formula: str, text: str) -> None:
    assert plain(f"${formula}$") == text


@pytest.mark.parametrize(
    "formula",
    [
        r"\frobnicate",
        r"\frac12",
        "{x",
        "x}",
        r"\frac{1}",
        r"\left( x",
        r"x \right)",
        "x_1_2",
        "a & b",
        r"\begin{tabular} a \end{tabular}",
        r"\begin{matrix} a",
        r"\begin{matrix} a \end{cases}",
    ],
)
def test_what_we_cannot_typeset_is_refused_and_shown_as_it_is(formula: str) -> None:
    with pytest.raises(TypesetError, match="we can't typeset"):
        parse(formula)
    assert html(f"see ${formula}$") == html(f"see `{formula}`")
    assert plain(f"${formula}$") == formula


def test_a_formula_of_its_own_line_is_one_piece_and_must_be_understood() -> None:
    formula = r"f = f_2^{(L)} \circ \cdots \circ f_2^{(1)} \in \mathcal{A}"
    assert mathml(formula).count("<math") > 1
    assert mathml(formula, display=True).count('<math display="block">') == 1
    with pytest.raises(TypesetError):
        mathml(r"\frobnicate")


def test_signs_are_unary_where_nothing_stands_before_them() -> None:
    forms = re.findall('form="([a-z]+)">[−+]', html("$-a + b = -c (-d) - e$"))
    assert forms == ["prefix", "infix", "prefix", "prefix", "infix"]


def test_long_formulas_may_be_broken_and_short_ones_not() -> None:
    assert "<wbr>" not in html(r"$L \le K$")
    assert html(r"$f = f_2^{(L)} \circ \cdots \circ f_2^{(1)} \in \mathcal{A}$").count("<wbr>") >= 2
    assert '<span class="tied"><math><mi>x</mi></math>,</span> y' in html("$x$, y")


def test_prose_is_set_as_a_mathematician_would() -> None:
    assert html("K_3 & -1") == "K<sub>3</sub> &amp; −1"
    assert html("*the* 2e-15") == "<em>the</em> 2\u202f×\u202f10<sup>−15</sup>"
    assert html("an edge_list costs \\$5, a - b") == "an edge_list costs $5, a\u00a0−\u00a0b"
    assert html("A^1, 0.0e+00, 1e-6") == "A<sup>1</sup>, 0, 10<sup>−6</sup>"
    assert html("1-2, 0-based") == "1-2, 0-based"


def test_every_formula_of_the_claims_is_understood() -> None:
    for claim in discover():
        for text in (claim.where, claim.statement, claim.reading):
            for formula in re.findall(r"(?<!\\)\$((?:[^$\\]|\\.)+)\$", text):
                parse(formula)
            assert "$" not in plain(text), f"{claim.name} has a dollar that is not closed"
