"""The store over real SQLite and FAISS, in one process."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sqlite3
import threading
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from locallens_nb import brain_rows, store
from locallens_nb.database import SCHEMA_VERSION, open_reader, open_writer, reader_uri
from locallens_nb.domain import IndexedFile, LocalDocument, SkippedFile, TextChunk
from locallens_nb.errors import (
    BrainExistsError,
    BrainNotFoundError,
    EmbeddingMismatchError,
    InvalidQuestionError,
    StoreBusyError,
    StoreError,
    StoreFullError,
    StoreVersionError,
)
from locallens_nb.questions.query import Filters
from locallens_nb.search.index import FloatArray
from locallens_nb.search.retrieval import BrainIndex
from locallens_nb.store import BrainDraft, LocalLensStore

DIMENSION = 32
FOLDER = {"a.md": "the first note\n\nits second paragraph", "b/c.txt": "quite another thing\n\nthe first note", "d.md": "last"}


def embed(text: str, dimension: int = DIMENSION) -> FloatArray:
    """Give a text its unit vector, the same in every process."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    vector = np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)
    return vector / np.linalg.norm(vector)


def make_documents(folder: dict[str, str]) -> list[LocalDocument]:
    return [
        LocalDocument(path, text, hashlib.sha256(f"{path}\0{text}".encode()).hexdigest(), len(text), 7)
        for path, text in sorted(folder.items())
    ]


def make_chunks(document: LocalDocument, brain_id: str) -> list[TextChunk]:
    """Make each paragraph a chunk."""
    chunks = []
    offset = 0
    for number, content in enumerate(document.content.split("\n\n")):
        start, end = offset, offset + len(content)
        place = (start, end, 2 * number + 1, 2 * number + 1)
        identity = f"{document.checksum[:12]}-{number}"
        chunks.append(TextChunk(identity, brain_id, document.relative_path, number, content, document.checksum, *place))
        offset = end + 2
    return chunks


def save(target, folder=FOLDER, *, name="notes", brain_id=None, fingerprint="f1", dimension=DIMENSION, previous=None, **fields):
    """Index a folder as the workflow does: only chunks of new and changed documents are given."""
    brain_id = previous.id if previous else brain_id or f"id-{name}"
    same_model = previous and previous.embedding_fingerprint == fingerprint
    known = {file.relative_path: file.checksum for file in target.list_indexed_files(brain_id)} if same_model else {}
    documents = make_documents(folder)
    chunks = [
        chunk
        for document in documents
        if known.get(document.relative_path) != document.checksum
        for chunk in make_chunks(document, brain_id)
    ]
    missing = target.find_missing_embeddings([chunk.content for chunk in chunks], fingerprint=fingerprint)
    if missing:
        target.save_embeddings(missing, np.array([embed(text, dimension) for text in missing]), fingerprint=fingerprint)
    return target.save_brain(
        BrainDraft(
            id=brain_id,
            name=name,
            folder_path="/folder",
            embedding_model=f"model-{fingerprint}",
            embedding_fingerprint=fingerprint,
            dimension=dimension,
            documents=documents,
            chunks=chunks,
            previous_generation=previous.generation if previous else 0,
            **fields,
        )
    )


def find(target, brain, text, count=3):
    return [(chunk.content, similarity) for chunk, similarity in target.search_chunks(brain, embed(text), count=count).ranked]


def read_table(home, statement):
    with closing(sqlite3.connect(home / "store.sqlite3")) as connection:
        return connection.execute(statement).fetchall()


@pytest.fixture
def home(tmp_path):
    return tmp_path / "pasta 日本é" / ".locallens"


@pytest.fixture
def target(home):
    return LocalLensStore(home, lock_timeout_seconds=0.2)


def test_reading_a_missing_store_finds_nothing_and_makes_nothing(target, home):
    assert target.list_brains() == []
    assert target.read_chunks("x") == []
    assert target.find_missing_embeddings(["b", "a", "b"], fingerprint="f1") == ["b", "a"]
    with pytest.raises(BrainNotFoundError, match="none yet"):
        target.get_brain("notes")
    with pytest.raises(BrainNotFoundError):
        target.delete_brain("notes")
    assert not home.parent.exists()


def test_a_brain_comes_back_as_it_was_saved(target):
    skipped = [SkippedFile("z.bin", "is not text"), SkippedFile("bad.pdf", "is damaged", 300, 7)]
    saved = save(target, skipped=skipped)
    assert target.list_brains() == [saved] == [target.get_brain("notes")]
    assert (saved.id, saved.name, saved.folder_path, saved.dimension) == ("id-notes", "notes", "/folder", DIMENSION)
    assert (saved.document_count, saved.skipped_count, saved.chunk_count, saved.generation) == (3, 2, 5, 1)
    assert saved.created_at == saved.indexed_at <= datetime.now(UTC)
    documents = make_documents(FOLDER)
    assert target.list_indexed_files(saved.id) == [
        IndexedFile(one.relative_path, one.size_bytes, one.modified_ns, one.checksum, len(make_chunks(one, saved.id)))
        for one in sorted(documents, key=lambda document: document.relative_path)
    ]
    assert target.read_chunks(saved.id) == [chunk for document in documents for chunk in make_chunks(document, saved.id)]
    assert target.list_skipped_files(saved.id) == sorted(skipped, key=lambda file: file.relative_path)


def test_brains_are_listed_by_name_and_a_missing_one_is_told_from_them(target):
    for name in ("b", "c", "a"):
        save(target, name=name)
    assert [brain.name for brain in target.list_brains()] == ["a", "b", "c"]
    with pytest.raises(BrainNotFoundError) as caught:
        target.get_brain("B")
    assert caught.value.existing == ("a", "b", "c")


def test_what_another_version_could_not_read_is_not_taken_for_known(target, monkeypatch):
    monkeypatch.setattr(brain_rows, "__version__", "another")
    saved = save(target, skipped=[SkippedFile("bad.pdf", "is damaged", 300, 7)])
    assert target.list_skipped_files(saved.id) == [SkippedFile("bad.pdf", "is damaged", 300, 7)]
    monkeypatch.undo()
    assert target.list_skipped_files(saved.id) == [SkippedFile("bad.pdf", "is damaged")]


def test_skipped_files_of_a_store_that_did_not_keep_their_sizes_are_listed(target, home):
    saved = save(target, skipped=[SkippedFile("bad.pdf", "is damaged", 300, 7)])
    with closing(sqlite3.connect(home / "store.sqlite3", isolation_level=None)) as connection:
        connection.execute("UPDATE documents SET checksum = NULL, size_bytes = NULL WHERE status = 'skipped'")
    assert target.list_skipped_files(saved.id) == [SkippedFile("bad.pdf", "is damaged")]


def test_paths_that_are_not_text_are_kept(target):
    odd = "caf\udce9 \ud800.txt"
    save(target, skipped=[SkippedFile(odd, f"cannot be read: {odd}")])
    assert target.list_skipped_files("id-notes") == [SkippedFile(odd, f"cannot be read: {odd}")]


def test_text_with_a_null_character_is_kept_whole(target):
    brain = save(target, {"a.md": "before\0after"})
    assert target.read_chunks(brain.id)[0].content == "before\0after"


def test_search_returns_the_nearest_chunks_with_their_cosine(target):
    brain = save(target)
    query = embed("its second paragraph")
    hits = target.search_chunks(brain, query, count=5).ranked
    expected = sorted(target.read_chunks(brain.id), key=lambda chunk: -float(embed(chunk.content) @ query))
    assert [chunk.id for chunk, _ in hits] == [chunk.id for chunk in expected]
    assert [similarity for _, similarity in hits] == pytest.approx(
        [embed(chunk.content) @ query for chunk in expected], abs=1e-6
    )


def test_a_search_takes_as_many_statements_for_many_hits_as_for_one(target, monkeypatch):
    brain = save(target, {f"{number:02}.md": f"text {number}" for number in range(50)})
    statements = []

    def open_traced(path):
        connection = open_reader(path)
        connection.set_trace_callback(statements.append)
        return connection

    find(target, brain, "text 7")
    monkeypatch.setattr(store, "open_reader", open_traced)
    assert [content for content, _ in find(target, brain, "text 7", count=1)] == ["text 7"]
    for_one = len(statements)
    assert len(find(target, brain, "text 7", count=50)) == 50
    assert len(statements) == 2 * for_one


def test_a_search_of_one_brain_does_not_wait_for_the_index_of_another_that_is_built_once(target, monkeypatch):
    large, small = save(target, {"a.md": "large"}, name="large"), save(target, {"a.md": "small"}, name="small")
    building, may_end = threading.Event(), threading.Event()
    built = []

    def build(vectors, keys, files, texts):
        built.extend(texts)
        if texts == ["large"]:
            building.set()
            assert may_end.wait(60)
        return BrainIndex(vectors, keys, files, texts)

    monkeypatch.setattr(store, "BrainIndex", build)
    found = []
    readers = [threading.Thread(target=lambda: found.extend(find(target, large, "large")), daemon=True) for _ in range(3)]
    other = threading.Thread(target=lambda: found.extend(find(target, small, "small")), daemon=True)
    readers[0].start()
    assert building.wait(60)
    for reader in (*readers[1:], other):
        reader.start()
    other.join(10)
    assert [content for content, _ in found] == ["small"]
    may_end.set()
    for reader in readers:
        reader.join(60)
    assert [content for content, _ in found] == ["small", "large", "large", "large"]
    assert built == ["large", "small"]


def test_the_same_text_in_two_documents_is_found_in_both_the_older_first(target):
    brain = save(target)
    hits = target.search_chunks(brain, embed("the first note"), count=2).ranked
    assert [chunk.relative_path for chunk, _ in hits] == ["a.md", "b/c.txt"]


def test_a_small_or_empty_brain_gives_no_phantom_hits(target):
    assert find(target, save(target, {"a.md": "only"}, name="one"), "question", count=5) == [
        ("only", pytest.approx(float(embed("only") @ embed("question")), abs=1e-6))
    ]
    assert find(target, save(target, {}, name="none"), "question", count=5) == []


def test_a_query_of_another_model_is_refused_and_the_brain_stays(target):
    brain = save(target)
    with pytest.raises(EmbeddingMismatchError, match=r"32 numbers.* 48\b"):
        target.search_chunks(brain, embed("question", 48), count=1)
    assert find(target, brain, "last", count=1)[0][0] == "last"


def test_a_brain_that_was_embedded_anew_with_another_model_is_not_searched_with_the_first(target):
    first = save(target)
    second = save(target, previous=first, fingerprint="f2", dimension=48)
    with pytest.raises(EmbeddingMismatchError, match="model-f2"):
        target.search_chunks(first, embed("last"), count=1)
    assert target.search_chunks(second, embed("last", 48), count=1).ranked[0][0].content == "last"


def test_a_deleted_brain_is_not_searched(target):
    brain = save(target)
    find(target, brain, "last")
    target.delete_brain("notes")
    with pytest.raises(BrainNotFoundError):
        find(target, brain, "last")


def test_missing_embeddings_are_each_text_once_in_order_and_per_model(target):
    target.save_embeddings(["b"], np.array([embed("b")]), fingerprint="f1")
    assert target.find_missing_embeddings(["c", "b", "a", "c"], fingerprint="f1") == ["c", "a"]
    assert target.find_missing_embeddings(["b"], fingerprint="f2") == ["b"]


@pytest.mark.parametrize("vectors", [np.ones((2, 4)), np.full((1, 4), np.nan), np.ones(4)], ids=["count", "nan", "shape"])
def test_vectors_that_do_not_fit_their_texts_are_refused(target, vectors):
    with pytest.raises(ValueError, match="1 texts need as many finite vectors"):
        target.save_embeddings(["a"], vectors.astype(np.float32), fingerprint="f1")


def test_a_refresh_keeps_the_rows_of_what_did_not_change(target, home):
    first = save(target)
    keys = "SELECT relative_path, chunks.key FROM documents JOIN chunks ON document_key = documents.key ORDER BY chunks.key"
    before = read_table(home, keys)
    second = save(target, {**FOLDER, "a.md": "the first note"}, previous=first)
    after = read_table(home, keys)
    assert [row for row in after if row[0] != "a.md"] == [row for row in before if row[0] != "a.md"]
    assert [row for row in after if row[0] == "a.md"] == [("a.md", max(key for _, key in before) + 1)]
    assert (second.generation, second.created_at, second.chunk_count) == (2, first.created_at, 4)
    assert second.indexed_at >= first.indexed_at


def test_chunks_that_are_given_again_unchanged_keep_their_keys(target, home):
    first = save(target)
    keys = read_table(home, "SELECT key FROM chunks ORDER BY key")
    second = save(target, previous=first, fingerprint="f2")
    assert read_table(home, "SELECT key FROM chunks ORDER BY key") == keys
    assert find(target, second, "last", count=1)[0][0] == "last"


def test_text_that_was_edited_renamed_or_deleted_is_found_no_more(target):
    brain = save(target)
    folder = {"a.md": "rewritten", "e.md": FOLDER["b/c.txt"]}
    brain = save(target, folder, previous=brain)
    chunks = [chunk for chunk, _ in target.search_chunks(brain, embed("the first note"), count=50).ranked]
    assert sorted((chunk.relative_path, chunk.content) for chunk in chunks) == [
        ("a.md", "rewritten"),
        ("e.md", "quite another thing"),
        ("e.md", "the first note"),
    ]
    assert (brain.document_count, brain.chunk_count) == (2, 3)


def test_a_draft_from_an_older_generation_is_refused(target):
    first = save(target)
    save(target, {"a.md": "newer"}, previous=first)
    with pytest.raises(StoreBusyError, match="changed or deleted meanwhile"):
        save(target, previous=first)
    target.delete_brain("notes")
    with pytest.raises(StoreBusyError):
        save(target, previous=first)


def test_a_taken_name_is_refused_and_changes_nothing(target, home):
    brain = save(target)
    files = sorted((home / "indexes").iterdir())
    with pytest.raises(BrainExistsError):
        save(target, {"x.md": "other"}, brain_id="other")
    with pytest.raises(BrainExistsError):
        save(target, {"x.md": "other"}, name="other", brain_id=brain.id)
    assert target.list_brains() == [brain]
    assert len(target.read_chunks(brain.id)) == 5
    assert sorted((home / "indexes").iterdir()) == files


def test_a_chunk_without_a_vector_is_refused_and_no_brain_appears(target):
    (document,) = make_documents({"a.md": "text"})
    fields = {"folder_path": "/", "embedding_model": "m", "embedding_fingerprint": "f1", "dimension": DIMENSION}
    draft = BrainDraft(id="x", name="x", documents=[document], chunks=make_chunks(document, "x"), **fields)
    with pytest.raises(StoreError, match="without a stored vector"):
        target.save_brain(draft)
    assert target.list_brains() == []
    target.save_embeddings(["text"], np.array([embed("text", 48)]), fingerprint="f1")
    with pytest.raises(EmbeddingMismatchError, match=r"32 numbers.*48 is stored"):
        target.save_brain(draft)


def test_a_draft_that_could_not_be_stored_whole_is_refused():
    (document,) = make_documents({"a.md": "text"})
    fields = {"folder_path": "/", "embedding_model": "m", "embedding_fingerprint": "f1", "dimension": 4}
    with pytest.raises(ValueError, match="cannot be the id"):
        BrainDraft(id="../x", name="x", documents=[], **fields)
    for chunk in (make_chunks(document, "y")[0], make_chunks(make_documents({"b.md": "text"})[0], "x")[0]):
        with pytest.raises(ValueError, match="belongs to none"):
            BrainDraft(id="x", name="x", documents=[document], chunks=[chunk], **fields)


def test_a_deleted_brain_leaves_no_text_on_disk_but_its_vectors(target, home):
    other = save(target, {"k.md": "kept text"}, name="kept")
    save(target, {f"{number}.md": f"SECRET-{number} " * 300 for number in range(40)}, name="secret")
    assert any(b"SECRET" in path.read_bytes() for path in home.rglob("*") if path.is_file())
    target.delete_brain("secret")
    assert [path.name for path in home.rglob("*") if path.is_file() and b"SECRET" in path.read_bytes()] == []
    assert [path.name for path in (home / "indexes").iterdir()] == [f"{other.id}-1.faiss"]
    assert target.find_missing_embeddings(["SECRET-3 " * 300], fingerprint="f1") == []


def test_text_that_a_refresh_removed_is_gone_from_disk(target, home):
    brain = save(target, {"a.md": "SECRET-NOTE", "b.md": "fine"})
    save(target, {"b.md": "fine"}, previous=brain)
    assert [path.name for path in home.rglob("*") if path.is_file() and b"SECRET" in path.read_bytes()] == []


def test_vectors_of_deleted_chunks_are_kept_for_thirty_days_and_used_ones_for_ever(target, monkeypatch):
    start = date(2025, 1, 31)
    days = iter([])
    monkeypatch.setattr(brain_rows, "_today", lambda: start + timedelta(days=days))
    days = 0
    brain = save(target, {"a.md": "goes", "b.md": "stays"})
    days = 100
    brain = save(target, {"b.md": "stays"}, previous=brain)
    days = 130
    brain = save(target, {"b.md": "stays"}, previous=brain)
    assert target.find_missing_embeddings(["goes", "stays"], fingerprint="f1") == []
    days = 131
    save(target, {"b.md": "stays"}, previous=brain)
    assert target.find_missing_embeddings(["goes", "stays"], fingerprint="f1") == ["goes"]
    days = 200
    target.delete_brain("notes")
    assert target.find_missing_embeddings(["stays"], fingerprint="f1") == []


def test_vectors_of_the_model_before_are_kept_for_thirty_days_after_a_change_of_model(target, monkeypatch):
    today = date(2025, 1, 31)
    monkeypatch.setattr(brain_rows, "_today", lambda: today)
    brain = save(target, {"a.md": "text"})
    today += timedelta(days=100)
    save(target, {"a.md": "text"}, previous=brain, fingerprint="f2")
    assert target.find_missing_embeddings(["text"], fingerprint="f1") == []


def test_the_store_keeps_itself_out_of_git(target, home):
    save(target)
    assert (home / ".gitignore").read_text().splitlines()[-1] == "*"


def test_only_the_index_file_of_the_newest_generation_remains(target, home):
    (home / "indexes").mkdir(parents=True)
    (home / "indexes" / "orphan-3.faiss").write_bytes(b"x")
    (home / "indexes" / "orphan-4.unfinished").write_bytes(b"x")
    save(target, previous=save(target))
    assert [path.name for path in (home / "indexes").iterdir()] == ["id-notes-2.faiss"]


def flip_a_byte(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.unlink(),
        flip_a_byte,
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:-1]),
        lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
        lambda path: path.write_bytes(path.with_name("id-other-1.faiss").read_bytes()),
        lambda path: (path.unlink(), path.mkdir()),
    ],
    ids=["deleted", "one bit", "emptied", "one byte short", "half", "that of another brain", "a folder"],
)
def test_a_damaged_index_file_changes_no_result_and_is_not_written_by_asking(target, home, damage, caplog):
    brain = save(target)
    save(target, {"x.md": "other"}, name="other")
    before = find(LocalLensStore(home), brain, "the first note")
    assert [record for record in caplog.records if record.name.startswith("locallens_nb")] == []
    path = home / "indexes" / "id-notes-1.faiss"
    damage(path)
    state = path.read_bytes() if path.is_file() else None
    assert find(LocalLensStore(home), brain, "the first note") == before
    assert "Its vectors come from the store" in caplog.text
    assert "first note" not in caplog.text
    assert (path.read_bytes() if path.is_file() else None) == state


def test_an_index_file_with_a_right_hash_and_wrong_vectors_is_not_used(target, home):
    brain = save(target)
    before = find(target, brain, "last")
    save(target, {"x.md": "other"}, name="other")
    (home / "indexes" / "id-notes-1.faiss").write_bytes((home / "indexes" / "id-other-1.faiss").read_bytes())
    with closing(sqlite3.connect(home / "store.sqlite3")) as connection, connection:
        connection.execute("UPDATE brains SET index_sha256 = (SELECT index_sha256 FROM brains WHERE id = 'id-other')")
    assert find(LocalLensStore(home), brain, "last") == before


def test_a_planted_pickle_is_never_touched(target, home):
    brain = save(target)
    (home / "indexes" / "id-notes-1.pkl").write_bytes(b"cos\nabort\n(tR.")
    (home / "index.pkl").write_bytes(b"cos\nabort\n(tR.")
    assert find(LocalLensStore(home), brain, "last", count=1)[0][0] == "last"


def test_a_store_object_sees_what_another_one_wrote(target, home):
    reader = LocalLensStore(home)
    brain = save(target)
    assert find(reader, brain, "last", count=1)[0][1] == pytest.approx(1)
    brain = save(target, {"n.md": "new"}, previous=brain)
    assert [content for content, _ in find(reader, brain, "last")] == ["new"]
    target.delete_brain("notes")
    brain = save(target, {"m.md": "newest"})
    assert [content for content, _ in find(reader, brain, "last")] == ["newest"]


def test_many_brains_are_searched_in_turn(target):
    brains = [save(target, {"n.md": f"text {number}"}, name=f"n{number}") for number in range(7)]
    for brain in brains * 2:
        assert [content for content, _ in find(target, brain, "text")] == [f"text {brain.name[1:]}"]


def test_a_second_thread_waits_for_the_writer_and_then_says_who_it_is(target):
    errors = []

    def write():
        try:
            save(target, name="second")
        except StoreBusyError as error:
            errors.append(error)

    with target.writing():
        thread = threading.Thread(target=write)
        thread.start()
        thread.join(timeout=60)
        save(target, name="first")
    assert f"process {os.getpid()} (another task of this notebook)" in str(errors[0])
    assert [brain.name for brain in target.list_brains()] == ["first"]
    save(target, name="second")


def test_threads_that_write_and_ask_do_not_disturb_each_other(home):
    target = LocalLensStore(home, lock_timeout_seconds=60)
    brain = save(target)
    failures = []

    def work(name):
        try:
            own = save(target, {"n.md": name}, name=name)
            for _ in range(5):
                assert find(target, brain, "last", count=1)[0][0] == "last"
                own = save(target, {"n.md": f"{name} {own.generation}"}, name=name, previous=own)
        except BaseException as error:  # noqa: BLE001, RUF100
            failures.append(error)

    threads = [threading.Thread(target=work, args=(f"t{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert failures == []
    assert [(own.name, own.generation) for own in target.list_brains()] == [("notes", 1), *((f"t{n}", 6) for n in range(4))]


def test_an_interrupt_before_the_block_of_a_writer_frees_the_lock(target, home, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    save(target)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", interrupt)
        with pytest.raises(KeyboardInterrupt), target.writing():
            pass
    save(LocalLensStore(home, lock_timeout_seconds=0.2), name="others")


def test_an_error_in_the_block_of_a_writer_passes_unchanged_and_frees_the_lock(target, home):
    with pytest.raises(FileNotFoundError, match="mine"), target.writing():
        raise FileNotFoundError("mine")
    save(LocalLensStore(home, lock_timeout_seconds=0.2))


def test_an_interrupt_while_saving_changes_nothing(target, monkeypatch):
    brain = save(target)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(store, "write_index_file", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save(target, {"n.md": "new"}, previous=brain)
    monkeypatch.undo()
    assert target.list_brains() == [brain]
    assert target.find_missing_embeddings(["new"], fingerprint="f1") == []
    save(target, {"n.md": "new"}, previous=brain)


def test_a_store_of_a_newer_version_is_refused_and_left_as_it_is(target, home):
    save(target)
    with closing(sqlite3.connect(home / "store.sqlite3")) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    before = (home / "store.sqlite3").read_bytes()
    for use in (target.list_brains, lambda: target.save_embeddings(["a"], np.array([embed("a")]), fingerprint="f1")):
        with pytest.raises(StoreVersionError, match=f"format {SCHEMA_VERSION + 1};.* format {SCHEMA_VERSION}.*Upgrade"):
            use()
    assert (home / "store.sqlite3").read_bytes() == before


def test_a_store_that_was_made_and_not_filled_before_a_crash_reads_as_empty_and_is_filled(target, home):
    home.mkdir(parents=True)
    with closing(sqlite3.connect(home / "store.sqlite3")) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    assert target.list_brains() == []
    assert save(target) == target.get_brain("notes")


def test_a_damaged_database_is_named_with_the_next_step(target, home):
    save(target)
    (home / "store.sqlite3").write_bytes(b"this is no database " * 500)
    for use in (target.list_brains, lambda: save(target, name="other")):
        with pytest.raises(StoreError, match=r"store\.sqlite3 is damaged.*index your folders again"):
            use()


def test_a_full_disk_is_told_and_what_was_there_stays(target, monkeypatch):
    brain = save(target)
    before = find(target, brain, "last")

    def open_on_small_disk(path):
        connection = open_writer(path)
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        return connection

    monkeypatch.setattr(store, "open_writer", open_on_small_disk)
    with pytest.raises(StoreFullError, match=r"full.*intact"):
        save(target, {f"{number}.md": f"long text {number} " * 1000 for number in range(20)}, previous=brain)
    monkeypatch.undo()
    assert target.list_brains() == [brain]
    assert find(target, brain, "last") == before
    save(target, {"n.md": "new"}, previous=brain)


def test_a_disk_too_full_for_the_index_file_is_told_and_what_was_there_stays(target, home, monkeypatch):
    brain = save(target)

    def refuse(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(StoreFullError):
        save(target, {"n.md": "new"}, previous=brain)
    monkeypatch.undo()
    assert LocalLensStore(home).list_brains() == [brain]
    assert find(LocalLensStore(home), brain, "last", count=1)[0][0] == "last"


@pytest.mark.parametrize(("free_bytes", "error"), [(100, StoreFullError), (10**9, StoreError)])
def test_a_store_on_a_full_disk_that_cannot_even_be_read_says_that_it_is_full(target, monkeypatch, free_bytes, error):
    save(target)
    failure = sqlite3.OperationalError("disk I/O error")
    failure.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE

    def refuse(_):
        raise failure

    monkeypatch.setattr(store, "open_reader", refuse)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free_bytes))
    with pytest.raises(StoreError) as caught:
        target.list_brains()
    assert type(caught.value) is error


def test_a_home_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be used"):
        save(LocalLensStore(tmp_path / "file" / ".locallens"))


def test_asking_changes_no_file(target, home):
    brain = save(target)
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    find(LocalLensStore(home), brain, "last")
    after = {path: path.read_bytes() for path in home.rglob("*") if path.is_file() and path.name[-4:] not in {"-wal", "-shm"}}
    assert after == {path: data for path, data in before.items() if path.name[-4:] not in {"-wal", "-shm"}}


def test_a_folder_that_cannot_be_written_is_read_as_one_that_does_not_change(target, home, monkeypatch):
    brain = save(target)
    database = home / "store.sqlite3"
    assert reader_uri(database, folder_is_writable=False).endswith("/store.sqlite3?mode=ro&immutable=1")
    assert reader_uri(database, folder_is_writable=True).endswith("/store.sqlite3?mode=ro")
    monkeypatch.setattr(os, "access", lambda *_: False)
    files = sorted(home.rglob("*"))
    assert find(LocalLensStore(home), brain, "last", count=1)[0][0] == "last"
    assert sorted(home.rglob("*")) == files


def test_a_write_ahead_log_with_content_is_never_read_past(target, home):
    save(target)
    database = home / "store.sqlite3"
    (home / "store.sqlite3-wal").write_bytes(b"x")
    assert reader_uri(database, folder_is_writable=False).endswith("?mode=ro")
    (home / "store.sqlite3-wal").write_bytes(b"")
    assert reader_uri(database, folder_is_writable=False).endswith("&immutable=1")
    (home / "store.sqlite3-shm").write_bytes(b"")
    assert reader_uri(database, folder_is_writable=False).endswith("?mode=ro")


def test_a_sample_of_texts_comes_from_all_over_a_brain(target):
    texts = [f"chunk {number}" for number in range(90)]
    brain = save(target, {"a.md": "\n\n".join(texts[:60]), "b.md": "\n\n".join(texts[60:])})
    sample = target.sample_texts(brain.id, count=10)
    assert sample == texts[::9]
    assert target.sample_texts(brain.id, count=1000) == texts
    assert target.sample_texts("unknown", count=10) == []


def test_a_filtered_search_sees_only_the_files_that_are_allowed(target):
    brain = save(target, {"a.md": "first\n\nsecond", "docs/b.md": "third"})
    only = target.search_chunks(brain, embed("first"), question="first", count=5, filters=Filters(folders=("docs",))).ranked
    assert [chunk.content for chunk, _ in only] == ["third"]
    with pytest.raises(InvalidQuestionError, match=r"No file of this brain matches file:c\.md"):
        target.search_chunks(brain, embed("first"), count=5, filters=Filters(files=("c.md",)))
