"""What similarity of meaning and coverage of words are worth beside each other in a brain: numbers only, no index, no file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from locallens_nb.search.index import FloatArray

MEANING_WEIGHT = 0.075
"""What a standard deviation of similarity counts, where meaning is trusted fully, beside full coverage of the words.

Hit@1 / hit@5 over all questions of the sets of ``tests/benchmarks/retrieval_quality.py`` with 0.05, 0.075 and 0.1: English
.958/.996, .954/.996, .954/.995; Spanish .928/.991, .924/.991, .919/.989; German .927/.983, .923/.982, .921/.983; ClapNQ
.973/.993, .973/1, .973/1. (Chinese and Portuguese are left to the words.)
"""

FILE_WEIGHT = 0.3
"""What the evidence of a file counts for each of its chunks.

With 0, 0.15 and 0.3 the right file came first for 10, 15 and 16 of 20 questions to 272 files of a framework's documentation,
for 18, 19 and 19 of 20 to 293 files of a language's; by meaning alone for 10 and 18, by words alone for 10 and 16. (Their
chunks were embedded with the headings above them, which by itself changed nothing: 13 and 13 on a part of the first.)
"""

_FILE_DECAY = 0.8
_FILE_CHUNKS = 8
"""The evidence of a file is that of its best chunks, each counting less than the one before, and each no more than it is above
an average chunk of the brain: otherwise a page would gain by being long, whatever its further chunks are about.

In 299 pages of a web framework's documentation the right one came first for 14 of 20 questions with this comparison and for 13
without, and the linked page for 178 and 176 of 300 sentences that hold a link, searched for without their own page.
For 34 more questions, and for 48 to two other folders of documentation, nothing changed.
"""

_DISTRUSTED = 2.75
_TRUSTED = 3.75
"""Up to which agreement meaning is hardly trusted, and from which on fully: between those in :class:`MeaningTrust`."""

_LEAST_TRUST = 0.01
"""Meaning still orders what the words leave equal. With 0.05, hit@1 of Japanese headings fell by .015 below words alone."""
_FEWEST_MEASURED = 50
"""In fewer chunks no pair can be so far above the others; there meaning is trusted by half."""
_PRIOR_CHUNKS = 10
_PRIOR_AGREEMENT = (_DISTRUSTED + _TRUSTED) / 2
_BEST_WORDED = 20
"""A question's own trust comes from its so many best worded chunks, and from the whole brain as if that were ten more."""

_MOST_DEVIATIONS = 9.0
_LEAST_DEVIATION = 0.02
"""Limits for similarities that are all the same, or one of which is far from all others."""

_MOST_MEASURED = 4000
_MOST_BACKGROUND = 1000
_MOST_SHARING = 64
_FEWEST_PER_WORD = 8
"""Limits of the work: chunks measured and compared with, and in how many chunks, and which part of them, a rare word may be."""


class MeaningTrust:
    """How far the similarities of an embedding model can be trusted for the chunks of a brain.

    To a model that does not know their language, all texts are much alike. The words tell: two chunks that share rare words
    are about the same thing, so that a model that understands them finds them far more alike than any two chunks. By how many
    standard deviations is the *agreement* of a chunk with the one that shares most with it. It comes from the stored vectors
    alone, without the model, and for each chunk, since a folder may mix languages.

    Parameters
    ----------
    vectors
        Shape ``(count, dimension)``, float32, unit length.
    counts
        How often each chunk holds each word: a sparse array by columns, shape ``(count, words)``.
    files
        Shape ``(count,)``: the number of each chunk's file. Neighbours in a file overlap, and are not compared.

    Notes
    -----
    Agreement with all-MiniLM-L6-v2, and how often the right paragraph is among the first five by meaning alone: ClapNQ 4.9,
    1.00; English 4.3, .982; Spanish 3.1, .715; German 3.0, .788; Portuguese 2.0, .631; Chinese 1.4, .284; documentation of a
    framework 4.1, and three long documents 3.8, all in English.
    """

    def __init__(self, vectors: FloatArray, counts: Any, files: NDArray[np.int64]) -> None:
        size = len(vectors)
        measured = np.unique(np.linspace(0, max(size - 1, 0), min(size, _MOST_MEASURED)).round().astype(np.int64))
        agreement, weight = _measure_agreement(vectors, counts, files, measured)
        self._prior_weight = _PRIOR_CHUNKS * float(weight[weight > 0].mean()) if weight.any() else 1.0
        self._average = _average(agreement, weight, self._prior_weight, _PRIOR_AGREEMENT)
        nearest = np.searchsorted(measured, np.arange(size))
        self._agreement, self._weight = agreement[nearest], weight[nearest]

    def measure(self, coverage: NDArray[np.float64]) -> float:
        """Return how far meaning can be trusted for one question, from little to 1.

        Parameters
        ----------
        coverage
            How far each chunk covers the words of the question: those that do so best are in its language.
        """
        best = np.argsort(-coverage, kind="stable")[:_BEST_WORDED]
        best = best[coverage[best] > 0]
        agreement = _average(self._agreement[best], self._weight[best], self._prior_weight, self._average)
        return float(np.clip((agreement - _DISTRUSTED) / (_TRUSTED - _DISTRUSTED), _LEAST_TRUST, 1.0))


def weigh_evidence(
    similarity: FloatArray, coverage: NDArray[np.float64], files: NDArray[np.int64], *, trust: float
) -> NDArray[np.float64]:
    """Return how much speaks for each chunk of a brain, by meaning, by words and by the rest of its file.

    Parameters
    ----------
    similarity, coverage, files
        Of every chunk of the brain: its cosine similarity to the question, how far it covers the words of the question, and the
        number of its file.
    trust
        As :meth:`MeaningTrust.measure` gives it.

    Notes
    -----
    Similarities are compared with those of the whole brain, because their scale differs from model to model and from language
    to language.
    """
    if not len(similarity):
        return np.zeros(0)
    deviations = (similarity - similarity.mean()) / max(float(similarity.std()), _LEAST_DEVIATION)
    evidence = coverage + MEANING_WEIGHT * trust * np.clip(deviations, 0, _MOST_DEVIATIONS)
    order = np.lexsort((-evidence, files))
    first = np.flatnonzero(np.diff(files[order], prepend=-1))
    place = np.arange(len(order)) - np.repeat(first, np.diff(first, append=len(order)))
    shares = np.where(place < _FILE_CHUNKS, _FILE_DECAY**place, 0)
    by_file = np.bincount(files[order], weights=shares * np.maximum(evidence[order] - evidence.mean(), 0))
    weighed: NDArray[np.float64] = evidence + FILE_WEIGHT * by_file[files]
    return weighed


def _average(values: NDArray[np.float64], weights: NDArray[np.float64], prior_weight: float, prior: float) -> float:
    return float((values @ weights + prior_weight * prior) / (weights.sum() + prior_weight))


def _measure_agreement(
    vectors: FloatArray, counts: Any, files: NDArray[np.int64], measured: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the agreement of the measured chunks, and what each counts: the square of how alike the two are by their words."""
    agreement, weight = np.zeros(len(measured)), np.zeros(len(measured))
    if len(vectors) < _FEWEST_MEASURED:
        return agreement, weight
    rows = _weigh_rare_words(counts)
    shared = (rows[measured] @ rows.T).tocsr()
    partners = np.zeros(len(measured), dtype=np.int64)
    for place, one in enumerate(measured):
        span = slice(shared.indptr[place], shared.indptr[place + 1])
        others = shared.indices[span]
        alike = shared.data[span] * ((files[others] != files[one]) | (np.abs(others - one) > 1)) * (others != one)
        if len(others):
            partners[place], weight[place] = others[alike.argmax()], alike.max() ** 2
    texts = vectors[measured]
    background = texts @ vectors[:: max(1, len(vectors) // _MOST_BACKGROUND)].T
    similarity = np.einsum("ij,ij->i", texts, vectors[partners])
    agreement = (similarity - background.mean(axis=1)) / np.maximum(background.std(axis=1), _LEAST_DEVIATION)
    return agreement, weight


def _weigh_rare_words(counts: Any) -> Any:
    """Return the rare words of each chunk by their rarity: a sparse array by rows, each of unit length or empty."""
    size = counts.shape[0]
    held_by = np.diff(counts.indptr)
    most = min(max(size // _FEWEST_PER_WORD, 2), _MOST_SHARING)
    rare = counts[:, np.flatnonzero((held_by > 1) & (held_by <= most))]
    held_by = np.diff(rare.indptr)
    rare.data = np.repeat(np.log(max(size, 1) / np.maximum(held_by, 1)), held_by).astype(np.float32)
    lengths = np.sqrt(np.bincount(rare.indices, weights=rare.data**2, minlength=size))
    rare.data /= np.maximum(lengths, 1e-9)[rare.indices].astype(np.float32)
    return rare.tocsr()
