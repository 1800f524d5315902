"""From the lines of a PDF's pages to text with whole words, sentences and paragraphs. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

PAGE_BREAK = "\f"
"""What stands where a page ends, also in the middle of a sentence; always before white space, or at the very end."""
HYPHEN = "\x02"
"""What PDFium writes for a hyphen at the end of a line, whether it belongs to the word or only parts it."""

_SAME_ROW = 0.6
_WORD_GAP = 0.15
_INDENT = 0.4
_MOST_SPACING = 3.0
_USUAL_SPACING = 1.2
"""In font sizes: how far apart the parts of a row may be in height, what is a space between them, what is an indent, and how
far apart lines are at most and usually."""
_WIDER_SPACING = 1.15
_OTHER_SIZE = 1.06
_ROOM_LEFT = 0.9
"""Shares: of the usual distance of lines, from which a paragraph begins; of a size, from which it is another one; of the width
of a block, below which a line that had room for the next word was ended on purpose."""
_LONGEST_HEADING = 200
_MOST_RUNNING_LINES = 2
"""How many lines at the upper and at the lower edge of pages may run along."""
_RUNNING_SHARE = 1 / 3
"""Of the pages, on which such a line stands. Half of them are left pages, and some have none."""

_ENDS_SENTENCE = re.compile(r"[.!?:…。！？：][\"'”’)\]]*\Z")
_ITEM = re.compile(r"[•◦▪‣∙–—*-]\s|\(?\d{1,3}[.)]\s|\[\d{1,4}\]\s")
_NUMBER = re.compile(r"\d{1,6}")
_NAMES = re.compile(r"[^\W\d_]{2}")
_WORD = re.compile(r"\w+(?:-\w+)*")
_PARTED_WORD = re.compile(rf"(?P<head>[\w-]*\w){HYPHEN}(?P<tail>\w+)")
_PARTED_AT_END = re.compile(r"(?<=[^\W\d_])[-\u2010\u00ad]\Z")
_UNREADABLE = {"Cc", "Cn", "Co", "Cs"}
_SPELLED = {0xAD: HYPHEN, 0xFFFD: ""}
_SPELLED |= {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
# Where TeX has them in its fonts, which shows in PDFs that do not say what their characters mean.
_SPELLED |= {0x1B: "ff", 0x1C: "fi", 0x1D: "fl", 0x1E: "ffi", 0x1F: "ffl"}


def is_paged(relative_path: str) -> bool:
    """Return whether a document is one of pages: line numbers of its chunks are those of pages."""
    return relative_path.lower().endswith(".pdf")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page, or a part of one; all measures are in points.

    Attributes
    ----------
    left, right
        Where it begins and ends.
    top, bottom
        How high its first and its last character stand. They differ where a word was joined over the end of a line.
    size
        Of the font of most of it.
    """

    text: str
    left: float
    right: float
    top: float
    bottom: float
    size: float


def join_pages(pages: Sequence[Sequence[Line]]) -> str:
    r"""Return the text of a document, with :data:`PAGE_BREAK` where a page ends.

    Lines become paragraphs, told by distances, indents and sizes of letters; a sentence goes on over the end of a column or a
    page. A word that was parted at the end of a line is whole again. Larger lines are headings, written as in Markdown. What
    stands at the edge of many pages is left out after the first page, and page numbers are on all.

    Returns
    -------
    str
        Paragraphs with a blank line between them; a single line end where a line was ended on purpose.
    """
    cleaned = [[replace(line, text=text) for line in page if (text := _clean(line.text))] for page in pages]
    rows = [_join_rows(page) for page in _drop_running_lines(cleaned)]
    sizes: Counter[float] = Counter()
    for row in (row for page in rows for row in page):
        sizes[round(row.size, 1)] += len(row.text)
    body_size = sizes.most_common(1)[0][0] if sizes else 0.0
    spacing = _measure_spacing(rows)
    paragraphs, last = [""], None
    for number, page in enumerate(rows):
        paragraphs[-1] += PAGE_BREAK if number else ""
        for block in _split_blocks(page, spacing):
            is_heading = _is_heading(block, body_size)
            if last and not is_heading and _goes_on(last, block[0]):
                paragraphs[-1] = _continue(paragraphs[-1], _join_block(block))
            else:
                paragraphs.append(f"# {' '.join(row.text for row in block)}" if is_heading else _join_block(block))
            last = None if is_heading else block[-1]
    return _join_parted_words("\n\n".join(paragraphs).lstrip("\n"))


def _clean(text: str) -> str:
    spelled = text.translate(_SPELLED)
    readable = (
        character
        for character in spelled
        if character == HYPHEN or character.isspace() or unicodedata.category(character) not in _UNREADABLE
    )
    return " ".join("".join(readable).split())


def _drop_running_lines(pages: list[list[Line]]) -> list[list[Line]]:
    """Return pages without the lines at their edges that run along; those of the first page stay, but for its number."""
    for _ in range(_MOST_RUNNING_LINES):
        edges = [_find_edges(page) for page in pages]
        counts = Counter(key for at, lines in enumerate(edges) for key in {key for line in lines for key in _keys(line, at)})
        running = {key for key, count in counts.items() if count >= max(2, _RUNNING_SHARE * len(pages))}
        pages = [
            [line for line in page if line not in edge or not _runs_along(line, at, running)]
            for at, (page, edge) in enumerate(zip(pages, edges, strict=True))
        ]
    return pages


def _find_edges(page: Sequence[Line]) -> list[Line]:
    """Return the highest and the lowest lines of a page."""
    if not page:
        return []
    highest, lowest = max(line.top for line in page), min(line.bottom for line in page)
    return [line for line in page if line.top > highest - _SAME_ROW * line.size or line.bottom < lowest + _SAME_ROW * line.size]


def _keys(line: Line, page_number: int) -> set[str]:
    """Return what a line has in common with those of other pages: its text, and that with its page number left out."""
    keys = {line.text}
    for match in _NUMBER.finditer(line.text):
        keys.add(f"{line.text[: match.start()]}\0{int(match.group()) - page_number}\0{line.text[match.end() :]}")
    return keys


def _runs_along(line: Line, page_number: int, running: set[str]) -> bool:
    is_number = _NUMBER.fullmatch(line.text) is not None
    return (page_number > 0 or is_number) and not running.isdisjoint(_keys(line, page_number))


def _join_rows(page: Sequence[Line]) -> list[Line]:
    """Return the lines of a page with those in one that stand side by side: raised letters, cells of a table."""
    rows: list[Line] = []
    for line in page:
        last = rows[-1] if rows else None
        size = max(line.size, last.size) if last else 0.0
        if last and abs(last.bottom - line.top) < _SAME_ROW * size and line.left > last.left and line.right > last.right:
            larger = line if len(line.text) > len(last.text) else last
            space = " " if line.left - last.right > _WORD_GAP * size else ""
            joined = f"{last.text}{space}{line.text}"
            rows[-1] = Line(joined, last.left, line.right, max(last.top, line.top), larger.bottom, larger.size)
        else:
            rows.append(line)
    return rows


def _measure_spacing(pages: Sequence[Sequence[Line]]) -> dict[float, float]:
    """Return the usual distance of one line from the next for each size of font, in points."""
    found: dict[float, Counter[float]] = {}
    for page in pages:
        for above, below in pairwise(page):
            distance = above.bottom - below.top
            if _is_same_size(above, below) and 0 < distance < _MOST_SPACING * below.size:
                found.setdefault(round(below.size), Counter())[round(distance, 1)] += 1
    return {size: distances.most_common(1)[0][0] for size, distances in found.items()}


def _split_blocks(page: Sequence[Line], spacing: dict[float, float]) -> Iterator[list[Line]]:
    """Yield the runs of lines of one size that follow each other at the usual distance."""
    block: list[Line] = []
    for line in page:
        if block:
            usual = spacing.get(round(line.size), _USUAL_SPACING * line.size)
            is_below = 0 < block[-1].bottom - line.top < _WIDER_SPACING * usual
            if not (is_below and _is_same_size(block[-1], line)):
                yield block
                block = []
        block.append(line)
    if block:
        yield block


def _is_same_size(one: Line, other: Line) -> bool:
    return max(one.size, other.size) < _OTHER_SIZE * min(one.size, other.size)


def _is_heading(block: Sequence[Line], body_size: float) -> bool:
    text = " ".join(line.text for line in block)
    return block[0].size > _OTHER_SIZE * body_size and len(text) <= _LONGEST_HEADING and _NAMES.search(text) is not None


def _join_block(block: Sequence[Line]) -> str:
    left, right = min(line.left for line in block), max(line.right for line in block)
    text = block[0].text
    for above, below in pairwise(block):
        first_word = below.text.split(" ", 1)[0]
        word_width = (below.right - below.left) * len(first_word) / len(below.text)
        is_ended = above.right + word_width < left + _ROOM_LEFT * (right - left) and not below.text[0].islower()
        if _ENDS_SENTENCE.search(above.text) and abs(below.left - above.left) > _INDENT * below.size:
            text += f"\n\n{below.text}"
        elif is_ended or _ITEM.match(below.text):
            text += f"\n{below.text}"
        else:
            text = _continue(text, below.text)
    return text


def _goes_on(above: Line, below: Line) -> bool:
    """Return whether a sentence goes on in the next block: behind a formula, in the next column, on the next page."""
    is_open = above.text.endswith((",", ";", "(")) or (below.text[0].islower() and not _ENDS_SENTENCE.search(above.text))
    return is_open and _is_same_size(above, below)


def _continue(text: str, added: str) -> str:
    """Return a text that goes on, perhaps on the next page and in the middle of a word."""
    before = text.rstrip(PAGE_BREAK)
    breaks = text[len(before) :]
    if not _PARTED_AT_END.search(before) or not added[0].islower():
        is_spaced = unicodedata.east_asian_width(before[-1]) not in "WF" or unicodedata.east_asian_width(added[0]) not in "WF"
        return f"{before}{breaks}{' ' if is_spaced or breaks else ''}{added}"
    rest_of_word, _, others = added.partition(" ")
    return f"{before[:-1]}{HYPHEN}{rest_of_word}{breaks} {others}".rstrip(" ")


def _join_parted_words(text: str) -> str:
    """Return a text without the hyphens of line ends, but for those that seem to belong to their words.

    What a document writes elsewhere tells: the word with or without its hyphen, else its two parts as words of their own.
    """
    known = Counter(word.casefold() for word in _WORD.findall(_PARTED_WORD.sub(" ", text)))

    def join(match: re.Match[str]) -> str:
        head, tail = match["head"], match["tail"]
        whole, hyphenated = known[f"{head}{tail}".casefold()], known[f"{head}-{tail}".casefold()]
        are_words = not whole and known[head.casefold()] > 0 and known[tail.casefold()] > 0
        is_name = (tail[0].isupper() and not head.isupper()) or head[-1].isdigit() or tail[0].isdigit()
        return f"{head}-{tail}" if is_name or are_words or hyphenated > whole else f"{head}{tail}"

    return _PARTED_WORD.sub(join, text).replace(HYPHEN, "-")
