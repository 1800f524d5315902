"""The words of a text as they are compared."""

from __future__ import annotations

import pytest

from locallens_nb.language.words import find_parts, find_words, split_words


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


def test_signs_that_are_letters_stay():
    assert split_words("ガス") != split_words("カス")
    assert split_words("हिन्दी") == ["हिन्दी"]
    assert split_words("ที่") == ["ที", "ี่"]


@pytest.mark.parametrize(("one", "other"), [("كِتَاب", "كتاب"), ("مدرسة", "مدرسه"), ("کتاب", "كتاب"), ("כָּתַב", "כתב")])
def test_points_and_spellings_of_arabic_persian_and_hebrew_make_no_difference(one: str, other: str):
    assert split_words(one) == split_words(other)


def test_scripts_that_meet_in_one_run_are_parted():
    assert find_words("iPhone用の3個") == ["iphone", "用の", "3", "個"]


def test_whole_words_keep_their_endings():
    assert find_words("Interpolation of Orçamentos") == ["interpolation", "of", "orcamentos"]


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("goat", [" goa", "goat", "oat "]),
        ("a", [" a "]),
        ("2031", ["2031"]),
        ("東京", ["東京", "東", "京"]),
        ("ภาษา", ["ภาษา"]),
    ],
)
def test_a_word_has_overlapping_parts_with_its_ends_marked(word: str, parts: list[str]):
    assert find_parts(word) == parts


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
        ("tide_gauge", ["tide", "gauge"]),
        ("№ 5", ["no", "5"]),
        ("한국어", ["한국", "국어"]),
    ],
)
def test_signs_underscores_ligatures_and_syllables_do_not_break_words(text: str, words: list[str]) -> None:
    assert split_words(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("bodyLimit", ["bodylimit", "body", "limit"]),
        ("XMLHttpRequest2", ["xmlhttprequest2", "xml", "http", "request2"]),
        ("für bodyLimit", ["fur", "bodylimit", "body", "limit"]),
        ("2 GHz, PhD, iPhone, McDonald", ["2", "ghz", "phd", "iphone", "mcdonald"]),
    ],
)
def test_a_name_of_code_gives_its_own_words_after_itself(text: str, words: list[str]) -> None:
    assert find_words(text) == words
