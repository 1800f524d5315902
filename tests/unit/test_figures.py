"""Whether a number, a time, a date, a range or a version stands in a text."""

from __future__ import annotations

import pytest

from locallens_nb.language.figures import Figures, read_numbers


def missing(excerpt: str, sentence: str) -> list[str]:
    return Figures([excerpt]).find_missing(sentence)[0]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("007", {"7"}),
        ("1,250.50", {"1250.50"}),
        ("1.250.000,5", {"1250000.5"}),
        ("1.250", {"1250", "1.250"}),
        ("3,5 m", {"3.5"}),
        ("2024-03-05", {"2024", "3", "5"}),
        ("१२", {"12"}),
        ("1,250-1,500", {"1250", "1.250", "1500", "1.500"}),
        ("none", set()),
    ],
)
def test_numbers_have_one_form(text: str, numbers: set[str]):
    assert read_numbers(text) == numbers


@pytest.mark.parametrize(
    ("excerpt", "sentence"),
    [
        ("It leaves at 14:30.", "at 14.30"),
        ("It leaves at 14:30.", "at 14:30:00"),
        ("Sai às 14h30.", "às 14:30"),
        ("Abfahrt um 14 Uhr 30.", "um 14:30"),
        ("Départ à 14 heures 30.", "à 14:30"),
        ("Open from 9:00 to 17:30.", "from 9:00-17:30"),
        ("From 2001 to 2005.", "2001-2005"),
        ("From 2001 to 2005.", "2001–2005"),
        ("It takes two to three weeks.", "2-3 weeks"),
        ("It takes fifteen to twenty-one days.", "15-21 days"),
        ("The house has fifteen rooms.", "15 rooms"),
        ("Das Haus hat dreiundzwanzig Zimmer.", "23 Zimmer"),
        ("Germany scored 3 goals and Brazil 1.", "3:1"),
        ("Chapter 3, verse 16.", "3:16"),
        ("The season 2023/24.", "2023-24"),
        ("Between 1,250 and 1,500 euros.", "1250–1500 euros"),
        ("Version 1.2.3 on 192.168.10.5.", "v1.2.3 or 1.2.3 on 192.168.10.5"),
        ("Call 555 12 34.", "555-12-34"),
        ("Written 2031-04-07T18:24:00Z.", "2031-04-07T18:24:00Z"),
        ("Items 1, 2 and 3.", "1,2,3"),
    ],
)
def test_a_compound_number_stands_where_its_parts_stand_together(excerpt: str, sentence: str):
    assert missing(excerpt, sentence) == []


@pytest.mark.parametrize(
    ("excerpt", "number"),
    [
        ("It leaves at 14:30.", "30:14"),
        ("It leaves at 14:30.", "14:30:15"),
        ("It leaves at 10:15, 14:30 and 15:45.", "10:30"),
        ("It leaves at 10:15, 14:30 and 15:45.", "15:14"),
        ("From pier 14. 30 boats came.", "14:30"),
        ("Open from 9:00 to 17:30.", "17:30-9:00"),
        ("From 2001 to 2005.", "2005–2001"),
        ("Version 1.2.3.", "1.3.2"),
        ("Version v1.2.3.", "1.3.2"),
        ("The server is 192.168.10.5.", "192.168.5.10"),
        ("Call 555 12 34.", "555-34-12"),
    ],
)
def test_a_compound_number_of_parts_that_stand_apart_or_in_another_order_is_missing(excerpt: str, number: str):
    assert missing(excerpt, f"It is {number} now.") == [number]


@pytest.mark.parametrize(
    ("excerpt", "sentence", "found"),
    [
        ("A night costs 18 EUR.", "A night costs sixteen euros.", ["sixteen"]),
        ("A night costs eighteen euros.", "A Night costs Twenty-six euros.", ["Twenty-six"]),
        ("O quarto custa 18 euros.", "O quarto custa vinte e dois euros.", ["vinte e dois"]),
        ("La habitación cuesta 18 euros.", "La habitación cuesta dieciséis euros.", ["dieciséis"]),
        ("Das Zimmer kostet 18 Euro.", "Das Zimmer kostet dreißig Euro.", ["dreißig"]),
        ("La chambre coûte 18 euros.", "La chambre coûte seize euros.", ["seize"]),
        ("La camera costa 18 euro.", "La camera costa ventuno euro.", ["ventuno"]),
        ("Three boats leave.", "The four boats leave.", ["four"]),
        ("The 3 boats leave.", "The four boats leave.", ["four"]),
    ],
)
def test_a_number_in_words_that_stands_nowhere_is_missing(excerpt: str, sentence: str, found: list[str]):
    assert missing(excerpt, sentence) == found


@pytest.mark.parametrize(
    ("excerpt", "sentence"),
    [
        ("A night costs 16 EUR.", "A night costs sixteen euros."),
        ("Das Zimmer kostet 30 Euro.", "Das Zimmer kostet dreißig Euro."),
        ("Das Zimmer kostet dreißig Euro.", "Das Zimmer kostet 30 Euro."),
        ("Una noche cuesta sixteen euros.", "La noche cuesta dieciséis euros."),
        ("It needs 2.5 litres.", "It needs two and a half litres."),
        ("Open 9 to 5.", "It is open from nine to five."),
        ("En 1960 hubo cambios.", "Los cambios de los años sesenta."),
        ("Of 30,000 troops", "There were thirty thousand troops."),
        ("It has 120 rooms.", "It has one hundred and twenty rooms."),
        ("Since the 21st century.", "Since the twenty-first century."),
        ("Founded in 1984.", "It was founded in nineteen eighty-four."),
        ("A password is enough.", "One of the two is two-factor login, and no one has a second one, for once, due to that."),
        ("Das Zimmer.", "Das ist ein Zimmer, und es sei nicht außer Acht zu lassen."),
        ("La chambre.", "Une des chambres est un studio tout neuf."),
        ("De boot vaart om 7 uur.", "Het is ten minste onze boot, en de boot vaart om zeven uur."),
        ("Boats of 3 companies", "The boats of two of them are in the harbour."),
    ],
)
def test_a_number_in_words_is_held_by_any_form_of_it_and_articles_and_idioms_are_none(excerpt: str, sentence: str):
    assert missing(excerpt, sentence) == []


def test_numbers_in_words_are_not_looked_for_in_texts_of_another_language():
    assert Figures(["De kamer kost zestien euro."]).find_missing("It costs sixteen euros.", is_same_language=False)[0] == []


def test_the_number_of_a_name_counts_when_it_is_compound():
    assert missing("Version v1.2.3.", "Use v1.3.2.") == ["1.3.2"]
    assert missing("Version v1.2.3.", "Use v9.") == []


def test_a_range_whose_ends_stand_in_two_excerpts_is_missing():
    assert Figures(["At least 10.", "At most 30."]).find_missing("It is 10-30.")[0] == ["10-30"]


def test_a_number_that_is_too_long_to_count_with_is_only_compared():
    assert missing("7" * 5000 + " and more", "7" * 5000 + "-" + "8" * 5000) == ["7" * 5000 + "-" + "8" * 5000]


def test_the_dates_that_stand_are_blanked_out_and_nothing_else():
    found, rest = Figures(["Sold on 2031-03-22 to Porto."]).find_missing("Sold on March 22nd, 2031 to Porto.")
    assert found == []
    assert rest == "Sold on                  to Porto."
    assert len(rest) == len("Sold on March 22nd, 2031 to Porto.")


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("On 22 March 2024.", ["22 March 2024"]),
        ("Em 22 de maio de 2024.", ["22 de maio de 2024"]),
        ("On 22/03/2024.", ["22/03/2024"]),
        ("On 5/4/2024.", []),
        ("They march 5 km.", []),
        ("2024年3月22日。", ["2024年3月22日"]),
        ("2024年4月22日。", []),
    ],
)
def test_a_day_of_another_month_makes_a_date_wrong(sentence: str, found: list[str]):
    assert missing("Pay from 5 March 2024 on, until 22 April 2024 or 5.4.2024, for 5 km.", sentence) == found


def test_a_month_that_is_not_known_here_counts_as_the_one_that_is_asked_for():
    assert missing("Проведено 22 марта 2031 года.", "22.03.2031") == []
    assert missing("Проведено 22 марта 2031 года.", "22/03/2031") == []
    assert missing("Проведено 22 марта 2031 года.", "23.03.2031") == ["23.03.2031"]


def test_of_several_days_the_one_that_stands_nowhere_is_missing():
    assert missing("On 5 March 2024.", "On 5 and 9 March 2024.") == ["9"]
    assert missing("On 5 March 2024. Also in the same month: 9.", "On 5 and 9 March 2024.") == []
