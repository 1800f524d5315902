"""``locallens eval`` over a real store and scripted models: the table, the JSON, the rows, and what goes wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from locallens_nb import cli
from locallens_nb.evaluation.outcomes import RATES, TIMES
from locallens_nb.locallens import LocalLensApp
from locallens_nb.settings import Settings
from tests.fakes import FakeModels, Script, ScriptedChatModel

RIGHT = Script(("The boats leave at six [1].",))
QUESTIONS = (
    {"question": "When do the boats leave?", "answer": ["6:00", "six"], "file": "boats.md"},
    {"question": "When do the boats leave today?", "answer": "seven", "file": "boats.md"},
    {"question": "When do the boats leave for Lisbon?", "answer": None},
)


@pytest.fixture
def models() -> FakeModels:
    return FakeModels(chat=ScriptedChatModel(RIGHT))


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in QUESTIONS), encoding="utf-8")
    return file


@pytest.fixture
def run(tmp_path: Path, models: FakeModels) -> Callable[..., int]:
    """Run a command on a store with a brain of two files."""
    files = tmp_path / "station"
    files.mkdir()
    (files / "boats.md").write_text("The boats leave at six.\n", encoding="utf-8")
    (files / "cook.md").write_text("Amelia is the cook.\n", encoding="utf-8")
    home = tmp_path / "home"
    LocalLensApp(Settings(home=home), models=models).create_brain_from_folder(name="station", folder_path=files)
    return lambda *arguments: cli.main(
        [*arguments, "--home", str(home)], make_app=lambda settings: LocalLensApp(settings, models=models)
    )


def test_the_table_has_each_rate_with_its_interval_and_number(run, questions, capsys):
    assert run("eval", "station", str(questions)) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0] == "Brain 'station': 2 questions with an answer, 1 without. Written by scripted (fake)."
    assert [line.split() for line in lines if line.startswith("answer holds")] == [
        ["answer", "holds", "the", "right", "fact", "50.0", "%", "9.5", "to", "90.5", "%", "1", "of", "2"]
    ]
    assert [line.split()[-3:] for line in lines if line.startswith("right file in the first 1")] == [["2", "of", "2"]]
    assert [line.split()[-1] for line in lines if line.startswith("to the end")] == ["3"]
    assert err.splitlines()[0] == "answering question 1 of 3"


def test_json_has_every_rate_and_time_and_a_row_for_each_question(run, questions, capsys):
    assert run("eval", "station", str(questions), "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["brain"], result["answerable"], result["unanswerable"], result["failed"]) == ("station", 2, 1, 0)
    assert (result["models"], result["complete"], result["bad_lines"]) == (["scripted (fake)"], True, [])
    assert (list(result["rates"]), list(result["times"])) == (list(RATES), list(TIMES))
    assert result["rates"]["refused"] == {"count": 0, "n": 1, "value": 0.0, "low": 0.0, "high": pytest.approx(0.7935, abs=1e-4)}
    assert [(row["expected"]["line"], row["has_right_fact"]) for row in result["questions"]] == [
        (1, True),
        (2, False),
        (3, None),
    ]


def test_only_the_first_questions_are_asked_with_a_limit(run, questions, models, capsys):
    assert run("eval", "station", str(questions), "--limit", "1", "--top-k", "1", "--json") == 0
    assert [request.question for request in models.chat.requests] == ["When do the boats leave?"]
    assert json.loads(capsys.readouterr().out)["questions"][0]["excerpts"] == ["boats.md"]


def test_the_model_follows_the_settings(questions, tmp_path, monkeypatch):
    seen: list[Settings] = []

    def make_app(settings: Settings) -> LocalLensApp:
        seen.append(settings)
        return LocalLensApp(settings)

    monkeypatch.setenv("LOCALLENS_CHAT_MODEL", "from-variable")
    for options in ([], ["--chat-model", "quotes", "--top-k", "7"]):
        cli.main(["eval", "station", str(questions), "--home", str(tmp_path / "empty"), *options], make_app=make_app)
    assert [(settings.chat_model, settings.top_k) for settings in seen] == [("from-variable", 5), ("quotes", 7)]


def test_lines_that_cannot_be_used_are_reported_and_the_others_measured(run, questions, capsys):
    with questions.open("a", encoding="utf-8") as file:
        file.write('{"question": "Who?", "anwser": "Amelia"}\n')
    assert run("eval", "station", str(questions), "--json") == 1
    out, err = capsys.readouterr()
    problem = "unknown field 'anwser'; there are question, answer, file, evidence"
    assert err.splitlines()[0] == f"locallens: {questions}, line 4: {problem}."
    result = json.loads(out)
    assert (len(result["questions"]), result["bad_lines"]) == (3, [{"line": 4, "problem": problem}])


def test_an_interrupt_shows_what_was_measured_before_it(run, questions, models, capsys):
    models.chat = ScriptedChatModel(RIGHT, Script(("The boats ",), fails_with=KeyboardInterrupt()))
    assert run("eval", "station", str(questions), "--json") == 130
    out, err = capsys.readouterr()
    result = json.loads(out)
    assert (result["complete"], result["rates"]["right_fact"]["count"], len(result["questions"])) == (False, 1, 1)
    assert err.splitlines()[-1] == "locallens: stopped."


def test_each_result_is_in_the_file_as_soon_as_it_is_known(run, questions, models, tmp_path):
    rows = tmp_path / "rows.jsonl"
    rows.write_text("old\n", encoding="utf-8")
    lines_before: list[int] = []
    generate = models.chat.generate

    def count_lines_and_generate(request):
        lines_before.append(len(rows.read_text(encoding="utf-8").splitlines()))
        return generate(request)

    models.chat.generate = count_lines_and_generate
    assert run("eval", "station", str(questions), "--out", str(rows)) == 0
    assert lines_before == [0, 1, 2]
    written = [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]
    assert [row["has_right_fact"] for row in written] == [True, False, None]


def test_half_a_character_in_a_question_does_no_harm(run, questions, tmp_path, capsys):
    questions.write_text('{"question": "When \\ud83d do the boats leave?", "answer": "six"}\n', encoding="utf-8")
    rows = tmp_path / "rows.jsonl"
    assert run("eval", "station", str(questions), "--out", str(rows), "--json") == 0
    assert json.loads(capsys.readouterr().out)["questions"] == [json.loads(rows.read_text(encoding="utf-8"))]


def test_a_file_that_cannot_be_written_is_an_error_before_anything_is_asked(run, questions, models, tmp_path, capsys):
    assert run("eval", "station", str(questions), "--out", str(tmp_path / "none" / "rows.jsonl")) == 1
    assert "cannot be written: No such file or directory. Choose another file." in capsys.readouterr().err
    assert models.chat.requests == []


@pytest.mark.parametrize(
    ("brain", "missing", "message"), [("nope", "", "No brain is called 'nope'."), ("station", ".gone", "cannot be read")]
)
def test_a_brain_or_a_file_that_is_not_there_is_one_line(run, questions, capsys, *, brain, missing, message):
    assert run("eval", brain, f"{questions}{missing}") == 1
    out, err = capsys.readouterr()
    assert (out, message in err, len(err.splitlines())) == ("", True, 1)
