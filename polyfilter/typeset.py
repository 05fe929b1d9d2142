r"""Inline LaTeX as mathematics that needs no network, no script and no font of its own.

The maps are ``text with $...$ -> HTML`` (:func:`html`, the formulas in MathML, which every browser
draws by itself) and ``text with $...$ -> text`` (:func:`plain`, the formulas in Unicode, for a
terminal or the label of an axis). Outside of formulas, text between backquotes is code and between
asterisks is stressed; ``K_3``, ``x^2``, ``2e-15`` and ``-1`` are set as a mathematician would.

A long formula becomes several MathML elements, cut behind its outermost relations where TeX would
break the line too, so that a narrow screen can wrap it.

Assumptions: a dollar that is meant as one is written ``\$``. A formula that
:func:`polyfilter.latex.parse` refuses is shown as its source: a page is not lost to a typo.

>>> plain(r"$\mathcal{F}_K \simeq \mathbb{R}^{\min\{K + 1, \Gamma\}}$")
'F_K ≃ R^(min{K + 1, Γ})'
>>> html("$x^2$ or `x**2`")
'<math><msup><mi>x</mi><mn>2</mn></msup></math> or <code>x**2</code>'
"""

import re
from collections.abc import Iterator
from html import escape

from polyfilter import symbols
from polyfilter.latex import EMPTY, Node, TypesetError, parse

__all__ = ["html", "mathml", "plain"]

PIECE = re.compile(r"(?<!\\)\$(?P<formula>(?:[^$\\]|\\.)+)\$|`(?P<code>[^`]+)`", re.DOTALL)
BREAKABLE = 12
"""A formula of no more characters stays in one piece; a line of more may end at any sign."""
TRAILING = re.compile(r"[^\s$`<]{1,3}(?=[\s$`]|$)")
"""What must not be separated from the formula before it: a comma, a full stop, a bracket."""
PROSE = (
    (re.compile(r"(?<![\w*])\*(\w[^*]*)\*(?![\w*])"), r"<em>\1</em>"),
    (re.compile(r"\b([A-Za-z])_(\d+|[A-Za-z])\b"), r"\1<sub>\2</sub>"),
    (re.compile(r"(?<=[A-Za-z0-9)])\^(-?\d+|[A-Za-z])\b"), r"<sup>\1</sup>"),
    (re.compile(r"\b0(?:\.0+)?e[-+]?0+\b"), "0"),
    (re.compile(r"(?<![\d.])1e-0*(\d+)\b"), "10<sup>−\\1</sup>"),
    (re.compile(r"\b(\d+(?:\.\d+)?)e-0*(\d+)\b"), "\\1\u202f×\u202f10<sup>−\\2</sup>"),
    (re.compile(r"\b(\d+(?:\.\d+)?)e\+?0*(\d+)\b"), "\\1\u202f×\u202f10<sup>\\2</sup>"),
    (re.compile(r"(?<![\w.)\]/-])-(?=\d)"), "−"),
    (re.compile(r"(?<=[\w)|]) - (?=[\w(|])"), "\u00a0−\u00a0"),
)
"""What plain text means: stress, an index, a power, zero, powers of ten, minus signs."""
CAPITAL_GREEK = frozenset("ΓΔΘΛΞΠΣΥΦΨΩ")
LEAVES = ("letter", "script", "blackboard", "bold", "number", "accent", "word")
BUILT = ("scripts", "fraction", "binomial", "root", "row", "matrix")
OPERANDS = (*LEAVES, *BUILT, "text", "close", "fence", "stretchy")
"""What a sign can stand behind and be binary."""
LIMITS = ("lim", "max", "min", "sup", "inf")
"""Functions that have their index below them where there is room."""


def html(text: str) -> str:
    r"""Return text with formulas and code as HTML.

    Examples
    --------
    >>> html(r"a < b and $\Gamma \le 3$")
    'a &lt; b and <math><mi mathvariant="normal">Γ</mi><mo form="infix">≤</mo><mn>3</mn></math>'
    """
    parts, end = [], 0
    for match in PIECE.finditer(text):
        parts.append(_prose(text[end : match.start()]))
        end = match.end()
        shown = _html_piece(match)
        if tail := TRAILING.match(text, end):
            end = tail.end()
            cut = shown.rfind("<wbr>") + len("<wbr>") if "<wbr>" in shown else 0
            last = f"{shown[cut:]}{escape(tail[0])}"
            shown = f'{shown[:cut]}<span class="tied">{last}</span>'
        parts.append(shown)
    return "".join(parts) + _prose(text[end:])


def mathml(formula: str, display: bool = False) -> str:
    r"""Return one formula as MathML: within a line, in pieces, or on a line of its own.

    What :func:`polyfilter.latex.parse` refuses raises its error: for pages that have an author.

    Examples
    --------
    >>> mathml(r"\frac{1}{2}")
    '<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>'
    >>> mathml(r"x", display=True)
    '<math display="block"><mi>x</mi></math>'
    """
    nodes = parse(formula).parts
    if display:
        return f'<math display="block">{_row(nodes)}</math>'
    return "<wbr>".join(f"<math>{_row(line)}</math>" for line in _lines(nodes))


def plain(text: str) -> str:
    r"""Return text with formulas in Unicode.

    Examples
    --------
    >>> plain(r"depth $\lceil (\Gamma - 1)/2 \rceil$, $\binom{n}{k}$, $\sum_{i=0}^{n} \lambda_i^2$")
    'depth ⌈(Γ - 1)/2⌉, binom(n, k), ∑ᵢ₌₀ⁿ λᵢ²'
    """
    parts, end = [], 0
    for match in PIECE.finditer(text):
        parts.append(_unstressed(text[end : match.start()]))
        end = match.end()
        parts.append(match["code"] or _plain_formula(match["formula"]))
    return "".join(parts) + _unstressed(text[end:])


def _prose(text: str) -> str:
    shown = escape(_dollars(text), quote=False)
    for pattern, replacement in PROSE:
        shown = pattern.sub(replacement, shown)
    return shown


def _unstressed(text: str) -> str:
    return PROSE[0][0].sub(r"\1", _dollars(text))


def _dollars(text: str) -> str:
    return text.replace("\\$", "$")


# ----------------------------------------------------------------------------------------- MathML


def _html_piece(match: re.Match[str]) -> str:
    if match["code"]:
        return f"<code>{escape(match['code'])}</code>"
    try:
        return mathml(match["formula"])
    except TypesetError:
        return f"<code>{escape(match['formula'])}</code>"


def _lines(nodes: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    """Cut behind the outermost relations, and behind commas and signs once a line is long."""
    depth, start = 0, 0
    short = len(_plain_row(nodes)) <= BREAKABLE
    for i, node in enumerate(() if short else nodes[:-1]):
        depth += {"open": 1, "close": -1}.get(node.kind, 0)
        if depth or i == start:
            continue
        sign = node.kind == "binary" and nodes[i - 1].kind in OPERANDS
        comma = node.kind == "punctuation" and node.text in ",;"
        long = len(_plain_row(nodes[start : i + 1])) > BREAKABLE
        if node.kind == "relation" or (long and (sign or comma)):
            yield nodes[start : i + 1]
            start = i + 1
    yield nodes[start:]


def _row(nodes: tuple[Node, ...]) -> str:
    parts = []
    for i, node in enumerate(nodes):
        parts.append(_mathml(node, nodes[i - 1].kind if i else ""))
        if _is_applied(node, *nodes[i + 1 : i + 2]):
            parts.append(_space("0.167"))
    return "".join(parts)


def _is_applied(node: Node, after: Node = EMPTY) -> bool:
    """Whether a function is written before its argument with no bracket: deg p."""
    base = node.parts[0] if node.kind == "scripts" else node
    follows = after != EMPTY and after.kind in (*LEAVES, *BUILT, "function")
    return base.kind == "function" and follows


def _mathml(node: Node, before: str = "") -> str:
    text = escape(node.text)
    match node.kind:
        case "letter":
            upright = node.text in CAPITAL_GREEK or not node.text.isalpha()
            return f'<mi mathvariant="normal">{text}</mi>' if upright else f"<mi>{text}</mi>"
        case "script":
            return f"<mi>{symbols.SCRIPT.get(node.text, text)}</mi>"
        case "blackboard":
            return f"<mi>{symbols.BLACKBOARD.get(node.text, text)}</mi>"
        case "bold":
            return f'<mi class="bold">{text}</mi>'
        case "number":
            return f"<mn>{text}</mn>"
        case "function" | "word":
            return f'<mi mathvariant="normal">{text}</mi>'
        case "text":
            return f"<mtext>{re.sub('^ | $', '&nbsp;', text)}</mtext>"  # MathML trims its ends
        case "space":
            return _space(node.text)
        case "fraction":
            return f"<mfrac>{_boxes(node.parts)}</mfrac>"
        case "binomial":
            inside = f'<mfrac linethickness="0">{_boxes(node.parts)}</mfrac>'
            return f"<mrow><mo>(</mo>{inside}<mo>)</mo></mrow>"
        case "root":
            tag = "msqrt" if len(node.parts) == 1 else "mroot"
            return f"<{tag}>{_boxes(node.parts)}</{tag}>"
        case "accent":
            return f'<mover accent="true">{_boxes(node.parts)}<mo>{text}</mo></mover>'
        case "scripts":
            return _scripts(*node.parts)
        case "matrix":
            rows = ("".join(f"<mtd>{_row(c.parts)}</mtd>" for c in row.parts) for row in node.parts)
            return f"<mtable>{''.join(f'<mtr>{row}</mtr>' for row in rows)}</mtable>"
        case "row":
            return _row(node.parts)
    return _operator(node, before)


def _scripts(base: Node, sub: Node, sup: Node) -> str:
    """Indices at the side, or below and above a sum: there within a line they are at its side."""
    shown = "".join(_boxes((s,)) for s in (sub, sup) if s != EMPTY)
    if base.kind == "function" and base.text in LIMITS:
        name = f'<mo movablelimits="true" form="prefix" lspace="0" rspace="0">{base.text}</mo>'
    elif base.kind == "large" and base.text not in "∫∮":
        name = _boxes((base,))
    else:
        tag = "msubsup" if EMPTY not in (sub, sup) else "msup" if sub == EMPTY else "msub"
        return f"<{tag}>{_boxes((base,))}{shown}</{tag}>"
    tag = "munderover" if EMPTY not in (sub, sup) else "mover" if sub == EMPTY else "munder"
    return f"<{tag}>{name}{shown}</{tag}>"


def _operator(node: Node, before: str) -> str:
    """An ``<mo>`` with TeX's space around it; MathML would take the last sign for a postfix."""
    tight = ' lspace="0" rspace="0"'
    match node.kind:
        case "binary":
            attributes = f' form="{"infix" if before in OPERANDS else "prefix"}"'
        case "open" | "close" | "fence" if node.parts:
            size = node.parts[0].text
            attributes = f' stretchy="true" symmetric="true" minsize="{size}em" maxsize="{size}em"'
            attributes += tight
        case "open" | "close" | "fence":
            attributes = f' stretchy="false"{tight}'
        case "stretchy":
            attributes = f' stretchy="true"{tight}'
        case "punctuation" if node.text in "/!.":
            attributes = tight
        case "relation":
            attributes = ' form="infix"'
        case _:
            attributes = ""
    return f"<mo{attributes}>{escape(node.text)}</mo>"


def _space(em: str) -> str:
    return f'<mspace width="{em}em"></mspace>'


def _boxes(parts: tuple[Node, ...]) -> str:
    """Arguments of a MathML element, each of them one element."""
    return "".join(
        f"<mrow>{_mathml(part)}</mrow>" if part.kind == "row" else _mathml(part) for part in parts
    )


# ---------------------------------------------------------------------------------------- Unicode


def _plain_formula(formula: str) -> str:
    try:
        return _plain_row(parse(formula).parts).strip()
    except TypesetError:
        return formula


def _plain_row(nodes: tuple[Node, ...]) -> str:
    parts = []
    for i, node in enumerate(nodes):
        shown = _plain(node)
        if node.kind == "relation" or (node.kind == "binary" and _is_operand(nodes[:i])):
            shown = f" {shown} "
        elif node.text in (",", ";") or _is_large(node) or _is_applied(node, *nodes[i + 1 : i + 2]):
            shown += " "
        parts.append(shown)
    return re.sub(" +", " ", "".join(parts))


def _is_operand(before: tuple[Node, ...]) -> bool:
    return bool(before) and before[-1].kind in OPERANDS


def _is_large(node: Node) -> bool:
    return node.kind == "large" or (node.kind == "scripts" and node.parts[0].kind == "large")


def _plain(node: Node) -> str:
    match node.kind:
        case "space":
            return " " if float(node.text) > 0 else ""
        case "binary":
            return {"−": "-", "⋅": "·", "∗": "*"}.get(node.text, node.text)
        case "fraction":
            top, bottom = (_bracketed(part) for part in node.parts)
            return f"{top}/{bottom}"
        case "binomial":
            return f"binom({', '.join(_plain(part) for part in node.parts)})"
        case "root":
            return f"√{_bracketed(node.parts[0])}"
        case "accent":
            return _plain(node.parts[0]) + {"^": "̂", "~": "̃", "¯": "̄"}.get(node.text, "")
        case "scripts":
            base, sub, sup = node.parts
            low = "" if sub == EMPTY else _raised(_plain(sub), symbols.SUBSCRIPTS, "_")
            high = "" if sup == EMPTY else _raised(_plain(sup), symbols.SUPERSCRIPTS, "^")
            return f"{_plain(base)}{low}{high}"
        case "matrix":
            return "; ".join(" ".join(map(_plain, row.parts)) for row in node.parts)
        case "row":
            return _plain_row(node.parts)
    return node.text


def _bracketed(node: Node) -> str:
    shown = _plain(node)
    return shown if node.kind != "row" else f"({shown})"


def _raised(text: str, table: dict[int, int], mark: str) -> str:
    """A script in the small letters of Unicode if it has them all, else behind a mark."""
    tight = text.replace(" ", "")
    if all(ord(character) in table for character in tight):
        return tight.translate(table)
    return f"{mark}{text}" if len(text) == 1 else f"{mark}({text})"
