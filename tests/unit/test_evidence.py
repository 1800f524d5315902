"""How evidence for an answer is measured, and when there is enough of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from locallens_nb.domain import SearchHit
from locallens_nb.grounding import read_excerpts
from locallens_nb.language.words import split_words
from locallens_nb.search.evidence import (
    FEATURES,
    FOREIGN_FEATURES,
    INTERCEPT,
    LIMITS,
    LONG_FEATURES,
    LONG_INTERCEPT,
    Evidence,
    QuestionStatistics,
    is_answerable,
    measure_evidence,
)
from locallens_nb.search.index import FloatArray
from locallens_nb.settings import STRICTNESS

CISTERN = "The rainwater cistern behind the kitchen holds 38,000 litres. It was cleaned in May."
FERRY = "The ferry to the island leaves twice a day. Each guest may take 23 kg of luggage."
PENGUINS = "Penguins were counted on the southern beach. Nobody was allowed near the nests."
QUESTION = "How many litres does the rainwater cistern hold?"
UNRELATED = "What does a ticket for the Vienna opera cost?"


def hit(content: str, *, similarity: float = 0.4, path: str = "notes.md") -> SearchHit:
    return SearchHit(content[:8], path, 0, content, similarity)


def describe(question: str, texts: Sequence[str], *, mean: float = 0.1, deviation: float = 0.1) -> QuestionStatistics:
    found = [set(split_words(text)) for text in texts]
    counts = {word: sum(word in words for words in found) for word in split_words(question)}
    rarity = {word: math.log1p((len(texts) - count + 0.5) / (count + 0.5)) for word, count in counts.items() if count}
    highest = math.log1p((len(texts) + 0.5) / 0.5)
    return QuestionStatistics(rarity, highest, mean, deviation, meaning_trust=1.0, chunk_count=len(texts))


def share_words(question: str) -> Callable[[Sequence[str]], FloatArray]:
    """Return similarities that are the share of the question's words in a sentence."""
    asked = set(split_words(question))
    return lambda sentences: np.array(
        [len(asked & set(split_words(text))) / len(asked) for text in sentences], dtype=np.float32
    )


def measure_hits(question: str, hits: Sequence[SearchHit], **options: Any) -> Evidence:
    return measure_evidence(question, hits, read_excerpts(hits), **options)


def measure(question: str, *excerpts: str, mean: float = 0.1, deviation: float = 0.1) -> Evidence:
    return measure_hits(
        question,
        [hit(excerpt, similarity=float(share_words(question)([excerpt])[0])) for excerpt in excerpts],
        similarities=share_words(question),
        statistics=describe(question, [CISTERN, FERRY, PENGUINS] * 10, mean=mean, deviation=deviation),
    )


def test_excerpts_that_answer_are_likelier_to_than_those_that_do_not():
    answering = measure(QUESTION, CISTERN, FERRY, PENGUINS).probability
    beside = measure(QUESTION, FERRY, PENGUINS).probability
    assert answering > 0.8
    assert beside < 0.2


def test_a_question_about_something_else_is_unlikely_to_be_answered():
    assert measure(UNRELATED, CISTERN, FERRY, PENGUINS).probability < 0.05


def test_nothing_found_answers_nothing():
    assert measure(QUESTION) == Evidence(0.0)


def test_excerpts_without_a_sentence_answer_nothing():
    assert measure(QUESTION, "...", "#").probability == 0.0


def test_the_probability_is_within_bounds_and_the_same_every_time():
    first, second = (measure(QUESTION, CISTERN, FERRY) for _ in range(2))
    assert first == second
    assert 0 < first.probability < 1


def test_all_that_is_weighed_is_measured():
    assert {*FEATURES, *LONG_FEATURES, *FOREIGN_FEATURES} <= set(measure(QUESTION, CISTERN).features)


def test_similarity_counts_in_deviations_of_the_brain():
    near = measure(QUESTION, CISTERN, mean=0.1, deviation=0.1)
    far = measure(QUESTION, CISTERN, mean=0.5, deviation=0.1)
    assert near.features["similarity"] > far.features["similarity"]


def test_similarities_that_are_all_the_same_do_no_harm():
    assert 0 < measure(QUESTION, CISTERN, deviation=0.0).probability < 1


def test_the_same_features_are_worth_less_in_a_larger_brain_up_to_the_largest_that_was_measured():
    few, many, more, most = (
        measure_hits(
            QUESTION,
            [hit(CISTERN), hit(FERRY)],
            similarities=share_words(QUESTION),
            statistics=replace(describe(QUESTION, [CISTERN, FERRY]), rarity={}, highest_rarity=math.log(2 * chunks)),
        )
        for chunks in (10, 100, 1_000, 10_000)
    )
    assert [one.features["brain_size"] for one in (few, many)] == pytest.approx([math.log(20), math.log(200)])
    assert few.probability > many.probability > more.probability
    assert more.features["brain_size"] == most.features["brain_size"]


def test_a_word_that_is_spelt_nearly_so_is_missing_less():
    exact = measure("Who cleaned the cistern of Ghandi?", CISTERN)
    like = measure("Who cleaned the cistern of Gandhis?", f"{CISTERN} Gandhi came to see it.")
    assert like.features["missing_rarity"] < exact.features["missing_rarity"]


def test_a_name_that_stands_in_no_excerpt_is_missing():
    assert measure("Did Penelope clean the cistern?", CISTERN).features["missing_names"] == 1.0
    assert measure("Did they clean the cistern?", CISTERN).features["missing_names"] == 0.0


def test_the_name_of_a_file_covers_words_of_the_question():
    statistics = describe(QUESTION, [CISTERN, FERRY])
    named, plain = (
        measure_hits(
            QUESTION, [hit("It holds 38,000 litres.", path=path)], similarities=share_words(QUESTION), statistics=statistics
        )
        for path in ("rainwater-cistern.md", "notes.md")
    )
    assert named.features["union_coverage"] > plain.features["union_coverage"]


def test_words_that_only_ask_do_not_count():
    statistics = describe("cistern?", [CISTERN, FERRY])
    bare, asked = (
        measure_hits(question, [hit(CISTERN)], similarities=share_words("cistern"), statistics=statistics)
        for question in ("cistern?", "What is the cistern?")
    )
    assert bare.features["sentence_coverage"] == asked.features["sentence_coverage"] == 1.0


@pytest.mark.parametrize("question", ["?", "what is it", "谁?", "a", "C"])
def test_a_question_of_hardly_a_word_is_measured_too(question: str):
    statistics = replace(describe("", [CISTERN, FERRY]), rarity={})
    similar = np.array([0.2, 0.1], dtype=np.float32)
    evidence = measure_hits(question, [hit(CISTERN)], similarities=lambda _: similar, statistics=statistics)
    assert 0 <= evidence.probability <= 1


@pytest.mark.parametrize("strictness", [*STRICTNESS, 0.0, 0.03, 0.5])
def test_good_evidence_passes_at_every_strictness(strictness: str | float):
    assert is_answerable(Evidence(0.99), strictness)


def test_off_refuses_nothing():
    assert is_answerable(Evidence(0.0), "off")
    assert is_answerable(Evidence(0.0), 0.0)


def test_a_stricter_setting_needs_more_evidence():
    limits = [min(p / 1000 for p in range(1001) if is_answerable(Evidence(p / 1000), name)) for name in STRICTNESS]
    assert limits == sorted(limits)
    assert len(set(limits)) == len(limits)


def test_a_number_means_what_its_name_means():
    for name, share in STRICTNESS.items():
        decisions = [(is_answerable(Evidence(p / 100), name), is_answerable(Evidence(p / 100), share)) for p in range(101)]
        assert all(one == other for one, other in decisions)


def test_the_limits_grow_with_what_may_be_refused():
    assert list(LIMITS) == sorted(LIMITS)
    assert list(LIMITS.values()) == sorted(LIMITS.values())


SITUATION = (
    "Grandmother's cousins arrive on Thursday and want long showers, meanwhile the neighbours borrow buckets from us, "
    "so how many litres does the rainwater cistern hold?"
)


def test_a_question_that_tells_of_a_situation_is_not_refused_for_words_that_no_file_has():
    evidence = measure_hits(
        SITUATION,
        [hit(text) for text in (CISTERN, FERRY, PENGUINS)],
        similarities=lambda texts: np.array([0.4 if "cistern" in text else 0.1 for text in texts], dtype=np.float32),
        statistics=describe(SITUATION, [CISTERN, FERRY, PENGUINS] * 10),
    )
    assert evidence.features["sentence_coverage"] < 0.2
    assert is_answerable(evidence, "lenient")
    assert evidence.bears_on_question(1, 0)


def test_a_long_question_about_something_else_is_refused():
    question = (
        "My aunt in Vienna bought opera tickets last autumn through some agency that went bankrupt, and now the theatre "
        "refuses to let her exchange them; which lawyer helps with consumer complaints?"
    )
    evidence = measure(question, FERRY, PENGUINS)
    assert not is_answerable(evidence, "lenient")
    assert not evidence.bears_on_question(1, 0)


@pytest.mark.parametrize(("words", "is_long"), [(5, False), (6, False), (12, True), (16, True)])
def test_how_many_words_say_what_a_question_is_about_decides_which_weights_count(words: int, is_long: bool):
    question = " ".join(f"word{number}" for number in range(words)) + "?"
    measured = measure(question, CISTERN, FERRY)
    features, intercept = (LONG_FEATURES, LONG_INTERCEPT) if is_long else (FEATURES, INTERCEPT)
    logit = intercept + sum(weight * measured.features[name] for name, weight in features.items())
    assert measured.probability == pytest.approx(1 / (1 + math.exp(-logit)))


def test_pairs_of_characters_are_not_counted_as_words():
    short = "谁七月修理了研究站的水泵"
    assert len(split_words(short)) == 11
    measured = measure(short, CISTERN)
    logit = INTERCEPT + sum(weight * measured.features[name] for name, weight in FEATURES.items())
    assert measured.probability == pytest.approx(1 / (1 + math.exp(-logit)))


PORTUGUESE = "A cisterna guarda dezoito mil litros de água da chuva. A bomba fica na cave."


def measure_foreign(first: float, *, languages: Sequence[str] = ("pt",)) -> Evidence:
    """Return the evidence of two sentences in Portuguese, the first of which is so similar to an English question."""
    return measure_hits(
        QUESTION,
        [hit(PORTUGUESE)],
        similarities=lambda _sentences: np.array([first, 0.8], dtype=np.float32),
        statistics=describe(QUESTION, [PORTUGUESE] * 10, mean=0.8, deviation=0.02),
        unrelated=0.8,
        languages=languages,
    )


def test_in_another_language_similarity_alone_tells():
    assert measure_foreign(0.9).probability > 0.9
    assert measure_foreign(0.8).probability < 0.05
    assert measure_foreign(0.9).probability > measure_foreign(0.85).probability > measure_foreign(0.82).probability


@pytest.mark.parametrize("languages", [(), ("",), ("en",)])
def test_words_are_asked_where_the_language_is_the_same_or_not_known(languages: Sequence[str]):
    assert measure_foreign(0.9, languages=languages).probability < 0.5 < measure_foreign(0.9).probability


def test_a_sentence_in_another_language_bears_on_the_question_by_its_likeness():
    evidence = measure_foreign(0.83)
    assert evidence.bears_on_question(1, 0)
    assert not evidence.bears_on_question(1, PORTUGUESE.index("A bomba"))


BOAT = "The boat leaves the pier at noon."
OTHERS = [f"Sheet {number} is about the weather." for number in range(30)]


@pytest.mark.parametrize(
    ("count", "similarity", "bears"), [(1, 0.4, True), (2, 0.6, True), (3, 0.6, True), (2, 0.3, False), (30, 0.1, False)]
)
def test_among_very_few_chunks_a_sentence_that_is_like_the_question_bears_on_it(count: int, similarity: float, bears: bool):
    question = "When can guests take the boat in the morning?"
    texts = [BOAT, *OTHERS[: count - 1]]
    chunks = np.array([0.5] + [0.0] * (count - 1))
    statistics = describe(question, texts, mean=float(chunks.mean()), deviation=float(chunks.std()))
    hits = [hit(BOAT, similarity=0.5)]
    evidence = measure_evidence(
        question, hits, read_excerpts(hits), similarities=lambda found: np.full(len(found), similarity), statistics=statistics
    )
    assert evidence.bears_on_question(1, 0) is bears
