"""Which texts hold the words of a question (BM25). Built in memory from the chunks; nothing of it is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locallens_nb.language.words import find_parts, find_words, stem_word

_SATURATION = 1.5
_LENGTH_PART = 0.75
"""k1 and b of BM25. Others in use (0.8, 1.2 and 2.5; 0.5 and 0.9) moved hit@5 by half a point at most."""


class KeywordIndex:
    """The words of texts, weighted by rarity and by how much of the text they are.

    A question is compared twice, and the two comparisons count the same: by its words without endings, and by the parts of
    its words, which find compounds, inflections and slips of the pen.

    Parameters
    ----------
    texts
        The texts, in the order of the positions that :meth:`coverage` answers for.

    Notes
    -----
    BM25 (Robertson and Zaragoza 2009, doi:10.1561/1500000019) with the rarity that Lucene gives a word. What is kept is how
    often each text holds each whole word; stems and parts are looked up for the words that are asked, which takes a few
    milliseconds and a tenth of the memory of an index of all parts. Hit@1 / hit@5 over all questions of the sets of
    ``tests/benchmarks/retrieval_quality.py`` by stems, by parts, by both: English .928/.990, .924/.990, .942/.992; Spanish
    .919/.988, .921/.988, .926/.991; German .892/.976, .924/.982, .933/.984; Chinese .924/.991, .935/.989, .935/.992;
    Portuguese .842/.975, .873/.984, .871/.986; ClapNQ .853/.953, .873/.973, .880/.980.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        places: dict[str, int] = {}
        words: list[int] = []
        ends = [0]
        for text in texts:
            words += [places.setdefault(word, len(places)) for word in find_words(text)]
            ends.append(len(words))
        self._counts = _count(words, ends, width=len(places))
        self._views = [_View(list(places), self._counts, split) for split in (_split_stem, find_parts)]

    @property
    def highest_rarity(self) -> float:
        """Inverse document frequency of a word that no text holds."""
        return float(_rarity(np.zeros(1), size=self._counts.shape[0])[0])

    def rarity(self, stems: Iterable[str]) -> dict[str, float]:
        """Return the inverse document frequency of those of some stems (:func:`stem_word`) that a text holds."""
        return self._views[0].rarity(stems)

    @property
    def counts(self) -> Any:
        """How often each text holds each whole word: a sparse array, shape ``(len(texts), words)``, float32."""
        return self._counts

    def coverage(self, question: str) -> NDArray[np.float64]:
        """Return how far each text covers the words of a question, from 0 to below 1, shape ``(len(texts),)``.

        It is the text's BM25 score, divided by what a text of nothing but those words would approach. The more of the question
        is in no text at all, the less the rest of its words can tell.
        """
        words = find_words(question)
        both: NDArray[np.float64] = np.mean([view.coverage(words) for view in self._views], axis=0)
        return both


class _View:
    """Texts compared by one kind of terms, which words are split into."""

    def __init__(self, vocabulary: Sequence[str], counts: Any, split: Callable[[str], list[str]]) -> None:
        self._split = split
        self._places: dict[str, int] = {}
        terms: list[int] = []
        ends = [0]
        for word in vocabulary:
            terms += [self._places.setdefault(term, len(self._places)) for term in split(word)]
            ends.append(len(terms))
        self._of_words = _count(terms, ends, width=len(self._places))
        self._counts = counts
        lengths = counts @ self._of_words.sum(axis=1)
        average = max(float(lengths.mean()), 1.0) if len(lengths) else 1.0
        self._saturation = _SATURATION * (1 - _LENGTH_PART + _LENGTH_PART * lengths / average)

    def coverage(self, words: Sequence[str]) -> NDArray[np.float64]:
        """Return the coverage of :meth:`KeywordIndex.coverage` by these terms alone."""
        size: int = self._counts.shape[0]
        asked = list(dict.fromkeys(term for word in words for term in self._split(word)))
        known = [self._places[term] for term in asked if term in self._places]
        if not known:
            return np.zeros(size)
        found = self._count_terms(known)
        rarity = _rarity(np.diff(found.indptr), size=size)
        unknown = (len(asked) - len(known)) * _rarity(np.zeros(1), size=size)[0]
        found.data = found.data / (found.data + self._saturation[found.indices])
        covered: NDArray[np.float64] = np.asarray(found @ rarity, dtype=np.float64) / (rarity.sum() + unknown)
        return covered

    def rarity(self, terms: Iterable[str]) -> dict[str, float]:
        """Return the inverse document frequency of the terms that a text holds."""
        known = {term: place for term in terms if (place := self._places.get(term)) is not None}
        if not known:
            return {}
        values = _rarity(np.diff(self._count_terms(list(known.values())).indptr), size=self._counts.shape[0])
        return dict(zip(known, values.tolist(), strict=True))

    def _count_terms(self, known: Sequence[int]) -> Any:
        """Return how often each text holds each of some terms: a sparse array by columns."""
        of_words = self._of_words[:, known]
        present = np.unique(of_words.indices)
        return (self._counts[:, present] @ of_words[present]).tocsc()


def _rarity(held_by: NDArray[Any], *, size: int) -> NDArray[np.float64]:
    """Return the inverse document frequency of terms, by how many of the texts hold them."""
    rarity: NDArray[np.float64] = np.log1p((size - held_by + 0.5) / (held_by + 0.5))
    return rarity


def _split_stem(word: str) -> list[str]:
    return [stem_word(word)]


def _count(columns: Sequence[int], ends: Sequence[int], *, width: int) -> Any:
    """Return how often each row holds each column: a sparse array by columns, shape ``(len(ends) - 1, width)``, float32.

    Parameters
    ----------
    columns, ends
        The columns of all rows one after another, and where each row ends; ``ends`` starts with 0.
    """
    from scipy.sparse import csr_array

    entries = (np.ones(len(columns), dtype=np.float32), np.asarray(columns, dtype=np.int32), np.asarray(ends, dtype=np.int32))
    counts = csr_array(entries, shape=(len(ends) - 1, width))
    counts.sum_duplicates()
    return counts.tocsc()
