"""The command line over a real store and scripted models: what is written where, and which exit status comes back."""

from __future__ import annotations

import errno
import io
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from locallens_nb import cli
from locallens_nb.domain import Progress
from locallens_nb.errors import GenerationError
from locallens_nb.locallens import LocalLensApp
from locallens_nb.models import catalogue
from locallens_nb.models.catalogue import ModelStatus
from locallens_nb.settings import Settings
from locallens_nb.terminal import LiveProgress, PlainProgress, clean, show_json
from tests.fakes import FakeModels, Script, ScriptedChatModel

ANSWERED = """\
Found in your files:
  “The boats leave at six.” [1] boats.md:1

The boats leave at six [1].

[1] boats.md:1  similarity 0.65
Also read: cook.md:1
Written by scripted (fake).
"""


@pytest.fixture
def models() -> FakeModels:
    return FakeModels()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "station"
    folder.mkdir()
    (folder / "boats.md").write_text("The boats leave at six.\n", encoding="utf-8")
    (folder / "cook.md").write_text("Amelia is the cook.\n", encoding="utf-8")
    (folder / "photo.bin").write_bytes(b"\0\1\2")
    return folder


@pytest.fixture
def run(tmp_path: Path, models: FakeModels) -> Callable[..., int]:
    def run_command(*arguments: str) -> int:
        make_app = lambda settings: LocalLensApp(settings, models=models)  # noqa: E731
        return cli.main([*arguments, "--home", str(tmp_path / "home")], make_app=make_app)

    return run_command


def list_brain_names(tmp_path: Path) -> list[str]:
    return [brain.name for brain in LocalLensApp(Settings(home=tmp_path / "home")).list_brains()]


def test_one_question_to_a_folder_shows_the_answer_its_sources_and_who_wrote_it_and_leaves_no_brain(
    run, folder, tmp_path, capsys
):
    assert run("ask", str(folder), "When do the boats leave?") == 0
    out, err = capsys.readouterr()
    assert out == ANSWERED
    assert err.splitlines()[0] == f"reading {folder}"
    assert list_brain_names(tmp_path) == []


def test_json_of_an_answer_has_the_promised_keys_first_and_is_all_of_standard_output(run, folder, models, capsys):
    models.fallback_reason = "Qwen/Qwen3-1.7B is not in the local cache (working offline)."
    assert run("ask", str(folder), "When do the boats leave?", "--top-k", "1", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    promised = ["answer", "citations", "model", "fallback_reason", "stopped", "timings"]
    assert list(answer) == [*promised, "also_read", "sentences", "quotes", "refusal", "standalone_question"]
    (citation,) = answer["citations"]
    assert list(citation) == ["number", "id", "relative_path", "chunk_index", "score", "start_line", "end_line", "content"]
    assert (answer["answer"], answer["model"], answer["stopped"]) == ("The boats leave at six [1].", "scripted (fake)", "")
    assert answer["fallback_reason"] == "Qwen/Qwen3-1.7B is not in the local cache (working offline)."
    assert (citation["number"], citation["relative_path"], citation["start_line"]) == (1, "boats.md", 1)


def test_the_reason_of_a_fallback_stands_under_the_line_of_the_model(run, folder, models, capsys):
    models.fallback_reason = "Qwen/Qwen3-1.7B needs more memory."
    assert run("ask", str(folder), "When do the boats leave?") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == ["Written by scripted (fake).", "Qwen/Qwen3-1.7B needs more memory."]


@pytest.mark.parametrize(
    ("script", "line"),
    [
        (Script(("again and again. ",) * 60), "Cut off: the model began to repeat itself."),
        (Script(("Long.",), reached_limit=True), "Cut off: the answer reached its greatest length."),
    ],
)
def test_an_answer_that_was_cut_short_says_why(run, folder, models, capsys, *, script, line):
    models.chat = ScriptedChatModel(script)
    assert run("ask", str(folder), "When?") == 0
    assert capsys.readouterr().out.splitlines()[-2] == line


def test_sentences_in_doubt_are_listed_under_the_answer(run, folder, models, capsys):
    models.chat = ScriptedChatModel(Script(("The boats leave at six. The boats leave at 7 [1]. Yes.",)))
    assert run("ask", str(folder), "When do the boats leave?") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if "this:" in line] == [
        "No excerpt says this: The boats leave at 7.",
        "The excerpts say only part of this: Yes.",
    ]


def test_an_answer_without_text_says_that_there_is_none(run, folder, models, capsys):
    models.chat = ScriptedChatModel(Script(()))
    assert run("ask", str(folder), "When?") == 0
    assert "The model wrote no answer." in capsys.readouterr().out.splitlines()


def test_a_model_that_fails_while_it_writes_leaves_no_brain_and_exits_with_1(run, folder, tmp_path, models, capsys):
    models.chat = ScriptedChatModel(Script(("Half an ",), fails_with=GenerationError("It broke.", hint="Ask again.")))
    assert run("ask", str(folder), "When?") == 1
    out, err = capsys.readouterr()
    assert out.splitlines()[-1] == "Half an"
    assert err.splitlines()[-1] == "locallens: It broke. Ask again."
    assert list_brain_names(tmp_path) == []


def test_ctrl_c_while_a_model_writes_leaves_no_brain_and_exits_with_130(run, folder, tmp_path, models, capsys):
    models.chat = ScriptedChatModel(Script(("Half an ",), fails_with=KeyboardInterrupt()))
    assert run("ask", str(folder), "When?", "--json") == 130
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1] == "locallens: stopped."
    assert models.chat.generations[0].is_stopped
    assert list_brain_names(tmp_path) == []


def test_an_error_with_json_is_one_object_and_a_line(run, capsys):
    assert run("search", "boats", "--brain", "nope", "--json") == 1
    out, err = capsys.readouterr()
    message, hint = "No brain is called 'nope'. Brains here: none yet.", "Index a folder first."
    assert json.loads(out) == {"error": {"type": "BrainNotFoundError", "message": message, "hint": hint}}
    assert err == f"locallens: {message} {hint}\n"


def test_an_error_that_nobody_expected_is_one_line_and_a_traceback_only_for_debugging(tmp_path, monkeypatch, capsys):
    def make_app(settings: Settings) -> LocalLensApp:
        raise ZeroDivisionError("a\nb")

    expected = (
        "locallens: unexpected ZeroDivisionError: a b. "
        "This is a bug in LocalLens: please report it. LOCALLENS_DEBUG=1 shows where it happened.\n"
    )
    assert cli.main(["brains"], make_app=make_app) == 1
    assert capsys.readouterr().err == expected
    monkeypatch.setenv("LOCALLENS_DEBUG", "1")
    assert cli.main(["brains"], make_app=make_app) == 1
    err = capsys.readouterr().err
    assert err.startswith(f"{expected}Traceback (most recent call last):\n")


def test_what_the_system_refuses_is_not_called_a_bug(capsys):
    def make_app(settings: Settings) -> LocalLensApp:
        raise OSError(errno.ENOSPC, "No space left on device")

    assert cli.main(["brains", "--json"], make_app=make_app) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["error"]["type"] == "OSError"
    assert err == "locallens: [Errno 28] No space left on device. Check the disk and the permissions.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize(
    "command",
    [
        *("ask FOLDER When?", "ask --brain notes When? --json", "search --brain notes boats --json", "brains --json"),
        *("index FOLDER --name new --json", "refresh notes --json", "export notes notes.json --json", "delete notes --json"),
        *("import notes.json --json", "models --json", "models fetch NAME --json", "doctor --json"),
        "eval notes questions.jsonl --json",
    ],
)
def test_a_full_disk_under_the_output_is_one_line_and_a_failure(run, folder, monkeypatch, capsys, command):
    tmp_path = folder.parent
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(catalogue, "fetch_model", lambda *_, **__: tmp_path)
    monkeypatch.setattr("locallens_nb.doctor.diagnose", lambda _: [])
    run("index", str(folder), "--name", "notes")
    run("export", "notes", "notes.json")
    if "import" in command:
        run("delete", "notes")
    (tmp_path / "questions.jsonl").write_text('{"question": "When?", "answer": "six"}\n', encoding="utf-8")
    capsys.readouterr()
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert run(*command.replace("FOLDER", str(folder)).split()) == 1
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("locallens:")]
    assert told == ["locallens: [Errno 28] No space left on device. Check the disk and the permissions."]


def test_a_closed_output_is_one_line_and_a_failure_and_a_closed_error_output_is_none(run, monkeypatch, capsys):
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", None)
        assert run("brains", "--json") == 1
    told = "locallens: Standard output is closed. Direct it to a file, or to the null device.\n"
    assert capsys.readouterr() == ("", told)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", None)
        assert run("brains", "--json") == 0
        assert run("delete", "notes", "--json") == 1
    assert capsys.readouterr().out.startswith('[]\n{"error"')


def test_a_variable_that_cannot_be_used_is_an_error_and_no_traceback(monkeypatch, capsys):
    monkeypatch.setenv("LOCALLENS_PRECISION", "int3")
    assert cli.main(["brains"]) == 1
    assert capsys.readouterr().err.startswith("locallens: Precision 'int3' is unknown. Use one of: auto, nf4")


@pytest.mark.parametrize(
    "arguments",
    [
        ["ask"],
        ["ask", "folder", "question", "too much"],
        ["ask", "folder", "question", "--brain", "notes"],
        ["ask", "question", "--top-k", "0"],
        ["ask", "question", "--precision", "int3"],
        ["ask", "question", "--strictness", "very"],
        ["brains", "--wrong"],
        ["--wrong"],
        ["nothing"],
    ],
)
def test_wrong_arguments_exit_with_2_and_leave_standard_output_empty(capsys, arguments):
    assert cli.main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "locallens" in err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--top-k", "many"], "argument --top-k: must be a whole number, 1 or more, not 'many'"),
        (["--strictness", "very"], "argument --strictness: must be off, lenient, balanced, strict, or a number, not 'very'"),
    ],
)
def test_a_value_that_cannot_be_used_is_told_with_what_can(capsys, arguments, complaint):
    assert cli.main(["ask", "question", *arguments]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"locallens ask: error: {complaint}"


def test_an_empty_name_is_not_replaced_by_that_of_the_folder(run, folder, capsys):
    assert run("index", str(folder), "--name", "") == 1
    assert "A brain needs a name." in capsys.readouterr().err


def test_the_bare_command_shows_help(capsys):
    assert cli.main([]) == 0
    out = capsys.readouterr().out
    commands = ("ask", "search", "index", "brains", "refresh", "delete", "eval", "export", "import", "models", "doctor")
    assert [command for command in commands if f"\n    {command} " not in out] == []


def test_an_option_may_stand_between_the_folder_and_the_question(run, folder, models):
    assert run("ask", str(folder), "--top-k", "1", "When?") == 0
    assert models.chat.requests[0].question == "When?"
    assert len(models.chat.requests[0].hits) == 1


def test_options_before_and_after_the_command_reach_the_settings(tmp_path, monkeypatch):
    monkeypatch.setenv("LOCALLENS_CHAT_MODEL", "from-variable")
    seen: list[Settings] = []

    def make_app(settings: Settings) -> LocalLensApp:
        seen.append(settings)
        return LocalLensApp(settings)

    options = ["--offline", "--chat-model", "quotes", "--embedding-model", "e", "--precision", "nf4", "--no-gitignore"]
    options += ["--strictness", "0.2"]
    cli.main(["--home", str(tmp_path / "a"), "ask", "q", "--top-k", "7", *options], make_app=make_app)
    cli.main(["ask", "q", "--home", str(tmp_path / "b")], make_app=make_app)
    first, second = seen
    assert (first.home, first.offline, first.chat_model, first.embedding_model) == (tmp_path / "a", True, "quotes", "e")
    assert (first.precision, first.top_k, first.respect_gitignore, first.strictness) == ("nf4", 7, False, 0.2)
    assert (second.home, second.chat_model, second.top_k, second.respect_gitignore) == (
        tmp_path / "b",
        "from-variable",
        5,
        True,
    )


def test_index_names_the_brain_after_the_folder_and_lists_what_was_skipped(run, folder, capsys):
    for number in range(6):
        (folder / f"x{number}.bin").write_bytes(b"\0")
    assert run("index", str(folder)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "Indexed 'station': 2 files, 2 chunks, fake-words.",
        "7 skipped:",
        "  photo.bin: unsupported file type .bin",
    ]
    assert lines[-1] == "  and 2 more"
    assert len(lines) == 8


def test_json_of_index_has_the_brain_and_every_skipped_file(run, folder, capsys):
    assert run("index", str(folder), "--name", "notes", "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["brain"]["name"], result["brain"]["chunk_count"]) == ("notes", 2)
    photo = {"relative_path": "photo.bin", "reason": "unsupported file type .bin", "size_bytes": None, "modified_ns": None}
    assert result["skipped"] == [photo]


def test_a_brain_need_not_be_named_when_there_is_only_one(run, folder, capsys):
    assert run("ask", "When?") == 1
    assert capsys.readouterr().err == "locallens: There is no brain yet. Index a folder first: locallens index FOLDER.\n"
    run("index", str(folder), "--name", "one")
    capsys.readouterr()
    assert run("ask", "When do the boats leave?") == 0
    assert capsys.readouterr().out == ANSWERED
    run("index", str(folder), "--name", "two")
    capsys.readouterr()
    assert run("search", "When?") == 1
    assert capsys.readouterr().err == "locallens: There are several brains: one, two. Choose one with --brain.\n"


def test_an_empty_question_is_refused_before_a_folder_is_read(run, folder, models, capsys):
    assert run("ask", str(folder), " ") == 1
    assert capsys.readouterr().err == "locallens: The question is empty. Write what you want to know.\n"
    assert models.sources == []


def test_search_shows_each_excerpt_under_its_place(run, folder, capsys):
    run("index", str(folder))
    capsys.readouterr()
    assert run("search", "Amelia the cook", "--top-k", "1") == 0
    assert capsys.readouterr().out == "[1] cook.md:1  similarity 0.89\nAmelia is the cook.\n\n"


def test_brains_refresh_and_delete(run, folder, capsys):
    assert run("brains") == 0
    assert capsys.readouterr().out == "There is no brain yet. Index a folder first: locallens index FOLDER.\n"
    run("index", str(folder))
    (folder / "boats.md").write_text("The boats leave at seven.\n", encoding="utf-8")
    (folder / "new.md").write_text("A new page.\n", encoding="utf-8")
    (folder / "cook.md").unlink()
    capsys.readouterr()
    assert run("refresh", "station") == 0
    assert capsys.readouterr().out.splitlines() == [
        "Refreshed 'station': 2 files, 2 chunks, fake-words.",
        "1 skipped:",
        "  photo.bin: unsupported file type .bin",
        "1 added, 1 changed, 1 removed; 2 chunks embedded.",
    ]
    assert run("brains") == 0
    headings, row = capsys.readouterr().out.splitlines()
    assert headings.split("  ")[0] == "Name"
    assert (row.split()[:4], row.split()[-1]) == (["station", "2", "2", "1"], str(folder))
    assert run("delete", "station") == 0
    assert capsys.readouterr().out == "Deleted 'station'. Its folder was not touched.\n"
    assert run("brains", "--json") == 0
    assert json.loads(capsys.readouterr().out) == []
    assert (folder / "boats.md").exists()


def test_a_brain_goes_out_to_a_file_and_comes_in_again(run, folder, tmp_path, capsys):
    file = tmp_path / "store.json"
    run("index", str(folder))
    capsys.readouterr()
    assert run("export", "station", str(file)) == 0
    assert capsys.readouterr().out == f"Exported 'station' to {file}.\n"
    run("delete", "station")
    capsys.readouterr()
    assert run("import", str(file)) == 0
    assert capsys.readouterr().out == "Imported 'station': 2 files, 2 chunks, fake-words.\n"


def test_files_that_cannot_be_written_or_read_are_clean_errors(run, folder, tmp_path, capsys):
    run("index", str(folder))
    target, missing = tmp_path / "no" / "folder.json", tmp_path / "missing.json"
    capsys.readouterr()
    assert run("export", "station", str(target)) == 1
    assert (
        capsys.readouterr().err == f"locallens: '{target}' cannot be written: No such file or directory. Choose another file.\n"
    )
    for target in (tmp_path, Path(tmp_path.anchor)):
        assert run("export", "station", str(target)) == 1
        assert capsys.readouterr().err == f"locallens: '{target}' cannot be written: Is a directory. Choose another file.\n"
    assert run("import", str(missing)) == 1
    assert capsys.readouterr().err.startswith(f"locallens: '{missing}' cannot be read: ")


def test_text_of_files_and_models_cannot_steer_the_terminal(run, folder, models, capsys):
    evil = "\x1b[2J\x9b31m\x07[bold]red[/bold] :smile:\r"
    models.chat = ScriptedChatModel(Script((evil,)))
    boats = "The boats leave at six. " * 20  # a short text with control characters would pass for a binary file
    (folder / "boats.md").write_text(boats + evil, encoding="utf-8")
    assert run("ask", str(folder), "boats") == 0
    assert "\n[2J31m[bold]red[/bold] :smile:\n" in capsys.readouterr().out
    run("index", str(folder))
    capsys.readouterr()
    assert run("search", "boats") == 0
    assert capsys.readouterr().out.splitlines()[1] == f"{boats}31m[bold]red[/bold] :smile:"


def test_control_characters_are_all_but_line_end_and_tab():
    every = "".join(map(chr, range(0xA1)))
    assert clean(every) == "\t\n" + "".join(map(chr, range(0x20, 0x7F))) + "\xa0"


def test_a_name_cannot_turn_the_direction_of_writing():
    assert clean("\u202egpj.exe\u2066.txt") == "gpj.exe.txt"


def test_json_keeps_every_character_and_holds_none_that_a_terminal_obeys(capsys):
    value = ["ação\x9b\x7f\x1b\udcff\n"]
    show_json(value)
    out = capsys.readouterr().out
    assert out == '["ação\\u009b\\u007f\\u001b\\udcff\\n"]\n'
    assert json.loads(out) == value


def test_output_is_utf_8_where_the_system_has_another_encoding(run, folder, models, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    monkeypatch.setattr(sys, "stdout", stream)
    models.chat = ScriptedChatModel(Script(("☂ \udcff",)))
    assert run("ask", str(folder), "When?") == 0
    assert "☂ ?" in stream.buffer.getvalue().decode("utf-8").splitlines()


def test_models_are_listed_and_fetched_by_name(run, monkeypatch, capsys, tmp_path):
    statuses = [
        ModelStatus("m", "chat", "here", 2_500_000, "MIT; first choice"),
        ModelStatus("quotes", "chat", "here", None, ""),
    ]
    monkeypatch.setattr(catalogue, "list_models", lambda settings: statuses)
    monkeypatch.setattr(catalogue, "fetch_model", lambda name, settings, on_progress: tmp_path / name)
    assert run("models") == 0
    assert capsys.readouterr().out.splitlines() == [
        "Name    Role  State  Size    Note",
        "m       chat  here   2.5 MB  MIT; first choice",
        "quotes  chat  here",
    ]
    assert run("models", "--json") == 0
    assert json.loads(capsys.readouterr().out)[0] == {
        "name": "m",
        "role": "chat",
        "state": "here",
        "size_bytes": 2_500_000,
        "note": "MIT; first choice",
    }
    assert run("models", "fetch", "m") == 0
    assert capsys.readouterr().out == f"m is ready in {tmp_path / 'm'}.\n"


def test_plain_progress_writes_a_line_for_a_stage_and_of_fast_ones_the_last(capsys):
    progress = PlainProgress()
    for report in (
        Progress("fetching", 1, 9, "model"),
        Progress("fetching", 2, 9, "model"),
        Progress("reading", 0, 0, "folder"),
        Progress("reading", 1, 0, "folder/a.md"),
        Progress("chunking", 0, 2, "a.md"),
        Progress("chunking", 1, 2, "b.md"),
        Progress("done", 0, 0, "2 files"),
    ):
        progress(report)
    assert capsys.readouterr().err == "fetching model\n"
    lines = ""
    limit = time.monotonic() + 10
    while not lines and time.monotonic() < limit:
        threading.Event().wait(0.01)
        lines = capsys.readouterr().err
    progress.close()
    assert lines == "chunking\n"


def test_plain_progress_says_now_and_then_how_far_a_long_stage_is(capsys):
    moments = iter([100.0, 100.0, 114.0, 116.0, 116.0, 130.0])
    progress = PlainProgress(clock=lambda: next(moments))
    for done in (0, 64, 128, 192):
        progress(Progress("embedding", done, 4271, "model"))
    progress.close()
    assert capsys.readouterr().err == "embedding\nembedding: 128 of 4271\n"


def test_live_progress_shows_bytes_and_no_markup_and_leaves_nothing_behind(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    progress = LiveProgress()
    progress(Progress("fetching", 0, 491_400_064, "[red]model[/red]\x07"))
    progress._bar.refresh()
    progress.close()
    progress.close()
    shown = stream.getvalue()
    assert "fetching [red]model[/red]" in shown
    assert "0 bytes of 491.4 MB" in shown
    assert "\x07" not in shown
    assert shown.endswith("\x1b[1A\x1b[2K")


def test_help_and_the_list_of_brains_load_no_heavy_library(tmp_path):
    program = (
        "import sys; from locallens_nb import cli; cli.main(['--help']); cli.main(['brains']);"
        "print([name for name in ('torch', 'transformers', 'faiss', 'IPython', 'ipywidgets') if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    assert result.stdout.splitlines()[-1] == "[]"
