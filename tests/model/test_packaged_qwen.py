"""The packaged Qwen, which writes the answers where no model hub is in reach."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest

from locallens_nb import LocalLensApp, Settings
from locallens_nb.evaluation.outcomes import QuestionOutcome
from locallens_nb.evaluation.run import evaluate, read_questions

QUESTIONS = Path(__file__).parents[2] / "notebooks" / "sample_questions.jsonl"
SEEDS = (0, 1, 2)
"""One question more or less comes out right with each: 8, 9 and 8 of 10 in float32, 7, 9 and 8 in bfloat16."""


def ask_ten(home: Path, cache: Path, *, seed: int) -> list[QuestionOutcome]:
    settings = Settings(home=home, cache_folder=cache, chat_model="qwen2.5-coder-0.5b-instruct", max_new_tokens=96, seed=seed)
    questions, _ = read_questions(QUESTIONS)
    return list(evaluate(LocalLensApp(settings), "sample", questions[:10]))


@pytest.fixture(scope="module")
def runs(sample_home: Path, model_cache: Path) -> list[list[QuestionOutcome]]:
    return [ask_ten(sample_home, model_cache, seed=seed) for seed in SEEDS]


def test_at_least_eight_of_ten_answers_hold_the_right_fact(runs: list[list[QuestionOutcome]]) -> None:
    wrong = [[(one.expected.question, one.answer) for one in run if not one.has_right_fact] for run in runs]
    assert median(map(len, wrong)) <= 2, wrong


def test_the_right_file_is_among_the_excerpts(runs: list[list[QuestionOutcome]]) -> None:
    missed = [outcome.expected.question for outcome in runs[0] if outcome.file_place is None]
    assert len(missed) <= 1, missed
