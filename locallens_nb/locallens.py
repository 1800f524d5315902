"""The workflow: in which order things happen when a folder is indexed and a question is asked, and nothing else."""

from __future__ import annotations

import errno
import json
import logging
import os
import uuid
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from locallens_nb.answers import AnswerStream
from locallens_nb.asking import Asker, Models
from locallens_nb.dialogue import Chat
from locallens_nb.domain import (
    Brain,
    ChatAnswer,
    IndexedFile,
    Progress,
    RefreshSummary,
    ReportProgress,
    SearchHit,
    SkippedFile,
    report,
)
from locallens_nb.errors import (
    BrainExistsError,
    BrainNotFoundError,
    ExchangeFormatError,
    InvalidQuestionError,
    InvalidSettingError,
    ModelUnavailableError,
)
from locallens_nb.exchange import parse_exchange, to_exchange
from locallens_nb.indexing import Indexer, draft_import, require_documents
from locallens_nb.language.languages import MULTILINGUAL_MODELS, suggest_multilingual_model
from locallens_nb.language_check import check_languages, needs_multilingual_model
from locallens_nb.models.gateway import ModelGateway
from locallens_nb.models.protocols import EmbeddingModel
from locallens_nb.settings import AUTO, Settings, expand_home
from locallens_nb.store import BrainDraft, LocalLensStore
from locallens_nb.uploads import remove_uploads

_logger = logging.getLogger(__name__)


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
        self._indexer = Indexer(self.settings, self._store)
        self._asker = Asker(self.settings, self._store, self._models)

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

    def list_indexed_files(self, name: str) -> list[IndexedFile]:
        """Return the files of a brain as they were when they were indexed.

        Raises
        ------
        BrainNotFoundError
            When there is no such brain.
        """
        return self._store.list_indexed_files(self.get_brain(name).id)

    def list_skipped_files(self, name: str) -> list[SkippedFile]:
        """Return the files of a brain's folder that were not indexed, each with the reason.

        Raises
        ------
        BrainNotFoundError
            When there is no such brain.
        """
        return self._store.list_skipped_files(self.get_brain(name).id)

    def describe_languages(self, name: str) -> str:
        """Return which languages of a brain its embedding model does not know, and which model does; "" when it knows them.

        Raises
        ------
        BrainNotFoundError
            When there is no such brain.
        """
        unknown = check_languages(self._store, self.get_brain(name))
        return f"{unknown} {suggest_multilingual_model()}" if unknown else ""

    def create_brain_from_folder(
        self, *, name: str, folder_path: Path | str, on_progress: ReportProgress | None = None
    ) -> Brain:
        """Index a folder under a new name.

        An interrupt loses at most the batch that was being embedded: the next attempt goes on from there.

        Raises
        ------
        BrainExistsError, InvalidSettingError
            When the name is taken, or blank.
        FolderError
            When the folder is missing or holds nothing to index.
        ModelUnavailableError
            When the embedding model of the settings cannot be had.
        StoreError
            When the store cannot be written.
        """
        return self._create(name, folder_path, on_progress)

    def refresh_brain(self, name: str, *, on_progress: ReportProgress | None = None) -> RefreshSummary:
        """Bring a brain up to date with its folder; only text that is new is embedded.

        Files that are gone from the folder are gone from the brain, be it all of them; a folder that is missing, as on a
        drive that is not connected, is an error. With an embedding model named in the settings that is not the brain's
        own, all of it is embedded with that. If it was cut into chunks of other sizes than those of the settings, all of it
        is cut anew as soon as a file is new or changed, or an embedding model is named.

        Raises
        ------
        BrainNotFoundError, FolderError, ModelUnavailableError, StoreError
            As for :meth:`create_brain_from_folder`; the brain stays as it was.
        """
        brain = self.get_brain(name)
        known: list[IndexedFile | SkippedFile] = [*self._store.list_indexed_files(brain.id)]
        known += self._store.list_skipped_files(brain.id)
        discovery = self._indexer.discover(brain.folder_path, on_progress, known=known)
        with self._store.writing():
            if (newest := self.get_brain(name)) != brain:  # another refresh came between, so that less may be known
                brain, discovery = newest, self._indexer.discover(newest.folder_path, on_progress)
            indexed = {file.relative_path: file.checksum for file in self._store.list_indexed_files(brain.id)}
            found = {document.relative_path: document.checksum for document in discovery.documents}
            found |= {file.relative_path: file.checksum for file in discovery.unchanged}
            changed = [path for path, checksum in found.items() if path in indexed and indexed[path] != checksum]
            added = [path for path in found if path not in indexed]
            fresh = {*changed, *added}
            model = self._refreshing_model(brain, fresh, on_progress)
            draft, embedded = self._indexer.redraft(brain, discovery, model, fresh=fresh, on_progress=on_progress)
            return RefreshSummary(
                brain=self._save(draft, on_progress),
                added=tuple(added),
                changed=tuple(changed),
                removed=tuple(sorted(set(indexed) - set(found))),
                embedded_chunk_count=embedded,
            )

    def delete_brain(self, name: str) -> None:
        """Delete a brain and its text, and the files that were uploaded for it; a folder of the person is not touched.

        Raises
        ------
        BrainNotFoundError
            When there is no such brain.
        """
        folder_path = self.get_brain(name).folder_path
        self._store.delete_brain(name)
        if all(brain.folder_path != folder_path for brain in self.list_brains()):
            remove_uploads(self.settings.home, folder_path)

    @contextmanager
    def temporary_brain(self, folder_path: Path | str, *, on_progress: ReportProgress | None = None) -> Iterator[Brain]:
        """Index a folder for the length of a block. Its vectors stay in the store, so a second time is fast.

        Where the process is killed meanwhile, the brain is deleted with the next change to the brains of the store.

        Raises
        ------
        FolderError, ModelUnavailableError, StoreError
            As for :meth:`create_brain_from_folder`.
        """
        name = f"temporary-{uuid.uuid4().hex[:8]}"
        try:
            yield self._create(name, folder_path, on_progress, is_temporary=True)
        finally:
            with suppress(BrainNotFoundError):
                self.delete_brain(name)

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
        InvalidSettingError
            When ``top_k`` is below 1.
        EmbeddingMismatchError, ModelUnavailableError
            When the embedding model is not the brain's own, or that one is not available any more.
        """
        require_question(question)
        brain = self.get_brain(name)
        return self._asker.search(brain, question, top_k, on_progress)

    def ask_brain(
        self, name: str, question: str, *, top_k: int | None = None, on_progress: ReportProgress | None = None
    ) -> ChatAnswer:
        """Return the answer to a question, written from the excerpts of one search.

        Raises
        ------
        BrainNotFoundError, InvalidQuestionError, InvalidSettingError, EmbeddingMismatchError, ModelUnavailableError
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
        return self._stream(name, question, top_k=top_k, on_progress=on_progress)

    def chat(self, name: str) -> Chat:
        """Return a conversation about a brain, in which a question may go on from the ones before.

        Raises
        ------
        BrainNotFoundError
            When there is no such brain.
        """
        return Chat(partial(self._stream, self.get_brain(name).name))

    def _stream(
        self,
        name: str,
        question: str,
        *,
        top_k: int | None = None,
        on_progress: ReportProgress | None = None,
        standalone_question: str = "",
        on_end: Callable[[ChatAnswer], object] | None = None,
    ) -> AnswerStream:
        require_question(question)
        brain = self.get_brain(name)
        return self._asker.stream(brain, question, top_k, on_progress, standalone_question=standalone_question, on_end=on_end)

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
        target = expand_home(file)
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
        text = json.dumps(to_exchange(brain, self._store.read_chunks(brain.id)), ensure_ascii=False, indent=2)
        unfinished = target.with_name(f"{target.name}.partial")
        try:
            unfinished.write_text(text, encoding="utf-8")
            unfinished.replace(target)
        finally:
            unfinished.unlink(missing_ok=True)
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
            imported = parse_exchange(expand_home(file).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise ExchangeFormatError(f"'{file}' cannot be read: {error}.", hint="Give a store.json file.") from error
        models = [self._model_for([chunk.content for chunk in found.chunks], on_progress) for found in imported]
        with self._store.writing():
            for found in imported:
                self._refuse_unusable_name(found.name)
            drafts = [draft_import(found, model) for found, model in zip(imported, models, strict=True)]
            for draft, model in zip(drafts, models, strict=True):
                self._indexer.embed(draft.chunks, model, on_progress)
            return self._save_all(drafts, on_progress)

    def _create(
        self, name: str, folder_path: Path | str, on_progress: ReportProgress | None, *, is_temporary: bool = False
    ) -> Brain:
        self._refuse_unusable_name(name)
        discovery = self._indexer.discover(folder_path, on_progress)
        require_documents(discovery, folder_path)
        model = self._model_for([document.content for document in discovery.documents], on_progress)
        with self._store.writing():
            self._refuse_unusable_name(name)
            draft = self._indexer.draft_brain(discovery, model, name=name, folder_path=folder_path, on_progress=on_progress)
            return self._save(replace(draft, is_temporary=is_temporary), on_progress)

    def _refuse_unusable_name(self, name: str) -> None:
        if not name.strip():
            raise InvalidSettingError("A brain needs a name.", hint="Choose one that says what is in the folder.")
        if any(brain.name == name for brain in self.list_brains()):
            raise BrainExistsError(name)

    def _model_for(self, texts: Sequence[str], on_progress: ReportProgress | None) -> EmbeddingModel:
        """Return the model to embed a new brain of these texts with.

        That of the settings. Where they leave it open, the multilingual one if most of the text needs it and it can be had.
        """
        named = self.settings.embedding_model
        if named == AUTO and needs_multilingual_model(texts):
            with suppress(ModelUnavailableError):
                return self._embedding_model(MULTILINGUAL_MODELS[0], on_progress)
        return self._embedding_model(named, on_progress)

    def _embedding_model(self, source: str, on_progress: ReportProgress | None) -> EmbeddingModel:
        return self._models.embedding_model(source, on_progress=on_progress)

    def _save(self, draft: BrainDraft, on_progress: ReportProgress | None) -> Brain:
        report(on_progress, Progress("saving", 0, 0, draft.name))
        brain = self._store.save_brain(draft)
        report(on_progress, Progress("done", 0, 0, f"{brain.document_count} files, {brain.chunk_count} chunks"))
        return brain

    def _save_all(self, drafts: Sequence[BrainDraft], on_progress: ReportProgress | None) -> list[Brain]:
        """Save new brains, all of them or none."""
        try:
            return [self._save(draft, on_progress) for draft in drafts]
        except BaseException:
            for draft in drafts:
                with suppress(BrainNotFoundError):
                    self._store.delete_brain(draft.name)
            raise

    def _refreshing_model(self, brain: Brain, fresh: Set[str], on_progress: ReportProgress | None) -> EmbeddingModel | None:
        """Return the model to refresh a brain with; None when nothing is to be embedded."""
        named = self.settings.embedding_model
        if named != AUTO:
            return self._embedding_model(named, on_progress)
        return self._asker.brain_model(brain, on_progress) if fresh else None


def require_question(question: str) -> None:
    """Refuse a question without any text.

    Raises
    ------
    InvalidQuestionError
        When it is empty or white space.
    """
    if not question.strip():
        raise InvalidQuestionError("The question is empty.", hint="Write what you want to know.")
