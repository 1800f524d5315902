"""The panel as a whole, without a front end: what it is made of, what it shares, and what it leaves behind."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ipywidgets
import pytest
from ipywidgets.widgets.widget import _instances

import locallens_nb
from locallens_nb.errors import BrainNotFoundError
from locallens_nb.locallens import LocalLensApp
from locallens_nb.notebook.brain_form import NewBrain
from locallens_nb.notebook.panel import Panel
from locallens_nb.search.index import FloatArray
from locallens_nb.settings import Settings
from tests.fakes import FakeEmbeddingModel, FakeModels, Script, ScriptedChatModel
from tests.panel_fakes import RecordingView, all_texts, all_widgets, find_button, wait_until

QUESTION = "How many litres does the cistern hold?"


@pytest.fixture
def models() -> FakeModels:
    return FakeModels(chat=ScriptedChatModel(Script(("The cistern holds ", "4,000 litres [1]."))))


@pytest.fixture
def app(tmp_path: Path, models: FakeModels) -> LocalLensApp:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "water.md").write_text("The cistern holds 4,000 litres of water.\n", encoding="utf-8")
    app = LocalLensApp(Settings(home=tmp_path / "home"), models=models)
    app.create_brain_from_folder(name="notes", folder_path=folder)
    return app


@pytest.fixture
def view() -> RecordingView:
    return RecordingView()


@pytest.fixture
def panel(app: LocalLensApp, view: RecordingView) -> Iterator[Panel]:
    panel = Panel(app, view=view)
    yield panel
    panel.close()


def test_a_question_from_the_view_goes_to_the_selected_brain_and_its_answer_comes_back(
    panel: Panel, view: RecordingView
) -> None:
    view.send(QUESTION)
    wait_until(lambda: view.named("answer") != [])
    assert "4,000 litres" in str(view.named("answer")[0][1])
    assert "water.md" in str(view.named("answer")[0][2])


class GatedEmbedding(FakeEmbeddingModel):
    """Embeds what is about the goat when its gate is open, and all else at any time."""

    gate = threading.Event()

    def embed_documents(self, texts: Sequence[str]) -> FloatArray:
        assert not any("goat" in text for text in texts) or self.gate.wait(20)
        return super().embed_documents(texts)


def test_a_brain_answers_while_another_one_is_being_indexed(
    panel: Panel, view: RecordingView, models: FakeModels, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "goat.md").write_text("The goat of the station sleeps.", encoding="utf-8")
    models.embedding = [GatedEmbedding()]
    panel._brains.create(NewBrain("other", tmp_path / "other"))
    wait_until(lambda: "Embedding: 0 of 1 chunks" in all_texts(panel.widget))
    view.send(QUESTION)
    wait_until(lambda: view.named("answer") != [])
    assert "4,000 litres" in str(view.named("answer")[0][1])
    assert panel._brains.states[0].brain.name == "notes"
    GatedEmbedding.gate.set()
    wait_until(lambda: [state.brain.name for state in panel._brains.states] == ["notes", "other"])


def test_an_executor_of_ones_own_with_a_single_thread_does_all_the_work(app: LocalLensApp, view: RecordingView) -> None:
    with ThreadPoolExecutor(max_workers=1) as executor:
        panel = Panel(app, executor=executor, view=view)
        for _ in range(2):
            view.send(QUESTION)
        wait_until(lambda: len(view.named("answer")) == 2)
        panel.close()


def test_two_panels_and_the_magic_share_one_workflow() -> None:
    first, second = locallens_nb.panel(), locallens_nb.panel()
    try:
        assert first._conversing._app is second._conversing._app
    finally:
        first.close()
        second.close()


def test_closing_leaves_no_thread_and_no_widget(app: LocalLensApp, models: FakeModels) -> None:
    threads, widgets = set(threading.enumerate()), set(_instances)
    models.chat._scripts = (Script(("The cistern holds ", "4,000 litres. ") * 50, gate=threading.Event()),)
    panel = Panel(app, view=RecordingView())
    find_button(panel.widget, "Details").click()
    panel.ask(QUESTION)
    wait_until(lambda: models.chat.generations != [])
    panel.close()
    panel.close()
    wait_until(lambda: set(threading.enumerate()) <= threads)
    assert set(_instances) - widgets == set()
    assert models.chat.generations[0].is_stopped


def test_closing_the_panel_with_its_real_view_leaves_no_widget(app: LocalLensApp) -> None:
    before = set(_instances)
    panel = Panel(app)
    assert set(_instances) > before
    panel.close()
    assert set(_instances) - before == set()


def test_a_brain_that_does_not_exist_is_refused_at_once(app: LocalLensApp) -> None:
    with pytest.raises(BrainNotFoundError, match="No brain is called 'nobody'"):
        locallens_nb.panel(app, brain="nobody")


def test_the_conversation_is_saved_beside_the_notebook_and_its_name_is_shown(
    panel: Panel, view: RecordingView, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    find_button(panel.widget, "Save conversation").click()
    assert "There is no conversation to save yet." in all_texts(panel.widget)
    view.send(QUESTION)
    wait_until(lambda: view.named("answer") != [])
    find_button(panel.widget, "Save conversation").click()
    (file,) = tmp_path.glob("locallens-*.md")
    assert f"Saved as {file.name}, beside the notebook." in all_texts(panel.widget)
    assert "4,000 litres" in file.read_text(encoding="utf-8")


def test_an_error_in_a_click_is_shown_as_text(panel: Panel, view: RecordingView, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise PermissionError("<b>not here</b>")

    view.send(QUESTION)
    wait_until(lambda: view.named("answer") != [])
    monkeypatch.setattr("locallens_nb.notebook.panel.save_conversation", fail)
    find_button(panel.widget, "Save conversation").click()
    assert "That did not work (PermissionError: <b>not here</b>)." in all_texts(panel.widget)


def test_a_new_conversation_begins_empty(panel: Panel, view: RecordingView) -> None:
    view.send(QUESTION)
    wait_until(lambda: view.named("answer") != [])
    find_button(panel.widget, "New conversation").click()
    assert ("clear",) in view.calls
    assert panel._conversing.turns == []


def test_every_control_says_what_it_does(panel: Panel) -> None:
    find_button(panel.widget, "New brain").click()
    controls = [one for one in all_widgets(panel.widget) if isinstance(one, ipywidgets.Button | ipywidgets.Text)]
    assert len(controls) > 8
    assert [one for one in controls if not one.description or not one.tooltip] == []


def test_no_part_of_the_panel_uses_an_output_area_or_clears_one() -> None:
    folder = Path(locallens_nb.__file__).parent / "notebook"
    sources = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    assert [word for word in ("clear_output", "widgets.Output(", "append_stdout") if word in sources] == []
