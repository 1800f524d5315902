"""Asks a brain questions whose answers are known."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from locallens_nb.domain import EvidenceFound, Progress, ReportProgress, report
from locallens_nb.errors import GenerationError, InvalidQuestionError, LocalLensError
from locallens_nb.evaluation.outcomes import QuestionOutcome, measure_answer
from locallens_nb.evaluation.questions import BadLine, EvaluationQuestion, parse_questions
from locallens_nb.settings import expand_home

if TYPE_CHECKING:
    from locallens_nb.locallens import LocalLensApp


def read_questions(file: Path | str) -> tuple[list[EvaluationQuestion], list[BadLine]]:
    """Return the questions of a QUESTIONS.jsonl file, and its lines that cannot be used.

    Raises
    ------
    LocalLensError
        When the file cannot be read, or no line of it can be used.
    """
    try:
        text = expand_home(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or "it is not UTF-8 text"
        raise LocalLensError(f"'{file}' cannot be read: {reason}.", hint="Give a JSON Lines file.") from error
    questions, bad_lines = parse_questions(text)
    if not questions:
        first = f"line {bad_lines[0].line}: {bad_lines[0].problem}" if bad_lines else "it is empty"
        raise LocalLensError(f"'{file}' has no question: {first}.", hint='A line is like {"question": "…", "answer": "…"}.')
    return questions, bad_lines


def evaluate(
    app: LocalLensApp,
    brain_name: str,
    questions: Sequence[EvaluationQuestion],
    *,
    on_progress: ReportProgress | None = None,
) -> Iterator[QuestionOutcome]:
    """Ask the questions one after the other, and yield what each came to as soon as it is known.

    A question whose answer fails is an outcome too, and the next ones are asked.

    Raises
    ------
    BrainNotFoundError, EmbeddingMismatchError, ModelUnavailableError
        As for :meth:`LocalLensApp.ask_brain`.
    """
    for number, question in enumerate(questions):
        report(on_progress, Progress("answering", number, len(questions), f"question {number + 1} of {len(questions)}"))
        yield _ask(app, brain_name, question, on_progress)


def _ask(
    app: LocalLensApp, brain_name: str, expected: EvaluationQuestion, on_progress: ReportProgress | None
) -> QuestionOutcome:
    def pass_on(progress: Progress) -> None:
        if progress.stage != "answering":  # that is said of all the questions together
            report(on_progress, progress)

    started = time.perf_counter()
    evidence_seconds: float | None = None
    error = ""
    with closing(app.stream_brain(brain_name, expected.question, on_progress=pass_on)) as stream:
        try:
            for event in stream.events():
                if evidence_seconds is None and isinstance(event, EvidenceFound):
                    evidence_seconds = time.perf_counter() - started
        except (GenerationError, InvalidQuestionError) as failure:
            error = str(failure)
    return measure_answer(expected, stream.result, first_evidence_seconds=evidence_seconds, error=error)
