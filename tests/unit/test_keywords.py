"""How far chunks cover the words of a question."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from locallens_nb.search.keywords import KeywordIndex

NOTES = [
    "The tide gauge at the pier was replaced in March.",
    "The station opens at eight; the ferry leaves at noon.",
    "The cistern of the station holds rain water.",
    "The station has a goat.",
]


def index_texts(texts: Sequence[str]) -> KeywordIndex:
    return KeywordIndex(texts)


def test_the_chunk_that_holds_the_words_covers_them_best_and_others_not_at_all():
    coverage = index_texts(NOTES).coverage("tide gauge")
    assert coverage.shape == (4,)
    assert coverage.argmax() == 0
    assert coverage[0] > 0.3
    assert coverage[1:].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("question", ["the station", "goat", "tide tide tide", "The ferry leaves at noon", NOTES[0] * 50])
def test_coverage_is_at_least_nothing_and_less_than_everything(question: str):
    coverage = index_texts([*NOTES, "goat " * 5000]).coverage(question)
    assert coverage.min() >= 0.0
    assert 0.0 < coverage.max() < 1.0


def test_a_chunk_of_nothing_but_the_words_comes_near_full_coverage():
    assert index_texts([*NOTES, "goat " * 5000]).coverage("goat")[4] > 0.9


def test_a_rare_word_weighs_more_than_a_common_one():
    coverage = index_texts(NOTES).coverage("station goat")
    assert np.argsort(-coverage, kind="stable").tolist() == [3, 2, 1, 0]
    assert coverage[3] > 2 * coverage[2] > 0


def test_of_two_chunks_with_a_word_once_the_shorter_is_covered_better():
    coverage = index_texts(["A goat.", "A goat and much else that is said of it here."]).coverage("goat")
    assert coverage[0] > coverage[1] > 0


def test_words_that_are_in_no_chunk_choose_none_and_take_weight_from_the_others():
    index = index_texts(NOTES)
    assert index.coverage("zzz xqxq").tolist() == [0.0] * 4
    with_unknown, alone = index.coverage("zzz goat xqxq"), index.coverage("goat")
    assert with_unknown.argmax() == alone.argmax() == 3
    assert 0.0 < with_unknown[3] < alone[3] / 2


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Sitzungstermine", "Die nächste Sitzung ist am Montag."),
        ("Donaudampfschiff", "Das Dampfschiff legt um acht ab."),
        ("orcamentário", "O orçamento foi aprovado."),
        ("recieve", "They receive the grant in May."),
    ],
    ids=["inflection", "compound", "derivation", "misspelling"],
)
def test_a_word_finds_its_relatives_by_their_common_parts(question: str, right: str):
    texts = ["Die Ziege schläft im Stall.", right, "The pump is new.", "A bomba é nova."]
    assert index_texts(texts).coverage(question).argmax() == 1


def test_the_rarity_of_known_stems_falls_with_the_texts_that_hold_them():
    index = index_texts(NOTES)
    rarity = index.rarity(["statio", "goat", "zzz"])
    assert list(rarity) == ["statio", "goat"]
    assert 0.0 < rarity["statio"] < rarity["goat"] < index.highest_rarity


def test_the_words_of_each_text_are_counted():
    assert index_texts(["goat goat pump", "", "goat"]).counts.toarray().tolist() == [[2.0, 1.0], [0.0, 0.0], [1.0, 0.0]]


def test_asking_for_a_word_twice_changes_nothing():
    index = index_texts(NOTES)
    assert index.coverage("goat GOAT goats").tolist() == pytest.approx(index.coverage("goats goat").tolist())
    assert index.coverage("ferry ferry").tolist() == index.coverage("ferry").tolist()


def test_case_accents_and_endings_do_not_hide_a_word():
    coverage = index_texts(["O orçamento foi aprovado.", "A cabra dorme."]).coverage("QUEM APROVA OS ORCAMENTOS")
    assert coverage[0] > 0.1
    assert coverage[1] == 0.0


@pytest.mark.parametrize("texts", [[], ["... --- !"], ["", ""]], ids=["no-chunks", "punctuation", "empty-chunks"])
def test_chunks_without_words_cover_nothing(texts: list[str]):
    assert index_texts(texts).coverage("Where is the goat?").tolist() == [0.0] * len(texts)


def test_a_chunk_of_only_punctuation_among_others_covers_nothing_and_keeps_its_place():
    coverage = index_texts(["The goat.", "-- !! --", "The goat."]).coverage("goat")
    assert coverage[0] == coverage[2] > 0
    assert coverage[1] == 0.0


@pytest.mark.parametrize("question", ["", "   ", "?!"])
def test_a_question_without_words_is_covered_by_nothing(question: str):
    assert index_texts(NOTES).coverage(question).tolist() == [0.0] * 4


def test_the_same_chunks_give_the_same_coverage_each_time():
    question = "When does the ferry leave the station?"
    assert index_texts(NOTES).coverage(question).tolist() == index_texts(NOTES).coverage(question).tolist()
