"""Questions in a panel: streamed in a thread, stopped at once, never lost, and every error shown."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from locallens_nb.domain import Progress, ReportProgress
from locallens_nb.errors import ModelUnavailableError
from locallens_nb.locallens import LocalLensApp
from locallens_nb.models.ladder import LoadedChatModel
from locallens_nb.notebook.conversing import Conversing
from locallens_nb.notebook.jobs import DaemonThreads
from locallens_nb.settings import Settings
from tests.fakes import FakeModels, Script, ScriptedChatModel
from tests.panel_fakes import RecordingView, wait_until

QUESTION = "How many litres does the cistern hold?"
WORDS = ("The cistern ", "holds ", "4,000 ", "litres [1]. ")


@pytest.fixture
def view() -> RecordingView:
    return RecordingView()


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "water.md").write_text("The cistern holds 4,000 litres of water.\n", encoding="utf-8")
    return folder


Start = Callable[..., Conversing]


@pytest.fixture
def start(view: RecordingView, notes: Path, tmp_path: Path) -> Iterator[Start]:
    """Make a conversation over one small brain, with the models of the test."""
    made: list[Conversing] = []

    def start_conversing(models: FakeModels, changed: frozenset[str] = frozenset()) -> Conversing:
        app = LocalLensApp(Settings(home=tmp_path / "home"), models=models)
        if not app.list_brains():
            app.create_brain_from_folder(name="notes", folder_path=notes)
        conversing = Conversing(app, view, executor=DaemonThreads(), changed_files=lambda _: changed, on_change=lambda: None)
        made.append(conversing)
        return conversing

    yield start_conversing
    for conversing in made:
        conversing.close()


def models_that_write(*scripts: Script) -> FakeModels:
    return FakeModels(chat=ScriptedChatModel(*scripts))


def is_idle(conversing: Conversing) -> Callable[[], bool]:
    return lambda: not conversing.is_busy


def test_an_answer_shows_its_evidence_first_then_its_text_and_then_the_whole(start: Start, view: RecordingView) -> None:
    conversing = start(models_that_write(Script(WORDS)))
    conversing.ask(QUESTION, "notes")
    wait_until(is_idle(conversing))
    kinds = [call[0] for call in view.calls if call[0] not in {"status"}]
    assert kinds[:3] == ["question", "busy", "evidence"]
    assert kinds[-2:] == ["answer", "busy"]
    ((_, _, sources, note, copied),) = view.named("answer")
    assert view.text.strip() == "The cistern holds 4,000 litres [1]."
    assert "water.md" in str(sources)
    assert str(note).startswith("Written by scripted (fake).")
    assert str(copied).splitlines() == ["The cistern holds 4,000 litres [1].", "", "- [1] `water.md:1`"]
    assert view.named("busy") == [(True,), (False,)]


def test_a_stop_ends_the_answer_at_once_with_at_most_one_more_piece(start: Start, view: RecordingView) -> None:
    gate = threading.Event()
    models = models_that_write(Script(WORDS * 50, gate=gate), Script(WORDS))
    conversing = start(models)
    conversing.ask(QUESTION, "notes")
    wait_until(lambda: models.chat.generations != [])
    assert models.chat.generations[0].is_waiting.wait(10)
    before = time.monotonic()
    conversing.stop()
    assert view.named("busy")[-1] == (False,)
    conversing.ask("And how many litres does it hold now?", "notes")
    wait_until(lambda: len(view.named("answer")) >= 2 and not conversing.is_busy)
    assert time.monotonic() - before < 10
    first = models.chat.generations[0]
    assert first.is_stopped
    assert first.pieces_after_stop <= 1
    assert {turn.number: turn.answer.stopped for turn in conversing.turns if turn.answer} == {1: "person", 2: ""}
    assert view.named("error") == []


def test_a_question_that_is_asked_meanwhile_is_shown_and_answered_afterwards(start: Start, view: RecordingView) -> None:
    gate = threading.Event()
    models = models_that_write(Script(WORDS, gate=gate))
    conversing = start(models)
    conversing.ask(QUESTION, "notes")
    conversing.ask("How many litres of water are there?", "notes")
    assert view.named("question") == [(1, QUESTION), (2, "How many litres of water are there?")]
    assert ("1 question will be answered after this one.",) in view.named("status")
    wait_until(lambda: models.chat.generations != [])
    assert len(models.chat.requests) == 1
    gate.set()
    wait_until(is_idle(conversing))
    assert [number for number, *_ in view.named("answer")] == [1, 2]


def test_a_model_that_fails_leaves_what_it_wrote_and_says_why(start: Start, view: RecordingView) -> None:
    models = models_that_write(Script(WORDS, fails_with=RuntimeError("the device went away")), Script(WORDS))
    conversing = start(models)
    conversing.ask(QUESTION, "notes")
    wait_until(is_idle(conversing))
    ((_, html, *_),) = view.named("answer")
    assert "4,000" in str(html)
    ((number, message),) = view.named("error")
    assert number == 1
    assert "the device went away" in str(message)
    conversing.ask(QUESTION, "notes")
    wait_until(lambda: len(view.named("answer")) == 2)


class NoModels(FakeModels):
    def chat_model(self, *, on_progress: ReportProgress | None = None) -> LoadedChatModel:
        raise ModelUnavailableError("No chat model fits <b>here</b>.", hint="Free some memory.")


def test_an_answer_without_a_model_says_what_is_missing(start: Start, view: RecordingView) -> None:
    conversing = start(NoModels())
    conversing.ask(QUESTION, "notes")
    wait_until(is_idle(conversing))
    assert [message for _, message in view.named("error")] == ["No chat model fits <b>here</b>. Free some memory."]


def test_a_question_without_a_brain_is_kept_and_says_what_to_do(start: Start, view: RecordingView) -> None:
    conversing = start(FakeModels())
    conversing.ask(QUESTION, "")
    wait_until(is_idle(conversing))
    assert view.named("question") == [(1, QUESTION)]
    ((_, message),) = view.named("error")
    assert str(message).startswith("No brain was chosen. Brains here: notes.")


class BrokenModels(FakeModels):
    def chat_model(self, *, on_progress: ReportProgress | None = None) -> LoadedChatModel:
        raise ZeroDivisionError("nobody expected this")


def test_an_error_that_nobody_expected_is_shown_too(start: Start, view: RecordingView) -> None:
    conversing = start(BrokenModels())
    conversing.ask(QUESTION, "notes")
    wait_until(is_idle(conversing))
    assert "ZeroDivisionError: nobody expected this" in str(view.named("error")[0][1])


def test_an_answer_that_cannot_be_shown_says_so_and_the_next_question_is_answered(
    start: Start, view: RecordingView, monkeypatch: pytest.MonkeyPatch
) -> None:
    show_answer = view.show_answer

    def fail_once(*_: object) -> None:
        monkeypatch.setattr(view, "show_answer", show_answer)
        raise ZeroDivisionError("nobody expected this")

    monkeypatch.setattr(view, "show_answer", fail_once)
    conversing = start(models_that_write(Script(WORDS)))
    conversing.ask(QUESTION, "notes")
    wait_until(is_idle(conversing))
    assert "ZeroDivisionError: nobody expected this" in str(view.named("error")[0][1])
    conversing.ask(QUESTION, "notes")
    wait_until(is_idle(conversing))
    assert [number for number, *_ in view.named("answer")] == [2]


class SlowModels(FakeModels):
    """Loads until it is told that it is done, and reports how far it is."""

    loaded = threading.Event()

    def chat_model(self, *, on_progress: ReportProgress | None = None) -> LoadedChatModel:
        for done in range(1000):
            if on_progress is not None:
                on_progress(Progress("fetching", done, 1000, "big-model"))
            if self.loaded.wait(0.01):
                break
        return super().chat_model(on_progress=on_progress)


def test_the_wait_for_a_model_is_told_in_percent_and_seconds_and_can_be_stopped(start: Start, view: RecordingView) -> None:
    models = SlowModels(chat=ScriptedChatModel(Script(WORDS)))
    models.loaded.clear()
    conversing = start(models)
    conversing.ask(QUESTION, "notes")
    wait_until(lambda: any("Fetching big-model …" in str(text) and " % of " in str(text) for (text,) in view.named("status")))
    conversing.stop()
    assert view.named("answer") == [(1, "", "", "Stopped before its end.", "")]
    models.loaded.set()
    conversing.ask(QUESTION, "notes")
    wait_until(is_idle(conversing))
    assert [(number, bool(shown)) for number, shown, *_ in view.named("answer")] == [(1, False), (2, True)]
    assert len(models.chat.requests) == 1


def test_two_thousand_pieces_are_at_most_twenty_messages_a_second(start: Start, view: RecordingView) -> None:
    words = [word for number in range(250) for word in f"The cistern of house number{number} holds 4,000 litres.".split(" ")]
    conversing = start(models_that_write(Script([f"{word} " for word in words])))
    started = time.monotonic()
    conversing.ask(QUESTION, "notes")
    wait_until(is_idle(conversing))
    seconds = time.monotonic() - started
    assert view.text.split()[: len(words)] == words
    assert len(view.calls) <= 10 + 20 * seconds
    assert sum(len(str(call)) for call in view.calls) < 1_000_000


def test_closing_ends_the_answer_and_leaves_no_thread(start: Start, view: RecordingView) -> None:
    before = set(threading.enumerate())
    models = models_that_write(Script(WORDS * 50, gate=threading.Event()))
    conversing = start(models)
    conversing.ask(QUESTION, "notes")
    wait_until(lambda: models.chat.generations != [])
    conversing.close()
    view.close()
    wait_until(lambda: set(threading.enumerate()) <= before)
    assert models.chat.generations[0].is_stopped


def test_sources_are_marked_when_their_file_changes_afterwards_and_only_then(start: Start, view: RecordingView) -> None:
    conversing = start(models_that_write(Script(WORDS)))
    conversing.ask(QUESTION, "notes")
    wait_until(is_idle(conversing))
    conversing.show_changed_files("notes", frozenset({"other.md"}))
    assert len(view.named("answer")) == 1
    for _ in range(2):
        conversing.show_changed_files("notes", frozenset({"water.md"}))
    assert len(view.named("answer")) == 2
    assert "changed since it was indexed" in str(view.named("answer")[-1][2])


def test_a_question_may_go_on_from_the_one_before_and_says_how_it_was_understood(start: Start, view: RecordingView) -> None:
    models = models_that_write(Script(WORDS))
    conversing = start(models)
    conversing.ask(QUESTION, "notes")
    conversing.ask("And why?", "notes")
    wait_until(is_idle(conversing))
    assert "Understood as: " in str(view.named("answer")[1][3])
    conversing.clear()
    conversing.ask("And why?", "notes")
    wait_until(is_idle(conversing))
    assert "Understood as: " not in str(view.named("answer")[2][3])


def test_a_new_conversation_takes_all_turns_away(start: Start, view: RecordingView) -> None:
    conversing = start(models_that_write(Script(WORDS, gate=threading.Event())))
    conversing.ask(QUESTION, "notes")
    conversing.ask(QUESTION, "notes")
    conversing.clear()
    assert conversing.turns == []
    assert not conversing.is_busy
    assert view.calls[-2:] == [("clear",), ("status", "")]
