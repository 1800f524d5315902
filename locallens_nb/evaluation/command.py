"""What ``locallens eval`` does: ask the questions of a file, and show what their answers come to."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict

from locallens_nb.commands import DONE, FAILED, MakeApp
from locallens_nb.errors import LocalLensError
from locallens_nb.evaluation.measures import Rate
from locallens_nb.evaluation.outcomes import RATES, TIMES, QuestionOutcome, Summary, summarise
from locallens_nb.evaluation.questions import BadLine
from locallens_nb.evaluation.run import evaluate, read_questions
from locallens_nb.notebook.rendering import render_table
from locallens_nb.settings import Settings, expand_home
from locallens_nb.terminal import clean_line, open_progress, show, show_error, show_json


def run_eval(args: argparse.Namespace, settings: Settings, make_app: MakeApp) -> int:
    """Ask a brain the questions of a file. Lines that cannot be used are reported, and make it fail in the end.

    An interrupt shows what was measured before it.
    """
    questions, bad_lines = read_questions(args.questions)
    for bad in bad_lines:
        show_error(f"locallens: {args.questions}, line {bad.line}: {bad.problem}.")
    app = make_app(settings)
    brain = app.get_brain(args.brain)
    outcomes: list[QuestionOutcome] = []
    try:
        with _open_rows(args.out) as write_row, closing(open_progress()) as progress:
            for outcome in evaluate(app, brain.name, questions[: args.limit], on_progress=progress):
                outcomes.append(outcome)
                write_row(outcome)
    except KeyboardInterrupt:
        _show_results(args, outcomes, bad_lines, is_complete=False)
        raise
    _show_results(args, outcomes, bad_lines, is_complete=True)
    return FAILED if bad_lines else DONE


@contextmanager
def _open_rows(name: str | None) -> Iterator[Callable[[QuestionOutcome], object]]:
    """Yield what writes an outcome as a line of a file, at once, so that nothing is lost; without a name, nothing."""
    if name is None:
        yield lambda _outcome: None
        return
    try:
        # Half a character, which JSON can hold and UTF-8 cannot, becomes the escape that JSON has for it.
        with expand_home(name).open("w", encoding="utf-8", errors="backslashreplace", buffering=1) as file:
            yield lambda outcome: file.write(json.dumps(asdict(outcome), ensure_ascii=False) + "\n")
    except OSError as error:
        raise LocalLensError(f"'{name}' cannot be written: {error.strerror or error}.", hint="Choose another file.") from error


def _show_results(
    args: argparse.Namespace, outcomes: Sequence[QuestionOutcome], bad_lines: Sequence[BadLine], *, is_complete: bool
) -> None:
    summary = summarise(outcomes)
    if args.json:
        rows = {"complete": is_complete, "bad_lines": bad_lines, "questions": outcomes}
        show_json({"brain": args.brain, **asdict(summary), **rows})
    elif outcomes:
        _show_summary(args.brain, summary)


def _show_summary(brain_name: str, summary: Summary) -> None:
    questions = f"{summary.answerable} questions with an answer, {summary.unanswerable} without"
    show(clean_line(f"Brain '{brain_name}': {questions}. Written by {', '.join(summary.models) or 'no model'}."))
    if summary.failed:
        show(f"{summary.failed} answers failed.", style="yellow")
    rates = [[RATES[name], *_describe_rate(one)] for name, one in summary.rates.items() if one.n]
    show(f"\n{render_table(['Measure', 'Rate', '95 % interval', 'n'], rates).plain}\n")
    times = [[TIMES[name], f"{one.value:.3f} s", str(one.n)] for name, one in summary.times.items() if one.value is not None]
    show(render_table(["Time", "Median", "n"], times).plain)
    show(f"\nThe times are without the {summary.load_seconds:.1f} s that models took to load.", style="dim")


def _describe_rate(one: Rate) -> list[str]:
    if one.value is None or one.low is None or one.high is None:
        return ["", "", ""]
    return [f"{100 * one.value:.1f} %", f"{100 * one.low:.1f} to {100 * one.high:.1f} %", f"{one.count} of {one.n}"]
