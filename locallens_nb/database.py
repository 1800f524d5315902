"""The SQLite file of the store: its schema, its connections, and what its errors mean to a person."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from locallens_nb.errors import StoreBusyError, StoreError, StoreFullError, StoreVersionError

SCHEMA_VERSION = 1

_OLDEST_SQLITE = (3, 37, 0)  # the first with STRICT tables
_BUSY_TIMEOUT_SECONDS = 10.0
_SHARED_MEMORY_BYTES = 32 * 1024
"""What SQLite needs beside a store to read it while others write."""

_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS brains (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    folder_path TEXT NOT NULL,
    embedding_model TEXT NOT NULL,
    embedding_fingerprint TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    indexed_at TEXT NOT NULL,
    generation INTEGER NOT NULL,
    index_sha256 TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS documents (
    key INTEGER PRIMARY KEY,
    brain_id TEXT NOT NULL REFERENCES brains (id) ON DELETE CASCADE,
    relative_path TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('indexed', 'skipped')),
    checksum TEXT,  -- of a skipped file: the version of LocalLens that could not use it
    size_bytes INTEGER,
    modified_ns INTEGER,
    reason TEXT,
    UNIQUE (brain_id, relative_path)
) STRICT;
CREATE TABLE IF NOT EXISTS chunks (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    document_key INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    id TEXT NOT NULL,
    chunk_index INTEGER NOT NULL,
    content TEXT NOT NULL,
    content_hash BLOB NOT NULL,
    start_offset INTEGER,
    end_offset INTEGER,
    start_line INTEGER,
    end_line INTEGER,
    UNIQUE (document_key, chunk_index)
) STRICT;
CREATE INDEX IF NOT EXISTS chunks_by_content ON chunks (content_hash);
CREATE TABLE IF NOT EXISTS embeddings (
    fingerprint TEXT NOT NULL,
    content_hash BLOB NOT NULL,
    used_on TEXT NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (fingerprint, content_hash)
) STRICT;
CREATE INDEX IF NOT EXISTS embeddings_by_use ON embeddings (used_on);
PRAGMA user_version = {SCHEMA_VERSION};
COMMIT;
"""


@contextmanager
def explained_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite and the file system raise into errors that say what to do.

    Raises
    ------
    StoreFullError
        When the disk is full.
    StoreBusyError
        When another process holds the database for longer than the time-out.
    StoreError
        When the file is damaged, or cannot be read or written.
    """
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise
    except sqlite3.DatabaseError as error:
        raise _explain_database_error(error, path) from error
    except OSError as error:
        if error.errno in {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}:
            raise _full(path) from error
        raise StoreError(
            f"The store {path} cannot be used: {error.strerror or error}.", hint="Check the folder and its permissions."
        ) from error


def _explain_database_error(error: sqlite3.DatabaseError, path: Path) -> StoreError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte; the rest only refines it
    # SQLite says of the memory that readers share only that it could not be written, not that the disk is full.
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _is_disk_full(path)):
        return _full(path)
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return StoreBusyError(f"Another process holds the store {path}.", hint="Try again when it has finished.")
    if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
        return StoreError(
            f"The store {path} is damaged.",
            hint="Restore it from a backup, or delete it and index your folders again; they are not touched.",
        )
    return StoreError(f"The store {path} cannot be used: {error}.", hint="Check the folder and its permissions.")


def _is_disk_full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < _SHARED_MEMORY_BYTES
    except OSError:
        return False


def _full(path: Path) -> StoreFullError:
    return StoreFullError(
        f"The disk of the store {path} is full.", hint="Free some space and try again; what was stored before is intact."
    )


def reader_uri(path: Path, *, folder_is_writable: bool) -> str:
    """Return the address under which SQLite opens the store for reading.

    In a folder that cannot be written, SQLite cannot make the files through which a reader and a writer know of each
    other. If they are not there, nobody is writing, and the file is opened as one that does not change. A
    write-ahead log with content rules that out: part of the store is in it.
    """
    parameters = "mode=ro" if folder_is_writable or _has_log(path) else "mode=ro&immutable=1"
    return f"{path.absolute().as_uri()}?{parameters}"


def _has_log(path: Path) -> bool:
    """Say whether a write-ahead log is in use; a writer on another account may remove it between two looks."""
    try:
        size = Path(f"{path}-wal").stat().st_size
    except FileNotFoundError:
        return False
    return size > 0 or Path(f"{path}-shm").exists()


def open_reader(path: Path) -> sqlite3.Connection:
    """Open the store for reading, in one snapshot until the connection is closed; one that is missing reads as empty.

    Raises
    ------
    StoreVersionError
        When a newer version wrote it.
    sqlite3.Error
        For :func:`explained_errors`.
    """
    if path.exists():
        uri = reader_uri(path, folder_is_writable=os.access(path.parent, os.W_OK))
        connection = _connect(uri)
        try:
            connection.execute("BEGIN")
            if _read_version(connection, path):
                return connection
        except BaseException:
            connection.close()
            raise
        connection.close()
    connection = _connect("file::memory:")
    connection.executescript(_SCHEMA)
    return connection


def open_writer(path: Path) -> sqlite3.Connection:
    """Open the store for writing, and make it if it is missing; outside a transaction.

    Raises
    ------
    StoreVersionError
        When a newer version wrote it; the file is left as it is.
    sqlite3.Error
        For :func:`explained_errors`.
    """
    connection = _connect(f"{path.absolute().as_uri()}?mode=rwc")
    try:
        version = _read_version(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")  # the text of a deleted brain is overwritten
        if not version:
            connection.executescript(_SCHEMA)
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(uri: str) -> sqlite3.Connection:
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise StoreError(f"This Python comes with SQLite {sqlite3.sqlite_version}; 3.37 is needed.", hint="Use a newer Python.")
    connection = sqlite3.connect(uri, uri=True, timeout=_BUSY_TIMEOUT_SECONDS, isolation_level=None)
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogatepass")
    return connection


def _read_version(connection: sqlite3.Connection, path: Path) -> int:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > SCHEMA_VERSION:
        raise StoreVersionError(
            f"The store {path} has format {version}; this version of LocalLens reads format {SCHEMA_VERSION}.",
            hint="Upgrade locallens-nb, or set LOCALLENS_HOME to another folder.",
        )
    return version
