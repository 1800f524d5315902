"""Finding the chunks for a question by meaning and by words, and ranking the two together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from locallens_nb.index import FloatArray, Neighbour, VectorIndex
from locallens_nb.keywords import KeywordIndex

WORDS_WEIGHT = 1.5
"""What full coverage of the question's words counts beside full similarity.

Measured with all-MiniLM-L6-v2, hit@1 / hit@5 by meaning, by words, together: XQuAD English .908/.988, .940/.992, .964/.996;
Spanish .460/.704, .916/.992, .908/.984; German .588/.796, .880/.968, .880/.972; Chinese .096/.236, .900/.992, .848/.948;
FaQuAD Portuguese .360/.628, .820/.980, .828/.972; ClapNQ .967/1, .853/.953, .967/.993 (250 questions each, 150 of ClapNQ).
``tests/benchmarks/retrieval_quality.py`` measures it again.
"""

FILE_WEIGHT = 0.5
"""What the other fitting chunks of its file count for a chunk.

The right file came first, without it and with it: in 300 files of a framework's documentation for 15 and 17 of 20 questions,
in 306 files of a language's for 15 and 15 (among five: 19 and 18), in the sample folder for 23 and 24 of 24.
"""

_CANDIDATES = 50
_CHUNKS_THAT_COUNT = 3


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
        self._files = list(files)
        self._keywords = KeywordIndex([f"{file} {text}" for file, text in zip(files, texts, strict=True)])

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
        evidence = np.array([neighbour.similarity for neighbour in candidates]) + WORDS_WEIGHT * coverage[places]
        evidence += FILE_WEIGHT * _support_by_file(evidence, [self._files[place] for place in places])
        return [candidates[position] for position in np.argsort(-evidence, kind="stable")[:count]]


def _support_by_file(evidence: NDArray[np.float64], files: Sequence[str]) -> NDArray[np.float64]:
    """Return, for each chunk, the mean evidence of the three best of its file, above that of the last candidate."""
    best = np.sort(evidence)[::-1][:_CANDIDATES]
    above = np.maximum(evidence - best[-1], 0)
    by_file: dict[str, list[float]] = {}
    for file, amount in zip(files, above.tolist(), strict=True):
        by_file.setdefault(file, []).append(amount)
    support = {file: sum(sorted(amounts)[-_CHUNKS_THAT_COUNT:]) / _CHUNKS_THAT_COUNT for file, amounts in by_file.items()}
    return np.array([support[file] for file in files])
