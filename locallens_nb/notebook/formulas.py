r"""Formulas in Markdown: what is one and what is a price, and LaTeX as MathML, which browsers show without a library."""

from __future__ import annotations

import html
import re
from functools import lru_cache
from typing import Any
from xml.etree.ElementTree import Element, tostring

from latex2mathml import exceptions
from latex2mathml.converter import convert_to_element
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.dollarmath import dollarmath_plugin

from locallens_nb.notebook.inert_text import is_safe_formula

TAGS = (
    *("math", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup"),
    *("munder", "mover", "munderover", "mmultiscripts", "mprescripts", "none", "mtable", "mtr", "mtd"),
    *("mstyle", "mpadded", "mphantom", "menclose", "merror"),
)
"""The elements that formulas are made of."""

TOKENS_IN_TEXT = ("math_inline", "math_inline_double")
TOKEN_OF_BLOCK = "math_block"  # noqa: S105  (no password)
"""The Markdown tokens that hold a formula; an inline one can be displayed too."""

_MOST_CHARACTERS = 2_000
_IN_DOLLARS = re.compile(r"\$(?![\s$])((?:\\[^\n]|[^$\\\n])+?)(?<!\s)\$(?!\d)(?P<after>\w?)")
_IN_BRACKETS = re.compile(r"\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_SAYS_FORMULA = re.compile(r"[\\^_=]")
_PROSE = re.compile(r"[^\W\d_]{3}|[,;:]\s")
_FAILURES: tuple[type[Exception], ...] = (
    *(kind for kind in vars(exceptions).values() if isinstance(kind, type) and issubclass(kind, Exception)),
    IndexError,
    KeyError,
    RecursionError,
    StopIteration,
    ValueError,
)
"""What the library raises for LaTeX that it cannot read; found by trying 60,000 random pieces of it."""


def add_formulas(markdown: MarkdownIt) -> None:
    r"""Teach a parser ``$x$``, ``$$x$$``, ``\(x\)`` and ``\[x\]``."""
    dollarmath_plugin(markdown, allow_labels=False, allow_blank_lines=False, double_inline=True)
    markdown.inline.ruler.before("math_inline", "price", _keep_price)
    markdown.inline.ruler.before("math_inline", "math_brackets", _read_brackets)


def formula_html(latex: str, *, is_displayed: bool) -> str:
    """Return a formula as MathML, or as the code that it is where it cannot be read."""
    mathml = _convert(latex.strip(), is_displayed) if len(latex) <= _MOST_CHARACTERS else ""
    content = mathml or f"<code>{html.escape(latex.strip())}</code>"
    return f'<span class="ll-formula">{content}</span>' if is_displayed else content


def formula_source(latex: str, *, is_displayed: bool) -> str:
    """Return a formula in dollar signs, for front ends that look for those in a finished page; as code if it does more."""
    if not is_safe_formula(latex):
        return f"<code>{html.escape(latex.strip())}</code>"
    fence = "$$" if is_displayed else "$"
    return f"<span>{fence}{html.escape(latex.strip())}{fence}</span>"


def _keep_price(state: StateInline, silent: bool) -> bool:
    """Take a dollar sign for text unless a formula begins with it (an inline rule of the parser)."""
    if state.src[state.pos] != "$" or state.src.startswith("$$", state.pos):
        return False
    if _begins_formula(state.src, state.pos):
        return False
    if not silent:
        state.pending += "$"
    state.pos += 1
    return True


def _read_brackets(state: StateInline, silent: bool) -> bool:
    r"""Read a formula in ``\(`` or ``\[`` (an inline rule of the parser)."""
    match = _IN_BRACKETS.match(state.src, state.pos)
    if match is None:
        return False
    if not silent:
        token = state.push("math_inline" if match[1] else "math_inline_double", "math", 0)
        token.content = match[1] or match[2]
    state.pos = match.end()
    return True


def _begins_formula(text: str, position: int) -> bool:
    match = _IN_DOLLARS.match(text, position)
    if match is None or (position and text[position - 1].isalnum()):
        return False
    latex = match[1]
    if _SAYS_FORMULA.search(latex):
        return True
    if match["after"] and len(latex) > 3:
        return False
    return not (latex[0].isdigit() and _PROSE.search(latex))


@lru_cache(maxsize=512)
def _convert(latex: str, is_displayed: bool) -> str:
    try:
        root = convert_to_element(latex, display="block" if is_displayed else "inline")
    except _FAILURES:
        return ""
    _write_characters(root)
    return tostring(root, encoding="unicode")


def _write_characters(element: Element[Any]) -> None:
    """Turn the character references of the library into characters, so that all text is escaped when it is written."""
    for part in element.iter():
        part.text = html.unescape(part.text) if part.text else part.text
        part.tail = html.unescape(part.tail) if part.tail else part.tail
