"""Which chunks hold the words of a question (BM25). Built in memory from the chunks; nothing of it is stored."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from locallens_nb.words import split_words


class KeywordIndex:
    """The words of chunks, weighted by rarity and by how much of the chunk they are.

    Parameters
    ----------
    words
        The words of each chunk as :func:`~locallens_nb.words.split_words` gives them, in the order of the positions that
        :meth:`coverage` answers for.

    Notes
    -----
    BM25 (Robertson and Zaragoza 2009, doi:10.1561/1500000019) as Lucene computes it, with k1 = 1.5 and b = 0.75.
    """

    def __init__(self, words: Sequence[list[str]]) -> None:
        import bm25s

        frequency = Counter(word for found in words for word in set(found))
        self._rarity = {word: math.log1p((len(words) - count + 0.5) / (count + 0.5)) for word, count in frequency.items()}
        self._count = len(words)
        self._bm25 = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
        if frequency:
            self._bm25.index(list(words), show_progress=False)

    def coverage(self, question: str) -> NDArray[np.float64]:
        """Return how far each chunk covers the words of a question, from 0 to below 1, shape ``(len(words),)``.

        It is the chunk's BM25 score, divided by what a chunk of nothing but those words would approach. Words that are in
        no chunk say nothing about any.
        """
        known = [word for word in dict.fromkeys(split_words(question)) if word in self._rarity]
        if not known:
            return np.zeros(self._count)
        scores: NDArray[np.float64] = np.asarray(self._bm25.get_scores(known), dtype=np.float64)
        return scores / sum(self._rarity[word] for word in known)
