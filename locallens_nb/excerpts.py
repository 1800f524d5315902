"""From ranked chunks to the excerpts that are shown and read: what stands twice once, and each passage in one piece. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from locallens_nb.domain import SearchHit, TextChunk
from locallens_nb.file_types import extension_of
from locallens_nb.questions.query import WORD_CHARACTER, fold_text
from locallens_nb.readers.page_text import PAGE_BREAK, is_paged

SEPARATED = (".csv", ".tsv")
"""Files of separated values: their first line tells what stands in all the others."""
REACH_CHARACTERS = 2000
"""How much of what stands before an excerpt is read with it."""

_SHINGLE_WORDS = 5
_MOST_NEW_PART = 0.1
_MOST_NEW_IN_A_ROW = 3
_WORDS = re.compile(rf"{WORD_CHARACTER}+|\w")


def gather_excerpts(
    ranked: Sequence[tuple[TextChunk, float]],
    *,
    question: str,
    count: int,
    count_tokens: Callable[[str], int],
    budget_tokens: int,
) -> list[SearchHit]:
    """Return the excerpts to show of the chunks that were found, in the order of the best chunk of each.

    A chunk that repeats what better ones say takes no place: a copy of a file, a section pasted twice. Chunks of one
    document that overlap or touch become one excerpt, which takes one place, and the places that this frees are filled while
    all excerpts together stay within the budget; after ``count`` chunks that do not fit, no more are tried. The first
    ``count`` chunks that repeat nothing are always in.

    Parameters
    ----------
    ranked
        Chunks with their similarity, best first; more than ``count``, so that there are some to fill places with.
    question
        A chunk that has a word of it which the others lack repeats nothing.
    count
        Most excerpts to return.
    count_tokens
        Size of a text in tokens.
    budget_tokens
        Most tokens of all excerpts together; that of ``count`` whole chunks.

    Returns
    -------
    list[SearchHit]
        Each a verbatim slice of its document, under the id, the index and the similarity of its best chunk.
    """
    seen = _Seen(question)
    size = cache(count_tokens)
    kept: list[_Ranked] = []
    passages: list[_Passage] = []
    too_large = 0
    for rank, (chunk, similarity) in enumerate(ranked):
        if len(passages) == count or too_large == count:
            break
        candidate = _Ranked(rank, chunk, similarity)
        touches = any(_join(_Passage.of(candidate), passage) for passage in passages)
        if not touches and seen.holds(chunk.content):
            continue
        wider = _assemble([*kept, candidate])
        if len(kept) >= count and sum(size(passage.content) for passage in wider) > budget_tokens:
            too_large += 1
            continue
        kept.append(candidate)
        passages = wider
        seen.add(chunk.content)
    return [passage.to_hit() for passage in passages]


@dataclass(frozen=True, slots=True)
class _Ranked:
    rank: int
    chunk: TextChunk
    similarity: float


@dataclass(frozen=True, slots=True)
class _Passage:
    """A slice of a document that one chunk or several neighbours cover; ``best`` is the one that was ranked first."""

    best: _Ranked
    content: str
    start_offset: int | None
    end_offset: int | None
    start_line: int | None
    end_line: int | None

    @classmethod
    def of(cls, ranked: _Ranked) -> _Passage:
        chunk = ranked.chunk
        return cls(ranked, chunk.content, chunk.start_offset, chunk.end_offset, chunk.start_line, chunk.end_line)

    def to_hit(self) -> SearchHit:
        chunk = self.best.chunk
        return SearchHit(
            id=chunk.id,
            relative_path=chunk.relative_path,
            chunk_index=chunk.chunk_index,
            content=self.content,
            score=self.best.similarity,
            start_line=self.start_line,
            end_line=self.end_line,
            start_offset=self.start_offset,
        )


def add_text_before(hit: SearchHit, chunks: Sequence[TextChunk]) -> SearchHit:
    """Return an excerpt with what stands before it.

    Parameters
    ----------
    chunks
        Of the same document, in order: its first one, and those that begin less than :data:`REACH_CHARACTERS` before the
        excerpt. Those of another version of the document tell nothing.
    """
    own = [chunk for chunk in chunks if chunk.id.split("-")[0] == hit.id.split("-")[0] and chunk.start_offset is not None]
    if not own or not hit.start_offset:
        return hit
    if extension_of(hit.relative_path) in SEPARATED:
        return replace(hit, text_before=own[0].content.split("\n", 1)[0] if own[0].chunk_index == 0 else "")
    lowest = hit.start_offset - REACH_CHARACTERS
    passage, line = "", None
    for chunk in own:
        start = chunk.start_offset or 0
        if lowest <= start < hit.start_offset:
            known = chunk.content[: hit.start_offset - start]
            passage = _extend(passage[: start - lowest], start - lowest, line, chunk.start_line) + known
            is_line_known = chunk.start_line is not None and not is_paged(chunk.relative_path)
            line = (chunk.start_line or 0) + known.count("\n") if is_line_known else None
    return replace(hit, text_before=_extend(passage, hit.start_offset - lowest, line, hit.start_line).lstrip())


def _extend(passage: str, length: int, line: int | None, next_line: int | None) -> str:
    """Return a passage with the white space up to what follows it, which chunks do not hold: line ends, then an indentation."""
    gap = length - len(passage)
    line_ends = gap if line is None or next_line is None else min(gap, next_line - line)
    return passage + "\n" * line_ends + " " * (gap - line_ends)


def _assemble(kept: Sequence[_Ranked]) -> list[_Passage]:
    """Return the passages that some chunks make together, the best first."""
    passages: list[_Passage] = []
    for ranked in sorted(kept, key=lambda one: (one.chunk.relative_path, one.chunk.start_offset or 0, one.rank)):
        joined = _join(passages[-1], _Passage.of(ranked)) if passages else None
        if joined:
            passages[-1] = joined
        else:
            passages.append(_Passage.of(ranked))
    return sorted(passages, key=lambda passage: passage.best.rank)


def _join(one: _Passage, other: _Passage) -> _Passage | None:
    """Return the slice that covers both, when it is known to the letter: they overlap, or only line or page ends part them."""
    if (one.best.chunk.relative_path, one.best.chunk.checksum) != (other.best.chunk.relative_path, other.best.chunk.checksum):
        return None
    if one.start_offset is None or other.start_offset is None or one.end_offset is None or other.end_offset is None:
        return None
    first, second = (one, other) if one.start_offset <= other.start_offset else (other, one)
    content = _join_texts(first, second)
    if content is None:
        return None
    longer = first if (first.end_offset or 0) >= (second.end_offset or 0) else second
    return _Passage(
        best=min(one.best, other.best, key=lambda ranked: ranked.rank),
        content=content,
        start_offset=first.start_offset,
        end_offset=longer.end_offset,
        start_line=first.start_line,
        end_line=longer.end_line,
    )


def _join_texts(first: _Passage, second: _Passage) -> str | None:
    gap = (second.start_offset or 0) - (first.end_offset or 0)
    if gap <= 0:
        shared = min(-gap, len(second.content))
        start = (second.start_offset or 0) - (first.start_offset or 0)
        agrees = first.content[start : start + shared] == second.content[:shared]
        return first.content + second.content[shared:] if agrees else None
    line_ends = (second.start_line or 0) - (first.end_line or 0)
    white = f"{PAGE_BREAK * line_ends}\n\n" if is_paged(first.best.chunk.relative_path) else "\n" * line_ends
    return first.content + white + second.content if gap == len(white) else None


class _Seen:
    """The text of the excerpts so far, as runs of words."""

    def __init__(self, question: str) -> None:
        self._asked = set(_split(question))
        self._shingles: set[tuple[str, ...]] = set()

    def add(self, text: str) -> None:
        self._shingles.update(shingle for _, shingle in _find_shingles(_split(text)))

    def holds(self, text: str) -> bool:
        """Say whether a text has nothing new but a few words that neither are asked for nor hold a digit."""
        words = _split(text)
        is_new = [True] * len(words)
        for start, shingle in _find_shingles(words):
            if shingle in self._shingles:
                is_new[start : start + len(shingle)] = [False] * len(shingle)
        new = [word for word, fresh in zip(words, is_new, strict=True) if fresh]
        if len(new) > _MOST_NEW_PART * len(words) or not words:
            return False
        in_a_row = max((len(run) for run in "".join("x" if fresh else " " for fresh in is_new).split()), default=0)
        return in_a_row <= _MOST_NEW_IN_A_ROW and not any(word in self._asked or not word.isalpha() for word in new)


def _split(text: str) -> list[str]:
    return _WORDS.findall(fold_text(text))


def _find_shingles(words: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the runs of words that texts are compared by, and where each starts; a short text is one run."""
    for start in range(max(1, len(words) - _SHINGLE_WORDS + 1)):
        yield start, tuple(words[start : start + _SHINGLE_WORDS])
