"""Where the sentences of a text begin and end: prose, list items, table rows and headings. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from locallens_nb.language.words import split_words

_SENTENCE_END = re.compile(
    r"(?<=[.!?…])[\"'”’)\]*_]*\s+(?=[^\sa-z])|(?<=[。！？])|\n\s*\n|\n(?=\s*(?:[-*+•>|#]|\d+[.)]\s))|(?<=\|)\n"
)
_ABBREVIATION = re.compile(
    r"""
    (?: ^[ \t\#]* \d\d?                                            # the number of an item or a section, at the start of a line
      | \b (?: (?<!\d[ ]) [A-Za-z]                                  # an initial; after a number it is a unit: 3 m.
          | [Aa]rt | bzw | ca | [Cc]f | [Dd]ra? | e\.g | Eqs? | [Ee]t\sal | [Ff]igs? | i\.e | [Jj]r | [Mm]rs? | [Mm]s | [Nn]o
          | [Nn]r | [Pp]p? | p\.ex | [Pp]rof | Refs? | Secs? | [Ss]ra? | [Ss]t | [Vv]ol | vs | z\.\s?B
          | (?: [Aa]b | [AaIi]m | [Bb]is | [Dd](?:as|e[mnrs]|ie) | [Ss]eit | [Vv]om | [Zz]u[mr] ) \s \d\d?   # a German ordinal
          )
    ) \. \Z
    """,
    re.MULTILINE | re.VERBOSE,
)
"""What a full stop does not end a sentence after."""
_LONGEST_ABBREVIATION = 9
"""In characters, with the full stop."""

_MAY_BECOME_END = re.compile(r"(?<=[.!?…])[\"'”’)\]*_]*+\s*+\Z|\n\s*+(?:\d++[.)]?)?\Z")
"""What the text that follows could make an end of a sentence of, or move one in: all that ``_SENTENCE_END`` can begin with."""

_SHORTEST_BYTES = 12
"""In UTF-8, so that in scripts of three bytes a character, which say as much in fewer, four characters are enough."""
_WORD_AND_NUMBER = re.compile(r"(?=.*[^\W\d_]{2}).*\d")
"""What makes a short line of data say something, such as ``fee: 12``."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A part of a text that says something, or that leads to what does.

    Attributes
    ----------
    start_offset, end_offset
        Where it stands in the text.
    shown
        How it reads by itself: with what names it, such as the names of the columns of a row, and without marks of lists,
        tables and comments. All of it is word for word in the text.
    context
        What it continues: the heading above, the sentence before.
    is_quotable
        Whether it says something by itself; headings, questions and scraps do not.
    subject
        The name of the class, function or setting that a documentation in code tells of; "" for all else.
    """

    start_offset: int
    end_offset: int
    shown: str
    context: str
    is_quotable: bool
    subject: str = ""


def says_something(text: str, *, is_data: bool = False) -> bool:
    """Return whether a text is more than a scrap; data say something in fewer letters."""
    is_long = len(text.encode()) >= _SHORTEST_BYTES or (is_data and _WORD_AND_NUMBER.match(text) is not None)
    return is_long and bool(split_words(text))


def name_statement(names: Sequence[str], shown: str) -> str:
    """Return how a statement reads after the names that it stands under, without the last ones if it says them itself."""
    last = [name for name in names if name]
    while last and re.search(rf"(?<!\w){re.escape(last[-1])}(?!\w)", shown):
        last.pop()
    return ": ".join([*last, shown])


class SentenceEndFinder:
    """Finds where the first sentence of a text that still grows is sure to end.

    What was read once and cannot become an end any more is not read again, so that a long text without an end costs no
    more for each piece than a short one.
    """

    def __init__(self) -> None:
        self._start = 0

    def find(self, text: str) -> int | None:
        """Return the end of the first sentence, with the white space that follows it; None while it may go on.

        Parameters
        ----------
        text
            What was given the last time, and what has come since.
        """
        open_end = _MAY_BECOME_END.search(text, self._start)
        settled = open_end.start() if open_end else len(text)
        start = settled
        for match in _SENTENCE_END.finditer(text, self._start):
            if not _ends_in_abbreviation(text, match.start()):
                if match.end() < len(text):
                    return match.end()
            elif match.start() < settled:
                start = max(start, match.end())
        self._start = start
        return None


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


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text verbatim, as :func:`sentence_spans` finds them."""
    return [text[start:end] for start, end in sentence_spans(text)]


def _ends_in_abbreviation(text: str, position: int) -> bool:
    return _ABBREVIATION.search(text, max(0, position - _LONGEST_ABBREVIATION), position) is not None
