"""HTML as Markdown, by the library markdownify, where that takes no time that grows with the square of the page."""

from __future__ import annotations

from collections import Counter
from textwrap import indent
from typing import Any

from bs4 import Tag
from markdownify import MarkdownConverter

_PLAIN = ["a", "abbr", "b", "del", "em", "i", "img", "s", "strong", "sub", "sup"]
"""What is written without the marks that Markdown has for it; of an image what it holds, as a person would see."""


class PageConverter(MarkdownConverter):  # type: ignore[misc, unused-ignore]
    """Writes elements as Markdown: plain words, ``#`` for headings, ``-`` for items."""

    def __init__(self) -> None:
        super().__init__(
            heading_style="atx", bullets="-", strip=_PLAIN, escape_asterisks=False, escape_underscores=False, escape_misc=False
        )
        self._items: Counter[int] = Counter()

    def convert_li(self, el: Tag, text: str, parent_tags: Any) -> str:
        """Return an item of a list. The library counts all items before it anew for each one that has a number."""
        numbered = el.parent if el.parent is not None and el.parent.name == "ol" else None
        if numbered is None:
            return str(super().convert_li(el, text, parent_tags))  # type: ignore[misc, unused-ignore]
        start = str(numbered.get("start"))
        bullet = f"{(int(start) if start.isdecimal() else 1) + self._items[id(numbered)]}. "
        self._items[id(numbered)] += 1
        item = indent(text.strip(), " " * len(bullet), lambda line: line != "\n")
        return f"{bullet}{item[len(bullet) :]}\n" if item else "\n"
