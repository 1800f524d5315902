"""Reads prose as statements: sentences, list items, rows of tables and lines of code, each with what it continues. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from locallens_nb.language.sentences import Statement, name_statement, says_something, sentence_spans
from locallens_nb.passages.tables import is_drawn_line, name_cells, split_piped_row

_BULLET = re.compile(r"[-*+•>]\s+")
_NUMBERED = re.compile(r"\d{1,3}[.)]\s")
_QUESTION = re.compile(r".*[?？][\"'”’)\]*_]*$", re.DOTALL)
_LEADS_ON = re.compile(r".*[:：][\"'”’)\]*_]*$", re.DOTALL)
_MARKS = re.compile(r"\A[#=\s]+|[#*_\s]+\Z|\A[*_]+")
_BOLD_LINE = re.compile(r"(\*\*|__)(?!\s)[^\n]{1,80}\1:?\Z")
_ENDS_SENTENCE = tuple(".,;:!?…。、，；：！？")
_UNDERLINE = re.compile(r"([=\-~^\"'*+])\1{2,}\Z")
_FENCE = re.compile(r"(`{3,}(?!.*`)|~{3,})")
"""What opens a block of code; backticks that are closed in the same line are a code span."""
_ENTRY_OF_CONTENTS = re.compile(r"\[[^\]]*\]\(#[^)]*\)\Z")
_LABELLED_VALUE = re.compile(r"[*_]*[^\W\d_][\w ]{0,24}[*_]*:[*_]*[ \t]+[^\s.][^\n]{0,60}(?<![.!?])\Z")
"""Such as *Default: 12*, which says something only with the heading that it stands under."""
_HAS_WORD = re.compile(r"\w")
_MARGIN = re.compile(r"^[ \t]*(?:\*(?!/)|#+[!:]?|//+[/!]?|--|;+)(?=\s|$)", re.MULTILINE)
"""What begins each line of a comment."""
_ENTRY = re.compile(
    r"^[ \t]*(?:[@:\\](?:param|arg|prop|keyword|var|ivar)\w*[ \t]+(?:\{[^}\n]*\}[ \t]+)?\[?(?P<tagged>[\w.$]+)|[@:\\]\w"
    r"|\*{0,2}(?P<listed>[^\W\d][\w.]*)[ \t]*(?:\([^)\n]*\))?[ \t]*:(?=[ \t]+\S)|[^\W\d]\w*:[ \t]*$)",
    re.MULTILINE,
)
"""Where a comment begins to tell of a parameter or of what is returned: with a tag, or with a name and a colon."""
_LONGEST_LEAD_IN = 160
"""In characters. What is longer leads on to a list, but is not shown again with each of its items."""
_LONGEST_LABEL = 40
_LONGEST_CAPITALS = 80
_BROKEN_EARLY = 0.75
_WIDEST_WRAPPED = 88
"""In characters. A line that would be shorter than this share of the widest one with the first word of the next line was ended
on purpose. Wider lines are not wrapped, so that they say nothing about those that are."""

_Span = tuple[int, int]


class ProseReader:
    """Reads prose part by part; a heading, a table and a block of code go on in the next part.

    Parameters
    ----------
    capitals_are_headings
        Whether a line in capitals is a heading, as in plain text.
    """

    def __init__(self, *, capitals_are_headings: bool = False) -> None:
        self._capitals_are_headings = capitals_are_headings
        self._heading = self._table_head = self._fence = ""
        self._begin_section("")

    @property
    def heading(self) -> str:
        """The last heading."""
        return self._heading

    def read(self, text: str, start: int, end: int) -> Iterator[Statement]:
        """Yield the statements of a part of a text, in order."""
        spans = list(_line_spans(text, start, end))
        self._widest = min(max(last - first for first, last in spans), _WIDEST_WRAPPED)
        kinds = self._classify([text[first:last] for first, last in spans])
        last_kind = ""
        for kind, group in groupby(zip(kinds, spans, strict=True), key=lambda pair: pair[0]):
            lines = [span for _, span in group]
            self._table_head = self._table_head if kind in ("row", "blank") else ""
            if kind == "heading":
                for first, last in lines:
                    yield self._read_heading(text, first, last)
            elif kind == "text":
                yield from self._read_paragraph(text, lines, may_have_label=last_kind != "heading")
            elif kind == "row":
                yield from self._read_table(text, lines)
            elif kind == "code":
                yield from (self._read_code(text, first, last) for first, last in lines if first < last)
            last_kind = kind

    def _classify(self, lines: Sequence[str]) -> list[str]:
        """Return what each line is: heading, text, row of a table, code, or blank where it only parts others."""
        kinds: list[str] = []
        for at, line in enumerate(lines):
            opening = _FENCE.match(line)
            if self._fence:
                self._fence = "" if line.startswith(self._fence) else self._fence
                kinds.append("code" if self._fence else "blank")
            elif opening and not _underlines(lines, at, kinds):
                self._fence = opening[1]
                kinds.append("blank")
            else:
                kinds.append(_classify_line(lines, at, kinds, capitals_are_headings=self._capitals_are_headings))
        return kinds

    def _begin_section(self, heading: str) -> None:
        self._heading = heading
        self._label = self._before = ""
        self._lead_in = _MARKS.sub("", heading) if _QUESTION.match(heading) else ""
        self._before_list: str | None = None

    def _describe_context(self, before: str) -> str:
        parts = [self._heading, self._label, self._lead_in, before]
        return " ".join(part for at, part in enumerate(parts) if not any(part in other for other in parts[:at]) and part)

    def _read_heading(self, text: str, start: int, end: int) -> Statement:
        self._begin_section(text[start:end])
        return Statement(start, end, text[start:end], "", is_quotable=False)

    def _read_table(self, text: str, lines: Sequence[_Span]) -> Iterator[Statement]:
        context = self._describe_context(self._before)
        for at, (start, end) in enumerate(lines):
            row = text[start:end]
            is_head = at + 1 < len(lines) and is_drawn_line(text[slice(*lines[at + 1])])
            self._table_head = row if is_head else self._table_head
            if is_head or is_drawn_line(row):
                yield Statement(start, end, row, context, is_quotable=False)
                continue
            shown = name_cells(split_piped_row(self._table_head), split_piped_row(row))
            yield Statement(start, end, shown, f"{context} {self._table_head}", says_something(shown, is_data=True))

    def _read_code(self, text: str, start: int, end: int) -> Statement:
        line = text[start:end]
        return Statement(start, end, line, self._describe_context(self._before), says_something(line))

    def _read_paragraph(self, text: str, lines: Sequence[_Span], *, may_have_label: bool) -> Iterator[Statement]:
        opens = True
        for start, end, is_label in _split_where_lines_break(text, lines, self._widest):
            if is_label and may_have_label:
                self._begin_section(self._heading)
                self._label = text[start:end]
                yield Statement(start, end, self._label, "", is_quotable=False)
                continue
            for first, last in sentence_spans(text[start:end]):
                yield self._read_sentence(text, start + first, start + last, opens=opens)
                opens = False

    def _read_sentence(self, text: str, start: int, end: int, *, opens: bool) -> Statement:
        bullet = _BULLET.match(text, start, end)
        at = bullet.end() if bullet else start
        sentence = text[at:end]
        if _QUESTION.match(sentence):
            if opens and not _is_item(text[start:end]):
                self._begin_section(self._heading)
                self._label = self._lead_in = sentence
            self._before = sentence
            return Statement(at, end, sentence, "", is_quotable=False)
        if _LEADS_ON.match(sentence):
            context = self._describe_context(self._before)
            self._lead_in, self._before_list = sentence, None
            return Statement(at, end, sentence, context, is_quotable=False)
        if _is_item(text[start:end]):
            return self._read_item(at, end, sentence)
        if opens and (self._lead_in or self._before_list is not None):
            self._before = self._lead_in or self._before
            self._lead_in, self._before_list = "", None
        heading = _MARKS.sub("", self._heading) if opens and _LABELLED_VALUE.match(sentence) else ""
        shown = f"{heading}: {sentence}" if heading else sentence
        statement = Statement(at, end, shown, self._describe_context(self._before), says_something(shown))
        self._before = sentence if statement.is_quotable else self._before
        return statement

    def _read_item(self, start: int, end: int, item: str) -> Statement:
        if self._before_list is None:
            self._before_list = self._before
        context = self._describe_context(self._before_list)
        self._before = item
        is_led = 0 < len(self._lead_in) <= _LONGEST_LEAD_IN
        shown = f"{_MARKS.sub('', self._lead_in)} {item}" if is_led else item
        says = says_something(shown) and not _ENTRY_OF_CONTENTS.match(item)
        return Statement(start, end, shown, context, says)


def read_comment(text: str, start: int, end: int) -> Iterator[Statement]:
    """Yield the statements of a comment or a documentation in code or data, without what its lines begin with."""
    plain = text[:start] + _MARGIN.sub(lambda margin: " " * len(margin.group()), text[start:end]) + text[end:]
    entries = [(entry.start(), entry["tagged"] or entry["listed"] or "") for entry in _ENTRY.finditer(plain, start, end)]
    for (first, name), (last, _) in pairwise([(start, ""), *entries, (end, "")]):
        for one in ProseReader().read(plain, first, last) if first < last else ():
            yield replace(one, shown=name_statement([name], one.shown))


def _line_spans(text: str, start: int, end: int) -> Iterator[_Span]:
    """Yield where each line stands, without the white space around it; of a blank one, nothing of it."""
    at = start
    for line in text[start:end].split("\n"):
        first = at + len(line) - len(line.lstrip())
        yield (first, at + len(line.rstrip())) if line.strip() else (at, at)
        at += len(line) + 1


def _classify_line(lines: Sequence[str], at: int, kinds: list[str], *, capitals_are_headings: bool) -> str:
    line, last = lines[at], kinds[-1] if kinds else "blank"
    following = lines[at + 1] if at + 1 < len(lines) else ""
    is_in_table = line.startswith("|") or (last == "row" and "|" in line) or ("|" in line and is_drawn_line(following))
    if is_in_table:
        return "row"
    if not _HAS_WORD.search(line):
        if _underlines(lines, at, kinds):
            kinds[-1] = "heading"
        return "blank"
    is_alone = not following.isupper() and not (at > 0 and lines[at - 1].isupper())
    is_titled = capitals_are_headings and is_alone and _is_in_capitals(line)
    return "heading" if line.startswith("#") or is_titled else "text"


def _underlines(lines: Sequence[str], at: int, kinds: Sequence[str]) -> bool:
    """Return whether a line makes a heading of the one before; a shorter one of ``~`` opens a block of code."""
    is_below_one = kinds[-1:] == ["text"] and kinds[-2:-1] != ["text"]
    return is_below_one and bool(_UNDERLINE.match(lines[at])) and (lines[at][0] != "~" or len(lines[at]) >= len(lines[at - 1]))


def _is_in_capitals(line: str) -> bool:
    return line.isupper() and len(line) <= _LONGEST_CAPITALS and not line.endswith(_ENDS_SENTENCE)


def _split_where_lines_break(text: str, lines: Sequence[_Span], widest: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the parts of a paragraph between lines that were ended on purpose, and whether one is a label of the next."""
    first = lines[0][0]
    for at, (start, end) in enumerate(lines):
        following = lines[at + 1] if at + 1 < len(lines) else None
        if following and not _is_broken_early(text, (start, end), following, widest):
            continue
        line = text[first:end]
        is_short = first == lines[0][0] == start and len(line) <= min(_LONGEST_LABEL, widest // 2)
        is_label = _BOLD_LINE.match(line) or (is_short and not line.endswith(_ENDS_SENTENCE) and not _is_item(line))
        yield first, end, following is not None and bool(is_label)
        first = following[0] if following else end


def _is_broken_early(text: str, line: _Span, following: _Span, widest: int) -> bool:
    start, end = line
    next_line = text[following[0] : following[1]]
    first_word = next_line.split(maxsplit=1)[0]
    fits = end - start + 1 + len(first_word) <= _BROKEN_EARLY * widest
    return fits and not next_line[0].islower() and not text[start:end].endswith((",", ";", "-"))


def _is_item(text: str) -> bool:
    return _BULLET.match(text) is not None or _NUMBERED.match(text) is not None
