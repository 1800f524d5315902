"""Follow-ups over the sample folder with the bundled embedding model, each after the questions and answers before it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from locallens_nb import LocalLensApp, Settings
from locallens_nb.questions.followup import continue_thread, find_names, join_thread

DIALOGUES = json.loads((Path(__file__).parent / "followup_dialogues.json").read_text(encoding="utf-8"))["dialogues"]
FOLLOW_UPS = [dialogue for dialogue in DIALOGUES if dialogue["kind"] != "change"]
NEW_SUBJECTS = [dialogue for dialogue in DIALOGUES if dialogue["kind"] == "change"]


@pytest.fixture(scope="module")
def app(sample_home: Path, model_cache: Path) -> LocalLensApp:
    return LocalLensApp(
        Settings(home=sample_home, cache_folder=model_cache, embedding_model="all-MiniLM-L6-v2", chat_model="quotes")
    )


def thread_of(dialogue: dict[str, Any]) -> tuple[str, ...]:
    thread: tuple[str, ...] = ()
    names: list[str] = []
    for turn in dialogue["earlier"]:
        thread = continue_thread(turn["question"], thread, names=names)
        names = find_names(turn["answer"], turn["question"])
    return continue_thread(dialogue["question"], thread, names=names)


@pytest.fixture(scope="module")
def files_found(app: LocalLensApp) -> list[tuple[str, list[str]]]:
    """For each follow-up the right file, and those that are found for what it became."""
    return [
        (
            dialogue["relative_path"],
            [hit.relative_path for hit in app.search_brain("sample", join_thread(thread_of(dialogue)))],
        )
        for dialogue in FOLLOW_UPS
    ]


@pytest.mark.parametrize("dialogue", FOLLOW_UPS, ids=lambda dialogue: dialogue["question"])
def test_a_follow_up_does_not_stand_alone(dialogue: dict[str, Any]) -> None:
    assert thread_of(dialogue) != (dialogue["question"],)


@pytest.mark.parametrize("dialogue", NEW_SUBJECTS, ids=lambda dialogue: dialogue["question"])
def test_a_new_subject_does(dialogue: dict[str, Any]) -> None:
    assert thread_of(dialogue) == (dialogue["question"],)


def test_the_right_file_is_found_for_nearly_every_follow_up(files_found: list[tuple[str, list[str]]]) -> None:
    assert len(files_found) == 42
    assert sum(right in found for right, found in files_found) >= 40


def test_the_right_file_comes_first_for_most_follow_ups(files_found: list[tuple[str, list[str]]]) -> None:
    assert sum(found[0] == right for right, found in files_found) >= 37


def test_a_follow_up_has_evidence_enough_to_be_answered(app: LocalLensApp) -> None:
    answers = [app.ask_brain("sample", join_thread(thread_of(dialogue))) for dialogue in FOLLOW_UPS]
    assert sum(answer.refusal == "evidence" for answer in answers) <= 1


def test_a_conversation_stays_with_its_subject(app: LocalLensApp) -> None:
    chat = app.chat("sample")
    for question in ("What does a visiting researcher pay for a night at the station?", "and a student?", "yes"):
        answer = chat.ask(question)
        read = min((*answer.citations, *answer.also_read), key=lambda citation: citation.number)
        assert read.relative_path == "handbook/station-handbook.md"
        assert "BRL 60" in read.content
