"""What the answer to a question with a known answer comes to, and what many of them come to together. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import get_args

from locallens_nb.domain import ChatAnswer, Citation, Support
from locallens_nb.evaluation.measures import Rate, holds_any, rate
from locallens_nb.evaluation.questions import EvaluationQuestion

DEPTHS = (1, 5)
"""Among how many excerpts, the best first, the right one is looked for."""

RATES = {
    **{f"file_in_first_{depth}": f"right file in the first {depth}" for depth in DEPTHS},
    **{f"text_in_first_{depth}": f"excerpt with the answer in the first {depth}" for depth in DEPTHS},
    "right_fact": "answer holds the right fact",
    "citation_precision": "citations that are right",
    "citation_text": "citations with the answer",
    "citation_recall": "answers with a right citation",
    "supported": "sentences supported",
    "weak": "sentences weakly supported",
    "unsupported": "sentences unsupported",
    "unchecked": "sentences that claim nothing",
    "refused": "unanswerable: refused",
    "refused_or_marked": "unanswerable: refused or fully marked",
    "falsely_refused": "answerable: refused",
    "falsely_refused_or_marked": "answerable: refused or fully marked",
}
"""What is counted: its name in JSON, and as a person reads it."""

TIMES = {
    "search_seconds": "search",
    "first_evidence_seconds": "to the first evidence",
    "first_text_seconds": "to the first text",
    "total_seconds": "to the end",
}
"""What is timed: its name in JSON, and as a person reads it."""

_REFERENCE = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """What one question came to.

    Attributes
    ----------
    expected
        The question, and what was expected of its answer.
    excerpts
        The files of the excerpts that were read, the best first.
    file_place
        Place, from 1, of the first excerpt of an expected file; None when there is none.
    text_place
        The same for the first excerpt that also holds the evidence, or an expected answer where no evidence is given.
    has_right_fact
        Whether an answer was given that holds an expected one; None when none is expected.
    citations
        How many there are in an answer that was given.
    right_citations
        Those of an expected file or with the evidence; where neither is given, those with an expected answer.
    text_citations
        Those with the text of ``text_place``.
    support
        How many sentences there are of each kind of support, in an answer that was given.
    is_marked
        Whether no sentence passes for true: it was refused, or none is supported.
    first_evidence_seconds
        From the question to the first quotations, with the loading of the embedding model if that was not loaded.
    first_text_seconds, total_seconds
        From the question to the first text and to the end, without the loading of models; None when the search found so
        little that no model was asked, and when the answer failed.
    error
        Why the answer failed; empty when it did not.
    """

    expected: EvaluationQuestion
    answer: str
    model: str
    refusal: str
    stopped: str
    excerpts: tuple[str, ...]
    file_place: int | None
    text_place: int | None
    has_right_fact: bool | None
    citations: int
    right_citations: int
    text_citations: int
    support: dict[str, int]
    is_marked: bool
    load_seconds: float
    search_seconds: float
    first_evidence_seconds: float | None
    first_text_seconds: float | None
    total_seconds: float | None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Median:
    """The middle one of ``n`` numbers; None when there are none."""

    value: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Summary:
    """What many questions came to.

    Attributes
    ----------
    failed
        Questions whose answer failed: nothing in it is right, and it is no refusal.
    models
        What wrote the answers; empty when no model was asked.
    rates, times
        By the names of :data:`RATES` and :data:`TIMES`.
    load_seconds
        What all of them together waited for models to load.
    """

    answerable: int
    unanswerable: int
    failed: int
    models: tuple[str, ...]
    rates: dict[str, Rate]
    times: dict[str, Median]
    load_seconds: float


def measure_answer(
    expected: EvaluationQuestion, answer: ChatAnswer, *, first_evidence_seconds: float | None = None, error: str = ""
) -> QuestionOutcome:
    """Return how an answer compares to what was expected.

    Parameters
    ----------
    first_evidence_seconds
        When the first quotations came; None when none did.
    error
        Why the answer failed; empty when it did not.
    """
    excerpts = sorted((*answer.citations, *answer.also_read), key=lambda excerpt: excerpt.number)
    cited = () if answer.refusal else answer.citations
    timings = answer.timings
    is_timed = answer.refusal != "evidence" and timings.first_piece_seconds is not None and not error
    return QuestionOutcome(
        expected=expected,
        answer=answer.answer,
        model=answer.model,
        refusal=answer.refusal,
        stopped=answer.stopped,
        excerpts=tuple(excerpt.relative_path for excerpt in excerpts),
        file_place=_first_place(excerpt.relative_path in expected.files for excerpt in excerpts),
        text_place=_first_place(_holds_text(excerpt, expected) for excerpt in excerpts),
        has_right_fact=_has_right_fact(answer, expected) and not error if expected.answers else None,
        citations=len(cited),
        right_citations=sum(_is_right(citation, expected) for citation in cited),
        text_citations=sum(_holds_text(citation, expected) for citation in cited),
        support={} if answer.refusal else dict(Counter(sentence.support for sentence in answer.sentences)),
        is_marked=_is_marked(answer) and not error,
        load_seconds=timings.load_seconds,
        search_seconds=timings.search_seconds,
        first_evidence_seconds=first_evidence_seconds,
        first_text_seconds=timings.search_seconds + (timings.first_piece_seconds or 0.0) if is_timed else None,
        total_seconds=timings.total_seconds - timings.load_seconds if is_timed else None,
        error=error,
    )


def summarise(outcomes: Sequence[QuestionOutcome]) -> Summary:
    """Return what so many questions came to together; citations and sentences of all of them are counted alike."""
    counts: dict[str, list[tuple[int, int]]] = {name: [] for name in RATES}
    for outcome in outcomes:
        for name, count in _count(outcome).items():
            counts[name].append(count)
    answerable = sum(outcome.expected.is_answerable for outcome in outcomes)
    return Summary(
        answerable=answerable,
        unanswerable=len(outcomes) - answerable,
        failed=sum(bool(outcome.error) for outcome in outcomes),
        models=tuple(dict.fromkeys(outcome.model for outcome in outcomes if outcome.model)),
        rates={name: rate(sum(count for count, _ in each), sum(n for _, n in each)) for name, each in counts.items()},
        times={name: _median(getattr(outcome, name) for outcome in outcomes) for name in TIMES},
        load_seconds=sum(outcome.load_seconds for outcome in outcomes),
    )


def _count(outcome: QuestionOutcome) -> Mapping[str, tuple[int, int]]:
    """Return what a question adds to each rate: in how many cases, of how many."""
    expected = outcome.expected
    refused = bool(outcome.refusal)
    counts = {kind: (outcome.support.get(kind, 0), sum(outcome.support.values())) for kind in get_args(Support)}
    if not expected.is_answerable:
        return counts | {"refused": (refused, 1), "refused_or_marked": (outcome.is_marked, 1)}
    counts |= {
        "right_fact": (bool(outcome.has_right_fact), int(outcome.has_right_fact is not None)),
        "citation_precision": (outcome.right_citations, outcome.citations),
        "citation_recall": (outcome.right_citations > 0, int(not refused)),
        "falsely_refused": (refused, 1),
        "falsely_refused_or_marked": (outcome.is_marked, 1),
    }
    for depth in DEPTHS:
        counts[f"file_in_first_{depth}"] = (_is_within(outcome.file_place, depth), int(bool(expected.files)))
        counts[f"text_in_first_{depth}"] = (_is_within(outcome.text_place, depth), int(bool(_texts(expected))))
    if _texts(expected):
        counts["citation_text"] = (outcome.text_citations, outcome.citations)
    return counts


def _is_within(place: int | None, depth: int) -> bool:
    return place is not None and place <= depth


def _median(values: Iterable[float | None]) -> Median:
    known = [value for value in values if value is not None]
    return Median(median(known) if known else None, len(known))


def _first_place(is_right: Iterable[bool]) -> int | None:
    return next((place for place, right in enumerate(is_right, start=1) if right), None)


def _texts(expected: EvaluationQuestion) -> tuple[str, ...]:
    return expected.evidence or expected.answers


def _holds_text(excerpt: Citation, expected: EvaluationQuestion) -> bool:
    """Return whether an excerpt holds the evidence or an answer; in another file than expected it is there by chance."""
    if expected.files and excerpt.relative_path not in expected.files:
        return False
    return holds_any(excerpt.content, _texts(expected))


def _is_right(citation: Citation, expected: EvaluationQuestion) -> bool:
    if expected.files:
        return citation.relative_path in expected.files or holds_any(citation.content, expected.evidence)
    return _holds_text(citation, expected)


def _has_right_fact(answer: ChatAnswer, expected: EvaluationQuestion) -> bool:
    return not answer.refusal and holds_any(_REFERENCE.sub(" ", answer.answer), expected.answers)


def _is_marked(answer: ChatAnswer) -> bool:
    if answer.refusal or not answer.answer.strip():
        return True
    return bool(answer.sentences) and all(sentence.support != "supported" for sentence in answer.sentences)
