"""How good the answers are, measured through the whole product: its own chunking, search, checks and refusals.

``python tests/benchmarks/quality.py --eval ../shared/eval --questions 100 --chat-model quotes``

Each paragraph of a set is a file of a brain. Its questions are asked twice: of a brain that holds their paragraph, and of one
that lacks it and everything that is nearly the same, where the right answer is that there is none. The folders of this
repository are asked as they are; for the notes, which are in four languages, ``--embedding-model auto`` takes one for each.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from retrieval_quality import (
    REPOSITORY,
    SQUAD_FILES,
    EvaluationSet,
    Question,
    describe_run,
    draw,
    read_clapnq,
    read_squad,
)
from searched_paragraphs import find_duplicates

from locallens_nb.evaluation.measures import Rate
from locallens_nb.evaluation.outcomes import QuestionOutcome, Summary, summarise
from locallens_nb.evaluation.questions import EvaluationQuestion
from locallens_nb.evaluation.run import evaluate, read_questions
from locallens_nb.locallens import LocalLensApp
from locallens_nb.models.embedding import BUNDLED_MODEL
from locallens_nb.settings import QUOTES, Settings
from locallens_nb.terminal import open_progress

NOTE_LANGUAGES = ("english", "portuguese", "spanish", "german")
"""Of folders as people have them. Half of their questions are short, half tell of a situation in words that no file has, as
people do in a chat; those without an answer are about the same people and things."""
FOLDS = 4
"""Brains without some paragraphs that a set makes: each lacks a quarter of them."""


CLAPNQ, CHUNKING = "ClapNQ", "Whole documents"
NOTES = REPOSITORY / "tests" / "benchmarks" / "notes"
FOLDERS = {
    "Sample folder": (REPOSITORY / "notebooks" / "sample", REPOSITORY / "notebooks" / "sample_questions.jsonl"),
    **{f"Notes {language.capitalize()}": (NOTES / language, NOTES / f"{language}.jsonl") for language in NOTE_LANGUAGES},
}
"""Folders of this repository, and the questions about each."""
SETS = (*FOLDERS, *SQUAD_FILES, CLAPNQ, CHUNKING)

FOUND = {
    "file @1": "file_in_first_1",
    "file @5": "file_in_first_5",
    "answer @1": "text_in_first_1",
    "answer @5": "text_in_first_5",
}
ANSWERED = {
    "right fact": "right_fact",
    "citations right": "citation_precision",
    "with the answer": "citation_text",
    "answers with a right citation": "citation_recall",
    "sentences supported": "supported",
}
REFUSED = {
    "refused": "refused",
    "refused or fully marked": "refused_or_marked",
    "falsely refused": "falsely_refused",
    "falsely refused or fully marked": "falsely_refused_or_marked",
}
WAITED = {"first evidence": "first_evidence_seconds", "first text": "first_text_seconds", "end": "total_seconds"}


@dataclass(frozen=True)
class BrainFiles:
    """The files of a brain by their relative paths, and what it is asked."""

    files: Mapping[str, str]
    questions: Sequence[EvaluationQuestion]


def name_file(number: int) -> str:
    """Return the file of a paragraph; its name must not help to find it."""
    return f"{number:04}.md"


def expect(question: Question, given: EvaluationSet) -> EvaluationQuestion:
    """Return what is expected of the answer to a question of a set."""
    if question.paragraph < 0:
        return EvaluationQuestion(question.text, is_answerable=False)
    paragraph = given.paragraphs[question.paragraph]
    answers = tuple(dict.fromkeys(paragraph[start:end] for start, end in question.answers))
    return EvaluationQuestion(question.text, answers=answers, files=(name_file(question.paragraph),))


def split_brains(given: EvaluationSet, asked: Sequence[Question]) -> Iterator[BrainFiles]:
    """Yield the brain with all paragraphs, then those that each lack a part of them, with the questions of each."""
    files = {name_file(number): text for number, text in enumerate(given.paragraphs)}
    yield BrainFiles(files, [expect(question, given) for question in asked])
    same = find_duplicates(given.paragraphs)
    for fold in range(FOLDS):
        removed = {other for number in range(fold, len(same), FOLDS) for other in same[number]}
        kept = {name: text for number, (name, text) in enumerate(files.items()) if number not in removed}
        questions = [question for question in asked if question.paragraph % FOLDS == fold and question.paragraph >= 0]
        yield BrainFiles(kept, [EvaluationQuestion(question.text, is_answerable=False) for question in questions])


def read_chunking(folder: Path, count: int) -> BrainFiles:
    """Return whole documents, and questions whose evidence is known word for word."""
    with (folder / "questions.csv").open(encoding="utf-8", newline="") as file:
        rows = [
            EvaluationQuestion(
                row["question"],
                files=(f"{row['corpus_id']}.md",),
                evidence=tuple(reference["content"] for reference in json.loads(row["references"])),
            )
            for row in csv.DictReader(file)
        ]
    return BrainFiles({file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.md")}, draw(rows, count))


def read_brains(name: str, folder: Path, count: int) -> list[BrainFiles]:
    """Return the brains of a set."""
    if name == CHUNKING:
        return [read_chunking(folder / "chunking", count)]
    if name != CLAPNQ:
        given = read_squad(folder / SQUAD_FILES[name])
        return list(split_brains(given, draw(given.questions, count)))
    given = read_clapnq(folder)
    files = {name_file(number): text for number, text in enumerate(given.paragraphs)}
    answerable = draw([question for question in given.questions if question.paragraph >= 0], count)
    unanswerable = draw([question for question in given.questions if question.paragraph < 0], count)
    return [BrainFiles(files, [expect(question, given) for question in (*answerable, *unanswerable)])]


class Measurement:
    """Asks the brains of all sets, one after the other, and keeps a row for each question where a file is given."""

    def __init__(self, app: LocalLensApp, rows: Path | None) -> None:
        self._app = app
        self._rows = rows

    def ask_folder(self, name: str, folder: Path, questions: Sequence[EvaluationQuestion]) -> list[QuestionOutcome]:
        """Return what the questions about a folder come to."""
        outcomes = []
        with closing(open_progress()) as progress, self._app.temporary_brain(folder, on_progress=progress) as brain:
            for outcome in evaluate(self._app, brain.name, questions, on_progress=progress):
                outcomes.append(outcome)
                self._write_row(name, outcome)
        return outcomes

    def ask_all(self, name: str, brains: Sequence[BrainFiles]) -> list[QuestionOutcome]:
        """Return what the questions of all the brains of a set come to."""
        outcomes: list[QuestionOutcome] = []
        for brain in brains:
            with TemporaryDirectory() as folder:
                for path, text in brain.files.items():
                    Path(folder, path).write_text(text, encoding="utf-8")
                outcomes += self.ask_folder(name, Path(folder), brain.questions)
        return outcomes

    def _write_row(self, name: str, outcome: QuestionOutcome) -> None:
        if self._rows is not None:
            with self._rows.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"set": name, **asdict(outcome)}, ensure_ascii=False) + "\n")


def describe_rate(one: Rate) -> str:
    """Return a percentage with its interval; a dash when nothing was counted."""
    if one.value is None or one.low is None or one.high is None:
        return "–"
    return f"{100 * one.value:.0f} ({100 * one.low:.0f}–{100 * one.high:.0f})"


def print_rates(title: str, columns: Mapping[str, str], summaries: Mapping[str, Summary]) -> None:
    """Print a Markdown table of rates in percent, with their intervals."""
    print(f"\n{title}\n\n| set | n | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 2)}")
    for name, summary in summaries.items():
        cells = [describe_rate(summary.rates[rate]) for rate in columns.values()]
        print(f"| {name} | {summary.answerable} + {summary.unanswerable} | {' | '.join(cells)} |")


def print_times(summaries: Mapping[str, Summary]) -> None:
    """Print a Markdown table of the medians of what a person waits for."""
    print(f"\nMedian seconds from the question, models loaded:\n\n| set | n | {' | '.join(WAITED)} |\n|{'---|' * 5}")
    for name, summary in summaries.items():
        times = [summary.times[time] for time in WAITED.values()]
        cells = ["–" if one.value is None else f"{one.value:.2f}" for one in times]
        print(f"| {name} | {max(one.n for one in times)} | {' | '.join(cells)} |")


def read_arguments() -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--eval", type=Path, default=REPOSITORY.parent / "shared" / "eval", help="folder of the sets")
    parser.add_argument("--questions", type=int, default=100, help="questions of each set (default: 100)")
    parser.add_argument("--sets", nargs="*", default=[""], help="only sets whose names hold one of these texts")
    parser.add_argument("--chat-model", default=QUOTES, help="as for locallens (default: quotes)")
    parser.add_argument("--embedding-model", default=BUNDLED_MODEL, help=f"as for locallens (default: {BUNDLED_MODEL})")
    parser.add_argument("--home", type=Path, help="store to keep between runs, so that nothing is embedded twice")
    parser.add_argument("--rows", type=Path, help="file to add a line to for each question")
    return parser.parse_args()


def measure_sets(arguments: argparse.Namespace, home: Path) -> Iterator[tuple[str, Summary]]:
    """Yield what each set comes to; those of this repository alone where there is no folder of sets."""
    settings = Settings(home=home, chat_model=arguments.chat_model, embedding_model=arguments.embedding_model)
    measurement = Measurement(LocalLensApp(settings), arguments.rows)
    for name in [name for name in SETS if any(one in name for one in arguments.sets)]:
        if name in FOLDERS:
            asked, questions = FOLDERS[name]
            yield name, summarise(measurement.ask_folder(name, asked, read_questions(questions)[0]))
        elif arguments.eval.is_dir():
            yield name, summarise(measurement.ask_all(name, read_brains(name, arguments.eval, arguments.questions)))
        else:
            print(f"{name} is left out: there is no folder {arguments.eval}", file=sys.stderr)


def main() -> None:
    """Print four tables: what was found, what was answered, what was refused, and how long it took."""
    arguments = read_arguments()
    summaries: dict[str, Summary] = {}
    with TemporaryDirectory() as folder, suppress(KeyboardInterrupt):  # the sets before an interrupt are shown
        summaries.update(measure_sets(arguments, arguments.home or Path(folder)))
    models = ", ".join(dict.fromkeys(model for summary in summaries.values() for model in summary.models))
    print(f"Written by {models or 'no model'}; {describe_run(arguments.embedding_model)}.")
    print("In percent, with the 95 % interval (Wilson); n is the questions with an answer and those without.")
    print_rates("Among the excerpts (first one, first five):", FOUND, summaries)
    print_rates("In the answers to questions that have one:", ANSWERED, summaries)
    print_rates("Refusals, of the questions without an answer and of those with one:", REFUSED, summaries)
    print_times(summaries)


if __name__ == "__main__":
    main()
