"""The words of a text as they are compared."""

from __future__ import annotations

import pytest

from locallens_nb.words import split_words


def test_words_come_in_order_with_every_repetition():
    assert split_words("The pump and the tide, the pump!") == ["the", "pump", "and", "the", "tide", "the", "pump"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("orçamento", "ORCAMENTO"),
        ("São João", "sao joao"),
        ("Straße", "STRASSE"),
        ("cafe\u0301", "caf\u00e9"),
        ("Ελλάδα", "ελλαδα"),
        ("ﬁeld", "field"),
        ("１２３", "123"),
    ],
    ids=["cedilla", "tilde", "sharp-s", "composed", "greek", "ligature", "full-width"],
)
def test_case_accents_and_ways_of_writing_a_character_make_no_difference(one: str, other: str):
    assert split_words(one) == split_words(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("measure", "measuring"), ("reembolso", "reembolsado"), ("Sitzungen", "Sitzungstermin"), ("measurements", "measured")],
)
def test_endings_make_no_difference_to_a_long_word(one: str, other: str):
    assert split_words(one) == split_words(other)


@pytest.mark.parametrize(("one", "other"), [("port", "ports"), ("tide", "time"), ("station", "static"), ("2031", "2030")])
def test_short_words_and_other_beginnings_stay_apart(one: str, other: str):
    assert split_words(one) != split_words(other)


def test_a_long_word_is_compared_by_its_first_six_characters():
    assert split_words("Interpolation of abcdef abcdefg") == ["interp", "of", "abcdef", "abcdef"]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("会議は東京", ["会議", "議は", "は東", "東京"]),
        ("ภาษาไทย", ["ภา", "าษ", "ษา", "าไ", "ไท", "ทย"]),
        ("水", ["水"]),
        ("東京 大阪", ["東京", "大阪"]),
    ],
    ids=["japanese", "thai", "one-character", "spaced"],
)
def test_a_script_without_spaces_gives_pairs_of_neighbours(text: str, pairs: list[str]):
    assert split_words(text) == pairs


def test_a_voiced_kana_is_compared_without_its_mark():
    assert split_words("ガス") == split_words("カス") == ["カス"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("FIC-0317-K", ["fic", "0317", "k"]),
        ("fic 0317 k", ["fic", "0317", "k"]),
        ("R$ 2.486.000 em 2031", ["r", "2", "486", "000", "em", "2031"]),
    ],
)
def test_codes_and_numbers_fall_apart_at_their_marks(text: str, words: list[str]):
    assert split_words(text) == words


@pytest.mark.parametrize("text", ["", "   \n\t", "... — !? | --- |", "\u0301"])
def test_a_text_without_words_has_none(text: str):
    assert split_words(text) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("हिन्दी", ["हनद"]),
        ("tide_gauge", ["tide", "gauge"]),
        ("№ 5", ["no", "5"]),
        ("한국어", ["한국", "국어"]),
    ],
)
def test_signs_underscores_ligatures_and_syllables_do_not_break_words(text: str, words: list[str]) -> None:
    assert split_words(text) == words
