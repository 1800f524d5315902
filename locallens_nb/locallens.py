"""The workflow: in which order things happen when a folder is indexed and a question is asked, and nothing else."""

from __future__ import annotations

import json
import logging
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from locallens_nb.answers import AnswerStream, PreparedAnswer
from locallens_nb.chunking import chunk_document
from locallens_nb.domain import (
    Brain,
    ChatAnswer,
    Discovery,
    LocalDocument,
    Progress,
    RefreshSummary,
    ReportProgress,
    SearchHit,
    SkippedFile,
    TextChunk,
)
from locallens_nb.errors import (
    BrainExistsError,
    EmbeddingMismatchError,
    ExchangeFormatError,
    FolderError,
    InvalidQuestionError,
    ModelUnavailableError,
)
from locallens_nb.exchange import ImportedBrain, parse_exchange, to_exchange
from locallens_nb.files import discover_text_documents
from locallens_nb.models.gateway import ModelGateway
from locallens_nb.models.ladder import LoadedChatModel
from locallens_nb.models.protocols import ChatRequest, EmbeddingModel
from locallens_nb.prompt import build_grounded_history, keep_hits_that_fit
from locallens_nb.settings import AUTO, Settings
from locallens_nb.store import BrainDraft, LocalLensStore

_logger = logging.getLogger(__name__)
_EMBEDDING_BATCH = 64
_PART_OF_OVERLAP = 4


class Models(Protocol):
    """Where the workflow gets its models from; :class:`~locallens_nb.models.gateway.ModelGateway` by default."""

    def embedding_model(self, source: str = AUTO, *, on_progress: ReportProgress | None = None) -> EmbeddingModel:
        """Return the embedding model that ``source`` names."""

    def chat_model(self, *, on_progress: ReportProgress | None = None) -> LoadedChatModel:
        """Return the chat model, with why it is not an earlier one of the ladder."""


class LocalLensApp:
    """Everything that can be done with brains; the magic, the panel and the command line all go through it.

    Parameters
    ----------
    settings
        Default: from the environment.
    store, models
        Default: what the settings say. Tests pass their own.
    """

    def __init__(
        self, settings: Settings | None = None, *, store: LocalLensStore | None = None, models: Models | None = None
    ) -> None:
        self.settings = settings or Settings()
        self._store = store or LocalLensStore(Path(self.settings.home))
        self._models = models or ModelGateway(self.settings)

    def list_brains(self) -> list[Brain]:
        """Return all brains, ordered by name."""
        return self._store.list_brains()

    def get_brain(self, name: str) -> Brain:
        """Return the brain of this name.

        Raises
        ------
        BrainNotFoundError
            When there is none; it holds the names that there are.
        """
        return self._store.get_brain(name)

    def list_skipped_files(self, name: str) -> list[SkippedFile]:
        """Return the files of a brain's folder that were not indexed, each with the reason.

        Raises
        ------
        BrainNotFoundError
            When there is no such brain.
        """
        return self._store.list_skipped_files(self.get_brain(name).id)

    def create_brain_from_folder(
        self, *, name: str, folder_path: Path | str, on_progress: ReportProgress | None = None
    ) -> Brain:
        """Index a folder under a new name.

        An interrupt loses at most the batch that was being embedded: the next attempt goes on from there.

        Raises
        ------
        BrainExistsError
            When the name is taken.
        FolderError
            When the folder is missing or holds nothing to index.
        ModelUnavailableError
            When the embedding model of the settings cannot be had.
        StoreError
            When the store cannot be written.
        """
        self._refuse_taken_name(name)
        discovery = self._discover(folder_path, on_progress)
        model = self._embedding_model(self.settings.embedding_model, on_progress)
        with self._store.writing():
            self._refuse_taken_name(name)
            brain_id = _new_brain_id()
            chunks = self._chunk(discovery.documents, brain_id, model, on_progress)
            self._embed(chunks, model, on_progress)
            draft = BrainDraft(
                id=brain_id,
                name=name,
                folder_path=str(Path(folder_path).expanduser().resolve()),
                embedding_model=model.name,
                embedding_fingerprint=model.fingerprint,
                dimension=model.dimension,
                documents=discovery.documents,
                skipped=discovery.skipped,
                chunks=chunks,
            )
            return self._save(draft, on_progress)

    def refresh_brain(self, name: str, *, on_progress: ReportProgress | None = None) -> RefreshSummary:
        """Bring a brain up to date with its folder; only text that is new is embedded.

        With an embedding model named in the settings that is not the brain's own, all of it is embedded with that.

        Raises
        ------
        BrainNotFoundError, FolderError, ModelUnavailableError, StoreError
            As for :meth:`create_brain_from_folder`; the brain stays as it was.
        """
        brain = self.get_brain(name)
        discovery = self._discover(brain.folder_path, on_progress)
        with self._store.writing():
            brain = self.get_brain(name)
            indexed = self._store.read_documents(brain.id)
            found = {document.relative_path: document.checksum for document in discovery.documents}
            changed = [path for path, checksum in found.items() if path in indexed and indexed[path] != checksum]
            added = [path for path in found if path not in indexed]
            draft, embedded = self._redraft(brain, discovery, {*changed, *added}, on_progress)
            return RefreshSummary(
                brain=self._save(draft, on_progress),
                added=tuple(added),
                changed=tuple(changed),
                removed=tuple(sorted(set(indexed) - set(found))),
                embedded_chunk_count=embedded,
            )

    def delete_brain(self, name: str) -> None:
        """Delete a brain and its text; the folder that it was made from is not touched.

        Raises
        ------
        BrainNotFoundError
            When there is no such brain.
        """
        self._store.delete_brain(name)

    @contextmanager
    def temporary_brain(self, folder_path: Path | str, *, on_progress: ReportProgress | None = None) -> Iterator[Brain]:
        """Index a folder for the length of a block. Its vectors stay in the store, so a second time is fast.

        Raises
        ------
        FolderError, ModelUnavailableError, StoreError
            As for :meth:`create_brain_from_folder`.
        """
        brain = self.create_brain_from_folder(
            name=f"temporary-{uuid.uuid4().hex[:8]}", folder_path=folder_path, on_progress=on_progress
        )
        try:
            yield brain
        finally:
            self.delete_brain(brain.name)

    def search_brain(
        self, name: str, question: str, *, top_k: int | None = None, on_progress: ReportProgress | None = None
    ) -> list[SearchHit]:
        """Return the excerpts of a brain that are nearest to a question, the nearest first.

        Parameters
        ----------
        top_k
            Most excerpts to return; by default that of the settings, 5.

        Raises
        ------
        BrainNotFoundError, InvalidQuestionError
            When there is no such brain, or nothing is asked.
        EmbeddingMismatchError, ModelUnavailableError
            When the embedding model is not the brain's own, or that one is not available any more.
        """
        require_question(question)
        brain = self.get_brain(name)
        return self._search(brain, self._brain_model(brain, on_progress), question, top_k)

    def ask_brain(
        self, name: str, question: str, *, top_k: int | None = None, on_progress: ReportProgress | None = None
    ) -> ChatAnswer:
        """Return the answer to a question, written from the excerpts of one search.

        Raises
        ------
        BrainNotFoundError, InvalidQuestionError, EmbeddingMismatchError, ModelUnavailableError
            As for :meth:`search_brain`, also for the chat model.
        GenerationError
            When the model fails while it writes.
        """
        stream = self.stream_brain(name, question, top_k=top_k, on_progress=on_progress)
        for _ in stream:
            pass
        return stream.result

    def stream_brain(
        self, name: str, question: str, *, top_k: int | None = None, on_progress: ReportProgress | None = None
    ) -> AnswerStream:
        """Return the answer to a question as it is written.

        Asking reads the store and never the folder; it takes one embedding of the question and one completion.

        Parameters
        ----------
        on_progress
            Told what is fetched or loaded, when the first question has to wait for a model.

        Raises
        ------
        BrainNotFoundError, InvalidQuestionError
            At once. The others of :meth:`ask_brain` come with the first piece.
        """
        require_question(question)
        brain = self.get_brain(name)
        return AnswerStream(question, lambda: self._prepare(brain, question, top_k, on_progress))

    def export_brain(self, name: str, file: Path | str) -> Path:
        """Write a brain to a file in the original's ``store.json`` schema.

        Raises
        ------
        BrainNotFoundError
            When there is no such brain.
        OSError
            When the file cannot be written.
        """
        brain = self.get_brain(name)
        target = Path(file).expanduser()
        text = json.dumps(to_exchange(brain, self._store.read_chunks(brain.id)), ensure_ascii=False, indent=2)
        partial = target.with_name(f"{target.name}.partial")
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)
        return target

    def import_brains(self, file: Path | str, *, on_progress: ReportProgress | None = None) -> list[Brain]:
        """Take in the brains of a ``store.json`` file and embed their chunks; all of them or none.

        Raises
        ------
        ExchangeFormatError
            When the file cannot be read or does not follow the schema.
        BrainExistsError
            When a name is taken.
        """
        try:
            imported = parse_exchange(Path(file).expanduser().read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise ExchangeFormatError(f"'{file}' cannot be read: {error}.", hint="Give a store.json file.") from error
        model = self._embedding_model(self.settings.embedding_model, on_progress)
        with self._store.writing():
            for found in imported:
                self._refuse_taken_name(found.name)
            drafts = [_draft_import(found, model) for found in imported]
            for draft in drafts:
                self._embed(draft.chunks, model, on_progress)
            return [self._save(draft, on_progress) for draft in drafts]

    def _refuse_taken_name(self, name: str) -> None:
        if not name.strip():
            raise BrainExistsError(name)
        if any(brain.name == name for brain in self.list_brains()):
            raise BrainExistsError(name)

    def _discover(self, folder_path: Path | str, on_progress: ReportProgress | None) -> Discovery:
        _report(on_progress, Progress("reading", 0, 0, str(folder_path)))
        discovery = discover_text_documents(folder_path, respect_gitignore=self.settings.respect_gitignore)
        if not discovery.documents:
            skipped = "; ".join(f"{file.relative_path}: {file.reason}" for file in discovery.skipped[:3])
            raise FolderError(
                f"There is nothing to index in '{folder_path}'" + (f" ({skipped})." if skipped else "."),
                hint="Choose a folder with text, Markdown, code or notebook files.",
            )
        return discovery

    def _embedding_model(self, source: str, on_progress: ReportProgress | None) -> EmbeddingModel:
        return self._models.embedding_model(source, on_progress=on_progress)

    def _chunk(
        self,
        documents: Sequence[LocalDocument],
        brain_id: str,
        model: EmbeddingModel,
        on_progress: ReportProgress | None,
    ) -> list[TextChunk]:
        chunk_tokens = min(self.settings.chunk_tokens, model.max_tokens)
        overlap_tokens = min(self.settings.overlap_tokens, chunk_tokens // _PART_OF_OVERLAP)
        chunks: list[TextChunk] = []
        for done, document in enumerate(documents):
            _report(on_progress, Progress("chunking", done, len(documents), document.relative_path))
            chunks += chunk_document(
                document, brain_id=brain_id, tokenizer=model, chunk_tokens=chunk_tokens, overlap_tokens=overlap_tokens
            )
        return chunks

    def _embed(self, chunks: Sequence[TextChunk], model: EmbeddingModel, on_progress: ReportProgress | None) -> int:
        """Embed what has no vector yet, batch by committed batch, and return how many texts that were."""
        missing = self._store.find_missing_embeddings([chunk.content for chunk in chunks], fingerprint=model.fingerprint)
        missing.sort(key=len, reverse=True)  # texts of like length share a batch, and the slowest come first
        for start in range(0, len(missing), _EMBEDDING_BATCH):
            _report(on_progress, Progress("embedding", start, len(missing), model.name))
            batch = missing[start : start + _EMBEDDING_BATCH]
            self._store.save_embeddings(batch, model.embed_documents(batch), fingerprint=model.fingerprint)
        return len(missing)

    def _redraft(
        self, brain: Brain, discovery: Discovery, fresh: set[str], on_progress: ReportProgress | None
    ) -> tuple[BrainDraft, int]:
        """Return a brain's next generation, and how many texts were embedded for it."""
        draft = BrainDraft(
            id=brain.id,
            name=brain.name,
            folder_path=brain.folder_path,
            embedding_model=brain.embedding_model,
            embedding_fingerprint=brain.embedding_fingerprint,
            dimension=brain.dimension,
            documents=discovery.documents,
            skipped=discovery.skipped,
            previous_generation=brain.generation,
        )
        named = self.settings.embedding_model
        if named == AUTO and not fresh:
            return draft, 0
        model = self._brain_model(brain, on_progress) if named == AUTO else self._embedding_model(named, on_progress)
        anew = model.fingerprint != brain.embedding_fingerprint
        documents = [document for document in discovery.documents if anew or document.relative_path in fresh]
        draft = replace(
            draft,
            embedding_model=model.name,
            embedding_fingerprint=model.fingerprint,
            dimension=model.dimension,
            chunks=self._chunk(documents, brain.id, model, on_progress),
        )
        return draft, self._embed(draft.chunks, model, on_progress)

    def _save(self, draft: BrainDraft, on_progress: ReportProgress | None) -> Brain:
        _report(on_progress, Progress("saving", 0, 0, draft.name))
        brain = self._store.save_brain(draft)
        _report(on_progress, Progress("done", 0, 0, f"{brain.document_count} files, {brain.chunk_count} chunks"))
        return brain

    def _brain_model(self, brain: Brain, on_progress: ReportProgress | None) -> EmbeddingModel:
        """Return the model to ask a brain with: its own, or the one that the settings name if that is the same."""
        named = self.settings.embedding_model
        rebuild = f"Rebuild the brain (refresh '{brain.name}' with an embedding model named)"
        try:
            model = self._embedding_model(brain.embedding_model if named == AUTO else named, on_progress)
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

    def _search(self, brain: Brain, model: EmbeddingModel, question: str, top_k: int | None) -> list[SearchHit]:
        count = self.settings.top_k if top_k is None else top_k
        found = self._store.search_chunks(brain, model.embed_query(question), count=count)
        return [
            SearchHit(
                id=chunk.id,
                relative_path=chunk.relative_path,
                chunk_index=chunk.chunk_index,
                content=chunk.content,
                score=similarity,
                start_line=chunk.start_line,
                end_line=chunk.end_line,
            )
            for chunk, similarity in found
        ]

    def _prepare(self, brain: Brain, question: str, top_k: int | None, on_progress: ReportProgress | None) -> PreparedAnswer:
        """Load, search and build the prompt: all that comes before the first word of an answer."""
        started = time.perf_counter()
        embedding = self._brain_model(brain, on_progress)
        embedded = time.perf_counter()
        hits = self._search(brain, embedding, question, top_k)
        searched = time.perf_counter()
        chat = self._models.chat_model(on_progress=on_progress)
        loaded = time.perf_counter()
        budget_tokens = self.settings.context_tokens - self.settings.max_new_tokens
        kept = keep_hits_that_fit(question, hits, count_tokens=chat.model.count_tokens, budget_tokens=budget_tokens)
        if len(kept) < len(hits):
            _logger.info("%d of %d excerpts fit into the prompt", len(kept), len(hits))
        return PreparedAnswer(
            request=ChatRequest(build_grounded_history(question, kept), question, kept),
            model=chat.model,
            fallback_reason=chat.fallback_reason,
            load_seconds=(embedded - started) + (loaded - searched),
            search_seconds=searched - embedded,
        )


def require_question(question: str) -> None:
    """Refuse a question without any text.

    Raises
    ------
    InvalidQuestionError
        When it is empty or white space.
    """
    if not question.strip():
        raise InvalidQuestionError("The question is empty.", hint="Write what you want to know.")


def _draft_import(found: ImportedBrain, model: EmbeddingModel) -> BrainDraft:
    """Return an imported brain under an id of its own, so that it cannot collide with one that is here."""
    brain_id = _new_brain_id()
    return BrainDraft(
        id=brain_id,
        name=found.name,
        folder_path=found.folder_path,
        embedding_model=model.name,
        embedding_fingerprint=model.fingerprint,
        dimension=model.dimension,
        documents=found.documents,
        chunks=[replace(chunk, brain_id=brain_id) for chunk in found.chunks],
        created_at=found.created_at,
    )


def _new_brain_id() -> str:
    return uuid.uuid4().hex


def _report(on_progress: ReportProgress | None, progress: Progress) -> None:
    if on_progress is not None:
        on_progress(progress)
