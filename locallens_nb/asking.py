"""From a question to an answer that streams: which model, which excerpts, which prompt, and what checks the answer."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from locallens_nb.answers import AnswerStream, FoundEvidence, PreparedAnswer
from locallens_nb.checking.answer_text import Check
from locallens_nb.checking.similarity_scale import measure_unrelated, rescale
from locallens_nb.checking.support import SupportCheck
from locallens_nb.domain import AnswerSentence, Brain, ChatAnswer, Progress, ReportProgress, SearchHit, report
from locallens_nb.errors import EmbeddingMismatchError, InvalidSettingError, ModelUnavailableError
from locallens_nb.excerpts import REACH_CHARACTERS, add_text_before, gather_excerpts
from locallens_nb.grounding import CLOSEST_QUOTES, rank_sentences, read_excerpts, select_quotes
from locallens_nb.language.languages import detect_language
from locallens_nb.models.families import find_family
from locallens_nb.models.ladder import LoadedChatModel
from locallens_nb.models.protocols import ChatRequest, EmbeddingModel
from locallens_nb.prompt import build_grounded_history, keep_hits_that_fit
from locallens_nb.questions.query import Query, parse_query
from locallens_nb.search.evidence import Evidence, QuestionStatistics, is_answerable, is_off, measure_evidence
from locallens_nb.search.index import FloatArray
from locallens_nb.settings import AUTO, QUOTES, Settings
from locallens_nb.store import LocalLensStore

_logger = logging.getLogger(__name__)

_RANKED_FOR_EACH = 10
"""Chunks that are ranked for each excerpt: what copies and neighbours leave free is filled from them."""


class Models(Protocol):
    """Where the workflow gets its models from; :class:`~locallens_nb.models.gateway.ModelGateway` by default."""

    def embedding_model(self, source: str = AUTO, *, on_progress: ReportProgress | None = None) -> EmbeddingModel:
        """Return the embedding model that ``source`` names."""

    def chat_model(self, *, on_progress: ReportProgress | None = None) -> LoadedChatModel:
        """Return the chat model, with why it is not an earlier one of the ladder."""


class Asker:
    """The part of the workflow that answers questions.

    Parameters
    ----------
    settings, store, models
        Those of the :class:`~locallens_nb.locallens.LocalLensApp`.
    """

    def __init__(self, settings: Settings, store: LocalLensStore, models: Models) -> None:
        self._settings = settings
        self._store = store
        self._models = models
        self._unrelated: dict[str, float] = {}

    def stream(
        self,
        brain: Brain,
        question: str,
        top_k: int | None,
        on_progress: ReportProgress | None,
        *,
        standalone_question: str = "",
        on_end: Callable[[ChatAnswer], object] | None = None,
    ) -> AnswerStream:
        """Return an answer that begins with its first piece."""
        asked = parse_query(standalone_question or question)
        return AnswerStream(
            question,
            standalone_question=standalone_question,
            on_end=on_end,
            find=lambda: self._find_evidence(brain, asked, top_k, on_progress),
            prepare=lambda found: self._prepare(found, asked.text, on_progress),
        )

    def search(self, brain: Brain, question: str, top_k: int | None, on_progress: ReportProgress | None) -> list[SearchHit]:
        """Return the excerpts that fit a question best, the best first."""
        asked = parse_query(question)
        model = self.brain_model(brain, on_progress)
        hits, _ = self._search(brain, model, model.embed_query(asked.text), asked, top_k)
        return hits

    def brain_model(self, brain: Brain, on_progress: ReportProgress | None) -> EmbeddingModel:
        """Return the model to ask a brain with: its own, or the one that the settings name if that is the same.

        Raises
        ------
        EmbeddingMismatchError, ModelUnavailableError
            When the settings name another, or the brain's own is not available any more.
        """
        named = self._settings.embedding_model
        rebuild = f"Rebuild the brain (refresh '{brain.name}' with an embedding model named)"
        try:
            model = self._models.embedding_model(brain.embedding_model if named == AUTO else named, on_progress=on_progress)
        except ModelUnavailableError as error:
            if named != AUTO:
                raise
            raise ModelUnavailableError(
                f"Brain '{brain.name}' was built with {brain.embedding_model}, which is not available any more: "
                f"{error.message}",
                hint=f"Put the model back. {rebuild} otherwise.",
            ) from error
        if model.fingerprint != brain.embedding_fingerprint:
            raise EmbeddingMismatchError(
                f"Brain '{brain.name}' was built with {brain.embedding_model} ({brain.dimension} numbers); {model.name} gives "
                f"{model.dimension}" + (" from other weights." if model.dimension == brain.dimension else "."),
                hint=f"{rebuild}, or ask with the first model.",
            )
        return model

    def _search(
        self, brain: Brain, model: EmbeddingModel, vector: FloatArray, asked: Query, top_k: int | None
    ) -> tuple[list[SearchHit], QuestionStatistics]:
        count = self._settings.top_k if top_k is None else top_k
        if count < 1:
            raise InvalidSettingError(f"top_k is {count}.", hint="Ask for at least one excerpt.")
        depth = _RANKED_FOR_EACH * count
        found = self._store.search_chunks(brain, vector, question=asked.text, count=depth, filters=asked.filters)
        hits = gather_excerpts(
            found.ranked,
            question=asked.text,
            count=count,
            count_tokens=lambda text: len(model.token_starts([text])[0]),
            budget_tokens=count * min(self._settings.chunk_tokens, model.max_tokens),
        )
        return hits, found.statistics

    def _find_evidence(
        self, brain: Brain, asked: Query, top_k: int | None, on_progress: ReportProgress | None
    ) -> FoundEvidence:
        """Search, and find the sentences that answer best: all that does not need a chat model."""
        started = time.perf_counter()
        model = self.brain_model(brain, on_progress)
        loaded = time.perf_counter()
        query = model.embed_query(asked.text)
        found, statistics = self._search(brain, model, query, asked, top_k)
        hits = self._read_before(brain, found)
        sentences = read_excerpts(hits)
        vectors = SentenceVectors(model)

        def similarities(texts: Sequence[str]) -> FloatArray:
            return vectors.embed(texts) @ query

        unrelated = self._measure_unrelated(model)
        languages = _find_languages(model, hits)
        evidence = measure_evidence(
            asked.text,
            hits,
            sentences,
            similarities=similarities,
            statistics=statistics,
            unrelated=unrelated,
            languages=languages,
        )
        answerable = is_answerable(evidence, self._settings.strictness)
        _logger.info("evidence %.2f", evidence.probability)
        ranked = rank_sentences(asked.text, sentences, similarities=lambda texts: rescale(similarities(texts), unrelated))
        quotes = select_quotes(ranked) if answerable else ranked[:CLOSEST_QUOTES]
        return FoundEvidence(
            hits=hits,
            sentences=sentences,
            quotes=tuple(quotes),
            embed=vectors.embed,
            unrelated=unrelated,
            languages=languages,
            is_answerable=answerable,
            bears_on_question=lambda sentence: self._bears_on_question(evidence, sentence),
            load_seconds=loaded - started,
            search_seconds=time.perf_counter() - loaded,
        )

    def _read_before(self, brain: Brain, hits: Sequence[SearchHit]) -> list[SearchHit]:
        places = [(hit.relative_path, hit.start_offset or 0) for hit in hits]
        before = self._store.read_chunks_before(brain.id, places, reach=REACH_CHARACTERS)
        return [add_text_before(hit, chunks) for hit, chunks in zip(hits, before, strict=True)]

    def _measure_unrelated(self, model: EmbeddingModel) -> float:
        if model.fingerprint not in self._unrelated:
            self._unrelated[model.fingerprint] = measure_unrelated(model.embed_documents)
        return self._unrelated[model.fingerprint]

    def _bears_on_question(self, evidence: Evidence, sentence: AnswerSentence) -> bool:
        if sentence.number is None or sentence.evidence_start is None or is_off(self._settings.strictness):
            return True
        return evidence.bears_on_question(sentence.number, sentence.evidence_start)

    def _prepare(self, found: FoundEvidence, question: str, on_progress: ReportProgress | None) -> PreparedAnswer:
        """Load the chat model and build the prompt."""
        started = time.perf_counter()
        chat = self._models.chat_model(on_progress=on_progress)
        budget_tokens = self._settings.context_tokens - self._settings.max_new_tokens
        hits = keep_hits_that_fit(question, found.hits, count_tokens=chat.model.count_tokens, budget_tokens=budget_tokens)
        if len(hits) < len(found.hits):
            _logger.info("%d of %d excerpts fit into the prompt", len(hits), len(found.hits))
        quotes = [quote for quote in found.quotes if quote.number <= len(hits)]
        report(on_progress, Progress("answering", 0, 0, f"from {len(hits)} excerpts"))
        return PreparedAnswer(
            request=ChatRequest(build_grounded_history(question, hits), question, hits, quotes),
            model=chat.model,
            check=_make_check(found, question, hits),
            fallback_reason=chat.fallback_reason,
            is_quoted=chat.model.name == QUOTES,
            load_seconds=time.perf_counter() - started,
        )


def _make_check(found: FoundEvidence, question: str, hits: Sequence[SearchHit]) -> Check:
    embed, unrelated, languages = found.embed, found.unrelated, found.languages
    return SupportCheck(question, hits, found.sentences, embed=embed, unrelated=unrelated, languages=languages).check


def _find_languages(model: EmbeddingModel, hits: Sequence[SearchHit]) -> tuple[str, ...]:
    """Return the language of each excerpt; none for a model that was trained for a few languages only."""
    return () if find_family([model.name]).languages else tuple(detect_language(hit.content) for hit in hits)


class SentenceVectors:
    """The vectors of sentences, each embedded once."""

    def __init__(self, model: EmbeddingModel) -> None:
        self._model = model
        self._vectors: dict[str, FloatArray] = {}

    def embed(self, sentences: Sequence[str]) -> FloatArray:
        """Return unit vectors, float32, shape ``(len(sentences), dimension)``."""
        missing = [sentence for sentence in dict.fromkeys(sentences) if sentence not in self._vectors]
        if missing:
            self._vectors.update(zip(missing, self._model.embed_documents(missing), strict=True))
        return np.array([self._vectors[sentence] for sentence in sentences], dtype=np.float32)
