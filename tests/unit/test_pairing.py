"""Numbers that are given to each other's things."""

from __future__ import annotations

import pytest

from locallens_nb.checking.pairing import is_swapped


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Guests pay 12, students 30.", "Students pay 12, guests 30."),
        ("Guests pay 12 euros and students 30 euros.", "A student pays 12 euros; a guest pays 30 euros."),
        ("Gäste zahlen 12 Euro und Studenten 30 Euro.", "Studenten zahlen 12 Euro, Gäste 30 Euro."),
        ("Hóspedes pagam 12 euros e estudantes 30.", "Estudantes pagam 12 euros e hóspedes 30."),
        ("Guests pay 12, students of guests pay 30.", "Students pay 12, guests pay 30."),
    ],
)
def test_two_numbers_the_other_way_round_are_swapped(claim: str, sentence: str):
    assert is_swapped(claim, sentence)


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Students pay 12, guests 30.", "Students pay 12, guests 30."),
        ("Guests pay 30 and students 12.", "Students pay 12 and guests 30."),
        ("12 euros for students and 30 euros for guests.", "Students pay 12 euros, and guests 30 euros."),
        ("Students pay 12, guests 30.", "Students and guests pay 12 and 30 euros."),
        ("Students pay 12.", "Students pay 12, guests 30."),
        ("Guests pay 12, staff 30.", "Students pay 12, guests 30."),
        ("Student nights of guests cost 12, guest days of students 30.", "Student nights cost 12, guest days 30."),
        ("Students pay 1,250 euros, guests 12.", "Students pay 1,250 euros, guests 12."),
    ],
)
def test_the_same_in_another_order_is_not_swapped(claim: str, sentence: str):
    assert not is_swapped(claim, sentence)
