"""The ``locallens`` command as a process of its own, with the bundled embedding model and no language model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from locallens_nb.locallens import LocalLensApp
from locallens_nb.settings import Settings
from tests.fakes import FakeModels

LIMIT_SECONDS = 120
COMMAND = [sys.executable, "-m", "locallens_nb.cli"]

# Signals are switched on, since a test run in the background, or under nohup, hands on that they are ignored.
STUCK_PROGRAM = """
import signal, sys, threading
from locallens_nb import cli
from locallens_nb.locallens import LocalLensApp
from tests.fakes import FakeModels, Script, ScriptedChatModel
signal.signal(signal.SIGINT, signal.default_int_handler)
for name in {"SIGTERM", "SIGHUP"} & set(dir(signal)):
    signal.signal(getattr(signal, name), signal.SIG_DFL)
stuck = Script(("Half an ", "answer."), gate=threading.Event())
models = FakeModels(chat=ScriptedChatModel(stuck))
sys.exit(cli.main(sys.argv[1:], make_app=lambda settings: LocalLensApp(settings, models=models)))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "cook.md").write_text("The cook of the station is called Amelia.\n", encoding="utf-8")
    (folder / "boats.md").write_text("As embarcações saem às seis — sempre.\n", encoding="utf-8")
    return folder


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=LIMIT_SECONDS,
        check=False,
    )


@contextmanager
def answering(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a process that asks the folder "notes" one question, up to the middle of the answer."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "LOCALLENS_STRICTNESS": "off"}
    with subprocess.Popen(
        [sys.executable, "-c", STUCK_PROGRAM, "ask", "notes", "Who?", "--home", "home"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            shown = iter(process.stdout.readline, "")
            assert next(line for line in shown if line == "\n")  # under the quotations
            assert process.stdout.read(len("Half")) == "Half"
            yield process
        finally:
            process.kill()


def list_brain_names(home: Path) -> list[str]:
    return [brain.name for brain in LocalLensApp(Settings(home=home)).list_brains()]


def test_one_question_to_a_folder_prints_one_object_and_leaves_no_brain(folder, tmp_path):
    result = run(
        "ask", "notes", "Who is the cook?", "--chat-model", "quotes", "--offline", "--json", "--home", "home", cwd=tmp_path
    )
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    assert result.stdout.count("\n") == 1
    assert answer["answer"] == "- The cook of the station is called Amelia. [1]"
    assert [citation["relative_path"] for citation in answer["citations"]] == ["cook.md"]
    assert [citation["content"] for citation in answer["also_read"]] == ["As embarcações saem às seis — sempre."]
    assert answer["model"] == "quotes"
    assert (tmp_path / "home" / "store.sqlite3").is_file()
    assert list_brain_names(tmp_path / "home") == []


def test_after_an_error_the_brain_of_one_question_is_gone_and_the_status_is_1(folder, tmp_path):
    options = ("--chat-model", "no/model", "--offline", "--json", "--home", "home")
    result = run("ask", "notes", "Who is the cook?", *options, cwd=tmp_path)
    assert result.returncode == 1
    assert json.loads(result.stdout)["error"]["type"] == "ModelUnavailableError"
    assert "Traceback" not in result.stderr
    assert (tmp_path / "home" / "store.sqlite3").is_file()
    assert list_brain_names(tmp_path / "home") == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize(
    ("signal_name", "status", "is_told"), [("SIGINT", 130, True), ("SIGTERM", 143, False), ("SIGHUP", 129, False)]
)
@pytest.mark.usefixtures("folder")
def test_ctrl_c_and_a_closed_terminal_end_an_answer_and_remove_its_brain_without_a_traceback(
    tmp_path, signal_name, status, is_told
):
    with answering(tmp_path) as process:
        assert len(list_brain_names(tmp_path / "home")) == 1
        process.send_signal(getattr(signal, signal_name))
        out, err = process.communicate(timeout=LIMIT_SECONDS)
    assert process.returncode == status
    assert out == "\n"
    assert (err.splitlines()[-1] == "locallens: stopped.") is is_told
    assert "Traceback" not in err
    assert list_brain_names(tmp_path / "home") == []


def test_the_brain_of_a_killed_question_goes_with_the_next_change_and_that_of_a_living_one_stays(folder, tmp_path):
    app = LocalLensApp(Settings(home=tmp_path / "home"), models=FakeModels())
    with answering(tmp_path) as killed:
        (left,) = list_brain_names(tmp_path / "home")
        killed.kill()
        killed.wait(LIMIT_SECONDS)
        assert list_brain_names(tmp_path / "home") == [left]
    with answering(tmp_path):
        (living,) = list_brain_names(tmp_path / "home")
        assert living != left
        with app.temporary_brain(folder) as brain:
            assert set(list_brain_names(tmp_path / "home")) == {living, brain.name}
        app.create_brain_from_folder(name="notes", folder_path=folder)
        assert list_brain_names(tmp_path / "home") == ["notes", living]
    app.refresh_brain("notes")
    assert list_brain_names(tmp_path / "home") == ["notes"]
    assert list((tmp_path / "home" / "temporary").iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="a closed pipe is another error on Windows")
def test_a_reader_that_goes_away_is_no_error_message(tmp_path):
    with subprocess.Popen(
        [*COMMAND, "models"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""
        assert process.wait(LIMIT_SECONDS) == 141


def test_wrong_arguments_have_a_status_of_their_own(tmp_path):
    result = run("ask", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-1] == "locallens ask: error: the following arguments are required: QUESTION"
