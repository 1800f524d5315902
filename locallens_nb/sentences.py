"""Where the sentences of a text begin and end: prose, list items, table rows and headings. Pure."""

from __future__ import annotations

import re

_SENTENCE_END = re.compile(
    r"(?<=[.!?…])[\"'”’)\]*_]*\s+(?=[^\sa-z])|(?<=[。！？])|\n\s*\n|\n(?=\s*(?:[-*+•>|#]|\d+[.)]\s))|(?<=\|)\n"
)
_ABBREVIATION = re.compile(
    r"(?:^[ \t#]*\d\d?|\b(?:(?<!\d )[A-Za-z]|[Nn]o|[Aa]rt|[Cc]f|[Dd]r|[Dd]ra|e\.g|i\.e|[Ff]ig|[Mm]rs?|[Mm]s|[Pp]p?|[Pp]rof"
    r"|[Ss]ra?|[Ss]t|[Vv]ol|vs|p\.ex|z\.\s?B|bzw|ca|[Nn]r|(?:[AaIi]m|[Dd](?:as|e[mnrs]|ie)|[Vv]om|[Zz]u[mr]|[Bb]is|[Ss]eit|[Aa]b)\s\d\d?))\.\Z",
    re.MULTILINE,
)
_LONGEST_ABBREVIATION = 9
"""What a full stop does not end a sentence after; a number only where it starts a line and so numbers an item or a
section, or after a German article or preposition, where it is an ordinal."""


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return where the sentences of a text stand, in order: start and end, without the white space around them.

    List items, table rows and headings are sentences of their own. Nothing but white space is left out.
    """
    ends = [match.end() for match in _SENTENCE_END.finditer(text) if not _ends_in_abbreviation(text, match.start())]
    spans = []
    for start, end in zip([0, *ends], [*ends, len(text)], strict=True):
        piece = text[start:end]
        if piece.strip():
            spans.append((start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())))
    return spans


def find_sentence_end(text: str) -> int | None:
    """Return where the first sentence of a text that still grows is sure to end; None while it may go on.

    The white space that follows the sentence belongs to it.
    """
    for match in _SENTENCE_END.finditer(text):
        if match.end() < len(text) and not _ends_in_abbreviation(text, match.start()):
            return match.end()
    return None


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text verbatim, as :func:`sentence_spans` finds them."""
    return [text[start:end] for start, end in sentence_spans(text)]


def _ends_in_abbreviation(text: str, position: int) -> bool:
    return _ABBREVIATION.search(text, max(0, position - _LONGEST_ABBREVIATION), position) is not None
