"""What a model must offer to be used; the workflow and the tests know models by these protocols only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from locallens_nb.chunking import Tokenizer
from locallens_nb.domain import ChatMessage, Quote, SearchHit
from locallens_nb.search.index import FloatArray


class EmbeddingModel(Tokenizer, Protocol):
    """Turns texts into unit vectors, and says where its tokens start (from :class:`Tokenizer`)."""

    @property
    def name(self) -> str:
        """Hub id, packaged name or local path."""

    @property
    def fingerprint(self) -> str:
        """Identifies the weights; the same on every machine that has them."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    def max_tokens(self) -> int:
        """Most tokens of a text that the model reads, without its own special tokens."""

    def embed_documents(self, texts: Sequence[str]) -> FloatArray:
        """Return unit vectors, float32, shape ``(len(texts), dimension)``."""

    def embed_query(self, text: str) -> FloatArray:
        """Return the unit vector of a question, float32, shape ``(dimension,)``."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """All that a chat model may use for one answer: the grounded prompt, what it was made from, and the best quotations."""

    messages: Sequence[ChatMessage]
    question: str
    hits: Sequence[SearchHit]
    quotes: Sequence[Quote] = ()


class Generation(Iterator[str], Protocol):
    """The raw text of one answer as it is written. The model is busy until the iterator ends or is stopped."""

    @property
    def prompt_tokens(self) -> int | None:
        """Size of the prompt; None when no language model reads one."""

    @property
    def answer_tokens(self) -> int | None:
        """Tokens written so far; None as above."""

    @property
    def reached_limit(self) -> bool:
        """Whether the answer ended because it may not be longer."""

    def stop(self) -> None:
        """End the generation within one token. Safe from any thread, and more than once."""


class ChatModel(Protocol):
    """Writes answers, one at a time; a second one waits until the first has ended."""

    @property
    def name(self) -> str:
        """What a person is told: the model's name and the precision of its weights."""

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """Return the size of a prompt in tokens of this model; 0 when it has no window."""

    def generate(self, request: ChatRequest) -> Generation:
        """Start to write an answer.

        Raises
        ------
        GenerationError
            From the returned iterator, when the model fails while it writes.
        """
