"""Text as it comes from a model: what may be shown of it, and when it goes round in circles. Pure, no threads."""

from __future__ import annotations

from collections.abc import Iterator

_OPEN = "<think>"
_CLOSE = "</think>"
_SHORTEST_LOOP = 60
_LONG_UNIT = 24
_LONGEST_UNIT = 400
_SHORTEST_REPETITION = 36
"""As many characters at the end of any loop have stood before: one and a half of the shortest long unit, of others more."""


class VisibleText:
    """Holds back ``<think>`` sections, however their tags are split over pieces, and leading white space.

    Attributes
    ----------
    text
        All visible text so far, which is what was returned. A closing tag that nothing opened is left out; the text before
        it has been shown and stays.
    """

    def __init__(self) -> None:
        self.text = ""
        self._pending = ""
        self._thinking = False

    def feed(self, piece: str) -> str:
        """Take the next piece from the model and return what is now safe to show."""
        self._pending += piece
        shown = ""
        while True:
            tag, position = self._next_tag()
            if tag is None:
                break
            before, self._pending = self._pending[:position], self._pending[position + len(tag) :]
            if not self._thinking:
                shown += self._show(before)
            self._thinking = tag == _OPEN
        held = _partial_tag_length(self._pending)
        ready, self._pending = self._pending[: len(self._pending) - held], self._pending[len(self._pending) - held :]
        return shown if self._thinking else shown + self._show(ready)

    def finish(self) -> str:
        """Return what was held back as the possible start of a tag and turned out to be text."""
        rest, self._pending = self._pending, ""
        return "" if self._thinking else self._show(rest)

    def _next_tag(self) -> tuple[str | None, int]:
        found = [(position, tag) for tag in (_OPEN, _CLOSE) if (position := self._pending.find(tag)) >= 0]
        position, tag = min(found, default=(-1, None))
        return tag, position

    def _show(self, text: str) -> str:
        if not self.text:
            text = text.lstrip()
        self.text += text
        return text


def _partial_tag_length(text: str) -> int:
    """Return how many characters at the end of a text could be the start of a tag."""
    for length in range(min(len(text), len(_CLOSE) - 1), 0, -1):
        if _OPEN.startswith(text[-length:]) or _CLOSE.startswith(text[-length:]):
            return length
    return 0


def is_looping(text: str) -> bool:
    """Return whether a text ends in the same words again and again. Only its last 1,000 characters are looked at.

    A unit of 24 or more characters counts when it stands twice and a half in a row, before the third is complete; a
    shorter one when it fills 60 characters at least four times. Units without a letter or digit (rules of dashes,
    rows of table borders) never count.
    """
    text = text[-_loop_length(_LONGEST_UNIT) :]
    return any(_repeats(text, unit_length) for unit_length in _possible_units(text))


def _possible_units(text: str) -> Iterator[int]:
    """Yield how far before the end of a text its last characters stand already, the nearest first."""
    end = text[-_SHORTEST_REPETITION:]
    found = last = len(text) - len(end)
    first = max(0, last - _LONGEST_UNIT)
    while found > first and (found := text.rfind(end, first, found + len(end) - 1)) >= 0:
        yield last - found


def _repeats(text: str, unit_length: int) -> bool:
    tail = text[-_loop_length(unit_length) :]
    return (
        len(tail) == _loop_length(unit_length)
        and tail[unit_length:] == tail[:-unit_length]
        and any(map(str.isalnum, tail[:unit_length]))
    )


def _loop_length(unit_length: int) -> int:
    """Return how many characters a unit must fill to be a loop."""
    return max(_SHORTEST_LOOP, 4 * unit_length) if unit_length < _LONG_UNIT else unit_length * 5 // 2
