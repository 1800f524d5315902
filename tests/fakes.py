"""Models that need no weights: real objects with fixed behaviour, the same in every process.

``FakeEmbeddingModel`` finds texts that share words. ``ScriptedChatModel`` writes what a test tells it to and keeps what it
was asked. ``FakeModels`` hands them to the workflow as ``ModelGateway`` would.
"""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from locallens_nb.domain import ChatMessage, Progress, ReportProgress
from locallens_nb.errors import GenerationError, ModelUnavailableError
from locallens_nb.language.sentences import split_sentences
from locallens_nb.models.ladder import LoadedChatModel
from locallens_nb.models.protocols import ChatRequest
from locallens_nb.search.index import FloatArray
from locallens_nb.settings import AUTO

WAIT_SECONDS = 10.0
"""Limit of every wait in a fake: far more than a test takes, far less than a hang."""

_TOKEN = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"\w+")


@cache
def _word_vector(word: str, dimension: int, weights: str) -> FloatArray:
    seed = int.from_bytes(hashlib.sha256(f"{weights}\0{word}".encode()).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)


class FakeEmbeddingModel:
    """Adds up a fixed vector for each word, so that texts that share words are similar.

    Parameters
    ----------
    weights
        Two models with other weights give other vectors and other fingerprints.

    Attributes
    ----------
    embedded
        Every text that was embedded as a document, in order.
    questions
        Every text that was embedded as a question, in order.
    """

    def __init__(self, name: str = "fake-words", *, dimension: int = 64, max_tokens: int = 256, weights: str = "first") -> None:
        self._name = name
        self._dimension = dimension
        self._max_tokens = max_tokens
        self._weights = weights
        self.embedded: list[str] = []
        self.questions: list[str] = []

    @property
    def name(self) -> str:
        return self._name

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(f"{self._weights}\0{self._dimension}".encode()).hexdigest()[:16]

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def max_tokens(self) -> int:
        return self._max_tokens

    def token_starts(self, texts: Sequence[str]) -> list[NDArray[np.int64]]:
        return [np.array([match.start() for match in _TOKEN.finditer(text)], dtype=np.int64) for text in texts]

    def embed_documents(self, texts: Sequence[str]) -> FloatArray:
        self.embedded += texts
        return np.array([self._embed(text) for text in texts], dtype=np.float32).reshape(len(texts), self._dimension)

    def embed_query(self, text: str) -> FloatArray:
        self.questions.append(text)
        return self._embed(text)

    def _embed(self, text: str) -> FloatArray:
        words = _WORD.findall(text.casefold()) or [""]
        total = np.sum([_word_vector(word, self._dimension, self._weights) for word in words], axis=0, dtype=np.float32)
        vector: FloatArray = (total / np.linalg.norm(total)).astype(np.float32)
        return vector


@dataclass(frozen=True)
class Script:
    """One answer as a scripted model writes it.

    Attributes
    ----------
    pieces
        The raw text, piece by piece; None for the last sentence of the first excerpt, in two pieces and with its reference.
    fails_with
        Raised after the pieces; like a real model, an ``Exception`` comes out as a ``GenerationError``.
    reached_limit
        Whether the answer ends because it may not be longer.
    gate
        When given, each piece but the first waits until this event is set or the generation is stopped.
    """

    pieces: Sequence[str] | None = None
    fails_with: BaseException | None = None
    reached_limit: bool = False
    gate: threading.Event | None = None


class ScriptedChatModel:
    """Writes the given scripts in turn, the last one again and again; one answer at a time.

    Attributes
    ----------
    requests
        Every request, in order.
    generations
        The generation of each request, in order.
    """

    def __init__(self, *scripts: Script, name: str = "scripted (fake)") -> None:
        self._scripts = scripts or (Script(),)
        self._name = name
        self._busy = threading.Lock()
        self.requests: list[ChatRequest] = []
        self.generations: list[ScriptedGeneration] = []

    @property
    def name(self) -> str:
        return self._name

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        return sum(len(_TOKEN.findall(message.content)) for message in messages)

    def generate(self, request: ChatRequest) -> ScriptedGeneration:
        script = self._scripts[min(len(self.requests), len(self._scripts) - 1)]
        if script.pieces is None:
            script = replace(script, pieces=_repeat_first_excerpt(request))
        generation = ScriptedGeneration(script, self._busy, prompt_tokens=self.count_tokens(request.messages))
        self.requests.append(request)
        self.generations.append(generation)
        return generation


def _repeat_first_excerpt(request: ChatRequest) -> tuple[str, str]:
    if not request.hits:
        return "It is in the ", "notes [1]."
    words = split_sentences(request.hits[0].content)[-1].rstrip(".").split()
    half = len(words) // 2
    return " ".join(words[:half]) + " ", " ".join(words[half:]) + " [1]."


class ScriptedGeneration:
    """One scripted answer. It holds the model from its first piece until it ends, fails or is stopped.

    Attributes
    ----------
    pieces_after_stop
        How many pieces were computed after ``stop`` had been called.
    is_waiting
        Set once the generation waits for its gate.
    """

    def __init__(self, script: Script, busy: threading.Lock, *, prompt_tokens: int) -> None:
        self._script = script
        self._busy = busy
        self._holds_model = False
        self._release_lock = threading.Lock()
        self._stop_asked = threading.Event()
        self._pieces = self._write()
        self.prompt_tokens = prompt_tokens
        self.answer_tokens = 0
        self.reached_limit = False
        self.pieces_after_stop = 0
        self.is_waiting = threading.Event()

    @property
    def is_stopped(self) -> bool:
        return self._stop_asked.is_set()

    def stop(self) -> None:
        self._stop_asked.set()
        self._release_model()

    def __iter__(self) -> ScriptedGeneration:
        return self

    def __next__(self) -> str:
        try:
            return next(self._pieces)
        except BaseException:
            self._release_model()
            raise

    def _write(self) -> Iterator[str]:
        if self.is_stopped:
            return
        self._take_model()
        for number, piece in enumerate(self._script.pieces):
            if number and self._script.gate is not None:
                self._wait_for(self._script.gate)
            if self.is_stopped:
                return
            self.answer_tokens += 1
            self.pieces_after_stop += self.is_stopped
            yield piece
        error = self._script.fails_with
        if isinstance(error, Exception) and not isinstance(error, GenerationError):
            raise GenerationError(f"scripted failed while it wrote: {type(error).__name__}: {error}") from error
        if error is not None:
            raise error
        self.reached_limit = self._script.reached_limit

    def _wait_for(self, gate: threading.Event) -> None:
        self.is_waiting.set()
        limit = time.monotonic() + WAIT_SECONDS
        while not self.is_stopped and not gate.wait(0.005):
            if time.monotonic() > limit:
                raise TimeoutError("the gate of a scripted answer was never opened")

    def _take_model(self) -> None:
        if not self._busy.acquire(timeout=WAIT_SECONDS):
            raise TimeoutError("the scripted model was never free: an earlier answer was not ended")
        self._holds_model = True

    def _release_model(self) -> None:
        with self._release_lock:
            if self._holds_model:
                self._holds_model = False
                self._busy.release()


@dataclass
class FakeModels:
    """A gateway over models that are there already.

    Attributes
    ----------
    embedding
        The models to be had; the first is what ``auto`` means.
    sources
        Every embedding model that was asked for, in order, as it was named.
    chat_model_calls
        How often the chat model was asked for.
    """

    embedding: Iterable[FakeEmbeddingModel] = field(default_factory=lambda: [FakeEmbeddingModel()])
    chat: ScriptedChatModel = field(default_factory=ScriptedChatModel)
    fallback_reason: str = ""
    sources: list[str] = field(default_factory=list)
    chat_model_calls: int = 0

    def embedding_model(self, source: str = AUTO, *, on_progress: ReportProgress | None = None) -> FakeEmbeddingModel:
        self.sources.append(source)
        if on_progress is not None:
            on_progress(Progress("loading", 0, 0, source))
        for model in self.embedding:
            if source in {AUTO, model.name}:
                return model
        raise ModelUnavailableError(f"{source} is not in the local cache (working offline).")

    def chat_model(self, *, on_progress: ReportProgress | None = None) -> LoadedChatModel:
        self.chat_model_calls += 1
        if on_progress is not None:
            on_progress(Progress("loading", 0, 0, self.chat.name))
        return LoadedChatModel(self.chat, self.fallback_reason)
