"""Markdown that is still being written, as safe HTML: finished blocks once, and only the last one again and again."""

from __future__ import annotations

from dataclasses import dataclass

from locallens_nb.notebook.markdown import markdown_to_html, split_last_block


@dataclass(frozen=True, slots=True)
class MarkdownChange:
    """What changed since the last time.

    Attributes
    ----------
    finished
        HTML of the blocks that are finished since then.
    kept
        How many characters at the start of the last block's HTML are still the same, counted as JavaScript does.
    last
        The rest of the last block's HTML.
    """

    finished: str
    kept: int
    last: str


class StreamedMarkdown:
    """Takes text as it comes and gives HTML as it changes.

    Attributes
    ----------
    finished_html
        HTML of all finished blocks.
    last_html
        HTML of the block that is being written.
    """

    def __init__(self, *, is_interactive: bool = True) -> None:
        self.finished_html = ""
        self.last_html = ""
        self._text = ""
        self._is_interactive = is_interactive

    def append(self, text: str) -> MarkdownChange:
        """Add text and return what it changes."""
        finished, self._text = split_last_block(self._text + text)
        finished_html = self._render(finished) if finished else ""
        last_html = self._render(self._text)
        same = 0 if finished else _count_same(self.last_html, last_html)
        change = MarkdownChange(finished_html, len(last_html[:same].encode("utf-16-le")) // 2, last_html[same:])
        self.finished_html += finished_html
        self.last_html = last_html
        return change

    def _render(self, text: str) -> str:
        return markdown_to_html(text, citations=None, is_interactive=self._is_interactive)


def _count_same(before: str, after: str) -> int:
    """Return how many characters at the start of two texts are the same."""
    return next(
        (at for at, both in enumerate(zip(before, after, strict=False)) if both[0] != both[1]), min(len(before), len(after))
    )
