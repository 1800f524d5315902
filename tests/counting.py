"""How much of a text patterns read: work that is counted, since time on a shared machine says little."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import ModuleType

import pytest


class CountedPattern:
    """A compiled pattern in place of a module's own.

    Attributes
    ----------
    read
        The characters from where it began to where it matched, or to the end, added up over all calls.
    """

    def __init__(self, module: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self._pattern: re.Pattern[str] = getattr(module, name)
        self.read = 0
        monkeypatch.setattr(module, name, self)

    def search(self, text: str, start: int = 0, end: int | None = None) -> re.Match[str] | None:
        end = len(text) if end is None else end
        match = self._pattern.search(text, start, end)
        self.read += (match.end() if match else end) - start
        return match

    def finditer(self, text: str, start: int = 0) -> Iterator[re.Match[str]]:
        self.read += len(text) - start
        return self._pattern.finditer(text, start)
