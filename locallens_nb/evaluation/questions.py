"""The questions of an evaluation: what a line of a QUESTIONS.jsonl file may hold, and what is wrong with one. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

_FIELDS = ("question", "answer", "file", "evidence")


@dataclass(frozen=True, slots=True)
class EvaluationQuestion:
    """A question, and what is expected of its answer.

    Attributes
    ----------
    line
        Where it stands in its file, from 1.
    is_answerable
        Whether the brain holds an answer.
    answers
        Texts of which a right answer holds one; empty when none is known, or the question is not answerable.
    files
        Relative paths of the files that answer it; empty when none is named.
    evidence
        Texts of which an excerpt that answers it holds one; empty when the answers themselves are to be looked for.
    """

    question: str
    line: int = 0
    is_answerable: bool = True
    answers: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that cannot be used, with the reason in plain words."""

    line: int
    problem: str


def parse_questions(text: str) -> tuple[list[EvaluationQuestion], list[BadLine]]:
    """Return the questions of a JSON Lines text, and the lines that cannot be used.

    Each line is an object: ``question``; ``answer``, which is a text, a list of alternatives, or null where there is no
    answer; ``file``, a relative path or a list of them; ``evidence``, a text that an excerpt with the answer holds, or
    a list of alternatives. All but ``question`` may be left out, but not all at once. Empty lines are passed over.
    """
    questions: list[EvaluationQuestion] = []
    problems: list[BadLine] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            questions.append(_parse_line(line, number))
        except ValueError as error:
            problems.append(BadLine(number, str(error)))
    return questions, problems


def _parse_line(line: str, number: int) -> EvaluationQuestion:
    try:
        row = json.loads(line)
    except RecursionError as error:
        raise ValueError("not JSON: nested too deep") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error}") from error
    if not isinstance(row, dict):
        raise ValueError("not an object")  # noqa: TRY004
    if unknown := [name for name in row if name not in _FIELDS]:
        raise ValueError(f"unknown field '{unknown[0]}'; there are {', '.join(_FIELDS)}")
    question = row.get("question")
    if not isinstance(question, str) or not question.strip():
        raise ValueError("'question' must be a text")
    is_answerable = "answer" not in row or row["answer"] is not None
    expected = {name: _read_texts(row, name) for name in _FIELDS[1:] if is_answerable or name != "answer"}
    if is_answerable and not any(expected.values()):
        raise ValueError("nothing is expected; give 'answer' (null where there is none), 'file' or 'evidence'")
    if not is_answerable and any(expected.values()):
        raise ValueError("'answer' is null, so there can be no 'file' and no 'evidence'")
    return EvaluationQuestion(
        question, number, is_answerable, expected.get("answer", ()), expected["file"], expected["evidence"]
    )


def _read_texts(row: Mapping[str, object], name: str) -> tuple[str, ...]:
    value = row.get(name, [])
    texts = value if isinstance(value, list) else [value]
    if (name in row and not texts) or not all(isinstance(text, str) and text.strip() for text in texts):
        raise ValueError(f"'{name}' must be a text or a list of texts")
    return tuple(texts)
