"""Telling whether a text is in another language, by the words and letters that say so."""

import pytest

from locallens_nb.language.question_language import guess_language, is_foreign


@pytest.mark.parametrize(
    ("text", "language", "foreign"),
    [
        ("When is the boat serviced?", "pt", True),
        ("When is the boat serviced?", "en", False),
        ("Quando é revisto o motor do barco?", "en", True),
        ("Quando é revisto o motor do barco?", "pt", False),
        ("船のエンジンはいつ点検されますか？", "en", True),
        ("港口在哪里？", "zh", False),
        ("TG-2?", "pt", False),
        ("When is the boat serviced?", "", False),
    ],
)
def test_a_text_is_foreign_where_something_tells_its_language_from_another(text: str, language: str, foreign: bool):
    assert is_foreign(text, language) is foreign


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Quanto costa?", "it"),
        ("Quando apre?", "it"),
        ("Quanto custa?", "pt"),
        ("Quando abre?", "pt"),
        ("Cuánto cuesta?", "es"),
        ("Cuanto cuesta?", "es"),
        ("Donde está?", "es"),
        ("Que contiene?", "es"),
        ("Como se llama el perro?", "es"),
        ("Combien coûte-t-il ?", "fr"),
        ("Hvor åbner det?", "da"),
        ("Hvor åpner det?", "no"),
        ("Costa Rica?", "en"),
        ("Where is Costa Rica?", "en"),
    ],
)
def test_a_few_words_tell_a_language_from_its_neighbours(question: str, language: str):
    assert guess_language(question) == language
