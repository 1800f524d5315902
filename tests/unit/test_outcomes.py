"""What an answer comes to against what was expected, and many of them together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from locallens_nb.domain import AnswerSentence, ChatAnswer, Citation, Timings
from locallens_nb.evaluation.outcomes import RATES, TIMES, measure_answer, summarise
from locallens_nb.evaluation.questions import EvaluationQuestion

WHEN = EvaluationQuestion("When do the boats leave?", answers=("six", "6"), files=("boats.md",))
POOL = EvaluationQuestion("Is there a pool?", is_answerable=False)


def cite(number: int, path: str, content: str) -> Citation:
    return Citation(number, f"{path}-0", path, 0, 0.5, 1, 1, content)


COOK = cite(1, "cook.md", "Amelia cooks at six.")
ISLAND = cite(2, "boats.md", "The boats are red.")
BOATS = cite(3, "boats.md", "The boats leave at six.")


def write(answer: str, *citations: Citation, also_read: tuple[Citation, ...] = (), support: str = "", **fields) -> ChatAnswer:
    """Return an answer; each word of ``support`` is that of a sentence."""
    return ChatAnswer(
        answer=answer,
        citations=citations,
        model=fields.pop("model", "scripted"),
        fallback_reason="",
        stopped="",
        timings=Timings(load_seconds=3.0, search_seconds=0.5, first_piece_seconds=1.0, total_seconds=6.0),
        also_read=also_read,
        sentences=tuple(AnswerSentence("", 0, 0, kind) for kind in support.split()),
        **fields,
    )


def rate_of(*outcomes, name: str) -> tuple[int, int]:
    one = summarise(outcomes).rates[name]
    return one.count, one.n


def test_places_are_those_of_the_prompt_whatever_was_cited_first():
    outcome = measure_answer(WHEN, write("At six [3].", BOATS, also_read=(ISLAND, COOK)))
    assert outcome.excerpts == ("cook.md", "boats.md", "boats.md")
    assert (outcome.file_place, outcome.text_place) == (2, 3)
    assert [rate_of(outcome, name=f"{what}_in_first_{depth}") for what in ("file", "text") for depth in (1, 5)] == [
        (0, 1),
        (1, 1),
        (0, 1),
        (1, 1),
    ]


def test_an_answer_that_stands_in_another_file_than_expected_is_not_its_excerpt():
    outcome = measure_answer(WHEN, write("At six [1].", COOK))
    assert (outcome.file_place, outcome.text_place, outcome.right_citations, outcome.has_right_fact) == (None, None, 0, True)


def test_evidence_is_looked_for_in_place_of_the_answer():
    expected = replace(WHEN, evidence=("boats are red",))
    outcome = measure_answer(expected, write("At six [2].", ISLAND, also_read=(COOK, BOATS)))
    assert (outcome.text_place, outcome.text_citations) == (2, 1)


def test_an_excerpt_with_the_evidence_is_a_right_citation_in_any_file():
    outcome = measure_answer(replace(WHEN, evidence=("Amelia cooks at six",)), write("At six [1][3].", COOK, BOATS))
    assert (outcome.citations, outcome.right_citations, outcome.text_citations) == (2, 2, 0)


def test_without_a_file_the_citations_with_an_answer_are_right():
    outcome = measure_answer(replace(WHEN, files=()), write("At six [1][2].", COOK, ISLAND))
    assert (outcome.right_citations, outcome.text_citations, outcome.file_place) == (1, 1, None)
    assert rate_of(outcome, name="file_in_first_5") == (0, 0)


def test_the_number_of_a_citation_is_not_the_right_fact():
    assert measure_answer(replace(WHEN, answers=("3",)), write("It leaves early [3].", BOATS)).has_right_fact is False


def test_citations_are_counted_one_by_one_and_answers_with_a_right_one_once():
    good = measure_answer(WHEN, write("At six [2][3].", ISLAND, BOATS))
    bad = measure_answer(WHEN, write("At six [1].", COOK))
    bare = measure_answer(WHEN, write("At six."))
    counts = [rate_of(good, bad, bare, name=f"citation_{name}") for name in ("precision", "text", "recall")]
    assert counts == [(2, 3), (1, 3), (1, 3)]


def test_a_refusal_holds_no_fact_no_citation_and_no_sentence():
    outcome = measure_answer(WHEN, write("Six is not in the files [3].", BOATS, support="supported", refusal="support"))
    assert (outcome.has_right_fact, outcome.citations, outcome.support, outcome.is_marked) == (False, 0, {}, True)
    assert [rate_of(outcome, name=name) for name in ("right_fact", "citation_recall", "falsely_refused")] == [
        (0, 1),
        (0, 0),
        (1, 1),
    ]


@pytest.mark.parametrize(
    ("answer", "support", "marked"),
    [
        ("Yes.", "unsupported", 1),
        ("Yes. It is.", "weak unsupported", 1),
        ("Yes. It is.", "unsupported supported", 0),
        ("Yes.", "", 0),
        ("", "", 1),
    ],
)
def test_an_invention_is_marked_when_none_of_its_sentences_is_supported(answer: str, support: str, marked: int):
    outcome = measure_answer(POOL, write(answer, support=support))
    assert (rate_of(outcome, name="refused"), rate_of(outcome, name="refused_or_marked")) == ((0, 1), (marked, 1))
    assert rate_of(outcome, name="falsely_refused") == (0, 0)


def test_sentences_are_counted_by_their_support():
    outcomes = [measure_answer(WHEN, write("A. B.", support=kinds)) for kinds in ("supported weak", "supported unchecked")]
    names = ("supported", "weak", "unsupported", "unchecked")
    assert [rate_of(*outcomes, name=name) for name in names] == [(2, 4), (1, 4), (0, 4), (1, 4)]


def test_a_failed_answer_holds_nothing_right_and_is_no_refusal():
    outcome = measure_answer(WHEN, write("At six", BOATS), error="It broke.")
    assert (outcome.has_right_fact, outcome.is_marked, outcome.first_text_seconds) == (False, False, None)
    assert (summarise([outcome]).failed, rate_of(outcome, name="right_fact")) == (1, (0, 1))


def test_times_leave_out_the_loading_and_the_answers_that_no_model_was_asked_for():
    written = measure_answer(WHEN, write("At six."), first_evidence_seconds=0.25)
    refused = measure_answer(POOL, write("No.", refusal="evidence"), first_evidence_seconds=0.75)
    summary = summarise([written, refused])
    assert {name: (one.value, one.n) for name, one in summary.times.items()} == {
        "search_seconds": (0.5, 2),
        "first_evidence_seconds": (0.5, 2),
        "first_text_seconds": (1.5, 1),
        "total_seconds": (3.0, 1),
    }
    assert summary.load_seconds == 6.0


def test_a_summary_names_every_measure_also_when_nothing_was_asked():
    summary = summarise([])
    assert (list(summary.rates), list(summary.times)) == (list(RATES), list(TIMES))
    assert {one.value for one in (*summary.rates.values(), *summary.times.values())} == {None}
    assert (summary.answerable, summary.unanswerable, summary.models) == (0, 0, ())


def test_a_summary_counts_the_questions_and_names_the_models_once():
    outcomes = [
        measure_answer(expected, write("Six.", model=model)) for expected, model in ((WHEN, "b"), (POOL, "a"), (WHEN, "b"))
    ]
    summary = summarise(outcomes)
    assert (summary.answerable, summary.unanswerable, summary.failed, summary.models) == (2, 1, 0, ("b", "a"))
