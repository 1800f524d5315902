"""The paragraphs of an evaluation set as a brain that can be asked: what the benchmarks of quotes and refusal start from."""

from __future__ import annotations

from retrieval_quality import EvaluationSet, build_index

from locallens_nb.asking import SentenceVectors
from locallens_nb.domain import SearchHit
from locallens_nb.grounding import Similarities
from locallens_nb.index import FloatArray
from locallens_nb.models.embedding import SentenceTransformerModel
from locallens_nb.similarity_scale import measure_unrelated


class SearchedParagraphs:
    """The paragraphs of one set, each a chunk whose key is its number; every paragraph and sentence is embedded once.

    Attributes
    ----------
    texts, vectors
        The paragraphs, and their unit vectors, shape ``(len(texts), dimension)``.
    index
        What searches them.
    unrelated
        The similarity that the model gives to unrelated sentences.
    """

    def __init__(self, given: EvaluationSet, model: SentenceTransformerModel) -> None:
        self.texts = given.paragraphs
        self.vectors = model.embed_documents(given.paragraphs)
        self.index = build_index(given.paragraphs, self.vectors)
        self.unrelated = measure_unrelated(model.embed_documents)
        self._model = model
        self._sentences = SentenceVectors(model)

    def embed_query(self, question: str) -> FloatArray:
        """Return the unit vector of a question."""
        return self._model.embed_query(question)

    def hit(self, key: int, similarity: float) -> SearchHit:
        """Return a paragraph as an excerpt, from a file whose name has no words."""
        return SearchHit(str(key), ".md", 0, self.texts[key], similarity)

    def similarities(self, query: FloatArray) -> Similarities:
        """Return what gives the cosine similarity of sentences to a question."""
        return lambda sentences: self._sentences.embed(sentences) @ query
