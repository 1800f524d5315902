"""The last rung of the ladder: an answer made of quotations, without a language model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from locallens_nb.checking.citations import escape_references
from locallens_nb.domain import ChatMessage
from locallens_nb.language.refusals import refusal_text
from locallens_nb.models.protocols import ChatRequest
from locallens_nb.settings import QUOTES


class QuotesModel:
    """Answers with the sentences of the excerpts that fit the question best, each with its citation."""

    @property
    def name(self) -> str:
        """The name that also chooses this model in the settings."""
        return QUOTES

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:  # noqa: ARG002 - part of the protocol
        """Return 0: there is no window to fill."""
        return 0

    def generate(self, request: ChatRequest) -> QuotesGeneration:
        """Return the quotations as a stream, one piece each."""
        return QuotesGeneration(self._write(request))

    def _write(self, request: ChatRequest) -> Iterator[str]:
        if not request.quotes:
            yield refusal_text(request.question)
        for position, quote in enumerate(request.quotes):
            line = escape_references(str(quote))
            yield f"{chr(10) if position else ''}- {line} [{quote.number}]"


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
