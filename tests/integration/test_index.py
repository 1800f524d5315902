"""The index of vectors over real FAISS."""

from __future__ import annotations

import numpy as np
import pytest

from locallens_nb.errors import EmbeddingMismatchError
from locallens_nb.search.index import FloatArray, VectorIndex, read_index_file, write_index_file


def keys(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def axes(*numbers: int) -> FloatArray:
    """Unit vectors of four numbers, each along one axis."""
    return np.eye(4, dtype=np.float32)[list(numbers)]


def test_a_similarity_stays_between_minus_one_and_one():
    vector = np.full((1, 384), np.float32(1 / np.sqrt(384))) * np.float32(1.0000005)
    index = VectorIndex.build(keys(1), vector, dimension=384)
    assert index.compare(vector[0], keys(1)).tolist() == [1.0]
    assert index.compare(-vector[0], keys(1)).tolist() == [-1.0]


def test_bytes_bring_back_the_same_index():
    index = VectorIndex.build(keys(4, 9), axes(1, 3), dimension=4)
    again = VectorIndex.from_bytes(index.to_bytes(), dimension=4)
    assert (len(again), again.dimension) == (2, 4)
    assert again.compare(axes(3)[0], keys(4, 9)).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    "use",
    [
        lambda index: index.compare(np.ones(5, dtype=np.float32), keys(1)),
        lambda index: VectorIndex.build(keys(1), np.ones((1, 5), dtype=np.float32), dimension=4),
        lambda index: VectorIndex.from_bytes(
            VectorIndex.build(keys(1), np.ones((1, 5), dtype=np.float32), dimension=5).to_bytes(), dimension=4
        ),
    ],
    ids=["query", "build", "bytes"],
)
def test_a_wrong_dimension_is_refused_with_both_numbers(use):
    index = VectorIndex.build(keys(1), axes(0), dimension=4)
    with pytest.raises(EmbeddingMismatchError, match=r"4 numbers.* 5\b"):
        use(index)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_refused(bad):
    vectors = np.array([[bad, 0, 0, 0]], dtype=np.float32)
    with pytest.raises(ValueError, match="not finite"):
        VectorIndex.build(keys(1), vectors, dimension=4)
    with pytest.raises(ValueError, match="not finite"):
        VectorIndex.build(keys(1), axes(0), dimension=4).compare(vectors[0], keys(1))


@pytest.mark.parametrize("ids", [keys(1), keys(1, 1), keys(1, -1)], ids=["too few", "repeated", "negative"])
def test_ids_that_could_not_name_one_vector_each_are_refused(ids):
    with pytest.raises(ValueError, match="id"):
        VectorIndex.build(ids, axes(0, 1), dimension=4)


def test_bytes_of_something_else_are_refused():
    import faiss

    other = faiss.serialize_index(faiss.IndexFlatL2(4)).tobytes()
    for data in (b"", b"junk" * 20, VectorIndex.build(keys(1), axes(0), dimension=4).to_bytes()[:-3], other):
        with pytest.raises(ValueError, match="FAISS index"):
            VectorIndex.from_bytes(data, dimension=4)


def test_an_index_file_is_read_back_only_as_it_was_written(tmp_path):
    path = tmp_path / "日本é" / "a.faiss"
    sha256 = write_index_file(path, b"0123456789")
    assert read_index_file(path, sha256=sha256) == b"0123456789"
    assert [file.name for file in path.parent.iterdir()] == ["a.faiss"]
    path.write_bytes(b"0123456780")
    with pytest.raises(ValueError, match="not the one"):
        read_index_file(path, sha256=sha256)


def test_the_vectors_under_some_keys_are_read_and_compared_in_the_order_of_the_keys():
    index = VectorIndex.build(keys(30, 10, 20), axes(0, 1, 2), dimension=4)
    assert index.read(keys(20, 30)).tolist() == axes(2, 0).tolist()
    assert index.read(keys(30, 10, 20)).tolist() == axes(0, 1, 2).tolist()
    assert index.compare(axes(1)[0], keys(20, 10)).tolist() == [0.0, 1.0]
    restored = VectorIndex.from_bytes(index.to_bytes(), dimension=4)
    assert restored.read(keys(10, 20, 30)).tolist() == axes(1, 2, 0).tolist()


def test_an_empty_index_has_nothing_to_read_or_compare():
    index = VectorIndex.build(keys(), np.zeros((0, 4), dtype=np.float32), dimension=4)
    assert index.read(keys()).shape == (0, 4)
    assert index.compare(axes(0)[0], keys()).tolist() == []
    assert index.measure_spread(axes(0)[0]) == (0.0, 0.0)
    assert len(VectorIndex.from_bytes(index.to_bytes(), dimension=4)) == 0


def test_equal_vectors_are_equally_similar_wherever_they_stand():
    vector = np.random.default_rng(2).standard_normal((1, 384)).astype(np.float32)
    vector /= np.linalg.norm(vector)
    index = VectorIndex.build(np.arange(517, dtype=np.int64), np.repeat(vector, 517, axis=0), dimension=384)
    assert len(set(index.compare(np.roll(vector[0], 1), np.arange(517, dtype=np.int64)).tolist())) == 1
