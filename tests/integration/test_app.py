"""The workflow on real files, real SQLite and real FAISS, with models that need no weights."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from locallens_nb import asking, store
from locallens_nb.database import open_reader
from locallens_nb.domain import EvidenceFound, Progress, RefreshSummary, SearchHit, SkippedFile, TextPiece
from locallens_nb.errors import (
    BrainExistsError,
    BrainNotFoundError,
    EmbeddingMismatchError,
    ExchangeFormatError,
    FolderError,
    GenerationError,
    InvalidQuestionError,
    InvalidSettingError,
    ModelUnavailableError,
)
from locallens_nb.excerpts import gather_excerpts
from locallens_nb.language.refusals import refusal_text
from locallens_nb.language.words import stem_word
from locallens_nb.locallens import LocalLensApp
from locallens_nb.models import gateway as gateway_module
from locallens_nb.models.gateway import ModelGateway
from locallens_nb.models.ladder import LoadedChatModel
from locallens_nb.prompt import build_grounded_history
from locallens_nb.search.evidence import Evidence, QuestionStatistics, measure_evidence
from locallens_nb.settings import Settings
from locallens_nb.store import LocalLensStore
from locallens_nb.uploads import save_uploads
from tests.fakes import WAIT_SECONDS, FakeEmbeddingModel, FakeModels, Script, ScriptedChatModel

NOTES = {
    "harbour.md": "# Harbour\n\nThe tide gauge at the harbour was replaced in March.\n",
    "kitchen/salad.txt": "Olive oil, two lemons and honey make the dressing of the salad.\n",
    "admin/refunds.md": "Refunds are paid within ten days after the signed form has arrived.\n",
}
WORDS = " ".join(f"w{number}" for number in range(300))
QUESTION = "When was the tide gauge replaced?"
ANSWER = "The tide gauge at the harbour was replaced in March [1]."
REPOSITORY = Path(__file__).parents[2]


def write(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8", newline="\n")
    return folder


def many_files(count: int) -> dict[str, str]:
    return {f"{number:03}.txt": f"Note number {number} is about topic{number}.\n" for number in range(count)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "notes", NOTES)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def models() -> FakeModels:
    return FakeModels()


@pytest.fixture
def app(home: Path, models: FakeModels) -> LocalLensApp:
    return make_app(home, models)


def make_app(home: Path, models: FakeModels, **fields: object) -> LocalLensApp:
    """Return an app over fakes; their vectors mean nothing, so whether excerpts answer is not judged by them."""
    return LocalLensApp(Settings(home=home, **{"strictness": "off"} | fields), models=models)


def embedder(models: FakeModels) -> FakeEmbeddingModel:
    return next(iter(models.embedding))


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return the time and the content of every file."""
    return {
        str(file.relative_to(folder)): (file.stat().st_mtime_ns, file.read_bytes())
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def stored(home: Path) -> dict[str, tuple[int, bytes]]:
    """Return the files of a store without the notes that SQLite's readers keep beside the database."""
    files = snapshot(home)
    assert files.get("store.sqlite3-wal", (0, b""))[1] == b""
    return {name: file for name, file in files.items() if not name.endswith(("-wal", "-shm"))}


def chunks_of(home: Path, brain_id: str) -> list[tuple[str, int, str]]:
    chunks = LocalLensStore(home).read_chunks(brain_id)
    return [(chunk.relative_path, chunk.chunk_index, chunk.content) for chunk in chunks]


def texts_found(app: LocalLensApp, name: str, question: str) -> list[str]:
    return [hit.content for hit in app.search_brain(name, question)]


# Indexing


def test_a_folder_becomes_a_brain(app: LocalLensApp, folder: Path, models: FakeModels):
    brain = app.create_brain_from_folder(name="notes", folder_path=folder)
    assert (brain.name, brain.folder_path, brain.generation) == ("notes", str(folder.resolve()), 1)
    assert (brain.document_count, brain.skipped_count, brain.chunk_count) == (3, 0, 3)
    assert (brain.embedding_model, brain.dimension) == ("fake-words", 64)
    assert brain.embedding_fingerprint == embedder(models).fingerprint
    assert app.list_brains() == [brain]
    assert app.get_brain("notes") == brain


def test_brains_are_listed_by_name(app: LocalLensApp, folder: Path):
    for name in ("notes", "admin", "Letters"):
        app.create_brain_from_folder(name=name, folder_path=folder)
    assert [brain.name for brain in app.list_brains()] == ["Letters", "admin", "notes"]


def test_files_that_are_left_out_are_listed_with_their_reason(app: LocalLensApp, folder: Path):
    (folder / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    brain = app.create_brain_from_folder(name="notes", folder_path=folder)
    assert brain.skipped_count == 1
    (skipped,) = app.list_skipped_files("notes")
    assert isinstance(skipped, SkippedFile)
    assert skipped.relative_path == "photo.png"
    assert skipped.reason


def test_progress_goes_through_the_stages_in_order(app: LocalLensApp, folder: Path):
    reports: list[Progress] = []
    app.create_brain_from_folder(name="notes", folder_path=folder, on_progress=reports.append)
    assert [(report.stage, report.done, report.total) for report in reports] == [
        ("reading", 0, 0),
        ("reading", 1, 0),
        ("reading", 2, 0),
        ("reading", 3, 0),
        ("loading", 0, 0),
        ("chunking", 0, 3),
        ("chunking", 1, 3),
        ("chunking", 2, 3),
        ("embedding", 0, 3),
        ("saving", 0, 0),
        ("done", 0, 0),
    ]
    assert str(reports[-1]) == "done 3 files, 3 chunks"


def test_a_text_that_stands_in_two_files_is_embedded_once(app: LocalLensApp, tmp_path: Path, models: FakeModels):
    folder = write(tmp_path / "twice", {"a.txt": "The same text.", "b.txt": "The same text."})
    assert app.create_brain_from_folder(name="twice", folder_path=folder).chunk_count == 2
    assert embedder(models).embedded == ["The same text."]


def test_the_same_folder_under_another_name_embeds_nothing(app: LocalLensApp, folder: Path, models: FakeModels):
    app.create_brain_from_folder(name="first", folder_path=folder)
    embedder(models).embedded.clear()
    app.create_brain_from_folder(name="second", folder_path=folder)
    assert embedder(models).embedded == []


def test_a_brain_that_is_made_again_after_deletion_embeds_nothing(app: LocalLensApp, folder: Path, models: FakeModels):
    app.create_brain_from_folder(name="notes", folder_path=folder)
    app.delete_brain("notes")
    embedder(models).embedded.clear()
    app.create_brain_from_folder(name="notes", folder_path=folder)
    assert embedder(models).embedded == []


def test_an_overlap_that_was_asked_for_is_kept_while_the_window_allows_the_chunk(
    home: Path, models: FakeModels, tmp_path: Path
):
    folder = write(tmp_path / "long", {"a.txt": " ".join(f"w{number}" for number in range(400))})
    app = make_app(home, models, chunk_tokens=100, overlap_tokens=60)
    app.create_brain_from_folder(name="long", folder_path=folder)
    first, second, *_ = LocalLensStore(home).read_chunks(app.get_brain("long").id)
    assert first.end_offset is not None
    assert second.start_offset is not None
    assert len((folder / "a.txt").read_text(encoding="utf-8")[second.start_offset : first.end_offset].split()) == 60


def test_a_model_with_a_small_window_gets_smaller_chunks(home: Path, tmp_path: Path):
    models = FakeModels([FakeEmbeddingModel(max_tokens=20)])
    folder = write(tmp_path / "long", {"a.txt": "word " * 200})
    make_app(home, models).create_brain_from_folder(name="long", folder_path=folder)
    assert max(len(text.split()) for text in embedder(models).embedded) == 20


def test_a_missing_folder_is_refused_and_nothing_is_loaded(app: LocalLensApp, tmp_path: Path, home: Path, models: FakeModels):
    with pytest.raises(FolderError, match="missing"):
        app.create_brain_from_folder(name="notes", folder_path=tmp_path / "missing")
    assert (models.sources, home.exists()) == ([], False)


def test_an_empty_folder_is_refused(app: LocalLensApp, tmp_path: Path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(FolderError) as caught:
        app.create_brain_from_folder(name="notes", folder_path=tmp_path / "empty")
    assert caught.value.message == f"There is nothing to index in '{tmp_path / 'empty'}'."
    assert app.list_brains() == []


def test_a_folder_without_a_readable_file_says_why(app: LocalLensApp, tmp_path: Path):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "a.png").write_bytes(b"\x89PNG")
    with pytest.raises(FolderError, match=r"nothing to index in '.*photos' \(a\.png: .+\)\."):
        app.create_brain_from_folder(name="photos", folder_path=tmp_path / "photos")


def test_a_taken_name_is_refused_before_anything_is_read(app: LocalLensApp, folder: Path, tmp_path: Path, models: FakeModels):
    before = app.create_brain_from_folder(name="notes", folder_path=folder)
    models.sources.clear()
    with pytest.raises(BrainExistsError) as caught:
        app.create_brain_from_folder(name="notes", folder_path=tmp_path / "missing")
    assert caught.value.name == "notes"
    assert (models.sources, app.list_brains()) == ([], [before])


@pytest.mark.parametrize("name", ["", "  ", "\n"])
def test_a_blank_name_is_refused_as_such(app: LocalLensApp, folder: Path, name: str):
    with pytest.raises(InvalidSettingError, match="needs a name"):
        app.create_brain_from_folder(name=name, folder_path=folder)


def test_an_interrupt_keeps_what_was_embedded_and_the_next_attempt_does_the_rest(
    app: LocalLensApp, tmp_path: Path, models: FakeModels
):
    folder = write(tmp_path / "many", many_files(150))

    def interrupt(report: Progress) -> None:
        if report.stage == "embedding" and report.done == 128:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        app.create_brain_from_folder(name="many", folder_path=folder, on_progress=interrupt)
    first = list(embedder(models).embedded)
    assert len(first) == 128
    assert app.list_brains() == []
    embedder(models).embedded.clear()
    brain = app.create_brain_from_folder(name="many", folder_path=folder)
    assert len(embedder(models).embedded) == 22
    assert set(first).isdisjoint(embedder(models).embedded)
    assert (brain.document_count, brain.chunk_count) == (150, 150)


def test_an_interrupted_refresh_leaves_the_brain_as_it_was(app: LocalLensApp, folder: Path):
    before = app.create_brain_from_folder(name="notes", folder_path=folder)
    write(folder, {"harbour.md": "All of it is new.\n"})

    def interrupt(report: Progress) -> None:
        if report.stage == "saving":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        app.refresh_brain("notes", on_progress=interrupt)
    assert app.get_brain("notes") == before
    assert "The tide gauge" in texts_found(app, "notes", QUESTION)[0]


def test_the_folder_is_only_read(app: LocalLensApp, folder: Path):
    before = snapshot(folder)
    app.create_brain_from_folder(name="notes", folder_path=folder)
    app.refresh_brain("notes")
    app.ask_brain("notes", QUESTION)
    app.delete_brain("notes")
    assert snapshot(folder) == before


# Refreshing


def test_a_refresh_without_changes_embeds_nothing_and_loads_no_model(app: LocalLensApp, folder: Path, models: FakeModels):
    brain = app.create_brain_from_folder(name="notes", folder_path=folder)
    models.sources.clear()
    embedder(models).embedded.clear()
    summary = app.refresh_brain("notes")
    assert (summary.added, summary.changed, summary.removed, summary.embedded_chunk_count) == ((), (), (), 0)
    assert (models.sources, embedder(models).embedded) == ([], [])
    assert (summary.brain.id, summary.brain.generation, summary.brain.chunk_count) == (brain.id, 2, 3)


def test_a_refresh_adds_changes_and_removes_and_embeds_only_what_is_new(app: LocalLensApp, folder: Path, models: FakeModels):
    app.create_brain_from_folder(name="notes", folder_path=folder)
    embedder(models).embedded.clear()
    write(
        folder, {"admin/refunds.md": "Refunds are no longer paid.\n", "new.md": "A ferry goes at noon.\n", "a.md": "First.\n"}
    )
    (folder / "kitchen" / "salad.txt").unlink()
    summary = app.refresh_brain("notes")
    assert summary == RefreshSummary(
        brain=app.get_brain("notes"),
        added=("a.md", "new.md"),
        changed=("admin/refunds.md",),
        removed=("kitchen/salad.txt",),
        embedded_chunk_count=3,
    )
    assert sorted(embedder(models).embedded) == ["A ferry goes at noon.", "First.", "Refunds are no longer paid."]
    assert (summary.brain.document_count, summary.brain.chunk_count) == (4, 4)


def test_a_refresh_cuts_only_the_files_that_are_new_or_changed(app: LocalLensApp, folder: Path):
    app.create_brain_from_folder(name="notes", folder_path=folder)
    write(folder, {"admin/refunds.md": "Refunds are no longer paid.\n", "new.md": "A ferry goes at noon.\n"})
    reports: list[Progress] = []
    app.refresh_brain("notes", on_progress=reports.append)
    assert [report.detail for report in reports if report.stage == "chunking"] == ["admin/refunds.md", "new.md"]


def test_a_refresh_reads_only_the_files_that_are_new_or_changed_and_one_of_each_kind(app: LocalLensApp, folder: Path):
    write(folder, {"long.md": WORDS, "note.md": "A note.\n"})
    before = app.create_brain_from_folder(name="notes", folder_path=folder)
    write(folder, {"admin/refunds.md": "Refunds are no longer paid.\n"})
    reports: list[Progress] = []
    after = app.refresh_brain("notes", on_progress=reports.append).brain
    read = {report.detail for report in reports if report.stage == "reading"} - {str(folder.resolve())}
    assert read == {"admin/refunds.md", "kitchen/salad.txt", "long.md"}
    assert (after.document_count, after.chunk_count) == (before.document_count, before.chunk_count)
    assert "The tide gauge" in texts_found(app, "notes", QUESTION)[0]
    assert sum(file.chunk_count for file in app.list_indexed_files("notes")) == after.chunk_count


def test_a_refresh_reads_a_file_that_could_not_be_used_again_only_when_it_has_changed(app: LocalLensApp, folder: Path):
    write(folder, {"bad.ipynb": "{", "worse.ipynb": "{", "long.md": WORDS})
    app.create_brain_from_folder(name="notes", folder_path=folder)
    write(folder, {"worse.ipynb": "{{"})
    reports: list[Progress] = []
    for overlap_tokens in (40, 0):  # with another, all is read and cut anew
        write(folder, {"admin/refunds.md": f"Refunds are no longer paid, or only {overlap_tokens}.\n"})
        again = make_app(app.settings.home, FakeModels(), overlap_tokens=overlap_tokens)
        assert again.refresh_brain("notes", on_progress=reports.append).brain.skipped_count == 2
    assert "long.md" in [report.detail for report in reports if report.stage == "chunking"]
    assert [report.detail for report in reports if report.stage == "reading" and "ipynb" in report.detail] == ["worse.ipynb"]


def test_a_refresh_that_another_one_overtakes_keeps_all_files(app: LocalLensApp, folder: Path):
    write(folder, {"long.md": WORDS, "note.md": "A note.\n"})
    app.create_brain_from_folder(name="notes", folder_path=folder)
    times = {path: path.stat().st_mtime_ns for path in folder.glob("*.md")}
    is_overtaken = False

    def overtake(report: Progress) -> None:
        nonlocal is_overtaken
        if report.stage == "reading" and not is_overtaken:
            is_overtaken = True
            write(folder, {"note.md": "Another.\n"})
            app.refresh_brain("notes")
            write(folder, {"note.md": "A note.\n"})
            os.utime(folder / "note.md", ns=(0, times[folder / "note.md"]))

    summary = app.refresh_brain("notes", on_progress=overtake)
    assert (summary.changed, summary.brain.generation) == (("note.md",), 3)
    assert "A note." in [chunk for _, _, chunk in chunks_of(app.settings.home, summary.brain.id)]


@pytest.mark.parametrize("sizes", [{"chunk_tokens": 50, "overlap_tokens": 10}, {"overlap_tokens": 20}], ids=["size", "overlap"])
def test_a_refresh_with_other_chunk_sizes_cuts_all_files_anew(
    home: Path, folder: Path, tmp_path: Path, models: FakeModels, sizes: dict[str, int]
):
    write(folder, {"long.md": WORDS, "table.csv": WORDS.replace(" ", "\n")})
    make_app(home, models).create_brain_from_folder(name="notes", folder_path=folder)
    write(folder, {"new.md": "A ferry goes at noon.\n"})
    summary = make_app(home, models, **sizes).refresh_brain("notes")
    assert (summary.added, summary.changed) == (("new.md",), ())
    fresh = make_app(tmp_path / "other", models, **sizes).create_brain_from_folder(name="notes", folder_path=folder)
    assert chunks_of(home, summary.brain.id) == chunks_of(tmp_path / "other", fresh.id)


def test_while_no_file_changes_a_brain_stays_as_it_was_cut(home: Path, folder: Path, models: FakeModels):
    write(folder, {"long.md": WORDS})
    brain = make_app(home, models).create_brain_from_folder(name="notes", folder_path=folder)
    before = chunks_of(home, brain.id)
    assert make_app(home, models, chunk_tokens=50).refresh_brain("notes").embedded_chunk_count == 0
    assert chunks_of(home, brain.id) == before
    make_app(home, models, chunk_tokens=50, embedding_model="fake-words").refresh_brain("notes")
    assert len(chunks_of(home, brain.id)) > len(before)


def test_what_was_removed_and_changed_cannot_be_found_any_more(app: LocalLensApp, folder: Path):
    app.create_brain_from_folder(name="notes", folder_path=folder)
    write(folder, {"admin/refunds.md": "Refunds are no longer paid.\n"})
    (folder / "kitchen" / "salad.txt").unlink()
    app.refresh_brain("notes")
    assert sorted(texts_found(app, "notes", "lemons honey dressing ten days signed form")) == [
        "# Harbour\n\nThe tide gauge at the harbour was replaced in March.",
        "Refunds are no longer paid.",
    ]


def test_a_renamed_file_is_found_under_its_new_name_and_not_embedded_again(app: LocalLensApp, folder: Path, models: FakeModels):
    app.create_brain_from_folder(name="notes", folder_path=folder)
    embedder(models).embedded.clear()
    (folder / "harbour.md").rename(folder / "port.md")
    summary = app.refresh_brain("notes")
    assert (summary.added, summary.removed, summary.embedded_chunk_count) == (("port.md",), ("harbour.md",), 0)
    assert embedder(models).embedded == []
    assert app.search_brain("notes", QUESTION)[0].relative_path == "port.md"


def test_a_file_that_shrank_leaves_no_chunks_behind(home: Path, tmp_path: Path, models: FakeModels):
    app = make_app(home, models, chunk_tokens=20, overlap_tokens=0)
    folder = write(tmp_path / "f", {"a.txt": "\n\n".join(f"Paragraph {n} has some words of its own here." for n in range(9))})
    assert app.create_brain_from_folder(name="f", folder_path=folder).chunk_count > 3
    write(folder, {"a.txt": "Short now.\n"})
    assert app.refresh_brain("f").brain.chunk_count == 1
    assert texts_found(app, "f", "Paragraph words") == ["Short now."]


def test_a_file_that_did_not_change_keeps_the_ids_of_its_chunks(app: LocalLensApp, folder: Path):
    app.create_brain_from_folder(name="notes", folder_path=folder)
    before = app.search_brain("notes", QUESTION, top_k=1)[0].id
    write(folder, {"kitchen/salad.txt": "Another recipe.\n"})
    app.refresh_brain("notes")
    assert app.search_brain("notes", QUESTION, top_k=1)[0].id == before


def test_the_folder_of_a_brain_that_is_gone_leaves_the_brain_as_it_was(app: LocalLensApp, folder: Path):
    before = app.create_brain_from_folder(name="notes", folder_path=folder)
    shutil.rmtree(folder)
    with pytest.raises(FolderError):
        app.refresh_brain("notes")
    assert app.get_brain("notes") == before


def test_a_refresh_with_another_model_named_embeds_all_with_that(home: Path, folder: Path):
    first, second = FakeEmbeddingModel("first"), FakeEmbeddingModel("second", dimension=32, weights="other")
    models = FakeModels([first, second])
    make_app(home, models).create_brain_from_folder(name="notes", folder_path=folder)
    renewed = make_app(home, models, embedding_model="second")
    summary = renewed.refresh_brain("notes")
    assert (summary.added, summary.changed, summary.removed, summary.embedded_chunk_count) == ((), (), (), 3)
    assert (summary.brain.embedding_model, summary.brain.dimension) == ("second", 32)
    assert len(second.embedded) == 3
    assert "tide gauge" in texts_found(renewed, "notes", QUESTION)[0]


def test_a_refresh_of_changed_files_keeps_to_the_model_of_the_brain(home: Path, folder: Path):
    first, second = FakeEmbeddingModel("first"), FakeEmbeddingModel("second", dimension=32)
    make_app(home, FakeModels([second, first]), embedding_model="first").create_brain_from_folder(
        name="notes", folder_path=folder
    )
    write(folder, {"new.md": "A ferry goes at noon.\n"})
    summary = make_app(home, FakeModels([second, first])).refresh_brain("notes")
    assert summary.brain.embedding_model == "first"
    assert second.embedded == []


# Other models


def test_a_brain_of_another_model_is_refused_with_both_names_and_the_way_out(home: Path, folder: Path):
    models = FakeModels([FakeEmbeddingModel("small"), FakeEmbeddingModel("large", dimension=128)])
    make_app(home, models).create_brain_from_folder(name="notes", folder_path=folder)
    with pytest.raises(EmbeddingMismatchError) as caught:
        make_app(home, models, embedding_model="large").ask_brain("notes", QUESTION)
    assert str(caught.value) == (
        "Brain 'notes' was built with small (64 numbers); large gives 128. "
        "Rebuild the brain (refresh 'notes' with an embedding model named), or ask with the first model."
    )


def test_other_weights_under_the_same_name_are_refused(home: Path, folder: Path):
    make_app(home, FakeModels()).create_brain_from_folder(name="notes", folder_path=folder)
    changed = make_app(home, FakeModels([FakeEmbeddingModel(weights="other")]))
    with pytest.raises(EmbeddingMismatchError, match=r"fake-words gives 64 from other weights\."):
        changed.search_brain("notes", QUESTION)


def test_a_model_that_is_not_there_any_more_is_named_with_the_brain(home: Path, folder: Path):
    make_app(home, FakeModels([FakeEmbeddingModel("old")])).create_brain_from_folder(name="notes", folder_path=folder)
    with pytest.raises(ModelUnavailableError) as caught:
        make_app(home, FakeModels()).ask_brain("notes", QUESTION)
    assert caught.value.message == (
        "Brain 'notes' was built with old, which is not available any more: old is not in the local cache (working offline)."
    )


def test_a_brain_is_asked_with_its_own_model_whatever_is_the_default_now(home: Path, folder: Path):
    old, new = FakeEmbeddingModel("old"), FakeEmbeddingModel("new", dimension=32)
    make_app(home, FakeModels([old])).create_brain_from_folder(name="notes", folder_path=folder)
    models = FakeModels([new, old])
    assert "tide gauge" in texts_found(make_app(home, models), "notes", QUESTION)[0]
    assert models.sources == ["old"]


# Searching and asking


def test_the_nearest_excerpts_come_first_with_their_place(app: LocalLensApp, folder: Path):
    app.create_brain_from_folder(name="notes", folder_path=folder)
    hits = app.search_brain("notes", QUESTION)
    assert hits[0].relative_path == "harbour.md"
    assert (hits[0].start_line, hits[0].end_line) == (1, 3)
    assert hits[0].score == max(hit.score for hit in hits)
    assert len(hits) == 3


def test_five_excerpts_are_found_unless_another_number_is_asked_for(home: Path, tmp_path: Path, models: FakeModels):
    app = make_app(home, models)
    app.create_brain_from_folder(name="many", folder_path=write(tmp_path / "many", many_files(9)))
    assert len(app.search_brain("many", "topic3")) == 5
    assert len(app.search_brain("many", "topic3", top_k=2)) == 2
    for ask in (app.search_brain, app.ask_brain):
        with pytest.raises(InvalidSettingError, match=r"top_k is -1\. Ask for at least one excerpt"):
            ask("many", "topic3", top_k=-1)
    assert len(make_app(home, models, top_k=7).search_brain("many", "topic3")) == 7


def test_ten_facts_are_each_found_in_the_file_that_holds_them(app: LocalLensApp, tmp_path: Path):
    app.create_brain_from_folder(name="many", folder_path=write(tmp_path / "many", many_files(10)))
    found = [app.search_brain("many", f"What is topic{number} about?", top_k=1)[0].relative_path for number in range(10)]
    assert found == [f"{number:03}.txt" for number in range(10)]


def test_the_answer_comes_with_its_evidence(app: LocalLensApp, folder: Path, models: FakeModels):
    models.fallback_reason = "The large one does not fit."
    app.create_brain_from_folder(name="notes", folder_path=folder)
    answer = app.ask_brain("notes", QUESTION)
    assert (answer.answer, answer.question) == (ANSWER, QUESTION)
    assert (answer.model, answer.fallback_reason, answer.stopped) == ("scripted (fake)", "The large one does not fit.", "")
    assert [citation.number for citation in answer.citations] == [1]
    assert [citation.number for citation in answer.also_read] == [2, 3]
    (sentence,) = answer.sentences
    assert (sentence.text, sentence.support, sentence.number) == (ANSWER, "supported", 1)
    supporting = answer.citations[0].content[sentence.evidence_start : sentence.evidence_end]
    assert supporting == answer.quotes[0].text == "The tide gauge at the harbour was replaced in March."
    assert answer.citations[0].relative_path == "harbour.md"
    assert answer.citations[0].content == "# Harbour\n\nThe tide gauge at the harbour was replaced in March."


def test_the_model_is_given_the_grounded_prompt_of_the_hits(app: LocalLensApp, folder: Path, models: FakeModels):
    app.create_brain_from_folder(name="notes", folder_path=folder)
    hits = app.search_brain("notes", QUESTION, top_k=2)
    app.ask_brain("notes", QUESTION, top_k=2)
    (request,) = models.chat.requests
    assert request.messages == build_grounded_history(QUESTION, hits)
    assert (request.question, list(request.hits)) == (QUESTION, hits)


def test_one_question_is_embedded_once_and_answered_by_one_generation(app: LocalLensApp, folder: Path, models: FakeModels):
    app.create_brain_from_folder(name="notes", folder_path=folder)
    embedder(models).embedded.clear()
    app.ask_brain("notes", QUESTION)
    assert embedder(models).questions == [QUESTION]
    assert len(embedder(models).embedded) == len(set(embedder(models).embedded))
    assert len(models.chat.requests) == 1


def test_a_question_knows_nothing_of_the_one_before(app: LocalLensApp, folder: Path, models: FakeModels):
    app.create_brain_from_folder(name="notes", folder_path=folder)
    app.ask_brain("notes", "What is the dressing made of?")
    app.ask_brain("notes", QUESTION)
    assert "What is the dressing made of?" not in models.chat.requests[1].messages[1].content
    assert len(models.chat.requests[1].messages) == 2


def test_excerpts_that_do_not_fit_are_left_out_and_not_cited(home: Path, tmp_path: Path, models: FakeModels):
    app = make_app(home, models, context_tokens=400, max_new_tokens=100)
    files = {f"{number}.txt": f"topic {number}: " + f"word{number} " * 60 for number in range(5)}
    app.create_brain_from_folder(name="long", folder_path=write(tmp_path / "long", files))
    found = app.search_brain("long", "topic")
    answer = app.ask_brain("long", "topic")
    read = (*answer.citations, *answer.also_read)
    assert 0 < len(read) < len(found)
    assert [citation.id for citation in read] == [hit.id for hit in found[: len(read)]]
    assert {quote.number for quote in answer.quotes} <= {citation.number for citation in read}
    assert answer.timings.prompt_tokens <= 300


def test_excerpts_and_what_they_are_measured_by_are_of_one_generation(
    app: LocalLensApp, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    app.create_brain_from_folder(name="notes", folder_path=folder)
    rarities: list[Mapping[str, float]] = []

    def gather_after_a_refresh(*arguments: Any, **options: Any) -> list[SearchHit]:
        write(folder, {"new.md": "Flotsam is burnt in March.\n"})
        app.refresh_brain("notes")
        return gather_excerpts(*arguments, **options)

    def measure(*arguments: Any, statistics: QuestionStatistics, **options: Any) -> Evidence:
        rarities.append(statistics.rarity)
        return measure_evidence(*arguments, statistics=statistics, **options)

    monkeypatch.setattr(asking, "gather_excerpts", gather_after_a_refresh)
    monkeypatch.setattr(asking, "measure_evidence", measure)
    for question in ("Is flotsam burnt in March?", "Is flotsam burnt in March?"):
        app.ask_brain("notes", question)
    flotsam = stem_word("flotsam")
    assert [flotsam in rarity for rarity in rarities] == [False, True]


def test_a_stream_gives_the_same_answer_piece_by_piece(app: LocalLensApp, folder: Path):
    app.create_brain_from_folder(name="notes", folder_path=folder)
    stream = app.stream_brain("notes", QUESTION)
    pieces = list(stream)
    assert len(pieces) > 1
    assert "".join(pieces) == stream.result.answer == ANSWER


def test_a_stream_gives_the_quotations_before_the_chat_model_is_asked_for(app: LocalLensApp, folder: Path, models: FakeModels):
    app.create_brain_from_folder(name="notes", folder_path=folder)
    events = app.stream_brain("notes", QUESTION).events()
    found = next(events)
    assert isinstance(found, EvidenceFound)
    assert (found.quotes[0].text, models.chat_model_calls) == ("The tide gauge at the harbour was replaced in March.", 0)
    assert "".join(event.text for event in events if isinstance(event, TextPiece)) == ANSWER


def test_what_no_excerpt_says_is_marked_and_a_reference_to_the_wrong_excerpt_is_moved(home: Path, folder: Path):
    wrong = Script(("The tide gauge at the harbour was replaced in March [3]. ", "It cost 900 euros [1]."))
    app = make_app(home, FakeModels(chat=ScriptedChatModel(wrong)))
    app.create_brain_from_folder(name="notes", folder_path=folder)
    answer = app.ask_brain("notes", QUESTION)
    assert answer.answer == f"{ANSWER} It cost 900 euros."
    assert [sentence.support for sentence in answer.sentences] == ["supported", "unsupported"]
    assert answer.sentences[1].missing == ("900",)
    assert ([citation.number for citation in answer.citations], answer.refusal) == ([1], "")


def test_an_unknown_brain_names_those_there_are_at_once(app: LocalLensApp, folder: Path):
    app.create_brain_from_folder(name="notes", folder_path=folder)
    app.create_brain_from_folder(name="admin", folder_path=folder)
    for call in (app.stream_brain, app.ask_brain, app.search_brain):
        with pytest.raises(BrainNotFoundError) as caught:
            call("nots", QUESTION)
        assert caught.value.existing == ("admin", "notes")


@pytest.mark.parametrize("method", ["get_brain", "refresh_brain", "delete_brain", "list_skipped_files"])
def test_an_unknown_brain_in_a_store_that_does_not_exist_makes_none(app: LocalLensApp, home: Path, method: str):
    with pytest.raises(BrainNotFoundError, match="none yet"):
        getattr(app, method)("notes")
    assert not home.exists()


@pytest.mark.parametrize("question", ["", "  ", "\n\t"])
def test_an_empty_question_is_refused_at_once(app: LocalLensApp, folder: Path, models: FakeModels, question: str):
    app.create_brain_from_folder(name="notes", folder_path=folder)
    for call in (app.stream_brain, app.ask_brain, app.search_brain):
        with pytest.raises(InvalidQuestionError, match=r"^The question is empty\."):
            call("notes", question)
    assert models.chat.requests == []


def test_a_question_that_is_too_long_for_the_window_is_refused(home: Path, folder: Path, models: FakeModels):
    app = make_app(home, models, context_tokens=300, max_new_tokens=100)
    app.create_brain_from_folder(name="notes", folder_path=folder)
    with pytest.raises(InvalidQuestionError, match="Shorten the question"):
        app.ask_brain("notes", "why " * 300)
    assert models.chat.requests == []


def test_asking_needs_the_folder_no_more(app: LocalLensApp, folder: Path):
    app.create_brain_from_folder(name="notes", folder_path=folder)
    shutil.rmtree(folder)
    assert app.ask_brain("notes", QUESTION).citations[0].relative_path == "harbour.md"


def test_asking_writes_nothing(home: Path, folder: Path, models: FakeModels):
    make_app(home, models).create_brain_from_folder(name="notes", folder_path=folder)
    before = stored(home)
    app = make_app(home, models)
    app.ask_brain("notes", QUESTION)
    app.search_brain("notes", QUESTION)
    app.list_brains()
    assert stored(home) == before


def test_a_failure_of_the_model_reaches_the_caller_and_the_next_question_is_answered(home: Path, folder: Path):
    failing = Script(("It is ",), fails_with=RuntimeError("device lost"))
    app = make_app(home, FakeModels(chat=ScriptedChatModel(failing, Script((ANSWER,)))))
    app.create_brain_from_folder(name="notes", folder_path=folder)
    with pytest.raises(GenerationError, match="device lost") as caught:
        app.ask_brain("notes", QUESTION)
    assert caught.value.partial.startswith("It is")
    assert app.ask_brain("notes", QUESTION).answer == ANSWER


def test_another_app_asks_without_indexing_again(home: Path, folder: Path):
    make_app(home, FakeModels()).create_brain_from_folder(name="notes", folder_path=folder)
    models = FakeModels()
    assert make_app(home, models).ask_brain("notes", QUESTION).citations[0].relative_path == "harbour.md"
    assert not any(text.startswith("# Harbour\n") for text in embedder(models).embedded)


def test_another_process_asks_without_indexing_again(home: Path, folder: Path):
    make_app(home, FakeModels()).create_brain_from_folder(name="notes", folder_path=folder)
    program = (
        "import sys; from pathlib import Path; from tests.fakes import FakeModels\n"
        "from locallens_nb import LocalLensApp, Settings\n"
        "models = FakeModels()\n"
        "app = LocalLensApp(Settings(home=Path(sys.argv[1]), strictness='off'), models=models)\n"
        "answer = app.ask_brain('notes', sys.argv[2])\n"
        "print(answer.citations[0].relative_path, [text for text in models.embedding[0].embedded if '\\n' in text])"
    )
    outcome = subprocess.run(
        [sys.executable, "-c", program, str(home), QUESTION],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=REPOSITORY,
        check=False,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    assert (outcome.stdout.strip(), outcome.stderr) == ("harbour.md []", "")


def test_two_brains_know_nothing_of_each_other(app: LocalLensApp, folder: Path, tmp_path: Path):
    other = write(tmp_path / "other", {"secret.md": "The tide gauge at the harbour was replaced by a secret one.\n"})
    app.create_brain_from_folder(name="notes", folder_path=folder)
    app.create_brain_from_folder(name="other", folder_path=other)
    assert {hit.relative_path for hit in app.search_brain("notes", QUESTION)} == set(NOTES)
    assert {hit.relative_path for hit in app.search_brain("other", QUESTION)} == {"secret.md"}
    app.delete_brain("other")
    assert len(app.search_brain("notes", QUESTION)) == 3


def test_a_deleted_brain_is_gone_and_its_text_with_it(app: LocalLensApp, folder: Path, home: Path):
    app.create_brain_from_folder(name="notes", folder_path=folder)
    app.delete_brain("notes")
    assert app.list_brains() == []
    with pytest.raises(BrainNotFoundError):
        app.ask_brain("notes", QUESTION)
    assert [name for name, (_, content) in snapshot(home).items() if b"tide gauge" in content] == []


def test_uploaded_files_go_with_the_last_brain_that_was_made_of_them(app: LocalLensApp, home: Path):
    folder = save_uploads(home, "notes", [("harbour.md", b"The tide gauge at the harbour was replaced in March.")])
    for name in ("notes", "again"):
        app.create_brain_from_folder(name=name, folder_path=folder)
    app.delete_brain("notes")
    assert app.refresh_brain("again").brain.document_count == 1
    app.delete_brain("again")
    assert not folder.exists()


def test_a_question_opens_the_store_as_often_for_five_excerpts_as_for_one(
    app: LocalLensApp, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    write(folder, {f"{name}.md": f"{WORDS.replace('w', name)}\n" * 9 + QUESTION for name in ("ant", "bee", "cat")})
    app.create_brain_from_folder(name="notes", folder_path=folder)
    opened: list[Path] = []
    monkeypatch.setattr(store, "open_reader", lambda path: opened.append(path) or open_reader(path))
    openings: list[int] = []
    for top_k in (1, 5):
        answer = app.ask_brain("notes", QUESTION, top_k=top_k)
        openings.append(len(opened))
        opened.clear()
    assert sum(citation.start_line != 1 for citation in (*answer.citations, *answer.also_read)) > 1
    assert openings[0] == openings[1]


# Temporary brains


def test_a_temporary_brain_is_there_for_the_block_only(app: LocalLensApp, folder: Path):
    with app.temporary_brain(folder) as brain:
        assert app.list_brains() == [brain]
        assert app.ask_brain(brain.name, QUESTION).citations[0].relative_path == "harbour.md"
    assert app.list_brains() == []


def test_a_temporary_brain_is_gone_after_an_error_too(app: LocalLensApp, folder: Path):
    with pytest.raises(ZeroDivisionError), app.temporary_brain(folder):
        raise ZeroDivisionError
    assert app.list_brains() == []


def test_a_temporary_brain_stays_whatever_becomes_of_others_meanwhile(app: LocalLensApp, folder: Path, models: FakeModels):
    other = make_app(app.settings.home, models)
    with app.temporary_brain(folder) as brain:
        with other.temporary_brain(folder), app.temporary_brain(folder):
            assert len(app.list_brains()) == 3
        other.create_brain_from_folder(name="notes", folder_path=folder)
        assert [found.name for found in app.list_brains()] == ["notes", brain.name]


def test_a_second_temporary_brain_of_a_folder_embeds_nothing(app: LocalLensApp, folder: Path, models: FakeModels):
    with app.temporary_brain(folder):
        embedder(models).embedded.clear()
    with app.temporary_brain(folder):
        assert embedder(models).embedded == []


# Export and import


def test_an_exported_brain_can_be_imported_into_another_store(app: LocalLensApp, folder: Path, tmp_path: Path):
    brain = app.create_brain_from_folder(name="notes", folder_path=folder)
    file = app.export_brain("notes", tmp_path / "notes.json")
    elsewhere = make_app(tmp_path / "elsewhere", FakeModels())
    (imported,) = elsewhere.import_brains(file)
    assert imported.id != brain.id
    assert (imported.name, imported.folder_path, imported.created_at) == (brain.name, brain.folder_path, brain.created_at)
    assert (imported.document_count, imported.chunk_count) == (3, 3)
    assert elsewhere.search_brain("notes", QUESTION) == app.search_brain("notes", QUESTION)


def test_an_import_of_what_was_embedded_here_embeds_nothing(
    app: LocalLensApp, folder: Path, tmp_path: Path, models: FakeModels
):
    app.create_brain_from_folder(name="notes", folder_path=folder)
    file = app.export_brain("notes", tmp_path / "notes.json")
    app.delete_brain("notes")
    embedder(models).embedded.clear()
    app.import_brains(file)
    assert embedder(models).embedded == []


def test_an_imported_brain_can_be_refreshed_from_its_folder(app: LocalLensApp, folder: Path, tmp_path: Path):
    app.create_brain_from_folder(name="notes", folder_path=folder)
    file = app.export_brain("notes", tmp_path / "notes.json")
    elsewhere = make_app(tmp_path / "elsewhere", FakeModels())
    elsewhere.import_brains(file)
    write(folder, {"new.md": "A ferry goes at noon.\n"})
    summary = elsewhere.refresh_brain("notes")
    assert (summary.added, summary.changed, summary.removed) == (("new.md",), (), ())


def test_an_export_replaces_the_file_whole_and_leaves_nothing_beside_it(app: LocalLensApp, folder: Path, tmp_path: Path):
    app.create_brain_from_folder(name="notes", folder_path=folder)
    target = tmp_path / "out" / "notes.json"
    target.parent.mkdir()
    target.write_text("old", encoding="utf-8")
    assert app.export_brain("notes", target) == target
    assert set(json.loads(target.read_text(encoding="utf-8"))) == {"brains", "chunks"}
    assert list(target.parent.iterdir()) == [target]


def write_exchange(file: Path, *names: str) -> Path:
    chunk = {"id": "c-0", "relativePath": "a.md", "chunkIndex": 0, "content": "Some text.", "checksum": "c"}
    data = {
        "brains": [
            {"id": f"id-{name}", "name": name, "folderPath": "/f", "createdAt": "2025-01-31T12:00:00Z"} for name in names
        ],
        "chunks": {f"id-{name}": [{**chunk, "brainId": f"id-{name}"}] for name in names},
    }
    file.write_text(json.dumps(data), encoding="utf-8")
    return file


def test_an_import_with_a_taken_name_imports_nothing(app: LocalLensApp, folder: Path, tmp_path: Path):
    before = app.create_brain_from_folder(name="notes", folder_path=folder)
    with pytest.raises(BrainExistsError) as caught:
        app.import_brains(write_exchange(tmp_path / "two.json", "fresh", "notes"))
    assert caught.value.name == "notes"
    assert app.list_brains() == [before]


@pytest.mark.parametrize("stage", ["saving", "done"])
def test_an_import_that_breaks_off_at_its_second_brain_imports_nothing(app: LocalLensApp, tmp_path: Path, stage: str):
    reports: list[Progress] = []

    def interrupt(report: Progress) -> None:
        if report.stage == stage:
            reports.append(report)
            if len(reports) == 2:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        app.import_brains(write_exchange(tmp_path / "two.json", "one", "two"), on_progress=interrupt)
    assert len(reports) == 2
    assert app.list_brains() == []


@pytest.mark.parametrize("text", ["", "not json", "{}", '{"brains": [{"name": "x"}], "chunks": {}}', "\udce9"])
def test_a_file_that_is_no_store_imports_nothing(app: LocalLensApp, tmp_path: Path, home: Path, models: FakeModels, text: str):
    (tmp_path / "bad.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ExchangeFormatError):
        app.import_brains(tmp_path / "bad.json")
    assert (models.sources, home.exists()) == ([], False)


def test_a_missing_file_to_import_is_named(app: LocalLensApp, tmp_path: Path):
    with pytest.raises(ExchangeFormatError, match=r"missing\.json' cannot be read"):
        app.import_brains(tmp_path / "missing.json")


# The gateway, the network and the log


def gather(count: int, call) -> list[object]:
    """Call something from several threads that all start at once, and return what came of each."""
    barrier = threading.Barrier(count)
    results: list[object] = []

    def run() -> None:
        barrier.wait(WAIT_SECONDS)
        try:
            results.append(call())
        except Exception as error:
            results.append(error)

    threads = [threading.Thread(target=run, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_SECONDS)
    assert len(results) == count
    return results


def slow_loader(loads: list[str], result: object, waiting: threading.Event):
    """Give a loader that is still at work when the other callers come."""

    def load(*args: object, **_: object) -> object:
        loads.append(str(args[0]))
        waiting.wait(0.1)
        return result

    return load


def test_callers_at_once_share_one_load_of_the_embedding_model(monkeypatch: pytest.MonkeyPatch):
    loads: list[str] = []
    model = FakeEmbeddingModel()
    monkeypatch.setattr(gateway_module, "load_embedding_model", slow_loader(loads, model, threading.Event()))
    gateway = ModelGateway(Settings())
    assert gather(8, gateway.embedding_model) == [model] * 8
    assert loads == ["auto"]


def test_callers_at_once_share_one_load_of_the_chat_model(monkeypatch: pytest.MonkeyPatch):
    loads: list[str] = []
    loaded = LoadedChatModel(ScriptedChatModel(), "")
    monkeypatch.setattr(gateway_module, "load_chat_model", slow_loader(loads, loaded, threading.Event()))
    gateway = ModelGateway(Settings())
    assert gather(8, gateway.chat_model) == [loaded] * 8
    assert len(loads) == 1


def test_a_model_that_auto_stands_for_is_not_loaded_again_by_its_name(monkeypatch: pytest.MonkeyPatch):
    loads: list[str] = []
    monkeypatch.setattr(gateway_module, "load_embedding_model", slow_loader(loads, FakeEmbeddingModel(), threading.Event()))
    gateway = ModelGateway(Settings())
    assert gateway.embedding_model("auto") is gateway.embedding_model("fake-words")
    assert loads == ["auto"]


def test_a_load_that_failed_is_tried_again(monkeypatch: pytest.MonkeyPatch):
    attempts: list[str] = []

    def load(source: str, *_: object, **__: object) -> FakeEmbeddingModel:
        attempts.append(source)
        if len(attempts) == 1:
            raise ModelUnavailableError("Not now.")
        return FakeEmbeddingModel()

    monkeypatch.setattr(gateway_module, "load_embedding_model", load)
    gateway = ModelGateway(Settings())
    with pytest.raises(ModelUnavailableError):
        gateway.embedding_model()
    assert gateway.embedding_model().name == "fake-words"


def test_questions_from_several_threads_are_all_answered(app: LocalLensApp, folder: Path):
    app.create_brain_from_folder(name="notes", folder_path=folder)
    answers = gather(6, lambda: app.ask_brain("notes", QUESTION).answer)
    assert answers == [ANSWER] * 6


def test_with_the_network_forbidden_real_models_index_and_answer(
    home: Path, folder: Path, hub_cache: Path, no_connections: list[object]
):
    app = LocalLensApp(Settings(home=home, offline=True))
    app.create_brain_from_folder(name="notes", folder_path=folder)
    answer = app.ask_brain("notes", QUESTION)
    assert answer.model == "quotes"
    assert answer.answer.splitlines()[0] == "- The tide gauge at the harbour was replaced in March. [1]"
    assert answer.citations[0].relative_path == "harbour.md"
    assert answer.fallback_reason.count("working offline") == 3


def test_a_question_that_the_brain_cannot_answer_gets_no_quotes(home: Path, folder: Path, hub_cache: Path, no_connections):
    app = LocalLensApp(Settings(home=home, offline=True, chat_model="quotes"))
    app.create_brain_from_folder(name="notes", folder_path=folder)
    question = "Which quantum computer did Alan buy?"
    answer = app.ask_brain("notes", question)
    assert (answer.answer, answer.citations) == (refusal_text(question), ())
    assert answer.refusal in {"evidence", "model"}


def test_no_log_record_holds_text_of_a_file_a_question_or_an_answer(
    home: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    secret_text, secret_question, secret_answer = (hashlib.sha256(word).hexdigest()[:12] for word in (b"t", b"q", b"a"))
    chat = ScriptedChatModel(
        Script((f"{secret_answer} ", "[1]")),
        Script((secret_answer,), fails_with=RuntimeError(secret_answer)),
    )
    folder = write(tmp_path / "f", {"a.md": f"Text {secret_text}.\n", "b.ipynb": f"{{broken {secret_text}"})
    app = make_app(home, FakeModels(chat=chat), context_tokens=200, max_new_tokens=50)
    with caplog.at_level(logging.DEBUG):
        app.create_brain_from_folder(name="notes", folder_path=folder)
        app.ask_brain("notes", f"Where is {secret_question}?")
        with pytest.raises(GenerationError):
            app.ask_brain("notes", f"Where is {secret_question}?")
        write(folder, {"a.md": f"Changed {secret_text}.\n"})
        app.refresh_brain("notes")
        app.export_brain("notes", tmp_path / "notes.json")
        app.delete_brain("notes")
        app.import_brains(tmp_path / "notes.json")
    assert caplog.records
    logged = "\n".join(f"{record.getMessage()} {record.args} {record.exc_text}" for record in caplog.records)
    assert [secret for secret in (secret_text, secret_question, secret_answer) if secret in logged] == []


def test_the_store_of_the_caller_is_used(tmp_path: Path, folder: Path, models: FakeModels):
    store = LocalLensStore(tmp_path / "mine")
    LocalLensApp(Settings(home=tmp_path / "other"), store=store, models=models).create_brain_from_folder(
        name="notes", folder_path=folder
    )
    assert [brain.name for brain in store.list_brains()] == ["notes"]
    assert not (tmp_path / "other").exists()
