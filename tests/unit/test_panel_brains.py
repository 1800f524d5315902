"""The brains of a panel: made, refreshed, cancelled and deleted in threads, each with its status."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from ipywidgets.widgets.widget import _instances

from locallens_nb.domain import Brain
from locallens_nb.locallens import LocalLensApp
from locallens_nb.notebook.brain_form import NewBrain
from locallens_nb.notebook.brain_list import BrainActions, BrainList
from locallens_nb.notebook.brain_states import BrainState, describe_brain, render_details
from locallens_nb.notebook.brains_view import BrainsView
from locallens_nb.notebook.jobs import DaemonThreads
from locallens_nb.search.index import FloatArray
from locallens_nb.settings import Settings
from tests.fakes import FakeEmbeddingModel, FakeModels
from tests.panel_fakes import all_html, all_texts, find_button, wait_until
from tests.wire_fakes import Recorder

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "water.md").write_text("The cistern holds 4,000 litres of water.\n", encoding="utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    return folder


class GatedEmbedding(FakeEmbeddingModel):
    """Embeds its first batch at once, and each later one when its gate is open."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.batches = 0

    def embed_documents(self, texts: Sequence[str]) -> FloatArray:
        self.batches += 1
        if self.batches > 1:
            assert self.gate.wait(20)
        return super().embed_documents(texts)


@pytest.fixture
def embedding() -> GatedEmbedding:
    return GatedEmbedding()


@pytest.fixture
def app(tmp_path: Path, embedding: GatedEmbedding) -> LocalLensApp:
    return LocalLensApp(Settings(home=tmp_path / "home"), models=FakeModels(embedding=[embedding]))


@pytest.fixture
def view(app: LocalLensApp) -> Iterator[BrainsView]:
    view = BrainsView(app, executor=DaemonThreads())
    yield view
    view.close()


def status_of(view: BrainsView, name: str) -> Callable[[], str]:
    return lambda: next((state.status for state in view.states if state.brain.name == name), "")


def has_brain(view: BrainsView, name: str) -> Callable[[], bool]:
    return lambda: status_of(view, name)() != ""


def says(view: BrainsView, words: str) -> Callable[[], bool]:
    return lambda: words in all_texts(view.widget)


def test_without_a_brain_it_says_what_one_is_and_offers_the_form(view: BrainsView) -> None:
    assert "There is no brain yet." in all_texts(view.widget)
    assert find_button(view.widget, "Create brain").disabled is False
    assert view.selected == ""


def test_a_brain_from_a_folder_is_listed_with_its_counts_and_asked_from_then_on(view: BrainsView, notes: Path) -> None:
    view.create(NewBrain("notes", notes))
    wait_until(says(view, "Indexed 'notes': 1 file, 1 chunk, 1 skipped (see its details)."))
    wait_until(says(view, "1 file · 1 chunk · 41 bytes · indexed 20"))
    assert view.selected == "notes"
    assert status_of(view, "notes")() == "ready"


def test_languages_that_the_embedding_model_does_not_know_are_told_with_a_model_that_does(
    view: BrainsView, notes: Path, app: LocalLensApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = "Much of the text is Portuguese (60%). Set LOCALLENS_EMBEDDING_MODEL to multilingual-e5-small."
    monkeypatch.setattr(app, "describe_languages", lambda name: f"{name}: {told}")
    view.create(NewBrain("notes", notes))
    wait_until(says(view, f"Indexed 'notes': 1 file, 1 chunk, 1 skipped (see its details). notes: {told}"))
    wait_until(has_brain(view, "notes"))
    find_button(view.widget, "Close").click()
    assert told not in all_texts(view.widget)
    find_button(view.widget, "Details").click()
    assert told in all_texts(view.widget)


def test_a_name_that_is_taken_is_refused_and_the_form_stays(view: BrainsView, notes: Path) -> None:
    view.create(NewBrain("notes", notes))
    wait_until(has_brain(view, "notes"))
    view.create(NewBrain("notes", notes))
    wait_until(says(view, "A brain called 'notes' exists already."))
    assert [state.brain.name for state in view.states] == ["notes"]


def test_a_second_task_is_refused_while_one_is_running(view: BrainsView, notes: Path, embedding: GatedEmbedding) -> None:
    embedding.batches = 1
    view.create(NewBrain("first", notes))
    wait_until(lambda: embedding.batches == 2)
    assert "<b>first</b>" in all_html(view.widget)
    assert re.findall(r"locallens-chip[^>]*>(\w+)", all_html(view.widget)) == ["indexing"]
    assert "There is no brain yet" not in all_texts(view.widget)
    view.create(NewBrain("second", notes))
    assert "'first' is being indexed. Cancel that, or wait until it is done." in all_texts(view.widget)
    assert find_button(view.widget, "Create brain").disabled is True
    embedding.gate.set()
    wait_until(has_brain(view, "first"))
    assert "<b>first</b>" not in all_html(view.widget)
    wait_until(lambda: find_button(view.widget, "Refresh").disabled is False)
    assert "is being indexed" not in all_texts(view.widget)


def test_cancelling_keeps_what_was_embedded_and_makes_no_brain(
    view: BrainsView, app: LocalLensApp, tmp_path: Path, embedding: GatedEmbedding
) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(200):
        (folder / f"{number}.txt").write_text(f"File number {number} speaks of topic {number}.", encoding="utf-8")
    view.create(NewBrain("many", folder))
    wait_until(lambda: embedding.batches == 2)
    wait_until(says(view, "Embedding: 64 of 200 chunks"))
    find_button(view.widget, "Cancel", within="locallens-card").click()
    wait_until(says(view, "Cancelling when the present batch is done"))
    embedding.gate.set()
    wait_until(says(view, "Cancelled. What was embedded is kept"))
    assert app.list_brains() == []
    assert len(embedding.embedded) == 128
    view.create(NewBrain("many", folder))
    wait_until(has_brain(view, "many"))
    assert len(embedding.embedded) == 200


def test_a_file_that_changes_makes_its_brain_stale_and_a_refresh_mends_that(
    view: BrainsView, notes: Path, embedding: GatedEmbedding
) -> None:
    view.create(NewBrain("notes", notes))
    wait_until(has_brain(view, "notes"))
    (notes / "water.md").write_text("The cistern holds 5,000 litres of water now.\n", encoding="utf-8")
    os.utime(notes / "water.md", ns=(1, 1))
    view.look("notes")
    wait_until(lambda: status_of(view, "notes")() == "stale")
    assert view.changed_files("notes") == {"water.md"}
    assert "1 file changed or gone since" in all_texts(view.widget)
    embedding.gate.set()
    view.refresh("notes")
    wait_until(says(view, "Refreshed 'notes': 1 file, 1 chunk"))
    wait_until(lambda: status_of(view, "notes")() == "ready")
    assert view.changed_files("notes") == frozenset()


def test_a_file_that_is_new_makes_its_brain_stale_and_a_refresh_mends_that(
    view: BrainsView, notes: Path, embedding: GatedEmbedding
) -> None:
    embedding.gate.set()
    (notes / "later.md").touch()
    view.create(NewBrain("notes", notes))
    wait_until(has_brain(view, "notes"))
    wait_until(lambda: view.states[0].size_bytes is not None)
    assert view.states[0].status == "ready"
    (notes / "later.md").write_text("Written after it was left out as empty.", encoding="utf-8")
    (notes / f"{HOSTILE}.md").write_text("The goat sleeps.", encoding="utf-8")
    (notes / "new.png").write_bytes(b"\x89PNG")
    view.look_again()
    wait_until(lambda: status_of(view, "notes")() == "stale")
    assert "2 new files" in all_texts(view.widget)
    assert view.changed_files("notes") == frozenset()
    details = render_details(view.states[0], [])
    assert "New in the folder" in details
    assert "<img" not in details
    view.refresh("notes")
    wait_until(says(view, "Refreshed 'notes': 3 files"))
    wait_until(lambda: status_of(view, "notes")() == "ready" and view.states[0].size_bytes is not None)
    assert "new file" not in all_texts(view.widget)


def test_a_folder_that_takes_long_is_not_looked_at_after_every_cell(
    view: BrainsView, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view.create(NewBrain("notes", notes))
    wait_until(lambda: bool(view.states) and view.states[0].size_bytes is not None)
    monkeypatch.setitem(view._look_seconds, "notes", 2.0)
    (notes / "new.md").write_text("The goat sleeps.", encoding="utf-8")
    view.look_again()
    assert view.states[0].status == "ready"
    view.look("notes")
    wait_until(lambda: status_of(view, "notes")() == "stale")


def test_a_refresh_that_fails_is_an_error_on_the_brain_which_stays(view: BrainsView, notes: Path, app: LocalLensApp) -> None:
    view.create(NewBrain("notes", notes))
    wait_until(has_brain(view, "notes"))
    wait_until(lambda: find_button(view.widget, "Refresh").disabled is False)
    for file in notes.iterdir():
        file.unlink()
    notes.rmdir()
    find_button(view.widget, "Refresh").click()
    wait_until(lambda: status_of(view, "notes")() == "error")
    assert "Folder not found" in all_texts(view.widget)
    assert [brain.name for brain in app.list_brains()] == ["notes"]


def test_a_new_row_takes_few_messages_and_leaves_no_widget(wire: type[Recorder]) -> None:
    moment = datetime(2031, 5, 1, tzinfo=UTC)
    states = [BrainState(Brain(name, name, "/n", "m", "f", 4, 2, 1, 3, moment, moment, 1)) for name in ("first", "second")]
    before = set(_instances)
    rows = BrainList(BrainActions(print, print, print, lambda name: f"About {name}"))
    rows.show(states[:1], selected="first", locked=False)
    sent_before = len(wire.messages)
    rows.show(states, selected="second", locked=False)
    assert len(wire.messages) - sent_before < 20
    for click in ("Details", "Hide details", "Details", "Delete", "Keep it", "Delete"):
        rows.show(states[:1], selected="first", locked=False)
        find_button(rows.widget, click).click()
    assert "About first" not in all_texts(rows.widget)
    rows.show(states[:1], selected="first", locked=True)
    assert find_button(rows.widget, "Yes, delete").disabled is True
    rows.close()
    assert set(_instances) == before


def test_deleting_asks_first_and_leaves_the_folder(view: BrainsView, notes: Path, app: LocalLensApp) -> None:
    view.create(NewBrain("notes", notes))
    wait_until(has_brain(view, "notes"))
    wait_until(lambda: find_button(view.widget, "Delete").disabled is False)
    find_button(view.widget, "Delete").click()
    assert [brain.name for brain in app.list_brains()] == ["notes"]
    find_button(view.widget, "Keep it").click()
    find_button(view.widget, "Delete").click()
    find_button(view.widget, "Yes, delete").click()
    wait_until(says(view, "Deleted 'notes'. Its folder was not touched."))
    wait_until(lambda: view.states == [])
    assert (notes / "water.md").is_file()
    assert view.selected == ""


def test_uploaded_files_are_kept_under_the_home_and_go_with_their_brain(
    view: BrainsView, app: LocalLensApp, tmp_path: Path
) -> None:
    files = [("../../water.md", memoryview(b"The cistern holds 4,000 litres.")), ("water.md", memoryview(b"Another text."))]
    view.create(NewBrain("mine", None, files))
    wait_until(has_brain(view, "mine"))
    folder = Path(app.get_brain("mine").folder_path)
    assert folder.parent == (tmp_path / "home" / "uploads").resolve()
    assert sorted(file.name for file in folder.iterdir()) == ["water (2).md", "water.md"]
    assert app.get_brain("mine").document_count == 2
    view.delete("mine")
    wait_until(says(view, "The files that were uploaded for it are gone too."))
    assert not folder.exists()


def test_the_form_says_how_much_can_be_uploaded(view: BrainsView) -> None:
    view._form._source.value = "Files to upload"
    assert "Up to 10 MB together" in all_texts(view.widget)
    view._form._upload.value = [
        {"name": "a.md", "type": "", "size": 1_500_000, "content": b"", "last_modified": datetime(2031, 1, 1, tzinfo=UTC)}
    ]
    assert "1 chosen, 1.5 MB" in all_texts(view.widget)
    assert "Up to 10 MB together" not in all_texts(view.widget)


def test_uploads_of_a_brain_that_was_not_made_are_removed(view: BrainsView, tmp_path: Path) -> None:
    view.create(NewBrain("mine", None, [("picture.png", memoryview(b"\x89PNG"))]))
    wait_until(says(view, "There is nothing to index"))
    assert list((tmp_path / "home" / "uploads").iterdir()) == []


def test_what_another_front_end_has_made_is_there_after_a_reload(view: BrainsView, app: LocalLensApp, notes: Path) -> None:
    app.create_brain_from_folder(name="made elsewhere", folder_path=notes)
    view.reload()
    assert [state.brain.name for state in view.states] == ["made elsewhere"]
    app.delete_brain("made elsewhere")
    view.reload()
    assert view.states == []


def test_choosing_another_brain_sends_the_questions_to_it(view: BrainsView, app: LocalLensApp, notes: Path) -> None:
    for name in ("first", "second"):
        app.create_brain_from_folder(name=name, folder_path=notes)
    view.reload()
    assert view.selected == "second"
    find_button(view.widget, "first").click()
    assert view.selected == "first"
    find_button(view.widget, "second").click()
    assert view.selected == "second"


def test_names_paths_and_reasons_come_as_text(view: BrainsView, app: LocalLensApp, tmp_path: Path) -> None:
    folder = tmp_path / HOSTILE
    folder.mkdir()
    (folder / f"{HOSTILE}.md").write_text("The goat sleeps.", encoding="utf-8")
    (folder / f"{HOSTILE}.png").write_bytes(b"\x89PNG")
    view.create(NewBrain(HOSTILE, folder))
    wait_until(has_brain(view, HOSTILE))
    find_button(view.widget, "Details").click()
    details = render_details(BrainState(app.get_brain(HOSTILE)), app.list_skipped_files(HOSTILE))
    for shown in (all_html(view.widget), details):
        assert "<img" not in shown
        assert "&lt;img src=x" in shown
    assert "unsupported file type .png" in details
    assert HOSTILE in describe_brain(app.get_brain(HOSTILE), action="Indexed")


def test_closing_while_indexing_leaves_no_thread(app: LocalLensApp, notes: Path, embedding: GatedEmbedding) -> None:
    before = set(threading.enumerate())
    view = BrainsView(app, executor=DaemonThreads())
    embedding.batches = 1
    view.create(NewBrain("notes", notes))
    wait_until(lambda: embedding.batches == 2)
    view.close()
    embedding.gate.set()
    wait_until(lambda: set(threading.enumerate()) <= before)
