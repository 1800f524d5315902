"""Which lines of a QUESTIONS.jsonl file are questions, and what is said of the others."""

from __future__ import annotations

import pytest

from locallens_nb.evaluation.questions import BadLine, EvaluationQuestion, parse_questions


def test_a_line_holds_a_question_and_what_is_expected():
    text = (
        '{"question": "When?", "answer": ["six", "6:00"], "file": "boats.md", "evidence": "leave at six"}\n'
        '{"question": "Who cooks?", "answer": "Amelia", "file": ["cook.md", "staff.md"]}\n'
        '{"question": "Is there a pool?", "answer": null}\n'
        '{"question": "How deep?", "evidence": ["24 m", "24 metres"]}'
    )
    assert parse_questions(text) == (
        [
            EvaluationQuestion("When?", 1, True, ("six", "6:00"), ("boats.md",), ("leave at six",)),
            EvaluationQuestion("Who cooks?", 2, True, ("Amelia",), ("cook.md", "staff.md")),
            EvaluationQuestion("Is there a pool?", 3, is_answerable=False),
            EvaluationQuestion("How deep?", 4, evidence=("24 m", "24 metres")),
        ],
        [],
    )


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('["a"]', "not an object"),
        ('{"question": "a", "answer": "b", "path": "c"}', "unknown field 'path'; there are question, answer, file, evidence"),
        ('{"answer": "b"}', "'question' must be a text"),
        ('{"question": "  ", "answer": "b"}', "'question' must be a text"),
        ('{"question": 3, "answer": "b"}', "'question' must be a text"),
        ('{"question": "a"}', "nothing is expected; give 'answer' (null where there is none), 'file' or 'evidence'"),
        ('{"question": "a", "answer": 12}', "'answer' must be a text or a list of texts"),
        ('{"question": "a", "answer": []}', "'answer' must be a text or a list of texts"),
        ('{"question": "a", "answer": ["b", ""]}', "'answer' must be a text or a list of texts"),
        ('{"question": "a", "answer": "b", "file": null}', "'file' must be a text or a list of texts"),
        ('{"question": "a", "answer": "b", "evidence": {}}', "'evidence' must be a text or a list of texts"),
        ('{"question": "a", "answer": null, "file": "b"}', "'answer' is null, so there can be no 'file' and no 'evidence'"),
        ("[" * 100_000, "not JSON: nested too deep"),
    ],
)
def test_a_line_that_cannot_be_used_is_named_and_the_others_are_kept(line: str, problem: str):
    good = '{"question": "Who cooks?", "answer": "Amelia"}'
    questions, bad_lines = parse_questions(f"{good}\n\n{line}\n{good}\n")
    assert [question.line for question in questions] == [1, 4]
    assert bad_lines == [BadLine(3, problem)]


def test_what_json_says_of_a_line_is_passed_on():
    _, bad_lines = parse_questions('{"question": "a", }')
    assert [bad.line for bad in bad_lines] == [1]
    assert bad_lines[0].problem.startswith("not JSON: ")


def test_a_byte_order_mark_and_line_separators_inside_a_text_do_no_harm():
    questions, bad_lines = parse_questions('\ufeff{"question": "a\u2028b", "answer": "c"}\r\n')
    assert ([question.question for question in questions], bad_lines) == (["a\u2028b"], [])
