"""From a folder to the draft of a brain: read it, cut it, embed what is new. When that happens is decided elsewhere."""

from __future__ import annotations

import uuid
from collections.abc import Sequence, Set
from dataclasses import replace
from pathlib import Path

from locallens_nb.chunking import chunk_document
from locallens_nb.domain import (
    Brain,
    Discovery,
    IndexedFile,
    LocalDocument,
    Progress,
    ReportProgress,
    SkippedFile,
    TextChunk,
    report,
)
from locallens_nb.errors import FolderError
from locallens_nb.exchange import ImportedBrain
from locallens_nb.file_types import extension_of
from locallens_nb.files import discover_text_documents
from locallens_nb.models.protocols import EmbeddingModel
from locallens_nb.settings import Settings, expand_home
from locallens_nb.store import BrainDraft, LocalLensStore

_EMBEDDING_BATCH = 64
_PART_OF_OVERLAP = 4


class Indexer:
    """Makes the drafts of brains. Vectors go into the store as they come, so that an interrupt loses one batch at most."""

    def __init__(self, settings: Settings, store: LocalLensStore) -> None:
        self._settings = settings
        self._store = store

    def discover(
        self, folder_path: Path | str, on_progress: ReportProgress | None, *, known: Sequence[IndexedFile | SkippedFile] = ()
    ) -> Discovery:
        """Read a folder, but not again what is known of it and has not changed.

        Raises
        ------
        FolderError
            When it is missing.
        """
        report(on_progress, Progress("reading", 0, 0, str(folder_path)))
        return discover_text_documents(
            folder_path, known=known, respect_gitignore=self._settings.respect_gitignore, on_progress=on_progress
        )

    def draft_brain(
        self,
        discovery: Discovery,
        model: EmbeddingModel,
        *,
        name: str,
        folder_path: Path | str,
        on_progress: ReportProgress | None,
    ) -> BrainDraft:
        """Return the draft of a new brain, everything in it embedded."""
        brain_id = _new_brain_id()
        chunks = self._chunk(discovery.documents, brain_id, model, on_progress)
        self.embed(chunks, model, on_progress)
        return BrainDraft(
            id=brain_id,
            name=name,
            folder_path=str(expand_home(folder_path).resolve()),
            embedding_model=model.name,
            embedding_fingerprint=model.fingerprint,
            dimension=model.dimension,
            documents=discovery.documents,
            skipped=discovery.skipped,
            chunks=chunks,
        )

    def redraft(
        self,
        brain: Brain,
        discovery: Discovery,
        model: EmbeddingModel | None,
        *,
        fresh: Set[str],
        on_progress: ReportProgress | None,
    ) -> tuple[BrainDraft, int]:
        """Return a brain's next generation, and how many texts were embedded for it.

        Parameters
        ----------
        model
            Other weights than the brain's own embed all of it anew; None when nothing is fresh. With a model, all of it is
            also read and cut anew if what did not change is stored in other chunks than would be made of it now.
        fresh
            Paths of the documents that are new or changed.
        """
        read = [document for document in discovery.documents if document.relative_path not in fresh]
        anew = model is not None and (
            model.fingerprint != brain.embedding_fingerprint or self._are_cut_otherwise(read, brain.id, model)
        )
        if anew and discovery.unchanged:
            discovery = self.discover(brain.folder_path, on_progress, known=discovery.skipped)
        draft = BrainDraft(
            id=brain.id,
            name=brain.name,
            folder_path=brain.folder_path,
            embedding_model=brain.embedding_model,
            embedding_fingerprint=brain.embedding_fingerprint,
            dimension=brain.dimension,
            documents=[*discovery.documents, *discovery.unchanged],
            skipped=discovery.skipped,
            previous_generation=brain.generation,
        )
        if model is None:
            return draft, 0
        documents = [document for document in discovery.documents if anew or document.relative_path in fresh]
        draft = replace(
            draft,
            embedding_model=model.name,
            embedding_fingerprint=model.fingerprint,
            dimension=model.dimension,
            chunks=self._chunk(documents, brain.id, model, on_progress),
        )
        return draft, self.embed(draft.chunks, model, on_progress)

    def embed(self, chunks: Sequence[TextChunk], model: EmbeddingModel, on_progress: ReportProgress | None) -> int:
        """Embed what has no vector yet, batch by committed batch, and return how many texts that were.

        A batch holds texts of many files; the file of its first one is reported.
        """
        missing = self._store.find_missing_embeddings([chunk.content for chunk in chunks], fingerprint=model.fingerprint)
        missing.sort(key=len, reverse=True)  # texts of like length share a batch, and the slowest come first
        file_of = {chunk.content: chunk.relative_path for chunk in reversed(chunks)}
        for start in range(0, len(missing), _EMBEDDING_BATCH):
            report(on_progress, Progress("embedding", start, len(missing), file_of[missing[start]]))
            batch = missing[start : start + _EMBEDDING_BATCH]
            self._store.save_embeddings(batch, model.embed_documents(batch), fingerprint=model.fingerprint)
        return len(missing)

    def _chunk(
        self,
        documents: Sequence[LocalDocument],
        brain_id: str,
        model: EmbeddingModel,
        on_progress: ReportProgress | None,
    ) -> list[TextChunk]:
        chunks: list[TextChunk] = []
        for done, document in enumerate(documents):
            report(on_progress, Progress("chunking", done, len(documents), document.relative_path))
            chunks += self._cut(document, brain_id, model)
        return chunks

    def _cut(self, document: LocalDocument, brain_id: str, model: EmbeddingModel) -> list[TextChunk]:
        chunk_tokens = min(self._settings.chunk_tokens, model.max_tokens)
        overlap_tokens = self._settings.overlap_tokens
        if chunk_tokens < self._settings.chunk_tokens:  # the model's window is smaller than what was asked for
            overlap_tokens = min(overlap_tokens, chunk_tokens // _PART_OF_OVERLAP)
        return chunk_document(
            document, brain_id=brain_id, tokenizer=model, chunk_tokens=chunk_tokens, overlap_tokens=overlap_tokens
        )

    def _are_cut_otherwise(self, documents: Sequence[LocalDocument], brain_id: str, model: EmbeddingModel) -> bool:
        """Return whether documents are stored in other chunks than would be made of them now, so that a brain never mixes two.

        How it was cut is not stored. The longest document of each kind tells; to cut all of them would take long in a large
        folder.
        """
        longest = {
            extension_of(document.relative_path): document
            for document in sorted(documents, key=lambda document: len(document.content))
        }
        return any(
            self._cut(document, brain_id, model) != self._store.read_document_chunks(brain_id, document.relative_path)
            for document in longest.values()
        )


def require_documents(discovery: Discovery, folder_path: Path | str) -> None:
    """Refuse a folder that holds nothing to index, and say what was seen there.

    Raises
    ------
    FolderError
        When there is no document.
    """
    if not discovery.documents:
        skipped = "; ".join(f"{file.relative_path}: {file.reason}" for file in discovery.skipped[:3])
        raise FolderError(
            f"There is nothing to index in '{folder_path}'" + (f" ({skipped})." if skipped else "."),
            hint="Choose a folder with text, Markdown, PDF, code or notebook files.",
        )


def draft_import(found: ImportedBrain, model: EmbeddingModel) -> BrainDraft:
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
