r"""Inline LaTeX, read into a tree.

The map is ``formula -> Node``: recursive descent over the subset of LaTeX that inline mathematics
needs: scripts, fractions, binomials, roots, accents, fences, fonts, names of functions, small
matrices, and the characters of :mod:`polyfilter.symbols`. :mod:`polyfilter.typeset` draws the tree.

Assumptions: none; what is not in the subset raises :class:`TypesetError` with the command and the
formula that it stands in.

>>> for node in parse(r"\Gamma \le x^2").parts:
...     print(node.kind, node.text, [part.text for part in node.parts])
letter Γ []
relation ≤ []
scripts  ['x', '', '2']
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from polyfilter import symbols
from polyfilter.errors import PolyfilterError

__all__ = ["EMPTY", "Node", "TypesetError", "parse"]

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
FONTS = {
    "mathcal": "script",
    "mathscr": "script",
    "mathbb": "blackboard",
    "mathbf": "bold",
    "boldsymbol": "bold",
    "bm": "bold",
}
WORDS = {
    "text": "text",
    "textrm": "text",
    "textit": "text",
    "mathrm": "word",
    "mathtt": "word",
    "operatorname": "word",
}
SCRIPTS = ("^", "_", "'")
SIZED = re.compile("(?P<size>big|Big|bigg|Bigg)(?P<side>[lrm]?)")
SIZES = {"big": "1.2", "Big": "1.8", "bigg": "2.4", "Bigg": "3.0"}
"""How high a fence is, in em."""
MATRICES = {"matrix": ("", ""), "pmatrix": ("(", ")"), "bmatrix": ("[", "]"), "cases": ("{", "")}
"""What stands around the rows of an environment."""


class TypesetError(PolyfilterError):
    """A formula that is not in the subset of LaTeX that we read."""


@dataclass(frozen=True)
class Node:
    """A piece of a formula.

    Attributes
    ----------
    kind : str
        row, letter, script, blackboard, bold, number, word, text, function, space, binary,
        relation, large, open, close, fence, stretchy, punctuation, fraction, binomial, root,
        accent, scripts or matrix.
    text : str
        What it shows, for a leaf and an accent.
    parts : tuple of Node
        What it is made of; scripts are (base, sub, sup), with an empty row for one that is absent,
        a matrix is its rows, and each of these a row of cells; an open, close or fence that has a
        size has it as a number.
    """

    kind: str
    text: str = ""
    parts: tuple["Node", ...] = ()


EMPTY = Node("row")


def parse(formula: str) -> Node:
    r"""Read the inside of ``$...$``.

    Examples
    --------
    >>> parse(r"\deg p").parts
    (Node(kind='function', text='deg', parts=()), Node(kind='letter', text='p', parts=()))
    >>> parse(r"\frobnicate")
    Traceback (most recent call last):
    polyfilter.latex.TypesetError: we can't typeset \frobnicate in $\frobnicate$
    """
    return _Reader(formula).read()


class _Reader:
    """Recursive descent over the tokens of one formula."""

    def __init__(self, formula: str) -> None:
        self.formula = formula
        self.tokens: list[str] = TOKEN.findall(formula)
        self.place = 0

    def read(self) -> Node:
        return Node("row", parts=self._row(lambda token: False))

    def _fail(self, what: str) -> TypesetError:
        return TypesetError(f"we can't typeset {what} in ${self.formula}$")

    def _peek(self) -> str:
        while self.place < len(self.tokens) and self.tokens[self.place].isspace():
            self.place += 1
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        if not token:
            raise self._fail("an argument that is missing")
        self.place += 1
        return token

    def _row(self, ends: Callable[[str], bool]) -> tuple[Node, ...]:
        nodes: list[Node] = []
        while (token := self._peek()) and not ends(token):
            if token in SCRIPTS:
                nodes.append(self._scripts(nodes.pop() if nodes else EMPTY))
            else:
                nodes.append(self._atom())
        return tuple(nodes)

    def _scripts(self, base: Node) -> Node:
        found = {"_": EMPTY, "^": EMPTY}
        while (token := self._peek()) in SCRIPTS:
            self._next()
            if token == "'":
                found["^"] = Node("letter", found["^"].text + "′")
                continue
            if found[token] != EMPTY:
                raise self._fail(f"a second {token}")
            found[token] = self._atom()
        return Node("scripts", parts=(base, found["_"], found["^"]))

    def _braced_text(self) -> str:
        """An argument in which spaces count."""
        if self._next() != "{":
            return self.tokens[self.place - 1]
        depth, start = 1, self.place
        while depth:
            if self.place >= len(self.tokens):
                raise self._fail("a brace that is not closed")
            depth += {"{": 1, "}": -1}.get(self.tokens[self.place], 0)
            self.place += 1
        return "".join(self.tokens[start : self.place - 1])

    def _atom(self) -> Node:
        """One token with its arguments, or what stands between braces."""
        token = self._next()
        if token == "{":
            nodes = self._row(lambda token: token == "}")
            if self._peek() != "}":
                raise self._fail("a brace that is not closed")
            self._next()
            return nodes[0] if len(nodes) == 1 else Node("row", parts=nodes)
        if token[0] == "\\":
            return self._command(token[1:])
        if token[0].isdigit():
            return Node("number", token)
        if token in "()[]|":
            return Node({"(": "open", "[": "open", "|": "fence"}.get(token, "close"), token)
        for kind, table in (
            ("binary", symbols.BINARY),
            ("relation", symbols.RELATIONS),
            ("punctuation", symbols.PUNCTUATION),
        ):
            if token in table:
                return Node(kind, table[token])
        if token == "~":
            return Node("space", "0.25")
        if token in "}^_&#%$":
            raise self._fail(f"a lone {token}")
        # a character of Unicode stands for itself: λ as well as \lambda
        for kind, table in (
            ("relation", symbols.RELATIONS),
            ("binary", symbols.BINARY),
            ("large", symbols.LARGE),
        ):
            if token in table.values():
                return Node(kind, token)
        return Node("letter", token)

    def _command(self, name: str) -> Node:
        if name in ("left", "right", "middle"):
            if name != "left":
                raise self._fail(f"\\{name} without \\left")
            return self._fenced()
        if sized := SIZED.fullmatch(name):
            return self._sized(sized["size"], sized["side"])
        if name == "begin":
            return self._matrix(self._braced_text())
        if name in ("mathrel", "mathbin"):
            return Node("relation" if name == "mathrel" else "binary", self._atom().text)
        if name in ("textstyle", "displaystyle"):
            return EMPTY
        if name in ("frac", "tfrac", "dfrac"):
            return Node("fraction", parts=(self._atom(), self._atom()))
        if name in ("binom", "tbinom", "dbinom"):
            return Node("binomial", parts=(self._atom(), self._atom()))
        if name == "sqrt":
            return self._root()
        if name in symbols.ACCENTS:
            return Node("accent", symbols.ACCENTS[name], (self._atom(),))
        if name in FONTS:
            return _in_font(self._atom(), FONTS[name])
        if name in WORDS:
            return Node(WORDS[name], self._braced_text().removeprefix("*"))
        if name in symbols.FUNCTIONS:
            return Node("function", name)
        if name in ("bmod", "pmod"):
            word = Node("function", "mod")
            wide, narrow = Node("space", "0.222"), Node("space", "0.167")
            if name == "bmod":
                return Node("row", parts=(wide, word, wide))
            inside = (Node("open", "("), word, narrow, self._atom(), Node("close", ")"))
            return Node("row", parts=(wide, *inside))
        return self._symbol(name)

    def _symbol(self, name: str) -> Node:
        if name in symbols.SPACES or name.isspace():
            return Node("space", str(symbols.SPACES[" " if name.isspace() else name]))
        if name in symbols.FENCES:
            return Node(_side(name), symbols.FENCES[name])
        if name == "not" and (negated := symbols.NEGATED.get(self._peek())):
            self._next()
            return Node("relation", negated)
        for kind, table in (
            ("letter", symbols.LETTERS),
            ("relation", symbols.RELATIONS),
            ("binary", symbols.BINARY),
            ("large", symbols.LARGE),
            ("punctuation", symbols.PUNCTUATION),
        ):
            if name in table:
                return Node(kind, table[name])
        raise self._fail(f"\\{name}")

    def _delimiter(self) -> Node:
        token = self._next()
        name = token.removeprefix("\\")
        if token == ".":
            return EMPTY
        if token == "|":
            return Node("stretchy", "|")
        if name not in symbols.FENCES:
            raise self._fail(f"{token} as a fence")
        return Node("stretchy", symbols.FENCES[name])

    def _fenced(self) -> Node:
        parts = [self._delimiter()]
        while True:
            parts += self._row(lambda token: token in ("\\right", "\\middle"))
            if not self._peek():
                raise self._fail("\\left without \\right")
            last = self._next() == "\\right"
            parts.append(self._delimiter())
            if last:
                return Node("row", parts=tuple(parts))

    def _sized(self, size: str, side: str) -> Node:
        fence = self._delimiter()
        kind = {"l": "open", "r": "close"}.get(side) or ("fence" if side else _side(fence.text))
        return Node(kind, fence.text, (Node("number", SIZES[size]),))

    def _matrix(self, name: str) -> Node:
        if name not in MATRICES:
            raise self._fail(f"\\begin{{{name}}}")
        lines, cells = [], []
        while True:
            cells.append(Node("row", parts=self._row(lambda t: t in ("&", "\\\\", "\\end"))))
            if not self._peek():
                raise self._fail("\\begin without \\end")
            token = self._next()
            if token != "&":
                lines.append(Node("row", parts=tuple(cells)))
                cells = []
            if token == "\\end":
                break
        if self._braced_text() != name:
            raise self._fail(f"\\begin{{{name}}} that another \\end ends")
        matrix = Node("matrix", parts=tuple(lines))
        fences = [Node("stretchy", fence) if fence else EMPTY for fence in MATRICES[name]]
        return Node("row", parts=(fences[0], matrix, fences[1]))

    def _root(self) -> Node:
        if self._peek() != "[":
            return Node("root", parts=(self._atom(),))
        self._next()
        index = Node("row", parts=self._row(lambda token: token == "]"))
        self._next()
        return Node("root", parts=(self._atom(), index))


def _side(name: str) -> str:
    """Whether a fence opens, closes or may do either."""
    if name in ("{", "lbrace", "lceil", "lfloor", "langle", "lvert", "lVert"):
        return "open"
    return "fence" if name in ("|", "vert", "Vert") else "close"


def _in_font(node: Node, font: str) -> Node:
    if node.kind in ("letter", "number"):
        return Node(font, node.text)
    return Node(node.kind, node.text, tuple(_in_font(part, font) for part in node.parts))
