"""Which questions ask for a number."""

from __future__ import annotations

import pytest

from locallens_nb.questions.number_questions import asks_for_number


@pytest.mark.parametrize(
    "question",
    [
        "How many turns does the crank need?",
        "To what temperature is it cooled, and how long?",
        "In which year was it built?",
        "When does the ferry leave?",
        "¿Cuántas libras cuesta?",
        "Quanto custa a diária?",
        "Wie viele Stufen hat der Turm?",
        "Combien de marches ?",
        "Hoeveel treden heeft de toren?",
        "Сколько ступеней?",
        "这座塔有多少级台阶？",
        "塔はいつ建てられましたか",
    ],
)
def test_a_question_for_a_number_a_time_or_a_date_is_known(question: str):
    assert asks_for_number(question)


@pytest.mark.parametrize(
    "question", ["Who keeps the tower?", "Show how it works", "Wo steht der Turm?", "¿Quién vive aquí?", "谁住在塔里？", ""]
)
def test_other_questions_ask_for_none(question: str):
    assert not asks_for_number(question)
