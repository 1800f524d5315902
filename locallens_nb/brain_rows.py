"""The SQL statements of the store: brains, documents, chunks and embeddings as records, and back.

It knows nothing of locks, index files or transactions; :mod:`locallens_nb.store` does.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locallens_nb import __version__
from locallens_nb.domain import Brain, IndexedFile, LocalDocument, SkippedFile, TextChunk
from locallens_nb.errors import BrainExistsError, EmbeddingMismatchError, StoreBusyError, StoreError
from locallens_nb.search.index import FloatArray

UNUSED_EMBEDDING_DAYS = 30
"""How long a vector outlives the last chunk that used it: a brain that is made again in that time is not embedded again."""

_USABLE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")  # an id becomes part of a file name

_BRAINS = """
SELECT id, name, folder_path, embedding_model, embedding_fingerprint, dimension,
    (SELECT count(*) FROM documents WHERE brain_id = brains.id AND status = 'indexed'),
    (SELECT count(*) FROM documents WHERE brain_id = brains.id AND status = 'skipped'),
    (SELECT count(*) FROM documents JOIN chunks ON document_key = documents.key WHERE brain_id = brains.id),
    created_at, indexed_at, generation
FROM brains
"""

_CHUNKS = """
SELECT chunks.id, brain_id, relative_path, chunk_index, content, checksum, start_offset, end_offset, start_line, end_line
FROM documents JOIN chunks ON document_key = documents.key
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrainDraft:
    """What a brain is to hold from its next generation on.

    Attributes
    ----------
    id
        1 to 64 letters, digits, ``-`` and ``_``: the index file is named after it.
    documents
        All documents of the folder, not only new ones; of those that were not read again, the files. Their content is not
        stored; the chunks hold it.
    chunks
        The chunks of new and changed documents. Those of a document whose path and checksum are stored already may
        be left out: they stay as they are.
    previous_generation
        Generation of the brain that this draft was made from; 0 for a new brain.
    created_at
        Only for a brain that was imported; else the moment of its first save.
    is_temporary
        Whether the brain goes with the process that saves it, if it is not deleted before.

    Raises
    ------
    ValueError
        When ``id`` cannot be part of a file name, or a chunk belongs to another brain or to none of the documents.
    """

    id: str
    name: str
    folder_path: str
    embedding_model: str
    embedding_fingerprint: str
    dimension: int
    documents: Sequence[LocalDocument | IndexedFile]
    skipped: Sequence[SkippedFile] = ()
    chunks: Sequence[TextChunk] = ()
    previous_generation: int = 0
    created_at: datetime | None = None
    is_temporary: bool = False

    def __post_init__(self) -> None:
        """Refuse what could not be stored whole."""
        if not _USABLE_ID.fullmatch(self.id):
            raise ValueError(f"'{self.id}' cannot be the id of a brain")
        checksums = {document.relative_path: document.checksum for document in self.documents}
        for chunk in self.chunks:
            if chunk.brain_id != self.id or checksums.get(chunk.relative_path) != chunk.checksum:
                raise ValueError(f"chunk {chunk.id} belongs to none of the documents of brain {self.id}")


def hash_content(text: str) -> bytes:
    """Return the SHA-256 under which the embedding of a text is kept, 32 bytes."""
    return hashlib.sha256(text.encode()).digest()


def select_brains(connection: sqlite3.Connection, *, where: str = "", values: Sequence[str] = ()) -> list[Brain]:
    """Return the brains for which the SQL condition ``where`` holds, ordered by name."""
    rows = connection.execute(f"{_BRAINS} {where} ORDER BY name", values).fetchall()
    return [_read_brain(row) for row in rows]


def _read_brain(row: tuple[Any, ...]) -> Brain:
    values = list(row)
    values[9:11] = map(datetime.fromisoformat, row[9:11])
    return Brain(*values)


def select_skipped_files(connection: sqlite3.Connection, brain_id: str) -> list[SkippedFile]:
    """Return the files of a brain that were seen and not indexed, ordered by path.

    Without their size and time where another version of this package read them: this one may know how to.
    """
    rows = connection.execute(
        "SELECT relative_path, reason, iif(checksum = ?1, size_bytes, NULL), iif(checksum = ?1, modified_ns, NULL)"
        " FROM documents WHERE brain_id = ?2 AND status = 'skipped' ORDER BY relative_path",
        (__version__, brain_id),
    )
    return [SkippedFile(*row) for row in rows]


def select_indexed_files(connection: sqlite3.Connection, brain_id: str) -> list[IndexedFile]:
    """Return the indexed files of a brain as they were then, ordered by path."""
    rows = connection.execute(
        "SELECT relative_path, coalesce(size_bytes, 0), coalesce(modified_ns, 0), checksum,"
        " (SELECT count(*) FROM chunks WHERE document_key = documents.key) FROM documents"
        " WHERE brain_id = ? AND status = 'indexed' ORDER BY relative_path",
        (brain_id,),
    )
    return [IndexedFile(*row) for row in rows]


def select_chunks(connection: sqlite3.Connection, *, where: str, values: Sequence[str | int | bytes]) -> list[TextChunk]:
    """Return the chunks for which the SQL condition ``where`` holds, ordered by path and place in the document."""
    rows = connection.execute(f"{_CHUNKS} {where} ORDER BY relative_path, chunk_index", values)
    return [TextChunk(*row) for row in rows]


def select_document_chunks(connection: sqlite3.Connection, brain_id: str, relative_path: str) -> list[TextChunk]:
    """Return the chunks of one document of a brain, in their order."""
    where = "WHERE brain_id = ? AND relative_path = CAST(? AS TEXT)"
    return select_chunks(connection, where=where, values=(brain_id, _path_bytes(relative_path)))


def select_chunks_before(
    connection: sqlite3.Connection, brain_id: str, relative_path: str, *, offset: int, reach: int
) -> list[TextChunk]:
    """Return in order the first chunk of a document and those that begin up to ``reach`` characters before an offset."""
    where = (
        "WHERE brain_id = ? AND relative_path = CAST(? AS TEXT)"
        " AND (chunk_index = 0 OR (start_offset < ? AND start_offset >= ?))"
    )
    return select_chunks(connection, where=where, values=(brain_id, _path_bytes(relative_path), offset, offset - reach))


def select_chunks_in_order(connection: sqlite3.Connection, keys: Sequence[int]) -> list[TextChunk]:
    """Return the chunks of some keys, in the order of the keys; of any number of them, in one query."""
    rows = connection.execute(
        f"{_CHUNKS} JOIN json_each(?) AS wanted ON chunks.key = wanted.value ORDER BY wanted.key", (json.dumps(keys),)
    )
    return [TextChunk(*row) for row in rows]


def select_texts(connection: sqlite3.Connection, brain: Brain) -> tuple[list[int], list[str], list[str]]:
    """Return the keys of a brain's chunks, ascending, their paths and their contents."""
    rows = connection.execute(
        "SELECT chunks.key, relative_path, content FROM documents JOIN chunks ON document_key = documents.key"
        " WHERE brain_id = ? ORDER BY chunks.key",
        (brain.id,),
    ).fetchall()
    return [key for key, _, _ in rows], [path for _, path, _ in rows], [content for _, _, content in rows]


def select_sample(connection: sqlite3.Connection, brain_id: str, *, count: int) -> list[str]:
    """Return the contents of at most so many chunks of a brain, evenly spread over all of it."""
    keys = connection.execute(
        "SELECT chunks.key FROM documents JOIN chunks ON document_key = documents.key WHERE brain_id = ? ORDER BY chunks.key",
        (brain_id,),
    ).fetchall()
    chosen = keys[:: max(1, -(-len(keys) // count))]
    return [connection.execute("SELECT content FROM chunks WHERE key = ?", key).fetchone()[0] for key in chosen]


def select_vectors(connection: sqlite3.Connection, brain: Brain) -> tuple[NDArray[np.int64], FloatArray]:
    """Return the keys of a brain's chunks, ascending, and their vectors, shape ``(chunk_count, dimension)``.

    Raises
    ------
    EmbeddingMismatchError
        When a stored vector has another length than the brain's.
    StoreError
        When a chunk has no stored vector.
    """
    keys = np.empty(brain.chunk_count, dtype=np.int64)
    vectors = np.empty((brain.chunk_count, brain.dimension), dtype=np.float32)
    rows = connection.execute(
        "SELECT chunks.key, vector FROM documents JOIN chunks ON document_key = documents.key"
        " LEFT JOIN embeddings ON fingerprint = ? AND embeddings.content_hash = chunks.content_hash"
        " WHERE brain_id = ? ORDER BY chunks.key",
        (brain.embedding_fingerprint, brain.id),
    )
    for position, (key, stored) in enumerate(rows):
        if stored is None:
            raise StoreError(f"Brain '{brain.name}' has a chunk without a stored vector.", hint="Refresh the brain.")
        vector = np.frombuffer(stored, dtype="<f4")
        if len(vector) != brain.dimension:
            raise EmbeddingMismatchError(
                f"Brain '{brain.name}' holds vectors of {brain.dimension} numbers; one of {len(vector)} is stored for it.",
                hint="Delete the brain and index its folder again.",
            )
        keys[position], vectors[position] = key, vector
    return keys, vectors


def write_brain_row(connection: sqlite3.Connection, draft: BrainDraft) -> Brain | None:
    """Write the row of a brain's next generation and return the brain as it was, None for a new one.

    Raises
    ------
    BrainExistsError
        When the brain is new and its name is taken.
    StoreBusyError
        When the brain is of another generation than the draft was made from.
    """
    known = select_brains(connection, where="WHERE id = ?", values=(draft.id,))
    if known and not draft.previous_generation:
        raise BrainExistsError(known[0].name)
    if draft.previous_generation != (known[0].generation if known else 0):
        raise StoreBusyError(f"Brain '{draft.name}' was changed or deleted meanwhile.", hint="Read it again and retry.")
    now = datetime.now(UTC)
    created_at = known[0].created_at if known else draft.created_at or now
    row = (
        *(draft.id, draft.name, _path_bytes(draft.folder_path), draft.embedding_model, draft.embedding_fingerprint),
        *(draft.dimension, created_at.isoformat(), now.isoformat(), draft.previous_generation + 1),
    )
    try:
        connection.execute(
            "INSERT INTO brains VALUES (?1, ?2, CAST(?3 AS TEXT), ?4, ?5, ?6, ?7, ?8, ?9, '')"
            " ON CONFLICT (id) DO UPDATE SET name = ?2, folder_path = CAST(?3 AS TEXT), embedding_model = ?4,"
            " embedding_fingerprint = ?5, dimension = ?6, indexed_at = ?8, generation = ?9",
            row,
        )
    except sqlite3.IntegrityError as error:
        raise BrainExistsError(draft.name) from error
    return known[0] if known else None


def replace_documents(connection: sqlite3.Connection, draft: BrainDraft, *, previous: Brain | None) -> None:
    """Make the documents of a brain those of the draft; what did not change keeps its rows and chunk keys.

    Parameters
    ----------
    previous
        The brain as it was before the draft, None for a new one.
    """
    chunks: dict[str, list[TextChunk]] = {}
    for chunk in sorted(draft.chunks, key=lambda chunk: chunk.chunk_index):
        chunks.setdefault(chunk.relative_path, []).append(chunk)
    wanted = {document.relative_path: document for document in draft.documents}
    kept = _keep_documents(connection, previous, wanted, chunks) if previous else set()
    if previous and previous.embedding_fingerprint != draft.embedding_fingerprint:
        renew_embeddings(connection, previous, _select_document_keys(connection, previous))
    for path, document in wanted.items():
        if path not in kept:
            _insert_document(connection, draft.id, document, chunks.get(path, []))
    connection.executemany(
        "INSERT OR IGNORE INTO documents (brain_id, relative_path, status, reason, checksum, size_bytes, modified_ns)"
        " VALUES (?, CAST(? AS TEXT), 'skipped', CAST(? AS TEXT), ?, ?, ?)",
        [
            (
                *(draft.id, _path_bytes(file.relative_path), _path_bytes(file.reason)),
                *(__version__, file.size_bytes, file.modified_ns),
            )
            for file in draft.skipped
        ],
    )


def _keep_documents(
    connection: sqlite3.Connection,
    previous: Brain,
    wanted: Mapping[str, LocalDocument | IndexedFile],
    chunks: Mapping[str, list[TextChunk]],
) -> set[str]:
    """Delete the stored documents that are no longer wanted as they are, and return the paths of the others."""
    kept: set[str] = set()
    gone: list[int] = []
    stored = connection.execute("SELECT key, relative_path, checksum FROM documents WHERE brain_id = ?", (previous.id,))
    for key, path, checksum in stored.fetchall():
        if path in wanted and wanted[path].checksum == checksum and _has_chunks(connection, key, chunks.get(path)):
            values = (wanted[path].size_bytes, wanted[path].modified_ns, key)
            connection.execute("UPDATE documents SET size_bytes = ?, modified_ns = ? WHERE key = ?", values)
            kept.add(path)
        else:
            gone.append(key)
    delete_documents(connection, previous, gone)
    return kept


def _has_chunks(connection: sqlite3.Connection, document_key: int, chunks: list[TextChunk] | None) -> bool:
    """Say whether a document's stored chunks are the given ones; None stands for those that are stored."""
    return chunks is None or chunks == select_chunks(connection, where="WHERE document_key = ?", values=(document_key,))


def _insert_document(
    connection: sqlite3.Connection, brain_id: str, document: LocalDocument | IndexedFile, chunks: list[TextChunk]
) -> None:
    cursor = connection.execute(
        "INSERT INTO documents (brain_id, relative_path, status, checksum, size_bytes, modified_ns)"
        " VALUES (?, CAST(? AS TEXT), 'indexed', ?, ?, ?)",
        (brain_id, _path_bytes(document.relative_path), document.checksum, document.size_bytes, document.modified_ns),
    )
    connection.executemany(
        "INSERT INTO chunks (document_key, id, chunk_index, content, content_hash, start_offset, end_offset, start_line,"
        " end_line) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                *(cursor.lastrowid, chunk.id, chunk.chunk_index, chunk.content, hash_content(chunk.content)),
                *(chunk.start_offset, chunk.end_offset, chunk.start_line, chunk.end_line),
            )
            for chunk in chunks
        ],
    )


def select_unembedded(connection: sqlite3.Connection, texts: Sequence[str], *, fingerprint: str) -> list[str]:
    """Return the texts without a stored vector of this model, each once, in the order given."""
    statement = "SELECT 1 FROM embeddings WHERE fingerprint = ? AND content_hash = ?"
    return [
        text
        for text in dict.fromkeys(texts)
        if connection.execute(statement, (fingerprint, hash_content(text))).fetchone() is None
    ]


def insert_embeddings(connection: sqlite3.Connection, texts: Sequence[str], vectors: FloatArray, *, fingerprint: str) -> None:
    """Keep one vector for each text; the one that is there already is replaced."""
    today = _today().isoformat()
    connection.executemany(
        "INSERT OR REPLACE INTO embeddings (fingerprint, content_hash, used_on, vector) VALUES (?, ?, ?, ?)",
        [
            (fingerprint, hash_content(text), today, vector.tobytes())
            for text, vector in zip(texts, vectors.astype("<f4"), strict=True)
        ],
    )


def delete_documents(connection: sqlite3.Connection, brain: Brain, keys: Sequence[int]) -> None:
    """Delete documents with their chunks, and note that these have used their vectors until now."""
    renew_embeddings(connection, brain, keys)
    connection.executemany("DELETE FROM documents WHERE key = ?", [(key,) for key in keys])


def renew_embeddings(connection: sqlite3.Connection, brain: Brain, keys: Sequence[int]) -> None:
    """Note that the vectors of these documents of a brain are in use today."""
    connection.executemany(
        "UPDATE embeddings SET used_on = ?1 WHERE used_on <> ?1 AND fingerprint = ?2"
        " AND content_hash IN (SELECT content_hash FROM chunks WHERE document_key = ?3)",
        [(_today().isoformat(), brain.embedding_fingerprint, key) for key in keys],
    )


def delete_brain_rows(connection: sqlite3.Connection, brain: Brain) -> None:
    """Delete a brain with all that it holds; its vectors stay until :func:`prune_embeddings` finds them unused for long."""
    delete_documents(connection, brain, _select_document_keys(connection, brain))
    connection.execute("DELETE FROM brains WHERE id = ?", (brain.id,))


def prune_embeddings(connection: sqlite3.Connection) -> None:
    """Delete the vectors that no chunk uses and none has used for :data:`UNUSED_EMBEDDING_DAYS`."""
    connection.execute(
        "DELETE FROM embeddings WHERE used_on < ? AND NOT EXISTS"
        " (SELECT 1 FROM chunks JOIN documents ON document_key = documents.key JOIN brains ON brain_id = brains.id"
        " WHERE chunks.content_hash = embeddings.content_hash AND embedding_fingerprint = embeddings.fingerprint)",
        ((_today() - timedelta(days=UNUSED_EMBEDDING_DAYS)).isoformat(),),
    )


def _select_document_keys(connection: sqlite3.Connection, brain: Brain) -> list[int]:
    return [key for (key,) in connection.execute("SELECT key FROM documents WHERE brain_id = ?", (brain.id,))]


def _today() -> date:
    return datetime.now(UTC).date()


def _path_bytes(path: str) -> bytes:
    """Encode a path, which on Linux need not be text: SQLite takes such bytes only by way of a cast."""
    return path.encode("utf-8", "surrogatepass")
