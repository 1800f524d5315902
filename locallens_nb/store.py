"""What LocalLens keeps in its folder, ``.locallens`` by default: brains, their chunks, and every vector once.

SQLite is the truth. An index file is derived from it, named after the brain and its generation, and made again in
memory whenever it is not the one that belongs to them.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from logging import getLogger
from pathlib import Path

import numpy as np
from filelock import FileLock, Timeout

from locallens_nb.brain_rows import (
    BrainDraft,
    delete_brain_rows,
    insert_embeddings,
    prune_embeddings,
    replace_documents,
    select_brains,
    select_chunks,
    select_chunks_before,
    select_chunks_in_order,
    select_document_chunks,
    select_indexed_files,
    select_sample,
    select_skipped_files,
    select_texts,
    select_unembedded,
    select_vectors,
    write_brain_row,
)
from locallens_nb.claims import Claims
from locallens_nb.database import explained_errors, open_reader, open_writer
from locallens_nb.domain import Brain, IndexedFile, SkippedFile, TextChunk
from locallens_nb.errors import BrainNotFoundError, EmbeddingMismatchError, StoreBusyError
from locallens_nb.questions.query import Filters
from locallens_nb.search.evidence import QuestionStatistics
from locallens_nb.search.index import FloatArray, VectorIndex, read_index_file, write_index_file
from locallens_nb.search.retrieval import NO_FILTERS, BrainIndex

__all__ = ["BrainDraft", "FoundChunks", "LocalLensStore"]

_logger = getLogger(__name__)
_MOST_CACHED_INDEXES = 4


@dataclass(frozen=True, slots=True)
class FoundChunks:
    """What a search found, all of it in one generation of a brain.

    Attributes
    ----------
    ranked
        Best first, each with its cosine similarity from -1 to 1; of equal ones, the older chunk first.
    statistics
        How the question stands to the whole brain.
    """

    ranked: Sequence[tuple[TextChunk, float]]
    statistics: QuestionStatistics


class LocalLensStore:
    """The store of one folder; safe to use from several threads and processes at once.

    Reading needs no lock, never waits for a writer, sees one moment of the store, and writes nothing; a folder that
    is missing reads as a store without brains. The first write makes the folder.

    Parameters
    ----------
    home
        Folder of the store.
    lock_timeout_seconds
        How long to wait for another writer.

    Notes
    -----
    Every method raises :class:`~locallens_nb.errors.StoreError` when the store is damaged or cannot be read,
    :class:`~locallens_nb.errors.StoreVersionError` when a newer version wrote it, and, when it writes,
    :class:`~locallens_nb.errors.StoreBusyError` while another writer is at work and
    :class:`~locallens_nb.errors.StoreFullError` when the disk is full. What a method raises beyond these is under
    its own name.
    """

    def __init__(self, home: Path, *, lock_timeout_seconds: float = 10.0) -> None:
        self._home = home
        self._database = home / "store.sqlite3"
        self._indexes = home / "indexes"
        self._process_id_file = home / "writer.pid"
        # Reentrant within a thread, exclusive between threads and processes; the system frees it when its holder dies.
        self._lock = FileLock(home / "writer.lock", timeout=lock_timeout_seconds, thread_local=True)
        self._claims = Claims(home / "temporary")
        self._cache: dict[str, tuple[int, str, BrainIndex]] = {}
        self._cache_lock = threading.Lock()
        self._building: dict[str, threading.Lock] = {}

    @property
    def home(self) -> Path:
        """Folder of the store."""
        return self._home

    def list_brains(self) -> list[Brain]:
        """Return all brains, ordered by name."""
        with self._reading() as connection:
            return select_brains(connection)

    def get_brain(self, name: str) -> Brain:
        """Return the brain of this name.

        Raises
        ------
        BrainNotFoundError
            When there is none.
        """
        with self._reading() as connection:
            return _find_brain(connection, name=name)

    def list_indexed_files(self, brain_id: str) -> list[IndexedFile]:
        """Return the indexed files with their size and time, ordered by path; none for a brain that is unknown."""
        with self._reading() as connection:
            return select_indexed_files(connection, brain_id)

    def list_skipped_files(self, brain_id: str) -> list[SkippedFile]:
        """Return the files that were seen and not indexed, ordered by path; none for a brain that is unknown."""
        with self._reading() as connection:
            return select_skipped_files(connection, brain_id)

    def read_chunks(self, brain_id: str) -> list[TextChunk]:
        """Return all chunks, ordered by path and place in the document; none for a brain that is unknown."""
        with self._reading() as connection:
            return select_chunks(connection, where="WHERE brain_id = ?", values=(brain_id,))

    def read_document_chunks(self, brain_id: str, relative_path: str) -> list[TextChunk]:
        """Return the chunks of one document in order; none for one that is unknown."""
        with self._reading() as connection:
            return select_document_chunks(connection, brain_id, relative_path)

    def read_chunks_before(self, brain_id: str, places: Sequence[tuple[str, int]], *, reach: int) -> list[list[TextChunk]]:
        """Return for each path and offset the first chunk and those that begin up to ``reach`` characters before, in order."""
        with self._reading() as connection:
            return [select_chunks_before(connection, brain_id, path, offset=at, reach=reach) for path, at in places]

    def sample_texts(self, brain_id: str, *, count: int) -> list[str]:
        """Return the contents of at most so many chunks, from all over a brain; none for a brain that is unknown."""
        with self._reading() as connection:
            return select_sample(connection, brain_id, count=count)

    def find_missing_embeddings(self, texts: Sequence[str], *, fingerprint: str) -> list[str]:
        """Return those texts that have no stored vector of this model, each once, in the order given."""
        with self._reading() as connection:
            return select_unembedded(connection, texts, fingerprint=fingerprint)

    def search_chunks(
        self, brain: Brain, query: FloatArray, *, question: str = "", count: int, filters: Filters = NO_FILTERS
    ) -> FoundChunks:
        """Return the chunks of a brain that fit a question best, and how it stands to all of them.

        Parameters
        ----------
        brain
            As :meth:`get_brain` returned it; what is searched is its newest generation.
        query
            Shape ``(brain.dimension,)``, float32, unit length, from the model that embedded the brain.
        question
            The words that count besides; without any, the vector alone decides.
        count
            Most chunks to return; at least 1.
        filters
            The files to search; all of them by default.

        Raises
        ------
        BrainNotFoundError
            When the brain was deleted.
        EmbeddingMismatchError
            When the brain was embedded anew with another model, or ``query`` has another length than its vectors.
        InvalidQuestionError
            When the filters allow no file of the brain.
        ValueError
            When ``count`` is below 1 or a number of the query is not finite.
        """
        with self._reading() as connection:
            index = self._newest_index(connection, brain)
            neighbours = index.search(query, question=question, count=count, filters=filters)
            chunks = select_chunks_in_order(connection, [near.chunk_key for near in neighbours])
        ranked = [(chunk, near.similarity) for chunk, near in zip(chunks, neighbours, strict=True)]
        return FoundChunks(ranked, index.describe_question(query, question=question))

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Be the only writer of this store until the block ends, among all threads and processes.

        A refresh holds it from reading the documents to saving the brain. The methods that write take it themselves;
        within a block of the same thread and store object that is free.

        Raises
        ------
        StoreBusyError
            When another writer was still at work after ``lock_timeout_seconds``.
        """
        with explained_errors(self._home):
            self._prepare_home()
            try:
                self._lock.acquire()
            except Timeout as error:
                raise self._busy() from error
        try:
            # The number is only for the message of others, so that being unable to write it is no reason to stop.
            with suppress(OSError):
                self._process_id_file.write_text(str(os.getpid()), encoding="ascii")
            yield
        finally:
            self._lock.release()

    def save_embeddings(self, texts: Sequence[str], vectors: FloatArray, *, fingerprint: str) -> None:
        """Keep the vectors of some texts, at once and for good: an interrupt costs no more than the batch after it.

        Parameters
        ----------
        texts, vectors
            As many of each; float32, shape ``(len(texts), dimension)``, unit length.
        fingerprint
            Of the model that embedded them.

        Raises
        ------
        ValueError
            When there are not as many vectors as texts, or a number is not finite.
        """
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise ValueError(f"{len(texts)} texts need as many finite vectors, not an array of shape {vectors.shape}")
        with self._transaction() as connection:
            insert_embeddings(connection, texts, vectors, fingerprint=fingerprint)

    def save_brain(self, draft: BrainDraft) -> Brain:
        """Commit a brain's next generation, whole or not at all.

        The vector of every chunk must have been kept by :meth:`save_embeddings` before.

        Raises
        ------
        BrainExistsError
            When the brain is new and its name is taken.
        EmbeddingMismatchError
            When a kept vector has another length than ``draft.dimension``.
        StoreBusyError
            Also when the brain is no longer of the generation that the draft was made from.
        StoreError
            Also when a chunk has no kept vector.
        """
        with self.writing():
            if draft.is_temporary:
                with explained_errors(self._home):
                    self._claims.hold(draft.name)
            with self._changing_brains() as connection:
                previous = write_brain_row(connection, draft)
                replace_documents(connection, draft, previous=previous)
                brain = select_brains(connection, where="WHERE id = ?", values=(draft.id,))[0]
                index = VectorIndex.build(*select_vectors(connection, brain), dimension=brain.dimension)
                sha256 = write_index_file(self._index_file(brain), index.to_bytes())
                connection.execute("UPDATE brains SET index_sha256 = ? WHERE id = ?", (sha256, brain.id))
        return brain

    def delete_brain(self, name: str) -> None:
        """Delete a brain; its text is overwritten on disk, its vectors are kept for a while in case it is made again.

        Raises
        ------
        BrainNotFoundError
            When there is no brain of this name.
        """
        self._claims.release(name)
        self.get_brain(name)  # so that a missing store is not made only to find nothing in it
        with self._changing_brains() as connection:
            delete_brain_rows(connection, _find_brain(connection, name=name))

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with explained_errors(self._database), closing(open_reader(self._database)) as connection:
            yield connection

    @contextmanager
    def _changing_brains(self) -> Iterator[sqlite3.Connection]:
        """Commit what the block writes, and remove what nobody uses any more: vectors, files, brains of processes that died."""
        with self.writing(), self._claims.abandoned() as abandoned:
            with self._transaction() as connection:
                yield connection
                for brain in select_brains(connection):
                    if brain.name in abandoned:
                        delete_brain_rows(connection, brain)
                prune_embeddings(connection)
                brains = select_brains(connection)
            self._remove_old_index_files(brains)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Commit what the block writes when it ends well; closing the connection undoes it otherwise."""
        with self.writing(), explained_errors(self._database), closing(open_writer(self._database)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
            # Deleted text is overwritten in the database, but the write-ahead log still holds pages of before.
            try:
                (blocked, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.Error:
                blocked = True
            if blocked:
                _logger.warning("The write-ahead log could not be emptied; the next write will do it")

    def _prepare_home(self) -> None:
        self._home.mkdir(parents=True, exist_ok=True)
        ignore_file = self._home / ".gitignore"
        if not ignore_file.exists():
            ignore_file.write_text("# Excerpts of private files are in here.\n*\n", encoding="ascii")

    def _busy(self) -> StoreBusyError:
        holder = "another program"
        with suppress(OSError, ValueError):
            process_id = int(self._process_id_file.read_text(encoding="ascii"))
            own = " (another task of this notebook)" if process_id == os.getpid() else ""
            holder = f"process {process_id}{own}"
        return StoreBusyError(
            f"The store {self._home} is being written by {holder}.", hint="Try again when it has finished, or stop it."
        )

    def _index_file(self, brain: Brain) -> Path:
        return self._indexes / f"{brain.id}-{brain.generation}.faiss"

    def _remove_old_index_files(self, brains: Sequence[Brain]) -> None:
        """Remove what no brain uses: files of older generations, of deleted brains and of interrupted writes."""
        used = {self._index_file(brain) for brain in brains}
        for path in self._indexes.glob("*"):
            if path not in used and path.suffix in {".faiss", ".unfinished"}:
                with suppress(OSError):  # a reader has it open on Windows; the next write removes it
                    path.unlink()

    def _newest_index(self, connection: sqlite3.Connection, brain: Brain) -> BrainIndex:
        """Return the index of a brain's newest generation, unless it is gone or was embedded anew with another model."""
        found = select_brains(connection, where="WHERE id = ?", values=(brain.id,))
        if not found:
            raise BrainNotFoundError(brain.name, [other.name for other in select_brains(connection)])
        current = found[0]
        if current.embedding_fingerprint != brain.embedding_fingerprint:
            raise EmbeddingMismatchError(
                f"Brain '{brain.name}' was embedded anew with {current.embedding_model}.", hint="Ask again with that model."
            )
        return self._current_index(connection, current)

    def _current_index(self, connection: sqlite3.Connection, brain: Brain) -> BrainIndex:
        """Return the index of exactly the generation that ``connection`` sees.

        Building one takes seconds for a large brain. Only who asks the same brain waits for that.
        """
        (sha256,) = connection.execute("SELECT index_sha256 FROM brains WHERE id = ?", (brain.id,)).fetchone()
        with self._cache_lock:
            building = self._building.setdefault(brain.id, threading.Lock())
        with building:
            with self._cache_lock:
                generation, cached_sha256, index = self._cache.pop(brain.id, (0, "", None))
            if index is None or (generation, cached_sha256) != (brain.generation, sha256):
                vectors = self._load_index(connection, brain, sha256=sha256)
                index = BrainIndex(vectors, *select_texts(connection, brain))
            with self._cache_lock:
                self._cache[brain.id] = (brain.generation, sha256, index)
                while len(self._cache) > _MOST_CACHED_INDEXES:
                    self._cache.pop(next(iter(self._cache)))
        return index

    def _load_index(self, connection: sqlite3.Connection, brain: Brain, *, sha256: str) -> VectorIndex:
        """Load an index from its file, or on any doubt about it make it again from the stored vectors."""
        try:
            data = read_index_file(self._index_file(brain), sha256=sha256)
            index = VectorIndex.from_bytes(data, dimension=brain.dimension)
            if len(index) == brain.chunk_count:
                return index
            doubt: object = "it holds another number of vectors"
        except (OSError, ValueError, EmbeddingMismatchError) as error:
            doubt = error
        _logger.warning("Index file %s is not used: %s. Its vectors come from the store", self._index_file(brain).name, doubt)
        return VectorIndex.build(*select_vectors(connection, brain), dimension=brain.dimension)


def _find_brain(connection: sqlite3.Connection, *, name: str) -> Brain:
    brains = select_brains(connection)
    for brain in brains:
        if brain.name == name:
            return brain
    raise BrainNotFoundError(name, [brain.name for brain in brains])
