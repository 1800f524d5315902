"""Text as Markdown and as HTML in which nothing comes alive: no element, no image, no formula that it does not mean.

It makes the Markdown that is kept beside the HTML of an output, and that is copied or saved. HTML goes through
:func:`locallens_nb.notebook.markdown.sanitise` as well.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

DOLLAR = "<span>&#36;</span>"
"""Front ends look for formulas in the finished page too, within one element: a dollar sign alone in one begins none."""
FORMULA_START = re.compile(r"\$|\\(?=[(\[]|begin\b|(?:eq)?ref\b)")
"""What a formula in a finished page begins with."""
ALIGNED = "text-align:left"
"""The style of a cell without alignment: front ends set the cells of HTML tables to the right, as for numbers."""
WRAPPED = "white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere"
"""The style of an excerpt: its lines are those of prose, which JupyterLab would break within a word."""

_UNSAFE_FORMULA = re.compile(
    r"\\(?:href|url|style|class|cssId|html\w*|require|include\w*|unicode|data|bbox|x?def|let|(?:re)?new(?:command|environment))\b"
)
_FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$")
_VERBATIM = re.compile(
    r"(?<!`)(?P<ticks>`{1,2})(?!`)(?P<code>[^\n]+?)(?<!`)(?P=ticks)(?!`)"
    r"|(?P<math>\$(?=[^\s\d$])[^$\n<`!]*?(?<=[^\s$])\$(?!\d))"
)
_ODD_LINK = re.compile(r"\]\((?!\s*(?:https?://|mailto:))", re.IGNORECASE)
_NOT_ONLY_CODE = re.compile(rf"[<$]|!\[|\]:|{_ODD_LINK.pattern}|\\(?:begin|(?:eq)?ref)\b|```|~~~", re.IGNORECASE)
"""What must not come alive where a reader of Markdown sees no code: behind an escaped backtick, over the cells of a table."""
_MARKDOWN_MARKS = re.compile(r"[][\\*_`!$|~]")


def escape_html(text: str) -> str:
    """Return a text that HTML shows as it is, also where the front end looks for formulas in it."""
    return FORMULA_START.sub(lambda start: f"<span>{start.group()}</span>", html.escape(text))


def escape_markdown(text: str) -> str:
    """Return a text that Markdown shows as it is, on one line."""
    escaped = re.sub(r"([\\`*_{}\[\]<>()#+!|~&-])", r"\\\1", " ".join(text.split()))
    return escaped.replace("$", DOLLAR)


def is_safe_formula(latex: str) -> bool:
    """Return whether LaTeX only typesets: some commands make links, load what they name or change later formulas."""
    return _UNSAFE_FORMULA.search(latex) is None


def neutralise_markdown(text: str) -> str:
    """Return a model's Markdown without live HTML and images; lists, emphasis, tables, code and formulas stay.

    Links lead to the web or to a mail address only, and are written where they stand: of a definition elsewhere, which
    would make a link of the reference [2], the text stays.

    Blocks of code are written anew with a fence of our own in the first column, and whatever else could open or end a
    fence is escaped. So no reader of the Markdown can take for live text what was taken for code here.
    """
    pieces: list[str] = []
    prose: list[str] = []
    lines = iter(text.split("\n"))
    for line in lines:
        match = _FENCE.match(line)
        if match is None:
            prose.append(line)
            continue
        indent, fence, language = match.group(1), match.group(2), match.group(3)
        pieces += [_neutralise_prose("\n".join(prose)), fence_code(_read_code(lines, fence, indent), language=language)]
        prose = []
    pieces.append(_neutralise_prose("\n".join(prose)))
    return "\n".join(piece for piece in pieces if piece)


def _read_code(lines: Iterator[str], fence: str, indent: str) -> str:
    """Return the lines up to the end of a fenced block, less its indentation."""
    code = []
    for line in lines:
        if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            break
        code.append(line.removeprefix(indent))
    return "\n".join(code)


def _neutralise_prose(text: str) -> str:
    pieces: list[str] = []
    position = 0
    for span in _VERBATIM.finditer(text):
        pieces.append(_escape_prose(text[position : span.start()]))
        pieces.append(_keep_formula(span.group()) if span["math"] else _escape_code_span(span))
        position = span.end()
    pieces.append(_escape_prose(text[position:]))
    return "".join(pieces)


def _keep_formula(formula: str) -> str:
    """Return a formula as it is, unless it does more than typeset, or has a link where a reader of Markdown knows none."""
    return formula if is_safe_formula(formula) and not _ODD_LINK.search(formula) else _escape_prose(formula)


def _escape_prose(text: str) -> str:
    """Escape what begins HTML, an image, a fence or a formula (a price in dollars is none), and links but to the web."""
    text = text.replace("<", "&lt;").replace("![", "&#33;[").replace("$", DOLLAR)
    text = _ODD_LINK.sub("]&#40;", text).replace("]:", "]&#58;")
    text = re.sub(r"\\(?=begin\b|(?:eq)?ref\b)", "<span>&#92;</span>", text)
    return text.replace("```", "&#96;&#96;&#96;").replace("~~~", "&#126;&#126;&#126;")


def _escape_code_span(span: re.Match[str]) -> str:
    """Return a code span as it is, or as an element of escaped text when it holds anything that could come alive."""
    if not _NOT_ONLY_CODE.search(span.group()):
        return span.group()
    code = html.escape(span["code"].strip())
    return f"<code>{re.sub(_MARKDOWN_MARKS, lambda mark: f'&#{ord(mark.group())};', code)}</code>"


def fence_code(text: str, *, language: str = "text") -> str:
    """Return a text as a block of code whose fence is longer than any run of its character in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
