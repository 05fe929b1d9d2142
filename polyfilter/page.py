"""A ledger as one HTML page that needs nothing else.

The map is ``ledger -> HTML``: style, script, formulas (MathML), figures and graphs (SVG) are all in
the page, and its own security policy forbids it to ask for more. It reads from a phone to a
projector, in light and dark, and with JavaScript off: a script only filters and sorts.

Assumptions: the words of claims are text with inline LaTeX (:mod:`polyfilter.typeset`); everything
else is escaped.

>>> from polyfilter.ledger import Ledger
>>> from polyfilter.provenance import provenance
>>> empty = Ledger((), (), seed=0, full=False, data="", seconds=0.0, provenance=provenance())
>>> page(empty).count("<h1")
1
"""

import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from polyfilter.chart import chart, legend, marks
from polyfilter.claim import Drawing, Figure, Finding, Outcome, Table, Verdict
from polyfilter.docket import LAST
from polyfilter.drawing import draw
from polyfilter.ledger import Entry, Ledger
from polyfilter.typeset import html, plain

__all__ = ["page"]

PAPER = "SoGCN: Second-Order Graph Convolutional Networks"
LOOKS: dict[Verdict | None, tuple[str, str, str]] = {
    Verdict.HOLDS: ("holds", "✓", "holds"),
    Verdict.CORRECTED: ("corrected", "✎", "holds with a correction"),
    Verdict.FALSE: ("false", "✗", "false as printed"),
    None: ("failed", "!", "no verdict"),
}
"""Of each verdict: its class, its sign and its words."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
SHORT = 20
"""Characters up to which a cell is not broken into lines."""
NARROW = 230
"""Pixels up to which drawings stand side by side."""
LABEL = re.compile(r"\b[a-z]+:[\w:.-]*\w")
NUMBER = re.compile(r"[-+−]?[\d.,]+(e[-+]?\d+)?\s*%?|[-–—]|inf|nan|")


def page(ledger: Ledger) -> str:
    """Return the page of a ledger."""
    title = f"The SoGCN ledger: {_count(ledger)}, executed"
    rows = "".join(_glance(place, entry) for place, entry in enumerate(ledger.entries))
    claims = "".join(_claim(place, entry, ledger) for place, entry in enumerate(ledger.entries))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<style>{_asset("ledger.css")}</style>
</head>
<body>
<a class="skip" href="#claims">Skip to the claims</a>
{marks()}
{_top(ledger)}
{_controls(ledger)}
<main>
<h2 id="glance">At a glance</h2>
<table class="glance" aria-labelledby="glance">
<thead><tr><th scope="col" class="number">#</th><th scope="col">claim</th>
<th scope="col">verdict</th><th scope="col">evidence</th><th scope="col" class="time">time</th></tr>
</thead>
<tbody data-list>{rows}</tbody>
</table>
<h2 id="claims">The claims</h2>
<div data-list>{claims}</div>
</main>
{_facts(ledger)}
<script>{_asset("ledger.js")}</script>
</body>
</html>
"""


def _asset(name: str) -> str:
    return (files("polyfilter") / "assets" / name).read_text("utf-8")


def _count(ledger: Ledger) -> str:
    return f"{len(ledger.entries)} claim{'s' * (len(ledger.entries) != 1)}"


# ----------------------------------------------------------------------------- around the claims


def _top(ledger: Ledger) -> str:
    tally, share = [], []
    for verdict, (look, sign, words) in LOOKS.items():
        if number := ledger.count(verdict):
            tally.append(f'<li class="is-{look}"><b>{number}</b>{sign} {words}</li>')
            share.append(f'<span class="is-{look}" style="flex:{number}"></span>')
    return f"""<header class="top">
<h1>Every claim of the paper, executed</h1>
<p class="lede">The statements of <cite>{PAPER}</cite> that can be true or false, each settled by
computation. No verdict is typed: each follows from the findings of this run, and each
can be run again by the command below it.</p>
<ul class="tally">{"".join(tally)}</ul>
<div class="share" aria-hidden="true">{"".join(share)}</div>
{_agreement(ledger)}
</header>"""


def _agreement(ledger: Ledger) -> str:
    if ledger.agrees:
        return (
            '<p class="agreement is-holds"><strong>Every verdict is the one on record</strong> in '
            "the repository.</p>"
        )
    wrong = [f'<a href="#{e.name}">{e.name}</a>' for e in ledger.entries if not e.agrees]
    wrong += [f"{escape(name)} (on record, but there is no such claim)" for name in ledger.lost]
    return (
        '<p class="agreement is-false"><strong>Not as recorded</strong> in the repository: '
        f"{', '.join(wrong)}.</p>"
    )


def _controls(ledger: Ledger) -> str:
    buttons = [
        f'<button type="button" value="all" aria-pressed="true">All {len(ledger.entries)}</button>'
    ]
    for verdict, (look, sign, words) in LOOKS.items():
        if number := ledger.count(verdict):
            buttons.append(
                f'<button type="button" value="{look}" aria-pressed="false">'
                f"{sign} {words[0].upper()}{words[1:]} {number}</button>"
            )
    return f"""<nav class="controls" aria-label="Filter and sort the claims" hidden>
{"".join(buttons)}
<label>Sort by <select><option value="number">the paper's order</option>
<option value="verdict">verdict</option><option value="time">time</option></select></label>
<span class="aside" role="status"></span>
</nav>"""


def _facts(ledger: Ledger) -> str:
    about = ledger.provenance
    facts = {
        "size": "full" if ledger.full else "default",
        "seed": str(ledger.seed),
        "graphs": f"generated, and real ones from {ledger.data}" if ledger.data else "generated",
        "time": f"{ledger.seconds:.1f} s on {about.cores} core{'s' * (about.cores != 1)}",
        "when": about.when.replace("T", " ").replace("+00:00", " UTC"),
        "commit": about.commit or "an installed package",
        "versions": ", ".join(f"{name} {number}" for name, number in about.versions),
        "Python": f"{about.python} on {about.machine}",
    }
    rows = "".join(f"<dt>{key}</dt><dd>{escape(value)}</dd>" for key, value in facts.items())
    return f'<footer class="facts"><h2>This run</h2><dl>{rows}</dl></footer>'


# -------------------------------------------------------------------------------------- one claim


def _data(place: int, entry: Entry) -> str:
    look, _, _ = LOOKS[entry.verdict]
    shown = f'data-verdict="{look}" data-place="{place}" data-seconds="{entry.seconds:.3f}"'
    return f'class="claim is-{look}" {shown}'


def _badge(entry: Entry) -> str:
    look, sign, words = LOOKS[entry.verdict]
    complaint = f'<span class="complaint">{entry.complaint}</span>' if entry.complaint else ""
    return f'<span class="badge is-{look}">{sign} {words}</span>{complaint}'


def _title(entry: Entry) -> tuple[str, str]:
    """Where the paper says it, and the labels there: "Lemma 1 (lem:dim)" has both."""
    labels = LABEL.findall(entry.where)
    title = re.sub(r"\(\s*[,;\s]*\)|[,;]\s*(?=\))", "", LABEL.sub("", entry.where))
    return re.sub(r"\s+(?=[,;)])|\s{2,}", " ", title).strip() or entry.name, ", ".join(labels)


def _sentence(text: str) -> str:
    """The evidence as a sentence: with a capital, if it begins with a word."""
    return text[0].upper() + text[1:] if re.match("[a-z][a-z ]", text) else text


def _glance(place: int, entry: Entry) -> str:
    title, _ = _title(entry)
    data = _data(place, entry).replace('class="claim ', 'class="')
    return f"""<tr {data}><td class="number">{_number(entry)}</td>
<th scope="row"><a href="#{entry.name}">{html(title)}</a>
<span class="name"><code>{entry.name}</code></span></th>
<td class="verdict">{_badge(entry)}</td><td class="evidence">{html(_sentence(entry.evidence))}</td>
<td class="time">{entry.seconds:.1f} s</td></tr>
"""


def _number(entry: Entry) -> str:
    return "" if entry.number == LAST else str(entry.number)


def _claim(place: int, entry: Entry, ledger: Ledger) -> str:
    title, label = _title(entry)
    shown = f' <span class="label">{escape(label)}</span>' if label else ""
    exhibits = _exhibits(entry.outcome) if entry.outcome else ""
    if entry.outcome:
        evidence = f'<p class="verdict-line">{html(_sentence(entry.evidence))}</p>'
    else:
        evidence = f'<p class="failure">The check failed: {escape(entry.failure)}</p>'
    points = ", ".join(map(str, entry.conjectures))
    plural = "s" * (len(entry.conjectures) != 1)
    settles = f"<span>settles our conjecture{plural} {points}</span>" if points else ""
    name = entry.name
    return f"""<article id="{name}" aria-labelledby="{name}-title" {_data(place, entry)}>
<header><h3 id="{name}-title"><a class="number" href="#{name}">{_number(entry)}</a>
{html(title)}{shown}</h3><div>{_badge(entry)}</div></header>
<div class="body{" with-exhibits" * bool(exhibits)}">
<div class="said">
{evidence}
{_words("The paper", "blockquote", entry.statement)}
{_words("What we test", 'p class="reading"', entry.reading)}
{_findings(entry.outcome) if entry.outcome else ""}
</div>
{f'<div class="shown">{exhibits}</div>' if exhibits else ""}
</div>
<p class="again"><code>{escape(ledger.command(entry))}</code>
<span>{entry.seconds:.1f} s</span>{settles}</p>
</article>
"""


def _words(title: str, tag: str, text: str) -> str:
    return f"<h4>{title}</h4><{tag}>{html(text)}</{tag.split()[0]}>" if text else ""


def _findings(outcome: Outcome) -> str:
    lists = (
        ("As printed", outcome.printed),
        ("With the correction", outcome.repaired),
        ("What is true instead" if outcome.verdict is Verdict.FALSE else "Also", outcome.instead),
    )
    return "".join(
        f'<h4>{title}</h4><ul class="findings">{"".join(map(_finding, findings))}</ul>'
        for title, findings in lists
        if findings
    )


def _finding(finding: Finding) -> str:
    look, sign, said = ("holds", "✓", "true") if finding.holds else ("false", "✗", "false")
    kind = "proven" if finding.exact else "measured"
    because = f'<span class="because">{html(finding.because)}</span>' if finding.because else ""
    return (
        f'<li class="is-{look}"><span class="mark" role="img" aria-label="{said}">{sign}</span>'
        f'{html(finding.statement)} <span class="kind">{kind}</span>{because}</li>'
    )


# --------------------------------------------------------------------------------------- exhibits


def _exhibits(outcome: Outcome) -> str:
    drawings = "".join(map(_drawing, outcome.drawings))
    parts = [f'<div class="drawings">{drawings}</div>' if drawings else ""]
    parts += map(_figure, outcome.figures)
    parts += map(_table, outcome.tables)
    return "".join(parts)


def _figure(figure: Figure) -> str:
    caption = f"<figcaption>{html(figure.caption)}</figcaption>"
    return f'<figure class="exhibit">{caption}{legend(figure)}{chart(figure)}</figure>'


def _drawing(drawing: Drawing) -> str:
    caption = f"<figcaption>{html(drawing.caption)}</figcaption>"
    picture = draw(drawing.graph)
    width = re.search(r'width="(\d+)"', picture)
    look = "exhibit wide" if width and int(width[1]) > NARROW else "exhibit"
    return f'<figure class="{look}">{caption}{picture}</figure>'


def _table(table: Table) -> str:
    numeric = [
        all(_is_number(row[k]) for row in table.rows if k < len(row))
        for k in range(len(table.header))
    ]
    head = _cells("th", table.header, numeric)
    body = "".join(f"<tr>{_cells('td', row, numeric)}</tr>" for row in table.rows)
    words = escape(plain(table.caption))
    return (
        f'<figure class="exhibit"><figcaption>{html(table.caption)}</figcaption>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{words}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div></figure>"
    )


def _is_number(cell: str | int | float) -> bool:
    return not isinstance(cell, str) or NUMBER.fullmatch(plain(cell).strip()) is not None


def _cells(tag: str, row: Sequence[str | int | float], numeric: Iterable[bool]) -> str:
    scope = ' scope="col"' if tag == "th" else ""
    return "".join(
        f'<{tag}{scope} class="{_look(cell, right)}">{_cell(cell)}</{tag}>'
        for cell, right in zip(row, numeric, strict=False)
    )


def _look(cell: str | int | float, right: bool) -> str:
    if right:
        return "figure"
    return "short" if len(plain(str(cell))) <= SHORT else "text"


def _cell(cell: str | int | float) -> str:
    if isinstance(cell, str):
        return html(cell)
    return f"{cell:.6g}".replace("-", "−") if isinstance(cell, float) else str(cell)
