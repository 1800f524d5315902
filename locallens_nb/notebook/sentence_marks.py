"""Where sentences begin and end, carried through a Markdown parser as characters that no text has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from locallens_nb.domain import AnswerSentence

DOUBTS = {"unsupported": "no excerpt says this", "weak": "the excerpts say only part of this"}
"""What is said of a sentence, by its support; no others are marked."""

_FIRST_BEGIN = 0xF0000
_MOST_SENTENCES = 0xFFFE
_END = "\U0010fffd"
_MARK = re.compile("[\U000f0000-\U0010ffff]")
"""The private use planes: characters without a meaning, so that Markdown takes them for letters."""

_MARKERS = re.compile(r"\s*(?:(?:[-*+>#|]+|\d+[.)])\s+)*")
_CLOSED = r"\[\d+\]|\]\([^)\s]*\)?|<[^>\s]*>|&#?\w+;"
"""What a mark must not stand in: references, the targets of links, and character references."""
_BEGIN_WORD = re.compile(rf"{_CLOSED}|[^\W_]")
_END_WORD = re.compile(rf"(?P<closed>{_CLOSED})|[^\W_]|(?<=\w)[.!?…。！？]+")


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark that was found: where it stands, and the sentence that begins with it, or what ends there."""

    start: int
    begins: bool
    sentence: int


def insert_marks(text: str, sentences: Sequence[AnswerSentence]) -> str:
    """Return a text with a mark where a sentence of :data:`DOUBTS` begins and where it ends; it has no others."""
    text = _MARK.sub("\ufffd", text)
    marked = {at for at, sentence in enumerate(sentences[:_MOST_SENTENCES]) if sentence.support in DOUBTS}
    if not marked:
        return text
    edges: list[tuple[int, str]] = []
    for at, sentence in enumerate(sentences):
        begin, end = _find_words(text, sentence)
        if begin is None:
            continue
        edges.append((begin, chr(_FIRST_BEGIN + at) if at in marked else _END))
        if at in marked:
            edges.append((end, _END))
    pieces: list[str] = []
    position = 0
    for place, mark in sorted(edges, key=lambda edge: edge[0]):
        pieces += [text[position:place], mark]
        position = place
    return "".join([*pieces, text[position:]])


def find_marks(text: str) -> list[Mark]:
    """Return the marks in a text, in order."""
    return [
        Mark(match.start(), match.group() != _END, ord(match.group()) - _FIRST_BEGIN if match.group() != _END else -1)
        for match in _MARK.finditer(text)
    ]


def remove_marks(text: str) -> str:
    """Return a text without marks."""
    return _MARK.sub("", text)


def _find_words(text: str, sentence: AnswerSentence) -> tuple[int | None, int]:
    """Return where the first word of a sentence begins and its last one ends; None for a sentence without words."""
    start = sentence.start_offset
    body = text[start : sentence.end_offset]
    markers = _MARKERS.match(body)
    first = _BEGIN_WORD.search(body, markers.end() if markers else 0)
    if first is None:
        return None, 0
    end = first.start()
    for match in _END_WORD.finditer(body, first.start()):
        closed = match["closed"] or ""
        if closed.startswith("]"):
            end = match.start()
        elif not closed.startswith("["):
            end = match.end()
    return start + first.start(), start + end
