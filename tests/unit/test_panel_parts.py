"""The parts of a panel by themselves: files, folders, names, footnotes, and what a person is told while waiting."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from locallens_nb.domain import ChatAnswer, Citation, Progress, Timings
from locallens_nb.errors import FolderError
from locallens_nb.notebook.conversing import Turn, describe_answer
from locallens_nb.notebook.folder_chooser import FolderChooser
from locallens_nb.notebook.session import Session
from locallens_nb.notebook.transcript import add_footnotes, render_conversation, save_conversation, transcript_bundle
from locallens_nb.notebook.waiting import IndexingProgress, describe_progress, describe_seconds
from locallens_nb.settings import Settings
from locallens_nb.uploads import is_upload, remove_uploads, safe_file_name, save_uploads
from tests.panel_fakes import all_widgets, find_button

MOMENT = datetime(2031, 5, 2, 14, 30, tzinfo=UTC)


def cite(number: int, path: str) -> Citation:
    return Citation(number, f"id-{number}", path, 0, 0.6, 1, 3, "The price is BRL 60.")


ANSWER = ChatAnswer(
    answer="A night costs BRL 60 [1]. `row[1]` is code. It costs $5, later $10 [2].",
    citations=(cite(1, "handbook.md"), cite(2, "prices_2031.md")),
    model="scripted",
    fallback_reason="",
    stopped="",
    timings=Timings(0.0, 0.1, 0.2, 3.4),
    question="What does a night cost?",
)
TURN = Turn(1, "What does a night cost?", "station", answer=ANSWER)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("notes.md", "notes.md"),
        ("../../etc/passwd", "passwd"),
        (r"C:\Users\me\a.txt", "a.txt"),
        ("/absolute.md", "absolute.md"),
        ("..", "file"),
        ("", "file"),
        (".hidden", "hidden"),
        ("con.txt", "file-con.txt"),
        ("a\x00b\u202e.md", "ab.md"),
        ("<b>.md", "_b_.md"),
        ("日本é.md", "日本é.md"),
        (f"{'x' * 300}.md", f"{'x' * 180}.md"),
        (f"{'漢' * 85}.md", f"{'漢' * 60}.md"),
        (f"a.{'x' * 300}", f"a.{'x' * 20}"),
        (f"{'abc' * 100}", f"{'abc' * 60}"),
    ],
)
def test_a_name_from_the_browser_becomes_a_plain_file_name(name: str, kept: str) -> None:
    assert safe_file_name(name) == kept


def test_uploads_never_overwrite_each_other_or_an_earlier_folder(tmp_path: Path) -> None:
    files = [("a.md", b"first"), ("x/A.md", b"second"), ("README", b"third"), ("README", b"fourth")]
    first = save_uploads(tmp_path, "my files", files)
    second = save_uploads(tmp_path, "my files", [("a.md", b"other")])
    assert sorted(file.name for file in first.iterdir()) == ["A (2).md", "README", "README (2)", "a.md"]
    assert (first / "a.md").read_bytes() == b"first"
    assert second.name == "my files-2"
    assert is_upload(tmp_path, second)


def test_long_names_in_any_writing_can_be_kept(tmp_path: Path) -> None:
    folder = save_uploads(tmp_path, "漢" * 200, [(f"{'漢' * 120}.md", b"first"), (f"{'漢' * 120}.md", b"second")])
    assert sorted(file.read_bytes() for file in folder.iterdir()) == [b"first", b"second"]


def test_only_folders_of_uploads_are_ever_removed(tmp_path: Path) -> None:
    own = tmp_path / "notes"
    own.mkdir()
    uploaded = save_uploads(tmp_path, "x", [("a.md", b"text")])
    assert not remove_uploads(tmp_path, own)
    assert not remove_uploads(tmp_path, tmp_path / "uploads")
    assert own.is_dir()
    assert remove_uploads(tmp_path, uploaded)
    assert not uploaded.exists()


def test_no_upload_at_all_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="No file was chosen"):
        save_uploads(tmp_path, "x", [])


def test_a_folder_is_chosen_by_clicks_alone(tmp_path: Path) -> None:
    (tmp_path / "outer" / "inner").mkdir(parents=True)
    (tmp_path / ".hidden").mkdir()
    told: list[Path] = []
    chooser = FolderChooser(tmp_path)
    chooser.on_change(told.append)
    (folders,) = [one for one in all_widgets(chooser.widget) if type(one).__name__ == "Select"]
    assert folders.options == ("outer",)
    folders.index = 0
    assert chooser.folder == tmp_path / "outer"
    find_button(chooser.widget, "Open folder").click()
    assert folders.options == ("inner",)
    assert folders.index is None
    folders.index = 0
    assert chooser.folder == tmp_path / "outer" / "inner"
    find_button(chooser.widget, "Up").click()
    assert chooser.folder == tmp_path
    assert told == [tmp_path / "outer", tmp_path / "outer" / "inner", tmp_path]


def test_a_folder_that_cannot_be_read_is_said_to_be_so(tmp_path: Path) -> None:
    chooser = FolderChooser(tmp_path / "nowhere")
    (note,) = [one for one in all_widgets(chooser.widget) if type(one).__name__ == "HTML"]
    assert "This folder cannot be read." in note.value


def test_a_path_may_be_typed_from_the_working_folder_or_name_the_home_of_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path)
    chooser = FolderChooser()
    (path,) = [one for one in all_widgets(chooser.widget) if type(one).__name__ == "Text"]
    (note,) = [one for one in all_widgets(chooser.widget) if type(one).__name__ == "HTML"]
    path.value = "~nobody-of-this-name/docs"
    assert "This folder cannot be read." in note.value
    path.value = "docs"
    find_button(chooser.widget, "Up").click()
    assert chooser.folder == tmp_path
    find_button(chooser.widget, "Up").click()
    assert chooser.folder == tmp_path.parent


def test_every_control_of_the_chooser_has_a_label(tmp_path: Path) -> None:
    for one in all_widgets(FolderChooser(tmp_path).widget):
        if type(one).__name__ in {"Button", "Text", "Select"}:
            assert one.description
            assert one.tooltip


@pytest.mark.parametrize(
    ("progress", "text"),
    [
        (Progress("fetching", 310, 500, "qwen"), "Fetching qwen … 62 % of 500 bytes"),
        (Progress("loading", 0, 0, "qwen"), "Loading qwen"),
        (Progress("answering", 0, 0, "from 5 excerpts"), "Reading 5 excerpts"),
    ],
)
def test_what_is_waited_for_is_said(progress: Progress, text: str) -> None:
    assert describe_progress(progress) == text


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0 s"), (59, "59 s"), (61, "1 min 01 s"), (7260, "2 h 01 min")])
def test_a_length_of_time_is_said(seconds: float, text: str) -> None:
    assert describe_seconds(seconds) == text


def test_indexing_names_the_file_then_the_speed_and_the_time_left() -> None:
    now = 100.0
    progress = IndexingProgress(clock=lambda: now)
    assert (progress.describe(), progress.share) == ("Starting …", None)
    progress.report(Progress("chunking", 3, 12, "notes/a.md"))
    assert (progress.describe(), progress.share) == ("Cutting into chunks: 3 of 12 files · notes/a.md", 0.25)
    progress.report(Progress("embedding", 0, 640, "notes/b.md"))
    assert progress.describe() == "Embedding: 0 of 640 chunks · notes/b.md"
    now = 104.0
    progress.report(Progress("embedding", 128, 640, "notes/a.md"))
    assert progress.describe() == "Embedding: 128 of 640 chunks · 32 chunks/s · about 16 s left · notes/a.md"
    now = 108.0
    assert progress.describe() == "Embedding: 128 of 640 chunks · 32 chunks/s · about 12 s left · notes/a.md"


def test_an_answer_to_copy_has_its_sources_under_it_and_two_prices_are_no_formula() -> None:
    head, notes = add_footnotes(ANSWER).split("\n\n")
    assert head == ("A night costs BRL 60 [1]. `row[1]` is code. It costs <span>&#36;</span>5, later <span>&#36;</span>10 [2].")
    assert notes.splitlines() == ["- [1] `handbook.md:1-3`", "- [2] `prices_2031.md:1-3`"]
    assert add_footnotes(replace(ANSWER, answer="It costs $5.", citations=())) == "It costs $5."


def test_a_file_name_that_would_end_its_code_is_escaped() -> None:
    answer = replace(ANSWER, answer="Yes [1].", citations=(cite(1, "a`<img src=x>.md"),))
    assert add_footnotes(answer).splitlines()[-1] == r"- [1] a\`\<img src=x\>.md:1\-3"


def test_a_conversation_is_saved_to_a_new_file_each_time(tmp_path: Path) -> None:
    first = save_conversation([TURN], tmp_path, moment=MOMENT)
    second = save_conversation([TURN], tmp_path, moment=MOMENT)
    assert [first.name, second.name] == ["locallens-2031-05-02-143000.md", "locallens-2031-05-02-143000-2.md"]
    text = first.read_text(encoding="utf-8")
    assert text == second.read_text(encoding="utf-8")
    assert "## What does a night cost?" in text
    assert "- [1] `handbook.md:1-3`" in text


def test_what_stays_in_the_notebook_is_inert_and_holds_question_answer_and_sources() -> None:
    hostile = "<script>alert(1)</script>"
    turn = replace(TURN, question=hostile, answer=replace(ANSWER, answer=f"{hostile} ![x](http://a/b.png) [1]"), error=hostile)
    bundle = transcript_bundle([turn], panel_id="p1")
    assert set(bundle) == {"text/html", "text/plain"}
    assert 'data-panel="p1"' in bundle["text/html"]
    assert "<script" not in bundle["text/html"]
    assert "<img" not in bundle["text/html"]
    assert "handbook.md" in bundle["text/html"]
    assert re.findall(r"(?<!\\)<(?!sub|/sub)", render_conversation([turn])) == []


def test_the_note_under_an_answer_says_who_wrote_it_and_why_not_another() -> None:
    answer = replace(ANSWER, fallback_reason="Qwen3-1.7B does not fit in memory.", stopped="length")
    assert describe_answer(answer) == (
        "Cut off: the answer reached its greatest length. Written by scripted. Qwen3-1.7B does not fit in memory. In 3 s."
    )


def test_one_process_has_one_workflow_and_a_new_home_keeps_the_models(tmp_path: Path) -> None:
    session = Session()
    settings = Settings(home=tmp_path / "a")
    app = session.app(settings)
    assert session.app() is app
    assert session.app(Settings(home=tmp_path / "a")) is app
    moved = session.app(Settings(home=tmp_path / "b"))
    assert moved is not app
    assert moved._models is app._models
    assert session.app(Settings(home=tmp_path / "b", strictness="strict"))._models is app._models
    other = session.app(Settings(home=tmp_path / "b", chat_model="quotes"))
    assert other._models is not app._models


class Shown:
    def __init__(self) -> None:
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


def test_a_cell_that_runs_again_closes_what_it_showed_before_and_nothing_else() -> None:
    session = Session()
    first, second, elsewhere, again = Shown(), Shown(), Shown(), Shown()
    session.show_in_cell(first, cell_id="a", run_id="1")
    session.show_in_cell(second, cell_id="a", run_id="1")
    session.show_in_cell(elsewhere, cell_id="b", run_id="2")
    assert [shown.closed for shown in (first, second, elsewhere)] == [0, 0, 0]
    session.show_in_cell(again, cell_id="a", run_id="3")
    assert [shown.closed for shown in (first, second, elsewhere, again)] == [1, 1, 0, 0]
    session.forget(again)
    session.show_in_cell(Shown(), cell_id="a", run_id="4")
    assert again.closed == 0
