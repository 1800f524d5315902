"""Numbers that are written out."""

from __future__ import annotations

import pytest

from locallens_nb.language.number_words import read_number_words, spell_number
from locallens_nb.language.words import find_words


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Fifteen rooms, two to three beds.", {"15", "2", "3"}),
        ("Seventeen of seventy", {"17", "70"}),
        ("Twenty-one of ninety nine", {"21", "99"}),
        ("vinte e duas de trinta e um", {"22", "31"}),
        ("dezasseis, dezesseis", {"16"}),
        ("veintidós de treinta y una", {"22", "31"}),
        ("fünfzehn von einundzwanzig, dreißig", {"15", "21", "30"}),
        ("dix-sept, vingt et un, soixante et onze", {"17", "21", "71"}),
        ("quatre-vingt-dix-sept, quatre-vingts, septante-deux", {"97", "80", "72"}),
        ("ventuno, ventotto, trentadue, quattro", {"21", "28", "32", "4"}),
        ("one is none", set()),
    ],
)
def test_a_number_is_read_as_a_whole_in_six_languages(text: str, numbers: set[str]):
    assert read_number_words(find_words(text)) == numbers


def test_a_number_is_written_in_each_of_them():
    assert {"fifteen", "quinze", "quince", "funfzehn", "quindici"} == {" ".join(words) for words in spell_number("15")}
    assert ("quatre", "vingt", "dix", "sept") in spell_number("97")
    assert spell_number("100") == spell_number("1") == ()
