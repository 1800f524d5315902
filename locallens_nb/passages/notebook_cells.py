"""Reads the text of a notebook as statements: cells of prose, of code, and what the code has put out. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from locallens_nb.language.sentences import Statement, says_something
from locallens_nb.passages.code_lines import CodeReader
from locallens_nb.passages.data_lines import LINE
from locallens_nb.passages.prose import ProseReader
from locallens_nb.readers.notebook import CELL_LINE

_SAYS_WHAT_IT_PUTS_OUT = re.compile(r"(?!print\b|display\b)(?!.*[^=!<>]=(?!=)[^(]*\Z).{1,80}\Z")
"""The last line of a cell whose value is shown: no assignment, and nothing that formats its own text."""


class CellReader:
    """Reads, part by part, a text that :func:`~locallens_nb.readers.notebook.render_notebook` wrote."""

    def __init__(self) -> None:
        self._prose = ProseReader()
        self._kind = "markdown"
        self._code = ""

    def read(self, text: str, start: int, end: int) -> Iterator[Statement]:
        """Yield the statements of a part of the text, in order."""
        for match in [*CELL_LINE.finditer(text, start, end), None]:
            yield from self._read_cell(text, start, match.start() if match else end)
            if match:
                self._kind, start = match["kind"], match.end()

    def _read_cell(self, text: str, start: int, end: int) -> Iterator[Statement]:
        if self._kind == "code":
            yield from CodeReader(heading=self._prose.heading, has_start=True).read(text, start, end)
            self._code = text[start:end].strip().rsplit("\n", 1)[-1] or self._code
        elif self._kind == "output":
            yield from self._read_output(text, start, end)
        else:
            yield from self._prose.read(text, start, end)

    def _read_output(self, text: str, start: int, end: int) -> Iterator[Statement]:
        """Yield the lines that a cell has put out, each after the expression whose value they are."""
        names = self._code if _SAYS_WHAT_IT_PUTS_OUT.match(self._code) else ""
        context = f"{self._prose.heading} {self._code}".strip()
        for match in LINE.finditer(text, start, end):
            shown = f"{names}: {match.group()}" if names else match.group()
            yield Statement(*match.span(), shown, context, says_something(shown, is_data=True))
