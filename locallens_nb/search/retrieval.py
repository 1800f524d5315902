"""Finding the chunks for a question by meaning and by words, and ranking the two together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from locallens_nb.language.question_language import is_english
from locallens_nb.language.words import split_words
from locallens_nb.questions.query import Filters, find_named_files, require_allowed
from locallens_nb.search.evidence import QuestionStatistics
from locallens_nb.search.fusion import MeaningTrust, weigh_evidence
from locallens_nb.search.index import FloatArray, Neighbour, VectorIndex
from locallens_nb.search.keywords import KeywordIndex
from locallens_nb.search.literals import LiteralIndex

NAMED_WEIGHT = 1.0
"""What full coverage of what the question names to the letter counts, in lengths of the range of the other evidence.

Of 200 rare identifiers in 700 chunks of a framework's documentation, a chunk that holds the identifier came first, with 0,
0.3 and 1: for "What does … do?" in 73, 94 and 100 %, for "How do I use … in a view with a template?" in 37, 72 and 100 %.
"""

NO_FILTERS = Filters()


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
        self._keywords = KeywordIndex(f"{file} {text}" for file, text in zip(files, texts, strict=True))
        places = {file: place for place, file in enumerate(dict.fromkeys(files))}
        self._file_of_chunk = np.array([places[file] for file in files], dtype=np.int64)
        self._trust = MeaningTrust(vectors.read(self._keys), self._keywords.counts, self._file_of_chunk)
        self._files = list(places)
        self._literals = LiteralIndex(texts)

    def search(self, query: FloatArray, *, question: str, count: int, filters: Filters = NO_FILTERS) -> list[Neighbour]:
        """Return the chunks that fit a question best, the best first; ``similarity`` stays the cosine.

        Parameters
        ----------
        query
            The question's vector, as :meth:`VectorIndex.compare` takes it.
        question
            Its words; without any, the vector alone decides.
        count
            Most chunks to return; at least 1.
        filters
            The files whose chunks are ranked.

        Raises
        ------
        EmbeddingMismatchError, ValueError
            As :meth:`VectorIndex.compare`; also when ``count`` is below 1.
        InvalidQuestionError
            When the filters allow no file.
        """
        if count < 1:
            raise ValueError(f"count must be at least 1, not {count}")
        allowed = self._allow(filters)
        similarity = self._vectors.compare(query, self._keys)
        coverage = self._keywords.coverage(question)
        phrases, named = self._find_literals(question, allowed)
        evidence = weigh_evidence(similarity, coverage, self._file_of_chunk, trust=self._trust_meaning(question, coverage))
        if not coverage.any():
            evidence = similarity.astype(np.float64)
        evidence += NAMED_WEIGHT * (np.ptp(evidence) if len(evidence) else 0.0) * named
        best = np.lexsort((-similarity, -evidence, -phrases, ~allowed))[: min(count, int(allowed.sum()))]
        return [Neighbour(int(self._keys[place]), float(similarity[place])) for place in best]

    def describe_question(self, query: FloatArray, *, question: str) -> QuestionStatistics:
        """Return how a question stands to the whole brain: what its words and its similarities are worth here.

        Raises
        ------
        EmbeddingMismatchError, ValueError
            As :meth:`VectorIndex.measure_spread`.
        """
        mean, deviation = self._vectors.measure_spread(query)
        return QuestionStatistics(
            rarity=self._keywords.rarity(split_words(question)),
            highest_rarity=self._keywords.highest_rarity,
            mean_similarity=mean,
            similarity_deviation=deviation,
            meaning_trust=self._trust_meaning(question, self._keywords.coverage(question)),
            chunk_count=len(self._keys),
        )

    def _trust_meaning(self, question: str, coverage: NDArray[np.float64]) -> float:
        """Return how far similarities of a question can be trusted, from little to 1.

        Every embedding model knows English. The measure would take a folder whose texts are all about one thing for one that
        the model does not understand: with it, the right file was among the first five for 10 of 20 questions to 292 files of a
        version control system's documentation, with full trust for 15.
        """
        return 1.0 if is_english(question) else self._trust.measure(coverage)

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
