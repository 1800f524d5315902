"""Yes, no and not."""

from __future__ import annotations

import pytest

from locallens_nb.language.polarity import is_contradicted, is_yes_or_no

DENIED = [
    ("A student does not pay 12 euros.", "A student pays 12 euros a night."),
    ("A student doesn't pay 12 euros.", "A student pays 12 euros a night."),
    ("No pets are allowed.", "Pets are allowed in the garden."),
    ("You cannot bring a dog.", "You can bring a dog."),
    ("The fee is not 12 euros.", "The fee is 12 euros."),
    ("O estudante não paga 12 euros.", "O estudante paga 12 euros por noite."),
    ("El estudiante no paga 12 euros.", "El estudiante paga 12 euros la noche."),
    ("Der Student zahlt die Gebühr nicht.", "Der Student zahlt die Gebühr von 12 Euro."),
    ("Der Student zahlt keine Gebühr.", "Der Student zahlt die Gebühr von 12 Euro."),
    ("L'étudiant ne paie pas 12 euros.", "L'étudiant paie 12 euros la nuit."),
    ("Lo studente non paga 12 euro.", "Lo studente paga 12 euro per notte."),
    ("学生不支付12欧元。", "学生支付12欧元。"),
]


@pytest.mark.parametrize(("denial", "statement"), DENIED)
def test_a_not_in_one_of_two_sentences_contradicts(denial: str, statement: str):
    assert is_contradicted(denial, statement)
    assert is_contradicted(statement, denial)


@pytest.mark.parametrize(("denial", "statement"), DENIED)
def test_a_sentence_never_contradicts_itself(denial: str, statement: str):
    assert not is_contradicted(denial, denial)
    assert not is_contradicted(statement, statement)


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("A student pays 12 euros.", "A student pays 12 euros, not 30."),
        ("The station opened in 1990.", "The station did not open until 1990."),
        ("Pets are not allowed.", "Pets are forbidden."),
        ("It works for students.", "It does not only work for students."),
        ("A bomba foi vendida no Porto.", "A bomba foi vendida em Porto no ano passado."),
        ("L'étudiant paie 12 euros.", "L'étudiant ne paie que 12 euros la nuit."),
        ("The ferry leaves at noon.", "The ferry leaves at noon. Dogs do not travel."),
    ],
)
def test_a_denial_of_something_else_contradicts_nothing(claim: str, sentence: str):
    assert not is_contradicted(claim, sentence)


@pytest.mark.parametrize(
    "text", ["Yes.", "**No**", "Yes, indeed.", "Correct.", "Sim.", "Não.", "Ja!", "Oui", "是的。", "はい", "네.", "Да."]
)
def test_yes_and_no_say_nothing_by_themselves(text: str):
    assert is_yes_or_no(text, frozenset())


@pytest.mark.parametrize("text", ["", "500.", "Porto.", "No student pays 12.", "No pets.", "12 euros"])
def test_what_says_more_is_no_yes_or_no(text: str):
    assert not is_yes_or_no(text, frozenset())


def test_a_word_of_agreement_that_the_excerpts_have_may_be_the_answer():
    assert is_yes_or_no("True.", frozenset())
    assert not is_yes_or_no("True.", frozenset({"true"}))
    assert is_yes_or_no("No.", frozenset({"no"}))
