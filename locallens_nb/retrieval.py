"""Finding the chunks for a question by meaning and by words, and ranking the two together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from locallens_nb.index import FloatArray, Neighbour, VectorIndex
from locallens_nb.keywords import KeywordIndex
from locallens_nb.literals import LiteralIndex
from locallens_nb.query import Filters, find_named_files, require_allowed
from locallens_nb.words import split_words

WORDS_WEIGHT = 1.5
"""What full coverage of the question's words counts beside full similarity.

Measured with all-MiniLM-L6-v2, hit@1 / hit@5 by meaning, by words, together: XQuAD English .908/.988, .940/.992, .968/.996;
Spanish .460/.704, .916/.992, .920/.992; German .588/.796, .880/.968, .880/.976; Chinese .096/.236, .900/.992, .876/.960;
FaQuAD Portuguese .360/.628, .820/.980, .836/.980; ClapNQ .967/1, .853/.953, .960/.993 (250 questions each, 150 of ClapNQ).
``tests/benchmarks/retrieval_quality.py`` measures it again.
"""

FILE_WORDS_WEIGHT = 0.5
"""What full coverage of the question's words by the whole file counts besides.

The right file came first, with none of it and with 0.4, 0.5 and 0.6: in 300 files of a framework's documentation for 15 and
17, 17, 17 of 20 questions, in 306 files of a language's for 15 and 18, 19, 19, in the sample folder for 23 and 24, 24, 24. In
292 files of a version control system's, which had no part in choosing it, for 12 and (0.5) 12; by meaning alone for 11.
"""

NAMED_WEIGHT = 1.0
"""What full coverage of what the question names to the letter counts, in lengths of the range of the other evidence."""

NO_FILTERS = Filters()

_CANDIDATES = 50


class BrainIndex:
    """Both indexes of one generation of a brain, which is what answers a search.

    Parameters
    ----------
    vectors
        The vectors under the keys of the chunks.
    keys
        The same keys, ascending.
    files, texts
        The path of each chunk's file, which it is found by too, and its content.
    """

    def __init__(self, vectors: VectorIndex, keys: Sequence[int], files: Sequence[str], texts: Sequence[str]) -> None:
        self._vectors = vectors
        self._keys = np.asarray(keys, dtype=np.int64)
        words = [split_words(f"{file} {text}") for file, text in zip(files, texts, strict=True)]
        self._keywords = KeywordIndex(words)
        places = {file: place for place, file in enumerate(dict.fromkeys(files))}
        self._file_of_chunk = np.array([places[file] for file in files], dtype=np.int64)
        words_of_files: list[list[str]] = [[] for _ in places]
        for place, found in zip(self._file_of_chunk, words, strict=True):
            words_of_files[place] += found
        self._file_keywords = KeywordIndex(words_of_files)
        self._files = list(places)
        self._literals = LiteralIndex(texts)

    def search(self, query: FloatArray, *, question: str, count: int, filters: Filters = NO_FILTERS) -> list[Neighbour]:
        """Return the chunks that fit a question best, the best first; ``similarity`` stays the cosine.

        Parameters
        ----------
        query
            The question's vector, as :meth:`VectorIndex.search` takes it.
        question
            Its words; without any, the vector alone decides.
        count
            Most chunks to return; at least 1.
        filters
            The files whose chunks are ranked.

        Raises
        ------
        EmbeddingMismatchError, ValueError
            As :meth:`VectorIndex.search`.
        InvalidQuestionError
            When the filters allow no file.
        """
        if count < 1:
            raise ValueError(f"count must be at least 1, not {count}")
        allowed = self._allow(filters)
        near = self._vectors.search(query, count=max(count, _CANDIDATES), among=self._keys[allowed] if filters else None)
        coverage = self._keywords.coverage(question) * allowed
        phrases, named = self._find_literals(question, allowed)
        if not coverage.any() and not phrases.any() and not named.any():
            return near[:count]
        worded = np.argsort(-coverage, kind="stable")[: max(count, _CANDIDATES)]
        keys = {neighbour.chunk_key for neighbour in near} | {int(key) for key in self._keys[worded[coverage[worded] > 0]]}
        literal = np.lexsort((-coverage, -named, -phrases))[: max(count, _CANDIDATES)]
        keys |= {int(key) for key in self._keys[literal[(phrases[literal] > 0) | (named[literal] > 0)]]}
        candidates = self._vectors.compare(query, sorted(keys))
        places = np.searchsorted(self._keys, [neighbour.chunk_key for neighbour in candidates])
        worded_files = self._file_keywords.coverage(question)[self._file_of_chunk[places]]
        evidence = np.array([neighbour.similarity for neighbour in candidates])
        evidence += WORDS_WEIGHT * coverage[places] + FILE_WORDS_WEIGHT * worded_files
        evidence += NAMED_WEIGHT * np.ptp(evidence) * named[places]
        return [candidates[position] for position in np.lexsort((-evidence, -phrases[places]))[:count]]

    def _allow(self, filters: Filters) -> NDArray[np.bool_]:
        """Return which chunks are to be ranked, shape ``(chunk_count,)``."""
        require_allowed(filters, self._files)
        return np.array([filters.allows(file) for file in self._files], dtype=bool)[self._file_of_chunk]

    def _find_literals(self, question: str, allowed: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return how many quoted phrases each chunk holds, and how far it is what the question names to the letter."""
        files = find_named_files(question, self._files)
        is_named = np.array([file in files for file in self._files], dtype=bool)[self._file_of_chunk]
        named = np.maximum(self._literals.coverage(question), is_named)
        return self._literals.count_phrases(question) * allowed, named * allowed
