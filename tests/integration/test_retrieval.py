"""Finding chunks by meaning and by words, over real FAISS, BM25 and SQLite."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from locallens_nb import LocalLensApp, Settings
from locallens_nb.domain import Brain, LocalDocument, TextChunk
from locallens_nb.errors import EmbeddingMismatchError
from locallens_nb.search.index import FloatArray, Neighbour, VectorIndex
from locallens_nb.search.retrieval import BrainIndex
from locallens_nb.store import BrainDraft, LocalLensStore
from tests.fakes import FakeEmbeddingModel, FakeModels

DIMENSION = 4
EAST = np.array([1, 0, 0, 0], dtype=np.float32)
NORTH = np.array([0, 1, 0, 0], dtype=np.float32)


def between(similarity: float) -> FloatArray:
    """Give a unit vector of this cosine to ``EAST``."""
    return np.array([similarity, np.sqrt(1 - similarity**2), 0, 0], dtype=np.float32)


def brain_index(chunks: Mapping[int, tuple[str, FloatArray]], *, files: Sequence[str] = ()) -> BrainIndex:
    """Index some chunks, each by default in a file of its own whose name has no words."""
    keys = sorted(chunks)
    vectors = np.array([chunks[key][1] for key in keys], dtype=np.float32).reshape(len(keys), DIMENSION)
    stored = VectorIndex.build(np.array(keys, dtype=np.int64), vectors, dimension=DIMENSION)
    names = files or ["." * (1 + place) for place in range(len(keys))]
    return BrainIndex(stored, keys, names, [chunks[key][0] for key in keys])


def found_keys(neighbours: Sequence[Neighbour]) -> list[int]:
    return [neighbour.chunk_key for neighbour in neighbours]


def test_a_chunk_that_only_its_words_reveal_is_found_among_hundreds_that_mean_more():
    chunks = {key: (f"Note number {key} about the sea.", between(0.3)) for key in range(200)}
    chunks[77] = ("The grant code is FIC-0317-K.", NORTH)
    found = brain_index(chunks).search(EAST, question="FIC-0317-K", count=3)
    assert found_keys(found) == [77, 0, 1]
    assert [neighbour.similarity for neighbour in found] == pytest.approx([0.0, 0.3, 0.3])


def test_a_chunk_that_only_its_meaning_reveals_is_found():
    index = brain_index({4: ("A vessel left.", between(0.9)), 8: ("The goat sleeps.", NORTH), 15: ("The goat eats.", NORTH)})
    assert found_keys(index.search(EAST, question="When did the boat depart?", count=1)) == [4]


def test_meaning_decides_between_chunks_that_hold_the_words_equally():
    index = brain_index({1: ("The goat sleeps.", between(0.2)), 2: ("The goat sleeps.", between(0.7)), 3: ("A pump.", NORTH)})
    assert found_keys(index.search(EAST, question="goat", count=3)) == [2, 1, 3]


def test_a_file_that_holds_the_other_words_goes_before_one_that_does_not():
    chunks = {
        1: ("The goat sleeps.", between(0.50)),
        2: ("The goat sleeps.", between(0.48)),
        3: ("It stands in the stable.", NORTH),
        4: ("A pump.", NORTH),
    }
    whole = brain_index(chunks, files=["x", "y", "y", "z"]).search(EAST, question="goat stable", count=4)
    parted = brain_index(chunks).search(EAST, question="goat stable", count=4)
    assert found_keys(whole).index(2) < found_keys(whole).index(1)
    assert found_keys(parted).index(1) < found_keys(parted).index(2)


def test_words_decide_between_chunks_that_mean_the_same():
    index = brain_index({1: ("A pump.", EAST), 2: ("A gauge.", EAST), 3: ("A goat.", EAST)})
    assert found_keys(index.search(EAST, question="the goat and the gauge gauge", count=3)) == [2, 3, 1]
    assert found_keys(index.search(EAST, question="pump", count=3)) == [1, 2, 3]


@pytest.mark.parametrize("question", ["", "?!", "zebra quantum"])
def test_the_vector_alone_decides_when_no_word_is_known(question: str):
    chunks = {key: (f"Chunk {key}.", between(similarity)) for key, similarity in ((3, 0.1), (5, 0.9), (7, 0.5))}
    found = brain_index(chunks).search(EAST, question=question, count=2)
    assert found_keys(found) == [5, 7]
    assert [neighbour.similarity for neighbour in found] == pytest.approx([0.9, 0.5])


@pytest.mark.parametrize("question", ["", "goat"])
def test_of_equal_chunks_the_older_come_first(question: str):
    index = brain_index(dict.fromkeys(range(10, 310), ("The goat sleeps.", EAST)))
    assert found_keys(index.search(EAST, question=question, count=4)) == [10, 11, 12, 13]


@pytest.mark.parametrize("question", ["", "goat"])
def test_asking_for_more_than_there_is_gives_each_chunk_once(question: str):
    index = brain_index({2: ("A goat.", between(0.1)), 6: ("A pump.", between(0.2)), 9: ("-- !", between(0.3))})
    assert sorted(found_keys(index.search(EAST, question=question, count=500))) == [2, 6, 9]


@pytest.mark.parametrize("question", ["", "goat"])
def test_as_many_chunks_come_as_are_asked_for_also_beyond_the_candidates(question: str):
    index = brain_index({key: ("The goat sleeps." if key % 2 else "A pump.", between(key / 400)) for key in range(300)})
    found = found_keys(index.search(EAST, question=question, count=120))
    assert len(found) == len(set(found)) == 120


@pytest.mark.parametrize("question", ["", "goat"])
def test_an_empty_brain_finds_nothing(question: str):
    assert brain_index({}).search(EAST, question=question, count=5) == []


def test_a_query_of_another_length_is_refused():
    with pytest.raises(EmbeddingMismatchError):
        brain_index({1: ("A goat.", EAST)}).search(np.ones(3, dtype=np.float32), question="goat", count=1)


def test_the_same_search_gives_the_same_answer_from_indexes_built_apart():
    chunks = {key: (f"The goat of pen {key % 7} sleeps.", between((key * 37 % 100) / 100)) for key in range(150)}
    first = brain_index(chunks).search(EAST, question="goat pen 3", count=20)
    assert brain_index(dict(reversed(chunks.items()))).search(EAST, question="goat pen 3", count=20) == first


class EnglishOnlyModel(FakeEmbeddingModel):
    """Knows English words only, so that any other text means the same nothing to it."""

    def _embed(self, text: str) -> FloatArray:
        english = {"the", "goat", "sleeps", "boat", "leaves", "at", "noon", "budget"}
        return super()._embed(" ".join(word for word in text.casefold().split() if word.strip(".?") in english))


def save(store: LocalLensStore, model: FakeEmbeddingModel, files: Mapping[str, str], *, previous: Brain | None = None) -> Brain:
    """Save a brain in which each file is one chunk."""
    documents = [
        LocalDocument(path, text, hashlib.sha256(f"{path}\0{text}".encode()).hexdigest(), len(text), 7)
        for path, text in sorted(files.items())
    ]
    chunks = [TextChunk(f"{one.checksum[:12]}-0", "id", one.relative_path, 0, one.content, one.checksum) for one in documents]
    store.save_embeddings(list(files.values()), model.embed_documents(list(files.values())), fingerprint=model.fingerprint)
    known = {file.relative_path: file.checksum for file in store.list_indexed_files("id")}
    return store.save_brain(
        BrainDraft(
            id="id",
            name="notes",
            folder_path="/folder",
            embedding_model=model.name,
            embedding_fingerprint=model.fingerprint,
            dimension=model.dimension,
            documents=documents,
            chunks=[chunk for chunk in chunks if known.get(chunk.relative_path) != chunk.checksum],
            previous_generation=previous.generation if previous else 0,
        )
    )


def ask(store: LocalLensStore, brain: Brain, model: FakeEmbeddingModel, question: str, *, count: int = 1) -> list[str]:
    found = store.search_chunks(brain, model.embed_query(question), question=question, count=count).ranked
    return [chunk.relative_path for chunk, _ in found]


@pytest.fixture
def store(tmp_path) -> LocalLensStore:
    return LocalLensStore(tmp_path / ".locallens")


def test_a_question_in_a_language_that_the_model_does_not_know_finds_its_chunk(store: LocalLensStore):
    model = EnglishOnlyModel()
    files = {
        "a.md": "The boat leaves at noon.",
        "b.md": "A cabra da estação se chama Clorofila.",
        "c.md": "O orçamento foi aprovado pelo conselho.",
        "d.md": "The goat sleeps.",
    }
    brain = save(store, model, files)
    assert ask(store, brain, model, "Quem aprovou o orçamento?") == ["c.md"]
    assert ask(store, brain, model, "Como se chama a cabra?") == ["b.md"]
    assert ask(store, brain, model, "When leaves the boat?") == ["a.md"]


def test_the_name_of_a_file_in_the_question_finds_the_file(store: LocalLensStore):
    model = FakeEmbeddingModel()
    files = {
        "field/expedition_log.txt": "Wind from the south, four knots.",
        "admin/minutes/ata-2031-03-12.md": "Aprovado por unanimidade.",
        "lab/recipes.md": "Wind from the north, six knots.",
    }
    brain = save(store, model, files)
    assert ask(store, brain, model, "What does the expedition log say?") == ["field/expedition_log.txt"]
    assert ask(store, brain, model, "ata de 2031-03-12") == ["admin/minutes/ata-2031-03-12.md"]
    assert ask(store, brain, model, "recipes.md") == ["lab/recipes.md"]


def test_the_words_of_a_second_generation_are_seen_and_those_of_the_first_forgotten(store: LocalLensStore):
    model = FakeEmbeddingModel()
    first = save(store, model, {"a.md": "The goat sleeps.", "b.md": "The gauge reads low."})
    assert ask(store, first, model, "zzz gauge") == ["b.md"]
    save(store, model, {"a.md": "The goat sleeps.", "c.md": "A gauge was bought."}, previous=first)
    assert ask(store, first, model, "zzz gauge", count=5) == ["c.md", "a.md"]


def test_another_reader_of_the_store_finds_the_same(store: LocalLensStore):
    model = FakeEmbeddingModel()
    brain = save(store, model, {f"{number}.md": f"Note {number} of the goat." for number in range(20)})
    expected = ask(store, brain, model, "note 7 goat", count=20)
    assert expected[0] == "7.md"
    assert ask(LocalLensStore(store.home), brain, model, "note 7 goat", count=20) == expected


def test_the_workflow_searches_by_words_and_shows_the_cosine(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("A cabra da estação se chama Clorofila.", encoding="utf-8")
    (folder / "b.md").write_text("The boat leaves at noon.", encoding="utf-8")
    app = LocalLensApp(Settings(home=tmp_path / "home"), models=FakeModels(embedding=[EnglishOnlyModel()]))
    app.create_brain_from_folder(name="notes", folder_path=folder)
    found = app.search_brain("notes", "Como se chama a cabra?")
    assert [hit.relative_path for hit in found] == ["a.md", "b.md"]
    assert all(-1.0 <= hit.score <= 1.0 for hit in found)
