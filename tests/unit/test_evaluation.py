"""Questions with known answers, asked through the real workflow with scripted models."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from locallens_nb.domain import Progress
from locallens_nb.errors import BrainNotFoundError, GenerationError, LocalLensError
from locallens_nb.evaluation.questions import BadLine, EvaluationQuestion
from locallens_nb.evaluation.run import evaluate, read_questions
from locallens_nb.locallens import LocalLensApp
from locallens_nb.settings import Settings
from tests.fakes import FakeModels, Script, ScriptedChatModel

WHEN = EvaluationQuestion("When do the boats leave?", answers=("six",), files=("boats.md",))
WHO = EvaluationQuestion("Who is the cook?", answers=("Amelia",), files=("cook.md",))
RIGHT = Script(("The boats leave at six [1].",))
INVENTED = Script(("The boats leave at 9:45 from Lisbon.",))


def open_brain(folder: Path, *scripts: Script) -> tuple[LocalLensApp, ScriptedChatModel]:
    files = folder / "station"
    files.mkdir()
    (files / "boats.md").write_text("The boats leave at six.\n", encoding="utf-8")
    (files / "cook.md").write_text("Amelia is the cook.\n", encoding="utf-8")
    chat = ScriptedChatModel(*scripts)
    app = LocalLensApp(Settings(home=folder / "home"), models=FakeModels(chat=chat))
    app.create_brain_from_folder(name="station", folder_path=files)
    return app, chat


def test_an_answer_is_measured_against_what_was_expected(tmp_path):
    app, _ = open_brain(tmp_path, RIGHT)
    (outcome,) = evaluate(app, "station", [WHEN])
    assert (outcome.expected, outcome.answer, outcome.model) == (WHEN, "The boats leave at six [1].", "scripted (fake)")
    assert (outcome.excerpts[0], outcome.file_place, outcome.text_place, outcome.has_right_fact) == ("boats.md", 1, 1, True)
    assert (outcome.citations, outcome.right_citations, outcome.text_citations) == (1, 1, 1)
    assert (outcome.support, outcome.refusal, outcome.error) == ({"supported": 1}, "", "")
    assert outcome.first_evidence_seconds > 0
    assert outcome.search_seconds < outcome.first_text_seconds <= outcome.total_seconds


def test_an_invention_is_measured_as_one(tmp_path):
    app, _ = open_brain(tmp_path, INVENTED)
    (outcome,) = evaluate(app, "station", [EvaluationQuestion("When do the boats leave?", is_answerable=False)])
    assert outcome.is_marked
    assert outcome.has_right_fact is None


def test_the_next_question_is_asked_when_an_answer_fails(tmp_path):
    app, _ = open_brain(tmp_path, Script(("The boats ",), fails_with=GenerationError("It broke.", hint="Ask again.")), RIGHT)
    failed, answered = evaluate(app, "station", [WHEN, WHEN])
    assert (failed.error, failed.has_right_fact) == ("It broke. Ask again.", False)
    assert (answered.error, answered.has_right_fact) == ("", True)


def test_outcomes_come_one_by_one_and_an_interrupt_ends_the_answer(tmp_path):
    app, chat = open_brain(tmp_path, RIGHT, Script(("The boats ",), fails_with=KeyboardInterrupt()))
    outcomes = evaluate(app, "station", [WHEN, WHO, WHEN])
    assert [outcome.expected for outcome in islice(outcomes, 1)] == [WHEN]
    assert len(chat.requests) == 1
    with pytest.raises(KeyboardInterrupt):
        next(outcomes)
    assert chat.generations[1].is_stopped


def test_progress_counts_questions_and_names_what_is_loaded(tmp_path):
    app, _ = open_brain(tmp_path, RIGHT)
    reports: list[Progress] = []
    assert len(list(evaluate(app, "station", [WHEN, WHO], on_progress=reports.append))) == 2
    assert [(one.done, one.total, one.detail) for one in reports if one.stage == "answering"] == [
        (0, 2, "question 1 of 2"),
        (1, 2, "question 2 of 2"),
    ]
    assert "scripted (fake)" in {one.detail for one in reports if one.stage == "loading"}


def test_a_brain_that_is_not_there_is_an_error_at_the_first_question(tmp_path):
    app, _ = open_brain(tmp_path)
    with pytest.raises(BrainNotFoundError):
        next(evaluate(app, "nope", [WHEN]))


def test_questions_are_read_from_a_file_with_the_lines_that_cannot_be_used(tmp_path):
    file = tmp_path / "questions.jsonl"
    file.write_text('\ufeff{"question": "Quem é?", "answer": "João"}\n{"question": ""}\n', encoding="utf-8")
    assert read_questions(file) == (
        [EvaluationQuestion("Quem é?", 1, answers=("João",))],
        [BadLine(2, "'question' must be a text")],
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"\xff\xfe", "cannot be read: it is not UTF-8 text"),
        (b"\n", "has no question: it is empty"),
        (b"\n{}\n", "has no question: line 2: 'question' must be a text"),
    ],
)
def test_a_file_without_a_question_is_an_error_that_says_why(tmp_path, content: bytes | None, message: str):
    file = tmp_path / "questions.jsonl"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(LocalLensError, match=message):
        read_questions(file)
