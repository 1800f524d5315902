"""Reads data and code line by line: settings under their section, rows under their head, comments with what follows. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from locallens_nb.prose import ProseReader
from locallens_nb.sentences import Statement, says_something
from locallens_nb.tables import find_separator, name_cells, names_columns, split_separated_row

LINE = re.compile(r"\S(?:[^\n]*\S)?")
"""A line that is not blank, without the white space around it."""

_COMMENT = re.compile(r"\A(?:#(?!(?:define|include|if|ifdef|ifndef|endif|else|elif|pragma|undef)\b)|//|;|--(?!-)\s?)+!?\s*")
_SECTION = re.compile(r"\[.*\]\Z")
_OPENS = re.compile(r".*[:{(\[]\Z")
_BRACKETS = re.compile(r"[\s{(\[=]+\Z")
_DOCUMENTATION = re.compile(r"(?P<quote>\"{3}|'{3})(?P<quoted>.+?)(?P=quote)|/\*+(?P<starred>.+?)\*/", re.DOTALL)
_CODE = re.compile(r"^\s*(?:def|class|import|return|from\s+\S+\s+import|@\w+)\b", re.MULTILINE)
_LONGEST_WITH_COMMENT = 400
"""In characters. A longer comment stands by itself."""
_LONGEST_TITLE = 160
_MOST_LINES_OF_A_RECORD = 20


class LineReader:
    """Reads lines of settings and other data, or of code. A comment and the line right below it are one statement.

    Parameters
    ----------
    is_data
        Whether a line is a value, which reads with the section and the keys that it stands under.
    heading
        What all lines continue.
    has_start
        Whether what is read first begins where its document does, so that a comment there says what all data is about.
    """

    def __init__(self, *, is_data: bool, heading: str = "", has_start: bool = False) -> None:
        self._is_data = is_data
        self._heading = heading
        self._may_be_title = is_data and has_start
        self._above: list[tuple[int, str]] = []

    def read(self, text: str, start: int, end: int) -> Iterator[Statement]:
        """Yield the statements of a part of a text, in order; in code, texts of documentation are read as prose."""
        if self._may_be_title:
            self._heading, self._may_be_title = _find_title(text[start:end]), False
        if not self._is_data:
            for match in _DOCUMENTATION.finditer(text, start, end):
                kind = "quoted" if match["quoted"] else "starred"
                if _CODE.search(match[kind]):
                    continue
                yield from self._read_lines(text, start, match.start())
                for one in ProseReader().read(text, *match.span(kind)):
                    context = " ".join(filter(None, (self._heading, self._describe_above(), one.context)))
                    yield Statement(one.start_offset, one.end_offset, one.shown, context, one.is_quotable)
                start = match.end()
        yield from self._read_lines(text, start, end)

    def _read_lines(self, text: str, start: int, end: int) -> Iterator[Statement]:
        comment: list[tuple[int, int]] = []
        for match in LINE.finditer(text, start, end):
            span = match.span()
            if comment and text.count("\n", comment[-1][1], span[0]) > 1:
                yield self._make(text, comment)
                comment = []
            if _COMMENT.match(match.group()):
                comment.append(span)
            else:
                yield from self._read_line(text, comment, span)
                comment = []
        if comment:
            yield self._make(text, comment)

    def _read_line(self, text: str, comment: list[tuple[int, int]], span: tuple[int, int]) -> Iterator[Statement]:
        line = text[slice(*span)]
        indent = -1 if self._is_data and _SECTION.match(line) else span[0] - text.rfind("\n", 0, span[0]) - 1
        indent += line.startswith("- ")
        while self._above and self._above[-1][0] >= indent:
            self._above.pop()
        opens = indent < 0 or _OPENS.match(line) is not None
        is_apart = (opens and self._is_data) or (comment and span[1] - comment[0][0] > _LONGEST_WITH_COMMENT)
        if comment and is_apart:
            yield self._make(text, comment)
            comment = []
        yield self._make(text, [*comment, span], is_quotable=not (opens and self._is_data))
        if opens:
            self._above.append((indent, line))

    def _make(self, text: str, spans: list[tuple[int, int]], *, is_quotable: bool = True) -> Statement:
        start, end = spans[0][0], spans[-1][1]
        shown = " ".join(filter(None, (_COMMENT.sub("", text[slice(*span)]) for span in spans)))
        above = self._describe_above()
        if self._is_data and above and is_quotable:
            shown = f"{above} {shown}"
        context = f"{self._heading} {above}".strip()
        return Statement(start, end, shown, context, is_quotable and says_something(shown, is_data=self._is_data))

    def _describe_above(self) -> str:
        return " ".join(_BRACKETS.sub("", line) for _, line in self._above)


def _find_title(text: str) -> str:
    """Return the comment that data begins with, if it is short enough for a title."""
    lines = takewhile(_COMMENT.match, (match.group() for match in LINE.finditer(text)))
    title = " ".join(_COMMENT.sub("", line) for line in lines).strip()
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
    while lines:
        first = lines[0][0]
        among = lines[:_MOST_LINES_OF_A_RECORD]
        last = next((stop for _, stop in among if text.count('"', first, stop) % 2 == 0), lines[0][1])
        yield first, last
        lines = [line for line in lines if line[0] >= last]
