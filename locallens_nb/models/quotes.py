"""The last rung of the ladder: an answer made of quotations, without a language model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from locallens_nb.domain import ChatMessage
from locallens_nb.grounding import select_quotes
from locallens_nb.models.protocols import ChatRequest, EmbeddingModel
from locallens_nb.settings import QUOTES

NOT_FOUND = "The answer was not found in this brain."


class QuotesModel:
    """Answers with the sentences of the hits that fit the question best, each with its citation.

    Parameters
    ----------
    embedding
        Gives the embedding model, when the first answer needs it.
    """

    def __init__(self, embedding: Callable[[], EmbeddingModel]) -> None:
        self._embedding = embedding

    @property
    def name(self) -> str:
        """The name that also chooses this model in the settings."""
        return QUOTES

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:  # noqa: ARG002 - part of the protocol
        """Return 0: there is no window to fill."""
        return 0

    def generate(self, request: ChatRequest) -> QuotesGeneration:
        """Return the quotations as a stream, one piece each."""
        return QuotesGeneration(self._pieces(request))

    def _pieces(self, request: ChatRequest) -> Iterator[str]:
        model = self._embedding()

        def similarities(sentences: Sequence[str]) -> NDArray[np.float32]:
            scores: NDArray[np.float32] = model.embed_documents(sentences) @ model.embed_query(request.question)
            return scores

        quotes = select_quotes(request.question, request.hits, similarities=similarities)
        if not quotes:
            yield NOT_FOUND
        for position, quote in enumerate(quotes):
            yield f"{chr(10) if position else ''}- {quote.text} [{quote.number}]"


class QuotesGeneration:
    """Quotations as they are handed out. No tokens are counted, since no language model reads or writes any."""

    prompt_tokens = None
    answer_tokens = None
    reached_limit = False

    def __init__(self, pieces: Iterator[str]) -> None:
        self._pieces = pieces
        self._stopped = False

    def stop(self) -> None:
        """Hand out no further quotation."""
        self._stopped = True

    def __iter__(self) -> QuotesGeneration:
        return self

    def __next__(self) -> str:
        if self._stopped:
            raise StopIteration
        return next(self._pieces)
