"""The ``store.json`` schema of the original LocalLens, for taking brains out and in; pure, no files and no models.

``{"brains": [{"id", "name", "folderPath", "createdAt"}], "chunks": {"<brain id>": [{"id", "brainId", "relativePath",
"chunkIndex", "content", "checksum"}]}}``. Written beyond it, and optional when read: ``embeddingModel`` of a brain;
``startOffset``, ``endOffset``, ``startLine`` and ``endLine`` of a chunk.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from locallens_nb.domain import Brain, LocalDocument, TextChunk
from locallens_nb.errors import ExchangeFormatError

_HINT = "The file must follow the store.json schema of LocalLens."


@dataclass(frozen=True, slots=True)
class ImportedBrain:
    """A brain that was read from a file and has no vectors yet.

    Attributes
    ----------
    id
        As in the file, so that it may be anything; it is also the ``brain_id`` of the chunks.
    created_at
        With its time zone; None when the file does not say.
    embedding_model
        Name of the model that had embedded it, "" when the file does not say.
    documents
        One for each path, ordered, with the checksum of its chunks; without content, size and time.
    chunks
        Ordered by path and place in the document.
    """

    id: str
    name: str
    folder_path: str
    created_at: datetime | None
    embedding_model: str
    documents: tuple[LocalDocument, ...]
    chunks: tuple[TextChunk, ...]


def to_exchange(brain: Brain, chunks: Sequence[TextChunk]) -> dict[str, Any]:
    """Return one brain in the schema, ready for :func:`json.dumps`; :func:`from_exchange` reads it back."""
    record = {
        "id": brain.id,
        "name": brain.name,
        "folderPath": brain.folder_path,
        "createdAt": brain.created_at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        "embeddingModel": brain.embedding_model,
    }
    return {"brains": [record], "chunks": {brain.id: [_chunk_record(chunk) for chunk in chunks]}}


def _chunk_record(chunk: TextChunk) -> dict[str, str | int]:
    record: dict[str, str | int | None] = {
        "id": chunk.id,
        "brainId": chunk.brain_id,
        "relativePath": chunk.relative_path,
        "chunkIndex": chunk.chunk_index,
        "content": chunk.content,
        "checksum": chunk.checksum,
        "startOffset": chunk.start_offset,
        "endOffset": chunk.end_offset,
        "startLine": chunk.start_line,
        "endLine": chunk.end_line,
    }
    return {key: value for key, value in record.items() if value is not None}


def parse_exchange(text: str) -> list[ImportedBrain]:
    """Return the brains of a JSON text.

    Raises
    ------
    ExchangeFormatError
        When the text is not JSON, or does not follow the schema.
    """
    try:
        data = json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise ExchangeFormatError(f"The file is not JSON: {error.msg} in line {error.lineno}.", hint=_HINT) from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or brackets within brackets
        raise ExchangeFormatError("The file is not JSON that can be read.", hint=_HINT) from error
    return from_exchange(data)


def from_exchange(data: object) -> list[ImportedBrain]:
    """Return the brains of a parsed file, all checked; unknown keys, and chunks of brains that are not listed, are ignored.

    Raises
    ------
    ExchangeFormatError
        When anything does not follow the schema; the message says where, as in ``chunks['b1'][3].content is missing``.
    """
    store = _as_mapping(data, "the file")
    records = _as_list(store.get("brains"), "brains")
    chunks = _as_mapping(store.get("chunks"), "chunks")
    brains = [_read_brain(record, chunks, where=f"brains[{position}]") for position, record in enumerate(records)]
    _refuse_repeats([brain.id for brain in brains], "brains", "id")
    _refuse_repeats([brain.name for brain in brains], "brains", "name")
    return brains


def _read_brain(data: object, all_chunks: Mapping[str, object], *, where: str) -> ImportedBrain:
    record = _as_mapping(data, where)
    brain_id = _read_text(record, "id", where)
    chunks_where = f"chunks[{brain_id!r}]"
    chunks = [
        _read_chunk(chunk, brain_id, where=f"{chunks_where}[{position}]")
        for position, chunk in enumerate(_as_list(all_chunks.get(brain_id), chunks_where))
    ]
    _refuse_repeats([chunk.id for chunk in chunks], chunks_where, "id")
    _refuse_repeats([(chunk.relative_path, chunk.chunk_index) for chunk in chunks], chunks_where, "relativePath and chunkIndex")
    return ImportedBrain(
        id=brain_id,
        name=_read_text(record, "name", where),
        folder_path=_read_text(
            record, "rootPath" if "folderPath" not in record and "rootPath" in record else "folderPath", where
        ),
        created_at=_read_time(record, "createdAt", where),
        embedding_model=_read_text(record, "embeddingModel", where) if record.get("embeddingModel") is not None else "",
        documents=_list_documents(chunks, where=chunks_where),
        chunks=tuple(sorted(chunks, key=lambda chunk: (chunk.relative_path, chunk.chunk_index))),
    )


def _read_chunk(data: object, brain_id: str, *, where: str) -> TextChunk:
    record = _as_mapping(data, where)
    if _read_text(record, "brainId", where) != brain_id:
        raise _wrong(f"{where}.brainId", f"is not {brain_id!r}")
    path = _read_text(record, "relativePath", where)
    if PurePosixPath(path).is_absolute() or PureWindowsPath(path).anchor or ".." in PureWindowsPath(path).parts:
        raise _wrong(f"{where}.relativePath", "does not stay below the folder")
    chunk_index = _read_number(record, "chunkIndex", where)
    if chunk_index is None:
        raise _wrong(f"{where}.chunkIndex", "is missing")
    return TextChunk(
        id=_read_text(record, "id", where),
        brain_id=brain_id,
        relative_path=path,
        chunk_index=chunk_index,
        content=_read_text(record, "content", where),
        checksum=_read_text(record, "checksum", where),
        start_offset=_read_number(record, "startOffset", where),
        end_offset=_read_number(record, "endOffset", where),
        start_line=_read_number(record, "startLine", where),
        end_line=_read_number(record, "endLine", where),
    )


def _list_documents(chunks: Sequence[TextChunk], *, where: str) -> tuple[LocalDocument, ...]:
    checksums: dict[str, str] = {}
    for position, chunk in enumerate(chunks):
        if checksums.setdefault(chunk.relative_path, chunk.checksum) != chunk.checksum:
            raise _wrong(f"{where}[{position}].checksum", f"differs from another chunk of {chunk.relative_path!r}")
    return tuple(LocalDocument(path, "", checksums[path], 0, 0) for path in sorted(checksums))


def _read_text(record: Mapping[str, object], key: str, where: str) -> str:
    value = record.get(key)
    if value is None:
        raise _wrong(f"{where}.{key}", "is missing")
    if not isinstance(value, str):
        raise _wrong(f"{where}.{key}", "is not a text")
    if not value.strip():
        raise _wrong(f"{where}.{key}", "is empty")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _wrong(f"{where}.{key}", "holds half a character") from None
    return value


def _read_number(record: Mapping[str, object], key: str, where: str) -> int | None:
    value = record.get(key)
    if value is None:
        return None
    # A store cannot keep more than 63 bits; true and false are numbers to Python.
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
        raise _wrong(f"{where}.{key}", "is not a whole number from 0")
    return value


def _read_time(record: Mapping[str, object], key: str, where: str) -> datetime | None:
    if record.get(key) is None:
        return None
    try:
        moment = datetime.fromisoformat(_read_text(record, key, where))
    except ValueError as error:
        raise _wrong(f"{where}.{key}", "is not a date and time as in 2025-01-31T12:00:00Z") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _as_mapping(value: object, where: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise _wrong(where, "is missing" if value is None else "is not an object")
    return value


def _as_list(value: object, where: str) -> list[object]:
    if not isinstance(value, list):
        raise _wrong(where, "is missing" if value is None else "is not a list")
    return value


def _refuse_repeats(values: Sequence[object], where: str, what: str) -> None:
    seen: set[object] = set()
    for position, value in enumerate(values):
        if value in seen:
            raise _wrong(f"{where}[{position}]", f"has the {what} of another one before it")
        seen.add(value)


def _wrong(where: str, what: str) -> ExchangeFormatError:
    return ExchangeFormatError(f"{where} {what}.", hint=_HINT)
