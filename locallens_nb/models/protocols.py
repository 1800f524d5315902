"""What a model must offer to be used; the workflow and the tests know models by these protocols only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from locallens_nb.domain import ChatMessage, SearchHit

FloatArray = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TokenSpan:
    """Where one token stands in its text: character offsets, end excluded."""

    start: int
    end: int


class EmbeddingModel(Protocol):
    """Turns texts into unit vectors and counts tokens the way it does."""

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

    def token_starts(self, texts: Sequence[str]) -> list[NDArray[np.int64]]:
        """Return, for each text, the character offset at which each of its tokens starts, ascending."""

    def embed_documents(self, texts: Sequence[str]) -> FloatArray:
        """Return unit vectors, float32, shape ``(len(texts), dimension)``."""

    def embed_query(self, text: str) -> FloatArray:
        """Return the unit vector of a question, float32, shape ``(dimension,)``."""
