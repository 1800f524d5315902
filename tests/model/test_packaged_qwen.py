"""The packaged Qwen, which writes the answers where no model hub is in reach."""

from __future__ import annotations

from pathlib import Path

import pytest

from locallens_nb import LocalLensApp, Settings
from locallens_nb.evaluation import evaluate, read_questions
from locallens_nb.outcomes import QuestionOutcome

QUESTIONS = Path(__file__).parents[2] / "notebooks" / "sample_questions.jsonl"


@pytest.fixture(scope="module")
def outcomes(sample_home: Path, model_cache: Path) -> list[QuestionOutcome]:
    app = LocalLensApp(
        Settings(home=sample_home, cache_folder=model_cache, chat_model="qwen2.5-coder-0.5b-instruct", max_new_tokens=96)
    )
    questions, _ = read_questions(QUESTIONS)
    return list(evaluate(app, "sample", questions[:10]))


def test_at_least_eight_of_ten_answers_hold_the_right_fact(outcomes: list[QuestionOutcome]) -> None:
    wrong = [(outcome.expected.question, outcome.answer) for outcome in outcomes if not outcome.has_right_fact]
    assert len(wrong) <= 2, wrong


def test_the_right_file_is_among_the_excerpts(outcomes: list[QuestionOutcome]) -> None:
    missed = [outcome.expected.question for outcome in outcomes if outcome.file_place is None]
    assert len(missed) <= 1, missed
