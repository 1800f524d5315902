"""The packaged Qwen, which writes the answers where no model hub is in reach."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from locallens_nb import ChatAnswer, LocalLensApp, Settings

QUESTIONS = json.loads((Path(__file__).parent / "sample_questions.json").read_text(encoding="utf-8"))["answerable"]
TEN = [question for question in QUESTIONS if question["language"] == "en"][:10]


@pytest.fixture(scope="module")
def answers(sample_home: Path, model_cache: Path) -> list[ChatAnswer]:
    app = LocalLensApp(
        Settings(home=sample_home, cache_folder=model_cache, chat_model="qwen2.5-coder-0.5b-instruct", max_new_tokens=96)
    )
    return [app.ask_brain("sample", question["question"]) for question in TEN]


def test_at_least_eight_of_ten_answers_hold_the_right_fact(answers: list[ChatAnswer]) -> None:
    right = [
        any(fact in answer.answer.lower() for fact in question["fact"]) for question, answer in zip(TEN, answers, strict=True)
    ]
    wrong = [(answer.question, answer.answer) for answer, is_right in zip(answers, right, strict=True) if not is_right]
    assert sum(right) >= 8, wrong


def test_the_right_file_is_among_the_citations(answers: list[ChatAnswer]) -> None:
    found = [
        question["relative_path"] in {citation.relative_path for citation in answer.citations}
        for question, answer in zip(TEN, answers, strict=True)
    ]
    assert sum(found) >= 9
