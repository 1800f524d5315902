"""The nearest vectors to a question, exactly (FAISS), and the files that hold a finished index.

An index is derived data: :mod:`locallens_nb.store` can make it again from SQLite, so a file that is not beyond doubt
is refused here rather than repaired.
"""

from __future__ import annotations

import hashlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locallens_nb.errors import EmbeddingMismatchError

FloatArray = NDArray[np.float32]
_DECIMALS = 6
SPREAD_VECTORS = 2000
"""From so many vectors the spread of the similarities of a question is known well enough."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A vector that was found: the key of its chunk, and its cosine similarity to the query, from -1 to 1."""

    chunk_key: int
    similarity: float


class VectorIndex:
    """Unit vectors under the keys of their chunks, compared one by one: the inner product, which is the cosine.

    Searching is safe from several threads. Make one with :meth:`build` or :meth:`from_bytes`.
    """

    def __init__(self, faiss_index: Any, *, dimension: int) -> None:
        self._faiss_index = faiss_index
        self._dimension = dimension
        self._spread_vectors: FloatArray | None = None

    @classmethod
    def build(cls, ids: NDArray[np.int64], vectors: FloatArray, *, dimension: int) -> VectorIndex:
        """Return an index of the given vectors.

        Parameters
        ----------
        ids
            Shape ``(count,)``, int64, each once and none negative: the keys of the chunks.
        vectors
            Shape ``(count, dimension)``, float32, unit length.
        dimension
            Length of a vector; also that of an index without vectors.

        Raises
        ------
        EmbeddingMismatchError
            When the vectors have another length than ``dimension``.
        ValueError
            When ids and vectors differ in number, an id is negative or repeated, or a number is not finite.
        """
        faiss = _import_faiss()
        rows = _check_vectors(vectors.reshape(0, dimension) if vectors.size == 0 else vectors, dimension=dimension)
        keys = np.ascontiguousarray(ids, dtype=np.int64)
        if keys.shape != (len(rows),):
            raise ValueError(f"{len(rows)} vectors need as many ids, not an array of shape {keys.shape}")
        if len(np.unique(keys)) != len(keys) or (len(keys) and keys.min() < 0):
            raise ValueError("an id is negative or repeated")
        faiss_index = faiss.IndexIDMap2(faiss.IndexFlatIP(dimension))
        if len(keys):
            faiss_index.add_with_ids(rows, keys)
        return cls(faiss_index, dimension=dimension)

    @classmethod
    def from_bytes(cls, data: bytes, *, dimension: int) -> VectorIndex:
        """Return the index that :meth:`to_bytes` wrote.

        Raises
        ------
        EmbeddingMismatchError
            When it holds vectors of another length than ``dimension``.
        ValueError
            When ``data`` is no such index.
        """
        faiss = _import_faiss()
        try:
            faiss_index = faiss.deserialize_index(np.frombuffer(data, dtype=np.uint8))
        except RuntimeError as error:
            raise ValueError("the bytes are not a FAISS index") from error
        if not isinstance(faiss_index, faiss.IndexIDMap2) or faiss_index.metric_type != faiss.METRIC_INNER_PRODUCT:
            raise ValueError("the bytes are a FAISS index of another kind")
        if faiss_index.d != dimension:
            raise _mismatch(expected=dimension, actual=faiss_index.d)
        return cls(faiss_index, dimension=dimension)

    def to_bytes(self) -> bytes:
        """Return the whole index as bytes; Python writes them, because FAISS cannot open every path on Windows."""
        serialized: NDArray[np.uint8] = _import_faiss().serialize_index(self._faiss_index)
        return serialized.tobytes()

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._dimension

    def __len__(self) -> int:
        """Return the number of vectors."""
        return int(self._faiss_index.ntotal)

    def compare(self, query: FloatArray, keys: NDArray[np.int64]) -> FloatArray:
        """Return how similar the vectors under some keys are to a query: shape ``(len(keys),)``, from -1 to 1.

        Raises
        ------
        EmbeddingMismatchError
            When ``query`` has another length than :attr:`dimension`.
        ValueError
            When a number of the query is not finite.
        """
        (row,) = _check_vectors(query.reshape(1, -1), dimension=self._dimension)
        # Rounding takes the inner product past the ends of the cosine, and equal vectors apart.
        similarities: FloatArray = np.round(self.read(keys) @ row, _DECIMALS).clip(-1.0, 1.0)
        return similarities

    def read(self, keys: NDArray[np.int64]) -> FloatArray:
        """Return the vectors under some keys, shape ``(len(keys), dimension)``; of all of them, in their order, not a copy."""
        vectors = self._view()
        stored = _import_faiss().vector_to_array(self._faiss_index.id_map)
        if np.array_equal(stored, keys):
            return vectors
        order = np.argsort(stored)
        return vectors[order[np.searchsorted(stored, keys, sorter=order)]]

    def measure_spread(self, query: FloatArray) -> tuple[float, float]:
        """Return the mean and the standard deviation of the cosine similarity of the vectors to a query.

        Of at most :data:`SPREAD_VECTORS` of them, evenly chosen; 0 and 0 when there are none.

        Raises
        ------
        EmbeddingMismatchError
            When ``query`` has another length than :attr:`dimension`.
        ValueError
            When a number of the query is not finite.
        """
        (row,) = _check_vectors(query.reshape(1, -1), dimension=self._dimension)
        if not len(self):
            return 0.0, 0.0
        if self._spread_vectors is None:
            places = np.linspace(0, len(self) - 1, min(len(self), SPREAD_VECTORS)).round().astype(np.int64)
            self._spread_vectors = self._view()[places]
        similarities = self._spread_vectors @ row
        return float(similarities.mean()), float(similarities.std())

    def _view(self) -> FloatArray:
        """Return the memory that holds all vectors, in the order of their keys in FAISS: shape ``(count, dimension)``."""
        shape = (len(self), self._dimension)
        if not len(self):
            return np.zeros(shape, dtype=np.float32)
        faiss = _import_faiss()
        flat = faiss.downcast_index(self._faiss_index.index)
        vectors: FloatArray = faiss.rev_swig_ptr(flat.get_xb(), len(self) * self._dimension).reshape(shape)
        return vectors


def write_index_file(path: Path, data: bytes) -> str:
    """Write a finished index so that ``path`` is either whole or absent, also after a power cut.

    Returns
    -------
    str
        SHA-256 of ``data``, as 64 hexadecimal digits.

    Raises
    ------
    OSError
        When the disk is full or the folder cannot be written.
    """
    path.parent.mkdir(exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
    return hashlib.sha256(data).hexdigest()


def read_index_file(path: Path, *, sha256: str) -> bytes:
    """Return the bytes that :func:`write_index_file` wrote.

    Raises
    ------
    OSError
        When the file is missing or cannot be read.
    ValueError
        When it does not hold what was written: FAISS itself loads a flipped bit without a word.
    """
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ValueError("the file is not the one that was written")
    return data


def _import_faiss() -> Any:
    """Import faiss, on macOS and Windows after torch: the other order loads two OpenMP runtimes and may abort there."""
    if sys.platform in {"darwin", "win32"}:
        import torch  # noqa: F401
    import faiss

    return faiss


def _check_vectors(vectors: FloatArray, *, dimension: int) -> FloatArray:
    """Return ``vectors`` as FAISS needs them in memory, or refuse what it would fail on silently."""
    if vectors.ndim != 2 or vectors.shape[1] != dimension:
        raise _mismatch(expected=dimension, actual=vectors.shape[-1])
    rows = np.ascontiguousarray(vectors, dtype=np.float32)
    if not np.isfinite(rows).all():
        raise ValueError("a vector holds numbers that are not finite; it could never be found")
    return rows


def _mismatch(*, expected: int, actual: int) -> EmbeddingMismatchError:
    return EmbeddingMismatchError(
        f"The index holds vectors of {expected} numbers; this embedding model gives {actual}.",
        hint="Use the embedding model that the brain was built with, or rebuild the brain.",
    )
