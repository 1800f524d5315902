"""Telling whether a text is in another language, by the words and letters that say so."""

import pytest

from locallens_nb.question_language import is_foreign


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
