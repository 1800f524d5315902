"""Which chunks hold a text to the letter, whatever words it is made of. Built in memory; nothing of it is stored."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from locallens_nb.passages.definitions import definition_pattern, finds_definition
from locallens_nb.questions.code_questions import find_asked_definitions
from locallens_nb.questions.query import find_exact_tokens, find_phrases, fold_text, literal_pattern, spell_literal

_MOST_HOLDERS = 0.05
_LEAST_HOLDERS = 3
"""A token that more than this part of the chunks hold, and more than so many of them, tells nothing that its words do not."""

_NAME = re.compile(r"[^\W\d][\w.:]*\w")


class LiteralIndex:
    """The texts of chunks, folded so that case, line ends and typographic marks make no difference.

    Parameters
    ----------
    texts
        In the order of the positions that the methods answer for.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._verbatim = texts
        self._texts = [fold_text(text) for text in texts]

    def count_phrases(self, question: str) -> NDArray[np.int64]:
        """Return how many of the phrases that a question quotes each chunk holds, shape ``(len(texts),)``."""
        counts = np.zeros(len(self._texts), dtype=np.int64)
        for phrase in find_phrases(question):
            counts += self._find(phrase)
        return counts

    def coverage(self, question: str) -> NDArray[np.float64]:
        """Return how far each chunk covers the exact tokens of a question, from 0 to 1, shape ``(len(texts),)``.

        Tokens count by their rarity, as words do in BM25, and so does where they are defined. What no chunk holds, or many do,
        counts nothing: a name that many chunks use counts where it is defined.
        """
        covered = np.zeros(len(self._texts))
        total = 0.0
        for token in dict.fromkeys((*find_exact_tokens(question), *find_asked_definitions(question))):
            holders = self._find(token)
            for chunks in (holders, self._find_definitions(token, holders)):
                count = int(chunks.sum())
                if 0 < count <= max(_LEAST_HOLDERS, _MOST_HOLDERS * len(chunks)):
                    rarity = math.log1p((len(chunks) - count + 0.5) / (count + 0.5))
                    covered += rarity * chunks
                    total += rarity
        return covered / total if total else covered

    def _find_definitions(self, token: str, holders: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which of the chunks that hold a name define it, rather than use it."""
        defining = np.zeros(len(holders), dtype=bool)
        if _NAME.fullmatch(token):
            pattern = definition_pattern(token)
            places = holders.nonzero()[0].tolist()
            defining[[place for place in places if finds_definition(pattern, self._verbatim[place])]] = True
        return defining

    def _find(self, literal: str) -> NDArray[np.bool_]:
        spellings, pattern = spell_literal(literal), literal_pattern(literal)
        return np.array(
            [any(one in text for one in spellings) and pattern.search(text) is not None for text in self._texts], dtype=bool
        )
