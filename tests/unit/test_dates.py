"""The dates of a text, in whatever way they are written."""

from __future__ import annotations

import pytest

from locallens_nb.language.dates import Calendar, fold_letters, read_dates

WRITTEN = [
    "22 March 2031",
    "March 22, 2031",
    "March 22nd, 2031",
    "the 22nd of March, 2031",
    "22 Mar 2031",
    "22/03/2031",
    "03/22/2031",
    "22-03-2031",
    "2031-03-22",
    "2031/3/22",
    "22.3.2031",
    "22. März 2031",
    "22 de março de 2031",
    "22 de marzo de 2031",
    "le 22 mars 2031",
    "22 marzo 2031",
    "2031年3月22日",
    "22/3/31",
]


def holds(text: str, written: str) -> bool:
    calendar = Calendar(fold_letters(text))
    dates = read_dates(fold_letters(written))
    assert dates
    return not calendar.find_absent(dates[0])


@pytest.mark.parametrize("said", WRITTEN)
def test_a_date_is_the_same_in_each_way_of_writing_it(said: str):
    text = f"It was sold on {said} to Porto."
    assert [written for written in WRITTEN if not holds(text, written)] == []


@pytest.mark.parametrize("said", WRITTEN)
def test_another_day_month_or_year_is_another_date(said: str):
    text = f"It was sold on {said} to Porto."
    others = ["23 March 2031", "22 April 2031", "2030-03-22", "22/04/2031", "22 de abril de 2031", "2031年3月23日"]
    assert [written for written in others if holds(text, written)] == []


def test_a_part_of_a_date_stands_where_the_date_does():
    text = "It was sold on 22 March 2031."
    assert all(holds(text, part) for part in ("March 2031", "22 March", "22/03", "03/2031", "2031-03"))
    assert not any(holds(text, part) for part in ("April 2031", "23 March", "22/04", "04/2031"))


def test_the_days_of_a_span_are_dates():
    assert holds("De 22 a 25 de março de 2031.", "2031-03-22")
    assert holds("March 22-25, 2031.", "25 March 2031")
    assert not holds("March 22-25, 2031.", "26 March 2031")


def test_of_several_days_each_has_to_stand():
    assert holds("On 5 March and on 8 March.", "5 and 8 March")
    assert not holds("On 5 March and on 8 March.", "5 and 9 March")


def test_a_year_or_a_day_may_stand_elsewhere_as_in_a_heading():
    assert holds("# 2031. From 5 March on.", "2031-03-05")
    assert not holds("# 2030. From 5 March on.", "2031-03-05")
    assert holds("# April 2031. 22: party.", "22 April 2031")
    assert not holds("# April 2031. 22: party.", "22 May 2031")


def test_a_text_without_its_dates_is_the_rest():
    assert Calendar(fold_letters("From 5 March 2024 on, 7 boats.")).rest == "from   on, 7 boats."


@pytest.mark.parametrize("text", ["version 1.2.3", "192.168.10.5", "2 of 3", "12:30", "40/50/60", "1,250"])
def test_what_is_no_date_is_not_read_as_one(text: str):
    assert read_dates(text) == []


def test_folding_keeps_the_length():
    assert fold_letters("MÄRZ ß ２ 年 é") == "marz s 2 年 e"
