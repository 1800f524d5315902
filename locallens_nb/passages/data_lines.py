"""Reads data line by line: settings under their section, rows under their head, comments with what follows. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, takewhile

from locallens_nb.language.sentences import Statement, says_something
from locallens_nb.passages.prose import read_comment
from locallens_nb.passages.tables import find_separator, name_cells, names_columns, split_separated_row

LINE = re.compile(r"\S(?:[^\n]*\S)?")
"""A line that is not blank, without the white space around it."""

COMMENT = re.compile(
    r"\A(?:#(?!(?:define|include|if|ifdef|ifndef|endif|else|elif|pragma|undef)\b|\[|!/)|//+|;|--(?=\s|\Z))+[!:]?\s*"
)
_SECTION = re.compile(r"\[.*\]\Z")
_OPENS = re.compile(r".*[:{(\[=]\Z")
_HAS_WORD = re.compile(r"\w")
_BRACKETS = re.compile(r"[\s{(\[=]+\Z")
LONGEST_WITH_COMMENT = 400
"""In characters. A longer comment stands by itself."""
_LONGEST_TITLE = 160
_MOST_LINES_OF_A_RECORD = 20


class LineReader:
    """Reads lines of settings and other data, each with the section and the keys that it stands under.

    A comment and the line right below it are one statement.

    Parameters
    ----------
    has_start
        Whether what is read first begins where its document does, so that a comment there says what all of it is about.
    """

    def __init__(self, *, has_start: bool = False) -> None:
        self._heading = ""
        self._may_be_title = has_start
        self._first_indent: int | None = None
        self._is_cut = not has_start
        self._above: list[tuple[int, str]] = []

    def read(self, text: str, start: int, end: int) -> Iterator[Statement]:
        """Yield the statements of a part of a text, in order."""
        if self._may_be_title:
            self._heading, self._may_be_title = _find_title(text[start:end]), False
        self._first_indent = infer_first_indent(text, start, end) if self._is_cut and start == 0 else None
        self._is_cut = False
        comment: list[tuple[int, int]] = []
        for match in LINE.finditer(text, start, end):
            span = match.span()
            if comment and text.count("\n", comment[-1][1], span[0]) > 1:
                yield from self._read_comment(text, comment)
                comment = []
            if COMMENT.match(match.group()):
                comment.append(span)
            else:
                yield from self._read_line(text, comment, span)
                comment = []
        if comment:
            yield from self._read_comment(text, comment)

    def _read_line(self, text: str, comment: list[tuple[int, int]], span: tuple[int, int]) -> Iterator[Statement]:
        line = text[slice(*span)]
        known = find_indent(text, span[0]) if span[0] or self._first_indent is None else self._first_indent
        indent = -1 if _SECTION.match(line) else known
        indent += line.startswith("- ")
        while self._above and self._above[-1][0] >= indent:
            self._above.pop()
        opens = indent < 0 or _OPENS.match(line) is not None
        if comment and (opens or span[1] - comment[0][0] > LONGEST_WITH_COMMENT):
            yield from self._read_comment(text, comment)
            comment = []
        yield self._make(text, [*comment, span], is_quotable=not opens)
        if opens:
            self._above.append((indent, line))

    def _read_comment(self, text: str, comment: list[tuple[int, int]]) -> Iterator[Statement]:
        above = self._describe_above()
        for one in read_comment(text, comment[0][0], comment[-1][1]):
            shown = f"{above} {one.shown}".strip()
            yield Statement(one.start_offset, one.end_offset, shown, f"{self._heading} {above}".strip(), one.is_quotable)

    def _describe_above(self) -> str:
        return " ".join(_BRACKETS.sub("", line) for _, line in self._above)

    def _make(self, text: str, spans: list[tuple[int, int]], *, is_quotable: bool = True) -> Statement:
        start, end = spans[0][0], spans[-1][1]
        shown = " ".join(filter(None, (COMMENT.sub("", text[slice(*span)]) for span in spans)))
        above = self._describe_above()
        if above and is_quotable:
            shown = f"{above} {shown}"
        context = f"{self._heading} {above}".strip()
        is_quotable = is_quotable and _HAS_WORD.search(text, *spans[-1]) is not None
        return Statement(start, end, shown, context, is_quotable and says_something(shown, is_data=True))


def find_indent(text: str, position: int) -> int:
    """Return how many characters stand before a position in its line."""
    return position - text.rfind("\n", 0, position) - 1


def infer_first_indent(text: str, start: int, end: int) -> int | None:
    """Return how far the first line of a text was indented that has been cut from another, by the line that follows."""
    lines = [match.span() for match in islice(LINE.finditer(text, start, end), 2)]
    if len(lines) < 2:
        return None
    return find_indent(text, lines[1][0]) - bool(_OPENS.match(text[slice(*lines[0])]))


def _find_title(text: str) -> str:
    """Return the comment that data begins with, if it is short enough for a title."""
    lines = takewhile(COMMENT.match, (match.group() for match in LINE.finditer(text)))
    title = " ".join(COMMENT.sub("", line) for line in lines).strip()
    return title if len(title) <= _LONGEST_TITLE else ""


class RecordReader:
    """Reads comma- or otherwise separated values; each record reads with the names of its columns.

    Parameters
    ----------
    has_start
        Whether what is read first begins where its document does, so that its first record may be the head.
    """

    def __init__(self, *, has_start: bool) -> None:
        self._may_be_head = has_start
        self._separator = ""
        self._head: list[str] = []

    def read(self, text: str, start: int, end: int) -> Iterator[Statement]:
        """Yield the records of a part of a text, in order."""
        records = list(_find_records(text, start, end))
        for first, last in records:
            record = text[first:last]
            self._separator = self._separator or find_separator(record.split("\n", 1)[0])
            cells = split_separated_row(record, self._separator)
            if self._may_be_head and names_columns(cells):
                self._head = cells
                yield Statement(first, last, record, "", is_quotable=len(records) == 1)
            else:
                shown = name_cells(self._head, cells) if self._head else record
                yield Statement(first, last, shown, "", says_something(shown, is_data=True))
            self._may_be_head = False


def _find_records(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where each record stands: a line, or as many as it takes to close what is in quotation marks."""
    lines = [match.span() for match in LINE.finditer(text, start, end)]
    at = 0
    while at < len(lines):
        first = lines[at][0]
        among = range(at, min(at + _MOST_LINES_OF_A_RECORD, len(lines)))
        last = next((one for one in among if text.count('"', first, lines[one][1]) % 2 == 0), at)
        yield first, lines[last][1]
        at = last + 1
