"""Cut documents into chunks that an embedding model reads whole.

A cut falls before a section, else between paragraphs, else after a sentence, else before a line, else before a word, and
inside a word only when nothing else is left. Sizes are counted in the embedding model's own tokens.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from locallens_nb.domain import LocalDocument, TextChunk
from locallens_nb.errors import InvalidSettingError
from locallens_nb.file_types import NOTEBOOK, PDF, WEB_PAGES, extension_of, is_code_name
from locallens_nb.readers.notebook import CELL_LINE
from locallens_nb.readers.page_text import PAGE_BREAK, is_paged

# Long runs count as more than the one token, or none, that a tokenizer makes of them.
_CHARACTERS_PER_TOKEN = 16
_SPACES_PER_TOKEN = 64
_LONG_RUN = re.compile(rf"\S{{{_CHARACTERS_PER_TOKEN + 1},}}|\s{{{_SPACES_PER_TOKEN + 1},}}")
_BATCH_CHARACTERS = 4096
_SPACE = re.compile(r"\s")
_LINE = re.compile(r"^[^\S\n]*\S[^\n]*", re.MULTILINE)
_SENTENCE_END = re.compile(r"""(?:(?<=[.!?…])|(?<=[.!?…]["'”’)\]]))\s++(?=[^a-z\s])|[。！？]++[」』”’）]*+""")
_FENCE = re.compile(r"\s*(`{3,}(?=[^`]*$)|~{3,})")
_ITEM = re.compile(r"\s*(?:[-*+•]\s|[|>]|\d{1,3}[.)]\s)")
_NEVER = re.compile(r"(?!)")
_HASHES = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_HASHES_OR_TAG = re.compile(r" {0,3}#{1,6}(?:\s|$)|\s*<h[1-6][\s>]", re.IGNORECASE)
_MARKDOWN = (".md", ".mdx", ".markdown", ".rmd", ".qmd", "")
_CODE = ".code"
# How headings look in prose; a file with another extension is code or data, and has none.
_HEADINGS = {
    **dict.fromkeys((*_MARKDOWN, NOTEBOOK, ".txt", PDF), _HASHES),
    **dict.fromkeys(WEB_PAGES, _HASHES_OR_TAG),  # a page is read as Markdown, a template as it is
    **dict.fromkeys((".rst", ".xml"), _NEVER),
    ".adoc": re.compile(r"={1,6}\s"),
    ".org": re.compile(r"\*+\s"),
    ".tex": re.compile(r"\s*\\(?:part|chapter|(?:sub)*section|paragraph)\*?\s*\{"),
}
_UNDERLINES = {
    **dict.fromkeys(_MARKDOWN, re.compile(r"(?:=+|-{3,})\s*$")),
    ".rst": re.compile(r"""([=\-~^"'*+#.:_`])\1{2,}\s*$"""),
}


class Tokenizer(Protocol):
    """Says where the tokens of a text start."""

    def token_starts(self, texts: Sequence[str]) -> list[NDArray[np.int64]]:
        """For each text, the ascending character offsets at which its tokens start."""


def chunk_document(
    document: LocalDocument,
    *,
    brain_id: str,
    tokenizer: Tokenizer,
    chunk_tokens: int = 220,
    overlap_tokens: int = 40,
) -> list[TextChunk]:
    """Cut one document into chunks: verbatim slices without surrounding white space, which together hold all its text.

    Paragraphs are packed whole while they fit. Small sections share a chunk; one that is at least half full ends before
    the next heading, unless all the rest fits. A heading stays with the text under it. Neighbours share up to
    ``overlap_tokens`` tokens, from the start of a sentence, else of a word; less where the next paragraph would no
    longer fit whole, whole lines only in code and data, and nothing across a heading.

    Parameters
    ----------
    document
        Its extension or name tells prose from code, in which a line is what a sentence is in prose.
    tokenizer
        That of the embedding model.
    chunk_tokens
        Most tokens of a chunk, without the model's special tokens.
    overlap_tokens
        Most tokens that two neighbours share.

    Returns
    -------
    list[TextChunk]
        In the order of the text, numbered from 0; empty when there is only white space.

    Raises
    ------
    InvalidSettingError
        When ``overlap_tokens`` is negative or not less than ``chunk_tokens``.
    """
    if not 0 <= overlap_tokens < chunk_tokens:
        raise InvalidSettingError(
            f"chunk_tokens ({chunk_tokens}) must be greater than overlap_tokens ({overlap_tokens}).",
            hint="The defaults are 220 and 40.",
        )
    text, path = document.content, document.relative_path
    cutter = _Cutter(
        text=text,
        tokens=_find_token_starts(text, tokenizer),
        layout=_read_layout(text, _CODE if is_code_name(path) else extension_of(path)),
        chunk_tokens=chunk_tokens,
        overlap_tokens=overlap_tokens,
        token_starts_of=lambda part: tokenizer.token_starts([part])[0],
    )
    return list(_make_chunks(document, cutter.cut(), brain_id=brain_id))


def _make_chunks(document: LocalDocument, spans: Iterable[tuple[int, int]], *, brain_id: str) -> Iterator[TextChunk]:
    line, counted, index, end = 1, 0, 0, 0
    line_end = PAGE_BREAK if is_paged(document.relative_path) else "\n"
    for span_start, span_end in spans:
        part = document.content[span_start:span_end]
        content = part.strip()
        start = span_start + len(part) - len(part.lstrip())
        # Past the overlap there may be white space only.
        if start + len(content) <= end or not content:
            continue
        end = start + len(content)
        line += document.content.count(line_end, counted, start)
        counted = start
        yield TextChunk(
            id=f"{document.checksum[:12]}-{index}",
            brain_id=brain_id,
            relative_path=document.relative_path,
            chunk_index=index,
            content=content,
            checksum=document.checksum,
            start_offset=start,
            end_offset=end,
            start_line=line,
            end_line=line + content.count(line_end),
        )
        index += 1


def _find_token_starts(text: str, tokenizer: Tokenizer) -> list[int]:
    """Return where the tokens of the whole text start; long runs without one get a start at even distances."""
    bounds = [0]
    while bounds[-1] < len(text):
        space = _SPACE.search(text, bounds[-1] + _BATCH_CHARACTERS)
        bounds.append(space.start() if space else len(text))
    pieces = list(pairwise(bounds))
    found = tokenizer.token_starts([text[start:end] for start, end in pieces])
    shifted = [starts + offset for starts, (offset, _) in zip(found, pieces, strict=True)]
    starts: NDArray[np.int64] = np.concatenate([np.zeros(0, np.int64), *shifted])
    fence = np.concatenate([[0], starts, [len(text)]])
    extra: list[int] = []
    for gap in np.flatnonzero(np.diff(fence) > _CHARACTERS_PER_TOKEN):
        for run in _LONG_RUN.finditer(text, int(fence[gap]), int(fence[gap + 1])):
            step = _SPACES_PER_TOKEN if run.group()[0].isspace() else _CHARACTERS_PER_TOKEN
            extra += range(run.start() + step, run.end(), step)
    return sorted([*starts.tolist(), *extra])


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where a text may be cut, as ascending character offsets.

    ``blocks`` are paragraphs, each with the headings above it; ``sections`` are those blocks that have a heading, and
    ``bodies`` the start of the text under it. ``sentences`` holds the blocks too. Neither sentences nor lines fall
    between a heading and its text. ``is_prose`` is false of code and data, where half a line says nothing.
    """

    sections: list[int]
    bodies: list[int]
    blocks: list[int]
    sentences: list[int]
    lines: list[int]
    is_prose: bool

    def is_in_heading(self, position: int) -> bool:
        """Return whether a cut at ``position`` would part a heading from its text."""
        index = bisect_left(self.sections, position) - 1
        return index >= 0 and position <= self.bodies[index]


def _classify_lines(text: str, extension: str) -> Iterator[tuple[int, str]]:
    """Yield where each line that is not blank starts, and what it is.

    A ``heading``; an ``underline``, which makes a heading of the line before; the first line of a ``block``; an ``item``
    of a list, a table or code; else a ``line``. What looks like a heading inside a fence or a code cell is none.
    """
    heading, underline = _HEADINGS.get(extension, _NEVER), _UNDERLINES.get(extension, _NEVER)
    is_code = extension not in _HEADINGS
    fence = kind = previous_kind = ""
    next_start = -1
    for match in _LINE.finditer(text):
        start, line = match.start(), match.group()
        is_fresh = start != next_start
        next_start = match.end() + 1
        last_kinds = (previous_kind, kind)
        previous_kind = kind
        cell = CELL_LINE.match(line) if extension == ".ipynb" else None
        if cell:
            fence, is_code, kind = "", cell["kind"] != "markdown", "heading"
        elif fence:
            bar = line.strip()
            if len(bar) >= len(fence) and not bar.strip(fence[0]):
                fence, next_start = "", -1
            kind = "item"
        elif is_code:
            kind = "block" if is_fresh else "item"
        elif heading in {_HASHES, _HASHES_OR_TAG} and (opening := _FENCE.match(line)):
            fence, kind = opening[1], "block"
        elif heading.match(line) or (is_fresh and extension == ".rst" and underline.match(line)):
            kind = "heading"
        elif not is_fresh and (last_kinds[1] == "block" or last_kinds == ("heading", "line")) and underline.match(line):
            kind = "underline"
        elif is_fresh:
            kind = "block"
        else:
            kind = "item" if _ITEM.match(line) else "line"
        yield start, kind


def _read_layout(text: str, extension: str) -> _Layout:
    sections: list[int] = []
    bodies: list[int] = []
    blocks: list[int] = []
    lines: list[int] = []
    items: list[int] = []
    is_body_pending = False
    for start, kind in _classify_lines(text, extension):
        if kind == "underline" and not (bodies and bodies[-1] == lines[-1]) and blocks[-1] == lines[-1]:
            sections.append(lines[-1])
            bodies.append(len(text))
        elif kind == "heading" and not is_body_pending:
            sections.append(start)
            bodies.append(len(text))
            blocks.append(start)
        elif kind not in {"heading", "underline"}:
            if is_body_pending:
                bodies[-1] = start
            elif kind == "block":
                blocks.append(start)
            elif kind == "item":
                items.append(start)
        is_body_pending = kind in {"heading", "underline"}
        if is_body_pending:
            bodies[-1] = len(text)
        lines.append(start)
    sentences = {*blocks, *items}
    if extension in _HEADINGS:
        sentences.update(match.end() for match in _SENTENCE_END.finditer(text))
    layout = _Layout(sections, bodies, blocks, [], [], is_prose=extension in _HEADINGS)
    layout.sentences.extend(position for position in sorted(sentences) if not layout.is_in_heading(position))
    layout.lines.extend(position for position in lines if not layout.is_in_heading(position))
    return layout


@dataclass(frozen=True, slots=True)
class _Cutter:
    """Chooses the cuts of one text. Positions are character offsets; ``floor`` is the end of the chunk before."""

    text: str
    tokens: list[int]
    layout: _Layout
    chunk_tokens: int
    overlap_tokens: int
    token_starts_of: Callable[[str], NDArray[np.int64]]

    def cut(self) -> Iterator[tuple[int, int]]:
        """Yield start and end of each chunk; starts and ends both ascend, and no text lies between two chunks."""
        start = floor = 0
        while floor < len(self.text):
            end = self._choose_end(start, floor)
            if self._is_in_word(start) or self._is_in_word(end):
                start, end = self._shrink(start, end, floor)
            yield start, end
            start, floor = self._choose_start(start, end), end

    def _choose_end(self, start: int, floor: int) -> int:
        tokens, layout = self.tokens, self.layout
        first = bisect_left(tokens, start)
        if len(tokens) - first <= self.chunk_tokens:
            return len(self.text)
        limit = tokens[first + self.chunk_tokens]
        if limit <= floor:
            # Several tokens start at one character, and a character cannot be cut.
            return next(iter(tokens[bisect_right(tokens, floor) :][:1]), len(self.text))
        quarter = max(tokens[first + self.chunk_tokens // 4], floor + 1)
        half = max(tokens[first + self.chunk_tokens // 2], floor + 1)
        section = _first_within(layout.sections, half, limit)
        if section is not None:
            return section
        block = _last_within(layout.blocks, floor + 1, limit)
        if block is not None and (block >= half or self._count_block_tokens(block) <= self.chunk_tokens):
            return block
        for candidates in (layout.sentences, layout.lines):
            position = _last_within(candidates, quarter, limit)
            if position is not None:
                return position
        words = (position for position in reversed(self._tokens_within(quarter, limit)) if self._starts_word(position))
        return next(words, limit)

    def _choose_start(self, previous_start: int, end: int) -> int:
        """Return where the chunk after ``end`` starts: there, or before it by what the two shall share."""
        layout, tokens = self.layout, self.tokens
        last = bisect_left(tokens, end)
        room = self.overlap_tokens
        block = bisect_left(layout.blocks, end)
        if block < len(layout.blocks) and layout.blocks[block] == end:
            # A paragraph that fits whole is not to be cut for the sake of the overlap.
            spare = self.chunk_tokens - self._count_block_tokens(end)
            room = min(room, spare) if spare >= 0 else room
        if room <= 0 or end >= len(self.text) or _last_within(layout.sections, end, end) is not None:
            return end
        earliest = max(last - room, bisect_left(tokens, previous_start) + 1)
        lowest = tokens[earliest] if earliest < last else end
        section = _last_within(layout.sections, lowest, end - 1)
        if section is not None:
            return section
        sentence = _first_within(layout.sentences, lowest, end - 1)
        if not layout.is_prose and _last_within(layout.lines, end, end) is not None:
            return end if sentence is None else sentence
        if sentence is not None and last - bisect_left(tokens, sentence) >= room // 4:
            return sentence
        words = (position for position in self._tokens_within(lowest, end - 1) if self._starts_word(position))
        return next(words, lowest)

    def _shrink(self, start: int, end: int, floor: int) -> tuple[int, int]:
        """Return a span that holds no more than ``chunk_tokens`` when it is tokenised by itself.

        A cut inside a word makes other tokens of its two parts than the whole word had.
        """
        while True:
            starts = self.token_starts_of(self.text[start:end])
            if len(starts) <= self.chunk_tokens:
                return start, end
            cut = start + int(starts[self.chunk_tokens])
            if cut > floor:
                end = cut
            elif start < floor:
                start = floor
            else:
                return start, end

    def _count_block_tokens(self, block: int) -> int:
        following = bisect_right(self.layout.blocks, block)
        end = self.layout.blocks[following] if following < len(self.layout.blocks) else len(self.text)
        return bisect_left(self.tokens, end) - bisect_left(self.tokens, block)

    def _tokens_within(self, lowest: int, highest: int) -> list[int]:
        return self.tokens[bisect_left(self.tokens, lowest) : bisect_right(self.tokens, highest)]

    def _starts_word(self, position: int) -> bool:
        return position > 0 and self.text[position - 1].isspace() and not self.layout.is_in_heading(position)

    def _is_in_word(self, position: int) -> bool:
        """Return whether a tokenizer may see one word across ``position``."""
        sides = self.text[max(position - 1, 0) : position + 1]
        return 0 < position < len(self.text) and not any(_stands_alone(side) for side in sides)


def _stands_alone(character: str) -> bool:
    """Return whether tokenizers part this character from its neighbours: white space, punctuation, Chinese characters."""
    if character.isascii():
        return not character.isalnum()
    return character.isspace() or "一" <= character <= "鿿" or unicodedata.category(character).startswith("P")


def _first_within(positions: list[int], lowest: int, highest: int) -> int | None:
    index = bisect_left(positions, lowest)
    return positions[index] if index < len(positions) and positions[index] <= highest else None


def _last_within(positions: list[int], lowest: int, highest: int) -> int | None:
    index = bisect_right(positions, highest) - 1
    return positions[index] if index >= 0 and positions[index] >= lowest else None
