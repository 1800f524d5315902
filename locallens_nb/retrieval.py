"""Finding the chunks for a question by meaning and by words, and ranking the two together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from locallens_nb.index import FloatArray, Neighbour, VectorIndex
from locallens_nb.keywords import KeywordIndex
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

    def search(self, query: FloatArray, *, question: str, count: int) -> list[Neighbour]:
        """Return the chunks that fit a question best, the best first; ``similarity`` stays the cosine.

        Parameters
        ----------
        query
            The question's vector, as :meth:`VectorIndex.search` takes it.
        question
            Its words; without any, the vector alone decides.
        count
            Most chunks to return; at least 1.

        Raises
        ------
        EmbeddingMismatchError, ValueError
            As :meth:`VectorIndex.search`.
        """
        if count < 1:
            raise ValueError(f"count must be at least 1, not {count}")
        near = self._vectors.search(query, count=max(count, _CANDIDATES))
        coverage = self._keywords.coverage(question)
        if not coverage.any():
            return near[:count]
        worded = np.argsort(-coverage, kind="stable")[: max(count, _CANDIDATES)]
        keys = {neighbour.chunk_key for neighbour in near} | {int(key) for key in self._keys[worded[coverage[worded] > 0]]}
        candidates = self._vectors.compare(query, sorted(keys))
        places = np.searchsorted(self._keys, [neighbour.chunk_key for neighbour in candidates])
        worded_files = self._file_keywords.coverage(question)[self._file_of_chunk[places]]
        evidence = np.array([neighbour.similarity for neighbour in candidates])
        evidence += WORDS_WEIGHT * coverage[places] + FILE_WORDS_WEIGHT * worded_files
        return [candidates[position] for position in np.argsort(-evidence, kind="stable")[:count]]
