"""Reads code as statements, each whole and under the names that it stands in, and its documentation as prose. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from locallens_nb.language.sentences import Statement, name_statement, says_something
from locallens_nb.passages.data_lines import COMMENT, LINE, LONGEST_WITH_COMMENT, find_indent, infer_first_indent
from locallens_nb.passages.definitions import read_defined_name
from locallens_nb.passages.prose import read_comment

_STAR = "*/"
_OPENING = re.compile(r"(?P<mark>\"{3}|'{3})|^[ \t]*/\*+", re.MULTILINE)
_IS_CLOSING = re.compile(r"[ \t]*(?:[)\],.;%]|\n|\Z)")
_LEADS_TO_TEXT = tuple(":=(,[{")
_BEGUN_BEFORE = re.compile(r"(?:[ \t]*\*(?!/)[^\n]*\n)+[ \t]*(?=\*/)")
"""The end of a documentation in C's style, each line with its star."""
_SCANNED = re.compile(
    r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\\n])*`|(?:^|(?<=\s))(?:#|//)(?=[\s!]|$).*"
    r"|(?P<literal>(?:[=(,\[:?]|\breturn)\s*\{)|(?P<opens>[(\[{])|(?P<closes>[)\]}])"
)
_DECORATOR = re.compile(r"(?:@\w|#\[)(?!.*\{\Z)", re.DOTALL)
_TYPES_OPEN = re.compile(r".*\w<\Z")
_MOST_NAMES = 3
_LONGEST_STATEMENT = 400
"""In characters. What is longer is read line by line."""

_Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Around:
    """A statement that others stand in, which are indented further."""

    indent: int
    statement: str
    name: str


class CodeReader:
    """Reads code part by part. A comment and the statement right below it are one.

    Parameters
    ----------
    heading
        What all statements continue.
    has_start
        Whether what is read first begins where its document does, so that no documentation can have begun before.
    """

    def __init__(self, *, heading: str = "", has_start: bool = False) -> None:
        self._heading = heading
        self._is_cut = not has_start
        self._around: list[_Around] = []
        self._open_mark = ""
        self._first_indent: int | None = None

    def read(self, text: str, start: int, end: int) -> Iterator[Statement]:
        """Yield the statements of a part of a text, in order."""
        self._first_indent = infer_first_indent(text, start, end) if self._is_cut and start == 0 else None
        for first, last, mark in self._find_documentation(text, start, end):
            yield from self._read_code(text, start, first)
            start = min(last + len(mark), end)
            self._leave(find_indent(text, first))
            below = _read_name_below(text, start, end) if mark == _STAR else ""
            inner = first + len(text[first:last]) - len(text[first:last].lstrip("\"'/*"))
            yield from self._read_prose(text, inner, last, names=self._names + [below] * bool(below))
        yield from self._read_code(text, start, end)
        self._is_cut = False

    def _find_documentation(self, text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
        """Yield where each documentation begins and ends, and the mark that closes it; one may go on from part to part."""
        mark, opened = self._open_mark, start
        if not mark and _BEGUN_BEFORE.match(text, start, end):
            mark = _STAR
        position, is_first = start, not mark and self._is_cut
        while True:
            if not mark:
                opening = _OPENING.search(text, position, end)
                if not opening:
                    break
                mark = opening["mark"] or _STAR
                opened, position = opening.end() - len(opening.group().lstrip()), opening.end()
                if is_first and mark != _STAR and _closes(text, start, opened, position):
                    opened, position = start, opened
                is_first = False
            closing = text.find(mark, position, end)
            yield opened, closing if closing >= 0 else end, mark
            if closing < 0:
                break
            position, mark = closing + len(mark), ""
        self._open_mark = mark

    def _read_prose(self, text: str, start: int, end: int, *, names: Sequence[str]) -> Iterator[Statement]:
        """Yield the sentences of a comment, each with the names of what it tells of."""
        context = f"{self._heading} {self._describe_around()}".strip()
        for one in read_comment(text, start, end):
            continued = f"{context} {one.context}".strip()
            shown = name_statement(names[-_MOST_NAMES:], one.shown)
            subject = names[-1] if names else ""
            yield Statement(one.start_offset, one.end_offset, shown, continued, one.is_quotable, subject)

    def _read_comment(self, text: str, comment: Sequence[_Span], *, name: str = "") -> Iterator[Statement]:
        self._leave(find_indent(text, comment[0][0]))
        yield from self._read_prose(text, comment[0][0], comment[-1][1], names=self._names + [name] * bool(name))

    def _read_code(self, text: str, start: int, end: int) -> Iterator[Statement]:
        lines = [match.span() for match in LINE.finditer(text, start, end)]
        comment: list[_Span] = []
        while lines:
            if comment and text.count("\n", comment[-1][1], lines[0][0]) > 1:
                yield from self._read_comment(text, comment)
                comment = []
            if COMMENT.match(text[slice(*lines[0])]):
                comment.append(lines.pop(0))
                continue
            count = _count_lines(text, lines)
            span = (lines[0][0], lines[count - 1][1])
            del lines[:count]
            if _DECORATOR.match(text, *span):
                comment.append(span)
                continue
            yield from self._read_statement(text, comment, span)
            comment = []
        if comment:
            yield from self._read_comment(text, comment)

    def _read_statement(self, text: str, comment: Sequence[_Span], span: _Span) -> Iterator[Statement]:
        statement = text[slice(*span)]
        indent = find_indent(text, span[0]) if span[0] or self._first_indent is None else self._first_indent
        closed = self._leave(indent)
        goes_on = closed is not None and statement[0] in ")]}>" and closed.statement[-1] in "([{<"
        defined = read_defined_name(statement, before=self._describe_around())
        name = defined or (closed.name if closed and goes_on else "")
        if comment and span[1] - comment[0][0] > LONGEST_WITH_COMMENT:
            yield from self._read_comment(text, comment, name=name)
            comment = []
        told = " ".join(COMMENT.sub("", text[slice(*line)]) for line in comment)
        shown = f"{told} {statement}".strip()
        is_worded = bool(defined) and not statement.startswith((defined, "'", '"'))
        is_quotable = is_worded or says_something(statement, is_data=True) or says_something(told)
        context = f"{self._heading} {self._describe_around()}".strip()
        start = comment[0][0] if comment else span[0]
        yield Statement(start, span[1], name_statement(self._names[-_MOST_NAMES:], shown), context, is_quotable)
        self._around.append(_Around(indent, statement, name))

    @property
    def _names(self) -> list[str]:
        return [one.name for one in self._around if one.name]

    def _leave(self, indent: int) -> _Around | None:
        """Leave what is indented as far or further, and return the last of it that was left."""
        left = None
        while self._around and self._around[-1].indent >= indent:
            left = self._around.pop()
        return left

    def _describe_around(self) -> str:
        return " ".join(one.statement for one in self._around)


def _closes(text: str, start: int, opened: int, position: int) -> bool:
    """Return whether the first quotation mark of a part closes a documentation that began before it."""
    before = text[start:opened].rstrip()
    is_led_to = before.endswith(_LEADS_TO_TEXT) or COMMENT.match(before[before.rfind("\n") + 1 :].lstrip())
    return bool(before) and not is_led_to and _IS_CLOSING.match(text, position) is not None


def _read_name_below(text: str, start: int, end: int) -> str:
    """Return the name that is defined right below a comment, past what decorates it."""
    for match in LINE.finditer(text, start, end):
        if not match.group().startswith("@"):
            return read_defined_name(match.group())
    return ""


def _count_lines(text: str, lines: Sequence[_Span]) -> int:
    """Return over how many lines the statement runs that the first of them begins.

    Where brackets are open it goes on, except those of a block of statements. One that would be too long, or holds such a
    block, is its first line.
    """
    open_brackets: list[str] = []
    for count, (start, end) in enumerate(lines, start=1):
        if end - lines[0][0] > _LONGEST_STATEMENT:
            return 1
        line = text[start:end]
        if open_brackets[-1:] == ["<"] and line.startswith(">"):
            open_brackets.pop()
        for match in _SCANNED.finditer(line):
            if match["literal"]:
                open_brackets += ["("] * (1 + match["literal"].count("(") + match["literal"].count("["))
            elif match["opens"]:
                open_brackets.append("block" if match["opens"] == "{" else "(")
            elif match["closes"] and open_brackets:
                open_brackets.pop()
        if _TYPES_OPEN.match(line):
            open_brackets.append("<")
        if "block" in open_brackets:
            return count if open_brackets == ["block"] else 1
        if not open_brackets and not line.endswith("\\"):
            return count
    return 1
