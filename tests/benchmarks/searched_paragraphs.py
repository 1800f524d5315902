"""The paragraphs of an evaluation set as a brain that can be asked: what the benchmarks of quotes and refusal start from."""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import cached_property

from retrieval_quality import EvaluationSet, build_index

from locallens_nb.asking import SentenceVectors
from locallens_nb.checking.similarity_scale import measure_unrelated
from locallens_nb.domain import SearchHit
from locallens_nb.grounding import Similarities
from locallens_nb.language.words import split_words
from locallens_nb.models.embedding import SentenceTransformerModel
from locallens_nb.search.index import FloatArray

SHINGLE_WORDS = 8
OVERLAP = 0.3
"""Paragraphs that share this part of their runs of eight words are duplicates."""


class KnownTexts:
    """An embedding model that embeds every paragraph and sentence once, however many brains it is in."""

    def __init__(self, model: SentenceTransformerModel) -> None:
        self.embed_query = model.embed_query
        self.embed = SentenceVectors(model).embed

    @cached_property
    def unrelated(self) -> float:
        """The similarity that the model gives to unrelated sentences."""
        return measure_unrelated(self.embed)


class SearchedParagraphs:
    """Some paragraphs, each a chunk whose key is its number.

    Attributes
    ----------
    texts, vectors
        The paragraphs, and their unit vectors, shape ``(len(texts), dimension)``.
    index
        What searches them.
    unrelated
        The similarity that the model gives to unrelated sentences.
    """

    def __init__(self, paragraphs: Sequence[str], model: KnownTexts) -> None:
        self.texts = list(paragraphs)
        self.vectors = model.embed(self.texts)
        self.index = build_index(self.texts, self.vectors)
        self.unrelated = model.unrelated
        self._model = model

    @classmethod
    def of(cls, given: EvaluationSet, model: SentenceTransformerModel) -> SearchedParagraphs:
        """Return the paragraphs of a set."""
        return cls(given.paragraphs, KnownTexts(model))

    def without(self, gone: Set[int]) -> SearchedParagraphs:
        """Return the paragraphs that are left when some are taken out, under new numbers."""
        return SearchedParagraphs([text for place, text in enumerate(self.texts) if place not in gone], self._model)

    def embed_query(self, question: str) -> FloatArray:
        """Return the unit vector of a question."""
        return self._model.embed_query(question)

    def hit(self, key: int, similarity: float) -> SearchHit:
        """Return a paragraph as an excerpt, from a file whose name has no words."""
        return SearchHit(str(key), ".md", 0, self.texts[key], similarity)

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of sentences."""
        return self._model.embed(texts)

    def similarities(self, query: FloatArray) -> Similarities:
        """Return what gives the cosine similarity of sentences to a question."""
        return lambda sentences: self._model.embed(sentences) @ query


def find_duplicates(paragraphs: Sequence[str]) -> list[set[int]]:
    """Return, for each paragraph, those that overlap with it; itself too."""
    words = [split_words(paragraph) for paragraph in paragraphs]
    shingles = [
        {tuple(found[at : at + SHINGLE_WORDS]) for at in range(max(1, len(found) - SHINGLE_WORDS + 1))} for found in words
    ]
    return [
        {place for place, other in enumerate(shingles) if len(one & other) >= OVERLAP * min(len(one), len(other))}
        for one in shingles
    ]
